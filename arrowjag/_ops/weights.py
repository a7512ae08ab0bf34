"""Weights of items: conversion to float64, validation, and the test for rows of zero total weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.elementwise.decimals import to_doubles
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.typing import BoolArray, IntArray

__all__ = ["has_weight", "weights_of"]


def weights_of(
    weights: pa.Array, valid: BoolArray | None, offsets: IntArray, operation: str
) -> tuple[npt.NDArray[np.float64], BoolArray | None]:
    """Convert weights to float64 and find the items that have both a value and a weight.

    Parameters
    ----------
    weights : pa.Array
        One number per item.
    valid : (n_values,) bool array, optional
        False for items whose value or weight is null; by default no value is null.
    offsets : (n_rows + 1,) int64 array
        The rows, to name one in an error message.
    operation : str
        The public name, for errors.

    Returns
    -------
    (n_values,) float64 array; (n_values,) bool array or None
        The weights, and False for items whose value or weight is null. The weight of such an item is unspecified.

    Raises
    ------
    JagTypeError
        If the weights are not numbers.
    JagValueError
        If the weight of a valid item is negative.
    """
    if pt.is_boolean(weights.type):
        weights = weights.cast(pa.uint8())
    if pt.is_decimal(weights.type):
        weights = to_doubles(weights)
    if pt.is_null(weights.type):
        weights = weights.cast(pa.float64())
    if not _arrow.is_numeric(weights.type):
        raise JagTypeError(f"{operation}: weights must be numbers, got {weights.type}")
    amounts = _arrow.data_alone(weights)
    valid = _arrow.valid_of(weights) if valid is None else valid
    negative = amounts < 0
    if np.count_nonzero(negative) and np.count_nonzero(negative := negative if valid is None else negative & valid):
        item = int(negative.argmax())
        row = int(_offsets.parents(offsets)[item])
        raise JagValueError(f"{operation}: weights must not be negative, got {amounts[item]} in row {row}", row=row)
    return amounts.astype(np.float64, copy=False), valid


def has_weight(amounts: npt.NDArray[Any], valid: BoolArray | None, offsets: IntArray) -> BoolArray:
    """True for rows whose total weight is positive or NaN; weighted results of all other rows are null."""
    found: BoolArray
    found, _ = _reduce.any(amounts != 0, valid, offsets)
    return found
