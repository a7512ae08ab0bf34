"""Swapped and permuted dims, from the results of the transpose kernel."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from arrowjag._integers import integer
from arrowjag._kernels import transpose as _transpose
from arrowjag.dims import Dim, Ragged
from arrowjag.errors import JagIndexError, ShapeError, brief, plural
from arrowjag.typing import IntArray, ShearMode

if TYPE_CHECKING:
    from arrowjag.shape import JaggedShape

__all__ = ["pair_of_axes", "reorder", "swap"]

Moved: TypeAlias = "tuple[tuple[Dim, ...], IntArray | None]"
Extents: TypeAlias = "tuple[int | None, ...]"


def pair_of_axes(a: int, b: int, ndim: int, operation: str = "transpose") -> tuple[int, int]:
    """Two dims in order, negative ones counted from the innermost."""
    for axis in (integer(a, f"{operation}: a"), integer(b, f"{operation}: b")):
        if not -ndim <= axis < ndim:
            raise JagIndexError(f"{operation}: dim {brief(axis)} is out of range for {plural(ndim, 'dim')}")
    first, last = sorted((int(a) % ndim, int(b) % ndim))
    return first, last


def swap(shape: JaggedShape, a: int, b: int, shear: ShearMode) -> Moved:
    """Swap two dims; also return the old position of each new item, or None if no item moves."""
    first, last = pair_of_axes(a, b, shape.ndim)
    if first == last:
        return shape.dims, None
    if shear == "raise" and shape.transpose_will_shear(first, last):
        raise ShapeError(
            f"transpose of dims {first} and {last} of {shape!r} will shear: {_longer_row(shape, first, last)}, so its items "
            f'would leave holes. Sort rows by size first, or close the holes with shear="allow".'
        )
    valid = shape.dims[first].validity
    sheared = None if shear == "allow" else False
    extents = shape.extents
    moved = _transpose.transpose(shape.offsets, extents, first, last, frame_valid=valid, sheared=sheared)
    return _permuted(shape, moved, _declared_after_swap(extents, first, last) if first else (), first, last)


def _longer_row(shape: JaggedShape, first: int, last: int) -> str:
    """Say which row of a dim is longer than the one before it; between other dims more than two rows may be compared."""
    if last > first + 1:
        return "a row is longer than the one before it"
    sizes = shape.dims[last].sizes
    row = int(_transpose.rising(sizes, shape.dims[first].offsets).argmax())
    longer = f"dim {last}, row {row} has {plural(int(sizes[row]), 'item')}"
    return f"{longer} and is longer than the one before it, of {int(sizes[row - 1])}"


def reorder(shape: JaggedShape, axes: tuple[int, ...], shear: ShearMode) -> Moved:
    """Reorder the dims; also return the old position of each new item, or None if no item moves."""
    changed = [place for place, axis in enumerate(axes) if place != axis]
    if not changed:
        return shape.dims, None
    valid = shape.dims[changed[0]].validity
    extents = shape.extents
    moved = _transpose.permute(shape.offsets, extents, axes, frame_valid=valid)
    if shear == "raise" and moved.sheared:
        raise ShapeError(f'permute of {shape!r} to {axes} will shear. Close the holes with shear="allow".')
    declared = _declared_after_permute(extents, axes) if changed[0] else ()
    return _permuted(shape, moved, declared, changed[0], changed[-1])


@lru_cache(maxsize=256)
def _declared_after_swap(extents: Extents, first: int, last: int) -> Extents:
    """Return the extents after a move of inner dims. They depend on types alone, so a move without data determines them."""
    return tuple(_transpose.transpose(_no_rows(len(extents)), extents, first, last).extents)


@lru_cache(maxsize=256)
def _declared_after_permute(extents: Extents, axes: tuple[int, ...]) -> Extents:
    return tuple(_transpose.permute(_no_rows(len(extents)), extents, axes).extents)


def _no_rows(ndim: int) -> list[IntArray]:
    """Offsets of a type without data."""
    return [np.zeros(1 if place else 2, np.int64) for place in range(ndim)]


def _permuted(shape: JaggedShape, moved: _transpose.Permuted, declared: Extents, first: int, last: int) -> Moved:
    own = shape.dims
    dims = list(own[:first])
    for place in range(first, len(own)):
        extent = moved.extents[place]
        if first and extent != declared[place]:
            raise ShapeError(
                f"transpose of {shape!r}: a null row between the moved dims has no items, but dim {place} of the result is "
                f"declared to have {declared[place]}. Fill null rows first, or cast the column to ragged dims."
            )
        validity = own[place].validity if place == first or place > last else None
        if validity is not None and (order := moved.orders[place]) is not None:
            validity = validity[order]
        dims.append(Ragged.from_offsets(moved.offsets[place], validity=validity, extent=extent, check=False))
    return tuple(dims), moved.take
