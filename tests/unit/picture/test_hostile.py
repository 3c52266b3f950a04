"""A small file that would cost much is refused before it does; pictures as cameras and programs write them are read."""

import tracemalloc
import zlib

import pytest
from PIL import Image

from support import hostile
from support.hostile import PHOTO, SHAPES, chunk
from support.pictures import encoded, turned
from vizapp.errors import VizError
from vizapp.picture import PUBLIC_PIXELS, read_or_shrink, read_picture

# Nobody needs it to read the pixels.
IGNORED = {name for name in SHAPES if name.startswith("png: EXIF") or "preview" in name}


@pytest.mark.parametrize("name", SHAPES)
def test_what_costs_much_is_refused_before_it_does(name: str) -> None:
    """Each took 0.3 s to minutes, or up to 1.4 GB; refusing one takes a tenth of a second, or a few hundred thousand calls."""
    make, amount, _ = SHAPES[name]
    data = make(amount)
    with hostile.calls() as made:
        if name in IGNORED:
            assert read_or_shrink(data, PUBLIC_PIXELS)[0].shape == (16, 16, 3)
        else:
            with pytest.raises(VizError, match=r"takes too long|drawn over more than") as refused:
                read_or_shrink(data, PUBLIC_PIXELS)
            assert refused.value.hint
    assert made.n < hostile.MANY_CALLS, "it was walked over"


@pytest.mark.parametrize("name", [name for name in SHAPES if "over the same bytes" in name])
def test_tags_over_the_same_bytes_take_no_memory(name: str) -> None:
    """100 MB of copies of a megabyte; without a bound where there are more of them."""
    make, amount, _ = SHAPES[name]
    data = make(amount)
    tracemalloc.start()
    try:
        read_or_shrink(data, PUBLIC_PIXELS)
    except VizError:
        pass
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 5 * len(data) + 2**20


@pytest.mark.filterwarnings("ignore")  # of tags that Pillow finds odd
@pytest.mark.parametrize("name", SHAPES)
def test_many_are_not_too_many(name: str) -> None:
    """The same shapes, with as many parts as the oddest of honest pictures has, or more."""
    make, _, amount = SHAPES[name]
    assert min(read_or_shrink(make(amount), PUBLIC_PIXELS)[0].shape) == 3


def test_exif_of_an_avif_is_passed_over() -> None:
    """Pillow reads it when it opens the file, with a copy for each tag; how it is turned is said in another place."""
    assert read_picture(encoded(Image.fromarray(PHOTO), "AVIF", exif=turned(6), speed=10)).shape == (400, 300, 3)
    data = encoded(Image.fromarray(PHOTO), "AVIF", exif=b"Exif\0\0" + hostile.exif(100, 2**20), speed=10)
    tracemalloc.start()
    assert read_picture(data).shape == PHOTO.shape
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 * 2**20


# ---- honest pictures


def test_a_text_that_holds_exif_turns_a_png() -> None:
    """As ImageMagick writes it."""
    raw = turned(6).tobytes().hex()
    text = b"Raw profile type exif\0\0" + zlib.compress(f"\nexif\n{len(raw) // 2:8}\n{raw}\n".encode())
    assert read_picture(hostile.png(chunk(b"zTXt", text))).shape == (16, 16, 3)
    data = encoded(Image.fromarray(PHOTO), "PNG")
    assert read_picture(data[:33] + chunk(b"zTXt", text) + data[33:]).shape == (400, 300, 3)
