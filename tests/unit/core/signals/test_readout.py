"""What the classifier of a network reads that nobody described: measured, not guessed from the names of its tokens."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import vizapp
from support import odd
from support.networks import sharpen
from vizapp import VizError
from vizapp.analysis.record import even_among
from vizapp.ui.viewer.attention_blocks import attention_blocks

PICTURE = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
FIVE = tuple("abcde")


def own(name: str, **options: Any) -> nn.Module:
    size = 56 if "patch14" in name else 64  # whole patches: a border that is never seen is refused
    return sharpen(timm.create_model(name, img_size=size, num_classes=5, **options))


@pytest.mark.parametrize(
    ("net", "readout"),
    [
        (own("vit_tiny_patch16_224", depth=2), "cls"),
        (own("vit_tiny_patch16_224", depth=2, global_pool="avg"), "mean"),
        (own("deit_tiny_distilled_patch16_224", depth=2), "extra0+extra1"),
        (own("vit_small_patch14_reg4_dinov2", depth=2), "extra0"),
        (own("vit_base_patch16_siglip_224", depth=2), "pool"),
    ],
    ids=["cls", "mean", "distilled", "registers", "pool"],
)
def test_it_is_what_the_gradient_says(net: nn.Module, readout: str) -> None:
    picture = np.zeros((56, 56, 3), np.uint8) if readout == "extra0" else PICTURE
    seen = vizapp.analyse(vizapp.describe(net, labels=FIVE), picture)
    assert seen.trace.readout == readout
    assert not any("Assumed: the readout" in note for note in seen.notes)
    if readout != "pool":
        assert seen.context.model.readout == readout
    assert all(parameter.grad is None for parameter in net.parameters())


class FourLayers(nn.Module):
    """DINOv2's linear classifier: CLS of several layers, side by side, after the last norm."""

    def __init__(self, layers: tuple[int, ...]) -> None:
        super().__init__()
        self.layers, self.trunk = layers, own("vit_tiny_patch16_224", depth=6)
        self.head = nn.Linear(192 * len(layers), 5)

    def forward(self, x: Tensor) -> Tensor:
        found = self.trunk.get_intermediate_layers(x, n=list(self.layers), return_prefix_tokens=True, norm=True)
        return self.head(torch.cat([prefix[:, 0] for _, prefix in found], 1))


class OutsideOfBlocks(odd.Net):
    """Sums stand outside of modules: what a layer hands on goes round all that come after it."""

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.embed(pixels).flatten(2).transpose(1, 2) + self.pos
        x = self.joined(self.cls.expand(len(x), -1, -1), x)
        for block in self.blocks:
            x = x + block.attn(block.norm(x))
        return self.read(x)


def odd_notes(kind: type[nn.Module]) -> list[str]:
    return [str(note) for note in odd.seen(odd.built(kind, depth=4)).notes if "also reads tokens" in note]


def test_a_head_that_reads_earlier_layers_too_is_said() -> None:
    def said(net: nn.Module) -> tuple[str, list[str]]:
        seen = vizapp.analyse(vizapp.describe(net.eval(), labels=FIVE), PICTURE)
        return seen.trace.readout, [str(note) for note in seen.notes if "also reads tokens" in note]

    readout, (note,) = said(FourLayers((2, 4, 5)))
    assert readout == "cls"
    assert note.startswith(
        "The output also reads tokens as they leave layer 3, 5 of 6, before later layers change them."
    )
    assert said(FourLayers((5,))) == ("cls", [])
    assert said(own("swin_tiny_patch4_window7_224", depths=(1, 1, 2, 1), window_size=2))[1] == []
    assert odd_notes(OutsideOfBlocks) == odd_notes(odd.Net) == []


def test_what_is_said_after_a_first_look_or_cannot_be_measured() -> None:
    net = own("vit_tiny_patch16_224", depth=2)
    assert vizapp.analyse(vizapp.describe(net, labels=FIVE, readout="mean"), PICTURE).trace.readout == "mean"
    silent = own("vit_tiny_patch16_224", depth=2)
    nn.init.zeros_(silent.head.weight)
    seen = vizapp.analyse(vizapp.describe(silent, labels=FIVE), PICTURE)
    assert seen.trace.readout == "cls"
    assert "Assumed: the readout of this network is cls" in seen.notes[-1]
    # What was found without a layout is not kept for a network that is then given one.
    net = sharpen(timm.create_model("vit_small_patch14_reg4_dinov2", img_size=56, num_classes=5, depth=2))
    vizapp.analyse(net, PICTURE)
    layout = vizapp.TokenLayout(("cls", "reg0", "reg1", "reg2", "reg3"), (4, 4))
    assert vizapp.analyse(net, PICTURE, layout=layout).trace.readout == "cls"


def test_slips_with_a_network_of_your_own() -> None:
    net = own("vit_tiny_patch16_224", depth=2)
    with pytest.raises(VizError, match="5 outputs, but 2 labels"):
        vizapp.analyse(vizapp.describe(net, labels=("a", "b")), PICTURE)
    with pytest.raises(VizError, match="failed on a picture of 1 x 3 x 64 x 64"):
        given = vizapp.Preprocess((64, 64), mean=(0.5,) * 3, std=(0.5,) * 3)
        vizapp.analyse(own("vit_tiny_patch16_224", depth=2, in_chans=1), PICTURE, preprocess=given)


def test_one_output_says_yes_or_no() -> None:
    """Its softmax would be 1 whatever the network thinks."""
    net = sharpen(timm.create_model("vit_tiny_patch16_224", img_size=64, num_classes=1, depth=2))
    seen = vizapp.analyse(vizapp.describe(net, labels=("tumour",)), PICTURE)
    ((label, share),) = seen.top()
    assert label == "tumour"
    assert share == pytest.approx(float(torch.sigmoid(seen.trace.logits[0])))
    assert vizapp.compare(seen, ["chefer"], steps=2).curves["chefer"].deletion[0] == pytest.approx(share, abs=1e-5)


class Causal(odd.Attention):
    """Each token looks at itself and at those before it."""

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Bare(odd.Net):
    """No CLS."""

    def joined(self, cls: Tensor, x: Tensor) -> Tensor:
        return x


def reading(
    how: Callable[[Tensor], Tensor], base: type[odd.Net] = Bare, attends: type[nn.Module] = odd.Attention
) -> nn.Module:
    """A network whose classifier gets `how` of its last tokens, or several such vectors one after the other."""

    class Net(base):  # type: ignore[valid-type,misc]
        attention = attends

        def __init__(self) -> None:
            super().__init__()
            self.head = nn.LazyLinear(5)

        def read(self, x: Tensor) -> Tensor:
            return self.head(how(self.norm(x)))

    torch.manual_seed(0)
    net = Net()
    net(odd.picture())
    with torch.no_grad():
        for block in net.blocks:
            block.attn.qkv.weight.mul_(3)
    return net.eval()


def looked(net: nn.Module, labels: tuple[str, ...] = ()) -> vizapp.Analysis:
    return vizapp.analyse(
        net, odd.picture(), preprocess=vizapp.Preprocess((32, 32), (0.5,) * 3, (0.5,) * 3), labels=labels
    )


def said(seen: vizapp.Analysis) -> list[str]:
    return [note for note in seen.notes if "readout" in note or "reads" in note]


@pytest.mark.parametrize("labels", [(), FIVE], ids=["features", "labels"])
@pytest.mark.parametrize(
    ("net", "readout", "tokens"),
    [
        (reading(lambda x: x[:, -1]), "3,3", [15]),
        (reading(lambda x: x[:, 6]), "1,2", [6]),
        (reading(lambda x: x[:, :4].mean(1)), "0,0..0,3", [0, 1, 2, 3]),
        (reading(lambda x: x[:, 3] + x[:, 9]), "0,3+2,1", [3, 9]),
        (reading(lambda x: x[:, 1:].mean(1)), "0,1..3,3", [*range(1, 16)]),
        (reading(lambda x: x[:, -1], attends=Causal), "3,3", [15]),
        (reading(lambda x: x[:, -1], odd.Net, Causal), "3,3", [16]),
        (reading(lambda x: x[:, 6], odd.Net), "1,1", [6]),
        (reading(lambda x: x[:, 0] + x[:, 6], odd.Net), "cls+1,1", [0, 6]),
        (reading(lambda x: x[:, 0], odd.Net), "cls", [0]),
        (reading(lambda x: x[:, 1:].mean(1), odd.Net), "mean", [*range(1, 17)]),
        (reading(lambda x: x.unflatten(1, (4, 4)).mean((1, 2))), "mean", [*range(16)]),
    ],
)
def test_any_set_of_tokens_is_a_readout(
    net: nn.Module, readout: str, tokens: list[int], labels: tuple[str, ...]
) -> None:
    seen = looked(net, labels)
    weights = torch.zeros(seen.trace.layout.n_tokens).index_fill(0, torch.tensor(tokens), 1 / len(tokens))
    assert (seen.trace.readout, said(seen)) == (readout, [])
    torch.testing.assert_close(seen.trace.query(), weights)
    for method in ("attention", "rollout"):
        found = vizapp.explain(seen, method)
        np.testing.assert_allclose(found.scores, vizapp.explain(seen, method, query=weights).scores, atol=1e-6)
        assert found.asked == readout
    (both, again) = vizapp.analyse_many(seen.context.model, [odd.picture(seed=2), odd.picture(seed=3)])
    assert both.trace.readout == again.trace.readout == readout


@pytest.mark.parametrize(
    ("net", "readout", "note"),
    [
        (reading(lambda x: torch.cat([x[:, 0], x[:, 6]], -1), odd.Net), "cls+1,1", "with weights that differ"),
        (reading(lambda x: x[:, 3] + 3 * x[:, 9]), "0,3+2,1", "with weights that differ"),
        (reading(lambda x: (torch.linspace(1, 2, 16)[:, None] * x).sum(1)), "mean", "more than a plain mean"),
        (reading(lambda x: x.flatten(1)), "mean", "more than a plain mean"),
        (reading(lambda x: torch.cat([x[:, 0], x[:, 1:].mean(1)], -1), odd.Net), "mean", "more than a plain mean"),
        (reading(lambda x: x[torch.arange(len(x)), x[..., 0].argmax(1)]), "mean", "changes from picture to picture"),
        (reading(lambda x: x.amax(1)), "mean", "changes from picture to picture"),
    ],
)
def test_what_is_no_plain_mean_is_said(net: nn.Module, readout: str, note: str) -> None:
    seen = looked(net)
    assert seen.trace.readout == readout
    assert note in said(seen)[0]


def test_without_gradients_it_is_assumed_in_words_with_and_without_cls() -> None:
    for base in (Bare, odd.Net):
        seen = looked(reading(lambda x: x[:, -1].detach(), base))
        assert said(seen) == [
            f"Assumed: the readout of this network is {seen.trace.readout}; vizapp.describe(net, readout=...) sets it."
        ]


class Merging(Bare):
    """Between its layers four patches become one."""

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.embed(pixels).flatten(2).transpose(1, 2) + self.pos
        x = self.blocks[0](x).transpose(1, 2).unflatten(2, (4, 4))
        x = self.blocks[1](F.avg_pool2d(x, 2).flatten(2).transpose(1, 2))
        return self.head(self.norm(x)[:, -1])


def test_a_patch_of_the_readout_is_one_of_the_last_grid() -> None:
    """In a layer of smaller patches it is those that lie on it, and not the one that has its number there."""
    trace = looked(odd.built(Merging)).trace
    assert (trace.layouts(0)[0].grid, trace.layout.grid, trace.readout) == ((4, 4), (2, 2), "1,1")
    assert trace.query().tolist() == [0, 0, 0, 1]
    corner = torch.zeros(4, 4)
    corner[2:, 2:] = 1 / 4
    torch.testing.assert_close(trace.query(layer=0), corner.flatten())
    assert trace.query("1,1", layer=0).argmax() == 5
    rows = attention_blocks(trace, 1_000_000).rows["1,1"]
    torch.testing.assert_close(rows[0], trace.layers[0].attend(corner.flatten()))


def test_a_run_of_patches_is_a_query() -> None:
    trace = looked(reading(lambda x: x[:, 0], odd.Net)).trace
    assert trace.query("0,2..1,0").nonzero().flatten().tolist() == [3, 4, 5]
    torch.testing.assert_close(trace.query("cls+0,0..0,2")[:4], torch.full((4,), 1 / 4))
    for wrong in ("1,0..0,2", "..", "0,0..", "0,0..9,9"):
        with pytest.raises(VizError):
            trace.query(wrong)


class Hidden(Causal):
    """The same, spelled out."""

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        later = torch.ones(q.shape[2], q.shape[2]).triu(1).bool()
        return (q @ k.mT / 2).masked_fill(later, -torch.inf).softmax(-1) @ v


@pytest.mark.parametrize("attends", [Causal, Hidden])
def test_an_even_spread_counts_the_keys_that_a_query_can_see(attends: type[nn.Module]) -> None:
    seen = looked(reading(lambda x: x[:, :4].mean(1), attends=attends))
    found = {
        query: even_among(seen, vizapp.explain(seen, "attention", query=query))
        for query in ("0,0", "1,1", "mean", None)
    }
    assert found == {"0,0": 1, "1,1": 6, "mean": 16, None: 4}
    assert even_among(seen, vizapp.explain(seen, "rollout", query="0,0")) == 16
    sent = attention_blocks(seen.trace, 1_000_000)
    assert [layer["mask"] for layer in sent.about["layers"]] == [0, 0]
    assert sent.about["masks"] == ["causal"]
    open_to_all = looked(reading(lambda x: x.mean(1)))
    assert even_among(open_to_all, vizapp.explain(open_to_all, "attention")) == 16
    plain = attention_blocks(open_to_all.trace, 1_000_000)
    assert "mask" not in json.dumps(plain.about)
    assert not any(name.startswith("mask") for name in plain.first | plain.rest)
