"""The ledger of a pass: every known attention, whether it is shown, and if not, why.

A capture writes it, and `check` adds its own findings. Everything that shows a map reads it: the command line, the mark on the
page, `print(seen)`, files, and the sentence beside a map that lacks some attention.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from vizapp.core.attention.sides import Sides, notes_of
from vizapp.wording import Text, listed


@dataclass(frozen=True)
class Entry:
    """One attention of a pass.

    name    its module, or its call if a module has several
    among   its place in the trace: "layers", "cross", or "" if it is not shown
    why     the reason why it is not shown; "" if it is
    beside  True if it mixes no tokens of the picture that a layer builds on (attention between channels, or between the
            words of a sentence): no map lacks it
    sides   for a shown one: how far its queries, keys, values and output were followed, up to the residual stream
    """

    name: str
    among: Literal["layers", "cross", ""] = ""
    why: str = ""
    beside: bool = False
    sides: Sides = field(default_factory=Sides)


@dataclass(frozen=True)
class Ledger:
    """The basis of the maps of a pass.

    entries   every known attention: first the modules that were seen from outside only, then the calls, in their order
    no_chain  why attention cannot be followed from layer to layer, in words; "" if it can. It rules out each method that
              follows it: `vizapp.core.methods.ruled_out`
    said      notes of the pass that must stand with every map: numbers drawn by chance, learned tokens that are new in a layer
    subtracted  the sentence about attention that is subtracted from other attention; "" if none is. Each map is right by
              itself, but the network continues with the difference
    """

    entries: tuple[Entry, ...] = ()
    no_chain: str = ""
    said: tuple[str, ...] = ()
    subtracted: str = ""

    @property
    def shown(self) -> tuple[Entry, ...]:
        """The attentions in the trace."""
        return tuple(one for one in self.entries if one.among)

    @property
    def left_out(self) -> tuple[Entry, ...]:
        """The attentions that a map may lack."""
        return tuple(one for one in self.entries if not one.among and not one.beside)

    @property
    def whole(self) -> bool:
        """Tell whether all attention between tokens of the picture is shown, each weight standing for one patch in its place.

        And no output of attention may be taken from another's. Only then a map may be called exact without another word.
        """
        return not self.left_out and not self.subtracted and all(one.sides.are_followed for one in self.shown)

    @property
    def line(self) -> str:
        """Write the ledger in words: one sentence if it is whole."""
        return self.caution or Text("All {n} attentions of this network are shown.", n=len(self.shown))

    @property
    def caution(self) -> str:
        """Write all reservations in sentences; "" if the ledger is whole."""
        doubts = notes_of({one.name: one.sides for one in self.shown if not one.sides.are_followed})
        parts = [part for part in (self.lacks, self.subtracted, *doubts) if part]
        return listed(parts, " ") if parts else ""

    @property
    def details(self) -> tuple[str, ...]:
        """Write what `caution` leaves out: each attention after the first that is not shown, and what is `said`."""
        others = (Text("{name} is not shown, as {why}.", name=one.name, why=one.why) for one in self.left_out[1:])
        return (*others, *self.said)

    @property
    def lacks(self) -> str:
        """Write the sentence beside each map of tokens: which attention is not shown; "" if all is."""
        lacks = self.left_out
        if not lacks:
            return ""
        some = "Only {shown} of {n} attentions of this network are shown: {name} is not, as {why}."
        if len(lacks) > 1:
            some = "Only {shown} of {n} attentions of this network are shown: {name} and {more} more are not, the first as {why}."
        return Text(
            some,
            shown=len(self.shown),
            n=len(self.shown) + len(lacks),
            name=lacks[0].name,
            why=lacks[0].why,
            more=len(lacks) - 1,
        )

    def and_also(self, entries: Iterable[Entry]) -> "Ledger":
        """Return the ledger with further entries; known ones are not repeated."""
        known = {one.name for one in self.entries}
        return replace(self, entries=(*self.entries, *(one for one in entries if one.name not in known)))

    def in_json(self) -> dict[str, Any]:
        """Return the form for files: {"shown": [names], "left_out": {name: why}, "beside": {name: why}, "no_chain", "sides",
        "said", "subtracted"}.

        "sides" has the entries whose sides are not all "followed": {name: {"values": "mixed"}}.
        """
        sides = {one.name: {k: v for k, v in vars(one.sides).items() if v != "followed"} for one in self.shown}
        return {
            "shown": [one.name for one in self.shown],
            "left_out": {one.name: str(one.why) for one in self.left_out},
            "beside": {one.name: str(one.why) for one in self.entries if one.beside},
            "no_chain": str(self.no_chain),
            "sides": {name: one for name, one in sides.items() if one},
            "said": [str(one) for one in self.said],
            "subtracted": str(self.subtracted),
        }
