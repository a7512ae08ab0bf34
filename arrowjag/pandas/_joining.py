"""Wrappers of pandas methods that match jagged columns with columns of other kinds: the keys of merges, columns to explode."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from arrowjag import _arrow
from arrowjag.errors import JagError, JagTypeError, ShapeError, brief
from arrowjag.pandas._cells import is_jagged
from arrowjag.pandas._convert import concat, read, uncategorized
from arrowjag.pandas._operators import wrap_column
from arrowjag.pandas._row_bytes import content_keys, order_codes
from arrowjag.pandas.dtype import JaggedDtype

__all__ = ["explode", "factorize_keys", "merge_keys"]


def merge_keys(original: Callable[..., Any]) -> Any:
    """Compare the rows of a key by content: lists beside a jagged key become rows, and a key of other values is refused.

    pandas can't hash lists, and finds no equal rows where the dtypes have none in common. Keys of two dtypes become objects there;
    here they get the common one.
    """

    def coerce(self: Any) -> None:
        for place, name in enumerate(self.join_names):
            one, two = (
                uncategorized(getattr(key[place], "array", key[place])) for key in (self.left_join_keys, self.right_join_keys)
            )
            if not is_jagged(one) and not is_jagged(two):
                continue
            if not is_jagged(one):
                _set_key(self, "left", place, _rows_beside(one, two, name))
            elif not is_jagged(two):
                _set_key(self, "right", place, _rows_beside(two, one, name))
            elif one.dtype != two.dtype:
                _promote(self, place, one, two, name)
        original(self)

    return coerce


def _rows_beside(values: Any, rows: Any, name: Any) -> Any:
    """Convert the values of a key to rows, which are compared with the rows of the other frame."""
    try:
        column = read(values, rows.dtype if pd.isna(values).all() else None)
    except JagError:
        raise _unlike(values, rows, name) from None
    found = wrap_column(column, JaggedDtype.of(column))
    if rows.dtype._get_common_dtype([rows.dtype, found.dtype]) is None:
        raise _unlike(found, rows, name)
    return found


def _unlike(one: Any, two: Any, name: Any) -> JagTypeError:
    return JagTypeError(
        f"merge: the key {name!r} is {one.dtype} in one frame and {two.dtype} in the other, which have no common dtype. Convert "
        "one of them first, such as by astype"
    )


def _promote(merge: Any, place: int, one: Any, two: Any, name: Any) -> None:
    """Give two keys their common dtype, and the columns too if they become one; keys with values that it can't hold stay."""
    common = one.dtype._get_common_dtype([one.dtype, two.dtype])
    if common is None:
        raise _unlike(one, two, name)
    try:
        promoted = {"left": one.astype(common), "right": two.astype(common)}
    except JagError:  # pandas compares objects, and so by value
        return
    label, other = merge.left_on[place], merge.right_on[place]
    is_one_column = label is not None and (label is other or (isinstance(label, str) and isinstance(other, str) and label == other))
    for side, rows in promoted.items():
        if is_one_column:
            _set_key(merge, side, place, rows)
        else:
            getattr(merge, f"{side}_join_keys")[place] = rows


def _set_key(merge: Any, side: str, place: int, rows: Any) -> None:
    """Replace a key of a merge, and the column that it was taken from."""
    getattr(merge, f"{side}_join_keys")[place] = rows
    frame, label = getattr(merge, side), getattr(merge, f"{side}_on")[place]
    if isinstance(label, Hashable) and list(frame.columns).count(label) == 1:
        frame = frame.copy(deep=False)
        frame[label] = rows
        setattr(merge, side, frame)


def factorize_keys(original: Callable[..., Any]) -> Any:
    """Number the rows of two keys for pandas, which would number their bytes, and sort the result of a merge by those."""

    def factorized(one: Any, two: Any, sort: bool = True, **options: Any) -> Any:
        if is_jagged(one) and one.dtype == two.dtype:
            one, two = _numbered(one, two, sort)
        return original(one, two, sort=sort, **options)

    return factorized


def _numbered(one: Any, two: Any, sort: bool) -> tuple[Any, Any]:
    """Return a number for each row of two arrays of one dtype, equal for equal rows, and in the order of the rows if `sort`."""
    columns = [one._jagged, two._jagged]
    try:
        codes = order_codes(concat(columns)) if sort else _content_codes(columns)
    except JagError:  # rows without an order, or of ordered categories that differ
        codes = _content_codes(columns)
    numbers = pd.arrays.IntegerArray(codes.astype(np.int64), codes < 0)
    return numbers[: len(one)], numbers[len(one) :]


def _content_codes(columns: list[Any]) -> npt.NDArray[np.int64]:
    codes: npt.NDArray[np.int64] = _arrow.factorize(pa.concat_arrays([content_keys(column) for column in columns]))[0]
    return codes


def explode(original: Callable[..., Any]) -> Any:
    """Explode several columns beside each other; pandas would take every `Row` for a single item when it compares their sizes."""

    def exploded(self: Any, column: Any, ignore_index: bool = False) -> Any:
        names = column if isinstance(column, list) else []
        original(self.iloc[:0], column, ignore_index=ignore_index)  # checks the arguments
        if len(names) < 2 or not any(is_jagged(self[name]) for name in names):
            return original(self, column, ignore_index=ignore_index)
        counts = [_rows_of(self[name]) for name in names]
        for name, found in zip(names[1:], counts[1:], strict=True):
            if len(wrong := np.flatnonzero(found != counts[0])):
                row = int(wrong[0])
                raise ShapeError(
                    f"explode: columns must have matching element counts, got {counts[0][row]} in {names[0]!r} and {found[row]} in "
                    f"{name!r} of row {brief(self.index[row])}; .jag.flatten(...) repeats a column of fewer dims"
                )
        result = self.iloc[np.repeat(np.arange(len(self)), counts[0])].copy(deep=False)
        for name in names:
            result[name] = self[name].explode().array
        return result.reset_index(drop=True) if ignore_index else result

    return exploded


def _rows_of(series: Any) -> npt.NDArray[np.int64]:
    """Return how many rows each row of a column becomes."""
    if is_jagged(series):
        sizes: npt.NDArray[np.int64] = np.maximum(series.array._jagged.shape.dims[1].sizes, 1)
        return sizes
    items = pd.api.types.is_list_like
    return np.array([max(len(one), 1) if items(one) else 1 for one in series], np.int64)
