"""Facts that `show` reports of a file, shared by the terminal, `--json` and the HTML page."""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column, _formatting
from arrowjag._column import Column
from arrowjag._ops import struct_fields
from arrowjag.cli._folders import open_path
from arrowjag.cli._sources import ALL_VALUES, Field, Leaf, Source
from arrowjag.dims import Dim
from arrowjag.errors import JagFileError, JagValueError
from arrowjag.io._damage import checked, reading
from arrowjag.typing import IntArray

__all__ = ["Bin", "ColumnFacts", "FileFacts", "Level", "Tally", "read_column", "read_facts"]

SAMPLED_VALUES = 50_000_000
PLOTTED_VALUES = 20_000_000
BINS = 16
_ENDS = 6
_BOUND = 20
"""Letters of a text that is the smallest or largest value."""


@dataclass(frozen=True)
class Bin:
    """The number of rows with a size from `first` to `last`."""

    first: int
    last: int
    rows: int


@dataclass(frozen=True)
class Level:
    """One dim below the rows of the frame: the sizes of its rows. Nulls are left out of sizes."""

    dim: int
    rows: int
    items: int
    nulls: int
    empty: int
    extent: int | None
    minimum: int | None
    median: float | None
    mean: float | None
    maximum: int | None
    histogram: list[Bin]


@dataclass(frozen=True)
class FieldFacts:
    """One field of structs."""

    name: str
    type: str
    bytes: int
    nulls: int | None
    minimum: str | None
    maximum: str | None


@dataclass(frozen=True)
class ColumnFacts:
    """One column: its type, the sizes of its rows, its nulls, its bytes and some of its rows."""

    name: str
    type: str
    ndim: int
    tagged: bool
    leaf: str
    storage: str
    rows: int
    bytes: int
    bytes_uncompressed: int
    nulls: int | None
    shape: str | None = None
    values: int | None = None
    null_values: int | None = None
    minimum: str | None = None
    maximum: str | None = None
    levels: list[Level] = field(default_factory=list)
    fields: list[FieldFacts] = field(default_factory=list)
    examples: list[tuple[int, str]] = field(default_factory=list)
    groups_read: int = 0


@dataclass(frozen=True)
class FileFacts:
    """One file, or a folder of files."""

    path: str
    format: str
    files: int
    rows: int
    bytes: int
    groups: int
    created_by: str
    columns: list[ColumnFacts]


# ------------------------------------------------------------------------------------------------- distributions


class Tally:
    """The distribution of row sizes, gathered dim by dim; it grows with the number of distinct sizes only."""

    def __init__(self) -> None:
        self.sizes: IntArray = np.zeros(0, np.int64)
        self.counts: IntArray = np.zeros(0, np.int64)
        self.rows = self.items = self.nulls = 0
        self.extent: int | None = None
        self.head: list[int] = []
        self.tail: list[int] = []

    def add(self, dim: Dim) -> None:
        """Count the rows of one more batch."""
        sizes = dim.sizes
        self.head += sizes[: _ENDS - len(self.head)].tolist()
        self.tail = [*self.tail, *sizes[-_ENDS:].tolist()][-_ENDS:]
        self.rows, self.items, self.extent = self.rows + len(dim), self.items + dim.size, dim.extent
        if dim.validity is not None:
            self.nulls += len(dim) - int(np.count_nonzero(dim.validity))
            sizes = sizes[dim.validity]
        found, counts = np.unique(sizes, return_counts=True)
        merged, places = np.unique(np.concatenate([self.sizes, found]), return_inverse=True)
        self.counts = np.bincount(places, np.concatenate([self.counts, counts]), len(merged)).astype(np.int64)
        self.sizes = merged

    def level(self, dim: int) -> Level:
        """The facts of the dim."""
        some = len(self.sizes) > 0
        return Level(
            dim=dim,
            rows=self.rows,
            items=self.items,
            nulls=self.nulls,
            empty=int(self.counts[self.sizes == 0].sum()),
            extent=self.extent,
            minimum=int(self.sizes[0]) if some else None,
            median=(self._at(0.5, above=False) + self._at(0.5, above=True)) / 2 if some else None,
            mean=self.items / (self.rows - self.nulls) if some else None,
            maximum=int(self.sizes[-1]) if some else None,
            histogram=self.histogram() if some else [],
        )

    def _at(self, quantile: float, *, above: bool) -> int:
        """Return a quantile of the row sizes."""
        ends = np.cumsum(self.counts)
        return int(
            self.sizes[np.searchsorted(ends, quantile * ends[-1], side="right" if above else "left").clip(max=len(ends) - 1)]
        )

    def histogram(self) -> list[Bin]:
        """At most `BINS` bins: of equal width, or of doubling width if a few rows are far longer."""
        low, high = int(self.sizes[0]), int(self.sizes[-1])
        if high - low >= BINS and self._at(0.99, above=False) * 8 <= high:
            edges = sorted({low, *(1 << power for power in range(64) if low < 1 << power <= high)})
            width = high + 1 - edges[-1]
        else:
            width = -(-(high - low + 1) // BINS)
            edges = list(range(low, high + 1, width))
        places = np.searchsorted(edges, self.sizes, side="right") - 1
        rows = np.bincount(places, self.counts, len(edges)).astype(int).tolist()
        return [Bin(first, after - 1, n) for first, after, n in zip(edges, [*edges[1:], edges[-1] + width], rows, strict=True)]

    def text(self) -> str:
        """Format the sizes as the repr of a shape does."""
        if self.rows == 0:
            return "[]"
        distinct = np.union1d(self.sizes, 0) if self.nulls else self.sizes
        if len(distinct) == 1:
            return str(int(distinct[0]))
        if self.rows <= _ENDS:
            return str(self.head)
        head, tail = (", ".join(map(str, ends)) for ends in (self.head[:3], self.tail[-3:]))
        return f"[{head}, ..., {tail}]"


# ------------------------------------------------------------------------------------------------- a file


def read_facts(
    path: str, column: str | None = None, *, everything: bool = False, width: int = 160, options: Mapping[str, str] | None = None
) -> FileFacts:
    """The facts of a file, or of one of its columns (`docs.score` names a field of structs).

    Of a column with more than `SAMPLED_VALUES` values, only evenly spread row groups are read, unless `everything` is True.

    Raises
    ------
    JagValueError
        If the file can't be read, or there is no such column; the message lists the existing columns.
    """
    source = open_path(path, options)
    chosen = source.fields if column is None else (find_field(source, column),)
    limit = ALL_VALUES if everything else SAMPLED_VALUES
    rows = (2, 1) if column is None else (5, 5)
    columns = []
    for one in chosen:
        with reading(f"{path}, column {one.name!r}"):
            columns.append(_column_facts(source, one, limit, rows, width))
    return FileFacts(source.path, source.format, source.files, source.rows, source.bytes, source.groups, source.created_by, columns)


def read_column(path: str, name: str | None, options: Mapping[str, str] | None) -> tuple[Column, str, bool]:
    """Return a column to draw, its name, and whether all of its rows are included; by default the first jagged column."""
    with reading(str(path)):
        return _read_column(open_path(path, options), str(path), name)


def _read_column(source: Source, path: str, name: str | None) -> tuple[Column, str, bool]:
    if name is None:
        jagged = [one for one in source.fields if one.ndim > 1] or list(source.fields)
        if not jagged:
            raise JagValueError(f"{path} has no columns to draw")
        name = jagged[0].name
    chosen = find_field(source, name)
    groups = source.sample(chosen.leaves[0], PLOTTED_VALUES) if chosen.leaves else []
    pieces = list(source.batches(chosen, chosen.leaves, groups))
    if pieces:
        column = _column.from_arrow(_checked(pieces, source, chosen), chosen.ndim)
    else:
        column = _column.empty(chosen.leaf_type, chosen.ndim)
    return _picked(column, chosen), name, len(groups) == source.groups


def find_field(source: Source, name: str) -> Field:
    """A column by its name, or a field of its structs by a dotted one."""
    for one in source.fields:
        if one.name == name:
            return one
    for one in source.fields:
        if name.startswith(f"{one.name}."):
            return _inner_field(source, one, tuple(name[len(one.name) + 1 :].split(".")))
    names = [one.name for one in source.fields]
    more = f", ... ({len(names)} in all)" if len(names) > 20 else ""
    raise JagValueError(f"{source.path} has no column {name!r}; it has {', '.join(names[:20]) or 'none'}{more}")


def _inner_field(source: Source, outer: Field, path: tuple[str, ...]) -> Field:
    leaves = tuple(leaf for leaf in outer.leaves if leaf.path[: len(path)] == path)
    if not leaves or not pt.is_struct(outer.leaf_type):
        names = list(dict.fromkeys(leaf.path[0] for leaf in outer.leaves if leaf.path))
        has = f"its fields are {', '.join(names)}" if pt.is_struct(outer.leaf_type) else "it holds no structs"
        raise JagValueError(f"{source.path}, column {outer.name}: no field {'.'.join(path)!r}; {has}")
    return replace(outer, leaves=leaves, path=path)


def _checked(pieces: list[pa.Array], source: Source, chosen: Field) -> pa.ChunkedArray:
    return checked(pa.chunked_array(pieces), f"{source.path}, column {chosen.name!r}")


def _picked(column: Column, chosen: Field) -> Column:
    for part in chosen.path:
        column = struct_fields.field(column, part)
    return column


def _columns(source: Source, chosen: Field, leaves: tuple[Leaf, ...], groups: list[int]) -> Iterator[Column]:
    for storage in source.batches(chosen, leaves, groups):
        yield _picked(_column.from_arrow(_checked([storage], source, chosen), chosen.ndim), chosen)


# ------------------------------------------------------------------------------------------------- a column


def _column_facts(source: Source, chosen: Field, limit: int, rows: tuple[int, int], width: int) -> ColumnFacts:
    blank = _picked(_column.empty(chosen.leaf_type, chosen.ndim, _extents(chosen)), chosen)
    statistics = source.statistics(chosen.leaves)
    facts = ColumnFacts(
        name=".".join((chosen.name, *chosen.path)),
        type=_type_text(blank),
        ndim=blank.ndim,
        tagged=chosen.tagged,
        leaf=str(blank.type),
        storage=str(chosen.type),
        rows=source.rows,
        bytes=statistics.bytes,
        bytes_uncompressed=statistics.bytes_uncompressed,
        nulls=statistics.nulls,
        examples=_examples(source, chosen, rows, width),
    )
    if not pt.is_nested(blank.type):
        facts = replace(facts, minimum=_bound(statistics.minimum, blank.type), maximum=_bound(statistics.maximum, blank.type))
    alone = len(chosen.leaves) == 1 and not pt.is_nested(blank.type)
    if blank.ndim == 1 and alone and statistics.nulls is not None:
        return facts
    return _tallied(source, chosen, blank, facts, limit)


def _tallied(source: Source, chosen: Field, blank: Column, facts: ColumnFacts, limit: int) -> ColumnFacts:
    """Return the facts that require column data; the smallest leaf is read, because all leaves share their sizes."""
    smallest = min(chosen.leaves, key=lambda leaf: source.statistics((leaf,)).bytes, default=None)
    if smallest is None:  # structs without fields
        return facts
    groups = source.sample(smallest, limit)
    tallies = [Tally() for _ in range(1, blank.ndim)]
    values = nulls = 0
    counted: Counter[str] = Counter()
    for column in _columns(source, chosen, (smallest,), groups):
        for tally, dim in zip(tallies, column.shape.dims[1:], strict=True):
            tally.add(dim)
        values, nulls = values + len(column.values), nulls + column.values.null_count
        counted.update(_field_nulls(column.values, blank.type))
    if len(groups) == source.groups and source.rows:
        absent = sum(tally.nulls + int(tally.counts[tally.sizes == 0].sum()) for tally in tallies)
    else:
        absent, counted = None, Counter()
    levels = [tally.level(place) for place, tally in enumerate(tallies, start=1)]
    return replace(
        facts,
        nulls=levels[0].nulls if levels else nulls,
        shape=f"JaggedShape({', '.join([str(source.rows), *(tally.text() for tally in tallies)])})",
        levels=levels,
        values=values,
        null_values=nulls,
        fields=_fields(source, chosen, blank, counted, absent),
        groups_read=len(groups),
    )


def _field_nulls(values: pa.Array, whole: pa.DataType) -> dict[str, int]:
    """Count the nulls of struct fields that were read completely; a null struct has nulls in its fields."""
    if not pt.is_struct(whole):
        return {}
    types = {one.name: one.type for one in whole}
    read = zip(values.type, values.flatten(), strict=True)
    return {one.name: field.null_count for one, field in read if one.type == types[one.name]}


def _fields(source: Source, chosen: Field, blank: Column, counted: dict[str, int], absent: int | None) -> list[FieldFacts]:
    """The fields of structs. Parquet counts one null for each of the `absent` (empty or null) rows above the leaves."""
    if not pt.is_struct(blank.type):
        return []
    found = []
    for one in blank.type:
        leaves = tuple(leaf for leaf in chosen.leaves if leaf.path[: len(chosen.path) + 1] == (*chosen.path, one.name))
        statistics = source.statistics(leaves)
        nulls = counted.get(one.name)
        if nulls is None and absent is not None and statistics.nulls is not None and not pt.is_nested(one.type):
            nulls = statistics.nulls - absent
        nested = pt.is_nested(one.type)
        bounds = (None, None) if nested else (_bound(statistics.minimum, one.type), _bound(statistics.maximum, one.type))
        found.append(FieldFacts(one.name, str(one.type), statistics.bytes, nulls, *bounds))
    return found


_LINES_OF_A_GAP = 3
"""A gap of at most this many rows is shown too, so that a small file is shown completely."""


def _examples(source: Source, chosen: Field, rows: tuple[int, int], width: int) -> list[tuple[int, str]]:
    """The first and the last rows as text; only the first and the last group are read."""
    if source.rows == 0 or not chosen.leaves:
        return []
    n_head = min(rows[0], source.rows)
    if chosen.ndim > 1 and source.groups == 1 and source.rows <= sum(rows) + _LINES_OF_A_GAP:
        n_head = source.rows
    n_tail = min(rows[1], source.rows - n_head) if chosen.ndim > 1 or rows[0] > 2 else 0
    head = next(_filled(source, chosen, range(source.groups)), None)
    if head is None:
        raise JagFileError(f"{source.path}: the footer says {source.rows} rows, but no row group holds any. Write the file again.")
    texts = [(row, _formatting.row_text(head, row, width)) for row in range(min(n_head, head.shape.nodes(1)))]
    if n_tail:
        last = next(_filled(source, chosen, reversed(range(source.groups)), last=True), head)
        n = last.shape.nodes(1)
        places = range(max(0, n - n_tail), n)
        texts += [(source.rows - n + row, _formatting.row_text(last, row, width)) for row in places]
    return texts


def _filled(source: Source, chosen: Field, groups: Iterable[int], *, last: bool = False) -> Iterator[Column]:
    """The first (or last) part with rows of each group; writers leave groups without any."""
    for group in (group for group in groups if source.sizes[group]):
        parts = (one for one in _columns(source, chosen, chosen.leaves, [group]) if one.shape.nodes(1))
        yield from deque(parts, maxlen=1) if last else itertools.islice(parts, 1)


def _extents(chosen: Field) -> tuple[int | None, ...]:
    levels = _arrow.level_types(chosen.type)[0][: chosen.ndim - 1]
    return (None, *(type.list_size if pt.is_fixed_size_list(type) else None for type in levels))


def _type_text(blank: Column) -> str:
    leaf = f"struct of {blank.type.num_fields}" if pt.is_struct(blank.type) else str(blank.type)
    if blank.ndim == 1:
        return leaf
    extents = blank.shape.extents[1:]
    declared = f", extents={extents}" if any(extent is not None for extent in extents) else ""
    return f"jagged[{leaf}, {blank.ndim}{declared}]"


def _bound(value: Any, type: pa.DataType) -> str | None:
    """Format a bound of the statistics; Parquet stores durations as integers, extension types such as UUIDs as their storage."""
    if pt.is_duration(type) and isinstance(value, int):
        value = _column.to_python(pa.array([value], type))[0]
    if isinstance(type, pa.BaseExtensionType) and value is not None:
        value = pa.ExtensionArray.from_storage(type, pa.array([value], type.storage_type)).to_pylist()[0]
    if pt.is_floating(type) and value is not None:
        value = float(value)  # a file of a folder may hold integers
    with _formatting.styled(characters=_BOUND):  # the upper bound stands behind the lower one
        return None if value is None else _formatting.leaf_text(value)


def column_names(path: str) -> list[str]:
    """Return the names that `show FILE COLUMN` accepts: columns, and the fields of their structs."""
    names = []
    for one in open_path(path).fields:
        names.append(one.name)
        names += [f"{one.name}.{leaf}" for leaf in (inner.name for inner in _struct_fields(one))]
    return names


def _struct_fields(one: Field) -> list[pa.Field]:
    return list(one.leaf_type) if pt.is_struct(one.leaf_type) else []
