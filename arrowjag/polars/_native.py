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
comparisons              3 / 2           numbers with a Python number that is not NaN. To polars NaN equals NaN and is above every
                                         number: ``> >=`` of floats ask for what is not above infinity, too
``-``, `abs`             5 / 4           signed integers and floats
`sqrt`                   12 / 4          float64 and float32
`is_null`, `is_nan`      8 / 0.4         every leaf type; floats
`fill_null`              10 / 6          numbers with a number of their type
`sum`                    9 / 7           floats. Integers wrap where ours raise
`mean`                   9 / 8           float64; other types are computed in other types
`min`, `max`             10 / 8          numbers; both ignore NaN unless there is nothing else. With nulls among the items
                                         these four are ours: 25 / 60
`n_unique`               60 / 50         numbers without nulls, which polars counts; 35 / 26 of wall clock
`any`, `all`             6 / 6           booleans
`first`, `last`          12 / 3          every leaf type
``S[place]``             6 / 3           every leaf type, one place of the last dim
`lengths`                2 / 1           every leaf type
`head`, `tail`, `slice`  16 / 8          every leaf type, positions from 0
=======================  ==============  ==================================================================================

All of them want lists without a declared extent, the last axis, and the options as they are by default; but for those between
items and the unary ones, flat lists. A tree of such calls becomes one expression. Not here: `sort`, `cumsum`, `rank`, `diff`,
`shift`, `filter`, `clip`, `median`, `std`, `unique`, where ours are 2 to 40 times faster; `round`, which polars rounds otherwise.
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
from arrowjag.polars._convert import ColumnType, polars_dtype
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

Rule: TypeAlias = "Callable[[Call, Operands], pl.Expr | None]"
Accepts: TypeAlias = "Callable[[pa.DataType], bool]"

_DTYPES: dict[pa.DataType, type[pl.DataType]] = {pa.float64(): pl.Float64, pa.float32(): pl.Float32, pa.int64(): pl.Int64}
"""Leaf types that both promote alike among themselves and with Python numbers."""


def _arithmetic(function: Callable[[Any, Any], pl.Expr], accepts: Accepts) -> Rule:
    def rule(_call: Call, operands: Operands) -> pl.Expr | None:
        columns = [one for one in operands if isinstance(one, tuple)]
        leaf = columns[0][1].leaf
        if sum(map(_is_flat_list, columns)) != 1 or any(one[1].ndim > 2 or one[1].leaf != leaf for one in columns):
            return None
        if any(one[1].ndim == 2 and not _is_flat_list(one) for one in columns) or leaf not in _DTYPES or not accepts(leaf):
            return None
        terms = [_storage(one) if isinstance(one, tuple) else _literal(one, leaf) for one in operands]
        return None if any(one is None for one in terms) else function(*terms)

    return rule


def _literal(value: Any, leaf: pa.DataType) -> pl.Expr | None:
    """A Python number as a literal of a leaf type, if it is one of that type without a doubt."""
    if pt.is_integer(leaf):
        limits = np.iinfo(leaf.to_pandas_dtype())
        return pl.lit(value, polars_dtype(leaf)) if type(value) is int and limits.min <= value <= limits.max else None
    if not _is_float(leaf) or not (type(value) is float or (type(value) is int and abs(value) < 2**24)) or math.isnan(value):
        return None
    return pl.lit(float(value), polars_dtype(leaf))


def _items(operand: Any, function: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
    """A call on the leaves of nested lists."""
    made = function(pl.element())
    for _ in range(operand[1].ndim - 2):
        made = pl.element().list.eval(made)
    return _storage(operand).list.eval(made)


def _is_nested_list(operand: Any) -> bool:
    """Whether an operand is a column of lists, of lists..., without a declared extent."""
    return isinstance(operand, tuple) and operand[1].ndim > 1 and not any(operand[1].extents)


def _unary(function: Callable[[pl.Expr], pl.Expr], accepts: Accepts) -> Rule:
    def rule(call: Call, operands: Operands) -> pl.Expr | None:
        column = operands[-1] if call.kind == "ufunc" else operands[0]
        fits = len(operands) == 1 + (call.kind == "ufunc") and not call.kwargs and _is_nested_list(column)
        return _items(column, function) if fits and accepts(column[1].leaf) else None

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


def _compare(call: Call, operands: Operands) -> pl.Expr | None:
    name = call.name
    if not isinstance(operands[0], tuple):
        name, operands = _ORDERS[name][0], operands[::-1]
    column, bound = operands
    if isinstance(bound, tuple) or not _is_nested_list(column) or not _is_number(column[1].leaf):
        return None
    literal = _literal(bound, column[1].leaf)
    if literal is None:
        return None
    if name in ("gt", "ge") and _is_float(column[1].leaf):  # all but NaN
        infinity = pl.lit(math.inf, polars_dtype(column[1].leaf))
        return _items(column, lambda item: _ORDERS[name][1](item, literal) & (item <= infinity))
    return _items(column, lambda item: _ORDERS[name][1](item, literal))


def _fill_null(_call: Call, operands: Operands) -> pl.Expr | None:
    if len(operands) != 2 or isinstance(operands[1], tuple) or not _is_nested_list(operands[0]):
        return None
    leaf = operands[0][1].leaf
    literal = _literal(operands[1], leaf) if _is_number(leaf) else None
    return None if literal is None else _items(operands[0], lambda item: item.fill_null(literal))


def _is_null(call: Call, operands: Operands) -> pl.Expr | None:
    arguments = METHODS["is_null"].bind(tuple(operands[1:]), dict(call.kwargs))
    if not _is_nested_list(operands[0]) or arguments["axis"] not in (-1, operands[0][1].ndim - 1):
        return None
    return _items(operands[0], lambda item: item.is_null())


def _slot(_call: Call, operands: Operands) -> pl.Expr | None:
    column, key = operands
    return _storage(column).list.get(key, null_on_oob=True) if _is_flat_list(column) and type(key) is int else None


# --------------------------------------------------------------------------------------------------- methods


def _arguments(call: Call, operands: Operands) -> dict[str, Any] | None:
    """The arguments of a call on flat lists along their last axis; None for any other call."""
    if not _is_flat_list(operands[0]):
        return None
    arguments = METHODS[call.name].bind(tuple(operands[1:]), dict(call.kwargs))
    return arguments if arguments.pop("axis", -1) in (-1, 1) else None


def _reduction(function: Callable[[pl.Expr], pl.Expr], accepts: Accepts = lambda leaf: True) -> Rule:
    def rule(call: Call, operands: Operands) -> pl.Expr | None:
        if not accepts(operands[0][1].leaf):
            return None
        if len(operands) == 1 and not call.kwargs:
            return function(_storage(operands[0])) if _is_flat_list(operands[0]) else None
        arguments = _arguments(call, operands)
        defaults = {name: one.default for name, one in METHODS[call.name].signature.parameters.items()}
        if arguments is None or any(value is not defaults[name] for name, value in arguments.items()):
            return None
        return function(_storage(operands[0]))

    return rule


def _window(function: Callable[..., pl.Expr]) -> Rule:
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


def _is_signed(leaf: pa.DataType) -> bool:
    return bool(pt.is_signed_integer(leaf) or pt.is_float32(leaf) or pt.is_float64(leaf))


def _is_any(leaf: pa.DataType) -> bool:
    del leaf
    return True


class _Reduce:
    """A reduction of rows by the faster of two kernels, which only the values can tell: polars' reads nulls one by one."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, series: pl.Series) -> pl.Series:
        if any(_leaves(chunk.to_arrow()).null_count for chunk in series.get_chunks()):
            ours: pl.Series = getattr(series.jag, self.name)()  # type: ignore[attr-defined]
            return ours
        found: pl.Series = getattr(series.list, self.name)()
        if self.name != "sum":
            return found.cast(pl.Int64) if self.name == "n_unique" else found
        # polars' sum of no items is -0.0, and it leaves out a + 0.0.
        return found.replace(0.0, 0.0) if found.null_count() else pl.Series(found.name, found.to_numpy() + 0)


def _leaves(lists: Any) -> pa.Array:
    """The items of the rows of a list array, and no others."""
    return lists.flatten() if lists.null_count else lists.values.slice(lists.offsets[0].as_py(), lists.offsets[-1].as_py())


def _rows(name: str, accepts: Accepts) -> Rule:
    def rule(call: Call, operands: Operands) -> pl.Expr | None:
        fixed = {"mean": pl.Float64(), "n_unique": pl.Int64()}
        dtype = fixed[name] if name in fixed else polars_dtype(operands[0][1].leaf)
        reduced = _reduction(lambda column: column.map_batches(_Reduce(name), return_dtype=dtype, is_elementwise=True), accepts)
        return reduced(call, operands)

    return rule


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
    ("method", "sum"): _rows("sum", _is_float),
    ("method", "mean"): _rows("mean", pt.is_float64),
    ("method", "min"): _rows("min", _is_number),
    ("method", "max"): _rows("max", _is_number),
    ("method", "n_unique"): _rows("n_unique", _is_number),
    ("method", "any"): _reduction(lambda column: column.list.any(), pt.is_boolean),
    ("method", "all"): _reduction(lambda column: column.list.all(), pt.is_boolean),
    ("method", "first"): _reduction(lambda column: column.list.first()),
    ("method", "last"): _reduction(lambda column: column.list.last()),
    ("method", "lengths"): _reduction(lambda column: column.list.len().cast(pl.Int64)),
    ("method", "head"): _window(lambda column, n: column.list.head(n)),
    ("method", "tail"): _window(lambda column, n: column.list.tail(n)),
    ("method", "slice"): _window(lambda column, start, length: column.list.slice(start, length)),
    ("slots", "x.S[...]"): _slot,
}
"""From the kind and name of a call to its rule, which gives None where polars would not agree."""
