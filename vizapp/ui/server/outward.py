"""A public server fetches nothing that a stranger names.

Gradio takes an address wherever the API takes a file, and downloads it before any function of ours is asked. It keeps out of
private networks by itself; but the server would still be somebody's way to look at any other, and to have it send what it likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from vizapp.errors import VizError
from vizapp.ui.shown import shown
from vizapp.ui.words import Words


def fetch_nothing(page: gr.Blocks, words: Words) -> None:
    """Let every component of a page refuse files that are addresses: any of them may be sent one, whatever it is for."""
    for block in page.blocks.values():
        block.move_resource_to_block_cache = _at_home(block.move_resource_to_block_cache, words)
        slow = block.async_move_resource_to_block_cache
        block.async_move_resource_to_block_cache = _at_home(slow, words)  # a call that is refused awaits nothing


def _at_home(move: Callable[[Any], Any], words: Words) -> Callable[[Any], Any]:
    def moved(path: Any) -> Any:
        if "://" in str(path):
            raise shown(VizError("Pictures are not fetched from addresses here.", "Upload the picture."), words)
        return move(path)

    return moved
