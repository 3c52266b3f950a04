"""The door for pictures: whatever a person can upload becomes an upright RGB array or a VizError, never a traceback."""

import io
import os
import struct
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from PIL import Image, ImageFile

from support.pictures import encoded, gradient, png_that_says, turned
from support.together import together
from vizapp.errors import VizError
from vizapp.picture import MAX_PIXELS, read_picture


@cache
def bomb() -> bytes:
    return encoded(Image.new("1", (12000, 12000), 1))


NOISE = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)

BAD = {
    "text": (lambda: b"Dear Sir or Madam, " * 9, "not a picture"),
    "one letter": (lambda: b"x", "not a picture"),
    "no bytes": (lambda: b"", "empty"),
    "truncated jpeg": (lambda: encoded(NOISE, "JPEG")[:1500], "damaged"),
    "truncated png": (lambda: encoded(NOISE)[:3000], "damaged"),
    "truncated webp": (lambda: encoded(NOISE, "WEBP", lossless=True)[:3000], "damaged"),
    "png without pixels": (lambda: encoded(NOISE)[:33], "damaged"),
    "jpeg mark only": (lambda: b"\xff\xd8\xff\xe0" + b"\0" * 60, "damaged"),
    "svg": (lambda: b'<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>', "Export it as PNG"),
    "pdf": (lambda: b"%PDF-1.7 and so on, and so on", "Export it as PNG"),
    "heic": (lambda: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "Export it as JPEG"),
    "postscript": (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 90 90\n", "not a picture"),
    "one pixel": (lambda: encoded(np.zeros((1, 1, 3), np.uint8)), "too small: 1 x 1"),
    "seven rows": (lambda: encoded(np.zeros((7, 90, 3), np.uint8)), "too small: 90 x 7"),
    "1:200": (lambda: encoded(np.zeros((2000, 10, 3), np.uint8)), "too long and thin: 10 x 2000"),
    "20000 x 20000 in the header": (lambda: png_that_says(20000, 20000), "too large: 20000 x 20000"),
    "sides that overflow": (lambda: png_that_says(2**31 - 1, 2**31 - 1), "too large"),
    "bomb of 12000 x 12000": (bomb, "too large: 12000 x 12000"),
    "gif bomb": (lambda: b"GIF89a" + struct.pack("<HHBBB", 60000, 60000, 0, 0, 0) + b",", "too large|damaged"),
}


@together("name", BAD)
def test_what_is_no_good_picture_is_refused_with_words(name, tmp_path):
    make, words = BAD[name]
    data = make()
    with pytest.raises(VizError, match=words) as from_bytes:
        read_picture(data)
    assert from_bytes.value.hint, "the person must read what to do"
    (tmp_path / "holiday.jpg").write_bytes(data)
    with pytest.raises(VizError, match=words) as from_file:
        read_picture(tmp_path / "holiday.jpg")
    assert "holiday.jpg" in from_file.value.message
    assert str(tmp_path) not in str(from_file.value), "an upload's temporary folder is nobody's business"


def test_folder_is_refused(tmp_path):
    with pytest.raises(VizError, match="is a folder"):
        read_picture(tmp_path)


@pytest.mark.parametrize("path", ["nowhere/cat.jpg", "https://example.org/cat.jpg", "", "nul\0byte.png"])
def test_missing_file_is_refused(path):
    with pytest.raises(VizError, match="There is no file"):
        read_picture(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe_is_refused_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(VizError, match="There is no file"):
        read_picture(tmp_path / "pipe.png")


@pytest.mark.parametrize("source", [None, 7, ["cat.jpg"]])
def test_other_types_are_refused_by_name(source):
    with pytest.raises(VizError, match=type(source).__name__):
        read_picture(source)


@pytest.mark.parametrize("make", [lambda: png_that_says(20000, 20000), bomb], ids=["header", "bomb"])
def test_too_many_pixels_are_never_decoded_and_pil_says_nothing(make, monkeypatch):
    """The refusal reads the header only, and PIL's own bomb warning or error is not even raised inside."""
    data, loads = make(), []
    monkeypatch.setattr(ImageFile.ImageFile, "load", lambda self: loads.append(self))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(VizError, match="too large") as refused:
            read_picture(data)
    assert not loads
    assert not said
    assert refused.value.__cause__ is None
    assert f"{MAX_PIXELS // 10**6} million" in refused.value.hint


def test_pils_own_limit_neither_matters_nor_changes(monkeypatch):
    """The limit of this door is its own; PIL's is a global that other code may need as it is."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    before = Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters)
    assert np.array_equal(read_picture(encoded(gradient())), gradient())
    with pytest.raises(VizError, match="damaged"):
        read_picture(encoded(NOISE)[:3000])
    assert before == (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters))


def test_many_threads_read_good_and_bad_pictures_at_once():
    good, bad = encoded(gradient()), encoded(NOISE)[:3000]

    def read(nth: int) -> bool:
        if nth % 2:
            return np.array_equal(read_picture(good), gradient())
        with pytest.raises(VizError, match="damaged"):
            read_picture(bad)
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(read, range(64)))


Image.init()  # so that it knows all formats
AVIF = pytest.param("AVIF", marks=pytest.mark.skipif("AVIF" not in Image.SAVE, reason="Pillow before 11.3 writes none"))


@pytest.mark.filterwarnings("ignore::UserWarning")  # PIL grumbles about what it skips
@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "PPM", "JPEG2000", AVIF])
def test_no_damage_leads_to_a_traceback(file_format):
    """200 seeded mutilations of each format: an array or a VizError, nothing else."""
    rng = np.random.default_rng(1)
    whole = np.frombuffer(encoded(gradient(), file_format), np.uint8)
    for _ in range(200):
        hurt = whole.copy()
        places = rng.integers(4, min(len(hurt), rng.choice([60, len(hurt)])), size=rng.integers(1, 6))
        hurt[places] = rng.integers(0, 256, len(places))
        try:
            picture = read_picture(hurt[: rng.integers(len(hurt) // 2, len(hurt) + 1)].tobytes())
        except VizError:
            continue
        assert picture.dtype == np.uint8
        assert picture.ndim == 3


def stored(upright: np.ndarray, orientation: int) -> np.ndarray:
    """How a camera stores `upright`. EXIF says on which visual side the stored row 0 and the stored column 0 lie."""
    row_0, col_0 = {
        1: ("top", "left"),
        2: ("top", "right"),
        3: ("bottom", "right"),
        4: ("bottom", "left"),
        5: ("left", "top"),
        6: ("right", "top"),
        7: ("right", "bottom"),
        8: ("left", "bottom"),
    }[orientation]
    if row_0 in ("left", "right"):  # stored rows are visual columns
        upright = upright.swapaxes(0, 1)
    rows = slice(None, None, -1) if row_0 in ("bottom", "right") else slice(None)
    cols = slice(None, None, -1) if col_0 in ("bottom", "right") else slice(None)
    return np.ascontiguousarray(upright[rows, cols])


@together("file_format", ["PNG", "TIFF", "WEBP", "JPEG"])
@together("orientation", range(1, 9))
def test_exif_orientation_is_applied(orientation, file_format):
    options = {"JPEG": {"quality": 100, "subsampling": 0}, "WEBP": {"lossless": True}}.get(file_format, {})
    data = encoded(stored(gradient(), orientation), file_format, exif=turned(orientation), **options)
    picture = read_picture(data)
    assert picture.shape == gradient().shape
    assert np.abs(picture.astype(int) - gradient()).max() <= (6 if file_format == "JPEG" else 0)
    assert picture.flags.c_contiguous
    assert np.array_equal(read_picture(Image.open(io.BytesIO(data))), picture), "the same as a PIL picture"


@pytest.mark.filterwarnings("ignore:.*EXIF:UserWarning")  # PIL says so, and goes on
@together(
    "exif",
    [
        b"garbage",
        b"Exif\0\0",
        b"Exif\0\0II*\0\x08\0\0\0",
        b"Exif\0\0MM\0*\xff\xff\xff\xff",
        b"Exif\0\0II*\0\x08\0\0\0\xff\xff" + b"\xab" * 40,
        b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x02\0\x04\0\0\0abc\0\0\0\0\0",  # an orientation that is a word
        b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x63\0\0\0\0\0\0\0",  # the orientation 99
    ],
)
def test_exif_garbage_is_passed_over(exif):
    assert np.array_equal(read_picture(encoded(gradient(), exif=exif)), gradient())
    assert read_picture(encoded(gradient(), "JPEG", exif=exif)).shape == gradient().shape


def test_grey_becomes_three_equal_channels():
    grey = gradient()[..., 0]
    for data in (encoded(grey), encoded(grey, "TIFF"), encoded(grey, "PPM")):
        assert np.array_equal(read_picture(data), np.repeat(grey[..., None], 3, axis=2))


@pytest.mark.parametrize("file_format", ["PNG", "GIF"])
def test_transparent_palette_lies_on_white(file_format):
    palette = Image.new("P", (16, 16), 0)
    palette.putpalette([9, 9, 9, 200, 100, 50])
    palette.paste(1, (8, 0, 16, 16))
    picture = read_picture(encoded(palette, file_format, transparency=0))
    assert np.array_equal(picture[:, :8], np.full((16, 8, 3), 255))
    assert np.array_equal(picture[:, 8:], np.full((16, 8, 3), (200, 100, 50)))


@pytest.mark.parametrize("alpha", [0, 128, 255])
def test_alpha_lies_on_white(alpha):
    """What a browser shows on a white page, not the colour that hides in the invisible pixels."""
    red = Image.new("RGBA", (16, 16), (255, 0, 0, alpha))
    grey = Image.new("LA", (16, 16), (100, alpha))
    assert read_picture(encoded(red))[3, 4] == pytest.approx((255, 255 - alpha, 255 - alpha), abs=1)
    assert read_picture(encoded(grey))[3, 4] == pytest.approx(255 - (155 * alpha) / 255, abs=1)


def test_cmyk():
    inks = Image.new("CMYK", (16, 16), (255, 0, 0, 0))
    assert tuple(read_picture(encoded(inks, "TIFF"))[3, 4]) == (0, 255, 255)
    assert read_picture(encoded(inks, "JPEG"))[3, 4] == pytest.approx((0, 255, 255), abs=3)


@pytest.mark.parametrize("file_format", ["PNG", "TIFF"])
def test_16_bit_grey_keeps_its_range(file_format):
    """Cutting off the low byte, or clipping at 255, both look plausible and are wrong."""
    grey = gradient()[..., 0]
    data = encoded(grey.astype(np.uint16) * 257, file_format)
    assert Image.open(io.BytesIO(data)).mode.startswith("I")
    assert np.array_equal(read_picture(data)[..., 0], grey)


def test_wide_grey_modes_of_pil():
    grey = gradient()[..., 0]
    # Mode I, 16 bits used; mode F, 0 to 1; mode F, 0 to 255.
    for wide in (grey.astype(np.int32) * 257, grey.astype(np.float32) / 255, grey.astype(np.float32)):
        assert np.array_equal(read_picture(Image.fromarray(wide))[..., 0], grey)


def test_values_of_no_usual_range_are_stretched():
    hounsfield = np.linspace(-1024, 3071, 40 * 24).reshape(24, 40).astype(np.int32)
    picture = read_picture(Image.fromarray(hounsfield))
    assert (picture.min(), picture.max()) == (0, 255)
    assert (read_picture(Image.fromarray(np.full((16, 16), -5, np.int32))) == 0).all()


def test_float_tiff_with_nan_is_refused():
    values = np.ones((16, 16), np.float32)
    values[3, 4] = np.nan
    with pytest.raises(VizError, match="NaN"):
        read_picture(encoded(values, "TIFF"))


@pytest.mark.parametrize("shape", [(8, 8), (10, 500), (500, 10), (10, 1000)])
def test_thin_pictures_up_to_1_to_100_are_accepted(shape):
    assert read_picture(encoded(np.zeros((*shape, 3), np.uint8))).shape == (*shape, 3)


def test_path_str_bytes_and_pil_are_the_same_road(tmp_path):
    path = tmp_path / "wrong-suffix.gif"
    path.write_bytes(encoded(gradient()))
    for source in (path, str(path), path.read_bytes(), Image.fromarray(gradient())):
        assert np.array_equal(read_picture(source), gradient())


def test_picture_of_pil_stays_as_it_was():
    image = Image.open(io.BytesIO(encoded(Image.new("RGBA", (16, 16), (255, 0, 0, 9)))))
    read_picture(image)
    assert (image.mode, image.size, image.getpixel((3, 4))) == ("RGBA", (16, 16), (255, 0, 0, 9))


def test_closed_picture_of_pil_is_refused():
    image = Image.open(io.BytesIO(encoded(gradient())))
    image.close()
    with pytest.raises(VizError, match="cannot be read"):
        read_picture(image)


def test_arrays():
    rgb = gradient()
    opaque = np.full((*rgb.shape[:2], 1), 255, np.uint8)
    for array in (
        rgb,
        rgb / 255,
        (rgb / 255).astype(np.float32),
        rgb[:, ::-1][:, ::-1],
        np.concatenate([rgb, opaque], 2),
    ):
        assert np.array_equal(read_picture(array), rgb)
    for grey in (rgb[..., 0], rgb[..., :1], rgb[..., 0] / 255):
        assert np.array_equal(read_picture(grey), np.repeat(rgb[..., :1], 3, axis=2))


def test_array_is_copied():
    source = gradient()
    picture = read_picture(source)
    source[:] = 0
    assert np.array_equal(picture, gradient())


@together(
    ("array", "words"),
    [
        (np.zeros((3, 24, 40), np.uint8), r"\(3, 24, 40\), uint8"),
        (np.zeros((1, 24, 40, 3), np.uint8), r"\(1, 24, 40, 3\)"),
        (np.zeros(9, np.uint8), r"\(9,\)"),
        (np.zeros((24, 40, 3), np.int64), "int64"),
        (np.zeros((24, 40, 3), bool), "bool"),
        (np.full((24, 40, 3), 255.0), "from 255.0 to 255.0"),
        (np.full((24, 40, 3), -0.1), "from -0.1"),
        (np.full((24, 40, 3), np.nan), "nan"),
        (np.zeros((24, 40, 3), complex), "complex128"),
        (np.zeros((0, 40, 3), np.uint8), "too small: 40 x 0"),
        (np.zeros((4, 4, 3), np.uint8), "too small: 4 x 4"),
        (np.zeros((10, 1001, 3), np.uint8), "too long"),
        (np.broadcast_to(np.uint8(0), (20000, 20000, 3)), "too large"),
    ],
)
def test_other_arrays_are_refused_with_what_was_found(array, words):
    with pytest.raises(VizError, match=words):
        read_picture(array)
