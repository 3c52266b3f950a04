"""One glossary: what a word of the page means is said where it stands, by mouse, by Tab and by a tap; the help has it all.

The words are a section of the tables of words, key -> HTML. `data-term="score auc"` on an element names what explains it: `term`
makes one in Python, and `Words.fill` of the viewer in the HTML of panels; page.js shows the explanation.
"""

from html import escape
from pathlib import Path

from vizapp.ui.glossary.markdown import html_of
from vizapp.ui.words import DEFAULT, Words

FOLDER = Path(__file__).parent
CONCEPTS = FOLDER.parent / "words"  # en.md is docs/concepts.md; another language may bring its own


def term(key: str, text: str) -> str:
    """HTML of a word that says what it means; `key` is one of the glossary, or several with spaces."""
    return f'<span role="button" tabindex="0" data-term="{key}">{escape(text)}</span>'


def helped(words: Words) -> str:
    """HTML of the help: every word, and the way to the concepts."""
    page, known = words["page"], words["glossary"]
    explained = "".join(f'<p data-word="{key}">{said}</p>' for key, said in known.items())
    more = f'<button type="button" data-opens="concepts">{page["concepts"]}</button>'
    return (
        f'<details><summary title="{page["help"]}" aria-label="{page["help"]}">?</summary>'
        f'<div role="region" tabindex="0" aria-label="{page["help"]}">{more}<p>{page["help_careful"]}</p>{explained}</div>'
        "</details>"
        f'<dialog id="concepts" aria-label="{page["concepts_title"]}"><button type="button" data-closes>{page["close"]}</button>'
        f"<div>{html_of(concepts(words.language))}</div></dialog>"
    )


def concepts(language: str) -> str:
    """docs/concepts.md in a language, in English if there is none."""
    own = CONCEPTS / f"{language}.md"
    path = own if own.exists() else CONCEPTS / f"{DEFAULT}.md"
    text = path.read_text("utf-8")
    # Git on Windows writes a link as a file with the place that it leads to.
    return text if "\n" in text.strip() else (path.parent / text.strip()).read_text("utf-8")


def style() -> str:
    """The CSS of words that explain themselves."""
    return (FOLDER / "glossary.css").read_text("utf-8")


def script() -> str:
    """JavaScript for `js_on_load` of the element that holds `helped`."""
    return (FOLDER / "page.js").read_text("utf-8").replace("export function", "function") + "\nexplain(element);\n"
