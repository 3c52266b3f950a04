"""Limits what Gradio keeps for each session: the page's state, but no copy of the whole page's configuration.

Gradio describes every component anew for each session, to serve deep links, which `guard` closes. Each new session name
would cost 22 ms in the thread that serves everybody, and a quarter of a megabyte.
"""

from typing import Any

import gradio as gr
from gradio.blocks import BlocksConfig
from gradio.state_holder import SessionState, StateHolder

from vizapp.errors import VizError

MOST = 2000  # sessions kept at once; each takes about 50 kB for the names of 350 components and 300 events
NOTHING: dict[str, Any] = {}  # shared by all sessions: Gradio writes only into dictionaries that have "props"
LONGEST = 64  # characters of a session's name: Gradio's pages use 11, its Python client 36


class _OfSession(BlocksConfig):
    """The configuration of one session: describes only components that the session itself has rendered."""

    @staticmethod
    def config_for_block(_id: int, rendered_ids: list[int], block: Any, renderable: Any = None) -> dict[str, Any]:
        return BlocksConfig.config_for_block(_id, rendered_ids, block, renderable) if renderable else NOTHING


class _OfPage(BlocksConfig):
    """The configuration of the page as it was built. Gradio copies it for each session."""

    def __copy__(self) -> BlocksConfig:
        copied = super().__copy__()
        copied.__class__ = _OfSession
        return copied


class _Named(StateHolder):
    """The sessions of a page. Gradio looks the session up here before any message becomes a call.

    Visitors choose the names, and Gradio, its queue, `Session` and `TURNED_AWAY` keep thousands of them: hence the limit.
    """

    def __getitem__(self, session_id: str) -> SessionState:
        refuse_long(session_id)
        return super().__getitem__(session_id)


def refuse_long(name: str | None) -> None:
    """Raise `VizError` for a session name that is longer than those of any page or program."""
    if name and len(name) > LONGEST:
        raise VizError("The name of a session has at most {most} characters, not {n}.", most=LONGEST, n=len(name))


def keep_named(app: Any) -> None:
    """Let a page's app refuse such names. Call it before the first request."""
    app.state_holder.__class__ = _Named


def keep_little(page: gr.Blocks) -> None:
    """Let the sessions of a page start almost empty. Call it before the launch."""
    page.default_config.__class__ = _OfPage
