"""The bytes of batches, and workers that exceed their memory limit."""

from __future__ import annotations

import itertools
import logging
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.fs import LocalFileSystem

import arrowjag as aj
from arrowjag.etl import JobError
from arrowjag.etl._batches import read_runs
from arrowjag.etl._memory import own_memory, process_memory
from arrowjag.io._files import StoredFile
from arrowjag.io._scan import make_plan, open_parts
from tests.etl.jobs import files_in, run, table_of

needs_proc = pytest.mark.skipif(process_memory("self") is None, reason="the system doesn't tell what a process holds now")


def batches(
    path: Path,
    batch_bytes: int,
    columns: list[str] | None = None,
    groups: list[int] | None = None,
    filters: Any = None,
    **options: Any,
) -> list[tuple[pa.Table, tuple[int, ...]]]:
    (part,) = open_parts([StoredFile(str(path), LocalFileSystem())], pa.schema([]))
    plan = make_plan(part.schema, columns, filters)
    groups = list(range(part.footer.num_row_groups)) if groups is None else groups
    found = read_runs([(part, groups)], plan, batch_bytes, **options)
    return [(table, origin.places[0][1]) for table, origin in found]


def test_a_batch_is_freed_before_the_next_one_is_read(tmp_path: Path) -> None:
    """The reader of pyarrow holds one; a loop in a generator held another, and so did the search for a next one that fits."""
    pq.write_table(pa.table({"id": np.arange(4_000_000)}), tmp_path / "a.parquet", row_group_size=4_000_000)
    (part,) = open_parts([StoredFile(str(tmp_path / "a.parquet"), LocalFileSystem())], pa.schema([]))
    before, held = pa.total_allocated_bytes(), []
    for table, _ in read_runs([(part, [0])], make_plan(part.schema, None, None), 8 * 10**6):
        size = table.nbytes
        del table
        held.append((pa.total_allocated_bytes() - before) / size)
    assert len(held) > 4
    assert max(held[:-1]) < 2.5, held


@pytest.mark.parametrize("group", [7, 100, 5000])
@pytest.mark.parametrize("batch_bytes", [500, 20_000, 10**9])
def test_batches_have_every_row_in_order_and_about_the_size(group: int, batch_bytes: int, tmp_path: Path) -> None:
    pq.write_table(table_of(range(5000)), tmp_path / "a.parquet", row_group_size=group)
    found = batches(tmp_path / "a.parquet", batch_bytes)
    whole = pa.concat_tables([table for table, _ in found])
    assert whole["id"].to_pylist() == list(range(5000))
    assert aj.from_arrow(whole["v"]).to_list() == aj.from_arrow(table_of(range(5000))["v"]).to_list()
    assert all(table.nbytes <= batch_bytes and table.num_rows for table, _ in found)
    assert all(one.nbytes + other.nbytes > batch_bytes / 2 for (one, _), (other, _) in itertools.pairwise(found))


def test_batches_name_their_row_groups(tmp_path: Path) -> None:
    pq.write_table(table_of(range(50)), tmp_path / "a.parquet", row_group_size=10)
    assert [groups for _, groups in batches(tmp_path / "a.parquet", 10**9, groups=[1, 3, 4])] == [(1, 3, 4)]
    for table, groups in batches(tmp_path / "a.parquet", 300):
        assert groups == tuple(sorted({row // 10 for row in table["id"].to_pylist()}))


def test_values_that_are_small_in_the_file_only(tmp_path: Path) -> None:
    """A dictionary holds each text once in the file, and Arrow does so for every row."""
    pq.write_table(pa.table({"s": ["x" * 1000] * 20_000}), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    assert max(table.nbytes for table, _ in batches(tmp_path / "a.parquet", 1_000_000)) <= 1_000_000


def test_a_row_that_is_larger_than_a_batch_comes_alone(tmp_path: Path) -> None:
    rows = [[0.0] * 10, [1.0] * 10_000, [2.0] * 10, [3.0] * 10]
    pq.write_table(pa.table({"v": rows}), tmp_path / "a.parquet")
    assert [table["v"].to_pylist() for table, _ in batches(tmp_path / "a.parquet", 1000)] == [rows[:1], rows[1:2], rows[2:]]


def test_the_first_batch_may_be_small(tmp_path: Path) -> None:
    pq.write_table(table_of(range(5000)), tmp_path / "a.parquet", row_group_size=500)
    first, second, *more = batches(tmp_path / "a.parquet", 50_000, first_bytes=1000)
    whole = batches(tmp_path / "a.parquet", 50_000)
    assert 500 < first[0].nbytes < 2000
    assert pa.concat_tables([first[0], second[0]]).equals(whole[0][0])
    assert [table.num_rows for table, _ in more] == [table.num_rows for table, _ in whole[1:]]
    assert len(batches(tmp_path / "a.parquet", 10**9, first_bytes=10**9)) == 1
    assert batches(tmp_path / "a.parquet", 50_000, first_bytes=1)[0][0].num_rows == 1


@pytest.mark.parametrize("nested", [False, True])
def test_few_long_rows_behind_many_short_ones_are_no_batch(nested: bool, tmp_path: Path) -> None:
    """Rows that were sorted by length: the batch whose rows the mean told held all values of the row group."""
    lengths = np.repeat([0, 10_000], [200_000, 400])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    lists = pa.LargeListArray.from_arrays(offsets, pa.array(np.arange(offsets[-1], dtype=np.float64)))
    v = pa.LargeListArray.from_arrays(np.arange(len(lists) + 1), lists) if nested else lists
    pq.write_table(pa.table({"id": range(len(v)), "v": v}), tmp_path / "a.parquet", use_dictionary=False)
    del lists, v
    (part,) = open_parts([StoredFile(str(tmp_path / "a.parquet"), LocalFileSystem())], pa.schema([]))
    held = {}
    for is_careful in (False, True):
        before, most, rows = pa.total_allocated_bytes(), 0, list[int]()
        for table, _ in read_runs([(part, [0])], make_plan(part.schema, None, None), 4 * 10**6, is_careful=is_careful):
            most = max(most, pa.total_allocated_bytes() - before)
            rows += table["id"].to_pylist()
            assert table.nbytes <= 4 * 10**6
        held[is_careful] = most
        assert rows == list(range(200_400))
    assert held[False] > 30 * 10**6  # the reason for the care
    assert held[True] < 16 * 10**6, held


def test_row_groups_that_a_filter_excludes_are_not_read(tmp_path: Path) -> None:
    pq.write_table(table_of(range(50)), tmp_path / "a.parquet", row_group_size=10)
    at = pq.read_metadata(tmp_path / "a.parquet").row_group(2).column(0).data_page_offset
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    content[at : at + 40] = b"\xff" * 40
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(OSError, match="row group"):
        batches(tmp_path / "a.parquet", 10**9)
    ((table, groups),) = batches(tmp_path / "a.parquet", 10**9, filters=[("id", ">=", 35)])
    assert table["id"].to_pylist() == list(range(35, 50))
    assert groups == (3, 4)
    (tmp_path / "in").mkdir()
    (tmp_path / "a.parquet").rename(tmp_path / "in/a.parquet")
    run(lambda table: table, tmp_path / "in", tmp_path / "out", filters=[("id", ">=", 35)])
    assert aj.read_parquet(tmp_path / "out")["id"].to_pylist() == list(range(35, 50))


def test_columns_of_folders_alone(tmp_path: Path) -> None:
    (tmp_path / "in/k=1").mkdir(parents=True)
    pq.write_table(table_of(range(50)), tmp_path / "in/k=1/a.parquet", row_group_size=20)
    run(lambda table: table.append_column("n", [[1] * len(table)]), tmp_path / "in", tmp_path / "out", columns=["k"])
    assert aj.read_parquet(tmp_path / "out").to_pydict() == {"k": [1] * 50, "n": [1] * 50}


def hungry(megabytes_a_row: float, always: bool = False) -> object:
    """Holds memory by the rows of a batch for a moment."""

    def transform(table: pa.Table) -> pa.Table:
        rows = 10**3 if always else len(table)
        held = np.ones(int(rows * megabytes_a_row * 125_000))
        time.sleep(0.4)
        return table.append_column("n", pa.array([len(table) + 0 * int(held[0])] * len(table)))

    return transform


@needs_proc
@pytest.mark.workers
def test_a_worker_over_its_share_is_ended_and_its_task_tried_with_half_the_batch(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pq.write_table(pa.table({"id": range(1000)}), tmp_path / "a.parquet")
    with caplog.at_level(logging.WARNING, "arrowjag.etl"):
        report = run(hungry(0.4), tmp_path / "a.parquet", tmp_path / "out", memory="350MB", batch_bytes=8200)
    sizes = aj.read_parquet(tmp_path / "out")["n"].to_pylist()
    assert len(sizes) == 1000
    assert max(sizes) <= 512
    assert "is tried again, batches of 4.1 kB: the worker held " in caplog.text
    assert report.peak_memory is not None
    assert report.peak_memory > 350e6
    assert report.rows_read == 1000


@needs_proc
@pytest.mark.workers
def test_a_task_that_holds_too_much_with_half_the_batch_fails_by_name(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": range(1000)}), tmp_path / "a.parquet")
    text = r"row group 0: the worker held [\d.]+ MB, its share of memory= is 350\.0 MB; give more memory or smaller batches"
    with pytest.raises(JobError, match=text):
        run(hungry(0.5, always=True), tmp_path / "a.parquet", tmp_path / "out", memory="350MB")
    assert files_in(tmp_path / "out") == []


def test_a_task_that_runs_out_of_memory_is_tried_with_half_the_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of the system, such as `ulimit -v`, is met before the share of the worker."""
    pq.write_table(pa.table({"id": range(1000)}), tmp_path / "a.parquet")

    def within(rows: int) -> Any:
        def transform(table: pa.Table) -> pa.Table:
            if len(table) > rows:
                raise MemoryError(f"no room for {len(table)} rows")
            return table

        return transform

    careful: list[bool] = []

    def reads(*arguments: Any, is_careful: bool, **options: Any) -> Any:
        careful.append(is_careful)
        return read_runs(*arguments, is_careful=is_careful, **options)

    monkeypatch.setattr("arrowjag.etl._worker.read_runs", reads)
    report = run(within(600), tmp_path / "a.parquet", tmp_path / "out", batch_bytes=8200)
    assert (report.retries, report.rows) == (1, 1000)
    assert careful == [False, True]
    assert aj.read_parquet(tmp_path / "out")["id"].to_pylist() == list(range(1000))
    with pytest.raises(JobError, match=r"a\.parquet, row group 0: MemoryError: no room for 4.. rows"):
        run(within(400), tmp_path / "a.parquet", tmp_path / "other", batch_bytes=8200)

    def fail(*_: Any, **__: Any) -> Any:
        raise pa.ArrowMemoryError("realloc of size 64 failed")

    monkeypatch.setattr("arrowjag.etl._batches.iter_batches", fail)
    text = "row group 0: JagMemoryError: row group 0 requires more memory than is available: realloc of size 64 failed"
    with pytest.raises(JobError, match=rf"a\.parquet, {text}"):
        run(within(1000), tmp_path / "a.parquet", tmp_path / "third", batch_bytes=8200)


def test_own_memory_grows_with_allocations() -> None:
    before = own_memory()
    if before is None:
        pytest.skip("the system doesn't tell")
    held = np.ones(10_000_000)
    after = own_memory()
    assert after is not None
    assert after - before > 0.8 * held.nbytes
    assert process_memory(2**30) is None
