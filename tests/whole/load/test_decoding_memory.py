"""Decoding in a process of its own, whose memory is counted."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.cgroups import GIB, ROOT, run_in
from support.picture_formats import FILES
from vizapp.picture import MAX_PIXELS


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc for the most that was taken")
def test_no_format_takes_more_than_was_counted() -> None:
    """In a process of its own, whose high-water mark is put back before each picture of 4 million pixels."""
    program = f"""
import ctypes, gc, io, os, sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import numpy as np
from support import picture_formats as here
from PIL import Image
from vizapp.picture import read_picture
from vizapp.picture.decoding import decoding_bytes
here.TALL = np.kron(here.TALL[::26, ::29][:40, :40], np.ones((50, 50, 1), np.uint8))
here.GREY = here.TALL[..., 0]
def high(): return 1024 * next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
def now(): return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
for name, make in here.FILES.items():
    if name == "jpeg 2000":  # slow
        continue
    data = make()
    counted = decoding_bytes(Image.open(io.BytesIO(data))) + len(data)
    for _ in range(2):  # the first of a format loads its decoder
        gc.collect(); ctypes.CDLL(None).malloc_trim(0)
        open("/proc/self/clear_refs", "w").write("5")
        before = now()
        read_picture(data)
        taken = high() - before
    print(f"{{name}};{{taken}};{{counted}}")
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)
    if "clear_refs" in done.stderr:
        pytest.skip("the high-water mark of memory may not be put back here")
    assert done.returncode == 0, done.stderr
    rows = [line.split(";") for line in done.stdout.splitlines()]
    assert len(rows) == len(FILES) - 1
    for name, taken, counted in rows:
        assert int(taken) <= int(counted), name
        assert int(counted) <= 4 * int(taken), f"{name}: counted too carefully, what fits would be refused"


HOSTILE = """
from pathlib import Path
try:
    picture, note = read_or_shrink(Path({path!r}).read_bytes(), {most})
    print("read", picture.shape, int(picture.max()))
except VizError as error:
    print("refused", error)
"""


@pytest.mark.parametrize(("limit", "said"), [(2 * GIB, "read (9990, 9990, 3) 7"), (GIB, "refused The upload is")])
def test_a_hostile_picture_does_not_end_the_process(
    limit: int, said: str, wide: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """776 kB ended a server of 2 GB. Now it is read there, and refused in words where less is left."""
    path = tmp_path_factory.mktemp("hostile") / "wide.png"
    path.write_bytes(wide)
    imports = "from vizapp.picture import read_or_shrink\nfrom vizapp.errors import VizError"
    done = run_in(limit, HOSTILE.format(path=str(path), most=MAX_PIXELS), imports)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    assert done.stdout.startswith(said)
