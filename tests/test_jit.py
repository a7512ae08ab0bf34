"""`aj.jit`: a traced function returns the results of the function itself, bit for bit, on every surface and in every mode."""

from __future__ import annotations

import copy
import dataclasses
import decimal
import functools
import gc
import math
import operator
import pickle
import re
import sys
import types
import weakref
from collections import deque, namedtuple
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._expressions import Call, Input, Program, evaluation
from arrowjag._expressions.stages import Stage
from arrowjag._kernels import compiled, strategy
from arrowjag.errors import JagError
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests.hosts import pd, pl
from tests.kernels.ugly import columns

BLOCKS = {"JIT_VALUES": 0, "JIT_CALLS": 0, "JIT_SHARE": 0, "JIT_BLOCK": 2}
"""Sizes by which small columns fill several blocks."""


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """The result with its types, or the error, as text that tells -0.0 from 0.0."""
    try:
        return described(function(*args))
    except (JagError, TypeError, AttributeError, pa.ArrowException) as error:  # some calls return Arrow scalars
        return f"{type(error).__name__}: {error}"


def described(found: Any) -> str:
    if isinstance(found, aj.JaggedArray):
        found.to_arrow(extension=False).validate(full=True)
        return repr((found.type, found.shape.extents, found.to_list()))
    if isinstance(found, (tuple, list)):
        return repr([described(one) for one in found])
    if isinstance(found, dict):
        return repr({key: described(one) for key, one in found.items()})
    return repr((found.type, found.to_pylist())) if isinstance(found, pa.Array) else repr(found)


# ----------------------------------------------------------------------------------------------------- any expression

BINARY: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: x // y,
    lambda x, y: x % y,
    lambda x, y: x > y,
    lambda x, y: x == y,
    lambda x, y: aj.where(x > y, x, y),
    aj.coalesce,
    np.maximum,
    lambda x, y: x & y,
    lambda x, y: x.fill_null(y),
    lambda x, y: x.dot(y),
    lambda x, y: x @ y,
    lambda x, y: np.divmod(x, y)[1],
    lambda x, y: aj.zip(a=x, b=y)["b"],
    lambda x, y: aj.concat([x, y, x]),
    lambda x, y: x.is_in(y),
    lambda x, y: x[:, : y.count()],
]
UNARY: list[Callable[[Any], Any]] = [
    lambda x: -x,
    abs,
    np.sqrt,
    np.exp,
    lambda x: x * 2,
    lambda x: 3 - x,
    lambda x: x / 4.0,
    lambda x: x % 3,
    lambda x: x > 1,
    lambda x: x.cast("float32"),
    lambda x: x.fill_null(1),
    lambda x: x.is_null(),
    lambda x: x.is_nan(),
    lambda x: x.clip(0, 3),
    lambda x: x.is_in([1, 2, 3]),
    lambda x: x.sum(),
    lambda x: x.mean(),
    lambda x: x.max(),
    lambda x: x.argmin(),
    lambda x: x.count(),
    lambda x: x.any(),
    lambda x: x.std(),
    lambda x: x.median(),
    lambda x: x.first(),
    lambda x: x.n_unique(),
    lambda x: x.sum(axis=0),
    lambda x: x.max(axis=None),
    lambda x: x.cumsum(),
    lambda x: x.cumsum(axis=0),
    lambda x: x.cummax(),
    lambda x: x.diff(),
    lambda x: x.shift(1, 0),
    lambda x: x.rolling(2).mean(),
    lambda x: x.ffill(),
    lambda x: x.softmax(),
    lambda x: x.sort(),
    lambda x: x.rank(),
    lambda x: x.reverse(),
    lambda x: x.head(2),
    lambda x: x[:, 0],
    lambda x: x[..., ::-1],
    lambda x: x.S[0],
    lambda x: x[x > 1],
    lambda x: x.unique(),
    lambda x: x.topk(2),
    lambda x: x.lengths(),
    lambda x: x.flatten_end(),
    lambda x: x.value_counts(),
    lambda x: x.map_rows(len, type="int64"),
    lambda x: aj.apply("negate", x),
    lambda x: x.round(1),
    lambda x: np.modf(x)[0],
    lambda x: np.frexp(x)[1],
    lambda x: x[1:],
    lambda x: x.replace({1: 2, 2: 1}),
    lambda x: x.str.upper(),
    lambda x: x.str.split("a"),
    lambda x: x.dt.year(),
]


@st.composite
def expressions(draw: st.DrawFn, n_arguments: int) -> Callable[..., Any]:
    """A function of several arrays, made of a few random calls; any of its values may be among the results.

    Its attribute `everything` is a function that returns them all: what a traced function does not return is left out, with its
    errors.
    """
    steps = []
    for count in range(n_arguments, n_arguments + draw(st.integers(1, 6))):
        operand = st.integers(0, count - 1)
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(BINARY)), (draw(operand), draw(operand))))
        else:
            steps.append((draw(st.sampled_from(UNARY)), (draw(operand),)))
    wanted = draw(st.lists(st.integers(0, n_arguments + len(steps) - 1), max_size=2))

    def everything(*arrays: Any) -> Any:
        values = list(arrays)
        for step, places in steps:
            values.append(step(*(values[place] for place in places)))
        return values

    def function(*arrays: Any) -> Any:
        values = everything(*arrays)
        return values[-1], *(values[place] for place in wanted)

    function.everything = everything
    return function


@given(st.data())
def test_any_expression_has_the_bits_of_its_calls(data: st.DataObject) -> None:
    ndims = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    numbers = st.sampled_from([pa.float64(), pa.float64(), pa.float32(), pa.int64(), pa.int64(), pa.uint8(), pa.bool_()])
    leaves = [data.draw(st.one_of(numbers, numbers, numbers, leaf_types())) for _ in ndims]
    arrays = data.draw(prefix_arrays(ndims, leaves))
    function = data.draw(expressions(len(arrays)))
    expected = outcome(function, *arrays)
    if "Error: " in expected[:20]:
        function = function.everything
    fused = aj.jit(function)
    with strategy.force(**BLOCKS):
        assert outcome(fused, *arrays) == expected
    assert outcome(fused, *arrays) == expected


CHAINS: dict[str, Callable[[Any], Any]] = {
    "z-score": lambda x: (x - x.mean()) / x.std(),
    "softmax": lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
    "drawdown": lambda x: (x.cummax() - x).max(),
    "wrap-around": lambda x: (x * x * 3 - 1).cumsum(),
    "with a sort between": lambda x: ((x + 1).sort() * 2).sum(),
    "with nulls": lambda x: aj.where(x > 0, x, None).fill_null(7) * x,
    "several results": lambda x: (x.sum() + 1, x * 2 - 1, x.max(axis=None)),
    "the whole frame between": lambda x: x - (x + x).max(axis=None),
    "flags": lambda x: (((x > 0) & ~(x > 2)).any(), (x > 0) | (x < -1)),
}


LABELS = [label for label, column in columns().items() if column.type in (pa.float64(), pa.int64()) or label == "float"]


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("label", LABELS)
def test_chains_on_every_physical_layout(chain: str, label: str) -> None:
    x, function = columns()[label].array, CHAINS[chain]
    expected = outcome(function, x)
    with strategy.force(JIT_VALUES=0, JIT_CALLS=0, JIT_SHARE=0, JIT_BLOCK=max(2, x.size // 7)) as taken:
        assert outcome(aj.jit(function), x) == expected
    assert taken["expression", "blocks"] or chain != "z-score" or label != "double"


# ----------------------------------------------------------------------------------------------------- tracing


def test_a_function_runs_once_per_types() -> None:
    runs = []

    @aj.jit
    def doubled(x, n):
        runs.append((x.ndim, str(x.type), n))
        return x * n

    for data in ([[1, 2], [3]], [[4]], [[5]]):
        assert doubled(aj.array(data), 2).to_list() == (aj.array(data) * 2).to_list()
    assert runs == [(2, "int64", 2)]
    doubled(aj.array([1.5]), 2)
    doubled(aj.array([1.5]), 3)
    assert runs[1:] == [(1, "double", 2), (1, "double", 3)]
    assert doubled.__name__ == "doubled"
    assert repr(doubled) == "arrowjag.jit(doubled)"


def test_values_from_outside_are_those_of_now() -> None:
    factor = 2
    scaled = aj.jit(lambda x: x * factor)
    x = aj.array([[1], [2, 3]])
    assert scaled(x).to_list() == [[2], [4, 6]]
    factor = 10
    assert scaled(x).to_list() == [[10], [20, 30]]
    per_row = np.array([1, 100])
    assert aj.jit(lambda x: (per_row * x, x * per_row, x + aj.array([[1], [2, 3]])))(x)[0].to_list() == [[1], [200, 300]]


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: x if x > 1 else -x, "the truth of an array (`if`"),
        (list, "the rows (`for`"),
        (len, "`len`"),
        (math.sqrt, "a number (`float`"),
        (int, "a number (`int`)"),
        (lambda x: 1 in x, "`in`"),
        (lambda x: x.to_list(), "`to_list`"),
        (np.asarray, "a numpy array"),
        (pa.array, "an Arrow array"),
        (range, "a number (`range`"),
        (lambda x: x.shape, "`shape`"),
        (lambda x: x.values, "`values`"),
    ],
)
def test_control_flow_on_values_is_refused(function: Callable[[Any], Any], what: str) -> None:
    text = rf"^jit: \S+ needs {re.escape(what)}.*depends on the values.*aj.where\(c, x, y\).*without jit"
    with pytest.raises(aj.JagTypeError, match=text):
        aj.jit(function)(aj.array([1.0, 2.0]))


def test_a_function_that_fails_is_explained_by_its_error() -> None:
    assert aj.jit(lambda x: x + "a").explain(aj.array([[1]])) == "<lambda> raises an error on these types, and runs without tracing"


@pytest.mark.parametrize("type", ["int64", "double", "float16"])
def test_a_function_of_a_scalar_that_gives_no_column_is_refused(type: str) -> None:
    """Samples of scalars are null, for which Python's functions raise errors of their own."""
    with pytest.raises(aj.JagTypeError, match=r"^jit: \S+ needs an operation of Arrow scalars, .*without jit"):
        aj.jit(lambda x: np.floor(x.first()))(aj.array([1, 2], type=type))


def test_a_name_that_arrays_lack() -> None:
    with pytest.raises(AttributeError, match=r"no .*'spam'"):
        aj.jit(lambda x: x.spam())(aj.array([1]))
    with pytest.raises(aj.JagTypeError, match="jit takes a function, got int"):
        aj.jit(3)


def test_errors_name_the_row_of_the_column() -> None:
    big = 2**62
    x = aj.array([[1, 2]] * 50 + [[big, big, big]] + [[1]] * 50)
    with strategy.force(JIT_VALUES=0, JIT_CALLS=0, JIT_SHARE=0, JIT_BLOCK=8):
        for function in (lambda x: (x + 0).cumsum() - 1, lambda x: (x * 1).sum() + 1):
            with pytest.raises(aj.JagOverflowError, match="row 50") as caught:
                aj.jit(function)(x)
            assert caught.value.__context__ is None  # tracebacks show no row of a block
            assert outcome(aj.jit(function), x) == outcome(function, x)
    with pytest.raises(aj.ShapeError, match="row 1"):
        aj.jit(lambda x, y: x * 2 + y)(aj.array([[1, 2], [3]]), aj.array([[1, 2], [3, 4]]))


def test_errors_of_types_are_those_of_the_call() -> None:
    text = aj.array([["a"]])
    assert outcome(aj.jit(lambda x: x * 2), text) == outcome(lambda x: x * 2, text)
    guarded = aj.jit(lambda x: x.str if hasattr(x, "spam") else x)
    assert guarded(text).to_list() == [["a"]]


# ----------------------------------------------------------------------------------------------------- what goes in and out


def test_structures_of_results_stay() -> None:
    pair = namedtuple("pair", "low high")  # noqa: PYI024
    x = aj.array([[1, 5], [3]])
    assert aj.jit(lambda x: pair(x.min(), x.max()))(x).high.to_list() == [5, 3]
    found = aj.jit(lambda x: {"a": [x + 1, 7], "b": (x, None)})(x)
    assert found["a"][0].to_list() == [[2, 6], [4]]
    assert found["a"][1] == 7
    assert found["b"][0] is x
    assert aj.jit(lambda x: x.sum(axis=None))(x) == pa.scalar(9)
    assert aj.jit(lambda x, y: x * y)([[1, 2], [3]], np.array([10, 100])).to_list() == [[10, 20], [300]]
    assert aj.jit(lambda: 3)() == 3


def test_series_of_pandas_and_polars_and_expressions() -> None:
    centered = aj.jit(lambda x, k: (x - x.mean()) * k)
    x, k = aj.array([[1.0, 3.0], None, [5.0, None]]), [1.0, 2.0, 3.0]
    expected = centered(x, aj.array(k)).to_list()
    index = ["a", "b", "c"]
    by_pandas = centered(x.to_pandas(index=index, name="v"), pd.Series(k, index=index, name="v"))
    assert aj.array(by_pandas).to_list() == expected
    assert list(by_pandas.index) == index
    assert by_pandas.name == "v"
    assert str(by_pandas.dtype) == "jagged[double, 2]"
    assert centered(x.to_polars("v"), pl.Series("k", k)).to_list() == expected
    df = pl.DataFrame({"v": x.to_polars(), "k": k})
    for frame in (df, df.lazy()):
        found = frame.select(centered(pl.col("v"), pl.col("k")))
        found = found.collect() if isinstance(found, pl.LazyFrame) else found
        assert found["v"].to_list() == expected
    spread = aj.jit(lambda x: {"low": x.min(), "high": x.max()})
    assert spread(x.to_pandas(index=index))["high"].to_list() == [3.0, pd.NA, 5.0]
    assert df.select(**spread(pl.col("v")))["high"].to_list() == [3.0, None, 5.0]
    written_for_series = aj.jit(lambda s: (s.jag * 2).jag.sum())
    assert written_for_series(x).to_list() == [8.0, None, 10.0]


def test_series_from_outside_have_labels_that_arrays_lack() -> None:
    x, outside = aj.array([[1], [2], [3]]), pd.Series([1, 10, 100], index=[2, 1, 0])
    functions = [
        lambda x: x * outside,
        lambda x: outside * x,
        lambda x: aj.where(x > 1, x, outside),
        lambda x: np.add(x, outside.jag),
    ]
    for function in functions:
        for argument in (x, x.to_pandas()):
            with pytest.raises(aj.JagTypeError, match=r"^jit: <lambda> reads a Series from outside, .* make it an argument"):
                aj.jit(function)(argument)
    assert aj.jit(lambda x, k: x * k)(x.to_pandas(), outside).to_dict() == {0: [100], 1: [20], 2: [3]}
    assert aj.jit(lambda x: copy.deepcopy(copy.copy(x)) + x)(x).to_list() == [[2], [4], [6]]
    assert aj.jit(lambda x: x * pl.Series([1, 10, 100]))(x).to_list() == [[1], [20], [300]]


def test_an_expression_beside_a_series_gives_an_expression() -> None:
    product = aj.jit(lambda x, k: x * k + x)
    df, k = pl.DataFrame({"v": aj.array([[1, 3], [5]]).to_polars()}), pl.Series("k", [10, 100])
    assert df.select(product(pl.col("v"), k)).to_series().to_list() == [[11, 33], [505]]
    assert df.select(product(k, pl.col("v"))).to_series().to_list() == [[20, 40], [600]]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, k: aj.align(k, x),
        lambda x, k: (np.less(2, x), np.less_equal(2, x), np.greater(2, x), np.greater_equal(2, x)),
        lambda x, k: (np.equal(2, x), np.not_equal(2, x), np.subtract(2, x)),
        lambda x, k: x.max(axis=None)[0],
        lambda x, k: x.max(axis=None).values,
    ],
)
def test_calls_of_other_kinds_are_those_of_arrays(function: Callable[..., Any]) -> None:
    x, k = aj.array([[1.0, 2.0], [], None, [3.0]]), aj.array([1, 2, 3, 4])
    assert outcome(aj.jit(function), x, k) == outcome(function, x, k)


def test_results_of_blocks_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks alone run where all their results fit: no call takes a whole column."""
    whole: list[Any] = []
    monkeypatch.setattr(evaluation, "run_calls", lambda calls, *_: whole.extend(calls))
    rows = aj.array([[1.0, 2.0], [3.0], [], None, [4.0, None]])
    function = aj.jit(lambda x: ((x - x.mean()) / x.std(), x.mean() * 2))
    for x in (rows, aj.JaggedArray(aj.JaggedShape(5, rows.shape.dims[1]), rows.values)):
        with aj.options(compile="never"), strategy.force(**BLOCKS):
            assert len(function(x)) == 2
    assert whole == []


def test_a_stretch_drops_what_no_later_call_reads() -> None:
    x = Input(0)
    one = Call("operator", "neg", (x,))
    two = Call("operator", "neg", (one,))
    three = Call("operator", "add", (two, two))
    assert Stage((one, two, three), (x,), (three,)).drops == [[], [id(one)], [id(two)]]
    assert Stage((one, two, three), (x,), (one, three)).drops == [[], [], [id(two)]]


def test_calls_without_a_common_operand_run_apart() -> None:
    """Their columns may have other rows."""
    x, y = Input(0), Input(1)
    results = [Call("operator", "mul", (Call("operator", "add", (one, 1)), 2)) for one in (x, y)]
    program = Program.of(results, {id(one): aj.array([[1.0]])[:0] for one in (x, y)})
    assert [len(stage.calls) for stage in program.stages] == [2, 2]


def test_a_call_that_reduces_the_frame_is_computed_before_the_batches_of_a_stream() -> None:
    values = np.arange(4000.0)
    df = pl.concat([pl.DataFrame({"v": aj.from_sizes(one, np.full(500, 4)).to_polars()}) for one in (values[:2000], values[2000:])])
    v = pl.col("v").jag
    with strategy.force(STRETCH_ROWS=1):
        found = df.lazy().select((v - v.mean(axis=None)) / v.std(axis=None)).collect(engine="streaming").to_series()
    assert_lists_equal(aj.array(found).flatten().to_list(), ((values - values.mean()) / values.std(ddof=1)).tolist(), rel_tol=1e-12)


def test_polars_chains_run_in_blocks() -> None:
    x = aj.array([[1.0, 2.0, None], [], None, [4.0]] * 500)
    df = pl.DataFrame({"v": x.to_polars(), "k": np.arange(2000.0)})
    chain = ((pl.col("v").jag * pl.col("k")).jag.cumsum().jag - 1).jag.max()
    with strategy.force(JIT_VALUES=0, JIT_CALLS=0, JIT_SHARE=0, JIT_BLOCK=100) as taken:
        found = df.select(chain).to_series()
    assert taken["expression", "blocks"]
    assert_lists_equal(found.to_list(), ((x * aj.array(np.arange(2000.0))).cumsum() - 1).max().to_list())


class Model:
    @aj.jit
    def scaled(self, x):
        return x * self.factor

    factor = 3


@aj.jit
def named(x):
    """Its docstring."""
    return x + 1


def test_methods_and_pickles() -> None:
    assert Model().scaled(aj.array([[1]])).to_list() == [[3]]
    assert pickle.loads(pickle.dumps(named)) is named
    assert named.__doc__ == "Its docstring."
    assert aj.jit(named) is named
    assert aj.jit()(abs)(aj.array([-1])).to_list() == [1]


class Scaling:
    """An object with attributes that change between calls."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    @aj.jit
    def of(self, x: Any) -> Any:
        return self.helper(x)

    def helper(self, x: Any) -> Any:
        return x * self.factor


@dataclasses.dataclass(slots=True)
class Slotted:
    factor: float


SETTINGS = types.SimpleNamespace(factor=2)


@pytest.mark.parametrize("make", [Scaling, Slotted, lambda factor: types.SimpleNamespace(factor=factor)])
def test_attributes_of_arguments_are_those_of_now(make: Callable[[float], Any]) -> None:
    x, scaling = aj.array([[1], [2, 3]]), make(2)
    calls = [aj.jit(lambda s, x: x * s.factor)]
    if isinstance(scaling, Scaling):
        calls += [Scaling.of, lambda s, x: s.of(x)]
    bound = aj.jit(Scaling.helper.__get__(scaling))
    for factor in (2, 10, 3):
        scaling.factor = factor
        for call in calls:
            assert call(scaling, x).to_list() == [[factor], [2 * factor, 3 * factor]]
        assert bound(x).to_list() == [[factor], [2 * factor, 3 * factor]]
    assert len(calls[0]._traces) == 3


def test_attributes_of_outside_objects_and_items_of_dicts_are_those_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    x, module, given = aj.array([[1], [2, 3]]), types.ModuleType("module"), {"factor": 1}
    of_global, of_module = aj.jit(lambda x: x * SETTINGS.factor), aj.jit(lambda x: x * module.factor)
    of_dict = aj.jit(lambda x, given: x * given["factor"])
    for factor in (2, 10):
        monkeypatch.setattr(SETTINGS, "factor", factor)
        module.factor = given["factor"] = factor
        for found in (of_global(x), of_module(x), of_dict(x, given)):
            assert found.to_list() == [[factor], [2 * factor, 3 * factor]]


class Defaults:
    """An object whose factor is that of its class, of which a property and a method read it."""

    factor = 2

    @property
    def doubled(self) -> int:
        return self.factor * 2

    def __call__(self, x: Any) -> Any:
        return x * self.factor


class Narrower(Defaults):
    """A class that inherits the factor."""


HELD = types.SimpleNamespace(settings=types.SimpleNamespace(factor=2), defaults=Defaults())


def test_attributes_of_classes_and_defaults_are_those_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    x, given = aj.array([[1], [2, 3]]), Narrower()
    functions: list[Callable[..., Any]] = [
        lambda x, given=given: x * given.factor,
        lambda x, *, given=given: x * given.factor,
        lambda x: x * Narrower.factor,
        lambda x: x * given.doubled / 2,
        lambda x: x * HELD.settings.factor,
        lambda x: HELD.defaults(x) * 1,
        given,
        Defaults(),
        functools.partial(lambda given, x: x * given.factor, given),
        functools.partial(lambda x, given: x * given.factor, given=given),
    ]
    traced = [aj.jit(function) for function in functions]
    of_argument = aj.jit(lambda x, given: x * given.factor)
    for factor in (2, 10, 3):
        monkeypatch.setattr(Defaults, "factor", factor)
        monkeypatch.setattr(HELD.settings, "factor", factor)
        for number, found in enumerate((of_argument(x, given), *(function(x) for function in traced))):
            assert found.to_list() == [[factor], [2 * factor, 3 * factor]], number
    assert len(of_argument._traces) == len(traced[0]._traces) == 3
    functions[0].__defaults__ = (types.SimpleNamespace(factor=7),)  # type: ignore[attr-defined]  # of a function
    assert traced[0](x).to_list() == [[7], [14, 21]]


# ----------------------------------------------------------------------------------------------------- explain


def test_explain_shows_fused_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "is_available", lambda: False)

    @aj.jit
    def score(x, k):
        return ((x - x.mean()) * k).sort().sum(axis=-1), aj.apply("sqrt", x)

    text = score.explain(aj.array([[1.0]]), aj.array([1]))
    assert text.splitlines() == [
        "score(x0: jagged[double, 2], x1: int64)",
        "on whole columns:",
        "  a = aj.apply('sqrt', x0) jagged[double, 2]",
        "in blocks of rows:",
        "  b = x0.mean()            double",
        "  c = x0 - b               jagged[double, 2]",
        "  d = c * x1               jagged[double, 2]",
        "  e = d.sort()             jagged[double, 2]",
        "  f = e.sum(-1)            double",
        "return (f, a)",
    ]
    assert score.explain(aj.array([[1.0]]).to_pandas(), pd.Series([1])) == text
    with pytest.raises(aj.JagTypeError, match="explain: score needs columns whose types are known"):
        score.explain(pl.col("v"), pl.col("k"))


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">="])
def test_explain_writes_operators_as_python_does(sign: str) -> None:
    function = eval(f"lambda x: x {sign} 2")
    assert f"a = x0 {sign} 2 " in aj.jit(function).explain(aj.array([[1, 2]]))


def test_explain_writes_other_calls_as_python_does() -> None:
    function = aj.jit(lambda x: (-x, +x, ~x, np.maximum(x, 2), x.sum(axis=0), x[:, 0], x.S[0]))
    for call in ("-x0", "+x0", "~x0", "np.maximum(x0, 2)", "x0.sum(0)", "x0[:, 0]", "x0.S[0]"):
        assert f" = {call} " in function.explain(aj.array([[1, 2]]))


def test_explain_writes_each_argument_in_one_line() -> None:
    items = list(range(100))
    calls: dict[str, Callable[[Any], Any]] = {
        "x0.cast('decimal128(9, 2)')": lambda x: x.cast(pa.decimal128(9, 2)),
        f"x0.is_in([{', '.join(map(str, items[:20]))}, ...])": lambda x: x.is_in(items),
        "x0.is_in(pa.array([0,1,2,3,4,...,95,96,97,98,99]))": lambda x: x.is_in(pa.array(items)),
        "x0.digitize(array([ 0, 1, 2, 3, 4, 5, 6, 7,": lambda x: x.digitize(np.array(items)),
        "x0.map_rows(sort, 'list<item: double>')": lambda x: x.map_rows(np.sort, pa.list_(pa.float64())),
        "x0.map_rows(described, 'int8')": lambda x: x.map_rows(described, "int8"),
        "x0 * np.float32(2.0)": lambda x: x * np.float32(2),
        "x0[..., ::-1]": lambda x: x[..., ::-1],
        "x0[1:]": lambda x: x[1:],
        "x0[:, :-1:2]": lambda x: x[:, :-1:2],
        "aj.concat([x0, x0], axis=1)": lambda x: aj.concat([x, x], axis=1),
    }
    for text, function in calls.items():
        line = aj.jit(function).explain(aj.array([[1.0, 2.0]])).splitlines()[2]
        assert line.startswith(f"  a = {text}")
        assert len(line) < 132


def test_errors_name_the_function() -> None:
    @aj.jit
    def magnitude(x: Any) -> Any:
        return x if x > 0 else -x

    with pytest.raises(aj.JagTypeError, match=r"^jit: magnitude needs the truth of an array.* call magnitude without jit"):
        magnitude(aj.array([1.0]))


def test_an_array_from_elsewhere_whose_method_takes_a_placeholder() -> None:
    """The call is one of arrays, which can't be recorded: the error says what to write, and that works."""
    x, a = aj.array([[1, 2], [3]]), aj.array([[10, 20], [30]])
    for function in (a.dot, lambda x: a.concat([x], axis=1), a.fill_null, lambda x: np.dot(x, a)):
        with pytest.raises(aj.JagTypeError, match=r"needs .*pass that array too, as in aj.jit\(lambda x, a: a.dot"):
            aj.jit(function)(x)
    assert aj.jit(lambda x, a: a.dot(x))(x, a).to_list() == [50, 90]
    assert aj.jit(lambda x: x.dot(a))(x).to_list() == [50, 90]


def test_functions_that_test_for_arrays_take_the_same_branch() -> None:
    def rows(x: Any) -> Any:
        return x.sum() if isinstance(x, aj.JaggedArray) else 0

    x, df = aj.array([[1, 2], [3]]), pl.DataFrame({"v": aj.array([[1, 2], [3]]).to_polars()})
    assert aj.jit(rows)(x).to_list() == rows(x).to_list() == [3, 3]
    assert df.lazy().select(aj.jit(rows)(pl.col("v"))).collect()["v"].to_list() == [3, 3]
    assert aj.jit(lambda x: isinstance(x, (pd.Series, pl.Series, np.ndarray, pa.Array)))(x) is False


def test_lists_of_arrays_from_elsewhere_count_as_their_members() -> None:
    x, a = aj.array([[1, 2], [3]]), aj.array([[10, 20], [30]])
    for function in (lambda x: x.concat([a, a], axis=1), lambda x: x.concat((a, a.to_arrow()), axis=1)):
        assert aj.jit(function)(x).to_list() == [[1, 2, 10, 20, 10, 20], [3, 30, 30]]
    assert aj.jit(lambda x: x.concat([a, x], axis=1))(x).to_list() == [[1, 2, 10, 20, 1, 2], [3, 30, 3]]


def test_equal_calls_are_computed_once() -> None:
    x = aj.array([[3.0, 1.0], [], [2.0, 5.0, 4.0]])

    def drawdown(x: Any) -> Any:
        return ((x.cummax() - x) / x.cummax()).max()

    fused = aj.jit(drawdown)
    assert fused.explain(x).count("x0.cummax()") == 1
    assert fused(x).to_list() == drawdown(x).to_list()
    # Constants that are equal but not the same, and calls of functions, stay apart.
    others = aj.jit(lambda x: (x * 1, x * 1.0, x + 0.0, x + -0.0, x.rolling(2).sum(), x.rolling(3).sum()))
    assert len({line.partition(" = ")[2] for line in others.explain(x).splitlines() if " = " in line}) == 6
    assert aj.jit(lambda x: (x.shuffle(1), x.shuffle(2), x.shuffle(1))).explain(x).count("shuffle") == 2
    assert aj.jit(lambda x: (x.apply(pc.negate), x.apply(pc.negate))).explain(x).count("apply") == 2


class Plain(pa.ExtensionType):  # type: ignore[misc]
    """A user's type; like the documentation's examples it defines `==` and no hash."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "arrowjag.tests.plain")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, data: bytes) -> Plain:
        return cls()

    __hash__ = None  # type: ignore[assignment]


def test_types_without_a_hash() -> None:
    x = aj.from_sizes(pa.ExtensionArray.from_storage(Plain(), pa.array([1, None, 3])), [2, 1])
    assert x.drop_nulls().to_list() == [[1], [3]]
    assert x.filter(aj.array([[True, False], [True]])).to_list() == [[1], [3]]
    assert aj.jit(lambda y: y.drop_nulls())(x).to_list() == [[1], [3]]
    assert aj.concat([x, x]).to_list() == [[1, None], [3], [1, None], [3]]


@pytest.mark.parametrize(
    ("column", "constants"),
    [
        (aj.array([[1.0, 2.0], [3.0]]), [np.float32(0.0), np.float32(-0.0), np.float16(0.0), np.float16(-0.0), 0.0, -0.0]),
        (
            aj.array(pa.array([[0]], pa.list_(pa.timestamp("s")))),
            [np.timedelta64(1, "D"), np.timedelta64(24, "h"), np.timedelta64(86_400_000, "ms")],
        ),
        (aj.array(pa.array([[1, 2]], pa.list_(pa.time64("ns")))), [pa.scalar(1, pa.time64("ns")), pa.scalar(2, pa.time64("ns"))]),
        (aj.array(pa.array([[10**14]], pa.list_(pa.timestamp("s")))), [pa.scalar(10**14, pa.timestamp("s"))]),
        (aj.array([[1.0]]), [pa.scalar(0.0), pa.scalar(-0.0)]),
    ],
    ids=["zeros", "units of time", "nanoseconds", "years that Python lacks", "Arrow scalars"],
)
def test_constants_that_numpy_or_python_take_for_equal(column: aj.JaggedArray, constants: list[Any]) -> None:
    product, total, equal = (aj.jit(one) for one in (lambda x, k: x * k, lambda x, k: x + k, lambda x, k: x == k))
    for constant in constants:
        for fused, one in ((product, lambda x, k: x * k), (total, lambda x, k: x + k), (equal, lambda x, k: x == k)):
            assert outcome(fused, column, constant) == outcome(one, column, constant), constant


def test_not_a_time_is_traced_once() -> None:
    fused = aj.jit(lambda x, k: x == k)
    for _ in range(3):
        fused(aj.array(pa.array([[0]], pa.list_(pa.timestamp("s")))), np.datetime64("NaT"))
        fused(aj.array([1.0]), np.float32("nan"))
    assert len(fused._traces) == 2


FACTOR = 2


def times_factor(x: Any) -> Any:
    return x * FACTOR


def test_names_inside_of_comprehensions_and_functions_are_those_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    x = aj.array([[1], [2, 3]])
    local = 1

    def inner(x: Any) -> Any:
        return x * local

    nested = aj.jit(times_factor)
    readers = {
        "a comprehension": aj.jit(lambda x: aj.concat([x * FACTOR for _ in range(1)])),
        "a function inside": aj.jit(lambda x: functools.reduce(lambda y, _: y * FACTOR, [0], x)),
        "a function beside": aj.jit(lambda x: times_factor(x)),  # noqa: PLW0108  # a name that it looks up
        "a traced one": aj.jit(lambda x: nested(x)),  # noqa: PLW0108
        "a partial": aj.jit(functools.partial(lambda k, x: x * k * FACTOR, 1)),
    }
    closure = aj.jit(lambda x: inner(x))  # noqa: PLW0108
    assert closure(x).to_list() == [[1], [2, 3]]
    for factor in (2, 10):
        monkeypatch.setattr(sys.modules[__name__], "FACTOR", factor)
        for name, reader in readers.items():
            assert reader(x).to_list() == [[factor], [2 * factor, 3 * factor]], name
        local = factor
        assert closure(x).to_list() == [[factor], [2 * factor, 3 * factor]]


def length_or_none(x: Any) -> Any:
    try:
        return len(x)
    except TypeError:
        return None


@pytest.mark.parametrize("function", [length_or_none, np.iterable, lambda x: np.array_equal(x, x)])
def test_a_function_that_catches_the_error_gets_it_all_the_same(function: Callable[[Any], Any]) -> None:
    """Else it would take the branch of objects without length, which arrays don't."""
    with pytest.raises(aj.JagTypeError, match=r"^jit: .* needs "):
        aj.jit(function)(aj.array([1.0, 2.0]))
    with pytest.raises(aj.JagTypeError, match=r"^jit: .* needs "):
        aj.jit(function)(pl.col("v"))


def test_arrow_data_in_a_traced_function_that_another_one_calls() -> None:
    inner = aj.jit(lambda x, k: x * k.reverse())
    assert aj.jit(lambda x: inner(x, pa.array([1, 10])))(aj.array([[1, 2], [3]])).to_list() == [[10, 20], [3]]


def test_a_traced_object_without_a_name_pickles() -> None:
    double = pickle.loads(pickle.dumps(aj.jit(functools.partial(operator.mul, 2))))
    assert double(aj.array([[1, 2], [3]])).to_list() == [[2, 4], [6]]


def test_traced_functions_call_each_other() -> None:
    x = aj.array([[1.0, 3.0], [5.0]])
    where = aj.jit(lambda x: x * 2)
    where._name = "where"  # of another function
    outer = aj.jit(lambda x: (where(x) + 1, where(x=x), named(x)))
    assert outer.explain(x).count("*") == 1
    assert [one.to_list() for one in outer(x)] == [[[3.0, 7.0], [11.0]], [[2.0, 6.0], [10.0]], [[2.0, 4.0], [6.0]]]
    scaled = aj.jit(lambda x, k: x * k.cumsum())
    assert aj.jit(lambda x: scaled(x, [1, 2]))(x).to_list() == [[1.0, 3.0], [15.0]]
    df = pl.DataFrame({"v": x.to_polars()})
    assert df.select(aj.jit(lambda x: named(x) * 2)(pl.col("v")))["v"].to_list() == [[4.0, 8.0], [12.0]]


@pytest.mark.parametrize("name", ["concat", "stack"])
def test_pandas_ignores_the_names_of_recorded_functions(name: str) -> None:
    def function(x: Any, k: Any) -> Any:
        return x * k

    function.__name__ = name
    index = ["a", "b"]
    x, k = aj.array([[1, 2], [3]]).to_pandas(index=index), pd.Series([10, 100], index=index[::-1])
    assert list(aj.jit(function)(x, k).items()) == list((x * k).items())


def test_methods_explain() -> None:
    assert Model().scaled.explain(aj.array([[1]])) == Model.scaled.explain(Model(), aj.array([[1]]))


def test_named_tuples_of_columns() -> None:
    pair = namedtuple("pair", "low high")  # noqa: PYI024
    x = aj.array([[1, 5], [3]])
    joined = aj.jit(lambda x: aj.concat(pair(x, x), axis=1))
    assert joined(x).to_list() == [[1, 5, 1, 5], [3, 3]]
    assert joined(x.to_pandas()).tolist() == [[1, 5, 1, 5], [3, 3]]
    assert pl.DataFrame({"v": x.to_polars()}).select(joined(pl.col("v")))["v"].to_list() == [[1, 5, 1, 5], [3, 3]]


def test_several_results_of_a_method() -> None:
    x = aj.array([[1, 5], [3]])

    def positions(x: Any) -> Any:
        row, item = x.image()
        return row + item, len(x.image()), x[x.image()]

    assert outcome(aj.jit(positions), x) == outcome(positions, x)
    assert aj.jit(lambda x: x.transpose(0, 1, "allow", return_inverse=True)[0] + 1)(x).to_list() == [[2, 4], [6]]
    for wrong in (lambda x: x.image().sum(), lambda x: x.image().map_rows(len), lambda x: x.image().str.lower()):
        assert outcome(aj.jit(wrong), x) == outcome(wrong, x)  # an AttributeError that names the tuple and the method


def test_a_trace_keeps_no_values() -> None:
    fused = aj.jit(lambda x, k: (x * k).sum() + x.max())
    values = np.arange(1000.0)
    known = weakref.ref(values)
    x = aj.from_sizes(values, np.full(100, 10))
    found = fused(x, aj.array(values[:100]))
    assert found.to_list()[0] == 9.0
    del values, x, found
    gc.collect()
    assert known() is None


def test_a_trace_keeps_no_object_of_the_caller() -> None:
    class Settings:
        factor = 2

    fused, known = aj.jit(lambda x, settings: x * settings.factor), []
    for _ in range(3):
        settings = Settings()
        known.append(weakref.ref(settings))
        assert fused(aj.array([[1, 2]]), settings).to_list() == [[2, 4]]
    del settings
    gc.collect()
    assert [one() for one in known] == [None] * 3


def test_arrays_from_outside_are_kept_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """The traces of a function that reads another large array in each call would keep all of them."""
    monkeypatch.setattr("arrowjag._expressions.functions._MOST_BYTES", 2000)
    x, outside, known = aj.array([[1.0, 2.0]] * 100), types.SimpleNamespace(k=None), []
    fused = aj.jit(lambda x: x * outside.k)
    for factor in (2.0, 3.0, 4.0):
        values = np.full(100, factor)
        known.append(weakref.ref(values))
        outside.k = aj.array(values)
        for column in (x, x.cast("float32")):  # both traces hold one array
            assert fused(column).to_list()[0] == [factor, 2 * factor]
    del values
    gc.collect()
    assert [one() is None for one in known] == [True, False, False]
    assert len(fused._traces) == 4


def test_loops_of_python_make_long_chains() -> None:
    def steps(x: Any) -> Any:
        for step in range(600):
            x = x * 0.5 + step
        return x

    x = aj.array([[1.0, None], []])
    assert aj.jit(steps)(x).to_list() == steps(x).to_list()


def test_threads_trace_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrowjag._expressions.functions._MOST_TYPES", 2)
    x, fused = aj.array([[1, 2]]), aj.jit(lambda x, k: x * k)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda k: fused(x, k % 7).to_list(), range(400)))
    finally:
        sys.setswitchinterval(before)
    assert found == [[[k % 7, k % 7 * 2]] for k in range(400)]


def test_one_set_of_edges_is_not_divided_with_the_rows() -> None:
    """The axis that a call names is one of the items, not of the edges."""
    x, edges = aj.array([[0.0, 1.0, 2.0], [1.0], [2.0, 0.6], [0.1]]), aj.array([0.0, 0.5, 1.5, 2.5])
    functions: list[Callable[..., Any]] = [
        lambda x, e: (x + 0).cut(e, axis=1) + 1,
        lambda x, e: (x + 0).histogram(e, axis=1) + 1,
        lambda x, e: (x + 0).cut(e) + 1,
    ]
    df = pl.DataFrame({"x": x.to_polars(), "e": edges.to_polars()})
    for function in functions:
        with strategy.force(**BLOCKS):
            assert outcome(aj.jit(function), x, edges) == outcome(function, x, edges)
        found = df.lazy().select(aj.jit(function)(pl.col("x"), pl.col("e")))
        assert found.collect(engine="streaming").to_series().to_list() == function(x, edges).to_list()


def test_lists_and_numpy_arrays_beside_expressions_are_arrays() -> None:
    """As beside arrays: numpy would add up all rows at once, and lists have no methods."""
    x = aj.array([[1.0, 3.0], [5.0, 7.0]])
    share = aj.jit(lambda x, w: x * w / w.sum())
    df = pl.DataFrame({"v": x.to_polars()})
    for w in (np.array([[1.0, 1.0], [2.0, 2.0]]), [[1.0, 1.0], [2.0, 2.0]]):
        assert share(x, w).to_list() == [[0.5, 1.5], [2.5, 3.5]]
        assert df.select(share(pl.col("v"), w))["v"].to_list() == [[0.5, 1.5], [2.5, 3.5]]
        assert aj.jit(lambda x, w=w: share(x, w))(x).to_list() == [[0.5, 1.5], [2.5, 3.5]]


SETS = [pa.array([[1], [7]]), pa.chunked_array([[[1], [7]]]), pa.array([1, 7]), pa.chunked_array([[1, 7]]), pa.scalar(1)]


@pytest.mark.parametrize("method", ["__arrow_c_array__", "__arrow_c_stream__", ""])
def test_data_of_arrow_beside_columns_has_their_rows(method: str) -> None:
    x, k = aj.array([[1, 2], [3]]), pa.array([10, 100])
    column: Any = pa.chunked_array([k]) if method == "__arrow_c_stream__" else k
    if method:  # of a library that implements nothing else
        column = type("Exporter", (), {method: getattr(column, method)})()
    df = pl.DataFrame({"v": x.to_polars()})
    functions = {"operator": lambda v: v + column, "method": lambda v: v.clip(lower=column)}
    if not method:
        functions |= {f"set {place}": lambda v, one=one: v.is_in(one) for place, one in enumerate(SETS)}
    for name, function in functions.items():
        expected = function(x).to_list()
        assert aj.jit(function)(x).to_list() == expected, name
        for engine in ("in-memory", "streaming"):
            assert df.lazy().select(function(pl.col("v").jag)).collect(engine=engine)["v"].to_list() == expected, name


def test_results_in_which_placeholders_would_leave() -> None:
    @dataclasses.dataclass
    class Pair:
        low: Any

    def items(x: Any) -> Any:
        yield x + 1

    def boxed(x: Any) -> Any:
        made = np.empty(2, object)
        made[1] = x
        return made

    x = aj.array([[1, 5], [3]])
    holders = [
        items,
        lambda x: Pair(x.min()),
        lambda x: {"a": [iter([x])]},
        lambda x: types.SimpleNamespace(low=x.min()),
        lambda x: (x.sum, 1),
        lambda x: x.str,
        lambda x: x.S,
        lambda x: x.rolling(2),
        lambda x: lambda: x + 1,
        lambda x: functools.partial(abs, x),
        lambda x: x.__add__,
        lambda x: deque([x]),
        lambda x: types.MappingProxyType({"a": x}),
        boxed,
    ]
    for function in holders:
        with pytest.raises(aj.JagTypeError, match=r"(<lambda>|items|boxed) returns an object of type \w+, in which arrays can't"):
            aj.jit(function)(x)
        with pytest.raises(aj.JagTypeError, match="in which arrays can't be found: return arrays, or a tuple, list or dict"):
            aj.jit(function)(pl.col("v"))
    others = Pair(3), np.array([1, None], object), deque([1]), len, functools.partial(abs, 2), types.SimpleNamespace(a=x)
    found = aj.jit(lambda x: (x, *others))(x)
    assert all(one is two for one, two in zip(found[1:], others, strict=True))


def test_functions_of_numpy_that_arrays_know() -> None:
    x = aj.array([[1.0, 3.0, 2.0], [5.0]])
    for function in (np.median, np.sum, np.ndim, lambda x: np.var(x, axis=1) + 1, lambda x: np.max(x, axis=-1)):
        assert outcome(aj.jit(function), x) == outcome(function, x)
    assert "x0.max" in aj.jit(lambda x: np.max(x, axis=-1)).explain(x)
    assert aj.jit(lambda self: self + 1)(self=x).to_list() == [[2.0, 4.0, 3.0], [6.0]]


def test_edges_and_positions_that_hold_for_all_rows() -> None:
    """Columns of one value per row are divided with the rows, these are not."""
    x, edges = aj.array([[0.0, 1.0, 2.0], [1.0], [2.0, 0.6], [0.1]]), aj.array([0.0, 0.5, 1.5, 2.5])
    places = aj.array([0, 0, -1, 0])
    functions: list[Callable[..., Any]] = [
        lambda x, e, i: (x + 0).cut(e) + 1,
        lambda x, e, i: (x + 0).digitize(e) + 1,
        lambda x, e, i: (x + 0).histogram(e),
        lambda x, e, i: (x + 0)[:, i] + 1,
        lambda x, e, i: (x + 0)[..., i] + 1,
        lambda x, e, i: (x + 0).S[i] + 1,
        lambda x, e, i: (x + 0)[:, i:] + 1,
    ]
    df = pl.concat(
        pl.DataFrame({"x": x[k : k + 1].to_polars(), "e": [edges[k].as_py()], "i": [places[k].as_py()]}) for k in range(4)
    )
    for place, function in enumerate(functions):
        with strategy.force(**BLOCKS):
            assert outcome(aj.jit(function), x, edges, places) == outcome(function, x, edges, places)
        found = df.lazy().select(aj.jit(function)(pl.col("x"), pl.col("e"), pl.col("i")))
        for engine in ("streaming", "in-memory") if place not in (3, 4) else ():  # whose dtype depends on the values
            assert found.collect(engine=engine).to_series().to_list() == function(x, edges, places).to_list()


@pytest.mark.parametrize(
    "constant", [np.int64(7), np.float64(7), pa.scalar(7), decimal.Decimal(7)], ids=lambda one: type(one).__name__
)
def test_a_call_on_the_result_of_a_constant_is_another_call(constant: Any) -> None:
    x = aj.array([[3, 5], [2]])

    def function(x: Any) -> Any:
        first = constant - x
        return first, first - x, (constant * x) * x

    assert outcome(aj.jit(function), x) == outcome(function, x)


KEYS: dict[str, Callable[[Any], Any]] = {
    "bounds": lambda x: x[:, : np.array([1, 2, 1, 0, 3])],
    "a list of bounds": lambda x: x[:, : [1, 2, 1, 0, 3]],
    "places for all rows": lambda x: x[:, np.array([0, 2])],
    "one place for all rows": lambda x: x[:, np.array([1])],
    "a list of places": lambda x: x[:, [0, 2]],
    "Koda's places": lambda x: x.S[np.array([0, 1, 0, 7, 2])],
    "a list of Koda's places": lambda x: x.S[[0, 1, 0, 7, 2]],
    "Koda's bounds": lambda x: x.S[: np.array([1, 2, 1, 0, 3])],
}


@pytest.mark.parametrize("name", KEYS)
def test_arrays_in_keys_mean_the_same_on_expressions(name: str) -> None:
    x, function = aj.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1], [5, 6, 7]]), KEYS[name]
    expected = function(x)
    with strategy.force(**BLOCKS):
        assert outcome(aj.jit(lambda x: function(x + 0) + 1), x) == outcome(lambda x: function(x + 0) + 1, x)
    df = pl.concat([pl.DataFrame({"v": x[k : k + 1].to_polars()}) for k in range(5)], rechunk=False)
    for made in (function(pl.col("v").jag), aj.jit(function)(pl.col("v"))):
        for engine in ("in-memory", "streaming"):
            assert df.lazy().select(made).collect(engine=engine).to_series().to_list() == expected.to_list()


@pytest.mark.parametrize("name", ["min_by", "max_by"])
def test_rows_that_may_be_null_have_no_known_type(name: str) -> None:
    """The row of a null key is a scalar, any other one an array; tracing sees columns without rows, whose row is null."""
    x = aj.array([[1, 2], [3]])

    def function(x: Any, k: Any) -> Any:
        row = getattr(x, name)(k, axis=0)
        return row, row * 2, row.cumsum(), row[1:]

    fused = aj.jit(function)
    for keys in ([1, 2], [2, 1], [None, None]):
        k = aj.array(keys, type="int64")
        assert outcome(fused, x, k) == outcome(function, x, k)
    first = aj.jit(lambda x: x.take(5, axis=0, out_of_bounds="null"))
    assert first(x) == pa.scalar(None, pa.large_list(pa.int64()))


@pytest.mark.parametrize("function", [lambda x, a: divmod(a, x), divmod])
def test_quotient_and_rest_with_an_array_from_outside(function: Callable[..., Any]) -> None:
    x, a = aj.array([[1, 2], [3]]), aj.array([[10, 21], [31]])
    expected = outcome(function, x, a)
    assert outcome(aj.jit(lambda x: function(x, a)), x) == expected


def test_errors_of_ufuncs_name_the_operator() -> None:
    x = aj.array([[1, 2], [3]]).cast("int8")
    for ufunc in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.add, np.less):
        found = outcome(ufunc, x, 2**60)
        assert outcome(aj.jit(ufunc), x, 2**60) == found
        assert outcome(aj.jit(lambda x: ufunc(x, 2**60)), x) == found  # noqa: B023  # called here


OPERANDS: dict[str, Callable[[Any], Any]] = {
    "arrays in a list": lambda x: aj.concat([x, aj.array([[10], [20]])], axis=1),
    "lists in a list": lambda x: aj.concat([[[10], [20]], x, np.array([[1], [2]])], axis=1),
    "stacked": lambda x: aj.stack([x, [5, 6]], axis=1),
    "where": lambda x: aj.where(x > 1, x, [[5, 6], [7]]),
    "to_map": lambda x: aj.to_map(keys=x, values=[[5, 6], [7]]),
    "map_rows": lambda x: aj.map_rows(lambda row, k: row.sum() * k, x, [5, 6], type="int64"),
    "fold": lambda x: aj.fold(lambda state, one, other: state + one * other, [1, 2], x, np.array([3, 4]), type="int64"),
    "apply": lambda x: aj.apply("add", x, [5, 6]),
    "options of apply": lambda x: aj.apply("is_in", x, value_set=pa.array([1, 3, 5])),
}


@pytest.mark.parametrize("name", OPERANDS)
def test_operands_from_outside_of_free_functions(name: str) -> None:
    x, function = aj.array([[1, 2], [3]]), OPERANDS[name]
    assert outcome(aj.jit(function), x) == outcome(function, x)
    df = pl.DataFrame({"v": x.to_polars()})
    for made in (aj.jit(function)(pl.col("v")), *([] if name == "where" else [function(pl.col("v"))])):
        assert aj.array(df.select(made).to_series()).to_list() == function(x).to_list()
