"""A window of WebKitGTK, the engine of Safari, on a screen that nobody sees. Playwright drives only a WebKit of its own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

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
