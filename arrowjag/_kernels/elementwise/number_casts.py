"""Casts between booleans, integers and floats: numpy's, on blocks that stay in cache and are checked there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.fill import fill, light_block
from arrowjag._kernels.base.words import bits_of_valid, data_of, from_words
from arrowjag._kernels.compiled.library import Compiled, find_loop
from arrowjag._kernels.elementwise import comparison
from arrowjag._kernels.elementwise.halves import to_halves, to_singles
from arrowjag._pyarrow_versions import numpy_dtype

__all__ = ["cast_numbers", "floats_fit", "holds_infinities", "integers_held", "numbers_fit", "numbers_of"]

_INFINITY = np.uint16(0x7C00)
"""The bits of an infinite float16 without its sign."""


def cast_numbers(values: pa.Array[Any], type: pa.DataType, safe: bool = True) -> pa.Array[Any] | None:
    """Cast booleans, integers and floats to another of these types, float16 from and to float32 alone.

    Parameters
    ----------
    values : Arrow array of any type
    type : pa.DataType
    safe : bool
        Whether each number must fit the type, by Arrow's rules: integers exactly, and floats without fraction.

    Returns
    -------
    Arrow array or None
        None for few values, for other types, for pairs of types that Arrow casts as fast, and if a number does not fit, even one
        under a null: Arrow's cast then finds out which one it is. A finite float64 that would be infinite as float32 does not fit.

    Notes
    -----
    1M booleans as float64 take 0.2 ms of CPU time, Arrow's cast 4; integers as float32 0.2 and 0.6.
    """
    if strategy.choose("cast", len(values)) == "whole":
        return None
    if pt.is_float16(values.type) or (pt.is_float16(type) and pt.is_float32(values.type)):
        return _cast_halves(values, type)
    if not (_is_number(values.type) and (_is_number(type) or pt.is_float16(type))):
        return None
    if pt.is_float16(type) and not (safe and pt.is_integer(values.type)):
        return None
    if safe and pt.is_float64(values.type) and pt.is_float32(type):
        return _as_singles(values, type)
    check = _check_of(values.type, type) if safe else None
    if not (pt.is_boolean(values.type) or pt.is_boolean(type)) and _arrow_is_as_fast(values, type, check is not None):
        return None
    data, dtype, n = data_of(values), np.dtype(numpy_dtype(type)), len(values)
    data = data if pt.is_boolean(values.type) else data.view(numpy_dtype(values.type))
    bits = bits_of_valid(values)
    if pt.is_boolean(type):
        flags = pa.py_buffer(comparison.compare(np.not_equal, data, np.zeros(1, data.dtype)))
        return pa.Array.from_buffers(type, n, [None if bits is None else pa.py_buffer(bits), flags])
    if pt.is_float16(type):  # the loops check what float32 holds
        found = _cast_blocks(data, np.dtype(np.float32), check, safe, None)
        return None if found is None else from_words(type, to_halves(found), bits=bits)
    loop = _loop(_AS_FLOATS[dtype.char], data.dtype, n) if dtype.char in _AS_FLOATS and data.dtype.kind in "iu" else None
    found = _cast_blocks(data, dtype, check, safe, loop)
    return None if found is None else from_words(type, found, bits=bits)


Check = Callable[[NDArray[Any]], bool]


def _cast_blocks(
    data: NDArray[Any], dtype: np.dtype[Any], check: Check | None, safe: bool, loop: Compiled | None
) -> NDArray[Any] | None:
    """Cast to an integer or float type; None if a number does not fit."""
    misfits: list[slice] = []

    def work(items: slice, out: NDArray[Any]) -> None:
        if not (misfits or _cast_block(data[items], out, check, safe, loop)):
            misfits.append(items)

    found = fill(work, len(data), dtype, light_block(len(data), max(data.itemsize, dtype.itemsize)))
    return None if misfits else found


_AS_FLOATS = {"f": "as_singles", "d": "as_doubles"}
"""The loops that cast integers, by the character of the float type."""


def _loop(name: str, dtype: np.dtype[Any], n: int) -> Compiled | None:
    return strategy.loop_of("number_casts", find_loop(name, dtype, False, n))


def _cast_block(data: NDArray[Any], out: NDArray[Any], check: Check | None, safe: bool, loop: Compiled | None) -> bool:
    """Cast part by part; return whether all numbers fit, else the rest is not written."""
    if loop is not None:
        if not loop(np.ascontiguousarray(data), len(out), out):
            return True
        if safe:
            return False
    has_fractions = data.dtype.kind == "f" and out.dtype.kind != "f"
    step = strategy.sizes.WORD_VALUES * 8 // data.itemsize
    for start in range(0, len(out), step):
        part, into = data[start : start + step], out[start : start + step]
        if check is not None and not check(part):
            return False
        into[:] = part
        if has_fractions and not np.array_equal(into, part):
            return False
    return True


def _as_singles(values: pa.Array[Any], type: pa.DataType) -> pa.Array[Any] | None:
    """Cast float64 to float32 by a loop that looks for infinities; Arrow casts as fast, on one core, and looks for none."""
    data = data_of(values).view(np.float64)
    loop = _loop("as_singles", data.dtype, len(data))
    found = None if loop is None else _cast_blocks(data, np.dtype(np.float32), None, True, loop)
    return None if found is None else from_words(type, found, bits=bits_of_valid(values))


def _cast_halves(values: pa.Array[Any], type: pa.DataType) -> pa.Array[Any] | None:
    if pt.is_float16(values.type) and pt.is_float32(type):
        return from_words(type, to_singles(data_of(values).view(np.float16)), bits=bits_of_valid(values))
    if pt.is_float32(values.type) and pt.is_float16(type):
        return from_words(type, to_halves(data_of(values).view(np.float32)), bits=bits_of_valid(values))
    return None


def _arrow_is_as_fast(values: pa.Array[Any], type: pa.DataType, is_checked: bool) -> bool:
    """Whether Arrow casts as fast: floats, unless there are nulls and a check, and integers without one to narrow types."""
    if pt.is_floating(values.type):
        return not (is_checked and values.null_count)
    if is_checked or pt.is_float16(type):
        return False
    return not (values.type.bit_width == 64 if pt.is_floating(type) else type.bit_width == 64)


def _is_number(type: pa.DataType) -> bool:
    return bool(pt.is_integer(type) or pt.is_float64(type) or pt.is_float32(type) or pt.is_boolean(type))


def _check_of(source: pa.DataType, target: pa.DataType) -> Check | None:
    """Return a function that checks whether all numbers of a block are within the target type; None if it holds every number."""
    if pt.is_boolean(source) or pt.is_boolean(target) or (pt.is_floating(source) and pt.is_floating(target)):
        return None
    if pt.is_floating(source):
        ends = np.iinfo(numpy_dtype(target))
        least, beyond = float(ends.min), float(ends.max) + 1.0  # the second one is exact where the largest integer is not
        return lambda part: bool(part.min() >= least and part.max() < beyond)
    own = np.iinfo(numpy_dtype(source))
    if pt.is_floating(target):
        most = 2 ** (np.finfo(numpy_dtype(target)).nmant + 1)
        least_int, most_int = -most, most
    else:
        ends = np.iinfo(numpy_dtype(target))
        least_int, most_int = ends.min, ends.max
    if least_int <= own.min and own.max <= most_int:
        return None
    return lambda part: (
        (own.min >= least_int or int(part.min()) >= least_int) and (own.max <= most_int or int(part.max()) <= most_int)
    )


def floats_fit(values: pa.Array[Any], type: pa.DataType) -> pa.Array[Any]:
    """Return which floats another float type holds, rounded: those that don't become infinite."""
    data = numbers_of(values.cast(pa.float32()) if pt.is_float16(values.type) else values)
    with np.errstate(over="ignore", invalid="ignore"):  # the latter for NaN that signals
        return pa.array(np.isfinite(data.astype(numpy_dtype(type))) | ~np.isfinite(data))


def integers_held(values: pa.Array[Any], type: pa.DataType) -> NDArray[np.bool_]:
    """Return which integers a float type holds exactly, True under nulls: those whose bits from the first to the last 1 fit."""
    limits, data = np.finfo(numpy_dtype(type)), numbers_of(values)
    size = data if data.dtype == np.uint64 else np.abs(data.astype(np.int64, copy=False)).view(np.uint64)  # 2**63 for the least one
    last = size & (~size + np.uint64(1))
    held: NDArray[np.bool_] = (size >> np.uint64(limits.nmant + 1)) < np.maximum(last, np.uint64(1))
    return held & (size <= np.uint64(limits.max)) if pt.is_float16(type) else held


def holds_infinities(values: pa.Array[Any]) -> bool:
    """Return whether any float is infinite, also under nulls: 1M float32 take 0.1 ms of CPU time, Arrow's flags of them 0.6."""
    data = data_of(values)
    if pt.is_float16(values.type):
        return bool((np.left_shift(data.view(np.uint16), np.uint16(1)) == _INFINITY << 1).any())
    return bool(np.isinf(data.view(numpy_dtype(values.type))).any())


def numbers_of(values: pa.Array[Any]) -> NDArray[Any]:
    """Return the data of numbers, 0 under nulls."""
    filled = values.fill_null(0) if values.null_count else values
    data: NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return data


def numbers_fit(values: pa.Array[Any], type: pa.DataType) -> pa.Array[Any]:
    """Return which integers and floats an integer type holds exactly."""
    limits = np.iinfo(numpy_dtype(type))
    data = numbers_of(values.cast(pa.float32()) if pt.is_float16(values.type) else values)
    if data.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = np.trunc(data) == data  # False for NaN, True for infinities
            # The float of the maximum of 64 bits is rounded up: the smallest integer beyond it, as is that of fewer bits plus 1.
            return pa.array(whole & (data >= float(limits.min)) & (data < float(limits.max) + 1))
    return pa.array((data >= limits.min) & (data <= limits.max))
