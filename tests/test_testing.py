"""The public strategies generate the documented data, and nothing that Arrow itself would reject."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, find, given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagValueError
from arrowjag.testing import (
    LEAF_KINDS,
    STORAGES,
    ArrowColumn,
    arrow_columns,
    assert_equal,
    assert_lists_equal,
    dims,
    jagged_arrays,
    jagged_lists,
    leaf_types,
    leaf_values,
    prefix_arrays,
    prefix_lists,
    shapes,
)
from arrowjag.testing._leaves import leaf_arrays
from arrowjag.testing.strategies import array_of
from tests import reference
from tests.reference import Jag

slow = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None)
search = settings(slow, max_examples=2000, phases=[Phase.generate])  # that there is one is enough: making it smaller takes long
ALL_LEAVES = [leaf for kind in LEAF_KINDS.values() for leaf in kind]


def chunks_of(array: Any) -> list[pa.Array]:
    return list(array.chunks) if isinstance(array, pa.ChunkedArray) else [array]


def list_depth(kind: pa.DataType) -> int:
    nested = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view)
    is_list = any(test(kind) for test in nested) or pa.types.is_large_list_view(kind)
    return 1 + list_depth(kind.value_type) if is_list else 0


def depths(item: Any) -> set[int]:
    """The depth at which each scalar of nested lists lies."""
    return {1 + below for one in item for below in depths(one)} if isinstance(item, list) else {0}


@slow
@given(arrow_columns())
def test_columns_are_valid_and_mean_their_truth(column: ArrowColumn) -> None:
    column.array.validate(full=True)
    assert_lists_equal(column.array.to_pylist(), column.truth, rel_tol=0, abs_tol=0)
    assert list_depth(column.array.type) == column.ndim - 1


@pytest.mark.parametrize("leaf", ALL_LEAVES, ids=str)
@settings(slow, max_examples=8)
@given(data=st.data())
def test_the_strategy_draws_every_leaf_type(leaf: pa.DataType, data: st.DataObject) -> None:
    column = data.draw(arrow_columns(2, leaf))
    column.array.validate(full=True)
    assert column.leaf == leaf
    assert_lists_equal(column.array.to_pylist(), column.truth, rel_tol=0, abs_tol=0)


@pytest.mark.parametrize("storage", STORAGES)
@settings(slow, max_examples=20)
@given(data=st.data())
def test_the_strategy_draws_every_storage_kind(storage: str, data: st.DataObject) -> None:
    column = data.draw(arrow_columns(3, pa.int16(), storages=[storage]))
    column.array.validate(full=True)
    assert str(column.array.type).startswith(storage if storage != "fixed_size_list" else "fixed_size_list<")
    assert_lists_equal(column.array.to_pylist(), column.truth)


def hidden_values(array: pa.Array) -> int:
    """Values that null rows own."""
    return sum(array.offsets[row + 1].as_py() - array.offsets[row].as_py() for row in range(len(array)) if not array[row].is_valid)


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(lambda c: hidden_values(c.array) > 0, id="null row that owns values"),
        pytest.param(lambda c: c.array.offset > 0, id="sliced"),
        pytest.param(lambda c: c.array.offset % 8 and c.array.null_count, id="validity that starts inside a byte"),
        pytest.param(lambda c: c.array.values.offset > 0, id="sliced values"),
        pytest.param(lambda c: len(c.array) and c.array.offsets[0].as_py() > 0, id="first offset after 0"),
        pytest.param(lambda c: c.truth and c.truth[-1] == [], id="trailing empty row"),
        pytest.param(lambda c: [] in c.truth[:-1], id="empty row"),
        pytest.param(lambda c: None in c.truth and [] in c.truth, id="null and empty rows"),
        pytest.param(lambda c: any(row and None in row for row in c.truth), id="null leaf"),
        pytest.param(lambda c: c.truth == [], id="empty column"),
        pytest.param(lambda c: c.truth and all(row is None for row in c.truth), id="nothing but null rows"),
    ],
)
def test_default_strategies_draw_nulls_slack_and_slices(wanted: Any) -> None:
    columns = arrow_columns(2, pa.int64(), storages=["large_list"], chunked=False)
    find(columns, wanted, settings=search)


@pytest.mark.parametrize("count", [0, 2, 3])
def test_columns_come_in_chunks(count: int) -> None:
    columns = arrow_columns(2, pa.int64(), chunked=True)
    found = find(columns, lambda c: c.array.num_chunks == count, settings=search)
    assert isinstance(found.array, pa.ChunkedArray)


def test_views_share_and_disorder_their_rows() -> None:
    columns = arrow_columns(2, pa.int64(), storages=["list_view"], chunked=False)

    def starts(column: ArrowColumn) -> list[int]:
        return [offset.as_py() for offset in column.array.offsets]

    find(columns, lambda c: starts(c) != sorted(starts(c)), settings=search)
    find(
        columns,
        lambda c: any(row and c.truth.count(row) > 1 for row in c.truth) and len(set(starts(c))) < len(starts(c)),
        settings=search,
    )


@slow
@given(arrow_columns(nulls=False, null_rows=False, slack=False, sliced=False, chunked=False, leaf=pa.int32()))
def test_columns_are_plain_on_request(column: ArrowColumn) -> None:
    array = column.array
    assert array.offset == 0
    assert "None" not in repr(column.truth)
    for _ in range(column.ndim - 1):
        array = array.values
        assert array.offset == 0


@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
@given(data=st.data())
def test_jagged_lists_have_their_depth(ndim: int, data: st.DataObject) -> None:
    rows = data.draw(jagged_lists(ndim, st.just("leaf"), nulls=False, null_rows=False))
    assert depths(rows) <= {ndim}


def test_jagged_lists_keep_extents() -> None:
    @given(jagged_lists(3, extents=(None, 2, 3), null_rows=False))
    def check(rows: list[Any]) -> None:
        assert all(len(row) == 2 and all(len(cell) == 3 for cell in row) for row in rows)

    check()


def compatible(operands: list[Any], ndims: list[int]) -> bool:
    """Sizes agree wherever all rows are valid: the definition, looked at directly."""
    deep = [(item, ndim) for item, ndim in zip(operands, ndims, strict=True) if ndim > 0]
    if len(deep) < 2 or any(item is None for item, _ in deep):
        return True
    if len({len(item) for item, _ in deep}) > 1:
        return False
    below = [ndim - 1 for _, ndim in deep]
    return all(compatible(list(cells), below) for cells in zip(*(item for item, _ in deep), strict=True))


@pytest.mark.parametrize("ndims", [(2, 3), (1, 2), (3, 3), (3, 1, 2)])
@given(data=st.data())
def test_prefix_lists_are_compatible(ndims: tuple[int, ...], data: st.DataObject) -> None:
    operands = data.draw(prefix_lists(ndims))
    assert compatible(list(operands), list(ndims))


def test_prefix_lists_hold_anything_under_the_null_rows_of_others() -> None:
    pairs = prefix_lists((2, 2))
    find(pairs, lambda p: any(a is None and b for a, b in zip(*p, strict=True)), settings=search)
    find(pairs, lambda p: any(b is None and a for a, b in zip(*p, strict=True)), settings=search)


@given(st.data())
def test_leaf_values_are_taken_by_their_type(data: st.DataObject) -> None:
    leaf = data.draw(leaf_types())
    values = data.draw(st.lists(leaf_values(leaf), max_size=3))
    array = leaf_arrays(values, leaf, [])
    array.validate(full=True)
    assert pa.types.is_null(leaf) or array.null_count == 0


@given(leaf_types("numeric"))
def test_numeric_leaf_types(leaf: pa.DataType) -> None:
    assert pa.types.is_integer(leaf) or pa.types.is_floating(leaf)


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(JagValueError, match="unknown kind 'quaternion'"):
        leaf_types("quaternion")


@given(jagged_lists(3, st.floats() | st.none()))
def test_equal_lists_are_equal(rows: list[Any]) -> None:
    assert_lists_equal(rows, [list(row) if row is not None else None for row in rows], rel_tol=0, abs_tol=0)


@given(jagged_lists(2), jagged_lists(2))
def test_different_lists_differ(one: list[Any], other: list[Any]) -> None:
    assume(one != other)
    with pytest.raises(AssertionError, match=r"^at "):
        assert_lists_equal(one, other)


@pytest.mark.parametrize(
    ("got", "expected", "text"),
    [
        ([[1], None], [[1], []], r"at \[1\]: got None, expected \[\]"),
        ([[1, 2]], [[1, 2, 3]], r"at \[0\]: got 2 items, expected 3 items"),
        ([1, 2], [1, 3, 4], r"at \[1\]: got 2, expected 3"),
        ([True], [1], r"at \[0\]: got True, expected 1"),
        ([0.0], [None], r"at \[0\]: got 0.0, expected None"),
        ([float("nan")], [1.0], r"at \[0\]: got nan, expected 1.0"),
        ([1.0], ["1.0"], r"at \[0\]: got 1.0, expected '1.0'"),
        ([{"a": 1}], [{"b": 1}], r"at \[0\]: got the fields \['a'\], expected \['b'\]"),
        ([{"a": [1]}], [{"a": [2]}], r"at \[0\]\['a'\]\[0\]: got 1, expected 2"),
        ([], None, r"at the top: got \[\], expected None"),
        ([[1]], [[[1]]], r"at \[0\]\[0\]: got 1, expected \[1\]"),
    ],
)
def test_the_first_difference_is_named(got: Any, expected: Any, text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        assert_lists_equal(got, expected)


def test_floats_are_compared_within_a_tolerance() -> None:
    assert_lists_equal([0.1 + 0.2, float("nan"), float("inf")], [0.3, float("nan"), float("inf")])
    with pytest.raises(AssertionError, match=r"expected 0.3"):
        assert_lists_equal([0.1 + 0.2], [0.3], rel_tol=0, abs_tol=0)
    with pytest.raises(AssertionError, match="expected 4611686018427387904"):
        assert_lists_equal([2**62 + 1], [2**62])


def test_without_hypothesis_asserts_work_and_strategies_name_the_package() -> None:
    script = """
import sys
sys.modules["hypothesis"] = None
import arrowjag.testing as testing
testing.assert_lists_equal([1], [1])
try:
    testing.arrow_columns
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "arrowjag[testing]" in done.stdout


@slow
@given(arrow_columns())
def test_jagged_arrays_keep_the_truth(column: ArrowColumn) -> None:
    x = aj.from_arrow(column.array)
    assert x.ndim == column.ndim
    assert x.type == column.leaf
    assert_lists_equal(x.to_list(), column.truth, rel_tol=0, abs_tol=0)


@slow
@given(st.data())
def test_the_strategy_draws_the_requested_arrays(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(3, pa.float32()))
    assert (x.ndim, x.type) == (3, pa.float32())
    assert_equal(x, x)
    assert_equal(array_of(x.to_list(), x.type, 3), x)


@slow
@given(st.data())
def test_prefix_arrays_meet(data: st.DataObject) -> None:
    x, y = data.draw(prefix_arrays((1, 3), pa.int32()))
    z = x + y
    assert z.ndim == 3
    expected = reference.elementwise(lambda a, b: a + b, Jag(x.to_list(), 1), Jag(y.to_list(), 3))
    assert_lists_equal(z.to_list(), expected)


def test_prefix_arrays_are_slices_too() -> None:
    def is_wanted(pair: tuple[aj.JaggedArray, ...]) -> bool:
        return all(x.values.offset % 8 and x.values.null_count for x in pair)

    find(prefix_arrays((1, 2)), is_wanted, settings=search)


@slow
@given(st.integers(0, 4), st.data())
def test_dims_and_shapes(ndim: int, data: st.DataObject) -> None:
    shape = data.draw(shapes(ndim))
    assert shape.ndim == ndim
    assert [len(dim) for dim in shape.dims[1:]] == [dim.size for dim in shape.dims[:-1]]
    dim = data.draw(dims(5, max_size=3, validity=False))
    assert len(dim) == 5
    assert dim.validity is None


@pytest.mark.parametrize("encoding", ["Ragged", "Uniform", "Affine", "Repeat", "Runs", "Sparse", "Chain"])
def test_dims_come_in_every_encoding(encoding: str) -> None:
    find(dims(4), lambda dim: type(dim).__name__ == encoding, settings=search)


@pytest.mark.parametrize(
    ("x", "y", "text"),
    [
        ([[1], None], [[1], []], r"at \[1\]: got None, expected \[\]"),
        ([1], [[1]], "got ndim 1, expected 2"),
        ([1], [1.0], "got leaf type int64, expected double"),
        ([[1.0]], [[float("nan")]], r"at \[0\]\[0\]: got 1.0, expected nan"),
        ([[None]], [[0]], r"at \[0\]\[0\]: got None, expected 0"),
    ],
)
def test_arrays_that_differ(x: Any, y: Any, text: str) -> None:
    one, other = aj.array(x), aj.array(y)
    with pytest.raises(AssertionError, match=text):
        assert_equal(one, other, check_type="leaf type" in text)


def test_equal_arrays_in_different_storage() -> None:
    nan = float("nan")
    fixed = aj.from_arrow(pa.array([[1.0, nan], None], pa.list_(pa.float64(), 2)))
    plain = aj.array([[1.0, nan], None])
    assert_equal(fixed, plain)
    with pytest.raises(AssertionError, match="got extents"):
        assert_equal(fixed, plain, check_extents=True)
