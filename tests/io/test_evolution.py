"""Files whose schemas differ: resolved without a loss, or refused with the names of file and column."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import operator as op
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pf
import pyarrow.parquet as pq
import pyarrow.types as pt
import pytest

import arrowjag as aj
from arrowjag._arrow import Level
from arrowjag.etl import run
from arrowjag.io import _files, _parquet, _scan, _schemas
from arrowjag.io._schemas import conform, merge_types, restored


def jagged(rows: list[Any], leaf: pa.DataType, ndim: int = 2) -> pa.Array:
    return aj.array(rows, type=leaf, ndim=ndim).to_arrow()


def read_two(folder: Path, one: dict[str, Any], other: dict[str, Any], **options: Any) -> pa.Table:
    pq.write_table(pa.table(one), folder / "a.parquet")
    pq.write_table(pa.table(other), folder / "b.parquet")
    return aj.read_parquet(folder, **options)


CODED = pa.dictionary(pa.int8(), pa.decimal32(9, 2))


@pytest.mark.parametrize(
    ("stored", "written"),
    [
        (pa.timestamp("ms"), pa.timestamp("s", "UTC")),
        (pa.timestamp("ms", "UTC"), pa.timestamp("s")),
        (pa.timestamp("ms", "UTC"), pa.timestamp("s", "Asia/Tokyo")),
        (pa.timestamp("us", "UTC"), pa.timestamp("s", "UTC")),
        (pa.timestamp("ms"), pa.dictionary(pa.int8(), pa.timestamp("s", "UTC"))),
        (pa.decimal128(9, 3), CODED),
        (pa.decimal128(10, 2), CODED),
        (pa.decimal32(9, 2), pa.dictionary(pa.int8(), pa.decimal128(9, 2))),
    ],
    ids=str,
)
def test_a_footer_that_tells_of_other_values_is_not_believed(stored: pa.DataType, written: pa.DataType) -> None:
    """Programs copy footers to files of other zones and scales, where values would change their meaning."""
    assert restored(stored, written) == stored
    assert restored(pa.list_(stored), pa.large_list(written)) == pa.list_(stored)


def test_lists_with_32_bit_offsets_refuse_more_items_than_these_count() -> None:
    """Nulls of the null type take no memory."""
    level, items = Level(np.array([0, 2**31 - 1, 2**31]), None, None), pa.nulls(2**31)
    for type in (pa.list_(pa.null()), pa.list_view(pa.null())):
        with pytest.raises(pa.ArrowInvalid, match="2,147,483,648 items are too many for its 32-bit offsets"):
            _schemas._lists(level, items, type)
        found = _schemas._lists(level._replace(offsets=level.offsets[:-1]), items[:-1], type)
        assert found.type == type
        assert len(found[0]) == 2**31 - 1


def test_metadata_are_those_of_the_first_file(tmp_path: Path) -> None:
    for name, leaf in (("a", pa.int32()), ("b", pa.int64())):
        schema = pa.schema([pa.field("v", leaf, metadata={"from": name})], {"from": name})
        pq.write_table(pa.table({"v": pa.array([1], leaf)}, schema), tmp_path / f"{name}.parquet")
    found = aj.read_parquet(tmp_path).schema
    assert found.metadata[b"from"] == b"a"
    assert found.field("v").metadata[b"from"] == b"a"
    assert found.field("v").type == pa.int64()


PLAIN = pa.array([[3], []], pa.list_(pa.int32()))
ROWS = [[1, None], None]
PAIRS: dict[str, tuple[pa.Array, pa.Array, pa.DataType]] = {
    "typed and plain": (jagged(ROWS, pa.int32()), PLAIN, aj.JaggedType.of(pa.int32(), 2)),
    "list and large_list": (PLAIN, PLAIN.cast(pa.large_list(pa.int32())), pa.large_list(pa.int32())),
    "another leaf type": (jagged(ROWS, pa.int8()), jagged([[3], []], pa.int64()), aj.JaggedType.of(pa.int64(), 2)),
    "integers and floats": (jagged(ROWS, pa.int32()), jagged([[0.5]], pa.float64()), aj.JaggedType.of(pa.float64(), 2)),
    "typed and plain, another leaf type": (jagged(ROWS, pa.int64()), PLAIN, aj.JaggedType.of(pa.int64(), 2)),
    "an extent that both declare": (
        aj.from_arrow(pa.array([[1, 2]], pa.list_(pa.int8(), 2))).to_arrow(),
        pa.array([[3, 4], None], pa.list_(pa.int16(), 2)),
        aj.JaggedType.of(pa.int16(), 2, (None, 2)),
    ),
    "an extent that one declares": (
        aj.from_arrow(pa.array([[1, 2]], pa.list_(pa.int64(), 2))).to_arrow(),
        jagged([[1], None], pa.int64()),
        aj.JaggedType.of(pa.int64(), 2),
    ),
    "nothing but nulls": (pa.nulls(2), jagged(ROWS, pa.int8()), aj.JaggedType.of(pa.int8(), 2)),
    "short text and long text": (pa.array(["a"]), pa.array(["b"], pa.large_string()), pa.large_string()),
    "dictionary and text": (
        pa.array([["a"]]).cast(pa.list_(pa.dictionary(pa.int8(), pa.string()))),
        pa.array([["b"]]),
        pa.list_(pa.string()),
    ),
    "two dictionaries": (
        pa.array(["a"]).cast(pa.dictionary(pa.int8(), pa.string())),
        pa.array(["b"]).cast(pa.dictionary(pa.int32(), pa.string())),
        pa.dictionary(pa.int32(), pa.string()),
    ),
    "units of time": (
        jagged([[1]], pa.timestamp("ms")),
        jagged([[1]], pa.timestamp("us")),
        aj.JaggedType.of(pa.timestamp("us"), 2),
    ),
    "fields of structs": (
        jagged([[{"a": 1}], None], pa.struct([("a", pa.int8())])),
        jagged([[{"b": "x", "a": 2}, None]], pa.struct([("b", pa.string()), ("a", pa.int64())])),
        aj.JaggedType.of(pa.struct([("a", pa.int64()), ("b", pa.string())]), 2),
    ),
    "jagged and lists of nulls": (jagged([[[1]], []], pa.int64(), 3), pa.array([[None], []]), aj.JaggedType.of(pa.int64(), 3)),
    "maps": (
        pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
        pa.array([[("b", 300)]], pa.map_(pa.string(), pa.int16())),
        pa.map_(pa.string(), pa.int16()),
    ),
}


def with_every_field(value: Any, type: pa.DataType) -> Any:
    """Structs of Python data with the fields that a type has."""
    if value is None or isinstance(type, aj.JaggedType):
        return value if value is None else with_every_field(value, type.storage_type)
    if pa.types.is_struct(type):
        return {field.name: with_every_field(value.get(field.name), field.type) for field in type}
    if isinstance(value, list) and not pa.types.is_map(type):
        return [with_every_field(item, type.value_type) for item in value]
    return value


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_types_that_go_together(pair: tuple[pa.Array, pa.Array, pa.DataType], swapped: bool, tmp_path: Path) -> None:
    one, other, expected = pair
    if swapped:
        one, other = other, one
    table = read_two(tmp_path, {"v": one}, {"v": other})
    if not (swapped and "struct" in str(getattr(expected, "storage_type", ""))):  # fields come in the order of the first file
        assert table.schema.field("v").type == expected
    assert table["v"].to_pylist() == [
        with_every_field(row, table.schema.field("v").type) for row in one.to_pylist() + other.to_pylist()
    ]
    table.validate(full=True)


REFUSED: dict[str, tuple[pa.Array, pa.Array]] = {
    "number and text": (jagged(ROWS, pa.int8()), jagged([["a"]], pa.string())),
    "two numbers of dims": (jagged(ROWS, pa.int8()), jagged([[[1]]], pa.int8(), 3)),
    "list and number": (PLAIN, pa.array([1])),
    "struct and number": (jagged(ROWS, pa.int8()), jagged([[{"a": 1}]], pa.struct([("a", pa.int8())]))),
    "zone and none": (pa.array([1], pa.timestamp("s", "UTC")), pa.array([1], pa.timestamp("s"))),
    "field of another kind": (
        jagged([[{"a": 1}]], pa.struct([("a", pa.int8())])),
        jagged([[{"a": "x"}]], pa.struct([("a", pa.string())])),
    ),
}


@pytest.mark.parametrize("pair", REFUSED.values(), ids=REFUSED.keys())
def test_types_that_do_not_are_refused_by_name(pair: tuple[pa.Array, pa.Array], tmp_path: Path) -> None:
    with pytest.raises(aj.JagTypeError, match=r"column 'v' is .* in .*a\.parquet and .* in .*b\.parquet: no type holds both"):
        read_two(tmp_path, {"v": pair[0]}, {"v": pair[1]})


def test_conflicting_types_stop_no_other_column(tmp_path: Path) -> None:
    """Columns and fields that are not read: in calls, in scans, in filters of others, and in jobs."""
    leaves = [pa.struct([("a", pa.int8()), ("b", type)]) for type in (pa.string(), pa.int64(), pa.bool_())]
    rows: list[Any] = [[[{"a": 1, "b": "x"}, None], None], [[], [{"a": 2, "b": 3}]], [[{"a": None, "b": True}]]]
    other: list[Any] = [["x", None], [1, 2], [b"x"]]
    source = tmp_path / "in"
    source.mkdir()
    for place, (leaf, lists, values) in enumerate(zip(leaves, rows, other, strict=True)):
        flat = pa.array([row[0] if row else None for row in lists], leaf)
        columns = {"v": jagged(lists, leaf), "s": flat, "k": list(range(len(lists))), "w": values}
        pq.write_table(pa.table(columns), source / f"{place}.parquet")

    wanted = {"v": [[{"a": 1}, None], None, [], [{"a": 2}], [{"a": None}]], "k": [0, 1, 0, 1, 0]}
    assert aj.read_parquet(source, columns=["v.a", "k"]).to_pydict() == wanted
    assert aj.scan_parquet(source, columns=["v.a", "k"]).select("k").collect()["k"].to_list() == wanted["k"]
    run(lambda table: table, source, tmp_path / "out", columns=["v.a", "k"], frame="arrow", progress=False)
    assert aj.read_parquet(tmp_path / "out").to_pydict() == wanted

    told = r"column '%s' is .* in .*0\.parquet and .* in .*1\.parquet: no type holds both.* by columns="
    calls: list[tuple[str, dict[str, Any]]] = [
        ("v", {}),
        ("v", {"columns": ["k", "v.b"]}),
        ("w", {"columns": ["w"]}),
        ("w", {"columns": ["w.a"]}),
        ("w", {"columns": ["k"], "filters": [("w", "==", 1)]}),
        ("w", {"columns": ["k"], "filters": pc.field("w") == "x"}),
        ("s", {"columns": ["k"], "filters": [("s.b", "==", 1)]}),
    ]
    for name, options in calls:
        for read in (aj.read_parquet, aj.scan_parquet):
            with pytest.raises(aj.JagTypeError, match=told % name):
                read(source, **options)
    with pytest.raises(aj.JagTypeError, match=told % "v"):
        run(lambda table: table, source, tmp_path / "out", columns=["v"], mode="replace", progress=False)


def test_a_column_that_a_file_lacks_is_null_there(tmp_path: Path) -> None:
    table = read_two(tmp_path, {"k": [1]}, {"v": jagged(ROWS, pa.int8()), "k": [2, 3]})
    assert table.to_pydict() == {"k": [1, 2, 3], "v": [None, *ROWS]}
    assert table.schema.field("v").type == aj.JaggedType.of(pa.int8(), 2)
    assert aj.read_parquet(tmp_path, columns=["v"]).to_pydict() == {"v": [None, *ROWS]}


def test_a_field_that_a_file_lacks_is_null_there(tmp_path: Path) -> None:
    one = jagged([[{"a": 1}, None], None], pa.struct([("a", pa.int8())]))
    other = jagged([[{"a": 2, "b": 0.5}]], pa.struct([("a", pa.int8()), ("b", pa.float32())]))
    table = read_two(tmp_path, {"v": one}, {"v": other}, columns=["v.b"])
    assert table["v"].to_pylist() == [[{"b": None}, None], None, [{"b": 0.5}]]


def test_a_value_outside_the_common_type_is_refused_by_name(tmp_path: Path) -> None:
    one, other = jagged([[2**53 + 1]], pa.int64()), jagged([[0.5]], pa.float64())
    with pytest.raises(aj.JagValueError, match=r"a\.parquet, column 'v'"):
        read_two(tmp_path, {"v": one}, {"v": other})


def test_a_schema_of_the_caller_decides(tmp_path: Path) -> None:
    schema = pa.schema([("v", aj.JaggedType.of(pa.float32(), 2)), ("new", pa.string())])
    table = read_two(tmp_path, {"v": PLAIN, "k": [1, 2]}, {"v": jagged(ROWS, pa.int8())}, schema=schema)
    assert table.schema == schema
    assert table.to_pydict() == {"v": [[3.0], [], [1.0, None], None], "new": [None] * 4}
    wrong = pa.schema([("v", aj.JaggedType.of(pa.int32(), 2, (None, 1)))])
    with pytest.raises(aj.JagValueError, match="row 1 has 0 items"):
        aj.read_parquet(tmp_path, schema=wrong)


def test_a_schema_reads_files_whose_types_have_no_common_one(tmp_path: Path) -> None:
    text = pa.schema([("v", aj.JaggedType.of(pa.string(), 2))])
    table = read_two(tmp_path, {"v": jagged(ROWS, pa.int8())}, {"v": jagged([["a"], None], pa.string())}, schema=text)
    assert table.schema == text
    expected = [[None if one is None else str(one) for one in row] if row is not None else None for row in ROWS]
    assert table["v"].to_pylist() == [*expected, ["a"], None]
    with pytest.raises(aj.JagValueError, match=r"b\.parquet, column 'v'"):
        aj.read_parquet(tmp_path, schema=pa.schema([("v", aj.JaggedType.of(pa.int8(), 2))]))


@pytest.mark.parametrize("schema", [None, pa.schema([("v", pa.int64())])])
def test_two_columns_of_one_name_are_refused(schema: pa.Schema | None, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["v", "v"]), tmp_path / "a.parquet")
    with pytest.raises(aj.JagValueError, match=r"a\.parquet has two columns of the name 'v'"):
        aj.read_parquet(tmp_path / "a.parquet", schema=schema)


def test_filters_see_the_merged_types(tmp_path: Path) -> None:
    table = read_two(tmp_path, {"k": pa.array([1, 2], pa.int8())}, {"k": pa.array([2.5, 0.5])}, filters=[("k", ">", 1.5)])
    assert table.to_pydict() == {"k": [2.0, 2.5]}


def test_merging_knows_no_order() -> None:
    types = [one.type for pair in PAIRS.values() for one in pair[:2]]
    for one in types:
        for other in types:
            forth, back = merge_types(one, other), merge_types(other, one)
            assert (forth is None) == (back is None)
            if forth is not None and "struct" not in f"{one}{getattr(one, 'storage_type', '')}":
                assert forth == back


@pytest.mark.parametrize("leaf", [pa.int64(), pa.float64(), pa.string(), pa.binary()])
def test_dictionaries_of_any_values_can_be_made(leaf: pa.DataType) -> None:
    rows = [[b"1", None, b"1"]] if leaf == pa.binary() else [[1, None, 1]] if leaf != pa.string() else [["1", None, "1"]]
    type = pa.large_list(pa.dictionary(pa.int8(), leaf))
    made = conform(pa.array(rows, pa.list_(leaf)), type)
    assert made.type == type
    assert made.to_pylist() == rows


_NOON = dt.datetime.fromisoformat("2020-01-01T12:00")
_MIDNIGHT = dt.datetime.fromisoformat("2020-01-01")
_ZONED = pa.timestamp("us", "Europe/Berlin")


@pytest.mark.parametrize(
    ("stored", "type", "text"),
    [
        (pa.array([1.0, None, 1e300]), pa.float32(), "row 2 of the values holds 1e\\+300"),
        (pa.array([7e4], pa.float32()), pa.float16(), "holds 70000"),
        (pa.array([_MIDNIGHT, _NOON]), pa.date32(), "row 1 of the values holds datetime"),
        (pa.array([_NOON]), pa.time64("us"), "a time of day doesn't hold the date"),
        (pa.array([0, 2]), pa.bool_(), "row 1 of the values holds 2"),
        (pa.array([1.5]), pa.bool_(), "row 0 of the values holds 1.5"),
        (pa.array([0.5, 0.123]), pa.decimal128(10, 2), "row 1 of the values holds 0.123"),
        (pa.array([_NOON]), _ZONED, "times without a zone and times with a zone"),
        (pa.array([_NOON], _ZONED), pa.timestamp("us"), "times without a zone and times with a zone"),
        (pa.array([1, None]), None, "1 row is null, and the schema says not null"),
    ],
    ids=str,
)
def test_a_schema_never_changes_values(stored: pa.Array, type: pa.DataType | None, text: str, tmp_path: Path) -> None:
    """Arrow casts these without a word."""
    rows = pa.ListArray.from_arrays([0, len(stored)], stored)
    pq.write_table(pa.table({"v": stored}), tmp_path / "v.parquet")
    pq.write_table(pa.table({"v": rows}), tmp_path / "rows.parquet")
    field = pa.field("v", stored.type if type is None else type, nullable=type is not None)
    with pytest.raises(aj.JagValueError, match=rf"v\.parquet, column 'v': .*{text}"):
        aj.read_parquet(tmp_path / "v.parquet", schema=pa.schema([field]))
    if type is not None:
        with pytest.raises(aj.JagValueError, match=text):
            aj.read_parquet(tmp_path / "rows.parquet", schema=pa.schema([("v", pa.list_(type))]))


@pytest.mark.parametrize(
    ("stored", "type"),
    [
        (pa.array([0.5, None, math.inf]), pa.float16()),
        (pa.array([_MIDNIGHT, None]), pa.date32()),
        (pa.array([0, 1, None]), pa.bool_()),
        (pa.array([0.25, None]), pa.decimal128(10, 2)),
        (pa.array([_NOON]), pa.timestamp("us", "UTC")),
        (pa.array([_NOON], _ZONED), pa.timestamp("us", "UTC")),
    ],
    ids=str,
)
def test_values_that_fit_are_cast(stored: pa.Array, type: pa.DataType, tmp_path: Path) -> None:
    pq.write_table(pa.table({"v": stored}), tmp_path / "v.parquet")
    got = aj.read_parquet(tmp_path / "v.parquet", schema=pa.schema([("v", type)]))["v"]
    assert got.type == type
    assert got.combine_chunks().cast(stored.type).equals(stored)


@pytest.mark.parametrize("filters", [[("k", "==", 0.2)], [("k", ">=", 0.2)], [("k", "in", [0.2, 7.0])]])
def test_filters_of_rounded_columns_read_what_the_bounds_of_the_file_exclude(filters: Any, tmp_path: Path) -> None:
    """0.2 as float32 is more than the largest 0.2 of the row group."""
    pq.write_table(pa.table({"k": [0.1, 0.2, 0.0]}), tmp_path / "k.parquet", row_group_size=2)
    narrow = pa.schema([("k", pa.float32())])
    rounded = float(np.float32(0.2))
    asked = [(name, call, [rounded] if isinstance(value, list) else rounded) for name, call, value in filters]
    assert aj.read_parquet(tmp_path / "k.parquet", schema=narrow, filters=asked)["k"].to_pylist() == [rounded]
    lazily = aj.scan_parquet(tmp_path / "k.parquet", schema=narrow, filters=asked).collect()
    assert lazily["k"].to_list() == [rounded]


def test_columns_that_some_file_lacks_may_be_null(tmp_path: Path) -> None:
    one = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.int64(), nullable=False)])
    pq.write_table(pa.table([[1], [2]], schema=one), tmp_path / "1.parquet")
    pq.write_table(pa.table([[3]], schema=one.remove(1)), tmp_path / "2.parquet")
    got = aj.read_parquet(tmp_path)
    assert got.to_pydict() == {"a": [1, 3], "b": [2, None]}
    assert [field.nullable for field in got.schema] == [False, True]
    with pytest.raises(aj.JagValueError, match=r"2\.parquet has no column 'b', and the schema says that it is not null"):
        aj.read_parquet(tmp_path, schema=one)


def test_schemas_of_files_that_are_almost_alike(tmp_path: Path) -> None:
    """The schema of the last file is taken only where nothing that it depends on differs."""
    lists = pa.large_list(pa.field("element", pa.int64()))
    columns = {
        "same": {"a": pa.array([[1]], lists), "b": pa.array([1])},
        "name": {"a": pa.array([[1]], lists), "c": pa.array([1])},
        "name of a list": {"d": pa.array([[1]], lists), "b": pa.array([1])},
        "jagged": {"a": aj.array([[1]]).to_arrow(), "b": pa.array([1])},
        "storage of jagged": {"a": aj.array([[1]]).to_arrow().storage, "b": pa.array([1])},
        "lists": {"a": pa.array([[1]], pa.list_(pa.int64())), "b": pa.array([1])},
        "duration": {"a": pa.array([[1]], lists), "b": pa.array([1], pa.duration("us"))},
        "dense": {"a": aj.array([[1]], type="int32").to_arrow(), "b": pa.array([1])},
        "struct": {"a": pa.array([{"element": 1}]), "b": pa.array([1])},
    }
    files = []
    for name, given in columns.items():
        for flavour, metadata, stored in (
            ("plain", None, True),
            ("told", {"k": "v"}, True),
            ("bare", None, False),
        ):
            path = str(tmp_path / f"{name} {flavour}.parquet")
            pq.write_table(pa.table(given).replace_schema_metadata(metadata), path, store_schema=stored)
            files.append(_files.StoredFile(path, pf.LocalFileSystem()))
    none = pa.schema([])
    for keep_open in (False, True):
        alone = []
        for file in files:
            _scan._Seen.latest = None
            alone += _scan.open_parts([file], none, keep_open=keep_open)
        for before, first in zip(files, alone, strict=True):
            for file, expected in zip(files, alone, strict=True):
                _scan._Seen.latest = None
                part_before, part = (_scan.open_parts([one], none, keep_open=keep_open)[0] for one in (before, file))
                assert part_before.schema.equals(first.schema, check_metadata=True)
                assert part.schema.equals(expected.schema, check_metadata=True)
                assert part.stored.equals(expected.stored, check_metadata=True)


def read_filtered(path: Path, values: pa.Array, filters: Any, **options: Any) -> list[int]:
    """Return the numbers of the rows that a filter of the column k keeps."""
    pq.write_table(pa.table({"k": values, "row": list(range(len(values)))}), path, row_group_size=2)
    found: list[int] = aj.read_parquet(path, filters=filters, **options)["row"].to_pylist()
    return found


@pytest.mark.parametrize(
    "filters",
    [
        lambda name: _field(name) != 1.0,
        lambda name: ~(_field(name) > 0),
        lambda name: _field(name).is_nan(),
        lambda name: _field(name).is_null(nan_is_null=True),
        lambda name: [(name, "!=", 1.0)],
        lambda name: [(name, "not in", [1.0])],
        lambda name: [(name, "in", [math.nan])],
        lambda name: [[(name, ">", 2.0)], [(name, "!=", 1.0)]],
    ],
    ids=lambda filters: str(filters("k")),
)
@pytest.mark.parametrize("inside", [False, True], ids=["flat", "in a struct"])
def test_filters_find_nan_in_every_row_group(filters: Callable[[str], Any], inside: bool, tmp_path: Path) -> None:
    """Bounds in statistics leave NaN out."""
    values = pa.array([1.0, math.nan, 1.0, 1.0])
    column = pa.array([{"k": one} for one in values.to_pylist()]) if inside else values
    assert read_filtered(tmp_path / "a.parquet", column, filters("k.k" if inside else "k")) == [1]


def _field(name: str) -> pc.Expression:
    return pc.field(*name.split("."))


def test_filters_of_floats_that_exclude_row_groups() -> None:
    schema = pa.schema([("k", pa.float64()), ("i", pa.int64()), ("s", pa.struct([("a", pa.float32())]))])
    k, i = pc.field("k"), pc.field("i")
    a = pc.field("s", "a")
    for pruning in (
        k > 1,
        (k == 1.5) & i.isin([1, 2]),
        (k < 1) | k.is_null(),
        k.is_valid(),
        pc.field("s", "a") <= 1,
        i != 1,
        ~(i > 1),
    ):
        assert _scan.make_plan(schema, None, pruning).pruning is not None, pruning
    for other in (k != 1, ~(k > 1), k.isin([1.0]), k.is_null(nan_is_null=True), a != 1, (k > 1) & ~(i > 1)):
        assert _scan.make_plan(schema, None, other).pruning is None, other


@pytest.mark.parametrize(
    ("values", "filters", "rows"),
    [
        (pa.array([1, 2**64 - 1], pa.uint64()), ("k", "=", 1), [0]),
        (pa.array([1, 2**64 - 1], pa.uint64()), ("k", ">", 2**63), [1]),
        (pa.array([1, 2**64 - 1], pa.uint64()), ("k", "in", [2**64 - 1]), [1]),
        (pa.array([2**24 + 1, 2]), ("k", ">", 2.5), [0]),
        (pa.array([2**24 + 1, 2]), ("k", ">=", 2.5), [0]),
        (pa.array([2**24 + 1, 2]), ("k", "<", 2.5), [1]),
        (pa.array([2**24 + 1, -2]), ("k", "<=", -1.5), [1]),
        (pa.array([2**53 + 1, 2**53]), ("k", "=", float(2**53)), [1]),
        (pa.array([2**60, 2]), ("k", "<", math.inf), [0, 1]),
        (pa.array([5, 7], pa.uint8()), ("k", "<", 300), [0, 1]),
        (pa.array([5, 7], pa.uint8()), ("k", "in", [7, 300]), [1]),
        (pa.array([5, 7], pa.uint8()), ("k", "in", np.array([7.0, 0.5])), [1]),
        (pa.array([5, None]).dictionary_encode(), ("k", "in", (5.5, None)), [1]),
        (pa.array([5, 7], pa.uint8()).dictionary_encode(), ("k", "<", 300), [0, 1]),
        (pa.array(["a", None]), ("k", "in", [None]), [1]),
        (pa.array(["a", None, "b"]), ("k", "in", ["b", None]), [1, 2]),
        (pa.array(["a", None]), ("k", "not in", []), [0, 1]),
        (pa.array([2.0**25, 2], pa.float32()), ("k", ">", 2**25 - 1), [0]),
        (pa.array([0.5, math.nan]), ("k", "!=", 2**60 + 1), [0, 1]),
        (pa.array([Decimal("1.50"), Decimal("2.25")], pa.decimal128(38, 18)), ("k", ">", Decimal("1.5")), [1]),
        (pa.array([Decimal("0.10"), Decimal("2.25")], pa.decimal128(5, 2)), ("k", "=", 0.1), [0]),
        (pa.array([Decimal("0.10"), Decimal("2.25")], pa.decimal128(5, 2)), ("k", ">", 0.1), [1]),
        (pa.array([Decimal("0.10"), Decimal("2.25")], pa.decimal128(5, 2)), ("k", "in", [0.1]), [0]),
    ],
)
def test_filters_of_integers_with_other_numbers(values: pa.Array, filters: Any, rows: Any, tmp_path: Path) -> None:
    """Arrow casts the column to the type of the number, and fails at values that it can't hold."""
    assert read_filtered(tmp_path / "a.parquet", values, [filters]) == rows


@pytest.mark.parametrize(
    "values",
    [
        pa.array([-(2**63), -(2**53) - 1, -1, 0, 3, 2**53 + 1, 2**63 - 1, None]),
        pa.array([0, 3, 2**53 + 1, 2**64 - 1, None], pa.uint64()),
        pa.array(
            [Decimal(-(10**17)), Decimal("-0.01"), Decimal("0.05"), Decimal(3), Decimal("99999999999999999.99"), None],
            pa.decimal128(38, 2),
        ),
        pa.array([-(2.0**60), -0.5, 0.0, 3.0, 2.0**53, 2.0**60, math.inf, -math.inf, math.nan, None]),
        pa.array([-(2.0**60), 0.1, 2.0**24, 2.0**24 + 2, 2.0**60, math.inf, math.nan, None], pa.float32()),
    ],
    ids=lambda values: str(values.type),
)
def test_filters_compare_numbers_by_value(values: pa.Array, tmp_path: Path) -> None:
    """The oracle compares each value of the column with the number in Python."""
    signs = {"<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge, "==": op.eq, "!=": op.ne}
    numbers: list[Any] = [0, -1, 3, 2**53, 2**53 + 1, 2**60 + 1, 2**70, -(10**400), 10**400]
    numbers += [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1]
    if pt.is_float32(values.type):
        numbers += [2**24 + 1, 0.1, float(np.float32(0.1)), np.float32(0.1), 1e300]
    if not pt.is_floating(values.type):
        numbers += [Decimal("0.05"), Decimal("-0.005"), Decimal("1e-20"), Decimal("Infinity"), Decimal("-Infinity")]
    if pt.is_integer(values.type):
        numbers += [0.5, -0.5, 1e30, float(2**53), math.inf, -math.inf, math.nan, Fraction(1, 3), np.float32(2.5), np.int8(3)]
    pq.write_table(pa.table({"k": values}), tmp_path / "a.parquet", row_group_size=2)
    rows = values.to_pylist()
    for number in numbers:
        for sign, holds in signs.items():
            expected = [one for one in rows if one is not None and holds(one, number)]
            found = aj.read_parquet(tmp_path / "a.parquet", filters=[("k", sign, number)])["k"].to_pylist()
            assert repr(found) == repr(expected), (sign, number)
        members = [one for one in rows if one is not None and one == number]
        assert aj.read_parquet(tmp_path / "a.parquet", filters=[("k", "in", [number])])["k"].to_pylist() == members, number


def test_filters_compare_times_by_their_moment(tmp_path: Path) -> None:
    noon = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
    times = pa.array([noon, noon + dt.timedelta(microseconds=1), None], pa.timestamp("us", "Europe/Berlin"))
    assert read_filtered(tmp_path / "a.parquet", times, [("k", ">", noon)]) == [1]
    assert read_filtered(tmp_path / "a.parquet", times, [("k", "in", [noon])]) == [0]
    assert read_filtered(tmp_path / "a.parquet", times, [("k", ">", "2024-05-01T12:00:00Z")]) == [1]
    assert read_filtered(tmp_path / "a.parquet", times, [("k", ">", "2024-05-01T14:00:00")]) == [1]  # in Berlin
    days = pa.array([dt.date(2024, 5, 1), dt.date(2024, 5, 2)])
    assert read_filtered(tmp_path / "a.parquet", days, [("k", ">=", "2024-05-02")]) == [1]
    assert read_filtered(tmp_path / "a.parquet", days, [("k", "in", ["2024-05-01"])]) == [0]
    assert read_filtered(tmp_path / "a.parquet", days, [("k", ">", "2024-05-01T12:00")]) == [1]
    precise = pa.array([dt.date(2024, 5, 1), dt.date(2024, 5, 2)]).cast(pa.timestamp("s"))
    several = ["2024-05-02", "2024-05-01T00:00:00.000000001", None]
    assert read_filtered(tmp_path / "a.parquet", precise, [("k", "in", several)]) == [1]
    with pytest.raises(aj.JagValueError, match=r"filters can't be read: .*May"):
        read_filtered(tmp_path / "a.parquet", days, [("k", "=", "1 May")])


@pytest.mark.parametrize("leaf", [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")], ids=str)
def test_filters_compare_times_of_day_with_text(leaf: pa.DataType, tmp_path: Path) -> None:
    times = pa.array([dt.time(1), dt.time(13), None], leaf)
    for filters, rows in (
        (("k", ">", "12:30"), [1]),
        (("k", "=", "13:00"), [1]),
        (("k", "<", "13:00:00.5"), [0, 1]),
        (("k", "in", ["01:00:00"]), [0]),
        (("k", "=", dt.time(1)), [0]),
    ):
        assert read_filtered(tmp_path / "a.parquet", times, [filters]) == rows, filters
    with pytest.raises(aj.JagValueError, match=r"filters can't be read: .*noon"):
        read_filtered(tmp_path / "a.parquet", times, [("k", ">", "noon")])


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_filters_compare_nanoseconds(zone: str | None, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    first = 1_714_564_800_000_000_001
    times = pa.array([first, first + 1], pa.timestamp("ns", zone))
    one, two = (pd.Timestamp(first + place, tz=zone and "Asia/Tokyo") for place in range(2))
    for filters, rows in ((("k", ">", one), [1]), (("k", "=", one), [0]), (("k", "in", [two]), [1])):
        assert read_filtered(tmp_path / "a.parquet", times, [filters]) == rows, filters
    if zone is None:
        assert read_filtered(tmp_path / "a.parquet", times, [("k", "=", np.datetime64(first + 1, "ns"))]) == [1]


@pytest.mark.parametrize("leaf", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns")], ids=str)
def test_filters_take_times_of_numpy_in_every_unit(leaf: pa.DataType, tmp_path: Path) -> None:
    """Arrow has no days, hours or minutes."""
    days = pa.array([dt.date(2024, 5, 1), dt.date(2024, 6, 2)]).cast(leaf)
    for unit in ("M", "D", "h", "m", "s", "us", "ns"):
        one = np.datetime64("2024-05-01").astype(f"M8[{unit}]")
        assert read_filtered(tmp_path / "a.parquet", days, [("k", ">", one)]) == [1]
        assert read_filtered(tmp_path / "a.parquet", days, [("k", "in", [one])]) == [0]
    durations = pa.array([dt.timedelta(1), dt.timedelta(2)])
    for unit in ("D", "h", "s", "ns"):
        day = np.timedelta64(1, "D").astype(f"m8[{unit}]")
        assert read_filtered(tmp_path / "a.parquet", durations, [("k", ">", day)]) == [1]


def test_lists_of_filters_mix_text_dates_and_times(tmp_path: Path) -> None:
    """Arrow takes a list of one type."""
    day, text, later = np.datetime64("2024-05-01"), "2024-05-02", dt.datetime.fromisoformat("2024-05-03T12:00")
    times = pa.array([dt.date(2024, 5, 1), dt.date(2024, 5, 2), None]).cast(pa.timestamp("us"))
    for members in (
        [day, text],
        [text, day],
        [text, day, later],
        [dt.date(2024, 5, 1), later, text],
        [later, np.datetime64(day, "ns"), text],
    ):
        assert read_filtered(tmp_path / "a.parquet", times, [("k", "in", members)]) == [0, 1]
    assert read_filtered(tmp_path / "a.parquet", times, [("k", "in", [day, text, None])]) == [0, 1, 2]
    days = pa.array([dt.date(2024, 5, 1), dt.date(2024, 5, 2)])
    assert read_filtered(tmp_path / "a.parquet", days, [("k", "in", [text, day])]) == [0, 1]


IN_THE_LIST = r"filters compare incompatible types: (.*, in the list for k|k is .*, and the list holds .*)\. Give values"


@pytest.mark.parametrize(
    "values", [pa.array([5, 1]), pa.array([Decimal(5), Decimal(1)]), pa.array([5.0, 1.0])], ids=["i", "d", "f"]
)
@pytest.mark.parametrize("value", ["5", True], ids=str)
def test_filters_of_another_kind_are_refused(values: pa.Array, value: Any, tmp_path: Path) -> None:
    with pytest.raises(aj.JagError, match=r"filters (compare incompatible types|don't fit the columns)"):
        read_filtered(tmp_path / "a.parquet", values, [("k", "=", value)])
    for sign in ("in", "not in"):
        with pytest.raises(aj.JagTypeError, match=IN_THE_LIST):
            read_filtered(tmp_path / "a.parquet", values, [("k", sign, [value])])


@pytest.mark.parametrize(
    ("values", "others"),
    [
        (pa.array([True]), [1, 1.0, "true"]),
        (pa.array([1], pa.timestamp("us")), [1, dt.time(1)]),
        (pa.array([1], pa.time64("us")), [1, dt.datetime(2024, 5, 1, 0, 0, 0, 1)]),  # noqa: DTZ001 - without a zone
        (pa.array([1], pa.date64()), [1]),
        (pa.array([1], pa.duration("us")), [1]),
        (pa.array([b"1"]), [1]),
    ],
    ids=lambda given: str(getattr(given, "type", "")),
)
def test_members_of_another_kind_are_refused(values: pa.Array, others: list[Any], tmp_path: Path) -> None:
    """Arrow would cast them to the type of the column: a count to a time, text to a boolean."""
    for value, sign in itertools.product(others, ("in", "not in")):
        with pytest.raises(aj.JagTypeError, match=IN_THE_LIST):
            read_filtered(tmp_path / "a.parquet", values, [("k", sign, [value, None])])


def test_filters_beyond_the_times_that_nanoseconds_hold(tmp_path: Path) -> None:
    far = dt.datetime(9000, 1, 1, tzinfo=dt.UTC)
    times = pa.array([far.replace(year=2024), far], pa.timestamp("us", "UTC"))
    assert read_filtered(tmp_path / "a.parquet", times, [("k", "<", far)]) == [0]
    assert read_filtered(tmp_path / "a.parquet", times, [("k", "in", [far])]) == [1]


@pytest.mark.parametrize("leaf", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_filters_compare_decimals_and_fractions_with_floats_as_floats(leaf: pa.DataType, tmp_path: Path) -> None:
    signs = {"<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge, "==": op.eq, "!=": op.ne}
    values = pa.array([*map(np.float16, (-0.5, 0.0, 0.07, 0.5, np.inf, -np.inf, np.nan)), None], pa.float16()).cast(leaf)
    rows = values.to_pylist()
    exact = [Decimal("0.07"), Decimal("0.5"), Fraction(1, 2), Fraction(1, 3), Decimal("Infinity"), Decimal("-Infinity")]
    numbers: list[tuple[Any, Any]] = [(one, float(one)) for one in (*exact, Decimal("NaN"), Fraction(rows[2]))]
    numbers += [(Decimal("1e999"), 10**400), (Fraction(10**400), 10**400), (Fraction(-(10**400)), -(10**400))]
    for number, near in numbers:
        for sign, holds in signs.items():
            expected = [place for place, one in enumerate(rows) if one is not None and holds(float(one), near)]
            assert read_filtered(tmp_path / "a.parquet", values, [("k", sign, number)]) == expected, (sign, number)
        if near == near:  # noqa: PLR0124 - NaN
            expected = [place for place, one in enumerate(rows) if one is not None and float(one) == near]
            assert read_filtered(tmp_path / "a.parquet", values, [("k", "in", [number])]) == expected, number


def test_filters_name_fields_of_structs(tmp_path: Path) -> None:
    first = dt.datetime.fromisoformat("2024-05-01")
    rows = [{"a": 1, "b": {"t": first}}, None, {"a": None, "b": None}, {"a": 3, "b": {"t": first + dt.timedelta(2)}}]
    type = pa.struct({"a": pa.int8(), "b": pa.struct({"t": pa.timestamp("s")})})
    column = pa.array(rows, type)
    for condition, expected in (
        (("k.a", "==", 1), [0]),
        (("k.a", "<", 300), [0, 3]),
        (("k.a", ">", Fraction(3, 2)), [3]),
        (("k.a", "in", [3, None]), [1, 2, 3]),
        (("k.b.t", ">", "2024-05-02"), [3]),
    ):
        assert read_filtered(tmp_path / "a.parquet", column, [condition]) == expected, condition
    assert read_filtered(tmp_path / "a.parquet", column, [[("k.a", "==", 1)], [("k.a", ">", 1), ("k.a", "<", 9)]]) == [0, 3]
    with pytest.raises(aj.JagValueError, match=r"filters name an unknown column in \(k\.z == 1\)"):
        read_filtered(tmp_path / "a.parquet", column, [("k.z", "==", 1)])
    pq.write_table(pa.table({"k": column, "k.a": [5, 6, 7, 8]}), tmp_path / "b.parquet")
    assert aj.read_parquet(tmp_path / "b.parquet", filters=[("k.a", "==", 6)])["k.a"].to_pylist() == [6]


@pytest.mark.parametrize("condition", [("k.x", "==", 1), ("k", "in", [1]), ("k", "==", 1), ("k",), ("k", "==", 1, 2)])
def test_lists_and_conditions_of_other_lengths_are_no_filters(condition: Any, tmp_path: Path) -> None:
    lists = pa.array([[{"x": 1}]])
    told = (
        r"'k(\.x)?' (holds|is a field inside of) lists.*frame\.jag\.filter"
        if len(condition) == 3
        else "filters must be an expression"
    )
    with pytest.raises(aj.JagTypeError, match=told):
        read_filtered(tmp_path / "a.parquet", lists, [condition])


@pytest.mark.parametrize(
    ("values", "member"),
    [
        (pa.array([dt.datetime.fromisoformat("2024-01-01T01:30")]), dt.time(1, 30)),
        (pa.array([dt.time(1, 30)]), dt.datetime.fromisoformat("2024-01-01T01:30")),
        (pa.array([dt.date(2024, 1, 1)]), dt.time(1)),
        (pa.array([dt.datetime.fromisoformat("2024-01-01T01:30")]), 1),
        (pa.array([dt.timedelta(microseconds=3)]), 3),
        (pa.array([dt.datetime.fromisoformat("2024-01-01T01:30")]), dt.datetime.fromisoformat("2024-01-01T01:30+00:00")),
        (pa.array([1], pa.timestamp("us", "UTC")), dt.datetime.fromisoformat("2024-01-01T01:30")),
    ],
)
def test_lists_of_another_kind_of_time_are_refused_as_single_values(values: pa.Array, member: Any, tmp_path: Path) -> None:
    """Arrow alone casts timestamps to times of day, and numbers to durations."""
    for condition in (("k", "in", [member]), ("k", "not in", [member, None]), ("k", "==", member)):
        with pytest.raises(aj.JagTypeError, match=r"filters compare incompatible types: .*Give values of the type of the column"):
            read_filtered(tmp_path / "a.parquet", values, [condition])


@pytest.mark.parametrize("condition", [("k", "<", 2.5), ("k", "!=", 300), ("k", "in", [1, 300])])
def test_conditions_are_lists_or_tuples(condition: tuple[str, str, Any], tmp_path: Path) -> None:
    """Those in other sequences than a list of tuples were compared as Arrow does, which casts the column."""
    expected = read_filtered(tmp_path / "a.parquet", pa.array([1, 2, 3], pa.int8()), [condition])
    for filters in ((condition,), [list(condition)], [[list(condition)]], ([condition],), ((condition,), (condition,))):
        assert read_filtered(tmp_path / "a.parquet", pa.array([1, 2, 3], pa.int8()), filters) == expected


def test_a_filter_that_is_no_condition_is_refused(tmp_path: Path) -> None:
    with pytest.raises(aj.JagTypeError, match="filters must be a condition, got an expression of int64: k"):
        read_filtered(tmp_path / "a.parquet", pa.array([1]), pc.field("k"))


def test_filters_of_expressions_that_do_not_fit_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        aj.JagValueError,
        match=r"a\.parquet: filters don't fit the values of the columns: .* its own type, .* or pass the filter as tuples",
    ) as found:
        read_filtered(tmp_path / "a.parquet", pa.array([2**60, 2]), pc.field("k") > 0.5)
    assert not isinstance(found.value, aj.JagFileError)
    with pytest.raises(aj.JagValueError, match=r"filters don't fit the columns: .* or pass the filter as tuples"):
        read_filtered(tmp_path / "a.parquet", pa.array([2.0], pa.float32()), pc.field("k") > 2**24 + 1)
    with pytest.raises(aj.JagValueError, match="in and not in take a list of values, got 'ab'"):
        read_filtered(tmp_path / "a.parquet", pa.array(["a", "b"]), [("k", "in", "ab")])


def test_filters_of_a_column_that_the_schema_casts(tmp_path: Path) -> None:
    schema = pa.schema([("k", pa.int64()), ("row", pa.int64())])
    assert read_filtered(tmp_path / "a.parquet", pa.array(["5", "10", "100"]), pc.field("k") <= 7, schema=schema) == [0]


def test_filters_of_bytes_that_are_no_text(tmp_path: Path) -> None:
    values = pa.array([b"\xff\xfe", b"a"], pa.binary_view())
    try:
        pc.equal(values, values)
    except pa.ArrowNotImplementedError:
        pytest.skip("this pyarrow does not compare views")
    assert read_filtered(tmp_path / "a.parquet", values, pc.field("k") == pa.scalar(b"\xff\xfe", pa.binary_view())) == [0]


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ([("h", "==", 1.5)], [1.5]),
        ([("h", ">", 2)], [2.5]),
        ([("h", "in", [0.25, 1.5])], [1.5, 0.25]),
        ([("h", "!=", 1.5)], [2.5, 0.25]),
        ([("h", "<", 0.3)], [0.25]),
        (pc.field("h") >= 1.5, [1.5, 2.5]),
    ],
)
def test_filters_of_half_floats(tmp_path: Path, filters: Any, kept: list[float]) -> None:
    """Arrow has no comparison of them."""
    table = pa.table({"h": pa.array([1.5, 2.5, 0.25, None], pa.float16()), "v": jagged([[1], [2], [], None], pa.int8())})
    aj.write_parquet(table, tmp_path / "x.parquet", row_group_size=2)
    got = aj.read_parquet(tmp_path / "x.parquet", filters=filters)
    assert got["h"].type == pa.float16()
    assert got["h"].to_pylist() == kept
    assert aj.scan_parquet(tmp_path / "x.parquet", filters=filters).collect()["h"].to_list() == kept


@pytest.mark.parametrize("leaf", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_members_of_floats_are_those_that_are_equal(leaf: pa.DataType, tmp_path: Path) -> None:
    """Arrow looks up floats by their bits, and rounds the list to the type of the column."""
    values = pa.array([0.0, -0.0, 0.1, 1.5, math.nan, None]).cast(leaf, safe=False)
    for number in (0, 0.0, -0.0, 0.1, 1.5, Decimal("1.5"), 1e300, np.float32(0.1)):
        equal = read_filtered(tmp_path / "a.parquet", values, [("k", "==", number)])
        others = [row for row in range(6) if row not in equal]
        for members in ([number], [number, 7.25], pa.array([float(number)])):
            assert read_filtered(tmp_path / "a.parquet", values, [("k", "in", members)]) == equal, members
            assert read_filtered(tmp_path / "a.parquet", values, [("k", "not in", members)]) == others, members
    assert read_filtered(tmp_path / "a.parquet", values, [("k", "in", [math.nan, None])]) == [4, 5]


@pytest.mark.parametrize("leaf", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns")], ids=str)
def test_members_of_times_are_not_truncated_and_may_be_of_several_types(leaf: pa.DataType, tmp_path: Path) -> None:
    days = pa.array([dt.date(2024, 5, 1), dt.date(2024, 6, 2), None]).cast(leaf)
    midnight = dt.datetime(2024, 5, 1)  # noqa: DTZ001 - without a zone, as the column
    late = midnight.replace(month=6, day=2, microsecond=1)
    mixed = ["2024-05-01", midnight.date(), midnight, np.datetime64("2024-05-01"), np.datetime64("2024-05-01", "ns")]
    cases = ((mixed, [0]), ([late], []), ([late.isoformat()], []), ([late, None], [2]), ([*mixed, late, None], [0, 2]))
    for members, rows in cases:
        assert read_filtered(tmp_path / "a.parquet", days, [("k", "in", members)]) == rows, members
        others = [row for row in range(3) if row not in rows]
        assert read_filtered(tmp_path / "a.parquet", days, [("k", "not in", members)]) == others, members


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["a", "b", None], pa.string_view()),
        pa.array([b"a", b"b", None], pa.binary_view()),
        pa.array([Decimal("1.50"), Decimal("2.50"), None], pa.decimal32(5, 2)),
        pa.array([Decimal("1.50"), Decimal("2.50"), None], pa.decimal64(12, 2)),
    ],
    ids=lambda values: str(values.type),
)
def test_filters_of_types_that_arrow_does_not_compare(values: pa.Array, tmp_path: Path) -> None:
    first, second, _ = values.to_pylist()
    for filters, rows in (
        (("k", "==", second), [1]),
        (("k", "<", second), [0]),
        (("k", "in", [first, None]), [0, 2]),
        (("k", "not in", [first]), [1, 2]),
        (("k", "in", []), []),
        (("k", "in", [None]), [2]),
    ):
        assert read_filtered(tmp_path / "a.parquet", values, [filters]) == rows, filters


def _required(name: str, type: pa.DataType) -> pa.Field:
    return pa.field(name, type, nullable=False)


_INNER = pa.StructArray.from_arrays([pa.array([None, 1, 2])], ["b"])
_HIDDEN = pa.StructArray.from_arrays([_INNER, pa.array([None, [1], []])], ["t", "l"], mask=pa.array([True, False, False]))
_STRUCT = pa.struct([_required("t", pa.struct([_required("b", pa.int64())])), _required("l", pa.list_(pa.int64()))])
_LISTS, _MAPS = pa.list_(_required("item", pa.list_(pa.int64()))), pa.map_(pa.string(), _required("value", pa.int64()))


@pytest.mark.parametrize(
    ("values", "type"),
    [
        pytest.param(_HIDDEN, _STRUCT, id="values below a null struct"),
        pytest.param(_HIDDEN.slice(1), _STRUCT, id="a slice"),
        pytest.param(pa.array([None, None], _HIDDEN.type), _STRUCT, id="null structs only"),
        pytest.param(pa.array([[[1]], None, []]), _LISTS, id="lists"),
        pytest.param(pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())), _MAPS, id="maps"),
    ],
)
def test_required_items_and_fields_stay_required(values: pa.Array, type: pa.DataType, tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": values}), tmp_path / "a.parquet")
    found = aj.read_parquet(tmp_path / "a.parquet", schema=pa.schema([("x", type)]))
    found.validate(full=True)
    aj.write_parquet(found, tmp_path / "b.parquet")
    back = pq.read_table(tmp_path / "b.parquet")
    assert back["x"].to_pylist() == values.to_pylist()
    assert found.schema.field("x").type == back.schema.field("x").type == type


@pytest.mark.parametrize(
    ("values", "type", "text"),
    [
        (pa.array([[None, [1]]], pa.list_(pa.list_(pa.int64()))), _LISTS, "1 value of its items"),
        (pa.array([{"t": None, "l": [1]}, {"t": {"b": 1}, "l": [1]}]), _STRUCT, "1 value of the field 't'"),
        (pa.array([{"t": {"b": None}, "l": [1]}], _HIDDEN.type), _STRUCT, "1 value of the field 'b'"),
        (pa.array([[("k", None)]], pa.map_(pa.string(), pa.int64())), _MAPS, "1 value of the field 'value'"),
    ],
)
def test_nulls_in_required_items_and_fields_are_an_error(values: pa.Array, type: pa.DataType, text: str, tmp_path: Path) -> None:
    """pyarrow would write a null list as an empty one, and a null struct as a struct of zeros."""
    pq.write_table(pa.table({"x": values}), tmp_path / "a.parquet")
    with pytest.raises(aj.JagValueError, match=f"column 'x': .* {text} is null, and the type says not null"):
        aj.read_parquet(tmp_path / "a.parquet", schema=pa.schema([("x", type)]))


@pytest.mark.parametrize(
    "around", [pa.list_, pa.large_list, lambda item: pa.list_(item, 2), lambda item: pa.map_(pa.string(), item)]
)
def test_merged_types_keep_the_order_of_the_first(around: Any) -> None:
    """Fields that the second type adds come last, at any depth."""
    one = pa.struct([("b", pa.int8()), ("a", pa.int8())])
    other = pa.struct([("a", pa.int16()), ("c", pa.int8()), ("b", pa.int8())])
    merged = merge_types(around(one), around(other))
    assert merged == around(pa.struct([("b", pa.int8()), ("a", pa.int16()), ("c", pa.int8())]))


def test_filters_of_partitions_that_are_no_filters_are_named(tmp_path: Path) -> None:
    (tmp_path / "k=1").mkdir()
    aj.write_parquet({"v": aj.array([[1]])}, tmp_path / "k=1" / "a.parquet")
    with pytest.raises(aj.JagValueError, match=r"filters can't be read: 'foo' in \('k', 'foo', 1\) is not an operator"):
        aj.read_parquet(tmp_path, filters=[("k", "foo", 1)])
    empty = aj.read_parquet(tmp_path, filters=[("k", "==", 99)])  # no file is left to tell the columns
    assert (empty.num_rows, empty.column_names) == (0, ["v", "k"])


def test_times_that_parquet_cannot_store_name_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older versions of pyarrow wrote another time without an error: seconds are checked before they are written."""
    checked, check = [], _parquet.check_seconds

    def counted(part: Any) -> None:
        checked.append(part.num_rows)
        check(part)

    monkeypatch.setattr(_parquet, "check_seconds", counted)
    moments = pa.array([[2**62], [0]], pa.list_(pa.timestamp("s")))
    with pytest.raises(aj.JagValueError, match=r"a\.parquet: Parquet can't store a value"):
        aj.write_parquet({"t": moments}, tmp_path / "a.parquet")
    assert checked == [2]
