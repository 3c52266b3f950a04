"""Head fusion: every word of the vocabulary is understood, on both sides, and nothing else is."""

import numpy as np
import pytest
import torch

from vizapp.core.attention.fusion import fuse_heads, unit_of
from vizapp.errors import VizError
from vizapp.vocabulary import DIRECTIONS, FUSIONS


@pytest.mark.parametrize("heads", [4, 5])  # a median of four is the mean of two
def test_each_fusion_is_numpys_of_its_name(heads: int) -> None:
    rows = torch.rand(heads, 3, 7)
    for fusion in FUSIONS:
        np.testing.assert_allclose(fuse_heads(rows, fusion), getattr(np, fusion)(rows.numpy(), axis=0), rtol=1e-6)
        assert all(str(unit_of({"direction": direction, "fusion": fusion, "head": None})) for direction in DIRECTIONS)


def test_an_unknown_fusion_is_refused() -> None:
    with pytest.raises(VizError, match=rf"'sum' is no head fusion\. Choose one of: {', '.join(FUSIONS)}, or"):
        fuse_heads(torch.rand(2, 3), "sum")  # type: ignore[arg-type]
