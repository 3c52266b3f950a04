"""vizapp/browser/engine in Node: from a picture's file to the payload, features and labels, and bytes as text of an HTML file."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.checkpoints import save_vit
from support.export_pictures import drawn, saved
from support.exported import MEAN, noise, seen_by
from support.node import needs_node, run_node
from vizapp.browser import base128 as module
from vizapp.browser.base128 import RARE, septets
from vizapp.browser.network import pack_network
from vizapp.core.prototypes import TEMPERATURE
from vizapp.picture import read_picture
from vizapp.ui.viewer import ask, payload
from vizapp.ui.viewer.answers import features
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import words_for
from vizapp.verbs.export import all_bundled


@needs_node
def test_a_file_becomes_the_payload_of_the_server(tmp_path: Path) -> None:
    """The toy network, its weights in half precision, on a PNG that is stored on its side."""
    file = saved(Image.fromarray(drawn(150, 220)), "PNG", 6)
    picture = read_picture(file)
    assert picture.shape == (220, 150, 3), "upright"
    seen = seen_by("toy", picture)
    assert seen.context is not None
    (tmp_path / "picture.png").write_bytes(file)
    (tmp_path / "shown").write_bytes(payload._encode(seen.picture)[0])
    (tmp_path / "toy.viz").write_bytes(payload.pack(seen))
    (tmp_path / "toy.vzn").write_bytes(pack_network(seen.context.ready().model))
    run_node("whole.test.js", tmp_path)


def test_all_models_are_those_that_one_network_makes() -> None:
    """A film is many: its chapter brings its moments."""
    found = all_bundled()
    assert found[0] == "toy"
    assert {"crate", "relation", "shortcut"} <= {*found}
    assert not {"born", "born-shortcut"} & {*found}


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


SCRIPT = """
import { readFileSync } from "node:fs";
import { bytesOfSeptets } from "%s";
const given = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(given.map(([text, length]) => [...bytesOfSeptets(text, length)])));
"""


def cases() -> list[bytes]:
    """All lengths around a group of seven, and rows of letters that may not stand alone, of every length and place."""
    numbers = np.random.default_rng(1)
    found = [bytes(length) for length in range(30)]
    found += [numbers.bytes(length) for length in (*range(30), 1000, 4001)]
    found += [b"\xff" * before + bytes(rare) + b"\xff" for before in range(8) for rare in range(20)]
    found += [bytes(numbers.choice(np.array([0, 1, 24, 60, 120, 240], np.uint8), 300)) for _ in range(20)]
    return found


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed, and the way back is JavaScript")
@pytest.mark.parametrize("step", [7, 7 * 2**17])
def test_the_browser_gets_what_went_in(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEP", step)
    given = cases()
    texts = [septets(one) for one in given]
    for text in texts:
        assert not set(text) & set(map(chr, RARE)), "letters that HTML or its readers change"
        assert text.encode().decode() == text
    script = SCRIPT % (Path(module.__file__).parent / "page" / "base128.js").as_uri()
    sent = json.dumps([[text, len(one)] for text, one in zip(texts, given, strict=True)])
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], input=sent.encode(), capture_output=True, check=True
    )
    assert [bytes(one) for one in json.loads(done.stdout)] == given


def test_it_is_a_seventh_longer() -> None:
    data = np.random.default_rng(2).bytes(70_000)
    assert len(septets(data).encode()) == 80_000
    assert len(septets(bytes(70_000)).encode()) == 80_000, "also of the worst"
