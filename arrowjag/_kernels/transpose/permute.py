"""Transposition of ragged levels on their offsets: new shapes, where every item goes, and whether levels shear.

Moved dims lie between a first and a last one, both included. Frames are the rows of the first; atoms are the items of the last and
take along all that is inside them. An atom has a frame and one coordinate per moved dim; moving dims reorders the coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import cut_rows, map_tasks
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import from_sizes, parents, positions, row_sizes
from arrowjag._kernels.move.gather import take_rows
from arrowjag._kernels.transpose import coordinates
from arrowjag._kernels.transpose import even as _even
from arrowjag._kernels.transpose.coordinates import Extents, Move, Moved, Offsets, Shears, never, rising, row_max
from arrowjag.typing import ShearRule

__all__ = ["Permuted", "permute", "transpose", "will_shear"]


class Permuted(NamedTuple):
    """A permuted shape, and where its rows and items come from."""

    offsets: list[NDArray[np.int64]]
    """Of every dim."""

    extents: list[int | None]
    """Declared extents. They move with their dim, except for dims that end up behind an inner dim without a declared extent."""

    orders: list[NDArray[np.int64] | None]
    """For each dim the old row of each new row, and at the end the old item of each new item. None up to the first moved dim,
    where nothing moves, and for the rows between the moved dims, which are new."""

    shears: Shears
    """Returns whether some coordinate had to be renumbered to close a hole."""

    @property
    def sheared(self) -> bool:
        """Whether any coordinate had to be renumbered; each access computes it."""
        return self.shears()

    @property
    def take(self) -> NDArray[np.int64]:
        """The old item of each new item, a permutation."""
        items = self.orders[-1]
        return np.arange(self.offsets[-1][-1]) if items is None else items


def transpose(
    offsets: Offsets,
    extents: Extents,
    a: int,
    b: int,
    *,
    frame_valid: NDArray[np.bool_] | None = None,
    sheared: bool | None = None,
) -> Permuted:
    """Swap dims a and b.

    Parameters
    ----------
    offsets : sequence of int64 arrays
        One for each dim; the first has one row.
    extents : sequence of int or None
        The declared extent of each dim. Lists that hold nothing are kept where their dim declares its size, and vanish elsewhere.
    a, b : int
        Dims, a < b.
    frame_valid : (rows of dim a,) bool array, optional
        Null rows stay without items, whatever is declared.
    sheared : bool, optional
        `will_shear(offsets, a, b, "exact")`, where the caller knows it.

    Returns
    -------
    Permuted
        If it shears, holes are closed: the items of each level are renumbered in order.

    Notes
    -----
    O(items), by the first of these that fits: uniform dims by a transposed copy of a range; large frames of two neighbouring dims
    column by column, other neighbours by whole slices where dim b is declared, else by the number of the column; shapes that do
    not shear without a sort; the rest by a radix sort. Source: fold.
    """
    order = [b, *range(a + 1, b), a]
    width = extents[b]

    known: list[list[int] | None] = []

    def even() -> list[int] | None:
        if not known:
            known.append(_even_sizes(offsets, extents, a, b) if frame_valid is None else None)
        return known[0]

    def declared() -> bool:
        return bool(width) and frame_valid is None and _even.is_even(offsets[b], width or 0)

    def shears() -> bool:
        return will_shear(offsets, a, b, "exact") if sheared is None else sheared

    by = strategy.choose("transpose", even, b == a + 1, declared, shears, int(offsets[b][-1]))
    if by == "even":
        return _finish(offsets, extents, a, b, order, *_even.even(len(offsets[a]) - 1, even() or [], order, a), never)
    move: Move
    if by == "columns":
        move = partial(coordinates.neighbours, width)
    elif by == "slices":
        move = partial(coordinates.slices, width or 0)
    elif by == "radix":
        move = partial(coordinates.radix, _kept(extents, order), [d - a for d in order])
    else:
        move = partial(coordinates.exact, _kept(extents, order))
    return _finish(offsets, extents, a, b, order, *_in_blocks(move, offsets[a : b + 1], frame_valid))


def _in_blocks(move: Move, levels: Offsets, frame_valid: NDArray[np.bool_] | None) -> Moved:
    """Permute blocks of frames on all cores, and concatenate the results."""
    # Items stay in their frame, and the coordinates of a block of frames stay in cache: 10M items in 100k frames
    # take 0.3 s of one core instead of 0.8.
    if levels[-1][-1] <= strategy.sizes.LARGE_FRAME:
        return move(levels, frame_valid)
    ends = levels[0]
    for level in levels[1:]:
        ends = level[ends]

    def work(block: tuple[int, int]) -> Moved:
        first, last = block
        valid = None if frame_valid is None else frame_valid[first:last]
        parts, start, end = [], first, last
        for level in levels:
            parts.append(level[start : end + 1] - level[start])
            start, end = int(level[start]), int(level[end])
        is_large = strategy.choose("frame", len(parts), last - first, int(parts[-1][-1])) == "columns"
        moved, found, shears = coordinates.one_frame(parts[1]) if is_large else move(parts, valid)
        if len(blocks) == 1:
            return moved, found, shears
        np.add(found, start, out=atoms[start:end])
        return [row_sizes(part) for part in moved], atoms, shears

    blocks = _frame_blocks(ends)
    atoms = empty(int(ends[-1]) if len(blocks) > 1 else 0, np.int64)
    done = map_tasks(work, blocks)
    if len(done) == 1:
        return done[0]
    moved = [from_sizes(np.concatenate([part[0][j] for part in done])) for j in range(len(levels))]
    return moved, atoms, lambda: any(shears() for _, _, shears in done)


def _frame_blocks(ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut frames into blocks of about the same number of items; a large frame is a block of its own."""
    n_frames, n_items = len(ends) - 1, int(ends[-1])
    if n_items < strategy.sizes.PASS_VALUES:
        return [(0, n_frames)]
    cuts = [first for first, _ in cut_rows(ends, -(-n_items // strategy.sizes.PASS_VALUES))]
    large = np.flatnonzero(np.diff(ends) > strategy.sizes.LARGE_FRAME)
    return list(pairwise(np.unique([*cuts, *large, *(large + 1), n_frames]).tolist()))


def _even_sizes(offsets: Offsets, extents: Extents, a: int, b: int) -> list[int] | None:
    """Return the size of the rows of each moved dim, if each dim has one. Without atoms only declared extents count."""
    if offsets[b][-1] == 0 and None in extents[a : b + 1]:
        return None
    sizes = []
    for d in range(a, b + 1):
        n_rows, n_items = len(offsets[d]) - 1, int(offsets[d][-1])
        declared = extents[d]
        size = declared if declared is not None else (n_items // n_rows if n_rows and n_items else -1)
        if size < 0 or not _even.is_even(offsets[d], size):
            return None
        sizes.append(size)
    return sizes


# -------------------------------------------------------------------------------------------------------------- permute


def permute(offsets: Offsets, extents: Extents, axes: Sequence[int], *, frame_valid: NDArray[np.bool_] | None = None) -> Permuted:
    """Bring the dims into another order, and close the holes that appear.

    Parameters
    ----------
    offsets, extents
        As for `transpose`.
    axes : sequence of int
        The old dim of each new one: a permutation of all dims.
    frame_valid : bool array, optional
        Of the rows of the first dim that moves.

    Returns
    -------
    Permuted

    Notes
    -----
    O(items) for each 16 bits of the number of frames times the sizes of the moved dims. Source: fold.
    """
    changed = [k for k, axis in enumerate(axes) if k != axis]
    if not changed:
        return Permuted(list(offsets), list(extents), [None] * (len(offsets) + 1), never)
    first, last = changed[0], changed[-1]
    order = list(axes[first : last + 1])
    if last == first + 1:
        return transpose(offsets, extents, first, last, frame_valid=frame_valid)
    even = _even_sizes(offsets, extents, first, last)
    if even is not None and frame_valid is None:
        moved, atoms = _even.even(len(offsets[first]) - 1, even, order, first)
        return _finish(offsets, extents, first, last, order, moved, atoms, never)
    move = partial(coordinates.radix, _kept(extents, order), [d - first for d in order])
    return _finish(offsets, extents, first, last, order, *_in_blocks(move, offsets[first : last + 1], frame_valid))


def _kept(extents: Extents, order: Sequence[int]) -> list[int | None]:
    """Return the sizes that moved dims still declare in their new order: an undeclared inner dim before one of them makes holes."""
    if [extents[d] for d in order].count(None) == len(order):
        return [None] * len(order)
    return [
        None if any(extents[q] is None for q in (d, *(q for q in order[:j] if q > d))) else extents[d] for j, d in enumerate(order)
    ]


def _finish(
    offsets: Offsets,
    extents: Extents,
    first: int,
    last: int,
    order: Sequence[int],
    moved: list[NDArray[np.int64]],
    atoms: NDArray[np.int64],
    shears: Shears,
) -> Permuted:
    """Assemble the dims of the result; dims inside the atoms are moved along with their atom."""
    kept = _kept(extents, order)
    if kept[-1] is not None and not _even.is_even(moved[-1], kept[-1]):
        kept[-1] = None  # null rows between the moved dims have no items, so rows differ in size
    new_offsets = [*offsets[:first], *moved]
    orders: list[NDArray[np.int64] | None] = [None] * (last + 1)
    orders.append(atoms)
    for d in range(last + 1, len(offsets)):
        inner, atoms = take_rows(offsets[d], atoms)
        new_offsets.append(inner)
        orders.append(atoms)
    return Permuted(new_offsets, [*extents[:first], *kept, *extents[last + 1 :]], orders, shears)


def will_shear(offsets: Offsets, a: int, b: int, rule: ShearRule = "fold") -> bool:
    """Return whether swapping dims a and b has to close holes.

    Parameters
    ----------
    offsets : sequence of int64 arrays
        One for each dim.
    a, b : int
        Dims, a <= b.
    rule : "fold" or "exact"
        "exact": whether holes appear. "fold": also if, in any slice, the longest row of dim b below an item between these dims is
        longer than that below the item before.

    Returns
    -------
    bool

    Notes
    -----
    O(rows of dims a to b); the items are not looked at. Source: fold.
    """
    return a != b and (_reach_rises(offsets, a, b, first_slice=rule == "exact") or not _slices_shrink(offsets, a, b))


def _reach_rises(offsets: Offsets, a: int, b: int, *, first_slice: bool) -> bool:
    """Return whether an item between dims a and b has a longer row of dim b below it than the item before it in its row."""
    reach = row_sizes(offsets[b])
    looked_at = _below_first_slices(offsets, a, b) if first_slice else None
    for d in range(b - 1, a, -1):
        rises = rising(reach, offsets[d])
        if looked_at is not None:
            rises &= looked_at[d + 1]
        if rises.any():
            return True
        reach = row_max(reach, offsets[d])
    return False


def _below_first_slices(offsets: Offsets, a: int, b: int) -> dict[int, NDArray[np.bool_]]:
    """Flag, for each dim between a and b, the rows in the first slice of their frame."""
    level = positions(offsets[a]) == 0
    found = {a + 1: level}
    for d in range(a + 1, b):
        level = np.repeat(level, row_sizes(offsets[d]))
        found[d + 1] = level
    return found


def _slices_shrink(offsets: Offsets, a: int, b: int) -> bool:
    """Return whether each slice of a frame holds, at the same coordinates, no more items than the slice before it."""
    if b == a + 1:  # in this case slices are rows: 1M of them take 7 ms instead of 28
        return not rising(row_sizes(offsets[b]), offsets[a]).any()
    twin = np.arange(-1, int(offsets[a][-1]) - 1)  # the row with the same coordinates in the previous slice; -1 if there is none
    heads = offsets[a][:-1][row_sizes(offsets[a]) > 0]
    twin[heads] = -1
    is_first = np.zeros(len(twin), np.bool_)
    is_first[heads] = True
    for d in range(a + 1, b):
        owner, place = parents(offsets[d]), positions(offsets[d])
        above = twin[owner]
        twin = np.where((above >= 0) & (place < row_sizes(offsets[d])[above]), offsets[d][above] + place, -1)
        is_first = is_first[owner]
    sizes = row_sizes(offsets[b])
    grows = (twin < 0) | (sizes[twin] < sizes) if len(sizes) else np.zeros(0, np.bool_)
    return not bool((grows & (sizes > 0) & ~is_first).any())
