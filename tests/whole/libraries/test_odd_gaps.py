"""Attention that is cut, hidden, dropped or applied in ways of its own: shown as it was applied, or refused truly."""

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.gaps import Hop, Hybrid, Weigh, in_pieces, of, plain, scores, seen, threaded
from support.refused import Gives
from support.together import together
from vizapp import VizError
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture
from vizapp.core.capture.reading import surveyed
from vizapp.core.capture.refusals.reasons import IN_PART, NOT_UNDERSTOOD
from vizapp.core.methods import method_named
from vizapp.wording import Text

PIXELS = torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
STRANGE = torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(4), dtype=torch.float64)


def applied(weigh: Callable[[Tensor, Tensor], Tensor]) -> tuple[Weigh, list[Tensor]]:
    """A way to weigh values, and the maps that it applied, which the network itself notes down."""
    maps: list[Tensor] = []

    def with_note(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        map_ = weigh(q, k)
        result = map_ @ v
        maps.append(map_.detach().clone())
        return result

    return with_note, maps


def written_before(q: Tensor, k: Tensor) -> Tensor:
    made = scores(q, k)
    made.data[..., 3:6, ::3] = -1e9
    return made.softmax(-1)


def written_after(q: Tensor, k: Tensor) -> Tensor:
    made = scores(q, k).softmax(-1)
    made.data[..., 3:6, ::3] = 0
    return made


def written_by_numpy(q: Tensor, k: Tensor) -> Tensor:
    made = scores(q, k).softmax(-1)
    made.detach().numpy()[..., 3:6, ::3] = 0
    return made


def unseen_kernel(q: Tensor, k: Tensor) -> Tensor:
    """What writes without being counted, and without a way to the memory that was asked for: the rows themselves must tell."""
    made = scores(q, k).softmax(-1)
    with torch._C.DisableTorchFunction():
        made.data[..., ::3] = 0
    return made


APPLIED: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "scores written to by .data": written_before,
    "map written to by .data": written_after,
    "map written to by NumPy": written_by_numpy,
    "map written to by a kernel": unseen_kernel,
}


@pytest.mark.parametrize("how", APPLIED)
def test_the_map_is_the_one_that_was_applied(how: str) -> None:
    weigh, maps = applied(APPLIED[how])
    model = of(Hybrid(weigh))
    trace = vizapp.analyse(model, PIXELS).trace
    torch.testing.assert_close(trace.layers[1].map(), maps[0][0])
    assert [layer.name for layer in trace.layers] == ["blocks.0", "blocks.1", "blocks.2"]
    assert trace.no_chain == ""
    assert method_named("rollout")(trace).scores.any()
    found = check(model, PIXELS)
    assert (found.problems, found.elsewhere) == ((), ())


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged], ids=["strided", "jagged"])
@pytest.mark.parametrize("weigh", [F.scaled_dot_product_attention, plain], ids=["fused", "spelt out"])
def test_nested_tensors_are_refused_as_what_they_are(layout: torch.layout, weigh: Weigh) -> None:
    """Neither an error without words nor the name of one of PyTorch's own functions, with advice on the size of pictures."""

    def attend(*parts: Tensor) -> Tensor:
        rows = [part.transpose(1, 2).contiguous() for part in parts]  # (picture, token, head, feature)
        nested = [torch.nested.nested_tensor(list(one.unbind(0)), layout=layout) for one in rows]
        found = weigh(*(one.transpose(1, 2).contiguous() for one in nested))
        return found.transpose(1, 2).to_padded_tensor(0.0).transpose(1, 2)

    with pytest.raises(VizError, match=r"blocks\.1 computes with nested tensors.*Give it ordinary tensors"):
        seen(Hybrid(attend))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_no_fault(dtype: torch.dtype) -> None:
    """Scores are rounded before the softmax: q and k in float32 would be off by more than the map that was applied."""
    net = Hybrid(lambda q, k, v: (6 * q @ k.transpose(-2, -1)).softmax(-1) @ v)
    model = vizapp.describe(net.to(dtype).eval(), preprocess=vizapp.Preprocess((32, 32)))
    found = check(model, PIXELS)
    assert found.holds, found.problems
    assert found.worst < 5e-3


class Talking(nn.Module):
    """Heads that are mixed by learned weights: the map goes on, in each way to write that."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how, self.mix = how, nn.Parameter(torch.tensor([[0.7, 0.3], [-0.2, 1.2]], dtype=torch.float64))

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        map_ = scores(q, k).softmax(-1)
        if self.how == "einsum":
            return torch.einsum("bhqk,hg->bgqk", map_, self.mix) @ v
        turned = map_.permute(0, 2, 3, 1)
        mixed = turned @ self.mix if self.how == "matmul" else F.linear(turned, self.mix.T)
        return mixed.permute(0, 3, 1, 2) @ v


class ByLearned(Hybrid):
    def __init__(self, how: str) -> None:
        super().__init__()
        self.blocks[1].weigh = Talking(how)


@pytest.mark.parametrize("how", ["einsum", "linear", "matmul"])
def test_heads_that_are_mixed_are_still_a_map(how: str) -> None:
    net = ByLearned(how)
    trace, before = seen(net), seen(Hybrid()).layers[1].map()
    assert len(trace.layers) == 3
    expected = torch.einsum("hqk,hg->gqk", before, net.blocks[1].weigh.mix.detach())
    torch.testing.assert_close(trace.layers[1].map(), expected)


def test_methods_follow_heads_that_are_mixed() -> None:
    """Through each spelling as through the one of plain matrices."""
    found = [vizapp.analyse(of(ByLearned(how)), PIXELS) for how in ("matmul", "einsum", "linear")]
    for method, target in (("rollout", None), ("chefer", 0), ("gradient_rollout", 0)):
        plain, *others = (torch.as_tensor(vizapp.explain(seen, method, target=target).scores) for seen in found)
        assert plain.std() > 0
        for other in others:
            torch.testing.assert_close(other, plain)


@pytest.mark.parametrize("strided", [False, True], ids=["halves", "strided"])
@pytest.mark.parametrize("of_keys", [False, True], ids=["queries", "keys"])
def test_attention_in_pieces_is_refused(of_keys: bool, strided: bool) -> None:
    with pytest.raises(VizError, match="the order of its tokens"):
        seen(Hybrid(in_pieces(of_keys, strided), n=1, at=0))
    trace = seen(Hybrid(in_pieces(of_keys, strided)))
    assert [layer.name for layer in trace.layers] == ["blocks.0", "blocks.2"]
    assert list(trace.skipped) == ["blocks.1", "blocks.1#1"]
    assert "the order of its tokens" in trace.no_chain


def halves(other: Weigh) -> Weigh:
    """The first head attends plainly, the second otherwise."""
    return lambda q, k, v: torch.cat([plain(q[:, :1], k[:, :1], v[:, :1]), other(q[:, 1:], k[:, 1:], v[:, 1:])], 1)


def rest_of_queries(first: Weigh, others: Weigh, n: int) -> Weigh:
    return lambda q, k, v: torch.cat([first(q[:, :, :n], k, v), others(q[:, :, n:], k, v)], 2)


def with_sink(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A column that takes its share in the softmax and is cut off again (gpt-oss)."""
    return F.pad(scores(q, k), (0, 1)).softmax(-1)[..., :-1] @ v


def over_queries(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Each key is shared out among the queries, as in slot attention."""
    return scores(q, k).softmax(-2) @ v


def traced() -> Weigh:
    """Attention that runs below Python."""
    parts = tuple(torch.randn(3, 1, 1, 17, 8, dtype=torch.float64))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, and met in the wild
        hidden = torch.jit.trace(F.scaled_dot_product_attention, parts, check_trace=False)
    return lambda q, k, v: hidden(q, k, v)


PARTS: dict[str, Callable[[], Weigh]] = {
    "a head": lambda: halves(sigmoid),
    "a head, below Python": lambda: halves(traced()),
    "all but CLS": lambda: rest_of_queries(sigmoid, plain, 1),
}
WHOLE: dict[str, Callable[[], Weigh]] = {
    "below Python": traced,
    "a sink": lambda: with_sink,
    "over queries": lambda: over_queries,
}


def test_what_is_captured_in_part_or_not_at_all_is_named() -> None:
    """In `skipped`, where the maps are, with the reason: not only by `check`, and not only as the reason of a missing chain."""
    slips = []
    for how, make in (PARTS | WHOLE).items():
        model = of(Hybrid(make(), n=2))
        trace, found = capture(model, PIXELS), check(model, PIXELS)
        shown = [layer.name for layer in (*trace.layers, *trace.cross)]
        said = trace.skipped.get("blocks.1", Text(""))
        if said.key != (IN_PART if how in PARTS else NOT_UNDERSTOOD).key:
            slips.append((how, dict(trace.skipped)))
        if ("blocks.1" in shown) != (how in PARTS) or not trace.no_chain:
            slips.append((how, shown))
        if not set(found.elsewhere) <= trace.skipped.keys() or found.verdict == "exact":
            slips.append((how, found.elsewhere, found.verdict))
    assert slips == []


def test_a_last_layer_that_was_lost_breaks_the_chain() -> None:
    trace = seen(Hop())
    assert list(trace.skipped) == ["blocks.2"]
    with pytest.raises(VizError, match=r"blocks\.2 attends, too.*could not be followed"):
        method_named("rollout")(trace)


@pytest.mark.parametrize("at", [1, 2])
def test_a_layer_in_another_thread_breaks_the_chain(at: int) -> None:
    net = threaded(at)
    with pytest.raises(VizError, match=r"rollout means nothing here: blocks\."):
        method_named("rollout")(seen(net))
    assert f"blocks.{at}.block" in check(of(net), PIXELS).elsewhere


def test_a_thread_of_somebody_else_is_no_gap() -> None:
    """The same network, looked at by another visitor meanwhile."""
    net = Hybrid()

    class Meanwhile(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, pixels: Tensor) -> Tensor:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(net, STRANGE).result()
            return self.net(pixels)

    assert seen(Meanwhile()).no_chain == ""


def sigmoid(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = scores(q, k).sigmoid()
    return weights / weights.sum(-1, keepdim=True) @ v


def test_behind_the_last_layer_the_readout_is_not_measured() -> None:
    """All tokens of the last map that is shown are read: by the attention behind it, of which CLS is the one that counts."""
    model = of(Hybrid(sigmoid, at=2))
    found = vizapp.analyse(model, PIXELS)
    assert found.trace.readout == "cls"
    assert any("Assumed" in note and "cls" in note for note in found.notes)
    between = vizapp.analyse(of(Hybrid(sigmoid, at=1)), PIXELS)
    assert between.trace.readout == "cls"
    assert not any("Assumed: the readout" in note for note in between.notes)
    assert check(model, PIXELS).elsewhere == ("blocks.2",)
    assert surveyed(model, PIXELS).behind == 2


class Early(Hybrid):
    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
        for block in self.blocks if pixels.mean() > 0.5 else self.blocks[:2]:
            x = block(x)
        return x[:, 0]


def test_a_path_that_the_picture_decides_is_told() -> None:
    """What runs for some pictures only is no layer, and nothing is rolled out past it; in each order of pictures."""
    short, long = PIXELS, PIXELS + 1
    for pictures in ((short, long), (long, short)):
        model = of(Early())
        for picture in pictures:
            trace = vizapp.analyse(model, picture).trace
            assert [layer.name for layer in trace.layers] == ["blocks.0", "blocks.1"]
            if picture is long:
                assert list(trace.skipped) == ["blocks.2"]
                with pytest.raises(VizError, match=r"blocks\.2 attends, too.*changes with the picture"):
                    method_named("rollout")(trace)


def test_what_was_compiled_is_named() -> None:
    """Or seen: PyTorch 2.6 runs it as it was written while it is watched."""

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return scores(q, k).softmax(-1) @ v

    compiled = torch.compile(attend, backend="eager")
    net, plain_net = (Hybrid(one, n=1, at=0) for one in (compiled, attend))
    plain_net.load_state_dict(net.state_dict())
    if torch.__version__.startswith("2.6."):
        found, expected = (vizapp.analyse(of(one), PIXELS).trace.layers[0].map() for one in (net, plain_net))
        assert torch.equal(found, expected)
        return
    with pytest.raises(VizError, match=r"runs something compiled"):
        vizapp.analyse(of(net), PIXELS)


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        ctx.save_for_backward(q, k, v)
        return plain(q, k, v)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, ...]:
        with torch.enable_grad():
            parts = [one.detach().requires_grad_() for one in ctx.saved_tensors]
            return torch.autograd.grad(plain(*parts), parts, gradient)


@pytest.mark.parametrize("method", ["attn_lrp", "libra_grad"])
def test_rules_that_cannot_reach_into_a_backward_of_its_own_are_refused(method: str) -> None:
    own = vizapp.analyse(of(Hybrid(Own.apply)), PIXELS)
    with pytest.raises(VizError, match=r"computes with Own, a torch\.autograd\.Function"):
        vizapp.explain(own, method, target=1)
    expected = vizapp.explain(vizapp.analyse(of(Hybrid()), PIXELS), "chefer", target=1)
    np.testing.assert_allclose(vizapp.explain(own, "chefer", target=1).scores, expected.scores, atol=1e-12)


FOUND: dict[str, Callable[[Tensor], Any]] = {
    "a string first": lambda y: {"name": "vit", "logits": y},
    "a number first": lambda y: {"n": 3, "logits": y},
    "a loss first": lambda y: (y.sum(), y),
    "nested": lambda y: ({"a": [None, (y,)]},),
    "an object": lambda y: SimpleNamespace(n=3, logits=y),
}


@together("how", FOUND)
def test_an_output_is_found_in_what_is_returned(how: str) -> None:
    assert vizapp.analyse(of(Gives(FOUND[how])), PIXELS).trace.outputs == (16,)


@together(
    ("target", "what"),
    [
        (lambda output: output[0, 99], r"fails on the network's output, 1 x 16 of float64: index 99"),
        (lambda output: output["x"], r"fails on the network's output"),
        (lambda output: output[0] @ output, r"fails on the network's output"),
        (lambda output: None, r"gives NoneType, and no number"),
        (lambda output: "cat", r"gives str, and no number"),
    ],
)
@together(("method", "settings"), [("chefer", {}), ("rise", {"masks": 2})])
def test_what_a_target_does_wrong_is_said_of_the_target(
    target: Callable[[Any], Any], what: str, method: str, settings: dict[str, int]
) -> None:
    found = vizapp.analyse(of(Hybrid()), PIXELS)
    with pytest.raises(VizError, match=what):
        vizapp.explain(found, method, target=target, **settings)


def test_pixels_made_in_inference_mode_are_explained() -> None:
    with torch.inference_mode():
        pixels = PIXELS * 1.0
    model = of(Hybrid())
    for found in (vizapp.analyse(model, pixels), *vizapp.analyse_many(model, pixels)):
        for method in ("chefer", "attn_lrp", "legrad"):
            expected = vizapp.explain(vizapp.analyse(model, PIXELS), method, target=1).scores
            np.testing.assert_array_equal(vizapp.explain(found, method, target=1).scores, expected)
