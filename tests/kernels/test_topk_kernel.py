"""The first items of an order are the same whether or not the other items are sorted too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.base.offsets import from_sizes, runs
from arrowjag._kernels.order import rank, sort
from tests.kernels.rows import many_rows, rows


def check(case, counts, descending):
    counts = np.minimum(counts, np.diff(case.offsets))
    expected = sort.argsort(case.data, case.valid, case.offsets, descending)[runs(case.offsets[:-1], from_sizes(counts))]
    found = rank.candidates((case.data, case.valid), case.offsets, counts, descending)
    assert found is not None
    items, cuts = found
    assert (np.diff(items) > 0).all()
    valid = None if case.valid is None else case.valid[items]
    order = sort.argsort(case.data[items], valid, cuts, descending)[runs(cuts[:-1], from_sizes(counts))]
    assert np.array_equal(items[order], expected)
    return len(items)


@given(rows(), st.booleans(), st.data())
def test_few_of_each_row(case, descending, data):
    counts = data.draw(st.lists(st.integers(0, 9), min_size=len(case.lists), max_size=len(case.lists)))
    with strategy.force(TOPK_VALUES=0, TOPK_SEGMENT=2, TOPK_SHARE=data.draw(st.integers(0, 2))):
        if rank.candidates((case.data, case.valid), case.offsets, np.array(counts, np.int64), descending) is not None:
            check(case, np.array(counts, np.int64), descending)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["bool", "int32", "uint64", "float16", "float64"])
def test_long_rows_among_others(dtype, descending):
    case = many_rows(dtype, nulls=True)
    long = case._replace(
        data=case.data[case.offsets[50_000] :],
        valid=case.valid[case.offsets[50_000] :],
        offsets=case.offsets[50_000:] - case.offsets[50_000],
    )
    assert check(long, np.full(len(long.offsets) - 1, 3), descending) < len(long.data) / 2
