"""coalesce."""

from __future__ import annotations

import operator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._pyarrow_versions import null_scalar
from tests import reference as ref
from tests.operands import assert_same, jag, same_leaves, with_null_rows

depths = st.integers(1, 3)


@given(same_leaves(3))
def test_coalesce_fills_null_leaves_and_null_rows(operands: tuple[aj.JaggedArray, ...]) -> None:
    assert_same(lambda: aj.coalesce(*operands), lambda: ref.coalesce(*map(jag, operands)))


@given(st.integers(2, 3).flatmap(lambda count: with_null_rows(count, pa.int8())))
def test_rows_of_every_level_come_from_the_first_that_knows_them(operands: tuple[aj.JaggedArray, ...]) -> None:
    assert_same(lambda: aj.coalesce(*operands), lambda: ref.coalesce(*map(jag, operands)))


def test_coalesce_by_example() -> None:
    x = aj.array([[1, None], None, None])
    assert aj.coalesce(x, aj.array([[7, 8], [9], None]), 0).to_list() == [[1, 8], [9], None]
    assert aj.coalesce(None, 3).as_py() == 3
    assert aj.coalesce(None, aj.array([[1, None]])).to_list() == [[1, None]]
    assert aj.coalesce(x, [4, 5, 6]).to_list() == [[1, 4], None, None]
    with pytest.raises(TypeError, match="at least one"):
        aj.coalesce()


FOUR_DIMS = {
    "a row of a row is missing": ([None, [[[1], None]]], [[[[5, 6]], [[7]]], [[[8], [9]]]]),
    "rows move": ([None, [[[1], [None]], None]], [[[[5]], [[6], [7]]], [[[8], [9]], [[0]]]]),
    "no rows": ([None, None], [[[[5]], []], [[[6, 7], []]]]),
    "one row": ([[[[1, None], None]]], [[[[3, 4], [5]]]]),
}


@pytest.mark.parametrize("case", FOUR_DIMS)
@pytest.mark.parametrize("by", ["whole", "blocks"])
def test_rows_of_four_dims(case: str, by: str) -> None:
    x, y = (aj.array(lists, ndim=4, type=pa.int64()) for lists in FOUR_DIMS[case])
    with strategy.force(merge_rows=by):
        for one, two in ((x, y), (y, x)):
            assert_same(lambda: aj.coalesce(one, two), lambda: ref.coalesce(jag(one), jag(two)))  # noqa: B023


def test_rows_of_declared_extent_meet_rows_without() -> None:
    x = aj.stack([aj.array([[1, None]]), aj.array([[None, 2]])], axis=1)
    y = aj.array([[[3, 4], [5, 6]]])
    assert x.shape.extents[1] == 2
    assert aj.coalesce(x, y).to_list() == [[[1, 4], [5, 2]]]


def test_merging_leaves_what_does_not_change() -> None:
    """Rows that are null in the result have no items, no mask is made where none is null, and values are shared."""
    full = aj.array([[[1, 2], [3], [], [4, 5]]])
    holes = aj.array([[[1, 2], None, [], [4, 5]]])
    for by in ("whole", "blocks"):
        with strategy.force(merge_rows=by, take_runs="runs"):
            found = aj.coalesce(full, holes)
            assert found.shape.dims[-1].validity is None
            assert found.values.buffers()[1].address == full.values.buffers()[1].address
            null = aj.where(aj.array([[[True, None], None, [], [False, True]]]), full, full)
        assert null.to_list() == [[[1, None], None, [], [4, 5]]]
        assert len(null.values) == 4


def test_categories_stay_categories_whether_any_is_missing_or_not() -> None:
    x, y = (aj.from_sizes(pa.array(words).dictionary_encode(), [2, 0, 1]) for words in (["a", None, "b"], ["c", "d", "e"]))
    assert aj.coalesce(x, y).to_list() == [["a", "d"], [], ["b"]]
    for one, two in ((x, y), (y, x), (x[:0], y[:0])):
        assert one.fill_null(two).type == aj.coalesce(one, two).type == aj.where(one.is_null(), two, one).type == x.type


@pytest.mark.parametrize("by", ["whole", "blocks"])
@pytest.mark.parametrize("other", [[[5, 6], [7, 8, 9], [1, 1]], [[5, 6], [], [1, 1]]])
def test_a_row_of_another_size_does_not_fill_a_declared_extent(by: str, other: list[list[int]]) -> None:
    x = aj.from_arrow(pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)))
    y = aj.array(other, type=pa.int64(), ndim=2)
    n = len(other[1])
    calls = {
        "coalesce": [lambda: aj.coalesce(x, y), lambda: aj.coalesce(y, x)],
        "fill_null": [lambda: x.fill_null(y)],
        "where": [lambda: aj.where(y > 0, x, 1), lambda: aj.where(y > 0, x, y)],
    }
    with strategy.force(merge_rows=by):
        for name, several in calls.items():
            for call in several:
                with pytest.raises(aj.ShapeError, match=f"{name}: dim 1, row 1 has {n} items, but the dim declares an extent of 2"):
                    call()
        for one, two in ((x, y[:1]), (y[:1], x)):
            assert aj.coalesce(one[:1], two[:1]).shape.extents == (None, 2)


def test_two_declared_extents_never_meet() -> None:
    two, three = (aj.from_arrow(pa.array([None, None], pa.list_(pa.int64(), n))) for n in (2, 3))
    for x, y in ((two, three), (two[:0], three[:0]), (two.fill_null_rows(aj.zeros(2, 2).cast("int64")), three)):
        for name, call in {"coalesce": aj.coalesce, "add": operator.add, "maximum": np.maximum, "equal": operator.eq}.items():
            with pytest.raises(aj.ShapeError, match=f"^{name}: dim 1 is declared to have 2 and 3 items"):
                call(x, y)


def test_many_items_of_dictionaries() -> None:
    numbers = np.random.default_rng(0).integers(0, 9, (2, 5000))
    one, two = ([None if number < 2 else f"{word}{number}" for number in row] for row, word in zip(numbers, "ab", strict=True))
    x, y = (aj.from_sizes(pa.array(words).dictionary_encode(), [2000, 0, 3000]) for words in (one, two))
    first = [b if a is None else a for a, b in zip(one, two, strict=True)]
    filled = [one[9] if a is None else a for a in one]
    assert one[9] is not None
    chosen = [b if a is None or a > "a4" else a for a, b in zip(one, two, strict=True)]
    for found, expected in (
        (x.coalesce(y), first),
        (x.fill_null(x.values[9]), filled),
        (aj.where(x.is_null() | (x > "a4").fill_null(True), y, x), chosen),
    ):
        assert found.type == x.type
        assert found.flatten().to_list() == expected


@pytest.mark.parametrize("type", [pa.string_view(), pa.binary_view(), pa.dictionary(pa.int8(), pa.string_view()), pa.string()])
def test_a_scalar_first_of_any_layout_of_text(type: pa.DataType) -> None:
    text = pa.array(["a", None, "longer than twelve bytes", None]).cast(getattr(type, "value_type", type))
    values = text.dictionary_encode().cast(type) if pa.types.is_dictionary(type) else text
    x = aj.from_sizes(values, [3, 0, 1])
    for first, filled in ((values[2], values[2].as_py()), (null_scalar(type), None)):
        expected = [item if filled is None else filled for item in x.flatten().to_list()]
        assert aj.coalesce(first, x).flatten().to_list() == expected
        assert aj.coalesce(first, values[0], x).flatten().to_list() == [filled or values[0].as_py()] * 4
        assert aj.coalesce(first, x).type == x.type
