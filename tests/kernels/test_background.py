"""The process that compiles loops beside this one: when it may start, and how."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arrowjag._kernels import compiled
from arrowjag._kernels.compiled import __main__ as compiling
from arrowjag._kernels.compiled import background, objects
from arrowjag._runtime.processes import python


@pytest.fixture
def numba_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every program of this test find numba, and a folder for its code."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name if name == "numba" else None)
    monkeypatch.setattr(objects, "writable_folder", lambda: Path("folder"))


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[SimpleNamespace]:
    """The processes that are started, which end when a test says so; nothing is being compiled yet."""
    started = list[SimpleNamespace]()

    def start(command: list[str], **options: Any) -> SimpleNamespace:
        process = SimpleNamespace(command=command, options=options, code=None)
        process.poll = lambda: process.code
        started.append(process)
        return process

    monkeypatch.setattr(background.subprocess, "Popen", start)
    for name, value in {"_running": None, "_waiting": set(), "_finished": set()}.items():
        monkeypatch.setattr(background, name, value)
    return started


def test_how_the_process_is_started(processes: list[SimpleNamespace], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", "first", Path("passed over"), "second"])
    assert background.request("sum-f8-plain")
    (process,) = processes
    *start, path, variant = process.command
    assert start == [sys.executable, "-P", "-W", "ignore", "-c", background._CODE]
    assert (json.loads(path), variant) == (["", "first", "second"], "sum-f8-plain")
    null = subprocess.DEVNULL
    assert process.options == {"stdin": null, "stdout": null, "stderr": null, "start_new_session": True}


def test_a_process_of_python_looks_for_no_module_in_the_working_folder(tmp_path: Path) -> None:
    for name in ("json", "random"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('this process has not imported it')")
    code = f"import json, random, sys; {background._CODE.split(';')[1]}; print(sys.path, sys.warnoptions)"
    command = [*python("-W", "ignore"), "-c", code, '["", "first"]']
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['', 'first'] ['ignore']\n", "")


def test_a_new_process_has_no_pending_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "background", background)  # importing the module again replaces it here
    monkeypatch.delitem(sys.modules, background.__name__)
    fresh = importlib.import_module(background.__name__)
    assert fresh is not background
    assert not fresh.is_pending("sum-f8-plain")
    assert fresh._poll()


def test_a_process_may_start_in_programs_with_an_interpreter_and_numba(
    numba_is_there: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert background.can_start()
    others = "", None, "/opt/python/bin/uwsgi", "/opt/viewer.exe"  # which would start once more
    for name, value in (("frozen", True), *(("executable", one) for one in others)):
        with monkeypatch.context() as patch:
            patch.setattr(sys, name, value, raising=False)
            assert not background.can_start()
    for executable in ("/usr/bin/python3.13t", "C:/Programs/Pythonw.exe"):
        monkeypatch.setattr(sys, "executable", executable)
        assert background.can_start()
    with monkeypatch.context() as patch:
        patch.setattr(objects, "writable_folder", lambda: None)
        assert not background.can_start()
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert not background.can_start()


def test_daemonic_workers_start_no_process(numba_is_there: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for daemon in (False, True):
        monkeypatch.setattr(multiprocessing, "current_process", lambda daemon=daemon: SimpleNamespace(daemon=daemon))
        assert background.can_start() is not daemon
    monkeypatch.delitem(sys.modules, "multiprocessing")
    assert background.can_start()  # a worker has imported it


@pytest.mark.parametrize("error", [OSError, ValueError, RuntimeError])
def test_a_loop_is_not_requested_again_if_no_process_can_be_started(
    error: type[Exception], processes: list[SimpleNamespace], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = list[list[str]]()

    def refuse(variants: list[str]) -> None:
        attempts.append(variants)
        raise error

    monkeypatch.setattr(background, "_start", refuse)
    assert not background.request("a")
    assert not background.request("a")
    assert attempts == [["a"]]
    assert not background.is_pending("a")
    assert not background.request("b")
    assert attempts == [["a"], ["b"]]


def test_a_forked_child_forgets_the_process_of_its_parent(processes: list[SimpleNamespace]) -> None:
    """It is no child of the child, which would take it for ended, and its loops for failed."""
    for name in ("a", "b"):
        assert background.request(name)
    background._forget()
    assert processes[0].returncode == 0  # or a Popen warns when it is deleted
    assert not background.is_pending("a")
    assert not background.is_pending("b")
    assert background.request("a")
    assert [one.command[7:] for one in processes] == [["a"], ["a"]]


def test_one_process_at_a_time_compiles_the_waiting_loops(processes: list[SimpleNamespace]) -> None:
    for name in ("c", "b", "d", "b"):
        assert background.request(name)
        assert background.is_pending(name)
    assert [one.command[7:] for one in processes] == [["c"]]
    processes[0].code = 1
    assert not background.is_pending("c")
    assert [one.command[7:] for one in processes] == [["c"], ["b", "d"]]
    assert not background.request("c")
    assert [background.is_pending(name) for name in "abcd"] == [False, True, False, True]
    processes[1].code = 0
    assert [background.is_pending(name) for name in "abcd"] == [False] * 4
    assert background._poll()
    assert len(processes) == 2


def test_a_process_waits_for_another_one_with_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    pytest.importorskip("llvmlite")
    monkeypatch.setenv("ARROWJAG_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiling, "_MOST_SECONDS", 0.0)
    compiled_now: list[Any] = []
    monkeypatch.setattr(compiling.library, "compile_now", compiled_now.append)
    monkeypatch.setattr(os, "nice", lambda _: 0, raising=False)
    with (tmp_path / "compiling.lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        waits = threading.Thread(target=compiling.main, args=(["sum-f8-plain"],), daemon=True)
        waits.start()
        waits.join(60)
        assert (waits.is_alive(), compiled_now) == (False, [])
    assert compiling.main(["sum-f8-plain"]) == 0
    assert [str(one) for one in compiled_now] == ["sum-f8-plain"]
