"""A rehearsal for the GPU, on a machine that has none: tensors that say they are on a device called "pretend".

net = net.to("pretend")        # as a user would write "cuda"
with float64(False): ...       # from here on it is like Apple's MPS, which has no float64

Their numbers are real: they lie in the memory of the processor, and its kernels compute them. Their refusals are real, too: what
a GPU refuses (tensors of two devices in one operation, an index that lies elsewhere, `numpy()` without `cpu()`) is refused with
PyTorch's own words. `pretend:1` is a second one, for networks that are spread over several; gradients it has none, since PyTorch
knows of one device of a kind that is written in Python.

PyTorch lets a device be written in Python: factories are registered for the device itself, so they hold in every thread (that
of the backward pass, too), and results are wrapped by a subclass of Tensor.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map

try:
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend as set_up
except ImportError:  # PyTorch before 2.10
    set_up = None

NAME = "pretend"
# Where there is a GPU nothing is rehearsed: with two kinds of device in a process, PyTorch's gradients fail on CUDA's streams.
REAL = torch.cuda.is_available()
COUNT = 2
CPU = torch.device("cpu")

_HAS = {"float64": True}

# What copies from one device to another, and so may see both.
CROSSES = {"aten::_to_copy", "aten::copy_", "aten::_copy_from", "aten::_copy_from_and_resize"}
# An index may lie on the processor: PyTorch brings it over. Only what is indexed, and what is put there, must lie together.
INDEXES = {"aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index"}

# What makes a tensor of nothing. All others are made of the first two; these would make an empty one and resize it, which a
# wrapper cannot follow.
aten = torch.ops.aten
FACTORIES = (
    *(aten.empty.memory_format, aten.empty_strided.default),
    *(aten.arange.default, aten.arange.start, aten.arange.start_step),
    *(aten.linspace.default, aten.logspace.default, aten.eye.default, aten.eye.m),
    *(aten.randperm.default, aten.randperm.generator, aten.tril_indices.default, aten.triu_indices.default),
)


class Pretended(Tensor):
    """A tensor that says it is on `device` and holds its numbers in `inner`, on the processor."""

    inner: Tensor

    @staticmethod
    def __new__(
        cls, inner: Tensor, device: torch.device | None = None, requires_grad: bool | None = None
    ) -> "Pretended":
        if device is None:  # accelerate makes a parameter anew by the class that it finds
            return nn.Parameter(inner, bool(requires_grad))  # type: ignore[return-value]
        if inner.dtype == torch.float64 and not _HAS["float64"]:
            raise TypeError(
                "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64. "
                "Please use float32 instead."
            )
        made = Tensor._make_wrapper_subclass(
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            layout=inner.layout,
            device=device,
            requires_grad=False,
        )
        made.inner = inner
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return _run(func, args, kwargs or {})

    def tolist(self) -> Any:
        """As of any tensor: PyTorch refuses it of a subclass."""
        return self.detach().cpu().tolist()

    def numpy(self, *, force: bool = False) -> Any:
        if not force:
            raise TypeError(
                f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                "memory first."
            )
        return self.detach().cpu().numpy()

    def __array__(self, dtype: Any = None) -> Any:
        return self.numpy()

    def __repr__(self) -> str:  # type: ignore[override]
        return f"Pretended({self.inner!r}, device='{self.device}')"


def _run(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`func` on the processor, wrapped again; an error where a GPU would give one."""
    name = func._schema.name
    target = _device_of_result(name, func, args, kwargs)
    inner_args, inner_kwargs = tree_map(_inner, (args, dict(kwargs)))
    inner_kwargs.pop("pin_memory", None)
    inner_kwargs.pop("non_blocking", None)
    result = func(*inner_args, **inner_kwargs)
    if target.type != NAME:
        return args[0] if name == "aten::copy_" else result
    wrapped = tree_map(lambda one: Pretended(one, target) if isinstance(one, Tensor) else one, result)
    made = return_and_correct_aliasing(func, args, kwargs, wrapped)
    if any(isinstance(one, Pretended) and one.shape != one.inner.shape for one in tree_leaves((args, kwargs, made))):
        raise NotImplementedError(f"The rehearsal does not know how {func} makes room in its argument.")
    return made


def _device_of_result(name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device:
    asked = kwargs.get("device")
    devices = {one.device for one in tree_leaves((args, kwargs)) if isinstance(one, Pretended)}
    if name in CROSSES:
        if name == "aten::_to_copy":
            return torch.device(asked) if asked is not None else next(iter(devices), CPU)
        return args[0].device
    if name in INDEXES:
        own = args[0].device
        indices = {one.device for one in tree_leaves(args[1]) if isinstance(one, Tensor)} - {own, CPU}
        if indices:
            raise RuntimeError(f"indices should be either on cpu or on the same device as the indexed tensor ({own})")
        values = args[2] if len(args) > 2 else None
        if isinstance(values, Tensor) and values.device != own and values.ndim:
            raise RuntimeError(f"expected values to be on the same device as self ({own}), got {values.device}")
        return own
    # A single number on the processor may go along: it is handed to the kernel as a number.
    elsewhere = [
        one.device
        for one in tree_leaves((args, kwargs))
        if isinstance(one, Tensor) and not isinstance(one, Pretended) and one.ndim
    ]
    if len(devices) > 1 or (devices and elsewhere):
        found = ", ".join(sorted({str(one) for one in [*devices, *elsewhere]}))
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {found}! "
            f"(when checking arguments of {func})"
        )
    if asked is not None:
        return torch.device(asked)
    return next(iter(devices), CPU)


def _inner(value: Any) -> Any:
    if isinstance(value, Pretended):
        return value.inner
    return CPU if isinstance(value, torch.device) and value.type == NAME else value


@contextmanager
def float64(has_it: bool) -> Iterator[None]:
    """Whether the device has float64 within the block: CUDA has, Apple's MPS has not. For all threads, so one at a time."""
    before, _HAS["float64"] = _HAS["float64"], has_it
    try:
        yield
    finally:
        _HAS["float64"] = before


class _Module:
    """What PyTorch asks of a device's module, `torch.pretend`."""

    def is_initialized(self) -> bool:
        return True

    def is_available(self) -> bool:
        return True

    def current_device(self) -> int:
        return 0

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None:
        pass

    def device_count(self) -> int:
        return COUNT

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]


@cache
def begin() -> None:
    """Tell PyTorch of the device. For the whole process; devices that exist are not touched.

    Before the first gradient of the process: with it, PyTorch starts a thread for each device that it knows, and no more later.
    """
    if set_up is None or REAL:
        return
    set_up(NAME, _Module())
    library = torch.library.Library("aten", "IMPL")
    _libraries.append(library)

    def made_by(func: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def made(*args: Any, **kwargs: Any) -> Tensor:
            device = torch.device(kwargs.pop("device"))
            kwargs.pop("pin_memory", None)
            return Pretended(func(*args, **kwargs, device=CPU), torch.device(NAME, device.index or 0))

        return made

    def copied(source: Tensor, target: Tensor, non_blocking: bool = False) -> Tensor:
        _inner(target).copy_(_inner(source))
        return target

    for func in FACTORIES:
        library.impl(func, made_by(func), "PrivateUse1")
    library.impl(torch.ops.aten._copy_from.default, copied, "PrivateUse1")


_libraries: list[torch.library.Library] = []  # a library that nobody holds is undone
