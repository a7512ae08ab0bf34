"""Properties of Arrow types that the checks share, and the check of a type itself."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as pt

from arrowjag._integers import MAX_NDIM, check_ndim
from arrowjag._kernels.base.words import INTEGERS
from arrowjag.errors import JagTypeError

__all__ = ["LISTS", "VIEWS", "WIDE", "check_type", "has_any_bits", "has_ordered_categories", "inside", "list_like", "storage_of"]

LISTS = frozenset(
    {
        pa.lib.Type_LARGE_LIST,
        pa.lib.Type_LIST,
        pa.lib.Type_FIXED_SIZE_LIST,
        pa.lib.Type_LIST_VIEW,
        pa.lib.Type_LARGE_LIST_VIEW,
    }
)
"""The types that are one level of nesting."""

VIEWS = frozenset({pa.lib.Type_LIST_VIEW, pa.lib.Type_LARGE_LIST_VIEW})
"""The lists that store the start and the size of each row."""

WIDE = frozenset({pa.lib.Type_LARGE_LIST, pa.lib.Type_LARGE_LIST_VIEW})
"""The lists with 64-bit offsets."""

_ANY_BITS = frozenset(type.id for type in (*INTEGERS, pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.date32()))
"""The numbers of types for which each pattern of bits is a valid value; this also holds for timestamps and durations.

Not the types: users' extension types may lack a hash.
"""

_DIGITS = {32: 9, 64: 18, 128: 38, 256: 76}
"""Largest scale per bit width of a decimal."""


def check_type(type: pa.DataType, where: str) -> None:
    """Raise for types nested too deep for recursive code, for decimals that Arrow can't compute with, and for zones without a name.

    Arrow indexes a table of powers of ten by the scale of a file without checking it.
    """
    below, level = [type], 0
    while below:
        level += 1
        for one in map(storage_of, below):
            if pt.is_timestamp(one):
                _check_zone(one, where)
            if pt.is_decimal(one) and abs(one.scale) > _DIGITS[one.bit_width]:
                most = _DIGITS[one.bit_width]
                raise JagTypeError(f"{where} has the type {one}, but decimals of this width have a scale of at most {most}")
        below = [inner for one in below for inner in inside(one)]
        if level > MAX_NDIM:
            check_ndim(level, where)


def _check_zone(type: pa.TimestampType, where: str) -> None:
    """Raise for a time zone whose name Python can't decode: each look at the type would raise an error."""
    try:
        _ = type.tz
    except UnicodeDecodeError:
        raise JagTypeError(f"{where} has timestamps with a time zone whose name is not UTF-8") from None


def inside(type: pa.DataType) -> list[pa.DataType]:
    """Return the types of the children, or of the dictionary values."""
    if isinstance(type, pa.BaseExtensionType):
        return inside(type.storage_type)
    if pt.is_dictionary(type) or pt.is_run_end_encoded(type):
        return [type.value_type]
    return [type.field(place).type for place in range(type.num_fields)]


def list_like(type: pa.DataType, item: pa.DataType) -> pa.DataType:
    """Return a list type of the same kind with another item type."""
    field = type.value_field.with_type(item)
    if pt.is_fixed_size_list(type):
        return pa.list_(field, type.list_size)
    kinds = {pt.is_list: pa.list_, pt.is_list_view: pa.list_view, pt.is_large_list_view: pa.large_list_view}
    make = next((make for is_kind, make in kinds.items() if is_kind(type)), pa.large_list)
    return make(field)


def has_ordered_categories(type: pa.DataType) -> bool:
    """Return whether values are ordered categories, or hold some at any level."""
    storage = storage_of(type)
    return bool(storage.ordered) if pt.is_dictionary(storage) else any(map(has_ordered_categories, inside(storage)))


def storage_of(type: pa.DataType) -> pa.DataType:
    """Return the storage of an extension type, other types unchanged."""
    return type.storage_type if isinstance(type, pa.BaseExtensionType) else type


def has_any_bits(type: pa.DataType) -> bool:
    """Return whether each pattern of bits is a valid value."""
    return type.id in _ANY_BITS or bool(pt.is_timestamp(type) or pt.is_duration(type))
