"""Errors of damaged files: `JagFileError` names file and column, and chains the exception of the reader as its cause."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import pyarrow as pa

from arrowjag._gate import secure
from arrowjag.errors import JagError, JagFileError, JagMemoryError, ShapeError

__all__ = ["DAMAGE", "checked", "content_of", "damaged", "describe_missing", "reading"]

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
def reading(where: str, failure: str = "is damaged or can't be read") -> Iterator[None]:
    """Convert exceptions of libraries and stores to `JagFileError`.

    Parameters
    ----------
    where : str
        The file, and optionally its row group and column.
    failure : str
        The text of the error.

    Yields
    ------
    None
        Exceptions of arrowjag and of the operating system (such as no permission) pass unchanged, as do warnings; those of the
        system whose text has no path get that of the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file, or only a link to one.
    JagFileError
        If the block raises another exception; chained to it. Clients of stores have exceptions of their own, of any class.
    JagMemoryError
        If reading requires more memory than is available.
    """
    try:
        yield
    except JagError:
        raise
    except MemoryError as error:
        raise JagMemoryError.of(f"{where} requires", error) from error
    except Warning:
        raise
    except Exception as error:
        if isinstance(error, FileNotFoundError):  # the text of that of fsspec is only the path
            raise FileNotFoundError(describe_missing(where)) from error
        if isinstance(error, OSError) and error.errno is not None and not isinstance(error, (ConnectionError, TimeoutError)):
            if error.filename is None and where.partition(", ")[0] not in str(error):  # errors of store clients name no path
                raise OSError(error.errno, f"{where}: {error.strerror}") from error
            raise
        raise damaged(error, where, failure) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # panics of polars don't derive from Exception
            raise
        raise damaged(error, where, failure) from error


def describe_missing(path: str) -> str:
    """Return the message that there is no such file, which says of a dangling link where it points."""
    if os.path.islink(path):  # noqa: PTH114 - URLs aren't paths
        return f"{path} is a link to {os.readlink(path)}, which does not exist"  # noqa: PTH115
    return f"{path}: no such file or folder"


def damaged(error: BaseException, where: str, failure: str = "is damaged or can't be read") -> JagFileError:
    """Create the error of a damaged file; the caller raises it from its cause."""
    return JagFileError(f"{where} {failure}: {_first_line(error)}")


def content_of(source: pa.NativeFile, name: str) -> pa.Buffer:
    """Read an open file to its end.

    Parameters
    ----------
    source : pa.NativeFile
        The file, open for reading.
    name : str
        Its name in messages.

    Returns
    -------
    pa.Buffer
        The content.

    Raises
    ------
    JagFileError
        If a store returns fewer bytes than the size that it reports: lines and streams that end early look complete.
    """
    content = source.read_buffer()
    if content.size < source.size():
        raise JagFileError(f"{name}: the store returned {content.size:,} of {source.size():,} bytes; read the file again")
    return content


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
