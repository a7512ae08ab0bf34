"""Stand-ins for libraries that are not installed where most tests run: as much of their classes as arrowjag uses.

With them, a fault of the core that breaks a conversion fails a test of `make test` rather than one that few environments run. The
tests of each conversion also run with the library itself, where it is installed.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
import pytest

__all__ = ["AWKWARD", "DATASETS", "KODA", "SPARSE", "TORCH", "XARRAY", "Collection", "imported", "real_or"]


def imported(**modules: Any) -> Callable[[], Iterator[None]]:
    """Return a fixture of a test module: while its tests run, `import` finds the modules; ``__`` in a name stands for a dot."""

    @pytest.fixture(scope="module", autouse=True)
    def found() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name, module in modules.items():
                patch.setitem(sys.modules, name.replace("__", "."), module)
            yield

    return found  # type: ignore[return-value]  # what pytest makes of it


def real_or(name: str, stand_in: Any) -> Any:
    """Return the library if it is installed, else its stand-in."""
    is_there = importlib.util.find_spec(name.partition(".")[0]) is not None
    return importlib.import_module(name) if is_there else stand_in


def _module(name: str, **members: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(members)
    return made


# --------------------------------------------------------------------------------------------------- torch


class Tensor:
    """A dense tensor. numpy can't read it as long as it has gradients, as those of torch."""

    __module__ = "torch"
    layout, device, is_nested = "torch.strided", "cpu", False

    def __init__(self, data: Any, *, requires_grad: bool = False) -> None:
        self.data, self.requires_grad = np.asarray(data), requires_grad
        self.dtype, self.shape, self.ndim = f"torch.{self.data.dtype}", self.data.shape, self.data.ndim

    def detach(self) -> Tensor:
        return Tensor(self.data)

    def cpu(self) -> Tensor:
        return self

    contiguous = resolve_conj = resolve_neg = cpu

    def numpy(self) -> Any:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad")
        return self.data

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.numpy()

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Tensor]:
        return (Tensor(one, requires_grad=self.requires_grad) for one in self.data)

    def reshape(self, shape: Any) -> Tensor:
        return Tensor(self.data.reshape(shape))

    def tolist(self) -> Any:
        return self.data.tolist()


class NestedTensor:
    """A nested tensor of one jagged dim, with or without holes."""

    __module__ = "torch"
    device, is_nested, ndim = "cpu", True, 2

    def __init__(self, values: Any, offsets: Any, lengths: Any = None, layout: str = "torch.jagged", dim: int = 1) -> None:
        self._parts = values, offsets, lengths
        self.layout, self._ragged_idx = layout, dim

    def detach(self) -> NestedTensor:
        return self

    def values(self) -> Any:
        return self._parts[0]

    def offsets(self) -> Any:
        return self._parts[1]

    def lengths(self) -> Any:
        return self._parts[2]


TORCH = _module(
    "torch",
    Tensor=Tensor,
    from_numpy=Tensor,
    from_dlpack=lambda values: Tensor(np.from_dlpack(values)),
    cat=lambda parts: Tensor(np.concatenate([one.data for one in parts])),
    nested=SimpleNamespace(nested_tensor_from_jagged=NestedTensor),
)


# --------------------------------------------------------------------------------------------------- dask


class Collection:
    """A collection of dask: it has no values before it is computed."""

    __module__ = "dask.array.core"

    def __init__(self, made: Any) -> None:
        self._made, self.ndim, self.dtype = made, getattr(made, "ndim", 1), getattr(made, "dtype", None)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise AssertionError("numpy would compute it chunk by chunk, and lose missing values")

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("each item would be computed by itself")

    def compute(self) -> Any:
        return self._made


# --------------------------------------------------------------------------------------------------- scipy


def _write(target: Any, data: Any) -> None:
    """Write to a buffer as compiled code does: also if numpy says that it is read-only."""
    data = np.ascontiguousarray(data, target.dtype)
    ctypes.memmove(target.ctypes.data, data.ctypes.data, data.nbytes)


class CooArray:
    """A sparse matrix of coordinates."""

    format = "coo"

    def __init__(self, given: Any, shape: Any = None) -> None:
        if isinstance(given, tuple):
            self.data, (self.row, self.col) = np.asarray(given[0]), map(np.asarray, given[1])
        else:
            dense = np.asarray(given)
            self.row, self.col = np.atleast_2d(dense).nonzero()
            self.data, shape = np.atleast_2d(dense)[self.row, self.col], dense.shape
        self.shape, self.ndim = tuple(shape), len(shape)

    def tocoo(self) -> CooArray:
        return self

    def tocsr(self) -> CsrArray:
        order = np.argsort(self.row, kind="stable")
        counts = np.bincount(self.row, minlength=self.shape[0])
        return CsrArray((self.data[order], self.col[order], np.concatenate([[0], np.cumsum(counts)])), self.shape)

    def toarray(self) -> Any:
        dense = np.zeros(self.shape, self.data.dtype)
        np.add.at(dense, (self.row, self.col), self.data)
        return dense


class CsrArray:
    """A sparse matrix of rows, whose methods sort the items and add repeated ones in place."""

    format, ndim = "csr", 2

    def __init__(self, given: Any, shape: Any = None) -> None:
        if isinstance(given, tuple) and len(given) == 3:
            self.data, self.indices, self.indptr = map(np.asarray, given)
        else:
            other = CooArray(np.zeros(given) if isinstance(given, tuple) else given).tocsr()
            self.data, self.indices, self.indptr, shape = other.data, other.indices, other.indptr, other.shape
        self.shape = shape

    def tocoo(self) -> CooArray:
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        return CooArray((self.data, (rows, self.indices)), self.shape)

    def tocsr(self) -> CsrArray:
        return self

    def toarray(self) -> Any:
        return self.tocoo().toarray()

    def asformat(self, format: str) -> Any:
        return self if format == "csr" else self.tocoo() if format == "coo" else SimpleNamespace(format=format, tocoo=self.tocoo)

    def sort_indices(self) -> None:
        rows = self.tocoo().row
        order = np.lexsort((self.indices, rows))
        if not np.array_equal(order, np.arange(len(order))):
            data, indices = self.data[order], self.indices[order]
            _write(self.data, data)
            _write(self.indices, indices)

    def sum_duplicates(self) -> None:
        self.sort_indices()
        places = self.tocoo().row * self.shape[1] + self.indices
        found, first = np.unique(places, return_index=True)
        if len(found) < len(places):
            sums, columns = np.add.reduceat(self.data, first), self.indices[first]
            counts = np.bincount(found // self.shape[1], minlength=self.shape[0])
            _write(self.data, sums)
            _write(self.indices, columns)
            _write(self.indptr, np.concatenate([[0], np.cumsum(counts)]))
            self.data, self.indices = self.data[: len(found)], self.indices[: len(found)]

    def max(self, axis: int) -> Any:
        self.sum_duplicates()
        return self.toarray().max(axis=axis)

    def __add__(self, other: CsrArray) -> Any:
        self.sum_duplicates()
        return self.toarray() + other.toarray()


SPARSE = _module("scipy.sparse", csr_array=CsrArray, coo_array=CooArray)


# --------------------------------------------------------------------------------------------------- xarray


class Variable:
    """A variable of a dataset. Missing texts are NaN."""

    def __init__(self, dims: Any, values: Any, attrs: Any = None) -> None:
        self.dims, self.values, self.attrs = tuple(dims), np.asarray(values), dict(attrs or {})
        if self.values.dtype.kind == "O":
            self.values = np.array([np.nan if one is None else one for one in [*self.values, None]], object)[:-1]
        if len(self.dims) != self.values.ndim:
            raise ValueError(f"{self.values.ndim} dims of data, {len(self.dims)} names")


class XDataset:
    """A dataset: variables and coordinates, whose dims must agree."""

    def __init__(self, data_vars: Any, coords: Any = None) -> None:
        given = {**data_vars, **{name: ((name,), values) for name, values in (coords or {}).items()}}
        self.variables = {name: Variable(*one) for name, one in given.items()}
        self.sizes: dict[str, int] = {}
        for one in self.variables.values():
            for dim, size in zip(one.dims, one.values.shape, strict=True):
                if self.sizes.setdefault(dim, size) != size:
                    raise ValueError(f"conflicting sizes for dimension {dim!r}")

    def __getitem__(self, name: str) -> Variable:
        return self.variables[name]


XARRAY = _module("xarray", Dataset=XDataset)


# --------------------------------------------------------------------------------------------------- datasets


class InMemoryTable:
    """The table of a dataset of Hugging Face."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table


class HFDataset:
    """A dataset of Hugging Face, with or without a selection of rows."""

    def __init__(self, data: InMemoryTable, indices: Any = None, format: str = "") -> None:
        self.data, self._indices, self._format = data, indices, format

    @property
    def column_names(self) -> list[str]:
        return list(self.data.table.column_names)

    def __len__(self) -> int:
        return len(self.data.table if self._indices is None else self._indices)

    def select_columns(self, names: list[str]) -> HFDataset:
        return HFDataset(InMemoryTable(self.data.table.select(names)), self._indices)

    def select(self, rows: list[int]) -> HFDataset:
        return HFDataset(self.data, rows)

    def with_format(self, format: str) -> HFDataset:
        return HFDataset(self.data, self._indices, format)

    def __getitem__(self, key: Any) -> Any:
        assert self._format == "arrow"
        assert key == slice(None)
        return self.data.table if self._indices is None else self.data.table.take(pa.array(self._indices, pa.int64()))


DATASETS = _module("datasets", Dataset=HFDataset, table=SimpleNamespace(InMemoryTable=InMemoryTable))


# --------------------------------------------------------------------------------------------------- koladata


class DataSlice:
    """A slice of items of one type, and the sizes of each of its dims."""

    def __init__(self, items: list[Any], schema: str, *sizes: list[int]) -> None:
        self._items, self._schema, self._sizes = items, schema, sizes

    def get_schema(self) -> str:
        return self._schema

    def get_shape(self) -> SimpleNamespace:
        return SimpleNamespace(rank=lambda: len(self._sizes), sizes=self._sizes)

    def flatten(self) -> DataSlice:
        return DataSlice(self._items, self._schema, [len(self._items)])

    def reshape(self, shape: Any) -> DataSlice:
        assert sum(shape.sizes[-1]) == len(self._items)
        return DataSlice(self._items, self._schema, *shape.sizes)

    def to_py(self) -> list[Any]:
        assert len(self._sizes) == 1, "only flat slices are lists of items"
        return self._items


def _koda_shape(*sizes: list[int]) -> SimpleNamespace:
    assert all(isinstance(one, list) for one in sizes)
    assert [len(one) for one in sizes] == [1, *(sum(one) for one in sizes[:-1])]
    return SimpleNamespace(sizes=sizes)


_SCHEMAS = ("INT32", "INT64", "FLOAT32", "FLOAT64", "BOOLEAN", "STRING", "BYTES", "MASK", "NONE")
KODA = _module(
    "koladata.kd",
    **{name: name for name in _SCHEMAS},
    slice=lambda items, schema: DataSlice(items, schema, [len(items)]),
    shapes=SimpleNamespace(
        new=_koda_shape, dim_sizes=lambda shape, place: DataSlice(shape.sizes[place], "INT64", [len(shape.sizes[place])])
    ),
)


# --------------------------------------------------------------------------------------------------- awkward


class AwkwardArray:
    """An array of awkward."""

    def __init__(self, held: pa.Array) -> None:
        self.layout = held

    def to_list(self) -> list[Any]:
        return self.layout.to_pylist()  # type: ignore[no-any-return]  # pyarrow is untyped


def _from_arrow(array: pa.Array) -> AwkwardArray:
    """Read an array as awkward does, which is wrong for the values below."""
    values = array
    while pt.is_list(values.type) or pt.is_large_list(values.type) or pt.is_fixed_size_list(values.type):
        values = values.values
    assert values.offset == 0 or not (values.null_count or pt.is_struct(values.type)), "reads the nulls from wrong bits"
    assert not pt.is_dictionary(values.type) or (len(values.dictionary) and values.type.index_type == pa.int64())
    assert not any(is_kind(values.type) for is_kind in (pt.is_map, pt.is_string_view, pt.is_binary_view, pt.is_date64))
    return AwkwardArray(array)


def _to_arrow(data: AwkwardArray, **options: bool) -> pa.Array:
    assert options.pop("categorical_as_dictionary") is True
    assert options == dict.fromkeys(("extensionarray", "list_to32", "string_to32", "bytestring_to32"), False)
    return data.layout


AWKWARD = _module("awkward", from_arrow=_from_arrow, to_arrow=_to_arrow)
