"""The tree of columns and calls that polars' `.jag` and `arrowjag.jit` record, and its evaluation on arrays."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from arrowjag._array import JaggedArray, ListedArray
from arrowjag._array.base import LISTS, as_column
from arrowjag._array.combining import opened
from arrowjag._array.indexing import rows_of_key, rows_of_slots
from arrowjag._array.row_functions import needed_type
from arrowjag._arrow.foreign import exports_arrow
from arrowjag._methods import FLAT_SETS, FREE_FUNCTIONS, METHODS, Rows, rows_of_free
from arrowjag._ops.elementwise import is_text
from arrowjag._ops.elementwise.operators import FUNCTIONS, UFUNCS
from arrowjag.dims import is_pattern
from arrowjag.errors import JagTypeError, ShapeError, brief
from arrowjag.shape import JaggedShape
from arrowjag.shape._text import of_samples

__all__ = [
    "Call",
    "Calls",
    "Input",
    "Node",
    "Tree",
    "bound_arguments",
    "call",
    "children",
    "emptied",
    "is_scalar",
    "like",
    "listed",
    "mapped",
    "mapped_values",
    "operate",
    "operator_call",
    "record_arguments",
    "record_operands",
    "recorded_key",
    "recorded_positions",
    "rows_of",
    "sample_of",
    "ufunc_call",
]


@dataclass(frozen=True, eq=False)
class Input:
    """A column that a tree reads.

    Attributes
    ----------
    source : object
        The column for a surface: an expression of polars, the number of an argument, or the column itself.
    is_array : bool
        Whether it is an array of the caller, which has the rows of the frame: one row of it is not repeated for others.
    """

    source: Any
    is_array: bool = False


@dataclass(frozen=True, eq=False)
class Call:
    """One call on columns.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    name : str
        The method, function, operator or ufunc.
    args : tuple
        Nodes, constants, and lists, tuples and dicts of them.
    kwargs : dict
        The keyword arguments, of the same kinds.
    """

    kind: str
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)


Node: TypeAlias = "Input | Call"


# --------------------------------------------------------------------------------------------------- recording

_CONSTANT = {"fill_null_rows": {"y"}, "get": {"default"}, "set": {"values"}, "tile": {"shape"}}
"""Parameters whose constants are passed as they are: whether they have the rows of the column depends on the column (one row or all
rows, or one default for all lists of a map), or on another argument (the rows that the index of `set` selects); lists and tuples of
`tile` are dims."""

_NESTED = {"is_in", "translate"}
"""Those of `FLAT_SETS` that take lists of lists and matrices as arrays with rows; the others refuse them."""

_OF_ROWS = {"align", "coalesce", "to_map", "where", "zip"}
"""Free functions all of whose lists and arrays have one item per row; others also take grids and edges for all rows."""

ROW_FUNCTIONS = {"fold", "map_items", "map_rows", "scan"}
"""Free functions that call a function of the user: a plan must be given the type of their results."""

_OPTIONS = {"apply", *ROW_FUNCTIONS}
"""Free functions whose operands are positional: arguments by name, such as a set of values, are passed as they are."""

_OPENED = {"concat"}
"""Methods that take a list of arrays as its members."""

Record: TypeAlias = "Callable[..., Any]"
"""Converts an argument to a part of a tree: ``record(value, rowwise=...)``. `rowwise` says whether an array or a list contains one
item per row."""


def is_scalar(value: Any) -> bool:
    """Whether an operand is a single value instead of a column; shapes have sizes and no items."""
    if value is None or isinstance(value, (str, bytes, np.generic, pa.Scalar, dict, JaggedShape)):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return not (hasattr(value, "__iter__") or exports_arrow(value))


def listed(column: Input, value: Any, type: pa.DataType) -> Input | Call:
    """Return the column of a constant; text of a list is marked, so that methods read it as they read the list: as times.

    Parameters
    ----------
    column : Input
        The column that was made of the constant.
    value : object
        The constant: a list, or an array, which has a type of its own.
    type : pa.DataType
        The type of the leaves of the column.
    """
    return Call("listed", "list", (column,)) if isinstance(value, LISTS) and is_text(type) else column


@functools.cache
def _positional(name: str) -> tuple[int, tuple[bool, ...]] | None:
    """Return how many arguments a method requires, and whether each positional one may be an array; None for ``*args``."""
    parameters = list(METHODS[name].signature.parameters.values())[1:]
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return None
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = [one for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    return len(needed), tuple(one.name in _array_names(name) for one in positional)


def _array_names(name: str) -> set[str]:
    """The parameters of a method that may contain one item per row."""
    return {one.lstrip("*") for one in METHODS[name].arrays} - _CONSTANT.get(name, set())


def _has_rows(name: str, value: Any, record: Record) -> bool:
    """Whether an argument of a method of `FLAT_SETS` is a column, or a constant with rows."""
    if isinstance(record(value), (Input, Call)):
        return True
    if isinstance(value, JaggedArray) or exports_arrow(value):
        return not isinstance(value, pa.Scalar) and as_column(value).ndim > 1
    return name in _NESTED and _is_nested(value)


def _is_nested(value: Any) -> bool:
    """Whether a constant holds rows: a list of lists, or an array of numpy with several dims."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.ndim > 1
    return isinstance(value, (list, tuple, np.ndarray)) and any(isinstance(one, (list, tuple, np.ndarray)) for one in value)


def record_arguments(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], record: Record
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Bind the arguments of a method to its signature; arguments that may be arrays become columns unless they are scalars."""
    known = None if kwargs or name in FLAT_SETS else _positional(name)
    if known is not None and known[0] <= len(args) <= len(known[1]):  # skips binding, which takes 10 microseconds
        return tuple([record(one, rowwise=rowwise) for one, rowwise in zip(args, known[1], strict=False)]), kwargs
    method = METHODS[name]
    names = _array_names(name)
    bound = method.bound(args, kwargs)
    per_row = name not in FLAT_SETS or any(_has_rows(name, one, record) for key, one in bound.arguments.items() if key in names)
    for parameter, value in list(bound.arguments.items())[1:]:
        kind = method.signature.parameters[parameter].kind
        rowwise = parameter in names and per_row
        if kind is kind.VAR_POSITIONAL:
            several = opened(value) if name in _OPENED else value
            bound.arguments[parameter] = tuple(record(one, rowwise=rowwise) for one in several)
        elif kind is kind.VAR_KEYWORD:
            bound.arguments[parameter] = {key: record(one, rowwise=rowwise) for key, one in value.items()}
        else:
            bound.arguments[parameter] = record(value, rowwise=rowwise)
    return bound.args[1:], bound.kwargs


def record_operands(
    name: str,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    record: Record,
    columns: type | tuple[type, ...],
    is_column: Callable[[Any], bool],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Record the arguments of a free function.

    Parameters
    ----------
    name : str
        The function.
    args, kwargs
        The arguments of the caller.
    record : callable
        Converts one argument.
    columns : type or tuple of type
        The columns of the surface; a list of them may also contain lists and arrays that are columns.
    is_column : callable
        Decides whether an argument of any function has one item per row.
    """

    def recorded(value: Any, names: Collection[str]) -> Any:
        has_columns = isinstance(value, (list, tuple)) and any(isinstance(one, columns) for one in value)
        return record(value, rowwise=name in names or has_columns or is_column(value))

    named = {key: record(one) if name in _OPTIONS else recorded(one, _OF_ROWS) for key, one in kwargs.items()}
    return tuple(recorded(one, _OF_ROWS | _OPTIONS) for one in args), named


def recorded_key(key: Any, record: Record) -> Any:
    """Record the key of ``x[...]``: an array beside other entries holds positions for all rows, and stays as it is."""
    if isinstance(key, tuple) and len(key) > 1:
        return tuple(recorded_key(one, record) if isinstance(one, slice) else record(one) for one in key)
    if isinstance(key, tuple):
        return tuple(recorded_key(one, record) for one in key)
    if isinstance(key, slice):
        return _recorded_bounds(key, record)
    return record(key, rowwise=not isinstance(key, list) and _is_per_row(key))


def recorded_positions(key: Any, record: Record) -> Any:
    """Record the key of ``x.S[...]``, in which arrays and lists have one entry per row."""
    if isinstance(key, tuple):
        return tuple(recorded_positions(one, record) for one in key)
    return _recorded_bounds(key, record) if isinstance(key, slice) else record(key, rowwise=_is_per_row(key))


def _recorded_bounds(key: slice, record: Record) -> slice:
    return slice(*(record(one, rowwise=_is_per_row(one)) for one in (key.start, key.stop, key.step)))


def _is_per_row(value: Any) -> bool:
    """Whether a position or a bound has one entry per row; patterns and names of fields don't."""
    if isinstance(value, list):
        return not is_pattern(value) and not any(isinstance(one, str) for one in value)
    if issubclass(type(value), (np.ndarray, JaggedArray)):  # no placeholder, whose ndim may be unknown
        return bool(value.ndim > 0)
    return exports_arrow(value)


# --------------------------------------------------------------------------------------------------- walking


def children(call: Call) -> Iterator[Node]:
    """Yield the nodes among the arguments of a call; the result is named after the first."""
    yield from _nodes(_values(call))


def _values(call: Call) -> list[Any]:
    """Return the arguments of a call; the result is named after the first."""
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
        elif isinstance(value, slice):
            yield from _nodes((value.start, value.stop, value.step))


def like(value: Any, items: list[Any]) -> Any:
    """A list or tuple of the class of another one."""
    return value._make(items) if hasattr(value, "_make") else type(value)(items)


def mapped(value: Any, function: Callable[[Node], Any]) -> Any:
    """Replace every node in a value."""
    if isinstance(value, (Input, Call)):
        return function(value)
    if isinstance(value, (list, tuple)):
        return like(value, [mapped(one, function) for one in value])
    if isinstance(value, dict):
        return {key: mapped(one, function) for key, one in value.items()}
    if isinstance(value, slice):
        return slice(*(mapped(one, function) for one in (value.start, value.stop, value.step)))
    return value


def emptied(root: Node, positions: Mapping[int, int], source: Callable[[int], Any]) -> tuple[Node, list[tuple[Input, int]]]:
    """Replace the sources of a tree, which may own data, by those of column numbers; also return the new inputs."""
    made: dict[int, Node] = {}
    calls = Calls()
    slots: list[tuple[Input, int]] = []

    def copy(node: Node) -> Node:
        if id(node) not in made:
            if isinstance(node, Input):
                slot = made[id(node)] = Input(source(positions[id(node)]))
                slots.append((slot, positions[id(node)]))
            else:
                made[id(node)] = calls.make(node.kind, node.name, mapped(node.args, copy), mapped(node.kwargs, copy))
        return made[id(node)]

    return copy(root), slots


_KEYS = frozenset({int, bool, str, type(None), type(Ellipsis), np.ufunc, pa.DataType})
"""Types whose equal constants always give equal results."""

_LONGEST = 20
"""The largest number of items of a container in a key."""


def _key(value: Any, of_part: Callable[[Any], Any], of_other: Callable[[Any], Any]) -> Any:
    """Return a key of an argument, equal for equal constants.

    `of_part` returns the keys of the parts of containers, and `of_other` those of nodes and of all other objects.
    """
    kind = type(value)
    if kind in _KEYS:
        return kind, value
    if kind is float:
        return kind, repr(value)  # distinguishes -0.0 from 0.0, and NaN equals NaN
    if kind is slice:
        return kind, *map(of_part, (value.start, value.stop, value.step))
    if isinstance(value, (list, tuple, dict)) and len(value) <= _LONGEST:
        try:
            return kind, *map(of_part, value.items() if isinstance(value, dict) else value)
        except RecursionError:
            raise _too_deep() from None
    return of_other(value)


class Calls:
    """The calls of one tree. Equal calls on the same nodes are one node, which is computed once."""

    def __init__(self) -> None:
        self._made: dict[Any, Call] = {}

    def make(self, kind: str, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
        """Return the call of these arguments: the one that was made before, if both give the same result.

        Parameters
        ----------
        kind, name, args, kwargs
            The attributes of `Call`.
        """
        node = Call(kind, name, args, kwargs)

        def key(value: Any) -> Any:
            # The node is part of a key that holds other objects, such as functions, whose calls are all computed.
            # In a tuple, because a later call may read the node in the same place.
            return _key(value, key, lambda other: id(other) if isinstance(other, (Input, Call)) else (id(node),))

        return self._made.setdefault((kind, name, tuple(kwargs), *map(key, _values(node))), node)


class Tree:
    """The columns and the key of a tree, collected in one traversal.

    Attributes
    ----------
    columns : list
        The distinct sources that the tree reads, in the order of their first use.
    positions : dict
        The column number of each input, by the id of the input.
    arrays : set of int
        The numbers of the columns that are arrays of the caller.
    key : object
        Equal for equal trees on the same column numbers; None if a constant can't be compared.
    """

    def __init__(self, root: Call) -> None:
        self.columns: list[Any] = []
        self.positions: dict[int, int] = {}
        self.arrays: set[int] = set()
        self._calls: dict[int, int] = {}
        self._has_key = True
        found = self._key(root)
        self.key = found if self._has_key else None

    def _position(self, found: Input) -> int:
        """Return the column number of an input. Equal sources share a column, which is converted once."""
        if id(found) not in self.positions:
            same = (position for position, known in enumerate(self.columns) if self._are_equal(known, found.source))
            self.positions[id(found)] = position = next(same, len(self.columns))
            if position == len(self.columns):
                self.columns.append(found.source)
            if found.is_array:
                self.arrays.add(position)
        return self.positions[id(found)]

    def _are_equal(self, one: Any, two: Any) -> bool:
        """Return whether two sources are the same column; surfaces may replace the test of identity."""
        return one is two

    def _key(self, value: Any) -> Any:
        return _key(value, self._key, self._key_of_other)

    def _key_of_other(self, value: Any) -> Any:
        if type(value) is Input:
            return self._position(value)
        if type(value) is Call:
            if id(value) in self._calls:  # a node used twice is computed once, two equal nodes twice
                return Call, self._calls[id(value)]
            self._calls[id(value)] = len(self._calls)
            return value.kind, value.name, tuple(value.kwargs), *map(self._key, _values(value))
        self._has_key = False
        for node in _nodes([value]):
            self._key(node)
        return None


# --------------------------------------------------------------------------------------------------- computing

_PYTHON = {"and_": "and", "or_": "or"}
_REFLECTED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def operator_call(name: str, operands: tuple[Any, ...]) -> tuple[str, str, tuple[Any, ...]]:
    """The kind, name and arguments of a call of an operator; ``@`` is the method `matmul`, which does not keep the items."""
    if name != "matmul":
        return "operator", name, operands
    if not isinstance(operands[0], (Input, Call)):
        raise JagTypeError(f"matmul takes arrays of matrices, got {brief(operands[0])}")
    return "method", name, operands


def ufunc_call(ufunc: np.ufunc, operands: tuple[Any, ...]) -> tuple[str, str, tuple[Any, ...]]:
    """The kind, name and arguments of a call of a ufunc; an operator if one stands for it, so that both fuse alike."""
    if ufunc is np.matmul:
        return operator_call("matmul", operands)
    name = FUNCTIONS[UFUNCS[ufunc]].python if ufunc in UFUNCS and ufunc.__name__ not in _OF_TRUTH else None
    if name is None or len(operands) != ufunc.nin:
        return "ufunc", ufunc.__name__, (ufunc, *operands)
    return "operator", f"{name}_" if name in _PYTHON.values() else name, operands


_OF_TRUTH = ("logical_and", "logical_or", "logical_xor")
"""Ufuncs that take numbers for booleans, as no operator does."""


def operate(name: str, *args: Any) -> Any:
    """Apply the function `name` of the module `operator` to arrays and scalars."""
    if len(args) == 1:
        return getattr(operator, name)(args[0])
    one, two = args
    name = _PYTHON.get(name, name)
    found = NotImplemented
    if isinstance(one, JaggedArray):
        found = getattr(one, f"__{name}__")(two)
    elif isinstance(two, JaggedArray):
        reflected = _REFLECTED.get(name)
        found = getattr(two, f"__{reflected}__" if reflected else f"__r{name}__")(one)
    if found is NotImplemented:  # the other operand may have a method of its own
        found = getattr(operator, f"{name}_" if name in _PYTHON.values() else name)(one, two)
    return found


def _method(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not isinstance(args[0], JaggedArray):  # a call returned a scalar, or several arrays, where its type was not known
        return operator.attrgetter(name)(args[0])(*args[1:], **kwargs)
    return METHODS[name].function(*args, **kwargs)


def _function(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return FREE_FUNCTIONS[name](*args, **kwargs)


KINDS: dict[str, Callable[[str, tuple[Any, ...], dict[str, Any]], Any]] = {
    "operator": lambda name, args, kwargs: operate(name, *args),
    "method": _method,
    "function": _function,
    "ufunc": lambda name, args, kwargs: args[0](*args[1:], **kwargs),
    "getitem": lambda name, args, kwargs: args[0][args[1]],
    "slots": lambda name, args, kwargs: args[0].S[args[1]],
    "part": lambda name, args, kwargs: args[0][args[1]],
    "listed": lambda name, args, kwargs: ListedArray._of(args[0]),
}
"""The function that evaluates each kind of call. The first argument of methods and indexing is the array; `part` selects one of
several results, `listed` marks the column of a list."""


def call(node: Call, value_of: Callable[[Node], Any]) -> Any:
    """Evaluate a call on the values of its nodes."""
    args = tuple([value_of(one) if isinstance(one, (Input, Call)) else mapped(one, value_of) for one in node.args])
    kwargs = {key: mapped(one, value_of) for key, one in node.kwargs.items()} if node.kwargs else {}
    return KINDS[node.kind](node.name, args, kwargs)


def sample_of(node: Call, sample: Callable[[Node], Any]) -> Any:
    """Return an empty array of the type of a call, or a scalar, from samples of its nodes."""
    rule = METHODS[node.name].result_type if node.kind == "method" else None
    if node.kind == "function" and node.name in ROW_FUNCTIONS:
        needed_type(node.kwargs.get("type"), node.name)
    with of_samples():
        return call(node, sample) if rule is None else rule(sample(node.args[0]), **bound_arguments(node, sample))


# --------------------------------------------------------------------------------------------------- effects on rows


def bound_arguments(node: Call, value_of: Callable[[Node], Any]) -> dict[str, Any]:
    """Return the arguments of a method call by name, with defaults."""
    args = tuple(mapped(one, value_of) for one in node.args[1:])
    kwargs = {key: mapped(one, value_of) for key, one in node.kwargs.items()}
    return METHODS[node.name].bind(args, kwargs)


def rows_of(node: Call, value_of: Callable[[Node], Any]) -> Rows:
    """Return the effect of a call on the rows of the frame, from the number of dims of its operands."""
    if node.kind == "method":
        ndim = getattr(value_of(node.args[0]), "ndim", 0)  # several arrays have none: the call will raise
        found = METHODS[node.name].rows(ndim, bound_arguments(node, value_of))
        return Rows.KEPT if found is Rows.LOCAL and _has_whole_columns(node) else found
    if node.kind in ("getitem", "slots"):
        ndim, key = value_of(node.args[0]).ndim, mapped(node.args[1], value_of)
        return rows_of_key(ndim, key) if node.kind == "getitem" else rows_of_slots(ndim, key)
    if node.kind == "function":
        args = tuple(mapped(one, value_of) for one in node.args)
        kwargs = {key: mapped(one, value_of) for key, one in node.kwargs.items()}
        return rows_of_free(FREE_FUNCTIONS[node.name], args, kwargs)
    return Rows.LOCAL


def _has_whole_columns(node: Call) -> bool:
    """Whether a method reads a column, such as the matrix of `nearest`, that is not one item per row."""
    parameters = METHODS[node.name].bind(node.args[1:], dict(node.kwargs))
    per_row = {one.lstrip("*") for one in METHODS[node.name].arrays}
    return any(True for _ in _nodes([value for name, value in parameters.items() if name not in per_row]))


def mapped_values(value: Any, function: Callable[[Any], Any]) -> Any:
    """Replace every item in nested containers."""
    if isinstance(value, (list, tuple, dict)):
        try:
            if isinstance(value, dict):
                return {key: mapped_values(one, function) for key, one in value.items()}
            return like(value, [mapped_values(one, function) for one in value])
        except RecursionError:
            raise _too_deep() from None
    return function(value)


def _too_deep() -> ShapeError:
    return ShapeError("an argument is nested too deep; does a list contain itself?")
