"""Ordered categories: items of ordered dictionaries compare by the position of their value in the dictionary."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._ops.elementwise.framework import Datum, decoded
from arrowjag._ops.elementwise.types import promote
from arrowjag._pyarrow_versions import null_scalar
from arrowjag.errors import JagTypeError, JagValueError, brief

__all__ = ["Categories", "as_category", "codes_beside", "from_codes", "is_ordered", "share_order"]


@dataclass(frozen=True)
class Categories:
    """Ordered categories by their labels, the target type of a cast to polars' Enum."""

    labels: tuple[str, ...]

    def of(self, labels: pa.Array) -> pa.Array:
        """Convert text to these categories; a label that is none of them becomes null."""
        dictionary = pa.array(self.labels, pa.large_string())
        codes = pc.index_in(labels.cast(pa.large_string()), value_set=dictionary, skip_nulls=True)
        index = pa.uint8() if len(dictionary) < 2**8 else pa.uint16() if len(dictionary) < 2**16 else pa.uint32()
        return pa.DictionaryArray.from_arrays(codes.cast(index), dictionary, ordered=True)


def is_ordered(type: pa.DataType) -> bool:
    """Return whether a type is an ordered dictionary."""
    return bool(pt.is_dictionary(type) and type.ordered)


def share_order(data: Sequence[Datum]) -> bool:
    """Return whether a choice between operands gives ordered categories: all are ordered dictionaries, scalar labels or nulls."""
    kept = [is_ordered(datum.type) for datum in data]
    return any(kept) and all(
        one or isinstance(datum, pa.Scalar) or pt.is_null(datum.type) for one, datum in zip(kept, data, strict=True)
    )


def codes_beside(data: Sequence[Datum], operation: str) -> tuple[list[Datum], pa.Array]:
    """Encode data as positions in the dictionary shared by ordered dictionaries; also return that dictionary.

    Parameters
    ----------
    data : sequence of pa.Array or pa.Scalar
        At least one ordered dictionary; all other data are labels.
    operation : str
        The public name, for errors.

    Returns
    -------
    list of pa.Array or pa.Scalar
        int64 codes; null for a null.
    pa.Array
        The shared dictionary.

    Raises
    ------
    JagValueError
        If two ordered dictionaries differ, or a label is not in the dictionary.
    """
    ordered = [datum for datum in data if is_ordered(datum.type)]
    dictionary = _arrow.shared_categories([datum.dictionary for datum in ordered], operation)
    # An array without items may have lost its dictionary: then the labels beside it are the categories.
    if not len(dictionary) and not any(isinstance(datum, pa.Scalar) or len(datum) for datum in ordered):
        dictionary = _labels([datum for datum in data if not is_ordered(datum.type)], dictionary.type)
    return [_codes(datum, dictionary, operation) for datum in data], dictionary


def from_codes(codes: pa.Array, dictionary: pa.Array, types: Sequence[pa.DataType]) -> pa.Array:
    """Decode codes to ordered categories, of the common type of the ordered types given."""
    type = promote([one for one in types if is_ordered(one)], "choice")
    return pa.DictionaryArray.from_arrays(codes.cast(type.index_type), dictionary.cast(type.value_type), ordered=True)


def as_category(label: pa.Scalar, values: pa.Array, operation: str) -> pa.Scalar:
    """Convert a label to a scalar of the type of ordered `values`; otherwise return the scalar unchanged."""
    if not is_ordered(values.type) or is_ordered(label.type) or not label.is_valid:
        return label
    (code, _), dictionary = codes_beside([label, values], operation)
    return from_codes(pa.repeat(code, 1), dictionary, [values.type])[0] if code.is_valid else null_scalar(values.type)


def _labels(data: Sequence[Datum], type: pa.DataType) -> pa.Array:
    """Return the distinct labels of data that fit the type of a dictionary, in order of first appearance."""
    kernel_type = _without_views(type)
    found = [pa.array([], kernel_type)]
    for datum in data:
        labels = _plain_labels(datum if isinstance(datum, pa.Array) else pa.array([datum.as_py()], datum.type))
        with contextlib.suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):  # labels of another type are refused later
            found.append(labels.cast(kernel_type))
    dictionary = _arrow.combine_chunks(pa.chunked_array(found, kernel_type)).drop_null()
    return dictionary.dictionary_encode().dictionary.cast(type)


def _without_views(type: pa.DataType) -> pa.DataType:
    """Return the type whose values pyarrow's kernels take in place of text views."""
    return pa.large_string() if pt.is_string_view(type) else pa.large_binary() if pt.is_binary_view(type) else type


def _plain_labels(labels: pa.Array) -> pa.Array:
    """Decode a dictionary array, and text views, which pyarrow's kernels do not take."""
    labels = _arrow.plain(labels) if pt.is_dictionary(labels.type) else labels
    return labels.cast(_without_views(labels.type))


def _codes(datum: Datum, dictionary: pa.Array, operation: str) -> Datum:
    if isinstance(datum, pa.Scalar):
        return _codes(_one_label(datum), dictionary, operation)[0]
    if is_ordered(datum.type):
        return _arrow.dictionary_indices(datum)
    labels = _plain_labels(datum)
    codes = _places(labels, dictionary)
    unknown = pc.and_(codes.is_null(), labels.is_valid())
    if pc.any(unknown).as_py():
        raise _no_category(labels.filter(unknown)[0].as_py(), dictionary, operation)
    return codes


def _one_label(label: pa.Scalar) -> pa.Array:
    """Return an array of one label; a category of another dictionary is a label here."""
    return pa.repeat(decoded(label), 1)


def _places(labels: pa.Array, dictionary: pa.Array) -> pa.Array:
    """Return the positions of labels in the dictionary; null for unknown labels.

    Labels of another kind are unknown, because Arrow's cast would find the number 1 among texts.
    """
    if pt.is_null(labels.type):
        return pa.nulls(len(labels), pa.int64())
    try:
        type = promote([labels.type, _without_views(dictionary.type)], "choice")
        labels, dictionary = labels.cast(type), dictionary.cast(type)
    except (JagTypeError, pa.ArrowInvalid, pa.ArrowNotImplementedError):  # no common type, or one that doesn't hold a label
        return pa.nulls(len(labels), pa.int64())
    return pc.index_in(labels, value_set=dictionary, skip_nulls=True).cast(pa.int64())


def _no_category(label: Any, dictionary: pa.Array, operation: str) -> JagValueError:
    known = _arrow.name_categories(dictionary)
    return JagValueError(
        f"{operation}: {brief(label)} is not one of the ordered categories {known}. Cast the categories to their value type first."
    )
