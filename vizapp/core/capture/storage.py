"""The memory under a tensor: where it lies, how often it was written to, and whether there is any."""

import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor
from torch._subclasses.fake_tensor import FakeTensor


def versions_of(*tensors: Tensor) -> tuple[int, ...] | None:
    """Count how often each tensor was written to, as autograd does; None in inference mode, where it does not count.

    Writes through `tensor.data` or NumPy are not counted either: see `HeldMaps.doubt`.
    """
    return None if any(tensor.is_inference() for tensor in tensors) else tuple(tensor._version for tensor in tensors)


def memory_of(tensor: Tensor) -> tuple[object, ...]:
    """Tell where a tensor's values lie, and in which order they are read."""
    if tensor.layout != torch.strided or is_functorch_wrapped_tensor(tensor):
        return (id(tensor),)  # sparse, or inside of torch.vmap, it lies nowhere; `Call` refuses the second in words
    # The storage itself and not its address: tensors that have shapes only (`memory.estimate`) have none.
    storage = tensor.untyped_storage()._cdata
    return storage, tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype


def has_no_values(tensor: Tensor) -> bool:
    """Tell whether a tensor has a shape only, and no values that could be asked."""
    return isinstance(tensor, FakeTensor) or tensor.is_meta or is_functorch_wrapped_tensor(tensor)


def address_of(tensor: Tensor) -> int:
    """Tell where the memory of a tensor begins; 0 if it has none of the usual kind (a sparse one)."""
    if tensor.layout != torch.strided:
        return 0
    # Tensors without data, and those of some libraries, have a storage that nobody may ask.
    try:
        return tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return 0
