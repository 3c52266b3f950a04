"""What Gradio keeps of a session: what its visitor's page remembers, and no copy of the configuration of the whole page.

Gradio would describe every component anew for each session, for deep links, which are closed here: 22 ms of work for whoever asks
under a new name, in the thread that serves everybody, and a quarter of a megabyte.
"""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.blocks import BlocksConfig

MOST = 2000  # sessions that are kept: some 20 kB each


class _OfSession(BlocksConfig):
    """What a session changes of a page."""

    @staticmethod
    def config_for_block(_id: int, rendered_ids: list[int], block: Any, renderable: Any = None) -> dict[str, Any]:
        return BlocksConfig.config_for_block(_id, rendered_ids, block, renderable) if renderable else {}


class _OfPage(BlocksConfig):
    """The page as it was built."""

    def __copy__(self) -> BlocksConfig:
        copied = super().__copy__()
        copied.__class__ = _OfSession
        return copied


def keep_little(page: gr.Blocks) -> None:
    """Let sessions of a page that is about to be launched begin with next to nothing."""
    page.default_config.__class__ = _OfPage
