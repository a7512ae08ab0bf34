"""Bounds of windows along rows, and falling times, against loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.scan import windows
from tests.compiled_calls import forced
from tests.kernels.rows import make_offsets, offsets_from

SIZES = [[0], [1], [5], [0, 3, 0, 7, 1, 0], [2, 2, 2], [40, 0, 3]]


def rows_of(offsets: np.ndarray[Any, Any]) -> list[tuple[int, int, int]]:
    """Each item with the begin and the end of its row."""
    pairs = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return [(item, begin, end) for begin, end in pairs for item in range(begin, end)]


@pytest.mark.parametrize("shift", [0, 16])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("window", [1, 2, 3, 4, 6, 15, 16, 17, 100, None])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_windows_of_items(sizes: list[int], window: int | None, center: bool, shift: int) -> None:
    offsets = offsets_from(sizes)
    with strategy.force(SHIFT_SLOTS=shift, CALL_VALUES=0):
        found = windows.of_items(offsets, window, center)
    width = window or 10**6
    behind = (width - 1) // 2 if center and window else 0
    wanted = [(max(begin, item + behind + 1 - width), min(end, item + behind + 1)) for item, begin, end in rows_of(offsets)]
    assert list(zip(found.low.tolist(), found.high.tolist(), strict=True)) == wanted
    assert found.sizes.tolist() == [high - low for low, high in wanted]


@pytest.mark.parametrize("start", [0, 3])
def test_the_part_of_some_rows(start: int) -> None:
    found = windows.of_items(np.array([0, 3, 7]), 2).part(slice(start, 7))
    assert found.high.tolist() == list(range(1, 8 - start))
    assert found.low.tolist() == ([0, 0, 1, 3, 3, 4, 5] if start == 0 else [0, 0, 1, 2])


FAR = 2**63 - 1
TIMES: dict[str, tuple[list[list[float]], list[float]]] = {
    "int64": ([[0, 0, 1, 3, 3, 8, 9], [], [-5], [-(2**63), -1, 0, FAR], [FAR - 2, FAR]], [1, 2, 3, 4, 5, FAR]),
    "float64": (
        [[0.0, 0.0, 0.5, 1.5, 4.0], [], [-7.25], [-1e300, 0.0, 1e300], [-np.inf, 2.0, np.inf]],
        [0.5, 1.0, 1.5, 3.0, 1e301],
    ),
}


@pytest.mark.parametrize("by", ["numpy", "compiled"])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("type", TIMES)
def test_windows_of_times(type: str, center: bool, by: str) -> None:
    rows, widths = TIMES[type]
    times, offsets = np.array([time for row in rows for time in row], type), make_offsets(rows)
    exact = [int(one) if type == "int64" else float(one) for one in times.tolist()]

    def apart(one: int, two: int) -> Any:
        return exact[two] - exact[one] if one != two else 0  # infinities have no difference

    for width in widths:
        with forced(by, "window"):
            found = windows.of_times(times, offsets, np.dtype(type).type(width), center)
        half = width if not center else width / 2 if type == "float64" else width - width // 2
        near = width / 2 if type == "float64" else width // 2
        for item, begin, end in rows_of(offsets):
            inside = [other for other in range(begin, item + 1) if not apart(other, item) >= half]
            after = [other for other in range(item + 1, end) if apart(item, other) <= near] if center else []
            wanted = min(inside, default=item + 1), max(after, default=item) + 1
            assert (found.low[item], found.high[item]) == wanted, (width, item)


@pytest.mark.parametrize("type", ["int64", "float64"])
def test_falling_times(type: str) -> None:
    rows = [[], [3, 3, 4], [2, 1, 5, 4], [9], [], [0, -1]]
    times, offsets = np.array([time for row in rows for time in row], type), make_offsets(rows)
    assert windows.is_falling(times, offsets).tolist() == [
        place > 0 and row[place] < row[place - 1] for row in rows for place in range(len(row))
    ]
    assert windows.is_falling(times[:0], np.array([0, 0])).tolist() == []
    if type == "float64":
        nan = np.nan
        assert windows.is_falling(np.array([nan, 1.0, nan, 2.0]), np.array([0, 2, 4])).tolist() == [True, True, True, True]
        assert windows.is_falling(np.array([1.0, 2.0, nan]), np.array([0, 0, 3])).tolist() == [False, False, True]
