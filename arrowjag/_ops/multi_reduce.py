"""Reductions of two columns of one shape, and reductions that give several values per row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels.base.words import aligned_bits, both_valid, has_words, nulls_like, unpack_bits
from arrowjag._kernels.elementwise.decimals import to_doubles
from arrowjag._kernels.move import copy_runs, gather
from arrowjag._ops import structure
from arrowjag._ops.axes import is_empty_tuple, normalize_axes
from arrowjag._ops.over_axes import over_axes
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagTypeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["floats", "over_pairs", "reduce_to_lists", "valid_in_both"]

PairReduction: TypeAlias = Callable[[pa.Array, pa.Array, "BoolArray | None", IntArray], pa.Array]
Lists: TypeAlias = Callable[[pa.Array, IntArray], "tuple[pa.Array, IntArray]"]


def floats(values: pa.Array, operation: str) -> npt.NDArray[Any]:
    """Convert leaf values to numbers that numpy computes with: booleans, decimals and the null type become float64.

    Items under nulls are unspecified. Raises for types that are not numeric.
    """
    type = values.type
    if pt.is_floating(type) or pt.is_integer(type):
        return _arrow.data_alone(values)
    if pt.is_decimal(type):
        values = to_doubles(values)
    elif pt.is_boolean(type):
        values = values.cast(pa.uint8())
    elif not pt.is_null(type):
        raise JagTypeError.no_kernel(operation, type)
    return _arrow.data_alone(values.cast(pa.float64()))


def valid_in_both(x: pa.Array, y: pa.Array) -> BoolArray | None:
    """Flag the pairs in which neither value is null; None if all are."""
    if x.null_count and y.null_count and has_words(x.type) and has_words(y.type):
        one, two = [aligned_bits(values.buffers()[0], values.offset, len(values)) for values in (x, y)]
        return unpack_bits(one & two, 0, len(x))
    return both_valid(_arrow.valid_of(x), _arrow.valid_of(y))


def over_pairs(
    x: Column,
    y: Column,
    axis: Any,
    reduction: PairReduction,
    operation: str,
    *,
    skip_nulls: bool,
    min_count: int | None,
) -> Column:
    """Reduce two columns together, along any axis that `over_axes` takes.

    Parameters
    ----------
    x, y : Column
        Broadcast by the prefix rule; a row that is null in either is null.
    axis : int, tuple of int or None
        As for `over_axes`.
    reduction : callable
        From the values of both, the flags of complete pairs (None if all are) and offsets to one value per row.
    operation : str
        The public name, for errors.
    skip_nulls, min_count
        As for `over_axes`; an incomplete pair counts as a null.

    Returns
    -------
    Column
        Without the reduced axes.
    """
    x, y = structure.align([x, y], operation)
    shape, one, two = x._shape, x.values, y.values
    valid = valid_in_both(one, two)
    ndim = len(shape._dims)
    stays = axis == -1 if type(axis) is int else is_empty_tuple(axis)
    if stays or normalize_axes(axis, ndim, operation)[-1] == ndim - 1:  # the items are not moved
        is_unread = skip_nulls and min_count is None  # `over_axes` then ignores nulls
        pairs = one if valid is None or is_unread else structure.null_values(one, valid)
    else:
        pairs = _arrow.from_numpy(np.arange(len(one)), valid)

    def of_pairs(values: pa.Array, offsets: IntArray) -> pa.Array:
        if values is pairs:
            return reduction(one, two, valid, offsets)
        index, known = _arrow.to_numpy(values)
        if known is not None:  # items under nulls are unspecified
            index = np.where(known, index, 0)
        return reduction(_taken(one, index), _taken(two, index), known, offsets)

    numbered = x if pairs is one else Column(shape, pairs)
    return over_axes(numbered, axis, of_pairs, operation, skip_nulls=skip_nulls, min_count=min_count, scatters=False)


def _taken(values: pa.Array, index: IntArray) -> pa.Array:
    return gather.take(values, index) if len(values) else nulls_like(values, len(index))


def reduce_to_lists(
    column: Column, axis: Any, lists: Lists, operation: str, *, skip_nulls: bool = True, min_count: int | None = None
) -> Column:
    """Reduce along any axis to a list per row, which becomes the innermost dim of the result.

    Parameters
    ----------
    column : Column
        The source.
    axis : int, tuple of int or None
        As for `over_axes`.
    lists : callable
        From flat values and offsets to the flat values of the result and its offsets.
    operation : str
        The public name, for errors.
    skip_nulls, min_count
        As for `over_axes`; rows without a result are null.

    Returns
    -------
    Column
        With one dim, without a declared extent, in place of the reduced axes.
    """
    made: list[tuple[pa.Array, IntArray]] = []

    def number_rows(values: pa.Array, offsets: IntArray) -> pa.Array:
        made[:] = [lists(values, offsets)]
        return _arrow.numbers(len(offsets) - 1)

    return with_lists(over_axes(column, axis, number_rows, operation, skip_nulls=skip_nulls, min_count=min_count), *made[0])


def with_lists(rows: Column, values: pa.Array, offsets: IntArray) -> Column:
    """Replace each value of a column by the list of the same number; a null becomes a null row."""
    valid = _arrow.valid_of(rows.values)
    if valid is not None:
        dropped = (~valid).nonzero()[0]
        values = copy_runs.drop_rows(values, offsets, dropped)
        offsets = copy_runs.offsets_with(offsets, dropped)
    last: Dim = Ragged.from_offsets(offsets, validity=valid, check=False)
    if rows.ndim == 0:
        last = Uniform._frame(int(offsets[-1]))
    return Column(JaggedShape._trusted((*rows.shape.dims, last)), values)
