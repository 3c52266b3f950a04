"""What Gradio keeps of a session: what its visitor's page remembers, and no copy of the configuration of the whole page.

Gradio would describe every component anew for each session, for deep links, which are closed here: 22 ms of work for whoever asks
under a new name, in the thread that serves everybody, and a quarter of a megabyte.
"""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.blocks import BlocksConfig
from gradio.state_holder import SessionState, StateHolder

from vizapp.errors import VizError

MOST = 2000  # sessions that are kept: some 20 kB each
LONGEST = 64  # characters of a session's name; those of Gradio's pages have 11, those of programs 36


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


class _Named(StateHolder):
    """The sessions of a page. Every way on which a message becomes a call asks for the session here first.

    Gradio, the queue, and we ourselves (`Session`, `TURNED_AWAY`) keep thousands of their names, which visitors choose.
    """

    def __getitem__(self, session_id: str) -> SessionState:
        refuse_long(session_id)
        return super().__getitem__(session_id)


def refuse_long(name: str | None) -> None:
    """Raises `VizError` for what no page and no program calls its session."""
    if name and len(name) > LONGEST:
        raise VizError("The name of a session has at most {most} characters, not {n}.", most=LONGEST, n=len(name))


def keep_named(app: Any) -> None:
    """Let the app of a page, which is about to be asked, refuse such names."""
    app.state_holder.__class__ = _Named


def keep_little(page: gr.Blocks) -> None:
    """Let sessions of a page that is about to be launched begin with next to nothing."""
    page.default_config.__class__ = _OfPage
