"""Transposition of ragged levels on their offsets: new shapes, and where every item goes.

Moved dims lie between a first and a last one, both included. Frames are the rows of the first; atoms are the items of the last and
take along all that is inside them. An atom has a frame and one coordinate a moved dim; moving dims reorders the coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import cut_rows, map_tasks
from arrowjag._kernels.base.offsets import from_counts, from_sizes, is_int32, parents, positions, row_sizes, runs
from arrowjag._kernels.move.gather import take_rows
from arrowjag._kernels.move.permutations import inverse
from arrowjag._kernels.order.sort import lexsort
from arrowjag._kernels.transpose.columns import by_column
from arrowjag._kernels.transpose.shear import rising, row_max, will_shear

__all__ = ["Permuted", "permute", "transpose", "will_shear"]

Offsets = Sequence[NDArray[np.int64]]
Extents = Sequence[int | None]


_Moved = tuple[list[NDArray[np.int64]], NDArray[np.int64], bool]
"""Offsets of the moved dims, the old atom of each new one, and whether it sheared."""

_Move = Callable[[Offsets, NDArray[np.bool_] | None], _Moved]
"""From the offsets of the moved dims and which frames are valid."""


class Permuted(NamedTuple):
    """A permuted shape, and where its rows and items come from."""

    offsets: list[NDArray[np.int64]]
    """Of every dim."""

    extents: list[int | None]
    """Declared sizes. They move with their dim, but for dims that come to stand behind an inner dim without one."""

    orders: list[NDArray[np.int64] | None]
    """For each dim the old row of each new row, and at the end the old item of each new item. None up to the first moved dim,
    where nothing moves, and for the rows between the moved dims, which are new."""

    sheared: bool
    """Whether some coordinate had to be renumbered to close a hole."""

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
    """Let dims a and b change places.

    Parameters
    ----------
    offsets : sequence of int64 arrays
        One for each dim; the first has one row.
    extents : sequence of int or None
        The declared size of each dim. Lists that hold nothing are kept where their dim declares its size, and vanish elsewhere.
    a, b : int
        Dims, a < b.
    frame_valid : (rows of dim a,) bool array, optional
        Null rows stay without items, whatever is declared.
    sheared : bool, optional
        `will_shear(offsets, a, b, "exact")`, where the caller knows it.

    Returns
    -------
    Permuted
        Where it shears, holes are closed: at each level what exists is renumbered in order.

    Notes
    -----
    O(items), by the first of these that fits: uniform dims by a transposed copy of a range; large frames of two neighbouring dims
    column by column, other neighbours by whole slices where dim b is declared, else by the number of the column; what does not
    shear without a sort; the rest by a radix sort. Source: fold.
    """
    order = [b, *range(a + 1, b), a]
    width = extents[b]

    @cache
    def even() -> list[int] | None:
        return _even_sizes(offsets, extents, a, b) if frame_valid is None else None

    def declared() -> bool:
        return bool(width) and frame_valid is None and _is_even(offsets[b], width or 0)

    def shears() -> bool:
        return will_shear(offsets, a, b, "exact") if sheared is None else sheared

    by = strategy.choose("transpose", even, b == a + 1, declared, shears, int(offsets[b][-1]))
    if by == "even":
        return _finish(offsets, extents, a, b, order, *_transpose_even(len(offsets[a]) - 1, even() or [], order, a), sheared=False)
    moves: dict[str, Callable[[], _Move]] = {
        "slices": lambda: partial(_transpose_columns, width or 0),
        "columns": lambda: partial(_transpose_neighbours, width),
        "radix": lambda: partial(_permute_sorted, _kept(extents, order), [d - a for d in order]),
        "exact": lambda: partial(_transpose_exact, _kept(extents, order)),
    }
    move = moves[by]()
    moved, atoms, sheared = _in_blocks(move, offsets[a : b + 1], frame_valid)
    return _finish(offsets, extents, a, b, order, moved, atoms, sheared=sheared)


def _in_blocks(move: _Move, levels: Offsets, frame_valid: NDArray[np.bool_] | None) -> _Moved:
    """Move the dims of blocks of frames, all cores at work, and stitch the results."""
    # Frames don't meet, and coordinates of a block of them stay in cache: 10M items in 100k frames
    # take 0.3 s of one core instead of 0.8.
    if levels[-1][-1] <= strategy.sizes.LARGE_FRAME:
        return move(levels, frame_valid)
    ends = levels[0]
    for level in levels[1:]:
        ends = level[ends]

    def work(block: tuple[int, int]) -> _Moved:
        first, last = block
        valid = None if frame_valid is None else frame_valid[first:last]
        parts, start, end = [], first, last
        for level in levels:
            parts.append(level[start : end + 1] - level[start])
            start, end = int(level[start]), int(level[end])
        is_large = strategy.choose("frame", len(parts), last - first, int(parts[-1][-1])) == "columns"
        moved, atoms, sheared = _by_column(parts[1]) if is_large else move(parts, valid)
        return moved, atoms + start if start else atoms, sheared

    done = map_tasks(work, _frame_blocks(ends))
    if len(done) == 1:
        return done[0]
    moved = [from_sizes(np.concatenate([np.diff(part[0][j]) for part in done])) for j in range(len(levels))]
    return moved, np.concatenate([atoms for _, atoms, _ in done]), any(sheared for _, _, sheared in done)


def _frame_blocks(ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Frames in blocks of about as many items, but large frames alone."""
    n_frames, n_items = len(ends) - 1, int(ends[-1])
    if n_items < strategy.sizes.WORD_VALUES:
        return [(0, n_frames)]
    cuts = [first for first, _ in cut_rows(ends, -(-n_items // strategy.sizes.WORD_VALUES))]
    large = np.flatnonzero(np.diff(ends) > strategy.sizes.LARGE_FRAME)
    return list(pairwise(np.unique([*cuts, *large, *(large + 1), n_frames]).tolist()))


def _by_column(rows: NDArray[np.int64]) -> _Moved:
    """One large frame of two dims. Whatever it declares: its columns are as many as its longest row has items."""
    columns, items = by_column(rows)
    sizes = np.diff(rows)
    return [np.array([0, len(columns) - 1]), columns], items, bool((sizes[1:] > sizes[:-1]).any())


def _is_even(offsets: NDArray[np.int64], size: int) -> bool:
    """Whether all rows have this size."""
    n_rows = len(offsets) - 1
    return int(offsets[-1]) == n_rows * size and bool((offsets[:-1] == np.arange(n_rows) * size).all())


def _even_sizes(offsets: Offsets, extents: Extents, a: int, b: int) -> list[int] | None:
    """The size of the rows of each moved dim, if every dim has one. Without atoms only declared sizes count."""
    if offsets[b][-1] == 0 and None in extents[a : b + 1]:
        return None
    sizes = []
    for d in range(a, b + 1):
        n_rows, n_items = len(offsets[d]) - 1, int(offsets[d][-1])
        declared = extents[d]
        size = declared if declared is not None else (n_items // n_rows if n_rows and n_items else -1)
        if size < 0 or not _is_even(offsets[d], size):
            return None
        sizes.append(size)
    return sizes


def _transpose_even(
    n_frames: int, sizes: list[int], order: Sequence[int], first: int
) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    # Of uniform dims coordinates are never written down: numpy copies a transposed view of a range: 1.2 ns an item instead of 14.
    new = [d - first for d in order]
    moved, n_rows = [], n_frames
    for size in (sizes[d] for d in new):
        moved.append(np.arange(n_rows + 1) * size)
        n_rows *= size
    atoms = np.arange(n_rows).reshape(n_frames, *sizes).transpose(0, *(d + 1 for d in new))
    return moved, np.ascontiguousarray(atoms).reshape(-1)


def _transpose_columns(width: int, levels: Offsets, _: NDArray[np.bool_] | None) -> _Moved:
    """Slices of one declared width: column c of a frame becomes its row c."""
    # Every item of a column lies one width behind the one before it, so ranges of rows times the width are all there is to compute:
    # 4 ms for 1M items where the coordinates of the exact way need 14.
    n_frames = len(levels[0]) - 1
    inner, rows = take_rows(levels[0], np.repeat(np.arange(n_frames), width))
    rows *= width
    rows += np.repeat(np.tile(np.arange(width), n_frames), np.diff(inner))
    return [np.arange(n_frames + 1) * width, inner], rows, False


def _transpose_neighbours(width: int | None, levels: Offsets, frame_valid: NDArray[np.bool_] | None) -> _Moved:
    """Two neighbouring dims: a frame has as many columns as its longest row has items, or as are declared."""
    # Columns are numbered through, so that the numbers of a block mostly fit 16 bits and one round sorts them, whatever a frame is
    # like; counting them gives the sizes. 100 items take 15 microseconds where coordinates need 100.
    outer, inner = levels
    sizes = row_sizes(inner)
    columns = row_max(sizes, outer) if width is None else _declared_sizes(width, len(outer) - 1, frame_valid)
    heads = from_sizes(columns)
    column = runs(heads[:-1].repeat(row_sizes(outer)), inner)
    counts = np.bincount(column, minlength=int(heads[-1]))
    return [heads, from_counts(counts)], _radix_order(column), bool(np.count_nonzero(rising(sizes, outer)))


def _transpose_exact(kept: list[int | None], levels: Offsets, frame_valid: NDArray[np.bool_] | None) -> _Moved:
    # Without shear the first slice and the first sibling hold all coordinates that occur. One atom for each child has zeros in what
    # comes behind it, so counting those atoms gives the sizes, and no sort is needed: 14 ms for 1M items instead of 25.
    node, (i_a, *between, i_b) = _coordinates(levels)
    keys = [i_b, *between]
    n_nodes, moved = len(levels[0]) - 1, []
    for j, key in enumerate(keys):
        size = kept[j]
        if size is None:
            sizes = np.bincount(node[np.logical_and.reduce([later == 0 for later in (i_a, *keys[j + 1 :])])], minlength=n_nodes)
        else:
            sizes = _declared_sizes(size, n_nodes, frame_valid if j == 0 else None)
        moved.append(from_sizes(sizes))
        node = moved[-1][node] + key
        n_nodes = int(moved[-1][-1])
    moved.append(from_sizes(np.bincount(node, minlength=n_nodes)))
    return moved, inverse(moved[-1][node] + i_a), False


def _declared_sizes(size: int, n_rows: int, valid: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    sizes = np.full(n_rows, size, np.int64)
    if valid is not None:
        sizes[~valid] = 0
    return sizes


def _coordinates(levels: Offsets) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """The frame of each atom, and its place in each of the moved dims; in 32 bits where those hold them."""
    places = [_narrow(positions(levels[-1]), levels)]
    node = parents(levels[-1])
    for level in levels[-2::-1]:
        places.append(_at(_narrow(positions(level), levels), node))
        node = _at(parents(level), node)
    return node, places[::-1]


def _narrow(data: NDArray[np.int64], levels: Offsets) -> NDArray[Any]:
    return data.astype(np.int32) if all(map(is_int32, levels)) else data


def _at(data: NDArray[Any], index: NDArray[Any]) -> NDArray[Any]:
    # pyarrow takes by 32-bit numbers at the speed of memcpy, numpy makes 64-bit ones of them first: 2.5 ms for 5M instead of 13.
    taken: NDArray[Any] = (
        data[index]
        if strategy.choose("take", len(index)) == "small"
        else pc.take(pa.array(data), pa.array(index), boundscheck=False).to_numpy()
    )
    return taken


# -------------------------------------------------------------------------------------------------------------- permute


def permute(offsets: Offsets, extents: Extents, axes: Sequence[int], *, frame_valid: NDArray[np.bool_] | None = None) -> Permuted:
    """Bring the dims into another order; holes that appear are closed.

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
        return Permuted(list(offsets), list(extents), [None] * (len(offsets) + 1), sheared=False)
    first, last = changed[0], changed[-1]
    order = list(axes[first : last + 1])
    if last == first + 1:
        return transpose(offsets, extents, first, last, frame_valid=frame_valid)
    even = _even_sizes(offsets, extents, first, last)
    if even is not None and frame_valid is None:
        moved, atoms = _transpose_even(len(offsets[first]) - 1, even, order, first)
        return _finish(offsets, extents, first, last, order, moved, atoms, sheared=False)
    move = partial(_permute_sorted, _kept(extents, order), [d - first for d in order])
    moved, atoms, sheared = _in_blocks(move, offsets[first : last + 1], frame_valid)
    return _finish(offsets, extents, first, last, order, moved, atoms, sheared=sheared)


def _permute_sorted(kept: list[int | None], order: Sequence[int], levels: Offsets, frame_valid: NDArray[np.bool_] | None) -> _Moved:
    frames, places = _coordinates(levels)
    keys = [places[d] for d in order]
    n_frames = len(levels[0]) - 1
    n_keys = len(order) - 1  # the last dims that follow one another as before are in order when the sort, being stable, leaves them
    while n_keys and order[n_keys - 1] < order[n_keys]:
        n_keys -= 1
    atoms = _sorted_atoms(frames, n_frames, keys[:n_keys])
    moved, sheared = _levels(frames, keys, atoms, kept, n_frames, frame_valid)
    return moved, atoms, sheared


def _sorted_atoms(frames: NDArray[Any], n_frames: int, keys: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The order of the atoms by frame and keys; stable."""
    n_values = [int(key.max(initial=0)) + 1 for key in keys]
    if math.prod(n_values, start=max(n_frames, 1)) >= 2**63:
        return lexsort([(frames, None), *((key, None) for key in keys)], np.array([0, len(frames)]))
    narrow = math.prod(n_values, start=max(n_frames, 1)) < 2**31 and all(one.dtype == np.int32 for one in (frames, *keys))
    code: NDArray[Any] = frames.astype(np.int32 if narrow else np.int64)
    for key, n in zip(keys, n_values, strict=True):
        code *= n
        code += key
    return _radix_order(code)


def _radix_order(code: NDArray[Any]) -> NDArray[np.int64]:
    # Coordinates are small, so 16 bits at a time from the least are one or two rounds of numpy's radix sort: 1M codes of 25 bits
    # need 31 ms, where np.argsort(kind="stable") takes 92.
    n_bits = max(1, int(code.max(initial=0)).bit_length())
    order = _digit_order(code, 0, n_bits)
    for shift in range(16, n_bits, 16):
        order = order[_digit_order(_at(code, order), shift, n_bits)]
    return order


def _digit_order(code: NDArray[Any], shift: int, n_bits: int) -> NDArray[np.int64]:
    digit = (code >> shift if shift else code).astype(np.uint8 if n_bits - shift <= 8 else np.uint16)
    if strategy.choose("digits", len(code), n_bits - shift) == "radix":
        return digit.argsort(kind="stable")
    counted: NDArray[np.int64] = pc.array_sort_indices(pa.array(digit)).to_numpy().view(np.int64)
    return counted


def _kept(extents: Extents, order: Sequence[int]) -> list[int | None]:
    """The sizes that moved dims go on declaring, in their new order: an undeclared inner dim before one of them makes holes."""
    if [extents[d] for d in order].count(None) == len(order):
        return [None] * len(order)
    return [
        None if any(extents[q] is None for q in (d, *(q for q in order[:j] if q > d))) else extents[d] for j, d in enumerate(order)
    ]


def _levels(
    frames: NDArray[Any],
    keys: Sequence[NDArray[np.int64]],
    atoms: NDArray[np.int64],
    kept: list[int | None],
    n_frames: int,
    frame_valid: NDArray[np.bool_] | None,
) -> tuple[list[NDArray[np.int64]], bool]:
    """Offsets of the moved dims, and whether any coordinate was renumbered."""
    begins = np.zeros(len(atoms), np.bool_)  # where an atom begins another node than the one before it has
    begins[:1] = True
    if n_frames > 1:
        node = _at(frames, atoms)
        np.not_equal(node[1:], node[:-1], out=begins[1:])
    heads = np.flatnonzero(begins)
    nodes, n_nodes, sheared = frames[atoms[heads]].astype(np.int64), n_frames, False
    moved = []
    for j, key in enumerate(keys[:-1]):
        place, above = _at(key, atoms), begins.copy()
        begins[1:] |= place[1:] != place[:-1]
        heads = np.flatnonzero(begins)
        owner = nodes[np.cumsum(above[heads]) - 1]
        present = from_sizes(np.bincount(owner, minlength=n_nodes))
        sheared = sheared or bool((positions(present) != place[heads]).any())
        size = kept[j]
        if size is None:
            nodes = np.arange(len(heads))
        else:
            present = from_sizes(_declared_sizes(size, n_nodes, frame_valid if j == 0 else None))
            nodes = present[owner] + place[heads]
        moved.append(present)
        n_nodes = int(present[-1])
    sizes = np.zeros(n_nodes, np.int64)
    sizes[nodes] = np.diff(heads, append=len(atoms))
    moved.append(from_sizes(sizes))
    sheared = sheared or bool((positions(moved[-1]) != _at(keys[-1], atoms)).any())
    return moved, sheared


def _finish(
    offsets: Offsets,
    extents: Extents,
    first: int,
    last: int,
    order: Sequence[int],
    moved: list[NDArray[np.int64]],
    atoms: NDArray[np.int64],
    *,
    sheared: bool,
) -> Permuted:
    """Put the dims together again; those inside the atoms go where their atom goes."""
    kept = _kept(extents, order)
    if kept[-1] is not None and not _is_even(moved[-1], kept[-1]):
        kept[-1] = None  # items under a null row between the moved dims were lost
    new_offsets = [*offsets[:first], *moved]
    orders: list[NDArray[np.int64] | None] = [None] * (last + 1)
    orders.append(atoms)
    for d in range(last + 1, len(offsets)):
        inner, atoms = take_rows(offsets[d], atoms)
        new_offsets.append(inner)
        orders.append(atoms)
    return Permuted(new_offsets, [*extents[:first], *kept, *extents[last + 1 :]], orders, sheared)
