"""Networks of timm by their names: described, and with random weights."""

from pathlib import Path

import pytest
import timm
import torch
from safetensors.torch import save_file
from timm.data import resolve_model_data_config

from vizapp import model


def test_random_weights_are_those_of_the_name() -> None:
    """Another network at each start, whose maps nobody could compare; and nobody else's chance is touched by it."""

    def first(name: str) -> torch.Tensor:
        return torch.cat([one.flatten() for one in model.load(name, "cpu").net.parameters()])

    torch.manual_seed(5)
    one = first("timm:test_vit?pretrained=no")
    drawn = torch.rand(3)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(3)), "as if nothing had been loaded"
    torch.manual_seed(6)
    assert torch.equal(one, first("timm:test_vit?pretrained=no"))
    assert not torch.equal(one[:1000], first("timm:test_vit2?pretrained=no")[:1000])
    tower = "torchvision:swin_t?pretrained=no"
    assert torch.equal(first(tower), first(tower))


@pytest.mark.parametrize("name", ["swin_s3_tiny_224", "levit_128s", "crossvit_9_240"])
def test_a_classifier_by_another_name_is_found(tmp_path: Path, name: str) -> None:
    """Swin's is called head.fc, LeViT's head.linear, CrossViT's head.0."""
    net = timm.create_model(name, num_classes=7).eval()
    save_file({key: value.clone() for key, value in net.state_dict().items()}, tmp_path / "own.safetensors")
    loaded = model.load(f"file:{tmp_path / 'own.safetensors'}?arch={name}", "cpu")
    pixels = torch.randn(1, 3, *loaded.preprocess.size)
    with torch.no_grad():
        assert torch.equal(loaded.net(pixels), net(pixels))
    assert len(loaded.labels) == 7


@pytest.mark.parametrize(
    ("name", "readout", "prefix"),
    [
        ("swin_tiny_patch4_window7_224", "mean", ()),
        ("beit_base_patch16_224", "mean", ("cls",)),
        ("deit3_small_patch16_224", "cls", ("cls",)),
        ("maxvit_nano_rw_256", "mean", ()),
    ],
)
def test_any_network_of_timm_is_described(name: str, readout: str, prefix: tuple[str, ...]) -> None:
    """Other architectures than the plain ViT: what they say themselves; grids and windows are found by the capture."""
    found = model.load(f"timm:{name}?pretrained=no", "cpu")
    assert (found.readout, found.prefix) == (readout, prefix)
    assert found.labels[0] == "tench"
    assert (found.patch is None) == (not name.startswith("deit3"))
    assert found.preprocess.size == resolve_model_data_config(found.net)["input_size"][1:]
