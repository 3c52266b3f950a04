"""How long the tokens are that leave each block: listened to in a pass that runs anyway, or in one of its own.

Which modules are blocks is known once a network was captured, so its first pass is not listened to; all later ones are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.memory import explained
from vizapp.core.capture.probe import orders_of
from vizapp.core.memo import Memo
from vizapp.core.network import dtype_of
from vizapp.core.signals.blocks import blocks_of, is_list, leaving
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

GRIDS = Text("The layers of this network have grids of their own, where no patch stays the same.")

_blocks: Memo[tuple[str, ...]] = Memo()  # () where no norm of a patch can be told


@contextmanager
def listening(model: VisionModel) -> Iterator[dict[str, Tensor]]:
    """Keep the lengths of the tokens that leave each block, by its name; nothing of a network that is new here."""
    net = unedited(model).net  # an edited network runs the very same blocks
    with leaving(net, _blocks.known(net, ()) or (), _lengths) as heard:
        yield heard


def norms_heard(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, heard: Mapping[str, Tensor]
) -> tuple[Tensor, ...] | None:
    """(patch,) of each layer: the norms that `listening` kept while `trace` was made.

    None where it kept none, and () where there are none to be told. Of a network that is new here it is learned what to listen
    to next time.
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
    except VizError:  # what leaves a block is no row per token
        return ()


def norms_of_a_pass(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[Tensor, ...]:
    """The same from a forward pass of its own; raises `VizError` where no norm of a patch can be told."""
    refuse_grids(trace)
    blocks = blocks_of(model.net, trace)
    with explained(model, model.device), torch.no_grad(), leaving(model.net, blocks, _lengths) as heard:
        model.net(pixels.to(model.device, dtype_of(model.net)))
    return norms(model, pixels, trace, blocks, heard)


def norms(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, blocks: Sequence[str], heard: Mapping[str, Tensor]
) -> tuple[Tensor, ...]:
    """(patch,) of each layer: how long the tokens are that left its block, in the order of the patches.

    heard  of each block, (1, token) or (token, 1)
    Raises `VizError` where layers have grids of their own, or a block gives something else than a row per token.
    """
    refuse_grids(trace)
    layout, found = trace.layout, []
    # Some networks shuffle tokens between patches and attention; norms and shares must speak of the same patch.
    orders = orders_of(model, pixels, [layer.name for layer in trace.layers])
    for block, order in zip(blocks, orders, strict=True):
        if sorted(heard[block].shape) != sorted((1, layout.n_tokens)):
            raise VizError("What leaves {block} is not one row of features per token.", block=block)
        found.append(heard[block].flatten()[order][layout.n_prefix :].to(trace.device))
    return tuple(found)


def refuse_grids(trace: AttentionTrace) -> None:
    """Raise `VizError` for a network where a patch of one layer is none of another."""
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
