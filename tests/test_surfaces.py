"""Every operation on every surface: the same call gives the result of the array, or the same error."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import arrowjag as aj
from arrowjag._methods import METHODS, Rows, over_axis
from arrowjag.errors import JagError, JagTypeError
from arrowjag.testing import assert_lists_equal
from tests.hosts import pd, pl
from tests.surfaces import SURFACES, Surface, on_array, on_lazy, plain, types_on

X = aj.array([[3, 1, 3, None], None, [], [2, -1]], type=pa.int64(), ndim=2)
F = aj.array([[0.5, float("nan")], [1.5, None], None, []], type=pa.float64(), ndim=2)
Y = aj.array([[1, 9], [4], [5], [2, 2]], type=pa.int64(), ndim=2)
K = aj.array([3, 1, 0, None], type=pa.int64(), ndim=1)
T = aj.array([["b", "a", None], [], None, ["c"]], type=pa.large_string(), ndim=2)
W = aj.array([[[2], [1, 2]], [[]], None, [None, [4, 3]]], type=pa.int64(), ndim=3)
P = aj.array([[1, 0], [0], None, []], type=pa.int64(), ndim=2)

TEXT = aj.array([["B é", "a", None], [], None, ["ß 12"]], type=pa.large_string(), ndim=2)
TIMES = aj.array([[0, 10**15 + 7], [None], None, []], ndim=2).cast(pa.timestamp("us"))
ZONED = TIMES.cast(pa.timestamp("us", "Europe/Paris"))
LENGTHS = TIMES.cast("int64").cast(pa.duration("us"))
S = aj.array([[{"a": 1}, {"a": 2}], [], None, [{"a": None}]])
M = aj.array([[("a", 1), ("b", None)], [], None, [("b", 3), ("a", 4)]], type=pa.map_(pa.string(), pa.int64()))
B = aj.array(["b", "a", "a", None], type=pa.string(), ndim=1)
SECONDS = aj.array([[0.0, 1.0, 2.5], [1.0, 2.0, 4.5], []], type=pa.float64(), ndim=2)
ONE = aj.array([[[1], [2]], [[3]], None, []], type=pa.int64(), ndim=3)

SQUARES = aj.array([[[1, 2], [3, 4]], [[5]], None, []], type=pa.int64(), ndim=3)

WITHOUT_ARGUMENTS = sorted(
    name
    for name, one in METHODS.items()
    if not one.seeded and not one.is_property and all(p.default is not p.empty for p in list(one.signature.parameters.values())[1:])
)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Call(NamedTuple):
    """A method, or a free function, with its first array and its other arguments."""

    name: str
    x: Any
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = _NOTHING


CALLS = [
    Call("quantile", X, (0.5,)),
    Call("join", T, ("-",)),
    Call("dot", X, (X,)),
    Call("sum", W, (), {"axis": (1, 2)}),
    Call("sum", X, (), {"axis": ()}),
    Call("count", W, (), {"axis": ()}),
    Call("cumcount", W, (), {"axis": ()}),
    Call("cumsum", W, (), {"axis": 1}),
    Call("cumsum", W, (), {"axis": (1, 2)}),
    Call("sort", W, (), {"axis": 1, "descending": True}),
    Call("sort", T, (), {"descending": True}),
    Call("sort", X, (), {"by": X * -1}),
    Call("rank", X, ("average",), {"descending": True}),
    Call("rank", X, (), {"tie_breaker": X * -1}),
    Call("rank", X, (), {"tie_breaker": K, "axis": 1}),
    Call("topk", X, (2,)),
    Call("topk", X, (2,), {"by": X * -1}),
    Call("topk", W, (1,), {"by": K, "axis": 0}),
    Call("topk", X, (2,), {"descending": False}),
    Call("bottomk", X, (2,)),
    Call("bottomk", T, (2,), {"by": T}),
    Call("unique", X, (), {"by": X % 2}),
    Call("min_by", X, (X * -1,)),
    Call("min_by", W, (W.lengths(2),), {"axis": 1}),
    Call("max_by", T, (T,)),
    Call("index_of", X, (3,)),
    Call("index_of", X, (None,)),
    Call("index_of", X, (K,)),
    Call("is_sorted", X, (True,)),
    Call("argwhere", X > 1),
    Call("drop_nulls", W, (), {"axis": 1}),
    Call("replace", X, (3, None)),
    Call("replace", X, ([3, None], [30, 0])),
    Call("replace", T, ({"a": "A"},)),
    Call("remove", X, (3,)),
    Call("remove", X, (None,)),
    Call("remove", X, (K,)),
    Call("append", X, (7,)),
    Call("append", X, (K,)),
    Call("append", W, (K,)),
    Call("append", T, ("z",)),
    Call("insert", X, (1, 7)),
    Call("insert", X, (K, K)),
    Call("splice", X, (1, 1)),
    Call("splice", X, (1, 1, 7)),
    Call("splice", X, (K, 1, Y)),
    Call("rotate", X, (1,)),
    Call("rotate", X, (K,)),
    Call("rle", W, (), {"axis": 1}),
    Call("windows", X, (2,)),
    Call("windows", W, (1, 2), {"axis": 1}),
    Call("n_grams", T, (2,)),
    Call("argcombinations", X, (2,)),
    Call("symmetric_difference", X, (Y,)),
    Call("pad", X, (3, 7)),
    Call("pad", W, (2, [7, None]), {"axis": 1}),
    Call("pad", W, (2, []), {"axis": 1}),
    Call("head", X, (2,)),
    Call("head", X, (K,)),
    Call("head", W, (K,), {"axis": 1}),
    Call("tail", X, (K,)),
    Call("slice", X, (K,)),
    Call("slice", X, (K, 1)),
    Call("slice", X, (-2, K)),
    Call("slice", X, (K, K)),
    Call("topk", W, (1,), {"axis": 1}),
    Call("shift", X, (-1,), {"fill": 0}),
    Call("shift", X, (1,), {"fill": K}),
    Call("diff", F, (1,)),
    Call("rolling.sum", X, (2,)),
    Call("rolling.mean", F, (2,)),
    Call("rolling.min", X, (2,)),
    Call("rolling.max", T, (1,)),
    Call("rolling.count", X, (2,)),
    Call("rolling_sum", X, (2,)),
    Call("softmax", F, (), {"beta": 2.0}),
    Call("cdf", F, (), {"weights": K}),
    Call("cdf", X, (), {"weights": X}),
    Call("group_by", X, (X % 2,)),
    Call("group_by", X, (X % 2, X)),
    Call("group_by", X, (K,)),
    Call("group_by_indices", X, (), {"sort": True}),
    Call("inverse_permutation", P),
    Call("contains", X, (3,)),
    Call("contains", X, (K,)),
    Call("contains", X, (Y,)),
    Call("is_in", X, ([1, 2],)),
    Call("is_in", X, (Y,)),
    Call("union", X, (Y,)),
    Call("intersection", X, (Y,)),
    Call("difference", X, (Y,)),
    Call("searchsorted", Y, (X,)),
    Call("searchsorted", Y, (3,), {"side": "right"}),
    Call("searchsorted", W, (K,), {"axis": (1, 2)}),
    Call("translate", X, (aj.array([1, 2, 3]), aj.array(["one", "two", "three"]))),
    Call("translate", X, ({1: "one", 3: "three"},)),
    Call("translate", X, (X.unique(), X.unique() * 10)),
    Call("translate", X, (aj.array([[1], [3], [2], [4]]), aj.array([[10], [30], [20], [40]])), {"axis": None}),
    Call("translate", X, (W.filter(W > 2), W.filter(W > 2) * 10), {"axis": (1, 2)}),
    Call("combinations", X, (2,)),
    Call("pairs", X, (Y,)),
    Call("sample", X, (), {"n": 1, "seed": 3}),
    Call("sample", X, (), {"fraction": 0.5, "seed": 3}),
    Call("sample", X, (), {"n": K, "seed": 3}),
    Call("shuffle", X, (3,)),
    Call("map_rows", X, (len, pa.int64())),
    Call("round", F, (1,)),
    Call("clip", X, (0, 2)),
    Call("clip", X, (K, None)),
    Call("cast", X, ("float64",)),
    Call("is_null", X, (), {"axis": 0}),
    Call("fill_null", X, (7,)),
    Call("fill_null", X, (Y[:, :1].max(),)),
    Call("fill_null_rows", X, (Y,)),
    Call("with_validity", X, (0, [True, True, False, True])),
    Call("take", X, (0,), {"out_of_bounds": "null"}),
    Call("take", X, (K,), {"out_of_bounds": "null"}),
    Call("get", X, (-1,)),
    Call("get", X, (1, 7)),
    Call("get", X, (K, K)),
    Call("get", W, (0, 7)),
    Call("get", M, ("a",)),
    Call("get", M, ("b", -1)),
    Call("get", M, (B, K)),
    Call("contains_key", M, ("b",)),
    Call("contains_key", M, (B,)),
    Call("to_map", M),
    Call("filter", X, (X > 1,)),
    Call("repeat", X, (2,)),
    Call("repeat", X, (K.fill_null(0),)),
    Call("tile", X, ((2,),)),
    Call("tile", X, ((2, [1, 2]),)),
    Call("tile", X, (range(1, 2),)),
    Call("tile", X, (aj.JaggedShape(2, 1),)),
    Call("repeat", X, ((0, 2, 1, 2),)),
    Call("take", X, ((0, 0, 0, 1),), {"out_of_bounds": "null"}),
    Call("head", X, ((0, 2, 1, 1),)),
    Call("with_fields", S, (), {"b": S["a"]}),
    Call("set", X, ((slice(None), slice(0, 0)), aj.array([[], [], [], []], type=pa.int64(), ndim=2))),
    Call("unsqueeze", X, (1,)),
    Call("squeeze", ONE, (2,)),
    Call("expand", X, (-1, -1, 2)),
    Call("expand_to", K, (W,)),
    Call("expand_to", K, (aj.JaggedShape(4, [1, 0, 2, 1], 2),)),
    Call("expand_to", K, (aj.JaggedShape(3, 2),)),
    Call("expand_to", K, (aj.JaggedShape(),)),
    Call("expand_to", X, (aj.JaggedShape(4, 2), 1)),
    Call("transpose", W, (1, 2), {"shear": "allow"}),
    Call("permute", aj.arange(2, 2, 3), (0, 2, 1)),
    Call("flatten", W, (1,)),
    Call("flatten", W, (1,), {"keep_empty": True}),
    Call("reshape", aj.arange(4, 6), (4, 2, 3)),
    Call("reshape_as", X, (X,)),
    Call("fold", X, (lambda state, item: 10 * state + item, 0), {"type": pa.int64()}),
    Call("scan", X, (lambda state, item: state - item, 0), {"type": pa.int64()}),
    Call("map_items", X, (lambda item: 2 * item,), {"type": pa.int64()}),
    Call("rolling_mean", F, (2,)),
    Call("rolling_min", X, (2,)),
    Call("rolling_max", X, (2,)),
    Call("rolling_count", X, (2,)),
    *[Call(name, TEXT) for name in WITHOUT_ARGUMENTS if name.startswith("str.")],
    *[Call(name, TIMES) for name in WITHOUT_ARGUMENTS if name.startswith("dt.")],
    Call("dt.hour", ZONED),
    Call("dt.total_seconds", LENGTHS),
    Call("dt.timestamp", ZONED, ("s",)),
    Call("dt.floor", ZONED, ("1d",)),
    Call("dt.ceil", LENGTHS, ("5m",)),
    Call("dt.round", TIMES, ("1mo",)),
    Call("dt.strftime", ZONED, ("%F %f",)),
    Call("dt.tz_convert", ZONED, ("UTC",)),
    Call("dt.tz_localize", TIMES, ("Europe/Paris",)),
    Call("str.removeprefix", TEXT, ("a",)),
    Call("str.removesuffix", TEXT, ("é",)),
    Call("str.slice", TEXT, (1, None, 2)),
    Call("str.zfill", TEXT, (4,)),
    Call("str.pad", TEXT, (4, "both", "-")),
    Call("str.center", TEXT, (4,)),
    Call("str.ljust", TEXT, (4,)),
    Call("str.rjust", TEXT, (4,)),
    Call("str.contains", TEXT, ("B",), {"ignore_case": True}),
    Call("str.startswith", TEXT, ("a",)),
    Call("str.endswith", TEXT, (("é", "a"),)),
    Call("str.match", TEXT, ("[aB]",)),
    Call("str.fullmatch", TEXT, ("[aB]",)),
    Call("str.find", TEXT, ("é",)),
    Call("str.count", TEXT, ("a",)),
    Call("str.replace", TEXT, ("a", "b")),
    Call("str.extract", TEXT, ("(?P<x>[0-9])([0-9])?",)),
    Call("str.extract_all", TEXT, ("[0-9]",)),
    Call("str.split", TEXT, (" ",)),
    Call("str.repeat", TEXT, (2,)),
    Call("apply", X, ("negate",)),
    Call("apply", X, ("max_element_wise", Y[:, :1].max()), {"skip_nulls": False}),
    Call("where", X, (X > 1, X * 2)),
    Call("where", X, (X > 1,)),
    Call("coalesce", X, (X * 2, 0)),
    Call("zip", X, (X, K)),
    Call("zip", X, (), {"k": K, "pad": True}),
    Call("concat", X, (Y,), {"axis": 1}),
    Call("concat", X, (Y, X), {"axis": -1}),
    Call("concat", X, (Y,)),
    Call("str.to_number", TEXT, ("int64",), {"strict": False}),
    Call("str.to_datetime", TEXT, ("%Y",), {"strict": False}),
    Call("cast", TEXT, ("int64",), {"strict": False}),
    Call("str.cat", TEXT, (TEXT, "-")),
    Call("rolling_var", F, (2,), {"min_periods": 1, "ddof": 0}),
    Call("rolling_std", X, (3,), {"center": True}),
    Call("rolling_median", X, (2,), {"min_periods": 1}),
    Call("rolling_quantile", X, (None, 0.5)),
    Call("rolling_first", T, (2,), {"min_periods": 1}),
    Call("rolling_last", X, (2,), {"on": X.cumcount().fill_null(3)}),
    Call("rolling.sum", X, (2,), {"on": X.cumcount().fill_null(3)}),
    Call("rolling.sum", X, (2, 1)),
    Call("rolling_sum", X, (2,), {"on": K.fill_null(0), "axis": 1}),
    Call("expanding.mean", X),
    Call("expanding.max", T, (2,)),
    Call("ewm.mean", F, (), {"alpha": 0.5}),
    Call("ewm.var", X, (), {"span": 3}),
    Call("ewm_mean", X, (), {"halflife": 1.0}),
    Call("ewm_var", F, (), {"alpha": 0.5}),
    Call("quantile", X, ([0.5, 1.0],)),
    Call("quantile", X, ([0.5],)),
    Call("quantile", X, (0.5,), {"weights": Y[:, :1].max()}),
    Call("mean", X, (), {"weights": K}),
    Call("mean", X, (), {"weights": X.abs()}),
    Call("rank", X, (), {"pct": True}),
    Call("moment", X, (2,)),
    Call("corr", X, (X * X,)),
    Call("cov", X, (X * X,)),
    Call("cov", X, (K,), {"ddof": 0}),
    Call("linear_fit", X, (X * X,)),
    Call("bootstrap", X, (2, 7)),
    Call("histogram", X, (2,)),
    Call("histogram", F, (2,), {"range": (0.0, 1.0)}),
    Call("histogram", X, ([0, 1, 3],)),
    Call("bincount", Y, ()),
    Call("bincount", Y, (10,)),
    Call("digitize", X, ([1, 2],)),
    Call("digitize", X, (X.image()[1],)),
    Call("histogram", X, (X.image()[1],)),
    Call("cut", X, (X.image()[1],)),
    Call("cut", X, (2,)),
    Call("cut", F, ([0, 1],)),
    Call("norm", X, (1,)),
    Call("normalize", X, (1,)),
    Call("cosine", X, (X * X,)),
    Call("distance", X, (X * X, "l1")),
    Call("distance", X, (K, "hamming")),
    Call("matmul", SQUARES, (SQUARES,)),
    Call("matmul", SQUARES, (SQUARES.last(),)),
    Call("nearest", Y.head(1), ([[1.0], [5.0]],)),
    Call("nearest", Y.head(1), (np.array([[1.0], [5.0]]), "cosine")),
    Call("sample", X, (), {"n": 1, "seed": 3, "weights": X.abs()}),
]
"""Methods that need arguments, and arguments that differ in kind."""

FUNCTIONS = [
    Call("where", X > 1, (X, X * 2)),
    Call("coalesce", X, (X * 2,)),
    Call("concat", [X, Y]),
    Call("stack", [X, X]),
    Call("zip", X, (X,)),
    Call("zip", X, (Y,), {"pad": True}),
    Call("cartesian", X, (Y,)),
    Call("cartesian", X, (K, T), {"nested": True}),
    Call("argcartesian", X, (Y,)),
    Call("interp", X, (Y.sort(), Y)),
    Call("interp", K, (Y.sort(), Y, "null")),
    Call("asof", X, (Y.sort(),)),
    Call("asof", X, (Y.sort(), Y, "nearest", 2)),
    Call("resample", Y, (Y, 2, "sum")),
    Call("lomb_scargle", SECONDS, (SECONDS.cumsum(), [0.1, 0.3])),
    Call("align", K, (X,)),
    Call("apply", pc.negate, (X,)),
    Call("from_json", aj.array(["[1, null]", None, "[]"]), (pa.list_(pa.int64()),)),
    Call("to_map", M["key"], (M["value"],)),
]
"""Free functions that take the columns of a surface."""


def is_no_column(name: str, x: aj.JaggedArray, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether a lazy frame refuses the call: its rows would not be those of the other columns, or it gives several columns."""
    one = METHODS[name]
    if str(one.signature.return_annotation).startswith("tuple"):
        return True
    return one.rows(x.ndim, one.bind(args, dict(kwargs))) in (
        Rows.MOVED,
        Rows.REDUCED,
    )


def check(surface: Surface, name: str, x: aj.JaggedArray, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] = _NOTHING) -> None:
    """The array's answer and its types, or the error that it raises with its text."""
    method = name if name in METHODS else name.partition(".")[0]
    if surface is on_lazy and method in METHODS and is_no_column(method, x, args, kwargs):
        with pytest.raises(JagTypeError, match=name):
            surface(x, name, *args, **kwargs)
        return
    try:
        expected = on_array.__wrapped__(x, name, *args, **kwargs)
    except JagError as error:
        text = None if surface is on_lazy else f"^{re.escape(str(error))}$"
        with pytest.raises(type(error), match=text):
            surface(x, name, *args, **kwargs)
        return
    got = surface.__wrapped__(x, name, *args, **kwargs)
    assert_lists_equal(plain(got), plain(expected))
    assert types_on(surface, got) == types_on(surface, expected)


@pytest.mark.parametrize("name", WITHOUT_ARGUMENTS)
@pytest.mark.parametrize("x", [X, F, W], ids=["integers", "floats", "deep"])
def test_without_arguments(surface: Surface, name: str, x: aj.JaggedArray) -> None:
    check(surface, name, x)


@pytest.mark.parametrize("call", CALLS, ids=[f"{k}-{call.name}" for k, call in enumerate(CALLS)])
def test_with_arguments(surface: Surface, call: Call) -> None:
    check(surface, *call)


def test_traced_calls() -> None:
    """`jit` gives the array's answer or error, whatever a call has from outside: arrays, lists, tuples of dims, shapes."""

    def outcome(run: Callable[[], Any]) -> Any:
        try:
            found = run()
        except JagError as error:
            return type(error), str(error)
        return plain(found), types_on(on_array, found)

    for name, x, args, kwargs in CALLS:
        run = lambda x, name=name, args=args, kwargs=kwargs: on_array.__wrapped__(x, name, *args, **kwargs)  # noqa: E731
        expected, got = outcome(lambda: run(x)), outcome(lambda: aj.jit(run)(x))  # noqa: B023 - called at once
        assert repr(got) == repr(expected), (name, args, kwargs)


@pytest.mark.parametrize("call", FUNCTIONS, ids=[call.name for call in FUNCTIONS])
@pytest.mark.parametrize("host", ["pandas", "polars"])
def test_free_functions(host: str, call: Call) -> None:
    def column(one: Any) -> Any:
        if isinstance(one, list):
            return [column(each) for each in one]
        return getattr(one, f"to_{host}")() if isinstance(one, aj.JaggedArray) else one

    function = getattr(aj, call.name)
    got = function(column(call.x), *map(column, call.args), **call.kwargs)
    assert plain(got) == plain(function(call.x, *call.args, **call.kwargs))


@pytest.mark.parametrize("name", [name for name in WITHOUT_ARGUMENTS if METHODS[name].rule is over_axis])
def test_aggregates_over_the_rows(name: str) -> None:
    for key in ("array", "pandas", "polars"):
        assert_lists_equal(SURFACES[key](X.abs(), name, axis=0), on_array(X.abs(), name, axis=0))


def test_a_flat_column_as_a_set_is_seen_whole() -> None:
    df = pl.DataFrame({"x": X.to_polars(), "k": K.to_polars()})
    expected = X.is_in(K).to_list()
    for engine in ("in-memory", "streaming"):
        got = df.lazy().select(pl.col("x").jag.is_in(pl.col("k"))).collect(engine=engine)["x"]
        assert aj.array(got).to_list() == expected
    parts = pl.concat([df[:1], df[1:]], rechunk=False)
    assert aj.array(parts.select(pl.col("x").jag.is_in(pl.col("k")))["x"]).to_list() == expected


def test_a_value_a_row_is_aligned_on_the_index() -> None:
    s = aj.array([[1, 2], [3]]).to_pandas(index=["a", "b"])
    assert s.jag.contains(pd.Series([3, 9], index=["b", "a"])).tolist() == [False, True]


def test_searchsorted_in_a_single_row_is_refused_in_expressions() -> None:
    assert pd.Series([1, 5, 9]).jag.searchsorted([4, 6, 7]).tolist() == [1, 2, 2]
    with pytest.raises(JagTypeError, match="searchsorted changes the rows"):
        pl.DataFrame({"k": [1, 2]}).select(pl.col("k").jag.searchsorted(pl.col("k")))


def test_keys_of_the_rows_are_aligned_on_the_index() -> None:
    s = aj.array([[1, 2], [3], [4]]).to_pandas(index=["a", "b", "c"])
    key = pd.Series([2, 1, 1], index=["c", "b", "a"])
    assert aj.array(s.jag.group_by(key, axis=0)).to_list() == [[[1, 2], [3]], [[4]]]
    assert aj.array(s.jag.sort(by=key, descending=True, axis=0)).to_list() == [[4], [1, 2], [3]]
