"""The `default` function for `json.dumps`: it converts values that JSON can't represent."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

from arrowjag._arrow import is_missing
from arrowjag.errors import JagTypeError, brief

__all__ = ["json_default"]


def json_default(value: Any) -> Any:
    """Convert a value that JSON can't represent.

    Parameters
    ----------
    value : object
        A jagged array, a row of pandas, a Series, an array or scalar of numpy or Arrow, a missing value of pandas, a date, time,
        duration, decimal or bytes.

    Returns
    -------
    object
        Lists for arrays and rows, None for missing, text for dates, times and decimals (ISO 8601), seconds for durations,
        hexadecimal text for bytes.

    Raises
    ------
    JagTypeError
        If it is none of these.

    Notes
    -----
    Use it as in ``json.dumps(..., default=aj.json_default)``. Null rows and null items are null in JSON, empty rows empty lists.
    Cost: every value becomes a Python object.

    Examples
    --------
    >>> import json
    >>> import arrowjag as aj
    >>> json.dumps({"v": aj.array([[1, None], None])}, default=aj.json_default)
    '{"v": [[1, null], null]}'
    """
    if is_missing(value):
        return None
    for name in ("as_py", "to_list", "to_pylist", "tolist"):
        if hasattr(value, name) and not isinstance(value, type):
            return getattr(value, name)()
    return _leaf(value)


def _leaf(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if hasattr(value, "hex") and hasattr(value, "urn"):
        return str(value)  # a UUID
    raise JagTypeError(f"JSON has no form for {brief(value)} of type {type(value).__name__}")
