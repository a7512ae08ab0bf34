"""Transposition of ragged levels on their offsets: who shears, and where every item goes.

Moved dims lie between a first and a last one, both included. Frames are the rows of the first; atoms are the items of the last, and
take along all that is inside them. An atom has a frame and one coordinate a moved dim; moving dims means new places for coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels.gather import take_rows
from arrowjag._kernels.offsets import from_sizes, parents, positions
from arrowjag._kernels.sort import inverse, lexsort
from arrowjag.errors import JagValueError

__all__ = ["Permuted", "permute", "transpose", "will_shear"]

Offsets = Sequence[NDArray[np.int64]]
Extents = Sequence[int | None]


class Permuted(NamedTuple):
    """A permuted shape, and where its rows and items come from."""

    offsets: list[NDArray[np.int64]]
    """Of every dim."""

    extents: list[int | None]
    """Declared sizes. They move with their dim, but for dims that come to stand behind an inner dim without one."""

    orders: list[NDArray[np.int64] | None]
    """For each dim the old row of each new row, and behind that the old item of each new item. None up to the first moved dim, where
    nothing moves, and for the rows between the moved dims, which are new."""

    sheared: bool
    """Whether some coordinate had to be renumbered to close a hole."""

    @property
    def take(self) -> NDArray[np.int64]:
        """The old item of each new item, a permutation."""
        items = self.orders[-1]
        return np.arange(self.offsets[-1][-1]) if items is None else items


# ---------------------------------------------------------------------------------------------------------------- shear


def will_shear(offsets: Offsets, a: int, b: int, rule: Literal["fold", "exact"] = "fold") -> bool:
    """Whether dims a and b can't change places without closing holes.

    Parameters
    ----------
    offsets : sequence of int64 arrays
        One for each dim.
    a, b : int
        Dims, a <= b.
    rule : "fold" or "exact"
        "exact" tells whether holes appear; "fold" also refuses dims between a and b whose reach rises in any slice.

    Returns
    -------
    bool

    Raises
    ------
    JagValueError
        An unknown rule.

    Notes
    -----
    O(rows of dims a to b); the items are not looked at. Source: fold.
    """
    if rule not in ("fold", "exact"):
        raise JagValueError(f'transpose: expected rule "fold" or "exact", got {rule!r}.')
    return a != b and (_reach_rises(offsets, a, b, first_slice=rule == "exact") or not _slices_shrink(offsets, a, b))


def _reach_rises(offsets: Offsets, a: int, b: int, *, first_slice: bool) -> bool:
    """Whether among siblings between a and b one reaches further than the one before it; reach: the longest row of dim b below it."""
    reach = np.diff(offsets[b])
    looked_at = _below_first_slices(offsets, a, b) if first_slice else None
    for d in range(b - 1, a, -1):
        rises = np.zeros(len(reach), np.bool_)
        np.greater(reach[1:], reach[:-1], out=rises[1:])
        rises[offsets[d][:-1][np.diff(offsets[d]) > 0]] = False  # the first of its siblings
        if looked_at is not None:
            rises &= looked_at[d + 1]
        if rises.any():
            return True
        reach = _row_max(reach, offsets[d])
    return False


def _below_first_slices(offsets: Offsets, a: int, b: int) -> dict[int, NDArray[np.bool_]]:
    """For each level between a and b, which nodes lie in the first slice of their frame."""
    level = positions(offsets[a]) == 0
    found = {a + 1: level}
    for d in range(a + 1, b):
        level = np.repeat(level, np.diff(offsets[d]))
        found[d + 1] = level
    return found


def _row_max(data: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    result = np.zeros(len(offsets) - 1, np.int64)
    filled = offsets[1:] > offsets[:-1]
    if len(data):
        result[filled] = np.maximum.reduceat(data, offsets[:-1][filled])
    return result


def _slices_shrink(offsets: Offsets, a: int, b: int) -> bool:
    """Whether each slice of a frame holds, at the same coordinates, no more than the slice before it."""
    twin = np.arange(-1, int(offsets[a][-1]) - 1)  # the node with the same coordinates in the slice before; -1: none
    heads = offsets[a][:-1][np.diff(offsets[a]) > 0]
    twin[heads] = -1
    is_first = np.zeros(len(twin), np.bool_)
    is_first[heads] = True
    for d in range(a + 1, b):
        owner, place = parents(offsets[d]), positions(offsets[d])
        above = twin[owner]
        twin = np.where((above >= 0) & (place < np.diff(offsets[d])[above]), offsets[d][above] + place, -1)
        is_first = is_first[owner]
    sizes = np.diff(offsets[b])
    grows = (twin < 0) | (sizes[twin] < sizes) if len(sizes) else np.zeros(0, np.bool_)
    return not bool((grows & (sizes > 0) & ~is_first).any())


# ------------------------------------------------------------------------------------------------------------ transpose


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
    O(items), by the first of these that fits: uniform dims by a transposed copy of a range; a declared dim b by whole slices; what
    does not shear without a sort; the rest by a radix sort. Source: fold.
    """
    order = [b, *range(a + 1, b), a]
    even = _even_sizes(offsets, extents, a, b)
    if even is not None and frame_valid is None:
        return _finish(offsets, extents, a, b, order, *_transpose_even(len(offsets[a]) - 1, even, order, a), sheared=False)
    sheared = will_shear(offsets, a, b, "exact") if sheared is None else sheared
    if sheared:
        return permute(offsets, extents, _swapped(len(offsets), a, b), frame_valid=frame_valid)
    width = extents[b]
    if b == a + 1 and width and frame_valid is None and _is_even(offsets[b], width):
        moved, atoms = _transpose_columns(offsets[a], width)
    else:
        moved, atoms = _transpose_exact(offsets, _kept(extents, a, order), a, b, frame_valid)
    return _finish(offsets, extents, a, b, order, moved, atoms, sheared=False)


def _swapped(ndim: int, a: int, b: int) -> list[int]:
    axes = list(range(ndim))
    axes[a], axes[b] = b, a
    return axes


def _is_even(offsets: NDArray[np.int64], size: int) -> bool:
    """Whether all rows have this size."""
    n_rows = len(offsets) - 1
    return int(offsets[-1]) == n_rows * size and bool((offsets[:-1] == np.arange(n_rows) * size).all())


def _even_sizes(offsets: Offsets, extents: Extents, a: int, b: int) -> list[int] | None:
    """The size of the rows of each moved dim, if every dim has one. Without items only declared sizes count."""
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
    # Of uniform dims the coordinates are never written down: numpy copies a transposed view of a range, 3 ns an item instead of 40.
    new = [d - first for d in order]
    moved, n_rows = [], n_frames
    for size in (sizes[d] for d in new):
        moved.append(np.arange(n_rows + 1) * size)
        n_rows *= size
    atoms = np.arange(n_rows).reshape(n_frames, *sizes).transpose(0, *(d + 1 for d in new))
    return moved, np.ascontiguousarray(atoms).reshape(-1)


def _transpose_columns(outer: NDArray[np.int64], width: int) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """Slices of one declared width: column c of a frame becomes its row c."""
    # Every item of a column lies one width behind the one before it, so ranges of rows times the width are all there is to compute:
    # 13 ms for 1M items where the coordinates of the exact way need 35.
    n_frames = len(outer) - 1
    inner, rows = take_rows(outer, np.repeat(np.arange(n_frames), width))
    rows *= width
    rows += np.repeat(np.tile(np.arange(width), n_frames), np.diff(inner))
    return [np.arange(n_frames + 1) * width, inner], rows


def _transpose_exact(
    offsets: Offsets, kept: list[int | None], a: int, b: int, frame_valid: NDArray[np.bool_] | None
) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    # Without shear the first slice and the first sibling hold all coordinates that occur. One atom for each child has zeros in what
    # comes behind it, so counting those atoms gives the sizes, and no sort is needed: 35 ms for 1M items instead of 60.
    node, (i_a, *between, i_b) = _coordinates(offsets, a, b)
    keys = [i_b, *between]
    n_nodes, moved = len(offsets[a]) - 1, []
    for j, key in enumerate(keys):
        size = kept[j]
        if size is None:
            counted = np.logical_and.reduce(
                [later == 0 for later in (i_a, *keys[j + 1 :])] if j else [i_a == 0, *(g == 0 for g in between)]
            )
            sizes = np.bincount(node[counted], minlength=n_nodes)
        else:
            sizes = _declared_sizes(size, n_nodes, frame_valid if j == 0 else None)
        moved.append(from_sizes(sizes))
        node = moved[-1][node] + key
        n_nodes = int(moved[-1][-1])
    moved.append(from_sizes(np.bincount(node, minlength=n_nodes)))
    return moved, inverse(moved[-1][node] + i_a)


def _declared_sizes(size: int, n_rows: int, valid: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    sizes = np.full(n_rows, size, np.int64)
    if valid is not None:
        sizes[~valid] = 0
    return sizes


def _coordinates(offsets: Offsets, first: int, last: int) -> tuple[NDArray[Any], list[NDArray[np.int64]]]:
    """The frame of each atom, and its place in each of the moved dims."""
    places = [positions(offsets[last])]
    node = parents(offsets[last])
    for d in range(last - 1, first - 1, -1):
        places.append(positions(offsets[d])[node])
        node = parents(offsets[d])[node]
    return node, places[::-1]


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
    even = _even_sizes(offsets, extents, first, last)
    if even is not None and frame_valid is None:
        moved, atoms = _transpose_even(len(offsets[first]) - 1, even, order, first)
        return _finish(offsets, extents, first, last, order, moved, atoms, sheared=False)
    frames, places = _coordinates(offsets, first, last)
    keys = [places[d - first] for d in order]
    atoms = _sorted_atoms(frames, len(offsets[first]) - 1, keys)
    moved, sheared = _levels(frames, keys, atoms, _kept(extents, first, order), len(offsets[first]) - 1, frame_valid)
    return _finish(offsets, extents, first, last, order, moved, atoms, sheared=sheared)


def _sorted_atoms(frames: NDArray[Any], n_frames: int, keys: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The order of the atoms by frame and keys; stable."""
    n_values = [int(key.max(initial=0)) + 1 for key in keys]
    if math.prod(n_values, start=max(n_frames, 1)) >= 2**63:
        return lexsort([(frames, None), *((key, None) for key in keys)], np.array([0, len(frames)]))
    code = frames.astype(np.int64)
    for key, n in zip(keys, n_values, strict=True):
        code *= n
        code += key
    return _radix_order(code)


def _radix_order(code: NDArray[np.int64]) -> NDArray[np.int64]:
    # Coordinates are small, so 16 bits at a time from the least are two or three rounds; pyarrow sorts 16 bits by counting, stable.
    # 1M codes of 25 bits: 14 ms, where np.argsort(kind="stable") takes 90.
    order: NDArray[np.int64] | None = None
    for shift in range(0, max(1, int(code.max(initial=0)).bit_length()), 16):
        digits = ((code if order is None else code[order]) >> shift).astype(np.uint16)
        step = pc.array_sort_indices(pa.array(digits)).to_numpy().view(np.int64)
        order = step if order is None else order[step]
    return np.zeros(0, np.int64) if order is None else order


def _kept(extents: Extents, first: int, order: Sequence[int]) -> list[int | None]:
    """The sizes that moved dims go on declaring, in their new order: where an inner dim that declares none comes to stand before a
    dim, some of its rows may lack items."""
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
    node, n_nodes, sheared = frames[atoms].astype(np.int64), n_frames, False
    moved = []
    for j, key in enumerate(keys):
        place = key[atoms]
        begins = np.ones(len(atoms), np.bool_)
        begins[1:] = (node[1:] != node[:-1]) | (place[1:] != place[:-1])
        present = from_sizes(np.bincount(node[begins], minlength=n_nodes))
        child = np.cumsum(begins) - 1
        sheared = sheared or bool((child - present[node] != place).any())
        size = kept[j]
        if size is None or j == len(keys) - 1:
            moved.append(present)
        else:
            moved.append(from_sizes(_declared_sizes(size, n_nodes, frame_valid if j == 0 else None)))
            child = moved[-1][node] + place
        node, n_nodes = child, int(moved[-1][-1])
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
    kept = _kept(extents, first, order)
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
