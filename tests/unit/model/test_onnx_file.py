"""A reader of ONNX files without onnx: files are written here byte by byte, as the format's description says."""

import numpy as np
import pytest

from support.onnx import field, varint
from vizapp.model.onnx_file import OnnxFile


def tensor(name: str, values: np.ndarray, *, packed: bool = False) -> bytes:
    """An initializer of a graph: its shape number by number, or packed; its values as raw bytes, or as a list of floats."""
    shape = field(1, b"".join(map(varint, values.shape))) if packed else b"".join(field(1, n) for n in values.shape)
    content = field(4 if packed else 9, values.astype("<f4").tobytes())
    return field(5, shape + field(2, 1) + field(8, name) + content)


def node(operation: str, inputs: list[str], outputs: list[str]) -> bytes:
    names = b"".join(field(1, one) for one in inputs) + b"".join(field(2, one) for one in outputs)
    return field(1, names + field(3, "a name") + field(4, operation))


WEIGHT = np.arange(6, dtype=np.float32).reshape(2, 3) / 7
BIAS = np.array([1.0, -2.0, 300.0], np.float32)
WHOLE_NUMBERS = field(5, field(1, 2) + field(2, 7) + field(8, "shape") + field(9, bytes(16)))  # of 64 bits


def written(*, packed: bool = False) -> bytes:
    graph = (
        node("MatMul", ["x", "onnx::MatMul_7"], ["product"])
        + node("Add", ["layer.bias", "product"], ["y"])
        + node("Add", ["y", "alone.bias"], ["z"])
        + tensor("onnx::MatMul_7", WEIGHT, packed=packed)
        + tensor("layer.bias", BIAS, packed=packed)
        + tensor("alone.bias", BIAS)
        + WHOLE_NUMBERS
    )
    return field(1, 9) + field(2, "an exporter") + varint(5 << 3 | 5) + bytes(4) + field(7, graph)


@pytest.mark.parametrize("packed", [False, True])
def test_tensors_and_the_matrix_before_a_bias_are_read(packed: bool) -> None:
    file = OnnxFile.read(written(packed=packed))
    assert set(file.tensors) == {"onnx::MatMul_7", "layer.bias", "alone.bias"}, "only 32-bit floats"
    np.testing.assert_array_equal(file.tensors["layer.bias"], BIAS)
    np.testing.assert_array_equal(file.matrix_before("layer.bias"), WEIGHT)
    assert [one.operation for one in file.nodes] == ["MatMul", "Add", "Add"]
