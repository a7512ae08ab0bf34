# Written by tools/write_stubs.py; do not edit.
# ruff: noqa: E501, I001, N802, PYI021, PYI029, PYI032, RUF100
# mypy: disable-error-code="override,type-arg"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
# fmt: off
from collections.abc import Callable
from typing import Any
from typing import Literal
import numpy as np
import polars as pl
import pyarrow as pa
from arrowjag import JaggedArray
from arrowjag.shape import JaggedShape
from arrowjag._array.scans import Rolling
from arrowjag.typing import RankMethod
from arrowjag.typing import ShearMode

__all__ = ["JagExpr", "JagNamespace", "JagSeries"]

class JagExpr(pl.Expr):
    """What a call on jagged columns gives: an expression whose operators and ufuncs are jagged too."""

    def __abs__(self) -> JagExpr: ...
    def __add__(self, other: Any) -> JagExpr: ...
    def __and__(self, other: Any) -> JagExpr: ...
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any: ...
    def __divmod__(self, other: Any) -> tuple[JagExpr, JagExpr]: ...
    def __eq__(self, other: Any) -> JagExpr: ...
    def __floordiv__(self, other: Any) -> JagExpr: ...
    def __ge__(self, other: Any) -> JagExpr: ...
    def __gt__(self, other: Any) -> JagExpr: ...
    def __init__(self, node: Any) -> None: ...
    def __invert__(self) -> JagExpr: ...
    def __le__(self, other: Any) -> JagExpr: ...
    def __lshift__(self, other: Any) -> JagExpr: ...
    def __lt__(self, other: Any) -> JagExpr: ...
    def __mod__(self, other: Any) -> JagExpr: ...
    def __mul__(self, other: Any) -> JagExpr: ...
    def __ne__(self, other: Any) -> JagExpr: ...
    def __neg__(self) -> JagExpr: ...
    def __or__(self, other: Any) -> JagExpr: ...
    def __pos__(self) -> JagExpr: ...
    def __pow__(self, other: Any) -> JagExpr: ...
    def __radd__(self, other: Any) -> JagExpr: ...
    def __rand__(self, other: Any) -> JagExpr: ...
    def __rdivmod__(self, other: Any) -> tuple[JagExpr, JagExpr]: ...
    def __rfloordiv__(self, other: Any) -> JagExpr: ...
    def __rlshift__(self, other: Any) -> JagExpr: ...
    def __rmod__(self, other: Any) -> JagExpr: ...
    def __rmul__(self, other: Any) -> JagExpr: ...
    def __ror__(self, other: Any) -> JagExpr: ...
    def __round__(self, ndigits: int = ...) -> JagExpr: ...
    def __rpow__(self, other: Any) -> JagExpr: ...
    def __rrshift__(self, other: Any) -> JagExpr: ...
    def __rshift__(self, other: Any) -> JagExpr: ...
    def __rsub__(self, other: Any) -> JagExpr: ...
    def __rtruediv__(self, other: Any) -> JagExpr: ...
    def __rxor__(self, other: Any) -> JagExpr: ...
    def __sub__(self, other: Any) -> JagExpr: ...
    def __truediv__(self, other: Any) -> JagExpr: ...
    def __xor__(self, other: Any) -> JagExpr: ...
    @property
    def jag(self) -> JagNamespace:
        """More jagged operations on the result."""

class JagNamespace(JagExpr):
    """Jagged operations on an expression: `pl.col("v").jag`."""

    def __getitem__(self, key: Any) -> JagExpr: ...
    def __init__(self, expr: Any) -> None: ...
    def abs(self) -> JagExpr:
        """Distance from zero, item by item."""

    def all(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Whether every item of each row is true."""

    def any(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Whether any item of each row is true."""

    def argmax(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The position of the largest item of each row."""

    def argmin(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The position of the smallest item of each row."""

    def argsort(self, descending: bool = ..., axis: Any = ...) -> JagExpr:
        """The slots of each row's items in sorted order."""

    def bfill(self, axis: Any = ...) -> JagExpr:
        """Replace each null by the next item after it that is not null, within its row."""

    def cast(self, type: Any, safe: bool = ...) -> JagExpr:
        """The leaves in another Arrow type."""

    def cdf(self, axis: Any = ..., *, weights: Any = ...) -> JagExpr:
        """The share of each row's items that are at most as large as the item."""

    def clip(self, lower: Any = ..., upper: Any = ...) -> JagExpr:
        """Limit items to bounds."""

    def collapse(self, axis: Any = ...) -> JagExpr:
        """The value that all items of each row share."""

    def combinations(self, n: int, axis: Any = ...) -> JagExpr:
        """All choices of `n` items of each row: a dim of declared size `n` is added."""

    def contains(self, v: Any, axis: Any = ...) -> JagExpr:
        """Whether each row holds a value."""

    def count(self, axis: Any = ...) -> JagExpr:
        """The number of items of each row that are not null."""

    def cumcount(self, axis: Any = ...) -> JagExpr:
        """How many items that are not null each row has had so far, from 1."""

    def cummax(self, axis: Any = ...) -> JagExpr:
        """The largest item of each row so far."""

    def cummin(self, axis: Any = ...) -> JagExpr:
        """The smallest item of each row so far."""

    def cumprod(self, axis: Any = ...) -> JagExpr:
        """Running products of each row."""

    def cumsum(self, axis: Any = ...) -> JagExpr:
        """Running totals of each row."""

    def diff(self, n: int = ..., axis: Any = ...) -> JagExpr:
        """Each item minus the one `n` places before it."""

    def difference(self, y: Any, axis: Any = ...) -> JagExpr:
        """The distinct items of each row that the same row of another array does not hold."""

    def dot(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The sum of the products of each row with another array's."""

    def expand(self, *dims: Any) -> JagExpr:
        """Stretch dims of declared size 1."""

    def expand_to(self, other: Any, ndim: int = ...) -> JagExpr:
        """Spread the array over a longer shape: each item is repeated over its descendants."""

    def ffill(self, axis: Any = ...) -> JagExpr:
        """Replace each null by the last item before it that is not null, within its row."""

    def fill_null(self, value: Any) -> JagExpr:
        """Replace null leaves, and null rows where the filler has rows for them."""

    def fill_null_rows(self, other: Any, axis: int = ...) -> JagExpr:
        """Replace null rows at an axis by the rows of another array."""

    def filter(self, mask: Any) -> JagExpr:
        """The innermost items whose mask is true."""

    def first(self, axis: Any = ...) -> JagExpr:
        """The first item of each row, null or not."""

    def flatten(self, from_dim: int = ..., to_dim: int | None = ...) -> JagExpr:
        """Merge the dims from `from_dim` to before `to_dim` into one."""

    def flatten_end(self, n: int = ...) -> JagExpr:
        """Merge the last `n` dims into the dim before them."""

    def group_by(self, *keys: Any, axis: Any = ...) -> JagExpr:
        """Put the items of each row into groups of equal keys: a dim is added."""

    def group_by_indices(self, *keys: Any, sort: bool = ..., axis: Any = ...) -> JagExpr:
        """The slots of the items of each group of equal keys: a dim is added."""

    def head(self, n: Any = ..., axis: int = ...) -> JagExpr:
        """The first items of each row."""

    def image(self) -> JagExpr:
        """The place of every leaf along each dim."""

    def intersection(self, y: Any, axis: Any = ...) -> JagExpr:
        """The distinct items of each row that the same row of another array holds too."""

    def inverse_permutation(self, axis: Any = ...) -> JagExpr:
        """For each slot of a row the slot that points at it: ``out[p[i]] = i``."""

    def is_in(self, values: Any) -> JagExpr:
        """Whether each item is in a set."""

    def is_nan(self) -> JagExpr:
        """Whether items are NaN."""

    def is_null(self, axis: int = ...) -> JagExpr:
        """Whether the items at an axis are null."""

    @property
    def jag(self) -> JagNamespace:
        """Itself."""

    def join(self, sep: str, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Join the texts of each row."""

    def last(self, axis: Any = ...) -> JagExpr:
        """The last item of each row, null or not."""

    def lengths(self, axis: Any = ...) -> JagExpr:
        """The size of each row of a dim, nulls counted."""

    def map_rows(self, fn: Callable[[Any], Any], type: Any, axis: Any = ...) -> JagExpr:
        """Call a Python function on each row."""

    def max(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The largest item of each row."""

    def mean(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The mean of each row."""

    def median(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The median of each row: the mean of the two middle items where their number is even."""

    def min(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The smallest item of each row."""

    def mode(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The most frequent item of each row."""

    def n_unique(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The number of distinct items of each row."""

    def pad(self, n: int, fill: Any = ..., axis: int = ...) -> JagExpr:
        """Fill short rows up."""

    def pairs(self, y: Any, axis: Any = ...) -> JagExpr:
        """Every item of a row with every item of another array's row: a dim of declared size 2 is added."""

    def permute(self, *axes: int, shear: ShearMode = ...) -> JagExpr:
        """Bring all dims into another order."""

    def prod(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Multiply the items of each row."""

    def quantile(self, q: float, interpolation: str = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """A quantile of each row."""

    def rank(self, method: RankMethod = ..., descending: bool = ..., axis: Any = ..., *, tie_breaker: Any = ...) -> JagExpr:
        """The place of each item in its sorted row, from 1."""

    def repeat(self, sizes: Any) -> JagExpr:
        """Each innermost item several times, in a new last dim."""

    def reshape(self, *dims: Any) -> JagExpr:
        """Regroup the same values into other dims."""

    def reshape_as(self, other: Any) -> JagExpr:
        """Regroup the same values into the shape of another array."""

    def reverse(self, axis: Any = ...) -> JagExpr:
        """The items of each row from the last to the first, nulls included."""

    def rolling(self, window: int, axis: Any = ...) -> Rolling:
        """Moving windows along an axis: `.sum()`, `.mean()`, `.min()`, `.max()`, `.count()`."""

    def rolling_count(self, window: int, axis: Any = ...) -> JagExpr:
        """How many of the last `window` items up to each one are not null."""

    def rolling_max(self, window: int, axis: Any = ...) -> JagExpr:
        """The largest of the last `window` items up to each one."""

    def rolling_mean(self, window: int, axis: Any = ...) -> JagExpr:
        """The mean of the last `window` items up to each one."""

    def rolling_min(self, window: int, axis: Any = ...) -> JagExpr:
        """The smallest of the last `window` items up to each one."""

    def rolling_sum(self, window: int, axis: Any = ...) -> JagExpr:
        """The sum of the last `window` items up to each one."""

    def round(self, decimals: int = ...) -> JagExpr:
        """Round half to even, item by item."""

    @property
    def S(self) -> Any:
        """Index from the innermost dims, with null for what is out of range (Koda's rule)."""

    def sample(self, *, fraction: float | None = ..., n: Any = ..., seed: int, axis: Any = ...) -> JagExpr:
        """Some of the items of each row, chosen at random and kept in their order."""

    def searchsorted(self, y: Any, side: Literal['left', 'right'] = ..., axis: Any = ...) -> JagExpr:
        """The slots where items would keep the sorted rows of this array sorted."""

    def set(self, index: Any, values: Any) -> JagExpr:
        """Assign to what an index names, in a new array."""

    def shift(self, n: int = ..., fill: Any = ..., axis: Any = ...) -> JagExpr:
        """Move items `n` places on; rows keep their sizes."""

    def shuffle(self, seed: int, axis: Any = ...) -> JagExpr:
        """The items of each row in random order."""

    def slice(self, start: Any, length: Any = ..., axis: int = ...) -> JagExpr:
        """A stretch of each row."""

    def softmax(self, axis: Any = ..., *, beta: float = ...) -> JagExpr:
        """The exponentials of each row's items, scaled to add up to 1."""

    def sort(self, descending: bool = ..., by: Any = ..., axis: Any = ...) -> JagExpr:
        """Sort the items of each row."""

    def squeeze(self, axis: int) -> JagExpr:
        """Remove a dim whose rows all have one item."""

    def std(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The standard deviation of each row."""

    def sum(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Add up the items of each row."""

    def tail(self, n: Any = ..., axis: int = ...) -> JagExpr:
        """The last items of each row."""

    def take(self, index: Any, axis: int = ..., out_of_bounds: str = ...) -> JagExpr:
        """In each row at an axis, the items that an index names."""

    def tile(self, shape: Any) -> JagExpr:
        """A copy of the whole array under each innermost item of a shape."""

    def topk(self, k: int, axis: Any = ...) -> JagExpr:
        """The `k` largest items of each row, the largest first."""

    def translate(self, keys_from: Any, values_from: Any, axis: Any = ...) -> JagExpr:
        """Replace each item by the value that stands beside the equal key."""

    def transpose(self, a: int, b: int, shear: ShearMode = ..., return_inverse: bool = ...) -> JagExpr:
        """Let two dims change places: what stood at ``[.., i, .., j, ..]`` stands at ``[.., j, .., i, ..]``."""

    def union(self, y: Any, axis: Any = ...) -> JagExpr:
        """The distinct items of each row of this array and of another, those of this one first."""

    def unique(self, axis: Any = ...) -> JagExpr:
        """The distinct items of each row."""

    def unsqueeze(self, axis: int) -> JagExpr:
        """Insert a dim of declared size 1."""

    def validity(self, axis: int = ...) -> JagExpr:
        """Which items at an axis are valid."""

    def value_counts(self, axis: Any = ...) -> JagExpr:
        """The distinct items of each row and how often each occurs."""

    def var(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """The variance of each row."""

    def with_fields(self, **arrays: Any) -> JagExpr:
        """Struct leaves with fields added or replaced."""

    def with_validity(self, axis: int, mask: Any) -> JagExpr:
        """The array with a validity of the caller's at an axis."""

class JagSeries(pl.Series):
    """Jagged operations on a Series: `s.jag`."""

    def __abs__(self) -> pl.Series: ...
    def __add__(self, other: Any) -> pl.Series: ...
    def __and__(self, other: Any) -> pl.Series: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any: ...
    def __divmod__(self, other: Any) -> tuple[pl.Series, pl.Series]: ...
    def __eq__(self, other: Any) -> pl.Series: ...
    def __floordiv__(self, other: Any) -> pl.Series: ...
    def __ge__(self, other: Any) -> pl.Series: ...
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, key: Any) -> pl.Series | Any: ...
    def __gt__(self, other: Any) -> pl.Series: ...
    def __init__(self, series: pl.Series) -> None: ...
    def __invert__(self) -> pl.Series: ...
    def __le__(self, other: Any) -> pl.Series: ...
    def __lshift__(self, other: Any) -> pl.Series: ...
    def __lt__(self, other: Any) -> pl.Series: ...
    def __mod__(self, other: Any) -> pl.Series: ...
    def __mul__(self, other: Any) -> pl.Series: ...
    def __ne__(self, other: Any) -> pl.Series: ...
    def __neg__(self) -> pl.Series: ...
    def __or__(self, other: Any) -> pl.Series: ...
    def __pos__(self) -> pl.Series: ...
    def __pow__(self, other: Any) -> pl.Series: ...
    def __radd__(self, other: Any) -> pl.Series: ...
    def __rand__(self, other: Any) -> pl.Series: ...
    def __rdivmod__(self, other: Any) -> tuple[pl.Series, pl.Series]: ...
    def __rfloordiv__(self, other: Any) -> pl.Series: ...
    def __rlshift__(self, other: Any) -> pl.Series: ...
    def __rmod__(self, other: Any) -> pl.Series: ...
    def __rmul__(self, other: Any) -> pl.Series: ...
    def __ror__(self, other: Any) -> pl.Series: ...
    def __round__(self, ndigits: int = ...) -> pl.Series: ...
    def __rpow__(self, other: Any) -> pl.Series: ...
    def __rrshift__(self, other: Any) -> pl.Series: ...
    def __rshift__(self, other: Any) -> pl.Series: ...
    def __rsub__(self, other: Any) -> pl.Series: ...
    def __rtruediv__(self, other: Any) -> pl.Series: ...
    def __rxor__(self, other: Any) -> pl.Series: ...
    def __sub__(self, other: Any) -> pl.Series: ...
    def __truediv__(self, other: Any) -> pl.Series: ...
    def __xor__(self, other: Any) -> pl.Series: ...
    def abs(self) -> pl.Series:
        """Distance from zero, item by item."""

    def all(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Whether every item of each row is true."""

    def any(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Whether any item of each row is true."""

    def argmax(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The position of the largest item of each row."""

    def argmin(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The position of the smallest item of each row."""

    def argsort(self, descending: bool = ..., axis: Any = ...) -> pl.Series:
        """The slots of each row's items in sorted order."""

    @property
    def array(self) -> JaggedArray:
        """The Series as a `JaggedArray`."""

    def bfill(self, axis: Any = ...) -> pl.Series:
        """Replace each null by the next item after it that is not null, within its row."""

    def cast(self, type: Any, safe: bool = ...) -> pl.Series:
        """The leaves in another Arrow type."""

    def cdf(self, axis: Any = ..., *, weights: Any = ...) -> pl.Series:
        """The share of each row's items that are at most as large as the item."""

    def clip(self, lower: Any = ..., upper: Any = ...) -> pl.Series:
        """Limit items to bounds."""

    def collapse(self, axis: Any = ...) -> pl.Series | Any:
        """The value that all items of each row share."""

    def combinations(self, n: int, axis: Any = ...) -> pl.Series:
        """All choices of `n` items of each row: a dim of declared size `n` is added."""

    def contains(self, v: Any, axis: Any = ...) -> pl.Series | Any:
        """Whether each row holds a value."""

    def count(self, axis: Any = ...) -> pl.Series | Any:
        """The number of items of each row that are not null."""

    def cumcount(self, axis: Any = ...) -> pl.Series:
        """How many items that are not null each row has had so far, from 1."""

    def cummax(self, axis: Any = ...) -> pl.Series:
        """The largest item of each row so far."""

    def cummin(self, axis: Any = ...) -> pl.Series:
        """The smallest item of each row so far."""

    def cumprod(self, axis: Any = ...) -> pl.Series:
        """Running products of each row."""

    def cumsum(self, axis: Any = ...) -> pl.Series:
        """Running totals of each row."""

    def diff(self, n: int = ..., axis: Any = ...) -> pl.Series:
        """Each item minus the one `n` places before it."""

    def difference(self, y: Any, axis: Any = ...) -> pl.Series:
        """The distinct items of each row that the same row of another array does not hold."""

    def dot(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The sum of the products of each row with another array's."""

    def expand(self, *dims: Any) -> pl.Series:
        """Stretch dims of declared size 1."""

    def expand_to(self, other: Any, ndim: int = ...) -> pl.Series:
        """Spread the array over a longer shape: each item is repeated over its descendants."""

    def ffill(self, axis: Any = ...) -> pl.Series:
        """Replace each null by the last item before it that is not null, within its row."""

    def fill_null(self, value: Any) -> pl.Series:
        """Replace null leaves, and null rows where the filler has rows for them."""

    def fill_null_rows(self, other: Any, axis: int = ...) -> pl.Series:
        """Replace null rows at an axis by the rows of another array."""

    def filter(self, mask: Any) -> pl.Series:
        """The innermost items whose mask is true."""

    def first(self, axis: Any = ...) -> pl.Series | Any:
        """The first item of each row, null or not."""

    def flatten(self, from_dim: int = ..., to_dim: int | None = ...) -> pl.Series:
        """Merge the dims from `from_dim` to before `to_dim` into one."""

    def flatten_end(self, n: int = ...) -> pl.Series:
        """Merge the last `n` dims into the dim before them."""

    def group_by(self, *keys: Any, axis: Any = ...) -> pl.Series:
        """Put the items of each row into groups of equal keys: a dim is added."""

    def group_by_indices(self, *keys: Any, sort: bool = ..., axis: Any = ...) -> pl.Series:
        """The slots of the items of each group of equal keys: a dim is added."""

    def head(self, n: Any = ..., axis: int = ...) -> pl.Series:
        """The first items of each row."""

    def image(self) -> tuple[pl.Series, ...]:
        """The place of every leaf along each dim."""

    def intersection(self, y: Any, axis: Any = ...) -> pl.Series:
        """The distinct items of each row that the same row of another array holds too."""

    def inverse_permutation(self, axis: Any = ...) -> pl.Series:
        """For each slot of a row the slot that points at it: ``out[p[i]] = i``."""

    def is_in(self, values: Any) -> pl.Series:
        """Whether each item is in a set."""

    def is_nan(self) -> pl.Series:
        """Whether items are NaN."""

    def is_null(self, axis: int = ...) -> pl.Series:
        """Whether the items at an axis are null."""

    @property
    def jag(self) -> JagSeries:
        """Itself."""

    def join(self, sep: str, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Join the texts of each row."""

    def last(self, axis: Any = ...) -> pl.Series | Any:
        """The last item of each row, null or not."""

    def lengths(self, axis: Any = ...) -> pl.Series | Any:
        """The size of each row of a dim, nulls counted."""

    def map_rows(self, fn: Callable[[Any], Any], type: Any, axis: Any = ...) -> pl.Series | Any:
        """Call a Python function on each row."""

    def max(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The largest item of each row."""

    def mean(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The mean of each row."""

    def median(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The median of each row: the mean of the two middle items where their number is even."""

    def min(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The smallest item of each row."""

    def mode(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The most frequent item of each row."""

    def n_unique(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The number of distinct items of each row."""

    @property
    def nbytes(self) -> int:
        """Bytes of the values and of the offsets and validity beside them."""

    @property
    def ndim(self) -> int:
        """Number of levels, the rows included."""

    @property
    def null_count(self) -> int:
        """Number of null rows."""

    def pad(self, n: int, fill: Any = ..., axis: int = ...) -> pl.Series:
        """Fill short rows up."""

    def pairs(self, y: Any, axis: Any = ...) -> pl.Series:
        """Every item of a row with every item of another array's row: a dim of declared size 2 is added."""

    def permute(self, *axes: int, shear: ShearMode = ...) -> pl.Series:
        """Bring all dims into another order."""

    @property
    def plot(self) -> Any:
        """Pictures of the sizes, the rows and the values, on matplotlib axes."""

    def prod(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Multiply the items of each row."""

    def quantile(self, q: float, interpolation: str = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """A quantile of each row."""

    def rank(self, method: RankMethod = ..., descending: bool = ..., axis: Any = ..., *, tie_breaker: Any = ...) -> pl.Series:
        """The place of each item in its sorted row, from 1."""

    def repeat(self, sizes: Any) -> pl.Series:
        """Each innermost item several times, in a new last dim."""

    def reshape(self, *dims: Any) -> pl.Series:
        """Regroup the same values into other dims."""

    def reshape_as(self, other: Any) -> pl.Series:
        """Regroup the same values into the shape of another array."""

    def reverse(self, axis: Any = ...) -> pl.Series:
        """The items of each row from the last to the first, nulls included."""

    def rolling(self, window: int, axis: Any = ...) -> Rolling:
        """Moving windows along an axis: `.sum()`, `.mean()`, `.min()`, `.max()`, `.count()`."""

    def rolling_count(self, window: int, axis: Any = ...) -> pl.Series:
        """How many of the last `window` items up to each one are not null."""

    def rolling_max(self, window: int, axis: Any = ...) -> pl.Series:
        """The largest of the last `window` items up to each one."""

    def rolling_mean(self, window: int, axis: Any = ...) -> pl.Series:
        """The mean of the last `window` items up to each one."""

    def rolling_min(self, window: int, axis: Any = ...) -> pl.Series:
        """The smallest of the last `window` items up to each one."""

    def rolling_sum(self, window: int, axis: Any = ...) -> pl.Series:
        """The sum of the last `window` items up to each one."""

    def round(self, decimals: int = ...) -> pl.Series:
        """Round half to even, item by item."""

    @property
    def S(self) -> Any:
        """Index from the innermost dims, with null for what is out of range (Koda's rule)."""

    def sample(self, *, fraction: float | None = ..., n: Any = ..., seed: int, axis: Any = ...) -> pl.Series:
        """Some of the items of each row, chosen at random and kept in their order."""

    def searchsorted(self, y: Any, side: Literal['left', 'right'] = ..., axis: Any = ...) -> pl.Series:
        """The slots where items would keep the sorted rows of this array sorted."""

    def set(self, index: Any, values: Any) -> pl.Series:
        """Assign to what an index names, in a new array."""

    @property
    def shape(self) -> JaggedShape:
        """The nesting: a `JaggedShape`."""

    def shift(self, n: int = ..., fill: Any = ..., axis: Any = ...) -> pl.Series:
        """Move items `n` places on; rows keep their sizes."""

    def shuffle(self, seed: int, axis: Any = ...) -> pl.Series:
        """The items of each row in random order."""

    @property
    def size(self) -> int:
        """Number of leaf values."""

    def slice(self, start: Any, length: Any = ..., axis: int = ...) -> pl.Series:
        """A stretch of each row."""

    def softmax(self, axis: Any = ..., *, beta: float = ...) -> pl.Series:
        """The exponentials of each row's items, scaled to add up to 1."""

    def sort(self, descending: bool = ..., by: Any = ..., axis: Any = ...) -> pl.Series:
        """Sort the items of each row."""

    def squeeze(self, axis: int) -> pl.Series:
        """Remove a dim whose rows all have one item."""

    def std(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The standard deviation of each row."""

    def sum(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Add up the items of each row."""

    def tail(self, n: Any = ..., axis: int = ...) -> pl.Series:
        """The last items of each row."""

    def take(self, index: Any, axis: int = ..., out_of_bounds: str = ...) -> pl.Series | Any:
        """In each row at an axis, the items that an index names."""

    def tile(self, shape: Any) -> pl.Series:
        """A copy of the whole array under each innermost item of a shape."""

    def topk(self, k: int, axis: Any = ...) -> pl.Series:
        """The `k` largest items of each row, the largest first."""

    def translate(self, keys_from: Any, values_from: Any, axis: Any = ...) -> pl.Series:
        """Replace each item by the value that stands beside the equal key."""

    def transpose(self, a: int, b: int, shear: ShearMode = ..., return_inverse: bool = ...) -> Any:
        """Let two dims change places: what stood at ``[.., i, .., j, ..]`` stands at ``[.., j, .., i, ..]``."""

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the leaf values."""

    def union(self, y: Any, axis: Any = ...) -> pl.Series:
        """The distinct items of each row of this array and of another, those of this one first."""

    def unique(self, axis: Any = ...) -> pl.Series:
        """The distinct items of each row."""

    def unsqueeze(self, axis: int) -> pl.Series:
        """Insert a dim of declared size 1."""

    def validity(self, axis: int = ...) -> pa.Array:
        """Which items at an axis are valid."""

    def value_counts(self, axis: Any = ...) -> pl.Series:
        """The distinct items of each row and how often each occurs."""

    @property
    def values(self) -> pa.Array:
        """The flat leaf values, as an Arrow array."""

    def var(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """The variance of each row."""

    def with_fields(self, **arrays: Any) -> pl.Series:
        """Struct leaves with fields added or replaced."""

    def with_validity(self, axis: int, mask: Any) -> pl.Series:
        """The array with a validity of the caller's at an axis."""
