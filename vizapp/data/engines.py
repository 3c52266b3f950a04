"""Workers of an evaluation: several processes of this machine, or several machines. The sums are the same either way."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from vizapp.data.cluster import spread
from vizapp.data.task import Engine, Task, here
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


def engine_named(name: str, workers: int) -> Engine:
    """ "processes" of this machine, or "ray" (an extra) with as many workers as asked for. One worker is this process."""
    if workers < 1:
        raise VizError("At least one worker is needed; got {workers}.", workers=workers)
    if name == "ray":
        return lambda model, task, numbers: _ray(model, task, numbers, workers)
    if name != "processes":
        raise VizError("There is no engine '{name}'.", "Choose processes or ray.", name=name)
    return here if workers == 1 else lambda model, task, numbers: _processes(model, task, numbers, workers)


def _processes(model: VisionModel, task: Task, numbers: range, workers: int) -> Iterator[Any]:
    packed = _packed(model)
    with TemporaryDirectory() as folder:
        # Through a file, for a pipe would hold this process, deaf, until each worker has imported torch and reads.
        network = Path(folder) / "network.pickle"
        network.write_bytes(packed)
        with _deaf_to_ctrl_c(), _shared_memory():
            pool = multiprocessing.get_context("spawn").Pool(workers, _begin_from, (network, task))
        with pool:
            yield from pool.imap(_look, numbers)  # in their order, so that sums are the same to the last bit


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


@contextmanager
def _shared_memory() -> Iterator[None]:
    """Locks between processes lie in /dev/shm, which some containers do not have."""
    try:
        yield
    except OSError as error:
        raise VizError(
            "Several processes need shared memory (/dev/shm), and there is none to write to: {why}.",
            "Leave out --workers, or give the container some: --shm-size 64m.",
            why=error.strerror or str(error),
        ) from None


def _packed(model: VisionModel) -> bytes:
    """The very network, with its weights: loaded by name in each process, random ones would be others in each."""
    try:
        return pickle.dumps(model)
    except Exception as error:  # a network of the user's own may hold anything
        raise VizError(
            "{model} cannot be handed to other processes: {why}.",
            "Leave out --workers, and --engine ray.",
            model=model.name,
            why=str(error),
        ) from None


_at_work: tuple[VisionModel, Task] | VizError


def _begin(packed: bytes, task: Task) -> None:
    global _at_work
    torch.set_num_threads(1)
    try:
        _at_work = pickle.loads(packed), task
    except Exception as error:  # a worker that dies here would be started again, for ever
        _at_work = VizError(
            "The network cannot be taken up in another process: {why}.",
            "Define its class in a file that can be imported, or use one worker.",
            why=str(error),
        )


def _begin_from(network: Path, task: Task) -> None:
    _begin(network.read_bytes(), task)


def _look(number: int) -> Any:
    if isinstance(_at_work, VizError):
        raise _at_work
    model, task = _at_work
    return task.look(model, number)


class _Worker:
    """One network and many pictures, on some machine."""

    def __init__(self, packed: bytes, task: Task) -> None:
        _begin(packed, task)

    def look(self, number: int) -> Any:
        return _look(number)


def _ray(model: VisionModel, task: Task, numbers: range, workers: int) -> Iterator[Any]:
    given: list[Any] = []  # the network, once in the store of Ray

    def start(ray: Any) -> Any:
        given[:] = given or [ray.put(_packed(model))]
        return ray.remote(_Worker).remote(given[0], task)

    return spread(start, numbers, workers)
