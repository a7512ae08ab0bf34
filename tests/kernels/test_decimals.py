"""Sums, differences and magnitudes of decimals against Python's integers."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
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


@pytest.mark.parametrize("scale", [0, 2, 18, 19, -1])
@pytest.mark.parametrize("type", [pa.int8(), pa.uint8(), pa.int32(), pa.int64(), pa.uint64()], ids=str)
def test_integers_as_arrow_casts_and_none_where_one_does_not_fit(type, scale):
    ends = np.iinfo(type.to_pandas_dtype())
    numbers = [0, 1, -1, 7, 9, ends.min, ends.max, ends.min - 1, ends.max + 1, 2**63 - 1, 2**63, 10**18, 9.5, 2**70]
    for number in numbers:
        with decimal.localcontext(prec=40):
            units = [int(decimal.Decimal(one).scaleb(scale)) for one in (5, number, 0, 3)]
        if max(map(abs, units)) > LIMIT:
            continue
        whole = pa.array([decimal.Decimal(one) for one in units], TYPE)
        buffers = [pa.py_buffer(np.array([0b1011], np.uint8)), whole.buffers()[1]]
        values = pa.Array.from_buffers(pa.decimal128(38, scale), 4, buffers).slice(1)
        with strategy.force(cast="blocks", WORD_VALUES=2):
            found = decimals.to_integers(values, type)
        try:
            expected = values.cast(type)
        except pa.ArrowInvalid:
            assert found is None
            continue
        assert (found is not None) == (0 <= scale <= 18 and -(2**63) <= units[1] < 2**63)
        assert found is None or found.equals(expected)
    with strategy.force(cast="whole"):
        assert decimals.to_integers(values, type) is None
    assert decimals.to_integers(values.slice(0, 0), type) is None
