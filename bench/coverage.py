"""Every architecture of timm: is its attention found, exact, and on the right patches?

    python -m bench.coverage                     all of them; goes on where it was stopped
    python -m bench.coverage NAME ...            these only, printed call by call
    python -m bench.coverage --processes 2 --results build/coverage.jsonl --table docs/coverage.md

What is counted is read from timm, not from our capture: an architecture counts if one of its modules has a softmax or a
fused attention in its source, and is not among `OTHER`. Weights are random, with biases, tables and scales that matter;
pictures are small and networks have two blocks where a name allows that; one picture, float32, one thread a process.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import statistics
import sys
import time
import traceback
import warnings
from collections import defaultdict
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import timm
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from vizapp.core.capture.arrange import arrange
from vizapp.core.capture.check import Check, check
from vizapp.core.capture.forward import capture
from vizapp.core.capture.places import TokenCoordinates
from vizapp.core.capture.watch import Call, Watch
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

CHANNELS, POOL, LINEAR, GATE = "channels", "a learned query", "linear attention", "no attention"
OTHER = {  # modules with a softmax that is not from token to token
    "xcit.XCA": CHANNELS,
    "davit.ChannelAttention": CHANNELS,
    "davit.ChannelAttentionV2": CHANNELS,
    "edgenext.CrossCovarianceAttn": CHANNELS,
    "cait.ClassAttn": POOL,
    "volo.ClassAttention": POOL,
    "crossvit.CrossAttention": POOL,
    "attention_pool.AttentionPoolLatent": POOL,
    "coat.FactorAttnConvRelPosEnc": LINEAR,
    "mobilevit.LinearSelfAttention": LINEAR,
    "lambda_layer.LambdaLayer": LINEAR,
    "efficientvim.HSMSSD": LINEAR,
    "efficientvim.EfficientViM": GATE,
    "efficientvim.EfficientViMDistilled": GATE,
    "split_attn.RadixSoftmax": GATE,
    "split_attn.SplitAttn": GATE,
    "selective_kernel.SelectiveKernelAttn": GATE,
    "global_context.GlobalContext": GATE,
}
CONVOLVED = ("coatnet", "coatnext", "maxvit", "maxxvit")  # whose grids need sizes that are multiples of 32
WHOLE = ("convit", "sam", "hiera")  # names whose blocks differ: all of them are kept
SHARED_KEYS = "sapiens2"  # its number of key heads is a list of one for each block: two blocks want another
LARGEST = 1_500_000_000  # parameters that are filled and run; a larger network must be had with fewer blocks


@cache
def has_softmax(module: type) -> bool:
    try:
        source = re.sub(r'"""[\s\S]*?"""', "", inspect.getsource(module))
    except (OSError, TypeError):
        return False
    code = "\n".join(line.partition("#")[0] for line in source.splitlines())
    return re.search(r"softmax|scaled_dot_product_attention", code, re.IGNORECASE) is not None


def attention_modules(net: nn.Module) -> list[str]:
    """ "file.Class" of each of timm's modules with a softmax."""
    kinds = {type(module) for module in net.modules() if type(module).__module__.startswith("timm.")}
    return sorted(f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}" for kind in kinds if has_softmax(kind))


class Unfilled(TorchFunctionMode):
    """Parameters stay as memory gave them: their first values, which cost most of the time, are never used here."""

    def __torch_function__(self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name.endswith("_") and not name.startswith("_") and isinstance(args[0] if args else None, nn.Parameter):
            return args[0]
        return func(*args, **(kwargs or {}))


def build(name: str) -> tuple[nn.Module, Tensor, dict[str, Any]]:
    """The network with few blocks and a small picture where it can be had so, its picture, and the options used."""
    attempts: list[dict[str, Any]] = [{}]
    if "samvit" in name:
        attempts = [{"img_size": 512}]
    elif SHARED_KEYS in name:
        attempts = [{"depth": 2, "img_size": 112, "num_kv_heads": 4}]
    elif not any(part in name for part in WHOLE):
        attempts = [
            {"depth": 2, "img_size": 112},
            {"depth": 2},
            {"depths": (2, 2, 2, 2)},
            *({"img_size": size} for size in (112, 64, 128)),
            {"picture": 256},
            {},
        ]
        if any(part in name for part in CONVOLVED):
            attempts = [{"img_size": 64}, {}]
    for options in attempts:
        try:
            net = created(name, {key: value for key, value in options.items() if key != "picture"})
            fill(net)
            size = options.get("img_size") or min(net.pretrained_cfg["input_size"][-1], options.get("picture", 10**6))
            picture = torch.randn(1, 3, size, size, generator=torch.Generator().manual_seed(0))
            with torch.no_grad():
                output = net.eval()(picture)
            if not isinstance(output, Tensor) or bool(output.isfinite().all()):
                return net, picture, options
        except Exception:
            if options == attempts[-1]:
                raise
    raise RuntimeError("its output is no number under random weights")


def created(name: str, options: dict[str, Any]) -> nn.Module:
    with torch.device("meta"):
        count = sum(parameter.numel() for parameter in timm.create_model(name, **options).parameters())
    if count > LARGEST:
        raise MemoryError(f"{name} with {options} has {count / 1e9:.1f} billion parameters")
    with Unfilled():
        return timm.create_model(name, **options)


def fill(net: nn.Module) -> None:
    """Random weights under which no bias, table, scale or gate may be forgotten."""
    noise = torch.rand(1_000_003, generator=torch.Generator().manual_seed(0))  # a prime: no two rows are alike
    with torch.no_grad():
        for number, (name, parameter) in enumerate(net.named_parameters()):
            last = name.rpartition(".")[2]
            low, high = 0.7, 1.3
            if parameter.ndim >= 2 and last == "weight":
                spread = parameter[0].numel() ** -0.5 * (2.0 if re.search(r"qkv|\bq\b|\bk\b|kv", name) else 1.0)
                low, high = -1.7 * spread, 1.7 * spread
            elif parameter.ndim >= 2:
                low, high = -0.8, 0.8
            elif "bias" in last or "mean" in last:
                low, high = -0.3, 0.3
            values = noise.roll(-9973 * number) * (high - low) + low
            flat = parameter.view(-1)
            for start in range(0, len(flat), len(values)):
                piece = flat[start : start + len(values)]
                piece.copy_(values[: len(piece)])


def examine(name: str) -> dict[str, Any]:
    """One architecture: what it is made of, what was found, and whether it holds."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    started = time.perf_counter()
    found: dict[str, Any] = {"name": name}
    try:
        with torch.device("meta"):
            modules = attention_modules(timm.create_model(name))
        found["modules"] = modules
        found["counts"] = any(module not in OTHER for module in modules)
        if modules:
            net, picture, options = build(name)
            size = picture.shape[-1]
            model = VisionModel(name, net, (), (), None, Preprocess((size, size)), labels=("",), readout="")
            result = check(model, picture)
            if result.problems:  # rounding, or wrong? Double precision tells: its bound is a million times closer
                net, picture, options = net.double(), picture.double(), options | {"dtype": "float64"}
                result = check(model, picture)
            found |= {"options": options, "size": size, **summary(result)}
            if any(call.kind == "tokens" for call in result.calls):
                trace = capture(model, picture)
                found |= {"layers": len(trace.layers), "no_chain": trace.no_chain}
                found["off_by"] = off_by(net, picture)
    except Exception:
        found["error"] = traceback.format_exc(limit=-3)
    return found | {"seconds": round(time.perf_counter() - started, 2)}


def summary(result: Check) -> dict[str, Any]:
    kinds = defaultdict(int)
    for call in result.calls:
        kinds[call.kind] += 1
    windows = sum(call.shape[0] > 1 for call in result.calls)
    return {
        "kinds": dict(kinds),
        "windows": windows,
        "tokens": list(dict.fromkeys(call.tokens for call in result.calls if call.kind == "tokens")),
        "worst": result.worst,
        "softmaxes": result.softmaxes,
        "seen": result.seen,
        "changed": result.changed,
        "problems": list(result.problems),
    }


def off_by(net: nn.Module, picture: Tensor) -> float | None:
    """How far the places of the first attention's queries are from where the picture moves them, in patches.

    Checked without following coordinates: the gradient of a query with respect to the pixels has its centre there.
    Median over five tokens away from the border; None where there is none.
    """
    first: list[Call] = []
    picture = picture.clone().requires_grad_(True)

    def saw(call: Call) -> None:
        if not first and arrange(call).kind == "tokens":
            first.append(call)

    with Watch(net, saw, TokenCoordinates(picture)):
        net(picture)
    call = first[0]
    tensor = call.q if call.q is not None else call.v
    places = (call.query_places if call.q is not None else call.key_places).expand(*tensor.shape[:-1], 2)
    flat, at = tensor.reshape(-1, tensor.shape[-1]), places.reshape(-1, 2)
    side = picture.shape[-1]
    inside = ((at > 0.3 * side) & (at < 0.7 * side)).all(-1).nonzero()[:, 0]
    pitch = side / max(1, len(at[at.isfinite().all(-1), 0].unique()))
    y = torch.arange(side, dtype=picture.dtype) + 0.5
    offsets = []
    for index in inside[:: max(1, len(inside) // 5)][:5]:
        (gradient,) = torch.autograd.grad(flat[index].square().sum(), picture, retain_graph=True)
        weight = gradient.square().sum((0, 1))
        centre = torch.stack([weight.sum(1) @ y, weight.sum(0) @ y]) / weight.sum()
        offsets.append(float((centre - at[index]).abs().max()) / pitch)
    return sorted(offsets)[len(offsets) // 2] if offsets else None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--results", type=Path, default=Path("build/coverage.jsonl"))
    parser.add_argument("--table", type=Path, default=Path("docs/coverage.md"))
    options = parser.parse_args()
    if options.names:
        for name in options.names:
            print(json.dumps(examine(name), indent=1))
        return
    options.results.parent.mkdir(parents=True, exist_ok=True)
    done = read(options.results)
    waiting = [name for name in timm.list_models() if name not in done]
    print(f"{len(done)} done, {len(waiting)} to go", file=sys.stderr)
    pool = get_context("spawn").Pool(options.processes, maxtasksperchild=40)
    with pool, options.results.open("a") as file:
        for count, found in enumerate(pool.imap_unordered(examine, waiting), 1):
            file.write(json.dumps(found) + "\n")
            file.flush()
            print(f"\r{count}/{len(waiting)} {found['name']:60}", end="", file=sys.stderr)
    options.table.write_text(table(list(read(options.results).values())), "utf-8")
    print(f"\n{options.table}", file=sys.stderr)


def holds(one: dict[str, Any]) -> bool:
    """Every softmax from token to token was found, and is exact."""
    kinds = one.get("kinds", {})
    found = kinds.get("tokens", 0) + kinds.get("scattered", 0)
    return "error" not in one and not one["problems"] and one["seen"] == one["softmaxes"] and found > 0


def table(results: list[dict[str, Any]]) -> str:
    """docs/coverage.md."""
    counted = [one for one in results if one.get("counts", True)]  # who cannot be created is not forgotten
    exact = [one for one in counted if holds(one)]
    families: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in counted:
        for module in one.get("modules", ()):
            if module not in OTHER:
                families[module].append(one)
    lines = [
        "# Which networks of timm are understood",
        "",
        f"Made by `python -m bench.coverage` with timm {timm.__version__} and torch {torch.__version__}. Of {len(results)} "
        f"architectures {len(counted)} have attention from token to token; **{len(exact)} of {len(counted)} are exact.**",
        "",
        *unfinished(results),
        "Exact: each softmax and each fused attention that PyTorch ran (counted below all Python functions) belongs to a call",
        "that was found; its attention, as a trace keeps it, times the values is that call's own output to 1e-4 of its largest",
        "value (float32; where rounding alone is larger, to 1e-10 in float64); rows sum to one where nothing was done to them;",
        "the network's output is bit-equal or within that tolerance; no hook stays behind. Weights are random, with biases,",
        "tables and scales that matter; two blocks and small pictures where a name allows them.",
        "",
        "*Places*: the median distance, in patches, of where a token is said to stand from where the gradient of its query lies",
        "on the picture; stems of several convolutions see more than one patch. *Rollout*: architectures whose layers can be",
        "chained; for the others the page says why not.",
        "",
        "| attention module | architectures | exact | calls | worst error | with windows | rollout | places |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for module, ones in sorted(families.items(), key=lambda item: -len(item[1])):
        good = [one for one in ones if holds(one)]
        worst = max((one["worst"] for one in good), default=float("nan"))
        calls = sum(sum(one.get("kinds", {}).values()) for one in ones)
        windows, chained = sum(bool(one.get("windows")) for one in ones), sum(one.get("no_chain") == "" for one in ones)
        off = [one["off_by"] for one in good if one.get("off_by") is not None]
        place = f"{statistics.median(off):.2f}" if off else ""
        lines.append(
            f"| {module} | {len(ones)} | {len(good)} | {calls} | {worst:.0e} | {windows} | {chained} | {place} |"
        )
    lines += ["", "An architecture with two kinds of attention stands in two lines.", ""]
    wrong = [one for one in counted if not holds(one)]
    if wrong:
        lines += ["## Not exact", ""]
        lines += [f"- `{one['name']}`: {why(one)}" for one in wrong]
        lines.append("")
    lines += [
        "## Softmaxes that are no attention between tokens",
        "",
        "| module | what it is | architectures |",
        "|---|---|---|",
    ]
    for module, what in OTHER.items():
        lines.append(f"| {module} | {what} | {sum(module in one.get('modules', ()) for one in results)} |")
    return "\n".join([*lines, ""])


def unfinished(results: list[dict[str, Any]]) -> list[str]:
    left = sorted(set(timm.list_models()) - {one["name"] for one in results})
    if not left:
        return []
    return [
        f"*Not finished*: {len(left)} of {len(timm.list_models())} were not looked at yet, from `{left[0]}` on.",
        "",
    ]


def why(one: dict[str, Any]) -> str:
    if "error" in one:
        return one["error"].strip().splitlines()[-1][:200]
    if one["problems"]:
        return "; ".join(one["problems"][:2])
    return f"{one['seen']} of {one['softmaxes']} softmaxes belong to a call; kinds {one['kinds']}"


def read(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    lines = (json.loads(line) for line in path.read_text().splitlines())
    return {line["name"]: line for line in lines}


if __name__ == "__main__":
    main()
