"""Run a network of lower precision in float64 without a copy of it: for rules that divide by small sums.

The relevance rules divide by sums in which terms of both signs cancel, layer after layer. In float32, the relevance of early
layers is rounding noise. Here a function mode widens the arguments of each function, weights included. So the network itself,
which other threads use, does not change, and neither do its hooks or an edit of the pass.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from vizapp.core import ops
from vizapp.core.network import dtype_of
from vizapp.core.setting import Setting
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

Precision = Annotated[
    Literal["float64", "network"],
    Setting(
        "Precision", "Of the pass back: float64, or that of the network, where small sums are rounded.", shown=False
    ),
]
_NARROW = (torch.float16, torch.bfloat16, torch.float32)
_WRITES = frozenset(
    "__set__ __setitem__ __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __ipow__ __imod__".split()
)
_SAID_OF_TYPES = ("dtype", "scalar type", "Double", "double")  # words of PyTorch's errors about types that do not fit


def device_and_dtype(model: VisionModel, precision: str) -> tuple[torch.device, torch.dtype]:
    """Choose where a pass of `model` runs, and in which type: on the processor if the model's device has no float64."""
    device = torch.device(model.device)
    if precision == "network":
        return device, dtype_of(model.net)
    return device if _lacking(model) is None else torch.device("cpu"), torch.float64


def has_float64(device: torch.device) -> bool:
    """Tell whether a device holds numbers in float64; Apple's (MPS) and some others do not."""
    # Asked of the device itself: a list of those that lack it would be out of date.
    try:
        torch.zeros((), dtype=torch.float64, device=device)
    except (TypeError, RuntimeError):
        return False
    return True


def note_of(model: VisionModel, precision: str) -> tuple[Text, ...]:
    """Make the notes for a map that was made so."""
    lacking = _lacking(model) if precision == "float64" else None
    if lacking is None:
        return ()
    return (Text("Computed on the processor: {device} has no float64.", device=lacking.type),)


def _lacking(model: VisionModel) -> torch.device | None:
    """Find the first device of the network that has no float64: the network may be spread over several."""
    devices = {torch.device(model.device), *(one.device for one in model.net.parameters())}
    # Sorted, so that a note names the same one each time.
    return next((device for device in sorted(devices, key=str) if not has_float64(device)), None)


@contextmanager
def computed_in(model: VisionModel, precision: str) -> Iterator[None]:
    """Treat weights as constants in the block, and compute in float64 unless `precision` is "network".

    In this thread only. Enter it before other function modes, so that these see the network's functions and it sees theirs.
    Raises `VizError` if the network insists on another type.
    """
    away = precision == "float64" and _lacking(model) is not None
    try:
        with _Constants(precision == "float64", torch.device("cpu") if away else None):
            yield
    except RuntimeError as error:
        # PyTorch raises a plain RuntimeError where types do not fit: only its words tell.
        if precision == "network" or not any(word in str(error) for word in _SAID_OF_TYPES):
            raise
        raise VizError(
            "{model} cannot be computed in float64: {why}.",
            'dtype="network" computes as it does itself; early layers are then rounding noise.',
            model=model.name,
            why=str(error).partition("\n")[0],
        ) from error


def wide(query: Tensor) -> Tensor:
    """Convert the weights of a query to float64 if its device has it: sums of 1 and far smaller numbers keep their digits."""
    return query.double() if has_float64(query.device) else query


# A mode, since `torch.func.functional_call` swaps weights in modules that other threads run, and a copy takes their hooks along.
class _Constants(TorchFunctionMode):
    """Gives functions weights that require no gradient: then only tensors that depend on the picture require one.

    widen   arguments and results in float64
    device  the device for arguments; None: they stay where they are
    """

    def __init__(self, widen: bool, device: torch.device | None) -> None:
        super().__init__()
        self._widen, self._device = widen, device

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name, given = getattr(func, "__name__", ""), kwargs or {}
        if name == "__get__":
            return self._asked(func, args)
        is_in_place = (name.endswith("_") and not name.endswith("__")) or name in _WRITES
        if is_in_place or "out" in given:  # other code holds its target, which keeps its type and rounds the values
            target = {"out": given["out"]} if "out" in given else {}
            return func(args[0], *tree_map(self._made, args[1:]), **tree_map(self._made, given) | target)
        args, given = tree_map(self._made, args), tree_map(self._made, given)
        # What narrows on purpose (`x.float()` before a norm) would round what is computed in float64.
        if self._widen and name in ops.NARROWS and args[0].is_floating_point():
            return args[0]
        result = func(*args, **given)
        return tree_map(self._made, result) if self._widen else result

    def _asked(self, func: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Read an attribute. Only attributes that hold values need a widened weight."""
        name = ops.name_of(func)
        # The network must make its new tensors where its arguments are, though its weights say another device.
        if name == "device" and self._device is not None:
            return self._device
        if name in {"dtype", "shape", "ndim", "requires_grad", "is_leaf", "grad_fn"}:
            return self._made(func(*args))
        return self._made(func(*tree_map(self._made, args)))

    def _made(self, one: Any) -> Any:
        if isinstance(one, Tensor):
            dtype = torch.float64 if self._widen and one.dtype in _NARROW else one.dtype
            # A weight that is not frozen would be an activation to the rules: Swin's position bias once got 3 to 5 % of all.
            constant = one.detach() if isinstance(one, nn.Parameter) or (one.is_leaf and dtype != one.dtype) else one
            return constant.to(self._device or one.device, dtype)
        if isinstance(one, torch.dtype):
            return torch.float64 if self._widen and one in _NARROW else one
        return one
