"""Workers of Ray, on this machine or on all machines of a cluster: what one that dies was looking at, another looks at again."""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from vizapp.errors import VizError

LOG = logging.getLogger("vizapp.data")
DEATHS = 4  # of workers over one picture; it may be the picture that kills them
PATIENCE = 1.0  # seconds before the first new worker; twice as long each time, as a cluster takes some to notice a lost machine


def spread(start: Callable[[Any], Any], numbers: Iterable[int], workers: int) -> Iterator[Any]:
    """What `look` of the workers says of each number, in the order of the numbers.

    start  called with the module ray; starts one worker and returns it, an actor with a method `look`
    Raises `VizError` where Ray is not installed, where a worker raises one, or where too many die over one number.
    """
    ray = _ray()
    if not ray.is_initialized():  # the cluster that RAY_ADDRESS names, or else this machine alone
        ray.init(log_to_driver=False)
    # `max_task_retries` of Ray would do it for workers that die. Where a whole machine is lost, though, they are spent in a
    # second on a worker that is "temporarily unavailable", long before Ray finds that its machine is gone.
    waiting, deaths = deque(numbers), Counter[int]()
    order, found = deque(waiting), dict[int, Any]()
    idle: list[Any] = []
    busy: dict[Any, tuple[Any, int]] = {}  # what will be there -> who works on it, and on which number
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
                    raise _died(error) from error
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


def _died(error: Exception) -> VizError:
    return VizError(
        "Workers died {times} times over one picture: {why}.",
        "Give each more memory, or ask for fewer --workers. What was found so far is kept.",
        times=DEATHS,
        why=str(error).strip().partition("\n")[0],
    )
