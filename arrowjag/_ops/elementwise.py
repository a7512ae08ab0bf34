"""Element by element: type promotion, arithmetic, comparison, logic, ufuncs, where and coalesce.

Operands are columns or Arrow scalars. Columns are aligned by the prefix rule first; what computes is a pyarrow kernel on
flat values, or numpy where pyarrow has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels import gather
from arrowjag._ops import select, structure
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray

__all__ = [
    "BINARY",
    "UNARY",
    "Operand",
    "apply",
    "binary",
    "cast",
    "coalesce",
    "fill_null",
    "promote",
    "scalar_like",
    "ufunc",
    "unary",
    "where",
]

Operand: TypeAlias = "Column | pa.Scalar"
Rows: TypeAlias = "Sequence[BoolArray | None]"
Datum: TypeAlias = "pa.Array | pa.Scalar"


# --------------------------------------------------------------------------------------------------- types


def promote(types: Sequence[pa.DataType], operation: str) -> pa.DataType:
    """The type that holds the values of all: numpy's `result_type` for numbers, the wider text, the finer time unit."""
    distinct = list(dict.fromkeys(_plain(one) for one in types if not pt.is_null(one)))
    if not distinct:
        return pa.null()
    result = distinct[0]
    for other in distinct[1:]:
        result = _promote_pair(result, other, operation)
    return result


def _plain(type: pa.DataType) -> pa.DataType:
    return type.value_type if pt.is_dictionary(type) else type


def _promote_pair(one: pa.DataType, two: pa.DataType, operation: str) -> pa.DataType:
    if _arrow.is_numeric(one) and _arrow.is_numeric(two):
        return pa.from_numpy_dtype(np.result_type(one.to_pandas_dtype(), two.to_pandas_dtype()))
    if pt.is_decimal(one) or pt.is_decimal(two):
        return _promote_decimal(one, two, operation)
    for family, wide in _FAMILIES:
        if family(one) and family(two):
            return wide(one, two)
    if pt.is_struct(one) and pt.is_struct(two) and [f.name for f in one] == [f.name for f in two]:
        return pa.struct([pa.field(a.name, promote([a.type, b.type], operation)) for a, b in zip(one, two, strict=True)])
    try:
        return pa.concat_arrays([pa.nulls(0, one), pa.nulls(0, two)]).type if one == two else _by_concat(one, two)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise JagTypeError(f"{operation}: {one} and {two} have no common type. Cast one of them first.") from None


def _by_concat(one: pa.DataType, two: pa.DataType) -> pa.DataType:
    schemas = [pa.schema([("x", one)]), pa.schema([("x", two)])]
    return pa.unify_schemas(schemas, promote_options="permissive").field("x").type


def _promote_decimal(one: pa.DataType, two: pa.DataType, operation: str) -> pa.DataType:
    if pt.is_floating(one) or pt.is_floating(two):
        return pa.float64()
    if pt.is_integer(one) or pt.is_integer(two) or (pt.is_decimal(one) and pt.is_decimal(two)):
        scales = [t.scale if pt.is_decimal(t) else 0 for t in (one, two)]
        whole = [t.precision - t.scale if pt.is_decimal(t) else 19 for t in (one, two)]
        precision = max(whole) + max(scales)
        return pa.decimal128(precision, max(scales)) if precision <= 38 else pa.decimal256(min(precision, 76), max(scales))
    raise JagTypeError(f"{operation}: {one} and {two} have no common type. Cast one of them first.")


def _is_text(type: pa.DataType) -> bool:
    return bool(pt.is_string(type) or pt.is_large_string(type) or pt.is_string_view(type))


def _is_bytes(type: pa.DataType) -> bool:
    return bool(pt.is_binary(type) or pt.is_large_binary(type) or pt.is_binary_view(type) or pt.is_fixed_size_binary(type))


_FAMILIES: list[tuple[Callable[[pa.DataType], bool], Callable[[pa.DataType, pa.DataType], pa.DataType]]] = [
    (_is_text, lambda one, two: pa.large_string()),
    (_is_bytes, lambda one, two: pa.large_binary()),
]


_WEAK_KINDS: dict[type, Callable[[pa.DataType], bool]] = {
    bool: lambda leaf: bool(_arrow.is_numeric(leaf)),
    int: lambda leaf: bool(pt.is_integer(leaf) or pt.is_floating(leaf) or pt.is_decimal(leaf)),
    float: lambda leaf: bool(pt.is_floating(leaf)),
}


def scalar_like(value: Any, leaf: pa.DataType | None, operation: str) -> pa.Scalar:
    """A Python scalar as an Arrow scalar; plain Python numbers are weak: they take the leaf's type where the kind fits.

    Raises
    ------
    JagTypeError
        If the value is no scalar.
    JagValueError
        If a Python int does not fit the integer type it meets.
    """
    if isinstance(value, pa.Scalar):
        return value
    if isinstance(value, np.generic):
        return pa.scalar(value)
    leaf = None if leaf is None or pt.is_null(leaf) else _plain(leaf)
    try:
        if leaf is None:
            return pa.scalar(value)
        if value is None or _keeps_leaf(value, leaf):
            return pa.scalar(value, leaf) if not pt.is_floating(leaf) else _float_scalar(value, leaf)
        if type(value) is float and pt.is_integer(leaf):
            return pa.scalar(value, pa.float64())
        return pa.scalar(value)
    except (OverflowError, pa.ArrowInvalid) as error:
        raise JagValueError(f"{operation}: the number {value!r} does not fit {leaf}: {error}") from None
    except (pa.ArrowTypeError, pa.ArrowNotImplementedError):
        raise JagTypeError(f"{operation}: {type(value).__name__} is neither a column nor a scalar of Arrow") from None


def _keeps_leaf(value: Any, leaf: pa.DataType) -> bool:
    fits = _WEAK_KINDS.get(type(value))
    if fits is not None:
        return fits(leaf) and not (type(value) is int and pt.is_boolean(leaf))
    if isinstance(value, str):
        return _is_text(leaf)
    return isinstance(value, bytes) and _is_bytes(leaf) and not pt.is_fixed_size_binary(leaf)


def _float_scalar(value: Any, leaf: pa.DataType) -> pa.Scalar:
    return pa.scalar(None if value is None else np.dtype(leaf.to_pandas_dtype()).type(value), leaf)


# --------------------------------------------------------------------------------------------------- framework


def columns_of(operands: Sequence[Operand]) -> list[Column]:
    """The operands that are columns."""
    return [operand for operand in operands if isinstance(operand, Column)]


def apply(function: Callable[..., Any], operands: Sequence[Operand], operation: str) -> Column:
    """Align the columns among the operands and call a function on their flat values.

    Parameters
    ----------
    function : callable
        From one datum an operand (an array of the common size, or a scalar) to an array of that size.
    operands : sequence of Column or pa.Scalar
        At least one column.
    operation : str
        The public name, for errors.

    Returns
    -------
    Column
        Of the common shape.
    """
    aligned = iter(structure.align(columns_of(operands), operation))
    data: list[Any] = []
    shape = None
    for operand in operands:
        if isinstance(operand, Column):
            column = next(aligned)
            shape = column.shape
            data.append(column.values)
        else:
            data.append(operand)
    assert shape is not None
    try:
        result = function(*data)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        types = [datum.type for datum in data if isinstance(datum, (pa.Array, pa.Scalar))]
        raise JagTypeError.no_kernel(operation, *types, hint=f"({error})") from None
    except pa.ArrowInvalid as error:
        raise JagValueError(f"{operation}: {error}") from None
    if isinstance(result, pa.Scalar):
        result = pa.repeat(result, shape.size)
    return Column(shape, _arrow.combine_chunks(result))


def cast_datum(datum: Datum, type: pa.DataType) -> Datum:
    """A datum in another type; safe, and the same object where nothing changes."""
    if pt.is_boolean(datum.type) and pt.is_float16(type):  # pyarrow has no such cast
        datum = datum.cast(pa.float32())
    return datum if datum.type == type else datum.cast(type)


def _decoded(datum: Datum) -> Datum:
    """Dictionaries and text views become plain text: few kernels know them."""
    type = datum.type
    if pt.is_dictionary(type):
        return _decoded(datum.cast(type.value_type))
    if pt.is_string_view(type):
        return datum.cast(pa.large_string())
    return datum.cast(pa.large_binary()) if pt.is_binary_view(type) else datum


def _half_to_single(datum: Datum) -> Datum:
    return datum.cast(pa.float32()) if pt.is_float16(datum.type) else datum


# --------------------------------------------------------------------------------------------------- arithmetic


def _arithmetic(name: str, kernel: str) -> Callable[[Datum, Datum], pa.Array]:
    def compute(one: Datum, two: Datum) -> pa.Array:
        one, two = _decoded(one), _decoded(two)
        if not (_computes(one.type) and _computes(two.type)):
            return _special(name, kernel, one, two)
        type = promote([one.type, two.type], name)
        if pt.is_null(type):
            type = pa.int64()
        if pt.is_boolean(type):
            return _bool_arithmetic(name, one, two)
        one, two = cast_datum(one, type), cast_datum(two, type)
        if pt.is_float16(type):
            return pc.call_function(kernel, [_half_to_single(one), _half_to_single(two)]).cast(pa.float16(), safe=False)
        return pc.call_function(kernel, [one, two])

    return compute


def _computes(type: pa.DataType) -> bool:
    return _arrow.is_numeric(type) or bool(pt.is_null(type))


def _special(name: str, kernel: str, one: Datum, two: Datum) -> pa.Array:
    """Decimals, temporals and text: pyarrow's own rules."""
    types = (one.type, two.type)
    for matches, blank in ((_is_text, ""), (_is_bytes, b"")):
        if name == "add" and all(matches(type) or pt.is_null(type) for type in types):
            type = promote(types, name)
            type = pa.large_binary() if pt.is_fixed_size_binary(type) else type
            return pc.binary_join_element_wise(one.cast(type), two.cast(type), pa.scalar(blank, type))
    if any(pt.is_decimal(type) for type in types) and any(pt.is_floating(type) for type in types):
        return pc.call_function(kernel, [one.cast(pa.float64()), two.cast(pa.float64())])
    return pc.call_function(kernel, [one, two])


def _bool_arithmetic(name: str, one: Datum, two: Datum) -> pa.Array:
    if name == "subtract":
        raise JagTypeError.no_kernel("subtract", pa.bool_(), hint="Use ^ for exclusive or, as numpy asks.")
    one, two = cast_datum(one, pa.bool_()), cast_datum(two, pa.bool_())
    return pc.or_(one, two) if name == "add" else pc.and_(one, two)


def _divide(one: Datum, two: Datum) -> pa.Array:
    """True division: always float, infinities and NaN as IEEE says."""
    one, two = _decoded(one), _decoded(two)
    if not (_computes(one.type) and _computes(two.type)):
        return _special("divide", "divide", one, two)
    type = promote([one.type, two.type], "divide")
    type = type if pt.is_floating(type) else pa.float64()
    if pt.is_float16(type):
        return pc.divide(one.cast(pa.float32()), two.cast(pa.float32())).cast(pa.float16(), safe=False)
    return pc.divide(_as_float(one, type), _as_float(two, type))


def _as_float(datum: Datum, type: pa.DataType) -> Datum:
    return datum if datum.type == type else datum.cast(type, safe=False)


def _numpy_pair(name: str, one: Datum, two: Datum) -> tuple[Any, Any, BoolArray | None, pa.DataType]:
    """Both operands as numpy data of their common type, with the joint validity."""
    type = promote([one.type, two.type], name)
    if pt.is_null(type):
        type = pa.int64()
    if not _arrow.is_numeric(type):
        raise JagTypeError.no_kernel(name, one.type, two.type)
    if pt.is_boolean(type):
        type = pa.int8()
    left, left_valid = _datum_to_numpy(cast_datum(one, type))
    right, right_valid = _datum_to_numpy(cast_datum(two, type))
    return left, right, _both(left_valid, right_valid), type


def _datum_to_numpy(datum: Datum) -> tuple[Any, Any]:
    if isinstance(datum, pa.Scalar):
        array = pa.repeat(datum, 1) if datum.is_valid else pa.nulls(1, datum.type)
        return _arrow.to_numpy(array)
    return _arrow.to_numpy(datum)


def _both(one: BoolArray | None, two: BoolArray | None) -> BoolArray | None:
    if one is None or two is None:
        return two if one is None else one
    return one & two


def _floored(name: str, function: Callable[..., Any]) -> Callable[[Datum, Datum], pa.Array]:
    """Floor division and remainder with the signs of Python; null where an integer is divided by zero."""

    def compute(one: Datum, two: Datum) -> pa.Array:
        one, two = _decoded(one), _decoded(two)
        if pt.is_decimal(one.type) or pt.is_decimal(two.type):
            return _decimal_floored(name, one, two)
        left, right, valid, type = _numpy_pair(name, one, two)
        if pt.is_integer(type):
            zero = right == 0
            if zero.any():
                valid = _both(valid, np.broadcast_to(~zero, np.broadcast_shapes(left.shape, right.shape)))
                right = np.where(zero, right.dtype.type(1), right)
        with np.errstate(all="ignore"):
            return _sized(function(left, right), valid, type)

    return compute


def _decimal_floored(name: str, one: Datum, two: Datum) -> pa.Array:
    if pt.is_floating(one.type) or pt.is_floating(two.type):
        return BINARY[name](one.cast(pa.float64()), two.cast(pa.float64()))
    type = promote([one.type, two.type], name)
    one, two = one.cast(type), two.cast(type)
    safe = pc.if_else(pc.equal(two, pa.scalar(0).cast(type)), pa.scalar(None, type), two)
    quotient = pc.floor(pc.divide(one, safe))
    return quotient if name == "floor_divide" else pc.subtract(one, pc.multiply(quotient, safe))


def _sized(data: npt.NDArray[Any], valid: BoolArray | None, type: pa.DataType | None = None) -> pa.Array:
    if valid is not None and len(valid) != len(data):
        valid = np.broadcast_to(valid, data.shape)
    return _arrow.from_numpy(np.ascontiguousarray(data), valid, type)


def _power(one: Datum, two: Datum) -> pa.Array:
    one, two = _decoded(one), _decoded(two)
    if not (_computes(one.type) and _computes(two.type)):
        return _special("power", "power", one, two)
    left, right, valid, type = _numpy_pair("power", one, two)
    if pt.is_integer(type):
        wrong = right < 0 if valid is None else (right < 0) & valid
        if wrong.any():
            raise JagValueError("power: an integer to a negative integer power is no integer; cast to float first")
        right = np.where(right < 0, right.dtype.type(0), right)
    with np.errstate(all="ignore"):
        return _sized(np.power(left, right), valid, type)


# --------------------------------------------------------------------------------------------------- comparison


def _compare(name: str, kernel: str) -> Callable[[Datum, Datum], pa.Array]:
    def compute(one: Datum, two: Datum) -> pa.Array:
        one, two = _decoded(one), _decoded(two)
        if pt.is_null(one.type) or pt.is_null(two.type):
            n = max(len(datum) for datum in (one, two) if isinstance(datum, pa.Array))
            return pa.nulls(n, pa.bool_())
        if pt.is_struct(one.type) or pt.is_struct(two.type) or _arrow.is_list_type(one.type):
            return _compare_codes(name, one, two)
        if _mixed_signs(one.type, two.type):
            return _compare_signs(kernel, one, two)
        if _arrow.is_numeric(one.type) and _arrow.is_numeric(two.type) and one.type != two.type:
            type = promote([one.type, two.type], name)
            one, two = _as_float(one, type), _as_float(two, type)
        if pt.is_float16(one.type):
            one, two = _half_to_single(one), _half_to_single(two)
        if _is_text(one.type) and _is_text(two.type) and one.type != two.type:
            one, two = one.cast(pa.large_string()), two.cast(pa.large_string())
        return pc.call_function(kernel, [one, two])

    return compute


def _mixed_signs(one: pa.DataType, two: pa.DataType) -> bool:
    pair = [one, two]
    return any(pt.is_uint64(t) for t in pair) and any(pt.is_signed_integer(t) for t in pair)


def _compare_signs(kernel: str, one: Datum, two: Datum) -> pa.Array:
    """uint64 against signed integers, exactly: a negative number is below every unsigned one."""
    left, left_valid = _datum_to_numpy(one)
    right, right_valid = _datum_to_numpy(two)
    result = _NUMPY_COMPARE[kernel](left, right)
    return _sized(np.asarray(result), _both(left_valid, right_valid))


_NUMPY_COMPARE: dict[str, Callable[..., Any]] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}


def _compare_codes(name: str, one: Datum, two: Datum) -> pa.Array:
    """Structs and lists have no kernel in pyarrow: their order codes are compared."""
    n = max(len(datum) for datum in (one, two) if isinstance(datum, pa.Array))
    type = promote([one.type, two.type], name)
    arrays = [d.cast(type) if isinstance(d, pa.Array) else pa.repeat(d.cast(type), n) for d in (one, two)]
    key, valid = _arrow.order_key(pa.concat_arrays(arrays), name)
    result = _NUMPY_COMPARE[name](key[:n], key[n:])
    return _sized(result, None if valid is None else valid[:n] & valid[n:])


# --------------------------------------------------------------------------------------------------- logic


def _logic(name: str, kernel: str, bitwise: str) -> Callable[[Datum, Datum], pa.Array]:
    def compute(one: Datum, two: Datum) -> pa.Array:
        type = promote([one.type, two.type], name)
        if pt.is_null(type) or pt.is_boolean(type):
            return pc.call_function(kernel, [cast_datum(one, pa.bool_()), cast_datum(two, pa.bool_())])
        if pt.is_integer(type):
            return pc.call_function(bitwise, [cast_datum(one, type), cast_datum(two, type)])
        raise JagTypeError.no_kernel(name, one.type, two.type, hint="It takes booleans or integers.")

    return compute


def _shift(name: str, kernel: str) -> Callable[[Datum, Datum], pa.Array]:
    def compute(one: Datum, two: Datum) -> pa.Array:
        type = promote([one.type, two.type], name)
        if not pt.is_integer(type):
            raise JagTypeError.no_kernel(name, one.type, two.type, hint="It takes integers.")
        return pc.call_function(kernel, [cast_datum(one, type), cast_datum(two, type)])

    return compute


BINARY: dict[str, Callable[[Datum, Datum], pa.Array]] = {
    "add": _arithmetic("add", "add"),
    "subtract": _arithmetic("subtract", "subtract"),
    "multiply": _arithmetic("multiply", "multiply"),
    "divide": _divide,
    "floor_divide": _floored("floor_divide", np.floor_divide),
    "remainder": _floored("remainder", np.remainder),
    "power": _power,
    "equal": _compare("equal", "equal"),
    "not_equal": _compare("not_equal", "not_equal"),
    "less": _compare("less", "less"),
    "less_equal": _compare("less_equal", "less_equal"),
    "greater": _compare("greater", "greater"),
    "greater_equal": _compare("greater_equal", "greater_equal"),
    "and": _logic("and", "and_kleene", "bit_wise_and"),
    "or": _logic("or", "or_kleene", "bit_wise_or"),
    "xor": _logic("xor", "xor", "bit_wise_xor"),
    "left_shift": _shift("left_shift", "shift_left"),
    "right_shift": _shift("right_shift", "shift_right"),
}
"""What each two-sided operator does to aligned flat values."""


def binary(name: str, one: Operand, two: Operand) -> Column:
    """Apply a two-sided operator of `BINARY`."""
    return apply(BINARY[name], [one, two], name)


# --------------------------------------------------------------------------------------------------- one operand


def _negative(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type):
        raise JagTypeError.no_kernel("negative", datum.type, hint="Use ~ to invert booleans.")
    if pt.is_float16(datum.type):
        return pc.negate(datum.cast(pa.float32())).cast(pa.float16())
    if pt.is_unsigned_integer(datum.type):
        data, valid = _datum_to_numpy(datum)
        return _arrow.from_numpy(np.negative(data), valid)
    return pc.negate(datum)


def _absolute(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type) or pt.is_unsigned_integer(datum.type):
        return datum
    if pt.is_float16(datum.type):
        return pc.abs(datum.cast(pa.float32())).cast(pa.float16())
    if pt.is_duration(datum.type):
        return pc.abs(datum.cast(pa.int64())).cast(datum.type)
    return pc.abs(datum)


def _invert(datum: Datum) -> pa.Array:
    if pt.is_boolean(datum.type):
        return pc.invert(datum)
    if pt.is_integer(datum.type):
        return pc.bit_wise_not(datum)
    raise JagTypeError.no_kernel("invert", datum.type, hint="It takes booleans or integers.")


def _is_nan(datum: Datum) -> pa.Array:
    if pt.is_floating(datum.type):
        return pc.is_nan(_half_to_single(datum))
    if _arrow.is_numeric(datum.type) or pt.is_decimal(datum.type) or pt.is_null(datum.type):
        return pc.if_else(pc.is_valid(datum), False, pa.scalar(None, pa.bool_()))
    raise JagTypeError.no_kernel("is_nan", datum.type)


UNARY: dict[str, Callable[[Datum], pa.Array]] = {
    "negative": _negative,
    "positive": lambda datum: datum,
    "absolute": _absolute,
    "invert": _invert,
    "is_nan": _is_nan,
}
"""What each one-sided operator does to flat values."""


def unary(name: str, column: Column) -> Column:
    """Apply a one-sided operator of `UNARY`."""
    return apply(UNARY[name], [column], name)


def round_to(column: Column, decimals: int) -> Column:
    """Round half to even, as Python and numpy do; integers and nulls pass."""

    def compute(datum: Datum) -> pa.Array:
        if pt.is_float16(datum.type):
            return pc.round(datum.cast(pa.float32()), decimals, "half_to_even").cast(pa.float16())
        if pt.is_boolean(datum.type) or (pt.is_integer(datum.type) and decimals >= 0):
            return datum
        return pc.round(datum, decimals, "half_to_even")

    return apply(compute, [column], "round")


def clip(column: Column, lower: Operand | None, upper: Operand | None) -> Column:
    """Values no lower and no higher than bounds; a null bound leaves the item as it is."""
    result = column
    if lower is not None:
        result = where(_kleene_true(binary("less", result, lower)), lower, result)
    if upper is not None:
        result = where(_kleene_true(binary("greater", result, upper)), upper, result)
    return result


def _kleene_true(condition: Column) -> Column:
    """A null condition counts as False."""
    return apply(lambda datum: pc.coalesce(datum, pa.scalar(False)), [condition], "clip")


def cast(column: Column, type: pa.DataType, safe: bool = True) -> Column:
    """The leaves in another type; raises where a value does not fit, unless `safe` is False."""

    def compute(datum: Datum) -> pa.Array:
        if pt.is_float16(datum.type) and not pt.is_floating(type):
            datum = datum.cast(pa.float32())
        if pt.is_float16(type) and not pt.is_floating(datum.type):
            datum = datum.cast(pa.float32(), safe=safe)
        return datum.cast(type, safe=safe)

    return apply(compute, [column], "cast") if column.type != type else column


# --------------------------------------------------------------------------------------------------- ufuncs


_UFUNCS: dict[np.ufunc, str] = {
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.divide: "divide",
    np.floor_divide: "floor_divide",
    np.remainder: "remainder",
    np.power: "power",
    np.equal: "equal",
    np.not_equal: "not_equal",
    np.less: "less",
    np.less_equal: "less_equal",
    np.greater: "greater",
    np.greater_equal: "greater_equal",
    np.bitwise_and: "and",
    np.logical_and: "and",
    np.bitwise_or: "or",
    np.logical_or: "or",
    np.bitwise_xor: "xor",
    np.logical_xor: "xor",
    np.left_shift: "left_shift",
    np.right_shift: "right_shift",
    np.negative: "negative",
    np.positive: "positive",
    np.absolute: "absolute",
    np.invert: "invert",
    np.isnan: "is_nan",
}
_LOGICAL = {np.logical_and, np.logical_or, np.logical_xor, np.logical_not}


def ufunc(function: np.ufunc, operands: Sequence[Operand]) -> tuple[Column, ...]:
    """Call a numpy ufunc on aligned values; nulls stay null, results follow numpy's types.

    Raises
    ------
    JagTypeError
        If the ufunc has no loop for the types, or a signature of its own (such as matmul).
    """
    name = _UFUNCS.get(function)
    if function in _LOGICAL:
        operands = [_truth(operand) for operand in operands]
        name = name or "invert"
    if name in BINARY and len(operands) == 2:
        return (binary(name, *operands),)
    if name in UNARY and len(operands) == 1:
        return (apply(UNARY[name], operands, name),)
    if function.signature is not None:
        raise JagTypeError(f"the ufunc {function.__name__} works on whole rows; arrowjag calls elementwise ufuncs only")
    return _numpy_ufunc(function, operands)


def _truth(operand: Operand) -> Operand:
    if isinstance(operand, Column):
        return operand if pt.is_boolean(operand.type) else cast(operand, pa.bool_(), safe=False)
    return operand.cast(pa.bool_())


def _numpy_ufunc(function: np.ufunc, operands: Sequence[Operand]) -> tuple[Column, ...]:
    kept: list[tuple[Any, BoolArray | None]] = []

    def compute(*data: Datum) -> pa.Array:
        pairs = [_temporal_view(datum) for datum in data]
        valid: BoolArray | None = None
        for _, one in pairs:
            valid = _both(valid, one)
        try:
            with np.errstate(all="ignore"):
                results = function(*(array for array, _ in pairs))
        except TypeError as error:
            types = [datum.type for datum in data]
            raise JagTypeError.no_kernel(function.__name__, *types, hint=f"({error})") from None
        kept.extend((one, valid) for one in (results if isinstance(results, tuple) else (results,)))
        return _from_ufunc(*kept[0])

    first = apply(compute, operands, function.__name__)
    return (first, *(Column(first.shape, _from_ufunc(*one)) for one in kept[1:]))


def _temporal_view(datum: Datum) -> tuple[Any, BoolArray | None]:
    """Numpy data in which timestamps and durations keep their meaning, so that ufuncs type them."""
    data, valid = _datum_to_numpy(_decoded(datum))
    if pt.is_timestamp(datum.type) and datum.type.tz is None:
        return data.view(f"M8[{datum.type.unit}]"), valid
    if pt.is_duration(datum.type):
        return data.view(f"m8[{datum.type.unit}]"), valid
    if _arrow.is_temporal(datum.type):
        raise JagTypeError.no_kernel("a numpy ufunc", datum.type, hint="Cast to a plain timestamp or to int64 first.")
    return data, valid


def _from_ufunc(data: npt.NDArray[Any], valid: BoolArray | None) -> pa.Array:
    if data.dtype.kind in "mM":
        missing = np.isnat(data)
        valid = ~missing if valid is None else valid & ~missing
        return _sized(data.view(np.int64), valid, pa.from_numpy_dtype(data.dtype))
    return _sized(data, valid)


# --------------------------------------------------------------------------------------------------- choosing


def where(condition: Operand, one: Operand, two: Operand) -> Column:
    """`one` where the condition is true, `two` where it is false, null where it is null.

    A row of the result is null only where the condition's is, or the operand that supplies it has none there.
    """
    operands = [_as_column(operand) for operand in (condition, one, two)]
    if _same_rows(operands):
        return apply(_if_else, [condition, one, two] if columns_of([condition, one, two]) else operands, "where")
    if not (pt.is_boolean(operands[0].type) or pt.is_null(operands[0].type)):
        raise JagTypeError.no_kernel("where", operands[0].type, hint="The condition must be boolean.")
    data, valid = _arrow.to_numpy(operands[0].values.cast(pa.bool_()))

    def is_null(depth: int, there: Rows, leaves: Sequence[Any]) -> BoolArray:
        del depth
        flags, *sides = there
        lacks = [None if side is None else ~side for side in sides]
        both = _all_lack(lacks)
        if flags is not None:
            return ~flags if both is None else ~flags | both
        place = np.maximum(leaves[0], 0)
        known = leaves[0] >= 0 if valid is None else (leaves[0] >= 0) & valid[place]
        nobody = ~np.logical_or.reduce([side for side in sides if side is not None])
        chosen = [np.zeros(len(place), bool) if side is None else side for side in lacks]
        lost = np.where(known, np.where(data[place], chosen[0], chosen[1]), nobody if both is None else both)
        null: BoolArray = nobody | lost
        return null

    shape, flat = select.merge_rows(operands, is_null, "where")
    return apply(_if_else, [Column(shape, values) for values in flat], "where")


def _all_lack(lacks: Sequence[BoolArray | None]) -> BoolArray | None:
    """Where no side has a row; None where a side needs none."""
    found = [side for side in lacks if side is not None]
    lost: BoolArray | None = np.logical_and.reduce(found) if len(found) == len(lacks) else None
    return lost


def _as_column(operand: Operand) -> Column:
    """A scalar as a column without dims."""
    return operand if isinstance(operand, Column) else Column(JaggedShape(), select.constant(operand, 1))


def _same_rows(columns: Sequence[Column]) -> bool:
    """Whether operands surely have the same null rows, so that nobody has to lend any."""
    deep = [column.shape for column in columns if column.ndim > 1]
    if not any(dim.validity is not None for shape in deep for dim in shape.dims):
        return True
    if any(0 < column.ndim < 2 for column in columns) or len({shape.ndim for shape in deep}) > 1:
        return False
    first = deep[0]
    return all(
        mine.validity is theirs.validity for shape in deep for mine, theirs in zip(shape.dims, first.dims, strict=True)
    )


def _if_else(condition: Datum, one: Datum, two: Datum) -> pa.Array:
    if not (pt.is_boolean(condition.type) or pt.is_null(condition.type)):
        raise JagTypeError.no_kernel("where", condition.type, hint="The condition must be boolean.")
    type = promote([one.type, two.type], "where") if one.type != two.type else one.type
    one, two, condition = cast_datum(one, type), cast_datum(two, type), cast_datum(condition, pa.bool_())
    try:
        return pc.if_else(condition, one, two)
    except pa.ArrowNotImplementedError:
        return _choose(condition, one, two)


def _choose(condition: Datum, one: Datum, two: Datum) -> pa.Array:
    """`if_else` for types without a kernel: gather from both laid end to end."""
    n = max(len(datum) for datum in (condition, one, two) if isinstance(datum, pa.Array))
    arrays = [datum if isinstance(datum, pa.Array) else pa.repeat(datum, n) for datum in (one, two)]
    flags = condition if isinstance(condition, pa.Array) else pa.repeat(condition, n)
    data, valid = _arrow.to_numpy(flags)
    index = np.arange(n) + np.where(data, 0, n)
    return gather.take(pa.concat_arrays(arrays), index, valid)


def coalesce(operands: Sequence[Operand]) -> Column:
    """The first operand that is not null, item by item and row by row; a row is null where no operand has one."""
    columns = [_as_column(operand) for operand in operands]
    if _same_rows(columns):
        return apply(_coalesce_values, operands if columns_of(operands) else columns, "coalesce")

    def is_null(depth: int, there: Rows, leaves: Sequence[Any]) -> BoolArray:
        del depth, leaves
        known: BoolArray = np.logical_or.reduce([rows for rows in there if rows is not None])
        return ~known

    shape, flat = select.merge_rows(columns, is_null, "coalesce")
    return apply(_coalesce_values, [Column(shape, values) for values in flat], "coalesce")


def fill_null(column: Column, filler: Operand) -> Column:
    """Null rows come from the filler where it has as many dims, null leaves from it everywhere."""
    return coalesce([column, filler])


def _coalesce_values(*data: Datum) -> pa.Array:
    type = promote([datum.type for datum in data], "coalesce")
    same = all(datum.type == data[0].type for datum in data)
    cast_data = list(data) if same else [cast_datum(datum, type) for datum in data]
    if isinstance(cast_data[0], pa.Array) and cast_data[0].null_count == 0:
        return cast_data[0]  # nothing is missing: shared, not copied
    try:
        return pc.coalesce(*cast_data)
    except pa.ArrowNotImplementedError:
        result = cast_data[0]
        for other in cast_data[1:]:
            result = _choose(result.is_valid(), result, other)
        return result
