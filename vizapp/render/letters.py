"""Finds a font of this machine for letters that matplotlib's own font lacks, such as Chinese."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, findSystemFonts, fontManager, get_font
from matplotlib.text import Text as Drawn

# The beginnings of font files with Chinese on macOS, Windows and Linux, plain ones first.
FILES = (
    *("PingFang", "Hiragino Sans GB", "STHeiti", "msyh", "simhei", "Deng"),
    *("NotoSansCJK", "NotoSansSC", "SourceHanSans", "wqy", "DroidSansFallback"),
)


def lettered(figure: Figure) -> None:
    """Give the texts of `figure` a font with the letters that theirs lack, if there is one."""
    texts: list[Drawn] = figure.findobj(Drawn)
    further = font_for(one.get_text() for one in texts)
    if further:
        for one in texts:
            one.set_fontfamily([*one.get_fontfamily(), further])


def can_write(sentences: Iterable[str]) -> bool:
    """Tell whether this machine can draw each letter of the sentences."""
    return font_for(sentences) is not None


def font_for(sentences: Iterable[str]) -> str | None:
    """The name of a font with the letters that matplotlib's own lacks; "" if it lacks none; None if no font here has them."""
    lacking = {ord(letter) for one in sentences for letter in one if letter.isprintable()} - letters_of(
        findfont(FontProperties(family=["sans-serif"]))
    )
    if not lacking:
        return ""
    return next((get_font(path).family_name for path in further_fonts() if lacking <= letters_of(path)), None)


@cache
def further_fonts() -> tuple[str, ...]:
    """The paths of such fonts, in the order of `FILES`. Adds them to matplotlib, whose cached list may not have them."""
    found = {start: path for path in sorted(findSystemFonts(), reverse=True) for start in FILES if _starts(path, start)}
    paths = tuple(found[start] for start in FILES if start in found)
    for path in paths:
        fontManager.addfont(path)
    return paths


def _starts(path: str, start: str) -> bool:
    name = Path(path).name
    return name.startswith(start) and not any(one in name for one in ("Bold", "Black", "Mono", "Thin"))


@cache
def letters_of(path: str) -> frozenset[int]:
    """The letters that a font has."""
    return frozenset(get_font(path).get_charmap())
