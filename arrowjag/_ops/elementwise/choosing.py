"""Choosing between operands, item by item and row by row: where and coalesce."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels import gather
from arrowjag._ops import select
from arrowjag._ops.elementwise import blockwise
from arrowjag._ops.elementwise.framework import Datum, Operand, apply, cast_datum, columns_of
from arrowjag._ops.elementwise.types import promote
from arrowjag.errors import JagTypeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray

__all__ = ["coalesce", "fill_null", "where"]


Rows: TypeAlias = "Sequence[BoolArray | None]"


def where(condition: Operand, one: Operand, two: Operand) -> Column:
    """`one` where the condition is true, `two` where it is false, null where it is null.

    A row of the result is null only where the condition's is, or the operand that supplies it has none there.
    """
    operands = [_as_column(operand) for operand in (condition, one, two)]
    if _same_rows(operands):
        return apply(_if_else, [condition, one, two] if columns_of([condition, one, two]) else operands, "where")
    if not (pt.is_boolean(operands[0].type) or pt.is_null(operands[0].type)):
        raise JagTypeError.no_kernel("where", operands[0].type, hint="The condition must be boolean.")
    data, valid = _arrow.to_numpy(operands[0].values.cast(pa.bool_()))

    def is_null(depth: int, there: Rows, leaves: Sequence[Any]) -> BoolArray:
        del depth
        flags, *sides = there
        lacks = [None if side is None else ~side for side in sides]
        both = _all_lack(lacks)
        if flags is not None:
            return ~flags if both is None else ~flags | both
        place = np.maximum(leaves[0], 0)
        known = leaves[0] >= 0 if valid is None else (leaves[0] >= 0) & valid[place]
        nobody = ~np.logical_or.reduce([side for side in sides if side is not None])
        chosen = [np.zeros(len(place), bool) if side is None else side for side in lacks]
        lost = np.where(known, np.where(data[place], chosen[0], chosen[1]), nobody if both is None else both)
        null: BoolArray = nobody | lost
        return null

    shape, flat = select.merge_rows(operands, is_null, "where")
    return apply(_if_else, [Column(shape, values) for values in flat], "where")


def _all_lack(lacks: Sequence[BoolArray | None]) -> BoolArray | None:
    """Where no side has a row; None where a side needs none."""
    found = [side for side in lacks if side is not None]
    lost: BoolArray | None = np.logical_and.reduce(found) if len(found) == len(lacks) else None
    return lost


def _as_column(operand: Operand) -> Column:
    """A scalar as a column without dims."""
    return operand if isinstance(operand, Column) else Column(JaggedShape(), select.constant(operand, 1))


def _same_rows(columns: Sequence[Column]) -> bool:
    """Whether operands surely have the same null rows, so that nobody has to lend any."""
    deep = [column.shape for column in columns if column.ndim > 1]
    if not any(dim.validity is not None for shape in deep for dim in shape.dims):
        return True
    if any(0 < column.ndim < 2 for column in columns) or len({shape.ndim for shape in deep}) > 1:
        return False
    first = deep[0]
    return all(mine.validity is theirs.validity for shape in deep for mine, theirs in zip(shape.dims, first.dims, strict=True))


def _if_else(condition: Datum, one: Datum, two: Datum) -> pa.Array:
    if not (pt.is_boolean(condition.type) or pt.is_null(condition.type)):
        raise JagTypeError.no_kernel("where", condition.type, hint="The condition must be boolean.")
    type = promote([one.type, two.type], "where") if one.type != two.type else one.type
    one, two, condition = cast_datum(one, type), cast_datum(two, type), cast_datum(condition, pa.bool_())
    found = blockwise.choose(condition, one, two)
    if found is not None:
        return found
    try:
        return pc.if_else(condition, one, two)
    except pa.ArrowNotImplementedError:  # asking costs a call: pyarrow doesn't list the types of its kernels
        return _choose(condition, one, two)


def _choose(condition: Datum, one: Datum, two: Datum) -> pa.Array:
    """`if_else` for types without a kernel: gather from both laid end to end."""
    n = max(len(datum) for datum in (condition, one, two) if isinstance(datum, pa.Array))
    arrays = [datum if isinstance(datum, pa.Array) else pa.repeat(datum, n) for datum in (one, two)]
    flags = condition if isinstance(condition, pa.Array) else pa.repeat(condition, n)
    data, valid = _arrow.to_numpy(flags)
    index = np.arange(n) + np.where(data, 0, n)
    return gather.take(pa.concat_arrays(arrays), index, valid)


def coalesce(operands: Sequence[Operand], operation: str = "coalesce") -> Column:
    """The first operand that is not null, item by item and row by row; a row is null where no operand has one."""
    columns = [_as_column(operand) for operand in operands]
    if _same_rows(columns):
        return apply(_coalescer(operation), operands if columns_of(operands) else columns, operation)

    def is_null(depth: int, there: Rows, leaves: Sequence[Any]) -> BoolArray:
        del depth, leaves
        known: BoolArray = np.logical_or.reduce([rows for rows in there if rows is not None])
        return ~known

    shape, flat = select.merge_rows(columns, is_null, operation)
    return apply(_coalescer(operation), [Column(shape, values) for values in flat], operation)


def fill_null(column: Column, filler: Operand) -> Column:
    """Null rows come from the filler where it has as many dims, null leaves from it everywhere."""
    return coalesce([column, filler], "fill_null")


def _coalescer(operation: str) -> Callable[..., pa.Array]:
    return lambda *data: _coalesce_values(promote([datum.type for datum in data], operation), *data)


def _coalesce_values(type: pa.DataType, *data: Datum) -> pa.Array:
    same = all(datum.type == data[0].type for datum in data)
    cast_data = list(data) if same else [cast_datum(datum, type) for datum in data]
    if isinstance(cast_data[0], pa.Array) and cast_data[0].null_count == 0:
        return cast_data[0]  # nothing is missing: shared, not copied
    try:
        return cast_datum(pc.coalesce(*cast_data), type)  # narrow decimals come back as wide ones
    except pa.ArrowNotImplementedError:  # as above
        result = cast_data[0]
        for other in cast_data[1:]:
            result = _choose(result.is_valid(), result, other)
        return result
