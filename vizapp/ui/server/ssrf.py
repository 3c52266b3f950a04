"""Keeps a public server from fetching addresses that a stranger sends (server-side request forgery).

Wherever the API takes a file, Gradio also takes an address, and downloads it before any of our functions runs. Gradio blocks
private networks itself, but a stranger could still use the server to read any public address.
"""

from collections.abc import Callable
from typing import Any

import gradio as gr

from vizapp.errors import VizError
from vizapp.ui.errors import shown
from vizapp.ui.words import Words


def fetch_nothing(page: gr.Blocks, words: Words) -> None:
    """Let every component of a page refuse addresses: an API call can send a file to any of them, not only to file inputs."""
    for block in page.blocks.values():
        block.move_resource_to_block_cache = _at_home(block.move_resource_to_block_cache, words)
        slow = block.async_move_resource_to_block_cache
        block.async_move_resource_to_block_cache = _at_home(slow, words)  # it returns `slow`'s coroutine


def _at_home(move: Callable[[Any], Any], words: Words) -> Callable[[Any], Any]:
    def moved(path: Any) -> Any:
        if "://" in str(path):
            raise shown(VizError("Pictures are not fetched from addresses here.", "Upload the picture."), words)
        return move(path)

    return moved
