"""awkward: arrays of any depth, records and strings, in both directions.

Values and 64-bit offsets are shared in both directions; awkward keeps nulls as bits or as an index, and packs
layouts that Arrow can't represent (views of lists in any order, indexed layouts).
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._array import JaggedArray, array_of
from arrowjag.creation import from_arrow
from arrowjag.errors import JagTypeError
from arrowjag.interop import _parts

__all__ = ["from_awkward", "to_awkward"]


def to_awkward(x: Any) -> Any:
    """Convert a jagged array to an awkward array.

    Parameters
    ----------
    x : JaggedArray
        An array of one dim or more. Structs become records, dims with a declared extent become regular dims.

    Returns
    -------
    ak.Array
        Nulls of every level become None. Values and offsets are shared if awkward has the type.

    Raises
    ------
    JagTypeError
        If awkward has no such leaf type.
    MissingDependencyError
        If awkward is not installed.
    """
    array = array_of(x)
    awkward = _parts.load("awkward", "to_awkward")
    type = array.type
    if pt.is_decimal(type) or pt.is_interval(type) or (pt.is_timestamp(type) and type.tz is not None):
        raise JagTypeError.no_kernel("to_awkward", type, hint="awkward would lose part of it: cast first.")
    try:
        return awkward.from_arrow(_rebased(array).to_arrow(extension=False))
    except (TypeError, NotImplementedError, ValueError, KeyError, OverflowError) as error:
        raise JagTypeError.no_kernel("to_awkward", type, hint=f"({error})") from None


def _rebased(array: JaggedArray) -> JaggedArray:
    """The same, with values that begin where their buffers do: awkward (2.14) reads the nulls of a slice from the wrong bits.

    Categories get 64-bit indices: awkward lacks kernels for narrow and unsigned indices. It has no views of text.
    """
    values = array.values
    if pt.is_string_view(values.type) or pt.is_binary_view(values.type):
        values = values.cast(pa.large_string() if pt.is_string_view(values.type) else pa.large_binary())
        return JaggedArray(array.shape, values)
    if pt.is_dictionary(values.type):
        places = values.indices.cast(pa.int64())
        values = pa.DictionaryArray.from_arrays(places, values.dictionary, ordered=values.type.ordered)
        array = JaggedArray(array.shape, values)
    if values.offset == 0 or (_arrow.is_numeric(values.type) and values.buffers()[0] is None):
        return array
    return JaggedArray(array.shape, pa.concat_arrays([values, values.slice(0, 0)]))


def from_awkward(data: Any, ndim: int | None = None) -> JaggedArray:
    """Convert an awkward array to a jagged array.

    Parameters
    ----------
    data : ak.Array
        Regular dims become dims with a declared extent; None at any level becomes null.
    ndim : int, optional
        Number of levels; by default every list is one.

    Returns
    -------
    JaggedArray
        Values and 64-bit offsets are shared where awkward holds them in one piece.

    Raises
    ------
    JagTypeError
        If the array has parts that Arrow has no type for.
    MissingDependencyError
        If awkward is not installed.
    """
    awkward = _parts.load("awkward", "from_awkward")
    try:
        found = awkward.to_arrow(data, list_to32=False, string_to32=False, bytestring_to32=False, extensionarray=False)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise JagTypeError(f"from_awkward: Arrow can't hold {getattr(data, 'type', type(data))}: {error}") from None
    return from_arrow(found, ndim)
