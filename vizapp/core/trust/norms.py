"""Norms of the output tokens of each block: measured in a pass that runs anyway, or in one of its own.

The blocks of a network are known only after its first capture, so its first pass is not measured; all later ones are.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.memory import explained
from vizapp.core.capture.reading import orders_of
from vizapp.core.memo import Memo
from vizapp.core.network import dtype_of
from vizapp.core.signals.blocks import blocks_of, is_list, leaving
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

GRIDS = Text("The layers of this network have grids of their own, where no patch stays the same.")

_blocks: Memo[tuple[str, ...]] = Memo()  # () if no norm of a patch can be measured


@contextmanager
def listening(model: VisionModel) -> Iterator[dict[str, Tensor]]:
    """Keep the norms of the output tokens of each block, by its name; keep none for a network that is new here."""
    net = unedited(model).net  # an edited network runs the very same blocks
    with leaving(net, _blocks.known(net, ()) or (), _lengths) as heard:
        yield heard


def norms_heard(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, heard: Mapping[str, Tensor]
) -> tuple[Tensor, ...] | None:
    """(patch,) of each layer: the norms that `listening` kept while `trace` was made.

    None if it kept none, and () if there are none to measure. For a network that is new here, the blocks are found for the next
    time.
    """
    net = unedited(model).net
    known = _blocks.known(net, ())
    if known is None or len(known) not in (0, len(trace.layers)):
        _blocks.put(net, (), _blocks_with_norms(model, trace))
        return None
    if known and not heard:
        return None
    try:
        return norms(model, pixels, trace, known, heard) if known else ()
    except VizError:  # the output of a block is not a row per token
        return ()


def norms_of_a_pass(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[Tensor, ...]:
    """Measure the norms in a forward pass of its own; raises `VizError` if no norm of a patch can be measured."""
    refuse_grids(trace)
    blocks = blocks_of(model.net, trace)
    with explained(model, model.device), torch.no_grad(), leaving(model.net, blocks, _lengths) as heard:
        model.net(pixels.to(model.device, dtype_of(model.net)))
    return norms(model, pixels, trace, blocks, heard)


def norms(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, blocks: Sequence[str], heard: Mapping[str, Tensor]
) -> tuple[Tensor, ...]:
    """(patch,) of each layer: the norms of its block's output tokens, in the order of the patches.

    heard  of each block, (1, token) or (token, 1)
    Raises `VizError` if layers have grids of their own, or if the output of a block is not a row per token.
    """
    refuse_grids(trace)
    layout, found = trace.layout, []
    # Some networks shuffle tokens between patches and attention; norms and shares must refer to the same patch.
    orders = orders_of(model, pixels, [layer.name for layer in trace.layers])
    for block, order in zip(blocks, orders, strict=True):
        if sorted(heard[block].shape) != sorted((1, layout.n_tokens)):
            raise VizError("The output of {block} is not one row of features per token.", block=block)
        found.append(heard[block].flatten()[order][layout.n_prefix :].to(trace.device))
    return tuple(found)


def refuse_grids(trace: AttentionTrace) -> None:
    """Raise `VizError` for a network whose layers have different patches."""
    if not trace.one_grid:
        raise VizError(GRIDS)


def _lengths(features: Tensor) -> Tensor:
    # At once, and not the features themselves: at 1344 pixels those of all blocks are 130 MB.
    return features.detach().float().norm(dim=-1)


def _blocks_with_norms(model: VisionModel, trace: AttentionTrace) -> tuple[str, ...]:
    try:
        refuse_grids(trace)
        blocks = tuple(blocks_of(model.net, trace))
    except VizError:
        return ()
    return () if any(is_list(model.net, block) for block in blocks) else blocks
