"""One scale of type: served page, exported page and notebook have five sizes between them."""

import re
from pathlib import Path

import vizapp

SIZES = {"11px", "12px", "13px", "15px", "22px"}
GROWS = {
    "clamp(17px, 2.7vh, 22px)",  # the sentence above the picture: the largest, unless the window is low
    "clamp(15px, 2.1vh, 22px)",  # the text of a chapter: for a laptop and for a projector
    "1.25em",  # the title of a chapter, which grows with its text
}
SIZE = re.compile(r"font(?:-size)?:(?: \d{3})? (clamp\([^)]*\)|[\d.]+(?:px|em|rem|vh|vw|%))")


def test_a_size_of_type_is_one_of_five() -> None:
    root = Path(vizapp.__file__).parent
    found = {
        (str(style.relative_to(root)), size)
        for style in root.rglob("*.css")
        for size in SIZE.findall(style.read_text("utf-8"))
    }
    assert len(found) > len(SIZES)
    assert not [one for one in sorted(found) if one[1] not in SIZES | GROWS]
