"""A reader of ONNX files without onnx: files are written here byte by byte, as the format's description says."""

import tracemalloc

import numpy as np
import pytest

from support.onnx import field, varint
from support.together import together
from vizapp.errors import VizError
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


@pytest.mark.parametrize("name", ["alone.bias", "nobody.bias"])
def test_a_bias_without_a_matrix_is_said(name: str) -> None:
    with pytest.raises(VizError, match=f"No matrix stands before '{name}'"):
        OnnxFile.read(written()).matrix_before(name)


@together(
    "content",
    [b"", b"Dear reader", written()[:-5], written()[:40], b"\xff" * 50, field(7, field(5, field(2, 1) + b"\x4a\xff"))],
)
def test_what_is_no_onnx_file_is_said(content: bytes) -> None:
    with pytest.raises(VizError, match="not a whole ONNX file"):
        OnnxFile.read(content)


LONG = b"\x80" * 200_000  # a number without an end: each further byte made it longer


@together(
    ("name", "content"),
    {
        "a number as the name of a tensor": field(7, field(5, field(8, 30_000_000))),
        "a number as the name of a node": field(7, field(1, field(4, 30_000_000))),
        "a number without an end": LONG,
        "a shape without an end": field(7, field(5, field(1, LONG))),
        "a shape of a million sides": field(7, field(5, field(1, b"\x01" * 1_000_000))),
        "a million shapes of one side": field(7, field(5, field(1, 1) * 1_000_000)),
        "a side of 2**64 - 1": field(7, field(5, field(1, 2**64 - 1) + field(2, 1) + field(8, "x") + field(9, b""))),
        "a tensor that is a number": field(7, field(5, 30_000_000)),
    }.items(),
)
def test_numbers_have_bounds(name: str, content: bytes) -> None:
    """Three thousand million as a name took as many bytes; a number without an end took the square of its length, 50 s."""
    tracemalloc.start()
    try:
        with pytest.raises(VizError, match="not a whole ONNX file"):
            OnnxFile.read(content)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100_000, "of what the file says nothing is made"
