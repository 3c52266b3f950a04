"""What Python says of a picture that strangers send is not on the terminal. C: tests/page/server/test_malformed_events.py."""

from support.starting import in_python

START = """
import sys, warnings
sys.path.insert(0, "tests")
from support import hostile
from vizapp.picture import read_picture
from vizapp.ui.server.library_logs import hush
warnings.simplefilter("always")
"""


def lines(program: str) -> int:
    """How many lines it writes to stderr, as they reach the system."""
    return len(in_python(START + program).stderr.splitlines())


def test_a_server_lets_pillow_say_nothing() -> None:
    """Of EXIF that is cut off, Pillow warns."""
    read = "read_picture(hostile.jpeg(hostile.split_exif(hostile.exif(3, 90)[:-20])))"
    assert lines(read) > 0
    assert lines(f"hush(); {read}") == 0
