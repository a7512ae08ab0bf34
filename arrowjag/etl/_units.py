"""Units of memory and time: parsed from arguments, formatted for messages."""

from __future__ import annotations

import re
from decimal import Decimal

from arrowjag.errors import JagTypeError, JagValueError, brief

__all__ = ["bytes_text", "parse_bytes", "seconds_text"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_MOST = 2**63 - 1
_AMOUNT = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*([kmgt]?i?)b?\s*", re.IGNORECASE)


def parse_bytes(amount: str | int, name: str) -> int:
    """Parse a number of bytes.

    Parameters
    ----------
    amount : str or int
        For example ``"64MB"`` (64 million), ``"1 GiB"`` (2 ** 30), or a plain number.
    name : str
        Name of the argument, for messages.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    JagTypeError
        If `amount` is neither a str nor an int.
    JagValueError
        If `amount` can't be parsed or isn't positive.

    Examples
    --------
    >>> parse_bytes("64MB", "batch_bytes"), parse_bytes("1.5 GiB", "memory")
    (64000000, 1610612736)
    """
    if isinstance(amount, bool) or not isinstance(amount, (str, int)):
        raise JagTypeError(f'{name} must be a number of bytes or a text such as "64MB", got {type(amount).__name__}')
    size = amount if isinstance(amount, int) else _parsed(amount)
    if not 1 <= size <= _MOST:
        raise JagValueError(f'{name} must be a number of bytes or a text such as "64MB", got {brief(amount)}')
    return int(size)


def _parsed(text: str) -> Decimal:
    found = _AMOUNT.fullmatch(text)
    return Decimal(found[1]) * _UNITS[found[2].lower()] if found and found[2].lower() in _UNITS else Decimal(0)


def bytes_text(size: float) -> str:
    """Format a number of bytes in the largest fitting unit.

    Parameters
    ----------
    size : float
        Bytes.

    Returns
    -------
    str
        About three digits and the unit.

    Examples
    --------
    >>> bytes_text(512), bytes_text(1_234_567)
    ('512 B', '1.2 MB')
    """
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def seconds_text(seconds: float) -> str:
    """Format a time span.

    Parameters
    ----------
    seconds : float
        The time span in seconds.

    Returns
    -------
    str
        Seconds with one decimal, or minutes and hours.

    Examples
    --------
    >>> seconds_text(3.21), seconds_text(3725)
    ('3.2 s', '1:02:05')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
