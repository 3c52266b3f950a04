"""Count the memory of a capture before it begins, so that too large a picture is refused instead of ending the process."""

import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from vizapp.core.capture.call import Call
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.plain_checkpoints import run_plainly
from vizapp.core.capture.refusals import compiled
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.network import dtype_of, refuse_sharded
from vizapp.errors import NotEnoughMemory
from vizapp.memory import free_memory, memory_limit
from vizapp.model.spec import VisionModel

# Pixels. With fewer than that no network of today comes near the memory of a laptop, and counting takes a second. So below LARGE
# it is done only on a SMALL machine, or in a small container, and there only if less than PLENTY bytes a pixel are free.
LARGE = 512 * 512
SMALL = 8 * 2**30
PLENTY = 8 * 1024
SAFETY = 2.0  # measured: allocators and kernels took 1.6 to 2.9 times what is counted


def require(model: VisionModel, pixels: Tensor, batch: int) -> None:
    """Raise `NotEnoughMemory`, with a size that would fit, if a capture of large pictures needs more memory than there is."""
    n_pixels = pixels.shape[-2] * pixels.shape[-1]
    if n_pixels <= LARGE and (model.device != "cpu" or not _is_small()):
        return
    available = free(model.device)
    if n_pixels <= LARGE and (available is None or available >= PLENTY * n_pixels):
        return
    needed = known_estimate(model, (pixels.shape[-2], pixels.shape[-1]))
    if available is None or needed is None or SAFETY * needed * batch <= available:
        return
    needed = round(SAFETY * needed)
    # Linear in the number of pixels, as fused attention is; the tenth that is left out covers where it is not. Sides are
    # multiples of 32, as most networks ask for.
    side = (available / (needed * batch)) ** 0.5 * 0.9
    fits = "x".join(str(int(length * side) // 32 * 32) for length in pixels.shape[-2:])
    raise NotEnoughMemory(
        "{model} needs about {needed} for {height}x{width} pixels; {free} are free.",
        "Pictures of {fits} pixels would fit (?size=)." if batch == 1 else "Look at fewer pictures at once.",
        model=model.name,
        needed=_gib(needed * batch),
        height=pixels.shape[-2],
        width=pixels.shape[-1],
        free=_gib(available),
        fits=fits,
    )


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means that memory ran out, which PyTorch says in several ways."""
    # A plain RuntimeError on processors and some accelerators, known by its text only; MemoryError comes from Python itself.
    told = any(word in str(error) for word in ("can't allocate memory", "out of memory"))
    return told or not isinstance(error, RuntimeError) or isinstance(error, torch.OutOfMemoryError)


@cache
def _is_small() -> bool:
    return (memory_limit() or SMALL) < SMALL


@contextmanager
def explained(model: VisionModel, device: str) -> Iterator[None]:
    """Turn an error of memory, on any device, into a `NotEnoughMemory`, and let go what was held. Around each pass of `model`.

    Re-entrant checkpoints run plainly. Raises `VizError` where it runs flex_attention, and for a sharded network.
    """
    refuse_sharded(model)
    try:
        with compiled.refused(model.name), run_plainly():
            yield
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        if device.startswith("cuda"):
            torch.cuda.empty_cache()  # the next, smaller pass must not fail over pieces that this one left
        raise NotEnoughMemory(
            "{model} ran out of memory on {device}.",
            "Choose a smaller input size, a smaller model, or --device cpu.",
            model=model.name,
            device=device,
        ) from None


_estimates: Memo[int | None] = Memo()


def known_estimate(model: VisionModel, size: tuple[int, int]) -> int | None:
    """Give `estimate`, made once for a network, a size and a device, since it takes half a second."""
    model = unedited(model)  # an edit takes no room worth counting
    return _estimates.get(model.net, (size, str(model.device)), lambda: estimate(model, size))


def estimate(model: VisionModel, size: tuple[int, int]) -> int | None:
    """Count the bytes of results that are alive at once in a forward pass, and that a trace of one picture keeps.

    By a pass with tensors that have shapes and no data. None where a network cannot be run so.
    """
    kept = 0

    def saw(call: Call) -> None:
        nonlocal kept
        parts = (call.q, call.k, call.matrix, call.bias)
        # A trace keeps at least float32, also of a network in half precision.
        kept += sum(part.numel() * max(4, part.element_size()) for part in parts if part is not None)

    try:
        with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad(), Watch(model.net, saw), _Meter() as meter:
            model.net(torch.empty(1, model.preprocess.channels, *size, dtype=dtype_of(model.net), device=model.device))
    except Exception:  # a network may do anything that tensors without data cannot: then nothing is known beforehand
        return None
    return meter.peak + kept


class _Meter(TorchDispatchMode):
    """Counts the most bytes of results that are alive at the same time.

    Views share their storage: it counts once, from the first tensor on it that is made to the last that dies.
    """

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
        # A tensor that dies tells nobody else; without it a pass would be counted as if it kept every result.
        weakref.finalize(made, self._release, key, size)

    def _release(self, key: int, size: int) -> None:
        self._users[key] -= 1
        if not self._users[key]:
            self._alive -= size


def free(device: str) -> int | None:
    """Tell how many bytes are free on a device now; None where the system does not tell."""
    if device.startswith("cuda"):
        return torch.cuda.mem_get_info(torch.device(device))[0]
    return free_memory()


def _gib(size: float) -> str:
    return f"{size / 2**30:.1f} GiB"
