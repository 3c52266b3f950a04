"""Workers of Ray, on this machine or all machines of a cluster. If one dies, another repeats its picture."""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from vizapp.errors import VizError

LOG = logging.getLogger("vizapp.data")
DEATHS = 4  # of workers over one picture, after which the picture is suspected of killing them
PATIENCE = 1.0  # seconds before the first new worker, doubled each time: a cluster needs time to notice a lost machine


def spread(start: Callable[[Any], Any], numbers: Iterable[int], workers: int) -> Iterator[Any]:
    """Yield the workers' `look(number)` for each number, in the order of the numbers.

    start  called with the module ray; starts one worker and returns it, an actor with a method `look`
    Raises `VizError` if Ray is not installed, if a worker raises one, or if too many workers die over one number.
    """
    ray = _ray()
    if not ray.is_initialized():  # the cluster that RAY_ADDRESS names, or this machine alone
        ray.init(log_to_driver=False)
    # Ray's `max_task_retries` would suffice for a dead worker. But when a whole machine is lost, Ray spends the retries within a
    # second on a worker that is "temporarily unavailable", long before it notices that the machine is gone.
    waiting, deaths = deque(numbers), Counter[int]()
    order, found = deque(waiting), dict[int, Any]()
    idle: list[Any] = []
    busy: dict[Any, tuple[Any, int]] = {}  # future answer -> its worker, and the number
    try:
        idle += [start(ray) for _ in range(workers)]
        while order:
            while waiting and idle:
                worker, number = idle.pop(), waiting.popleft()
                busy[worker.look.remote(number)] = worker, number
            (ready, *_), _ = ray.wait(list(busy), num_returns=1)
            worker, number = busy.pop(ready)
            try:
                found[number] = ray.get(ready)
                idle.append(worker)
            except ray.exceptions.RayActorError as error:
                deaths[number] += 1
                if deaths[number] >= DEATHS:
                    raise _died(error, deaths[number]) from error
                LOG.warning("a worker died (%s); another looks at its picture", str(error).strip().partition("\n")[0])
                ray.kill(worker)
                time.sleep(PATIENCE * 2 ** (deaths[number] - 1))
                waiting.appendleft(number)
                idle.append(start(ray))
            except ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, VizError):
                    raise error.cause from None
                raise
            while order and order[0] in found:
                yield found.pop(order.popleft())
    finally:
        for worker in (*idle, *(one for one, _ in busy.values())):
            ray.kill(worker)


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise VizError("Ray is not installed.", 'pip install "vizapp[ray]", or choose --engine processes.') from None
    return ray


def _died(error: Exception, times: int) -> VizError:
    return VizError(
        "Workers died {times} times over one picture: {why}.",
        "Give each more memory, or ask for fewer --workers. What was found so far is kept.",
        times=times,
        why=str(error).strip().partition("\n")[0],
    )
