"""Who looks at the pictures of an evaluation: several processes of this machine, or several machines. Same sums either way."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator

import torch

from model.spec import VisionModel
from vizapp.errors import VizError
from vizapp.evaluation import Answer, Engine, Question, here, look
from vizapp.pipeline import load


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
    start = (model.name, model.device, question)
    with multiprocessing.get_context("spawn").Pool(workers, _begin, start) as pool:
        yield from pool.imap(_look, numbers)  # in their order, so that sums are the same to the last bit


_at_work: tuple[VisionModel, Question]


def _begin(name: str, device: str, question: Question) -> None:
    global _at_work
    torch.set_num_threads(1)
    _at_work = load(name, device), question


def _look(number: int) -> Answer:
    return look(*_at_work, number)


class _Worker:
    """On some machine: one network, many pictures."""

    def __init__(self, name: str, device: str, question: Question) -> None:
        _begin(name, device, question)

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
    pool = ActorPool([remote.remote(model.name, model.device, question) for _ in range(workers)])
    yield from pool.map(lambda worker, number: worker.look.remote(number), list(numbers))
