"""Nulls of every type that take the value of a neighbour, against Python lists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.move import scatter as kernel
from arrowjag.errors import JagValueError
from tests.compiled_calls import forced
from tests.kernels.test_scatter import SAMPLES


def carried(row: list[Any]) -> list[Any]:
    out, carry = [], None
    for item in row:
        carry = carry if item is None else item
        out.append(carry)
    return out


WORDS = {**SAMPLES, pa.string(): ["a", "b", "c"], pa.list_(pa.int8()): [[], [1], [2, 3]]}


@pytest.fixture(scope="module", params=["small", "words", "compiled"])
def each_way(request: pytest.FixtureRequest) -> Iterator[None]:
    with forced(request.param, "carry"):
        yield


@pytest.mark.usefixtures("each_way")
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("type", WORDS, ids=str)
@given(sizes=st.lists(st.integers(0, 5), max_size=6), skip=st.integers(0, 9), data=st.data())
def test_carry(type, direction, sizes, skip, data):
    n = sum(sizes)
    items = st.lists(st.none() | st.sampled_from(WORDS[type]), min_size=n + skip, max_size=n + skip)
    values = pa.array(data.draw(items), type)[skip:]
    offsets = from_sizes(np.array(sizes, np.int64))
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    got = kernel.carry(values, valid, offsets, direction)
    got.validate(full=True)
    rows = [values.to_pylist()[start:end] for start, end in pairwise(offsets)]
    expected = [carried(row) if direction == "forward" else carried(row[::-1])[::-1] for row in rows]
    assert (got.to_pylist(), got.type) == ([item for row in expected for item in row], type)


def test_other_directions_are_refused():
    with pytest.raises(JagValueError, match='"forward" or "backward", got \'up\''):
        kernel.carry(pa.array([1]), np.ones(1, np.bool_), np.array([0, 1]), "up")
