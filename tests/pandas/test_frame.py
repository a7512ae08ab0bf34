"""`df.jag.flatten`, `df.jag.implode`, and groupby that adds lists item by item."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagAttributeError
from arrowjag.pandas._groups import AGGREGATIONS


@pytest.fixture
def frame() -> pd.DataFrame:
    deep = aj.array([[["p", "q"], []], None, [["r"], ["s", None]]])
    mid = aj.array([[10, 20], None, [30, 40]])
    return pd.DataFrame(
        {"k": ["a", "b", "c"], "deep": deep.to_pandas().array, "mid": mid.to_pandas().array, "n": [1, 2, 3]}, index=[7, 8, 9]
    )


def test_flatten_expands_shorter_columns(frame: pd.DataFrame) -> None:
    flat = frame.jag.flatten("deep", "mid")
    assert flat.columns.tolist() == ["k", "deep", "mid", "n"]
    assert flat.index.tolist() == [7, 7, 9, 9, 9]
    assert flat["deep"].tolist() == ["p", "q", "r", "s", pd.NA]
    assert flat["mid"].tolist() == [10, 10, 30, 40, 40]
    assert flat["k"].tolist() == ["a", "a", "c", "c", "c"]
    assert flat["mid"].dtype == pd.ArrowDtype(pa.int64())
    assert flat["n"].dtype == frame["n"].dtype


def test_flatten_takes_all_jagged_columns_by_default(frame: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(frame.jag.flatten(), frame.jag.flatten("deep", "mid"))
    one = frame.jag.flatten("mid")
    assert one.index.tolist() == [7, 7, 9, 9]
    assert one["deep"].dtype == frame["deep"].dtype


def test_columns_whose_sizes_differ_are_named() -> None:
    frame = pd.DataFrame({"v": aj.array([[1, 2], [3]]), "w": aj.array([[1], [3]])})
    with pytest.raises(aj.ShapeError, match=r"^columns 'v', 'w': flatten: .*dim 1, row 0 has 1 item here and 2 there"):
        frame.jag.flatten("v", "w")


def test_flatten_takes_plain_columns_and_lists_too(frame: pd.DataFrame) -> None:
    flat = frame.jag.flatten("mid", "n")
    assert flat["n"].tolist() == [1, 1, 3, 3]
    lists = pd.DataFrame({"v": [[1], [2, 3]], "k": [0, 1]}).jag.flatten("v")
    assert lists["v"].tolist() == [1, 2, 3]


def test_columns_that_can_not_be_flattened(frame: pd.DataFrame) -> None:
    with pytest.raises(aj.JagIndexError, match="no column 'x'"):
        frame.jag.flatten("x")
    with pytest.raises(aj.JagValueError, match="no jagged column"):
        frame[["k"]].jag.flatten()
    other = frame.assign(other=aj.array([[1], None, [2, 3]]).to_pandas(index=frame.index))
    with pytest.raises(aj.ShapeError, match="row 0"):
        other.jag.flatten("mid", "other")


def test_rows_too_large_to_repeat_name_their_column() -> None:
    one = aj.arange(1, 2**20)
    df = pd.DataFrame({"k": ["a"], "v": one, "w": one, "x": one})
    with pytest.raises(aj.JagMemoryError, match=r"flatten: each item .* not named, \['w', 'x'\]; name them, too, .* GB"):
        df.jag.flatten("v")
    assert df.jag.flatten("v", "w", "x").shape == (2**20, 4)


def test_implode_and_back() -> None:
    flat = pd.DataFrame({"k": ["b", None, "b", "a"], "j": [1, 1, 1, 2], "v": [1.0, 2.0, 3.0, np.nan], "t": list("wxyz")})
    nested = flat.jag.implode("k", ["v", "t"])
    assert nested.columns.tolist() == ["k", "v", "t"]
    assert nested["k"].isna().tolist() == [False, True, False]
    assert nested["t"].jag.to_list() == [["w", "y"], ["x"], ["z"]]
    assert str(nested["v"].dtype) == "jagged[double, 2]"
    both = flat.jag.implode(["k", "j"])
    assert both["t"].jag.to_list() == [["w", "y"], ["x"], ["z"]]
    assert both["j"].tolist() == [1, 1, 2]
    deeper = nested.assign(g=[0, 0, 1]).jag.implode("g", "t")
    assert deeper["t"].jag.to_list() == [[["w", "y"], ["x"]], [["z"]]]


def test_implode_by_the_index_undoes_flatten(frame: pd.DataFrame) -> None:
    kept = frame.iloc[[0, 2]]
    back = kept.jag.flatten("mid").jag.implode(None, "mid")
    assert back.index.tolist() == [7, 9]
    assert back["mid"].jag.to_list() == kept["mid"].jag.to_list()


def test_no_rows() -> None:
    empty = pd.DataFrame({"k": pd.Series([], dtype="int64"), "v": pd.Series([], dtype="jagged[double, 3]")})
    assert empty.jag.flatten("v")["v"].dtype == pd.ArrowDtype(pa.float64())
    assert str(empty.jag.implode("k")["v"].dtype) == "jagged[double, 4]"


# ------------------------------------------------------------------------------------------------- groups


NUMERIC = sorted(name for name in AGGREGATIONS if name not in ("any", "all") and hasattr(pd.Series([1]).groupby([1]), name))


@pytest.mark.parametrize("name", NUMERIC)
@given(data=st.data())
def test_aggregation_is_the_reduction_across_the_rows_of_each_group(name: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.none() | st.lists(st.none() | st.integers(-5, 5), max_size=3), min_size=1, max_size=8))
    keys = data.draw(st.lists(st.sampled_from([0, 1, None]), min_size=len(rows), max_size=len(rows)))
    frame = pd.DataFrame({"k": pd.array(keys, dtype="Int64"), "v": pd.Series(rows, dtype="jagged[int64, 2]")})
    result = frame.groupby("k")["v"].agg(name)
    for key, group in frame.groupby("k")["v"]:
        expected = getattr(group.jag, AGGREGATIONS[name])(axis=0)
        assert aj.array(expected).equals(result[key].array)


def test_columns_are_named_once(frame: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(frame.jag.flatten(["deep", "mid"]), frame.jag.flatten("deep", "mid"))
    twice = pd.concat([frame, frame[["k"]]], axis=1)
    for call in (lambda: twice.jag.flatten("mid"), twice.jag.flatten, lambda: twice.jag.implode("n")):
        with pytest.raises(aj.JagValueError, match="the frame has two columns 'k'; names must differ"):
            call()
    with pytest.raises(aj.JagValueError, match="column 'k' can't be a key and jagged at once"):
        frame.jag.implode("k", ["n", "k"])


def test_data_that_cannot_be_read_is_named_by_its_column() -> None:
    mixed = pd.Series([[1], ["a"]], dtype=object)
    frame = pd.DataFrame({"k": ["x", "x"], "v": aj.array([[1], [2]]), "o": mixed, 7: [1, "a"]})
    calls = {
        "implode": lambda: frame.jag.implode("k", ["v", "o"]),
        "flatten": lambda: frame.jag.flatten("v", "o"),
        "filter": lambda: frame.jag.filter(frame["v"] > 1, "o"),
        "sort_items": lambda: frame.jag.sort_items("v", "o"),
        "nest": lambda: frame.jag.nest("v", "o", into="s"),
        "describe": lambda: frame.jag.describe("o"),
    }
    for name, call in calls.items():
        with pytest.raises(aj.JagValueError, match=rf"^{name}: column 'o': the item 'a' at \[1\]\[0\] does not fit"):
            call()
    with pytest.raises(aj.JagValueError, match=r"^implode: column 7: the item 'a' at \[1\]"):
        frame.jag.implode("k", [7])
    for call in (lambda: aj.zip(a=frame["v"], b=frame["o"]), frame["o"].jag.sum, frame.groupby("k").jag["o"].sum):
        with pytest.raises(aj.JagValueError, match=r"^column 'o': the item 'a' at"):
            call()
    with pytest.raises(aj.JagValueError, match=r"^the item 'a' at"):
        mixed.jag.sum()


def test_spellings_of_groupby() -> None:
    frame = pd.DataFrame({"k": list("aab"), "v": aj.array([[1, 2], [3], [4]]).to_pandas(), "x": [1, 2, 3]})
    total = [[4, 2], [4]]
    assert frame.groupby("k")["v"].sum().jag.to_list() == total
    assert frame.groupby("k").agg({"v": "sum"})["v"].jag.to_list() == total
    assert frame.groupby("k").agg(t=("v", "sum"), m=("x", "mean"))["t"].jag.to_list() == total
    assert frame.groupby("k").agg({"v": ["sum", "mean"]})[("v", "mean")].jag.to_list() == [[2.0, 2.0], [4.0]]
    assert frame.groupby("k").sum()["x"].tolist() == [3, 3]
    assert frame.groupby("k")["v"].agg(lambda s: aj.Row(s.jag.sum(axis=0))).jag.to_list() == total
    assert frame.groupby("k")["v"].transform("sum").jag.to_list() == [[4, 2], [4, 2], [4]]
    assert frame.groupby("k")["v"].sum(min_count=2).jag.to_list() == [[4, None], [None]]
    assert frame.groupby("k", as_index=False)["v"].sum()["v"].jag.to_list() == total


def test_groups_first_last_and_text() -> None:
    frame = pd.DataFrame({"k": list("aab"), "v": aj.array([None, [3], [4]]).to_pandas(), "t": aj.array([["x"]] * 3).to_pandas()})
    first = frame.groupby("k")["v"].first()
    assert first.dtype == frame["v"].dtype
    assert first.jag.to_list() == [[3], [4]]
    assert frame.groupby("k")["v"].last().jag.to_list() == [[3], [4]]
    assert frame.groupby("k")["v"].nth(0).jag.to_list() == [None, [4]]
    assert frame.groupby("k")["v"].count().tolist() == [1, 1]
    with pytest.raises(TypeError, match="agg function failed"):
        frame.groupby("k")["t"].mean()


@pytest.mark.parametrize("options", [{}, {"min_count": 2}, {"skipna": False}], ids=str)
@pytest.mark.parametrize("name", ["first", "last"])
@given(data=st.data())
def test_first_and_last_rows_are_those_of_a_flat_column(name: str, options: dict[str, Any], data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=8))
    places = [place if data.draw(st.booleans()) else None for place in range(len(keys))]
    rows = pd.Series([None if place is None else [place] for place in places], dtype="jagged[int64, 2]")
    labels = pd.Categorical(keys, ["a", "b", "in no row"])
    groups = pd.DataFrame({"k": labels, "v": rows, "flat": pd.array(places, dtype="Int64")}).groupby("k", observed=False)
    expected = [None if place is pd.NA else [place] for place in getattr(groups["flat"], name)(**options).tolist()]
    assert getattr(groups["v"], name)(**options).jag.to_list() == expected


@pytest.mark.skipif("skipna" not in inspect.signature(pd.core.groupby.GroupBy.sum).parameters, reason="pandas 3.0 has the option")
def test_aggregation_keeps_nulls_that_are_not_skipped() -> None:
    frame = pd.DataFrame({"k": list("aab"), "v": aj.array([[1, None], [3, 4], [None]]).to_pandas()})
    assert frame.groupby("k")["v"].sum(skipna=False).jag.to_list() == [[4, None], [None]]
    assert frame.groupby("k")["v"].sum(skipna=True).jag.to_list() == [[4, 4], [0]]


def test_deep_and_declared_rows() -> None:
    deep = pd.DataFrame({"k": [1, 1], "v": aj.array([[[1], [2, 3]], [[4, 5]]]).to_pandas()})
    assert deep.groupby("k")["v"].sum().jag.to_list() == [[[5, 5], [2, 3]]]
    wide = pd.DataFrame({"k": [1, 2], "v": pd.Series([[1, 2, 3], None], dtype="jagged[int64, 2, extents=(3,)]")})
    total: Any = wide.groupby("k")["v"].sum()
    assert total.jag.to_list()[0] == [1, 2, 3]


# ------------------------------------------------------------------------------------------------- groupby.jag


@pytest.mark.parametrize(
    "name", [*sorted({AGGREGATIONS[name] for name in NUMERIC}), "count", "any", "first", "last", "n_unique", "argmax"]
)
@given(data=st.data())
def test_groupby_jag_is_the_reduction_of_each_group(name: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.none() | st.lists(st.none() | st.integers(-5, 5), max_size=3), min_size=1, max_size=8))
    keys = data.draw(st.lists(st.sampled_from([0, 1, None]), min_size=len(rows), max_size=len(rows)))
    column = pd.Series(rows, dtype="jagged[int64, 2]")
    column = column > 0 if name == "any" else column
    frame = pd.DataFrame({"k": pd.array(keys, dtype="Int64"), "v": column})
    by_item = getattr(frame.groupby("k").jag["v"], name)()
    in_all = getattr(frame.groupby("k").jag["v"], name)(axis=None)
    for key, group in frame.groupby("k")["v"]:
        found = by_item[key]
        assert (found.to_list() if isinstance(found, aj.Row) else found) == aj.array(getattr(group.jag, name)(axis=0)).to_list()
        one = getattr(group.jag, name)(axis=None)
        assert (None if in_all[key] is pd.NA else in_all[key]) == pytest.approx(one)


def test_rows_that_pandas_sorts_by_time_keep_their_arguments() -> None:
    """Weights without labels are those of the rows of the frame, not of the rows that pandas has sorted."""
    t = pd.to_datetime(["2024-01-03", "2024-01-01", None, "2024-01-01", "2024-01-03"])
    v, w = [[4.0], [1.0], [9.0], [3.0], [8.0]], [[1.0], [1.0], [5.0], [3.0], [3.0]]
    frame = pd.DataFrame({"t": t, "k": list("abbab"), "v": aj.array(v), "w": aj.array(w)})
    dated = frame.dropna().set_index("t")
    by_day = pd.Grouper(key="t", freq="1D")
    for groups, rows in (
        (frame.groupby(by_day), frame),
        (frame.resample("1D", on="t"), frame),
        (frame.iloc[::-1].resample("1D", on="t"), frame.iloc[::-1]),
        (dated.groupby(pd.Grouper(freq="1D")), dated),
        (dated.resample("1D"), dated),
    ):
        for weights in (aj.array(rows["w"]), rows["w"].tolist()):
            mean = groups.jag["v"].mean(weights=weights, axis=None)
            assert mean.tolist() == [2.5, pd.NA, 7.0]
            assert mean.index.tolist() == list(pd.date_range("2024-01-01", "2024-01-03"))
    assert frame.resample("1D", on="t").jag["v"].mean(weights=frame["w"], axis=None).tolist() == [2.5, pd.NA, 7.0]
    with pytest.raises(ValueError, match="duplicate"):
        dated.resample("1D").jag["v"].mean(weights=dated["w"], axis=None)
    both = frame.groupby(["k", by_day]).jag["v"].mean(weights=w, axis=None)
    assert dict(zip([f"{key}{day.day}" for key, day in both.index], both.tolist(), strict=True)) == {
        "a1": 3.0,
        "a3": 4.0,
        "b1": 1.0,
        "b3": 8.0,
    }
    assert frame.resample("1D", on="t")["v"].jag.sum().jag.to_list() == [[4.0], [], [12.0]]
    assert frame.resample("1D", on="t").jag.sum().columns.tolist() == ["v", "w"]
    with pytest.raises(aj.JagTypeError, match=r"groupby\(key\)\.resample.*pandas\.Grouper\(freq=freq\)\]\)\.jag"):
        dated.groupby("k").resample("1D").jag  # noqa: B018


def test_spellings_of_groupby_jag() -> None:
    frame = pd.DataFrame({"k": list("aab"), "j": [1, 1, 2], "v": aj.array([[1, 2], [3], [4]]), "x": [1, 2, 3]})
    total = [[4, 2], [4]]
    assert frame.groupby("k").jag["v"].sum().jag.to_list() == total
    assert frame.groupby("k").jag["v"].sum().index.tolist() == ["a", "b"]
    assert frame.groupby("k")["v"].jag.sum().jag.to_list() == total
    assert frame["v"].groupby(frame["k"]).jag.sum().jag.to_list() == total
    assert frame.groupby("k").jag.sum().columns.tolist() == ["v"]
    both = frame.groupby(["k", "j"]).jag[["v", "x"]].sum(axis=None)
    assert both["v"].tolist() == [6, 4]
    assert both["x"].tolist() == [3, 3]
    assert both.index.names == ["k", "j"]
    flat = frame.groupby("k", as_index=False).jag["v"].quantile(0.5, axis=None)
    assert flat.columns.tolist() == ["k", "v"]
    assert flat["v"].tolist() == [2.0, 4.0]
    assert frame.groupby("k", sort=False).jag["x"].sum().tolist() == [3, 3]
    assert frame.groupby("k").jag["v"].sum(min_count=2).jag.to_list() == [[4, None], [None]]
    texts = frame.assign(t=aj.array([["p", "q"], ["r"], ["s"]])).groupby("k").jag["t"]
    assert texts.join("-").jag.to_list() == [["p-r", "q"], ["s"]]
    structs = frame.assign(s=aj.zip(a=aj.array([[1, 2], [3], [4]]), b=1)).groupby("k").jag
    assert structs["s.a"].sum().jag.to_list() == total
    assert {"sem", "skew", "kurt"} <= AGGREGATIONS.keys()
    assert frame.groupby("k")["v"].sem(ddof=0).jag.to_list() == frame.groupby("k").jag["v"].sem(ddof=0).jag.to_list()
    for name, ours in (("nunique", "n_unique"), ("kurt", "kurtosis"), ("idxmax", "argmax")):
        with pytest.raises(JagAttributeError, match=rf"has no '{name}'; write groupby\.jag\[column\]\.{ours}\(\)$"):
            getattr(frame.groupby("k").jag["v"], name)


def test_groupby_jag_aligns_other_columns_by_index() -> None:
    frame = pd.DataFrame({"k": list("aba"), "v": aj.array([[1, 2], [3], [4]])}, index=["x", "y", "z"])
    weights = aj.array([[10], [20], [30, 40]]).to_pandas(index=["z", "y", "x"])
    groups = frame.groupby("k").jag["v"]
    assert groups.dot(weights, axis=None).tolist() == [1 * 30 + 2 * 40 + 4 * 10, 60]
    assert groups.dot(aj.array([[30, 40], [20], [10]]), axis=None).tolist() == [150, 60]
    assert groups.dot(weights.jag, axis=None).tolist() == [150, 60]
    with pytest.raises(aj.ShapeError, match=r"groupby\.jag\.dot: the argument has 2 rows, the frame 3"):
        groups.dot(aj.array([[30, 40], [20]]), axis=None)


def test_groupby_jag_counts_and_looks_for_items() -> None:
    frame = pd.DataFrame({"k": list("aab"), "v": aj.array([[1, 2], [3], [4]])})
    groups = frame.groupby("k").jag["v"]
    for edges in ([0, 2, 5], pd.Series([0, 2, 5])):
        assert groups.histogram(edges, axis=None).jag.to_list() == [[1, 2], [0, 1]]
    assert groups.histogram(1, axis=None).jag["counts"].jag.to_list() == [[3], [1]]
    assert groups.contains(4).jag.to_list() == [[False, False], [True]]
    assert groups.contains(3, axis=None).tolist() == [True, False]
    with pytest.raises(AttributeError, match=r"no 'get', only reductions .*; it changes rows one by one"):
        groups.get(0)


def test_groupby_jag_and_categories() -> None:
    keys = pd.Categorical(["b", None, "b"], categories=["a", "b"])
    frame = pd.DataFrame({"k": keys, "v": aj.array([[1], [2], [3]])})
    assert frame.groupby("k", observed=False).jag["v"].sum().jag.to_list() == [[], [4]]
    assert frame.groupby("k", observed=True, dropna=False).jag["v"].sum().jag.to_list() == [[4], [2]]


def test_groupby_jag_rejects_invalid_arguments() -> None:
    frame = pd.DataFrame({"k": list("aab"), "v": aj.array([[1, 2], [3], [4]]), "jag": [1, 2, 3]})
    assert frame.groupby("k")["jag"].sum().tolist() == [3, 3]
    with pytest.raises(aj.JagValueError, match=r"axis must be 0, item by item across the rows of a group, or None, .* got -1"):
        frame.groupby("k").jag["v"].sum(axis=-1)
    with pytest.raises(aj.JagIndexError, match="no column 'w'"):
        frame.groupby("k").jag["w"]
    with pytest.raises(aj.JagAttributeError, match=r"no 'sort', only reductions .*; it changes rows one by one"):
        frame.groupby("k").jag["v"].sort()
    with pytest.raises(AttributeError, match="no 'nix'"):
        _ = frame.groupby("k").jag.nix
    with pytest.raises(aj.JagTypeError, match="no jagged column; name one"):
        frame[["k", "jag"]].groupby("k").jag.sum()


def test_a_second_column_to_implode_is_no_option() -> None:
    df = pd.DataFrame({"k": ["a"], "v": [1], "n": [2]})
    with pytest.raises(TypeError, match="positional arguments"):
        df.jag.implode("k", "v", "n")
    assert df.jag.implode("k", ["v", "n"]).columns.tolist() == ["k", "v", "n"]


def test_implode_takes_columns_named_twice_once() -> None:
    once = pd.DataFrame({"k": [1], "v": [2]}).jag.implode(["k", "k"], ["v", "v"])
    assert list(once.columns) == ["k", "v"]
    assert once["v"].tolist() == [[2]]
