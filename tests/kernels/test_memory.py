"""Memory for results, and the errors where the machine has less."""

from __future__ import annotations

import numpy as np
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.base import memory
from arrowjag._runtime.machine import reported_memory
from arrowjag.errors import JagMemoryError


def test_more_than_is_left_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow's pool is asked first to give back what it keeps."""
    left = [3 * 10**9, 4 * 10**9]
    monkeypatch.setattr(memory, "free_memory", lambda: left.pop(0))
    assert memory.check_memory(10**9, 4) == 4 * 10**9
    assert not left
    left[:] = [3 * 10**9] * 2
    with pytest.raises(JagMemoryError, match=r"1,000,000,000 items of 4 bytes take 4 GB; the system has 3 GB left"):
        memory.check_memory(10**9, 4)
    assert memory.check_memory(1000, 4) == 4000  # few bytes are not counted
    monkeypatch.setattr(memory, "free_memory", lambda: 3 * 10**9)
    x = aj.from_sizes(np.arange(10_500), [10_500])
    with pytest.raises(
        JagMemoryError, match=r"argcombinations: .* take 3.5\d* GB; (the system has 3 GB left|this process may use)"
    ):
        x.argcombinations(2)


def test_more_than_memory_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        JagMemoryError, match=r"4,611,686,018,427,387,904 items of 2 bytes take 9.223e\+09 GB; this process may use"
    ):
        memory.empty(2**62, np.int16)
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    memory.check_memory(machine_memory := reported_memory() or 2**47, 1)
    for wrong in (lambda: memory.check_memory(machine_memory + 1, 1), lambda: memory.zeros(machine_memory, np.int16)):
        with pytest.raises(JagMemoryError, match="this process may use"):
            wrong()
    assert memory.empty(3, np.int16).dtype == np.int16
    assert memory.zeros(3, np.int16).tolist() == [0, 0, 0]
    assert memory.empty_like(np.zeros(4, np.float32)).shape == (4,)


@pytest.mark.parametrize("n", [0, 3, strategy.sizes.CALL_VALUES, 100_000])
def test_columns_share_no_item_and_no_line_of_a_page(n: int) -> None:
    columns = memory.empty_columns(5, n)
    for number, column in enumerate(columns):
        assert (column.dtype, len(column)) == (np.float64, n)
        column.fill(number)
    assert [set(column.tolist()) for column in columns] == [{float(number)} if n else set() for number in range(5)]
    if n >= 100_000:  # memory of Arrow's pool, which begins a page
        assert len({column.ctypes.data % 4096 // 64 for column in columns}) == 5
