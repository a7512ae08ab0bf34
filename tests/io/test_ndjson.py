"""Newline-delimited JSON: round trips, types that follow from the whole file or a schema, wrong files."""

from __future__ import annotations

import bz2
import datetime as dt
import decimal
import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagFileError, JagTypeError
from arrowjag.io import _ndjson
from arrowjag.testing import arrow_columns, jagged_arrays, leaf_types
from tests.hosts import pd, pl

X = aj.array([[1, None], None, []])


def written(folder: Path, frame: Any) -> Path:
    aj.write_ndjson(frame, folder / "a.ndjson")
    return folder / "a.ndjson"


def plain(value: Any) -> Any:
    """A value as JSON keeps it."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


KINDS = ("bool", "int", "uint", "float", "string", "struct", "null")


@given(data=st.data())
def test_output_is_one_json_object_per_line(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    column = data.draw(arrow_columns(st.integers(1, 3), leaf_types(*KINDS)))
    path = written(tmp_path_factory.mktemp("json"), pa.table({'a"ä': column.array}))
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if column.truth else []
    rows = [json.loads(line) for line in lines]
    assert all(list(row) == ['a"ä'] for row in rows)
    got = pa.array([row['a"ä'] for row in rows], column.array.type)  # floats of 32 bits have the digits that tell them apart
    assert got.to_pylist() == [plain(row) for row in column.truth]


@given(data=st.data())
def test_round_trips_by_a_schema(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    kinds = ("bool", "int", "uint", "string", "decimal", "date", "struct", "null", "dictionary")
    leaf = data.draw(leaf_types(*kinds).filter(lambda leaf: leaf != pa.struct([("x", pa.float64())])))
    x = data.draw(jagged_arrays(st.integers(2, 3), leaf, allow_nan=False))
    path = written(tmp_path_factory.mktemp("json"), {"v": x})
    got = aj.array(aj.read_ndjson(path, {"v": x.to_arrow().type})["v"])
    assert got.type == x.type
    assert got.to_list() == [plain(row) for row in x.to_list()]


def test_lists_of_nulls_and_categories_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text('{"v": [[null, null], [null]], "s": {"a": [null, null]}}\n{"v": null, "s": null}\n')
    aj.read_ndjson(path).validate(full=True)
    assert aj.read_ndjson(path)["v"].to_pylist() == [[[None, None], [None]], None]
    assert aj.read_ndjson(path)["s"].to_pylist() == [{"a": [None, None]}, None]
    path.write_text('{"v": [7, null, 7]}\n{"v": []}\n')
    words = pa.dictionary(pa.int8(), pa.int64())
    assert aj.array(aj.read_ndjson(path, {"v": pa.list_(words)})["v"]).type == words
    fields = pa.list_(pa.struct([("k", words)]))
    assert aj.from_json(['[{"k": 7}, null]', "null"], fields).to_list() == [[{"k": 7}, None], None]
    assert aj.from_json(["[null, null]", "[]"], pa.large_list(pa.null())).to_list() == [[None, None], []]


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, pa.list_view])
def test_lists_of_nulls_keep_their_items_by_a_schema(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    rows = [[[None, None], [None]], [], None, [[None] * 5]]
    path.write_text("".join(json.dumps({"v": row}) + "\n" for row in rows))
    table = aj.read_ndjson(path, {"v": kind(pa.large_list(pa.null()))})
    table.validate(full=True)
    assert table["v"].to_pylist() == rows
    fixed = pa.large_list(pa.list_(pa.null(), 2))
    path.write_text('{"v": [[null, null], [null, null]]}\n{"v": [null]}\n')
    assert aj.array(aj.read_ndjson(path, {"v": fixed})["v"]).to_list() == [[[None, None]] * 2, [None]]


@pytest.mark.parametrize(
    "rows",
    [[[None, 1], []], [[], [None, None, 1.5]], [None, [None, "a"]], [[None, [1]], [[None, 2]]], [[{"a": 1}, {"a": None}], [None]]],
    ids=str,
)
def test_nulls_before_the_first_value_are_read_without_a_schema(rows: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text("".join(json.dumps({"v": row, "s": {"a": row}}) + "\n" for row in rows))
    table = aj.read_ndjson(path)
    assert table["v"].to_pylist() == rows
    assert table["s"].to_pylist() == [{"a": row} for row in rows]


def test_types_follow_from_all_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text('{"v": [1], "t": "2024-01-01"}\n{"v": [1.5, null], "w": [["a"], []]}\n{"t": null}\n')
    table = aj.read_ndjson(path)
    assert table.schema.field("v").type == aj.JaggedType.of(pa.float64(), 2)
    assert table.schema.field("w").type == aj.JaggedType.of(pa.string(), 3)
    assert table.schema.field("t").type == pa.string()
    assert table.to_pydict() == {"v": [[1.0], [1.5, None], None], "t": ["2024-01-01", None, None], "w": [None, [["a"], []], None]}


def test_a_schema_chooses_columns_and_types(tmp_path: Path) -> None:
    path = written(tmp_path, {"v": X, "k": ["a", "b", "c"], "t": aj.array([[dt.datetime(2024, 1, 1, 5)], [], None])})  # noqa: DTZ001
    for v in (pa.list_(pa.int8()), pa.large_list(pa.int8()), aj.JaggedType.of(pa.int8(), 2)):
        table = aj.read_ndjson(path, {"t": pa.list_(pa.timestamp("us")), "v": v})
        assert table.column_names == ["t", "v"]
        assert aj.array(table["v"]).type == pa.int8()
        assert table["t"].to_pylist() == [[dt.datetime(2024, 1, 1, 5)], [], None]  # noqa: DTZ001 - without a zone
    fixed = written(tmp_path, {"v": aj.array([[1, 2], [3, 4]])})
    assert aj.array(aj.read_ndjson(fixed, pa.schema([("v", pa.list_(pa.int64(), 2))]))["v"]).shape.extents == (None, 2)


def test_a_schema_of_polars_or_of_names(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    path = tmp_path / "a.ndjson"
    frame = pl.DataFrame(
        {"k": ["a", "b"], "v": aj.array([[1.5, None], []]), "t": [[1], None]}, schema_overrides={"t": pl.List(pl.Int8)}
    )
    aj.write_ndjson(frame, path)
    read = aj.read_ndjson(path, frame.schema, to="polars")
    assert read.select("k", "v").equals(frame.select("k", "v"))
    assert aj.array(read["t"]).type == pa.int8()
    views = aj.read_ndjson(path, pa.schema([("k", pa.string_view())]), to="polars")
    assert views["k"].to_list() == ["a", "b"]
    named = aj.read_ndjson(path, {"v": "jagged[float, 2]", "t": "list<int16>", "k": "string"})
    assert [aj.array(named[name]).type for name in named.column_names] == [pa.float32(), pa.int16(), pa.string()]
    with pytest.raises(JagTypeError, match=r"dict of Arrow types; column 't': expected .* got List\(Int8\)"):
        aj.read_ndjson(path, {"t": pl.List(pl.Int8)})


def test_leaves_without_a_form_of_their_own(tmp_path: Path) -> None:
    zoned = aj.array([[dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)]]).dt.tz_convert("Europe/Paris")
    frame = {
        "zoned": zoned,
        "wall": aj.array([[dt.datetime(2024, 7, 1, 12), None]]).cast("timestamp[s]"),  # noqa: DTZ001
        "price": aj.array([[decimal.Decimal("1.50")]]),
        "long": aj.array([[dt.timedelta(milliseconds=1500)]]),
        "word": aj.array(pa.array([["a"]], pa.list_(pa.dictionary(pa.int8(), pa.string())))),
        "of": pa.array([[("k", 1), ("l", None)]], pa.map_(pa.string(), pa.int64())),
        "text": ['quote " slash \\ line \n tab \t nul \x00 ä'],
    }
    path = written(tmp_path, frame)
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "zoned": ["2024-07-01T12:00:00.000000Z"],
        "wall": ["2024-07-01T12:00:00", None],
        "price": ["1.50"],
        "long": [1.5],
        "word": ["a"],
        "of": {"k": 1, "l": None},
        "text": 'quote " slash \\ line \n tab \t nul \x00 ä',
    }
    back = aj.read_ndjson(path, {"zoned": zoned.to_arrow().type, "price": pa.list_(pa.decimal128(5, 2))})
    assert aj.array(back["zoned"]).equals(zoned)
    assert back["price"].to_pylist() == [[decimal.Decimal("1.50")]]
    with pytest.raises(JagTypeError, match="column 'b': JSON has no form for binary"):
        aj.write_ndjson({"b": aj.array([[b"a"]])}, path)
    assert json.loads(path.read_text(encoding="utf-8"))["word"] == ["a"]  # the old file is still there


def test_frames_of_every_host(tmp_path: Path) -> None:
    df = pd.DataFrame({"k": [1, 2, 3], "v": X})
    lf = pl.DataFrame({"k": [1, 2, 3], "v": X}).lazy()
    table = pa.table({"k": [1, 2, 3], "v": X.to_arrow()})
    texts = {written(tmp_path, frame).read_text() for frame in (df, lf, lf.collect(), table)}
    assert texts == {'{"k":1,"v":[1,null]}\n{"k":2,"v":null}\n{"k":3,"v":[]}\n'}
    path = tmp_path / "a.ndjson"
    assert str(aj.read_ndjson(path, to="pandas").dtypes["v"]) == "jagged[int64, 2]"
    assert aj.read_ndjson(path, to="polars")["v"].dtype == aj.polars.Jagged(pl.Int64, 2)


def test_empty_files(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    for content in ("", "\n\n"):
        path.write_text(content)
        assert aj.read_ndjson(path).num_rows == 0
        assert aj.array(aj.read_ndjson(path, {"v": pa.list_(pa.int64())})["v"]).to_list() == []
    assert written(tmp_path, {"v": X}).read_text() != ""
    for _ in range(2):  # over a file with rows, and over an empty one
        assert written(tmp_path, {"v": X[:0]}).read_bytes() == b""
    (tmp_path / "new").mkdir()
    assert written(tmp_path / "new", {"v": X[:0]}).read_bytes() == b""
    assert aj.read_ndjson(path).num_rows == 0


def test_many_rows_in_blocks(tmp_path: Path) -> None:
    x = aj.arange(200_000, 1).reshape(200_000, 1)
    path = written(tmp_path, {"v": x})
    assert aj.array(aj.read_ndjson(path)["v"]).sum(axis=None).as_py() == x.sum(axis=None).as_py()


@pytest.mark.parametrize("content", ['{"v": [1}\n', '{"v": 1}\n[2]\n', '{"v": 1}\n{"v": "x"}\n', "not json"])
def test_files_other_than_json_raise_with_their_name(content: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.ndjson"
    path.write_text(content)
    with pytest.raises(JagFileError, match=r"broken\.ndjson"):
        aj.read_ndjson(path)


def test_wrong_schemas(tmp_path: Path) -> None:
    path = written(tmp_path, {"v": X})
    with pytest.raises(JagFileError, match=r"a\.ndjson"):
        aj.read_ndjson(path, {"v": pa.list_(pa.string())})
    with pytest.raises(JagTypeError, match="JSON has no form for binary"):
        aj.read_ndjson(path, {"v": pa.list_(pa.binary())})
    with pytest.raises(JagTypeError, match=r"schema must be a pa\.Schema, a pl\.Schema or a dict"):
        aj.read_ndjson(path, ["v"])
    with pytest.raises(aj.JagValueError, match="schema has two columns of the name 'v'"):
        aj.read_ndjson(path, pa.schema([("v", pa.null()), ("v", pa.null())]))
    with pytest.raises(FileNotFoundError, match=r"no\.ndjson: no such file or folder"):
        aj.read_ndjson(tmp_path / "no.ndjson")


def test_nulls_of_a_schema_that_says_not_null(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text('{"v":[1,null],"s":{"a":null}}\n{"s":null}\n')
    required = [pa.field(name, pa.int8(), nullable=False) for name in ("item", "a")]
    for field, told in (
        (pa.field("v", pa.list_(pa.int8()), nullable=False), "1 row is null, and the schema says not null"),
        (pa.field("v", pa.large_list(required[0])), "an item is null, and the type says not null"),
        (pa.field("s", pa.struct([required[1]])), "the field 'a' is null, and the type says not null"),
    ):
        with pytest.raises(aj.JagValueError, match=rf"a\.ndjson, column '{field.name}'.*: {told}"):
            aj.read_ndjson(path, pa.schema([field]))
    path.write_text('{"v":[1],"s":{"a":2}}\n{"v":[],"s":null}\n')
    schema = pa.schema([pa.field("v", pa.list_(required[0]), nullable=False), pa.field("s", pa.struct([required[1]]))])
    table = aj.read_ndjson(path, schema)
    assert table.to_pylist() == [{"v": [1], "s": {"a": 2}}, {"v": [], "s": None}]
    assert [field.nullable for field in table.schema] == [False, True]


@pytest.mark.parametrize("rows", [[None] * 4, [[None, None], None]], ids=["outer", "inner"])
def test_null_rows_of_declared_size_are_valid_decimals(rows: list[Any], tmp_path: Path) -> None:
    """Arrow's own cast leaves uninitialised memory under them."""
    fixed = pa.list_(pa.decimal128(12, 2), 1)
    type = fixed if rows[0] is None else pa.large_list(fixed)
    path = tmp_path / "a.ndjson"
    path.write_text("".join(json.dumps({"v": row}) + "\n" for row in rows))
    for _ in range(20):
        for size in (64, 128, 256) * 3:
            np.frombuffer(pa.allocate_buffer(size), np.uint8)[:] = 0xAB  # freed at once, and given to the cast
        aj.read_ndjson(path, {"v": type}).validate(full=True)
        assert aj.array(aj.read_ndjson(path, {"v": type})["v"]).to_list() == rows


@pytest.mark.parametrize(("content", "row"), [("null\n", 0), ("null\nnull", 0), ('{"a": 1}\n null\n', 1), ('null\n{"a": 1}\n', 0)])
def test_a_row_of_null_is_an_error(content: str, row: int, tmp_path: Path) -> None:
    """pyarrow's reader ends the process when the first row is null."""
    (tmp_path / "a.ndjson").write_text(content)
    with pytest.raises(JagFileError, match=rf"a\.ndjson, row {row} is null: each line holds an object"):
        aj.read_ndjson(tmp_path / "a.ndjson")
    (tmp_path / "a.ndjson").write_text('{"a": "null"}\n{"a": null}\n{"null": 1}\n')
    assert aj.read_ndjson(tmp_path / "a.ndjson")["a"].to_pylist() == ["null", None, None]


@pytest.mark.parametrize(
    "value", ["18446744073709551615", "-9223372036854775809", "[1, 123456789012345678901]", '{"b": [9223372036854775808]}']
)
def test_integers_beyond_int64_are_not_rounded(value: str, tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text(f'{{"a": "99999999999999999999"}}\n{{"v": {value}, "f": 0.5}}\n')
    with pytest.raises(JagFileError, match=r"row 1 holds -?\d{19,21}, which int64 can't hold and float64 would round"):
        aj.read_ndjson(tmp_path / "a.ndjson")
    (tmp_path / "a.ndjson").write_text('{"v": 9223372036854775807, "f": 0.5, "t": "18446744073709551615"}\n')
    assert aj.read_ndjson(tmp_path / "a.ndjson").to_pylist() == [{"v": 2**63 - 1, "f": 0.5, "t": "18446744073709551615"}]
    (tmp_path / "a.ndjson").write_text('{"v": 18446744073709551615}\n')
    assert aj.read_ndjson(tmp_path / "a.ndjson", {"v": pa.uint64()})["v"].to_pylist() == [2**64 - 1]


def test_two_columns_of_one_name_are_not_written(tmp_path: Path) -> None:
    table = pa.table([[1], [2]], ["a", "a"])
    for write in (aj.write_ndjson, aj.write_parquet, aj.write_ipc):
        with pytest.raises(ValueError, match="the frame has two columns of the name 'a'"):
            write(table, tmp_path / "a")
    assert not list(tmp_path.iterdir())


@given(st.lists(st.sampled_from(["9" * 18, "1" * 19, "2" * 20, *"0-,[] \n.:5e"]), max_size=9))
def test_long_numbers_are_those_that_a_regular_expression_finds(parts: list[str]) -> None:
    data = "".join(parts).encode()
    expected = re.finditer(rb"[\[:,\s]-?\d{19,}(?=[\s,\]}])", data)
    assert [one.span() for one in _ndjson._long_numbers(data)] == [one.span() for one in expected]


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_values_too_deep_for_the_stack_raise(opening: str, closing: str, tmp_path: Path) -> None:
    """Arrow's types recurse: their functions ended the process."""
    (tmp_path / "a").write_text('{"k": []}\n{"k": ' + opening * 100_000 + closing * 100_000 + "}\n")
    with pytest.raises(JagFileError, match="row 1 has more than 128 levels of lists and objects: at most 64 dims are supported"):
        aj.read_ndjson(tmp_path / "a")


@pytest.mark.parametrize("block", [7, 2**20])
def test_brackets_in_text_are_no_levels(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ndjson, "_BLOCK", block)
    text = '"[{]}' * 20 + "\\"
    aj.write_ndjson({"v": aj.array([[[text]], [], None] * 9), "t": ["[[" * 200, "]]" * 300, "}"] * 9}, tmp_path / "a")
    assert aj.array(aj.read_ndjson(tmp_path / "a")["v"])[0].to_list() == [[text]]
    (tmp_path / "b").write_text('{"t": "' + "]" * 300 + '", "v": ' + "[" * 200 + "]" * 200 + "}")
    with pytest.raises(JagFileError, match="row 0 has more than 128 levels"):
        aj.read_ndjson(tmp_path / "b")


def test_compressed_files_are_read_by_their_first_bytes(tmp_path: Path) -> None:
    """Names do not matter, and a file of several gzip members is read whole."""
    aj.write_ndjson({"v": aj.array([[1, None], None, []] * 100)}, tmp_path / "plain")
    plain, expected = (tmp_path / "plain").read_bytes(), aj.read_ndjson(tmp_path / "plain")
    packed = {
        "a.gz": gzip.compress(plain),
        "two.gz": gzip.compress(plain[:140]) + gzip.compress(plain[140:]),
        "a.bz2": bz2.compress(plain),
        "a.zst": pa.compress(plain, "zstd", asbytes=True),
        "without_suffix": gzip.compress(plain),
    }
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        assert aj.read_ndjson(tmp_path / name).equals(expected)
    for size in (10, len(packed["a.gz"]) // 2):
        (tmp_path / "cut.gz").write_bytes(packed["a.gz"][:size])
        with pytest.raises(JagFileError, match=r"cut\.gz is damaged"):
            aj.read_ndjson(tmp_path / "cut.gz")
    (tmp_path / "empty.gz").write_bytes(gzip.compress(b""))
    assert aj.read_ndjson(tmp_path / "empty.gz").num_rows == 0


@pytest.mark.parametrize(("unit", "per_second"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_durations_are_seconds(unit: str, per_second: int, tmp_path: Path) -> None:
    durations = pa.array([3 * per_second, -per_second, None], pa.duration(unit))
    lines = written(tmp_path, pa.table({"d": durations})).read_text().splitlines()
    assert [json.loads(line)["d"] for line in lines] == [3, -1, None]


def test_null_maps_are_null(tmp_path: Path) -> None:
    maps = pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64()))
    for table in (pa.table({"m": maps}), pa.table({"m": maps})[1:]):
        lines = written(tmp_path, table).read_text().splitlines()
        assert [json.loads(line)["m"] for line in lines] == [{"a": 1}, None, {}][3 - len(table) :]


@pytest.mark.parametrize(("type", "keys"), [(pa.int8(), [1, -2]), (pa.bool_(), [True, False]), (pa.string(), ["a", '"'])], ids=str)
def test_keys_of_maps_are_text(type: pa.DataType, keys: list[Any], tmp_path: Path) -> None:
    maps = pa.array([[(key, 0) for key in keys]], pa.map_(type, pa.int64()))
    (line,) = written(tmp_path, pa.table({"m": maps})).read_text().splitlines()
    assert json.loads(line)["m"] == {key if isinstance(key, str) else json.dumps(key): 0 for key in keys}
