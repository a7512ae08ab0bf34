# Written by tools/write_stubs.py; do not edit.
# ruff: noqa: E501, I001, N802, PYI021, PYI029, PYI032, RUF100
# mypy: disable-error-code="override,type-arg"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
# fmt: off
import builtins
from collections.abc import Callable
from typing import Any
from typing import Literal
import numpy as np
import polars as pl
import pyarrow as pa
from arrowjag import JaggedArray
from arrowjag.shape import JaggedShape
from arrowjag._array.rolling import Ewm
from arrowjag._array.rolling import Rolling
from arrowjag.typing import Interpolation
from arrowjag.typing import RankMethod
from arrowjag.typing import ShearMode

__all__ = ["JagExpr", "JagNamespace", "JagNamespaceDt", "JagNamespaceStr", "JagSeries", "JagSeriesDt", "JagSeriesStr"]

class JagExpr(pl.Expr):
    """The result of a call on jagged columns: an expression whose operators and ufuncs are jagged too."""

    def __abs__(self) -> JagExpr: ...
    def __add__(self, other: Any) -> JagExpr: ...
    def __and__(self, other: Any) -> JagExpr: ...
    def __array_ufunc__(self, ufunc: Any, method: builtins.str, *inputs: Any, **options: Any) -> Any: ...
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
    def __matmul__(self, other: Any) -> Any: ...
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
    def __repr__(self) -> str: ...
    def __rfloordiv__(self, other: Any) -> JagExpr: ...
    def __rlshift__(self, other: Any) -> JagExpr: ...
    def __rmatmul__(self, other: Any) -> Any: ...
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
        """Jagged operations on the result."""

class JagNamespace(JagExpr):
    """Jagged operations on an expression: `pl.col("v").jag`."""

    def __getitem__(self, key: Any) -> JagExpr: ...
    def __init__(self, expr: Any) -> None: ...
    def abs(self) -> JagExpr:
        """Return the absolute value of each item."""

    def all(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return whether every item of each row is true."""

    def any(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return whether any item of each row is true."""

    def append(self, v: Any) -> JagExpr:
        """Append one item to each innermost row."""

    def apply(self, function: builtins.str | Callable[..., Any], *arrays: Any, **options: Any) -> JagExpr:
        """Call a function of pyarrow.compute or a ufunc on the items of this array and others."""

    def arg_max(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the position of the largest item of each row."""

    def arg_min(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the position of the smallest item of each row."""

    def arg_sort(self, descending: bool = ..., axis: Any = ...) -> JagExpr:
        """Return the positions that sort each row."""

    def argcombinations(self, n: int, axis: Any = ...) -> JagExpr:
        """Return the positions of all combinations of `n` items of each row; adds a dim of declared extent `n`."""

    def argmax(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the position of the largest item of each row."""

    def argmin(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the position of the smallest item of each row."""

    def argsort(self, descending: bool = ..., axis: Any = ...) -> JagExpr:
        """Return the positions that sort each row."""

    def argwhere(self, axis: Any = ...) -> JagExpr:
        """Return the positions of the items of each row that are true, or not zero."""

    def bfill(self, axis: Any = ...) -> JagExpr:
        """Replace each null by the next item after it that is not null, within its row."""

    def bincount(self, n: int | None = ..., axis: Any = ...) -> JagExpr:
        """Count how often 0, 1, 2 and so on occur in each row."""

    def bootstrap(self, n: int, seed: int, axis: Any = ...) -> JagExpr:
        """Return the means of random samples of each row, drawn with replacement, for confidence intervals of the mean."""

    def bottomk(self, k: int, axis: Any = ..., *, by: Any = ...) -> JagExpr:
        """Return the `k` smallest items of each row, smallest first, or the items with the `k` smallest keys."""

    def cast(self, type: Any, safe: bool = ..., strict: bool = ...) -> JagExpr:
        """Cast the leaves to another Arrow type."""

    def cdf(self, axis: Any = ..., *, weights: Any = ...) -> JagExpr:
        """Return, for each item, the share of the items of its row that are at most as large."""

    def clip(self, lower: Any = ..., upper: Any = ...) -> JagExpr:
        """Limit items to bounds."""

    def coalesce(self, *arrays: Any) -> JagExpr:
        """Replace null items and null rows by those of the first other array in which they are not null."""

    def collapse(self, axis: Any = ...) -> JagExpr:
        """Return the value that all items of a row have in common."""

    def combinations(self, n: int, axis: Any = ...) -> JagExpr:
        """Return all combinations of `n` items of each row; adds a dim of declared extent `n`."""

    def concat(self, *arrays: Any, axis: int = ...) -> JagExpr:
        """Join this array and others along an axis."""

    def contains(self, v: Any, axis: Any = ...) -> JagExpr:
        """Return whether each row contains a value."""

    def contains_key(self, k: Any) -> JagExpr:
        """Return whether each map has a key."""

    def corr(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return Pearson's correlation of each row with the same row of another array."""

    def cosine(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the cosine of the angle between each row and the same row of another array."""

    def count(self, axis: Any = ...) -> JagExpr:
        """Count the items of each row that are not null."""

    def cov(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ..., ddof: int = ...) -> JagExpr:
        """Return the covariance of each row with the same row of another array."""

    def cum_count(self, axis: Any = ...) -> JagExpr:
        """Return the running count of the items of each row that are not null, from 1."""

    def cum_max(self, axis: Any = ...) -> JagExpr:
        """Return the running maximum of each row."""

    def cum_min(self, axis: Any = ...) -> JagExpr:
        """Return the running minimum of each row."""

    def cum_prod(self, axis: Any = ...) -> JagExpr:
        """Return the running products of each row."""

    def cum_sum(self, axis: Any = ...) -> JagExpr:
        """Return the running totals of each row."""

    def cumcount(self, axis: Any = ...) -> JagExpr:
        """Return the running count of the items of each row that are not null, from 1."""

    def cummax(self, axis: Any = ...) -> JagExpr:
        """Return the running maximum of each row."""

    def cummin(self, axis: Any = ...) -> JagExpr:
        """Return the running minimum of each row."""

    def cumprod(self, axis: Any = ...) -> JagExpr:
        """Return the running products of each row."""

    def cumsum(self, axis: Any = ...) -> JagExpr:
        """Return the running totals of each row."""

    def cut(self, bins: Any, range: tuple[float, float] | None = ..., axis: Any = ...) -> JagExpr:
        """Return the bin of each item in the histogram of its row."""

    def diff(self, n: int = ..., axis: Any = ...) -> JagExpr:
        """Subtract from each item the one `n` positions before it."""

    def difference(self, y: Any, axis: Any = ...) -> JagExpr:
        """Return the distinct items of each row that are not in the same row of another array."""

    def digitize(self, edges: Any, right: bool = ...) -> JagExpr:
        """Return the number of the bin that each item falls into, given the edges between bins."""

    def distance(self, y: Any, metric: Literal['l2', 'l1', 'linf', 'hamming', 'jaccard'] = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the distance between each row and the same row of another array."""

    def dot(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the dot product of each row with the same row of another array."""

    def drop_nulls(self, axis: Any = ...) -> JagExpr:
        """Drop the null items of each row."""

    @property
    def dt(self) -> JagNamespaceDt:
        """Methods of dates and times, called on each item."""

    def entropy(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the entropy of each row in nats; the items are weights, which are divided by their sum."""

    def ewm(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> Ewm[JagExpr]:
        """Return exponentially weighted statistics along rows; give exactly one of `alpha`, `span` and `halflife`."""

    def ewm_mean(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> JagExpr:
        """Return the exponentially weighted mean of all items of a row up to and including the current one."""

    def ewm_var(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> JagExpr:
        """Return the exponentially weighted variance of all items up to and including the current one, corrected for bias."""

    def expand(self, *dims: Any) -> JagExpr:
        """Broadcast dims of declared extent 1 to new sizes."""

    def expand_to(self, other: Any, ndim: int = ...) -> JagExpr:
        """Broadcast the array to a longer shape: each item is repeated for its descendants."""

    def expanding(self, min_periods: int = ..., *, axis: Any = ...) -> Rolling[JagExpr]:
        """Return windows that hold all items of a row up to and including the current one."""

    def ffill(self, axis: Any = ...) -> JagExpr:
        """Replace each null by the last item before it that is not null, within its row."""

    def fft_power(self, axis: Any = ...) -> JagExpr:
        """Return the power spectrum of each row of evenly spaced numbers."""

    def fill_null(self, v: Any) -> JagExpr:
        """Replace null leaves by a value; an array of the same ndim also replaces null rows."""

    def fill_null_rows(self, y: Any, axis: int = ...) -> JagExpr:
        """Replace null rows at an axis by the rows of another array."""

    def filter(self, mask: Any) -> JagExpr:
        """Keep the innermost items whose mask is true."""

    def first(self, axis: Any = ...) -> JagExpr:
        """Return the first item of each row, null or not."""

    def flatten(self, from_dim: int = ..., to_dim: int | None = ..., *, keep_empty: bool = ...) -> JagExpr:
        """Merge the dims ``from_dim:to_dim`` into one."""

    def flatten_end(self, n: int = ...) -> JagExpr:
        """Merge the last `n` dims into the dim before them."""

    def fold(self, f: Callable[..., Any], start: Any, *arrays: Any, type: Any = ..., axis: Any = ...) -> JagExpr:
        """Combine the items of each row from left to right with a function of a state and an item."""

    def gaps(self, axis: Any = ...) -> JagExpr:
        """Return the differences of neighbouring items of each row; a row has one difference fewer than items."""

    def gather(self, index: Any, axis: int = ..., out_of_bounds: Literal['raise', 'null'] = ...) -> JagExpr:
        """Select items by position in each row at an axis."""

    def get(self, key: Any, default: Any = ...) -> JagExpr:
        """Look up the value of a key in each map, or the item at a position of each row."""

    def group_by(self, *keys: Any, axis: Any = ...) -> JagExpr:
        """Group the items of each row by equal keys; adds a dim."""

    def group_by_indices(self, *keys: Any, sort: bool = ..., axis: Any = ...) -> JagExpr:
        """Group the items of each row by equal keys and return their positions in the row; adds a dim."""

    def head(self, n: Any = ..., axis: int = ...) -> JagExpr:
        """Keep the first items of each row."""

    def histogram(self, bins: Any, range: tuple[float, float] | None = ..., axis: Any = ...) -> JagExpr:
        """Count the items of each row in bins."""

    def image(self) -> JagExpr:
        """Return the position of every leaf along each dim."""

    def index_of(self, v: Any, axis: Any = ...) -> JagExpr:
        """Return the position of the first item of each row that equals a value."""

    def insert(self, i: Any, v: Any) -> JagExpr:
        """Insert one item into each innermost row before a position."""

    def intersection(self, y: Any, axis: Any = ...) -> JagExpr:
        """Return the distinct items of each row that are also in the same row of another array."""

    def inverse_permutation(self, axis: Any = ...) -> JagExpr:
        """Invert the positions held by each row: ``out[p[i]] = i``."""

    def is_in(self, values: Any) -> JagExpr:
        """Return whether each item is in a set."""

    def is_nan(self) -> JagExpr:
        """Return whether each item is NaN."""

    def is_not_null(self, axis: int = ...) -> JagExpr:
        """Whether each item is valid: the negation of `is_null`."""

    def is_null(self, axis: int = ...) -> JagExpr:
        """Return whether each item at an axis is null."""

    def is_sorted(self, descending: bool = ..., axis: Any = ...) -> JagExpr:
        """Return whether the items of each row are in order."""

    @property
    def jag(self) -> JagNamespace:
        """The namespace itself."""

    def join(self, sep: builtins.str, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Join the texts of each row."""

    def kurtosis(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the excess kurtosis of each row, corrected for bias."""

    def last(self, axis: Any = ...) -> JagExpr:
        """Return the last item of each row, null or not."""

    def len(self, axis: Any = ...) -> JagExpr:
        """Return the size of each row of a dim, nulls counted."""

    def lengths(self, axis: Any = ...) -> JagExpr:
        """Return the size of each row of a dim, nulls counted."""

    def linear_fit(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Fit a straight line to each row by least squares: `y` as a function of the items of this array."""

    def local_maxima(self, axis: Any = ...) -> JagExpr:
        """Return which items of each row are greater than their neighbours."""

    def mad(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the median absolute deviation of each row: the median of the distances from the median."""

    def map_items(self, f: Callable[..., Any], *arrays: Any, type: Any = ...) -> JagExpr:
        """Call a function on each item."""

    def map_rows(self, f: Callable[..., Any], type: Any = ..., axis: Any = ..., skip_nulls: bool = ...) -> JagExpr:
        """Call a function on each row."""

    def matmul(self, y: Any) -> JagExpr:
        """Multiply the matrix of each row by the matrix of the same row of another array, or by its vector; also ``x @ y``."""

    def max(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the largest item of each row."""

    def max_by(self, by: Any, axis: Any = ...) -> JagExpr:
        """Return the item of each row whose key is the largest."""

    def mean(self, axis: Any = ..., *, weights: Any = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Average the items of each row."""

    def median(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the median of each row: the mean of the two middle items where their number is even."""

    def min(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the smallest item of each row."""

    def min_by(self, by: Any, axis: Any = ...) -> JagExpr:
        """Return the item of each row whose key is the smallest."""

    def mode(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the most frequent item of each row."""

    def moment(self, k: int, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the k-th central moment of each row: the mean of the k-th powers of the deviations from the mean."""

    def n_grams(self, n: int, axis: Any = ...) -> JagExpr:
        """Return the runs of `n` neighbouring items of each row: ``windows(n)``."""

    def n_unique(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the number of distinct items of each row."""

    def nan_to_null(self) -> JagExpr:
        """Replace NaN items by null."""

    def nearest(self, matrix: Any, metric: Literal['l2', 'cosine'] = ...) -> JagExpr:
        """Return the position of the row of a matrix that is nearest to each row."""

    def norm(self, p: float = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the p-norm of each row."""

    def normalize(self, p: float = ..., axis: Any = ...) -> JagExpr:
        """Divide the items of each row by its p-norm."""

    def pad(self, n: int, fill: Any = ..., axis: int = ...) -> JagExpr:
        """Pad rows that are shorter than a minimal size."""

    def pairs(self, y: Any, axis: Any = ...) -> JagExpr:
        """Return the Cartesian product of each row with the same row of another array; adds a dim of declared extent 2."""

    def pct_change(self, n: int = ..., axis: Any = ...) -> JagExpr:
        """Return the relative change of each item from the item `n` slots before it."""

    def permute(self, *axes: int, shear: ShearMode = ...) -> JagExpr:
        """Reorder all dims."""

    def prod(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Multiply the items of each row."""

    def ptp(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the difference between the largest and the smallest item of each row (peak to peak)."""

    def quantile(self, q: Any, interpolation: Interpolation = ..., axis: Any = ..., *, weights: Any = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return one or several quantiles of each row."""

    def rank(self, method: RankMethod = ..., descending: bool = ..., axis: Any = ..., *, tie_breaker: Any = ..., pct: bool = ...) -> JagExpr:
        """Rank each item within its row, from 1."""

    def remove(self, v: Any) -> JagExpr:
        """Drop the items of each innermost row that equal a value."""

    def repeat(self, sizes: Any) -> JagExpr:
        """Repeat each innermost item: the copies form a new last dim."""

    def replace(self, old: Any, new: Any = ...) -> JagExpr:
        """Replace items that equal a value."""

    def reshape(self, *dims: Any) -> JagExpr:
        """Regroup the same values into other dims."""

    def reshape_as(self, y: Any) -> JagExpr:
        """Regroup the same values into the shape of another array."""

    def reverse(self, axis: Any = ...) -> JagExpr:
        """Reverse the items of each row, nulls included."""

    def rle(self, axis: Any = ...) -> JagExpr:
        """Return the runs of equal neighbours of each row: their values and lengths."""

    def rolling(self, window: Any, min_periods: int | None = ..., center: bool = ..., on: Any = ..., *, axis: Any = ...) -> Rolling[JagExpr]:
        """Return moving windows along rows, on which statistics are computed."""

    def rolling_count(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return the number of items of each window that are not null."""

    def rolling_first(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return the first item of each window that is not null."""

    def rolling_last(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return the last item of each window that is not null."""

    def rolling_max(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return the largest item of each window."""

    def rolling_mean(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return the mean of each window."""

    def rolling_median(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return the median of each window."""

    def rolling_min(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return the smallest item of each window."""

    def rolling_quantile(self, window: Any, q: float, interpolation: Interpolation = ..., axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return a quantile of each window."""

    def rolling_std(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ..., ddof: int = ...) -> JagExpr:
        """Return the standard deviation of each window."""

    def rolling_sum(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> JagExpr:
        """Return the sum of each window."""

    def rolling_var(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ..., ddof: int = ...) -> JagExpr:
        """Return the variance of each window."""

    def rotate(self, n: Any) -> JagExpr:
        """Rotate the items of each innermost row to the right: items that leave at the end re-enter at the front."""

    def round(self, decimals: int = ...) -> JagExpr:
        """Round each item half to even."""

    @property
    def S(self) -> Any:
        """Index from the innermost dims; positions out of range give null (Koda's rule)."""

    def sample(self, *, fraction: float | None = ..., n: Any = ..., seed: int, axis: Any = ..., weights: Any = ...) -> JagExpr:
        """Sample items of each row at random, keeping their order."""

    def scan(self, f: Callable[..., Any], start: Any, *arrays: Any, type: Any = ...) -> JagExpr:
        """Return the state after each item of a row, computed by a function of a state and an item."""

    def searchsorted(self, y: Any, side: Literal['left', 'right'] = ..., axis: Any = ...) -> JagExpr:
        """Return the positions at which inserting items keeps the rows of this array sorted."""

    def sem(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ..., ddof: int = ...) -> JagExpr:
        """Return the standard error of the mean of each row."""

    def set(self, index: Any, values: Any) -> JagExpr:
        """Assign to the items selected by an index, in a new array."""

    def shift(self, n: int = ..., fill: Any = ..., axis: Any = ...) -> JagExpr:
        """Shift items by `n` positions; row sizes are unchanged."""

    def shuffle(self, seed: int, axis: Any = ...) -> JagExpr:
        """Shuffle the items of each row."""

    def skew(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the skewness of each row, corrected for bias."""

    def slice(self, start: Any, length: Any = ..., axis: int = ...) -> JagExpr:
        """Slice each row by start and length."""

    def softmax(self, axis: Any = ..., *, beta: float = ...) -> JagExpr:
        """Return the exponentials of the items of each row, scaled so that they add up to 1."""

    def sort(self, descending: bool = ..., by: Any = ..., axis: Any = ...) -> JagExpr:
        """Sort the items of each row."""

    def splice(self, start: Any, n: Any, y: Any = ...) -> JagExpr:
        """Replace `n` items of each innermost row, from a position on, by other items."""

    def squeeze(self, axis: int) -> JagExpr:
        """Remove a dim whose rows all have one item."""

    def std(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the standard deviation of each row."""

    @property
    def str(self) -> JagNamespaceStr:
        """Methods of text, called on each item."""

    def sum(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Sum the items of each row."""

    def symmetric_difference(self, y: Any, axis: Any = ...) -> JagExpr:
        """Return the distinct items that are in a row of this array or in the same row of another, but not in both."""

    def tail(self, n: Any = ..., axis: int = ...) -> JagExpr:
        """Keep the last items of each row."""

    def take(self, index: Any, axis: int = ..., out_of_bounds: Literal['raise', 'null'] = ...) -> JagExpr:
        """Select items by position in each row at an axis."""

    def tile(self, shape: Any) -> JagExpr:
        """Repeat the whole array for each innermost item of a shape."""

    def to_map(self) -> JagExpr:
        """Convert rows of entries to Arrow maps."""

    def top_k(self, k: int, axis: Any = ..., *, by: Any = ..., descending: bool = ...) -> JagExpr:
        """Return the `k` largest items of each row, largest first, or the items with the `k` largest keys."""

    def topk(self, k: int, axis: Any = ..., *, by: Any = ..., descending: bool = ...) -> JagExpr:
        """Return the `k` largest items of each row, largest first, or the items with the `k` largest keys."""

    def translate(self, keys_from: Any, values_from: Any = ..., axis: Any = ...) -> JagExpr:
        """Look up each item in a dictionary, and replace it by the value found."""

    def transpose(self, a: int, b: int, shear: ShearMode = ..., return_inverse: bool = ...) -> JagExpr:
        """Swap two dims: the item at ``[.., i, .., j, ..]`` moves to ``[.., j, .., i, ..]``."""

    def union(self, y: Any, axis: Any = ...) -> JagExpr:
        """Return the distinct items of each row of this array, followed by those of the same row of another array."""

    def unique(self, axis: Any = ..., *, by: Any = ...) -> JagExpr:
        """Return the distinct items of each row, or the first item of each key."""

    def unsqueeze(self, axis: int) -> JagExpr:
        """Insert a dim of declared extent 1."""

    def validity(self, axis: int = ...) -> JagExpr:
        """Return the validity of the items at an axis."""

    def value_counts(self, axis: Any = ...) -> JagExpr:
        """Count the distinct items of each row."""

    def var(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> JagExpr:
        """Return the variance of each row."""

    def where(self, c: Any, y: Any = ...) -> JagExpr:
        """Keep items where a condition is true, and take others from another array."""

    def windows(self, size: int, step: int = ..., axis: Any = ...) -> JagExpr:
        """Return the windows of neighbouring items of each row; adds a dim of declared extent `size`."""

    def with_fields(self, **arrays: Any) -> JagExpr:
        """Add or replace fields of struct leaves."""

    def with_validity(self, axis: int, mask: Any) -> JagExpr:
        """Replace the validity of the items at an axis."""

    def zip(self, *arrays: Any, pad: Any = ..., **named: Any) -> JagExpr:
        """Combine the items of this array and of others into structs."""

class JagNamespaceDt:
    """Methods of dates and times, called on each item."""

    def ceil(self, every: builtins.str) -> JagExpr:
        """Round times up to multiples of a length of time."""

    def date(self) -> JagExpr:
        """Return the date."""

    def day(self) -> JagExpr:
        """Return the day of the month, from 1."""

    def day_of_year(self) -> JagExpr:
        """Return the day of the year, from 1."""

    def floor(self, every: builtins.str) -> JagExpr:
        """Round times down to multiples of a length of time."""

    def hour(self) -> JagExpr:
        """Return the hour."""

    def microsecond(self) -> JagExpr:
        """Return the microseconds within the millisecond, below 1000."""

    def millisecond(self) -> JagExpr:
        """Return the milliseconds within the second, below 1000."""

    def minute(self) -> JagExpr:
        """Return the minute."""

    def month(self) -> JagExpr:
        """Return the month, from 1."""

    def nanosecond(self) -> JagExpr:
        """Return the nanoseconds within the microsecond, below 1000."""

    def quarter(self) -> JagExpr:
        """Return the quarter, from 1."""

    def round(self, every: builtins.str) -> JagExpr:
        """Round times to the nearest multiple of a length of time, ties up."""

    def second(self) -> JagExpr:
        """Return the second."""

    def strftime(self, format: builtins.str) -> JagExpr:
        """Format times as text."""

    def time(self) -> JagExpr:
        """Return the time of day."""

    def timestamp(self, unit: Literal['s', 'ms', 'us', 'ns']) -> JagExpr:
        """Return the time since 1970-01-01 in UTC; times without a zone count as UTC."""

    def total_seconds(self) -> JagExpr:
        """Return the length of durations in seconds."""

    def tz_convert(self, zone: builtins.str) -> JagExpr:
        """Convert timestamps to another time zone."""

    def tz_localize(self, zone: builtins.str) -> JagExpr:
        """Interpret timestamps without a zone as wall times of a time zone."""

    def week(self) -> JagExpr:
        """Return the week of ISO 8601, from 1."""

    def weekday(self) -> JagExpr:
        """Return the day of the week, Monday is 0."""

    def year(self) -> JagExpr:
        """Return the year."""

class JagNamespaceStr:
    """Methods of text, called on each item."""

    def byte_len(self) -> JagExpr:
        """Return the number of bytes in UTF-8."""

    def capitalize(self) -> JagExpr:
        """Convert the first character to upper case and all others to lower case, as Python's `str.capitalize`."""

    def cat(self, other: Any, sep: builtins.str = ...) -> JagExpr:
        """Join each string with other text."""

    def center(self, n: int, fill: builtins.str = ...) -> JagExpr:
        """Fill at both sides up to a length."""

    def contains(self, pattern: builtins.str, regex: bool = ..., ignore_case: bool = ...) -> JagExpr:
        """Return whether each string contains a text or a match."""

    def count(self, s: builtins.str) -> JagExpr:
        """Return the number of occurrences of a text, without overlap."""

    def endswith(self, suffix: builtins.str | tuple[builtins.str, ...]) -> JagExpr:
        """Return whether each string has a suffix."""

    def extract(self, regex: builtins.str) -> JagExpr:
        """Return the groups of the first match of a regular expression."""

    def extract_all(self, regex: builtins.str) -> JagExpr:
        """Return all matches of a regular expression."""

    def find(self, s: builtins.str) -> JagExpr:
        """Return the position of the first occurrence of a text."""

    def fullmatch(self, regex: builtins.str) -> JagExpr:
        """Return whether a regular expression matches the whole string."""

    def isalnum(self) -> JagExpr:
        """Return whether all characters are letters or digits, and there is at least one, as Python's `str.isalnum`."""

    def isalpha(self) -> JagExpr:
        """Return whether all characters are letters, and there is at least one, as Python's `str.isalpha`."""

    def isascii(self) -> JagExpr:
        """Return whether all characters are ASCII, as Python's `str.isascii`."""

    def isdecimal(self) -> JagExpr:
        """Return whether all characters are decimal digits, and there is at least one, as Python's `str.isdecimal`."""

    def isdigit(self) -> JagExpr:
        """Return whether all characters are digits, and there is at least one, as Python's `str.isdigit`."""

    def islower(self) -> JagExpr:
        """Return whether all cased characters are lower case, and there is at least one, as Python's `str.islower`."""

    def isnumeric(self) -> JagExpr:
        """Return whether all characters are numeric, and there is at least one, as Python's `str.isnumeric`."""

    def isprintable(self) -> JagExpr:
        """Return whether all characters can be printed, as Python's `str.isprintable`."""

    def isspace(self) -> JagExpr:
        """Return whether all characters are white space, and there is at least one, as Python's `str.isspace`."""

    def istitle(self) -> JagExpr:
        """Return whether each word begins with its only capital, and there is at least one, as Python's `str.istitle`."""

    def isupper(self) -> JagExpr:
        """Return whether all cased characters are upper case, and there is at least one, as Python's `str.isupper`."""

    def len(self) -> JagExpr:
        """Return the number of code points."""

    def ljust(self, n: int, fill: builtins.str = ...) -> JagExpr:
        """Fill at the right up to a length."""

    def lower(self) -> JagExpr:
        """Convert to lower case, as Python's `str.lower`."""

    def lstrip(self, chars: builtins.str | None = ...) -> JagExpr:
        """Remove white space, or the given characters, from the left end."""

    def match(self, regex: builtins.str) -> JagExpr:
        """Return whether a match of a regular expression begins at the first character."""

    def pad(self, n: int, side: Literal['left', 'right', 'both'] = ..., fill: builtins.str = ...) -> JagExpr:
        """Fill up to a length."""

    def removeprefix(self, p: builtins.str) -> JagExpr:
        """Remove a prefix where a string has it."""

    def removesuffix(self, p: builtins.str) -> JagExpr:
        """Remove a suffix where a string has it."""

    def repeat(self, n: int) -> JagExpr:
        """Repeat each string."""

    def replace(self, old: builtins.str, new: builtins.str, n: int = ..., regex: bool = ...) -> JagExpr:
        """Replace occurrences of a text or matches of a regular expression."""

    def reverse(self) -> JagExpr:
        """Reverse the code points of each string."""

    def rjust(self, n: int, fill: builtins.str = ...) -> JagExpr:
        """Fill at the left up to a length."""

    def rstrip(self, chars: builtins.str | None = ...) -> JagExpr:
        """Remove white space, or the given characters, from the right end."""

    def slice(self, start: int | None, stop: int | None = ..., step: int | None = ...) -> JagExpr:
        """Return a part of each string, as ``text[start:stop:step]`` in Python."""

    def split(self, sep: builtins.str | None = ..., maxsplit: int = ..., regex: bool = ...) -> JagExpr:
        """Split each string at separators."""

    def startswith(self, prefix: builtins.str | tuple[builtins.str, ...]) -> JagExpr:
        """Return whether each string has a prefix."""

    def strip(self, chars: builtins.str | None = ...) -> JagExpr:
        """Remove white space, or the given characters, from both ends."""

    def swapcase(self) -> JagExpr:
        """Swap upper and lower case, as Python's `str.swapcase`."""

    def title(self) -> JagExpr:
        """Begin each word with a capital, as Python's `str.title`."""

    def to_datetime(self, format: builtins.str | None = ..., strict: bool = ...) -> JagExpr:
        """Read text as timestamps."""

    def to_number(self, type: Any, strict: bool = ...) -> JagExpr:
        """Read text as numbers."""

    def upper(self) -> JagExpr:
        """Convert to upper case, as Python's `str.upper`."""

    def zfill(self, n: int) -> JagExpr:
        """Fill with zeros at the left, after a sign, up to a length."""

class JagSeries(pl.Series):
    """Jagged operations on a Series: `s.jag`."""

    def __abs__(self) -> pl.Series: ...
    def __add__(self, other: Any) -> pl.Series: ...
    def __and__(self, other: Any) -> pl.Series: ...
    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray[Any, Any]: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: builtins.str, *inputs: Any, **options: Any) -> Any: ...
    def __contains__(self, item: object) -> bool: ...
    def __copy__(self) -> JagSeries: ...
    def __deepcopy__(self, memo: None = ...) -> JagSeries: ...
    def __divmod__(self, other: Any) -> tuple[pl.Series, pl.Series]: ...
    def __eq__(self, other: Any) -> pl.Series: ...
    def __floordiv__(self, other: Any) -> pl.Series: ...
    def __ge__(self, other: Any) -> pl.Series: ...
    def __getattr__(self, name: builtins.str) -> Any: ...
    def __getitem__(self, key: Any) -> pl.Series | Any: ...
    def __gt__(self, other: Any) -> pl.Series: ...
    def __init__(self, series: pl.Series) -> None: ...
    def __invert__(self) -> pl.Series: ...
    def __iter__(self) -> Any: ...
    def __le__(self, other: Any) -> pl.Series: ...
    def __len__(self) -> int: ...
    def __lshift__(self, other: Any) -> pl.Series: ...
    def __lt__(self, other: Any) -> pl.Series: ...
    def __matmul__(self, other: Any) -> Any: ...
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
    def __rmatmul__(self, other: Any) -> Any: ...
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
        """Return the absolute value of each item."""

    def all(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return whether every item of each row is true."""

    def any(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return whether any item of each row is true."""

    def append(self, v: Any) -> pl.Series:
        """Append one item to each innermost row."""

    def apply(self, function: builtins.str | Callable[..., Any], *arrays: Any, **options: Any) -> pl.Series:
        """Call a function of pyarrow.compute or a ufunc on the items of this array and others."""

    def arg_max(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the position of the largest item of each row."""

    def arg_min(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the position of the smallest item of each row."""

    def arg_sort(self, descending: bool = ..., axis: Any = ...) -> pl.Series:
        """Return the positions that sort each row."""

    def argcombinations(self, n: int, axis: Any = ...) -> pl.Series:
        """Return the positions of all combinations of `n` items of each row; adds a dim of declared extent `n`."""

    def argmax(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the position of the largest item of each row."""

    def argmin(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the position of the smallest item of each row."""

    def argsort(self, descending: bool = ..., axis: Any = ...) -> pl.Series:
        """Return the positions that sort each row."""

    def argwhere(self, axis: Any = ...) -> pl.Series:
        """Return the positions of the items of each row that are true, or not zero."""

    @property
    def array(self) -> JaggedArray:
        """The Series as a `JaggedArray`."""

    def bfill(self, axis: Any = ...) -> pl.Series:
        """Replace each null by the next item after it that is not null, within its row."""

    def bincount(self, n: int | None = ..., axis: Any = ...) -> pl.Series:
        """Count how often 0, 1, 2 and so on occur in each row."""

    def bootstrap(self, n: int, seed: int, axis: Any = ...) -> pl.Series:
        """Return the means of random samples of each row, drawn with replacement, for confidence intervals of the mean."""

    def bottomk(self, k: int, axis: Any = ..., *, by: Any = ...) -> pl.Series:
        """Return the `k` smallest items of each row, smallest first, or the items with the `k` smallest keys."""

    def cast(self, type: Any, safe: bool = ..., strict: bool = ...) -> pl.Series:
        """Cast the leaves to another Arrow type."""

    def cdf(self, axis: Any = ..., *, weights: Any = ...) -> pl.Series:
        """Return, for each item, the share of the items of its row that are at most as large."""

    def clip(self, lower: Any = ..., upper: Any = ...) -> pl.Series:
        """Limit items to bounds."""

    def coalesce(self, *arrays: Any) -> pl.Series | Any:
        """Replace null items and null rows by those of the first other array in which they are not null."""

    def collapse(self, axis: Any = ...) -> pl.Series | Any:
        """Return the value that all items of a row have in common."""

    def combinations(self, n: int, axis: Any = ...) -> pl.Series:
        """Return all combinations of `n` items of each row; adds a dim of declared extent `n`."""

    def concat(self, *arrays: Any, axis: int = ...) -> pl.Series | Any:
        """Join this array and others along an axis."""

    def contains(self, v: Any, axis: Any = ...) -> pl.Series | Any:
        """Return whether each row contains a value."""

    def contains_key(self, k: Any) -> pl.Series | Any:
        """Return whether each map has a key."""

    def corr(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return Pearson's correlation of each row with the same row of another array."""

    def cosine(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the cosine of the angle between each row and the same row of another array."""

    def count(self, axis: Any = ...) -> pl.Series | Any:
        """Count the items of each row that are not null."""

    def cov(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ..., ddof: int = ...) -> pl.Series | Any:
        """Return the covariance of each row with the same row of another array."""

    def cum_count(self, axis: Any = ...) -> pl.Series:
        """Return the running count of the items of each row that are not null, from 1."""

    def cum_max(self, axis: Any = ...) -> pl.Series:
        """Return the running maximum of each row."""

    def cum_min(self, axis: Any = ...) -> pl.Series:
        """Return the running minimum of each row."""

    def cum_prod(self, axis: Any = ...) -> pl.Series:
        """Return the running products of each row."""

    def cum_sum(self, axis: Any = ...) -> pl.Series:
        """Return the running totals of each row."""

    def cumcount(self, axis: Any = ...) -> pl.Series:
        """Return the running count of the items of each row that are not null, from 1."""

    def cummax(self, axis: Any = ...) -> pl.Series:
        """Return the running maximum of each row."""

    def cummin(self, axis: Any = ...) -> pl.Series:
        """Return the running minimum of each row."""

    def cumprod(self, axis: Any = ...) -> pl.Series:
        """Return the running products of each row."""

    def cumsum(self, axis: Any = ...) -> pl.Series:
        """Return the running totals of each row."""

    def cut(self, bins: Any, range: tuple[float, float] | None = ..., axis: Any = ...) -> pl.Series:
        """Return the bin of each item in the histogram of its row."""

    def diff(self, n: int = ..., axis: Any = ...) -> pl.Series:
        """Subtract from each item the one `n` positions before it."""

    def difference(self, y: Any, axis: Any = ...) -> pl.Series:
        """Return the distinct items of each row that are not in the same row of another array."""

    def digitize(self, edges: Any, right: bool = ...) -> pl.Series:
        """Return the number of the bin that each item falls into, given the edges between bins."""

    def distance(self, y: Any, metric: Literal['l2', 'l1', 'linf', 'hamming', 'jaccard'] = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the distance between each row and the same row of another array."""

    def dot(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the dot product of each row with the same row of another array."""

    def drop_nulls(self, axis: Any = ...) -> pl.Series:
        """Drop the null items of each row."""

    @property
    def dt(self) -> JagSeriesDt:
        """Methods of dates and times, called on each item."""

    def entropy(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the entropy of each row in nats; the items are weights, which are divided by their sum."""

    def ewm(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> Ewm[pl.Series]:
        """Return exponentially weighted statistics along rows; give exactly one of `alpha`, `span` and `halflife`."""

    def ewm_mean(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> pl.Series:
        """Return the exponentially weighted mean of all items of a row up to and including the current one."""

    def ewm_var(self, *, alpha: float | None = ..., span: float | None = ..., halflife: float | None = ..., axis: Any = ...) -> pl.Series:
        """Return the exponentially weighted variance of all items up to and including the current one, corrected for bias."""

    def expand(self, *dims: Any) -> pl.Series:
        """Broadcast dims of declared extent 1 to new sizes."""

    def expand_to(self, other: Any, ndim: int = ...) -> pl.Series:
        """Broadcast the array to a longer shape: each item is repeated for its descendants."""

    def expanding(self, min_periods: int = ..., *, axis: Any = ...) -> Rolling[pl.Series]:
        """Return windows that hold all items of a row up to and including the current one."""

    def ffill(self, axis: Any = ...) -> pl.Series:
        """Replace each null by the last item before it that is not null, within its row."""

    def fft_power(self, axis: Any = ...) -> pl.Series | Any:
        """Return the power spectrum of each row of evenly spaced numbers."""

    def fill_null(self, v: Any) -> pl.Series:
        """Replace null leaves by a value; an array of the same ndim also replaces null rows."""

    def fill_null_rows(self, y: Any, axis: int = ...) -> pl.Series:
        """Replace null rows at an axis by the rows of another array."""

    def filter(self, mask: Any) -> pl.Series:
        """Keep the innermost items whose mask is true."""

    def first(self, axis: Any = ...) -> pl.Series | Any:
        """Return the first item of each row, null or not."""

    def flatten(self, from_dim: int = ..., to_dim: int | None = ..., *, keep_empty: bool = ...) -> pl.Series:
        """Merge the dims ``from_dim:to_dim`` into one."""

    def flatten_end(self, n: int = ...) -> pl.Series:
        """Merge the last `n` dims into the dim before them."""

    def fold(self, f: Callable[..., Any], start: Any, *arrays: Any, type: Any = ..., axis: Any = ...) -> pl.Series | Any:
        """Combine the items of each row from left to right with a function of a state and an item."""

    def gaps(self, axis: Any = ...) -> pl.Series:
        """Return the differences of neighbouring items of each row; a row has one difference fewer than items."""

    def gather(self, index: Any, axis: int = ..., out_of_bounds: Literal['raise', 'null'] = ...) -> pl.Series | Any:
        """Select items by position in each row at an axis."""

    def get(self, key: Any, default: Any = ...) -> pl.Series | Any:
        """Look up the value of a key in each map, or the item at a position of each row."""

    def group_by(self, *keys: Any, axis: Any = ...) -> pl.Series:
        """Group the items of each row by equal keys; adds a dim."""

    def group_by_indices(self, *keys: Any, sort: bool = ..., axis: Any = ...) -> pl.Series:
        """Group the items of each row by equal keys and return their positions in the row; adds a dim."""

    def head(self, n: Any = ..., axis: int = ...) -> pl.Series:
        """Keep the first items of each row."""

    def histogram(self, bins: Any, range: tuple[float, float] | None = ..., axis: Any = ...) -> pl.Series | Any:
        """Count the items of each row in bins."""

    def image(self) -> tuple[pl.Series, ...]:
        """Return the position of every leaf along each dim."""

    def index_of(self, v: Any, axis: Any = ...) -> pl.Series | Any:
        """Return the position of the first item of each row that equals a value."""

    def insert(self, i: Any, v: Any) -> pl.Series:
        """Insert one item into each innermost row before a position."""

    def intersection(self, y: Any, axis: Any = ...) -> pl.Series:
        """Return the distinct items of each row that are also in the same row of another array."""

    def inverse_permutation(self, axis: Any = ...) -> pl.Series:
        """Invert the positions held by each row: ``out[p[i]] = i``."""

    def is_in(self, values: Any) -> pl.Series:
        """Return whether each item is in a set."""

    def is_nan(self) -> pl.Series:
        """Return whether each item is NaN."""

    def is_not_null(self, axis: int = ...) -> Any:
        """Whether each item is valid: the negation of `is_null`."""

    def is_null(self, axis: int = ...) -> pl.Series:
        """Return whether each item at an axis is null."""

    def is_sorted(self, descending: bool = ..., axis: Any = ...) -> pl.Series | Any:
        """Return whether the items of each row are in order."""

    @property
    def jag(self) -> JagSeries:
        """The namespace itself."""

    def join(self, sep: builtins.str, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Join the texts of each row."""

    def kurtosis(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the excess kurtosis of each row, corrected for bias."""

    def last(self, axis: Any = ...) -> pl.Series | Any:
        """Return the last item of each row, null or not."""

    def len(self, axis: Any = ...) -> pl.Series | Any:
        """Return the size of each row of a dim, nulls counted."""

    def lengths(self, axis: Any = ...) -> pl.Series | Any:
        """Return the size of each row of a dim, nulls counted."""

    def linear_fit(self, y: Any, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Fit a straight line to each row by least squares: `y` as a function of the items of this array."""

    def local_maxima(self, axis: Any = ...) -> pl.Series:
        """Return which items of each row are greater than their neighbours."""

    def mad(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the median absolute deviation of each row: the median of the distances from the median."""

    def map_items(self, f: Callable[..., Any], *arrays: Any, type: Any = ...) -> pl.Series:
        """Call a function on each item."""

    def map_rows(self, f: Callable[..., Any], type: Any = ..., axis: Any = ..., skip_nulls: bool = ...) -> pl.Series | Any:
        """Call a function on each row."""

    def matmul(self, y: Any) -> pl.Series:
        """Multiply the matrix of each row by the matrix of the same row of another array, or by its vector; also ``x @ y``."""

    def max(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the largest item of each row."""

    def max_by(self, by: Any, axis: Any = ...) -> pl.Series | Any:
        """Return the item of each row whose key is the largest."""

    def mean(self, axis: Any = ..., *, weights: Any = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Average the items of each row."""

    def median(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the median of each row: the mean of the two middle items where their number is even."""

    def min(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the smallest item of each row."""

    def min_by(self, by: Any, axis: Any = ...) -> pl.Series | Any:
        """Return the item of each row whose key is the smallest."""

    def mode(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the most frequent item of each row."""

    def moment(self, k: int, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the k-th central moment of each row: the mean of the k-th powers of the deviations from the mean."""

    def n_grams(self, n: int, axis: Any = ...) -> pl.Series:
        """Return the runs of `n` neighbouring items of each row: ``windows(n)``."""

    def n_unique(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the number of distinct items of each row."""

    def nan_to_null(self) -> pl.Series:
        """Replace NaN items by null."""

    @property
    def nbytes(self) -> int:
        """Bytes of the values, offsets and validity."""

    @property
    def ndim(self) -> int:
        """Number of dims, the rows included."""

    def nearest(self, matrix: Any, metric: Literal['l2', 'cosine'] = ...) -> pl.Series | Any:
        """Return the position of the row of a matrix that is nearest to each row."""

    def norm(self, p: float = ..., axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the p-norm of each row."""

    def normalize(self, p: float = ..., axis: Any = ...) -> pl.Series:
        """Divide the items of each row by its p-norm."""

    @property
    def null_count(self) -> int:
        """Number of null rows."""

    def pad(self, n: int, fill: Any = ..., axis: int = ...) -> pl.Series:
        """Pad rows that are shorter than a minimal size."""

    def pairs(self, y: Any, axis: Any = ...) -> pl.Series:
        """Return the Cartesian product of each row with the same row of another array; adds a dim of declared extent 2."""

    def pct_change(self, n: int = ..., axis: Any = ...) -> pl.Series:
        """Return the relative change of each item from the item `n` slots before it."""

    def permute(self, *axes: int, shear: ShearMode = ...) -> pl.Series:
        """Reorder all dims."""

    @property
    def plot(self) -> Any:
        """Plots of the sizes, the rows and the values, on matplotlib axes."""

    def prod(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Multiply the items of each row."""

    def ptp(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the difference between the largest and the smallest item of each row (peak to peak)."""

    def quantile(self, q: Any, interpolation: Interpolation = ..., axis: Any = ..., *, weights: Any = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return one or several quantiles of each row."""

    def rank(self, method: RankMethod = ..., descending: bool = ..., axis: Any = ..., *, tie_breaker: Any = ..., pct: bool = ...) -> pl.Series:
        """Rank each item within its row, from 1."""

    def remove(self, v: Any) -> pl.Series:
        """Drop the items of each innermost row that equal a value."""

    def repeat(self, sizes: Any) -> pl.Series:
        """Repeat each innermost item: the copies form a new last dim."""

    def replace(self, old: Any, new: Any = ...) -> pl.Series:
        """Replace items that equal a value."""

    def reshape(self, *dims: Any) -> pl.Series:
        """Regroup the same values into other dims."""

    def reshape_as(self, y: Any) -> pl.Series:
        """Regroup the same values into the shape of another array."""

    def reverse(self, axis: Any = ...) -> pl.Series:
        """Reverse the items of each row, nulls included."""

    def rle(self, axis: Any = ...) -> pl.Series:
        """Return the runs of equal neighbours of each row: their values and lengths."""

    def rolling(self, window: Any, min_periods: int | None = ..., center: bool = ..., on: Any = ..., *, axis: Any = ...) -> Rolling[pl.Series]:
        """Return moving windows along rows, on which statistics are computed."""

    def rolling_count(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return the number of items of each window that are not null."""

    def rolling_first(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return the first item of each window that is not null."""

    def rolling_last(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return the last item of each window that is not null."""

    def rolling_max(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return the largest item of each window."""

    def rolling_mean(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return the mean of each window."""

    def rolling_median(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return the median of each window."""

    def rolling_min(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return the smallest item of each window."""

    def rolling_quantile(self, window: Any, q: float, interpolation: Interpolation = ..., axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return a quantile of each window."""

    def rolling_std(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ..., ddof: int = ...) -> pl.Series:
        """Return the standard deviation of each window."""

    def rolling_sum(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ...) -> pl.Series:
        """Return the sum of each window."""

    def rolling_var(self, window: Any, axis: Any = ..., *, min_periods: int | None = ..., center: bool = ..., on: Any = ..., ddof: int = ...) -> pl.Series:
        """Return the variance of each window."""

    def rotate(self, n: Any) -> pl.Series:
        """Rotate the items of each innermost row to the right: items that leave at the end re-enter at the front."""

    def round(self, decimals: int = ...) -> pl.Series:
        """Round each item half to even."""

    @property
    def S(self) -> Any:
        """Index from the innermost dims; positions out of range give null (Koda's rule)."""

    def sample(self, *, fraction: float | None = ..., n: Any = ..., seed: int, axis: Any = ..., weights: Any = ...) -> pl.Series:
        """Sample items of each row at random, keeping their order."""

    def scan(self, f: Callable[..., Any], start: Any, *arrays: Any, type: Any = ...) -> pl.Series:
        """Return the state after each item of a row, computed by a function of a state and an item."""

    def searchsorted(self, y: Any, side: Literal['left', 'right'] = ..., axis: Any = ...) -> pl.Series:
        """Return the positions at which inserting items keeps the rows of this array sorted."""

    def sem(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ..., ddof: int = ...) -> pl.Series | Any:
        """Return the standard error of the mean of each row."""

    def set(self, index: Any, values: Any) -> pl.Series:
        """Assign to the items selected by an index, in a new array."""

    @property
    def shape(self) -> JaggedShape:
        """The nesting: a `JaggedShape`."""

    def shift(self, n: int = ..., fill: Any = ..., axis: Any = ...) -> pl.Series:
        """Shift items by `n` positions; row sizes are unchanged."""

    def shuffle(self, seed: int, axis: Any = ...) -> pl.Series:
        """Shuffle the items of each row."""

    @property
    def size(self) -> int:
        """Number of leaf values."""

    def skew(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the skewness of each row, corrected for bias."""

    def slice(self, start: Any, length: Any = ..., axis: int = ...) -> pl.Series:
        """Slice each row by start and length."""

    def softmax(self, axis: Any = ..., *, beta: float = ...) -> pl.Series:
        """Return the exponentials of the items of each row, scaled so that they add up to 1."""

    def sort(self, descending: bool = ..., by: Any = ..., axis: Any = ...) -> pl.Series:
        """Sort the items of each row."""

    def splice(self, start: Any, n: Any, y: Any = ...) -> pl.Series:
        """Replace `n` items of each innermost row, from a position on, by other items."""

    def squeeze(self, axis: int) -> pl.Series | Any:
        """Remove a dim whose rows all have one item."""

    def std(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the standard deviation of each row."""

    @property
    def str(self) -> JagSeriesStr:
        """Methods of text, called on each item."""

    def sum(self, axis: Any = ..., *, skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Sum the items of each row."""

    def symmetric_difference(self, y: Any, axis: Any = ...) -> pl.Series:
        """Return the distinct items that are in a row of this array or in the same row of another, but not in both."""

    def tail(self, n: Any = ..., axis: int = ...) -> pl.Series:
        """Keep the last items of each row."""

    def take(self, index: Any, axis: int = ..., out_of_bounds: Literal['raise', 'null'] = ...) -> pl.Series | Any:
        """Select items by position in each row at an axis."""

    def tile(self, shape: Any) -> pl.Series:
        """Repeat the whole array for each innermost item of a shape."""

    def to_map(self) -> pl.Series:
        """Convert rows of entries to Arrow maps."""

    def top_k(self, k: int, axis: Any = ..., *, by: Any = ..., descending: bool = ...) -> pl.Series:
        """Return the `k` largest items of each row, largest first, or the items with the `k` largest keys."""

    def topk(self, k: int, axis: Any = ..., *, by: Any = ..., descending: bool = ...) -> pl.Series:
        """Return the `k` largest items of each row, largest first, or the items with the `k` largest keys."""

    def translate(self, keys_from: Any, values_from: Any = ..., axis: Any = ...) -> pl.Series:
        """Look up each item in a dictionary, and replace it by the value found."""

    def transpose(self, a: int, b: int, shear: ShearMode = ..., return_inverse: bool = ...) -> Any:
        """Swap two dims: the item at ``[.., i, .., j, ..]`` moves to ``[.., j, .., i, ..]``."""

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the leaf values."""

    def union(self, y: Any, axis: Any = ...) -> pl.Series:
        """Return the distinct items of each row of this array, followed by those of the same row of another array."""

    def unique(self, axis: Any = ..., *, by: Any = ...) -> pl.Series:
        """Return the distinct items of each row, or the first item of each key."""

    def unsqueeze(self, axis: int) -> pl.Series:
        """Insert a dim of declared extent 1."""

    def validity(self, axis: int = ...) -> pl.Series:
        """Return the validity of the items at an axis."""

    def value_counts(self, axis: Any = ...) -> pl.Series:
        """Count the distinct items of each row."""

    @property
    def values(self) -> pa.Array:
        """The flat leaf values, as an Arrow array."""

    def var(self, axis: Any = ..., *, ddof: int = ..., skip_nulls: bool = ..., min_count: int | None = ...) -> pl.Series | Any:
        """Return the variance of each row."""

    def where(self, c: Any, y: Any = ...) -> pl.Series | Any:
        """Keep items where a condition is true, and take others from another array."""

    def windows(self, size: int, step: int = ..., axis: Any = ...) -> pl.Series:
        """Return the windows of neighbouring items of each row; adds a dim of declared extent `size`."""

    def with_fields(self, **arrays: Any) -> pl.Series:
        """Add or replace fields of struct leaves."""

    def with_validity(self, axis: int, mask: Any) -> pl.Series:
        """Replace the validity of the items at an axis."""

    def zip(self, *arrays: Any, pad: Any = ..., **named: Any) -> pl.Series:
        """Combine the items of this array and of others into structs."""

class JagSeriesDt:
    """Methods of dates and times, called on each item."""

    def ceil(self, every: builtins.str) -> pl.Series:
        """Round times up to multiples of a length of time."""

    def date(self) -> pl.Series:
        """Return the date."""

    def day(self) -> pl.Series:
        """Return the day of the month, from 1."""

    def day_of_year(self) -> pl.Series:
        """Return the day of the year, from 1."""

    def floor(self, every: builtins.str) -> pl.Series:
        """Round times down to multiples of a length of time."""

    def hour(self) -> pl.Series:
        """Return the hour."""

    def microsecond(self) -> pl.Series:
        """Return the microseconds within the millisecond, below 1000."""

    def millisecond(self) -> pl.Series:
        """Return the milliseconds within the second, below 1000."""

    def minute(self) -> pl.Series:
        """Return the minute."""

    def month(self) -> pl.Series:
        """Return the month, from 1."""

    def nanosecond(self) -> pl.Series:
        """Return the nanoseconds within the microsecond, below 1000."""

    def quarter(self) -> pl.Series:
        """Return the quarter, from 1."""

    def round(self, every: builtins.str) -> pl.Series:
        """Round times to the nearest multiple of a length of time, ties up."""

    def second(self) -> pl.Series:
        """Return the second."""

    def strftime(self, format: builtins.str) -> pl.Series:
        """Format times as text."""

    def time(self) -> pl.Series:
        """Return the time of day."""

    def timestamp(self, unit: Literal['s', 'ms', 'us', 'ns']) -> pl.Series:
        """Return the time since 1970-01-01 in UTC; times without a zone count as UTC."""

    def total_seconds(self) -> pl.Series:
        """Return the length of durations in seconds."""

    def tz_convert(self, zone: builtins.str) -> pl.Series:
        """Convert timestamps to another time zone."""

    def tz_localize(self, zone: builtins.str) -> pl.Series:
        """Interpret timestamps without a zone as wall times of a time zone."""

    def week(self) -> pl.Series:
        """Return the week of ISO 8601, from 1."""

    def weekday(self) -> pl.Series:
        """Return the day of the week, Monday is 0."""

    def year(self) -> pl.Series:
        """Return the year."""

class JagSeriesStr:
    """Methods of text, called on each item."""

    def byte_len(self) -> pl.Series:
        """Return the number of bytes in UTF-8."""

    def capitalize(self) -> pl.Series:
        """Convert the first character to upper case and all others to lower case, as Python's `str.capitalize`."""

    def cat(self, other: Any, sep: builtins.str = ...) -> pl.Series:
        """Join each string with other text."""

    def center(self, n: int, fill: builtins.str = ...) -> pl.Series:
        """Fill at both sides up to a length."""

    def contains(self, pattern: builtins.str, regex: bool = ..., ignore_case: bool = ...) -> pl.Series:
        """Return whether each string contains a text or a match."""

    def count(self, s: builtins.str) -> pl.Series:
        """Return the number of occurrences of a text, without overlap."""

    def endswith(self, suffix: builtins.str | tuple[builtins.str, ...]) -> pl.Series:
        """Return whether each string has a suffix."""

    def extract(self, regex: builtins.str) -> pl.Series:
        """Return the groups of the first match of a regular expression."""

    def extract_all(self, regex: builtins.str) -> pl.Series:
        """Return all matches of a regular expression."""

    def find(self, s: builtins.str) -> pl.Series:
        """Return the position of the first occurrence of a text."""

    def fullmatch(self, regex: builtins.str) -> pl.Series:
        """Return whether a regular expression matches the whole string."""

    def isalnum(self) -> pl.Series:
        """Return whether all characters are letters or digits, and there is at least one, as Python's `str.isalnum`."""

    def isalpha(self) -> pl.Series:
        """Return whether all characters are letters, and there is at least one, as Python's `str.isalpha`."""

    def isascii(self) -> pl.Series:
        """Return whether all characters are ASCII, as Python's `str.isascii`."""

    def isdecimal(self) -> pl.Series:
        """Return whether all characters are decimal digits, and there is at least one, as Python's `str.isdecimal`."""

    def isdigit(self) -> pl.Series:
        """Return whether all characters are digits, and there is at least one, as Python's `str.isdigit`."""

    def islower(self) -> pl.Series:
        """Return whether all cased characters are lower case, and there is at least one, as Python's `str.islower`."""

    def isnumeric(self) -> pl.Series:
        """Return whether all characters are numeric, and there is at least one, as Python's `str.isnumeric`."""

    def isprintable(self) -> pl.Series:
        """Return whether all characters can be printed, as Python's `str.isprintable`."""

    def isspace(self) -> pl.Series:
        """Return whether all characters are white space, and there is at least one, as Python's `str.isspace`."""

    def istitle(self) -> pl.Series:
        """Return whether each word begins with its only capital, and there is at least one, as Python's `str.istitle`."""

    def isupper(self) -> pl.Series:
        """Return whether all cased characters are upper case, and there is at least one, as Python's `str.isupper`."""

    def len(self) -> pl.Series:
        """Return the number of code points."""

    def ljust(self, n: int, fill: builtins.str = ...) -> pl.Series:
        """Fill at the right up to a length."""

    def lower(self) -> pl.Series:
        """Convert to lower case, as Python's `str.lower`."""

    def lstrip(self, chars: builtins.str | None = ...) -> pl.Series:
        """Remove white space, or the given characters, from the left end."""

    def match(self, regex: builtins.str) -> pl.Series:
        """Return whether a match of a regular expression begins at the first character."""

    def pad(self, n: int, side: Literal['left', 'right', 'both'] = ..., fill: builtins.str = ...) -> pl.Series:
        """Fill up to a length."""

    def removeprefix(self, p: builtins.str) -> pl.Series:
        """Remove a prefix where a string has it."""

    def removesuffix(self, p: builtins.str) -> pl.Series:
        """Remove a suffix where a string has it."""

    def repeat(self, n: int) -> pl.Series:
        """Repeat each string."""

    def replace(self, old: builtins.str, new: builtins.str, n: int = ..., regex: bool = ...) -> pl.Series:
        """Replace occurrences of a text or matches of a regular expression."""

    def reverse(self) -> pl.Series:
        """Reverse the code points of each string."""

    def rjust(self, n: int, fill: builtins.str = ...) -> pl.Series:
        """Fill at the left up to a length."""

    def rstrip(self, chars: builtins.str | None = ...) -> pl.Series:
        """Remove white space, or the given characters, from the right end."""

    def slice(self, start: int | None, stop: int | None = ..., step: int | None = ...) -> pl.Series:
        """Return a part of each string, as ``text[start:stop:step]`` in Python."""

    def split(self, sep: builtins.str | None = ..., maxsplit: int = ..., regex: bool = ...) -> pl.Series:
        """Split each string at separators."""

    def startswith(self, prefix: builtins.str | tuple[builtins.str, ...]) -> pl.Series:
        """Return whether each string has a prefix."""

    def strip(self, chars: builtins.str | None = ...) -> pl.Series:
        """Remove white space, or the given characters, from both ends."""

    def swapcase(self) -> pl.Series:
        """Swap upper and lower case, as Python's `str.swapcase`."""

    def title(self) -> pl.Series:
        """Begin each word with a capital, as Python's `str.title`."""

    def to_datetime(self, format: builtins.str | None = ..., strict: bool = ...) -> pl.Series:
        """Read text as timestamps."""

    def to_number(self, type: Any, strict: bool = ...) -> pl.Series:
        """Read text as numbers."""

    def upper(self) -> pl.Series:
        """Convert to upper case, as Python's `str.upper`."""

    def zfill(self, n: int) -> pl.Series:
        """Fill with zeros at the left, after a sign, up to a length."""
