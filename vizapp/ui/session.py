"""Sessions: the analyses of all visitors, kept for a while, and what each of them has on the stage.

session.analysis(request)                                  # from what is kept, or made as a job of high priority
session.run(work, visitor, priority="long", ...)           # anything else that computes for a visitor
with session.looking(visitor, request): ...                # the visitor turns to it: what is about something else is obsolete
session.on_stage(visitor)                                  # the request whose maps are shown

One session serves all pages of a process, whatever their language.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch

import vizapp.pipeline as pipeline
from vizapp.analysis import AS_TRAINED as AS_TRAINED  # the page asks for it here
from vizapp.analysis import Analysis, Request, Truth
from vizapp.container import memory_limit
from vizapp.core.methods import Method, methods
from vizapp.errors import NotDownloaded, NotEnoughMemory, VizError
from vizapp.model.preprocess import FITS
from vizapp.model.spec import VisionModel
from vizapp.picture import MAX_PIXELS, PUBLIC_PIXELS
from vizapp.ui import examples, zero
from vizapp.ui.jobs import PROCESSOR, Job, Place, Processor
from vizapp.ui.limits import Priority
from vizapp.ui.places import Asked
from vizapp.ui.server.visitor import asker

KEEP_BYTES = 512 * 2**20  # of analyses, or an eighth of a small container; the last one is kept however large it is
KEEP_VISITORS = (
    10_000  # what each has on the stage: under a kilobyte, as names of sessions are short (server/sessions.py)
)
WAYS = ", ".join((AS_TRAINED, *FITS))
Result = TypeVar("Result")


@dataclass
class _Visitor:
    """wanted: what was chosen last. shown: what is on the stage; both None before the first map."""

    wanted: Request | None = None
    shown: Request | None = None


@dataclass
class Session:
    """The models at work for all visitors.

    offered  names of models that a visitor of a `public` page may use
    cache    the server's folder, where the pictures of lessons lie
    start    what the page begins with, if there is one
    """

    offered: list[str]
    cache: str
    device: str | None = None
    public: bool = False
    start: Request | None = None
    keep_bytes: int = field(default_factory=lambda: min(KEEP_BYTES, (memory_limit() or KEEP_BYTES * 8) // 8))
    processor: Processor = PROCESSOR
    _kept: OrderedDict[Request, Analysis] = field(default_factory=OrderedDict)
    _visitors: OrderedDict[str, _Visitor] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def methods(self) -> list[Method]:
        """Those that are offered: no baselines, which always run, none that lacks a package, no slow ones where others wait."""
        some = [one for one in methods().values() if not one.baseline and not one.lacks]
        return [one for one in some if not (self.public and one.cost == "slow")]

    # ---- analyses

    def request(self, picture: str, name: str, fit: Any) -> Request:
        """What was chosen on the page. Raises `VizError` for a model that is not offered."""
        if self.public and name not in self.offered:
            raise VizError(
                "'{name}' is not offered here.",
                "There are: {names}.",
                name=str(name)[:80],
                names=", ".join(self.offered),
            )
        if fit and fit not in (AS_TRAINED, *FITS):
            raise VizError(
                "There is no way '{fit}' to fit a picture.", "There are: {ways}.", fit=str(fit)[:80], ways=WAYS
            )
        return Request(str(picture), str(name), str(fit or AS_TRAINED))

    def analysis(self, request: Request) -> Analysis:
        """What was found in a picture: at once where it is kept, else made in its turn. Raises `VizError` with words."""
        if found := self._known(request):
            return found
        return self.processor.run(Job(about=request, asker=asker()), lambda: self._analyse(request))

    def _known(self, request: Request) -> Analysis | None:
        with self._lock:
            if request in self._kept:
                self._kept.move_to_end(request)
            return self._kept.get(request)

    def _analyse(self, request: Request) -> Analysis:
        if found := self._known(request):  # made for somebody else while this one waited
            return found
        try:
            found = self._analysed(request)
        except NotEnoughMemory:
            if not self._kept:
                raise
            found = None
        if found is None:  # what is kept can be made again; not inside of `except`, where the error holds what failed
            with self._lock:
                self._kept.clear()
            pipeline.forget_models()
            found = self._analysed(request)
        with self._lock:
            self._kept[request] = found
            self._evict()
        return found

    def _analysed(self, request: Request) -> Analysis:
        try:
            model = pipeline.load(request.model, self.device)
        except NotDownloaded:
            if not self.public:
                raise
            raise VizError(  # nobody's own files are read here
                "The weights of {name} are not on this server, and could not be downloaded.",
                "Choose another model.",
                name=request.model,
            ) from None
        return zero.analyse(model, request, *self._reading(request))

    def seen_by(self, model: VisionModel, request: Request) -> Analysis:
        """What `model`, made of the one that is asked for, finds in the picture: nothing of it is kept. To be called in a job."""
        return zero.analyse_here(model, request, *self._reading(request))

    def _reading(self, request: Request) -> tuple[Sequence[Truth], int]:
        """What is known to be where in a picture, and of how many pixels it may be."""
        return examples.known_of(request.source, self.cache), PUBLIC_PIXELS if self.public else MAX_PIXELS

    def _evict(self) -> None:
        """Let the least recently used analyses go, until the rest is small enough and holds few networks.

        Sizes are taken anew each time: methods add gradients to an analysis long after it was made.
        """
        room, networks = self.keep_bytes, set[str]()
        newest = next(reversed(self._kept))
        for request, one in reversed(list(self._kept.items())):
            room -= size_of(one)
            networks.add(request.model)
            if request != newest and (room < 0 or len(networks) > pipeline.MODELS_KEPT):
                del self._kept[request]

    def lesson(self, request: Request) -> Asked | None:
        """What the lesson that the picture belongs to asks of it."""
        return examples.asked_of(request.source, self.cache)

    # ---- visitors

    def sources(self) -> set[str]:
        """The files that visitors look at, or wait for: pictures, and weights that were sent to the page."""
        with self._lock:
            asked = [request for one in self._visitors.values() for request in (one.wanted, one.shown)]
        weights = (request.model.removeprefix("file:").partition("?")[0] for request in asked if request)
        return {request.source for request in asked if request} | set(weights)

    def on_stage(self, visitor: str) -> Request | None:
        """What a visitor sees: what the page begins with, until something else has come. None without a page."""
        with self._lock:
            return self._visitor(visitor).shown or self.start

    def wanted(self, visitor: str) -> Request | None:
        """What a visitor has chosen, on the stage or still on its way there; before that, what the page begins with."""
        with self._lock:
            return self._visitor(visitor).wanted or self.start

    def want(self, visitor: str, request: Request) -> None:
        """Note what a visitor chooses; whatever runs or waits for this visitor about something else is obsolete."""
        with self._lock:
            self._visitor(visitor).wanted = request
        if visitor:
            self.processor.end("obsolete", lambda job: job.visitor == visitor and job.about not in (None, request))

    @contextmanager
    def looking(self, visitor: str, request: Request) -> Iterator[None]:
        """What is inside brings `request` to the stage. If it fails, the visitor still sees what was there before."""
        self.want(visitor, request)
        try:
            yield
        except BaseException:
            with self._lock:
                one = self._visitor(visitor)
                if one.wanted == request:  # not so if something else was chosen meanwhile
                    one.wanted = one.shown
            raise
        with self._lock:
            self._visitor(visitor).shown = request

    def _visitor(self, visitor: str) -> _Visitor:
        if not visitor:  # a program, which has no stage
            return _Visitor()
        one = self._visitors.setdefault(visitor, _Visitor())
        self._visitors.move_to_end(visitor)
        while len(self._visitors) > KEEP_VISITORS:
            self._visitors.popitem(last=False)
        return one

    # ---- jobs

    def run(
        self,
        work: Callable[[], Result],
        visitor: str = "",
        *,
        priority: Priority = "map",
        about: Request | None = None,
        limit: float | None = None,
        on_wait: Callable[[Place | None], None] = lambda place: None,
        listens: bool = True,
    ) -> Result:
        """`work()` in its turn. A long run takes the place of the visitor's last one: there is one at a time.

        listens  whether a browser says now and then that it is there (see line.py); a program does not

        Raises `Stopped` if it was ended meanwhile, and `Full` where there is no place (see `vizapp.ui.jobs.Processor.run`).
        """
        listens = listens and priority == "long" and bool(visitor)
        job = Job(visitor, priority, about, limit, on_wait, listens, asker())
        if priority == "long" and visitor:
            self.processor.end("replaced", lambda other: other.visitor == visitor and other.priority == "long")
        return self.processor.run(job, work)

    def stop(self, visitor: str) -> bool:
        """End the visitor's long run before its next step. Was there one?"""
        return bool(self.processor.end("stopped", lambda job: job.visitor == visitor and job.priority == "long"))

    def give_up(self, visitor: str) -> bool:
        """End what brings the visitor's choice to the stage, before its next step: a download, or a wait. Was there any?"""
        return bool(self.processor.end("stopped", lambda job: job.visitor == visitor and job.priority == "map"))

    def leave(self, visitor: str) -> None:
        """Forget a visitor that has closed the page, and end what was computed for them."""
        self.processor.end("left", lambda job: job.visitor == visitor)
        with self._lock:
            self._visitors.pop(visitor, None)

    def hear(self, visitor: str) -> None:
        """Note that the visitor's browser is there: a long run ends when it has been silent for too long."""
        self.processor.hear(visitor)


def size_of(seen: Analysis) -> int:
    """Bytes that an analysis keeps from being freed, with what methods have added to it. The network is not counted."""
    contexts = [one for one in (seen.context, *seen._classes.values()) if one]
    added = [part for one in contexts for parts in vars(one).values() if isinstance(parts, tuple) for part in parts]
    own = seen.picture.nbytes + seen.trace.nbytes + sum(one.mask.nbytes for one in seen.truth)
    return int(own + sum(_size_of(part) for part in added))


def _size_of(part: Any) -> int:
    """Of what a method adds for a layer: an attention, which knows its size, or a few tensors."""
    tensors = (one for one in getattr(part, "__dict__", {}).values() if isinstance(one, torch.Tensor))
    return int(getattr(part, "nbytes", 0) or sum(one.nbytes for one in tensors))
