"""Convert arguments to dims that fit each other, and compute the sizes of a placeholder in a reshape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arrowjag import dims as _dims
from arrowjag._arguments import flat_numbers
from arrowjag._integers import integer, is_int, item_count
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.monotonic import all_neighbours, bincount_sorted
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagTypeError, ShapeError, brief, plural
from arrowjag.typing import IntArray

if TYPE_CHECKING:
    from arrowjag.shape import JaggedShape

__all__ = [
    "chain",
    "check_depth",
    "check_levels",
    "check_range",
    "clamp",
    "count_parents",
    "is_placeholder",
    "merge",
    "without_placeholder",
]


def chain(specs: Sequence[Any], *, repeat_lists: bool) -> tuple[Dim, ...]:
    """Convert arguments to dims that fit each other."""
    dims: list[Dim] = []
    n = 1
    if specs:
        _check_first(specs[0])
    for place, spec in enumerate(specs):
        try:
            dim = _fit(spec, n, repeat_lists)
        except (ShapeError, JagTypeError) as error:
            raise type(error)(f"dim {place}: {error}") from None
        dims.append(dim)
        n = dim.size
    return tuple(dims)


def _check_first(spec: Any) -> None:
    """Refuse a shape of numpy such as ``(2, 3)`` as the first dim, which has one row: the pattern would mean 3 rows of 2 items."""
    if isinstance(spec, tuple) and len(spec) == 2 and is_int(spec[0]) and is_int(spec[1]) and spec[1] != 1:
        size, n = map(int, spec)
        raise ShapeError(
            f"dim 0: the pattern ({size}, {n}) stands for {plural(n, 'row')} of {plural(size, 'item')}, but dim 0 has one row; "
            f"write {size}, {n} without the tuple for {plural(size, 'row')} of {plural(n, 'item')}"
        )


def _fit(spec: Any, n: int, repeat_lists: bool) -> Dim:
    """One dim with exactly `n` rows."""
    if type(spec) is int and spec >= 0:
        return Uniform(spec, n)
    dim = spec if isinstance(spec, Dim) else _dims.to_dim(spec)
    if len(dim) == n:
        return dim
    if repeat_lists or _dims.is_pattern(spec):
        return dim.stretched(n)
    raise ShapeError(f"{plural(len(dim), 'row size')} for {plural(n, 'row')}; a plain list must be complete, a pattern repeats")


def check_levels(dims: Sequence[Dim], given: Callable[[Dim], str], error: type[ShapeError]) -> None:
    """Raise unless each dim has as many rows as the one before has items; `given` returns the text of what was given for a dim."""
    rows = 1
    for place, dim in enumerate(dims):
        if len(dim) != rows:
            above = f"dim {place - 1} has {plural(rows, 'item')}" if place else "dim 0 has one row"
            raise error(f"dim {place}: {given(dim)}, but {above}")
        rows = dim.size


def count_parents(parents: Any, n_parents: int, place: int) -> IntArray:
    n_parents = item_count(n_parents, f"dim {place}: the number of rows")
    found = flat_numbers(parents, f"dim {place}: parents")
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        got = found.dtype if found.ndim == 1 else brief(parents)
        raise JagTypeError(f"dim {place}: parents must be a flat sequence of integers, got {got}")
    if not all_neighbours(np.greater_equal, found):
        falls = found[1:] < found[:-1]
        item = int(falls.argmax()) + 1
        got = f"{found[item]} for item {item} after {found[item - 1]}"
        raise ShapeError(f"dim {place}: parents must not decrease, got {got}; sort the items by owner")
    if len(found) and not 0 <= int(found[0]) <= int(found[-1]) < n_parents:  # sorted, so the first and last item suffice
        item = 0 if found[0] < 0 else int(np.searchsorted(found, n_parents))
        raise ShapeError(f"dim {place}: parents go from 0 to {n_parents - 1}, got {found[item]} for item {item}")
    return bincount_sorted(found, n_parents)


def merge(dims: Sequence[Dim]) -> Dim:
    """Several dims as one; offsets of the inner are looked up at those of the outer."""
    if all(isinstance(dim, Uniform) for dim in dims):
        return Uniform(dims[-1].size // max(len(dims[0]), 1), len(dims[0]), declared=False)
    if len(dims[0]) == 1 and dims[0].validity is None:
        return Uniform._frame(dims[-1].size)
    cut = dims[0].offsets
    for dim in dims[1:]:
        cut = _cut_below(cut, dim)
    return Ragged.from_offsets(cut, validity=dims[0].validity, check=False)


def _cut_below(cut: IntArray, dim: Dim) -> IntArray:
    """The offsets of a dim at some of its rows; those of all rows are computed only where most are needed, or kept anyway."""
    if isinstance(dim, Uniform):
        return cut * dim.offset_of(min(1, len(dim)))
    if isinstance(dim, Ragged) or len(cut) > strategy.sizes.CUT_ROWS:
        return _offsets.compose(cut, dim.offsets)
    return np.array([dim.offset_of(row) for row in cut.tolist()], np.int64)


def check_depth(depth: Any, ndim: int) -> None:
    """Refuse a number of dims that a shape does not have."""
    if not 0 <= integer(depth, "the number of dims") <= ndim:
        raise ShapeError(f"the number of dims must be from 0 to {ndim}, got {brief(depth)}")


def check_range(first: Any, last: Any, ndim: int) -> None:
    """Refuse a range of dims that is empty, or not within a shape."""
    if not 0 <= integer(first, "the first dim") < integer(last, "the last dim") <= ndim:
        raise ShapeError(f"dims must satisfy 0 <= first < last <= {ndim}, got {brief(first)} and {brief(last)}")


def clamp(dim: int, ndim: int) -> int:
    place = integer(dim, "a dim")
    return max(0, place + ndim) if place < 0 else min(place, ndim)


def is_placeholder(spec: Any) -> bool:
    return is_int(spec) and spec == -1


def without_placeholder(old: JaggedShape, dims: tuple[Any, ...]) -> tuple[Any, ...]:
    places = [place for place, spec in enumerate(dims) if is_placeholder(spec)]
    if len(places) > 1:
        raise ShapeError(f"reshape takes at most one -1, got {len(places)}")
    if not places:
        return dims
    place = places[0]
    before = chain(dims[:place], repeat_lists=False)
    parents = before[-1].size if before else 1
    after = _rows_after(old.size, dims[place + 1 :], place + 1)
    size, rest = divmod(after, parents) if parents else (0, 0)
    if rest:
        raise ShapeError(f"reshape of {old!r}: at dim {place}, {plural(parents, 'row')} can't share {plural(after, 'item')} evenly")
    return (*before, Uniform(size, parents, declared=False), *dims[place + 1 :])


def _rows_after(total: int, dims: tuple[Any, ...], start: int) -> int:
    """Number of rows that the dims after a placeholder need, found from the innermost outward."""
    rows = total
    for place in reversed(range(len(dims))):
        spec = dims[place]
        if is_int(spec):
            if spec <= 0:
                raise ShapeError(f"reshape: dim {start + place} after a -1 must be a positive size, got {spec}")
            rows //= int(spec)
            continue
        dim = _dims.to_dim(spec)
        rows = _pattern_rows(dim, rows) if _dims.is_pattern(spec) else len(dim)
    return rows


def _pattern_rows(dim: Dim, items: int) -> int:
    """Rows of a pattern repeated until it holds `items`."""
    if dim.size == 0 or items % dim.size:
        return len(dim)
    return len(dim) * (items // dim.size)
