"""Free functions that combine the items of several arrays to structs: zip, cartesian and argcartesian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column, operand
from arrowjag._array.combining import rows_of_zipped
from arrowjag._column import Column
from arrowjag._methods import Rows, free_function, most_dims, touches_rows
from arrowjag._ops import elementwise, products, struct_fields
from arrowjag.errors import JagTypeError
from arrowjag.typing import ArrayOrScalar

__all__ = ["argcartesian", "cartesian", "zip"]


def _combined_rows(arguments: Mapping[str, Any]) -> Rows:
    """The effect of a product: combinations of whole rows change the rows of the frame."""
    flags = (arguments["nested"], arguments["axis"])  # fields if they are arrays
    ndim = most_dims(*arguments["arrays"], *arguments.get("named", {}).values(), *flags)
    axis = -1 if isinstance(arguments["axis"], Column) else arguments["axis"]
    return Rows.MOVED if touches_rows(axis, ndim) else Rows.LOCAL


@free_function(rows=lambda arguments: rows_of_zipped(0, arguments))
def zip(*arrays: Any, pad: Any = False, **named: Any) -> ArrayOrScalar:
    """Combine the items of several arrays into structs.

    Parameters
    ----------
    *arrays : array or scalar
        Fields named "0", "1", ...
    pad : bool
        If False, all arrays are broadcast against each other by the prefix rule. If True, innermost rows may differ in size:
        shorter ones are filled with nulls, and an array of fewer dims, or a scalar, counts as a row of one item. An array
        passed as `pad` becomes a field of that name.
    **named : array or scalar
        Fields by name.

    Returns
    -------
    JaggedArray
        Structs with one field per argument; a null item becomes a null field. A row that is null in any array is null.
        Without `pad`, values of the longest arrays are shared.

    Raises
    ------
    ShapeError
        If no shape has all others as prefixes; with `pad`, if the dims above the innermost rows differ.
    JagTypeError
        If there is no argument.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.zip(query=[1, 2], page=aj.array([["a", "b"], ["c"]])).to_list()
    [[{'query': 1, 'page': 'a'}, {'query': 1, 'page': 'b'}], [{'query': 2, 'page': 'c'}]]
    >>> aj.zip(a=aj.array([[1, 2], []]), b=aj.array([["x"], ["y"]]), pad=True).to_list()
    [[{'a': 1, 'b': 'x'}, {'a': 2, 'b': None}], [{'a': None, 'b': 'y'}]]
    """
    parts = _fields(arrays, named | ({} if isinstance(pad, bool) else {"pad": pad}), "zip")
    return JaggedArray._wrap(products.zip_padded(parts) if pad is True else struct_fields.zip_fields(parts))


@free_function(rows=_combined_rows)
def cartesian(*arrays: Any, nested: Any = False, axis: int | Any = -1, **named: Any) -> ArrayOrScalar:
    """Return all combinations of one item of each array, in each row.

    Parameters
    ----------
    *arrays : array or scalar
        Fields named "0", "1", ...; the types, and the sizes of the rows to combine, may differ. An array of fewer dims, or a
        scalar, counts as a row of one item.
    nested : bool
        If True, add a dim for each array but the first: combinations that begin with the same items form one row. An array
        passed as `nested` becomes a field of that name.
    axis : int
        The dim whose items are combined, counted in the array with the most dims; items that are rows stay whole. An array passed
        as `axis` becomes a field of that name.
    **named : array or scalar
        Fields by name.

    Returns
    -------
    JaggedArray
        Structs with one field per argument; the last field varies fastest. A row that is null in any array is null; null
        items count as items. Cost: one gather per field.

    Raises
    ------
    ShapeError
        If the dims above the rows differ.
    JagIndexError
        If the axis is out of range.
    JagMemoryError, JagOverflowError
        If the combinations don't fit into memory.

    Notes
    -----
    Corresponds to awkward's `cartesian`. `JaggedArray.pairs` returns rows of two items of one type instead of structs.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.cartesian(a=aj.array([[1, 2], [3]]), b=aj.array([["x", "y"], []])).to_list()
    [[{'a': 1, 'b': 'x'}, {'a': 1, 'b': 'y'}, {'a': 2, 'b': 'x'}, {'a': 2, 'b': 'y'}], []]
    >>> aj.cartesian(aj.array([[1, 2]]), aj.array([[8, 9]]), nested=True)["1"].to_list()
    [[[8, 9], [8, 9]]]
    >>> aj.cartesian(a=aj.array([[1, 2], [3]]), b=aj.array([["x"], ["y"]]), axis=0)[1].as_py()
    {'a': [1, 2], 'b': ['y']}
    """
    return _product(arrays, named, nested, axis, "cartesian")


@free_function(rows=_combined_rows)
def argcartesian(*arrays: Any, nested: Any = False, axis: int | Any = -1, **named: Any) -> ArrayOrScalar:
    """Return the positions of all combinations of one item of each array, in each row.

    Parameters
    ----------
    *arrays : array or scalar
        As in `cartesian`.
    nested : bool
        As in `cartesian`.
    axis : int
        As in `cartesian`.
    **named : array or scalar
        Fields by name.

    Returns
    -------
    JaggedArray
        As in `cartesian`, with int64 positions in the row in place of items; null rows stay null.

    Raises
    ------
    ShapeError
        If the dims above the rows differ.
    JagIndexError
        If the axis is out of range.
    JagMemoryError, JagOverflowError
        If the combinations don't fit into memory.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.argcartesian(a=aj.array([["u", "v"], []]), b=aj.array([["x"], ["y"]])).to_list()
    [[{'a': 0, 'b': 0}, {'a': 1, 'b': 0}], []]
    """
    return _product(arrays, named, nested, axis, "argcartesian")


def _product(arrays: Sequence[Any], named: dict[str, Any], nested: Any, axis: Any, operation: str) -> ArrayOrScalar:
    flags = {"nested": isinstance(nested, bool), "axis": isinstance(axis, (int, np.integer))}
    given = {"nested": nested, "axis": axis}
    parts = _fields(arrays, named | {name: given[name] for name, is_flag in flags.items() if not is_flag}, operation)
    place = axis if flags["axis"] else -1
    return JaggedArray._wrap(products.cartesian(parts, nested is True, operation == "argcartesian", place, operation))


def _fields(arrays: Sequence[Any], named: dict[str, Any], operation: str) -> dict[str, elementwise.Operand]:
    """Operands by the name of their field."""
    given = {str(place): one for place, one in enumerate(arrays)} | named
    if not given:
        raise JagTypeError(f"{operation} needs at least one array")
    parts = {name: operand(one, None, operation) for name, one in given.items()}
    if not elementwise.columns_of(list(parts.values())):
        parts = {name: as_column(one) for name, one in parts.items()}
    return parts
