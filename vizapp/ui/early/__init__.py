"""Shows the first map before Gradio has started: the page contains it, and Gradio's component adopts it.

Gradio's page contains only a configuration table. Its scripts build the page from it, and load one after the other: on Fast 3G
the first map came after 16.5 s. So this puts what a first map needs before that table: our scripts, the words, and the address of
the first picture's maps. It comes after 2.5 s. These maps are made once for each language, as soon as the server answers.
"""

import json
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vizapp.errors import VizError
from vizapp.ui import zero_gpu
from vizapp.ui.early.gradio_files import files_for
from vizapp.ui.jobs import Stopped
from vizapp.ui.languages import tag_of
from vizapp.ui.server import folder
from vizapp.ui.terminal import tell_slip
from vizapp.ui.viewer import resources
from vizapp.ui.words import DEFAULT, Words

FOLDER = Path(__file__).parent
TABLE = b"<script>window.gradio_config"  # the start of Gradio's configuration table
ROOT = b"<gradio-app"  # the element in which Gradio builds the page
FILE = "./gradio_api/file="


@dataclass
class Opening:
    """The beginning of the page in one language.

    heading  HTML above the maps
    first    makes the viewer's first value
    value    that value once it is made; a page that is requested earlier begins without maps
    """

    words: Words
    heading: str
    first: Callable[[], dict[str, Any]]
    value: dict[str, Any] | None = None

    def make(self) -> None:
        """Make the first maps, and keep their file as long as the server runs."""
        made = self.first()
        if made.get("file"):
            path = Path(made["file"]["path"])
            folder.current().keep(path)
            url = {"url": FILE + path.as_posix()}
            self.value = {"file": url, "bytes": made["bytes"], "first": made["first"], "run": made["run"]}


def offer(page: Any, openings: dict[str, Opening]) -> None:
    """Store the openings of a page (`gr.Blocks`) by language.

    The page itself has them: they name parts of it, so that a table beside it, even a weak one, would keep it for ever.
    """
    page.vizapp_openings = openings


def openings_of(page: Any) -> dict[str, Opening]:
    """Give the openings of a page by language."""
    return getattr(page, "vizapp_openings", {})


def make(page: Any) -> None:
    """Make the first maps of each language while the server already answers. If that fails, the page begins without them."""

    def work() -> None:
        for opening in openings_of(page).values():
            try:
                opening.make()
            except (VizError, Stopped):
                pass  # a visitor of the page gets the same error, or the server is stopping
            except Exception:  # a bug in making the maps must not take the page away from everybody
                tell_slip()

    if not zero_gpu.is_on():  # ZeroGPU lends a GPU only for a visitor's request
        Thread(target=copy_context().run, args=(work,), name="first maps", daemon=True).start()


class Early:
    """ASGI middleware: inserts into Gradio's page what a first map needs.

    head  further HTML for the head of the page, before Gradio's scripts
    """

    def __init__(self, app: ASGIApp, page: Any, theme: Callable[[], str], head: str) -> None:
        self.app, self.theme, self.head = app, theme, head
        self.openings: Mapping[str, Opening] = openings_of(page)
        self.files = files_for(block.get_block_name() for block in page.blocks.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        here = scope.get("path", "").removeprefix(scope.get("root_path", "")).strip("/")
        opening = self.openings.get(here or DEFAULT)
        if scope["type"] != "http" or scope["method"] != "GET" or opening is None:
            return await self.app(scope, receive, send)
        start: Message | None = None
        body: list[bytes] = []

        async def told(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(Headers(scope=message)):
                start = message  # held back until the page is complete: its length changes
                return
            if start is None:
                return await send(message)
            body.append(message.get("body", b""))
            if not message.get("more_body"):
                whole = self.written(b"".join(body), opening)
                MutableHeaders(scope=start)["Content-Length"] = str(len(whole))
                await send(start)
                await send({"type": "http.response.body", "body": whole})

        await self.app(scope, receive, told)

    def written(self, page: bytes, opening: Opening) -> bytes:
        """The page with our parts before Gradio's table, at the end of its head, and before the place where it builds."""
        if TABLE not in page or ROOT not in page:
            return page  # not one of Gradio's, or of another version
        head, _, body = page.replace(TABLE, self._head(opening).encode() + TABLE, 1).partition(ROOT)
        head, end, between = head.rpartition(b"</head>")
        return head + self._styles().encode() + end + between + _body(opening).encode() + ROOT + body

    def _head(self, opening: Opening) -> str:
        told = {
            "language": tag_of(opening.words.language),
            "given": resources.mounted_with(opening.words),
            "value": opening.value,
            "files": {"scripts": self.files.scripts, "sheets": self.files.sheets},
        }
        script, own = (
            "".join((FOLDER / name).read_text("utf-8") for name in names)
            for names in (("clock.js", "streams.js", "early.js"), ("heading.css", "early.css"))
        )
        start = f"{{\nconst TOLD = {_safe(told)};\n{script}}}"
        return (
            f"<style>\n#viewer, #early {{\n{resources.style()}\n}}\n"
            f"{own}</style>\n{self.head}"
            f"<script>\n{resources.BUNDLE.read_text('utf-8')}{start}\n</script>\n"
        )

    def _styles(self) -> str:
        """Gradio's style sheets in the order in which its scripts would load them: its page's own, which is here already, these,
        and the theme."""
        return f"<style>{self.files.style}</style>\n<style>{self.theme()}</style>\n"


def _body(opening: Opening) -> str:
    waits = opening.words["page"]["on_its_way"]
    return (
        f'<div id="early" hidden><header>{opening.heading}</header><p>{waits}</p>'
        '<div class="viz" data-state="empty"></div></div>\n<script>window.vizappStage.begin();</script>\n\t\t'
    )


def _safe(value: Any) -> str:
    """JSON for the inside of a script element."""
    return json.dumps(value).replace("<", "\\u003c")


def _is_page(heads: Headers) -> bool:
    return heads.get("content-type", "").startswith("text/html") and "content-encoding" not in heads
