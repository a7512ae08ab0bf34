"""Flat values as numpy arrays, and the values of cells that a column doesn't fill."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._integers import exceeds_floats
from arrowjag._kernels.base import fill as fill_kernel
from arrowjag._ops import elementwise
from arrowjag.errors import JagTypeError, JagValueError, brief, plural
from arrowjag.typing import BoolArray

__all__ = ["AnyArray", "fill_for", "fill_for_cells", "filled", "item_of", "leaves_of", "numbers_of", "placeholder"]

AnyArray = npt.NDArray[Any]


def leaves_of(column: Column) -> tuple[AnyArray, BoolArray | None]:
    """Convert flat values to numpy (dates to datetime64, types that numpy lacks to objects) and return their validity."""
    type, values = column.type, column.values
    if pt.is_timestamp(type) and type.tz is not None:
        raise JagTypeError.no_kernel("to_dense", type, hint="numpy has no zones: cast to timestamp or int64 first.")
    if _arrow.is_numeric(type):
        return _arrow.to_numpy(values)
    if _has_datetime(type):
        data, valid = _arrow.to_numpy(values)
        if pt.is_date32(type):
            return data.astype("M8[D]"), valid
        unit = "ms" if pt.is_date64(type) else type.unit
        return data.view(f"m8[{unit}]" if pt.is_duration(type) else f"M8[{unit}]"), valid
    data = np.empty(len(values), object)
    data[:] = _column.to_python(values)
    return data, _arrow.valid_of(values)


def _has_datetime(type: pa.DataType) -> bool:
    return bool(pt.is_timestamp(type) or pt.is_date(type) or pt.is_duration(type))


def item_of(fill: Any) -> Any:
    """Return a fill value as an object of Python or numpy; None for a null of Arrow."""
    fill = elementwise.unboxed(fill)
    return fill.as_py() if isinstance(fill, pa.Scalar) else fill


def fill_for(fill: Any, dtype: np.dtype[Any], type: pa.DataType, operation: str) -> Any:
    """Convert the fill value to the data's type; raises if its kind or value does not fit, and never rounds."""
    if not isinstance(fill, (bool, int, float, str, bytes, dict, list, tuple)) and np.ndim(fill) != 0:
        raise JagTypeError(f"{operation}: fill_value must be one value of type {type}, got {plural(np.ndim(fill), 'dim')}")
    if dtype.kind in "biuf":
        return _number(fill, dtype, operation)
    if dtype.kind in "mM" and isinstance(fill, (np.datetime64, np.timedelta64)):
        return fill.astype(dtype)
    value_type = type.value_type if pt.is_dictionary(type) else type
    if isinstance(fill, (bool, int, float, np.number)) and not pt.is_decimal(value_type):
        got = "0, the default" if not isinstance(fill, bool) and isinstance(fill, int) and fill == 0 else brief(fill)
        raise JagTypeError(f"{operation}: fill_value must be one value of type {type}, or None for a masked array, got {got}")
    try:
        item = pa.array([fill], value_type)
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:  # which one depends on the type
        raise JagTypeError(f"{operation}: fill_value {brief(fill)} can't be converted to {type}: {error}") from None
    return item.to_numpy(zero_copy_only=False).astype(dtype)[0] if dtype.kind in "mM" else item[0].as_py()


def _number(fill: Any, dtype: np.dtype[Any], operation: str) -> Any:
    if not isinstance(fill, (bool, int, float, np.number, np.bool_)) or isinstance(fill, (np.complexfloating, np.timedelta64)):
        raise JagTypeError(f"{operation}: fill_value must be one value of type {dtype}, got {brief(fill)}")
    if exceeds_floats(fill):
        fits = False
    elif dtype.kind == "f":
        if -1 <= fill <= 1:  # can't overflow: turning off numpy's warnings for the conversion takes a microsecond
            return dtype.type(fill)
        with np.errstate(over="ignore"):
            value = dtype.type(fill)
        fits = bool(np.isfinite(value) == math.isfinite(fill))
    else:
        low, high = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        fits = bool(math.isfinite(fill) and int(fill) == fill and low <= fill <= high)
        value = dtype.type(int(fill)) if fits else None
    if not fits:
        raise JagValueError(
            f"{operation}: fill_value {brief(fill)} does not fit {dtype}. Cast the values first, or give another one."
        )
    return value


def filled(data: AnyArray, valid: BoolArray | None, fill: Any) -> AnyArray:
    """Replace nulls with the fill."""
    if valid is None:
        return data
    if data.dtype.kind == "O":
        data = data.copy()
        data[~valid] = fill
        return data
    return fill_kernel.filled(data, valid, fill)


def placeholder(dtype: np.dtype[Any]) -> Any:
    """Return the value of cells that a mask hides."""
    return None if dtype.kind == "O" else np.zeros((), dtype)[()]


def fill_for_cells(fill: Any, dtype: np.dtype[Any]) -> Any:
    """Convert the fill value to the type of a dense array."""
    if dtype.kind not in "biufmM":
        raise JagTypeError.no_kernel("from_dense", dtype)
    type = pa.from_numpy_dtype(dtype)
    if dtype.kind in "mM" and isinstance(fill, (int, float)):
        return np.zeros((), dtype)[()] if fill == 0 else fill_for(fill, dtype, type, "from_dense")
    return fill_for(fill, dtype, type, "from_dense")


def numbers_of(column: Column, operation: str) -> tuple[AnyArray, BoolArray | None]:
    """Convert flat values to numpy and return their validity; raise for types that are not numeric."""
    if not _arrow.is_numeric(column.type):
        raise JagTypeError.no_kernel(operation, column.type)
    return _arrow.to_numpy(column.values)
