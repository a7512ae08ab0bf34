"""Which dims of a shape a dense array pads, and how far."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arrowjag._column import Column
from arrowjag._integers import integer, item_count
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import ShapeError, brief
from arrowjag.shape import JaggedShape
from arrowjag.typing import IntArray

__all__ = [
    "Layout",
    "check_size",
    "extent_of",
    "inner_width",
    "layout_of",
    "levels",
    "max_sizes",
    "natural_size",
    "pack",
]


class Layout(NamedTuple):
    """Split of a shape's dims in a dense array: rows, padded levels, and inner dense dims, which are never padded."""

    rows: int
    levels: tuple[Dim, ...]
    inner: tuple[int, ...]

    @property
    def nodes(self) -> int:
        """Number of items above the inner dense dims."""
        return self.levels[-1].size if self.levels else self.rows

    @property
    def offsets(self) -> list[IntArray]:
        """Offsets of the padded levels, outermost first."""
        return [dim.offsets for dim in self.levels]


def levels(shape: JaggedShape) -> int:
    """Count the padded dims: all after the rows, except trailing dims of declared extent."""
    n = shape.ndim
    while n > 1 and shape.dims[n - 1].extent is not None:
        n -= 1
    return max(n - 1, 0)


def layout_of(shape: JaggedShape) -> Layout:
    """Split the dims of a shape; a declared dim counts as padded if it or an inner dim has null rows, whose cells need a fill."""
    structure.check_rows(shape.ndim, "padding")
    n = levels(shape)
    for place in range(n + 1, shape.ndim):
        if shape.dims[place].validity is not None:
            n = place
    return Layout(shape.nodes(1), shape.dims[1 : n + 1], tuple(extent_of(dim) for dim in shape.dims[n + 1 :]))


def extent_of(dim: Dim) -> int:
    """Return the declared extent of a dim that has one."""
    assert dim.extent is not None
    return int(dim.extent)


def natural_size(dim: Dim) -> int:
    """Return the default size of a level: its declared extent, or that of its longest row."""
    return extent_of(dim) if dim.extent is not None else int(dim.max()) if len(dim) else 0


def max_sizes(column: Column) -> tuple[int, ...]:
    """Return the length of the longest row per level."""
    structure.check_rows(column.ndim, "max_sizes")
    return tuple(natural_size(dim) for dim in column.shape.dims[1 : levels(column.shape) + 1])


def inner_width(column: Column) -> int:
    """Return the greatest common divisor of the innermost row sizes: the largest width that `pack` accepts."""
    if column.ndim < 2:
        raise ShapeError(f"inner needs rows of leaves, got {column.shape!r}")
    last = column.shape.dims[-1]
    if last.extent is not None:
        return extent_of(last)
    return int(np.gcd.reduce(np.unique(last.sizes))) or 1


def pack(column: Column, width: int | None) -> Column:
    """Split innermost rows into items of `width` leaves; adds a declared last dim."""
    common = inner_width(column)
    width = common if width is None else check_size(width, "pack", "width")
    last = column.shape.dims[-1]
    if width == 0 or common % width:
        raise ShapeError(
            f"pack: row sizes of {column.shape!r} have the common divisor {common}, so they can't be split into items of {width}"
        )
    extent = None if last.extent is None else extent_of(last) // width
    outer = Ragged.from_offsets(last.offsets // width, validity=last.validity, extent=extent, check=False)
    return Column(JaggedShape._trusted((*column.shape.dims[:-1], outer, Uniform(width, outer.size))), column.values)


def check_size(value: Any, operation: str, name: str) -> int:
    """Return an argument that is a size; raise if it is no integer, or negative."""
    size = integer(value, f"{operation}: {name}")
    if size < 0:
        raise ShapeError(f"{operation}: {name} must not be negative, got {brief(size)}")
    return item_count(size, f"{operation}: {name}")
