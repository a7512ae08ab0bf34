"""The footers of files that jobs have written: a damaged file has none, a file that can't be read now is an error.

Resume deletes a damaged result and runs its task again. A file without permission, or on a store that is down, may be intact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq

from arrowjag.errors import JagFileError, joined_lines
from arrowjag.etl._schema import METADATA_KEY
from arrowjag.io._damage import reading
from arrowjag.io._footer import read_content, with_magic

__all__ = ["Footer", "read_footer"]

# Exceptions for damaged bytes: pyarrow raises OSError for Thrift that it can't parse.
_DAMAGED = (pa.ArrowException, OSError, ValueError)


class Footer(NamedTuple):
    """The footer of a file as a file without rows, the size of the whole file, its metadata, and what a job has written there."""

    file: pq.ParquetFile
    size: int
    metadata: Mapping[bytes, bytes]
    facts: dict[str, Any]


def read_footer(filesystem: pf.FileSystem, path: str) -> Footer | None:
    """Read the footer of a file that a job may have written.

    Parameters
    ----------
    filesystem : pyarrow.fs.FileSystem
        The file system of results.
    path : str
        The file.

    Returns
    -------
    Footer or None
        None if the file does not exist or is damaged.

    Raises
    ------
    JagFileError
        If the file can't be read, for lack of permission or because its store is down.
    """
    try:
        with reading(path, "can't be read"), filesystem.open_input_file(path) as file:
            size, content = file.size(), _content(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = joined_lines(error).removeprefix(f"{path} can't be read: ")
        raise JagFileError(
            f"{path} can't be read: {reason}; it may be a result, which is neither kept nor replaced unread: make it readable, or "
            "delete it"
        ) from error
    try:
        found = pq.ParquetFile(pa.BufferReader(with_magic(content)))
        metadata = found.metadata.metadata or {}
        facts = json.loads(metadata.get(METADATA_KEY, b"{}"))
    except (*_DAMAGED, RecursionError):
        return None
    return Footer(found, size, metadata, facts if isinstance(facts, dict) else {})


def _content(file: pa.NativeFile) -> bytes:
    """Return the serialized footer; empty if the file has none, or an encrypted one."""
    try:
        return read_content(file)
    except ValueError as error:
        if isinstance(error, OSError):
            raise
        return b""
