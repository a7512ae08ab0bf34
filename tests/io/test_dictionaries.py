"""Leaves whose values hardly repeat are written without a dictionary, unless the options say which leaves have one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag as aj
from arrowjag.io._dictionaries import leaves_without_repeats

N = 40_000
RNG = np.random.default_rng(5)
DIFFERENT = RNG.random(N)
FEW = np.round(RNG.random(N), 2)
IN_RUNS = np.repeat(RNG.random(N // 4), 4)
DRAWN = RNG.random(100_000)[RNG.integers(0, 100_000, N)]  # a megabyte holds them all
TEXTS = pa.array([f"text {number}" for number in range(N)])


def with_dictionaries(path: Path) -> dict[str, bool]:
    """The leaves of a file, and whether each has a dictionary."""
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(place) for place in range(group.num_columns)]
    return {column.path_in_schema: "RLE_DICTIONARY" in column.encodings for column in columns}


def in_rows(values: Any) -> aj.JaggedArray:
    return aj.from_sizes(pa.array(values), np.full(N // 10, 10))


FRAME = {
    "different": in_rows(DIFFERENT),
    "few": in_rows(FEW),
    "runs": in_rows(IN_RUNS),
    "drawn": in_rows(DRAWN),
    "ids": in_rows(np.arange(N, dtype=np.int32)),
    "small": in_rows(np.arange(N) % 128).cast("int8"),
    "text": in_rows(TEXTS),
    "words": in_rows(TEXTS.dictionary_encode()),
    "times": in_rows(np.arange(N)).cast("timestamp[us]"),
    "nulls": in_rows(pa.array(DIFFERENT, mask=RNG.random(N) < 0.2)),
    "mostly nulls": in_rows(pa.array(DIFFERENT, mask=RNG.random(N) < 0.8)),
}
HARDLY = {"different", "ids", "text", "times", "nulls"}


def test_values_that_hardly_repeat_get_no_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    aj.write_parquet(FRAME, path)
    found = {name.split(".")[0]: has for name, has in with_dictionaries(path).items()}
    assert found == {name: name not in HARDLY for name in FRAME}
    back = aj.read_parquet(path)
    assert all(aj.from_arrow(back[name]).equals(x) for name, x in FRAME.items())


TYPES = ["uint32", "uint64", "float", "date32", "date64", "time32[s]", "time64[ns]", "timestamp[us, tz=UTC]", "duration[ns]"]
TYPES += ["string", "large_string", "binary", "large_binary"]


@pytest.mark.parametrize("type", TYPES)
def test_every_type_that_a_dictionary_serves_is_sampled(type: str, tmp_path: Path) -> None:
    numbers = aj.from_sizes(np.arange(N) * (86_400_000 if type == "date64" else 1), np.full(N // 10, 10))
    narrow = numbers.cast("int32") if type in ("date32", "time32[s]") else numbers
    x = narrow.cast("string").cast(type) if "binary" in type else narrow.cast(type)
    aj.write_parquet({"x": x}, tmp_path / "a.parquet")
    assert list(with_dictionaries(tmp_path / "a.parquet").values()) == [False]
    assert aj.from_arrow(aj.read_parquet(tmp_path / "a.parquet")["x"]).equals(x)


@pytest.mark.parametrize("type", [pa.decimal128(30, 2), pa.binary(8), pa.float16(), pa.bool_(), pa.int16()], ids=str)
def test_other_types_keep_the_default(type: pa.DataType, tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    flat = {
        pa.binary(8): pa.array([int(one).to_bytes(8, "little") for one in range(N)], pa.binary(8)),
        pa.float16(): pa.array(draw.random(N).astype(np.float16)),
        pa.bool_(): pa.array(draw.random(N) < 0.5),
    }.get(type)
    x = in_rows(pa.array(np.arange(N) % 30_000).cast(type) if flat is None else flat)
    assert leaves_without_repeats(pa.table({"x": x.to_arrow()})) == []
    aj.write_parquet({"x": x}, tmp_path / "a.parquet")
    assert aj.from_arrow(aj.read_parquet(tmp_path / "a.parquet")["x"]).equals(x)


def test_leaves_are_distinguished_in_structs_maps_and_lists_of_any_kind(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    ends = pa.array(np.arange(0, N + 1, 10), pa.int32())
    struct = pa.StructArray.from_arrays([pa.array(FEW), pa.array(DIFFERENT)], ["few", "different"])
    columns = {
        "s": pa.LargeListArray.from_arrays(ends.cast(pa.int64()), struct),
        "f": pa.FixedSizeListArray.from_arrays(struct, 10),
        "m": pa.MapArray.from_arrays(ends, pa.array(np.arange(N)), pa.array(FEW)),
        "two": pa.ListArray.from_arrays(pa.array([0, N // 10], pa.int32()), pa.ListArray.from_arrays(ends, pa.array(DIFFERENT))),
    }
    for name, column in columns.items():
        aj.write_parquet(pa.table({"k": pa.nulls(len(column), pa.int64()), name: column}), path)
        found = with_dictionaries(path)
        assert {leaf.rpartition(".")[2] for leaf, has in found.items() if not has} == {
            {"s": "different", "f": "different", "m": "key", "two": "element"}[name]
        }, found


def test_short_columns_and_columns_without_rows_keep_the_default(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    aj.write_parquet({"x": in_rows(DIFFERENT)[:1000]}, path)
    assert list(with_dictionaries(path).values()) == [True]
    assert leaves_without_repeats(pa.table({"x": in_rows(DIFFERENT)[:0].to_arrow()})) == []
    assert leaves_without_repeats(pa.table({"x": pa.chunked_array([], pa.float64())})) == []


def test_a_slice_is_sampled_by_its_own_rows() -> None:
    both = pa.ListArray.from_arrays(pa.array([0, N, 2 * N], pa.int32()), pa.array(np.concatenate([FEW, DIFFERENT])))
    table = pa.table({"x": both})
    assert leaves_without_repeats(table.slice(0, 1)) == []
    assert leaves_without_repeats(table.slice(1, 1)) == [0]


@pytest.mark.parametrize(
    "options", [{"use_dictionary": True}, {"use_dictionary": ["different", "few"]}, {"dictionary_pagesize_limit": 1 << 24}]
)
def test_options_about_dictionaries_decide(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    aj.write_parquet({name: FRAME[name] for name in ("different", "few")}, path, **options)
    assert all(with_dictionaries(path).values())


def test_jobs_write_so_too(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    aj.write_parquet({name: FRAME[name] for name in ("different", "few")}, tmp_path / "in" / "a.parquet", use_dictionary=True)
    aj.etl.run(lambda table: table, tmp_path / "in", tmp_path / "out", frame="arrow", workers=1, progress=False)
    (path,) = (tmp_path / "out").glob("*.parquet")
    assert list(with_dictionaries(path).values()) == [False, True]
