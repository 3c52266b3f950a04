"""Who looks at the pictures of an evaluation: several processes of this machine, or several machines. Same sums either way."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Iterator

import torch

from model.spec import VisionModel
from vizapp.errors import VizError
from vizapp.evaluation import Answer, Engine, Question, here, look


def engine_named(name: str, workers: int) -> Engine:
    """ "processes" of this machine, or "ray" (an extra) with as many workers as asked for. One worker is this process."""
    if workers < 1:
        raise VizError(f"At least one worker is needed; got {workers}.")
    if name == "ray":
        return lambda model, question, numbers: _ray(model, question, numbers, workers)
    if name != "processes":
        raise VizError(f"There is no engine '{name}'.", "Choose processes or ray.")
    return here if workers == 1 else lambda model, question, numbers: _processes(model, question, numbers, workers)


def _processes(model: VisionModel, question: Question, numbers: range, workers: int) -> Iterator[Answer]:
    start = (_packed(model), question)
    with multiprocessing.get_context("spawn").Pool(workers, _begin, start) as pool:
        yield from pool.imap(_look, numbers)  # in their order, so that sums are the same to the last bit


def _packed(model: VisionModel) -> bytes:
    """The very network, with its weights: loaded by name in each process, random ones would be others in each."""
    try:
        return pickle.dumps(model)
    except Exception as error:  # whatever a network of somebody's own holds
        raise VizError(
            f"{model.name} cannot be handed to other processes: {error}.", "Leave out --workers, and --engine ray."
        ) from None


_at_work: tuple[VisionModel, Question] | VizError


def _begin(packed: bytes, question: Question) -> None:
    global _at_work
    torch.set_num_threads(1)
    try:
        _at_work = pickle.loads(packed), question
    except Exception as error:  # a worker that dies here would be started again, for ever
        _at_work = VizError(
            f"The network cannot be taken up in another process: {error}.",
            "Define its class in a file that can be imported, or use one worker.",
        )


def _look(number: int) -> Answer:
    if isinstance(_at_work, VizError):
        raise _at_work
    return look(*_at_work, number)


class _Worker:
    """On some machine: one network, many pictures."""

    def __init__(self, packed: bytes, question: Question) -> None:
        _begin(packed, question)

    def look(self, number: int) -> Answer:
        return _look(number)


def _ray(model: VisionModel, question: Question, numbers: range, workers: int) -> Iterator[Answer]:
    try:
        import ray
        from ray.util import ActorPool
    except ImportError:
        raise VizError("Ray is not installed.", "pip install ray, or choose --engine processes.") from None
    ray.init(ignore_reinit_error=True, log_to_driver=False)
    remote = ray.remote(_Worker)
    packed = ray.put(_packed(model))
    pool = ActorPool([remote.remote(packed, question) for _ in range(workers)])
    yield from pool.map(lambda worker, number: worker.look.remote(number), list(numbers))
