"""Memory that a process holds, as the operating system reports it.

On Linux anonymous and shared pages count; pages of mapped files don't, because the system can drop them. macOS reports the peak
of a process to itself (`resource`). Windows reports nothing, so that no worker is killed for its memory there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["own_memory", "process_memory"]

_HELD = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)


def process_memory(pid: int | str) -> int | None:
    """Return the bytes of memory that a process holds now.

    Parameters
    ----------
    pid : int or str
        Process id, or ``"self"``.

    Returns
    -------
    int or None
        None if the system doesn't report it, or the process has ended.

    Examples
    --------
    >>> process_memory(0) is None
    True
    """
    try:
        found = _HELD.findall(Path(f"/proc/{pid}/status").read_bytes())
    except OSError:
        return None
    return 1024 * sum(map(int, found)) if found else None


def own_memory() -> int | None:
    """Return the bytes of memory that this process holds, or its peak where the system reports only that.

    Returns
    -------
    int or None
        None on Windows.
    """
    now = process_memory("self")
    if now is not None or sys.platform == "win32":
        return now
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
