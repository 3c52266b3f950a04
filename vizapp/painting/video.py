"""Turns a film into a film of maps: the map of every frame over that frame, on one scale throughout."""

import hashlib
import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from vizapp.analysis import Analysis
from vizapp.analysis.provenance import of_model, own_version
from vizapp.analysis.record import describe, made_from
from vizapp.core import callable_method
from vizapp.core.attention.relevance import Share
from vizapp.core.attention.trace import Query
from vizapp.core.interventions import Edit
from vizapp.core.methods import Method
from vizapp.core.target import Target
from vizapp.errors import VizError, writing
from vizapp.model.frame import Frame
from vizapp.model.preprocess import Fit
from vizapp.model.spec import VisionModel
from vizapp.painting import fixed_top
from vizapp.painting.kept_maps import KeptMaps
from vizapp.picture.frames import Footage, footage
from vizapp.pipeline import descriptions, model_of
from vizapp.pipeline.batches import analyse_many, explain_many
from vizapp.render.colour import DIVERGING, lut
from vizapp.render.moving import check_name, even, write_film
from vizapp.render.overlay import Style, overlay
from vizapp.render.sheet import Bar, bar_alone
from vizapp.render.small import resized
from vizapp.whole_file import written_whole

SIDES = (320, 1280)  # pixels of the longest side of a painted frame
SAMPLE = 12  # frames from which the colours of a .gif are chosen


def video(
    model: VisionModel | nn.Module | str,
    source: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    method: str | Callable[..., Any] = "attention",
    query: Query | None = None,
    target: Target | str | None = None,
    scale: str | float = "fixed",
    fit: Fit | None = None,
    edits: str | Edit | Iterable[str | Edit] = (),
    batch: int = 8,
    on_progress: Callable[[str, int, int], None] = lambda part, done, of: None,
    **settings: Any,
) -> int:
    """Write a film of the maps of another film's frames, over these, beside one colour bar.

    Memory does not grow with the film. Maps are kept in PATH.part: if a run is stopped, the same call continues it, with the
    same result. Once all frames are analysed, they are painted into a file beside `path`, which gets its name at the end.
    Frames are painted with a longest side of 320 to 1280 pixels.

    Parameters
    ----------
    model
        as for `analyse`; a network of your own is described here, too, as for `describe`
    source
        .mp4, .webm, .avi and anything else that opencv reads, or an animated .gif; frames keep their times; no sound
    path
        .gif, or .mp4 and .webm with the extra vizapp[film]
    method
        as for `explain`, as are `query`, `target` and `settings` (layer, head ...); without a target, class-specific methods
        explain each frame's most probable class. With a callable of yours, a stopped run starts over
    scale
        "fixed": from zero to the largest value of all frames, so that a colour means the same value throughout; "frame": up
        to each frame's own largest value, which flickers; or a number above zero, the value of the top colour
    batch
        frames that go through the network together
    on_progress
        called with "maps" or "frames", how many are done, and of how many (0 if the file does not tell)

    Returns
    -------
    int
        the number of frames

    Raises
    ------
    VizError
        for a file that is not a film or has no frame, for a name that no film has, without the encoder, and as `explain` does
    """
    source, path = Path(source), Path(path)
    check_name(path)
    top = fixed_top(scale, "fixed", "frame")
    if batch < 1:
        raise VizError("A batch holds at least one frame; got {batch}.", "8 is usual.", batch=batch)
    if os.path.exists(path) and os.path.exists(source) and path.samefile(source):
        raise VizError("The film would be written over the one that is read.", "Give it another name.")
    ((_, chosen),) = callable_method.by_name(method).items()  # raises for an unknown method before any frame is read
    of_method = callable_method.settings_of(chosen)
    described = {name: settings.pop(name) for name in descriptions() if name in settings and name not in of_method}
    callable_method.check(chosen, settings)
    film = footage(source)
    model = model_of(model, described, video)
    edits = [edits] if isinstance(edits, (str, Edit)) else list(edits)
    asked = {
        "method": _said_of(method),
        "query": query,
        "target": _said_of(target) if callable(target) else target,
        "fit": fit,
        "edits": list(map(str, edits)),
        **settings,
    }
    kept = KeptMaps(path, {"film": _sha256(source), "vizapp": own_version(), **of_model(model), **asked})
    seen = analyse_many(
        model, (rgb for rgb, _ in film.frames(start=kept.count)), fit=fit, batch=batch, edits=tuple(edits)
    )
    for one, relevance in _explained(seen, method, batch, query=query, target=target, **settings):
        kept.add(relevance.scores, {} if kept.count else _about(one, relevance))
        on_progress("maps", kept.count, max(film.count, kept.count) if film.count else 0)
    count = _write(film, path, _Painter(kept, scale == "frame", top), on_progress)
    kept.done()
    return count


def _said_of(method: str | Callable[..., Any]) -> str:
    """A text that identifies a method or a target. Callables of one name cannot be told apart: each run gets a new text."""
    if isinstance(method, str):
        return method
    return method.name if isinstance(method, Method) else f"{callable_method.name_of(method)} {uuid.uuid4()}"


def _explained(
    seen: Iterator[Analysis], method: str | Callable[..., Any], batch: int, **how: Any
) -> Iterator[tuple[Analysis, Any]]:
    """Each analysis with its map. `explain_many` may hold a batch of analyses before it gives the first map."""
    waiting: list[Analysis] = []

    def through() -> Iterator[Analysis]:
        for one in seen:
            waiting.append(one)
            yield one

    for relevance in explain_many(through(), method, batch=batch, **how):
        yield waiting.pop(0), relevance


def _about(seen: Analysis, relevance: Any) -> dict[str, Any]:
    """The facts that all maps of a film have in common, for JSON."""
    of = made_from(seen, relevance)
    of.pop("picture_sha256")  # belongs to one frame only
    return {
        "frame": astuple(seen.frame),
        "unit": str(relevance.unit),
        "is_share": isinstance(relevance.unit, Share),
        "signed": relevance.signed,
        "of": describe(relevance),
        **({} if relevance.hidden is None else {"hidden": relevance.hidden.tolist()}),
        "made": of,
    }


class _Painter:
    """Paints frames with their maps, and the bar beside them."""

    def __init__(self, kept: KeptMaps, is_own: bool, top: float | None) -> None:
        self.kept, self.is_own, about = kept, is_own, kept.about
        self.frame = Frame(*(tuple(one) for one in about["frame"]))
        self.high = (max(-kept.low, kept.high) or 1.0) if top is None else top
        self.colours = DIVERGING[0] if about["signed"] else Style().colours
        top, unit = (1.0, "share of each frame’s largest value") if self.is_own else (self.high, about["unit"])
        low = -top if about["signed"] else 0.0
        self.scale = Bar(self.colours, low, top, unit, about["is_share"] or self.is_own)
        self.hidden = np.array(about["hidden"]) if "hidden" in about else None
        self.bar: np.ndarray | None = None

    def __call__(self, rgb: np.ndarray, scores: np.ndarray) -> np.ndarray:
        picture, on = resized(rgb, self.frame, SIDES)
        high = float(np.abs(scores).max()) if self.is_own else self.high
        painted = overlay(picture, on, scores, Style(colour_map=self.colours, high=high), self.hidden)
        if self.bar is None:  # all frames are as high as the first
            self.bar = bar_alone(len(painted), self.scale)
        return even(np.hstack([painted, self.bar]))


def _write(film: Footage, path: Path, painter: _Painter, on_progress: Callable[[str, int, int], None]) -> int:
    kept = painter.kept

    def pairs() -> Iterator[tuple[tuple[np.ndarray, float], np.ndarray]]:
        return zip(film.frames(), kept, strict=False)

    def shown() -> Iterator[tuple[np.ndarray, float]]:
        for done, ((rgb, seconds), scores) in enumerate(pairs(), 1):
            yield painter(rgb, scores), seconds
            on_progress("frames", done, kept.count)

    every = -(-kept.count // SAMPLE)
    some = (painter(rgb, scores) for n, ((rgb, _), scores) in enumerate(pairs()) if n % every == every // 2)
    about = kept.about["made"] | {
        "film_sha256": kept.asked["film"],
        "frames": kept.count,
        "scale": "frame" if painter.is_own else painter.high,
        "of": kept.about["of"],
    }
    with writing(path), written_whole(path) as unfinished:
        return write_film(shown(), unfinished, about, some, lut(painter.colours))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
