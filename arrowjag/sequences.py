"""Sequences for models: pack rows of tokens into rows of one width, pad batches, put rows of similar length together.

Packing loses no row: `Packed.source` names the row of each piece, and `Packed.unpack` returns all rows, null and empty ones too.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag._arguments import check_arguments, flat_numbers
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._column import Column
from arrowjag._integers import integer, item_count
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.dense import bins as _bins
from arrowjag._kernels.dense.bins import Bins, Pieces
from arrowjag._kernels.move import scatter
from arrowjag._kernels.order.digits import radix_order
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagError, JagIndexError, JagTypeError, JagValueError, ShapeError, Suggesting, brief, plural
from arrowjag.functions import concat
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["Buckets", "Packed", "bucket", "pack", "pack_batches", "pad_batch"]

Strategy = Literal["wrapped", "first_fit", "best_fit", "split"]


class Layout(NamedTuple):
    """The source and target rows of the pieces of packed rows; `cuts` are the boundaries of pieces among the packed values."""

    pieces: Pieces
    bins: Bins
    cuts: IntArray


class Packed(Suggesting):
    """The result of `pack`: packed rows of at most `width` items, and the origin of each item.

    A *piece* is a run of items of one source row within one packed row. Pieces are counted through all packed rows.

    Attributes
    ----------
    values : JaggedArray
        The packed rows. None is longer than `width`, none is null.
    width : int
        The maximal number of items of a packed row.
    strategy : str
        The strategy by which rows were packed.

    Examples
    --------
    >>> import arrowjag as aj
    >>> packed = aj.sequences.pack(aj.array([[1, 2, 3], [4, 5], [], [6]]), 4, strategy="best_fit")
    >>> packed.values.to_list(), packed.source.tolist(), packed.cu_seqlens.tolist()
    ([[1, 2, 3, 6], [4, 5]], [0, 3, 1], [0, 3, 4, 6])
    """

    def __init__(self, column: Column, width: int, strategy: str, numbers: IntArray | None = None) -> None:
        self.width = width
        self.strategy = strategy
        self._shape = column.shape
        self._numbers = numbers
        if strategy == "wrapped":
            total = column.shape.nodes(2)
            self.values = JaggedArray._of(_in_pieces(column, np.append(np.arange(0, total, width), total)))
        else:
            layout = self._layout
            moved = _moved(_in_pieces(column, layout.pieces.offsets), layout.bins.order)
            self.values = JaggedArray._of(_in_pieces(moved, layout.cuts[layout.bins.offsets]))

    @functools.cached_property
    def _layout(self) -> Layout:
        offsets = np.asarray(self._shape.dims[1].offsets)
        if self.strategy == "wrapped":
            pieces, edges = _bins.wrap(offsets, self.width)
            return Layout(pieces, Bins(np.arange(len(pieces.rows)), edges), pieces.offsets)
        pieces = _bins.cut(offsets, self.width)
        lengths = np.diff(pieces.offsets)
        if self.strategy == "split":
            bins = Bins(np.arange(len(lengths)), np.arange(len(lengths) + 1))
        else:
            bins = (_bins.best_fit if self.strategy == "best_fit" else _bins.first_fit)(lengths, self.width)
        return Layout(pieces, bins, _offsets.from_sizes(lengths[bins.order]))

    @functools.cached_property
    def source(self) -> IntArray:
        """The row of the source that each piece comes from: a numpy array of int64.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.sequences.pack(aj.array([[7, 8, 9], [], [5, 6]]), 4).source.tolist()
        [0, 2, 2]
        """
        rows = self._layout.pieces.rows[self._layout.bins.order]
        return _frozen(rows if self._numbers is None else self._numbers[rows])

    @functools.cached_property
    def cu_seqlens(self) -> npt.NDArray[Any]:
        """The boundaries of pieces among the flat values, from 0, as attention kernels take them.

        A numpy array of int32, of int64 beyond 2**31 values.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.sequences.pack(aj.array([[7, 8, 9], [], [5, 6]]), 4).cu_seqlens.tolist()
        [0, 3, 4, 5]
        """
        cuts = self._layout.cuts
        return _frozen(cuts.astype(np.int32 if cuts[-1] < 2**31 else np.int64))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        room = len(self) * self.width
        filled = 100 * self.values.shape.nodes(2) / room if room else 0.0
        rows = plural(len(self._shape.dims[1]), "row")
        return f"Packed({rows} in {len(self)} of width {self.width}, {self.strategy}, {filled:.1f}% filled)"

    @functools.cached_property
    def position_ids(self) -> JaggedArray:
        """The position of each item in its piece, in the shape of `values`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.sequences.pack(aj.array([[7, 8, 9], [5, 6]]), 4).position_ids.to_list()
        [[0, 1, 2, 0], [0]]
        """
        return self._per_item(_offsets.positions(self._layout.cuts))

    @functools.cached_property
    def segment_ids(self) -> JaggedArray:
        """The number of each item's piece within its packed row, from 0, in the shape of `values`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.sequences.pack(aj.array([[7, 8, 9], [5, 6]]), 4).segment_ids.to_list()
        [[0, 0, 0, 1], [0]]
        """
        return self._per_item(np.repeat(_offsets.positions(self._layout.bins.offsets), np.diff(self._layout.cuts)))

    def _per_item(self, numbers: IntArray) -> JaggedArray:
        return JaggedArray._of(Column(JaggedShape._trusted(self.values.shape.dims[:2]), pa.array(numbers)))

    def unpack(self, values: Any = None) -> JaggedArray:
        """Return packed values to their rows.

        Parameters
        ----------
        values : JaggedArray, optional
            Values in the shape of the packed rows, such as one prediction per item; by default the packed items themselves.

        Returns
        -------
        JaggedArray
            The rows of the source in their order; null and empty rows are null and empty again. Cost: one gather.

        Raises
        ------
        ShapeError
            If sizes of rows differ from those of the packed rows.

        Examples
        --------
        >>> import arrowjag as aj
        >>> packed = aj.sequences.pack(aj.array([[1, 2, 3], None, [], [4]]), 2)
        >>> packed.unpack().to_list()
        [[1, 2, 3], None, [], [4]]
        >>> packed.unpack(packed.values * 10).to_list()
        [[10, 20, 30], None, [], [40]]
        """
        column: Column = self.values if values is None else as_column(values)
        dim = self.values.shape.dims[1]
        if (
            column.ndim < 2
            or len(column.shape.dims[1]) != len(dim)
            or not np.array_equal(column.shape.dims[1].offsets, dim.offsets)
        ):
            raise ShapeError(f"unpack: expected the sizes of the packed rows, {self.values.shape!r}, got {column.shape!r}")
        back = column
        if self.strategy not in ("wrapped", "split"):
            back = _moved(_in_pieces(column, self._layout.cuts), scatter.inverse(self._layout.bins.order))
        return JaggedArray._of(structure.with_shape(JaggedShape._trusted([*self._shape.dims[:2], *back.shape.dims[2:]]), back))

    @check_arguments
    def block_mask(self, i: int, causal: bool = False) -> BoolArray:
        """Return which items of a packed row may attend to each other: those of the same piece.

        Parameters
        ----------
        i : int
            The packed row; negative counts from the end.
        causal : bool
            Whether items attend to earlier items and themselves only.

        Returns
        -------
        numpy.ndarray of bool
            Of shape (n, n) for a packed row of n items, the attending item first.

        Raises
        ------
        JagIndexError
            If there is no such packed row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.sequences.pack(aj.array([[7, 8], [5]]), 4).block_mask(0).astype(int).tolist()
        [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
        """
        row = integer(i, "block_mask: i")
        if not -len(self) <= row < len(self):
            raise JagIndexError(f"block_mask: packed row {row} is out of range, there are {len(self)}")
        first, last = self._layout.bins.offsets[row % len(self) :][:2]
        ids = np.repeat(np.arange(last - first), np.diff(self._layout.cuts[first : last + 1]))
        mask: BoolArray = ids[:, None] == ids
        return np.tril(mask) if causal else mask


@check_arguments
def pack(x: Any, width: int, strategy: Strategy = "wrapped") -> Packed:
    """Pack rows into longer rows of at most `width` items, so that a batch of them needs little padding.

    Parameters
    ----------
    x : JaggedArray or input of `arrowjag.array`
        Rows of items of any type, of two or more dims; deeper dims move with their item.
    width : int
        The maximal number of items of a packed row, at least 1.
    strategy : {"wrapped", "first_fit", "best_fit", "split"}
        "wrapped" joins all rows and cuts after every `width` items: only the last packed row may be shorter, and rows are cut
        anywhere. "best_fit" keeps rows whole: the longest comes first, each goes to the fullest packed row that has room for
        it. "first_fit" takes the first packed row that has room. "split" does not mix rows: each is cut into packed rows of its
        own. A row longer than the width is cut after every `width` items under each strategy.

    Returns
    -------
    Packed
        The packed rows hold every item of every row exactly once, null items included. Null and empty rows take no room;
        `unpack` restores them. "wrapped" and "split" share the values, the others copy them once. Cost: linear in rows and
        items; "best_fit" and "first_fit" add a step per distinct length and room.

    Raises
    ------
    JagValueError
        If the width is less than 1, or there is no such strategy.
    ShapeError
        If `x` has no rows of items.

    Notes
    -----
    TRL calls "best_fit" "bfd", which drops the items beyond the width; "wrapped" has the same name.

    Examples
    --------
    >>> import arrowjag as aj
    >>> rows = aj.array([[1, 2, 3], [4, 5], [6], [7, 8]])
    >>> aj.sequences.pack(rows, 4).values.to_list()
    [[1, 2, 3, 4], [5, 6, 7, 8]]
    >>> aj.sequences.pack(rows, 4, strategy="best_fit").values.to_list()
    [[1, 2, 3, 6], [4, 5, 7, 8]]
    >>> aj.sequences.pack(rows, 2, strategy="split").values.to_list()
    [[1, 2], [3], [4, 5], [6], [7, 8]]
    """
    return Packed(_rows_of(x, "pack"), _width(width), _strategy(strategy))


def _rows_of(x: Any, operation: str) -> Column:
    column = as_column(x)
    if column.ndim < 2:
        raise ShapeError(f"{operation} takes rows of items, at least 2 dims, got {column.shape!r}")
    return column


def _width(width: Any) -> int:
    return item_count(width, "pack: width", 1)


def _strategy(strategy: Any) -> str:
    return str(strategy)


def _in_pieces(column: Column, cuts: IntArray) -> Column:
    """The items of all rows in pieces, by their boundaries."""
    dims: list[Dim] = [Uniform._frame(len(cuts) - 1), Ragged.from_offsets(cuts, check=False)]
    return Column(JaggedShape._trusted([*dims, *column.shape.dims[2:]]), column.values)


def _moved(pieces: Column, order: IntArray) -> Column:
    """Pieces in another order; the same column if they stay."""
    if np.array_equal(order, np.arange(len(order))):
        return pieces
    return structure.take_items(pieces, 1, order, [Uniform._frame(len(order))])


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array


# ----------------------------------------------------------------------------------------------------------- streams


@check_arguments
def pack_batches(batches: Iterable[Any], width: int, strategy: Strategy = "wrapped") -> Iterator[Packed]:
    """Pack a stream of batches in bounded memory.

    Parameters
    ----------
    batches : iterable of JaggedArray or of input of `arrowjag.array`
        The rows, batch by batch, such as the column of each batch of a Parquet file.
    width : int
        The maximal number of items of a packed row, at least 1.
    strategy : {"wrapped", "first_fit", "best_fit", "split"}
        As in `pack`. With "wrapped" an unfinished packed row is continued in the next batch, so that only the very last
        packed row may be shorter; the other strategies pack each batch separately.

    Yields
    ------
    Packed
        One per batch, with "wrapped" one more for the rest. `source` counts rows from the first batch on. `unpack` returns
        the rows of the batch; with "wrapped" a row that is continued in the next batch is returned in parts, each with its
        number in `source`.

    Raises
    ------
    JagValueError
        If the width is less than 1, or there is no such strategy.
    ShapeError
        If a batch has no rows of items.

    Examples
    --------
    >>> import arrowjag as aj
    >>> batches = [aj.array([[1, 2, 3], [4]]), aj.array([[5, 6], [7]])]
    >>> [packed.values.to_list() for packed in aj.sequences.pack_batches(batches, 3)]
    [[[1, 2, 3]], [[4, 5, 6]], [[7]]]
    """
    size, how = _width(width), _strategy(strategy)
    if not isinstance(cast("object", batches), Iterable) or getattr(batches, "ndim", None) == 0:
        raise JagTypeError(f"pack_batches takes an iterable of arrays, got {type(batches).__name__}")
    return _packed_batches(batches, size, how)


def _packed_batches(batches: Iterable[Any], width: int, strategy: str) -> Iterator[Packed]:
    rest: Rows | None = None
    first = 0
    for batch in batches:
        column = _rows_of(batch, "pack_batches")
        n = column.shape.nodes(1)
        rows = Rows(column, np.arange(first, first + n))
        first += n
        if strategy == "wrapped":
            rows, rest = _whole(rows if rest is None else _joined(rest, rows), width)
        yield Packed(rows.column, width, strategy, rows.numbers)
    if rest is not None and len(rest.numbers):
        yield Packed(rest.column, width, strategy, rest.numbers)


class Rows(NamedTuple):
    """Rows of a stream, and their numbers in it."""

    column: Column
    numbers: IntArray


def _joined(one: Rows, two: Rows) -> Rows:
    if not len(one.numbers):
        return two
    column = concat([JaggedArray._of(_undeclared(one.column)), JaggedArray._of(_undeclared(two.column))])
    return Rows(as_column(column), np.concatenate([one.numbers, two.numbers]))


def _undeclared(column: Column) -> Column:
    """Rows without a declared extent, so that parts of rows fit beside them."""
    dims = [dim.with_extent(None) if place == 1 else dim for place, dim in enumerate(column.shape.dims)]
    return structure.with_shape(JaggedShape._trusted(dims), column)


def _whole(rows: Rows, width: int) -> tuple[Rows, Rows]:
    """Split rows after the last item that fills a packed row; rows without items stay in the first part."""
    column = rows.column
    dim = column.shape.dims[1]
    offsets = np.asarray(dim.offsets)
    total = int(offsets[-1])
    cut = total // width * width
    before = np.diff(np.minimum(offsets, cut))
    after = np.diff(np.maximum(offsets, cut))
    stays = (before > 0) | (after == 0)
    validity = None if dim.validity is None else dim.validity[stays]
    dims: list[Dim] = [Uniform._frame(int(np.count_nonzero(stays))), Ragged(before[stays], validity=validity)]
    head = structure.slice_items(column, 2, 0, cut, dims)
    left = np.flatnonzero(after)
    tail = structure.slice_items(column, 2, cut, total, [Uniform._frame(len(left)), Ragged(after[left])])
    return Rows(head, rows.numbers[stays]), Rows(tail, rows.numbers[left])


# ------------------------------------------------------------------------------------------------- batches and buckets


@check_arguments
def pad_batch(
    x: Any, side: Literal["right", "left"] = "right", fill: Any = 0, max_length: int | None = None
) -> tuple[npt.NDArray[Any], BoolArray]:
    """Pad rows to a dense batch with a mask.

    Parameters
    ----------
    x : JaggedArray or input of `arrowjag.array`
        Rows of numbers, booleans, times or text, of two dims; declared dims after them become dims of the batch.
    side : {"right", "left"}
        The side of the padding.
    fill : scalar
        The value of padding and of null items.
    max_length : int, optional
        The number of columns; longer rows keep their first items. By default the length of the longest row.

    Returns
    -------
    dense : numpy.ndarray of shape (rows, length, ...)
        The items, padded; null items hold `fill`.
    mask : numpy.ndarray of bool, of shape (rows, length)
        True for items that are not null. A null row is all padding.

    Raises
    ------
    JagValueError
        If `side` is neither "right" nor "left", or the leaf type can't hold the fill.
    ShapeError
        If `x` has no rows of items, or the rows have jagged inner dims.

    Examples
    --------
    >>> import arrowjag as aj
    >>> dense, mask = aj.sequences.pad_batch(aj.array([[5, 6, 7], [8], None]), side="left", max_length=2)
    >>> dense.tolist(), mask.astype(int).tolist()
    ([[5, 6], [0, 8], [0, 0]], [[1, 1], [0, 1], [0, 0]])
    """
    length = None if max_length is None else item_count(max_length, "pad_batch: max_length")
    column = _undeclared(_rows_of(x, "pad_batch"))
    if any(extent is None for extent in column.shape.extents[2:]):
        raise ShapeError(f"pad_batch takes rows of items, got {column.shape!r}; flatten or reduce the inner dims first")
    sizes = np.asarray(column.shape.dims[1].sizes)
    length = int(sizes.max(initial=0)) if length is None else length
    rows: Any = JaggedArray._of(column)
    if side == "left":
        rows = rows.head(length, axis=1).reverse(axis=1)
    try:
        dense = rows.to_dense(length, fill)
    except JagError as error:
        raise type(error)(str(error).replace("to_dense: fill_value", "pad_batch: fill")) from None
    mask: BoolArray = np.arange(length) < np.minimum(sizes, length)[:, None]
    if column.values.null_count:
        valid = ~rows.is_null().to_dense(length, True)
        mask = valid.reshape((*valid.shape[:2], -1)).all(axis=2) if valid.ndim > 2 else valid
    if side == "left":
        return np.ascontiguousarray(dense[:, ::-1]), np.ascontiguousarray(mask[:, ::-1])
    return dense, mask


class Buckets(Sequence[JaggedArray]):
    """The result of `bucket`: rows grouped by length.

    Attributes
    ----------
    values : JaggedArray
        The rows of each bucket: one dim more than the rows themselves.
    source : JaggedArray of int64
        The number of each row, by bucket.

    Examples
    --------
    >>> import arrowjag as aj
    >>> buckets = aj.sequences.bucket(aj.array([[1, 2, 3], [4], [5, 6]]), [2, 3])
    >>> [one.to_list() for one in buckets], buckets.source.to_list()
    ([[[4]], [[5, 6]], [[1, 2, 3]]], [[1], [2], [0]])
    """

    __slots__ = ("source", "values")

    def __init__(self, values: JaggedArray, source: JaggedArray) -> None:
        self.values = values
        self.source = source

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self.values[place] for place in range(*i.indices(len(self)))]
        place = integer(i, "a bucket")
        if not -len(self) <= place < len(self):
            raise JagIndexError(f"bucket {place} is out of range, there are {len(self)}")
        return self.values[place]

    def __repr__(self) -> str:
        return f"Buckets({self.source.lengths().to_list()} rows)"

    def unpack(self, values: Any = None) -> JaggedArray:
        """Return rows to their order.

        Parameters
        ----------
        values : JaggedArray, optional
            One value per row of each bucket; by default the rows themselves.

        Returns
        -------
        JaggedArray
            The rows, or one value per row.

        Raises
        ------
        ShapeError
            If the buckets have other numbers of rows.

        Examples
        --------
        >>> import arrowjag as aj
        >>> buckets = aj.sequences.bucket(aj.array([[1, 2, 3], [4], [5, 6]]), [2, 3])
        >>> buckets.unpack(buckets.values.sum()).to_list()
        [6, 4, 11]
        """
        column: Column = self.values if values is None else as_column(values)
        if column.ndim < 2 or not np.array_equal(column.shape.dims[1].offsets, self.source.shape.dims[1].offsets):
            raise ShapeError(f"unpack: expected the rows of the buckets, {self.source.shape!r}, got {column.shape!r}")
        flat = structure.flatten(column, 0, 2)
        order = scatter.inverse(self.source.values.to_numpy())
        return JaggedArray._of(structure.take_items(flat, 1, order, [Uniform._frame(len(order))]))


@check_arguments
def bucket(x: Any, boundaries: Any) -> Buckets:
    """Group rows of similar length into buckets.

    Parameters
    ----------
    x : JaggedArray or input of `arrowjag.array`
        The rows.
    boundaries : sequence of int
        Ascending lengths. The first bucket holds the rows that are shorter than the first boundary, the next bucket those
        of at least this length that are shorter than the second, and so on; the last bucket holds the rows of at least the
        last boundary.

    Returns
    -------
    Buckets
        The buckets, one more than there are boundaries; rows keep their order within each. Null rows are in the first
        bucket. Cost: one gather.

    Raises
    ------
    JagTypeError
        If boundaries are not integers.
    JagValueError
        If boundaries do not ascend.
    ShapeError
        If `x` has no rows of items.

    Notes
    -----
    The boundaries are those of `tf.data.Dataset.bucket_by_sequence_length`.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.sequences.bucket(aj.array([[1, 2, 3], [4], [], [5, 6]]), [2]).values.to_list()
    [[[4], []], [[1, 2, 3], [5, 6]]]
    """
    column = _rows_of(x, "bucket")
    edges = flat_numbers(boundaries, "bucket: boundaries")
    if edges.ndim != 1 or (edges.size and edges.dtype.kind not in "iu"):
        raise JagTypeError(f"bucket: boundaries must be a list of integers, got {brief(boundaries)}")
    if np.any(edges[1:] <= edges[:-1]):
        raise JagValueError(f"bucket: boundaries must ascend, got {brief(boundaries)}")
    numbers = np.searchsorted(edges, np.asarray(column.shape.dims[1].sizes), side="right")
    order = radix_order(numbers, len(edges))
    counts = np.bincount(numbers, minlength=len(edges) + 1)
    outer = [Uniform._frame(len(counts)), Ragged(counts)]
    values = structure.take_items(column, 1, order, outer)
    source = Column(JaggedShape._trusted(outer), pa.array(order))
    return Buckets(JaggedArray._of(values), JaggedArray._of(source))
