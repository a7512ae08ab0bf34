"""Operations from dims to a dim; a regular result gets a regular encoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arrowjag._arguments import several
from arrowjag._integers import is_int
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.words import or_all
from arrowjag._kernels.move import gather
from arrowjag.dims import _regularity
from arrowjag.dims._base import Dim
from arrowjag.dims._inputs import mask_array
from arrowjag.dims._nested import Chain, Repeat, Runs, Sparse, as_part
from arrowjag.dims._plain import Affine, Ragged, Uniform, check_rows
from arrowjag.errors import JagTypeError, ShapeError, brief, plural
from arrowjag.typing import IntArray


def plain(sizes: IntArray) -> Ragged:
    """Checked sizes as a dim."""
    return Ragged.from_offsets(_offsets.from_sizes(sizes), check=False)


# --------------------------------------------------------------------------------------------------- equality, slices


def same(left: Dim, right: Dim) -> bool:
    """Whether two dims of equal length and total have equal sizes; from the parameters where the encodings agree."""
    if isinstance(left, Chain):
        return _same_parts(left.parts, right)
    if isinstance(right, Chain):
        return _same_parts(right.parts, left)
    if isinstance(left, Affine) and isinstance(right, Affine):
        return (left[0], left[1]) == (right[0], right[1])
    if isinstance(left, Repeat) and isinstance(right, Repeat) and len(left.unit) == len(right.unit):
        return left.unit == right.unit
    if isinstance(left, Sparse) and isinstance(right, Sparse):
        mine, theirs = (_regularity.merged_runs(*dim._runs()) for dim in (left, right))
        return np.array_equal(mine[0], theirs[0]) and np.array_equal(mine[1], theirs[1])
    if isinstance(left, Runs) and isinstance(right, Runs) and left.reps == right.reps:
        return left.values == right.values
    if isinstance(left, Ragged) and isinstance(right, Ragged):  # their offsets are cached
        starts = range(0, len(left) + 1, strategy.sizes.DIM_BLOCK)
        return all(
            bool((left.offsets[row:][: strategy.sizes.DIM_BLOCK] == right.offsets[row:][: strategy.sizes.DIM_BLOCK]).all())
            for row in starts
        )
    return all(bool((left._block(row) == right._block(row)).all()) for row in range(0, len(left), strategy.sizes.DIM_BLOCK))


def _same_parts(parts: Sequence[Dim], other: Dim) -> bool:
    row = 0
    for part in parts:
        if part != other._slice(row, row + len(part)):
            return False
        row += len(part)
    return True


def take_step(dim: Dim, rows: slice) -> Dim:
    """A slice with a step, backwards too."""
    start, stop, step = rows.indices(len(dim))
    n = len(range(start, stop, step))
    if n == 0:
        return dim._slice(0, 0)
    if isinstance(dim, Uniform):
        return dim.stretched(n)
    if isinstance(dim, Affine):
        return Affine(dim[start], n, (dim[start + step] - dim[start]) if n > 1 else 0)
    last = start + step * (n - 1)
    first, end = min(start, last), max(start, last)
    sizes = dim._slice(first, end + 1).sizes[::step]
    mask = None if dim.validity is None else dim.validity[first : end + 1][::step]
    return _with_rows(plain(sizes), mask, dim.extent)


# --------------------------------------------------------------------------------------------------- validity, extent


def _with_rows(dim: Dim, mask: Any, extent: int | None) -> Dim:
    """A dim with the null rows and the extent of the one it was made from; both are known to fit."""
    if mask is not None and not mask.all():
        return Ragged.from_offsets(dim.offsets, validity=mask, extent=extent, check=False)
    if extent is not None:
        return Uniform(extent, len(dim))
    return dim


def with_validity(dim: Dim, mask: Any) -> Dim:
    """Return the same sizes with other null rows."""
    found = None if mask is None else mask_array(mask, len(dim))
    if found is not None and found.all():
        found = None
    if found is None and dim.validity is None:
        return dim
    check_rows(dim.sizes, found, dim.extent)
    return _with_rows(Ragged.from_offsets(dim.offsets, check=False), found, dim.extent)


def with_extent(dim: Dim, extent: int | None) -> Dim:
    """Return the same sizes with another declared extent."""
    if extent == dim.extent:
        return dim
    if dim.validity is not None:
        check_rows(dim.sizes, dim.validity, extent)
        return Ragged.from_offsets(dim.offsets, validity=dim.validity, extent=extent, check=False)
    if extent is None:
        return Uniform(dim.extent or 0, len(dim), declared=False)
    if len(dim) and not (dim.is_uniform and dim[0] == extent):
        check_rows(dim.sizes, None, extent)
    return Uniform(extent, len(dim))


# --------------------------------------------------------------------------------------------------- longer dims


def _equal_rows(dim: Dim, n: int) -> Uniform:
    """Rows like those of a dim that is uniform by type or by encoding."""
    return Uniform(dim._at(0) if dim.extent is None else dim.extent, n, declared=dim.extent is not None)


def repeat(dim: Dim, times: int) -> Dim:
    """Concatenate a dim with itself."""
    if times == 1 or len(dim) == 0:
        return dim
    if times == 0:
        return dim._slice(0, 0)
    if isinstance(dim, Uniform) or (dim.extent is not None and dim.validity is None):
        return _equal_rows(dim, len(dim) * times)
    if dim.validity is None:
        return Repeat(dim, times)
    bare = Repeat(Ragged.from_offsets(dim.offsets, check=False), times)
    return _with_rows(bare, np.tile(dim.validity, times), dim.extent)


def stretched(dim: Dim, n: int) -> Dim:
    """The dim repeated to fill n rows."""
    if n == len(dim):
        return dim
    if isinstance(dim, Uniform) and (len(dim) or dim.extent is not None):
        return _equal_rows(dim, n)
    if len(dim) == 0:
        raise ShapeError(f"an empty dim can't fill {plural(n, 'row')}")
    if n % len(dim):
        raise ShapeError(f"{plural(len(dim), 'size')} can't repeat a whole number of times to fill {plural(n, 'row')}")
    return repeat(dim, n // len(dim))


def concat(dims: Sequence[Dim]) -> Dim:
    """Concatenate dims.

    Parameters
    ----------
    dims : sequence of Dim
        The parts, any number.

    Returns
    -------
    Dim
        Regular dims that continue each other stay regular; others become a `Chain`, lists one list. Null rows are
        kept; an extent is declared if all parts declare the same. Cost: O(parts) for regular dims, O(rows) for lists
        and null rows.

    Notes
    -----
    Corresponds to fold's `concat_dims`.

    Examples
    --------
    >>> from arrowjag.dims import concat
    >>> from arrowjag.dims import Ragged, Uniform
    >>> concat([Uniform(3, 2), Uniform(4)])
    Runs([3, 4], [2, 1])
    """
    dims = _checked(dims)
    extents = {dim.extent for dim in dims}
    extent = extents.pop() if len(extents) == 1 else None
    if any(dim.validity is not None for dim in dims):
        masks = [or_all(dim.validity, len(dim)) for dim in dims]
        sizes = np.concatenate([dim.sizes for dim in dims])
        return _with_rows(Ragged(sizes), np.concatenate(masks), extent)
    if extent is not None:
        return Uniform(extent, sum(map(len, dims)))
    parts = [dim.with_extent(None) for dim in dims if len(dim)]
    if len(parts) > 2 and all(isinstance(part, Ragged) for part in parts):
        return Ragged(np.concatenate([part.sizes for part in parts]))
    joined: list[Dim] = []
    for part in parts:
        both = _join(joined[-1], part) if joined else None
        if both is None:
            joined.append(part)
        else:
            joined[-1] = both
    if not joined:
        return Uniform(0, 0, declared=False)
    return joined[0] if len(joined) == 1 else Chain(joined)


def _checked(dims: Any) -> list[Dim]:
    """Return the parts of a concatenation as a list; raise for anything that is not a dim."""
    parts = several(dims, "concat takes a list of dims")
    other = [one for one in parts if not isinstance(one, Dim)]
    if other:
        raise JagTypeError(
            f"concat takes dims, got {brief(other[0])} of type {type(other[0]).__name__}; to_dim converts sizes to a dim"
        )
    return parts


def _join(left: Dim, right: Dim) -> Dim | None:
    """Concatenate two dims to a regular dim; None if only a chain can represent them."""
    if isinstance(left, Uniform) and isinstance(right, Uniform):
        return _join_uniform(left, right)
    if isinstance(left, Uniform) and len(right) == 1 and left[0] == right[0]:
        return Uniform(left[0], len(left) + 1, declared=False)
    if isinstance(left, Repeat):
        unit, times = (right.unit, right.times) if isinstance(right, Repeat) else (right, 1)
        return Repeat(left.unit, left.times + times) if left.unit == unit else None
    line = _join_affine(left, right)
    if line is not None:
        return line
    if type(left) is type(right) and len(left) > 1 and left == right:
        return Repeat(left, 2)
    if all(isinstance(dim, Ragged) or len(dim) == 1 for dim in (left, right)):
        return Ragged(np.concatenate([left.sizes, right.sizes]))
    return _join_runs(left, right)


def _join_uniform(left: Uniform, right: Uniform) -> Dim:
    if left[0] == right[0]:
        return Uniform(left[0], len(left) + len(right), declared=False)
    if len(left) == len(right) == 1:
        return Ragged([left[0], right[0]])
    return Runs([left[0], right[0]], [len(left), len(right)])


def _join_affine(left: Dim, right: Dim) -> Dim | None:
    """Concatenate affine dims: two of one step, or one and the single size before or after it."""
    if not all(isinstance(dim, Affine) or len(dim) == 1 for dim in (left, right)):
        return None
    steps = {dim[1] - dim[0] for dim in (left, right) if len(dim) > 1}
    if len(steps) != 1 or right[0] - left[-1] not in steps:
        return None
    return Affine(left[0], len(left) + len(right), steps.pop())


def _join_runs(left: Dim, right: Dim) -> Dim | None:
    """Extend runs at one end; None if they are long."""
    both = (left, right)
    if not all(isinstance(dim, Uniform) or _is_short(dim) for dim in both):
        return None
    runs = [dim._runs() for dim in both]
    values, lengths = _regularity.merged_runs(*(np.concatenate(column) for column in zip(*runs, strict=True)))
    return Runs(Ragged(values), Ragged(lengths))


def _is_short(dim: Dim) -> bool:
    return isinstance(dim, Runs) and len(dim.values) <= strategy.sizes.JOINED_RUNS


def spread(dim: Dim, reps: Any, part: Any) -> Dim:
    """Repeat each row, or each group of rows."""
    groups = None if part is None else _groups(dim, part, "spread")
    rows = len(dim) if groups is None else len(groups)
    times = as_part(reps, "spread")
    times = times.stretched(rows) if is_int(reps) else times
    if len(times) != rows:
        raise ShapeError(f"spread: {plural(len(times), 'repetition')} for {plural(rows, 'row' if groups is None else 'group')}")
    if groups is not None:
        starts, sizes = groups.offsets[:-1][times.parents], groups.sizes[times.parents]
        return _taken(dim, gather.ranges(starts, sizes))
    if dim.validity is not None:
        return _taken(dim, times.parents)
    if isinstance(dim, Uniform) or dim.extent is not None:
        return _equal_rows(dim, times.size)
    return Runs(dim.values, times.fold(dim.reps)) if isinstance(dim, Runs) else Runs(dim, times)


def _taken(dim: Dim, rows: Any) -> Dim:
    """The given rows, with their validity."""
    mask = None if dim.validity is None else dim.validity[rows]
    return _with_rows(Ragged(dim.sizes[rows]), mask, dim.extent)


def _groups(dim: Dim, part: Any, operation: str) -> Dim:
    """Sizes of groups that cut the rows of a dim."""
    groups = part if isinstance(part, Dim) else as_part(part, operation)
    if groups.size != len(dim):
        raise ShapeError(f"{operation}: the groups {groups!r} have {plural(groups.size, 'row')} in all, but there are {len(dim)}")
    return groups


# --------------------------------------------------------------------------------------------------- shorter dims


def fold(dim: Dim, part: Any) -> Dim:
    """Sums of groups of rows."""
    groups = _groups(dim, part, "fold")
    mask = groups.validity
    bare = groups if mask is None else Ragged.from_offsets(groups.offsets, check=False)
    found = dim._fold(bare)
    if found is None:
        found = Ragged.from_offsets(_offsets.compose(bare.offsets, dim.offsets), check=False)
    return _with_rows(found, mask, None)


def compressed(dim: Dim) -> Dim:
    """The canonical encoding."""
    if dim.validity is not None:
        return dim
    return _canonical(dim) if dim.extent is None else Uniform(dim.extent, len(dim))


def _canonical(dim: Dim) -> Dim:
    if len(dim) == 0:
        return Uniform(0, 0, declared=False)
    if dim.is_uniform:
        return Uniform(dim[0], len(dim), declared=False)
    if isinstance(dim, Affine) and len(dim) > 2:
        return dim
    if isinstance(dim, Repeat):
        unit = _canonical(dim.unit)
        return unit if dim.times == 1 else Repeat(unit, dim.times)
    found = _of_runs(_regularity.merged_runs(*dim._runs()))
    return dim if isinstance(found, Ragged) and isinstance(dim, Ragged) else found


def _of_runs(runs: _regularity.Runs) -> Dim:
    """The canonical encoding of runs; at least one row."""
    values, lengths = runs
    n = int(lengths.sum())
    if len(values) == 1:
        return Uniform(int(values[0]), n, declared=False)
    step = _regularity.slope(runs)
    if step is not None:
        return Affine(int(values[0]), n, step)
    piece = _regularity.period(runs)
    if piece < n:
        return Repeat(_of_runs(_regularity.head(runs, piece)), n // piece)
    if 4 * len(values) <= n:
        return Runs(_of_runs(_regularity.runs_of(values)), _of_runs(_regularity.runs_of(lengths)))
    sizes = np.repeat(values, lengths)
    rows = np.flatnonzero(sizes)
    return Sparse._trusted(rows, sizes[rows], n) if 4 * len(rows) <= n else plain(sizes)
