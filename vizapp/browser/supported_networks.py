"""Decides which networks the browser can run: those that are shown to compute what their file says."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from vizapp.browser.network_parts import Reading, Written, refused
from vizapp.browser.replica import Replica
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT
from vizapp.wording import Text

# Part of a parameter's or module's name -> the unsupported feature that it reveals.
TELLING = {
    "mlp.w12": Text("its MLPs are gated, and their matrices have other names"),
    "attn.proj_l": Text("its heads mix their scores and maps with each other (talking heads)"),
    "blocks_token_only": Text("its class token joins late (class attention)"),
    "attn.gate": Text("the outputs of its heads are gated"),
    "attn.norm": Text("its attention has a norm after the values"),
    "downsample": Text("its layers have windows, or grids that shrink"),
    "patch_embed.norm": Text("its patches are normed before they become tokens"),
    "patch_embed.backbone": Text("its patches come from convolutions"),
}
# Of the largest output: float32 in two orders of summation differs by less, another activation by far more.
NOISE = 1e-4


def described(model: VisionModel) -> Written:
    """Read the network of `model` as its parts and tensors, which give the same numbers.

    A network of another library is read from the names and shapes of its parameters. Then it and a replica of what was read run
    on the same noise, which reveals what names do not show (another order of norms, a scale of the scores). The outputs of each
    layer's heads and MLP are compared, because the logits of a network with tiny layer scales hardly depend on them.
    """
    if (processor := model.preprocess.own) is not None:
        raise refused(model, Text("its pictures are prepared by {name}", name=processor.name))
    state: dict[str, Tensor] = {name: value.detach() for name, value in model.net.state_dict().items()}
    # Rotary positions may be computed in each pass: then only a module has the name, and no parameter.
    parts = {name: part for name, part in model.net.named_modules() if not isinstance(part, nn.Identity)}
    if any(isinstance(part, _BatchNorm) for part in parts.values()):
        raise refused(model, Text("it has batch norms, as convolutions have them"))
    for part, why in TELLING.items():
        if any(part in name for name in (*state, *parts)):
            raise refused(model, why)
    if any(value.dtype != torch.float32 for value in state.values() if value.is_floating_point()):
        raise refused(model, Text("its weights are not float32 (net.float() makes them so)"))
    if type(model.net) is ViT:  # not a subclass, which may do anything
        return Reading(model).written()
    try:
        theirs, given = _made(model)
    except (AttributeError, RuntimeError, ValueError, TypeError, IndexError) as error:
        raise refused(model, Text("it lacks parts that such a network has ({what})", what=str(error))) from error
    found = Reading(model, given).written()
    with torch.inference_mode():
        logits, _, _, made = Replica(found)(_noise(model))
    own = [logits, *made]
    if len(theirs) != len(own) or not all(map(_close, theirs, own)):
        raise refused(model, Text("on the same pixels it gives other numbers than what was read of it"))
    return found


def _noise(model: VisionModel) -> Tensor:
    channels = model.net.get_parameter("patch_embed.proj.weight").shape[1]
    generator = torch.Generator().manual_seed(0)
    return torch.randn(1, channels, *model.preprocess.size, generator=generator).to(model.device)


def _made(model: VisionModel) -> tuple[list[Tensor], list[Mapping[str, Any]]]:
    """The logits on noise, each layer's outputs of heads and MLP before their last matrices, and its tokens; and what each
    layer's attention was given besides tokens, by its name."""
    found: list[Tensor] = []
    given: list[Mapping[str, Any]] = []
    handles = []
    for block in model.net.blocks:  # type: ignore[union-attr]
        handles.append(
            block.attn.register_forward_pre_hook(lambda _, args, named: given.append(named), with_kwargs=True)
        )
        for part in (block.attn.proj, block.mlp.fc2):
            handles.append(part.register_forward_pre_hook(lambda _, args: found.append(args[0].clone())))
        handles.append(block.register_forward_hook(lambda _, args, out: found.append(out.clone())))
    try:
        with torch.inference_mode():
            logits = model.net(_noise(model))
            return [logits, *found], given
    finally:
        for handle in handles:
            handle.remove()


def _close(given: Tensor, found: Tensor) -> bool:
    return given.shape == found.shape and bool((given - found).abs().max() <= NOISE * given.abs().max())
