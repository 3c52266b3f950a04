"""The networks that know photographs: which can be had, what is said of them, and the download of one.

A press fetches the best that can be had (`photo_networks` of vizapp.model.zoo): whether the hub answers is found out then.
A public page fetches nothing: it offers a network only if the owner has fetched it, with `vizapp get photos`.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile

from vizapp.errors import VizError
from vizapp.model.fetch import MB, Fetchable, fetch_first
from vizapp.model.zoo import photo_networks
from vizapp.ui.jobs import Stopped
from vizapp.ui.session import Session
from vizapp.ui.words import Words


class Fetching:
    """A download in a thread of its own, which continues even if nobody watches: of the first of `wanted` that can be had.

    now          what is being fetched
    why_not      why the one before it could not be had, if there was one
    done         bytes so far
    was_stopped  and `failed`: how it ended, if not well
    """

    def __init__(self, wanted: Sequence[Fetchable]) -> None:
        self.now, self.done = wanted[0], 0
        self.why_not: VizError | None = None
        self.failed: VizError | None = None
        self.was_stopped = False
        self._stop, self._wanted = threading.Event(), wanted
        self._thread = threading.Thread(target=self._run, name="fetch a network", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the download; nothing of it is kept."""
        self._stop.set()

    def is_over(self, patience: float) -> bool:
        """Wait at most so many seconds for its end, and return whether it came."""
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            fetch_first(self._wanted, self._heard, self._turn)
        except Stopped:
            self.was_stopped = True
        except VizError as error:
            self.failed = error

    def _turn(self, one: Fetchable, why_not: VizError | None) -> None:
        self.now, self.why_not = one, why_not
        self._heard(0)

    def _heard(self, done: int) -> None:
        self.done = done
        if self._stop.is_set():
            raise Stopped("stopped")


@dataclass(frozen=True)
class Offered:
    """What a line offers: a sentence, who made the network, the words of the button, and its name if it is here."""

    said: str
    made: str
    get: str
    here: str


@dataclass(frozen=True)
class Photos:
    """What a page can offer in the words of its visitor."""

    session: Session
    words: Words

    def fetchables(self, chosen: str = "") -> tuple[Fetchable, ...]:
        """Return what may be fetched, the best first: all, or if a model was chosen, that one and those after it."""
        return tuple(dropwhile(lambda one: chosen not in ("", one.model), photo_networks()))

    def here(self, chosen: str = "") -> Fetchable | None:
        """Return the best of these that can be looked through at once."""
        public, offered = self.session.public, self.session.offered
        some = (one for one in self.fetchables(chosen) if not public or one.model in offered)
        return next((one for one in some if one.is_here()), None)

    def is_missing(self, chosen: str) -> bool:
        """Tell whether a model that was chosen can be fetched, and is not here yet."""
        missing = self.fetchables(chosen) if chosen else ()
        return bool(missing) and not self.session.public and not missing[0].is_here()

    def offered(self, why: str = "", chosen: str = "") -> Offered | None:
        """Return the offer; None if nothing can be had. why: what went before it, if that has to be said"""
        if (here := self.here(chosen)) is not None:
            said = why or self.words.translate(here.about)
            return Offered(said, "", self.words.say("page", "offer_look", title=here.title), here.model)
        if self.session.public:
            return None
        best, *others = self.fetchables(chosen)
        instead = [self._sized("else", one) for one in others]
        return Offered(why or self.words.translate(best.about), self._made(best, instead), self._sized("get", best), "")

    def progress(self, running: Fetching) -> tuple[str, str]:
        """Say how far a download is, and before it why the one before could not be had, with who made this one; "" if none."""
        one, size = running.now, running.now.origin.size
        done = {"done": f"{running.done / MB:.0f}", "size": f"{size / MB:.0f}"}
        said = self.words.say("page", "offer_progress", title=one.title, **done)
        if running.done >= size:
            said = self.words["page"]["offer_unpacking"]
        if running.why_not is None:
            return said, ""
        why = [self.words.translate(running.why_not.message), self._sized("instead", one), self._made(one)]
        return said, self.words.told(why)

    def _made(self, one: Fetchable, also: Sequence[str] = ()) -> str:
        """Say who made it, under which licence, and how far it is known; and what else there is to say."""
        made = self.words.say("page", "offer_made", made=one.made, licence=one.licence)
        doubt = [self.words.translate(one.origin.doubt)] if one.origin.doubt else []
        return self.words.told([made, *doubt, *also])

    def _sized(self, what: str, one: Fetchable) -> str:
        size = f"{one.origin.size / MB:.0f}"
        return self.words.say("page", f"offer_{what}", title=one.title, size=size, way=one.origin.way)
