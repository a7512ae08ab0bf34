# Written by tools/write_stubs.py; do not edit.
# ruff: noqa: E501, I001, N802, PYI021, PYI029, PYI032, RUF100
# mypy: disable-error-code="override,type-arg"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
# fmt: off
import builtins
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import Literal
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
from arrowjag._array.rolling import Ewm
from arrowjag._array.rolling import Rolling
from arrowjag.typing import Interpolation
from arrowjag.typing import RankMethod
from arrowjag.typing import ShearMode
from arrowjag.typing import ShearRule

__all__ = ["SeriesJag", "SeriesJagDt", "SeriesJagStr"]

class SeriesJag:
    """Every operation on jagged columns, elementwise operators and indexing among them."""

    def __abs__(self) -> pd.Series[Any]: ...
    def __add__(self, other: Any) -> pd.Series[Any]: ...
    def __and__(self, other: Any) -> pd.Series[Any]: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: builtins.str, *inputs: Any, **options: Any) -> Any: ...
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
    def __matmul__(self, other: Any) -> Any: ...
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
    def __rmatmul__(self, other: Any) -> Any: ...
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
        """Return the absolute value of each item."""

    def all(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return whether every item of each row is true."""

    def any(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return whether any item of each row is true."""

    def append(self, v: Any) -> pd.Series[Any]:
        """Append one item to each innermost row."""

    def apply(self, function: builtins.str | Callable[..., Any], *arrays: Any, **options: Any) -> pd.Series[Any]:
        """Call a function of pyarrow.compute or a ufunc on the items of this array and others."""

    def argcombinations(self, n: int, axis: Any = ...) -> pd.Series[Any]:
        """Return the positions of all combinations of `n` items of each row; adds a dim of declared extent `n`."""

    def argmax(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the position of the largest item of each row."""

    def argmin(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the position of the smallest item of each row."""

    def argsort(self, descending: bool = ..., axis: Any = ...) -> pd.Series[Any]:
        """Return the positions that sort each row."""

    def argwhere(self, axis: Any = ...) -> pd.Series[Any]:
        """Return the positions of the items of each row that are true, or not zero."""

    def bfill(self, axis: Any = ...) -> pd.Series[Any]:
        """Replace each null by the next item after it that is not null, within its row."""

    def bincount(self, n: int | None = ..., axis: Any = ...) -> pd.Series[Any]:
        """Count how often 0, 1, 2 and so on occur in each row."""

    def bootstrap(self, n: int, seed: int, axis: Any = ...) -> pd.Series[Any]:
        """Return the means of random samples of each row, drawn with replacement, for confidence intervals of the mean."""

    def bottomk(self, k: int, axis: Any = ..., *, by: Any = ...) -> pd.Series[Any]:
        """Return the `k` smallest items of each row, smallest first, or the items with the `k` smallest keys."""

    def cast(self, type: Any, safe: bool = ..., strict: bool = ...) -> pd.Series[Any]:
        """Cast the leaves to another Arrow type."""

    def cdf(self, axis: Any = ..., *, weights: Any = ...) -> pd.Series[Any]:
        """Return, for each item, the share of the items of its row that are at most as large."""

    def clip(self, lower: Any = ..., upper: Any = ...) -> pd.Series[Any]:
        """Limit items to bounds."""

    def coalesce(self, *arrays: Any) -> pd.Series[Any] | Any:
        """Replace null items and null rows by those of the first other array in which they are not null."""

    def collapse(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return the value that all items of a row have in common."""

    def combinations(self, n: int, axis: Any = ...) -> pd.Series[Any]:
        """Return all combinations of `n` items of each row; adds a dim of declared extent `n`."""

    def concat(self, *arrays: Any, axis: int = ...) -> pd.Series[Any] | Any:
        """Join this array and others along an axis."""

    def contains(self, v: Any, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return whether each row contains a value."""

    def contains_key(self, k: Any) -> pd.Series[Any] | Any:
        """Return whether each map has a key."""

    def corr(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return Pearson's correlation of each row with the same row of another array."""

    def cosine(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the cosine of the angle between each row and the same row of another array."""

    def count(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """Count the items of each row that are not null."""

    def cov(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ..., ddof: int = ...) -> pd.Series[Any] | Any:
        """Return the covariance of each row with the same row of another array."""

    def cumcount(self, axis: Any = ...) -> pd.Series[Any]:
        """Return the running count of the items of each row that are not null, from 1."""

    def cummax(self, axis: Any = ...) -> pd.Series[Any]:
        """Return the running maximum of each row."""

    def cummin(self, axis: Any = ...) -> pd.Series[Any]:
        """Return the running minimum of each row."""

    def cumprod(self, axis: Any = ...) -> pd.Series[Any]:
        """Return the running products of each row."""

    def cumsum(self, axis: Any = ...) -> pd.Series[Any]:
        """Return the running totals of each row."""

    def cut(self, bins: Any, range: tuple[float, float] | None = ..., axis: Any = ...) -> pd.Series[Any]:
        """Return the bin of each item in the histogram of its row."""

    def diff(self, n: int = ..., axis: Any = ...) -> pd.Series[Any]:
        """Subtract from each item the one `n` positions before it."""

    def difference(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """Return the distinct items of each row that are not in the same row of another array."""

    def digitize(self, edges: Any, right: bool = ...) -> pd.Series[Any]:
        """Return the number of the bin that each item falls into, given the edges between bins."""

    def distance(self, y: Any, metric: Literal['l2', 'l1', 'linf', 'hamming', 'jaccard'] = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the distance between each row and the same row of another array."""

    def dot(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the dot product of each row with the same row of another array."""

    def drop_nulls(self, axis: Any = ...) -> pd.Series[Any]:
        """Drop the null items of each row."""

    @property
    def dt(self) -> SeriesJagDt:
        """Methods of dates and times, called on each item."""

    def entropy(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the entropy of each row in nats; the items are weights, which are divided by their sum."""

    def equals(self, y: object) -> bool:
        """Return whether another array has the same shape, nulls, leaf type and values."""

    def ewm(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> Ewm[pd.Series[Any]]:
        """Return exponentially weighted statistics along rows; give exactly one of `alpha`, `span` and `halflife`."""

    def ewm_mean(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> pd.Series[Any]:
        """Return the exponentially weighted mean of all items of a row up to and including the current one."""

    def ewm_var(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> pd.Series[Any]:
        """Return the exponentially weighted variance of all items up to and including the current one, corrected for bias."""

    def expand(self, *dims: Any) -> pd.Series[Any]:
        """Broadcast dims of declared extent 1 to new sizes."""

    def expand_to(self, other: Any, ndim: int = ...) -> pd.Series[Any]:
        """Broadcast the array to a longer shape: each item is repeated for its descendants."""

    def expanding(self, min_periods: int = ..., *, axis: Any = ...) -> Rolling[pd.Series[Any]]:
        """Return windows that hold all items of a row up to and including the current one."""

    @property
    def extension_type(self) -> Any:
        """The Arrow extension type of the whole column."""

    def ffill(self, axis: Any = ...) -> pd.Series[Any]:
        """Replace each null by the last item before it that is not null, within its row."""

    def fft_power(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return the power spectrum of each row of evenly spaced numbers."""

    @property
    def fields(self) -> Any:
        """Field names of struct leaves; an empty list for other leaves."""

    def fill_null(self, v: Any) -> pd.Series[Any]:
        """Replace null leaves by a value; an array of the same ndim also replaces null rows."""

    def fill_null_rows(self, y: Any, axis: int = ...) -> pd.Series[Any]:
        """Replace null rows at an axis by the rows of another array."""

    def filter(self, mask: Any) -> pd.Series[Any]:
        """Keep the innermost items whose mask is true."""

    def first(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return the first item of each row, null or not."""

    def flatten(self, from_dim: int = ..., to_dim: int | None = ..., *, keep_empty: bool = ...) -> pd.Series[Any]:
        """Merge the dims ``from_dim:to_dim`` into one."""

    def flatten_end(self, n: int = ...) -> pd.Series[Any]:
        """Merge the last `n` dims into the dim before them."""

    def fold(self, f: Callable[..., Any], start: Any, *arrays: Any, type: Any = ..., axis: Any = ...) -> pd.Series[Any] | Any:
        """Combine the items of each row from left to right with a function of a state and an item."""

    def gaps(self, axis: Any = ...) -> pd.Series[Any]:
        """Return the differences of neighbouring items of each row; a row has one difference fewer than items."""

    def get(self, key: Any, default: Any = ...) -> pd.Series[Any] | Any:
        """Look up the value of a key in each map, or the item at a position of each row."""

    def group_by(self, *keys: Any, axis: Any = ...) -> pd.Series[Any]:
        """Group the items of each row by equal keys; adds a dim."""

    def group_by_indices(self, *keys: Any, sort: bool = ..., axis: Any = ...) -> pd.Series[Any]:
        """Group the items of each row by equal keys and return their positions in the row; adds a dim."""

    def head(self, n: Any = ..., axis: int = ...) -> pd.Series[Any]:
        """Keep the first items of each row."""

    def histogram(self, bins: Any, range: tuple[float, float] | None = ..., axis: Any = ...) -> pd.Series[Any] | Any:
        """Count the items of each row in bins."""

    def image(self) -> tuple[pd.Series[Any], ...]:
        """Return the position of every leaf along each dim."""

    def index_of(self, v: Any, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return the position of the first item of each row that equals a value."""

    def insert(self, i: Any, v: Any) -> pd.Series[Any]:
        """Insert one item into each innermost row before a position."""

    def intersection(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """Return the distinct items of each row that are also in the same row of another array."""

    def inverse_permutation(self, axis: Any = ...) -> pd.Series[Any]:
        """Invert the positions held by each row: ``out[p[i]] = i``."""

    def is_in(self, values: Any) -> pd.Series[Any]:
        """Return whether each item is in a set."""

    def is_nan(self) -> pd.Series[Any]:
        """Return whether each item is NaN."""

    def is_null(self, axis: int = ...) -> pd.Series[Any]:
        """Return whether each item at an axis is null."""

    def is_sorted(self, descending: bool = ..., axis: Any = ...) -> pd.Series[Any] | Any:
        """Return whether the items of each row are in order."""

    def join(self, sep: builtins.str, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Join the texts of each row."""

    def kurtosis(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the excess kurtosis of each row, corrected for bias."""

    def last(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return the last item of each row, null or not."""

    def lengths(self, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return the size of each row of a dim, nulls counted."""

    def linear_fit(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Fit a straight line to each row by least squares: `y` as a function of the items of this array."""

    def local_maxima(self, axis: Any = ...) -> pd.Series[Any]:
        """Return which items of each row are greater than their neighbours."""

    def mad(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the median absolute deviation of each row: the median of the distances from the median."""

    def map_items(self, f: Callable[..., Any], *arrays: Any, type: Any = ...) -> pd.Series[Any]:
        """Call a function on each item."""

    def map_rows(self, f: Callable[..., Any], type: Any = ..., axis: Any = ..., skip_nulls: bool = ...) -> pd.Series[Any] | Any:
        """Call a function on each row."""

    def matmul(self, y: Any) -> pd.Series[Any]:
        """Multiply the matrix of each row by the matrix of the same row of another array, or by its vector; also ``x @ y``."""

    def max(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the largest item of each row."""

    def max_by(self, by: Any, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return the item of each row whose key is the largest."""

    def mean(self, axis: Any = ..., *, weights: Any = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Average the items of each row."""

    def median(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the median of each row: the mean of the two middle items where their number is even."""

    def min(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the smallest item of each row."""

    def min_by(self, by: Any, axis: Any = ...) -> pd.Series[Any] | Any:
        """Return the item of each row whose key is the smallest."""

    def mode(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the most frequent item of each row."""

    def moment(self, k: int, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the k-th central moment of each row: the mean of the k-th powers of the deviations from the mean."""

    def n_grams(self, n: int, axis: Any = ...) -> pd.Series[Any]:
        """Return the runs of `n` neighbouring items of each row: ``windows(n)``."""

    def n_unique(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the number of distinct items of each row."""

    def nan_to_null(self) -> pd.Series[Any]:
        """Replace NaN items by null."""

    @property
    def nbytes(self) -> Any:
        """Number of bytes of the values, offsets and validity bitmaps of the Arrow array."""

    @property
    def ndim(self) -> Any:
        """Number of dims, the rows included."""

    def nearest(self, matrix: Any, metric: Literal['l2', 'cosine'] = ...) -> pd.Series[Any] | Any:
        """Return the position of the row of a matrix that is nearest to each row."""

    def norm(self, p: float = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the p-norm of each row."""

    def normalize(self, p: float = ..., axis: Any = ...) -> pd.Series[Any]:
        """Divide the items of each row by its p-norm."""

    @property
    def null_count(self) -> Any:
        """Number of null rows, or of null leaves if the array has one dim."""

    def pad(self, n: int, fill: Any = ..., axis: int = ...) -> pd.Series[Any]:
        """Pad rows that are shorter than a minimal size."""

    def pairs(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """Return the Cartesian product of each row with the same row of another array; adds a dim of declared extent 2."""

    def pct_change(self, n: int = ..., axis: Any = ...) -> pd.Series[Any]:
        """Return the relative change of each item from the item `n` slots before it."""

    def permute(self, *axes: int, shear: ShearMode = ...) -> pd.Series[Any]:
        """Reorder all dims."""

    @property
    def plot(self) -> Any:
        """Plots of row sizes, rows and values, on matplotlib axes."""

    def prod(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Multiply the items of each row."""

    def ptp(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the difference between the largest and the smallest item of each row (peak to peak)."""

    def quantile(self, q: Any, interpolation: Interpolation = ..., axis: Any = ..., *, weights: Any = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return one or several quantiles of each row."""

    def rank(self, method: RankMethod = ..., descending: bool = ..., axis: Any = ..., *, tie_breaker: Any = ..., pct: bool = ...) -> pd.Series[Any]:
        """Rank each item within its row, from 1."""

    def remove(self, v: Any) -> pd.Series[Any]:
        """Drop the items of each innermost row that equal a value."""

    def repeat(self, sizes: Any) -> pd.Series[Any]:
        """Repeat each innermost item: the copies form a new last dim."""

    def replace(self, old: Any, new: Any = ...) -> pd.Series[Any]:
        """Replace items that equal a value."""

    def reshape(self, *dims: Any) -> pd.Series[Any]:
        """Regroup the same values into other dims."""

    def reshape_as(self, y: Any) -> pd.Series[Any]:
        """Regroup the same values into the shape of another array."""

    def reverse(self, axis: Any = ...) -> pd.Series[Any]:
        """Reverse the items of each row, nulls included."""

    def rle(self, axis: Any = ...) -> pd.Series[Any]:
        """Return the runs of equal neighbours of each row: their values and lengths."""

    def rolling(self, window: Any, min_periods: int | None = ..., center: bool = ..., on: Any = ..., *, axis: Any = ...) -> Rolling[pd.Series[Any]]:
        """Return moving windows along rows, on which statistics are computed."""

    def rolling_count(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return the number of items of each window that are not null."""

    def rolling_first(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return the first item of each window that is not null."""

    def rolling_last(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return the last item of each window that is not null."""

    def rolling_max(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return the largest item of each window."""

    def rolling_mean(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return the mean of each window."""

    def rolling_median(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return the median of each window."""

    def rolling_min(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return the smallest item of each window."""

    def rolling_quantile(self, window: Any, q: float, interpolation: Interpolation = ..., axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return a quantile of each window."""

    def rolling_std(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ..., ddof: int = ...) -> pd.Series[Any]:
        """Return the standard deviation of each window."""

    def rolling_sum(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pd.Series[Any]:
        """Return the sum of each window."""

    def rolling_var(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ..., ddof: int = ...) -> pd.Series[Any]:
        """Return the variance of each window."""

    def rotate(self, n: Any) -> pd.Series[Any]:
        """Rotate the items of each innermost row to the right: items that leave at the end re-enter at the front."""

    def round(self, decimals: int = ...) -> pd.Series[Any]:
        """Round each item half to even."""

    @property
    def S(self) -> Any:
        """Indexing by Koda's rule: without an ellipsis the last dims are addressed, and out of range is null."""

    def sample(self, *, fraction: float | None = ..., n: Any = ..., seed: int, axis: Any = ..., weights: Any = ...) -> pd.Series[Any]:
        """Sample items of each row at random, keeping their order."""

    def scan(self, f: Callable[..., Any], start: Any, *arrays: Any, type: Any = ...) -> pd.Series[Any]:
        """Return the state after each item of a row, computed by a function of a state and an item."""

    def searchsorted(self, y: Any, side: Literal['left', 'right'] = ..., axis: Any = ...) -> pd.Series[Any]:
        """Return the positions at which inserting items keeps the rows of this array sorted."""

    def sem(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ..., ddof: int = ...) -> pd.Series[Any] | Any:
        """Return the standard error of the mean of each row."""

    def set(self, index: Any, values: Any) -> pd.Series[Any]:
        """Assign to the items selected by an index, in a new array."""

    @property
    def shape(self) -> Any:
        """The shape: the size of every row at each level."""

    def shift(self, n: int = ..., fill: Any = ..., axis: Any = ...) -> pd.Series[Any]:
        """Shift items by `n` positions; row sizes are unchanged."""

    def shuffle(self, seed: int, axis: Any = ...) -> pd.Series[Any]:
        """Shuffle the items of each row."""

    @property
    def size(self) -> Any:
        """Number of leaf values."""

    def skew(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the skewness of each row, corrected for bias."""

    def slice(self, start: Any, length: Any = ..., axis: int = ...) -> pd.Series[Any]:
        """Slice each row by start and length."""

    def softmax(self, axis: Any = ..., *, beta: float = ...) -> pd.Series[Any]:
        """Return the exponentials of the items of each row, scaled so that they add up to 1."""

    def sort(self, descending: bool = ..., by: Any = ..., axis: Any = ...) -> pd.Series[Any]:
        """Sort the items of each row."""

    def splice(self, start: Any, n: Any, y: Any = ...) -> pd.Series[Any]:
        """Replace `n` items of each innermost row, from a position on, by other items."""

    def squeeze(self, axis: int) -> pd.Series[Any] | Any:
        """Remove a dim whose rows all have one item."""

    def std(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the standard deviation of each row."""

    @property
    def str(self) -> SeriesJagStr:
        """Methods of text, called on each item."""

    def sum(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Sum the items of each row."""

    def symmetric_difference(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """Return the distinct items that are in a row of this array or in the same row of another, but not in both."""

    def tail(self, n: Any = ..., axis: int = ...) -> pd.Series[Any]:
        """Keep the last items of each row."""

    def take(self, index: Any, axis: int = ..., out_of_bounds: Literal['raise', 'null'] = ...) -> pd.Series[Any] | Any:
        """Select items by position in each row at an axis."""

    def tile(self, shape: Any) -> pd.Series[Any]:
        """Repeat the whole array for each innermost item of a shape."""

    def to_arrow(self, extension: bool = ...) -> pa.Array:
        """Convert to an Arrow array."""

    def to_dense(self, max_sizes: int | Sequence[int | None] | None = ..., fill_value: Any = ...) -> npt.NDArray[np.generic]:
        """Convert to a padded numpy array."""

    def to_list(self) -> list[Any]:
        """Convert to nested Python lists; nulls of every level are None."""

    def to_map(self) -> pd.Series[Any]:
        """Convert rows of entries to Arrow maps."""

    def to_numpy(self) -> npt.NDArray[Any]:
        """Convert a uniform column to a numpy array."""

    def to_pandas(self, index: Any = ..., name: Any = ...) -> pd.Series[Any]:
        """Convert to a pandas Series."""

    def to_polars(self, name: builtins.str = ..., extension: bool = ...) -> pl.Series:
        """Convert to a polars Series."""

    def topk(self, k: int, axis: Any = ..., *, by: Any = ..., descending: bool = ...) -> pd.Series[Any]:
        """Return the `k` largest items of each row, largest first, or the items with the `k` largest keys."""

    def translate(self, keys_from: Any, values_from: Any = ..., axis: Any = ...) -> pd.Series[Any]:
        """Look up each item in a dictionary, and replace it by the value found."""

    def transpose(self, a: int, b: int, shear: ShearMode = ..., return_inverse: bool = ...) -> Any:
        """Swap two dims: the item at ``[.., i, .., j, ..]`` moves to ``[.., j, .., i, ..]``."""

    def transpose_will_shear(self, a: int, b: int, rule: ShearRule = ...) -> bool:
        """Return whether swapping two dims leaves holes, so that `transpose` raises."""

    @property
    def type(self) -> Any:
        """The Arrow type of the leaf values."""

    def union(self, y: Any, axis: Any = ...) -> pd.Series[Any]:
        """Return the distinct items of each row of this array, followed by those of the same row of another array."""

    def unique(self, axis: Any = ..., *, by: Any = ...) -> pd.Series[Any]:
        """Return the distinct items of each row, or the first item of each key."""

    def unsqueeze(self, axis: int) -> pd.Series[Any]:
        """Insert a dim of declared extent 1."""

    def validity(self, axis: int = ...) -> pd.Series[Any]:
        """Return the validity of the items at an axis."""

    def value_counts(self, axis: Any = ...) -> pd.Series[Any]:
        """Count the distinct items of each row."""

    @property
    def values(self) -> Any:
        """The flat leaf values."""

    def var(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pd.Series[Any] | Any:
        """Return the variance of each row."""

    def where(self, c: Any, y: Any = ...) -> pd.Series[Any] | Any:
        """Keep items where a condition is true, and take others from another array."""

    def windows(self, size: int, step: int = ..., axis: Any = ...) -> pd.Series[Any]:
        """Return the windows of neighbouring items of each row; adds a dim of declared extent `size`."""

    def with_fields(self, **arrays: Any) -> pd.Series[Any]:
        """Add or replace fields of struct leaves."""

    def with_validity(self, axis: int, mask: Any) -> pd.Series[Any]:
        """Replace the validity of the items at an axis."""

    def zip(self, *arrays: Any, pad: Any = ..., **named: Any) -> pd.Series[Any]:
        """Combine the items of this array and of others into structs."""

class SeriesJagDt:
    """Methods of dates and times, called on each item."""

    def ceil(self, every: builtins.str) -> pd.Series[Any]:
        """Round times up to multiples of a length of time."""

    def date(self) -> pd.Series[Any]:
        """Return the date."""

    def day(self) -> pd.Series[Any]:
        """Return the day of the month, from 1."""

    def day_of_year(self) -> pd.Series[Any]:
        """Return the day of the year, from 1."""

    def floor(self, every: builtins.str) -> pd.Series[Any]:
        """Round times down to multiples of a length of time."""

    def hour(self) -> pd.Series[Any]:
        """Return the hour."""

    def microsecond(self) -> pd.Series[Any]:
        """Return the microseconds within the millisecond, below 1000."""

    def millisecond(self) -> pd.Series[Any]:
        """Return the milliseconds within the second, below 1000."""

    def minute(self) -> pd.Series[Any]:
        """Return the minute."""

    def month(self) -> pd.Series[Any]:
        """Return the month, from 1."""

    def nanosecond(self) -> pd.Series[Any]:
        """Return the nanoseconds within the microsecond, below 1000."""

    def quarter(self) -> pd.Series[Any]:
        """Return the quarter, from 1."""

    def round(self, every: builtins.str) -> pd.Series[Any]:
        """Round times to the nearest multiple of a length of time, ties up."""

    def second(self) -> pd.Series[Any]:
        """Return the second."""

    def strftime(self, format: builtins.str) -> pd.Series[Any]:
        """Format times as text."""

    def time(self) -> pd.Series[Any]:
        """Return the time of day."""

    def timestamp(self, unit: Literal['s', 'ms', 'us', 'ns']) -> pd.Series[Any]:
        """Return the time since 1970-01-01 in UTC; times without a zone count as UTC."""

    def total_seconds(self) -> pd.Series[Any]:
        """Return the length of durations in seconds."""

    def tz_convert(self, zone: builtins.str) -> pd.Series[Any]:
        """Convert timestamps to another time zone."""

    def tz_localize(self, zone: builtins.str) -> pd.Series[Any]:
        """Interpret timestamps without a zone as wall times of a time zone."""

    def week(self) -> pd.Series[Any]:
        """Return the week of ISO 8601, from 1."""

    def weekday(self) -> pd.Series[Any]:
        """Return the day of the week, Monday is 0."""

    def year(self) -> pd.Series[Any]:
        """Return the year."""

class SeriesJagStr:
    """Methods of text, called on each item."""

    def byte_len(self) -> pd.Series[Any]:
        """Return the number of bytes in UTF-8."""

    def capitalize(self) -> pd.Series[Any]:
        """Convert the first character to upper case and all others to lower case, as Python's `str.capitalize`."""

    def cat(self, other: Any, sep: builtins.str = ...) -> pd.Series[Any]:
        """Join each string with other text."""

    def center(self, n: int, fill: builtins.str = ...) -> pd.Series[Any]:
        """Fill at both sides up to a length."""

    def contains(self, pattern: builtins.str, regex: bool = ..., ignore_case: bool = ...) -> pd.Series[Any]:
        """Return whether each string contains a text or a match."""

    def count(self, s: builtins.str) -> pd.Series[Any]:
        """Return the number of occurrences of a text, without overlap."""

    def endswith(self, suffix: builtins.str | tuple[builtins.str, ...]) -> pd.Series[Any]:
        """Return whether each string has a suffix."""

    def extract(self, regex: builtins.str) -> pd.Series[Any]:
        """Return the groups of the first match of a regular expression."""

    def extract_all(self, regex: builtins.str) -> pd.Series[Any]:
        """Return all matches of a regular expression."""

    def find(self, s: builtins.str) -> pd.Series[Any]:
        """Return the position of the first occurrence of a text."""

    def fullmatch(self, regex: builtins.str) -> pd.Series[Any]:
        """Return whether a regular expression matches the whole string."""

    def isalnum(self) -> pd.Series[Any]:
        """Return whether all characters are letters or digits, and there is at least one, as Python's `str.isalnum`."""

    def isalpha(self) -> pd.Series[Any]:
        """Return whether all characters are letters, and there is at least one, as Python's `str.isalpha`."""

    def isascii(self) -> pd.Series[Any]:
        """Return whether all characters are ASCII, as Python's `str.isascii`."""

    def isdecimal(self) -> pd.Series[Any]:
        """Return whether all characters are decimal digits, and there is at least one, as Python's `str.isdecimal`."""

    def isdigit(self) -> pd.Series[Any]:
        """Return whether all characters are digits, and there is at least one, as Python's `str.isdigit`."""

    def islower(self) -> pd.Series[Any]:
        """Return whether all cased characters are lower case, and there is at least one, as Python's `str.islower`."""

    def isnumeric(self) -> pd.Series[Any]:
        """Return whether all characters are numeric, and there is at least one, as Python's `str.isnumeric`."""

    def isprintable(self) -> pd.Series[Any]:
        """Return whether all characters can be printed, as Python's `str.isprintable`."""

    def isspace(self) -> pd.Series[Any]:
        """Return whether all characters are white space, and there is at least one, as Python's `str.isspace`."""

    def istitle(self) -> pd.Series[Any]:
        """Return whether each word begins with its only capital, and there is at least one, as Python's `str.istitle`."""

    def isupper(self) -> pd.Series[Any]:
        """Return whether all cased characters are upper case, and there is at least one, as Python's `str.isupper`."""

    def len(self) -> pd.Series[Any]:
        """Return the number of code points."""

    def ljust(self, n: int, fill: builtins.str = ...) -> pd.Series[Any]:
        """Fill at the right up to a length."""

    def lower(self) -> pd.Series[Any]:
        """Convert to lower case, as Python's `str.lower`."""

    def lstrip(self, chars: builtins.str | None = ...) -> pd.Series[Any]:
        """Remove white space, or the given characters, from the left end."""

    def match(self, regex: builtins.str) -> pd.Series[Any]:
        """Return whether a match of a regular expression begins at the first character."""

    def pad(self, n: int, side: Literal['left', 'right', 'both'] = ..., fill: builtins.str = ...) -> pd.Series[Any]:
        """Fill up to a length."""

    def removeprefix(self, p: builtins.str) -> pd.Series[Any]:
        """Remove a prefix where a string has it."""

    def removesuffix(self, p: builtins.str) -> pd.Series[Any]:
        """Remove a suffix where a string has it."""

    def repeat(self, n: int) -> pd.Series[Any]:
        """Repeat each string."""

    def replace(self, old: builtins.str, new: builtins.str, n: int = ..., regex: bool = ...) -> pd.Series[Any]:
        """Replace occurrences of a text or matches of a regular expression."""

    def reverse(self) -> pd.Series[Any]:
        """Reverse the code points of each string."""

    def rjust(self, n: int, fill: builtins.str = ...) -> pd.Series[Any]:
        """Fill at the left up to a length."""

    def rstrip(self, chars: builtins.str | None = ...) -> pd.Series[Any]:
        """Remove white space, or the given characters, from the right end."""

    def slice(self, start: int | None, stop: int | None = ..., step: int | None = ...) -> pd.Series[Any]:
        """Return a part of each string, as ``text[start:stop:step]`` in Python."""

    def split(self, sep: builtins.str | None = ..., maxsplit: int = ..., regex: bool = ...) -> pd.Series[Any]:
        """Split each string at separators."""

    def startswith(self, prefix: builtins.str | tuple[builtins.str, ...]) -> pd.Series[Any]:
        """Return whether each string has a prefix."""

    def strip(self, chars: builtins.str | None = ...) -> pd.Series[Any]:
        """Remove white space, or the given characters, from both ends."""

    def swapcase(self) -> pd.Series[Any]:
        """Swap upper and lower case, as Python's `str.swapcase`."""

    def title(self) -> pd.Series[Any]:
        """Begin each word with a capital, as Python's `str.title`."""

    def to_datetime(self, format: builtins.str | None = ..., strict: bool = ...) -> pd.Series[Any]:
        """Read text as timestamps."""

    def to_number(self, type: Any, strict: bool = ...) -> pd.Series[Any]:
        """Read text as numbers."""

    def upper(self) -> pd.Series[Any]:
        """Convert to upper case, as Python's `str.upper`."""

    def zfill(self, n: int) -> pd.Series[Any]:
        """Fill with zeros at the left, after a sign, up to a length."""
