"""Helpers for tests of functions of several arrays: operands that fit each other, and results beside the oracle's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, leaf_values, prefix_arrays
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.along import Axis, as_list, first_axis
from tests.reference import Jag

depths = st.integers(1, 3)


def jag(x: Any) -> Jag:
    """An operand of the oracle: an array, or an Arrow scalar."""
    return Jag(x.to_list(), x.ndim) if isinstance(x, aj.JaggedArray) else Jag(x.as_py(), 0)


def leaves(x: aj.JaggedArray) -> list[Any]:
    """The innermost items of an array as one list, nulls included."""
    return ref.items(x.to_list(), x.ndim)


def result_or_error(function: Any) -> Any:
    """The result of a call, or the name of the builtin exception that it raises."""
    try:
        return function()
    except IndexError:
        return "IndexError"
    except ValueError:
        return "ValueError"


def moved(call: Callable[[], Any]) -> Any:
    """The result, but for null rows that a declared size can't do without: those are refused."""
    try:
        return call()
    except aj.ShapeError as error:
        assume("a null row between" not in str(error))
        raise


def outcome(function: Any) -> Any:
    """The result of a call, or a mark that shapes don't fit: if one operand has a null row, the others' rows need not agree."""
    try:
        return function()
    except ValueError:
        return "ValueError"


def assert_same(ours: Any, oracle: Any) -> None:
    assert_lists_equal(outcome(lambda: as_list(ours())), outcome(oracle))


def same_leaves(count: int, ndims: st.SearchStrategy[int] = depths) -> st.SearchStrategy[Any]:
    """Arrays of any one leaf type that fit each other."""
    shapes = st.lists(ndims, min_size=count, max_size=count)
    return st.tuples(shapes, leaf_types()).flatmap(lambda pair: prefix_arrays(pair[0], pair[1], allow_nan=False))


@st.composite
def with_null_rows(draw: st.DrawFn, count: int, leaves: Any) -> tuple[aj.JaggedArray, ...]:
    """Arrays of three dims, of equal sizes in the rows that several of them know; each has null rows of its own at every level."""
    sizes = draw(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3), min_size=1, max_size=3))
    known = st.sampled_from([True, True, False])

    def row(sizes: Any, values: st.SearchStrategy[Any]) -> Any:
        if not draw(known):
            return None
        return [draw(st.none() | values) for _ in range(sizes)] if isinstance(sizes, int) else [row(one, values) for one in sizes]

    kinds = [leaves] * count if isinstance(leaves, pa.DataType) else leaves
    nested = [[row(one, leaf_values(kind, small=True, allow_nan=False)) for one in sizes] for kind in kinds]
    return tuple(array_of(rows, kind, 3) for rows, kind in zip(nested, kinds, strict=True))


def with_frame(data: st.DataObject, ndim: int, other: int, leaf: pa.DataType) -> tuple[Any, Any]:
    """Two arrays that agree in the dims above the rows of the first."""
    frame = ndim - 1
    x, y = data.draw(prefix_arrays((frame, min(other, frame)), (pa.int64(), leaf)))
    rows = st.none() | st.lists(st.none() | leaf_values(leaf, small=True), max_size=3)
    x = array_of(ref.at_depth(lambda item: data.draw(rows), x.to_list(), frame), leaf, ndim)
    if other > frame:
        y = array_of(ref.at_depth(lambda item: data.draw(rows), y.to_list(), frame), leaf, other)
    return x, y


def rows_with_frame(data: st.DataObject, frame: int, leaf: pa.DataType, *, distinct: bool = False) -> tuple[Any, Any]:
    """An array of one dim more than the frame, and one with the frame's dims."""
    outer, own = data.draw(prefix_arrays((frame, frame), (pa.int8(), leaf)))
    values = leaf_values(leaf, small=True)
    rows = st.lists(
        st.none() | values, max_size=4, unique_by=(lambda v: object() if v is None else ref.key(v)) if distinct else None
    )
    nested = ref.at_depth(lambda _: data.draw(st.none() | rows if frame else rows), outer.to_list() if frame else None, frame)
    return array_of(nested, leaf, frame + 1), own


def rows_along(x: aj.JaggedArray, axis: Axis) -> Jag:
    """The items that are one row along an axis, as leaves."""
    first, to_leaves = first_axis(axis, x.ndim)
    return Jag(ref.reduce(list, x.to_list(), x.ndim, axis, x.shape.extents), first if to_leaves else x.ndim - 1)
