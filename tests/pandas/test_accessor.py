"""`.jag` on Series: made from the method table, with index and name."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._methods import METHODS
from arrowjag.pandas import SeriesJag, frame_from_table

ROWS = [[1, 2], None, [], [3, None]]


@pytest.fixture
def s() -> pd.Series[Any]:
    return aj.array(ROWS).to_pandas(index=list("abcd"), name="v")


# ------------------------------------------------------------------------------------------------- completeness


def test_every_public_name_of_the_class_exists() -> None:
    names = {name for name in dir(aj.JaggedArray) if not name.startswith("_")}
    assert names <= {name for name in dir(SeriesJag) if not name.startswith("_")}


def test_completion_signatures_and_docstrings_come_from_the_core(s: pd.Series[Any]) -> None:
    for name, method in METHODS.items():
        space, _, short = name.rpartition(".")
        owner: Any = getattr(SeriesJag, space) if space else SeriesJag
        assert short in dir(getattr(s.jag, space) if space else s.jag)
        made = inspect.getattr_static(owner, short)
        assert made.__doc__ == method.function.__doc__
        if not method.is_property:
            assert inspect.signature(made) == method.signature


def test_facts(s: pd.Series[Any]) -> None:
    assert s.jag.shape == aj.JaggedShape(4, [2, 0, 0, 2])
    assert (s.jag.ndim, s.jag.size, s.jag.null_count, s.jag.type) == (2, 4, 1, pa.int64())
    assert s.jag.values.equals(pa.array([1, 2, 3, None]))
    assert s.jag.nbytes == aj.array(ROWS).nbytes
    assert len(s.jag) == 4
    assert list(aj.array([[{"a": 1}]]).to_pandas().jag.fields) == ["a"]
    assert s.jag.to_list() == ROWS
    assert s.jag.to_arrow().equals(aj.array(ROWS).to_arrow())
    assert "4 rows" in repr(s.jag)


# ------------------------------------------------------------------------------------------------- results


def test_rows_that_stay_keep_index_and_name(s: pd.Series[Any]) -> None:
    for result in (s.jag.abs(), s.jag.is_null(), s.jag.is_null(axis=0), s.jag.lengths(), s.jag.flatten(1), s.jag.sum()):
        assert result.index.equals(s.index)
        assert result.name == "v"


def test_results_keep_attrs_and_flags(s: pd.Series[Any]) -> None:
    """As those of pandas do: most calls lost them."""
    other = s.copy()
    s.attrs["unit"] = {"of": ["m"]}
    results: list[Any] = [
        s.jag.sum(),
        s.jag * 2,
        2 + s.jag,
        s.jag == other,
        s.jag[s > 1],
        s.jag[1:],
        s.jag.S[0],
        s.jag.flatten(),
        s * 2,
    ]
    results += [s.jag.group_by(s), aj.where(s > 1, s, 0), aj.stack([s, s]), s.jag.rolling(2).sum(), np.add(s.jag, other)]
    df = pd.DataFrame({"k": list("aabb"), "v": s, "x": s})
    df.attrs = s.attrs
    grouped = df.groupby("k").jag
    results += [
        df.jag.flatten("v"),
        df.jag.implode("k"),
        df.jag.nest("v", "x", into="s"),
        df.jag.filter(s > 1, "v"),
        grouped["v"].sum(),
    ]
    results += [grouped.max(), *s.jag.__divmod__(2)]
    for one in results:
        assert one.attrs == {"unit": {"of": ["m"]}}
        one.attrs["unit"]["of"].append("n")
    assert s.attrs == {"unit": {"of": ["m"]}}
    assert aj.coalesce(s, other).attrs == other.jag.sum().attrs == {}
    assert not s.set_flags(allows_duplicate_labels=False).jag.sum().flags.allows_duplicate_labels
    with pytest.raises(ValueError, match="duplicates"):
        df.set_flags(allows_duplicate_labels=False).jag.flatten("v")


def test_one_dim_is_an_ordinary_column(s: pd.Series[Any]) -> None:
    total = s.jag.sum()
    assert total.dtype == pd.ArrowDtype(pa.int64())
    assert total.tolist() == [3, pd.NA, 0, 3]
    assert (total + 1).tolist() == [4, pd.NA, 1, 4]


def test_rows_that_move_get_a_new_index(s: pd.Series[Any]) -> None:
    flat = s.jag.flatten()
    assert flat.tolist() == [1, 2, 3, pd.NA]
    assert flat.index.equals(pd.RangeIndex(4))
    assert s.jag.sum(axis=0).tolist() == [4, 2]
    assert s.jag.reshape(2, -1).jag.to_list() == [[1, 2], [3, None]]


def test_no_rows_left_is_a_python_value(s: pd.Series[Any]) -> None:
    assert s.jag.sum(axis=None) == 6
    assert type(s.jag.sum(axis=None)) is int
    assert aj.array([[pd.Timestamp("2024-01-01")]]).to_pandas().jag.max(axis=None) == pd.Timestamp("2024-01-01")
    assert s.jag.flatten().jag.sum() == 6


def test_errors_are_those_of_the_core(s: pd.Series[Any]) -> None:
    with pytest.raises(aj.JagIndexError, match="axis 5"):
        s.jag.is_null(axis=5)
    with pytest.raises(TypeError, match="unexpected keyword"):
        s.jag.abs(axes=3)
    with pytest.raises(AttributeError, match=r"^\.jag has no 'nothing'"):
        s.jag.nothing()


def test_helpers_give_series(s: pd.Series[Any]) -> None:
    windows = s.jag.rolling(2).sum()
    assert windows.index.equals(s.index)
    assert windows.jag.to_list() == aj.array(ROWS).rolling(2).sum().to_list()


# ------------------------------------------------------------------------------------------------- arguments


def test_series_arguments_are_aligned_to_this_one(s: pd.Series[Any]) -> None:
    lower = pd.Series([9, 2], index=["z", "a"])
    clipped = s.jag.clip(lower=lower)
    assert clipped.index.equals(s.index)
    assert clipped.jag.to_list() == [[2, 2], None, [], [3, None]]
    filler = aj.array([[7], [8]]).to_pandas(index=["b", "q"])
    assert s.jag.fill_null_rows(filler).jag.to_list() == [[1, 2], [7], [], [3, None]]
    mask = (s > 1)[::-1]
    assert s.jag.filter(mask).jag.to_list() == [[2], None, [], [3]]
    assert s.jag.fill_null(pd.Series([5, 6], index=["d", "a"])).jag.to_list() == [[1, 2], None, [], [3, 5]]


def test_a_flat_set_is_not_aligned(s: pd.Series[Any]) -> None:
    wanted = pd.Series([3, 2, 8, 9, 10, 11])
    assert s.jag.is_in(wanted).jag.to_list() == s.array._jagged.is_in([3, 2, 8, 9, 10, 11]).to_list()


def test_a_table_to_translate_by_is_paired_by_its_labels(s: pd.Series[Any]) -> None:
    keys, values = pd.Series([3, 1, 2], index=[5, 6, 7]), pd.Series(["one", "three"], index=[6, 5])
    expected = [["one", None], None, [], ["three", None]]
    assert s.jag.translate(keys, values).jag.to_list() == expected
    assert s.jag.translate(values_from=values, keys_from=keys).jag.to_list() == expected
    assert s.jag.translate(keys, ["three", "one", "two"]).jag.to_list() == [["one", "two"], None, [], ["three", None]]
    assert s.jag.translate([1, 3], values).jag.to_list() == [["one", None], None, [], ["three", None]]
    assert s.jag.translate(keys, values).index.equals(s.index)


def test_rows_of_tables_follow_the_rows_of_the_column(s: pd.Series[Any]) -> None:
    keys = aj.array([[3], [1], [2], [9]]).to_pandas(index=list("dabc"))
    values = aj.array([["d"], ["a"], ["b"], ["c"]]).to_pandas(index=list("dabc"))
    assert s.jag.translate(keys, values).jag.to_list() == [["a", None], None, [], ["d", None]]


def test_pictures(s: pd.Series[Any]) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert s.jag.plot.sizes().get_title(loc="left") == s.array._jagged.plot.sizes().get_title(loc="left")
    assert {"sizes", "rows", "values", "shape"} <= set(dir(s.jag.plot))


def test_reshape_as_another_frames_rows(s: pd.Series[Any]) -> None:
    other = aj.array([[1, 2, 3, 4]]).to_pandas(index=["x"])
    assert s.jag.reshape_as(other).jag.to_list() == [[1, 2, 3, None]]


def test_fields_of_structs(s: pd.Series[Any]) -> None:
    both = aj.zip(a=s, b=s * 10)
    assert isinstance(both, pd.Series)
    assert both.index.equals(s.index)
    assert both.jag["b"].jag.to_list() == [[10, 20], None, [], [30, None]]
    assert both.jag["b"].name == "v"
    more = both.jag.with_fields(c=pd.Series([7, 8, 9], index=["a", "c", "d"]))
    assert more.jag["c"].jag.to_list() == [[7, 7], None, [], [9, 9]]


# ------------------------------------------------------------------------------------------------- indexing


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ((slice(None), 0), "aligned"),
        ((slice(None), slice(0, 1)), [[1], None, [], [3]]),
        ((Ellipsis, slice(1, None)), [[2], None, [], [None]]),
        (Ellipsis, ROWS),
    ],
)
def test_keys_that_leave_the_rows(s: pd.Series[Any], key: Any, expected: Any) -> None:
    if expected == "aligned":
        s = s[["a", "d"]]
        result = s.jag[key]
        assert result.tolist() == [1, 3]
    else:
        result = s.jag[key]
        assert result.jag.to_list() == expected
    assert result.index.equals(s.index)
    assert result.name == "v"


def test_keys_that_move_the_rows(s: pd.Series[Any]) -> None:
    assert s.jag[[3, 0]].jag.to_list() == [[3, None], [1, 2]]
    assert s.jag[[3, 0]].index.equals(pd.RangeIndex(2))
    assert s.jag[1:].jag.to_list() == ROWS[1:]
    assert s.jag[0].tolist() == [1, 2]
    assert s.jag[3, 0] == 3


def test_jagged_keys(s: pd.Series[Any]) -> None:
    kept = s.jag[s.jag > 1]
    assert kept.jag.to_list() == [[2], None, [], [3]]
    assert kept.index.equals(s.index)
    picked = s.jag[aj.array([[1, 0], None, [], [0]]).to_pandas(index=s.index)]
    assert picked.jag.to_list() == [[2, 1], None, [], [3]]


def test_keys_find_their_rows_by_label(s: pd.Series[Any]) -> None:
    turned = s.iloc[::-1]
    assert s.jag[turned.jag > 1].jag.to_list() == [[2], None, [], [3]]
    assert s.jag[turned > 1].index.equals(s.index)
    some = pd.Series([True, False, True, False], index=turned.index)  # d and b
    assert s.jag[some].jag.to_list() == [None, [3, None]]
    assert s.jag[some.iloc[:1]].jag.to_list() == [[3, None]]
    assert s.jag[some.to_numpy()].jag.to_list() == [[1, 2], []]
    assert s.jag[pd.Series([3, 0], index=["a", "b"])].jag.to_list() == [[3, None], [1, 2]]  # flat places count rows
    places = pd.Series([0, 5, 0, 1], index=turned.index)  # one a row
    assert s.jag.S[places].tolist() == [2, pd.NA, pd.NA, 3]
    picked = s.jag[aj.array([[0], [], None, [1, 0]]).to_pandas(index=turned.index)]
    assert picked.jag.to_list() == [[2, 1], None, [], [3]]


def test_koda_indexing(s: pd.Series[Any]) -> None:
    for first in (s.jag.S[0], s.jag.S[:, 0], s.jag.S[..., 0]):
        assert first.tolist() == [1, pd.NA, pd.NA, 3]
        assert first.index.equals(s.index)
    rows = aj.array([[3], [2], [1], [0]])
    for moved in (s.jag.S[1:, ...], s.jag.S[rows, ...], s.jag.S[rows, 0], s.jag.S[aj.array([0, 1, 2, 3]) :, ...]):
        assert isinstance(moved.index, pd.RangeIndex)


# ------------------------------------------------------------------------------------------------- operators


def test_operators_are_all_elementwise(s: pd.Series[Any]) -> None:
    assert (s.jag == s).jag.to_list() == [[True, True], None, [], [True, None]]
    assert (s.jag != 2).jag.to_list() == [[True, False], None, [], [True, None]]
    assert (s.jag + s).jag.to_list() == [[2, 4], None, [], [6, None]]
    assert (s + s.jag).jag.to_list() == [[2, 4], None, [], [6, None]]
    assert (s == s.jag).jag.to_list() == [[True, True], None, [], [True, None]]
    assert (10 - s.jag).jag.to_list() == [[9, 8], None, [], [7, None]]
    assert (s.jag * pd.Series([5], index=["a"], dtype="int64[pyarrow]")).jag.to_list() == [[5, 10], None, [], [None, None]]
    assert (-s.jag).jag.to_list() == [[-1, -2], None, [], [-3, None]]
    assert (~(s.jag > 1)).jag.to_list() == [[True, False], None, [], [False, None]]
    assert np.sqrt(s.jag).name == "v"
    assert np.add(1, s.jag).jag.to_list() == (s + 1).jag.to_list()


def test_truth_is_ambiguous(s: pd.Series[Any]) -> None:
    with pytest.raises(TypeError, match="ambiguous"):
        bool(s.jag)


# ------------------------------------------------------------------------------------------------- kinds of Series


@pytest.mark.parametrize(
    "series",
    [
        aj.array(ROWS).to_pandas(),
        pd.Series(ROWS, dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
        pd.Series(ROWS, dtype=pd.ArrowDtype(pa.large_list(pa.int64()))),
        pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([aj.array(ROWS).to_arrow()]))),
        pd.Series(ROWS, dtype=object),
        pd.Series([np.array([1, 2]), pd.NA, (), [3, None]], dtype=object),
        aj.array(ROWS).to_pandas().astype(object),
    ],
    ids=lambda series: str(series.dtype),
)
def test_series_of_lists(series: pd.Series[Any]) -> None:
    assert series.jag.to_list() == ROWS
    assert series.jag.abs().dtype == "jagged[int64, 2]"


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, 2]),
        pd.Series([1, 2], dtype="Int32"),
        pd.Series([1.5, None], dtype="double[pyarrow]"),
        pd.Series(["a", None], dtype="str"),
        pd.Series(["a", "b"], dtype="string[pyarrow]"),
        pd.Series(["a", "b"], dtype="category"),
        pd.Series(pd.to_datetime(["2024-01-01", None])),
        pd.Series(pd.to_datetime(["2024-01-01", None]).tz_localize("Europe/Paris")),
        pd.Series([True, None], dtype="boolean"),
    ],
    ids=lambda series: str(series.dtype),
)
def test_plain_series_have_one_dim(series: pd.Series[Any]) -> None:
    assert series.jag.ndim == 1
    missing = series.jag.is_null()
    assert missing.tolist() == series.isna().tolist()
    assert missing.index.equals(series.index)


def test_a_series_that_changes_is_read_anew(s: pd.Series[Any]) -> None:
    before = s.jag.sum().tolist()
    s.iloc[0] = [100]
    assert s.jag.sum().tolist()[0] == 100
    assert before[0] == 3


# ------------------------------------------------------------------------------------------------- free functions


def test_free_functions_take_series(s: pd.Series[Any]) -> None:
    chosen = aj.where(s > 1, s, 0)
    assert chosen.jag.to_list() == [[0, 2], None, [], [3, None]]
    assert chosen.index.equals(s.index)
    assert chosen.name == "v"
    filled = aj.coalesce(s, aj.array([[9]]).to_pandas(index=["b"]))
    assert filled.jag.to_list() == [[1, 2], [9], [], [3, None]]
    assert aj.apply("negate", s).jag.to_list() == [[-1, -2], None, [], [-3, None]]
    assert aj.apply("add", s, pd.Series([1, 1], index=["d", "a"])).jag.to_list()[0] == [2, 3]
    weights = pd.Series([10, 20, 30, 40], index=list("dcba"))
    one, two = aj.align(s, weights)
    assert one.jag.to_list() == ROWS
    assert two.jag.to_list() == [[40, 40], None, [], [10, 10]]
    assert aj.zip(a=s, w=weights).jag["w"].jag.to_list() == [[40, 40], None, [], [10, 10]]


def test_laying_end_to_end_does_not_align(s: pd.Series[Any]) -> None:
    both = aj.concat([s, s[["a"]]])
    assert both.jag.to_list() == [*ROWS, [1, 2]]
    assert both.index.equals(pd.RangeIndex(5))
    within = aj.concat([s, s[::-1]], axis=1)
    assert within.jag.to_list() == [[1, 2, 1, 2], None, [], [3, None, 3, None]]
    assert within.index.equals(s.index)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack_pairs_rows_by_label_along_every_axis(s: pd.Series[Any], axis: int) -> None:
    reversed_labels = s[::-1]
    stacked = aj.stack([s, reversed_labels], axis=axis)
    assert stacked.jag.to_list() == aj.stack([aj.array(ROWS), aj.array(ROWS)], axis=axis).to_list()
    assert stacked.index.equals(s.index if axis else pd.RangeIndex(2))
    weights = pd.Series([10, 20, 30, 40], index=list("dcba"))
    assert aj.stack([s, weights], axis=axis).jag.to_list() == aj.stack([aj.array(ROWS), [40, 30, 20, 10]], axis=axis).to_list()


@pytest.mark.parametrize("leaf", [pa.string_view(), pa.binary_view()])
def test_flat_results_of_views_can_be_used(leaf: pa.DataType) -> None:
    """pandas can neither print nor select views of text, which polars passes on."""
    items = pa.array([["a", "b"], None, ["c" * 30], []], pa.list_(pa.string())).cast(pa.list_(leaf))
    s = aj.from_arrow(items).to_pandas(name="v")
    large = s.jag.cast(pa.large_string() if pa.types.is_string_view(leaf) else pa.large_binary())
    structs = aj.zip(k=s)
    assert s.dtype.leaf == leaf
    flats = {
        "first": (s.jag.first(), large.jag.first()),
        "explode": (s.explode(), large.explode()),
        "flatten": (s.to_frame().jag.flatten("v")["v"], large.to_frame().jag.flatten("v")["v"]),
        "one dim": (s.jag.flatten().jag.to_pandas(), large.jag.flatten().jag.to_pandas()),
        "fields": (structs.jag["k"].jag.first(), large.jag.first()),
    }
    for found, expected in flats.values():
        pd.testing.assert_series_equal(found, expected, check_names=False)
        assert repr(found.iloc[::-1]) == repr(expected.rename(found.name).iloc[::-1])
    assert repr(structs.jag.first())


def test_flat_structs_that_hold_views_at_any_depth_can_be_selected() -> None:
    view = pa.string_view()
    types = {"map": pa.map_(view, view), "list": pa.large_list(view), "two": pa.list_(view, 2), "struct": pa.struct([("a", view)])}
    item = {"map": [("a", "b"), ("c", None)], "list": ["a"], "two": ["a", None], "struct": {"a": None}}
    s = aj.from_arrow(pa.array([[item, None], [None], [], None], pa.list_(pa.struct(types.items())))).to_pandas()
    assert s.jag.first().iloc[[3, 0, 1]].jag.to_list() == [None, item, None]


def test_frames_of_arrow_hold_no_views_in_flat_columns() -> None:
    texts, data = pa.array(["a", None], pa.string_view()), pa.array([b"a", None], pa.binary_view())
    table = pa.table({"t": texts, "b": data, "s": pa.StructArray.from_arrays([texts, data], ["t", "b"])})
    frame = frame_from_table(table)
    assert frame.iloc[::-1].to_dict("list")["b"] == [None, b"a"]
    assert frame["s"].dtype == pd.ArrowDtype(pa.struct({"t": pa.large_string(), "b": pa.large_binary()}))
    assert repr(frame.iloc[::-1])


PAIRS_OF_LABELS = {
    "repeated": (list("aab"), list("bac")),
    "repeated in both": (list("abab"), list("ab")),
    "levels": (pd.MultiIndex.from_product([list("ab"), [1, 2]], names=["x", "y"]), pd.Index(list("ba"), name="x")),
    "swapped levels": (
        pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", "y"]),
        pd.MultiIndex.from_tuples([(2, "b"), (3, "a")], names=["y", "x"]),
    ),
    "missing": ([1.0, float("nan")], [float("nan"), 2.0]),
    "names": (pd.Index([1, 2], name="x"), pd.Index([2, 3], name="y")),
}


@pytest.mark.parametrize("labels", PAIRS_OF_LABELS)
@pytest.mark.parametrize("plain", [False, True])
def test_operands_are_aligned_as_pandas_aligns_them(labels: str, plain: bool) -> None:
    left, right = (pd.Series(np.arange(1.0, 1 + len(index)), index=index) for index in PAIRS_OF_LABELS[labels])
    expected = left + right * 10
    rows = [one.jag.unsqueeze(1) for one in (left, right * 10)]
    second = right * 10 if plain else rows[1]
    for found in (rows[0].jag + second, aj.apply("add", rows[0], second), rows[0] + rows[1].jag):
        pd.testing.assert_index_equal(found.index, expected.index)
        assert found.jag.sum(min_count=1).fillna(float("nan")).astype("float64").equals(expected)
