"""What is computed next: one processor, one job at a time, and maps overtake long runs between two steps of those.

processor = Processor()
processor.run(Job("visitor", "map"), work)           # waits for its turn, then returns work()
processor.run(Job("visitor", "long"), slow_work)     # makes way for maps at each `vizapp.core.checkpoint.checkpoint()`
processor.end("stopped", lambda job: job.visitor == "visitor")      # those jobs raise `Stopped` at their next step

Work stays in the thread that asked for it: waiting costs a sleeping thread, and pausing a long run needs no copy of anything.
Two jobs never compute at once. On the few cores of a laptop or of a Space, two would each take twice as long, and the shorter
one is what somebody waits for.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import torch

from vizapp.core.checkpoint import stepping
from vizapp.errors import VizError

Priority = Literal["map", "long"]
Why = Literal["stopped", "obsolete", "replaced", "left", "silent", "too_long"]
Result = TypeVar("Result")

MOST = 32  # jobs that may wait before the next visitor is told to come back; each is a thread of the server's forty
PATIENCE = 0.5  # seconds of waiting that need no word
SILENCE = 30.0  # seconds without a sign of life after which a visitor is taken to be gone
LOOK = 1.0  # seconds between two looks at whether the line of a waiting job has gone silent


class Stopped(Exception):
    """A job was ended before its next step. Not a `VizError`: to a method that would mean "no map here"."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Place:
    """What is to be computed before a waiting job: maps, and long runs.

    Both are 0 for a map that comes next, at the end of the step that a long run is in the middle of.
    """

    maps: int
    runs: int


@dataclass(eq=False)
class Job:
    """Something to be computed for a visitor ("": no one visitor).

    about    what it is about (a `Request`): when the visitor turns to something else, the job is obsolete
    limit    seconds of work, not of waiting, after which it is ended
    on_wait  called in the job's own thread with its place when that changes, and with None when the waiting is over
    listens  ended after a silence of the visitor's browser, which says every few seconds that it is there (see line.py)
    """

    visitor: str = ""
    priority: Priority = "map"
    about: Hashable = None
    limit: float | None = None
    on_wait: Callable[[Place | None], None] = field(default=lambda place: None)
    listens: bool = False
    ended: Why | None = None
    number: int = 0
    heard: float = 0.0
    worked: float = 0.0
    has_begun: bool = False

    @property
    def order(self) -> tuple[bool, bool, int]:
        """Maps first; then the long run that has begun; then in order of arrival."""
        return self.priority == "long", not self.has_begun, self.number


_current: ContextVar[Job | None] = ContextVar("current job", default=None)


class Processor:
    """Lets one job compute at a time. Safe with threads; `clock` gives seconds."""

    def __init__(
        self,
        most: int = MOST,
        patience: float = PATIENCE,
        silence: float = SILENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most, self.patience, self.silence, self._clock = most, patience, silence, clock
        self._turn = threading.Condition()
        self._waiting: list[Job] = []
        self._running: Job | None = None
        self._since = 0.0  # when it got the processor
        self._numbers = itertools.count()

    def run(self, job: Job, work: Callable[[], Result]) -> Result:
        """`work()`, when it is its turn. Inside another job of this thread it is a part of that, and runs at once.

        Raises `Stopped` where the job was ended, even if it had finished by then, so that nothing obsolete is shown;
        `VizError` where too many wait.
        """
        if _current.get() is not None:
            return work()
        with self._turn:
            if len(self._waiting) >= self.most:
                raise VizError("Too many visitors wait for this computer: {n}.", "Try again in a minute.", n=self.most)
            job.number, job.heard = next(self._numbers), self._clock()
            self._queue(job)
        before = _current.set(job)
        try:
            self._wait(job)
            with stepping(lambda: self._step(job)):
                result = work()
        finally:
            _current.reset(before)
            with self._turn:
                self._drop(job)
        if job.ended:
            raise Stopped(job.ended)
        return result

    def end(self, why: Why, which: Callable[[Job], bool]) -> int:
        """End jobs before their next step; how many there were."""
        with self._turn:
            ended = [job for job in self._all() if not job.ended and which(job)]
            for job in ended:
                job.ended = why
            self._turn.notify_all()
        return len(ended)

    def has_room(self) -> bool:
        """Would one more job be taken?"""
        with self._turn:
            return len(self._waiting) < self.most

    def hear(self, visitor: str) -> None:
        """Note that a visitor is there."""
        with self._turn:
            for job in self._all():
                if job.visitor == visitor:
                    job.heard = self._clock()

    def _all(self) -> list[Job]:
        return [*self._waiting, *([self._running] if self._running else [])]

    # Under the lock, each of these leaves a job in one place: it waits, or it runs, or it is over.

    def _queue(self, job: Job) -> None:
        self._waiting.append(job)
        self._turn.notify_all()

    def _drop(self, job: Job) -> None:
        if self._running is job:
            job.worked += self._clock() - self._since
            self._running = None
        elif job in self._waiting:
            self._waiting.remove(job)
        self._turn.notify_all()

    def _begin(self, job: Job) -> None:
        self._waiting.remove(job)
        self._running, self._since, job.has_begun = job, self._clock(), True
        self._turn.notify_all()

    def _wait(self, job: Job) -> None:
        """Until it is the turn of a job that is queued; its place is told meanwhile."""
        asked, told = self._clock(), None
        while True:
            with self._turn:
                self._listen(job)
                if job.ended:
                    raise Stopped(job.ended)
                if self._running is None and min(self._waiting, key=lambda one: one.order) is job:
                    self._begin(job)
                    break
                place, rest = self._place(job), asked + self.patience - self._clock()
                if rest > 0 or place == told:
                    self._turn.wait(rest if rest > 0 else LOOK)
                    continue
            told = place
            job.on_wait(place)  # not under the lock: it may take its time, and ask for something itself
        if told is not None:
            job.on_wait(None)

    def _step(self, job: Job) -> None:
        """Between two steps: end here, or let maps go first."""
        with self._turn:
            self._listen(job)
            if job.limit is not None and job.worked + self._clock() - self._since > job.limit:
                job.ended = job.ended or "too_long"
            if job.ended:
                raise Stopped(job.ended)
            if job.priority == "map" or all(one.priority == "long" for one in self._waiting):
                return
            self._drop(job)
            self._queue(job)
        # The random numbers of a paused job go on where they were, whatever is drawn meanwhile. Locks that a job holds
        # here stay held while another one runs: nothing that calls `checkpoint` may hold one that maps want.
        numbers = torch.get_rng_state()
        self._wait(job)
        torch.set_rng_state(numbers)

    def _listen(self, job: Job) -> None:
        if job.listens and self._clock() - job.heard > self.silence:
            job.ended = job.ended or "silent"

    def _place(self, job: Job) -> Place:
        before = [one for one in self._waiting if one.order < job.order] + ([self._running] if self._running else [])
        maps = sum(one.priority == "map" for one in before)
        return Place(maps, 0 if job.priority == "map" else len(before) - maps)


PROCESSOR = Processor()  # one for each process, whatever pages it serves
