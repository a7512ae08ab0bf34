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


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_default_is_one_list_for_all_rows_or_one_per_row(engine):
    """Only the type of the map tells which, so that expressions pass constants as they are."""
    x = aj.array([[("a", [1, 2])], [], None, [("b", None)]], type=pa.map_(pa.string(), pa.list_(pa.int64())))
    y = aj.array([[5, 6], [], None, [7]])
    df = pl.DataFrame(
        {"m": x.to_polars(), "y": y.to_polars(), "d": aj.array([[7], [8, 9], [], [None]]).to_polars(), "k": [1, 2, 3, 4]}
    )
    lazy = pl.concat([df[:1], df[1:]], rechunk=False).lazy()
    each, numbers = [[7], [8, 9], [], [None]], [1, 2, 3, 4]
    for column, key, defaults in (
        (
            "m",
            "b",
            [[7], [7, 8], each, aj.array([7, 8]), pl.Series([7, 8]), aj.array(each), pl.Series(each), c("d"), c("k")],
        ),
        ("y", 1, [numbers, aj.array(numbers), pl.Series(numbers), c("k"), 9, None]),
    ):
        array = aj.array(df[column])
        for default in defaults:
            given = aj.array(df.select(default).to_series()) if isinstance(default, pl.Expr) else default
            expected = array.get(key, given).to_list()
            query = lazy.select(r=c(column).jag.get(key, default=default))
            got = query.collect(engine=engine)
            assert got.schema == query.collect_schema()
            assert got["r"].to_list() == expected
            assert df[column].jag.get(key, given).to_list() == expected
    with pytest.raises(aj.ShapeError, match=r"column 'y': get: JaggedShape\(2\) is not a prefix of JaggedShape\(4\)"):
        lazy.select(c("y").jag.get(1, default=[1, 2])).collect(engine=engine)
