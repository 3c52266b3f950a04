"""What changes nothing in the output is said beside the maps that show it: it is measured, whatever the code looks like."""

from collections.abc import Callable

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.networks import sharpen
from vizapp.analysis.record import where_it_went

PICTURE = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
SEEN = torch.zeros(16, dtype=torch.bool)
SEEN[[0, 5, 9]] = True


def vit(**options: float) -> nn.Module:
    net = timm.create_model(
        "vit_tiny_patch16_224", img_size=64, depth=3, embed_dim=32, num_heads=2, num_classes=5, **options
    )
    return sharpen(net).eval()


def gated(gate: float) -> nn.Module:
    net = vit(init_values=1.0)
    nn.init.constant_(net.blocks[1].ls1.gamma, gate)
    return net


def masked(seen: Tensor) -> nn.Module:
    """Learned tokens in place of all patches but some, as while a masked autoencoder is trained."""
    net, token = vit(), torch.randn(32)
    net.patch_embed.register_forward_hook(lambda module, given, made: torch.where(seen[None, :, None], made, token))
    return net


class Mirrored(nn.Module):
    """The mean of the answers to a picture and to its mirror image."""

    def __init__(self, twice: bool) -> None:
        super().__init__()
        self.net, self.twice = vit(), twice

    def forward(self, x: Tensor) -> Tensor:
        return (self.net(x) + self.net(x.flip(-1))) / 2 if self.twice else self.net(x)


def moved() -> nn.Module:
    """Its patches move on by one behind the first layer."""
    net = vit()
    net.blocks[0].register_forward_hook(lambda _, given, x: torch.cat([x[:, :1], x[:, 1:].roll(1, 1)], 1))
    return net


SAID: dict[str, tuple[Callable[[], nn.Module], str]] = {
    "a gate of zero": (lambda: gated(0.0), "What blocks.1.attn attends to changes nothing in the output"),
    "a small gate": (lambda: gated(1e-6), ""),
    "masked": (lambda: masked(SEEN), "13 of 16 patches change nothing in the output"),
    "all seen": (lambda: masked(SEEN | True), ""),
    "mirrored": (lambda: Mirrored(True).eval(), "runs the same layers several times for a picture"),
    "not mirrored": (lambda: Mirrored(False).eval(), ""),
    "moved": (moved, ""),
}


@pytest.mark.parametrize("name", SAID)
def test_what_has_no_effect_is_said(name: str) -> None:
    make, said = SAID[name]
    torch.manual_seed(0)
    notes = vizapp.analyse(make(), PICTURE, labels=tuple("abcde")).notes
    found = [note for note in notes if "changes nothing" in note or "change nothing" in note or "several times" in note]
    assert len(found) == bool(said)
    assert all(said in note for note in found)


def test_tokens_that_move_on_between_layers_are_put_back() -> None:
    """Layer 1 sees each patch where it is on the picture, and not where it stands in the row of tokens."""
    torch.manual_seed(0)
    net = moved()
    seen = vizapp.analyse(net, PICTURE)
    maps: list[Tensor] = []
    attend = net.blocks[1].attn

    def keep(module: nn.Module, given: tuple[Tensor, ...]) -> None:
        q, k, _ = module.qkv(given[0]).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
        maps.append((q @ k.mT * module.scale).softmax(-1)[0])

    handle = attend.register_forward_pre_hook(keep)
    with torch.no_grad():
        net(seen.context.pixels)
    handle.remove()
    stands = torch.cat([torch.zeros(1, dtype=torch.long), 1 + (torch.arange(16) + 1) % 16])  # of each token
    torch.testing.assert_close(seen.trace.layers[1].map(), maps[0][:, stands][:, :, stands], rtol=0, atol=1e-5)


def test_what_a_window_gives_to_what_lies_beyond_the_picture_is_said() -> None:
    """VOLO looks in windows of 3 x 3, of which five ninths lie outside for the patch in the corner."""
    net = timm.create_model("volo_d1_224", num_classes=5).eval()
    seen = vizapp.analyse(net, np.zeros((224, 224, 3), np.uint8))
    one = vizapp.explain(seen, "attention", layer=0, query="0,0")
    missing = 1 - one.scores.sum()
    assert missing > 0.1
    assert where_it_went(seen, one).startswith(
        f"{one.scores.sum():.1%} on the picture's patches, {missing:.1%} on padding"
    )
    inside = vizapp.explain(seen, "attention", layer=0, query="9,9")
    assert "padding" not in where_it_went(seen, inside)


def test_zeros_of_half_precision_are_not_called_hidden() -> None:
    """A spelt-out mask: in float32 its patches are hatched, in float16 a note says why none is."""
    found = {}
    for dtype in (torch.float32, torch.float16):
        torch.manual_seed(0)
        seen = vizapp.analyse(Spelt().to(dtype).eval(), PICTURE, preprocess=vizapp.Preprocess((64, 64)))
        one = vizapp.explain(seen, "attention", layer=0, query="0,0")
        found[dtype] = (one.hidden is not None, any("In half precision" in note for note in one.notes))
    assert found == {torch.float32: (True, False), torch.float16: (False, True)}


class Spelt(nn.Module):
    """Each patch looks at those before it and at itself, with two maps that are mixed: the matrix is kept as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.q, self.k, self.v = nn.Conv2d(3, 32, 16, 16), *(nn.Linear(32, 32) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x).flatten(2).transpose(1, 2)[:, None]
        scores = (self.q(x) @ self.k(x).mT).masked_fill(torch.ones(16, 16).tril() == 0, -torch.inf)
        shares = 0.5 * scores.softmax(-1) + 0.5 * (2 * scores).softmax(-1)
        return (x + shares @ self.v(x)).mean((1, 2))
