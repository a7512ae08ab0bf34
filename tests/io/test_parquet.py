"""Round trips through one file: every leaf type, every host, every option; row groups by elements."""

from __future__ import annotations

import base64
import inspect
import io
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.cli._facts import read_facts
from arrowjag.io import _row_groups
from arrowjag.io._footer import parse_footer, plain_content, read_content
from arrowjag.io._row_groups import cut_rows
from arrowjag.testing import LEAF_KINDS, ArrowColumn, arrow_columns, leaf_types
from tests.hosts import pd, pl

KINDS = [kind for kind in LEAF_KINDS if kind != "interval"]


def _writes_views() -> bool:
    try:
        pq.write_table(pa.table({"v": pa.array([[1]], pa.list_view(pa.int64()))}), io.BytesIO())
    except pa.ArrowNotImplementedError:
        return False
    return True


WRITES_VIEWS = _writes_views()
"""Whether pyarrow writes list views to Parquet."""


@given(column=arrow_columns(leaf=leaf_types(*KINDS)))
def test_every_layout_and_leaf_type_round_trips(column: ArrowColumn) -> None:
    x = aj.from_arrow(column.array, column.ndim)
    file = io.BytesIO()
    pq.write_table(pa.table({"x": x.to_arrow()}), file)
    back = aj.from_arrow(aj.read_parquet(file)["x"])
    assert back.type == x.type
    assert back.ndim == x.ndim
    assert back.shape.extents == tuple(extent or None for extent in x.shape.extents)  # an extent of 0 is not stored
    assert back.equals(x)


@given(column=arrow_columns(leaf=leaf_types(*KINDS)))
def test_the_arrow_schema_of_a_plain_file_has_nothing_of_ours(column: ArrowColumn) -> None:
    x = aj.from_arrow(column.array, column.ndim)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        aj.write_parquet({"x": x, "k": np.arange(len(x))}, path, plain=True)
        assert "jagged" not in str(pq.read_schema(path))
        assert not any(isinstance(field.type, pa.BaseExtensionType) for field in pq.ParquetFile(path).schema_arrow)
        back = aj.read_parquet(path)
        assert back.schema.field("x").type == (x.to_arrow().type if x.ndim > 1 else x.type)
        assert aj.from_arrow(back["x"]).equals(x)
        assert b"arrowjag.jagged" not in (back.schema.metadata or {})
        if column.ndim > 1:
            assert aj.read_parquet(path, columns=["x"]).schema.field("x").type.ndim == column.ndim


def test_a_plain_file_tells_jagged_columns_from_lists(tmp_path: Path) -> None:
    x = aj.from_arrow(pa.array([[[1, 2], []], None, []], pa.large_list(pa.large_list(pa.int64()))), ndim=2)
    aj.write_parquet({"x": x, "y": x.to_arrow().storage}, tmp_path / "a.parquet", plain=True)
    assert pq.read_schema(tmp_path / "a.parquet").types == [x.extension_type.storage_type] * 2
    back = aj.read_parquet(tmp_path / "a.parquet")
    assert back.schema.types == [x.extension_type, x.extension_type.storage_type]
    assert aj.from_arrow(back["x"]).equals(x)


def test_a_footer_has_storage_types_before_it_is_parsed(tmp_path: Path) -> None:
    """With plain types pyarrow reads columns without the classes of extension types."""
    table = pa.table({"x": aj.array([[1], None]).to_arrow(), "k": [1, 2]})
    aj.write_parquet(table, tmp_path / "a.parquet")
    with pa.OSFile(str(tmp_path / "a.parquet")) as source:
        found = plain_content(read_content(source))
    assert found is not None
    assert found[1].types == table.schema.types
    assert parse_footer(found[0]).schema.to_arrow_schema().types == [table.schema.types[0].storage_type, pa.int64()]


@pytest.mark.parametrize("told", [b"", b"[]", b'{"x":3}', b'{"x":{"ndim":99,"v":1},"k":{"ndim":2,"v":1}}', b"\xff", b"[" * 100000])
def test_metadata_of_a_plain_file_that_do_not_fit_are_ignored(told: bytes, tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([[1], []], pa.large_list(pa.int64())), "k": [1, 2]})
    pq.write_table(table.replace_schema_metadata({b"arrowjag.jagged": told}), tmp_path / "a.parquet")
    back = aj.read_parquet(tmp_path / "a.parquet")
    assert back.to_pydict() == table.to_pydict()
    assert back.schema.field("k").type == pa.int64()


LOSSY = [
    pa.date64(),
    pa.time32("s"),
    pa.timestamp("s"),
    pa.timestamp("s", "Europe/Paris"),
    pa.dictionary(pa.int8(), pa.int64()),
    pa.dictionary(pa.int64(), pa.float64()),
    pa.dictionary(pa.int32(), pa.large_string()),
    pa.dictionary(pa.int32(), pa.string(), ordered=True),
    pa.list_(pa.date64(), 2),
    pa.struct([("a", pa.timestamp("s")), ("b", pa.list_(pa.dictionary(pa.int8(), pa.int64())))]),
]


@pytest.mark.parametrize("leaf", LOSSY, ids=str)
@pytest.mark.parametrize("typed", [True, False])
def test_types_that_parquet_stores_as_others_come_back(leaf: pa.DataType, typed: bool, tmp_path: Path) -> None:
    storage = pa.LargeListArray.from_arrays(pa.array([0, None, 1, 1]), pa.nulls(1, leaf))
    table = pa.table({"x": aj.from_arrow(storage, 2).to_arrow() if typed else storage, "flat": pa.nulls(3, leaf)})
    aj.write_parquet(table, tmp_path / "a.parquet")
    back = aj.read_parquet(tmp_path / "a.parquet")
    assert back.schema == table.schema
    assert back.equals(table)


FIXED = pa.list_(pa.int16(), 2)
FIXED_LISTS = {
    "rows": pa.array([[1, None], None, [3, 4]], FIXED),
    "items": pa.array([[[1, 2], None], None, []], pa.large_list(FIXED)),
    "fields": pa.array([{"a": [1, 2]}, None, {"a": None}], pa.struct([("a", FIXED)])),
    "required fields": pa.array([{"a": [1, 2]}, None, {"a": [3, 4]}], pa.struct([pa.field("a", FIXED, nullable=False)])),
    "twice": pa.array([[[1, 2], [3, 4]], None, [None, [5, None]]], pa.list_(FIXED, 2)),
}


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("name", FIXED_LISTS)
def test_lists_of_fixed_size_with_null_rows(name: str, plain: bool, tmp_path: Path) -> None:
    """pyarrow fails for required fields, and before version 26 for all; the Arrow schema of the file is that of newer versions."""
    array = FIXED_LISTS[name]
    table = pa.table({"x": array if "fields" in name else aj.from_arrow(array).to_arrow(), "plain": array})
    aj.write_parquet(table, tmp_path / "a.parquet", plain=plain, row_group_size=2)
    stored = pq.read_schema(tmp_path / "a.parquet")
    assert stored.field("plain").type == array.type
    back = aj.read_parquet(tmp_path / "a.parquet")
    assert aj.from_arrow(back["x"]).to_list() == aj.from_arrow(back["plain"]).to_list() == array.to_pylist()
    assert back["x"].type == table["x"].type
    if "required" in name:
        pq.write_table(table, tmp_path / "a.parquet")
        assert aj.read_parquet(tmp_path / "a.parquet").to_pylist() == table.to_pylist()
        assert read_facts(tmp_path / "a.parquet").columns[0].examples[0][1] == "{a: [1, 2]}"


def test_a_footer_of_other_data_is_rejected(tmp_path: Path) -> None:
    """A writer that copies the key-value list of another file leaves a schema that doesn't fit."""
    stale = pa.schema([("x", aj.JaggedType.of(pa.int64(), 2))])
    with pq.ParquetWriter(tmp_path / "a.parquet", pa.schema([("x", pa.list_(pa.float64()))]), store_schema=False) as writer:
        writer.write_table(pa.table({"x": [[1.0, 2.0]]}))
        writer.add_key_value_metadata({"ARROW:schema": base64.b64encode(stale.serialize().to_pybytes()).decode()})
    table = aj.read_parquet(tmp_path / "a.parquet")
    assert table.schema.field("x").type == aj.JaggedType.of(pa.float64(), 2)
    assert table["x"].to_pylist() == [[1.0, 2.0]]


def test_a_type_outside_the_common_type_is_refused_by_name(tmp_path: Path) -> None:
    x = aj.from_arrow(pa.array([[None]], pa.large_list(pa.month_day_nano_interval())))
    with pytest.raises(aj.JagTypeError, match="month_day_nano_interval"):
        aj.write_parquet({"x": x}, tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------------------ hosts

X = aj.array([[[1.5, None], []], None, [None, [-0.0]]])
Y = aj.array([[1, 2], [], None])


@pytest.mark.parametrize("to", ["arrow", "pandas", "polars"])
@pytest.mark.parametrize("origin", ["dict", "arrow", "pandas", "polars", "lazy"])
def test_dtypes_survive_on_every_host(origin: str, to: str, tmp_path: Path) -> None:
    frames: dict[str, Any] = {
        "dict": {"x": X, "y": Y, "k": [1, 2, 3]},
        "arrow": pa.table({"x": X.to_arrow(), "y": Y.to_arrow(), "k": [1, 2, 3]}),
        "pandas": pd.DataFrame({"x": X.to_pandas(), "y": Y.to_pandas(), "k": [1, 2, 3]}),
        "polars": pl.DataFrame({"x": X.to_polars("x"), "y": Y.to_polars("y"), "k": [1, 2, 3]}),
    }
    frames["lazy"] = frames["polars"].lazy()
    aj.write_parquet(frames[origin], tmp_path / "a.parquet")
    aj.write_ipc(frames[origin], tmp_path / "a.arrow")
    for frame in (aj.read_parquet(tmp_path / "a.parquet", to=to), aj.read_ipc(tmp_path / "a.arrow", to=to)):
        assert [aj.array(frame[name]).to_list() for name in "xyk"] == [X.to_list(), Y.to_list(), [1, 2, 3]]
        if to == "arrow":
            assert frame.schema.field("x").type == aj.JaggedType.of(pa.float64(), 3)
        elif to == "pandas":
            assert str(frame["x"].dtype) == "jagged[double, 3]"
            assert str(frame["y"].dtype) == "jagged[int64, 2]"
        else:
            assert frame.schema == frames["polars"].schema


def test_an_index_of_pandas_comes_back(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": X.to_pandas(), "k": [1, 2, 3]}, index=pd.Index(["a", "b", "c"], name="id"))
    aj.write_parquet(frame, tmp_path / "a.parquet")
    back = aj.read_parquet(tmp_path / "a.parquet", columns=["x"], to="pandas")
    assert list(back.columns) == ["x"]
    assert back.index.tolist() == ["a", "b", "c"]
    assert back.index.name == "id"
    some = aj.read_parquet(tmp_path / "a.parquet", filters=[("k", ">", 1)], to="pandas")
    assert some.index.tolist() == ["b", "c"]


def test_files_of_polars_are_read(tmp_path: Path) -> None:
    pl.DataFrame({"x": X.to_polars("x")}).write_parquet(tmp_path / "a.parquet")
    assert aj.from_arrow(aj.read_parquet(tmp_path / "a.parquet")["x"]).equals(X)


def test_results_other_than_frames_raise(tmp_path: Path) -> None:
    for wrong in (42, X, X.to_polars("x"), X.to_pandas()):
        with pytest.raises(aj.JagTypeError, match=f"a frame must be .*, got {type(wrong).__name__}"):
            aj.write_parquet(wrong, tmp_path / "a.parquet")
    for wrong, name in ((7, "int"), ("text", "str"), (None, "NoneType"), (pa.scalar(1), "Int64Scalar")):
        with pytest.raises(aj.JagTypeError, match=f"column 'k' of a frame must be an array or a list of values, got {name}"):
            aj.write_parquet({"x": X, "k": wrong}, tmp_path / "a.parquet")
    with pytest.raises(aj.ShapeError, match=rf"the columns of a frame have one length, got {{'x': {len(X)}, 'k': 1}}"):
        aj.write_parquet({"x": X, "k": [1]}, tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())
    with pytest.raises(aj.JagValueError, match="to must be"):
        aj.read_parquet(tmp_path / "a.parquet", to="spark")


# ---------------------------------------------------------------------------------------------------------- options


def encodings(path: Path) -> dict[str, Any]:
    group = pq.read_metadata(path).row_group(0)
    return {group.column(place).path_in_schema: group.column(place) for place in range(group.num_columns)}


def test_options_by_column_reach_all_leaves(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    docs = aj.zip(score=aj.array([[1.5, 2.5], []]), id=aj.array([[7, 8], []]))
    frame = {"docs": docs, "x": aj.array([[0.5], None]), "k": ["a", "a"]}
    compression = {"docs": "zstd", "x": "gzip", "k": "none"}
    aj.write_parquet(frame, path, use_byte_stream_split=["docs.score", "x"], compression=compression, write_statistics=["k"])
    columns = encodings(path)
    score, identity, x, k = (columns[name] for name in columns)
    assert "BYTE_STREAM_SPLIT" in score.encodings
    assert "BYTE_STREAM_SPLIT" in x.encodings
    assert "RLE_DICTIONARY" in identity.encodings
    assert "RLE_DICTIONARY" in k.encodings
    assert [column.compression for column in (score, identity, x, k)] == ["ZSTD", "ZSTD", "GZIP", "UNCOMPRESSED"]
    assert [column.is_stats_set for column in (score, identity, x, k)] == [False, False, False, True]
    assert aj.from_arrow(aj.read_parquet(path)["docs"]).equals(docs)


def test_encodings_and_dictionaries_by_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = {"x": aj.array([[1, 2], [1]]), "y": aj.array([[1, 2], [1]])}
    aj.write_parquet(frame, path, column_encoding={"x": "DELTA_BINARY_PACKED"})
    columns = list(encodings(path).values())
    assert "DELTA_BINARY_PACKED" in columns[0].encodings
    assert "RLE_DICTIONARY" in columns[1].encodings
    aj.write_parquet(frame, path, use_dictionary=["y"])
    assert ["RLE_DICTIONARY" in column.encodings for column in encodings(path).values()] == [False, True]
    with pytest.raises(aj.JagValueError, match="no column or leaf 'z'; there are x, y"):
        aj.write_parquet(frame, path, use_dictionary=["z"])


def test_footers_of_written_files_are_collected(tmp_path: Path) -> None:
    footers: list[Any] = []
    aj.write_parquet({"k": ["a/b", None, "a/b"], "x": [1, 2, 3]}, tmp_path / "out", partition_by="k", metadata_collector=footers)
    places = [footer.row_group(0).column(0).file_path for footer in footers]
    assert places == ["k=a%2Fb/part-0.parquet", "k=__HIVE_DEFAULT_PARTITION__/part-0.parquet"]
    assert [pq.read_metadata(tmp_path / "out" / place).num_rows for place in places] == [footer.num_rows for footer in footers]
    with pytest.raises(aj.JagTypeError, match="can't store"):
        aj.write_parquet({"x": pa.nulls(1, pa.month_day_nano_interval())}, tmp_path / "a.parquet", metadata_collector=footers)
    assert len(footers) == 2
    with pytest.raises(aj.JagTypeError, match="metadata_collector must be a list, which gets the footer of each file, got int"):
        aj.write_parquet({"x": [1]}, tmp_path / "a.parquet", metadata_collector=3)


def test_bloom_filters_by_column(tmp_path: Path) -> None:
    if "bloom_filter_options" not in inspect.signature(pq.write_table).parameters:
        pytest.skip("pyarrow 24 and later write Bloom filters")
    sizes = {}
    for options in ({}, {"x": {"ndv": 1000}}, {"y": True}, {"x": True, "y": True}):
        path = tmp_path / "a.parquet"
        aj.write_parquet({"x": aj.array([[1, 2], [1]]), "y": [1, 2]}, path, bloom_filter_options=options)
        sizes[tuple(options)] = path.stat().st_size
    assert sizes[()] < sizes["x",] == sizes["y",] < sizes["x", "y"]
    with pytest.raises(aj.JagValueError, match="no column or leaf 'z'; there are x, y"):
        aj.write_parquet({"x": aj.array([[1]]), "y": [1]}, path, bloom_filter_options={"z": True})


def test_checksums_of_pages_are_written_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    aj.write_parquet({"x": aj.array([list(range(1000))])}, path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4000] ^= 1
    path.write_bytes(content)
    with pytest.raises(aj.JagFileError, match=r"a\.parquet, row group 0, column .x\.list\.element. .*CRC"):
        aj.read_parquet(path)
    assert aj.read_parquet(path, verify_checksums=False).num_rows == 1
    for place in (path, tmp_path):
        with pytest.raises(aj.JagFileError, match=r"column .x. .*CRC"):
            read_facts(str(place))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no Parquet at all", b"PAR1" + bytes(100) + b"PAR1"])
def test_files_other_than_parquet_raise_with_their_name(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.parquet"
    path.write_bytes(content)
    with pytest.raises((pa.ArrowInvalid, OSError), match=r"broken\.parquet"):
        aj.read_parquet(path)


# ------------------------------------------------------------------------------------------------------- row groups


def sizes_of_groups(path: Path) -> list[int]:
    footer = pq.read_metadata(path)
    return [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]


def test_row_groups_are_sized_by_elements(tmp_path: Path) -> None:
    rows = [[[0] * 3], [[0] * 4, [0] * 3], [], None, [[0] * 20], [[0]] * 9, [[0] * 2]]
    table = {"x": aj.array(rows), "k": range(len(rows))}
    aj.write_parquet(table, tmp_path / "a.parquet", row_group_values=10)
    assert sizes_of_groups(tmp_path / "a.parquet") == [4, 1, 1, 1]
    aj.write_parquet(table, tmp_path / "b.parquet", row_group_values=10, row_group_size=3)
    assert sizes_of_groups(tmp_path / "b.parquet") == [3, 1, 1, 1, 1]
    for name in ("a", "b"):
        back = aj.read_parquet(tmp_path / f"{name}.parquet")
        assert back["x"].to_pylist() == rows
        assert back["x"].num_chunks == len(sizes_of_groups(tmp_path / f"{name}.parquet"))


def test_the_longest_leaf_decides() -> None:
    one = pa.array([[1], [1, 2], [], [3]])
    pairs = pa.StructArray.from_arrays([one, pa.array([[1, 2], [3], [4, 5, 6], []])], names=["a", "b"])
    table = pa.table({"s": pairs, "m": pa.array([[("k", 1)], [], None, [("k", 1)]], pa.map_(pa.string(), pa.int8()))})
    assert list(cut_rows(table, 100, 3)) == [(0, 2), (2, 4)]
    assert list(cut_rows(table.select(["m"]), 100, 1)) == [(0, 3), (3, 4)]


@given(column=arrow_columns())
def test_no_row_group_exceeds_the_requested_size(column: ArrowColumn) -> None:
    x = aj.from_arrow(column.array, column.ndim)
    table = pa.table({"x": x.to_arrow()})
    cuts = list(cut_rows(table, 4, 5))
    assert [start for start, _ in cuts] + [len(x)] == [0] + [stop for _, stop in cuts]
    if pa.types.is_nested(x.type):
        return
    for start, stop in cuts:
        assert stop - start == 1 or (stop - start <= 4 and x[start:stop].size <= (5 if x.ndim > 1 else 4))


def test_chunks_are_cut_as_one_column() -> None:
    chunked = pa.chunked_array([[[1, 2], [3]], [], [[4], [5, 6]]], pa.list_(pa.int8()))
    assert list(cut_rows(pa.table({"x": chunked}), 100, 4)) == [(0, 3), (3, 4)]
    assert list(cut_rows(pa.table({"x": chunked.slice(0, 0)}), 100, 4)) == []


@pytest.mark.parametrize("limit", [0, -1, 2.5, True])
def test_limits_are_integers_of_at_least_one(limit: Any, tmp_path: Path) -> None:
    error, text = (aj.JagValueError, "at least 1") if type(limit) is int else (aj.JagTypeError, "an int")
    with pytest.raises(error, match=f"row_group_values must be {text}, got"):
        aj.write_parquet({"x": [1]}, tmp_path / "a.parquet", row_group_values=limit)


def test_offsets_that_are_wrong_are_refused_before_a_byte_is_written(tmp_path: Path) -> None:
    buffers = [None, pa.py_buffer(np.array([0, 5, 3], np.int64))]
    corrupt = pa.LargeListArray.from_buffers(pa.large_list(pa.int8()), 2, buffers, children=[pa.array([1, 2, 3], pa.int8())])
    with pytest.raises(aj.OffsetsError, match="dim 1 decrease at slot 2: 3 < 5"):
        aj.write_parquet(pa.table({"x": corrupt}), tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rows", [[], [None, None], [[], []], [[[]], [None]]])
def test_empties_keep_their_type(rows: list[Any], tmp_path: Path) -> None:
    x = aj.array(rows, type=pa.int8(), ndim=3)
    aj.write_parquet({"x": x}, tmp_path / "a.parquet")
    back = aj.read_parquet(tmp_path / "a.parquet")
    assert back.schema.field("x").type == x.to_arrow().type
    assert back["x"].to_pylist() == rows


def test_scan_parquet_reads_every_row_that_read_parquet_reads(tmp_path: Path) -> None:
    x = aj.array([[1, None], None, [], [4]])
    aj.write_parquet({"x": x, "k": ["a", "b", None, "d"]}, tmp_path / "a.parquet", row_group_size=3)
    scanned = aj.scan_parquet(tmp_path / "a.parquet").collect()
    assert scanned.equals(aj.read_parquet(tmp_path / "a.parquet", to="polars"))
    assert scanned["x"].to_list() == x.to_list()
    assert isinstance(scanned, pl.DataFrame)


@pytest.mark.parametrize("leaf", [pa.int64(), pa.string(), pa.null(), pa.list_(pa.string(), 2)], ids=str)
@pytest.mark.parametrize("rows", [[[], []], [[], None], []], ids=str)
def test_lists_of_size_0_are_read_again(rows: list[Any], leaf: pa.DataType, tmp_path: Path) -> None:
    """pyarrow ends the process when it writes those of text, and reads none."""
    kind = pa.list_(leaf, 0)
    columns = {
        "v": (kind, rows),
        "w": (pa.large_list(kind), [[[]]] * len(rows)),
        "s": (pa.struct([("a", kind)]), [{"a": []}] * len(rows)),
    }
    if WRITES_VIEWS:
        columns["view"] = (pa.list_view(kind), [[[]]] * len(rows))
    table = pa.table({name: pa.array(data, type) for name, (type, data) in columns.items()})
    aj.write_parquet(table, tmp_path / "a.parquet")
    assert aj.read_parquet(tmp_path / "a.parquet").to_pydict() == table.to_pydict()
    assert pq.read_table(tmp_path / "a.parquet").to_pydict() == table.to_pydict()


@pytest.mark.parametrize("maker", [pa.list_, pa.large_list, pa.list_view, pa.large_list_view])
@pytest.mark.parametrize("values", [pa.int64(), pa.string()], ids=str)
def test_lists_of_dictionaries_of_every_kind_come_back(values: pa.DataType, maker: Any, tmp_path: Path) -> None:
    items = [1, None, 2] if values == pa.int64() else ["a", None, "b"]
    data = pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 1], pa.int8()), pa.array([items[0], items[2]], values))
    lists = pa.LargeListArray.from_arrays([0, 3, 3, 4], data, mask=pa.array([False, True, False]))
    x = aj.from_arrow(lists)
    kind = maker(data.type)
    for name in ("a", "b"):
        aj.write_parquet(pa.table({"v": lists}), tmp_path / f"{name}.parquet")
    table = aj.read_parquet(tmp_path, schema=pa.schema([("v", kind)]))
    table.validate(full=True)
    assert table.schema.field("v").type == kind
    assert aj.from_arrow(table["v"]).to_list() == x.to_list() * 2


@pytest.mark.parametrize("leaf", [pa.string_view(), pa.binary_view()], ids=str)
def test_views_of_text_inside_structs(leaf: pa.DataType, tmp_path: Path) -> None:
    """pyarrow writes none, and strings of polars are such views."""
    words = [b"a", None, b"longer than twelve bytes", b""]
    views = pa.array(words, pa.binary()).cast(leaf)
    struct = pa.StructArray.from_arrays([views, pa.array([1, 2, 3, None])], ["a", "b"])
    lists = pa.LargeListArray.from_arrays([0, 2, 2, 4], struct, mask=pa.array([False, True, False]))
    table = pa.table({"v": aj.from_arrow(lists).to_arrow(), "s": struct[:3], "k": [1, 2, 3]})
    aj.write_parquet(table, tmp_path / "a.parquet", row_group_size=2)
    found = aj.read_parquet(tmp_path / "a.parquet")
    assert found.schema.equals(table.schema)
    assert found.to_pydict() == table.to_pydict()
    picked = aj.read_parquet(tmp_path / "a.parquet", columns=["v.b"])["v"]
    assert picked.to_pylist() == [[{"b": 1}, {"b": 2}], None, [{"b": 3}, {"b": None}]]
    assert pq.read_table(tmp_path / "a.parquet")["k"].to_pylist() == [1, 2, 3]


def test_rows_that_pyarrow_leaves_out_are_an_error(tmp_path: Path) -> None:
    """A row group of one row, which holds a list of a dictionary and ends its page, is read as none."""
    x = aj.array([["a"], ["b"]]).cast(pa.dictionary(pa.int8(), pa.string()))
    path = tmp_path / "a.parquet"
    aj.write_parquet({"v": x}, path, row_group_size=1, data_page_size=16, use_dictionary=True)
    if pq.read_table(path).num_rows == 2:
        assert aj.from_arrow(aj.read_parquet(path)["v"]).to_list() == x.to_list()
        return
    for read in (aj.read_parquet, lambda path: aj.etl.run(lambda frame: frame, path, tmp_path / "out", workers=1, progress=False)):
        with pytest.raises(aj.JagError, match=r"row group 0.* pyarrow returned only 0 of [12] row"):
            read(path)


@pytest.mark.parametrize(
    "type", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view(), pa.binary_view()], ids=str
)
def test_row_groups_hold_a_limited_number_of_bytes_of_text(type: pa.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_row_groups, "_MOST_BYTES", 10)
    text = pa.array(["x" * 6, None, "x" * 4, "x" * 11, "x", ""]).cast(type)
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 3, 4, 4, 4, 6], pa.int32()), text)
    fields = pa.StructArray.from_arrays([pa.array(range(6)), text], ["n", "text"])
    for column, expected in (
        (text, [(0, 3), (3, 4), (4, 6)]),
        (lists, [(0, 2), (2, 3), (3, 6)]),
        (fields, [(0, 3), (3, 4), (4, 6)]),
    ):
        chunks = pa.chunked_array([column[:1], column[1:]])
        for data in (column, chunks):
            assert list(cut_rows(pa.table({"x": data}), 100, 100)) == expected
    assert list(cut_rows(pa.table({"x": text.slice(1, 2)}), 100, 100)) == [(0, 2)]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_categories_of_durations_keep_their_type(unit: str, tmp_path: Path) -> None:
    """Parquet has no durations, and pyarrow restores only those that are no categories."""
    times = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array([5, 2**40], pa.duration(unit)))
    columns = {"flat": times, "in_lists": pa.ListArray.from_arrays([0, 2, 2, 3], times)}
    aj.write_parquet(columns, tmp_path / "a.parquet")
    table = aj.read_parquet(tmp_path / "a.parquet")
    assert table.schema == pa.table(columns).schema
    assert table.to_pydict() == pa.table(columns).to_pydict()


CATEGORIES = [
    pa.array([3, 1, 2], pa.uint64()),
    pa.array([0.5, -1.0, 0.1]),
    pa.array([True, False]),
    pa.array([3, 1, 2], pa.date32()),
    pa.array([3 * 86_400_000, 86_400_000, 0], pa.date64()),
    pa.array([3, 1, 2], pa.timestamp("s")),
    pa.array([3, 1, 2], pa.timestamp("ns", "Europe/Berlin")),
    pa.array([3, 1, 2], pa.time32("s")),
    pa.array([3, 1, 2], pa.duration("ms")),
    pa.array([Decimal("1.25"), Decimal(-3), Decimal(0)], pa.decimal32(9, 2)),
    pa.array([Decimal("1.25"), Decimal(-3), Decimal(0)], pa.decimal256(50, 2)),
    pa.array([b"c", b"a", b"b"], pa.binary(1)),
]
"""Categories of each kind, not in their natural order."""


@pytest.mark.parametrize(
    "options", [{}, {"use_dictionary": False}, {"use_dictionary": ["k"]}, {"column_encoding": {"k": "PLAIN"}}], ids=str
)
def test_categories_keep_their_order(options: dict[str, Any], tmp_path: Path) -> None:
    """Parquet stores it in dictionaries of text alone, the metadata of the file for others; a reader would take that of rows."""
    for labels in (["lo", "mid", "hi"], [3, 1, 2]):
        words = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 1], pa.int8()), pa.array(labels), ordered=True)
        columns = {"k": pa.array([1, 2, 3, 4]), "flat": words, "in_lists": pa.ListArray.from_arrays([0, 2, 2, 4, 4], words)}
        columns["in_structs"] = pa.StructArray.from_arrays([words, columns["k"]], ["a", "b"])
        aj.write_parquet(columns, tmp_path / "a.parquet", **options)
        table = aj.read_parquet(tmp_path / "a.parquet")
        assert table.to_pydict() == pa.table(columns).to_pydict()
        found = [table["flat"].chunk(0), table["in_lists"].chunk(0).values, table["in_structs"].chunk(0).field("a")]
        assert [one.type for one in found] == [words.type] * 3
        assert [one.dictionary.to_pylist() for one in found] == [labels] * 3


@pytest.mark.parametrize("leaf", CATEGORIES, ids=lambda one: str(one.type))
def test_categories_of_any_type_keep_their_order(leaf: pa.Array, tmp_path: Path) -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 1, len(leaf) - 1], pa.int8()), leaf, ordered=True)
    x = aj.from_sizes(words, [2, 0, 3]).with_validity(0, [True, False, True])
    columns = {"flat": words[1:4], "x": x.to_arrow(), "deep": aj.array([x.to_arrow()] * 3).to_arrow(), "s": aj.zip(a=x).to_arrow()}
    aj.write_parquet(columns, tmp_path / "a.parquet", row_group_size=2)
    table, wanted = aj.read_parquet(tmp_path / "a.parquet"), pa.table(columns)
    assert table.schema == wanted.schema
    assert table.to_pydict() == wanted.to_pydict()
    assert all(chunk.dictionary.equals(leaf) for chunk in table["flat"].chunks)
    part = aj.read_parquet(tmp_path / "a.parquet", columns=["s.a"])
    assert aj.from_arrow(part["s"])["a"].values.dictionary.equals(leaf)


def test_categories_in_structs_of_several_parts(tmp_path: Path) -> None:
    """Each field has its own, of which a part may know none, or the first ones."""

    def part(**labels: list[int]) -> pa.Array:
        fields = []
        for one in labels.values():
            places = pa.array([0 if one else None, None], pa.int8())
            fields.append(pa.DictionaryArray.from_arrays(places, pa.array(one, pa.int64()), ordered=True))
        return pa.StructArray.from_arrays(fields, [*labels])

    parts = pa.chunked_array([part(a=[3], b=[]), part(a=[3, 1], b=[9, 7]), part(a=[], b=[9])])
    aj.write_parquet({"s": parts}, tmp_path / "a.parquet")
    found = aj.read_parquet(tmp_path / "a.parquet")["s"]
    assert (found.type, found.to_pylist()) == (parts.type, parts.to_pylist())
    for chunk in found.chunks:
        assert [field.dictionary.to_pylist() for field in chunk.flatten()] == [[3, 1], [9, 7]]
    with pytest.raises(
        aj.JagValueError, match=r"column 's': its parts have different ordered categories, \['9', '7'\] and \['7'\]"
    ):
        aj.write_parquet({"s": pa.chunked_array([part(a=[3], b=[9, 7]), part(a=[3], b=[7])])}, tmp_path / "a.parquet")


def test_categories_of_numbers_in_several_parts_and_files(tmp_path: Path) -> None:
    def words(labels: list[int], *, ordered: bool = True) -> pa.Array:
        return pa.DictionaryArray.from_arrays(
            pa.array([0 if labels else None, None], pa.int64()), pa.array(labels, pa.int64()), ordered=ordered
        )

    def write_told(told: bytes) -> None:
        table = pa.table({"k": words([3, 1])}).replace_schema_metadata({"arrowjag.categories": told})
        pq.write_table(table, tmp_path / "c.parquet")

    parts = pa.chunked_array([words([]), words([3, 1]), words([3, 1, 2])])
    aj.write_parquet({"k": parts}, tmp_path / "a.parquet")
    found = aj.read_parquet(tmp_path / "a.parquet")["k"]
    assert (found.type, found.to_pylist()) == (parts.type, parts.to_pylist())
    assert found.chunk(0).dictionary.to_pylist() == [3, 1, 2]
    assert list(aj.read_parquet(tmp_path / "a.parquet", to="pandas")["k"].cat.categories) == [3, 1, 2]
    told = r"a\.parquet, column 'k': its parts have different ordered categories, \['3', '1'\] and \['1', '3'\]"
    with pytest.raises(aj.JagValueError, match=told):
        aj.write_parquet({"k": pa.chunked_array([words([3, 1]), words([1, 3])])}, tmp_path / "a.parquet")
    assert aj.read_parquet(tmp_path / "a.parquet")["k"].to_pylist() == parts.to_pylist()

    aj.write_parquet({"k": words([3, 1], ordered=False)}, tmp_path / "b.parquet")
    assert not aj.read_parquet(tmp_path)["k"].type.ordered
    for metadata in (b"[", b'{"k":["3","x"]}', b'{"k":{"a":["3"]}}', b'{"k":["3","3"]}', b'{"k":[3]}'):
        pq.write_table(
            pa.table({"k": words([3, 1])}).replace_schema_metadata({"arrowjag.categories": metadata}), tmp_path / "c.parquet"
        )
        assert aj.read_parquet(tmp_path / "c.parquet")["k"].to_pylist() == [3, None]
    pq.write_table(
        pa.table({"k": words([3, 1])}).replace_schema_metadata({"arrowjag.categories": b'{"k":["1"]}'}), tmp_path / "c.parquet"
    )
    with pytest.raises(aj.JagValueError, match=r"c\.parquet, column 'k': .*the value 3 is none of the categories"):
        aj.read_parquet(tmp_path / "c.parquet")
