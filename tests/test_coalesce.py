"""coalesce."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.reference import Jag

depths = st.integers(1, 3)


def jag(x: Any) -> Jag:
    return Jag(x.to_list(), x.ndim) if isinstance(x, aj.JaggedArray) else Jag(x.as_py(), 0)


def as_list(result: Any) -> Any:
    return result.as_py() if isinstance(result, pa.Scalar) else result.to_list()


def outcome(function: Any) -> Any:
    """What a call gives, or that shapes don't fit: where one operand has a null row, the others' rows need not agree."""
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


@given(same_leaves(3))
def test_coalesce_fills_null_leaves_and_null_rows(operands: tuple[aj.JaggedArray, ...]) -> None:
    assert_same(lambda: aj.coalesce(*operands), lambda: ref.coalesce(*map(jag, operands)))


def test_coalesce_by_example() -> None:
    x = aj.array([[1, None], None, None])
    assert aj.coalesce(x, aj.array([[7, 8], [9], None]), 0).to_list() == [[1, 8], [9], None]
    assert aj.coalesce(None, 3).as_py() == 3
    assert aj.coalesce(None, aj.array([[1, None]])).to_list() == [[1, None]]
    assert aj.coalesce(x, [4, 5, 6]).to_list() == [[1, 4], None, None]
    with pytest.raises(TypeError, match="at least one"):
        aj.coalesce()


def test_categories_stay_categories_whether_any_is_missing_or_not() -> None:
    x, y = (aj.from_sizes(pa.array(words).dictionary_encode(), [2, 0, 1]) for words in (["a", None, "b"], ["c", "d", "e"]))
    assert aj.coalesce(x, y).to_list() == [["a", "d"], [], ["b"]]
    for one, two in ((x, y), (y, x), (x[:0], y[:0])):
        assert one.fill_null(two).type == aj.coalesce(one, two).type == aj.where(one.is_null(), two, one).type == x.type
