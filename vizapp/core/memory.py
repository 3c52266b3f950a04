"""How much memory a capture will take, counted before it begins, and what to say when there is not enough."""

from __future__ import annotations

import os
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from model.spec import VisionModel
from vizapp.core.watch import Call, Watch
from vizapp.errors import VizError

LARGE = (
    512 * 512
)  # pixels: below that no network of today comes near the memory of a laptop, and counting takes a second
SAFETY = 2.0  # measured: allocators and kernels took 1.6 to 2.9 times what is counted


def require(model: VisionModel, pixels: Tensor, batch: int) -> None:
    """Raise `VizError`, with a size that would fit, if a capture of large pictures needs more memory than there is."""
    if pixels.shape[-2] * pixels.shape[-1] <= LARGE:
        return
    available = free(model.device)
    needed = known_estimate(model, (pixels.shape[-2], pixels.shape[-1]))
    if available is None or needed is None or SAFETY * needed * batch <= available:
        return
    needed = round(SAFETY * needed)
    side = (available / (needed * batch)) ** 0.5 * 0.9
    fits = "x".join(str(int(length * side) // 32 * 32) for length in pixels.shape[-2:])
    raise VizError(
        f"{model.name} needs about {_gib(needed * batch)} for {pixels.shape[-2]}x{pixels.shape[-1]} pixels; "
        f"{_gib(available)} are free.",
        f"Pictures of {fits} pixels would fit (?size=)." if batch == 1 else "Look at fewer pictures at once.",
    )


def is_out_of_memory(error: BaseException) -> bool:
    """PyTorch says so in several ways."""
    told = any(word in str(error) for word in ("can't allocate memory", "out of memory"))
    return told or not isinstance(error, RuntimeError) or isinstance(error, torch.OutOfMemoryError)


@contextmanager
def explained(model: VisionModel, device: str) -> Iterator[None]:
    """Out of memory, on whatever device, as a `VizError`; what was held is let go."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        if device.startswith("cuda"):
            torch.cuda.empty_cache()
        raise VizError(
            f"{model.name} ran out of memory on {device}.",
            "Choose a smaller input size, a smaller model, or --device cpu.",
        ) from None


_known: WeakKeyDictionary[nn.Module, dict[tuple[Any, ...], int | None]] = WeakKeyDictionary()


def known_estimate(model: VisionModel, size: tuple[int, int]) -> int | None:
    """`estimate`, made once for a network, a size and a precision: it takes half a second."""
    known, key = _known.setdefault(model.net, {}), (size, _dtype(model), str(model.device))
    if key not in known:
        known[key] = estimate(model, size)
    return known[key]


def estimate(model: VisionModel, size: tuple[int, int]) -> int | None:
    """Bytes of results that are alive at once in a forward pass, and that a trace of one picture keeps.

    Counted by a pass with tensors that have no data. None where a network cannot be run so.
    """
    kept = 0

    def saw(call: Call) -> None:
        nonlocal kept
        parts = (call.q, call.k, call.matrix, call.bias)
        kept += sum(part.numel() * max(4, part.element_size()) for part in parts if part is not None)

    try:
        with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad(), Watch(model.net, saw), _Meter() as meter:
            model.net(torch.empty(1, 3, *size, dtype=_dtype(model), device=model.device))
    except Exception:  # whatever a network does that data-less tensors cannot: then nothing is known beforehand
        return None
    return meter.peak + kept


class _Meter(TorchDispatchMode):
    """The most bytes of results that are alive at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.peak = self._alive = 0
        self._users: Counter[int] = Counter()

    def __torch_dispatch__(
        self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for made in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(made, Tensor):
                self._count(made)
        return result

    def _count(self, made: Tensor) -> None:
        storage = made.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if not self._users[key]:
            self._alive += size
            self.peak = max(self.peak, self._alive)
        self._users[key] += 1
        weakref.finalize(made, self._release, key, size)

    def _release(self, key: int, size: int) -> None:
        self._users[key] -= 1
        if not self._users[key]:
            self._alive -= size


def free(device: str) -> int | None:
    """Bytes that are free on a device now; None where the system does not tell."""
    if device.startswith("cuda"):
        return torch.cuda.mem_get_info(torch.device(device))[0]
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            told = dict(line.split(":", 1) for line in lines)
        return int(told["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _gib(size: float) -> str:
    return f"{size / 2**30:.1f} GiB"


def _dtype(model: VisionModel) -> torch.dtype:
    return next((p.dtype for p in model.net.parameters() if p.is_floating_point()), torch.float32)
