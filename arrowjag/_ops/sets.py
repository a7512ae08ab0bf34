"""Operations on equal items within rows: unique, value_counts, membership, set operations, searchsorted and translate.

NaN equals NaN, -0.0 equals 0.0, and a null equals nothing. Along an outer axis whole sub-trees are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.words import both_valid, is_string, nulls_like, or_all
from arrowjag._kernels.elementwise import comparison
from arrowjag._kernels.elementwise.number_casts import numbers_fit
from arrowjag._kernels.elementwise.times import TICKS
from arrowjag._kernels.equal import distinct as _distinct
from arrowjag._kernels.equal import groups as _groups
from arrowjag._kernels.equal import sets as _kernels
from arrowjag._kernels.equal.distinct import text_is_first_distinct, unique_items
from arrowjag._kernels.equal.members import first_equal, is_member, last_equal
from arrowjag._kernels.equal.sets import lookup
from arrowjag._kernels.move import gather
from arrowjag._kernels.order import search
from arrowjag._ops import along_axis, elementwise, structure
from arrowjag._ops import axes as _axes
from arrowjag._ops.cursor import naming_rows
from arrowjag._ops.elementwise.types import INTEGER_DIGITS
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.dims import Dim
from arrowjag.errors import JagValueError, ShapeError, plural
from arrowjag.shape import JaggedShape, dims_text
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "contains",
    "equal_items",
    "equal_to",
    "first_equal_to",
    "is_in",
    "joint_keys",
    "last_equal_to",
    "probes_of",
    "same_rows",
    "searchsorted",
    "set_operation",
    "translate",
    "unique",
    "value_counts",
]

Key = tuple[npt.NDArray[Any], BoolArray | None]

_ANY_INTEGER = pa.decimal128(INTEGER_DIGITS, 0)
"""Holds the values of int64 and of uint64, which have no common integer type."""


def unique(column: Column, axis: Any) -> Column:
    """Return the distinct items of each row in order of first appearance."""
    column, place = along_axis.single_axis(column, axis, "unique")
    dim = column.shape.dims[place]
    is_inner = place + 1 == column.ndim
    found = text_is_first_distinct(column.values, dim.offsets) if is_inner else None
    if found is None and is_inner and (items := unique_items(column.values, dim.offsets)) is not None:
        return Column(JaggedShape._trusted((*column.shape.dims[:place], along_axis.resized(dim, items[0]))), items[1])
    if found is None:
        cut, first = _distinct.unique([along_axis.item_key(column, place + 1, "unique")], dim.offsets)
    else:
        first, cut = found[0], _offsets.from_sizes(found[1])
    return structure.keep_items(column, place + 1, first, (*column.shape.dims[:place], along_axis.resized(dim, cut)))


def value_counts(column: Column, axis: Any) -> Column:
    """Return structs of the distinct items of each row and their counts."""
    column, place = along_axis.single_axis(column, axis, "value_counts")
    dim = column.shape.dims[place]
    found = _groups.value_counts_of_few_texts(column.values, dim.offsets) if place + 1 == column.ndim else None
    if found is None:
        found = _groups.value_counts([along_axis.item_key(column, place + 1, "value_counts")], dim.offsets)
    cut, items, counts = found
    return along_axis.with_numbers(column, place, items, cut, counts, ("value", "count"))


def joint_keys(one: pa.Array, two: pa.Array, operation: str, *, ordered: bool = False) -> tuple[Key, Key]:
    """Return keys of two arrays that are equal where the items are, and with `ordered` sort as they do."""
    if one.type == two.type and _arrow.is_numeric(one.type):
        return _arrow.to_numpy(one), _arrow.to_numpy(two)
    if not ordered and (keys := _arrow.equality_keys_of_few(one, two)) is not None:
        return keys
    if elementwise.is_ordered(one.type) or elementwise.is_ordered(two.type):
        (left, right), _ = elementwise.codes_beside([one, two], operation)
        return _arrow.to_numpy(left), _arrow.to_numpy(right)
    if elementwise.is_beyond_floats(one) or elementwise.is_beyond_floats(two):
        return _beside_beyond(one, two)
    one, two = elementwise.in_one_zone(one, two)
    type = elementwise.promote([one.type, two.type], operation)
    if pt.is_integer(one.type) and pt.is_integer(two.type) and pt.is_floating(type):
        type = _shared_integers(one, two)
    if _arrow.is_numeric(type) or _arrow.is_temporal(type):
        try:
            return _arrow.to_numpy(_cast(one, type)), _arrow.to_numpy(_cast(two, type))
        except JagValueError:  # the year 9999 doesn't fit nanoseconds
            if not elementwise.are_moments(one.type, two.type):
                raise
        one, two = elementwise.exact_counts(one, two)
        type = one.type
    key_of = _arrow.order_key if ordered else _arrow.equality_key
    dictionary_of_one, dictionary_of_two = (values.dictionary if _has_fewer_categories(values) else values for values in (one, two))
    both = key_of(_arrow.join([_cast(dictionary_of_one, type), _cast(dictionary_of_two, type)]), operation)
    left, right = _halves(both, len(dictionary_of_one))
    return _of_items(left, one, dictionary_of_one), _of_items(right, two, dictionary_of_two)


def _beside_beyond(one: pa.Array, two: pa.Array) -> tuple[Key, Key]:
    """Return sortable keys of floats and of numbers beyond all finite ones, which come next to an infinity and equal no item."""
    if elementwise.is_beyond_floats(one):
        return _beside_beyond(two, one)[::-1]
    data, valid = _arrow.to_numpy(_cast(one, pa.float64()))
    known, ranks = np.unique(data, return_inverse=True)
    below, above = 2 * np.searchsorted(known, -np.inf, "right") - 1, 2 * np.searchsorted(known, np.inf) - 1
    there = np.where(elementwise.are_above_floats(two), above, below)
    return (2 * ranks.astype(np.int64), valid), (there.astype(np.int64), _arrow.valid_of(two))


def _has_fewer_categories(values: pa.Array) -> bool:
    return pt.is_dictionary(values.type) and len(values.dictionary) < len(values)


def _of_items(key: Key, values: pa.Array, dictionary: pa.Array) -> Key:
    """Return the keys of items of a dictionary array from the keys of its values."""
    if dictionary is values:
        return key
    codes, known = key
    place, valid = _arrow.to_int64(values.indices)
    place = place if valid is None else np.where(valid, place, 0)
    if len(codes) == 0:
        return np.zeros(len(place), np.int64), valid
    return codes.take(place), both_valid(valid, None if known is None else known.take(place))


def _shared_integers(one: pa.Array, two: pa.Array) -> pa.DataType:
    """Return a type that compares int64 with uint64 exactly: one of both if the values fit, else decimal."""
    for type, signed in ((pa.int64(), False), (pa.uint64(), True)):
        if all(_fits(values, type) for values in (one, two) if pt.is_signed_integer(values.type) == signed):
            return type
    return _ANY_INTEGER


def _fits(values: pa.Array, type: pa.DataType) -> bool:
    """Return whether all integers fit a type."""
    ends = pc.min_max(values)
    limits = np.iinfo(numpy_dtype(type))
    return not ends["min"].is_valid or bool(limits.min <= ends["min"].as_py() and ends["max"].as_py() <= limits.max)


def _halves(both: Key, n: int) -> tuple[Key, Key]:
    key, valid = both
    return (key[:n], None if valid is None else valid[:n]), (key[n:], None if valid is None else valid[n:])


def _cast(values: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast values to their common type; integers are rounded to floats, as in comparisons."""
    is_safe = not pt.is_floating(type)
    return values if values.type == type else elementwise.cast(Column(JaggedShape(len(values)), values), type, is_safe).values


# --------------------------------------------------------------------------------------------------- lookup in rows


class _Probes(NamedTuple):
    """Sets, one per row, and the items to look up: `probes` have the result's shape, `offsets` group them by row of the sets."""

    sets: Column
    probes: Column
    offsets: IntArray


def probes_of(sets: Column, probes: Column, operation: str) -> _Probes:
    """Align items with the rows to look them up in: the dims above those rows are a prefix of the items' shape, or vice versa.

    Items looked up in a null row become null.
    """
    depth = sets.ndim - 1
    if depth == 0:
        return _Probes(sets, probes, np.array([0, probes.shape.size]))
    if not structure.agree_above(sets, probes, depth):
        sets, probes = _agreed(sets, probes, depth, operation)
    validity = sets.shape.dims[depth].validity
    if validity is not None:
        probes = structure.null_items(probes, depth, validity)
    deeper = probes.ndim > depth
    return _Probes(sets, probes, probes.shape.composed(depth, probes.ndim).offsets if deeper else np.arange(probes.shape.size + 1))


def _agreed(sets: Column, probes: Column, depth: int, operation: str) -> tuple[Column, Column]:
    """Drop the sets of rows that are null above them in either column, and broadcast items that have fewer dims to the sets."""
    frame = sets.shape[:depth]
    numbers, probes = structure.agree([Column(frame, _arrow.numbers(frame.size)), probes], operation)
    if probes.ndim < depth:
        numbers, probes = structure.expand_all([numbers, probes])
    if len(numbers.values) < frame.size:
        sets = structure.take_items(sets, depth, numbers.values.to_numpy(), numbers.shape.dims)
    return sets, probes


def _rows_along(column: Column, axis: Any, operation: str) -> Column:
    """Make the rows to search the last dim: merge trailing axes, or move an outer axis to the end."""
    return _axes.rows_along(column, _axes.normalize_axes(axis, column.ndim, operation))


def contains(column: Column, value: elementwise.Operand, axis: Any) -> Column:
    """Return whether each row contains a value: a scalar for all rows, or one or more values per row."""
    rows = _rows_along(column, axis, "contains")
    if isinstance(value, Column):
        return _looked_up(rows, value, "contains")
    dim = rows.shape.dims[-1]
    if not value.is_valid:
        return Column(rows.shape[:-1], pa.nulls(len(dim), pa.bool_()))
    found = last_equal_to(rows.values, value, dim.offsets, "contains") >= 0
    return Column(rows.shape[:-1], _arrow.from_numpy(found, dim.validity))


def equal_to(values: pa.Array, value: pa.Scalar, operation: str) -> BoolArray:
    """Flag the items equal to a valid scalar."""
    if is_string(values.type) and is_string(value.type):
        found = pc.equal(values, value.cast(values.type))
        return np.asarray(found.fill_null(False) if found.null_count else found)
    (key, valid), one = _key_beside(values, value, operation)
    if one is None:
        return np.zeros(len(key), np.bool_)
    equal = comparison.equal(key, one)
    if valid is not None:
        equal &= valid
    return equal


def _key_beside(values: pa.Array, value: pa.Scalar, operation: str) -> tuple[Key, Any]:
    """Return keys of values and of a valid scalar that are equal where these are; None for a label beside no categories."""
    if value.type == values.type and _arrow.is_numeric(value.type):
        key = _arrow.to_numpy(values)
        return key, key[0].dtype.type(value.as_py())
    key, (one, known) = joint_keys(values, pa.repeat(value, 1), operation)
    return key, None if known is not None and not known.any() else one[0]


def last_equal_to(values: pa.Array, value: pa.Scalar, offsets: IntArray, operation: str) -> IntArray:
    """Return the last item of each row that equals a valid scalar, -1 where there is none."""
    return _item_equal_to(last_equal, values, value, offsets, operation)


def first_equal_to(values: pa.Array, value: pa.Scalar, offsets: IntArray, operation: str) -> IntArray:
    """Return the first item of each row that equals a valid scalar, -1 where there is none."""
    return _item_equal_to(first_equal, values, value, offsets, operation)


def _item_equal_to(
    find: Callable[..., IntArray], values: pa.Array, value: pa.Scalar, offsets: IntArray, operation: str
) -> IntArray:
    if is_string(values.type) and is_string(value.type):
        return find(equal_to(values, value, operation), None, True, offsets)
    (key, valid), one = _key_beside(values, value, operation)
    if one is None:
        return np.full(len(offsets) - 1, -1, np.int64)
    return find(key, valid, one, offsets)


def equal_items(values: pa.Array, value: pa.Scalar | pa.Array, operation: str) -> BoolArray:
    """Flag the items that equal a scalar, or the value beside them: NaN equals NaN, a null equals a null."""
    if isinstance(value, pa.Scalar):
        if not value.is_valid:
            valid = _arrow.valid_of(values)
            return np.zeros(len(values), np.bool_) if valid is None else ~valid
        return equal_to(values, value, operation)
    (key, valid), (other, known) = joint_keys(values, value, operation)
    equal: BoolArray = np.asarray(key == other)
    if key.dtype.kind == "f":
        equal |= np.isnan(key) & np.isnan(other)
    if valid is None and known is None:
        return equal
    here, there = or_all(valid, len(key)), or_all(known, len(key))
    equal &= here & there
    equal |= ~here & ~there
    return equal


def _looked_up(sets: Column, probes: Column, operation: str) -> Column:
    sets, probes, offsets = probes_of(sets, probes, operation)
    key, set_key = joint_keys(probes.values, sets.values, operation)
    found = _kernels.member(key, offsets, set_key, sets.shape.dims[-1].offsets)
    return Column(probes.shape, _arrow.from_numpy(found, _arrow.valid_of(probes.values)))


def is_in(column: Column, values: Column) -> Column:
    """Return whether each item is in a flat set, or in the set of its row."""
    if values.ndim > 1:
        return _looked_up(values, column, "is_in")
    members = _members_held(values.values, column.type)
    (key, valid), (set_key, set_valid) = joint_keys(column.values, members, "is_in")
    known = set_key if set_valid is None else set_key[set_valid]
    bits = pa.py_buffer(is_member(key, known))
    return Column(column.shape, pa.Array.from_buffers(pa.bool_(), len(key), [_arrow.bitmap(valid), bits]))


def _members_held(members: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast members to the type of a column and drop those that it can't hold; members of other kinds stay as they are."""
    own = members.type
    if own == type:
        return members
    if pt.is_integer(own) and pt.is_integer(type):
        return members.filter(numbers_fit(members, type)).cast(type)
    is_same_kind = own.id == type.id or (pt.is_time(own) and pt.is_time(type))
    if not is_same_kind or not hasattr(own, "unit") or getattr(own, "tz", None) != getattr(type, "tz", None):
        return members
    coarser = TICKS[own.unit] // TICKS[type.unit]
    if coarser < 2:  # the unit of the column is the finer one, to which members alone are cast
        return members
    counts = _arrow.to_int64(members)[0]
    held = members.filter(pa.array(counts % coarser == 0))
    return held.cast(type)


def searchsorted(column: Column, sought: Column, side: Literal["left", "right"], axis: Any) -> Column:
    """Return the position in the sorted row at which inserting each searched item keeps the order."""
    sets, probes, offsets = probes_of(_rows_along(column, axis, "searchsorted"), sought, "searchsorted")
    key, set_key = joint_keys(probes.values, sets.values, "searchsorted", ordered=True)
    rows = sets.shape.dims[-1].offsets
    slots = naming_rows(sets.shape, sets.ndim - 1, search.searchsorted, set_key[0], rows, key[0], offsets, side, set_key[1])
    return Column(probes.shape, _arrow.from_numpy(slots, key[1]))


def translate(column: Column, keys: Column, values: Column, axis: Any) -> Column:
    """Replace each item by the value of the equal key of its row; null if no key is equal."""
    structure.check_rows(keys.ndim, "translate: the table of keys")
    if values.ndim > keys.ndim:
        raise ShapeError(f"translate: values have {dims_text(values.shape.dims)}, but their keys have {keys.ndim}")
    if keys.ndim == values.ndim == 1 and len(keys.values) != len(values.values):
        counts = f"{plural(len(keys.values), 'key')}, {plural(len(values.values), 'value')}"
        raise ShapeError(f"translate: {counts}; give one value for each key")
    keys, values = structure.align([keys, values], "translate")
    # Align item numbers instead of the keys: one gather then selects keys and values.
    numbers = _arrow.numbers(keys.shape.size)
    tables, probes, offsets = probes_of(_rows_along(Column(keys.shape, numbers), axis, "translate"), column, "translate")
    items = None if tables.values is numbers else tables.values.to_numpy()
    table_keys = keys.values if items is None else gather.take(keys.values, items)
    key, table_key = joint_keys(probes.values, table_keys, "translate")
    if len(table_key[0]) == 0:
        return Column(probes.shape, nulls_like(values.values, len(key[0])))
    cut = tables.shape.dims[-1].offsets
    found, hit = naming_rows(tables.shape, tables.ndim - 1, lookup, table_key, cut, key, offsets)
    return Column(probes.shape, gather.take(values.values, found if items is None else items[found], hit))


# --------------------------------------------------------------------------------------------------- two columns


def same_rows(one: Column, two: Column, depth: int, operation: str) -> tuple[Column, Column, tuple[Dim, ...]]:
    """Drop rows after the first `depth` dims that are null in either column; also return the dims above those rows."""
    one, two = structure.agree([one, two], operation, levels=depth)
    return one, two, structure.merge_dims([one.shape.dims[:depth], two.shape.dims[:depth]])


_SETS: dict[str, Callable[..., _groups.Items]] = {
    "union": _kernels.union,
    "intersection": _kernels.intersection,
    "difference": _kernels.difference,
    "symmetric_difference": _kernels.symmetric_difference,
}


_HINTS = {
    0: "; a single value is no row, and text is no column: write pl.col(name) or frame[name] for one",
    1: "; for one set for all rows write x.is_in(values), or repeat it by aj.array(values).tile(n) for n rows",
}
"""By number of dims of the second operand: what to write instead."""


def set_operation(name: str, one: Column, two: Column, axis: Any) -> Column:
    """Union, intersection or a difference per row: distinct items in order of first appearance."""
    if one.ndim != two.ndim:
        raise ShapeError(f"{name}: {one.shape!r} and {two.shape!r} must have the same number of dims{_HINTS.get(two.ndim, '')}")
    if name in ("intersection", "difference"):  # items of the first column: instants of another zone need none in common
        two = Column(two.shape, elementwise.in_one_zone(one.values, two.values)[1])
    own, second = one.type, two.type
    type = elementwise.common_type([own, second], name)
    is_mixed = pt.is_floating(type) and pt.is_integer(own) and pt.is_integer(second)
    type = _ANY_INTEGER if is_mixed else type
    try:
        one, two = (elementwise.cast(side, type, operation=name) for side in (one, two))
    except JagValueError as error:  # the year 9999 doesn't fit nanoseconds
        if not elementwise.are_moments(own, second):
            raise
        return _set_of_times(name, one, two, axis, type, error)
    one, place = along_axis.single_axis(one, axis, name)
    two, _ = along_axis.single_axis(two, axis, name)
    one, two, outer = same_rows(one, two, place, name)
    source, depth, values = one, place + 1, None
    if depth < one.ndim:
        source, depth = structure.end_to_end([(one, depth), (two, depth)]), 1
        key, other = _halves(along_axis.item_key(source, 1, name), one.shape.nodes(place + 1))
    else:
        values = _arrow.join([one.values, two.values]) if name in ("union", "symmetric_difference") else None
        key, other = joint_keys(one.values, two.values, name)
    dims = one.shape.dims[place], two.shape.dims[place]
    cut, items = _SETS[name](key, dims[0].offsets, other, dims[1].offsets)
    outer = (*outer, along_axis.resized(dims[0], cut))
    if values is None:
        found = structure.take_items(source, depth, items, outer)
    else:
        found = Column(JaggedShape._trusted(outer), gather.take(values, items))
    return elementwise.cast(found, own) if is_mixed and name in ("intersection", "difference") else found


def _set_of_times(name: str, one: Column, two: Column, axis: Any, type: pa.DataType, error: JagValueError) -> Column:
    """Compute a set operation by value for times that the common type can't hold; raise the error if the result has one."""
    left, right = elementwise.exact_counts(*(elementwise.decoded(side.values) for side in (one, two)))
    found = set_operation(name, Column(one.shape, left), Column(two.shape, right), axis)
    try:
        counts = elementwise.cast(found, pa.int64())
    except JagValueError:
        raise error from None
    return elementwise.cast(counts, type)
