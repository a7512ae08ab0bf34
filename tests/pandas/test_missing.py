"""Values that pandas calls missing in a flat column are null; NaN inside rows is a value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.testing import assert_lists_equal
from tests.hosts import pl

NAN = float("nan")
FLAT = pd.Series([1.0, NAN, 3.0, 4.0], name="k")


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "double[pyarrow]", "object", "Sparse[float64]"])
def test_flat_columns(dtype: str) -> None:
    s = FLAT.astype(dtype)
    assert aj.array(s).to_list() == [1.0, None, 3.0, 4.0]
    assert aj.array(s.array).to_list() == [1.0, None, 3.0, 4.0]
    assert aj.array(pd.Index(s)).to_list() == [1.0, None, 3.0, 4.0]
    assert aj.from_sizes(s, [1, 3]).to_list() == [[1.0], [None, 3.0, 4.0]]
    assert aj.from_parents(s, [0, 0, 1, 1], 2).to_list() == [[1.0, None], [3.0, 4.0]]
    assert aj.from_offsets(s, [0, 2, 4]).to_list() == [[1.0, None], [3.0, 4.0]]
    assert aj.JaggedArray(aj.JaggedShape(2, [2, 2]), s).to_list() == [[1.0, None], [3.0, 4.0]]
    assert s.jag.is_null().tolist() == [False, True, False, False]


def test_sparse_columns_keep_their_type() -> None:
    s = pd.Series(pd.arrays.SparseArray([0, 7, 0]))
    rows = aj.array([[1, 2], [3], None]).to_pandas()
    assert aj.array(s).type == pa.int64()
    assert (rows + s).jag.to_list() == [[1, 2], [10], None]
    assert pd.DataFrame({"k": [1, 1, 2], "s": s}).jag.implode("k")["s"].jag.to_list() == [[0, 7], [0]]
    assert aj.array(pd.Series([True, False], dtype="Sparse[bool]")).to_list() == [True, False]


def test_it_can_be_turned_off_and_on() -> None:
    assert_lists_equal(aj.array(FLAT, nan_to_null=False).to_list(), [1.0, NAN, 3.0, 4.0])
    assert_lists_equal(aj.from_sizes(FLAT, [4], nan_to_null=False).to_list(), [[1.0, NAN, 3.0, 4.0]])
    assert_lists_equal(aj.array(FLAT.to_numpy()).to_list(), [1.0, NAN, 3.0, 4.0])
    assert_lists_equal(aj.array(pa.array(FLAT.to_numpy())).to_list(), [1.0, NAN, 3.0, 4.0])
    assert_lists_equal(aj.array(pl.Series(FLAT.to_numpy())).to_list(), [1.0, NAN, 3.0, 4.0])
    for data in (FLAT.to_numpy(), FLAT.to_numpy().astype(np.float16), pa.chunked_array([[1.0, NAN], [3.0, 4.0]]), FLAT.tolist()):
        assert aj.array(data, nan_to_null=True).to_list() == [1.0, None, 3.0, 4.0]
        assert aj.from_sizes(data, [4], nan_to_null=True).to_list() == [[1.0, None, 3.0, 4.0]]
    assert aj.array(aj.array([1.0, NAN]), nan_to_null=True).to_list() == [1.0, None]


def test_top_level_of_objects() -> None:
    s = pd.Series([[1.0, NAN], None, NAN, pd.NA, pd.NaT, []], dtype=object)
    for x in (aj.array(s), s.jag.fill_null(0.0).jag, s.astype("jagged[double, 2]").jag):
        assert_lists_equal(x.to_list(), [[1.0, NAN], None, None, None, None, []])


def test_nan_inside_rows_is_a_value() -> None:
    x = aj.array([[1.0, NAN], None])
    for made in (
        aj.array(x.to_pandas()),
        aj.array(x.to_pandas(), nan_to_null=True),
        aj.array([[1.0, NAN], None], nan_to_null=True),
    ):
        assert_lists_equal(made.to_list(), [[1.0, NAN], None])


def test_operands() -> None:
    s = pd.Series(aj.array([[1.0, 2.0], [3.0], [], None]))
    k = pd.Series([2.0, NAN, NAN, 1.0])
    assert (s * k).jag.to_list() == [[2.0, 4.0], [None], [], None]
    assert (k - s).jag.to_list() == [[1.0, 0.0], [None], [], None]
    assert (s.jag * k).jag.to_list() == [[2.0, 4.0], [None], [], None]
    assert np.add(s, k).jag.to_list() == [[3.0, 4.0], [None], [], None]
    assert aj.where(s > 1, k, s).jag.to_list() == [[1.0, 2.0], [None], [], None]
    assert aj.coalesce(k, pd.Series([7.0] * 4)).tolist() == [2.0, 7.0, 7.0, 1.0]
    assert (aj.array([[1.0], [2.0], [], [3.0]]) * k).jag.to_list() == [[2.0], [None], [], [3.0]]


def test_alignment() -> None:
    """Rows that a column lacks are null, and whole numbers and booleans beside them stay what they are."""
    s = pd.Series(aj.array([[1], [2], [3]]), index=list("abc"))
    k = pd.Series([2**53 + 1, 10], index=list("ca"))
    assert (s * k).jag.is_null().jag.to_list() == [[False], [True], [False]]
    assert (s.jag * k).jag.to_list() == [[10], [None], [3 * (2**53 + 1)]]
    assert aj.where(pd.Series([True], index=["b"]), s, s * 2).jag.to_list() == [[None], [2], [None]]


def test_implode() -> None:
    df = pd.DataFrame({"k": ["a", "b", "a"], "v": [1.0, 2.0, NAN]})
    assert df.jag.implode("k", "v")["v"].jag.to_list() == [[1.0, None], [2.0]]
    assert_lists_equal(df.jag.implode("k", "v", nan_to_null=False)["v"].jag.to_list(), [[1.0, NAN], [2.0]])


@pytest.mark.parametrize(
    ("data", "type", "expected"),
    [
        ([[NAN, 1.0, None], None, []], pa.float64(), [[None, 1.0, None], None, []]),
        ([[[NAN], None], None], pa.float32(), [[[None], None], None]),
        ([[NAN, 1.0]], pa.float16(), [[None, 1.0]]),
        ([NAN, 1.0], pa.float64(), [None, 1.0]),
        ([[1, None]], pa.int64(), [[1, None]]),
        ([["a", None]], pa.string(), [["a", None]]),
        ([[{"a": NAN, "b": 1}, None]], pa.struct([("a", pa.float64()), ("b", pa.int64())]), [[{"a": None, "b": 1}, None]]),
        ([[NAN, 2.0, NAN]], pa.dictionary(pa.int8(), pa.float64()), [[None, 2.0, None]]),
    ],
)
def test_the_method_on_every_surface(data: Any, type: pa.DataType, expected: Any) -> None:
    leaf = type.value_type if pa.types.is_dictionary(type) else type
    x = aj.array(data, type=leaf)
    x = aj.JaggedArray(x.shape, x.values.dictionary_encode().cast(type)) if pa.types.is_dictionary(type) else x
    assert x.nan_to_null().to_list() == aj.nan_to_null(x).to_list() == expected
    assert x.nan_to_null().type == type
    s = x.to_pandas()
    assert s.jag.nan_to_null().jag.to_list() == aj.nan_to_null(s).jag.to_list() == expected
    if not pa.types.is_float16(type) and not pa.types.is_dictionary(type):
        frame = pl.DataFrame({"v": x.to_polars()})
        for result in (frame.select(pl.col("v").jag.nan_to_null()), frame.lazy().select(aj.nan_to_null(pl.col("v"))).collect()):
            assert aj.array(result["v"]).to_list() == expected


def test_values_without_nan_are_shared() -> None:
    x = aj.array([[1.0, None], [2.0]])
    assert x.nan_to_null().values is x.values


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan, pd.NaT])
@pytest.mark.parametrize("beside", [[], [None], [[1]], [["text"]], [1], [[[1]]]])
def test_a_null_row_is_in_values_with_a_missing_one_whatever_the_others_are(missing, beside):
    s = pd.Series(aj.array([[1], None, [2]]))
    expected = [[1] in beside, True, False]
    assert s.isin([missing, *beside]).tolist() == expected
    assert s.to_frame().isin([missing, *beside])[0].tolist() == expected
    assert not s.isin([one for one in beside if one is not None])[1]


@pytest.mark.parametrize(
    ("column", "items", "type"),
    [
        (pd.Series(["a", None]), ["a", None], pa.string()),
        (pd.Series(["a", None], dtype="string"), ["a", None], pa.string()),
        (pd.Categorical(["a", None]), ["a", None], pa.string()),
        (pd.Series(pd.Categorical([1.5, None])), [1.5, None], pa.float64()),
        (pd.Index(["a", None]), ["a", None], pa.string()),
        (pd.Series([2**53 + 1, None], dtype="Int64"), [2**53 + 1, None], pa.int64()),
        (pd.Series([True, None], dtype="boolean"), [True, None], pa.bool_()),
        (pd.Series(["2020-01-01", None], dtype="datetime64[us]"), [pd.Timestamp("2020-01-01"), None], pa.timestamp("us")),
        (pd.Series([1.5, None], dtype="double[pyarrow]"), [1.5, None], pa.float64()),
        (pd.Series([1.5, float("nan")]), [1.5, float("nan")], pa.float64()),
        (pd.arrays.ArrowExtensionArray(pa.array([1.5, float("nan"), None])), [1.5, float("nan"), None], pa.float64()),
    ],
    ids=lambda one: str(getattr(one, "dtype", "")),
)
def test_missing_items_of_columns_inside_lists(column: Any, items: list[Any], type: pa.DataType) -> None:
    """They are null; NaN among numbers inside lists is a value, as in lists of Python."""
    for data, expected in (([column, None], [items, None]), ([[column]], [[items]])):
        found = aj.array(data)
        assert found.type == type
        assert_lists_equal(found.to_list(), expected)
