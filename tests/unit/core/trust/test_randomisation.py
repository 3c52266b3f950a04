"""Which weights are drawn anew: first those behind the last block, however blocks are written down and however many there are."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.networks import sharpen, small_vit
from support.streams import Own, ReadsAll, parallel, plain, seen_by, vit_pytorch
from vizapp.core.context import ExplainContext
from vizapp.core.trust.randomisation import randomised
from vizapp.core.trust.sinks import sinks
from vizapp.errors import VizError
from vizapp.model.vit import ViT


class Stages(ViT):
    """Each block in a list of its own, as hierarchical networks have their stages."""

    def __init__(self, depth: int) -> None:
        super().__init__(img_size=32, patch_size=8, embed_dim=16, depth=depth, num_heads=2, num_classes=5)
        self.stages = nn.ModuleList([nn.ModuleList([block]) for block in self.blocks])
        del self.blocks

    @property
    def blocks(self) -> nn.Module:
        return nn.Sequential(*(block for stage in self.stages for block in stage))


def transformers_vit(depth: int) -> nn.Module:
    """What its encoder gives is a dict with attributes."""
    from transformers import ViTConfig, ViTForImageClassification

    sizes = dict(hidden_size=16, num_attention_heads=2, intermediate_size=32, image_size=32, patch_size=8)
    return ViTForImageClassification(ViTConfig(num_hidden_layers=depth, num_labels=5, **sizes))


def shallow() -> nn.Module:
    return ViT(img_size=32, patch_size=8, embed_dim=16, depth=1, num_heads=2, num_classes=5)


# Name -> (network, its last block, what is behind it).
NETWORKS: dict[str, tuple[Callable[[], nn.Module], str | tuple[str, ...], tuple[str, ...]]] = {
    "one block": (shallow, "blocks.0.", ("norm", "head")),
    "one block in a list": (lambda: Stages(1), "stages.0.0.", ("norm", "head")),
    "lists of one block": (lambda: Stages(3), "stages.2.0.", ("norm", "head")),
    "one block, transformers": (
        lambda: transformers_vit(1),
        ("vit.layers.0.", "vit.encoder.layer.0."),
        ("vit.layernorm", "classifier"),
    ),
    "lists of attention and MLP": (lambda: Own(plain), "layers.2.", ("norm", "head")),
    "side by side in a list": (lambda: Own(parallel), "layers.2.", ("norm", "head")),
    "vit-pytorch": (vit_pytorch, "transformer.layers.2.", ("transformer.norm", "mlp_head")),
}


def drawn(seen: ExplainContext, blocks: int) -> set[str]:
    before = dict(seen.model.net.named_parameters())
    after = dict(randomised(seen, blocks).net.named_parameters())
    return {name for name in before if not torch.equal(before[name], after[name])}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_classifier_is_drawn_anew_and_nothing_before_it(name: str) -> None:
    """A list is never called, so that a hook on it cut nothing, and all of the network was drawn anew at once."""
    make, last, behind = NETWORKS[name]
    torch.manual_seed(0)
    seen = seen_by(sharpen(make()))
    every = [one for one, _ in seen.model.net.named_parameters()]
    classifier = {one for one in every if one.startswith(behind)}
    assert classifier
    assert drawn(seen, 0) == classifier
    assert drawn(seen, 1) == classifier | {one for one in every if one.startswith(last)}


def test_attention_does_not_ask_the_classifier_of_one_block() -> None:
    torch.manual_seed(0)
    seen = vizapp.analyse(sharpen(shallow()), torch.randn(1, 3, 32, 32), labels=tuple("abcde"))
    assert vizapp.sanity(seen, ["rollout"]).correlation["rollout"][0] == pytest.approx(1)


def test_what_has_no_classifier_or_blocks_is_refused() -> None:
    torch.manual_seed(0)
    with pytest.raises(VizError, match="goes round its blocks"):
        randomised(seen_by(sharpen(ReadsAll(plain))), 0)
    # Its attention leaves the stream to a sum outside of it: norms of what it gives would be no norms of tokens.
    torch.manual_seed(0)
    seen = seen_by(sharpen(Own(plain)))
    with pytest.raises(VizError, match="list of modules, which is never called"):
        sinks(seen.model, seen.pixels, seen.trace)

    class Constant(ViT):
        def forward(self, pixels: Tensor) -> Tensor:
            return super().forward(pixels).detach()

    torch.manual_seed(0)
    seen = seen_by(Constant(img_size=32, patch_size=8, embed_dim=16, depth=2, num_heads=2, num_classes=5).eval())
    with pytest.raises(VizError, match=r"no classifier to randomise|lets no gradient"):
        randomised(seen, 0)


@pytest.mark.parametrize("blocks", [-1, 4])
def test_no_more_blocks_than_there_are(blocks: int) -> None:
    """4 of 3 was the last one alone."""
    seen = seen_by(small_vit().net)
    with pytest.raises(VizError, match=f"{blocks} blocks cannot be randomised: ViT has 3"):
        randomised(seen, blocks)
