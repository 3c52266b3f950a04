"""Every road of vizapp on a device that is not the processor: the same numbers, and no mixing."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor, nn

import vizapp
from support import rehearsal
from support.networks import described_timm, small_vit, timm_model
from support.together import together
from vizapp.analysis import Analysis
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method_named, methods
from vizapp.model.spec import VisionModel
from vizapp.ui.app import build
from vizapp.ui.viewer.ask import door
from vizapp.ui.viewer.component import value_of
from vizapp.ui.viewer.payload import pack
from vizapp.ui.words import words_for

pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
pytest.importorskip("scipy", reason="scipy is an extra: pip install vizapp[methods]")

if rehearsal.set_up is None and not rehearsal.REAL:
    pytest.skip("this PyTorch lets no device be written in Python", allow_module_level=True)

DEVICE = "cuda" if rehearsal.REAL else rehearsal.NAME
SEVERAL = not rehearsal.REAL or torch.cuda.device_count() > 1
only_rehearsed = pytest.mark.skipif(rehearsal.REAL, reason="this machine has a GPU: nothing is rehearsed")
QUICK = {"rise": {"masks": 16}, "smooth_grad": {"samples": 4}, "integrated_gradients": {"steps": 4}}
PICTURE = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)


MODELS: dict[str, Callable[[], VisionModel]] = {
    "toy": lambda: vizapp.load("toy", "cpu"),
    "ViT": lambda: timm_model("vit_tiny_patch16_224", num_classes=5),
    "Swin": lambda: described_timm(
        "swin_tiny_patch4_window7_224", img_size=56, depths=(1, 2), num_heads=(2, 4), embed_dim=16
    ),
    "PVT, hierarchical": lambda: described_timm(
        "pvt_v2_b0", embed_dims=(8, 16, 16, 16), num_heads=(1, 2, 2, 2), depths=(1, 1, 1, 1)
    ),
    "registers": lambda: small_vit(reg_tokens=2),  # the smallest: for what is long
    "SigLIP, a pooling": lambda: timm_model("vit_base_patch16_siglip_224", num_classes=5),
}


@pytest.fixture(autouse=True)
def like_mps() -> Iterator[None]:
    """What goes on Apple's devices, goes on CUDA; where numbers are made in float64 if there is one, both are rehearsed."""
    with rehearsal.float64(False):
        yield


def moved(model: VisionModel, device: str = DEVICE) -> VisionModel:
    return replace(model, net=copy.deepcopy(model.net).to(device))


@cache
def here(name: str) -> Analysis:
    torch.manual_seed(0)
    return vizapp.analyse(MODELS[name](), PICTURE)


@cache
def there(name: str) -> Analysis:
    return vizapp.analyse(moved(here(name).context.model), PICTURE)


def close(found: np.ndarray, expected: np.ndarray, by: float = 1e-4) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=by * max(float(np.abs(expected).max()), 1e-12))


# --------------------------------------------------------------------------------------------- the rehearsal itself


REFUSED: dict[str, Callable[[Tensor, Tensor], object]] = {
    "a product of two devices": lambda a, b: a @ b,
    "a sum of two devices": lambda a, b: b + a,
    "a mask from elsewhere": lambda a, b: a.masked_fill(b > 0, 0.0),
    "an index from elsewhere": lambda a, b: b[a.argsort()],
    "values from elsewhere": lambda a, b: a.__setitem__(torch.tensor([0]), b[:1]),
    "a module that stayed behind": lambda a, b: nn.Linear(4, 4)(a),
    "numpy": lambda a, b: a.numpy(),
    "an array": lambda a, b: np.asarray(a),
    "two of its own": lambda a, b: a + a.to("pretend:1"),
}


@only_rehearsed
@together("what", REFUSED)
def test_it_refuses_what_a_gpu_refuses(what: str) -> None:
    with pytest.raises((RuntimeError, TypeError), match=r"device|mat1"):
        REFUSED[what](torch.randn(4, 4, device="pretend"), torch.randn(4, 4))


@only_rehearsed
def test_its_numbers_are_real() -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.LayerNorm(4))
    pixels = torch.randn(3, 4)
    expected = torch.autograd.grad(net(pixels)[0, 0], net[0].weight)[0]
    there = copy.deepcopy(net).to("pretend")
    found = torch.autograd.grad(there(pixels.to("pretend"))[0, 0], there[0].weight)[0]
    assert found.device == there[0].weight.device == torch.device("pretend", 0)
    torch.testing.assert_close(found.cpu(), expected)
    part = found[1]
    found.zero_()
    assert part.tolist() == [0.0] * 4, "a view is one"
    with pytest.raises(TypeError, match="doesn't support float64"):
        found.double()


# ------------------------------------------------------------------------------------------------------- the roads


@pytest.mark.parametrize("name", MODELS)
def test_capture(name: str) -> None:
    cpu, gpu = here(name), there(name)
    assert gpu.trace.device.type == DEVICE
    assert gpu.trace.readout == cpu.trace.readout
    for one, other in zip(gpu.trace.layers, cpu.trace.layers, strict=True):
        assert one.device.type == DEVICE
        assert one.layout == other.layout
        close(one.map().cpu().numpy(), other.map().numpy())
    assert [label for label, _ in gpu.top(2)] == [label for label, _ in cpu.top(2)]


@pytest.mark.parametrize("method", methods())
@pytest.mark.parametrize("name", ["registers", "Swin", "SigLIP, a pooling"])
def test_every_method(name: str, method: str) -> None:
    the_same_map(name, method)


@pytest.mark.parametrize("method", methods())
def test_every_method_where_there_is_float64(method: str) -> None:
    with rehearsal.float64(True):
        the_same_map("registers", method)


def the_same_map(name: str, method: str) -> None:
    cpu, gpu, settings = here(name), there(name), QUICK.get(method, {})
    if method_named(method).refusal(cpu.of_class()):
        assert method_named(method).refusal(gpu.of_class())
        return
    close(vizapp.explain(gpu, method, **settings).scores, vizapp.explain(cpu, method, **settings).scores, by=1e-3)


@pytest.mark.parametrize("name", MODELS)
def test_check(name: str) -> None:
    found, expected = vizapp.check(there(name).context.model), vizapp.check(here(name).context.model)
    assert found.holds, found.problems
    assert (found.seen, found.softmaxes, found.elsewhere) == (expected.seen, expected.softmaxes, expected.elsewhere)


@pytest.mark.parametrize("name", ["registers", "Swin"])
def test_compare_and_sanity(name: str) -> None:
    some = ["rollout", "chefer"] if name == "registers" else ["attention", "grad_cam"]
    found, expected = (vizapp.compare(seen, some, steps=3) for seen in (there(name), here(name)))
    for one, other in zip(found.rows(), expected.rows(), strict=True):
        assert one["deletion"] == pytest.approx(other["deletion"], abs=1e-4)
    close(found.agreement()[1], expected.agreement()[1], 1e-3)
    assert vizapp.sanity(there(name), some) is not None


@pytest.mark.parametrize("name", ["toy", "registers"])
def test_sinks(name: str) -> None:
    found, expected = vizapp.find_sinks(there(name)), vizapp.find_sinks(here(name))
    assert [(one.row, one.col) for one in found] == [(one.row, one.col) for one in expected]
    cpu, gpu = (vizapp.leave_out(seen, [(0, 1)]) for seen in (here(name), there(name)))
    close(vizapp.explain(gpu, "rollout").scores, vizapp.explain(cpu, "rollout").scores)


@pytest.mark.parametrize("name", MODELS)
def test_several_in_one_pass_and_an_edit(name: str) -> None:
    model, edits = there(name).context.model, ["head-off:0.0"]
    pictures = [PICTURE, PICTURE[::-1].copy()]
    for one, other in zip(
        vizapp.analyse_many(model, pictures, edits=edits),
        vizapp.analyse_many(here(name).context.model, pictures, edits=edits),
        strict=True,
    ):
        close(one.trace.logits.cpu().numpy(), other.trace.logits.numpy())
        close(one.trace.layers[-1].map().cpu().numpy(), other.trace.layers[-1].map().numpy())


# -------------------------------------------------------------------------------------------------------- the page


@pytest.mark.parametrize("name", MODELS)
def test_what_the_browser_gets_is_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for largest in (64_000_000, 10):
        monkeypatch.setattr("vizapp.ui.viewer.attention_blocks.LARGEST_LAYER", largest)
        assert abs(len(pack(there(name))) - len(pack(here(name)))) < 200


@pytest.mark.parametrize("name", MODELS)
def test_what_the_browser_asks_is_answered(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vizapp.ui.viewer.attention_blocks.LARGEST_LAYER", 10)
    words = words_for("en")
    answers = []
    for seen in (here(name), there(name)):

        def look(seen: Analysis = seen) -> Analysis:
            return seen

        run = value_of(seen, seen.context.model, look, (), words)["run"]
        ask = door(words)
        answers.append(
            [ask(["maps", run, ["from", [[0, 3], [-1, 4]]]]), ask(["proof", run, None]), ask(["sinks", run, None])]
        )
    for one, other in zip(*answers, strict=True):
        assert one
        assert one.keys() == other.keys()


def test_the_page_computes_there(tmp_path: Path) -> None:
    """The functions that Gradio calls, called: a look, a comparison, and what a map is when the network forgets."""
    path = tmp_path / "picture.png"
    Image.fromarray(PICTURE).save(path)
    events = {one.api_name: one for one in build("toy", device=DEVICE).fns.values() if one.fn is not None}
    visitor, bar = SimpleNamespace(session_hash="me"), lambda *share, **words: None
    shown = events["look"].fn(str(path), "toy", "as_trained", visitor, bar)
    assert shown[0]["bytes"] > 10_000
    values = [one.value for one in events["run"].inputs[9:]]
    found = events["run"].fn(None, None, "mean", None, None, 800, ["chefer"], ["rollout"], [], visitor, bar, *values)
    by_id = {one.elem_id: value for one, value in found.items()}
    (told,) = re.findall(r'data-comparison="([^"]*)"', by_id["methods-maps"])
    assert len(json.loads(unescape(told))["methods"]) >= 4, "two methods, and the two baselines"
    request, asked = found[events["run"].outputs[-2]], found[events["run"].outputs[-1]]
    (forgotten,) = events["run_sanity"].fn(request, asked, visitor, bar).values()
    assert "Chefer" in forgotten


@only_rehearsed
def test_a_device_is_taken_by_its_name() -> None:
    assert vizapp.load("toy", "pretend").device == "pretend:0"
    with pytest.raises(vizapp.VizError, match="'pretend:7' is not on this machine"):
        vizapp.load("toy", "pretend:7")


# ------------------------------------------------------------------------------------- networks on several devices


def spread(model: VisionModel, devices: tuple[str, str]) -> VisionModel:
    """Its first children on one device and the rest on another, with hooks that bring along what they are given."""
    net = copy.deepcopy(model.net).to(devices[1])

    def bring(module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
        device = next(module.parameters()).device
        return tuple(one.to(device) if isinstance(one, Tensor) else one for one in args)

    stages = getattr(net, "layers", getattr(net, "stages", ()))
    blocks = [*net.blocks] if hasattr(net, "blocks") else [part for stage in stages for part in stage.blocks]
    for name, parameter in list(net.named_parameters()):
        if "." not in name:  # of the network itself: CLS, positions
            setattr(net, name, nn.Parameter(parameter.detach().to(devices[0]), requires_grad=False))
    for part in (net.patch_embed, *blocks[: len(blocks) // 2]):
        part.to(devices[0])
    for part in net.modules():
        if next(part.parameters(recurse=False), None) is not None and part is not net:
            part.register_forward_pre_hook(bring)
    for part in blocks:
        part.register_forward_pre_hook(bring)
    return replace(model, net=net)


@pytest.mark.parametrize(
    ("name", "devices"),
    [
        ("Swin", (f"{DEVICE}:0", f"{DEVICE}:1")),
        ("PVT, hierarchical", (f"{DEVICE}:0", f"{DEVICE}:1")),
        ("registers", (f"{DEVICE}:0", "cpu")),
        ("Swin", ("cpu", f"{DEVICE}:0")),
    ],
)
def test_a_network_on_several_devices(name: str, devices: tuple[str, str]) -> None:
    if not SEVERAL and "cpu" not in devices:
        pytest.skip("this machine has one GPU")
    model = spread(here(name).context.model, devices)
    seen = vizapp.analyse(model, PICTURE)
    assert {str(one.device) for one in model.net.parameters()} == set(devices)
    close(seen.trace.logits.cpu().numpy(), here(name).trace.logits.numpy())
    found = vizapp.check(model)
    assert found.holds, found.problems
    for method in methods():
        cpu, settings = here(name), QUICK.get(method, {})
        if method_named(method).refusal(cpu.of_class()):
            continue
        if not rehearsal.REAL and "cpu" not in devices and method_named(method).class_specific:
            continue  # see rehearsal.py: the second one has no gradients
        close(vizapp.explain(seen, method, **settings).scores, vizapp.explain(cpu, method, **settings).scores, by=1e-3)
    assert len(pack(seen)) > 1000
    if name == "registers":
        assert vizapp.sanity(seen, ["grad_cam"]) is not None


def test_a_method_of_ones_own_may_return_anything() -> None:
    """A mask of yes and no, too: it becomes numbers where there is float64."""

    def shares(trace: AttentionTrace, query: Tensor) -> Tensor:
        return trace.layers[-1].map().mean((0, 1))[trace.layout.n_prefix :].unflatten(0, trace.layout.grid)

    def mask(trace: AttentionTrace, query: Tensor) -> Tensor:
        return shares(trace, query) > 0.03

    for function in (shares, mask):
        cpu, gpu = (vizapp.explain(seen, function).scores for seen in (here("ViT"), there("ViT")))
        close(gpu, cpu)
