"""Read weights out of an ONNX file without the package onnx: a reader of the few fields that hold them.

An ONNX file is one message of protocol buffers: fields one after the other, each a number, a kind, and a value, which may be
such a message again. This file reads the tensors of the graph, and the operation, inputs and outputs of each node. The exporter
keeps the network's names of biases, but not of the matrices beside them. Those are found through the nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vizapp.errors import VizError

# Numbers of fields, from the format's own description (onnx.proto).
GRAPH = 7
NODE, INITIALIZER = 1, 5
DIMS, KIND, FLOATS, NAME, RAW = 1, 2, 4, 8, 9
INPUT, OUTPUT, OPERATION = 1, 2, 4
FLOAT32 = 1
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
BITS = 64  # of a whole number: the longest that the format has
MOST_SIDES = 32  # of a tensor; numpy has as many


@dataclass(frozen=True)
class Node:
    """A step of the computation: its operation ("MatMul"), and the names of its inputs and outputs."""

    operation: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class OnnxFile:
    """tensors of 32-bit floats by name, as views of the file's bytes; nodes in their order."""

    tensors: dict[str, np.ndarray]
    nodes: tuple[Node, ...]

    @classmethod
    def read(cls, content: bytes) -> OnnxFile:
        """Read a whole file. Raises `VizError` if it is not an ONNX file."""
        try:
            graph = next((value for number, value in _fields(memoryview(content)) if number == GRAPH), None)
            if not isinstance(graph, memoryview):
                raise ValueError("it has no graph")
            tensors: dict[str, np.ndarray] = {}
            nodes = []
            for number, value in _fields(graph):
                if number == INITIALIZER and (found := _tensor(value)) is not None:
                    tensors[found[0]] = found[1]
                elif number == NODE:
                    nodes.append(_node(value))
        except (IndexError, ValueError, TypeError) as error:
            raise VizError("This is not a whole ONNX file ({why}).", "Fetch it again.", why=error) from None
        return cls(tensors, tuple(nodes))

    def matrix_before(self, bias: str) -> np.ndarray:
        """(inputs, outputs): the matrix that multiplies the tokens before the bias of that name is added."""
        made_by = {name: node for node in self.nodes for name in node.outputs}
        for node in self.nodes:
            if node.operation != "Add" or bias not in node.inputs:
                continue
            product = made_by.get(next((name for name in node.inputs if name != bias), ""))
            if product is not None and product.operation == "MatMul" and product.inputs[1] in self.tensors:
                return self.tensors[product.inputs[1]]
        raise VizError("No matrix stands before '{name}' in this ONNX file.", "It is of another network.", name=bias)


def _tensor(message: memoryview) -> tuple[str, np.ndarray] | None:
    """(name, values) of a tensor of 32-bit floats; None for any other tensor."""
    shape: list[int] = []
    name, kind, values = "", 0, None
    for number, value in _fields(message):
        if number == DIMS:
            shape += [value] if isinstance(value, int) else _varints(value, MOST_SIDES)
            if len(shape) > MOST_SIDES or max(shape, default=0) >= 2 ** (BITS - 1):
                raise ValueError("a tensor has no such shape")
        elif number == KIND:
            kind = value
        elif number == NAME:
            name = _text(value)
        elif number in (RAW, FLOATS) and isinstance(value, memoryview):
            values = value
    return None if kind != FLOAT32 or values is None else (name, np.frombuffer(values, "<f4").reshape(shape))


def _node(message: memoryview) -> Node:
    texts: dict[int, list[str]] = {INPUT: [], OUTPUT: [], OPERATION: []}
    for number, value in _fields(message):
        if number in texts:
            texts[number].append(_text(value))
    return Node("".join(texts[OPERATION]), tuple(texts[INPUT]), tuple(texts[OUTPUT]))


def _text(value: Any) -> str:
    if not isinstance(value, memoryview):  # bytes() of a number would be as many zeros
        raise ValueError("a number stands in the place of a text")
    return bytes(value).decode()


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """(number, value) of each field: a whole number, or the bytes of a longer value."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        size = {EIGHT_BYTES: 8, FOUR_BYTES: 4}.get(kind)
        if kind == LENGTH:
            size, at = _varint(message, at)
        if size is None or at + size > len(message):
            raise ValueError("a field reaches beyond its end")
        yield key >> 3, message[at : at + size]
        at += size


def _varints(message: memoryview, most: int) -> list[int]:
    """Read whole numbers one after the other; stop at one more than `most`."""
    found, at = list[int](), 0
    while at < len(message) and len(found) <= most:
        value, at = _varint(message, at)
        found.append(value)
    return found


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Read a whole number, seven bits a byte, the lowest first; return it and the position behind it."""
    value = 0
    for shift in range(0, BITS, 7):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number has no end")  # each further byte would make a longer one
