"""Apply an edit to an attention call that was just seen, before the network goes on."""

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from vizapp.core.capture.call import Call, OwnView
from vizapp.core.capture.storage import versions_of
from vizapp.errors import VizError

EditCall = Callable[[Call], Call | Tensor | None]


def edited_call(call: Call, edit: EditCall) -> Call:
    """Give the call with what `edit` made of it, and its result as the network spells it."""
    # Counts of writes, and not values, which would have to be copied for each call. In inference mode nobody counts.
    before = versions_of(call.output)
    made = edit(call)
    if made is None or made is call:
        if versions_of(call.output) != before:
            raise VizError(
                "An edit of {title} wrote into call.output, but the network may continue with another copy of it.",
                "Change a copy, call.output.clone(), and return that.",
                title=call.title,
            )
        return call
    if isinstance(made, Tensor):
        made = replace(call, output=made)
    # Here and not in the network, which would fail in a layer further on, in words about that layer.
    if made.output.shape != call.output.shape or made.output.dtype != call.output.dtype:
        raise VizError(
            "An edit of {title} gives {got}, but the network needs {expected}.",
            "Return a tensor of the shape and the type of call.output.",
            title=call.title,
            got=f"{tuple(made.output.shape)} {made.output.dtype}",
            expected=f"{tuple(call.output.shape)} {call.output.dtype}",
        )
    if call.own is not None:  # the network goes on with its own view of the output
        made = replace(made, own=OwnView(call.own.back(made.output), call.own.turn, call.own.back))
    return made
