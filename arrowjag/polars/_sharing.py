"""A memo of common subexpressions: several outputs of one query compute a shared call once.

polars plans each output separately, copies every Python function and compares functions by pointer, so its own elimination of
common subexpressions does not see the recorded trees. Here each planned output (a `Ticket`) registers the calls of its tree. The
memo keeps the value of a call if several live outputs use it in different calls.

* **Key**: the tree of the call, and the addresses, offsets and lengths of the buffers of each input. The memo holds the inputs as
  long as the value, so that no other column can be allocated at the same address.
* **Lock**: each value has a lock. A second thread waits for the first, with a time limit. A nested evaluation in the same thread
  never waits: the thread itself may hold the lock (a waiting thread of polars takes up work of others).
* **Lifetime**: the memo drops a value after all outputs that need it have run on its inputs, at the latest when polars drops the
  plan.
* **Memory**: the memo keeps the newest value of each call, and older values (of other morsels) up to `MOST_BYTES` and
  `MOST_VALUES`.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._array import JaggedArray
from arrowjag._runtime.identity import Same
from arrowjag.polars._tree import Call, Input, Node, Tree, children

__all__ = ["Member", "Ticket", "identity", "members"]

MOST_BYTES = 256 << 20
MOST_VALUES = 4 * (os.cpu_count() or 1)
MOST_CALLS = 64
"""Trees of more calls are not shared: the keys of all calls take quadratic time."""

LONGEST_WAIT = 10.0
"""Seconds until a waiting thread computes the value itself; threads of two engines could wait for each other."""


# --------------------------------------------------------------------------------------------------- what trees have in common


@dataclass(frozen=True)
class Member:
    """A call of a tree that other trees may contain too.

    Attributes
    ----------
    node : int
        The id of the call.
    key : object
        Equal for equal calls on columns of equal types.
    columns : tuple of int
        The positions of the columns that it reads, in the order of their first use.
    parents : tuple
        The keys of the calls that use it; None for the output itself.
    """

    node: int
    key: Hashable
    columns: tuple[int, ...]
    parents: tuple[Hashable, ...]


class _Subtree(Tree):
    """The key of a call, with the columns that it reads numbered in the order of their first use."""

    def __init__(self, root: Call, inputs: Mapping[int, int]) -> None:
        self.order: list[int] = []
        self._inputs = inputs
        self._calls = {}
        self._has_key = True
        found = self._key(root)
        self.key = found if self._has_key else None

    def _key(self, value: Any) -> Any:
        position = self._inputs.get(id(value)) if isinstance(value, (Input, Call)) else None
        if position is not None:
            if position not in self.order:
                self.order.append(position)
            return Input, self.order.index(position)
        if callable(value) and not isinstance(value, (type, Call, Input)) and type(value).__module__ != "numpy":
            return Same(value)
        return super()._key(value)


def members(root: Call, inputs: Mapping[int, int], columns: Sequence[Hashable]) -> list[Member]:
    """Return the calls of a tree that other outputs may share.

    Parameters
    ----------
    root : Call
        The outermost call of the output.
    inputs : mapping
        The position of the column of each input, by the id of its node.
    columns : sequence
        The type of each column.
    """
    parents: dict[int, list[Call]] = {}
    calls: dict[int, Call] = {}

    def visit(node: Node) -> None:
        if id(node) in inputs or id(node) in calls:
            return
        assert isinstance(node, Call)
        calls[id(node)] = node
        for child in children(node):
            parents.setdefault(id(child), []).append(node)
            visit(child)

    visit(root)
    if len(calls) > MOST_CALLS:
        return []
    found = {one: _Subtree(node, inputs) for one, node in calls.items()}
    keys = {one: (tree.key, *(columns[position] for position in tree.order)) for one, tree in found.items() if tree.key is not None}
    made = []
    for one, key in keys.items():
        above = tuple(keys.get(id(parent)) for parent in parents.get(one, ())) or (None,)
        made.append(Member(one, key, tuple(found[one].order), above))
    return made


# --------------------------------------------------------------------------------------------------- what runs


@dataclass(eq=False)
class _Value:
    """The value of a call for particular buffers of its inputs."""

    inputs: tuple[pl.Series, ...]
    waiting: set[Hashable]
    lock: threading.Lock = field(default_factory=threading.Lock)
    value: Any = None
    nbytes: int = 0


class _Shared:
    """A call in the trees of live outputs, with its values."""

    def __init__(self) -> None:
        # By the id of the ticket: the output, and the calls that use the value.
        self.users: dict[int, tuple[Hashable, frozenset[Hashable]]] = {}
        self.values: dict[Hashable, _Value] = {}

    def outputs(self) -> set[Hashable]:
        """The outputs that need the value; an output that was planned twice counts once."""
        return {output for output, _ in self._present()}

    def is_worth_it(self) -> bool:
        """Whether at least two outputs need the value, and in different calls: otherwise they share the value of the outer call."""
        return len(self.outputs()) > 1 and len(frozenset().union(*(above for _, above in self._present()))) > 1

    def _present(self) -> list[tuple[Hashable, frozenset[Hashable]]]:
        """Copy the users: while they are read, the garbage collector may run the finalizer of a ticket in this thread."""
        return list(self.users.values())

    def shrink(self) -> None:
        """Drop the oldest values beyond the limits; the newest always stays."""
        kept = 0
        for position, (key, one) in enumerate(reversed(list(self.values.items()))):
            kept += one.nbytes
            if position and (position >= MOST_VALUES or kept > MOST_BYTES):
                del self.values[key]


_SHARED: weakref.WeakValueDictionary[Hashable, _Shared] = weakref.WeakValueDictionary()
_LOCK = threading.RLock()  # reentrant: the garbage collector may run a finalizer while this thread holds it
_RUNNING = threading.local()


class Ticket:
    """The registration of one output of one plan; it counts as a user of its calls as long as polars keeps it.

    Parameters
    ----------
    shared : list of Member
        The calls of the tree of the output.
    output : tuple of objects
        Objects that identify the output: polars plans it again for each resolution of the schema, and may keep unused plans.
    """

    def __init__(self, shared: Sequence[Member], output: tuple[object, ...]) -> None:
        self._members = shared
        self._made_of = output  # keeps the objects alive, so that their ids stay unique
        self._output = tuple(map(id, output))
        self._shared: list[_Shared] = []
        with _LOCK:
            for one in shared:
                known = _SHARED.get(one.key)
                if known is None:
                    known = _SHARED[one.key] = _Shared()
                above = frozenset(self._output if parent is None else parent for parent in one.parents)
                known.users[id(self)] = self._output, above
                self._shared.append(known)
        weakref.finalize(self, _forget, id(self), self._shared).atexit = False

    @contextmanager
    def run(self, series: Sequence[pl.Series], rows: int) -> Iterator[Callable[[int, Callable[[], Any]], Any] | None]:
        """Yield a function for one evaluation: from the id of a call and a function that computes it to its value.

        It is None if no other output needs a value of this tree.

        Parameters
        ----------
        series : sequence of Series
            The columns of the tree.
        rows : int
            The number of rows of the frame, to which literals are broadcast.
        """
        with _LOCK:
            worth = [(one, known) for one, known in zip(self._members, self._shared, strict=True) if known.is_worth_it()]
        if not worth:
            yield None
            return
        addresses = {position: identity(series[position]) for one, _ in worth for position in one.columns}
        keys = {one.node: (rows, *(addresses[position] for position in one.columns)) for one, _ in worth}
        found = {one.node: (known, tuple(series[position] for position in one.columns)) for one, known in worth}
        depth = _RUNNING.depth = getattr(_RUNNING, "depth", 0) + 1

        def look(node: int, compute: Callable[[], Any]) -> Any:
            if node not in found:
                return compute()
            return _computed_once(*found[node], keys[node], compute, LONGEST_WAIT if depth == 1 else 0)

        try:
            yield look
        finally:
            _RUNNING.depth = depth - 1
            self._leave(found, keys)

    def _leave(self, found: Mapping[int, tuple[_Shared, Any]], keys: Mapping[int, Hashable]) -> None:
        """Drop the values that no output needs any more."""
        with _LOCK:
            for node, (known, _) in found.items():
                value = known.values.get(keys[node])
                if value is not None:
                    value.waiting.discard(self._output)
                    if not value.waiting:
                        del known.values[keys[node]]


def _forget(ticket: int, shared: list[_Shared]) -> None:
    with _LOCK:
        for known in shared:
            known.users.pop(ticket, None)
            left = known.outputs()
            for key, value in list(known.values.items()):
                value.waiting &= left
                if not value.waiting:
                    known.values.pop(key, None)


def _computed_once(known: _Shared, inputs: tuple[pl.Series, ...], key: Hashable, compute: Callable[[], Any], wait: float) -> Any:
    with _LOCK:
        value = known.values.get(key)
        if value is None:
            value = known.values[key] = _Value(inputs, known.outputs())
            known.shrink()
    if not value.lock.acquire(timeout=wait):
        return compute()
    try:
        if value.value is None:
            value.value = compute()
            value.nbytes = value.value.nbytes if isinstance(value.value, (JaggedArray, pa.Array)) else 0
        return value.value
    finally:
        value.lock.release()


# --------------------------------------------------------------------------------------------------- addresses of a column


def identity(series: pl.Series) -> Hashable:
    """The addresses of the buffers of a Series. While one of two Series lives, equal addresses imply equal values."""
    storage = series.ext.storage() if isinstance(series.dtype, pl.BaseExtension) else series
    newest = pl.CompatLevel.newest()  # text as polars stores it, without a copy
    return tuple(_addresses(chunk.to_arrow(compat_level=newest)) for chunk in storage.get_chunks())


def _addresses(array: pa.Array) -> Hashable:
    type = array.type
    own = tuple(None if one is None else (one.address, one.size) for one in array.buffers()[: type.num_buffers])
    if pt.is_string_view(type) or pt.is_binary_view(type):
        own = tuple(None if one is None else (one.address, one.size) for one in array.buffers())
    return (str(type), len(array), array.offset, own, *map(_addresses, _below(array)))


def _below(array: pa.Array) -> list[pa.Array]:
    """The child arrays of an array."""
    type = array.type
    if isinstance(array, pa.ExtensionArray):
        return [array.storage]
    if pt.is_dictionary(type):  # polars exports categories in a new dictionary each time, so such columns never compare equal
        return [array.indices, array.dictionary]
    if _arrow.is_list_type(type):
        return [array.values]
    if pt.is_map(type):
        return [array.keys, array.items]
    if pt.is_struct(type):
        return [array.field(position) for position in range(type.num_fields)]
    return []
