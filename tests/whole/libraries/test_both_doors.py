"""An analysis and the self-test say the same of a network that is refused: no self-test holds where there are no maps."""

import pytest
from torch import Tensor

import vizapp
from support.networks import pixels_for
from support.refused import REFUSED
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


def self_test(model: VisionModel, pixels: Tensor) -> vizapp.Check | str:
    """The self-test, or why there is none."""
    try:
        return vizapp.check(model, pixels)
    except VizError as error:
        return str(error)


@pytest.mark.parametrize("name", REFUSED)
def test_both_doors_say_why(name: str) -> None:
    make, words = REFUSED[name]
    model = make()
    pixels = pixels_for(model)
    with pytest.raises(VizError, match=words) as refused:
        vizapp.analyse(model, pixels)
    found = self_test(model, pixels)
    if isinstance(found, str):
        assert found == str(refused.value)
        return
    assert not found.holds
    assert str(refused.value) in found.problems
    assert str(found.refusal(model.name)) == str(refused.value), "on the page and in a terminal, too"
