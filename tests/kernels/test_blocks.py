"""Tasks in threads: which thread runs them, the order of results, and the propagation of errors."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from tests.kernels.rows import offsets_from


@pytest.fixture(params=[1, 2, 3])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(blocks, "n_cores", lambda: request.param)
    monkeypatch.setattr(blocks, "_pools", {})
    return int(request.param)


def test_a_process_keeps_one_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_pools", {})
    pool = blocks._pool(2)
    assert blocks._pool(2) is pool
    assert blocks._pools == {os.getpid(): pool}
    assert pool._max_workers == 2
    assert pool.submit(lambda: threading.current_thread().name.startswith("arrowjag")).result()
    pool.shutdown()


def test_all_cores_work_at_once(cores: int) -> None:
    together = threading.Barrier(cores)

    def task(number: int) -> tuple[int, int]:
        together.wait(timeout=30)
        return number, threading.get_ident()

    found = blocks.map_tasks(task, range(2 * cores))
    assert [number for number, _ in found] == [*range(2 * cores)]
    assert len({thread for _, thread in found}) <= cores
    assert blocks.map_tasks(lambda _: threading.get_ident(), [0]) == [threading.get_ident()]
    assert blocks.map_tasks(str, []) == []


def test_tasks_of_a_task_run_in_its_thread(cores: int) -> None:
    together = threading.Barrier(cores)

    def outer(_: int) -> bool:
        together.wait(timeout=30)
        inside_worker = threading.current_thread().name.startswith("arrowjag")
        threads = set(blocks.map_tasks(lambda _: threading.get_ident(), range(4)))
        return not inside_worker or threads == {threading.get_ident()}

    assert all(blocks.map_tasks(outer, range(cores)))


def test_an_error_of_a_task_is_raised_and_ends_the_others(cores: int) -> None:
    done = []

    def task(number: int) -> None:
        if number == 1:
            raise ValueError("task 1")
        done.append(number)

    with pytest.raises(ValueError, match="task 1"):
        blocks.map_tasks(task, range(1000))
    assert len(done) < 1000
    assert blocks.map_tasks(abs, [-1, -2, -3]) == [1, 2, 3]


def test_of_several_errors_that_of_the_first_task_is_raised(cores: int) -> None:
    together = threading.Barrier(cores)

    def task(number: int) -> None:
        together.wait(timeout=30)
        if number == 0:
            time.sleep(0.01)
        raise ValueError(f"task {number}")

    for _ in range(5):
        with pytest.raises(ValueError, match="task 0"):
            blocks.map_tasks(task, range(cores))


def test_an_interrupt_is_raised_before_the_errors_of_earlier_tasks(cores: int) -> None:
    together = threading.Barrier(cores)

    def task(number: int) -> None:
        together.wait(timeout=30)
        raise KeyboardInterrupt if number == cores - 1 else ValueError(number)

    with pytest.raises(KeyboardInterrupt):
        blocks.map_tasks(task, range(max(cores, 1)))


def test_tasks_run_where_no_thread_starts(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def submit(self, _work: object) -> None:
            raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(blocks, "_pool", lambda _: Closed())
    assert blocks.map_tasks(abs, [-1, -2, -3]) == [1, 2, 3]


def test_cores_are_those_of_the_process_and_of_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    monkeypatch.setattr(blocks.pa, "cpu_count", lambda: 8)
    assert blocks.n_cores() == 3
    monkeypatch.setattr(blocks.pa, "cpu_count", lambda: 2)
    assert blocks.n_cores() == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert blocks.n_cores() == 1
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert blocks.n_cores() == 1


@pytest.mark.parametrize("sizes", [[], [0], [5], [1] * 10, [0, 9, 0, 0, 1], [3, 0, 0, 4, 2, 2], [100, 1, 1]])
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
def test_cut_rows(sizes: list[int], n_blocks: int) -> None:
    offsets = offsets_from(sizes)
    found = blocks.cut_rows(offsets, n_blocks)
    assert len(found) <= n_blocks
    assert [row for first, last in found for row in range(first, last)] == [*range(len(sizes))]
    if sizes == [1] * 10 and n_blocks == 2:
        assert found == [(0, 5), (5, 10)]


@pytest.mark.parametrize("alone", [None, 5])
def test_map_rows_calls_blocks_in_order(alone: int | None, cores: int) -> None:
    offsets = np.array([0, 2, 2, 10, 11, 20, 21, 21])
    found = blocks.map_rows(lambda first, last: (first, last), offsets, min_values=0, block_values=4, alone=alone)
    assert [row for first, last in found for row in range(first, last)] == [*range(7)]
    if alone:
        assert {(2, 3), (4, 5)} <= {*found}
    assert blocks.map_rows(lambda first, last: (first, last), offsets, min_values=22) == [(0, 7)]
    assert len(blocks.map_rows(lambda first, last: (first, last), offsets, min_values=21)) == min(cores, 3)
    assert blocks.map_rows(lambda first, last: (first, last), offsets[:1]) == [(0, 0)]
    with strategy.force(THREAD_VALUES=21):
        assert len(blocks.map_rows(lambda first, last: (first, last), offsets)) == min(cores, 3)
    with strategy.force(THREAD_VALUES=22):
        assert len(blocks.map_rows(lambda first, last: (first, last), offsets)) == 1


@pytest.mark.parametrize("n", [5, strategy.sizes.CALL_VALUES])
def test_rows_are_ordered_by_size_and_stay_in_order_where_sizes_are_equal(n: int) -> None:
    sizes = np.resize(np.array([3, 1, 3, 0, 1]), n)
    order, ordered = blocks.order_by_size(sizes)
    assert order.tolist() == sorted(range(n), key=sizes.__getitem__)
    assert ordered.tolist() == sorted(sizes)
