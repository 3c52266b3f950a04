"""The session: keeps the recent analyses of all visitors, and what each visitor has on the stage.

session.analysis(request)                                  # a kept one, or made as a job of high priority
session.run(work, visitor, priority="long", ...)           # any other computation for a visitor
with session.looking(visitor, request): ...                # brings it to the stage, and ends the visitor's other jobs
session.on_stage(visitor)                                  # the request whose maps are shown

One session serves all pages of a process, whatever their language.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch

import vizapp.pipeline as pipeline
from vizapp.analysis import AS_TRAINED as AS_TRAINED  # the page asks for it here
from vizapp.analysis import Analysis, Request, Truth
from vizapp.core.methods import Method, methods
from vizapp.errors import NotDownloaded, NotEnoughMemory, VizError
from vizapp.memory import memory_limit
from vizapp.model.named_weights import pickle_in
from vizapp.model.preprocess import FITS
from vizapp.model.spec import VisionModel
from vizapp.picture import MAX_PIXELS, PUBLIC_PIXELS, check_public
from vizapp.recent import Recent
from vizapp.ui import examples, zero_gpu
from vizapp.ui.jobs import PROCESSOR, Job, Place, Processor
from vizapp.ui.lesson_pictures import Asked
from vizapp.ui.limits import Priority
from vizapp.ui.server import folder
from vizapp.ui.server.visitor import asker

KEEP_BYTES = 512 * 2**20  # of analyses, or an eighth of a small container; the latest is always kept
KEEP_VISITORS = (
    10_000  # requests on a stage: under a kilobyte each, because names of sessions are short (server/sessions.py)
)
WAYS = ", ".join((AS_TRAINED, *FITS))
Result = TypeVar("Result")


@dataclass
class _Visitor:
    """wanted: the latest choice. shown: the request on the stage. Both are None before the first map. turned: a picture, and the
    page of it that was asked for."""

    wanted: Request | None = None
    shown: Request | None = None
    turned: tuple[str, int] = ("", 1)


@dataclass
class Session:
    """The analyses and jobs of all visitors.

    offered  names of models that visitors of a `public` page may use
    cache    the server's folder, which holds the pictures of lessons
    start    the page's first request, if there is a page
    """

    offered: list[str]
    cache: str
    device: str | None = None
    public: bool = False
    start: Request | None = None
    keep_bytes: int = field(default_factory=lambda: min(KEEP_BYTES, (memory_limit() or KEEP_BYTES * 8) // 8))
    processor: Processor = PROCESSOR
    _kept: Recent[Request, Analysis] = field(default_factory=Recent)
    _visitors: Recent[str, _Visitor] = field(default_factory=lambda: Recent(KEEP_VISITORS))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def methods(self) -> list[Method]:
        """The offered methods: no baselines, which always run, none without its package, and in public no slow ones."""
        some = [one for one in methods().values() if not one.baseline and not one.lacks]
        return [one for one in some if not (self.public and one.cost == "slow")]

    # ---- analyses

    def request(self, picture: str, name: str, fit: Any, visitor: str = "") -> Request:
        """The request for a choice on the page, of the page that the visitor has turned to. Raises `VizError` for a model that is
        not offered."""
        if self.public and name not in self.offered:
            raise VizError(
                "'{name}' is not offered here.",
                "There are: {names}.",
                name=str(name)[:80],
                names=", ".join(self.offered),
            )
        pickled = pickle_in(str(name))
        if pickled and folder.current().ours(str(pickled)):
            raise VizError(
                "An uploaded file is opened only if it is safetensors.",
                "For a file on this computer, write its path: file:FOLDER/NAME.",
            )
        if fit and fit not in (AS_TRAINED, *FITS):
            raise VizError(
                "There is no way '{fit}' to fit a picture.", "There are: {ways}.", fit=str(fit)[:80], ways=WAYS
            )
        with self._lock:
            turned, page = self._visitor(visitor).turned
        return Request(str(picture), str(name), str(fit or AS_TRAINED), page=page if turned == str(picture) else 1)

    def analysis(self, request: Request) -> Analysis:
        """The analysis of a request, at once if it is kept, otherwise made in its turn. Raises `VizError`."""
        if found := self._kept.get(request):
            return found
        return self.processor.run(Job(about=request, asker=asker()), lambda: self._analyse(request))

    def has_network(self, request: Request) -> bool:
        """Tell whether a request's network is in memory, or built in and so at once."""
        return ":" not in request.model or pipeline.is_loaded(request.model, self.device)

    def _analyse(self, request: Request) -> Analysis:
        if found := self._kept.get(request):  # another job has made it while this one waited
            return found
        try:
            found = self.analysed(request)
        except NotEnoughMemory:
            if not self._kept:
                raise
            found = None
        if (
            found is None
        ):  # kept results can be made again; not inside `except`: the error there keeps objects of the failed pass
            self._kept.clear()
            pipeline.forget_models()
            found = self.analysed(request)
        self._kept.keep(request, found)
        self._evict()
        return found

    def analysed(self, request: Request) -> Analysis:
        """Make the analysis of a request, without keeping it. Call it in a job. Raises `VizError`."""
        try:
            model = pipeline.load(request.model, self.device)
        except NotDownloaded:
            if not self.public:
                raise
            raise VizError(  # a visitor must not read other files of this computer
                "The weights of {name} are not on this server, and could not be downloaded.",
                "Choose another model.",
                name=request.model,
            ) from None
        return zero_gpu.analyse(model, request, *self._reading(request))

    def seen_by(self, model: VisionModel, request: Request) -> Analysis:
        """Analyse the picture by `model`, derived from the requested one, without keeping the result. Call it in a job."""
        return zero_gpu.analyse_here(model, request, *self._reading(request))

    def _reading(self, request: Request) -> tuple[Sequence[Truth], int]:
        """The known objects of a picture, and the most pixels that it may have. Raises `VizError` for a stranger's file of a
        format that only people at home may bring."""
        if self.public:
            check_public(request.source)
        return examples.known_of(request.source, self.cache), PUBLIC_PIXELS if self.public else MAX_PIXELS

    def _evict(self) -> None:
        """Drop the least recently used analyses until the rest is small enough and refers to few networks.

        Sizes are measured each time, because methods add gradients to an analysis long after it was made.
        """
        room, networks = self.keep_bytes, set[str]()

        def fits(request: Request, one: Analysis) -> bool:
            nonlocal room
            room -= size_of(one)
            networks.add(request.model)
            return room >= 0 and len(networks) <= pipeline.loading.MODELS_KEPT

        self._kept.shrink(fits)

    def lesson(self, request: Request) -> Asked | None:
        """The question that a picture's lesson asks about it; None for other pictures."""
        return examples.asked_of(request.source, self.cache)

    # ---- visitors

    def sources(self) -> set[str]:
        """The files that visitors see or wait for: pictures, and uploaded weights."""
        with self._lock:
            asked = [request for one in self._visitors.values() for request in (one.wanted, one.shown)]
        weights = (request.model.removeprefix("file:").partition("?")[0] for request in asked if request)
        return {request.source for request in asked if request} | set(weights)

    def on_stage(self, visitor: str) -> Request | None:
        """The request on a visitor's stage: at first the page's own. None without a page."""
        with self._lock:
            return self._visitor(visitor).shown or self.start

    def wanted(self, visitor: str) -> Request | None:
        """A visitor's latest choice, on the stage or still loading; at first the page's own request."""
        with self._lock:
            return self._visitor(visitor).wanted or self.start

    def turn(self, visitor: str, request: Request) -> None:
        """Note the page of a picture that a visitor asks for. It holds until the visitor turns a page of another one."""
        with self._lock:
            self._visitor(visitor).turned = (request.source, request.page)

    def want(self, visitor: str, request: Request) -> None:
        """Note a visitor's choice, and end this visitor's jobs about anything else."""
        with self._lock:
            self._visitor(visitor).wanted = request
        if visitor:
            self.processor.end("obsolete", lambda job: job.visitor == visitor and job.about not in (None, request))

    @contextmanager
    def looking(self, visitor: str, request: Request) -> Iterator[None]:
        """Bring `request` to the stage by the block. If it fails, the visitor keeps the earlier maps."""
        self.want(visitor, request)
        try:
            yield
        except BaseException:
            with self._lock:
                one = self._visitor(visitor)
                if one.wanted == request:  # nothing else was chosen meanwhile
                    one.wanted = one.shown
            raise
        with self._lock:
            self._visitor(visitor).shown = request

    def _visitor(self, visitor: str) -> _Visitor:
        if not visitor:  # a program, which has no stage
            return _Visitor()
        return self._visitors.made(visitor, _Visitor)

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
        """Run `work()` in its turn. A long run replaces the visitor's last one: each visitor has one at a time.

        listens  whether a browser sends signs of life (see heartbeat.py); a program does not

        Raises `Stopped` if it was ended meanwhile, and `Full` if there is no place (see `vizapp.ui.jobs.Processor.run`).
        """
        listens = listens and priority == "long" and bool(visitor)
        job = Job(visitor, priority, about, limit, on_wait, listens, asker())
        if priority == "long" and visitor:
            self.processor.end("replaced", lambda other: other.visitor == visitor and other.priority == "long")
        return self.processor.run(job, work)

    def stop(self, visitor: str) -> bool:
        """End the visitor's long run before its next step. Returns whether there was one."""
        return self._stop(visitor, "long")

    def give_up(self, visitor: str) -> bool:
        """End the job that brings the visitor's choice to the stage, such as a download. Returns whether there was one."""
        return self._stop(visitor, "map")

    def _stop(self, visitor: str, priority: Priority) -> bool:
        """End what this visitor runs; all who have no session share the name ""."""
        return bool(
            visitor and self.processor.end("stopped", lambda job: job.visitor == visitor and job.priority == priority)
        )

    def leave(self, visitor: str) -> None:
        """Forget a visitor who has closed the page, and end their jobs."""
        self.processor.end("left", lambda job: job.visitor == visitor)
        with self._lock:
            self._visitors.take(visitor)

    def hear(self, visitor: str) -> None:
        """Note a sign of life of the visitor's browser. A long run ends if there is none for too long."""
        self.processor.hear(visitor)


def size_of(seen: Analysis) -> int:
    """The bytes that an analysis keeps in memory, with what methods have added to it, without the network."""
    contexts = [one for one in (seen.context, *seen._classes.values()) if one]
    added = [part for one in contexts for parts in vars(one).values() if isinstance(parts, tuple) for part in parts]
    own = seen.picture.nbytes + seen.trace.nbytes + sum(one.mask.nbytes for one in seen.truth)
    return int(own + sum(_size_of(part) for part in added))


def _size_of(part: Any) -> int:
    """Count the bytes that a method adds for a layer: an attention, which knows its size, or a few tensors."""
    tensors = (one for one in getattr(part, "__dict__", {}).values() if isinstance(one, torch.Tensor))
    return int(getattr(part, "nbytes", 0) or sum(one.nbytes for one in tensors))
