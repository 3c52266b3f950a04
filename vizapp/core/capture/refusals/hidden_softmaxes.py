"""Count softmaxes where PyTorch runs them: below all Python functions, where traced and scripted code cannot hide them.

`Watch` sees the functions that a network calls from Python. A softmax that it was not told of may weigh tokens unseen, so its
module is named.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from vizapp.core.capture.watch import Watch

# One softmax each, inside: what nn.MultiheadAttention and nn.TransformerEncoderLayer run where no gradient is asked for.
_WHOLE = {"_native_multi_head_attention", "_transformer_encoder_layer_fwd"}
_NAMES = {"_softmax", "_safe_softmax", "_log_softmax"} | _WHOLE


class SoftmaxCounter(TorchDispatchMode):
    """Counts softmaxes, and fused attentions, among the operations that PyTorch really runs.

    running    tells the module that runs now; None: not asked for
    by_module  how many there were in each
    """

    def __init__(self, running: Callable[[], str] | None = None) -> None:
        super().__init__()
        self._running = running
        self.by_module: Counter[str] = Counter()

    @property
    def count(self) -> int:
        return self.by_module.total()

    def hidden(self, watch: Watch) -> tuple[str, ...]:
        """Name the module of each softmax that `watch` was not told of."""
        return tuple((self.by_module - Counter(watch.softmaxes)).elements())

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Say no before PyTorch loads its compiler, which takes seconds, only to keep it away from the next method."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func.overloadpacket.__name__
        # By the start of the name: each device has kernels of its own, and newer versions of PyTorch bring more.
        if name.startswith("_scaled_dot_product") or name in _NAMES:
            self.by_module[self._running() if self._running else ""] += 1
        # Else a watch would be told of the softmaxes of scripted code, but only while they are counted, and none would be hidden.
        with torch._C.DisableTorchFunction():
            return func(*args, **(kwargs or {}))


def scripted(net: nn.Module) -> tuple[str, ...]:
    """Name the parts of a network that are traced or scripted: some of them do not run while softmaxes are counted."""
    return tuple(name for name, part in net.named_modules() if isinstance(part, torch.jit.ScriptModule))
