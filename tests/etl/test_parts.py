"""Units, fingerprints and progress."""

from __future__ import annotations

import functools
import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import arrowjag as aj
from arrowjag.etl import _progress as progress
from arrowjag.etl._fingerprint import digest_of
from arrowjag.etl._units import bytes_text, parse_bytes, seconds_text
from tests.etl.jobs import InlineEngine, keep, write_dataset

LIMIT = 3


@pytest.mark.parametrize(
    ("amount", "size"),
    [(7, 7), ("7", 7), ("64MB", 64 * 10**6), ("64 MiB", 64 * 2**20), ("0.5gb", 5 * 10**8), ("2kB", 2000)],
)
def test_amounts(amount: Any, size: int) -> None:
    assert parse_bytes(amount, "memory") == size


@pytest.mark.parametrize("amount", ["", "MB", "-1MB", "0", 0, -5, "4 apples", "1iB", "1e9"])
def test_amounts_without_meaning(amount: Any) -> None:
    with pytest.raises(aj.JagValueError, match="memory must be a number of bytes"):
        parse_bytes(amount, "memory")


@pytest.mark.parametrize("amount", [True, 1.5, None])
def test_amounts_of_other_types(amount: Any) -> None:
    with pytest.raises(aj.JagTypeError, match="memory must be a number of bytes"):
        parse_bytes(amount, "memory")


def test_texts() -> None:
    assert [bytes_text(size) for size in (0, 999, 1500, 2_000_000, 5e12)] == ["0 B", "999 B", "1.5 kB", "2.0 MB", "5000.0 GB"]
    assert [seconds_text(one) for one in (0.04, 59.94, 60, 3599.6, 36061)] == ["0.0 s", "59.9 s", "1:00", "1:00:00", "10:01:01"]


def uses_limit(x: int) -> int:
    return x + LIMIT


def calls_itself(x: int) -> int:
    return calls_itself(x - 1) if x else uses_limit(x)


class Adds:
    amount = 1

    def __call__(self, x: int) -> int:
        return x + self.amount


def test_function_keys_depend_on_code_and_closure(monkeypatch: pytest.MonkeyPatch) -> None:
    def closing_over(n: Any) -> Any:
        return lambda x: x + n

    adds = Adds()
    facts = [
        lambda x: x + 1,
        lambda x: x + 2,
        lambda x: x - 1,
        lambda x, y=1: x + 1,
        lambda x: sorted(x, key=lambda y: y % 2),
        lambda x: sorted(x, key=lambda y: y % 3),
        closing_over(1),
        closing_over(2),
        closing_over([1, {"a": {1, 2}}]),
        closing_over([1, {"a": {1, 3}}]),
        functools.partial(uses_limit, 1),
        functools.partial(uses_limit, 2),
        uses_limit,
        calls_itself,
        adds,
        len,
        sum,
    ]
    first = [digest_of(one) for one in facts]
    assert len(set(first)) == len(facts)
    assert [digest_of(one) for one in facts] == first
    monkeypatch.setitem(globals(), "LIMIT", 4)
    changed = [place for place, one in enumerate(facts) if digest_of(one) != first[place]]
    assert changed == [10, 11, 12, 13]
    adds.amount = 2
    assert digest_of(adds) != first[14]


def test_values_that_hold_themselves_and_values_without_a_pickle() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert digest_of(loop) == digest_of(loop) != digest_of([1, [1]])
    assert digest_of(io.StringIO) != digest_of(sys.stdin)
    assert digest_of(iter([])) != digest_of(one for one in [1])


def test_lines_of_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    shown = progress.make_progress(True, rows=100, tasks=2)
    shown.advance(50)
    shown.task_done()
    shown.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("arrowjag: 0/2 tasks, 50/100 rows, ")
    assert lines[0].endswith(" left")
    assert lines[-1].startswith("arrowjag: 1/2 tasks, 50/100 rows, ")


def test_a_task_that_takes_long_shows_lines_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    write_dataset(tmp_path / "in", files=1)

    class Slow(InlineEngine):
        """Has nothing to tell, twice."""

        calls = 0

        def events(self) -> list[Any]:
            self.calls += 1
            return [] if self.calls < 3 else super().events()

    monkeypatch.setattr("arrowjag.etl._job.LocalEngine", Slow)
    aj.etl.run(keep, tmp_path / "in", tmp_path / "out", workers=1, frame="arrow")
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" rows,")[0] for line in lines[:2]] == ["arrowjag: 0/1 tasks, 0/40"] * 2
    assert lines[-1].startswith("arrowjag: 1/1 tasks, 40/40 rows, ")


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = progress.make_progress(True, rows=100, tasks=2)
    shown.advance(100)
    shown.task_done()
    shown.close()
    text = capsys.readouterr().err
    assert "100%" in text
    assert "1/2 tasks, 100/100 rows" in text


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_bar_on_a_narrow_terminal_leaves_out_facts_and_cuts_none(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    shown = progress.make_progress(True, rows=12_345_678, tasks=1200, size=10**11)
    shown._started -= 90
    shown.task_failed()
    shown.advance(4_000_000)
    shown.close()
    lines = [line for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err).splitlines() if line.strip()]
    assert "…" not in "".join(lines)
    assert "0/1200 tasks (1 failed)" in lines[-1]
    assert (" left" in lines[-1], "12,345,678 rows" in lines[-1], "GB" in lines[-1]) == (width > 40, width > 60, width > 100)


def test_lines_without_rich(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    shown = progress.make_progress(True, rows=4, tasks=1, size=2000)
    shown.advance(1)
    assert capsys.readouterr().err.startswith("arrowjag: 0/1 tasks, 1/4 rows, 500 B/2.0 kB, ")


def test_a_job_that_ends_at_once_shows_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    shown = progress.make_progress(True, rows=1, tasks=1)
    shown.advance(1)
    shown.close()
    assert capsys.readouterr().err == ""


def test_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    shown = progress.make_progress(False, rows=1, tasks=1)
    shown.advance(1)
    shown.close()
    assert capsys.readouterr() == ("", "")
