"""Amounts of memory and time: what callers write, and what people read."""

from __future__ import annotations

import re

from arrowjag.errors import JagTypeError, JagValueError

__all__ = ["bytes_text", "parse_bytes", "seconds_text"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_AMOUNT = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*([kmgt]?i?)b?\s*", re.IGNORECASE)


def parse_bytes(amount: str | int, name: str) -> int:
    """A number of bytes, as callers write it.

    Parameters
    ----------
    amount : str or int
        For example ``"64MB"`` (64 million), ``"1 GiB"`` (2 ** 30), or a plain number.
    name : str
        The argument, for messages.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    JagTypeError
        If it is neither.
    JagValueError
        If it can't be read, or is no positive amount.

    Examples
    --------
    >>> parse_bytes("64MB", "batch_bytes"), parse_bytes("1.5 GiB", "memory")
    (64000000, 1610612736)
    """
    if isinstance(amount, bool) or not isinstance(amount, (str, int)):
        raise JagTypeError(f'{name} is a number of bytes or a text such as "64MB", got {type(amount).__name__}')
    found = _AMOUNT.fullmatch(str(amount))
    size = int(float(found[1]) * _UNITS[found[2].lower()]) if found and found[2].lower() in _UNITS else 0
    if size < 1:
        raise JagValueError(f'{name} is a number of bytes or a text such as "64MB", got {amount!r}')
    return size


def bytes_text(size: float) -> str:
    """A number of bytes in the unit in which it reads best.

    Parameters
    ----------
    size : float
        Bytes.

    Returns
    -------
    str
        Three digits or so.

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
    """A time span in the unit in which it reads best.

    Parameters
    ----------
    seconds : float
        The span.

    Returns
    -------
    str
        Seconds, or minutes and hours.

    Examples
    --------
    >>> seconds_text(3.21), seconds_text(3725)
    ('3.2 s', '1:02:05')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
