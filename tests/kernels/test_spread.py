"""One item per row broadcast to the values of the row, in blocks, as numbers and as bits, against np.repeat."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.base import fill
from arrowjag._kernels.base.offsets import from_sizes, parents
from arrowjag._kernels.move import gather
from arrowjag._kernels.move.spread import spread
from tests.kernels.rows import EVERY_DTYPE
from tests.kernels.test_gather import ARRAYS

NUMBERS = [dtype for dtype in EVERY_DTYPE if dtype != "bool"]
sizes_lists = st.lists(st.integers(0, 40), min_size=1, max_size=30).filter(sum)


@given(sizes_lists, st.sampled_from(NUMBERS), st.integers(0, 2**32), st.data())
def test_any_neighbouring_values_of_any_rows(sizes: list[int], dtype: str, seed: int, data: st.DataObject) -> None:
    size = np.dtype(dtype).itemsize
    words = np.frombuffer(np.random.default_rng(seed).bytes(len(sizes) * size), dtype)
    expected = words.repeat(sizes).tobytes()
    start = data.draw(st.integers(0, sum(sizes) - 1))
    items = slice(start, data.draw(st.integers(start + 1, sum(sizes))))
    offsets = from_sizes(np.array(sizes))
    out = np.ones(items.stop - items.start, dtype)
    source = fill.Source(words, offsets)
    assert source.part(items).tobytes() == expected[items.start * size : items.stop * size]
    wanted = expected[items.start * size : items.stop * size]
    assert source.part(items, out).tobytes() == wanted
    assert source._replace(parents=parents(offsets)).part(items).tobytes() == wanted
    assert source.part(items, out.astype("V3")).dtype == dtype


@given(sizes_lists, st.floats(0, 1), st.integers(0, 2**32))
def test_flags_over_rows(sizes: list[int], share: float, seed: int) -> None:
    flags = np.random.default_rng(seed).random(len(sizes)) < share
    found = fill.spread_flags(flags, from_sizes(np.array(sizes)))
    assert len(found) == (sum(sizes) + 7) // 8
    assert np.array_equal(np.unpackbits(found, count=sum(sizes), bitorder="little").view(np.bool_), flags.repeat(sizes))


@pytest.mark.parametrize("sizes", ["poisson", "short", "one_huge", "empties"])
def test_many_blocks(sizes: str) -> None:
    draw = np.random.default_rng(1)
    counts = {
        "poisson": draw.poisson(10, 20_000),
        "short": draw.poisson(0.7, 200_000),
        "one_huge": np.concatenate([[0, 0], draw.poisson(3, 5000), [400_000, 0], draw.poisson(3, 5000), [0]]),
        "empties": np.where(draw.random(20_000) < 0.9, 0, 100),
    }[sizes]
    offsets, flags, words = from_sizes(counts), draw.random(len(counts)) < 0.3, draw.integers(0, 2**63, len(counts))
    n = int(offsets[-1])
    with strategy.force(PASS_VALUES=1 << 12):
        found, bits = fill.spread_rows(words, offsets), fill.spread_flags(flags, offsets)
    assert np.array_equal(found, words.repeat(counts))
    assert np.array_equal(np.unpackbits(bits, count=n, bitorder="little"), flags.repeat(counts))


@pytest.mark.parametrize("in_turn", [True, False])
@pytest.mark.parametrize("name", ARRAYS)
def test_every_type_is_spread_with_and_without_parents(name: str, in_turn: bool) -> None:
    draw = np.random.default_rng(2)
    values = gather.take(ARRAYS[name], draw.integers(0, 3, 203)).slice(3)
    for counts in (draw.poisson(3, 200), np.where(draw.random(200) < 0.7, 0, 20), np.zeros(200, np.int64), np.full(200, 3)):
        offsets = from_sizes(counts)
        expected = gather.take(values, parents(offsets))
        for known in (None, parents(offsets)):
            with strategy.force(CALL_VALUES=0, ONE_PASS_VALUES=10**9 if in_turn else 0):
                found = spread(values, offsets, known)
            found.validate(full=True)
            assert found.type == values.type
            assert found.equals(expected)


def test_without_rows() -> None:
    with strategy.force(CALL_VALUES=0):
        assert spread(pa.array([], pa.int8()), np.array([0])).equals(pa.array([], pa.int8()))
