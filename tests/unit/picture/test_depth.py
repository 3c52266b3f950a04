"""Pictures of 16 bits that use 12 of them: white is what the file says, or the least power of two, and it is said."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support import deep_pictures as deep
from support.deep_pictures import coloured, see_through, shades
from support.pictures import encoded, turned
from vizapp.errors import VizError
from vizapp.picture import read_or_shrink, read_picture
from vizapp.picture.decoding import UPRIGHT
from vizapp.picture.depth import WHOLE, Said, white
from vizapp.pipeline import analyse
from vizapp.ui.viewer.payload import sentences

NOBODY_ABOVE = "No value of the picture is above 4095, so 4095 is white, not 65535."


def shown(values: np.ndarray, top: int = deep.TWELVE) -> np.ndarray:
    """(H, W, 3) uint8, the slow way: each value by itself, and half away from zero."""
    found = np.array([min(255, int(value * 255 / top + 0.5)) for value in values.ravel().tolist()], np.uint8)
    found = found.reshape(values.shape)
    return np.repeat(found[..., None], 3, 2) if values.ndim == 2 else found


GREY = {
    "png": lambda: deep.png(shades()),
    "png of differences": lambda: deep.filtered(shades()),
    "tiff, II": lambda: deep.tiff(shades()),
    "tiff, MM": lambda: deep.tiff(shades(), ">"),
    "tiff, lzw": lambda: deep.saved(shades(), compression="tiff_lzw"),
    "tiff with a sign": lambda: deep.saved(shades().astype(np.int32)),
    "tiff of floats": lambda: deep.saved(shades().astype(np.float32)),
    "jpeg 2000": lambda: encoded(Image.fromarray(shades()), "JPEG2000"),
    "array": shades,
    "array with a channel": lambda: shades()[..., None],
    "array in the other order": lambda: shades().astype(">u2"),
    "pil": lambda: Image.fromarray(shades()),
    "pil, not read yet": lambda: Image.open(io.BytesIO(deep.png(shades()))),
}
COLOURS = {
    "png": lambda: deep.png(coloured()),
    "png of differences": lambda: deep.filtered(coloured()),
    "tiff, II": lambda: deep.tiff(coloured()),
    "tiff, MM": lambda: deep.tiff(coloured(), ">"),
    "tiff, planes": lambda: deep.planes(coloured()),
    "tiff, lzw": lambda: deep.cv2.imencode(".tif", coloured()[..., ::-1])[1].tobytes(),
    "array": coloured,
    "pil, not read yet": lambda: Image.open(io.BytesIO(deep.filtered(coloured()))),
}


@pytest.mark.parametrize("name", GREY)
def test_grey_of_12_bits_in_16_is_shown_from_black_to_white(name: str) -> None:
    found, note = read_or_shrink(GREY[name]())
    assert np.array_equal(found, shown(shades()))
    assert note == NOBODY_ABOVE


@pytest.mark.parametrize("name", COLOURS)
def test_colours_of_12_bits_in_16_are_exact(name: str) -> None:
    """Pillow keeps the upper byte only, of which four bits are left."""
    found, note = read_or_shrink(COLOURS[name]())
    assert np.array_equal(found, shown(coloured()))
    assert note == NOBODY_ABOVE


@pytest.mark.parametrize("opaque", [deep.TWELVE, WHOLE])
@pytest.mark.parametrize("make", [deep.png, deep.filtered, lambda values: values])
def test_colours_that_are_seen_through_lie_on_white(make, opaque: int) -> None:
    """An alpha of 12 bits is stretched, too; one of 16 is not."""
    values = see_through(opaque=opaque)
    colours, alpha = shown(values[..., :3]), shown(values[..., 3], opaque)[..., :1]
    found = read_picture(make(values))
    assert np.abs(found - (colours * (alpha / 255) + 255 - alpha)).max() <= 1


def test_a_file_opened_by_pil_by_its_name_is_exact(tmp_path: Path) -> None:
    for name, data in {"one.png": deep.png(coloured()), "one.tif": deep.tiff(coloured())}.items():
        (tmp_path / name).write_bytes(data)
        with Image.open(tmp_path / name) as image:
            assert np.array_equal(read_picture(image), shown(coloured()))
        assert np.array_equal(read_picture(tmp_path / name), shown(coloured()))


@pytest.mark.parametrize("name", deep.pngs())
def test_a_png_is_read_as_its_bits_say(name: str) -> None:
    data, said = deep.pngs()[name]
    assert str(read_or_shrink(data)[1] or "").startswith(said)


def test_what_a_file_says_counts_before_its_largest_value() -> None:
    dark = shades(width=60, top=1000)
    for data in (deep.png(dark, bytes([12])), deep.tiff(dark, largest=4095), deep.packed_tiff(dark)):
        found, note = read_or_shrink(data)
        assert np.array_equal(found, shown(dark))
        assert note == "The file of the picture says that 4095 is white, not 65535."
    for data in (deep.tiff(dark, largest=65535), deep.tiff(dark, largest=900)):  # as good as nothing, and a lie
        assert np.array_equal(read_picture(data), shown(dark, 1023))


def test_pictures_that_use_their_bits_stay_as_they_were() -> None:
    """Also where PNG's sBIT says 12 of values that are scaled to 16 bits, as they should be."""
    for top in (32768, WHOLE):
        found, note = read_or_shrink(deep.png(shades(top=top)))
        assert np.array_equal(found, shown(shades(top=top), WHOLE))
        assert note is None
        found, note = read_or_shrink(deep.png(coloured(top)))
        assert np.array_equal(found, coloured(top) >> 8), "Pillow's upper bytes"
        assert note is None
        assert np.array_equal(read_picture(deep.planes(coloured(top))), coloured(top) >> 8), (
            "not each byte for a number"
        )
    assert np.array_equal(read_picture(deep.png(shades(top=20000), bytes([12]))), shown(shades(top=20000), WHOLE))
    assert white(40000, Said(4095)) == (WHOLE, None)


def test_least_power_of_two() -> None:
    tops = {1: 1, 2: 3, 255: 255, 256: 511, 4095: 4095, 4096: 8191, 32767: 32767}
    assert {largest: white(largest)[0] for largest in tops} == tops
    assert white(0) == (WHOLE, None)
    assert white(32768) == (WHOLE, None)


def test_it_is_turned_upright_and_its_second_reading_too() -> None:
    data = deep.png(coloured())
    data = data[:33] + deep.chunk(b"eXIf", turned(6).tobytes()[6:]) + data[33:]
    assert np.array_equal(read_picture(data), UPRIGHT[6](shown(coloured())))


def test_an_array_is_the_picture_of_its_file() -> None:
    """Also of the whole range, where grey is rounded and of colours the upper bytes are taken."""
    for values in (coloured(WHOLE), see_through(WHOLE), shades(top=WHOLE), coloured(), see_through()):
        assert np.array_equal(read_picture(values), read_picture(deep.png(values)))


@pytest.mark.parametrize("floats", [False, True])
def test_a_negative_is_shown_as_its_positive(floats: bool) -> None:
    """WhiteIsZero, of 16 bits and of floats, which Pillow leaves as they are; and one of 12 bits with what was taken as black."""
    values = shades(top=WHOLE).astype(np.float32) / WHOLE if floats else shades(top=WHOLE)
    data = deep.saved(values)
    positive, note = read_or_shrink(data)
    assert note is None
    found, note = read_or_shrink(deep.negative(data))
    assert np.array_equal(found, 255 - positive)
    assert note is None
    found, note = read_or_shrink(deep.negative(deep.saved(shades())))
    assert np.array_equal(found, 255 - shown(shades()))
    assert note == "Low values of the picture are white: 0 is shown as white, 4095 as black."


def test_values_that_are_stretched_are_said() -> None:
    signed = shades(top=WHOLE).astype(np.int32) - 30000
    found, note = read_or_shrink(deep.saved(signed))
    assert (found.min(), found.max()) == (0, 255)
    assert note == "The values of the picture, -30000 to 35535, are stretched from black to white."


def test_what_cannot_be_had_exactly_is_said() -> None:
    """16 bits of a kind whose lower bytes Pillow does not give: the picture is as dark as it was, and a note says why."""
    ppm = b"P6 61 45 65535\n" + coloured().astype(">u2").tobytes()
    film = [Image.fromarray(coloured().astype(np.uint8))] * 2
    assert str(read_or_shrink(ppm)[1]).startswith("Of the picture's 16 bits only the upper 8 can be read here")
    assert read_or_shrink(b"P6 61 45 65535\n" + coloured(WHOLE).astype(">u2").tobytes())[1] is None
    assert read_or_shrink(b"P6 61 45 4095\n" + coloured().astype(">u2").tobytes())[1] is None, "it says what is white"
    assert read_or_shrink(encoded(film[0], save_all=True, append_images=film[1:]), page=2)[1] is None
    for top, is_said in ((4095, True), (WHOLE, False)):
        _, jp2 = deep.cv2.imencode(".jp2", coloured(top), [deep.cv2.IMWRITE_JPEG2000_COMPRESSION_X1000, 1000])
        assert (read_or_shrink(jp2.tobytes())[1] is not None) == is_said, "16 bits of JPEG 2000"
    assert read_or_shrink(encoded(Image.fromarray(coloured().astype(np.uint8)), "JPEG2000"))[1] is None, "8 bits of it"
    with pytest.raises(VizError, match="planes of 16 bits, which are not read here"):
        read_picture(deep.planes(see_through()))


def test_the_note_stands_where_the_others_do(toy) -> None:
    """Also for a network of scenes, whose own note gives way to a caution at the labels."""
    for what in (shades(), deep.png(coloured())):
        assert NOBODY_ABOVE in sentences(analyse(toy, what), caution="of scenes")["notes"]
