"""The targets of methods on the page: a class of the network, a sentence if it reads, a thing that the visitor taught it.

A choice on the page is the index of a class, NOBODY, or "taught 0", the number of a thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vizapp.analysis import Analysis, Request
from vizapp.core.target import Target
from vizapp.pipeline.captions import Sentence, text
from vizapp.pipeline.comparison import Comparison, label_of
from vizapp.pipeline.teaching import from_prototypes
from vizapp.ui import comparison_html, zero_gpu
from vizapp.ui.comparison_files import drawable
from vizapp.ui.session import Session
from vizapp.ui.taught_classes import Things
from vizapp.ui.words import Words

NOBODY = -1  # "compare with" nothing
TOP = 5  # classes that are named first
TAUGHT = "taught "
Choice = int | str | None


@dataclass(frozen=True, eq=False)
class Aim:
    """target of methods, None if nothing is explained; seen by the network of that target; and how it is computed."""

    seen: Analysis
    target: Target | None
    computing: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Aims:
    """Turns choices into targets for the request on the stage. Use it inside a job: a taught network has to analyse, too."""

    session: Session
    about: Request
    things: Things | None
    words: Words

    def of(self, choice: Choice, sentence: str | None = None) -> Aim:
        """Return the target of a choice; a sentence takes precedence. A choice for the earlier model counts as none."""
        seen, number = self.session.analysis(self.about), number_of(choice)
        if said := _said(sentence, seen):
            return Aim(seen, said, zero_gpu.computing(self.about))
        things = self.things and self.things.of(seen)
        if things and number is not None and number < len(things.names):
            return Aim(self._by_things, number, {})
        is_class = isinstance(choice, int) and 0 <= choice < (len(seen.labels) or _row(seen))
        return Aim(seen, int(choice or 0) if is_class else None, zero_gpu.computing(self.about))

    @cached_property
    def _by_things(self) -> Analysis:
        """Analyse the picture by the network as a classifier of things."""
        seen, things = self.session.analysis(self.about), self.things
        assert things is not None
        # Files name them too, and the network may have a class of the same name.
        names = [drawable(self.words).say("page", "taught_class", name=one) for one in things.names]
        return self.session.seen_by(from_prototypes(seen, names, things.means).model, self.about)


def number_of(choice: Choice) -> int | None:
    """Return the number of the chosen thing; None: no thing is chosen."""
    number = choice.removeprefix(TAUGHT) if isinstance(choice, str) and choice.startswith(TAUGHT) else ""
    return int(number) if number.isdecimal() and number.isascii() else None


def choices_of(words: Words, seen: Analysis, things: Things | None) -> list[tuple[str, int | str]]:
    """(label, choice): things first, then all classes; the most probable ones come first, with their probability.

    Of outputs without labels, the largest.
    """
    names = things.names if things else ()
    taught = [(words.say("page", "taught_class", name=one), f"{TAUGHT}{number}") for number, one in enumerate(names)]
    best = dict(seen.best(TOP))
    labels = [words.translate(one) for one in seen.labels]
    first = [(f"{labels[index]} \u00b7 {share:.1%}", index) for index, share in best.items()]
    if not seen.labels and seen.context is not None and seen.context.chooses:
        largest = int(seen.trace.largest or 0)
        label = words.translate(label_of(seen, largest))
        first = [(words.say("page", "largest_output", label=label), largest)]
    rest = [(label, index) for index, label in enumerate(labels) if index not in best]
    return [*taught, *first, *(rest if best else [])]


def _row(seen: Analysis) -> int:
    """The number of outputs of a network that gives one row of them."""
    return seen.trace.outputs[0] if len(seen.trace.outputs) == 1 else 0


def reads(seen: Analysis) -> bool:
    """Tell whether a sentence can be a target here."""
    return seen.context is not None and seen.context.model.texts is not None


def _said(sentence: str | None, seen: Analysis) -> Sentence | None:
    """Return the typed sentence if the model reads; it may have been typed for the earlier model."""
    if not sentence or not sentence.strip() or seen.context is None or not reads(seen):
        return None
    return text(seen.context.model, sentence)


def title(result: Comparison, second: Comparison | None, words: Words) -> str:
    """Name the subject of a comparison."""
    model = result.seen.model_name
    if result.target is None:
        return words.say("page", "title_no_class", model=model)
    one, *other = (comparison_html.said_of(words, found.seen, found.target) for found in (result, second) if found)
    if not other:
        return words.say("page", "title_class", model=model, label=one)
    return words.say("page", "title_classes", model=model, label=one, other=other[0])
