"""A Map column is a level of entries: one dim more, structs of `key` and `value` as its leaves."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.polars._versions import HAS_MAPS
from tests.polars.frames import assert_same, chunked, results

c = pl.col
ROWS = [[("a", 1)], [("b", 2), ("c", None)], None, []]
ENTRIES = [None if row is None else [{"key": key, "value": value} for key, value in row] for row in ROWS]
MAP = pa.map_(pa.string(), pa.int64())
pytestmark = pytest.mark.skipif(not HAS_MAPS, reason="this polars has no maps")


def frame() -> pl.DataFrame:
    maps = pa.array(ROWS, MAP)
    lists = pa.LargeListArray.from_arrays([0, 2, 2, 3, 4], maps)
    return pl.DataFrame({"m": maps, "l": lists, "k": [1, 2, 3, 4]})


def array() -> aj.JaggedArray:
    return aj.from_arrow(pa.array(ROWS, MAP), ndim=2)


def test_entries_are_counted_and_read():
    df = frame()
    for one in (df, chunked(df)):
        for got in results(one, c("m").jag.lengths()):
            assert got.to_list() == [1, 2, None, 0]
        for got in results(one, c("m").jag["value"]):
            assert_same(got, array()["value"])
        for got in results(one, c("m").jag["value"].jag.sum()):
            assert got.to_list() == [1, 2, None, 0]
        for got in results(one, c("m").jag["value"].jag * c("k")):
            assert_same(got, array()["value"] * aj.array([1, 2, 3, 4]))
    assert df["m"].jag.lengths().to_list() == [1, 2, None, 0]
    assert df["m"].jag.ndim == 2
    assert df["m"].jag.to_list() == ENTRIES


def test_maps_in_lists_are_two_levels():
    df = frame()
    for got in results(df, c("l").jag.lengths()):
        assert got.to_list() == [[1, 2], [], [None], [0]]
    assert df["l"].jag.ndim == 3


def test_a_map_without_rows():
    df = frame()[:0]
    for got in results(df, c("m").jag.lengths()):
        assert got.to_list() == []
    assert df["m"].jag["key"].to_list() == []


def test_all_entries():
    for got in results(frame(), c("m").jag.count(axis=None)):
        assert got.to_list() == [3]
    assert frame().jag.flatten("m")["m"].to_list() == [entry for row in ENTRIES for entry in row or []]


def test_values_that_are_lists():
    maps = pa.array([[("a", [1, 2])], None], pa.map_(pa.string(), pa.list_(pa.int64())))
    df = pl.DataFrame({"m": maps})
    for got in results(df, c("m").jag["value"].jag.sum()):
        assert got.to_list() == [[3], None]
