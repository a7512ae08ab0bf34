"""`aj.scan_parquet`: a lazy frame that reads the columns and fields that a query needs."""

from __future__ import annotations

import io
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.io import _lazy, _parquet, _scan
from arrowjag.io._files import StoredFile
from tests.hosts import pl


@pytest.fixture
def files(tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    for place in range(3):
        sizes = draw.integers(0, 5, 100)
        score = aj.from_sizes(draw.random(sizes.sum()), sizes)
        docs = aj.zip(score=score, id=(score * 100).cast("int64", safe=False))
        aj.write_parquet(
            {"docs": docs, "q": list(range(place * 100, place * 100 + 100))}, tmp_path / f"{place}.parquet", row_group_size=25
        )
    return tmp_path


def test_a_scan_equals_read_parquet(files: Path) -> None:
    whole = aj.read_parquet(files, to="polars")
    scan = aj.scan_parquet(files)
    assert scan.collect_schema() == whole.schema
    for engine in ("in-memory", "streaming"):
        assert scan.collect(engine=engine).equals(whole)
        assert scan.filter(pl.col("q") > 250).select("q").collect(engine=engine)["q"].to_list() == list(range(251, 300))
        assert scan.select(pl.len()).collect(engine=engine).item() == 300
        assert scan.head(30).collect(engine=engine).equals(whole.head(30))
        assert scan.filter(pl.col("q") % 2 == 0).head(40).collect(engine=engine).equals(whole.filter(pl.col("q") % 2 == 0).head(40))
    assert aj.scan_parquet(files, filters=[("q", "<", 10)]).collect().equals(whole.head(10))


@pytest.mark.parametrize(
    "opened",
    [lambda path: io.BytesIO(path.read_bytes()), lambda path: path.open("rb"), lambda path: pa.memory_map(str(path))],
    ids=["bytes", "file", "map"],
)
def test_an_open_file_is_scanned_more_than_once(opened: Any, files: Path) -> None:
    whole, source = aj.read_parquet(files / "1.parquet", to="polars"), opened(files / "1.parquet")
    scan = aj.scan_parquet(source)
    for _ in range(2):
        assert scan.collect().equals(whole)
        assert scan.select("q").filter(pl.col("q") < 110).collect().height == 10
    source.close()


def test_fields_are_read_alone(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, ...]] = []
    original: Any = _scan.open_reader

    def open_reader(part: Any, plan: Any, **options: Any) -> Any:
        reader, chunks = original(part, plan, **options)
        read.append(tuple(chunks))
        return reader, chunks

    monkeypatch.setattr(_scan, "open_reader", open_reader)
    scan = aj.scan_parquet(files, columns=["docs.score", "q"])
    total = scan.jag.flatten("docs.score").select(pl.col("docs.score").sum()).collect().item()
    assert total == pytest.approx(aj.from_arrow(aj.read_parquet(files, columns=["docs"])["docs"])["score"].sum(axis=None).as_py())
    assert all(len(chunks) <= 2 and not any("id" in chunk for chunk in chunks) for chunks in read[:3])
    read.clear()
    assert scan.select("q").collect().height == 300
    assert {chunk for chunks in read for chunk in chunks} == {"q"}


def test_a_row_group_at_a_time(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    original: Any = _lazy.stream_parts

    def streamed(*args: Any) -> Any:
        for table in original(*args):
            sizes.append(table.num_rows)
            yield table

    monkeypatch.setattr(_lazy, "stream_parts", streamed)
    assert aj.scan_parquet(files).head(60).collect().height == 60
    assert sizes == [25] * 3
    aj.scan_parquet(files).jag.query("docs.score > 0.5").sink_parquet(files / "out.parquet")
    assert pl.read_parquet(files / "out.parquet").height == 300


def test_a_scan_rejects_invalid_arguments(files: Path) -> None:
    with pytest.raises(aj.JagValueError, match=r"docs\.nix"):
        aj.scan_parquet(files, columns=["docs.nix"])
    with pytest.raises(FileNotFoundError, match="nothing: no such file or folder"):
        aj.scan_parquet(files / "nothing")


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_threads_take_over_once_reading_waits(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_scan, "_threads", lambda: 4)
    here, seen = threading.get_ident(), list[int]()

    def read(item: int, seconds: float) -> int:
        seen.append(threading.get_ident())
        time.sleep(seconds)
        return -item

    def ids(seconds: float, **options: bool) -> list[int]:
        seen.clear()
        assert _scan.in_threads(lambda item: read(item, seconds), range(n), **options) == [-item for item in range(n)]
        assert len(seen) == n
        return seen

    waits = 2 * _scan._MOST_WAITED
    assert ids(waits, once_it_waits=True)[:1] == [here][:n]
    assert (here in seen[1:]) == (n == 2)  # no pool for a single item that is left
    ids(waits)
    assert (here in seen) == (n == 1)
    monkeypatch.setattr(_scan, "_MOST_WAITED", 60.0)
    assert ids(0.001, once_it_waits=True) == [here] * n
    monkeypatch.setattr(_scan, "_MOST_WAITED", 0.0)
    monkeypatch.setattr(_scan.time, "thread_time", lambda: 2 * time.perf_counter())  # works all the time
    assert ids(0.001, once_it_waits=True) == [here] * n


def test_an_error_of_reading_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_scan, "_threads", lambda: 2)

    def read(item: int) -> int:
        time.sleep(2 * _scan._MOST_WAITED)
        return 1 // (item - 7)

    for once_it_waits in (False, True):
        with pytest.raises(ZeroDivisionError):
            _scan.in_threads(read, range(9), once_it_waits=once_it_waits)


@pytest.mark.parametrize("filters", [None, [("k", ">", 5)]])
def test_a_file_that_was_replaced_is_an_error(filters: Any, tmp_path: Path) -> None:
    """The statistics of the old footer would exclude the rows of the new file."""
    options: dict[str, Any] = {"use_dictionary": False, "compression": "none", "write_page_checksum": False}
    aj.write_parquet({"k": [1, 2, 3]}, tmp_path / "a.parquet", **options)
    scan = aj.scan_parquet(tmp_path / "a.parquet", filters=filters)
    aj.write_parquet({"k": [1, 2, 3]}, tmp_path / "a.parquet", **options)
    assert scan.collect().height == (3 if filters is None else 0)
    aj.write_parquet({"k": [7, 8, 9]}, tmp_path / "a.parquet", **options)
    with pytest.raises(aj.JagFileError, match=r"a\.parquet was replaced after its footer had been read: read or scan it again"):
        scan.collect()


@pytest.mark.parametrize("times", [1, 9])
def test_a_file_that_is_replaced_while_it_is_read_gives_the_rows_of_one_file(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pages would be found by the footer of the old file, and hold other values."""
    path, n, opened = tmp_path / "a.parquet", 20_000, _parquet.open_source
    options: dict[str, Any] = {"use_dictionary": False, "compression": "none", "write_page_checksum": False}
    written: list[int] = []

    def write() -> None:
        written.append(len(written))
        aj.write_parquet({"k": np.full(n + written[-1], written[-1])}, path, **options)

    def open_and_replace(*arguments: Any) -> Any:
        found = opened(*arguments)
        if len(written) <= times:
            write()
        return found

    write()
    monkeypatch.setattr(_parquet, "open_source", open_and_replace)
    if times == 1:
        assert aj.read_parquet(path)["k"].to_pylist() == [1] * (n + 1)
    else:
        with pytest.raises(aj.JagFileError, match=r"a\.parquet was replaced after its footer had been read: read or scan it again"):
            aj.read_parquet(path)


def test_rows_that_a_table_has_kept_take_one_look_at_the_footer() -> None:
    """Readers ask for one row group after another."""
    looks = []

    class Footer:
        num_row_groups = 50

        def row_group(self, number: int) -> Any:
            looks.append(number)
            return self

        num_rows = 2

    kept = np.arange(100) % 3 > 0
    part = _scan.Part(StoredFile("a", kept=kept), Footer(), b"", pa.schema([]), pa.schema([]), {}, True)
    found = [part.kept_rows([group]) for group in range(50)]
    assert np.concatenate(found).tolist() == kept.tolist()  # type: ignore[arg-type]
    assert len(looks) == 50
