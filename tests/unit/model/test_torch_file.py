"""Weights as `torch.save` writes them: read where they are weights, refused in words where they are anything else."""

import argparse
import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import nn

from vizapp import model
from vizapp.errors import VizError

ARCH = "test_vit"


@pytest.fixture(scope="module")
def net() -> nn.Module:
    torch.manual_seed(0)
    return timm.create_model(ARCH, num_classes=7).eval()


def test_weights_are_taken_from_where_trainings_keep_them(net: nn.Module, tmp_path: Path) -> None:
    """Which ones, and how the architecture became known, is said; each gives the network's own logits."""
    state, other = net.state_dict(), timm.create_model(ARCH, num_classes=7).state_dict()
    optimizer = {"state": {0: {"exp_avg": torch.ones(3)}}, "param_groups": [{"lr": 0.1, "betas": (0.9, 0.999)}]}
    cases: dict[str, tuple[Any, str, tuple[str, ...]]] = {
        "state": (state, f"?arch={ARCH}", ()),
        "model": ({"model": state, "optimizer": optimizer, "epoch": 3}, f"?arch={ARCH}", ("keeps as 'model'.",)),
        "arguments": (
            {"arch": ARCH, "state_dict": state, "state_dict_ema": other, "args": argparse.Namespace(lr=0.1)},
            "",
            ("keeps as 'state_dict'; it has others, too: state_dict_ema.", f"those of {ARCH}, because"),
        ),
        "odd": ({"my_net": {f"module.{name}": one for name, one in state.items()}}, f"?arch={ARCH}", ("'my_net'",)),
        f"{ARCH}-epoch9": (
            {"net": dict(net.named_parameters())},
            "",
            ("'net'", "because the file or its name says so"),
        ),
    }
    pixels = torch.randn(1, 3, 160, 160, generator=torch.Generator().manual_seed(0))
    for name, (content, options, notes) in cases.items():
        torch.save(content, tmp_path / f"{name}.pth")
        found = model.load(f"file:{tmp_path / name}.pth{options}", "cpu")
        assert torch.equal(found.net(pixels), net(pixels)), name
        assert len(found.notes) == len(notes), (name, found.notes)
        assert all(part in said for part, said in zip(notes, found.notes, strict=True)), (name, found.notes)


def zipped(pickled: bytes, how: int = zipfile.ZIP_STORED, **parts: bytes) -> bytes:
    """A file of torch.save around a pickle that was written by hand."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", how) as file:
        for name, data in {"data.pkl": pickled, "byteorder": b"little", "version": b"3\n", **parts}.items():
            file.writestr(name[1:] if name.startswith("/") else f"a/{name.replace('data_', 'data/')}", data)
    return stream.getvalue()


def saved(thing: Any, **how: Any) -> bytes:
    stream = io.BytesIO()
    torch.save(thing, stream, **how)
    return stream.getvalue()


def tensor(count: int, size: int, stride: int, offset: int = 0) -> bytes:
    """{"x": a tensor} whose numbers lie in a part of 16 bytes, as it says of itself."""
    number = lambda one: b"\x8a\x08" + one.to_bytes(8, "little", signed=True)  # noqa: E731
    stored = b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0" + b"0X\3\0\0\0cpu" + number(count) + b"tQ"
    made = b"ctorch._utils\n_rebuild_tensor_v2\n(" + stored + number(offset) + number(size) + b"\x85"
    made += number(stride) + b"\x85\x89ccollections\nOrderedDict\n)RtR"
    return zipped(b"\x80\2}X\1\0\0\0x" + made + b"s.", data_0=bytes(16))


def calls(module: str, name: str, argument: bytes) -> bytes:
    return zipped(b"\x80\2c" + f"{module}\n{name}\n".encode() + argument + b"\x85R.")


def hostile(opened: Path) -> dict[str, tuple[bytes, str]]:
    """What a file holds that is no weights, and what is said of it. The trap makes `opened`."""

    class Trap:
        def __reduce__(self) -> tuple:
            return Path.touch, (opened,)

    trap = pickle.dumps(Trap(), 2)
    whole = saved({"x": torch.randn(50, 50)})
    return {
        "a trap": (zipped(trap), "which is no tensor: it was not opened"),
        "a trap without a zip": (trap, "not have the format that torch.save writes today"),
        "a trap inside of a checkpoint": (saved({"x": torch.ones(3), "more": Trap()}), "it was not opened"),
        "a network": (saved(nn.Linear(2, 2)), "torch.nn.modules.linear.Linear, which is no tensor"),
        "numbers of numpy": (saved({"x": torch.ones(2), "best": np.float64(0.9)}), "which is no tensor"),
        "a terabyte of bytes": (
            calls("builtins", "bytearray", b"\x8a\6" + (10**12).to_bytes(6, "little")),
            "bytearray",
        ),
        "a terabyte of tensor": (calls("torch", "Tensor", b"\x8a\6" + (10**12).to_bytes(6, "little")), "torch.Tensor"),
        "numbers that are not there": (tensor(10**9, 10**9, 1), "fewer bytes than a tensor takes"),
        "fewer numbers than none": (tensor(-4, 4, 1), "fewer bytes than a tensor takes"),
        "behind its numbers": (tensor(4, 4, 1, offset=10**9), "not a whole file"),
        "one number, often": (tensor(4, 2**40, 0), "larger than its numbers"),
        "one number, 2**62 times": (tensor(4, 2**62, 0), "larger than its numbers"),
        "strides that leave": (tensor(4, 2, 2**40), "not a whole file"),
        "written before 2020": (saved({"x": torch.ones(3)}, _use_new_zipfile_serialization=False), "older formats"),
        "packed": (zipped(b"\x80\2}." + bytes(10**6), zipfile.ZIP_DEFLATED), "not those of one checkpoint"),
        "two pickles": (zipped(b"\x80\2}.", **{"/b/data.pkl": trap}), "not those of one checkpoint"),
        "a long program": (zipped(b"\x80\2" + b"]" * 2_100_000 + b"."), "more than weights need"),
        "a name of tuples": (zipped(b"\x80\2})" + b"\x85" * 900_000 + b"Ns."), "a name is no word"),
        "a part named by tuples": (
            zipped(b"\x80\2(X\7\0\0\0storagectorch\nFloatStorage\n)" + b"\x85" * 900_000 + b"NK\0tQ."),
            "in an unknown way",
        ),
        "a state of tuples": (
            zipped(b"\x80\2ccollections\nOrderedDict\n)R]()" + b"\x85" * 900_000 + b"N\x86eb."),
            "a thing of an unknown kind",
        ),
        "a program without an end": (zipped(b"\x80\2]" + b"q\1" * 1000), "not a whole file"),
        "a memo of two billion": (zipped(b"\x80\2]r\xff\xff\xff\x7f."), "holds no weights"),
        "cut off": (whole[:5000], "not have the format that torch.save|not a whole file"),
        "garbled": (whole.replace(b"_rebuild_tensor_v2", b"_rebuild_tensor_v9"), "no tensor|not a whole file"),
        "a list": (saved([torch.ones(3)]), "holds no weights by name: list"),
        "nothing": (saved({}), "holds no weights"),
        "text": (b"Dear reader", "not have the format that torch.save"),
        "empty": (b"", "not have the format that torch.save"),
    }


def test_anything_else_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    """And never reaches torch, but for what holds nothing that could act, and tensors in the bytes that are there, which torch
    bounds; any other that reaches it is a slip of the survey."""
    reached: list[str] = []
    load: Callable[..., Any] = torch.load
    monkeypatch.setattr(torch, "load", lambda path, **how: (reached.append(path.stem), load(path, **how))[1])
    slips = []
    for name, (data, words) in hostile(tmp_path / "opened").items():
        path = tmp_path / f"{name}.pth"
        path.write_bytes(data)
        try:
            model.load(f"file:{path}?arch={ARCH}", "cpu")
            said = "it was read"
        except VizError as error:
            said = str(error)
        if not any(part in said for part in words.split("|")):
            slips.append(f"{name}: {said}")
    assert slips == []
    assert not (tmp_path / "opened").exists()
    bounded = {"behind its numbers", "one number, often", "one number, 2**62 times", "strides that leave"}
    assert set(reached) <= {"a memo of two billion", "a list", "nothing", *bounded}


def test_the_trap_works(tmp_path: Path) -> None:
    """Else the test above could not fail."""
    data = hostile(tmp_path / "opened")["a trap without a zip"][0]
    pickle.loads(data)
    assert (tmp_path / "opened").exists()
