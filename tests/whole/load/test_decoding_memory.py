"""Decoding in a process of its own, which gets so much memory and no more."""

import sys

import pytest

from support.cgroups import GIB, ROOT, run_in
from support.picture_formats import FILES
from support.starting import in_python
from vizapp.picture import MAX_PIXELS

# One process for each format: what another one's decoder keeps is no room for this one's. `malloc` gives back all it can, and
# has one heap, so that what is left in it is little. The check of vizapp itself is off: the system says no.
FORMATS = """
import ctypes, gc, io, os, resource, sys
sys.path.insert(0, {tests!r})
import numpy as np
from PIL import Image
from support import picture_formats as here
from vizapp.errors import VizError
from vizapp.picture import decoding, read_picture
here.TALL = np.kron(here.TALL[::26, ::29][:40, :40], np.ones((50, 50, 1), np.uint8))
here.GREY = here.TALL[..., 0]
decoding.too_little_left = lambda needed: None

def taken():
    gc.collect(); ctypes.CDLL(None).malloc_trim(0)
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

def is_read(data, room):
    resource.setrlimit(resource.RLIMIT_AS, (taken() + room, resource.RLIM_INFINITY))
    try:
        read_picture(data)
        return True
    except VizError:
        return False
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)

for name, make in here.FILES.items():
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0, name
        continue
    data = make()
    counted = decoding.decoding_bytes(Image.open(io.BytesIO(data))) + len(data)
    read_picture(data)  # loads the decoder
    print(name, is_read(data, counted // 4), is_read(data, counted), sep=";", flush=True)
    os._exit(0)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ulimit -v is kept by Linux")
def test_every_format_is_read_in_the_memory_that_was_counted() -> None:
    """And not in a quarter of it: what is counted too carefully is refused where it fits. Pictures of 4 million pixels."""
    malloc = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536", "OMP_NUM_THREADS": "1"}
    program = FORMATS.format(tests=str(ROOT / "tests"))
    said = in_python(program, **malloc).stdout
    found = dict(line.split(";", 1) for line in said.splitlines())
    assert found == dict.fromkeys(FILES, "False;True")


HOSTILE = """
from pathlib import Path
try:
    picture, note = read_or_shrink(Path({path!r}).read_bytes(), {most})
    print("read", picture.shape, int(picture.max()))
except VizError as error:
    print("refused", error)
"""


@pytest.mark.parametrize(("limit", "said"), [(2 * GIB, "read (9990, 9990, 3) 224"), (GIB, "refused The upload is")])
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
