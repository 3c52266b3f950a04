"""The little Markdown that docs/concepts.md is written in, as HTML: headings, paragraphs, code, strong and emphasised words."""

import re
from html import escape

MARKS = (
    (r"`([^`]+)`", r"<code>\1</code>"),
    (r"\*\*([^*]+)\*\*", r"<b>\1</b>"),
    (r"\*([^*\s](?:[^*]*[^*\s])?)\*", r"<i>\1</i>"),
)


def html_of(text: str) -> str:
    """Blocks are apart by empty lines; a line that begins with # is a heading, a block that is indented is code."""
    made = []
    apart = re.sub(r"^(#+ .*)$", r"\1\n", text, flags=re.MULTILINE)
    for block in re.split(r"\n\s*?\n(?=\S| {4})", apart.strip("\n")):
        if heading := re.match(r"(#+) (.*)", block):
            level = len(heading[1]) + 1  # the page has an h1 of its own
            made.append(f"<h{level}>{_marked(heading[2])}</h{level}>")
        elif all(line.startswith("    ") for line in block.strip("\n").split("\n")):
            lines = (line[4:] for line in block.strip("\n").split("\n"))
            made.append(f"<pre>{escape(chr(10).join(lines))}</pre>")
        else:
            made.append(f"<p>{_marked(block.strip())}</p>")
    return "".join(made)


def _marked(text: str) -> str:
    said = escape(text, quote=False)
    for mark, html in MARKS:
        said = re.sub(mark, html, said)
    return said
