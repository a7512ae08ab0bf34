"""`df.jag` on frames of pandas and polars: nest, unnest, query, filter, sort_items, topk, flatten(keep_empty), describe.

One oracle on nested lists; pandas, polars eager, lazy, streaming, and polars' own lists give the same.
"""

from __future__ import annotations

import datetime as dt
import math
import pickle
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag import JagIndexError, JagTypeError, JagValueError, ShapeError
from arrowjag._frames import STATISTICS
from tests.hosts import pd, pl

HOSTS = ("pandas", "eager", "lazy", "streaming", "lists")


def frame_of(host: str, **columns: Any) -> Any:
    """A frame of arrays and plain lists."""
    if host == "pandas":
        return pd.DataFrame(columns)
    made = {
        name: one.to_polars(name, extension=host != "lists") if isinstance(one, aj.JaggedArray) else pl.Series(name, one)
        for name, one in columns.items()
    }
    frame = pl.DataFrame(made)
    return frame.lazy() if host in ("lazy", "streaming") else frame


def lists(frame: Any, host: str) -> dict[str, list[Any]]:
    """A frame as lists by column; a lazy one keeps its promise of types."""
    if host == "pandas":
        return {name: aj.array(frame[name]).to_list() for name in frame.columns}
    if isinstance(frame, pl.LazyFrame):
        schema = frame.collect_schema()
        frame = frame.collect(engine="streaming" if host == "streaming" else "in-memory")
        assert frame.schema == schema
    return {name: aj.array(frame[name]).to_list() for name in frame.columns}


def sibling_columns() -> st.SearchStrategy[list[Any]]:
    """Rows of (key, label, sub-rows) triples, null rows among them."""
    item = st.tuples(st.none() | st.integers(0, 3), st.sampled_from("abc"), st.none() | st.lists(st.integers(0, 9), max_size=2))
    return st.lists(st.none() | st.lists(item, max_size=4), max_size=6)


def columns_of(rows: list[Any], extra_null: bool = False) -> dict[str, Any]:
    key, label, deep = ([None if row is None else [item[place] for item in row] for row in rows] for place in range(3))
    if extra_null and label:
        label[0] = None
    return {
        "id": list(range(len(rows))),
        "k": aj.array(key, type=pa.int64(), ndim=2),
        "t": aj.array(label, type=pa.string(), ndim=2),
        "d": aj.array(deep, type=pa.int64(), ndim=3),
    }


def moved(column: list[Any], keys: list[Any], pick: Any) -> list[Any]:
    """The items of each row at the places that `pick` gives for its keys; a null row of either is null."""
    return [
        None if row is None or key is None else [row[place] for place in pick(key)] for row, key in zip(column, keys, strict=True)
    ]


def order(key: list[Any], descending: bool) -> list[int]:
    there = [place for place, one in enumerate(key) if one is not None]
    there.sort(key=lambda place: -key[place] if descending else key[place])
    return [*there, *(place for place, one in enumerate(key) if one is None)]


@pytest.mark.parametrize("host", HOSTS)
@given(rows=sibling_columns(), extra_null=st.booleans(), descending=st.booleans())
def test_sort_items_and_topk_agree_with_the_oracle(host: str, rows: list[Any], extra_null: bool, descending: bool) -> None:
    columns = columns_of(rows, extra_null)
    frame = frame_of(host, **columns)
    plain = {name: one if isinstance(one, list) else one.to_list() for name, one in columns.items()}
    found = lists(frame.jag.sort_items("k", "t", "d", descending=descending), host)
    assert found == plain | {name: moved(plain[name], plain["k"], lambda key: order(key, descending)) for name in "td"}
    found = lists(frame.jag.topk(2, "k", "t", "k"), host)
    assert found == plain | {name: moved(plain[name], plain["k"], lambda key: order(key, True)[:2]) for name in "tk"}


@pytest.mark.parametrize("host", HOSTS)
@given(rows=sibling_columns(), extra_null=st.booleans())
def test_filter_agrees_with_the_oracle(host: str, rows: list[Any], extra_null: bool) -> None:
    columns = columns_of(rows, extra_null)
    columns["m"] = columns["k"] > 1
    frame = frame_of(host, **columns)
    plain = {name: one if isinstance(one, list) else one.to_list() for name, one in columns.items()}
    found = lists(frame.jag.filter("m", "t", "d"), host)

    def kept(mask: list[Any]) -> list[int]:
        return [place for place, one in enumerate(mask) if one]

    assert found == plain | {name: moved(plain[name], plain["m"], kept) for name in "td"}


@pytest.mark.parametrize("host", HOSTS)
@given(rows=sibling_columns(), limit=st.integers(0, 3))
def test_query_agrees_with_the_oracle(host: str, rows: list[Any], limit: int) -> None:
    columns = columns_of(rows)
    frame = frame_of(host, **columns).jag.nest("k", "t", into="s")
    found = lists(frame.jag.query(f"(s.k >= {limit} and s.t != 'b') or id == 2"), host)
    plain = columns["k"].to_list(), columns["t"].to_list()

    def true(row: int, k: int | None, t: str) -> bool:
        return row == 2 or (k is not None and k >= limit and t != "b")

    expected = [
        None if ks is None else [{"k": k, "t": t} for k, t in zip(ks, ts, strict=True) if true(row, k, t)]
        for row, (ks, ts) in enumerate(zip(*plain, strict=True))
    ]
    assert found["s"] == expected
    assert found["d"] == columns["d"].to_list()


def flat_rows(rows: list[Any], keep_empty: bool) -> list[tuple[Any, ...]]:
    """(id, t, d) of each leaf of d."""
    found: list[tuple[Any, ...]] = []
    for place, row in enumerate(rows):
        if not row:
            found += [(place, None, None)] * keep_empty
        for _, label, deep in row or ():
            found += [(place, label, one) for one in deep or ([None] if keep_empty else [])]
    return found


@pytest.mark.parametrize("host", HOSTS)
@given(rows=sibling_columns(), keep_empty=st.booleans())
def test_flatten_agrees_with_the_oracle(host: str, rows: list[Any], keep_empty: bool) -> None:
    columns = columns_of(rows)
    del columns["k"]
    found = lists(frame_of(host, **columns).jag.flatten("t", "d", keep_empty=keep_empty), host)
    expected = flat_rows(rows, keep_empty)
    assert list(zip(found["id"], found["t"], found["d"], strict=True)) == expected
    with_plain = lists(frame_of(host, **columns).jag.flatten("id", "d", "t", keep_empty=keep_empty), host)
    if keep_empty:
        assert with_plain == found


@pytest.mark.parametrize("host", HOSTS)
@given(rows=sibling_columns(), keep_empty=st.booleans(), extra_null=st.booleans())
@example(rows=[[(1, "a", [5])]], keep_empty=True, extra_null=True)
def test_flatten_of_some_dims_leaves_rows_of_any_sizes(host: str, rows: list[Any], keep_empty: bool, extra_null: bool) -> None:
    columns = columns_of(rows, extra_null)
    doubled = [None if row is None else [None if deep is None else 2 * deep for _, _, deep in row] for row in rows]
    columns["e"] = aj.array(doubled, type=pa.int64(), ndim=3)
    del columns["k"]
    found = lists(frame_of(host, **columns).jag.flatten("e", "t", "d", "id", keep_empty=keep_empty, to_dim=2), host)
    plain = [None if place == 0 and extra_null else row for place, row in enumerate(rows)]
    expected: list[Any] = []
    for place, row in enumerate(plain):
        expected += [(place, None, None, None)] * (keep_empty and not row)
        expected += [(place, label, deep, None if deep is None else 2 * deep) for _, label, deep in row or ()]
    assert list(zip(*(found[name] for name in ("id", "t", "d", "e")), strict=True)) == expected


DEEP = {
    "decimals": aj.array([[[Decimal("1.5")], None], [], None, [[]]], type=pa.decimal128(4, 1), ndim=3),
    "categories": aj.array([[["b", "a"], ["a"]], [[]]]).cast(pa.dictionary(pa.int8(), pa.string())),
    "ordered": aj.array([[["b", None]], None]).cast(pa.dictionary(pa.int8(), pa.string(), ordered=True)),
    "zones": aj.array([[[dt.datetime(2024, 3, 31, 1, tzinfo=dt.UTC)]]]).cast(pa.timestamp("ms", "Europe/Berlin")),
    "structs": aj.array([[[{"a": 1, "l": [1, 2]}], None], [[None]]], ndim=3),
    "extents": aj.array(pa.array([[[1, 2], None], [], None], pa.list_(pa.list_(pa.uint8(), 2)))),
    "no rows": aj.array([], type=pa.int64(), ndim=3),
    "four dims": aj.array([[[[1], []], None], None, [[], [[2, 3]]]]),
}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("case", DEEP)
def test_flatten_of_some_dims_keeps_types_and_undoes_implode(host: str, case: str) -> None:
    x = DEEP[case]
    frame = frame_of(host, id=list(range(len(x))), x=x)
    for to_dim in range(2, x.ndim + 2):
        flat = frame.jag.flatten(to_dim=to_dim) if host != "lists" else frame.jag.flatten("x", to_dim=to_dim)
        rows = x.flatten(0, min(to_dim, x.ndim))
        assert lists(flat, host)["x"] == rows.to_list()
        collected = flat.collect() if isinstance(flat, pl.LazyFrame) else flat
        made = collected["x"].dtype
        wanted = rows.to_pandas().dtype if host == "pandas" else rows.to_polars(extension=host != "lists").dtype
        assert made == wanted
    if case == "four dims":
        return
    flat = flat_of(frame.jag.flatten("x", to_dim=2, keep_empty=True))
    again = flat.jag.implode("id", "x")
    expected = [row or [None] for row in x.to_list()]
    assert aj.array(again["x"]).to_list() == expected


def flat_of(frame: Any) -> Any:
    return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


@pytest.mark.parametrize("host", HOSTS)
def test_flatten_refuses_wrong_numbers_of_dims(host: str) -> None:
    frame = frame_of(host, x=aj.array([[[1]]]))
    for wrong, error in ((1, JagValueError), (-1, JagValueError), (2.0, JagTypeError), (True, JagTypeError)):
        with pytest.raises(error, match=r"to_dim"):
            frame.jag.flatten("x", to_dim=wrong)
    fields = frame_of(host, s=aj.zip(a=aj.array([[1, 2], []])))
    assert lists(fields.jag.flatten("s.a", to_dim=2), host) == {"s.a": [1, 2]}


# ------------------------------------------------------------------------------------------------- nest and unnest


def flights(host: str) -> Any:
    return frame_of(
        host,
        plane=["N1", "N2", "N3", "N4"],
        delay=aj.array([[10, 70, None], [], None, [90]]),
        origin=aj.array([["JFK", "JFK", "LGA"], [], None, ["EWR"]]),
        seats=[100, 200, 300, 400],
    )


@pytest.mark.parametrize("host", HOSTS)
def test_nest_and_unnest(host: str) -> None:
    frame = flights(host)
    nested = frame.jag.nest("delay", "origin", "seats", into="flight")
    assert list(lists(nested, host)) == ["plane", "flight"]
    assert lists(nested, host)["flight"][0][1] == {"delay": 70, "origin": "JFK", "seats": 100}
    assert lists(nested, host)["flight"][1:3] == [[], None]
    back = nested.jag.unnest("flight")
    assert list(lists(back, host)) == ["plane", "delay", "origin", "seats"]
    assert lists(back, host)["delay"] == [[10, 70, None], [], None, [90]]
    assert lists(back, host)["seats"] == [[100, 100, 100], [], None, [400]]
    assert list(lists(frame.jag.nest("origin", "delay", into="origin"), host)) == ["plane", "origin", "seats"]
    assert list(lists(nested.jag.nest("flight.delay", "flight.seats", into="two"), host)) == ["plane", "flight", "two"]
    with pytest.raises(JagValueError, match="nest: the frame already has a column 'plane'"):
        frame.jag.nest("delay", into="plane")
    with pytest.raises(JagValueError, match="nest: column 'delay' is named twice"):
        frame.jag.nest("delay", "delay", into="s")
    clash = nested.rename(columns={"plane": "delay"}) if host == "pandas" else nested.rename({"plane": "delay"})
    with pytest.raises(JagValueError, match="unnest: the frame already has a column 'delay'"):
        clash.jag.unnest("flight")
    with pytest.raises(JagTypeError, match="unnest: column 'delay' holds int64, not structs"):
        frame.jag.unnest("delay")
    with pytest.raises(JagTypeError, match="nest takes the names of columns: name at least one"):
        frame.jag.nest(into="s")


@pytest.mark.parametrize("host", HOSTS)
def test_nest_and_flatten_refuse_other_sizes(host: str) -> None:
    frame = frame_of(host, a=aj.array([[1, 2]]), b=aj.array([[1]]))
    with pytest.raises(ShapeError, match="columns 'a', 'b': nest: "):
        lists(frame.jag.nest("a", "b", into="s"), host)
    for keep_empty in (False, True):
        with pytest.raises(ShapeError, match="columns 'a', 'b': flatten: "):
            lists(frame.jag.flatten("a", "b", keep_empty=keep_empty), host)


# ------------------------------------------------------------------------------------------------------------ query


CONDITIONS = {
    "flight.delay > 60 and flight.origin == 'JFK'": [[70], [], None, []],
    "flight.delay > 60 & flight.origin == 'JFK'": [[70], [], None, []],
    "flight.origin in ['EWR', 'LGA']": [[None], [], None, [90]],
    "flight.origin not in ('EWR', 'LGA')": [[10, 70], [], None, []],
    "flight.delay is None": [[None], [], None, []],
    "flight.delay is not None": [[10, 70], [], None, [90]],
    "not flight.delay > 60": [[10], [], None, []],
    "~(flight.delay > 60)": [[10], [], None, []],
    "5 < flight.delay <= 70": [[10, 70], [], None, []],
    "flight.delay * 2 + 1 > seats": [[70], [], None, []],
    "flight.delay + seats / 10 > 8 * 10": [[], [], None, [90]],
    '-flight.delay < -60 or flight.`origin` == "LGA"': [[70, None], [], None, [90]],
    "`flight`.delay % 20 == 10 | flight.origin == 'and & or'": [[10, 70], [], None, [90]],
    "plane == 'N4' and flight.delay > 0": [[], [], None, [90]],
}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(host: str, condition: str) -> None:
    frame = flights(host).jag.nest("delay", "origin", into="flight")
    found = lists(frame.jag.query(condition), host)
    assert [row if row is None else [one["delay"] for one in row] for row in found["flight"]] == CONDITIONS[condition]
    assert list(found) == ["plane", "flight", "seats"]


REFUSED = {
    "flight.delay.max() > 3": "has calls",
    "__import__('os').system('true')": "has calls",
    "flight.delay > @limit": "has @",
    "flight['delay'] > 3": "has subscripts",
    "(lambda: 1)() > flight.delay": "has calls",
    "[x for x in flight.delay]": "has ListComp",
    "flight.delay >": "is not a condition",
    "": "is not a condition",
    "flight.delay << 3 > 1": "has LShift",
    "flight.delay > 2 ** 100": "arithmetic of literals",
    "flight.delay > 1 / 0": "division by zero",
    "flight.delay > 'a' * 1000000000": "arithmetic of literals",
    "flight.delay > b'a'": "has Constant",
    "f'{flight}' == 'x'": "has JoinedStr",
    "flight.delay > " + "-" * 150 + "1": "at most 100 levels",
    "flight.delay > 1 or " * 1000 + "True": "at most 10000 characters",
}


@pytest.mark.parametrize("condition", REFUSED, ids=lambda text: text[:30])
def test_invalid_conditions_raise(condition: str) -> None:
    frame = flights("pandas").jag.nest("delay", "origin", into="flight")
    with pytest.raises(JagValueError, match=REFUSED[condition]):
        frame.jag.query(condition)


def test_parentheses_are_no_levels() -> None:
    frame = flights("pandas").jag.nest("delay", "origin", into="flight")
    found = frame.jag.query("(" * 150 + "flight.delay" + ")" * 150 + " > 1")
    assert found.equals(frame.jag.query("flight.delay > 1"))


@pytest.mark.parametrize("literals", ["'a' < 1", "None >= 1", "1 <= 'a'"])
def test_literals_without_an_order_are_not_compared(literals: str) -> None:
    frame = flights("pandas").jag.nest("delay", "origin", into="flight")
    with pytest.raises(JagTypeError, match=r"query: .* not supported between instances of"):
        frame.jag.query(f"flight.delay > 1 and {literals}")


@pytest.mark.parametrize("host", HOSTS)
def test_query_names_one_nested_column(host: str) -> None:
    frame = flights(host).jag.nest("delay", into="a").jag.nest("origin", into="b")
    with pytest.raises(JagTypeError, match=r"names the nested columns \['a', 'b'\]; one call filters one of them"):
        frame.jag.query("a.delay > 3 and b.origin == 'JFK'")
    with pytest.raises(JagTypeError, match="names no nested column of structs"):
        frame.jag.query("seats > 3")
    with pytest.raises(JagIndexError, match="no column 'c'"):
        frame.jag.query("c.x > 3")
    with pytest.raises(JagIndexError, match=r"'a' has no field 'x': its fields are \['delay'\]"):
        lists(frame.jag.query("a.x > 3"), host)
    with pytest.raises(JagTypeError, match="must give booleans, got int64"):
        lists(frame.jag.query("a.delay + 3"), host)
    with pytest.raises(JagTypeError, match="and, or, not take conditions"):
        lists(frame.jag.query("a.delay and a.delay > 3"), host)


@pytest.mark.parametrize("host", HOSTS)
def test_query_of_a_deeper_field(host: str) -> None:
    deep = aj.zip(k=aj.array([[1, 2], [3]]), tags=aj.from_arrow(pa.array([[["x"], []], [["y", "z"]]]), ndim=2))
    frame = frame_of(host, s=deep)
    with pytest.raises(ShapeError, match="deeper than the items of 's'"):
        lists(frame.jag.query("s.tags == 'x'"), host)
    assert lists(frame.jag.query("s.k > 1"), host)["s"] == [[{"k": 2, "tags": []}], [{"k": 3, "tags": ["y", "z"]}]]


def test_names_with_blanks() -> None:
    s = aj.zip(**{"a b": aj.array([[1, 2], [3]]), "B0": aj.array([[5, 6], [7]])})
    frame = pd.DataFrame({"my s": s, "it`s": [1, 2]})
    assert frame.jag.query("`my s`.`a b` > 1 and `my s`.B0 < 7")["my s"].jag["a b"].jag.to_list() == [[2], []]


# ----------------------------------------------------------------------------------------- masks, keys, dotted names


@pytest.mark.parametrize("host", HOSTS)
def test_fields_by_dots(host: str) -> None:
    s = aj.zip(score=aj.array([[0.5, 0.9], [], None]), id=aj.array([[7, 8], [], None]))
    frame = frame_of(host, q=[1, 2, 3], docs=s, w=aj.array([["a", "b"], [], None]))
    assert lists(frame.jag.topk(1, "docs.score", "w"), host)["w"] == [["b"], [], None]
    assert lists(frame.jag.sort_items("docs.score", "docs", "w", descending=True), host)["w"] == [["b", "a"], [], None]
    flat = lists(frame.jag.flatten("docs.score", "w"), host)
    assert flat == {"q": [1, 1], "docs.score": [0.5, 0.9], "w": ["a", "b"]}
    assert lists(frame.jag.flatten("docs.score", "docs.id", keep_empty=True), host)["docs.id"] == [7, 8, None, None]
    told = frame.jag.describe("docs.score", "w")
    assert list(told.columns)[-2:] == ["docs.score", "w"]
    made = lists(frame.jag.implode("q", ["docs.id"]), host)
    assert made == {"q": [1, 2, 3], "docs.id": [[[7, 8]], [[]], [None]]}
    for call in (lambda: frame.jag.sort_items("w", "docs.score"), lambda: frame.jag.filter("w", "docs.score")):
        with pytest.raises(JagTypeError, match=r"changes whole columns, .*'docs.score' is a field"):
            call()
    with pytest.raises(JagIndexError, match="no field 'x'"):
        lists(frame.jag.topk(1, "docs.x", "w"), host)
    with pytest.raises(JagIndexError, match=r"no column 'nix.x'"):
        frame.jag.topk(1, "nix.x", "w")


@pytest.mark.parametrize("host", HOSTS)
def test_a_column_with_a_dot_in_its_name_comes_first(host: str) -> None:
    frame = frame_of(host, **{"a": aj.zip(b=aj.array([[1, 2]])), "a.b": aj.array([[4, 3]])})
    assert lists(frame.jag.sort_items("a.b", "a.b"), host)["a.b"] == [[3, 4]]


@pytest.mark.parametrize("host", HOSTS)
def test_masks_and_keys_of_other_kinds(host: str) -> None:
    frame = flights(host)
    flat_mask = [True, True, True, False]
    expected = [[10, 70, None], [], None, []]
    mask = pd.Series(flat_mask) if host == "pandas" else pl.Series(flat_mask)
    assert lists(frame.jag.filter(mask, "delay"), host)["delay"] == expected
    assert lists(frame.jag.filter(flat_mask, "delay"), host)["delay"] == expected
    assert lists(frame.jag.filter(aj.array([[False, True, True], [], None, [None]]), "delay"), host)["delay"] == [
        [70, None],
        [],
        None,
        [],
    ]
    if host == "pandas":
        labelled = pd.Series([True, False], index=[1, 0])
        assert lists(frame.jag.filter(labelled, "delay"), host)["delay"] == [[], [], None, []]
        assert lists(frame.jag.filter(frame["delay"].jag > 60, "origin"), host)["origin"] == [["JFK"], [], None, ["EWR"]]
    else:
        assert lists(frame.jag.filter(pl.col("delay").jag > 60, "origin"), host)["origin"] == [["JFK"], [], None, ["EWR"]]
        key = pl.col("delay").jag % 20
        assert lists(frame.jag.sort_items(-key, "delay"), host)["delay"] == [[10, 70, None], [], None, [90]]
    both = lists(frame.jag.sort_items(["origin", "delay"], "delay", "origin", descending=True), host)
    assert both["delay"] == [[None, 70, 10], [], None, [90]]
    with pytest.raises(JagTypeError, match="a mask or key must be"):
        frame.jag.filter(3, "delay")


@pytest.mark.parametrize("host", HOSTS)
def test_filter_sort_and_topk_reject_invalid_arguments(host: str) -> None:
    frame = flights(host)
    for call in (lambda: frame.jag.filter("delay"), lambda: frame.jag.sort_items("delay"), lambda: frame.jag.topk(1, "delay")):
        with pytest.raises(JagTypeError, match="takes the names of columns: name at least one"):
            call()
    with pytest.raises(ShapeError, match="column 'seats' is flat, int64; it has no items"):
        lists(frame.jag.sort_items("delay", "seats"), host)
    with pytest.raises(ShapeError, match="the key is a flat column of int64"):
        lists(frame.jag.sort_items("seats", "delay"), host)
    with pytest.raises(JagTypeError, match="a mask must hold booleans, got int64"):
        lists(frame.jag.filter("delay", "origin"), host)
    with pytest.raises(JagValueError, match="topk: k must not be negative"):
        frame.jag.topk(-1, "delay", "origin")
    other = frame_of(host, a=aj.array([[1, 2], [3]]), b=aj.array([[1, 2], [3, 4]]))
    for call in (lambda: other.jag.sort_items("a", "b"), lambda: other.jag.topk(1, "a", "b")):
        with pytest.raises(ShapeError, match=r"column 'b': .*row [01] has"):
            lists(call(), host)
    deep = frame_of(host, a=aj.array([[[1]]]), b=aj.array([[1]]))
    with pytest.raises(ShapeError, match="column 'b': sort_items: the key has 3 dims"):
        lists(deep.jag.sort_items("a", "b"), host)


def test_kinds_of_columns_stay() -> None:
    frame = pl.DataFrame(
        {
            "j": aj.array([[2, 1]]).to_polars(),
            "l": [[1, 2]],
            "a": pl.Series([[1, 2]], dtype=pl.Array(pl.Int8, 2)),
            "e": pl.Series([["x", "y"]], dtype=pl.List(pl.Enum(["y", "x"]))),
        }
    )
    for made in (frame.jag.sort_items("j", "j", "l", "e"), frame.lazy().jag.sort_items("j", "j", "l", "e").collect()):
        assert made.schema == frame.schema
        assert made.row(0)[3] == ["y", "x"]
    assert frame.jag.sort_items("e", "l")["l"].to_list() == [[2, 1]]
    assert frame.jag.filter(pl.col("l") == [1, 2], "a")["a"].to_list() == [[1, 2]]
    assert frame.jag.nest("l", "e", into="s").schema["s"].is_nested()


def test_lazy_frames_stream_serialize_and_pickle(tmp_path: Any) -> None:
    frame = flights("eager").jag.nest("delay", "origin", into="flight")
    path = str(tmp_path / "a.parquet")
    aj.write_parquet(pl.concat([frame] * 1000), path, row_group_size=500)
    lazy = pl.scan_parquet(path).jag.query("flight.delay > 60").jag.topk(1, "flight.delay", "flight").jag.flatten("flight.delay")
    assert lazy.collect(engine="streaming")["flight.delay"].to_list() == [70, 90] * 1000
    again = pl.LazyFrame.deserialize(frame.lazy().jag.query("flight.delay > 60").serialize())
    assert again.collect().equals(frame.jag.query("flight.delay > 60"))
    assert pickle.loads(pickle.dumps(frame.lazy().jag.sort_items("flight.delay", "flight"))).collect().height == 4
    lazy.sink_parquet(tmp_path / "b.parquet")
    assert pl.read_parquet(tmp_path / "b.parquet").height == 2000


def test_selectors_of_polars() -> None:
    frame = flights("eager")
    one = frame.jag.sort_items("delay", aj.polars.jagged())
    assert one.equals(frame.jag.sort_items("delay", "delay", "origin"))


# --------------------------------------------------------------------------------------------------------- describe


@pytest.mark.parametrize("host", HOSTS)
def test_describe(host: str) -> None:
    frame = flights(host).jag.nest("delay", "origin", into="f")
    told = frame.jag.describe("f") if host == "lists" else frame.jag.describe()
    values = told.to_dict(as_series=False) if host != "pandas" else {name: told[name].tolist() for name in told.columns}
    names = values.pop("statistic", list(STATISTICS))
    assert names == list(STATISTICS)
    delay = dict(zip(names, values["f.delay"], strict=True))
    assert (delay["rows"], delay["null_rows"], delay["empty_rows"]) == (4, 1, 1)
    assert (delay["length_min"], delay["length_max"], delay["items"], delay["count"]) == (0, 3, 4, 3)
    assert math.isclose(delay["mean"], (10 + 70 + 90) / 3)
    assert (delay["min"], delay["50%"], delay["max"]) == (10, 70, 90)
    origin = dict(zip(names, values["f.origin"], strict=True))
    assert origin["count"] == 4
    assert origin["mean"] is None or math.isnan(origin["mean"])
    with pytest.raises((ShapeError, JagValueError), match="describe: the frame has n"):
        frame_of(host, k=[1]).jag.describe()


@pytest.mark.parametrize("host", HOSTS)
def test_describe_flat_columns(host: str) -> None:
    told = frame_of(host, k=[1, 1, 4], v=[[1], [2], None]).jag.describe("k")
    values = [None if one is None or math.isnan(one) else one for one in told["k"]]
    assert dict(zip(STATISTICS, values, strict=True)) == dict.fromkeys(STATISTICS) | {
        "rows": 3, "null_rows": 0, "items": 3, "count": 3, "mean": 2, "std": math.sqrt(3), "min": 1, "25%": 1, "50%": 1, "75%": 2.5,
        "max": 4,
    }  # fmt: skip
    if host != "pandas":
        with pytest.raises(JagValueError, match="the result has a column 'statistic' of its own"):
            frame_of(host, statistic=[1]).jag.describe("statistic")


@pytest.mark.parametrize("host", HOSTS)
def test_frames_without_rows(host: str) -> None:
    columns = {name: one[:0] for name, one in columns_of([[]]).items()}
    columns["id"] = pd.Series([], dtype="int64") if host == "pandas" else pl.Series([], dtype=pl.Int64)
    frame = frame_of(host, **columns)
    assert lists(frame.jag.sort_items("k", "t", "d"), host)["t"] == []
    assert lists(frame.jag.nest("k", "t", into="s").jag.query("s.k > 1"), host)["s"] == []
    assert lists(frame.jag.flatten("t", "d", keep_empty=True), host)["d"] == []


DATA = aj.array([[1, 2], [3]])


@pytest.mark.parametrize("call", ["flatten", "unnest", "describe", "nest", "topk", "filter"])
def test_data_in_place_of_a_name_is_refused(call: str) -> None:
    keys: dict[str, tuple[Any, ...]] = {"topk": (1, "v"), "filter": ("v",)}
    options = {"into": "w"} if call == "nest" else {}
    pandas, polars = pd.DataFrame({"v": DATA.to_pandas()}), pl.DataFrame({"v": DATA.to_polars()})
    wrong = [
        (pandas, pandas["v"]),
        (pandas, DATA),
        (pandas, pl.col("v")),
        (polars, DATA),
        (polars, polars["v"]),
        (polars.lazy(), 3),
    ]
    for frame, data in wrong:
        with pytest.raises(aj.JagTypeError, match="a column must be given by its name"):
            getattr(frame.jag, call)(*keys.get(call, ()), data, **options)


def test_the_name_of_a_new_column_is_checked() -> None:
    with pytest.raises(aj.JagTypeError, match="nest: into must be the name of a column, got list"):
        pd.DataFrame({"v": DATA.to_pandas()}).jag.nest("v", into=["w"])
    with pytest.raises(aj.JagTypeError, match="nest: into must be a str, got int"):
        pl.DataFrame({"v": DATA.to_polars()}).jag.nest("v", into=1)  # type: ignore[arg-type]


def test_several_columns_as_expressions() -> None:
    frame = pl.DataFrame({"v": DATA.to_polars(), "w": (DATA * 10).to_polars()})
    expected = frame.jag.topk(1, "v", "v", "w")
    assert frame.jag.topk(1, "v", pl.col("v"), pl.col("w")).equals(expected)
    assert frame.jag.topk(1, "v", pl.all()).equals(expected)
    assert expected["w"].jag.to_list() == [[20], [30]]


@pytest.mark.parametrize("other", [[1, 2], aj.array([[1], [2]]), pa.array([1.0] * 5)])
def test_arguments_have_as_many_rows_as_the_frame(other: Any) -> None:
    frame = pd.DataFrame({"k": ["a", "b", "a"], "v": aj.array([[1.0, 2.0], [], [3.0]]).to_pandas()})
    with pytest.raises(aj.ShapeError, match=rf"groupby.jag.dot: the argument has {len(other)} rows, the frame 3"):
        frame.groupby("k").jag["v"].dot(other)


def test_a_level_of_the_index_is_no_column() -> None:
    frame = pd.DataFrame({"k": [1, 1], "v": aj.array([[1], [2]])}).set_index("k")
    for call in (lambda: frame.jag.implode("k", "v"), lambda: frame.jag.flatten("k"), lambda: frame.jag.topk(1, "v", "k")):
        with pytest.raises(
            aj.JagIndexError, match=r"no column 'k'; it has \['v'\]; 'k' is a level of the index, reset_index makes"
        ):
            call()
    with pytest.raises(aj.JagTypeError, match=r"^filter: a mask must hold booleans, got int64"):
        frame.jag.filter("v", "v")


def test_a_column_that_groups_cannot_reduce_is_named() -> None:
    frame = pd.DataFrame({"k": [1, 1], "v": aj.array([[1], [2]]), "t": aj.array([["a"], []])})
    with pytest.raises(aj.JagTypeError, match=r"^column 't': sum has no kernel for string"):
        frame.groupby("k").jag.sum()


def test_frames_take_a_list_of_keys_of_any_kind() -> None:
    a, b = aj.array([[2, 1, 2], [3]]), aj.array([["x", "y", "a"], ["z"]])
    for by in ([a, b], ["a", b], ["a", "b"]):
        assert pl.DataFrame({"a": a.to_polars(), "b": b.to_polars()}).jag.sort_items(by, "b")["b"].to_list() == [
            ["y", "a", "x"],
            ["z"],
        ]
        frame = pd.DataFrame({"a": a.to_pandas(), "b": b.to_pandas()})
        assert frame.jag.sort_items(by, "b")["b"].jag.to_list() == [["y", "a", "x"], ["z"]]


@pytest.mark.parametrize("host", HOSTS)
def test_frames_of_every_host_refuse_the_same_calls(host: str) -> None:
    frame = frame_of(host, k=[1, 2], v=aj.array([[1, 2], [3]]), f=aj.zip(t=aj.array([["a"], []])))
    with pytest.raises(JagTypeError, match=r"^flatten: 'k' is flat already; name a jagged column"):
        lists(frame.jag.flatten("k"), host)
    with pytest.raises(JagTypeError, match=r"^implode nests the rows of each group: name at least one column of keys"):
        frame.jag.implode([], "v")
    with pytest.raises(JagTypeError, match=r"^query: greater has no kernel for .*string and int64\. Cast text to numbers first"):
        lists(frame.jag.query("f.t > 1"), host)
    with pytest.raises(
        aj.JagAttributeError, match=r"Frame has no 'explode'; write x\.flatten\(\), or frame\.jag\.flatten\(column\)"
    ):
        frame.jag.explode("v")
    assert not hasattr(frame.jag, "_repr_latex_")


@pytest.mark.parametrize("host", HOSTS)
def test_flatten_takes_a_list_of_columns_and_a_column_twice(host: str) -> None:
    frame = frame_of(host, k=[1, 2], v=aj.array([[1, 2], [3]]), w=aj.array([[4, 5], [6]]))
    expected = {"k": [1, 1, 2], "v": [1, 2, 3], "w": [4, 5, 6]}
    assert lists(frame.jag.flatten(["v", "w"]), host) == expected
    assert lists(frame.jag.flatten("v", "w", "v"), host) == expected


def test_errors_of_earlier_steps_of_a_lazy_frame_keep_their_names() -> None:
    wrong = pl.LazyFrame({"a": [1], "v": aj.array([[1]])}).jag.flatten("a")
    for call in (
        lambda: wrong.jag.implode("v"),
        lambda: wrong.jag.query("a > 1"),
        lambda: wrong.jag.nest("a", into="s"),
        lambda: wrong.jag.unnest("v"),
        lambda: wrong.jag.topk(1, "v", "v"),
        wrong.jag.describe,
    ):
        with pytest.raises(JagTypeError, match=r"^flatten: 'a' is flat already"):
            call()
