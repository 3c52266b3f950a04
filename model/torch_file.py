"""Read weights of `torch.save` (.pth, .pt, .ckpt, .bin) by `torch.load(weights_only=True)`, after a check of their contents.

A pickle is a program. Before torch runs it, a `Survey` follows it with nothing but numbers and words: it must make only tensors,
containers and plain values, and the file must have as many bytes for each part as it says. `weights_only` alone would believe
that, and allows functions that take any amount of memory.
"""

import argparse
import pickle
import zipfile
from collections.abc import Callable, Mapping
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
STORAGES = {
    f"{name}Storage"
    for name in "Byte Char Bool Short Half BFloat16 Int Float Long Double ComplexFloat ComplexDouble".split()
}


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
        return _weights(found, path.name)
    except VizError:
        raise
    # Each library has its own error for a file that is cut off or made up.
    except Exception as error:
        raise _broken(path, error) from None


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
    tensors = {key: one.detach() for key, one in found.items() if isinstance(key, str) and isinstance(one, Tensor)}
    # A stride of zero makes a tensor of any size of one number.
    if any(one.numel() * one.element_size() > one.untyped_storage().nbytes() for one in tensors.values()):
        raise ValueError("a tensor is larger than its numbers")
    return tensors


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
        if any(name.partition("/")[2].startswith("code/") for name in parts):
            raise VizError(
                "'{name}' is a program of TorchScript, and only weights are opened.",
                "If you trust it, save its weights: torch.save(torch.jit.load(PATH).state_dict(), NEW_PATH).",
                name=path.name,
            )
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


class _Any:
    """Stands for a tensor, for numbers, or for arguments of a training: it takes anything and keeps nothing."""

    def __init__(self, *_: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, _Words):
            raise ValueError("a thing of an unknown kind")


class _Words(_Any):
    """Stands for a dictionary, whose names are words or numbers: to hash a tuple in a tuple in a tuple ... ends the process."""

    def __init__(self) -> None:
        pass

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, str | int | float | None):
            raise ValueError("a name is no word")


KNOWN = {
    "collections.OrderedDict": _Words,
    "torch._utils._rebuild_tensor_v2": _Any,
    "torch._utils._rebuild_parameter": _Any,
    "torch.Size": _Any,
    "argparse.Namespace": _Any,
}


class Survey(pickle._Unpickler):  # in Python: its memo is a dict, and an index of two billion takes no memory
    """A pickle of `torch.save`, followed with stand-ins: nothing that it names is called, and no tensor is made.

    sizes   bytes of each part of the file with numbers, by its key
    """

    append: Callable[[Any], None]

    def __init__(self, stream: Any, name: str, sizes: Mapping[str, int]) -> None:
        super().__init__(stream)
        self._name, self._sizes = name, sizes

    def find_class(self, module: str, name: str) -> Any:
        full_name = f"{module}.{name}"
        if module == "torch" and name in STORAGES:
            return getattr(torch, name)._dtype  # `dtype` would warn
        if full_name not in KNOWN:
            raise VizError(
                "'{name}' holds {what}, which is no tensor: it was not opened.",
                "If you trust it, save only its weights: torch.save(NETWORK.state_dict(), NEW_PATH).",
                name=self._name,
                what=full_name[:100],
            )
        return KNOWN[full_name]

    def persistent_load(self, saved: Any) -> _Any:
        word, dtype, key, _, count = saved
        if word != "storage" or not (
            isinstance(dtype, torch.dtype) and isinstance(key, str) and isinstance(count, int)
        ):
            raise ValueError("it names numbers in an unknown way")
        # torch would read on behind the end of that part.
        if not 0 <= count * dtype.itemsize <= self._sizes.get(key, 0):
            raise ValueError("it has fewer bytes than a tensor takes")
        return _Any()

    def _empty_dict(self) -> None:
        self.append(_Words())


# pickle's own table from opcodes to actions, without the opcodes that weights do not need.
_THEIRS: Any = pickle._Unpickler.dispatch
_OURS: Any = {pickle.EMPTY_DICT[0]: Survey._empty_dict}
Survey.dispatch = {code: _THEIRS[code] for name in OPCODES for code in getattr(pickle, name)} | _OURS
