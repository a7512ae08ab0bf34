"""Methods that combine an array with others: apply, where, coalesce, zip, concat."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from arrowjag._arguments import bound
from arrowjag._array.base import ArrayBase, as_column, operand
from arrowjag._arrow.foreign import exports_arrow
from arrowjag._column import Column
from arrowjag._methods import Rows, changing_axis, method, most_dims
from arrowjag._ops import concat, elementwise, products, struct_fields
from arrowjag.errors import JagError, JagTypeError, JagValueError, ShapeError, brief, plural
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["CombiningMethods", "apply_function", "opened", "promoted", "rows_of_function", "rows_of_zipped"]


def rows_of_function(function: Any) -> Rows:
    """Return the effect on rows of a function of flat arrays: scalar functions of Arrow and ufuncs compute each item alone.

    All other functions may read other items, such as "cumulative_sum", and a caller's own may be any.
    """
    if isinstance(function, np.ufunc):
        return Rows.LOCAL
    name = function if isinstance(function, str) else getattr(function, "__arrow_compute_function__", {}).get("name", "")
    try:
        return Rows.LOCAL if pc.get_function(name).kind == "scalar" else Rows.KEPT
    except KeyError:
        return Rows.KEPT


def rows_of_zipped(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """Return the effect of `zip` on rows: with `pad`, a plain column is one row, in which a scalar is the first item."""
    dims = most_dims(*arguments["arrays"], *arguments["named"].values())
    return Rows.KEPT if arguments["pad"] is True and max(ndim, dims) <= 1 else Rows.LOCAL


def apply_function(fn: str | Callable[..., Any], arrays: Sequence[Any], options: dict[str, Any]) -> Column:
    """Call a function of flat arrays on the values of aligned arrays; see `apply`."""
    if isinstance(fn, np.ufunc):
        return _apply_ufunc(fn, arrays, options)
    function = _compute_function(fn)
    name = fn if isinstance(fn, str) else getattr(fn, "__name__", "apply")
    operands = [operand(one, None, name) for one in arrays]
    if not elementwise.columns_of(operands):
        operands = [as_column(one) for one in operands]
    if not operands:
        raise JagTypeError("apply needs at least one array")

    def call(*data: Any) -> Any:
        n = next(len(one) for one in data if isinstance(one, pa.Array))
        result = elementwise.compute(name, data[0]) if isinstance(fn, str) and len(data) == 1 and not options else None
        if result is None:
            elementwise.check_rounded(name, function, *data, **options)
            result = _called(function, data, options)
        if not isinstance(result, (pa.Array, pa.ChunkedArray)) or len(result) != n:
            raise ShapeError(
                f"apply: {name} does not give one value for each of {plural(n, 'item')}; reductions are methods of arrays"
            )
        return result

    flat = elementwise.apply(call, operands, f"apply: {name}")
    return struct_fields.with_levels(flat.shape, flat.values)


def _called(function: Callable[..., Any], data: Sequence[Any], options: dict[str, Any]) -> Any:
    """Call a function; raise an error of `apply` for arguments that a function of pyarrow doesn't take."""
    try:
        return function(*data, **options)
    except TypeError as error:
        if isinstance(error, JagError) or function.__module__ != pc.__name__:
            raise
        name = f"pyarrow.compute.{function.__name__}"
        bound(name, inspect.signature(function), tuple(data), options)
        raise JagTypeError(f"apply: {name}: {error}") from None


def _apply_ufunc(function: np.ufunc, arrays: Sequence[Any], options: dict[str, Any]) -> Column:
    """Call a ufunc of numpy as arrays do that are its operands."""
    name = function.__name__
    if options or function.nout > 1:
        reason = f"takes no options on jagged arrays, got {', '.join(options)}" if options else "returns several arrays"
        raise JagTypeError(f"apply: {name} {reason}; call np.{name}")
    if len(arrays) != function.nin:
        raise JagTypeError(f"apply: {name} takes {plural(function.nin, 'array')}, got {len(arrays)}")
    columns = elementwise.columns_of([operand(one, None, name) for one in arrays])
    if not columns:
        return elementwise.ufunc(function, [as_column(one) for one in arrays])[0]
    by_value = name in elementwise.COMPARISONS
    return elementwise.ufunc(function, [operand(one, columns[0].type, name, by_value=by_value) for one in arrays])[0]


def _compute_function(fn: str | Callable[..., Any]) -> Callable[..., Any]:
    if not isinstance(fn, str):
        if not callable(fn):
            raise JagTypeError(f"apply takes a function or the name of one of pyarrow.compute, got {type(fn).__name__}")
        return fn
    found = None if fn.startswith("_") else getattr(pc, fn, None)
    if found is None or not callable(found):
        raise JagTypeError(f"apply: pyarrow.compute has no function {brief(fn)}")
    function: Callable[..., Any] = found
    return function


def promoted(arrays: Any, operation: str) -> Sequence[Column]:
    """Convert arrays to columns of one leaf type."""
    is_several = isinstance(arrays, (list, tuple)) or (isinstance(arrays, Iterable) and getattr(arrays, "ndim", 1) > 0)
    if not is_several or isinstance(arrays, Column):
        raise JagTypeError(f"{operation} takes a list of arrays, got {type(arrays).__name__}")
    columns = [as_column(one) for one in arrays]
    if not columns:
        raise JagValueError(f"{operation} needs at least one array")
    wide = elementwise.common_type([column.type for column in columns], operation)
    return [elementwise.cast(column, wide, operation=operation) for column in columns]


def opened(arrays: Iterable[Any]) -> list[Any]:
    """Return arrays, with the members of lists of arrays in place of the lists; a list without arrays is itself an array."""
    found: list[Any] = []
    for one in arrays:
        is_several = isinstance(one, (list, tuple)) and any(map(_is_array, one))
        found += one if is_several else [one]
    return found


def _is_array(value: Any) -> bool:
    """Return whether a value is an array of Arrow or numpy, or a Series; tests the type, because placeholders have no arrays."""
    return isinstance(value, (Column, np.ndarray)) or exports_arrow(type(value))


class CombiningMethods(ArrayBase):
    """Methods that combine an array with others, as the free functions of the same names do."""

    __slots__ = ()

    @method("*arrays", rows=lambda _ndim, arguments: rows_of_function(arguments["function"]))
    def apply(self, function: str | Callable[..., Any], *arrays: Any, **options: Any) -> JaggedArray:
        """Call a function of pyarrow.compute or a ufunc on the items of this array and others.

        Parameters
        ----------
        function : str or callable
            The name of a function of `pyarrow.compute`, a ufunc of numpy, or any callable that takes flat Arrow arrays and
            scalars and returns an array of the same length. polars and dask call ufuncs and scalar functions of Arrow on parts of a
            column, all others on whole columns.
        *arrays : array or scalar
            Further arguments; arrays are broadcast against each other by the prefix rule.
        **options
            Passed on to the function.

        Returns
        -------
        JaggedArray
            Of the common shape; lists in the function's result become dims. Null rows stay null; the function decides what it
            returns for null items. Cost: that of the function on flat values.

        Raises
        ------
        JagTypeError
            If there is no such function, or it has no kernel for the types.
        ShapeError
            If shapes don't fit, or the function does not give one value per item.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a", None], ["b"]]).apply("utf8_upper").to_list()
        [['A', None], ['B']]
        """
        return self._wrap(apply_function(function, [self, *arrays], options))

    @method("c", "y")
    def where(self, c: Any, y: Any = None) -> ArrayOrScalar:
        """Keep items where a condition is true, and take others from another array.

        Parameters
        ----------
        c : array or scalar of bool
            The condition; a condition on rows chooses whole rows.
        y : array or scalar, optional
            The items where the condition is false; by default null.

        Returns
        -------
        JaggedArray
            The same result as ``aj.where(c, x, y)``, which is null where the condition or the chosen operand is null. Cost: one
            pass; if there are null rows, also a gather per level.

        Raises
        ------
        ShapeError
            If shapes differ in rows that are valid in both.
        JagTypeError
            If the condition is not boolean, or the types have no common type.
        %(unfit_value)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, -2], None, [3]])
        >>> x.where(x > 0, 0).to_list()
        [[1, 0], None, [3]]
        """
        other = operand(y, self.type, "where")
        return self._wrap(elementwise.where(operand(c, pa.bool_(), "where"), self, other))

    @method("*arrays")
    def coalesce(self, *arrays: Any) -> ArrayOrScalar:
        """Replace null items and null rows by those of the first other array in which they are not null.

        Parameters
        ----------
        *arrays : array or scalar
            Tried in this order; all are broadcast against each other by the prefix rule.

        Returns
        -------
        JaggedArray
            Equals ``aj.coalesce(x, *arrays)``. A row is null if it is null in all operands. Cost: one pass; with null rows a
            gather per level.

        Raises
        ------
        ShapeError
            If shapes differ in rows that are valid in both.
        %(unlike_values)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], None]).coalesce([[7, 8], [9]], 0).to_list()
        [[1, 8], [9]]
        """
        return self._wrap(elementwise.coalesce([self, *(operand(one, self.type, "coalesce") for one in arrays)]))

    @method("*arrays", "**named", rows=rows_of_zipped)
    def zip(self, *arrays: Any, pad: Any = False, **named: Any) -> JaggedArray:
        """Combine the items of this array and of others into structs.

        Parameters
        ----------
        *arrays : array or scalar
            Fields named "1", "2", ...; this array is the field "0".
        pad : bool
            Whether the innermost rows of the arrays may differ in size; shorter ones are then filled with nulls. An array
            passed here becomes a field named "pad".
        **named : array or scalar
            Fields by name.

        Returns
        -------
        JaggedArray
            Equals ``aj.zip(x, *arrays, **named)``: structs; a null item becomes a null field. Values of the longest arrays are
            shared.

        Raises
        ------
        ShapeError
            If shapes don't fit.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).zip(k=[10, 20]).to_list()
        [[{'0': 1, 'k': 10}, {'0': 2, 'k': 10}], [{'0': 3, 'k': 20}]]
        """
        given = {str(place): one for place, one in enumerate((self, *arrays))} | named
        given |= {} if isinstance(pad, bool) else {"pad": pad}
        parts = {name: operand(one, None, "zip") for name, one in given.items()}
        return self._wrap(products.zip_padded(parts) if pad is True else struct_fields.zip_fields(parts))

    @method("*arrays", rows=changing_axis)
    def concat(self, *arrays: Any, axis: int = 0) -> ArrayOrScalar:
        """Join this array and others along an axis.

        Parameters
        ----------
        *arrays : array
            Arrays of the same ndim, or lists of such arrays. Dims above the axis must agree in the rows that are valid in all.
        axis : int
            0 appends the rows of the arrays to each other; an inner axis appends the items of each row.

        Returns
        -------
        JaggedArray
            The same result as ``aj.concat([x, *arrays], axis)``. Along an inner axis, a row that is null in any array is null.
            Cost: one copy of the values.

        Raises
        ------
        ShapeError
            If ndims differ, or the dims above the axis do.
        %(unlike_items)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).concat([[4], [5, 6]], axis=1).to_list()
        [[1, 2, 4], [3, 5, 6]]
        """
        return self._wrap(concat.concat(promoted([self, *opened(arrays)], "concat"), axis))
