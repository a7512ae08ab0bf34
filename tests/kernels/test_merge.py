"""Plain values of every type woven, repeated, chosen and padded, against Python lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.move import merge as kernel
from tests.kernels.test_scatter import SAMPLES

TYPES = pytest.mark.parametrize("type", SAMPLES, ids=str)


def drawn(data, type, n):
    """Values that begin somewhere in a buffer, with nulls or without."""
    skip = data.draw(st.integers(0, 9))
    leaves = st.sampled_from([*SAMPLES[type], None] if data.draw(st.booleans()) else SAMPLES[type])
    return pa.array(data.draw(st.lists(leaves, min_size=n + skip, max_size=n + skip)), type)[skip:]


def check(got, type, expected):
    got.validate(full=True)
    assert (got.to_pylist(), got.type) == (expected, type)


@TYPES
@given(data=st.data())
def test_weave(type, data):
    n, count = data.draw(st.integers(0, 9)), data.draw(st.integers(1, 3))
    parts = [drawn(data, type, n) for _ in range(count)]
    check(kernel.weave(parts), type, [one for row in zip(*(part.to_pylist() for part in parts), strict=True) for one in row])


@TYPES
@given(data=st.data())
def test_repeat_and_tile(type, data):
    values, count = drawn(data, type, data.draw(st.integers(0, 6))), data.draw(st.integers(0, 3))
    check(kernel.repeat_each(values, count), type, [one for one in values.to_pylist() for _ in range(count)])
    check(kernel.tile(values, count), type, values.to_pylist() * count)


@TYPES
@given(data=st.data())
def test_pad_rows(type, data):
    sizes = np.array(data.draw(st.lists(st.integers(0, 4), max_size=6)), np.int64)
    wider = np.full(len(sizes), 4) if data.draw(st.booleans()) else sizes + data.draw(st.integers(0, 2))
    values = drawn(data, type, int(sizes.sum()))
    fill = data.draw(st.sampled_from([None, pa.array([SAMPLES[type][1]], type), pa.nulls(1, type)]))
    cuts = from_sizes(sizes)
    filler = None if fill is None else fill[0].as_py()
    plain = values.to_pylist()
    expected = []
    for row, size in enumerate(wider):
        expected += plain[cuts[row] : cuts[row + 1]] + [filler] * int(size - sizes[row])
    check(kernel.pad_rows(values, cuts, from_sizes(wider), fill), type, expected)


@pytest.mark.parametrize("type", [pa.int8(), pa.float64(), pa.bool_(), pa.decimal128(20)], ids=str)
@pytest.mark.parametrize(("n", "count"), [(1, 300_000), (3, 100_000), (70_000, 4), (70_001, 5), (9_001, 64), (5_001, 65)])
def test_repeat_and_tile_in_blocks(type: pa.DataType, n: int, count: int) -> None:
    draw = np.random.default_rng(0)
    numbers = pa.array(draw.integers(0, 100 if type != pa.bool_() else 2, n + 3), mask=draw.random(n + 3) < 0.2)
    for values in (numbers.cast(type)[3:], numbers.drop_null()[:n].cast(type)):
        for kernel_one, index in (
            (kernel.repeat_each, np.arange(len(values)).repeat(count)),
            (kernel.tile, np.tile(np.arange(len(values)), count)),
        ):
            found = kernel_one(values, count)
            found.validate(full=True)
            assert found.equals(values.take(pa.array(index)))


def test_blocks():
    n = 100_000
    one, two = (pa.array(np.random.default_rng(seed).random(n)) for seed in (1, 2))
    assert np.array_equal(kernel.weave([one, two]), np.stack([one, two], axis=1).ravel())


@pytest.mark.parametrize("type", [pa.float64(), pa.bool_(), pa.decimal128(20), pa.string()], ids=str)
def test_methods_on_words_and_others(type: pa.DataType) -> None:
    x = aj.array([[1, None], [], [0]]).cast(pa.int64())
    x = aj.JaggedArray(x.shape, x.values.cast(pa.bool_()).cast(type) if type in (pa.bool_(), pa.string()) else x.values.cast(type))
    a, b, c = x.values.to_pylist()
    assert x.repeat(2).to_list() == [[[a, a], [b, b]], [], [[c, c]]]
    assert x.repeat(0).to_list() == [[[], []], [], [[]]]
    assert x.repeat(2).shape.extents[-1] == 2
    assert aj.stack([x, x], axis=-1).to_list() == [[[a, a], [b, b]], [], [[c, c]]]
    assert x.pad(2).to_list() == [[a, b], [None, None], [c, None]]
    assert x.pad(1, fill=a).to_list() == [[a, b], [a], [c]]
    assert x.flatten().unsqueeze(-1).expand(-1, 2).to_list() == [[a, a], [b, b], [c, c]]
    assert x.flatten().tile(x.shape).to_list() == [[[a, b, c]] * 2, [], [[a, b, c]]]
    assert x.flatten().reshape(3).tile(aj.JaggedShape(2)).shape.extents == (2, 3)
