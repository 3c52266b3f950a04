"""Opens a picture's file: finds its format, counts its parts, and lets Pillow read its header, but no pixel.

Strangers send five formats, `PUBLIC`, whose files are read safely whatever is in them. The others are read at home, where people
open files of their own: by Pillow as it is, and in words where it fails.
"""

from typing import IO

from PIL import Image, JpegImagePlugin

from vizapp.errors import VizError
from vizapp.picture.chunks import n_scans, too_much, without_exif
from vizapp.picture.refusals import damaged, drawn_too_often, too_costly, too_many_pixels
from vizapp.vocabulary import MOST_SHRUNK
from vizapp.wording import Text

# Scans of a JPEG, which usually has 1 to 14. Each passes over all pixels and takes only a few bytes of the file.
MAX_SCANS = 100
DRAWN = (
    15 * MOST_SHRUNK
)  # times the most pixels that are read: all walks over the pixels of a JPEG, whose scans may be empty

PUBLIC = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")
# Raster formats that Pillow decodes itself. Others are left out on purpose: EPS starts Ghostscript, TGA has no signature.
FORMATS = (*PUBLIC, "BMP", "TIFF", "JPEG2000", "PPM")
PREFIX = 16  # bytes that tell the format
READABLE = Text("Save it as JPEG, PNG, WebP, GIF, BMP, TIFF, AVIF, JPEG 2000 or PPM.")


def check_public(stream: IO[bytes], name: str) -> None:
    """Raise a `VizError` unless the file is of a format that strangers may send. No decoder sees a byte of it."""
    prefix = stream.read(PREFIX)
    if prefix and _format(prefix) not in PUBLIC:
        raise VizError(
            "{name} cannot be read here: a public page reads JPEG, PNG, WebP, GIF and AVIF.",
            "Save it as PNG or JPEG, in any program. On your own computer vizapp reads more formats.",
            name=name,
        )


def _format(prefix: bytes) -> str | None:
    """The format of a file that begins like this; None for one that is not read, or not by this build of Pillow."""
    Image.init()
    for known in FORMATS:
        _, accepts = Image.OPEN.get(known, (None, None))
        if accepts is not None and accepts(prefix) is True:  # a str: this build cannot decode it
            return known
    return None


def opened(stream: IO[bytes], n_bytes: int, name: str, most: int) -> Image.Image:
    """Read the header only. `Image.open` is not used because it warns above 89 million pixels, by a global setting."""
    prefix = stream.read(PREFIX)
    known = _format(prefix)
    if known is None:
        raise VizError(Text("{name} is not a picture that can be read here.", name=name), _advice(prefix))
    stream.seek(0)
    if found := too_much(known, stream, n_bytes):
        raise too_costly(name, found)
    scans = n_scans(stream, MAX_SCANS) if known == "JPEG" else 0
    if scans > MAX_SCANS:
        raise drawn_too_often(name, MAX_SCANS)
    # Pillow's own way to open a JPEG looks for further pictures behind it, by tags that may all point at the same bytes.
    factory = JpegImagePlugin.JpegImageFile if known == "JPEG" else Image.OPEN[known][0]
    try:
        image = factory(without_exif(stream) if known == "AVIF" else stream, "")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:  # GIF checks in its header
        raise too_many_pixels(name, Text("far too many"), most) from error
    except Exception as error:
        raise damaged(name) from error
    if scans * image.width * image.height > most * DRAWN:
        raise drawn_too_often(name, most * DRAWN // (image.width * image.height))
    return image


def _advice(prefix: bytes) -> Text:
    if prefix[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1"):
        return Text("It is a HEIC photo. Export it as JPEG.")
    if prefix.lstrip().startswith((b"<svg", b"<?xml", b"%PDF")):
        return Text("It is a drawing or a document. Export it as PNG.")
    return READABLE
