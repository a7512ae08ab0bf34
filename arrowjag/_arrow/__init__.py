"""Normalise Arrow arrays of any layout, and write columns as Arrow arrays.

`peel` and `arrived` return int64 offsets that start at 0, never decrease and end at the number of values; all values belong to a
row; a null row has size 0. Invalid data raises `OffsetsError` here and never reaches a kernel.
"""

from arrowjag._arrow.chunks import combine_chunks, join, with_buffers
from arrowjag._arrow.incoming import arrived, peel
from arrowjag._arrow.levels import Level, decode, peel_level, split_levels, wrap
from arrowjag._arrow.objects import check_dates, is_missing, leaf_objects, leaves
from arrowjag._arrow.order import (
    dictionary_codes,
    dictionary_indices,
    equality_key,
    factorize,
    name_categories,
    order_key,
    shared_categories,
)
from arrowjag._arrow.types import (
    EXTENSION_NAME,
    depth,
    entry_type,
    is_jagged_extension,
    is_level_type,
    is_list_type,
    is_numeric,
    is_temporal,
    level_types,
    list_like,
)
from arrowjag._arrow.values import (
    bitmap,
    bits_of,
    data_alone,
    field_of,
    fields_of,
    from_numpy,
    null_as,
    numbers,
    plain,
    plain_numbers,
    structs,
    to_int64,
    to_numpy,
    to_numpy_bits,
    valid_of,
    vouched,
)

__all__ = [
    "EXTENSION_NAME",
    "Level",
    "arrived",
    "bitmap",
    "bits_of",
    "check_dates",
    "combine_chunks",
    "data_alone",
    "decode",
    "depth",
    "dictionary_codes",
    "dictionary_indices",
    "entry_type",
    "equality_key",
    "factorize",
    "field_of",
    "fields_of",
    "from_numpy",
    "is_jagged_extension",
    "is_level_type",
    "is_list_type",
    "is_missing",
    "is_numeric",
    "is_temporal",
    "join",
    "leaf_objects",
    "leaves",
    "level_types",
    "list_like",
    "name_categories",
    "null_as",
    "numbers",
    "order_key",
    "peel",
    "peel_level",
    "plain",
    "plain_numbers",
    "shared_categories",
    "split_levels",
    "structs",
    "to_int64",
    "to_numpy",
    "to_numpy_bits",
    "valid_of",
    "vouched",
    "with_buffers",
    "wrap",
]
