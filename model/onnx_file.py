"""Read weights out of an ONNX file without the package onnx: a reader of the few fields that hold them.

An ONNX file is one message of protocol buffers: fields one after the other, each a number, a kind, and a value, which may be
such a message again. This file reads the tensors of the graph, and the operation, inputs and outputs of each node. The exporter
keeps the network's names of biases, but not of the matrices beside them. Those are found through the nodes.

It is for a file that is known to the bit (`vizapp.model.origins.Wheel`), so nothing in it is doubted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

# Numbers of fields, from the format's own description (onnx.proto).
GRAPH = 7
NODE, INITIALIZER = 1, 5
DIMS, KIND, FLOATS, NAME, RAW = 1, 2, 4, 8, 9
INPUT, OUTPUT, OPERATION = 1, 2, 4
FLOAT32 = 1
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5


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
    def read(cls, content: bytes) -> "OnnxFile":
        """Read a whole file."""
        graph = next(value for number, value in _fields(memoryview(content)) if number == GRAPH)
        parts = list(_fields(graph))
        tensors = dict(found for number, value in parts if number == INITIALIZER and (found := _tensor(value)))
        return cls(tensors, tuple(_node(value) for number, value in parts if number == NODE))

    def matrix_before(self, bias: str) -> np.ndarray:
        """(inputs, outputs): the matrix that multiplies the tokens before the bias of that name is added."""
        added = next(node for node in self.nodes if node.operation == "Add" and bias in node.inputs)
        other = next(name for name in added.inputs if name != bias)
        product = next(node for node in self.nodes if other in node.outputs)
        assert product.operation == "MatMul", product
        return self.tensors[product.inputs[1]]


def _tensor(message: memoryview) -> tuple[str, np.ndarray] | None:
    """(name, values) of a tensor of 32-bit floats; None for any other tensor."""
    shape: list[int] = []
    name, kind, values = "", 0, None
    for number, value in _fields(message):
        if number == DIMS:
            shape += [value] if isinstance(value, int) else _varints(value)
        elif number == KIND:
            kind = value
        elif number == NAME:
            name = _text(value)
        elif number in (RAW, FLOATS):
            values = value
    return None if kind != FLOAT32 or values is None else (name, np.frombuffer(values, "<f4").reshape(shape))


def _node(message: memoryview) -> Node:
    texts: dict[int, list[str]] = {INPUT: [], OUTPUT: [], OPERATION: []}
    for number, value in _fields(message):
        if number in texts:
            texts[number].append(_text(value))
    return Node("".join(texts[OPERATION]), tuple(texts[INPUT]), tuple(texts[OUTPUT]))


def _text(value: memoryview) -> str:
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
        size = {EIGHT_BYTES: 8, FOUR_BYTES: 4}.get(kind, 0)
        if kind == LENGTH:
            size, at = _varint(message, at)
        yield key >> 3, message[at : at + size]
        at += size


def _varints(message: memoryview) -> Iterator[int]:
    """Read whole numbers one after the other."""
    at = 0
    while at < len(message):
        value, at = _varint(message, at)
        yield value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """Read a whole number, seven bits a byte, the lowest first; return it and the position behind it."""
    value = shift = 0
    while True:
        byte = message[at]
        at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            return value, at
