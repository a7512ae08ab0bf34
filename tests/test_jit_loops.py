"""Stretches that `aj.jit` compiles to one loop: the bits of the single calls, for any program and any lengths of rows."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.compiled import background
from arrowjag._kernels.compiled.loops.fused import loop_of, parse
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
    with aj.options(compile="always"), strategy.force(COMPILED_VALUES=0, THREAD_VALUES=50) as taken:
        found = outcome(aj.jit(function), *arrays)
    return found, taken["loop", "compiled"]


def eager(function: Callable[..., Any], *arrays: Any) -> str:
    with aj.options(compile="never"):
        return outcome(function, *arrays)


CHAINS: dict[str, Callable[..., Any]] = {
    "z-score": lambda x, y, k: (x - x.mean()) / x.std(),
    "cosine": lambda x, y, k: (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()),
    "many results": lambda x, y, k: (x + y, (x * k).sum(), (x - 1).max() - k, abs(x - y).mean() / 3, -x.std() * 2),
    "running": lambda x, y, k: ((x * 2 - y).cumsum() + x.min(), (x.cumsum() - x).cumsum().max()),
    "three passes": lambda x, y, k: ((x - x.mean()) * (x - (x - x.mean()).max())).sum(),
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
        lambda x, y, k: (x.cast("float32"), y, k),
        lambda x, y, k: (x[1:], y[1:], k[1:]),
    ],
    ids=["null items", "null rows", "null values per row", "another type", "a slice"],
)
def test_other_columns_run_in_blocks_or_whole(change: Callable[..., Any]) -> None:
    arrays = change(*columns("short", 1, plain=True))
    for function in (CHAINS["z-score"], CHAINS["many results"]):
        assert fused(function, *arrays)[0] == eager(function, *arrays)


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
        assert background.wait(120)
        assert outcome(fused, x) == before
    assert taken["loop", "compiled"] == 1
    assert list(tmp_path.glob("*.jagobj"))


def test_explain_names_the_loop() -> None:
    x, y, _ = columns("short", 1, plain=True)
    text = aj.jit(lambda x, y: np.exp(x * 2 - y).sum() * 2 + 1).explain(x, y)
    assert text.splitlines()[1] == "in one compiled loop, or in blocks of rows:"
    assert "on whole columns:" in text


@pytest.mark.parametrize("text", ["fused:spam|0", "fused:i1r0c0;spam,0|1"])
def test_what_is_no_program_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no program|there is no instruction spam"):
        parse(text)
    assert loop_of("fused:i1r0c0;sum,0|1").arguments == ("i8*", "i8", "i8", "f8*", "f8*", "f8*")
