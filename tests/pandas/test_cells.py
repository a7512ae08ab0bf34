"""Assignment through `loc` and `iloc`: a list of lists holds rows, and a list of items is a row for a single position."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.pandas._setting import depth_of

ROWS: list[Any] = [[1, 2], None, [], [3]]


@pytest.fixture
def df() -> pd.DataFrame:
    return pd.DataFrame({"k": range(4), "v": aj.array(ROWS), "t": list("abcd")})


@pytest.mark.parametrize(
    "value",
    [
        [[7], [8], [9]],
        [[7, 7], [8], []],
        [[7, 1], [8, 2], [9, 3]],
        [None, [7], [8]],
        [[], [], []],
        [aj.Row([7]), aj.Row([8]), pd.NA],
        np.array([[7], [8], [9]]),
        np.array([[7, 1], [8, 2], [9, 3]]),
        aj.array([[7], None, [9]]),
        aj.array([[7], None, [9]]).to_pandas().array,
        aj.array([[7], None, [9]]).to_pandas(),
    ],
)
def test_lists_of_lists_are_rows(df: pd.DataFrame, value: Any) -> None:
    rows = value.jag.to_list() if isinstance(value, pd.Series) else value.to_list() if isinstance(value, aj.JaggedArray) else value
    expected = [None if one is None or one is pd.NA else list(one) for one in rows]
    mask = df["k"] < 3
    for key in ((mask, "v"), (slice(0, 2), "v"), ([0, 1, 2], "v"), (mask.to_numpy(), "v")):
        changed = df.copy()
        changed.loc[key] = value
        assert changed["v"].jag.to_list() == [*expected, [3]]
    changed = df.copy()
    changed.iloc[0:3, 1] = value.array if isinstance(value, pd.Series) else value
    assert changed["v"].jag.to_list() == [*expected, [3]]
    assert changed["v"].dtype == df["v"].dtype
    assert df["v"].jag.to_list() == ROWS


@pytest.mark.parametrize("value", [[7, 8, 9], (7, 8, 9), np.array([7, 8, 9]), pd.Series([7, 8, 9])])
def test_a_list_of_items_is_refused_for_several_rows(df: pd.DataFrame, value: Any) -> None:
    with pytest.raises(aj.JagTypeError, match="each of its items is for one row, and a row is a list of 1 level"):
        df.loc[df["k"] < 3, "v"] = value
    series = df["v"].copy()
    with pytest.raises(aj.JagTypeError, match="each of its items is for one row"):
        series.iloc[[0, 1, 2]] = value
    assert df["v"].jag.to_list() == ROWS


def test_one_row_assigned_to_several_positions(df: pd.DataFrame) -> None:
    df.loc[df["k"] < 3, "v"] = aj.Row([7, 8])
    assert df["v"].jag.to_list() == [[7, 8]] * 3 + [[3]]
    df.loc[df["k"] > 1, "v"] = [[9]]
    assert df["v"].jag.to_list() == [[7, 8]] * 2 + [[9]] * 2
    df.loc[df["k"] > 2, "v"] = pd.NA
    assert df["v"].jag.to_list() == [[7, 8]] * 2 + [[9], None]


@pytest.mark.parametrize("row", [[7, 8], [7], [], [7, None, 9, 10, 11]])
def test_one_cell(df: pd.DataFrame, row: list[Any]) -> None:
    df.loc[1, "v"] = row
    df.iloc[2, 1] = row
    df.loc[0] = [5, row, "z"]
    df.loc[3] = {"k": 5, "v": row, "t": "z"}
    assert df["v"].jag.to_list() == [row] * 4
    assert df.iloc[0].tolist()[::2] == [5, "z"]
    assert df["v"].dtype == "jagged[int64, 2]"


@pytest.mark.parametrize("value", [[1.5], [1.5, 2.5], ["a"], ["a", "b", "c"], [2**70]])
@pytest.mark.parametrize("label", [0, 9])
def test_a_list_whose_items_do_not_fit_is_named_whole(df: pd.DataFrame, label: int, value: list[Any]) -> None:
    with pytest.raises(JagTypeError, match=r"^Invalid value \[.*\] for dtype jagged\[int64, 2\]: .*(int64|does not fit)"):
        df.loc[label, "v"] = value
    with pytest.raises(JagTypeError, match=r"^Invalid value \["):
        df.iloc[0, 1] = value
    assert df["v"].jag.to_list() == ROWS


@pytest.mark.parametrize("value", [5, "ab", 1.5])
def test_a_scalar_is_no_row(df: pd.DataFrame, value: Any) -> None:
    for key in (0, slice(0, 2)):
        with pytest.raises(
            JagTypeError, match=f"^Invalid value {value!r} for dtype jagged.int64, 2.: a row is a list; .jag.fill_null"
        ):
            df.loc[key, "v"] = value
    assert df["v"].jag.to_list() == ROWS


def test_the_depth_of_a_column_of_null_rows_is_that_of_its_dtype() -> None:
    nulls = pd.Series([None, None], dtype="jagged[int64, 3]")
    assert depth_of(nulls) == depth_of(nulls.array) == 3
    assert depth_of([None, []]) is None


def test_a_list_that_is_too_deep_is_not_flattened(df: pd.DataFrame) -> None:
    with pytest.raises(JagTypeError, match=r"Invalid value \[\[1\], \[2\]\] .* this list is deeper"):
        df.loc[0, "v"] = [[1], [2]]


LEVELS = pd.MultiIndex.from_tuples([("p", 1), ("p", 2), ("q", 1), ("q", 2)], names=["i", "j"])


@pytest.mark.parametrize("row", [[], [7], [7, 8], [7, 8, 9], [None]])
@pytest.mark.parametrize("label", [("p", 1), ("r", 1)])
def test_labels_of_several_levels(df: pd.DataFrame, label: tuple[str, int], row: list[Any]) -> None:
    df.index = LEVELS
    series = df["v"].copy()
    expected = [row, *ROWS[1:]] if label in LEVELS else [*ROWS, row]
    df.loc[label, "v"] = row
    series.loc[label] = row
    assert df["v"].jag.to_list() == series.jag.to_list() == expected
    assert df["v"].dtype == series.dtype == "jagged[int64, 2]"


@pytest.mark.parametrize("row", [[], [7], [7, 8], [7, 8, 9]])
def test_an_index_of_several_levels_is_no_obstacle(df: pd.DataFrame, row: list[Any]) -> None:
    df.index = LEVELS
    df.iloc[0, 1] = row
    df.loc["q", "v"] = [row, [0]]
    df.loc[("p", 2)] = [1, row, "z"]
    assert df["v"].jag.to_list() == [row, row, row, [0]]
    df.loc[("p", 1), ["v", "t"]] = [[9], "y"]
    df.loc[df["k"] > 2, "v"] = [[6]]
    assert df["v"].jag.to_list() == [[9], row, row, [6]]


@pytest.mark.parametrize("row", [[], [7], [7, 8], [7, 8, 9]])
def test_columns_of_several_levels(df: pd.DataFrame, row: list[Any]) -> None:
    df.columns = pd.MultiIndex.from_tuples([("x", "k"), ("x", "v"), ("y", "t")])
    df.loc[0, ("x", "v")] = row
    df.loc[[1, 2], ("x", "v")] = [row, [0]]
    df.loc[9, ("x", "v")] = row
    df.loc[3, "x"] = [4, row]
    assert df[("x", "v")].jag.to_list() == [row, row, [0], row, row]


def test_deeper_columns() -> None:
    df = pd.DataFrame({"k": range(3), "v": aj.array([[[1], [2]], None, []])})
    df.loc[0, "v"] = [[5], []]
    df.loc[df["k"] > 0, "v"] = [[[6]], [[7], [8]]]
    assert df["v"].jag.to_list() == [[[5], []], [[6]], [[7], [8]]]
    with pytest.raises(aj.JagTypeError, match=r"a row of jagged\[int64, 3\] must be a list, got int 6"):
        df.loc[df["k"] > 0, "v"] = [[6], [7]]


@pytest.mark.parametrize("label", [9, "new"])
def test_rows_are_appended(df: pd.DataFrame, label: Any) -> None:
    for value in ([5, [7, 8], "z"], (5, [7, 8], "z"), {"k": 5, "v": [7, 8], "t": "z"}):
        longer = df.copy()
        longer.loc[label] = value
        assert longer["v"].jag.to_list() == [*ROWS, [7, 8]]
        assert longer.dtypes.to_dict() == df.dtypes.to_dict()
    s = df["v"].copy()
    s.loc[label] = [7, 8]
    assert (s.jag.to_list(), s.dtype) == ([*ROWS, [7, 8]], "jagged[int64, 2]")
    s.loc["last"] = None
    assert s.jag.to_list() == [*ROWS, [7, 8], None]


def test_other_columns_are_set_as_ever(df: pd.DataFrame) -> None:
    df.loc[df["k"] < 2, "k"] = [10, 20]
    df.loc[df["k"] < 10, ["k", "t"]] = [[1, "x"], [2, "y"]]
    assert df["k"].tolist() == [10, 20, 1, 2]
    assert df["t"].tolist() == ["a", "b", "x", "y"]


@pytest.mark.parametrize(
    ("rows", "columns", "record"),
    [
        (0, ["v", "w"], [[5.0, 1.0], [6.0, 7.0]]),
        (0, ["w", "v"], [[5.0], [6.0, 7.0]]),
        (0, ["v", "w"], [None, [6.0]]),
        (0, ["v", "w"], np.array([[5.0, 1.0], [6.0, 7.0]])),
        (0, ["k", "v"], [7, [5.0, 1.0]]),
        (0, ["v", "k"], [[5.0, 1.0], 7]),
        (0, ["v"], [[5.0, 1.0]]),
        (0, [False, True, True], [[5.0, 1.0], [6.0, 7.0]]),
        (0, slice("v", "w"), [[5.0, 1.0], [6.0, 7.0]]),
        (0, slice(None), [7, [5.0, 1.0], [6.0, 7.0]]),
    ],
)
def test_a_record_has_one_value_per_column(rows: Any, columns: Any, record: Any) -> None:
    """pandas 3.1 reads a list that begins with a row as a table, and older versions one with lists of equal lengths."""
    df = pd.DataFrame({"k": range(2), "v": aj.array([[1.0, 2.0], None]), "w": aj.array([[3.0], []])})
    names = list(pd.Series(df.columns, df.columns).loc[columns])
    places = [df.columns.get_loc(name) for name in names]
    by_label, by_position = df.copy(), df.copy()
    by_label.loc[rows, columns] = record
    by_position.iloc[rows, places] = record
    for changed in (by_label, by_position):
        for name, value in zip(names, record, strict=True):
            found = changed[name].tolist()[0]
            assert found == value if name == "k" else changed[name].jag.to_list()[0] == (None if value is None else list(value))
        assert changed.loc[1:].equals(df.loc[1:])
        assert changed.dtypes.equals(df.dtypes)


@pytest.mark.parametrize("add", [False, True])
def test_a_record_of_jagged_columns_alone(add: bool) -> None:
    for record in ([[5.0, 1.0], [6.0, 7.0]], [[5.0], [6.0, 7.0]], [[5.0]], [[5.0, 1.0]]):
        df = pd.DataFrame({name: aj.array([[1.0, 2.0], None]) for name in "vw"[: len(record)]})
        df.loc[9 if add else 0] = record
        for name, value in zip(df, record, strict=True):
            assert df[name].jag.to_list() == ([[1.0, 2.0], None, value] if add else [value, None])


@pytest.mark.parametrize("second", [[4.0, 5.0], [4.0]])
def test_a_table_has_one_record_per_row(second: list[float]) -> None:
    table: list[Any] = [[[1.0], [2.0]], [[3.0], second]]
    for rows, columns in (([0, 1], ["v", "w"]), (slice(None), slice("v", "w")), ([True, True], [False, True, True])):
        df = pd.DataFrame({"k": range(2), "v": aj.array([[1.0, 2.0], None]), "w": aj.array([[3.0], []])})
        df.loc[rows, columns] = table
        assert [df["v"].jag.to_list(), df["w"].jag.to_list()] == [[[1.0], [3.0]], [[2.0], second]]
    df = pd.DataFrame({"v": aj.array([[1.0, 2.0], None]), "w": aj.array([[3.0], []])})
    df.iloc[[0]] = table[1:]
    assert [df["v"].jag.to_list(), df["w"].jag.to_list()] == [[[3.0], None], [second, []]]


WRITES: dict[str, Any] = {
    "new column, mask": lambda df, row: df.loc.__setitem__((df["k"] < 2, "new"), row),
    "new column, labels": lambda df, row: df.loc.__setitem__(([0, 1], "new"), row),
    "mask": lambda df, row: df.loc.__setitem__((df["k"] < 2, "o"), row),
    "slice": lambda df, row: df.iloc.__setitem__((slice(0, 2), 3), row),
    "all": lambda df, row: df.loc.__setitem__((slice(None), "o"), row),
    "cell": lambda df, row: df.loc.__setitem__((0, "o"), row),
    "replace": lambda df, row: df.assign(o=df["o"].replace("b", row)),
    "replace of numbers": lambda df, row: df.assign(o=df["k"].replace(1, row)),
    "where": lambda df, row: df.assign(o=df["o"].where(df["k"] < 2, row)),
    "mask of a Series": lambda df, row: df.assign(o=df["o"].mask(df["k"] < 2, row)),
    "fillna": lambda df, row: df.assign(o=df["o"].where(df["k"] < 2).fillna(row)),
    "case_when": lambda df, row: df.assign(o=df["o"].case_when([(df["k"] < 2, row)])),
    "case_when of rows": lambda df, row: df.assign(o=df["v"].case_when([(df["k"] < 2, row), (df["k"] > 2, df["v"])])),
}


@pytest.mark.parametrize("row", [[7], [7, 8], [7, 8, 9], [7, 8, 9, 10]])
@pytest.mark.parametrize("way", WRITES)
def test_a_row_is_one_value_of_an_object_column(df: pd.DataFrame, way: str, row: list[int]) -> None:
    df["o"] = pd.Series(list("abcd"), dtype=object)
    changed = WRITES[way](df, aj.Row(row, pa.int64(), 1))
    cells = list((df if changed is None else changed).iloc[:, -1].array)
    assert not any(one in row for one in cells if isinstance(one, (int, np.integer)))
    expected = {"all": 4, "cell": 1, "replace": 1, "replace of numbers": 1}.get(way, 2)
    assert sum(isinstance(one, aj.Row) and one == row for one in cells) == expected


def test_a_row_fills_each_cell_of_a_record() -> None:
    objects = pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"]}, dtype=object)
    for row in (aj.Row([7]), aj.Row([7, 8]), aj.Row([7, 8, 9])):
        objects.iloc[0] = row
        assert objects.loc[0].tolist() == [row, row]
        assert objects.loc[1].tolist() == ["y", "y"]


def test_case_when_keeps_the_dtype(df: pd.DataFrame) -> None:
    found = df["v"].case_when([(df["k"] > 1, aj.Row([5]))])
    assert found.dtype == df["v"].dtype
    assert found.jag.to_list() == [[1, 2], None, [5], [5]]


@pytest.mark.parametrize("row", [[9, 9], [9], [9, 9, 9], []])
def test_a_row_that_is_written_has_the_declared_size(row: list[int]) -> None:
    s = pd.Series([[1, 2], [3, 4], [5, 6]], dtype="jagged[int8, 2, extents=(2,)]")
    one = aj.Row(row, pa.int8(), 1)

    def assigned(value: Any) -> Any:
        changed = s.copy()
        changed.iloc[1] = value
        return changed

    ways = {
        "list": lambda: assigned(row),
        "row": lambda: assigned(one),
        "mask": lambda: s.mask([False, True, False], one),
        "fillna": lambda: s.reindex([0, 7, 2]).fillna(one),
        "shift": lambda: s.shift(fill_value=row),
        "reindex": lambda: s.reindex([0, 7], fill_value=one),
        "replace": lambda: s.replace(aj.Row([3, 4], pa.int8(), 1), one),
    }
    for way in ways.values():
        if len(row) == 2:
            found = way()
            assert found.array._jagged.shape.extents == (None, 2)
            assert found.dtype == s.dtype
        else:
            with pytest.raises(ShapeError, match=rf"row 0 has {len(row)} items?, but the dim declares an extent of 2"):
                way()
    assert s.jag.to_list() == [[1, 2], [3, 4], [5, 6]]


def test_lists_fill_null_rows(df: pd.DataFrame) -> None:
    s = pd.Series(aj.array([[1, 2], None, [], [3]]))
    for value, row in (([], []), ([7, None], [7, None]), ((7,), [7]), (np.array([7]), [7]), (aj.Row([8]), [8])):
        assert s.fillna(value).jag.to_list() == [[1, 2], row, [], [3]]
    frame = pd.DataFrame({"v": s, "k": [1.0, None, 2.0, 3.0]})
    filled = frame.fillna({"v": [0], "k": 9.0})
    assert (filled["v"].jag.to_list(), filled["k"].tolist()) == ([[1, 2], [0], [], [3]], [1.0, 9.0, 2.0, 3.0])
    deep = pd.Series(aj.array([[[1]], None]))
    assert deep.fillna([[2], []]).jag.to_list() == [[[1]], [[2], []]]
    with pytest.raises(JagTypeError, match=r"Invalid value \[\[7\]\] for dtype jagged\[int64, 2\]: .* this list is deeper"):
        s.fillna([[7]])
    with pytest.raises(TypeError, match="must be a scalar or dict"):
        frame["k"].fillna([0])


def test_lists_are_rows_in_replace() -> None:
    s = pd.Series(aj.array([[1, 2], None, [], [3]]))
    rows: list[tuple[Any, Any, Any]] = [
        ([[3]], [[4, 5]], [[1, 2], None, [], [4, 5]]),
        ([[3], []], [[4], [0]], [[1, 2], None, [0], [4]]),
        ([[3.0], [1, 2]], aj.Row([4]), [[4], None, [], [4]]),
        (aj.Row([3]), [4], [[1, 2], None, [], [4]]),
        ([aj.Row([3]), [1, 2]], [[4], [5]], [[5], None, [], [4]]),
        ([3, 1], [4, 5], [[1, 2], None, [], [3]]),
    ]
    for old, new, expected in rows:
        assert s.replace(old, new).jag.to_list() == expected
    frame = pd.DataFrame({"k": ["a", "b", "c", "d"], "v": s, "t": aj.array([["z"], ["y"], None, []]), "w": [1.0, 2.0, 3.0, 4.0]})
    assert frame.replace([[3]], [[4]])["v"].jag.to_list() == [[1, 2], None, [], [4]]
    found = frame.replace(aj.Row(["z"]), ["q", "r"])  # a column of text or numbers holds no rows
    assert found["t"].jag.to_list() == [["q", "r"], ["y"], None, []]
    assert found.drop(columns="t").equals(frame.drop(columns="t"))
    with pytest.raises(JagTypeError, match=r"Invalid value \['x'\] for dtype jagged\[int64, 2\]"):
        s.replace([[3]], [["x"]])


def test_a_list_is_in_an_array_as_a_row() -> None:
    array = pd.Series(aj.array([[1, 2], None, [3]])).array
    assert [1, 2] in array
    assert (3.0,) in array
    assert [3, 1] not in array
    assert aj.Row([3]) in array
    assert pd.NA in array
    assert [None] not in array


KINDS: dict[str, Any] = {
    "booleans": (True, pa.bool_()),
    "numbers": (2, pa.int8()),
    "fractions": (2.5, pa.float64()),
    "text": ("2", pa.string()),
    "categories": ("2", pa.dictionary(pa.int8(), pa.string())),
    "times": (dt.datetime(2020, 1, 1), pa.timestamp("us")),  # noqa: DTZ001
    "durations": (dt.timedelta(1), pa.duration("s")),
    "times of day": (dt.time(1, 2), pa.time64("us")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_another_kind_are_refused(kind: str) -> None:
    """Only a cast converts text to numbers, times to counts or booleans to integers: lists were refused, rows converted."""
    value, leaf = KINDS[kind]
    for other, (item, type) in KINDS.items():
        fits = {kind, other} in ({kind}, {"numbers", "fractions"}, {"text", "categories"})
        if fits or (other in ("numbers", "fractions") and "time" in kind + "time" * (kind == "durations")):
            continue
        row = aj.array([[item], None], type=type, ndim=2)
        s = aj.array([[value], None, []], type=leaf, ndim=2).to_pandas()
        given = (aj.Row(row[:1].flatten()), row, row[0].to_arrow(), row.to_pandas(), [aj.Row(row[0]), None])
        if other != "categories" and (kind, other) != ("fractions", "booleans"):  # pyarrow reads True in lists as 1.0
            given += ([[item], None],)
        for one in given:
            for place in [0] if isinstance(one, (aj.Row, pa.Array)) else [[0, 1], s.index < 2, slice(0, 2)]:
                changed = s.copy()
                with pytest.raises(aj.JagTypeError, match=r"cannot set rows of jagged\[.*, 2\] from rows of .*, which are"):
                    changed.iloc[place] = one
                assert changed.equals(s)
        with pytest.raises(aj.JagTypeError, match="Convert them first, such as by"):
            s.fillna(aj.Row(row[0]))
        if other in ("booleans", "text"):  # arrays of numpy, of which `at` makes one row
            with pytest.raises(aj.JagTypeError, match="Convert them first, such as by"):
                s.at[0] = np.array([item])
    nulls = s.copy()
    nulls.iloc[[0, 1]] = aj.array([[None], []])
    assert nulls.jag.to_list() == [[None], [], []]
    assert nulls.dtype == s.dtype
