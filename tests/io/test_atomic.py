"""After a crash, an exception or a full disk, either the old file or the complete new one exists."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.io import _atomic
from arrowjag.io._atomic import Together, atomic_path, atomic_target
from arrowjag.io._python_files import python_filesystem
from tests.io.test_formats import FORMATS, read

KILLS = 10
# Writes version after version of a file whose rows all carry the number of the version, and says so after each.
WRITER = """
import sys
import arrowjag as aj
path, kind = sys.argv[1:]
version = 0
while True:
    x = aj.zeros(20_000, 3) + version
    options = {"row_group_size": 1000} if kind == "parquet" else {}
    getattr(aj, f"write_{kind}")({"x": x}, path, **options)
    print(version, flush=True)
    version += 1
"""


@pytest.mark.parametrize("kind", FORMATS)
def test_killed_at_any_moment(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    pause = random.Random(kind)
    for _ in range(KILLS // 2):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), kind], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        assert writer.stdout.readline().strip() == "0"
        time.sleep(pause.random() * 0.05)
        assert writer.poll() is None
        writer.kill()
        last = int(("0\n" + writer.communicate()[0]).split()[-1])
        x = aj.from_arrow(read(kind, path)["x"])
        versions = set(x.values.to_pylist())
        assert x.size == 60_000
        assert len(versions) == 1
        assert versions <= {last, last + 1}, "a file of a version that was never finished, or an old one"
    if kind == "parquet":
        assert aj.read_parquet(tmp_path).num_rows == 20_000, "what a killed writer leaves is no data"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError("disk full"), "disk full"),
        (KeyboardInterrupt("stop"), "stop"),
        (MemoryError(), "write_parquet: the result needs more memory than is available"),
        (MemoryError("2 GB"), "write_parquet: the result needs more memory than is available: 2 GB"),
    ],
    ids=["disk", "interrupt", "memory", "memory that is told"],
)
def test_an_exception_while_writing_keeps_the_old_file(
    error: BaseException, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    aj.write_parquet({"k": [1]}, path)
    before = path.read_bytes()
    written: list[int] = []
    write = pq.ParquetWriter.write_table

    def fail_late(writer: Any, part: pa.Table, **rest: Any) -> None:
        if len(written) == 3:
            raise error
        written.append(part.num_rows)
        write(writer, part, **rest)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail_late)
    for target in (path, tmp_path / "new.parquet"):
        written.clear()
        with pytest.raises(type(error), match=f"^{told}$"):
            aj.write_parquet({"x": [["a"]] * 10}, target, row_group_size=2)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize("store", ["fsspec", "arrow"])
def test_an_exception_puts_nothing_into_a_store(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    mock = pf._MockFileSystem()
    mock.create_dir("bucket")
    filesystem = memory if store == "fsspec" else pf.SubTreeFileSystem("bucket", mock)

    def fail(*_: Any, **__: Any) -> None:
        raise OSError("no more")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(OSError, match="no more"):
        aj.write_parquet({"k": [1]}, "a.parquet", filesystem=filesystem)
    assert memory.store == {}
    assert mock.get_file_info(pf.FileSelector("bucket", recursive=True)) == []


def test_a_store_sees_one_put(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    calls: list[tuple[str, str]] = []
    for name in ("pipe_file", "open", "mv", "rm", "cp_file", "put_file"):
        method = getattr(type(memory), name)

        def counted(self: Any, path: str, *rest: Any, _name: str = name, _method: Any = method, **options: Any) -> Any:
            calls.append((_name, path))
            return _method(self, path, *rest, **options)

        monkeypatch.setattr(type(memory), name, counted)
    aj.write_parquet({"x": aj.array([[1], []])}, "memory://a.parquet", row_group_size=1)
    assert [call for call in calls if call[0] != "open"] == [("pipe_file", "/a.parquet")]
    assert list(memory.store) == ["/a.parquet"]


def test_a_link_is_followed_and_kept(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link.parquet").symlink_to(tmp_path / "data" / "a.parquet")
    aj.write_parquet({"k": [1]}, tmp_path / "link.parquet")
    assert (tmp_path / "link.parquet").is_symlink()
    assert aj.read_parquet(tmp_path / "data" / "a.parquet").num_rows == 1


def test_the_file_has_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    aj.write_parquet({"k": [1]}, tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_reader_keeps_the_old_file(tmp_path: Path) -> None:
    aj.write_parquet({"k": [1]}, tmp_path / "a.parquet")
    with (tmp_path / "a.parquet").open("rb") as old:
        aj.write_parquet({"k": [2]}, tmp_path / "a.parquet")
        assert aj.read_parquet(old).to_pydict() == {"k": [1]}
    assert aj.read_parquet(tmp_path / "a.parquet").to_pydict() == {"k": [2]}


def test_content_is_on_the_disk_before_it_has_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    flush, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (events.append("flush"), flush(handle))[1])
    monkeypatch.setattr(Path, "replace", lambda self, to: (events.append("replace"), replace(self, to))[1])
    aj.write_parquet({"k": [1]}, tmp_path / "a.parquet")
    assert events == ["flush", "replace", "flush"]


def test_files_get_their_names_together_once_all_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o640)
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    places = [(pf.LocalFileSystem(), str(tmp_path / name)) for name in ("a", "b", "sub/c")]
    places.append((python_filesystem(memory), "/d"))
    events: list[str] = []
    flush, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (events.append("flush"), flush(handle))[1])
    monkeypatch.setattr(Path, "replace", lambda self, to: (events.append("replace"), replace(self, to))[1])

    def write(together: Together) -> None:
        for filesystem, path in places:
            with atomic_target(filesystem, path, together=together) as part:
                part.write_text("new")
        with pytest.raises(FileNotFoundError, match=r"\.part"), atomic_path(tmp_path / "none", together=together):
            pass

    def there() -> dict[str, str]:
        local = {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
        return local | {name: content.getvalue().decode() for name, content in memory.store.items()}

    with Together() as together:
        write(together)
        assert (len(together), events, memory.store) == (4, [], {})
    assert there() == {"a": "old"}, "files that are not published are deleted"

    with Together() as together, monkeypatch.context() as full:
        write(together)
        full.setattr(_atomic, "_flush", lambda path: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            together.publish()
    assert (there(), events) == ({"a": "old"}, [])

    with Together() as together:
        write(together)
        together.publish()
        assert len(together) == 0
    assert there() == dict.fromkeys(["a", "b", "c", "/d"], "new")
    assert events == ["flush"] * 3 + ["replace"] * 3 + ["flush"] * 2
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("letter", ["x", "ü", "日"])
def test_long_names(letter: str, tmp_path: Path) -> None:
    name = letter * (240 // len(letter.encode())) + ".parquet"
    aj.write_parquet({"k": [1]}, tmp_path / name)
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_a_block_that_writes_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"\.part"), atomic_path(tmp_path / "a"):
        pass
    with pytest.raises(FileNotFoundError, match=r"\.part"), atomic_target(pf._MockFileSystem(), "a"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="rights are others there")
@pytest.mark.parametrize("rights", [0o600, 0o640, 0o755, 0o440])
def test_a_new_file_has_the_rights_of_the_old_one_from_its_first_byte(rights: int, tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text("old")
    target.chmod(rights)
    with atomic_path(target) as part:
        part.write_text("new")
        assert part.stat().st_mode & 0o777 == rights | 0o600  # whoever writes it can
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", rights)
    with pytest.raises(FileNotFoundError, match=r"\.part"), atomic_path(target):
        pass  # nothing is written
    assert target.read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_pipes_are_not_replaced(tmp_path: Path) -> None:
    """A user with write access to a folder of devices would remove them: /dev/null is one."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(aj.JagValueError, match=f"{name} is a device, a pipe or a socket: give the name of a file or folder"):
            aj.write_parquet({"k": [1]}, tmp_path / name)
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing: no such folder; create it before k\.parquet is written"):
        aj.write_parquet({"k": [1]}, tmp_path / "missing" / "k.parquet")
