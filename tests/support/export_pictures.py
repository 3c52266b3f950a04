"""Files of pictures as people have them, each with what our own door makes of it: for the decoders in vizapp/browser/engine."""

import struct
import zlib
from typing import Any

import cv2
import numpy as np
from PIL import Image, features

from support.pictures import encoded, png, turned

ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def drawn(height: int = 45, width: int = 61) -> np.ndarray:
    """(height, width, 3) uint8: smooth shades, an edge, and a corner that tells which way is up."""
    y, x = np.mgrid[:height, :width]
    shades = np.stack([x * 255 // width, y * 255 // height, np.where(x > y, 200, 40)], -1).astype(np.uint8)
    shades[:9, :9] = (250, 10, 20)
    return shades


def saved(image: Image.Image, kind: str, orientation: int = 1, **how: Any) -> bytes:
    if orientation != 1:
        how["exif"] = turned(orientation)
    return encoded(image, kind, **how)


def written(rgb: np.ndarray, lines: bytes, interlace: int) -> bytes:
    """A PNG of rows that are filtered already, as Pillow cannot be told to write it."""
    return png(rgb.shape[1::-1], (8, 2, 0, 0, interlace), zlib.compress(lines))


def interlaced(rgb: np.ndarray) -> bytes:
    """In seven passes."""
    lines = b""
    for x, y, step_x, step_y in ADAM7:
        lines += b"".join(b"\0" + row.tobytes() for row in rgb[y::step_y, x::step_x] if row.size)
    return written(rgb, lines, 1)


def any_filter(height: int = 40, width: int = 30) -> bytes:
    """Rows of any bytes under each of the five filters in turn: few values, so that all ways to predict one are alike often."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, (height, width * 3), dtype=np.uint8)
    lines = b"".join(bytes([i % 5]) + row.tobytes() for i, row in enumerate(rows))
    return written(np.empty((height, width, 3)), lines, 0)


def wide(channels: int) -> bytes:
    """A PNG of 16 bits, with colours that 8 bits have not."""
    values = np.random.default_rng(channels).integers(0, 65536, (45, 61, channels)).astype(np.uint16)
    return cv2.imencode(".png", values)[1].tobytes()


def pngs() -> dict[str, bytes]:
    """Every kind of PNG: bits, palettes, three ways to be transparent, turned, interlaced."""
    rgb = Image.fromarray(drawn())
    alpha = Image.fromarray(np.random.default_rng(0).integers(0, 256, (45, 61), dtype=np.uint8))
    rgba = rgb.copy()
    rgba.putalpha(alpha)
    few = rgb.quantize(11)
    return {
        "rgb.png": saved(rgb, "PNG"),
        "black.png": saved(rgb.convert("1"), "PNG"),
        "palette.png": saved(few, "PNG", bits=4),
        "clear-palette.png": saved(few, "PNG", transparency=bytes([0, 90, 200])),
        "clear-colour.png": saved(rgb, "PNG", transparency=(250, 10, 20)),
        "grey.png": saved(rgb.convert("L"), "PNG"),
        "grey-alpha.png": saved(Image.merge("LA", (rgb.convert("L"), alpha)), "PNG"),
        "rgba.png": saved(rgba, "PNG"),
        "wide-grey.png": wide(1),
        "wide-rgb.png": wide(3),
        "wide-rgba.png": wide(4),
        "interlaced.png": interlaced(drawn()),
        "filters.png": any_filter(),
        "turned.png": saved(rgb, "PNG", 6),
        "strip.png": saved(Image.fromarray(drawn(800, 9)), "PNG"),
    }


def others() -> dict[str, bytes]:
    """What the browser decodes: JPEG in every orientation, WebP, GIF, BMP, and AVIF if this Pillow writes it."""
    rgb = Image.fromarray(drawn())
    rgba = rgb.copy()
    rgba.putalpha(Image.fromarray(np.random.default_rng(0).integers(0, 256, (45, 61), dtype=np.uint8)))
    found = {f"turned-{way}.jpeg": saved(rgb, "JPEG", way, quality=90) for way in range(1, 9)}
    found |= {
        "grey.jpeg": saved(rgb.convert("L"), "JPEG", quality=90),
        "progressive.jpeg": saved(rgb, "JPEG", quality=75, progressive=True),
        "sharp.jpeg": saved(rgb, "JPEG", quality=95, subsampling=0),
        "lossless.webp": saved(rgb, "WEBP", lossless=True),
        "turned.webp": saved(rgb, "WEBP", 8, lossless=True),
        "lossy.webp": saved(rgb, "WEBP", quality=80),
        "clear.webp": saved(rgba, "WEBP", lossless=True),
        "film.gif": saved(rgb.quantize(64), "GIF", save_all=True, append_images=[rgb.rotate(90).quantize(64)], loop=0),
        "windows.bmp": saved(rgb, "BMP"),
    }
    return found | ({"new.avif": saved(rgb, "AVIF", quality=90)} if features.check("avif") else {})


def refused() -> dict[str, tuple[str, bytes]]:
    """Key of the refusal -> a file that gets it; two for some."""
    rgb, noise = Image.fromarray(drawn()), np.random.default_rng(0).integers(0, 256, (90, 90, 3), dtype=np.uint8)
    bomb = bytearray(saved(rgb, "PNG"))
    bomb[16:24] = struct.pack(">II", 100_000, 90_000)
    return {
        "nothing": ("pictureEmpty", b""),
        "text": ("pictureUnknown", b"This is a letter, and no picture."),
        "tiff": ("pictureNotHere", saved(rgb, "TIFF")),
        "ppm": ("pictureNotHere", saved(rgb, "PPM")),
        "heic": ("pictureHeic", b"\0\0\0\x18ftypheic" + bytes(40)),
        "svg": ("pictureDocument", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        "cmyk": ("pictureCmyk", saved(rgb.convert("CMYK"), "JPEG")),
        "cut": ("pictureDamaged", saved(Image.fromarray(noise), "PNG")[:9000]),
        "cut-head": ("pictureDamaged", saved(rgb, "JPEG")[:30]),
        "bomb": ("pictureTooLarge", bytes(bomb)),
        "tiny": ("pictureTooSmall", saved(Image.fromarray(drawn(7, 30)), "PNG")),
        "thin": ("pictureTooLong", saved(Image.fromarray(drawn(1000, 9)), "PNG")),
    }
