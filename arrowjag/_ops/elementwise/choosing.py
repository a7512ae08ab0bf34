"""Selection between operands, per item and per row: where, coalesce and fill_null."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column, same_validity
from arrowjag._gate import inside
from arrowjag._kernels import strategy
from arrowjag._kernels.base.memory import check_memory, is_counted
from arrowjag._kernels.base.words import copied_bytes, unless_all, without_validity
from arrowjag._kernels.move import gather
from arrowjag._ops import concat, structure
from arrowjag._ops.elementwise import blockwise
from arrowjag._ops.elementwise.categories import codes_beside, from_codes, share_order
from arrowjag._ops.elementwise.framework import Datum, Operand, apply, cast_chosen, cast_datum, columns_of
from arrowjag._ops.elementwise.types import common_type
from arrowjag._pyarrow_versions import if_else
from arrowjag.errors import JagTypeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray

__all__ = ["coalesce", "fill_null", "where"]


Rows: TypeAlias = "Sequence[BoolArray | None]"


def where(condition: Operand, one: Operand, two: Operand, operation: str = "where") -> Column:
    """Select `one` where the condition is true and `two` where it is false; null where it is null.

    A row of the result is null only if it is null in the condition or in the selected operand.
    """
    operands = [_as_column(operand) for operand in (condition, one, two)]
    if _same_rows(operands):
        return apply(_if_else, [condition, one, two] if columns_of([condition, one, two]) else operands, operation)
    if not (pt.is_boolean(operands[0].type) or pt.is_null(operands[0].type)):
        raise JagTypeError.no_kernel("where", operands[0].type, hint="The condition must be boolean.")

    def is_null(depth: int, there: Rows, leaves: Sequence[Any]) -> BoolArray:
        del depth
        flags, *sides = there
        lacks = [None if side is None else ~side for side in sides]
        both = _all_lack(lacks)
        if flags is not None:
            return ~flags if both is None else ~flags | both
        data, valid = _arrow.to_numpy(operands[0].values.cast(pa.bool_()))
        place = np.maximum(leaves[0], 0)
        known = leaves[0] >= 0 if valid is None else (leaves[0] >= 0) & valid[place]
        absent = ~np.logical_or.reduce([side for side in sides if side is not None])
        chosen = [np.zeros(len(place), bool) if side is None else side for side in lacks]
        lost = np.where(known, np.where(data[place], chosen[0], chosen[1]), absent if both is None else both)
        null: BoolArray = absent | lost
        return null

    met = concat.merge_rows_deferred(operands, is_null, "where")
    found = _choose_merged(met, [condition, one, two])
    if found is not None:
        return found
    return apply(_if_else, _scalars_kept([condition, one, two], [side.settled().whole for side in met]), operation)


def _choose_merged(met: Sequence[structure.Met], operands: Sequence[Operand]) -> Column | None:
    """Select from operands whose copy is deferred, block by block. Returns None if that does not apply; the caller falls back."""
    flags, *sides = (side if isinstance(operand, Column) else operand for side, operand in zip(met, operands, strict=True))
    shape = max((side.shape for side in met), key=len)
    if not isinstance(flags, structure.Met) or not pt.is_boolean(flags.type) or sides[0].type != sides[1].type:
        return None
    if any(isinstance(side, structure.Met) and side.shape.ndim < shape.ndim for side in (flags, *sides)):
        return None
    values = blockwise.choose(flags.settled().whole.values, *sides)
    return None if values is None else Column(shape, values)


def _all_lack(lacks: Sequence[BoolArray | None]) -> BoolArray | None:
    """Flag the rows that all sides lack; None if a side has fewer dims and so needs no row."""
    found = [side for side in lacks if side is not None]
    lost: BoolArray | None = np.logical_and.reduce(found) if len(found) == len(lacks) else None
    return lost


def _as_column(operand: Operand) -> Column:
    """Convert a scalar to a column without dims."""
    return operand if isinstance(operand, Column) else Column(JaggedShape(), structure.constant(operand, 1))


def _scalars_kept(operands: Sequence[Operand], columns: Sequence[Column]) -> list[Operand]:
    """Replace operands by their merged columns, keeping scalars, which need no broadcast."""
    return [column if isinstance(operand, Column) else operand for operand, column in zip(operands, columns, strict=True)]


def _same_rows(columns: Sequence[Column]) -> bool:
    """Return whether operands have the same rows and the same null rows, so that no rows need to be merged."""
    shapes = [column._shape for column in columns]
    if not [dim for shape in shapes for dim in shape._dims if dim._validity is not None]:
        return True
    longest = max(shapes, key=len)
    levels = [[shape.dims[depth] for shape in shapes if shape.ndim > depth] for depth in range(longest.ndim)]
    same = all(same_validity(dim.validity, level[0].validity) for level in levels for dim in level[1:])
    agreed = same and all(len({dim.extent for dim in level} - {None}) < 2 for level in levels)
    return agreed and all(shape.is_prefix_of(longest) for shape in shapes)


def _if_else(condition: Datum, one: Datum, two: Datum) -> pa.Array:
    if not (pt.is_boolean(condition.type) or pt.is_null(condition.type)):
        raise JagTypeError.no_kernel("where", condition.type, hint="The condition must be boolean.")
    if share_order([one, two]):
        codes, dictionary = codes_beside([one, two], "where")
        return from_codes(pc.if_else(condition.cast(pa.bool_()), *codes), dictionary, [one.type, two.type])
    type = common_type([one.type, two.type], "where")
    condition = cast_datum(condition, pa.bool_())
    one, two = cast_chosen(one, type, lambda: condition), cast_chosen(two, type, lambda: pc.invert(condition))
    found = blockwise.choose(condition, one, two)
    if found is not None:
        return found
    n = _longest([condition, one, two])
    if _has_own_fields(type):
        return _choose_fields(condition, one, two, n)
    if isinstance(condition, pa.Array):
        _check_room(one, n, lambda: condition)
        _check_room(two, n, lambda: pc.invert(condition))
    if _are_gathered(type, n):
        return _choose(condition, one, two)
    try:
        return cast_datum(if_else(condition, one, two), type)  # pyarrow widens narrow decimals
    except pa.ArrowNotImplementedError:  # pyarrow does not list the types that its kernels accept
        return _choose(condition, one, two)


def _has_own_fields(type: pa.DataType) -> bool:
    """Return whether values are structs whose fields are chosen one by one: pyarrow takes six times as long for whole structs."""
    return pt.is_struct(type) and type.num_fields > 0 and not _contains_dictionary(type)


def _choose_fields(condition: Datum, one: Datum, two: Datum, n: int) -> pa.Array:
    type = one.type
    fields = [_if_else(condition, *(_field_of(datum, place) for datum in (one, two))) for place in range(type.num_fields)]
    known = _as_array(if_else(condition, _known(one), _known(two)), n)
    fields = [_as_array(field, n) for field in fields]
    valid = known.fill_null(False).to_numpy(zero_copy_only=False)
    return _arrow.structs(fields, list(type), unless_all(valid))


def _field_of(datum: Datum, place: int) -> Datum:
    return _arrow.field_of(datum, place) if isinstance(datum, pa.Array) else datum[place]


def _known(datum: Datum) -> Datum:
    return datum.is_valid() if isinstance(datum, pa.Array) else pa.scalar(datum.is_valid)


def _as_array(datum: Datum, n: int) -> pa.Array:
    return datum if isinstance(datum, pa.Array) else pa.repeat(datum, n)


def _check_room(datum: Datum, n: int, chosen: Callable[[], pa.Array]) -> None:
    """Raise if a long value that is repeated for each item needs more memory than there is, which pyarrow's kernels don't check."""
    if isinstance(datum, pa.Scalar) and datum.is_valid:
        n_bytes = copied_bytes(datum)
        if is_counted(n_bytes * n):
            check_memory(pc.sum(chosen()).as_py() or 0, n_bytes)


def _choose(condition: Datum, one: Datum, two: Datum) -> pa.Array:
    """`if_else` for types without a correct kernel: gather from the concatenation of both operands."""
    n = _longest([condition, one, two])
    arrays = [datum if isinstance(datum, pa.Array) else pa.repeat(datum, n) for datum in (one, two)]
    flags = condition if isinstance(condition, pa.Array) else pa.repeat(condition, n)
    data, valid = _arrow.to_numpy(flags)
    index = np.arange(n) + np.where(data, 0, n)
    return gather.take(_arrow.join(arrays), index, valid)


def coalesce(operands: Sequence[Operand], operation: str = "coalesce") -> Column:
    """Select the first valid operand per item and per row; a row that is null in all operands is null."""
    given = columns_of(operands)
    if given and _same_rows(given):  # scalars have no rows
        return apply(_coalescer(operation), operands, operation)
    columns = [_as_column(operand) for operand in operands]
    if not given:
        return apply(_coalescer(operation), columns, operation)

    def is_null(depth: int, there: Rows, leaves: Sequence[Any]) -> BoolArray:
        del depth, leaves
        known: BoolArray = np.logical_or.reduce([rows for rows in there if rows is not None])
        return ~known

    return apply(_coalescer(operation), _scalars_kept(operands, concat.merge_rows(columns, is_null, operation)), operation)


def fill_null(column: Column, filler: Operand) -> Column:
    """Replace null leaves by the filler; null rows too, if the filler has as many dims."""
    return coalesce([column, filler], "fill_null")


def _coalescer(operation: str) -> Callable[..., pa.Array]:
    def choose(*data: Datum) -> pa.Array:
        if share_order(data):
            codes, dictionary = codes_beside(data, operation)
            return from_codes(pc.coalesce(*codes), dictionary, [datum.type for datum in data])
        return _coalesce_values(common_type([datum.type for datum in data], operation), *data)

    return choose


def _coalesce_values(type: pa.DataType, *data: Datum) -> pa.Array:
    cast_data: list[Datum] = []
    for datum in data:
        cast_data.append(cast_chosen(datum, type, functools.partial(_lacking, tuple(cast_data))))
    if isinstance(cast_data[0], pa.Array) and cast_data[0].null_count == 0:
        return cast_data[0]  # no nulls: shared
    found = _coalesce_blocks(cast_data)
    if found is not None:
        return found
    if _has_own_fields(type):
        return _as_array(
            functools.reduce(lambda found, other: _if_else(_known(found), found, other), cast_data), _longest(cast_data)
        )
    n = _longest(cast_data)
    for place, datum in enumerate(cast_data):
        _check_room(datum, n, functools.partial(_lacking, cast_data[:place]))
    if not _are_gathered(type, n):
        with contextlib.suppress(pa.ArrowNotImplementedError):  # as in `_if_else`
            return cast_datum(pc.coalesce(*cast_data), type)  # pyarrow widens narrow decimals
    result = _as_array(cast_data[0], n)
    for other in cast_data[1:]:
        result = _choose(result.is_valid(), result, other)
    return result


def _lacking(data: Sequence[Datum]) -> Datum:
    """Flag the items that none of some operands has."""
    lacks = [datum.is_null() if isinstance(datum, pa.Array) else pa.scalar(not datum.is_valid) for datum in data]
    return functools.reduce(pc.and_, lacks, pa.scalar(True))


def _are_gathered(type: pa.DataType, n: int) -> bool:
    """Return whether `_choose` replaces pyarrow's kernels, for the sake of dictionaries.

    For dictionaries inside nested types, pyarrow mixes their orders and makes indices beyond the dictionary; for others, its
    kernels take 120 ns per item, and a gather 15.
    """
    return n >= strategy.sizes.CALL_VALUES if pt.is_dictionary(type) else pt.is_nested(type) and _contains_dictionary(type)


def _contains_dictionary(type: pa.DataType) -> bool:
    if isinstance(type, pa.BaseExtensionType):
        type = type.storage_type
    return pt.is_dictionary(type) or any(_contains_dictionary(one) for one in inside(type))


def _longest(data: Sequence[Datum]) -> int:
    """Return the number of items of the longest operand."""
    return max(len(datum) for datum in data if isinstance(datum, pa.Array))


def _coalesce_blocks(data: Sequence[Datum]) -> pa.Array | None:
    """Apply coalesce block by block; None if that does not apply, and the caller falls back to pyarrow."""
    result, *others = data
    if not isinstance(result, pa.Array) or strategy.choose("coalesce", len(result), result.null_count) == "whole":
        return None
    for other in others:
        there = result.is_valid()
        known = without_validity(result) if pt.is_primitive(result.type) else result  # its nulls are never chosen
        found = blockwise.choose(there, known, other)
        if found is None or found.null_count == 0:
            return found
        result = found
    return result
