"""Compile a stretch of calls on numbers and booleans to one loop over rows, without temporaries.

`fuses` decides from types which calls a loop can hold. Whether a loop runs depends on the columns: columns of items need one
shape, and the machine code must be there. Otherwise the stretch runs in blocks of rows, or call by call.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag._array import JaggedArray
from arrowjag._column import Column, same_validity
from arrowjag._expressions.tree import Call, Input, Node
from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.base import memory, words
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.compiled import fused_name
from arrowjag._kernels.compiled.loops.programs import LIMITED, LONGEST_WINDOW, REDUCTIONS, Value, is_scan, parse
from arrowjag._ops.elementwise.framework import flat_data
from arrowjag.dims import Dim, Uniform
from arrowjag.shape import JaggedShape

__all__ = ["Loop", "fuses", "loop_of"]

_TYPES = {pa.bool_(): "b1", pa.int32(): "i4", pa.int64(): "i8", pa.float32(): "f4", pa.float64(): "f8"}
_NUMBERS = ("i4", "i8", "f4", "f8")
_ARITHMETIC = frozenset({"add", "sub", "mul", "truediv"})
_COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
_METHODS = {
    "sum": ("b1", *_NUMBERS),
    "mean": ("b1", *_NUMBERS),
    "max": _NUMBERS,
    "min": _NUMBERS,
    "std": ("f4", "f8"),
    "cumsum": _NUMBERS,
    "cummax": _NUMBERS,
    "cummin": _NUMBERS,
    "diff": _NUMBERS,
    "shift": ("b1", *_NUMBERS),
    "any": ("b1",),
    "all": ("b1",),
    "count": ("b1", *_NUMBERS),
}
"""Methods without arguments, and the types of items that a loop takes for them."""

_LOOKING_BACK = frozenset({"diff", "shift"})
"""Methods with a distance, of which a loop takes 1."""

_SAME_TYPE = frozenset({"max", "min", "cummax", "cummin", "diff", "shift"})
"""Methods whose result has the type of the items."""

_WINDOWS = frozenset({"rolling_sum", "rolling_mean"})
_LAST_ITEMS = {"axis": -1, "min_periods": None, "center": False, "on": None}
"""Options of windows that end at each item and are whole."""

_EXACT = 2**53
"""Integers up to this magnitude are constants of every type that they fit."""


class _Plan(NamedTuple):
    """How a loop computes a call."""

    name: str
    """The instruction."""
    computes: str
    """The type in which it computes."""
    type: str
    """The type of the result."""
    operands: tuple[Any, ...]


def fuses(node: Call, samples: Mapping[int, Any]) -> bool:
    """Whether a loop can hold a call: from its name, its arguments and the types of its operands.

    Parameters
    ----------
    node : Call
        The call.
    samples : mapping
        For each node, by its id, an empty array of its type.
    """
    return _plan(node, samples) is not None


def _plan(node: Call, samples: Mapping[int, Any]) -> _Plan | None:
    operands = node.args[1:] if node.kind == "ufunc" else node.args
    type = _type_of(node, samples)
    if type is not None and node.kind == "method" and node.name in _WINDOWS:
        return _window(node, type, samples)
    if node.kwargs or type is None:
        return None
    if node.kind == "method" and node.name == "cast":
        return _Plan("cast", type, type, operands[:1]) if _widens(str(_type_of(operands[0], samples)), type) else None
    if node.kind == "method" and node.name in _LOOKING_BACK and operands[1:] == (1,) and not isinstance(operands[1], bool):
        operands = operands[:1]
    types = [_type_of(one, samples) for one in operands]
    if None in types:
        return None
    if node.kind == "ufunc":
        fits = node.args[0] is np.sqrt and types == [type] and type[0] == "f"
        return _Plan("sqrt", type, type, operands) if fits else None
    if node.kind == "method":
        return _method(node.name, operands, types, type, samples)
    if node.kind == "function" and node.name == "where":
        return _Plan("where", type, type, operands) if _chooses(types, type) else None
    if node.name == "pow":
        # numpy squares without pow, and so do the operators.
        is_square = types[0] == type != "b1" and types[1] in ("int", "float") and operands[1] == 2
        return _Plan("mul", type, type, (operands[0], operands[0])) if is_square else None
    computes = _computes(node.name, types, type) if node.kind == "operator" else None
    return None if computes is None else _Plan(node.name, computes, type, operands)


def _type_of(one: Any, samples: Mapping[int, Any]) -> str | None:
    """The type of a column, or "int" and "float" of a number; None if loops do not support it."""
    if isinstance(one, (Call, Input)):
        sample = samples.get(id(one))
        return _TYPES.get(sample.type) if isinstance(sample, JaggedArray) and sample.ndim > 0 else None
    if type(one) is float:
        return "float"
    return "int" if type(one) is int and abs(one) <= _EXACT else None


def _method(name: str, operands: tuple[Any, ...], types: Sequence[Any], type: str, samples: Mapping[int, Any]) -> _Plan | None:
    """A reduction or a scan along the last axis."""
    if len(operands) != 1 or types[0] not in _METHODS.get(name, ()) or samples[id(operands[0])].ndim < 2:
        return None
    if name in _SAME_TYPE:
        return _Plan(name, type, type, operands) if types[0] == type else None
    return _Plan(name, "f8" if types[0][0] == "f" else "i8", type, operands)


def _window(node: Call, type: str, samples: Mapping[int, Any]) -> _Plan | None:
    """The sum or mean of the last few floats up to each one."""
    item, *given = node.args
    options = {**dict(zip(("window", "axis"), given, strict=False)), **node.kwargs}
    window = options.pop("window", None)
    few = builtins.type(window) is int and 0 < window <= LONGEST_WINDOW
    whole = len(given) < 3 and all(key in _LAST_ITEMS and repr(one) == repr(_LAST_ITEMS[key]) for key, one in options.items())
    if not (few and whole) or type[0] != "f" or _type_of(item, samples) != type or samples[id(item)].ndim < 2:
        return None
    return _Plan(f"{node.name}_{window}", "f8", type, (item,))


def _chooses(types: Sequence[Any], type: str) -> bool:
    """Whether the operands of `where` are a column of booleans, and columns and numbers of one type."""
    numbers = ("int", "float") if type[0] == "f" else ("int",) if type[0] == "i" else ()
    return len(types) == 3 and types[0] == "b1" and all(one == type or one in numbers for one in types[1:])


def _computes(name: str, types: Sequence[Any], type: str) -> str | None:
    """The type in which an operator computes, or None if a loop would compute in another one than pyarrow or numpy."""
    columns = [one for one in types if one not in ("int", "float")]
    if name in ("neg", "abs"):
        return type if types == [type] and type != "b1" else None
    if name in ("and_", "or_", "invert"):
        return "b1" if set(types) == {"b1"} else None
    if name in _COMPARISONS:
        return _compared(types, columns)
    if name in LIMITED:
        return type if type[0] == "f" and set(columns) == {type} else None
    if name not in _ARITHMETIC or type == "b1":
        return None
    if name == "truediv":
        return type
    return type if all(_widens(one, type) for one in columns) and ("float" not in types or type[0] == "f") else None


def _compared(types: Sequence[Any], columns: Sequence[str]) -> str | None:
    if "b1" in columns:
        return None
    if len(columns) == len(types):
        found = np.result_type(*columns)
        return f"{found.kind}{found.itemsize}"
    if columns[0][0] == "i":
        return "i8" if "int" in types else "f8"
    return columns[0]


def _widens(one: str, type: str) -> bool:
    """Whether a type holds each value of another one: pyarrow refuses others value by value."""
    return one == type or (one, type) in (("i4", "i8"), ("i4", "f8"), ("f4", "f8"), ("b1", type))


class _Result(NamedTuple):
    """A result of a loop."""

    type: pa.DataType
    is_row: bool
    extents: tuple[int | None, ...]


class Loop(NamedTuple):
    """The program of a stretch; which of its columns have nulls is known when it runs."""

    items: tuple[Node, ...]
    """The columns with one value per item."""
    rows: tuple[Node, ...]
    """The columns with one value per row, or of fewer dims."""
    types: tuple[str, ...]
    """The types of the columns, first those of `items`."""
    constants: tuple[tuple[str, float | int], ...]
    """The types and values of the numbers that it uses."""
    text: str
    """The instructions, and the numbers of those that compute results."""
    results: tuple[_Result, ...]

    def run(self, values: Mapping[int, Any]) -> list[Any] | None:
        """Compute the results; None if columns don't fit, the machine code isn't ready, or a sum or quotient is too large.

        Parameters
        ----------
        values : mapping
            The value of each node that the stretch reads.
        """
        items, above = [values[id(node)] for node in self.items], [values[id(node)] for node in self.rows]
        if not all(isinstance(one, JaggedArray) for one in (*items, *above)):
            return None
        shape = items[0].shape
        if not shape.size or shape.size < strategy.sizes.COMPILED_VALUES:
            return None
        rows = _broadcast_rows(above, shape)
        if rows is None or not self._allows(shape, items, rows):
            return None
        columns = [*items, *rows]
        name = self._name([one.values.null_count > 0 for one in columns], len(items), shape.dims[-1].validity is not None)
        function = strategy.loop_of("loop", compiled.find(name, np.dtype(np.float64), False, shape.size))
        if function is None:
            return None
        return self._call(function, name, shape, columns)

    def _call(self, function: compiled.Compiled, name: str, shape: JaggedShape, columns: Sequence[Any]) -> list[Any] | None:
        offsets = np.ascontiguousarray(shape.dims[-1].offsets)
        data = [_data_of(one.values) for one in columns]
        data += [words.unpack_bits(one.buffers()[0], one.offset, len(one)) for one in (c.values for c in columns) if one.null_count]
        alive = shape.dims[-1].validity
        if alive is not None:
            data.append(np.ascontiguousarray(alive))
        numbers = [number for _, number in self.constants] or [0]
        data.append(np.array(numbers, np.float64))
        data.append(np.array([number if isinstance(number, int) else 0 for number in numbers], np.int64))
        values = _results_of(name)
        outs = [_Out(one, value, shape.size, len(offsets) - 1) for one, value in zip(self.results, values, strict=True)]
        arrays = [one for out in outs for one in out.arrays]
        if sum(map_rows(lambda first, last: function(offsets, first, last, *data, *arrays), offsets)):
            return None
        sizes = row_sizes(offsets)
        return [out.column(shape, sizes) for out in outs]

    def _name(self, nulls: Sequence[bool], n_items: int, has_null_rows: bool) -> str:
        types = [f"{type}{'?' if null else ''}" for type, null in zip(self.types, nulls, strict=True)]
        parts = [types[:n_items], types[n_items:], [type for type, _ in self.constants]]
        return fused_name("|".join([*map(",".join, parts), "alive" if has_null_rows else "", self.text]))

    def _allows(self, shape: JaggedShape, items: Sequence[Any], rows: Sequence[Any]) -> bool:
        """Return whether all columns have the shape, those of rows without its last dim, and results have its extents."""
        same = all(_are_same(one.shape.dims, shape.dims) for one in items[1:])
        same = same and all(_are_same(one.shape.dims, shape.dims[:-1]) for one in rows)
        return same and all(one.extents[1:] == shape.extents[1 : len(one.extents)] for one in self.results)


@functools.lru_cache(1024)
def _results_of(name: str) -> list[Value]:
    """Return the values of a program that are its results."""
    program = parse(name)
    values = program.values()
    return [values[one] for one in program.results]


def _broadcast_rows(rows: Sequence[Any], shape: JaggedShape) -> list[Any] | None:
    """Expand columns of fewer dims to one value per row; None if they don't fit."""
    found = []
    for one in rows:
        if len(one) != len(shape.dims[1]):
            return None
        found.append(one if one.ndim == shape.ndim - 1 else one.expand_to(shape[: shape.ndim - 1]))
    return found


def _are_same(one: Sequence[Dim], two: Sequence[Dim]) -> bool:
    """Whether dims have the same sizes and null rows; the first may differ in what it declares."""
    return len(one) == len(two) and one[0].size == two[0].size and all(map(_is_same, one[1:], two[1:]))


def _is_same(one: Dim, two: Dim) -> bool:
    return one is two or (same_validity(one.validity, two.validity) and one == two)


def _data_of(values: pa.Array) -> npt.NDArray[Any]:
    """The data of a column; booleans as bytes."""
    if values.type == pa.bool_():
        return words.unpack_bits(values.buffers()[1], values.offset, len(values))
    return np.ascontiguousarray(flat_data(values))


class _Out:
    """The memory of a result."""

    def __init__(self, result: _Result, value: Value, n_items: int, n_rows: int) -> None:
        self.result, self.value = result, value
        length = n_rows if result.is_row else n_items
        self.data = memory.empty(length, np.dtype(value.type))
        self.valid = None if not value.valid else memory.empty(n_rows if value.valid == "row" else n_items, np.bool_)
        self.arrays = [self.data] if self.valid is None else [self.data, self.valid]

    def column(self, shape: JaggedShape, sizes: npt.NDArray[np.int64]) -> JaggedArray:
        """The column, once the loop has filled the memory."""
        valid = self.valid
        if valid is not None and not self.result.is_row and self.value.valid == "row":
            valid = None if (valid | (sizes == 0)).all() else valid.repeat(sizes)
        if valid is not None and valid.all():
            valid = None
        data = words.pack_bits(self.data) if self.value.type == "b1" else pa.py_buffer(self.data)
        bits = None if valid is None else words.pack_bits(valid)
        values = pa.Array.from_buffers(self.result.type, len(self.data), [bits, data])
        rows = Uniform(shape.dims[0].size, 1, declared=self.result.extents[0] is not None)
        dims = shape.dims[1:-1] if self.result.is_row else shape.dims[1:]
        return JaggedArray._of(Column(JaggedShape._trusted([rows, *dims]), values))


def loop_of(calls: Sequence[Call], reads: Sequence[Node], gives: Sequence[Call], samples: Mapping[int, Any]) -> Loop | None:
    """Write the program of a stretch; None if it computes no items of rows, or values above the rows of items.

    Parameters
    ----------
    calls : sequence of Call
        The calls, all of which `fuses` accepts, operands first.
    reads, gives : sequences of Node
        The nodes that the stretch reads, and its results that are used outside of it.
    samples : mapping
        For each node, by its id, an empty array of its type.
    """
    ndims = {id(node): samples[id(node)].ndim for node in (*reads, *calls)}
    deepest = max(ndims.values())
    items = [node for node in reads if ndims[id(node)] == deepest]
    rows = [node for node in reads if ndims[id(node)] < deepest]
    if not items or deepest < 2 or any(ndims[id(node)] < deepest - 1 for node in calls):
        return None
    plans = [plan for node in calls if (plan := _plan(node, samples)) is not None]
    if any((one.name in REDUCTIONS or is_scan(one.name)) and ndims[id(one.operands[0])] < deepest for one in plans):
        return None
    constants = _constants(plans)
    places = {(type, text): place for place, (type, _, text) in enumerate(constants)}
    numbers = {id(node): place for place, node in enumerate([*items, *rows])}
    n_columns, first = len(numbers), len(numbers) + len(constants)
    lines: list[str] = []
    for node, plan in zip(calls, plans, strict=True):
        operands = [
            numbers[id(one)] if isinstance(one, (Call, Input)) else n_columns + places[_constant(one, plan)[::2]]
            for one in plan.operands
        ]
        numbers[id(node)] = first + len(lines)
        lines.append(",".join([f"{plan.name}:{plan.computes}:{plan.type}", *map(str, operands)]))
    text = f"{';'.join(lines)}|{','.join(str(numbers[id(node)]) for node in gives)}"
    results = [_Result(samples[id(node)].type, ndims[id(node)] < deepest, samples[id(node)].shape.extents) for node in gives]
    types = tuple(_TYPES[samples[id(node)].type] for node in (*items, *rows))
    return Loop(tuple(items), tuple(rows), types, tuple((type, number) for type, number, _ in constants), text, tuple(results))


def _constants(plans: Sequence[_Plan]) -> list[tuple[str, float | int, str]]:
    """The distinct numbers of a program, each in the type that its call computes in, and as text, in which -0.0 and 0.0 differ."""
    found = [_constant(one, plan) for plan in plans for one in plan.operands if not isinstance(one, (Call, Input))]
    return list({(type, text): (type, number, text) for type, number, text in found}.values())


def _constant(one: float, plan: _Plan) -> tuple[str, float | int, str]:
    number: float | int = float(one) if plan.computes[0] == "f" else int(one)
    return plan.computes, number, repr(number)
