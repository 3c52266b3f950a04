"""What an exported page offers: which networks it runs itself, and which methods."""

import re

import pytest
from torch import nn

from support.networks import small_vit
from support.paths import ROOT
from vizapp.browser.methods import OF_GENERATORS, elsewhere, method_list
from vizapp.browser.supported_networks import described
from vizapp.core.methods import methods
from vizapp.errors import VizError
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


@pytest.mark.parametrize("cut", [{"padding": (0, 2)}, {"dilation": (1, 2)}, {"stride": (8, 4)}])
def test_a_network_whose_patches_overlap_or_are_padded_is_refused(cut: dict) -> None:
    """The engine cuts pictures into squares side by side. Its own ViT is not run beside what was read of it."""
    model = small_vit()
    assert described(model).parts["patch"] == 8
    width = model.net.patch_embed.proj.out_channels
    model.net.patch_embed.proj = nn.Conv2d(3, width, 8, **{"stride": 8} | cut)
    with pytest.raises(VizError, match="overlap, or begin beyond the picture"):
        described(model)
