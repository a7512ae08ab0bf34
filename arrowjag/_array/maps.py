"""Methods of maps: look entries up by key, items by position, and convert rows of entries to Arrow's maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _column
from arrowjag._array.base import ArrayBase, as_column, operand
from arrowjag._array.indexing import amount
from arrowjag._column import Column
from arrowjag._methods import Rows, method, over_axis
from arrowjag._ops import elementwise, struct_fields
from arrowjag._ops import maps as _ops
from arrowjag._runtime.warnings import warn
from arrowjag.errors import JagTypeError, brief
from arrowjag.typing import ArrayOrScalar

__all__ = ["MapMethods", "warn_of_duplicates"]


def _get_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """An array may be one default per row, or the one for all rows if the values are lists; surfaces pass it whole."""
    rows = over_axis(ndim, arguments)
    return Rows.KEPT if rows is Rows.LOCAL and _is_array(arguments.get("default")) else rows


def _get_type(x: Any, key: Any, default: Any = None) -> Any:
    """The type of `get`; constant defaults, of which there is one per row, are taken without them."""
    if _is_array(default):
        values, below = _values_of(struct_fields.opened_maps(x))
        given = _default(default, values, below)
        default = x._wrap(given) if given.ndim <= below else x._wrap(given)[:0]
    return x.get(key, default)


def _is_array(value: Any) -> bool:
    return value is not None and not isinstance(value, (str, bytes, dict)) and as_column(value).ndim > 0


def _values_of(column: Column) -> tuple[Column, int]:
    """Return the values that `get` looks up in maps, or the items, and the number of dims of each."""
    if not _ops.is_entry(column.type):
        return column, 0
    values = struct_fields.field(column, "value")
    return values, values.ndim - column.ndim


class MapMethods(ArrayBase):
    """Methods of rows of entries, which are structs of `key` and `value`."""

    __slots__ = ()

    @method("key", "default", rows=_get_rows, result_type=_get_type)
    def get(self, key: Any, default: Any = None) -> ArrayOrScalar:
        """Look up the value of a key in each map, or the item at a position of each row.

        Parameters
        ----------
        key : scalar or array
            If the leaves are entries of maps, structs of exactly `key` and `value`: a key. For all other leaves: an int, the
            position in the row; negative counts from the end. An array has one key or position per row, or is broadcast to the
            rows by the prefix rule.
        default : scalar or array, optional
            The result where a map has no such key, or a position is out of range: null by default. An array has one per row. If the
            values of a map are lists, the default is a list.

        Returns
        -------
        JaggedArray, or pa.Scalar
            One item per row, with one dim less; values that are lists keep their dims. Null where the row, the key or the found
            value is null; an empty row gives the default. If a key occurs twice in a row, its last value is found. Cost: one
            pass over the keys and one gather.

        Raises
        ------
        JagTypeError
            If the type of the leaves does not fit the key: for example text for leaves that are not maps, or a number for keys
            of text.
        ShapeError
            If the shape of an array is not a prefix of the rows.
        %(unfit_value)s

        Examples
        --------
        >>> import arrowjag as aj, pyarrow as pa
        >>> x = aj.array([[("a", 1), ("b", 2)], [], None], type=pa.map_(pa.string(), pa.int64()))
        >>> x.get("a").to_list(), x.get("a", 0).to_list(), x.get(["b", "b", "b"]).to_list()
        ([1, None, None], [1, 0, None], [2, None, None])
        >>> aj.array([[1, 2, 3], [4], []]).get(-2, 0).to_list()
        [2, 0, 0]
        """
        column: Column = struct_fields.opened_maps(self)
        if _ops.is_entry(column.type):
            sought: Any = _key(column, key, "get")
        else:
            if isinstance(key, (str, bytes)):
                raise JagTypeError(
                    f"get: leaves of {column.type} are looked up by position, got the key {brief(key)}; keys need the leaves "
                    "of a map, structs with the fields key and value"
                )
            sought = amount(key, "get: key")
        return self._wrap(_ops.get(column, sought, None if default is None else _default(default, *_values_of(column))))

    @method("k")
    def contains_key(self, k: Any) -> ArrayOrScalar:
        """Return whether each map has a key.

        Parameters
        ----------
        k : scalar or array
            The key; an array has one per row, or is broadcast to the rows by the prefix rule.

        Returns
        -------
        JaggedArray
            Booleans, one per row: null where the row or the key is null, False for an empty row. Cost: one pass over the keys.

        Raises
        ------
        JagTypeError
            If the leaves are not structs with exactly the fields key and value, or have keys of another type.
        ShapeError
            If the shape of an array is not a prefix of the rows.

        Examples
        --------
        >>> import arrowjag as aj, pyarrow as pa
        >>> x = aj.array([[("a", 1), ("b", 2)], [], None], type=pa.map_(pa.string(), pa.int64()))
        >>> x.contains_key("a").to_list()
        [True, False, None]
        """
        column: Column = struct_fields.opened_maps(self)
        if column.ndim < 2 or not _ops.is_entry(column.type):
            raise JagTypeError(
                f"contains_key needs the leaves of a map, structs with the fields key and value, got {column.shape!r} of "
                f"{column.type}; contains(v) looks for an item"
            )
        return self._wrap(_ops.contains_key(column, _key(column, k, "contains_key")))

    @method()
    def to_map(self) -> pa.Array:
        """Convert rows of entries to Arrow maps.

        Returns
        -------
        pa.Array
            Of one dim less: a map array, in lists for the dims above. A null row is a null map. If a key occurs twice in a row,
            its first position and its last value are kept. pandas gives a column of `ArrowDtype`, polars a Map (a List of
            structs before polars 2.1). Cost: one pass over the keys; values are shared unless a key occurs twice.

        Raises
        ------
        JagTypeError
            If the leaves are not structs with exactly the fields key and value.
        JagValueError
            If a key is null; the message names the row.

        Warns
        -----
        JagWarning
            If entries were dropped because their key occurs twice in a row; the message says how many.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.to_map([["a", "b"], []], [[1, 2], []])
        >>> x.to_map().type
        MapType(map<string, int64>)
        >>> aj.array(x.to_map()).equals(x)
        True
        """
        found, dropped = _ops.unique_entries(self)
        warn_of_duplicates(dropped)
        return _column.to_arrow(_ops.as_maps(found))


def warn_of_duplicates(dropped: int) -> None:
    """Warn that entries of maps were dropped."""
    if dropped:
        entries, repeat = ("entry was", "its key occurs") if dropped == 1 else ("entries were", "their keys occur")
        text = f"to_map: {dropped} {entries} dropped because {repeat} again in the row; the last value of each key stays"
        warn(text)


def _key(column: Column, key: Any, operation: str) -> Any:
    """Convert a key to a scalar or a column of a type that keys can equal."""
    type = column.type.field("key").type
    found = operand(key, type, operation, by_value=True)
    if not _comparable(found.type, type):
        got = f"keys of {found.type}" if isinstance(found, Column) else repr(key)
        raise JagTypeError(f"{operation}: the keys of the maps are {type}, got {got}")
    return found


def _comparable(one: pa.DataType, two: pa.DataType) -> bool:
    try:
        elementwise.promote([one, two], "get")
    except JagTypeError:
        return False
    return True


def _default(default: Any, values: Column, below: int) -> Any:
    """Convert a default to a scalar or a column; a null scalar of no type stays."""
    if below and isinstance(default, (list, tuple, np.ndarray)):
        return as_column(default, ndim=max(below, as_column(default).ndim))
    return operand(default, values.type, "get")
