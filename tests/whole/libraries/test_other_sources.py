"""torchvision:, hf: and open_clip: by name: their facts are the library's own, and each way to fail has a sentence."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from bench import processors
from support import networks
from support.checkpoints import add_clip
from support.together import together
from vizapp import model
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.model.processor import Processor
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import ModelName, huggingface, sources, torchvision_models
from vizapp.pipeline import analyse

transformers = pytest.importorskip("transformers")
open_clip = pytest.importorskip("open_clip")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No hub and no server answers, and every cache is empty, whatever the machine has."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    monkeypatch.setattr("urllib.request.urlopen", refuses)


def refuses(*asked: object, **options: object) -> None:
    raise OSError("no network")


def pixels_of(found: VisionModel) -> torch.Tensor:
    return torch.randn(1, 3, *found.preprocess.size, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def photo() -> np.ndarray:
    noise = np.random.default_rng(0).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    return np.asarray(Image.fromarray(noise).resize((400, 300), Image.Resampling.BICUBIC))


def assert_prepares_as(preprocess: Preprocess, own: Callable[[Image.Image], torch.Tensor], photo: np.ndarray) -> None:
    """Up to the rounding of one grey level, which libraries that resize tensors do elsewhere."""
    pixels, _ = preprocess(photo)
    expected = own(Image.fromarray(photo))
    assert pixels.shape == expected.shape
    level = 1 / 255 / min(preprocess.std)
    assert float((pixels - expected).abs().max()) < 2.01 * level
    assert float((pixels - expected).abs().mean()) < 0.3 * level


def test_a_vit_of_torchvision() -> None:
    with torch.device("meta"):
        found = sources()["torchvision"].load(ModelName.parse("torchvision:vit_b_16?pretrained=no"))
    assert (found.prefix, found.readout, found.patch) == (("cls",), "cls", (16, 16))
    assert (found.layout().grid, found.labels[0], len(found.labels)) == ((14, 14), "tench", 1000)
    assert "random" in found.notes[0]


@pytest.mark.parametrize("name", ["vit_b_16", "vit_l_16", "swin_t", "swin_v2_b", "maxvit_t"])
def test_weights_of_torchvision_tell_the_pictures_and_the_classes(name: str, photo: np.ndarray) -> None:
    from torchvision import models

    for weights in models.get_model_weights(name):
        with torch.device("meta"):
            found = torchvision_models.describe(models.get_model("vit_b_16"), name=name, weights=weights)
        assert found.labels == tuple(weights.meta["categories"])
        assert (found.notes, found.facts["weights"]) == ((), weights.name)
        transforms = weights.transforms()
        assert_prepares_as(found.preprocess, lambda picture, t=transforms: t(picture)[None], photo)


SMALL = networks.SMALL | {"image_size": 48, "patch_size": 8}
SWIN = {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 4], "window_size": 4, "patch_size": 4, "image_size": 64}
TEXT = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}


def save(folder: Path, kind: str, config: dict[str, Any], processor: Any = None) -> str:
    """A small checkpoint with random weights, as its authors would write it."""
    of = getattr(transformers, kind).config_class
    if "vision_config" in config:
        config = config | {"text_config": TEXT}
    torch.manual_seed(0)
    getattr(transformers, kind)(of(**config)).save_pretrained(folder)
    if processor is not None:
        processor.save_pretrained(folder)
    return f"hf:{folder}"


@pytest.mark.parametrize(
    ("kind", "config", "prefix", "readout", "grid"),
    [
        ("ViTForImageClassification", SMALL, ("cls",), "cls", (6, 6)),
        ("ViTModel", SMALL, ("cls",), "cls", (6, 6)),
        ("ViTMAEForPreTraining", SMALL | {"decoder_num_hidden_layers": 1}, ("cls",), "cls", (6, 6)),
        ("DeiTForImageClassification", SMALL, ("cls", "dist"), "cls", (6, 6)),
        ("DeiTForImageClassificationWithTeacher", SMALL, ("cls", "dist"), "cls+dist", (6, 6)),
        ("BeitForImageClassification", SMALL, ("cls",), "mean", (6, 6)),
        ("BeitForImageClassification", SMALL | {"use_mean_pooling": False}, ("cls",), "cls", (6, 6)),
        ("Dinov2WithRegistersModel", SMALL | {"num_register_tokens": 2}, ("cls", "reg0", "reg1"), "cls", (6, 6)),
        ("DINOv3ViTModel", SMALL | {"num_register_tokens": 2}, ("cls", "reg0", "reg1"), "cls", (6, 6)),
        ("IJepaForImageClassification", SMALL, (), "mean", (6, 6)),
        ("CLIPModel", {"vision_config": SMALL}, ("cls",), "cls", (6, 6)),
        ("CLIPVisionModelWithProjection", SMALL, ("cls",), "cls", (6, 6)),
        ("CLIPForImageClassification", {"vision_config": SMALL}, ("cls",), "mean", (6, 6)),
        ("SiglipModel", {"vision_config": SMALL}, (), "pool", (6, 6)),
        ("SiglipForImageClassification", {"vision_config": SMALL}, (), "mean", (6, 6)),
        ("SwinForImageClassification", SWIN, (), "mean", (8, 8)),
    ],
)
def test_the_facts_of_transformers(
    kind: str, config: dict[str, Any], prefix: tuple[str, ...], readout: str, grid: tuple[int, int], tmp_path: Path
) -> None:
    """Said or found: the tokens by their names, what is read, the classes; and the output is the library's."""
    found = model.load(save(tmp_path, kind, config), "cpu")
    pixels = pixels_of(found)
    trace = capture(found, pixels)
    assert (trace.layout.prefix, trace.layout.grid, trace.readout) == (prefix, grid, readout)
    assert len(found.labels) == (2 if "Classification" in kind else 0)
    own = getattr(transformers, kind).from_pretrained(tmp_path).eval()
    if found.labels:
        with torch.no_grad():
            assert torch.equal(found.net(pixels), own(pixel_values=pixels).logits)
    if found.patch is not None:  # what it says of its tokens is what would be found without
        unknown = VisionModel(found.name, found.net, (), prefix, None, found.preprocess, found.labels, readout="")
        again = capture(unknown, pixels)
        assert again.layout == trace.layout
        for one, other in zip(trace.layers, again.layers, strict=True):
            torch.testing.assert_close(one.map(), other.map())


def test_a_folder_of_transformers_at_another_size(tmp_path: Path) -> None:
    name = save(tmp_path, "ViTForImageClassification", SMALL | {"id2label": {0: "cat", 1: "dog", 2: "tree"}})
    found = model.load(f"{name}?size=32x64", "cpu")
    assert found.labels == ("cat", "dog", "tree")
    assert found.preprocess.size == (32, 64)
    assert "colours of ImageNet are assumed" in found.notes[0]
    assert capture(found, pixels_of(found)).layout.grid == (4, 8)
    with pytest.raises(VizError, match="Say size=48x48"):
        model.load(f"{name}?size=50", "cpu")
    random = model.load(f"{name}?pretrained=no", "cpu")
    assert "random" in random.notes[0]
    assert not torch.equal(random.net(pixels_of(random)), model.load(name, "cpu").net(pixels_of(random)))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("ViTImageProcessor", {"size": {"height": 48, "width": 48}}),
        ("CLIPImageProcessor", {"size": {"shortest_edge": 48}, "crop_size": {"height": 48, "width": 48}}),
        ("BitImageProcessor", {"size": {"shortest_edge": 64}, "crop_size": {"height": 48, "width": 48}}),
        ("DeiTImageProcessor", {"size": {"height": 56, "width": 56}, "crop_size": {"height": 48, "width": 48}}),
        ("SiglipImageProcessor", {"size": {"height": 48, "width": 48}}),
        ("ConvNextImageProcessor", {"size": {"shortest_edge": 48}, "crop_pct": 0.875}),
        ("LevitImageProcessor", {"size": {"shortest_edge": 224}, "crop_size": {"height": 224, "width": 224}}),
        ("MobileViTImageProcessor", {"size": {"shortest_edge": 56}, "crop_size": {"height": 48, "width": 48}}),
        ("ViTImageProcessor", {"size": {"height": 32, "width": 48}, "do_normalize": False}),
    ],
)
def test_pictures_are_prepared_as_by_transformers(kind: str, options: dict[str, Any], photo: np.ndarray) -> None:
    """Exactly, by the processor itself; and up to rounding by what was measured of it, as where another fit is chosen."""
    processor = getattr(transformers, kind)(**options)
    does = Processor(processor)
    preprocess = huggingface.preprocess_of(does, None, (1, 1))

    def own(picture: Image.Image) -> torch.Tensor:
        pixels = torch.as_tensor(np.asarray(processor(picture, return_tensors="pt")["pixel_values"]))
        return pixels.flip(1) if does.flips else pixels

    assert does.flips == getattr(processor, "do_flip_channel_order", False)
    pixels, frame = preprocess(photo)
    assert torch.equal(pixels, own(Image.fromarray(photo)))
    alike = replace(preprocess, own=None)
    assert_prepares_as(alike, own, photo)
    assert alike(photo)[1].seen == pytest.approx(frame.seen, abs=1)


# Steps that vizapp has not: sizes that follow the picture's, padding on one side.
OWN_SIZE = [
    "DetrImageProcessor",
    "YolosImageProcessor",
    "DPTImageProcessor",
    "Owlv2ImageProcessor",
    "PixtralImageProcessor",
]
NO_PICTURE = ["VideoMAEImageProcessor", "Siglip2ImageProcessor", "Idefics2ImageProcessor", "Qwen2VLImageProcessor"]


@pytest.mark.parametrize("kind", [*OWN_SIZE, *NO_PICTURE])
def test_each_processor_is_followed_or_refused(kind: str, photo: np.ndarray) -> None:
    """`python -m bench.processors` does the same for all."""
    said = processors.measured(kind, photo)
    assert said.startswith("exact" if kind in OWN_SIZE else "refused: it gives"), said


def test_a_size_that_follows_the_picture(tmp_path: Path, photo: np.ndarray) -> None:
    """By hf:, with the positions of the network brought to it; logits are those of the library."""
    processor = transformers.YolosImageProcessor(size={"shortest_edge": 48, "longest_edge": 96})
    name = save(tmp_path, "ViTForImageClassification", SMALL, processor)
    found = model.load(name, "cpu")
    seen = analyse(found, photo)
    pixels = processor(Image.fromarray(photo), return_tensors="pt")["pixel_values"]
    own = transformers.ViTForImageClassification.from_pretrained(tmp_path).eval()
    with torch.no_grad():
        expected = own(pixel_values=pixels, interpolate_pos_encoding=True).logits[0]
    torch.testing.assert_close(seen.trace.logits, expected, rtol=0, atol=1e-4)
    assert seen.trace.layout.grid == tuple(side // 8 for side in pixels.shape[2:]) == (6, 8)
    turned = analyse(found, np.rot90(photo).copy())
    assert turned.trace.layout.grid == (8, 6)


@pytest.fixture
def small_clip(tmp_path: Path) -> str:
    return add_clip(tmp_path, context_length=8, vocab_size=99)


def test_a_tower_of_open_clip(small_clip: str, photo: np.ndarray) -> None:
    found = model.load(f"open_clip:{small_clip}?pretrained=no", "cpu")
    assert (found.labels, found.prefix, found.readout, found.patch) == ((), ("cls",), "cls", (8, 8))
    assert "random" in found.notes[0]
    trace = capture(found, pixels_of(found))
    assert (trace.logits, trace.layout) == (None, found.layout())
    transform = open_clip.transform.image_transform_v2(
        open_clip.transform.PreprocessCfg(**found.net.preprocess_cfg), is_train=False
    )
    assert_prepares_as(found.preprocess, lambda picture: transform(picture)[None], photo)
    other = model.load(f"open_clip:{small_clip}?pretrained=no&size=64", "cpu")
    assert capture(other, pixels_of(other)).layout.grid == (8, 8)


@together(
    ("name", "said"),
    [
        ("torchvision:vit_b_61", "Did you mean vit_b_16"),
        ("torchvision:vit_b_16", "could not be downloaded"),
        ("torchvision:vit_b_16?weights=BEST", "Choose one of: IMAGENET1K_V1"),
        ("torchvision:vit_b_16?pretrained=maybe", "pretrained=yes or pretrained=no"),
        ("torchvision:vit_b_16?size=3", "'size' is no option"),
        ("hf:google/vit-base-patch16-224", "could not be downloaded"),
        ("hf:nobody/here/at-all", "could not be"),
        ("open_clip:ViT-B-23", "Did you mean ViT-B-"),
        ("open_clip:ViT-B-32?pretrained=laion", "Say pretrained=TAG, where TAG is one of: openai"),
        ("open_clip:vizapp-small", "say pretrained=no"),
    ],
)
def test_what_cannot_be_had_is_said(name: str, said: str, small_clip: str) -> None:
    with pytest.raises(VizError) as caught:
        model.load(name, "cpu")
    assert said in str(caught.value)
    assert caught.value.hint
    assert len(str(caught.value)) < 450


def test_networks_that_do_not_take_pixels_alone_are_refused(tmp_path: Path) -> None:
    name = save(tmp_path / "text", "BertModel", TEXT)
    with pytest.raises(VizError, match="BertModel takes no pixels"):
        model.load(name, "cpu")
    name = save(tmp_path / "flexible", "Siglip2VisionModel", SMALL)
    with pytest.raises(VizError, match="needs pixel_attention_mask, spatial_shapes"):
        model.load(name, "cpu")


@pytest.mark.parametrize(
    ("library", "name", "extra"),
    [("transformers", "hf:a/b", "vizapp[hf]"), ("open_clip", "open_clip:ViT-B-32", "vizapp[clip]")],
)
def test_a_missing_library_is_said(library: str, name: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(VizError, match="is not installed") as caught:
        model.load(name, "cpu")
    assert extra in caught.value.hint


@pytest.mark.parametrize("name", ["mine.pkl", "mine.safetensors"])
def test_a_pickle_is_said_to_be_one_and_nothing_else(tmp_path: Path, name: str) -> None:
    """Under a name that torch.save does not give."""
    torch.save({"weight": torch.zeros(2)}, tmp_path / name)
    with pytest.raises(VizError, match=rf"^'{name}' is a pickle.*convert it once") as said:
        model.load(f"file:{tmp_path / name}")
    assert "download" not in str(said.value)
    (tmp_path / "half.safetensors").write_bytes(b"\x10")
    with pytest.raises(VizError, match=r"^'half.safetensors' is not a whole safetensors file.*Fetch it again"):
        model.load(f"file:{tmp_path / 'half.safetensors'}")
