"""Workers of an evaluation: several processes of this machine, or several machines. The sums are the same either way."""

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

MOST = 4096  # workers of Ray; of this machine, as many for each of its cores as EACH says
EACH = 8


def engine_named(name: str, workers: int) -> Engine:
    """ "processes" of this machine, or "ray" (an extra) with as many workers as asked for. One worker is this process."""
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
        # Through a file, for a pipe would hold this process, deaf, until each worker has imported torch and reads.
        network = Path(folder) / "network.pickle"
        network.write_bytes(packed)
        yield from processes.spread(_from_file, (network, task), numbers, workers)


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


def _looking(packed: bytes, task: Task) -> Callable[[int], Any]:
    """What a worker does with each number, once it has the network."""
    torch.set_num_threads(1)
    try:
        model = pickle.loads(packed)
    except Exception as error:  # a worker that dies here would be started again
        refusal = VizError(
            "The network cannot be taken up in another process: {why}.",
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
    given: list[Any] = []  # the network, once in the store of Ray

    def start(ray: Any) -> Any:
        given[:] = given or [ray.put(_packed(model))]
        return ray.remote(_Worker).remote(given[0], task)

    return spread(start, numbers, workers)
