"""Text and bytes of more than 2 GB: repeat a computation with 64-bit offsets if 32-bit offsets are too small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.types as pt

from arrowjag._kernels.base.texts import fits, text_cuts

__all__ = ["check_replacements", "is_full", "widen", "widened", "with_room"]

T = TypeVar("T")


def is_full(error: Exception) -> bool:
    """Whether pyarrow raised because a result has more bytes than offsets of 32 bits count."""
    return isinstance(error, pa.ArrowCapacityError) or "offset overflow" in str(error) or "overflowed binary array" in str(error)


def widened(type: pa.DataType, leaf: Callable[[pa.DataType], pa.DataType] | None = None) -> pa.DataType:
    """The type with offsets of 64 bits at every level; those without any stay.

    Parameters
    ----------
    type : pa.DataType
        Of any values.
    leaf : callable, optional
        Changes a type of neither lists nor structs; by default text and bytes, also those of dictionaries, become large.
    """
    if pt.is_struct(type):
        return pa.struct([field.with_type(widened(field.type, leaf)) for field in type])
    if pt.is_fixed_size_list(type):
        return pa.list_(type.value_field.with_type(widened(type.value_type, leaf)), type.list_size)
    if pt.is_list(type) or pt.is_large_list(type):
        return pa.large_list(type.value_field.with_type(widened(type.value_type, leaf)))
    return (leaf or _large)(type)


def _large(type: pa.DataType) -> pa.DataType:
    if pt.is_dictionary(type):
        return pa.dictionary(type.index_type, _large(type.value_type), type.ordered)
    return pa.large_string() if pt.is_string(type) else pa.large_binary() if pt.is_binary(type) else type


def widen(datum: Any) -> Any:
    """Cast Arrow's array or scalar to its widened type; anything else stays."""
    if not isinstance(datum, (pa.Array, pa.Scalar)):
        return datum
    wide = widened(datum.type)
    if wide == datum.type:
        return datum
    if isinstance(datum, pa.DictionaryArray):  # pyarrow casts no ordered ones
        return pa.DictionaryArray.from_arrays(datum.indices, datum.dictionary.cast(wide.value_type), ordered=wide.ordered)
    return datum.cast(wide)


def with_room(function: Callable[..., T], *data: Any) -> T:
    """Call a function on Arrow arrays and scalars, and once more on widened ones if its result is too long for theirs.

    Parameters
    ----------
    function : callable
        Of the data.
    *data : pa.Array, pa.Scalar or anything else
        What is not of Arrow is passed on as it is.

    Raises
    ------
    pa.ArrowInvalid or pa.ArrowCapacityError
        If the result is too long and no operand can be widened.

    Notes
    -----
    A second call costs a cast of offsets; the bytes are shared.
    """
    try:
        return function(*data)
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        wide = [widen(datum) for datum in data] if is_full(error) else data
        if all(one is two for one, two in zip(wide, data, strict=True)):
            raise
    return function(*wide)


def check_replacements(values: pa.Array[Any], new: str) -> None:
    """Raise where replaced text could have more than 2 GB: pyarrow's kernels don't notice, and return damaged offsets.

    Parameters
    ----------
    values : pa.StringArray or pa.LargeStringArray
        The text; a match may be between any two of its bytes.
    new : str
        What replaces a match; each backslash may stand for a group of it.

    Raises
    ------
    pa.ArrowCapacityError
        For text with offsets of 32 bits only.
    """
    n = len(values)
    if not n or pt.is_large_string(values.type):
        return
    cuts = text_cuts(values)
    n_bytes = int(cuts[-1]) - int(cuts[0])
    if not fits(values.type, (n_bytes + n) * len(new.encode()) + n_bytes * (1 + new.count("\\"))):
        raise pa.ArrowCapacityError("Replaced text might be larger than 2 GB")
