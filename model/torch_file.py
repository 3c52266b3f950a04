"""Read weights of `torch.save` (.pth, .pt, .ckpt, .bin) by `torch.load(weights_only=True)`, after a check of their contents.

A pickle is a program. Before torch runs it, a `Survey` follows it with nothing but numbers and words: it must make only tensors,
containers and plain values, and each tensor must lie inside of the bytes that the file has for it. `weights_only` alone would
believe the sizes that a file names.
"""

from __future__ import annotations

import argparse
import math
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vizapp.errors import VizError
from vizapp.wording import Text

ENDINGS = {".pth", ".pt", ".ckpt", ".bin"}
LONGEST = 2_000_000  # bytes of the pickle itself: 6,000 tensors with their optimizer take 1.2 million
# Where trainings keep the weights beside other things, in the order in which they are looked for.
KEYS = ("state_dict", "model", "model_state_dict", "state_dict_ema", "model_ema", "teacher", "net", "weights", "module")
OPCODES = """
APPEND APPENDS BINFLOAT BINGET BININT BININT1 BININT2 BINPERSID BINPUT BINUNICODE BUILD EMPTY_DICT EMPTY_LIST EMPTY_TUPLE GLOBAL
LONG1 LONG_BINGET LONG_BINPUT MARK NEWFALSE NEWOBJ NEWTRUE NONE PROTO REDUCE SETITEM SETITEMS STOP TUPLE TUPLE1 TUPLE2 TUPLE3
""".split()  # what torch.save writes
WIDTHS = {
    f"{name}Storage": width
    for width, names in {
        1: "Byte Char Bool",
        2: "Short Half BFloat16",
        4: "Int Float",
        8: "Long Double ComplexFloat",
        16: "ComplexDouble",
    }.items()
    for name in names.split()
}  # class of torch -> bytes of one of its numbers


def is_torch_file(path: Path) -> bool:
    """Judge by the name alone: a file named .safetensors is never opened as a pickle."""
    return path.suffix.lower() in ENDINGS


def read_torch_file(path: Path) -> tuple[dict[str, Tensor], dict[str, str], tuple[Text, ...]]:
    """(tensors by name, texts beside them, notes) of a file of `torch.save`; dense tensors, on the CPU.

    The tensors are those of the file itself, or of its entry that holds weights (`KEYS`), and a note names that entry. Raises
    `VizError` for any other file, and for one that holds anything but tensors, containers and plain values.
    """
    try:
        _survey(path)
        with torch.serialization.safe_globals([argparse.Namespace]):  # the arguments of a training, which stay unread
            found = torch.load(path, map_location="cpu", weights_only=True)
    except VizError:
        raise
    # Each library has its own error for a file that is cut off or made up.
    except Exception as error:
        raise _broken(path, error) from None
    return _weights(found, path.name)


def _broken(path: Path, error: Exception) -> VizError:
    return VizError(
        "'{name}' is not a whole file of torch.save ({why}).",
        "Was the download cut off? Fetch it again, or take safetensors.",
        name=path.name,
        why=" ".join(f"{type(error).__name__} {error}".split())[:150],
    )


def _weights(found: Any, name: str) -> tuple[dict[str, Tensor], dict[str, str], tuple[Text, ...]]:
    own = _tensors(found)
    said = {key: one for key, one in found.items() if isinstance(one, str)} if isinstance(found, Mapping) else {}
    if own:
        return own, said, ()
    entries = {key: _tensors(one) for key, one in found.items()} if isinstance(found, Mapping) else {}
    entries = {key: one for key, one in entries.items() if one and isinstance(key, str)}
    known = [key for key in KEYS if key in entries]
    if len(entries) == 1:
        known = list(entries)
    if not known:
        raise VizError(
            "'{name}' holds no weights by name: {what}.",
            "Save only the weights, torch.save(net.state_dict(), NEW_PATH), or take safetensors.",
            name=name,
            what=_listed(found),
        )
    taken, others = known[0], [key for key in entries if key != known[0]]
    note = Text("The weights are those that the file keeps as '{key}'.", key=taken)
    if others:
        note = Text(
            "The weights are those that the file keeps as '{key}'; it has others, too: {others}.",
            key=taken,
            others=", ".join(others),
        )
    return entries[taken], said, (note,)


def _tensors(found: Any) -> dict[str, Tensor]:
    """Return the tensors of a mapping by name; {} if it is not a mapping, or a nested one."""
    if not isinstance(found, Mapping) or any(isinstance(one, Mapping) for one in found.values()):
        return {}
    return {key: one.detach() for key, one in found.items() if isinstance(key, str) and isinstance(one, Tensor)}


def _listed(found: Any) -> str:
    if isinstance(found, Mapping):
        return ", ".join(map(str, list(found)[:8]))[:200] or "{}"
    return type(found).__name__


# ---- the survey


def _survey(path: Path) -> None:
    """Follow the file's pickle without torch. Raises `VizError` for anything that weights do not need; a broken file raises any
    error."""
    if not zipfile.is_zipfile(path):
        raise VizError(
            "'{name}' does not have the format that torch.save writes today, and older formats are not opened.",
            "If you trust it, save it again: torch.save(torch.load(PATH, weights_only=True), NEW_PATH).",
            name=path.name,
        )
    with zipfile.ZipFile(path) as file:
        parts = {one.filename: one for one in file.infolist()}
        pickles = [name for name in parts if name.partition("/")[2] == "data.pkl"]
        tops = {name.partition("/")[0] for name in parts}
        stored = all(one.compress_type == zipfile.ZIP_STORED for one in parts.values())
        size = sum(one.file_size for one in parts.values())
        if (
            len(parts) != len(file.infolist())
            or len(tops) != 1
            or len(pickles) != 1
            or not stored
            or size > path.stat().st_size
        ):
            raise ValueError("its parts are not those of one checkpoint")
        (main,) = pickles
        if parts[main].file_size > LONGEST:
            raise VizError(
                "'{name}' describes its contents in {size} MB, which is more than weights need.",
                "Save only the weights, torch.save(net.state_dict(), NEW_PATH), or take safetensors.",
                name=path.name,
                size=f"{parts[main].file_size / 1e6:.0f}",
            )
        sizes = {
            name.removeprefix(main.removesuffix("data.pkl") + "data/"): one.file_size for name, one in parts.items()
        }
        with file.open(main) as stream:
            Survey(stream, path.name, sizes).load()


@dataclass(frozen=True)
class _Kind:
    """A class of storage: bytes of one number."""

    width: int


@dataclass(frozen=True)
class _Stored:
    """Numbers of one part of the file."""

    count: int
    width: int


class _Bag:
    """Stands for an object that stays unread: an `argparse.Namespace`."""


class Survey(pickle._Unpickler):  # in Python: its memo is a dict, and an index of two billion takes no memory
    """A pickle of `torch.save`, followed with stand-ins: nothing that it names is called, and no tensor is made.

    sizes   bytes of each part of the file with numbers, by its key
    """

    stack: list[Any]
    append: Callable[[Any], None]
    pop_mark: Callable[[], list[Any]]

    def _set(self, made: Any, items: list[Any]) -> None:
        for key, one in zip(items[::2], items[1::2], strict=True):
            if not isinstance(
                key, str | int | float | None
            ):  # to hash a tuple in a tuple in a tuple ... ends the process
                raise ValueError("a name is no word")
            made[key] = one

    def _set_one(self) -> None:
        one, key = self.stack.pop(), self.stack.pop()
        self._set(self.stack[-1], [key, one])

    def _set_several(self) -> None:
        items = self.pop_mark()
        self._set(self.stack[-1], items)

    def _build(self) -> None:
        """Drop the state of an object beside its entries, such as the versions of a network's parts: it is not needed."""
        self.stack.pop()
        if not isinstance(self.stack[-1], OrderedDict | _Bag):
            raise ValueError("a thing of an unknown kind")

    def _new(self) -> None:
        given, kind = self.stack.pop(), self.stack.pop()
        if kind is not _Bag or given != ():
            raise ValueError("a thing of an unknown kind")
        self.append(_Bag())

    def __init__(self, stream: Any, name: str, sizes: Mapping[str, int]) -> None:
        super().__init__(stream)
        self._name, self._sizes, self._left = name, sizes, sum(sizes.values())

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in WIDTHS:
            return _Kind(WIDTHS[name])
        known = {
            ("collections", "OrderedDict"): _ordered,
            ("torch._utils", "_rebuild_tensor_v2"): self._tensor,
            ("torch._utils", "_rebuild_parameter"): _parameter,
            ("torch", "Size"): tuple,
            ("argparse", "Namespace"): _Bag,
        }
        if (module, name) not in known:
            raise VizError(
                "'{name}' holds {what}, which is no tensor: it was not opened.",
                "If you trust it, save only its weights: torch.save(NETWORK.state_dict(), NEW_PATH).",
                name=self._name,
                what=f"{module}.{name}"[:100],
            )
        return known[module, name]

    def persistent_load(self, saved: Any) -> _Stored:
        word, kind, key, _, count = saved
        if word != "storage" or not isinstance(kind, _Kind) or not _is_count(count):
            raise ValueError("it names numbers in an unknown way")
        if count * kind.width > self._sizes.get(key, 0):
            raise ValueError("it has fewer bytes than a tensor takes")
        return _Stored(count, kind.width)

    def _tensor(self, stored: Any, offset: Any, size: Any, stride: Any, *_: Any) -> None:
        """Take the arguments of torch._utils._rebuild_tensor_v2."""
        numbers = (offset, *size, *stride)
        if (
            not isinstance(stored, _Stored)
            or len(size) != len(stride)
            or len(size) > 64
            or not all(map(_is_count, numbers))
        ):
            raise ValueError("it describes a tensor in an unknown way")
        last = offset + sum((side - 1) * step for side, step in zip(size, stride, strict=True))
        # A stride of zero would make a tensor of any size of one number.
        if math.prod(size) > stored.count or (0 not in size and last >= stored.count):
            raise ValueError("a tensor is larger than its numbers")


# pickle's own table from opcodes to actions, without the opcodes that weights do not need.
_THEIRS: Any = pickle._Unpickler.dispatch
_OURS: Any = {
    "SETITEM": Survey._set_one,
    "SETITEMS": Survey._set_several,
    "BUILD": Survey._build,
    "NEWOBJ": Survey._new,
}
Survey.dispatch = {code: _OURS.get(name) or _THEIRS[code] for name in OPCODES for code in getattr(pickle, name)}


def _ordered(*given: Any) -> OrderedDict[Any, Any]:
    if given:
        raise ValueError("a dictionary that is made of another thing")
    return OrderedDict()


def _parameter(*_: Any) -> None:
    """Take the arguments of torch._utils._rebuild_parameter."""


def _is_count(one: Any) -> bool:
    return isinstance(one, int) and not isinstance(one, bool) and 0 <= one < 2**48
