"""Inputs with a name: how long rows are, and where nulls stand. Each rival gets the same values in its own form."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

import arrowjag as aj

DISTRIBUTIONS = ("poisson", "uniform", "zipf", "half_empty", "one_huge", "all_empty", "sliced", "chunked")
LENGTHS = {"three": 3, "thousand": 1000, "one_row": 0}
"""Rows of one length; 0 for a single row of all values."""
NULLS = ("none", "leaves", "rows")
TYPES = {
    "float64": pa.float64(),
    "float32": pa.float32(),
    "int64": pa.int64(),
    "int32": pa.int32(),
    "bool": pa.bool_(),
    "string": pa.large_string(),
}
OTHER_TYPES = {
    "int16": pa.int16(),
    "uint8": pa.uint8(),
    "uint64": pa.uint64(),
    "float16": pa.float16(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "duration": pa.duration("ms"),
    "decimal": pa.decimal128(12, 2),
    "category": pa.dictionary(pa.int32(), pa.large_string()),
    "binary": pa.large_binary(),
    "struct": pa.struct({"number": pa.int64(), "word": pa.large_string()}),
}
"""Leaf types beyond those of the matrix, for `--leaves`."""
TEXTS = ("long_text", "accented_text", "distinct_text")
"""Texts other than the thousand words of up to seven bytes: of 60 to 200 bytes, of characters of one to three bytes, or each another."""
MEAN = 10
OURS = ("x", "y", "w", "z", "u", "k", "mask", "slots", "order", "pair")


def row_sizes(distribution: str, n_values: int, seed: int) -> np.ndarray:
    """Row sizes that hold about `n_values` in all."""
    draw = np.random.default_rng(seed)
    n = max(n_values // MEAN, 4)
    if distribution == "uniform":
        return np.full(n, MEAN)
    if distribution == "zipf":
        sizes = np.minimum(draw.zipf(1.6, n), 100_000)
        return np.maximum((sizes * (n_values / sizes.sum())).astype(np.int64), 0)
    if distribution == "half_empty":
        return np.where(draw.random(n) < 0.5, 0, draw.poisson(2 * MEAN, n))
    if distribution == "one_huge":
        return np.concatenate([draw.poisson(MEAN, n // 4), [n_values // 2], draw.poisson(MEAN, n // 4)])
    if distribution in LENGTHS:
        length = LENGTHS[distribution] or n_values
        return np.full(max(n_values // length, 1), length)
    if distribution == "all_empty":
        return np.zeros(n, np.int64)
    return draw.poisson(MEAN, n)


def _words() -> pa.Array:
    return pa.array([f"word{one}" for one in range(1000)], pa.large_string())


def _texts(kind: str, numbers: np.ndarray, mask: np.ndarray | None) -> pa.Array:
    """Texts of a kind other than words, made of numbers below 1,000."""
    if kind == "distinct_text":
        return pa.array([f"{place * 2654435761 % 2**32:x}{one}" for place, one in enumerate(numbers)], pa.large_string(), mask=mask)
    draw = np.random.default_rng(9)
    letters, sizes = ("abcdefghijklmnopqrstuvwxyz", (60, 200)) if kind == "long_text" else ("aéßd漢fgh", (1, 14))
    texts = ["".join(letters[one] for one in draw.integers(0, len(letters), size)) for size in draw.integers(*sizes, 1000)]
    return pa.array(texts, pa.large_string()).take(pa.array(numbers, mask=mask))


def _others(type: pa.DataType, numbers: np.ndarray, mask: np.ndarray | None) -> pa.Array:
    """Leaves of a type beyond those of the matrix, made of numbers below 1,000."""
    index = pa.array(numbers % 256 if pt.is_uint8(type) else numbers, mask=mask)
    if pt.is_struct(type):
        return pa.StructArray.from_arrays(
            [pa.array(numbers), _words().take(pa.array(numbers))], fields=list(type), mask=index.is_null()
        )
    if pt.is_dictionary(type):
        return pa.DictionaryArray.from_arrays(index.cast(type.index_type), _words())
    if pt.is_large_binary(type):
        return _words().take(index).cast(type)
    if pt.is_decimal(type):
        return pc.divide(index.cast(pa.float64()), 8.0).cast(type)
    return index.cast(pa.int32()).cast(type) if pt.is_date(type) else index.cast(type)


class Data:
    """One input: `x` of two dims, `y` of the same shape, `w` one item per row, `z` of three dims over groups of rows of `x`."""

    def __init__(self, n_values: int, distribution: str = "poisson", nulls: str = "none", dtype: str = "float64") -> None:
        self.name = (n_values, distribution, nulls, dtype)
        self.dtype, self.nulls, self.distribution = dtype, nulls, distribution
        self.sizes = row_sizes(distribution, n_values, 1)
        self.draw = np.random.default_rng(2)
        n_rows = len(self.sizes)
        self.row_valid = self.draw.random(n_rows) >= 0.02 if nulls == "rows" else None
        if self.row_valid is not None:
            self.sizes = np.where(self.row_valid, self.sizes, 0)
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self.n_values = int(self.offsets[-1])

    @property
    def length(self) -> int:
        """The mean length of the rows, so that as many values as `x` has come from repeating one item, or a row, per row."""
        return max(self.n_values // max(len(self.sizes), 1), 1)

    def _leaves(self, n: int) -> pa.Array:
        mask = self.draw.random(n) < 0.05 if self.nulls == "leaves" else None
        if self.dtype == "string":
            return _words().take(pa.array(self.draw.integers(0, 1000, n), mask=mask))
        if self.dtype in TEXTS:
            return _texts(self.dtype, self.draw.integers(0, 1000, n), mask)
        if self.dtype in OTHER_TYPES:
            return _others(OTHER_TYPES[self.dtype], self.draw.integers(0, 1000, n), mask)
        if self.dtype == "bool":
            data: Any = self.draw.random(n) < 0.5
        elif self.dtype.startswith("int"):
            data = self.draw.integers(0, 1000, n).astype(self.dtype)
        else:
            data = self.draw.random(n).astype(self.dtype)
        return pa.array(data, mask=mask)

    def _lists(self, offsets: np.ndarray, values: pa.Array, row_valid: np.ndarray | None) -> pa.Array:
        mask = None if row_valid is None else pa.array(~row_valid)
        array = pa.LargeListArray.from_arrays(pa.array(offsets), values, mask=mask)
        if self.distribution == "sliced":
            more = pa.concat_arrays([array.slice(0, 3), array, array.slice(0, 3)])
            return more.slice(3, len(array))
        return array

    @cached_property
    def x_arrow(self) -> pa.Array:
        return self._lists(self.offsets, self._leaves(self.n_values), self.row_valid)

    @cached_property
    def y_arrow(self) -> pa.Array:
        return self._lists(self.offsets, self._leaves(self.n_values), self.row_valid)

    @cached_property
    def w_arrow(self) -> pa.Array:
        return self._leaves(len(self.sizes))

    @cached_property
    def groups(self) -> np.ndarray:
        """Offsets that put ten rows of `x` in one."""
        n = len(self.sizes)
        return np.append(np.arange(0, n, 10), n).astype(np.int64)

    @cached_property
    def z_arrow(self) -> pa.Array:
        return pa.LargeListArray.from_arrays(pa.array(self.groups), self.x_arrow)

    @cached_property
    def u_arrow(self) -> pa.Array:
        """Two dims: one item for each row of `x`, grouped as in `z`."""
        return pa.LargeListArray.from_arrays(pa.array(self.groups), self.w_arrow)

    @cached_property
    def rows(self) -> np.ndarray:
        """Row numbers in random order."""
        return np.random.default_rng(3).permutation(len(self.sizes))

    @cached_property
    def parents(self) -> np.ndarray:
        """The row of each item of `x`."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def k_arrow(self) -> pa.Array:
        """Small keys in the shape of `x`."""
        return self._lists(self.offsets, pa.array(np.random.default_rng(4).integers(0, 8, self.n_values)), self.row_valid)

    @cached_property
    def mask_arrow(self) -> pa.Array:
        """Booleans in the shape of `x`."""
        return self._lists(self.offsets, pa.array(np.random.default_rng(5).random(self.n_values) < 0.5), self.row_valid)

    @cached_property
    def slots_arrow(self) -> pa.Array:
        """Slots of each row, backwards."""
        local = np.arange(self.n_values) - np.repeat(self.offsets[:-1], self.sizes)
        return self._lists(self.offsets, pa.array(np.repeat(self.sizes, self.sizes) - 1 - local), self.row_valid)

    @cached_property
    def order_arrow(self) -> pa.Array:
        """Each row of `x` ascending, without nulls."""
        values = np.sort(np.random.default_rng(7).random(self.n_values)) if self.n_values else np.zeros(0)
        return self._lists(self.offsets, pa.array(values), self.row_valid)

    # ------------------------------------------------------------------------------------------- each one's own form

    def fresh(self) -> None:
        """Forget our arrays, so that the next ones have shapes that know nothing but their offsets."""
        for name in OURS:
            self.__dict__.pop(name, None)

    def _ours(self, array: pa.Array) -> Any:
        if self.distribution == "chunked" and len(array) >= 8:
            cuts = np.linspace(0, len(array), 9).astype(int)
            array = pa.chunked_array([array.slice(low, high - low) for low, high in pairwise(cuts)])
        return aj.from_arrow(array)

    def touch(self) -> None:
        """Make our arrays from those that exist in Arrow's form, so that making them is not timed."""
        for name in OURS:
            if f"{name}_arrow" in self.__dict__:
                getattr(self, name)

    def disturb(self) -> None:
        """Make the arrays that `fresh` and `touch` make, and keep those from before: only the processor's caches lose them."""
        kept = {name: self.__dict__[name] for name in OURS if name in self.__dict__}
        self.fresh()
        self.touch()
        self.__dict__.update(kept)

    @cached_property
    def x(self) -> aj.JaggedArray:
        return self._ours(self.x_arrow)

    @cached_property
    def y(self) -> aj.JaggedArray:
        return self._ours(self.y_arrow)

    @cached_property
    def w(self) -> aj.JaggedArray:
        return self._ours(self.w_arrow)

    @cached_property
    def z(self) -> aj.JaggedArray:
        return self._ours(self.z_arrow)

    @cached_property
    def u(self) -> aj.JaggedArray:
        return self._ours(self.u_arrow)

    @cached_property
    def k(self) -> aj.JaggedArray:
        return self._ours(self.k_arrow)

    @cached_property
    def mask(self) -> aj.JaggedArray:
        return self._ours(self.mask_arrow)

    @cached_property
    def slots(self) -> aj.JaggedArray:
        return self._ours(self.slots_arrow)

    @cached_property
    def order(self) -> aj.JaggedArray:
        return self._ours(self.order_arrow)

    @cached_property
    def pair(self) -> aj.JaggedArray:
        """A struct of `x` and `k`."""
        return aj.zip(x=self.x, k=self.k)

    @cached_property
    def dense(self) -> np.ndarray:
        """`x` padded to 20 items per row."""
        return self.x.to_dense((20,))

    def awkward(self, name: str) -> Any:
        import awkward as ak

        return self._kept("awkward", name, lambda array: ak.to_packed(ak.from_arrow(array)))

    def polars(self) -> Any:
        import polars as pl

        names = {"x": self.x_arrow, "y": self.y_arrow, "w": self.w_arrow, "k": self.k_arrow, "mask": self.mask_arrow}
        return self._kept("polars", "frame", lambda _: pl.DataFrame({k: pl.Series(v) for k, v in names.items()}).rechunk())

    def polars_groups(self) -> Any:
        import polars as pl

        names = {"z": self.z_arrow, "u": self.u_arrow}
        return self._kept("polars", "groups", lambda _: pl.DataFrame({k: pl.Series(v) for k, v in names.items()}).rechunk())

    def koda(self, name: str) -> Any:
        from koladata import kd

        schema = {"float64": kd.FLOAT64, "float32": kd.FLOAT32, "int64": kd.INT64, "int32": kd.INT32}.get(self.dtype)
        schema = {"k": kd.INT64, "slots": kd.INT64}.get(name, schema)
        return self._kept(
            "koda",
            name,
            lambda array: kd.slice([row or [] for row in array.to_pylist()] if name != "w" else array.to_pylist(), schema),
        )

    def duckdb(self) -> Any:
        import duckdb

        def make(_: Any) -> Any:
            connection = duckdb.connect()
            arrays = pa.table({"x": self.x_arrow, "y": self.y_arrow, "w": self.w_arrow, "k": self.k_arrow})  # noqa: F841 - read by name
            connection.execute("create table frame as select * from arrays")
            return connection

        return self._kept("duckdb", "frame", make)

    def _kept(self, rival: str, name: str, make: Any) -> Any:
        store = self.__dict__.setdefault("_store", {})
        if (rival, name) not in store:
            store[rival, name] = make(getattr(self, f"{name}_arrow", None))
        return store[rival, name]
