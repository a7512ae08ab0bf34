"""Eight threads that call methods of one fresh array at the same moment, against one thread."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import Any

import arrowjag as aj
from arrowjag.errors import JagError
from tests.fuzz import cases
from tests.fuzz.calls import CALLS, invoke
from tests.fuzz.columns import leaf_type, sample
from tests.fuzz.operations import plain
from tests.together import THREADS, switching, together


def campaign(seed: int, seconds: float, case: int | None = None) -> Counter[str]:
    """Each case is one column and up to four methods in eight threads."""
    with switching():
        return cases.run("threads", seed, seconds, check, case)


def check(rng: random.Random, counts: Counter[str]) -> None:
    """Draw methods for one leaf type; the array that the threads share comes through the gate anew, so that nothing is at hand."""
    names = [rng.choice(list(CALLS)) for _ in range(4)]
    s = sample(rng, rng.randint(1, 3), leaf_type(rng, CALLS[names[0]].kinds))
    calls = []
    for name in names:
        if not CALLS[name].kinds or name == names[0]:
            made = CALLS[name].make(rng, s)
            calls.append((name, made.args, made.kwargs))
    alone = [outcome(aj.from_arrow(s.array), *call) for call in calls]
    shared = aj.from_arrow(s.array)
    got = together([partial(outcome, shared, *calls[k % len(calls)]) for k in range(THREADS)])
    counts["compared"] += len(got)
    for k, one in enumerate(got):
        which = k % len(calls)
        assert repr(one) == repr(alone[which]), f"{calls[which]} of {s.truth}: {one}, alone {alone[which]}"


def outcome(x: aj.JaggedArray, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """The result as plain lists, or the type of our error."""
    try:
        return plain(invoke(x, name, args, kwargs))
    except JagError as error:
        return type(error)
