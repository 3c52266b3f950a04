"""What libraries say of a stranger's picture is not in the log, wherever they say it: the server has its own line."""

import os
import subprocess
import sys

import pytest

from support.paths import ROOT

# Reads the same pictures twice, and says in between that it has asked for quiet. Lines are counted as they reach the system.
READING = """
import os, struct, sys, warnings
sys.path.insert(0, "tests")
from support import hostile
from vizapp.errors import VizError
from vizapp.picture import PUBLIC_PIXELS, read_or_shrink
from vizapp.ui.server.library_logs import hush

warnings.simplefilter("always")
one, nine = (struct.pack("<HHLL", 277, 3, 1, count) for count in (1, 9))
PICTURES = {
    **{f"fax {kind}": hostile.fax(3000, kind) for kind in (2, 3, 4)},
    **{f"damaged {kind}": hostile.damaged(kind) for kind in ("tiff_lzw", "jpeg")},
    "tags": hostile.of_many_values(),
    "nine samples": hostile.tiff(16, [], bytes(256)).replace(one, nine),
}
for is_quiet in (False, True):
    if is_quiet:
        hush()
    for kind, data in PICTURES.items():
        os.write(2, f"{kind}, quiet: {is_quiet}\\n".encode())
        try:
            read_or_shrink(data, PUBLIC_PIXELS)
        except VizError:
            pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there Pillow has its libraries within, out of reach")
def test_libraries_write_nothing_of_a_strangers_picture() -> None:
    """48,971 lines for a TIFF of 146 kB: libtiff writes one for each row, and not to Python's stderr."""
    paths = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", READING], cwd=ROOT, env=paths, capture_output=True, text=True, check=True
    )
    lines: dict[str, list[str]] = {}
    for line in done.stderr.splitlines():
        if ", quiet: " in line:
            lines[line] = []
        else:
            lines[list(lines)[-1]].append(line)
    assert {about: said[:3] for about, said in lines.items() if said and about.endswith("True")} == {}
    loud = {about.split(",")[0]: len(said) for about, said in lines.items() if said and about.endswith("False")}
    assert loud.keys() == {line.split(",")[0] for line in lines}, f"else some were not tried: {loud}"
    assert loud["fax 2"] > 1000
