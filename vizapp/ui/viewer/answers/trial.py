"""Tests a map: does the class's probability fall without the patches it calls important, and does it depend on training?"""

from typing import Any

import numpy as np

import vizapp.pipeline as pipeline
from vizapp.core.trust.faithfulness import curves
from vizapp.pipeline.sanity import sanity
from vizapp.ui.viewer.run import KnownRun, about_known_run
from vizapp.ui.words import Words
from vizapp.vocabulary import TRIED

SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 1.0)  # of the patches that are taken away
ORDERS = 5  # random ones: their mean is what chance does


@about_known_run
def answer(run: KnownRun, what: Any, words: Words) -> dict[str, Any]:
    """For a layer, from 0: tests the attention of the query that the classifier reads, the mean of the heads.

    "label", and its probability while "shares" of the patches are removed: "by_map", "by_chance" (the mean of random orders).
    "forgotten" is {method: rank correlation of its map with that of a network whose weights are all random}.
    {"why": words} if it cannot be tested; {} for malformed questions.
    """
    if isinstance(what, bool) or not isinstance(what, int):
        return {}
    seen = run.again()
    assert seen.context is not None
    if not 0 <= what < len(seen.trace.layers):
        return {}
    network, logits = seen.context.ready(), seen.trace.logits
    if logits is None or not seen.top(1):
        return {"why": words.say("viewer", "trial_no_classes")}
    label = int(logits.argmax())
    scores = pipeline.explain(seen, "attention", layer=what).scores
    model = network.model

    def falling(order: np.ndarray) -> np.ndarray:
        cells = seen.trace.cells
        return curves(model.net, network.pixels, order, label, SHARES, "mean", model.activation, cells=cells).deletion

    rng = np.random.default_rng(0)
    by_chance = np.mean([falling(rng.permutation(scores.size).reshape(scores.shape)) for _ in range(ORDERS)], 0)
    left = sanity(seen, TRIED).correlation
    return {
        "label": words.translate(model.labels[label]),
        "shares": list(SHARES),
        "by_map": falling(scores).tolist(),
        "by_chance": by_chance.tolist(),
        "forgotten": {name: float(one[-1]) for name, one in left.items()},
    }
