"""Links: what is shown as the hash of the page's address, and an address that says what to show. See docs/links.md.

`#v=1&picture=lesson/clutter/16&model=toy&tab=methods&layer=2`: the viewer writes and reads what it knows alone (state.js), and
here is what the server has to know. A link may come from anybody: nothing of it is taken that this page does not offer.

links = Links(session, start, photos)
links.page(request)                     # {"picture": "lesson/clutter/16", "model": "toy"}
links.open(asked)                       # what a link shows here, and what must be said of it
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import gradio as gr

from vizapp.analysis import AS_TRAINED, Request
from vizapp.model.preprocess import FITS
from vizapp.ui import examples
from vizapp.ui.languages import switch
from vizapp.ui.places import Place
from vizapp.ui.server import folder
from vizapp.ui.session import Session
from vizapp.ui.viewer.version import VERSION
from vizapp.ui.words import DEFAULT, Words, languages

FOLDER = Path(__file__).parent
BUNDLE = FOLDER / "bundle.js"  # made of the modules of this folder by `npm run build`, and committed
LONGEST = 300  # letters of a model's name
UPLOAD = "upload"
TELL = "(what, choice) => window.vizappLink[what]?.(choice)"  # as a tab's `tell`
LINE = """
<p role="status"></p><button type="button" class="link-yes" hidden></button>
$switch<button type="button" id="copy-link"></button><a class="link-full" target="_blank" rel="noopener"></a>
"""


@dataclass(frozen=True)
class Opened:
    """What a link shows here.

    lesson  its name and number, if it opens one
    said    keys of the words "link" for what of it was not understood, and what they name
    asks    a model that is in no list: it is opened when the visitor says so
    """

    request: Request
    lesson: tuple[str, int] | None = None
    said: tuple[tuple[str, str], ...] = ()
    asks: str = ""


@dataclass(frozen=True)
class Links:
    """The links of a page.

    start   what the page begins with, and what takes the place of what is not offered here
    photos  name -> path of those that everybody can choose
    """

    session: Session
    start: Request
    photos: Mapping[str, str] = field(default_factory=dict)

    def page(self, request: Request) -> dict[str, str]:
        """The server's part of a link to what `request` asks for."""
        said = {"picture": self._name_of(request.source), "model": request.model}
        if request.fit != AS_TRAINED:
            said["fit"] = request.fit
        if request.edits:
            said["edits"] = " ".join(map(str, request.edits))
        return said

    def _name_of(self, source: str) -> str:
        if lesson := examples.lesson_of(source, self.session.cache):
            return f"lesson/{lesson}"
        known = (name for name, path in self.photos.items() if Path(path).resolve() == Path(source).resolve())
        photo = next(known, None)
        return f"photo/{photo}" if photo else UPLOAD  # its browser knows which

    def open(self, asked: Any) -> Opened:
        """What a link shows here: strings by "v", "picture", "model", "fit", "edits"; it may be anything.

        With them come "own", whether this visitor has chosen the model here before, and "path", the file of a picture that
        was uploaded again.
        """
        given = asked if isinstance(asked, dict) else {}
        text = {key: value for key, value in given.items() if isinstance(value, str)}
        said = [*self._version(text.get("v", ""))]
        source, lesson, why = self._picture(text.get("picture", ""), given.get("path"))
        model, asks, why_model = self._model(text.get("model", ""), given.get("own") is True)
        fit = text.get("fit", AS_TRAINED)
        said += [*why, *why_model]
        if fit not in (AS_TRAINED, *FITS):
            fit = AS_TRAINED
            said.append(("partly", ""))
        if text.get("edits"):
            said.append(("edits", ""))
        return Opened(Request(source, model, fit), lesson, tuple(dict.fromkeys(said)), asks)

    def _version(self, version: str) -> Sequence[tuple[str, str]]:
        if version.isdecimal() and version.isascii() and len(version) < 9:
            return [("newer", "")] if int(version) > VERSION else []
        return [("partly", "")] if version else []

    def _picture(self, name: str, path: Any) -> tuple[str, tuple[str, int] | None, Sequence[tuple[str, str]]]:
        """(source, lesson, what must be said)."""
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
        """(model, one that must be asked for, what must be said). A name may mean a download, or a file of this computer."""
        if not name or name in self.session.offered:
            return name or self.start.model, "", ()
        if len(name) > LONGEST or not name.isprintable():
            return self.start.model, "", [("partly", "")]
        if self.session.public:
            return self.start.model, "", [("model", name)]
        return (name, "", ()) if is_own else (self.start.model, name, [("asks", name)])

    def shown(self, request: Request) -> dict[str, Any]:
        """What the browser is told of what is on the stage: a value of `line`, and one that it has not had before."""
        return {"page": self.page(request), "new": uuid4().hex}

    def told(self, opened: Opened, words: Words) -> dict[str, Any]:
        """What the browser is told of a link before its maps are there: a value of `line`."""
        said = words.told(words["link"][key].replace("{name}", name) for key, name in opened.said)
        return {"opened": self.page(opened.request), "said": said, "asks": opened.asks}


def line(words: Words, tabs: Sequence[str]) -> Any:
    """Put into the page that is being built: the button that copies a link, the other languages, which show the same, and
    what is said of a link; its value is what the server says.

    {"opened", "said", "asks"}: how a link was understood; {"page"}: what is on the stage. Its event `go` asks for a link.
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


def forget(words: Words) -> str:
    """HTML that says what the browser keeps, if it does, with a button that ends it."""
    said = words["link"]
    end = f'<button type="button" id="forget-pictures">{said["forget"]}</button>'
    return f' <span id="keeps-pictures" hidden>{said["keeps"]} {end}</span>'


def or_open(choose: str) -> str:
    """JavaScript of the event that makes the first map: it makes none if the address says which, which is asked for by itself."""
    return f"(...chosen) => window.vizappLink.begin() ? [null, ...chosen.slice(1)] : ({choose})(...chosen)"


def turned(tab: str) -> str:
    """JavaScript of the event of a tab that is opened."""
    return f"() => {{ document.dispatchEvent(new CustomEvent('vizapp-tab', {{ detail: {json.dumps(tab)} }})); return []; }}"


def head() -> str:
    """What stands in the head of the page: it is run before all that Gradio makes."""
    return f"<style>\n{style()}</style>\n<script>\n{BUNDLE.read_text('utf-8')}</script>\n"


def style() -> str:
    """The CSS of the button that copies a link, and of what is said of one."""
    return (FOLDER / "link.css").read_text("utf-8")
