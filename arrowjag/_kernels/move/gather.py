"""Gather items or rows of Arrow arrays of any type: take them by position, or filter them by a mask."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag import _pyarrow_versions
from arrowjag._kernels import strategy
from arrowjag._kernels.base import fill as _fill
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base import words as _words
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.capacity import with_room
from arrowjag._kernels.base.kept import keep_both, keeping_loop
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.texts import check_taken_texts
from arrowjag._kernels.base.words import bits_at, both_valid, data_of, from_words, has_words, is_variable_size, pack_bits, valid_of
from arrowjag._kernels.compiled.library import Compiled
from arrowjag._kernels.move.texts import take_texts
from arrowjag._pyarrow_versions import numpy_dtype

__all__ = ["filter_values", "ranges", "structs", "take", "take_at", "take_rising", "take_rows", "taken", "with_indices"]


_buffer, _from_buffers = pa.py_buffer, pa.Array.from_buffers
"""Looked up once: nearly every operation takes items."""

_POLARS_TYPES = frozenset(type.id for type in (*_words.INTEGERS, pa.float32(), pa.float64()))
"""Ids of the types that polars filters as they are stored."""


def take(values: pa.Array[Any], index: NDArray[Any], valid: NDArray[np.bool_] | None = None) -> pa.Array[Any]:
    """Take items by position; null where `valid` is False.

    Parameters
    ----------
    values : (n,) Arrow array of any type
    index : (m,) integer array
        Within range wherever valid; it is trusted.
    valid : (m,) boolean array, optional

    Returns
    -------
    (m,) Arrow array of the same type, with 64-bit offsets for more than 2 GB of text

    Notes
    -----
    O(m), a new array.
    """
    if len(values) and has_words(values.type):
        n, m = len(values), len(index)
        are_few = strategy.choose("take", max(n, m)) == "small" or strategy.choose("bits_at", m, n) == "each"
        return (_take_few if are_few else _take_flat)(values, index, valid)
    if is_variable_size(values.type):
        if (taken := take_texts(values, index, valid)) is not None:
            return taken
        check_taken_texts(values, index, valid)
        return with_room(_pyarrow_versions.take, values, _words.as_places(index, valid))
    if pt.is_dictionary(values.type):
        return with_indices(values, take(values.indices, index, valid))
    if pt.is_struct(values.type):
        return _take_fields(values, index, valid)
    places = _words.as_places(index, valid)
    return with_room(lambda whole: _take(whole, places), values)


def with_indices(values: Any, indices: pa.Array[Any]) -> pa.Array[Any]:
    """Return a dictionary array of other indices into the same dictionary; `indices` are trusted."""
    return pa.DictionaryArray.from_arrays(indices, values.dictionary, ordered=values.type.ordered, safe=False)


def structs(type: pa.DataType, fields: list[pa.Array[Any]], n: int, valid: NDArray[np.bool_] | None) -> pa.Array[Any]:
    """Return structs of fields, which may have become wider than those of the type."""
    wide = pa.struct([old.with_type(new.type) for old, new in zip(type, fields, strict=True)])
    present, n_nulls = (None, 0) if valid is None else (pack_bits(valid), -1)
    return pa.Array.from_buffers(wide, n, [present], n_nulls, children=fields)


def _take_fields(values: Any, index: NDArray[Any], valid: NDArray[np.bool_] | None) -> pa.Array[Any]:
    """Take each field by the kernel of its type: 1M structs of a number and a text take 9 ms, by pyarrow 32."""
    known = valid_of(values)
    if known is not None:
        valid = both_valid(taken(known, index), valid)
    fields = [take(values.field(slot), index, valid) for slot in range(values.type.num_fields)]
    return structs(values.type, fields, len(index), valid)


def take_at(values: pa.Array[Any], places: pa.Array[Any]) -> pa.Array[Any]:
    """Take items by positions in an Arrow array, which are trusted, such as those of a dictionary; a null position gives null."""
    known = places.fill_null(0) if places.null_count else places
    return take(values, known.to_numpy(zero_copy_only=False), valid_of(places))


def _take_few(values: Any, index: NDArray[Any], valid: NDArray[np.bool_] | None) -> pa.Array[Any]:
    """Take few fixed-width values by numpy, the data and the validity."""
    (present, data), type, n, first = values.buffers(), values.type, len(values), values.offset
    places = index if valid is None else index * valid
    width = type.bit_width
    if width == 1:
        bits = pack_bits(bits_at(data, first, n, places))
    else:
        bits = _buffer(np.frombuffer(data, _words.WORDS[width], n, first * width >> 3)[places])
    if values.null_count:
        kept = bits_at(present, first, n, places)
        valid = kept if valid is None else kept & valid
    return _from_buffers(type, len(index), [None if valid is None else pack_bits(valid), bits])


def _take_flat(values: Any, index: NDArray[Any], valid: NDArray[np.bool_] | None) -> pa.Array[Any]:
    """Take fixed-width values, first the data and then the validity: 5M float64 in order take 10 ms of CPU time, as by pyarrow.

    pyarrow takes bits one by one, in 20 ms; as bytes that are packed at the end they need 8.
    """
    known, data = valid_of(values), taken(data_of(values), index)
    if known is not None:
        valid = both_valid(taken(known, index), valid)
    return from_words(values.type, data, valid)


def taken(data: NDArray[Any], index: NDArray[Any]) -> NDArray[Any]:
    """Take items by position, many of them on all cores; a position out of range gives the first or the last item."""

    def work(items: slice, out: NDArray[Any]) -> None:
        data.take(index[items].astype(np.int64, copy=False), out=out, mode="clip")

    return _fill.fill(work, len(index), data.dtype)


def take_rising(values: pa.Array[Any], index: NDArray[Any], offsets: NDArray[np.int64]) -> pa.Array[Any]:
    """Take items by positions that ascend within each row of some offsets, such as those of columns.

    Notes
    -----
    O(m). Of few long rows the items from one stretch of the values are taken together, while it is in cache: 5M float64 in 25
    columns take 8 ms of CPU time, column by column 18.
    """
    by = strategy.choose("take_rising", len(index), len(offsets) - 1)
    if by == "items" or not len(values) or not has_words(values.type):
        return take(values, index)
    stretches = [*range(0, len(values), strategy.sizes.PASS_VALUES), len(values)]
    cuts = np.array([first + index[first:last].searchsorted(stretches) for first, last in pairwise(offsets.tolist())]).T.tolist()

    def moved(data: NDArray[Any]) -> NDArray[Any]:
        out = empty(len(index), data.dtype)

        def work(stretch: int) -> None:
            for first, last in zip(cuts[stretch], cuts[stretch + 1], strict=True):
                data.take(index[first:last], out=out[first:last], mode="clip")

        map_tasks(work, range(len(stretches) - 1), len(index))
        return out

    known = valid_of(values)
    return from_words(values.type, moved(data_of(values)), None if known is None else moved(known))


def _take(values: pa.Array[Any], index: pa.Array[Any]) -> pa.Array[Any]:
    if _goes_by_rows(values.type):
        return _take_lists(values, index)
    stand_in = _stand_in(values.type)
    if stand_in != values.type:
        return pc.take(values.cast(stand_in), index, boundscheck=False).cast(values.type)
    return _pyarrow_versions.take(values, index)


def _goes_by_rows(type: pa.DataType) -> bool:
    """Whether a list or struct is taken level by level, because pyarrow's kernels can't do it whole.

    They read other values than those asked for from a slice of fixed size lists of fixed size lists (seen in pyarrow 26), and
    lists of string views have no stand-in that every kind of list can be cast to.
    """
    if pt.is_struct(type):
        return any(not _is_taken_whole(field.type) for field in type)
    if type.id not in _LISTS:
        return False
    items = type.field(0).type
    return not _is_taken_whole(items) or (pt.is_fixed_size_list(type) and pt.is_fixed_size_list(items))


def _is_taken_whole(type: pa.DataType) -> bool:
    """Return whether pyarrow's kernels can take and filter values of the type."""
    return not _goes_by_rows(type) and _stand_in(type) == type


_ITEM = pa.int8()
_VIEWS = (pa.list_view(_ITEM), pa.large_list_view(_ITEM))
_LISTS = frozenset(type.id for type in (pa.list_(_ITEM), pa.large_list(_ITEM), pa.list_(_ITEM, 1), pa.map_(_ITEM, _ITEM), *_VIEWS))
"""The ids of the types of lists."""


def _take_lists(values: Any, index: pa.Array[Any]) -> pa.Array[Any]:
    """Take rows by their offsets and items by `take`, so that no kernel of pyarrow gets a nested type."""
    mask = pc.invert(pc.take(values.is_valid(), index).fill_null(False))
    present = ~mask.to_numpy(zero_copy_only=False)
    rows = pc.fill_null(index, 0).to_numpy(zero_copy_only=False)[present]
    type = values.type
    if pt.is_list_view(type) or pt.is_large_list_view(type):
        starts, sizes = (pc.take(part, index).fill_null(0) for part in (values.offsets, values.sizes))
        return values.from_arrays(starts, sizes, values.values, type=type, mask=mask)
    if pt.is_fixed_size_list(type):
        width = type.list_size
        items = np.zeros((len(present), width), np.int64)
        items[present] = ((values.offset + rows) * width)[:, None] + np.arange(width)
        child = take(values.values, items.ravel(), np.repeat(present, width))
        # Not from_arrays: it divides by the width, and a width of 0 ends the process.
        return pa.Array.from_buffers(type, len(present), [pc.invert(mask).buffers()[1]], children=[child])
    offsets = values.offsets.to_numpy()
    starts, sizes = np.zeros((2, len(present)), np.int64)
    starts[present], sizes[present] = offsets[rows], offsets[rows + 1] - offsets[rows]
    cuts = _offsets.from_sizes(sizes)
    child = take(values.values, _offsets.runs(starts, cuts))
    bounds = pa.py_buffer(cuts.astype(numpy_dtype(values.offsets.type)))
    return pa.Array.from_buffers(type, len(present), [pc.invert(mask).buffers()[1], bounds], children=[child])


def _stand_in(type: pa.DataType) -> pa.DataType:
    """Return the type itself, or for views, which pyarrow can't take or filter, a type that holds the same values."""
    if pt.is_string_view(type):
        return pa.large_string()
    return pa.large_binary() if pt.is_binary_view(type) else type


def ranges(starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers starts[i], starts[i] + 1, .., starts[i] + lengths[i] - 1 of each i, one after the other.

    Returns
    -------
    (sum of lengths,) int64 array

    Notes
    -----
    O(rows + items), a new array.
    """
    return _offsets.runs(starts, _offsets.from_sizes(lengths))


def take_rows(offsets: NDArray[np.int64], rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Take whole rows, in any order and as often as asked.

    Parameters
    ----------
    offsets : (n_rows + 1,) int64 array
    rows : (m,) integer array
        Row numbers, within range.

    Returns
    -------
    offsets : (m + 1,) int64 array
        Of the rows taken.
    items : int64 array
        The position in the values of each item of the result.

    Notes
    -----
    O(m + items taken), new arrays.
    """
    starts = offsets[rows]
    new_offsets = _offsets.from_sizes(offsets[1:][rows] - starts, int(offsets[-1]))
    return new_offsets, _offsets.runs(starts, new_offsets)


def filter_values(values: pa.Array[Any], mask: NDArray[np.bool_] | _words.Bits) -> pa.Array[Any]:
    """The items where `mask` is True, a new Arrow array of the same type.

    Notes
    -----
    O(n).
    """
    if pt.is_dictionary(values.type):
        return with_indices(values, filter_values(values.indices, mask))
    if pt.is_struct(values.type):
        known, flags = valid_of(values), mask.flags() if isinstance(mask, _words.Bits) else mask
        fields = [filter_values(values.field(slot), mask) for slot in range(values.type.num_fields)]
        return structs(values.type, fields, int(np.count_nonzero(flags)), None if known is None else known[flags])
    # polars filters numbers five times as fast as pyarrow (2.4 ms instead of 12.7 for half of 5M float64; the loop takes 2.3) and
    # shares the buffers. It is asked only for types it stores as they are, and where loading it pays.
    loop = _keeping(values)
    ready = loop is not None
    by = strategy.choose("filter", len(values), has_words(values.type), values.type.id in _POLARS_TYPES, ready)
    if by == "polars":
        import polars as pl

        flags = mask.as_array() if isinstance(mask, _words.Bits) else mask
        return pl.from_arrow(values).filter(pl.Series(flags)).to_arrow()
    mask = mask.flags() if isinstance(mask, _words.Bits) else mask
    if by == "small":
        return _take_few(values, mask.nonzero()[0], None)
    if by == "compiled" and loop is not None:
        return _keep_words(loop, values, mask)
    if not _is_taken_whole(values.type):
        return _take(values, pa.array(np.flatnonzero(mask)))
    return pc.filter(values, pa.array(mask))


def _keeping(values: pa.Array[Any]) -> Compiled | None:
    """The loop that keeps words, if it is ready."""
    type = values.type
    if len(values) < strategy.sizes.COMPILED_VALUES or not has_words(type) or type.bit_width > 64:
        return None
    return keeping_loop(max(type.bit_width // 8, 1), len(values), nulls=values.null_count > 0)


def _keep_words(loop: Compiled, values: pa.Array[Any], mask: NDArray[np.bool_]) -> pa.Array[Any]:
    """Keep words, and flags of their validity in the same pass."""
    data, known = keep_both(loop, data_of(values), valid_of(values), mask)
    return from_words(values.type, data, known)
