"""Split nested arrays into levels and leaves, and nest leaves in levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arrow.types import entry_type, is_jagged_extension, is_level_type
from arrowjag._arrow.values import bitmap, plain, valid_of
from arrowjag._gate import canonical_layout, read_offsets
from arrowjag._kernels.base.memory import check_memory
from arrowjag._kernels.base.offsets import from_counts
from arrowjag._kernels.base.words import nulls_like
from arrowjag._kernels.move import copy_runs, gather
from arrowjag._pyarrow_versions import has_views, nbytes, run_end_decode, with_data_of_views
from arrowjag.errors import ShapeError, plural
from arrowjag.typing import BoolArray, IntArray

__all__ = ["Level", "decode", "peel_level", "split_levels", "wrap"]


class Level(NamedTuple):
    """One level of nesting: int64 `offsets` from 0, `validity` of the rows (None: all valid), declared `extent`."""

    offsets: IntArray
    validity: BoolArray | None
    extent: int | None


def split_levels(array: pa.Array, ndim: int | None = None, where: str = "the column") -> tuple[list[Level], pa.Array]:
    """Split an array that the gate has checked, as `peel` does."""
    levels: list[Level] = []
    asked = ndim is not None
    array, ndim = _unwrapped(array, ndim, 0)
    while (ndim is None and is_level_type(array.type)) or (ndim is not None and len(levels) < ndim - 1):
        if not is_level_type(array.type):
            if not pt.is_null(array.type):
                got = len(levels) + 1
                raise ShapeError(f"{where} has {plural(got, 'dim')} (leaf type {array.type}), but ndim={ndim} was given")
            levels.append(_null_level(array))
            array = pa.nulls(0)
            continue
        level, array = peel_level(array)
        levels.append(level)
        array, ndim = _unwrapped(decode(array), ndim, len(levels))
    if not asked and pt.is_map(array.type):  # the extension type counts list levels only
        level, array = peel_level(array)
        levels.append(level)
    return levels, array


def _unwrapped(array: pa.Array, ndim: int | None, levels: int) -> tuple[pa.Array, int | None]:
    """Return the storage of an extension array found below `levels` levels, and its declared ndim if the caller gave none."""
    if not is_jagged_extension(array.type):
        return array, ndim
    declared = getattr(array.type, "ndim", None)
    return canonical_layout(array.storage), levels + declared if ndim is None and declared is not None else ndim


def decode(array: pa.Array) -> pa.Array:
    """Decode layouts that no list kernel supports: run-end encoding, dictionaries of lists or of null, and tensors."""
    if isinstance(array.type, pa.FixedShapeTensorType) and all(array.type.shape):
        return _tensors_as_lists(array)
    if pt.is_run_end_encoded(array.type):
        check_memory(len(array), max(1 / 8, nbytes(array.values) / max(1, len(array.values))))  # each item has a bit at least
        return decode(run_end_decode(array))
    if pt.is_dictionary(array.type) and is_level_type(array.type.value_type):
        return decode(plain(array))
    if pt.is_dictionary(array.type) and pt.is_null(array.type.value_type):
        return pa.nulls(len(array))
    return array


def _tensors_as_lists(array: pa.Array) -> pa.Array:
    """Tensors of one shape as nested lists of fixed sizes; values are copied if the dims are permuted."""
    storage, physical, order = array.storage, list(array.type.shape), array.type.permutation
    size = storage.type.list_size
    flat = storage.values.slice(storage.offset * size, len(storage) * size)
    shape = physical
    if order is not None and list(order) != sorted(order):
        shape = [physical[place] for place in order]
        places = np.arange(size).reshape(physical).transpose(order).reshape(-1)
        flat = flat.take(pa.array((np.arange(len(storage))[:, None] * size + places).reshape(-1)))
    for extent in reversed(shape[1:]):
        flat = pa.FixedSizeListArray.from_arrays(flat, extent)
    return pa.FixedSizeListArray.from_arrays(flat, shape[0], mask=storage.is_null() if storage.null_count else None)


def _null_level(array: pa.Array) -> Level:
    """Convert an array of the null type to null rows."""
    n = len(array)
    return Level(np.zeros(n + 1, np.int64), np.zeros(n, bool) if n else None, None)


def peel_level(array: pa.Array) -> tuple[Level, pa.Array]:
    """Split an array of lists or maps into its outermost level and the items of its valid rows."""
    if len(array) == 0:
        return _peel_empty(array)
    type = array.type
    if pt.is_fixed_size_list(type):
        return _peel_fixed(array)
    offsets = read_offsets(array, "", check=False)
    child = _map_entries(array) if pt.is_map(type) else array.values
    validity = valid_of(array)
    if validity is not None:
        null = np.logical_not(validity).nonzero()[0]
        hidden = null[offsets[null + 1] > offsets[null]]
        if len(hidden):
            child, offsets = child.slice(int(offsets[0]), int(offsets[-1] - offsets[0])), offsets - offsets[0]
            return Level(copy_runs.offsets_with(offsets, hidden), validity, None), copy_runs.drop_rows(child, offsets, hidden)
    first, last = int(offsets[0]), int(offsets[-1])
    child = child if first == 0 and last == len(child) else child.slice(first, last - first)
    return Level(offsets if first == 0 else offsets - first, validity, None), child


def _peel_empty(array: pa.Array) -> tuple[Level, pa.Array]:
    """An array without rows may lack its offsets buffer, so the buffer is not read. Ordered dictionaries keep their categories."""
    type = array.type
    extent = type.list_size if pt.is_fixed_size_list(type) else None
    child = _map_entries(array) if pt.is_map(type) else array.values
    return Level(np.zeros(1, np.int64), None, extent), child.slice(0, 0) if is_level_type(child.type) else nulls_like(child, 0)


def _map_entries(array: pa.Array) -> pa.Array:
    """Return the entries as structs of `key` and `value`; pyarrow's `keys` would drop the slice offset."""
    entries = array.values
    type = entry_type(array.type)
    parts = [entries.field(0), entries.field(1)]
    return pa.StructArray.from_arrays(parts, fields=list(type))


def _peel_fixed(array: pa.Array) -> tuple[Level, pa.Array]:
    width, n = array.type.list_size, len(array)
    validity = valid_of(array)
    child = array.values.slice(array.offset * width, n * width)
    if validity is None:
        return Level(np.arange(n + 1, dtype=np.int64) * width, None, width), child
    offsets = from_counts(np.where(validity, width, 0))
    return Level(offsets, validity, width), gather.filter_values(child, np.repeat(validity, width))


def wrap(levels: list[Level], values: pa.Array) -> pa.Array:
    """Nest flat values: `large_list` for each level, `fixed_size_list` where an extent is declared.

    Parameters
    ----------
    levels : list of Level
        Outermost first.
    values : pa.Array
        The leaf values; they and 64-bit offsets are shared, not copied, except under null rows of a declared extent.

    Returns
    -------
    pa.Array
        The storage of a jagged column.
    """
    if not len(values) and values.offset and has_views(values.type):  # Arrow refuses to import such views from an offset on
        values = pa.nulls(0, values.type)
    values = with_data_of_views(values)
    for level in reversed(levels):
        values = _wrap_fixed(level, values) if level.extent else _wrap_large(level, values)
    return values


def _wrap_large(level: Level, values: pa.Array) -> pa.Array:
    buffers = [bitmap(level.validity), pa.py_buffer(level.offsets)]
    return pa.LargeListArray.from_buffers(pa.large_list(values.type), len(level.offsets) - 1, buffers, children=[values])


def _wrap_fixed(level: Level, values: pa.Array) -> pa.Array:
    assert level.extent is not None
    n, width = len(level.offsets) - 1, level.extent
    if level.validity is not None:
        slots = (level.offsets[:-1, None] + np.arange(width)).ravel()
        values = gather.take(values, slots, np.repeat(level.validity, width))
    type = pa.list_(values.type, width)
    return pa.FixedSizeListArray.from_buffers(type, n, [bitmap(level.validity)], children=[values])
