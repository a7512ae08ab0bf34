"""Whole rows of every fixed-width type, against Python lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.move import join, merge
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
    present = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), bool)
    asked = np.where(present, np.array(rows, np.int64), 10**9)  # what stands where nothing is wanted is not looked at
    some = merge.take_spans(values, offsets, asked, present)
    assert some[1].to_pylist() == [
        one for row, there in zip(rows, present, strict=True) if there for one in plain_row(values, offsets, row)
    ]
    assert np.diff(some[0]).tolist() == [sizes[row] if there else 0 for row, there in zip(rows, present, strict=True)]
    new, taken = merge.take_spans(values, offsets, np.array(rows, np.int64))
    taken.validate(full=True)
    assert taken.type == type
    assert [taken.to_pylist()[new[k] : new[k + 1]] for k in range(len(rows))] == [plain_row(values, offsets, row) for row in rows]


@pytest.mark.parametrize("type", SAMPLES, ids=str)
@given(data=st.data())
def test_join_rows(type, data):
    n_rows, parts, offsets = data.draw(st.integers(0, 5)), [], []
    for _ in range(data.draw(st.integers(1, 3))):
        sizes = data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
        skip, n = data.draw(st.integers(0, 9)), sum(sizes)
        leaves = st.sampled_from([*SAMPLES[type], None]) if data.draw(st.booleans()) else st.sampled_from(SAMPLES[type])
        parts.append(pa.array(data.draw(st.lists(leaves, min_size=n + skip, max_size=n + skip)), type)[skip:])
        offsets.append(from_sizes(np.array(sizes, np.int64)))
    with strategy.force(joined=data.draw(st.sampled_from(["small", "arrow"]))):
        cuts, joined = join.join_rows(parts, offsets)
    joined.validate(full=True)
    assert joined.type == type
    assert cuts.tolist() == np.sum(offsets, axis=0).tolist()
    pairs = list(zip(parts, offsets, strict=True))
    assert joined.to_pylist() == [one for row in range(n_rows) for part, cuts in pairs for one in plain_row(part, cuts, row)]


def plain_row(values, offsets, row):
    return values.to_pylist()[offsets[row] : offsets[row + 1]]


def test_it_pays_for_many_long_rows_of_words_and_for_few_values():
    assert merge.pays_rows(pa.float64(), 10_000, 100_000, 10_000)
    assert not merge.pays_rows(pa.float64(), 100_000, 100_000, 100_000)
    assert not merge.pays_rows(pa.float64(), 10_000, 100_000, 1)
    assert merge.pays_rows(pa.float64(), 1, 10, 1)
    assert not merge.pays_rows(pa.float64(), 1, 0, 1)
    assert not merge.pays_rows(pa.string(), 10_000, 100_000, 10_000)


@pytest.mark.parametrize("type", [pa.int32(), pa.bool_(), pa.string()], ids=str)
@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("null_rows", [False, True])
def test_rows_and_joins_as_item_by_item(type, uniform, null_rows, monkeypatch):
    rng = np.random.default_rng(0)
    keep = rng.random(3000) >= (0.1 if null_rows else 0)
    sizes = np.where(keep, 9, 0) if uniform else np.where(keep, rng.integers(0, 30, 3000), 0)
    n = int(sizes.sum())
    leaves = pa.array(rng.integers(0, 2, n), mask=rng.random(n) < 0.1).cast(type)
    rows = aj.dims.Ragged(sizes.tolist()).with_validity(keep).with_extent(9 if uniform else None)
    shape = aj.JaggedShape(len(sizes), rows)
    x, y = aj.JaggedArray(shape, leaves), aj.JaggedArray(shape, leaves[::-1])
    rows = rng.integers(0, len(sizes), 4000)
    maybe = aj.array([None, *rng.integers(0, 3300, 4000).tolist()])
    pairs = aj.stack([x, y], axis=1)
    slots = aj.array(rng.integers(0, 3, len(x)))

    def results():
        return [
            x[rows],
            x[x.lengths() > 5],
            aj.concat([x, y, x], axis=1),
            x.unsqueeze(0)[np.array([0, 0])],
            x.reverse(axis=0),
            x.take(maybe, axis=0, out_of_bounds="null"),
            x.fill_null_rows(y.reverse(axis=0)),
            x.fill_null_rows(aj.zeros(9, type=type) if type != pa.string() else aj.array(["a", None])),
            x.pad(3100, axis=0),
            pairs[rows],
            pairs.take(slots, axis=1, out_of_bounds="null"),
        ]

    with strategy.force(ONE_PASS_VALUES=0):
        fast = results()
    with strategy.force(take_rows="items"):
        slow = results()
    for one, two in zip(fast, slow, strict=True):
        assert one.equals(two)
        assert one.shape.extents == two.shape.extents
        assert one.type == two.type
