"""Padding and taking out of padded arrays, over any number of levels, against loops over nested lists."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arrowjag._kernels import dense, strategy
from arrowjag._kernels.dense import matrices
from tests.kernels.rows import EVERY_DTYPE, many_rows, offsets_from


def places(sizes: list[list[int]]) -> list[tuple[int, ...]]:
    """The place (row, c1, .., ck) of each value, in order; sizes has one list a level."""
    found: list[tuple[int, ...]] = [(row,) for row in range(len(sizes[0]))]
    for level in sizes:
        found = [(*place, slot) for place, size in zip(found, level, strict=True) for slot in range(size)]
    return found


def to_offsets(sizes: list[list[int]]) -> list[NDArray[np.int64]]:
    return [offsets_from(level) for level in sizes]


@st.composite
def levels(draw: st.DrawFn) -> list[list[int]]:
    """Sizes of one to three levels that fit each other."""
    n_rows, found = draw(st.integers(0, 4)), []
    for _ in range(draw(st.integers(1, 3))):
        found.append(draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)))
        n_rows = sum(found[-1])
    return found


@given(levels(), st.data(), st.sampled_from([(), (1,), (2,), (2, 3), (0,)]), st.sampled_from(EVERY_DTYPE))
def test_pad_and_unpad(sizes: list[list[int]], data: st.DataObject, inner: tuple[int, ...], dtype: str) -> None:
    max_sizes = data.draw(st.lists(st.integers(0, 4), min_size=len(sizes), max_size=len(sizes)))
    where, offsets = places(sizes), to_offsets(sizes)
    values = np.random.default_rng(5).integers(0, 100, (len(where), *inner)).astype(dtype)
    fill = np.dtype(dtype).type(7)
    wanted = np.full((len(sizes[0]), *max_sizes, *inner), fill)
    back = np.full(values.shape, fill)
    for value, place, slot in zip(values, where, itertools.count(), strict=False):
        if all(c < m for c, m in zip(place[1:], max_sizes, strict=True)):
            wanted[place] = value
            back[slot] = value
    found = dense.pad(values, offsets, max_sizes, fill)
    assert found.dtype == values.dtype
    assert found.shape == wanted.shape
    assert np.array_equal(found, wanted)
    again = dense.unpad(found, offsets, fill)
    assert again.dtype == values.dtype
    assert again.shape == back.shape
    assert np.array_equal(again, back)
    if np.dtype(dtype).kind in "iuf":
        total = dense.combine(np.add, values, found.astype(np.float32), offsets, 7)
        assert total.dtype == np.result_type(dtype, np.float32)
        assert np.array_equal(total, values + back.astype(np.float32))


@given(levels(), st.data())
def test_rows_go_whole_or_item_by_item(sizes: list[list[int]], data: st.DataObject) -> None:
    max_sizes = data.draw(st.lists(st.integers(1, 4), min_size=len(sizes), max_size=len(sizes)))
    offsets = to_offsets(sizes)
    cells = np.random.default_rng(5).random((len(sizes[0]), *max_sizes, *data.draw(st.sampled_from([(), (3,)]))))
    found = []
    for by in ("items", "windows"):
        with strategy.force(unpad=by):
            found.append(dense.unpad(cells, offsets, -1.0))
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("fill", [0, -0.0, 0.0, 1.5, np.nan, np.inf])
def test_pad_adds_the_fill_value(fill: float) -> None:
    found = dense.pad(np.array([1.0, 2.0]), [np.array([0, 2, 2])], [3], fill)
    assert found[:, :2].tolist()[0] == [1.0, 2.0]
    rest = np.concatenate([found[0, 2:], found[1]])
    assert np.array_equal(rest, np.full(4, fill), equal_nan=True)
    assert (np.signbit(rest) == np.signbit(fill)).all()


def test_pad_takes_strided_data_and_unpad_strided_cells() -> None:
    table = np.arange(24.0).reshape(4, 6)
    offsets = [np.array([0, 1, 4])]
    found = dense.pad(table[:, ::2], offsets, [2])
    assert found.tolist() == [[[0, 2, 4], [0, 0, 0]], [[6, 8, 10], [12, 14, 16]]]
    assert dense.unpad(np.asfortranarray(found), offsets, -1).tolist() == [*table[:3, ::2].tolist(), [-1, -1, -1]]


@pytest.mark.parametrize("size", [3, 20, 100])
@pytest.mark.parametrize("dtype", ["float64", "int16", "bool"])
def test_many_rows_in_blocks(size: int, dtype: str) -> None:
    case: Any = many_rows(dtype)
    found = dense.pad(case.data, [case.offsets], [size])
    sizes = np.diff(case.offsets)
    mask = np.arange(size) < sizes[:, None]
    kept = np.arange(len(case.data)) - np.repeat(case.offsets[:-1], sizes) < size
    assert np.array_equal(found[mask], case.data[kept], equal_nan=dtype == "float64")
    assert not found[~mask].any()
    wanted = np.where(kept, case.data, np.zeros(1, dtype))
    assert np.array_equal(dense.unpad(found, [case.offsets]), wanted, equal_nan=dtype == "float64")
    if dtype != "bool":
        product = dense.combine(np.multiply, case.data, found, [case.offsets])
        with np.errstate(all="ignore"):
            assert np.array_equal(product, case.data * wanted, equal_nan=dtype == "float64")


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("limit", [None, 2])
def test_softmax_in_blocks_with_nulls_and_far_numbers(width: int, limit: int | None) -> None:
    """Each row by itself, wherever blocks are cut; rows far from 0 are shifted."""
    rng = np.random.default_rng(3)
    offsets = np.array([0, 3, 3, 4, 9, 9, 11, 12])
    data = rng.normal(size=(12, width))
    data[4:9] += 500.0
    data[9:11] -= 900.0
    valid = rng.random((12, width)) < 0.8
    valid[offsets[:-1][offsets[:-1] < offsets[1:]]] = True
    with strategy.force(SOFTMAX_BLOCK=2, WINDOW_BYTES=16 * width, THREAD_VALUES=1):
        found = matrices.softmax(data, offsets, limit, valid)
    for start, stop in itertools.pairwise(offsets.tolist()):
        end = stop if limit is None else min(stop, start + limit)
        for column in range(width):
            known = valid[start:end, column]
            row = np.exp(data[start:end, column] - data[start:end, column][known].max(initial=-np.inf))
            wanted = row[known] / row[known].sum()
            assert np.allclose(found[start:end, column][known], wanted, rtol=1e-12)
        assert not found[end:stop].any()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("limit", [None, 70, 130])
def test_softmax_of_a_row_depends_on_that_row_alone(width: int, limit: int | None, dtype: str) -> None:
    rng = np.random.default_rng(width)
    sizes = np.array([3, 200, 0, 64, 65, 200, 129, 7, 1, 70])
    offsets = offsets_from(sizes)
    data = (5 * rng.normal(size=(offsets[-1], width))).astype(dtype)
    valid = rng.random(data.shape) < 0.9
    for known in (None, valid):
        together = matrices.softmax(data, offsets, limit, known)
        for start, stop in itertools.pairwise(offsets.tolist()):
            mask = None if known is None else known[start:stop]
            alone = matrices.softmax(data[start:stop], np.array([0, stop - start]), limit, mask)
            some = slice(None) if mask is None else mask
            assert alone[some].tobytes() == together[start:stop][some].tobytes()
            if limit is not None and stop - start > limit:  # as if the items beyond were not there
                kept = slice(start, start + limit)
                whole = matrices.softmax(data[kept], np.array([0, limit]), None, None if known is None else known[kept])
                assert (
                    whole[slice(None) if mask is None else mask[:limit]].tobytes()
                    == alone[:limit][slice(None) if mask is None else mask[:limit]].tobytes()
                )
