"""`Row`: the scalar of a jagged column."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from tests.hosts import pl

NAN = float("nan")


def test_is_exported() -> None:
    assert aj.Row is aj.pandas.Row


def test_reads_like_a_sequence_and_is_no_list() -> None:
    row = aj.array([[[1, 2], [], None]]).to_pandas().iloc[0]
    assert isinstance(row, aj.Row)
    assert len(row) == 3
    assert row[0] == aj.Row([1, 2])
    assert row[-1] is pd.NA
    assert row[0][1] == 2
    assert row[1:].to_list() == [[], None]
    assert row[::2].to_list() == [[1, 2], None]
    assert [one if one is pd.NA else one.to_list() for one in row] == [[1, 2], [], pd.NA]
    assert not hasattr(row, "__iter__")
    assert not hasattr(row, "__array__")
    assert not hasattr(row, "ndim")
    assert not pd.api.types.is_list_like(row)
    assert row.to_list() == [[1, 2], [], None]
    assert (row.array.ndim, row.type) == (2, pa.int64())
    with pytest.raises(aj.JagIndexError, match="row of 3"):
        row[3]


@pytest.mark.parametrize(
    "pair",
    [
        ([1, 2], [1.0, 2.0]),
        ([0.0], [-0.0]),
        ([NAN, None], [NAN, None]),
        ([{"a": 1, "b": None}], [{"a": 1, "b": None}]),
        ([[1], []], [[1], []]),
        ([], []),
    ],
)
def test_equal_rows_have_equal_hashes(pair: tuple[list[object], list[object]]) -> None:
    one, two = (aj.Row(items) for items in pair)
    assert one == two
    assert (one != two) is False
    assert hash(one) == hash(two)


def test_rows_differ() -> None:
    rows = [aj.Row(items) for items in ([1], [1, None], [1, 0], [2], [NAN])]
    assert len(set(rows)) == len(rows)
    assert aj.Row([[1], []], ndim=2) != aj.Row([[], [1]], ndim=2)
    assert aj.Row([1]) == [1]
    assert aj.Row([1]) != 1
    assert aj.Row([1]) != (1,)


def test_order() -> None:
    ordered = [[], [1], [1, 1], [2], [NAN], [None]]
    rows = [aj.Row(items, type=pa.float64()) for items in ordered]
    assert sorted([*rows[3:], *rows[:3]]) == rows
    assert rows[0] < rows[1] <= rows[1]
    assert rows[2] > rows[1]


def test_computes_item_by_item() -> None:
    row = aj.Row([1, 2])
    assert (row + row).to_list() == [2, 4]
    assert (10 - row).to_list() == [9, 8]
    assert (-row).to_list() == [-1, -2]
    assert abs(-row) == row
    assert (row * np.array([2, 3])).to_list() == [2, 6]
    assert (~aj.Row([True])).to_list() == [False]
    with pytest.raises(aj.ShapeError, match=r"^add: JaggedShape\(1\) is not a prefix of"):
        row + aj.Row([1])
    with pytest.raises(aj.ShapeError, match="scalar"):
        aj.Row(3)


def test_methods_of_columns_are_named_where_a_row_lacks_them() -> None:
    for name, hint in (
        ("sum", r"write \.jag\.sum of the column"),
        ("nunique", r"write x\.n_unique\(\), where x is row\.array"),
        ("z", "$"),
    ):
        with pytest.raises(aj.JagAttributeError, match=rf"^a Row has no '{name}'(; )?{hint}"):
            aj.array([[1], None]).to_pandas().map(lambda row, name=name: getattr(row, name)(), na_action="ignore")


def test_pickle_holds_the_row_alone() -> None:
    row = aj.array([[0] * 100_000, [1, None]]).to_pandas().iloc[1]
    packed = pickle.dumps(row)
    assert len(packed) < 3000
    assert pickle.loads(packed) == row
    assert copy.deepcopy(row) == row


def test_text() -> None:
    row = aj.Row(["a", None])
    assert str(row) == '["a", null]'
    assert repr(row) == "Row(['a', null])"
    assert len(repr(aj.Row(list(range(10_000))))) < 200


@pytest.mark.parametrize(
    "items",
    [[1, None, 3], [], ["a", None], [[1.5], None, [], [None]], [{"a": 1}, None], [dt.datetime(2020, 1, 1, tzinfo=dt.UTC), None]],
    ids=str,
)
def test_a_row_outside_of_pandas_is_an_array(items: list[object]) -> None:
    column = aj.array([items, None, items], ndim=3 if any(isinstance(one, list) for one in items) else 2)
    x, row = column[0], column.to_pandas().iloc[2]
    assert aj.array(row).equals(x)
    assert aj.array(row, ndim=x.ndim).equals(x)
    assert aj.from_arrow(pa.array(row)).equals(x)
    assert aj.array(pl.Series(row)).to_list() == items
    assert aj.array([row, None]).to_list() == [items, None]
    assert aj.array(aj.concat([x, row])).equals(aj.concat([x, x]))
    assert aj.array(aj.coalesce(row, x)).equals(x)
    assert json.loads(json.dumps(row, default=aj.json_default)) == json.loads(json.dumps(items, default=aj.json_default))
    if x.ndim == 1:
        assert aj.from_sizes(row, [len(items), 0]).to_list() == [items, []]
    assert not pd.api.types.is_list_like(row)
