"""A network of one's own: what docs/models.md says works as it stands there; each slip is a sentence."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

import vizapp
from support.networks import Encoder, small_vit
from support.paths import ROOT
from support.together import together
from vizapp import TokenLayout, VizError
from vizapp.analysis import Analysis
from vizapp.model.inputs import input_size
from vizapp.model.preprocess import Preprocess


def test_the_page_about_it_runs(tmp_path: Path, picture: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Image.fromarray(picture).save("photo.jpg")
    page = (ROOT / "docs" / "models.md").read_text()
    names: dict[str, object] = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, "models.md", "exec"), names)
    assert str(names["seen"].trace.layout) in page
    assert Path("figure.png").stat().st_size > 1000
    assert "Assumed: pictures of 64x64" in names["seen"].notes[0]
    assert names["result"].worst < 1e-5
    assert names["model"].labels == ("cat", "dog")


def test_the_same_maps_as_by_its_name(picture: np.ndarray) -> None:
    model = small_vit()
    described = vizapp.describe(model.net, preprocess=model.preprocess, labels=model.labels)
    one, other = vizapp.analyse(model, picture), vizapp.analyse(described, picture)
    assert one.top() == other.top()
    for method in ("attention", "rollout"):
        np.testing.assert_array_equal(vizapp.explain(one, method).scores, vizapp.explain(other, method).scores)


def test_a_described_layout_is_checked_wherever_the_network_is_run(picture: np.ndarray) -> None:
    net = small_vit().net
    wrong = vizapp.describe(net, layout=TokenLayout(("cls",), (5, 5)))
    for look in (vizapp.analyse, vizapp.check, lambda model, one: list(vizapp.analyse_many(model, [one]))):
        with pytest.raises(
            VizError, match=r"expected 26 tokens \(cls \+ 5x5 patches\).*found 17 tokens.*Leave out layout="
        ):
            look(wrong, picture)
    for names in ((), ("cls", "reg0")):
        with pytest.raises(VizError, match=r"but found 17 tokens \(cls \+ 4x4 patches\). Name each token"):
            vizapp.analyse(vizapp.describe(net, layout=TokenLayout(names, (4, 4))), picture)
    right = vizapp.describe(net, layout=TokenLayout(("class",), (4, 4)))
    assert vizapp.analyse(right, picture).trace.layout.prefix == ("class",)
    assert vizapp.check(right, picture).holds


def test_a_layout_means_the_same_for_a_network_and_for_a_described_one(picture: np.ndarray) -> None:
    net, layout = small_vit().net, TokenLayout(("class",), (4, 4))
    described = vizapp.describe(net, name="mine")
    for given in (net, described):
        assert vizapp.analyse(given, picture, layout=layout).trace.layout == layout
    assert vizapp.analyse(described, picture).trace.layout.prefix == ("cls",), "said for one analysis only"
    says_it = vizapp.describe(net, readout="cls")
    for given in (small_vit(), says_it):
        with pytest.raises(VizError, match=r"expected 17 tokens \(class.*found 17 tokens \(cls.*vizapp.describe"):
            vizapp.analyse(given, picture, layout=layout)


def test_a_token_without_a_name_is_told_by_what_the_classifier_reads(picture: np.ndarray) -> None:
    model = small_vit(reg_tokens=2)
    seen = vizapp.analyse(vizapp.describe(model.net, labels=model.labels), picture)
    assert seen.trace.layout.prefix == ("extra0", "extra1", "extra2")
    with pytest.raises(VizError, match=r"extra0, extra1, extra2.*you see extra0.*describe\(net, layout"):
        vizapp.explain(seen, query="cls")
    with pytest.raises(VizError) as named:
        vizapp.explain(vizapp.analyse(model, picture), query="dist")
    assert "describe" not in str(named.value)


def test_the_input_size_is_read_where_a_network_says_it() -> None:
    assert input_size(small_vit(img_size=(32, 48)).net) == (32, 48)
    assert input_size(nn.Identity()) == (224, 224)


@pytest.mark.parametrize("batch", [1, 2, 8])
def test_many_pictures_are_each_as_alone(batch: int) -> None:
    model = small_vit()
    pictures = [np.random.default_rng(i).integers(0, 256, (30 + i, 40, 3), dtype=np.uint8) for i in range(5)]
    told: list[int] = []
    many = list(vizapp.analyse_many(model, pictures, batch=batch, on_progress=told.append))
    assert told == [1, 2, 3, 4, 5]
    for picture, seen in zip(pictures, many, strict=True):
        alone = vizapp.analyse(model, picture)
        assert seen.frame == alone.frame
        np.testing.assert_allclose(vizapp.explain(seen).scores, vizapp.explain(alone).scores, rtol=1e-4, atol=1e-7)


class NeedsMore(Encoder):
    def forward(self, pixels: torch.Tensor, temperature: float) -> torch.Tensor:
        return super().forward(pixels) / temperature


class GivesNothing(Encoder):
    def forward(self, pixels: torch.Tensor) -> None:
        super().forward(pixels)


PREPROCESS = Preprocess((64, 96))


def seen_by(net: nn.Module) -> Analysis:
    model = vizapp.describe(net.eval(), preprocess=PREPROCESS, labels=("cat", "dog", "dog", "281", "cup"))
    return vizapp.analyse(model, np.full((64, 96, 3), 100, np.uint8))


def spoiled() -> nn.Module:
    net = Encoder(True).eval()
    net.patches.bias.data[3] = torch.nan
    return net


def half_trained() -> nn.Module:
    net = Encoder(True).eval()
    net.encoder.layers[1].dropout.train()
    return net


PICTURE = np.zeros((40, 60, 3), np.uint8)
SLIPS: dict[str, tuple[Callable[[], object], str]] = {
    "training mode": (lambda: vizapp.analyse(small_vit().net.train(), PICTURE), "training mode"),
    "traced": (
        lambda: vizapp.analyse(torch.jit.trace(small_vit().net, torch.zeros(1, 3, 32, 32)), PICTURE),
        "traced or scripted",
    ),
    "no attention": (
        lambda: vizapp.analyse(nn.Sequential(nn.Conv2d(3, 2, 8), nn.Flatten(1)).eval(), PICTURE),
        "no attention",
    ),
    "a dict": (lambda: vizapp.analyse({}, PICTURE), "was expected, but got dict"),
    "no network": (lambda: vizapp.describe(3), "but got int"),
    "a part in training mode": (
        lambda: vizapp.describe(half_trained()),
        r"encoder\.layers\.1\.dropout of Encoder is in training",
    ),
    "it wants more": (lambda: seen_by(NeedsMore(True)), "missing 1 required.*wrap it"),
    "it gives nothing": (lambda: seen_by(GivesNothing(True)), "returns NoneType.*wrap it"),
    "no numbers, no labels": (lambda: vizapp.analyse(spoiled(), np.zeros((64, 96, 3), np.uint8)), "no numbers"),
    "no layout": (lambda: vizapp.analyse(Encoder(True).eval(), "x.png", layout=(8, 12)), "is no layout"),
    "no grid": (lambda: TokenLayout(("cls",), (-1, 8)), "not possible"),
    "no truth": (lambda: vizapp.analyse("toy", "x.png", truth=np.zeros((4, 4), bool)), "a list of Truth"),
    "no mask": (lambda: vizapp.compare(seen_by(Encoder(True)), ["rollout"], truth="mask.png"), "The mask is no array"),
    "no patch": (lambda: vizapp.leave_out(seen_by(Encoder(True)), (3, 4)), "3 is no patch"),
    "which dog": (lambda: seen_by(Encoder(True)).class_index("dog"), r"1 \(dog\), 2 \(dog\)"),
    "no folder": (
        lambda: vizapp.compare(seen_by(Encoder(True)), "rollout", steps=0).save("no/where.csv"),
        "cannot be written",
    ),
    "size": (lambda: Preprocess((0, 64)), "not possible"),
    "size of one number": (lambda: Preprocess(64), r"\(height, width\)"),
    "crop": (lambda: Preprocess((64, 64), crop=0), "crop of 0"),
    "interpolation": (lambda: Preprocess((64, 64), interpolation="bicubik"), "bicubic"),
    "colours": (lambda: Preprocess((64, 64), mean=(0, 0, 0), std=(0, 1, 1)), "above 0"),
}


@pytest.mark.filterwarnings("ignore")  # of tracing
@together("slip", SLIPS)
def test_a_slip_is_a_sentence(slip: str) -> None:
    make, words = SLIPS[slip]
    with pytest.raises(VizError, match=words):
        make()


def test_numbers_of_numpy_and_numbers_in_words_are_numbers() -> None:
    seen = seen_by(Encoder(True))
    assert vizapp.explain(seen, "attention", layer=np.int64(1), head=np.int64(0)).settings["layer"] == 1
    assert seen.class_index("4") == 4
    assert seen.class_index("281") == 3, "a label is asked first"
    vizapp.explain(seen, "chefer", target="0")
