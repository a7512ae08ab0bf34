"""Every file format of `io.__all__`: round trips of every leaf type and frame, damaged files, and files after a failed write.

A format is the pair `read_FORMAT` and `write_FORMAT`; nothing here lists their names. Files of single formats test options.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag import io
from arrowjag.errors import JagFileError, JagTypeError, JagValueError
from arrowjag.testing import LEAF_KINDS, assert_equal, jagged_arrays, leaf_types
from tests.hosts import pd, pl

FORMATS = sorted(name.removeprefix("write_") for name in io.__all__ if name.startswith("write_"))
EVERYWHERE = ("bool", "int", "uint", "float", "string", "date")
"""The kinds of leaves that every format stores; it may raise for others."""

X = aj.array([[1, None], None, []])
ROWS_ALONE = pa.table({"k": [1] * 5}).select([])


def write(kind: str, frame: Any, path: Any) -> Any:
    getattr(aj, f"write_{kind}")(frame, path)
    return path


def read(kind: str, path: Any, schema: pa.Schema | None = None, **options: Any) -> Any:
    """Read a file; a format that doesn't store types takes them as `schema`."""
    if schema is not None and not stores_types(kind):
        options["schema"] = schema
    return getattr(aj, f"read_{kind}")(path, **options)


@cache
def stores_types(kind: str) -> bool:
    """Whether a column of 8-bit integers comes back as such."""
    x = aj.array([[1]], type=pa.int8())
    with tempfile.TemporaryDirectory() as folder:
        return aj.array(read(kind, write(kind, {"x": x}, Path(folder) / "a"))["x"]).type == x.type


def test_every_format_is_read_and_written() -> None:
    lone = {name for name in io.__all__ if name.startswith("read_")} ^ {f"read_{kind}" for kind in FORMATS}
    assert not lone, f"io/__init__.py: {sorted(lone)} have no pair of `read_FORMAT` and `write_FORMAT`"


@pytest.mark.parametrize("leaf_kind", LEAF_KINDS)
@pytest.mark.parametrize("kind", FORMATS)
@given(data=st.data())
def test_a_leaf_type_round_trips_or_raises(kind: str, leaf_kind: str, data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3), leaf_types(leaf_kind), allow_nan=False))
    schema = pa.schema([("x", x.to_arrow().type)])
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = write(kind, {"x": x}, Path(folder) / "a")
            back = read(kind, path, schema)["x"]
        except JagTypeError as error:
            told = str(error)
        else:
            assert back.type == schema.field("x").type or x.ndim == 1
            assert_equal(aj.from_arrow(back, x.ndim), x)
            return
    assert leaf_kind not in EVERYWHERE, f"write_{kind} must store {x.type}"
    assert str(x.type) in told or "'x'" in told


@pytest.mark.parametrize("host", ["arrow", "pandas", "polars"])
@pytest.mark.parametrize("kind", FORMATS)
def test_frames_of_every_host(kind: str, host: str, tmp_path: Path) -> None:
    columns = {"k": [1, 2, 3], "v": X}
    frame = {"arrow": lambda: pa.table(columns), "pandas": lambda: pd.DataFrame(columns), "polars": lambda: pl.DataFrame(columns)}
    path = write(kind, frame[host](), tmp_path / "a")
    expected = {"k": [1, 2, 3], "v": X.to_list()}
    assert {name: aj.array(read(kind, path, to=host)[name]).to_list() for name in columns} == expected
    assert read(kind, path).schema.field("v").type == aj.JaggedType.of(pa.int64(), 2)
    if host == "polars":
        write(kind, frame[host]().lazy(), path)
        assert read(kind, path).to_pydict() == expected


@pytest.mark.parametrize("kind", FORMATS)
def test_other_values_than_frames_raise(kind: str, tmp_path: Path) -> None:
    with pytest.raises(JagTypeError, match="list"):
        write(kind, [1, 2], tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="spark"):
        read(kind, write(kind, {"v": X}, tmp_path / "a"), to="spark")


@pytest.mark.parametrize("kind", FORMATS)
def test_files_without_rows(kind: str, tmp_path: Path) -> None:
    for _ in range(2):  # in place of a file with rows, and of one without
        path = write(kind, {"v": X}, tmp_path / "a")
        write(kind, {"v": X[:0]}, path)
        assert aj.array(read(kind, path, pa.schema([("v", X.to_arrow().type)]))["v"]).to_list() == []


@pytest.mark.parametrize("host", ["arrow", "pandas", "polars"])
@pytest.mark.parametrize("kind", FORMATS)
def test_rows_without_columns_are_kept_or_refused(kind: str, host: str, tmp_path: Path) -> None:
    frames = {"arrow": lambda: ROWS_ALONE, "pandas": lambda: pd.DataFrame(index=range(5)), "polars": lambda: pl.DataFrame(height=5)}
    frame = frames[host]()
    if kind == "parquet":
        with pytest.raises(JagValueError, match="the frame has 5 rows and no columns"):
            write(kind, frame, tmp_path / "a")
        assert list(tmp_path.iterdir()) == []
    else:
        assert read(kind, write(kind, frame, tmp_path / "a"), to=host).shape == (5, 0)


@pytest.mark.parametrize("kind", FORMATS)
def test_no_columns_of_a_file_have_rows(kind: str, tmp_path: Path) -> None:
    path = write(kind, {"k": [1, 2, 3]}, tmp_path / "a")
    options: dict[str, Any] = {"columns": []} if stores_types(kind) else {"schema": {}}
    hosts = ["arrow", *(["polars"] if pl else []), *(["pandas"] if pd else [])]
    assert [read(kind, path, to=host, **options).shape for host in hosts] == [(3, 0)] * len(hosts)
    if kind == "parquet":
        assert read(kind, path, columns=[], filters=[("k", ">", 1)]).num_rows == 2
        if pl:
            assert aj.scan_parquet(path, columns=[], filters=[("k", ">", 1)]).collect().height == 2


@pytest.mark.parametrize("kind", FORMATS)
def test_a_folder_in_place_of_a_file_raises_with_its_name(kind: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError, match="folder is a folder: give the name of a file in it"):
        write(kind, {"v": X}, tmp_path / "folder")
    with pytest.raises(FileNotFoundError if kind == "parquet" else IsADirectoryError, match="folder"):
        read(kind, tmp_path / "folder")


@pytest.mark.parametrize("kind", FORMATS)
def test_remote_files(kind: str) -> None:
    path = write(kind, {"v": X}, f"memory://formats/a.{kind}")
    assert aj.array(read(kind, path)["v"]).equals(X)


@pytest.mark.parametrize("kind", FORMATS)
def test_an_absent_file_raises(kind: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="/a: no such file or folder"):
        read(kind, tmp_path / "a")


# --------------------------------------------------------------------------------------------------------------- damage


def content(kind: str, folder: Path) -> bytes:
    frame = {"k": [1, 2, 3, 4], "v": aj.array([[1.5, None], None, [], [2.0]]), "t": ["a", "ä", None, ""]}
    return Path(write(kind, frame, folder / "whole")).read_bytes()


def read_all(kind: str, path: Path) -> list[Any]:
    """The rows of a file; each column must survive an operation."""
    table = read(kind, path)
    for name in table.column_names:
        table[name].validate(full=True)
        aj.array(table[name]).lengths(0)
    rows: list[Any] = table.to_pylist()
    return rows


@pytest.mark.parametrize("kind", FORMATS)
def test_a_truncated_file_raises_or_gives_its_first_rows(kind: str, tmp_path: Path) -> None:
    whole = content(kind, tmp_path)
    rows = read_all(kind, tmp_path / "whole")
    path = tmp_path / "broken"
    told = []
    for end in sorted({*range(0, len(whole), max(1, len(whole) // 60)), len(whole) - 1}):
        path.write_bytes(whole[:end])
        try:
            found = read_all(kind, path)
        except JagFileError as error:
            told.append(str(error))
        else:
            assert [{**dict.fromkeys(rows[0]), **row} for row in found] == rows[: len(found)]
    assert len(told) > 10
    assert all("broken" in one for one in told), "the message must name the file"


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_with_other_bytes_is_read_or_raises_an_error_of_arrowjag(kind: str, tmp_path: Path) -> None:
    whole = content(kind, tmp_path)
    rng = random.Random(kind)
    path = tmp_path / "broken"
    raised = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] = rng.choice([0, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        path.write_bytes(damaged)
        try:
            read_all(kind, path)
        except JagFileError:
            raised += 1
    assert raised > 0


@pytest.mark.parametrize("other", [b"\xff\xfe", b"PK\x03\x04" + bytes(100), b"no file of any format, but text\n" * 9])
@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_of_another_format_raises_with_its_name(kind: str, other: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.file"
    path.write_bytes(other)
    with pytest.raises(JagFileError, match=r"other\.file"):
        read(kind, path)


# -------------------------------------------------------------------------------------------------------------- failed writes


@contextmanager
def no_room_beyond(size: int) -> Iterator[None]:
    """Let the system refuse to write more bytes than that into one file, as a full disk does."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_full_disk_keeps_the_old_file(kind: str, tmp_path: Path) -> None:
    path = write(kind, {"v": X}, tmp_path / "a")
    before = path.read_bytes()
    large = {"v": np.random.default_rng(1).random(300_000)}
    for target in (path, tmp_path / "new"):
        told = re.escape(f"{target} can't be written: ")
        with no_room_beyond(1_000_000), pytest.raises(OSError, match=f"(?i){told}.*(too large|errno 27)"):
            write(kind, large, target)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
