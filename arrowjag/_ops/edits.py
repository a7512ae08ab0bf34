"""Rows with some items changed: replace, remove, append, insert, splice, rotate; and runs and windows of neighbouring items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._integers import integer, item_count
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.blocks import map_cells, rows_2d
from arrowjag._kernels.base.fill import chooser, fill, filled
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.base.words import both_valid, data_of, from_words, has_words, unless_all, valid_of
from arrowjag._kernels.equal import members, repeats
from arrowjag._kernels.equal.sets import lookup
from arrowjag._kernels.move import gather, join
from arrowjag._kernels.strategy import sizes
from arrowjag._ops import along_axis, concat, elementwise, indexing, rearrange, sets, structure
from arrowjag._ops.cursor import FAR, row_name
from arrowjag._pyarrow_versions import null_scalar
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, brief
from arrowjag.shape import JaggedShape, dims_text
from arrowjag.typing import BoolArray, IntArray

__all__ = ["append", "assigned", "insert", "remove", "replace", "rle", "rotate", "splice", "windows"]

# --------------------------------------------------------------------------------------------------- one value per row


def _beside_rows(column: Column, given: Mapping[str, Any], operation: str) -> tuple[Column, list[Any]]:
    """Broadcast the columns among the arguments to the innermost rows; a row that is null above them in any becomes null."""
    depth = column.ndim - 1
    column, known = indexing.agreed(column, given, depth, operation)
    others = [one for one in known if isinstance(one, Column)]
    if any(other.ndim < depth for other in others):
        others = along_axis.align_keys(column, depth, others, operation)[1]
    spread = iter(others)
    return column, [next(spread).values if isinstance(one, Column) else one for one in known]


def _positions(column: Column, given: Sequence[tuple[str, Any]], operation: str) -> tuple[Column, list[Any]]:
    """Return int64 positions, each one for all rows or one per row, and the column with rows null where one of them is."""
    found: list[Any] = []
    keep: BoolArray | None = None
    for name, value in given:
        data, valid = _as_positions(value, operation, name)
        found.append(data)
        keep = both_valid(keep, valid)
    if keep is not None and not keep.all():
        column = structure.null_items(column, column.ndim - 1, keep)
    return column, found


def _as_positions(value: Any, operation: str, name: str) -> tuple[Any, BoolArray | None]:
    if not isinstance(value, pa.Array):
        return np.int64(max(-FAR, min(integer(value, f"{operation}: {name}"), FAR))), None
    data, valid = _arrow.to_int64(value)
    return np.clip(data, -FAR, FAR), valid


# --------------------------------------------------------------------------------------------------- replace, remove


def replace(column: Column, old: Sequence[Any], new: Sequence[Any]) -> Column:
    """Replace items that equal one of `old` by the entry of `new` beside it; the leaf type stays."""
    values = column.values
    if not old:
        return column
    if elementwise.is_ordered(column.type):
        labels = [elementwise.scalar_like(value, column.type, "replace") for value in (*old, *new)]
        _check_distinct([label.as_py() for label in labels[: len(old)]])  # before they become codes, so that the error names labels
        (codes, *places), dictionary = elementwise.codes_beside([values, *labels], "replace")
        replaced = [place.as_py() for place in places]
        found = replace(Column(column.shape, codes), replaced[: len(old)], replaced[len(old) :])
        return Column(column.shape, elementwise.from_codes(found.values, dictionary, [column.type]))
    items = _of_leaf_type(new, column.type)
    if len(old) <= sizes.REPLACED_VALUES and has_words(column.type):
        return Column(column.shape, _chosen(values, old, items))
    hit, which = _matched(values, old)
    targets = hit.nonzero()[0]
    if not len(targets):
        return column
    return Column(column.shape, rearrange.overwrite(values, targets, gather.take(items, which[targets])))


def _chosen(values: pa.Array, old: Sequence[Any], items: pa.Array) -> pa.Array:
    """Replace few values of fixed width, in one pass for each: 5M int64 take 8 ms, and a gather by the matches of a lookup 30."""
    scalars = _scalars(values, old)
    if (found := _numbers_chosen(values, scalars, items)) is not None:
        return found
    data, valid = data_of(values), valid_of(values)
    words, known, changed = data_of(items), valid_of(items), False
    for place, scalar in enumerate(scalars):
        same = sets.equal_items(values, scalar, "replace")
        if not np.count_nonzero(same):
            continue
        is_null, changed = known is not None and not known[place], True
        if not is_null:
            data = _put(data, ~same, words[place])
        if is_null:
            valid = ~same if valid is None else valid & ~same
        elif valid is not None:
            valid = valid | same
    return from_words(values.type, data, None if valid is None else unless_all(valid)) if changed else values


def _numbers_chosen(values: pa.Array, scalars: Sequence[pa.Scalar], items: pa.Array) -> pa.Array | None:
    """Replace numbers by numbers; None for other types, and if nulls or NaN are to be replaced or written."""
    type = values.type
    if items.null_count or not (pt.is_integer(type) or pt.is_float32(type) or pt.is_float64(type)):
        return None
    if not all(scalar.is_valid and scalar.type == type for scalar in scalars):
        return None
    numbers = [scalar.as_py() for scalar in scalars]
    if any(map(math.isnan, numbers)):
        return None

    data, new = _arrow.data_alone(values), _arrow.data_alone(items)
    old = list(map(data.dtype.type, numbers))
    found = members.replace_equal(data, old[0], new[0]) if len(old) == 1 else _replaced_in_turn(data, old, new)
    return values if found is None else _arrow.from_numpy(found, valid_of(values), type)


def _replaced_in_turn(data: npt.NDArray[Any], old: Sequence[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Replace the items that equal one of several numbers; an item that was replaced is not compared again."""
    if len(data) < sizes.CALL_VALUES:
        found = data
        for one, other in zip(old, new, strict=True):
            kept = data != one
            if np.count_nonzero(kept) < len(kept):
                found = np.where(kept, found, other)
        return None if found is data else found
    words, hits = np.dtype(f"i{data.itemsize}"), []
    choose, fillers = chooser(words, len(data)), new.astype(data.dtype, copy=False).view(words)

    def write(items: slice, out: npt.NDArray[Any]) -> None:
        part = data[items]
        found = part.view(words)
        for place, one in enumerate(old):
            kept = part != one
            if np.count_nonzero(kept) < len(kept):
                hits.append(one)
                before, found = found, empty(len(part), words)
                choose(kept, before, fillers[place : place + 1], found)
        out[:] = found

    found = fill(write, len(data), words).view(data.dtype)
    return found if hits else None


def _put(data: npt.NDArray[Any], kept: BoolArray, word: Any) -> npt.NDArray[Any]:
    """Return a copy in which the items that `kept` does not flag are replaced; the time does not depend on their number."""
    return filled(data, kept, word) if data.dtype.kind != "V" else np.where(kept, data, word)


def _of_leaf_type(new: Sequence[Any], leaf: pa.DataType) -> pa.Array:
    plain = _plain_numbers(new, leaf)
    return _arrow.join([_one(_scalar_of_leaf_type(value, leaf)) for value in new]) if plain is None else plain


def _plain_numbers(given: Sequence[Any], leaf: pa.DataType) -> pa.Array | None:
    """Convert Python's ints or floats in one call, if the leaf type represents all of them exactly; None for anything else."""
    kind = int if pt.is_integer(leaf) else float if pt.is_float64(leaf) else None
    if kind is None or not all([type(one) is kind for one in given]):  # noqa: C419 - a generator takes as long as what it saves
        return None
    try:
        return pa.array(given, leaf)
    except (OverflowError, pa.ArrowInvalid):
        return None


def _scalar_of_leaf_type(value: Any, leaf: pa.DataType) -> pa.Scalar:
    scalar = elementwise.scalar_like(value, leaf, "replace")
    if scalar.type == leaf:
        return scalar
    if scalar.is_valid and elementwise.plain_type(scalar.type) != elementwise.plain_type(leaf):
        _check_kind(value, scalar.type, leaf)
    try:
        return elementwise.cast(Column(JaggedShape(1), _one(scalar)), leaf).values[0] if scalar.is_valid else null_scalar(leaf)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, ValueError, OverflowError):
        message = f"replace: {brief(value)} does not fit the leaf type {leaf}, which replace keeps"
        raise JagTypeError(f"{message}. Cast the array first, to a type that holds it.") from None


def _check_kind(value: Any, type: pa.DataType, leaf: pa.DataType) -> None:
    """Raise for a value of another kind, which Arrow would convert: text to a number, a time to its count."""
    try:
        common = elementwise.promote([type, leaf], "replace")
    except JagTypeError as error:
        reason = str(error).removeprefix("replace: ")
        raise JagTypeError(f"replace: {brief(value)} does not fit the leaf type {leaf}, which replace keeps: {reason}") from None
    for is_narrow in (pt.is_boolean, pt.is_date):  # Arrow's casts to these types drop the rest of a value
        if is_narrow(elementwise.plain_type(leaf)) and not is_narrow(common):
            raise JagTypeError(f"replace: {brief(value)} does not fit the leaf type {leaf}, which replace keeps")


def _one(scalar: pa.Scalar) -> pa.Array:
    return structure.constant(scalar, 1)


def _matched(values: pa.Array, old: Sequence[Any]) -> tuple[BoolArray, IntArray]:
    """Flag the items that equal one of several values, and return the position of that value."""
    scalars = _scalars(values, old)
    valid = [place for place, scalar in enumerate(scalars) if scalar.is_valid]
    if len(valid) > sizes.REPLACED_VALUES and len({scalars[place].type for place in valid}) == 1:
        table = _arrow.join([_one(scalars[place]) for place in valid])
        key, known = sets.joint_keys(values, table, "replace")
        which, hit = lookup(known, np.array([0, len(valid)]), key, np.array([0, len(values)]))
        which, rest = np.array(valid)[which], [place for place in range(len(old)) if not scalars[place].is_valid]
    else:
        hit, which, rest = np.zeros(len(values), np.bool_), np.zeros(len(values), np.int64), list(range(len(old)))
    for place in rest:
        same = sets.equal_items(values, scalars[place], "replace")
        which[same] = place
        hit = hit | same
    return hit, which


def _scalars(values: pa.Array, old: Sequence[Any]) -> list[pa.Scalar]:
    if (plain := _plain_numbers(old, values.type)) is not None:
        _check_distinct(old)
        return list(plain)
    found = [elementwise.scalar_by_value(value, values.type, "replace") for value in old]
    exact = [isinstance(value, Decimal) or type(value) is int for value in old]  # else the scalar may stand for it
    _check_distinct([value if stays else scalar.as_py() for value, stays, scalar in zip(old, exact, found, strict=True)])
    return found


def _check_distinct(old: Sequence[Any]) -> None:
    seen = set()
    for value in old:
        key = repr(value) if isinstance(value, (dict, list, float)) else value
        key = "0.0" if key == "-0.0" else key
        if key in seen:
            raise JagValueError(f"replace: the old value {brief(value)} occurs twice; give each value once")
        seen.add(key)


def remove(column: Column, value: elementwise.Operand) -> Column:
    """Drop the items of each innermost row that equal a value, one for all rows or one per row."""
    if isinstance(value, Column):
        if value.ndim >= column.ndim:
            raise ShapeError(f"remove: v has {dims_text(value.shape.dims)}, but the rows have {column.ndim - 1}")
        column, value = structure.align([column, value], "remove")
        value = value.values
    dim = column.shape.dims[-1]
    keep = ~sets.equal_items(column.values, value, "remove")
    cut = _offsets.filter_rows(keep, dim.offsets)
    outer = (*column.shape.dims[:-1], along_axis.resized(dim, cut))
    return structure.keep_items(column, column.ndim, keep, outer)


# --------------------------------------------------------------------------------------------------- append, insert, splice, rotate


def append(column: Column, value: elementwise.Operand) -> Column:
    """Append one item to each innermost row."""
    column, value = promoted(column, value, "append")
    column, (item,) = _beside_rows(column, {"v": value}, "append")
    outer, dim = column._shape._dims[:-1], column._shape._dims[-1]
    one, items = _single_items(dim, item, declared=len(outer) > 0)
    if outer and (found := concat.join_rows([dim, one], [column.values, items])) is not None:
        return Column(JaggedShape._trusted((*outer, found[0])), found[1])
    parts = [column, Column(JaggedShape._trusted((*outer, one)), items)]
    return concat.side_by_side(parts, len(outer)) if outer else concat.concat(parts, 0)


def promoted(column: Column, value: elementwise.Operand, operation: str) -> tuple[Column, elementwise.Operand]:
    """Cast a column and the items that it gets to their common type; labels become ordered categories of the column."""
    if value.type == column.type:
        return column, value
    if elementwise.is_ordered(column.type) and not elementwise.is_ordered(value.type):
        return column, _as_categories(value, column.values, operation)
    type = elementwise.common_type([column.type, value.type], operation)
    whole = value if isinstance(value, Column) else Column(JaggedShape(1), _one(value))
    whole = elementwise.cast(whole, type, operation=operation)
    return elementwise.cast(column, type, operation=operation), whole if isinstance(value, Column) else whole.values[0]


def _as_categories(value: elementwise.Operand, categories: pa.Array, operation: str) -> elementwise.Operand:
    """Convert labels to ordered categories; an unknown label raises."""
    if not isinstance(value, Column):
        found = elementwise.as_category(value, categories, operation)
        return found if found.is_valid else null_scalar(categories.type)
    (codes, _), dictionary = elementwise.codes_beside([value.values, categories], operation)
    return Column(value.shape, elementwise.from_codes(codes, dictionary, [categories.type]))


def _single_items(dim: Dim, item: pa.Array | pa.Scalar, *, declared: bool) -> tuple[Dim, pa.Array]:
    """Return rows of one item each beside the rows of a dim, null where those are null, and their items."""
    items, valid = item if isinstance(item, pa.Array) else structure.constant(item, len(dim)), dim.validity
    if valid is None:
        return Uniform(1, len(dim), declared=declared), items
    one = Ragged.from_offsets(_offsets.from_counts(valid), validity=valid, extent=1, check=False)
    return one, gather.filter_values(items, valid)


def assigned(targets: Column, values: elementwise.Operand, operation: str) -> tuple[Column, Column]:
    """Give the positions that an index selects, and the values for them, one shape.

    Parameters
    ----------
    targets : Column
        What the index selects of `rearrange.flat_positions`; a null row has leaves of a list type.
    values : Column or pa.Scalar
        Of the targets' shape, or of a prefix of it.
    operation : str
        The public name, for errors.

    Returns
    -------
    tuple of Column
        Both without rows for a null row, which has no items.
    """
    levels, leaf = _arrow.level_types(targets.type)
    if isinstance(values, Column) and values.ndim > targets.ndim + len(levels):
        raise ShapeError(f"{operation}: values of {values.shape!r} don't fit the index, which selects {targets.shape!r}")
    if levels:
        return _column.empty(leaf, 1), _column.empty(values.type, 1)
    if isinstance(values, Column):
        values, targets = structure.align([values, targets], operation)
        return targets, values
    return targets, elementwise.apply(lambda _, value: value, [targets, values], operation)


def insert(column: Column, position: elementwise.Operand, value: elementwise.Operand) -> Column:
    """Insert one item into each innermost row before a position, which is clamped to the row."""
    column, value = promoted(column, value, "insert")
    column, (place, item) = _beside_rows(column, {"i": position, "v": value}, "insert")
    column, (place,) = _positions(column, [("i", place)], "insert")
    dim = column._shape._dims[-1]
    begin = _clamped(place, dim.sizes)
    return _spliced(column, begin, begin, _single_items(dim, item, declared=column.ndim > 1))


def _clamped(place: Any, sizes: IntArray) -> IntArray:
    if not place.ndim and place >= 0:
        clamped: IntArray = np.minimum(place, sizes)
        return clamped
    found: IntArray = np.maximum(np.where(place < 0, place + sizes, place), 0)
    return np.minimum(found, sizes)


def splice(column: Column, start: elementwise.Operand, n: elementwise.Operand, items: elementwise.Operand | None) -> Column:
    """Replace `n` items of each innermost row, from a position on, by the items of another row."""
    rows: Column | None = None
    if items is not None:
        column, items = promoted(column, items, "splice")
    if isinstance(items, Column) and items.ndim > column.ndim:
        raise ShapeError(f"splice: y has {dims_text(items.shape.dims)}, but the array has {column.ndim}")
    if isinstance(items, Column) and items.ndim == column.ndim:
        column, rows = structure.agree([column, items], "splice", levels=column.ndim - 1)
        items = None
    agreeing = column
    column, (place, count, item) = _beside_rows(column, {"start": start, "n": n, "y": items}, "splice")
    column, (place, count) = _positions(column, [("start", place), ("n", count)], "splice")
    wrong = count < 0
    if np.count_nonzero(wrong) if count.ndim else wrong:
        row = int(wrong.argmax())
        where = f" for {row_name(column.shape, column.ndim - 1, row)}" if count.ndim else ""
        raise JagValueError(f"splice: n must not be negative, got {int(np.atleast_1d(count)[row])}{where}")
    if rows is not None and column is not agreeing:
        column, rows = structure.agree([column, rows], "splice", levels=column.ndim - 1)
    dim = column._shape._dims[-1]
    given = None if rows is None else (rows._shape._dims[-1], rows.values)
    if item is not None:
        given = _single_items(dim, item, declared=column.ndim > 1)
    begin = _clamped(place, dim.sizes)
    return _spliced(column, begin, np.minimum(begin + count, dim.sizes), given)


def _spliced(column: Column, begin: IntArray, end: IntArray, given: tuple[Dim, pa.Array] | None) -> Column:
    """Leave out the items from `begin` to before `end` of each innermost row, and put in those of other rows."""
    outer, dim, values = column._shape._dims[:-1], column._shape._dims[-1], column.values
    starts = dim.offsets[:-1]
    front = starts + begin
    parts = [join.Slices(values, starts, front), join.Slices(values, front if begin is end else starts + end, dim.offsets[1:])]
    added = None
    if given is not None:
        offsets, added = given[0].offsets, given[0].extent
        parts.insert(1, join.Slices(given[1], offsets[:-1], offsets[1:]))
    cut, values = join.join_slices(parts) or _taken_in_turn(parts)
    last = along_axis.resized(dim, cut)
    if begin is end and added is not None and dim.extent is not None:
        last = dim_of_extent(last, dim.extent + added)
    return Column(JaggedShape._trusted((*outer, last)), values)


def _taken_in_turn(parts: Sequence[join.Slices]) -> tuple[IntArray, pa.Array]:
    """Join the front and the back of each row with the items between, by one take of rows."""
    front, *between, back = parts
    n = len(front.begins)
    cuts = np.empty(3 * n + 1, np.int64)
    cuts[0:-1:3], cuts[1::3], cuts[2::3], cuts[-1] = front.begins, front.ends, back.begins, len(front.values)
    rows = np.empty((n, len(parts)), np.int64)
    rows[:, 0] = np.arange(0, 3 * n, 3)
    rows[:, -1] = rows[:, 0] + 2
    values = front.values
    for one in between:
        rows[:, 1] = np.arange(3 * n, 4 * n)
        cuts = np.concatenate((cuts, one.ends + cuts[-1]))
        values = _arrow.join([values, one.values]) if len(one.values) else values
    found = _spans(values, cuts, rows.ravel())
    return np.ascontiguousarray(found.shape.dims[-1].offsets[:: len(parts)]), found.values


def dim_of_extent(dim: Dim, extent: int) -> Dim:
    """Declare the extent of a dim whose valid rows all have that size."""
    return Uniform(extent, len(dim)) if dim.validity is None else dim.with_extent(extent)


def _spans(values: pa.Array, cuts: IntArray, rows: IntArray) -> Column:
    """Take the spans between neighbouring cuts in any order."""
    spans = Ragged.from_offsets(cuts, check=False)
    whole = Column(JaggedShape._trusted((Uniform._frame(len(spans)), spans)), values)
    return structure.take_items(whole, 1, rows, (Uniform._frame(len(rows)),))


def rotate(column: Column, n: elementwise.Operand | int) -> Column:
    """Move the items of each innermost row to the right by `n` slots; those that leave at the end come in at the front."""
    column, (count,) = _beside_rows(column, {"n": n}, "rotate")
    column, (count,) = _positions(column, [("n", count)], "rotate")
    dim = column.shape.dims[-1]
    begins, ends, rows = dim.offsets[:-1], dim.offsets[1:], len(dim)
    turned = ends - count % np.maximum(dim.sizes, 1)
    found = join.join_slices([join.Slices(column.values, turned, ends), join.Slices(column.values, begins, turned)])
    if found is not None:
        return Column(column.shape, found[1])
    cuts = np.empty(2 * rows + 1, np.int64)
    cuts[0::2], cuts[1::2] = dim.offsets, turned
    order = np.empty((rows, 2), np.int64)
    order[:, 1] = np.arange(0, 2 * rows, 2)
    order[:, 0] = order[:, 1] + 1
    return Column(column.shape, _spans(column.values, cuts, order.ravel()).values)


# --------------------------------------------------------------------------------------------------- runs, windows


def rle(column: Column, axis: Any) -> Column:
    """Return structs of the value and the length of each run of equal neighbours."""
    column, place = along_axis.single_axis(column, axis, "rle")
    dim = column.shape.dims[place]
    cut, starts, sizes = repeats.equal_runs(along_axis.item_key(column, place + 1, "rle"), dim.offsets)
    return along_axis.with_numbers(column, place, starts, cut, sizes, ("value", "length"))


def windows(column: Column, size: int, step: int, axis: Any, name: str = "windows: size") -> Column:
    """Return the windows of `size` neighbouring items of each row, `step` apart; adds a dim of declared extent."""
    width, hop = item_count(size, name, 1), item_count(step, "windows: step", 1)
    column, place = along_axis.single_axis(column, axis, name.partition(":")[0])
    dim = column.shape.dims[place]
    counts = np.maximum((row_sizes(dim.offsets) - width) // hop + 1, 0)
    cut = _offsets.from_sizes(counts)
    starts = _offsets.runs(dim.offsets[:-1], cut, hop)
    n = len(starts)
    outer = (*column.shape.dims[:place], along_axis.resized(dim, cut), Uniform(width, n))
    if place + 1 == column.ndim and has_words(column.type) and n:
        return Column(JaggedShape._trusted(outer), _neighbours(column.values, starts, width))
    slots = np.arange(width if n else 0)  # where no row has a window, its width may exceed memory
    items = empty(n * len(slots), np.int64).reshape(n, len(slots))

    def number(first: int, last: int) -> None:
        np.add(starts[first:last, None], slots, out=items[first:last])

    map_cells(number, n, 8 * max(1, len(slots)))
    return structure.take_items(column, place + 1, items.reshape(-1), outer)


def _neighbours(values: pa.Array, starts: IntArray, width: int) -> pa.Array:
    """Copy the items that follow each start, which needs no item numbers; in blocks, on all cores."""

    def copied(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
        out = empty(len(starts) * width, data.dtype).reshape(len(starts), width)

        def block(first: int, last: int) -> None:
            out[first:last] = rows_2d(data, starts[first:last], width)

        map_cells(block, len(starts), width * data.itemsize)
        return out.reshape(-1)

    valid = valid_of(values)
    return from_words(values.type, copied(data_of(values)), None if valid is None else copied(valid))
