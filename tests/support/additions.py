"""All that one may add to the project, as files: what `tests/whole/install/test_one_file.py` puts into a copy of the tree."""

import json
import re
from pathlib import Path

from support.paths import ROOT


def examples(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


*_, CHAPTER, LANGUAGE = examples(ROOT / "docs" / "extend.md", "toml")
HOTTEST = examples(ROOT / "vizapp" / "ui" / "viewer" / "panels" / "README.md", "js")[0]

METHOD = '''"""Rows by number."""
import torch
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method
from vizapp.model.spec import TokenLayout


@method(title="Throw away", sentence="Rows of patches by number.", paper="none", unit=lambda settings: "rows")
def throw_away(trace: AttentionTrace, query: torch.Tensor, *, step: float = 1.0) -> tuple[torch.Tensor, TokenLayout]:
    """(patch,): the row of each patch."""
    rows, cols = trace.layout.grid
    return step * torch.arange(rows).repeat_interleave(cols).double(), TokenLayout((), (rows, cols))
'''
METRIC = '''"""Nothing."""
from vizapp.core.metrics import metric


@metric(title="Thrown away", sentence="always zero.", paper="none", uninformed="0", short="thrown", main=True)
def throw_away(scores, mask):
    """Zero."""
    return 0 * scores[:, 0, 0]
'''
SOURCE = '''"""The toy under another name."""
from dataclasses import replace
import vizapp.model

PREFIXES = ("thrown",)


def names():
    return ("thrown:toy",)


def load(asked):
    return replace(vizapp.model.load("toy", "cpu"), name=asked.text)
'''
LOUDER = '''
"""A whole layer's attention, louder: a throw-away edit."""

from dataclasses import dataclass, replace

from vizapp.core.capture.call import Call
from vizapp.core.interventions import Edit
from vizapp.core.capture.site import Site
from vizapp.wording import Text


@dataclass(frozen=True)
class Louder(Edit):
    name = "louder"
    title = "Turn a layer up"
    sentence = "What a layer's heads write counts several times."
    form = "louder:LAYER=FACTOR"
    paper = "none"

    factor: float = 2.0

    @classmethod
    def read(cls, what: str) -> "Louder":
        layer, _, factor = what.partition("=")
        return cls(int(layer), float(factor or 2))

    def __str__(self) -> str:
        return f"louder:{self.layer}={self.factor:g}"

    def check(self, site: Site) -> None:
        pass

    def apply(self, call: Call, site: Site, pictures: int) -> Call:
        return replace(call, v=call.v * self.factor, output=call.output * self.factor)

    @property
    def note(self) -> Text:
        return Text("Edited: layer {layer} is {factor:g} times as loud.", layer=self.layer + 1, factor=self.factor)
'''
DOUBLE = '''
"""One head, twice as loud: a throw-away edit."""

from dataclasses import dataclass, replace

from vizapp.core.capture.call import Call
from vizapp.core.capture.site import Site
from vizapp.core.interventions.one_head import HeadEdit
from vizapp.wording import Text


@dataclass(frozen=True)
class HeadDouble(HeadEdit):
    name = "head-double"
    title = "Double a head"
    sentence = "What one head of one layer writes counts twice."
    form = "head-double:LAYER.HEAD"
    paper = "none"

    def apply(self, call: Call, site: Site, pictures: int) -> Call:
        times = 1 + (site.heads(pictures, call.output.device) == self.head).to(call.output.dtype)
        return replace(call, v=call.v * times, output=call.output * times)

    @property
    def note(self) -> Text:
        return Text("Edited: {edit}, which counts twice.", edit=str(self))
'''
IN_ENGINE = """
  "head-double": {
    settings: { head: undefined },
    steps: ({ head }) => ({
      before: (of) => {
        const values = of("v", head);
        for (let i = 0; i < values.length; i++) values[i] *= 2;
      },
    }),
  },
"""
PANEL = """
import { flag } from "../state.js";

export const panel = {
  name: "counter",
  place: "below",
  order: 10,
  html: `<p class="viz-counter" title="$counter_help"></p>`,
  words: { counter: "{n} of {tokens} tokens are brighter than {high}", counter_help: "A panel in a test", key_count: "count" },
  keys: { "#": "key_count" },
  state: { counts: flag(false) },
  mount(root, { state, words }) {
    const box = root.querySelector(".viz-counter");
    let pictures = 0;
    return {
      reset: () => (pictures += 1),
      swap: () => {},
      show({ map, counts }) {
        const n = map.values.filter((value) => value > map.high / 2).length;
        box.textContent = counts ? words.say("counter", { n, tokens: map.layout.tokens, high: map.high }) : String(pictures);
      },
      press: () => state.set({ counts: !state.get("counts") }),
    };
  },
};
"""
SENTENCES = {
    "median": "Median",
    "median_help": "For each patch the median over the heads",
    "where_median": "Layer {layer}, median of heads",
    "cross_where_median": "Cross attention {block}, median of heads",
    "atlas_median": "median",
    "short_median": "med",
    **{f"legend_{kind}_median": "{share} in half of the heads" for kind in ("from", "to", "window")},
    **{
        f"{what}_{way}_median": "{where}: {name}, {other}: {share} in half of the heads."
        for what in ("status", "read")
        for way in ("from", "to")
    },
}
MEDIAN = """
  median(rows, out) {
    const half = rows.length / 2;
    for (let j = 0; j < out.length; j++) {
      const sorted = rows.map((row) => row[j]).sort((a, b) => a - b);
      out[j] = (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
    }
  },
"""
WORDS = "".join(f"{key} = {json.dumps(said)}\n" for key, said in SENTENCES.items())
# What is added: file -> all of a new one; or of one that is there, after what something goes, and what goes there.
Files = dict[str, str | tuple[str, str]]
PANELS: dict[str, Files] = {
    "a panel": {"vizapp/ui/viewer/panels/counter.js": PANEL},
    "the panel of the docs, with a style": {
        "vizapp/ui/viewer/panels/hottest.js": HOTTEST,
        "vizapp/ui/viewer/panels/hottest.css": ".viz-hottest { color: rgb(1, 2, 3); }",
    },
}
BOTH_SIDES: dict[str, Files] = {
    "an edit of both sides": {
        "vizapp/core/interventions/head_double.py": DOUBLE.lstrip(),
        "vizapp/browser/engine/edits.js": ("export const EDITS = {\n", IN_ENGINE.lstrip("\n")),
    },
    "a fusion": {
        "vizapp/vocabulary.py": ('Fusion = Literal["mean", "max", "min"', ', "median"'),
        "vizapp/core/attention/fusion.py": (
            "    match fusion:\n",
            '        case "median":\n            return rows.quantile(0.5, 0)\n',
        ),
        "vizapp/ui/viewer/numbers/fuse.js": ("const FUSE = {\n", MEDIAN.lstrip("\n")),
        "vizapp/ui/words/en.toml": ("[viewer]\n", WORDS),
    },
}
ONE_SIDE: dict[str, Files] = {
    "a method": {"vizapp/core/methods/throw_away.py": METHOD},
    "a metric": {"vizapp/core/metrics/throw_away.py": METRIC},
    "a source of models": {"vizapp/model/zoo/throw_away.py": SOURCE},
    "an edit": {"vizapp/core/interventions/louder.py": LOUDER.lstrip()},
    "a language": {"vizapp/ui/words/vo.toml": LANGUAGE},
    "a chapter": {"vizapp/ui/textbook/50_corner.toml": CHAPTER},
}
TAKES = {"an edit of both sides": 2, "a fusion": 4}  # files; all else takes one, and may have a style beside it
