"""Paths, links, globs, folders and partitions, on every kind of file system; filters that prune."""

from __future__ import annotations

import datetime as dt
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as pf
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.cli._folders import open_path
from arrowjag.io._locate import locate

X = aj.array([[1, None], None, []])


class Store:
    """A place to write to, as users name it; `make_folder` where a place has folders that must be there."""

    def __init__(self, root: str, filesystem: Any = None, make_folder: Callable[[str], Any] | None = None) -> None:
        self.root, self.filesystem, self.make_folder = root, filesystem, make_folder

    def write(self, name: str, frame: Any) -> None:
        if self.make_folder is not None:
            self.make_folder(name.rpartition("/")[0])
        aj.write_parquet(frame, f"{self.root}/{name}", filesystem=self.filesystem)

    def read(self, name: str, **options: Any) -> pa.Table:
        return aj.read_parquet(f"{self.root}/{name}".rstrip("/"), filesystem=self.filesystem, **options)


PLACES = ["local", "file link", "memory link", "fsspec", "fsspec local", "arrow", "sub tree", "sub tree of a store"]


@pytest.fixture(params=PLACES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    local = pf.LocalFileSystem()
    mock = pf._MockFileSystem()

    def make_folder(name: str) -> None:
        (tmp_path / name).mkdir(parents=True, exist_ok=True)

    kinds = {
        "local": Store(str(tmp_path), None, make_folder),
        "file link": Store(f"file://{tmp_path}", None, make_folder),
        "memory link": Store("memory://bucket"),
        "fsspec": Store("/bucket", memory),
        "fsspec local": Store(str(tmp_path), fsspec.filesystem("file"), make_folder),
        "arrow": Store(str(tmp_path), local, make_folder),
        "sub tree": Store("data", pf.SubTreeFileSystem(str(tmp_path), local), lambda name: make_folder(f"data/{name}")),
        "sub tree of a store": Store(
            "data", pf.SubTreeFileSystem("bucket", mock), lambda name: mock.create_dir(f"bucket/data/{name}", recursive=True)
        ),
    }
    return kinds[request.param]


def test_files_and_partitioned_folders(store: Store) -> None:
    for year in (1, 2):
        store.write(f"y={year}/a.parquet", {"x": X, "k": [10 * year, 10 * year + 1, 10 * year + 2]})
    one = store.read("y=2/a.parquet")
    assert one.column_names == ["x", "k"]
    assert one["k"].to_pylist() == [20, 21, 22]
    folder = store.read("")
    assert folder.column_names == ["x", "k", "y"]
    assert folder.schema.field("x").type == aj.JaggedType.of(pa.int64(), 2)
    assert folder["y"].to_pylist() == [1, 1, 1, 2, 2, 2]
    assert store.read("y=*/*.parquet").equals(folder)
    assert store.read("**/a.parquet").equals(folder)
    assert store.read("y=[2-9]").equals(folder.slice(3))
    some = store.read("", columns=["x"], filters=[("y", "=", 2), ("k", "<", 22)])
    assert some.to_pydict() == {"x": [[1, None], None]}


def test_a_write_replaces_the_whole_file(store: Store) -> None:
    store.write("y=1/a.parquet", {"k": list(range(10_000))})
    store.write("y=1/a.parquet", {"k": [1]})
    assert store.read("").to_pydict() == {"k": [1], "y": [1]}


def test_lists_keep_their_order(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("b.parquet", "a.parquet")]
    for place, path in enumerate(paths):
        aj.write_parquet({"k": [place]}, path)
    assert aj.read_parquet(paths)["k"].to_pylist() == [0, 1]
    assert aj.read_parquet([str(tmp_path / "?.parquet"), paths[0]])["k"].to_pylist() == [1, 0, 0]


def test_values_of_folders(tmp_path: Path) -> None:
    for name in ("g=a%2Fb/h=1", "g=ü/h=__HIVE_DEFAULT_PARTITION__", "g=x/h=2"):
        (tmp_path / name).mkdir(parents=True)
        aj.write_parquet({"k": [1]}, tmp_path / name / "a.parquet")
    table = aj.read_parquet(tmp_path)
    assert set(zip(table["g"].to_pylist(), table["h"].to_pylist(), strict=True)) == {("a/b", 1), ("x", 2), ("ü", None)}
    assert aj.read_parquet(tmp_path, partitioning=None).column_names == ["k"]
    days = ds.partitioning(pa.schema([("h", pa.string())]), flavor="hive")
    assert aj.read_parquet(tmp_path, partitioning=days).schema.field("h").type == pa.string()


@pytest.mark.parametrize(
    "stored", [pa.array(["x"], pa.large_string()), pa.array([7]), pa.array([["x"]])], ids=["text", "number", "list"]
)
def test_folders_win_over_columns_of_any_type_in_files(stored: pa.Array, tmp_path: Path) -> None:
    (tmp_path / "key=de").mkdir()
    pq.write_table(pa.table({"key": stored, "x": [1]}), tmp_path / "key=de/a.parquet")
    for filters in (None, [("key", "=", "de"), ("x", ">", 0)]):
        table = aj.read_parquet(tmp_path, filters=filters)
        assert table.to_pydict() == {"key": ["de"], "x": [1]}


def test_hidden_files_are_no_data(tmp_path: Path) -> None:
    aj.write_parquet({"k": [1]}, tmp_path / "a.parquet")
    (tmp_path / ".a.parquet.part").write_bytes(b"half")
    (tmp_path / "_SUCCESS").write_bytes(b"")
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "b.parquet").write_bytes(b"half")
    assert aj.read_parquet(tmp_path).num_rows == 1
    assert aj.read_parquet(tmp_path / "*").num_rows == 1


def test_a_name_with_signs_of_patterns_is_a_name_first(tmp_path: Path) -> None:
    aj.write_parquet({"k": [1]}, tmp_path / "a[1].parquet")
    aj.write_parquet({"k": [2]}, tmp_path / "a1.parquet")
    assert aj.read_parquet(tmp_path / "a[1].parquet")["k"].to_pylist() == [1]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.parquet", ["a.parquet", "b.parquet"]),
        ("[!a].parquet", ["b.parquet"]),
        ("?/*.parquet", ["c/d.parquet"]),
        ("**/d.*", ["c/d.parquet", "c/e/d.parquet"]),
        ("c/**", ["c/d.parquet", "c/e/d.parquet"]),
        ("c/*", ["c/d.parquet", "c/e/d.parquet"]),
        ("**/e", ["c/e/d.parquet"]),
    ],
)
def test_patterns(pattern: str, expected: list[str], tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet", "c/d.parquet", "c/e/d.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    assert [str(Path(path).relative_to(tmp_path)) for path in locate(str(tmp_path / pattern)).paths] == expected


def test_missing_files_and_empty_folders_raise(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"none\.parquet: no such file or folder"):
        aj.read_parquet(tmp_path / "none.parquet")
    with pytest.raises(FileNotFoundError, match="empty holds no files"):
        aj.read_parquet(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="holds no files"):
        aj.read_parquet(tmp_path / "*.parquet")
    with pytest.raises(aj.JagValueError, match="the list of files is empty"):
        aj.read_parquet([])
    with pytest.raises(aj.JagValueError, match="neither pyarrow nor fsspec knows"):
        aj.read_parquet("nowhere://a/b.parquet")
    with pytest.raises(aj.JagTypeError, match="a path must be a str"):
        aj.read_parquet(42)
    with pytest.raises(aj.JagTypeError, match="filesystem must be one of"):
        aj.read_parquet("a.parquet", filesystem="s3")
    with pytest.raises(FileNotFoundError, match=r"/no: no such folder; create it before folder\.parquet is written"):
        aj.write_parquet({"k": [1]}, tmp_path / "no" / "folder.parquet")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        aj.write_parquet({"k": [1]}, tmp_path)


def test_open_files_and_bytes(tmp_path: Path) -> None:
    aj.write_parquet({"x": X}, tmp_path / "a.parquet", row_group_size=1)
    content = (tmp_path / "a.parquet").read_bytes()
    with (tmp_path / "a.parquet").open("rb") as handle, pa.OSFile(str(tmp_path / "a.parquet")) as native:
        for source in (content, pa.py_buffer(content), io.BytesIO(content), pa.BufferReader(content), handle, native):
            assert aj.read_parquet(source)["x"].to_pylist() == X.to_list()
        assert not handle.closed


def test_datasets_of_pyarrow(tmp_path: Path) -> None:
    aj.write_parquet({"x": X, "k": [1, 2, 3]}, tmp_path / "a.parquet")
    assert aj.read_parquet(ds.dataset(tmp_path), columns=["x"], filters=pc.field("k") > 1)["x"].to_pylist() == [None, []]
    wider = pa.schema([("k", pa.float64()), ("new", pa.string())])
    assert aj.read_parquet(ds.dataset(tmp_path), schema=wider).to_pydict() == {"k": [1.0, 2.0, 3.0], "new": [None] * 3}
    memory = ds.dataset(pa.table({"s": aj.zip(a=X, b=X).to_arrow(), "k": [1, 2, 3]}))
    table = aj.read_parquet(memory, columns=["s.b"], filters=[("k", "in", {1, 2})])
    assert table.to_pylist() == [{"s": [{"b": 1}, {"b": None}]}, {"s": None}]
    aj.write_ipc({"x": X}, tmp_path / "a.arrow")
    other = ds.dataset(tmp_path / "a.arrow", format="ipc")
    assert aj.read_parquet(other)["x"].to_pylist() == X.to_list()
    assert aj.read_parquet(other, schema=pa.schema([("x", aj.JaggedType.of(pa.float64(), 2))]))["x"].type.leaf_type == pa.float64()


# ---------------------------------------------------------------------------------------------------------- filters


class Counted(io.BytesIO):
    """A file that counts the bytes asked for."""

    count = 0

    def read(self, size: int | None = -1) -> bytes:
        content = super().read(size)
        self.count += len(content)
        return content


@pytest.fixture(scope="module")
def sorted_content() -> bytes:
    """Ten row groups of growing keys, with long rows."""
    sink = io.BytesIO()
    x = aj.JaggedArray(aj.JaggedShape(1000, [100] * 1000), pa.array(range(100_000)))
    day = [dt.date(2020, 1, 1) + dt.timedelta(days=k // 100) for k in range(1000)]
    table = pa.table({"x": x.to_arrow(), "k": pa.array(range(1000)), "day": day, "s": [{"k": k} for k in range(1000)]})
    pq.write_table(table, sink, row_group_size=100, compression="none", use_dictionary=False)
    return sink.getvalue()


@pytest.mark.parametrize(
    "filters",
    [
        [("k", ">=", 510), ("k", "<", 520)],
        [[("k", "=", 515)], [("k", "in", [510, 511])]],
        pc.field("k") == 515,
        (pc.field("day") == dt.date(2020, 1, 6)) & (pc.field("k") < 600.5),
        pc.field("s", "k") == 515,
    ],
    ids=str,
)
def test_filters_prune_row_groups(filters: Any, sorted_content: bytes) -> None:
    file = Counted(sorted_content)
    table = aj.read_parquet(file, columns=["x"], filters=filters)
    expected = pq.read_table(pa.BufferReader(sorted_content), filters=filters, columns=["x"])
    assert table["x"].to_pylist() == expected["x"].to_pylist()
    assert table.num_rows > 0
    assert file.count < len(sorted_content) * 0.25


def test_a_filter_needs_no_column_of_the_result(sorted_content: bytes) -> None:
    table = aj.read_parquet(sorted_content, columns=["k"], filters=pc.field("x").is_null() | (pc.field("s", "k") > 997))
    assert table.to_pydict() == {"k": [998, 999]}
    assert aj.read_parquet(sorted_content, columns=["s.k"], filters=pc.field("s", "k") > 998)["s"].to_pylist() == [{"k": 999}]
    assert aj.read_parquet(sorted_content, filters=pc.scalar(True)).num_rows == 1000
    assert aj.read_parquet(sorted_content, columns=["k"], filters=pc.scalar(False)).schema == pa.schema([("k", pa.int64())])


def test_a_filter_that_no_row_passes_keeps_the_schema(sorted_content: bytes) -> None:
    table = aj.read_parquet(sorted_content, columns=["x", "day"], filters=[("k", "<", 0)])
    assert table.num_rows == 0
    assert table.schema.field("x").type == aj.JaggedType.of(pa.int64(), 2)


def test_scattered_rows_of_any_type_are_kept() -> None:
    types = [pa.string_view(), pa.list_(pa.list_(pa.int8(), 2), 2), pa.dictionary(pa.int8(), pa.int64()), pa.bool_()]
    table = pa.table({str(type): aj.from_arrow(pa.array([[None]] * 6, pa.large_list(type)), 2).to_arrow() for type in types})
    table = table.append_column("k", [[0, 1, 2, 3, 4, None]])
    sink = io.BytesIO()
    pq.write_table(table, sink)
    kept = aj.read_parquet(sink, filters=pc.bit_wise_and(pc.field("k"), 1) == 0)
    assert kept.schema.types == table.schema.types
    assert kept["k"].to_pylist() == [0, 2, 4]


@pytest.mark.parametrize("filters", [[("nope", "=", 1)], pc.field("nope") == 1, pc.field("s", "nope") == 1])
def test_unknown_names_in_filters_raise_with_the_names_there_are(filters: Any, sorted_content: bytes) -> None:
    with pytest.raises(aj.JagValueError, match=r"unknown column .*nope.*; there are x, k, day, s, s\.k"):
        aj.read_parquet(sorted_content, filters=filters)


def test_filters_that_make_no_sense(sorted_content: bytes) -> None:
    with pytest.raises(aj.JagTypeError, match=r"filters compare incompatible types: .*, in \(x > 1\)\. Give values of the type of"):
        aj.read_parquet(sorted_content, filters=pc.field("x") > 1)
    for sign in ("~", "is", "IN", 3, ["=="], None):
        with pytest.raises(
            aj.JagValueError, match=r"filters can't be read: .* is not an operator; there are ==, =, !=, <, .*, not in"
        ):
            aj.read_parquet(sorted_content, filters=[("k", sign, 1)])


def test_files_found_twice_by_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    aj.write_parquet({"a": [1, 2]}, tmp_path / "in/a.parquet")
    (tmp_path / "in/again").symlink_to(".")
    for path in ("in", "in/**/*.parquet"):
        with pytest.raises(
            aj.JagValueError, match=r"in/a\.parquet and .* are the same file through a link: its rows would be counted twice"
        ):
            aj.read_parquet(tmp_path / path)
    (tmp_path / "in/again").unlink()
    (tmp_path / "link").symlink_to("in")
    assert aj.read_parquet(tmp_path / "link").num_rows == 2
    assert aj.read_parquet([tmp_path / "in/a.parquet"] * 2).num_rows == 4  # named twice


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_pipes_and_devices_are_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    pipe, told = tmp_path / "a.parquet", r"a\.parquet is a device, a pipe or a socket: give the name of a file or folder"
    os.mkfifo(pipe)
    aj.write_parquet({"v": X}, tmp_path / "b.parquet")
    writer = os.open(pipe, os.O_RDWR)  # otherwise a reader would wait here, instead of failing
    calls: list[Callable[[], Any]] = [
        *(lambda read=read: read(pipe) for read in (aj.read_parquet, aj.read_ipc, aj.read_ndjson, aj.scan_parquet)),
        lambda: aj.read_parquet(f"file://{pipe}"),
        lambda: aj.read_parquet(str(pipe), filesystem=fsspec.filesystem("file")),
        lambda: open_path(str(pipe)),
        lambda: aj.etl.run(len, pipe, tmp_path / "out", progress=False),
        lambda: aj.etl.run(len, tmp_path / "b.parquet", pipe, progress=False),
    ]
    try:
        for call in calls:
            with pytest.raises(aj.JagValueError, match=told):
                call()
    finally:
        os.close(writer)
