"""Refuse flex_attention, and whatever else is compiled: nothing of it can be seen, and a pass without it would be half a pass.

The compiler stumbles over whoever watches a pass, and its error is put in words. flex_attention compiles itself, each time it is
called; so that no version of PyTorch gets through with it, its first step in Python is made to tell.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vizapp.errors import VizError

WHERE = "torch.nn.attention.flex_attention"
COMPILER = "torch._dynamo"
STARTS = ("setup_compilation_env", "_set_compilation_env")  # what flex_attention calls first, now and before 2.9

_thread = threading.local()  # .watched: how many blocks of `refused` this thread is in


@contextmanager
def refused(name: str) -> Iterator[None]:
    """Raise `VizError` where the network called `name` runs something compiled within the block, in this thread."""
    _listen()
    _thread.watched = getattr(_thread, "watched", 0) + 1
    try:
        yield
    except VizError:
        raise
    except Exception as error:
        # The frame that raised it, since the compiler also raises errors of Python's own types.
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        where = last.tb_frame.f_globals["__name__"] if last is not None else ""
        if isinstance(error, _Seen) or COMPILER in type(error).__module__ or COMPILER in where:
            raise VizError(
                "{name} runs something compiled (torch.compile, flex_attention), where no attention can be seen.",
                "Give the network with the function, or the module, that was compiled; in place of flex_attention with "
                'scaled_dot_product_attention, which takes masks, too (of transformers: attn_implementation="sdpa").',
                name=name,
            ) from error
        raise
    finally:
        _thread.watched -= 1


class _Seen(Exception):
    """flex_attention was called in a watched pass."""


def _listen() -> None:
    """Have flex_attention tell of itself, once for the process; passes of others run as they did."""
    module = sys.modules.get(WHERE)  # who never imported it cannot run it
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
