"""Decoding takes no more memory than was counted before, and is refused, or made smaller, where that is not there."""

import io
import warnings
from collections.abc import Callable

import cv2
import numpy as np
import pytest
from PIL import Image

from support.hostile import drawn_often
from support.picture_formats import FILES, GREY, TALL
from support.pictures import encoded, gradient, png_that_says, turned
from vizapp.errors import NotEnoughMemory, VizError
from vizapp.picture import decoding, pixels, read_or_shrink, read_picture, refusals
from vizapp.picture.chunks import n_scans
from vizapp.picture.decoding import UPRIGHT, decoding_bytes
from vizapp.picture.pixels import STRIP


def at_once(image: Image.Image, data: bytes = b"") -> np.ndarray:
    """The slow twin: the whole picture converted in one go, as it reads. The data of one that uses 12 of 16 bits go to OpenCV."""
    if data:
        values = np.atleast_3d(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED))[..., ::-1]
        return np.broadcast_to(np.round(values * (255 / 4095)).astype(np.uint8), (*values.shape[:2], 3))
    if image.mode.startswith(("I", "F")):
        values = np.asarray(image)
        low, high = float(values.min()), float(values.max())
        ranges = (1.0, 255.0, 65535.0) if image.mode == "F" else (65535.0,)
        bottom, top = next(((0.0, top) for top in ranges if low >= 0 and high <= top), (low, high))
        grey = np.round((values.astype(np.float32) - bottom) * (255 / (top - bottom or 1))).astype(np.uint8)
        return np.repeat(grey[..., None], 3, axis=2)
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        image = Image.new("RGBA", rgba.size, "white")
        image.alpha_composite(rgba)
    return np.array(image.convert("RGB"))


@pytest.mark.parametrize("name", FILES)
def test_in_strips_it_is_the_same_picture(name: str) -> None:
    """Exactly: maps of pictures under the limit must not change by how the pixels were brought here."""
    assert TALL.shape[0] * TALL.shape[1] > 2 * STRIP
    data = FILES[name]()
    assert np.array_equal(read_picture(data), at_once(Image.open(io.BytesIO(data)), data if "12 bits" in name else b""))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_strips_are_put_where_they_belong(orientation: int) -> None:
    found = read_picture(encoded(TALL, exif=turned(orientation)))
    assert np.array_equal(found, UPRIGHT[orientation](TALL) if orientation in UPRIGHT else TALL)
    assert found.flags.c_contiguous


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_arrays_in_strips_are_the_same(channels: int) -> None:
    array = np.concatenate([TALL, GREY[..., None]], 2)[..., :channels]
    mode = {1: "L", 3: "RGB", 4: "RGBA"}[channels]
    expected = at_once(Image.fromarray(array.squeeze() if channels == 1 else array, mode=None).convert(mode))
    assert np.array_equal(read_picture(array), expected)
    assert np.array_equal(read_picture(array / 255), expected)


# ---- what is not there


def free(monkeypatch: pytest.MonkeyPatch, n_bytes: int) -> None:
    monkeypatch.setattr(refusals, "free_memory", lambda: n_bytes)


def test_what_does_not_fit_is_refused_in_words_before_it_is_decoded(
    wide: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 500 * 2**20)
    monkeypatch.setattr(decoding, "_decoded", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises(NotEnoughMemory, match=r"9990 x 9990 pixels need \d+ MB, and a picture may take 262") as refused:
        read_picture(wide)
    assert refused.value.hint


def test_an_array_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 50 * 2**20)
    with pytest.raises(NotEnoughMemory, match="4000 x 4000"):
        read_picture(np.broadcast_to(np.uint8(0), (4000, 4000, 3)))


def test_small_pictures_are_read_however_little_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 0)
    assert np.array_equal(read_picture(encoded(gradient())), gradient())


@pytest.mark.parametrize("make", [lambda: encoded(TALL, "JPEG"), lambda: FILES["jpeg progressive"]()])
def test_a_jpeg_of_too_many_pixels_is_decoded_smaller_and_it_is_said(make: Callable[[], bytes]) -> None:
    """Never below a half of what fits: of 899 x 1222 pixels, a half of each side for 400,000."""
    data, (height, width) = make(), TALL.shape[:2]
    found, note = read_or_shrink(data, 400_000)
    assert found.shape == ((height + 1) // 2, (width + 1) // 2, 3)
    assert str(note).startswith(
        f"The picture was read at {found.shape[1]} x {found.shape[0]} of its {width} x {height}"
    )
    near = np.asarray(Image.fromarray(TALL).resize((found.shape[1], found.shape[0]), Image.Resampling.BOX))
    assert np.abs(found.astype(int) - near).mean() < 8
    assert read_or_shrink(data)[1] is None, "what fits is read whole"
    with pytest.raises(VizError, match="too large"):
        read_picture(data, 400_000)
    with pytest.raises(VizError, match="too large"):
        read_or_shrink(data, TALL.shape[0] * TALL.shape[1] // 9)


def test_a_jpeg_2000_is_decoded_smaller_too() -> None:
    found, note = read_or_shrink(FILES["jpeg 2000"](), 400_000)
    assert found.shape == ((TALL.shape[0] + 1) // 2, (TALL.shape[1] + 1) // 2, 3)
    assert note


def test_a_jpeg_that_does_not_fit_into_memory_is_decoded_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    large = encoded(Image.new("RGB", (4000, 3000), (10, 200, 30)), "JPEG")
    assert read_or_shrink(large)[0].shape == (3000, 4000, 3)
    free(monkeypatch, 100 * 2**20)
    found, note = read_or_shrink(large)
    assert found.shape == (1500, 2000, 3)
    assert note
    assert tuple(found[700, 900]) == pytest.approx((10, 200, 30), abs=2)


def test_other_formats_are_not_made_smaller() -> None:
    with pytest.raises(VizError, match="too large"):
        read_or_shrink(encoded(TALL), 400_000)


def test_the_orientation_of_a_smaller_jpeg_is_applied() -> None:
    found, _ = read_or_shrink(encoded(TALL, "JPEG", exif=turned(6)), 400_000)
    assert found.shape[0] < found.shape[1], "it lies on its side now"


def test_running_out_while_decoding_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def out(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(pixels, "to_rgb", out)
    with pytest.raises(NotEnoughMemory, match="not enough memory to read"):
        read_picture(encoded(gradient()))


# ---- time


def test_a_jpeg_of_a_thousand_scans_is_refused_and_not_waited_for() -> None:
    """160 kB took 38 seconds at 25 million pixels; 20 MB would take an hour."""
    with pytest.raises(VizError, match="drawn over more than 100 times"):
        read_picture(drawn_often(800, 1000))
    assert read_picture(drawn_often(800, 10)).shape == (800, 800, 3)


def test_scans_are_counted_up_to_the_end_of_the_picture() -> None:
    """A film behind the picture, as telephones put it there, has the mark of a scan by chance; so may a thumbnail in the head."""
    film = np.random.default_rng(0).integers(0, 256, 2**23, np.uint8).tobytes()
    assert film.count(b"\xff\xda") > 100
    for options in ({}, {"progressive": True}):
        data = encoded(TALL, "JPEG", comment=b"\xff\xda" * 200, **options)
        assert n_scans(io.BytesIO(data + film), 100) == n_scans(io.BytesIO(data), 100) <= 10
        assert np.array_equal(read_picture(data + film), read_picture(data))


# ---- in containers


def test_a_header_that_lies_about_its_size_takes_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(VizError, match="too large"):
            read_or_shrink(png_that_says(30_000, 30_000))
    assert decoding_bytes(Image.open(io.BytesIO(png_that_says(2000, 2000)))) < 64 * 2**20
