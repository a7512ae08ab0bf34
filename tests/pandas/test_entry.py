"""A `JaggedArray` becomes a column wherever pandas accepts data for one, and integers stay exact."""

from __future__ import annotations

import datetime as dt
import decimal
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.pandas import JaggedExtensionArray, frame_from_table
from arrowjag.pandas._versions import NO_ROW_BUILDERS

BIG = 2**53 + 1
ARRAYS = {
    1: [1, None, BIG, 4],
    2: [[1, 2], None, [], [None, BIG]],
    3: [[[1], [2, BIG]], None, [], [None, []]],
}
LABELS = list("abcd")


def _assigned(x: aj.JaggedArray) -> pd.Series[Any]:
    df = pd.DataFrame({"k": range(4)}, index=LABELS)
    df["v"] = x
    return df["v"]


def _located(x: aj.JaggedArray) -> pd.Series[Any]:
    df = pd.DataFrame({"k": range(4)}, index=LABELS)
    df.loc[:, "v"] = x
    return df["v"]


def _inserted(x: aj.JaggedArray) -> pd.Series[Any]:
    df = pd.DataFrame({"k": range(4)}, index=LABELS)
    df.insert(0, "v", x)
    return df["v"]


def _replaced(x: aj.JaggedArray) -> pd.Series[Any]:
    df = pd.DataFrame({"v": range(4)}, index=LABELS)
    df.isetitem(0, x)
    return df["v"]


WAYS: dict[str, Callable[[aj.JaggedArray], Any]] = {
    "series": pd.Series,
    "series with an index": lambda x: pd.Series(x, index=LABELS, name="v"),
    "frame": lambda x: pd.DataFrame({"v": x})["v"],
    "frame with others": lambda x: pd.DataFrame({"k": range(4), "v": x}, index=LABELS)["v"],
    "assign": lambda x: pd.DataFrame({"k": range(4)}).assign(v=x)["v"],
    "item": _assigned,
    "loc": _located,
    "insert": _inserted,
    "isetitem": _replaced,
    "index": lambda x: pd.Index(x).to_series(),
}


@pytest.mark.parametrize("ndim", ARRAYS)
@pytest.mark.parametrize("way", WAYS)
def test_an_array_is_a_column(way: str, ndim: int) -> None:
    x = aj.array(ARRAYS[ndim])
    column = WAYS[way](x)
    assert column.dtype == ("int64[pyarrow]" if ndim == 1 else f"jagged[int64, {ndim}]")
    assert column.jag.to_list() == ARRAYS[ndim]
    assert WAYS[way](x[1:].shape and aj.concat([x[1:], x[:1]])).jag.to_list() == ARRAYS[ndim][1:] + ARRAYS[ndim][:1]


@pytest.mark.parametrize("way", ["series with an index", "frame with others", "assign", "item", "loc", "insert", "isetitem"])
def test_an_array_without_dims_is_its_value(way: str) -> None:
    for value, dtype in ((BIG, "int64"), ("a", pd.Series(["a"]).dtype), (None, object)):
        column = WAYS[way](aj.array(value))
        assert column.dtype == dtype
        assert [None if one is pd.NA else one for one in column] == [value] * 4


def test_a_struct_without_dims_is_one_row() -> None:
    struct = aj.array({"a": 1})
    assert pd.Series(struct).to_list() == [{"a": 1}]
    with pytest.raises(ValueError, match="does not match length of index"):
        pd.DataFrame({"k": range(4)}).assign(v=struct)


@pytest.mark.parametrize("way", WAYS)
def test_text_structs_and_extents_are_kept(way: str) -> None:
    for x in (
        aj.array([["a"], None, [], ["b", None]]),
        aj.zip(a=aj.array([[1], None, [], [BIG]])),
        aj.array(np.arange(8).reshape(4, 2)),
        aj.array([["a"], None, [], ["b"]]).cast(pa.dictionary(pa.int32(), pa.string())),
    ):
        assert WAYS[way](x).array.dtype == x.to_pandas().dtype
        assert WAYS[way](x).jag.to_list() == x.to_list()


def test_values_are_shared() -> None:
    x = aj.array([[1, 2], [3]])
    assert pd.Series(x).jag.values.buffers()[1].address == x.values.buffers()[1].address


def test_a_frame_is_made_of_named_columns() -> None:
    with pytest.raises(aj.JagTypeError, match=r'pandas\.DataFrame\(\{"v": x\}\); got JaggedShape\(2, 1\) alone'):
        pd.DataFrame(aj.array([[1], [2]]))


def test_lengths_must_agree() -> None:
    df = pd.DataFrame({"k": range(4)})
    with pytest.raises(ValueError, match="does not match length of index"):
        df["v"] = aj.array([[1], [2]])


def test_rows_are_refused_as_column_labels() -> None:
    """numpy inserted each item of the row, and the frame had more labels than columns: a crash."""
    df = pd.DataFrame({"v": aj.array([[1, 2], [3]])})
    with pytest.raises(aj.JagTypeError, match="a row can't be a label of an index of"):
        df[df["v"]] = 0


def test_numpy_refuses_whole_numbers_it_would_round() -> None:
    with pytest.raises(aj.JagValueError, match="fill_null first, or to_pandas"):
        pd.array(aj.array([1, None, BIG]))
    assert np.isnan(np.array(aj.array([1, None, 2**53]))[1])


def test_warnings_of_pandas_name_the_caller() -> None:
    """A wrapper is no caller: by default Python shows deprecations only of the file that runs."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        pd.Series([1, 2]).groupby([0, 1]).agg(lambda s: pd.Series([1]))
    # pandas deprecates this from 3.1 on.
    assert {one.filename for one in seen} == (set() if NO_ROW_BUILDERS else {__file__})


@pytest.mark.parametrize(
    "column",
    [
        pa.array([dt.date(2020, 1, 1), None]),
        pa.array([dt.time(1), None]),
        pa.array([decimal.Decimal("1.50"), None]),
        pa.array([b"a", None]),
        pa.array([1, None]),
        pa.array([2**60 + 1, None]),
        pa.array([True, None]),
        pa.array([None, None]),
        pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None], pa.int8())),
        pa.ExtensionArray.from_storage(pa.json_(), pa.array(["{}", None])),
        pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "a", "b"), pa.array([2**60 + 1, 1])),
    ],
    ids=lambda one: str(one.type),
)
def test_flat_columns_keep_their_type_and_nulls(column: pa.Array) -> None:
    frame = frame_from_table(pa.table({"v": column, "k": [1, 2]}))
    assert frame["v"].dtype == pd.ArrowDtype(column.type)
    assert pa.array(frame["v"]).equals(column)
    assert frame["k"].dtype == "int64"


@pytest.mark.parametrize(
    "labels", [pd.period_range("2024", periods=2, freq="D"), pd.interval_range(0, 2)], ids=lambda one: str(one.dtype)
)
def test_periods_and_intervals_keep_their_dtype(labels: Any) -> None:
    frame = pd.DataFrame({"p": labels, "v": aj.array([[1], None])}, index=labels.rename("i"))
    pd.testing.assert_frame_equal(frame_from_table(pa.Table.from_pandas(frame)), frame, check_freq=False)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"index": [1, 2, 3]}, ShapeError, r"^to_pandas: index must be flat, one label per row of JaggedShape\(2, \[1, 2\]\)"),
        ({"index": np.zeros((2, 2))}, ShapeError, r"^to_pandas: index must be flat"),
        ({"index": "ab"}, JagTypeError, r"^to_pandas: index must be a pandas Index or a list of labels, got 'ab'"),
        ({"name": [1]}, JagTypeError, r"^to_pandas: name must be hashable, got list"),
    ],
)
def test_to_pandas_refuses_labels_and_names_as_its_own(arguments: Any, error: type[Exception], text: str) -> None:
    for x in (aj.array([[1], [2, 3]]), aj.array([1, 2])):
        with pytest.raises(error, match=text if x.ndim == 2 else text.replace(r", \[1, 2\]", "")):
            x.to_pandas(**arguments)


def test_windows_of_pandas_name_ours() -> None:
    """pandas says that there are no numbers, or calls the dtype unfit."""
    s = aj.array([[1, 2], None, [3]]).to_pandas()
    df = pd.DataFrame({"k": list("aab"), "v": s})
    for windows in (s.rolling(2), s.expanding(), s.ewm(alpha=0.5), df[["v"]].rolling(2), df.groupby("k")["v"].rolling(2)):
        with pytest.raises(
            aj.JagValueError, match=r"windows of pandas hold numbers, got rows of jagged\[int64, 2\]; \.jag\.rolling"
        ):
            windows.mean()
    assert s.rolling(2, min_periods=1).count().tolist() == [1, 1, 1]
    assert df.assign(n=[1, 2, 3]).rolling(2).sum(numeric_only=True)["n"].tolist()[1:] == [3, 5]
    with pytest.raises(aj.JagTypeError, match=r"clipped in place; s\.jag\.clip"):
        s.clip(1, 2, inplace=True)


def test_rows_may_be_series_of_polars() -> None:
    """pandas makes a list of the rows of such a Series."""
    pl = pytest.importorskip("polars")
    for rows in ([[1, 2], None, []], [[[1], None], None, []]):
        s = pd.Series(pl.Series(rows), dtype=f"jagged[int64, {3 if rows[0][0] != 1 else 2}]")  # type: ignore[index]
        assert s.jag.to_list() == rows


def test_missing_rows_alone_are_a_column_of_nulls() -> None:
    """xarray prints a column item by item, each as an array without a dtype."""
    nulls = JaggedExtensionArray._from_sequence([pd.NA, None])
    assert nulls.isna().tolist() == [True, True]
    assert pd.Series(JaggedExtensionArray._concat_same_type([nulls, nulls])).jag.to_list() == [None] * 4


@pytest.mark.parametrize("rows", [[[1, 2], None, []], [["a"], None, []], [[[0.5], None], None, []]])
def test_a_row_becomes_a_column_of_its_dtype(rows: Any) -> None:
    frame = pd.DataFrame({"v": aj.array(rows).to_pandas(), "k": range(3)})
    row, dtype = frame["v"].iloc[0], frame["v"].dtype
    at_label, where = frame.copy(), frame.copy()
    at_label.loc[:, "w"] = row
    where.loc[where["k"] > 0, "w"] = row
    for made in (frame.assign(w=row), at_label, pd.DataFrame({"w": row}, index=range(3)), pd.Series(row, range(3)).to_frame("w")):
        assert (made["w"].dtype, made["w"].jag.to_list()) == (dtype, [rows[0]] * 3)
    assert (where["w"].dtype, where["w"].jag.to_list()) == (dtype, [None, rows[0], rows[0]])
    assert frame[:0].assign(w=row)["w"].dtype == dtype
    objects = frame.astype({"k": object})
    objects.loc[0, "k"] = row
    assert objects["k"].tolist() == [row, 1, 2]


def test_queries_compare_with_a_row() -> None:
    frame = pd.DataFrame({"v": aj.array([[1, 2], None, [], [1, 2]]), "w": aj.array([[1, 2], [3], [], [4]]), "k": range(4)})
    named = {"row": frame["v"].iloc[0], "word": "a"}
    for condition, expected in {
        "v == @row": [0, 3],
        "v != @row and k < 3": [2],
        "@row == w or k == 3": [0, 3],
        "g == @word and v == w": [0, 2],
    }.items():
        assert frame.assign(g=list("abaa")).query(condition, local_dict=named)["k"].tolist() == expected
    assert frame.iloc[[0, 3]].eval("v * 2 + @row", local_dict=named).jag.to_list() == [[3, 6]] * 2
