"""What attends between the layers of a trace and is none of them: understood, or no chain and no "exact", in words."""

import warnings
from collections.abc import Callable

import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.gaps import (
    OTHERS,
    UNDERSTOOD,
    BesideWords,
    Block,
    Gate,
    Hop,
    Hybrid,
    KeepAttended,
    Mixer,
    Sample,
    Weigh,
    in_pieces,
    of,
    plain,
    seen,
    threaded,
)
from support.grids import unknown
from support.networks import pixels_for, sharpen
from support.refused import REFUSED
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture
from vizapp.core.methods import method_named
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


@pytest.mark.parametrize("how", UNDERSTOOD)
def test_other_spellings_of_a_softmax_are_layers(how: str) -> None:
    trace, expected = seen(Hybrid(UNDERSTOOD[how])), seen(Hybrid())
    assert [layer.name for layer in trace.layers] == ["blocks.0", "blocks.1", "blocks.2"]
    assert trace.no_chain == ""
    torch.testing.assert_close(trace.layers[1].map(), expected.layers[1].map())
    model = of(Hybrid(UNDERSTOOD[how]))
    found = check(model, pixels_for(model))
    assert found.problems == ()
    assert (found.seen, found.softmaxes, found.elsewhere) == (3, 3, ())


@pytest.mark.parametrize("at", [0, 1, 2], ids=["before", "between", "after"])
@pytest.mark.parametrize("how", OTHERS)
def test_what_weighs_tokens_otherwise_breaks_the_chain(how: str, at: int) -> None:
    trace = seen(Hybrid(OTHERS[how], at=at))
    with pytest.raises(VizError, match=rf"blocks\.{at}\b"):
        method_named("rollout")(trace)
    assert f"blocks.{at}" in {name.partition("#")[0] for name in trace.skipped}
    assert method_named("attention")(trace).scores.any()


class MergeAlike(nn.Module):
    """ToMe: every second patch is merged into the one most like it, if it is one of the four pairs most alike."""

    def forward(self, x: Tensor) -> Tensor:
        cls, keys = x[:, :1], x[:, 1:] / x[:, 1:].norm(dim=-1, keepdim=True)
        best, which = (keys[:, ::2] @ keys[:, 1::2].transpose(-2, -1)).max(-1)
        order = best.argsort(-1, descending=True)[..., None]
        gone, stay = order[:, :4].expand(-1, -1, x.shape[-1]), order[:, 4:].expand(-1, -1, x.shape[-1])
        into = which[..., None].gather(1, order[:, :4]).expand(-1, -1, x.shape[-1])
        source, target = x[:, 1::2], x[:, 2::2]
        target = target.scatter_reduce(1, into, source.gather(1, gone), reduce="mean")
        return torch.cat([cls, source.gather(1, stay), target], 1)


@pytest.mark.parametrize("between", [KeepAttended, MergeAlike, Sample], ids=["EViT", "ToMe", "ATS"])
def test_tokens_that_are_dropped_or_merged_break_the_chain(between: type[nn.Module]) -> None:
    trace = seen(Hybrid(between=between()))
    assert [layer.name for layer in trace.layers] == ["blocks.0"]
    assert trace.skipped.keys() - {"between"} == {"blocks.1", "blocks.2"}
    with pytest.raises(VizError, match=r"blocks\.1|between"):
        method_named("rollout")(trace)


def test_layers_of_nextvit_that_are_not_kept_are_named() -> None:
    model = unknown(timm.create_model("nextvit_small", num_classes=1), (224, 224))
    trace = capture(model, pixels_for(model))
    assert len(trace.layers) == 1
    assert len(trace.skipped) == 3
    with pytest.raises(VizError, match=r"stages\.1\.blocks\.3\.e_mhsa attends, too.*no grid"):
        method_named("rollout")(trace)


@pytest.mark.parametrize("weigh", [plain, nn.functional.scaled_dot_product_attention], ids=["not counted", "counted"])
def test_traced_attention_between_layers_breaks_the_chain_and_is_named(weigh: Weigh) -> None:
    """A division by a number, once traced, does not even run while softmaxes are counted."""
    net = Hybrid().double()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, and met in the wild
        hidden = torch.jit.trace(Block(weigh).double(), torch.randn(1, 17, 16, dtype=torch.float64), check_trace=False)
    net.blocks[1] = hidden
    trace = seen(net)
    assert [layer.name for layer in trace.layers] == ["blocks.0"]
    assert list(trace.skipped) == ["blocks.1", "blocks.2"], "nobody knows what becomes of tokens in there"
    assert trace.no_chain.startswith("blocks.1 attends, too"), "the cause, not what was lost behind it"
    model = of(net)
    found = check(model, pixels_for(model))
    assert found.holds
    assert (found.seen, found.elsewhere) == (2, ("blocks.1",))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("coat_tiny", r"sums over patches.*linear attention"),
        ("mobilevitv2_050", r"sums over all patches first.*linear attention\), in stages\.2\.1\.transformer\.0\.attn"),
        ("efficientvit_b0", r"sums over all patches first.*linear attention\), in stages\.2"),
    ],
)
def test_linear_attention_is_refused_as_what_it_is(name: str, why: str) -> None:
    model = unknown(timm.create_model(name, num_classes=1), (224, 224))
    with pytest.raises(VizError, match=why) as refused:
        capture(model, pixels_for(model))
    assert "traced" not in str(refused.value)


def cait() -> nn.Module:
    return sharpen(timm.create_model("cait_xxs24_224", img_size=32, depth=2, num_classes=3))


NEGATIVE = "class attention (CaiT)"  # heads that are mixed have negative weights, of which no chain is made
# Networks, and how many of their attentions nothing shows: known by how each was made.
NETWORKS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    **{f"understood: {how}": (lambda how=how: Hybrid(UNDERSTOOD[how]), 0) for how in UNDERSTOOD},
    # In "features first" learned queries gather what patches hold, which is shown as what it is.
    **{f"other: {how}": (lambda how=how: Hybrid(OTHERS[how]), 1) for how in OTHERS if how != "features first"},
    "in pieces": (lambda: Hybrid(in_pieces(False, True)), 2),
    "lost on the way": (Hop, 1),
    "in a thread": (lambda: threaded(1), 1),
    "beside the picture": (BesideWords, 0),
    "gate": (lambda: Hybrid(between=Gate()), 0),
    "mixer": (lambda: Hybrid(between=Mixer()), 0),
    "drops tokens": (lambda: Hybrid(between=KeepAttended()), 2),
    "samples tokens": (lambda: Hybrid(between=Sample()), 2),
    NEGATIVE: (cait, 0),
}


def test_exact_stands_beside_nothing_that_is_partial() -> None:
    slips = []
    for name, (make, hidden) in NETWORKS.items():
        model = of(make())
        found = check(model, pixels_for(model).double())
        seen = vizapp.analyse(model, pixels_for(model)[0].double())
        lacks = len(seen.ledger.left_out)
        if not found.holds:
            slips.append(f"{name}: {found.verdict}")
        for where, said in (("check", found.verdict == "exact"), ("print", str(seen.ledger.line).startswith("All"))):
            if said != (hidden == 0):
                slips.append(f"{name}: {where} says {found.verdict if where == 'check' else seen.ledger.line}")
        if bool(seen.trace.no_chain) != bool(hidden) and name != NEGATIVE:
            slips.append(f"{name}: {seen.trace.no_chain or 'a whole chain'}")
        if lacks < hidden or (hidden == 0 and lacks):
            slips.append(
                f"{name}: {hidden} are not shown, the ledger names {[one.name for one in seen.ledger.left_out]}"
            )
        if bool(vizapp.explain(seen, "attention").notes) != bool(hidden):
            slips.append(f"{name}: the sentence beside its map")
    assert slips == []


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
