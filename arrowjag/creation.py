"""Create arrays from a shape: `arange`, `zeros`, `full`, `random`. Plain lists repeat to fill their level, as in fold."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray
from arrowjag._column import Column
from arrowjag._kernels.base import draws
from arrowjag._ops import elementwise
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.shape import JaggedShape

__all__ = ["arange", "full", "random", "zeros"]


def _shape(dims: tuple[Any, ...]) -> JaggedShape:
    if len(dims) == 1 and isinstance(dims[0], JaggedShape):
        return dims[0]
    return JaggedShape.repeating(*dims)


@check_arguments
def arange(*dims: Any, start: int = 0) -> JaggedArray:
    """Number the items of a shape.

    Parameters
    ----------
    *dims : int, sizes, Dim or pattern; or one JaggedShape
        The shape; plain lists repeat to fill their level.
    start : int
        The first number.

    Returns
    -------
    JaggedArray
        int64 of that shape; without dims a single number.

    Raises
    ------
    ShapeError
        If the dims do not fit.
    JagTypeError
        If `start` is not an int, or a dim is none of these.

    Notes
    -----
    Corresponds to fold's `arange`.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.arange(2, [2, 3]).to_list()
    [[0, 1], [2, 3, 4]]
    """
    shape = _shape(dims)
    return _of(shape, _arrow.numbers(shape.size, start))


@check_arguments
def zeros(*dims: Any, type: Any = None) -> JaggedArray:
    """Create an array of zeros, which stores one value until its values are read.

    Parameters
    ----------
    *dims : int, sizes, Dim or pattern; or one JaggedShape
        The shape; plain lists repeat to fill their level.
    type : pa.DataType, str or numpy dtype, optional
        The leaf type, or its name; float64 by default. Zero is False for booleans, and 1970-01-01 for dates and timestamps.

    Returns
    -------
    JaggedArray
        Run-end encoded: O(1) memory until its values are read.

    Raises
    ------
    ShapeError
        If the dims do not fit.
    JagTypeError
        If the type has no zero, such as text and structs.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.zeros(2, [1, 2]).to_list()
    [[0.0], [0.0, 0.0]]
    """
    return full(dims, _zero(pa.float64() if type is None else elementwise.as_type(type)))


def _zero(type: pa.DataType) -> pa.Scalar:
    """Return the zero of a number or a time."""
    if pt.is_boolean(type):
        return pa.scalar(False)
    if _arrow.is_numeric(type) or pt.is_decimal(type):
        return pa.scalar(Decimal(0), type) if pt.is_decimal(type) else elementwise.cast_values(pa.scalar(0), type)
    if pt.is_temporal(type) and not pt.is_interval(type):
        return pa.scalar(0, type)
    raise JagTypeError(f"zeros: {type} has no zero; use aj.full(dims, value)")


@check_arguments
def full(dims: Any, value: Any) -> JaggedArray:
    """Create an array of one value, which is stored once until the values are read.

    Parameters
    ----------
    dims : int, tuple or list of dims, JaggedShape
        The shape, as numpy's `full` takes it. Dims are ints, sizes, Dims or patterns; plain lists repeat to fill their level.
    value : scalar
        A Python, numpy or Arrow scalar; None makes nulls.

    Returns
    -------
    JaggedArray
        Run-end encoded: O(1) memory until its values are read.

    Raises
    ------
    ShapeError
        If the dims do not fit.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.full((2, [1, 2]), "a").to_list()
    [['a'], ['a', 'a']]
    """
    shape = _shape(tuple(dims) if isinstance(dims, (tuple, list)) else (dims,))
    scalar = elementwise.scalar_like(value, None, "full")
    one = pa.repeat(scalar, 1) if scalar.is_valid else pa.nulls(1, scalar.type)
    if shape.size == 0:
        return _of(shape, one.slice(0, 0))
    ends = pa.array([shape.size], pa.int64())
    return _of(shape, pa.RunEndEncodedArray.from_arrays(ends, one))


@check_arguments
def random(*dims: Any, seed: int | None = None) -> JaggedArray:
    """Create random numbers from 0 (included) to 1 (excluded).

    Parameters
    ----------
    *dims : int, sizes, Dim or pattern; or one JaggedShape
        The shape; plain lists repeat to fill their level.
    seed : int, optional
        Makes the numbers repeatable.

    Returns
    -------
    JaggedArray
        float64 of that shape, without nulls. Cost: one pass.

    Raises
    ------
    ShapeError
        If the dims do not fit.
    JagTypeError, JagValueError
        If `seed` is not an int, or negative.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.random(2, [1, 2], seed=1).shape
    JaggedShape(2, [1, 2])
    """
    shape = _shape(dims)
    if seed is not None and seed < 0:
        raise JagValueError(f"random: seed must not be negative, got {seed}")
    numbers = np.random.default_rng() if seed is None else draws.generator(seed)
    return _of(shape, _arrow.from_numpy(draws.uniform(numbers, shape.size)))


def _of(shape: JaggedShape, values: pa.Array) -> JaggedArray:
    array: JaggedArray = JaggedArray._of(Column(shape, values))
    return array
