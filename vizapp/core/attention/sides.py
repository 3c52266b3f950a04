"""Say how far the sides of an attention (queries, keys, values, output) were followed to the patches of its map."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from vizapp.wording import Text, few

Side = Literal["followed", "mixed", "lost"]


@dataclass(frozen=True)
class Sides:
    """A word for each side of one attention call.

    "followed"  it stands where the map says, and so does its counterpart
    "mixed"     values: each is a mixture of several patches, though its key is not; the map shows its middle. Output: it is
                mixed over several tokens; each row is that of the query token
    "lost"      its place is not known. For values the map shows the places of the keys, for the output those of the queries
    """

    queries: Side = "followed"
    keys: Side = "followed"
    values: Side = "followed"
    output: Side = "followed"

    @property
    def are_followed(self) -> bool:
        """Tell whether each weight of the map surely lies in the right place, and stands for one patch."""
        return {self.queries, self.keys, self.values, self.output} == {"followed"}


def notes_of(sides: Mapping[str, Sides]) -> tuple[Text, ...]:
    """Make the notes for every map of layers with such sides, by their names; none if all are followed."""
    found: list[Text] = []
    if names := [name for name, one in sides.items() if one.values == "lost"]:
        lost_values = Text(
            "It is not known from which patches the values of {layers} come. They may be in an order of their own. Each "
            "weight stands on the patch of its key.",
            layers=few(names),
        )
        found.append(lost_values)
    if names := [name for name, one in sides.items() if one.output == "lost"]:
        lost_output = Text(
            "It is not known to which tokens the output of {layers} is added. It may be in an order of its own. Each "
            "row stands for the token of its query.",
            layers=few(names),
        )
        found.append(lost_output)
    if names := [name for name, one in sides.items() if one.output == "mixed"]:
        mixed_output = Text(
            "The output of attention in {layers} is mixed over several tokens before it is added to them. Each row "
            "stands for the token of its query, and its weights are exact. But rollout, ALTI, value attention, Chefer's "
            "relevance and the steps assume that the whole output is added to that token.",
            layers=few(names),
        )
        found.append(mixed_output)
    return (*found, *mixed_notes(sides))


def mixed_notes(sides: Mapping[str, Sides]) -> tuple[Text, ...]:
    """Make the notes for maps that assume that each value belongs to one patch, if that is not so."""
    names = [name for name, one in sides.items() if one.values == "mixed"]
    if not names:
        return ()
    return (
        Text(
            "The values of {layers} are mixed over several patches before attention weighs them. The weights are exact. "
            "But rollout, ALTI, value attention, Chefer's relevance and the steps assume that each value belongs to "
            "one patch.",
            layers=few(names),
        ),
    )
