"""An analysis in a file: everything but the network, to the last bit, and nothing that could run."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from safetensors.torch import save_file
from torch import nn

import vizapp
from support.networks import sharpen, small_vit
from vizapp.analysis import Analysis, Truth, archive, provenance
from vizapp.core.attention.parts import parts_of, with_tensors
from vizapp.errors import VizError
from vizapp.wording import Text


def vit() -> Any:
    return replace(small_vit(reg_tokens=1), notes=(Text("The weights of {name} are random.", name="small"),))


def swin() -> nn.Module:
    return timm.create_model("swin_tiny_patch4_window7_224", img_size=56, depths=(2, 2, 1, 1), num_classes=3)


def pooled() -> nn.Module:
    return timm.create_model("vit_base_patch16_siglip_224", img_size=32, depth=2, embed_dim=64, num_heads=2)


def half() -> nn.Module:
    return timm.create_model("vit_tiny_patch16_224", img_size=32, depth=2).to(torch.bfloat16)


def talking() -> nn.Module:
    """Heads that are mixed after the softmax: matrices, not factors."""
    return timm.create_model("cait_xxs24_224", img_size=32, depth=2, num_classes=3)


@pytest.fixture(params=[vit, swin, pooled, half, talking], ids=lambda make: make.__name__)
def seen(request: pytest.FixtureRequest, picture: np.ndarray) -> Analysis:
    torch.manual_seed(0)
    model = request.param()
    model = sharpen(model) if isinstance(model, nn.Module) else model
    mask = np.zeros(picture.shape[:2], bool)
    mask[3:9, 5:17] = True
    return vizapp.analyse(model, picture, truth=[Truth("cat", mask), Truth("mark", ~mask, is_object=False)])


def same(one: Any, other: Any) -> bool:
    """To the last bit, with the same types, all the way down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, Text):
        return one == other and (one.key, one.values) == (other.key, other.values)
    if hasattr(one, "__dict__") and type(one).__module__.startswith("vizapp"):
        return same(parts_of(one), parts_of(other))
    return one == other


def test_a_round_trip_is_exact(seen: Analysis, tmp_path: Path) -> None:
    seen.save(tmp_path / "photo.vizapp")
    again = vizapp.open(tmp_path / "photo.vizapp")
    for one in fields(Analysis):
        if one.name not in ("context", "origin", "_classes"):
            assert same(getattr(again, one.name), getattr(seen, one.name)), one.name
    assert again.context is None
    assert again.origin["weights_sha256"] == provenance.weights_sha256(seen.context.model.net)
    for own, layer in zip(again.trace.layers, seen.trace.layers, strict=True):
        assert torch.equal(own.map(), layer.map())
        assert same(own.compact(10**9).tensors, layer.compact(10**9).tensors)
    for method in ("attention", "rollout"):
        for index in range(len(seen.trace.layers)):
            try:
                expected = vizapp.explain(seen, method, query="mean", layer=index)
            except VizError as error:
                with pytest.raises(VizError, match=str(error)[:20]):
                    vizapp.explain(again, method, query="mean", layer=index)
                continue
            assert same(vizapp.explain(again, method, query="mean", layer=index).scores, expected.scores)
    again.save(tmp_path / "again.vizapp")
    assert (tmp_path / "again.vizapp").stat().st_size == (tmp_path / "photo.vizapp").stat().st_size


def test_a_matrix_is_not_its_transpose(tmp_path: Path) -> None:
    """In one memory, of one shape: one of them twice would be a network of queries that are keys."""
    matrix = torch.arange(9.0).reshape(3, 3)
    archive.write(tmp_path / "both", {"one": matrix, "turned": matrix.T, "again": matrix})
    found = archive.read(tmp_path / "both", {})
    assert [found[name].tolist() for name in found] == [one.tolist() for one in (matrix, matrix.T, matrix)]
    # Whatever a file asks for.
    archive.write(tmp_path / "evil", {"trace": vizapp.Style()})
    with pytest.raises(VizError, match="KeyError: 'Style'"):
        archive.read(tmp_path / "evil", {})


def test_the_file_has_the_edit_and_is_about_as_large_as_the_trace(picture: np.ndarray, tmp_path: Path) -> None:
    net = timm.create_model("vit_tiny_patch16_224", num_classes=10).eval()
    seen = vizapp.analyse(net, picture)
    seen.save(tmp_path / "photo.vizapp")
    assert (tmp_path / "photo.vizapp").stat().st_size < 1.01 * seen.trace.nbytes + 20_000
    assert b"blocks.0.mlp" not in (tmp_path / "photo.vizapp").read_bytes()
    seen = vizapp.analyse(small_vit(), picture, edits="head-off:1.2=uniform")
    seen.save(tmp_path / "edited.vizapp")
    again = vizapp.open(str(tmp_path / "edited.vizapp"))
    assert again.edits == seen.edits
    assert again.notes == seen.notes


def test_methods_that_need_the_network_say_so(picture: np.ndarray, tmp_path: Path) -> None:
    vizapp.analyse(small_vit(), picture).save(tmp_path / "photo.vizapp")
    seen = vizapp.open(tmp_path / "photo.vizapp")
    for method in ("chefer", "grad_cam", "value_rollout", "occlusion"):
        with pytest.raises(VizError, match="holds n"):
            vizapp.explain(seen, method)
    with pytest.raises(VizError, match="holds no network: it was opened from a file"):
        vizapp.find_sinks(seen)
    found = vizapp.compare(seen, ["rollout", "attention", "chefer"])
    assert {"rollout", "attention", "random", "centre"} == set(found.maps)
    assert "holds no network" in found.skipped["chefer"]
    vizapp.save(seen, vizapp.explain(seen), tmp_path / "map.png")
    assert len(vizapp.head_statistics(seen)) == 3 * 4


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(VizError, match="There is no file"):
        vizapp.open(tmp_path / "nowhere.vizapp")
    wrong = tmp_path / "wrong.vizapp"
    wrong.write_bytes(b"\x80\x04pickle")
    with pytest.raises(VizError, match="no analysis that vizapp saved"):
        vizapp.open(wrong)
    save_file({"weight": torch.zeros(3)}, wrong)
    with pytest.raises(VizError, match="holds weights or other tensors"):
        vizapp.open(wrong)
    save_file({}, wrong, {"vizapp": '{"format": 99, "content": {}}'})
    with pytest.raises(VizError, match="another version of vizapp"):
        vizapp.open(wrong)
    archive.write(wrong, {"picture": {}, "edits": ()})
    with pytest.raises(VizError, match="it lacks a part of one"):
        vizapp.open(wrong)
    with pytest.raises(VizError, match="cannot be written"):
        vizapp.analyse(small_vit(), np.zeros((8, 8, 3), np.uint8)).save(tmp_path / "no" / "such" / "folder")


def test_a_trace_moves_and_is_cut(picture: np.ndarray) -> None:
    seen = vizapp.analyse(small_vit(), picture)
    trace = seen.trace
    away = trace.to("meta")
    assert away.device.type == away.logits.device.type == "meta"
    assert [layer.q.shape for layer in away.layers] == [layer.q.shape for layer in trace.layers]
    assert same(trace.cpu(), trace)
    part = replace(seen, trace=trace[1:3])
    assert len(part.trace.layers) == 2
    expected = vizapp.explain(seen, "rollout", start_layer=1, layer=2).scores
    assert np.array_equal(vizapp.explain(part, "rollout").scores, expected)
    assert same(trace[:2].layers, trace.layers[:2])
    for wrong in (slice(2, 2), slice(None, None, 2), 1):
        with pytest.raises(VizError, match="does not choose layers"):
            trace[wrong]


def test_a_trace_with_windows_moves(picture: np.ndarray) -> None:
    torch.manual_seed(0)
    trace = vizapp.analyse(sharpen(swin()), picture).trace
    assert same(trace.to("cpu"), trace)
    copied = with_tensors(trace, torch.clone)
    assert same(copied, trace)
    pairs = [(layer, other) for layer, other in zip(copied.layers, trace.layers, strict=True) if layer.is_windowed]
    assert pairs
    for layer, other in pairs:
        for name in ("queries", "keys"):
            assert getattr(layer, name).data_ptr() != getattr(other, name).data_ptr(), "every tensor moves"
        assert layer.parts.matrix.data_ptr() != other.parts.matrix.data_ptr()
    middle = trace[1:3]
    assert middle.layout == trace.layouts(2)[0]
    assert torch.equal(middle.layers[0].map(), trace.layers[1].map())
