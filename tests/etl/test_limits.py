"""Default workers, memory and batches; small files that are combined, and results that are partitioned into folders."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag._runtime import machine as _machine
from arrowjag.etl import JobError
from arrowjag.etl._batches import Origin, _cut, read_runs
from arrowjag.etl._limits import Limits, Shares
from arrowjag.etl._tasks import open_source
from arrowjag.io._files import StoredFile
from arrowjag.io._scan import make_plan, open_parts
from tests.etl.jobs import check_totals, fail_at, files_in, keep, run, table_of, totals, write_dataset
from tests.hosts import pd


def limits(workers: int | None = None, memory: Any = None, batch_bytes: Any = None, engine: str = "local") -> Limits:
    return Limits(engine, workers, memory, batch_bytes, "stop")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    def set_to(cores: int, memory: int) -> None:
        monkeypatch.setattr("arrowjag.etl._limits.available_cores", lambda: cores)
        monkeypatch.setattr("arrowjag.etl._limits.available_memory", lambda: memory)

    return set_to


def test_defaults_fit_the_machine(machine: Any) -> None:
    machine(64, 256_000_000_000)
    assert limits().shares(1000) == Shares(64, 2_000_000_000, 64_000_000)
    assert limits().shares(4) == Shares(4, 32_000_000_000, 64_000_000)
    assert limits(memory="4GB").shares(1000) == Shares(7, 571_428_571, 35_714_285)
    assert limits(memory="4GB").shares(4) == Shares(4, 1_000_000_000, 62_500_000)
    machine(64, 1_000_000_000)
    assert limits().shares(1000) == Shares(1, 500_000_000, 31_250_000)
    assert limits(workers=8, engine="ray", memory="8GB").shares(1) == Shares(8, 1_000_000_000, 62_500_000)


def test_a_batch_size_that_is_given_is_used(machine: Any) -> None:
    machine(2, 8_000_000_000)
    assert limits(batch_bytes="256MB").shares(9) == Shares(2, 2_000_000_000, 256_000_000)
    assert limits(batch_bytes="600MB").shares(9) == Shares(1, 4_000_000_000, 600_000_000)
    assert limits(memory="256MB").shares(9) == Shares(1, 256_000_000, 8_000_000)
    assert limits(memory="264MB").shares(9) == Shares(1, 264_000_000, 10_000_000)


REFUSED = {
    (1, "260MB", "64MB"): "memory=260.0 MB leaves 260.0 MB to one worker, and each needs 480 MB with batch_bytes=64.0 MB (224.0 MB "
    "and 4 batches): give batch_bytes='9 MB' or less, or memory='480 MB' or more",
    (1, "1100MB", "256MB"): "memory=1.1 GB leaves 1.1 GB to one worker, and each needs 1248 MB with batch_bytes=256.0 MB (224.0 MB "
    "and 4 batches): give batch_bytes='219 MB' or less, or memory='1248 MB' or more",
    (
        3,
        "1GB",
        "32MB",
    ): "memory=1.0 GB leaves 333.3 MB to each of 3 workers, and each needs 352 MB with batch_bytes=32.0 MB (224.0 "
    "MB and 4 batches): give batch_bytes='27 MB' or less, or memory='1056 MB' or more, or workers=2 or fewer",
}


@pytest.mark.parametrize(("given", "told"), REFUSED.items())
def test_a_batch_that_a_worker_can_t_hold_is_refused(given: tuple[int, str, str], told: str, machine: Any) -> None:
    machine(64, 64_000_000_000)
    workers, memory, batch_bytes = given
    with pytest.raises(aj.JagValueError, match=f"^{re.escape(told)}$"):
        limits(workers, memory, batch_bytes).shares(1000)
    batch, more, *fewer = re.findall(r"(?:batch_bytes|memory|workers)='?(\d+(?: MB)?)'? or", told)
    assert limits(workers, memory, batch).shares(1000).workers == workers
    assert limits(workers, more, batch_bytes).shares(1000).workers == workers
    assert all(limits(int(count), memory, batch_bytes).shares(1000).workers == int(count) for count in fewer)


def test_a_share_below_the_floor_is_refused_before_work_starts(machine: Any, tmp_path: Path) -> None:
    machine(64, 64_000_000_000)
    text = r"memory=4\.0 GB leaves 62\.5 MB to each of 64 workers, .* give memory='16384 MB' or more, or workers=15 or fewer$"
    with pytest.raises(aj.JagValueError, match=text):
        limits(workers=64, memory="4GB").shares(1000)
    with pytest.raises(aj.JagValueError, match=r"leaves 100\.0 MB to one worker, .* give memory='256 MB' or more$"):
        limits(memory="100MB").shares(1000)
    write_dataset(tmp_path / "in")
    with pytest.raises(aj.JagValueError, match="leaves"):
        run(totals, tmp_path / "in", tmp_path / "out", memory="1MB")
    assert not files_in(tmp_path / "out")


def test_limits_of_cgroups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_machine, "_CGROUPS", tmp_path)
    monkeypatch.setattr(_machine, "_physical_memory", lambda: 10**12)
    assert _machine.available_memory() == 10**12
    with monkeypatch.context() as silent:
        silent.setattr(_machine, "_physical_memory", lambda: None)
        assert (_machine.reported_memory(), _machine.available_memory()) == (None, 4 * 10**9)
    (tmp_path / "memory.max").write_text("max\n")
    assert _machine.available_memory() == 10**12
    (tmp_path / "memory.max").write_text("2000000000\n")
    assert _machine.available_memory() == 2 * 10**9
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/memory.limit_in_bytes").write_text("1000000000\n")
    assert _machine.available_memory() == 10**9
    assert _machine.available_cores() >= 1
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert _machine.available_cores() == 1


def test_free_memory_is_the_least_that_the_machine_and_its_cgroups_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_machine, "_CGROUPS", tmp_path)
    monkeypatch.setattr(_machine, "_MEMINFO", tmp_path / "meminfo")
    assert _machine.free_memory() is None
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\n")  # of an old kernel
    assert _machine.free_memory() is None
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:  5000 kB\nSwapFree: 1000 kB\n")
    assert _machine.free_memory() == 6000 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("3000000\n")
    (tmp_path / "memory.stat").write_text("anon 5\ninactive_file 1000000\n")
    assert _machine.free_memory() == 6000 * 1024
    (tmp_path / "memory.max").write_text("4000000\n")
    assert _machine.free_memory() == 2_000_000
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/memory.limit_in_bytes").write_text("1000000\n")
    (tmp_path / "memory/memory.usage_in_bytes").write_text("1500000\n")
    (tmp_path / "memory/memory.stat").write_text("cache 7\n")
    assert _machine.free_memory() == 0


# ---------------------------------------------------------------------------------------------------------- grouping


def write_small(folder: Path, files: range) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in files:
        pq.write_table(table_of(range(number * 3, number * 3 + 3)), folder / f"f{number:03}.parquet")


def test_small_files_are_put_together(tmp_path: Path) -> None:
    write_small(tmp_path / "in", range(30))
    size = (tmp_path / "in/f000.parquet").stat().st_size
    report = run(totals, tmp_path / "in", tmp_path / "out", bytes_per_file=10 * size + 200)
    assert (report.tasks, report.rows, report.kept) == (3, 90, 0)
    assert len(files_in(tmp_path / "out")) == 3
    check_totals(tmp_path / "out", 90)
    write_small(tmp_path / "in", range(30, 35))
    report = run(totals, tmp_path / "in", tmp_path / "out", bytes_per_file=10 * size + 200, mode="resume")
    assert (report.tasks, report.rows, report.kept) == (4, 105, 3)
    check_totals(tmp_path / "out", 105)
    again = run(totals, tmp_path / "in", tmp_path / "out", mode="resume")  # other groups: what is done stays
    assert (again.kept, again.rows_read) == (4, 0)


def test_a_group_of_which_a_file_changes_is_done_again(tmp_path: Path) -> None:
    write_small(tmp_path / "in", range(10))
    run(totals, tmp_path / "in", tmp_path / "out", bytes_per_file="1MB")
    pq.write_table(table_of(range(9, 12)), tmp_path / "in/f003.parquet", row_group_size=1)
    report = run(totals, tmp_path / "in", tmp_path / "out", bytes_per_file="1MB", mode="resume")
    assert (report.kept, report.tasks) == (0, 1)
    check_totals(tmp_path / "out", 30)
    (tmp_path / "in/f003.parquet").unlink()
    assert run(totals, tmp_path / "in", tmp_path / "out", bytes_per_file="1MB", mode="resume").kept == 1
    check_totals(tmp_path / "out", 30)
    (tmp_path / "in/f004.parquet").touch()
    with pytest.raises(
        aj.JagValueError, match=r"f003\.parquet, which is no longer in the source, and of other files, which were re"
    ):
        run(totals, tmp_path / "in", tmp_path / "out", bytes_per_file="1MB", mode="resume")


def test_groups_keep_to_their_folder_and_failures_name_their_files(tmp_path: Path) -> None:
    write_small(tmp_path / "in/k=1", range(5))
    write_small(tmp_path / "in/k=2", range(5, 10))
    report = run(totals, tmp_path / "in", tmp_path / "out", bytes_per_file="1MB")
    assert files_in(tmp_path / "out") == ["k=1/f000-0.parquet", "k=2/f005-0.parquet"]
    assert report.rows == 30
    text = r"k=2/f005\.parquet, row group 0: ValueError: id 20 is bad .*\(the batch holds rows of 4 more files\)"
    with pytest.raises(JobError, match=text):
        run(fail_at(20), tmp_path / "in", tmp_path / "bad", bytes_per_file="1MB")


def test_small_files_are_opened_once_by_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    original: Any = StoredFile.open

    def count(self: StoredFile) -> Any:
        opened.append(Path(self.path).name)
        return original(self)

    write_small(tmp_path / "in", range(10))
    monkeypatch.setattr(StoredFile, "open", count)
    run(totals, tmp_path / "in", tmp_path / "out", bytes_per_file="1MB")
    check_totals(tmp_path / "out", 30)
    assert {opened.count(name) for name in files_in(tmp_path / "in")} == {2}  # by the driver too


@pytest.mark.parametrize("batch_bytes", [300, 4000, 10**6])
@pytest.mark.parametrize("ordered", [False, True])
def test_lists_of_a_dictionary_are_read_from_several_row_groups(batch_bytes: int, ordered: bool, tmp_path: Path) -> None:
    """pyarrow can't read them from several row groups into one batch."""
    words = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 1] * 50, pa.int8()), ["lo", "mid", "hi"], ordered=ordered)
    x = aj.from_sizes(words, [0, 3, 1, 0, 0] * 50)
    aj.write_parquet({"x": x, "n": list(range(250))}, tmp_path / "in.parquet", row_group_size=70)
    source = open_source(tmp_path / "in.parquet")
    parts = ((open_parts([piece.stored], source.partitions, keep_open=True)[0], piece.row_groups) for piece in source.pieces)
    whole = pa.concat_tables([table for table, _ in read_runs(parts, make_plan(source.schema, None, None), batch_bytes)])
    assert whole["x"].to_pylist() == x.to_list()
    assert whole["n"].to_pylist() == list(range(250))


def test_tables_are_cut_into_halves_that_fit() -> None:
    table = pa.table({"k": pa.array(range(10), pa.int64())})
    for batch_bytes, sizes in ((1000, [10]), (80, [10]), (40, [5, 5]), (24, [2, 3, 2, 3]), (1, [1] * 10)):
        found = list(_cut(table, batch_bytes))
        assert [one.num_rows for one in found] == sizes
        assert pa.concat_tables(found).equals(table)
    assert list(_cut(table[:0], 1)) == []


def test_the_origin_of_a_part_is_that_of_its_rows() -> None:
    whole = Origin((("a", (0,)), ("b", (0, 1)), ("c", (2,))), (3, 4, 2))
    files = [*"aaabbbbcc"]
    for start in range(10):
        for stop in range(start, 10):
            part = whole.cut(start, stop)
            assert sum(part.rows) == stop - start
            assert [part.at(row)[0] for row in range(stop - start)] == files[start:stop]
            assert all(place in whole.places for place in part.places)


@pytest.mark.parametrize("batch_bytes", [300, 4000, 10**6])
def test_small_files_of_all_kinds_keep_their_order(batch_bytes: int, tmp_path: Path) -> None:
    """Alike files are finished together; others, long ones, empty ones and those of other folders come between them."""
    tables, number = [], 0
    for place in range(24):
        size = {5: 800, 9: 0, 17: 200}.get(place, 3)
        table = table_of(range(number, number + size))
        number += size
        if place % 8 > 5:
            table = table.append_column("word", pa.array([f"w{i}" for i in range(size)]).dictionary_encode())
        folder = tmp_path / f"in/k={place // 12}"
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / f"f{place:02}.parquet", row_group_size=2)
        tables.append(table)
    source = open_source(tmp_path / "in")
    parts = ((open_parts([piece.stored], source.partitions, keep_open=True)[0], piece.row_groups) for piece in source.pieces)
    found = list(read_runs(parts, make_plan(source.schema, None, None), batch_bytes))
    whole = pa.concat_tables([table for table, _ in found])
    expected = aj.read_parquet(tmp_path / "in")
    assert whole["id"].to_pylist() == expected["id"].to_pylist() == list(range(number))
    assert whole.schema.equals(source.schema)
    assert all(whole[name].to_pylist() == expected[name].to_pylist() for name in ("v", "word", "k"))
    numbers = {str(path): pq.read_table(path, partitioning=None)["id"].to_pylist() for path in (tmp_path / "in").rglob("*.parquet")}
    for table, origin in found:
        assert sum(origin.rows) == table.num_rows
        for row, one in enumerate(table["id"].to_pylist()[:20]):
            path, groups = origin.at(row)
            assert (one - numbers[path][0]) // 2 in groups


@pytest.mark.parametrize("kind", ["page", "text"])
def test_a_damaged_file_among_small_ones_is_named(kind: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(5):
        pq.write_table(pa.table({"word": [f"word {number}"] * 2}), tmp_path / f"in/f{number}.parquet", compression="none")
    bad = tmp_path / "in/f2.parquet"
    if kind == "page":
        pq.write_table(pa.table({"word": ["word 2"] * 2}), bad, compression="none", write_page_checksum=True)
    bad.write_bytes(bad.read_bytes().replace(b"word 2", b"wor\xff 2", 1))
    with pytest.raises(JobError, match=r"f2\.parquet, row group 0: JagFileError: ") as error:
        run(keep, tmp_path / "in", tmp_path / "out", bytes_per_file="1MB")
    assert error.value.failure.file == str(bad)


def test_rejected_rows_name_the_small_file_that_holds_them(tmp_path: Path) -> None:
    write_small(tmp_path / "in", range(10))

    def fails(table: pa.Table) -> pa.Table:
        if set(table["id"].to_pylist()) & {0, 4, 22, 29}:
            raise ValueError("bad")
        return totals(table)

    report = run(fails, tmp_path / "in", tmp_path / "out", bytes_per_file="1MB", on_error="rows")
    assert (report.rows, report.rejected) == (26, 4)
    rejected = aj.read_parquet(tmp_path / "out._arrowjag/rejected").sort_by("id")
    names = [Path(path).name for path in rejected["_file"].to_pylist()]
    assert list(zip(rejected["id"].to_pylist(), names, strict=True)) == [
        (0, "f000.parquet"),
        (4, "f001.parquet"),
        (22, "f007.parquet"),
        (29, "f009.parquet"),
    ]


# ------------------------------------------------------------------------------------------------------ partition_by


def test_results_are_cut_into_folders(tmp_path: Path) -> None:
    write_dataset(tmp_path / "in", keys=True)

    def with_key(table: pa.Table) -> pa.Table:
        return totals(table).append_column("k", pa.array([None if i % 5 == 0 else f"k{i % 3}" for i in table["id"].to_pylist()]))

    report = run(with_key, tmp_path / "in", tmp_path / "out", partition_by="k", batch_bytes=700)
    assert report.rows == 120
    assert len(files_in(tmp_path / "out")) == 12
    assert "part=0/k=k1/f0-0.parquet" in files_in(tmp_path / "out")
    assert "part=0/k=__HIVE_DEFAULT_PARTITION__/f0-0.parquet" in files_in(tmp_path / "out")
    check_totals(tmp_path / "out", 120)
    assert run(with_key, tmp_path / "in", tmp_path / "out", partition_by="k", mode="resume").kept == 3
    (tmp_path / "out/part=0/k=k1/f0-0.parquet").unlink()
    again = run(with_key, tmp_path / "in", tmp_path / "out", partition_by="k", mode="resume")
    assert (again.kept, again.tasks, again.rows) == (2, 3, 120)
    check_totals(tmp_path / "out", 120)
    assert run(with_key, tmp_path / "in", tmp_path / "out", mode="resume").kept == 0
    assert len(files_in(tmp_path / "out")) == 3


def test_tasks_without_rows_have_files_in_the_folders_of_others(tmp_path: Path) -> None:
    """Readers refuse a folder that holds files beside partition folders, or files with the column of a partition."""
    write_dataset(tmp_path / "all", files=4)
    (tmp_path / "in").mkdir()

    def job(table: pa.Table) -> pa.Table:
        table = table.append_column("k", pc.bit_wise_and(table["id"], 1))
        return table.filter(pc.and_(pc.greater_equal(table["id"], 40), pc.less(table["id"], 80)))

    def resumed(*names: str) -> tuple[int, list[str]]:
        for name in names:
            shutil.copy2(tmp_path / "all" / name, tmp_path / "in")
        report = run(job, tmp_path / "in", tmp_path / "out", partition_by="k", mode="resume")
        frame = pd.read_parquet(tmp_path / "out")
        assert sorted(frame.columns) == ["id", "k", "v"]
        assert aj.read_parquet(tmp_path / "out").num_rows == len(frame) == report.rows
        return report.kept, files_in(tmp_path / "out")

    assert resumed("f0.parquet", "f2.parquet") == (0, ["f0-0.parquet", "f2-0.parquet"])  # no folder is known
    (tmp_path / "in/f2.parquet").unlink()
    assert resumed("f1.parquet") == (0, ["k=0/f0-0.parquet", "k=0/f1-0.parquet", "k=1/f1-0.parquet"])
    assert resumed("f3.parquet")[0] == 2
    assert resumed() == (3, ["k=0/f0-0.parquet", "k=0/f1-0.parquet", "k=0/f3-0.parquet", "k=1/f1-0.parquet"])


def test_partition_by_without_meaning(tmp_path: Path) -> None:
    write_dataset(tmp_path / "in", keys=True)
    with pytest.raises(aj.JagValueError, match="partition_by names 'part', which folders of the source hold"):
        run(totals, tmp_path / "in", tmp_path / "out", partition_by="part")
    with pytest.raises(JobError, match="partition_by names an unknown column 'nope'"):
        run(totals, tmp_path / "in", tmp_path / "out", partition_by="nope")


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    write_dataset(tmp_path / "in")
    report = run(totals, tmp_path / "in", tmp_path / "out", dry_run=True)
    assert (report.tasks, report.kept, report.rows_read, report.dry_run) == (3, 0, 120, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
    run(totals, tmp_path / "in", tmp_path / "out")
    (tmp_path / "out/f1-0.parquet").unlink()
    before = files_in(tmp_path)
    report = run(totals, tmp_path / "in", tmp_path / "out", mode="resume", dry_run=True)
    assert str(report).startswith("3 tasks, 2 done before, 1 to do: 40 rows, ")
    report = run(fail_at(1), tmp_path / "in", tmp_path / "out", mode="resume", dry_run=True)
    assert (report.kept, files_in(tmp_path)) == (0, before)
