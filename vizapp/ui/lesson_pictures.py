"""Pictures of lessons: their numbers, their size, and the question about each."""

import re
from dataclasses import dataclass

from vizapp.analysis import Truth
from vizapp.model.toy.labels import spoken
from vizapp.model.toy.lessons import LESSONS, Example, Lesson

SIZE = 448  # pixels: four times what the networks see, for the eyes
PER_LESSON = 40  # pictures of each; then the first one comes again


@dataclass(frozen=True)
class Place:
    """A picture of a lesson set: `number` from 0; `is_bare`: without the tell-tale mark of a set that has one."""

    name: str
    number: int
    is_bare: bool = False

    def __str__(self) -> str:
        """Return its name in a link."""
        return f"{self.name}/{self.number}" + ("/bare" if self.is_bare else "")

    @classmethod
    def of(cls, text: str) -> "Place | None":
        """Read such a name; None if it is not a picture of a lesson."""
        found = re.fullmatch(r"([a-z]+)/(0|[1-9]\d{0,8})(/bare)?", text)
        if not found or found[1] not in LESSONS or int(found[2]) >= PER_LESSON:
            return None
        if found[3] and not LESSONS[found[1]].bare:
            return None
        return cls(found[1], int(found[2]), bool(found[3]))

    def drawn(self) -> Example:
        """Render the picture, with everything that is known about it."""
        return LESSONS[self.name].example(self.number, SIZE, is_bare=self.is_bare)


@dataclass(frozen=True)
class Asked:
    """The question of a lesson about a picture, and the right answers.

    place    the picture's place in its set
    answers  the labels that are right
    """

    place: Place
    lesson: Lesson
    answers: tuple[str, ...]


def truth_of(drawn: Example) -> tuple[Truth, ...]:
    """List the known objects of a drawn picture: its things, and the tell-tale mark if it has one."""
    mark = () if drawn.mark is None else (Truth(spoken("bar code"), drawn.mark, is_object=False),)
    return (*(Truth(spoken(thing.name), thing.mask) for thing in drawn.objects), *mark)


def asked_at(place: Place, drawn: Example) -> Asked:
    """Return the lesson's question about the picture at a place."""
    lesson = LESSONS[place.name]
    return Asked(place, lesson, tuple(spoken(lesson.classes[one]) for one in drawn.answers))
