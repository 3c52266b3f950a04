"""Every architecture of timm: is its attention found, exact, and on the right patches?

    python -m bench.coverage                     all of them; goes on where it was stopped
    python -m bench.coverage NAME ...            these only, printed
    python -m bench.coverage NAME ... --results few.jsonl --table few.md     these only, as a table; it goes on, too
    python -m bench.coverage --processes 2 --results build/coverage.jsonl --table docs/coverage.md

A line for each that is done goes into the results, which git does not keep: delete the file to begin anew. Networks that do
not attend come first and take a tenth of a second each, then small ones before large ones; how long the rest takes is said
on the way. The page says the day, the machine and the time that all of it took, pauses between two runs not counted.

What is counted is read from timm, not from our capture: an architecture counts if one of its modules has a softmax or a
fused attention in its source, and is not among `OTHER`. Weights are random, with biases, tables and scales that matter;
pictures are small and networks have two blocks where a name allows that; one picture, float32, one thread a process. Where
all softmaxes of an architecture are of `OTHER` modules, it is not run.
"""

import argparse
import csv
import inspect
import json
import re
import sys
import time
import traceback
import warnings
from collections import defaultdict
from contextlib import suppress
from datetime import date
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import timm
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from bench.__main__ import machine
from bench.coverage_table import OTHER, duration, table
from vizapp.core.capture.call import Call
from vizapp.core.capture.check import Check, check
from vizapp.core.capture.forward import capture
from vizapp.core.capture.patches.arrange import arrange
from vizapp.core.capture.patches.coordinates import TokenCoordinates
from vizapp.core.capture.watch import Watch
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

HYBRID = re.compile(r"vit_\w*(_s32|resnet\d+d)_")  # patches of 32 pixels: 112 are no whole number of them
CONVOLVED = ("coatnet", "coatnext", "maxvit", "maxxvit")  # whose grids need sizes that are multiples of 32
WHOLE = ("convit", "sam", "hiera")  # names whose blocks differ: all of them are kept
CLIP = re.compile(r"resnet\d+(x\d+)?_clip")  # patches of 32 pixels: two by two of them cannot be told from their mean
SHARED_KEYS = "sapiens2"  # its number of key heads is a list of one for each block: two blocks want another
NO_ATTENTION = 0.3  # seconds that an architecture takes which does not attend
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
    elif CLIP.match(name):
        attempts = [{"img_size": 128}]
    elif SHARED_KEYS in name:
        attempts = [{"depth": 2, "img_size": 112, "num_kv_heads": 4}]
    elif not any(part in name for part in WHOLE):
        attempts = [
            {"depth": 2, "img_size": 128 if HYBRID.match(name) else 112},
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
        if found["counts"]:
            net, picture, options = build(name)
            size = picture.shape[-1]
            model = VisionModel(name, net, (), (), None, Preprocess((size, size)), labels=("",), readout="")
            result = check(model, picture)
            if result.problems:  # rounding, or wrong? Double precision tells: its bound is a million times closer
                net, picture, options = net.double(), picture.double(), options | {"dtype": "float64"}
                result = check(model, picture)
            found |= {"options": options, "size": size, **summary(result), "unclaimed": unclaimed(net, result)}
            if any(call.kind == "tokens" for call in result.calls):
                trace = capture(model, picture)
                found |= {"layers": len(trace.layers), "no_chain": trace.no_chain, "skipped": dict(trace.skipped)}
                found["off_by"] = off_by(net, picture)
    except Exception:
        found["error"] = traceback.format_exc(limit=-3)
    return found | {"seconds": round(time.perf_counter() - started, 2)}


def unclaimed(net: nn.Module, result: Check) -> list[str]:
    """The modules whose softmaxes belong to no call, and that are not known to be anything else than attention."""
    kinds = {
        name: f"{type(part).__module__.rpartition('.')[2]}.{type(part).__name__}" for name, part in net.named_modules()
    }
    return [
        name for name in result.elsewhere if not any(kinds.get(outer) in OTHER for outer in ("", *outer_names(name)))
    ]


def outer_names(name: str) -> list[str]:
    """ "a.b.c" -> "a", "a.b", "a.b.c": a module and those that it lies in."""
    parts = name.split(".")
    return [".".join(parts[: length + 1]) for length in range(len(parts))]


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


class Found(Exception):
    """What a pass was for has been seen."""


def off_by(net: nn.Module, picture: Tensor) -> float | None:
    """How far the places of the first attention's queries are from where the picture moves them, in patches.

    Checked without following coordinates: the gradient of a query with respect to the pixels has its centre there.
    Median over five tokens away from the border; None where there is none.
    """
    first: list[Call] = []
    picture = picture.clone().requires_grad_(True)

    def saw(call: Call) -> None:
        if arrange(call).kind == "tokens":
            first.append(call)
            raise Found

    # The pass ends there: all that autograd would keep of the layers behind it took 17 GB of the largest.
    with suppress(Found), Watch(net, saw, TokenCoordinates(picture)):
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
    parser.add_argument("--results", type=Path)
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    if options.names and not options.results:
        for name in options.names:
            print(json.dumps(examine(name), indent=1))
        return
    results = options.results or Path("build/coverage.jsonl")
    results.parent.mkdir(parents=True, exist_ok=True)
    work = effort()
    done, names = read(results), options.names or timm.list_models()
    waiting = sorted((name for name in names if name not in done), key=lambda name: work.get(name, 0.0))
    print(f"{results}: {len(done)} done, {len(waiting)} to go", file=sys.stderr)
    run(waiting, work, options.processes, results)
    page = options.table or (None if options.names else Path("docs/coverage.md"))
    text = table(list(read(results).values()), names, runs(results))
    if page is None:
        print(text)
    else:
        page.write_text(text, "utf-8")
        print(f"\n{page}", file=sys.stderr)


def run(waiting: list[str], work: dict[str, float], processes: int, results: Path) -> None:
    """Examine those that wait, and add a line to `results` for each; another line before them says who runs."""
    began, left = time.perf_counter(), sum(work.get(name, NO_ATTENTION) for name in waiting)
    whole = left
    pool = get_context("spawn").Pool(processes, maxtasksperchild=40)
    with pool, results.open("a", encoding="utf-8") as file:
        about = {"date": str(date.today()), "machine": machine(), "processes": processes}
        file.write("\n" + json.dumps({"run": about}) + "\n")  # a run that was stopped may have left half a line
        for count, found in enumerate(pool.imap_unordered(examine, waiting), 1):
            seconds = time.perf_counter() - began
            file.write(json.dumps(found | {"after": round(seconds, 1)}) + "\n")
            file.flush()
            left -= work.get(found["name"], NO_ATTENTION)
            rest = duration(seconds * left / max(whole - left, 1e-9))
            print(f"\r{count}/{len(waiting)}, about {rest} left  {found['name']:50}", end="", file=sys.stderr)


def effort() -> dict[str, float]:
    """About how many seconds each architecture that attends takes, by its parameters in assets/timm.csv; others take none."""
    with (Path(__file__).parents[1] / "assets" / "timm.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: 3 + float(row["millions"]) ** 0.5 for row in csv.DictReader(file)}


def runs(path: Path) -> list[dict[str, Any]]:
    """Each run that wrote into a results file: its date, machine and processes, and the seconds until its last line."""
    found: list[dict[str, Any]] = []
    for one in lines_of(path):
        if "run" in one:
            found.append(one["run"] | {"seconds": 0.0})
        elif found and "after" in one:
            found[-1]["seconds"] = one["after"]
    return [one for one in found if one["seconds"]]


def read(path: Path) -> dict[str, dict[str, Any]]:
    """What a results file holds, by name, the last of each; a line that was cut short counts as not there."""
    return {one["name"]: one for one in lines_of(path) if "name" in one}


def lines_of(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:  # an empty one, or one that was cut short
            continue
    return found


if __name__ == "__main__":
    main()
