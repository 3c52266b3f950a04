"""Rounds a matrix to 8 bits a number: each row is a scale, times whole numbers from -127 to 127.

A row of a weight matrix makes one output, and outputs differ in size, so each row has a scale of its own (symmetric: zero stays
zero). A scale has 16 significant bits, so that scale x number is exact in float32: Python and a browser get the same weights to
the last bit, and rounding a second time changes nothing.
"""

import numpy as np

LARGEST = 127
DIGITS = 2**16


def is_matrix(values: np.ndarray) -> bool:
    """Tell whether `values` has a row for each of several outputs. Tables of tokens and positions begin with a 1."""
    return values.ndim >= 2 and len(values) > 1


def by_row(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scale of each row (rows,) float32, and the whole numbers (rows, inputs) int8. A row of zeros has the scale 0.

    matrix  (rows, ...) of finite numbers; all but the first dimension are one row
    """
    rows = matrix.reshape(len(matrix), -1).astype(np.float32)
    digits, exponents = np.frexp(np.abs(rows).max(axis=1) / np.float32(LARGEST))
    scales = np.ldexp(np.rint(digits * DIGITS) / DIGITS, exponents).astype(np.float32)
    numbers = np.rint(rows / np.where(scales == 0, np.inf, scales)[:, None])
    return scales, np.clip(numbers, -LARGEST, LARGEST).astype(np.int8)


def from_rows(scales: np.ndarray, numbers: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The matrix that scales and whole numbers stand for, float32."""
    return (scales[:, None] * numbers.astype(np.float32)).reshape(shape)
