"""The tree that `.jag` expressions record: columns at the leaves, calls above them, and how one is computed on arrays."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa

from arrowjag import JaggedArray, functions
from arrowjag._array.indexing import rows_of_key
from arrowjag._methods import METHODS, Rows
from arrowjag.errors import JagTypeError
from arrowjag.functions import array
from arrowjag.polars._convert import arrow_type, column_type, to_series

__all__ = [
    "Call",
    "Input",
    "Node",
    "Tree",
    "as_leaf",
    "bound_arguments",
    "call",
    "children",
    "emptied",
    "evaluate",
    "is_dtype",
    "is_scalar",
    "mapped",
    "mapped_values",
    "operate",
    "record",
    "record_arguments",
    "rows_of",
]


@dataclass(frozen=True, eq=False)
class Input:
    """A column: an expression of polars that is none of ours."""

    expr: pl.Expr


@dataclass(frozen=True, eq=False)
class Call:
    """One call on columns.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    name : str
        What is called.
    args : tuple
        Nodes, constants, and lists, tuples and dicts of them.
    kwargs : dict
        The same by name.
    """

    kind: str
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)


Node: TypeAlias = "Input | Call"


# --------------------------------------------------------------------------------------------------- recording

_SETS = {"is_in", "contains", "translate"}
"""Methods whose flat arguments are sets or tables, not one item a row."""


def record(value: Any, *, rowwise: bool = False) -> Any:
    """An argument as it stands in a tree.

    Parameters
    ----------
    value : object
        What a caller gave.
    rowwise : bool
        Whether an array or a list holds one item a row of the frame, so that it becomes a literal column.

    Returns
    -------
    object
        A node for expressions, containers of them as they are, a constant otherwise.
    """
    node = getattr(value, "_node", None)
    if isinstance(node, (Input, Call)):
        return node
    if isinstance(value, pl.Expr):
        return Input(value)
    if isinstance(value, (list, tuple)) and any(isinstance(one, pl.Expr) for one in value):
        return type(value)([record(one, rowwise=rowwise) for one in value])
    if is_dtype(value):
        return arrow_type(value)
    if rowwise and not is_scalar(value):
        return Input(pl.lit(_literal(value)))
    return value


def is_dtype(value: Any) -> bool:
    """Whether an argument is a dtype of polars, which methods take as the Arrow type that stores it."""
    return isinstance(value, pl.DataType) or (isinstance(value, type) and issubclass(value, pl.DataType))


def as_leaf(value: Any) -> Any:
    """A dtype of polars as the Arrow type of its leaves, anything else as it is."""
    return column_type(value).leaf if is_dtype(value) else value


def is_scalar(value: Any) -> bool:
    """Whether an operand is one value, and no column."""
    if value is None or isinstance(value, (str, bytes, np.generic, pa.Scalar, dict)):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return not hasattr(value, "__iter__") and not hasattr(value, "__arrow_c_array__")


def _literal(value: Any) -> pl.Series:
    return value if isinstance(value, pl.Series) else to_series(array(value))


@functools.cache
def _positional(name: str) -> tuple[int, tuple[bool, ...]] | None:
    """How many positional arguments a method needs, and whether each that it takes may be an array; None if it takes any number."""
    parameters = list(METHODS[name].signature.parameters.values())[1:]
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return None
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = [one for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    return len(needed), tuple(one.name in _array_names(name) for one in places)


def _array_names(name: str) -> set[str]:
    """The parameters of a method that may hold one item a row."""
    return set() if name in _SETS else {one.lstrip("*") for one in METHODS[name].arrays}


def record_arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a method, bound to its signature; those that may be arrays are columns if they aren't scalars."""
    if name == "cast":  # of leaves; the dtype of a whole column is as good
        args, kwargs = tuple(map(as_leaf, args)), {key: as_leaf(one) for key, one in kwargs.items()}
    places = None if kwargs else _positional(name)
    if places is not None and places[0] <= len(args) <= len(places[1]):  # nothing to bind, which takes 10 microseconds
        return tuple([record(one, rowwise=rowwise) for one, rowwise in zip(args, places[1], strict=False)]), kwargs
    method = METHODS[name]
    names = _array_names(name)
    bound = method.bound(args, kwargs)
    for parameter, value in list(bound.arguments.items())[1:]:
        kind = method.signature.parameters[parameter].kind
        rowwise = parameter in names
        if kind is kind.VAR_POSITIONAL:
            bound.arguments[parameter] = tuple(record(one, rowwise=rowwise) for one in value)
        elif kind is kind.VAR_KEYWORD:
            bound.arguments[parameter] = {key: record(one, rowwise=rowwise) for key, one in value.items()}
        else:
            bound.arguments[parameter] = record(value, rowwise=rowwise)
    return bound.args[1:], bound.kwargs


# --------------------------------------------------------------------------------------------------- walking


def children(call: Call) -> Iterator[Node]:
    """The nodes among the arguments of a call; the one that names the result comes first."""
    yield from _nodes(_values(call))


def _values(call: Call) -> list[Any]:
    """The arguments of a call; the one that names the result comes first."""
    values = [*call.args, *call.kwargs.values()] if call.kwargs else list(call.args)
    if call.kind == "function" and call.name == "where" and len(call.args) > 1:
        values[0], values[1] = values[1], values[0]
    return values


def _nodes(values: Any) -> Iterator[Node]:
    for value in values:
        if isinstance(value, (Input, Call)):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _nodes(value)
        elif isinstance(value, dict):
            yield from _nodes(value.values())


def mapped(value: Any, function: Callable[[Node], Any]) -> Any:
    """A value with every node in it replaced."""
    if isinstance(value, (Input, Call)):
        return function(value)
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(one, function) for one in value])
    if isinstance(value, dict):
        return {key: mapped(one, function) for key, one in value.items()}
    return value


def emptied(root: Node, places: Mapping[int, int]) -> tuple[Node, list[tuple[Input, int]]]:
    """The tree with columns by number in place of expressions, which may hold data; and the new inputs with their numbers."""
    made: dict[int, Node] = {}
    slots: list[tuple[Input, int]] = []

    def copy(node: Node) -> Node:
        if id(node) not in made:
            if isinstance(node, Input):
                slot = made[id(node)] = Input(pl.nth(places[id(node)]))
                slots.append((slot, places[id(node)]))
            else:
                made[id(node)] = Call(node.kind, node.name, mapped(node.args, copy), mapped(node.kwargs, copy))
        return made[id(node)]

    return copy(root), slots


_KEYS = frozenset({int, bool, str, type(None), type(Ellipsis), np.ufunc, pa.DataType})
"""Types of constants that are equal only if they act alike."""

_LONGEST = 20
"""Items of a container that are still worth reading for a key."""


class Tree:
    """What is read of a tree in one walk.

    Attributes
    ----------
    columns : list of pl.Expr
        The expressions that it reads, each once, in the order of their first use.
    places : dict
        The number of its column by the id of each input.
    key : object
        What equal trees on columns of the same numbers have in common; None where a constant can't tell what it is.
    """

    def __init__(self, root: Call) -> None:
        self.columns: list[pl.Expr] = []
        self.places: dict[int, int] = {}
        self._calls: dict[int, int] = {}
        self._has_key = True
        found = self._key(root)
        self.key = found if self._has_key else None

    def _place(self, found: Input) -> int:
        """The number of an input's column; equal expressions share one, so that it is converted once."""
        if id(found) not in self.places:
            same = (place for place, known in enumerate(self.columns) if known is found.expr or known.meta.eq(found.expr))
            self.places[id(found)] = place = next(same, len(self.columns))
            if place == len(self.columns):
                self.columns.append(found.expr)
        return self.places[id(found)]

    def _key(self, value: Any) -> Any:
        kind = type(value)
        if kind is Input:
            return self._place(value)
        if kind is Call:
            if id(value) in self._calls:  # one node in two places is computed once, two equal ones are not
                return Call, self._calls[id(value)]
            self._calls[id(value)] = len(self._calls)
            return value.kind, value.name, tuple(value.kwargs), *map(self._key, _values(value))
        if kind in _KEYS:
            return kind, value
        if kind is float:
            return kind, repr(value)  # -0.0 is another constant than 0.0, NaN the same as NaN
        if kind is slice:
            return kind, *map(self._key, (value.start, value.stop, value.step))
        if isinstance(value, (list, tuple, dict)):
            self._has_key &= len(value) <= _LONGEST
            return kind, *map(self._key, value.items() if isinstance(value, dict) else value)
        self._has_key = False
        return None


# --------------------------------------------------------------------------------------------------- computing

_PYTHON = {"and_": "and", "or_": "or"}
_REFLECTED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def operate(name: str, *args: Any) -> Any:
    """An operator of Python on arrays and scalars; `name` is that of the module `operator`."""
    if len(args) == 1:
        return getattr(operator, name)(args[0])
    one, two = args
    name = _PYTHON.get(name, name)
    if isinstance(one, JaggedArray):
        return getattr(one, f"__{name}__")(two)
    reflected = _REFLECTED.get(name)
    return getattr(two, f"__{reflected}__" if reflected else f"__r{name}__")(one)


def _method(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return METHODS[name].function(*args, **kwargs)


def _function(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return getattr(functions, name)(*args, **kwargs)


KINDS: dict[str, Callable[[str, tuple[Any, ...], dict[str, Any]], Any]] = {
    "operator": lambda name, args, kwargs: operate(name, *args),
    "method": _method,
    "function": _function,
    "ufunc": lambda name, args, kwargs: args[0](*args[1:], **kwargs),
    "getitem": lambda name, args, kwargs: args[0][args[1]],
    "slots": lambda name, args, kwargs: args[0].S[args[1]],
    "part": lambda name, args, kwargs: args[0][args[1]],
}
"""How each kind of call is made. The first argument of methods and indexing is the array; `part` picks one of several results."""


def evaluate(node: Node, known: dict[int, Any]) -> Any:
    """The value of a node; `known` holds the values of nodes by id, and each call is made once."""
    found = known.get(id(node))
    if found is None:
        assert isinstance(node, Call)
        found = known[id(node)] = call(node, lambda one: evaluate(one, known))
    return found


def call(node: Call, value_of: Callable[[Node], Any]) -> Any:
    """Make one call on the values of its nodes."""
    args = tuple(mapped(one, value_of) for one in node.args)
    kwargs = {key: mapped(one, value_of) for key, one in node.kwargs.items()}
    return KINDS[node.kind](node.name, args, kwargs)


# --------------------------------------------------------------------------------------------------- what happens to rows


def bound_arguments(node: Call, value_of: Callable[[Node], Any]) -> dict[str, Any]:
    """The arguments of a method call by name, defaults filled in."""
    args = tuple(mapped(one, value_of) for one in node.args[1:])
    kwargs = {key: mapped(one, value_of) for key, one in node.kwargs.items()}
    return METHODS[node.name].bind(args, kwargs)


def rows_of(node: Call, value_of: Callable[[Node], Any]) -> Rows:
    """What a call does to the rows of the frame, by the number of dims of its operands."""
    if node.kind == "method":
        return METHODS[node.name].rows(value_of(node.args[0]).ndim, bound_arguments(node, value_of))
    if node.kind in ("getitem", "slots"):
        ndim, key = value_of(node.args[0]).ndim, mapped(node.args[1], value_of)
        return rows_of_key(ndim, key) if node.kind == "getitem" else _rows_of_slots(ndim, key)
    if node.kind == "function" and node.name in ("concat", "stack"):
        return _rows_of_joined(node, value_of)
    return Rows.LOCAL


def _rows_of_joined(node: Call, value_of: Callable[[Node], Any]) -> Rows:
    arrays = mapped(node.args[0] if node.args else node.kwargs.get("arrays", ()), value_of)
    axis = node.args[1] if len(node.args) > 1 else node.kwargs.get("axis", 0)
    ndim = max((one.ndim for one in arrays if isinstance(one, JaggedArray)), default=1)
    if not isinstance(axis, int):
        raise JagTypeError(f"{node.name}: axis must be an int, got {type(axis).__name__}")
    ndim += node.name == "stack"
    return Rows.MOVED if axis in (0, -ndim) else Rows.LOCAL


def _rows_of_slots(ndim: int, key: Any) -> Rows:
    """`x.S[...]` addresses the last dims unless an ellipsis says otherwise."""
    keys = key if isinstance(key, tuple) else (key,)
    return Rows.LOCAL if sum(one is not Ellipsis for one in keys) < ndim or isinstance(key, str) else Rows.MOVED


def mapped_values(value: Any, function: Callable[[Any], Any]) -> Any:
    """A value with everything in it that is no container replaced."""
    if isinstance(value, (list, tuple)):
        return type(value)([mapped_values(one, function) for one in value])
    if isinstance(value, dict):
        return {key: mapped_values(one, function) for key, one in value.items()}
    return function(value)
