"""Declares once what rooms must agree on: names that several of them know, and numbers that two of them count with.

Python imports them; the browser is given the same ones in `vocabulary.js`, which this file writes:

    python -m vizapp.vocabulary

This room imports nothing of vizapp. Of names there is a type and a tuple: a type checker tells of a case that
code forgot, and the tuple is walked when the program runs. A number that one language alone counts with stays where it is.
"""

import json
from itertools import product
from pathlib import Path
from typing import Literal, get_args

# ---- of maps, and how they are shown

Fusion = Literal["mean", "max", "min"]  # of the heads of a layer, key by key; only the first keeps shares
Direction = Literal["from", "to"]  # where the query looks; which tokens look at it
Chain = Literal["attention", "rollout"]  # what the viewer shows: one layer, or all layers up to it
Scale = Literal["map", "layer", "all", "fixed"]  # of which maps the top colour is the largest value
AtlasOrder = Literal["layers", "entropy", "distance", "cls", "sinks", "score"]  # of the heads in the atlas
Token = Literal["cls", "dist", "cls+dist", "mean", "pool"]  # what asks and is no patch; others have numbers, "reg0"
ColourMap = Literal["viridis", "cividis", "magma"]  # of values that begin at zero
HeadOffWay = Literal["zero", "uniform", "mean"]  # what a head that is off writes: nothing, its even map's, its average
EditSide = Literal["python", "engine"]  # where edits of a pass are done
Act = Literal["gelu", "gelu_tanh", "quick_gelu", "silu", "relu"]  # the activation inside an MLP
Rotary = Literal["pairs", "halves"]  # which two channels of q and k are turned together: neighbours; one of each half
Tool = Literal["box", "brush", "eraser"]  # by which the object is marked
Format = Literal["share", "area", "times", "hit"]  # how the number of a metric is written
# On the way to one number of a map.
Step = Literal[
    "pixels",
    "tokens",
    "window",
    "factors",
    "product",
    "scale",
    "softmax",
    "registers",
    "value",
    "head",
    "stream",
    "class",
]
Curve = Literal["accuracy", "unmarked", "object", "mark"]  # of the training of a film

Empty = Literal["mean", "blur"]  # what stands in the place of patches that are taken away

# ---- of what is asked, and what is sent

Fit = Literal["crop", "pad", "squash"]  # how a picture is brought to the size that a network takes
WantedFit = Literal["as_trained", Fit]  # the first: as the network says
# The browser asks the server of maps: a file of ui/viewer/answers each.
Question = Literal[
    "classes", "embedding", "features", "film", "maps", "moments", "page", "proof", "saving", "sinks", "steps", "trial"
]
LayerKind = Literal["factors", "dense", "mean", "asked"]  # how a layer's numbers travel, see numbers/payload.js
MaskKind = Literal["causal", "rows"]  # how a mask travels, see numbers/reach.js
BlockKind = Literal["bytes", "f16", "f32", "i32"]  # of the numbers of a block of a payload
Tried = Literal[
    "attention", "rollout", "chefer"
]  # methods of which a trial says whether their maps need what was learned
# Methods that need the forward pass and nothing else, so that a page without a server has them.
BrowserMethod = Literal[
    "attention", "rollout", "value_attention", "value_rollout", "alti", "occlusion", "rise", "random", "centre"
]

AS_TRAINED: Literal["as_trained"] = "as_trained"

FUSIONS: tuple[Fusion, ...] = get_args(Fusion)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
CHAINS: tuple[Chain, ...] = get_args(Chain)
# Whether a map follows all layers up to the one shown. If not, it is of the heads, the grids and the windows of that layer.
THROUGH_LAYERS: dict[Chain, bool] = {"attention": False, "rollout": True}
SCALES: tuple[Scale, ...] = get_args(Scale)
ATLAS_ORDERS: tuple[AtlasOrder, ...] = get_args(AtlasOrder)
TOKENS: tuple[Token, ...] = get_args(Token)
COLOUR_MAPS: tuple[ColourMap, ...] = get_args(ColourMap)
HEAD_OFF_WAYS: tuple[HeadOffWay, ...] = get_args(HeadOffWay)

# Edits, or ways of them ("name=way"), that a side has not yet. It refuses them in words: tests/page/test_edit_cases.py.
EDITS_LACKING: dict[EditSide, tuple[str, ...]] = {"python": ("head-off=mean",), "engine": ()}
TOOLS: tuple[Tool, ...] = get_args(Tool)
STEPS: tuple[Step, ...] = get_args(Step)
CURVES: tuple[Curve, ...] = get_args(Curve)
EMPTIES: tuple[Empty, ...] = get_args(Empty)
FITS: tuple[Fit, ...] = get_args(Fit)
QUESTIONS: tuple[Question, ...] = get_args(Question)
TRIED: tuple[Tried, ...] = get_args(Tried)
BROWSER_METHODS: tuple[BrowserMethod, ...] = get_args(BrowserMethod)

# ---- the viewer's sentences of which there is one for each word: the words, and the keys with the word in place of {}

Phrase = Literal[
    "from", "from_few", "to", "rollout", "rollout_to"
]  # what a value of a map is; "_few" where most is on no patch
Down = Literal["upper", "middle", "lower", "all"]  # where in the picture a map lies
Across = Literal["left", "middle", "right", "all"]
Depth = Literal["object", "entropy", "apart", "own"]  # what is drawn layer by layer
Opening = Literal["mark", "even", "own"]  # why a picture opens on a layer
Part = Literal["picture", "patches", "layers", "readout", "answer"]  # of a network, on the way through it

PHRASES: tuple[Phrase, ...] = get_args(Phrase)
DOWN: tuple[Down, ...] = get_args(Down)
ACROSS: tuple[Across, ...] = get_args(Across)
DEPTHS: tuple[Depth, ...] = get_args(Depth)
OPENINGS: tuple[Opening, ...] = get_args(Opening)
PARTS: tuple[Part, ...] = get_args(Part)

_SENTENCES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (FUSIONS, ("{}", "{}_help", "where_{}", "cross_where_{}", "atlas_{}", "short_{}")),
    # The mean's values are shares of one query's attention, and are told as those of a single head.
    (
        FUSIONS[1:],
        ("legend_window_{}", *(f"{kind}_{way}_{{}}" for kind in ("legend", "status", "read") for way in DIRECTIONS)),
    ),
    (("head",), ("where_{}", "cross_where_{}")),
    (("from", "to", "rollout", "rollout_to", "map"), ("headline_{}",)),
    (("number", "teach", "wide", "score"), ("back_{}",)),  # how deep a visitor has gone, see ui/viewer/zoom.js
    (("rollout",), ("where_{}", "atlas_{}", "short_{}")),
    (("rollout_of",), ("atlas_{}", "short_{}")),
    (PHRASES, ("legend_{}", "status_{}", "read_{}")),
    (("window", "window_few", "to_apart"), ("legend_{}",)),
    (tuple(map("_".join, product(DOWN, ACROSS))), ("part_{}",)),
    ((*TOKENS, "reg", "query", "patch", "several", "other"), ("name_{}", "chip_{}")),
    ((*TOKENS, "reg", "patch", "several", "other"), ("chip_{}_help",)),
    (("grid", "grid_windows", "grids", "grids_windows"), ("layer_{}",)),
    (OPENINGS, ("opens_on_{}", "opens_why_{}")),
    (SCALES, ("scale_{}",)),
    (ATLAS_ORDERS, ("order_{}",)),
    (tuple(one for one in ATLAS_ORDERS if one not in ("layers", "score")), ("listing_{}",)),  # a score is a metric's
    (TOOLS, ("{}", "{}_help", "draw_{}")),
    (("share", "rolled", "here"), ("sinks_{}_1", "sinks_{}_n")),
    (("before", "after", "between"), ("sinks_{}",)),
    (STEPS, ("step_{}", "formula_{}")),
    (("pixels_bare",), ("formula_{}",)),
    (("q", "k"), ("row_{}",)),
    (("before", "attention", "between", "rest", "after"), ("length_{}",)),
    (("pixels", "filter", "adds", "back", "on"), ("patch_{}",)),
    (CURVES, ("curve_{}",)),
    (CURVES[2:], ("time_on_{}",)),
    (DEPTHS, ("depth_{}",)),
    (TRIED, ("trial_{}",)),
    (PARTS, ("way_{}",)),
)


def keys() -> tuple[str, ...]:
    """Every key of the viewer's table that is put together of a word when the page runs."""
    return tuple(key.format(word) for words, of in _SENTENCES for key in of for word in words)


# ---- numbers

STATE_VERSION = 1  # of the text of a state, in links and saved files: raised when a key changes its meaning
NETWORK_VERSION = 2  # of a network's file for the browser
PUBLIC_PIXELS = 25_000_000  # of a stranger's picture: what many of them at once need must stay small
MOST_SHRUNK = 8  # times as many may be in a file that can be decoded at a smaller size: it takes seconds
MIN_SIDE = 8  # of a picture
MOST_PAGES = 10_000  # of a picture's file; more are not counted
MAX_ASPECT = 100  # long side : short side
LONGEST_SIDE = 1024  # of the picture on the page; the maps do not depend on it
DRAWN_PIXELS = 256 * 256  # so small are drawn ones, which JPEG would blur where they are one pixel wide
JPEG_QUALITY = 88  # of 100: of the others on the page
TOP_CLASSES = 5  # that are told with a map
OPACITY = 0.8  # of the top colour over a picture
TEMPERATURE = 0.1  # of a cosine: one that is larger by 0.1 is e times as likely
SKIP_WEIGHT = 0.5  # the share of the skip connection, unless another is asked for
SINK_FAR = 5  # robust standard deviations above the median: an outlying norm
SINK_LONG = 2  # and so many medians: on an even background the deviations are tiny, and any object lies out
SINK_MUCH = 5  # times what each token would get if all got alike
MOST_THINGS = 5  # that are taught by example on the page: more colours are hard to tell apart
MOST_MARKS = 9  # patches that are marked of one thing, or guessed
THING_LETTERS = 40  # of a thing's name
PATCH_FEW = 12  # numbers of a token whose weights are given where all would be too many
PATCH_MOST = 2**15  # weights that are given at most, unless `PATCH_FEW` numbers have more
RISE_AT_ONCE = 16  # pictures in one pass: all their cells are drawn before their places are
# Shares of the patches for deletion, as many as 8 even steps have: a class often falls with the first patches, and in even
# steps the first point comes after an eighth of them, when most methods have reached the same.
FINE: tuple[float, ...] = (0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1)
# Of the points of deletion, two that are nearer to each other than this share of the patches add next to nothing to an area.
APART = 0.05
# Random orders, at most, that a map is compared with: the fewest with which it can be in the best twentieth of them and itself.
ORDERS = 19
ORDERS_AT_ONCE = 5  # random orders per step; between steps a run can be stopped, or stops early by itself
CHANCE_LEVEL = 0.05  # a map beats chance if it is in this best part of itself and random orders

# ---- what the browser reads

# Constant -> its type's name, and its words.
_LISTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "FUSIONS": ("Fusion", FUSIONS),
    "DIRECTIONS": ("Direction", DIRECTIONS),
    "CHAINS": ("Chain", CHAINS),
    "SCALES": ("Scale", SCALES),
    "ATLAS_ORDERS": ("AtlasOrder", ATLAS_ORDERS),
    "HEAD_OFF_WAYS": ("HeadOffWay", HEAD_OFF_WAYS),
    "TOKENS": ("Token", TOKENS),
    "TOOLS": ("Tool", TOOLS),
    "FITS": ("Fit", FITS),
    "DOWN": ("Down", DOWN),
    "ACROSS": ("Across", ACROSS),
    "TRIED": ("Tried", TRIED),
    "PARTS": ("Part", PARTS),
}
# Types of which the browser walks no list.
_TYPES: dict[str, tuple[str, ...]] = {
    "Format": get_args(Format),
    "Step": STEPS,
    "Curve": CURVES,
    "Phrase": PHRASES,
    "Depth": DEPTHS,
    "Opening": OPENINGS,
    "Question": QUESTIONS,
    "LayerKind": get_args(LayerKind),
    "MaskKind": get_args(MaskKind),
    "BlockKind": get_args(BlockKind),
    "BrowserMethod": BROWSER_METHODS,
    "Act": get_args(Act),
    "Rotary": get_args(Rotary),
}
_VALUES: dict[str, object] = {
    "AS_TRAINED": AS_TRAINED,
    "THROUGH_LAYERS": THROUGH_LAYERS,
    "STATE_VERSION": STATE_VERSION,
    "NETWORK_VERSION": NETWORK_VERSION,
    "PUBLIC_PIXELS": PUBLIC_PIXELS,
    "MOST_SHRUNK": MOST_SHRUNK,
    "MIN_SIDE": MIN_SIDE,
    "MOST_PAGES": MOST_PAGES,
    "MAX_ASPECT": MAX_ASPECT,
    "LONGEST_SIDE": LONGEST_SIDE,
    "DRAWN_PIXELS": DRAWN_PIXELS,
    "JPEG_QUALITY": JPEG_QUALITY,
    "TOP_CLASSES": TOP_CLASSES,
    "OPACITY": OPACITY,
    "TEMPERATURE": TEMPERATURE,
    "SKIP_WEIGHT": SKIP_WEIGHT,
    "SINK_FAR": SINK_FAR,
    "SINK_LONG": SINK_LONG,
    "SINK_MUCH": SINK_MUCH,
    "MOST_THINGS": MOST_THINGS,
    "MOST_MARKS": MOST_MARKS,
    "THING_LETTERS": THING_LETTERS,
    "PATCH_FEW": PATCH_FEW,
    "PATCH_MOST": PATCH_MOST,
    "RISE_AT_ONCE": RISE_AT_ONCE,
    "FINE": FINE,
    "APART": APART,
    "ORDERS": ORDERS,
    "ORDERS_AT_ONCE": ORDERS_AT_ONCE,
    "CHANCE_LEVEL": CHANCE_LEVEL,
}
JAVASCRIPT = Path(__file__).with_suffix(".js")


def javascript() -> str:
    """The same for the browser: a union type and a list of each, and the numbers."""
    lines = ["// Made by `python -m vizapp.vocabulary` from vocabulary.py, which says what each is. Do not edit.", ""]
    for constant, (name, words) in _LISTS.items():
        lines += [
            f"/** @typedef {{{_union(words)}}} {name} */",
            f"/** @type {{readonly {name}[]}} */",
            f"export const {constant} = {json.dumps(words)};",
            "",
        ]
    lines += [f"/** @typedef {{{_union(words)}}} {name} */" for name, words in _TYPES.items()]
    lines += ["", *(f"export const {name} = {json.dumps(value)};" for name, value in _VALUES.items()), ""]
    return "\n".join(lines)


def _union(words: tuple[str, ...]) -> str:
    return " | ".join(map(json.dumps, words))


if __name__ == "__main__":
    JAVASCRIPT.write_text(javascript(), "utf-8")
