"""Bytes as text of an HTML file: what the browser makes of the text is what went in, and the text is an eighth longer."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from vizapp.browser import base128 as module
from vizapp.browser.base128 import RARE, septets

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
