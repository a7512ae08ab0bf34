"""Reductions, distinct items, takes and sorts of rows by polars' kernels, which read the buffers of Arrow and numpy in place.

polars is optional: it is used where it has been loaded already, or where the work is worth loading it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.words import Bits, is_string, pack_bits
from arrowjag._pyarrow_versions import with_data_of_views

__all__ = [
    "NUMBERS",
    "all_set",
    "count_bits",
    "count_distinct",
    "extremes_of_lists",
    "long_lists",
    "reduce_lists",
    "reverse_lists",
    "slots_of_lists",
    "sort_items",
    "sorts_items",
    "sum_lists",
    "take_lists",
    "takes_lists",
    "takes_long_lists",
    "text_views",
    "unique_lists",
]

_METHODS: dict[Any, str] = {np.add: "sum", np.minimum: "min", np.maximum: "max"}
_expressions: dict[str, Any] = {}
NUMBERS = frozenset("bhilqBHILQfd")
"""The types of data that polars reduces, as numpy's characters."""


def takes_lists(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64], dtype: np.dtype[Any]) -> bool:
    """Whether polars reduces rows to results of a type; numpy is faster in long rows."""
    fits = ufunc in _METHODS and data.dtype.char in NUMBERS and (ufunc is not np.add or data.dtype == dtype)
    lengths = (0 if ufunc is np.add else strategy.sizes.RUN_LENGTH, strategy.sizes.REDUCED_ROW)
    return strategy.choose("row_reduction", offsets, fits and data.flags.c_contiguous, lengths) == "polars"


def reduce_lists(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> bool:
    """Reduce each row into `out` by polars; False if another strategy is chosen.

    The sum of an empty row is 0, its extreme is left as it is.

    Notes
    -----
    It doesn't hold the GIL: 5M float64 in 500k rows take 6 ms of CPU time for a sum and 10 for an extreme, where reduceat takes 9
    and 13 and lets no other thread work.
    """
    if not takes_lists(ufunc, data, offsets, out.dtype):
        return False
    found = _each_row(_METHODS[ufunc], _lists(_items(data), offsets)).to_arrow()
    reduced = _data_of(found, data.dtype)
    if found.null_count:  # the rows without items
        np.copyto(out, reduced, where=offsets[1:] > offsets[:-1])
    else:
        out[:] = reduced
    return True


def takes_long_lists(data: NDArray[Any], offsets: NDArray[np.int64]) -> bool:
    """Whether polars takes rows with nulls, and finds slots in rows."""
    return strategy.choose("long_rows", offsets, data.dtype.char in NUMBERS and data.flags.c_contiguous) == "polars"


def long_lists(data: NDArray[Any], valid: NDArray[np.bool_] | Bits | None, offsets: NDArray[np.int64]) -> pa.Array[Any] | None:
    """The rows as Arrow's lists, which share the data and its bits of nulls; None where `takes_long_lists` is False."""
    return _lists(_items(data, valid), offsets) if takes_long_lists(data, offsets) else None


def extremes_of_lists(largest: bool, lists: pa.Array[Any], dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The smallest or largest item of each row that is not null, and which rows have one; NaN only where a row has nothing else."""
    return _numbers(_each_row("max" if largest else "min", lists), dtype)


def slots_of_lists(largest: bool, lists: pa.Array[Any], dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The slot of the first smallest or largest item of each row, as `extremes_of_lists` compares them, and which rows have one."""
    return _numbers(_each_row("arg_max" if largest else "arg_min", lists), dtype)


def reverse_lists(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> pa.Array[Any]:
    """The items of each row from its last to its first: 1M float64 in rows of 1,000 take 1.9 ms, by pyarrow's take 5.9."""
    return _each_row("reverse", _lists(_items(data, valid), offsets)).to_arrow().values


def take_lists(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], rows: pa.Array[Any]
) -> tuple[NDArray[np.int64], pa.Array[Any]]:
    """Take rows, in any order and as often as asked: the offsets and items of the result; a null row number gives an empty row.

    Notes
    -----
    1M float64 in rows of three take 5 ms, by the number of each item 9.
    """
    import polars as pl

    found = pl.Series(_lists(_items(data, valid), offsets)).gather(pl.Series(rows)).to_arrow()
    return found.offsets.to_numpy(), found.values


def unique_lists(values: pa.Array[Any], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], pa.Array[Any]]:
    """The distinct items of each row of numbers or text without nulls, as `count_distinct` compares them, the first of equals."""
    found = _each_row("unique", _lists(text_views(values), offsets), maintain_order=True).to_arrow()
    return found.offsets.to_numpy(), found.values.cast(values.type)


def count_distinct(values: pa.Array[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of distinct items of each row of numbers or text without nulls; NaN equals NaN, -0.0 equals 0.0."""
    return _numbers(_each_row("n_unique", _lists(text_views(values), offsets)), np.dtype(np.int64))[0]


def text_views(values: pa.Array[Any]) -> pa.Array[Any]:
    """Text as Arrow's views of the same bytes, which polars reads in place; other values as they are.

    Notes
    -----
    The views of 1M words take Arrow 2 ms, polars 8.
    """
    if not is_string(values.type):
        return values
    try:
        return with_data_of_views(values.cast(pa.string_view()))
    except pa.ArrowCapacityError:  # more than 2 GB of text
        return values


def _numbers(found: Any, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A series as numpy data, 0 where it is null, and where it is not."""
    values = found.to_arrow()
    if not values.null_count:
        return values.to_numpy().astype(dtype, copy=False), np.ones(len(values), np.bool_)
    present: NDArray[np.bool_] = values.is_valid().to_numpy(zero_copy_only=False)
    return values.fill_null(0).to_numpy().astype(dtype, copy=False), present


def _data_of(values: pa.Array[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers as they are stored, anything under nulls."""
    return np.frombuffer(values.buffers()[1], dtype, len(values), values.offset * dtype.itemsize)


def sorts_items(data: NDArray[Any]) -> bool:
    """Whether polars sorts items as arrowjag does, which puts NaN after all numbers in both directions."""
    return data.dtype.char in NUMBERS and not (data.dtype.kind == "f" and bool(np.isnan(data).any()))


def sort_items(data: NDArray[Any], valid: NDArray[np.bool_] | None, descending: bool, out: NDArray[Any]) -> None:
    """Sort the items of one row into `out`, nulls last: 1M int64 take 14 ms of CPU time and np.sort 83, float64 28 and 53."""
    import polars as pl

    items = pl.Series(_items(np.ascontiguousarray(data), valid))
    out[:] = _data_of(items.sort(descending=descending, nulls_last=True).to_arrow(), data.dtype)


def all_set(bits: pa.Array[Any], offsets: NDArray[np.int64]) -> pa.Array[Any]:
    """Whether all items of each row are True, of Arrow booleans without nulls; True for an empty row."""
    return _each_row("all", _lists(bits, offsets)).to_arrow()


def count_bits(mask: NDArray[np.bool_] | pa.Array[Any], offsets: NDArray[np.int64]) -> NDArray[Any]:
    """The number of True items of each row, of bytes or of Arrow's bits without nulls: polars counts bits, 64 at a time."""
    bits = mask
    if not isinstance(mask, pa.Array):
        packed = pa.py_buffer(np.packbits(mask, bitorder="little"))
        bits = pa.Array.from_buffers(pa.bool_(), len(mask), [None, packed])
    counts: NDArray[Any] = _each_row("sum", _lists(bits, offsets)).to_numpy()
    return counts


def sum_lists(values: NDArray[np.float64], offsets: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    """Sum each row into `out`: polars adds a row of float64 from left to right."""
    lists = _lists(_items(np.ascontiguousarray(values)), offsets)
    found: NDArray[np.float64] = _each_row("sum", lists).to_numpy()
    np.add(found, 0.0, out=out)  # polars gives -0.0 for an empty row


def _each_row(name: str, lists: pa.Array[Any], **options: bool) -> Any:
    """A series of one method of polars' lists: 40 microseconds per call, where the method of a series takes 150."""
    import polars as pl

    if name not in _expressions:
        _expressions[name] = getattr(pl.col("rows").list, name)(**options)
    return pl.DataFrame([pl.Series("rows", lists)]).select_seq(_expressions[name]).to_series()


def _items(data: NDArray[Any], valid: NDArray[np.bool_] | Bits | None = None) -> pa.Array[Any]:
    """Contiguous numbers as an Arrow array that shares them, null where `valid` is False."""
    bits = None if valid is None else pa.py_buffer(valid.packed()) if isinstance(valid, Bits) else pack_bits(valid)
    return pa.Array.from_buffers(pa.from_numpy_dtype(data.dtype), len(data), [bits, pa.py_buffer(data)])


def _lists(items: pa.Array[Any], offsets: NDArray[np.int64]) -> pa.Array[Any]:
    """An Arrow array of lists that shares the items."""
    cuts = pa.py_buffer(np.ascontiguousarray(offsets))
    return pa.Array.from_buffers(pa.large_list(items.type), len(offsets) - 1, [None, cuts], children=[items])
