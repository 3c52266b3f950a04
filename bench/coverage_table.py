"""docs/coverage.md: what bench/coverage.py found, as a table, with a name and a reason for whatever is missing."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import timm
import torch

Found = dict[str, Any]

CHANNELS, POOL, LINEAR, GATE = "channels", "a learned query", "linear attention", "no attention"
PICTURES = "pictures of a batch, not patches: of one picture each weight is 1"
OTHER = {  # modules with a softmax that is not from token to token
    "xcit.XCA": CHANNELS,
    "davit.ChannelAttention": CHANNELS,
    "davit.ChannelAttentionV2": CHANNELS,
    "edgenext.CrossCovarianceAttn": CHANNELS,
    "csatv2.SpatialTransformerBlock": PICTURES,
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

CELLS = """\
*Cells*: each patch is painted where it looks. Patches that are cut side by side are exact, also with padding
(ViTPose: 16 pixels, padding 2), with a rest at the border (SigLIP at 384), overlapping or dilated, and behind several
convolutions, as long as all grids lie on one part of the picture (Swin, Hiera, VOLO, Visformer). Where each grid
begins elsewhere (PVT v2, MViT, PiT, LeViT, TinyViT, CAFormer, TNT) the cells are laid evenly over the picture, and a
note with each map says how far that is off.
"""


# Kinds of networks that timm has not: the kind, the verdict, and the test that shows it.
BEYOND = [
    "## Kinds that timm has not",
    "",
    "Each is followed by a test that has the truth by a plain loop.",
    "",
    "| kind | verdict | shown by |",
    "|---|---|---|",
    "| the vision tower of Qwen2.5-VL: tokens in the order of windows, a call for each window, those at the edge smaller "
    "| exact, all layers shown, rollout; a window is hatched outside. What needs values (value_attention, value_rollout, alti), "
    "the steps to a number and edits of such a layer refuse in words | tests/whole/libraries/test_windows_in_calls.py |",
    "| windows of one size, each in a call of its own | the same | tests/unit/core/capture/test_windows_in_calls.py |",
    "| a causal ViT (`is_causal=True`, or a mask that is added) | exact, all layers shown, rollout; what comes later is hatched "
    "| tests/unit/core/signals/test_readout.py |",
    "",
]


def exact(one: Found) -> bool:
    """Every softmax from token to token was found, and is exact."""
    kinds = one.get("kinds", {})
    attends = kinds.get("tokens", 0) + kinds.get("scattered", 0)
    return "error" not in one and not one["problems"] and not one["unclaimed"] and attends > 0


def shown(one: Found) -> bool:
    """Every attention from token to token is a layer of the trace, put on patches."""
    kinds = one.get("kinds", {})
    return exact(one) and kinds.get("tokens", 0) == one.get("layers") and not beside(one)


def chained(one: Found) -> bool:
    """The layers form a chain, so that rollout and its kin give a map."""
    return exact(one) and one.get("no_chain") == ""


def beside(one: Found) -> int:
    """How many calls from token to token are no layers."""
    return sum(one.get("kinds", {}).get(kind, 0) for kind in ("scattered", "unplaced", "moving"))


def table(results: Sequence[Found], names: Sequence[str], runs: Sequence[Found] = ()) -> str:
    """The page; `names` are all that should be in it, `runs` say who made it, and in how many seconds."""
    counted = [one for one in results if one.get("counts", True)]  # who cannot be created is not forgotten
    families: dict[str, list[Found]] = defaultdict(list)
    for one in counted:
        for module in one.get("modules", ()):
            if module not in OTHER:
                families[module].append(one)
    n = len(counted)
    how_many = {rule.__name__: sum(map(rule, counted)) for rule in (exact, shown, chained)}
    lines = [
        "# Which networks of timm are understood",
        "",
        f"Made by `python -m bench.coverage` with timm {timm.__version__} and torch {torch.__version__}. Of {len(results)} "
        f"architectures {n} have attention from token to token; **{how_many['exact']} of {n} are exact, in "
        f"{how_many['shown']} every layer is shown, {how_many['chained']} can be rolled out.**",
        "",
        *(
            f"{one['date']}, {one['machine']}, {one['processes']} processes: {duration(one['seconds'])}."
            for one in runs
        ),
        *([""] if runs else []),
        *unfinished(results, names),
        "*Exact*: each softmax and each fused attention that PyTorch ran (counted below all Python functions) belongs to a",
        "call that was found, or to a module of the last table; its attention, as a trace keeps it, times the values is that",
        "call's own output to 1e-4 of its largest value (float32; where rounding alone is larger, to 1e-10 in float64); rows",
        "sum to one where nothing was done to them; the network's output is bit-equal or within that tolerance; no hook stays",
        "behind. Weights are random, with biases, tables and scales that matter; two blocks and small pictures where a name",
        "allows them.",
        "",
        "*Shown*: all of its attention from token to token is put on patches. *Rollout*: its layers form a chain. Whatever",
        "attends beside the layers breaks it: attention that is set aside, and sums over tokens with weights that the network",
        "makes of the picture by other means than a softmax. Convolutions, pooling, gates and linear layers over tokens do",
        "not. *Places*: the median distance, in patches, of where a token is said to stand from where the gradient of its",
        "query lies on the picture; stems of several convolutions see more than one patch.",
        "",
        *CELLS.splitlines(),
        "",
        "| attention module | architectures | exact | shown | rollout | calls | worst error | with windows | places |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for module, ones in sorted(families.items(), key=lambda item: -len(item[1])):
        good = [one for one in ones if exact(one)]
        worst = max((one["worst"] for one in good), default=float("nan"))
        calls = sum(sum(one.get("kinds", {}).values()) for one in ones)
        windows = sum(bool(one.get("windows")) for one in ones)
        off = [one["off_by"] for one in good if one.get("off_by") is not None]
        place = f"{statistics.median(off):.2f}" if off else ""
        lines.append(
            f"| {module} | {len(ones)} | {len(good)} | {sum(map(shown, ones))} | {sum(map(chained, ones))} | {calls} | "
            f"{worst:.0e} | {windows} | {place} |"
        )
    lines += ["", "An architecture with two kinds of attention stands in two lines.", ""]
    lines += missing("Not exact", counted, exact, why_not_exact)
    lines += missing("Not all shown", [one for one in counted if exact(one)], shown, why_not_shown)
    lines += missing("No rollout", [one for one in counted if exact(one)], chained, why_not_chained)
    lines += BEYOND
    lines += [
        "## Softmaxes that are no attention between tokens",
        "",
        "| module | what it is | architectures |",
        "|---|---|---|",
    ]
    for module, what in OTHER.items():
        lines.append(f"| {module} | {what} | {sum(module in one.get('modules', ()) for one in results)} |")
    return "\n".join([*lines, ""])


def duration(seconds: float) -> str:
    """ "1:05 h", or "12 min" where it is less than an hour; at least a minute."""
    minutes = max(1, round(seconds / 60))
    return f"{minutes // 60}:{minutes % 60:02} h" if minutes >= 60 else f"{minutes} min"


def missing(title: str, ones: Sequence[Found], rule: Callable[[Found], bool], why: Callable[[Found], str]) -> list[str]:
    """A section that names each architecture for which a rule does not hold, and says why; nothing where it always does."""
    wrong = [one for one in ones if not rule(one)]
    return [f"## {title}", "", *(f"- `{one['name']}`: {why(one)}" for one in wrong), ""] if wrong else []


def unfinished(results: Sequence[Found], names: Sequence[str]) -> list[str]:
    left = sorted(set(names) - {one["name"] for one in results})
    return (
        [f"*Not finished*: {len(left)} of {len(names)} were not looked at yet, from `{left[0]}` on.", ""]
        if left
        else []
    )


def why_not_exact(one: Found) -> str:
    if "error" in one:
        said: str = one["error"].strip().splitlines()[-1][:200]
        return said
    if one["problems"]:
        return "; ".join(one["problems"][:2])
    if one["unclaimed"]:
        return f"softmaxes that belong to no call: {', '.join(one['unclaimed'][:3])}"
    return f"no attention from token to token was found; kinds {one['kinds']}"


def why_not_shown(one: Found) -> str:
    skipped: dict[str, str] = one.get("skipped", {})
    each = [f"{name}, since {why}" for name, why in skipped.items() if "channels" not in why and "one key" not in why]
    return (
        f"{beside(one)} of {beside(one) + one['kinds'].get('tokens', 0)} are not: {each[0] if each else 'no layer is'}"
    )


def why_not_chained(one: Found) -> str:
    said: str = one.get("no_chain") or "it has no layer between patches"
    return said
