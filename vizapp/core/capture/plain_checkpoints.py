"""Run what a network checkpoints (`torch.utils.checkpoint`) plainly in our passes: its functions, once.

A re-entrant checkpoint is one function to autograd, which runs its part without a graph, and once more on the way back. So what
was seen in the first run has no gradient. The other kind keeps its graph, but it runs its part once more, too: when the pass is
over, without the rules and the edits of that pass.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MODULE = "torch.utils.checkpoint"
# Surrounds the first run of the other kind, and sees to the second; the first name is that of PyTorch 2.14, the other is older.
AROUND = ("_checkpoint_without_reentrant_generator_impl", "_checkpoint_without_reentrant_generator")

_thread = threading.local()  # .passes: how many blocks of `run_plainly` this thread is in
_first = threading.Lock()  # two threads must not both put themselves before PyTorch's own


@contextmanager
def run_plainly() -> Iterator[None]:
    """Run checkpoints within the block, in this thread, as the functions that they are. Also a decorator."""
    module = sys.modules.get(MODULE)  # who never imported it has none
    if module is not None:
        with _first:
            _stand_before(module)
    _thread.passes = getattr(_thread, "passes", 0) + 1
    try:
        yield
    finally:
        _thread.passes -= 1


def _stand_before(module: Any) -> None:
    """Be asked first when a checkpoint runs, once for the process; passes of others run as they did."""
    original = module.CheckpointFunction.apply
    if getattr(original, "asks_vizapp", False):
        return

    def apply(run: Any, preserve_rng_state: bool, *args: Any) -> Any:
        return run(*args) if _thread_is_ours() else original(run, preserve_rng_state, *args)

    apply.asks_vizapp = True  # type: ignore[attr-defined]
    module.CheckpointFunction.apply = staticmethod(apply)
    name = next((one for one in AROUND if hasattr(module, one)), "")
    around: Any = getattr(module, name, None)
    if around is not None:
        setattr(module, name, lambda *args, **kwargs: _nothing() if _thread_is_ours() else around(*args, **kwargs))


def _thread_is_ours() -> bool:
    return bool(getattr(_thread, "passes", 0))


def _nothing() -> Iterator[None]:
    """Surround a run with nothing: PyTorch asks once before it, and once behind it."""
    yield
