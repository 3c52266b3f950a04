"""A reason is the reason: what a refusal names is what is wrong, and what it advises works."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.networks import Encoder
from vizapp.browser.supported_networks import described
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


class Frozen(nn.Module):
    """The bundled network under no_grad: here it is the network that lets nothing through."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = vizapp.load("toy", "cpu").net

    @torch.no_grad()
    def forward(self, pixels: Tensor) -> Tensor:
        return self.inner(pixels)


def said(call: Callable[..., object], *given: object, **named: object) -> str:
    """What a refusal says; "" where there is none."""
    try:
        call(*given, **named)
    except VizError as error:
        return str(error)
    return ""


SLOPES = ("chefer", "legrad", "grad_cam", "attn_lrp", "input_gradient")  # each makes the score's graph in its own way


def test_a_target_that_detaches_is_told_from_a_network_that_does() -> None:
    pixels = torch.randn(1, 3, 112, 112, generator=torch.Generator().manual_seed(0))
    seen = vizapp.analyse(vizapp.load("toy", "cpu"), pixels)

    def loose(output: Tensor) -> Tensor:
        return output.detach()[0, 1]

    found = {
        f"{method}, {name}": said(vizapp.explain, seen, method, target=target)
        for method in SLOPES
        for name, target in {"detach": loose, "item": lambda output: output[0, 1].item()}.items()
    }
    slips = [f"{name}: {words}" for name, words in found.items() if not words.startswith("The target (")]
    assert slips == []
    frozen = vizapp.analyse(Frozen().eval(), pixels)
    assert "lets no gradient through" in said(vizapp.explain, frozen, "chefer", target=lambda out: out[0, 1])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64], ids=str)
def test_the_advice_for_whole_numbers_works_for_their_axes(dtype: torch.dtype) -> None:
    """What stands in the message is run as it stands there."""
    model = vizapp.load("toy", "cpu")
    for shape in ((96, 112, 3), (3, 96, 112), (1, 96, 112, 3), (2, 3, 96, 112), (96, 112, 1)):
        tensor = torch.randint(0, 256, shape, generator=torch.Generator().manual_seed(0)).to(dtype)
        (code,) = re.findall(r"tensor\S*\.numpy\(\)", said(vizapp.analyse, model, tensor))
        seen = vizapp.analyse(model, eval(code, {"tensor": tensor, "torch": torch}))
        assert seen.picture.shape == (96, 112, 3), (shape, code)


def test_every_ending_that_can_be_saved_is_listed(tmp_path: Path) -> None:
    seen = vizapp.analyse(vizapp.load("toy", "cpu"), torch.zeros(1, 3, 112, 112))
    found = vizapp.explain(seen, "rollout")
    listed = re.findall(r"\.[a-z]+", said(vizapp.save, seen, found, tmp_path / "map.xyz").partition("one of:")[2])
    assert {".png", ".pdf", ".npz"} <= set(listed)
    for ending in listed:
        vizapp.save(seen, found, tmp_path / f"map{ending}")
        assert (tmp_path / f"map{ending}").stat().st_size > 100


NOT_PLAIN = {
    "mobilevit_xxs": "batch norm",
    "xcit_nano_12_p8_224": "batch norm",
    "cait_xxs24_224": "talking heads",
    "swin_tiny_patch4_window7_224": "windows",
}


def test_why_a_network_is_not_run_in_a_browser() -> None:
    for name, reason in NOT_PLAIN.items():
        model = vizapp.load(f"timm:{name}?pretrained=no", "cpu")
        assert reason in said(described, model), name
    half = vizapp.load("timm:deit_tiny_patch16_224?pretrained=no", "cpu")
    half.net.half()
    assert "not float32" in said(described, half), "where it is the reason, it is said"


def of_32(net: nn.Module) -> VisionModel:
    return vizapp.describe(net, preprocess=vizapp.Preprocess((32, 32)))


@pytest.mark.filterwarnings("ignore")  # of torch.export itself
def test_an_exported_program_is_not_told_to_call_what_it_lacks() -> None:
    """It has no eval(), so a network that holds one has none either."""
    program = torch.export.export(nn.Linear(16, 16).eval(), (torch.randn(1, 16, 16),))
    with pytest.raises(NotImplementedError):
        program.module().eval()
    holds = Encoder(True).eval()
    holds.rest = program.module()
    for net in (program, program.module(), torch.export.unflatten(program).eval(), holds):
        for ask in (vizapp.describe, vizapp.analyse, vizapp.check):
            words = said(ask, net)
            assert (
                "is an exported program (torch.export), which hides its modules. Give the network that it was" in words
            )
    assert "in training mode" in said(vizapp.describe, Encoder(True)), "what can be set is still told to be set"


@pytest.mark.parametrize("where", ["encoder.layers.1.linear1", "patches", ""])
def test_a_weight_without_values_is_named(where: str) -> None:
    """Of a network that is there in part, PyTorch says nothing that tells; a size of the picture would not help."""
    net = Encoder(True).eval()
    net.get_submodule(where).to("meta")
    name = {"": "patches"}.get(where, where) + ".weight"
    for ask in (vizapp.analyse, vizapp.check):
        words = said(ask, of_32(net), torch.zeros(1, 3, 32, 32))
        assert words.startswith(f"{name} of Encoder is on the device 'meta', where it has no values. Load them:"), words


def test_what_is_no_weight_without_values_keeps_its_reason() -> None:
    net = Encoder(True).eval()
    assert "failed on a picture of 1 x 4 x 32 x 32" in said(vizapp.analyse, of_32(net), torch.zeros(1, 4, 32, 32))
    net.register_buffer("table", torch.empty(2, device="meta"))
    assert said(vizapp.analyse, of_32(net), torch.zeros(1, 3, 32, 32)).startswith(
        "table of Encoder is on the device 'meta'"
    )
