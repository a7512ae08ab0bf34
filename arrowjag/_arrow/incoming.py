"""Bring Arrow data in: check it, concatenate chunks, split it into levels and leaves."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arrow.chunks import join
from arrowjag._arrow.levels import Level, decode, split_levels
from arrowjag._gate import canonical_layout, check_type, secure
from arrowjag._integers import check_ndim
from arrowjag.errors import ShapeError
from arrowjag.typing import ArrowData

__all__ = ["arrived", "peel"]


def peel(data: ArrowData, ndim: int | None = None, *, where: str = "the column") -> tuple[list[Level], pa.Array]:
    """Split a nested array into its levels and its flat leaf values.

    Parameters
    ----------
    data : pa.Array or pa.ChunkedArray
        Any nested layout: lists of five kinds, maps, arrays of the extension type, in lists too; slices and chunks.
    ndim : int, optional
        Number of dims wanted, the rows included. By default every list and every map is a level, down to the leaves of the
        extension type. The leaves of a map are structs of `key` and `value`.
    where : str
        The name of the data in error messages.

    Returns
    -------
    list of Level
        One entry per list level, outermost first; there are ``ndim - 1``.
    pa.Array
        The leaf values in one piece, without slack.

    Raises
    ------
    OffsetsError
        If offsets are not a valid cut of the values below them.
    ShapeError
        If the array has fewer levels than `ndim` asks for, or `ndim` is 0.
    """
    if ndim is not None:
        check_ndim(ndim, where)
    if ndim == 0:
        raise ShapeError(f"ndim=0 needs a scalar, but {where} has rows")
    array = decode(arrived(data, where))
    if ndim is None and pt.is_primitive(array.type):
        return [], array
    return split_levels(array, ndim, where)


def arrived(data: ArrowData, where: str) -> pa.Array:
    """Return one contiguous array that every kernel can read: `arrowjag._gate.secure` checks each chunk before concatenation."""
    if not isinstance(data, pa.ChunkedArray):
        return canonical_layout(secure(data, where))
    chunks = [canonical_layout(secure(chunk, where)) for chunk in data.chunks if len(chunk)]
    if chunks:
        return join(chunks)
    if data.num_chunks:  # it may know the categories of a dictionary
        return canonical_layout(secure(data.chunk(0), where))
    check_type(data.type, where)
    return pa.nulls(0, data.type)
