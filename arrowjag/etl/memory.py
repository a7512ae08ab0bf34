"""How much memory a process holds, as the system tells.

On Linux a process' own pages and shared ones count, those of mapped files don't: what the system can drop is not held. Other
systems tell a process the most that it ever held (`resource`), and Windows tells nothing: there no worker is ended for its memory.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["own_memory", "process_memory"]

_HELD = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)


def process_memory(pid: int | str) -> int | None:
    """Bytes that another process holds now.

    Parameters
    ----------
    pid : int or str
        Its number, or ``"self"``.

    Returns
    -------
    int or None
        None where the system doesn't tell, or the process has ended.

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
    """Bytes that this process holds, or has held at most where the system tells nothing else.

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
