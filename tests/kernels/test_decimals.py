"""Sums, differences and magnitudes of decimals against Python's integers."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels.elementwise import decimals
from tests.compiled_calls import forced

LIMIT = 10**38 - 1
INTEGERS = st.integers(-LIMIT // 2, LIMIT // 2) | st.sampled_from([0, 1, -1, 2**64 - 1, 2**64, -(2**64), -(2**64) - 1, 2**63])
TYPE = pa.decimal128(38, 0)


@pytest.fixture(params=["numpy", "compiled", "compiled in blocks"], autouse=True)
def by(request):
    sizes = {"LIGHT_BYTES": 0, "PASS_VALUES": 3} if "blocks" in request.param else {}
    with forced(request.param.split()[0], "decimals", **sizes):
        yield


def pairs(integers):
    with decimal.localcontext(prec=40):
        return decimals.pairs_of(pa.array([decimal.Decimal(0), *map(decimal.Decimal, integers)], TYPE).slice(1))


def integers_of(data):
    return [int(one) for one in pa.Array.from_buffers(TYPE, len(data), [None, pa.py_buffer(data)]).to_pylist()]


@given(st.lists(st.tuples(INTEGERS, INTEGERS), min_size=1, max_size=8))
def test_sums_and_differences(rows):
    one, two = zip(*rows, strict=True)
    n = len(rows)
    assert integers_of(decimals.add(pairs(one), pairs(two), n)) == [a + b for a, b in rows]
    assert integers_of(decimals.add(pairs(one), pairs(two), n, subtracts=True)) == [a - b for a, b in rows]
    assert integers_of(decimals.add(pairs(one), decimals.pair_of(two[0]), n)) == [a + two[0] for a in one]
    assert integers_of(decimals.add(decimals.pair_of(one[0]), pairs(two), n, subtracts=True)) == [one[0] - b for b in two]
    assert integers_of(decimals.absolute(pairs(one))) == [abs(a) for a in one]


def test_no_items():
    none = np.zeros((0, 2), np.uint64)
    assert len(decimals.add(none, decimals.pair_of(1), 0)) == len(decimals.absolute(none)) == 0
