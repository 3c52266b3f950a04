"""The page without a server in Firefox and in WebKit, the engine of Safari, from the disk: the same numbers as Python's."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.english import EXPORT
from support.one_file import ROWS, rows_by
from support.paths import ROOT
from support.viz import HANDLE
from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file
from vizapp.picture import read_picture
from vizapp.ui.examples import photos

DRIVER, SCREEN = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
BROWSER = next(iter(sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))), None)
LACKING = {
    "WebKitWebDriver (apt install webkit2gtk-driver)": DRIVER,
    "MiniBrowser of WebKitGTK (apt install webkit2gtk-driver)": BROWSER,
    "Xvfb (apt install xvfb)": SCREEN,
    "selenium (pip install selenium)": find_spec("selenium"),
}


def why_not() -> str:
    """What is missing on this machine; "": nothing."""
    return ", ".join(f"no {name}" for name, found in LACKING.items() if not found)


@contextmanager
def window() -> Iterator[Any]:
    """A `selenium.webdriver.WebKitGTK`, which ends with what is inside."""
    from selenium import webdriver

    options = webdriver.WebKitGTKOptions()
    options.binary_location = str(BROWSER)
    options.add_argument("--automation")
    with screen() as display:
        service = webdriver.WebKitGTKService(str(DRIVER), env=os.environ | {"DISPLAY": display, "GDK_BACKEND": "x11"})
        driver = webdriver.WebKitGTK(options=options, service=service)
        try:
            driver.set_script_timeout(60)
            yield driver
        finally:
            driver.quit()


@contextmanager
def screen() -> Iterator[str]:
    """A screen of its own: ":7"."""
    told, tell = os.pipe()
    size = ["-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
    running = subprocess.Popen(
        [str(SCREEN), "-displayfd", str(tell), *size], pass_fds=[tell], stderr=subprocess.DEVNULL
    )
    try:
        os.close(tell)
        with os.fdopen(told) as line:
            yield f":{line.readline().strip()}"
    finally:
        running.terminate()
        running.wait()


FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


@pytest.mark.skipif(not FIREFOX, reason="no Firefox here: install firefox-esr")
@pytest.mark.skipif(not (ROOT / "node_modules" / "puppeteer-core").exists(), reason="no puppeteer-core here: npm ci")
def test_firefox_computes_what_python_computes(tmp_path: Path, own: np.ndarray) -> None:
    page = tmp_path / "page.html"
    one_file(content(Wanted(("toy",), photos()[:1], languages=("en",))), page)
    asked = [str(FIREFOX), page.as_uri(), ROWS, str(tmp_path / "own.png")]
    command = ["node", str(Path(__file__).with_name("firefox.mjs")), *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["errors"] == []
    np.testing.assert_allclose(np.array(told["found"]), rows_by(vizapp.analyse("toy", own)), atol=2e-3)


THERE = """const { viewer } = document.querySelector(".viz") ?? {};
const { payload, root } = viewer ?? {};
if (!payload?.complete || payload.wasSeen || !viewer.paints || root.dataset.waiting !== "false") return false;
return location.hash.includes(arguments[0]) && (payload.wasSeen = true);"""
CENTRE = """
const area = stage.canvas.getBoundingClientRect(), input = stage.inputBox(), ratio = area.width / stage.canvas.width;
const [x, y] = [input.x + 4.5 * input.w / stage.grid[1], input.y + 3.5 * input.h / stage.grid[0]];
return [area.left + ratio * x, area.top + ratio * y];
"""


@pytest.mark.skipif(bool(why_not()), reason=f"{why_not()} here")
def test_webkit_shows_what_python_computes(tmp_path: Path) -> None:
    """WebKit cannot read a Blob in a Worker of a page from a disk, so every picture was called damaged."""
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    page = tmp_path / "page.html"
    one_file(content(Wanted(("toy",), photos()[:1], languages=("en",))), page)
    noise = np.random.default_rng(1).integers(0, 256, (19, 25, 3), dtype=np.uint8)
    own = Image.fromarray(noise).resize((200, 152), Image.Resampling.BICUBIC)
    for name in ("own.png", "own.jpg", "own.webp"):
        own.save(tmp_path / name, quality=95)
    (tmp_path / "cut.webp").write_bytes((tmp_path / "own.webp").read_bytes()[:900])
    with window() as driver:

        def wait(script: str, *given: Any) -> None:
            try:
                WebDriverWait(driver, 40, 0.2).until(lambda _: driver.execute_script(script, *given))
            except TimeoutException:
                raise AssertionError(f"the page says {driver.find_element(By.ID, 'said').text!r}") from None

        driver.get(page.as_uri())
        wait(THERE, "picture=")
        x, y = driver.execute_script(HANDLE + CENTRE)
        mouse = ActionChains(driver)
        mouse.w3c_actions.pointer_action.move_to_location(round(x), round(y))
        mouse.perform()
        wait(HANDLE + "return view.query === 1 + 3 * stage.grid[1] + 4")
        for name in ("own.png", "own.jpg", "own.webp"):
            driver.find_element(By.CSS_SELECTOR, "#choose input[type=file]").send_keys(str(tmp_path / name))
            wait(THERE, "picture=upload")
            wait("return location.hash.includes(arguments[0])", "upload/")
            found = np.array(driver.execute_script(f"return {ROWS}"))
            want = rows_by(vizapp.analyse("toy", read_picture(tmp_path / name)))
            np.testing.assert_allclose(found, want, atol=2e-3, err_msg=name)
        driver.find_element(By.CSS_SELECTOR, "#choose input[type=file]").send_keys(str(tmp_path / "cut.webp"))
        wait("return document.querySelector('#said').textContent === arguments[0]", EXPORT["pictureDamaged"])
