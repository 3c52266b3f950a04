"""Where models come from: their names, their facts, and a sentence for each way that it can go wrong. No network is used."""

import json
import pickle
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
import timm
import torch
from safetensors.torch import load_file, save_file
from timm.data import resolve_model_data_config

from support.checkpoints import save_vit
from support.together import together
from vizapp import model
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import ModelName, parse_size, sources

RANDOM = "The weights are random: nothing was learned, so these maps mean nothing."


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hugging Face's hub is offline and its cache is empty, whatever the machine has."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


def described(name: str) -> VisionModel:
    """The facts of a timm model, without a single weight: built on PyTorch's meta device."""
    with torch.device("meta"):
        return sources()["timm"].load(ModelName.parse(f"timm:{name}?pretrained=no"))


@together(
    ("text", "expected"),
    [
        ("toy", ("bundled", "toy", {})),
        ("timm:vit_tiny_patch16_224", ("timm", "vit_tiny_patch16_224", {})),
        ("timm:x.y?pretrained=no&size=96", ("timm", "x.y", {"pretrained": "no", "size": "96"})),
        ("hf-hub:timm/x", ("hf-hub", "timm/x", {})),
        ("my.safetensors?arch=x", ("file", "my.safetensors", {"arch": "x"})),
        ("file:C:/a b.safetensors", ("file", "C:/a b.safetensors", {})),
        ("C:\\models\\a.safetensors", ("file", "C:\\models\\a.safetensors", {})),
        (" toy ", ("bundled", "toy", {})),
    ],
)
def test_names_are_read(text: str, expected: tuple) -> None:
    asked = ModelName.parse(text)
    assert (asked.source, asked.name, asked.options) == expected


def test_sizes_are_read() -> None:
    assert parse_size("") is None
    assert parse_size("384") == (384, 384)
    assert parse_size("224x448") == (224, 448)
    for wrong in ("0", "-3", "big", "1x2x3", "99999", "3.5"):
        with pytest.raises(VizError, match="no input size"):
            parse_size(wrong)


def test_every_listed_name_is_one_that_its_source_knows() -> None:
    """The list on the page: bundled models first, and nothing that timm has renamed."""
    names = model.names()
    assert len(names) == len(set(names))
    bundled = [ModelName.parse(name).source == "bundled" for name in names]
    assert bundled == sorted(bundled, reverse=True)
    for name in names:
        asked = ModelName.parse(name)
        if asked.source == "timm":
            assert timm.is_model_pretrained(asked.name), name


@pytest.mark.parametrize(
    ("name", "prefix", "readout", "grid", "labels"),
    [
        ("vit_tiny_patch16_224", ("cls",), "cls", (14, 14), 1000),
        ("deit_tiny_distilled_patch16_224", ("cls", "dist"), "cls+dist", (14, 14), 1000),
        ("vit_small_patch14_reg4_dinov2", ("cls", "reg0", "reg1", "reg2", "reg3"), "cls", (37, 37), 0),
        ("vit_base_patch16_clip_224.openai", ("cls",), "cls", (14, 14), 0),
        ("vit_base_patch16_siglip_224", (), "pool", (14, 14), 0),
        ("test_vit2", ("reg0",), "mean", (10, 10), 1000),
    ],
)
def test_the_facts_are_read_from_the_network(name: str, prefix: tuple, readout: str, grid: tuple, labels: int) -> None:
    """Prefix, readout, labels, patch, and the preprocessing that timm itself would use."""
    found = described(name)
    assert (found.prefix, found.readout, len(found.labels)) == (prefix, readout, labels)
    assert found.pool == ("attn_pool" if readout == "pool" else None)
    assert found.layout().grid == grid
    assert found.layout().n_prefix == found.net.num_prefix_tokens
    assert len(found.attention) == len(found.net.blocks)
    assert all(type(found.net.get_submodule(path)).__name__ == "Attention" for path in found.attention)
    assert found.notes == (RANDOM,)
    config, preprocess = resolve_model_data_config(found.net), found.preprocess
    assert preprocess.size == config["input_size"][1:]
    assert (preprocess.mean, preprocess.std) == (config["mean"], config["std"])
    assert (preprocess.interpolation, preprocess.crop) == (config["interpolation"], config["crop_pct"])
    assert (preprocess.fit, config["crop_mode"]) == ("crop", "center")


def test_a_model_of_timm_is_ready_to_run() -> None:
    """On the device, in eval mode, nothing to train, with the size that was asked for."""
    found = model.load("timm:test_vit?pretrained=no&size=96x64", "cpu")
    assert not found.net.training
    assert not any(parameter.requires_grad for parameter in found.net.parameters())
    assert found.layout().grid == (6, 4)
    assert found.preprocess.size == (96, 64)
    assert found.net(torch.zeros(1, 3, 96, 64)).shape == (1, 1000)
    assert found.name.startswith("timm:test_vit")


@together(
    ("name", "said"),
    [
        ("nobody", "There is no bundled model 'nobody'"),
        ("toy?size=3", "'size' is no option"),
        ("elsewhere:x", "unknown source 'elsewhere:'"),
        ("timm:vit_tinny_patch16_224", "Did you mean vit_tiny_patch16_224"),
        ("timm:nothing_like_it_at_all", "timm has no model"),
        ("timm:samvit_base_patch16_224", "or say timm:samvit_base_patch16_224?pretrained=no"),
        ("timm:vit_tiny_patch16_224.nonsense", "Leave out the part after the dot"),
        ("timm:test_vit?pretrained=maybe", "pretrained=yes or pretrained=no"),
        ("timm:test_vit?pretrained=no&size=big", "no input size"),
        ("timm:test_vit?pretrained=no&size=100", "Say size=96x96"),
        ("timm:vit_tiny_patch16_224", "could not be downloaded"),
        ("hf-hub:timm/vit_tiny_patch16_224.augreg_in21k", "could not be downloaded"),
        ("hf-hub:a/b/c", "could not be downloaded"),
    ],
)
def test_what_cannot_be_had_is_said(name: str, said: str) -> None:
    with pytest.raises(VizError) as caught:
        model.load(name, "cpu")
    assert said in str(caught.value)
    assert caught.value.hint
    assert len(str(caught.value)) < 450


def test_without_a_network_it_is_said_at_once(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """huggingface_hub would retry for 25 to 50 seconds, in which nobody else gets a map, and print each try."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "https://hub.invalid")
    monkeypatch.setattr("vizapp.model.downloads.getproxies", dict)

    asked = list[object]()

    def no_such_host(host: object, *address: object, **options: object) -> None:
        asked.append(host)
        raise socket.gaierror("Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_such_host)
    with pytest.raises(VizError, match="could not be downloaded"):
        model.load("timm:test_vit", "cpu")
    assert asked == ["hub.invalid"], "we knock once, and nobody tries after us"
    from huggingface_hub import constants

    assert constants.HF_HUB_OFFLINE is False, "the next try may find a network again"
    assert "Retrying" not in capfd.readouterr().err


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, torch.nn.Module]:
    """A checkpoint of timm's smallest ViT, and the network that it was saved from."""
    torch.manual_seed(0)
    net = timm.create_model("test_vit", num_classes=7).eval()
    path = tmp_path_factory.mktemp("file") / "mine.safetensors"
    save_file(net.state_dict(), path)
    return path, net


def test_a_file_gives_the_logits_of_the_network_it_came_from(tiny: tuple[Path, torch.nn.Module]) -> None:
    path, net = tiny
    found = model.load(f"file:{path}?arch=test_vit", "cpu")
    pixels = torch.randn(2, 3, 160, 160, generator=torch.Generator().manual_seed(0))
    assert torch.equal(found.net(pixels), net(pixels))
    assert found.labels == tuple(f"class {i}" for i in range(7))
    assert found.notes == ()
    assert found.name == "mine (test_vit)"


def test_a_file_that_says_its_architecture_needs_no_arch(tiny: tuple[Path, torch.nn.Module], tmp_path: Path) -> None:
    """In its name or beside its tensors: what the hint named was refused. It is said."""
    path, net = tiny
    shutil.copy(path, tmp_path / "test_vit.in1k.safetensors")
    save_file(net.state_dict(), tmp_path / "mine.safetensors", {"architecture": "test_vit"})
    for name in ("test_vit.in1k", "mine"):
        found = model.load(f"file:{tmp_path / name}.safetensors", "cpu")
        assert found.name == f"{name} (test_vit)"
        assert "those of test_vit, because" in found.notes[0]


def test_a_file_runs_at_another_size(tiny: tuple[Path, torch.nn.Module]) -> None:
    found = model.load(f"file:{tiny[0]}?arch=test_vit&size=96", "cpu")
    assert found.layout().grid == (6, 6)


def test_a_file_of_our_own_describes_itself(tmp_path: Path) -> None:
    name = save_vit(tmp_path / "own.safetensors", img_size=(32, 48), reg_tokens=2, fit="pad", notes=("A note.",))
    found = model.load(name, "cpu")
    assert (found.name, found.prefix, found.readout) == ("own", ("cls", "reg0", "reg1"), "cls")
    assert (found.preprocess.size, found.preprocess.fit) == ((32, 48), "pad")
    assert found.layout().grid == (4, 6)
    assert (found.subject, found.notes, found.facts) == ("scenes", ("A note.",), {"licence": "MIT"})
    state = load_file(tmp_path / "own.safetensors")
    assert all(torch.equal(value, state[key]) for key, value in found.net.state_dict().items())


@pytest.mark.parametrize("length", [0x80, 0x4B50])
def test_a_file_is_not_taken_for_a_pickle_by_chance(tmp_path: Path, length: int) -> None:
    """A safetensors file starts with the length of its header, which may read as the first byte of a pickle or a zip."""
    path = tmp_path / "a.safetensors"
    header = json.dumps({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode().ljust(length)
    path.write_bytes(length.to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(VizError, match="does not say which architecture"):
        model.load(f"file:{path}", "cpu")


@pytest.fixture
def bad_files(tmp_path: Path, tiny: tuple[Path, torch.nn.Module]) -> dict[str, Path]:
    """One file for each way a file can be wrong. The pickle would create `opened` if anybody opened it."""

    class Trap:
        def __reduce__(self) -> tuple:
            return Path.touch, (tmp_path / "opened",)

    files = {
        name: tmp_path / f"{name}.safetensors" for name in ("cut", "trap", "text", "empty", "odd", "newer", "garbled")
    }
    whole = tiny[0].read_bytes()
    files["cut"].write_bytes(whole[: len(whole) // 2])
    files["trap"].write_bytes(pickle.dumps(Trap()))
    files["text"].write_text("Dear reader")
    files["empty"].write_bytes(b"")
    save_file({"something": torch.zeros(3)}, files["odd"])
    save_file({"something": torch.zeros(3)}, files["newer"], {"vizapp": json.dumps({"architecture": {"wings": 2}})})
    save_file({"something": torch.zeros(3)}, files["garbled"], {"vizapp": "{"})
    torch.save({"x": Trap()}, tmp_path / "trap.pth")
    return files | {
        "torch": tmp_path / "trap.pth",
        "tiny": tiny[0],
        "none": tmp_path / "none.safetensors",
        "folder": tmp_path,
    }


@together(
    ("which", "options", "said"),
    [
        ("cut", "", "not a whole safetensors file"),
        ("text", "", "not a whole safetensors file"),
        ("empty", "", "not a whole safetensors file"),
        ("trap", "", "it was not opened"),
        ("torch", "?arch=test_vit", "which is no tensor: it was not opened"),
        ("none", "", "There is no file"),
        ("folder", "", "There is no file"),
        ("tiny", "", "Add it: file:PATH.safetensors?arch="),
        ("tiny", "?arch=vit_tinny_patch16_224", "Did you mean vit_tiny_patch16_224"),
        ("tiny", "?arch=vit_tiny_patch16_224", "The weights do not fit vit_tiny_patch16_224"),
        ("tiny", "?arch=test_resnet", "do not fit test_resnet"),
        ("tiny", "?architecture=test_vit", "'architecture' is no option"),
        ("odd", "?arch=test_vit", "do not fit test_vit"),
        ("newer", "", "describes its network in an unknown way"),
        ("garbled", "", "not a whole safetensors file"),
    ],
)
def test_a_bad_file_is_said(bad_files: dict[str, Path], tmp_path: Path, which: str, options: str, said: str) -> None:
    with pytest.raises(VizError) as caught:
        model.load(f"file:{bad_files[which]}{options}", "cpu")
    assert said in str(caught.value)
    assert caught.value.hint
    assert not (tmp_path / "opened").exists(), "no pickle is ever opened"


def test_the_trap_works(bad_files: dict[str, Path], tmp_path: Path) -> None:
    """Else the test above could not fail."""
    pickle.loads(bad_files["trap"].read_bytes())
    assert (tmp_path / "opened").exists()
