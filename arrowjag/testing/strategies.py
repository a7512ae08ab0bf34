"""Hypothesis strategies for jagged data, by default in every layout that Arrow allows.

Every strategy makes nulls at every level, empty rows and empty columns by default; those that make Arrow arrays also
make null rows that still own values, slices, slack, several chunks, every leaf type and every storage kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from arrowjag import dims as _dims
from arrowjag._array import JaggedArray
from arrowjag.creation import array, from_arrow
from arrowjag.shape import JaggedShape
from arrowjag.testing._leaves import LEAF_KINDS, categories, leaf_arrays, leaf_types, leaf_values

# isort: split
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from arrowjag.testing._layouts import STORAGES, Layout, lay_out, list_type

__all__ = [
    "LEAF_KINDS",
    "STORAGES",
    "ArrowColumn",
    "arrow_columns",
    "dims",
    "jagged_arrays",
    "jagged_lists",
    "leaf_types",
    "leaf_values",
    "prefix_arrays",
    "prefix_lists",
    "shapes",
]

Extents = Sequence[int | None]


class ArrowColumn(NamedTuple):
    """A nested Arrow array and its items.

    Attributes
    ----------
    array : pyarrow.Array or pyarrow.ChunkedArray
        The column, in whatever layout was drawn.
    truth : list
        Equal to `array.to_pylist()` (NaN at the same positions).
    ndim : int
        Number of dims, the rows of the column included.
    leaf : pyarrow.DataType
        Type of the innermost items.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag.testing import ArrowColumn
    >>> ArrowColumn(pa.array([[1, 2], None]), [[1, 2], None], 2, pa.int64())
    ArrowColumn(list<item: int64>, [[1, 2], None])
    """

    array: Any
    truth: list[Any]
    ndim: int
    leaf: pa.DataType

    def __repr__(self) -> str:
        """The type and the items on one line, for the message of a failing test."""
        return f"ArrowColumn({self.array.type}, {self.truth!r})"


def jagged_lists(
    ndim: int,
    leaf: SearchStrategy[Any] | pa.DataType | None = None,
    *,
    nulls: bool = True,
    null_rows: bool = True,
    max_size: int = 4,
    extents: Extents | None = None,
) -> SearchStrategy[list[Any]]:
    """Nested Python lists of exactly `ndim` levels.

    Parameters
    ----------
    ndim : int
        Levels of lists, at least 1.
    leaf : SearchStrategy, pyarrow.DataType or None
        The innermost items; small integers if None.
    nulls, null_rows : bool
        Whether leaves, and rows at any level below the outermost list, may be None.
    max_size : int
        Longest list.
    extents : sequence of (int or None) or None
        One for each level: the size that every valid list of that level has.

    Returns
    -------
    SearchStrategy of list
        Shrinks towards `[]`.

    Examples
    --------
    >>> from arrowjag.testing import jagged_lists
    >>> from hypothesis import find
    >>> None in find(jagged_lists(2), lambda rows: None in rows)
    True
    """
    return _items_of(ndim, _as_leaf(leaf), nulls, null_rows, max_size, extents)[0]


@st.composite
def arrow_columns(  # noqa: PLR0913 - each ugliness can be turned off by name
    draw: st.DrawFn,
    ndim: int | SearchStrategy[int] | None = None,
    leaf: pa.DataType | SearchStrategy[pa.DataType] | None = None,
    *,
    values: SearchStrategy[Any] | None = None,
    nulls: bool = True,
    null_rows: bool = True,
    slack: bool = True,
    sliced: bool = True,
    chunked: bool | None = None,
    storages: Sequence[str] = STORAGES,
    max_size: int = 4,
    small: bool = False,
    allow_nan: bool = True,
) -> ArrowColumn:
    """Nested Arrow columns in unusual layouts, with their items as Python lists.

    Parameters
    ----------
    ndim : int, SearchStrategy of int or None
        Number of dims; 1 to 4 if None.
    leaf : pyarrow.DataType, SearchStrategy of DataType or None
        The leaf type; any of `leaf_types()` if None.
    values : SearchStrategy or None
        Python values of the leaves; `leaf_values(leaf)` if None.
    nulls, null_rows : bool
        Nulls among the leaves, and among the rows of every level.
    slack : bool
        Values that no row owns, and null rows that own some.
    sliced : bool
        Arrays with an offset at every level.
    chunked : bool or None
        ChunkedArray always or never; either if None. Chunks may be empty, and there may be none.
    storages : sequence of str
        Storage kinds to choose from for each level.
    max_size : int
        Longest list (of a chunk: longest run of rows).
    small, allow_nan : bool
        As in `leaf_values`.

    Returns
    -------
    SearchStrategy of ArrowColumn
        Arrays for which `validate(full=True)` passes and `to_pylist()` is `truth`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag.testing import arrow_columns
    >>> from hypothesis import find
    >>> column = find(arrow_columns(2, pa.int8(), chunked=False), lambda column: column.array.null_count)
    >>> column.truth == column.array.to_pylist()
    True
    """
    depth = draw(ndim) if isinstance(ndim, SearchStrategy) else ndim or draw(st.integers(1, 4))
    kind = leaf if isinstance(leaf, pa.DataType) else draw(leaf_types() if leaf is None else leaf)
    items = leaf_values(kind, allow_nan=allow_nan, small=small) if values is None else values
    kept = tuple(draw(st.sampled_from(list(storages))) for _ in range(depth - 1))
    extents = [None, *(draw(st.integers(0, 3)) if one == "fixed_size_list" else None for one in kept)]
    levels = _items_of(depth, items, nulls, null_rows, max_size, extents)
    name = draw(st.sampled_from(["item", "element"]))
    layout = Layout(kind, kept, tuple(levels[1:]), slack, sliced, tuple(extents[1:]), name)
    in_chunks = draw(st.booleans()) if chunked is None else chunked
    chunks = draw(st.lists(levels[0], max_size=3)) if in_chunks else [draw(levels[0])]
    arrays: list[Any] = [lay_out(draw, rows, layout) for rows in chunks]
    truth = _as_arrow_reads([row for rows in chunks for row in rows], depth, kind)
    if not in_chunks:
        return ArrowColumn(arrays[0], truth, depth, kind)
    whole: Any = kind
    for level in reversed(range(depth - 1)):
        whole = list_type(whole, kept[level], extents[level + 1], name)
    return ArrowColumn(pa.chunked_array(arrays, whole), truth, depth, kind)


def jagged_arrays(
    ndim: int | SearchStrategy[int] | None = None,
    leaf: pa.DataType | SearchStrategy[pa.DataType] | None = None,
    **options: Any,
) -> SearchStrategy[JaggedArray]:
    """`JaggedArray` values read from the layouts of `arrow_columns`.

    Parameters
    ----------
    ndim, leaf, **options
        As in `arrow_columns`.

    Returns
    -------
    SearchStrategy of JaggedArray
        With declared extents where the storage was fixed_size_list.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag.testing import jagged_arrays
    >>> from hypothesis import find
    >>> find(jagged_arrays(2, pa.float64(), nulls=False), lambda x: x.shape.size > 0).ndim
    2
    """
    return arrow_columns(ndim, leaf, **options).map(_from_arrow)


@st.composite
def prefix_lists(
    draw: st.DrawFn,
    ndims: Sequence[int] = (2, 3),
    leaves: Sequence[SearchStrategy[Any] | pa.DataType | None] | None = None,
    *,
    nulls: bool = True,
    null_rows: bool = True,
    max_size: int = 3,
    extents: Extents | None = None,
) -> tuple[list[Any], ...]:
    """Nested lists whose shapes are prefixes of one another in every row that is valid in all of them.

    Parameters
    ----------
    ndims : sequence of int
        The number of dims of each list; any order.
    leaves : sequence or None
        The leaves of each, as in `jagged_lists`.
    nulls, null_rows : bool
        Null leaves, and null rows. Rows are null in each list on their own, and where a row is null in one list, the
        others hold anything in it.
    max_size : int
        Longest list.
    extents : sequence of (int or None) or None
        Declared sizes of the longest.

    Returns
    -------
    SearchStrategy of tuple of list
        One list for each of `ndims`: operands that prefix broadcasting accepts.

    Examples
    --------
    >>> from arrowjag.testing import prefix_lists
    >>> from hypothesis import find
    >>> flat, nested = find(prefix_lists((1, 2)), lambda pair: None in pair[1])
    >>> len(flat) == len(nested)
    True
    """
    deepest, count = max(ndims), len(ndims)
    sizes = [None] * deepest if extents is None else list(extents)
    chosen = [_as_leaf(leaf) for leaf in (leaves or [None] * count)]
    alone = [_items_of(depth, leaf, nulls, null_rows, max_size, sizes[:depth]) for depth, leaf in zip(ndims, chosen, strict=True)]

    def grow(level: int, operands: list[int]) -> dict[int, Any]:
        """One item of each operand at this level, of compatible shapes."""
        ends = {k: draw(alone[k][level]) for k in operands if ndims[k] == level}
        rows = [k for k in operands if ndims[k] > level]
        if level and null_rows:
            void = [k for k in rows if _seldom(draw)]
            if void:
                return ends | {k: None if k in void else draw(alone[k][level]) for k in rows}
        length = sizes[level] if level < deepest else None
        if rows and length is None:
            length = draw(st.integers(0, max_size))
        cells = [grow(level + 1, rows) for _ in range(length or 0)] if rows else []
        return ends | {k: [cell[k] for cell in cells] for k in rows}

    grown = grow(0, list(range(count)))
    return tuple(grown[k] for k in range(count))


@st.composite
def prefix_arrays(  # noqa: PLR0913 - each can be turned off by name
    draw: st.DrawFn,
    ndims: Sequence[int] | None = None,
    leaves: Sequence[pa.DataType | SearchStrategy[pa.DataType]] | pa.DataType | None = None,
    *,
    count: int = 2,
    small: bool = True,
    allow_nan: bool = True,
    nulls: bool = True,
    null_rows: bool = True,
    max_size: int = 3,
) -> tuple[JaggedArray, ...]:
    """Arrays that prefix broadcasting accepts together, their null rows differing; some are slices of longer arrays.

    Parameters
    ----------
    ndims : sequence of int or None
        Number of dims of each; `count` numbers from 1 to 3 if None.
    leaves : DataType, sequence of DataType or of strategies, or None
        Leaf type of all, or of each; int64 if None.
    count : int
        Number of arrays, if neither `ndims` nor `leaves` is given.
    small, allow_nan : bool
        As in `leaf_values`.
    nulls, null_rows, max_size
        As in `prefix_lists`.

    Returns
    -------
    SearchStrategy of tuple of JaggedArray
        In the order of `ndims`.

    Examples
    --------
    >>> from arrowjag.testing import prefix_arrays
    >>> from hypothesis import find
    >>> x, y = find(prefix_arrays((1, 2)), lambda pair: pair[1].shape.size == 1)
    >>> len(x) == len(y), y.size
    (True, 1)
    """
    depths = list(ndims) if ndims is not None else [draw(st.integers(1, 3)) for _ in range(count)]
    asked = [leaves] * len(depths) if leaves is None or isinstance(leaves, pa.DataType) else list(leaves)
    kinds = [draw(kind) if isinstance(kind, SearchStrategy) else kind or pa.int64() for kind in asked]
    values = [leaf_values(kind, small=small, allow_nan=allow_nan) for kind in kinds]
    nested = draw(prefix_lists(depths, values, nulls=nulls, null_rows=null_rows, max_size=max_size))
    return tuple(_sliced(draw, one, kind, depth) for one, kind, depth in zip(nested, kinds, depths, strict=True))


def _sliced(draw: st.DrawFn, rows: list[Any], leaf: pa.DataType, ndim: int) -> JaggedArray:
    """Return an array of the rows, at times a slice of a longer one: its values and their validity don't begin at slot 0."""
    before, after = draw(st.sampled_from([(0, 0), (1, 0), (2, 1), (0, 1)])) if ndim and rows else (0, 0)
    if not before + after:
        return array_of(rows, leaf, ndim)
    return array_of([*rows[-1:] * before, *rows, *rows[:1] * after], leaf, ndim)[before : before + len(rows)]


def array_of(rows: Any, leaf: pa.DataType, ndim: int) -> JaggedArray:
    """Return an array of nested lists of Python values that `leaf_values` drew.

    Parameters
    ----------
    rows : nested list
        Of `ndim` levels.
    leaf : pyarrow.DataType
        Type of the result; ordered categories get all dictionary values that are drawn, in their order.
    ndim : int
        Number of dims.

    Returns
    -------
    JaggedArray
        The array.
    """
    if pa.types.is_dictionary(leaf) and leaf.ordered:
        labels = array(rows, type=leaf.value_type, ndim=ndim)
        return JaggedArray(labels.shape, categories(labels.values, leaf))
    return array(rows, type=leaf, ndim=ndim)


@st.composite
def dims(draw: st.DrawFn, length: int | None = None, *, max_size: int = 4, validity: bool = True) -> _dims.Dim:
    """Dims in every encoding, with and without null rows and declared extents.

    Parameters
    ----------
    length : int or None
        Number of rows; 0 to 6 if None.
    max_size : int
        Longest row.
    validity : bool
        Whether rows may be null (size 0).

    Returns
    -------
    SearchStrategy of Dim

    Examples
    --------
    >>> from arrowjag.testing import dims
    >>> from hypothesis import find
    >>> sum(find(dims(3), lambda dim: dim.size == 6))
    6
    """
    rows = draw(st.integers(0, 6)) if length is None else length
    encoding = draw(st.sampled_from(["Ragged", "Uniform", "Affine", "Repeat", "Runs", "Sparse", "Chain"]))
    sizes = st.integers(0, max_size)
    if encoding == "Uniform":
        return _dims.Uniform(draw(sizes), rows)
    if encoding == "Affine" and rows:
        step = draw(st.integers(-1, 1))
        return _dims.Affine(draw(sizes) + (rows - 1 if step < 0 else 0), rows, step)
    if encoding == "Repeat" and rows:
        part = draw(st.sampled_from([k for k in range(1, rows + 1) if rows % k == 0]))
        return _dims.Repeat(draw(dims(part, max_size=max_size, validity=False)), rows // part)
    if encoding == "Runs" and rows:
        part = draw(st.integers(1, rows))
        repeats = [1] * (part - 1) + [rows - part + 1]
        return _dims.Runs(draw(st.lists(sizes, min_size=part, max_size=part)), draw(st.permutations(repeats)))
    if encoding == "Sparse" and rows:
        return _dims.Sparse(draw(st.dictionaries(st.integers(0, rows - 1), sizes, min_size=1)), rows)
    if encoding == "Chain" and rows > 1:
        part = draw(st.integers(1, rows - 1))
        parts = [draw(dims(k, max_size=max_size, validity=False)) for k in (part, rows - part)]
        return _dims.Chain(parts)
    ragged = draw(st.lists(sizes, min_size=rows, max_size=rows))
    valid = [not (validity and _seldom(draw)) for _ in ragged]
    plain = _dims.Ragged([size if ok else 0 for size, ok in zip(ragged, valid, strict=True)])
    return plain if all(valid) else plain.with_validity(valid)


@st.composite
def shapes(draw: st.DrawFn, ndim: int | None = None, *, max_size: int = 4, validity: bool = True) -> JaggedShape:
    """Shapes of dims in every encoding.

    Parameters
    ----------
    ndim : int or None
        Number of dims; 0 to 4 if None.
    max_size : int
        Longest row.
    validity : bool
        Whether rows below the outermost may be null.

    Returns
    -------
    SearchStrategy of JaggedShape

    Examples
    --------
    >>> from arrowjag.testing import shapes
    >>> from hypothesis import find
    >>> find(shapes(2), lambda shape: shape.size == 1).ndim
    2
    """
    depth = draw(st.integers(0, 4)) if ndim is None else ndim
    parts: list[Any] = []
    for level in range(depth):
        rows = parts[-1].size if level else 1
        parts.append(draw(dims(rows, max_size=max_size, validity=validity and level > 0)))
    return JaggedShape(*parts)


def _items_of(
    ndim: int,
    leaf: SearchStrategy[Any],
    nulls: bool,
    null_rows: bool,
    max_size: int,
    extents: Extents | None,
) -> list[SearchStrategy[Any]]:
    """A strategy for the items of each level: the whole list first, the leaves last."""
    levels = [_with_none(leaf) if nulls else leaf]
    for level in reversed(range(ndim)):
        extent = extents[level] if extents is not None else None
        low, high = (0, max_size) if extent is None else (extent, extent)
        rows: SearchStrategy[Any] = st.lists(levels[0], min_size=low, max_size=high)
        levels.insert(0, rows if level == 0 or not null_rows else _with_none(rows))
    return levels


@st.composite
def _with_none(draw: st.DrawFn, item: SearchStrategy[Any]) -> Any:
    """Draw None with a probability of one in six: with one half, few items would be left below the third level."""
    return None if _seldom(draw) else draw(item)


def _seldom(draw: st.DrawFn) -> bool:
    return bool(draw(st.integers(0, 5)) == 5)


def _as_leaf(leaf: SearchStrategy[Any] | pa.DataType | None) -> SearchStrategy[Any]:
    if leaf is None:
        return st.integers(-4, 4)
    return leaf_values(leaf) if isinstance(leaf, pa.DataType) else leaf


def _as_arrow_reads(rows: list[Any], ndim: int, leaf: pa.DataType) -> list[Any]:
    """The rows with every leaf as `to_pylist` gives it: a float16 rounded, a count of seconds as a datetime."""
    flat: Any = leaf_arrays(list(_flat(rows, ndim)), leaf, [])
    taken = iter(flat.to_pylist())

    def refill(item: Any, depth: int) -> Any:
        if depth == 0:
            return next(taken)
        return None if item is None else [refill(one, depth - 1) for one in item]

    return list(refill(rows, ndim))


def _flat(item: Any, depth: int) -> Iterator[Any]:
    if depth == 0:
        yield item
    elif item is not None:
        for one in item:
            yield from _flat(one, depth - 1)


def _from_arrow(column: ArrowColumn) -> JaggedArray:
    return from_arrow(column.array)
