"""A film in, a film out: the map follows what moves, one colour is one value, and a run that was stopped goes on where it was."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import vizapp
from support.films import moving, write_gif, write_mp4
from vizapp import painting
from vizapp.cli import main
from vizapp.core.attention.trace import AttentionTrace
from vizapp.errors import VizError
from vizapp.painting.kept_maps import KeptMaps
from vizapp.painting.video import SIDES
from vizapp.picture import read_picture
from vizapp.picture.frames import footage, is_film


def painted(file: Path) -> list[np.ndarray]:
    return [rgb for rgb, _ in footage(file).frames()]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mp4(tmp_path_factory.mktemp("film") / "moving.mp4", moving(9))


class Stopped(Exception):
    pass


def stopped_after(count: int, part: str) -> Callable[[str, int, int], None]:
    def tell(now: str, done: int, of: int) -> None:
        if (now, done) == (part, count):
            raise Stopped

    return tell


def test_the_map_follows_what_moves(film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted truth: a thing goes from left to right, and so does the bright part of what is painted."""
    pytest.importorskip("av", reason="av is an extra: pip install vizapp[film]")
    maps: list[np.ndarray] = []
    add = KeptMaps.add
    monkeypatch.setattr(KeptMaps, "add", lambda self, scores, about: (maps.append(scores), add(self, scores, about))[1])
    out = tmp_path / "maps.mp4"
    assert vizapp.video("toy", film, out, layer=-1) == 9
    seen = [vizapp.analyse("toy", rgb) for rgb, _ in footage(film).frames()]
    alone = [vizapp.explain(one, "attention", layer=-1) for one in seen]
    assert len(maps) == 9
    assert all(np.abs(one - other.scores).max() < 1e-5 for one, other in zip(maps, alone, strict=True)), "as alone"
    across = [float((one.sum(0) @ np.arange(one.shape[1])) / one.sum()) for one in maps]
    assert np.corrcoef(across, np.arange(9))[0, 1] > 0.95
    assert across[-1] - across[0] > 4, "of 14 columns"
    # What is painted is the map of that frame on that frame, and not of its neighbour.
    top = max(float(one.scores.max()) for one in alone)
    expected = [
        painting.painted(painting.in_size(one, SIDES), its, painting.scaled(one, its, top, None))
        for one, its in zip(seen, alone, strict=True)
    ]
    for number, one in enumerate(painted(out)):
        off = [np.abs(one[:, :336].astype(int) - other).mean() for other in expected]
        assert np.argmin(off) == number
        assert off[number] < 4
    assert sorted(file.name for file in tmp_path.iterdir()) == ["maps.mp4"]


def test_one_colour_is_one_value_from_beginning_to_end(film: Path, tmp_path: Path) -> None:
    """The bar is the same in every frame, and of one pixel of the ground the colour changes with its value only."""
    tops = {}
    for scale in ("fixed", "frame", 0.5):
        out = tmp_path / f"{scale}.gif"
        vizapp.video("toy", film, out, scale=scale)
        frames = painted(out)
        assert all(np.array_equal(one[:, 340:], frames[0][:, 340:]) for one in frames)
        with Image.open(out) as gif:
            tops[scale] = json.loads(gif.info["comment"])["scale"]
    maps = [vizapp.explain(vizapp.analyse("toy", rgb), "attention").scores for rgb, _ in footage(film).frames()]
    assert tops["fixed"] == pytest.approx(max(one.max() for one in maps), rel=1e-4)
    assert (tops["frame"], tops[0.5]) == ("frame", 0.5)


@pytest.mark.parametrize(("part", "after"), [("maps", 4), ("frames", 3)])
def test_a_run_that_was_stopped_goes_on_where_it_was(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, after: int
) -> None:
    """Its film is, byte for byte, that of one run, and no frame goes through the network twice."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")  # the only thing that differs is when it was made
    once, twice = tmp_path / "once.gif", tmp_path / "twice.gif"
    vizapp.video("toy", film, once, batch=2)
    with pytest.raises(Stopped):
        vizapp.video("toy", film, twice, batch=2, on_progress=stopped_after(after, part))
    assert not twice.exists()
    assert (tmp_path / "twice.gif.part").exists()
    told: list[tuple[str, int]] = []
    vizapp.video("toy", film, twice, batch=2, on_progress=lambda part, done, of: told.append((part, done)))
    first = after + 1 if part == "maps" else 10
    assert [done for part, done in told if part == "maps"] == list(range(first, 10))
    assert twice.read_bytes() == once.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["once.gif", "twice.gif"]


def test_what_was_kept_is_not_taken_for_something_else(film: Path, tmp_path: Path) -> None:
    """Half a line, a spoiled one, and the maps of another layer: those frames are looked at again."""
    out, part = tmp_path / "maps.gif", tmp_path / "maps.gif.part"

    def looked_at(**settings: int) -> int:
        told: list[str] = []
        vizapp.video("toy", film, out, on_progress=lambda part, done, of: told.append(part), **settings)
        return told.count("maps")

    def stop() -> bytes:
        with pytest.raises(Stopped):
            vizapp.video("toy", film, out, on_progress=stopped_after(6, "maps"))
        return part.read_bytes()

    part.write_bytes(stop()[:-1])
    assert looked_at() == 9 - 5
    lines = stop().splitlines(keepends=True)
    lines[3] = lines[3].replace(b"A", b"B", 1)  # in the fourth of six
    part.write_bytes(b"".join(lines))
    assert looked_at() == 9 - 3
    stop()
    assert looked_at(layer=0) == 9


def test_a_method_of_ones_own_is_painted_too(film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`explain` and `compare` took one; a film did not. Another one of that name does not go on with its maps."""
    maps: list[np.ndarray] = []
    add = KeptMaps.add
    monkeypatch.setattr(KeptMaps, "add", lambda self, scores, about: (maps.append(scores), add(self, scores, about))[1])
    out = tmp_path / "own.gif"
    for value in (1.0, 2.0):

        def own(trace: AttentionTrace, query: Any, value: float = value) -> np.ndarray:
            return np.full(trace.layout.grid, value)

        with pytest.raises(Stopped):
            vizapp.video("toy", film, out, method=own, on_progress=stopped_after(4, "maps"))
    assert {float(one.mean()) for one in maps[-4:]} == {2.0}
    with pytest.raises(VizError, match="no method"):
        vizapp.video("toy", film, out, method=3)


@pytest.mark.parametrize("ending", [".mp4", ".avi", ".gif"])
def test_frames_keep_their_colours_and_their_times(tmp_path: Path, ending: str) -> None:
    frames = moving(5)
    write = write_gif if ending == ".gif" else write_mp4
    found = list(footage(write(tmp_path / f"film{ending}", frames)).frames())
    assert len(found) == 5
    assert [seconds for _, seconds in found] == pytest.approx([0.08] * 5, abs=0.002)
    for one, (other, _) in zip(frames, found, strict=True):
        assert np.abs(one.astype(int) - other).mean() < 6, "RGB, not BGR"
    later = list(footage(tmp_path / f"film{ending}").frames(start=3))
    assert len(later) == 2
    assert all(np.array_equal(one, other) for (one, _), (other, _) in zip(found[3:], later, strict=True))


@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy, lambda query: torch.from_numpy(query).bfloat16()])
def test_queries_that_differ_in_the_middle_only_are_two(tmp_path: Path, kind: Callable[[np.ndarray], Any]) -> None:
    """The text of a long array leaves out its middle."""
    one, other = (kind(np.eye(1370, dtype=np.float32)[at]) for at in (600, 900))
    KeptMaps(tmp_path / "maps.gif", {"query": one}).add(np.ones((2, 2)), {})
    assert KeptMaps(tmp_path / "maps.gif", {"query": kind(np.eye(1370, dtype=np.float32)[600])}).count == 1
    assert KeptMaps(tmp_path / "maps.gif", {"query": other}).count == 0


@pytest.mark.parametrize("ending", [".gif", ".png", ".webp"])
def test_what_cannot_be_seen_is_white_as_in_a_picture(tmp_path: Path, ending: str) -> None:
    """Colours that hide behind transparency are none."""
    frames = []
    for left in (8, 16, 24):
        rgba = np.full((40, 60, 4), (200, 0, 0, 0), np.uint8)
        rgba[10:30, left : left + 8] = (0, 0, 200, 255)
        frames.append(Image.fromarray(rgba))
    if ending == ".gif":  # of one palette, whose transparent colour is red
        frames = [Image.fromarray((np.asarray(one)[..., 3] > 0).astype(np.uint8), "P") for one in frames]
        for one in frames:
            one.putpalette([200, 0, 0, 0, 0, 200])
    how = {"transparency": 0, "disposal": 2} if ending == ".gif" else {"lossless": True, "exact": True}
    file = tmp_path / f"film{ending}"
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=100, **how)
    found = painted(file)
    assert len(found) == 3
    np.testing.assert_array_equal(found[0], read_picture(file))
    for rgb, left in zip(found, (8, 16, 24), strict=True):
        expected = np.full((40, 60, 3), 255, np.uint8)
        expected[10:30, left : left + 8] = (0, 0, 200)
        np.testing.assert_array_equal(rgb, expected)


def test_what_comes_out_lasts_as_long(film: Path, tmp_path: Path) -> None:
    pytest.importorskip("av", reason="av is an extra: pip install vizapp[film]")
    for ending in (".mp4", ".webm", ".gif"):
        vizapp.video("toy", film, tmp_path / f"out{ending}", layer=0)
        seconds = [seconds for _, seconds in footage(tmp_path / f"out{ending}").frames()]
        assert seconds[:-1] == pytest.approx([0.08] * 8, abs=0.003), ending
        assert len(seconds) == 9


def test_a_gif_has_what_was_painted(tmp_path: Path) -> None:
    """Of each frame only what changed is written: what is shown is all of it. Times that are no hundredths do not drift."""
    from vizapp.render.moving import palette_of, write_film

    frames = [np.ascontiguousarray(one) for one in moving(7)]
    frames.insert(3, frames[2])
    colours, about = np.zeros((256, 3), np.uint8), {"x": "x" * 600}
    palette = palette_of(frames, colours)
    assert write_film(((one, 1 / 30) for one in frames), tmp_path / "a.gif", about, frames, colours) == 8
    with Image.open(tmp_path / "a.gif") as gif:
        assert json.loads(gif.info["comment"]) == about
    found = list(footage(tmp_path / "a.gif").frames())
    assert sum(seconds for _, seconds in found) == pytest.approx(8 / 30, abs=0.006)
    for one, (other, _) in zip(frames, found, strict=True):
        expected = Image.fromarray(one).quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB")
        assert np.array_equal(np.asarray(expected), other)
    assert any(np.diff([np.abs(a.astype(int) - b).sum() for a, b in pairwise(frames)])), "they differ at all"


def test_slips_are_said(film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    still, text, empty = tmp_path / "still.png", tmp_path / "text.mp4", tmp_path / "empty.avi"
    Image.fromarray(moving(2)[0]).save(still)
    text.write_text("no film")
    write_mp4(empty, moving(2))
    empty.write_bytes(empty.read_bytes()[:4096])
    out = tmp_path / "out.gif"
    for source, said in (
        (still, "one picture"),
        (text, "not a film"),
        (tmp_path / "none.mp4", "no file"),
        (empty, "no"),
    ):
        with pytest.raises(VizError, match=said) as caught:
            vizapp.video("toy", source, out)
        assert caught.value.hint
    for how, said in (
        ({"scale": "layer"}, "no scale"),
        ({"scale": 0}, "above zero"),
        ({"batch": 0}, "at least one"),
        ({"method": "nothing"}, "no method"),
        ({"layer": 77}, "77"),
    ):
        with pytest.raises(VizError, match=said):
            vizapp.video("toy", film, out, **how)
    with pytest.raises(VizError, match="written over"):
        vizapp.video("toy", film, film)
    with pytest.raises(VizError, match=r"\.gif, \.mp4, \.webm"):
        vizapp.video("toy", film, tmp_path / "out.avi")
    with pytest.raises(VizError, match="cannot be written"):
        vizapp.video("toy", film, tmp_path / "no" / "out.gif")
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    with pytest.raises(VizError, match="need the package av"):
        vizapp.video("toy", film, tmp_path / "out.mp4")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["empty.avi", "still.png", "text.mp4"]


def test_the_command_line_tells_films_from_pictures(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    animated, still = write_gif(tmp_path / "in.gif", moving(3)), tmp_path / "still.png"
    Image.fromarray(moving(2)[0]).save(still)
    assert (is_film(film), is_film(animated), is_film(still)) == (True, True, False)
    out = str(tmp_path / "out.gif")
    given = ["--device", "cpu", "--layer", "-1", "--scale", "fixed"]
    assert main(["film", str(animated), "-o", out, *given]) == 0
    assert "3 frames" in capsys.readouterr().out
    assert len(painted(Path(out))) == 3
    assert main(["film", str(still), "-o", out, "--layer", "3"]) == 2
    assert "--layer is for a film" in capsys.readouterr().err
    assert main(["film", str(film), "-o", out, "--seconds", "1"]) == 2
    assert "is for a picture" in capsys.readouterr().err
