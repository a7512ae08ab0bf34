"""Writing a frame into folders that are named after keys, and reading it back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.fs import LocalFileSystem

import arrowjag as aj
from arrowjag.io._partitions import cut_by_keys
from arrowjag.testing import LEAF_KINDS, ArrowColumn, arrow_columns, leaf_types
from tests.hosts import pd, pl

TEXTS = ["a/b", "a b", "a=b", "100%", "ü", "", "+", "..", ".", "\\", "a\nb", ':?*"<>|', "%2F", "null"]


def by_id(folder: Path, **options: Any) -> dict[str, list[Any]]:
    return aj.read_parquet(folder, **options).sort_by("id").to_pydict()


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_nulls_and_special_characters_in_keys(tmp_path: Path) -> None:
    keys = [*TEXTS, None, *TEXTS]
    rows = [[place, None] if place % 3 else None for place in range(len(keys))]
    frame = {"id": list(range(len(keys))), "key": keys, "v": aj.array(rows, ndim=2, type="int64")}
    aj.write_parquet(frame, tmp_path / "out", partition_by="key")
    assert len(files_in(tmp_path / "out")) == len(TEXTS) + 1
    assert by_id(tmp_path / "out") == {"id": frame["id"], "v": rows, "key": keys}
    assert aj.read_parquet(tmp_path / "out").schema.field("v").type == aj.JaggedType.of(pa.int64(), 2)
    assert pl.scan_parquet(tmp_path / "out").filter(pl.col("key").is_null()).collect()["id"].to_list() == [len(TEXTS)]
    assert ds.dataset(tmp_path / "out", partitioning="hive").count_rows() == len(keys)


def test_several_keys_of_several_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": range(6),
            "day": pa.array([0, 1, 0, None, 1, 0], pa.int32()).cast(pa.date32()),
            "small": pa.array([1, -2, 1, 1, -2, None], pa.int8()),
            "kind": pa.array(["x", "y", "x", "x", "z", "x"]).dictionary_encode(),
            "v": [[1], [], None, [2, 3], [4], [5]],
        }
    )
    aj.write_parquet(table, tmp_path / "out", partition_by=["small", "day", "kind"], row_group_size=1)
    assert files_in(tmp_path / "out") == [
        "small=-2/day=1970-01-02/kind=y/part-0.parquet",
        "small=-2/day=1970-01-02/kind=z/part-0.parquet",
        "small=1/day=1970-01-01/kind=x/part-0.parquet",
        "small=1/day=__HIVE_DEFAULT_PARTITION__/kind=x/part-0.parquet",
        "small=__HIVE_DEFAULT_PARTITION__/day=1970-01-01/kind=x/part-0.parquet",
    ]
    one = tmp_path / "out/small=1/day=1970-01-01/kind=x/part-0.parquet"
    assert pq.read_metadata(one).num_row_groups == 2
    assert pq.read_table(one, partitioning=None).to_pydict() == {"id": [0, 2], "v": [[1], None]}
    types = ds.partitioning(pa.schema([("small", pa.int8()), ("day", pa.date32()), ("kind", pa.string())]), flavor="hive")
    whole = aj.read_parquet(tmp_path / "out", partitioning=types).sort_by("id")
    assert whole.select(table.column_names).to_pydict() == table.to_pydict()
    found = by_id(tmp_path / "out", filters=[("small", "=", 1)])
    assert found["id"] == [0, 2, 3]


@given(
    column=arrow_columns(leaf=leaf_types(*LEAF_KINDS)), keys=st.lists(st.sampled_from(["a", "b", None]), min_size=30, max_size=30)
)
def test_every_row_is_assigned_to_its_key_in_order(column: ArrowColumn, keys: list[str | None]) -> None:
    x = aj.from_arrow(column.array, column.ndim)
    n = len(x)
    keys = (keys * (n // 30 + 1))[:n]
    if n and not any(keys):
        return
    table = pa.table({"k": pa.array(keys, pa.string()), "v": x.to_arrow()})
    found = list(cut_by_keys(table, "k"))
    if n == 0:
        assert found == [("", table)]
        return
    names = {f"k={key}" if key else "k=__HIVE_DEFAULT_PARTITION__": key for key in dict.fromkeys(keys)}
    assert [folder for folder, _ in found] == list(names)
    for folder, part in found:
        rows = [row for row, key in enumerate(keys) if key == names[folder]]
        assert part.column_names == ["v"]
        assert aj.from_arrow(part["v"]).equals(x.take(rows, axis=0))


def test_files_of_the_same_keys_are_replaced_and_others_stay(tmp_path: Path) -> None:
    aj.write_parquet({"k": [1, 2], "id": [0, 1]}, tmp_path / "out", partition_by=["k"])
    aj.write_parquet({"k": [2, 3], "id": [2, 3]}, tmp_path / "out", partition_by=["k"], filesystem=LocalFileSystem())
    assert by_id(tmp_path / "out") == {"id": [0, 2, 3], "k": [1, 2, 3]}


def test_a_list_of_files_has_the_keys_below_their_common_folder(tmp_path: Path) -> None:
    folder = tmp_path / "all=x y"
    aj.write_parquet({"k": [1, 2], "id": [0, 1]}, folder, partition_by="k")
    files = [folder / name for name in files_in(folder)]
    assert aj.read_parquet(files).to_pydict() == {"id": [0, 1], "k": [1, 2]}
    assert aj.read_parquet(files[:1]).to_pydict() == {"id": [0]}


@pytest.mark.parametrize("host", ["pandas", "polars"])
def test_frames_of_hosts(host: str, tmp_path: Path) -> None:
    x = aj.array([[1.5], None, []])
    frame: Any = (
        pd.DataFrame({"k": [1, 2, 1], "v": x.to_pandas()})
        if host == "pandas"
        else pl.DataFrame({"k": [1, 2, 1], "v": x.to_polars()})
    )
    aj.write_parquet(frame, tmp_path / "out", partition_by="k")
    back = aj.read_parquet(tmp_path / "out", to=host)
    assert back["v"].dtype == frame["v"].dtype
    assert aj.array(back["v"]).to_list() == [[1.5], [], None]
    assert list(back["k"]) == [1, 1, 2]


def test_no_rows(tmp_path: Path) -> None:
    table = pa.table({"k": pa.array([], pa.string()), "v": aj.array([[1]])[:0].to_arrow()})
    aj.write_parquet(table, tmp_path / "out", partition_by="k")
    assert files_in(tmp_path / "out") == ["part-0.parquet"]
    assert aj.read_parquet(tmp_path / "out").equals(table)


@pytest.mark.parametrize(
    ("keys", "error", "text"),
    [
        ("nope", aj.JagValueError, "unknown column 'nope'; there are k, v, f, n, t"),
        ([], aj.JagValueError, "must name each key once"),
        (["k", "k"], aj.JagValueError, "must name each key once"),
        (["k", "v", "f", "n", "t"], aj.JagValueError, "nothing is left for the files"),
        ("v", aj.JagTypeError, r"'v': values of type list<.*> can't be names of folders"),
        ("f", aj.JagTypeError, "'f': values of type double can't be names of folders; cast it to text or whole numbers"),
        ("d", aj.JagTypeError, "'d': values of type double can't be names of folders"),
        ("b", aj.JagTypeError, "'b': binary can't be written as text: Invalid UTF8"),
        ("n", aj.JagValueError, "'n' is null in every row"),
        ("t", aj.JagValueError, "'t' holds the text __HIVE_DEFAULT_PARTITION__, which readers read as null"),
    ],
)
def test_keys_that_make_no_folders(keys: Any, error: Any, text: str, tmp_path: Path) -> None:
    frame: dict[str, Any] = {"k": ["a"], "v": [[1]], "f": [0.5], "n": pa.nulls(1), "t": ["__HIVE_DEFAULT_PARTITION__"]}
    if keys in ("d", "b"):
        frame |= {"d": pa.array([0.5]).dictionary_encode(), "b": [b"\xff"]}
    with pytest.raises(error, match=text):
        aj.write_parquet(frame, tmp_path / "out", partition_by=keys)
    assert not (tmp_path / "out").exists()


def test_a_key_whose_folders_are_hidden(tmp_path: Path) -> None:
    with pytest.raises(aj.JagValueError, match="'_k': readers ignore folders whose names start with"):
        aj.write_parquet({"_k": [1], "id": [1]}, tmp_path / "out", partition_by="_k")


def test_an_existing_file_at_the_target_path_is_refused(tmp_path: Path) -> None:
    aj.write_parquet({"k": [1]}, tmp_path / "a.parquet")
    with pytest.raises(aj.JagValueError, match="is a file: with partition_by name a folder"):
        aj.write_parquet({"k": [1], "id": [1]}, tmp_path / "a.parquet", partition_by="k")


@pytest.mark.parametrize(
    "keys",
    [
        pa.array(["007", "7", None]),
        pa.array([dt.date(2024, 5, 1), None]),
        pa.array([True, False]),
        pa.array([2**40, 5]),
        pa.array([Decimal("1.50"), Decimal("2.00"), None], pa.decimal128(5, 2)),
        pa.array([1_714_564_800_000_000, None], pa.timestamp("us")),
        pa.array([2**63], pa.uint64()),
        pa.array([b"a", b"b"]),
    ],
    ids=lambda keys: str(keys.type),
)
def test_a_schema_says_the_types_of_partition_columns(keys: pa.Array, tmp_path: Path) -> None:
    aj.write_parquet({"id": range(len(keys)), "key": keys}, tmp_path / "out", partition_by="key")
    schema = pa.schema([("id", pa.int64()), ("key", keys.type)])
    table = aj.read_parquet(tmp_path / "out", schema=schema).sort_by("id")
    assert table.schema.equals(schema)
    assert table["key"].to_pylist() == keys.to_pylist()
    for place, key in enumerate(keys.to_pylist()):
        kept = aj.read_parquet(tmp_path / "out", schema=schema, filters=[("key", "in", [key])])
        assert kept["id"].to_pylist() == [place]


def test_a_folder_that_the_schema_does_not_fit(tmp_path: Path) -> None:
    aj.write_parquet({"id": [1, 2], "key": ["a", "b"]}, tmp_path / "out", partition_by="key")
    with pytest.raises(aj.JagValueError, match=r"key=a.part-0.parquet: the folder says key='a', and the schema int64: "):
        aj.read_parquet(tmp_path / "out", schema=pa.schema([("id", pa.int64()), ("key", pa.int64())]))


def test_a_key_that_is_null_in_every_folder(tmp_path: Path) -> None:
    for place, value in enumerate(("1/b=__HIVE_DEFAULT_PARTITION__/c=x", "-2/b=__HIVE_DEFAULT_PARTITION__/c=%2F")):
        (tmp_path / f"in/a={value}").mkdir(parents=True)
        pq.write_table(pa.table({"id": [place]}), tmp_path / f"in/a={value}" / "f.parquet")
    expected = {"id": [0, 1], "a": [1, -2], "b": [None, None], "c": ["x", "/"]}
    assert by_id(tmp_path / "in") == expected
    types = {field.name: field.type for field in aj.read_parquet(tmp_path / "in").schema}
    assert types == {"id": pa.int64(), "a": pa.int32(), "b": pa.null(), "c": pa.string()}
    assert by_id(tmp_path / "in", filters=[("a", "=", -2)])["id"] == [1]
    assert by_id(tmp_path / "in", schema=pa.schema([("id", pa.int64()), ("b", pa.string())]))["b"] == [None, None]
