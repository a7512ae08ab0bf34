"""The command: what it shows, how it ends, and that its examples run."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import uuid
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._pyarrow_versions import TOO_FEW_NULLS_OF_FIELDS
from arrowjag.cli import _commands, _facts, _jobs, _tables, main
from arrowjag.cli._facts import Tally, read_facts
from arrowjag.cli._folders import open_path
from arrowjag.cli._sources import open_source
from arrowjag.dims import Ragged
from arrowjag.errors import JagError, JagValueError
from arrowjag.etl import Report

ROOT = Path(__file__).parents[1]


def flights() -> dict[str, Any]:
    """Two jagged columns, with nulls at every level, and two plain ones."""
    delays = aj.array([[[1.5, None], [2.0]], [], None, [[], None, [3.0]]])
    rows = [[{"score": 1, "name": "a"}, {"score": None, "name": "b"}], [None], [], [{"score": 4, "name": "d"}]]
    docs = aj.array(rows, type=pa.struct([("score", pa.int64()), ("name", pa.string())]))
    return {"plane": ["N1", None, "N3", "N4"], "seats": [10, 20, None, 40], "delays": delays, "docs": docs}


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "flights.parquet"
    aj.write_parquet(flights(), path)
    return path


def run(*words: object, **settings: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with its output in pipes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **settings}
    command = [sys.executable, "-m", "arrowjag", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, check=False)


# --------------------------------------------------------------------------------------------------- facts


@pytest.mark.parametrize("write", [aj.write_parquet, aj.write_ipc])
def test_facts_of_a_file(write: Any, tmp_path: Path) -> None:
    write(flights(), tmp_path / "flights")
    facts = read_facts(tmp_path / "flights")
    plane, seats, delays, docs = facts.columns
    assert (facts.rows, [one.name for one in facts.columns]) == (4, ["plane", "seats", "delays", "docs"])
    assert (plane.ndim, plane.nulls, seats.nulls) == (1, 1, 1)
    assert (delays.type, delays.tagged, delays.nulls) == ("jagged[double, 3]", True, 1)
    assert delays.shape == "JaggedShape(4, [2, 0, 0, 3], [2, 1, 0, 0, 1])"
    outer, inner = delays.levels
    assert (outer.rows, outer.items, outer.nulls, outer.empty) == (4, 5, 1, 1)
    assert (outer.minimum, outer.median, outer.mean, outer.maximum) == (0, 2.0, 5 / 3, 3)
    assert (inner.rows, inner.items, inner.nulls, inner.empty) == (5, 4, 1, 1)
    assert (delays.values, delays.null_values) == (4, 1)
    assert (docs.type, docs.nulls, docs.null_values) == ("jagged[struct of 2, 2]", 0, 1)
    score = 1 if TOO_FEW_NULLS_OF_FIELDS and write is aj.write_parquet else 2
    assert [(one.name, one.nulls) for one in docs.fields] == [("score", score), ("name", 1)]


def test_examples_are_the_first_and_the_last_rows(tmp_path: Path) -> None:
    x = aj.array([[row] * 2 for row in range(1000)])
    pq.write_table(pa.table({"x": x.to_arrow()}), tmp_path / "x.parquet", row_group_size=64)
    (few,) = read_facts(tmp_path / "x.parquet").columns
    (more,) = read_facts(tmp_path / "x.parquet", "x").columns
    assert few.examples == [(0, "[0, 0]"), (1, "[1, 1]"), (999, "[999, 999]")]
    assert [row for row, _ in more.examples] == [0, 1, 2, 3, 4, 995, 996, 997, 998, 999]
    assert more.examples[-1][1] == "[999, 999]"


def test_examples_of_a_group_that_is_read_in_several_batches(tmp_path: Path) -> None:
    x = aj.from_sizes(pa.array(range(70_000)), [1] * 70_000)
    pq.write_table(pa.table({"x": x.to_arrow()}), tmp_path / "x.parquet", row_group_size=70_000)
    (column,) = read_facts(tmp_path / "x.parquet").columns
    assert column.examples == [(0, "[0]"), (1, "[1]"), (69_999, "[69999]")]


def test_the_column_to_draw_is_the_first_jagged_one(tmp_path: Path) -> None:
    for frame, name in (({"k": [1], "v": [[1]], "w": [[2]]}, "v"), ({"k": [1], "l": [2]}, "k")):
        aj.write_parquet(frame, tmp_path / "a.parquet")
        assert _facts.read_column(str(tmp_path / "a.parquet"), None, None)[1:] == (name, True)
    aj.write_parquet(pa.table({}), tmp_path / "a.parquet")
    with pytest.raises(JagValueError, match=r"a\.parquet has no columns to draw"):
        _facts.read_column(str(tmp_path / "a.parquet"), None, None)


def test_lists_of_a_dictionary_are_read_from_several_row_groups(tmp_path: Path) -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([1, 0, None] * 20, pa.int8()), ["hi", "lo"])
    aj.write_parquet({"x": aj.from_sizes(words, [2, 0, 1] * 20)}, tmp_path / "a.parquet", row_group_size=7)
    (column,) = read_facts(tmp_path / "a.parquet").columns
    assert [text for _, text in column.examples] == ["['lo', 'hi']", "[]", "[null]"]


def test_groups_without_rows_are_passed_over(tmp_path: Path) -> None:
    table = pa.table({"x": [[1, 2], [3], None, [4], [5], [6]]})
    with pq.ParquetWriter(tmp_path / "x.parquet", table.schema) as writer:
        for part in (table[:0], table[:4], table[4:], table[:0]):
            writer.write_table(part)
    (column,) = read_facts(tmp_path / "x.parquet").columns
    assert [text for _, text in column.examples] == ["[1, 2]", "[3]", "[6]"]


@pytest.mark.parametrize("compression", [None, "lz4"])
def test_batches_of_an_ipc_file(compression: str | None, tmp_path: Path) -> None:
    table = pa.table({"k": range(100), "x": aj.from_sizes(pa.array(range(300)), [3] * 100).to_arrow()})
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(tmp_path / "x.arrow", table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=30)
    facts = read_facts(tmp_path / "x.arrow", "x")
    (x,) = facts.columns
    assert (facts.groups, facts.rows, x.shape, x.values) == (4, 100, "JaggedShape(100, 3)", 300)
    assert "4 record batches" in _tables.file_text(facts)
    assert (x.examples[0], x.examples[-1]) == ((0, "[0, 1, 2]"), (99, "[297, 298, 299]"))


def test_a_mapped_file_is_not_copied(tmp_path: Path) -> None:
    aj.write_ipc({"x": aj.from_sizes(np.arange(1_000_000), np.full(100_000, 10))}, tmp_path / "x.arrow")
    source = open_source(tmp_path / "x.arrow")
    before = pa.total_allocated_bytes()
    (column,) = list(source.batches(source.fields[0], source.fields[0].leaves, [0]))
    assert len(column) == 100_000
    assert pa.total_allocated_bytes() - before < 100_000


def test_bounds_of_durations_are_durations(tmp_path: Path) -> None:
    waits = aj.array([[dt.timedelta(days=1, seconds=5)], [dt.timedelta(seconds=2)]])
    aj.write_parquet({"wait": waits, "at": aj.zip(wait=waits)}, tmp_path / "a.parquet")
    facts = read_facts(str(tmp_path / "a.parquet"))
    wait, at = facts.columns
    assert (wait.minimum, wait.maximum) == (at.fields[0].minimum, at.fields[0].maximum) == ("0:00:02", "1 day 0:00:05")


def test_bounds_of_float16_are_numbers_over_all_row_groups(tmp_path: Path) -> None:
    values = pa.array([1.5, None, 256.0, -2.0], pa.float16())
    table = pa.table({"x": values, "v": pa.ListArray.from_arrays([0, 1, 2, 3, 4], values)})
    pq.write_table(table, tmp_path / "half.parquet", row_group_size=1)
    facts = read_facts(str(tmp_path / "half.parquet"))
    assert [(one.minimum, one.maximum) for one in facts.columns] == [("-2.0", "256.0")] * 2


def test_bounds_of_extension_types_are_their_values(tmp_path: Path) -> None:
    keys = [uuid.UUID(int=7), uuid.UUID(int=2**100)]
    storage = pa.array([one.bytes for one in keys], pa.binary(16))
    pq.write_table(pa.table({"key": pa.ExtensionArray.from_storage(pa.uuid(), storage)}), tmp_path / "keys.parquet")
    facts = read_facts(str(tmp_path / "keys.parquet"))
    assert [(one.minimum, one.maximum) for one in facts.columns] == [(str(keys[0]), str(keys[1]))]
    assert [text for _, text in facts.columns[0].examples] == [str(key) for key in keys]


def test_an_extension_type_of_several_leaves(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pd.DataFrame({"x": pd.interval_range(0, 2), "v": [[1], []]}).to_parquet(tmp_path / "a.parquet")
    for place in (tmp_path / "a.parquet", tmp_path):
        x, v = read_facts(place).columns
        assert (x.nulls, x.examples[0][1], v.shape) == (0, "{left: 0, right: 1}", "JaggedShape(2, [1, 0])")


def test_a_least_zero_is_no_negative_zero(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [0.0, 2.0]}), tmp_path / "zero.parquet")
    facts = read_facts(str(tmp_path / "zero.parquet"))
    assert [(one.minimum, one.maximum) for one in facts.columns] == [("0.0", "2.0")]


def test_a_field_of_structs(parquet: Path) -> None:
    (score,) = read_facts(parquet, "docs.score").columns
    assert (score.name, score.type, score.values, score.null_values) == ("docs.score", "jagged[int64, 2]", 4, 2)
    assert (score.minimum, score.maximum) == ("1", "4")
    assert score.examples[0] == (0, "[1, null]")


def test_a_list_inside_of_structs_is_a_dim(tmp_path: Path) -> None:
    docs = pa.array([[{"tokens": [1, 2]}, {"tokens": []}], []])
    pq.write_table(pa.table({"docs": docs}), tmp_path / "docs.parquet")
    (tokens,) = read_facts(tmp_path / "docs.parquet", "docs.tokens").columns
    assert (tokens.type, tokens.shape) == ("jagged[int64, 3]", "JaggedShape(2, [2, 0], [2, 0])")


def test_a_folder_is_one_set_of_facts(tmp_path: Path) -> None:
    """Files of one dataset: with folders that make columns, a column that one file lacks, and one of another type."""
    for key, rows, numbers in (("a", [[1, 2], None, []], [1, 2, 3]), ("b", [[4.5]], [9])):
        (tmp_path / f"in/key={key}").mkdir(parents=True)
        aj.write_parquet({"v": aj.array(rows), "number": numbers}, tmp_path / f"in/key={key}/x.parquet")
    pq.write_table(pa.table({"number": [5, None]}), tmp_path / "in/key=a/y.parquet")
    (tmp_path / "in/_notes.parquet").write_text("no parquet")
    facts = read_facts(tmp_path / "in")
    v, number, key = facts.columns
    assert (facts.files, facts.rows, facts.groups) == (3, 6, 3)
    assert facts.bytes == sum(one.stat().st_size for one in (tmp_path / "in").rglob("[xy].parquet"))
    assert (v.type, v.tagged, v.nulls, v.shape) == ("jagged[double, 2]", True, 3, "JaggedShape(6, [2, 0, 0, 0, 0, 1])")
    assert (v.values, v.examples[0], v.examples[-1]) == (3, (0, "[1.0, 2.0]"), (5, "[4.5]"))
    assert (number.minimum, number.maximum, number.nulls) == ("1", "9", 1)
    assert (key.type, key.minimum, key.maximum, key.nulls) == ("string", "'a'", "'b'", 0)
    assert key.examples == [(0, "'a'"), (1, "'a'")]
    shown = run("show", tmp_path / "in", "v")
    assert (shown.returncode, "Parquet, 3 files, 6 rows" in shown.stdout) == (0, True)


def test_a_folder_has_the_files_that_read_parquet_reads(tmp_path: Path) -> None:
    """Other writers give files of Parquet other names."""
    for number, name in enumerate(("a.parquet", "b.pq", "000000_0")):
        aj.write_parquet({"v": aj.array([[number]] * 2)}, tmp_path / name)
    assert read_facts(tmp_path).rows == aj.read_parquet(tmp_path).num_rows == 6
    (tmp_path / "a.parquet").unlink()
    assert read_facts(tmp_path).files == 2
    (tmp_path / "notes.txt").write_text("no parquet")
    for reader in (read_facts, aj.read_parquet):
        with pytest.raises(JagError, match=r"notes\.txt"):
            reader(tmp_path)


def test_a_folder_of_files_with_structs_is_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        docs = aj.zip(score=aj.array([[number, 1]] * 10), name=aj.array([["a", "b"]] * 10))
        aj.write_parquet({"docs": docs}, tmp_path / f"{number}.parquet", row_group_size=5)
    (score,) = read_facts(tmp_path, "docs.score").columns
    assert (score.values, score.minimum, score.maximum, score.groups_read) == (80, "0", "3", 8)
    monkeypatch.setattr(_facts, "SAMPLED_VALUES", 30)
    assert read_facts(tmp_path, "docs.score").columns[0].groups_read == 3


def test_a_folder_divides_its_groups_among_files_in_one_pass(tmp_path: Path) -> None:
    for number, rows in enumerate([3, 0, 1, 4]):
        table = pa.table({"v": aj.array([[number, row] for row in range(rows)], type=pa.int64(), ndim=2).to_arrow()})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=2)
    passes: list[int] = []

    class Groups(list[int]):
        def __iter__(self) -> Any:
            passes.append(1)
            return super().__iter__()

    source = open_path(str(tmp_path))
    (field,) = source.fields
    assert source.sizes == [2, 1, 0, 1, 2, 2]
    found = source.batches(field, field.leaves, Groups([0, 3, 4, 5]))
    assert [row for batch in found for row in batch.to_pylist()] == [[0, 0], [0, 1], [2, 0], [3, 0], [3, 1], [3, 2], [3, 3]]
    assert passes == [1]


def test_plain_lists_are_jagged_and_said_to_be_plain(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": pa.array([[1], [2, 3]])}), tmp_path / "x.parquet")
    (x,) = read_facts(tmp_path / "x.parquet").columns
    assert (x.type, x.tagged) == ("jagged[int64, 2]", False)
    assert "(plain lists)" in run("show", tmp_path / "x.parquet").stdout


def test_a_declared_extent(tmp_path: Path) -> None:
    aj.write_parquet({"x": aj.zeros(5, 3)}, tmp_path / "x.parquet")
    (x,) = read_facts(tmp_path / "x.parquet").columns
    assert (x.type, x.shape, x.levels[0].extent) == ("jagged[double, 2, extents=(3,)]", "JaggedShape(5, 3)", 3)
    assert "all 3 (declared)" in run("show", tmp_path / "x.parquet").stdout


@pytest.mark.parametrize("write", [aj.write_parquet, aj.write_ipc])
def test_no_rows_and_no_columns(write: Any, tmp_path: Path) -> None:
    write({"x": aj.array([[1]])[:0], "k": pa.array([], pa.int32())}, tmp_path / "empty")
    x, k = read_facts(tmp_path / "empty").columns
    assert (x.shape, x.levels[0].minimum, x.examples, k.nulls) == ("JaggedShape(0, [])", None, [], 0)
    write(pa.table({}), tmp_path / "none")
    assert read_facts(tmp_path / "none").columns == []
    with pytest.raises(aj.JagValueError, match="none has no columns to draw"):
        _facts.read_column(str(tmp_path / "none"), None, None)
    assert run("show", tmp_path / "empty").returncode == run("show", tmp_path / "none").returncode == 0


def test_a_large_column_is_sampled_by_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = aj.from_sizes(pa.array(range(3000)), [3] * 1000)
    pq.write_table(pa.table({"x": x.to_arrow()}), tmp_path / "x.parquet", row_group_size=100)
    monkeypatch.setattr(_facts, "SAMPLED_VALUES", 900)
    (some,) = read_facts(tmp_path / "x.parquet").columns
    (whole,) = read_facts(tmp_path / "x.parquet", everything=True).columns
    assert (some.groups_read, some.levels[0].rows) == (3, 300)
    assert (whole.groups_read, whole.levels[0].rows) == (10, 1000)
    assert "3 of 10 row groups" in _tables.sample_text(some, read_facts(tmp_path / "x.parquet"))


def test_histogram_counts_every_row_once() -> None:
    tally = Tally()
    for sizes in ([0, 1, 1, 5], [1000, 2, 2], [0] * 500):
        tally.add(Ragged(sizes))
    level = tally.level(1)
    assert sum(one.rows for one in level.histogram) == 507
    assert level.histogram[0] == _facts.Bin(0, 0, 501)
    assert (level.histogram[0].first, level.histogram[-1].last) == (0, 1000)
    assert _tables.is_doubling(level.histogram)
    assert tally.text() == "[0, 1, 1, ..., 0, 0, 0]"


@pytest.mark.parametrize("sizes", [[2], [0, 0], [3, 1, 2, 4], list(range(50)), [1, 7, 7, 9, 100]])
def test_level_agrees_with_plain_lists(sizes: list[int]) -> None:
    tally = Tally()
    tally.add(Ragged(sizes))
    level = tally.level(1)
    assert (level.minimum, level.maximum, level.mean) == (min(sizes), max(sizes), sum(sizes) / len(sizes))
    assert level.median == statistics.median(sizes)
    for one in level.histogram:
        assert one.rows == sum(one.first <= size <= one.last for size in sizes)


@given(
    sizes=st.lists(st.none() | st.sampled_from([0, 1, 2, 3, 1000]), max_size=12) | st.lists(st.none() | st.just(0), max_size=3),
    cuts=st.lists(st.integers(0, 12), max_size=2).map(sorted),
)
def test_a_tally_of_batches_agrees_with_plain_lists(sizes: list[int | None], cuts: list[int]) -> None:
    x = aj.array([None if size is None else [0] * size for size in sizes], type=pa.int8(), ndim=2)
    tally = Tally()
    for start, stop in pairwise([0, *cuts, len(sizes)]):
        tally.add(x[start:stop].shape.dims[1])
    level, known = tally.level(1), [size for size in sizes if size is not None]
    assert (level.rows, level.items, level.nulls, level.empty) == (len(x), x.size, len(x) - len(known), known.count(0))
    assert (level.minimum, level.maximum) == (min(known, default=None), max(known, default=None))
    assert level.median == (statistics.median(known) if known else None)
    assert level.mean == (statistics.mean(known) if known else None)
    assert [one.rows for one in level.histogram] == [
        sum(one.first <= size <= one.last for size in known) for one in level.histogram
    ]
    assert sum(one.rows for one in level.histogram) == len(known)
    assert f"JaggedShape({len(x)}, {tally.text()})" == repr(x.shape)


def test_blocks_show_every_bin_that_has_rows() -> None:
    bins = [_facts.Bin(size, size, rows) for size, rows in enumerate([1000, 1, 0, 500])]
    assert _tables.bar_text(bins) == "█▁ ▄"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (1_234_567, "1.23 MB"),
        (999_499, "999 kB"),
        (999_900, "1000 kB"),
        (10**6, "1 MB"),
        (5 * 10**15, "5000 TB"),
    ],
)
def test_bytes(size: int, text: str) -> None:
    assert _tables.byte_text(size) == text


# --------------------------------------------------------------------------------------------------- show


def test_show_in_a_pipe_is_plain(parquet: Path) -> None:
    shown = run("show", parquet, FORCE_COLOR="", NO_COLOR="")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "\x1b" not in shown.stdout
    assert not re.search("[─│┃━]", shown.stdout)
    assert "JaggedShape(4, [2, 0, 0, 3], [2, 1, 0, 0, 1])" in shown.stdout
    assert "row 0  [[1.5, null], [2.0]]" in shown.stdout


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def on_terminal(file: Path) -> str:
    terminal = Terminal()
    _tables.print_facts(_tables.console_for(terminal), read_facts(file))
    return terminal.getvalue()


def without_styles(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_no_color_is_respected_on_a_terminal(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;36mdelays" in on_terminal(parquet)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "delays" in on_terminal(parquet)
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", on_terminal(parquet))


@pytest.mark.parametrize("width", [160, 100, 80, 60])
def test_wide_cells_give_way_to_narrow_ones(width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    when = pa.array([0, 10**15, None], pa.timestamp("us", "Europe/Berlin"))
    inner = aj.zip(id=aj.array([[1], [], None]), note=aj.array([["n" * 200], [], None]))
    aj.write_parquet({"id": [1, 2, 3], "text": ["t" * 200, "", None], "when": when, "docs": inner}, tmp_path / "a.parquet")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")  # a dumb one is always 80 letters wide
    lines = [line.split() for line in without_styles(on_terminal(tmp_path / "a.parquet")).splitlines()]
    assert ["column", "type", "nulls", "min", "max", "bytes", "first"] in [line[:7] for line in lines]
    assert [(line[0], line[2]) for line in lines if line[1:2] == ["int64"]] == [("id", "0"), ("id", "0")]
    assert ["dim", "rows", "items", "min", "median", "mean", "max", "empty", "null", "items", "per"] in [
        line[:11] for line in lines
    ]


def test_narrow_terminals_show_rows_of_tables_as_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = aj.zip(id=aj.array([[1234567, 2], [], None]), note=aj.array([["n", "m"], [], None]))
    aj.write_parquet({"n": [1234567, 2, 3], "docs": inner, "v": aj.array([[0.5], [], None])}, tmp_path / "a.parquet")
    for name, value in {"COLUMNS": "40", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    shown = without_styles(on_terminal(tmp_path / "a.parquet"))
    assert "  max         1234567\n" in shown
    assert "dim 1\n  rows           3\n  items          2\n" in shown
    assert "leaf\n  values  1\n  null    0\n  range   0.5 to 0.5\n" in shown
    assert "1 row group, " in shown


def test_both_bounds_of_long_texts_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "texts.parquet"
    aj.write_parquet({"v": aj.array([["a" * 80, "bee"]])}, path)
    for name, value in {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    assert f" '{'a' * 16}... to 'bee' " in without_styles(on_terminal(path))


def test_text_about_columns_without_values(tmp_path: Path) -> None:
    aj.write_parquet({"v": aj.array([None, None], ndim=2)}, tmp_path / "a.parquet")
    shown = run("show", tmp_path / "a.parquet").stdout
    assert "null rows only" in shown
    pq.write_table(pa.table({}), tmp_path / "b.parquet")
    assert "There are no columns." in run("show", tmp_path / "b.parquet").stdout


def test_bounds_of_a_folder_have_the_type_of_the_column(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    aj.write_parquet({"x": aj.array([[1], [7]])}, tmp_path / "in" / "a.parquet")
    aj.write_parquet({"x": aj.array([[2.5], []])}, tmp_path / "in" / "b.parquet")
    (column,) = read_facts(str(tmp_path / "in")).columns
    assert (column.minimum, column.maximum) == ("1.0", "7.0")


def test_pictures_of_a_page_have_texts_side_by_side(tmp_path: Path) -> None:
    aj.write_parquet({"v": aj.from_sizes(np.arange(3100), [3] * 1000 + [100])}, tmp_path / "a.parquet")
    page = run("show", tmp_path / "a.parquet", "--html").stdout
    found = re.findall(r'<text x="(\d+)" y="(\d+)"[^>]*>([^<]*)</text>', page)
    assert [text for _, _, text in found] == ["3", "100", "each bin is twice as wide as the one before"]
    assert found[2][1] != found[1][1] == found[0][1]


def test_a_page_counts_one_value_as_one(tmp_path: Path) -> None:
    aj.write_parquet({"x": aj.array([[5]])}, tmp_path / "a.parquet")
    page = run("show", tmp_path / "a.parquet", "--html").stdout
    assert "1 row, 0 null" in page
    assert "<p>1 value, 0 null" in page


@pytest.mark.parametrize("words", [["-h"], ["show", "-h"]])
def test_the_short_option_of_help(words: list[str]) -> None:
    assert "Usage: arrowjag" in run(*words).stdout


def test_one_row_is_not_rows(tmp_path: Path) -> None:
    aj.write_parquet({"k": [1]}, tmp_path / "a.parquet")
    assert " Parquet, 1 row, 1 row group, " in run("show", tmp_path / "a.parquet").stdout
    report = Report(rows=1, tasks=1, kept=0, seconds=0.0, rows_read=1, bytes=1, bytes_written=1, peak_memory=None)
    assert str(report) == "1 task, 1 row; read 1 row, 1 B, wrote 1 B in 0.0 s"


def test_names_don_t_break_lines(tmp_path: Path) -> None:
    aj.write_parquet({"a\nb\x1b[31m": [1], "größe\t": aj.array([[1]])}, tmp_path / "a.parquet")
    shown = run("show", tmp_path / "a.parquet").stdout
    assert "\na\\nb\\x1b[31m  int64" in shown
    assert "\ngröße\\t  jagged[int64, 2]" in shown


def test_show_without_block_characters(parquet: Path) -> None:
    shown = run("show", parquet, PYTHONIOENCODING="ascii")
    assert shown.returncode == 0
    assert shown.stdout.isascii()


def test_json_holds_the_same_facts(parquet: Path) -> None:
    facts = json.loads(run("show", parquet, "delays", "--json").stdout)
    (delays,) = facts["columns"]
    assert (facts["rows"], facts["format"], delays["type"]) == (4, "Parquet", "jagged[double, 3]")
    assert [level["nulls"] for level in delays["levels"]] == [1, 1]
    assert delays["examples"][0] == [0, "[[1.5, null], [2.0]]"]
    page = parquet.parent / "page.html"
    both = run("show", parquet, "delays", "--json", "--html", page)
    assert json.loads(both.stdout) == facts
    assert both.stderr == f"{page}\n"
    for words in (["--html"], ["--html", "--all"], ["--html", "-"]):  # without a file name the page is printed
        assert run("show", parquet, "delays", *words).stdout == page.read_text(encoding="utf-8")


# --------------------------------------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("show missing.parquet", "missing.parquet: no such file"),
        ("show nope://bucket/a.parquet", "nope://bucket/a.parquet: Protocol not known"),
        ("show text.parquet", "text.parquet is text, not a Parquet or Arrow IPC file; read it with pyarrow.csv.read_csv"),
        ("show half.parquet", "half.parquet is damaged"),
        ("show half.arrow", "half.arrow is damaged"),
        ("show .", "full/old.parquet is neither a Parquet nor an Arrow IPC file"),
        ("show bare", "bare is a folder without Parquet files"),
        ("show flights.parquet nope", "flights.parquet has no column 'nope'; it has plane, seats, delays, docs"),
        ("show flights.parquet docs.nope", "column docs: no field 'nope'; its fields are score, name"),
        ("show flights.parquet seats.x", "column seats: no field 'x'; it holds no structs"),
        ("show flights.parquet --bad", "No such option"),
        ("show flights.parquet --html no/page.html", "there is no folder no"),
        ("show flights.parquet --html --json", "--json and --html can't both print to stdout"),
        ("show flights.parquet --plot no/picture.png", "there is no folder no"),
        ("show flights.parquet delays --plot picture.xyz", "--plot: picture.xyz: write png, svg or pdf"),
        ("show", "Missing argument 'file'"),
        ("frobnicate", "No such command 'frobnicate'"),
        ("--bad", "No such option"),
        ("run job.py flights.parquet out", "write JOB.py:FUNCTION"),
        ("run nope.py:f flights.parquet out", "nope.py: no such file"),
        ("run job.py:nope flights.parquet out", "job.py has no function 'nope'; it has same"),
        ("run wrong.py:f flights.parquet out", "wrong.py, line 2: ZeroDivisionError: division by zero"),
        ("run syntax.py:f flights.parquet out", "syntax.py, line 1: SyntaxError"),
        ("run job.py:same nope.parquet out", "nope.parquet: no such file or folder"),
        ("run job.py:same flights.parquet out --workers 0", "--workers"),
        ("run job.py:same flights.parquet out --resume --replace", "give one of them"),
        ("run job.py:same flights.parquet out --batch-bytes many", "--batch-bytes must be a number of bytes or a text"),
        ("run job.py:same flights.parquet full", "old.parquet: --resume keeps what is done, --replace deletes all Parquet files"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    words: str, says: str, parquet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = parquet.parent
    monkeypatch.chdir(folder)
    (folder / "text.parquet").write_text("plane,seats\n")
    (folder / "bare").mkdir()
    (folder / "half.parquet").write_bytes(parquet.read_bytes()[:100])
    (folder / "full").mkdir()
    (folder / "full/old.parquet").write_bytes(b"")
    (folder / "half.arrow").write_bytes(b"ARROW1\0\0 and then nothing")
    (folder / "job.py").write_text("def same(frame):\n    return frame\n")
    (folder / "wrong.py").write_text("def f(frame): ...\n1 / 0\n")
    (folder / "syntax.py").write_text("def f(:\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    assert main(shlex.split(words)) == 2
    output = capsys.readouterr()
    assert says.lower() in output.err.lower()  # versions of typer write the names of arguments in small letters or in capitals
    assert output.err.startswith("arrowjag: ")
    assert (output.err.count("\n"), output.out) == (1, "")


def test_the_file_is_registered_again_after_a_look(parquet: Path) -> None:
    read_facts(parquet)
    assert isinstance(aj.read_parquet(parquet).schema.field("delays").type, aj.JaggedType)


@pytest.mark.parametrize("library", ["typer", "rich"])
def test_a_missing_package_is_one_line(library: str) -> None:
    code = f"import sys; sys.modules[{library!r}] = None; from arrowjag.cli import main; sys.exit(main(['show', 'x']))"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert child.returncode == 2
    assert child.stderr == f"arrowjag: the command needs the package {library}: pip install 'arrowjag[cli]'\n"


def test_closing_the_reader_of_a_pipe_raises_no_error(parquet: Path) -> None:
    show = f"{shlex.quote(sys.executable)} -m arrowjag show {shlex.quote(str(parquet))}"
    command = f'{{ {show} --json; echo "exit code $?" >&2; }} | true'
    child = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert child.stderr == "exit code 0\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("words", ["--version", "show {}", "show {} --json", "show {} --html", "show {} --html {}.d/page.html"])
def test_a_full_disk_is_one_line_that_names_the_output(
    words: str, parquet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path(f"{parquet}.d/page.html")
    page.parent.mkdir()
    page.symlink_to("/dev/full")
    with Path("/dev/full").open("w") as full, monkeypatch.context() as there:
        there.setattr(sys, "stdout", full)
        assert main([word.format(parquet) for word in words.split()]) == 2
        with contextlib.suppress(OSError):
            full.close()
    output = str(page) if words.endswith("page.html") else "stdout"
    told = rf"arrowjag: (\[Errno 28\] )?{re.escape(output)} can't be written: No space left on device\n"
    assert re.fullmatch(told, capsys.readouterr().err)


# --------------------------------------------------------------------------------------------------- the rest


def test_help_has_colours_on_a_terminal_and_none_elsewhere() -> None:
    pty = pytest.importorskip("pty")
    code = "from arrowjag.cli import main; main(['run', '--help'])"
    for settings, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        try:
            parent, child = pty.openpty()
        except OSError as error:
            pytest.skip(f"no terminals here: {error}")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"} | settings
        if not settings:
            environment.pop("NO_COLOR", None)
        with subprocess.Popen([sys.executable, "-c", code], stdout=child, stderr=child, env=environment) as running:
            os.close(child)
            shown = b""
            with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
                while part := os.read(parent, 1 << 16):
                    shown += part
            running.wait()
        os.close(parent)
        assert b"--storage-option" in re.sub(rb"\x1b\[[0-9;]*m", b"", shown)
        assert (b"\x1b[" in shown) is coloured


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"arrowjag {aj.__version__}\n"
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("show", "run", "demo", "--install-completion"))
    assert "..." not in shown.partition("Commands:")[2]  # what a command does fits its line


def test_run_hands_its_words_to_etl(parquet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import types

    calls = []

    class Report:
        failures: tuple[str, ...] = ()

        def __str__(self) -> str:
            return "4 rows in 1 task"

    def etl_run(transform: Any, source: str, sink: str, **options: Any) -> Report:
        calls.append((transform(7), source, sink, options))
        return Report()

    (parquet.parent / "hand_over.py").write_text("def double(frame):\n    return 2 * frame\n")
    monkeypatch.chdir(parquet.parent)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setitem(sys.modules, "arrowjag.etl", types.SimpleNamespace(run=etl_run))
    words = "run hand_over.py:double flights.parquet out --resume --workers 3 --memory 1GB --batch-bytes 8MB"
    words += " --engine ray --frame pandas"
    assert main(words.split()) == 0
    assert capsys.readouterr().out == "4 rows in 1 task\n"
    ((result, source, sink, options),) = calls
    assert (result, source, sink) == (14, "flights.parquet", "out")
    expected = {"engine": "ray", "workers": 3, "memory": "1GB", "mode": "resume", "frame": "pandas"}
    expected |= {"on_error": "stop", "batch_bytes": "8MB", "missing_inputs": "keep", "dry_run": False}
    assert {name: value for name, value in options.items() if value is not None} == expected
    assert main(["run", "hand_over.py:double", "s3://bucket/in", "memory://out/a"]) == 0
    assert calls[1][1:3] == ("s3://bucket/in", "memory://out/a")
    capsys.readouterr()
    monkeypatch.setattr(Report, "failures", ("flights.parquet, row group 0",))
    assert main(words.split()) == 1
    assert "1 task failed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (type("JobError", (JagError, RuntimeError), {})("flights.parquet, row group 0:\nKeyError: 'x'"), 1),
        (JagValueError("the sink holds files"), 2),
        (PermissionError("no"), 2),
        (KeyboardInterrupt(), 130),
        (SystemExit(143), 143),
    ],
    ids=lambda one: type(one).__name__,
)
def test_exit_codes_of_a_job(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*words: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(_jobs, "run", fails)
    assert main(["run", "job.py:f", "in", "out"]) == code
    assert capsys.readouterr().err.count("\n") == 1


def test_a_figure_that_differs_is_exit_code_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from arrowjag import demo

    def differs(self: Any) -> None:
        raise AssertionError("miles differ")

    monkeypatch.setattr(demo.Demo, "run", differs)
    assert main(["demo"]) == 1
    assert "miles differ" in capsys.readouterr().err


def test_completion_knows_the_columns_of_a_file(parquet: Path) -> None:
    class Context:
        params: dict[str, Path]

    Context.params = {"file": parquet}
    assert _commands._complete_column(Context(), "d") == ["delays", "docs", "docs.score", "docs.name"]
    Context.params = {"file": Path("missing")}
    assert _commands._complete_column(Context(), "d") == []


def test_completion_of_the_shell() -> None:
    done = run(_ARROWJAG_COMPLETE="complete_bash", COMP_WORDS="arrowjag sh", COMP_CWORD="1")
    assert done.stdout.split() == ["show"]


def examples() -> list[str]:
    """The lines of every help text that start with the command's name."""
    texts = [one.help or one.callback.__doc__ or "" for one in _commands.app.registered_commands if one.callback]
    return [line.strip() for text in texts for line in text.splitlines() if re.match(r"\s*arrowjag ", line)]


def test_every_command_has_an_example() -> None:
    named = {line.split()[1] for line in examples()}
    assert named == {one.name or one.callback.__name__ for one in _commands.app.registered_commands if one.callback}


# `make demo` runs that of `arrowjag demo`, and so does the page of the command.
@pytest.mark.parametrize("line", [line for line in examples() if line != "arrowjag demo"])
def test_examples_of_help_texts_run(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if " run " in line or " status " in line:
        pytest.importorskip("polars")
        pytest.importorskip("cloudpickle")
        from tests.etl.jobs import InlineEngine

        monkeypatch.setattr("arrowjag.etl._job.LocalEngine", InlineEngine)
    if " compile" in line:
        pytest.importorskip("numba")
    if "--plot" in line:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    docs = aj.array([[{"dep_delay": 1.0, "dest": "IAH"}, {"dep_delay": None, "dest": "MIA"}], []])
    aj.write_parquet({"plane": ["N1", "N2"], "flights": docs}, "flights.parquet")
    Path("job.py").write_text("def totals(frame):\n    return frame.select('plane')\n")
    if "--resume" in line:
        assert main(shlex.split(line.replace("--resume", ""))[1:]) == 0
    if " status " in line:
        assert main(["run", "job.py:totals", "flights.parquet", "results"]) == 0
    capsys.readouterr()
    assert main(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out


def test_names_that_begin_or_repeat_the_path_of_another(tmp_path: Path) -> None:
    """pyarrow reads all columns whose path begins with the one named."""
    pq.write_table(pa.table({"a.b": [[1, 2]], "a": [{"b": 5}]}), tmp_path / "dots.parquet")
    assert [one.examples for one in read_facts(tmp_path / "dots.parquet", None, width=80).columns] == [
        [(0, "[1, 2]")],
        [(0, "{b: 5}")],
    ]
    pq.write_table(pa.table([[1], [[2]]], ["a", "a"]), tmp_path / "twice.parquet")
    assert [one.examples for one in read_facts(tmp_path / "twice.parquet", None, width=80).columns] == [[(0, "1")], [(0, "[2]")]]
