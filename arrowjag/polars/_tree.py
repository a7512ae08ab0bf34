"""Trees of polars columns: their inputs are expressions, their arguments may be dtypes and Series of polars."""

from __future__ import annotations

from typing import Any

import polars as pl

from arrowjag import _expressions
from arrowjag._expressions import (
    Call,
    Input,
    Node,
    bound_arguments,
    call,
    children,
    is_scalar,
    like,
    mapped,
    mapped_values,
    operate,
    operator_call,
    record_operands,
    rows_of,
    sample_of,
    ufunc_call,
)
from arrowjag._ops.elementwise import Categories
from arrowjag.creation import array
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
    "is_dtype",
    "is_scalar",
    "like",
    "mapped",
    "mapped_values",
    "operate",
    "operator_call",
    "record",
    "record_arguments",
    "record_operands",
    "rows_of",
    "sample_of",
    "ufunc_call",
]


def record(value: Any, *, rowwise: bool = False) -> Any:
    """Convert an argument to a part of a tree.

    Parameters
    ----------
    value : object
        The argument of the caller.
    rowwise : bool
        Whether an array or a list contains one item per row of the frame; it becomes a literal column. polars repeats literals of
        one row for the rows of the frame: those of a Series are repeated, as polars does, those of an array are not.

    Returns
    -------
    object
        A node for an expression, the same container with nodes for a container of expressions, otherwise a constant.
    """
    node = getattr(value, "_node", None)
    if isinstance(node, (Input, Call)):
        return node
    if isinstance(value, pl.Expr):
        return Input(value)
    if isinstance(value, (list, tuple)) and any(isinstance(one, pl.Expr) for one in value):
        return like(value, [record(one, rowwise=rowwise) for one in value])
    if is_dtype(value):
        return arrow_type(value)
    if isinstance(value, slice):
        return slice(*(record(one) for one in (value.start, value.stop, value.step)))
    if rowwise and not is_scalar(value):
        if isinstance(value, pl.Series):
            return Input(pl.lit(value))
        column = array(value)
        return _expressions.listed(Input(pl.lit(to_series(column)), is_array=True), value, column.type)
    return value


def is_dtype(value: Any) -> bool:
    """Whether an argument is a polars dtype; methods receive its Arrow storage type instead."""
    return isinstance(value, pl.DataType) or (isinstance(value, type) and issubclass(value, pl.DataType))


def as_leaf(value: Any) -> Any:
    """Convert a polars dtype to the Arrow type of its leaves, an Enum to its categories; return any other value unchanged."""
    if not is_dtype(value):
        return value
    kind = column_type(value)
    return Categories(tuple(kind.enum.categories)) if isinstance(kind.enum, pl.Enum) else kind.leaf


def record_arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Bind the arguments of a method to its signature; arguments that may be arrays become columns unless they are scalars."""
    if name == "cast":  # also accepts the dtype of a whole column
        args, kwargs = tuple(map(as_leaf, args)), {key: as_leaf(one) for key, one in kwargs.items()}
    return _expressions.record_arguments(name, args, kwargs, record)


def emptied(root: Node, positions: dict[int, int]) -> tuple[Node, list[tuple[Input, int]]]:
    """Replace the expressions of a tree, which may own data, by column numbers; also return the new inputs with their numbers."""
    return _expressions.emptied(root, positions, pl.nth)


class Tree(_expressions.Tree):
    """The columns and the key of a tree of polars expressions."""

    def _are_equal(self, one: Any, two: Any) -> bool:
        return one is two or bool(one.meta.eq(two))
