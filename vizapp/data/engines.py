"""Engines of an evaluation: several processes of this machine, or several machines, with equal results."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from vizapp.data import processes
from vizapp.data.cluster import spread
from vizapp.data.task import Engine, Task, here
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

MOST = 4096  # workers of Ray; on this machine the limit is EACH per core
EACH = 8


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
        yield from processes.spread(_from_file, (network, task), numbers, workers)


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


def _looking(packed: bytes, task: Task) -> Callable[[int], Any]:
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
        return partial(_refuse, refusal)
    return partial(task.look, model)


def _from_file(network: Path, task: Task) -> Callable[[int], Any]:
    return _looking(network.read_bytes(), task)


def _refuse(error: VizError, number: int) -> None:
    raise error


class _Worker:
    """One network and many pictures, on some machine."""

    def __init__(self, packed: bytes, task: Task) -> None:
        self._look = _looking(packed, task)

    def look(self, number: int) -> Any:
        return self._look(number)


def _ray(model: VisionModel, task: Task, numbers: range, workers: int) -> Iterator[Any]:
    given: list[Any] = []  # the network, put into Ray's store only once

    def start(ray: Any) -> Any:
        given[:] = given or [ray.put(_packed(model))]
        return ray.remote(_Worker).remote(given[0], task)

    return spread(start, numbers, workers)
