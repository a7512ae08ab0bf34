"""Whatever holds the data now, as Arrow data: nested Python lists, numpy, Series, PyCapsule objects."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arrow import depth
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, OffsetsError, ShapeError
from arrowjag.typing import ArrowData

__all__ = ["to_array"]

_MISSING = frozenset({"NAType", "NaTType"})
"""What pandas puts where nothing is; known by name, as pandas may not be imported here."""

_MOST_LEVELS = 1000


def to_array(data: Any, type: pa.DataType | None = None, ndim: int | None = None) -> ArrowData:
    """Anything that can be read as Arrow data, as Arrow data.

    Parameters
    ----------
    data : object
        Arrow arrays, Series of pandas or polars, anything with a PyCapsule method, numpy of one dimension, nested lists.
    type : pa.DataType, optional
        The leaf type.
    ndim : int, optional
        Number of levels; levels that only empty lists leave open adapt.

    Returns
    -------
    pa.Array or pa.ChunkedArray
        Nested lists; whatever was Arrow data already is shared.

    Raises
    ------
    ShapeError
        If lists and leaves are mixed on a level.
    JagTypeError
        If Arrow has no type for the data.
    JagOverflowError
        If a Python int does not fit 64 bits.
    """
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return data
    dtype = getattr(data, "dtype", None)
    if isinstance(dtype, np.dtype) and hasattr(data, "to_numpy"):
        data = data.to_numpy() if dtype.kind != "O" else [_marked(one) for one in data.to_numpy()]
    if isinstance(data, np.ndarray) and data.dtype.kind != "O":
        return _from_ndarray(data)
    if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__"):
        return _imported(data)
    return _from_python(data, type, ndim)


def _imported(data: Any) -> ArrowData:
    """Data of another library over the C interface."""
    try:
        return pa.array(data) if hasattr(data, "__arrow_c_array__") else pa.chunked_array(data)
    except pa.ArrowInvalid as error:
        if "format string" in str(error):
            raise JagTypeError(
                f"a {type(data).__name__} of {getattr(data, 'dtype', 'some type')} has no type of Arrow: {error}"
            ) from None
        raise OffsetsError(f"the Arrow data of a {type(data).__name__} can't be read: {error}") from None


def _from_ndarray(data: npt.NDArray[Any]) -> pa.Array:
    masked = isinstance(data, np.ma.MaskedArray)
    mask = np.ma.getmaskarray(data) if masked else None
    plain = np.ma.getdata(data) if masked else data
    if plain.dtype.names:
        fields = [_from_ndarray(np.ascontiguousarray(plain[name])) for name in plain.dtype.names]
        return pa.StructArray.from_arrays(fields, names=list(plain.dtype.names))
    if not plain.dtype.isnative:
        plain = plain.astype(plain.dtype.newbyteorder("="))
    try:
        return pa.array(plain, mask=mask, from_pandas=False)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:  # pyarrow raises either, by the dtype
        raise JagTypeError(f"Arrow has no type for numpy data of dtype {plain.dtype}: {error}") from None


def _from_python(data: Any, type: pa.DataType | None, ndim: int | None) -> pa.Array:
    if isinstance(data, np.ndarray):
        data = data.tolist() if data.ndim == 1 else _plain(data)
    data = list(data) if not isinstance(data, (list, tuple)) else data
    _check_levels(data)
    try:
        return _nested(data, type, ndim)
    except (ShapeError, JagTypeError, JagValueError):
        plain = _plain(data)
        if all(one is two for one, two in zip(plain, data, strict=True)):
            raise
    return _nested(plain, type, ndim)


def _marked(row: Any) -> Any:
    """An object of a Series: NaN stands for a missing row there."""
    return None if isinstance(row, float) and math.isnan(row) else row


def _plain(data: Any) -> Any:
    """Arrays and ranges inside of lists as lists, scalars of Arrow as Python's, missing marks of pandas as None.

    What holds none of them stays the same object.
    """
    if isinstance(data, np.ndarray) and data.ndim < 2 and data.dtype.kind != "O":
        return data
    if isinstance(data, (list, tuple, range, np.ndarray)):
        plain = [_plain(item) for item in data]
        same = isinstance(data, (list, tuple)) and all(one is two for one, two in zip(plain, data, strict=True))
        return data if same else plain
    if isinstance(data, pa.Scalar):
        return data.as_py()
    if type(data).__name__ in _MISSING:
        return None
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(data, method) and not isinstance(data, np.generic):
            return getattr(data, method)()
    return data


def _nested(data: Any, type: pa.DataType | None, ndim: int | None) -> pa.Array:
    """Nested lists of scalars: pyarrow infers the type, the levels that it leaves open adapt to `ndim`."""
    try:
        found = pa.infer_type(data) if type is None or ndim is None or pt.is_integer(type) or pt.is_temporal(type) else None
    except (ValueError, TypeError, OverflowError) as error:  # pyarrow's own, and those of what it asks the objects for
        if type is None:
            raise _misfit("the data is not evenly nested or of mixed type", error) from None
        found = None
    levels = _python_depth(data) if found is None else depth(found)
    wanted = levels if ndim is None else ndim - 1
    inferred = None if found is None else _strip(found, min(levels, wanted))
    # pyarrow would cut Python floats down to integers in silence: they come in as floats, for the caller's cast to check.
    leaf = type if type is not None and not (inferred is not None and pt.is_floating(inferred)) else inferred
    try:
        if "pandas" in sys.modules and _may_cut(inferred, leaf):
            return _with_nanoseconds(data, leaf, wanted)
        return _as_lists(data, leaf, wanted)
    except OverflowError:
        if type is not None or inferred is None or not pt.is_integer(inferred):
            raise JagOverflowError(f"the data holds a Python int that does not fit {leaf}") from None
    try:  # pyarrow takes every Python int for int64
        return _as_lists(data, pa.uint64(), wanted)
    except OverflowError:
        raise JagOverflowError("the data holds Python ints that fit neither int64 nor uint64; give floats or decimals") from None


def _check_levels(data: Any) -> None:
    """Lists that hold themselves would end the process inside pyarrow."""
    for _ in range(_MOST_LEVELS):
        data = next((one for one in data if one is not None), None)
        if not isinstance(data, (list, tuple)):
            return
    raise ShapeError(f"the data is nested more than {_MOST_LEVELS} levels deep; does a list hold itself?")


def _as_lists(data: Any, leaf: pa.DataType | None, levels: int) -> pa.Array:
    if levels and isinstance(leaf, pa.BaseExtensionType):
        return _of_extension(data, leaf, levels)
    nested = leaf
    for _ in range(levels):
        nested = pa.large_list(nested)
    try:
        return pa.array(data, type=nested)
    except OverflowError:  # the caller knows whether another type would do
        raise
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:  # which one depends on the type
        raise _misfit(f"the data does not fit {levels + 1} dims of {leaf}", error) from None


def _may_cut(inferred: pa.DataType | None, leaf: pa.DataType | None) -> bool:
    """Whether times are asked for in microseconds; plain ints count these, and lose nothing."""
    times = inferred is not None and pt.is_temporal(inferred)
    return times and leaf in (pa.duration("us"), pa.timestamp("us", getattr(leaf, "tz", None)))


def _with_nanoseconds(data: Any, leaf: pa.DataType, levels: int) -> pa.Array:
    """Times in microseconds as pyarrow infers them, or in nanoseconds where those of pandas would be cut off."""
    coarse = _as_lists(data, leaf, levels)
    fine = pa.duration("ns") if pt.is_duration(leaf) else pa.timestamp("ns", leaf.tz)
    try:
        exact = _as_lists(data, fine, levels)
    except (ShapeError, OverflowError):  # beyond the years that nanoseconds reach
        return coarse
    whole = _arrow.peel(coarse, levels + 1)[1].cast(fine).equals(_arrow.peel(exact, levels + 1)[1])
    return coarse if whole else exact


def _of_extension(data: Any, leaf: pa.BaseExtensionType, levels: int) -> pa.Array:
    """Lists of an extension type, which pyarrow makes of flat items only: lists of their numbers first, then the items."""
    items: list[Any] = []

    def numbered(one: Any, level: int) -> Any:
        if one is None:
            return None
        if level:
            return [numbered(item, level - 1) for item in one]
        items.append(one)
        return len(items) - 1

    try:
        places = _as_lists([numbered(one, levels) for one in data], pa.int64(), levels)
        below, numbers = _arrow.peel(places, levels + 1)
        return _arrow.wrap(below, pa.array(items, type=leaf).take(numbers))
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:  # of pyarrow, and of items that should be lists
        raise _misfit(f"the data does not fit {levels + 1} dims of {leaf}", error) from None


def _misfit(what: str, error: Exception) -> Exception:
    """Lists where leaves stand is a question of shape; a leaf that Arrow knows no type for is not."""
    if "did not recognize Python value type" in str(error):
        return JagTypeError(f"{what}: {error}")
    return ShapeError(f"{what}: {error}")


def _strip(type: pa.DataType | None, levels: int) -> pa.DataType:
    assert type is not None
    for _ in range(levels):
        type = type.value_type
    return type


def _python_depth(data: Any) -> int:
    """Levels of lists inside a list; needed only where Arrow can't infer a type."""
    inner = [item for item in data if isinstance(item, (list, tuple, np.ndarray))]
    return 1 + max(map(_python_depth, inner)) if inner else 0
