"""Sentences as targets and as labels: the numbers of the library's own two towers, for open_clip: and hf:; refusals in words."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import vizapp
from support.checkpoints import add_clip
from vizapp import VizError, cli

transformers = pytest.importorskip("transformers")
open_clip = pytest.importorskip("open_clip")

SENTENCES = ["a photo of a cat", "a dog", "two cups on a table"]
VISION = dict(
    hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8
)
TEXT = dict(
    hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=16
)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


def tokenizer() -> object:
    """Words of the sentences above, each a token, with a beginning and an end."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = ["<pad>", "<unk>", "<s>", *sorted({word for one in SENTENCES for word in one.split()}), "</s>"]
    made = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [(word, words.index(word)) for word in ("<s>", "</s>")]
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        model_max_length=16,
    )


def saved(folder: Path, kind: str) -> str:
    """A CLIP or a SigLIP with random weights, whose captions are far from each other, as transformers saves it."""
    torch.manual_seed(0)
    words = tokenizer()
    text = {**TEXT, "vocab_size": 32, "eos_token_id": words.eos_token_id, "pad_token_id": 0, "bos_token_id": 2}
    if kind == "CLIP":
        config = transformers.CLIPConfig(vision_config=VISION, text_config=text, projection_dim=16)
        processor = transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    else:
        config = transformers.SiglipConfig(vision_config=VISION, text_config={**text, "projection_size": 32})
        processor = transformers.SiglipImageProcessor(size={"height": 32, "width": 32})
    net = getattr(transformers, f"{kind}Model")(config).eval()
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if "embedding" in name or "proj" in name:
                parameter.mul_(8)
    for part in (net, words, processor):
        part.save_pretrained(folder)
    return f"hf:{folder}"


@pytest.fixture(scope="module")
def photo() -> np.ndarray:
    noise = np.random.default_rng(0).integers(0, 256, (8, 10, 3), dtype=np.uint8)
    return np.asarray(Image.fromarray(noise).resize((50, 40), Image.Resampling.BICUBIC))


def expected_of(folder: str, kind: str, pixels: torch.Tensor) -> torch.Tensor:
    """(sentence,) probabilities, by the library alone."""
    net = getattr(transformers, f"{kind}Model").from_pretrained(folder).eval()
    words = transformers.AutoTokenizer.from_pretrained(folder)
    padding = "max_length" if kind == "Siglip" else True
    tokens = words(SENTENCES, padding=padding, truncation=True, max_length=16, return_tensors="pt")
    given = {"input_ids": tokens["input_ids"]} | (
        {"attention_mask": tokens["attention_mask"]} if kind == "CLIP" else {}
    )
    with torch.no_grad():
        logits = net(pixel_values=pixels, **given).logits_per_image[0]
    return logits.softmax(0) if kind == "CLIP" else logits.sigmoid()


@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_probabilities_of_sentences_are_those_of_transformers(kind: str, tmp_path: Path, photo: np.ndarray) -> None:
    model = vizapp.load(saved(tmp_path, kind), "cpu")
    seen = vizapp.analyse(vizapp.zero_shot(model, SENTENCES), photo)
    expected = expected_of(str(tmp_path), kind, seen.context.pixels)
    assert float(expected.max() - expected.min()) > 1e-3, "the sentences differ"
    found = dict(seen.top(3))
    assert [found[label] for label in SENTENCES] == pytest.approx(expected.tolist(), abs=1e-5)
    assert vizapp.explain(seen, "grad_cam", target="dog").target == 1
    assert vizapp.check(vizapp.zero_shot(model, SENTENCES), photo).holds


@pytest.mark.parametrize("kind", ["CLIP", "Siglip"])
def test_a_sentence_is_a_target(kind: str, tmp_path: Path, photo: np.ndarray) -> None:
    model = vizapp.load(saved(tmp_path, kind), "cpu")
    seen = vizapp.analyse(model, photo)
    cat, dog = (vizapp.text(model, sentence) for sentence in SENTENCES[:2])
    maps = {}
    for target in (cat, dog):
        with torch.no_grad():
            cosine = float(target(model.net(seen.context.pixels)))
        assert -1 <= cosine <= 1
        curve = vizapp.compare(seen, ["grad_cam"], target=target, steps=2).curves["grad_cam"]
        assert curve.deletion[0] == pytest.approx(cosine, abs=1e-5)
        maps[target.name] = vizapp.explain(seen, "attn_lrp", target=target)
    assert [one.target for one in maps.values()] == ["\u201ca photo of a cat\u201d", "\u201ca dog\u201d"]
    one, other = (found.scores for found in maps.values())
    assert np.abs(one - other).max() > 1e-3 * np.abs(one).max(), "each sentence has a map of its own"
    shot = vizapp.analyse(vizapp.zero_shot(model, SENTENCES), photo)
    by_class = vizapp.explain(shot, "occlusion", target=0).scores
    by_cosine = vizapp.explain(seen, "occlusion", target=cat).scores
    ratio = by_class / by_cosine
    np.testing.assert_allclose(ratio, np.median(ratio), rtol=0.05, err_msg="a logit is a cosine, scaled")


def test_open_clip_reads_sentences_with_the_tokenizer_that_it_ships(tmp_path: Path, photo: np.ndarray) -> None:
    small_clip = add_clip(tmp_path)
    torch.manual_seed(0)
    model = vizapp.load(f"open_clip:{small_clip}?pretrained=no", "cpu")
    whole = model.texts.make.args[0]
    seen = vizapp.analyse(vizapp.zero_shot(model, SENTENCES), photo)
    with torch.no_grad():
        image, text, scale = whole(seen.context.pixels, open_clip.get_tokenizer(small_clip)(SENTENCES))
    expected = (scale * image @ text.T).softmax(-1)[0]
    found = dict(seen.top(3))
    assert [found[label] for label in SENTENCES] == pytest.approx(expected.tolist(), abs=1e-5)
    sent = pickle.loads(pickle.dumps(model))  # to a worker
    torch.testing.assert_close(sent.texts().vectors(SENTENCES), model.texts().vectors(SENTENCES))
    plain = vizapp.analyse(model, photo)
    target = vizapp.text(model, SENTENCES[0])
    assert float(target(model.net(plain.context.pixels))) == pytest.approx(float((image @ text.T)[0, 0]), abs=1e-5)
    for method in ("chefer", "grad_cam", "occlusion"):
        assert np.ptp(vizapp.explain(plain, method, target=target).scores) > 0


def test_sentences_in_the_command_line(tmp_path: Path, photo: np.ndarray, capsys: pytest.CaptureFixture[str]) -> None:
    name = saved(tmp_path / "clip", "CLIP")
    Image.fromarray(photo).save(tmp_path / "photo.png")
    figure = ["explain", str(tmp_path / "photo.png"), "--model", name, "--method", "grad_cam", "--device", "cpu"]
    assert cli.main([*figure, "--text", SENTENCES[0], "-o", str(tmp_path / "one.npz")]) == 0
    with np.load(tmp_path / "one.npz") as found:
        assert json.loads(str(found["about"]))["target"] == "\u201ca photo of a cat\u201d"
    assert cli.main([*figure, "--labels", *SENTENCES, "--target", "a dog", "-o", str(tmp_path / "two.npz")]) == 0
    assert "%  a dog" in capsys.readouterr().out
    with np.load(tmp_path / "two.npz") as found:
        assert json.loads(str(found["about"]))["target"] == 1
    assert cli.main([*figure, "--text", "a cat", "--target", "1", "-o", str(tmp_path / "no.npz")]) != 0
    assert "--text says what is explained" in capsys.readouterr().err


def test_refusals_are_sentences(tmp_path: Path) -> None:
    timms = vizapp.load("timm:vit_base_patch32_clip_224.openai?pretrained=no&size=32", "cpu")
    with pytest.raises(VizError, match=r"has no text tower. timm has the vision tower only.*open_clip:NAME"):
        vizapp.text(timms, "a cat")
    with pytest.raises(VizError, match=r"reads no sentences.*CLIP or SigLIP"):
        vizapp.zero_shot("toy", ["a cat"])
    name = saved(tmp_path, "CLIP")
    for lost in tmp_path.glob("tokenizer*"):
        lost.unlink()
    model = vizapp.load(name, "cpu")
    with pytest.raises(VizError, match=r"knows no word of .a cat.*beside the weights"):
        vizapp.text(model, "a cat")
    for given in ("a cat", [], ["a cat", ""]):
        with pytest.raises(VizError, match=r"Sentences were expected, a list"):
            vizapp.zero_shot(model, given)
    with pytest.raises(VizError, match=r"A sentence was expected, but got 3"):
        vizapp.text(model, 3)
    two = vizapp.zero_shot(saved(tmp_path / "two", "CLIP"), SENTENCES[:2])
    with pytest.raises(VizError, match=r"reads no sentences"):
        vizapp.text(two, SENTENCES[0])
    of_another = vizapp.text(saved(tmp_path / "other", "Siglip"), SENTENCES[0])
    with pytest.raises(VizError, match=r"compared with 32 features.*gives 2\..*for the model of the analysis"):
        vizapp.explain(vizapp.analyse(two, np.zeros((32, 32, 3), np.uint8)), "grad_cam", target=of_another)
    with pytest.raises(VizError, match=r"but got Linear.*inputs="):
        vizapp.text(torch.nn.Linear(1, 1), "a cat")
