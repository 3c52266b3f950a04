"""Maps that are made before a page is opened: of networks that do not run in a browser, or are not on board.

They are the payload that a server sends (ui/viewer/payload.py), and what the page would ask a server about them.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import vizapp.pipeline as pipeline
from vizapp.analysis import Analysis
from vizapp.analysis.record import made_from
from vizapp.browser.cargo import Cargo
from vizapp.browser.headers import header_of, in_each_language
from vizapp.browser.shelf import Shown
from vizapp.model import load
from vizapp.model.spec import VisionModel
from vizapp.ui.places import Asked
from vizapp.ui.viewer import ask
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import Words

ROOM_FOR_MEANS = 1_000_000  # bytes, of a picture; a bundled network takes 200,000
BY_ITSELF: tuple[tuple[str, Any], ...] = (("proof", None), ("sinks", None))  # what the page asks of any maps

Answers = Mapping[str, Mapping[str, Any]]  # language -> kind and what was asked, as the page writes it -> answer


@dataclass(frozen=True)
class Ready:
    """The maps of one picture.

    payload  as the viewer reads it, with the sentences of the first language
    headers  language -> what its header says otherwise
    answers  to what the page asks of them
    about    where they come from, for files that are saved
    """

    payload: bytes
    headers: Mapping[str, Mapping[str, Any]]
    answers: Answers
    about: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        seen: Analysis,
        languages: Mapping[str, Words],
        asked: Asked | None = None,
        caution: str = "",
        **room: int,
    ) -> Ready:
        """Of an analysis, in each language; `room`: bytes for what other queries than the classifier's need, as for `pack`."""
        payload, headers = in_each_language(seen, languages, asked, caution, **room)
        return cls(payload, headers, answered(seen, languages, BY_ITSELF), made_from(seen))

    def said(self, cargo: Cargo) -> dict[str, Any]:
        """As the page gets it; the payload goes on board."""
        return {"payload": cargo.add(self.payload), "headers": self.headers, "about": self.about}


def ready(model: VisionModel, shown: Shown, languages: Mapping[str, Words], *, is_short: bool = False) -> Ready:
    """Look at a picture now. `is_short`: of other queries than the classifier's only the mean of the heads is kept, a quarter of
    all; of a film, which has as many maps as steps, none."""
    seen = pipeline.analyse(model, shown.pixels, truth=shown.truth)
    caution = "caution_scenes" if model.subject == "scenes" and shown.asked is None else ""
    room = dict(room=0, room_for_means=0 if model.film else ROOM_FOR_MEANS) if is_short else {}
    return Ready.of(seen, languages, shown.asked, caution, **room)


def moments(name: str, shown: Shown, languages: Mapping[str, Words], cargo: Cargo) -> dict[str, dict[str, Any]]:
    """Step -> the maps of a film's network at that step, short, and without the picture, which those of the start have."""
    film = pipeline.load(name).film
    found = {}
    for step in film.steps if film else ():
        seen = pipeline.analyse(load(f"{name}?step={step}"), shown.pixels, truth=shown.truth)
        made = Ready.of(seen, languages, shown.asked, room=0)
        said = {"payload": cargo.add(without_picture(made.payload)), "headers": made.headers}
        found[str(step)] = said | {"sinks": next(iter(made.answers.values())).get("sinks null", {}).get("sinks")}
    return found


def without_picture(packed: bytes) -> bytes:
    """A payload whose first block, the picture, is left out; the browser puts it back (page/header.js)."""
    (length,) = struct.unpack("<I", packed[4:8])
    start, (offset, _, (count,)) = 8 + length, header_of(packed)["blocks"]["picture"]
    assert offset == 0, "the picture comes first"
    return packed[:start] + packed[start + count + -count % 8 :]


def answered(seen: Analysis, languages: Mapping[str, Words], asked: Iterable[tuple[str, Any]]) -> Answers:
    """What a server would answer: of each kind, `what` was asked of it. Without a network nobody can be asked."""
    if seen.context is None:
        return {}

    def look() -> Analysis:
        return seen

    run = Run(uuid4().hex, seen, seen.context.model, look, (), True)
    ask.remember(run)
    return {
        name: {
            f"{kind} {json.dumps(what)}": answer
            for kind, what in asked
            if (answer := ask.kinds()[kind].answer(run.name, what, words))
        }
        for name, words in languages.items()
    }
