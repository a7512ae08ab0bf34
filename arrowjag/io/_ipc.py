"""Arrow IPC files, memory mapped when read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag._arguments import check_arguments
from arrowjag._pyarrow_versions import table_of, table_with_data_of_views
from arrowjag.errors import JagFileError, brief
from arrowjag.io._atomic import atomic_target, local_path, writing
from arrowjag.io._damage import checked, content_of, reading
from arrowjag.io._formats import START, other_format
from arrowjag.io._frames import from_table, index_columns, to_table
from arrowjag.io._locate import locate_file, reading_file
from arrowjag.io._scan import conform_table, make_plan
from arrowjag.io._schemas import canonical, refuse_equal_names, refuse_lost_types
from arrowjag.typing import Host

__all__ = ["read_ipc", "write_ipc"]

_FILE_MAGIC = b"ARROW1"


@check_arguments
def read_ipc(path: Any, columns: Sequence[str] | None = None, to: Host = "arrow", *, filesystem: Any = None) -> Any:
    """Read an Arrow IPC (Feather) file or stream without copying it.

    Parameters
    ----------
    path : str or path
        A local file is memory mapped and must not be modified while the result is in use (`write_ipc` replaces files and never
        modifies them); a URL such as ``s3://bucket/a.arrow`` is read completely.
    columns : list of str, optional
        Columns or fields inside them, as in `read_parquet`.
    to : {"polars", "pandas", "arrow"}
        The kind of frame to return.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        The file system of the path; by default derived from the path.

    Returns
    -------
    pa.Table, pandas.DataFrame or polars.DataFrame
        Jagged columns carry their type. Buffers point into the mapped file unless it is compressed.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    IsADirectoryError
        If the path is a folder.
    JagFileError
        If the file is truncated, damaged or not an IPC file, or if bytes follow a stream; the message names the column.
    JagValueError
        If a column is unknown (the message lists the known ones), or two have one name.

    Notes
    -----
    The function validates offsets, indices, UTF-8 and validity bitmaps once. Numeric values are not read from disk until they
    are used.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_ipc({"x": aj.array([[1, None], None])}, folder + "/a.arrow")
    ...     aj.from_arrow(aj.read_ipc(folder + "/a.arrow")["x"]).to_list()
    [[1, None], None]
    """
    where, name = locate_file(path, filesystem)
    with reading_file(where, name):
        return _read(_content(where, name), name, columns, to)


def _read(content: pa.Buffer, name: str, columns: Sequence[str] | None, to: str) -> Any:
    table = _read_table(content, name)
    refuse_equal_names(name, table.schema)
    schema = pa.schema([field.with_type(canonical(field.type)) for field in table.schema], table.schema.metadata)
    if columns is not None and to == "pandas":
        columns = [*columns, *index_columns(schema)]
    plan = make_plan(schema, columns, None)
    safe = [checked(table.column(one), f"{name}, column {brief(one)}") for one in plan.schema.names]
    table = table_of(safe, pa.schema([table.schema.field(one) for one in plan.schema.names]), table.num_rows)
    return from_table(conform_table(table, plan.schema, name), to)


def _content(filesystem: pf.FileSystem, path: str) -> pa.Buffer:
    local = local_path(filesystem, path)
    if local is None:
        with filesystem.open_input_file(path) as source:
            return content_of(source, path)
    with pa.memory_map(local) as source:
        return source.read_buffer()  # keeps the mapping alive


def _read_table(content: pa.Buffer, name: str) -> pa.Table:
    start = bytes(memoryview(content)[:START])
    is_file = start.startswith(_FILE_MAGIC)
    if (other := other_format(start, "IPC")) is not None:
        raise JagFileError(f"{name} {other}")
    read = pa.ipc.open_file if is_file else pa.ipc.open_stream
    with reading(f"{name} is truncated or not an Arrow IPC file: it"):
        source = pa.BufferReader(content)
        reader = read(source)
    try:
        with reading(name):
            table = reader.read_all()
    except JagFileError:
        for place, field in enumerate(reader.schema):
            with reading(f"{name}, column {field.name!r}"):
                read(content, options=pa.ipc.IpcReadOptions(included_fields=[place])).read_all()
        raise
    if not is_file:
        _refuse_rest(content[source.tell() :], name)
    return table


def _refuse_rest(rest: pa.Buffer, name: str) -> None:
    """Raise if bytes follow a stream, such as those of a second one: readers ignore them, and all of its rows."""
    if bytes(rest).strip(b"\0"):
        raise JagFileError(
            f"{name} holds {rest.size:,} bytes after the end of its stream, which may be another one: files of streams can't be "
            "joined byte by byte; read each stream by pyarrow.ipc.open_stream, and write their rows by arrowjag.write_ipc"
        )


@check_arguments
def write_ipc(frame: Any, path: Any, *, filesystem: Any = None, compression: Literal["lz4", "zstd"] | None = None) -> None:
    """Write a frame to an Arrow IPC file atomically.

    Parameters
    ----------
    frame : pandas or polars DataFrame, polars LazyFrame, pa.Table, or dict of arrays
        The frame to write.
    path : str or path
        A local file or a URL. A crash leaves either the old file or the new one.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        The file system of the path; by default derived from the path.
    compression : {"lz4", "zstd"}, optional
        Default None, so that the file can be read without a copy.

    Raises
    ------
    JagTypeError
        If `frame` is not a frame.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_ipc({"x": aj.array([[1, None], None])}, folder + "/a.arrow", compression="zstd")
    ...     aj.from_arrow(aj.read_ipc(folder + "/a.arrow")["x"]).to_list()
    [[1, None], None]
    """
    table = to_table(frame)
    where, target = locate_file(path, filesystem)
    refuse_lost_types(target, table.schema)
    options = pa.ipc.IpcWriteOptions(compression=None if compression is None else str(compression), unify_dictionaries=True)
    with (
        writing(target),
        atomic_target(where, target) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table_with_data_of_views(table))
