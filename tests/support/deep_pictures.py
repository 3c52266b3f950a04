"""Pictures of 16 bits that use fewer, as X-rays and microscopes store them, with the largest value that is white in each."""

import struct
import zlib
from typing import Any

import cv2
import numpy as np

from support.hostile import directory
from support.pictures import chunk, encoded
from support.pictures import png as png_of

TWELVE = 4095


def shades(height: int = 45, width: int = 61, top: int = TWELVE) -> np.ndarray:
    """(height, width) uint16 from 0 to `top`: no two neighbours are alike, and no lower byte follows from the upper one."""
    values = np.linspace(0, top, height * width).round().astype(np.uint16).reshape(height, width)
    values[1::2] = values[1::2, ::-1]
    return values


def coloured(top: int = TWELVE) -> np.ndarray:
    """(45, 61, 3) uint16."""
    return np.stack([shades(top=top), shades(top=top)[::-1], shades(top=top // 3)], -1)


def see_through(top: int = TWELVE, opaque: int = 65535) -> np.ndarray:
    """(45, 61, 4) uint16."""
    return np.dstack([coloured(top), shades(top=opaque)])


def png(values: np.ndarray, significant: bytes = b"") -> bytes:
    """A PNG of 16 bits; `significant`: the body of its sBIT."""
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[values.shape[2] if values.ndim == 3 else 1]
    lines = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    said = chunk(b"sBIT", significant) if significant else b""
    return png_of(values.shape[1::-1], (16, kind, 0, 0, 0), zlib.compress(lines), said)


def filtered(values: np.ndarray) -> bytes:
    """A PNG whose rows are stored as differences (by OpenCV, which takes BGR)."""
    last = (0, 1, 2) if values.ndim == 2 else [2, 1, 0, 3][: values.shape[2]]
    return cv2.imencode(".png", values if values.ndim == 2 else values[..., last])[1].tobytes()


def tiff(values: np.ndarray, order: str = "<", largest: int = 0) -> bytes:
    """An uncompressed TIFF of 16 bits; `largest`: its MaxSampleValue."""
    height, width = values.shape[:2]
    channels = values.shape[2] if values.ndim == 3 else 1
    data = values.astype(f"{order}u2").tobytes()
    bits = struct.pack(f"{order}{channels}H", *[16] * channels)
    own = [(256, 4, 1, width), (257, 4, 1, height), (259, 3, 1, 1), (262, 3, 1, 2 if channels > 2 else 1)]
    own += [(273, 4, 1, 8), (277, 3, 1, channels), (278, 4, 1, height), (279, 4, 1, len(data))]
    own += [(258, 3, channels, 8 + len(data)) if channels > 2 else (258, 3, 1, 16)]
    own += [(281, 3, 1, largest)] if largest else []
    if order == "<":
        return struct.pack("<2sHL", b"II", 42, 8 + len(data) + len(bits)) + data + bits + directory(sorted(own))
    entries = b"".join(
        struct.pack(">HHL", tag, kind, n)
        + (struct.pack(">HH", one, 0) if kind == 3 and n == 1 else struct.pack(">L", one))
        for tag, kind, n, one in sorted(own)
    )
    where = 8 + len(data) + len(bits)
    return struct.pack(">2sHL", b"MM", 42, where) + data + bits + struct.pack(">H", len(own)) + entries + bytes(4)


def planes(values: np.ndarray) -> bytes:
    """An uncompressed TIFF of 16 bits whose channels lie one behind the other."""
    height, width, channels = values.shape
    data = b"".join(values[..., one].astype("<u2").tobytes() for one in range(channels))
    long, n_bytes = len(data) // channels, 8 + len(data)
    lists = struct.pack(f"<{channels}H", *[16] * channels)
    lists += struct.pack(f"<{channels}L", *(8 + one * long for one in range(channels)))
    lists += struct.pack(f"<{channels}L", *[long] * channels)
    own = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, channels, n_bytes), (259, 3, 1, 1)]
    own += [(262, 3, 1, 5 if channels == 4 else 2), (273, 4, channels, n_bytes + 2 * channels), (277, 3, 1, channels)]
    own += [(278, 4, 1, height), (279, 4, channels, n_bytes + 6 * channels), (284, 3, 1, 2)]
    return struct.pack("<2sHL", b"II", 42, n_bytes + len(lists)) + data + lists + directory(sorted(own))


def packed_tiff(values: np.ndarray) -> bytes:
    """A grey TIFF of 12 bits a pixel, two pixels in three bytes, of an even width."""
    one, two = values[:, ::2].astype(int), values[:, 1::2].astype(int)
    data = np.stack([one >> 4, (one & 15) << 4 | two >> 8, two & 255], -1).astype(np.uint8).tobytes()
    height, width = values.shape
    own = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 12), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8)]
    own += [(277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, len(data))]
    return struct.pack("<2sHL", b"II", 42, 8 + len(data)) + data + directory(sorted(own))


def saved(values: np.ndarray, **how: Any) -> bytes:
    """A TIFF by Pillow, which writes grey only."""
    return encoded(values, "TIFF", **how)


def negative(data: bytes) -> bytes:
    """A grey TIFF of Pillow's, whose zero is said to be white: its values stay."""
    said = struct.pack("<HHLHH", 262, 3, 1, 1, 0)
    assert data.count(said) == 1
    return data.replace(said, struct.pack("<HHLHH", 262, 3, 1, 0, 0))


def pngs() -> dict[str, tuple[bytes, str]]:
    """Each kind of PNG of 16 bits that uses fewer, with the beginning of what is said of it; "": nothing."""
    dark, twelve, told = (
        shades(top=1000),
        "No value of the picture is above 4095, so 4095",
        "The file of the picture says that",
    )
    return {
        "twelve-grey.png": (png(shades()), twelve),
        "twelve-filtered.png": (filtered(shades()), twelve),
        "twelve-rgb.png": (png(coloured()), twelve),
        "twelve-rgb-filtered.png": (filtered(coloured()), twelve),
        "twelve-rgba.png": (filtered(see_through()), twelve),
        "twelve-alpha-too.png": (png(see_through(opaque=TWELVE)), twelve),
        "twelve-grey-alpha.png": (png(np.dstack([shades(), shades(top=65535)])), twelve),
        "dark.png": (png(dark), "No value of the picture is above 1000, so 1023"),
        "dark-but-told.png": (png(dark, bytes([12])), f"{told} 4095"),
        "rgb-told.png": (png(coloured(1000), bytes([10, 12, 10])), f"{told} 4095"),
        "grey-alpha-told.png": (png(np.dstack([dark, dark]), bytes([12, 16])), f"{told} 4095"),
        "told-all.png": (png(dark, bytes([16])), "No value of the picture is above 1000, so 1023"),
        "scaled-as-told.png": (png(shades(top=20000), bytes([12])), ""),
        "half.png": (png(shades(top=32767)), "No value of the picture is above 32767"),
        "whole.png": (png(shades(top=32768)), ""),
        "whole-rgb.png": (png(coloured(32768)), ""),
        "black.png": (png(shades(top=0)), ""),
        "black-rgb.png": (png(coloured(0)), ""),
    }
