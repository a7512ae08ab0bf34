"""`JaggedDtype`: names that read back, equality, promotion."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.pandas import JaggedDtype, JaggedExtensionArray

LEAVES = [
    *(pa.type_for_alias(name) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")),
    *(pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.null()),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(7)),
    *(pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
    *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
    *(pa.timestamp("us", "Europe/Paris"), pa.timestamp("ns", "+02:00"), pa.duration("s"), pa.duration("ns")),
    *(pa.decimal32(5, 2), pa.decimal64(12, 3), pa.decimal128(20, 4), pa.decimal128(10, -2), pa.decimal256(60, 5)),
    *(pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.int64(), ordered=True)),
    pa.month_day_nano_interval(),
    pa.struct([]),
    pa.struct([("a", pa.int64()), ('b "q", >]', pa.string()), ("ü", pa.struct([("x", pa.timestamp("us", "UTC"))]))]),
    pa.struct([pa.field("must", pa.int64(), nullable=False), ("list", pa.list_(pa.large_list(pa.int8())))]),
    pa.struct([("fixed", pa.list_(pa.float32(), 3)), ("map", pa.map_(pa.string(), pa.list_(pa.int64())))]),
    *(pa.list_view(pa.int64()), pa.large_list_view(pa.string()), pa.map_(pa.string(), pa.int64())),
    pa.run_end_encoded(pa.int32(), pa.string()),
    *(pa.uuid(), pa.json_(), pa.bool8()),
]


@pytest.mark.parametrize("leaf", LEAVES, ids=str)
@pytest.mark.parametrize(("ndim", "extents"), [(2, None), (3, (None, 4)), (4, (2, None, 0)), (2, (5,))])
def test_name_reads_back(leaf: pa.DataType, ndim: int, extents: tuple[int | None, ...] | None) -> None:
    dtype = JaggedDtype(leaf, ndim, extents)
    again = JaggedDtype.construct_from_string(dtype.name)
    assert again == dtype
    assert (again.leaf, again.ndim, again.extents) == (leaf, ndim, dtype.extents)
    assert hash(again) == hash(dtype)
    assert pd.api.types.pandas_dtype(dtype.name) == dtype
    assert dtype == dtype.name
    assert pickle.loads(pickle.dumps(dtype)) == dtype


def test_names() -> None:
    assert str(JaggedDtype(pa.float64(), 2)) == "jagged[double, 2]"
    assert str(JaggedDtype("float", 3, (None, 4))) == "jagged[float, 3, extents=(None, 4)]"
    assert JaggedDtype("float64", 2) == JaggedDtype("double", 2)
    assert pd.api.types.pandas_dtype("jagged[float64, 2]") == JaggedDtype("double", 2)


@pytest.mark.parametrize(
    "text",
    [
        "jagged",
        "jagged[]",
        "jagged[double]",
        "jagged[double, 1]",
        "jagged[double, two]",
        "jagged[nothing, 2]",
        "jagged[double, 2] ",
        "jagged[double, 2]x",
        "jagged[double, 3, extents=(4,)]",
        "jagged[double, 2, extents=(-1,)]",
        "jagged[struct<a b: int64>, 2]",
        "jagged[struct<a int64>, 2]",
        "jagged[decimal128(99, 1), 2]",
        'jagged[struct<"a": int64, 2]',
        "jagged[timestamp[years], 2]",
        "jagged[extension<my.own>, 2]",
        "int64",
    ],
)
def test_other_text_is_not_parsed_as_a_name(text: str) -> None:
    if text.endswith(" "):
        assert JaggedDtype.construct_from_string(text) == JaggedDtype("double", 2)
        return
    kind, advice = (ValueError, r"The format is jagged\[LEAF TYPE, NDIM\]") if text.startswith("jagged[") else (TypeError, "")
    with pytest.raises(kind, match=f"Cannot construct a 'JaggedDtype' from.*{advice}") as caught:
        JaggedDtype.construct_from_string(text)
    assert str(caught.value).count("Cannot construct") == 1
    assert JaggedDtype("double", 2) != text


def test_pandas_reports_a_name_that_cannot_be_read() -> None:
    with pytest.raises(aj.JagValueError, match=r"from 'jagged\[dbl, 2\]'.*such as jagged\[double, 2\]"):
        pd.Series([], dtype="jagged[dbl, 2]")


def test_construction_is_checked() -> None:
    with pytest.raises(aj.ShapeError, match="ndim of at least 2"):
        JaggedDtype("double", 1)
    with pytest.raises(aj.ShapeError, match="2 extents, sizes or None"):
        JaggedDtype("double", 3, (4,))
    with pytest.raises(aj.JagTypeError, match="JaggedDtype takes an Arrow type, its name or a numpy dtype first, got 3"):
        JaggedDtype(3, 2)  # type: ignore[arg-type]


def test_different_dtypes_differ() -> None:
    assert JaggedDtype("double", 2) != JaggedDtype("float", 2)
    assert JaggedDtype("double", 2) != JaggedDtype("double", 3)
    assert JaggedDtype("double", 2) != JaggedDtype("double", 2, (3,))
    assert JaggedDtype("double", 2) != "float64"


def test_arrow_types() -> None:
    assert JaggedDtype("float", 3, (None, 4)).arrow_type == JaggedType.of(pa.float32(), 3, (None, None, 4))
    assert JaggedDtype.from_arrow_type(JaggedType.of(pa.int8(), 2)) == JaggedDtype("int8", 2)
    assert JaggedDtype.from_arrow_type(pa.list_(pa.list_(pa.int8(), 2))) == JaggedDtype("int8", 3, (None, 2))
    assert JaggedDtype.from_arrow_type(JaggedType(pa.int8())) == pd.ArrowDtype(pa.int8())


def test_concat_promotes_leaves() -> None:
    ints, floats = aj.array([[1, 2], None]).to_pandas(), aj.array([[0.5]]).to_pandas()
    both = pd.concat([ints, floats], ignore_index=True)
    assert both.dtype == "jagged[double, 2]"
    assert both.jag.to_list() == [[1.0, 2.0], None, [0.5]]
    lists = pd.Series([[1]], dtype=pd.ArrowDtype(pa.list_(pa.int8())))
    assert pd.concat([ints, lists]).dtype == "jagged[int64, 2]"
    assert pd.concat([ints, aj.array([["a"]]).to_pandas()]).dtype == object
    assert pd.concat([ints, aj.array([[[1]]]).to_pandas()]).dtype == object


def test_extents_stay_where_all_declare_them() -> None:
    one = pd.Series([[1, 2]], dtype="jagged[int64, 2, extents=(2,)]")
    ragged = pd.Series([[1]], dtype="jagged[int64, 2]")
    assert pd.concat([one, one]).dtype == one.dtype
    assert pd.concat([one, ragged]).dtype == ragged.dtype
    with pytest.raises(ValueError, match=r"size|extent|items"):
        pd.Series([[1]], dtype=one.dtype)


def test_empty_and_null_columns_have_the_dtype() -> None:
    dtype = JaggedDtype("float", 3, (None, 4))
    assert pd.Series([], dtype=dtype).dtype == dtype
    nulls = pd.Series([None, pd.NA], dtype=dtype)
    assert nulls.isna().all()
    assert nulls.dtype == dtype
    assert JaggedExtensionArray._from_sequence([], dtype=dtype).dtype == dtype
    assert dtype.empty(3).isna().all()


def test_a_list_type_that_does_not_fit_is_refused_by_our_errors() -> None:
    deep = pd.Series([[[1.5]], None], dtype="jagged[double, 3]")
    words = pd.Series([["a"]], dtype="jagged[string, 2]")
    target = pd.ArrowDtype(pa.large_list(pa.int64()))
    with pytest.raises(JagTypeError, match=r"jagged\[double, 3\] can't become large_list<item: int64>: Unsupported cast"):
        deep.astype(target)
    with pytest.raises(JagValueError, match=r"jagged\[string, 2\] doesn.t fit large_list<item: int64>: Failed to parse string"):
        words.astype(target)


def test_types_of_numpy_are_leaf_types() -> None:
    assert aj.pandas.JaggedDtype(float) == aj.pandas.JaggedDtype(np.float64) == aj.pandas.JaggedDtype("double")
    assert aj.pandas.JaggedDtype(np.dtype("M8[s]"), 3).leaf == pa.timestamp("s")
    for wrong in (object, None, 3):
        with pytest.raises(JagTypeError, match=r"^JaggedDtype takes an Arrow type, its name or a numpy dtype first, got "):
            aj.pandas.JaggedDtype(wrong)


def test_names_that_arrow_lacks_are_answered_with_its_own() -> None:
    for name, own in (("int", "int64"), ("datetime64[ns]", "timestamp[ns]"), ("date", "date32[day]")):
        with pytest.raises(JagTypeError, match=re.escape(f"'{name}' is not the name of an Arrow type; write {own}")):
            JaggedDtype(name)
        assert JaggedDtype(own).ndim == 2


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pa.array(["[1]"], pa.large_string()), "large_string; arrowjag.from_json reads"),
        (pa.array([1], pa.int64()), "int64$"),
        (pa.array([b"a"]), "binary$"),
        (pa.array([1], pa.decimal128(5, 2)), r"decimal128\(5, 2\)$"),
        (pa.array([{"a": 1}]), "struct<a: int64>$"),
        (pa.array(["a"]).dictionary_encode(), "dictionary<"),
    ],
)
def test_flat_values_are_no_rows(column: pa.Array, found: str) -> None:
    series = pd.Series(pd.array(column, dtype=pd.ArrowDtype(column.type)))
    with pytest.raises(aj.ShapeError, match=rf"^a row of jagged\[int64, 2\] must be a list, got {found}"):
        series.astype("jagged[int64, 2]")
