"""An edited analysis is an ordinary one: each method explains the edited network, and each file and figure says what was done."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from matplotlib.text import Text

import vizapp
from support.networks import hooks_of, sharpen, small_vit
from vizapp import VizError, cli
from vizapp.analysis import Analysis, Request
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.interventions import parse
from vizapp.core.interventions.head_off import HeadOff
from vizapp.core.methods import method_named, methods
from vizapp.core.trust.randomisation import randomised
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.ui.viewer.payload import pack

pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
pytest.importorskip("scipy", reason="scipy is an extra: pip install vizapp[methods]")

QUICK = {"rise": {"masks": 16}, "smooth_grad": {"samples": 4}, "integrated_gradients": {"steps": 4}}
EDIT = HeadOff(1, 2)
# These follow products of q, k and v by rules of their own: there, a map that is even because q is nothing takes relevance
# that a map that is even by decree does not.
BY_PRODUCTS = {"attn_lrp", "transformer_attribution", "partial_lrp"}


def without_rows(model: VisionModel, part: int, edit: HeadOff = EDIT) -> VisionModel:
    """Another network, with weights of its own: the head has no values (part 2), or no queries (part 0)."""
    net = copy.deepcopy(model.net)
    qkv, width = net.blocks[edit.layer].attn.qkv, net.blocks[edit.layer].attn.head_dim
    first = part * qkv.out_features // 3 + edit.head * width
    with torch.no_grad():
        qkv.weight[first : first + width] = 0
        qkv.bias[first : first + width] = 0
    return replace(model, net=net)


@pytest.fixture(scope="module")
def model() -> VisionModel:
    return small_vit()


@pytest.fixture(scope="module", params=["zero", "uniform"])
def pair(request: pytest.FixtureRequest, model: VisionModel, picture: np.ndarray) -> tuple[Analysis, Analysis]:
    """Edited, and the network that was made so."""
    edited = vizapp.analyse(model, picture, edits=[replace(EDIT, by=request.param)])
    return edited, vizapp.analyse(without_rows(model, 2 if request.param == "zero" else 0), picture)


HERE = [name for name in methods() if name != "cross_attention"]  # of which a plain ViT has none


@pytest.mark.parametrize("name", HERE)
def test_every_method_explains_the_edited_network(
    name: str, pair: tuple[Analysis, Analysis], picture: np.ndarray
) -> None:
    """As one whose weights are so. Wherever a method runs the network again, it runs under the edit."""
    edited, by_weights = pair
    method, settings = method_named(name), QUICK.get(name, {})
    target = 1 if method.class_specific else None
    found = vizapp.explain(edited, name, target=target, **settings)
    assert found.scores.shape == edited.trace.layout.grid
    assert np.isfinite(found.scores).all()
    if edited.edits[0].by == "zero" or name not in BY_PRODUCTS:
        expected = vizapp.explain(by_weights, name, target=target, **settings)
        largest = np.abs(expected.scores).max()
        np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=2e-5 * max(largest, 1e-3))
    assert hooks_of(edited.context.model.net) == 0
    again = edited.context.model.net(edited.context.pixels)
    torch.testing.assert_close(again[0].detach(), edited.trace.logits, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["partial_lrp", "transformer_attribution"])
def test_deep_taylor_refuses_an_even_head_where_windows_hide_keys(name: str) -> None:
    """Decision 0014: its mean is a product with a constant matrix, for which the paper has no rule. Shifted windows hide keys."""
    options = {"img_size": 56, "depths": (2,), "num_heads": (2,), "num_classes": 2, "embed_dim": 32}
    net = sharpen(timm.create_model("swin_tiny_patch4_window7_224", **options))
    model = VisionModel("swin", net, (), (), None, Preprocess((56, 56)), labels=("a", "b"), readout="")
    picture = np.random.default_rng(0).integers(0, 255, (56, 56, 3), dtype=np.uint8)
    for edit in (HeadOff(0, 1, "uniform"), HeadOff(1, 1)):
        assert np.isfinite(vizapp.explain(vizapp.analyse(model, picture, edits=edit), name).scores).all()
    seen = vizapp.analyse(model, picture, edits=HeadOff(1, 1, "uniform"))
    with pytest.raises(VizError, match="no relevance rule for a product with a constant matrix"):
        vizapp.explain(seen, name)


NEEDLESS = {"random", "centre"}  # baselines look at nothing


def test_most_methods_notice(model: VisionModel, picture: np.ndarray, pair: tuple[Analysis, Analysis]) -> None:
    """The test above could not fail if edits changed nothing."""
    plain = vizapp.analyse(model, picture)
    same = set()
    for name in HERE:
        settings = QUICK.get(name, {})
        target = 1 if method_named(name).class_specific else None
        before, after = (vizapp.explain(one, name, target=target, **settings).scores for one in (plain, pair[0]))
        same |= {name} if np.abs(before - after).max() < 1e-6 else set()
    assert same <= NEEDLESS | {"attention_flow"}


def test_compare_sanity_and_the_page_take_it_as_any_other(pair: tuple[Analysis, Analysis]) -> None:
    edited, by_weights = pair
    names = ["rollout", "chefer"]
    first, second = (vizapp.compare(one, names, target=1, steps=4) for one in (edited, by_weights))
    for name in names:
        np.testing.assert_allclose(first.curves[name].areas, second.curves[name].areas, rtol=0, atol=1e-5)
    found = vizapp.sanity(edited, names)
    assert all(np.isfinite(values).all() for values in found.correlation.values())
    edited, _ = pair
    forgetful = randomised(edited.context, 1)
    pixels = edited.context.pixels
    with torch.no_grad():
        under, plain = forgetful.net(pixels), forgetful.net.__dict__["plain_model"].net(pixels)
    assert not torch.equal(under, plain)
    assert forgetful.net.__dict__["plain_model"].net is not edited.context.model.net.__dict__["plain_model"].net
    assert pack(pair[0])[:4] == b"VIZ1"


def test_several_pictures_at_once(model: VisionModel, picture: np.ndarray) -> None:
    pictures = [picture, picture[::-1].copy(), picture[:, ::-1].copy()]
    for seen, one in zip(vizapp.analyse_many(model, pictures, edits=EDIT), pictures, strict=True):
        alone = vizapp.analyse(model, one, edits=[str(EDIT)])
        torch.testing.assert_close(seen.trace.logits, alone.trace.logits)
        assert seen.edits == alone.edits == (EDIT,)
        assert seen.notes == alone.notes


def test_no_edit_costs_nothing_and_left_out_patches_keep_theirs(model: VisionModel, picture: np.ndarray) -> None:
    plain, asked = vizapp.analyse(model, picture), vizapp.analyse(model, picture, edits=())
    assert asked.context.model is model
    assert asked.edits == ()
    assert torch.equal(plain.trace.logits, asked.trace.logits)
    assert isinstance(asked.trace, AttentionTrace)
    seen = vizapp.leave_out(vizapp.analyse(model, picture, edits=EDIT), [(0, 0)])
    assert seen.edits == (EDIT,)
    with pytest.raises(VizError):
        vizapp.explain(seen, "chefer")


def test_words_and_files_say_what_was_done(model: VisionModel, picture: np.ndarray, tmp_path: Path) -> None:
    seen = vizapp.analyse(model, picture, edits=["head-off:1.2", "head-off:0.0=uniform"])
    notes = [
        "Edited: head-off:1.2 (counted from 1: head 3 of layer 2), which writes nothing; attention maps and rollout still show "
        "where it looked.",
        "Edited: head-off:0.0=uniform (counted from 1: head 1 of layer 1), which attends evenly to all that it may see.",
    ]
    assert list(seen.notes) == notes
    relevance = vizapp.explain(seen, "rollout")
    vizapp.save(seen, relevance, tmp_path / "out.npz")
    about = json.loads(str(np.load(tmp_path / "out.npz")["about"]))
    assert about["edits"] == ["head-off:1.2", "head-off:0.0=uniform"]
    assert [parse(text) for text in about["edits"]] == list(seen.edits)
    assert about["notes"] == notes
    words = "".join(text.get_text() for text in vizapp.plot(seen, relevance).findobj(Text))
    assert "small(head-off:1.2,head-off:0.0=uniform)" in "".join(words.split()), "lines may break anywhere"


def test_the_command_line_edits(tmp_path: Path, capsys: pytest.CaptureFixture[str], picture: np.ndarray) -> None:
    from PIL import Image

    Image.fromarray(picture).save(tmp_path / "in.png")
    out = tmp_path / "out.npz"
    common = ["explain", str(tmp_path / "in.png"), "--device", "cpu", "-o", str(out)]
    assert cli.main([*common, "--edit", "head-off:4.3", "--edit", "head-off:4.2=uniform"]) == 0
    assert (
        "note: Edited: head-off:4.3 (counted from 1: head 4 of layer 5), which writes nothing"
        in capsys.readouterr().err
    )
    seen = vizapp.analyse("toy", picture, edits=["head-off:-1.3", "head-off:4.2=uniform"])
    assert list(map(str, seen.edits)) == ["head-off:4.3", "head-off:4.2=uniform"], (
        "the number that a reader wants to know"
    )
    np.testing.assert_allclose(np.load(out)["logits"], seen.trace.logits.numpy(), rtol=0, atol=1e-4)
    assert cli.main([*common, "--edit", "head-off:9.3"]) == 2
    assert "There is no layer 9: this model has 5." in capsys.readouterr().err
    assert cli.main([*common, "--edit", "heads"]) == 2
    assert "head-off:LAYER.HEAD" in capsys.readouterr().err


def test_a_request_is_a_key_that_can_be_read() -> None:
    one, same = (Request("photo.jpg", "toy", "crop", (HeadOff(5, 3),)) for _ in range(2))
    assert {one: 1}[same] == 1
    assert one != replace(one, edits=())
    assert str(one) == "photo.jpg seen by toy (crop), head-off:5.3"
    assert str(replace(one, edits=())) == "photo.jpg seen by toy (crop)"
