"""Ordered categories compare and sort by the position of their label, and keep their type."""

from __future__ import annotations

import datetime as dt
import decimal
import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._methods import METHODS
from arrowjag._ops.elementwise import Categories
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.testing import LEAF_KINDS, assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, as_list
from tests.fuzz.calls import CALLS
from tests.hosts import pd, pl
from tests.surfaces import SURFACES, plain

WORDS = ["mid", "low", "top"]
"""Not in the order of the alphabet."""
INDEXES = [pa.int8(), pa.uint16(), pa.int64()]


def labels(codes: Any, ndim: int) -> Any:
    return ref.at_depth(lambda code: None if code is None else WORDS[code], codes, ndim)


def categories(codes: aj.JaggedArray, index: pa.DataType = INDEXES[0], ordered: bool = True) -> aj.JaggedArray:
    values = pa.DictionaryArray.from_arrays(codes.values.cast(index), pa.array(WORDS), ordered=ordered)
    return aj.JaggedArray(codes.shape, values)


@st.composite
def coded(draw: Any) -> tuple[aj.JaggedArray, aj.JaggedArray]:
    """Codes, and the ordered categories that they stand for."""
    codes = draw(jagged_arrays(draw(st.integers(1, 3)), pa.int8(), small=True)) % 3
    return codes, categories(codes, draw(st.sampled_from(INDEXES)))


ORDERED = [name for name, call in CALLS.items() if "category" in (call.kinds or LEAF_KINDS)]
REDUCTIONS = [name for name in ORDERED if name in ref.GROUP or name in ref.SLOTS]


def keeps_items(name: str) -> bool:
    """Whether a method without arguments gives items of its array, in rows, and has an oracle of its name."""
    if name not in METHODS or METHODS[name].seeded or name in REDUCTIONS or not hasattr(ref, name):
        return False
    for function, operands in ((METHODS[name].function, 1), (getattr(ref, name), 2)):
        if any(one.default is one.empty for one in list(inspect.signature(function).parameters.values())[operands:]):
            return False
    result = getattr(aj.array([[1]], type=pa.int8()), name)()
    return isinstance(result, aj.JaggedArray) and result.type == pa.int8()


KEEPS = [name for name in ORDERED if keeps_items(name)]


def test_the_table_of_calls_names_methods_of_categories() -> None:
    assert {"max", "argmin", "mode", "n_unique"} <= set(REDUCTIONS)
    assert {"sort", "unique", "cummax", "ffill"} <= set(KEEPS)


@given(st.data())
def test_reductions_at_every_axis(data: st.DataObject) -> None:
    """Operations that keep the type of the codes keep the type of the categories, and return the label of the code."""
    codes, x = data.draw(coded())
    axis = data.draw(any_axis(x.ndim))
    for name in REDUCTIONS:
        got, of_codes = getattr(x, name)(axis), getattr(codes, name)(axis)
        picks = of_codes.type == codes.type
        expected = ref.reduction(name, codes.to_list(), x.ndim, axis, extents=x.shape.extents)
        levels = got.ndim if isinstance(got, aj.JaggedArray) else 0
        assert as_list(got) == (labels(expected, levels) if picks else expected), name
        assert got.type == (x.type if picks else of_codes.type), name


@given(coded())
def test_methods_that_keep_items(pair: tuple[aj.JaggedArray, aj.JaggedArray]) -> None:
    codes, x = pair
    for name in KEEPS:
        got, expected = getattr(x, name)(), getattr(ref, name)(codes.to_list(), x.ndim)
        assert got.to_list() == labels(expected, got.ndim), name
        assert got.type == x.type, name
    assert x.sort(descending=True).to_list() == labels(ref.sort(codes.to_list(), x.ndim, descending=True), x.ndim)
    assert x.topk(2).to_list() == labels(ref.topk(codes.to_list(), x.ndim, 2), x.ndim)
    assert x.rolling(2).max().to_list() == labels(ref.rolling("max", codes.to_list(), x.ndim, 2), x.ndim)
    for method in ("dense", "min", "ordinal"):
        assert x.rank(method).to_list() == ref.rank(codes.to_list(), x.ndim, method)


@given(st.data())
def test_comparisons(data: st.DataObject) -> None:
    codes, x = data.draw(coded())
    code, name = data.draw(st.integers(0, 2)), data.draw(st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"]))
    compare = getattr(operator, name)
    assert compare(x, WORDS[code]).to_list() == compare(codes, code).to_list()
    other = codes.reverse()
    for y in (categories(other, pa.int32()), categories(other, ordered=False), categories(other).cast(pa.string())):
        assert compare(x, y).to_list() == compare(codes, other).to_list()


@given(st.data())
def test_choices_keep_the_type(data: st.DataObject) -> None:
    codes, x = data.draw(coded())
    code = data.draw(st.integers(0, 2))
    for chosen, expected in (
        (x.fill_null(WORDS[code]), codes.fill_null(code)),
        (aj.coalesce(x, x.reverse()), aj.coalesce(codes, codes.reverse())),
        (aj.where(x > WORDS[0], x, WORDS[code]), aj.where(codes > 0, codes, code)),
        (aj.where(x > WORDS[0], x, None), aj.where(codes > 0, codes, None)),
        (x.shift(1, WORDS[code]), codes.shift(1, code)),
        (aj.concat([x, x]), aj.concat([codes, codes])),
    ):
        assert chosen.to_list() == labels(expected.to_list(), expected.ndim)
        assert chosen.type == x.type


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_compares_categories_by_order(surface: str) -> None:
    x, on = categories(aj.array([[0, 2, None, 1], None, [], [1]])), SURFACES[surface]
    assert on(x, "max") == ["top", None, None, "low"]
    assert on(x, "sort") == [["mid", "low", "top", None], None, [], ["low"]]
    assert on(x, "argmin") == [0, None, None, 0]
    assert on(x, "fill_null", "low")[0] == ["mid", "top", "low", "low"]
    for call in (("contains", "none"), ("fill_null", "none")):
        with pytest.raises(JagValueError, match=r"'none' is not one of the ordered categories \['mid', 'low', 'top'\]"):
            on(x, *call)


def test_unknown_labels_are_refused() -> None:
    x = categories(aj.array([[0, 2, None, 1]]))
    for compare in (operator.lt, operator.eq, operator.ne):
        for label in ("none", aj.array([["low", "none", "low", None]]), 3):
            with pytest.raises(JagValueError, match=r"(none'|3) is not one of the ordered categories"):
                compare(x, label)
    for call in (lambda: x.is_in(["none"]), lambda: aj.where(x == "low", x, "none"), lambda: x.pad(9, fill="none")):
        with pytest.raises(JagValueError, match=r"'none' is not one of the ordered categories"):
            call()
    for other in (3, 0.5, decimal.Decimal("1.5"), True, dt.date(2020, 1, 1), {"a": 1}):
        for call in (lambda: x == other, lambda: x.fill_null(other), lambda: x.append(other), lambda: x.replace("low", other)):  # noqa: B023
            with pytest.raises(JagValueError, match="is not one of the ordered categories"):
                call()
    unordered = categories(aj.array([[0, 2, None, 1]]), ordered=False)
    assert (unordered == "none").to_list() == [[False, False, None, False]]
    assert unordered.max().to_list() == ["top"]
    assert unordered.min().to_list() == ["low"]


def test_numbers_are_no_categories_of_text() -> None:
    """Arrow's cast makes the text of a number."""
    x = aj.from_sizes(pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["1", "2"], ordered=True), [2])
    for one in (1, aj.array([1])):
        for call in (lambda: x == one, lambda: x.contains(one), lambda: x.remove(one)):  # noqa: B023
            with pytest.raises(JagValueError, match=r"1 is not one of the ordered categories \['1', '2'\]"):
                call()
    numbers = aj.from_sizes(pa.DictionaryArray.from_arrays(pa.array([0, 1]), [20, 1], ordered=True), [2])
    assert (numbers < aj.array([[1, 1.0]])).to_list() == [[True, False]]
    assert numbers.replace(pa.scalar(1, pa.int8()), 20.0).to_list() == [[20, 20]]


@pytest.mark.parametrize("values", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_labels_become_the_categories_of_an_empty_dictionary(values: pa.DataType) -> None:
    """A column without items, as from an empty file, may have an empty dictionary."""
    none = pa.DictionaryArray.from_arrays(pa.array([], pa.int8()), pa.array([], values), ordered=True)
    x = aj.from_sizes(none, [0, 0])
    assert x.pad(2, "small").to_list() == [["small", "small"]] * 2
    assert x.append("small").to_list() == [["small"]] * 2
    assert x.append(aj.array(["large", "small"])).to_list() == [["large"], ["small"]]
    assert x.replace(["small", "large", None], ["large", None, "small"]).to_list() == [[], []]
    assert x.pad(1, "small").type == x.type
    with pytest.raises(JagValueError, match="the old value 'small' occurs twice"):
        x.replace(["small", "small"], ["large", "large"])


def test_two_orders_are_an_error_that_names_both() -> None:
    x = categories(aj.array([[0, 1]]))
    other = aj.JaggedArray(x.shape, pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["low", "mid"]), ordered=True))
    calls: dict[str, Callable[[], Any]] = {
        "less": lambda: x < other,
        "where": lambda: aj.where(x == "low", x, other),
        "coalesce": lambda: aj.coalesce(x, other),
        "contains": lambda: x.contains(other.first()),
        "intersection": lambda: x.intersection(other),
        "is_in": lambda: x.is_in(other),
        "joining arrays": lambda: aj.array(pa.chunked_array([x.values, other.values.cast(x.values.type)])),
    }
    chunks = [x.to_arrow(), aj.JaggedArray(x.shape, other.values.cast(x.type)).to_arrow()]
    joins = [lambda: aj.concat([x, other]), lambda: x.union(other), lambda: aj.from_arrow(pa.chunked_array(chunks))]
    for name, call in [*calls.items(), *(("joining arrays", one) for one in joins)]:
        with pytest.raises(JagValueError, match=rf"^(\w+: )?{name}: the ordered categories \[.*\] and \[.*\] differ"):
            call()


def test_categories_come_back_from_every_host() -> None:
    kind = pl.Enum(WORDS)
    s = pl.Series("s", [["top", "low"], None, [None]], dtype=pl.List(kind))
    assert aj.array(s).type.ordered
    assert aj.array(s).to_polars().dtype.ext_storage() == pl.List(kind)
    assert aj.array(s).max().to_polars().dtype == kind
    assert aj.array(s).flatten().to_polars().dtype == kind
    flat = pd.Series(pd.Categorical(["top", "low", None], WORDS, ordered=True))
    x = aj.array(flat)
    assert (x.type.ordered, x.max(axis=0).as_py(), plain(x.to_polars().dtype)) == (True, "top", kind)
    assert x.to_pandas().dtype.pyarrow_dtype.ordered


def test_text_is_cast_to_the_categories_of_a_host() -> None:
    x = aj.array([["top", None, "low"], None, ["top"]])
    kind = Categories(tuple(WORDS))
    found = x.cast(kind)
    assert (found.type.ordered, found.to_list(), found.max().to_list()) == (True, x.to_list(), ["top", None, "top"])
    assert found.cast(kind).to_list() == x.to_list()
    other = aj.array([["top"], ["spam", None]])
    assert other.cast(kind, strict=False).to_list() == [["top"], [None, None]]
    with pytest.raises(
        JagValueError, match=r"cast: row 1 holds 'spam', which is not a valid category among \['mid', 'low', 'top'\]; strict=False"
    ):
        other.cast(kind)
    assert aj.array([[None]]).cast(kind).to_list() == [[None]]
    with pytest.raises(JagTypeError, match=r"cast has no kernel for int64.*Only text becomes an Enum"):
        aj.array([[1]]).cast(kind)


SHORT_DICTIONARIES = [
    (pa.array(["b", "a", "b"]), "a"),
    (pa.array(["b"], pa.large_string()), ""),
    (pa.array([b"b", b"a"]), b"b"),
    (pa.array([2, 1, 2]), 1),
    (pa.array([0.0, math.nan, -0.0]), math.nan),
    (pa.array([1.5, 0.0]), 0.0),
]
BY_DICTIONARY = {
    "eq": lambda x, one: x == one,
    "ne": lambda x, one: x != one,
    "lt": lambda x, one: x < one,
    "ge": lambda x, one: x >= one,
    "greater": lambda x, one: np.greater(one.as_py(), x),
    "contains": lambda x, one: x.contains(one),
    "index_of": lambda x, one: x.index_of(one),
    "is_in": lambda x, one: x.is_in(pa.array([one.as_py(), None], one.type)),
    "is_in rows": lambda x, one: x.is_in(x.head(1)),
    "union": lambda x, one: x.union(x.fill_null(one).shift(1)),
    "searchsorted": lambda x, one: x.sort().searchsorted(x.first()),
    "remove": lambda x, one: x.remove(one),
}


@pytest.mark.parametrize("name", BY_DICTIONARY)
@pytest.mark.parametrize(("dictionary", "one"), SHORT_DICTIONARIES, ids=lambda one: str(getattr(one, "type", "")))
def test_short_dictionaries_are_compared_as_their_items(name: str, dictionary: pa.Array, one: Any) -> None:
    places = pa.array([0, None, *range(len(dictionary)), 0, None, len(dictionary) - 1, 0], pa.int8())
    scalar = pa.scalar(one, dictionary.type)
    for first in (0, 1, len(places) - 1, len(places)):  # with more items than dictionary values, and fewer
        values = pa.DictionaryArray.from_arrays(places, dictionary).slice(first)
        rows = [1, 0, len(values) - 1] if len(values) else [0]
        x, plain = (aj.from_sizes(one, rows) for one in (values, dictionary.take(places).slice(first)))
        assert_lists_equal(
            aj.array(BY_DICTIONARY[name](x, scalar)).to_list(), aj.array(BY_DICTIONARY[name](plain, scalar)).to_list()
        )


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.binary(), pa.string_view()], ids=str)
def test_columns_of_text_categories_compare_by_their_dictionary_values(name: str, type: pa.DataType) -> None:
    """Values may repeat in a dictionary, and stand in another order in the other one."""
    compare = getattr(operator, name)
    texts = [["b", "a", "", "\u00e9", "a", "zz"], ["zz", "c", "a", "q"]]
    draw = np.random.default_rng(5)
    for n in (4, 8, 200):  # fewer items than dictionary values, and more
        sides, plain = [], []
        for own, index in zip(texts, (pa.int8(), pa.uint32()), strict=True):
            codes = pa.array(draw.integers(0, len(own), n), index, mask=draw.random(n) < 0.2)
            held = pa.array(own).cast(type)
            sides.append(aj.from_sizes(pa.DictionaryArray.from_arrays(codes, held), [n - 1, 0, 1]))
            plain.append([None if code is None else held[code].as_py() for code in codes.to_pylist()])
        expected = [None if None in (one, two) else compare(one, two) for one, two in zip(*plain, strict=True)]
        assert compare(*sides).flatten().to_list() == expected
        assert compare(sides[0][1:], sides[1][1:]).flatten().to_list() == expected[-1:]
        assert compare(sides[0], sides[0]).flatten().to_list() == [None if one is None else compare(one, one) for one in plain[0]]


@pytest.mark.parametrize("made", ["Categorical", "CategoricalIndex"])
@pytest.mark.parametrize("ordered", [True, False])
def test_categoricals_of_pandas_are_read_as_their_series(made: str, ordered: bool) -> None:
    categorical = pd.Categorical(["mid", None, "low"], categories=WORDS, ordered=ordered)
    data = categorical if made == "Categorical" else pd.CategoricalIndex(categorical)
    x, expected = aj.array(data), aj.array(pd.Series(categorical))
    assert (x.type, x.to_list()) == (expected.type, ["mid", None, "low"])
    assert aj.from_sizes(data, [3]).sort().to_list() == [["mid", "low", None] if ordered else ["low", "mid", None]]


def test_equal_categories_under_several_indices_are_one() -> None:
    """Dictionaries of other libraries may repeat a value, which must share one place in the order."""
    indices = pa.array([0, 2, 1, None], pa.int8())
    leaves = pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b", "a"]), ordered=True)
    x = aj.array(pa.LargeListArray.from_arrays(pa.array([0, 4], pa.int64()), leaves))
    assert x.n_unique().to_list() == [2]
    assert x.rank("dense").to_list() == [[1, 1, 2, None]]
    assert x.sort(descending=True).to_list() == [["b", "a", "a", None]]
    assert (x < "b").to_list() == [[True, True, False, None]]
    assert x.is_in(x[:, 1:2]).to_list() == [[True, True, False, None]]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("around", ["", "list", "struct"])
@pytest.mark.parametrize("values", [["b", None, "a"], [None, None, "a"], [None]], ids=str)
def test_nulls_among_categories_are_nulls_of_the_column(values: list[Any], around: str, ordered: bool) -> None:
    """The categories that are left keep their order, and items their labels."""
    indices = pa.array([len(values) - 1, 0, None, len(values) // 2], pa.int8())
    coded: Any = pa.DictionaryArray.from_arrays(indices, pa.array(values, pa.string()), ordered=ordered)
    expected, type = coded.to_pylist(), coded.type
    if around == "list":
        coded = pa.LargeListArray.from_arrays(pa.array([0, 4]), coded)
    if around == "struct":
        coded = pa.StructArray.from_arrays([coded], ["f"])
    x = aj.array(coded)
    found = x["f"] if around == "struct" else x
    assert found.type == type
    assert found.values.null_count == expected.count(None)
    assert found.values.to_pylist() == expected
    assert found.values.dictionary.to_pylist() == [one for one in values if one is not None]


@pytest.mark.parametrize("ordered", [True, False])
def test_chunks_of_nulls_without_categories_are_rows(ordered: bool) -> None:
    """Such chunks take the categories of the others, whatever their place."""
    named = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["b", "a"]), ordered=ordered)
    nulls = pa.DictionaryArray.from_arrays(pa.nulls(3, pa.int8()), pa.array([], pa.string()), ordered=ordered)
    for chunks in ([nulls, named], [named, nulls, named], [nulls, nulls]):
        x = aj.from_arrow(pa.chunked_array(chunks))
        assert x.type == named.type
        assert x.to_list() == [one for chunk in chunks for one in chunk.to_pylist()]


def test_ordered_categories_with_views_inside_stay_ordered() -> None:
    views = pa.StructArray.from_arrays([pa.array([[1], [2]], pa.list_view(pa.int64()))], ["a"])
    leaves = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), views, ordered=True)
    assert aj.array(leaves).type.ordered
    plain_leaves = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), views)
    assert not aj.array(plain_leaves).type.ordered


@settings(max_examples=20)
@given(jagged_arrays(2, pa.float64()))
def test_dictionaries_of_floats_have_the_order_of_floats(x: aj.JaggedArray) -> None:
    encoded = aj.JaggedArray(x.shape, x.values.dictionary_encode())
    for name in ("min", "max", "argmin", "argmax", "cummin", "cummax", "sort", "argsort", "rank", "unique"):
        for axis in (-1, 0) if "m" in name else (-1,):
            found, expected = (getattr(one, name)(axis=axis).to_list() for one in (encoded, x))
            assert_lists_equal(found, expected, rel_tol=0, abs_tol=0)
