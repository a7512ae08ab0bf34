"""Hugging Face datasets: jagged columns in and out, over shared buffers.

A `datasets.Dataset` is an Arrow table with features; lists are plain lists there, or fixed-size lists if the feature has a length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from arrowjag import _arrow
from arrowjag._arguments import check_arguments
from arrowjag.creation import from_arrow
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagIndexError, JagTypeError, brief
from arrowjag.functions._storage import to_storage
from arrowjag.interop import _parts
from arrowjag.io._frames import from_table, to_table
from arrowjag.typing import Host

__all__ = ["from_datasets", "to_datasets"]


@check_arguments
def from_datasets(dataset: Any, columns: Sequence[str] | None = None, to: Host = "arrow") -> Any:
    """Convert a dataset of Hugging Face to a frame with jagged columns.

    Parameters
    ----------
    dataset : datasets.Dataset
        In memory or memory mapped; after ``select``, ``shuffle`` and ``map`` too.
    columns : list of str, optional
        The columns to read.
    to : {"polars", "pandas", "arrow"}
        The kind of frame.

    Returns
    -------
    pa.Table, pandas.DataFrame or polars.DataFrame
        Every list column is jagged; sizes that a feature fixes are declared. Buffers of a dataset without a selection are shared.

    Raises
    ------
    JagTypeError
        If it is not a dataset. An `IterableDataset` yields batches; see the how-to page on sequences.
    JagIndexError
        If there is no such column.
    MissingDependencyError
        If the host is not installed.
    """
    if not hasattr(dataset, "with_format") or not hasattr(dataset, "column_names") or not hasattr(dataset, "__len__"):
        raise JagTypeError(f"from_datasets takes a datasets.Dataset, got {type(dataset).__name__}")
    if isinstance(dataset, dict):
        raise JagTypeError(f"from_datasets takes one dataset, got the splits {list(dataset)}; pick one")
    if columns is not None:
        unknown = [name for name in columns if name not in dataset.column_names]
        if unknown:
            raise JagIndexError(f"the dataset has no column {brief(unknown[0])}; it has {dataset.column_names}")
        dataset = dataset.select_columns(list(columns))
    if getattr(dataset, "_indices", None) is None and hasattr(dataset.data, "table"):
        table = dataset.data.table  # memory mapped: nothing is read yet
    else:
        table = dataset.with_format("arrow")[:]
    return from_table(_jagged(table.select(dataset.column_names)), to)


def _jagged(table: pa.Table) -> pa.Table:
    """Lists of any kind as jagged columns."""
    columns = [_column(column) for column in table.columns]
    return pa.table(columns, names=table.schema.names)


def _column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not _arrow.is_list_type(column.type):
        return column
    if not column.num_chunks or not len(column):
        made = from_arrow(pa.array([], column.type)).to_arrow()
        return pa.chunked_array([made])
    chunks = [from_arrow(chunk).to_arrow() for chunk in column.chunks]
    kind = next(one.type for one in chunks)
    assert isinstance(kind, JaggedType)
    return pa.chunked_array(chunks, kind)


@check_arguments
def to_datasets(frame: Any) -> Any:
    """Convert a frame with jagged columns to a dataset of Hugging Face.

    Parameters
    ----------
    frame : pandas or polars DataFrame, polars LazyFrame, pa.Table, or dict of JaggedArray and arrays
        Any frame that `arrowjag.write_parquet` accepts.

    Returns
    -------
    datasets.Dataset
        Jagged columns are lists, of a fixed length where sizes are declared; null rows stay null. Buffers are shared.

    Raises
    ------
    JagTypeError
        If it is not a frame.
    MissingDependencyError
        If datasets is not installed.
    """
    library = _parts.load("datasets", "to_datasets")
    table = to_storage(to_table(frame)).replace_schema_metadata(None)
    return library.Dataset(library.table.InMemoryTable(table))
