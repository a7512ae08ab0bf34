"""numba: jagged arrays as read-only arguments of compiled functions.

numba reads the attribute ``_numba_type_`` of an argument; that of `JaggedArray` imports this module, which registers the type.
Inside a compiled function `x` has ``len(x)``, ``x[i]``, ``x.offsets``, ``x.values``, ``x.ndim`` and ``x.size``. Buffers are shared.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numba  # noqa: TID253  # only numba imports this module
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt
from numba.core import cgutils  # noqa: TID253
from numba.extending import (  # noqa: TID253
    NativeValue,
    intrinsic,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    register_model,
    typeof_impl,
    unbox,
)

from arrowjag._array import JaggedArray, array_of
from arrowjag.errors import JagTypeError, JagValueError, are, plural
from arrowjag.interop._parts import shared

__all__ = ["JaggedType", "type_of"]

F = TypeVar("F", bound=Callable[..., Any])

types: Any = numba.types


def _plain(function: F) -> F:
    """Remove annotations, which numba compares."""
    function.__annotations__ = {}
    return function


class JaggedType(types.Type):  # type: ignore[misc]  # numba has no annotations
    """The type of a jagged array in numba: the type of its items, and its number of dims.

    Parameters
    ----------
    item : numba type
        The type of the items.
    ndim : int
        Number of dims, at least 1.
    """

    def __init__(self, item: Any, ndim: int) -> None:
        self.item = item
        self.ndim = ndim
        self.values = types.Array(item, 1, "C", readonly=True)
        self.offsets = types.UniTuple(types.Array(types.int64, 1, "C", readonly=True), ndim - 1)
        super().__init__(name=f"JaggedArray({item}, {ndim})")


def type_of(array: JaggedArray) -> JaggedType:
    """Return the numba type of an array.

    Parameters
    ----------
    array : JaggedArray
        Of numbers, booleans, timestamps, durations or dates; other data as `arrowjag.array` takes it.

    Returns
    -------
    JaggedType
        Equal for arrays of equal leaf type and ndim.

    Raises
    ------
    JagTypeError
        If numba lacks the leaf type, or the array has no dims.
    """
    array = array_of(array)
    if array.ndim == 0:
        raise JagTypeError("numba: an array without dims is a scalar; pass x.values[0].as_py()")
    return JaggedType(numba.from_dtype(_numbers(array.values[:0]).dtype), array.ndim)


@typeof_impl.register(JaggedArray)  # type: ignore[untyped-decorator]
def _type_or_reason(array: JaggedArray, _context: Any) -> JaggedType:
    return type_of(array)


def _numbers(values: pa.Array) -> npt.NDArray[Any]:
    """The items as a read-only numpy array; shared, but for booleans and dates."""
    type = values.type
    if not (pt.is_boolean(type) or pt.is_primitive(type)) or pt.is_time(type) or pt.is_interval(type):
        raise JagTypeError.no_kernel("a function compiled by numba", type, hint="It takes numbers, booleans and dates.")
    if pt.is_float16(type):  # which numba has on GPUs only
        raise JagTypeError.no_kernel("a function compiled by numba", type, hint="Cast it to float32 first.")
    data = shared(values)
    if pt.is_timestamp(type) or pt.is_duration(type):
        data = data.view(f"{'M' if pt.is_timestamp(type) else 'm'}8[{type.unit}]")
    elif pt.is_date(type):
        data = data.astype("M8[D]") if pt.is_date32(type) else data.view("M8[ms]")
    data.flags.writeable = False
    return data


def _parts(array: JaggedArray) -> tuple[Any, tuple[Any, ...]]:
    """Return the items and the offsets of an array, which numba unboxes."""
    if array.values.null_count:
        n = array.values.null_count
        raise JagValueError(
            f"numba: {plural(n, 'item')} {are(n)} null, and a compiled function would see any value in their place: fill "
            "them with x.fill_null(value), or call aj.map_rows, which leaves them out"
        )
    place = next((place for place, dim in enumerate(array.shape.dims[1:]) if dim.validity is not None), None)
    if place is not None:
        axis = f", axis={place}" if place else ""
        raise JagValueError(
            f"numba: rows are null, and a compiled function would see empty rows: fill them with x.fill_null_rows([]{axis}), or "
            "call aj.map_rows, which leaves them out"
        )
    return _numbers(array.values), tuple(_read_only(dim.offsets) for dim in array.shape.dims[1:])


def _read_only(offsets: Any) -> Any:
    view = np.ascontiguousarray(offsets, np.int64).view()
    view.flags.writeable = False
    return view


# --------------------------------------------------------------------------------------------------- from Python


@register_model(JaggedType)
class _Model(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: JaggedType) -> None:
        super().__init__(manager, kind, [("values", kind.values), ("levels", kind.offsets)])


make_attribute_wrapper(JaggedType, "values", "values")
make_attribute_wrapper(JaggedType, "levels", "_levels")


def _unbox(kind: JaggedType, obj: Any, c: Any) -> NativeValue:
    helper = c.pyapi.unserialize(c.pyapi.serialize_object(_parts))
    parts = c.pyapi.call_function_objargs(helper, (obj,))
    c.pyapi.decref(helper)
    result = cgutils.alloca_once_value(c.builder, cgutils.get_null_value(c.context.get_value_type(kind)))
    is_error = cgutils.alloca_once_value(c.builder, cgutils.true_bit)
    with c.builder.if_then(cgutils.is_not_null(c.builder, parts)):
        native = c.unbox(types.Tuple((kind.values, kind.offsets)), parts)
        pair = cgutils.unpack_tuple(c.builder, native.value, 2)
        made = cgutils.create_struct_proxy(kind)(c.context, c.builder)
        made.values, made.levels = pair
        c.builder.store(made._getvalue(), result)
        c.builder.store(native.is_error, is_error)
        c.pyapi.decref(parts)
    return NativeValue(c.builder.load(result), is_error=c.builder.load(is_error))


@_plain
def _below(_context: Any, values: Any, levels: Any) -> Any:
    """An array of one dim less: its items, and the offsets of its dims."""
    kind = JaggedType(values.dtype, len(levels) + 1)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = cgutils.create_struct_proxy(kind)(context, builder)
        made.values, made.levels = args
        context.nrt.incref(builder, signature.args[0], args[0])
        context.nrt.incref(builder, signature.args[1], args[1])
        return made._getvalue()

    return kind(kind.values, kind.offsets), build


# --------------------------------------------------------------------------------------------------- in functions


@_plain
def _len(x: Any) -> Any:
    if not isinstance(x, JaggedType):
        return None
    if x.ndim == 1:
        return lambda x: len(x.values)
    return lambda x: len(x._levels[0]) - 1


@_plain
def _offsets(x: Any) -> Any:
    if x.ndim == 2:
        return lambda x: x._levels[0]
    return lambda x: x._levels


@_plain
def _ndim(x: Any) -> Any:
    ndim = x.ndim
    return lambda x: ndim


@_plain
def _size(x: Any) -> Any:
    if x.ndim == 1:
        return lambda x: len(x.values)
    if x.ndim == 2:
        return lambda x: x._levels[0][-1] - x._levels[0][0]

    @_plain
    def size(x: Any) -> Any:
        first, last = x._levels[0][0], x._levels[0][-1]
        for level in x._levels[1:]:
            first, last = level[first], level[last]
        return last - first

    return size


def place_of(i: int, n: int) -> int:
    """Return the place that a position means, -1 if it is out of range; for compiled code alone."""
    raise NotImplementedError


@_plain
def _place_of(i: Any, n: Any) -> Any:  # noqa: ARG001
    if i.signed:
        return lambda i, n: -1 if i < -n or i >= n else np.int64(i + n if i < 0 else i)
    return lambda i, n: -1 if i >= np.uint64(n) else np.int64(i)  # as in prange: beside int64, uint64 would become float64


@_plain
def _getitem(x: Any, i: Any) -> Any:
    if not isinstance(x, JaggedType) or not isinstance(i, types.Integer):
        return None
    if x.ndim == 1:

        @_plain
        def item(x: Any, i: Any) -> Any:
            place = place_of(i, len(x.values))
            if place < 0:
                raise IndexError("the position is out of range for the jagged array")
            return x.values[place]

        return item
    if x.ndim == 2:

        @_plain
        def row(x: Any, i: Any) -> Any:
            cuts = x._levels[0]
            place = place_of(i, len(cuts) - 1)
            if place < 0:
                raise IndexError("the row is out of range for the jagged array")
            return x.values[cuts[place] : cuts[place + 1]]

        return row

    @_plain
    def part(x: Any, i: Any) -> Any:
        cuts = x._levels[0]
        place = place_of(i, len(cuts) - 1)
        if place < 0:
            raise IndexError("the row is out of range for the jagged array")
        below = (x._levels[1][cuts[place] : cuts[place + 1] + 1],) + x._levels[2:]  # noqa: RUF005  # numba does not unpack here
        return part_of(x.values, below)

    return part


unbox(JaggedType)(_unbox)
part_of = intrinsic(_below)
overload(len)(_len)
overload(place_of)(_place_of)
overload(operator.getitem)(_getitem)
overload_attribute(JaggedType, "offsets")(_offsets)
overload_attribute(JaggedType, "ndim")(_ndim)
overload_attribute(JaggedType, "size")(_size)
