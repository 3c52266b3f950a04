"""vizapp/browser/methods.py: what a page says of methods is what its engine has, and every other method is named."""

import re

from support.paths import ROOT
from vizapp.browser.methods import OF_GENERATORS, elsewhere, method_list
from vizapp.core.methods import methods
from vizapp.ui.words import words_for
from vizapp.vocabulary import BROWSER_METHODS
from vizapp.wording import Text


def test_the_page_offers_what_the_engine_has() -> None:
    index = (ROOT / "vizapp" / "browser" / "engine" / "methods" / "index.js").read_text("utf-8")
    table = index.partition("export const methods = {")[2]
    assert set(re.findall(r"^  (\w+)", table, re.MULTILINE)) == set(BROWSER_METHODS)
    assert not any(methods()[name].needs not in ((), ("written",)) for name in BROWSER_METHODS), "one needs gradients"


def test_every_other_method_is_named() -> None:
    for language in ("en", "zh"):
        words = words_for(language)
        said = elsewhere(words) + "".join(one["title"] for one in method_list(words))
        assert [one.name for one in methods().values() if words.translate(Text(one.title)) not in said] == list(
            OF_GENERATORS
        )
