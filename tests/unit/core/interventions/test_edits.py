"""A head switched off gives what a hand-written change of the plain network gives, however the network spells attention."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.edits import BOTH, assert_as_by_hand, hooked, loud, multihead_by_hand, run, unknown
from support.networks import Encoder, HeadsFirst, hooks_of, pixels_for, sharpen, small_vit
from support.spellings import COLS, DIM, HEADS, KINDS, ROWS, Folded, Spelt
from support.together import together
from vizapp.core.capture.call import Call
from vizapp.core.capture.forward import capture
from vizapp.core.capture.watch import Watch
from vizapp.core.interventions import Edit, edits, parse, parse_all
from vizapp.core.interventions.apply import edited, resolved, sites
from vizapp.core.interventions.head_off import HeadOff
from vizapp.errors import VizError


class Asking(nn.Module):
    """One torch.nn.MultiheadAttention on its slow path: with need_weights it is spelled with baddbmm and bmm."""

    def __init__(self, need_weights: bool) -> None:
        super().__init__()
        self.patches, self.need_weights = nn.Conv2d(3, 32, 8, 8), need_weights
        self.attend, self.head = nn.MultiheadAttention(32, 4, batch_first=True), nn.Linear(32, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        return self.head(x + self.attend(x, x, x, need_weights=self.need_weights)[0]).amax(1)


@BOTH
@pytest.mark.parametrize("need_weights", [True, False])
def test_pytorchs_own_attention(by: Any, need_weights: bool) -> None:
    torch.manual_seed(0)
    net = loud(Asking(need_weights))
    edit = HeadOff(0, 2, by)
    assert_as_by_hand(unknown(net), edit, multihead_by_hand(net, "attend", edit))


class Windows(nn.Module):
    """Two windows in one softmax, told apart as Swin does it: what is in the other has a bias of -100, not of -inf."""

    def __init__(self) -> None:
        super().__init__()
        self.patches, self.qkv, self.proj = nn.Conv2d(3, 32, 8, 8), nn.Linear(32, 96), nn.Linear(32, 32)
        self.head = nn.Linear(32, 5)
        window = torch.arange(36) // 18
        self.register_buffer("mask", -100.0 * (window[:, None] != window).float())

    def forward(self, pixels: Tensor, even: int | None = None) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        q, k, v = self.qkv(x).unflatten(-1, (3, 4, -1)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask)
        if even is not None:
            mixed[:, even] = torch.cat(
                [one.mean(-2, keepdim=True).expand_as(one) for one in v[:, even].chunk(2, -2)], -2
            )
        return self.head(x + self.proj(mixed.transpose(1, 2).flatten(2))).amax(1)


def test_an_even_head_keeps_to_its_window() -> None:
    torch.manual_seed(0)
    net = loud(Windows())
    assert_as_by_hand(unknown(net), HeadOff(0, 2, "uniform"), lambda pixels: net(pixels, even=2))


@pytest.mark.parametrize("norm_first", [True, False])
def test_pytorchs_own_encoder(norm_first: bool) -> None:
    """It has a fast path for the whole layer. A head whose values are nothing is a head that is off."""
    torch.manual_seed(0)
    net = loud(Encoder(norm_first, width=32, heads=4))
    other = copy.deepcopy(net)
    attention = other.encoder.layers[1].self_attn
    attention.in_proj_weight.data[64 + 16 : 64 + 24] = 0
    attention.in_proj_bias.data[64 + 16 : 64 + 24] = 0
    assert_as_by_hand(unknown(net, (32, 48)), HeadOff(1, 2), lambda x: run(other, x))


@BOTH
def test_heads_of_every_layer_of_our_own_toy(by: Any) -> None:
    model = vizapp.load("toy", "cpu")
    pixels = pixels_for(model)
    for layer, head in [(0, 5), (1, 0), (2, 4), (3, 1), (4, 2), (4, 3)]:

        def hook(module: nn.Module, inputs: object, output: Tensor, head: int = head) -> Tensor:
            output = output.clone()
            output[:, head] = 0 if by == "zero" else 1 / output.shape[-1]
            return output

        with hooked(model.net.blocks[layer].attn.softmax.register_forward_hook(hook)):
            expected = run(model.net, pixels)
        found = run(edited(model, [HeadOff(layer, head, by)]).net, pixels)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-5 * float(expected.abs().max()))


class Outer(Spelt):
    """An einsum whose result has its axes in another order than a product would."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return torch.einsum("bhij,bhjd->bidh", (q @ k.mT).softmax(-1), v)


SPELLINGS: dict[str, Callable[[], Spelt]] = {
    **{kind.__name__: kind for kind in (*KINDS, Outer)},
    **{f"Folded {order}": lambda order=order: Folded(order) for order in ("rch", "hrc", "rhc")},
}


@BOTH
@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings(name: str, by: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spelt, "forward", lambda self, pixels: self.attend(self.tokens(pixels)).flatten(1))
    if by == "uniform" and name == "Interrupted":
        pytest.skip("its heads are mixed after the softmax: no query makes one even")
    torch.manual_seed(0)
    net = SPELLINGS[name]().double().eval()
    other = copy.deepcopy(net)
    first = (2 if by == "zero" else 0) * HEADS * DIM + DIM  # values or queries of the second head
    with torch.no_grad():
        other.qkv.weight[first : first + DIM] = 0
        other.qkv.bias[first : first + DIM] = 0
    model = unknown(net, (4 * ROWS, 4 * COLS))
    batch = 1 if name.startswith("Folded") else 3
    assert_as_by_hand(model, HeadOff(0, 1, by), lambda pixels: run(other, pixels), batch)


def test_heads_before_pictures_in_one_axis_are_not_edited_in_a_batch() -> None:
    """Nothing in the shapes tells it from pictures before heads, where the edit would hit another head of another picture."""

    torch.manual_seed(0)
    model = unknown(HeadsFirst().double(), (4 * ROWS, 4 * COLS))
    changed = edited(model, [HeadOff(0, 1)])
    run(changed.net, pixels_for(model))
    with pytest.raises(VizError, match="one picture after the other"):
        run(changed.net, pixels_for(model, batch=2))


@BOTH
def test_layers_below_are_as_they_were_and_those_above_are_not(by: Any) -> None:
    model = small_vit()
    pixels = pixels_for(model)
    plain, changed = capture(model, pixels), capture(edited(model, [HeadOff(1, 2, by)]), pixels)
    assert torch.equal(plain.layers[0].map(), changed.layers[0].map())
    others = [0, 1, 3]
    assert torch.equal(plain.layers[1].map()[others], changed.layers[1].map()[others])
    assert not torch.equal(plain.layers[2].map(), changed.layers[2].map())
    if by == "uniform":
        even = torch.full_like(changed.layers[1].map()[2], 1 / changed.layers[1].n_keys)
        torch.testing.assert_close(changed.layers[1].map()[2], even, rtol=1e-5, atol=0)
    else:
        assert torch.equal(plain.layers[1].map()[2], changed.layers[1].map()[2]), "what it looked at can still be seen"


def test_all_heads_of_a_layer_off_is_a_layer_that_adds_its_bias_only() -> None:
    model = small_vit()
    pixels = pixels_for(model)
    changed = edited(model, [HeadOff(1, head) for head in range(4)])

    def only_bias(module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (torch.zeros_like(inputs[0]),)

    with hooked(model.net.blocks[1].attn.proj.register_forward_pre_hook(only_bias)):
        expected = run(model.net, pixels)
    torch.testing.assert_close(run(changed.net, pixels), expected, rtol=0, atol=1e-6)


def test_an_even_head_has_the_denominators_of_its_own_map() -> None:
    """Those that the kernel told are of the head as it was; a column is made of them."""
    net = sharpen(timm.create_model("vit_tiny_patch16_224", depth=1, img_size=48, num_classes=5))
    layer = vizapp.analyse(net, np.zeros((48, 48, 3), np.uint8), edits=["head-off:0.1=uniform"]).trace.layers[0]
    assert layer.logsumexp is not None
    torch.testing.assert_close(layer.logsumexp, layer.scores(torch.arange(10)).logsumexp(-1))


def test_no_edit_is_the_model_itself_and_layers_count_from_the_end_too() -> None:
    model = small_vit()
    assert edited(model, ()) is model
    model = small_vit()
    last = HeadOff(2, 1)
    assert resolved(model, [parse("head-off:-1.1"), last, HeadOff(-3, 0)]) == (last, HeadOff(0, 0))
    assert edited(model, [HeadOff(-1, 1)]).notes == (last.note,)
    pixels = pixels_for(model)
    found, expected = (run(edited(model, [edit]).net, pixels) for edit in (HeadOff(-1, 1), last))
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    assert not torch.equal(found, run(model.net, pixels))


def test_an_edited_pass_and_a_plain_one_at_the_same_time() -> None:
    """Within a watch of the plain network, on the same thread, the edited one runs, and the other way round."""
    model = small_vit()
    pixels, changed = pixels_for(model), edited(model, [HeadOff(0, 0)])
    plain, expected = run(model.net, pixels), run(changed.net, pixels)
    calls: list[Call] = []
    with torch.no_grad(), Watch(model.net, calls.append):
        assert torch.equal(run(changed.net, pixels), expected)
        assert torch.equal(run(model.net, pixels), plain)
    with torch.no_grad(), Watch(changed.net, calls.append):
        assert torch.equal(run(model.net, pixels), plain)
        assert torch.equal(run(changed.net, pixels), expected)


def test_what_does_not_exist_is_refused_at_once() -> None:
    model = small_vit()
    for edit, words in (
        (HeadOff(3, 0), "no layer 3: this model has 3"),
        (HeadOff(-4, 0), "no layer -4: this model has 3"),
        (HeadOff(0, 4), "no head 4: layer 0 has 4"),
    ):
        with pytest.raises(VizError, match=words):
            edited(model, [edit])
    with pytest.raises(VizError, match="edited already"):
        edited(edited(model, [HeadOff(0, 0)]), [HeadOff(0, 1)])
    with pytest.raises(VizError, match="no attention between patches"):
        sites(unknown(timm.create_model("xcit_nano_12_p16_224", depth=1, num_classes=1), (224, 224)))


def test_two_edits_of_one_head_are_refused() -> None:
    model = small_vit()
    one, other = HeadOff(0, 1), HeadOff(0, 1, "uniform")
    assert edited(model, [one, HeadOff(1, 1), one]).notes == (one.note, HeadOff(1, 1).note), (
        "what is said twice is done once"
    )
    for given in ([one, other], [other, one]):
        with pytest.raises(VizError, match=r"edits head-off:0.1\S* and head-off:0.1\S* change the same"):
            edited(model, given)
    run(edited(model, [one, HeadOff(1, 1), HeadOff(0, 2, "uniform")]).net, pixels_for(model))


def test_an_edit_that_is_not_reached_is_no_edit() -> None:
    """The network attends on noise, where its layers are counted, and takes another way on a dark picture."""

    class Sometimes(Spelt):
        def attend(self, x: Tensor) -> Tensor:
            q, k, v = self.heads(x)
            return (q @ k.mT).softmax(-1) @ v if self.bright else v

        def forward(self, pixels: Tensor) -> Tensor:
            self.bright = bool(pixels.any())
            return super().forward(pixels)

    torch.manual_seed(0)
    model = unknown(Sometimes(), (4 * ROWS, 4 * COLS))
    changed = edited(model, [HeadOff(0, 0)])
    run(changed.net, pixels_for(model))
    with pytest.raises(VizError, match="applied 0 times, not once"):
        run(changed.net, torch.zeros_like(pixels_for(model)))
    assert hooks_of(model.net) == 0


def test_an_edit_must_not_write_into_what_it_is_given() -> None:
    model = small_vit()

    def writes(call: Call) -> None:
        call.output.zero_()

    watch = Watch(model.net, lambda call: None, edit=writes)
    with pytest.raises(VizError, match=r"blocks.0.attn wrote into call.output"), torch.no_grad(), watch:
        model.net(pixels_for(model))


def test_a_callback_replaces_the_result_and_must_fit_it() -> None:
    model = small_vit()
    pixels = pixels_for(model)
    calls: list[Call] = []
    with torch.no_grad(), Watch(model.net, calls.append, edit=lambda call: call.output * 2):
        doubled = run(model.net, pixels)
    assert not torch.equal(doubled, run(model.net, pixels))
    with torch.no_grad(), Watch(model.net, calls.append, edit=lambda call: None):
        assert torch.equal(run(model.net, pixels), run(model.net, pixels))
    for wrong in (lambda call: call.output[..., :1], lambda call: call.output.double()):
        watch = Watch(model.net, calls.append, edit=wrong)
        with pytest.raises(VizError, match="but the network needs"), torch.no_grad(), watch:
            model.net(pixels)


def test_text_and_back() -> None:
    for text, edit in (("head-off:5.3", HeadOff(5, 3)), ("head-off:0.11=uniform", HeadOff(0, 11, "uniform"))):
        assert parse(text) == parse(edit) == edit
        assert str(edit) == text
        assert hash(parse(text)) == hash(edit)
    assert str(parse("head-off:5.3=zero")) == "head-off:5.3"
    assert parse_all(["head-off:1.1", HeadOff(1, 1), "head-off:0.0"]) == (HeadOff(1, 1), HeadOff(0, 0))
    assert parse_all("head-off:1.1") == (HeadOff(1, 1),)


@together(
    "text",
    [
        "head-off",
        "head-off:",
        "head-off:5",
        "head-off:5.3=mean",
        "head-off:5.-1",
        "head-off:a.b",
        "heads:5.3",
        "5.3",
        "",
    ],
)
def test_what_is_no_edit_is_said(text: str) -> None:
    with pytest.raises(VizError):
        parse(text)


def test_what_an_edit_says_of_itself() -> None:
    assert "head-off" in edits()
    for name, kind in edits().items():
        assert issubclass(kind, Edit)
        assert kind.form.startswith(f"{name}:")
        assert kind.title
        assert kind.sentence.endswith(".")
        assert kind.paper
    said = HeadOff(5, 3).note
    assert said.startswith("Edited: head-off:5.3 (counted from 1: head 4 of layer 6), which writes nothing;")
    assert "attention maps and rollout still show where it looked" in said
    assert "attends evenly" in HeadOff(5, 3, "uniform").note
    assert "still" not in HeadOff(5, 3, "uniform").note, "its map is even, too"
