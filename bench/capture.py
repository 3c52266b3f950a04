"""Watching a forward pass: what it adds to the plain one, what it keeps, and what the usual ways cost in the same run."""

import copy
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import torch
from timm.utils import AttentionExtract
from torch import nn

import vizapp
from bench import peers
from bench.measure import BESIDE, Result, in_turns, over, ratios
from bench.server import ROOT
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.core.methods import method_named
from vizapp.model.spec import VisionModel

MODEL = "timm:vit_base_patch16_224?pretrained=no"
# Small networks, where what a capture adds counts most: how much more than hooks it may take, or than the plain pass.
SMALL = {"DeiT-Ti": ("timm:deit_tiny_patch16_224?pretrained=no", 0.02), "toy": ("toy", 0.25)}
FEWEST = 60  # pairs of passes that take some ten milliseconds
PASSES = 3  # times as many pairs with another checkout: what changed between the two is little
# A pass for each line that it reads, and its milliseconds.
WATCHER = """
import sys, time, torch, vizapp
from vizapp.core.capture.forward import capture
model = vizapp.load(sys.argv[1], "cpu")
pixels = torch.zeros(1, 3, *model.preprocess.size)
for line in sys.stdin:
    started = time.perf_counter()
    capture(model, pixels)
    print(1e3 * (time.perf_counter() - started), flush=True)
"""


def beside(before: Path, repeats: int) -> list[Result]:
    """A captured pass here over one in another checkout, each in a process of its own."""
    with ExitStack() as stack:
        both = [stack.enter_context(watching(root)) for root in (ROOT, before)]
        found = [in_turns(turn, *both) for turn in range(-2, PASSES * repeats)]  # the first two warm up
    now, then = zip(*found[2:], strict=True)
    return [Result("forward + capture of all layers and heads", BESIDE, over(now, then))]


@contextmanager
def watching(root: Path) -> Iterator[Callable[[], float]]:
    """Milliseconds of a captured pass in the checkout at `root`, whenever they are asked for."""
    command = [sys.executable, "-c", WATCHER, MODEL]
    environment = os.environ | {"PYTHONPATH": str(root)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=root, env=environment, text=True, **pipes) as process:
        assert process.stdin
        assert process.stdout
        stdin, stdout = process.stdin, process.stdout

        def passed() -> float:
            print(file=stdin, flush=True)
            return float(stdout.readline())

        yield passed


def measure(repeats: int) -> list[Result]:
    """`repeats` pairs of each way, with the plain fused forward pass. ViT-B/16 at 224 x 224 on the CPU, random weights."""
    torch.manual_seed(0)
    model = vizapp.load(MODEL, "cpu")
    unfused = without_fusion(model.net)
    extract = AttentionExtract(
        unfused, ["*attn.softmax", "head"], method="fx"
    )  # without "head" it would stop before it
    pixels = torch.randn(1, 3, *model.preprocess.size)
    rollout = method_named("rollout")

    def hooked() -> list[torch.Tensor]:
        with torch.no_grad(), hooks_on_attn_drop(unfused) as maps:
            unfused(pixels)
        return maps

    def extracted() -> dict[str, torch.Tensor]:
        with torch.no_grad():
            return extract(pixels)

    trace = capture(model, pixels)
    size = len(trace.layers) * trace.layout.n_tokens * model.net.embed_dim * 4  # L x N x D numbers of 4 bytes
    assert torch.equal(trace.logits, plain(model, pixels)[0]), "watching changed the network's output"
    assert len(hooked()) == len(extracted()) - 1 == len(trace.layers), "a peer did not see every layer"
    for layer, seen in zip(trace.layers, hooked(), strict=True):
        torch.testing.assert_close(layer.map(), seen[0], rtol=1e-3, atol=1e-5)

    all_axes = [
        lambda: capture(model, pixels),
        lambda: cls_rows(capture(model, pixels)),
        lambda: rollout(capture(model, pixels), "cls"),
        hooked,
        extracted,
    ]
    base, (watched, rows, rolled, by_hooks, by_extract) = ratios(lambda: plain(model, pixels), all_axes, repeats)
    kept = sum(one.numel() * one.element_size() for one in hooked())
    return [
        Result("plain forward pass", "ms", base),
        Result("forward + capture of all layers and heads", "x plain", watched, 1.03),
        Result("forward + capture + the CLS row of every layer and head", "x plain", rows, 1.05),
        Result("forward + capture + rollout of CLS through all layers", "x plain", rolled, 1.15),
        Result("peer: fused attention off, hooks on attn_drop", "x plain", by_hooks),
        Result("peer: timm.utils.AttentionExtract (fx, fused attention off)", "x plain", by_extract),
        *peers.measure(repeats),
        *(one for title in SMALL for one in small(title, repeats)),
        Result("kept by a trace", "x layers x tokens x width x 4 bytes", (trace.nbytes / size,), 2.2),
        Result("kept by a trace", "MiB", (trace.nbytes / 2**20,)),
        Result("peers: kept as full maps", "MiB", (kept / 2**20,)),
    ]


def small(title: str, repeats: int) -> list[Result]:
    """A captured pass of a small network over its plain one, and beside hooks where it has a module for them."""
    name, most = SMALL[title]
    model, what = vizapp.load(name, "cpu"), f"{title}: forward + capture of all layers and heads"
    pixels = torch.randn(1, 3, *model.preprocess.size)
    if not hasattr(model.net.blocks[0].attn, "attn_drop"):
        _, (watched,) = ratios(lambda: plain(model, pixels), [lambda: capture(model, pixels)], max(FEWEST, repeats))
        return [Result(what, "x plain", watched, 1 + most)]
    unfused = without_fusion(model.net)

    def hooked() -> None:
        with torch.no_grad(), hooks_on_attn_drop(unfused):
            unfused(pixels)

    ways = [lambda: capture(model, pixels), hooked]
    _, (watched, by_hooks) = ratios(lambda: plain(model, pixels), ways, max(FEWEST, repeats))
    more = tuple(one - other for one, other in zip(watched, by_hooks, strict=True))
    return [
        Result(what, "x plain", watched),
        Result(f"{title}: peer: fused attention off, hooks on attn_drop", "x plain", by_hooks),
        Result(f"{title}: capture, more than hooks", "x plain", more, most),
    ]


def plain(model: VisionModel, pixels: torch.Tensor) -> torch.Tensor:
    """The network's own pass."""
    with torch.no_grad():
        output: torch.Tensor = model.net(pixels)
    return output


def without_fusion(net: nn.Module) -> nn.Module:
    """A copy that keeps its maps, so that hooks can pick them up."""
    unfused = copy.deepcopy(net)
    for block in unfused.blocks:
        block.attn.fused_attn = False
    return unfused


def cls_rows(trace: AttentionTrace) -> list[torch.Tensor]:
    return [layer.attend(trace.query("cls")) for layer in trace.layers]


@contextmanager
def hooks_on_attn_drop(net: nn.Module) -> Iterator[list[torch.Tensor]]:
    """The old way: the map passes through a dropout module, where a hook picks it up."""
    maps: list[torch.Tensor] = []
    with ExitStack() as stack:
        for block in net.blocks:
            handle = block.attn.attn_drop.register_forward_hook(lambda module, inputs, output: maps.append(output))
            stack.callback(handle.remove)
        yield maps
