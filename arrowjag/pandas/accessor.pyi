# Written by tools/write_stubs.py; do not edit.
# ruff: noqa: E501, I001, N802, PYI021, PYI029, PYI032, RUF100
# mypy: disable-error-code="override,type-arg"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
# fmt: off
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import Literal
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
from arrowjag._array.scans import Rolling
from arrowjag.typing import RankMethod
from arrowjag.typing import ShearMode
from arrowjag.typing import ShearRule

__all__ = ["SeriesJag"]

class SeriesJag:
    """Every operation on jagged columns, elementwise operators and indexing among them."""

    def __abs__(self) -> pd.Series[Any]: ...
    def __add__(self, other: Any) -> pd.Series[Any]: ...
    def __and__(self, other: Any) -> pd.Series[Any]: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any: ...
    def __bool__(self) -> bool: ...
    def __divmod__(self, other: Any) -> tuple[pd.Series[Any], pd.Series[Any]]: ...
    def __eq__(self, other: Any) -> pd.Series[Any]: ...
    def __floordiv__(self, other: Any) -> pd.Series[Any]: ...
    def __ge__(self, other: Any) -> pd.Series[Any]: ...
    def __getitem__(self, key: Any) -> pd.Series[Any] | Any: ...
    def __gt__(self, other: Any) -> pd.Series[Any]: ...
    def __init__(self, series: pd.Series[Any]) -> None: ...
    def __invert__(self) -> pd.Series[Any]: ...
    def __le__(self, other: Any) -> pd.Series[Any]: ...
    def __len__(self) -> int: ...
    def __lshift__(self, other: Any) -> pd.Series[Any]: ...
    def __lt__(self, other: Any) -> pd.Series[Any]: ...
    def __mod__(self, other: Any) -> pd.Series[Any]: ...
    def __mul__(self, other: Any) -> pd.Series[Any]: ...
    def __ne__(self, other: Any) -> pd.Series[Any]: ...
    def __neg__(self) -> pd.Series[Any]: ...
    def __or__(self, other: Any) -> pd.Series[Any]: ...
    def __pos__(self) -> pd.Series[Any]: ...
    def __pow__(self, other: Any) -> pd.Series[Any]: ...
    def __radd__(self, other: Any) -> pd.Series[Any]: ...
    def __rand__(self, other: Any) -> pd.Series[Any]: ...
    def __rdivmod__(self, other: Any) -> tuple[pd.Series[Any], pd.Series[Any]]: ...
    def __repr__(self) -> str: ...
    def __rfloordiv__(self, other: Any) -> pd.Series[Any]: ...
    def __rlshift__(self, other: Any) -> pd.Series[Any]: ...
    def __rmod__(self, other: Any) -> pd.Series[Any]: ...
    def __rmul__(self, other: Any) -> pd.Series[Any]: ...
    def __ror__(self, other: Any) -> pd.Series[Any]: ...
    def __round__(self, decimals: int = ...) -> pd.Series[Any]: ...
    def __rpow__(self, other: Any) -> pd.Series[Any]: ...
    def __rrshift__(self, other: Any) -> pd.Series[Any]: ...
    def __rshift__(self, other: Any) -> pd.Series[Any]: ...
    def __rsub__(self, other: Any) -> pd.Series[Any]: ...
    def __rtruediv__(self, other: Any) -> pd.Series[Any]: ...
    def __rxor__(self, other: Any) -> pd.Series[Any]: ...
    def __sub__(self, other: Any) -> pd.Series[Any]: ...
    def __truediv__(self, other: Any) -> pd.Series[Any]: ...
    def __xor__(self, other: Any) -> pd.Series[Any]: ...
    def abs(self) -> pd.Series[Any]:
        """Distance from zero, item by item."""

    def all(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Whether every item of each row is true."""

    def any(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Whether any item of each row is true."""

    def argmax(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The position of the largest item of each row."""

    def argmin(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The position of the smallest item of each row."""

    def argsort(self, descending: bool = ..., axis: Any = ...) -> pd.Series[Any]:
        """The slots of each row's items in sorted order."""

    def bfill(self, axis: Any = ...) -> pd.Series[Any]:
        """Replace each null by the next item after it that is not null, within its row."""

    def cast(self, type: Any, safe: bool = ...) -> pd.Series[Any]:
        """The leaves in another Arrow type."""

    def cdf(self, axis: Any = ..., *, weights: Any = ...) -> pd.Series[Any]:
        """The share of each row's items that are at most as large as the item."""

    def clip(self, lower: Any = ..., upper: Any = ...) -> pd.Series[Any]:
        """Limit items to bounds."""

    def collapse(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """The value that all items of each row share."""

    def combinations(self, n: int, axis: Any = ...) -> pd.Series[Any]:
        """All choices of `n` items of each row: a dim of declared size `n` is added."""

    def contains(self, v: Any, axis: Any = ...) -> pd.Series[Any] | Any:
        """Whether each row holds a value."""

    def count(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """The number of items of each row that are not null."""

    def cumcount(self, axis: Any = ...) -> pd.Series[Any]:
        """How many items that are not null each row has had so far, from 1."""

    def cummax(self, axis: Any = ...) -> pd.Series[Any]:
        """The largest item of each row so far."""

    def cummin(self, axis: Any = ...) -> pd.Series[Any]:
        """The smallest item of each row so far."""

    def cumprod(self, axis: Any = ...) -> pd.Series[Any]:
        """Running products of each row."""

    def cumsum(self, axis: Any = ...) -> pd.Series[Any]:
        """Running totals of each row."""

    def diff(self, n: int = ..., axis: Any = ...) -> pd.Series[Any]:
        """Each item minus the one `n` places before it."""

    def difference(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """The distinct items of each row that the same row of another array does not hold."""

    def dot(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The sum of the products of each row with another array's."""

    def equals(self, other: object) -> bool:
        """Whether another array has the same shape, nulls, leaf type and values."""

    def expand(self, *dims: Any) -> pd.Series[Any]:
        """Stretch dims of declared size 1."""

    def expand_to(self, other: Any, ndim: int = ...) -> pd.Series[Any]:
        """Spread the array over a longer shape: each item is repeated over its descendants."""

    @property
    def extension_type(self) -> Any:
        """The Arrow extension type of the whole column."""

    def ffill(self, axis: Any = ...) -> pd.Series[Any]:
        """Replace each null by the last item before it that is not null, within its row."""

    @property
    def fields(self) -> Any:
        """Field names of struct leaves; none for other leaves."""

    def fill_null(self, value: Any) -> pd.Series[Any]:
        """Replace null leaves, and null rows where the filler has rows for them."""

    def fill_null_rows(self, other: Any, axis: int = ...) -> pd.Series[Any]:
        """Replace null rows at an axis by the rows of another array."""

    def filter(self, mask: Any) -> pd.Series[Any]:
        """The innermost items whose mask is true."""

    def first(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """The first item of each row, null or not."""

    def flatten(self, from_dim: int = ..., to_dim: int | None = ...) -> pd.Series[Any]:
        """Merge the dims from `from_dim` to before `to_dim` into one."""

    def flatten_end(self, n: int = ...) -> pd.Series[Any]:
        """Merge the last `n` dims into the dim before them."""

    def group_by(self, *keys: Any, axis: Any = ...) -> pd.Series[Any]:
        """Put the items of each row into groups of equal keys: a dim is added."""

    def group_by_indices(self, *keys: Any, sort: bool = ..., axis: Any = ...) -> pd.Series[Any]:
        """The slots of the items of each group of equal keys: a dim is added."""

    def head(self, n: Any = ..., axis: int = ...) -> pd.Series[Any]:
        """The first items of each row."""

    def image(self) -> tuple[pd.Series[Any], ...]:
        """The place of every leaf along each dim."""

    def intersection(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """The distinct items of each row that the same row of another array holds too."""

    def inverse_permutation(self, axis: Any = ...) -> pd.Series[Any]:
        """For each slot of a row the slot that points at it: ``out[p[i]] = i``."""

    def is_in(self, values: Any) -> pd.Series[Any]:
        """Whether each item is in a set."""

    def is_nan(self) -> pd.Series[Any]:
        """Whether items are NaN."""

    def is_null(self, axis: int = ...) -> pd.Series[Any]:
        """Whether the items at an axis are null."""

    def join(self, sep: str, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Join the texts of each row."""

    def last(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """The last item of each row, null or not."""

    def lengths(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """The size of each row of a dim, nulls counted."""

    def map_rows(self, fn: Callable[[Any], Any], type: Any, axis: Any = ...) -> pd.Series[Any] | Any:
        """Call a Python function on each row."""

    def max(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The largest item of each row."""

    def mean(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The mean of each row."""

    def median(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The median of each row: the mean of the two middle items where their number is even."""

    def min(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The smallest item of each row."""

    def mode(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The most frequent item of each row."""

    def n_unique(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The number of distinct items of each row."""

    @property
    def nbytes(self) -> Any:
        """Bytes of the values and of the offsets and validity that Arrow needs beside them."""

    @property
    def ndim(self) -> Any:
        """Number of levels, the rows included."""

    @property
    def null_count(self) -> Any:
        """Number of null rows of the frame; leaves count where the array has one dim."""

    def pad(self, n: int, fill: Any = ..., axis: int = ...) -> pd.Series[Any]:
        """Fill short rows up."""

    def pairs(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """Every item of a row with every item of another array's row: a dim of declared size 2 is added."""

    def permute(self, *axes: int, shear: ShearMode = ...) -> pd.Series[Any]:
        """Bring all dims into another order."""

    @property
    def plot(self) -> Any:
        """Pictures of the sizes, the rows and the values, on matplotlib axes."""

    def prod(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Multiply the items of each row."""

    def quantile(self, q: float, interpolation: str = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """A quantile of each row."""

    def rank(self, method: RankMethod = ..., descending: bool = ..., axis: Any = ..., *, tie_breaker: Any = ...) -> pd.Series[Any]:
        """The place of each item in its sorted row, from 1."""

    def repeat(self, sizes: Any) -> pd.Series[Any]:
        """Each innermost item several times, in a new last dim."""

    def reshape(self, *dims: Any) -> pd.Series[Any]:
        """Regroup the same values into other dims."""

    def reshape_as(self, other: Any) -> pd.Series[Any]:
        """Regroup the same values into the shape of another array."""

    def reverse(self, axis: Any = ...) -> pd.Series[Any]:
        """The items of each row from the last to the first, nulls included."""

    def rolling(self, window: int, axis: Any = ...) -> Rolling:
        """Moving windows: the last `window` items up to each one."""

    def rolling_count(self, window: int, axis: Any = ...) -> pd.Series[Any]:
        """How many of the last `window` items up to each one are not null."""

    def rolling_max(self, window: int, axis: Any = ...) -> pd.Series[Any]:
        """The largest of the last `window` items up to each one."""

    def rolling_mean(self, window: int, axis: Any = ...) -> pd.Series[Any]:
        """The mean of the last `window` items up to each one."""

    def rolling_min(self, window: int, axis: Any = ...) -> pd.Series[Any]:
        """The smallest of the last `window` items up to each one."""

    def rolling_sum(self, window: int, axis: Any = ...) -> pd.Series[Any]:
        """The sum of the last `window` items up to each one."""

    def round(self, decimals: int = ...) -> pd.Series[Any]:
        """Round half to even, item by item."""

    @property
    def S(self) -> Any:
        """Indexing by Koda's rule: without an ellipsis the last dims are addressed, and out of range is null."""

    def sample(self, *, fraction: float | None = ..., n: Any = ..., seed: int, axis: Any = ...) -> pd.Series[Any]:
        """Some of the items of each row, chosen at random and kept in their order."""

    def searchsorted(self, y: Any, side: Literal['left', 'right'] = ..., axis: Any = ...) -> pd.Series[Any]:
        """The slots where items would keep the sorted rows of this array sorted."""

    def set(self, index: Any, values: Any) -> pd.Series[Any]:
        """Assign to what an index names, in a new array."""

    @property
    def shape(self) -> Any:
        """The nesting."""

    def shift(self, n: int = ..., fill: Any = ..., axis: Any = ...) -> pd.Series[Any]:
        """Move items `n` places on; rows keep their sizes."""

    def shuffle(self, seed: int, axis: Any = ...) -> pd.Series[Any]:
        """The items of each row in random order."""

    @property
    def size(self) -> Any:
        """Number of leaf values."""

    def slice(self, start: Any, length: Any = ..., axis: int = ...) -> pd.Series[Any]:
        """A stretch of each row."""

    def softmax(self, axis: Any = ..., *, beta: float = ...) -> pd.Series[Any]:
        """The exponentials of each row's items, scaled to add up to 1."""

    def sort(self, descending: bool = ..., by: Any = ..., axis: Any = ...) -> pd.Series[Any]:
        """Sort the items of each row."""

    def squeeze(self, axis: int) -> pd.Series[Any]:
        """Remove a dim whose rows all have one item."""

    def std(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The standard deviation of each row."""

    def sum(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Add up the items of each row."""

    def tail(self, n: Any = ..., axis: int = ...) -> pd.Series[Any]:
        """The last items of each row."""

    def take(self, index: Any, axis: int = ..., out_of_bounds: str = ...) -> pd.Series[Any] | Any:
        """In each row at an axis, the items that an index names."""

    def tile(self, shape: Any) -> pd.Series[Any]:
        """A copy of the whole array under each innermost item of a shape."""

    def to_arrow(self, extension: bool = ...) -> pa.Array:
        """The column as one Arrow array."""

    def to_dense(self, max_sizes: int | Sequence[int | None] | None = ..., fill_value: Any = ...) -> npt.NDArray[np.generic]:
        """The rows in a padded numpy array."""

    def to_list(self) -> list[Any]:
        """The column as nested Python lists; nulls of every level are None."""

    def to_numpy(self) -> npt.NDArray[Any]:
        """A uniform column as a numpy array."""

    def to_pandas(self, index: Any = ..., name: Any = ...) -> pd.Series[Any]:
        """The column as a pandas Series."""

    def to_polars(self, name: str = ..., extension: bool = ...) -> pl.Series:
        """The column as a polars Series."""

    def topk(self, k: int, axis: Any = ...) -> pd.Series[Any]:
        """The `k` largest items of each row, the largest first."""

    def translate(self, keys_from: Any, values_from: Any, axis: Any = ...) -> pd.Series[Any]:
        """Replace each item by the value that stands beside the equal key."""

    def transpose(self, a: int, b: int, shear: ShearMode = ..., return_inverse: bool = ...) -> Any:
        """Let two dims change places: what stood at ``[.., i, .., j, ..]`` stands at ``[.., j, .., i, ..]``."""

    def transpose_will_shear(self, a: int, b: int, rule: ShearRule = ...) -> bool:
        """Whether two dims can't change places without closing holes."""

    @property
    def type(self) -> Any:
        """The Arrow type of the leaf values."""

    def union(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """The distinct items of each row of this array and of another, those of this one first."""

    def unique(self, axis: Any = ...) -> pd.Series[Any]:
        """The distinct items of each row."""

    def unsqueeze(self, axis: int) -> pd.Series[Any]:
        """Insert a dim of declared size 1."""

    def validity(self, axis: int = ...) -> pa.Array:
        """Which items at an axis are valid."""

    def value_counts(self, axis: Any = ...) -> pd.Series[Any]:
        """The distinct items of each row and how often each occurs."""

    @property
    def values(self) -> Any:
        """The flat leaf values."""

    def var(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """The variance of each row."""

    def with_fields(self, **arrays: Any) -> pd.Series[Any]:
        """Struct leaves with fields added or replaced."""

    def with_validity(self, axis: int, mask: Any) -> pd.Series[Any]:
        """The array with a validity of the caller's at an axis."""
