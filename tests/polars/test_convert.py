"""Series to arrays and back: shared buffers, every leaf type, and types for which polars has no dtype."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.errors import JagRangeError, JagTypeError, ShapeError
from arrowjag.polars import Jagged, frame_from_table, from_series
from arrowjag.testing import arrow_columns, assert_lists_equal


def test_values_and_offsets_are_shared_both_ways():
    x = aj.array([[1.0, 2.0], [3.0], []])
    series = x.to_polars("v")
    back = from_series(series)
    assert back.values.buffers()[1].address == x.values.buffers()[1].address
    assert back.shape.dims[1].offsets.ctypes.data == x.shape.dims[1].offsets.ctypes.data


@pytest.mark.parametrize("extension", [True, False])
@given(column=arrow_columns(leaf=pa.int32()))
def test_any_layout_there_and_back(column, extension):
    x = aj.from_arrow(column.array, column.ndim)
    back = from_series(x.to_polars("v", extension=extension))
    assert_lists_equal(back.to_list(), column.truth)
    assert back.ndim == x.ndim
    assert back.type == x.type
    extents = tuple(extent or None for extent in x.shape.extents[1:])  # an extent of 0 is stored as a list
    assert back.shape.extents[1:] == extents


CENTS = pa.decimal32(5, 2)
STORED = [
    (pa.date64(), pl.Datetime("ms"), 0),
    (pa.timestamp("s"), pl.Datetime("ms"), 0),
    (pa.duration("s"), pl.Duration("ms"), 0),
    (pa.time32("s"), pl.Time(), 0),
    (pa.string(), pl.String(), "a"),
    (pa.string_view(), pl.String(), "a"),
    (pa.binary(2), pl.Binary(), b"ab"),
    (pa.decimal128(10, 2), pl.Decimal(10, 2), Decimal("1.25")),
    (pa.decimal128(5, -2), pl.Decimal(7, 0), Decimal(12300)),
    (pa.decimal256(50, 2), pl.Decimal(38, 2), Decimal("1.25")),
    (pa.dictionary(pa.int8(), pa.list_(pa.int8())), pl.List(pl.Int8), [1]),
    (pa.dictionary(pa.int8(), pa.string()), pl.Categorical(), "a"),
    (pa.struct([("a", pa.list_(pa.int8()))]), pl.Struct({"a": pl.List(pl.Int8)}), {"a": [1]}),
    (pa.float16(), pl.Float16(), 1.0),
    (pa.null(), pl.Null(), None),
]


@pytest.mark.parametrize(("type", "dtype", "value"), STORED, ids=str)
def test_leaf_types_as_polars_stores_them(type, dtype, value):
    is_words = pa.types.is_dictionary(type) and value != "a"  # of which pyarrow makes no array
    leaves = pa.array([value, None], type.value_type if is_words else type)
    if is_words:
        leaves = pa.DictionaryArray.from_arrays(pa.array([0, None], type.index_type), leaves)
    x = aj.from_offsets(leaves, [0, 2])
    series = x.to_polars("v")
    assert series.dtype == Jagged(dtype, 2)
    assert from_series(series).values.null_count == leaves.null_count
    for got in (series, frame_from_table(pa.table({"v": x.to_arrow()}))["v"]):
        assert got.dtype == series.dtype
        if value != 0:
            assert got.to_list() == [[value, None]]


TEXT = [
    pl.Series("v", ["a", None, "b" * 20]),
    pl.Series("v", [["a", None], None, ["b" * 20]]),
    pl.Series("v", [[b"a", None], None]),
    pl.Series("v", [["a"], ["b", "a"]], dtype=pl.List(pl.Categorical)),
    pl.Series("v", [["a"], None], dtype=pl.List(pl.Enum(["b", "a"]))),
    pl.Series("v", [[{"a": "x", "b": [b"y"]}], None]),
    pl.Series("v", [["a", "b"], None], dtype=pl.Array(pl.String, 2)),
    pl.Series("v", [[1]]),
]


@pytest.mark.parametrize("series", TEXT, ids=lambda series: str(series.dtype))
def test_every_way_from_polars_gives_text_side_by_side(series: pl.Series) -> None:
    for one in (series, series[1:], series[:0], pl.concat([series, series], rechunk=False)):
        x = aj.array(one)
        assert x.type == from_series(one).type
        assert "view" not in str(x.type)
        assert x.to_list() == from_series(one).to_list() == one.to_list()
        assert aj.array(pl.DataFrame({"v": one})).fields == ["v"]
        assert aj.array(pl.DataFrame({"v": one})).to_list() == pl.DataFrame({"v": one}).to_dicts()


@pytest.mark.parametrize("type", [pa.string(), pa.large_string()])
def test_polars_shares_the_bytes_of_text(type: pa.DataType) -> None:
    x = aj.from_sizes(pa.array(["a", "b" * 20, None, "c" * 40], type), [2, 0, 2])
    series = x.to_polars("v", extension=False)
    assert series.to_list() == x.to_list()
    views = series.to_arrow(compat_level=pl.CompatLevel.newest()).values
    assert views.buffers()[2].address == x.values.buffers()[2].address


def test_small_decimals_are_widened():
    if not hasattr(pa, "decimal32"):
        pytest.skip("this pyarrow has no small decimals")
    leaves = pa.array([Decimal("1.25")], type=pa.decimal32(5, 2))
    assert aj.from_offsets(leaves, [0, 1]).to_polars().dtype == Jagged(pl.Decimal(5, 2), 2)
    few = pa.array([Decimal("0.00012")], pa.decimal128(5, 5)).cast(pa.decimal128(2, 5))  # more decimal places than digits
    assert aj.from_offsets(few, [0, 1]).to_polars().to_list() == [[Decimal("0.00012")]]


NESTED = {
    "leaves": lambda type: type,
    "fields": lambda type: pa.struct([("a", type)]),
    "fields of lists": lambda type: pa.struct([("a", pa.large_list(pa.struct([("b", type)])))]),
    "tuples of structs": lambda type: pa.list_(pa.struct([("a", type)]), 1),
    "words": lambda type: pa.dictionary(pa.int32(), type),
}
"""Arrow types around another one."""


@pytest.mark.parametrize("around", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("type", [pa.decimal32(5, 2), pa.decimal64(15, 2)], ids=str)
def test_small_decimals_are_widened_in_tables(type, around, capfd):
    value = {"a": [{"b": Decimal("1.25")}]} if around is NESTED["fields of lists"] else {"a": Decimal("1.25")}
    value = [value] if around is NESTED["tuples of structs"] else value
    leaves = pa.array([value, None], around(type)) if around not in (NESTED["leaves"], NESTED["words"]) else None
    if leaves is None:
        leaves = pa.array([Decimal("1.25"), None], type)
        leaves = leaves if around is NESTED["leaves"] else pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), leaves)
    x = aj.from_offsets(leaves, [0, 1, 2])
    frame = frame_from_table(pa.table({"x": x.to_arrow(), "y": x.to_arrow(extension=False), "k": [1, 2]}))
    assert frame["x"].dtype == x.to_polars().dtype
    assert aj.array(frame["x"]).to_list() == aj.array(frame["y"]).to_list() == x.to_list()
    assert "panicked" not in capfd.readouterr().err


@pytest.mark.parametrize("around", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize(
    "type",
    [
        pa.decimal256(76, 39),
        pa.month_day_nano_interval(),
        pa.timestamp("us", "+05:30"),
        pa.dense_union([pa.field("a", pa.int8()), pa.field("b", pa.string())]),
    ],
    ids=["decimals", "interval", "zone", "union"],
)
def test_types_without_a_dtype_are_refused_before_polars_panics(type, around, capfd):
    x = aj.from_offsets(pa.nulls(1, around(type)), [0, 1])
    with pytest.raises(JagTypeError, match=r"^to_polars: polars has no dtype for"):
        x.to_polars()
    with pytest.raises(JagTypeError, match=r"^column 'x': polars has no dtype for"):
        frame_from_table(pa.table({"x": x.to_arrow()}))
    assert "panicked" not in capfd.readouterr().err


DIGITS = aj.array([[Decimal("1.5"), None], [Decimal("2.25")], None, []], type=pa.decimal128(38, 2))


@pytest.mark.parametrize(
    ("function", "scale"),
    [
        (lambda x: x + x, 2),
        (lambda x: x * x, 4),
        (lambda x: aj.where(x > 2, x * x, x), 4),
        (lambda x: aj.zip(a=x, b=x * x), None),
    ],
)
def test_results_of_decimals_have_the_digits_of_polars(function, scale):
    """Arrow gives them 256 bits, of which most values need no more than 128."""
    expected, df = function(DIGITS), pl.DataFrame({"v": DIGITS.to_polars()})
    leaf = pl.Struct({"a": pl.Decimal(38, 2), "b": pl.Decimal(38, 4)}) if scale is None else pl.Decimal(38, scale)
    lazy = df.lazy().select(function(pl.col("v").jag))
    assert lazy.collect_schema() == {"v": Jagged(leaf, 2)}
    for got in (lazy.collect()["v"], lazy.collect(engine="streaming")["v"], function(df["v"].jag), expected.to_polars()):
        assert got.dtype == Jagged(leaf, 2)
        assert got.to_list() == expected.to_list()


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_decimals_of_too_many_digits_name_the_row_and_what_to_do(engine):
    x = aj.array([[[Decimal(1)], [Decimal(2), Decimal(10) ** 17]], [[None]]], type=pa.decimal128(30, 0)) * Decimal("1.00")
    df = pl.DataFrame({"v": x.to_polars()})
    told = r"1\d+\.0+ in row \[0\]\[1\] does not fit decimal128\(38, 4\).* cast to double, or to fewer digits.* the operands"
    for call in (
        lambda: df.lazy().select(pl.col("v").jag * pl.col("v")).collect(engine=engine),
        lambda: df["v"].jag * df["v"],
        (x * x).to_polars,
    ):
        with pytest.raises(JagRangeError, match=told):
            call()
    flat = aj.array([None, Decimal(10) ** 19], type=pa.decimal128(30, 0))
    with pytest.raises(JagRangeError, match=r" in row 1 does not fit decimal128\(38, 0\)"):
        (flat * flat).to_polars()
    with pytest.raises(JagRangeError, match=r"column 'x': .* precision 38.*cast to double, or to fewer digits"):
        frame_from_table(pa.table({"x": (x * x).to_arrow()}))
    share = pl.col("v").jag / (pl.col("v").jag + pl.col("v"))
    with pytest.raises(JagTypeError, match=r"column 'v': polars has no dtype for decimal256.*the result in the same expression"):
        df.lazy().select(share / pl.col("v")).collect_schema()
    in_time = df.lazy().select((share * 2).jag.cast("double")).collect(engine=engine)
    assert in_time["v"].to_list() == [[[1.0], [1.0, 1.0]], [[None]]]


def test_structs_with_fields_of_one_name_are_refused():
    """polars raises errors of its own for them."""
    fields = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(JagTypeError, match=r"^to_polars: polars has no dtype for leaves of struct<a: int64, a: int64>"):
        aj.JaggedArray(aj.JaggedShape(1), fields).to_polars()
    with pytest.raises(JagTypeError, match=r"polars takes no frame of these columns: .*'a' has more than one occurrence"):
        frame_from_table(pa.table({"s": fields}))


def test_objects_and_wide_integers_are_refused():
    with pytest.raises(JagTypeError, match="Python objects"):
        from_series(pl.Series([object()], dtype=pl.Object))
    with pytest.raises(JagTypeError, match="cast"):
        from_series(pl.Series([1], dtype=pl.Int128))


def test_a_scalar_is_no_column():
    with pytest.raises(ShapeError, match="rows"):
        aj.array(3).to_polars()


def test_names_and_plain_columns():
    assert aj.array([1, 2]).to_polars("n").dtype == pl.Int64
    assert aj.array([[1]]).to_polars("n").name == "n"
    assert aj.array([[1]]).to_polars(extension=False).dtype == pl.List(pl.Int64)


def test_declared_extents_are_arrays():
    x = aj.array([[[1, 2]], []]).cast("int8").reshape(2, [1, 0], 2)
    series = x.to_polars()
    assert series.dtype == Jagged(pl.Int8, 3, (None, 2))
    assert from_series(series).shape.extents[2] == 2


@pytest.mark.parametrize(
    ("type", "rows"),
    [
        (pa.list_(pa.int32(), 1), [[1], None, [3], None]),
        (pa.list_(pa.int32(), 0), [[], None, [], []]),
        (pa.large_list(pa.list_(pa.string(), 2)), [[["a", "b"], None], [], None, [None, ["a", None]]]),
        (pa.list_(pa.list_(pa.string(), 0), 2), [[[], None], None, None, [[], []]]),
        (pa.list_view(pa.int32()), [[1], None, [], [3, None]]),
        (pa.large_list_view(pa.list_view(pa.string())), [[["a"], None], None, [], [[], ["b", None]]]),
        (pa.list_(pa.large_list_view(CENTS), 1), [[[Decimal("0.25"), None]], None, [None], [[]]]),
        (pa.list_view(pa.struct([("a", pa.list_view(CENTS))])), [[{"a": [None]}, None], None, [], [{"a": [Decimal("0.25")]}]]),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["jagged", "jagged as stored", "lists"])
def test_parts_of_lists_of_fixed_size_and_of_views(type, rows, kind):
    """polars refuses those with nulls and values beside the rows, and panics at size 0; Arrow casts views to other values."""
    array = pa.array(rows, type)
    if kind == "jagged":
        array = aj.from_arrow(array).to_arrow()
    elif kind == "jagged as stored":
        array = pa.ExtensionArray.from_storage(aj.JaggedType(type), array)
    for part in (
        array,
        array[1:2],
        array[1:],
        array.take(pa.array([1])),
        array.filter(pa.array([True, False, True, True])),
        array[:0],
    ):
        frame = frame_from_table(pa.table({"v": pa.chunked_array([part, part])}))
        assert aj.array(frame["v"]).to_list() == part.to_pylist() * 2


def test_views_of_short_text_that_a_cast_has_created() -> None:
    words = pa.array(["a", None, "b"]).cast(pa.string_view())
    lists = pa.ListArray.from_arrays([0, 2, 3], words)
    for column in (words, lists, pa.StructArray.from_arrays([words], ["a"]), words[1:], words[:0]):
        assert frame_from_table(pa.table({"v": column}))["v"].to_list() == column.to_pylist()


@pytest.mark.parametrize("item", [pa.int32(), CENTS], ids=str)
def test_views_inside_of_structs_and_maps(item):
    """polars refuses list views and encoded runs at any depth."""
    some = [1, None] if item == pa.int32() else [Decimal("0.25"), None]
    structs = pa.array([{"a": [None]}, {"a": some}, None, {"a": None}, {"a": []}], pa.struct([("a", pa.large_list_view(item))]))
    maps = pa.array([[], [("k", some)], None, [("l", None)], [("m", [])]], pa.map_(pa.string(), pa.list_view(item)))
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5]), pa.array([some, None], pa.list_view(item)))
    stored = pa.ExtensionArray.from_storage(aj.JaggedType(structs.field("a").type), structs.field("a"))
    encoded = pa.LargeListArray.from_arrays([0, 2, 2, 3, 4, 5], runs)
    others = {
        "e": pa.StructArray.from_arrays([stored], ["a"]),
        "j": pa.ExtensionArray.from_storage(aj.JaggedType(encoded.type), encoded),
    }
    opaque = pa.ExtensionArray.from_storage(pa.opaque(stored.type.storage_type, "name", "vendor"), stored.storage)
    table = pa.table({"s": structs, "m": maps, "r": runs, **others, "o": opaque})
    for part in (table, table[1:], table[1:4], table[:0]):
        frame = frame_from_table(part)
        assert frame["s"].to_list() == part["s"].to_pylist()
        assert frame["r"].to_list() == part["r"].to_pylist()
        lists = part["s"].combine_chunks().field("a").to_pylist()
        assert frame["e"].to_list() == [{"a": row} for row in lists]
        assert isinstance(frame.schema["o"], pl.BaseExtension) == (item == pa.int32())  # casts return plain lists
        assert frame["o"].ext.storage().to_list() == lists
        assert aj.array(frame["j"]).to_list() == aj.from_arrow(part["j"]).to_list()
        assert aj.from_arrow(part["o"]).to_polars().ext.storage().to_list() == lists
        assert aj.array(frame["m"]).to_list() == aj.from_arrow(part["m"]).to_list()


@pytest.mark.parametrize("size", [0, 1, 2])
def test_lists_of_fixed_size_inside_of_structs_and_maps(size):
    """polars panics on those of size 0."""
    tuples = pa.list_(pa.int32(), size)
    for type, around in (
        (pa.struct([("a", tuples)]), lambda row: {"a": row}),
        (pa.large_list(pa.struct([("a", tuples)])), lambda row: [{"a": row}]),
    ):
        rows = pa.array([around([1] * size), around(None), None, around([3] * size)], type)
        for part in (rows, rows[1:2], rows.filter(pa.array([True, False, True, True])), rows[:0]):
            frame = frame_from_table(pa.table({"v": pa.chunked_array([part, part])}))
            assert frame["v"].to_list() == part.to_pylist() * 2


def test_lists_of_enums_in_files_have_one_dtype(tmp_path):
    """polars reads nested lists of its Enum as Categorical if there are rows, and as Enum if not."""
    kind = pl.Enum(["b", "a"])
    rows = [["b"], [], None, ["a", None, "b"]]
    columns = {"deep": pl.Series([None if row is None else [row] for row in rows], dtype=pl.List(pl.List(kind)))}
    columns |= {"v": pl.Series(rows, dtype=pl.List(kind)), "e": pl.Series(["a", "b", None, "a"], dtype=kind)}
    frame = pl.DataFrame(columns)
    aj.write_parquet(frame, tmp_path / "a.parquet", row_group_size=1)
    for got in (aj.read_parquet(tmp_path / "a.parquet", to="polars"), aj.scan_parquet(tmp_path / "a.parquet").collect()):
        assert got.schema == frame.schema
        assert got.equals(frame)
