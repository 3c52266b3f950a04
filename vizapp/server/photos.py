"""Offers a network that knows photographs, where the one that looks knows none, and fetches it."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from vizapp.errors import VizError
from vizapp.ui.photo_fetching import Fetching, Photos

EVERY = 0.4  # seconds between two messages on a download


class Fetches:
    """The download of a server: one at a time, whoever asked for it."""

    def __init__(self) -> None:
        self._running: Fetching | None = None

    def stop(self) -> bool:
        """End the download; nothing of it is kept. Tell whether there was one."""
        if self._running is None or self._running.is_over(0):
            return False
        self._running.stop()
        return True

    def fetch(self, photos: Photos, chosen: str, tell: Callable[[float, str], Any]) -> dict[str, Any]:
        """Return {"model"}, the name of the network that is here now; or {"offer"}, which says why it is not.

        `tell` is called with the share of the download that is done, and with what is being done.
        """
        if here := photos.here(chosen):
            return {"model": here.model}
        if photos.session.public or not photos.fetchables(chosen):
            raise VizError("Nothing on this page asks for that.", "Reload the page.")
        if self._running is None or self._running.is_over(0):
            self._running = Fetching(photos.fetchables(chosen))
        running = self._running
        while not running.is_over(EVERY):
            said, before = photos.progress(running)
            tell(running.done / running.now.origin.size, photos.words.told([before, said]))
        if running.failed is not None:
            return offer(photos, photos.words.explain(running.failed), chosen)
        if running.was_stopped:
            return offer(photos, photos.words["page"]["offer_stopped"], chosen)
        return {"model": running.now.model}


def offer(photos: Photos, why: str = "", chosen: str = "") -> dict[str, Any]:
    """Make the part of an answer that offers a network; {} if none can be had. why: what went before it."""
    offered = photos.offered(why, chosen)
    return {} if offered is None else {"offer": asdict(offered) | {"chosen": chosen}}
