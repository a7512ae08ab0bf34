"""xarray: ragged arrays by the CF conventions, contiguous and indexed.

A dataset holds all samples in a row, and either how many samples each instance has (contiguous) or the instance of each sample
(indexed). Contiguous samples are shared in both directions where their types allow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray, array_of
from arrowjag._column import Column
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.move import gather
from arrowjag._ops import elementwise
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, brief
from arrowjag.interop import _parts
from arrowjag.shape import JaggedShape
from arrowjag.typing import IntArray

__all__ = ["from_ragged", "to_ragged"]


# --------------------------------------------------------------------------------------------------- in


@check_arguments
def from_ragged(
    dataset: Any, *, count: str | None = None, index: str | None = None, nan_to_null: bool = False
) -> dict[str, JaggedArray]:
    """Convert the variables of a CF ragged dataset to jagged arrays, one row per instance.

    Parameters
    ----------
    dataset : xarray.Dataset
        With a count variable (attribute `sample_dimension`) or an index variable (attribute `instance_dimension`).
    count : str, optional
        The variable with the number of samples of each instance, if several have the attribute, or none.
    index : str, optional
        The variable with the instance of each sample, from 0. With an index, samples may be in any order; those of one instance
        keep theirs.
    nan_to_null : bool
        Whether NaN, which xarray puts in place of missing values, becomes null. NaT becomes null in any case.

    Returns
    -------
    dict of str to JaggedArray
        Variables along the sample dimension have ndim 2, and one more declared dim for each further dimension; variables along the
        instance dimension have one item per instance. All others, the count and the index variable are left out. Contiguous
        samples are shared; indexed ones are gathered once.

    Raises
    ------
    JagValueError
        If no count or index variable is found, or several are; if counts do not add up to the number of samples, or an index is out
        of range.
    JagTypeError
        If counts or indices are not integers, or Arrow has no type for a variable.
    """
    _parts.expect(dataset, ("variables", "sizes"), "from_ragged", "an xarray.Dataset")
    name, is_count, samples, instances = _described(dataset, count, index)
    numbers = np.asarray(dataset[name].values)
    if numbers.dtype.kind not in "iu":
        raise JagTypeError(f"from_ragged: {name} must hold integers, got {numbers.dtype}")
    n_samples = int(dataset.sizes[samples])
    if is_count:
        offsets, order = _offsets_of(numbers.astype(np.int64), n_samples, name), None
    else:
        offsets, order = _grouped(numbers.astype(np.int64), int(dataset.sizes[instances]), name)
    frame = (Uniform(len(offsets) - 1, 1, declared=False), Ragged.from_offsets(offsets, check=False))
    found = {}
    for label, variable in dataset.variables.items():
        if label == name or not variable.dims or variable.dims[0] not in (samples, instances):
            continue
        is_sample = variable.dims[0] == samples
        data = np.asarray(variable.values)
        leaves = _parts.items_of(_without_nan(data) if data.dtype.kind == "O" else data, f"from_ragged: {label}")
        dims: list[Dim] = list(frame) if is_sample else [frame[0]]
        width = 1
        for extent in data.shape[1:]:
            dims.append(Uniform(extent, len(data) * width))
            width *= extent
        if is_sample and order is not None:
            items = (order[:, None] * width + np.arange(width)).ravel()
            leaves = gather.take(leaves, items)
        column = Column(JaggedShape._trusted(dims), leaves)
        found[str(label)] = JaggedArray._of(elementwise.nan_to_null(column) if nan_to_null else column)
    return found


def _without_nan(objects: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Replace NaN, by which xarray marks missing texts, by None."""
    found = objects.copy()
    found[np.frompyfunc(lambda one: isinstance(one, float) and math.isnan(one), 1, 1)(objects).astype(bool)] = None
    return found


def _described(dataset: Any, count: str | None, index: str | None) -> tuple[str, bool, str, str]:
    """Return the count or index variable, whether it is a count, and the names of the sample and the instance dimension."""
    if count is not None and index is not None:
        raise JagValueError("from_ragged takes either count= or index=, got both")
    marks = {"sample_dimension": count, "instance_dimension": index}
    known = [(name, mark) for mark in marks for name, one in dataset.variables.items() if mark in one.attrs]
    if count is not None or index is not None:
        wanted = str(count if index is None else index)
        if wanted not in dataset.variables:
            raise JagValueError(f"from_ragged: the dataset has no variable {brief(wanted)}")
        known = [(wanted, "sample_dimension" if index is None else "instance_dimension")]
    if len(known) != 1:
        names = ", ".join(str(name) for name, _ in known) or "none"
        raise JagValueError(
            "from_ragged: expected one variable with the attribute sample_dimension (counts) or instance_dimension (indices), "
            f"got {names}; name it by count= or index="
        )
    name, mark = known[0]
    variable = dataset.variables[name]
    if len(variable.dims) != 1:
        raise ShapeError(f"from_ragged: {name} must have one dimension, got {variable.dims}")
    other = variable.attrs.get(mark) or _other_dimension(dataset, variable.dims[0], name)
    if other not in dataset.sizes:
        raise JagValueError(f"from_ragged: {name} names the dimension {other!r}, which the dataset lacks")
    is_count = mark == "sample_dimension"
    return str(name), is_count, str(other if is_count else variable.dims[0]), str(variable.dims[0] if is_count else other)


def _other_dimension(dataset: Any, own: Any, name: Any) -> Any:
    others = [dim for dim in dataset.sizes if dim != own]
    if len(others) != 1:
        raise JagValueError(f"from_ragged: {name} names no other dimension, and the dataset has {others}")
    return others[0]


def _offsets_of(counts: IntArray, n_samples: int, name: str) -> IntArray:
    if (counts < 0).any():
        place = int(counts.argmin())
        raise JagValueError(f"from_ragged: {name} holds {int(counts[place])} at instance {place}; counts must not be negative")
    offsets = _offsets.from_sizes(counts)
    if offsets[-1] != n_samples:
        raise JagValueError(f"from_ragged: {name} counts {int(offsets[-1])} samples, but there are {n_samples}")
    return offsets


def _grouped(index: IntArray, n: int, name: str) -> tuple[IntArray, IntArray]:
    """Return the offsets of instances, and the samples instance by instance."""
    wrong = (index < 0) | (index >= n)
    if wrong.any():
        place = int(wrong.argmax())
        raise JagValueError(f"from_ragged: {name} holds {int(index[place])} at sample {place}, but there are {n} instances")
    return _offsets.from_counts(np.bincount(index, minlength=n)), np.argsort(index, kind="stable")


# --------------------------------------------------------------------------------------------------- out


@check_arguments
def to_ragged(
    arrays: Mapping[str, Any],
    layout: Literal["contiguous", "indexed"] = "contiguous",
    *,
    instance: str = "trajectory",
    sample: str = "obs",
    name: str | None = None,
) -> Any:
    """Convert jagged arrays of the same rows to a CF ragged dataset.

    Parameters
    ----------
    arrays : dict of str to JaggedArray or array
        Arrays of ndim 2 or more hold the samples of each instance and have equal row sizes; dims after the second must have a
        declared extent. Arrays of one dim hold one value per instance.
    layout : {"contiguous", "indexed"}
        Whether the dataset counts the samples of each instance or stores the instance of each sample.
    instance, sample : str
        The names of the dimensions.
    name : str, optional
        The name of the count variable, by default "row_size", or of the index variable, by default "index".

    Returns
    -------
    xarray.Dataset
        Null floats and texts become NaN, null times NaT. Values are shared where nothing is null.

    Raises
    ------
    ShapeError
        If row sizes differ, an inner dim is ragged, or there is no array of ndim 2.
    JagValueError
        If a row is null, or an item of a type that xarray has no missing value for.
    MissingDependencyError
        If xarray is not installed.
    """
    if not isinstance(arrays, Mapping):
        raise JagTypeError(f"to_ragged takes a dict of names and arrays, got {type(arrays).__name__}")
    columns = {label: array_of(one) for label, one in arrays.items()}
    deep = {label: one for label, one in columns.items() if one.ndim > 1}
    if not deep:
        raise ShapeError("to_ragged needs an array of ndim 2 or more, which holds the samples")
    first, whole = next(iter(deep.items()))
    xarray = _parts.load("xarray", "to_ragged")
    variables: dict[str, Any] = {}
    for label, one in columns.items():
        _parts.refuse_null_rows(one, f"xarray ({label})")
        if len(one) != len(whole) or (one.ndim > 1 and one.shape.dims[1] != whole.shape.dims[1]):
            raise ShapeError(f"to_ragged: {label} has the rows {one.shape[:2]!r}, but {first} has {whole.shape[:2]!r}")
        depth = min(one.ndim, 2)
        extents = one.shape.extents[depth:]
        if None in extents:
            raise ShapeError(
                f"to_ragged: {label}, {one.shape!r}, has rows of other sizes below the samples; flatten or pad them first"
            )
        inner = [f"{label}_{place}" for place in range(len(extents))]
        variables[label] = (
            (sample if depth == 2 else instance, *inner),
            _plain(one, label).reshape(-1, *extents) if extents else _plain(one, label),
        )
    dim = whole.shape.dims[1]
    if layout == "contiguous":
        label, coords = name or "row_size", {}
        about = {"long_name": "number of samples", "sample_dimension": sample}
        variables[label] = ((instance,), np.ascontiguousarray(dim.sizes), about)
    else:
        label, coords = name or "index", {instance: np.arange(len(whole))}
        about = {"long_name": "instance of the sample", "instance_dimension": instance}
        variables[label] = ((sample,), np.asarray(dim.parents, np.int64), about)
    if taken := next((one for one in (label, *coords) if one in columns), instance if label in coords else None):
        raise JagValueError(f"to_ragged: the name {taken!r} is taken by {'an array' if taken in columns else 'the instances'}")
    return xarray.Dataset(variables, coords=coords)


def _plain(array: JaggedArray, label: str) -> npt.NDArray[Any]:
    """Return the leaves as numpy; missing ones as NaN, NaT, or None, which xarray replaces by NaN."""
    values: pa.Array = array.values
    type = values.type
    is_time = pt.is_timestamp(type) or pt.is_duration(type) or pt.is_date(type)
    holds_missing = is_time or pt.is_floating(type) or elementwise.is_text(type)
    if values.null_count and not holds_missing:
        raise JagValueError(
            f"xarray has no missing value of type {type}, got {values.null_count} in {label}. Use fill_null or cast to float64"
        )
    if pt.is_nested(type) or pt.is_dictionary(type):
        raise JagTypeError.no_kernel("to_ragged", type, hint="Give each field as an array.")
    if pt.is_timestamp(type) and type.tz is not None:
        values = values.cast(pa.timestamp(type.unit))  # UTC, as the CF conventions have it
    found: npt.NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return found
