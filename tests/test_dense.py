"""Dense arrays against loops over nested lists, FBGEMM's own examples, and where FBGEMM is wrong."""

from __future__ import annotations

import datetime as dt
import decimal
import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels.dense import matrices
from arrowjag._ops.dense import pad
from arrowjag._ops.dense.values import leaves_of
from arrowjag.testing import assert_equal, assert_lists_equal, jagged_arrays
from tests import reference
from tests.hosts import pd, pl

NUMBERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]


def numbers(dtype: str, n: int) -> pa.Array:
    return pa.array((np.arange(n) % (2 if dtype == "bool" else 100)).astype(dtype))


# --------------------------------------------------------------------------------------------------- the oracle


@st.composite
def arrays_and_sizes(draw: st.DrawFn) -> tuple[aj.JaggedArray, list[int]]:
    x = draw(jagged_arrays(leaf=pa.int64(), storages=("large_list", "list", "list_view")))
    return x, draw(st.lists(st.integers(0, 5), min_size=x.ndim - 1, max_size=x.ndim - 1))


@given(arrays_and_sizes())
def test_to_dense_and_back(case: tuple[aj.JaggedArray, list[int]]) -> None:
    x, sizes = case
    for asked in (sizes, None):
        found = x.to_dense(asked, fill_value=-7)
        wanted = reference.to_dense(x.to_list(), x.ndim, asked, -7)
        assert found.tolist() == wanted
        back = aj.dense.from_dense(found, x.shape, fill_value=9)
        assert back.to_list() == reference.from_dense(wanted, x.to_list(), x.ndim, 9)
    assert aj.dense.max_sizes(x) == tuple(reference.max_sizes(x.to_list(), x.ndim))


@given(arrays_and_sizes())
def test_a_masked_array_holds_the_nulls(case: tuple[aj.JaggedArray, list[int]]) -> None:
    x, sizes = case
    assert np.ma.getdata(x.to_dense(sizes, None)).shape == x.to_dense(sizes).shape
    assert x.to_dense(sizes, None).tolist() == reference.to_dense(x.to_list(), x.ndim, sizes, None)
    whole = x.to_dense(fill_value=None)
    assert_equal(aj.dense.from_dense(whole, x.shape, None), x)


@given(jagged_arrays(leaf=pa.float64()), st.sampled_from([0, math.nan]))
def test_declared_dims_keep_their_size(x: aj.JaggedArray, fill: float) -> None:
    found = x.to_dense(fill_value=fill)
    tail = list(itertools.takewhile(lambda extent: extent is not None, reversed(x.shape.extents[1:])))[::-1]
    assert found.ndim == x.ndim
    assert list(found.shape[x.ndim - len(tail) :]) == tail
    if 0 not in tail:
        sizes = found.shape[1:]
        assert_lists_equal(found.tolist(), reference.to_dense(x.to_list(), x.ndim, sizes, fill))


# --------------------------------------------------------------------------------------------------- types and sizes


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("width", [None, 1, 3])
def test_every_number_type_and_width(dtype: str, width: int | None) -> None:
    sizes = [3, 0, 70, 1]
    shape = aj.JaggedShape(4, sizes) if width is None else aj.JaggedShape(4, sizes, width)
    x = aj.JaggedArray(shape, numbers(dtype, shape.size))
    for size in (2, 5, 100):
        found = x.to_dense((size,))
        assert found.dtype == np.dtype(dtype)
        assert found.shape == ((4, size) if width is None else (4, size, width))
        wanted = reference.to_dense(x.to_list(), x.ndim, [size, width][: x.ndim - 1], np.dtype(dtype).type(0).item())
        assert found.tolist() == wanted
        back = aj.dense.from_dense(found, aj.JaggedShape(4, sizes))
        assert back.type == x.type
        assert back.shape.extents == x.shape.extents[:1] + (None,) + ((width,) if width else ())
        zero = np.dtype(dtype).type(0).item()
        assert [row[:size] for row in back.to_list()] == [row[:size] for row in x.to_list()]
        assert all(cell in (zero, [zero] * (width or 0)) for row in back.to_list() for cell in row[size:])


def test_width_zero_and_no_rows() -> None:
    x = aj.JaggedArray(aj.JaggedShape(3, [2, 0, 1], 0), pa.array([], pa.float32()))
    assert x.to_dense().shape == (3, 2, 0)
    assert aj.dense.from_dense(np.empty((3, 4, 0), np.float32), x.shape).equals(x)
    assert aj.dense.from_dense(np.empty((3, 4, 0), np.float32), [2, 0, 1]).shape.extents == (None, None, 0)
    none = aj.array([], type=pa.int32(), ndim=3)
    assert none.to_dense().shape == (0, 0, 0)
    assert none.to_dense((2, 3)).shape == (0, 2, 3)
    assert aj.dense.max_sizes(none) == (0, 0)
    assert aj.dense.from_dense(np.empty((0, 2)), []).to_list() == []
    assert aj.array([[], []], type=pa.int8(), ndim=2).to_dense((0,)).shape == (2, 0)


def test_plain_columns_and_declared_ones() -> None:
    assert aj.array([1, None, 3]).to_dense(fill_value=9).tolist() == [1, 9, 3]
    table = np.arange(6.0).reshape(2, 3)
    dense = aj.array(table).to_dense()
    assert dense.tolist() == table.tolist()
    dense[0, 0] = 7  # a copy
    assert table[0, 0] == 0
    with pytest.raises(aj.ShapeError, match="must be 0 sizes, one for each dim after the rows; its declared dims"):
        aj.array(table).to_dense((4,))


def test_a_null_row_of_a_declared_dim_is_filled() -> None:
    x = aj.from_arrow(pa.array([[[1, 2], None], [[3, 4]]], pa.large_list(pa.list_(pa.int64(), 2))))
    assert x.to_dense((2,), fill_value=-1).tolist() == [[[1, 2], [-1, -1]], [[3, 4], [-1, -1]]]
    masked = x.to_dense(fill_value=None)
    assert masked.tolist() == [[[1, 2], [None, None]], [[3, 4], [None, None]]]


def test_other_leaf_types_come_as_numpy_has_them() -> None:
    moment = dt.datetime(2020, 1, 2)  # noqa: DTZ001 - numpy has no zones
    times = aj.array([[moment, None], []])
    assert times.to_dense(fill_value=None).tolist() == [[moment, None], [None, None]]
    assert np.isnat(times.to_dense(fill_value=np.datetime64("NaT", "ns"))[1]).all()
    assert times.to_dense(fill_value=moment).tolist() == [[moment, moment], [moment, moment]]
    words = aj.array([["a"], ["b", "c"]])
    assert words.to_dense(fill_value="").tolist() == [["a", ""], ["b", "c"]]
    assert words.to_dense((1,), None).tolist() == [["a"], ["b"]]
    prices = aj.array([[decimal.Decimal("1.5")], []])
    assert prices.to_dense(fill_value=0).tolist() == [[decimal.Decimal("1.5")], [0]]
    pairs = aj.JaggedArray(aj.JaggedShape(2, [1, 2], 2), list("abcdef"))
    assert pairs.to_dense(fill_value="-").tolist() == [[["a", "b"], ["-", "-"]], [["c", "d"], ["e", "f"]]]
    for x in (times, words):
        with pytest.raises(TypeError, match="fill_value must be one value of type"):
            x.to_dense()
    with pytest.raises(TypeError, match=r"to_dense has no kernel for timestamp.*UTC"):
        aj.array([[moment]], type=pa.timestamp("us", "UTC")).to_dense(fill_value=None)


@pytest.mark.parametrize(
    ("type", "fill", "error"),
    [
        (pa.int32(), 0.5, ValueError),
        (pa.int32(), -1.9, ValueError),
        (pa.int64(), math.nan, ValueError),
        (pa.int64(), math.inf, ValueError),
        (pa.uint8(), -1, ValueError),
        (pa.int8(), 128, ValueError),
        (pa.float16(), 70000, ValueError),
        (pa.bool_(), 2, ValueError),
        (pa.float64(), "0", TypeError),
        (pa.int64(), [0], TypeError),
    ],
)
def test_a_fill_that_would_change_is_refused(type: pa.DataType, fill: Any, error: type[Exception]) -> None:
    x = aj.array([[1], []]).cast(type)
    with pytest.raises(error, match="fill_value"):
        x.to_dense((2,), fill)
    with pytest.raises(error, match="fill_value"):
        aj.dense.from_dense(x.to_dense((1,)), [2, 0], fill)


def test_large_integers_are_exact() -> None:
    assert aj.array([[1], []]).to_dense((1,), 2**53 + 1).tolist() == [[1], [2**53 + 1]]


@pytest.mark.parametrize("fill", [-0.0, math.nan, math.inf, 1e-8])
def test_a_float_fill_is_kept_to_the_bit(fill: float) -> None:
    (cell,) = aj.array([[1.0], []]).to_dense((1,), fill)[1]
    assert np.float64(cell).tobytes() == np.float64(fill).tobytes()


def test_sizes_are_checked() -> None:
    x = aj.array([[[1]], [[2, 3]]])
    assert x.to_dense((None, 1)).shape == (2, 1, 1)
    with pytest.raises(aj.ShapeError, match=r"max_sizes of JaggedShape\(2, 1, \[1, 2\]\) must be 2 sizes.*got 1"):
        x.to_dense((2,))
    with pytest.raises(aj.ShapeError, match="must not be negative, got -1"):
        x.to_dense((1, -1))
    for wrong in (1.0, True):
        with pytest.raises(TypeError, match="max_sizes must be an int"):
            x.to_dense((1, wrong))
    assert aj.array([[1, 2], [3]]).to_dense(1).tolist() == [[1], [3]]
    with pytest.raises(aj.ShapeError, match="needs rows"):
        aj.array(1).to_dense()


def test_long_rows_are_cut_before_nulls_are_filled_and_objects_made(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(pad, "leaves_of", lambda column: seen.append(column.shape.size) or leaves_of(column))
    for items, fill in (([1.5, None, -0.0, 4.0], 7.0), (["a", None, "c", "d"], ""), ([True, None, False, True], True)):
        rows = [items * 50, None, [], items * 70, items[:2]]
        x = aj.array(rows)
        expected = [[fill if one is None else one for one in ((row or []) + [None] * 3)[:3]] for row in rows]
        assert x.to_dense((3,), fill_value=fill).tolist() == expected
        missing = [[one is None for one in ((row or []) + [None] * 3)[:3]] for row in rows]
        masked = x.to_dense((3,), fill_value=None)
        assert np.ma.getmaskarray(masked).tolist() == missing
        assert masked.dtype == x[:0].to_dense((3,), fill_value=None).dtype
        outer = aj.array([rows, [], rows[3:]])
        deep = outer.to_dense((2, 3), fill_value=fill).tolist()
        assert deep == [expected[:2], [[fill] * 3] * 2, expected[3:]]
        assert max(seen) <= 15, "items beyond the width were looked at"
        seen.clear()
    assert aj.array([[1.5, 2.5] * 100]).to_dense((3,)).tolist() == [[1.5, 2.5, 1.5]]
    assert seen == [200], "rows without nulls are not copied first"


def test_long_rows_of_declared_rows_that_are_null_are_cut() -> None:
    pairs = pa.array([[[1.0, 2.0], [3.0, None]] + [None, [5.0, 6.0]] * 50, [[7.0, 8.0]] * 100], pa.list_(pa.list_(pa.float64(), 2)))
    x = aj.from_arrow(pairs)
    assert x.to_dense((2,)).tolist() == [[[1.0, 2.0], [3.0, 0.0]], [[7.0, 8.0], [7.0, 8.0]]]
    assert x.to_dense((3,)).tolist() == [[[1.0, 2.0], [3.0, 0.0], [0.0, 0.0]], [[7.0, 8.0]] * 3]


def test_slices_and_chunks_do_not_depend_on_their_neighbours() -> None:
    whole = pa.array([[9, 9], [1, 2, 3], [], [4], [8]])
    assert aj.from_arrow(whole.slice(1, 3)).to_dense().tolist() == [[1, 2, 3], [0, 0, 0], [4, 0, 0]]
    assert aj.from_arrow(pa.chunked_array([whole.slice(1, 1), whole.slice(3, 1)])).to_dense((2,)).tolist() == [[1, 2], [4, 0]]


# --------------------------------------------------------------------------------------------------- from_dense


def test_shapes_and_sizes_that_from_dense_takes() -> None:
    cells = np.arange(12).reshape(3, 4)
    wanted = [[0, 1], [], [8, 9, 10]]
    x = aj.array(wanted)
    sizes = [2, 0, 3]
    columns = (x, x.to_arrow(), pa.array(wanted), x.to_pandas(), x.to_polars(), pl.Series(wanted))
    flat = (sizes, np.array(sizes), pa.array(sizes), aj.dims.Ragged(sizes), (2, 0, 3), x.lengths(), pl.Series(sizes))
    for target in (x.shape, *columns, *flat):
        assert aj.dense.from_dense(cells, target).to_list() == wanted
    deep = np.arange(8).reshape(2, 2, 2)
    assert aj.dense.from_dense(deep, ([1, 2], [2, 0, 1])).to_list() == [[[0, 1]], [[], [6]]]
    assert aj.dense.from_dense(deep, [1, 2]).to_list() == [[[0, 1]], [[4, 5], [6, 7]]]
    assert aj.dense.from_dense(deep, aj.JaggedShape(2, [1, 3], 3), -1).to_list() == [
        [[0, 1, -1]],
        [[4, 5, -1], [6, 7, -1], [-1, -1, -1]],
    ]


def test_from_dense_fills_with_null() -> None:
    assert aj.dense.from_dense([[1], [2]], [2, 1], None).to_list() == [[1, None], [2]]
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    assert aj.dense.from_dense(masked, [2, 1]).to_list() == [[1, None], [3]]
    assert aj.dense.from_dense(masked, [3, 1]).to_list() == [[1, None, 0], [3]]
    null_row = aj.array([[1, 1], None])
    assert aj.dense.from_dense(masked, null_row).to_list() == [[1, None], None]


def test_from_dense_of_other_types() -> None:
    words = np.array([["a", "b"], ["c", "d"]])
    assert aj.dense.from_dense(words, [1, 3], "").to_list() == [["a"], ["c", "d", ""]]
    assert aj.dense.from_dense(words.astype(object), [1, 3], None).to_list() == [["a"], ["c", "d", None]]
    with pytest.raises(TypeError, match="no common type"):
        aj.dense.from_dense(words, [1, 3], 0)
    days = np.array([["2020-01-01", "NaT"]], "M8[D]")
    assert aj.dense.from_dense(days, [2]).to_list() == [[dt.date(2020, 1, 1), None]]
    assert aj.dense.from_dense(np.array([[1.5, 2.5]], ">f4"), [2]).to_list() == [[1.5, 2.5]]


def test_from_dense_refuses_mismatched_shapes() -> None:
    with pytest.raises(aj.ShapeError, match="has 3 rows, the dense array has 2"):
        aj.dense.from_dense(np.zeros((2, 2)), [1, 1, 1])
    with pytest.raises(aj.ShapeError, match=r"a dense array for JaggedShape\(1, 2, 1\) has 3 dims or more, got 2"):
        aj.dense.from_dense(np.zeros((1, 2)), ([2], [1, 1]))
    with pytest.raises(aj.ShapeError, match="at position 1 is -1; sizes must be at least 0"):
        aj.dense.from_dense(np.zeros((2, 2)), [1, -1])
    with pytest.raises(aj.JagTypeError, match=r"sizes must have one dimension, got an array of shape \(\)"):
        aj.dense.from_dense(np.zeros((2, 2)), np.array(2))
    with pytest.raises(TypeError, match="no kernel for complex128"):
        aj.dense.from_dense(np.zeros((1, 1), complex), [1])


def test_strided_dense_arrays() -> None:
    cells = np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))
    wanted = [[[0.0, 2.0]], [[12.0, 14.0], [16.0, 18.0]]]
    assert aj.dense.from_dense(cells[:, :, ::2], [1, 2]).to_list() == wanted


# --------------------------------------------------------------------------------------------------- the seed's example

SEED_VALUES = np.array(
    [[1, 2, 3, 4], [5, 6, 7, 8], [1, 2, 3, 4], [1, 2, 3, 4], [5, 6, 7, 8], [1, 2, 3, 4], [1, 2, 7, 9], [1, 2, 3, 4], [8, 8, 9, 6]]
)
SEED_OFFSETS = ([0, 4, 6, 7], [0, 2, 3, 3, 5, 6, 7, 9])


def seed() -> aj.JaggedArray:
    return aj.dense.pack(aj.from_offsets(SEED_VALUES.ravel(), SEED_OFFSETS[0], np.multiply(SEED_OFFSETS[1], 4)))


def test_fbgemm_jagged_tensor_operators_format() -> None:
    """The document "Jagged Tensor Operators": values, offsets, max lengths and the width of an item."""
    logical = seed().flatten_end()
    assert aj.dense.inner(logical) == 4
    x = aj.dense.pack(logical)
    assert x.shape.extents == (None, None, None, 4)
    assert x.to_arrow(extension=False).type == pa.large_list(pa.large_list(pa.list_(pa.int64(), 4)))
    assert [cut.tolist() for cut in x.shape.offsets[1:3]] == list(SEED_OFFSETS)
    assert np.array_equal(x.flatten(0, 3).to_numpy(), SEED_VALUES)
    assert aj.dense.max_sizes(x) == (4, 2)
    assert logical.values.equals(x.values)


def test_fbgemm_jagged_tensor_operators_table() -> None:
    """The document's table prints offsets that end at 8 over 7 groups: that is refused, and the message says why."""
    with pytest.raises(aj.OffsetsError, match=r"offsets\[0\]: the last offset \(slot 3\) is 8, but offsets\[1\] have 7 rows"):
        aj.from_offsets(np.arange(9), [0, 4, 6, 8], SEED_OFFSETS[1])
    groups = aj.from_offsets(np.arange(9), *SEED_OFFSETS).to_list()
    assert groups == [[[0, 1], [2], [], [3, 4]], [[5], [6]], [[7, 8]]]
    more = aj.from_offsets(np.arange(9), [0, 4, 6, 8], [0, 2, 3, 3, 5, 6, 7, 9, 9])
    assert np.array_equal(more.to_dense(), aj.from_offsets(np.arange(9), *SEED_OFFSETS).to_dense((4, 2)))


def test_fbgemm_jagged_tensor_operators_conversion() -> None:
    """The document's three pictures of conversion: there, padded, and back from an array that is cut."""
    x = seed()
    one, two, last = [1, 2, 3, 4], [5, 6, 7, 8], [0, 0, 0, 0]
    dense = x.to_dense()
    assert dense.shape == (3, 4, 2, 4)
    assert dense.tolist() == [
        [[one, two], [one, last], [last, last], [one, two]],
        [[one, last], [[1, 2, 7, 9], last], [last, last], [last, last]],
        [[one, [8, 8, 9, 6]], [last, last], [last, last], [last, last]],
    ]
    assert x.to_dense((4, 1), -1)[..., 0, 0].tolist() == [[1, 1, -1, 1], [1, 1, -1, -1], [1, -1, -1, -1]]
    assert x.to_dense((2, 2), -1)[..., 0].tolist() == [[[1, 5], [1, -1]], [[1, -1], [1, -1]], [[1, 8], [-1, -1]]]
    back = aj.dense.from_dense(dense[:, :3], x.shape).flatten(0, 3).to_numpy()
    wanted = SEED_VALUES.copy()
    wanted[3:5] = 0
    assert np.array_equal(back, wanted)


def test_fbgemm_jagged_tensor_operators_arithmetic() -> None:
    """The document's product of two jagged tensors, and C = A * X + B with the offsets of all."""
    a = aj.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]])
    b = aj.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]], [[7.0, 8.0], [9.0, 5.0], [2.0, 3.0]]])
    product = [[[1.0, 4.0], [9.0, 16.0]], [[25.0, 36.0]], [[49.0, 64.0], [81.0, 50.0], [22.0, 36.0]]]
    assert (a * b).to_list() == product
    c = a * b + a
    assert c.shape == a.shape
    assert c.values.to_pylist() == [p + v for p, v in zip((a * b).values.to_pylist(), a.values.to_pylist(), strict=True)]


# --------------------------------------------------------------------------------------------------- jagged with dense


def small() -> aj.JaggedArray:
    return aj.JaggedArray(aj.JaggedShape(3, [1, 2, 0], 2), [1, 10, 2, 20, 3, 30])


def cells() -> np.ndarray:
    return np.arange(12).reshape(3, 2, 2) * 100


def test_add() -> None:
    x, y = small(), cells()
    assert aj.dense.add(x, y, out="dense").tolist() == [
        [[1, 110], [200, 300]],
        [[402, 520], [603, 730]],
        [[800, 900], [1000, 1100]],
    ]
    assert aj.dense.add(x, y[:, :1], out="dense").tolist() == [[[1, 110]], [[402, 520]], [[800, 900]]]
    assert aj.dense.add(x, y).to_list() == [[[1, 110]], [[402, 520], [603, 730]], []]
    assert aj.dense.add(x, y[:, :1]).to_list() == [[[1, 110]], [[402, 520], [3, 30]], []]
    twice = aj.dense.add(aj.dense.add(x, y), y)
    assert twice.to_list() == [[[1, 210]], [[802, 1020], [1203, 1430]], []]
    assert twice.shape.extents == (3, None, 2)
    with pytest.raises(ValueError, match="out must be"):
        aj.dense.add(x, y, out="both")  # type: ignore[call-overload]


def test_mul() -> None:
    x, y = small(), cells()
    assert aj.dense.mul(x, y).to_list() == [[[0, 1000]], [[800, 10000], [1800, 21000]], []]
    assert aj.dense.mul(x, y[:, :1]).to_list() == [[[0, 1000]], [[800, 10000], [0, 0]], []]
    beyond = aj.dense.mul(aj.array([[1.0, math.nan, math.inf]]), np.full((1, 1), 2.0)).to_list()
    assert_lists_equal(beyond, [[2.0, math.nan, math.nan]])


@pytest.mark.parametrize("one", NUMBERS)
@pytest.mark.parametrize("two", ["bool", "int8", "uint64", "float16", "float32", "float64"])
def test_types_promote_as_numpy(one: str, two: str) -> None:
    x = aj.from_sizes(numbers(one, 3), [2, 1])
    y = np.ones((2, 2), two)
    dense = x.to_dense()
    wide = np.result_type(one, two)
    assert aj.dense.add(x, y, out="dense").dtype == wide
    assert np.array_equal(aj.dense.add(x, y, out="dense"), dense + y)
    assert aj.dense.mul(x, y).type == pa.from_numpy_dtype(wide)
    assert aj.dense.mul(x, y).to_list() == [(dense * y)[0].tolist(), (dense * y)[1, :1].tolist()]
    assert aj.dense.add(x, y).to_list() == [(dense + y)[0].tolist(), (dense + y)[1, :1].tolist()]


def test_nulls_with_dense_operands() -> None:
    x, y = aj.array([[1.0, None], None, [3.0]]), np.full((3, 2), 10.0)
    assert aj.dense.add(x, y).to_list() == [[11.0, None], None, [13.0]]
    assert aj.dense.mul(x, y).to_list() == [[10.0, None], None, [30.0]]
    assert aj.dense.add(x, y, out="dense").tolist() == [[11.0, 10.0], [10.0, 10.0], [13.0, 10.0]]


@pytest.mark.parametrize("leaf", [pa.int32(), pa.string()])
def test_rows_of_no_items_by_type_are_rows(leaf: pa.DataType) -> None:
    x = aj.array([[], []], type=pa.list_(leaf, 0))
    assert x.to_dense(fill_value=None).shape == (2, 0)
    assert aj.array([[[], []]], type=pa.list_(pa.list_(leaf, 0), 2)).to_dense(fill_value=None).shape == (1, 2, 0)
    assert pa.types.is_string(leaf) or x.to_dense().shape == (2, 0)


@given(jagged_arrays(leaf=pa.int32()), st.sampled_from(["int32", "uint8", "float16", "float64", ">f4"]), st.data())
def test_jagged_results_are_those_of_two_steps(x: aj.JaggedArray, dtype: str, data: st.DataObject) -> None:
    """Take out of the dense array, then calculate: nulls and sizes of any kind."""
    whole = x.to_dense().shape
    levels = len(aj.dense.max_sizes(x))
    sizes = data.draw(st.tuples(*(st.integers(0, size + 2) for size in whole[1 : levels + 1])))
    y = np.random.default_rng(1).integers(0, 9, (whole[0], *sizes, *whole[levels + 1 :])).astype(dtype)
    assert_equal(aj.dense.mul(x, y), x * aj.dense.from_dense(y, x.shape))
    assert_equal(aj.dense.add(x, y), x + aj.dense.from_dense(y, x.shape))


def test_operands_are_never_stretched_and_never_written() -> None:
    x, y = aj.array([[1.0, 2.0], [3.0]]), np.ones((2, 2))
    before = y.copy(), x.to_list()
    aj.dense.add(x, y), aj.dense.mul(x, y), aj.dense.add(x, y, out="dense")
    table = aj.array(np.ones((2, 2)))
    aj.dense.add(table, y), aj.dense.mul(table, y), aj.dense.add(table, y, out="dense")
    assert np.array_equal(y, before[0])
    assert x.to_list() == before[1]
    for wrong, message in ((np.ones((1, 2)), "2 rows, the dense operand has 1"), (np.ones((2, 2, 1)), "has 2 dims, got 3")):
        with pytest.raises(aj.ShapeError, match=message):
            aj.dense.add(x, wrong)
        with pytest.raises(aj.ShapeError, match=message):
            aj.dense.mul(x, wrong)
    with pytest.raises(aj.ShapeError, match=r"are \(2,\).*size of 1 is not broadcast"):
        aj.dense.mul(small(), np.ones((3, 2, 1)))
    with pytest.raises(TypeError, match=r"no kernel for .*string"):
        aj.dense.add(aj.array([["a"]]), [[1]])
    with pytest.raises(TypeError, match="no kernel for double and complex128"):
        aj.dense.mul(x, np.ones((2, 2), complex))


# --------------------------------------------------------------------------------------------------- softmax and products


def _softmax_by_hand(x: aj.JaggedArray, limit: int) -> list[Any]:
    """Plain loops; rows of items of one width."""
    result = []
    for row in x.to_list():
        kept = np.array(row[:limit], float).reshape(len(row[:limit]), x.shape.extents[-1])
        weights = np.exp(kept - kept.max(axis=0)) / np.exp(kept - kept.max(axis=0)).sum(axis=0) if len(kept) else kept
        result.append(weights.tolist() + [[0.0] * kept.shape[1]] * max(0, len(row) - limit))
    return result


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("limit", [None, 0, 2, 9])
def test_softmax(dtype: str, width: int, limit: int | None) -> None:
    sizes = [3, 0, 1, 5, 3]
    draw = np.random.default_rng(0).normal(size=sum(sizes) * width).astype(dtype)
    x = aj.JaggedArray(aj.JaggedShape(5, sizes, width), draw)
    found = aj.dense.softmax(x, limit)
    assert found.type == x.type
    assert found.shape.extents == x.shape.extents
    tolerance = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-12}[dtype]
    assert_lists_equal(found.to_list(), _softmax_by_hand(x, 9 if limit is None else limit), rel_tol=tolerance, abs_tol=tolerance)
    if width == 1:
        flat = aj.dense.softmax(x.flatten_end(), limit)
        assert_lists_equal(flat.to_list(), found.flatten_end().to_list(), rel_tol=tolerance)


def test_softmax_of_infinite_items() -> None:
    inf, nan = math.inf, math.nan
    x = aj.array([[1000.0, 1001.0], [inf, 1.0], [nan, 1.0], [-inf, -inf], [-inf, 1.0], [5.0]])
    wanted = [[0.2689414213699951, 0.7310585786300049], [nan, nan], [nan, nan], [nan, nan], [0.0, 1.0], [1.0]]
    assert_lists_equal(aj.dense.softmax(x).to_list(), wanted)
    assert_lists_equal(aj.dense.softmax(aj.dense.pack(x, 1)).flatten_end().to_list(), wanted)


def test_softmax_leaves_nulls_alone() -> None:
    x = aj.array([[1.0, None, 1.0], None, [None]])
    assert aj.dense.softmax(x).to_list() == [[0.5, None, 0.5], None, [None]]
    assert aj.dense.softmax(x, 1).to_list() == [[1.0, None, 0.0], None, [None]]
    two = aj.JaggedArray(aj.JaggedShape(1, [2], 2), [1.0, None, 1.0, 7.0])
    assert aj.dense.softmax(two).to_list() == [[[0.5, None], [0.5, 1.0]]]
    assert aj.dense.softmax(aj.array([[1, 1]])).to_list() == [[0.5, 0.5]]


def test_half_floats_add_up_in_float32() -> None:
    ones = aj.from_sizes(np.ones(4096, np.float16), [4096])
    assert aj.dense.softmax(ones).values.to_numpy().astype(np.float64).sum() == 1.0
    assert aj.dense.bmm(ones, ones).tolist() == [[[4096.0]]]


def test_many_rows_of_softmax() -> None:
    draw = np.random.default_rng(1)
    sizes = draw.integers(0, 21, 60_000)
    x = aj.from_sizes(draw.random(sizes.sum()).astype(np.float32), sizes)
    total = aj.dense.softmax(x).sum().to_numpy()
    assert np.allclose(total, sizes > 0, atol=1e-5)
    packed = aj.dense.softmax(aj.dense.pack(x, 1)).values.to_numpy()
    assert np.allclose(packed, aj.dense.softmax(x).values.to_numpy(), rtol=1e-5)


def test_bmm() -> None:
    offsets = aj.dims.from_offsets([0, 1, 3, 3])
    x = aj.JaggedArray(aj.JaggedShape(3, offsets, 2), [1, 2, 3, 4, 5, 6])
    y = aj.JaggedArray(aj.JaggedShape(3, offsets, 3), list(range(9)))
    wanted = [np.zeros((2, 3), int).tolist() for _ in range(3)]
    for b, (one, two) in enumerate(zip(x.to_list(), y.to_list(), strict=True)):
        if one:
            wanted[b] = (np.array(one).T @ np.array(two)).tolist()
    assert aj.dense.bmm(x, y).tolist() == wanted
    assert aj.dense.bmm(x, y, 1)[1].tolist() == np.outer([3, 4], [3, 4, 5]).tolist()
    assert aj.dense.bmm(x, y, 0).tolist() == np.zeros((3, 2, 3)).tolist()
    assert aj.dense.bmm(x.cast(pa.float64()), y).dtype == np.float64
    flat = aj.array([[1, 2], [3]])
    assert aj.dense.bmm(flat, flat).tolist() == [[[5]], [[9]]]
    assert aj.dense.bmm(aj.array([[1, None], None]), aj.array([[5, 6], []])).tolist() == [[[5]], [[0]]]
    with pytest.raises(aj.ShapeError, match="row sizes differ"):
        aj.dense.bmm(x, aj.array([[1], [1], [1]]))
    with pytest.raises(aj.ShapeError, match=r"takes one jagged dim .* as in x\.reshape\(rows, sizes, 2\)$"):
        aj.dense.bmm(aj.array([[[1], [1, 2]]]), x)


def test_matmul() -> None:
    x = aj.JaggedArray(aj.JaggedShape(3, [1, 2, 0], 2), [1, 2, 3, 4, 5, 6])
    y = np.arange(12).reshape(3, 2, 2)
    assert aj.dense.matmul(x, y).to_list() == [[[4, 7]], [[36, 43], [56, 67]], []]
    assert aj.dense.matmul(x, y, 1).to_list() == [[[4, 7]], [[36, 43], [0, 0]], []]
    assert aj.dense.matmul(x, y).shape.extents == (3, None, 2)
    assert aj.dense.matmul(x, [[1], [10]]).to_list() == [[[21]], [[43], [65]], []]
    assert aj.dense.matmul(aj.array([[2, 3], None]), [[5]]).to_list() == [[[10], [15]], None]
    assert aj.dense.matmul(x, np.zeros((3, 2, 0))).shape.extents == (3, None, 0)
    for wrong in (np.ones((3, 3, 2)), np.ones((2, 2, 2)), np.ones(2)):
        with pytest.raises(aj.ShapeError, match=r"takes a dense array of \(3, 2, p\) or \(2, p\)"):
            aj.dense.matmul(x, wrong)


def test_sums_of_products_that_leave_64_bits() -> None:
    x = aj.array([[2**62, 2**62]])
    with pytest.raises(OverflowError, match="does not fit 64 bits"):
        aj.dense.bmm(x, aj.array([[1, 1]]))
    assert aj.dense.bmm(x, aj.array([[1, -1]])).tolist() == [[[0]]]
    assert aj.dense.bmm(aj.array([[2**40]]), aj.array([[2**20]])).tolist() == [[[2**60]]]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_products_of_every_type(dtype: str) -> None:
    x = aj.from_sizes(numbers(dtype, 5), [3, 2])
    rows = [np.array(row) for row in x.to_list()]
    assert aj.dense.bmm(x, x).ravel().tolist() == [float((row.astype(float) ** 2).sum()) for row in rows]
    kind = aj.dense.bmm(x, x).dtype
    assert kind == (dtype if "float" in dtype else "uint64" if dtype.startswith("u") else "int64")


# --------------------------------------------------------------------------------------------------- width of items


def test_inner_and_pack() -> None:
    assert aj.dense.inner(aj.array([[1] * 6, [], None, [1] * 9])) == 3
    assert aj.dense.inner(aj.array([[1] * 2, [1] * 3])) == 1
    assert aj.dense.inner(aj.array([[], None], type=pa.int8())) == 1
    assert aj.dense.inner(aj.array(np.zeros((0, 5)))) == 5
    with pytest.raises(aj.ShapeError, match="needs rows of leaves"):
        aj.dense.inner(aj.array([1]))
    x = aj.array([[1, 2, 3, 4], None, []])
    packed = aj.dense.pack(x)
    assert packed.to_list() == [[[1, 2, 3, 4]], None, []]
    assert packed.shape.extents[-1] == 4
    assert packed.flatten_end().equals(x)
    assert packed.values.equals(x.values)
    assert aj.dense.pack(x, 2).to_list() == [[[1, 2], [3, 4]], None, []]
    assert aj.dense.pack(aj.array(np.zeros((2, 6))), 3).shape.extents == (2, 2, 3)
    for wrong in (3, 0):
        with pytest.raises(aj.ShapeError, match=f"items of {wrong}"):
            aj.dense.pack(x, wrong)


# --------------------------------------------------------------------------------------------------- wrong input


def test_offsets_that_fbgemm_believes_are_refused() -> None:
    for offsets, message in (
        ([0, 2, 1, 3], "never decrease, got 1 at slot 2 after 2"),
        ([0, 2, 9], "last offset .* is 9, but there are 3"),
        ([1, 2, 3], "start at 0, got 1"),
        ([0, 2], "last offset .* is 2, but there are 3"),
    ):
        with pytest.raises(aj.OffsetsError, match=message):
            aj.from_offsets([1, 2, 3], offsets)
    with pytest.raises(aj.ShapeError, match="at position 1 is -1; sizes must be at least 0"):
        aj.from_sizes([1, 2], [3, -1])
    with pytest.raises(aj.ShapeError, match="at position 1 is -1; sizes must be at least 0"):
        aj.dense.from_dense(np.zeros((2, 4)), [3, -1])


def test_offsets_of_32_bits_and_many_levels() -> None:
    n = 7
    x = aj.from_offsets(np.arange(4.0), *([np.array([0, 1, 2], np.int32)] * (n - 1)), np.array([0, 3, 4], np.int32))
    assert x.to_dense().shape == (2, *([1] * (n - 1)), 3)
    assert x.to_dense().ravel().tolist() == [0.0, 1.0, 2.0, 3.0, 0.0, 0.0]
    assert aj.dense.from_dense(x.to_dense(), x.shape).equals(x)


def test_softmax_of_large_and_small_numbers_side_by_side() -> None:
    draw = np.random.default_rng(2)
    sizes = draw.integers(0, 6, 400)
    data = (draw.normal(size=sizes.sum()) * draw.choice([1.0, 100.0, 1e6], sizes.sum())).astype(np.float32)
    x = aj.from_sizes(data, sizes)
    wanted = [np.exp(np.array(row) - max(row)) / np.exp(np.array(row) - max(row)).sum() if row else [] for row in x.to_list()]
    assert np.allclose(aj.dense.softmax(x).values.to_numpy(), np.concatenate(wanted), rtol=1e-4, atol=1e-30)
    alone = [aj.dense.softmax(x[row : row + 1]).values.to_numpy() for row in range(400)]
    assert np.array_equal(np.concatenate(alone), aj.dense.softmax(x).values.to_numpy())


def test_softmax_of_many_rows_does_not_depend_on_the_rows_around() -> None:
    """Blocks of rows, some of which hold numbers that need a shift; items of several numbers go another way."""
    draw = np.random.default_rng(0)
    sizes = draw.integers(0, 9, 80_000)
    data = draw.normal(size=int(sizes.sum())) * 3
    wild = np.repeat(draw.random(len(sizes)) < 0.001, sizes)
    data[wild] += draw.choice([-500.0, 500.0, np.inf], int(wild.sum()))
    for type, tolerance in ((pa.float64(), 1e-12), (pa.float32(), 1e-5)):
        x = aj.JaggedArray(aj.JaggedShape(len(sizes), sizes), pa.array(data).cast(type))
        found, by_axis = aj.dense.softmax(x), x.softmax()
        np.testing.assert_allclose(found.values.to_numpy(), by_axis.values.to_numpy(), rtol=tolerance, atol=tolerance)
        pairs = aj.dense.pack(aj.concat([x, x], axis=1).reverse(), 1)
        np.testing.assert_allclose(
            aj.dense.softmax(pairs).values.to_numpy(),
            pairs.flatten_end().softmax().values.to_numpy(),
            rtol=tolerance,
            atol=tolerance,
        )


@pytest.mark.parametrize("type", [pa.float32(), pa.float64()])
def test_softmax_of_items_by_position_or_by_length(type: pa.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows among others and alone give the same to the bit; the way of longer rows gives the same but for rounding."""
    draw = np.random.default_rng(0)
    sizes = draw.integers(0, 9, 80_000)
    data = draw.normal(size=(int(sizes.sum()), 3)) * 3
    wild = np.repeat(draw.random(len(sizes)) < 0.01, sizes)
    data[wild] += draw.choice([-500.0, 0, 500.0, np.inf], (int(wild.sum()), 3))
    x = aj.JaggedArray(aj.JaggedShape(len(sizes), sizes, 3), pa.array(data.reshape(-1)).cast(type))
    found, some = aj.dense.softmax(x), slice(40_000, 41_000)
    np.testing.assert_array_equal(aj.dense.softmax(x[some]).values.to_numpy(), found[some].values.to_numpy())
    monkeypatch.setattr(matrices, "PLACES", 0)
    again = aj.dense.softmax(x).values.to_numpy()
    np.testing.assert_allclose(again, found.values.to_numpy(), rtol=1e-5 if type == pa.float32() else 1e-12)


@pytest.mark.parametrize("limit", [None, 4])
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("type", [pa.float16(), pa.float32(), pa.float64()])
def test_softmax_with_nulls_is_that_of_the_others(type: pa.DataType, width: int, limit: int | None) -> None:
    """Against the softmax along an axis, which has a kernel of its own: nulls, rows of nulls, rows that need a shift."""
    draw = np.random.default_rng(0)
    sizes = draw.integers(0, 9, 80_000)
    owner = np.repeat(np.arange(len(sizes)), sizes * width)
    data = draw.normal(size=len(owner)) * 3
    data[(owner % 1000) == 7] += 500
    data[(owner % 1000) == 8] -= 500
    values = pa.array(data, mask=(draw.random(len(owner)) < 0.1) | (owner % 5 == 0)).cast(type)
    x = aj.JaggedArray(aj.JaggedShape(len(sizes), sizes, *[width][: width - 1]), values)
    found = aj.dense.softmax(x, limit)
    assert found.values.is_null().equals(values.is_null())
    tolerance = {pa.float16(): 1e-3, pa.float32(): 1e-5, pa.float64(): 1e-12}[type]
    for place in range(width):
        got, column = (found, x) if width == 1 else (found[..., place], x[..., place])
        pair = got[:, :limit], column[:, :limit].softmax()
        weights = (part.values.cast(pa.float64()).fill_null(0).to_numpy() for part in pair)
        np.testing.assert_allclose(*weights, rtol=tolerance, atol=tolerance)
        assert limit is None or not got[:, limit:].values.drop_null().to_numpy().any()


def test_rows_of_declared_items_are_taken_whole() -> None:
    draw = np.random.default_rng(0)
    sizes = draw.integers(0, 12, 3000)
    rows = draw.integers(0, 3000, 5000)
    for inner in ((3,), (2, 3), (1, 1)):
        n = int(sizes.sum()) * int(np.prod(inner))
        for mask in (None, draw.random(n) < 0.1):
            x = aj.JaggedArray(aj.JaggedShape(3000, sizes, *inner), pa.array(draw.random(n), mask=mask))
            rows_of_x = x.to_list()
            taken = x[rows]
            assert taken.to_list() == [rows_of_x[row] for row in rows]
            assert taken.shape.extents[1:] == x.shape.extents[1:]
            assert x[rows[:0]].shape.extents[2:] == x.shape.extents[2:]


def test_fills_of_pandas_keep_their_nanoseconds() -> None:
    fine = pd.Timestamp("2020-01-01 12:00:00.123456789")
    x = aj.array([[fine, fine], [fine]])
    assert x.to_dense(fill_value=fine).tolist() == [[fine.value] * 2] * 2
    with pytest.raises(aj.JagTypeError, match="fill_value NaT can't be converted to timestamp"):
        x.to_dense(fill_value=pd.NaT)


def test_rows_without_any_value_are_filled() -> None:
    assert aj.array([[], []]).to_dense().tolist() == [[], []]
    assert aj.array([[None], []]).to_dense().tolist() == [[0.0], [0.0]]
    assert aj.array([[None], []]).to_dense(fill_value=None).mask.tolist() == [[True], [True]]


def test_products_of_half_floats_beyond_their_largest_number_are_infinite() -> None:
    """Without a warning, which tests would raise."""
    x = aj.array(pa.array([[[3e4, 3e4], [1.0, 1.0]]], pa.list_(pa.list_(pa.float16(), 2))))
    assert aj.dense.matmul(x, np.full((2, 2), 3e4, np.float16)).to_list() == [[[math.inf] * 2, [60000.0] * 2]]
    assert aj.dense.bmm(x, x).tolist() == [[[math.inf] * 2] * 2]
    assert x.matmul(x).to_list() == [[[math.inf] * 2, [30000.0] * 2]]
