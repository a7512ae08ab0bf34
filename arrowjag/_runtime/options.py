"""`arrowjag.options`: settings of the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, cast, get_args

from arrowjag.errors import JagValueError

__all__ = ["Options", "options"]

Compile = Literal["auto", "always", "never"]


class _State:
    """Values of all options; equal to itself only."""

    __slots__ = ("compile",)

    def __init__(self, compile: Compile) -> None:
        self.compile: Compile = compile


def _checked(value: Compile) -> Compile:
    if not isinstance(cast("object", value), str) or value not in get_args(Compile):
        raise JagValueError.unknown("options.compile", get_args(Compile), value)
    return value


class Options:
    """Settings of the process; read and written as attributes, or set for a block by a call.

    Attributes
    ----------
    compile : {"auto", "always", "never"}
        Whether operations run compiled loops if numba is installed. ``"auto"`` uses loops from the cache, and compiles those for
        large inputs in a background process while other kernels compute the results; ``"always"`` waits for the compiler;
        ``"never"`` uses numpy, pyarrow and polars only. Results are the same, bit for bit.

    Examples
    --------
    >>> import arrowjag as aj
    >>> with aj.options(compile="never"):
    ...     aj.array([[1.5, 2.0], []]).sum().to_list()
    [3.5, 0.0]
    """

    __slots__ = ("_states",)

    def __init__(self) -> None:
        # The value of the process, then that of each block that is not left yet. Blocks of threads end in any order.
        self._states: list[_State] = [_State("auto")]

    @property
    def compile(self) -> Compile:
        """Whether operations run as machine code: ``"auto"``, ``"always"`` or ``"never"``."""
        return self._states[-1].compile

    @compile.setter
    def compile(self, value: Compile) -> None:
        self._states[-1].compile = _checked(value)

    @contextmanager
    def __call__(self, *, compile: Compile) -> Iterator[Options]:
        """Set options until the end of a ``with`` block; they hold for all threads of the process.

        Of blocks in several threads, the one that was entered last decides; the order in which they end doesn't matter.

        Parameters
        ----------
        compile : {"auto", "always", "never"}
            As the attribute.

        Yields
        ------
        Options
            The options themselves.
        """
        state = _State(_checked(compile))
        self._states.append(state)
        try:
            yield self
        finally:
            self._states.remove(state)

    def __repr__(self) -> str:
        return f"arrowjag.options(compile={self.compile!r})"


Options.__call__.__wrapped__.__qualname__ = "options"  # type: ignore[attr-defined]  # for errors of arguments
options = Options()
"""The settings of this process."""
