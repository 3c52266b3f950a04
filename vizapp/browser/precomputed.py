"""Makes maps in advance for a page without a server, for networks that do not run in a browser or are not included.

They consist of the payload that a server sends (ui/viewer/payload.py), and the answers that the page would ask a server for.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import vizapp.pipeline as pipeline
from vizapp.analysis import Analysis
from vizapp.analysis.record import made_from
from vizapp.browser.cargo import Cargo
from vizapp.browser.shelf import Shown
from vizapp.browser.translated_headers import in_each_language
from vizapp.model import load
from vizapp.model.spec import VisionModel
from vizapp.ui.lesson_pictures import Asked
from vizapp.ui.viewer import ask
from vizapp.ui.viewer.payload import Packed
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import Words
from vizapp.vocabulary import Question

ROOM_FOR_MEANS = 1_000_000  # bytes, of a picture; a bundled network takes 200,000
BY_ITSELF: tuple[tuple[Question, Any], ...] = (("proof", None), ("sinks", None))  # asked about all maps

Answers = Mapping[str, Mapping[str, Any]]  # language -> kind and what was asked, as the page writes it -> answer


@dataclass(frozen=True)
class Ready:
    """The maps of one picture.

    payload  as the viewer reads it, with the sentences of the first language
    headers  language -> the fields of the header that differ
    answers  to the page's questions
    about    the provenance for saved files
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
    ) -> "Ready":
        """Make the maps of an analysis in each language. `room`: bytes for queries other than the classifier's, as for `pack`."""
        payload, headers = in_each_language(seen, languages, asked, caution, **room)
        return cls(payload, headers, answered(seen, languages, BY_ITSELF), made_from(seen))

    def said(self, cargo: Cargo) -> dict[str, Any]:
        """The description for the page. Adds the payload to the cargo."""
        return {"payload": cargo.add(self.payload), "headers": self.headers, "about": self.about}


def ready(model: VisionModel, shown: Shown, languages: Mapping[str, Words], *, is_short: bool = False) -> Ready:
    """Analyse a picture. `is_short`: for queries other than the classifier's, keep only the mean of the heads, a quarter of all
    bytes; for a film, which has maps for each step, keep none."""
    seen = pipeline.analyse(model, shown.pixels, truth=shown.truth)
    seen = replace(seen, notes=(*seen.notes, shown.note)) if shown.note else seen
    room = dict(room=0, room_for_means=0 if model.film else ROOM_FOR_MEANS) if is_short else {}
    return Ready.of(seen, languages, shown.asked, caution_of(model, shown), **room)


def caution_of(model: VisionModel, shown: Shown) -> str:
    """The page's word for why the network's labels mean nothing for a picture; "" if they may."""
    return "caution_scenes" if model.subject == "scenes" and not shown.drawn else ""


def moments(name: str, shown: Shown, languages: Mapping[str, Words], cargo: Cargo) -> dict[str, dict[str, Any]]:
    """Step -> the short maps of a film's network at that step, without the picture, which the first step's maps contain."""
    film = pipeline.load(name).film
    found = {}
    for step in film.steps if film else ():
        seen = pipeline.analyse(load(f"{name}?step={step}"), shown.pixels, truth=shown.truth)
        made = Ready.of(seen, languages, shown.asked, room=0)
        said = {"payload": cargo.add(without_picture(made.payload)), "headers": made.headers}
        found[str(step)] = said | {"sinks": next(iter(made.answers.values())).get("sinks null", {}).get("sinks")}
    return found


def without_picture(packed: bytes) -> bytes:
    """Remove the first block of a payload, the picture. The browser puts it back (page/header.js)."""
    told = Packed.of(packed)
    offset, _, (count,) = told.header["blocks"]["picture"]
    assert offset == 0, "the picture comes first"
    return packed[: told.start] + packed[told.start + count + -count % 8 :]


def answered(seen: Analysis, languages: Mapping[str, Words], asked: Iterable[tuple[Question, Any]]) -> Answers:
    """The answers of a server to the questions (kind, what), stored because the page has no network to ask."""
    if seen.context is None:
        return {}
    run = Run(uuid4().hex, seen, seen.context.model, lambda: seen, (), True)
    ask.remember(run)
    return {
        name: {
            f"{kind} {json.dumps(what)}": answer
            for kind, what in asked
            if (answer := ask.kinds()[kind].answer(run.name, what, words))
        }
        for name, words in languages.items()
    }
