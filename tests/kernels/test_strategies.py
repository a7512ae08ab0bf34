"""Every strategy of every operation, forced, gives what the oracle gives and what the other strategies give, bit for bit.

The table of strategies is enumerated: an operation without calls in `CALLS`, or a strategy that no column reaches, fails by name.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.base import fill as fill_kernel
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.elementwise import utf8
from arrowjag._kernels.move import merge, scatter, tile
from arrowjag._ops import structure
from arrowjag._runtime.options import options
from arrowjag.errors import JagError
from arrowjag.testing import assert_lists_equal
from arrowjag.typing import RankMethod
from tests import reference as ref
from tests.conftest import IS_COVER, PROFILE
from tests.kernels.ugly import ITEMS, Column, columns
from tests.reference import Jag

TINY = {
    "ARROW_MEMORY_BYTES": 64,
    "BATCH_VALUES": 16,
    "CACHE_VALUES": 32,
    "COLUMN_MIN_ROWS": 1,
    "COLUMN_ROWS": 4,
    "DIVISION_BYTES": 128,
    "HASH_BLOCK": 16,
    "HASH_PART": 4,
    "LARGE_FRAME": 4,
    "LARGE_VALUES": 48,
    "LIGHT_BYTES": 0,
    "JIT_BLOCK": 16,
    "JIT_CALLS": 0,
    "JIT_SHARE": 0,
    "JIT_VALUES": 0,
    "MATRIX_VALUES": 0,
    "ONE_PASS_VALUES": 0,
    "PAIRS_BLOCK": 64,
    "PAIRS_LENGTH": 5,
    "PART_ITEMS": 4,
    "PART_SAMPLE": 8,
    "PASS_VALUES": 32,
    "ROWS": 8,
    "RUNS_BLOCK": 64,
    "SEARCH_BLOCK": 16,
    "SCAN_LENGTH": 4,
    "SCAN_ROWS": 2,
    "SELECT_LENGTH": 4,
    "SELECT_ROWS": 2,
    "SORT_BLOCK": 64,
    "THREAD_VALUES": 1,
    "TILE_VALUES": 16,
    "TOPK_SEGMENT": 3,
    "TOPK_SHARE": 1,
    "UNPACKED_BLOCK": 2,
    "UNPACKED_BYTES": 3,
    "UTF8_PIECE": 8,
    "WINDOW_BYTES": 128,
    "WORD_VALUES": 16,
}
"""Sizes by which small columns fill many blocks, on several threads."""


SIZES = (TINY,) if IS_COVER else ({}, TINY)

COMPILED_TYPES = {pa.float64(), pa.int64(), pa.string()}
"""Leaf types whose loops `make test` compiles, a second each; `make whole` compiles those of one more type per operation, and the
workflow of pull requests those of all types."""


class Call(NamedTuple):
    """An operation on a column."""

    ours: Callable[[Any], Any]
    oracle: Callable[[Any, int], Any] | None = None
    """From lists and their ndim; None where only strategies are compared."""
    types: frozenset[pa.DataType] | None = None
    """Leaf types that the oracle speaks of; None for all."""
    rounds: bool = False
    """Whether results may differ from the oracle's by rounding."""
    same_bits: bool = False
    """Whether strategies agree bit for bit all the same, because the order of addition and the sign of zeros are documented."""


NUMBERS = frozenset(type for type in ITEMS if pa.types.is_floating(type) or pa.types.is_integer(type))
TEXT = frozenset({pa.string(), pa.large_string(), pa.binary(), pa.large_binary()})
DOUBLE = frozenset({pa.float64()})
LONG = frozenset({pa.int64(), pa.float64()})


def decimals(x: Any) -> Any:
    return x if pa.types.is_decimal(x.type) else x.cast("decimal128(22, 2)")


def as_float16(x: Any) -> Any:
    return x.cast("float16", safe=False)


def flat_offsets(x: Any) -> Any:
    return x.shape.dims[-1].offsets


def kernel(function: Callable[..., Any], oracle: Callable[[list[int]], Any] | None = None) -> Call:
    """A function of offsets, against a function of sizes."""
    sizes = lambda lists, ndim: [len(row or []) for row in ref.items(lists, ndim - 1)]  # noqa: E731
    return Call(lambda x: function(flat_offsets(x)), None if oracle is None else lambda lists, ndim: oracle(sizes(lists, ndim)))


def reduction(name: str, axis: int = -1, rounds: bool = False, **options: Any) -> Call:
    return Call(
        lambda x: getattr(x, name)(axis=axis, **options),
        lambda lists, ndim: ref.reduction(name, lists, ndim, axis, **options),
        NUMBERS if rounds else None,
        rounds,
    )


def method(name: str, *args: Any, types: frozenset[pa.DataType] | None = None, **options: Any) -> Call:
    oracle = getattr(ref, name)
    return Call(lambda x: getattr(x, name)(*args, **options), lambda lists, ndim: oracle(lists, ndim, *args, **options), types)


def words_of(x: Any) -> Any:
    if not pa.types.is_primitive(x.type):
        raise aj.JagTypeError("no words")
    return x.values


def copied(name: str, count: int) -> Call:
    """Fixed-width values as often as that, each by itself or all together."""
    by_item = lambda items: [item for item in items for _ in range(count)]  # noqa: E731
    repeat = by_item if name == "repeat_each" else lambda items: items * count
    return Call(lambda x: getattr(merge, name)(words_of(x), count), lambda lists, ndim: repeat(ref.items(lists, ndim)))


def set_of(name: str) -> Call:
    other = lambda lists, ndim: ref.head(lists, ndim, 4)  # noqa: E731
    return Call(lambda x: getattr(x, name)(x.head(4)), lambda lists, ndim: getattr(ref, name)(lists, other(lists, ndim), ndim))


def in_rows(x: Any) -> Any:
    return x.is_in(x.reverse().head(3))


def in_rows_oracle(lists: Any, ndim: int) -> Any:
    return ref.is_in(Jag(lists, ndim), Jag(ref.head(ref.reverse(lists, ndim), ndim, 3), ndim))


def looked_up(x: Any) -> Any:
    keys = x.unique()
    return x.translate(keys, keys)


def looked_up_oracle(lists: Any, ndim: int) -> Any:
    keys = Jag(ref.unique(lists, ndim), ndim)
    return ref.translate(Jag(lists, ndim), keys, keys)


def got_by_key(x: Any, default: Any = None) -> Any:
    """The number of the last item in each row that equals the first item of all."""
    known = x.values.drop_null()
    return aj.zip(key=x, value=x.cumcount()).get(known[0] if len(known) else pa.scalar(None, x.type), default)


def member_of(count: int) -> Call:
    """Whether items are in a set of that many of them."""
    known = lambda lists, ndim: list(ref.first_appearances(ref.items(lists, ndim)))[:count]  # noqa: E731

    def ours(x: Any) -> Any:
        values = aj.array(x.values).unique()[:count]
        return x.is_in(values)

    return Call(ours, lambda lists, ndim: ref.is_in(Jag(lists, ndim), Jag(known(lists, ndim), 1)))


def replaced_first(x: Any) -> Any:
    """The items that equal the first one become equal to the last one."""
    known = x.values.drop_null()
    return x.replace(known[0], known[-1]) if len(known) else x


def halves(n: int) -> list[int]:
    return [*range(0, n, 2), *range(1, n, 3), *range(n - 1, -1, -4)]


def taken_rows(x: Any) -> Any:
    return x[np.array(halves(len(x)), np.int64)]


def kept(x: Any) -> Any:
    return x[np.arange(len(x)) % 3 > 0]


def without_rows(x: Any) -> Any:
    """Every third row is null."""
    if x.ndim < 2:
        refuse()
    found = structure.null_items(x, 1, np.arange(len(x)) % 3 > 0)
    return aj.JaggedArray(found.shape, found.values)


def merged_rows(x: Any) -> Any:
    """Rows that are null are filled again, below a dim of one row."""
    return aj.coalesce(*(in_one_row(part) for part in (without_rows(x), x)))[0]


def in_one_row(x: Any) -> Any:
    lists = pa.LargeListArray.from_arrays(pa.array([0, len(x)], pa.int64()), x.to_arrow(extension=False))
    return aj.from_arrow(lists, x.ndim + 1)


def first_rows(x: Any) -> Any:
    """One item for each row, spread over it."""
    if x.ndim < 2:
        raise aj.JagTypeError("one dim")
    return x.head(1).max(axis=-1).expand_to(x)


def first_rows_oracle(lists: Any, ndim: int) -> Any:
    item = ref.reduction("max", ref.head(lists, ndim, 1), ndim)
    return ref.expand_to(Jag(item, ndim - 1), Jag(lists, ndim))


def chosen(x: Any) -> Any:
    return aj.where(x.is_null(), x.reverse(), x)


def later(x: Any) -> Any:
    """By flags whose first bit may be any of a byte."""
    return aj.where(x.is_null()[1:], x.reverse()[1:], x[1:])


def chosen_oracle(lists: Any, ndim: int) -> Any:
    reverse, null = Jag(ref.reverse(lists, ndim), ndim), Jag(ref.is_null(lists, ndim), ndim)
    return ref.where(null, reverse, Jag(lists, ndim))


def dense_of(x: Any) -> Any:
    return x.to_dense(fill_value=0) if x.values.null_count == 0 and pa.types.is_primitive(x.type) else refuse()


def back_from_dense(x: Any) -> Any:
    if not pa.types.is_floating(x.type) or x.type == pa.float16():
        refuse()
    x = x.fill_null(0)
    return aj.dense.from_dense(x.to_dense(), x.shape)


def refuse() -> Any:
    raise aj.JagTypeError("not of this type")


def turned(a: int, b: int) -> Call:
    def ours(x: Any) -> Any:
        return x.transpose(a, b, shear="allow") if x.ndim > max(a, b) else refuse()

    return Call(ours, lambda lists, ndim: ref.transpose(lists, ndim, a, b, shear="allow"))


def ends(x: Any) -> Any:
    if x.ndim != 2 or not len(x):
        refuse()
    x = x[(x.lengths() > 0).fill_null(False)]
    return [x[:, 0], x[:, -1]]


def ends_oracle(lists: Any, ndim: int) -> Any:
    return [[row[place] for row in lists if row] for place in (0, -1)]


def filled(x: Any) -> Any:
    if not pa.types.is_integer(x.type):
        refuse()
    valid = x.values.is_valid().to_numpy(zero_copy_only=False)
    return [fill_kernel.filled(x.values.fill_null(1).to_numpy(zero_copy_only=False), valid, value) for value in (0, 1)]


def texts_are_valid(x: Any) -> Any:
    """The text as it is, with a character cut in two, and with a byte that begins none."""
    if x.type != pa.string() or not x.count(axis=None):
        refuse()
    text = "".join(["ä", *(word or "" for word in x.values.to_pylist())]).encode()
    n = len(text)
    cases = [(text, [0, 0, 2, n]), (text, [0, 0, 1, n]), (text + b"\xff", [0, 0, 2, n + 1])]
    return [utf8.is_valid(np.frombuffer(one, np.uint8), np.array(offsets)) for one, offsets in cases]


def on_times(x: Any) -> Any:
    return x.cast(pa.timestamp("s")).dt if pa.types.is_int64(x.type) else refuse()


def on_text(x: Any) -> Any:
    return x.str if pa.types.is_string(x.type) or pa.types.is_large_string(x.type) else refuse()


def through_json(x: Any) -> Any:
    """The rows as JSON text, parsed again."""
    if x.ndim < 2 or not len(x) or not (pa.types.is_integer(x.type) or pa.types.is_boolean(x.type)):
        refuse()
    type = pa.list_(x.type)
    for _ in range(x.ndim - 2):
        type = pa.list_(type)
    return aj.from_json([json.dumps(row) for row in x.to_list()], type)


def of_length(x: Any, n: int) -> Any:
    """The items as rows of one length; some are left over."""
    items = aj.array(x.values)
    return items[: len(items) // n * n].reshape(-1, n)


def on_dates(x: Any) -> Any:
    return x.dt if pa.types.is_date(x.type) or pa.types.is_timestamp(x.type) else refuse()


GROUPS = [
    Call(lambda x: x.group_by_indices(x), lambda lists, ndim: ref.group_by_indices([lists], ndim)),
    Call(lambda x: x.group_by_indices(x, sort=True), lambda lists, ndim: ref.group_by_indices([lists], ndim, sort=True)),
    Call(
        lambda x: x.group_by_indices(x, x.is_null()),
        lambda lists, ndim: ref.group_by_indices([lists, ref.is_null(lists, ndim)], ndim),
    ),
]
COUNTS = [method("value_counts"), reduction("mode")]

METHODS = get_args(RankMethod)

EDGES = [-1.5, 0, 1, 3]

CALLS: dict[str, list[Call]] = {
    # order
    "sort": [
        *(method("sort", descending=one) for one in (False, True)),
        *(Call(lambda x, one=one: x.flatten().sort(descending=one)) for one in (False, True)),
    ],
    "argsort": [method("argsort"), method("argsort", descending=True)],
    "searchsorted": [
        Call(
            lambda x: x.sort().searchsorted(x),
            lambda lists, ndim: ref.searchsorted(Jag(ref.sort(lists, ndim), ndim), Jag(lists, ndim)),
        )
    ],
    "short_sort": [method("sort"), method("sort", descending=True), method("topk", 3)],
    "long_order": [
        method("argsort"),
        method("argsort", descending=True),
        *(method("rank", one) for one in ("ordinal", "average")),
        Call(lambda x: x.flatten().rank("dense")),
    ],
    "long_sort": [method("sort"), method("sort", descending=True), Call(lambda x: x.flatten().sort())],
    "bisect": [
        Call(
            lambda x: x.sort().searchsorted(x),
            lambda lists, ndim: ref.searchsorted(Jag(ref.sort(lists, ndim), ndim), Jag(lists, ndim)),
        ),
        Call(lambda x: x.sort().searchsorted(x, side="right")),
        Call(lambda x: aj.asof(x, x.sort())),
    ],
    "interpolate": [
        Call(lambda x, outside=outside: aj.interp(x.reverse(), x.sort().head(4), x.argsort().head(4), outside))
        for outside in ("clamp", "null")
    ],
    "short_order": [method("argsort"), method("argsort", descending=True), method("sort")],
    "short_ranks": [method("rank", name, descending=down) for name in METHODS for down in (False, True)],
    "rank": [method("rank", name, descending=down) for name in METHODS for down in (False, True)],
    "topk": [method("topk", 3), method("topk", 1)],
    "quantile": [
        *(reduction("quantile", q=q, interpolation="lower", rounds=True)._replace(same_bits=True) for q in (0.0, 0.3, 1.0)),
        Call(lambda x: x.median()),
        Call(lambda x: x.quantile(0.7)),
        Call(lambda x: x.mad()),
    ],
    "quantiles": [Call(lambda x, by=by: x.quantile([0.3, 1, 0], by)) for by in ("linear", "higher", "nearest")],
    # equal items
    "unique": [method("unique")],
    "group": GROUPS,
    "value_counts": COUNTS,
    "n_unique": [reduction("n_unique")],
    "member": [Call(in_rows, in_rows_oracle)],
    "collapsed": [
        reduction("collapse"),
        Call(lambda x: first_rows(x).collapse()),
        Call(lambda x: aj.where(x.is_null(), x, first_rows(x)).collapse()),
    ],
    "peaks": [method("local_maxima"), Call(lambda x: first_rows(x).local_maxima())],
    "combine": [set_of(name) for name in ("union", "intersection", "difference", "symmetric_difference")],
    "combined": [set_of(name) for name in ("union", "intersection", "difference", "symmetric_difference")],
    "lookup": [Call(looked_up, looked_up_oracle)],
    "edges": [
        *(method("digitize", EDGES, right=right, types=NUMBERS) for right in (False, True)),
        Call(lambda x: x.digitize(EDGES[::-1])),
        Call(lambda x: x.cut(EDGES), lambda lists, ndim: ref.map_rows(lambda row: ref.cut(row, EDGES), lists, ndim), NUMBERS),
        Call(lambda x: x.histogram(EDGES)),
    ],
    "binned": [Call(lambda x: x.histogram(5, range=(-3, 4))), Call(lambda x: x.cut(3, range=(0, 9)))],
    "drawn": [Call(lambda x: x.bootstrap(3, seed=1)), Call(lambda x: x.bootstrap(1, seed=2, axis=None))],
    "counted_slots": [Call(lambda x: x.histogram(EDGES)), Call(lambda x: x.cumcount().bincount(9))],
    "hash_row": [method("unique"), Call(in_rows, in_rows_oracle), Call(looked_up, looked_up_oracle), *GROUPS, *COUNTS],
    "in_set": [member_of(2), member_of(40)],
    "equal_item": [
        Call(got_by_key),
        Call(lambda x: got_by_key(x, -1)),
        *(Call(lambda x, one=one: x.index_of(one)) for one in (0, 1, -1)),
    ],
    "marked": [Call(got_by_key), *(Call(lambda x, one=one: x.index_of(one)) for one in (0, 1))],
    "running_total": [method("drop_nulls"), method("windows", 2)],
    "one_of": [member_of(1), member_of(2), member_of(4)],
    "replace_equal": [Call(replaced_first)],
    "compared": [
        *(Call(lambda x, ufunc=ufunc: ufunc(x, 1)) for ufunc in (np.less, np.less_equal, np.equal, np.not_equal)),
        *(Call(lambda x, ufunc=ufunc: ufunc(x, -1.0)) for ufunc in (np.greater, np.greater_equal)),
        *(Call(lambda x, ufunc=ufunc: ufunc(x, x.shift())) for ufunc in (np.less, np.equal, np.greater_equal)),
        *(Call(lambda x, ufunc=ufunc: ufunc(x) if pa.types.is_floating(x.type) else x) for ufunc in (np.isfinite, np.isinf)),
        Call(
            lambda x: x.is_nan(),
            lambda lists, ndim: ref.at_depth(lambda v: None if v is None else ref.is_nan(v), lists, ndim),
            DOUBLE,
        ),
    ],
    "rounded": [
        Call(lambda x, decimals=decimals: x.round(decimals) if pa.types.is_floating(x.type) else x) for decimals in (2, -1, 0, 10)
    ],
    "multiples": [Call(lambda x, how=how: getattr(on_times(x), how)("7s").cast("int64")) for how in ("floor", "ceil", "round")],
    "square_root": [Call(lambda x: np.sqrt(x) if pa.types.is_floating(x.type) else x)],
    # reductions and scans
    "row_reduction": [
        *(reduction(name, rounds=True)._replace(same_bits=True) for name in ("min", "max")),
        reduction("sum", rounds=True),
        reduction("n_unique")._replace(types=TEXT),
        method("unique", types=TEXT),
    ],
    "reduced": [
        *(
            Call(lambda x, name=name, n=n: getattr(of_length(x, n), name)(), rounds=True, same_bits=True)
            for name in ("sum", "mean", "prod", "min", "max", "argmax", "ptp")
            for n in (1, 3)
        ),
        *(Call(lambda x, name=name: getattr(x, name)(), rounds=True, same_bits=True) for name in ("sum", "max")),
    ],
    "long_rows": [
        *(reduction(name, rounds=True)._replace(same_bits=True) for name in ("min", "max", "argmin", "argmax")),
        method("reverse"),
        method("unique"),
    ],
    "row_sum": [reduction(name, rounds=True)._replace(same_bits=True) for name in ("sum", "mean", "var", "std")],
    "count": [
        reduction("count"),
        *(reduction(name)._replace(types=frozenset({pa.bool_()})) for name in ("any", "all", "sum", "n_unique")),
        method("unique", types=frozenset({pa.bool_()})),
        method("lengths"),
        reduction("sum", rounds=True),
    ],
    "dropped": [reduction("median", rounds=True), reduction("n_unique")],
    "flags": [
        reduction("mean", rounds=True),
        method("drop_nulls"),
        Call(lambda x: x.entropy() if pa.types.is_floating(x.type) else x.n_unique()),
    ],
    "outer": [
        *(reduction(name, axis, rounds=name != "count") for name in ("sum", "mean", "count") for axis in (0, 1)),
        *(reduction(name, axis, rounds=True)._replace(same_bits=True) for name in ("min", "max") for axis in (0, 1)),
        *(reduction(name, axis)._replace(types=frozenset({pa.bool_()})) for name in ("any", "all") for axis in (0, 1)),
    ],
    "scattered": [
        *(reduction(name, axis, rounds=True)._replace(same_bits=True) for name in ("sum", "mean", "min", "max") for axis in (0, 1))
    ],
    "integer_sum": [reduction("sum", rounds=True), reduction("mean", rounds=True)],
    "product": [reduction("prod", rounds=True)._replace(same_bits=True)],
    "extreme": [
        *(reduction(name, rounds=True)._replace(same_bits=True) for name in ("min", "max", "argmin", "argmax")),
        *(Call(lambda x, name=name: getattr(x, name)(x.shift())) for name in ("min_by", "max_by")),
        Call(lambda x: x.ptp()),
    ],
    "min_max": [Call(lambda x: x.ptp()), Call(lambda x: first_rows(x).ptp()), Call(lambda x: x.histogram(3))],
    "null_bits": [
        *(reduction(name, rounds=True)._replace(same_bits=True) for name in ("sum", "mean", "min", "max", "argmin", "argmax")),
        Call(lambda x: x.ptp()),
        Call(lambda x: x[1:].argmax()),  # whose first item may begin inside of a byte
    ],
    "select": [
        *(reduction("quantile", q=q, interpolation="lower", rounds=True)._replace(same_bits=True) for q in (0.0, 0.3, 1.0)),
        Call(lambda x: x.median()),
        Call(lambda x: x.quantile(0.7)),
    ],
    "text": [
        *(reduction(name, rounds=name != "n_unique")._replace(types=TEXT) for name in ("min", "max", "n_unique")),
        method("unique", types=TEXT),
    ],
    "few_texts": [
        *(method(name, types=TEXT) for name in ("sort", "argsort", "rank", "value_counts")),
        Call(lambda x: x.sort(descending=True), types=TEXT),
        reduction("mode")._replace(types=TEXT),
        *(Call(lambda x, name=name: getattr(x.str, name)("o"), types=TEXT) for name in ("removeprefix", "removesuffix", "split")),
        Call(lambda x: x.str.split(), types=TEXT),
        Call(lambda x: x.str.extract_all("[a-o]."), types=TEXT),
        Call(lambda x: x.str.to_number("int8", strict=False), types=TEXT),
    ],
    "running": [
        *(method(name, types=LONG) for name in ("cumsum", "cumprod")),
        *(
            Call(lambda x, name=name: getattr(x, name)(), getattr(ref, name), None, rounds=True, same_bits=True)
            for name in ("cummin", "cummax")
        ),
    ],
    "division": [
        Call(lambda x: x // 3),
        Call(lambda x: x % -0.7),
        Call(lambda x: x // x.shift()),
        Call(lambda x: x % x.shift()),
        Call(lambda x: 5 % x),
    ],
    "variance": [reduction(name, rounds=True)._replace(same_bits=True) for name in ("var", "std")],
    "central": [
        *(Call(lambda x, name=name: getattr(x, name)()) for name in ("skew", "kurtosis")),
        *(Call(lambda x, k=k: x.moment(k)) for k in (2, 3, 4, 5)),
        *(Call(lambda x, name=name: getattr(x, name)(x.shift())) for name in ("corr", "cov", "linear_fit", "cosine")),
        Call(lambda x: x.unsqueeze(-2).matmul(x.shift()) if x.ndim > 1 and pa.types.is_floating(x.type) else refuse()),
    ],
    "decay": [
        *(Call(lambda x, name=name: getattr(x.ewm(alpha=0.3), name)()) for name in ("mean", "var")),
        Call(lambda x: x.expanding().var()),
    ],
    "weights": [Call(lambda x, beta=beta: x.softmax(beta=beta)) for beta in (1.0, -0.3, 0.0)],
    "window": [
        *(
            Call(lambda x, name=f"rolling_{name}", window=window: getattr(x, name)(window))
            for name in ("sum", "mean", "min", "max", "count")
            for window in (1, 3, 4)
        ),
        *(Call(lambda x, name=name: getattr(x.rolling(3, min_periods=1), name)()) for name in ("sum", "mean", "var", "min", "max")),
        *(Call(lambda x, n=n: x.rolling(n, min_periods=1, center=True).std()) for n in (4, 9)),
        *(Call(lambda x, n=n: x.rolling(n).std(ddof=0)) for n in (1, 2, 7)),
        *(Call(lambda x, n=n: x.rolling(n, on=x.cumcount().ffill().fill_null(0)).sum()) for n in (1, 4)),
        Call(lambda x: x.rolling(3.0, center=True, on=x.cumcount().ffill().fill_null(0).cast("float64")).mean()),
    ],
    "window_quantile": [
        Call(lambda x: x.rolling(3).median()),
        Call(lambda x: x.rolling(5, min_periods=1, center=True).quantile(0.3, "lower")),
        Call(lambda x: x.rolling(3, on=x.cumcount().ffill().fill_null(0)).quantile(0.9)),
        Call(lambda x: x.expanding().median()),
    ],
    "scan": [
        *(method(name, types=LONG) for name in ("cumsum", "cumprod")),
        *(
            Call(lambda x, name=name: getattr(x, name)(), getattr(ref, name), None, rounds=True, same_bits=True)
            for name in ("cummin", "cummax")
        ),
    ],
    "shift": [method("shift", n) for n in (1, -1, 2, 5)] + [method("diff", 2, types=DOUBLE)],
    # moving values
    "take": [Call(taken_rows, lambda lists, ndim: [lists[k] for k in halves(len(lists))]), method("reverse")],
    "filter": [
        Call(kept, lambda lists, ndim: [row for k, row in enumerate(lists) if k % 3]),
        Call(lambda x: x[x.is_null()], lambda lists, ndim: ref.filter_items(Jag(lists, ndim), Jag(ref.is_null(lists, ndim), ndim))),
    ],
    "spread": [Call(first_rows, first_rows_oracle)],
    "spread_part": [
        Call(lambda x: x - x.head(1).max(axis=-1) if x.ndim > 1 else refuse()),
        Call(lambda x: x > x.head(1).max(axis=-1) if x.ndim > 1 else refuse()),
    ],
    "take_texts": [
        *(Call(lambda x, name=name: getattr(x.str, name)("a"), types=TEXT) for name in ("removeprefix", "removesuffix")),
        Call(taken_rows, lambda lists, ndim: [lists[k] for k in halves(len(lists))], types=TEXT),
        *(method(name, types=TEXT) for name in ("sort", "unique")),
        method("shift", 2, types=TEXT),
    ],
    "reverse": [method("reverse")],
    "take_rows": [
        Call(lambda x: x[..., 1:]),
        Call(lambda x: x.tail(2)),
        Call(lambda x: x[1:, :-1]),
        Call(lambda x: x[[2, 0, 1, 1], 1:3]),
        Call(lambda x: x.slice(1, 2)),
        Call(taken_rows, lambda lists, ndim: [lists[k] for k in halves(len(lists))]),
        method("shift", 1, axis=0),
    ],
    "join_rows": [
        Call(lambda x: aj.concat([x, x], axis=-1), lambda lists, ndim: ref.concat([lists, lists], ndim, ndim - 1)),
    ],
    "picked": [
        Call(lambda x: x.take(x.cumcount().ffill().fill_null(1) - 1)),
        Call(lambda x: x.take(x.cumcount().fill_null(9), out_of_bounds="null")),
        Call(lambda x: x.take(x.lengths() * 0 - 1, out_of_bounds="null") if x.ndim > 1 else refuse()),
        Call(lambda x: x.take(x.lengths() - 1) if x.ndim > 1 else refuse()),
    ],
    "joined": [
        Call(lambda x: aj.concat([x, x], axis=-1), lambda lists, ndim: ref.concat([lists, lists], ndim, ndim - 1)),
        Call(lambda x: aj.concat([x, x.head(1), x.tail(2)], axis=-1)),
        Call(lambda x: x.splice(1, 1, x.head(2)) if x.ndim > 1 else refuse()),
        Call(lambda x: x.splice(-2, 1) if x.ndim > 1 else refuse()),
        Call(lambda x: x.insert(1, x.first()) if x.ndim > 1 else refuse()),
        Call(lambda x: x.rotate(1) if x.ndim > 1 else refuse()),
    ],
    "take_runs": [
        Call(without_rows, lambda lists, _: [row if k % 3 else None for k, row in enumerate(lists)]),
        Call(merged_rows, lambda lists, _: lists),
    ],
    "copy_rows": [
        Call(lambda x: x.flatten(keep_empty=True)),
        Call(lambda x: x.flatten(x.ndim - 2, keep_empty=True) if x.ndim > 1 else refuse()),
        Call(lambda x: aj.concat([x, x.head(2)], axis=-1)),
    ],
    "copy_runs": [
        Call(without_rows, lambda lists, _: [row if k % 3 else None for k, row in enumerate(lists)]),
        Call(lambda x: x.flatten(keep_empty=True)),
    ],
    "merge_rows": [Call(merged_rows, lambda lists, ndim: lists)],
    "parents": [kernel(_offsets.parents, lambda sizes: [row for row, size in enumerate(sizes) for _ in range(size)])],
    "positions": [
        kernel(_offsets.positions, lambda sizes: [place for size in sizes for place in range(size)]),
        kernel(
            lambda offsets: _offsets.positions(offsets, 1), lambda sizes: [place + 1 for size in sizes for place in range(size)]
        ),
    ],
    "nth_items": [
        Call(lambda x: x.S[1]),
        Call(lambda x: x.S[-2]),
        Call(lambda x: x[2:].S[2**70]),
        reduction("first"),
        reduction("last"),
    ],
    "concatenate": [
        Call(lambda x: aj.concat([x, x[1:], x[:2]]), lambda lists, ndim: lists + lists[1:] + lists[:2]),
        Call(lambda x: aj.array(pa.chunked_array([x.to_arrow(), x[1:].to_arrow()])), lambda lists, ndim: lists + lists[1:]),
    ],
    "slices": [Call(lambda x: x.slice(1, 2)), Call(lambda x: x.tail(2)), Call(lambda x: x[1:, :-1]), method("head", 3)],
    "runs": [kernel(lambda offsets: _offsets.runs(np.arange(len(offsets) - 1) * 7, offsets, 3))],
    "fill": [Call(filled), reduction("sum", rounds=True), reduction("max", rounds=True)],
    "chosen": [
        Call(chosen, chosen_oracle),
        Call(lambda x: x.fill_null(1)),
        Call(lambda x: x.fill_null(0)),
        Call(lambda x: aj.where(x.is_null(), 1, x)),
        Call(lambda x: aj.where(x.is_null(), 0, 1)),
        Call(later),
        Call(filled),
    ],
    "chosen_bits": [
        Call(chosen, chosen_oracle),
        Call(lambda x: x.fill_null(1)),
        Call(lambda x: aj.where(x.is_null(), x.reverse(), x)[1:].fill_null(0)),
        Call(later),
        Call(lambda x: aj.where(x.is_null(), 0, 1)),
    ],
    "carry": [method("ffill"), method("bfill")],
    "moved_bits": [
        Call(taken_rows, lambda lists, ndim: [lists[k] for k in halves(len(lists))]),
        Call(lambda x: x.head(2), lambda lists, ndim: ref.head(lists, ndim, 2)),
        Call(lambda x: x.tail(3)),
    ],
    "spread_bits": [Call(first_rows, first_rows_oracle)],
    "bits_at": [
        Call(lambda x: x.head(2), lambda lists, ndim: ref.head(lists, ndim, 2)),
        Call(lambda x: x.S[1]),
        Call(lambda x: x[1:].S[1]),
        Call(lambda x: x.first() if x.ndim > 1 else refuse()),
        Call(lambda x: x.take(x.lengths() - 1) if x.ndim > 1 else refuse()),
    ],
    "repeat": [copied("repeat_each", count) for count in (1, 3, 9)],
    "repeat_bits": [copied("repeat_each", count) for count in (1, 3, 70)],
    "tile": [copied("tile_words", count) for count in (1, 3, 9)],
    "tile_texts": [
        Call(
            lambda x, count=count: tile.tile(x.values, count),
            lambda lists, ndim, count=count: ref.items(lists, ndim) * count,
            types=frozenset({pa.string()}),
        )
        for count in (1, 3, 9)
    ],
    "pad_items": [method("pad", 4), method("pad", 1)],
    "nth": [Call(ends, ends_oracle)],
    "are_distinct": [
        kernel(lambda offsets: [scatter.are_distinct(offsets[:0:-1], int(offsets[-1]) + 1)], lambda sizes: [0 not in sizes[1:]])
    ],
    "if_else": [Call(chosen, chosen_oracle)],
    "coalesce": [Call(lambda x: x.fill_null(x.ffill())), Call(lambda x: aj.coalesce(x, x.shift(1), x.shift(-1)))],
    "utf8": [Call(texts_are_valid, lambda lists, ndim: [True, False, False], types=frozenset({pa.string()}))],
    "map_keys": [
        *(Call(lambda x, name=name: getattr(on_dates(x), name)()) for name in ("year", "week", "day_of_year")),
        *(Call(lambda x, text=text: on_dates(x).strftime(text)) for text in ("%Y-%m-%d", "%%%I %p%M|%S.%f", "%G %R%T")),
    ],
    "function": [Call(np.abs), Call(np.floor), Call(np.sqrt), Call(np.isnan)],
    "decimals": [
        Call(lambda x: decimals(x) + decimals(x)),
        Call(lambda x: 7 - decimals(x)),
        Call(lambda x: -decimals(x)),
        Call(lambda x: abs(decimals(x))),
        Call(lambda x: decimals(x) < decimals(x).shift(1)),
        Call(lambda x: decimals(x) != 7),
    ],
    "halves": [
        Call(lambda x: as_float16(x) + 1),
        Call(lambda x: as_float16(x) * as_float16(x)),
        Call(lambda x: as_float16(x) ** 2),
        Call(lambda x: as_float16(x).cast("float32").cast("float16", safe=False)),
    ],
    "number_casts": [
        *(Call(lambda x, type=type: x.cast(type, strict=False)) for type in ("int8", "uint16", "int32", "float32", "float64")),
        Call(lambda x: (x + 1.0).cast("float16", strict=False)),
    ],
    "cast": [
        *(
            Call(lambda x, type=type: x.cast(type))
            for type in ("bool", "int8", "int64", "uint16", "uint64", "float16", "float32", "float64")
        ),
        Call(lambda x: x.cast("bool").cast("float64")),
        Call(lambda x: x + x),
        Call(lambda x: x.min()),
        Call(lambda x: x.argmax()),
        Call(lambda x: x.cummax()),
    ],
    "arithmetic": [
        Call(lambda x: x + x),
        Call(lambda x: x // 3),
        Call(lambda x: x % 3),
        Call(lambda x: x > 1),
        Call(lambda x: x / 3),
        Call(lambda x: x - x.head(1).max(axis=-1) if x.ndim > 1 else refuse()),
    ],
    "loop": [
        Call(aj.jit(lambda x: (x - x.mean()) / x.std() if x.ndim == 2 else refuse()), types=DOUBLE),
        Call(aj.jit(lambda x: (x * 2 + x).cumsum() - abs(x).sum() if x.ndim == 2 else refuse()), types=DOUBLE),
        Call(aj.jit(lambda x: (x / 3).min() if x.ndim == 2 else refuse()), types=DOUBLE),
    ],
    "expression": [
        Call(aj.jit(lambda x: (x * 2 - x).cumsum())),
        Call(aj.jit(lambda x: (aj.where(x > 1, x, x + x).max(), x.is_null().any()))),
    ],
    "combinations": [method("combinations", n) for n in (1, 2)],
    "regex": [
        *(Call(lambda x, pattern=pattern: on_text(x).match(pattern)) for pattern in ("a+", r"\w+|[^b]", "(?:.|é)?b*$")),
        Call(lambda x: on_text(x).fullmatch(r"[a-c\d]{1,2}|\s\W*")),
        Call(lambda x: on_text(x).contains(r"\D.", regex=True)),
        *(Call(lambda x, pattern=pattern: on_text(x).extract_all(pattern)) for pattern in ("[ab]", r"\w+?(b|é)?", ".")),
        Call(lambda x: on_text(x).replace("[^a]", "xy", regex=True)),
    ],
    "strings": [
        *(Call(lambda x, text=text: on_text(x).count(text)) for text in ("b", "ab", "é")),
        *(Call(lambda x, text=text: on_text(x).split(text)) for text in ("b", "ab", "é")),
        Call(lambda x: on_text(x).split("b", 1)),
        *(
            Call(lambda x, texts=texts: on_text(x).replace(*texts))
            for texts in (("b", "aé"), ("ab", ""), ("é", "漢", 1), ("a", "b"))
        ),
        *(Call(lambda x, bounds=bounds: on_text(x).slice(*bounds)) for bounds in ((1, 3), (-2, None), (None, -1), (1, None, 2))),
        *(Call(lambda x, text=text: on_text(x).contains(text)) for text in ("b", "ab", "é")),
        *(Call(lambda x, name=name: getattr(on_text(x), name)("b")) for name in ("startswith", "endswith")),
        *(Call(lambda x, text=text: on_text(x) and x.join(text)) for text in ("", "-é")),
        Call(lambda x: on_text(x).cat(x.shift(), "-é")),
        Call(lambda x: on_text(x).cat("b", "")),
        Call(lambda x: x + x.shift() if x.type in TEXT else None),
        Call(lambda x: on_text(x).cat(x.drop_nulls().max(), "")),
        Call(chosen, chosen_oracle),
        Call(lambda x: on_text(x) and [x == x.shift(), x != "b"]),
        Call(lambda x: on_text(x) and later(x)),
        Call(lambda x: on_text(x) and aj.where(x.is_null(), "é", x)),
        Call(lambda x: on_text(x) and aj.where(x.is_null(), x, "é")),
    ],
    "json": [Call(through_json, lambda lists, ndim: lists, types=frozenset({pa.int64(), pa.int8(), pa.bool_()}))],
    "text_blocks": [
        *(
            Call(lambda x, name=name: getattr(on_text(x), name)())
            for name in ("upper", "title", "islower", "len", "strip", "isalnum", "reverse")
        ),
        Call(lambda x: on_text(x).split("b")),
        Call(lambda x: on_text(x).split()),
        Call(lambda x: on_text(x).slice(1, -1)),
        Call(lambda x: on_text(x).find("b")),
        Call(lambda x: on_text(x).count("")),
        Call(lambda x: on_text(x).extract("(a)(b)?")),
        Call(lambda x: on_text(x).removeprefix("a")),
        Call(lambda x: on_text(x).replace("a+", "é", regex=True, n=1)),
    ],
    # dense arrays and transposition
    "pad": [Call(dense_of), Call(lambda x: [dense_of(x), x.to_dense(fill_value=1)]), method("pad", 4)],
    "unpad": [Call(back_from_dense, lambda lists, ndim: ref.fill_null(lists, ndim, 0.0))],
    "transpose": [turned(0, 1), turned(1, 2), turned(0, 2)],
    "digits": [turned(0, 1), turned(1, 2), turned(0, 2)],
    "columns": [turned(0, 1), turned(1, 2)],
    "take_rising": [turned(0, 1), turned(1, 2)],
    "frame": [turned(0, 1), turned(1, 2)],
}

WITH: dict[str, dict[str, Any]] = {
    "loop": {"COMPILED_VALUES": 0},
    "joined": {"join_rows": "runs"},
    "join_rows": {"joined": "arrow"},
    "picked": {"nth": "blocks"},
    "bisect": {"searchsorted": "bisect"},
    "searchsorted": {"bisect": "numpy"},  # whichever loops other tests have loaded
    "coalesce": {"if_else": "blocks"},
    "strings": {"if_else": "blocks"},
    "chosen": {"if_else": "blocks", "fill": "masks"},
    "chosen_bits": {"if_else": "blocks", "chosen": "numpy"},
    "combine": {"combined": "numpy"},
    "combined": {"combine": "blocks"},
    "compared": {"arithmetic": "blocks", "function": "blocks"},
    "square_root": {"function": "blocks"},
    "hash_row": {"unique": "hash", "member": "hash", "group": "hash", "value_counts": "hash", "lookup": "hash"},
    "long_rows": {"unique": "hash"},
    "division": {"arithmetic": "blocks"},
    "halves": {"arithmetic": "blocks", "cast": "blocks"},
    "number_casts": {"cast": "blocks"},
    "extreme": {"min_max": "each"},
    "null_bits": {"min_max": "each"},
    "fill": {"row_reduction": "numpy"},
    "select": {"quantile": "sort"},
    "short_sort": {"sort": "matrix"},
    "long_sort": {"sort": "matrix"},
    "long_order": {"argsort": "matrix"},
    "short_order": {"argsort": "pairs"},
    "short_ranks": {"rank": "pairs"},
    "one_of": {"in_set": "compare"},
    "running_total": {"COMPILED_VALUES": 0},
    "marked": {"equal_item": "numpy"},
    "spread_part": {"arithmetic": "blocks", "spread": "words"},
    "take_texts": {"take_rows": "items"},
    "bits_at": {"take": "blocks"},
    "moved_bits": {"take_rows": "runs"},
    "spread_bits": {"spread": "words"},
    "merge_rows": {"take_runs": "runs"},
    "take_runs": {"merge_rows": "blocks", "if_else": "blocks"},
    "copy_runs": {"take_runs": "runs", "copy_rows": "runs", "merge_rows": "blocks", "if_else": "blocks"},
}
"""Other choices that must be forced so that an operation is reached."""

ONLY = {"combinations": ["int64", "double", "double null rows", "int64 three dims", "int64 no rows"]}
"""Columns of operations whose results are large."""


def bits(found: Any) -> Any:
    """A result as nested lists in which -0.0 and 0.0 differ, and all NaN are one."""
    if isinstance(found, aj.JaggedArray):
        return repr((found.type, found.shape.extents, found.to_list()))
    if isinstance(found, np.ndarray):
        return repr((found.dtype, found.tolist()))
    if isinstance(found, pa.Array):
        found.validate(full=True)
        return repr((found.type, found.to_pylist()))
    return repr([bits(one) for one in found]) if isinstance(found, list | tuple) else repr(found)


def plain(found: Any) -> Any:
    if isinstance(found, aj.JaggedArray):
        found.to_arrow(extension=False).validate(full=True)
        return found.to_list()
    if isinstance(found, pa.Scalar):
        return found.as_py()
    if isinstance(found, pa.Array | np.ndarray):
        return found.to_pylist() if isinstance(found, pa.Array) else found.tolist()
    return [plain(one) for one in found] if isinstance(found, list) else found


def outcome(call: Call, column: Column) -> Any:
    """The result, or the error as text."""
    try:
        return call.ours(column.array)
    except (JagError, pa.ArrowException) as error:
        return f"{type(error).__name__}: {error}"


@cache
def natural(operation: str, place: int, name: str) -> Any:
    """The results of the strategies that the rules choose, compared with the oracle once."""
    call, column = CALLS[operation][place], columns()[name]
    found = outcome(call, column)
    if call.oracle is not None and not isinstance(found, str) and (call.types is None or column.type in call.types):
        tolerance = {pa.float16(): 2e-3, pa.float32(): 1e-5}.get(column.type, 1e-9)
        if not (call.rounds and 1e300 in ref.items(column.lists, column.ndim)):  # overflows or rounds in floats
            assert_lists_equal(plain(found), call.oracle(column.lists, column.ndim), rel_tol=tolerance, abs_tol=1e-12)
    return found


def agree(call: Call, found: Any, wanted: Any, column: Column) -> None:
    if isinstance(wanted, str) or isinstance(found, str):
        assert isinstance(wanted, str), found
        assert isinstance(found, str), wanted
        assert found.split(":")[0] == wanted.split(":")[0]
    elif call.rounds and not call.same_bits:
        assert_lists_equal(plain(found), plain(wanted), rel_tol=2e-3 if column.type == pa.float16() else 1e-6)
    else:
        assert bits(found) == bits(wanted)


def labels(operation: str, name: str) -> list[str]:
    """The columns of an operation, those with few leaf types where each type is compiled by itself."""
    found = list(ONLY.get(operation, columns()))
    if name != "compiled" or PROFILE not in ("cover", "quick", "whole"):
        return found
    others = [label for label in found if columns()[label].type not in COMPILED_TYPES]
    another = others[zlib.crc32(operation.encode()) % len(others)] if others and PROFILE == "whole" else None
    return [label for label in found if label == another or columns()[label].type in COMPILED_TYPES]


STRATEGIES = [(operation, name) for operation, choice in strategy.CHOICES.items() for name in choice.strategies]


@pytest.mark.parametrize(("operation", "name"), STRATEGIES)
def test_all_strategies_return_equal_results(operation: str, name: str) -> None:
    if name == "compiled" or operation == "loop":  # only where there is a compiler does a call ask whether to compile loops
        pytest.importorskip("numba")
    if name == "polars":
        pytest.importorskip("polars")
    calls = CALLS.get(operation)
    assert calls, f"{operation}: add calls that reach it to CALLS in tests/kernels/test_strategies.py"
    taken: Counter[tuple[str, str]] = Counter()
    failed = []
    for place, call in enumerate(calls):
        worked = False
        for label in labels(operation, name):
            wanted = natural(operation, place, label)
            worked |= not isinstance(wanted, str)
            for sizes in SIZES:
                always = {"COMPILED_VALUES": 0} if name == "compiled" else {}
                forced = {**WITH.get(operation, {}), **sizes, **always, operation: name}
                with (
                    options(compile="always" if always else "never" if operation == "loop" else "auto"),
                    strategy.force(**forced) as now,
                ):
                    found = outcome(call, columns()[label])
                taken += now
                try:
                    agree(call, found, wanted, columns()[label])
                except AssertionError as error:
                    failed.append(f"call {place} of {label}{' in small blocks' if sizes else ''}: {str(error)[:300]}")
        assert worked, f"call {place} of {operation} fails on every column: {wanted}"
    assert not failed, "\n".join([f"{len(failed)} results differ", *failed[:5]])
    assert taken[operation, name], f"{operation}: no column of tests/kernels/ugly.py reaches the strategy {name}"


def test_calls_are_of_operations() -> None:
    assert not CALLS.keys() - strategy.CHOICES.keys()


def test_a_forced_strategy_ends_with_the_block() -> None:
    before = strategy.sizes.SORT_BLOCK
    with strategy.force(argsort="matrix", SORT_BLOCK=7):
        with strategy.force(rank="sort"):
            assert strategy.choose("argsort", np.arange(0, 20_001, 10)) == "matrix"
        assert strategy.sizes.SORT_BLOCK == 7
    assert before == strategy.sizes.SORT_BLOCK
    assert strategy.choose("argsort", np.arange(0, 20_001, 10)) == "pairs"


@pytest.mark.parametrize("wrong", [{"argsort": "spam"}, {"spam": "pairs"}, {"SPAM": 3}, {"argsort": 3}])
def test_unknown_strategies_and_sizes_cannot_be_forced(wrong: dict[str, Any]) -> None:
    with pytest.raises(aj.JagValueError, match="force: there is no"), strategy.force(**wrong):
        pass
