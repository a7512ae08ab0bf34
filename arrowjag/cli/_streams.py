"""Errors of the output: a reader that has closed its pipe, a full disk."""

from __future__ import annotations

import errno
import os
import sys

__all__ = ["failure_text", "leave_pipe"]

_FULL = {errno.ENOSPC, errno.EFBIG, errno.EIO, *([errno.EDQUOT] if hasattr(errno, "EDQUOT") else [])}


def leave_pipe() -> int:
    """End without an error: the reader, such as `head`, has read what it wanted, and closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def failure_text(error: Exception) -> str:
    """Return the message of an error; one of the disk that names no file is of stdout, because all others name theirs."""
    if not isinstance(error, OSError) or error.filename is not None or error.errno not in _FULL:
        return str(error)
    if error.strerror == os.strerror(error.errno):
        return f"stdout can't be written: {error.strerror}"
    return str(error)
