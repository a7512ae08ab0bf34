"""Which calls become list expressions of polars' own: those that are faster than ours and give the same values.

The entries were measured with 5M values in 500k rows on 2 cores (milliseconds here with ours first, the streaming
engine), and the tests compare each with the array's result over ugly columns:

=====================  ==============  ====================================================================================
call                   ours / native   where it agrees
=====================  ==============  ====================================================================================
``+ - * /``            9 / 5           float64 lists with float64 columns and Python numbers; other types promote differently,
                                       and lists of unequal lengths are another error
`sum`                  12 / 7          floats; an empty row is 0.0 by hand, because polars sums it to -0.0 and leaves out a
                                       ``+ 0.0``. Integers wrap where ours raise
`mean`                 15 / 8          float64; other types are computed in other types
`min`, `max`           22 / 9          numbers; both ignore NaN unless there is nothing else
`first`, `last`        12 / 3          every leaf type
`lengths`              2 / 1           every leaf type
`head`, `slice`        16 / 8          every leaf type, positions from 0
=====================  ==============  ====================================================================================

All of them want flat lists without a declared extent, the last axis, and the options as they are by default.
Comparisons are not here: to polars NaN equals NaN and is above every number. Nor are `sort`, `cumsum`, `rank`,
`diff`, `shift`, `filter`, `median`, `std`, `unique`: ours are 2 to 40 times faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import polars as pl
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._methods import METHODS
from arrowjag.polars._convert import ColumnType
from arrowjag.polars._tree import Call

__all__ = ["NATIVE", "native"]

Operands: TypeAlias = "Sequence[Any]"
"""The arguments of a call: constants, and pairs of an expression and its `ColumnType`."""


def native(call: Call, operands: Operands, result: ColumnType) -> pl.Expr | None:
    """The list expression for a call on columns, or None where it is ours to compute."""
    rule = NATIVE.get((call.kind, call.name))
    made = None if rule is None else rule(call, operands)
    if made is None or not result.jagged or result.ndim == 1:
        return made
    return made.ext.to(result.dtype)


def _is_flat_list(operand: Any) -> bool:
    """Whether an operand is a column of lists of leaves, without a declared extent."""
    return isinstance(operand, tuple) and operand[1].ndim == 2 and operand[1].extents == (None, None)


def _storage(operand: Any) -> pl.Expr:
    expr: pl.Expr = operand[0]
    return expr.ext.storage() if operand[1].jagged else expr


# --------------------------------------------------------------------------------------------------- operators


def _arithmetic(function: Callable[[Any, Any], pl.Expr]) -> Callable[[Call, Operands], pl.Expr | None]:
    def rule(_call: Call, operands: Operands) -> pl.Expr | None:
        lists = [_is_flat_list(operand) for operand in operands]
        if sum(lists) != 1 or not all(_is_double(operand) for operand in operands):
            return None
        return function(*(_storage(one) if isinstance(one, tuple) else pl.lit(float(one)) for one in operands))

    return rule


def _is_double(operand: Any) -> bool:
    """Whether an operand is float64: lists, a plain column, or a Python number that becomes one."""
    if isinstance(operand, tuple):
        return bool(operand[1].leaf == pa.float64() and (operand[1].ndim == 1 or _is_flat_list(operand)))
    return type(operand) is float or (type(operand) is int and abs(operand) < 2**53)


# --------------------------------------------------------------------------------------------------- methods


def _arguments(call: Call, operands: Operands) -> dict[str, Any] | None:
    """The arguments of a call on flat lists along their last axis; None for any other call."""
    if not _is_flat_list(operands[0]):
        return None
    arguments = METHODS[call.name].bind(tuple(operands[1:]), dict(call.kwargs))
    return arguments if arguments.pop("axis", -1) in (-1, 1) else None


def _reduction(
    function: Callable[[pl.Expr], pl.Expr], accepts: Callable[[pa.DataType], bool] = lambda leaf: True
) -> Callable[[Call, Operands], pl.Expr | None]:
    def rule(call: Call, operands: Operands) -> pl.Expr | None:
        arguments = _arguments(call, operands)
        defaults = {name: one.default for name, one in METHODS[call.name].signature.parameters.items()}
        if arguments is None or any(value is not defaults[name] for name, value in arguments.items()):
            return None
        return function(_storage(operands[0])) if accepts(operands[0][1].leaf) else None

    return rule


def _window(function: Callable[..., pl.Expr]) -> Callable[[Call, Operands], pl.Expr | None]:
    def rule(call: Call, operands: Operands) -> pl.Expr | None:
        arguments = _arguments(call, operands)
        if arguments is None or any(type(value) is not int or value < 0 for value in arguments.values()):
            return None
        return function(_storage(operands[0]), **arguments)

    return rule


def _is_number(leaf: pa.DataType) -> bool:
    return bool(pt.is_integer(leaf) or pt.is_float32(leaf) or pt.is_float64(leaf))


def _is_float(leaf: pa.DataType) -> bool:
    return bool(pt.is_float32(leaf) or pt.is_float64(leaf))


def _plus_zero_sum(column: pl.Expr) -> pl.Expr:
    """The sum of each row, 0.0 for an empty one; the column comes first in `when`, because its name is the result's."""
    filled = column.list.len().ne_missing(0)
    return pl.when(filled).then(column.list.sum()).otherwise(0.0)


NATIVE: dict[tuple[str, str], Callable[[Call, Operands], pl.Expr | None]] = {
    ("operator", "add"): _arithmetic(lambda one, two: one + two),
    ("operator", "sub"): _arithmetic(lambda one, two: one - two),
    ("operator", "mul"): _arithmetic(lambda one, two: one * two),
    ("operator", "truediv"): _arithmetic(lambda one, two: one / two),
    ("method", "sum"): _reduction(_plus_zero_sum, _is_float),
    ("method", "mean"): _reduction(lambda column: column.list.mean(), pt.is_float64),
    ("method", "min"): _reduction(lambda column: column.list.min(), _is_number),
    ("method", "max"): _reduction(lambda column: column.list.max(), _is_number),
    ("method", "first"): _reduction(lambda column: column.list.first()),
    ("method", "last"): _reduction(lambda column: column.list.last()),
    ("method", "lengths"): _reduction(lambda column: column.list.len().cast(pl.Int64)),
    ("method", "head"): _window(lambda column, n: column.list.head(n)),
    ("method", "slice"): _window(lambda column, start, length: column.list.slice(start, length)),
}
"""From the kind and name of a call to its rule, which gives None where polars would not agree."""
