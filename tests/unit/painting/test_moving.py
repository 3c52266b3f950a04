"""A film through the layers: a frame per layer, one scale, and it plays where people watch films."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.networks import small_vit
from vizapp.analysis import Analysis
from vizapp.cli import main
from vizapp.errors import VizError
from vizapp.painting.kept_maps import KeptMaps
from vizapp.painting.video import _Painter as Painter
from vizapp.render.colour import lut
from vizapp.render.figure import pixels
from vizapp.render.moving import even


@pytest.fixture(scope="module")
def seen() -> Analysis:
    return vizapp.analyse(small_vit(), np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8))


def frames_of(file: Path) -> tuple[list[np.ndarray], dict]:
    with Image.open(file) as film:
        found, about = [], json.loads(film.info["comment"])
        for number in range(film.n_frames):
            film.seek(number)
            assert film.info["duration"] == 400
            found.append(np.asarray(film.convert("RGB")).astype(int))
    return found, about


def test_a_gif_has_a_frame_per_layer_on_one_scale(seen: Analysis, tmp_path: Path) -> None:
    file = tmp_path / "layers.gif"
    assert vizapp.film(seen, file, seconds=0.4) == 3
    frames, about = frames_of(file)
    maps = [vizapp.explain(seen, "attention", layer=layer).scores for layer in range(3)]
    assert about["scale"] == pytest.approx(max(float(one.max()) for one in maps))
    assert about["layers"] == [0, 1, 2]
    assert about["vizapp"] == vizapp.__version__
    assert len(frames) == 3
    height, width = frames[0].shape[:2]
    # Colour bar and its numbers, right of the pictures, are the same in every frame; the maps left of it are not.
    bars = [one[int(0.2 * height) :, int(0.86 * width) :] for one in frames]
    assert all(np.array_equal(bars[0], other) for other in bars)
    assert np.abs(frames[0] - frames[1]).mean() > 0.5
    # The bar keeps its colours: its top is the top of viridis, and a step of it is no larger than one of 64.
    top = lut("viridis")[-1].astype(int)
    assert np.abs(frames[0].reshape(-1, 3) - top).sum(1).min() < 10
    bar = [one for one in lut("viridis")[::4].astype(int) if np.abs(bars[0].reshape(-1, 3) - one).sum(1).min() < 10]
    assert len(bar) > 55


def test_a_film_may_be_about_one_class(seen: Analysis, tmp_path: Path) -> None:
    """`target` reaches the maps: of another class, another scale and other frames."""
    tops = []
    for target in (0, 1):
        file = tmp_path / f"class{target}.gif"
        vizapp.film(seen, file, method="gradient_attention", target=target, seconds=0.4)
        maps = [vizapp.explain(seen, "gradient_attention", target=target, layer=layer).scores for layer in range(3)]
        _, about = frames_of(file)
        assert about["target"] == target
        assert about["scale"] == pytest.approx(max(float(np.abs(one).max()) for one in maps))
        tops.append(about["scale"])
    assert tops[0] != pytest.approx(tops[1])


def test_slips_are_said(seen: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VizError, match=r"\.gif, \.mp4, \.webm"):
        vizapp.film(seen, tmp_path / "layers.avi")
    with pytest.raises(VizError, match="chefer has no map of a single layer"):
        vizapp.film(seen, tmp_path / "layers.gif", method="chefer")
    with pytest.raises(VizError, match="some time"):
        vizapp.film(seen, tmp_path / "layers.gif", seconds=0)
    with pytest.raises(VizError, match="cannot be written"):
        vizapp.film(seen, tmp_path / "no" / "layers.gif")
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    with pytest.raises(VizError, match="need the package av") as caught:
        vizapp.film(seen, tmp_path / "layers.mp4")
    assert 'pip install "vizapp[film]"' in caught.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("suffix", "codec"), [(".mp4", "h264"), (".webm", "vp9")])
def test_what_was_encoded_is_what_was_drawn(seen: Analysis, tmp_path: Path, suffix: str, codec: str) -> None:
    av = pytest.importorskip("av", reason="av is an extra: pip install vizapp[film]")
    file = tmp_path / f"layers{suffix}"
    vizapp.film(seen, tmp_path / "layers.gif", method="rollout", seconds=0.4)
    vizapp.film(seen, file, method="rollout", seconds=0.4)
    drawn, _ = frames_of(tmp_path / "layers.gif")
    with av.open(str(file)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name.startswith(codec) or codec in stream.codec_context.name
        about = json.loads({name.lower(): one for name, one in container.metadata.items()}["comment"])
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
    assert about["weights_sha256"]
    assert len(frames) == 3 * 4, "ten a second, 0.4 s each"
    for number, expected in enumerate(drawn):
        assert np.abs(frames[4 * number + 1] - expected).mean() < 12


def test_the_command_line_makes_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image.fromarray(np.zeros((30, 30, 3), np.uint8)).save(tmp_path / "a.png")
    out = tmp_path / "a.gif"
    assert main(["film", str(tmp_path / "a.png"), "-o", str(out), "--device", "cpu", "--seconds", "0.4"]) == 0
    assert "5 layers" in capsys.readouterr().out
    assert len(frames_of(out)[0]) == 5


def test_sides_are_even(seen: Analysis) -> None:
    """As yuv420p asks for."""
    figure = vizapp.plot(seen, vizapp.explain(seen))
    figure.set_size_inches(3.33, 2.01)
    assert [side % 2 for side in even(pixels(figure)).shape[:2]] == [0, 0]


def test_both_sides_of_zero_are_on_the_scale(tmp_path: Path) -> None:
    """Of a method whose values are mostly below zero the lowest is as far out as the highest could be."""
    kept = KeptMaps(tmp_path / "film.gif", {})
    about = {"frame": [[8, 8], [8, 8], [1, 1], [0, 0]], "unit": "", "is_share": False, "signed": True}
    for low in (-2.0, -3.0):
        kept.add(np.array([[low, 1.0]]), about)
    scale = Painter(kept, False, None).scale
    assert (scale.low, scale.high) == (-3, 3)
