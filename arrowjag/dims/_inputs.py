"""Convert sizes, offsets and masks of callers to checked arrays."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from arrowjag._arguments import flat_numbers, several
from arrowjag._gate.capsules import import_data
from arrowjag._integers import is_int
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.extremes import least
from arrowjag.errors import JagOverflowError, JagTypeError, ShapeError, brief, plural, type_name
from arrowjag.typing import ArrowData, BoolArray, IntArray, SupportsArrowArray, SupportsArrowStream

Array = TypeVar("Array", bound="np.ndarray[Any, Any]")

LIMIT = 2**63 - 1
"""Largest size, length and total: offsets are int64."""


def as_int(value: object, what: str) -> int:
    """Return an integer that fits int64, or raise an error that names the argument."""
    if not is_int(value):
        raise JagTypeError(f"{what} must be an int, got {brief(value)} of type {type_name(value)}")
    if not -LIMIT <= value <= LIMIT:
        raise ShapeError(f"integer overflow: {what} is {brief(value)}, the largest is {LIMIT}")
    return int(value)


def as_count(value: object, what: str) -> int:
    """An integer from 0 up: a size, a length, a number of repetitions."""
    if type(value) is int and 0 <= value <= LIMIT:
        return value
    number = as_int(value, what)
    if number < 0:
        raise ShapeError(f"{what} must be at least 0, got {brief(number)}")
    return number


def checked_total(total: int, what: str) -> int:
    """Return the total, or raise if it does not fit an offset."""
    if total > LIMIT:
        raise ShapeError(f"integer overflow: {what} has {total} items in all, the most are {LIMIT}")
    return total


def int_array(values: Any, what: str) -> IntArray:
    """One-dimensional int64 from lists, numpy, Arrow or ranges; shared where it is int64 already."""
    if isinstance(values, np.ndarray):
        return _from_numpy(values, what)
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _from_arrow(values, what)
    if isinstance(values, range):
        return np.arange(values.start, values.stop, values.step, dtype=np.int64)
    if isinstance(values, (SupportsArrowArray, SupportsArrowStream)):
        try:
            foreign = import_data(values, what)
        except pa.ArrowException as error:
            raise JagTypeError(f"{what}s must be integers, got {brief(values)}: {error}") from None
        return _from_arrow(foreign, what)
    if hasattr(values, "__array__"):
        return _from_numpy(np.asarray(values), what)
    if isinstance(values, (str, bytes, Mapping, AbstractSet)):
        raise JagTypeError(f"{what}s must be integers, got {brief(values)} of type {type(values).__name__}")
    return _from_list(several(values, f"{what}s must be integers"), what)


def _from_numpy(values: np.ndarray[Any, Any], what: str) -> IntArray:
    if values.ndim != 1:
        raise JagTypeError(f"{what}s must have one dimension, got an array of shape {values.shape}")
    if values.dtype.kind == "O":
        return _from_list(values.tolist(), what)
    if values.dtype.kind not in "iu":
        raise JagTypeError(f"{what}s must be integers, got dtype {values.dtype}")
    if values.dtype.kind == "u" and values.dtype.itemsize == 8 and len(values) and int(values.max()) > LIMIT:
        place = int(np.flatnonzero(values > LIMIT)[0])
        raise ShapeError(f"integer overflow: {what} at position {place} is {brief(values[place])}, the largest is {LIMIT}")
    return np.ascontiguousarray(values, dtype=np.int64)


def _from_arrow(values: ArrowData, what: str) -> IntArray:
    if pa.types.is_null(values.type) and len(values) == 0:
        return np.empty(0, np.int64)
    if values.null_count:
        place = int(np.flatnonzero(np.asarray(values.is_null()))[0])
        raise JagTypeError(f"{what} at position {place} is null; {what}s must be integers without nulls")
    if not pa.types.is_integer(values.type):
        raise JagTypeError(f"{what}s must be integers, got Arrow type {values.type}")
    flat = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return _from_numpy(flat.to_numpy(zero_copy_only=False), what)


def _from_list(values: list[Any], what: str) -> IntArray:
    if not all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in set(map(type, values))):
        place = next(place for place, value in enumerate(values) if not is_int(value))
        found = values[place]
        raise JagTypeError(f"{what} at position {place} must be an int, got {brief(found)} of type {type(found).__name__}")
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        place = next(place for place, value in enumerate(values) if not -LIMIT <= value <= LIMIT)
        raise ShapeError(
            f"integer overflow: {what} at position {place} is {brief(values[place])}, the largest is {LIMIT}"
        ) from None


def size_array(values: Any, what: str = "size") -> IntArray:
    """Row sizes: integers from 0 up; the first negative one is named by its row."""
    sizes = int_array(values, what)
    if len(sizes) and least(sizes) < 0:
        row = int(np.flatnonzero(sizes < 0)[0])
        raise ShapeError(f"{what} at position {row} is {sizes[row]}; {what}s must be at least 0")
    return sizes


def offsets_of(sizes: IntArray) -> IntArray:
    """Offsets of checked sizes; a total that does not fit is a ShapeError."""
    try:
        return _offsets.from_sizes(sizes)
    except JagOverflowError as error:
        raise ShapeError(str(error)) from None


def mask_array(mask: Any, n_rows: int) -> BoolArray:
    """Return one bool per row, read-only; a copy where the caller can write to the array."""
    if isinstance(mask, (pa.Array, pa.ChunkedArray)):
        if mask.null_count:
            raise JagTypeError("a validity must be bools without nulls, got an Arrow array with nulls")
        mask = mask.to_numpy() if isinstance(mask, pa.ChunkedArray) else mask.to_numpy(zero_copy_only=False)
    found = np.empty(0, bool) if isinstance(mask, (list, tuple)) and len(mask) == 0 else flat_numbers(mask, "a validity")
    if found.dtype != np.bool_ or found.ndim != 1:
        raise JagTypeError(f"a validity must be one bool per row, got dtype {found.dtype} of shape {found.shape}")
    if len(found) != n_rows:
        raise ShapeError(f"a validity must have one bool per row: got {len(found)} for {plural(n_rows, 'row')}")
    return owned(found)


def owned(array: Array) -> Array:
    """Return the array itself if it is read-only, or a read-only copy: the caller's later writes change nothing."""
    return read_only(array.copy() if array.flags.writeable else array)


def read_only(array: Array) -> Array:
    """Return a read-only view; the array itself if it is read-only."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.setflags(write=False)
    return view
