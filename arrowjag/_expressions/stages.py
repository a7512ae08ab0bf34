"""Divide a recorded tree into steps: stretches of calls that compute each row alone, and single calls in between.

A stretch runs block of rows by block of rows, so that its temporaries stay in cache. A call joins a stretch if its rows depend on
the same rows of its operands only, if it calls no function of the user, and if its operands and its result are numbers, booleans or
times.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._array import JaggedArray
from arrowjag._expressions.loops import Loop, fuses, loop_of
from arrowjag._expressions.tree import Call, Input, Node, call, children, is_scalar, rows_of
from arrowjag._kernels import compiled
from arrowjag._methods import METHODS, Rows
from arrowjag.errors import JagError

__all__ = ["Stage", "calls_of", "run_calls", "stages", "unused"]

_ITEMWISE = frozenset({"where", "coalesce"})
"""Free functions whose rows depend on the same rows of their operands; `apply` calls any function."""

_SETS = frozenset({"is_in", "contains", "translate"})
"""Methods whose flat arguments are sets or tables."""


@dataclass(frozen=True, eq=False)
class Stage:
    """A stretch of calls, or a single call.

    Attributes
    ----------
    calls : tuple of Call
        In an order in which each follows its operands.
    reads : tuple of Node
        The nodes outside of the stage that the calls use.
    gives : tuple of Call
        The calls whose values are used outside of the stage.
    """

    calls: tuple[Call, ...]
    reads: tuple[Node, ...]
    gives: tuple[Call, ...]
    n_itemwise: int = 0
    """The number of calls that compute each item from the items at the same place, which are in cache if calls run in blocks."""
    loop: Loop | None = None
    """The loop that computes all calls at once if it can be compiled; None if there is none."""

    @functools.cached_property
    def drops(self) -> list[list[int]]:
        """For each call, the ids of calls whose values no later call of the stage reads; those of `gives` are left out."""
        return unused([((node,), children(node)) for node in self.calls], self.gives)

    @property
    def is_stretch(self) -> bool:
        """Whether the stage runs in blocks of rows: a single call divides its work itself."""
        return len(self.calls) > 1


def unused(steps: Sequence[tuple[Iterable[Node], Iterable[Node]]], kept: Iterable[Node]) -> list[list[int]]:
    """Return, for each step, the ids of the nodes whose values no later step reads.

    Parameters
    ----------
    steps : sequence of (nodes, nodes)
        The nodes that each step computes, and those that it reads.
    kept : iterable of Node
        The nodes that are results, whose values are never dropped.
    """
    last: dict[int, int] = {}
    for place, (made, read) in enumerate(steps):
        last.update((id(node), place) for node in made)
        last.update((id(node), place) for node in read if id(node) in last)
    results = set(map(id, kept))
    found: list[list[int]] = [[] for _ in steps]
    for one, place in last.items():
        if one not in results:
            found[place].append(one)
    return found


def run_calls(calls: Sequence[Call], known: dict[int, Any], drops: Sequence[Iterable[int]]) -> None:
    """Compute calls one by one, and drop the values that no later one reads: the next result takes their memory.

    Parameters
    ----------
    calls : sequence of Call
        The calls, in an order in which each follows its operands.
    known : dict
        The value of each node, by its id; the values of the calls are added.
    drops : sequence of iterable of int
        For each call, the ids of the nodes whose values are dropped after it.
    """

    def value_of(node: Node) -> Any:
        return known[id(node)]

    for node, dropped in zip(calls, drops, strict=True):
        known[id(node)] = call(node, value_of)
        for one in dropped:
            del known[one]


def calls_of(roots: Iterable[Node], given: Collection[int]) -> list[Call]:
    """Return the distinct calls of trees, operands first, down to the nodes whose values are given."""
    seen: dict[int, Call] = {}

    def is_new(node: Node) -> TypeGuard[Call]:
        return isinstance(node, Call) and id(node) not in seen and id(node) not in given

    for root in roots:
        path = [root]  # in place of a recursion: loops of Python make chains of thousands of calls
        while path:
            node = path[-1]
            below = [child for child in children(node) if is_new(child)] if is_new(node) else []
            path += reversed(below)
            if not below:
                path.pop()
                if is_new(node):
                    seen[id(node)] = node
    return list(seen.values())


def stages(roots: Sequence[Node], samples: Mapping[int, Any], given: Collection[int] = ()) -> list[Stage]:
    """Divide the calls of trees into stages, in an order in which each follows those it reads.

    Parameters
    ----------
    roots : sequence of Node
        The results.
    samples : mapping
        For each node, by its id, an empty array of its type, or a scalar; calls without a sample are stages of their own.
    given : collection of int
        The ids of calls whose values are given.
    """
    calls = calls_of(roots, given)
    local = {id(node): _kind(node, samples) for node in calls}
    level: dict[int, int] = {}
    for node in calls:
        below = [child for child in children(node) if id(child) in level]
        steps = [level[id(child)] + (not (local[id(node)] and local[id(child)] == local[id(node)])) for child in below]
        level[id(node)] = max(steps, default=0)
    found: list[list[Call]] = []
    for step in sorted(set(level.values())):
        here = [node for node in calls if level[id(node)] == step]
        found += [[node] for node in here if not local[id(node)]]
        found += [group for kind in ("loop", "block") for group in _connected([node for node in here if local[id(node)] == kind])]
    users: dict[int, list[int]] = {}
    for number, group in enumerate(found):
        for node in group:
            for child in children(node):
                users.setdefault(id(child), []).append(number)
    wanted = {id(root) for root in roots}
    made = []
    for number, group in enumerate(found):
        own = {id(node) for node in group}
        reads = {id(child): child for node in group for child in children(node) if id(child) not in own}
        gives = [node for node in group if id(node) in wanted or any(one != number for one in users.get(id(node), ()))]
        loop = None
        if len(group) > 1 and local[id(group[0])] == "loop":
            loop = loop_of(group, list(reads.values()), gives, samples)
        itemwise = sum(_is_itemwise(node, samples) for node in group)
        made.append(Stage(tuple(group), tuple(reads.values()), tuple(gives), itemwise, loop))
    return made


def _is_itemwise(node: Call, samples: Mapping[int, Any]) -> bool:
    """Whether a call is an operator or a ufunc of columns of one number of dims, and of scalars."""
    if node.kind not in ("operator", "ufunc"):
        return False
    ndims = {getattr(samples.get(id(one)), "ndim", 0) for one in (node, *children(node))}
    return len(ndims) == 1


def _connected(calls: list[Call]) -> list[list[Call]]:
    """Group calls that use each other or the same operands: columns of different groups may have other numbers of rows."""
    parent: dict[int, int] = {}

    def root(one: int) -> int:
        while parent.setdefault(one, one) != one:
            one = parent[one]
        return one

    for node in calls:
        for child in children(node):
            parent[root(id(child))] = root(id(node))
    groups: dict[int, list[Call]] = {}
    for node in calls:
        groups.setdefault(root(id(node)), []).append(node)
    return list(groups.values())


def _kind(node: Call, samples: Mapping[int, Any]) -> str:
    """Return how a call may run with others: "loop" for one compiled loop, "block" for blocks of rows, "" for neither."""
    if not _is_local(node, samples):
        return ""
    return "loop" if compiled.is_available() and fuses(node, samples) else "block"


def _is_local(node: Call, samples: Mapping[int, Any]) -> bool:
    """Return whether a call may run on blocks of rows."""
    operands = [samples.get(id(child)) for child in children(node)]
    if not all(map(_is_plain, [*operands, samples.get(id(node))])) or not isinstance(samples[id(node)], JaggedArray):
        return False
    if not _has_rows_only(node) or not any(isinstance(one, JaggedArray) for one in operands):
        return False
    try:
        return rows_of(node, lambda one: samples[id(one)]) is Rows.LOCAL
    except JagError:
        return False


def _is_plain(sample: Any) -> bool:
    """Whether a sample is an array with rows of numbers, booleans or times, or a scalar."""
    if isinstance(sample, pa.Scalar):
        return True
    return isinstance(sample, JaggedArray) and sample.ndim > 0 and bool(pt.is_primitive(sample.type))


def _has_rows_only(node: Call) -> bool:
    """Return whether all arrays among the arguments of a call are nodes, so that they can be cut to blocks of rows.

    Calls of functions of the user and calls that draw random numbers need whole columns.
    """
    if node.kind in ("operator", "ufunc"):
        given = node.args[1:] if node.kind == "ufunc" else node.args
        return all(isinstance(one, (Call, Input)) or is_scalar(one) for one in given)
    if node.kind == "function":
        return node.name in _ITEMWISE and _is_free_of_arrays([*node.args, *node.kwargs.values()])
    if node.kind == "method":
        if METHODS[node.name].seeded or METHODS[node.name].is_property:
            return False
        return node.name in _SETS or _is_free_of_arrays([*node.args, *node.kwargs.values()])
    if node.kind in ("getitem", "slots"):
        return _is_free_of_arrays([node.args[1]])
    return False


_PLAIN: tuple[type, ...] = (Call, Input, str, bytes, int, float, type(None), type(Ellipsis), np.generic, pa.Scalar, pa.DataType)


def _is_free_of_arrays(values: Iterable[Any]) -> bool:
    """Whether arguments are nodes and single values; a tuple or a slice of these counts as one."""
    for one in values:
        if isinstance(one, slice):
            one = (one.start, one.stop, one.step)  # noqa: PLW2901  # its parts stand for it
        if not (isinstance(one, _PLAIN) or (isinstance(one, tuple) and _is_free_of_arrays(one))):
            return False
    return True
