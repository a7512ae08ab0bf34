"""Errors of damaged files: `JagFileError` names file and column, and chains the exception of the reader as its cause."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pyarrow as pa

from arrowjag._gate import secure
from arrowjag.errors import JagError, JagFileError, JagMemoryError, ShapeError

__all__ = ["DAMAGE", "checked", "damaged", "reading"]

#: Exceptions that libraries raise for damaged bytes; pyarrow also passes on exceptions of Python.
DAMAGE = (
    pa.ArrowException,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    NotImplementedError,
    RecursionError,
    SystemError,
)


@contextlib.contextmanager
def reading(where: str) -> Iterator[None]:
    """Convert exceptions that libraries raise for damaged files to `JagFileError`.

    Parameters
    ----------
    where : str
        The file, and optionally its row group and column.

    Yields
    ------
    None
        Exceptions of arrowjag and of the operating system (no such file, no permission) pass unchanged.

    Raises
    ------
    JagFileError
        If the block raises; chained to the original exception.
    JagMemoryError
        If reading requires more memory than is available.
    """
    try:
        yield
    except JagError:
        raise
    except MemoryError as error:
        raise JagMemoryError(f"{where} requires more memory than is available: {error}") from error
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise damaged(error, where) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # panics of polars don't derive from Exception
            raise
        raise damaged(error, where) from error


def damaged(error: BaseException, where: str) -> JagFileError:
    """Create the error of a damaged file; the caller raises it from its cause."""
    return JagFileError(f"{where} is damaged or can't be read: {_first_line(error)}")


def checked(column: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    """Validate a column of a file, so that kernels and libraries can read it safely.

    Parameters
    ----------
    column : pa.ChunkedArray
        The column as the reader returned it.
    where : str
        File and column.

    Returns
    -------
    pa.ChunkedArray
        The column on the same buffers, which are registered as validated.

    Raises
    ------
    JagFileError
        If any level is corrupt.
    """
    with reading(where):
        try:
            return pa.chunked_array([secure(chunk, where) for chunk in column.chunks], column.type)
        except ShapeError as error:
            raise JagFileError(f"{error}: the file is damaged") from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
