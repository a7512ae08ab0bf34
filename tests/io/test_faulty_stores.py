"""Stores that refuse, time out, lose the connection or return too little: errors of arrowjag that name the file."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.fs as pf
import pytest
from fsspec import AbstractFileSystem
from fsspec.implementations.memory import MemoryFileSystem

import arrowjag as aj

X = aj.array([[1, None], None, [], [7] * 100])
READERS: dict[str, Callable[..., Any]] = {"parquet": aj.read_parquet, "arrow": aj.read_ipc, "ndjson": aj.read_ndjson}
WRITERS: dict[str, Callable[..., Any]] = {"parquet": aj.write_parquet, "arrow": aj.write_ipc, "ndjson": aj.write_ndjson}


class ClientError(Exception):
    """As those of botocore and aiohttp, which derive from Exception alone."""


FAULTS = {
    "key": ClientError("InvalidAccessKeyId"),
    "closed": RuntimeError("the client is closed"),
    "refused": PermissionError("Forbidden"),
    "timeout": TimeoutError("timed out"),
    "reset": ConnectionResetError(104, "Connection reset by peer"),
    "busy": OSError("503 slow down"),
}


class Faulty(MemoryFileSystem):
    """Raises at one kind of request; `half` cuts what it returns."""

    protocol = "faulty"
    store: ClassVar[dict[str, Any]] = {}
    at = ""
    fault: Exception | None = None

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        self._meet("open")
        return (
            _File(super()._open(path, mode, **options).getvalue(), self) if mode == "rb" else super()._open(path, mode, **options)
        )

    def info(self, path: str, **options: Any) -> Any:
        self._meet("info")
        return super().info(path, **options)

    def pipe_file(self, path: str, value: bytes, **options: Any) -> None:
        self._meet("write")
        super().pipe_file(path, value, **options)

    def _meet(self, at: str) -> None:
        if self.at == at and self.fault is not None:
            raise self.fault


class _File(io.BytesIO):
    def __init__(self, content: bytes, owner: Faulty) -> None:
        super().__init__(content)
        self.owner = owner

    def read(self, size: int | None = -1) -> bytes:
        self.owner._meet("read")
        found = super().read(size)
        return found[: len(found) // 2] if self.owner.at == "half" else found


@pytest.fixture
def store() -> Faulty:
    store = Faulty(skip_instance_cache=True)
    store.store.clear()
    for suffix, write in WRITERS.items():
        write({"x": X}, f"/b/one.{suffix}", filesystem=store)
    return store


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("at", ["open", "read"])
@pytest.mark.parametrize("fault", FAULTS)
def test_errors_of_a_store_name_the_file(store: Faulty, suffix: str, at: str, fault: str) -> None:
    store.at, store.fault = at, FAULTS[fault]
    with pytest.raises(aj.JagFileError, match=rf"/b/one\.{suffix} .*can't be read: ") as caught:
        READERS[suffix](f"/b/one.{suffix}", filesystem=store)
    assert str(FAULTS[fault]) in str(caught.value)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path", ["/b/one.parquet", "/b", "/b/*.parquet"])
def test_a_store_that_refuses_listing_is_named_in_the_error(store: Faulty, path: str, fault: str) -> None:
    store.at, store.fault = "info", FAULTS[fault]
    with pytest.raises(aj.JagFileError, match=r"^/b.* can't be read: "):
        aj.read_parquet(path, filesystem=store)


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_store_that_refuses_writes_is_named_in_the_error(store: Faulty, suffix: str, fault: str) -> None:
    store.at, store.fault = "write", FAULTS[fault]
    with pytest.raises(aj.JagFileError, match=rf"^/b/new\.{suffix} can't be written: "):
        WRITERS[suffix]({"x": X}, f"/b/new.{suffix}", filesystem=store)


@pytest.mark.parametrize("suffix", READERS)
def test_missing_files_of_a_store_are_no_damage(store: Faulty, suffix: str) -> None:
    with pytest.raises(FileNotFoundError, match=rf"/b/none\.{suffix}"):
        READERS[suffix](f"/b/none.{suffix}", filesystem=store)
    store.at, store.fault = "open", FileNotFoundError(f"/b/one.{suffix}")  # deleted since it was listed
    with pytest.raises(FileNotFoundError, match=rf"/b/one\.{suffix}: no such file or folder"):
        READERS[suffix](f"/b/one.{suffix}", filesystem=store)


def test_the_operating_systems_own_errors_pass(store: Faulty) -> None:
    store.at, store.fault = "open", PermissionError(13, "Permission denied", "/b/one.parquet")
    with pytest.raises(PermissionError, match=r"\[Errno 13\].*/b/one\.parquet"):
        aj.read_parquet("/b/one.parquet", filesystem=store)
    store.fault = PermissionError(13, "Access Denied")  # of s3fs, which tells no path
    for suffix, read in READERS.items():
        with pytest.raises(PermissionError, match=rf"^[^/]*/b/one\.{suffix}: Access Denied$") as caught:
            read(f"/b/one.{suffix}", filesystem=store)
        assert caught.value.errno == 13
    with pytest.raises(PermissionError, match=r"^[^/]*/b/one\.parquet: Access Denied$"):
        aj.etl.run(len, "/b/one.parquet", "/out", filesystem=store, progress=False)


@pytest.mark.parametrize("suffix", READERS)
def test_less_than_the_whole_file_is_not_taken_for_it(store: Faulty, suffix: str) -> None:
    store.at = "half"
    told = "" if suffix == "arrow" else r".*the store returned [\d,]+ of [\d,]+ bytes"
    with pytest.raises(aj.JagFileError, match=rf"/b/one\.{suffix}{told}"):
        READERS[suffix](f"/b/one.{suffix}", filesystem=store)


def test_lines_and_streams_that_end_early_are_not_complete(store: Faulty) -> None:
    """Half of two equal lines is a line, and half of two equal batches a stream."""
    store.pipe_file("/b/lines.ndjson", b'{"x":[1,2]}\n' * 2)
    sink = io.BytesIO()
    batch = pa.record_batch({"x": X.to_arrow(extension=False)})
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        for _ in range(50):
            writer.write_batch(batch)
    store.pipe_file("/b/stream.arrow", sink.getvalue())
    assert len(aj.read_ipc("/b/stream.arrow", filesystem=store)) == 200
    store.at = "half"
    with pytest.raises(aj.JagFileError, match=r"/b/lines\.ndjson: the store returned 12 of 24 bytes"):
        aj.read_ndjson("/b/lines.ndjson", filesystem=store)
    with pytest.raises(aj.JagFileError, match=r"/b/stream\.arrow: the store returned .* bytes"):
        aj.read_ipc("/b/stream.arrow", filesystem=store)


class Listing(MemoryFileSystem):
    """Keeps listings, as file systems of object stores do, and can't list the folder `at`."""

    protocol = "listing"
    find = AbstractFileSystem.find
    store: ClassVar[dict[str, Any]] = {}
    at = ""
    fault: Exception | None = None

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        path = self._strip_protocol(path)
        if path == self.at and self.fault is not None:
            raise self.fault
        if path not in self.dircache:
            self.dircache[path] = super().ls(path, detail=True, **options)
        return self.dircache[path] if detail else [info["name"] for info in self.dircache[path]]

    def invalidate_cache(self, path: str | None = None) -> None:
        self.dircache.clear()


@pytest.fixture
def listing() -> Listing:
    store = Listing(skip_instance_cache=True)
    store.store.clear()
    for number in range(3):
        aj.write_parquet({"x": aj.array([[number]])}, f"/b/k={number}/f.parquet", filesystem=store)
    return store


def test_files_that_others_have_written_are_found(listing: Listing) -> None:
    assert aj.read_parquet("/b", filesystem=listing).num_rows == 3
    aj.write_parquet({"x": aj.array([[3]])}, "/b/k=3/f.parquet", filesystem=Listing(skip_instance_cache=True))
    assert aj.read_parquet("/b", filesystem=listing).num_rows == 4
    wrapped = pf.PyFileSystem(pf.FSSpecHandler(listing))
    aj.write_parquet({"x": aj.array([[4]])}, "/b/k=4/f.parquet", filesystem=Listing(skip_instance_cache=True))
    assert aj.read_parquet("/b", filesystem=wrapped).num_rows == 5


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("at", ["/b", "/b/k=1"])
def test_a_folder_that_cannot_be_listed_has_no_rows_left_out(listing: Listing, at: str, fault: str) -> None:
    listing.at, listing.fault = at, FAULTS[fault]
    with pytest.raises(aj.JagFileError, match=r"^/b.* can't be read: ") as caught:
        aj.read_parquet("/b", filesystem=listing)
    assert str(FAULTS[fault]) in str(caught.value)
