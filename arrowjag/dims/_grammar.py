"""Convert arguments such as ints, lists and tuples to dims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag._arguments import flag
from arrowjag._integers import is_int
from arrowjag.dims._base import Dim
from arrowjag.dims._nested import Chain, Repeat, Runs, Sparse
from arrowjag.dims._plain import Affine, Ragged, Uniform
from arrowjag.errors import JagTypeError, ShapeError, brief, type_name

_PARTS = (Dim, tuple, list, range, Mapping, np.ndarray, pa.Array, pa.ChunkedArray)


def to_dim(spec: Any, *, literal_repeats: bool = False) -> Dim:
    """Convert an argument to a dim.

    Parameters
    ----------
    spec : int, Dim, sizes or pattern
        An int is a `Uniform` of one row. A list, numpy or Arrow array of ints is a `Ragged`. Three ints in a tuple
        are an `Affine` (start, n, step), two ints a `Uniform` (size, n), ``(dim, int)`` a `Repeat`, ``(dim, dim)`` a
        `Runs`; a dict is a `Sparse`, a range an `Affine`, a list that holds one of these a `Chain`.
    literal_repeats : bool
        Whether plain sizes become a pattern too: a `Repeat` of one piece, which a shape repeats to fill its level.

    Returns
    -------
    Dim
        A `Dim` is returned unchanged.

    Raises
    ------
    JagTypeError
        If the argument is of another type; bool and float are invalid everywhere.
    ShapeError
        If a size is negative or the total overflows.

    Notes
    -----
    The notation of tuples, ranges and dicts is fold's.

    Examples
    --------
    >>> from arrowjag.dims import to_dim
    >>> to_dim((1, 5, 1))
    Affine(1, 5, 1)
    >>> to_dim(([5, 7, 3], (4, 3)))
    Runs([5, 7, 3], 4)
    >>> to_dim({1: 2, 3: 1}).tolist()
    [0, 2, 0, 1]
    """
    repeats = flag(literal_repeats, "to_dim: literal_repeats")
    if isinstance(spec, Dim):
        return spec
    if is_int(spec):
        return Uniform(int(spec))
    if isinstance(spec, tuple):
        return _from_tuple(spec)
    if isinstance(spec, range):
        return _from_range(spec)
    if isinstance(spec, Mapping):
        return Sparse(spec)
    if _holds_pattern(spec):
        try:
            return Chain([part if is_int(part) else to_dim(part) for part in spec])
        except RecursionError:
            raise ShapeError("a pattern is nested too deep; does a list contain itself?") from None
    if spec is None or isinstance(spec, (bool, float, str, bytes)) or not _is_listlike(spec):
        raise JagTypeError(
            f"a dim must be an int, a list of sizes, a Dim or a pattern, got {brief(spec)} of type {type_name(spec)}"
        )
    return Repeat(Ragged(spec), 1) if repeats else Ragged(spec)


def is_pattern(spec: Any) -> bool:
    """Return whether a shape repeats a dim to fill its level.

    Parameters
    ----------
    spec : object
        As for `to_dim`.

    Returns
    -------
    bool
        True for ints, tuples, ranges, dicts, lists with one of these or a list inside, and every `Dim` but `Ragged`;
        False for plain sizes, which must be complete.

    Examples
    --------
    >>> from arrowjag.dims import is_pattern
    >>> is_pattern((1, 5, 1)), is_pattern([1, 2])
    (True, False)
    """
    if isinstance(spec, Dim):
        return not isinstance(spec, Ragged)
    return is_int(spec) or isinstance(spec, (tuple, range, Mapping)) or _holds_pattern(spec)


def from_offsets(offsets: Any) -> Dim:
    """Return a dim from offsets, which are always checked.

    Parameters
    ----------
    offsets : (n_rows + 1,) array-like of int
        From 0, never decreasing. A read-only int64 array is shared, a writable one is copied.

    Returns
    -------
    Dim
        A `Ragged`. Cost: O(rows) for the check.

    Raises
    ------
    OffsetsError
        If the offsets don't start at 0 or decrease; the message names the position and both values.
    JagTypeError
        If they are not integers.

    Examples
    --------
    >>> from arrowjag.dims import from_offsets
    >>> from_offsets([0, 2, 3])
    Ragged([2, 1])
    """
    return Ragged.from_offsets(offsets)


def _is_listlike(spec: Any) -> bool:
    return any(hasattr(spec, name) for name in ("__iter__", "__array__", "__arrow_c_array__", "__arrow_c_stream__"))


def _holds_pattern(spec: Any) -> bool:
    return isinstance(spec, list) and any(issubclass(kind, _PARTS) for kind in set(map(type, spec)))


def _from_tuple(spec: tuple[Any, ...]) -> Dim:
    ints = [is_int(entry) for entry in spec]
    if ints == [True, True, True]:
        return Affine(*spec)
    if ints == [True, True]:
        return Uniform(*spec)
    if ints == [False, True]:
        return Repeat(to_dim(spec[0]), spec[1])
    if ints == [False, False]:
        return Runs(to_dim(spec[0]), to_dim(spec[1]))
    raise JagTypeError(
        f"a tuple is a pattern: (start, n, step), (size, n), (dim, n) or (dim, reps), got {brief(spec)}; write sizes as a list"
    )


def _from_range(spec: range) -> Dim:
    n = len(spec)
    if n == 0:
        return Uniform(0, 0, declared=False)
    if n == 1:
        return Uniform(spec[0], declared=False)
    if min(spec[0], spec[-1]) < 0:
        raise ShapeError(f"{spec} has negative numbers; sizes must be at least 0")
    return Affine(spec.start, n, spec.step)


__all__ = ["from_offsets", "is_pattern", "to_dim"]
