"""Elementwise methods: operators, ufuncs, rounding, casts, nulls."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import within_memory
from arrowjag._array import numpy_functions
from arrowjag._array.base import ArrayBase, as_column, column_like, operand
from arrowjag._column import Column, empty, row_validity
from arrowjag._methods import HOSTS, Rows, method, touches_rows
from arrowjag._ops import casts, structure
from arrowjag._ops import elementwise as _ops
from arrowjag._ops.elementwise.ufuncs import check_ufunc
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import ArrayOrScalar, BoolArray

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["OPERATORS", "ElementwiseMethods"]

OPERATORS = _ops.PYTHON_BINARY
"""Operation per name of a Python operator method."""


def _validity_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """Along an inner axis the result has one flag per item instead of one per row."""
    inner = {*range(1, ndim), *range(1 - ndim, 0)}
    return Rows.MOVED if arguments["axis"] in inner else Rows.LOCAL


def _filler_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """A constant of all rows and a column that is one row are read whole; surfaces pass columns without rows."""
    if "y" not in arguments:  # `reduces` asks while pandas is imported, perhaps by pyarrow, which can't make an array then
        return Rows.LOCAL
    y = arguments["y"]
    is_single = (y if isinstance(y, Column) else as_column(y)).ndim < ndim
    is_constant = not isinstance(y, Column) or y.shape.size > 0
    return Rows.LOCAL if is_single is is_constant else Rows.KEPT


def _rows_of_mask(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """A flat mask of inner items has no rows: it belongs to the whole column."""
    mask = arguments.get("mask")
    return (
        Rows.KEPT if isinstance(mask, Column) and mask.ndim == 1 and not touches_rows(arguments.get("axis"), ndim) else Rows.LOCAL
    )


def _filled_type(x: Any, y: Any, axis: int = 0) -> Any:
    """The type of `fill_null_rows`; a constant of all rows is taken without them."""
    column = y if isinstance(y, Column) else column_like(y, x.type, "fill_null_rows")
    return x.fill_null_rows(x._wrap(column)[:0] if column.ndim == x.ndim else y, axis)


def _null_flags(column: Column, depth: int) -> pa.Array:
    """Flag the nulls among the items after the first `depth` dims; flags of leaves are the bits of their validity, not unpacked."""
    leaves = depth == column.ndim
    if leaves and column.values.null_count:
        return column.values.is_null()
    valid = None if leaves else row_validity(column, depth)
    if valid is None:
        n = column.shape.nodes(depth)
        return pa.Array.from_buffers(pa.bool_(), n, [None, pa.py_buffer(bytes(-(-n // 8)))])
    return _arrow.from_numpy(~valid)


class ElementwiseMethods(ArrayBase):
    """Operators and methods that keep the shape."""

    __slots__ = ()
    __hash__ = None

    @within_memory(None)
    def _binary(self, name: str, other: Any, reflected: bool = False) -> ArrayOrScalar:
        if _has_own_rules(other):
            return _by_their_rules(lambda one, two: one._binary(name, two), (other, self) if reflected else (self, other))
        one: Any = self if self._shape._dims else self.values[0]
        two = operand(other, self.type, name, by_value=name in _ops.COMPARISONS)
        pair = (two, one) if reflected else (one, two)
        if not (isinstance(one, Column) or isinstance(two, Column)):
            return _scalar_result(name, pair)
        return self._wrap(_ops.binary(name, *pair))

    @within_memory(None)
    def _unary(self, name: str) -> JaggedArray:
        return self._wrap(_ops.unary(name, self))

    def __add__(self, other: Any) -> JaggedArray:
        return self._binary("add", other)

    def __radd__(self, other: Any) -> JaggedArray:
        return self._binary("add", other, True)

    def __sub__(self, other: Any) -> JaggedArray:
        return self._binary("subtract", other)

    def __rsub__(self, other: Any) -> JaggedArray:
        return self._binary("subtract", other, True)

    def __mul__(self, other: Any) -> JaggedArray:
        return self._binary("multiply", other)

    def __rmul__(self, other: Any) -> JaggedArray:
        return self._binary("multiply", other, True)

    def __truediv__(self, other: Any) -> JaggedArray:
        return self._binary("divide", other)

    def __rtruediv__(self, other: Any) -> JaggedArray:
        return self._binary("divide", other, True)

    def __floordiv__(self, other: Any) -> JaggedArray:
        return self._binary("floor_divide", other)

    def __rfloordiv__(self, other: Any) -> JaggedArray:
        return self._binary("floor_divide", other, True)

    def __mod__(self, other: Any) -> JaggedArray:
        return self._binary("remainder", other)

    def __rmod__(self, other: Any) -> JaggedArray:
        return self._binary("remainder", other, True)

    def __pow__(self, other: Any) -> JaggedArray:
        return self._binary("power", other)

    def __rpow__(self, other: Any) -> JaggedArray:
        return self._binary("power", other, True)

    def __and__(self, other: Any) -> JaggedArray:
        return self._binary("and", other)

    def __rand__(self, other: Any) -> JaggedArray:
        return self._binary("and", other, True)

    def __or__(self, other: Any) -> JaggedArray:
        return self._binary("or", other)

    def __ror__(self, other: Any) -> JaggedArray:
        return self._binary("or", other, True)

    def __xor__(self, other: Any) -> JaggedArray:
        return self._binary("xor", other)

    def __rxor__(self, other: Any) -> JaggedArray:
        return self._binary("xor", other, True)

    def __lshift__(self, other: Any) -> JaggedArray:
        return self._binary("left_shift", other)

    def __rlshift__(self, other: Any) -> JaggedArray:
        return self._binary("left_shift", other, True)

    def __rshift__(self, other: Any) -> JaggedArray:
        return self._binary("right_shift", other)

    def __rrshift__(self, other: Any) -> JaggedArray:
        return self._binary("right_shift", other, True)

    def __matmul__(self, other: Any) -> Any:
        return _by_their_rules(operator.matmul, (self, other)) if _has_own_rules(other) else self._of(self).matmul(other)

    def __rmatmul__(self, other: Any) -> Any:
        if _has_own_rules(other):
            return _by_their_rules(operator.matmul, (other, self))
        return self._of(as_column(other)).matmul(self)

    def __eq__(self, other: object) -> JaggedArray:  # type: ignore[override]  # elementwise, as in numpy
        return self._binary("equal", other)

    def __ne__(self, other: object) -> JaggedArray:  # type: ignore[override]  # elementwise, as in numpy
        return self._binary("not_equal", other)

    def __lt__(self, other: Any) -> JaggedArray:
        return self._binary("less", other)

    def __le__(self, other: Any) -> JaggedArray:
        return self._binary("less_equal", other)

    def __gt__(self, other: Any) -> JaggedArray:
        return self._binary("greater", other)

    def __ge__(self, other: Any) -> JaggedArray:
        return self._binary("greater_equal", other)

    def __neg__(self) -> JaggedArray:
        return self._unary("negative")

    def __pos__(self) -> JaggedArray:
        return self._unary("positive")

    def __invert__(self) -> JaggedArray:
        return self._unary("invert")

    def __abs__(self) -> JaggedArray:
        return self._unary("absolute")

    def __round__(self, ndigits: int = 0) -> JaggedArray:
        return self.round(ndigits)

    def __divmod__(self, other: Any) -> tuple[JaggedArray, JaggedArray]:
        if _has_own_rules(other):
            return _by_their_rules(divmod, (self, other))  # type: ignore[no-any-return]  # of the other's surface
        return self._binary("floor_divide", other), self._binary("remainder", other)

    def __rdivmod__(self, other: Any) -> tuple[JaggedArray, JaggedArray]:
        if _has_own_rules(other):
            return _by_their_rules(divmod, (other, self))  # type: ignore[no-any-return]  # of the other's surface
        return self._binary("floor_divide", other, True), self._binary("remainder", other, True)

    @within_memory(None)
    def __array_ufunc__(self, ufunc: np.ufunc, call: str, *inputs: Any, **options: Any) -> Any:
        check_ufunc(ufunc, call, options)
        if any(_has_own_rules(one) for one in inputs):
            return _by_their_rules(ufunc, inputs)
        if ufunc is np.matmul:
            return operator.matmul(self._of(as_column(inputs[0])), inputs[1])
        name = _ops.UFUNCS.get(ufunc, ufunc.__name__)
        operands = [operand(one, self.type, name, by_value=name in _ops.COMPARISONS) for one in inputs]
        if not any(isinstance(one, Column) for one in operands):  # arrays of ndim 0 count as scalars beside others
            operands = [one if isinstance(one, ArrayBase) else found for one, found in zip(inputs, operands, strict=True)]
        results = tuple(self._wrap(column) for column in _ops.ufunc(ufunc, operands))
        return results[0] if len(results) == 1 else results

    def __array_function__(self, function: Any, _types: Any, arguments: Any, options: Any) -> Any:
        return numpy_functions.call(function, arguments, options)

    @method()
    def abs(self) -> JaggedArray:
        """Return the absolute value of each item.

        Returns
        -------
        JaggedArray
            Of the same shape and type; unsigned and boolean items are unchanged. Null stays null. The smallest signed integer of a
            type, whose absolute value does not fit, is unchanged too. Cost: one pass; values are new.

        Raises
        ------
        JagTypeError
            If the leaves are neither numbers nor durations.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[-1, 2], [None]]).abs().to_list()
        [[1, 2], [None]]
        """
        return abs(self)

    @method()
    def round(self, decimals: int = 0) -> JaggedArray:
        """Round each item half to even.

        Parameters
        ----------
        decimals : int
            Number of decimal places; negative rounds to tens, hundreds and so on.

        Returns
        -------
        JaggedArray
            Of the same shape and type. Null and NaN are unchanged. Cost: one pass; values are new.

        %(not_numbers)s
        JagValueError
            If a rounded number does not fit the type.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.25, 2.5], []]).round(1).to_list()
        [[1.2, 2.5], []]
        """
        return self._wrap(_ops.round_to(self, decimals))

    @method("lower", "upper")
    def clip(self, lower: Any = None, upper: Any = None) -> JaggedArray:
        """Limit items to bounds.

        Parameters
        ----------
        lower, upper : scalar or array, optional
            Bounds; arrays of fewer dims are broadcast by the prefix rule. A null bound does not limit its items; neither does
            an int beyond the range of the leaf type.

        Returns
        -------
        JaggedArray
            Of the common shape and the promoted type. Null and NaN items are unchanged. Cost: two passes per bound.

        Raises
        ------
        ShapeError
            If neither the shape of a bound nor this shape is a prefix of the other.
        JagValueError
            If a bound would replace every item by an int that does not fit the leaf type.
        JagTypeError
            If the types have no common type.
        %(unfit_value)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 5], [9]]).clip(2, [4, 6]).to_list()
        [[2, 4], [6]]
        """
        low = None if lower is None else _bound(self, lower, is_lower=True)
        high = None if upper is None else _bound(self, upper, is_lower=False)
        return self._wrap(_ops.clip(self, low, high))

    @method()
    def is_nan(self) -> JaggedArray:
        """Return whether each item is NaN.

        Returns
        -------
        JaggedArray
            Booleans of the same shape: False for integers. Null stays null. Cost: one pass.

        %(not_numbers)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[float("nan"), None], [1.0]]).is_nan().to_list()
        [[True, None], [False]]
        """
        return self._wrap(_ops.unary("is_nan", self))

    @method()
    def nan_to_null(self) -> JaggedArray:
        """Replace NaN items by null.

        Returns
        -------
        JaggedArray
            Of the same shape and type. Null and empty rows are unchanged, and so are leaves other than floats; NaN in fields of
            structs becomes null too. Cost: one pass; values are shared if no item is NaN.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[float("nan"), 1.0], None]).nan_to_null().to_list()
        [[None, 1.0], None]
        """
        return self._wrap(_ops.nan_to_null(self))

    @method()
    def is_null(self, axis: int = -1) -> JaggedArray:
        """Return whether each item at an axis is null.

        Parameters
        ----------
        axis : int
            0 for the outermost rows, -1 for the leaves.

        Returns
        -------
        JaggedArray
            Booleans with the dims up to that axis; null rows further out stay null. Cost: one pass over the validity.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, None], None])
        >>> x.is_null().to_list(), x.is_null(axis=0).to_list()
        ([[False, True], None], [False, True])
        """
        depth = structure.normalize_axis(axis, self.ndim, "is_null") + 1
        return self._wrap(Column(self.shape[:depth], _null_flags(self, depth)))

    @method()
    def cast(self, type: Any, safe: bool = True, strict: bool = True) -> JaggedArray:
        """Cast the leaves to another Arrow type.

        Parameters
        ----------
        type : pa.DataType, str or numpy dtype
            The leaf type, or its name.
        safe : bool
            If False, a value that does not fit the type is truncated or wrapped, as in C, and timestamps lose the time of day or
            the date. Values that nothing of the type is like still raise: text that is no number, bytes that are no UTF-8,
            decimals of too many digits.
        strict : bool
            If False, exactly the items that would raise become null: text that is not a number; a number with a fraction, NaN or
            a number out of range, for integers; a timestamp that is not midnight, for dates.

        Returns
        -------
        JaggedArray
            Of the same shape; the shape object is shared. Null stays null. Cost: one pass, a few more if items don't fit.
            Floats and decimals are rounded to the nearest number of a float type, and floats to the places of a decimal type;
            beyond the range they don't fit. Integers must fit exactly. A timestamp fits dates at midnight, and times of day on
            1970-01-01: `dt.date` and `dt.time` take a part of any timestamp. A time becomes the count of its unit since 1970-01-01
            (dates: of days, times of day: since midnight), and a number becomes a time in the same way. The fields of structs, and
            the items of lists in fields, are cast as columns of them; fields are matched by name, and one that is missing is null.

        Raises
        ------
        JagValueError
            If an item does not fit and `safe` and `strict` are both True (the message names the row), or if both are False.
        JagTypeError
            If Arrow can't cast between the types.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).cast("float32").type
        DataType(float)
        >>> aj.array([["1", "x"], ["-2"]]).cast("int64", strict=False).to_list()
        [[1, None], [-2]]
        """
        if isinstance(type, _ops.Categories):
            return self._wrap(casts.to_categories(self, type, strict))
        return self._wrap(casts.cast(self, _ops.as_type(type), safe, strict))

    @method("v")
    def fill_null(self, v: Any) -> JaggedArray:
        """Replace null leaves by a value; an array of the same ndim also replaces null rows.

        Parameters
        ----------
        v : scalar or array
            A scalar or an array of fewer dims fills leaves; an array of as many dims also replaces null rows.

        Returns
        -------
        JaggedArray
            Of the promoted type, with null leaves replaced; null rows stay null with a scalar filler. Cost: one pass.

        Raises
        ------
        ShapeError
            If the sizes of rows that are valid in both differ.
        %(unlike_values)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], None]).fill_null(0).to_list()
        [[1, 0], None]
        """
        return self._wrap(_ops.fill_null(self, operand(v, self.type, "fill_null")))

    @method("y", rows=_filler_rows, result_type=_filled_type)
    def fill_null_rows(self, y: Any, axis: int = 0) -> JaggedArray:
        """Replace null rows at an axis by the rows of another array.

        Parameters
        ----------
        y : JaggedArray or nested list
            An array of as many dims with the same rows at that axis, or a single row that replaces every null row; ``[]`` is an
            empty row of any number of dims.
        axis : int
            The axis of the rows; 0 for the outermost ones.

        Returns
        -------
        JaggedArray
            Of the promoted type, with valid rows unchanged. Cost: one gather.

        Raises
        ------
        ShapeError
            If `y` has other dims or other rows at the axis.
        %(unlike_values)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1], None]).fill_null_rows([[], [7]]).to_list()
        [[1], [7]]
        """
        depth = structure.normalize_axis(axis, self.ndim, "fill_null_rows") + 1
        if isinstance(y, list) and not y and self.ndim > depth + 1:
            y = empty(self.type, self.ndim - depth, self.shape.extents[depth:])
        filler = operand(y, self.type, "fill_null_rows")
        filler = filler if isinstance(filler, Column) else as_column(filler)
        type = _ops.common_type([self.type, filler.type], "fill_null_rows")
        whole, fillers = (_ops.cast(one, type, operation="fill_null_rows") for one in (self, filler))
        return self._wrap(structure.fill_null_rows(whole, depth, fillers))

    @method(rows=_validity_rows)
    def validity(self, axis: int = 0) -> pa.Array:
        """Return the validity of the items at an axis.

        Parameters
        ----------
        axis : int
            0 for the outermost rows, -1 for the leaves.

        Returns
        -------
        pa.BooleanArray
            Flat, one entry per item; True is valid. Cost: one pass over the items.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], None]).validity().to_pylist()
        [True, False]
        """
        depth = structure.normalize_axis(axis, self.ndim, "validity") + 1
        return pc.invert(_null_flags(self, depth))

    @method("mask", rows=_rows_of_mask)
    def with_validity(self, axis: int, mask: Any) -> JaggedArray:
        """Replace the validity of the items at an axis.

        Parameters
        ----------
        axis : int
            0 for the outermost rows, -1 for the leaves.
        mask : array-like of bool, or None
            One entry per item at that axis, True for valid, False or null for null: flat, or jagged with the dims up to that axis;
            None makes all items valid.

        Returns
        -------
        JaggedArray
            With the new validity. Items of rows that become null are dropped; rows that become valid are empty; null leaves stay
            null. Values are shared unless items are dropped.

        Raises
        ------
        ShapeError
            If the mask has another length or shape, or a row that becomes valid would have to have a declared extent.
        JagTypeError
            If the mask does not hold booleans.
        JagValueError
            If the mask is None and a leaf is null.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).with_validity(0, [True, False]).to_list()
        [[1, 2], None]
        """
        depth = structure.normalize_axis(axis, self.ndim, "with_validity") + 1
        n = self.shape.nodes(depth)
        keep = np.ones(n, bool) if mask is None else _flags(mask, self, axis)
        if len(keep) != n:
            raise ShapeError(f"with_validity: axis {axis} of {self.shape!r} has {plural(n, 'item')}, but the mask has {len(keep)}")
        return self._wrap(_revalidated(self, depth, keep, mask is None))


def _flags(mask: Any, array: Column, axis: int) -> BoolArray:
    """Convert a mask, flat or jagged, to one flag per item at an axis; nulls are False.

    Arrow's booleans become bytes at once: numpy reads them one by one, those with nulls as objects.
    """
    if isinstance(mask, np.ndarray) and mask.dtype == bool and mask.ndim == 1:
        return mask.copy() if mask.flags.writeable else mask
    column = as_column(mask)
    if column.ndim == 0:
        raise JagTypeError(f"with_validity takes a flat mask, one bool per item, got {type(mask).__name__}")
    if column.ndim > 1 and column.shape != (wanted := array.shape[: axis % array.ndim + 1]):
        raise ShapeError(f"with_validity: axis {axis} of {array.shape!r} has shape {wanted!r}, but the mask {column.shape!r}")
    values = column.values
    if pt.is_null(values.type):
        return np.zeros(len(values), bool)
    if not pt.is_boolean(values.type):
        raise JagTypeError(f"with_validity: the mask must hold booleans, got {values.type}")
    flags = _arrow.data_alone(pc.fill_null(values, False) if values.null_count else values)
    flags.flags.writeable = False
    return flags


def _bound(column: Column, value: Any, *, is_lower: bool) -> _ops.Operand | None:
    """Convert a bound of `clip`; None if it limits no item."""
    return (
        _ops.bound_like(value, column.type, is_lower=is_lower)
        if type(value) in (int, float)
        else operand(value, column.type, "clip")
    )


def _revalidated(column: Column, depth: int, keep: Any, everything: bool) -> Column:
    """Replace the validity of the items after the first `depth` dims."""
    if depth == column.ndim:
        if everything and column.values.null_count:
            raise JagValueError("with_validity: null leaves have no value to become valid; use fill_null")
        return structure.null_items(column, depth, keep)
    dims = list(column.shape.dims)
    extent = dims[depth].extent
    dims[depth] = dims[depth].with_extent(None).with_validity(None)
    changed = structure.null_items(structure.with_shape(JaggedShape._trusted(dims), column), depth, keep)
    if extent is None:
        return changed
    dims = list(changed.shape.dims)
    dims[depth] = dims[depth].with_extent(extent)
    return structure.with_shape(JaggedShape._trusted(dims), changed)


def _has_own_rules(other: Any) -> bool:
    """Return whether an object, such as a Series or a placeholder of a traced function, defines its own operators with arrays."""
    return not issubclass(type(other), Column) and (getattr(other, "__pandas_priority__", 0) > 0 or hasattr(other, "_pyexpr"))


def _by_their_rules(function: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    for host in HOSTS:
        if host.operate is not None and any(map(host.owns, operands)):
            return host.operate(function, operands)
    return NotImplemented


def _scalar_result(name: str, pair: tuple[Any, ...]) -> Any:
    wrapped = Column(JaggedShape(), pa.repeat(pair[0], 1) if pair[0].is_valid else pa.nulls(1, pair[0].type))
    return _ops.binary(name, wrapped, pair[1]).values[0]
