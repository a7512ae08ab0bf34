"""Columns of dictionaries: their rows join, are set, and keep the type and the order of their categories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.errors import JagValueError

UNORDERED = pa.dictionary(pa.int8(), pa.string())
ORDERED = pa.dictionary(pa.int8(), pa.string(), ordered=True)


def column(words: list[str], codes: list[list[int]], type: Any = ORDERED) -> Any:
    x = aj.array(codes, type=type.index_type)
    return aj.JaggedArray(x.shape, pa.DictionaryArray.from_arrays(x.values, pa.array(words), ordered=type.ordered)).to_pandas()


@pytest.fixture
def s() -> Any:
    return column(["low", "mid", "high"], [[0, 2], [1]])


@pytest.fixture
def other() -> Any:
    """Of another order."""
    return column(["high", "low"], [[1], [0]])


def set_cells(s: Any, key: Any, value: Any) -> Any:
    s = s.copy()
    s.iloc[key] = value
    return s


JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "concat": lambda s, other: pd.concat([s, other]),
    "a row": lambda s, other: set_cells(s, 0, other.iloc[0]),
    "rows": lambda s, other: set_cells(s, [0, 1], other.array),
    "fillna": lambda s, other: s.shift(1).fillna(other),
    "take": lambda s, other: s.array.take([0, -1], allow_fill=True, fill_value=other.iloc[0]),
    "list of rows": lambda s, other: pd.Series([s.iloc[0], other.iloc[0]], dtype=s.dtype).isna(),
    "chunks": lambda s, other: pa.table({"v": pa.chunked_array([pa.array(s), pa.array(other)])}).to_pandas(),
}


@pytest.mark.parametrize("name", JOINS)
def test_rows_of_two_orders_do_not_join(s: Any, other: Any, name: str) -> None:
    with pytest.raises(JagValueError, match="ordered categories"):
        JOINS[name](s, other)


def test_a_row_that_does_not_join_leaves_the_column_as_it_was(s: Any, other: Any) -> None:
    with pytest.raises(JagValueError, match=r"the ordered categories .* differ"):
        s.iloc[0] = other.iloc[0]
    assert s.tolist() == [["low", "high"], ["mid"]]


@pytest.mark.parametrize("value", [["high", "mid"], aj.Row(["high", "mid"])])
def test_labels_are_set_by_the_order_of_the_column(s: Any, value: Any) -> None:
    for found in (set_cells(s, 0, value), set_cells(s.to_frame(), (0, 0), value)[0], set_cells(s, [0], [["high", "mid"]])):
        assert found.dtype == s.dtype
        assert found.jag.sort().tolist() == [["mid", "high"], ["mid"]]
    for moved in (s.shift(1, fill_value=aj.Row(["high"])), s.shift(1).fillna(aj.Row(["high"]))):
        assert (moved.dtype, moved.jag.max().tolist()) == (s.dtype, ["high", "high"])


def test_a_label_that_is_no_category_is_refused(s: Any) -> None:
    for key, value in ((0, ["tall"]), ([0], [["tall"]]), (0, aj.Row(["tall"]))):
        with pytest.raises(
            JagValueError, match=r"setting rows: 'tall' is not one of the ordered categories \['low', 'mid', 'high'\]"
        ):
            set_cells(s, key, value)


@pytest.mark.parametrize("type", [UNORDERED, ORDERED])
def test_rows_keep_their_dictionary(type: Any) -> None:
    s = column(["b", "a"], [[0, 1], [1]], type)
    added = s.copy()
    added.loc[7] = s.iloc[0]
    for found in (s.combine(s, lambda one, _: one), added):
        assert found.dtype == s.dtype
    numbers = aj.array([[1, 2], [3]]).to_pandas()
    if numbers.map(lambda row: row).dtype == numbers.dtype:  # pandas 2 makes objects of rows of any type
        assert s.map(lambda row: row).dtype == s.dtype


def test_more_values_than_indices_are_an_error_of_ours() -> None:
    x, y = (column([f"{name}{place}" for place in range(100)], [list(range(100))], UNORDERED) for name in "xy")
    message = "indices=int8, ordered=0> can't hold the values of all of them, .*indices=int32, ordered=0> can"
    with pytest.raises(JagValueError, match=message):
        pd.concat([x, y])
    kept = pd.concat([x, x], ignore_index=True)
    with pytest.raises(JagValueError, match=message):
        kept.iloc[1] = y.iloc[0]
    assert kept.tolist() == x.tolist() * 2


def test_rows_of_other_words_join() -> None:
    s = column(["a"], [[0], [0]], UNORDERED)
    s.iloc[0] = ["b"]
    s.iloc[1] = aj.Row(["c", "a"])
    assert (s.dtype.leaf, s.tolist()) == (UNORDERED, [["b"], ["c", "a"]])


def test_columns_of_one_dictionary_type_join_whatever_their_extents() -> None:
    words = pa.array(["a", "b", "a", "c"]).dictionary_encode()
    even = aj.from_arrow(pa.FixedSizeListArray.from_arrays(words, 2)).to_pandas()
    ragged = aj.from_sizes(words, [1, 3]).to_pandas()
    both = pd.concat([even, ragged], ignore_index=True)
    assert even.dtype != ragged.dtype
    assert both.dtype == ragged.dtype
    assert both.jag.to_list() == [["a", "b"], ["a", "c"], ["a"], ["b", "a", "c"]]
