"""A user's own function of rows or items: map_rows, fold, scan, map_items."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from arrowjag import _column
from arrowjag._array.base import ArrayBase, operand
from arrowjag._column import Column
from arrowjag._methods import along_axis, method, over_aligned_axis, over_axis
from arrowjag._ops import elementwise, row_functions, structure
from arrowjag.errors import JagError, JagTypeError
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["RowFunctionMethods", "needed_type"]


def _leaf(type: Any) -> pa.DataType | None:
    return None if type is None else elementwise.as_type(type)


def needed_type(type: Any, operation: str) -> pa.DataType:
    """Return the type of results, which a plan requires before the function has run."""
    if type is None:
        raise JagTypeError(
            f"{operation}: an expression must know the type of its results before it runs; give type='float64' or another"
        )
    try:
        return elementwise.as_type(type)
    except JagError as error:
        error.begin_with(operation, ())
        raise


def _map_rows_type(x: Any, f: Any, type: Any = None, axis: Any = -1, skip_nulls: bool = True) -> Any:  # noqa: ARG001
    return x._wrap(row_functions.map_rows_type(x, needed_type(type, "map_rows"), axis))


def _aligned(x: Any, arrays: Any, operation: str) -> Any:
    """Return the column whose dims the results have: operands are aligned, so that each has the declared extents of all."""
    return structure.align([x, *(one for one in arrays if isinstance(one, Column) and one.ndim)], operation)[0]


def _fold_type(x: Any, f: Any, start: Any, arrays: Any = (), type: Any = None, axis: Any = -1) -> Any:  # noqa: ARG001
    return x._wrap(row_functions.fold_type(_aligned(x, arrays, "fold"), needed_type(type, "fold"), axis))


def _scan_type(x: Any, f: Any, start: Any, arrays: Any = (), type: Any = None) -> Any:  # noqa: ARG001
    return _of_items(x, arrays, type, "scan")


def _map_items_type(x: Any, f: Any, arrays: Any = (), type: Any = None) -> Any:  # noqa: ARG001
    return _of_items(x, arrays, type, "map_items")


def _of_items(x: Any, arrays: Any, type: Any, operation: str) -> Any:
    """An empty array with one result per item."""
    longest = _aligned(x, arrays, operation)
    return x._wrap(_column.empty(needed_type(type, operation), longest.ndim, longest.shape.extents))


class RowFunctionMethods(ArrayBase):
    """Operations that call a function of the user's."""

    __slots__ = ()

    @method(rows=over_axis, result_type=_map_rows_type)
    def map_rows(self, f: Callable[..., Any], type: Any = None, axis: Any = -1, skip_nulls: bool = True) -> ArrayOrScalar:
        """Call a function on each row.

        Parameters
        ----------
        f : callable
            Takes a row and returns a scalar, a row or None. A row of numbers, booleans or times is a read-only numpy array of the
            items that are not null; a row of structs of such fields is a named tuple of arrays. Numbers are int64 or float64,
            and uint64 if the column is. Times with a zone are times of UTC in arrays, which have no zones; give ``type=x.type`` for
            results with the zone. Rows of any other type, and rows that hold rows, are lists with None for null.
        type : pa.DataType or str, optional
            The Arrow type of the results; a list type adds a dim. By default numpy's promotion of all results
            decides, and Arrow infers the type of results that are not numeric. Lazy polars frames need it.
        axis : int, tuple of int or None
            The dim along which rows run; dims below it become nested lists.
        skip_nulls : bool
            If False, the array includes null items, with arbitrary values, and `f` gets a second array of booleans that is True
            for items that are not null.

        Returns
        -------
        JaggedArray or pa.Scalar
            One result of the function per row. A null row stays null, and the function is not called for it. An empty row is
            passed as an empty array.

        Raises
        ------
        JagTypeError
            If a result of the function does not fit `type`.

        Warns
        -----
        JagWarning
            If numba is installed and cannot compile the function, or gives other results than Python, with the reason; the
            interpreter calls it then. The first rows are compared, rows with NaN or infinities, the rows with the smallest and
            the largest item, with a zero and with the most items, and a few others.

        See Also
        --------
        arrowjag.map_rows : The same for several arrays.

        Notes
        -----
        Values of 64 bits are shared with the rows that the function gets; others are converted once, and copied once where nulls
        are left out. The interpreter costs about 4 µs per row. From 100,000 rows or 10 million items on the function is compiled
        where numba is installed (``pip install "arrowjag[compiled]"``), once per process, and runs on all cores;
        `arrowjag.options` can turn that off.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 5, 2], [], None]).map_rows(lambda row: row.max() - row.min() if len(row) else 0).to_list()
        [4, 0, None]
        """
        return self._wrap(row_functions.map_rows(f, [self], _leaf(type), axis, bool(skip_nulls)))

    @method("start", "*arrays", rows=over_aligned_axis, result_type=_fold_type)
    def fold(self, f: Callable[..., Any], start: Any, *arrays: Any, type: Any = None, axis: Any = -1) -> ArrayOrScalar:
        """Combine the items of each row from left to right with a function of a state and an item.

        Parameters
        ----------
        f : callable
            ``f(state, item, ...)`` returns the next state.
        start : scalar or array
            The first state of every row, or one per row. The Python value None is passed to the function as the first state of
            every row; a null in an array gives null for its row.
        *arrays : array or scalar
            Further arguments of the function: the items of arrays of the same shape; one value per row of arrays of fewer dims.
        type : pa.DataType or str, optional
            The Arrow type of the states; by default that of the results. Lazy polars frames need it.
        axis : int, tuple of int or None
            The dim along which items are combined; several trailing dims are combined together. Along an outer dim, the items
            at the same position are combined in the order of the rows.

        Returns
        -------
        JaggedArray or pa.Scalar
            The last state of each row: `start` for an empty row, null for a null row and where `start` or a value per row is
            null. Slots that are null in any array are left out. Along an outer axis null rows count as absent.

        Raises
        ------
        JagTypeError
            If states do not fit `type`.
        ShapeError
            If shapes do not fit.

        Notes
        -----
        The function is called once per item, at the cost that `map_rows` describes, and is compiled in the same cases.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [], None]).fold(lambda state, digit: 10 * state + digit, 0).to_list()
        [123, 0, None]
        """
        columns = [self, *(operand(one, None, "fold") for one in arrays)]
        return self._wrap(row_functions.fold(f, operand(start, None, "fold"), columns, _leaf(type), axis))

    @method("start", "*arrays", rows=along_axis, result_type=_scan_type)
    def scan(self, f: Callable[..., Any], start: Any, *arrays: Any, type: Any = None) -> JaggedArray:
        """Return the state after each item of a row, computed by a function of a state and an item.

        Parameters
        ----------
        f : callable
            ``f(state, item, ...)`` returns the next state.
        start : scalar or array
            The state before the first item of every row, or one per row. The Python value None is passed to the function as this
            state of every row.
        *arrays : array or scalar
            Further arguments of the function: the items of arrays of the same shape; one value per row of arrays of fewer dims.
        type : pa.DataType or str, optional
            The Arrow type of the states; by default that of the results. Lazy polars frames need it.

        Returns
        -------
        JaggedArray
            One state per item. Slots that are null in any array stay null, and the function is not called for them; a null row
            stays null, and the states of a row whose `start` or value per row is null are null.

        Raises
        ------
        JagTypeError
            If states do not fit `type`.
        ShapeError
            If shapes do not fit.

        Notes
        -----
        The function is called once per item, at the cost that `map_rows` describes, and is compiled in the same cases.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[8, 4, None, 2], [1]]).scan(lambda level, item: level / 2 + item, 0.0).to_list()
        [[8.0, 8.0, None, 6.0], [1.0]]
        """
        columns = [self, *(operand(one, None, "scan") for one in arrays)]
        found: JaggedArray = self._of(row_functions.scan(f, operand(start, None, "scan"), columns, _leaf(type)))
        return found

    @method("*arrays", result_type=_map_items_type)
    def map_items(self, f: Callable[..., Any], *arrays: Any, type: Any = None) -> JaggedArray:
        """Call a function on each item.

        Parameters
        ----------
        f : callable
            ``f(item, ...)`` returns a scalar, a row or None.
        *arrays : array or scalar
            More arguments of the function, broadcast against each other by the prefix rule.
        type : pa.DataType or str, optional
            The Arrow type of the results; by default it follows from them. Lazy polars frames need it.

        Returns
        -------
        JaggedArray
            One result per item. Where an argument is null the result is null, and the function is not called.

        Raises
        ------
        JagTypeError
            If results do not fit `type`.
        ShapeError
            If shapes do not fit.

        Notes
        -----
        The function is called once per item, at the cost that `map_rows` describes, and is compiled in the same cases.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 12], [None]]).map_items(lambda item: 1 if item > 9 else 0).to_list()
        [[0, 1], [None]]
        """
        columns = [self, *(operand(one, None, "map_items") for one in arrays)]
        found: JaggedArray = self._of(row_functions.map_items(f, columns, _leaf(type)))
        return found
