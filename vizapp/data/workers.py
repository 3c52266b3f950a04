"""Workers that share many pictures: processes of this machine, or Ray's on several. If one dies, another repeats its picture.

Each thread of a `ThreadPoolExecutor` has one worker and waits for it. A `ProcessPoolExecutor` would not do: when a process is
killed, the whole pool is broken, and it tells neither over which picture that happened nor why.
"""

import logging
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Protocol

from vizapp.errors import VizError
from vizapp.wording import Text

LOG = logging.getLogger("vizapp.data")
DEATHS = 3  # of workers over one picture, after which the picture is suspected of killing them
Look = Callable[[int], Any]


class Died(Exception):
    """A worker is gone. Its text says how it ended."""


class Worker(Protocol):
    """One process, here or elsewhere, with the network."""

    def look(self, number: int) -> Any:
        """The answer for one picture. Raises what the task raises, and `Died` if the worker is gone."""

    def end(self) -> None:
        """End the worker, whatever it does; then `look` raises `Died`."""


def spread(
    start: Callable[[], Worker], numbers: Sequence[int], workers: int, deaths: int = DEATHS, patience: float = 0.0
) -> Iterator[Any]:
    """Yield the workers' `look(number)` for each number, in the order of the numbers.

    deaths    of workers over one picture, after which the run ends
    patience  seconds before the first new worker for a picture, doubled for each further one
    Raises what `look` raises, and `VizError` if too many workers die over one number.
    """
    idle, begun, ended = SimpleQueue[Worker](), list[Worker](), threading.Event()

    def started() -> Worker:
        begun.append(worker := start())
        if ended.is_set():  # meanwhile: nobody else ends it
            worker.end()
        return worker

    def look(number: int) -> Any:
        worker = idle.get()
        try:
            for times in count(1):
                try:
                    return worker.look(number)
                except Died as error:
                    worker.end()
                    if times == deaths or ended.is_set():
                        ended.set()
                        raise _too_many(times, str(error)) from error
                    LOG.warning("a worker died (%s); another looks at its picture", error)
                    ended.wait(patience * 2 ** (times - 1))
                    worker = started()
        finally:
            idle.put(worker)

    workers = min(workers, len(numbers))
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        try:
            for _ in range(workers):
                idle.put(started())
            yield from pool.map(look, numbers)
        finally:
            ended.set()
            for worker in begun:
                worker.end()


def _too_many(times: int, why: str) -> VizError:
    return VizError(
        "Workers died {times} times over one picture: {why}.",
        "Give them more memory, or ask for fewer --workers. What was found so far is kept.",
        times=times,
        why=Text("killed by the system, perhaps for lack of memory") if why == "signal 9" else why,
    )


class Process:
    """A worker on this machine, which gets its `look` from `begin()`."""

    def __init__(self, begin: Callable[[], Look]) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, begin), daemon=True)
        with _deaf_to_ctrl_c():
            self._process.start()
        theirs.close()  # otherwise the worker's death would not close the line, as this process held the other end

    def look(self, number: int) -> Any:
        """The answer of the process."""
        try:
            self._line.send(number)
            is_answer, said = self._line.recv()
        except (EOFError, OSError):
            self._process.join(1)  # the line is closed, so the process is just ending
            code = self._process.exitcode or 0
            raise Died(f"signal {-code}" if code < 0 else f"exit code {code}") from None
        if not is_answer:
            raise said
        return said

    def end(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join()


def _work(line: Connection, begin: Callable[[], Look]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    look = begin()
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
    they print no traceback each. In another thread than the main one, Python allows no signal handlers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class OfRay:
    """A worker of Ray: `actor` has the method `look`. Lives on this machine, or on any of a cluster.

    Ray's `max_task_retries` would suffice for a dead worker. But when a whole machine is lost, Ray spends the retries within a
    second on a worker that is "temporarily unavailable", long before it notices that the machine is gone.
    """

    DEATHS, PATIENCE = 4, 1.0  # for `spread`: a cluster needs time to notice a lost machine

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def look(self, number: int) -> Any:
        """The answer of the actor."""
        import ray

        try:
            return ray.get(self._actor.look.remote(number))
        except ray.exceptions.RayActorError as error:
            raise Died(str(error).strip().partition("\n")[0]) from error
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, VizError):
                raise error.cause from None
            raise

    def end(self) -> None:
        """End the actor."""
        import ray

        ray.kill(self._actor)
