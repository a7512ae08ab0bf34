"""Compare slices of a result with results for slices and chunks, including types: methods that work row by row must agree."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import arrowjag as aj
from arrowjag._methods import METHODS, Rows
from arrowjag.errors import JagError
from arrowjag.testing import assert_lists_equal
from tests.fuzz import cases
from tests.fuzz.calls import CALLS, Call, Made, invoke
from tests.fuzz.columns import Sample, leaf_type, sample
from tests.fuzz.operations import EXACT, plain, rounding


def campaign(seed: int, seconds: float, case: int | None = None) -> Counter[str]:
    """Each case is one call on a column and on its pieces."""
    return cases.run("pieces", seed, seconds, check, case)


def check(rng: random.Random, counts: Counter[str]) -> None:
    """Draw a call that leaves each row where it is; any leaf type, refused by the whole and by every piece alike."""
    chosen = CALLS[rng.choice(list(CALLS))]
    leaf = leaf_type(rng, chosen.kinds if rng.random() < 0.8 else ())
    s = sample(rng, rng.randint(1, 4), leaf, small=not chosen.wide or rng.random() < 0.6)
    made = chosen.make(rng, s)
    if not is_local(chosen, s, made):
        counts["not row by row"] += 1
        return
    try:
        whole: Any = invoke(s.x, chosen.name, made.args, made.kwargs)
    except JagError:
        counts["refused"] += 1
        return
    cuts = sorted(rng.randint(0, len(s.x)) for _ in range(rng.randint(1, 3)))
    bounds = list(zip([0, *cuts], [*cuts, len(s.x)], strict=True))
    parts = [
        invoke(
            s.x[a:b],
            chosen.name,
            [cut(one, a, b, len(s.x)) for one in made.args],
            {key: cut(one, a, b, len(s.x)) for key, one in made.kwargs.items()},
        )
        for a, b in bounds
    ]
    counts["compared"] += 1
    told = f"{s.array.type}: {s.truth}\n.{chosen.name}({made.args}, {made.kwargs}) cut at {cuts}"
    for part, (a, b) in zip(parts, bounds, strict=True):
        assert part.type == whole.type, f"a piece has the type {part.type}, the whole {whole.type}\n{told}"
        assert part.shape.extents[1:] == whole.shape.extents[1:], f"extents {part.shape.extents}, {whole.shape.extents}\n{told}"
        try:
            assert_lists_equal(plain(part), plain(whole)[a:b], **(EXACT if chosen.exact else rounding(s.leaf)))
        except AssertionError as error:
            raise AssertionError(f"rows {a}..{b}: {error}\n{told}") from None


def is_local(chosen: Call, s: Sample, made: Made) -> bool:
    """Whether the call gives each row of the result from the same row of the operands, by the table of methods."""
    if chosen.name.startswith("operator "):
        return True
    method = METHODS[chosen.name]
    return method.rows(s.ndim, method.bind(made.args, made.kwargs)) is Rows.LOCAL


def cut(argument: Any, first: int, last: int, rows: int) -> Any:
    """The rows of an operand; sets of values and scalars are the same for every piece."""
    if isinstance(argument, aj.JaggedArray) and len(argument) == rows:
        return argument[first:last]
    return argument
