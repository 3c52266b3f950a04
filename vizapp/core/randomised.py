"""The same network with some of what it learned forgotten, from the classifier down: what must change a map that explains it.

Adebayo et al. 2018, Sanity Checks for Saliency Maps, section 3 (arXiv 1810.03292): cascading randomisation.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import torch
from torch import nn

from model.spec import VisionModel
from vizapp.core.blocks import blocks_of
from vizapp.core.trace import AttentionTrace


def randomised(model: VisionModel, trace: AttentionTrace, blocks: int, seed: int = 0) -> VisionModel:
    """`model` with everything after its blocks drawn anew, and the last `blocks` of them too.

    New values are normal, with the mean and the spread that each parameter had, so that the network stays in its range. What
    is not drawn anew is shared, not copied, and `model` stays as it is.
    """
    names = blocks_of(trace)
    drawn = tuple(f"{name}." for name in names[len(names) - blocks :])
    parameters = dict(model.net.named_parameters())
    in_last_block = [index for index, name in enumerate(parameters) if name.startswith(f"{names[-1]}.")]
    after = set(list(parameters)[in_last_block[-1] + 1 :])  # networks name their parts in the order of the forward pass
    net = _sharing_copy(model.net)
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in parameters.items():
        if name in after or name.startswith(drawn):
            noise = torch.randn(parameter.shape, generator=generator).to(parameter)
            spread = parameter.detach().std() if parameter.numel() > 1 else parameter.detach().abs().sum()
            owner, _, own_name = name.rpartition(".")
            fresh = nn.Parameter(parameter.detach().mean() + spread * noise, requires_grad=False)
            setattr(net.get_submodule(owner), own_name, fresh)
    return replace(model, net=net)


def _sharing_copy(net: nn.Module) -> nn.Module:
    """The same modules once more, on the same tensors."""
    shared = {id(tensor): tensor for tensor in (*net.parameters(), *net.buffers())}
    return copy.deepcopy(net, shared)
