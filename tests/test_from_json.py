"""from_json: text as Python's json reads it."""

from __future__ import annotations

import datetime as dt
import io
import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import jagged_lists
from tests import reference as ref
from tests.hosts import pd, pl

STRUCT = pa.struct([("a", pa.int8()), ("b", pa.string())])
LEAVES: dict[str, tuple[Any, pa.DataType]] = {
    "int": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "float": (st.floats(allow_nan=False, allow_infinity=False), pa.float64()),
    "text": (st.text(max_size=5), pa.string()),
    "bool": (st.booleans(), pa.bool_()),
    "struct": (st.fixed_dictionaries({"a": st.none() | st.integers(0, 9), "b": st.text(max_size=2)}), STRUCT),
}


@pytest.mark.parametrize("kind", LEAVES)
@given(data=st.data())
def test_from_json_agrees_with_the_oracle(kind: str, data: st.DataObject) -> None:
    values, leaf = LEAVES[kind]
    ndim = data.draw(st.integers(1, 3))
    rows = data.draw(jagged_lists(ndim, values))
    indent = data.draw(st.sampled_from([None, 1]))
    texts = [
        None if row is None and data.draw(st.booleans()) else json.dumps(row, indent=indent, ensure_ascii=False) for row in rows
    ]
    type = leaf
    for make in data.draw(st.lists(st.sampled_from([pa.list_, pa.large_list]), min_size=ndim - 1, max_size=ndim - 1)):
        type = make(type)
    got = aj.from_json(pa.array(texts, data.draw(st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]))), type)
    assert (got.ndim, got.type) == (ndim, leaf)
    assert got.to_list() == ref.from_json(texts)


def test_from_json() -> None:
    assert aj.from_json(["[1, null]", None, "[]", "null"], pa.list_(pa.int64())).to_list() == [[1, None], None, [], None]
    assert aj.from_json(["1.5", None], "float64").to_list() == [1.5, None]
    assert aj.from_json([], pa.list_(pa.int64())).to_list() == []
    assert aj.from_json(['["2024-01-01"]'], pa.list_(pa.date32())).to_list() == [[dt.date(2024, 1, 1)]]
    assert aj.from_json(["[1, 2]"], pa.list_(pa.int8(), 2)).shape.extents == (None, 2)
    assert aj.from_json(["[1]"], aj.JaggedType.of(pa.int8(), 2)).type == pa.int8()


@pytest.mark.parametrize(
    "wrong",
    ["[1", "", "x", '["a"]', "[1.5]", "1", '1} {"x":2', '1}, {"x":2', '[1], "x":[2]', '[1], "y":[2]', "[99999999999999999999]"],
)
def test_damaged_rows_are_named(wrong: str) -> None:
    with pytest.raises(JagValueError, match=r"from_json: row 2 holds .*, which is not JSON of type list<item: int64>"):
        aj.from_json(["[1]", None, wrong, "[2]", "["], pa.list_(pa.int64()))


OBJECTS = pa.list_(
    pa.struct([("a", pa.int64()), ("in", pa.struct([("b", pa.string())])), ("l", pa.list_(pa.struct([("c", pa.bool_())])))])
)


def test_the_type_selects_keys_of_objects() -> None:
    """At each level; left out are keys of any types, which may differ from row to row."""
    rows = [
        [{"a": 1, "z": "a]"}, {"in": {"b": "\u00e9", "x": [1]}, "l": [{"c": True, "d": {}}, None, {}]}],
        None,
        [{"z": 5, "x": [{}, 1.5]}, None],
        [],
        [{"l": [], "y\n": None, "in": {"y": 2}}],
    ]

    def expected(row: dict[str, Any] | None) -> dict[str, Any] | None:
        if row is None:
            return None
        inner, items = row.get("in"), row.get("l")
        found = None if items is None else [None if one is None else {"c": one.get("c")} for one in items]
        return {"a": row.get("a"), "in": None if inner is None else {"b": inner.get("b")}, "l": found}

    texts = [None if row is None else json.dumps(row, indent=k) for k, row in enumerate(rows)]
    assert aj.from_json(texts, OBJECTS).to_list() == [None if row is None else [expected(one) for one in row] for row in rows]
    wrong = [
        "[",
        "",
        '[{"a": 1.5, "z": 0}]',
        '[{"z": 1}], "y": 2',
        '[{"z": 1}], "x": []',
        '[{"z": 1}], []',
        '[{"z": 1}]], "x": [[]',
    ]
    for text in [*wrong, '[{"z": 1}]} {"x": []', '[{"z": 1}]}, {"x": []']:
        with pytest.raises(JagValueError, match=r"from_json: row 2 holds .*, which is not JSON of type list<"):
            aj.from_json(['[{"a": 1}]', '[{"z": 1}]', text, "[]", "["], OBJECTS)


VIEWS = {
    "view": (pa.list_view(pa.int8()), "[1, null]", [1, None], "[1, 300]"),
    "large view": (pa.large_list_view(pa.int8()), "[1, null]", [1, None], "[1, 300]"),
    "views of views": (pa.list_view(pa.large_list_view(pa.int8())), "[[1], null, []]", [[1], None, []], "[[], [300]]"),
    "views of dates": (pa.list_view(pa.date32()), '["2020-01-02"]', [dt.date(2020, 1, 2)], '["2020-99-01"]'),
    "views of categories": (pa.list_view(pa.dictionary(pa.int8(), pa.string())), '["a", "b", "a"]', ["a", "b", "a"], "[1]"),
    "lists of views": (pa.list_(pa.list_view(pa.int8())), "[[1], [2, 3]]", [[1], [2, 3]], "[[1], [300]]"),
    "structs of views": (pa.struct({"a": pa.list_view(pa.int8())}), '{"a": [1]}', {"a": [1]}, '{"a": [300]}'),
    "views of structs": (pa.list_view(pa.struct({"a": pa.int8()})), '[{"a": 1}, null]', [{"a": 1}, None], '[{"a": 300}]'),
}


@pytest.mark.parametrize("case", VIEWS)
def test_list_views_are_parsed_and_the_wrong_row_is_named(case: str) -> None:
    """Arrow has no cast from lists to list views, at no level."""
    type, text, value, wrong = VIEWS[case]
    x = aj.from_json([text, None, text], type)
    x.to_arrow(extension=False).validate(full=True)
    assert x.to_list() == [value, None, value]
    assert aj.from_json([None], type).to_list() == [None]
    with pytest.raises(JagValueError, match="from_json: row 3 holds"):
        aj.from_json([text, None, text, wrong, text], type)


def test_wrong_arguments() -> None:
    with pytest.raises(ShapeError, match="one text per row"):
        aj.from_json([["[1]"]], pa.list_(pa.int64()))
    with pytest.raises(JagTypeError, match="JSON has no form for binary"):
        aj.from_json(["1"], pa.binary())
    with pytest.raises(JagTypeError, match="from_json has no kernel for int64"):
        aj.from_json([1], pa.int64())


def test_columns_of_hosts() -> None:
    texts = ["[1, 2]", None]
    s = aj.from_json(pd.Series(texts, index=["a", "b"], name="v"), pa.list_(pa.int64()))
    assert str(s.dtype) == "jagged[int64, 2]"
    assert list(s.index) == ["a", "b"]
    df = pl.DataFrame({"t": texts})
    assert aj.from_json(df["t"], pa.list_(pa.int64())).to_list() == [[1, 2], None]
    lazy = df.lazy().select(aj.from_json(pl.col("t"), pa.list_(pa.int64())))
    got = lazy.collect(engine="streaming")
    assert got.schema == lazy.collect_schema()
    assert aj.array(got["t"]).to_list() == [[1, 2], None]


def test_csv_with_lists_in_brackets_is_read_by_the_dtype() -> None:
    df = pd.DataFrame({"k": ["a", "b", "c"], "v": aj.array([[1, None], None, []])})
    text = df.to_csv(index=False)
    assert text == 'k,v\na,"[1, null]"\nb,\nc,[]\n'
    back = pd.read_csv(io.StringIO(text), dtype={"v": "jagged[int64, 2]"})
    assert back["v"].jag.to_list() == [[1, None], None, []]
    frame = pl.read_csv(io.StringIO(text)).with_columns(v=aj.from_json(pl.col("v"), pa.list_(pa.int64())))
    assert aj.array(frame["v"]).to_list() == [[1, None], None, []]


@pytest.mark.parametrize(
    "leaf", [pa.string_view(), pa.string(), pa.decimal128(5, 2), pa.date32(), pa.dictionary(pa.int8(), pa.string())]
)
def test_null_rows_beside_rows_of_fixed_size(leaf: pa.DataType) -> None:
    """Arrow's cast gathers the items, and has no such kernel for views of text."""
    numbers, dates = ['[["1"],[],["2",null]]', None, '[[],["3"],[]]'], ['[["2020-01-01"],[],[]]', None, "[[],[null],[]]"]
    type = pa.list_(pa.large_list(leaf), 3)
    text = dates if pa.types.is_date32(leaf) else numbers
    expected = pa.array([None if one is None else json.loads(one) for one in text], pa.list_(pa.large_list(pa.string())))
    got = aj.from_json(text, type)
    assert got.shape.extents == (None, 3, None)
    assert got.cast(pa.string()).to_list() == aj.array(expected).cast(leaf).cast(pa.string()).to_list()
    with pytest.raises(aj.JagValueError, match="row 1 holds"):
        aj.from_json([None, "[[]]", "[[],[],[]]"], type)


@pytest.mark.parametrize("item", [pa.string_view(), pa.null(), pa.decimal32(5, 2), pa.float16()], ids=str)
@pytest.mark.parametrize("outer", [pa.list_, pa.large_list])
def test_rows_of_a_fixed_size_hold_items_of_every_type(item: pa.DataType, outer: Any) -> None:
    """Arrow gathers no views, and writes too few nulls below a list of rows of fixed size."""
    value = {pa.string_view(): '"1"', pa.null(): "null"}.get(item, "1")
    x = aj.from_json(aj.array([f"[[{value}, null]]", None, "[null]"]), outer(pa.list_(item, 2)))
    x.to_arrow(extension=False).validate(full=True)
    assert x.type == item
    assert x.to_list() == [[[json.loads(value), None]], None, [None]]


@pytest.mark.parametrize("name", ["jagged[int64, 2]", "jagged[int64, 2, extents=(2,)]"])
def test_names_of_dtypes(name: str) -> None:
    x = aj.from_json(["[1, 2]", None], name)
    assert x.to_list() == [[1, 2], None]
    assert str(x.to_pandas().dtype) == str(pd.api.types.pandas_dtype(name))
    assert aj.from_json(["[[1], []]"], "jagged[double, 3]").to_list() == [[[1.0], []]]
    for wrong in ("jagged[int64", "jagged[int64, 2, extents=(None, 2)]"):
        with pytest.raises(JagTypeError, match=r"jagged\[int64"):
            aj.from_json(["[1]"], wrong)


@pytest.mark.parametrize("wrap", [pa.list_, pa.large_list, pa.list_view, lambda item: pa.list_(item, 2)])
def test_nulls_of_items_and_fields_that_are_required(wrap: Any) -> None:
    type = wrap(pa.field("item", pa.int8(), nullable=False))
    assert aj.from_json(["[1, 2]", None], type).to_list() == [[1, 2], None]
    with pytest.raises(JagValueError, match=r"from_json: row 1 holds '\[3, null\]', which is not JSON of type .* not null"):
        aj.from_json(["[1, 2]", "[3, null]", None], type)
    fields = pa.struct([pa.field("a", pa.int8(), nullable=False)])
    assert aj.from_json(['{"a": 1}', None], fields).to_list() == [{"a": 1}, None]
    with pytest.raises(JagValueError, match=r"row 0 holds '\{\}', which is not JSON of type struct<a: int8 not null>"):
        aj.from_json(["{}"], fields)
