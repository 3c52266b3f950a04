"""Opens a picture's file: finds its format, counts its parts, and lets Pillow read its header, but no pixel."""

from __future__ import annotations

from typing import IO

from PIL import Image

from vizapp.errors import VizError
from vizapp.picture.chunks import n_scans, too_much, too_slow, without_exif
from vizapp.picture.refusals import damaged, drawn_too_often, too_costly, too_many_pixels
from vizapp.vocabulary import MOST_SHRUNK
from vizapp.wording import Text

# Scans of a JPEG, which usually has 1 to 14. Each passes over all pixels and takes only a few bytes of the file.
MAX_SCANS = 100
DRAWN = (
    15 * MOST_SHRUNK
)  # times the most pixels that are read: all walks over the pixels of a JPEG, whose scans may be empty

# Raster formats that Pillow decodes itself. Others are left out on purpose: EPS starts Ghostscript, TGA has no signature.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "JPEG2000", "PPM")
READABLE = Text("Save it as JPEG, PNG, WebP, GIF, BMP, TIFF, AVIF, JPEG 2000 or PPM.")


def opened(stream: IO[bytes], n_bytes: int, name: str, most: int) -> Image.Image:
    """Read the header only. `Image.open` is not used because it warns above 89 million pixels, by a global setting."""
    prefix = stream.read(16)
    Image.init()
    for known in FORMATS:
        factory, accepts = Image.OPEN.get(known, (None, None))
        if factory is None or accepts is None or accepts(prefix) is not True:  # a str: this build cannot decode it
            continue
        stream.seek(0)
        if found := too_much(known, stream, n_bytes):
            raise too_costly(name, found)
        scans = n_scans(stream, MAX_SCANS) if known == "JPEG" else 0
        if scans > MAX_SCANS:
            raise drawn_too_often(name, MAX_SCANS)
        source = without_exif(stream) if known == "AVIF" else stream
        try:
            image = factory(source, "")
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:  # GIF checks in its header
            raise too_many_pixels(name, Text("far too many"), most) from error
        except Exception as error:
            raise damaged(name) from error
        if scans * image.width * image.height > most * DRAWN:
            raise drawn_too_often(name, most * DRAWN // (image.width * image.height))
        if found := too_slow(image, stream, n_bytes, most):
            raise too_costly(name, found)
        return image
    raise VizError(Text("{name} is not a picture that can be read here.", name=name), _advice(prefix))


def _advice(prefix: bytes) -> Text:
    if prefix[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1"):
        return Text("It is a HEIC photo. Export it as JPEG.")
    if prefix.lstrip().startswith((b"<svg", b"<?xml", b"%PDF")):
        return Text("It is a drawing or a document. Export it as PNG.")
    return READABLE
