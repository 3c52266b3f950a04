"""Checkpoints of strangers: numbers out of any range, files that lie, code that comes along, weights that cannot fit."""

import builtins
import copy
import json
import math
import re
import struct
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

import vizapp.memory
import vizapp.model as model
from support.checkpoints import save_vit
from support.together import together
from vizapp.errors import NotEnoughMemory, VizError
from vizapp.model.bounds import DEEPEST, MOST, MOST_LAYERS, check_config
from vizapp.model.zoo import timm_models


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """The tensors and the description of a good file."""
    path = tmp_path_factory.mktemp("whole") / "a.safetensors"
    save_vit(path, notes=("A note.",))
    with safe_open(path, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["vizapp"])  # noqa: SIM118


def written(folder: Path, state: dict[str, torch.Tensor], text: str) -> str:
    path = folder / "b.safetensors"
    save_file(state, path, {"vizapp": text})
    return f"file:{path}"


def refused(name: str) -> str:
    """What is said; the test fails on anything but words."""
    with pytest.raises(VizError) as caught:
        model.load(name, "cpu")
    return str(caught.value)


@together(
    ("where", "value"),
    [
        (("architecture", "depth"), 2**31),  # hung
        (("architecture", "num_classes"), 2**31),  # took terabytes
        (("architecture", "reg_tokens"), 2**31),  # hung
        (("architecture", "class_token"), 2**31),  # a list of so many names
        (("architecture", "embed_dim"), 2**31),
        (("architecture", "img_size"), [32, 2**31]),
        (("architecture", "num_heads"), 0),
        (("architecture", "patch_size"), 0),
        (("architecture", "patch_size"), -8),
        (("architecture", "depth"), True),
        (("architecture", "depth"), 10**400),
        (("architecture", "mlp_ratio"), 1e300),
        (("architecture", "drop_path_rate"), "much"),
        (("architecture", "init_values"), math.nan),
        (("architecture", "norm_eps"), math.inf),
        (("architecture",), ["a", "b"]),
        (("size",), [32]),
        (("size",), 2**31),
        (("size",), None),
        (("mean",), 0.5),
        (("mean",), [[0.5]] * 3),
        (("std",), [0, 0, 0]),
        (("std",), [1e-300] * 3),
        (("crop",), 1e-300),
        (("crop",), None),
        (("fit",), "stretch"),
        (("fit",), {}),
        (("interpolation",), []),
        (("labels",), "abc"),
        (("labels",), ["cat"]),
        (("labels",), [None] * 5),
        (("labels",), ["x" * 20_000] * 5),
        (("notes",), 7),
        (("notes",), [7]),
        (("facts",), [1]),
        (("facts",), {"licence": [1]}),
        (("subject",), ["scenes"]),
        (("network",), "resnet"),
        (("network",), ["vit"]),
        ((), []),
        ((), 7),
        ((), math.nan),
    ],
)
def test_numbers_and_words_of_a_file_have_bounds(
    where: tuple[str, ...], value: Any, whole: Any, tmp_path: Path
) -> None:
    state, about = whole
    changed = {"": copy.deepcopy(about)}
    inner, key = changed, ""
    for word in where:
        inner, key = inner[key], word
    inner[key] = value
    assert refused(written(tmp_path, state, json.dumps(changed[""])))


@pytest.mark.parametrize("text", ["[" * 10**5 + "]" * 10**5, '{"size":' + "9" * 5000 + "}", '"x"', "{"])
def test_metadata_that_are_no_json_object_are_said(text: str, whole: Any, tmp_path: Path) -> None:
    assert "not a whole safetensors file" in refused(written(tmp_path, whole[0], text))


def test_a_good_file_is_still_one(whole: Any, tmp_path: Path) -> None:
    """Else the tests above could not fail for the right reason."""
    found = model.load(written(tmp_path, whole[0], json.dumps(whole[1])), "cpu")
    assert (found.labels[0], found.notes) == ("thing 0", ("A note.",))


@pytest.mark.parametrize(
    ("shapes", "options"),
    [
        (
            {"head.weight": [2**31, 0]},
            "?arch=test_vit",
        ),  # takes nothing in the file, and would be a network of terabytes
        ({"head.weight": []}, "?arch=test_vit"),
        ({"pos_embed": [4], "patch_embed.proj.weight": [4]}, "?arch=test_vit"),
        ({"head.weight": [2**20, 1]}, "?arch=vit_7b_patch16_dinov3"),  # a name makes it large
    ],
)
def test_tensors_of_any_shape_are_refused_in_words(shapes: dict[str, list[int]], options: str, tmp_path: Path) -> None:
    header: dict[str, Any] = {}
    end = 0
    for name, shape in shapes.items():
        size = 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    head = json.dumps(header).encode()
    path = tmp_path / "c.safetensors"
    path.write_bytes(struct.pack("<Q", len(head)) + head + bytes(end))
    with pytest.raises(VizError):
        model.load(f"file:{path}{options}", "cpu")


@pytest.mark.parametrize(
    ("names", "more", "opened"),
    [
        ((f'"{n}"' for n in range(300_000)), "", 0),  # 6.7 s of processor before the file was refused
        ((f'"{n}"' for n in range(30_000)), "", 0),
        ((f'"{n}"' for n in range(30_000)), r"data\u005foffsets", 1),  # another way to write the same
        (['"a"'], "x" * 9_000_000, 0),
    ],
    ids=["300,000", "30,000", "30,000 spelt otherwise", "a long text"],
)
def test_a_header_is_bounded_before_anything_is_made_of_it(
    names: Iterable[str], more: str, opened: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted is what is asked of the library, which reads a header whole, and makes each tensor of it."""
    spelt = more if "u005f" in more else "data_offsets"
    said = f'"__metadata__":{{"a":"{more}"}},' if more and spelt != more else ""
    tensors = ",".join(f'{name}:{{"dtype":"F32","shape":[0],"{spelt}":[0,0]}}' for name in names)
    head = f"{{{said}{tensors}}}".encode()
    path = tmp_path / "d.safetensors"
    path.write_bytes(struct.pack("<Q", len(head)) + head)
    calls, real = Counter[str](), safe_open

    class Counted:
        def __init__(self, *given: Any, **named: Any) -> None:
            calls["opened"] += 1
            self.file = real(*given, **named)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def __getattr__(self, name: str) -> Any:
            calls[name] += 1
            return getattr(self.file, name)

    monkeypatch.setattr("vizapp.model.weights.safe_open", Counted)
    assert "has a header of" in refused(f"file:{path}?arch=test_vit")
    assert (calls["opened"], calls["get_tensor"]) == (opened, 0)
    path.write_bytes(struct.pack("<Q", len(head)) + head[:-9])
    assert "not a whole safetensors file" in refused(f"file:{path}"), "cut off is another reason"


@pytest.mark.parametrize("name", ["~nosuchuser/a.safetensors", "a" * 5000 + ".safetensors", "\0.safetensors", ""])
def test_paths_that_cannot_be_are_said(name: str) -> None:
    assert "There is no file" in refused(f"file:{name}")


@together(
    "config",
    [
        {"num_hidden_layers": 2**31},
        {"vision_config": {"num_hidden_layers": MOST_LAYERS + 1}},
        {"depths": [2, 2, 2**31]},
        {"depths": [1] * (MOST_LAYERS + 1)},
        {"num_labels": 2**31},
        {"hidden_size": -(2**31)},
        {"image_size": 10**400},
    ],
)
def test_numbers_of_a_configuration_have_bounds(config: dict[str, Any]) -> None:
    with pytest.raises(VizError, match="goes from"):
        check_config(config)


def test_a_configuration_has_an_end() -> None:
    config: dict[str, Any] = {}
    for _ in range(DEEPEST + 2):
        config = {"vision_config": config}
    with pytest.raises(VizError, match="levels deep"):
        check_config(config)
    check_config(
        {"vocab_size": 262_144, "num_hidden_layers": 40, "depths": [2, 2, 18, 2], "layer_norm_eps": 1e-12, "a": None}
    )
    assert MOST > 262_144


def vit_folder(folder: Path, **changes: Any) -> str:
    """A configuration of a small ViT of transformers, without weights."""
    config = {"model_type": "vit", "architectures": ["ViTForImageClassification"], "hidden_size": 32, "image_size": 32}
    config |= {"patch_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config | changes))
    return f"hf:{folder}?pretrained=no"


@pytest.mark.parametrize("word", ["num_hidden_layers", "num_labels"])
def test_a_folder_of_transformers_with_too_large_a_number_is_refused(word: str, tmp_path: Path) -> None:
    """transformers itself would make so many layers, or names of classes, before anybody could look."""
    assert word in refused(vit_folder(tmp_path, **{word: 2**31}))


def test_labels_that_are_missing_are_numbered(tmp_path: Path) -> None:
    found = model.load(vit_folder(tmp_path, id2label={"0": "cat", "7": "dog"}), "cpu")
    assert found.labels == ("cat", "LABEL_1")


CODE = """
from pathlib import Path
Path({marker!r}).touch()
from transformers import AutoConfig, ViTConfig, ViTForImageClassification, ViTImageProcessor
class Config(ViTConfig):
    model_type = {kind!r}
class Net(ViTForImageClassification):
    config_class = Config
class Processor(ViTImageProcessor):
    pass
"""


@pytest.fixture
def yes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Somebody at the terminal who answers every question with "y"."""
    asked: list[str] = []
    monkeypatch.setattr(builtins, "input", lambda question="": asked.append(question) or "y")
    return asked


@pytest.mark.parametrize("kind", ["vit", "vit_of_a_stranger"])
def test_code_of_a_checkpoint_is_never_run_whatever_is_answered(kind: str, yes: list[str], tmp_path: Path) -> None:
    """It ran after a "y" on the terminal. Now nobody is asked; what transformers knows itself is loaded without it."""
    marker = tmp_path / "ran"
    auto = {
        "AutoConfig": "strange.Config",
        "AutoModelForImageClassification": "strange.Net",
        "AutoModel": "strange.Net",
    }
    name = vit_folder(tmp_path / "net", model_type=kind, auto_map=auto)
    (tmp_path / "net/strange.py").write_text(CODE.format(marker=str(marker), kind=kind))
    processor = {"image_processor_type": "Processor", "auto_map": {"AutoImageProcessor": "strange.Processor"}}
    (tmp_path / "net/preprocessor_config.json").write_text(json.dumps(processor))
    if kind == "vit":
        model.load(name, "cpu")
    else:
        assert "could not be loaded by transformers" in refused(name)
    assert yes == []
    assert not marker.exists()


def test_every_call_that_could_run_code_says_that_it_must_not() -> None:
    """In the source, so that a new call cannot forget it."""
    calls = 0
    for file in (Path(model.__file__).parent / "zoo").glob("*.py"):
        text = file.read_text("utf-8")
        for found in re.finditer(r"\b(?:Auto\w+|kind)\.from_(?:pretrained|config)\(", text):
            calls += 1
            call = text[found.end() : text.index(")", found.end())]
            assert "trust_remote_code=False" in call, f"{file.name}: {found[0]}{call}"
        assert "torch.hub.load" not in text
    assert calls >= 5


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vizapp.memory, "free_memory", lambda: 10 * 2**20)


@pytest.mark.parametrize(
    "name",
    ["timm:vit_tiny_patch16_224", "timm:vit_tiny_patch16_224?pretrained=no", "torchvision:vit_b_16?pretrained=no"],
)
def test_weights_that_cannot_fit_are_refused_before_they_are_fetched_or_made(
    name: str, little: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    said = refused(name)
    assert "GiB" in said
    assert "0.0 GiB of memory are free" in said


def test_a_folder_that_cannot_fit_is_refused_before_it_is_made(little: None, tmp_path: Path) -> None:
    assert "take 0.1 GiB" in refused(
        vit_folder(tmp_path, hidden_size=512, num_hidden_layers=12, intermediate_size=2048)
    )


def test_a_file_that_cannot_fit_is_not_opened(little: None, tmp_path: Path) -> None:
    """By its size on disk, which may be a hole."""
    path = tmp_path / "large.safetensors"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", 2) + b"{}")
        file.truncate(2**31)
    with pytest.raises(NotEnoughMemory, match=r"take 2\.0 GiB"):
        model.load(f"file:{path}", "cpu")


def test_counting_leaves_random_weights_as_they_were() -> None:
    """`?pretrained=no` gives the same network for a seed as timm itself does."""
    import timm

    torch.manual_seed(3)
    found = timm_models.create("test_vit", pretrained=False, size=None)
    torch.manual_seed(3)
    own = timm.create_model("test_vit")
    assert all(torch.equal(value, own.state_dict()[name]) for name, value in found.state_dict().items())
