"""Atomic writes: a temporary beside the target, moved in after a clean close."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

__all__ = ["atomic_path"]


@contextlib.contextmanager
def atomic_path(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path that becomes the target when the block ends well, and vanishes when it does not.

    Parameters
    ----------
    target : path
        A local file.

    Yields
    ------
    Path
        In the same folder; its name does not end like the target's.
    """
    final = Path(target)
    temporary = final.with_name(f".{final.name}.{uuid.uuid4().hex}.part")
    try:
        yield temporary
        with temporary.open("rb+") as handle:
            os.fsync(handle.fileno())
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)
