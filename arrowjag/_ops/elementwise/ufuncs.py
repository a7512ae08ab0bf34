"""Numpy's ufuncs: mapped to arrowjag's operators if there is one, otherwise called on the numpy data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels.elementwise import halves
from arrowjag._kernels.reduce.segments import without_signed_zeros
from arrowjag._ops.elementwise import blockwise
from arrowjag._ops.elementwise.framework import Datum, Operand, apply, both_valid, datum_to_numpy, decoded, sized
from arrowjag._ops.elementwise.operators import BINARY, UFUNCS, UNARY, binary, cast, cast_values
from arrowjag._ops.elementwise.types import plain_type
from arrowjag.errors import JagTypeError
from arrowjag.typing import BoolArray

__all__ = ["check_ufunc", "ufunc"]


_LOGICAL = {np.logical_and, np.logical_or, np.logical_xor, np.logical_not}


def check_ufunc(function: np.ufunc, method: str, options: Mapping[str, Any]) -> None:
    """Raise for methods of ufuncs, such as `reduce`, and for their options, such as `out`."""
    if method != "__call__":
        raise JagTypeError(f"{function.__name__}.{method} is not defined for jagged data; use the methods sum, min, cumsum...")
    if options:
        raise JagTypeError(f"{function.__name__} takes no options on jagged data, got {', '.join(options)}")


def ufunc(function: np.ufunc, operands: Sequence[Operand]) -> tuple[Column, ...]:
    """Call a numpy ufunc on aligned values; nulls stay null, and result types are numpy's.

    Raises
    ------
    JagTypeError
        If the ufunc has no loop for the types, or is a generalized ufunc such as matmul.
    """
    name = UFUNCS.get(function)
    if function in _LOGICAL:
        operands = [_truth(operand, function.__name__) for operand in operands]
        name = name or "invert"
    if name in BINARY and len(operands) == 2:
        return (binary(name, *operands),)
    if name in UNARY and len(operands) == 1:
        return (apply(UNARY[name], operands, name),)
    if function.signature is not None:
        raise JagTypeError(f"the ufunc {function.__name__} works on whole rows; arrowjag calls elementwise ufuncs only")
    return _numpy_ufunc(function, operands)


def _truth(operand: Operand, name: str) -> Operand:
    """Return which items are not zero."""
    type = plain_type(operand.type)
    if not (_arrow.is_numeric(type) or pt.is_decimal(type) or pt.is_null(type)):
        raise JagTypeError.no_kernel(name, operand.type, hint="It takes booleans and numbers.")
    if not isinstance(operand, Column) and pt.is_decimal(type):  # Arrow casts no decimal to bool
        return pa.scalar(bool(operand.as_py()) if operand.is_valid else None, pa.bool_())
    if isinstance(operand, Column):
        return operand if pt.is_boolean(operand.type) else cast(operand, pa.bool_(), safe=False)
    return cast_values(operand, pa.bool_())


def _numpy_ufunc(function: np.ufunc, operands: Sequence[Operand]) -> tuple[Column, ...]:
    kept: list[tuple[Any, BoolArray | None]] = []

    def compute(*data: Datum) -> pa.Array:
        if function.nin == function.nout == 1 and isinstance(data[0], pa.Array):
            found = blockwise.map_values(function, data[0])
            if found is not None:
                return found
        pairs = [_temporal_view(datum, function.__name__) for datum in data]
        valid: BoolArray | None = None
        for _, one in pairs:
            valid = both_valid(valid, one)
        if (found := _extremes_of_halves(function, pairs)) is not None:
            kept.append((found, valid))
            return _from_ufunc(*kept[0])
        try:
            with np.errstate(all="ignore"):
                results = _called(function, [array for array, _ in pairs])
        except TypeError as error:
            types = [datum.type for datum in data]
            raise JagTypeError.no_kernel(function.__name__, *types, hint=f"({error})") from None
        kept.extend((one, valid) for one in (results if isinstance(results, tuple) else (results,)))
        return _from_ufunc(*kept[0])

    first = apply(compute, operands, function.__name__)
    return (first, *(Column(first.shape, _from_ufunc(*one)) for one in kept[1:]))


def _called(function: np.ufunc, arrays: Sequence[npt.NDArray[Any]]) -> Any:
    """Call a ufunc, on blocks if it can run on them. Extremes are never -0.0."""
    found = blockwise.map_pairs(function, *arrays) if function.nin == 2 and function.nout == 1 else None
    if found is not None:
        return found
    results = function(*arrays)
    return without_signed_zeros(results) if function in blockwise.EXTREMES else results


def _extremes_of_halves(function: np.ufunc, pairs: Sequence[tuple[Any, BoolArray | None]]) -> npt.NDArray[Any] | None:
    """Return the larger or the smaller of each two items of float16, by the compiled loop; None without it, and for other types."""
    if function not in blockwise.EXTREMES or any(data.dtype != np.float16 for data, _ in pairs):
        return None
    return halves.extremes(function, *(data for data, _ in pairs))


def _temporal_view(datum: Datum, name: str) -> tuple[Any, BoolArray | None]:
    """Convert to numpy, with timestamps and durations as datetime64 and timedelta64, so that ufuncs infer result types."""
    datum = decoded(datum)
    if pt.is_decimal(datum.type):
        raise JagTypeError.no_kernel(name, datum.type, hint="Cast to float64 first, or call a function of Arrow by aj.apply.")
    try:
        data, valid = datum_to_numpy(datum)
    except JagTypeError:
        raise JagTypeError.no_kernel(name, datum.type) from None
    if pt.is_timestamp(datum.type) and datum.type.tz is None:
        return data.view(f"M8[{datum.type.unit}]"), valid
    if pt.is_duration(datum.type):
        return data.view(f"m8[{datum.type.unit}]"), valid
    if _arrow.is_temporal(datum.type):
        raise JagTypeError.no_kernel(name, datum.type, hint="Cast to a plain timestamp or to int64 first.")
    return data, valid


def _from_ufunc(data: npt.NDArray[Any], valid: BoolArray | None) -> pa.Array:
    if data.dtype.kind in "mM":
        missing = np.isnat(data)
        valid = ~missing if valid is None else valid & ~missing
        return sized(data.view(np.int64), valid, pa.from_numpy_dtype(data.dtype))
    return sized(data, valid)
