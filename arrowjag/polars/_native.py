"""Which calls become list expressions of polars' own: those that are faster than ours and give the same values.

The entries were measured with 5M values in 500k rows on 2 cores (milliseconds of CPU time, ours first), and the tests compare
each with the array's result over ugly columns:

=======================  ==============  ==================================================================================
call                     ours / native   where it agrees
=======================  ==============  ==================================================================================
``+ - *``                11 / 6          one list column with plain columns and Python numbers, all of one type: float64,
                                         float32 or int64. Other types promote differently, and lists of unequal lengths
                                         are another error
``/``                    12 / 7          the same, floats only
comparisons              3 / 2           numbers with a Python number that is not NaN, integers with fractions below 2**53, too.
                                         To polars NaN equals NaN and is above every number: ``> >=`` of floats are numpy's;
                                         in deeper lists polars', asked for what is not above infinity, too
``-``, `abs`             5 / 4           signed integers and floats
`sqrt`                   12 / 4          float64 and float32
`is_null`, `is_nan`      8 / 0.4         every leaf type; floats
`fill_null`              10 / 6          numbers with a number of their type
`sum`                    9 / 7           floats and 64-bit integers, where the values prove that no sum wraps; of narrower ones
                                         polars gives other types
`mean`                   9 / 8           float64, and integers whose sums are exact in float64
`min`, `max`             10 / 8          numbers; both ignore NaN unless there is nothing else
`n_unique`               60 / 50         numbers without nulls, which polars counts
`any`, `all`             6 / 6           booleans
`first`, `last`          12 / 3          every leaf type
``S[place]``             6 / 3           every leaf type, one place of the last dim
`lengths`                0.4 / 0.25      every leaf type; numpy's, as polars counts in 32 bits, which costs 0.1 more to widen
`head`, `tail`, `slice`  16 / 8          every leaf type, positions from 0
=======================  ==============  ==================================================================================

All of them want lists without a declared extent, the last axis, and the options as they are by default; but for those between
items and the unary ones, flat lists. A tree of such calls becomes one expression. `sum`, `mean`, `min`, `max` and `n_unique` ask
polars' kernels block by block, on all cores, from Python: half the time of polars' own expression, which reads the lists of a
column in one thread. With nulls among the items, which polars reads one by one (25 / 60), or where a proof fails, they are ours.

Not here: `sort`, `cumsum`, `rank`, `diff`, `shift`, `filter`, `clip`, `median`, `std`, `unique`, where ours are 2 to 40 times
faster; `round`, where polars agrees below 2**52 / 10**decimals, but is slower than ours by all that it takes to prove that.
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
from arrowjag.polars._blocks import Above, Lengths, RowReduction
from arrowjag.polars._convert import ColumnType, polars_dtype
from arrowjag.polars._tree import Call

__all__ = ["NATIVE", "Build", "native"]

Operands: TypeAlias = "Sequence[Any]"
"""The arguments of a call: constants, and the `ColumnType` of columns."""

Build: TypeAlias = "Callable[..., pl.Expr]"
"""From the columns among the arguments, as lists of polars, to the expression."""


def native(call: Call, operands: Operands) -> Build | None:
    """How a call on columns of these types is built from polars' list expressions, or None where it is ours to compute."""
    rule = NATIVE.get((call.kind, call.name))
    return None if rule is None else rule(call, operands)


def _is_flat_list(operand: Any) -> bool:
    """Whether an operand is a column of lists of leaves, without a declared extent."""
    return isinstance(operand, ColumnType) and operand.ndim == 2 and operand.extents == (None, None)


# --------------------------------------------------------------------------------------------------- operators

Rule: TypeAlias = "Callable[[Call, Operands], Build | None]"
Accepts: TypeAlias = "Callable[[pa.DataType], bool]"

_DTYPES: dict[pa.DataType, type[pl.DataType]] = {pa.float64(): pl.Float64, pa.float32(): pl.Float32, pa.int64(): pl.Int64}
"""Leaf types that both promote alike among themselves and with Python numbers."""


def _arithmetic(function: Callable[[Any, Any], pl.Expr], accepts: Accepts) -> Rule:
    def rule(_call: Call, operands: Operands) -> Build | None:
        columns = [one for one in operands if isinstance(one, ColumnType)]
        leaf = columns[0].leaf
        if sum(map(_is_flat_list, columns)) != 1 or any(one.ndim > 2 or one.leaf != leaf for one in columns):
            return None
        if any(one.ndim == 2 and not _is_flat_list(one) for one in columns) or leaf not in _DTYPES or not accepts(leaf):
            return None
        if len(columns) == 2:
            return function
        number = next(one for one in operands if not isinstance(one, ColumnType))
        literal = _literal(number, leaf)
        if literal is None:
            return None
        if operands[0] is number:
            return lambda column: function(literal, column)
        return lambda column: function(column, literal)

    return rule


def _literal(value: Any, leaf: pa.DataType) -> pl.Expr | None:
    """A Python number as a literal of a leaf type, if it is one of that type without a doubt."""
    if pt.is_integer(leaf):
        limits = np.iinfo(leaf.to_pandas_dtype())
        return pl.lit(value, polars_dtype(leaf)) if type(value) is int and limits.min <= value <= limits.max else None
    if not _is_float(leaf) or not (type(value) is float or (type(value) is int and abs(value) < 2**24)) or math.isnan(value):
        return None
    return pl.lit(float(value), polars_dtype(leaf))


def _items(column: ColumnType, made: pl.Expr) -> Build:
    """An expression of items on the leaves of nested lists."""
    for _ in range(column.ndim - 2):
        made = pl.element().list.eval(made)
    return lambda lists: lists.list.eval(made)


def _is_nested_list(operand: Any) -> bool:
    """Whether an operand is a column of lists, of lists..., without a declared extent."""
    return isinstance(operand, ColumnType) and operand.ndim > 1 and not any(operand.extents)


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
"""From a comparison to the one with its operands the other way round, and how it is said."""


def _compare(call: Call, operands: Operands) -> Build | None:
    name = call.name
    if not isinstance(operands[0], ColumnType):
        name, operands = _ORDERS[name][0], operands[::-1]
    column, bound = operands
    if isinstance(bound, ColumnType) or not _is_nested_list(column) or not _is_number(column.leaf):
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
        return _items(column, made & (pl.element() <= pl.lit(math.inf, polars_dtype(column.leaf))))  # all but NaN
    return _called(Above(np.greater if name == "gt" else np.greater_equal, float(bound)), pl.List(pl.Boolean()))


def _whole_bound(name: str, bound: float) -> int | None:
    """The whole number that integers are compared with in place of a float; None from 2**53 on, where ours are rounded first."""
    if not abs(bound) < 2**53 or (name in ("eq", "ne") and not bound.is_integer()):
        return None
    return math.floor(bound) if name in ("gt", "le") else math.ceil(bound)


def _fill_null(_call: Call, operands: Operands) -> Build | None:
    if len(operands) != 2 or isinstance(operands[1], ColumnType) or not _is_nested_list(operands[0]):
        return None
    leaf = operands[0].leaf
    literal = _literal(operands[1], leaf) if _is_number(leaf) else None
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
    """The arguments of a call on flat lists along their last axis; None for any other call."""
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


def _window(function: Build) -> Rule:
    def rule(call: Call, operands: Operands) -> Build | None:
        arguments = _arguments(call, operands)
        if arguments is None or any(type(value) is not int or value < 0 for value in arguments.values()):
            return None
        return lambda column: function(column, **arguments)

    return rule


def _is_number(leaf: pa.DataType) -> bool:
    return bool(pt.is_integer(leaf) or pt.is_float32(leaf) or pt.is_float64(leaf))


def _is_float(leaf: pa.DataType) -> bool:
    return bool(pt.is_float32(leaf) or pt.is_float64(leaf))


def _is_summed(leaf: pa.DataType) -> bool:
    """Whether sums have the type of the values."""
    return bool(_is_float(leaf) or pt.is_int64(leaf) or pt.is_uint64(leaf))


def _is_signed(leaf: pa.DataType) -> bool:
    return bool(pt.is_signed_integer(leaf) or pt.is_float32(leaf) or pt.is_float64(leaf))


def _is_any(leaf: pa.DataType) -> bool:
    del leaf
    return True


def _rows(name: str, accepts: Accepts) -> Rule:
    def rule(call: Call, operands: Operands) -> Build | None:
        fixed = {"mean": pl.Float64(), "n_unique": pl.Int64()}
        dtype = fixed[name] if name in fixed else polars_dtype(operands[0].leaf)
        return _reduction(_called(RowReduction(name), dtype), accepts)(call, operands)

    return rule


def _called(function: Any, dtype: pl.DataType) -> Build:
    """A call of Python on a column; it gives rows from the same rows."""
    known = dtype.to_dtype_expr()
    return lambda column: pl.map_batches([column], function, known, is_elementwise=True)


NATIVE: dict[tuple[str, str], Rule] = {
    ("operator", "add"): _arithmetic(operator.add, _is_any),
    ("operator", "sub"): _arithmetic(operator.sub, _is_any),
    ("operator", "mul"): _arithmetic(operator.mul, _is_any),
    ("operator", "truediv"): _arithmetic(operator.truediv, _is_float),
    ("operator", "neg"): _unary(operator.neg, _is_signed),
    ("operator", "abs"): _unary(abs, _is_signed),
    ("method", "abs"): _unary(abs, _is_signed),
    ("ufunc", "sqrt"): _unary(pl.Expr.sqrt, _is_float),
    ("method", "is_nan"): _unary(pl.Expr.is_nan, _is_float),
    ("method", "is_null"): _is_null,
    ("method", "fill_null"): _fill_null,
    **{("operator", name): _compare for name in _ORDERS},
    ("method", "sum"): _rows("sum", _is_summed),
    ("method", "mean"): _rows("mean", lambda leaf: pt.is_float64(leaf) or pt.is_integer(leaf)),
    ("method", "min"): _rows("min", _is_number),
    ("method", "max"): _rows("max", _is_number),
    ("method", "n_unique"): _rows("n_unique", _is_number),
    ("method", "any"): _reduction(lambda column: column.list.any(), pt.is_boolean),
    ("method", "all"): _reduction(lambda column: column.list.all(), pt.is_boolean),
    ("method", "first"): _reduction(lambda column: column.list.first()),
    ("method", "last"): _reduction(lambda column: column.list.last()),
    ("method", "lengths"): _reduction(_called(Lengths(), pl.Int64())),
    ("method", "head"): _window(lambda column, n: column.list.head(n)),
    ("method", "tail"): _window(lambda column, n: column.list.tail(n)),
    ("method", "slice"): _window(lambda column, start, length: column.list.slice(start, length)),
    ("slots", "x.S[...]"): _slot,
}
"""From the kind and name of a call to its rule, which gives None where polars would not agree."""
