"""Randomisation of a network from the classifier down, which must change every map that explains what it learned.

Adebayo et al. 2018, Sanity Checks for Saliency Maps, section 3 (arXiv 1810.03292): cascading randomisation.
"""

import copy
from collections import OrderedDict
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map_only

from vizapp.core.capture.edited import edited_like, unedited
from vizapp.core.capture.memory import explained
from vizapp.core.context import ExplainContext
from vizapp.core.modes import normal_tensors
from vizapp.core.network import dtype_of, output_of
from vizapp.core.signals.blocks import blocks_of, hooked, is_list
from vizapp.core.signals.stream import stream_of
from vizapp.core.state import is_ours
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel


@normal_tensors()
def randomised(context: ExplainContext, blocks: int, seed: int = 0) -> VisionModel:
    """Copy the network of `context`, with random values for everything after its blocks, and for the last `blocks` of them.

    New values are normal, with each parameter's former mean and spread, so that the network stays in its range. The other
    parameters are shared, not copied, and the network itself does not change. Raises `VizError` if nothing is learned after the
    last block, if there are fewer blocks, if the end of the blocks is not found, and if weights are offloaded.
    """
    if any(one.device.type == "meta" for one in context.model.net.parameters()):
        raise VizError(
            "Some weights of {name} are kept elsewhere between two passes (offloaded), and cannot be randomised.",
            "Load the network whole.",
            name=context.model.name,
        )
    names = blocks_of(context.model.net, context.trace)
    if not 0 <= blocks <= len(names):
        raise VizError(
            "{blocks} blocks cannot be randomised: {name} has {count}.",
            blocks=blocks,
            name=context.model.name,
            count=len(names),
        )
    drawn = tuple(f"{name}." for name in names[len(names) - blocks :]) if blocks else ()
    plain = unedited(context.model)
    net = _sharing_copy(plain.net)
    after = _after(net, names[-1], context)
    if not after:
        raise VizError("Nothing is learned after the last block, so there is no classifier to randomise.")
    generator = torch.Generator().manual_seed(seed % 2**64)
    for name, parameter in list(net.named_parameters()):
        owner, _, own_name = name.rpartition(".")
        values = parameter.detach()
        if name in after or name.startswith(drawn):
            noise = torch.randn(values.shape, generator=generator).to(values)
            # A single value has no spread, and a norm's weights may all be 1: then the size of the values stands in for it.
            spread = values.std() if values.numel() > 1 else values.abs().sum()
            values = values.mean() + torch.where(spread > 0, spread, values.abs().mean()) * noise
        setattr(net.get_submodule(owner), own_name, nn.Parameter(values, requires_grad=False))
    return edited_like(context.model, replace(plain, net=net))


def _after(net: nn.Module, last: str, context: ExplainContext) -> set[str]:
    """Name the parameters that the logits depend on even if the output of the last block is held fixed.

    No name tells which modules come after the blocks, so the graph is cut there, and autograd tells which parameters are left.
    If the picture is left, too, the block was not a module that is called (a list of attention and MLP), or its sum stands
    outside of it. The graph is then cut at the last sum with the residual stream. Raises `VizError` if there is none.
    """
    if not is_list(net, last):
        with hooked(
            [(net.get_submodule(last), lambda args, kwargs, output: tree_map_only(Tensor, torch.detach, output))]
        ):
            after, whole = _trained(net, context)
        if not whole:
            return after
    # The weights are the same, so that the place is the same.
    stream = replace(stream_of(context.model, context.pixels, context.trace, _sum), net=net)
    end = len(context.trace.layers) - 1
    with stream.changing(lambda place, made: made.detach() if place == end else made):
        after, whole = _trained(net, context)
    if whole:
        raise VizError(
            "The output of {name} bypasses its last block, so there is no separate classifier.",
            name=context.model.name,
        )
    return after


def _trained(net: nn.Module, context: ExplainContext) -> tuple[set[str], bool]:
    """Name the parameters that the output depends on, and tell whether it depends on the picture, too."""
    pixels = context.pixels.detach().to(context.model.device, dtype_of(net)).requires_grad_(True)
    parameters = dict(net.named_parameters())
    with explained(context.model, context.model.device), torch.enable_grad():
        output = _sum(net(pixels))
        if not output.requires_grad:
            return set(), False
        *given, whole = torch.autograd.grad(output, [*parameters.values(), pixels], allow_unused=True)
    names = {name for name, gradient in zip(parameters, given, strict=True) if gradient is not None}
    return names, whole is not None


def _sum(output: Any) -> Tensor:
    return output_of(output).sum()


def _sharing_copy(net: nn.Module) -> nn.Module:
    """Copy the modules, with parameters of their own that lie on the same memory, and with the hooks of their owner.

    A hook of the owner is a part of the network; our hooks belong to a capture that is running now.
    """
    # deepcopy looks into `memo` before it copies: an object that stands there by its id is used as it is.
    memo: dict[int, Any] = {id(one): one for one in net.buffers()}
    memo |= {id(one): nn.Parameter(one.detach(), requires_grad=one.is_floating_point()) for one in net.parameters()}
    for module in net.modules():
        for hooks in (module._forward_hooks, module._forward_pre_hooks):
            memo[id(hooks)] = OrderedDict((key, hook) for key, hook in hooks.items() if not is_ours(hook))
    return copy.deepcopy(net, memo)
