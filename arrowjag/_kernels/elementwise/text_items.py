"""Few texts by methods of Python's str: a hundred calls take less time than one of Arrow's kernels, with the arrays around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise.text_bytes import SURE_DIGITS
from arrowjag._pyarrow_versions import numpy_dtype

__all__ = ["by_items", "few_integers", "few_items"]


def by_items(values: pa.Array, function: Callable[[str], Any], type: pa.DataType) -> pa.Array | None:
    """Call a function with each string; None for many or long ones.

    Parameters
    ----------
    values : pa.StringArray or pa.LargeStringArray
        The text.
    function : callable
        From a string to a Python object.
    type : pa.DataType
        The type of the result, which holds what the function returns.

    Returns
    -------
    pa.Array or None
        Null for null, without a call.
    """
    items = few_items(values)
    return None if items is None else pa.array([None if item is None else function(item) for item in items], type)


def few_items(values: pa.Array) -> list[str | None] | None:
    """Return strings as Python's, None for null; None in place of many or long ones."""
    if strategy.choose("few_texts", len(values)) != "items":
        return None
    most = strategy.sizes.FEW_TEXTS_BYTES
    if values.get_total_buffer_size() > most and values.nbytes > most:  # those of a slice are counted in 2 microseconds
        return None
    items: list[str | None] = values.to_pylist()
    return items


_INTEGER = re.compile(rf"[+-]?[0-9]{{1,{SURE_DIGITS}}}", re.ASCII)
_LONG_INTEGER = re.compile(rf"[+-]?(?:[0-9]{{{SURE_DIGITS + 1},}}|0x.*)", re.ASCII | re.IGNORECASE | re.DOTALL)


def few_integers(text: pa.Array, type: pa.DataType) -> pa.Array | None:
    """Read few strings as integers, null where one is none or does not fit; None for many strings, or long integers."""
    limits = np.iinfo(numpy_dtype(type))
    least, greatest, signs = int(limits.min), int(limits.max), limits.min < 0
    is_long = False

    def read(item: str) -> int | None:
        nonlocal is_long
        plain = item.strip()
        if _INTEGER.fullmatch(plain) is None:
            is_long = is_long or _LONG_INTEGER.fullmatch(plain) is not None
            return None
        number = int(plain)
        return number if least <= number <= greatest and (signs or plain[0] != "-") else None

    found = by_items(text, read, type)
    return None if is_long else found
