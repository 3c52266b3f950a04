"""What it costs to listen to the norms of tokens while a pass is captured, so that sinks are known with the first map."""

from __future__ import annotations

from dataclasses import replace

import torch

import vizapp
from bench.measure import Result, ratios
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.core.trust.norms import listening, norms_heard
from vizapp.ui.viewer.payload import pack

MODELS = {  # the cost is that of the real ones
    "DeiT-Ti": "timm:deit_tiny_patch16_224?pretrained=no",
    "ViT-S/16": "timm:vit_small_patch16_224?pretrained=no",
    "ViT-B/16": "timm:vit_base_patch16_224?pretrained=no",
}


def measure(repeats: int) -> list[Result]:
    """`repeats` pairs for each network at 224 x 224 on the CPU: a captured pass, and one that is listened to."""
    results = []
    for title, name in MODELS.items():
        torch.manual_seed(0)
        model = vizapp.load(name, "cpu")
        picture = torch.randn(1, 3, *model.preprocess.size)
        heard(model, picture)  # the first pass tells what to listen to

        def plain(model: vizapp.VisionModel = model, pixels: torch.Tensor = picture) -> AttentionTrace:
            return capture(model, pixels)

        def listened(model: vizapp.VisionModel = model, pixels: torch.Tensor = picture) -> object:
            return heard(model, pixels)

        base, (ratio,) = ratios(plain, [listened], repeats)
        seen = vizapp.analyse(model, picture)
        assert seen.context is not None
        assert seen.context.norms, "nothing was heard"
        deaf = replace(seen, context=None)
        _, (packed,) = ratios(lambda deaf=deaf: pack(deaf), [lambda seen=seen: pack(seen)], repeats)
        results += [
            Result(f"{title}: captured pass", "ms", base),
            Result(f"{title}: captured pass, listened to", "x captured pass", ratio, 1.02),
            Result(f"{title}: packing, with its sinks", "x packing without", packed),
        ]
    return results


def heard(model: vizapp.VisionModel, pixels: torch.Tensor) -> tuple[torch.Tensor, ...] | None:
    with listening(model) as lengths:
        trace = capture(model, pixels)
    return norms_heard(model, pixels, trace, lengths)
