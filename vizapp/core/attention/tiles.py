"""Choose the size of the tiles in which attention is summed, once, by a measurement of milliseconds on this machine."""

import threading
import time
from functools import cache

import torch
from torch import Tensor

# Elements on a side, of (key, row). Small tiles pay for each call, large ones leave the processor's caches: which of the two
# comes first differs between machines, by a factor of 1.3 among those that were tried.
SIDES = (512, 1024, 2048)
_REPEATS = 3
_WIDTH = 64  # of a head, as in nearly all networks
_measuring = threading.Lock()


def tile_side(device: torch.device, dtype: torch.dtype) -> int:
    """Return the side of the square tiles that are quickest on this processor, with torch's current number of threads.

    It is measured at the first call, in about 0.1 s, and stays the same from then on, so that sums keep their order.
    """
    with _measuring:  # with `cache` alone, two first threads would measure side by side, and get different answers
        return _quickest(device.type, dtype, torch.get_num_threads())


@cache
def _quickest(device: str, dtype: torch.dtype, n_threads: int) -> int:
    # Values do not matter to the time of a product; exponentials of zero are one, which is the ordinary case.
    q, k = (torch.zeros(max(SIDES), _WIDTH, device=device, dtype=dtype) for _ in range(2))
    weight, total = (torch.zeros(max(SIDES), device=device, dtype=dtype) for _ in range(2))

    def seconds(side: int) -> float:
        started = time.perf_counter()
        add_shares(total, q.T, k, weight, side, side)
        return time.perf_counter() - started

    # Sizes take turns, so that other load on the machine hits them all; the fastest of several runs is the one without it.
    runs = [[seconds(side) for side in SIDES] for _ in range(_REPEATS)]
    return SIDES[min(range(len(SIDES)), key=lambda index: min(run[index] for run in runs))]


def add_shares(total: Tensor, q: Tensor, k: Tensor, weight: Tensor, n_rows: int, n_keys: int) -> None:
    """Add sum over i of weight_i exp(k_j . q_i) to `total` (key,), by tiles of `n_rows` x `n_keys` in one buffer.

    q (d, row), k (key, d), weight (row,)
    """
    buffer = total.new_empty(min(n_keys, len(k)) * min(n_rows, len(weight)))
    for rows in _slices(len(weight), n_rows):
        some, shares_of = q[:, rows], weight[rows]
        for keys in _slices(len(k), n_keys):
            part = k[keys]
            tile = buffer[: len(part) * len(shares_of)].view(len(part), len(shares_of))
            total[keys].addmv_(torch.mm(part, some, out=tile).exp_(), shares_of)


def _slices(length: int, step: int) -> list[slice]:
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]
