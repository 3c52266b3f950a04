"""Long sequences: what exact rollout costs over the plain forward pass, in time and memory, and how it is usually done."""

import statistics
import subprocess
import sys

import torch
import torch.nn.functional as F

import vizapp
from bench.capture import plain
from bench.measure import Result, milliseconds, ratios, repeated
from bench.server import ROOT, held
from vizapp.core.attention.layers import FactoredAttention
from vizapp.core.attention.tiles import add_shares, tile_side
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.methods.rollout import step
from vizapp.model.spec import VisionModel

MODEL = "timm:vit_small_patch16_224?pretrained=no&size={size}"
TARGETS = {448: (None, None), 896: (1.50, 330), 1344: (1.75, 620), 1792: (1.80, 1050)}  # times plain, MiB
MORE_AT = 896  # pixels: what else is measured there
TILES = [(None, keys) for keys in (32, 64, 128, 256, 512, 1024)] + [(side, side) for side in (256, 512, 1024, 2048)]
CLASSICAL_UP_TO = 896  # pixels: beyond it the full matrices of all layers do not fit beside the network


def measure(repeats: int) -> list[Result]:
    results = []
    for size, (time_target, memory_target) in TARGETS.items():
        torch.manual_seed(0)
        model, pixels = vizapp.load(MODEL.format(size=size), "cpu"), torch.randn(1, 3, size, size)
        all_axes = [lambda m=model, x=pixels: rolled(m, x), lambda m=model, x=pixels: capture(m, x)]
        if size <= CLASSICAL_UP_TO:
            all_axes.append(lambda m=model, x=pixels: classical(m, x))
        pairs = max(2, min(repeats, 4000 // size))
        _, ratio = ratios(lambda m=model, x=pixels: plain(m, x), all_axes, pairs)
        tokens = (size // 16) ** 2 + 1
        title = f"{size} px, {tokens} tokens"
        results.append(Result(f"{title}: capture + exact rollout of CLS", "x plain", ratio[0], time_target))
        results.append(Result(f"{title}: capture alone", "x plain", ratio[1]))
        if size <= CLASSICAL_UP_TO:
            results.append(Result(f"{title}: classical, N x N matrices multiplied", "x plain", ratio[2]))
        results.append(
            Result(f"{title}: peak beyond the network, capture + rollout", "MiB", peak(size, "rolled"), memory_target)
        )
        if size <= CLASSICAL_UP_TO:
            results.append(Result(f"{title}: peak, classical", "MiB", peak(size, "classical")))
        if size == 448:
            trace = capture(model, pixels)
            results.append(
                Result(
                    f"{title}: a row of any query, all layers and heads", "ms", repeated(lambda t=trace: row(t), 20), 5
                )
            )
        if size == MORE_AT:
            results += more(title, model, pixels, pairs)
    return results


def more(title: str, model: VisionModel, pixels: torch.Tensor, pairs: int) -> list[Result]:
    """Rollout of all queries at once, methods of a class, and one step of rollout beside a sweep of tiles."""
    ways = {
        "capture + rollout of every query": lambda: every_query(capture(model, pixels)),
        "capture + gradient-weighted attention": lambda: of_class(model, pixels, "gradient_attention"),
        "capture + chefer": lambda: of_class(model, pixels, "chefer"),
    }
    _, ratio = ratios(lambda: plain(model, pixels), list(ways.values()), pairs)
    results = [Result(f"{title}: {what}", "x plain", found) for what, found in zip(ways, ratio, strict=True)]
    layer = capture(model, pixels).layers[0]
    assert isinstance(layer, FactoredAttention)
    assert layer.logsumexp is not None
    q, k, shares = layer.q, layer.k, torch.full((layer.n_queries,), 1 / layer.n_queries)
    over_fused: list[float] = []
    over_best: list[list[float]] = []
    layer.push(shares)  # tiles are chosen here
    sides = [*TILES, (tile_side(q.device, q.dtype),) * 2]
    for _ in range(max(5, pairs)):
        fused = milliseconds(lambda: F.scaled_dot_product_attention(q[None], k[None], k[None], scale=1.0))
        sweep = [milliseconds(lambda t=tile: stepped(layer, shares, *t)) for tile in sides]
        over_fused.append(sweep[-1] / fused)
        over_best.append(sweep)
    medians = [statistics.median(column) for column in zip(*over_best, strict=True)]
    best = min(range(len(TILES)), key=medians.__getitem__)
    results.append(Result(f"{title}: a step of rollout", "x the layer's fused attention", tuple(over_fused)))
    results.append(
        Result(
            f"{title}: a step with the tiles that were chosen ({sides[-1][0]})",
            "x the best of a sweep",
            tuple(one[-1] / one[best] for one in over_best),
            1.05,
        )
    )
    return results


def stepped(layer: FactoredAttention, shares: torch.Tensor, rows: int | None, keys: int) -> torch.Tensor:
    """One step of rollout, in tiles of `rows` (None: all of them) and `keys`."""
    assert layer.logsumexp is not None
    total = torch.zeros(layer.n_keys)
    for head in range(layer.n_heads):
        more = torch.cat([layer.q[head], -layer.logsumexp[head, :, None]], 1).T
        with_one = torch.cat([layer.k[head], torch.ones_like(layer.k[head, :, :1])], 1)
        add_shares(total, more, with_one, shares, rows or len(shares), keys)
    return total / layer.n_heads


def every_query(trace: AttentionTrace) -> torch.Tensor:
    """(token, token): the joint matrix of all layers, as the page makes it for a small picture."""
    joint = torch.eye(trace.layout.n_tokens)
    for layer in reversed(trace.layers):
        joint = step(layer, joint, "mean", 0.5, 0.0, trace.layout.n_prefix)
    return joint


def of_class(model: VisionModel, pixels: torch.Tensor, name: str) -> object:
    return method_named(name)(ExplainContext(model, pixels, capture(model, pixels), 0), "cls")


def rolled(model: VisionModel, pixels: torch.Tensor) -> object:
    return method_named("rollout")(capture(model, pixels), "cls")


def row(trace: AttentionTrace) -> object:
    return [layer.rows(torch.tensor([100])) for layer in trace.layers]


def classical(model: VisionModel, pixels: torch.Tensor) -> torch.Tensor:
    """As it is usually done: all maps kept, the mean over heads, half identity, and the product of whole matrices."""
    maps = [layer.map() for layer in capture(model, pixels).layers]
    joint = torch.eye(maps[0].shape[-1])
    for heads in maps:
        a = 0.5 * heads.mean(0) + 0.5 * torch.eye(heads.shape[-1])
        joint = (a / a.sum(-1, keepdim=True)) @ joint
    return joint[0]


def peak(size: int, axes: str) -> tuple[float, ...]:
    """MiB of a fresh process beyond what it held before the way began."""
    command = [sys.executable, "-m", "bench.scale", str(size), axes]
    return (float(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout),)


if __name__ == "__main__":
    asked_size, asked_way = int(sys.argv[1]), sys.argv[2]
    loaded, noise = vizapp.load(MODEL.format(size=asked_size), "cpu"), torch.randn(1, 3, asked_size, asked_size)
    with torch.no_grad():
        loaded.net.patch_embed(noise)  # what a first call of any kind allocates
    before = held("self", "VmHWM")  # `ru_maxrss` would tell that of the process that started it, if larger
    {"rolled": rolled, "classical": classical}[asked_way](loaded, noise)
    print((held("self", "VmHWM") - before) / 2**20)
