"""Stores objects of known types in one file: tensors and pictures as safetensors, everything else as JSON in its header.

Such a file contains no code, and only types that the reader names are made from it, so a stranger's file is safe to open.
"""

import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from vizapp.core.attention.parts import parts_of
from vizapp.errors import VizError, writing
from vizapp.wording import Text

KEY = "vizapp"  # of the JSON in the header
FORMAT = 1


class _Packing:
    """Collects the tensors of an object by their names in the file."""

    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._met: dict[tuple[Any, ...], str] = {}
        self._kept: list[Tensor] = []  # kept alive so that no other tensor can get their address

    def tree(self, one: Any) -> Any:
        """The object for JSON, with names in place of tensors."""
        if one is None or isinstance(one, (bool, int, float)) or type(one) is str:
            return one
        if isinstance(one, Text):
            return {"text": one.key, "values": self.tree(dict(one.values))}
        if isinstance(one, str):
            return str(one)
        if isinstance(one, Tensor):
            return {"tensor": self._name(one)}
        if isinstance(one, np.ndarray):
            return self._array(one)
        if isinstance(one, (tuple, list)):
            return {"tuple" if isinstance(one, tuple) else "list": [self.tree(part) for part in one]}
        if isinstance(one, Mapping):
            return {"map": {str(name): self.tree(part) for name, part in one.items()}}
        return {"kind": type(one).__name__, "parts": self.tree(parts_of(one))}

    def _name(self, one: Tensor) -> str:
        place = (one.data_ptr(), tuple(one.shape), one.stride(), one.dtype, str(one.device))
        if place not in self._met:
            self._kept.append(one)
            self._met[place] = self._add(one)
        return self._met[place]

    def _add(self, one: Tensor) -> str:
        name = str(len(self.tensors))
        self.tensors[name] = one.detach().cpu().contiguous().clone()  # safetensors refuses tensors that share memory
        return name

    def _array(self, one: np.ndarray) -> dict[str, Any]:
        """Store a picture compressed without loss, or a mask as bits."""
        if one.dtype == np.uint8 and one.ndim == 3 and one.shape[-1] == 3 and one.size:
            stream = io.BytesIO()
            Image.fromarray(one).save(stream, "PNG", compress_level=2)
            return {"png": self._add(torch.frombuffer(bytearray(stream.getvalue()), dtype=torch.uint8))}
        if one.dtype == bool:
            return {"bits": self._add(torch.from_numpy(np.packbits(one))), "shape": list(one.shape)}
        return {"array": self._add(torch.from_numpy(np.ascontiguousarray(one)))}


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content`: numbers, strings, tensors, arrays, and objects that `parts_of` can take apart."""
    packing = _Packing()
    tree = packing.tree(dict(content))
    with writing(path, SafetensorError):
        save_file(packing.tensors, path, {KEY: json.dumps({"format": FORMAT, "content": tree})})


def read(path: Path, kinds: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """Read what `write` wrote. Objects are made by `kinds`, by name, on the CPU. Raises `VizError` for any other file."""
    if not os.path.isfile(path):  # unlike Path.is_file, it does not raise for names that are too long
        raise VizError("There is no file '{path}'.", "Check the path.", path=path)
    try:
        with safe_open(path, framework="pt") as file:
            head = json.loads((file.metadata() or {}).get(KEY, "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no dict)
    except (SafetensorError, OSError, ValueError) as error:
        raise _not_ours(path, str(error)) from None
    if not isinstance(head, dict) or "content" not in head:
        raise _not_ours(path, str(Text("it holds weights or other tensors")))
    if head.get("format") != FORMAT:
        raise VizError(
            "'{name}' was written by another version of vizapp (format {found}, not {known}).",
            "Open it with that version.",
            name=path.name,
            found=head.get("format"),
            known=FORMAT,
        )
    try:
        made: dict[str, Any] = _made(head["content"], tensors, kinds)
        return made
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise _not_ours(path, f"{type(error).__name__}: {error}") from error


def _not_ours(path: Path, why: str) -> VizError:
    return VizError(
        "'{name}' is no analysis that vizapp saved ({why}).",
        "Analysis.save writes such files.",
        name=path.name,
        why=why,
    )


def _made(tree: Any, tensors: Mapping[str, Tensor], kinds: Mapping[str, Callable[..., Any]]) -> Any:
    def made(one: Any) -> Any:
        return _made(one, tensors, kinds)

    if not isinstance(tree, dict):
        return tree
    if "text" in tree:
        return Text.again(tree["text"], made(tree["values"]))
    if "tensor" in tree:
        return tensors[tree["tensor"]]
    if "png" in tree:
        with Image.open(io.BytesIO(tensors[tree["png"]].numpy().tobytes())) as picture:
            return np.asarray(picture.convert("RGB"))
    if "bits" in tree:
        shape = tuple(tree["shape"])
        return np.unpackbits(tensors[tree["bits"]].numpy(), count=int(np.prod(shape))).astype(bool).reshape(shape)
    if "array" in tree:
        return tensors[tree["array"]].numpy()
    if "tuple" in tree:
        return tuple(map(made, tree["tuple"]))
    if "list" in tree:
        return list(map(made, tree["list"]))
    if "map" in tree:
        return {name: made(one) for name, one in tree["map"].items()}
    return kinds[tree["kind"]](**made(tree["parts"]))
