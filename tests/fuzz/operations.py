"""Operations of arrays against the oracle `tests/reference.py`: every leaf type, storage, axis and option."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa

import arrowjag as aj
from arrowjag.errors import JagError, JagOverflowError
from arrowjag.testing import assert_lists_equal
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.along import tolerance
from tests.fuzz import cases
from tests.fuzz.calls import CALLS, Call, Made, invoke
from tests.fuzz.columns import Sample, leaf_type, sample

EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}
REFUSED = "refused"


def campaign(seed: int, seconds: float, case: int | None = None) -> Counter[str]:
    """Each case is one call of one operation on one column."""
    return cases.run("operations", seed, seconds, check, case)


def check(rng: random.Random, counts: Counter[str], name: str | None = None) -> None:
    """Draw an operation (or take the one named) and a column; one in ten of a type for which it promises an answer or our error."""
    chosen = CALLS[name or rng.choice(list(CALLS))]
    may_refuse = bool(chosen.kinds) and rng.random() < 0.1
    leaf = leaf_type(rng, () if may_refuse else chosen.kinds)
    small = not chosen.wide or rng.random() < 0.6
    s = sample(rng, rng.randint(1, 3), leaf, small=small)
    if chosen.name == "searchsorted" and not may_refuse:
        ordered = ref.sort(s.truth, s.ndim)
        s = Sample(s.array, ordered, array_of(ordered, leaf, s.ndim))
    compare(rng, counts, chosen, s, may_refuse=may_refuse)


def compare(rng: random.Random, counts: Counter[str], chosen: Call, s: Sample, *, may_refuse: bool = False) -> Made:
    """The call's result is the oracle's; what the oracle refuses is refused by an error of ours. Returns what was drawn."""
    made = chosen.make(rng, s)
    args, kwargs, expected = made
    told = f"{s.x!r}\n{s.array.type}: {s.truth}\n.{chosen.name}({args}, {kwargs})"
    try:
        wanted: Any = expected()
    except (IndexError, ValueError, TypeError, OverflowError, ArithmeticError, AttributeError):
        wanted = REFUSED
    try:
        result = invoke(s.x, chosen.name, args, kwargs)
        got = plain(result)
        if isinstance(result, aj.JaggedArray):
            result.to_arrow().validate(full=True)
    except JagOverflowError:
        counts["overflow"] += 1
        assert may_refuse or wanted is REFUSED or not fits(wanted, s.leaf), f"an overflow, expected {wanted}\n{told}"
        return made
    except JagError as error:
        counts["refused"] += 1
        if may_refuse or wanted is REFUSED:
            return made
        raise AssertionError(f"refused, expected {wanted}\n{told}") from error
    if may_refuse:  # Python may have another arithmetic or order for such a type, or none
        return made
    counts["compared"] += 1
    assert wanted is not REFUSED, f"got {got}, expected an error\n{told}"
    try:
        assert_lists_equal(got, wanted, **(EXACT if chosen.exact else rounding(s.leaf)))
    except AssertionError as error:
        raise AssertionError(f"{error}\n{told}") from None
    return made


def rounding(leaf: pa.DataType) -> dict[str, float]:
    """How far a float may be off: as far as the leaf type is exact, and what integers average to as far as float64."""
    return tolerance(leaf if pa.types.is_floating(leaf) else pa.float64())


def plain(result: Any) -> Any:
    """A result as nested lists or a Python value."""
    return result.to_list() if isinstance(result, aj.JaggedArray) else result.as_py() if isinstance(result, pa.Scalar) else result


def fits(wanted: Any, leaf: pa.DataType) -> bool:
    """Whether all integers of a nested list fit the 64 bits that sums of the type have."""
    low, high = (0, 2**64) if pa.types.is_unsigned_integer(leaf) else (-(2**63), 2**63)
    todo = [wanted]
    while todo:
        one = todo.pop()
        todo += one if isinstance(one, list) else []
        if isinstance(one, int) and not low <= one < high:
            return False
    return True
