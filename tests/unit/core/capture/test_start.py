"""Rules end where the network does: a function of its output is differentiated as it is, whatever it is made of."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from bench.references.relevance import relevance_of_maps
from support.networks import pixels_for, small_vit
from support.slow_replicas import context, maps_and_gradients
from vizapp.core.attention.relevance import Relevance
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.target import Target
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess

METHODS = {
    "attn_lrp": {},
    "CP-LRP": {"through": "values"},
    "libra_grad": {},
    "partial_lrp": {},
}


@pytest.fixture(scope="module")
def seen() -> ExplainContext:
    torch.manual_seed(0)
    model = small_vit()
    model.net.double()
    return context(model, pixels_for(model))


def explained(seen: ExplainContext, name: str, target: Target) -> Relevance:
    return method_named("attn_lrp" if name == "CP-LRP" else name)(seen.of(target), **METHODS.get(name, {}))


def close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", METHODS)
def test_of_a_sigmoid_it_is_the_logits_times_its_slope(name: str, seen: ExplainContext) -> None:
    """By a rule it was times y / x, which is below zero where the logit is: the map upside down."""
    index = int(seen.trace.logits.argmin())
    logit = seen.model.net(seen.pixels.double())[0, index]  # that of the trace is rounded to float32
    assert logit < 0
    slope = logit.sigmoid() * (-logit).sigmoid()
    found = explained(seen, name, lambda output: output[0, index].sigmoid())
    # Partial LRP begins with 1, as in its paper, whatever the slope.
    close(found.scores, explained(seen, name, index).scores * (1 if name == "partial_lrp" else float(slope)))


@pytest.mark.parametrize("minus", [lambda output: -output[0, 2], lambda output: -1 * output[0, 2]], ids=["-", "-1 *"])
@pytest.mark.parametrize("name", METHODS)
def test_of_less_of_a_class_it_has_its_signs_turned(name: str, minus: Target, seen: ExplainContext) -> None:
    """-o was refused by partial LRP, and -1 * o had the map of o."""
    close(explained(seen, name, minus).scores, -explained(seen, name, 2).scores)


@pytest.mark.parametrize("name", ["attn_lrp", "CP-LRP", "libra_grad"])
def test_a_softmax_in_the_target_is_no_attention(name: str, seen: ExplainContext) -> None:
    """It was held constant, so that its part was lost without a word, or all of it refused as run under no_grad."""

    def target(output: Tensor) -> Tensor:
        return output[0, 2] + 100 * output.softmax(-1)[0, 2]

    logits = seen.model.net(seen.pixels.double())[0]
    p = logits.softmax(-1)
    slopes = -100 * p[2] * p
    slopes[2] += 1 + 100 * p[2]
    expected = sum(
        float(slope) * explained(seen, name, index).scores.astype(np.float64) for index, slope in enumerate(slopes)
    )
    found = explained(seen, name, target)
    np.testing.assert_allclose(found.scores, expected, rtol=0, atol=1e-6 * np.abs(expected).max())
    assert float(found.notes[0].values["logit"]) == pytest.approx(float((slopes * logits).sum()), rel=1e-2)
    assert "outputs times the target's slopes" in found.notes[0]


def test_partial_lrp_of_a_difference_is_the_difference(seen: ExplainContext) -> None:
    """Not the propagation of a sum of nothing, of which equation 9 leaves nothing."""
    one, other = (explained(seen, "partial_lrp", index).scores for index in (1, 3))
    found = explained(seen, "partial_lrp", lambda output: output[0, 1] - output[0, 3])
    # The paper's 1e-9 in divisors is not scaled with the half that each begins with.
    np.testing.assert_allclose(found.scores, (one - other) / 2, rtol=0, atol=1e-7 * np.abs(one).max())
    assert found.notes == ("Of the target's relevance 100.0% arrive at the first layer.",)


def test_transformer_attribution_of_a_difference(seen: ExplainContext) -> None:
    """Relevance to both logits, weighed by the gradient of the difference: with one minus the other, what speaks for the other's
    own class would count for the difference."""
    net, pixels = seen.model.net, seen.pixels
    gradients = [maps_and_gradients(net, pixels, index)[1] for index in (1, 3)]
    relevances = [[one.numpy() for one in relevance_of_maps(net, pixels, index)] for index in (1, 3)]
    joint = np.eye(seen.trace.layout.n_tokens)
    for for_one, for_other, of_one, of_other in zip(*gradients, *relevances, strict=True):
        weighed = (for_one - for_other) * (of_one + of_other) / 2
        joint = (np.eye(len(joint)) + np.maximum(weighed, 0).mean(0)) @ joint
    found = method_named("transformer_attribution")(seen.of(lambda output: output[0, 1] - output[0, 3]), "cls")
    np.testing.assert_allclose(found.scores.ravel(), joint[0, 1:], rtol=1e-5, atol=1e-7 * joint[0, 1:].max())


class Boxes(nn.Module):
    """Scores of three boxes, in a dict beside others that have no gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.net, self.scores = small_vit().net, nn.Linear(5, 12)

    def forward(self, pixels: Tensor) -> dict[str, Tensor]:
        return {"logits": self.scores(self.net(pixels)).unflatten(-1, (3, 4)), "mask": torch.ones(1, 3).bool()}


FUNCTIONS: dict[str, Callable[[dict[str, Tensor]], Tensor]] = {
    "a box is a cat": lambda output: output["logits"][0, 1].softmax(-1)[3],
    "written in place": lambda output: output["logits"].mul_(2)[0, 0, 0],
    "a cosine": lambda output: cosine_similarity(output["logits"][0, 1], output["logits"][0, 2], dim=0),
}


@pytest.mark.parametrize(
    ("name", "function"),
    [(name, FUNCTIONS["a box is a cat"]) for name in (*METHODS, "transformer_attribution", "legrad")]
    + [("chefer", function) for function in FUNCTIONS.values()],
)
def test_any_function_of_any_output(name: str, function: Target) -> None:
    """The first is that of docs/python.md for detection, which LibraGrad and CP-LRP refused; LeGrad asked for class 0."""
    torch.manual_seed(0)
    model = describe(Boxes().double().eval(), preprocess=Preprocess(size=(32, 32)))
    found = explained(context(model, pixels_for(model)), name, function)
    assert np.isfinite(found.scores).all()
    assert np.ptp(found.scores) > 0
