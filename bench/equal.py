"""Are all maps and all payloads what they were?  python -m bench.equal BEFORE   (BEFORE: a clone of an earlier commit)

Runs every method, and packs what the browser gets, on networks of every kind: in BEFORE and here, each in a process of its
own with one thread, so that equal code gives equal bits. Says what differs; what was renamed or mended stands in `RENAMED`
and `MENDED` below, with the reason. tests/whole/libraries/test_goldens.py compares a part of it with numbers that are committed.
"""

import argparse
import copy
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np

RENAMED: dict[str, str] = {}  # key of a payload's header or name of a block: before -> now
REFUSED_A_PAD = "Chefer's rules refused `F.pad`, which in Swin pads by nothing at all"
MENDED = {  # a part of a line of `differences` -> what was mended, by name
    **{
        f"{swin}/{method}": REFUSED_A_PAD
        for swin in ("swin", "swin that chains")
        for method in ("transformer_attribution", "partial_lrp")
    },
    "are no whole blocks": "this reason counted layers from 1, as the page does; it names the module now",
}
NUMBERS = {"bytes": np.uint8, "f16": np.float16, "f32": np.float32, "i32": np.int32}


def networks(double: bool = False) -> dict[str, Callable[[], Any]]:
    """Name -> what makes the network: bundled ones, windows, a hierarchy, registers, class attention. Seeded, no download."""
    import timm
    import torch

    import vizapp
    from vizapp.model.preprocess import Preprocess

    def bundled(name: str) -> Any:
        model = vizapp.load(name, "cpu")
        if not double:
            return model
        net = copy.deepcopy(model.net).double()  # the network itself is kept for the next one to load it
        return vizapp.describe(net, labels=model.labels, preprocess=model.preprocess)

    def seeded(name: str, size: int = 112, **options: Any) -> Any:
        torch.manual_seed(0)
        net = timm.create_model(name, pretrained=False, num_classes=10, **options).eval()
        labels = tuple(f"class {index}" for index in range(10))
        return vizapp.describe(
            net.double() if double else net, labels=labels, preprocess=Preprocess((size, size), (0.5,) * 3, (0.5,) * 3)
        )

    return {
        "toy": lambda: bundled("toy"),
        "relation": lambda: bundled("relation"),
        "registers": lambda: bundled("registers"),
        "mean": lambda: bundled("mean"),
        "crate": lambda: bundled("crate"),
        "swin": lambda: seeded(
            "swin_tiny_patch4_window7_224", img_size=112, embed_dim=24, depths=(2, 2, 2, 2), num_heads=(2, 2, 4, 4)
        ),
        "swin that chains": lambda: seeded(
            "swin_tiny_patch4_window7_224", size=224, embed_dim=24, depths=(2, 2, 2, 2), num_heads=(2, 2, 4, 4)
        ),
        "pvt": lambda: seeded("pvt_v2_b0"),
        "pvt that chains": lambda: seeded("pvt_v2_b0", size=224),
        "dinov2 with registers": lambda: seeded("vit_small_patch14_reg4_dinov2", img_size=112, depth=4),
        "cait": lambda: seeded("cait_xxs24_224", img_size=112, depth=4),
    }


def picture() -> np.ndarray:
    """(240, 300, 3) uint8: waves, a ramp and noise, the same everywhere."""
    y, x = np.mgrid[0:240, 0:300]
    noise = 20 * np.random.default_rng(0).standard_normal(x.shape)
    waves = [127 + 100 * np.sin(x / 17) + noise, 127 + 100 * np.cos(y / 23 + x / 40), (x * y) % 255]
    return np.stack(waves, -1).clip(0, 255).astype(np.uint8)


def maps(model: Any, names: Collection[str] | None = None) -> tuple[Any, dict[str, np.ndarray]]:
    """The analysis of `picture()`, and by method (None: all) its map, shares on prefix tokens, or words of its refusal."""
    import torch

    import vizapp
    from vizapp.core.methods import methods

    seen, found = vizapp.analyse(model, picture()), {}
    for name in sorted(methods() if names is None else names):
        torch.manual_seed(0)
        try:
            relevance = vizapp.explain(seen, name)
        except vizapp.VizError as error:
            found[f"{name} refuses"] = np.array(str(error))
        else:
            found[name] = relevance.scores
            found[f"{name} on prefix"] = np.array(list(relevance.on_prefix.values()))
    return seen, found


def blocks(seen: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What the browser gets of an analysis: the header without its table, and each block as an array."""
    from vizapp.ui.viewer.payload import pack

    packed = pack(seen)
    (length,) = struct.unpack("<I", packed[4:8])
    header, body = json.loads(packed[8 : 8 + length]), packed[8 + length :]
    table = header.pop("blocks")
    return header, {
        name: np.frombuffer(body, NUMBERS[kind], int(np.prod(shape)), offset).reshape(shape)
        for name, (offset, kind, shape) in table.items()
    }


def dump(out: Path) -> None:
    """Everything, into one .npz."""
    import torch

    torch.set_num_threads(1)
    everything: dict[str, np.ndarray] = {}
    for name, make in networks().items():
        seen, found = maps(make())
        header, sent = blocks(seen)
        everything |= {f"{name}/{key}": value for key, value in found.items()}
        everything |= {f"{name}/block {key}": value for key, value in sent.items()}
        everything |= {f"{name}/header {key}": np.array(json.dumps(value)) for key, value in header.items()}
        print(name, file=sys.stderr, flush=True)
    np.savez(out, **everything)


def differences(before: dict[str, np.ndarray], now: dict[str, np.ndarray]) -> list[str]:
    """A line for each thing that is not bit for bit what it was."""
    for old, new in RENAMED.items():
        before = {
            key.replace(f" {old}", f" {new}") if f"/header {old}" in key else key: one for key, one in before.items()
        }
    lines = [f"only before: {key}" for key in before.keys() - now.keys()]
    lines += [f"only now: {key}" for key in now.keys() - before.keys()]
    for key in sorted(before.keys() & now.keys()):
        one, other = before[key], now[key]
        same = one.shape == other.shape and one.dtype.kind == other.dtype.kind
        if same and one.dtype.kind == "U":
            same = str(one) == str(other)
        elif same:
            same = one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
        if not same:
            lines.append(f"differs: {key}" + (f" ({one} | {other})" if one.dtype.kind == "U" else ""))
    return [line for line in lines if not any(mended in line for mended in MENDED)]


def run(root: Path, out: Path) -> dict[str, np.ndarray]:
    """`dump` of the checkout at `root`, in a process of its own that imports vizapp from there."""
    code = f"import sys; sys.path.insert(0, {str(root)!r}); import vizapp; assert vizapp.__file__.startswith({str(root)!r}); "
    code += f"exec(compile(open({__file__!r}).read(), {__file__!r}, 'exec'), {{'__name__': 'dump', '__file__': {__file__!r}}})"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "BENCH_EQUAL_OUT": str(out)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=root)
    with np.load(out) as loaded:
        return dict(loaded)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.equal", description=str(__doc__))
    parser.add_argument("before", type=Path, help="a clone of an earlier commit")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        before = run(asked.before.resolve(), Path(folder) / "before.npz")
        now = run(Path(__file__).resolve().parents[1], Path(folder) / "now.npz")
    lines = differences(before, now)
    print("\n".join([*lines, f"{len(now)} arrays and header entries, {len(lines)} differ"]))
    return int(bool(lines))


if __name__ == "dump":
    dump(Path(os.environ["BENCH_EQUAL_OUT"]))
if __name__ == "__main__":
    raise SystemExit(main())
