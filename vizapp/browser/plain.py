"""Which networks the browser can run: vizapp's own ViT, or one that is proven to be the same under another name."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT
from vizapp.wording import Text

# Part of a parameter's name -> what it tells of the network.
TELLING = {
    "mlp.w12": Text("its MLPs are gated (SwiGLU)"),
    "fc1_g": Text("its MLPs are gated (SwiGLU)"),
    "attn_pool": Text("its classifier reads through attention pooling"),
    "relative_position_bias": Text("its attention has relative position biases"),
    "rel_pos": Text("its attention has relative position biases"),
    "rope": Text("its positions are rotary (RoPE)"),
    "mlp.norm": Text("its MLPs have a norm inside"),
    "attn.norm": Text("its attention has a norm after the values"),
    "patch_embed.norm": Text("its patches are normed before they become tokens"),
    "patch_embed.backbone": Text("its patches come from convolutions"),
}
NOISE = (
    1e-4  # of the largest output: float32 in two orders of summation differs by less, another activation by far more
)


def plain_vit(model: VisionModel) -> ViT:
    """`model`'s network as a `ViT` of model/vit.py, which gives the same numbers.

    A network of another library is rebuilt from the names and shapes of its parameters, and then both are run on the same
    noise: what names do not show (another activation, rotary positions, another order of norms) shows there. Of each layer
    is compared what its heads and its MLP have made, since the logits of a network with tiny layer scales know little of it.
    """
    if type(model.net) is ViT:  # not one that was derived from it, which may do anything
        if len(_eps(model.net)) != 1:
            raise refused(model, Text("its layer norms have different eps"))
        return model.net
    state: dict[str, Tensor] = {name: value.detach() for name, value in model.net.state_dict().items()}
    for part, why in TELLING.items():
        if any(part in name for name in state):
            raise refused(model, why)
    if any(value.dtype != torch.float32 for value in state.values()):
        raise refused(model, Text("its weights are not float32 (net.float() makes them so)"))
    ours = _alike(model, state)
    expected = ours.state_dict()
    for name in sorted(expected.keys() ^ state.keys()):
        raise refused(model, Text("its parameter {name} is not that of a plain ViT", name=name))
    for name, value in expected.items():
        if value.shape != state[name].shape:
            found, shape = tuple(state[name].shape), tuple(value.shape)
            why = Text("{name} is {found} where a plain ViT has {shape}", name=name, found=found, shape=shape)
            raise refused(model, why)
    ours.load_state_dict(state)
    ours.to(model.device).eval()
    noise = torch.randn(1, ours.in_chans, *ours.img_size, generator=torch.Generator().manual_seed(0))
    theirs, own = (_made(net, noise.to(model.device)) for net in (model.net, ours))
    if len(theirs) != len(own) or not all(map(_close, theirs, own)):
        raise refused(model, Text("on the same pixels it gives other numbers than a plain ViT with its weights"))
    return ours


def _made(net: Any, pixels: Tensor) -> list[Tensor]:
    """What each layer's heads and MLP have made, before the matrices that write it; each layer's tokens; and the logits."""
    found: list[Tensor] = []
    handles = []
    for block in net.blocks:
        for part in (block.attn.proj, block.mlp.fc2):
            handles.append(part.register_forward_pre_hook(lambda _, given: found.append(given[0].clone())))
        handles.append(block.register_forward_hook(lambda _, given, out: found.append(out.clone())))
    try:
        with torch.inference_mode():
            return [net(pixels), *found]
    finally:
        for handle in handles:
            handle.remove()


def _eps(net: nn.Module) -> set[float]:
    return {module.eps for module in net.modules() if isinstance(module, nn.LayerNorm)}


def _close(given: Tensor, found: Tensor) -> bool:
    return given.shape == found.shape and bool((given - found).abs().max() <= NOISE * given.abs().max())


def refused(model: VisionModel, why: Text) -> VizError:
    return VizError(
        "{name} is no plain Vision Transformer, so it cannot be run in the browser: {why}.",
        "Save maps of your pictures instead, or choose a ViT, DeiT, DINO or DINOv2 without these parts.",
        name=model.name,
        why=why,
    )


def _alike(model: VisionModel, state: dict[str, Tensor]) -> ViT:
    """An empty ViT of the shapes in `state`."""
    net: Any = model.net
    try:
        attention, norm = net.blocks[0].attn, net.blocks[0].norm1
        embedded = state["patch_embed.proj.weight"]  # (D, channels, p, p)
        positions, height, width = state["pos_embed"].shape[1], *model.preprocess.size
        dim, channels, patch, other = embedded.shape
        hidden = state["blocks.0.mlp.fc1.weight"].shape[0]
        inner, depth, heads = state["blocks.0.attn.proj.weight"].shape[1], len(net.blocks), int(attention.num_heads)
        eps = float(norm.eps)
    except (AttributeError, KeyError, ValueError, TypeError, IndexError) as error:
        raise refused(model, Text("it lacks parts that such a network has ({what})", what=str(error))) from error
    if state["blocks.0.mlp.fc2.weight"].shape[1] * 2 == hidden:
        raise refused(model, TELLING["mlp.w12"])
    if patch != other:
        raise refused(model, Text("its patches are not square"))
    if len(_eps(net)) != 1:
        raise refused(model, Text("its layer norms have different eps"))
    registers = state["reg_token"].shape[1] if "reg_token" in state else 0
    prefix = ("cls_token" in state) + ("dist_token" in state) + registers
    patches = (height // patch) * (width // patch)
    if positions not in (patches, patches + prefix):
        raise refused(model, Text("it has {n} positions for {patches} patches", n=positions, patches=patches))
    return ViT(
        img_size=(height, width),
        patch_size=patch,
        in_chans=channels,
        num_classes=state["head.weight"].shape[0] if "head.weight" in state else 0,
        embed_dim=dim,
        depth=depth,
        num_heads=heads,
        head_dim=inner // heads,
        mlp_ratio=(hidden + 0.5) / dim,  # rounded down, it is `hidden`
        qkv_bias="blocks.0.attn.qkv.bias" in state,
        qk_norm="blocks.0.attn.q_norm.weight" in state,
        init_values=1.0 if "blocks.0.ls1.gamma" in state else None,
        class_token="cls_token" in state,
        distilled="dist_token" in state,
        reg_tokens=registers,
        no_embed_class=bool(prefix) and positions == patches,
        global_pool="avg" if "fc_norm.weight" in state else "token",
        pre_norm="norm_pre.weight" in state,
        norm_eps=eps,
    )
