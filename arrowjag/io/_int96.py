"""Times that Parquet stores in 96 bits, as Spark and Impala do: days and nanoseconds, for more years than 64-bit nanoseconds hold.

pyarrow reads them as nanoseconds, and returns other times for those beyond the years 1677 to 2262.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

from arrowjag._arrow import is_list_type
from arrowjag._gate import inside, storage_of
from arrowjag._pyarrow_versions import table_of
from arrowjag.errors import JagValueError

__all__ = ["Int96Reader", "has_int96"]

_MOST = (2**63 - 1) // 1000
"""The microseconds that nanoseconds can hold."""


def has_int96(footer: pq.FileMetaData) -> bool:
    """Return whether a file has a column of 96-bit times."""
    return any(footer.schema.column(place).physical_type == "INT96" for place in range(len(footer.schema)))


class Int96Reader:
    """A reader of a file with 96-bit times: it reads them in two units, and returns columns in a unit that holds them.

    Parameters
    ----------
    source : pa.NativeFile
        The open file.
    name : str
        The file in messages.
    schema : pa.Schema
        The types that the columns are cast to: columns without nanoseconds among them may hold any year.
    **options : object
        Those of `pyarrow.parquet.ParquetFile`.
    """

    def __init__(self, source: Any, name: str, schema: pa.Schema, **options: Any) -> None:
        self._nanoseconds = pq.ParquetFile(source, **options)
        self._microseconds = pq.ParquetFile(source, **options, coerce_int96_timestamp_unit="us")
        self._name, self._schema = name, schema

    @property
    def metadata(self) -> pq.FileMetaData:
        """The footer."""
        return self._nanoseconds.metadata

    def close(self, *, force: bool) -> None:
        """Close the file."""
        for one in (self._nanoseconds, self._microseconds):
            one.close(force=force)

    def read_row_group(self, group: int, columns: Sequence[str]) -> pa.Table:
        """Read column chunks of a row group."""
        return self._joined(*(one.read_row_group(group, columns=columns) for one in (self._nanoseconds, self._microseconds)))

    def iter_batches(self, rows: int, **options: Any) -> Iterator[pa.RecordBatch]:
        """Read column chunks of row groups in batches."""
        both = (one.iter_batches(rows, **options) for one in (self._nanoseconds, self._microseconds))
        for pair in zip(*both, strict=True):
            joined = self._joined(*map(pa.Table.from_batches, ([one] for one in pair)))
            yield from joined.combine_chunks().to_batches() or pair[:1]

    def _joined(self, exact: pa.Table, wide: pa.Table) -> pa.Table:
        columns = [self._column(field.name, *pair) for field, *pair in zip(exact.schema, exact.columns, wide.columns, strict=True)]
        fields = [field.with_type(column.type) for field, column in zip(exact.schema, columns, strict=True)]
        return table_of(columns, pa.schema(fields, exact.schema.metadata), exact.num_rows)

    def _column(self, name: str, exact: pa.ChunkedArray, wide: pa.ChunkedArray) -> pa.ChunkedArray:
        if exact.type == wide.type or all(_is_in_range(leaf) for chunk in wide.chunks for leaf in _times(chunk)):
            return exact
        where = f"{self._name}, column {name!r}"
        if self._schema.get_field_index(name) >= 0 and _has_nanoseconds(self._schema.field(name).type):
            raise JagValueError(
                f"{where}: it holds times beyond the years 1677 to 2262, which nanoseconds can't represent: read it by "
                'aj.read_parquet with schema= of timestamp("us"), and write that for jobs'
            )
        pairs = [pair for chunks in zip(exact.chunks, wide.chunks, strict=True) for pair in zip(*map(_times, chunks), strict=True)]
        if any(_loses(*pair) for pair in pairs):
            raise JagValueError(
                f"{where}: no unit represents its times: some lie beyond the years 1677 to 2262, and others have nanoseconds"
            )
        return wide


def _has_nanoseconds(type: pa.DataType) -> bool:
    storage = storage_of(type)
    return bool(pt.is_timestamp(storage) and storage.unit == "ns") or any(map(_has_nanoseconds, inside(storage)))


def _times(array: pa.Array) -> Iterator[pa.Array]:
    """Yield the times of an array, of all levels and fields."""
    if isinstance(array, pa.ExtensionArray):
        yield from _times(array.storage)
    elif pt.is_map(array.type):
        yield from _times(array.keys)
        yield from _times(array.items)
    elif is_list_type(array.type):
        yield from _times(array.flatten())
    elif pt.is_struct(array.type):
        for field in array.flatten():
            yield from _times(field)
    elif pt.is_timestamp(array.type):
        yield array


def _is_in_range(times: pa.Array) -> bool:
    if times.type.unit != "us":  # not of 96 bits
        return True
    bounds = pc.min_max(times.cast(pa.int64())).as_py()
    return bounds["min"] is None or -_MOST <= bounds["min"] <= bounds["max"] <= _MOST


def _loses(exact: pa.Array, wide: pa.Array) -> bool:
    """Return whether microseconds lose digits of times that nanoseconds represent."""
    if exact.type == wide.type:
        return False
    counts = wide.cast(pa.int64())
    is_inside = pc.and_(pc.less_equal(counts, _MOST), pc.greater_equal(counts, -_MOST))
    is_whole = pc.equal(pc.multiply(counts, 1000), exact.cast(pa.int64()))
    return bool(pc.any(pc.and_(is_inside, pc.invert(is_whole))).as_py())
