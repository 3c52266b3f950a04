"""Shares are handed from one grid of patches to another."""

import pytest
import torch

from vizapp.core.attention.grids import by_area


@pytest.mark.parametrize(("source", "target"), [((4, 6), (8, 12)), ((8, 6), (4, 2)), ((5, 4), (3, 7))])
def test_shares_are_handed_on_by_area(source: tuple[int, int], target: tuple[int, int]) -> None:
    """Drawn in pixels that both grids divide: each patch's share is the sum of its pixels."""
    torch.manual_seed(0)
    shares = torch.rand(2, source[0] * source[1], dtype=torch.float64)
    height, width = source[0] * target[0], source[1] * target[1]
    drawn = shares.unflatten(-1, source).repeat_interleave(target[0], -2).repeat_interleave(target[1], -1)
    drawn = drawn / (target[0] * target[1])
    expected = drawn.unflatten(-1, (target[1], -1)).sum(-1).unflatten(-2, (target[0], -1)).sum(-2)
    assert (height, width) == tuple(drawn.shape[-2:])
    torch.testing.assert_close(by_area(shares, source, target), expected.flatten(-2))
