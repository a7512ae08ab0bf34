"""Blocks of rows for a few threads, batches of rows of one length as 2-D arrays, and windows: short rows copied at full width.

A window copies as many items as the longest row has, from the start of a row. The next row, or a mask by the size of the row,
overwrites the items beyond the end of the row.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy

__all__ = [
    "Batch",
    "batches",
    "cut_rows",
    "inside",
    "is_word",
    "looked_up",
    "map_cells",
    "map_rows",
    "map_tasks",
    "n_cores",
    "opaque",
    "order_by_size",
    "put_rows",
    "put_windows",
    "rows_2d",
    "take_windows",
    "words",
]


if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


Task = TypeVar("Task")
Result = TypeVar("Result")

_state = threading.local()
_pools: dict[int, ThreadPoolExecutor] = {}
"""The shared pool by process id: a forked child has none of its parent's threads and starts its own."""


def n_cores() -> int:
    """Cores this process may use, and no more than `pa.set_cpu_count` allows: a worker of a job works in one thread."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # no affinity outside of Linux
        cores = os.cpu_count() or 1
    return min(cores, int(pa.cpu_count()))


def _mark_worker() -> None:
    _state.worker = True


def _pool(workers: int) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # loads logging: 10 ms that many processes never need

    pid = os.getpid()
    found = _pools.get(pid)
    if found is None:
        # Threads that get here at the same time all get the same pool; the pools that they discard have not started a thread.
        found = _pools.setdefault(pid, ThreadPoolExecutor(workers, thread_name_prefix="arrowjag", initializer=_mark_worker))
    return found


def map_tasks(function: Callable[[Task], Result], tasks: Sequence[Task], n_values: int | None = None) -> list[Result]:
    """Call a function on each task, on all cores, and return the results in order.

    With `n_values`, the number of values in all tasks, few values run inline.

    The calling thread works too. Inside of a worker all runs inline, so that nested calls can't wait for each other. If several
    tasks fail, the error of the first of them is raised, as without threads.
    """
    few = n_values is not None and n_values < strategy.sizes.THREAD_VALUES
    if few or len(tasks) < 2 or getattr(_state, "worker", False) or (cores := n_cores()) < 2:
        return [function(task) for task in tasks]
    results: list[Any] = [None] * len(tasks)
    errors: dict[int, BaseException] = {}
    queue, taking = iter(range(len(tasks))), threading.Lock()  # without the GIL two threads could take the same task

    def work() -> None:
        while not errors and (place := take()) is not None:
            try:
                results[place] = function(tasks[place])
            except BaseException as error:  # noqa: BLE001  # raised below; tasks are taken in order, so that all before it are at work
                errors[place] = error

    def take() -> int | None:
        with taking:
            return next(queue, None)

    helpers: list[Any] = []
    with contextlib.suppress(RuntimeError):  # no thread starts while the interpreter exits, or beyond a limit of the system
        while len(helpers) < min(cores, len(tasks)) - 1:
            helpers.append(_pool(cores - 1).submit(work))
    try:
        work()
    finally:
        with taking:
            queue = iter(())
        for helper in helpers:
            helper.cancel()
        for helper in helpers:
            if not helper.cancelled():
                helper.result()
    if errors:
        first = errors[min(errors, key=lambda place: (isinstance(errors[place], Exception), place))]  # no interrupt is lost
        errors.clear()
        try:
            raise first
        finally:
            del first  # an error that its own traceback reaches would keep the data of all frames
    return results


def cut_rows(offsets: NDArray[np.int64], n_blocks: int) -> list[tuple[int, int]]:
    """At most n_blocks row ranges (first, last) that together are all rows and hold about equally many values."""
    n_rows = len(offsets) - 1
    targets = offsets[-1] * np.arange(1, n_blocks) // n_blocks
    bounds = [0, *np.searchsorted(offsets, targets).tolist(), n_rows]
    return [(first, last) for first, last in pairwise(bounds) if first < last]


def map_rows(
    function: Callable[[int, int], Result],
    offsets: NDArray[np.int64],
    *,
    min_values: int | None = None,
    block_values: int | None = None,
    alone: int | None = None,
    light: bool = False,
) -> list[Result]:
    """Call function(first_row, last_row) on blocks of rows that together are all rows, on all cores.

    Parameters
    ----------
    function : callable
        Does rows first_row .. last_row - 1; called at least once, even for no rows.
    offsets : (n_rows + 1,) int64 array
    min_values : int
        Below this many values the function is called once, inline; THREAD_VALUES by default.
    block_values : int, optional
        Make blocks of about this many values (for temporaries that stay in cache) rather than one block per core.
    alone : int, optional
        Rows of more values than this are blocks of their own, one after another: the function may use all cores for each.
    light : bool
        Whether the function takes values of long rows at the speed of memory: it is called once, inline, below LIGHT_VALUES.

    Returns
    -------
    list
        The results of the function, block by block.
    """
    n_rows, n_values = len(offsets) - 1, offsets.item(-1)
    fewest = strategy.sizes.THREAD_VALUES if min_values is None else min_values
    if n_values < fewest or (light and n_values + strategy.sizes.LIGHT_ROW * n_rows < strategy.sizes.LIGHT_VALUES):
        return [function(0, n_rows)]
    n_blocks = cores = n_cores()
    if block_values is not None:
        n_blocks = -(-n_values // block_values)
        if 2 * n_values > block_values:
            n_blocks += -n_blocks % cores  # a whole number of rounds
    found = cut_rows(offsets, n_blocks)
    if alone is None:
        return map_tasks(lambda block: function(*block), found)
    return _map_beside(function, offsets, found, alone)


def _map_beside(
    function: Callable[[int, int], Result], offsets: NDArray[np.int64], found: list[tuple[int, int]], alone: int
) -> list[Result]:
    """Call a function on blocks of rows, and after these on each row of more than `alone` values by itself."""
    rows = ((offsets[1:] - offsets[:-1]) > alone).nonzero()[0]
    if len(rows):
        bounds = np.unique(np.concatenate([[0], [last for _, last in found], rows, rows + 1])).tolist()
        found = list(pairwise(bounds))
    huge = set(rows.tolist())
    others = iter(map_tasks(lambda block: function(*block), [block for block in found if block[0] not in huge]))
    return [function(*block) if block[0] in huge else next(others) for block in found]


class Batch(NamedTuple):
    """Rows of one length."""

    length: int
    rows: NDArray[np.int64]


def batches(offsets: NDArray[np.int64], *, max_values: int | None = None, above: int = 0) -> list[Batch]:
    """Rows longer than `above` in groups of equal length, each of at most about `max_values` values.

    Notes
    -----
    O(n_rows): lengths of up to 12 bits are sorted by counting, and the few rows that are longer once more. There are at most
    sqrt(2 n_values) distinct lengths.
    """
    sizes = offsets[1:] - offsets[:-1]
    longer = (sizes > above).nonzero()[0]
    order, ordered = order_by_size(sizes[longer])
    order = longer[order]
    if not len(order):
        return []
    starts = [0, *((ordered[1:] != ordered[:-1]).nonzero()[0] + 1).tolist()]
    most, found = max_values or strategy.sizes.BATCH_VALUES, []
    for length, start, end in zip(ordered[starts].tolist(), starts, [*starts[1:], len(order)], strict=True):
        step = most // length or 1
        if end - start <= step:
            found.append(Batch(length, order[start:end]))
        else:
            found += [Batch(length, order[low : min(low + step, end)]) for low in range(start, end, step)]
    return found


def order_by_size(sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row numbers ordered by size (stable), and the sizes in that order."""
    if len(sizes) < strategy.sizes.CALL_VALUES:  # in a tenth of the time of the calls below
        order = sizes.argsort(kind="stable")
        return order, sizes[order]
    # pyarrow counts where numpy sorts by radix: 1.1 ms instead of 4.2 for 500k rows. Of more than 4096 different numbers it would
    # compare all, which takes 17.
    longest = (1 << strategy.sizes.COUNTED_BITS) - 1  # longer rows are so few that they are sorted by comparison
    short = pa.array(np.minimum(sizes, longest).astype(np.uint16))
    order = pc.array_sort_indices(short).to_numpy().astype(np.int64)
    ordered = sizes[order]
    n_short = int(np.searchsorted(ordered, longest))
    if n_short < len(order):
        long = n_short + np.argsort(ordered[n_short:], kind="stable")
        order[n_short:], ordered[n_short:] = order[long], ordered[long]
    return order, ordered


def rows_2d(data: NDArray[Any], starts: NDArray[np.int64], length: int) -> NDArray[Any]:
    """Return rows of one length >= 1 of contiguous data as a (len(starts), length) array: a view of one row, a copy of several."""
    if len(starts) == 1:
        return data[starts[0] : starts[0] + length].reshape(1, length)
    # A row becomes one opaque item, so that indexing copies it with one memcpy: 23 ns a row of 10 float64, where a
    # matrix of item numbers needs 120 and indexing a 2-D window view 55.
    return _windows(data, length)[starts].view(data.dtype).reshape(len(starts), length)


def put_rows(out: NDArray[Any], starts: NDArray[np.int64], rows: NDArray[Any]) -> None:
    """Write a (len(starts), length) array of the same dtype into the rows that begin at `starts`."""
    length = rows.shape[1]
    if len(starts) == 1:
        out[starts[0] : starts[0] + length] = rows[0]
        return
    windows = _windows(out, length)
    different = rows if rows.strides[0] else rows[:1]  # one row broadcast to all is not written out
    windows[starts] = np.ascontiguousarray(different).view(windows.dtype).reshape(-1)


def _windows(data: NDArray[Any], length: int) -> NDArray[Any]:
    """A view whose item i is data[i : i + length] as one opaque item."""
    itemsize = data.dtype.itemsize
    return np.ndarray((len(data) - length + 1,), f"V{length * itemsize}", data, strides=(itemsize,))


def is_word(data: NDArray[Any]) -> bool:
    """Whether an item is as wide as an integer, so that its bits can be masked."""
    return data.dtype.kind != "O" and data.dtype.itemsize in (1, 2, 4, 8) and math.prod(data.shape[1:]) == 1


def words(data: NDArray[Any]) -> NDArray[Any]:
    """The bits of all items as unsigned integers, one after the other; shares the memory of contiguous data."""
    return np.ascontiguousarray(data).reshape(-1).view(f"u{data.dtype.itemsize}")


def opaque(rows: NDArray[Any]) -> NDArray[Any]:
    """Each row of a 2-D array as one item that is copied whole."""
    return rows.view(f"V{rows.shape[1] * rows.itemsize}").reshape(-1)


def map_cells(work: Callable[[int, int], object], n_rows: int, row_bytes: int) -> None:
    """Call work(first_row, end_row) on blocks of about as many bytes, on all cores."""
    step = max(1, strategy.sizes.WINDOW_BYTES // row_bytes)
    if 0 < n_rows <= step:
        work(0, n_rows)
        return
    map_tasks(lambda first: work(first, min(first + step, n_rows)), range(0, n_rows, step))


def looked_up(table: NDArray[Any], sizes: NDArray[np.int64], out: NDArray[Any]) -> NDArray[Any]:
    """Copy the row of a table that belongs to each size to `out`, and return it."""
    opaque(table).take(sizes, out=opaque(out), mode="clip")
    return out


def inside(width: int) -> NDArray[np.bool_]:
    """For each size from 0 to `width` which cells a row of that size has."""
    cells: NDArray[np.bool_] = np.arange(width) < np.arange(width + 1)[:, None]
    return cells


def take_windows(data: NDArray[Any], starts: NDArray[np.int64], width: int) -> NDArray[Any]:
    """A row of `width` items from each start, read-only; items beyond the end of the data are arbitrary."""
    last = len(data) - width
    if len(starts) and int(starts.max()) > last:
        low = int(starts.min())
        data = np.concatenate([data[low:], np.zeros(width, data.dtype)])
        starts = starts - low
    return rows_2d(data, starts, width)


def put_windows(cells: NDArray[Any], starts: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Copy each row of `cells` whole to where it starts in `out`; the next row covers what lies behind its end.

    Parameters
    ----------
    cells : (n_rows, width) contiguous array
    starts : (n_rows,) int64 array
        Never decreasing, all in `out`. A row that ends before the next one starts leaves what is between them as it is.
    out : (n_items,) array of the same type

    Notes
    -----
    O(cells): numpy assigns to an index in order, so that of windows that overlap the last one stays. It holds no lock: 20M float32
    in 1M rows take 7 ms of CPU time; polars filters them by a mask in 10, and to make the mask takes 4.
    """
    width = cells.shape[1]
    inside = int(starts.searchsorted(len(out) - width, "right"))
    if inside:
        put_rows(out, starts[:inside], cells[:inside])
    if inside < len(starts):
        low = int(starts[inside])
        last = np.empty(len(out) - low + width, out.dtype)
        last[:-width] = out[low:]
        put_rows(last, starts[inside:] - low, cells[inside:])
        out[low:] = last[:-width]
