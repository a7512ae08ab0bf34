"""Call a user's function for the rows or items of columns: map_rows, fold, scan, map_items."""

from __future__ import annotations

import keyword
import unicodedata
from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._kernels.base.memory import zeros
from arrowjag._kernels.base.offsets import filter_rows, from_counts, row_sizes
from arrowjag._kernels.base.words import Bits, both_valid, or_all, unless_all, without_validity
from arrowjag._kernels.move import gather
from arrowjag._kernels.reduce.counts import count_valid
from arrowjag._ops import along_axis, elementwise, structure
from arrowjag._ops import axes as _axes
from arrowjag._ops.calls import Argument, Copies, Form, Lists, Objects, Records, Rows, Scalars, call_each, result_type, unwrapped
from arrowjag._ops.cursor import row_name
from arrowjag._ops.elementwise import Operand
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.errors import JagTypeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["fold", "fold_type", "map_items", "map_rows", "map_rows_type", "scan"]


class _Operands(NamedTuple):
    """Aligned operands: columns with the most dims share one shape; shorter ones are broadcast to its rows."""

    rows: JaggedShape
    """The shape without the last dim, whose items are the rows that the function is called for."""

    offsets: IntArray
    valid: BoolArray | None
    """True for rows that are valid in every column."""

    long: list[Column | None]
    """Per operand, its column if it has the most dims, else None."""

    short: list[Column | None]
    """Per operand, its column broadcast to one item per row, or None."""

    constants: list[Any]
    """Per operand, its value if it is a scalar, else None."""


def _gather(columns: Sequence[Operand], axis: Any, operation: str, start: Any = None) -> tuple[_Operands, Any]:
    """Align operands, and the start of a fold or a scan: if it is a column, it is broadcast to one value per row."""
    *columns, start = [_decoded(one) if isinstance(one, Column) else one for one in [*columns, start]]
    plain = [one for one in columns if isinstance(one, Column)]
    if not plain:
        raise JagTypeError(f"{operation} needs at least one array")
    ndim = max(column.ndim for column in plain)
    if ndim == 0:
        raise JagTypeError(f"{operation} needs an array with rows, got scalars only")
    found = _axes.normalize_axes(axis, ndim, operation)
    if found[-1] != ndim - 1:  # the rows of the result combine several rows of shorter columns
        expanded = iter(structure.align(plain, operation))
        columns = [next(expanded) if isinstance(one, Column) else one for one in columns]
        plain = [one for one in columns if isinstance(one, Column)]
    long = structure.align([column for column in plain if column.ndim == ndim], operation)
    frames = [_axes.rows_along(column, found) for column in long]
    short = [one for one in [*columns, start] if isinstance(one, Column) and one.ndim < ndim]
    met = structure.agree([*frames, *short], operation)
    aligned, spreads = iter(met[: len(frames)]), iter(met[len(frames) :])
    dim, rows = met[0].shape.dims[-1], met[0].shape[:-1]
    operands = _Operands(rows, dim.offsets, dim.validity, [], [], [])
    valid = dim.validity
    for one in columns:
        is_long = isinstance(one, Column) and one.ndim == ndim
        operands.long.append(next(aligned) if is_long else None)
        spread = structure.expand_to(next(spreads), rows) if isinstance(one, Column) and not is_long else None
        operands.short.append(spread)
        operands.constants.append(None if isinstance(one, Column) else one)
        if spread is not None:
            valid = both_valid(valid, _arrow.valid_of(spread.values))
        elif not is_long and _is_null(one):
            valid = zeros(rows.size, np.bool_)
    if isinstance(start, Column):
        start = structure.expand_to(next(spreads, start), rows)
        valid = both_valid(valid, _arrow.valid_of(start.values))
    return operands._replace(valid=valid), start


def _decoded(column: Column) -> Column:
    return Column(column.shape, elementwise.decoded(column.values)) if pt.is_dictionary(column.type) else column


# --------------------------------------------------------------------------------------------------- arguments of the function


def _numbers(values: pa.Array) -> npt.NDArray[Any] | None:
    """Convert values to a read-only numpy array, temporals to datetime64 or timedelta64; None for types that numpy lacks.

    Numbers are widened to 64 bits: numba computes integers in 64 bits and literals in float64, so that narrower types would
    overflow and round in the interpreter only.
    """
    type = values.type
    if pt.is_boolean(type):
        data = _arrow.data_alone(values)
    elif pt.is_integer(type):
        data = _arrow.data_alone(values).astype(np.uint64 if pt.is_uint64(type) else np.int64, copy=False)
    elif pt.is_floating(type):
        data = _arrow.data_alone(values).astype(np.float64, copy=False)
    elif pt.is_timestamp(type) or pt.is_duration(type):
        data = _arrow.data_alone(values).view(f"{'M' if pt.is_timestamp(type) else 'm'}8[{type.unit}]")
    elif pt.is_date32(type):
        data = _arrow.data_alone(values).astype("M8[D]")
    elif pt.is_date64(type):
        data = _arrow.data_alone(values).view("M8[ms]")
    else:
        return None
    data = data.view()
    data.flags.writeable = False
    return data


def _fields(values: pa.Array) -> dict[str, npt.NDArray[Any]] | None:
    """Convert the fields of a struct to numpy arrays; None if numpy lacks the type of one, or a named tuple can't have its name."""
    if not pt.is_struct(values.type) or not values.type.num_fields:
        return None
    names = [field.name for field in values.type]
    if len(set(names)) < len(names) or not all(map(_is_attribute, names)):
        return None
    found = {name: _numbers(_arrow.combine_chunks(values.field(place))) for place, name in enumerate(names)}
    return None if any(one is None for one in found.values()) else {name: one for name, one in found.items() if one is not None}


def _is_attribute(name: str) -> bool:
    """Return whether a named tuple may have a field of this name, which Python doesn't normalize to another one."""
    plain = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
    return plain and unicodedata.is_normalized("NFKC", name)


@lru_cache(maxsize=1000)
def _record_type(names: tuple[str, ...]) -> Any:
    """Return the named tuple of given fields, the same for all calls: numba compiles code for each class anew."""
    return namedtuple("Record", names)  # noqa: PYI024  # the fields are known at run time only


def _is_known(values: pa.Array) -> BoolArray | None:
    """Return flags of the items that are valid, and whose fields are valid if they are records; None if all are."""
    valid = _arrow.valid_of(values)
    if pt.is_struct(values.type) and _has_views(values):
        for place in range(values.type.num_fields):
            valid = both_valid(valid, _arrow.valid_of(values.field(place)))
    return valid


def _known(columns: Sequence[Column | None]) -> BoolArray | None:
    """Return flags of the items that are valid in every column; None if all are."""
    known: BoolArray | None = None
    for column in columns:
        if column is not None:
            known = both_valid(known, _is_known(column.values))
    return known


def _n_known(operands: _Operands) -> IntArray | None:
    """Count the valid items of each row by the validity bits of the only column; None if flags of items are needed, or faster."""
    long = [column.values for column in operands.long if column is not None]
    return None if len(long) > 1 or pt.is_struct(long[0].type) else count_valid(long[0], operands.offsets)


class _Kept(NamedTuple):
    """The items that are valid in every column, which a function of rows gets."""

    mask: BoolArray | Bits
    offsets: IntArray
    """The offsets of the rows without the other items."""


def _kept(operands: _Operands) -> _Kept | None:
    """Return the items that are valid in every column; None if all are. The validity bits of a single column are not unpacked."""
    counts = _n_known(operands)
    if counts is not None:
        column = next(column for column in operands.long if column is not None)
        return _Kept(_arrow.bits_of(column.values), from_counts(counts))
    known = _known(operands.long)
    return None if known is None else _Kept(known, filter_rows(known, operands.offsets))


def _arguments(operands: _Operands, kept: _Kept | None = None) -> list[Argument]:
    """Return the arguments of a function of rows, with all items or those that are kept."""
    offsets = operands.offsets if kept is None else kept.offsets
    mask = None if kept is None else kept.mask
    return [
        _per_row(operands, place) if column is None else _rows(column.values, mask, offsets)
        for place, column in enumerate(operands.long)
    ]


def _has_views(values: pa.Array) -> bool:
    """Return whether a function gets rows of these values as numpy arrays or records of arrays, not as lists."""
    few = values.slice(0, 0)
    return _numbers(few) is not None or _fields(few) is not None


def _rows(values: pa.Array, mask: BoolArray | Bits | None, offsets: IntArray) -> Argument:
    if mask is not None:
        values = gather.filter_values(without_validity(values), mask)
    data = _numbers(values)
    if data is not None:
        return Rows(data, offsets)
    fields = _fields(values)
    if fields is not None:
        return Records(_record_type(tuple(fields)), tuple(fields.values()), offsets)
    return Lists(_column.to_python(_arrow.wrap([_arrow.Level(offsets, None, None)], values)))


def _per_row(operands: _Operands, place: int) -> Argument:
    column = operands.short[place]
    return _constant(operands.constants[place], operands.rows.size) if column is None else _one_each(column.values)


def _one_each(values: pa.Array) -> Argument:
    """Return an argument with one value per row, or per item."""
    data = _numbers(values)
    return Objects(_column.to_python(values)) if data is None else Scalars(data)


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, pa.Scalar) and not value.is_valid)


def _constant(value: Any, n_rows: int) -> Argument:
    if isinstance(value, pa.Scalar) and value.is_valid and _arrow.is_temporal(value.type):
        times = _numbers(pa.repeat(value, 1))
        if times is not None:
            return Scalars(np.broadcast_to(times, n_rows).copy())
    plain = value.as_py() if isinstance(value, pa.Scalar) else value
    if isinstance(plain, (bool, int, float)) and not (isinstance(plain, int) and abs(plain) >= 2**63):
        return Scalars(np.full(n_rows, plain))
    return Objects([plain] * n_rows)


# --------------------------------------------------------------------------------------------------- the operations


def map_rows(
    function: Callable[..., Any],
    columns: Sequence[Operand],
    type: pa.DataType | None,
    axis: Any,
    skip_nulls: bool,
    operation: str = "map_rows",
) -> Column:
    """Call a function once per row that is valid in every column; other rows are null."""
    if _has_dims_below(columns, axis, operation):
        return _map_nested(function, columns, type, axis, skip_nulls, operation)
    operands, _ = _gather(columns, axis, operation)
    long = [one for one in operands.long if one is not None]
    if skip_nulls:
        keeps_none = len(long) == 1 and not _has_views(long[0].values)  # the lists of one column hold None
        arguments = _arguments(operands, None if keeps_none else _kept(operands))
    else:
        flags = or_all(_known(long), int(operands.offsets[-1]))
        flags.flags.writeable = False
        arguments = [*_arguments(operands), Rows(flags, operands.offsets)]
    n_rows = operands.rows.size
    result = call_each(function, arguments, operands.valid, n_rows, type, operation, name=_names(operands.rows))
    return _under(operands.rows.dims, result)


def _names(shape: JaggedShape, what: str = "row") -> Callable[[int], str]:
    """Return a function from the number of an item of a shape to its name in an error message."""
    return partial(row_name, shape, shape.ndim, what=what) if shape.ndim else f"{what} {{}}".format


def _under(outer: tuple[Any, ...], result: pa.Array) -> Column:
    """Return the column of results below the outer dims; results that are lists add dims."""
    found = _column.from_arrow(result)
    return Column(JaggedShape._trusted((*outer, *found.shape.dims[1:])), found.values)


def _has_dims_below(columns: Sequence[Operand], axis: Any, operation: str) -> bool:
    ndim = max((column.ndim for column in columns if isinstance(column, Column)), default=0)
    return ndim > 0 and _axes.normalize_axes(axis, ndim, operation)[-1] != ndim - 1


def _map_nested(
    function: Callable[..., Any],
    columns: Sequence[Operand],
    type: pa.DataType | None,
    axis: Any,
    skip_nulls: bool,
    operation: str,
) -> Column:
    """Call a function with the nested lists of one column; without `skip_nulls` also with flags of those that are not null."""
    column = columns[0]
    if len(columns) > 1 or not isinstance(column, Column):
        raise JagTypeError(f"{operation}: several arrays need the last axis, got axis {axis}")
    place = _axes.normalize_axes(axis, column.ndim, operation)[0]
    rows, outer = _column.to_arrow(along_axis.items_as_rows(column, place)), column.shape[:place]
    arguments: list[Argument] = [Lists(_column.to_python(rows))]
    if not skip_nulls:
        below = column.shape.dims[place + 1]
        flags = np.ones(len(below), np.bool_) if below.validity is None else below.validity.copy()
        flags.flags.writeable = False
        arguments.append(Rows(flags, column.shape.dims[place].offsets))
    result = call_each(function, arguments, _arrow.valid_of(rows), len(rows), type, operation, name=_names(outer))
    return _under(outer.dims, result)


def map_rows_type(column: Column, type: pa.DataType, axis: Any) -> Column:
    """Return an empty column of the type that `map_rows` returns."""
    place = _axes.normalize_axes(axis, column.ndim, "map_rows")[0]
    found = _column.from_arrow(pa.nulls(0, type))
    if place == 0:
        return _column.empty(found.type, found.ndim - 1 if found.ndim > 1 else 1)
    return _column.empty(found.type, place + found.ndim - 1, (*column.shape.extents[:place], *found.shape.extents[1:]))


def map_items(function: Callable[..., Any], columns: Sequence[Operand], type: pa.DataType | None) -> Column:
    """Call a function once per item that is valid in every column; other items are null."""
    columns = [_decoded(one) if isinstance(one, Column) else one for one in columns]
    plain = [one for one in columns if isinstance(one, Column)]
    if not plain:
        raise JagTypeError("map_items needs at least one array")
    aligned = structure.align(plain, "map_items")
    shape, arrays = aligned[0].shape, iter(aligned)
    arguments: list[Argument] = []
    valid: BoolArray | None = None
    for one in columns:
        if isinstance(one, Column):
            values = next(arrays).values
            arguments.append(_one_each(values))
            valid = both_valid(valid, _arrow.valid_of(values))
        else:
            arguments.append(_constant(one, shape.size))
            valid = zeros(shape.size, np.bool_) if _is_null(one) else valid
    result = call_each(function, arguments, valid, shape.size, type, "map_items", name=_names(shape, "item"))
    return _under(shape.dims, result)


# --------------------------------------------------------------------------------------------------- item by item

_FOLD = """
def folded({parameters}{bounds}):
    state = start
    for j in range({span}):
        if {is_known}:
            state = function(state, {items})
    return state
"""

_SCAN = """
def scanned({parameters}{bounds}, out):
    state = start
    for j in range({span}):
        if {is_known}:
            state = function(state, {items})
            out[j] = state
        else:
            out[j] = 0
"""

_SCAN_INTERPRETED = """
def scanned({parameters}):
    state = start
    out = []
    for j in range({span}):
        if {is_known}:
            state = function(state, {items})
            out.append(state)
    return states(out)
"""


def _states(found: list[Any]) -> Any:
    """Convert the states of a row to an array if all are numbers or times, as results are; otherwise return the list."""
    if {type(state) for state in found} in ({float}, {np.float64}, {np.int64}):
        return np.array(found)
    found = [unwrapped(state) for state in found]
    rows = next((state for state in found if isinstance(state, (np.ndarray, list, tuple))), None)
    if rows is not None:
        raise JagTypeError(
            f"scan: a state is one value per item, got {type(rows).__name__}; use map_rows for a function of whole rows"
        )
    type_of_all = result_type(found)
    if type_of_all is None or any(state is None for state in found):
        return found
    if not _arrow.is_numeric(type_of_all):
        return np.array(found)  # all states are times
    try:
        return np.array(found, numpy_dtype(type_of_all))
    except OverflowError as error:
        raise JagTypeError(f"scan: the function's results can't be converted to {type_of_all}: {error}") from None


def _form(name: str, arguments: Sequence[Argument], is_guarded: bool) -> Form:
    """Generate the loop over the items of one row for arguments of given kinds, the last of which is the first state.

    The argument before it of a guarded loop flags the items that the function is called for.
    """
    *items_of, _ = arguments
    names = [f"a{place}" for place in range(len(items_of))]
    scope: dict[str, Any] = {"np": np, "states": _states}
    items = []
    for place, argument in enumerate(items_of):
        if isinstance(argument, Records):
            scope[f"Item{place}"] = argument.type
            items.append(f"Item{place}({', '.join(f'a{place}.{field}[j]' for field in argument.type._fields)})")
        else:
            items.append(f"a{place}[j]" if isinstance(argument, (Rows, Lists)) else f"a{place}")
    rows = [
        f"{name}.{argument.type._fields[0]}" if isinstance(argument, Records) else name
        for name, argument in zip(names, items_of, strict=True)
        if isinstance(argument, (Rows, Records, Lists))
    ]
    is_known = f"{names[-1]}[j]" if is_guarded else "True"
    called = items[:-1] if is_guarded else items
    facts = {"parameters": ", ".join([*names, "start"]), "items": ", ".join(called), "is_known": is_known}
    # Unsigned: for a signed position numba looks whether it counts from the end, item by item.
    whole, of_columns = (
        {"bounds": "", "span": f"len({rows[0]})"},
        {"bounds": ", begin, end", "span": "np.uint64(begin), np.uint64(end)"},
    )

    def maker(source: str, span: dict[str, str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(function: Callable[..., Any]) -> Callable[..., Any]:
            local = scope | {"function": function}
            exec(source.format(**facts, **span), local)  # noqa: S102  # text of this module: numba compiles functions, not trees
            made: Callable[..., Any] = local["folded" if source is _FOLD else "scanned"]
            return made

        return make

    compiled, interpreted = (_SCAN, _SCAN_INTERPRETED) if name == "scan" else (_FOLD, _FOLD)
    key = f"{name} {facts['items']} if {is_known}"
    item = maker(_FOLD, of_columns) if name == "scan" else None
    guard = len(items_of) - 1 if is_guarded else None
    return Form(key, maker(interpreted, whole), maker(compiled, of_columns), item, guard, takes_bounds=True, arity=1 + len(called))


def _starting(start: Any, n_rows: int) -> Argument:
    """Return the first state of each row."""
    if isinstance(start, Column):
        return _one_each(start.values)
    first = _constant(start, n_rows)
    return Copies(first.rows[0]) if isinstance(first, Objects) and len(first.rows) else first


def _call_on_items(
    name: str,
    function: Callable[..., Any],
    states: Argument,
    operands: _Operands,
    known: BoolArray | None,
    live: BoolArray | None,
    type: pa.DataType | None,
) -> pa.Array:
    """Call a function of a state and one item of each operand along the live rows, at the known items."""
    arguments = _arguments(operands)
    if known is not None:
        arguments.append(Rows(known, operands.offsets))
    arguments.append(states)
    form = _form(name, arguments, known is not None)
    return call_each(function, arguments, live, operands.rows.size, type, name, form, name=_names(operands.rows))


def fold(
    function: Callable[..., Any], start: Operand | Any, columns: Sequence[Operand], type: pa.DataType | None, axis: Any
) -> Column:
    """Fold the items along an axis into a state, beginning with `start`; null items are skipped, an empty row gives `start`."""
    operands, start = _gather(columns, axis, "fold", start)
    states = _starting(start, operands.rows.size)
    result = _call_on_items("fold", function, states, operands, _known(operands.long), operands.valid, type)
    return _under(operands.rows.dims, result)


def fold_type(column: Column, type: pa.DataType, axis: Any) -> Column:
    """Return a column without valid items, of the type that `fold` returns."""
    rows = _axes.rows_along(column, _axes.normalize_axes(axis, column.ndim, "fold")).shape[:-1]
    return Column(rows, pa.nulls(rows.size, type))


def scan(function: Callable[..., Any], start: Operand | Any, columns: Sequence[Operand], type: pa.DataType | None) -> Column:
    """Return the state after each item; null items are skipped and stay null."""
    operands, start = _gather(columns, -1, "scan", start)
    states = _starting(start, operands.rows.size)
    known = _known(operands.long)
    live = both_valid(unless_all(_has_known(operands, known)), operands.valid)
    lists = None if type is None else pa.large_list(type)
    found = _column.from_arrow(_call_on_items("scan", function, states, operands, known, live, lists))
    return _at_slots(operands, found.values if found.ndim > 1 else found.values[:0], known)  # of one dim if no row has a valid item


def _has_known(operands: _Operands, known: BoolArray | None) -> BoolArray:
    """Return whether each row has a known item."""
    counts = _n_known(operands)
    if counts is not None:
        return counts > 0
    offsets = operands.offsets if known is None else filter_rows(known, operands.offsets)
    return offsets[1:] > offsets[:-1]


def _at_slots(operands: _Operands, states: pa.Array, known: BoolArray | None) -> Column:
    """Put states at the slots whose items are known, in rows that are valid in every operand; the others are null."""
    dim = next(column for column in operands.long if column is not None).shape.dims[-1]
    n_items = int(operands.offsets[-1])
    there = known
    if operands.valid is not None and operands.valid is not dim.validity:  # rows of items are null in a shorter operand
        there = both_valid(there, operands.valid.repeat(row_sizes(operands.offsets)))
    if there is not None:
        states = _placed(states, there)
    elif len(states) == 0:
        states = pa.nulls(n_items, states.type)
    return Column(JaggedShape._trusted((*operands.rows.dims, dim)), states)


def _placed(states: pa.Array, there: BoolArray) -> pa.Array:
    """Put states at the slots whose flags are set; the others are null. A compiled loop has written them there."""
    if len(states) == 0:
        return pa.nulls(len(there), states.type)
    type = states.type
    if (pt.is_boolean(type) or pt.is_integer(type) or pt.is_floating(type)) and states.null_count == 0:
        data = _arrow.to_numpy(states)[0]
        if len(data) < len(there):
            placed = zeros(len(there), data.dtype)
            placed[there] = data
            data = placed
        return _arrow.from_numpy(data, there, type)
    index = np.arange(len(there))
    if len(states) < len(there):
        index[there] = np.arange(len(states))
    return gather.take(states, index, there)
