"""What CLS attention does on its way up: chapter 3 of the textbook, measured; writes the figures into docs/teaching.md.

    python -m bench.teaching [--scenes 200] [--model timm:deit_tiny_patch16_224.fb_in1k]

The toy network over held-out scenes of the lesson "Among clutter", whose object is known to the pixel, with intervals; two others
beside it, for docs/three-networks.md; and a network that knows photographs over those that come with gradio, scikit-image and
matplotlib. Five minutes on two cores.
"""

import argparse
import re
from pathlib import Path

import numpy as np
import torch

import vizapp
from bench import pictures
from vizapp.analysis import Analysis
from vizapp.core.metrics.energy import energy
from vizapp.core.trust.norms import norms_of_a_pass
from vizapp.core.trust.sinks import is_sink
from vizapp.model.toy.lessons import LESSONS

PAGE, THREE = (Path(__file__).parents[1] / "docs" / name for name in ("teaching.md", "three-networks.md"))
NETWORKS = ("toy", "registers", "unaided")
RESAMPLED = 10_000
COLUMNS = {
    "object": "on the object",
    "entropy": "entropy, nats",
    "apart": "apart, pixels",
    "own": "on CLS itself",
    "sinks": "on sinks",
}


def depth(seen: Analysis, mask: np.ndarray | None = None, sinks: bool = False) -> dict[str, np.ndarray]:
    """(layers,) of each column, of what CLS looks at, as ui/viewer/numbers/depth.js counts it; NaN where it is not known.

    Entropy, and the distance from the middle of what a head looks at, are means of the heads; shares are of their mean. On the
    object lies a share of what falls on patches; the others are shares of all.
    """
    trace = seen.trace
    assert seen.context is not None
    context = seen.context.ready()
    height, width = context.pixels.shape[-2:]
    norms = norms_of_a_pass(context.model, context.pixels, trace) if sinks else None
    found: dict[str, list[float]] = {name: [] for name in COLUMNS}
    for index, layer in enumerate(trace.layers):
        rows = layer.attend(trace.query("cls", index)).double()  # (head, key)
        layout = trace.layouts(index)[1]
        n_prefix = len(layout.prefix)
        patches = rows[:, n_prefix:]
        mean = rows.mean(0)
        down, right = (
            torch.meshgrid(
                *(
                    (torch.arange(count) + 0.5) / count * pixels
                    for count, pixels in zip(layout.grid, (height, width), strict=True)
                ),
                indexing="ij",
            )[axis].flatten()
            for axis in (0, 1)
        )
        weights = patches / patches.sum(1, keepdim=True)
        y, x = (weights @ down.double())[:, None], (weights @ right.double())[:, None]
        far = torch.hypot(down - y, right - x)
        found["entropy"].append(float(torch.special.entr(rows).sum(1).mean()))
        found["apart"].append(float((weights * far).sum(1).mean()))
        found["own"].append(float(mean[layout.prefix.index("cls")]))
        on_object = np.nan
        if mask is not None:
            on_object = energy(mean[n_prefix:].reshape(layout.grid).float().numpy(), mask)
        found["object"].append(on_object)
        swallowed = np.nan
        if norms is not None:
            every = torch.full((layout.n_tokens,), 1 / layout.n_tokens)
            received = layer.push(every)[n_prefix:]
            swallowed = float(mean[n_prefix:][is_sink(norms[index], received, layout.n_tokens)].sum())
        found["sinks"].append(swallowed)
    return {name: np.array(values) for name, values in found.items()}


def interval(values: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """95 % of the mean of (pictures,), by resampling pictures."""
    rng = np.random.default_rng(seed)
    means = values[rng.integers(0, len(values), (RESAMPLED, len(values)))].mean(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def table(all_of: list[dict[str, np.ndarray]], names: list[str]) -> str:
    """Markdown: a line per layer, the mean over pictures and its interval."""
    lines = ["| layer | " + " | ".join(COLUMNS[name] for name in names) + " |", "|---" * (len(names) + 1) + "|"]
    for layer in range(len(all_of[0][names[0]])):
        cells = []
        for name in names:
            values = np.array([one[name][layer] for one in all_of])
            low, high = interval(values)
            digits = {"entropy": 2, "apart": 1}.get(name, 3)
            cells.append(f"{values.mean():.{digits}f} ({low:.{digits}f} to {high:.{digits}f})")
        lines.append(f"| {layer + 1} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def over_scenes(name: str, scenes: int) -> tuple[list[dict[str, np.ndarray]], float]:
    """`depth` of each scene, and the share of a picture that its object covers on average."""
    model, lesson = vizapp.load(name), LESSONS["clutter"]
    found, areas = [], []
    for number in range(scenes):
        example = lesson.example(number)
        seen = vizapp.analyse(model, example.picture)
        mask = seen.frame.mask_of(example.truth)
        found.append(depth(seen, mask))
        areas.append(float(mask.mean()))
    return found, float(np.mean(areas))


def claim(found: list[dict[str, np.ndarray]]) -> str:
    """How much more lies on the object in the last layer than in the first, and what each layer adds."""
    on = np.array([one["object"] for one in found])
    gain = on[:, -1] - on[:, 0]
    low, high = interval(gain)
    each = np.diff(on, axis=1).mean(0)
    steps = ", ".join(f"layer {layer + 1} to {layer + 2}: {one:+.3f}" for layer, one in enumerate(each))
    return (
        f"From the first layer to the last, the share on the object grows by {gain.mean():.3f} ({low:.3f} to {high:.3f}), in "
        f"{int((gain > 0).sum())} of {len(found)} scenes ({steps})."
    )


def toy(found: list[dict[str, np.ndarray]], area: float) -> str:
    return (
        f"**Toy network, {len(found)} held-out scenes** (lesson *Among clutter*, numbers 0 to {len(found) - 1}; the object "
        f"covers {area:.3f} of the picture, which is what a map that has not seen it gets). Means and 95 % intervals over "
        f"scenes.\n\n{table(found, ['object', 'entropy', 'apart', 'own'])}\n\n{claim(found)}"
    )


def beside(found: list[dict[str, np.ndarray]]) -> str:
    return f"{table(found, ['object', 'own'])}\n\n{claim(found)}"


def photographs(name: str) -> str:
    model = vizapp.load(name)
    files = list(pictures.photographs().values())
    found = [depth(vizapp.analyse(model, path), sinks=True) for path in files]
    short = name.partition("?")[0].rpartition("/")[2].removeprefix("timm:").removesuffix(".safetensors")
    return (
        f"**{short}, {len(files)} photographs** ({', '.join(path.stem for path in files)}: those that gradio, scikit-image and "
        f"matplotlib bring along; no object is known in them). Means and 95 % intervals over photographs.\n\n"
        f"{table(found, ['entropy', 'apart', 'own', 'sinks'])}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.teaching", description=str(__doc__))
    parser.add_argument("--scenes", type=int, default=200)
    parser.add_argument("--model", default="timm:deit_tiny_patch16_224.fb_in1k")
    given = parser.parse_args()
    measured = {name: over_scenes(name, given.scenes) for name in NETWORKS}
    write(PAGE, {"toy": toy(*measured["toy"]), "photos": photographs(given.model)})
    write(THREE, {name: beside(measured[name][0]) for name in NETWORKS})


def write(page: Path, parts: dict[str, str]) -> None:
    """Put each part between its marks."""
    text = page.read_text("utf-8")
    for part, made in parts.items():
        text = re.sub(
            rf"(<!-- {part} -->\n).*?(\n<!-- end -->)",
            lambda place, made=made: place[1] + made + place[2],
            text,
            flags=re.DOTALL,
        )
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
