"""Arguments, paths and frames that readers and writers refuse: by errors of arrowjag, before or instead of those of libraries."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag import io
from arrowjag.errors import JagError
from arrowjag.io._formats import START, other_format
from arrowjag.io._thrift import INT, read_struct
from tests.hosts import pd, pl

X = aj.array([[1, 2], None, [], [3]])
READERS = [name for name in io.__all__ if name.startswith(("read_", "scan_"))]
WRITERS = [name for name in io.__all__ if name.startswith("write_")]
ODD: list[Any] = [
    True,
    1,
    2**70,
    float("nan"),
    "nope",
    b"v",
    [1],
    [None],
    {"v": 1},
    object(),
    len,
    pd.DataFrame({"a": [1]}),
    pl.col("v") > 1,
]
"""Objects that no argument takes."""


def written(name: str, folder: Path) -> Path:
    """A file that the reader reads."""
    path = folder / "ok"
    getattr(aj, {"scan_parquet": "write_parquet"}.get(name, name.replace("read_", "write_")))({"v": X, "k": [1, 2, 3, 4]}, path)
    return path


def read(name: str, path: Any, **options: Any) -> Any:
    found = getattr(aj, name)(path, **options)
    return found.collect() if name == "scan_parquet" else found


@pytest.mark.parametrize("name", READERS)
def test_readers_refuse_odd_arguments(name: str, tmp_path: Path) -> None:
    path = written(name, tmp_path)
    refused = 0
    for parameter in ("columns", "filters", "schema", "to", "filesystem"):
        if parameter not in getattr(aj, name).__annotations__:
            continue
        for value in ODD:
            try:
                read(name, path, **{parameter: value})
            except JagError:
                refused += 1
    assert refused > 15


@pytest.mark.parametrize(
    ("name", "options", "error", "text"),
    [
        ("read_parquet", {"columns": True}, TypeError, "columns must be a list of names, got True of type bool"),
        ("read_parquet", {"columns": [b"v"]}, TypeError, "columns must be a list of names, got b'v' in it"),
        ("read_parquet", {"filters": {"v": 1}}, TypeError, "filters must be an expression, or tuples"),
        ("read_parquet", {"filters": "k > 1"}, TypeError, r"filters must be an expression, or tuples .*, got 'k > 1' of type str"),
        ("read_parquet", {"storage_options": [1]}, TypeError, "storage_options must be a dict such as .*, got list"),
        ("read_parquet", {"schema": {"v": pa.int64()}}, TypeError, "schema must be a pa.Schema, got dict"),
        ("scan_parquet", {"schema": 1}, TypeError, "schema must be a pa.Schema, got int"),
        ("read_ndjson", {"schema": {"v": 1}}, TypeError, "dict of Arrow types; column 'v': expected an Arrow type, .*, got 1"),
        ("read_ipc", {"to": pd.DataFrame({"a": [1]})}, TypeError, "to must be a str, got DataFrame"),
    ],
)
def test_the_text_names_the_argument(name: str, options: dict[str, Any], error: type[Exception], text: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=text) as found:
        read(name, written(name, tmp_path), **options)
    assert isinstance(found.value, JagError)


def test_the_name_that_two_columns_have_is_told(tmp_path: Path) -> None:
    table = pa.table([[1], [2], [3]], ["a", "b", "b"])
    pq.write_table(table, tmp_path / "twice.parquet")
    with pytest.raises(aj.JagValueError, match=r"twice\.parquet has two columns of the name 'b'"):
        aj.read_parquet(tmp_path / "twice.parquet")
    with pytest.raises(aj.JagValueError, match="write_ipc: the frame has two columns of the name 'b'"):
        aj.write_ipc(table, tmp_path / "twice.arrow")


@pytest.mark.parametrize("name", READERS + WRITERS)
def test_a_path_with_nul_is_refused(name: str) -> None:
    with pytest.raises(aj.JagValueError, match="the path holds a NUL character"):
        getattr(aj, name)(*([{"v": X}] if name in WRITERS else []), "a\0b")


@pytest.mark.parametrize("name", READERS + WRITERS)
def test_a_path_that_is_not_utf_8_is_refused(name: str) -> None:
    with pytest.raises(aj.JagValueError, match="is not UTF-8, which pyarrow can't open: rename the file"):
        getattr(aj, name)(*([{"v": X}] if name in WRITERS else []), "a\udcff")


@pytest.mark.parametrize("url", ["s3://bucket/a", "file:///a", "delta://table"])
@pytest.mark.parametrize("name", READERS + WRITERS)
def test_a_url_in_a_path_object_is_refused(name: str, url: str) -> None:
    """It names a local folder, because a path object keeps one slash of two."""
    with pytest.raises(aj.JagValueError, match=r"the path .* is a URL with one slash: write // in a str"):
        getattr(aj, name)(*([{"v": X}] if name in WRITERS else []), Path(url))


@pytest.mark.parametrize("name", ["read_ipc", "read_ndjson"])
def test_a_folder_is_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises((JagError, IsADirectoryError)):
        getattr(aj, name)(tmp_path)


OPTIONS: list[dict[str, Any]] = [
    {"compression": "nonsense"},
    {"compression": True},
    {"compression_level": 7},
    {"data_page_version": 1},
    {"data_page_size": 2**70},
    {"dictionary_pagesize_limit": float("nan")},
    {"use_dictionary": 1},
    {"use_dictionary": b"v"},
    {"version": True},
    {"store_schema": pd.DataFrame({"a": [1]})},
    {"coerce_timestamps": True},
    {"no_such_option": 1},
    {"write_batch_size": 0},
]


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_options_that_pyarrow_does_not_accept(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(JagError, match=next(iter(options)) if "level" not in next(iter(options)) else "compression level"):
        aj.write_parquet({"v": X}, tmp_path / "a.parquet", **options)
    assert not list(tmp_path.iterdir())


ENCODINGS: list[dict[str, Any]] = [
    {"column_encoding": {"k": "DELTA_BYTE_ARRAY"}},
    {"column_encoding": {"v": "RLE"}},
    {"use_byte_stream_split": True, "use_dictionary": False},
    {"compression": "lzo"},
]


@pytest.mark.parametrize("options", ENCODINGS, ids=repr)
def test_encodings_that_do_not_fit_the_type(options: dict[str, Any], tmp_path: Path) -> None:
    frame = {"v": X, "k": [1, 2, 3, 4], "b": [True, False, True, None]}
    with pytest.raises(aj.JagValueError, match=r"a\.parquet: Parquet can't store a value, or the options don't fit: .*(only|not)"):
        aj.write_parquet(frame, tmp_path / "a.parquet", **options)
    assert not list(tmp_path.iterdir())


def test_a_limit_beyond_64_bits_is_none(tmp_path: Path) -> None:
    aj.write_parquet({"v": X}, tmp_path / "a.parquet", row_group_values=2**70, row_group_size=2**70)
    assert aj.array(aj.read_parquet(tmp_path / "a.parquet")["v"]).equals(X)


FRAMES: dict[str, tuple[Any, str]] = {
    "a name that is no text": ({1: X}, "Arrow can't convert this dict: expected bytes, int found"),
    "a name that is not UTF-8": ({"\udcff": X}, "Arrow can't convert this dict: .*surrogates not allowed"),
    "objects": (
        pd.DataFrame({"v": [object()]}),
        "Arrow can't convert this DataFrame: Could not convert.*; Conversion failed for column v",
    ),
    "complex numbers": (pd.DataFrame({"v": [1 + 2j]}), "Conversion failed for column v with type complex128"),
    "one name twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Duplicate column names found"),
    "keys that are no text": (pd.DataFrame({"v": [{1: 2}]}), "Expected dict key of type str or bytes"),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("name", FRAMES)
def test_frames_that_arrow_can_not_convert(name: str, writer: str, tmp_path: Path) -> None:
    frame, text = FRAMES[name]
    with pytest.raises(JagError, match=text):
        getattr(aj, writer)(frame, tmp_path / "a")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("writer", WRITERS)
def test_objects_in_frames_of_polars(writer: str, tmp_path: Path) -> None:
    """polars exports their addresses, as bytes."""
    frame = pl.DataFrame({"k": [1], "v": pl.Series([object()], dtype=pl.Object)})
    with pytest.raises(aj.JagTypeError, match="a DataFrame, column 'v', of Python objects has no Arrow type"):
        getattr(aj, writer)(frame, tmp_path / "a")
    assert not list(tmp_path.iterdir())


UUIDS = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16], pa.binary(16)))
CATEGORIES: dict[str, Any] = {
    "an extension type": pa.DictionaryArray.from_arrays([0], UUIDS),
    "in lists": pa.ListArray.from_arrays([0, 1], pa.DictionaryArray.from_arrays([0], UUIDS)),
    "jagged": pa.DictionaryArray.from_arrays([0], X.to_arrow()),
    "categories": pa.DictionaryArray.from_arrays([0], pa.array(["a"]).dictionary_encode()),
    "intervals of pandas": pa.Table.from_pandas(pd.DataFrame({"v": pd.cut([1.5], [0, 1, 2])}))["v"],
}


@pytest.mark.parametrize("writer", ["write_ipc", "write_parquet"])
@pytest.mark.parametrize("name", CATEGORIES)
def test_categories_whose_type_files_lose(name: str, writer: str, tmp_path: Path) -> None:
    """pyarrow writes files of them that nobody can read."""
    with pytest.raises(aj.JagTypeError, match=f"{writer}: .*a, column 'v': no file holds .*dictionary<.* decode it first"):
        getattr(aj, writer)({"k": [1], "v": CATEGORIES[name]}, tmp_path / "a")
    assert not list(tmp_path.iterdir())


def test_values_that_parquet_can_not_store(tmp_path: Path) -> None:
    nested = pa.DictionaryArray.from_arrays([0], pa.array([[1]]))
    with pytest.raises(aj.JagTypeError, match="column 'v': Parquet can't store dictionary<values=list"):
        aj.write_parquet({"k": [1], "v": nested}, tmp_path / "a.parquet")
    far = pa.array([-(2**63), 0, None], pa.timestamp("s"))  # stored as milliseconds
    for values in (far, pa.array([[{"at": far[0]}], None]), aj.array(pa.ListArray.from_arrays([0, 2, 3], far))):
        with pytest.raises(aj.JagValueError, match=r"a\.parquet: Parquet can't store a value"):
            aj.write_parquet({"v": values}, tmp_path / "a.parquet")
    most = (2**63 - 1) // 1000
    near = pa.array([[most], None, [-most]], pa.list_(pa.timestamp("s")))
    aj.write_parquet({"v": near}, tmp_path / "near.parquet")
    assert aj.array(aj.read_parquet(tmp_path / "near.parquet")["v"]).cast("int64").to_list() == [[most], None, [-most]]
    twice = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["v", "v", "w"])
    with pytest.raises(aj.JagValueError, match="the frame has two columns of the name"):
        aj.write_parquet(twice, tmp_path / "parts", partition_by="v")


def test_files_of_another_format_name_it_and_its_reader(tmp_path: Path) -> None:
    frame, rows = {"x": aj.array([[1, 2], [3]])}, pa.table({"x": [1]})
    aj.write_parquet(frame, tmp_path / "parquet")
    aj.write_ipc(frame, tmp_path / "ipc")
    aj.write_ndjson(frame, tmp_path / "json")
    with pa.OSFile(str(tmp_path / "stream"), "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    contents = {
        "text": "städte, größe\n".encode() * 9,
        "array": b'\xef\xbb\xbf [{"x": 1}]',
        "gzip": gzip.compress(b"x" * 99),
        "zstd": pa.compress(b"x" * 99, "zstd", asbytes=True),
        "zip": b"PK\x03\x04" + bytes(60),
        "orc": b"ORC" + bytes(60),
        "feather": b"FEA1" + bytes(60),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    told = {
        "parquet": "a Parquet file, .*arrowjag.read_parquet",
        "ipc": "an Arrow IPC file, .*arrowjag.read_ipc",
        "stream": "an Arrow IPC stream, .*arrowjag.read_ipc",
        "json": "JSON, .*arrowjag.read_ndjson",
        "text": "text, .*read_csv",
        "array": "a JSON array, .*json.load",
        "gzip": "compressed with gzip, .*decompress",
        "zstd": "compressed with zstd, .*decompress",
        "zip": "a zip file, .*extract",
        "orc": "an ORC file, .*read_table",
        "feather": "a Feather file of version 1, .*read_table",
    }
    own = {aj.read_parquet: ("parquet",), aj.read_ipc: ("ipc", "stream"), aj.read_ndjson: ("json", "gzip", "zstd")}
    for read, names in own.items():
        for name, text in told.items():
            if name not in names:
                with pytest.raises(aj.JagFileError, match=rf"{name} (is damaged or can't be read: it )?is {text}"):
                    read(tmp_path / name)  # type: ignore[operator]


def test_the_first_bytes_of_text_may_end_within_a_character() -> None:
    for n in range(4):
        for mark in (b"", b"\xef\xbb\xbf"):
            start = (mark + b"x" * n + "日,ß\n".encode() * START)[:START]
            assert str(other_format(start, "Parquet")).startswith("is text, not a Parquet file; read it with pyarrow.csv")
    for start in (b"", b" \n", b"word", "日".encode(), bytes(START), b"a,b\0c\n" * 9, b"a,b\n" + b"\xff" * 60):
        assert other_format(start, "IPC") is None


def test_unknown_fields_of_a_footer_are_skipped() -> None:
    """A later version of the format may add fields of any type, such as lists, sets and maps of booleans."""
    flags, sets, entries = bytes([0x19, 0x32, 1, 2, 1]), bytes([0x1A, 0x21, 1, 2]), bytes([0x1B, 1, 0x12, 2, 1])
    number = bytes([0x15, 14])  # 7
    assert read_struct(flags + sets + entries + number + b"\0", {4: INT}) == {4: 7}
