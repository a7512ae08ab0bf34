"""Operations of whole rows run on blocks of rows: the same results, types and errors as on all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagError
from arrowjag.testing import assert_equal, jagged_arrays


def as_times(x: aj.JaggedArray) -> aj.JaggedArray:
    """Times of some days, from numbers that may lie beyond them."""
    return (x.nan_to_null().clip(0, 30_000).cast(pa.int64()) * 99_999_999_937).cast(pa.timestamp("us"))


OPERATIONS: dict[str, Callable[[aj.JaggedArray], aj.JaggedArray]] = {
    "bincount": lambda x: x.nan_to_null().cast(pa.int64()).bincount(23),
    "bootstrap": lambda x: x.bootstrap(3, seed=1),
    "cdf": lambda x: x.cdf(),
    "corr": lambda x: x.corr(x.reverse()),
    "cut": lambda x: x.cut([0, 1, 4, 20]),
    "diff": lambda x: x.diff(),
    "diff forwards": lambda x: x.diff(-2),
    "date": lambda x: as_times(x).dt.date(),
    "ewm_var": lambda x: x.ewm_var(alpha=0.5),
    "expanding mean": lambda x: x.expanding().mean(),
    "expanding std": lambda x: x.expanding().std(),
    "gaps": lambda x: x.gaps(),
    "hour": lambda x: as_times(x).dt.hour(),
    "local_maxima": lambda x: x.local_maxima(),
    "max_by": lambda x: x.max_by(x.reverse()),
    "mode": lambda x: x.mode(),
    "pad": lambda x: x.pad(3),
    "pct_change": lambda x: x.pct_change(),
    "pct_change forwards": lambda x: x.pct_change(-2),
    "quantile by weights": lambda x: x.quantile(0.5, weights=x.abs()),
    "quantiles by weights": lambda x: x.quantile([0.1, 0.9], weights=x.abs()),
    "rank as shares": lambda x: x.rank(pct=True),
    "replace several": lambda x: x.replace([0, 1, 2], [1, 5, 0]),
    "resample": lambda x: aj.resample(x, x, 2),
    "rolling first": lambda x: x.rolling(3, min_periods=1).first(),
    "rolling max": lambda x: x.rolling(3, center=True).max(),
    "rolling mean": lambda x: x.rolling(3, min_periods=2).mean(),
    "rolling median": lambda x: x.rolling(3).median(),
    "strftime": lambda x: as_times(x).dt.strftime("%j"),
    "rolling by time": lambda x: x.fill_null(0).rolling(2, on=x.fill_null(0).sort()).sum(),
}


def outcome(call: Callable[[], Any]) -> Any:
    """An array, or a scalar or an error as text."""
    try:
        found = call()
    except JagError as error:
        return type(error), str(error)
    return found if isinstance(found, aj.JaggedArray) else repr(found)


@pytest.mark.parametrize("name", OPERATIONS)
@given(st.data())
def test_blocks_of_few_rows_give_what_all_rows_give(name: str, data: st.DataObject) -> None:
    ndim, leaf = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([pa.float64(), pa.int16(), pa.uint64(), pa.float32()]))
    x = data.draw(jagged_arrays(ndim, leaf))
    expected = outcome(lambda: OPERATIONS[name](x))
    with strategy.force(THREAD_VALUES=1, CACHE_VALUES=4, PASS_VALUES=8, ROWS=2, RUNS_BLOCK=4):
        found = outcome(lambda: OPERATIONS[name](x))
    assert_same(found, expected)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("leaf", [pa.float64(), pa.int16()], ids=str)
@pytest.mark.parametrize("nulls", [False, True])
def test_many_blocks_give_what_all_rows_give(name: str, leaf: pa.DataType, nulls: bool) -> None:
    draw = np.random.default_rng(7)
    cuts = np.append(0, draw.integers(0, 6, 40).cumsum())
    items = pa.array(draw.permutation(int(cuts[-1])) % 23, leaf, mask=draw.random(cuts[-1]) < 0.2 if nulls else None)
    if leaf == pa.float64():
        items = pc.if_else(pc.greater(items, 12), float("nan"), items)
    x = aj.from_arrow(pa.LargeListArray.from_arrays(cuts, items))
    with aj.options(compile="always" if name == "max_by" else "never"):
        expected = outcome(lambda: OPERATIONS[name](x))
        blocks = {"CACHE_VALUES": 4, "PASS_VALUES": 8, "ROWS": 2, "RUNS_BLOCK": 4, "PAIRS_BLOCK": 4}
        with strategy.force(THREAD_VALUES=1, SMALL_VALUES=0, COMPILED_VALUES=0, CALL_VALUES=0, **blocks):
            assert_same(outcome(lambda: OPERATIONS[name](x)), expected)


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, aj.JaggedArray):
        assert_equal(found, expected)
    else:
        assert found == expected


LEAVES = [pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.decimal128(20, 2), pa.string(), pa.date32()]

MOVES: dict[str, Callable[[aj.JaggedArray, aj.JaggedArray], aj.JaggedArray]] = {
    "cartesian": lambda x, y: aj.cartesian(a=x, b=y),
    "argcartesian": lambda x, y: aj.argcartesian(a=x, b=y, nested=True),
    "combinations": lambda x, y: x.combinations(2),
    "argcombinations": lambda x, y: x.argcombinations(3),
    "difference": lambda x, y: x.difference(y),
    "intersection": lambda x, y: x.intersection(y),
    "pairs": lambda x, y: x.pairs(y),
    "rle": lambda x, y: x.rle(),
    "sample": lambda x, y: x.sample(n=2, seed=5),
    "scatter": lambda x, y: x.set(x.image(), x.reverse()),
    "shift": lambda x, y: x.shift(),
    "shift forwards": lambda x, y: x.shift(-2),
    "shuffle": lambda x, y: x.shuffle(5),
    "symmetric_difference": lambda x, y: x.symmetric_difference(y),
    "union": lambda x, y: x.union(y),
    "zip": lambda x, y: aj.zip(a=x, b=y, pad=True),
}


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("name", MOVES)
@given(st.data())
def test_items_moved_in_blocks(name: str, size: int, data: st.DataObject) -> None:
    """With nulls at each level, empty rows, slices and chunks, of every kind of leaf."""
    ndim, leaf = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(LEAVES))
    x, y = (data.draw(jagged_arrays(ndim, leaf)) for _ in range(2))
    y = y.take([row % len(y) for row in range(len(x))], axis=0) if len(y) else x.reverse()
    expected = outcome(lambda: MOVES[name](x, y))
    with strategy.force(
        CALL_VALUES=0, SMALL_VALUES=0, **dict.fromkeys(BLOCKS, size), HUGE=4 * size, LIGHT_BYTES=size, COMBINATION_ITEMS=0
    ):
        found = outcome(lambda: MOVES[name](x, y))
    if isinstance(expected, aj.JaggedArray):
        assert_equal(found, expected)
    else:
        assert found == expected


BLOCKS = (
    "THREAD_VALUES",
    "CACHE_VALUES",
    "RUNS_BLOCK",
    "PAIRS_BLOCK",
    "SORT_BLOCK",
    "PASS_VALUES",
    "WORD_VALUES",
    "ROWS",
    "BATCH_VALUES",
)


@pytest.mark.parametrize("n", [0, 1, 4999, 5000, 5001])
def test_numbers_in_blocks(n: int) -> None:
    with strategy.force(PASS_VALUES=1000):
        assert aj.arange(n, start=-7).values.to_pylist() == list(range(-7, n - 7))
        assert aj.arange(n).values.to_pylist() == list(range(n))


FALLING = aj.array([[1, 2], [3], [], [2**64 - 1, 1], [4]], type=pa.uint64())
"""Of the fourth row the difference and the sum overflow, and it falls."""


@pytest.mark.parametrize(
    "call",
    [lambda x: x.diff(), lambda x: x.rolling(2, min_periods=1).sum(), lambda x: x.rolling(2, on=x).sum()],
    ids=["diff", "sum", "by time"],
)
def test_errors_name_the_row_among_all(call: Callable[[aj.JaggedArray], aj.JaggedArray]) -> None:
    with strategy.force(THREAD_VALUES=1, CACHE_VALUES=2), pytest.raises(JagError, match="row 3") as caught:
        call(FALLING)
    assert caught.value.__context__ is None  # tracebacks show no row of a block
