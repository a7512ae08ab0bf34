"""The bits of `exp`, `log` and other functions of numpy depend on the item alone: not on its neighbours, its address or its column.

numpy computes several items at once where the processor can, and the last items of an array by other instructions.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy

UFUNCS = [np.exp, np.log, np.log2, np.log10, np.log1p, np.expm1, np.sin, np.cos, np.tan, np.tanh, np.arctan, np.cbrt]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 5e-324, 700.0, 88.7, -103.9, -745.1, 1.0, -1.0]


def items(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    with np.errstate(over="ignore", under="ignore"):
        return np.concatenate([rng.normal(size=400) * 10, rng.uniform(0, 1000, 200), SPECIAL]).astype(dtype)


def bits(x: aj.JaggedArray) -> np.ndarray:
    """The bits of the values; all NaN are one."""
    data = np.asarray(x.values.fill_null(0).to_numpy(zero_copy_only=False))
    return np.where(np.isnan(data), data.dtype.type(np.nan), data).view(f"u{data.itemsize}")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda one: one.__name__)
def test_an_item_has_the_same_bits_alone_and_among_others(ufunc: np.ufunc, dtype: str) -> None:
    data = items(dtype)
    alone = np.concatenate([bits(ufunc(aj.array(data[place : place + 1].copy()))) for place in range(len(data))])
    column = pa.array(data)
    for first in range(9):  # every alignment to 64 bytes
        for count in (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 255, len(data) - first):
            part = aj.array(column.slice(first, count))
            assert (bits(ufunc(part)) == alone[first : first + count]).all(), (first, count)
    x = aj.from_sizes(column, [1, 0, 2, len(data) - 3])
    for name in ("whole", "blocks"):
        with strategy.force(function=name, PASS_VALUES=37, LIGHT_BYTES=0):
            assert (bits(ufunc(x)) == alone).all()
    with_null = aj.array(pa.concat_arrays([pa.nulls(1, column.type), column]))
    assert (bits(ufunc(with_null))[1:] == alone).all()
    with strategy.force(JIT_VALUES=0, JIT_CALLS=0, JIT_SHARE=0, JIT_BLOCK=50):
        rows = aj.from_sizes(column, np.ones(len(data), np.int64))
        assert (bits(aj.jit(lambda rows: ufunc(rows) * 1)(rows)) == alone).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_softmax_has_the_same_bits_alone_and_among_others(dtype: str) -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 40, 200)
    x = aj.from_sizes((rng.normal(size=sizes.sum()) * 5).astype(dtype), sizes)
    among = bits(x.softmax())
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    for row in range(len(x)):
        assert (bits(x[row : row + 1].softmax()) == among[offsets[row] : offsets[row + 1]]).all(), row


def power_bits(x: aj.JaggedArray) -> list[int]:
    return bits(x).tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("exponent", [2.0, 0.5, -1.0, 1.0, 0.0, 3.0])
def test_a_power_has_the_same_bits_alone_and_among_others(exponent: float, dtype: str) -> None:
    """numpy knows one exponent of all items by its stride, and takes a square root for 0.5; a single item has no stride."""
    data = np.concatenate([items(dtype), np.array([53171.18102699, 0.0237009940, -np.inf], dtype)])
    exponents = np.full(len(data), exponent, dtype)
    one = [slice(place, place + 1) for place in range(len(data))]
    x, y = aj.array(data), aj.array(exponents)
    rows = aj.from_sizes(data, np.ones(len(data), np.int64))
    by_number = power_bits(x**exponent)
    assert power_bits(rows**exponent) == by_number
    assert [power_bits(x[place] ** exponent)[0] for place in one] == by_number
    by_column = power_bits(x**y)
    assert power_bits(rows**y) == by_column
    assert [power_bits(x[place] ** y[place])[0] for place in one] == by_column
    assert [power_bits(rows[place] ** y[place])[0] for place in one] == by_column
    with strategy.force(CALL_VALUES=0, ONE_PASS_VALUES=0, PASS_VALUES=len(data) - 1):
        assert power_bits(x**exponent) == by_number
        assert power_bits(x**y) == by_column
        assert power_bits(x[one[0]] ** y[one[0]]) == by_column[:1]
