"""The pseudo-language itself: longer, in brackets, and of the same shape as English."""

from pathlib import Path

from support.pseudo import CLOSE, KEPT, OPEN, pseudo, pseudo_language
from support.together import together
from vizapp.errors import VizError
from vizapp.ui.words import languages, words_for
from vizapp.ui.words._sentences import fields
from vizapp.wording import Text


@together(
    "sentence",
    [
        "Compare",
        "{n} of {all}",
        "<b>Patch</b>: a square of the picture.",
        "<kbd>[</kbd> &nbsp; layer",
        "no",
        "\u2713 exact",
        "",
    ],
)
def test_brackets_and_length(sentence: str) -> None:
    made = pseudo(sentence)
    assert made.startswith(OPEN)
    assert made.endswith(CLOSE)
    assert KEPT.findall(made) == KEPT.findall(sentence)
    assert fields(made) == fields(sentence)
    assert len(KEPT.sub("", made)) >= 1.4 * len(KEPT.sub("", sentence))


def test_it_is_a_language_while_it_lasts(tmp_path: Path) -> None:
    before = languages()
    with pseudo_language(tmp_path, "xq") as name:
        assert name in languages()
        said = words_for(name)
        english = words_for("en")
        assert said.sections.keys() == english.sections.keys()
        assert all(said[section].keys() == english[section].keys() for section in said.sections)
        assert said["page"]["compare"].startswith(f"{OPEN}Compare")
        way = Text("through pip")  # sentences that code says: no others are in its catalog
        error = VizError("There is no language '{name}'.", "Choose one of: {names}.", name=way, names="a, b")
        explained = said.explain(error)
        assert explained.count(OPEN) == explained.count(CLOSE) == 3
        assert "through pip" in explained
    assert languages() == before
