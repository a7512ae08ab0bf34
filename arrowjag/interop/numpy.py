"""numpy: dense and masked arrays, and object arrays that hold one array per row.

Dense arrays of numbers are shared in both directions, booleans and masked arrays copied. The rows of an object array are views of
the values: they can't be written to.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arrowjag._arguments import check_arguments, flat_numbers
from arrowjag._array import JaggedArray, array_of
from arrowjag._array.base import as_column
from arrowjag.dense import from_dense
from arrowjag.errors import JagTypeError

__all__ = ["from_numpy", "to_numpy"]


@check_arguments
def from_numpy(data: npt.NDArray[Any], sizes: Any = None, *, ndim: int | None = None) -> JaggedArray:
    """Convert a numpy array to a jagged array.

    Parameters
    ----------
    data : numpy.ndarray
        Dense: each dim after the rows is declared. Masked: masked cells become null. Objects: one array, list or None per row.
    sizes : sizes or JaggedShape, optional
        The sizes of the rows of a padded array, as in `arrowjag.dense.from_dense`.
    ndim : int, optional
        Number of dims; those of an object array that hold only empty lists adapt to it. Lists below the last level are items.

    Returns
    -------
    JaggedArray
        Contiguous numbers are shared when `sizes` is not given: don't write to the array afterwards.

    Raises
    ------
    ShapeError
        If rows of an object array are not evenly nested, or `sizes` or `ndim` do not fit the array.
    JagTypeError
        If Arrow has no such type (complex).

    Examples
    --------
    >>> import arrowjag as aj, numpy as np
    >>> aj.interop.numpy.from_numpy(np.array([[1, 2], [3, 0]]), sizes=[2, 1]).to_list()
    [[1, 2], [3]]
    >>> aj.interop.numpy.from_numpy(np.ma.array([[1, 2]], mask=[[False, True]])).to_list()
    [[1, None]]
    """
    if sizes is not None:
        return from_dense(data, sizes)
    given: object = data
    array = given if isinstance(given, np.ndarray) else flat_numbers(given, "from_numpy: data")
    if array.dtype.kind == "O" and array.ndim == 0:
        raise JagTypeError(f"from_numpy takes a numpy array, got {type(data).__name__}")
    return array_of(as_column(array, ndim=ndim))


@check_arguments
def to_numpy(x: Any, layout: Literal["object", "dense", "masked"] = "object") -> npt.NDArray[Any]:
    """Convert a jagged array to a numpy array.

    Parameters
    ----------
    x : JaggedArray
        An array of any type.
    layout : {"object", "dense", "masked"}
        "object" gives one array per row, None for a null row, masked arrays for rows with nulls; rows of several levels are object
        arrays themselves. "dense" is `JaggedArray.to_numpy`, which needs rows of one size. "masked" is a padded masked array,
        `JaggedArray.to_dense` with `fill_value` None, where null rows look like empty ones.

    Returns
    -------
    numpy.ndarray
        Rows of numbers are views of the values. Cost: for "object" one Python object per row.

    Raises
    ------
    ShapeError
        If `layout` is "dense" and rows differ in length.
    JagValueError
        If there is no such layout.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.interop.numpy.to_numpy(aj.array([[1, 2], None, [3]]))
    array([array([1, 2]), None, array([3])], dtype=object)
    """
    array = array_of(x)
    if layout == "dense":
        return array.to_numpy()
    if layout == "masked":
        return array.to_dense(fill_value=None)
    found: npt.NDArray[Any] = array.flatten().to_numpy() if array.ndim > 1 else array.to_numpy()
    for dim in reversed(array.shape.dims[1:]):
        found = _rows(found, dim.offsets.tolist(), dim.validity)
    return found


def _rows(items: npt.NDArray[Any], offsets: list[int], validity: Any) -> npt.NDArray[Any]:
    """Return one view per row; the loop over rows creates the requested objects."""
    rows = np.empty(len(offsets) - 1, object)
    for row in range(len(rows)):
        rows[row] = items[offsets[row] : offsets[row + 1]]
    if validity is not None:
        rows[~validity] = None
    return rows
