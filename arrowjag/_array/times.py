"""Times of numpy inside of lists: pyarrow reads all arrays as counts of the same unit, even if their units differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag._kernels.elementwise.times import fits_unit
from arrowjag.errors import JagValueError

__all__ = ["in_one_unit"]

_UNITS = ("s", "ms", "us", "ns")
"""The units of Arrow, the coarsest first; coarser ones of numpy become seconds."""
_COARSE = frozenset({"D", "h", "m"})


def in_one_unit(data: Any) -> Any:
    """Nested lists with all arrays of times in them in one unit.

    Parameters
    ----------
    data : nested list
        Convert arrays of ``datetime64`` or ``timedelta64`` inside nested lists.

    Returns
    -------
    nested list or None
        In the finest unit that appears. Where other rows are lists of Python's times, the arrays are lists of these; so are
        arrays of days. None where there are no arrays of times.

    Raises
    ------
    JagValueError
        If a time does not fit the finest unit.
    """
    found = [one for one in _leaves(data) if _is_times(one)]
    units = {np.datetime_data(one.dtype)[0] for one in found}
    if not units or not units <= {*_UNITS, *_COARSE}:
        return None
    if units == {"D"} and all(one.dtype.kind == "M" for one in found):
        return _mapped(data, "D", True)
    unit = max(units & set(_UNITS), key=_UNITS.index, default="s")
    mixed = any(not isinstance(one, np.ndarray) for one in _leaves(data))
    return _mapped(data, unit, mixed)


def _is_times(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "mM"


def _leaves(data: Any) -> Iterator[Any]:
    """Arrays and leaves of nested lists; missing ones are left out."""
    for one in data:
        if isinstance(one, (list, tuple)) or (isinstance(one, np.ndarray) and one.dtype.kind == "O"):
            yield from _leaves(one)
        elif one is not None:
            yield one


def _mapped(data: Any, unit: str, mixed: bool) -> Any:
    if _is_times(data):
        times = _in_unit(data, unit)
        return pa.array(times).to_pylist() if mixed else times
    return [_mapped(one, unit, mixed) for one in data] if isinstance(data, (list, tuple)) else data


def _in_unit(times: npt.NDArray[Any], unit: str) -> npt.NDArray[Any]:
    wanted, fits = np.dtype(f"{times.dtype.kind}8[{unit}]"), fits_unit(times, unit)
    if not fits.all():
        raise JagValueError(f"the time {times[~fits][0]} does not fit {wanted}, the unit that other rows of the data need")
    return times.astype(wanted)
