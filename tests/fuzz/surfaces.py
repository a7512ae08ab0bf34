"""One call on every surface: the array, pandas `.jag`, polars `.jag` on Series, in eager, lazy and streamed frames."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import arrowjag as aj
from arrowjag._methods import METHODS, Rows
from arrowjag.errors import JagError
from arrowjag.testing import LEAF_KINDS, assert_lists_equal
from tests.fuzz import cases
from tests.fuzz.calls import CALLS, Made, invoke
from tests.fuzz.columns import leaf_type, sample
from tests.fuzz.operations import EXACT, rounding
from tests.fuzz.pieces import is_local
from tests.hosts import pl
from tests.surfaces import plain as surface_plain


def campaign(seed: int, seconds: float, case: int | None = None) -> Counter[str]:
    """Each case is one call on five surfaces."""
    return cases.run("surfaces", seed, seconds, check, case)


def check(rng: random.Random, counts: Counter[str]) -> None:
    """Draw a call. polars stores fewer types than Arrow, so all surfaces are given what came back from polars."""
    chosen = CALLS[rng.choice(list(CALLS))]
    kinds = list(chosen.kinds or LEAF_KINDS)
    drawn = sample(rng, rng.randint(1, 3), leaf_type(rng, kinds), small=True)
    try:
        x = aj.array(drawn.x.to_polars(), ndim=drawn.ndim)
    except JagError:
        counts["not stored by polars"] += 1
        return
    s = drawn._replace(x=x, truth=x.to_list())
    try:
        made = chosen.make(rng, s)
    except (TypeError, NotImplementedError, JagError):  # pyarrow makes no array of such a type from Python values
        counts["no operand"] += 1
        return
    expected = outcome(lambda: invoke(x, chosen.name, made.args, made.kwargs))
    told = f"{x.type}, ndim {x.ndim}: {x.to_list()}\n.{chosen.name}({made.args}, {made.kwargs})"
    options = EXACT if chosen.exact else rounding(x.type)
    surfaces: dict[str, Any] = {
        "pandas": lambda: invoke(x.to_pandas().jag, chosen.name, converted(made.args, aj.JaggedArray.to_pandas), made.kwargs),
        "polars": lambda: invoke(x.to_polars().jag, chosen.name, converted(made.args, aj.JaggedArray.to_polars), made.kwargs),
    }
    stays = is_local(chosen, s, made) or keeps(chosen.name, s.ndim, made)
    if stays:
        surfaces |= {engine: lambda engine=engine: framed(x, chosen.name, made, engine) for engine in ("in-memory", "streaming")}
    for name, run in surfaces.items():
        got = outcome(run)
        counts[name] += 1
        if isinstance(expected, type) or isinstance(got, type):
            assert got == expected, f"{name} gave {got}, the array {expected}\n{told}"
            continue
        try:
            assert_lists_equal(got, expected, **options)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}\n{told}") from None


def keeps(name: str, ndim: int, made: Made) -> bool:
    """Whether there are as many rows as before, in the same order."""
    return name in METHODS and METHODS[name].rows(ndim, METHODS[name].bind(made.args, made.kwargs)) is Rows.KEPT


def outcome(run: Any) -> Any:
    """The result as nested lists, or the type of our error."""
    try:
        return surface_plain(run())
    except JagError as error:
        return type(error)


def converted(args: Any, column: Any) -> list[Any]:
    """Operands as columns of the surface."""
    return [column(one) if isinstance(one, aj.JaggedArray) else one for one in args]


def framed(x: aj.JaggedArray, name: str, made: Made, engine: str) -> Any:
    """As an expression in a frame of two chunks, whose schema must tell the result's type."""
    columns = {"x": x.to_polars()}
    for one in made.args:
        if isinstance(one, aj.JaggedArray) and len(one) == len(x):
            columns[f"y{len(columns)}"] = one.to_polars()
    named = iter(list(columns)[1:])
    is_column = lambda one: isinstance(one, aj.JaggedArray) and len(one) == len(x)  # noqa: E731
    args = [pl.col(next(named)) if is_column(one) else one for one in made.args]
    frame = pl.DataFrame(columns)
    middle = frame.height // 2
    frame = pl.concat([frame[:middle], frame[middle:]], rechunk=False)
    lazy = frame.lazy().select(result=invoke(pl.col("x").jag, name, args, made.kwargs))
    result = lazy.collect(engine=engine)["result"]  # type: ignore[call-overload]
    assert result.dtype == lazy.collect_schema()["result"], f"{result.dtype}, the schema says {lazy.collect_schema()['result']}"
    return result
