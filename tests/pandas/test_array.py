"""The extension array in a Series: construction, setting, missing rows, shape changes, text."""

from __future__ import annotations

import datetime as dt
import decimal
import html
import io
import math
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.pandas import JaggedDtype, JaggedExtensionArray, _store
from arrowjag.pandas._versions import NO_ROW_BUILDERS, SHARED_VIEWS, STACK_DROPS_NULLS
from arrowjag.testing import assert_lists_equal

ROWS = [[1, 2], None, [], [3]]


@pytest.fixture
def s() -> pd.Series[Any]:
    return aj.array(ROWS).to_pandas(index=list("abcd"), name="v")


def items(series: Any) -> list[Any]:
    return [None if one is pd.NA else one.to_list() if isinstance(one, aj.Row) else one for one in series]


def addresses(array: pa.Array) -> list[int]:
    storage = array.storage if isinstance(array, pa.ExtensionArray) else array
    return [buffer.address for buffer in storage.buffers() if buffer is not None]


# ------------------------------------------------------------------------------------------------- construction


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        aj.array(ROWS),
        aj.array(ROWS).to_arrow(),
        pa.array(ROWS),
        pa.chunked_array([ROWS[:1], ROWS[1:]]),
        pd.Series(ROWS, dtype=object),
        pd.Series(ROWS, dtype=pd.ArrowDtype(pa.list_(pa.int32()))),
        aj.array(ROWS).to_pandas(),
        [np.array([1, 2]), np.nan, (), pd.Series([3])],
        [aj.Row([1, 2]), pd.NA, [], aj.Row([3.0])],
    ],
    ids=lambda data: type(data).__name__,
)
def test_series_of_anything_that_holds_rows(data: Any) -> None:
    series = pd.Series(data, dtype="jagged[double, 2]")
    assert series.dtype == JaggedDtype("double", 2)
    assert items(series) == ROWS


def test_dtype_of_the_data_by_default() -> None:
    assert JaggedExtensionArray(ROWS).dtype == "jagged[int64, 2]"
    assert JaggedExtensionArray(np.zeros((2, 3))).dtype == "jagged[double, 2, extents=(3,)]"
    assert pd.array(ROWS, dtype="jagged[int64, 2]").dtype == "jagged[int64, 2]"


@pytest.mark.parametrize(
    ("data", "dtype", "error", "text"),
    [
        ([[1]], "jagged[int64, 3]", aj.ShapeError, r"the item at \[0\]\[0\], 1, is no list"),
        ([[[1]]], "jagged[int64, 2]", aj.ShapeError, "has 2 dims, the data is nested deeper"),
        ([1, 2], "jagged[int64, 2]", aj.JagTypeError, "must be a list, got int 1"),
        ([["a"]], "jagged[int64, 2]", aj.JagValueError, "row 0.*'a'.*int64"),
        ([[1.5]], "jagged[int64, 2]", aj.JagValueError, r"row 0.*1\.5.*int64"),
        (aj.array([1]), "jagged[int64, 2]", aj.ShapeError, "must be a list, got int64"),
    ],
)
def test_values_that_do_not_fit_raise(data: Any, dtype: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        pd.Series(data, dtype=dtype)


def test_buffers_are_shared() -> None:
    array = aj.array([[1.0, 2.0], [3.0]]).to_arrow()
    series = array.to_pandas()
    assert addresses(pa.array(series)) == addresses(array)
    assert addresses(pa.array(series.copy())) == addresses(array)
    assert addresses(pa.table({"v": series})["v"].chunk(0)) == addresses(array)


@pytest.mark.parametrize("leaf", [pa.timestamp("ns", "Europe/Paris"), pa.decimal128(9, 3), pa.time64("ns"), pa.duration("ns")])
def test_leaf_types_survive_object_and_back(leaf: pa.DataType) -> None:
    values = pa.array([decimal.Decimal("1.5"), None, 2] if pa.types.is_decimal(leaf) else [1, None, 2]).cast(leaf)
    series = aj.from_sizes(values, [2, 0, 1]).to_pandas()
    again = series.astype(object).astype(series.dtype)
    assert again.array._jagged.equals(series.array._jagged)


# ------------------------------------------------------------------------------------------------- setting


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (0, [9], [[9], None, [], [3]]),
        (0, [], [[], None, [], [3]]),
        (0, [None], [[None], None, [], [3]]),
        (-1, None, [[1, 2], None, [], None]),
        (1, aj.Row([7, 8]), [[1, 2], [7, 8], [], [3]]),
        (1, np.array([7, 8]), [[1, 2], [7, 8], [], [3]]),
        (2, pa.array([4]), [[1, 2], None, [4], [3]]),
        (slice(0, 2), [[9], [8]], [[9], [8], [], [3]]),
        (slice(0, 2), aj.Row([9]), [[9], [9], [], [3]]),
        (slice(0, 1), [9], [[9], None, [], [3]]),
        (slice(None, None, 2), aj.array([[5], None]), [[5], None, None, [3]]),
        ([3, 0], [[9], None], [None, None, [], [9]]),
        ([3, 0], pd.NA, [None, None, [], None]),
        ([True, False, True, False], [[9], [8]], [[9], None, [8], [3]]),
        (slice(0, 0), [], ROWS),
    ],
)
def test_setitem(s: pd.Series[Any], key: Any, value: Any, expected: list[Any]) -> None:
    array = s.array.copy()
    array[key] = value
    assert items(array) == expected
    assert array.dtype == s.dtype
    assert items(s) == ROWS
    if not (
        isinstance(key, slice) and isinstance(value, list) and len(value) == 1
    ):  # pandas itself wants lists as long as the slice
        series = s.copy()
        series.iloc[key] = value
        assert items(series) == expected
        assert items(s) == ROWS


@pytest.mark.parametrize("value", [5, "a", [[1]], object(), [1.5], ["a"]])
def test_values_other_than_rows_raise(s: pd.Series[Any], value: Any) -> None:
    before = items(s)
    with pytest.raises(aj.JagTypeError, match=r"^Invalid value .* for dtype jagged\[int64, 2\]: "):
        s.array[0] = value
    assert items(s) == before


def test_lengths_must_match(s: pd.Series[Any]) -> None:
    with pytest.raises(aj.ShapeError, match="cannot set 2 rows from 3"):
        s.array[0:2] = [[1], [2], [3]]


def test_a_flat_list_is_not_assigned_as_a_row_to_several_positions(s: pd.Series[Any]) -> None:
    with pytest.raises(aj.JagTypeError, match=r"cannot set rows of jagged.* from a list: each of its items is for one row"):
        s.array[0:2] = [9, 8]


@pytest.mark.parametrize("plain", [pd.Series([1, 2, 3, 4]), np.array([1, 2, 3, 4]), pa.array([1, 2, 3, 4]), aj.array([1, 2, 3, 4])])
def test_a_plain_column_is_not_accepted_as_a_row(plain: Any) -> None:
    """Its items stand for one row each: the whole of it must not become the row of every place."""
    s = aj.array([[1], [2], None, [4]]).to_pandas()
    with pytest.raises(aj.JagTypeError, match=r"each of its items is for one row, and a row is a list of 1 level\."):
        s.array.copy()[np.array([True, False, True, True])] = plain
    if isinstance(plain, (pd.Series, np.ndarray)):
        other, mask = s.copy(), [True, False, False, True]
        for change in (
            lambda: s.where(mask, plain),
            lambda: s.mask(mask, plain),
            lambda: s.fillna(pd.Series(plain)),
            lambda: other.__setitem__(mask, pd.Series(plain)),
            lambda: other.loc.__setitem__(mask, pd.Series(plain)),
            lambda: s.where(mask, [7]),
        ):
            with pytest.raises(aj.JagTypeError, match="cannot set rows of jagged\\[int64, 2\\]"):
                change()


@pytest.mark.parametrize(("data", "row"), [(ROWS, [9, 8, 7, 6, 5]), ([[[1], [2]], None, [[3]], []], [[9], [8], [7], [6], [5]])])
def test_a_row_longer_than_the_column_stays_whole(data: Any, row: Any) -> None:
    """pandas cuts what looks like an array to the length of the column."""
    s = aj.array(data).to_pandas(name="v")
    one, mask = aj.Row(row), [True, False, False, True]
    expected = [row, data[1], data[2], row]
    changed = s.copy()
    changed[np.array(mask)] = one
    frame = s.to_frame()
    for result in (s.mask(mask, one), s.where(~np.array(mask), one), changed, frame.mask(pd.DataFrame({"v": mask}), one)["v"]):
        assert items(result) == expected
    assert items(s.iloc[:1].mask([True], one)) == [row]
    assert items(frame.fillna(one)["v"]) == [data[0], row, data[2], data[3]]


def test_rows_of_fewer_levels_are_no_rows() -> None:
    deep = aj.array([[[1]], [[2]]]).to_pandas()
    with pytest.raises(aj.JagTypeError, match=r"from a JaggedExtensionArray of jagged\[int64, 2\].* a list of 2 levels"):
        deep.where([False, True], aj.array([[9], [8]]).to_pandas())


def test_an_empty_selection_accepts_any_number_of_rows() -> None:
    """`frame.loc[mask, names] = other` hands over all rows where the mask is nowhere True."""
    frame = aj.array(ROWS).to_pandas(name="v").to_frame()
    frame.loc[np.zeros(4, bool), ["v"]] = frame.iloc[::-1]
    assert items(frame["v"]) == ROWS
    with pytest.raises(aj.JagTypeError, match="Invalid value 5 for dtype"):
        frame["v"].array[np.zeros(4, bool)] = 5


def test_categories_that_are_rows() -> None:
    s = aj.array([[1, 2], None, [], [1, 2]]).to_pandas(index=list("abcd"))
    categories = s.astype("category")
    assert categories.cat.codes.tolist() == [1, -1, 0, 1]
    again = categories.astype(s.dtype)
    pd.testing.assert_series_equal(again, s)
    assert categories.jag.sum().tolist() == [3, pd.NA, 0, 3]
    assert items(pd.Series(categories, dtype="jagged[double, 2]")) == [[1.0, 2.0], None, [], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("rows", "row"),
    [
        ([[1], [2]], np.array(["1", "2"])),
        ([[1], [2]], np.array(["2020-01-01"] * 2, "M8[s]")),
        ([[1], [2]], np.array([5, 6], "m8[D]")),
        ([[1], [2]], np.array([True, False])),
        ([[True], [False]], np.array([1, 0])),
        ([["a"], ["b"]], np.array([1, 2])),
    ],
    ids=["text", "times", "durations", "booleans", "numbers to booleans", "numbers to text"],
)
@pytest.mark.parametrize(
    "put",
    [
        lambda s, row: s.array.__setitem__(0, row),
        lambda s, row: s.iloc.__setitem__(0, row),
        lambda s, row: s.iloc.__setitem__([0], [row]),
        lambda s, row: s.at.__setitem__(0, row),
    ],
    ids=["array", "iloc", "iloc list", "at"],
)
def test_numpy_rows_of_another_kind_are_refused(rows: list[Any], row: Any, put: Any) -> None:
    """Each way to set a row reads an array of numpy by its own dtype: `iloc` converted it."""
    s = pd.Series(aj.array(rows))
    with pytest.raises(aj.JagTypeError, match=r"cannot set rows of jagged\[\w+, 2\] from rows of .* Convert them first"):
        put(s, row)
    assert s.tolist() == rows


def test_numpy_rows_of_the_same_kind_are_converted() -> None:
    s = pd.Series(aj.array([[0.5], None, []]))
    s.iloc[0], s.iloc[2] = np.array([1, 2]), np.array([3], np.int8)
    assert s.tolist() == [[1.0, 2.0], pd.NA, [3.0]]
    times = pd.Series(aj.array([[np.datetime64("2020-01-01", "s")], None]))
    times.iloc[[1]] = [np.array(["2021-01-01"], "M8[ms]")]
    assert times.iloc[1][0] == pd.Timestamp("2021-01-01")


def test_setting_deep_rows() -> None:
    array = aj.array([[[1], [2, 3]], None]).to_pandas().array.copy()
    array[0] = [[4], None, []]
    array[1] = []
    assert items(array) == [[[4], None, []], []]


@given(st.lists(st.tuples(st.integers(0, 4), st.none() | st.lists(st.integers(0, 9), max_size=3)), max_size=12), st.data())
def test_rows_set_one_by_one(assignments: list[tuple[int, Any]], data: st.DataObject) -> None:
    expected: list[Any] = [[0], None, [1, 2], [], [3]]
    array = JaggedExtensionArray(expected, "jagged[int64, 2]")
    expected = list(expected)
    for place, row in assignments:
        array[place] = row
        expected[place] = row
        if data.draw(st.booleans()):
            assert items([array[place]]) == [row]
        if data.draw(st.booleans()):
            assert array.isna().tolist() == [one is None for one in expected]
    assert items(array) == expected


def test_one_by_one_work_is_put_off(s: pd.Series[Any]) -> None:
    """Setting a row does not touch the others: the column is made when it is asked for."""
    array = s.array.copy()
    base = array._store._base
    for place in range(len(array)):
        array[place] = [place]
    assert array._store._base is base
    assert array._jagged.to_list() == [[0], [1], [2], [3]]
    assert array._store._base is not base


@pytest.mark.parametrize("step", [0, 1])
def test_a_reader_sees_rows_while_they_are_merged(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """As another thread would, between the steps."""
    array = aj.array([[place] for place in range(6)]).to_pandas().array.copy()
    for place in range(0, 6, 2):
        array[place] = [-1, -1]
    expected = [[place] if place % 2 else [-1, -1] for place in range(6)]
    join, calls, seen = _store.concat, iter(range(9)), []

    def join_and_be_read(columns: Any) -> Any:
        if next(calls) == step:
            seen.append((items(array), array._jagged.to_list()))
        return join(columns)

    monkeypatch.setattr(_store, "concat", join_and_be_read)
    assert array._jagged.to_list() == expected
    assert seen == [(expected, expected)]


def test_views_and_read_only(s: pd.Series[Any]) -> None:
    array = s.array.copy()
    view = array.view()
    copy = array.copy()
    array[0] = [9]
    assert items(view) == [[9], None, [], [3]]
    assert items(copy) == ROWS
    view._readonly = True
    with pytest.raises(ValueError, match="read-only"):
        view[0] = [1]
    with pytest.raises(ValueError, match="read-only"):
        view[:][0] = [1]


def test_copy_on_write(s: pd.Series[Any]) -> None:
    frame = s.to_frame()
    other = frame.copy()
    column = frame["v"]
    frame.iloc[0, 0] = [9]
    assert items(column) == ([[9], *ROWS[1:]] if SHARED_VIEWS else ROWS)
    assert items(other["v"]) == ROWS
    assert items(frame["v"]) == [[9], None, [], [3]]


# ------------------------------------------------------------------------------------------------- missing rows


def test_missing_rows(s: pd.Series[Any]) -> None:
    assert s.isna().tolist() == [False, True, False, False]
    assert items(s.dropna()) == [[1, 2], [], [3]]
    assert items(s.fillna(aj.Row([0]))) == [[1, 2], [0], [], [3]]
    assert items(s.fillna(pd.Series({"b": aj.Row([5])}, dtype=s.dtype))) == [[1, 2], [5], [], [3]]
    assert items(s.ffill()) == [[1, 2], [1, 2], [], [3]]
    assert items(s.bfill()) == [[1, 2], [], [], [3]]
    assert s.count() == 3
    assert aj.array([[None], [1]]).to_pandas().isna().tolist() == [False, False]


def test_where_mask_shift_reindex_replace(s: pd.Series[Any]) -> None:
    keep = np.array([True, False, False, True])
    assert items(s.where(keep)) == [[1, 2], None, None, [3]]
    assert items(s.where(keep, aj.Row([0]))) == [[1, 2], [0], [0], [3]]
    assert items(s.mask(keep, s[::-1].array)) == [[3], None, [], [1, 2]]
    assert items(s.shift(1)) == [None, [1, 2], None, []]
    assert items(s.shift(-3, fill_value=aj.Row([9]))) == [[3], [9], [9], [9]]
    assert items(s.reindex(["d", "z", "a"])) == [[3], None, [1, 2]]
    assert items(s.replace(aj.Row([3]), aj.Row([4]))) == [[1, 2], None, [], [4]]


def test_replace_leaves_other_columns_alone(s: pd.Series[Any]) -> None:
    frame = pd.DataFrame({"k": [1, 2, 3, 4], "v": s.array})
    assert frame.replace(1, 9)["k"].tolist() == [9, 2, 3, 4]
    for changed in (frame.replace(1, 9), frame.replace(1, None), frame.replace({1: 2, 3: 4}), frame.replace([1, 2], 0)):
        assert items(changed["v"]) == ROWS
        assert changed["v"].dtype == s.dtype


# ------------------------------------------------------------------------------------------------- other forms


def test_explode() -> None:
    deep = aj.array([[[1, None], []], None, [], [None, [2]]]).to_pandas(index=list("abcd"))
    once = deep.explode()
    assert once.index.tolist() == ["a", "a", "b", "c", "d", "d"]
    assert once.dtype == "jagged[int64, 2]"
    assert items(once) == [[1, None], [], None, None, None, [2]]
    twice = once.explode()
    assert twice.dtype == pd.ArrowDtype(pa.int64())
    assert [None if one is pd.NA else one for one in twice] == [1, None, None, None, None, None, 2]
    frame = pd.DataFrame({"k": [1, 2], "v": aj.array([[1, 2], [3]]).to_pandas()}).explode("v")
    assert frame["k"].tolist() == [1, 1, 2]


def test_frames_are_reshaped(s: pd.Series[Any]) -> None:
    frame = pd.DataFrame({"k": ["x", "y", "x", "y"], "n": [0, 0, 1, 1], "v": s.array})
    pivoted = frame.pivot(index="n", columns="k", values="v")
    assert {str(one) for one in pivoted.dtypes} == {"jagged[int64, 2]"}
    assert items(pivoted["x"]) == [[1, 2], []]
    assert frame.set_index(["n", "k"])["v"].unstack().equals(pivoted)
    assert frame.melt(id_vars=["k", "n"])["value"].dtype == s.dtype
    assert items(frame[["v"]].stack()) == [row for row in ROWS if row is not None or not STACK_DROPS_NULLS]
    assert frame[["v"]].T.loc["v"].dtype == s.dtype


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("make", [lambda s: s, lambda s: [s], lambda s: s.array, aj.array, pd.Index])
def test_crosstab_counts_whole_rows(make, nulls):
    column = pd.Series(aj.array([[1], [2], [1], None if nulls else [2]]), name="v")
    labels = pd.Series(["x", "y", "y", "x"])
    counts = pd.crosstab(make(column), labels)
    assert [row.to_list() for row in counts.index.array] == [[1], [2]]
    assert counts.to_numpy().tolist() == [[1, 1], [0 if nulls else 1, 1]]
    assert pd.crosstab(labels, make(column)).to_numpy().tolist() == counts.to_numpy().T.tolist()


@pytest.mark.parametrize("type", [pa.string(), pa.large_string()])
def test_null_rows_stay_missing_as_text_of_arrow(type: pa.DataType) -> None:
    text = pd.Series(aj.array([[1, None], None, []])).astype(pd.ArrowDtype(type))
    assert text.dtype == pd.ArrowDtype(type)
    assert text.tolist() == ["[1, null]", pd.NA, "[]"]


@pytest.mark.parametrize(
    "dtype",
    [
        "int64[pyarrow]",
        "binary[pyarrow]",
        "date32[pyarrow]",
        "Int64",
        "Float64",
        "datetime64[ns]",
        "Sparse[int]",
        "int8",
    ],
)
@pytest.mark.parametrize("rows", [[[1], None, [2]], []])
def test_rows_never_become_numbers_or_times(dtype: str, rows: list[Any]) -> None:
    """pyarrow would read the text of rows as numbers, and end the process."""
    with pytest.raises(JagTypeError, match=r"rows of a jagged column can't become .*; use .jag.cast\(type\) .*\.jag.to_numpy"):
        pd.Series(aj.array(rows, type="int64", ndim=2)).astype(dtype)


def test_texts_of_a_column_are_those_of_its_rows_and_are_converted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    days = pa.array([[dt.timedelta(1), None], None, [], [dt.timedelta(2)]], pa.list_(pa.duration("s")))
    frame = pd.DataFrame(
        {
            "text": aj.array([["a", 'b"é'], None, [], [None]]),
            "deep": aj.array([[[1.5, float("nan")], None], None, [], [[]]]),
            "days": aj.array(days),
            "k": [1.5, None, 2.0, 3.0],
        }
    ).iloc[::-1]
    rows = {name: ["" if row is pd.NA else str(row) for row in frame[name].array] for name in ("text", "deep", "days")}
    monkeypatch.setattr(aj.Row, "__str__", lambda _: pytest.fail("a row was converted on its own"))
    for name, expected in rows.items():
        assert frame[name].astype("string").fillna("").tolist() == expected
        assert frame[name].to_numpy(str, na_value="").tolist() == expected
    written = pd.read_csv(io.StringIO(frame.to_csv(index=False, chunksize=3)), dtype=str, keep_default_na=False)
    assert {name: written[name].tolist() for name in rows} == rows
    assert written["k"].tolist() == ["3.0", "2.0", "", "1.5"]
    assert frame["text"].to_csv(na_rep="NULL", header=False).splitlines()[2] == "1,NULL"


def test_astype(s: pd.Series[Any]) -> None:
    assert s.astype("jagged[float, 2]").dtype == "jagged[float, 2]"
    assert s.astype(object).tolist()[0] == aj.Row([1, 2])
    assert s.astype("str").tolist()[0] == "[1, 2]"
    assert s.astype("string[pyarrow]").tolist() == ["[1, 2]", pd.NA, "[]", "[3]"]
    assert s.astype("category").cat.categories.dtype == s.dtype
    lists = s.astype(pd.ArrowDtype(pa.list_(pa.int8())))
    assert lists.dtype == pd.ArrowDtype(pa.list_(pa.int8()))
    assert lists.astype(s.dtype).equals(s)
    assert s.astype(pd.ArrowDtype(s.dtype.arrow_type)).astype(s.dtype).equals(s)
    with pytest.raises(aj.ShapeError, match="3 dims"):
        s.astype("jagged[int64, 3]")
    for dtype in ("float64", "int8", "datetime64[ns]", "Float64", pd.ArrowDtype(pa.int64())):
        with pytest.raises(aj.JagTypeError, match=r"rows of a jagged column can't become .*; use \.jag"):
            s.astype(dtype)
    with pytest.raises(ValueError, match=r"1\.5"):
        aj.array([[1.5]]).to_pandas().astype("jagged[int64, 2]")


def test_rows_of_nulls_of_one_size_keep_their_items() -> None:
    """pyarrow's cast of fixed-size lists of nulls loses items, and reading those ends the process."""
    kind = pa.list_(pa.null(), 3)
    s = aj.from_arrow(pa.array([[None] * 3, None], kind)).to_pandas()
    found = pa.array(s.astype(pd.ArrowDtype(kind)))
    found.validate(full=True)
    assert found.to_pylist() == [[None] * 3, None]
    deeper = aj.from_arrow(pa.array([[[None] * 3] * 2], pa.large_list(kind))).to_pandas()
    lists = pa.array(deeper.astype(pd.ArrowDtype(pa.list_(kind))))
    lists.validate(full=True)
    assert lists.to_pylist() == [[[None] * 3] * 2]


def test_to_numpy(s: pd.Series[Any]) -> None:
    rows = s.to_numpy()
    assert rows.dtype == object
    assert rows.shape == (4,)
    assert rows[0] == aj.Row([1, 2])
    assert rows[1] is pd.NA
    assert s.to_numpy(na_value=None)[1] is None
    assert aj.array([[1], [2]]).to_pandas().to_numpy().shape == (2,)
    with pytest.raises(ValueError, match="copy"):
        np.array(s.array, copy=False)
    with pytest.raises(TypeError, match="to_dense"):
        s.to_numpy(dtype="float64")


def test_text_at_any_width() -> None:
    wide = aj.array([list(range(1000)), None, ["x" * 10][:0]]).to_pandas(name="v")
    for width in (None, 10, 60):
        with pd.option_context("display.max_colwidth", width):
            assert "<NA>" in repr(wide)
            assert "..." in repr(wide.to_frame())
            assert max(map(len, repr(wide).splitlines())) < 500
    assert "<td>[0, 1, 2, 3" in wide.to_frame().to_html()
    assert "jagged[int64, 2]" in repr(wide)
    assert repr(wide.array).startswith("<JaggedExtensionArray>")


def test_memory(s: pd.Series[Any]) -> None:
    assert s.nbytes == aj.array(ROWS).nbytes
    assert s.memory_usage(index=False, deep=True) == s.nbytes


@pytest.mark.parametrize("name", ["sum", "mean", "max", "std", "all", "cumsum"])
def test_reductions_of_pandas_point_to_jag(s: pd.Series[Any], name: str) -> None:
    with pytest.raises(TypeError, match=rf"\.jag\.{name}\(axis=-1\)"):
        getattr(s, name)()


def test_text_files(s: pd.Series[Any]) -> None:
    deep = aj.array([[["a, b", None], []], None, [None]]).to_pandas(name="v")
    for series in (s, deep):
        text = series.to_frame().to_csv(index=False)
        again = pd.read_csv(io.StringIO(text), dtype={"v": str(series.dtype)})
        assert items(again["v"]) == items(series)
    assert s.to_json() == '{"a":[1,2],"b":null,"c":[],"d":[3]}'


@pytest.mark.parametrize(
    ("leaf", "row"),
    [
        (pa.float64(), [1.5, math.nan, None, math.inf, -0.0]),
        (pa.uint64(), [2**64 - 1]),
        (pa.decimal128(20, 3), [decimal.Decimal("12345678901234567.125"), None]),
        (pa.timestamp("ns", "Europe/Paris"), [dt.datetime(2020, 1, 1, 2, 3, 4, 5)]),  # noqa: DTZ001
        *((pa.duration(unit), [dt.timedelta(1, 2), None, dt.timedelta(-3)]) for unit in ("s", "ms", "us", "ns")),
        (pa.duration("ns"), [pd.Timedelta(1, "ns")]),
        *((type, [dt.time(23, 59, 58), None]) for type in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))),
        (pa.string(), ['a"b\n,c\r', "\u2028", "1", None]),
        (pa.struct([("a", pa.int64())]), [{"a": 1}, None]),
        (pa.binary(), [b"ab", b"", None]),
        (pa.binary(2), [b"ab", None]),
        (
            pa.struct([("b", pa.binary()), ("d", pa.duration("s"))]),
            [{"b": b"ff", "d": dt.timedelta(1)}, None, {"b": None, "d": None}],
        ),
        (pa.dictionary(pa.int8(), pa.binary()), [b"ab", b"", None, b"ab"]),
        (pa.struct([]), [{}, None]),
        (pa.struct([("t", pa.list_(pa.time64("us"))), ("x", pa.float64())]), [{"t": [dt.time(1), None], "x": math.inf}, None]),
    ],
)
def test_text_files_of_every_kind_of_leaf(leaf: pa.DataType, row: list[Any]) -> None:
    series = aj.array(pa.array([row, None, []], pa.list_(leaf))).to_pandas(name="v")
    text = series.to_frame().to_csv(index=False)
    again = pd.read_csv(io.StringIO(text), dtype={"v": series.dtype})["v"]
    assert again.dtype == series.dtype
    assert_lists_equal(again.jag.to_list(), series.jag.to_list())


def test_text_files_keep_all_digits_of_times() -> None:
    series = aj.array(pa.array([[1_001, None]], pa.list_(pa.time64("ns")))).to_pandas(name="v")
    again = pd.read_csv(io.StringIO(series.to_frame().to_csv(index=False)), dtype={"v": series.dtype})["v"]
    assert aj.array(again).equals(aj.array(series))


def test_text_that_is_no_row_is_named() -> None:
    read = lambda text, dtype="jagged[int64, 2]": pd.read_csv(io.StringIO(f"v\n[]\n{text}\n"), dtype={"v": dtype})  # noqa: E731
    with pytest.raises(
        JagValueError, match=r"row 1 holds '\[1 2\]', which is not JSON of type jagged\[int64, 2\].*Write lists as \[1, null"
    ):
        read("[1 2]")
    with pytest.raises(JagTypeError, match=r"a row of .* must be a list, got int 7"):
        read("7")
    assert read('"[""1.50""]"', "jagged[decimal128(5, 2), 2]")["v"].jag.to_list() == [[], [decimal.Decimal("1.50")]]
    with pytest.raises(JagValueError, match=r"items of binary are written in hexadecimal"):
        read('"[""xy""]"', "jagged[binary, 2]")
    with pytest.raises(JagValueError, match=r"an item is not the text of time32\[s\]: .*'1970-01-01 noon'"):
        read('"[""noon""]"', "jagged[time32[s], 2]")
    with pytest.raises(JagTypeError, match=r"rows of jagged\[map<string, int64>, 2\] can't be read from text: JSON has no form"):
        read("[[]]", "jagged[map<string, int64>, 2]")


def test_pickle(s: pd.Series[Any]) -> None:
    again = pickle.loads(pickle.dumps(s))
    pd.testing.assert_series_equal(again, s)
    again.iloc[0] = [5]
    assert items(s) == ROWS


def test_the_precision_of_pandas_holds_inside_rows() -> None:
    s = aj.array([[1.23456789, None]]).to_pandas()
    with pd.option_context("display.precision", 2):
        assert "[1.2, null]" in str(s)
        assert "[1.2, null]" in str(s.to_frame("v"))
    assert "[1.23457, null]" in str(s)


@pytest.mark.parametrize("width", [12, 20, 35, 50, 90])
def test_cells_have_head_and_tail_within_the_column_width(width: int) -> None:
    ragged = aj.array([list(range(10_000, 10_100))])
    words = aj.array([["word" * 40, "end"]])
    deep = aj.array([[[1, 2], [3] * 50]])
    frame = pd.DataFrame({"ragged": ragged, "words": words, "deep": deep})
    with pd.option_context("display.max_colwidth", width, "display.width", 1000):
        cells = [html.unescape(cell) for cell in re.findall("<td>(.*)</td>", frame._repr_html_())]
    assert len(cells) == 3
    assert max(map(len, cells)) <= width
    assert cells[0].startswith("[1000")
    assert cells[1].startswith("['word")
    if width >= 35:
        assert cells[0].endswith(", 10099]")
        assert cells[1].endswith("..., 'end']")
        assert cells[2].endswith(", 3]]")


@pytest.mark.parametrize("width", [20, 50])
def test_pandas_never_cuts_a_row_that_was_shortened_to_the_column_width(width: int) -> None:
    s = aj.array([["x" * n] for n in range(60)]).to_pandas()
    with pd.option_context("display.max_colwidth", width, "display.max_rows", None):
        lines = [*repr(s).splitlines()[:-1], *re.findall("<td>(.*)</td>", s.to_frame().to_html())]
    assert len(lines) == 120
    assert all(line.endswith("]") for line in lines)


def test_a_row_that_cannot_be_shortened_loses_its_end() -> None:
    deep = aj.array([[[1, 2], [3] * 50]]).to_pandas()
    with pd.option_context("display.max_colwidth", 20):
        assert repr(deep).splitlines()[0] == "0    [[1, 2], [3, ..."


def test_display_options_of_pandas_hold_inside_rows() -> None:
    frame = pd.DataFrame({"v": aj.array([[1.25, None, 3.5, 4.5, 5.5]])})
    with pd.option_context("display.float_format", "{:.1f} €".format):
        assert "[1.2 €, null, 3.5 €, 4.5 €, 5.5 €]" in frame._repr_html_()
    with pd.option_context("display.max_seq_items", 2):
        assert "[1.25, ..., 5.5]" in frame._repr_html_()


def test_pandas_own_histograms_and_quantiles_of_groups_name_those_of_arrowjag(s: pd.Series[Any]) -> None:
    with pytest.raises(JagTypeError, match=r"hist: rows of jagged\[int64, 2\] have no height; \.jag\.plot\.values\(\)"):
        s.hist()
    with pytest.raises(TypeError, match=None if NO_ROW_BUILDERS else r"groupby\.jag\.quantile"):  # older pandas has its own error
        s.groupby([0, 0, 1, 1]).quantile(0.5)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummin", "cummax", "rank"])
def test_groupby_of_running_totals_names_the_call_with_an_axis(name: str) -> None:
    frame = pd.DataFrame({"k": [1, 2, 1], "v": aj.array([[1.0, 2.0], [3.0], [5.0, 6.0, 7.0]])})
    message = (
        rf"groupby: dtype jagged\[double, 2\] does not support operation '{name}'.*transform\(lambda s: s\.jag\.{name}\(axis=0\)\)"
    )
    for grouped in (frame.groupby("k"), frame.groupby("k")["v"]):
        with pytest.raises(JagTypeError, match=message):
            getattr(grouped, name)()
    found = frame.groupby("k")["v"].transform(lambda s: getattr(s.jag, name)(axis=0))
    rows = frame["v"].iloc[[0, 2]]
    assert found.iloc[[0, 2]].jag.to_list() == getattr(rows.jag, name)(axis=0).jag.to_list()


@pytest.mark.parametrize("rows", [[[1, 2], [3, 4]], [[1, 2], None, []]])
def test_quantiles_of_rows_need_an_axis(rows: list[list[int] | None]) -> None:
    """pandas would interpolate between rows wherever their sizes agree by luck."""
    s = pd.Series(aj.array(rows))
    for call in (lambda: s.quantile(0.5), lambda: s.to_frame().quantile([0.5], numeric_only=False)):
        with pytest.raises(
            aj.JagTypeError, match=r"operation 'quantile': it has 2 axes\. Say which one: \.jag\.quantile\(q, axis=-1\)"
        ):
            call()
    with pytest.raises(aj.JagTypeError, match=r"operation 'kurt': .*\.jag\.kurtosis\(axis=-1\)"):
        s.kurt()
    assert s.jag.quantile(0.5).iloc[0] == 1.5
    for interpolated in (s, s.to_frame()):
        with pytest.raises(
            aj.JagTypeError, match=r"operation 'interpolate': arrowjag\.interp and \.jag\.ffill\(\) fill null items"
        ):
            interpolated.interpolate()


def test_arrow_data_of_another_jagged_type(s: pd.Series[Any]) -> None:
    for series, type in (
        (s, aj.JaggedType.of(pa.float64(), 2)),
        (s[[True, True, False, False]], aj.JaggedType.of(pa.int8(), 2, (None, 2))),
    ):
        made = series.array.__arrow_array__(type)
        made.validate(full=True)
        assert (made.type, made.to_pylist()) == (type, series.jag.to_list())
    with pytest.raises(aj.ShapeError, match="row 2 has 0 items, but the dim declares an extent of 2"):
        s.array.__arrow_array__(aj.JaggedType.of(pa.int64(), 2, (None, 2)))
    with pytest.raises(aj.ShapeError, match=r"jagged\[int64, 3\] has 3 dims, got JaggedShape"):
        s.array.__arrow_array__(aj.JaggedType.of(pa.int64(), 3))


def test_an_array_has_one_axis(s: pd.Series[Any]) -> None:
    for key in ((0, 1), (0, slice(None)), (slice(None), ..., 1)):
        with pytest.raises(IndexError, match=r"too many indices for an array of pandas, .* use \.jag\[\.\.\.\]"):
            s.array[key]
    assert s.array[0, ...].to_list() == s.array[..., 0].to_list() == [1, 2]


def test_explode_of_several_columns() -> None:
    frame = pd.DataFrame({"v": aj.array([[1, 2], [3], None, []]), "k": list("abcd"), "t": aj.array([["x", "y"], ["z"], None, []])})
    frame["o"] = [[5, 6], [7], None, []]
    frame.index = pd.Index([9, 9, 8, 7])
    expected = pd.DataFrame({"v": [1, 2, 3, None, None], "t": ["x", "y", "z", None, None], "o": [5, 6, 7, None, None]})
    for names in (["v", "t"], ["v", "t", "o"], ["o", "v"]):
        found = frame.explode(names)
        assert found.columns.tolist() == ["v", "k", "t", "o"]
        assert found.index.tolist() == [9, 9, 9, 8, 7]
        assert found["k"].tolist() == list("aabcd")
        for name in names:
            assert (
                found[name].astype(object).where(found[name].notna(), None).tolist()
                == expected[name].astype(object).where(expected[name].notna(), None).tolist()
            )
        assert frame.explode(names, ignore_index=True).index.tolist() == [0, 1, 2, 3, 4]
    assert frame.iloc[:0].explode(["v", "t"]).dtypes["t"] == pd.ArrowDtype(pa.string())
    with pytest.raises(aj.ShapeError, match=r"matching element counts, got 2 in 'v' and 1 in 'k' of row 9; \.jag\.flatten"):
        frame.explode(["v", "k"])
    with pytest.raises(aj.ShapeError, match=r"got 2 in 'v' and 1 in 'k' of row 0;"):
        frame.reset_index(drop=True).explode(["v", "k"])
    with pytest.raises(KeyError, match="'w'"):
        frame.explode(["v", "w"])


def test_map_to_scalars_beside_null_rows() -> None:
    s = pd.Series(aj.array([[1, 2], None, []]))
    found = s.map(len, na_action="ignore")
    assert (found.dtype, found.tolist()) == ("int64[pyarrow]", [2, pd.NA, 0])
    assert s.map(lambda row: [len(row)], na_action="ignore").tolist() == [[2], pd.NA, [0]]
    assert s.map(lambda row: len(row) or "none", na_action="ignore").tolist() == [2, pd.NA, "none"]


def test_accessors_of_pandas_name_ours() -> None:
    s = pd.Series(aj.array([["a"], None]))
    for name, ours in (
        ("str", "items have .jag.str"),
        ("dt", "items have .jag.dt"),
        ("list", "use .jag"),
        ("struct", r'.jag\["field"\]'),
    ):
        with pytest.raises(
            AttributeError, match=rf"^\.{name} of pandas takes no rows of jagged\[string, 2\], which are lists; .*{ours}"
        ):
            getattr(s, name)
        assert not hasattr(s, name)
    assert s.jag.str.upper().jag.flatten().str.lower().tolist() == ["a"]
