// Made by `python -m vizapp.vocabulary` from vocabulary.py, which says what each is. Do not edit.

/** @typedef {"mean" | "max" | "min"} Fusion */
/** @type {readonly Fusion[]} */
export const FUSIONS = ["mean", "max", "min"];

/** @typedef {"from" | "to"} Direction */
/** @type {readonly Direction[]} */
export const DIRECTIONS = ["from", "to"];

/** @typedef {"attention" | "rollout"} Chain */
/** @type {readonly Chain[]} */
export const CHAINS = ["attention", "rollout"];

/** @typedef {"map" | "layer" | "all" | "fixed"} Scale */
/** @type {readonly Scale[]} */
export const SCALES = ["map", "layer", "all", "fixed"];

/** @typedef {"layers" | "entropy" | "distance" | "cls" | "sinks" | "score"} AtlasOrder */
/** @type {readonly AtlasOrder[]} */
export const ATLAS_ORDERS = ["layers", "entropy", "distance", "cls", "sinks", "score"];

/** @typedef {"zero" | "uniform" | "mean"} HeadOffWay */
/** @type {readonly HeadOffWay[]} */
export const HEAD_OFF_WAYS = ["zero", "uniform", "mean"];

/** @typedef {"cls" | "dist" | "cls+dist" | "mean" | "pool"} Token */
/** @type {readonly Token[]} */
export const TOKENS = ["cls", "dist", "cls+dist", "mean", "pool"];

/** @typedef {"box" | "brush" | "eraser"} Tool */
/** @type {readonly Tool[]} */
export const TOOLS = ["box", "brush", "eraser"];

/** @typedef {"crop" | "pad" | "squash"} Fit */
/** @type {readonly Fit[]} */
export const FITS = ["crop", "pad", "squash"];

/** @typedef {"upper" | "middle" | "lower" | "all"} Down */
/** @type {readonly Down[]} */
export const DOWN = ["upper", "middle", "lower", "all"];

/** @typedef {"left" | "middle" | "right" | "all"} Across */
/** @type {readonly Across[]} */
export const ACROSS = ["left", "middle", "right", "all"];

/** @typedef {"attention" | "rollout" | "chefer"} Tried */
/** @type {readonly Tried[]} */
export const TRIED = ["attention", "rollout", "chefer"];

/** @typedef {"picture" | "patches" | "layers" | "readout" | "answer"} Part */
/** @type {readonly Part[]} */
export const PARTS = ["picture", "patches", "layers", "readout", "answer"];

/** @typedef {"share" | "area" | "times" | "hit"} Format */
/** @typedef {"pixels" | "tokens" | "window" | "factors" | "product" | "scale" | "softmax" | "registers" | "value" | "head" | "stream" | "class"} Step */
/** @typedef {"accuracy" | "unmarked" | "object" | "mark"} Curve */
/** @typedef {"from" | "from_few" | "to" | "rollout" | "rollout_to"} Phrase */
/** @typedef {"object" | "entropy" | "apart" | "own"} Depth */
/** @typedef {"mark" | "even" | "own"} Opening */
/** @typedef {"classes" | "embedding" | "features" | "film" | "maps" | "moments" | "page" | "proof" | "saving" | "sinks" | "steps" | "trial"} Question */
/** @typedef {"factors" | "dense" | "mean" | "asked"} LayerKind */
/** @typedef {"causal" | "rows"} MaskKind */
/** @typedef {"bytes" | "f16" | "f32" | "i32"} BlockKind */
/** @typedef {"attention" | "rollout" | "value_attention" | "value_rollout" | "alti" | "occlusion" | "rise" | "random" | "centre"} BrowserMethod */
/** @typedef {"gelu" | "gelu_tanh" | "quick_gelu" | "silu" | "relu"} Act */
/** @typedef {"pairs" | "halves"} Rotary */

export const AS_TRAINED = "as_trained";
export const THROUGH_LAYERS = {"attention": false, "rollout": true};
export const STATE_VERSION = 1;
export const NETWORK_VERSION = 2;
export const PUBLIC_PIXELS = 25000000;
export const MOST_SHRUNK = 8;
export const MIN_SIDE = 8;
export const MOST_PAGES = 10000;
export const MAX_ASPECT = 100;
export const LONGEST_SIDE = 1024;
export const DRAWN_PIXELS = 65536;
export const JPEG_QUALITY = 88;
export const TOP_CLASSES = 5;
export const OPACITY = 0.8;
export const TEMPERATURE = 0.1;
export const SKIP_WEIGHT = 0.5;
export const SINK_FAR = 5;
export const SINK_LONG = 2;
export const SINK_MUCH = 5;
export const MOST_THINGS = 5;
export const MOST_MARKS = 9;
export const THING_LETTERS = 40;
export const PATCH_FEW = 12;
export const PATCH_MOST = 32768;
export const RISE_AT_ONCE = 16;
export const FINE = [0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1];
export const APART = 0.05;
export const ORDERS = 19;
export const ORDERS_AT_ONCE = 5;
export const CHANCE_LEVEL = 0.05;
