"""Refuse flex_attention, and whatever else is compiled: nothing of it can be seen, and a pass without it would be half a pass.

flex_attention compiles what it computes, each time it is called, so no function of PyTorch shows its softmax. All that it does in
Python is to set up that compilation, and there a watched pass ends with a sentence. A function that its owner compiled does not
get so far. The compiler stumbles over whoever watches, and its error is put in words.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, TracebackType
from typing import Any

from vizapp.errors import VizError

WHERE = "torch.nn.attention.flex_attention"
COMPILER = "torch._dynamo"
STARTS = (
    "setup_compilation_env",
    "_set_compilation_env",
)  # what it calls before it compiles itself, now and before 2.9

_thread = threading.local()  # .watched: how many blocks of `refused` this thread is in


@contextmanager
def refused(name: str) -> Iterator[None]:
    """Raise `VizError` where the network called `name` runs something compiled within the block, in this thread."""
    module = sys.modules.get(WHERE)  # who never imported it cannot run it
    if module is not None:
        _listen(module)
    _thread.watched = getattr(_thread, "watched", 0) + 1
    try:
        yield
    except VizError:
        raise
    except Exception as error:
        # Before the compiler, which runs it, and which would be blamed for it.
        if module is not None and _is_of_it(error, module):
            raise VizError(
                "{name} runs flex_attention, which computes attention inside of a compiled kernel, where it cannot be seen.",
                "Give the network with scaled_dot_product_attention, which takes masks, too (of transformers: "
                'attn_implementation="sdpa").',
                name=name,
            ) from error
        if _is_of_the_compiler(error):
            raise VizError(
                "{name} runs something that torch.compile has compiled, where no attention can be seen.",
                "Give it the function, or the module, that was compiled.",
                name=name,
            ) from error
        raise
    finally:
        _thread.watched -= 1


class _Seen(Exception):
    """flex_attention was called in a watched pass."""


def _listen(module: ModuleType) -> None:
    """Have flex_attention tell of itself, once for the process; passes of others run as they did."""
    # A dispatch mode would be handed its operator, but costs a pass 5 %, where the function mode costs 2 %.
    name = next((one for one in STARTS if hasattr(module, one)), "")
    original: Any = getattr(module, name, None)
    # A second wrapper around the first would stay for as long as the process lives.
    if original is None or getattr(original, "tells_vizapp", False):
        return

    def started(*args: Any, **kwargs: Any) -> Any:
        if getattr(_thread, "watched", 0):
            raise _Seen(WHERE)
        return original(*args, **kwargs)

    started.tells_vizapp = True  # type: ignore[attr-defined]
    setattr(module, name, started)


def _is_of_it(error: BaseException, module: ModuleType) -> bool:
    """Tell whether an error was raised in flex_attention, or below it."""
    return isinstance(error, _Seen) or "flex_attention" in str(error) or _passes(error.__traceback__, module.__file__)


def _is_of_the_compiler(error: BaseException) -> bool:
    """Tell whether the compiler itself stumbled, as it does over whoever watches."""
    # The frame that raised it, since the compiler also raises errors of Python's own types.
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return COMPILER in type(error).__module__ or (last is not None and COMPILER in last.tb_frame.f_globals["__name__"])


def _passes(traceback: TracebackType | None, file: str | None) -> bool:
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            return True
        traceback = traceback.tb_next
    return False
