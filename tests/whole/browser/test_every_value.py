"""Every value of every key of the state, through every panel: nothing is thrown, no word is missing, all is said in words."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

from support.films_of_training import LINK, Looker
from support.viz import Viz
from vizapp.analysis import Analysis, Request
from vizapp.core.attention.layers import FactoredAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.model.spec import TokenLayout
from vizapp.ui.viewer import ask
from vizapp.ui.viewer.run import Run

pytest.importorskip("transformers", reason="transformers is an extra: pip install vizapp[hf]")

WALK = (Path(__file__).parent / "every_value.js").read_text("utf-8").strip().removesuffix(";")
# Keys whose values change what is said of others.
TOGETHER = (
    ("fusion", "direction", "method", "place"),
    ("direction", "method", "token", "layer"),
    ("direction", "fusion", "hover", "pinned"),
    ("fusion", "method", "scale"),
    ("sinksFound", "method", "sinksApart", "layer"),
    ("atlas", "fusion", "method", "peek"),
    ("atlas", "fusion", "direction", "token"),
    ("atlas", "method", "scale", "layer"),
    ("scale", "fixed"),
    ("method", "skipWeight"),
    ("metric", "fusion", "direction"),
    ("atlas", "metric", "order"),
    ("score", "atlas", "steps", "teach"),
    ("metric", "shapes"),
    ("tool", "hand", "shapes"),
    ("teach", "labelled", "things"),
    ("steps", "step"),
    ("steps", "fusion", "direction", "method"),
    ("steps", "token"),
    ("steps", "place", "layer"),
    ("steps", "number", "layer"),
    ("guess", "marked"),
    ("crossBlock", "fusion", "scale"),
    ("crossBlock", "hover", "crossQuery"),
    ("crossBlock", "method", "direction", "steps"),
)
# Of them, what depends on the tokens and grids of a network.
OF_TOKENS = tuple(
    keys
    for keys in TOGETHER
    if {"token", "place", "hover", "number", "crossBlock"} & set(keys) or keys == ("atlas", "fusion", "method", "peek")
)


def test_all_that_the_page_says(visit: Callable[..., Viz]) -> None:
    """Of a film, windows on several grids, tokens that join late or have strange names, object queries."""
    from support.cross_payloads import seen_by as crossing
    from support.layer_payloads import seen_by, with_trace

    viz = visit(LINK)
    lookers = []
    slips = walk(viz, "film", TOGETHER, 4)
    for name, seen in {
        "windows": seen_by("swin"),
        "late": with_trace(seen_by("cait"), late("cls", "prompt 1", "extra0")),
        "object queries": crossing("few"),
    }.items():
        lookers.append(put(viz, name, seen))
        slips += walk(viz, name, OF_TOKENS, 2)  # each value is walked alone, too
    assert not slips, "\n" + "\n".join(slips)


def late(*prefix: str) -> AttentionTrace:
    """Tokens that join in the second layer; the first one is what the classifier reads."""
    layouts = TokenLayout((), (4, 4)), TokenLayout(prefix, (4, 4))
    layers = tuple(FactoredAttention("a", *torch.randn(2, 2, one.n_tokens, 8), None, one) for one in layouts)
    return AttentionTrace(layers, layouts[1], torch.zeros(3), prefix[0])


def walk(viz: Viz, name: str, together: Sequence[Sequence[str]], most: int) -> list[str]:
    """Keys that go together take all of so many values; of more, the first half of that and the last."""
    found = viz.js(f"({WALK})(viewer, ...argument)", [together, most])
    assert found["walked"] > (300 if most > 2 else 200), name
    return [f"{name}: {slip}" for slip in found["slips"]]


def put(viz: Viz, name: str, seen: Analysis) -> Looker:
    """Put an analysis on the page, with a server that can be asked about it as long as the returned one lives."""
    looker = Looker(seen)
    if seen.context:
        ask.remember(Run(name, seen, seen.context.model, looker.look, (Request("a.png", name, "as_trained"),), True))
    viz.put(seen, name)
    return looker
