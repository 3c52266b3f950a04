"""The page without a server in Firefox, from the disk: the same numbers, also of a picture of the visitor's own."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.one_file import ROWS
from support.paths import ROOT
from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file
from vizapp.ui.examples import photos

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


@pytest.mark.skipif(not FIREFOX, reason="no Firefox here: install firefox-esr")
@pytest.mark.skipif(not (ROOT / "node_modules" / "puppeteer-core").exists(), reason="no puppeteer-core here: npm ci")
def test_firefox_computes_what_python_computes(tmp_path: Path) -> None:
    own = np.random.default_rng(1).integers(0, 256, (150, 200, 3), dtype=np.uint8)
    Image.fromarray(own).save(tmp_path / "own.png")
    page = tmp_path / "page.html"
    one_file(content(Wanted(("toy",), photos()[:1], languages=("en",))), page)
    asked = [str(FIREFOX), page.as_uri(), ROWS, str(tmp_path / "own.png")]
    command = ["node", str(Path(__file__).with_name("firefox.mjs")), *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["errors"] == []
    trace = vizapp.analyse("toy", own).trace
    want = np.stack([layer.attend(trace.query("cls")).numpy() for layer in trace.layers])
    np.testing.assert_allclose(np.array(told["found"]), want, atol=2e-3)
