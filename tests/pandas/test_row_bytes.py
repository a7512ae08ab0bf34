"""Rows as keys: equality, hashing, merging, grouping and sorting, by content across columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag import testing
from arrowjag.pandas._row_bytes import content_keys, order_codes
from arrowjag.pandas._versions import EMPTY_INDEXER_FAILS
from arrowjag.testing.strategies import array_of

NAN = float("nan")


def items(series: Any) -> list[Any]:
    return [None if one is pd.NA else one.to_list() if isinstance(one, aj.Row) else one for one in series]


rows_of_numbers = st.lists(
    st.none() | st.lists(st.none() | st.sampled_from([0.0, -0.0, 1.0, -1.0, NAN, float("inf")]), max_size=3), max_size=8
)
rows_of_text = st.lists(st.none() | st.lists(st.none() | st.sampled_from(["", "a", "ab", "b", "\x00"]), max_size=3), max_size=8)
deep_rows = st.lists(st.none() | st.lists(st.none() | st.lists(st.none() | st.integers(-2, 2), max_size=2), max_size=3), max_size=8)
structs = st.lists(
    st.none()
    | st.lists(st.none() | st.fixed_dictionaries({"a": st.none() | st.integers(0, 1), "b": st.none() | st.just("x")}), max_size=2),
    max_size=8,
)
CASES: dict[str, tuple[Any, pa.DataType, int]] = {
    "numbers": (rows_of_numbers, pa.float64(), 2),
    "text": (rows_of_text, pa.string(), 2),
    "deep": (deep_rows, pa.int32(), 3),
    "structs": (structs, pa.struct([("a", pa.int64()), ("b", pa.string())]), 2),
}


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_keys_of_two_columns_agree_with_rows(name: str, data: st.DataObject) -> None:
    strategy, leaf, ndim = CASES[name]
    one, two = (array_of(data.draw(strategy), leaf, ndim) for _ in range(2))
    keys = [content_keys(array).to_pylist() for array in (one, two)]
    rows = [[None if row is None else aj.Row(row, leaf, ndim - 1) for row in array.to_list()] for array in (one, two)]
    for left_key, left in zip(keys[0], rows[0], strict=True):
        for right_key, right in zip(keys[1], rows[1], strict=True):
            assert (left_key == right_key) == (left == right)
    series = [array.to_pandas() for array in (one, two)]
    assert series[0].isin(series[1]).tolist() == [row in rows[1] for row in rows[0]]


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_order_agrees_with_rows(name: str, data: st.DataObject) -> None:
    strategy, leaf, ndim = CASES[name]
    array = array_of(data.draw(strategy), leaf, ndim)
    rows = [None if row is None else aj.Row(row, leaf, ndim - 1) for row in array.to_list()]
    codes = order_codes(array)
    for place, one in enumerate(rows):
        for other, two in enumerate(rows):
            if one is not None and two is not None:
                assert (codes[place] < codes[other]) == (one < two)
                assert (codes[place] == codes[other]) == (one == two)
    ordered = array.to_pandas().sort_values()
    expected = sorted((place for place, row in enumerate(rows) if row is not None), key=lambda place: rows[place])
    assert ordered.index.tolist() == [*expected, *(place for place, row in enumerate(rows) if row is None)]


@given(column=testing.jagged_arrays(ndim=st.integers(2, 3)))
def test_every_leaf_type_has_keys(column: aj.JaggedArray) -> None:
    keys = content_keys(column)
    assert len(keys) == len(column)
    assert keys.null_count == column.null_count
    rows = column.to_pandas()
    codes, uniques = rows.array.factorize()
    assert uniques.take(codes[codes >= 0]).equals(rows.dropna().array)
    assert content_keys(uniques._jagged).to_pylist() == list(dict.fromkeys(key for key in keys.to_pylist() if key is not None))


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2, 1]).cast(pa.timestamp("us", "UTC")),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pc.cast(pa.array([1, 2, 1]), pa.decimal128(19, 0)),
        pa.array([b"ab", b"cd", b"ab"], pa.binary(2)),
        pa.array([True, False, True]),
        pa.array([[1], [2, 3], [1]], pa.list_(pa.int64())),
        pa.array([{"a": [1]}, {"a": None}, {"a": [1]}]),
        pa.array(["a", "b", "a"], pa.string_view()),
        pa.array([[("k", 1)], [], [("k", 1)]], pa.map_(pa.string(), pa.int64())),
        pa.array([1, 2, 1], pa.float16()),
    ],
    ids=lambda values: str(values.type),
)
def test_leaf_types(values: pa.Array) -> None:
    x = aj.JaggedArray(aj.JaggedShape(3, [1, 1, 1]), values)
    assert x.to_pandas().duplicated().tolist() == [False, False, True]
    other = aj.JaggedArray(aj.JaggedShape(1, [1]), values[2:]).to_pandas()
    assert x.to_pandas().isin(other).tolist() == [True, False, True]


def test_values_under_a_null_are_ignored() -> None:
    hidden = pa.Array.from_buffers(pa.int64(), 2, [pa.py_buffer(b"\x00"), pa.py_buffer(np.array([1, 2]).tobytes())])
    x = aj.JaggedArray(aj.JaggedShape(2, [1, 1]), hidden).to_pandas()
    assert x.duplicated().tolist() == [False, True]


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_merge_on_key_sets_that_differ(how: Any) -> None:
    left = pd.DataFrame({"v": aj.array([[3], [-0.0], [1, 2], None, [NAN]]).to_pandas(), "x": range(5)})
    right = pd.DataFrame({"v": aj.array([[9, 9], [NAN], [0.0], None, [1], [3]]).to_pandas(), "y": range(6)})
    merged = left.merge(right, on="v", how=how)
    assert merged["v"].dtype == left["v"].dtype
    pairs = {(x, y) for x, y in zip(merged["x"], merged["y"], strict=True) if pd.notna(x) and pd.notna(y)}
    assert pairs == {(0, 5), (1, 2), (3, 3), (4, 1)}
    assert len(merged) == 4 + (how in ("left", "outer")) + 2 * (how in ("right", "outer"))


KEYS = [[], [0], [0, 1], [1], [1, 0], [2]]
keys_of_a_table = st.lists(st.none() | st.sampled_from(KEYS), max_size=6) | st.lists(
    st.sampled_from(KEYS), unique_by=str, max_size=6
).map(sorted)
"""Any order, and the sorted and distinct keys for which pandas has ways of its own."""


def keyed(keys: list[Any], column: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The same table by rows and by texts that sort as the rows do."""
    rows = aj.array(keys, type=pa.int64(), ndim=2).to_pandas()
    texts = pd.Series([np.nan if key is None else "r" + "".join(map(str, key)) for key in keys], dtype="str")
    places = np.arange(len(keys))
    return pd.DataFrame({"v": rows, column: places}), pd.DataFrame({"v": texts, column: places})


# pandas 2.3 keeps texts with missing values as objects, and sorts and joins those in other orders: they are no oracle there.
TEXTS_ARE_ORDERED = pytest.mark.skipif(bool(EMPTY_INDEXER_FAILS), reason="older pandas joins texts in other orders")


@TEXTS_ARE_ORDERED
@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@given(keys_of_a_table, keys_of_a_table, st.booleans())
def test_rows_join_by_content_like_other_keys(how: Any, left: list[Any], right: list[Any], sort: bool) -> None:
    (rows, texts), (more_rows, more_texts) = keyed(left, "x"), keyed(right, "y")
    merged = rows.merge(more_rows, on="v", how=how, sort=sort)
    expected = texts.merge(more_texts, on="v", how=how, sort=sort)
    assert merged["v"].dtype == "jagged[int64, 2]"
    pd.testing.assert_frame_equal(merged[["x", "y"]], expected[["x", "y"]])
    joined = rows.set_index("v").join(more_rows.set_index("v"), how=how, sort=sort)
    expected = texts.set_index("v").join(more_texts.set_index("v"), how=how, sort=sort)
    pd.testing.assert_frame_equal(joined.reset_index(drop=True), expected.reset_index(drop=True))


@TEXTS_ARE_ORDERED
@given(keys_of_a_table, keys_of_a_table)
def test_an_index_of_rows_meets_another(left: list[Any], right: list[Any]) -> None:
    (rows, texts), (more_rows, more_texts) = keyed(left, "x"), keyed(right, "y")
    one, two, three, four = (pd.Index(table["v"]) for table in (rows, more_rows, texts, more_texts))
    for meet in ("union", "intersection", "difference", "symmetric_difference"):
        found = getattr(one, meet)(two)
        assert [None if row is pd.NA else "r" + "".join(map(str, row.to_list())) for row in found] == [
            None if pd.isna(text) else text for text in getattr(three, meet)(four)
        ]
    assert one.isin(two).tolist() == three.isin(four).tolist()
    if one.is_unique:
        assert one.get_indexer(two).tolist() == three.get_indexer(four).tolist()
    for found, expected in zip(one.get_indexer_non_unique(two), three.get_indexer_non_unique(four), strict=True):
        assert found.tolist() == expected.tolist()
    for dropna in (True, False):
        most, expected = rows["v"].mode(dropna), texts["v"].mode(dropna)
        assert [None if row is pd.NA else "r" + "".join(map(str, row)) for row in most] == [
            None if pd.isna(text) else text for text in expected
        ]


def test_labels_are_not_looked_up_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """pandas searches the whole index for each label of the other: joins would take time with the square of rows."""
    labels = pd.Index(aj.array([[place, place % 7] for place in range(300)]).to_pandas())
    more = labels[::-1].append(labels[:3])

    def one(index: Any, key: Any) -> Any:
        raise AssertionError("one label")

    monkeypatch.setattr(type(labels), "get_loc", one)
    monkeypatch.setattr(type(labels.array), "searchsorted", one)
    assert labels.get_indexer(more).tolist() == [*range(299, -1, -1), 0, 1, 2]
    assert more.get_indexer_non_unique(labels[:1])[0].tolist() == [299, 300]
    joined = pd.DataFrame({"a": range(300)}, index=labels).join(pd.DataFrame({"b": range(300)}, index=labels[::-1]))
    assert (joined["a"] + joined["b"] == 299).all()


def test_merge_of_two_keys_and_of_other_leaf_types() -> None:
    left = pd.DataFrame({"k": [1, 1, 2], "v": aj.array([[1], [2], [1]]).to_pandas(), "x": range(3)})
    right = pd.DataFrame({"k": [2, 1], "v": aj.array([[1], [2]]).to_pandas(), "y": range(2)})
    assert left.merge(right, on=["k", "v"])[["x", "y"]].to_numpy().tolist() == [[1, 1], [2, 0]]
    floats = right.astype({"v": "jagged[double, 2]"})
    assert left.merge(floats, on=["k", "v"])[["x", "y"]].to_numpy().tolist() == [[1, 1], [2, 0]]


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_keys_of_two_leaf_types_become_one_column_of_the_common_one(how: Any) -> None:
    left = pd.DataFrame({"v": aj.array([[1], [2**60 + 1], None]).to_pandas(), "x": range(3)})
    right = pd.DataFrame({"v": aj.array([[0.5], [1.0]]).to_pandas(), "y": range(2)})
    small = left.iloc[[0, 2]]
    merged = small.merge(right, on="v", how=how)
    assert merged["v"].dtype == "jagged[double, 2]"
    texts = small.assign(v=["1", None]).merge(right.assign(v=["0.5", "1"]), on="v", how=how)
    assert [None if row is pd.NA else row for row in merged["v"]] == [None if pd.isna(one) else [float(one)] for one in texts["v"]]
    pd.testing.assert_frame_equal(merged[["x", "y"]], texts[["x", "y"]])
    apart = small.merge(right.rename(columns={"v": "u"}), left_on="v", right_on="u", how=how)
    assert (apart["v"].dtype, apart["u"].dtype) == (left["v"].dtype, right["v"].dtype)
    assert left.merge(right, on="v")[["x", "y"]].to_numpy().tolist() == [[0, 1]]  # 2**60 + 1 is no float


@pytest.mark.parametrize("leaf", [pa.string(), pa.dictionary(pa.int8(), pa.string()), pa.binary()])
@pytest.mark.parametrize("keys", [["v"], ["k", "v"]])
def test_merged_rows_are_sorted_as_rows_are(leaf: pa.DataType, keys: list[str]) -> None:
    def frame(rows: list[Any], name: str) -> pd.DataFrame:
        column = aj.array([None if row is None else [row] for row in rows], type=leaf, ndim=3)
        return pd.DataFrame({"v": column.to_pandas(), "k": 0, name: range(len(rows))})

    left, right = frame([["b"], ["aa"], None, ["a", "c"], ["c"]], "x"), frame([["b"], ["zz"], ["aa"], []], "y")
    outer = left.merge(right, on=keys, how="outer")
    pd.testing.assert_frame_equal(outer, outer.sort_values("v", ignore_index=True))
    assert outer["x"].dropna().tolist() == [3, 1, 0, 4, 2]
    assert left.merge(right, on=keys, sort=True)["x"].tolist() == [1, 0]
    assert left.merge(right, on=keys)["x"].tolist() == [0, 1]


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("dtype", [object, pd.ArrowDtype(pa.list_(pa.int64()))])
def test_lists_are_keys_beside_rows(how: Any, dtype: Any) -> None:
    rows = pd.DataFrame({"v": aj.array([[1, 2], [], None, [3]]).to_pandas(), "x": range(4)})
    others = pd.DataFrame({"v": pd.Series([[3], [9], None], dtype=dtype), "y": range(3)})
    jagged = others.astype({"v": "jagged[int64, 2]"})
    pd.testing.assert_frame_equal(rows.merge(others, on="v", how=how), rows.merge(jagged, on="v", how=how))
    pd.testing.assert_frame_equal(others.merge(rows, on="v", how=how), jagged.merge(rows, on="v", how=how))
    renamed = others.rename(columns={"v": "u"}).merge(rows, left_on="u", right_on="v")
    assert (renamed["x"].tolist(), renamed["y"].tolist()) == ([3, 2], [0, 2])
    assert others["v"].dtype == dtype


def test_keys_that_no_row_equals_are_refused() -> None:
    rows = pd.DataFrame({"v": aj.array([[1, 2], []]).to_pandas()})
    for values, found in (
        ([1, 2], "int64"),
        (aj.array([["a"]]), r"jagged\[string, 2\]"),
        (aj.array([[[1]]]), r"jagged\[int64, 3\]"),
    ):
        others = pd.DataFrame({"v": pd.Series(values)})
        for one, two in ((rows, others), (others, rows)):
            with pytest.raises(aj.JagTypeError, match=rf"merge: the key 'v' is .*{found}.* which have no common dtype"):
                one.merge(two, on="v")
    nulls = pd.DataFrame({"v": [None, np.nan], "y": [0, 1]})
    assert rows.merge(nulls, on="v", how="left")["y"].isna().all()


def test_payload_of_a_merge_and_of_a_join() -> None:
    left = pd.DataFrame({"k": [1, 2, 3]})
    right = pd.DataFrame({"k": [3, 1], "v": aj.array([[1, 2], []]).to_pandas()})
    merged = left.merge(right, on="k", how="left")
    assert merged["v"].dtype == "jagged[int64, 2]"
    assert items(merged["v"]) == [[], None, [1, 2]]
    assert items(left.join(right.set_index("k"), on="k")["v"]) == [[], None, [1, 2]]


def test_groupby_key() -> None:
    frame = pd.DataFrame({"v": aj.array([[2], [1], [2], None, [1, 0]]).to_pandas(), "x": [1, 2, 3, 4, 5]})
    total = frame.groupby("v")["x"].sum()
    assert items(total.index) == [[1], [1, 0], [2]]
    assert total.tolist() == [2, 5, 4]
    assert frame.groupby("v", dropna=False)["x"].sum().tolist() == [2, 5, 4, 4]
    assert frame.groupby("v", sort=False)["x"].sum().tolist() == [4, 2, 5]
    assert frame.groupby(["v", "x"]).size().sum() == 4


HUGE = [[1], [2**53 + 1, 2], None, [2**63 - 1], []]


@pytest.mark.parametrize(
    ("rows", "others", "expected"),
    [
        (HUGE, [[1.0], [5.5], [], [NAN, None]], [True, False, False, False, True]),
        (HUGE, [[2**53 + 2.0, 2.0], [2.0**63], None], [False, False, True, False, False]),
        (HUGE, aj.array([[2**63 - 1], [2**53 + 1, 2], [2**64 - 1]], type=pa.uint64()), [False, True, False, True, False]),
        ([[1.5], [2.0], [2.0**53]], [[2], [2**53 + 1]], [False, True, False]),
        ([[[1], []], [[2**60 + 1]]], [[[1.0], []], [[2.0**60]]], [True, False]),
    ],
    ids=["floats", "large floats", "unsigned integers", "integers", "dims"],
)
def test_rows_are_found_beside_values_that_the_common_type_does_not_hold(rows: Any, others: Any, expected: list[bool]) -> None:
    """No row was found, and none was equal, if any value did not fit."""
    s = aj.array(rows).to_pandas()
    others = aj.array(others) if isinstance(others, list) else others
    assert s.isin(others.to_pandas()).tolist() == expected
    for row, one in zip(rows, expected, strict=True):
        assert aj.array([row], type=s.dtype.leaf, ndim=s.dtype.ndim).to_pandas().isin(others.to_pandas()).tolist() == [one]
    pairs = [(row, other) for row in range(len(rows)) for other in range(len(others))]
    left, right = s.take([row for row, _ in pairs]), others.to_pandas().take([other for _, other in pairs])
    equal = left.array == right.array
    assert equal.tolist() == (right.array == left.array).tolist()
    found = equal.fillna(False).to_numpy(bool).reshape(len(rows), len(others)).any(axis=1)
    assert found.tolist() == [one and row is not None for one, row in zip(expected, rows, strict=True)]


def test_times_are_found_beside_times_that_finer_units_do_not_reach() -> None:
    s = aj.array([[1], [10**11]]).cast(pa.timestamp("s")).to_pandas()
    fine = aj.array([[10**9], [10**9 + 1]]).cast(pa.timestamp("ns")).to_pandas()
    assert s.isin(fine).tolist() == [True, False]
    assert fine.isin(s).tolist() == [True, False]


def test_unique_and_counts() -> None:
    s = aj.array([[2], [1], [2], None, None]).to_pandas()
    assert items(s.unique()) == [[2], [1], None]
    assert items(s.drop_duplicates()) == [[2], [1], None]
    assert s.drop_duplicates(keep="last").index.tolist() == [1, 2, 4]
    assert s.duplicated(keep=False).tolist() == [True, False, True, True, True]
    assert s.nunique() == 2
    counts = s.value_counts()
    assert (items(counts.index), counts.tolist()) == ([[2], [1]], [2, 1])
    assert s.value_counts(dropna=False).sum() == 5
    counts = s.array.value_counts()
    assert (counts.dtype, counts.name, counts.tolist()) == ("Int64", "count", [2, 1])
    assert s.isin([]).tolist() == s.isin(["no row"]).tolist() == [False] * 5
    assert s.isin(["no row"]).dtype == bool
    codes, uniques = pd.factorize(s)
    assert codes.tolist() == [0, 1, 0, -1, -1]
    assert items(uniques) == [[2], [1]]
    assert pd.DataFrame({"v": s}).drop_duplicates().index.tolist() == [0, 1, 3]


def test_sorting_and_ranks() -> None:
    s = aj.array([[2], None, [1, 9], [], [1]]).to_pandas()
    assert items(s.sort_values()) == [[], [1], [1, 9], [2], None]
    assert items(s.sort_values(ascending=False, na_position="first")) == [None, [2], [1, 9], [1], []]
    assert s.rank().tolist()[2:] == [3.0, 1.0, 2.0]
    assert items(pd.DataFrame({"k": [1, 1, 0, 0, 0], "v": s}).sort_values(["k", "v"])["v"]) == [[], [1], [1, 9], [2], None]
    assert (s.argmin(), s.argmax()) == (3, 0)
    sorted_rows = s.dropna().sort_values()
    assert sorted_rows.searchsorted(aj.Row([1, 5])) == 2
    assert sorted_rows.is_monotonic_increasing
    labels = pd.Index(sorted_rows)
    assert [one.is_monotonic_increasing for one in (labels, labels[::-1], labels[[0, 2, 1]])] == [True, False, False]
    assert [one.is_monotonic_decreasing for one in (labels, labels[::-1], labels[[0, 2, 1]])] == [False, True, False]


def test_equality_is_of_whole_rows() -> None:
    s = aj.array([[1, 2], None, [NAN], [0.0], [None]]).to_pandas()
    same = s == s.copy()
    assert same.dtype == "bool[pyarrow]"
    assert same.tolist() == [True, pd.NA, True, True, True]
    assert (s == aj.Row([1, 2])).tolist() == [True, pd.NA, False, False, False]
    assert (s != aj.Row([1, 2])).tolist() == [False, pd.NA, True, True, True]
    with pytest.warns(aj.JagWarning, match="is a list and never equals 5; .jag == 5 compares items"):
        assert (s == 5).tolist() == [False, pd.NA, False, False, False]
    assert (s == s.astype("jagged[float, 2]")).tolist() == same.tolist()
    assert s.equals(s.copy())
    assert not s.equals(s[::-1])
    with pytest.raises(ValueError, match="identically-labeled"):
        s == s[::-1]  # noqa: B015


def test_a_list_of_labels_selects_rows() -> None:
    index = pd.Index(aj.array([[1, 2], [3], None, [3]]).to_pandas(name="v"))
    frame = pd.DataFrame({"x": range(4)}, index=index)
    assert frame.loc[[[3], [1, 2]], "x"].tolist() == [1, 3, 0]
    assert frame.loc[[None, (1, 2)], "x"].tolist() == [2, 0]
    assert frame["x"][[[1, 2]]].tolist() == [0]
    found = frame.loc[[[3]]].index
    assert (found.name, found.dtype) == ("v", index.dtype)
    assert len(frame.loc[[]]) == 0
    for missing in ([[9]], [["x"]], [[1.5]], [3]):
        with pytest.raises(KeyError, match="are in the"):
            frame.loc[missing]
    with pytest.raises(KeyError, match="not in index"):
        frame.loc[[[3], [9]]]


def test_index_of_rows() -> None:
    frame = pd.DataFrame({"v": aj.array([[1, 2], [3], None]).to_pandas(), "x": range(3)}).set_index("v")
    assert frame.loc[aj.Row([3]), "x"] == 1
    assert aj.Row([3]) in frame.index
    assert aj.Row([4]) not in frame.index
    assert frame.index.is_unique
    other = pd.Index(aj.array([[7], [3]]).to_pandas())
    assert frame.reindex(other)["x"].tolist()[1] == 1
    assert items(frame.index.union(other)) == [[1, 2], [3], [7], None]
    assert items(frame.index.intersection(other)) == [[3]]
    assert frame.index.get_indexer(other).tolist() == [-1, 1]
    assert items(frame.sort_index(ascending=False).index) == [[3], [1, 2], None]


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("ndim", [2, 3])
def test_a_list_of_rows_names_labels(repeated: bool, ndim: int) -> None:
    """numpy would make tuples of rows of one length, and a MultiIndex of these."""
    rows: list[Any] = [[1, 2], [3, 4], [5], None, [1, 2] if repeated else []]
    labels = [None if row is None else [row] * (ndim - 1) if ndim == 3 else row for row in rows]
    index = pd.Index(aj.array(labels, ndim=ndim, type="int64"), name="v")
    frame = pd.DataFrame({"x": range(5)}, index=index)
    first, second = (aj.Row(one, pa.int64(), ndim - 1) for one in labels[1:3])
    for keys in ([first], [first, second], [first, first], labels[1:2], labels[1:3], [second, None]):
        places = [1 if key in (first, labels[1]) else 2 if key in (second, labels[2]) else 3 for key in keys]
        assert frame.loc[keys, "x"].tolist() == places
        assert frame.index.get_indexer_for(keys).tolist() == places
        kept = [place for place in range(5) if place not in places]
        assert frame.drop(keys)["x"].tolist() == kept
        if not repeated:
            assert frame.reindex(keys)["x"].tolist() == places
            assert frame.index.drop(keys).equals(index[kept])
    if not repeated:
        assert frame.drop(first)["x"].tolist() == [0, 2, 3, 4]
        assert frame.reindex([first, aj.Row([7] if ndim == 2 else [[7]])])["x"].fillna(-1).tolist() == [1, -1]
        assert frame.index.drop([first, aj.Row([7] if ndim == 2 else [[7]])], errors="ignore").equals(index[[0, 2, 3, 4]])
    with pytest.raises(KeyError, match="not found in axis"):
        frame.drop([aj.Row([7] if ndim == 2 else [[7]])])


@pytest.mark.parametrize("items", [[1], [1, 2], []])
@pytest.mark.parametrize("ndim", [2, 3])
def test_a_row_is_one_label_to_drop(items, ndim):
    nested = items if ndim == 2 else [items]
    other = [7] if ndim == 2 else [[7]]
    index = pd.Index(aj.array([nested, other, nested, None], type="int64", ndim=ndim), name="v")
    frame = pd.DataFrame({"x": range(4), "k": list("abcd")}, index=index)
    row = index.array[0]
    assert frame.drop(row)["x"].tolist() == [1, 3]
    assert frame["x"].drop(index=row).tolist() == [1, 3]
    deep = frame.set_index("k", append=True)
    assert deep.drop(row, level=0)["x"].tolist() == [1, 3]
    assert deep.drop([row, index.array[1]], level="v")["x"].tolist() == [3]
    absent = aj.Row([9] if ndim == 2 else [[9]])
    for dropped in (frame, deep):
        with pytest.raises(KeyError, match="Row"):
            dropped.drop([absent], level=0 if dropped is deep else None)


@pytest.mark.parametrize("method", ["pad", "backfill", "nearest"])
def test_labels_are_found_by_equality_alone(method: str) -> None:
    index = pd.Index(aj.array([[1], [2, 3], [4]]).to_pandas())
    for call in (
        lambda: index.get_indexer(index[:2], method=method),
        lambda: pd.Series([1, 2, 3], index=index).reindex(index[:2], method=method),
    ):
        with pytest.raises(aj.JagError, match=f"method='{method}' is not supported for rows.* Reindex without it, and fill"):
            call()
    assert pd.Series([1, 2, 3], index=index).reindex(index[:2]).tolist() == [1, 2]
