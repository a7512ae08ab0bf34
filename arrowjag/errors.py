"""Exceptions: each is one of ours and also the builtin that a caller expects.

A message says what failed, where (dim and row), what was expected and what was found, and what to do instead.
"""

from __future__ import annotations

__all__ = [
    "JagError",
    "JagIndexError",
    "JagOverflowError",
    "JagRangeError",
    "JagTypeError",
    "JagValueError",
    "MissingDependencyError",
    "OffsetsError",
    "ShapeError",
]


class JagError(Exception):
    """Base of every exception that arrowjag raises on purpose."""


class ShapeError(JagError, ValueError):
    """Shapes, sizes or dims do not fit together."""


class OffsetsError(ShapeError):
    """Offsets are not a valid cut of the values they belong to."""


class JagIndexError(JagError, IndexError):
    """A position or an axis lies outside of the array."""


class JagTypeError(JagError, TypeError):
    """An operation has no meaning for a type, or an argument is of the wrong kind."""

    @classmethod
    def no_kernel(cls, operation: str, *types: object, hint: str = "") -> JagTypeError:
        """The error of an operation that a leaf type has no kernel for.

        Parameters
        ----------
        operation : str
            The public name of the operation.
        *types : object
            The Arrow types of the operands.
        hint : str
            What to do instead, a full sentence.

        Returns
        -------
        JagTypeError
            The exception, to be raised by the caller.

        Examples
        --------
        >>> from arrowjag import JagTypeError
        >>> print(JagTypeError.no_kernel("sum", "string"))
        sum has no kernel for string.
        """
        names = " and ".join(str(one) for one in types)
        return cls(f"{operation} has no kernel for {names}.{' ' + hint if hint else ''}")


class JagValueError(JagError, ValueError):
    """An argument has the right type and a value that has no meaning."""


class JagOverflowError(JagError, OverflowError):
    """A result does not fit its 64-bit type."""


class JagRangeError(JagValueError, JagOverflowError):
    """A number lies outside of the type that it meets; numpy raises `OverflowError` here, pyarrow `ValueError`."""


class MissingDependencyError(JagError, ImportError):
    """An optional package is needed and not installed."""

    @classmethod
    def of(cls, package: str, extra: str, purpose: str) -> MissingDependencyError:
        """The error for a missing optional package.

        Parameters
        ----------
        package : str
            Name of the package to install.
        extra : str
            Name of arrowjag's extra that brings it.
        purpose : str
            What it is needed for.

        Returns
        -------
        MissingDependencyError
            The exception, to be raised by the caller.

        Examples
        --------
        >>> from arrowjag import MissingDependencyError
        >>> print(MissingDependencyError.of("matplotlib", "plot", "a picture"))
        a picture needs the package matplotlib: pip install 'arrowjag[plot]'
        """
        return cls(f"{purpose} needs the package {package}: pip install 'arrowjag[{extra}]'")
