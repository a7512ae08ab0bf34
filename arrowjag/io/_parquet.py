"""Read and write Parquet files; jagged columns keep their type."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pf
import pyarrow.parquet as pq
import pyarrow.types as pt

from arrowjag._arguments import check_arguments
from arrowjag._integers import integer
from arrowjag._pyarrow_versions import check_seconds, parquet_schema, table_of
from arrowjag.errors import JagError, JagFileError, JagTypeError, JagValueError, brief
from arrowjag.io._atomic import atomic_target, writing
from arrowjag.io._categories import Recorded, category_facts, with_categories
from arrowjag.io._damage import checked, reading
from arrowjag.io._dictionaries import leaves_without_repeats
from arrowjag.io._files import StoredFile, files_of, has_keys, is_dataset
from arrowjag.io._footer import NO_MAP_KEYS, encoded_schema
from arrowjag.io._frames import from_table, index_columns, to_table
from arrowjag.io._leaves import leaf_places, leaf_types, select
from arrowjag.io._locate import Located, TableFolderError, locate, locate_file
from arrowjag.io._partitions import FILE_NAME, cut_by_keys, key_types
from arrowjag.io._plain import plain_schema
from arrowjag.io._python_files import open_python_file
from arrowjag.io._row_groups import cut_rows
from arrowjag.io._scan import Part, ReplacedFileError, conform_table, full_schema, make_plan, open_parts, read_parts
from arrowjag.io._schemas import refuse_equal_names, refuse_lost_types
from arrowjag.io._snapshots import open_snapshot
from arrowjag.io._stores import check_options
from arrowjag.io._tables import Snapshot, is_table
from arrowjag.typing import Host

if TYPE_CHECKING:
    import pyarrow.dataset as ds

__all__ = [
    "FileWriter",
    "check_writer",
    "is_parquet",
    "leaf_options",
    "open_dataset",
    "open_files",
    "open_source",
    "prune_files",
    "read_parquet",
    "write_parquet",
]


@check_arguments
def read_parquet(  # noqa: PLR0913  (what pandas and pyarrow take, too)
    path_or_dataset: Any,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    to: Host = "arrow",
    *,
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    schema: pa.Schema | None = None,
    partitioning: Any = "hive",
    verify_checksums: bool = True,
) -> Any:
    """Read Parquet files; jagged columns keep their type.

    Parameters
    ----------
    path_or_dataset : str, path, list of them, file object, bytes, dataset or table
        A file, a URL (``s3://bucket/a.parquet``, or any kind that fsspec knows), a pattern (``data/**/*.parquet``), a folder,
        whose files are read in the order of their paths, or a `pyarrow.dataset.Dataset`. A table of Delta Lake
        (``delta://path``, its folder, or a `deltalake.DeltaTable`) or of Iceberg (``iceberg://catalog/namespace.table``, or a
        table of pyiceberg) is read at its current version, or at the version that it was opened with.
    columns : list of str, optional
        Columns, or fields inside them: ``"docs.score"`` reads only the column chunks of the field ``score``, through any
        number of lists; the fields of a map are ``"m.key"`` and ``"m.value"``. The result then has a column ``docs`` of the same
        shape, whose structs hold only the selected fields.
    filters : pyarrow.compute.Expression, list of tuples, or list of lists of tuples, optional
        Rows to keep, as in `pyarrow.parquet.read_table`; tuples compare numbers by value, and dates and times with text such as
        ``"2024-05-01"``, too, and name fields of structs as `columns` does: ``("p.a", "==", 1)``. Row groups whose statistics
        exclude them are not read, unless NaN may satisfy the filter (``!=``, negations and functions of floats), because
        statistics leave NaN out.
    to : {"polars", "pandas", "arrow"}
        The kind of frame to return.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        The file system of the paths; by default derived from the paths.
    storage_options : dict, optional
        Options for URLs, with the names of object_store: ``aws_access_key_id``, ``aws_region``, ``aws_endpoint_url``,
        ``aws_allow_http``...
    schema : pa.Schema, optional
        The columns and types of the result; by default the merged schema of the files. Values that don't fit raise; floats are
        rounded to a narrower float type.
    partitioning : str, list, pyarrow.dataset.Partitioning or None
        How names of folders are read, as in `pyarrow.dataset.dataset`: by default ``key=value`` becomes a column.
    verify_checksums : bool
        Whether to verify the checksums of pages, if the file has them.

    Returns
    -------
    pa.Table, pandas.DataFrame or polars.DataFrame
        Jagged columns carry their type; in pandas every list column is jagged, and structs and maps are Arrow-backed.
        Dictionaries, ordered or not, and times of any unit keep the type in which they were written. Rows keep the order of the
        files. A column missing from a file is null in its rows. Types that differ between files are widened: different kinds of
        lists become `large_list`, and jagged with plain lists become jagged.

    Raises
    ------
    FileNotFoundError
        If the file does not exist, or the folder contains none.
    JagFileError
        If a file is damaged; the message names file, row group and column.
    JagValueError
        If a column, a leaf or a name in the filter is unknown (the message lists the known ones), or if a value can't be cast
        to the type of the result.
    JagTypeError
        If files hold a column in incompatible types and `schema` is not given; the message names files and column.

    Notes
    -----
    Null rows, empty rows and null values are preserved. The whole result is held in memory, with one chunk per row group; for
    files larger than memory use `arrowjag.etl` or polars' streaming engine.

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
    if is_dataset(path_or_dataset) and not is_parquet(path_or_dataset):
        return from_table(_read_dataset(path_or_dataset, columns, filters, schema), to)
    options = check_options(storage_options)

    def read() -> pa.Table:
        parts, there = open_source(path_or_dataset, filters, filesystem, partitioning, options, schema)
        wanted = columns if columns is None or to != "pandas" else [*columns, *index_columns(there)]
        return read_parts(parts, there, wanted, filters, verify_checksums)

    for _ in range(2):
        with contextlib.suppress(ReplacedFileError):  # by a writer, between its footer and its rows
            return from_table(read(), to)
    return from_table(read(), to)


def open_source(
    source: Any,
    filters: Any = None,
    filesystem: Any = None,
    partitioning: Any = "hive",
    options: Mapping[str, str] | None = None,
    schema: pa.Schema | None = None,
) -> tuple[list[Part], pa.Schema]:
    """Return the files that `read_parquet` would read, with their footers, and the schema of all of them or that of the caller."""
    options = options or {}
    if is_table(source):
        return _snapshot(open_snapshot(source, options), schema)
    if is_dataset(source):
        return _opened(*prune_files(source, filters), schema)[:2]
    opened = _content(source)
    if opened is not None:
        return _opened([StoredFile("", content=opened)], pa.schema([]), schema)[:2]
    try:
        found = locate(source, filesystem, options)
    except TableFolderError as error:
        return _snapshot(open_snapshot(error, options), schema)
    return open_files(found, filters, partitioning, schema)[:2]


def _snapshot(snapshot: Snapshot, schema: pa.Schema | None) -> tuple[list[Part], pa.Schema]:
    return snapshot.parts(), snapshot.schema if schema is None else schema


def _opened(
    files: Sequence[StoredFile], partitions: pa.Schema, schema: pa.Schema | None
) -> tuple[list[Part], pa.Schema, pa.Schema]:
    parts = open_parts(files, partitions)
    if schema is None:
        return parts, full_schema(parts, partitions), partitions
    for part in parts:
        refuse_equal_names(part.name, part.schema)
    return parts, schema, partitions


def _content(source: Any) -> Any:
    """Return the data or open file that a caller passed; None for paths."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        source = pa.py_buffer(source)
    if isinstance(source, (pa.Buffer, pa.NativeFile)):
        return source
    return open_python_file(source) if hasattr(source, "read") and hasattr(source, "seek") else None


def open_files(
    found: Located, filters: Any = None, partitioning: Any = "hive", schema: pa.Schema | None = None
) -> tuple[list[Part], pa.Schema, pa.Schema]:
    """Return files with their footers, the schema of all of them or that of the caller, and the columns of partition folders."""
    files = [StoredFile(path, found.filesystem) for path in found.paths]
    is_plain = partitioning is None or (isinstance(partitioning, str) and not has_keys(found.paths, found.base or ""))
    if found.base is None or is_plain:
        return _opened(files, pa.schema([]), schema)
    try:
        with reading(found.base):
            dataset = open_dataset(found, partitioning, schema)
    except JagFileError as error:
        if NO_MAP_KEYS in str(error.__cause__):
            return _opened(files, pa.schema([]), schema)
        raise
    return _opened(*prune_files(dataset, filters), schema)


def open_dataset(found: Located, partitioning: Any, schema: pa.Schema | None = None) -> ds.Dataset:
    """Open files as a dataset in which partition columns take precedence over columns of the same name in files.

    pyarrow's own `dataset` requires both to have the same type. Names of folders are read as the types of a given schema.
    """
    import pyarrow.dataset as ds

    if isinstance(partitioning, str):
        partitioning = ds.partitioning(flavor=partitioning)
    elif isinstance(partitioning, (list, tuple)):
        partitioning = ds.partitioning(field_names=list(partitioning))
    factory = _factory(found, partitioning)
    try:
        first, *_, folders = factory.inspect_schemas()
    except pa.ArrowInvalid as error:
        if "No non-null segments" not in str(error):
            raise
        factory = _factory(found, ds.partitioning(key_types(found.paths, found.base or ""), flavor="hive"))
        first, *_, folders = factory.inspect_schemas()
    inside = [field for field in first if field.name not in folders.names]
    known = set() if schema is None else {*schema.names}
    typed = [schema.field(field.name) if schema is not None and field.name in known else field for field in folders]
    try:
        return factory.finish(pa.schema([*inside, *typed]))
    except pa.ArrowException:  # Arrow reads no folders as decimals, for example: their text is cast later
        return factory.finish(pa.schema([*inside, *folders]))


def _factory(found: Located, partitioning: Any) -> ds.FileSystemDatasetFactory:
    import pyarrow.dataset as ds

    options = ds.FileSystemFactoryOptions(partitioning=partitioning, partition_base_dir=found.base or "")
    return ds.FileSystemDatasetFactory(found.filesystem, found.paths, ds.ParquetFileFormat(), options)


def is_parquet(dataset: ds.Dataset) -> bool:
    """Return whether a dataset consists of Parquet files."""
    import pyarrow.dataset as ds

    return isinstance(dataset, ds.FileSystemDataset) and isinstance(dataset.format, ds.ParquetFileFormat)


def prune_files(dataset: ds.Dataset, filters: Any) -> tuple[list[StoredFile], pa.Schema]:
    """Return the files whose partition folders don't exclude a filter, and the partition columns."""
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
    except (ValueError, TypeError, OverflowError, pa.ArrowException):
        return everything, partitions  # columns may exist in later files only; the caller checks names


def _read_dataset(dataset: ds.Dataset, columns: Sequence[str] | None, filters: Any, schema: pa.Schema | None) -> pa.Table:
    """Read a dataset in memory or of other file formats: pyarrow reads whole columns; then drop the fields not selected."""
    plan = make_plan(dataset.schema if schema is None else schema, columns, filters)
    with reading("the dataset"):
        table = dataset.to_table(columns=plan.read_schema.names, filter=plan.filter)
    safe = [checked(table.column(one), f"the dataset, column {brief(one)}") for one in table.column_names]
    return conform_table(table_of(safe, table.schema, table.num_rows), plan.schema, "the dataset")


@check_arguments
def write_parquet(
    frame: Any,
    path: Any,
    *,
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    partition_by: str | Sequence[str] | None = None,
    row_group_size: int = 2**20,
    row_group_values: int = 2**24,
    plain: bool = False,
    **options: Any,
) -> None:
    """Write a frame atomically to one Parquet file, or to one file per partition.

    Parameters
    ----------
    frame : pandas or polars DataFrame, polars LazyFrame, pa.Table, or dict of arrays
        The frame to write.
    path : str or path
        A local file, or a URL such as ``s3://bucket/a.parquet``.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        The file system of the path; by default derived from the path.
    storage_options : dict, optional
        Options for URLs, as for `read_parquet`.
    partition_by : str or list of str, optional
        Columns whose values become folders ``key=value`` below the folder `path`; each folder gets a file
        ``part-0.parquet``. The files don't hold these columns. `read_parquet` derives them from the names of folders:
        values that look like integers of 32 bits become int32, all others text; ``schema=`` or ``partitioning=`` sets other types.
        Rows of one key keep their order.
    row_group_size : int
        Maximum number of rows per row group.
    row_group_values : int
        Maximum number of leaf values of one column per row group. Readers hold a row group in memory and skip it by its
        statistics; for jagged columns, the number of rows hardly determines its size. A row with more values forms a row
        group by itself.
    plain : bool
        Whether the Arrow schema of the file has plain nested lists in place of the extension type, for readers such as polars and
        daft without arrowjag, which return an extension type otherwise. The file metadata then name the jagged columns, so that
        `read_parquet` restores their type.
    **options
        Those of `pyarrow.parquet.ParquetWriter`. In options that name columns (``use_dictionary``, ``compression``,
        ``compression_level``, ``column_encoding``, ``use_byte_stream_split``, ``write_statistics``, ``bloom_filter_options``),
        write names as in `read_parquet`; a name stands for all leaves below it. `metadata_collector` is a list that gets the footer
        of each file once it is written. Pages get checksums unless ``write_page_checksum=False``. Without ``use_dictionary``,
        leaves whose values hardly repeat in a sample of the first rows get no dictionary, which would only cost time and space.
        Ordered categories of text always get one, which stores their order; the metadata of the file store that of others.

    Raises
    ------
    JagTypeError
        If Parquet can't store a type, `frame` is not a frame, or a column to partition by holds lists, structs or floats.
    JagValueError
        If an option names an unknown column, all columns are keys, a key is null in every row, or rows have no columns.

    Notes
    -----
    A local file is written under a temporary name and renamed after a clean close; elsewhere the finished file is uploaded in one
    call. After a crash either the old or the new file exists, and after an exception nothing has changed. With `partition_by` this
    holds for each file separately: files of the same keys are replaced, those of other keys stay. A null key has the folder
    ``key=__HIVE_DEFAULT_PARTITION__``; a frame without rows gives one file with all of its columns. Without arrowjag, pyarrow,
    DuckDB and Spark read nested lists, and pandas reads Python objects; polars and daft read an extension type over lists, or with
    `plain` nested lists.

    Null rows, empty rows and nulls at every level stay distinct. The frame is not copied, except for data that pandas holds in
    blocks; a remote file is held in memory a second time while it is sent.

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
    where, target = locate_file(path, filesystem, check_options(storage_options))
    options = {"row_group_size": row_group_size, "row_group_values": row_group_values, "plain": plain} | options
    collector = options.pop("metadata_collector", None)
    if not (collector is None or hasattr(collector, "append")):
        raise JagTypeError(f"metadata_collector must be a list, which gets the footer of each file, got {type(collector).__name__}")
    if partition_by is None:
        _write_file(table, where, target, options, collector)
        return
    if where.get_file_info(target).type == pf.FileType.File:
        raise JagValueError(f"{path} is a file: with partition_by name a folder")
    for folder, part in cut_by_keys(table, partition_by):
        place = f"{target.rstrip('/')}/{folder}".rstrip("/")
        where.create_dir(place, recursive=True)
        _write_file(part, where, f"{place}/{FILE_NAME}", options, collector, f"{folder}/{FILE_NAME}".lstrip("/"))


def _write_file(table: pa.Table, where: Any, path: str, options: dict[str, Any], collector: Any, below: str = "") -> None:
    with (
        writing(path),
        atomic_target(where, path) as temporary,
        FileWriter(str(temporary), table.schema, options, path, table) as writer,
    ):
        writer.write(table)
    if collector is not None:
        footer = writer.footer
        if below:  # as pyarrow.parquet.write_to_dataset does
            footer.set_file_path(below)
        collector.append(footer)


#: Options that say nothing of the content of a file, and what to do instead: a writer of files elsewhere would ignore them.
_NOT_OF_A_FILE = {
    "filesystem": "give it to the call itself",
    "metadata_collector": "read the footers of the finished files by pyarrow.parquet.read_metadata",
}
#: The least values of options: below them pyarrow loops forever, or ends the process.
_LEAST = {"write_batch_size": 1, "max_rows_per_page": 1, "data_page_size": 0, "dictionary_pagesize_limit": 0}


class FileWriter:
    """A Parquet file with the options of `write_parquet`, a context manager.

    Parameters
    ----------
    path : str or file object
        A local path.
    schema : pa.Schema
        Schema of the tables; jagged columns are plain in the file if the options contain ``plain``.
    options : dict
        Options of `write_parquet`.
    name : str
        The name of the file in messages.
    first : pa.Table, optional
        The first rows: leaves whose values hardly repeat in them get no dictionary, unless the options say which do.
    """

    def __init__(self, path: Any, schema: pa.Schema, options: Mapping[str, Any], name: str, first: pa.Table | None = None) -> None:
        others = dict(options)
        self._rows, self._values = others.pop("row_group_size", 2**20), others.pop("row_group_values", 2**24)
        plain = others.pop("plain", False)
        for option in _NOT_OF_A_FILE.keys() & others.keys():
            raise JagValueError(f"{option} is not an option of a file: {_NOT_OF_A_FILE[option]}")
        for option, least in _LEAST.items():
            if others.get(option) is not None:
                integer(others[option], option, least)
        schema, facts = plain_schema(schema, extents=plain != "table") if plain else (schema, {})
        self._name = name
        self._categories: dict[str, Recorded] = {}
        refuse_lost_types(name, schema)
        with _options_of(others):
            settings = {"write_page_checksum": True} | leaf_options(others, schema)
            if first is not None and not settings.keys() & _ABOUT_DICTIONARIES:
                settings |= _dictionaries(first, schema, others)
            settings |= _orders(settings.get("use_dictionary", True), schema, others)
        self._schema = parquet_schema(schema)
        if self._schema is not schema and settings.get("store_schema", True):
            settings["store_schema"] = False  # the file has the bytes and the schema that the latest pyarrow writes
            facts = facts | encoded_schema(schema)
        try:
            with _options_of(others):
                self._writer = pq.ParquetWriter(path, self._schema, **settings)
        except (pa.ArrowNotImplementedError, OSError) as error:
            raise _refused_schema(schema, error, name) from error
        self.add_metadata(facts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, table: pa.Table) -> None:
        """Append rows, cut into row groups."""
        if table.num_rows and not table.num_columns:
            reason = f"the frame has {table.num_rows:,} rows and no columns, and Parquet stores rows in columns"
            raise JagValueError(f"{self._name}: {reason}")
        table = table if table.schema.equals(self._schema) else conform_table(table, self._schema, self._name)
        self._categories = with_categories(self._categories, table, self._name)
        for start, stop in cut_rows(table, self._rows, self._values):
            part = table.slice(start, stop - start)
            try:
                check_seconds(part)
                self._writer.write_table(part, row_group_size=stop - start)
            except pa.ArrowNotImplementedError as error:
                raise unsupported_column(table.schema, error, self._name) from error
            except (pa.ArrowInvalid, OSError) as error:
                if isinstance(error, OSError) and (error.errno is not None or "support" not in str(error)):
                    raise  # of a disk or store; those of encodings and codecs have no number, and say what they support
                raise JagValueError(f"{self._name}: Parquet can't store a value, or the options don't fit: {error}") from error

    def add_metadata(self, facts: Mapping[str, str]) -> None:
        """Add entries to the metadata of the file."""
        if facts:
            self._writer.add_key_value_metadata(dict(facts))

    def close(self) -> None:
        """Write the footer."""
        facts, self._categories = category_facts(self._categories), {}
        self.add_metadata(facts)
        self._writer.close()

    @property
    def footer(self) -> pq.FileMetaData:
        """The footer of the closed file."""
        return self._writer.writer.metadata


def check_writer(options: Mapping[str, Any]) -> None:
    """Raise if pyarrow accepts options of `write_parquet` for no file; those for columns by name are checked with the columns."""
    plain = {
        key: option
        for key, option in options.items()
        if not ((key in _LISTS and _is_list(option)) or (key in _TABLES and isinstance(option, Mapping)))
    }
    FileWriter(pa.BufferOutputStream(), pa.schema([("x", pa.int64())]), plain, "the file").close()


@contextlib.contextmanager
def _options_of(options: Mapping[str, Any]) -> Iterator[None]:
    """Convert exceptions for options that pyarrow does not accept to errors that name the options."""
    try:
        yield
    except (JagError, pa.ArrowNotImplementedError):
        raise
    except (pa.ArrowException, TypeError, ValueError, ArithmeticError, AttributeError, LookupError) as error:
        kind = JagTypeError if isinstance(error, (TypeError, AttributeError)) else JagValueError
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise kind(f"write_parquet: pyarrow does not accept the options {', '.join(map(str, options))}: {reason}") from error


def _refused_schema(schema: pa.Schema, error: Exception, where: str) -> Exception:
    """Return the error of the first column that Parquet can't store, or an error of the disk unchanged."""
    if isinstance(error, OSError):
        try:
            pq.ParquetWriter(pa.BufferOutputStream(), schema).close()
        except OSError:
            return unsupported_column(schema, error, where)
        return error
    return unsupported_column(schema, error, where)


def unsupported_column(schema: pa.Schema, error: Exception, where: str = "") -> JagTypeError:
    """Create the error of a schema that Parquet can't store; the message names the first such column and its type."""
    at = f"{where}, " if where else ""
    for field in schema:
        nullable = pa.schema([field.with_nullable(True)])
        try:
            with pq.ParquetWriter(pa.BufferOutputStream(), nullable) as writer:
                writer.write_table(table_of([pa.nulls(1, field.type)], nullable, 1))  # some types fail with the first row
        except (pa.ArrowNotImplementedError, OSError) as cause:  # OSError for decimals with a scale that Parquet doesn't know
            return JagTypeError(f"{at}column {field.name!r}: Parquet can't store {field.type} ({cause}); cast it first")
    return JagTypeError(f"{at}Parquet can't store these columns ({error}); cast them first")


# ------------------------------------------------------------------------------------------------- options by column

_LISTS = ("use_dictionary", "use_byte_stream_split", "write_statistics")
_TABLES = ("compression", "compression_level", "column_encoding", "bloom_filter_options")


def leaf_options(options: dict[str, Any], schema: pa.Schema) -> dict[str, Any]:
    """Replace column names in options by the physical paths of their leaves."""
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
        # Dictionary encoding takes precedence over other encodings: disable it for columns with an explicit one.
        result["use_dictionary"] = [path for path in paths if path not in encoded]
    return result


_ABOUT_DICTIONARIES = {"use_dictionary", "column_encoding", "dictionary_pagesize_limit"}


def _dictionaries(first: pa.Table, schema: pa.Schema, options: dict[str, Any]) -> dict[str, Any]:
    """The option that leaves out dictionaries of values that hardly repeat in the first rows; none if all leaves repeat."""
    without = leaves_without_repeats(first)
    if not without:
        return {}
    return {"use_dictionary": [path for place, path in enumerate(_physical_paths(schema, options)) if place not in without]}


def _orders(use: Any, schema: pa.Schema, options: dict[str, Any]) -> dict[str, Any]:
    """The option that keeps the dictionaries of ordered categories of text: files store no other order of them."""
    ordered = [pt.is_dictionary(one) and one.ordered for field in schema for one in leaf_types(field.type)]
    if use is True or not any(ordered):
        return {}
    paths = _physical_paths(schema, options)
    named = [] if use is False else use
    return {"use_dictionary": [path for path, kept in zip(paths, ordered, strict=True) if kept or path in named]}


def _is_list(option: Any) -> bool:
    return isinstance(option, Sequence) and not isinstance(option, (str, bytes))


def _physical_paths(schema: pa.Schema, options: dict[str, Any]) -> list[str]:
    """Return the physical paths of the leaves, read from the schema of a file without rows."""
    sink = pa.BufferOutputStream()
    nested = {key: value for key, value in options.items() if key == "use_compliant_nested_type"}
    try:
        pq.ParquetWriter(sink, schema, **nested).close()
    except (pa.ArrowNotImplementedError, OSError) as error:
        raise unsupported_column(schema, error) from error
    stored = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    return [stored.column(place).path for place in range(len(stored))]


def _paths_of(name: str, schema: pa.Schema, paths: list[str]) -> list[str]:
    """Return the physical paths of a column or leaf; a physical path stays unchanged."""
    return [name] if name in paths else [paths[place] for place in leaf_places(schema, select(schema, [name]))]
