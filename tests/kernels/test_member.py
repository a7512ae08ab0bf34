"""Membership in one set: by comparison, table and hashes alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arrowjag._kernels.equal import members
from arrowjag._kernels.equal.members import is_member

TYPES = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]


def found(data, known):
    return np.unpackbits(is_member(data, known), bitorder="little", count=len(data)).tolist()


@given(st.data())
def test_membership_equals_python(draw):
    dtype = draw.draw(st.sampled_from([*TYPES, *FLOATS]))
    data = draw.draw(hnp.arrays(dtype, st.integers(0, 30)))
    others = draw.draw(hnp.arrays(dtype, st.integers(0, 20)))
    known = draw.draw(st.permutations(data.tolist())) if len(data) else []
    known = np.concatenate([np.array(known[: len(known) // 2], dtype), others])
    expected = [any(one == other or (np.isnan(one) and np.isnan(other)) for other in known.tolist()) for one in data.tolist()]
    assert found(data, known) == expected


@pytest.mark.parametrize("dtype", [np.int64, np.uint32, np.float64, np.float32])
@pytest.mark.parametrize("factor", [1, 50_000])
@pytest.mark.parametrize("n_known", [3, 100, 20_000])
def test_over_many_blocks(dtype, factor, n_known):
    draw = np.random.default_rng(0)
    data = draw.integers(0, 40_000, 300_001).astype(dtype) * dtype(factor)
    known = draw.integers(0, 40_000, n_known).astype(dtype) * dtype(factor)
    assert found(data, known) == np.isin(data, known).astype(int).tolist()


def test_nan_of_any_bits_and_both_zeros():
    nans = np.array([0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001], np.uint64).view(np.float64)
    for extra in (2, 20):
        known = np.concatenate([nans[:1], [-0.0], np.arange(1.0, extra)])
        assert found(np.concatenate([nans, [0.0, -0.0, np.inf]]), known) == [1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("ends", [(-(2**62), 2**62), (-(2**63), 2**63 - 1), (2**62, 2**62 + 8)])
def test_a_table_is_as_long_as_the_range_of_the_set(ends):
    """Numbers far apart ask for no table, however close to 0 their sum is."""
    known = np.array([ends[0], *range(ends[0] + 1, ends[0] + 8), ends[1]], np.int64)
    data = np.array([ends[0], 0, ends[0] + 7, ends[1] - 1, ends[1]], np.int64)
    assert found(data, known) == np.isin(data, known).astype(int).tolist()


def test_replacing_a_number_that_does_not_occur_gives_none() -> None:
    data = np.array([1, 2, 1])
    assert members.replace_equal(data, 3, 4) is None
    found = members.replace_equal(data, 1, 4)
    assert found is not None
    assert (found.tolist(), data.tolist()) == ([4, 2, 4], [1, 2, 1])
