"""Metadata of column chunks in Parquet footers: sizes, numbers of values, statistics.

For corrupt metadata, pyarrow's C++ code aborts the process instead of raising, and reads past the end of short bounds. This module
therefore validates the footer first; it is the only one that asks pyarrow for metadata of column chunks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow.parquet as pq

from arrowjag.errors import plural
from arrowjag.io._thrift import BINARY, INT, read_struct

__all__ = ["Chunks"]

_STATISTICS = {1: BINARY, 2: BINARY, 3: INT, 4: INT, 5: BINARY, 6: BINARY}
_SIZES = {1: INT, 2: [INT], 3: [INT]}
_CHUNK = {1: INT, 5: INT, 6: INT, 7: INT, 12: _STATISTICS, 16: _SIZES}
_FOOTER = {4: [{1: [{3: _CHUNK, 8: {}}], 3: INT}]}
"""Thrift ids of the fields of `FileMetaData` that this module reads, down to column chunks."""

_TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8, "BYTE_ARRAY": 0}


class _Leaf(NamedTuple):
    """A Parquet column, as the schema of a file describes it."""

    path: str
    physical_type: str
    length: int
    max_repetition_level: int
    max_definition_level: int


_latest: tuple[Any, tuple[_Leaf, ...]] | None = None
"""The schema of the last file: most files of a dataset have the same one, and asking pyarrow takes longer than the comparison."""


def _leaves_of(schema: Any) -> tuple[_Leaf, ...]:
    global _latest  # noqa: PLW0603 - a cache of one entry
    latest = _latest
    if latest is None or not schema.equals(latest[0]):
        columns = (schema.column(place) for place in range(len(schema)))
        latest = schema, tuple(_Leaf(*(getattr(column, name) for name in _Leaf._fields)) for column in columns)
        _latest = latest
    return latest[1]


class Chunks:
    """The validated column chunks of a file; `of` returns pyarrow's metadata of one.

    Parameters
    ----------
    footer : pyarrow.parquet.FileMetaData
        The footer as pyarrow has parsed it.
    content : bytes
        The serialized footer.

    Raises
    ------
    ValueError
        If a row group lacks columns, or metadata of a chunk are invalid; names row group and column. `reading` adds the file.
    """

    def __init__(self, footer: pq.FileMetaData, content: bytes) -> None:
        groups = read_struct(content, _FOOTER).get(4, [])
        if len(groups) != footer.num_row_groups:
            raise ValueError(f"the footer lists {len(groups)} row groups, pyarrow parsed {footer.num_row_groups}")
        leaves = _leaves_of(footer.schema)
        for number, group in enumerate(groups):
            chunks = group.get(1, [])
            if len(chunks) != len(leaves):
                raise ValueError(f"row group {number} has {plural(len(chunks), 'column')}, the schema has {len(leaves)}")
            for leaf, chunk in zip(leaves, chunks, strict=True):
                _check(leaf, chunk, number)
        self._footer = footer

    def of(self, group: int, place: int) -> Any:
        """Return pyarrow's metadata of a column chunk.

        Parameters
        ----------
        group : int
            Index of the row group.
        place : int
            Index of the leaf.

        Returns
        -------
        pyarrow.parquet.ColumnChunkMetaData
            The metadata; all of its properties are safe to read.
        """
        return self._footer.row_group(group).column(place)


def _check(leaf: _Leaf, chunk: dict[int, Any], number: int) -> None:
    where = f"row group {number}, column {leaf.path!r}"
    if 8 in chunk or 3 not in chunk:
        raise ValueError(f"{where} is encrypted")
    facts = chunk[3]
    stored = facts.get(1)
    if stored is None or not 0 <= stored < len(_TYPES) or _TYPES[stored] != leaf.physical_type:
        raise ValueError(f"{where} has the physical type {stored} in its metadata, but the schema has {leaf.physical_type}")
    for name, id in (("values", 5), ("bytes uncompressed", 6), ("bytes", 7)):
        if facts.get(id, -1) < 0:
            raise ValueError(f"{where} has {facts.get(id)} {name}")
    _check_sizes(leaf, facts.get(16, {}), where)
    _check_bounds(leaf, facts.get(12, {}), where)


def _check_sizes(leaf: _Leaf, sizes: dict[int, Any], where: str) -> None:
    """Raise unless histograms of levels are empty or have one bin per level."""
    for name, id, level in (("repetition", 2, leaf.max_repetition_level), ("definition", 3, leaf.max_definition_level)):
        bins = len(sizes.get(id, ()))
        if bins not in {0, level + 1}:
            raise ValueError(f"{where} has {bins} bins of {name} levels, expected {level + 1}")
    if 1 in sizes and leaf.physical_type != "BYTE_ARRAY":
        raise ValueError(f"{where} gives the size of its text, but has the physical type {leaf.physical_type}")


def _check_bounds(leaf: _Leaf, statistics: dict[int, Any], where: str) -> None:
    """Raise unless minimum and maximum are as wide as their type."""
    width = _WIDTHS.get(leaf.physical_type, leaf.length)
    for id in (1, 2, 5, 6):
        bound = statistics.get(id)
        if bound is not None and len(bound) < width:
            raise ValueError(f"{where} has a bound of {len(bound)} bytes in its statistics, but {leaf.physical_type} has {width}")
