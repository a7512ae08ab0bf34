"""Base class of `JaggedArray`: construction, basic properties, conversion to other libraries, equality and text."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column, _formatting, _lazy_imports, dtype
from arrowjag._arguments import check_arguments, check_arguments_as
from arrowjag._array.reading import to_array
from arrowjag._arrow.foreign import as_numpy, exports_arrow
from arrowjag._column import Column, same_validity
from arrowjag._integers import check_ndim
from arrowjag._ops import casts, elementwise, struct_fields
from arrowjag._ops.cursor import or_null
from arrowjag._pyarrow_versions import nbytes
from arrowjag._vocabulary.spellings import suggestion
from arrowjag.dims import Dim, Uniform
from arrowjag.errors import JagAttributeError, JagError, JagTypeError, JagValueError, ShapeError, are, brief, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from arrowjag._array import JaggedArray
    from arrowjag.plot import Plotter

__all__ = ["LISTS", "ArrayBase", "Listed", "as_column", "column_like", "operand", "own_type", "shape_of_rows"]


def as_column(data: Any, *, type: Any = None, ndim: int | None = None, nan_to_null: bool | None = None) -> Column:
    """Convert anything that `arrowjag.array` accepts to a column."""
    if type is None and ndim is None and not nan_to_null and (found := _unchecked(data)) is not None:
        return found
    try:
        return _converted(data, type, ndim, nan_to_null)
    except JagError as error:
        raised = error if type is None or ndim is None else _with_levels_of_type(error, type, ndim)
        raised.given = id(data)
        if raised is error:
            raise
        raise raised from None


def _with_levels_of_type(error: JagError, type: Any, ndim: int) -> JagError:
    """Return the error; where the caller gives `ndim` and a type of lists or maps, with what the two mean together."""
    leaf = elementwise.as_type(type)
    if not (isinstance(error, (ShapeError, JagTypeError)) and _arrow.is_level_type(leaf)):
        return error
    whole = f"leave out ndim= and pass type={pa.large_list(leaf)}" if pt.is_map(leaf) else "leave out ndim="
    return builtins.type(error)(
        f"{error}. With ndim={ndim}, {leaf} is the type of the items of the last dim, and its own levels are no dims; for dims of "
        f"them {whole}, a type of whole rows"
    )


def _converted(data: Any, type: Any, ndim: int | None, nan_to_null: bool | None) -> Column:
    if ndim is not None:
        check_ndim(ndim, "the array")
    data = as_numpy(data)
    leaf = None if type is None else elementwise.as_type(type)
    if nan_to_null and isinstance(data, Column) and data.ndim == 1:
        data = elementwise.nan_to_null(data)
    if leaf is not None and ndim is None and (_arrow.is_level_type(leaf) or _arrow.is_jagged_extension(leaf)):
        return _of_storage(data, leaf)
    if isinstance(data, Column) and leaf is None and ndim in (None, data.ndim):
        return data
    if isinstance(data, ArrayBase):
        data = data.to_arrow(extension=False) if ndim is not None else data
    if isinstance(data, Column):
        return data if leaf is None else elementwise.cast(data, leaf)
    if _is_scalar(data):
        return _of_scalar(data, leaf, ndim)
    is_dense = isinstance(data, np.ndarray) and data.ndim != 1 and data.dtype.kind != "O"
    if ndim == 0 and not (is_dense and data.ndim == 0):
        raise ShapeError(f"ndim=0 needs a scalar, got {data.__class__.__name__}, which has rows")
    if is_dense:
        column = _from_dense(data, ndim)
    else:
        column = _column.from_arrow(to_array(data, leaf, ndim, nan_to_null), ndim, "the data")
    return column if leaf is None else _cast_leaves(column, leaf)


def _cast_leaves(column: Column, leaf: pa.DataType) -> Column:
    if _arrow.is_list_type(column.type) and not _arrow.is_list_type(leaf):
        raise ShapeError(f"the data has more than {plural(column.ndim, 'dim')} of {leaf}: its leaves are {column.type}")
    return casts.cast_by_name(column, leaf, "array")


def shape_of_rows(data: Any) -> JaggedShape | None:
    """Return the shape of a column with rows of items, of any library; None for sizes and other data."""
    if not isinstance(data, Column):
        doors = ("__arrow_c_array__", "__arrow_c_stream__", "__arrow_array__")
        values = getattr(data, "array", None)  # of pandas, whose Series has no door before version 3
        if not any(hasattr(one, door) for one in (data, values) for door in doors):
            return None
        data = as_column(data)
    return data.shape if data.ndim > 1 else None


def _of_scalar(data: Any, leaf: pa.DataType | None, ndim: int | None) -> Column:
    if ndim not in (None, 0):
        raise ShapeError(f"ndim={ndim} needs rows, got a single {data.__class__.__name__}")
    value = data if isinstance(data, pa.Scalar) else elementwise.scalar_like(data, leaf, "array")
    column = Column(JaggedShape(), pa.repeat(value, 1) if value.is_valid else pa.nulls(1, value.type))
    return column if leaf is None else casts.cast_by_name(column, leaf, "array")


def _of_storage(data: Any, type: pa.DataType) -> Column:
    """Convert data to the list type of a whole column: its ndim, declared extents and leaf type."""
    type = type.storage_type if _arrow.is_jagged_extension(type) else type
    leaf = type
    while _arrow.is_list_type(leaf):
        leaf = leaf.value_type
    column = as_column(data, type=leaf, ndim=_arrow.depth(type) + 1)
    try:
        return _column.from_arrow(_column.to_arrow(column).cast(type))
    except pa.ArrowInvalid as error:
        raise ShapeError(f"the data of {column.shape!r} does not fit {type}: {error}") from None


def _unchecked(data: Any) -> Column | None:
    """Return a column, and flat numbers of numpy as pyarrow stores them: the gate has nothing to check. None for other data."""
    if isinstance(data, Column):
        return data
    if type(data) is not np.ndarray or data.ndim != 1:
        return None
    if data.dtype.kind not in "iufb" or data.dtype.itemsize > 8 or not data.dtype.isnative:
        return None
    return Column(JaggedShape._trusted((Uniform._frame(len(data)),)), _arrow.from_numpy(data))


def _is_scalar(data: Any) -> bool:
    if data is None or isinstance(data, (str, bytes, int, float, bool, np.generic, pa.Scalar, dict)):
        return True
    has_items = getattr(data, "__iter__", None) is not None  # a class sets __iter__ to None to forbid iteration
    return not (has_items or exports_arrow(data))


def _from_dense(data: npt.NDArray[Any], ndim: int | None) -> Column:
    """Convert a numpy array of several dims, or of none; each dim after the rows gets a declared extent."""
    if ndim and not data.ndim:
        raise ShapeError(f"ndim={ndim} needs rows, got a single {data.dtype}")
    values = to_array(data.reshape(-1))
    column = Column(JaggedShape(*data.shape), _arrow.combine_chunks(values))
    return column if ndim in (None, data.ndim) else _column.from_arrow(_column.to_arrow(column), ndim, "the data")


def as_keys(data: Any, operation: str, noun: str = "key") -> Column:
    """Convert an argument of keys as `as_column`; a text, which would be one key for all items, raises `JagTypeError`.

    The message calls an item of the argument by the noun.
    """
    if isinstance(data, str):
        name = brief(data)
        raise JagTypeError(
            f"{operation}: the text {name} is one {noun} for all items. For {noun}s in a field of the structs write x[{name}]; "
            f"for {noun}s in a column of a frame write frame[{name}], or pl.col({name}) in an expression of polars."
        )
    return as_column(data)


LISTS = (list, tuple, np.ndarray)
"""Arguments without an Arrow type of their own: text in them may stand for times."""


class Listed:
    """Marks an array that was converted from a list: `operand` and `column_like` read its text as they read text in a list."""

    __slots__ = ()


def operand(value: Any, leaf: pa.DataType | None, operation: str, *, by_value: bool = False) -> elementwise.Operand:
    """Convert an argument to a column or a scalar; a Python scalar gets the leaf type of the other operand if its kind fits.

    With `by_value`, a number that the leaf type does not hold is no error: it is compared by value.
    """
    as_scalar = elementwise.scalar_by_value if by_value else elementwise.scalar_like
    if isinstance(value, Column) and not isinstance(value, Listed):
        return value if value.ndim else value.values[0]
    if _is_single(value):
        return as_scalar(value, leaf, operation)
    return column_like(value, leaf, operation)


def column_like(data: Any, leaf: pa.DataType | None, operation: str) -> Column:
    """Convert an argument as `as_column`; text in lists and arrays of numpy is read as times if `leaf` is a type of times."""
    column = as_column(data)
    if leaf is None or not isinstance(data, (*LISTS, Listed)):
        return column
    values = elementwise.times_like(column.values, leaf, operation)
    return column if values is column.values else Column(column.shape, values)


def own_type(values: Iterable[Any]) -> pa.DataType | None:
    """Return the leaf type of the first operand that has an Arrow type of its own; None if all are lists and scalars."""
    values = [one if isinstance(one, Column) else as_numpy(one) for one in values]
    columns = (one for one in values if isinstance(one, Column) and not isinstance(one, Listed))
    others = (as_column(one) for one in values if not isinstance(one, (Column, list, tuple)) and not _is_single(one))
    return next((one.type for many in (columns, others) for one in many), None)


def _is_single(value: Any) -> bool:
    return _is_scalar(value) or getattr(value, "ndim", 1) == 0


class ArrayBase(Column):
    """A jagged column of Arrow values. Subclasses in this package add the methods."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # == is elementwise
    __array_priority__ = 1000
    __pandas_priority__ = 1200  # the arrays of pandas, of 1000, leave their operators to an array on the right

    @check_arguments_as("JaggedArray")
    def __init__(self, shape: JaggedShape, values: Any) -> None:
        if not isinstance(shape, JaggedShape):
            raise JagTypeError(f"JaggedArray takes a JaggedShape first, got {type(shape).__name__}; try arrowjag.array(data)")
        column = struct_fields.with_levels(shape, _arrow.arrived(to_array(values), "the values"))  # lists are dims, never leaves
        super().__init__(column.shape, column.values)

    @classmethod
    def _wrap(cls, column: Column) -> ArrayOrScalar:
        """Wrap a result: an array, or an Arrow scalar if the column has no dims or is one null row."""
        shape = column._shape
        if not shape._dims:
            return column.values[0]
        if shape._dims[0]._validity is not None:
            return or_null(column).values[0]
        array: JaggedArray = cls.__new__(cls)  # type: ignore[assignment]  # as `_of`, which nearly every method would call
        array._shape, array._values = shape, column._values
        return array

    @classmethod
    def _of(cls, column: Column) -> JaggedArray:
        array: JaggedArray = cls.__new__(cls)  # type: ignore[assignment]  # the subclass has the methods
        array._shape, array._values = column._shape, column._values
        return array

    # ------------------------------------------------------------------------------------------- properties

    @property
    def size(self) -> int:
        """Number of leaf values.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [], [3]]).size
        3
        """
        return self.shape.size

    @property
    def null_count(self) -> int:
        """Number of null rows, or of null leaves if the array has one dim.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], None]).null_count
        1
        """
        valid = _column.row_validity(self, min(1, self.ndim))
        return 0 if valid is None else int(len(valid) - np.count_nonzero(valid))

    @property
    def nbytes(self) -> int:
        """Number of bytes of the values, offsets and validity bitmaps of the Arrow array.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).nbytes  # three values, three offsets
        48
        """
        bits = sum((len(dim) + 7) // 8 for dim in self.shape.dims[1:] if dim.validity is not None)
        offsets = sum(8 * (len(dim) + 1) for dim in self.shape.dims[1:] if dim.extent is None)
        return nbytes(self._stored) + bits + offsets

    @property
    def extension_type(self) -> dtype.JaggedType:
        """The Arrow extension type of the whole column.

        Examples
        --------
        >>> import arrowjag as aj
        >>> str(aj.array([[1, 2], [3]]).extension_type.storage_type)
        'large_list<item: int64>'
        """
        return dtype.JaggedType.of(self.type, self.ndim, self.shape.extents)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise JagTypeError("a jagged array without dims has no length")
        return self.shape.nodes(1)

    def __bool__(self) -> bool:
        raise JagTypeError("the truth value of a jagged array is ambiguous; use any(axis=None) or all(axis=None)")

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(len(self)))  # type: ignore[index]  # the mixin indexing.py adds it

    # ------------------------------------------------------------------------------------------- conversion

    @check_arguments
    def to_arrow(self, extension: bool = True) -> pa.Array:
        """Convert to an Arrow array.

        Parameters
        ----------
        extension : bool
            Whether a column of two or more dims gets the extension type `arrowjag.jagged`; otherwise it consists of plain nested
            lists.

        Returns
        -------
        pa.Array
            `large_list` per dim after the rows, or `fixed_size_list` if its extent is declared. Values and offsets are shared,
            except under null rows of a declared extent.

        Raises
        ------
        ShapeError
            If the array has no dims.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).to_arrow(extension=False).type
        LargeListType(large_list<item: int64>)
        """
        if self.ndim == 0:
            raise ShapeError("to_arrow needs rows; use .values[0] of a scalar")
        storage = _column.to_arrow(self)
        if not extension or self.ndim == 1:
            return storage
        return pa.ExtensionArray.from_storage(dtype.JaggedType(storage.type, self.ndim), storage)

    @check_arguments
    def to_list(self) -> list[Any]:
        """Convert to nested Python lists; nulls of every level are None.

        Returns
        -------
        list
            One entry per row; an array without dims gives its value. Times of day lose their nanoseconds, which `datetime.time`
            can't hold: cast to int64 or text to keep them. Cost: one Python object per value.

        Raises
        ------
        JagRangeError
            If a time lies outside of the years 1 to 9999, which Python's types represent.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None], None, []]).to_list()
        [[1, None], None, []]
        """
        if self.ndim == 0:
            return _column.to_python(self.values)[0]  # type: ignore[no-any-return]  # a Python value of any type
        # pyarrow converts a dictionary through a scalar per item, which takes seven times as long.
        column: Column = Column(self.shape, _arrow.plain(self.values)) if pt.is_dictionary(self.type) else self
        return _column.to_python(_column.to_arrow(column))

    @check_arguments
    def to_numpy(self) -> npt.NDArray[Any]:
        """Convert a uniform column to a numpy array.

        Returns
        -------
        numpy.ndarray
            One axis per dim. Numbers and times share Arrow's buffer and are read-only; ``np.array(x)`` is a writable copy. Booleans
            are copied. Values with nulls give a masked array; types that numpy lacks give Python objects.

        Raises
        ------
        ShapeError
            If rows differ in size or are null; use `to_dense` to pad them.
        JagValueError
            If the leaves are timestamps with a zone, which numpy lacks.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3, 4]]).to_numpy()
        array([[1, 2],
               [3, 4]])
        """
        extents = []
        for place, dim in enumerate(self.shape.dims):
            if dim.validity is not None or not dim.is_uniform:
                raise ShapeError(
                    f"to_numpy needs rows of one size: in dim {place} of {self.shape!r}, {_unlike_others(dim)}; use to_dense, "
                    "or to_pandas for a pandas Series"
                )
            extents.append(dim[0] if len(dim) else (dim.extent or 0))
        return _flat_numpy(self.values).reshape(extents)

    @check_arguments
    def to_pandas(self, index: Any = None, name: Any = None) -> pd.Series[Any]:
        """Convert to a pandas Series.

        Parameters
        ----------
        index : pandas.Index, optional
            The row labels.
        name : hashable, optional
            The name of the Series.

        Returns
        -------
        pandas.Series
            Of dtype `jagged[...]`, or of an Arrow-backed dtype if the array has one dim. Null rows stay null. Buffers are shared.

        Raises
        ------
        ShapeError
            If the index does not have one label per row.
        JagTypeError
            If pandas can't build an index from it, or the name is not hashable.
        MissingDependencyError
            If pandas is not installed.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).to_pandas().dtype
        jagged[int64, 2]
        """
        return _lazy_imports.load("pandas").to_series(self, index=index, name=name)  # type: ignore[no-any-return]  # pyarrow and the hosts are untyped here

    @check_arguments
    def to_polars(self, name: str = "", extension: bool = True) -> pl.Series:
        """Convert to a polars Series.

        Parameters
        ----------
        name : str
            The name of the Series.
        extension : bool
            Whether a column of two or more dims gets the dtype `Jagged`; otherwise it is a plain `List`.

        Returns
        -------
        polars.Series
            Null rows stay null. Buffers are shared if polars supports the leaf type.

        Raises
        ------
        ShapeError
            If the array has no dims.
        JagTypeError
            If polars has no dtype for the leaves.
        JagRangeError
            If a decimal has more than the 38 digits of polars.
        MissingDependencyError
            If polars is not installed.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).to_polars("v", extension=False).to_list()
        [[1, 2], [3]]
        """
        return _lazy_imports.load("polars").to_series(self, name=name, extension=extension)  # type: ignore[no-any-return]  # pyarrow and the hosts are untyped here

    @property
    def plot(self) -> Plotter:
        """Plots of row sizes, rows and values, on matplotlib axes.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2], [3]]).plot.rows().get_title(loc="left")
        '2 rows, 3 values'
        """
        return _lazy_imports.load("plot").Plotter(self)  # type: ignore[no-any-return]  # pyarrow and the hosts are untyped here

    @property
    def _numba_type_(self) -> Any:
        """The numba type of an array as an argument of a compiled function.

        numba asks whether the attribute exists: Python 3.13 prints any error but this one. Where it is missing, numba calls the
        function that `interop.numba` registers, which raises the reason.
        """
        try:
            return _lazy_imports.load("interop.numba").type_of(self)
        except JagTypeError as error:
            raise AttributeError(str(error)) from None

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.to_arrow().__arrow_c_array__(requested_schema)  # type: ignore[no-any-return]  # pyarrow and the hosts are untyped here

    def __arrow_c_schema__(self) -> object:
        return (self.to_arrow().type if self.ndim else self.type).__arrow_c_schema__()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.ndim == 0:
            return _rebuild, (type(self), self.shape, self.values)
        return _rebuild, (type(self), self.shape, _trimmed(self._stored))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        array = self.to_numpy()
        if dtype is not None:
            _check_nulls_fit(self.values, np.dtype(dtype))
        if isinstance(array, np.ma.MaskedArray):
            array = _without_mask(array)  # numpy would drop the mask and expose the values under nulls
        found: npt.NDArray[Any] = np.array(array, dtype=dtype, copy=copy or None)
        if copy is False and not _is_view(found, self.values):
            nulls = " with nulls" if self.values.null_count else ""
            raise JagValueError(f"numpy needs a copy to make {found.dtype} of {self.type}{nulls}: leave out copy=False")
        return found

    @check_arguments
    def equals(self, y: object) -> bool:
        """Return whether another array has the same shape, nulls, leaf type and values.

        Parameters
        ----------
        y : object
            Any object; only a `JaggedArray` can be equal.

        Returns
        -------
        bool
            NaN equals NaN; declared extents are ignored. Cost: one pass, less if shapes or values are shared.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1], None]).equals(aj.array([[1], []]))
        False
        """
        if not isinstance(y, ArrayBase) or self.shape != y.shape or self.type != y.type:
            return False
        for one, two in zip(self.shape.dims, y.shape.dims, strict=True):
            if not same_validity(one.validity, two.validity):
                return False
        return _same_values(self.values, y.values)

    if not TYPE_CHECKING:  # for type checkers

        def __getattr__(self, name: str) -> NoReturn:
            """Raise for an unknown name, and suggest a name of arrowjag."""
            if name.startswith("_"):
                raise AttributeError(f"a JaggedArray has no {name!r}", name=name, obj=self)
            raise JagAttributeError(
                f"a JaggedArray has no {name!r}",
                name,
                lambda: suggestion(name, dir(type(self)), fields=struct_fields.fields(self.type)),
            )

        def __setitem__(self, key: Any, value: Any) -> NoReturn:
            """Raise: arrays are immutable."""
            raise JagTypeError("arrays are immutable, and `set` returns a new one: write x = x.set(index, values)")

    # ------------------------------------------------------------------------------------------- text

    def __repr__(self) -> str:
        return _formatting.text(self)

    def _repr_html_(self) -> str:
        return _formatting.array_html(self)


def _rebuild(cls: type[ArrayBase], shape: JaggedShape, values: pa.Array) -> Any:
    return cls._of(Column(shape, values))


def _trimmed(values: pa.Array) -> pa.Array:
    """Copy a slice of much larger buffers, which pickle would write completely."""
    if values.get_total_buffer_size() <= 2 * nbytes(values) + 1024:
        return values
    return pa.concat_arrays([values.slice(0, 0), values])


def _same_values(one: pa.Array, two: pa.Array) -> bool:
    if pt.is_floating(one.type):
        left, left_valid = _arrow.to_numpy(one)
        right, right_valid = _arrow.to_numpy(two)
        if not same_validity(left_valid, right_valid):
            return False
        if left_valid is not None:
            left, right = left[left_valid], right[left_valid]
        return bool(np.array_equal(left, right, equal_nan=True))
    if pt.is_struct(one.type):
        valid = same_validity(_arrow.valid_of(one), _arrow.valid_of(two))
        return valid and all(map(_same_values, _arrow.fields_of(one), _arrow.fields_of(two)))
    if pt.is_dictionary(one.type):
        return _same_values(_arrow.plain(one), _arrow.plain(two))
    return bool(one.equals(two))


def _flat_numpy(values: pa.Array) -> npt.NDArray[Any]:
    values = _arrow.plain(values) if pt.is_dictionary(values.type) else values
    if not (_arrow.is_numeric(values.type) or (_arrow.is_temporal(values.type) and not pt.is_time(values.type))):
        return np.array([None if v is None else v for v in _column.to_python(values)] + [None], dtype=object)[:-1]
    data, valid = _arrow.to_numpy(values)
    data.flags.writeable = pt.is_boolean(values.type)  # booleans are unpacked copies; other values share Arrow's buffer
    if pt.is_timestamp(values.type) and values.type.tz is not None:
        raise JagValueError(f"numpy has no time zones: cast {values.type} to timestamp or int64 first")
    if _arrow.is_temporal(values.type):
        data = _datetime_view(data, values.type)
    return data if valid is None else np.ma.MaskedArray(data, ~valid)


def _is_view(array: npt.NDArray[Any], values: pa.Array) -> bool:
    """Return whether an array of numpy shares the memory of Arrow's values, or has no items."""
    data = next(iter(values.buffers()[1:2]), None)
    return array.size == 0 or (data is not None and np.may_share_memory(array, np.frombuffer(data, np.uint8)))


def _check_nulls_fit(values: pa.Array, dtype: np.dtype[Any]) -> None:
    """Raise if nulls would become values: numpy makes them 0, True or 'None' where the dtype has no missing value."""
    n = values.null_count
    if n and dtype.kind not in "fcmMO":
        raise JagValueError(f"numpy's {dtype} has no null, and {plural(n, 'item')} {are(n)} null: use fill_null first")


def _unlike_others(dim: Dim) -> str:
    """Say which row keeps a dim from being uniform without null rows."""
    if dim.validity is not None:
        return f"row {int((~dim.validity).argmax())} is null"
    sizes = dim.sizes
    row = int((sizes != sizes[0]).argmax())
    return f"row 0 has {plural(int(sizes[0]), 'item')} and row {row} has {int(sizes[row])}"


def _without_mask(array: np.ma.MaskedArray[Any, Any]) -> npt.NDArray[Any]:
    """Replace nulls by NaN, NaT, or None for booleans."""
    kind = array.dtype.kind
    wide: Any = object if kind == "b" else array.dtype if kind in "mMf" else np.float64
    data = np.ma.getdata(array)
    plain: npt.NDArray[Any] = data.astype(wide)
    if kind in "iu" and not np.array_equal(plain.astype(data.dtype)[~np.ma.getmaskarray(array)], data[~np.ma.getmaskarray(array)]):
        raise JagValueError(
            f"numpy integers have no null, and float64 can't hold all of these {data.dtype} values: use fill_null first, or "
            "to_pandas() for a pandas Series"
        )
    plain[np.ma.getmaskarray(array)] = None if kind in "bmM" else np.nan
    return plain


def _datetime_view(data: npt.NDArray[Any], type: pa.DataType) -> npt.NDArray[Any]:
    if pt.is_date32(type):
        return data.astype("M8[D]")
    unit = "ms" if pt.is_date64(type) else type.unit
    return data.view(f"m8[{unit}]" if pt.is_duration(type) else f"M8[{unit}]")
