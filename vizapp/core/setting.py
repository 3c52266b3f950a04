"""A method's parameter in words: `skip_weight: SkipWeight = 0.5`, or `noise: Annotated[float, Setting("Noise", "...")] = 0.1`.

Parameters that several methods have stand here, so that they are called the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class Setting:
    """The title of a parameter and what it does, as English sentences that a language may translate.

    counted  it is the number of a layer or head: from 0 in code, from 1 on the page
    shown    has it a control on the page? The command line and code have it anyway
    """

    title: str
    about: str
    counted: bool = False
    shown: bool = True


Layer = Annotated[int, Setting("Layer", "Counted from 1; empty: the last one.", counted=True)]
Block = Annotated[int, Setting("Block", "Counted from 1; empty: the last one.", counted=True)]
Head = Annotated[int | None, Setting("Head", "Counted from 1; empty: all heads, combined.", counted=True)]
StartLayer = Annotated[int, Setting("First layer", "Counted from 1; earlier layers are left out.", counted=True)]
SkipWeight = Annotated[
    float,
    Setting("Skip", "Share of each layer\u2019s input that goes past its attention on the skip connection, 0 to 1."),
]
Seed = Annotated[int, Setting("Seed", "Another number makes other chance.")]
HEADS_COMBINED = Setting("Heads combined by", "Mean, largest or smallest value of all heads.")
