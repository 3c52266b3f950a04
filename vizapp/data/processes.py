"""Workers that are processes of this machine: what one that dies was looking at, another looks at again.

`multiprocessing.Pool` waits for ever for the answer of a worker that the system has killed.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from vizapp.errors import VizError
from vizapp.wording import Text

LOG = logging.getLogger("vizapp.data")
DEATHS = 3  # of workers over one picture; it may be the picture that kills them
Look = Callable[[int], Any]


def spread(begin: Callable[..., Look], given: tuple[Any, ...], numbers: range, workers: int) -> Iterator[Any]:
    """What `begin(*given)`, called once in each worker, says of each number, in the order of the numbers.

    Raises what it raises; `VizError` where too many workers die over one number.
    """
    crew = _Crew(begin, given, numbers)
    try:
        for _ in range(min(workers, len(numbers))):
            crew.start()
        for number in numbers:
            while number not in crew.found:
                crew.go_on()
            yield crew.found.pop(number)
    finally:
        crew.end()


class _Crew:
    """All workers, and what they are looking at."""

    def __init__(self, begin: Callable[..., Look], given: tuple[Any, ...], numbers: range) -> None:
        self.begin, self.given = begin, given
        self.upcoming, self.again = iter(numbers), list[int]()
        self.found, self.deaths = dict[int, Any](), Counter[int]()
        self.idle: list[_Worker] = []
        self.busy: dict[Connection, tuple[_Worker, int]] = {}

    def start(self) -> None:
        """One more worker."""
        self.idle.append(_start(self.begin, self.given))

    def go_on(self) -> None:
        """Hand out numbers, and wait for an answer."""
        while self.idle and (number := self.again.pop() if self.again else next(self.upcoming, None)) is not None:
            worker = self.idle.pop()
            self.busy[worker.line] = worker, number
            worker.ask(number)
        for worker in [self.busy[line][0] for line in self.busy.keys() & set(wait(list(self.busy)))]:
            _, number = self.busy.pop(worker.line)
            try:
                is_answer, said = worker.line.recv()
            except (EOFError, OSError):
                self._replace(worker, number)
                continue
            self.idle.append(worker)
            if not is_answer:
                raise said
            self.found[number] = said

    def _replace(self, worker: _Worker, number: int) -> None:
        self.deaths[number] += 1
        why = worker.end()
        if self.deaths[number] >= DEATHS:
            raise _died(why)
        LOG.warning("a worker died (%s); another looks at its picture", why)
        self.again.append(number)
        self.start()

    def end(self) -> None:
        """End them all."""
        for worker in (*self.idle, *(one for one, _ in self.busy.values())):
            worker.end()


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    line: Connection

    def ask(self, number: int) -> None:
        with suppress(OSError):  # it may be dead, which shows when its answer is read
            self.line.send(number)

    def end(self) -> str:
        """End it; how it came to its end, if it was dead before."""
        self.process.join(0.2 if self.line.poll() else 0)  # a line that is closed: the process is just ending
        code = self.process.exitcode
        self.process.terminate()
        self.process.join()
        self.line.close()
        return "" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"


def _start(begin: Callable[..., Look], given: tuple[Any, ...]) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, begin, given), daemon=True)
    with _deaf_to_ctrl_c():
        process.start()
    theirs.close()  # or its death would not close the line
    return _Worker(process, ours)


def _work(line: Connection, begin: Callable[..., Look], given: tuple[Any, ...]) -> None:
    look = begin(*given)
    while True:
        try:
            number = line.recv()
        except EOFError:  # nobody asks any more
            return
        try:
            said = True, look(number)
        except Exception as error:
            said = False, error
        line.send(said)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes that start in here ignore Ctrl-C, which a terminal sends to all: this one ends them, without a traceback each."""
    if threading.current_thread() is not threading.main_thread():  # Python sets handlers, and gets Ctrl-C, only there
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _died(why: str) -> VizError:
    ended = Text("killed by the system, as where memory ends") if why == "signal 9" else why
    return VizError(
        "Workers died {times} times over one picture: {why}.",
        "Give them more memory, or ask for fewer --workers. What was found so far is kept.",
        times=DEATHS,
        why=ended,
    )
