"""Rows as bytes: content keys that agree between columns, and order keys that sort within one.

A content key distinguishes rows by content only: -0.0 equals 0.0, all NaN are equal, values under
nulls are ignored. So keys of two columns of one dtype can be merged. Order keys use codes that are local to their
column and must stay there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arrow import bitmap, order_key
from arrowjag._column import Column
from arrowjag._kernels.base.words import is_variable_size
from arrowjag.errors import JagTypeError
from arrowjag.typing import BoolArray, IntArray

__all__ = ["content_keys", "order_codes", "order_keys"]


# ------------------------------------------------------------------------------------------------- content


def content_keys(column: Column) -> pa.LargeBinaryArray:
    """Encode each row as bytes; equal keys mean equal rows, in any column of the same leaf type and ndim.

    Parameters
    ----------
    column : Column
        Of two or more dims.

    Returns
    -------
    pa.LargeBinaryArray
        Null for null rows. Cost: one pass over the values and one join of bytes; numbers of ndim 2 need no join.

    Raises
    ------
    JagTypeError
        If the leaf type can't be compared, such as unions.
    """
    dims = column.shape.dims
    fixed = _fixed_width(column.values)
    validity = dims[1].validity
    if column.ndim == 2 and fixed is not None:
        return _section(_flagged(*fixed), dims[1].offsets, validity)
    cut = dims[1].offsets
    parts: list[pa.Array] = [_section(dims[1].sizes.astype(">i8"), np.arange(len(dims[1]) + 1))]
    for dim in dims[2:]:
        sizes = dim.sizes if dim.validity is None else np.where(dim.validity, dim.sizes, -1)
        parts.append(_section(sizes.astype(">i8"), cut))
        cut = dim.offsets[cut]
    parts += _leaf_sections(column.values, cut)
    return _masked(pc.binary_join_element_wise(*parts, pa.scalar(b"", pa.large_binary())), validity)


def _section(records: npt.NDArray[Any], cut: IntArray, validity: BoolArray | None = None) -> pa.LargeBinaryArray:
    """Group fixed-width records into rows of bytes."""
    width = records.dtype.itemsize * (records.shape[1] if records.ndim == 2 else 1)
    data = pa.py_buffer(np.ascontiguousarray(records))
    buffers = [bitmap(validity), pa.py_buffer(np.ascontiguousarray(cut * width)), data]
    return pa.Array.from_buffers(pa.large_binary(), len(cut) - 1, buffers)


def _masked(keys: pa.Array, validity: BoolArray | None) -> pa.LargeBinaryArray:
    keys = keys.cast(pa.large_binary())
    return keys if validity is None else pc.if_else(pa.array(validity), keys, pa.scalar(None, pa.large_binary()))


def _fixed_width(values: pa.Array) -> tuple[npt.NDArray[Any], BoolArray | None] | None:
    """Convert values to big-endian unsigned numbers with the same order; None if they are not fixed-width."""
    if not (_arrow.is_numeric(values.type) or _arrow.is_temporal(values.type) or pt.is_null(values.type)):
        return None
    data, valid = _arrow.to_numpy(values)
    return _sortable(data), valid


def _sortable(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    kind, width = data.dtype.kind, data.dtype.itemsize
    unsigned = f"u{width}"
    if kind == "f":
        plain = data + data.dtype.type(0)
        nan = np.isnan(plain)
        if nan.any():
            plain[nan] = np.nan
        bits = plain.view(unsigned)
        sign = bits.dtype.type(1 << (8 * width - 1))
        bits = np.where(bits & sign, ~bits, bits | sign)
        if nan.any():
            bits[nan] = ~bits.dtype.type(0)
    elif kind == "i":
        bits = data.view(unsigned) ^ np.dtype(unsigned).type(1 << (8 * width - 1))
    else:
        bits = data.view("u1") if kind == "b" else data
    result: npt.NDArray[Any] = bits.astype(f">u{width}", copy=False)
    return result


def _flagged(data: npt.NDArray[Any], valid: BoolArray | None) -> npt.NDArray[np.uint8]:
    """Build records of a validity flag and a number; a null has a flag that sorts last, followed by zeros."""
    width = data.dtype.itemsize
    records = np.empty((len(data), width + 1), np.uint8)
    records[:, 0] = 1
    records[:, 1:] = np.ascontiguousarray(data).view(np.uint8).reshape(len(data), width)
    if valid is not None:
        records[~valid, 0] = 2
        records[~valid, 1:] = 0
    return records


def _leaf_sections(values: pa.Array, cut: IntArray) -> list[pa.Array]:
    """Encode the leaves of each row in one section per part of the type; only the last section varies in length."""
    type = values.type
    fixed = _fixed_width(values)
    if fixed is not None:
        return [_section(_flagged(*fixed), cut)]
    if isinstance(type, pa.BaseExtensionType):
        return _leaf_sections(values.storage, cut)
    if pt.is_dictionary(type):
        return _leaf_sections(_arrow.plain(values), cut)
    if pt.is_struct(type):
        parts = [_section(_valid_bytes(values), cut)]
        for field in values.flatten():
            parts += _leaf_sections(field, cut)
        return parts
    if _arrow.is_list_type(type) or pt.is_map(type):
        level, child = _arrow.peel_level(_arrow.decode(values))
        sizes = np.diff(level.offsets)
        sizes = sizes if level.validity is None else np.where(level.validity, sizes, -1)
        return [_section(sizes.astype(">i8"), cut), *_leaf_sections(_arrow.decode(child), level.offsets[cut])]
    return _byte_sections(_as_bytes(values), cut)


def _valid_bytes(values: pa.Array) -> npt.NDArray[np.uint8]:
    valid: npt.NDArray[np.bool_] = values.is_valid().to_numpy(zero_copy_only=False)
    return valid.view(np.uint8)


def _as_bytes(values: pa.Array) -> pa.Array:
    type = values.type
    if is_variable_size(type):
        return values.cast(pa.large_binary())
    if pt.is_string_view(type):
        return values.cast(pa.large_string()).cast(pa.large_binary())
    if pt.is_binary_view(type):
        return values.cast(pa.large_binary())
    if pt.is_decimal(type) or pt.is_fixed_size_binary(type) or pt.is_interval(type):
        return _fixed_bytes(values, type.bit_width // 8)
    raise JagTypeError.no_kernel("comparison of rows", type)


def _fixed_bytes(values: pa.Array, width: int) -> pa.Array:
    """Values of a fixed number of bytes; those under nulls are emptied by the lengths section."""
    n = len(values)
    offsets = np.arange(n + 1, dtype=np.int64) * width
    data = values.buffers()[1]
    shifted = None if data is None else data[values.offset * width : (values.offset + n) * width]
    valid = _valid_bytes(values).view(bool)
    return pa.Array.from_buffers(pa.large_binary(), n, [bitmap(valid), pa.py_buffer(offsets), shifted])


def _byte_sections(values: pa.Array, cut: IntArray) -> list[pa.Array]:
    lengths = pc.fill_null(pc.binary_length(values), -1).to_numpy(zero_copy_only=False)
    packed = pc.fill_null(values, b"") if values.null_count else values
    packed = packed if packed.offset == 0 else pa.concat_arrays([packed, packed[:0]])
    offsets = np.frombuffer(packed.buffers()[1], np.int64, len(packed) + 1) if len(packed) else np.zeros(1, np.int64)
    text = pa.Array.from_buffers(
        pa.large_binary(), len(cut) - 1, [None, pa.py_buffer(np.ascontiguousarray(offsets[cut])), packed.buffers()[2]]
    )
    return [_section(lengths.astype(">i8"), cut), text]


# ------------------------------------------------------------------------------------------------- order


def order_keys(column: Column) -> pa.LargeBinaryArray:
    """Encode each row as bytes that sort as the rows do, item by item; keys are valid within this column only.

    Parameters
    ----------
    column : Column
        Of two or more dims.

    Returns
    -------
    pa.LargeBinaryArray
        Null for null rows. Inside rows null sorts last and NaN before it; a row that is a prefix of another sorts first.

    Raises
    ------
    JagTypeError
        If the leaf type has no order.
    """
    fixed = _fixed_width(column.values)
    if fixed is None:
        data, valid = order_key(column.values, "sorting rows")
        fixed = _sortable(data), valid
    records = _flagged(*fixed)
    for dim in reversed(column.shape.dims[2:]):
        ranks = _arrow.dictionary_codes(_section(records, dim.offsets))
        records = _flagged(ranks.astype(">u8"), dim.validity)
    first = column.shape.dims[1]
    return _section(records, first.offsets, first.validity)


def order_codes(column: Column) -> IntArray:
    """Dense ranks of rows, for numpy to sort; -1 for null rows."""
    keys = order_keys(column)
    ranks = _arrow.dictionary_codes(keys)
    validity = column.shape.dims[1].validity
    return ranks if validity is None else np.where(validity, ranks, -1)
