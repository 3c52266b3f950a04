"""Says which pictures are too small, too thin, or too large for the memory that is free, and words every refusal of a picture."""

from vizapp.errors import NotEnoughMemory, VizError
from vizapp.memory import free_memory
from vizapp.vocabulary import MAX_ASPECT, MIN_SIDE
from vizapp.wording import Text

SMALL = 32 * 2**20  # bytes below which free memory is not checked
SHARE = 2  # a picture may take one part in this many of the free memory: the analysis needs the rest


def too_little_left(needed: int) -> int | None:
    """The bytes that a picture may take now, if that is less than `needed`; None if it is enough, or if nobody knows."""
    free = free_memory() if needed > SMALL else None
    return None if free is None or needed <= free // SHARE else free // SHARE


def in_pixels(height: int, width: int) -> Text:
    return Text("{width} x {height} pixels", width=width, height=height)


def check_shape(height: int, width: int, name: str) -> None:
    """Raise a VizError if a side is too short, or the picture too long and thin."""
    size = in_pixels(height, width)
    if min(height, width) < MIN_SIDE:
        raise VizError(
            "{name} is too small: {size}.",
            "Each side needs at least {min_side} pixels.",
            name=name,
            size=size,
            min_side=MIN_SIDE,
        )
    if max(height, width) > MAX_ASPECT * min(height, width):
        raise VizError(
            "{name} is too long and thin: {size}.",
            "Cut it to at most {max_aspect} : 1.",
            name=name,
            size=size,
            max_aspect=MAX_ASPECT,
        )


def too_many_pixels(name: str, size: Text, most: int) -> VizError:
    return VizError(
        "{name} is too large: {size}.",
        "At most {millions} million pixels are read; shrink it.",
        name=name,
        size=size,
        millions=most // 1_000_000,
    )


def too_much_memory(name: str, size: tuple[int, int], needed: int, left: int) -> NotEnoughMemory:
    return NotEnoughMemory(
        "{name} is too large for the memory that is free: {size} need {needed} MB, and a picture may take {left}.",
        "Shrink it.",
        name=name,
        size=in_pixels(size[1], size[0]),
        needed=round(needed / 1e6),
        left=round(left / 1e6),
    )


def drawn_too_often(name: str, most: int) -> VizError:
    return VizError(
        "{name} is a JPEG that is drawn over more than {most} times.",
        "Save it again, in any program.",
        name=name,
        most=most,
    )


def too_costly(name: str, found: Text) -> VizError:
    return VizError(
        "{name} is built so that reading it takes too long, or too much memory: it has {found}.",
        "Save it again as PNG or JPEG, in any program.",
        name=name,
        found=found,
    )


def damaged(name: str) -> VizError:
    return VizError(
        "{name} is damaged or cut off: its pixels cannot be read.", "Upload it again, or save it again.", name=name
    )
