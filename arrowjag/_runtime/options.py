"""`arrowjag.options`: settings of the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, cast, get_args

from arrowjag.errors import JagValueError

__all__ = ["Options", "options"]

Compile = Literal["auto", "always", "never"]


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

    __slots__ = ("_compile",)

    def __init__(self) -> None:
        self._compile: Compile = "auto"

    @property
    def compile(self) -> Compile:
        """Whether operations run as machine code: ``"auto"``, ``"always"`` or ``"never"``."""
        return self._compile

    @compile.setter
    def compile(self, value: Compile) -> None:
        if not isinstance(cast("object", value), str) or value not in get_args(Compile):
            raise JagValueError.unknown("options.compile", get_args(Compile), value)
        self._compile = value

    @contextmanager
    def __call__(self, *, compile: Compile) -> Iterator[Options]:
        """Set options until the end of a ``with`` block; they hold for all threads of the process.

        Parameters
        ----------
        compile : {"auto", "always", "never"}
            As the attribute.

        Yields
        ------
        Options
            The options themselves.
        """
        before = self._compile
        self.compile = compile
        try:
            yield self
        finally:
            self._compile = before

    def __repr__(self) -> str:
        return f"arrowjag.options(compile={self._compile!r})"


options = Options()
"""The settings of this process."""
