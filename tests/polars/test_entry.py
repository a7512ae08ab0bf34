"""Arrays where polars accepts columns, and data of polars that Arrow can't represent."""

from __future__ import annotations

import polars as pl
import polars.selectors as cs
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._ops.elementwise import PYTHON_OPERATORS
from arrowjag.errors import JagError, JagTypeError, ShapeError
from arrowjag.polars import Jagged, _convert
from tests.polars.frames import ROWS, arrays, assert_same, frame

X = arrays()
c = pl.col


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("method", ["with_columns", "with_columns_seq", "select", "select_seq"])
@pytest.mark.parametrize("kind", [pl.DataFrame, pl.LazyFrame])
def test_an_array_by_name_is_a_column(name, method, kind):
    df = pl.DataFrame({"i": range(5)})
    made = getattr(df if kind is pl.DataFrame else df.lazy(), method)("i", new=X[name]).lazy().collect()
    assert made.columns == ["i", "new"]
    assert made["new"].equals(X[name].to_polars("new"))
    assert made.schema["new"] == X[name].to_polars().dtype


def test_arrays_beside_expressions():
    got = frame().with_columns(new=X["f"], twice=c("v").jag * 2)
    assert_same(got["new"], X["f"])
    assert_same(got["twice"], X["v"] * 2)


@pytest.mark.parametrize("method", ["with_columns", "select"])
@pytest.mark.parametrize("given", [lambda x: x, lambda x: [x], lambda x: ["i", x]])
def test_an_array_without_a_name_is_refused(method, given):
    with pytest.raises(JagTypeError, match=rf"{method}\(v=x\), or pass x\.to_polars\('v'\)"):
        getattr(pl.DataFrame({"i": range(5)}), method)(given(X["v"]))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_one_row_is_not_repeated(engine):
    one = aj.array([[1, 2]])
    with pytest.raises(ShapeError, match="column 'v': the array has 1 row, the frame 3"):
        pl.DataFrame({"i": range(3)}).with_columns(v=one)
    with pytest.raises(ShapeError, match="column 'v': the array has 1 row, the frame 3"):
        pl.LazyFrame({"i": range(3)}).with_columns(v=one).collect(engine=engine)
    for rows in (pl.LazyFrame({"i": [1]}), pl.LazyFrame({"i": [1, 2]}).filter(c("i") > 1)):
        assert rows.with_columns(v=one).collect(engine=engine)["v"].to_list() == [[1, 2]]
    with pytest.raises(ShapeError, match="the array has 2 rows, the frame 3"):
        pl.DataFrame({"i": range(3)}).with_columns(v=aj.array([[1], []]))


@pytest.mark.parametrize("name", [one for one in PYTHON_OPERATORS if one not in ("lshift", "rshift")])
def test_operators_of_a_series_leave_arrays_to_the_array(name):
    def outcome(one, two):
        try:
            return PYTHON_OPERATORS[name](one, two)
        except JagError as error:
            return type(error)

    for flat, rows in (([1, 2], [[1, 5], [2]]), (["b", "c"], [["a", "b"], ["c"]]), ([True, False], [[True, None], []])):
        x = aj.array(rows)
        expected = outcome(aj.array(flat), x)
        found = outcome(pl.Series(flat), x)  # text was compared with the text that the array prints
        assert found == expected if isinstance(expected, type) else found.to_list() == expected.to_list()


@pytest.mark.parametrize("name", ROWS)
def test_a_series_of_an_array_has_the_name(name):
    for made in (pl.Series("s", X[name]), pl.Series(name="s", values=X[name])):
        assert made.name == "s"
        assert made.equals(X[name].to_polars())
        assert made.dtype == X[name].to_polars().dtype
    assert pl.Series(X[name]).name == ""


def test_options_of_other_series_are_those_of_polars():
    assert pl.Series("s", [1, "a"], dtype=pl.Int64, strict=False).to_list() == [1, None]
    with pytest.raises(TypeError, match="found value of type String"):
        pl.Series("s", [1, "a"], dtype=pl.Int64)


def test_a_series_of_an_array_with_a_dtype():
    assert pl.Series("s", X["v"], dtype=pl.List(pl.Float64)).dtype == pl.List(pl.Float64)
    assert pl.Series("s", X["v"], Jagged(pl.Int8, 2)).dtype == Jagged(pl.Int8, 2)
    assert pl.Series("s", X["k"], pl.Int8).to_list() == ROWS["k"][0]
    assert pl.Series("s", X["v"], Jagged(pl.Int8, 2)).to_list() == pl.Series(ROWS["v"][0]).to_list()


def test_literals_are_left_alone():
    """`pl.col("v") == x` would compare whole rows."""
    for function in (pl.lit, lambda x: c("v") == x):
        with pytest.raises(TypeError, match="cannot create expression literal"):
            function(X["v"])


def test_python_objects_are_refused():
    class Thing:
        pass

    series = pl.Series("o", [Thing(), Thing()], dtype=pl.Object)
    for data in (series, series.to_frame()):
        for read in (aj.array, aj.from_arrow):
            with pytest.raises(JagTypeError, match="Python objects has no Arrow type"):
                read(data)
    with pytest.raises(JagTypeError, match="Python objects"):
        series.jag.lengths()
    with pytest.raises(JagTypeError, match=r"column 'o': .*Python objects"):
        series.to_frame().select(c("o").jag.count())

    class Lists:  # polars aborts the process when it exports such a Series, and panics when it drops it
        dtype = pl.Struct({"a": pl.List(pl.Object)})

        def __arrow_c_stream__(self, schema=None):
            raise AssertionError("exported")

    with pytest.raises(JagTypeError, match="Python objects has no Arrow type"):
        aj.array(Lists())


def test_decimals_that_polars_misreads_are_refused(tmp_path):
    lists = pa.array([[1, 2], [3]], pa.large_list(pa.decimal32(6, 2)))
    structs = pa.array([{"a": 1}], pa.struct({"a": pa.decimal64(6, 2)}))
    assert aj.array(aj.array(lists).to_polars()).to_list() == lists.to_pylist()
    for data in (lists, structs):
        series = pl.Series("v", data)  # holds foreign memory, and its export through a stream aborts the process
        for given in (series, series.to_frame()):
            with pytest.raises(JagTypeError, match=r"Decimal.* has been read wrongly by polars"):
                aj.array(given)
        with pytest.raises(JagTypeError, match=r"column 'v', of .* has been read wrongly by polars"):
            aj.write_parquet(series.to_frame(), tmp_path / "v.parquet")


def test_selectors():
    df = frame().with_columns(l=c("v").ext.storage(), u=X["v"].cast("int32").to_polars())
    assert df.select(aj.polars.jagged()).columns == ["v", "w", "f", "b", "t", "u"]
    assert df.select(aj.polars.jagged(pl.Int64)).columns == ["v", "w"]
    assert df.select(aj.polars.jagged(pl.Int64, 3)).columns == ["w"]
    assert df.select(aj.polars.jagged(pl.Int64) | cs.by_name("k")).columns == ["v", "w", "k"]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_jagged_columns_of_one_ndim(engine: str) -> None:
    df = frame().with_columns(l=c("v").ext.storage(), u=X["v"].cast("int32").to_polars())
    three, two = aj.polars.jagged(ndim=3), aj.polars.jagged(ndim=2)
    assert df.lazy().select("k", three).collect_schema().names() == ["k", "w"]
    assert df.lazy().select(two).collect(engine=engine).columns == ["v", "f", "b", "t", "u"]
    assert df.select(aj.polars.jagged(ndim=7)).columns == []
    counted = df.lazy().with_columns(three.jag.lengths(0).name.suffix("_n")).collect(engine=engine)
    assert counted.columns == [*df.columns, "w_n"]
    assert df.group_by("k").agg(three).columns == ["k", "w"]
    assert df.jag.flatten(three).equals(df.jag.flatten("w"))
    with pytest.raises(pl.exceptions.InvalidOperationError, match="not a selector"):
        df.drop(two)
    for wrong, text in ((0, "at least 1"), (65, "at most 64"), ("2", "must be an int")):
        with pytest.raises(aj.JagError, match=text):
            aj.polars.jagged(ndim=wrong)


# --------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_an_error_counts_rows_of_the_piece(engine):
    n = 250_000
    df = pl.DataFrame({"v": aj.array([[1, 2]] * n).to_polars(), "w": aj.array([[1, 2]] * (n - 1) + [[1]]).to_polars()})
    with pytest.raises(ShapeError, match=r"column 'v': .* row \d+.*\(counted within the \d+ rows that polars handed over at once"):
        df.lazy().select((c("v").jag + c("w")).jag.cumsum()).collect(engine=engine)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_an_error_of_a_nested_row_counts_in_the_piece_too(engine):
    df = pl.DataFrame({"v": aj.array([[[1], []], [[1], [2**62, 2**62]]]).to_polars()})
    with pytest.raises(
        aj.JagOverflowError, match=r"column 'v': .* row \[\d\]\[1\].*\(counted within the \d rows? that polars handed"
    ):
        df.lazy().select(c("v").jag.sum()).collect(engine=engine)


def test_panics_are_ours(monkeypatch):
    """polars panics on decimals of 256 bits; they are refused before, so here nobody looks."""
    monkeypatch.setattr(_convert, "storable", lambda type: type)
    wide = pa.array([1], pa.decimal256(50, 2))
    with pytest.raises(JagTypeError, match=r"a Series of decimal256.*polars panicked"):
        _convert.to_series(aj.array(wide))
    with pytest.raises(JagTypeError, match=r"a frame: polars panicked"):
        _convert.frame_from_table(pa.table({"x": wide}))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_panics_while_running_are_ours(engine, monkeypatch):
    def panic(*_args, **_options):
        raise pl.exceptions.PanicException("index out of bounds")

    expr = c("v").jag.cumsum()
    lazy = frame().lazy().select(expr)
    lazy.collect_schema()
    monkeypatch.setattr("arrowjag.polars._evaluation.to_series", panic)
    with pytest.raises(JagTypeError, match=r"column 'v': cumsum: polars panicked.*index out of bounds"):
        lazy.collect(engine=engine)
