"""What is known of maps that are on their way to a browser, by the name under which it will ask for more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vizapp.analysis import Analysis
from vizapp.model.spec import VisionModel


@dataclass(frozen=True)
class Run:
    """One value of the component.

    name         cannot be guessed
    seen         the analysis that was sent
    model        what made it
    look         `look(*choice)` makes `seen` once more; it goes with its page
    is_complete  whether all layers were sent
    """

    name: str
    seen: Analysis
    model: VisionModel
    look: Callable[..., Analysis]
    choice: tuple[Any, ...]
    is_complete: bool
