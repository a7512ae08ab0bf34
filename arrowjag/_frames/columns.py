"""Operations on columns of one frame, which the surfaces of pandas and polars share.

A surface reads columns as arrays, calls one function of this module, and writes the arrays that it returns back as columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._array import JaggedArray
from arrowjag._column import Column
from arrowjag._integers import item_count
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.move import gather
from arrowjag._methods import METHODS
from arrowjag._ops import select, struct_fields, structure
from arrowjag._vocabulary.spellings import suggestion
from arrowjag.dims import Ragged, Uniform
from arrowjag.errors import JagAttributeError, JagError, JagIndexError, JagTypeError, JagValueError, ShapeError, brief, plural
from arrowjag.functions._products import zip as zip_arrays
from arrowjag.shape import JaggedShape, dims_text
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "STATISTICS",
    "Flat",
    "FrameAccessor",
    "check_gathered",
    "check_keys",
    "check_labels",
    "check_nested",
    "check_new",
    "check_to_dim",
    "check_whole",
    "column_names",
    "described",
    "filter_columns",
    "flatten",
    "list_of_keys",
    "named",
    "nest",
    "nested_names",
    "no_column",
    "pick",
    "replaced",
    "resolve",
    "sort_columns",
    "topk_columns",
    "unnest",
]

Columns = Mapping[Any, JaggedArray]


class FrameAccessor:
    """`.jag` of a frame: it holds the frame, and its errors for unknown names say that columns have a `.jag` of their own.

    Parameters
    ----------
    frame : DataFrame or LazyFrame
        The frame.
    """

    _kind: ClassVar[str] = "DataFrame"
    """The class of frames, for messages."""

    _where: ClassVar[str] = "df[column].jag"
    """The code for `.jag` of a column."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        rows, columns = self._frame.shape
        return f"{type(self).__name__} of a {self._kind} of {plural(rows, 'row')} and {plural(columns, 'column')}"

    if not TYPE_CHECKING:  # for type checkers

        def __getattr__(self, name: str) -> NoReturn:
            """Raise for an unknown name, and suggest one of arrowjag."""
            if name.startswith("_"):
                raise AttributeError(name)
            raise JagAttributeError(f".jag of a {self._kind} has no {brief(name)}", name, lambda: self._instead(name))

        def __getitem__(self, name: Any) -> NoReturn:
            where = self._column_hint(name) or f"; write {self._where}"
            raise JagTypeError(f".jag of a {self._kind} can't be indexed{where}")

    def _instead(self, name: str) -> str:
        """Return the hint about a name that `.jag` of the frame lacks."""
        if name in METHODS:
            return f"; write {self._where}.{name}"
        return self._column_hint(name) or suggestion(name, dir(type(self)), where=self._where)

    def _column_hint(self, name: Any) -> str:
        """Return how to write `.jag` of a column with this name."""
        known = isinstance(name, str) and name in self._known()
        return f"; write {self._where.replace('column', brief(name))}" if known else ""

    def _known(self) -> Sequence[Any]:
        """The names of columns, if they are known without a query."""
        return list(self._frame.columns)


# ----------------------------------------------------------------------------------------------------------- names


def resolve(name: Hashable, names: Iterable[Hashable], index: Iterable[Hashable] = ()) -> tuple[Hashable, tuple[str, ...]]:
    """Split a name into a column and the fields below it.

    Parameters
    ----------
    name : hashable
        The name of a column, or ``"column.field"`` with any number of fields.
    names : iterable of hashable
        The columns of the frame. A column whose own name has dots comes first.
    index : iterable of hashable
        The names of the levels of the frame's index.

    Returns
    -------
    hashable, tuple of str
        The column, and the names of fields from the outside.

    Raises
    ------
    JagIndexError
        If there is no such column.

    Examples
    --------
    >>> resolve("docs.score", ["id", "docs"])
    ('docs', ('score',))
    """
    known = names if isinstance(names, list) else list(names)  # an index of pandas takes a microsecond per label
    check_labels([name])
    if name in known:
        return name, ()
    parts = name.split(".") if isinstance(name, str) else []
    for place in range(len(parts) - 1, 0, -1):
        column = ".".join(parts[:place])
        if column in known:
            return column, tuple(parts[place:])
    raise no_column(name, known, index)


def no_column(name: Hashable, known: Iterable[Hashable], index: Iterable[Hashable] = (), operation: str = "") -> JagIndexError:
    """Return the error for a column that a frame lacks; `index` are the names of the levels of its index."""
    hint = f"; {brief(name)} is a level of the index, reset_index makes it a column" if name in list(index) else ""
    where = f"{operation}: " if operation else ""
    return JagIndexError(f"{where}the frame has no column {brief(name)}; it has {list(known)}{hint}")


def pick(array: JaggedArray, fields: Sequence[str], name: Hashable = None) -> JaggedArray:
    """Return a field below the structs of a column."""
    for field in fields:
        try:
            array = array[field]
        except JagError as error:
            raise named(error, name) from None
    return array


def named(error: JagError, name: Hashable) -> JagError:
    """Return the error with the name of the column."""
    return type(error)(str(error) if f"column {name!r}" in str(error) else f"column {name!r}: {error}")


def column_names(operation: str, names: Sequence[Any], resolved: Callable[[list[Any]], list[Any]] | None = None) -> list[Any]:
    """Return the names of the columns that a call changes; raise if there is none, or one is named twice.

    Surfaces that name columns in other ways, such as by selectors, pass the function that returns the names.
    """
    found = list(names[0]) if len(names) == 1 and isinstance(names[0], (list, tuple)) else list(names)
    if not found:
        raise JagTypeError(f"{operation} takes the names of columns: name at least one")
    if resolved is None:
        check_labels(found)
    else:
        found = resolved(found)
    _refuse_twice(operation, found)
    return found


def check_whole(operation: str, names: Iterable[Any], known: Iterable[Hashable], index: Iterable[Hashable] = ()) -> None:
    """Raise for a field of a column, and for a column that does not exist."""
    known = list(known)
    for name in names:
        if resolve(name, known, index)[1]:
            raise JagTypeError(f"{operation} changes whole columns, {brief(name)} is a field: name its column, or unnest it first")


def check_keys(keys: Sequence[Any]) -> None:
    """Raise if there is no key to nest rows by: the frame would have no columns, or the host would raise an error of its own."""
    if not keys:
        raise JagTypeError("implode nests the rows of each group: name at least one column of keys")


def check_gathered(keys: Sequence[Any], names: Sequence[Any]) -> None:
    """Raise if a key is among the columns that are nested."""
    for name in keys:
        if name in names:
            raise JagValueError(f"implode: column {name!r} can't be a key and jagged at once")


def check_nested(names: Sequence[Any], ndims: Iterable[int]) -> None:
    """Raise if all columns have one dim, so that there is nothing to flatten."""
    if all(ndim == 1 for ndim in ndims):
        flat = f"{', '.join(map(repr, names))} {'is' if len(names) == 1 else 'are'}"
        raise JagTypeError(f"flatten: {flat} flat already; name a jagged column")


def check_labels(names: Sequence[Any]) -> None:
    """Raise for data in place of the name of a column."""
    for name in names:
        # Expressions have a hash, but equal nothing.
        if not isinstance(name, Hashable) or callable(name) or not isinstance(name == name, (bool, np.bool_)):  # noqa: PLR0124
            raise JagTypeError(f"a column must be given by its name, got {type(name).__name__}")


def _refuse_twice(operation: str, names: Sequence[Any]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise JagValueError(f"{operation}: column {brief(name)} is named twice")


def list_of_keys(by: Any, kinds: tuple[type, ...]) -> list[Any]:
    """Return an argument of one or several keys as a list; a list is one key itself unless all its items are of the given types."""
    return list(by) if isinstance(by, (list, tuple)) and by and all(isinstance(one, kinds) for one in by) else [by]


def check_new(operation: str, made: Sequence[Hashable], others: Iterable[Hashable]) -> None:
    """Raise if a new column has the name of another one."""
    _refuse_twice(operation, made)
    taken = [name for name in others if name in made]
    if taken:
        raise JagValueError(f"{operation}: the frame already has a column {brief(taken[0])}; rename or drop it first")


def replaced(names: Sequence[Any], gone: Sequence[Any], made: Sequence[Any]) -> list[Any]:
    """Return the columns of a frame in which `made` take the place of the first of `gone`; the others of `gone` are dropped."""
    first = min((names.index(name) for name in gone), default=len(names))
    before = [name for name in names[:first] if name not in gone]
    return [*before, *made, *(name for name in names[first:] if name not in gone)]


# ---------------------------------------------------------------------------------------------- columns of one group


def filter_columns(columns: Columns, mask: JaggedArray) -> dict[Any, JaggedArray]:
    """Keep the items of columns for which a mask is true.

    Parameters
    ----------
    columns : mapping of name to JaggedArray
        Of the mask's dims or more: deeper columns lose whole inner rows.
    mask : JaggedArray of bool
        One value per item; one value per row keeps or drops all items of the row.

    Returns
    -------
    dict
        The same names. Rows stay.
    """
    select.check_boolean(mask, "filter")
    return _each("filter", columns, lambda column: _filtered(column, mask))


def _filtered(column: JaggedArray, mask: JaggedArray) -> JaggedArray:
    if mask.ndim == 1:
        mask = JaggedArray._of(structure.align([_outer_items(column), mask], "filter")[1])
    if mask.ndim >= column.ndim:
        return column.filter(mask)
    fitted, mask_ = structure.agree([column, mask], "filter", mask.ndim)
    keep = select.true_items(mask_.values)
    *outer, dim = fitted.shape.dims[: mask.ndim]
    left = Ragged.from_offsets(_offsets.filter_rows(keep, dim.offsets), validity=dim.validity, check=False)
    return JaggedArray._of(structure.keep_items(fitted, mask.ndim, keep, (*outer, left)))


def _outer_items(column: JaggedArray) -> Column:
    """Return the first two dims of a column, with nulls as values."""
    dims = column.shape.dims[:2]
    return Column(JaggedShape._trusted(dims), pa.nulls(dims[1].size))


def sort_columns(columns: Columns, by: Sequence[JaggedArray], descending: bool) -> dict[Any, JaggedArray]:
    """Sort the items of columns by the items of one or several keys.

    Parameters
    ----------
    columns : mapping of name to JaggedArray
        Of the keys' dims or more: deeper columns move whole inner rows.
    by : sequence of JaggedArray
        The keys, the first decides first.
    descending : bool
        Whether the largest key comes first.

    Returns
    -------
    dict
        The same names. Nulls come last and NaN just before them, in both directions; equal keys keep their order.
    """
    order = _order("sort_items", by, descending)
    return _each("sort_items", columns, lambda column: _taken("sort_items", column, order, None))


def topk_columns(columns: Columns, by: Sequence[JaggedArray], k: int) -> dict[Any, JaggedArray]:
    """Keep the `k` items of each row with the largest keys, largest first.

    Parameters
    ----------
    columns : mapping of name to JaggedArray
        Of the keys' dims or more: deeper columns keep whole inner rows.
    by : sequence of JaggedArray
        The keys. Of equal keys the first item comes first; null keys come last and NaN just before them.
    k : int
        At least 0.

    Returns
    -------
    dict
        The same names. Rows stay; shorter rows keep all items.
    """
    order = _order("topk", by, True)
    return _each("topk", columns, lambda column: _taken("topk", column, order, k))


def _order(operation: str, by: Sequence[JaggedArray], descending: bool) -> JaggedArray:
    key = by[0] if len(by) == 1 else zip_arrays(*by)
    if key.ndim < 2:
        raise ShapeError(f"{operation}: the key is a flat column of {key.type}, which can't order items; name a jagged column")
    return key.argsort(descending=descending)


def _taken(operation: str, column: JaggedArray, order: JaggedArray, k: int | None) -> JaggedArray:
    if column.ndim < order.ndim:
        raise ShapeError(f"{operation}: the key has {dims_text(order.shape.dims)}, the column {dims_text(column.shape.dims)}")
    level = order.ndim
    if not all(one is two for one, two in zip(column.shape.dims[:level], order.shape.dims, strict=True)):
        column, order = (JaggedArray._of(one) for one in structure.agree([column, order], operation, level))
    order = order if k is None else order.head(k)
    return column.take(order, axis=level - 1)


def _each(operation: str, columns: Columns, function: Callable[[JaggedArray], JaggedArray]) -> dict[Any, JaggedArray]:
    made: dict[Any, JaggedArray] = {}
    for name, column in columns.items():
        if column.ndim < 2:
            raise ShapeError(f"{operation}: column {name!r} is flat, {column.type}; it has no items")
        try:
            made[name] = function(column)
        except JagError as error:
            raise named(error, name) from None
    return made


def nested_names(names: Sequence[Any], known: Sequence[Any], into: Hashable) -> tuple[list[Any], list[str]]:
    """Return the columns of `nest` that disappear, and the names of the fields; raise if `into` is the name of another column."""
    gone = [name for name in names if name in known]
    fields = [str(name if name in known else resolve(name, known)[1][-1]) for name in names]
    check_new("nest", fields, ())
    check_new("nest", [into], [name for name in known if name not in gone])
    return gone, fields


def nest(columns: Mapping[str, JaggedArray]) -> JaggedArray:
    """Combine columns into one of structs, with one field per column; shorter columns are expanded.

    Parameters
    ----------
    columns : mapping of str to JaggedArray
        Every shape is a prefix of the longest.

    Returns
    -------
    JaggedArray
        A row is null where any column has a null row of a dim that they share.
    """
    with _named_together(columns):
        return JaggedArray._of(struct_fields.zip_fields(columns, "nest"))


@contextmanager
def _named_together(names: Iterable[Hashable]) -> Iterator[None]:
    """Begin errors about several columns with their names."""
    try:
        yield
    except JagError as error:
        raise type(error)(f"columns {', '.join(map(repr, names))}: {error}") from None


def unnest(name: Hashable, column: JaggedArray) -> dict[str, JaggedArray]:
    """Split a column of structs into one column per field; items of null structs are null."""
    fields = struct_fields.fields(column.type)
    if not fields:
        raise JagTypeError(f"unnest: column {name!r} holds {column.type}, not structs")
    return {field: column[field] for field in fields}


# --------------------------------------------------------------------------------------------------------- flat rows


class Flat(NamedTuple):
    """Columns as flat rows.

    Attributes
    ----------
    parents : numpy.ndarray of int64
        The row of the frame that each flat row comes from.
    sizes : numpy.ndarray of int64
        How many flat rows each row of the frame gives.
    columns : list of JaggedArray
        The columns, of one dim each, and of the dims that were not merged.
    """

    parents: Any
    sizes: Any
    columns: list[JaggedArray]


def flatten(columns: Sequence[Column], names: Sequence[Hashable], keep_empty: bool = False, to_dim: int | None = None) -> Flat:
    """Give columns that share a shape prefix one row per leaf of the longest, or per item at the last merged dim.

    Parameters
    ----------
    columns : sequence of Column
        Every shape, up to `to_dim`, is a prefix of the longest. Columns of one dim are repeated.
    names : sequence of hashable
        Their names, which errors begin with.
    keep_empty : bool
        Whether a null or empty row of any merged level gives one flat row, null in the columns that have no item there.
    to_dim : int, optional
        The number of dims to merge, by default all; columns of more dims keep the others.

    Returns
    -------
    Flat
        The flat rows.
    """
    with _named_together(names):
        if to_dim is None:
            return _flattened(columns, keep_empty)
        flat = _flattened([_numbered(column, to_dim) for column in columns], keep_empty)
        return flat._replace(columns=[_rows_at(one, column, to_dim) for one, column in zip(flat.columns, columns, strict=True)])


def check_to_dim(to_dim: int | None) -> int | None:
    """Return a checked number of dims to merge."""
    return None if to_dim is None else item_count(to_dim, "flatten: to_dim", 2)


def _numbered(column: Column, ndim: int) -> Column:
    """Return the first dims of a column, with the positions of the items at the last of these dims as values."""
    if column.ndim <= ndim:
        return column
    dims = column.shape.dims[:ndim]
    return Column(JaggedShape._trusted(dims), pa.array(np.arange(dims[-1].size)))


def _rows_at(numbers: JaggedArray, column: Column, ndim: int) -> JaggedArray:
    """Return the rows of a column below its first dims at the positions that `_numbered` gave."""
    if column.ndim <= ndim:
        return numbers
    rows = JaggedArray._of(structure.flatten(column, 0, ndim))
    if len(numbers) == len(rows) and not numbers.null_count:  # numbers ascend, so that these are all of them
        return rows
    return rows.take(numbers, axis=0)


def _flattened(columns: Sequence[Column], keep_empty: bool) -> Flat:
    nested = [column for column in columns if column.ndim > 1]
    rows = columns[0].shape.nodes(1)
    if any(column.shape.nodes(1) != rows for column in columns) or not keep_empty or not nested:
        aligned = structure.align(columns, "flatten")
        shape = aligned[0].shape
        sizes = np.ones(rows, np.int64) if shape.ndim == 1 else np.asarray(shape.composed(1, shape.ndim).sizes)
        parents = np.arange(rows) if shape.ndim == 1 else shape.composed(1, shape.ndim).parents
        return Flat(parents, sizes, [_flat(column.values) for column in aligned])
    agreed = iter(structure.agree(nested, "flatten"))
    fitted = [next(agreed) if column.ndim > 1 else column for column in columns]
    longest = max((column.shape for column in fitted), key=lambda shape: shape.ndim)
    places = _places(longest)
    flat = [_flat(gather.take(column.values, *_where(places[column.ndim - 1]))) for column in fitted]
    return Flat(places[0], np.bincount(places[0], minlength=rows).astype(np.int64), flat)


def _flat(values: pa.Array) -> JaggedArray:
    return JaggedArray._of(Column(JaggedShape._trusted([Uniform._frame(len(values))]), values))


def _where(places: IntArray) -> tuple[IntArray, BoolArray | None]:
    """Return positions for `gather.take`, and where there is one: -1 stands for none."""
    there = places >= 0
    return (places, None) if there.all() else (np.where(there, places, 0), there)


def _places(shape: JaggedShape) -> list[IntArray]:
    """Return, for each level, the position of the item that each flat row belongs to; -1 where a row above has no item."""
    places: list[Any] = [np.arange(shape.nodes(1))]
    for dim in shape.dims[1:]:
        there = places[-1] >= 0
        parent = np.where(there, places[-1], 0)
        starts = dim.offsets[parent]
        sizes = dim.offsets[parent + there] - starts
        repeats = np.maximum(sizes, 1)
        child = np.full(int(repeats.sum()), -1, np.int64)
        child[gather.ranges(np.cumsum(repeats) - repeats, sizes)] = gather.ranges(starts, sizes)
        places = [*(np.repeat(one, repeats) for one in places), child]
    return places


# --------------------------------------------------------------------------------------------------------- statistics

STATISTICS = (
    *("rows", "null_rows", "empty_rows", "length_min", "length_mean", "length_max", "items", "count"),
    *("mean", "std", "min", "25%", "50%", "75%", "max"),
)
"""The statistics that `described` returns per column."""


def described(name: Hashable, column: JaggedArray) -> dict[Hashable, dict[str, float]]:
    """Return statistics of the rows and of the values of a column.

    Parameters
    ----------
    name : hashable
        The name of the column.
    column : JaggedArray
        The column; structs are described field by field.

    Returns
    -------
    dict
        For each column or field (``name.field``) the values of `STATISTICS`; NaN for a statistic that a column does
        not have, such as the mean of text.
    """
    if pt.is_struct(column.type):
        found: dict[Hashable, dict[str, float]] = {}
        for field in struct_fields.fields(column.type):
            found |= described(f"{name}.{field}", column[field])
        return found
    return {name: dict(zip(STATISTICS, [*_of_rows(column), *_of_values(column.values)], strict=True))}


def _of_rows(column: JaggedArray) -> list[float]:
    rows = column.shape.nodes(1)
    if column.ndim == 1:
        return [float(rows), float(column.null_count), math.nan, math.nan, math.nan, math.nan]
    dim = column.shape.dims[1]
    sizes = np.asarray(dim.sizes)
    sizes = sizes if dim.validity is None else sizes[dim.validity]
    lengths = [sizes.min(), sizes.mean(), sizes.max()] if len(sizes) else [math.nan] * 3
    return [float(one) for one in (rows, rows - len(sizes), np.count_nonzero(sizes == 0), *lengths)]


def _of_values(values: pa.Array) -> list[float]:
    counts = [float(len(values)), float(len(values) - values.null_count)]
    is_number = _arrow.is_numeric(values.type) or pt.is_decimal(values.type)
    if not is_number or pt.is_boolean(values.type):
        return [*counts, *([math.nan] * 7)]
    flat: Any = _flat(values).cast(pa.float64(), safe=False)
    numbers = [flat.mean(), flat.std(), flat.min(), *(flat.quantile(q) for q in (0.25, 0.5, 0.75)), flat.max()]
    return [*counts, *(math.nan if one.as_py() is None else float(one.as_py()) for one in numbers)]
