"""Plain loops over rows as machine code: numba compiles them once per machine, llvmlite loads them from a cache of checked files.

`find` returns a loop that is ready to be called, or None: kernels then take another strategy. Nothing here raises because of a
missing package, a damaged file, a full disk or a compiler that failed.
"""

from __future__ import annotations

from arrowjag._kernels.compiled.library import Compiled, find, is_available

__all__ = ["Compiled", "find", "fused_name", "is_available"]


def fused_name(program: str) -> str:
    """The name of the loop that a program generates; see `loops.programs`."""
    return f"fused:{program}"
