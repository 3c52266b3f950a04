"""What a patch is before the first layer, in networks of timm."""

from typing import Any

import pytest

import vizapp
from support.embeddings import PICTURE, close, compare, described
from support.paths import DEIT
from vizapp.pipeline.step_by_step import embedding
from vizapp.vocabulary import PATCH_FEW


def test_deit() -> None:
    if DEIT.exists():  # as it was trained; the embedding is the same code without them
        seen = vizapp.analyse(f"file:{DEIT}?arch=deit_tiny_patch16_224", PICTURE)
        net: Any = seen.context.model.net
    else:
        net, seen = described("deit_tiny_patch16_224", depth=2)
    found = embedding(seen, (4, 13))
    made = compare(seen, found, net.patch_embed.proj, 4, 13)
    close(found.position, net.pos_embed.detach()[0, 1 + 4 * 14 + 13])
    close(found.token, made + found.position)
    assert len(found.dimensions) == PATCH_FEW, "192 numbers of 768 weights each are too many to send"
    least = float(found.token[found.dimensions].abs().min())
    assert int((found.token.abs() >= least).sum()) == PATCH_FEW, "the largest"
    other = next(i for i in range(192) if i not in found.dimensions)
    with_it = embedding(seen, (4, 13), number=other)
    assert other in with_it.dimensions
    assert len(with_it.dimensions) == PATCH_FEW
    close(with_it.weights, net.patch_embed.proj.weight.detach()[with_it.dimensions])


@pytest.mark.parametrize("name", ["vit_tiny_r_s16_p8_224", "pvt_v2_b0", "hiera_tiny_224", "levit_128s"])
def test_more_than_one_map_is_refused(name: str) -> None:
    """A stem of several layers; patches that overlap."""
    _, seen = described(name)
    with pytest.raises(vizapp.VizError, match="by one linear map"):
        embedding(seen, (1, 1))
