"""vizapp/browser/engine/features.js and numbers/prototypes.js: features and labels in the browser are Python's."""

import json
from pathlib import Path

import numpy as np

import vizapp
from support.checkpoints import save_vit
from support.exported import MEAN, noise, seen_by
from support.node import needs_node, run_node
from vizapp.browser.network import pack_network
from vizapp.core.prototypes import TEMPERATURE
from vizapp.ui.viewer import ask
from vizapp.ui.viewer.answers import features
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import words_for

NETS = {"registers": {"reg_tokens": 2, "init_values": 0.3}, "mean": MEAN, "features": {"num_classes": 0}, "crate": None}


@needs_node
def test_features_and_labels_are_those_of_python(tmp_path: Path) -> None:
    told = []
    for net, changes in NETS.items():
        name = net if changes is None else save_vit(tmp_path / f"{net}.safetensors", **changes)
        seen = vizapp.analyse(name, noise(40, 52)) if changes is None else seen_by(name, noise(40, 52))
        assert seen.context is not None
        ready = seen.context.ready()
        (tmp_path / f"{net}.vzn").write_bytes(pack_network(ready.model, half=False))
        (tmp_path / f"{net}.pixels").write_bytes(ready.pixels[0].contiguous().numpy().tobytes())

        def look() -> object:
            return seen  # noqa: B023 (asked before the next)

        run = Run(net, seen, ready.model, look, (), True)
        ask.remember(run)
        answer = features.answer(net, None, words_for("en"))
        _, cols = answer["grid"]
        marked = [[0, 1], [cols + 1], [2 * cols, 2 * cols + 1, 2 * cols + 2]]
        marks = {str(i): [divmod(one, cols) for one in some] for i, some in enumerate(marked)}
        labels = vizapp.teach(seen, marks, temperature=TEMPERATURE).labels(seen)
        shares = np.stack(list(labels.shares.values()), -1).flatten().tolist()
        told.append({"net": net, "answer": answer, "marked": marked, "shares": shares})
    assert [one["answer"]["normed"] for one in told] == [True, False, True, True]
    (tmp_path / "features.json").write_text(json.dumps(told), "utf-8")
    run_node("features.test.js", tmp_path)


def test_of_maps_that_are_not_known_any_more_there_is_no_answer() -> None:
    assert features.answer("nobody", None, words_for("en")) == {}
