"""Conversion to Arrow of nested Python lists, numpy arrays, Series and objects with the PyCapsule interface."""

from __future__ import annotations

import builtins
import contextlib
import datetime as dt
import math
import reprlib
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import several
from arrowjag._array.exact import (
    as_floats,
    exact_type,
    holds_dates,
    holds_identifiers,
    holds_maps,
    refuse_fractions,
    rounds_integers,
    with_python_bools,
    without_odd_numbers,
)
from arrowjag._array.names import refuse_nul, refuse_unreadable
from arrowjag._array.times import has_numpy_times, in_arrow_unit, in_one_unit, with_datetimes
from arrowjag._arrow import depth, holds_floats, may_truncate
from arrowjag._arrow.foreign import as_numpy, exports_arrow, is_of
from arrowjag._gate import inside
from arrowjag._gate.capsules import import_data
from arrowjag._kernels.base.capacity import widened
from arrowjag._ops.elementwise import is_bytes, is_text, nan_to_null_values, plain_type
from arrowjag._pyarrow_versions import NO_LARGE_DICTIONARIES, NO_UUID_OBJECTS, has_views
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, OffsetsError, ShapeError, brief, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import ArrowData

__all__ = ["to_array"]


def to_array(data: Any, type: pa.DataType | None = None, ndim: int | None = None, nan_to_null: bool | None = None) -> ArrowData:
    """Convert data to Arrow.

    Parameters
    ----------
    data : object
        Arrow arrays, Series of pandas or polars, anything with a PyCapsule method, numpy of one dimension, nested lists.
    type : pa.DataType, optional
        The leaf type.
    ndim : int, optional
        Number of dims; levels that hold only empty lists adapt to it.
    nan_to_null : bool, optional
        Whether NaN in flat data becomes null; by default for pandas data backed by numpy, where NaN means missing.

    Returns
    -------
    pa.Array or pa.ChunkedArray
        Nested lists; data that is already Arrow is shared.

    Raises
    ------
    ShapeError
        If lists and leaves are mixed on a level.
    JagTypeError
        If Arrow has no type for the data.
    JagOverflowError
        If a Python int does not fit 64 bits.
    """
    data = as_numpy(data)
    dtype: Any = getattr(data, "dtype", None)
    dtype = dtype.numpy_dtype if dtype.__class__.__name__ == "NumpyEADtype" else dtype
    dtype = dtype.subtype if dtype.__class__.__name__ == "SparseDtype" else dtype  # which pyarrow can't convert
    if isinstance(dtype, np.dtype) and hasattr(data, "to_numpy"):
        nan_to_null = is_of(data, "pandas") if nan_to_null is None else nan_to_null
        found = _read(data.to_numpy() if dtype.kind != "O" else _marked(data.to_numpy(), nan_to_null), type, ndim)
    else:
        found = _read(data, type, ndim)
    return _without_nan(found) if nan_to_null else found


def _without_nan(found: ArrowData) -> ArrowData:
    """Replace NaN by null in floats; NaN inside lists is kept."""
    if isinstance(found, pa.ChunkedArray):
        return pa.chunked_array([nan_to_null_values(chunk) for chunk in found.chunks], found.type)
    return nan_to_null_values(found)


def _read(data: Any, type: pa.DataType | None, ndim: int | None) -> ArrowData:
    if isinstance(data, JaggedShape):
        raise JagTypeError(f"a {data!r} has no values: JaggedArray(shape, values), or aj.zeros(shape)")
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return data
    if isinstance(data, np.ndarray) and data.dtype.kind != "O":
        return _from_ndarray(data)
    if exports_arrow(data):
        return _imported(data)
    if (
        hasattr(data, "__arrow_array__")
        and not isinstance(data, builtins.type)
        and not data.__class__.__module__.startswith("pandas.")
    ):
        return pa.array(data)
    # Categories, whose order their items lack, and Series, which lack the C interface before pandas 3.0.
    if is_of(data, "pandas") and (data.__class__.__name__ == "Series" or str(getattr(data, "dtype", "")) == "category"):
        with contextlib.suppress(pa.ArrowException):
            return pa.array(data)
    return _from_python(data, type, ndim)


def _imported(data: Any) -> ArrowData:
    """Import data of another library through Arrow's C interface."""
    refuse_unreadable(data)
    if is_of(data, "polars"):
        refuse_nul(data)
        data = data.alias("") if hasattr(data, "alias") else data
    try:
        found = import_data(data, f"the Arrow data of a {type(data).__name__}")
        # Most kernels read text side by side, and would convert views at every call.
        return _text_of_polars(data) if is_of(data, "polars") and _holds_views(found.type) else found
    except pa.ArrowInvalid as error:
        if "format string" in str(error):
            raise JagTypeError(
                f"a {type(data).__name__} of {getattr(data, 'dtype', 'some type')} has no Arrow type: {error}"
            ) from None
        raise OffsetsError(f"the Arrow data of a {type(data).__name__} can't be read: {error}") from None


def _holds_views(type: pa.DataType) -> bool:
    """Whether a type holds views of text or bytes at any depth, or categories of them."""
    return has_views(type) or any(map(_holds_views, inside(type)))


def _text_of_polars(data: Any) -> ArrowData:
    """Convert a Series or frame of polars to Arrow with text as large strings, as polars' own conversion does by default."""
    series = data.to_struct("") if hasattr(data, "to_struct") else data
    found: ArrowData = series.to_arrow()
    return found


def _from_ndarray(data: npt.NDArray[Any]) -> pa.Array:
    masked = isinstance(data, np.ma.MaskedArray)
    mask = np.ma.getmaskarray(data) if masked else None
    plain = np.ma.getdata(data) if masked else data
    if plain.dtype.names:
        fields = [_from_ndarray(np.ascontiguousarray(plain[name])) for name in plain.dtype.names]
        return pa.StructArray.from_arrays(fields, names=list(plain.dtype.names))
    if not plain.dtype.isnative:
        plain = plain.astype(plain.dtype.newbyteorder("="))
    plain = in_arrow_unit(plain)
    items = plain.tolist() if _holds_nul(plain) else plain
    try:
        return pa.array(items, mask=mask, from_pandas=False)
    except UnicodeError as error:  # half a surrogate pair
        raise JagValueError(f"numpy data of dtype {plain.dtype} holds text that UTF-8 can't encode: {error}") from None
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # pyarrow raises either, depending on the dtype
        if plain.ndim != 1:
            raise JagTypeError(f"expected an array of one dimension, got one of shape {plain.shape}") from None
        hint = "; pass .real and .imag, or both as fields of aj.zip" if plain.dtype.kind == "c" else ""
        raise JagTypeError(f"Arrow has no type for numpy data of dtype {plain.dtype}{hint}") from None


def _holds_nul(data: npt.NDArray[Any]) -> bool:
    """Whether texts of a fixed width hold a character NUL before others: pyarrow would end them there."""
    if data.dtype.kind not in "SU" or not data.size:
        return False
    codes = np.ascontiguousarray(data).view(np.uint8 if data.dtype.kind == "S" else np.uint32).reshape(len(data), -1)
    return bool(((codes[:, :-1] == 0) & (codes[:, 1:] != 0)).any())


def _from_python(data: Any, type: pa.DataType | None, ndim: int | None) -> pa.Array:
    if isinstance(data, np.ndarray):
        data = data.tolist() if data.ndim == 1 else _plain(data)
    if isinstance(data, builtins.type):
        raise JagTypeError(f"array takes values, got the class {data.__name__}")
    if isinstance(data, (set, frozenset)):
        raise JagTypeError(f"a set has no order, which rows need, got {brief(data)}; pass a list, such as sorted(data)")
    data = several(data, "expected a sequence of values") if not isinstance(data, (list, tuple)) else data
    classes = _arrow.item_classes(data)
    data = without_odd_numbers(data, classes)
    _arrow.check_times_of_day(data, classes)
    if _arrow.holds_masks(classes):
        type = _type_of_unmasked(data, ndim) if type is None else type
        data = _plain(data)
    try:
        return _nested(data, type, ndim, classes)
    except (ShapeError, JagTypeError, JagValueError):
        plain = _plain(data)
        if all(one is two for one, two in zip(plain, data, strict=True)):
            raise
    classes = _arrow.item_classes(plain)
    return _nested(without_odd_numbers(plain, classes), type, ndim, classes)


def _type_of_unmasked(data: Any, ndim: int | None) -> pa.DataType | None:
    """Return the type of all leaves, so that it doesn't depend on masks; None for times and where Arrow infers none."""
    found = _inferred(_plain(data, masks=False))
    if isinstance(found, Exception):
        return None
    leaf = _strip(found, depth(found) if ndim is None else min(depth(found), ndim - 1))
    return None if pt.is_temporal(leaf) else leaf  # times take the finest unit of all arrays


def _marked(objects: Any, nan_to_null: bool) -> list[Any]:
    """Return the objects of a Series, with NaN, which marks missing rows, replaced by None."""
    return [None if nan_to_null and isinstance(one, float) and math.isnan(one) else one for one in objects]


def _plain(data: Any, masks: bool = True) -> Any:
    """Convert arrays and ranges inside lists to lists, Arrow scalars to Python values, masked and missing items to None.

    Data that holds none of these is returned as the same object. With `masks=False`, masked items keep their values.
    """
    data = as_numpy(data)
    if isinstance(data, np.ma.MaskedArray):
        data = _arrow.without_mask(data) if masks or data is np.ma.masked else np.ma.getdata(data)
    if isinstance(data, np.ndarray) and data.ndim == 0:
        return data[()]
    if isinstance(data, np.ndarray) and data.ndim < 2 and data.dtype.kind != "O":
        return data if data.dtype.isnative else data.astype(data.dtype.newbyteorder("="))
    if isinstance(data, dict):
        fields = {name: _plain(value, masks) for name, value in data.items()}
        return data if all(fields[name] is value for name, value in data.items()) else fields
    if isinstance(data, (list, tuple, range, np.ndarray)):
        plain = [_plain(item, masks) for item in data]
        same = isinstance(data, (list, tuple)) and all(one is two for one, two in zip(plain, data, strict=True))
        return data if same else plain
    if isinstance(data, pa.Scalar):
        return data.as_py()
    if _arrow.is_missing(data):
        return None
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(data, method) and not isinstance(data, np.generic):
            items = getattr(data, method)()
            return _plain(_marked(items, _marks_by_nan(data.dtype)), masks) if is_of(data, "pandas") else items
    return data


def _marks_by_nan(dtype: Any) -> bool:
    """Return whether NaN marks missing items in a pandas dtype whose values can't be NaN: text and categories."""
    return not isinstance(dtype, np.dtype) and dtype.kind == "O"


def _nested(data: Any, type: pa.DataType | None, ndim: int | None, classes: set[builtins.type] | None) -> pa.Array:
    """Convert nested lists of scalars: pyarrow infers the type; levels that it can't infer adapt to `ndim`."""
    data = data if type is None else with_python_bools(data, type, classes)
    is_inferred = (
        type is None or ndim is None or may_truncate(type) or pt.is_struct(type) or (classes is not None and Decimal in classes)
    )
    found = _inferred(data, classes) if is_inferred else None
    of_numpy = _times_of_numpy(data, found, type)
    if of_numpy is not None:
        data, type = of_numpy, None  # the caller casts
        found = _inferred(data)
    if isinstance(found, Exception):
        if type is None:
            raise _misfit("the data mixes nesting levels or types", found, data) from None
        found = None
    levels = _python_depth(data) if found is None else depth(found)
    wanted = levels if ndim is None else ndim - 1
    is_lossy = type is not None and (holds_maps(type) or _may_lose_times_of_day(type, classes) or rounds_integers(type, classes))
    if type is not None and (found is None or is_lossy):
        refuse_fractions(data, type, wanted)
    inferred = None if found is None else _strip(found, min(levels, wanted))
    if inferred is not None and holds_identifiers(classes or ()):
        refuse_fractions(data, inferred if type is None else type, wanted)
    if inferred is not None:
        inferred = with_datetimes(data, inferred, any_zones=type is not None)
    leaf = _type_to_read(inferred, type)
    try:
        if "pandas" in sys.modules and _may_cut(inferred, leaf) and not (of_numpy is not None and has_numpy_times(of_numpy)):
            return _with_nanoseconds(data, leaf, wanted)
        return _whole_or_wanted(data, leaf, type, wanted)
    except OverflowError:
        if type is not None or inferred is None or not pt.is_integer(inferred):
            raise _int_misfit(data, leaf, wanted, "") from None
    try:  # pyarrow takes every Python int for int64
        return _as_lists(data, pa.uint64(), wanted)
    except OverflowError:
        hint = ", and not all items fit uint64; pass floats or decimals"
        raise _int_misfit(data, pa.int64(), wanted, hint) from None


def _times_of_numpy(data: Any, found: pa.DataType | Exception | None, type: pa.DataType | None) -> Any:
    """Return the data with its times of numpy in one unit; None if it holds none. Raise if the wanted type is no type of times."""
    if not isinstance(found, Exception) and (found is None or not pt.is_temporal(_strip(found, depth(found)))):
        return None
    times = in_one_unit(data)
    if times is not None and type is not None and not _arrow.is_temporal(plain_type(type)):  # a cast would return counts
        misfit = _item_misfit(times, type, _python_depth(times))
        if misfit is not None:
            raise misfit
    return times


def _may_lose_times_of_day(type: pa.DataType, classes: set[builtins.type] | None) -> bool:
    return holds_dates(type) and (classes is None or any(issubclass(one, dt.datetime) for one in classes))


def _type_to_read(inferred: pa.DataType | None, type: pa.DataType | None) -> pa.DataType | None:
    """Return the type to read leaves as. pyarrow would silently truncate numbers and times: the caller's cast checks them."""
    whole = type is None or (inferred is not None and pt.is_floating(inferred) and not _is_no_number(plain_type(type)))
    leaf = inferred if whole or type is None else exact_type(inferred, type)
    if leaf is None or not pt.is_dictionary(leaf):
        return leaf
    # pyarrow makes no dictionaries of some Python objects: the caller's cast encodes them.
    values = leaf.value_type
    if has_views(values):
        return pa.large_string() if pt.is_string_view(values) else pa.large_binary()
    return values if _arrow.is_temporal(values) or pt.is_decimal(values) or pt.is_float16(values) else leaf


def _is_no_number(type: pa.DataType) -> bool:
    """Return whether a type holds text, bytes or booleans, to which lists of numbers are not converted."""
    return pt.is_boolean(type) or is_text(type) or is_bytes(type)


def _whole_or_wanted(data: Any, leaf: pa.DataType | None, type: pa.DataType | None, levels: int) -> pa.Array:
    """Read leaves exactly; if they mix numbers that no exact type holds, such as floats and decimals, as the wanted type."""
    try:
        return _as_lists(data, leaf, levels)
    except (ShapeError, JagValueError):
        if type is None or (leaf in (type, getattr(type, "value_type", None)) and not holds_floats(type)):  # or of a dictionary
            raise
    refuse_fractions(data, type, levels)
    return _as_lists(as_floats(data, type, levels), type, levels)


def _inferred(data: Any, classes: set[builtins.type] | None = None) -> pa.DataType | Exception:
    try:
        _arrow.check_dates(data, classes)
        return pa.infer_type(data)
    except (ValueError, TypeError, OverflowError, pa.ArrowException) as error:  # including errors of the objects' own methods
        return error


def _as_lists(data: Any, leaf: pa.DataType | None, levels: int) -> pa.Array:
    if levels and isinstance(leaf, pa.BaseExtensionType):
        return _of_extension(data, leaf, levels)
    if NO_LARGE_DICTIONARIES and leaf is not None and pt.is_dictionary(leaf) and pt.is_large_string(leaf.value_type):
        return _encoded(_as_lists(data, leaf.value_type, levels), leaf, levels)
    nested = leaf
    for _ in range(levels):
        nested = pa.large_list(nested)
    try:
        return _converted(data, nested)
    except OverflowError:  # the caller may retry with another type
        raise
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:  # which one depends on the type
        what = f"the data does not fit {plural(levels + 1, 'dim')} of {leaf}"
        raise _item_misfit(data, leaf, levels) or _flat_item(what, data, levels) or _misfit(what, error, data) from None


def _converted(data: Any, type: pa.DataType | None) -> pa.Array:
    """Convert by pyarrow; more than 2 GB of text or bytes need a larger type."""
    try:
        return pa.array(data, type=type)
    except pa.ArrowCapacityError:
        wide = widened(pa.infer_type(data) if type is None else type)
        return pa.array(data, type=wide)


def _may_cut(inferred: pa.DataType | None, leaf: pa.DataType | None) -> bool:
    """Return whether times are converted to microseconds, which may truncate nanoseconds; plain ints are exact."""
    times = inferred is not None and pt.is_temporal(inferred)
    return times and leaf in (pa.duration("us"), pa.timestamp("us", getattr(leaf, "tz", None)))


def _with_nanoseconds(data: Any, leaf: pa.DataType, levels: int) -> pa.Array:
    """Convert times to microseconds, as pyarrow infers, or to nanoseconds if pandas times would be truncated."""
    coarse = _as_lists(data, leaf, levels)
    fine = pa.duration("ns") if pt.is_duration(leaf) else pa.timestamp("ns", leaf.tz)
    try:
        exact = _as_lists(data, fine, levels)
    except (ShapeError, JagValueError, OverflowError):  # outside the range of nanoseconds
        return coarse
    whole = _arrow.peel(coarse, levels + 1)[1].cast(fine).equals(_arrow.peel(exact, levels + 1)[1])
    return coarse if whole else exact


def _of_extension(data: Any, leaf: pa.BaseExtensionType, levels: int) -> pa.Array:
    """Convert lists of an extension type: pyarrow converts only flat items, so that lists of item numbers are built first."""
    items: list[Any] = []

    def numbered(one: Any, level: int) -> Any:
        if one is None:
            return None
        if level:
            return [numbered(item, level - 1) for item in one]
        items.append(one)
        return len(items) - 1

    try:
        places = _as_lists([numbered(one, levels) for one in data], pa.int64(), levels)
        below, numbers = _arrow.peel(places, levels + 1)
        return _arrow.wrap(below, pa.array(items, type=leaf).take(numbers))
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:  # from pyarrow, or from items that should be lists
        raise _misfit(f"the data does not fit {plural(levels + 1, 'dim')} of {leaf}", error, data) from None


def _encoded(array: pa.Array, leaf: pa.DictionaryType, levels: int) -> pa.Array:
    """Encode the text inside of lists as a dictionary."""
    lists, text = _arrow.peel(array, ndim=levels + 1)
    coded = text.dictionary_encode()
    codes = coded.indices.cast(leaf.index_type)
    return _arrow.wrap(lists, pa.DictionaryArray.from_arrays(codes, coded.dictionary, ordered=leaf.ordered))


_WITH_TYPE = "; numbers, text, bytes, booleans, times, decimals, lists and dicts have one"
"""The end of the message about an object."""


def _misfit(what: str, error: Exception, data: Any) -> Exception:
    """Choose the error type: JagTypeError for a value without Arrow type, ShapeError for lists mixed with leaves."""
    has_no_type = "did not recognize Python value type" in str(error) or "Unsupported numpy type" in str(error)
    if has_no_type and "UUID" in str(error):
        NO_UUID_OBJECTS.refuse("an array of uuid.UUID objects")
    mixed = None if has_no_type else _mixed(data, (), {})
    if mixed is None:
        return _without_type(data, "") or (JagTypeError if has_no_type else ShapeError)(f"{what}: {error}")
    place, item = mixed
    path = "".join(f"[{index}]" for index in place)
    kind, others = ("a list", "not") if _is_row(item) else ("no list", "lists")
    return ShapeError(f"{what}: the item at {path}, {brief(item)}, is {kind}, but items before it at this level are {others}")


def _without_type(data: Any, path: str) -> Exception | None:
    """Return the error that names the first item, or item of a field, without an Arrow type even alone; None if there is none."""
    for key, item in data.items() if isinstance(data, dict) else enumerate(data):
        place = f"{path}[{key!r}]"
        if isinstance(item, (list, tuple, dict)):
            if (error := _without_type(item, place)) is not None:
                return error
        elif not isinstance(item, (str, bytes, int, float)) and isinstance(found := _inferred([item]), Exception):
            kind = JagTypeError if isinstance(found, TypeError) or "recognize" in str(found) else JagValueError
            reason = _WITH_TYPE if "did not recognize" in str(found) else f": {found}"
            return kind(f"the item {reprlib.repr(item)} at {place} has no Arrow type{reason}")
    return None


def _mixed(data: Any, path: tuple[int, ...], kinds: dict[int, bool]) -> tuple[tuple[int, ...], Any] | None:
    """Return the place and the item of the first list among items, or item among lists, of one level; None if there is none."""
    for index, item in enumerate(data):
        if item is None:
            continue
        if kinds.setdefault(len(path), _is_row(item)) != _is_row(item):
            return (*path, index), item
        found = _mixed(item, (*path, index), kinds) if _is_row(item) else None
        if found is not None:
            return found
    return None


def _flat_item(what: str, data: Any, levels: int, path: str = "") -> Exception | None:
    """Return the error that names the first item that should be a list; None if there is none."""
    for index, item in enumerate(data) if levels else ():
        if item is None:
            continue
        if not _is_row(item):
            return ShapeError(f"{what}: the item at {path}[{index}], {brief(item)}, is no list")
        if (error := _flat_item(what, item, levels - 1, f"{path}[{index}]")) is not None:
            return error
    return None


def _item_misfit(data: Any, leaf: pa.DataType | None, levels: int) -> Exception | None:
    """Return the error that names the first item that does not fit the type; None if items are nested too deep or too little.

    Items are converted one by one, which is slow: this is called only after the conversion of all of them has failed.
    """
    if leaf is None or (pt.is_nested(leaf) and not pt.is_struct(leaf)):
        return None
    for place, item in _items(data, levels):
        if place is None:
            return None
        try:
            pa.array([item], leaf)
        except (ValueError, TypeError, OverflowError, pa.ArrowNotImplementedError) as error:  # which one depends on the type
            if "did not recognize Python value type" in str(error):
                return None
            path = "".join(f"[{index}]" for index in place)
            misfit = f"the item {reprlib.repr(item)} at {path} does not fit the leaf type {leaf}"
            return JagValueError(f"{misfit}. Convert all items to one type first, or pass another type.")
    return None


def _int_misfit(data: Any, leaf: pa.DataType | None, levels: int, hint: str) -> JagOverflowError:
    """Return the error that names the first Python int that does not fit the type."""
    for place, item in _items(data, levels):
        try:
            pa.array([item], leaf)
        except OverflowError:
            path = "".join(f"[{index}]" for index in place or ())
            return JagOverflowError(f"the item {brief(item)} at {path} does not fit {leaf}{hint}")
        except (ValueError, TypeError, pa.ArrowNotImplementedError):  # of another kind
            continue
    return JagOverflowError(f"the data holds a Python int that does not fit {leaf}{hint}")


def _items(data: Any, levels: int) -> Iterator[tuple[tuple[int, ...] | None, Any]]:
    """Yield the items that are not null and their positions; None as position for a list among items, or an item among lists."""
    for index, item in enumerate(data):
        if item is None:
            continue
        if _is_row(item) != (levels > 0):
            yield None, item
        elif levels:
            for place, inner in _items(item, levels - 1):
                yield None if place is None else (index, *place), inner
        else:
            yield (index,), item


def _is_row(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or (isinstance(item, np.ndarray) and item.ndim > 0)


def _strip(type: pa.DataType | None, levels: int) -> pa.DataType:
    assert type is not None
    for _ in range(levels):
        type = type.value_type
    return type


def _python_depth(data: Any) -> int:
    """Count the list levels inside a list, for data whose type Arrow can't infer."""
    inner = [item for item in data if _is_row(item)]
    return 1 + max(map(_python_depth, inner)) if inner else 0
