"""Features of each patch at the end of a network: the output tokens of its last layer, with the network's own norm.

No network declares where its norm is. It is the first module after the last block that has no submodules, gets the block's output
tokens (all, or only those that are read), and gives the same output for tokens that are twice as long. A norm with another input,
such as the mean of all patches, is not a norm of patches.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.memory import explained
from vizapp.core.capture.reading import order_of
from vizapp.core.network import SeenEnough, dtype_of
from vizapp.core.signals.blocks import Hook, blocks_of, first_tensor, hooked, leaving
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel

SAME = 1e-3  # of the largest value: a norm adds a little to what it divides by


@dataclass(frozen=True, eq=False)
class Place:
    """The place in a network where the features of patches are found, by the names of its modules.

    block   its output are the tokens: (B, token, feature), (token, B, feature) or (B, rows, cols, feature)
    norm    the norm of each token after it; "" if there is none
    layout  the layout of the tokens
    order   the indices of the block's tokens in the order of the layout
    is_token_first  (token, B, feature): found with one picture, because a batch may be as large as the number of tokens
    """

    block: str
    norm: str
    layout: TokenLayout
    order: Tensor | slice
    is_token_first: bool

    def features(self, net: nn.Module, pixels: Tensor) -> Tensor:
        """(B, patch, feature) in float32 or better, differentiable, by a pass of `net` that ends there."""
        tokens = _handed_on(net, net.get_submodule(self.block), pixels)
        batch, (rows, cols) = len(pixels), self.layout.grid
        if tokens.shape[:-1] == (batch, rows, cols) and not self.layout.prefix:
            tokens = tokens.flatten(1, 2)  # each in its place by itself
        else:
            if self.is_token_first:
                tokens = tokens.transpose(0, 1)
            if tokens.shape[:-1] != (batch, self.layout.n_tokens):
                raise VizError("The output of {block} is not one row of features per token.", block=self.block)
            tokens = tokens[:, self.order]
        if self.norm:
            tokens = net.get_submodule(self.norm)(tokens)
        return tokens[:, self.layout.n_prefix :].to(torch.promote_types(tokens.dtype, torch.float32))


def place_of(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> Place:
    """Find it by one pass of `model` on `pixels` (1, C, h, w), the picture of `trace`.

    Raises `VizError` if the output of the last layer is not one row of features per patch.
    """
    net, layout = unedited(model).net, trace.layouts(-1)[0]
    block = blocks_of(net, trace)[-1]
    pixels = pixels.detach().to(model.device, dtype_of(net))
    with explained(model, model.device), torch.no_grad():
        tokens, norm = _end(net, block, pixels)
    # A picture of tokens has each in its place; only a sequence may have an order of its own.
    in_place = not layout.prefix and tokens.ndim == 4
    order = slice(None) if in_place else order_of(model, pixels, trace.layers[-1].name)
    is_token_first = tokens.shape[:-1] == (layout.n_tokens, 1)
    return Place(block, norm, layout, order, is_token_first)


def patch_features(model: VisionModel, pixels: Tensor, place: Place) -> Tensor:
    """(patch, feature) float32 of one picture, pixels (1, C, h, w), on the CPU. One pass."""
    with explained(model, model.device), torch.no_grad():
        found = place.features(model.net, pixels.detach().to(model.device, dtype_of(model.net)))
    return found[0].float().cpu()


def _handed_on(net: nn.Module, block: nn.Module, pixels: Tensor) -> Tensor:
    """Return the first output tensor of `block` in a pass of `net`, which ends there. In this thread only."""
    found: list[Tensor] = []

    def keep(args: Any, kwargs: Any, output: Any) -> None:
        found.append(first_tensor(output))
        raise SeenEnough

    try:
        with hooked([(block, keep)]):
            net(pixels)
    except SeenEnough:
        return found[0]
    raise _not_called()


def _not_called() -> VizError:
    return VizError("The last block of this network was not called.")


def _end(net: nn.Module, block: str, pixels: Tensor) -> tuple[Tensor, str]:
    """Return the output of the last block, and the name of the module that norms its tokens; "" if none does."""
    found: list[str] = []

    def called(name: str, module: nn.Module) -> Hook:
        def look(args: Any, kwargs: Any, output: Any) -> None:
            if block not in left or found or not args or not isinstance(args[0], Tensor):
                return
            if isinstance(output, Tensor) and output.shape == args[0].shape and _are_tokens(args[0], left[block]):
                found.extend([name] if is_norm(module, args[0], output) else [])

        return look

    parts = [
        (part, called(name, part))
        for name, part in net.named_modules()
        if not name.startswith(block + ".") and not any(part.children())
    ]
    with leaving(net, [block]) as left, hooked(parts):
        net(pixels)
    if block not in left:
        raise _not_called()
    return left[block], found[0] if found else ""


def _are_tokens(given: Tensor, tokens: Tensor) -> bool:
    """Tell whether each row of `given` is an output token of the block."""
    if given.shape[-1] != tokens.shape[-1] or given.dtype != tokens.dtype:
        return False
    rows, all_rows = given.flatten(0, -2), tokens.flatten(0, -2)
    if len(rows) == len(all_rows):
        return torch.equal(rows, all_rows)
    # A few rows tell: each of them is compared with all tokens.
    return len(rows) < len(all_rows) and all(bool((all_rows == row).all(-1).any()) for row in rows[:8])


def is_norm(module: nn.Module, given: Tensor, output: Tensor) -> bool:
    """Tell whether a module, which made `output` of `given` (..., feature), gives the same for tokens of another length."""
    if torch.equal(given, output):
        return False
    # Half as long if twice would be infinite: in float16 a sink's token may be that long.
    by = 2 if float(given.abs().max()) < torch.finfo(given.dtype).max / 4 else 0.5
    # Not by a call: hooks, ours and those of others, would hear of tokens that are not the network's.
    of_other = module.forward(by * given)
    return float((of_other - output).abs().max()) <= SAME * float(output.abs().max())
