"""A row of a map is the token that the output is added to: where it is not, the map is refused or a note says it.

The truth is asked of the network by gradients, with its queries and keys held still: how much of each patch's value is in what
each token of the stream got. Nothing of the capture takes part in it.
"""

import pytest
import torch
from torch import Tensor, nn

from support.landings import Block, Case, Of, network, same
from support.odd import PATCH, SIDE, WIDTH, Net, built, picture, seen
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess


def by_brightness(h: Tensor, d: Tensor) -> Tensor:
    return h + torch.where(h[:, 1:].abs().mean() < 5, d, d.flip(1))


def test_another_choice_of_another_picture_is_not_read_by_the_survey_of_the_first() -> None:
    found = {}
    for spelling in ("matmul", "sdpa"):
        net = network(Case(join=by_brightness), spelling)
        model, one = describe(net, preprocess=Preprocess((SIDE, SIDE))), picture(SIDE)
        assert not capture(model, one).notes
        found[spelling] = "shown"
        try:
            capture(model, one + 50)
        except VizError as error:
            found[spelling] = str(error)
    assert all("the order of its tokens" in what for what in found.values()), found


class Again(nn.Module):
    """Two layers, of which the first one's output is added once more behind the second, in another order or in its own."""

    def __init__(self, move: Of) -> None:
        super().__init__()
        self.move, self.embed = move, nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.one, self.two = (Block(Case(join=lambda h, d: d, cls=False), "matmul") for _ in range(2))
        self.head = nn.Linear(WIDTH, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.embed(pixels).flatten(2).transpose(1, 2)
        given = self.one(x)
        x = x + given
        x = x + self.two(x) + self.move(given)
        return self.head(x.mean(1))


def test_what_is_added_again_behind_the_next_layer_is_the_first_one_s() -> None:
    def found(move: Of) -> tuple[list[str], tuple[str, ...]]:
        trace = capture(describe(built(Again, move=move), preprocess=Preprocess((SIDE, SIDE))), picture(SIDE))
        return [layer.name for layer in trace.layers], trace.notes

    assert found(same) == (["one", "two"], ())
    assert found(lambda given: given.flip(1)) == (["two"], ())


class InHalf(Net):
    """Works in bfloat16 by itself."""

    def forward(self, pixels: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return super().forward(pixels).float()


@pytest.mark.parametrize("kind", [InHalf, Net])
def test_rounding_in_autocast_mixes_no_rows(kind: type[Net]) -> None:
    """The tangents were computed in bfloat16 as well, and every such network was said to mix its output over tokens."""
    net = built(kind)
    with torch.autocast("cpu", torch.bfloat16, enabled=kind is Net):
        analysis = seen(net)
    assert analysis.ledger.whole
    assert not any("mixed over several tokens" in str(note) for note in analysis.notes)
