"""What is summed over tokens is named, by whatever spelling of the axis; what is summed over features leaves the ledger whole."""

from collections.abc import Callable

import pytest
from torch import Tensor, nn

from support.gaps import Hybrid, seen


class Beside(nn.Module):
    """A sum of products of the picture, beside the stream."""

    def __init__(self, summed: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.summed = summed

    def forward(self, x: Tensor) -> Tensor:
        return x + x.sigmoid() * self.summed(x.exp() * x) / 17


@pytest.mark.parametrize(
    ("summed", "found"),
    [
        pytest.param(lambda x: x.sum(1, True), "sum", id="over tokens, axis by place"),
        pytest.param(lambda x: x.sum(dim=1, keepdim=True), "sum", id="over tokens, axis by name"),
        pytest.param(lambda x: x.sum(-1, True), "", id="over features, axis by place"),
        pytest.param(lambda x: x.sum(dim=-1, keepdim=True), "", id="over features, axis by name"),
    ],
)
def test_a_sum_over_tokens_is_named_and_one_over_features_is_not(
    summed: Callable[[Tensor], Tensor], found: str
) -> None:
    skipped = seen(Hybrid(between=Beside(summed))).skipped
    assert skipped.get("between", "").endswith(f"not understood: {found}" if found else "")
    assert bool(skipped) == bool(found)
