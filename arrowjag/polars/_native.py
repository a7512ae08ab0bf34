"""The calls that become native list expressions of polars, because they are faster and return the same values.

The times are milliseconds of CPU time for 5M values in 500k rows on 2 cores. The tests compare each native result with that of the
array, on columns in every physical layout:

=======================  ==============  ==================================================================================
call                     ours / native   condition for equal results
=======================  ==============  ==================================================================================
``+ - *``                11 / 6          one list column and a Python number, both of one type: float64, float32 or int64; for
                                         ``*`` and for int64 plain columns, too. Other types promote differently; two list
                                         columns of unequal lengths raise another error. polars takes x + 0 for x, whose
                                         -0.0 would stay, also if a column holds nothing but 0
``/``                    12 / 7          floats by a Python number with an exact inverse, such as 2: polars multiplies by the
                                         inverse, also if a column repeats one number
comparisons              3 / 2           numbers with a Python number that is not NaN; integers also with a fraction below 2**53.
                                         polars orders NaN above every number, so numpy computes ``> >=`` of floats; in deeper
                                         lists polars computes them, with a second comparison that excludes NaN
``-``, `abs`             5 / 4           signed integers and floats
`sqrt`                   12 / 4          float64 and float32
`is_null`, `is_nan`      8 / 0.4         every leaf type; floats
`fill_null`              10 / 6          numbers, filled with a number of their type
`sum`                    9 / 7           64-bit integers, if a check of the values shows that no sum wraps; for narrower
                                         integers polars returns other types
`mean`                   9 / 8           integers whose sums are exact in float64; arrowjag adds floats, in the documented order
`min`, `max`             10 / 8          numbers; both ignore NaN unless a row contains nothing else
`n_unique`               60 / 50         numbers without nulls; polars counts null as a value
`any`, `all`             6 / 6           booleans
`first`, `last`          12 / 3          every leaf type
``S[position]``          6 / 3           every leaf type, one position of the last dim
`lengths`                0.4 / 0.25      every leaf type; numpy subtracts offsets: polars counts in 32 bits, and the cast costs 0.1
`head`, `tail`, `slice`  16 / 8          every leaf type, positions from 0
=======================  ==============  ==================================================================================

All of them require lists without a declared extent, the last axis, and default options. All except comparisons, unary calls and
`fill_null` also require flat lists. A tree of such calls becomes one expression. `sum`, `mean`, `min`, `max` and `n_unique` call
polars' kernels from Python per block of rows, on all cores, in half the time of polars' own expression, which reads the lists of a
column in one thread. If there are nulls among the items, for which polars is slower (25 / 60), or if a check fails, arrowjag's
kernels compute the result.

These calls are not native: `sort`, `cumsum`, `rank`, `diff`, `shift`, `filter`, `clip`, `median`, `std` and `unique`, because
arrowjag's kernels are 2 to 40 times faster; and `round`, because polars agrees only below 2**52 / 10**decimals, and a check of the
values makes it slower than arrowjag's kernel.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._methods import METHODS
from arrowjag._ops.elementwise.operators import FUNCTIONS
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.polars._blocks import Above, Lengths, RowReduction
from arrowjag.polars._convert import ColumnType, polars_dtype
from arrowjag.polars._tree import Call

__all__ = ["NATIVE", "Build", "native"]

Operands: TypeAlias = "Sequence[Any]"
"""The arguments of a call: constants, and a `ColumnType` per column."""

Build: TypeAlias = "Callable[..., pl.Expr]"
"""A function from the columns among the arguments, as polars lists, to the expression."""


def native(call: Call, operands: Operands) -> Build | None:
    """Return a function that builds the native expression of a call, or None if arrowjag's kernels must compute the call."""
    rule = NATIVE.get((call.kind, call.name))
    return None if rule is None else rule(call, operands)


def _is_flat_list(operand: Any) -> bool:
    """Whether an operand is a column of flat lists without a declared extent."""
    return isinstance(operand, ColumnType) and operand.ndim == 2 and operand.extents == (None, None) and not operand.maps


# --------------------------------------------------------------------------------------------------- operators

Rule: TypeAlias = "Callable[[Call, Operands], Build | None]"
Accepts: TypeAlias = "Callable[[pa.DataType], bool]"

_DTYPES: dict[pa.DataType, type[pl.DataType]] = {pa.float64(): pl.Float64, pa.float32(): pl.Float32, pa.int64(): pl.Int64}
"""Leaf types for which polars promotes as arrowjag does, with columns of the same type and with Python numbers."""


def _arithmetic(function: Callable[[Any, Any], pl.Expr], accepts: Accepts) -> Rule:
    def rule(_call: Call, operands: Operands) -> Build | None:
        columns = [one for one in operands if isinstance(one, ColumnType)]
        leaf = columns[0].leaf
        if sum(map(_is_flat_list, columns)) != 1 or any(one.ndim > 2 or one.leaf != leaf for one in columns):
            return None
        if any(one.ndim == 2 and not _is_flat_list(one) for one in columns) or leaf not in _DTYPES or not accepts(leaf):
            return None
        if len(columns) == 2:
            return function if function is operator.mul or pt.is_integer(leaf) else None
        number = next(one for one in operands if not isinstance(one, ColumnType))
        literal = _literal(number, leaf)
        if literal is None or not _is_exact(function, number, leaf):
            return None
        if operands[0] is number:  # the column goes first: polars names the result after the first operand
            return (lambda column: function(column, literal)) if function in (operator.add, operator.mul) else None
        return lambda column: function(column, literal)

    return rule


def _is_exact(function: Callable[[Any, Any], pl.Expr], number: Any, leaf: pa.DataType) -> bool:
    """Whether polars computes with a number of the leaf type as arrowjag does: it takes x + 0 for x, and x / 3 for x * (1 / 3)."""
    if pt.is_integer(leaf) or function is operator.mul:
        return True
    with np.errstate(all="ignore"):
        value = numpy_dtype(leaf)(number)
        if function is not operator.truediv:
            return bool(value != 0)
        inverse = 1 / value
    if value == 0:
        return True
    return bool(abs(np.frexp(value)[0]) == 0.5 and np.isfinite(inverse) and inverse != 0)


def _literal(value: Any, leaf: pa.DataType) -> pl.Expr | None:
    """Return a Python number as a literal of a leaf type; None for NaN, a number out of range, and any other value or type."""
    if pt.is_integer(leaf):
        limits = np.iinfo(numpy_dtype(leaf))
        return pl.lit(value, polars_dtype(leaf)) if type(value) is int and limits.min <= value <= limits.max else None
    if not _is_float(leaf) or not (type(value) is float or (type(value) is int and abs(value) < 2**24)) or math.isnan(value):
        return None
    if math.isfinite(value) and abs(value) > float(np.finfo(numpy_dtype(leaf)).max):
        return None
    return pl.lit(float(value), polars_dtype(leaf))


def _items(column: ColumnType, made: pl.Expr) -> Build:
    """Apply an expression of items to the leaves of nested lists."""
    for _ in range(column.ndim - 2):
        made = pl.element().list.eval(made)
    return lambda lists: lists.list.eval(made)


def _is_nested_list(operand: Any) -> bool:
    """Whether an operand is a column of lists of any depth without a declared extent."""
    return isinstance(operand, ColumnType) and operand.ndim > 1 and not any(operand.extents) and not operand.maps


def _unary(function: Callable[[pl.Expr], pl.Expr], accepts: Accepts) -> Rule:
    def rule(call: Call, operands: Operands) -> Build | None:
        column = operands[-1] if call.kind == "ufunc" else operands[0]
        fits = len(operands) == 1 + (call.kind == "ufunc") and not call.kwargs and _is_nested_list(column)
        return _items(column, function(pl.element())) if fits and accepts(column.leaf) else None

    return rule


_ORDERS: dict[str, tuple[str, Callable[[pl.Expr, pl.Expr], pl.Expr]]] = {
    "eq": ("eq", operator.eq),
    "ne": ("ne", operator.ne),
    "lt": ("gt", operator.lt),
    "le": ("ge", operator.le),
    "gt": ("lt", operator.gt),
    "ge": ("le", operator.ge),
}
"""Each comparison with the name of the comparison for swapped operands, and its operator."""


def _compare(call: Call, operands: Operands) -> Build | None:
    name = call.name
    if not isinstance(operands[0], ColumnType):
        name, operands = _ORDERS[name][0], operands[::-1]
    column, bound = operands
    if not _is_nested_list(column):
        return None
    if pt.is_integer(column.leaf) and type(bound) is float:
        bound = _whole_bound(name, bound)
    literal = _literal(bound, column.leaf)
    if literal is None:
        return None
    made = _ORDERS[name][1](pl.element(), literal)
    if name not in ("gt", "ge") or not _is_float(column.leaf):
        return _items(column, made)
    if column.ndim > 2:
        return _items(column, made & (pl.element() <= pl.lit(math.inf, polars_dtype(column.leaf))))  # excludes NaN
    return _called(Above(np.greater if name == "gt" else np.greater_equal, float(bound)), pl.List(pl.Boolean()), name)


def _whole_bound(name: str, bound: float) -> int | None:
    """Return the integer that replaces a float bound; None from 2**53 on, where arrowjag rounds the integers to float64."""
    if not abs(bound) < 2**53 or (name in ("eq", "ne") and not bound.is_integer()):
        return None
    return math.floor(bound) if name in ("gt", "le") else math.ceil(bound)


def _fill_null(_call: Call, operands: Operands) -> Build | None:
    if len(operands) != 2 or not _is_nested_list(operands[0]):
        return None
    literal = _literal(operands[1], operands[0].leaf)
    return None if literal is None else _items(operands[0], pl.element().fill_null(literal))


def _is_null(call: Call, operands: Operands) -> Build | None:
    arguments = METHODS["is_null"].bind(tuple(operands[1:]), dict(call.kwargs))
    if not _is_nested_list(operands[0]) or arguments["axis"] not in (-1, operands[0].ndim - 1):
        return None
    return _items(operands[0], pl.element().is_null())


def _slot(_call: Call, operands: Operands) -> Build | None:
    column, key = operands
    return (lambda lists: lists.list.get(key, null_on_oob=True)) if _is_flat_list(column) and type(key) is int else None


# --------------------------------------------------------------------------------------------------- methods


def _arguments(call: Call, operands: Operands) -> dict[str, Any] | None:
    """Return the arguments of a call on flat lists along their last axis; None for any other call."""
    if not _is_flat_list(operands[0]):
        return None
    arguments = METHODS[call.name].bind(tuple(operands[1:]), dict(call.kwargs))
    return arguments if arguments.pop("axis", -1) in (-1, 1) else None


def _reduction(function: Build, accepts: Accepts = lambda leaf: True) -> Rule:
    def rule(call: Call, operands: Operands) -> Build | None:
        arguments = _arguments(call, operands)
        defaults = {name: one.default for name, one in METHODS[call.name].signature.parameters.items()}
        if arguments is None or any(value is not defaults[name] for name, value in arguments.items()):
            return None
        return function if accepts(operands[0].leaf) else None

    return rule


_MOST = 2**63 - 1
"""The largest number of rows, and of items of a row."""


def _window(function: Build) -> Rule:
    def rule(call: Call, operands: Operands) -> Build | None:
        arguments = _arguments(call, operands)
        if arguments is None or any(type(value) is not int or value < 0 for value in arguments.values()):
            return None
        fitting = {name: min(value, _MOST) for name, value in arguments.items()}  # polars returns null for larger numbers
        return lambda column: function(column, **fitting)

    return rule


def _is_number(leaf: pa.DataType) -> bool:
    return bool(pt.is_integer(leaf) or pt.is_float32(leaf) or pt.is_float64(leaf))


def _is_float(leaf: pa.DataType) -> bool:
    return bool(pt.is_float32(leaf) or pt.is_float64(leaf))


def _is_summed(leaf: pa.DataType) -> bool:
    """Whether the sum of integers has the type of the values."""
    return bool(pt.is_int64(leaf) or pt.is_uint64(leaf))


def _is_signed(leaf: pa.DataType) -> bool:
    return bool(pt.is_signed_integer(leaf) or pt.is_float32(leaf) or pt.is_float64(leaf))


def _is_any(leaf: pa.DataType) -> bool:
    del leaf
    return True


def _rows(name: str, accepts: Accepts) -> Rule:
    def rule(call: Call, operands: Operands) -> Build | None:
        fixed = {"mean": pl.Float64(), "n_unique": pl.Int64()}
        dtype = fixed[name] if name in fixed else polars_dtype(operands[0].leaf)
        return _reduction(_called(RowReduction(name), dtype, name), accepts)(call, operands)

    return rule


def _called(function: Any, dtype: pl.DataType, name: str) -> Build:
    """Call a Python function of a column that computes each row alone; `explain` shows the name."""
    known, label = dtype.to_dtype_expr(), f"jag {name}(x0)"
    return lambda column: pl.map_batches([column, pl.lit(label)], function, known, is_elementwise=True)


_LEAVES: dict[str, Accepts] = {"any": _is_any, "number": _is_number, "signed": _is_signed, "floating": _is_float}


def _of_functions() -> dict[tuple[str, str], Rule]:
    """The rules of elementwise functions, from the one table of them; a function is called as an operator, a method or a ufunc."""
    rules: dict[tuple[str, str], Rule] = {}
    for one in FUNCTIONS.values():
        if one.polars is None:
            continue
        name, accepts = one.python or one.arrow or "", _LEAVES[one.polars]
        if one.ufuncs[0].nin == 2:
            rules["operator", name] = _compare if name in _ORDERS else _arithmetic(getattr(operator, name), accepts)
            continue
        kinds = [kind for kind, known in (("operator", one.python), ("method", name in METHODS)) if known] or ["ufunc"]
        rules |= {(kind, name): _unary(getattr(pl.Expr, name), accepts) for kind in kinds}
    return rules


NATIVE: dict[tuple[str, str], Rule] = {
    **_of_functions(),
    ("method", "is_null"): _is_null,
    ("method", "fill_null"): _fill_null,
    ("method", "sum"): _rows("sum", _is_summed),
    ("method", "mean"): _rows("mean", pt.is_integer),
    ("method", "min"): _rows("min", _is_number),
    ("method", "max"): _rows("max", _is_number),
    ("method", "n_unique"): _rows("n_unique", _is_number),
    ("method", "any"): _reduction(lambda column: column.list.any(), pt.is_boolean),
    ("method", "all"): _reduction(lambda column: column.list.all(), pt.is_boolean),
    ("method", "first"): _reduction(lambda column: column.list.first()),
    ("method", "last"): _reduction(lambda column: column.list.last()),
    ("method", "lengths"): _reduction(_called(Lengths(), pl.Int64(), "lengths")),
    ("method", "head"): _window(lambda column, n: column.list.head(n)),
    ("method", "tail"): _window(lambda column, n: column.list.tail(n)),
    ("method", "slice"): _window(lambda column, start, length: column.list.slice(start, length)),
    ("slots", "x.S[...]"): _slot,
}
"""The rule for each kind and name of a call; it returns None if the native result would differ."""
