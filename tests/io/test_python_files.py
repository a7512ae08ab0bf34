"""Python files that pyarrow reads and writes: the process ends after the threads of pyarrow have dropped them."""

from __future__ import annotations

import io
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.io import _python_files
from arrowjag.io._locate import locate_file
from arrowjag.io._python_files import open_python_file, python_filesystem
from arrowjag.io._stores import filesystem_of

CHILD = """
import sys
from arrowjag.io import _python_files
wait = _python_files._wait_for_threads
def waits():
    wait()  # without it the interpreter may abort
    print("waited")
_python_files._wait_for_threads = waits
import arrowjag as aj
with open(sys.argv[1], "rb") as file:
    print(aj.read_parquet(file).num_rows)
"""


@pytest.fixture
def sleeps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], object]]]:
    """Calls that run while `_wait_for_threads` sleeps; it stops after two."""
    events: list[Callable[[], object]] = []
    clock = types.SimpleNamespace(
        sleep=lambda seconds: events.pop(0)() if seconds == 0.001 else None, monotonic=iter(range(100)).__next__
    )
    monkeypatch.setattr(_python_files, "_held", type(_python_files._held)())
    monkeypatch.setattr(_python_files, "_SECONDS", 3)
    monkeypatch.setattr(_python_files, "time", clock)
    yield events
    assert not events


@pytest.fixture
def path(tmp_path: Path) -> Path:
    aj.write_parquet({"x": aj.array([[1, 2], []])}, tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def held_by_pyarrow(path: Path) -> list[Any]:
    """A file of fsspec that code of pyarrow holds, as in one of its threads: no `PythonFile` refers to it."""
    fsspec = pytest.importorskip("fsspec")
    filesystem, found = locate_file(path, fsspec.filesystem("file"))
    kept = [filesystem.open_input_file(found)]
    assert len(_python_files._held) == 1
    return kept


def test_the_end_waits_until_the_file_is_dropped(sleeps: list[Callable[[], object]], path: Path) -> None:
    kept = held_by_pyarrow(path)
    sleeps += [lambda: None, kept.clear]
    _python_files._wait_for_threads()
    assert not _python_files._held


def test_the_end_waits_for_a_limited_time(sleeps: list[Callable[[], object]], path: Path) -> None:
    kept = held_by_pyarrow(path)
    sleeps += [lambda: None] * 2
    _python_files._wait_for_threads()
    assert len(_python_files._held) == len(kept)


@pytest.mark.usefixtures("sleeps")
def test_the_end_does_not_wait_for_a_file_that_is_not_read_to_its_end(path: Path) -> None:
    with path.open("rb") as file:
        opened = open_python_file(file)
        _python_files._wait_for_threads()
        assert opened.read(4) == b"PAR1"


def test_links_are_opened_the_same_way(path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").pipe("/held.parquet", path.read_bytes())
    filesystem, found = locate_file("memory://held.parquet")
    before = len(_python_files._held)
    file = filesystem.open_input_file(found)
    assert len(_python_files._held) == before + 1
    assert file.size() == path.stat().st_size
    with pytest.raises(FileNotFoundError, match="absent"):
        filesystem.open_input_file("/absent.parquet")


def test_the_interpreter_waits_at_its_end(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["2", "waited"]


def test_files_get_unsigned_bytes() -> None:
    """Files of obstore refuse other ones."""
    fsspec = pytest.importorskip("fsspec")
    formats: list[str] = []

    class Strict(io.BytesIO):
        def write(self, data: Any) -> int:
            formats.append(memoryview(data).format)
            return super().write(data)

    class Store(fsspec.AbstractFileSystem):  # type: ignore[misc,name-defined]
        def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
            return Strict()

    with python_filesystem(Store()).open_output_stream("a") as stream:
        stream.write(b"abc")
        stream.write(pa.py_buffer(b"defg"))
    assert formats == ["B", "B"]


def test_stores_of_obstore_are_written() -> None:
    stores = pytest.importorskip("obstore.fsspec")
    filesystem = stores.FsspecStore("memory")
    aj.write_parquet({"v": aj.array([[1], None])}, "bucket/a.parquet", filesystem=filesystem)
    aj.write_ipc({"v": aj.array([[1], None])}, "bucket/a.arrow", filesystem=filesystem)
    assert aj.array(aj.read_parquet("bucket/a.parquet", filesystem=filesystem)["v"]).to_list() == [[1], None]
    assert aj.array(aj.read_ipc("bucket/a.arrow", filesystem=filesystem)["v"]).to_list() == [[1], None]
    with python_filesystem(filesystem).open_output_stream("bucket/lease") as stream:
        stream.write(b"content")
    assert filesystem.cat_file("bucket/lease") == b"content"


def test_a_store_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    class FileSystem:
        @staticmethod
        def from_uri(link: str) -> Any:
            raise OSError("When resolving region for bucket 'b': AWS Error NETWORK_CONNECTION")

    monkeypatch.setattr("arrowjag.io._stores.pf.FileSystem", FileSystem)
    with pytest.raises(aj.JagFileError, match="s3://b/a: the store can't be reached: When resolving region"):
        filesystem_of("s3://b/a", {})


def test_a_client_that_connects_at_once_names_its_link(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")

    def refuses(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(fsspec.core, "url_to_fs", refuses)
    with pytest.raises(aj.JagFileError, match=r"ftp://host/a.parquet: the store can't be reached: .*refused"):
        aj.read_parquet("ftp://host/a.parquet")


def test_a_file_that_is_open_for_text(path: Path) -> None:
    with path.open(encoding="latin-1") as file, pytest.raises(aj.JagTypeError, match="open it in binary mode"):
        aj.read_parquet(file)
