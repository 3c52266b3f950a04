"""Engines of an evaluation: this process, several of this machine, or several machines, with equal results."""

import os
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import torch

from vizapp.data.workers import Look, OfRay, Process, spread
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

MOST = 4096  # workers of Ray; on this machine the limit is EACH per core
EACH = 8


class Task(Protocol):
    """The work on each picture. Each worker gets it once, so it and its answers must be picklable."""

    def look(self, model: VisionModel, number: int) -> Any:
        """The answer for picture `number` of the set that it names."""


Engine = Callable[[VisionModel, Task, range], Iterator[Any]]  # answers in the order of the numbers


def here(model: VisionModel, task: Task, numbers: range) -> Iterator[Any]:
    """The engine of this process: one picture after the other."""
    for number in numbers:
        yield task.look(model, number)


def engine_named(name: str, workers: int) -> Engine:
    """The engine "processes", or "ray" (an extra), with this many workers. One worker means this process."""
    if workers < 1:
        raise VizError("At least one worker is needed; got {workers}.", workers=workers)
    most = MOST if name == "ray" else EACH * (os.cpu_count() or 1)
    if workers > most:
        raise VizError(
            "{workers} workers are too many here; at most {most}.",
            "One for each core is fastest; each has the network in memory.",
            workers=workers,
            most=most,
        )
    if name == "ray":
        return lambda model, task, numbers: _ray(model, task, numbers, workers)
    if name != "processes":
        raise VizError("There is no engine '{name}'.", "Choose processes or ray.", name=name)
    return here if workers == 1 else lambda model, task, numbers: _processes(model, task, numbers, workers)


def _processes(model: VisionModel, task: Task, numbers: range, workers: int) -> Iterator[Any]:
    packed = _packed(model)
    with TemporaryDirectory() as folder:
        # The network goes through a file: a pipe would block this process, and Ctrl-C, until each worker has imported torch.
        network = Path(folder) / "network.pickle"
        network.write_bytes(packed)
        yield from spread(lambda: Process(partial(_from_file, network, task)), numbers, workers)


def _ray(model: VisionModel, task: Task, numbers: range, workers: int) -> Iterator[Any]:
    try:
        import ray
    except ImportError:
        raise VizError("Ray is not installed.", 'pip install "vizapp[ray]", or choose --engine processes.') from None
    packed = _packed(model)
    if not ray.is_initialized():  # the cluster that RAY_ADDRESS names, or this machine alone
        ray.init(log_to_driver=False)
    given = ray.put(packed)  # into Ray's store, only once
    start = partial(ray.remote(_Actor).remote, given, task)
    yield from spread(lambda: OfRay(start()), numbers, workers, OfRay.DEATHS, OfRay.PATIENCE)


def _packed(model: VisionModel) -> bytes:
    """Pickle the network with its weights. If each process loaded it by name, random weights would differ in each."""
    try:
        return pickle.dumps(model)
    except Exception as error:  # a user's own network may hold objects that cannot be pickled, and raise anything
        raise VizError(
            "{model} cannot be handed to other processes: {why}.",
            "Leave out --workers, and --engine ray.",
            model=model.name,
            why=str(error),
        ) from None


def _looking(packed: bytes, task: Task) -> Look:
    """Load the network in a worker, and return what it does with each number."""
    torch.set_num_threads(1)
    try:
        model = pickle.loads(packed)
    except Exception as error:  # if the worker died here, it would be started again and again
        refusal = VizError(
            "The network cannot be loaded in another process: {why}.",
            "Define its class in a file that can be imported, or use one worker.",
            why=str(error),
        )

        def refuse(number: int) -> None:
            raise refusal

        return refuse
    return partial(task.look, model)


def _from_file(network: Path, task: Task) -> Look:
    return _looking(network.read_bytes(), task)


class _Actor:
    """One network and many pictures, on some machine."""

    def __init__(self, packed: bytes, task: Task) -> None:
        self._look = _looking(packed, task)

    def look(self, number: int) -> Any:
        return self._look(number)
