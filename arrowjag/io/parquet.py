"""Parquet files that keep the type of jagged columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pf
import pyarrow.parquet as pq

from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.io.atomic import atomic_target
from arrowjag.io.files import StoredFile, files_of, has_keys, is_dataset
from arrowjag.io.frames import check_host, from_table, index_columns, to_table
from arrowjag.io.leaves import leaf_places, select
from arrowjag.io.locate import Located, locate, locate_file
from arrowjag.io.partitions import FILE_NAME, cut_by_keys
from arrowjag.io.row_groups import cut_rows
from arrowjag.io.scan import NO_MAP_KEYS, conform_table, full_schema, make_plan, open_parts, read_parts

if TYPE_CHECKING:
    import pyarrow.dataset as ds

__all__ = ["find_files", "is_parquet", "leaf_options", "open_dataset", "prune_files", "read_parquet", "write_parquet"]


def read_parquet(
    path_or_dataset: Any,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    to: str = "arrow",
    *,
    filesystem: Any = None,
    schema: pa.Schema | None = None,
    partitioning: Any = "hive",
    verify_checksums: bool = True,
) -> Any:
    """Read Parquet files; of jagged columns with their type.

    Parameters
    ----------
    path_or_dataset : str, path, list of them, file object, bytes, or pyarrow.dataset.Dataset
        A file, a link (``s3://bucket/a.parquet``, or any kind that fsspec knows), a pattern (``data/**/*.parquet``), or a folder,
        whose files are read in the order of their paths.
    columns : list of str, optional
        Columns, or parts of them: of ``"docs.score"`` only the column chunks of the field ``score`` are read, through any
        number of lists. The result then has a column ``docs`` of the same shape, its structs with nothing but the fields
        that were named.
    filters : pyarrow.compute.Expression, list of tuples, or list of lists of tuples, optional
        Rows to keep, as in `pyarrow.parquet.read_table`. Row groups whose statistics exclude them are not read.
    to : {"arrow", "pandas", "polars"}
        The kind of frame.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        Where the paths lie.
    schema : pa.Schema, optional
        The columns and types of the result, when those of the files shall not decide; files are brought to it without a loss.
    partitioning : str, list, pyarrow.dataset.Partitioning or None
        How names of folders are read, as `pyarrow.dataset.dataset` takes it: by default ``key=value`` becomes a column.
    verify_checksums : bool
        Whether pages are compared with their checksums, where the file has some.

    Returns
    -------
    pa.Table, pandas.DataFrame or polars.DataFrame
        Jagged columns carry their type, dictionaries and times of any unit the one that they were written in. Rows come in
        the order of the files. Columns that a file lacks are null there; types that differ are widened, lists of any kind
        meet as `large_list`, and a jagged type meets plain lists.

    Raises
    ------
    FileNotFoundError
        If there is no such file, or none in the folder.
    JagValueError
        If a column, a leaf or a name in the filter is unknown; the message lists those that there are. If a value does not
        fit the type of the result.
    JagTypeError
        If files hold a column in types that don't go together; files and column are named.

    Notes
    -----
    Null, empty and missing rows come back as they were written. The whole result is held in memory, each row group as a chunk;
    `arrowjag.etl` and polars' streaming engine go through files that are larger.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> docs = aj.zip(score=aj.array([[0.5, 0.25], []]), id=aj.array([[7, 8], []]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_parquet({"docs": docs}, folder + "/a.parquet")
    ...     table = aj.read_parquet(folder + "/a.parquet", columns=["docs.score"])
    >>> aj.from_arrow(table["docs"])["score"].to_list()
    [[0.5, 0.25], []]
    """
    check_host(to)
    if is_dataset(path_or_dataset) and not is_parquet(path_or_dataset):
        return from_table(_read_dataset(path_or_dataset, columns, filters, schema), to)
    files, partitions = find_files(path_or_dataset, filters, filesystem=filesystem, partitioning=partitioning)
    parts = open_parts(files if filters is None else [file.with_fragment() for file in files], partitions)
    there = full_schema(parts, partitions) if schema is None else schema
    if columns is not None and to == "pandas":
        columns = [*columns, *index_columns(there)]
    return from_table(read_parts(parts, there, columns, filters, verify_checksums), to)


def find_files(
    source: Any, filters: Any = None, *, filesystem: Any = None, partitioning: Any = "hive"
) -> tuple[list[StoredFile], pa.Schema]:
    """The files that `read_parquet` would read, and the columns that the names of their folders make."""
    found = _open(source, filesystem, partitioning)
    return prune_files(found, filters) if is_dataset(found) else (found, pa.schema([]))


def _open(source: Any, filesystem: Any, partitioning: Any) -> Any:
    """A dataset, or a list of files where folders have nothing to say."""
    if is_dataset(source):
        return source
    if isinstance(source, (bytes, bytearray, memoryview)):
        source = pa.py_buffer(source)
    if isinstance(source, (pa.Buffer, pa.NativeFile)):
        return [StoredFile("", content=source)]
    if hasattr(source, "read") and hasattr(source, "seek"):
        return [StoredFile("", content=pa.PythonFile(source, mode="r"))]
    found = locate(source, filesystem)
    files = [StoredFile(path, found.filesystem) for path in found.paths]
    is_plain = partitioning is None or (isinstance(partitioning, str) and not has_keys(found.paths, found.base or ""))
    if found.base is None or is_plain:
        return files
    try:
        return open_dataset(found, partitioning)
    except pa.ArrowInvalid as error:
        if NO_MAP_KEYS in str(error):
            return files
        raise JagValueError(f"{source} can't be read as Parquet files: {error}") from error


def open_dataset(found: Located, partitioning: Any) -> ds.Dataset:
    """Files and the columns that names of their folders make, which win over columns of the same name in files.

    pyarrow's own `dataset` wants both to have one type.
    """
    import pyarrow.dataset as ds

    if isinstance(partitioning, str):
        partitioning = ds.partitioning(flavor=partitioning)
    elif isinstance(partitioning, (list, tuple)):
        partitioning = ds.partitioning(field_names=list(partitioning))
    options = ds.FileSystemFactoryOptions(partitioning=partitioning, partition_base_dir=found.base or "")
    factory = ds.FileSystemDatasetFactory(found.filesystem, found.paths, ds.ParquetFileFormat(), options)
    first, *_, folders = factory.inspect_schemas()
    return factory.finish(pa.schema([*(field for field in first if field.name not in folders.names), *folders]))


def is_parquet(dataset: ds.Dataset) -> bool:
    """Whether a dataset is one of Parquet files."""
    import pyarrow.dataset as ds

    return isinstance(dataset, ds.FileSystemDataset) and isinstance(dataset.format, ds.ParquetFileFormat)


def prune_files(dataset: ds.Dataset, filters: Any) -> tuple[list[StoredFile], pa.Schema]:
    """Files that the names of their folders don't exclude, and the columns that these names make."""
    partitioning = dataset.partitioning
    partitions = pa.schema([]) if partitioning is None else partitioning.schema
    everything = files_of(dataset.get_fragments())
    names = {name for one in everything for name in one.keys}
    partitions = pa.schema([field for field in partitions if field.name in names])
    if filters is None:
        return everything, partitions
    try:
        expression = filters if isinstance(filters, pc.Expression) else pq.filters_to_expression(filters)
        return files_of(dataset.get_fragments(filter=expression)) or everything, partitions
    except (ValueError, TypeError, pa.ArrowException):
        return everything, partitions  # it may speak of columns that only later files have, and is checked against all of them


def _read_dataset(dataset: ds.Dataset, columns: Sequence[str] | None, filters: Any, schema: pa.Schema | None) -> pa.Table:
    """Data in memory, or files of another kind: pyarrow reads whole columns, and what nobody asked for is dropped."""
    plan = make_plan(dataset.schema if schema is None else schema, columns, filters)
    table = dataset.to_table(columns=plan.read_schema.names, filter=plan.filter)
    return conform_table(table, plan.schema, "the dataset")


def write_parquet(
    frame: Any,
    path: Any,
    *,
    filesystem: Any = None,
    partition_by: str | Sequence[str] | None = None,
    row_group_size: int = 2**20,
    row_group_values: int = 2**24,
    **options: Any,
) -> None:
    """Write a frame to one Parquet file, at once or not at all; or to one for each value of some columns.

    Parameters
    ----------
    frame : pandas or polars DataFrame, polars LazyFrame, pa.Table, or dict of arrays
        What to write.
    path : str or path
        A local file, or a link such as ``s3://bucket/a.parquet``.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        Where the path lies.
    partition_by : str or list of str, optional
        Columns whose values make folders ``key=value`` below `path`, which is a folder then; each gets a file ``part-0.parquet``.
        The files don't hold these columns. `read_parquet` makes them of the folders: whole numbers of 32 bits and text that looks
        like them come back as int32, all else as text; ``partitioning=`` says other types. Rows of one key keep their order.
    row_group_size : int
        Rows in a row group, at most.
    row_group_values : int
        Leaf values of one column in a row group, at most. A row group is what readers hold in memory and skip by its
        statistics, and rows of jagged columns say little about its size. A row that holds more stands in a row group alone.
    **options
        Those of `pyarrow.parquet.ParquetWriter`. Where they name columns (``use_dictionary``, ``compression``,
        ``compression_level``, ``column_encoding``, ``use_byte_stream_split``, ``write_statistics``), names are as in
        `read_parquet`, and stand for all leaves below. Pages get checksums unless ``write_page_checksum=False``.

    Raises
    ------
    JagTypeError
        If Parquet has no place for a type, or `frame` is no frame; if a column to partition by holds lists, structs or floats.
    JagValueError
        If an option names an unknown column; if nothing is left for the files, or a key is null in every row.

    Notes
    -----
    A local file is written beside its place and moved in after a clean close; elsewhere the finished file is put in one call.
    A crash leaves the old file or the new one, an exception leaves everything as it was. With `partition_by` that holds for each
    file by itself: files of the same keys are replaced, those of others stay. A null key has the folder
    ``key=__HIVE_DEFAULT_PARTITION__``; a frame without rows makes one file with all of its columns. Readers that don't know
    arrowjag see nested lists; pandas without arrowjag sees objects.

    Null rows, empty rows and nulls at every level are kept apart. Nothing of the frame is copied but what pandas holds in
    blocks; a remote file is held in memory once more while it is sent.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> x = aj.array([[1.5, None], None, []])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_parquet({"x": x}, folder + "/a.parquet", use_byte_stream_split=["x"], compression="zstd")
    ...     aj.from_arrow(aj.read_parquet(folder + "/a.parquet")["x"]).to_list()
    [[1.5, None], None, []]

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_parquet({"x": x, "year": [2024, 2023, 2024]}, folder + "/data", partition_by="year")
    ...     aj.read_parquet(folder + "/data", filters=[("year", "=", 2024)])["x"].to_pylist()
    [[1.5, None], []]
    """
    table = to_table(frame)
    where, target = locate_file(path, filesystem)
    if partition_by is None:
        _write_file(table, where, target, row_group_size, row_group_values, options)
        return
    if where.get_file_info(target).type == pf.FileType.File:
        raise JagValueError(f"{path} is a file: with partition_by name a folder")
    for folder, part in cut_by_keys(table, partition_by):
        place = f"{target.rstrip('/')}/{folder}".rstrip("/")
        where.create_dir(place, recursive=True)
        _write_file(part, where, f"{place}/{FILE_NAME}", row_group_size, row_group_values, options)


def _write_file(table: pa.Table, where: Any, path: str, row_group_size: int, row_group_values: int, options: Any) -> None:
    runs = list(cut_rows(table, row_group_size, row_group_values))
    settings = {"write_page_checksum": True} | leaf_options(options, table.schema)
    with atomic_target(where, path) as temporary:
        try:
            with pq.ParquetWriter(str(temporary), table.schema, **settings) as writer:
                for start, stop in runs:
                    writer.write_table(table.slice(start, stop - start), row_group_size=stop - start)
        except pa.ArrowNotImplementedError as error:
            raise JagTypeError(f"Parquet has no place for a column of {path}: {error}; cast it first") from error


# ------------------------------------------------------------------------------------------------- options by column

_LISTS = ("use_dictionary", "use_byte_stream_split", "write_statistics")
_TABLES = ("compression", "compression_level", "column_encoding")


def leaf_options(options: dict[str, Any], schema: pa.Schema) -> dict[str, Any]:
    """Options that name columns, with the physical paths of their leaves instead."""
    named = {key: options[key] for key in _LISTS if _is_list(options.get(key))}
    keyed = {key: options[key] for key in _TABLES if isinstance(options.get(key), Mapping)}
    if not named and not keyed:
        return options
    paths = _physical_paths(schema, options)
    result = options | {key: [path for name in names for path in _paths_of(name, schema, paths)] for key, names in named.items()}
    for key, table in keyed.items():
        result[key] = {path: value for name, value in table.items() for path in _paths_of(name, schema, paths)}
    encoded = {*result.get("column_encoding", ()), *(result["use_byte_stream_split"] if "use_byte_stream_split" in named else ())}
    if encoded and result.get("use_dictionary", True) is True:
        # Parquet takes a dictionary before any other encoding.
        result["use_dictionary"] = [path for path in paths if path not in encoded]
    return result


def _is_list(option: Any) -> bool:
    return isinstance(option, Sequence) and not isinstance(option, str)


def _physical_paths(schema: pa.Schema, options: dict[str, Any]) -> list[str]:
    """What Parquet calls the leaves, learned from a file without rows."""
    sink = pa.BufferOutputStream()
    nested = {key: value for key, value in options.items() if key == "use_compliant_nested_type"}
    try:
        pq.ParquetWriter(sink, schema, **nested).close()
    except pa.ArrowNotImplementedError as error:
        raise JagTypeError(f"Parquet has no place for a column: {error}; cast it first") from error
    stored = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    return [stored.column(place).path for place in range(len(stored))]


def _paths_of(name: str, schema: pa.Schema, paths: list[str]) -> list[str]:
    """A physical path is taken as it is."""
    return [name] if name in paths else [paths[place] for place in leaf_places(schema, select(schema, [name]))]
