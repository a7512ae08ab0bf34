"""`JaggedDtype`: the pandas dtype of a jagged column."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.types as pt
from pandas.api.extensions import ExtensionDtype, register_extension_dtype

from arrowjag import _arrow, _column
from arrowjag._arguments import several
from arrowjag._column import Column
from arrowjag._integers import check_ndim, is_int
from arrowjag._ops import elementwise
from arrowjag._pyarrow_versions import has_views, without_views
from arrowjag._vocabulary.type_names import jagged_name, parse_dtype_name, parse_type_name, type_name
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, brief, plural
from arrowjag.pandas._index import JaggedIndex
from arrowjag.pandas.row import Row

__all__ = ["JaggedDtype", "array_class"]

_Array = TypeVar("_Array", bound=type)


def _leaf_type(leaf: Any) -> pa.DataType:
    if isinstance(leaf, str):
        return parse_type_name(leaf)
    try:
        return elementwise.as_type(leaf)
    except JagTypeError:
        raise JagTypeError(f"JaggedDtype takes an Arrow type, its name or a numpy dtype first, got {brief(leaf)}") from None


@register_extension_dtype
class JaggedDtype(ExtensionDtype):
    """The dtype of a jagged column: its leaf type, its ndim and its declared extents.

    Parameters
    ----------
    leaf : pa.DataType, str or numpy dtype
        The type of the values; a str is the name of an Arrow type, where ``"float"`` is float32 and ``"double"`` is float64.
    ndim : int
        Number of dims, the rows of the frame included; at least 2.
    extents : tuple of int or None, optional
        Declared size of each dim after the rows; None means a ragged dim.

    Raises
    ------
    ShapeError
        If `ndim` is below 2 or `extents` has another number of entries.
    JagTypeError
        If `leaf` names no Arrow type.

    Notes
    -----
    pandas parses the name of the dtype: ``pd.Series(data, dtype="jagged[double, 2]")``.

    Examples
    --------
    >>> from arrowjag.pandas import JaggedDtype
    >>> JaggedDtype("float", 3, extents=(None, 4))
    jagged[float, 3, extents=(None, 4)]
    """

    _metadata = ("leaf", "ndim", "extents")
    _array_class: ClassVar[Any]
    """Set by the decorator `array_class`: the module of the array imports this one."""

    def __init__(self, leaf: Any = "double", ndim: int = 2, extents: tuple[int | None, ...] | None = None) -> None:
        self._leaf: pa.DataType = _leaf_type(leaf)
        if not is_int(ndim) or ndim < 2:
            raise ShapeError(f"JaggedDtype needs ndim of at least 2, got {brief(ndim)}; a plain column has its own dtype")
        check_ndim(ndim, "JaggedDtype")
        self._ndim = int(ndim)
        self._extents = _checked_extents(extents, ndim)

    @property
    def leaf(self) -> pa.DataType:
        """The Arrow type of the values."""
        return self._leaf

    @property
    def ndim(self) -> int:
        """Number of dims, the rows of the frame included."""
        return self._ndim

    @property
    def extents(self) -> tuple[int | None, ...]:
        """Declared size of each dim after the rows; None where it is ragged."""
        return self._extents

    @property
    def arrow_type(self) -> JaggedType:
        """The Arrow extension type of the column."""
        return JaggedType.of(self._leaf, self._ndim, (None, *self._extents))

    @property
    def name(self) -> str:  # type: ignore[override]
        """The text that `construct_from_string` reads."""
        return jagged_name(type_name(self._leaf), self._ndim, self._extents)

    @property
    def type(self) -> Any:  # type: ignore[override]
        """The class of one row."""
        return Row

    @property
    def na_value(self) -> Any:
        """The missing value of null rows."""
        return pd.NA

    @property
    def _is_boolean(self) -> bool:
        """Whether pandas treats the column as a mask; it then converts to numpy booleans, and the array raises with a hint."""
        return pt.is_boolean(self._leaf)  # type: ignore[no-any-return]  # pyarrow is untyped

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            try:
                other = self.construct_from_string(other)
            except (TypeError, ValueError):
                return False
        if not isinstance(other, JaggedDtype):
            return False
        return self is other or (self._leaf, self._ndim, self._extents) == (other._leaf, other._ndim, other._extents)

    def __hash__(self) -> int:
        return hash(self.name)

    @classmethod
    def construct_from_string(cls, string: str) -> JaggedDtype:
        """Parse the name of a dtype.

        Parameters
        ----------
        string : str
            For example ``"jagged[double, 2]"``.

        Returns
        -------
        JaggedDtype
            The dtype.

        Raises
        ------
        JagTypeError
            If it is not the name of a jagged dtype; pandas then tries the next dtype.
        JagValueError
            If it begins like the name of a jagged dtype but can't be parsed. pandas reports this error.

        Examples
        --------
        >>> from arrowjag.pandas import JaggedDtype
        >>> JaggedDtype.construct_from_string("jagged[timestamp[us, tz=UTC], 2]").leaf
        TimestampType(timestamp[us, tz=UTC])
        """
        if not isinstance(string, str):
            raise JagTypeError(f"'construct_from_string' expects a string, got {type(string)}")
        try:
            return cls(*parse_dtype_name(string))
        except (ShapeError, JagTypeError) as error:
            text = (
                str(error) if isinstance(error, JagTypeError) else f"Cannot construct a 'JaggedDtype' from {brief(string)}: {error}"
            )
            if string.startswith("jagged["):
                raise JagValueError(f"{text}. The format is jagged[LEAF TYPE, NDIM], such as jagged[double, 2]") from None
            raise JagTypeError(text) from None

    @classmethod
    def construct_array_type(cls) -> Any:
        """Return the class of the arrays.

        Returns
        -------
        type
            `JaggedExtensionArray`.
        """
        return cls._array_class

    @classmethod
    def of(cls, column: Column) -> JaggedDtype:
        """Return the dtype of a column of two or more dims.

        Parameters
        ----------
        column : Column
            The column.

        Returns
        -------
        JaggedDtype
            With the extents that the shape declares.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.pandas.JaggedDtype.of(aj.array([[1, 2], [3]]))
        jagged[int64, 2]
        """
        return cls(column.type, column.ndim, tuple(column.shape.extents[1:]))

    @classmethod
    def from_arrow_type(cls, type: pa.DataType) -> Any:
        """Return the pandas dtype of an Arrow type.

        Parameters
        ----------
        type : JaggedType or nested list type
            The storage type of a column.

        Returns
        -------
        JaggedDtype
            For one dim, the `pandas.ArrowDtype` of the values, with large text and bytes in place of views.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from arrowjag.pandas import JaggedDtype
        >>> JaggedDtype.from_arrow_type(pa.list_(pa.list_(pa.int8(), 3)))
        jagged[int8, 3, extents=(None, 3)]
        """
        jagged = type if isinstance(type, JaggedType) else JaggedType(type)
        if jagged.ndim == 1:
            stored = jagged.storage_type
            return pd.ArrowDtype(without_views(stored) if has_views(stored) else stored)
        return cls(jagged.leaf_type, jagged.ndim, jagged.extents[1:])

    @property
    def index_class(self) -> Any:
        """The class of an index of rows."""
        return JaggedIndex

    def _empty_column(self) -> Column:
        """Return a column of this dtype without rows."""
        return _column.empty(self._leaf, self._ndim, (None, *self._extents))

    def __from_arrow__(self, array: pa.Array | pa.ChunkedArray) -> Any:
        return self._array_class._from_sequence(array, dtype=self)

    def _get_common_dtype(self, dtypes: list[Any]) -> Any:
        """The dtype of a concatenation: leaves promote as they do in arithmetic; a different ndim has none."""
        jagged = [_as_jagged(one) for one in dtypes]
        if any(one is None or one.ndim != self._ndim for one in jagged):
            return None
        try:
            leaf = elementwise.common_type([one.leaf for one in jagged if one is not None], "concat")
        except JagTypeError:
            return None
        extents = {one.extents for one in jagged if one is not None}
        return JaggedDtype(leaf, self._ndim, extents.pop() if len(extents) == 1 else None)


def array_class(cls: _Array) -> _Array:
    """Class decorator that registers the array class of `JaggedDtype`.

    Parameters
    ----------
    cls : type
        What `JaggedDtype.construct_array_type` returns from now on.

    Returns
    -------
    type
        The class, unchanged.
    """
    JaggedDtype._array_class = cls
    return cls


def _checked_extents(extents: Any, ndim: int) -> tuple[int | None, ...]:
    if extents is None:
        return (None,) * (ndim - 1)
    items = several(extents, f"JaggedDtype: extents of ndim {ndim} must be a tuple of int or None")
    given = tuple(int(one) if is_int(one) else one for one in items)
    wrong = [one for one in given if one is not None and (not is_int(one) or one < 0)]
    if len(given) != ndim - 1 or wrong:
        raise ShapeError(
            f"ndim={ndim} takes {plural(ndim - 1, 'extent')}, sizes or None, one for each dim after the rows, got {brief(given)}"
        )
    return given


def wanted_dtype(dtype: Any) -> JaggedDtype:
    """Convert the dtype, or the name of the dtype, that an array shall have; raise unless it is jagged."""
    try:
        found = pd.api.types.pandas_dtype(dtype)
    except Exception:  # noqa: BLE001  # pandas shows the value, and its repr may fail
        found = None
    if not isinstance(found, JaggedDtype):
        raise JagTypeError(f"JaggedExtensionArray: dtype must be a JaggedDtype or its name, got {brief(dtype)}")
    return found


def _as_jagged(dtype: Any) -> JaggedDtype | None:
    """Convert a pandas dtype to a jagged one, if it is a nested list of Arrow or already jagged."""
    if isinstance(dtype, JaggedDtype):
        return dtype
    if not isinstance(dtype, pd.ArrowDtype):
        return None
    stored = dtype.pyarrow_dtype
    if pt.is_null(stored) or not (_arrow.is_list_type(stored) or isinstance(stored, JaggedType)):
        return None
    found = JaggedDtype.from_arrow_type(stored)
    return found if isinstance(found, JaggedDtype) else None
