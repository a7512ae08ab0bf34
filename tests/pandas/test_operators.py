"""Operators and ufuncs on Series: alignment on the index first, by prefix second."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._ops.elementwise.operators import FUNCTIONS

ARITHMETIC = [one.python for one in FUNCTIONS.values() if one.python and "dd->d" in one.ufuncs[0].types]


@pytest.fixture
def s() -> pd.Series[Any]:
    return aj.array([[1, 2], None, [], [3, None]]).to_pandas(index=list("abcd"), name="v")


def test_views_of_text_are_aligned_on_the_index() -> None:
    """pyarrow takes no views by position, so that pandas can't reindex them."""
    words = pd.Series(pd.arrays.ArrowExtensionArray(pa.array(["a", None, "c"], pa.string_view())), index=list("zab"))
    rows = aj.array([["c", "a"], ["c"], []]).to_pandas(index=list("bcz"))
    same = rows.jag == words
    assert same.sort_index().jag.to_list() == [None, [True, False], [None], []]


def values(series: pd.Series[Any]) -> list[Any]:
    return series.jag.to_list()


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("dtype", ["int64", "float32", "Int64", "Float64", "int64[pyarrow]", "double[pyarrow]"])
def test_plain_series_on_either_side(s: pd.Series[Any], name: str, dtype: str) -> None:
    plain = pd.Series([2, 3, 4, 5], index=list("abcd"), dtype=dtype)
    function = getattr(operator, name)
    array = aj.array(pa.array([2, 3, 4, 5]).cast(pa.from_numpy_dtype(getattr(plain.dtype, "numpy_dtype", plain.dtype))))
    for result, expected in (
        (function(s, plain), function(s.array._jagged, array)),
        (function(plain, s), function(array, s.array._jagged)),
    ):
        assert isinstance(result, pd.Series)
        assert result.array._jagged.equals(expected)
        assert result.index.equals(s.index)


def test_index_alignment(s: pd.Series[Any]) -> None:
    other = pd.Series([10, 20, 30], index=list("dab"))
    result = s * other
    assert result.index.tolist() == list("abcd")
    assert values(result) == [[20, 40], None, [], [30, None]]
    jagged = aj.array([[1, 1], [2, 2]]).to_pandas(index=["d", "a"], name="v")
    result = s + jagged
    assert values(result) == [[3, 4], None, None, [4, None]]
    assert result.name == "v"
    outer = s + aj.array([[5]]).to_pandas(index=["z"])
    assert outer.index.tolist() == [*"abcd", "z"]
    assert values(outer) == [None] * 5


def test_a_label_that_a_plain_series_lacks_keeps_the_row(s: pd.Series[Any]) -> None:
    result = s * pd.Series([10], index=["a"], dtype="int64[pyarrow]")
    assert values(result) == [[10, 20], None, [], [None, None]]


@pytest.mark.parametrize("scalar", [2, 2.5, np.float32(2), np.int8(3), pa.scalar(2)])
def test_scalars(s: pd.Series[Any], scalar: Any) -> None:
    assert (s * scalar).array._jagged.equals(s.array._jagged * scalar)
    assert (scalar - s).array._jagged.equals(scalar - s.array._jagged) if not isinstance(scalar, pa.Scalar) else True


def test_missing_scalars(s: pd.Series[Any]) -> None:
    assert values(s + pd.NA) == [[None, None], None, [], [None, None]]


def test_other_operands(s: pd.Series[Any]) -> None:
    assert values(s * np.array([1, 2, 3, 4])) == [[1, 2], None, [], [12, None]]
    assert values(s * [1, 2, 3, 4]) == [[1, 2], None, [], [12, None]]
    assert values(s * aj.array([1, 2, 3, 4])) == [[1, 2], None, [], [12, None]]
    assert values(aj.array([1, 2, 3, 4]) * s) == [[1, 2], None, [], [12, None]]
    assert values(pd.Series([[1, 1], None, [], [5, 6]], index=s.index) + s) == [[2, 3], None, [], [8, None]]
    assert values(s.iloc[[0]] * aj.Row([10, 100])) == [[10, 200]]
    lists = pd.Series([[1, 1], None, [], [5, 6]], index=s.index, dtype=pd.ArrowDtype(pa.list_(pa.int64())))
    assert values(s + lists.jag.abs()) == [[2, 3], None, [], [8, None]]
    deep = aj.array([[[1, 2], [3]], None, [], [[4], []]]).to_pandas(index=s.index)
    assert values(deep * s) == [[[1, 2], [6]], None, [], [[12], []]]


def test_operators_of_an_array_and_a_plain_column() -> None:
    """A plain column is one item per row for arrays as well; a Series gives a Series, with its labels."""
    x = aj.array([[1, None], None, [], [5]])
    plain = pd.Series([10, 20, 30, 40], index=list("abcd"), name="k")
    for column in (plain, plain.astype("float32"), plain.astype("Int64"), plain.astype(pd.ArrowDtype(pa.int16()))):
        for result in (x + column, np.add(x, column)):
            assert values(result) == [[11, None], None, [], [45]]
            assert (result.index.tolist(), result.name) == (list("abcd"), "k")
    assert values(x - plain) == [[-9, None], None, [], [-35]]
    assert values(x == pd.Series([1, 1, 1, 1])) == [[True, None], None, [], [False]]
    assert values(x < pd.Series([[2, 2], None, [], [5]])) == [[True, None], None, [], [False]]
    assert [part.jag.to_list() for part in divmod(x, plain)] == [[[0, None], None, [], [0]], [[1, None], None, [], [5]]]
    for flat in (pd.Index([10, 20, 30, 40]), pd.array([10, 20, 30, 40]), plain.array):
        assert (x + flat).to_list() == [[11, None], None, [], [45]]
    with pytest.raises(aj.ShapeError, match=r"JaggedShape\(3\) is not a prefix of"):
        x + pd.Series([1, 2, 3])
    assert values(plain + x) == [[11, None], None, [], [45]]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int64[pyarrow]", "object", "string", "str", "category"])
def test_a_plain_series_of_any_dtype_on_the_left_of_an_array(dtype: str) -> None:
    # Of objects, pandas compared each value with the whole array: False everywhere.
    numbers = "int" in dtype.lower()
    given: Any = [1, 2] if numbers else ["b", "c"]
    x = aj.array([[1, 5], [2]] if numbers else [["a", "b"], ["c"]])
    k = pd.Series(given, index=["p", "q"], name="k", dtype=dtype)  # type: ignore[call-overload]
    for f in (operator.eq, operator.ne, operator.lt, operator.ge, operator.add):
        found = f(k, x)
        assert found.index.tolist() == ["p", "q"]
        assert aj.array(found).to_list() == f(aj.array(given), x).to_list()
        assert f(pd.Index(k), x).to_list() == aj.array(found).to_list()
        assert f(k.array, x).to_list() == aj.array(found).to_list()
    assert isinstance(pd.Series(x).array == x, pd.arrays.ArrowExtensionArray)  # rows of a jagged column are compared whole
    flags = pd.Series([True, False], dtype=object if dtype == "object" else bool)
    assert aj.array(flags & aj.array([[True, None], [True]])).to_list() == [[True, None], [False]]


def test_frames(s: pd.Series[Any]) -> None:
    frame = pd.DataFrame({"v": s, "w": s})
    assert values((frame * 2)["v"]) == values(s * 2)
    by_row = pd.Series([1, 2, 3, 4], index=s.index)
    assert values(frame.mul(by_row, axis=0)["w"]) == values(s * by_row)
    assert values((frame + frame)["v"]) == values(s + s)
    assert values((-frame)["v"]) == values(-s)


def test_shapes_that_do_not_fit(s: pd.Series[Any]) -> None:
    with pytest.raises(aj.ShapeError, match="row 0"):
        s + aj.array([[1], None, [], [1, 1]]).to_pandas(index=s.index)
    with pytest.raises(aj.ShapeError, match="Lengths must match"):
        _ = s.array + np.array([1, 2])
    with pytest.raises(aj.JagTypeError, match="add has no kernel for int64 and string"):
        s + "text"


def test_order_is_elementwise(s: pd.Series[Any]) -> None:
    threshold = pd.Series([1, 1, 1, 9], index=s.index)
    assert values(s > threshold) == [[False, True], None, [], [False, None]]
    assert values(s <= 2) == [[True, True], None, [], [False, None]]
    assert values(np.int64(3) > s) == [[True, True], None, [], [False, None]]
    assert (s < s * 2).dtype == "jagged[bool, 2]"


def test_logic_and_one_sided(s: pd.Series[Any]) -> None:
    small, odd = s < 3, s % 2 > 0
    assert values(small & odd) == [[True, False], None, [], [False, None]]
    assert values(small | True) == [[True, True], None, [], [True, True]]
    assert values(~small) == [[False, False], None, [], [True, None]]
    assert values(abs(-s)) == values(s)
    assert values(+s) == values(s)
    quotient, rest = divmod(s, 2)
    assert values(quotient * 2 + rest) == values(s)
    twos = aj.array([2, 2, 2, 2])
    assert [values(one) for one in divmod(twos, s)] == [values(twos // s), values(twos % s)]


def test_ufuncs(s: pd.Series[Any]) -> None:
    root = np.sqrt(s)
    assert isinstance(root, pd.Series)
    assert root.name == "v"
    assert root.array._jagged.equals(np.sqrt(s.array._jagged))
    assert values(np.add(s, pd.Series([1, 1, 1, 1], index=s.index))) == [[2, 3], None, [], [4, None]]
    assert values(np.maximum(s, 2)) == [[2, 2], None, [], [3, None]]
    assert values(np.multiply(pd.Series([2, 2, 2, 2], index=s.index), s)) == values(s * 2)
    assert np.equal(s.array, s.array).tolist() == [True, pd.NA, True, True]
    whole, part = np.divmod(s, 2)
    assert values(whole * 2 + part) == values(s)
    with pytest.raises(TypeError, match=r"add\.reduce is not defined for jagged data"):
        np.add.reduce(s.array)


def test_flex_methods(s: pd.Series[Any]) -> None:
    assert values(s.mul(2)) == values(s * 2)
    assert values(s.rsub(1)) == values(1 - s)
    assert values(s.gt(1)) == values(s > 1)
    assert s.eq(s).tolist() == [True, pd.NA, True, True]


def test_temporal_scalars() -> None:
    day = pd.Timestamp("2024-01-01")
    s = aj.array([[day, None], []]).to_pandas()
    assert values(s + pd.Timedelta(days=1)) == [[day + pd.Timedelta(days=1), None], []]
    assert values(s > day) == [[False, None], []]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v * 2", [[2, 4], [6], None]),
        ("2 * v - k", [[1, 3], [4], None]),
        ("v * w", [[1.5, 4.0], [9.0], None]),
        ("-v", [[-1, -2], [-3], None]),
        ("v > 1", [[False, True], [True], None]),
        ("(v > 1) & (w < 2)", [[False, False], [False], None]),
    ],
)
def test_eval_computes_with_jagged_columns(text: str, expected: Any) -> None:
    df = pd.DataFrame({"v": aj.array([[1, 2], [3], None]), "k": [1, 2, 3], "w": aj.array([[1.5, 2], [3], [1]])})
    got = df.eval(text)
    assert got.jag.to_list() == expected
    assert df.eval(f"new = {text}")["new"].equals(got)


def test_eval_still_rejects_the_dtypes_that_pandas_rejects() -> None:
    with pytest.raises(TypeError, match="unsupported operand type"):
        pd.DataFrame({"a": [{}], "b": [1]}).eval("a * b")


@pytest.mark.parametrize("leaf", [pa.float32(), pa.float64(), pa.decimal128(9, 3)])
def test_round_rounds_items(leaf: pa.DataType) -> None:
    s = pd.Series([[1.26, None], [], None, [3.14]], index=list("abcd"), name="v", dtype=f"jagged[{leaf}, 2]")
    expected = s.jag.round(1)
    assert expected.jag.to_list() != s.jag.to_list()
    df = pd.DataFrame({"v": s, "k": 1.26, "t": aj.array([["x"], [], None, [None]]).to_pandas(index=s.index)})
    for found in (s.round(1), round(s, 1), np.round(s, 1), df.round(1)["v"], df.round({"v": 1})["v"]):
        pd.testing.assert_series_equal(found, expected)
    pd.testing.assert_series_equal(df.round({"k": 1})["v"], s)
    assert df.round(1)["k"].tolist() == [1.3] * 4
    assert df.round(1)["t"].jag.to_list() == [["x"], [], None, [None]]
    assert df.iloc[:0].round(1).dtypes["v"] == s.dtype
    others = pd.DataFrame({"v": s, "o": ["a", 1, None, 2.55], "c": pd.Categorical(["x", "y"] * 2)})
    assert others.round(1)[["o", "c"]].equals(others[["o", "c"]])


def test_clip_clips_items() -> None:
    s = aj.array([[1, 2], [3], None]).to_pandas(index=["a", "b", "c"], name="v")
    assert s.clip(2).jag.to_list() == [[2, 2], [3], None]
    assert s.clip(upper=pd.Series([1, 2, 3], index=["b", "a", "c"])).jag.to_list() == [[1, 2], [1], None]
    assert s.clip(2).index.equals(s.index)
    assert pd.Series([1, 5]).clip(2, 4).tolist() == [2, 4]
    assert pd.DataFrame({"k": [1, 5]}).clip(lower=2)["k"].tolist() == [2, 5]
    for call in (lambda: s.to_frame().clip(lower=2), lambda: s.clip(2, inplace=True)):
        with pytest.raises(aj.JagTypeError, match=r"(df\['v'\]|s)\.jag.clip\(lower, upper\) gives a new (column|Series)"):
            call()


def test_map_names_the_call_for_items() -> None:
    with pytest.raises(aj.JagTypeError, match=r"\.jag\.translate\(keys, values\) looks items up"):
        aj.array([[1, 2], [3]]).to_pandas().map(pd.Series([10, 20, 30], index=[1, 2, 3]))


@pytest.mark.parametrize(
    "make", [list, tuple, lambda rows: aj.array(rows).to_pandas().array, lambda rows: np.fromiter(rows, object, 4)]
)
def test_rows_are_compared_with_lists_of_rows(make: Any) -> None:
    rows: list[Any] = [[1, 2], None, [], [4]]
    array = aj.array([[1, 2], None, [], [3]]).to_pandas().array
    assert (array == make(rows)).tolist() == [True, pd.NA, True, False]
    assert (array != make(rows)).tolist() == [False, pd.NA, False, True]
    assert (array == np.array([[1, 2]] * 4)).tolist() == [True, pd.NA, False, False]
    assert (array == ["a"] * 4).tolist() == [False, pd.NA, False, False]
    deeper = aj.array([[[1, 2]], None, None, []]).to_pandas().array
    assert (array == deeper).tolist() == (deeper == array).tolist() == [False, pd.NA, pd.NA, False]
    with pytest.raises(aj.ShapeError, match="Lengths must match to compare: 4 rows and 1"):
        _ = array == [[1]]


def test_methods_of_ufuncs_are_left_to_numpy() -> None:
    array = aj.array([[1, 2], [3, 4]]).to_pandas().array
    for call in (lambda: np.add.reduce(array), lambda: np.add.accumulate(array), lambda: np.add(array, 1, where=[True, False])):
        with pytest.raises(TypeError, match=r"is not defined for jagged data|takes no options on jagged data"):
            call()
