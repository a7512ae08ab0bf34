"""Whole rows of every type that is words, against Python lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import spans as kernel
from arrowjag._kernels.offsets import from_sizes
from tests.kernels.test_scatter import SAMPLES


@pytest.mark.parametrize("type", SAMPLES, ids=str)
@given(data=st.data())
def test_take_spans(type, data):
    sizes = data.draw(st.lists(st.integers(0, 3), max_size=7))
    skip, n = data.draw(st.integers(0, 9)), sum(sizes)
    leaves = st.sampled_from([*SAMPLES[type], None]) if data.draw(st.booleans()) else st.sampled_from(SAMPLES[type])
    values = pa.array(data.draw(st.lists(leaves, min_size=n + skip, max_size=n + skip)), type)[skip:]
    rows = data.draw(st.lists(st.integers(0, len(sizes) - 1), max_size=9)) if sizes else []
    offsets = from_sizes(np.array(sizes, np.int64))
    new, taken = kernel.take_spans(values, offsets, np.array(rows, np.int64))
    taken.validate(full=True)
    plain = values.to_pylist()
    assert taken.type == type
    assert [taken.to_pylist()[new[k] : new[k + 1]] for k in range(len(rows))] == [
        plain[offsets[row] : offsets[row + 1]] for row in rows
    ]


def test_it_pays_for_many_long_rows_of_words():
    assert kernel.pays(pa.float64(), 10_000, 100_000, 10_000)
    assert not kernel.pays(pa.float64(), 100_000, 100_000, 100_000)
    assert not kernel.pays(pa.float64(), 10_000, 100_000, 1)
    assert not kernel.pays(pa.float64(), 1, 10, 1)
    assert not kernel.pays(pa.string(), 10_000, 100_000, 10_000)


@pytest.mark.parametrize("type", [pa.int32(), pa.bool_(), pa.string()], ids=str)
@pytest.mark.parametrize("uniform", [False, True])
def test_rows_and_joins_as_item_by_item(type, uniform, monkeypatch):
    rng = np.random.default_rng(0)
    sizes = np.full(3000, 9) if uniform else rng.integers(0, 30, 3000)
    n = int(sizes.sum())
    leaves = pa.array(rng.integers(0, 2, n), mask=rng.random(n) < 0.1).cast(type)
    shape = aj.JaggedShape(len(sizes), 9 if uniform else sizes.tolist())
    x, y = aj.JaggedArray(shape, leaves), aj.JaggedArray(shape, leaves[::-1])
    rows = rng.integers(0, len(sizes), 4000)

    def results():
        return [x[rows], x[x.count() > 5], aj.concat([x, y, x], axis=1), x.unsqueeze(0)[np.array([0, 0])], x.reverse(axis=0)]

    fast = results()
    monkeypatch.setattr(kernel, "pays", lambda *_: False)
    for one, two in zip(fast, results(), strict=True):
        assert one.equals(two)
        assert one.shape.extents == two.shape.extents
        assert one.type == two.type
