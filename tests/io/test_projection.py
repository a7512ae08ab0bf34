"""Names of columns and leaves; only the column chunks that are named are read."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.cli._facts import read_facts
from arrowjag.io._leaves import leaf_names, select
from tests.etl.jobs import InlineEngine, keep
from tests.hosts import pd

ROWS = 3000
DOCS = [[[{"score": 0.5, "tags": ["a", None], "at": {"x": 1, "y": 2.5}}, None], []], None, [None, [{"score": None}]]]
LEAF = pa.struct(
    [
        ("score", pa.float64()),
        ("tags", pa.large_list(pa.string())),
        ("at", pa.struct([("x", pa.int64()), ("y", pa.float32())])),
        ("pair", pa.list_(pa.int8(), 2)),
    ]
)


class Counted(io.BytesIO):
    """A file that tells which bytes were asked for."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.ranges: list[tuple[int, int]] = []

    def read(self, size: int | None = -1) -> bytes:
        start = self.tell()
        content = super().read(size)
        self.ranges.append((start, start + len(content)))
        return content

    def readinto(self, buffer: Any) -> int:
        start = self.tell()
        count = super().readinto(buffer)
        self.ranges.append((start, start + count))
        return count


@pytest.fixture(scope="module")
def content() -> bytes:
    """Larger than the piece at the end that readers fetch for the footer."""
    docs = aj.array(DOCS * (ROWS // 3), type=LEAF, ndim=3)
    noise = np.random.default_rng(0).random(ROWS * 4)
    table = pa.table({"docs": docs.to_arrow(), "k": range(ROWS), "docs.score": range(ROWS), "noise": noise.reshape(-1, 4).tolist()})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=1000)
    return sink.getvalue()


def chunks_of(content: bytes, *paths: str) -> list[tuple[int, int]]:
    footer = pq.read_metadata(pa.BufferReader(content))
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    columns = [group.column(place) for group in groups for place in range(group.num_columns)]
    starts = [(column, column.dictionary_page_offset or column.data_page_offset) for column in columns]
    return [(start, start + column.total_compressed_size) for column, start in starts if column.path_in_schema in paths]


@pytest.mark.parametrize(
    ("columns", "paths"),
    [
        (["docs.at.x"], ["docs.list.element.list.element.at.x"]),
        (["docs.tags"], ["docs.list.element.list.element.tags.list.element"]),
        (["docs.pair"], ["docs.list.element.list.element.pair.list.element"]),
        (["docs.at", "k"], ["docs.list.element.list.element.at.x", "docs.list.element.list.element.at.y", "k"]),
        (["k"], ["k"]),
    ],
)
def test_only_the_column_chunks_named_are_read(content: bytes, columns: list[str], paths: list[str]) -> None:
    file = Counted(content)
    result = aj.read_parquet(file, columns=columns)
    wanted = chunks_of(content, *paths)
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    data = [span for span in file.ranges if span[0] < footer and span[1] < len(content)]  # the footer is read with what's before it
    assert sum(stop - start for start, stop in data) == sum(stop - start for start, stop in wanted)
    assert all(any(first <= start and stop <= last for first, last in wanted) for start, stop in data)
    assert result.num_rows == ROWS


def test_a_part_equals_the_part_of_the_whole(content: bytes) -> None:
    whole = aj.from_arrow(aj.read_parquet(content, columns=["docs"])["docs"])
    table = aj.read_parquet(content, columns=["docs.tags", "docs.at.y"])
    assert table.column_names == ["docs"]
    part = aj.from_arrow(table["docs"])
    assert list(part.fields) == ["tags", "at"]
    assert part.shape == whole.shape
    assert part["tags"].equals(whole["tags"])
    assert part["at"]["y"].equals(whole["at"]["y"])
    assert part.is_null().equals(whole.is_null())


def test_a_column_with_dots_in_its_name_comes_first(content: bytes) -> None:
    table = aj.read_parquet(content, columns=["docs.score"])
    assert table.column_names == ["docs.score"]
    assert table.schema.field(0).type == pa.int64()


def test_columns_have_the_requested_order(content: bytes) -> None:
    assert aj.read_parquet(content, columns=["k", "docs.at", "k"]).column_names == ["k", "docs"]


@pytest.mark.parametrize("name", ["docs.scores", "nope", "docs.score.more", "docs.at.z", "k.x", "docs."])
def test_unknown_names_raise_with_the_names_there_are(content: bytes, name: str) -> None:
    with pytest.raises(aj.JagValueError, match=re.escape(repr(name))) as caught:
        aj.read_parquet(content, columns=["k", name])
    text = str(caught.value)
    assert "docs, docs.score, docs.tags, docs.at, docs.at.x, docs.at.y, docs.pair, k, docs.score, noise" in text


def test_a_string_is_not_taken_for_a_list_of_names(content: bytes) -> None:
    with pytest.raises(aj.JagTypeError, match=r"write columns=\['k'\]"):
        aj.read_parquet(content, columns="k")


@pytest.mark.parametrize("to", ["pandas", "polars"])
def test_parts_reach_the_hosts(content: bytes, to: str) -> None:
    frame = aj.read_parquet(content, columns=["docs.at.x"], to=to)
    assert aj.array(frame["docs"])["at"]["x"].to_list()[0] == [[1, None], []]


def test_plain_lists_have_parts_too(tmp_path: Path) -> None:
    pq.write_table(pa.table({"s": pa.array([[{"a": 1, "b": "x"}], None])}), tmp_path / "a.parquet")
    table = aj.read_parquet(tmp_path / "a.parquet", columns=["s.b"])
    assert table.to_pylist() == [{"s": [{"b": "x"}]}, {"s": None}]


def test_names_of_a_schema() -> None:
    schema = pa.schema([("a", aj.JaggedType.of(LEAF, 2)), ("m", pa.map_(pa.string(), pa.int8()))])
    assert leaf_names(schema) == ["a", "a.score", "a.tags", "a.at", "a.at.x", "a.at.y", "a.pair", "m", "m.key", "m.value"]
    assert select(schema, ["a.at", "m", "a.score"]) == {"a": {("at",), ("score",)}, "m": {()}}


def test_no_columns_have_rows(content: bytes) -> None:
    rows = aj.read_parquet(content).num_rows
    got = aj.read_parquet(content, columns=[])
    assert (got.num_rows, got.num_columns) == (rows, 0)
    if pd:
        assert aj.read_parquet(content, columns=[], to="pandas").shape == (rows, 0)


def test_columns_take_as_many_steps_among_many_as_among_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pyarrow makes the type of a column anew each time that it is asked for, so that loops over all columns for each are slow."""
    monkeypatch.setattr("arrowjag.etl._job.LocalEngine", InlineEngine)
    made: list[int] = []

    def count(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name == "__arrow_ext_deserialize__":
            made.append(1)

    def types_made(n: int) -> list[int]:
        found: list[int] = []
        x, path = aj.array([[1.5], []]), tmp_path / f"{n}.parquet"
        calls: list[Any] = [
            lambda: aj.write_parquet({f"c{i}": x for i in range(n)}, path),
            lambda: aj.read_parquet(path),
            lambda: aj.read_parquet(path, columns=[f"c{i}" for i in range(n)], to="pandas"),
            lambda: aj.scan_parquet(path).collect(),
            lambda: aj.etl.run(keep, path, tmp_path / "out", frame="arrow", mode="replace", progress=False),
            lambda: aj.write_ipc({f"c{i}": x for i in range(n)}, path),
            lambda: aj.read_ipc(path),
            lambda: read_facts(str(path)),
        ]
        for call in calls:
            sys.setprofile(count)
            try:
                call()
            finally:
                sys.setprofile(None)
            found.append(len(made))
            made.clear()
        return found

    few, many = types_made(5), types_made(50)
    assert all(b <= 11 * a for a, b in zip(few, many, strict=True)), (few, many)
