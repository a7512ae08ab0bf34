"""Waiting for the process that compiles loops."""

from __future__ import annotations

import time

from arrowjag._kernels.compiled import background


def compiled_within(seconds: float) -> bool:
    """Wait until nothing is being compiled any more; False if that takes longer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        background._poll()
        if background._running is None and not background._waiting:
            return True
        time.sleep(0.02)
    return False
