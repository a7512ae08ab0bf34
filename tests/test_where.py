"""where."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._column import to_arrow
from arrowjag._kernels import strategy
from arrowjag._kernels.base import memory
from arrowjag._ops import structure
from arrowjag._ops.elementwise import choosing
from arrowjag.errors import JagMemoryError
from arrowjag.testing import jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.operands import assert_same, jag, outcome, with_null_rows

depths = st.integers(1, 3)


def with_holes(x: aj.JaggedArray, rng: np.random.Generator, share: float) -> aj.JaggedArray:
    """An array some of whose rows became null."""
    keep = rng.random(len(x)) >= share
    return aj.from_arrow(pc.if_else(pa.array(keep), x.to_arrow(extension=False), None))


def in_one_row(x: aj.JaggedArray) -> aj.JaggedArray:
    """An array as the only row of another one."""
    lists = pa.LargeListArray.from_arrays(pa.array([0, len(x)], pa.int64()), x.to_arrow(extension=False))
    return aj.from_arrow(lists, ndim=x.ndim + 1)


@given(st.tuples(depths, depths, depths).flatmap(lambda n: prefix_arrays(n, [pa.bool_(), pa.int64(), pa.int64()])))
def test_where_takes_rows_from_the_operand_that_supplies_them(operands: tuple[aj.JaggedArray, ...]) -> None:
    assert_same(lambda: aj.where(*operands), lambda: ref.where(*map(jag, operands)))


@given(with_null_rows(3, [pa.bool_(), pa.int8(), pa.int8()]))
def test_where_takes_rows_of_every_level(operands: tuple[aj.JaggedArray, ...]) -> None:
    assert_same(lambda: aj.where(*operands), lambda: ref.where(*map(jag, operands)))


@given(
    st.tuples(depths, depths).flatmap(lambda n: prefix_arrays(n, [pa.int64(), pa.int64()])),
    st.sampled_from([True, False, None]),
    st.integers(0, 2),
)
def test_where_with_scalars(pair: tuple[aj.JaggedArray, ...], flag: bool | None, which: int) -> None:
    operands: list[Any] = [pa.scalar(flag, pa.bool_()), *pair]
    if which:
        operands = [pair[0] > 0, pair[1], pa.scalar(7, pa.int64())]
        operands[1:] = operands[1:] if which == 1 else operands[:0:-1]
    assert_same(lambda: aj.where(*operands), lambda: ref.where(*map(jag, operands)))


@given(leaf_types().flatmap(lambda leaf: prefix_arrays((2, 2, 2), [pa.bool_(), leaf, leaf], allow_nan=False)))
def test_where_of_every_leaf_type(operands: tuple[aj.JaggedArray, ...]) -> None:
    c, x, y = operands
    assert_same(lambda: aj.where(c, x, y), lambda: ref.where(jag(c), jag(x), jag(y)))
    assert aj.where(x.is_null(), x, x).type == x.type


def test_where_of_scalars_is_a_scalar_and_types_promote() -> None:
    assert aj.where(True, 1, 2).as_py() == 1
    assert aj.where([True, False], 1, 2.5).type == pa.float64()
    assert aj.where(aj.array([[True], [None]]), [1, 2], 9).to_list() == [[1], [None]]
    with pytest.raises(TypeError, match="boolean"):
        aj.where([1, 0], 1, 2)
    with pytest.raises(TypeError, match="boolean"):
        aj.where([1, 0], aj.array([[1], None]), [1, 2])
    with pytest.raises(ValueError, match="row 0 has 2 items"):
        aj.where([True, False], aj.array([[1], None]), aj.array([[1, 2], [3]]))


@pytest.mark.parametrize("type", [pa.float64(), pa.int16(), pa.bool_(), pa.decimal128(20, 2), pa.string(), pa.time32("s")], ids=str)
@pytest.mark.parametrize("deep", [False, True])
def test_merging_many_rows_equals_merging_few(type: pa.DataType, deep: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 12, 6000)
    n = int(sizes.sum())

    def array(leaf: pa.DataType) -> aj.JaggedArray:
        leaves = pa.array(rng.integers(0, 2, n, dtype=np.int32), mask=rng.random(n) < 0.1).cast(leaf)
        x = with_holes(aj.JaggedArray(aj.JaggedShape(6000, sizes.tolist()), leaves), rng, 0.05)
        if not deep:
            return x
        lists = pa.LargeListArray.from_arrays(pa.array(np.arange(0, 6001, 3)), x.to_arrow(extension=False))
        return with_holes(aj.from_arrow(lists), rng, 0.05)

    c, x, y, z = array(pa.bool_()), array(type), array(type), array(type)
    flat = x.first().first() if deep else x.first()

    def results() -> list[Any]:
        return [
            aj.where(c, x, y),
            aj.where(c, x, flat),
            aj.where(c, flat, y[: len(y)]),
            aj.where(x.is_null(), y, x),
            aj.where(c, x, flat.values[3] if flat.values[3].is_valid else flat.values[4]),
            aj.coalesce(x, y),
            aj.coalesce(x, y, z, flat),
            x.fill_null(y),
            aj.coalesce(flat, x),
        ]

    fast = results()
    monkeypatch.setattr(choosing, "_same_rows", lambda columns: all(column.shape.dims[1:] == () for column in columns))
    with strategy.force(take_runs="items", merge_rows="whole", if_else="whole"):
        slow = results()
    for one, two in zip(fast, slow, strict=True):
        assert one.type == two.type
        assert one.equals(two)


@given(leaf_types().flatmap(lambda leaf: prefix_arrays((2, 2, 2), [pa.bool_(), leaf, leaf], allow_nan=False)), st.booleans())
def test_merging_few_rows_equals_merging_many(operands: tuple[aj.JaggedArray, ...], deep: bool) -> None:
    c, x, y = map(in_one_row, operands) if deep else operands

    def results() -> list[Any]:
        ways = [lambda: aj.where(c, x, y), lambda: aj.where(c, x, x.values[0]) if x.size else x, lambda: aj.coalesce(x, y)]
        return [outcome(lambda way=way: way().to_arrow()) for way in (*ways, lambda: x.fill_null(y))]

    slow = results()
    with strategy.force(merge_rows="blocks", pad_items="blocks", take_runs="runs", if_else="blocks"):
        fast = results()
    for one, two in zip(slow, fast, strict=True):
        assert type(one) is type(two)
        assert one == two if isinstance(one, str) else (one.type == two.type and one.to_pylist() == two.to_pylist())


@given(leaf_types().flatmap(lambda leaf: jagged_arrays(st.integers(2, 4), leaf, allow_nan=False)), st.data())
def test_rows_become_null_in_runs_as_they_do_item_by_item(x: aj.JaggedArray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, x.ndim - 2))
    n = x.shape.nodes(axis + 1)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    slow = structure.null_items(x, axis + 1, mask)
    with strategy.force(take_runs="runs"):
        fast = structure.null_items(x, axis + 1, mask)
    one, two = to_arrow(slow), to_arrow(fast)
    two.validate(full=True)
    assert one.type == two.type
    assert one.to_pylist() == two.to_pylist()
    assert [dim.extent for dim in slow.shape.dims] == [dim.extent for dim in fast.shape.dims]


FEW_AND_MANY = ([None, "b"], [["b", None] * 1000])
"""Text with one and with a thousand nulls."""

WITH_A_STRING = {
    "where": lambda x, text: aj.where(x.is_null(), text, x),
    "where, if false": lambda x, text: aj.where(~x.is_null(), x, text),
    "fill_null": lambda x, text: x.fill_null(text),
    "coalesce": lambda x, text: aj.coalesce(x, x, text),
}


PAIRS = pa.struct({"n": pa.int8(), "s": pa.struct({"t": pa.string()})})
A, B, C = {"n": 1, "s": {"t": "a"}}, {"n": None, "s": None}, {"n": 3, "s": {"t": None}}


@pytest.mark.parametrize("scalar", [C, None])
def test_structs_are_chosen_with_their_nulls(scalar: Any) -> None:
    c = aj.array([[True, False, None, True], [False, True]])
    x = aj.array([[A, A, A, None], [B, None]], type=PAIRS)
    y = aj.array([[C, None, C, C], [A, B]], type=PAIRS)
    one = pa.scalar(scalar, PAIRS)
    assert aj.where(c, x, y).to_list() == [[A, None, None, None], [A, None]]
    assert aj.where(c, x, one).to_list() == [[A, scalar, None, None], [scalar, None]]
    assert aj.where(c, one, y).to_list() == [[scalar, None, None, scalar], [A, scalar]]
    assert aj.coalesce(x, y).to_list() == [[A, A, A, C], [B, B]]
    assert aj.coalesce(x, one).to_list() == x.fill_null(one).to_list() == [[A, A, A, scalar], [B, scalar]]
    assert aj.coalesce(one, x).to_list() == ([[C] * 4, [C] * 2] if scalar else x.to_list())
    assert aj.where(True, x, one).to_list() == x.to_list()
    assert aj.where(c, one, one).to_list() == [[scalar, scalar, None, scalar], [scalar, scalar]]
    assert aj.where(c[:0], x[:0], one).to_list() == []


def in_structs(lists: list[Any]) -> list[Any]:
    return [in_structs(one) if isinstance(one, list) else one and {"s": one} for one in lists]


@pytest.mark.parametrize("name", WITH_A_STRING)
def test_a_struct_of_a_string_is_refused_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10**9)
    few, many = (aj.array(in_structs(one)) for one in FEW_AND_MANY)
    value = {"s": "a" * 2_000_000}
    assert WITH_A_STRING[name](few, value).to_list() == [value, {"s": "b"}]
    with pytest.raises(JagMemoryError, match="the system has 1 GB left"):
        WITH_A_STRING[name](many, value)


@pytest.mark.parametrize("name", WITH_A_STRING)
def test_a_string_is_refused_where_its_copies_exceed_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A string of 2 MB fits once into the gigabyte that is left; pyarrow's kernels would write it a thousand times."""
    monkeypatch.setattr(memory, "free_memory", lambda: 10**9)
    few, many = map(aj.array, FEW_AND_MANY)
    text = "a" * 2_000_000
    assert WITH_A_STRING[name](few, text).to_list() == [text, "b"]
    assert WITH_A_STRING[name](aj.array([["b"] * 1000, ["b", None]]), text)[1].to_list() == ["b", text]
    with pytest.raises(JagMemoryError, match=r"1,000 items of 2e\+06 bytes take 2 GB; the system has 1 GB left"):
        WITH_A_STRING[name](many, text)


def test_values_that_are_not_selected_need_not_fit_the_type() -> None:
    x = aj.array([[dt.datetime(2024, 1, 1), dt.datetime(9999, 1, 1)], None])  # noqa: DTZ001
    near = aj.array(pa.array([[0, 1], [2]], pa.list_(pa.timestamp("ns"))))
    found = aj.where(x < dt.datetime(2100, 1, 1), x, near)  # noqa: DTZ001
    assert found.type == pa.timestamp("ns")
    assert found.cast("int64").to_list() == [[1704067200 * 10**9, 1], None]
    assert aj.where(aj.array([[True, None], []]), aj.array([[0.5, 1.5], []]), 2**53 + 1).to_list() == [[0.5, None], []]
    assert aj.coalesce(near, x).equals(near)
    with pytest.raises(aj.JagValueError, match=r"^where: row 0 holds 9999-01-01"):
        aj.where(x > dt.datetime(2100, 1, 1), x, near)  # noqa: DTZ001
    with pytest.raises(aj.JagValueError, match=r"^coalesce: row 0 holds 9999-01-01"):
        aj.coalesce(x, near)
