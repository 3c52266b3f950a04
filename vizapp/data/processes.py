"""Workers as processes of this machine. If one dies, another repeats its picture.

`multiprocessing.Pool` would wait for ever for the answer of a worker that the system has killed.
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
DEATHS = 3  # of workers over one picture, after which the picture is suspected of killing them
Look = Callable[[int], Any]


def spread(begin: Callable[..., Look], given: tuple[Any, ...], numbers: range, workers: int) -> Iterator[Any]:
    """Yield `look(number)` for each number in order, where each worker gets its `look` from `begin(*given)`.

    Raises what `look` raises, and `VizError` if too many workers die over one number.
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
    """All workers, and the numbers that they work on."""

    def __init__(self, begin: Callable[..., Look], given: tuple[Any, ...], numbers: range) -> None:
        self.begin, self.given = begin, given
        self.upcoming, self.again = iter(numbers), list[int]()
        self.found, self.deaths = dict[int, Any](), Counter[int]()
        self.idle: list[_Worker] = []
        self.busy: dict[Connection, tuple[_Worker, int]] = {}

    def start(self) -> None:
        """Start one more worker."""
        self.idle.append(_start(self.begin, self.given))

    def go_on(self) -> None:
        """Hand out numbers to idle workers, and wait for at least one answer or death."""
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
        """End all workers."""
        for worker in (*self.idle, *(one for one, _ in self.busy.values())):
            worker.end()


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    line: Connection

    def ask(self, number: int) -> None:
        with suppress(OSError):  # it may be dead, which `go_on` notices when it reads the answer
            self.line.send(number)

    def end(self) -> str:
        """End the worker, and return how it died if it was dead before; "" if it was alive."""
        self.process.join(0.2 if self.line.poll() else 0)  # readable means closed here: the process is just ending
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
    theirs.close()  # otherwise the worker's death would not close the line, as this process held the other end
    return _Worker(process, ours)


def _work(line: Connection, begin: Callable[..., Look], given: tuple[Any, ...]) -> None:
    look = begin(*given)
    while True:
        try:
            number = line.recv()
        except EOFError:  # the main process has closed the line, or is gone
            return
        try:
            said = True, look(number)
        except Exception as error:
            said = False, error
        line.send(said)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Let processes that start in the block ignore Ctrl-C, which a terminal sends to all. So the main process ends them, and
    they print no traceback each."""
    if threading.current_thread() is not threading.main_thread():  # only there Python allows signal handlers
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _died(why: str) -> VizError:
    ended = Text("killed by the system, perhaps for lack of memory") if why == "signal 9" else why
    return VizError(
        "Workers died {times} times over one picture: {why}.",
        "Give them more memory, or ask for fewer --workers. What was found so far is kept.",
        times=DEATHS,
        why=ended,
    )
