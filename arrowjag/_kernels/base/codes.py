"""Unsigned integers that sort as keys do: numbers, then NaN, then nulls; -0.0 and 0.0 are one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.memory import empty
from arrowjag.errors import JagTypeError

__all__ = ["equality_codes", "plain_codes", "same_bits", "sort_codes", "too_wide"]

_NAN, _NULL = 0xFFFE << 48, 0xFFFF << 48
"""Codes behind those of all floats, and distinct in their first 16 bits."""


def sort_codes(key: NDArray[Any], valid: NDArray[np.bool_] | None, descending: bool) -> tuple[NDArray[np.uint64], int]:
    """Unsigned integers that sort as the keys do, nulls and NaN included, and how many bits they need."""
    codes = _unsigned(key)
    if descending:
        np.invert(codes, out=codes)
    nan = np.isnan(key) if key.dtype.kind == "f" else None
    missing = None if valid is None or valid.all() else ~valid
    last = [mask for mask in (nan, missing) if mask is not None and mask.any()]
    if last:
        odd = np.logical_or.reduce(last)
        # The code of a number, so that the range stays small; if there is no number, the code of the first item.
        codes[odd] = codes[int(np.argmin(odd))]
    low, high = (int(codes.min()), int(codes.max())) if len(codes) else (0, 0)
    n_bits = max(1, (high - low).bit_length())
    if n_bits < 64 or not last:
        codes -= np.uint64(low)
        nan_code, null_code = 1 << n_bits, 3 << (n_bits - 1)
        n_bits = min(n_bits + bool(last), 64)
    else:
        nan_code, null_code = _NAN, _NULL
    if nan is not None and last:
        codes[nan] = nan_code
    if missing is not None:
        codes[missing] = null_code
    return codes, n_bits


def _unsigned(key: NDArray[Any]) -> NDArray[np.uint64]:
    """uint64 numbers in the order of integers or floats (which -0.0 joins 0.0); a new array."""
    kind = key.dtype.kind
    if kind in "bu":
        return key.astype(np.uint64)
    if kind == "i":
        return key.astype(np.int64).view(np.uint64) ^ np.uint64(1 << 63)
    if kind == "f" and key.dtype.itemsize <= 8:
        # Adding 0.0 turns -0.0 into 0.0. The bits of negative floats decrease as the number increases: invert all of them; for
        # others, the sign.
        with np.errstate(invalid="ignore"):  # signalling NaN
            bits = np.add(key, 0.0, dtype=np.float64, out=empty(len(key), np.float64)).view(np.int64)
        turned = np.right_shift(bits, 63, out=empty(len(key), np.int64))
        turned |= np.int64(-(2**63))
        turned ^= bits
        codes: NDArray[np.uint64] = turned.view(np.uint64)
        return codes
    raise JagTypeError.no_kernel("sort", key.dtype)


def plain_codes(key: NDArray[Any]) -> NDArray[np.uint64]:
    """Codes that compare across arrays: no range is subtracted."""
    codes = _unsigned(key)
    if key.dtype.kind == "f":
        codes[np.isnan(key)] = _NAN
    return codes


def equality_codes(key: NDArray[Any]) -> NDArray[np.uint64]:
    """Codes that are equal where keys of one dtype are; a new array. They don't order, which saves half of the work."""
    if key.dtype.kind != "f" or key.dtype.itemsize > 8:
        return _unsigned(key)
    with np.errstate(invalid="ignore"):  # signalling NaN
        numbers = np.add(key, 0.0, dtype=np.float64, out=empty(len(key), np.float64))
    codes: NDArray[np.uint64] = numbers.view(np.uint64)
    if holds_nan(numbers):
        codes[np.isnan(numbers)] = _NAN
    return codes


def same_bits(key: NDArray[Any]) -> NDArray[Any]:
    """Unsigned integers of the width of a key that are equal where the keys are; integers and booleans share their memory."""
    bits = np.dtype(f"u{key.dtype.itemsize}")
    if key.dtype.kind != "f":
        return np.ascontiguousarray(key).view(bits)
    with np.errstate(invalid="ignore"):  # signalling NaN
        numbers = np.add(key, 0, out=empty(len(key), key.dtype))  # 0.0 of -0.0
    if holds_nan(numbers):
        numbers[np.isnan(numbers)] = np.nan
    found: NDArray[Any] = numbers.view(bits)
    return found


def too_wide(key: NDArray[Any]) -> bool:
    """Whether integers lie so far apart that their differences need all 64 bits, which leaves no code for a null."""
    if key.dtype.kind not in "iu" or key.dtype.itemsize < 8 or len(key) == 0:
        return False
    return (int(key.max()) - int(key.min())).bit_length() > 63
