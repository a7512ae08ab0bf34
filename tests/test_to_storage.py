"""`aj.to_storage`: every kind of object comes back of its kind, with plain nested lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.testing import LEAF_KINDS, ArrowColumn, arrow_columns, leaf_types
from tests.hosts import pd, pl

X = aj.array([[[1.5, None], []], None, [None, [2.5]]])
ROWS = X.to_list()
LISTS = {64: pa.large_list(pa.large_list(pa.float64())), 32: pa.list_(pa.list_(pa.float64()))}


def narrow_types(type: pa.DataType) -> bool:
    """Whether a type has no 64-bit offsets, at any level."""
    wide = (pa.types.is_large_list, pa.types.is_large_string, pa.types.is_large_binary)
    return not any(one(type) for one in wide) and all(narrow_types(type.field(place).type) for place in range(type.num_fields))


@given(column=arrow_columns(leaf=leaf_types(*LEAF_KINDS)))
def test_every_layout_and_leaf_type_keeps_its_rows(column: ArrowColumn) -> None:
    x = aj.from_arrow(column.array, column.ndim)
    for offsets in (64, 32):
        made = aj.to_storage(x, offsets)
        made.validate(full=True)
        assert isinstance(made, pa.Array)
        assert not isinstance(made.type, pa.BaseExtensionType)
        back = aj.from_arrow(made, x.ndim)
        assert back.shape.extents == tuple(extent or None for extent in x.shape.extents)  # an extent of 0 is not stored
        assert back.shape == x.shape
        assert back.equals(x) if back.type == x.type else repr(back.to_list()) == repr(x.to_list())
        if offsets == 32:
            assert narrow_types(made.type)


@pytest.mark.parametrize("offsets", [64, 32])
def test_arrow_data_come_back_of_their_kind(offsets: int) -> None:
    array = X.to_arrow()
    table = pa.table({"x": array, "k": [1, 2, 3]})
    chunked = pa.chunked_array([array.slice(0, 1), array.slice(1, 0), array.slice(1)])
    made = aj.to_storage(chunked, offsets)
    assert (type(made), made.type, made.num_chunks, made.to_pylist()) == (pa.ChunkedArray, LISTS[offsets], 3, ROWS)
    for frame in (table, table.to_batches()[0], table.slice(1), table.to_batches()[0].slice(1)):
        made = aj.to_storage(frame, offsets)
        assert type(made) is type(frame)
        assert made.schema.field("x").type == LISTS[offsets]
        assert made.to_pylist() == frame.to_pylist()
    reader = aj.to_storage(table.to_reader(), offsets)
    assert reader.schema == aj.to_storage(table.schema, offsets) == aj.to_storage(table, offsets).schema
    assert reader.read_all().to_pydict()["x"] == ROWS
    assert aj.to_storage(table.schema.field("x"), offsets).type == aj.to_storage(array.type, offsets) == LISTS[offsets]
    assert aj.to_storage({"x": X, "k": pa.array([1])}, offsets)["x"].type == LISTS[offsets]


def test_a_column_without_chunks_and_a_table_without_rows() -> None:
    assert aj.to_storage(pa.chunked_array([], X.to_arrow().type)).type == LISTS[64]
    assert aj.to_storage(pa.table({"x": X.to_arrow()}).slice(0, 0), 32).schema.field("x").type == LISTS[32]


def test_values_are_shared() -> None:
    x = aj.array([[1, 2], [3]])
    for offsets in (64, 32):
        assert aj.to_storage(x, offsets).values.buffers()[1].address == x.values.buffers()[1].address
    assert aj.to_storage(x).buffers()[1].address == x.to_arrow().storage.buffers()[1].address


def test_extents_and_maps_stay() -> None:
    fixed = aj.arange(3, 2)
    assert aj.to_storage(fixed, 32).type == pa.list_(pa.int64(), 2)
    maps = pa.array([[("a", [1])], None, []], pa.map_(pa.string(), pa.large_list(pa.int64())))
    table = pa.table({"m": maps})
    assert aj.to_storage(table).equals(table)
    made = aj.to_storage(table, 32)
    assert made.schema.field("m").type == pa.map_(pa.string(), pa.list_(pa.int64()))
    assert made.to_pylist() == table.to_pylist()


def test_jagged_columns_inside_of_other_columns() -> None:
    array = X.to_arrow()
    struct = pa.StructArray.from_arrays([array, pa.array([1, None, 3])], ["x", "k"], mask=pa.array([False, False, True]))
    lists = pa.ListArray.from_arrays([0, 2, 2, 3], array)
    for nested in (struct, struct.slice(1), lists, lists.slice(1)):
        for offsets in (64, 32):
            made = aj.to_storage(nested, offsets)
            assert made.to_pylist() == nested.to_pylist()
            assert "jagged" not in str(made.type)


def test_columns_that_are_not_ours_stay_with_64_and_are_narrowed_with_32() -> None:
    columns = {
        "s": pa.array(["a", None, "c"], pa.large_string()),
        "v": pa.array([[1], None, []], pa.large_list_view(pa.int8())),
        "w": pa.array([[b"x"], None, []], pa.list_(pa.large_binary())),
        "d": pa.array(["a", "b", "a"]).dictionary_encode(),
    }
    table = pa.table(columns)
    assert aj.to_storage(table) == table
    made = aj.to_storage(table, 32)
    assert [str(field.type) for field in made.schema][:3] == ["string", "list<item: int8>", "list<item: binary>"]
    assert made.to_pylist() == table.to_pylist()


@pytest.mark.parametrize("offsets", [64, 32])
def test_pandas_objects_come_back_with_arrow_columns(offsets: int) -> None:
    index = pd.Index([7, 8, 9], name="i")
    frame = pd.DataFrame({"x": X.to_pandas(index=index), "k": pd.Series([1, 2, 3], index=index)})
    made = aj.to_storage(frame, offsets)
    assert made.dtypes["x"] == pd.ArrowDtype(LISTS[offsets])
    assert made.dtypes["k"] == frame.dtypes["k"]
    assert made.index.equals(index)
    assert frame.dtypes["x"].name == "jagged[double, 3]", "the frame of the caller is unchanged"
    assert pa.array(made["x"]).to_pylist() == ROWS
    series = aj.to_storage(frame["x"], offsets)
    assert (series.dtype, series.name, list(series.index)) == (made.dtypes["x"], "x", [7, 8, 9])
    twice = aj.to_storage(pd.concat([frame, frame], axis=1), offsets)
    assert [str(one).startswith("jagged") for one in twice.dtypes] == [False] * 4
    on_rows = aj.to_storage(frame.set_index("x"), offsets)
    assert on_rows.index.dtype == pd.ArrowDtype(LISTS[offsets])
    assert on_rows.index.name == "x"


def test_a_table_of_pandas_opens_in_pandas_as_objects() -> None:
    table = pa.Table.from_pandas(pd.DataFrame({"x": X.to_pandas(), "k": [1, 2, 3]}))
    assert aj.to_storage(table).to_pandas().dtypes["x"] == np.dtype(object)


def test_polars_objects_come_back_with_lists() -> None:
    frame = pl.DataFrame({"x": X.to_polars(), "k": [1, 2, 3]})
    frame = frame.with_columns(s=pl.when(pl.col("k") < 3).then(pl.struct("x", "k")), f=aj.arange(3, 2).to_polars())
    frame = frame.with_columns(l=pl.concat_list(pl.struct("x"))).rename({"x": "^x$"})
    lists = pl.List(pl.List(pl.Float64))
    wanted = {"^x$": lists, "k": pl.Int64, "s": pl.Struct({"x": lists, "k": pl.Int64}), "f": pl.Array(pl.Int64, 2)}
    wanted["l"] = pl.List(pl.Struct({"x": lists}))
    for made in (aj.to_storage(frame), aj.to_storage(frame.lazy()), aj.to_storage(frame, offsets=32)):
        assert made.collect_schema() == wanted
        assert (made.collect() if isinstance(made, pl.LazyFrame) else made).to_dicts() == frame.to_dicts()
    series = aj.to_storage(frame["^x$"])
    assert (series.name, series.dtype, series.to_list()) == ("^x$", lists, ROWS)
    assert aj.to_storage(frame.select("k")).equals(frame.select("k"))


def test_more_items_than_32_bits_count_raise_with_the_alternative() -> None:
    bits = pa.py_buffer(np.zeros(2**28, np.uint8))  # not touched, so that it takes no memory
    offsets = pa.py_buffer(np.array([0, 2**31]))
    lists = pa.Array.from_buffers(
        pa.large_list(pa.bool_()), 1, [None, offsets], children=[pa.Array.from_buffers(pa.bool_(), 2**31, [None, bits])]
    )
    with pytest.raises(aj.JagOverflowError, match=r"column 'v'.* 2,147,483,648 items.*offsets=64"):
        aj.to_storage(pa.table({"v": lists}), 32)


@pytest.mark.parametrize("value", [1, [1, 2], "x", np.arange(3), None])
def test_other_types_raise_type_error(value: Any) -> None:
    with pytest.raises(aj.JagTypeError, match="to_storage takes"):
        aj.to_storage(value)


@pytest.mark.parametrize("offsets", [16, True, "64", None])
def test_offsets_are_64_or_32(offsets: Any) -> None:
    error, text = (aj.JagValueError, "must be 64 or 32, got 16") if offsets == 16 else (aj.JagTypeError, "must be an int")
    with pytest.raises(error, match=f"offsets {text}"):
        aj.to_storage(X, offsets)


def test_an_array_exports_its_arrow_schema() -> None:
    imported = pa.DataType._import_from_c_capsule(X.__arrow_c_schema__())
    assert imported == X.to_arrow().type
    assert pa.DataType._import_from_c_capsule(aj.array([1, 2]).__arrow_c_schema__()) == pa.int64()
