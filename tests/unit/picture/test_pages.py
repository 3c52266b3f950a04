"""Files of several pages: which one is read is said, any can be asked for, and millions of them cost nothing."""

import io
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support import deep_pictures, hostile
from support.hostile import chunk
from support.pictures import encoded, gradient
from vizapp.browser.shelf import photo
from vizapp.cli import main
from vizapp.errors import VizError
from vizapp.picture import MAX_PIXELS, PUBLIC_PIXELS, pages, read, read_picture
from vizapp.pipeline import analyse, check
from vizapp.vocabulary import MOST_PAGES

COLOURS = ("red", "lime", "blue", "white", "black", "yellow")
RGB = {"red": (255, 0, 0), "lime": (0, 255, 0), "blue": (0, 0, 255), "white": (255,) * 3, "black": (0,) * 3}
RGB |= {"yellow": (255, 255, 0)}
KINDS = {
    "TIFF": {},
    "TIFF lzw": {"compression": "tiff_lzw"},
    "TIFF big": {"big_tiff": True},
    "GIF": {"duration": 50},
    "PNG": {"duration": 50},
    "WEBP": {"lossless": True, "duration": 50},
}


def book(kind: str, count: int = 6, size: tuple[int, int] = (16, 24)) -> bytes:
    """Pages of one colour each, of which a corner is the first page's: an animation draws the rest only."""
    made = []
    for colour in (COLOURS * count)[:count]:
        made.append(Image.new("RGB", size, colour))
        made[-1].paste("red", (0, 0, 2, 2))
    options = KINDS[kind]
    return encoded(made[0], kind.split()[0], save_all=True, append_images=made[1:], **options)


@pytest.mark.parametrize("kind", KINDS)
def test_each_page_is_read_and_said(kind: str) -> None:
    data = book(kind)
    for number, colour in enumerate(COLOURS, 1):
        found = read(data, page=number)
        assert tuple(found.rgb[9, 9]) == RGB[colour]
        assert tuple(found.rgb[0, 0]) == RGB["red"]
        assert found.notes == (f"Page {number} of 6.",)
    assert np.array_equal(read_picture(data), read_picture(data, page=1))
    assert read(data).page == "Page 1 of 6."


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_that_is_not_there_is_refused_with_what_there_is(kind: str) -> None:
    data = book(kind)
    with pytest.raises(VizError, match=r"has no page 7. Choose one from 1 to 6"):
        read_picture(data, page=7)
    for number in (0, -1, True):
        with pytest.raises(VizError, match="counted from 1"):
            read_picture(data, page=number)


def test_a_single_picture_has_no_pages() -> None:
    for kind in ("JPEG", "PNG", "TIFF", "GIF", "WEBP", "BMP"):
        data = encoded(gradient(), kind)
        assert read(data).page is None
        assert np.array_equal(read_picture(data, page=1), read_picture(data))
        with pytest.raises(VizError, match="is a single picture: it has no page 2"):
            read_picture(data, page=2)


def test_the_tail_of_a_path_names_a_page(tmp_path: Path) -> None:
    path = tmp_path / "pages.tif"
    path.write_bytes(book("TIFF lzw"))
    assert tuple(read_picture(f"{path}#3")[9, 9]) == RGB["blue"]
    assert read(tmp_path / "pages.tif#3").page == "Page 3 of 6."
    assert read(f"{path}#3", page=3).page == "Page 3 of 6."
    for asked, page, words in (
        (f"{path}#9", None, r"'pages.tif' has no page 9. Choose one from 1 to 6"),
        (f"{path}#3", 4, "Two pages are named, 3 behind the path and 4 beside it"),
        (f"{tmp_path / 'none.tif'}#3", None, "There is no file"),
    ):
        with pytest.raises(VizError, match=words):
            read_picture(asked, page=page)
    (tmp_path / "pages.tif#3").write_bytes(encoded(gradient()))
    assert np.array_equal(read_picture(f"{path}#3"), gradient()), "a file of that name goes first"
    assert read_picture("example#1").shape == read_picture("example").shape


def test_pages_of_several_sizes_and_depths() -> None:
    """Each page of a TIFF is a picture by itself; its 16 bits and its bounds are its own."""
    large, deep = Image.new("RGB", (60, 40), "lime"), Image.fromarray(deep_pictures.shades())
    data = encoded(Image.new("RGB", (16, 16)), "TIFF", save_all=True, append_images=[large, deep])
    assert read_picture(data, page=2).shape == (40, 60, 3)
    found = read(data, page=3)
    assert found.rgb.max() == 255
    assert found.notes == ("Page 3 of 3.", "No value of the picture is above 4095, so 4095 is white, not 65535.")
    with pytest.raises(VizError, match="too large: 60 x 40"):
        read_picture(data, 1000, page=2)
    assert read_picture(data, 1000, page=1).shape == (16, 16, 3)


def test_a_picture_of_pil_is_read_where_it_stands() -> None:
    image = Image.open(io.BytesIO(book("TIFF")))
    assert read(image).page == "Page 1 of 6."
    image = Image.open(io.BytesIO(book("TIFF")))
    image.seek(2)
    assert tuple(read_picture(image)[9, 9]) == RGB["blue"]
    for source in (image, gradient()):
        with pytest.raises(VizError, match="A page is chosen in a file"):
            read_picture(source, page=2)


# ---- in every door


def test_every_door_takes_a_page(toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages.tif").write_bytes(book("TIFF"))
    seen = analyse(toy, "pages.tif", page=3)
    assert tuple(seen.picture[9, 9]) == RGB["blue"]
    assert "Page 3 of 6." in seen.notes
    assert np.array_equal(analyse(toy, "pages.tif#3").picture, seen.picture)
    with pytest.raises(VizError, match="has no page 7"):
        check(toy, "pages.tif", page=7)
    for asked in (["pages.tif", "--page", "3"], ["pages.tif#3"]):
        assert main(["explain", *asked, "-o", "a.npz"]) == 0
        assert "note: Page 3 of 6." in capsys.readouterr().err
    for words in (
        ["explain", "pages.tif", "--page", "7"],
        ["check", "toy", "--image", "pages.tif", "--page", "7"],
        ["film", "pages.tif", "--page", "7", "-o", "a.gif"],
        ["export", "--pictures", "pages.tif", "--page", "7"],
    ):
        assert main(words) == 2
        assert "'pages.tif' has no page 7. Choose one from 1 to 6." in capsys.readouterr().err
    assert main(["export", "--pictures", "pages.tif", "example", "--page", "2"]) == 2
    assert "--page is for a single picture, and 2 are named." in capsys.readouterr().err


def test_an_exported_page_carries_the_page_and_says_which(tmp_path: Path) -> None:
    """Of a WebP, too, which would be carried as it is: the browser would show its first."""
    for kind in ("WEBP", "TIFF"):
        (tmp_path / "book").write_bytes(book(kind))
        shown = photo(f"{tmp_path / 'book'}#3")
        assert shown.name == "photo/book-3"
        assert np.abs(shown.pixels[9, 9].astype(int) - RGB["blue"]).max() < 9
        assert (shown.note, shown.is_told) == ("Page 3 of 6.", True)
    assert photo(tmp_path / "book").name == "photo/book"


# ---- what is hostile


def gif_of(count: int, *, wide: int = 16) -> bytes:
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, wide, 16, 0) + b"\x02\x01\x00\x00"
    return encoded(gradient(16, 16), "GIF")[:-1] + frame * (count - 1) + b";"


MANY = {
    "GIF": lambda: gif_of(100_000),
    "PNG": lambda: hostile.png(chunk(b"acTL", struct.pack(">LL", 2**31 - 1, 0)), chunk(b"fcTL", bytes(26)) * 60_000),
}


@pytest.mark.parametrize("kind", MANY)
def test_millions_of_pages_are_not_counted(kind: str) -> None:
    data = MANY[kind]()
    with Image.open(io.BytesIO(data)) as image, hostile.calls() as made:
        found = pages.count(image, io.BytesIO(data))
    assert (found.of, found.is_all) == (MOST_PAGES, False)
    assert made.n < hostile.MANY_CALLS
    with pytest.raises(VizError, match=f"Only the first {MOST_PAGES} are counted"):
        pages.checked(MOST_PAGES + 1, found, "it")
    assert pages.note(1, found) == f"Page 1 of at least {MOST_PAGES}."


def test_a_ring_of_pages_ends() -> None:
    data = bytearray(hostile.tiff(16, [], bytes(256)))
    data[-4:] = data[4:8]
    assert read(bytes(data)).page is None


def test_tiny_parts_of_a_gif_are_walked_up_to_a_bound() -> None:
    data = gif_of(2)[:-2] + b"\x01\x00" * 3_000_000
    found = pages.count(Image.open(io.BytesIO(data)), io.BytesIO(data))
    assert not found.is_all


def test_a_page_far_behind_is_refused_before_those_in_front_are_decoded() -> None:
    data = encoded(Image.new("P", (4000, 4000)), "GIF")[:-1] + gif_of(40)[-(14 * 39 + 1) :]
    with pytest.raises(VizError, match="Page 30 of The upload cannot be reached"):
        read_picture(data, PUBLIC_PIXELS, page=30)
    talks = gif_of(2)[:-1] + b"!\xfe" + (b"\xff" + bytes(255)) * 5000 + b"\0" + gif_of(2)[-15:]
    for data in (gif_of(3, wide=60_000), talks):
        with pytest.raises(VizError, match="pages that are larger than its first, or long comments"):
            read_picture(data, MAX_PIXELS, page=3)


@pytest.mark.parametrize("kind", KINDS)
def test_damage_behind_the_first_page_leads_to_words(kind: str) -> None:
    rng, whole = np.random.default_rng(1), np.frombuffer(book(kind), np.uint8)
    for _ in range(60):
        hurt = whole.copy()
        hurt[rng.integers(12, len(hurt), size=rng.integers(1, 6))] = rng.integers(0, 256)
        try:
            found = read_picture(hurt[: rng.integers(len(hurt) // 2, len(hurt) + 1)].tobytes(), page=4)
        except VizError:
            continue
        assert found.dtype == np.uint8
