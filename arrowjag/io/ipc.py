"""Arrow IPC files, memory mapped when read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.errors import JagValueError
from arrowjag.io.atomic import atomic_target, local_path
from arrowjag.io.frames import check_host, from_table, index_columns, to_table
from arrowjag.io.locate import locate_file
from arrowjag.io.scan import conform_table, make_plan
from arrowjag.io.schemas import canonical

__all__ = ["read_ipc", "write_ipc"]

_FILE_MAGIC = b"ARROW1"


def read_ipc(path: Any, columns: Sequence[str] | None = None, to: str = "arrow", *, filesystem: Any = None) -> Any:
    """Read an Arrow IPC (Feather) file or stream without copying it.

    Parameters
    ----------
    path : str or path
        A local file is memory mapped and must stay as it is while the result lives (`write_ipc` replaces files, it never
        changes them); a link such as ``s3://bucket/a.arrow`` is read whole.
    columns : list of str, optional
        Columns, or parts of them as in `read_parquet`.
    to : {"arrow", "pandas", "polars"}
        The kind of frame.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        Where the path lies.

    Returns
    -------
    pa.Table, pandas.DataFrame or polars.DataFrame
        Jagged columns carry their type. Buffers lie in the file unless it is compressed.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    JagValueError
        If it is no IPC file, or a column is unknown; the message lists those that there are.

    Notes
    -----
    Offsets are taken as they are and checked the moment a column becomes an array.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_ipc({"x": aj.array([[1, None], None])}, folder + "/a.arrow")
    ...     aj.from_arrow(aj.read_ipc(folder + "/a.arrow")["x"]).to_list()
    [[1, None], None]
    """
    check_host(to)
    where, name = locate_file(path, filesystem)
    table = _read_table(_content(where, name), name)
    schema = pa.schema([field.with_type(canonical(field.type)) for field in table.schema], table.schema.metadata)
    if columns is not None and to == "pandas":
        columns = [*columns, *index_columns(schema)]
    plan = make_plan(schema, columns, None)
    return from_table(conform_table(table, plan.schema, name), to)


def _content(filesystem: pf.FileSystem, path: str) -> pa.Buffer:
    local = local_path(filesystem, path)
    if local is None:
        with filesystem.open_input_file(path) as source:
            return source.read_buffer()
    with pa.memory_map(local) as source:
        return source.read_buffer()  # keeps the mapping alive


def _read_table(content: pa.Buffer, name: str) -> pa.Table:
    is_file = memoryview(content)[: len(_FILE_MAGIC)] == _FILE_MAGIC
    try:
        reader = pa.ipc.open_file(content) if is_file else pa.ipc.open_stream(content)
        return reader.read_all()
    except (pa.ArrowInvalid, OSError) as error:
        raise JagValueError(f"{name} is no whole Arrow IPC file: {error}") from error


def write_ipc(frame: Any, path: Any, *, filesystem: Any = None, compression: str | None = None) -> None:
    """Write a frame to an Arrow IPC file, at once or not at all.

    Parameters
    ----------
    frame : pandas or polars DataFrame, polars LazyFrame, pa.Table, or dict of arrays
        What to write.
    path : str or path
        A local file, or a link. A crash leaves the old file or the new one.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        Where the path lies.
    compression : {"lz4", "zstd"}, optional
        By default none, so that the file can be read without a copy.

    Raises
    ------
    JagTypeError
        If `frame` is no frame.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_ipc({"x": aj.array([[1, None], None])}, folder + "/a.arrow", compression="zstd")
    """
    table = to_table(frame)
    where, target = locate_file(path, filesystem)
    options = pa.ipc.IpcWriteOptions(compression=compression, unify_dictionaries=True)
    with (
        atomic_target(where, target) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table)
