"""Memory and cores that this process may use, as the operating system and its cgroups report them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["available_cores", "available_memory", "free_memory", "reported_memory"]

_CGROUPS = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")


def reported_memory() -> int | None:
    """Return the bytes of memory of the machine, or of the cgroup of this process if that is less.

    Returns
    -------
    int or None
        None if the system reports nothing.
    """
    found = [limit for limit in (_physical_memory(), *_cgroup_limits()) if limit is not None]
    return min(found, default=None)


def free_memory() -> int | None:
    """Return the bytes that this process can still write to, in memory and in swap space, before the system ends a process.

    Returns
    -------
    int or None
        None if the system reports nothing, as macOS and Windows do.
    """
    return min([*_free_of_system(), *_free_of_cgroups()], default=None)


def available_memory() -> int:
    """Return `reported_memory`, or 4 GB if the system reports nothing."""
    return reported_memory() or 4_000_000_000


def available_cores() -> int:
    """Return the number of cores that this process may use, given its CPU affinity and the quota of its cgroup.

    Returns
    -------
    int
        At least 1.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for folder in _cgroup_folders():
        try:
            quota, period = (folder / "cpu.max").read_text().split()
        except (OSError, ValueError):
            continue
        if quota != "max":
            cores = min(cores, max(1, round(int(quota) / int(period))))
    return cores


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _cgroup_limits() -> list[int]:
    """Return the memory limits of all cgroups of this process, version 2 and 1."""
    limits = []
    for folder in _cgroup_folders():
        for name in ("memory.max", "memory.limit_in_bytes"):
            with contextlib.suppress(OSError, ValueError):
                limits.append(int((folder / name).read_text()))
    return limits


def _free_of_system() -> list[int]:
    """Return what is free, with what the system can drop, such as copies of files; an empty list if it reports nothing."""
    with contextlib.suppress(OSError, ValueError):
        known = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines() if ":" in line)
        if "MemAvailable" in known:
            return [1024 * sum(int(known.get(name, "0 kB").split()[0]) for name in ("MemAvailable", "SwapFree"))]
    return []


_COUNTERS = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""Files with the limit of a cgroup and with what it uses, in version 2 and 1, and the copies of files that it can drop."""


def _free_of_cgroups() -> list[int]:
    """Return what the limits of all cgroups of this process leave."""
    found = []
    for folder in _cgroup_folders():
        for limit, used, droppable in _COUNTERS:
            with contextlib.suppress(OSError, ValueError):
                left = int((folder / limit).read_text()) - int((folder / used).read_text())
                counts = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
                found.append(max(0, left + int(counts.get(droppable, 0))))
    return found


def _cgroup_folders() -> list[Path]:
    """Return the folders of the cgroups of this process and their parents; a container mounts its own cgroup at the root."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    folders = [_CGROUPS, _CGROUPS / "memory"]
    for line in lines:
        _, controllers, path = line.split(":", 2)
        root = _CGROUPS if not controllers else _CGROUPS / "memory" if "memory" in controllers.split(",") else None
        place = path.strip("/")
        while root is not None and place:
            folders.append(root / place)
            place = place.rpartition("/")[0]
    return folders
