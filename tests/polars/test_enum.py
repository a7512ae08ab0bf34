"""Enum leaves become ordered dictionaries in Arrow, and the same Enum again in polars."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.polars import Jagged, _convert, from_series, to_series

c = pl.col
LEVEL = pl.Enum(["lo", "mid", "hi"])
OTHER = pl.Enum(["lo", "hi"])


@pytest.fixture(params=["list", "array", "jagged"])
def df(request):
    rows = [["hi", "lo"], ["lo", None], None]
    plain = pl.DataFrame({"e": pl.Series(rows, dtype=pl.List(LEVEL)), "g": ["a", "b", "a"]})
    if request.param == "array":
        return plain.with_columns(c("e").cast(pl.Array(LEVEL, 2)))
    return plain.with_columns(c("e").ext.to(Jagged(LEVEL, 2))) if request.param == "jagged" else plain


CALLS = {
    "reverse": (lambda v: v.reverse(), [["lo", "hi"], [None, "lo"], None]),
    "first": (lambda v: v.first(), ["hi", "lo", None]),
    "filter": (lambda v: v.filter(v == "lo"), [["lo"], ["lo"], None]),
    "coalesce": (lambda v: v.fill_null(v.reverse()), [["hi", "lo"], ["lo", "lo"], None]),
    "two dims more": (lambda v: v.unsqueeze(1), [[["hi", "lo"]], [["lo", None]], [None]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_keep_the_enum(df, name):
    function, expected = CALLS[name]
    lazy = df.lazy().select(function(c("e").jag))
    for got in (lazy.collect()["e"], lazy.collect(engine="streaming")["e"], function(df["e"].jag)):
        assert from_series(got).to_list() == expected
        assert leaf(got.dtype) == LEVEL
    assert leaf(lazy.collect_schema()["e"]) == LEVEL


def leaf(dtype):
    dtype = dtype.ext_storage() if isinstance(dtype, Jagged) else dtype
    while isinstance(dtype, (pl.List, pl.Array)):
        dtype = dtype.inner
    return dtype


def test_categories_inside_structs_stay_beside_an_enum():
    """Labels inside structs need not be among those of an Enum of another column, nor become them where they are."""
    inner = pl.Struct({"d": pl.Categorical})
    rows = [[{"d": "red"}, {"d": "lo"}], [{"d": None}, {"d": "hi"}]]
    df = pl.DataFrame(
        {"s": pl.Series(rows, dtype=pl.List(inner)), "e": pl.Series([["hi", "lo"], ["lo", "hi"]], dtype=pl.List(LEVEL))}
    )
    calls = {
        "with_fields": (lambda s, e: s.with_fields(e=e), pl.Struct({"d": pl.Categorical, "e": LEVEL})),
        "zip": (lambda s, e: s.zip(e), pl.Struct({"0": inner, "1": LEVEL})),
        "filter": (lambda s, e: s.filter(e == "lo"), inner),
        "sort": (lambda s, e: s.sort(by=e), inner),
        "where": (lambda s, e: s.where(e == "hi"), inner),
    }
    for name, (call, dtype) in calls.items():
        lazy = df.lazy().select(call(c("s").jag, c("e").jag))
        for got in (lazy.collect()["s"], call(df["s"].jag, df["e"].jag)):
            assert leaf(got.dtype) == dtype, name
            assert from_series(got).to_list() == call(aj.array(df["s"]), aj.array(df["e"])).to_list(), name
        assert lazy.collect_schema()["s"] == lazy.collect()["s"].dtype


def test_frames_keep_the_enum():
    df = pl.DataFrame({"g": ["a", "b"], "e": pl.Series([["hi", "lo"], ["mid"]], dtype=pl.List(LEVEL))})
    flat = df.jag.flatten("e")
    assert flat.schema["e"] == LEVEL
    assert flat.rows() == [("a", "hi"), ("a", "lo"), ("b", "mid")]
    assert flat.jag.implode("g").schema["e"] == Jagged(LEVEL, 2)


def test_two_different_enums_have_no_common_order():
    df = pl.DataFrame({"a": pl.Series([["hi"]], dtype=pl.List(LEVEL)), "b": pl.Series([["lo"]], dtype=pl.List(OTHER))})
    message = r"the ordered categories \['lo', 'hi'\] and \['lo', 'mid', 'hi'\] differ"
    for made in (aj.concat([c("a").jag, c("b").jag], axis=1), c("a").jag < c("b").jag, aj.coalesce(c("a").jag, c("b").jag)):
        with pytest.raises(Exception, match=message):
            df.lazy().select(made).collect()


def test_an_array_alone_knows_its_enum():
    array = from_series(pl.Series([["hi"], []], dtype=pl.List(LEVEL)))
    assert leaf(to_series(array).dtype) == LEVEL
    assert array.max().to_polars().dtype == LEVEL
    assert array.value_counts().to_polars().dtype.ext_storage().inner.fields[0].dtype == LEVEL


ORDERED = {
    "sort": (lambda v: v.sort(), [["lo", "hi"], ["lo", None], None]),
    "falling": (lambda v: v.sort(descending=True), [["hi", "lo"], ["lo", None], None]),
    "max": (lambda v: v.max(), ["hi", "lo", None]),
    "min": (lambda v: v.min(), ["lo", "lo", None]),
    "cummax": (lambda v: v.cummax(), [["hi", "hi"], ["lo", None], None]),
    "where": (lambda v: aj.where(v >= "mid", v, "mid"), [["hi", "mid"], ["mid", None], None]),
    "fill_null": (lambda v: v.fill_null("mid"), [["hi", "lo"], ["lo", "mid"], None]),
    "value_counts": (
        lambda v: v.value_counts(),
        [[{"value": "hi", "count": 1}, {"value": "lo", "count": 1}], [{"value": "lo", "count": 1}], None],
    ),
}


@pytest.mark.parametrize("name", ORDERED)
def test_categories_go_by_their_order_and_stay_an_enum(df, name):
    function, expected = ORDERED[name]
    lazy = df.lazy().select(function(c("e").jag))
    schema = leaf(lazy.collect_schema()["e"])
    for got in (lazy.collect()["e"], lazy.collect(engine="streaming")["e"], function(df["e"].jag)):
        assert from_series(got).to_list() == expected
        assert leaf(got.dtype) == schema
    assert (schema.fields[0].dtype if name == "value_counts" else schema) == LEVEL


def test_an_unknown_label_is_refused(df):
    for call in (lambda v: v == "top", lambda v: v < "top", lambda v: v.contains("top"), lambda v: v.fill_null("top")):
        with pytest.raises(aj.JagValueError, match=r"'top' is not one of the ordered categories \['lo', 'mid', 'hi'\]"):
            call(df["e"].jag)
        with pytest.raises(Exception, match=r"'top' is not one of the ordered categories"):
            df.lazy().select(call(c("e").jag)).collect_schema()


@pytest.mark.parametrize("rows", [[], [[], None], [[], [["x"], ["y", "x"]], []]])
@pytest.mark.parametrize("name", ["ffill", "head", "unique"])
def test_categories_without_rows(rows, name):
    """A Categorical comes as a dictionary of string views, of which pyarrow makes no empty array from a list."""
    df = pl.DataFrame({"e": aj.array(rows, type=pa.string(), ndim=3).cast(pa.dictionary(pa.int8(), pa.string())).to_polars()})
    got = df.lazy().select(getattr(c("e").jag, name)()).collect()["e"]
    assert aj.array(got).to_list() == aj.array(getattr(df["e"].jag, name)()).to_list() == rows
    assert leaf(got.dtype) == pl.Categorical


TEXT = pl.DataFrame({"t": [["lo", "hi"], None, [None]], "n": [[1], [2], [3]], "w": ["lo", "hi", None]})


PICKED = {
    "min": lambda v: v.min(),
    "min_by": lambda v: v.min_by(v),
    "first": lambda v: v.first(),
    "slot": lambda v: v.S[0],
    "mode": lambda v: v.mode(),
    "all items": lambda v: v.max(axis=None) if isinstance(v, pl.Expr) else v.max(),
}


@pytest.mark.parametrize("rows", [[["hi", "lo"], ["lo", None], None], [None, []], [None], []])
@pytest.mark.parametrize("name", PICKED)
def test_items_of_rows_without_items_keep_the_enum(name, rows):
    df = pl.DataFrame({"e": pl.Series(rows, dtype=pl.List(LEVEL))})
    picked = PICKED[name](c("e").jag)
    lazy = df.lazy().select(picked=picked, filled=picked.jag.fill_null("mid"), low=picked.jag < "mid")
    for got in (lazy.collect(), lazy.collect(engine="streaming")):
        assert got.schema == lazy.collect_schema() == {"picked": LEVEL, "filled": LEVEL, "low": pl.Boolean()}
        assert got["filled"].to_list() == ["mid" if one is None else one for one in got["picked"]]
        assert got["low"].to_list() == [None if one is None else one == "lo" for one in got["picked"]]
    array = PICKED[name](from_series(df["e"]))
    assert array.to_polars().dtype == LEVEL
    assert (array < "mid").to_list() == [None if one is None else one == "lo" for one in array.to_list()]


@pytest.mark.parametrize("rows", [[None, []], []])
def test_appending_a_null_to_rows_without_items_keeps_the_enum(rows):
    s = pl.Series("e", rows, dtype=pl.List(LEVEL))
    appended = from_series(s).append(None)
    assert leaf(appended.to_polars().dtype) == LEVEL
    assert s.to_frame().select(c("e").jag.append(None).jag < "mid")["e"].to_list() == (appended < "mid").to_list()


@pytest.mark.parametrize("kind", ["list", "jagged", "flat"])
def test_text_becomes_an_enum(kind):
    name = "w" if kind == "flat" else "t"
    df = TEXT.with_columns(aj.array(TEXT["t"]).to_polars().alias("t")) if kind == "jagged" else TEXT
    expected = TEXT[name].to_list()
    lazy = df.lazy().select(c(name).jag.cast(OTHER))
    for got in (lazy.collect()[name], lazy.collect(engine="streaming")[name], df[name].jag.cast(OTHER)):
        assert from_series(got).to_list() == expected
        assert leaf(got.dtype) == OTHER
    assert leaf(lazy.collect_schema()[name]) == OTHER


def test_labels_that_are_no_category():
    series = pl.Series([["nope", None, "lo"]])
    with pytest.raises(JagValueError, match=r"row 0 holds 'nope', which is not a valid category among \['lo', 'hi'\]"):
        series.jag.cast(OTHER)
    assert series.jag.cast(OTHER, strict=False).to_list() == [[None, None, "lo"]]
    with pytest.raises(JagTypeError, match="Only text becomes an Enum"):
        TEXT["n"].jag.cast(OTHER)


@pytest.mark.parametrize("panic", [True, False])
def test_categories_that_an_enum_lacks(panic, monkeypatch):
    """A strict cast of some versions panics, so that the nulls of a lenient one are counted."""
    monkeypatch.setattr(_convert, "ENUM_CASTS_PANIC", panic)
    for rows in (["hi", None], [["hi"], None, [], [None]], [{"a": "hi"}, None]):
        held = pl.Series(rows)
        words = held.cast(pl.Categorical) if held.dtype == pl.String else held.cast(_with_categories(held.dtype, pl.Categorical()))
        enum = pl.Struct({"a": OTHER}) if isinstance(rows[0], dict) else OTHER
        assert _convert.as_enum(words, enum).to_list() == rows
        with pytest.raises((JagTypeError, pl.exceptions.PolarsError), match=r"categor|conversion"):
            _convert.as_enum(words, pl.Struct({"a": pl.Enum(["lo"])}) if isinstance(rows[0], dict) else pl.Enum(["lo"]))


def _with_categories(dtype, leaf):
    return pl.Struct({"a": leaf}) if isinstance(dtype, pl.Struct) else pl.List(leaf)


def test_an_enum_becomes_another():
    got = pl.Series([["hi", "lo"]], dtype=pl.List(OTHER)).jag.cast(LEVEL)
    assert leaf(got.dtype) == LEVEL
    assert got.to_list() == [["hi", "lo"]]


def test_fields_of_structs_keep_the_enum():
    z = pl.DataFrame({"z": pl.Series([[{"e": "lo", "n": 1}]], dtype=pl.List(pl.Struct({"e": OTHER, "n": pl.Int64})))})
    got = z.select(c("z").jag["e"], c("z").jag.with_fields(m=c("z").jag["n"] * 2).alias("more"))
    assert leaf(got["z"].dtype) == OTHER
    assert got["z"].to_list() == [["lo"]]
    assert got["more"].to_list() == [[{"e": "lo", "n": 1, "m": 2}]]
    assert leaf(z.jag.unnest("z")["e"].dtype) == OTHER


@pytest.mark.parametrize("name", ["append", "insert", "replace"])
def test_edits_keep_the_enum(name):
    edits = {
        "append": (lambda v: v.append("lo"), ["hi", "lo", "lo"]),
        "insert": (lambda v: v.insert(0, "lo"), ["lo", "hi", "lo"]),
        "replace": (lambda v: v.replace("lo", "hi"), ["hi", "hi"]),
    }
    function, expected = edits[name]
    d = pl.DataFrame({"e": pl.Series([["hi", "lo"]], dtype=pl.List(OTHER))})
    got = d.select(function(c("e").jag))
    assert got["e"].to_list() == [expected]
    assert leaf(got["e"].dtype) == OTHER


LEVELS = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 0], pa.int8()), pa.array(["lo", "mid", "hi"]), ordered=True)


@pytest.fixture(params=["items", "structs", "rows"])
def ordered(request):
    """Ordered categories of Arrow by row, of which one names none: in rows, in structs in rows, as they are."""
    if request.param == "rows":
        return pa.chunked_array([LEVELS])
    x = aj.array(pa.LargeListArray.from_arrays([0, 0, 0, 2, 4], LEVELS))
    return x if request.param == "items" else aj.zip(e=x, n=aj.array([[], [], [1, 2], [3, 4]]))


def of_column(dtype):
    found = leaf(dtype)
    return found.fields[0].dtype if isinstance(found, pl.Struct) else found


def test_files_keep_the_order_of_categories(ordered, tmp_path):
    path = tmp_path / "a.parquet"
    aj.write_parquet({"e": ordered, "n": [1, 2, 3, 4]}, path, row_group_size=1)
    expected = aj.read_parquet(path)["e"].to_pylist()
    scan = aj.scan_parquet(path)
    frames = [
        aj.read_parquet(path, to="polars"),
        scan.collect(),
        scan.select("e").collect(engine="streaming"),
        scan.head(3).collect(),
    ]
    for frame in frames:
        assert of_column(frame.schema["e"]) == LEVEL
        assert frame["e"].to_list() == expected[: len(frame)]
    assert of_column(scan.collect_schema()["e"]) == LEVEL
    assert aj.scan_parquet(path, columns=["n"]).collect()["n"].to_list() == [1, 2, 3, 4]


def test_largest_category_of_a_scan_is_the_last_in_order(tmp_path):
    path = tmp_path / "a.parquet"
    aj.write_parquet({"e": aj.array(pa.LargeListArray.from_arrays([0, 2, 4], LEVELS))}, path)
    assert aj.scan_parquet(path).select(c("e").jag.max()).collect()["e"].to_list() == ["hi", "lo"]


def test_no_row_group_names_categories(tmp_path):
    path = tmp_path / "a.parquet"
    aj.write_parquet({"e": aj.array(pa.LargeListArray.from_arrays([0, 0, 0], LEVELS))}, path, row_group_size=1)
    assert aj.scan_parquet(path).collect()["e"].to_list() == aj.read_parquet(path, to="polars")["e"].to_list() == [[], []]


def test_row_groups_with_other_orders_are_refused(tmp_path):
    other = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["hi", "lo"]), ordered=True)
    for name, values in (("a", LEVELS[:2]), ("b", other)):
        aj.write_parquet({"e": aj.array(pa.LargeListArray.from_arrays([0, 2], values))}, tmp_path / f"{name}.parquet")
    scan = aj.scan_parquet(tmp_path)
    with pytest.raises((JagValueError, pl.exceptions.ComputeError), match="a row group has other ordered categories"):
        scan.collect()
    with pytest.raises(JagValueError, match="no common order"):
        aj.read_parquet(tmp_path, to="polars")


@pytest.mark.parametrize("wrap", [pl.List, lambda dtype: pl.List(pl.List(dtype)), lambda dtype: pl.List(pl.Struct({"e": dtype}))])
def test_lists_without_rows_keep_their_categories(wrap):
    series = pl.Series("v", [], dtype=wrap(OTHER))
    for data in (series, series.to_arrow(), pa.chunked_array([series.to_arrow()]), pa.chunked_array(series)):
        x = aj.array(data)
        items = x["e"] if x.fields else x
        assert items.type.ordered
        assert items.values.dictionary.to_pylist() == ["lo", "hi"]
        assert leaf(items.to_polars(extension=False).dtype) == OTHER


def test_lists_without_rows_over_damaged_words_are_read():
    words = pa.DictionaryArray.from_arrays(pa.array([], pa.int8()), pa.array(["lo", "hi"]), ordered=True)
    damaged = pa.Array.from_buffers(pa.string(), 2, [None, pa.array([0, 7, 3], pa.int32()).buffers()[1], pa.py_buffer(b"lohi")])
    child = pa.DictionaryArray.from_buffers(words.type, 0, [None, pa.py_buffer(b"")], damaged)
    x = aj.array(pa.ListArray.from_arrays(pa.array([0], pa.int32()), child))
    assert x.to_list() == []
