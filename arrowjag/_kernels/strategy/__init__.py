"""Which algorithm computes a result: chosen from facts about the rows, forced by tests.

Kernels define results; this package chooses algorithms. A kernel that has several algorithms calls `choose("argsort", offsets)` for
the name of one, `choices` lists the strategies, `rules` holds one rule per operation, and `sizes` every threshold. To add an
algorithm, such as a compiled loop, add a name to `CHOICES`, a branch to its kernel, and an entry to the matrix of tests, which
fails until the entry exists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from arrowjag._kernels.strategy import sizes
from arrowjag._kernels.strategy.choices import CHOICES, Choice
from arrowjag._kernels.strategy.rules import are_small, lexsorts, polars_for
from arrowjag._kernels.strategy.shares import long_share, short_share
from arrowjag.errors import JagValueError

__all__ = [
    "CHOICES",
    "Choice",
    "choose",
    "force",
    "is_forced",
    "is_small",
    "long_share",
    "loop_of",
    "polars_for",
    "short_share",
    "sizes",
]

_Loop = TypeVar("_Loop")


class _Forced(NamedTuple):
    strategies: dict[str, str]
    taken: Counter[tuple[str, str]]


_forced: list[_Forced] = []
"""Strategies that are forced now, the innermost last. Global, because kernels choose inside worker threads too."""

_rules = {name: choice.rule for name, choice in CHOICES.items()}


def choose(operation: str, *facts: Any) -> str:
    """The strategy of an operation.

    Parameters
    ----------
    operation : str
        One of `CHOICES`.
    *facts
        The arguments of the operation's rule: offsets, counts, properties of the type. A fact that costs a look at the values is a
        function without arguments, which is called where the rule depends on it.

    Returns
    -------
    str
        One of the strategies of the operation; the forced one, if it is able to compute the result.

    Notes
    -----
    0.2 microseconds, and what the rule computes.
    """
    if not _forced:
        return _rules[operation](*facts)
    forced = _forced[-1]
    found = forced.strategies.get(operation)
    if found is None or not CHOICES[operation].strategies[found](*facts):
        found = _rules[operation](*facts)
    forced.taken[operation, found] += 1
    return found


def loop_of(operation: str, loop: _Loop | None, *facts: Any) -> _Loop | None:
    """The compiled loop of an operation if it is ready, the last fact of the rule, and chosen; else None."""
    if loop is None and not _forced:  # no rule chooses it
        return None
    return loop if choose(operation, *facts, loop is not None) == "compiled" else None


def is_small(operation: str, *keys: Any, ready: Callable[[], bool] | None = None) -> bool:
    """Whether the strategy "small" computes a whole call: np.lexsort of all rows at once, of few values.

    `ready` returns whether a compiled loop takes them; it is called only if the answer depends on it.
    """
    if not _forced:
        return are_small(keys, ready)
    wanted = _forced[-1].strategies.get(operation)
    found = are_small(keys, ready) if wanted is None else wanted == "small" and lexsorts(*keys)
    taken, others = _forced[-1].taken, [name for name in CHOICES[operation].strategies if name != "small"]
    if found or len(others) == 1:  # there is only one other strategy, so no rule is called
        taken[operation, "small" if found else others[0]] += 1
    return found


def is_forced(operation: str, name: str) -> bool:
    """Whether a strategy is forced that no rule chooses, because it replaces another one where that one is not able."""
    if not _forced or _forced[-1].strategies.get(operation) != name:
        return False
    _forced[-1].taken[operation, name] += 1
    return True


@contextmanager
def force(**changes: str | int) -> Iterator[Counter[tuple[str, str]]]:
    """Force strategies by operation, or sizes by name, for tests and measurements.

    Parameters
    ----------
    **changes
        `argsort="pairs"` forces a strategy wherever it is able to compute the result; `SORT_BLOCK=1024` changes a size.

    Yields
    ------
    Counter
        How often each (operation, strategy) has been chosen since.

    Raises
    ------
    JagValueError
        An unknown operation, strategy or size.

    Notes
    -----
    The state belongs to the process, so that worker threads see it; two threads must not force different strategies at once.
    """
    for name, value in changes.items():
        known = CHOICES[name].strategies if name in CHOICES else ()
        if value not in known and not (isinstance(value, int) and hasattr(sizes, name)):
            raise JagValueError(f"force: there is no {name}={value!r}; strategies of {name} are {', '.join(known) or 'none'}.")
    old = {name: getattr(sizes, name) for name in changes if name not in CHOICES}
    outer = _forced[-1].strategies if _forced else {}
    now = _Forced(outer | {name: value for name, value in changes.items() if isinstance(value, str)}, Counter())
    _forced.append(now)
    try:
        for name in old:
            setattr(sizes, name, changes[name])
        yield now.taken
    finally:
        for name, size in old.items():
            setattr(sizes, name, size)
        _forced.pop()
