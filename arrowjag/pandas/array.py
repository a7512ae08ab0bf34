"""`JaggedExtensionArray`: a jagged column inside a Series or a DataFrame."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from pandas.api.extensions import ExtensionArray, no_default
from pandas.api.indexers import check_array_indexer

from arrowjag import _arrow
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._column import Column, row_validity, to_arrow
from arrowjag._ops import elementwise, structure
from arrowjag._pyarrow_versions import with_all_nulls
from arrowjag.dims import Uniform
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagError, JagIndexError, JagTypeError, JagValueError, plural
from arrowjag.functions._from_json import from_json
from arrowjag.pandas._cell_text import row_formatter
from arrowjag.pandas._convert import concat, conform, is_missing, read
from arrowjag.pandas._groups import Grouped
from arrowjag.pandas._lookup import RowLookup
from arrowjag.pandas._operators import Operators, wrap, wrap_values
from arrowjag.pandas._row_text import parse_rows
from arrowjag.pandas._setting import fresh_rows
from arrowjag.pandas._store import Store
from arrowjag.pandas.dtype import JaggedDtype, array_class, wanted_dtype
from arrowjag.pandas.row import Row, row_texts

__all__ = ["JaggedExtensionArray"]


@array_class
class JaggedExtensionArray(Operators, RowLookup, Grouped, ExtensionArray):
    """A jagged column as pandas holds it.

    Parameters
    ----------
    values : JaggedArray, Arrow data or nested lists
        Of two or more dims.
    dtype : JaggedDtype or str, optional
        By default that of the data.
    copy : bool
        Ignored: buffers are never written.

    Raises
    ------
    ShapeError
        If the data has other dims than the dtype, or fewer than two.

    Notes
    -----
    The column is immutable and shared; an assignment creates a new one. Rows that are assigned one by one are buffered and merged
    together, so a loop of assignments is linear in the column's size.

    Examples
    --------
    >>> from arrowjag.pandas import JaggedExtensionArray
    >>> JaggedExtensionArray([[1, 2], None, []])
    <JaggedExtensionArray>
    [[1, 2], <NA>, []]
    Length: 3, dtype: jagged[int64, 2]
    """

    _readonly = False
    _store: Store
    _dtype: JaggedDtype

    def __init__(self, values: Any, dtype: Any = None, copy: bool = False) -> None:
        wanted = None if dtype is None else wanted_dtype(dtype)
        column = read(values, wanted)
        self._store = Store(column)
        self._dtype = wanted if wanted is not None else JaggedDtype.of(column)

    @classmethod
    def _of(cls, column: Column, dtype: JaggedDtype) -> JaggedExtensionArray:
        """An array of a column that has the dtype already."""
        array = cls.__new__(cls)
        array._store = Store(column)
        array._dtype = dtype
        return array

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> JaggedExtensionArray:  # noqa: ARG003
        store = None
        if isinstance(dtype, JaggedDtype) and isinstance(scalars, (list, np.ndarray)) and len(scalars):
            store = Store.of_rows(scalars, dtype)
        if dtype is None and isinstance(scalars, list) and scalars and all(map(is_missing, scalars)):
            dtype = JaggedDtype(pa.null(), 2)  # a part of a column, such as xarray prints
        if store is None:
            return cls(scalars, dtype)
        array = cls.__new__(cls)
        array._store, array._dtype = store, dtype
        return array

    @classmethod
    def _from_scalars(cls, scalars: Any, *, dtype: Any) -> JaggedExtensionArray:
        """Only rows make rows: the results of a pointwise function that are lists stay objects."""
        if not all(isinstance(one, Row) or is_missing(one) for one in scalars):
            raise JagTypeError("not all of the values are rows")
        found = [one for one in scalars if isinstance(one, Row)]
        return cls(list(scalars), None if found else dtype)

    @classmethod
    def _from_sequence_of_strings(cls, strings: Any, *, dtype: Any, copy: bool = False) -> Any:  # noqa: ARG003
        """Read rows as `str(row)` writes them: by Arrow, or by Python where Arrow's reader refuses a text, such as ``[NaN]``."""
        try:
            texts = pa.array(strings, pa.large_string(), from_pandas=True)
            return cls._of(conform(from_json(texts, dtype.arrow_type), dtype), dtype)
        except (JagError, pa.ArrowException, UnicodeError):
            return cls._of(conform(parse_rows(strings, dtype), dtype), dtype)

    @classmethod
    def _from_factorized(cls, values: Any, original: JaggedExtensionArray) -> JaggedExtensionArray:
        keys = pa.array(original._values_for_factorize()[0], pa.large_binary())
        first = pa.compute.index_in(pa.array(values, pa.large_binary()), value_set=keys)
        return original.take(first.to_numpy(zero_copy_only=False).astype(np.int64))

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[Any]) -> JaggedExtensionArray:
        dtype = to_concat[0].dtype
        return cls._of(conform(concat([one._jagged for one in to_concat]), dtype), dtype)

    # ------------------------------------------------------------------------------------------- facts

    @property
    def _jagged(self) -> JaggedArray:  # type: ignore[override]
        return self._store.array

    @property
    def dtype(self) -> JaggedDtype:
        """The dtype of the column."""
        return self._dtype

    @property
    def nbytes(self) -> int:
        """Bytes of values, offsets and validity."""
        return self._jagged.nbytes

    def __len__(self) -> int:
        return len(self._store)

    def isna(self) -> npt.NDArray[np.bool_]:
        """Return which rows are null.

        Returns
        -------
        numpy.ndarray of bool
            Null leaves inside rows don't count.
        """
        valid = row_validity(self._jagged, 1)
        return np.zeros(len(self), bool) if valid is None else ~valid

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **kwargs: Any) -> Any:
        if name == "count":
            return int(np.count_nonzero(~self.isna()))
        raise self._needs_axis(name)

    def _quantile(self, qs: Any, interpolation: str) -> Any:
        """Called by pandas' `quantile`, which would interpolate between whole rows wherever their sizes agree."""
        del qs, interpolation
        raise self._needs_axis("quantile", "q, ")

    def _needs_axis(self, name: str, arguments: str = "") -> JagTypeError:
        ours = {"kurt": "kurtosis"}.get(name, name)
        return JagTypeError(
            f"dtype {self.dtype} does not support operation '{name}': it has {self.dtype.ndim} axes. Say which one: "
            f".jag.{ours}({arguments}axis=-1) within rows, axis=0 across rows"
        )

    def _accumulate(self, name: str, *, skipna: bool = True, **kwargs: Any) -> Any:
        raise JagTypeError(f"dtype {self.dtype} does not support operation '{name}': say which axis, .jag.{name}(axis=-1)")

    def interpolate(self, **_options: Any) -> NoReturn:
        """Raise: pandas would interpolate between whole rows, of any sizes."""
        raise JagTypeError(
            f"dtype {self.dtype} does not support operation 'interpolate': arrowjag.interp and .jag.ffill() fill null items, "
            "ffill() of pandas fills null rows"
        )

    # ------------------------------------------------------------------------------------------- selecting

    def __getitem__(self, item: Any) -> Any:
        item = _single_key(item)
        if isinstance(item, (int, np.integer)):
            return self._store.row(self._place(int(item)))
        if isinstance(item, slice):
            return self._sliced(item)
        item = check_array_indexer(self, item)
        return self.take(np.flatnonzero(item) if item.dtype.kind == "b" else item)

    def _place(self, item: int) -> int:
        n = len(self)
        if not -n <= item < n:
            raise JagIndexError(f"index {item} is out of bounds for axis 0 with size {n}")
        return item % n

    def _sliced(self, item: slice) -> Any:
        start, stop, step = item.indices(len(self))
        if (start, stop, step) == (0, len(self), 1):
            return self.view()
        if step != 1:
            return self.take(np.arange(start, stop, step))
        n = max(stop - start, 0)
        part = structure.slice_items(self._jagged, 1, start, start + n, [Uniform._frame(n)])
        result = self._of(part, self._dtype)
        result._readonly = self._readonly
        return result

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> JaggedExtensionArray:
        """Select rows by number.

        Parameters
        ----------
        indices : array-like of int
            Row numbers; negative ones count from the end, unless `allow_fill`.
        allow_fill : bool
            Whether -1 means `fill_value`.
        fill_value : Row, list or missing
            The row to fill in; a null row by default.

        Returns
        -------
        JaggedExtensionArray
            Of the same dtype. Cost: one gather.

        Raises
        ------
        IndexError
            If a number is out of range.
        ValueError
            If `allow_fill` and a number is below -1.
        """
        index = np.asarray(indices, dtype=np.int64)
        column: Column = self._jagged
        n = len(self)
        if n == 0 and len(index) and not (allow_fill and (index < 0).all()):
            raise JagIndexError("cannot do a non-empty take from an empty axes")
        if len(index) and (index.max() >= n or (not allow_fill and index.min() < -n)):
            wrong = index.max() if index.max() >= n else index.min()
            raise JagIndexError(f"take: row {wrong} is out of bounds for {plural(n, 'row')}")
        if not allow_fill:
            return self._taken(column, np.where(index < 0, index + n, index), None)
        if len(index) and index.min() < -1:
            raise JagValueError(f"take: with allow_fill=True row numbers must be at least -1, got {index.min()}")
        missing = index == -1
        if not isinstance(fill_value, list) and is_missing(fill_value):
            if n == 0:
                return self._of(conform(as_column(pa.nulls(len(index))), self._dtype), self._dtype)
            return self._taken(column, np.where(missing, 0, index), ~missing if missing.any() else None)
        both = concat([column, self._fresh(fill_value, 1)])
        return self._taken(both, np.where(missing, n, index), None)

    def _taken(self, column: Column, index: Any, valid: Any) -> JaggedExtensionArray:
        return self._of(structure.take_items(column, 1, index, [Uniform._frame(len(index))], valid), self._dtype)

    def shift(self, periods: int = 1, fill_value: Any = None) -> JaggedExtensionArray:
        """Move rows to later positions.

        Parameters
        ----------
        periods : int
            By how many positions; negative ones move to earlier positions.
        fill_value : Row, list or missing
            The row at positions that are left; a null row by default.

        Returns
        -------
        JaggedExtensionArray
            Of the same dtype. Cost: one gather.
        """
        index = np.arange(len(self)) - periods
        return self.take(np.where((index < 0) | (index >= len(self)), -1, index), allow_fill=True, fill_value=fill_value)

    def copy(self) -> JaggedExtensionArray:
        """Return a copy; assignments to it don't change this array.

        Returns
        -------
        JaggedExtensionArray
            Buffers are shared; they are never written.
        """
        return self._of(self._jagged, self._dtype)

    def view(self, dtype: Any = None) -> Any:
        """Return a view of the same rows: assignments to either change both.

        Parameters
        ----------
        dtype : object
            None, or the dtype of this array.

        Returns
        -------
        JaggedExtensionArray
            Nothing is copied.
        """
        if dtype is not None and dtype != self.dtype:
            raise NotImplementedError(dtype)
        result = type(self).__new__(type(self))
        result._store = self._store
        result._dtype = self._dtype
        result._readonly = self._readonly
        return result

    # ------------------------------------------------------------------------------------------- setting

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._readonly:
            raise ValueError("Cannot modify read-only array")
        key = _single_key(key)
        if isinstance(key, (int, np.integer)):
            place = self._place(int(key))
            self._store.put_one(place, self._fresh(value, 1))
            return
        if isinstance(key, slice):
            places = np.arange(len(self))[key]
        else:
            key = check_array_indexer(self, key)
            places = np.flatnonzero(key) if key.dtype.kind == "b" else np.arange(len(self))[key]
        self._store.put(places, self._fresh(value, len(places), many=True))

    def _fresh(self, value: Any, n: int, many: bool = False) -> Column:
        """Convert an assigned value to rows; labels in lists are those of this column's ordered categories."""
        categories = self._store.values if elementwise.is_ordered(self._dtype.leaf) else None
        return fresh_rows(value, n, self._dtype, many, categories)

    def _putmask(self, mask: Any, value: Any) -> None:
        """Set rows from `value` where `mask` is True; pandas may pass rows that numpy has unpacked."""
        if self._readonly:
            raise ValueError("Cannot modify read-only array")
        places = np.flatnonzero(mask)
        rows = self._fresh(value, len(self), many=True)
        outer = [Uniform._frame(len(places))]
        self._store.put(places, structure.take_items(rows, 1, places, outer))

    def _where(self, mask: Any, value: Any) -> JaggedExtensionArray:
        result = self.copy()
        result._putmask(~np.asarray(mask, bool), value)
        return result

    # ------------------------------------------------------------------------------------------- other forms

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return self.to_numpy(dtype)

    def to_numpy(self, dtype: Any = None, copy: bool = False, na_value: Any = no_default) -> npt.NDArray[Any]:
        """Return the rows as Python objects.

        Parameters
        ----------
        dtype : numpy dtype, optional
            Object, or a dtype that rows can be cast to, such as str.
        copy : bool
            Ignored: the result is always a copy.
        na_value : object
            Replacement of null rows; `pandas.NA` by default.

        Returns
        -------
        numpy.ndarray
            Of `Row` objects. For numbers in one block use ``.jag.to_numpy()`` or ``.jag.to_dense()``.
        """
        wanted = np.dtype(object if dtype is None else dtype)
        if wanted.kind in "US":
            return self._texts(pd.NA if na_value is no_default else na_value).astype(wanted)
        if wanted.kind != "O":
            raise _no_values_of(wanted)
        column = self._jagged
        made = np.frompyfunc(lambda place: Row._at(column, place), 1, 1)(np.arange(len(self), dtype=object))
        rows: npt.NDArray[Any] = np.asarray(made, object)
        missing = self.isna()
        if missing.any():
            rows[missing] = pd.NA if na_value is no_default else na_value
        return rows

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the column in another dtype.

        Parameters
        ----------
        dtype : dtype or its name
            Another jagged dtype casts the leaves; `ArrowDtype` of nested lists shares them; object gives rows; str gives text.
        copy : bool
            Whether the result may not be this array.

        Returns
        -------
        array
            Of the dtype.

        Raises
        ------
        ShapeError
            If a jagged dtype has another ndim.
        JagValueError
            If a leaf does not fit.
        """
        dtype = pd.api.types.pandas_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        if isinstance(dtype, JaggedDtype):
            return self._of(conform(self._jagged, dtype), dtype)
        if isinstance(dtype, pd.ArrowDtype) and (
            _arrow.is_list_type(dtype.pyarrow_dtype) or isinstance(dtype.pyarrow_dtype, JaggedType)
        ):
            return pd.arrays.ArrowExtensionArray(pa.chunked_array([self.__arrow_array__(dtype.pyarrow_dtype)]))
        if isinstance(dtype, pd.ArrowDtype) and elementwise.is_text(dtype.pyarrow_dtype):
            return pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(self._texts(None), dtype.pyarrow_dtype)]))
        if isinstance(dtype, pd.StringDtype):
            return pd.array(self._texts(pd.NA), dtype)
        if isinstance(dtype, pd.ArrowDtype) or _is_of_numbers_or_times(dtype):
            raise _no_values_of(dtype)
        if isinstance(dtype, np.dtype) and dtype.kind in "US":  # `str` before pandas 3.0; numpy wouldn't call `__array__`
            return self.to_numpy(dtype)
        return super().astype(dtype, copy)

    def _texts(self, missing: Any) -> npt.NDArray[Any]:
        """The rows as text, in an array of objects."""
        texts = np.empty(len(self), object)
        texts[:] = [missing if text is None else text for text in row_texts(self._jagged)]
        return texts

    def map(self, mapper: Any, na_action: Any = None) -> Any:
        """Map each row by a function or a table.

        Parameters
        ----------
        mapper : callable, dict or Series
            A table has rows for keys.
        na_action : {None, "ignore"}
            Whether null rows are left out.

        Returns
        -------
        array
            The results as pandas infers them. Cost: one call of Python per row.

        Raises
        ------
        JagTypeError
            If the keys of a table are not rows: all results would be null.
        """
        keys: Any = mapper.index if isinstance(mapper, pd.Series) else list(mapper) if isinstance(mapper, dict) else None
        is_table = keys is not None and len(keys) > 0 and not isinstance(getattr(keys, "dtype", None), JaggedDtype)
        if is_table and not any(isinstance(one, Row) for one in keys):
            raise JagTypeError(
                f"map: the keys are {type(keys[0]).__name__}, but rows of {self.dtype} are looked up; "
                ".jag.translate(keys, values) looks items up"
            )
        found: Any = super().map(mapper, na_action)
        return _without_objects(found) if isinstance(found, np.ndarray) and found.dtype == object else found

    def __arrow_array__(self, type: pa.DataType | None = None) -> pa.Array:
        """Convert to an Arrow array of the extension type, or of the requested list type."""
        array = self._jagged.to_arrow()
        if type is None or type == array.type:
            return array
        if isinstance(type, JaggedType):
            storage = conform(self._jagged, JaggedDtype.from_arrow_type(type))
            return pa.ExtensionArray.from_storage(type, to_arrow(storage).cast(type.storage_type))
        try:
            return with_all_nulls(array.storage.cast(type))
        except pa.ArrowNotImplementedError as error:
            raise JagTypeError(f"{self.dtype} can't become {type}: {error}") from None
        except pa.ArrowInvalid as error:
            raise JagValueError(f"{self.dtype} doesn't fit {type}: {error}") from None

    def _explode(self) -> tuple[Any, npt.NDArray[np.uint64]]:
        """Return one row per item of the outermost lists; an empty and a null row give one null."""
        array = self._jagged
        dim = array.shape.dims[1]
        sizes = dim.sizes
        counts = np.maximum(sizes, 1)
        ends = np.cumsum(counts)
        index = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts - dim.offsets[:-1], counts)
        valid = np.repeat(sizes > 0, counts)
        index = np.where(valid, index, 0)
        outer = [Uniform._frame(len(index))]
        items = structure.take_items(array, 2, index, outer, None if valid.all() else valid)
        return wrap(JaggedArray._of(items)), counts.astype(np.uint64)

    def _formatter(self, boxed: bool = False) -> Any:
        return row_formatter()

    def _values_for_json(self) -> npt.NDArray[Any]:
        values = np.empty(len(self), object)
        for place, one in enumerate(self._jagged.to_list()):
            values[place] = one
        return values


def _without_objects(values: Any) -> Any:
    """Store the scalars beside a missing value as Arrow data, as pandas' own nullable columns do; other objects stay objects."""
    missing = pd.isna(values)
    if not missing.any() or missing.all() or not all(map(pd.api.types.is_scalar, values)):
        return values
    try:
        return wrap_values(pa.array(values, from_pandas=True))
    except pa.ArrowException:  # scalars of several types, or of a type that Arrow lacks
        return values


def _single_key(key: Any) -> Any:
    """Return a key of one axis, without an ellipsis beside it."""
    if isinstance(key, tuple):
        rest = [one for one in key if one is not Ellipsis]
        if len(rest) > 1:
            raise JagIndexError("too many indices for an array of pandas, which has one axis; use .jag[...]")
        key = rest[0] if rest else Ellipsis
    if key is Ellipsis:
        return slice(None)
    if isinstance(key, (bool, np.bool_, float, str)) or key is None:
        raise JagIndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
        )
    if hasattr(key, "__index__") and not hasattr(key, "__len__"):
        return operator.index(key)
    return key


def _is_of_numbers_or_times(dtype: Any) -> bool:
    types = pd.api.types
    return types.is_numeric_dtype(dtype) or types.is_datetime64_any_dtype(dtype) or types.is_timedelta64_dtype(dtype)


def _no_values_of(dtype: Any) -> JagTypeError:
    """The error of a cast of rows to a dtype of other values."""
    if pd.api.types.is_bool_dtype(dtype):
        return JagTypeError(
            "a jagged mask can't select rows: .jag[mask] selects items, and a mask of rows has one boolean per row, such as "
            "mask.jag.any() or mask.jag.all()"
        )
    return JagTypeError(
        f"rows of a jagged column can't become {dtype}; use .jag.cast(type) to convert the items, and .jag.to_numpy() or "
        ".jag.to_dense() for an array of numpy"
    )
