"""Operators on large numeric columns: numpy on blocks of values, on all cores.

An operand with fewer dims is broadcast per block, at a third of the cost of broadcasting it as a whole. Functions return None if
they don't apply (few values, other types, nulls that need care); the caller then falls back to pyarrow.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._arrow import counts_type, is_numeric, is_temporal
from arrowjag._column import Column
from arrowjag._kernels import strategy
from arrowjag._kernels.base.fill import (
    Source,
    choose_at_once,
    chooser_by_bits,
    chooses_at_once,
    fill,
    fill_bits,
    light_block,
    spread_flags,
)
from arrowjag._kernels.base.words import is_variable_size, unpack_bits, without_validity
from arrowjag._kernels.elementwise import arithmetic, comparison, halves, text_loops
from arrowjag._kernels.elementwise.times import TICKS
from arrowjag._kernels.move import copy_runs
from arrowjag._kernels.move.copy_runs import RunSource
from arrowjag._kernels.reduce.segments import without_signed_zeros
from arrowjag._ops import structure
from arrowjag._ops.elementwise.framework import Datum, Operand, bits_of, cast_datum, columns_of, flat_data, validity_of, with_data
from arrowjag._ops.elementwise.types import promote
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.shape import JaggedShape

__all__ = ["binary", "choose", "counted", "map_pairs", "map_values"]


class _Rule(NamedTuple):
    """The block kernel of an operator, and the operands that it accepts."""

    function: Callable[..., Any]
    takes: Callable[[Operand, Operand], bool]
    fewest: str = "ARITHMETIC_VALUES"
    """Name of the smallest size for which blocks are used."""
    is_flag: bool = False
    is_float: bool = False
    is_division: bool = False
    """Whether floats have kernels of their own."""
    is_light: bool = False
    """Whether it runs at the speed of memory, with a compiled loop at least."""
    by_number: Callable[..., Any] | None = None
    """The kernel where the second operand is one number for all items."""


def _any_pair(one: Operand, two: Operand) -> bool:
    del one, two
    return True


def _same_type(one: Operand, two: Operand) -> bool:
    return bool(one.type == two.type)


def _same_float_or_by_number(one: Operand, two: Operand) -> bool:
    """Accept floats, or a positive scalar: an array of integers may hold zero divisors or negative exponents."""
    return one.type == two.type and bool(pt.is_floating(one.type) or (isinstance(two, pa.Scalar) and two.as_py() > 0))


def _same_integers(one: Operand, two: Operand) -> bool:
    return bool(one.type == two.type and pt.is_integer(one.type))


def _integers_by_bits(one: Operand, two: Operand) -> bool:
    """Accept integers of more than a byte, which numpy shifts with SIMD instructions, and a shift by fewer bits than they have."""
    if not (_same_integers(one, two) and isinstance(two, pa.Scalar) and two.type.bit_width > 8):
        return False
    return bool(0 <= two.as_py() < two.type.bit_width - pt.is_signed_integer(two.type))


_RULES: dict[str, _Rule] = {
    "add": _Rule(np.add, _same_type, is_light=True),
    "subtract": _Rule(np.subtract, _same_type, is_light=True),
    "multiply": _Rule(np.multiply, _same_type, is_light=True),
    "divide": _Rule(np.divide, _any_pair, "ONE_PASS_VALUES", is_float=True),
    "floor_divide": _Rule(np.floor_divide, _same_float_or_by_number, "CALL_VALUES", is_division=True, is_light=True),
    "remainder": _Rule(
        np.remainder,
        _same_float_or_by_number,
        "CALL_VALUES",
        is_division=True,
        is_light=True,
        by_number=arithmetic.remainder_by_number,
    ),
    "power": _Rule(
        arithmetic.power,
        _same_float_or_by_number,
        "ONE_PASS_VALUES",
        by_number=lambda bases, exponents, out: arithmetic.power(bases, exponents[0], out),
    ),
    "and": _Rule(np.bitwise_and, _same_integers, "CALL_VALUES", is_light=True),
    "or": _Rule(np.bitwise_or, _same_integers, "CALL_VALUES", is_light=True),
    "xor": _Rule(np.bitwise_xor, _same_integers, "CALL_VALUES", is_light=True),
    "left_shift": _Rule(np.left_shift, _integers_by_bits, "CALL_VALUES", is_light=True),
    "right_shift": _Rule(np.right_shift, _integers_by_bits, "CALL_VALUES", is_light=True),
    "equal": _Rule(np.equal, _any_pair, "ONE_PASS_VALUES", is_flag=True),
    "not_equal": _Rule(np.not_equal, _any_pair, "ONE_PASS_VALUES", is_flag=True),
    "less": _Rule(np.less, _any_pair, "ONE_PASS_VALUES", is_flag=True),
    "less_equal": _Rule(np.less_equal, _any_pair, "ONE_PASS_VALUES", is_flag=True),
    "greater": _Rule(np.greater, _any_pair, "ONE_PASS_VALUES", is_flag=True),
    "greater_equal": _Rule(np.greater_equal, _any_pair, "ONE_PASS_VALUES", is_flag=True),
}


def binary(name: str, operands: Sequence[Operand]) -> Column | None:
    """Apply a binary operator; None if it can't run on blocks."""
    rule = _RULES.get(name)
    columns = columns_of(operands)
    if rule is None:
        return None
    size = max([column.shape.size for column in columns], default=0)
    if strategy.choose("arithmetic", size, _fewest(rule, columns)) == "whole":
        return None
    if rule.takes is _same_float_or_by_number:
        operands = _in_one_type(name, operands)
        columns = columns_of(operands)
    if rule.is_flag:
        operands = _as_counts(*operands)
        columns = columns_of(operands)
    if not (all(map(_is_plain, operands)) and _agree_on_halves(*operands) and rule.takes(*operands)):
        return None
    block = strategy.sizes.PASS_VALUES
    met = structure.meet(columns, name)
    shape = structure.merge_extents([side.shape for side in met], name)
    met = [side if side.shape.ndim == shape.ndim else side.settled() for side in met]
    sides = iter(met)
    left, right = (_source(next(sides) if isinstance(operand, Column) else operand, shape) for operand in operands)
    bits = _joint_bits(met, shape)
    if rule.is_flag:
        flags = _flags(rule.function, left, right, shape.size, block)
        return Column(shape, _array(pa.bool_(), shape.size, bits, flags))
    kind = np.result_type(left.data, right.data)
    kind = np.dtype(np.float64) if rule.is_float and kind.kind != "f" else kind
    function = _function(name, kind, shape.size, isinstance(operands[1], pa.Scalar))
    is_light = rule.is_light or (name == "power" and isinstance(operands[1], pa.Scalar) and operands[1].as_py() == 2)  # a product
    if is_light and kind != np.float16:  # temporaries of float16 are float32 and need three times as much memory
        block = _light_block(shape.size, kind.itemsize, left, right)
    is_ufunc = isinstance(function, np.ufunc)

    def work(items: slice, out: npt.NDArray[Any]) -> None:
        spread_to = out if is_ufunc else None  # a ufunc may overwrite an operand; at most one is broadcast
        function(left.part(items, spread_to), right.part(items, spread_to), out)

    data = fill(work, shape.size, kind, block)
    return Column(shape, _array(pa.from_numpy_dtype(kind), shape.size, bits, data))


def _function(name: str, kind: np.dtype[Any], n: int, is_by_number: bool) -> Callable[..., Any]:
    """Return the kernel of an operator for blocks of a type; it takes both operands and the array to write to."""
    rule = _RULES[name]
    if kind == np.float16:
        return halves.in_singles(_function(name, np.dtype(np.float32), n, is_by_number), n)
    if rule.is_division and kind.kind == "f":
        return arithmetic.division(name, kind, n)
    return rule.by_number if rule.by_number is not None and is_by_number else rule.function


def _fewest(rule: _Rule, columns: Sequence[Column]) -> str:
    """Name the smallest size for which blocks are used; it is smaller for 64-bit integers, for which pyarrow takes longer."""
    is_long = bool(columns) and pt.is_integer(columns[0].type) and columns[0].type.bit_width == 64
    return "ONE_PASS_VALUES" if is_long and rule.fewest == "ARITHMETIC_VALUES" else rule.fewest


def _in_one_type(name: str, operands: Sequence[Operand]) -> Sequence[Operand]:
    """Cast booleans and numbers to their common type; operands of other types, or that do not fit it, stay as they are."""
    types = [operand.type for operand in operands]
    if types[0] == types[1] or not all(map(is_numeric, types)):
        return operands
    type = promote(types, name)
    try:
        return [
            Column(operand.shape, cast_datum(operand.values, type)) if isinstance(operand, Column) else cast_datum(operand, type)
            for operand in operands
        ]
    except pa.ArrowInvalid:
        return operands


def _as_counts(one: Operand, two: Operand) -> Sequence[Operand]:
    """View dates, times and durations of one unit as integers, whose order they have; other operands stay as they are."""
    unit = one.type if isinstance(one, Column) else two.type
    if not is_temporal(unit):
        return one, two
    left, right = counted(one, unit), counted(two, unit)
    return (one, two) if left is None or right is None else (left, right)


def counted(side: Operand, type: pa.DataType) -> Operand | None:
    """Return times as the integers that store them in a type; None for another kind, and for a column of another unit.

    A scalar of another unit is converted, and is None if it has a fraction of the unit.
    """
    stored = counts_type(type)
    if side.type.id != type.id and not (pt.is_time(side.type) and pt.is_time(type)):
        return None
    if pt.is_timestamp(type) and bool(side.type.tz) != bool(type.tz):
        return None
    if isinstance(side, Column):
        same = getattr(side.type, "unit", None) == getattr(type, "unit", None)
        return Column(side.shape, side.values.view(stored)) if same else None
    if not side.is_valid:
        return None
    count, rest = (side.value, 0) if pt.is_date(type) else divmod(side.value * TICKS[type.unit], TICKS[side.type.unit])
    limits = np.iinfo(numpy_dtype(stored))
    return pa.scalar(count, stored) if not rest and limits.min <= count <= limits.max else None


def _light_block(n: int, itemsize: int, *operands: Source | RunSource) -> int:
    """Return the block size of work at the speed of memory; at most PASS_VALUES if operands are copied run by run.

    Broadcasting to short rows is slower than memory: 1M items in rows of ten times one number each take 0.7 ms, on two cores 0.5.
    """
    is_slow = n >= strategy.sizes.ARITHMETIC_VALUES and any(_has_short_rows(one, n) for one in operands)
    return strategy.sizes.PASS_VALUES if is_slow or _copies_runs(*operands) else light_block(n, itemsize)


def _has_short_rows(operand: Source | RunSource, n: int) -> bool:
    """Return whether an operand is broadcast to rows of few items: the overhead of a row is more than that of its items."""
    if isinstance(operand, RunSource) or operand.offsets is None:
        return False
    return n <= strategy.sizes.LIGHT_ROW * (len(operand.offsets) - 1)


def _copies_runs(*operands: Source | RunSource) -> bool:
    return any(isinstance(one, RunSource) for one in operands)


def _flags(
    function: Callable[..., Any], left: Source | RunSource, right: Source | RunSource, n: int, block: int
) -> npt.NDArray[np.uint8]:
    """Compare operands, and return bits. Rows are spread in blocks; pairs and comparisons with one number have a kernel."""
    are_flat = all(isinstance(side, Source) and side.offsets is None for side in (left, right))
    if left.data.dtype == np.float16:
        function = halves.in_singles(function, n)
    elif are_flat and len(left.data) == n and len(right.data) in (1, n):
        return comparison.compare(function, left.data, right.data)
    return fill_bits(lambda items: function(left.part(items), right.part(items)), n, block)


def _array(type: pa.DataType, n: int, bits: pa.Buffer | None, data: npt.NDArray[Any]) -> pa.Array:
    return pa.Array.from_buffers(type, n, [bits, pa.py_buffer(data)])


def _is_plain(operand: Operand) -> bool:
    """Return whether an operand holds integers or floats; False for a null scalar."""
    plain = bool(pt.is_integer(operand.type) or pt.is_floating(operand.type))
    return plain and (operand.ndim > 0 if isinstance(operand, Column) else operand.is_valid)


def _agree_on_halves(one: Operand, two: Operand) -> bool:
    """Return whether both operands hold float16 or none does: numpy takes other types than Arrow for float16 beside integers."""
    return bool(pt.is_float16(one.type) == pt.is_float16(two.type))


def _source(operand: structure.Met | pa.Scalar, shape: JaggedShape) -> Source | RunSource:
    if not isinstance(operand, structure.Met):
        return Source(np.array([operand.as_py()], numpy_dtype(operand.type)))
    data = flat_data(operand.whole.values)
    if operand.layout is not None:
        return RunSource(data, operand.layout)
    if operand.shape.ndim == shape.ndim:
        return Source(data)
    dim = shape.composed(operand.shape.ndim, shape.ndim)
    return Source(data, dim.offsets, dim._parents_if_cheaper())


def _joint_bits(operands: Sequence[structure.Met], shape: JaggedShape) -> pa.Buffer | None:
    """Validity bitmap of the items that are valid in all operands; None if all items are."""
    known = [_bits_within(operand, shape) for operand in operands if operand.whole.values.null_count]
    if len(known) < 2:
        return known[0] if known else None
    return bits_of(functools.reduce(pc.and_, [_array(pa.bool_(), shape.size, None, bits) for bits in known]))


def _bits_within(operand: structure.Met, shape: JaggedShape) -> pa.Buffer:
    """Validity bitmap of an operand, broadcast to a shape."""
    values = operand.whole.values
    bits = validity_of(values)
    if operand.layout is not None:
        return copy_runs.copy_flags(unpack_bits(bits, 0, len(values)), operand.layout)
    if operand.shape.ndim < shape.ndim:
        below = shape.composed(operand.shape.ndim, shape.ndim)
        return pa.py_buffer(spread_flags(unpack_bits(bits, 0, len(values)), below.offsets))
    return bits


_SIGNS = frozenset({np.negative, np.absolute})
"""Functions at the speed of memory of floats and integers; integers wrap around, as pyarrow's do."""


def map_values(function: np.ufunc, array: pa.Array) -> pa.Array | None:
    """Apply a unary ufunc to booleans, integers or floats, also under nulls; None if it can't run on blocks."""
    type = array.type
    if not (pt.is_integer(type) or pt.is_floating(type) or pt.is_boolean(type)):
        return None
    if strategy.choose("function", len(array)) == "whole":
        return None
    data = unpack_bits(array.buffers()[1], array.offset, len(array)) if pt.is_boolean(type) else flat_data(array)
    try:
        kind = function(data[:0]).dtype
    except TypeError:
        return None
    if pt.is_float16(type):
        numbers: npt.NDArray[np.float16] = data.view(np.float16)
        if function is np.isnan:
            return with_data(array, halves.is_nan(numbers), pa.bool_())
        if (changed := halves.by_bits(function, numbers)) is not None:
            return with_data(array, changed, type)
    is_whole = kind == data.dtype and pt.is_integer(type)
    if not is_whole and (data.itemsize == 1 or pt.is_float16(type)):
        return None if kind.kind not in "iufb" else _by_table(function, array, data)
    if kind == np.bool_:
        return with_data(array, comparison.flags(function, data), pa.bool_())
    if not (is_whole or kind.kind == "f"):
        return None
    into = arithmetic.square_root(kind, len(data)) if function is np.sqrt else function
    # Compiled roots of float32 run at the speed of memory.
    is_light = is_whole or function in _SIGNS or (into is not function and kind.itemsize == 4)
    block = light_block(len(data), kind.itemsize) if is_light else strategy.sizes.PASS_VALUES
    found = fill(lambda items, out: into(data[items].astype(kind, copy=False), out), len(data), kind, block)
    return with_data(array, found, pa.from_numpy_dtype(kind))


def map_pairs(function: np.ufunc, one: npt.NDArray[Any], two: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Apply a binary ufunc to flat arrays of numbers, of which one may hold a single item; None if it can't run on blocks."""
    n = max(len(one), len(two))
    if strategy.choose("function", n) == "whole" or {one.dtype.kind, two.dtype.kind} - set("iuf"):
        return None
    kind = function(one[:0], two[:0]).dtype
    if kind.kind not in "iuf":
        return None

    def write(items: slice, out: npt.NDArray[Any]) -> None:
        function(*(data if len(data) == 1 else data[items] for data in (one, two)), out=out)
        if function in EXTREMES:
            without_signed_zeros(out)

    return fill(write, n, kind, light_block(n, kind.itemsize) if function in EXTREMES else strategy.sizes.PASS_VALUES)


EXTREMES = frozenset({np.maximum, np.minimum, np.fmax, np.fmin})
"""Functions at the speed of memory that return one of two items. Of 0.0 and -0.0 numpy returns either."""


def _by_table(function: np.ufunc, array: pa.Array, data: npt.NDArray[Any]) -> pa.Array:
    """Look up the results of booleans and items of one byte or of float16, of which there are at most 256 or 65,536."""
    words = np.dtype(f"u{data.itemsize}")
    keys = np.arange(2 if data.dtype == np.bool_ else 1 << 8 * data.itemsize, dtype=words)
    with np.errstate(all="ignore"):
        table = function(keys.view(data.dtype))
    codes = data.view(words)
    if table.dtype == np.bool_:
        return with_data(array, fill_bits(lambda items: table.take(codes[items]), len(codes)), pa.bool_())
    block = light_block(len(codes), table.itemsize)
    found = fill(lambda items, out: table.take(codes[items], out=out, mode="clip"), len(codes), table.dtype, block)
    return with_data(array, found, pa.from_numpy_dtype(table.dtype))


_WIDTHS = frozenset({8, 16, 32, 64})


def choose(flags: Datum, one: Datum | structure.Met, two: Datum | structure.Met) -> pa.Array | None:
    """Select `one` where flags are true and `two` where they are false; null where they are null.

    Returns None if it can't run on blocks.
    """
    type = one.type
    if not isinstance(flags, pa.Array) or isinstance(type, pa.BaseExtensionType):
        return None
    if is_variable_size(type):
        return _choose_texts(flags, one, two)
    if not pt.is_primitive(type) or pt.is_boolean(type) or type.bit_width not in _WIDTHS:
        return None
    if strategy.choose("if_else", len(flags)) == "whole":
        return None
    words = np.dtype(f"i{type.bit_width // 8}")
    left, right = _words(one, words), _words(two, words)
    bits = flags.buffers()[1]
    if isinstance(left, Source) and isinstance(right, Source) and chooses_at_once(words, len(flags)):
        return _array(type, len(flags), _chosen_bits(flags, one, two), choose_at_once(flags, left.data, right.data))
    choose_items = chooser_by_bits(words, len(flags))

    def work(items: slice, out: npt.NDArray[Any]) -> None:
        choose_items(bits, flags.offset + items.start, left.part(items), right.part(items), out)

    block = _light_block(len(flags), words.itemsize, left, right)
    if block == strategy.sizes.PASS_VALUES and not _copies_runs(left, right):  # each of whose blocks costs a few more calls
        block //= 2
    data = fill(work, len(flags), words, block)
    return _array(type, len(flags), _chosen_bits(flags, one, two), data)


def _choose_texts(flags: pa.Array, one: Datum | structure.Met, two: Datum | structure.Met) -> pa.Array | None:
    """Select texts; rows whose copy is deferred are left to the caller."""
    n = len(flags)
    if isinstance(one, structure.Met) or isinstance(two, structure.Met) or strategy.choose("if_else", n) == "whole":
        return None
    known = _chosen_bits(flags, one, two)
    chosen = unpack_bits(flags.buffers()[1], flags.offset, n)
    return text_loops.chosen(chosen, None if known is None else unpack_bits(known, 0, n), one, two)


def _words(side: Datum | structure.Met, words: np.dtype[Any]) -> Source | RunSource:
    """View fixed-width values as integers of the same width."""
    if isinstance(side, structure.Met):
        source = _words(side.whole.values, words)
        return source if side.layout is None else copy_runs.run_source(source.data, side.layout)
    array = side
    if isinstance(side, pa.Scalar):
        array = pa.repeat(side, 1) if side.is_valid else pa.nulls(1, side.type)
    bits = array.buffers()[1]
    return Source(np.frombuffer(bits, words, len(array), array.offset * words.itemsize) if bits else np.zeros(len(array), words))


def _chosen_bits(flags: pa.Array, one: Datum | structure.Met, two: Datum | structure.Met) -> pa.Buffer | None:
    """Validity bitmap of `choose`: the flag and the selected value are both valid."""
    sides = [_valid(side) for side in (one, two)]
    whole = all(isinstance(side, pa.Scalar) and side.as_py() for side in sides)
    if whole and flags.null_count == 0:
        return None
    if whole:
        return bits_of(flags.is_valid())
    found = _selected(without_validity(flags), *sides)
    return bits_of(pc.and_(found, flags.is_valid()) if flags.null_count else found)


def _selected(flags: pa.Array, one: pa.Array | pa.Scalar, two: pa.Array | pa.Scalar) -> pa.Array:
    """Select booleans without nulls, 64 at a time; pyarrow's `if_else` takes four times as long."""
    if isinstance(one, pa.Scalar):
        return pc.or_(flags, two) if one.as_py() else pc.and_not(two, flags)
    if isinstance(two, pa.Scalar):
        return pc.or_(pc.invert(flags), one) if two.as_py() else pc.and_(flags, one)
    return pc.or_(pc.and_(flags, one), pc.and_not(two, flags))


def _valid(side: Datum | structure.Met) -> pa.Array | pa.Scalar:
    """Return the validity of an operand as booleans; a scalar if all values are valid or all are null."""
    if isinstance(side, structure.Met) and side.layout is not None:
        bits = copy_runs.copy_validity(side.whole.values, side.layout)
        return pa.scalar(True) if bits is None else _array(pa.bool_(), side.layout.size, None, bits)
    datum = side.whole.values if isinstance(side, structure.Met) else side
    if isinstance(datum, pa.Scalar):
        return pa.scalar(datum.is_valid)
    return datum.is_valid() if datum.null_count else pa.scalar(True)
