"""Decides what is computed next: one processor runs one job at a time, and maps overtake long runs between their steps.

processor = Processor()
processor.run(Job("visitor", "map"), work)           # waits for its turn, then returns work()
processor.run(Job("visitor", "ask"), small_work)     # a browser's question about its maps: after maps, before long runs
processor.run(Job("visitor", "spare"), other_work)   # a question that no visitor waits for: when there is nothing else to do
processor.run(Job("visitor", "long"), slow_work)     # makes way for both at each `vizapp.core.pauses.may_pause()`
processor.end("stopped", lambda job: job.visitor == "visitor")      # those jobs raise `Stopped` at their next step

Two jobs never compute at once. On the few cores of a laptop or a Space each would take twice as long, and somebody is waiting
for the shorter one. The thread that asks sleeps, and two others compute: one for long runs, which keep it while they are paused,
and one for everything else. `Limits` says how many may wait. A job that nobody listens to is not computed. Among jobs of one kind
the addresses of visitors take turns.
"""

import itertools
import threading
import time
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeVar

import torch

from vizapp.core.pauses import pausing
from vizapp.errors import VizError
from vizapp.ui.limits import NOBODY, Asker, Full, Limits, Priority
from vizapp.ui.threads import Hand

Why = Literal["stopped", "obsolete", "replaced", "left", "silent", "unheard", "too_long"]
Result = TypeVar("Result")

PATIENCE = 0.5  # seconds of waiting that need no message
SILENCE = 30.0  # seconds without a sign of life after which a visitor is taken to be gone
GRACE = 10.0  # seconds without a listener before a job ends: a stream of answers may break, or open late
LIMIT = 60.0  # seconds of a run on a public page, where others wait for the same processor
LOOK = 2.0  # seconds between two checks of a waiting job: its place, and whether somebody still listens
RANK: dict[Priority, int] = {"map": 0, "ask": 1, "long": 2, "spare": 3}


class Stopped(Exception):
    """A job was ended before its next step. It is not a `VizError`, which would mean "no map here" to a method."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


def too_long(limit: float | None) -> VizError:
    """The error of a run that was ended after its `limit`, in seconds."""
    return VizError(
        "Stopped after {seconds:.0f} seconds, the most that a run may take here.",
        "Choose fewer methods, or a smaller model.",
        seconds=limit,
    )


@dataclass(frozen=True)
class Place:
    """The jobs ahead of a waiting one: maps (and other short jobs), and long runs.

    Both are 0 for the map that comes next, as soon as a long run ends its current step.
    """

    maps: int
    runs: int


@dataclass(eq=False)
class Job:
    """A computation for a visitor ("" for no single one).

    about    its `Request`; the job ends when the visitor chooses something else
    limit    seconds of work, not of waiting, after which it is ended
    on_wait  called with its place when that changes, and with None when the waiting is over
    listens  whether it ends when the visitor's browser falls silent (see heartbeat.py)
    asker    whose places in the queue it takes, and whether somebody waits for its answer
    turn     since when it waits for its turn: since it was asked for, or since the last turn of its address
    """

    visitor: str = ""
    priority: Priority = "map"
    about: Hashable = None
    limit: float | None = None
    on_wait: Callable[[Place | None], None] = field(default=lambda place: None)
    listens: bool = False
    asker: Asker = NOBODY
    ended: Why | None = None
    number: int = 0
    asked: float = 0.0
    turn: float = 0.0
    heard: float = 0.0
    awaited: float = 0.0
    worked: float = 0.0
    has_place: bool = False
    refused: Full | None = None
    has_begun: bool = False
    woken: threading.Event = field(default_factory=threading.Event)

    @property
    def order(self) -> tuple[int, bool, float, float, int]:
        """The sort key: maps, questions about them, the long run that has begun, other long runs, unasked questions."""
        return RANK[self.priority], not self.has_begun, self.turn, self.asked, self.number


_current: ContextVar[Job | None] = ContextVar("current job", default=None)


class Processor:
    """Lets one job compute at a time. Thread-safe; `clock` gives seconds."""

    def __init__(
        self,
        limits: Limits | None = None,
        patience: float = PATIENCE,
        silence: float = SILENCE,
        grace: float = GRACE,
        look: float = LOOK,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits, self.patience, self.silence = limits or Limits(), patience, silence
        self.grace, self.look, self._clock = grace, look, clock
        self._lock = threading.RLock()
        self._waiting: list[Job] = []
        self._running: Job | None = None
        self._since = 0.0  # when the running job got the processor
        self._numbers = itertools.count()
        self._quick, self._slow = Hand("vizapp maps"), Hand("vizapp runs")

    def run(self, job: Job, work: Callable[[], Result]) -> Result:
        """Run `work()` in a computing thread when its turn comes. Inside another job it runs as a part of that.

        Raises `Stopped` if the job was ended, even if it had finished by then, so that nothing obsolete is shown; `Full` if too
        many jobs wait.
        """
        if _current.get() is not None:
            return work()
        with self._lock:
            job.number, job.heard = next(self._numbers), self._clock()
            job.awaited, job.asked = job.heard, job.asker.since or job.heard
            job.turn = job.asked
            self._queue(job)
            self._drop_unheard()
        try:
            self._wait(job)
            result = (self._slow if job.priority == "long" else self._quick).do(partial(self._work, job, work))
        finally:
            with self._lock:
                self._drop(job)
        if job.ended:
            raise Stopped(job.ended)
        return result

    def end(self, why: Why, which: Callable[[Job], bool]) -> int:
        """End jobs before their next step, and return how many there were."""
        with self._lock:
            ended = [job for job in self._all() if not job.ended and which(job)]
            for job in ended:
                job.ended = why
                job.woken.set()
        return len(ended)

    def has_room(self) -> bool:
        """Tell whether a map for a new visitor would get a place."""
        with self._lock:
            return sum(job.priority == "map" for job in self._counted()) < self.limits.in_all["map"]

    def hear(self, visitor: str) -> None:
        """Note that a visitor is there."""
        with self._lock:
            for job in self._all():
                if job.visitor == visitor:
                    job.heard = self._clock()

    def look_again(self) -> None:
        """Check the queue again: somebody has begun to listen, and a job that waited for that may be next."""
        with self._lock:
            self._next()

    def _work(self, job: Job, work: Callable[[], Result]) -> Result:
        """Run a job in the computing thread."""
        before = _current.set(job)
        try:
            with pausing(lambda: self._step(job)):
                return work()
        finally:
            _current.reset(before)

    def _all(self) -> list[Job]:
        return [*self._waiting, *([self._running] if self._running else [])]

    def _counted(self) -> list[Job]:
        """The jobs that take a place: not those that are ending, or that nobody listens to any more."""
        return [job for job in self._all() if job.has_place and not job.ended and job.asker.is_there()]

    def _seat(self) -> None:
        """Give or refuse places to jobs that somebody has begun to listen to. Call it under the lock."""
        for job in self._waiting:
            if job.has_place or job.ended or job.refused or not job.asker.is_there():
                continue
            try:
                others = (one.asker for one in self._counted() if one.priority == job.priority)
                self.limits.refuse(job.priority, job.asker, others)
                job.has_place = True
            except Full as error:
                job.refused = error
                job.woken.set()

    def _drop_unheard(self) -> None:
        """Drop the oldest job that nobody listens to yet, in favour of the newest. Call it under the lock."""
        unheard = [one for one in self._waiting if not one.has_place and not one.ended and not one.asker.is_there()]
        for one in unheard[: max(0, len(unheard) - self.limits.unheard)]:
            one.ended = "unheard"
            one.woken.set()

    # Called under the lock, each of these leaves a job in exactly one state: waiting, running or over.

    def _queue(self, job: Job) -> None:
        self._waiting.append(job)
        self._next()

    def _drop(self, job: Job) -> None:
        if self._running is job:
            job.worked += self._clock() - self._since
            self._running = None
        elif job in self._waiting:
            self._waiting.remove(job)
        self._next()

    def _next(self) -> None:
        """Start the first waiting job if none is running."""
        self._seat()
        ready = [job for job in self._waiting if self._may(job)] if not self._running else []
        if ready:
            job = min(ready, key=lambda one: one.order)
            self._waiting.remove(job)
            self._running, self._since, job.has_begun = job, self._clock(), True
            for one in self._waiting:  # the next turn of its address comes after all who wait by now
                if one.asker.address and (one.asker.address, one.priority) == (job.asker.address, job.priority):
                    one.turn = self._since
            job.woken.set()

    def _wait(self, job: Job) -> None:
        """Wait until a queued job has begun, and report its place meanwhile."""
        asked, told = self._clock(), None
        while True:
            with self._lock:
                job.woken.clear()
                self._listen(job)
                self._next()
                if job.ended:
                    raise Stopped(job.ended)
                if job.refused:
                    raise job.refused
                if self._running is job:
                    break
                place, rest = self._place(job), asked + self.patience - self._clock()
            if rest > 0 or place == told:
                job.woken.wait(min(rest, self.look) if rest > 0 else self.look)
                continue
            told = place
            job.on_wait(place)  # outside the lock: it may be slow, and call the processor itself
        if told is not None:
            job.on_wait(None)

    def _step(self, job: Job) -> None:
        """End a job between two of its steps, or let quick jobs go first."""
        with self._lock:
            self._listen(job)
            if job.limit is not None and job.worked + self._clock() - self._since > job.limit:
                job.ended = job.ended or "too_long"
            if job.ended:
                raise Stopped(job.ended)
            if job.priority != "long" or not any(one.order < job.order and self._may(one) for one in self._waiting):
                return
            self._drop(job)
            self._queue(job)
        # A paused job continues its random numbers where they were, whatever other jobs draw meanwhile. Locks that it holds stay
        # held while another job runs: code that calls `may_pause` must not hold a lock that maps need.
        numbers = torch.get_rng_state()
        self._wait(job)
        torch.set_rng_state(numbers)

    def _listen(self, job: Job) -> None:
        """End the job if its visitor is gone."""
        now = self._clock()
        if job.asker.is_there():
            job.awaited = now
        elif now - job.awaited > self.grace:
            job.ended = job.ended or "unheard"
        if job.listens and now - job.heard > self.silence:
            job.ended = job.ended or "silent"

    def _may(self, job: Job) -> bool:
        """Tell whether a job may begin. An ended one stops in its own thread instead; one without a listener has to wait."""
        return job.has_place and not job.ended and job.asker.is_there()

    def _place(self, job: Job) -> Place:
        before = [one for one in self._waiting if one.order < job.order and self._may(one)] + (
            [self._running] if self._running else []
        )
        short = sum(one.priority != "long" for one in before)
        return Place(short, len(before) - short if job.priority == "long" else 0)


PROCESSOR = Processor()  # one for each process, whatever pages it serves
