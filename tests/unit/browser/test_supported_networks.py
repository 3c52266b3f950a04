"""Which networks the page without a server runs itself."""

import pytest
from torch import nn

from support.networks import small_vit
from vizapp.browser.supported_networks import described
from vizapp.errors import VizError


@pytest.mark.parametrize("cut", [{"padding": 2}, {"padding": 6, "dilation": 2}, {"padding": "same", "stride": 1}])
def test_a_network_whose_patches_overlap_or_are_padded_is_refused(cut: dict) -> None:
    """The engine cuts pictures into squares side by side. Its own ViT is not run beside what was read of it."""
    model = small_vit()
    assert described(model).parts["patch"] == 8
    width = model.net.patch_embed.proj.out_channels
    model.net.patch_embed.proj = nn.Conv2d(3, width, 8, **{"stride": 8} | cut)
    with pytest.raises(VizError, match="overlap, or begin beyond the picture"):
        described(model)
