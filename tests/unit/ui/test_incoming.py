"""The buttons for pictures, a folder and the camera: each has its own words."""

import re
from html import unescape

import pytest

from vizapp.ui import incoming
from vizapp.ui.words import words_for


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_button_is_called_by_what_it_does(language: str) -> None:
    """The script of the page acts on the id: incoming/page.js."""
    words = words_for(language)
    said = words["incoming"]
    button = r'<button type="button" id="([\w-]+)" title="([^"]+)">([^<]+)</button>'
    found = {
        name: (unescape(title), unescape(text)) for name, title, text in re.findall(button, incoming.pickers(words))
    }
    assert found == {
        "pick-pictures": (said["upload_help"], said["upload"]),
        "pick-folder": (said["folder_help"], said["folder"]),
        "webcam": (said["webcam_help"], said["webcam"]),
    }
