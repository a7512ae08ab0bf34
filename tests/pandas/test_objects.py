"""Jagged columns in conversions to Python objects: dicts, JSON, SQL, text, functions of rows and of groups."""

from __future__ import annotations

import contextlib
import datetime as dt
import decimal
import json
import sqlite3
import uuid
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.pandas import JaggedExtensionArray
from arrowjag.pandas._versions import NO_ROW_BUILDERS

BIG = 2**53 + 1
ROWS: list[Any] = [[1, None], None, [], [BIG]]


@pytest.fixture
def df() -> pd.DataFrame:
    return pd.DataFrame({"k": [1, 1, 2, 3], "v": aj.array(ROWS), "w": aj.array([[[1]], None, [], [None]])}, index=list("abcd"))


def test_dicts_hold_lists(df: pd.DataFrame) -> None:
    expected = [{"k": k, "v": v, "w": w} for k, v, w in zip([1, 1, 2, 3], ROWS, [[[1]], None, [], [None]], strict=True)]
    for records in (df.to_dict("records"), df.to_dict(orient="records"), df.jag.to_dict("records")):
        assert records == expected
        assert json.loads(json.dumps(records)) == expected
    assert df.to_dict("list") == df.jag.to_dict("list") == {name: [one[name] for one in expected] for name in "kvw"}
    assert (
        df.to_dict()
        == df.jag.to_dict()
        == {name: dict(zip("abcd", (one[name] for one in expected), strict=True)) for name in "kvw"}
    )
    assert df["v"].to_dict() == dict(zip("abcd", ROWS, strict=True))
    assert df.to_dict("series")["v"].dtype == "jagged[int64, 2]"
    assert df[["k"]].to_dict("records") == [{"k": 1}, {"k": 1}, {"k": 2}, {"k": 3}]
    assert df.to_dict("split")["data"] == [list(one.values()) for one in expected]
    twice = pd.concat([df[["v"]], df[["v"]]], axis=1)
    with pytest.warns(UserWarning, match="columns are not unique"):
        assert twice.to_dict("list") == {"v": ROWS}


def test_lists_of_flat_columns_are_exact() -> None:
    sums = pd.Series(aj.array([[BIG], None, []])).jag.sum()
    flags = pd.Series(aj.array([True, None, False]))
    frame = pd.DataFrame({"s": sums, "b": flags, "t": pd.Series(aj.array(["x", None, "y"]))})
    frame.index = pd.Index([5, 5, 6])
    assert frame.jag.to_dict("list") == {"s": [BIG, None, 0], "b": [True, None, False], "t": ["x", None, "y"]}
    assert [type(one) for one in frame.jag.to_dict("list")["s"]] == [int, type(None), int]
    assert frame["s"].dtype == "int64[pyarrow]"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (aj.array([[1, None], None]), [[1, None], None]),
        (aj.Row([[1], None]), [[1], None]),
        (pd.Series([1, 2]), [1, 2]),
        (pa.array([1, None]), [1, None]),
        (pa.scalar(3), 3),
        (np.array([[1], [2]]), [[1], [2]]),
        (np.float32(0.5), 0.5),
        (pd.NA, None),
        (pd.NaT, None),
        (pd.Timestamp("2024-01-02", tz="UTC"), "2024-01-02T00:00:00+00:00"),
        (dt.date(2024, 1, 2), "2024-01-02"),
        (dt.timedelta(milliseconds=1500), 1.5),
        (decimal.Decimal("1.50"), "1.50"),
        (b"\x01a", "0161"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ],
)
def test_json_default(value: Any, expected: Any) -> None:
    assert json.loads(json.dumps({"v": value}, default=aj.json_default)) == {"v": expected}


def test_a_row_has_the_method_that_encoders_look_for() -> None:
    """plotly's, for one."""
    assert aj.Row([[1], None]).tolist() == [[1], None]


def test_json_default_refuses_the_rest() -> None:
    with pytest.raises(aj.JagTypeError, match=r"JSON has no form for .* of type object"):
        json.dumps(object(), default=aj.json_default)


def test_sql_gets_json(df: pd.DataFrame) -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        df.to_sql("t", connection)
        found = [row[0] for row in connection.execute("select v from t")]
    assert [None if one is None else json.loads(one) for one in found] == ROWS


def test_csv_gets_json(df: pd.DataFrame) -> None:
    assert df[["v"]].to_csv(index=False).splitlines() == ["v", '"[1, null]"', '""', "[]", f"[{BIG}]"]


@pytest.mark.parametrize("backend", ["pyarrow", "numpy_nullable"])
def test_convert_dtypes(df: pd.DataFrame, backend: Any) -> None:
    converted = df.convert_dtypes(dtype_backend=backend)
    assert converted["k"].dtype == ("int64[pyarrow]" if backend == "pyarrow" else "Int64")
    assert converted["v"].dtype == df["v"].dtype
    assert converted["v"].jag.to_list() == ROWS
    assert df["v"].convert_dtypes(dtype_backend=backend).jag.to_list() == ROWS


def test_functions_of_groups_give_rows(df: pd.DataFrame) -> None:
    """Also where a row has one item: pandas would take it out of the Series."""

    def total(s: Any) -> Any:
        return s.jag.sum(axis=0)

    expected = [[1, 0], [], [BIG]]
    grouped = df.groupby("k")
    for result in (
        grouped["v"].agg(total),
        grouped.agg(n=("v", total))["n"],
        grouped[["v"]].agg(total)["v"],
        grouped["v"].aggregate(total),
    ):
        assert result.dtype == "jagged[int64, 2]"
        assert result.jag.to_list() == expected
    assert df[2:].groupby("k")["v"].agg(total).jag.to_list() == expected[1:]
    assert df[3:].groupby("k")["v"].agg(total).jag.to_list() == expected[2:]
    assert grouped["v"].agg(lambda s: s.jag.lengths().sum()).tolist() == [2, 0, 1]
    assert grouped["v"].agg(lambda s: s.jag.sum()._values).jag.to_list() == [[1, None], [0], [BIG]]


def test_maps(df: pd.DataFrame) -> None:
    assert pd.Series([3, 0]).map(df["v"].reset_index(drop=True)).jag.to_list() == [[BIG], [1, None]]
    table = pd.Series(["empty", "big"], index=pd.Index(aj.array([[], [BIG]])))
    assert df["v"].map(table).tolist()[2:] == ["empty", "big"]
    assert df["v"].map({aj.Row([BIG]): 5}).tolist()[3] == 5
    for items in (pd.Series([10.0], index=[1]), {1: 10.0}):
        with pytest.raises(aj.JagTypeError, match=r"map: the keys are int.*, but rows of .* are looked up.*\.jag\.translate"):
            df["v"].map(items)


def test_rows_of_the_frame(df: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a column of its own to pandas, and none is made where only its rows are looked at."""
    pair = pd.DataFrame({"a": df["v"], "b": df["v"]})
    made = []
    original = JaggedExtensionArray._jagged
    monkeypatch.setattr(JaggedExtensionArray, "_jagged", property(lambda self: made.append(1) or original.fget(self)))
    lengths = pair.apply(lambda row: -1 if row["a"] is pd.NA else len(row["a"]) + len(row["b"]), axis=1)
    assert lengths.tolist() == [4, -1, 0, 2]
    assert not made or NO_ROW_BUILDERS
    assert pair.apply(lambda row: row.jag.count().sum(), axis=1).tolist() == [2, 0, 0, 2]
    chosen = pair.apply(lambda row: row["b"], axis=1)
    assert (chosen.jag.to_list(), chosen.dtype) == (ROWS, pair["b"].dtype)
    for call in (pair.apply, pair.agg):
        firsts = call(lambda column: column.iloc[0])
        assert (firsts.index.tolist(), firsts.jag.to_list()) == (["a", "b"], [ROWS[0]] * 2)
    beside = pair.apply(lambda column: column.iloc[0] if column.name == "a" else 7)
    assert (beside["a"], beside["b"]) == (ROWS[0], 7)
    mixed = pd.DataFrame({"a": aj.array([[1], None, []]), "b": aj.array([[0.5], None, []])})
    assert mixed.apply(lambda row: row.isna().sum(), axis=1).tolist() == [0, 2, 0]


def test_rows_put_together_are_set_and_copied_as_any(df: pd.DataFrame) -> None:
    rows = JaggedExtensionArray._from_sequence([df["v"].iloc[0], pd.NA], dtype=df["v"].dtype)
    copy, view = rows.copy(), rows.view()
    rows[1] = [5]
    assert (rows[1], view[1], copy[1]) == ([5], [5], pd.NA)
    assert [aj.array(one.__arrow_array__()).to_list() for one in (rows, copy)] == [[[1, None], [5]], [[1, None], None]]
    assert len(JaggedExtensionArray._from_sequence([pd.NA, None], dtype=df["v"].dtype)) == 2


def test_iteration_gives_lists_that_json_knows() -> None:
    s = aj.array([[[1, 2], None], [], None], type=pa.int64(), ndim=3).to_pandas(name="v")
    rows = [[[1, 2], None], [], pd.NA]
    assert [list(s), s.tolist(), s.to_list(), [one for (one,) in s.to_frame().itertuples(index=False)]] == [rows] * 4
    assert json.dumps(s[:2].tolist()) == "[[[1, 2], null], []]"
    assert json.dumps(list(s), default=aj.json_default) == "[[[1, 2], null], [], null]"
    assert isinstance(s.iloc[0], aj.Row)
    assert list(pd.Series([1, 2])) == pd.Series([1, 2]).tolist() == [1, 2]
    long = aj.from_sizes(range(40_000), [1] * 40_000).to_pandas()
    assert long.tolist() == [[k] for k in range(40_000)]
