"""Keys looked up in dictionaries, against dictionaries of Python, row by row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels.compiled.loops import sets
from arrowjag._kernels.equal import hash_tables
from arrowjag._kernels.equal.sets import lookup
from arrowjag._kernels.order import search
from arrowjag.errors import JagValueError
from tests.kernels.interpreted import Loops
from tests.kernels.rows import EVERY_DTYPE, items, key_of, make

pytestmark = pytest.mark.usefixtures("either_way", "by_each_strategy")


@pytest.fixture(scope="module", params=["hash", "loop", "loop with tables"])
def by_each_strategy(request: pytest.FixtureRequest) -> Iterator[None]:
    """By numpy's hash tables, or by the loop: it compares few keys with each probe, and puts more into a table."""
    with pytest.MonkeyPatch.context() as patched:
        if request.param != "hash":
            patched.setattr(hash_tables, "find_loop", Loops())
        if request.param == "loop with tables":
            patched.setattr(sets, "SHORT", 1)
        yield


@st.composite
def cases(draw):
    dtype = draw(st.sampled_from(EVERY_DTYPE))
    item = st.none() | items(dtype)
    pairs = draw(st.lists(st.tuples(st.lists(item, max_size=4), st.lists(item, max_size=6)), max_size=6))
    tables, probes = [row for row, _ in pairs], [row for _, row in pairs]
    return make([*tables, [None]], dtype), make([*probes, []], dtype)


@given(cases())
def test_lookup_is_that_of_a_dictionary(case):
    table, probes = case
    known = [[key_of(key) for key in row if key is not None] for row in table.lists]
    broken = [row for row, keys in enumerate(known) if len(set(keys)) < len(keys)]
    given_keys = (table.data, table.valid), table.offsets, (probes.data, probes.valid), probes.offsets
    if broken:
        with pytest.raises(JagValueError, match=f"equal keys in row {broken[0]};"):
            lookup(*given_keys)
        return
    found, hit = lookup(*given_keys)
    assert ((found >= 0) & (found < len(table.data))).all()
    expected = [
        {key_of(key): item for item, key in enumerate(row, start) if key is not None}.get(key_of(probe))
        for row, start, sought in zip(table.lists, table.offsets.tolist(), probes.lists, strict=False)
        for probe in sought
    ]
    assert [item if there else None for item, there in zip(found.tolist(), hit.tolist(), strict=True)] == expected


def test_a_key_beyond_its_row_is_not_met_in_the_next() -> None:
    """Items left after all hash tables are found by a sort, in which rows follow each other."""
    codes, offsets = np.array([1, 3, 5, 7], np.uint64), np.array([0, 2, 4])
    found, distinct = search._sorted_find(codes, offsets, np.array([5, 3, 3, 7, 9], np.uint64), np.array([0, 2, 5]))
    assert (found.tolist(), distinct) == ([-1, 1, -1, 3, -1], True)


@pytest.mark.parametrize("nulls", [False, True])
def test_the_first_row_of_equal_keys_is_named(nulls: bool) -> None:
    table = make([[1, 2], [3, *[None] * nulls], [4, 3, 4], [5, 5]], "int64")
    probes = make([[9], [3], [], [5]], "int64")
    given_keys = (table.data, table.valid), table.offsets, (probes.data, probes.valid), probes.offsets
    with pytest.raises(JagValueError, match=r"equal keys in row 2;"):
        lookup(*given_keys)


def test_equal_keys_raise_also_if_a_probe_is_not_in_the_table() -> None:
    table, probes = make([[1, 1], [3, 4]], "int64"), make([[9], []], "int64")
    with pytest.raises(JagValueError, match=r"equal keys in row 0;"):
        lookup((table.data, table.valid), table.offsets, (probes.data, probes.valid), probes.offsets)
