"""Scan Parquet files lazily with polars, one row group at a time; columns may be fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from arrowjag import _lazy_imports
from arrowjag._arguments import check_arguments
from arrowjag._gate import has_ordered_categories
from arrowjag._pyarrow_versions import empty_table
from arrowjag.errors import JagValueError
from arrowjag.io._frames import from_table
from arrowjag.io._leaves import select
from arrowjag.io._parquet import open_source
from arrowjag.io._scan import Part, make_plan, stream_parts
from arrowjag.io._stores import check_options

if TYPE_CHECKING:
    import polars as pl

__all__ = ["scan_parquet"]


@check_arguments
def scan_parquet(
    path_or_dataset: Any,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    *,
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    schema: pa.Schema | None = None,
    partitioning: Any = "hive",
    verify_checksums: bool = True,
) -> pl.LazyFrame:
    """Scan Parquet files as a lazy frame of polars that reads single fields of structs.

    Parameters
    ----------
    path_or_dataset : str, path, list of them, file object, bytes, or pyarrow.dataset.Dataset
        As in `read_parquet`.
    columns : list of str, optional
        Columns, or fields inside them: ``"docs.score"`` reads only the column chunks of the field ``score``, through any number of
        lists.
    filters : pyarrow.compute.Expression, list of tuples, or list of lists of tuples, optional
        Rows to keep, as in `read_parquet`; row groups whose statistics exclude them are not read.
    filesystem, storage_options, schema, partitioning, verify_checksums
        As in `read_parquet`.

    Returns
    -------
    polars.LazyFrame
        It reads the columns that the query needs, one row group at a time, and streams. Filters of polars are applied to each row
        group after it has been read. Ordered categories become an Enum of the categories of the first row group that has some.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    JagFileError
        If a file is damaged, or has been replaced when the query runs.
    JagValueError
        If a column, a field or a name in the filter is unknown; or, while the query runs, if a row group has other ordered
        categories.
    MissingDependencyError
        If polars is not installed.

    Notes
    -----
    `polars.scan_parquet` reads whole columns, in parallel: use it if you need all fields. It reads ordered categories as a
    Categorical, without their order. To know them, `scan_parquet` reads such columns of the first row group before the query runs.

    Don't `sink_parquet` onto a file that the query scans: polars empties it before it is read. `write_parquet(frame, path)`
    writes a new file, which replaces the old one when it is complete.

    Examples
    --------
    >>> import tempfile
    >>> import arrowjag as aj
    >>> docs = aj.zip(score=aj.array([[0.5, 0.25], []]), id=aj.array([[7, 8], []]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_parquet({"docs": docs, "q": [1, 2]}, folder + "/a.parquet")
    ...     scan = aj.scan_parquet(folder + "/a.parquet", columns=["q", "docs.score"])
    ...     scan.jag.flatten("docs.score").collect().rows()
    [(1, 0.5), (1, 0.25)]
    """
    _lazy_imports.load("polars")
    from polars.io.plugins import register_io_source

    parts, there = open_source(path_or_dataset, filters, filesystem, partitioning, check_options(storage_options), schema)
    plan = make_plan(there, columns, filters)
    source = _Source(parts, there, list(there.names if columns is None else columns), filters, verify_checksums)
    return register_io_source(source, schema=source.dtypes(plan.schema))


class _Source:
    """The callback with which polars reads the rows of a scan."""

    def __init__(self, parts: Sequence[Part], schema: pa.Schema, columns: list[str], filters: Any, verify: bool) -> None:
        self.parts = parts
        self.schema, self.known = schema, frozenset(schema.names)
        self.columns = columns
        self.filters = filters
        self.verify = verify
        self.ordered: dict[str, tuple[pl.DataType, pa.ChunkedArray]] = {}

    def __call__(
        self, with_columns: list[str] | None, predicate: Any, n_rows: int | None, _batch_size: int | None = None
    ) -> Iterator[pl.DataFrame]:
        asked = None if with_columns is None else set(with_columns)
        wanted = self.columns if asked is None else [name for name in self.columns if self._column(name) in asked]
        left = n_rows
        for table in stream_parts(self.parts, self.schema, wanted, self.filters, self.verify):
            frame = self._frame(table if left is None else table.slice(0, left))
            left = None if left is None else left - len(frame)
            frame = frame if with_columns is None else frame.select(with_columns)
            yield frame if predicate is None else frame.filter(predicate)
            if left is not None and left <= 0:
                return

    def dtypes(self, schema: pa.Schema) -> pl.Schema:
        """The dtypes of the scan; ordered categories, which are part of a dtype of polars, are those of the first row group."""
        found: pl.Schema = from_table(empty_table(schema), "polars").schema
        unknown = {field.name for field in schema if has_ordered_categories(field.type)}
        wanted = [name for name in self.columns if self._column(name) in unknown]
        for group in stream_parts(self.parts, self.schema, wanted, None, self.verify) if wanted else ():
            without_rows = group.slice(0, 0)
            named = {name: one for name, one in from_table(without_rows, "polars").schema.items() if one != found[name]}
            for name in unknown & set(named):
                found[name] = named[name]
                self.ordered[name] = named[name], without_rows.column(name)
            unknown -= set(named)
            if not unknown:
                break
        return found

    def _frame(self, table: pa.Table) -> pl.DataFrame:
        """A row group as a frame; ordered categories that it doesn't name are those of the scan."""
        frame: pl.DataFrame = from_table(table, "polars")
        for name, (dtype, categories) in self.ordered.items():
            if frame.schema.get(name, dtype) != dtype:
                whole = pa.chunked_array([*categories.chunks, *table.column(name).chunks])
                frame = frame.with_columns(from_table(pa.table({name: whole}), "polars")[name])
                if frame.schema[name] != dtype:
                    raise JagValueError(
                        f"column {name!r}: a row group has other ordered categories, {frame.schema[name]!r}, than the first one "
                        f"that has some, {dtype!r}; the scan has one dtype. Read the files one by one, and cast the column to text."
                    )
        return frame

    def _column(self, name: str) -> str:
        return name if name in self.known else next(iter(select(self.schema, [name])))
