"""Links: the page's address holds the current view in its hash, and an opened address is shown. See docs/links.md.

`#v=1&picture=lesson/clutter/16&model=toy&tab=methods&layer=2`: the viewer writes and reads its own part (state.js), and this
file handles the server's. A link may come from anybody, so only what this page offers is accepted.

links = Links(session, start, photos)
links.page(request)                     # {"picture": "lesson/clutter/16", "model": "toy"}
links.open(asked)                       # what a link shows here, and the messages about it
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

import gradio as gr

from vizapp.analysis import AS_TRAINED, Request
from vizapp.model.preprocess import FITS
from vizapp.ui import examples
from vizapp.ui.languages import switch
from vizapp.ui.lesson_pictures import Place
from vizapp.ui.server import folder
from vizapp.ui.session import Session
from vizapp.ui.words import DEFAULT, Words, languages
from vizapp.vocabulary import STATE_VERSION

FOLDER = Path(__file__).parent
BUNDLE = FOLDER / "bundle.js"  # made of the modules of this folder by `npm run build`, and committed
LONGEST = 300  # characters of a model's name
UPLOAD = "upload"
PAGE_DIGITS = 6  # of the number of a page
TELL = "(what, choice) => window.vizappLink[what]?.(choice)"  # as a tab's `tell`
LINE = """
<p role="status"></p><button type="button" class="link-yes" hidden></button>
$switch<a class="link-full" target="_blank" rel="noopener"></a>
"""


@dataclass(frozen=True)
class Opened:
    """The view that a link opens here.

    lesson  name and number, if the link opens one
    said    messages about parts that are not offered here: keys of the words "link", and what they name
    strange  keys whose values were not understood
    asks    a model outside the list, which is opened only if the visitor agrees
    """

    request: Request
    lesson: tuple[str, int] | None = None
    said: tuple[tuple[str, str], ...] = ()
    strange: tuple[str, ...] = ()
    asks: str = ""


@dataclass(frozen=True)
class Links:
    """The links of a page.

    start   the page's first request, which also replaces parts of a link that are not offered here
    photos  name -> path of the photos that everybody can choose
    """

    session: Session
    start: Request
    photos: Mapping[str, str] = field(default_factory=dict)

    def page(self, request: Request) -> dict[str, str]:
        """The server's part of a link to what `request` asks for."""
        said = {"picture": self._name_of(request.source), "model": request.model}
        if request.fit != AS_TRAINED:
            said["fit"] = request.fit
        if request.page > 1:
            said["page"] = str(request.page)
        if request.edits:
            said["edits"] = " ".join(map(str, request.edits))
        return said

    def _name_of(self, source: str) -> str:
        if lesson := examples.lesson_of(source, self.session.cache):
            return f"lesson/{lesson}"
        known = (name for name, path in self.photos.items() if Path(path).resolve() == Path(source).resolve())
        photo = next(known, None)
        return f"photo/{photo}" if photo else UPLOAD  # only the visitor's browser knows which

    def open(self, asked: Any) -> Opened:
        """Interpret a link: strings by "v", "picture", "page", "model", "fit", "edits". `asked` is untrusted and may be anything.

        It also holds "own", whether this visitor has chosen the model here before, and "path", the file of a picture that was
        uploaded again.
        """
        given = asked if isinstance(asked, dict) else {}
        text = {key: value for key, value in given.items() if isinstance(value, str)}
        version = text.get("v", "")
        source, lesson, why = self._picture(text.get("picture", ""), given.get("path"))
        model, asks, why_model = self._model(text.get("model", ""), given.get("own") is True)
        fit = text.get("fit", AS_TRAINED)
        is_number = version.isdecimal() and version.isascii() and len(version) < 9
        page = text.get("page", "")
        is_page = page.isdecimal() and page.isascii() and len(page) <= PAGE_DIGITS and int(page) > 0
        newer = [("newer", "")] if is_number and int(version) > STATE_VERSION else []
        edits = [("edits", "")] if text.get("edits") else []
        strange = {
            "v": version and not is_number,
            "model": not _is_name(text.get("model", "")),
            "fit": fit not in (AS_TRAINED, *FITS),
            "page": page and not is_page,
        }
        return Opened(
            # Only what visitors bring has pages; another picture in its place is shown from its beginning.
            Request(
                source,
                model,
                AS_TRAINED if strange["fit"] else fit,
                page=int(page) if is_page and text.get("picture", "").partition("/")[0] == UPLOAD and not why else 1,
            ),
            lesson,
            (*newer, *why, *why_model, *edits),
            tuple(key for key, is_so in strange.items() if is_so),
            asks,
        )

    def _picture(self, name: str, path: Any) -> tuple[str, tuple[str, int] | None, Sequence[tuple[str, str]]]:
        """(source, lesson, messages)."""
        kind, _, rest = name.partition("/")
        if kind == "lesson" and (one := Place.of(rest)):
            path = examples.lesson(one.name, one.number, self.session.cache, is_bare=one.is_bare)
            return path, (one.name, one.number), ()
        if kind == "photo" and rest in self.photos:
            return self.photos[rest], None, ()
        if kind == UPLOAD:
            ours = folder.current().ours(path) if isinstance(path, str) else None
            return (str(ours), None, ()) if ours else (self.start.source, None, [("upload", "")])
        return self.start.source, None, [("picture", "")] if name else ()

    def _model(self, name: str, is_own: bool) -> tuple[str, str, Sequence[tuple[str, str]]]:
        """(model, a model to ask about, messages). It asks because a name may mean a download, or a file of this computer."""
        if not name or name in self.session.offered:
            return name or self.start.model, "", ()
        if not _is_name(name):
            return self.start.model, "", ()
        if self.session.public:
            return self.start.model, "", [("model", name)]
        return (name, "", ()) if is_own else (self.start.model, name, [("asks", name)])

    def shown(self, request: Request) -> dict[str, Any]:
        """The value of `line` that tells the browser what is on the stage. It always differs from the last one."""
        return {"page": self.page(request), "new": uuid4().hex}

    def told(self, opened: Opened, words: Words) -> dict[str, Any]:
        """The value of `line` that tells the browser about a link before its maps have arrived."""
        said = words.told(words["link"][key].replace("{name}", name) for key, name in opened.said)
        return {"opened": self.page(opened.request), "said": said, "strange": opened.strange, "asks": opened.asks}


def _is_name(text: str) -> bool:
    return len(text) <= LONGEST and text.isprintable()


def line(words: Words, tabs: Sequence[str]) -> Any:
    """Add to the page that is being built: the button that copies a link, links to the other languages, and the line for
    messages about a link. The component's value is the server's.

    {"opened", "said", "strange", "asks"}: how a link was understood; {"page"}: what is on the stage. Its event `go` asks for
    a link.
    """
    given = {
        "words": dict(words["link"]),
        "tabs": list(tabs),
        "language": words.language if languages() != (DEFAULT,) else "",
    }
    return gr.HTML(
        {},
        html_template=LINE.replace("$switch", switch(words)),
        js_on_load=f"""
window.vizappLink.mount(element, {{
  ...{json.dumps(given)},
  value: () => props.value,
  ask: (asked) => trigger("go", asked),
  upload,
}});
watch("value", () => window.vizappLink.told());
""",
        elem_id="link-line",
    )


def shelf(words: Words) -> Any:
    """Add to the tray that is being built the visitor's own pictures, as far as this browser keeps them."""
    own = f'<div role="group" aria-label="{escape(words["link"]["own"])}"></div>'
    mount = "window.vizappLink.shelf.mount(element.firstElementChild);"
    return gr.HTML(own, js_on_load=mount, elem_id="own-pictures", min_height=0)


def forget(words: Words) -> str:
    """HTML that tells whether the browser keeps pictures, with a button that deletes them."""
    said = words["link"]
    end = f'<button type="button" id="forget-pictures">{said["forget"]}</button>'
    return f' <span id="keeps-pictures">{said["keeps"]} {end}</span>'


def or_open(choose: str) -> str:
    """JavaScript for the event that makes the first map. It makes none if the address holds a link, which has its own event."""
    return f"(...chosen) => window.vizappLink.begin() ? [null, ...chosen.slice(1)] : ({choose})(...chosen)"


def turned(tab: str) -> str:
    """JavaScript of the event of a tab that is opened."""
    return f"() => {{ document.dispatchEvent(new CustomEvent('vizapp-tab', {{ detail: {json.dumps(tab)} }})); return []; }}"


def head() -> str:
    """HTML for the head of the page, whose script runs before Gradio's."""
    return f"<style>\n{style()}</style>\n<script>\n{BUNDLE.read_text('utf-8')}</script>\n"


def style() -> str:
    """The CSS of the button that copies a link, and of the line for messages."""
    return (FOLDER / "link.css").read_text("utf-8")
