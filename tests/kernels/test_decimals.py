"""Sums, differences, magnitudes and comparisons of decimals against Python's integers."""

from __future__ import annotations

import decimal
import operator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise import decimals
from tests.compiled_calls import forced

LIMIT = 10**38 - 1
INTEGERS = st.integers(-LIMIT // 2, LIMIT // 2) | st.sampled_from([0, 1, -1, 2**64 - 1, 2**64, -(2**64), -(2**64) - 1, 2**63])
TYPE = pa.decimal128(38, 0)

COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


@pytest.fixture(params=["numpy", "compiled", "compiled in blocks"], autouse=True)
def by(request):
    sizes = {"LIGHT_BYTES": 0, "PASS_VALUES": 8} if "blocks" in request.param else {}
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


@given(st.lists(st.tuples(INTEGERS, INTEGERS), min_size=1, max_size=20))
def test_comparisons(rows):
    n, rows = len(rows), [(a, a) if k % 3 == 0 else (a, b) for k, (a, b) in enumerate(rows)]
    one, two = zip(*rows, strict=True)
    beside = [(one, two), (one, two[:1] * n), (one[:1] * n, two)]
    sides = [(pairs(one), pairs(two)), (pairs(one), decimals.pair_of(two[0])), (decimals.pair_of(one[0]), pairs(two))]
    for name, compare in COMPARISONS.items():
        for whole, taken in zip(beside, sides, strict=True):
            found = decimals.compare(name, *taken, n)
            if found is None:
                assert aj.options.compile == "never"
                continue
            expected = [compare(a, b) for a, b in zip(*whole, strict=True)]
            assert np.unpackbits(found, bitorder="little", count=n).tolist() == expected


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


@pytest.mark.parametrize("type", [pa.decimal32(9, 2), pa.decimal64(18, 2), pa.decimal128(38, 22), pa.decimal256(76, 2)], ids=str)
def test_doubles_of_every_width_are_those_of_text(type):
    most = 10**type.precision - 1
    ends = [
        0,
        35,
        -35,
        2**53,
        -(2**53),
        2**53 + 1,
        -(2**53) - 1,
        2**63,
        -(2**63) - 1,
        2**64 + 1,
        2**128,
        -(2**128) + 1,
        most,
        -most,
    ]
    with decimal.localcontext(prec=80):
        items = [decimal.Decimal(one).scaleb(-type.scale) for one in ends if abs(one) <= most]
    values = pa.array([None, *items, None, *items], type).slice(1)
    expected = [None if one is None else float(str(one)) for one in values.to_pylist()]
    with strategy.force(WORD_VALUES=3):
        found = decimals.to_doubles(values)
    assert found.to_pylist() == expected


def test_decimals_of_256_bits_need_no_text(monkeypatch):
    values = pa.array([decimal.Decimal("0.35"), None, decimal.Decimal("-7.5")], pa.decimal256(76, 2))
    monkeypatch.setattr(pa, "large_string", pa.null)  # as which no cast reads them
    assert decimals.to_doubles(values).to_pylist() == [0.35, None, -7.5]


def test_integers_of_many_blocks() -> None:
    numbers = pa.array(range(-500, 500), pa.int64(), mask=np.arange(1000) % 7 == 0)
    values = numbers.cast(pa.decimal128(21, 2))
    for part in (slice(None), slice(3, 990)):
        with strategy.force(cast="blocks", LIGHT_BYTES=0, PASS_VALUES=64, WORD_VALUES=24):
            found = decimals.to_integers(values[part], pa.int16())
        assert found is not None
        assert found.equals(numbers[part].cast(pa.int16()))
