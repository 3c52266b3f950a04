"""`vizapp measure` on many pictures, beside hand-written hooks that compute the same numbers, picture by picture in turns."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import torch
from torch import nn

import vizapp
from bench.capture import without_fusion
from bench.measure import Result, in_turns, milliseconds
from bench.pictures import write_photos
from vizapp.core.head_statistics import COLUMNS
from vizapp.data.folder import Folder, mask_beside
from vizapp.data.heads import HeadsOf
from vizapp.model.spec import VisionModel
from vizapp.picture import read_picture

MODEL = "timm:deit_tiny_patch16_224?pretrained=no"  # the cost is that of the real one
PICTURES = 200


def measure(repeats: int) -> list[Result]:
    """10 * `repeats` photos, at most 200, each with a mask. DeiT-Ti at 224 x 224 on the CPU, random weights."""
    torch.manual_seed(0)
    model = vizapp.load(MODEL, "cpu")
    unfused = without_fusion(model.net)
    with TemporaryDirectory() as where:
        files = with_masks(write_photos(Path(where), min(PICTURES, 10 * repeats), (480, 640)))
        task, folder = HeadsOf(where), Folder(Path(where))
        order = {file: folder.files.index(file) for file in files}
        hooked, ours = np.array(by_hooks(model, unfused, files[0])), task.look(model, order[files[0]])["rows"]
        assert np.allclose(hooked, [[row[name] for name in COLUMNS] for row in ours], atol=1e-3), "not the same numbers"
        base, ratio = [], []
        for turn, file in enumerate(files):
            both = (partial(by_hooks, model, unfused, file), partial(task.look, model, order[file]))
            slow, fast = in_turns(turn, *(partial(milliseconds, one) for one in both))
            base.append(slow)
            ratio.append(fast / slow)
    return [
        Result(
            f"{len(files)} pictures: hand-written hooks, fused attention off, all numbers of all heads",
            "ms",
            tuple(base),
        ),
        Result(f"{len(files)} pictures: vizapp measure", "x hooks", tuple(ratio), 1.15),
    ]


def with_masks(files: list[Path]) -> list[Path]:
    mask = np.zeros((480, 640), np.uint8)
    mask[120:300, 200:420] = 255
    for file in files:
        cv2.imwrite(str(mask_beside(file)), mask)
    return files


def by_hooks(model: VisionModel, net: nn.Module, file: Path) -> list[list[float]]:
    """As one writes it for this network: a row per layer and head, the columns of `COLUMNS`."""
    maps: list[torch.Tensor] = []
    left: list[torch.Tensor] = []
    pixels, frame = model.preprocess(read_picture(file))
    mask = torch.from_numpy(frame.mask_of(read_picture(mask_beside(file)).mean(-1) > 127))
    cover = mask.reshape(14, 16, 14, 16).float().mean((1, 3)).flatten()
    with torch.no_grad(), ExitStack() as stack:
        for block in net.blocks:
            for module, kept in ((block.attn.attn_drop, maps), (block, left)):
                hook = module.register_forward_hook(lambda module, inputs, output, kept=kept: kept.append(output[0]))
                stack.callback(hook.remove)
        net(pixels)
    rows = []
    for a, tokens in zip(maps, left, strict=True):
        entropy = -(a * a.clamp_min(1e-12).log()).sum(-1).mean(1)
        patches = a[:, 1:, 1:]
        distance = ((patches * FAR).sum(-1) / patches.sum(-1)).mean(1)
        received = a.mean(1)
        norms = tokens[1:].norm(dim=-1)
        median = norms.quantile(0.5)
        spread = 1.4826 * (norms - median).abs().quantile(0.5)
        sinks = (norms > torch.maximum(2 * median, median + 5 * spread)) & (received[:, 1:].mean(0) > 5 / a.shape[-1])
        cls = a[:, 0, 1:]
        on_mask = (cls * cover).sum(-1) / cls.sum(-1)
        rows += torch.stack([entropy, distance, received[:, 0], received[:, 1:][:, sinks].sum(1), on_mask], 1).tolist()
    return rows


MIDDLES = torch.cartesian_prod(*[torch.arange(14) * 16.0 + 8] * 2)
FAR = torch.cdist(MIDDLES, MIDDLES)
