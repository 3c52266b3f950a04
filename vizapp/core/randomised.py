"""The same network with some of what it learned forgotten, from the classifier down: what must change a map that explains it.

Adebayo et al. 2018, Sanity Checks for Saliency Maps, section 3 (arXiv 1810.03292): cascading randomisation.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from model.spec import VisionModel
from vizapp.core.blocks import blocks_of
from vizapp.core.capture import dtype_of, output_of
from vizapp.core.normal import normal_tensors
from vizapp.core.specimen import Specimen
from vizapp.errors import VizError


@normal_tensors()
def randomised(seen: Specimen, blocks: int, seed: int = 0) -> VisionModel:
    """The network of `seen` with everything after its blocks drawn anew, and the last `blocks` of them too.

    New values are normal, with the mean and the spread that each parameter had, so that the network stays in its range. What
    is not drawn anew is shared, not copied, and the network itself stays as it is.
    """
    names = blocks_of(seen.trace)
    drawn = tuple(f"{name}." for name in names[len(names) - blocks :]) if blocks else ()
    net = _sharing_copy(seen.model.net)
    after = _after(net, names[-1], seen)
    if not after:
        raise VizError("Nothing is learned after the last block, so there is no classifier to forget.")
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in list(net.named_parameters()):
        owner, _, own_name = name.rpartition(".")
        values = parameter.detach()
        if name in after or name.startswith(drawn):
            noise = torch.randn(values.shape, generator=generator).to(values)
            spread = values.std() if values.numel() > 1 else values.abs().sum()
            values = values.mean() + torch.where(spread > 0, spread, values.abs().mean()) * noise
        setattr(net.get_submodule(owner), own_name, nn.Parameter(values, requires_grad=False))
    return replace(seen.model, net=net)


def _after(net: nn.Module, last: str, seen: Specimen) -> set[str]:
    """Names of the parameters that the logits depend on even if what the last block gives is held fixed."""

    def cut(module: nn.Module, args: object, output: Any) -> Any:
        return tuple(map(_fixed, output)) if isinstance(output, tuple) else _fixed(output)

    handle = net.get_submodule(last).register_forward_hook(cut)
    try:
        with torch.enable_grad():
            output = output_of(net(seen.pixels.to(seen.model.device, dtype_of(net))))
            parameters = dict(net.named_parameters())
            given = torch.autograd.grad(output.sum(), list(parameters.values()), allow_unused=True)
    finally:
        handle.remove()
    return {name for name, gradient in zip(parameters, given, strict=True) if gradient is not None}


def _fixed(value: Any) -> Any:
    return value.detach() if isinstance(value, Tensor) else value


def _sharing_copy(net: nn.Module) -> nn.Module:
    """The same modules once more, without hooks, with parameters of its own that lie on the same memory."""
    memo: dict[int, Any] = {id(one): one for one in net.buffers()}
    memo |= {id(one): nn.Parameter(one.detach(), requires_grad=one.is_floating_point()) for one in net.parameters()}
    for module in net.modules():  # others may be watching the network right now
        memo |= {id(hooks): OrderedDict() for hooks in (module._forward_hooks, module._forward_pre_hooks)}
    return copy.deepcopy(net, memo)
