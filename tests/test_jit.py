"""`aj.jit`: a traced function gives what the function itself gives, bit for bit, on every surface and however it runs."""

from __future__ import annotations

import math
import pickle
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
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
    "function",
    [
        lambda x: x if x > 1 else -x,
        list,
        len,
        math.sqrt,
        lambda x: 1 in x,
        lambda x: x.to_list(),
        np.asarray,
        range,
        lambda x: x.shape,
        lambda x: x.values,
    ],
)
def test_control_flow_on_values_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(aj.JagTypeError, match=r"^jit: \S+ asks for .*depends on the values.*aj.where\(c, x, y\).*without jit"):
        aj.jit(function)(aj.array([1.0, 2.0]))


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
    with pytest.raises(aj.ShapeError) as error:
        aj.jit(lambda x, y: x * 2 + y)(aj.array([[1, 2], [3]]), aj.array([[1, 2], [3, 4]]))
    assert "row 1" in str(error.value)


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


def test_an_array_from_elsewhere_whose_method_takes_a_placeholder() -> None:
    """The call is one of arrays, which can't be recorded: the error says what to write, and that works."""
    x, a = aj.array([[1, 2], [3]]), aj.array([[10, 20], [30]])
    for function in (a.dot, lambda x: a.concat([x], axis=1), a.fill_null, lambda x: np.dot(x, a)):
        with pytest.raises(aj.JagTypeError, match=r"asks for an? .* array.*pass that array too, as in aj.jit\(lambda x, a: a.dot"):
            aj.jit(function)(x)
    assert aj.jit(lambda x, a: a.dot(x))(x, a).to_list() == [50, 90]
    assert aj.jit(lambda x: x.dot(a))(x).to_list() == [50, 90]


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
