"""Stretches that `aj.jit` compiles to one loop: the bits of the single calls, for any program and any lengths of rows."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.compiled.loops.fused import loop_of
from arrowjag._kernels.compiled.loops.programs import parse
from tests.compiled_calls import forced
from tests.kernels.compiling import compiled_within
from tests.test_jit import outcome

pytest.importorskip("numba")

SIZES = {
    "short": [3, 0, 1, 2, 5, 1, 0, 7, 2, 2],
    "long": [300, 1, 128, 129, 0, 127, 1000],
    "one": [500],
    "empty": [0, 0, 0],
}
ITEMS = [1.5, -2.25, 0.0, -0.0, 3.0, 1e300, -1e-300, np.nan, np.inf, -np.inf, 7.0, 0.1]


def columns(name: str, seed: int, plain: bool) -> tuple[aj.JaggedArray, ...]:
    """Two columns of one shape and one value per row; with infinities and NaN unless they are plain."""
    draw = np.random.default_rng(seed)
    sizes = np.array(SIZES[name] * (1 if name == "one" else 9))
    n = int(sizes.sum())
    make = (lambda k: draw.normal(size=k) * 10.0 ** draw.integers(-9, 9, k)) if plain else (lambda k: draw.choice(ITEMS, k))
    x = aj.from_sizes(make(n), sizes)
    return x, aj.JaggedArray(x.shape, make(n)), aj.array(make(len(sizes)))


def fused(function: Callable[..., Any], *arrays: Any) -> tuple[str, int]:
    """The outcome of the compiled function, and how many loops ran."""
    with forced("compiled", THREAD_VALUES=50) as taken:
        found = outcome(aj.jit(function), *arrays)
    return found, taken["loop", "compiled"]


def eager(function: Callable[..., Any], *arrays: Any) -> str:
    with aj.options(compile="never"):
        return outcome(function, *arrays)


CHAINS: dict[str, Callable[..., Any]] = {
    "z-score": lambda x, y, k: (x - x.mean()) / x.std(),
    "cosine": lambda x, y, k: (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()),
    "ufuncs": lambda x, y, k: np.add(np.multiply(x, y), np.negative(x) / np.absolute(np.subtract(2.5, y))).sum(),
    "many results": lambda x, y, k: (x + y, (x * k).sum(), (x - 1).max() - k, abs(x - y).mean() / 3, -x.std() * 2),
    "running": lambda x, y, k: ((x * 2 - y).cumsum() + x.min(), (x.cumsum() - x).cumsum().max()),
    "three passes": lambda x, y, k: ((x - x.mean()) * (x - (x - x.mean()).max())).sum(),
    "crossing means": lambda x, y, k: ((x.rolling(2).mean() > y.rolling(5).mean()).cast("int64").diff() != 0).cast("int64").sum(),
    "windows": lambda x, y, k: (x.rolling(16).sum() - x.rolling_mean(3), (x - y).rolling(11).sum().std(), y.rolling(1).sum()),
    "a result of one item": lambda x, y, k: (x.std() * k, x * x.std()),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_chains_have_the_bits_of_their_calls(chain: str) -> None:
    ran = 0
    for name in SIZES:
        for plain in (True, False):
            arrays = columns(name, 3, plain)
            found, loops = fused(CHAINS[chain], *arrays)
            assert found == eager(CHAINS[chain], *arrays), (name, plain)
            ran += loops
    assert ran == 6  # all but the empty column


def program(seed: int) -> Callable[..., Any]:
    """A random function of arithmetic, reductions and running sums."""
    draw = random.Random(seed)
    steps: list[Any] = []
    for count in range(3, 3 + draw.randint(2, 8)):
        places = [draw.randrange(count), draw.randrange(count)]
        steps.append(
            (draw.choice(["add", "sub", "mul", "div", "sum", "mean", "max", "min", "std", "cumsum", "abs", "double"]), places)
        )

    def function(x: Any, y: Any, k: Any) -> Any:
        values = [x, y, k]
        for name, (one, two) in steps:
            a, b = values[one], values[two]
            if name in ("add", "sub", "mul", "div"):
                values.append({"add": a + b, "sub": a - b, "mul": a * b, "div": a / b}[name])
            elif name == "abs":
                values.append(abs(a))
            elif name == "double" or a.ndim == 1:
                values.append(2 * a)
            else:
                values.append(getattr(a, name)())
        return values[-1], values[-2]

    return function


@pytest.mark.parametrize("type", ["float64", "float32"])
def test_floors_and_remainders_run_in_a_loop_unless_a_quotient_is_too_large(type: str) -> None:
    function = lambda x, y, k: ((x // 3 * 3 + x % 3 - x).sum(), x // y, x % k, x // -0.1, y % -7)  # noqa: E731
    draw = np.random.default_rng(0)
    sizes = np.array(SIZES["long"])
    items = draw.choice([1.5, -2.25, 0.3, -0.0, 7.0, 1e-30, np.nan, 0.1, 12.0], (2, sizes.sum())) + 0.125
    x, y = (aj.from_sizes(one, sizes).cast(type) for one in items)
    k = aj.array(draw.normal(size=len(sizes))).cast(type)
    found, loops = fused(function, x, y, k)
    assert found == eager(function, x, y, k)
    assert loops > 0
    items[0, 7] = -1.375
    x = aj.from_sizes(items[0], sizes).cast(type)
    for wrong in (0.0, 1e-30, np.inf):  # -1.375 // inf is -1
        items[1, 7] = wrong
        y = aj.from_sizes(items[1], sizes).cast(type)
        found, loops = fused(function, x, y, k)
        assert found == eager(function, x, y, k), wrong
        assert loops > 0  # it gives up after it has begun


@pytest.mark.parametrize("seed", range(10))
def test_any_program_has_the_bits_of_its_calls(seed: int) -> None:
    function = program(seed)
    for name in ("short", "long"):
        for plain in (True, False):
            arrays = columns(name, seed, plain)
            assert fused(function, *arrays)[0] == eager(function, *arrays), (name, plain)


@pytest.mark.parametrize(
    "change",
    [
        lambda x, y, k: (x.with_validity(-1, aj.from_sizes(np.arange(x.size) % 7 > 0, x.shape.dims[1].sizes)), y, k),
        lambda x, y, k: (x.with_validity(0, np.arange(len(x)) % 3 > 0), y, k),
        lambda x, y, k: (x, y, aj.where(k > 0, k, None)),
        lambda x, y, k: (x.cast("float16", strict=False), y, k),
        lambda x, y, k: (x[1:], y[1:], k[1:]),
    ],
    ids=["null items", "null rows", "null values per row", "another type", "a slice"],
)
def test_other_columns_run_in_blocks_or_whole(change: Callable[..., Any]) -> None:
    arrays = change(*columns("short", 1, plain=True))
    for function in (CHAINS["z-score"], CHAINS["many results"]):
        assert fused(function, *arrays)[0] == eager(function, *arrays)


@pytest.mark.parametrize("type", ["float64", "float32", "int64", "int32"])
@pytest.mark.parametrize("constant", [2**53 - 1, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63, 2**70, 2.0**53 + 2, 2.0**63])
def test_large_constants(type: str, constant: float) -> None:
    items = [2**53 - 1, 2**53, 2**53 + 2, 2**62 + 1, 0, -1] if type == "int64" else [2**24 + 1, 3, 0, -1]
    x = aj.from_sizes(items * 5, [len(items)] * 5).cast(type, safe=False)
    for function in (
        lambda x: (x > constant) & (x != constant),
        lambda x: (x * 1 + constant) - x,
        lambda x: aj.where(x > 2, x, constant) * 1,
    ):
        assert fused(function, x)[0] == eager(function, x)


def test_a_loop_without_machine_code_runs_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = columns("long", 5, plain=True)
    expected = eager(CHAINS["cosine"], *arrays)
    with (
        aj.options(compile="never"),
        strategy.force(COMPILED_VALUES=0, JIT_VALUES=0, JIT_CALLS=0, JIT_SHARE=0, JIT_BLOCK=100) as taken,
    ):
        assert outcome(aj.jit(CHAINS["cosine"]), *arrays) == expected
    assert taken["loop", "blocks"]
    assert taken["expression", "blocks"]


@pytest.mark.slow
def test_another_process_compiles_a_loop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", str(tmp_path))
    x = columns("long", 5, plain=True)[0]
    fused = aj.jit(lambda x: (x * 3.25 - x.mean()).cumsum() / 7.5)
    with aj.options(compile="auto"), strategy.force(COMPILED_VALUES=0, COMPILING_VALUES=0) as taken:
        before = outcome(fused, x)
        assert taken["loop", "blocks"] == 1
        assert compiled_within(120)
        assert outcome(fused, x) == before
    assert taken["loop", "compiled"] == 1
    assert list(tmp_path.glob("*.jagobj"))


def test_explain_names_the_loop() -> None:
    x, y, _ = columns("short", 1, plain=True)
    text = aj.jit(lambda x, y: np.exp(x * 2 - y).sum() * 2 + 1).explain(x, y)
    assert text.splitlines()[1] == "in one compiled loop, or in blocks of rows:"
    assert "on whole columns:" in text


@pytest.mark.parametrize("text", ["fused:spam|0", "fused:f8||||spam:f8:f8,0|1", "fused:f2||||sum:f8:f8,0|1"])
def test_invalid_programs_raise(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no program|there is no (instruction spam|type f2)"):
        parse(text)
    assert loop_of("fused:f4||||sum:f8:f4,0|1").arguments == ("i8*", "i8", "i8", "f4*", "f8*", "i8*", "f4*")
    assert loop_of("fused:i8?||||max:i8:i8,0|1").arguments == ("i8*", "i8", "i8", "i8*", "u1*", "f8*", "i8*", "i8*", "u1*")


# ----------------------------------------------------------------------------------------------------- types, nulls, dims

EXTREMES: dict[str, list[Any]] = {
    "float64": ITEMS,
    "float32": [1.5, -2.25, 0.0, -0.0, 3e38, 1e-40, np.nan, np.inf, -np.inf, 16777217.0, 0.1],
    "int64": [0, 1, -1, 7, 2**53 + 1, -(2**40), 3, 2**62],
    "int32": [0, 1, -1, 7, 2**31 - 1, -(2**31), 46341],
    "bool": [True, False, True],
}


def column(draw: random.Random, type: str, sizes: list[int], nulls: bool, like: aj.JaggedArray | None = None) -> aj.JaggedArray:
    """A column of a type with rows of given sizes, or with the shape of another one."""
    n = sum(sizes) if like is None else like.size
    items = [None if nulls and draw.random() < 0.2 else draw.choice(EXTREMES[type]) for _ in range(n)]
    if type.startswith("int") and draw.random() < 0.5:
        items = [None if one is None else one % 50 for one in items]
    values = pa.array(items, pa.float64() if type == "float32" else type).cast(type, safe=False)
    return aj.from_sizes(values, sizes) if like is None else aj.JaggedArray(like.shape, values)


def case(seed: int) -> tuple[Callable[..., Any], list[aj.JaggedArray]]:
    """A random function on random columns of two or three dims, some of them with null items, null rows, or fewer dims."""
    draw = random.Random(seed)
    sizes = [draw.choice([0, 1, 1, 2, 3, 5, 130]) for _ in range(30)]
    ndim = draw.choice([2, 2, 3])
    types = [draw.choice(["float64", "float64", "float32", "int64", "int32", "bool"]) for _ in range(4)]
    nulls = [draw.random() < 0.4 for _ in range(4)]
    x = column(draw, types[0], sizes, nulls[0])
    if draw.random() < 0.4:
        x = x.with_validity(0, np.array([draw.random() < 0.8 for _ in sizes]))
    arrays = [x, column(draw, types[1], sizes, nulls[1], like=x)]
    arrays.append(aj.array(column(draw, types[2], [len(sizes)], nulls[2]).values))
    if ndim == 3:
        cuts = [4, 0, 6, 10, 5, 5]
        arrays = [one.reshape(6, cuts, x.shape.dims[1]) if one.ndim == 2 else one.reshape(6, cuts) for one in arrays]
        arrays.append(aj.array(column(draw, types[3], [6], nulls[3]).values))
    steps = [_step(draw, len(arrays) + count) for count in range(draw.randint(2, 7))]

    def function(*given: Any) -> Any:
        values = list(given)
        for step in steps:
            values.append(step(values))
        return values[-1], values[-2]

    def everything(*given: Any) -> Any:
        values = list(given)
        for step in steps:
            values.append(step(values))
        return values

    # What a traced function does not return is left out, with its errors.
    return everything if "Error: " in eager(everything, *arrays)[:30] else function, arrays


def _rolled(a: Any, window: int) -> Any:
    if a.type == pa.bool_() or a.ndim < 2:
        return a
    return a.rolling(window).mean() if window % 2 else a.rolling_sum(window)


def _step(draw: random.Random, count: int) -> Callable[[list[Any]], Any]:
    one, two = draw.randrange(count), draw.randrange(count)
    number = draw.choice([2, 3, 0.5, -1.5, 7])
    binary = draw.choice(["add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "ge", "eq", "and_", "or_"])
    reductions = ["sum", "mean", "max", "min", "std", "any", "all", "count"]
    scans = ["cumsum", "cummax", "cummin", "diff", "shift"]
    window = draw.randrange(1, 18)
    name = draw.choice([*reductions, *scans, "neg", "abs", "sqrt", "number", "square", "cast", "where", "rolling"])
    is_binary = draw.random() < 0.5
    wider = {"bool": draw.choice(["int64", "int32", "double"]), "int32": draw.choice(["int64", "double"]), "float": "double"}

    def step(values: list[Any]) -> Any:
        a, b = values[one], values[two]
        if is_binary:
            logic = binary in ("and_", "or_")
            if (a.type == pa.bool_() or b.type == pa.bool_()) != logic or (logic and a.type != b.type):
                return a
            return getattr(operator, binary)(a, b)
        if name == "cast":
            return a.cast(wider.get(str(a.type), str(a.type)))
        if name == "where":
            return aj.where(a, b, b) if a.type == pa.bool_() else aj.where(a > b, a, number) if b.type != pa.bool_() else a
        if name in ("square", "number"):
            return a if a.type == pa.bool_() else a**2 if name == "square" else a * number
        if name in ("neg", "abs"):
            return a if a.type == pa.bool_() else getattr(operator, name)(a)
        if name == "sqrt":
            return np.sqrt(a) if pa.types.is_floating(a.type) else a
        if name == "rolling":
            return _rolled(a, window)
        is_logic = name in ("any", "all")
        if name == "shift" and a.ndim > 1:
            return a.shift(1)
        if a.ndim < 2 or is_logic != (a.type == pa.bool_()):
            return ~a if a.type == pa.bool_() else a
        return getattr(a, name)()

    return step


NIGHTLY = [pytest.mark.nightly, pytest.mark.slow]


@pytest.mark.parametrize("seed", [*range(24), *(pytest.param(seed, marks=NIGHTLY) for seed in range(24, 200))])
def test_any_types_nulls_and_dims_have_the_bits_of_their_calls(seed: int) -> None:
    function, arrays = case(seed)
    assert fused(function, *arrays)[0] == eager(function, *arrays)


TYPED: dict[str, Callable[..., Any]] = {
    "wrap-around": lambda x, y, k: (x * y * 3 - x, x * k, -x, abs(x)),
    "reductions": lambda x, y, k: ((x + y).sum() * k, (x - y).mean(), x.max() + y.min(), (x > y).any(), (x > 1).count()),
    "flags": lambda x, y, k: ((x > 1) & (y < k) | ~(x == y), ((x > 0) | (y > 0)).all(), (x != 2).sum()),
    "running": lambda x, y, k: ((x + 1).cumsum() * 2, (x.cumsum() - k).max()),
    "division": lambda x, y, k: ((x / y).sum(), x / 3, k / x.sum()),
    "squares": lambda x, y, k: (((x - y) ** 2).sum(), (x**2 - k) ** 2),
    "extremes so far": lambda x, y, k: (x.cummax() - y.cummin(), (x.cummax() - x).max(), (x + k).cummin()),
    "neighbours": lambda x, y, k: (
        x.diff() * 2,
        (x - y).shift(1) + x,
        ((x > y).shift() & (x > k)).sum(),
        (x + k).diff().diff().max(),
    ),
    "choices": lambda x, y, k: (aj.where(x > y, x, y), aj.where(x > k, x * 2, k).max(), aj.where((x > 1) & (y > 1), 0, x + y)),
    "casts": lambda x, y, k: ((x > y).cast("int64").diff().sum(), (x > k).cast("float64").mean()),
}


@pytest.mark.parametrize("chain", TYPED)
@pytest.mark.parametrize("type", ["float64", "float32", "int64", "int32"])
def test_loops_of_every_type_run(chain: str, type: str) -> None:
    ran = 0
    for nulls in (False, True):
        draw = random.Random(7)
        x = column(draw, type, SIZES["short"] * 9, nulls)
        x = (x % 50).cast(type) if type.startswith("int") else x
        y, k = column(draw, type, [], nulls, like=x), aj.array(column(draw, type, [len(x)], nulls).values)
        y = (y % 9).cast(type) if type.startswith("int") else y
        found, loops = fused(TYPED[chain], x, y, k)
        assert found == eager(TYPED[chain], x, y, k)
        ran += loops
    assert ran == 2


METHODS = ["sum", "mean", "max", "min", "std", "cumsum", "cummax", "cummin", "diff", "shift", "any", "all", "count"]
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne", "and_", "or_"]
TOGETHER: dict[str, Callable[[Any], Any]] = {
    **{name: lambda x, name=name: getattr(x > 0 if name in ("any", "all") else -x, name)() for name in METHODS},
    **{
        name: lambda x, name=name: getattr(operator, name)(x > 0, x < 2) if name[-1] == "_" else getattr(operator, name)(-x, x + 1)
        for name in OPERATORS
    },
    **{name: lambda x, name=name: getattr(operator, name)(x + 1) for name in ("neg", "abs")},
    "invert": lambda x: ~(x > 0),
    "sqrt": lambda x: np.sqrt(x + 1),
    "square": lambda x: (x + 1) ** 2,
    "where": lambda x: aj.where(x > 0, x, 0.5),
    "cast": lambda x: (x > 0).cast("int64"),
    "rolling": lambda x: (x + 1).rolling(3).mean() + x.rolling_sum(2),
    "the largest constant": lambda x: -x + 2**53,
}


@pytest.mark.parametrize("name", TOGETHER)
def test_each_call_is_part_of_a_loop(name: str) -> None:
    lines = aj.jit(TOGETHER[name]).explain(aj.array([[1.0, 2.0]])).splitlines()
    assert [line for line in lines if line.endswith(":")] == ["in one compiled loop, or in blocks of rows:"]


WRAPPED: dict[str, Callable[..., Any]] = {
    "square": lambda x: (x**2).cummin(),
    "product": lambda x: (x * x).min(),
    "sum": lambda x: (x + 1 > x).sum(),
    "difference": lambda x: (x - 1 < x).sum(),
    "neighbours": lambda x: ((x.diff() > 0) & (x.shift(1) < x)).sum(),
    "negative": lambda x: ((-x < 0) & (abs(x) >= 0)).sum(),
}


@pytest.mark.parametrize("type", ["int64", "int32"])
@pytest.mark.parametrize("chain", WRAPPED)
def test_integers_that_wrap_around_are_compared_as_they_are(chain: str, type: str) -> None:
    # LLVM would know that a square is not negative, and that x + 1 > x, if integers could not overflow.
    limits = np.iinfo(type)
    items = [limits.min, limits.max, limits.max // 2 + 1, limits.max - 2, -5, 0, 3037000500 if type == "int64" else 46341]
    x = aj.from_sizes(np.array(items * 30, type), [200, 0, 10])
    found, loops = fused(WRAPPED[chain], x)
    assert found == eager(WRAPPED[chain], x)
    assert loops == 1


def test_overflow_in_a_loop_is_the_error_of_the_call() -> None:
    big = 2**62
    x = aj.array([[1, 2]] * 50 + [[big, big]] + [[1]] * 50)
    for function in (lambda x: (x * 1).sum() + 1, lambda x: (x + 0).cumsum() - 1):
        found, loops = fused(function, x)
        assert loops == 1
        assert found == eager(function, x)
        assert "JagOverflowError" in found
        assert "row 50" in found


def test_values_under_nulls_are_zero() -> None:
    """Nothing is left there of what the loop computed, which is NaN of means of empty rows."""
    x, y, _ = columns("short", 3, plain=True)
    with forced("compiled") as taken:
        found = aj.jit(lambda x, y: (x.diff() * 2 + y, x.shift(1) - y > 0, (x + y).mean()))(x, y)
    assert taken["loop", "compiled"] == 1
    for one in found:
        bare = pa.Array.from_buffers(one.values.type, len(one.values), [None, one.values.buffers()[1]])
        under = bare.filter(one.values.is_null()).to_pylist()
        assert set(under) == {0}, one
