"""`df.jag.flatten`, `df.jag.implode`, and their lazy forms."""

from __future__ import annotations

import polars as pl
import pytest

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.polars import JagDataFrame, Jagged, JagLazyFrame
from tests.polars.frames import arrays, chunked, frame

X = arrays()


def flat_oracle(df: pl.DataFrame, names: list[str]) -> list[tuple]:
    """Rows of a flattened frame: each leaf of the deepest column, with the item above it of each other."""
    rows = []

    def visit(items: dict, others: dict) -> None:
        deeper = {name: item for name, item in items.items() if isinstance(item, list)}
        if not deeper:
            rows.append(tuple({**others, **items}[name] for name in df.columns))
            return
        for slot in range(max(len(item) for item in deeper.values())):
            visit({name: item[slot] if name in deeper else item for name, item in items.items()}, others)

    for row in df.iter_rows(named=True):
        items = {name: row[name] for name in names}
        if any(row[name] is None and df.schema[name].is_nested() for name in names):
            continue
        visit(items, {name: value for name, value in row.items() if name not in names})
    return rows


@pytest.mark.parametrize("names", [["v"], ["v", "f"], ["w", "v"], ["v", "k"]])
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_flatten(names, engine):
    df = frame(extension=False).filter(pl.col("v").is_not_null()).slice(0, 3).drop("t", "b")
    expected = flat_oracle(df, names)
    for one in (df, chunked(df), df.with_columns(v=X["v"].to_polars().gather([0, 1, 3]), w=X["w"].to_polars().gather([0, 1, 3]))):
        lazy = one.lazy().jag.flatten(*names)
        out = lazy.collect(engine=engine)
        assert out.select(df.columns).rows() == expected
        assert lazy.collect_schema() == out.schema
        assert out.columns == one.columns


def test_flatten_takes_every_jagged_column_by_default_and_selectors():
    df = frame().select("k", "v", "f")
    assert df.jag.flatten().equals(df.jag.flatten("v", "f"))
    assert df.jag.flatten(aj.polars.jagged()).equals(df.jag.flatten("v", "f"))
    assert df.jag.flatten("v", "f").schema == {"k": pl.Int64, "v": pl.Int64, "f": pl.Float64}


def test_null_and_empty_rows_leave_no_row():
    assert frame().jag.flatten("v")["k"].to_list() == [10, 10, 20, 50, 50]
    assert frame().jag.flatten("v")["v"].to_list() == [1, 2, 3, 4, None]


def test_flatten_refuses():
    with pytest.raises(JagValueError, match="column 'k' can't be a key and jagged at once"):
        pl.DataFrame({"k": [1]}).jag.implode("k", ["k"])
    with pytest.raises(JagValueError, match="the frame has no column of dtype Jagged"):
        frame().select("k").jag.flatten()
    with pytest.raises(JagTypeError, match="'k' is flat already"):
        frame().jag.flatten("k")
    with pytest.raises(ShapeError, match="columns 'v', 'w'"):
        frame().with_columns(pl.col("w").reverse()).jag.flatten("v", "w")


def test_implode_gives_the_rows_of_each_group():
    df = pl.DataFrame({"g": ["a", None, "a", None], "x": [1, 2, 3, None], "v": aj.array([[1], [2, 3], None, []]).to_polars()})
    for lazy in (df.lazy(), chunked(df).lazy()):
        out = lazy.jag.implode("g")
        assert out.collect_schema() == {"g": pl.String, "x": Jagged(pl.Int64, 2), "v": Jagged(pl.Int64, 3)}
        assert out.collect().rows() == [("a", [1, 3], [[1], None]), (None, [2, None], [[2, 3], []])]
        assert out.collect(engine="streaming").equals(out.collect(engine="in-memory"))
    assert df.jag.implode("g", "x").columns == ["g", "x"]


def test_implode_keeps_lists_as_lists():
    df = pl.DataFrame({"g": [1, 1], "l": [[1], [2, 3]]})
    assert df.jag.implode("g").schema["l"] == pl.List(pl.List(pl.Int64))


def test_implode_undoes_flatten():
    df = pl.DataFrame({"k": [1, 2], "v": aj.array([[1, 2], [3]]).to_polars()})
    assert df.jag.flatten("v").jag.implode("k").equals(df)


def test_nesting_twice():
    df = pl.DataFrame({"plane": [1, 1, 1, 2], "day": [1, 1, 2, 1], "delay": [5, 6, 7, 8]})
    nested = df.jag.implode(["plane", "day"]).jag.implode("plane")
    assert nested.schema["delay"] == Jagged(pl.Int64, 3)
    assert nested["delay"].to_list() == [[[5, 6], [7]], [[8]]]


@pytest.mark.parametrize("name", sorted(name for name in {*vars(JagDataFrame)} & {*vars(JagLazyFrame)} if not name.startswith("_")))
def test_examples_of_docstrings_are_of_their_own_frame(name):
    lazy, eager = (getattr(cls, name).__doc__.partition("Examples\n")[2] for cls in (JagLazyFrame, JagDataFrame))
    assert ("pl.LazyFrame(" in lazy, "pl.DataFrame(" in lazy) == (True, False)
    assert ("pl.DataFrame(" in eager, "LazyFrame" in eager, "collect" in eager) == (True, False, False)


def test_to_dict():
    df = pl.DataFrame({"k": [1, 2], "v": aj.array([[[1], None], None]).to_polars()})
    assert df.jag.to_dict("records") == [{"k": 1, "v": [[1], None]}, {"k": 2, "v": None}]
    assert df.jag.to_dict() == df.jag.to_dict("list") == {"k": [1, 2], "v": [[[1], None], None]}
    with pytest.raises(JagValueError, match=r"orient must be 'list' or 'records', got .rows"):
        df.jag.to_dict("rows")


def test_implode_takes_columns_named_twice_once():
    once = pl.DataFrame({"k": [1], "v": [2]}).jag.implode(["k", "k"], ["v", "v"])
    assert once.columns == ["k", "v"]
    assert once["v"].to_list() == [[2]]
