"""Which loops are found, when one is compiled, and by which process: without numba and without a compiler."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from arrowjag import options
from arrowjag._kernels import strategy
from arrowjag._kernels.compiled import background, compiler, library, objects, sources
from arrowjag._kernels.compiled.loop import SYMBOL, Variant
from arrowjag._kernels.compiled.loops import LOOPS
from arrowjag.errors import JagValueError, MissingDependencyError
from tests.together import THREADS, together

F8, SUM = np.dtype(np.float64), Variant("sum", "f8", False)


class World:
    """Stand-ins for the cache, the compiler and the process beside this one."""

    def __init__(self) -> None:
        self.cache = dict[str, bytes]()
        self.failed, self.pending = set[str](), set[str]()
        self.requested, self.compiled = list[str](), list[Variant]()
        self.can_start, self.accepts, self.compiles = True, True, True

    def request(self, variant: str) -> bool:
        self.requested.append(variant)
        return self.accepts

    def compile_now(self, variant: Variant) -> bytes | None:
        self.compiled.append(variant)
        return b"now" if self.compiles else None


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A process that has looked for nothing yet; keys are the names of variants."""
    found = World()
    for name in ("_loaded", "_asked", "_missed"):
        monkeypatch.setattr(library, name, {})
    monkeypatch.setattr(library, "is_available", lambda: True)
    monkeypatch.setattr(library, "key_of", str)
    monkeypatch.setattr(library, "compile_now", found.compile_now)
    monkeypatch.setattr(library, "Compiled", lambda code, arguments: (code, arguments))
    monkeypatch.setattr(objects, "read", found.cache.get)
    monkeypatch.setattr(objects, "is_marked_failed", lambda key: key in found.failed)
    monkeypatch.setattr(background, "can_start", lambda: found.can_start)
    monkeypatch.setattr(background, "is_pending", lambda variant: variant in found.pending)
    monkeypatch.setattr(background, "request", found.request)
    with options(compile="auto"), strategy.force(COMPILING_VALUES=100, COMPILED_VALUES=10, LOADING_VALUES=15, COUNTED_VALUES=5):
        yield found


def find(n_values: int = 0) -> Any:
    return library.find("sum", F8, False, n_values)


ARGUMENTS = LOOPS["sum"].arguments


def test_a_loop_in_the_cache_is_loaded_once(world: World) -> None:
    world.cache["sum-f8-plain"] = b"code"
    assert find() == (b"code", ARGUMENTS)
    world.cache.clear()
    assert find() == (b"code", ARGUMENTS)
    assert library._look_for(SUM, False, 0) == (b"code", ARGUMENTS)
    assert library._loaded == {SUM: (b"code", ARGUMENTS)}
    assert library.find("sum", F8, True) is None
    assert (world.requested, world.compiled) == ([], [])


def test_no_loop_is_found_where_none_may_be(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.cache["sum-f8-plain"] = b"code"
    with options(compile="never"):
        assert find() is None
        assert library.find_loop("sum", F8, False, 5, often=True) is None
    assert library.find("sum", np.dtype(np.float16), False) is None
    assert library.find_loop("sum", np.dtype("M8[s]"), False, 5, often=True) is None
    assert (library._loaded, library._asked) == ({}, {})
    with monkeypatch.context() as patch:
        patch.setattr(library, "is_available", lambda: False)
        assert find() is None
    assert find() is not None


def test_a_loop_that_is_not_for_a_type_is_not_looked_for_again(world: World) -> None:
    for _ in range(2):
        assert library.find("sum", np.dtype(np.int64), False, 1000) is None
    assert library._loaded == {Variant("sum", "i8", False): None}
    assert world.requested == []


def test_values_add_up_until_a_loop_is_worth_its_compilation(world: World) -> None:
    for n, wanted in ((0, 0), (60, 0), (39, 0), (1, 1), (0, 1), (5, 2)):
        assert find(n) is None
        assert len(world.requested) == wanted, n
    assert world.requested == ["sum-f8-plain"] * 2
    assert library._missed == {SUM: 105}
    assert library._loaded == {}
    assert library.find("sum", F8, True, 100) is None
    assert world.requested[2:] == ["sum-f8-nulls"]


@pytest.mark.parametrize("reason", ["no process starts", "it failed before", "it is refused"])
def test_a_loop_that_no_process_compiles_is_not_looked_for_again(reason: str, world: World) -> None:
    world.can_start, world.accepts = reason != "no process starts", reason != "it is refused"
    if reason == "it failed before":
        world.failed.add("sum-f8-plain")
    assert find(99) is None
    assert library._loaded == ({} if reason == "it is refused" else {SUM: None})
    assert find(1) is None
    assert library._loaded == {SUM: None}
    world.cache["sum-f8-plain"] = b"code"
    assert find(1000) is None
    assert world.requested == (["sum-f8-plain"] if reason == "it is refused" else [])


def test_a_loop_that_is_being_compiled_is_waited_for(world: World) -> None:
    world.pending.add("sum-f8-plain")
    world.cache["sum-f8-plain"] = b"code"
    assert find(1000) is None
    assert (library._loaded, world.requested) == ({}, [])
    with options(compile="always"):
        assert find() == (b"code", ARGUMENTS)
    library._loaded.clear()
    world.pending.clear()
    assert find() == (b"code", ARGUMENTS)


@pytest.mark.parametrize("outcome", ["compiled", "fails", "failed before"])
def test_a_loop_is_compiled_at_once_if_always(outcome: str, world: World) -> None:
    world.compiles = outcome == "compiled"
    if outcome == "failed before":
        world.failed.add("sum-f8-plain")
    wanted = (b"now", ARGUMENTS) if outcome == "compiled" else None
    with options(compile="always"):
        for _ in range(2):
            assert find(1000) == wanted
    assert library._loaded == {SUM: wanted}
    assert world.compiled == ([] if outcome == "failed before" else [SUM])
    assert world.requested == []


def test_threads_that_need_a_loop_at_once_compile_it_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_slowly(variant: Variant) -> bytes | None:
        time.sleep(0.05)
        return world.compile_now(variant)

    monkeypatch.setattr(library, "compile_now", compile_slowly)
    with options(compile="always"):
        assert together([partial(find, 1000)] * THREADS) == [(b"now", ARGUMENTS)] * THREADS
    assert world.compiled == [SUM]


def test_an_error_of_the_compiler_or_the_system_is_none_of_the_callers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(objects, "read", fail)
    for _ in range(2):
        assert find(1000) is None
    assert library._loaded == {SUM: None}


def test_loops_for_many_and_for_few_values(world: World) -> None:
    world.cache["sum-f8-plain"] = b"code"
    loop = (b"code", ARGUMENTS)
    calls = [(9, False), (0, True), (5, True), (9, True), (1, True), (9, True), (9, False), (0, True), (10, False)]
    wanted = [None, None, None, None, loop, loop, None, None, loop]
    assert [library.find_loop("sum", F8, False, n, often=often) for n, often in calls] == wanted
    library._loaded.clear()
    assert library.find_loop("sum", F8, False, 9) is None
    assert library.find_loop("sum", F8, False, 10) == loop


def test_calls_on_few_values_add_up(world: World) -> None:
    for n, asked, missed in ((1, 5, 0), (7, 12, 0), (2, 17, 1), (9, 9, 1), (1, 14, 1), (1, 19, 2), (6, 6, 2)):
        assert library.find_loop("sum", F8, False, n, often=True) is None
        assert library._asked == {SUM: asked if asked < 15 else 0}
        assert library._missed == ({SUM: missed * 100} if missed else {})
    assert library.find_loop("sum", F8, True, 1, often=True) is None
    assert library._asked == {SUM: 6, Variant("sum", "f8", True): 5}
    assert world.requested == ["sum-f8-plain", "sum-f8-plain"]
    library._loaded[SUM] = None
    assert library.find_loop("sum", F8, False, 1, often=True) is None
    assert library._asked[SUM] == 6


def test_the_key_of_a_loop_depends_on_source_versions_and_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()
    monkeypatch.setattr(sources, "source_of", lambda module: asked.append(module) or b"source")
    monkeypatch.setattr(library, "_versions", lambda: "versions")
    monkeypatch.setattr(compiler, "describe", lambda: "processor")
    wanted = objects.Key(b"source", "versions", "processor", "sum-f8-plain")
    assert library.key_of(SUM).digest == wanted.digest
    assert asked == [LOOPS["sum"].make.__module__]


def test_the_versions_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    def version(package: str) -> str:
        if package == "llvmlite":
            raise PackageNotFoundError
        return f"of {package}"

    monkeypatch.setattr("importlib.metadata.version", version)
    for name in library._SETTINGS:
        monkeypatch.delenv(f"NUMBA_{name}", raising=False)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert library._versions.__wrapped__() == "numba of numba\nllvmlite -"
    monkeypatch.setenv("NUMBA_OPT", "0")  # code that is ten times as slow is not that of other processes
    assert library._versions.__wrapped__() == "numba of numba\nllvmlite -\nOPT=0"


@pytest.mark.parametrize(("function", "package"), [(library.is_available, "llvmlite"), (library.can_compile, "numba")])
def test_which_packages_are_needed(function: Any, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for known in ("numba", "llvmlite"):
        monkeypatch.setattr("importlib.util.find_spec", lambda name, known=known: name if name == known else None)
        assert function.__wrapped__() is (known == package)


@pytest.mark.parametrize("code", [0, 1])
def test_a_call_passes_addresses_and_reads_the_result(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[tuple[Any, ...]]()

    def function(result: int, error: int, *arguments: Any) -> int:
        assert error == result + 8
        ctypes.c_int64.from_address(result).value = 42
        calls.append(arguments)
        return code

    made = list[tuple[Any, ...]]()
    monkeypatch.setattr(compiler, "load", lambda *given: ("loaded", *given))
    monkeypatch.setattr(compiler, "as_function", lambda *given: made.append(given) or function)
    loop = library.Compiled(b"code", ("f8*", "i8"))
    assert made == [(("loaded", b"code", SYMBOL), ("f8*", "i8"))]
    data = np.arange(3.0)
    if code:
        with pytest.raises(RuntimeError, match=r"^a compiled loop reported an exception, which it has no code for$"):
            loop(data)
    else:
        assert loop(data, None, 5, data[1:]) == 42
        assert calls == [(data.ctypes.data, None, 5, data.ctypes.data + 8)]


def test_all_variants() -> None:
    found = library.variants()
    assert len(set(found)) == len(found) == sum(len(loop.nulls) * len(loop.types) for loop in LOOPS.values())
    assert {Variant("sum", "f4", nulls) for nulls in (False, True)} <= set(found)
    assert all(one.type in LOOPS[one.name].types for one in found)


@pytest.mark.parametrize("fails", [False, True])
def test_a_function_is_compiled_and_kept(fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_loop(loop: Any, variant: Variant) -> bytes:
        assert (loop, variant) == (LOOPS["sum"], SUM)
        if fails:
            raise RuntimeError("no registers left")
        return b"code"

    written, marked = list[Any](), list[Any]()
    monkeypatch.setattr(library, "key_of", str)
    monkeypatch.setattr(library, "_obstacle", lambda: None)
    monkeypatch.setattr(library, "_interrupted", False)
    monkeypatch.setattr(compiler, "compile_loop", compile_loop)
    monkeypatch.setattr(objects, "write", lambda *given: written.append(given) or given[-1] != Path("full"))
    monkeypatch.setattr(objects, "mark_failed", lambda *given: marked.append(given))
    for folder in (None, Path("folder")):
        assert library.compile_now(SUM, folder) == (None if fails else b"code")
    failure = ("sum-f8-plain", "RuntimeError: no registers left")
    assert marked == ([failure] * 2 if fails else [])
    assert written == ([] if fails else [("sum-f8-plain", b"code", None), ("sum-f8-plain", b"code", Path("folder"))])
    if not fails:
        with pytest.raises(JagValueError, match=r"^compile: full takes no more files; is the disk full\?$"):
            library.compile_now(SUM, Path("full"))


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Compile three functions ahead of time: one is there, one fails; the calls of the compiler."""
    calls = list[Any]()
    every = [Variant("sum", "f8", False), Variant("sum", "f4", True), Variant("max", "f8", False)]
    codes: dict[str, Callable[[], bytes | None]] = {"sum-f4-nulls": lambda: b"code", "max-f8-plain": lambda: None}
    monkeypatch.setattr(library, "can_compile", lambda: True)
    monkeypatch.setattr(library, "_obstacle", lambda: None)
    monkeypatch.setattr(library, "variants", lambda: every)
    monkeypatch.setattr(library, "key_of", str)
    monkeypatch.setattr(library, "compile_now", lambda variant, folder: calls.append((variant, folder)) or codes[str(variant)]())
    monkeypatch.setattr(objects, "read", lambda key, places: b"code" if (key, places) == ("sum-f8-plain", [Path("here")]) else None)
    monkeypatch.setattr(objects, "is_writable", lambda folder: folder == Path("here"))
    monkeypatch.setattr(objects, "writable_folder", lambda: Path("here"))
    return calls


@pytest.mark.parametrize("folder", [None, Path("here")])
def test_functions_are_compiled_ahead_of_time(folder: Path | None, ahead: list[Any]) -> None:
    there, nulls, largest = library.variants()
    assert [*library.compile_all(folder)] == [(there, "there"), (nulls, "compiled"), (largest, "failed")]
    assert ahead == [(nulls, Path("here")), (largest, Path("here"))]
    assert [one.variant for one in library.compile_all(folder, "sum-*-plain")] == [there]
    assert [one.variant for one in library.compile_all(folder, "sum-f8-plain")] == [there]


def test_errors_of_compiling_ahead_of_time(ahead: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(JagValueError, match=r"^compile: no loop matches 'SUM-\*'; names are such as sum-f8-plain$"):
        next(library.compile_all(only="SUM-*"))
    unable = r"^compile: {} can't be written by this user alone; name one with --folder$"
    with pytest.raises(JagValueError, match=unable.format("other")):
        next(library.compile_all(Path("other")))
    monkeypatch.setattr(objects, "writable_folder", lambda: None)
    with pytest.raises(JagValueError, match=unable.format("the cache folder")):
        next(library.compile_all())
    monkeypatch.setattr(library, "_obstacle", lambda: "NUMBA_DISABLE_JIT is set")
    with pytest.raises(JagValueError, match=r"^compile: numba compiles nothing here: NUMBA_DISABLE_JIT is set$"):
        next(library.compile_all())
    monkeypatch.setattr(library, "can_compile", lambda: False)
    with pytest.raises(MissingDependencyError, match=r"numba.*arrowjag compile|arrowjag compile.*numba") as raised:
        next(library.compile_all(Path("here")))
    assert str(raised.value) == str(MissingDependencyError.of("numba", "compiled", "arrowjag compile"))


def test_loops_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[Any]()
    monkeypatch.setattr(library, "find_loop", lambda *given, often: asked.append((*given, often)) or "loop")
    for type in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        for items, nulls in ((["a", None], True), (["a"], False)):
            assert library.find_text_loop("text_is_first_distinct", pa.array(items).cast(type)) == "loop"
            assert asked.pop() == ("text_is_first_distinct", np.dtype(np.uint8), nulls, len(items), True)
            with strategy.force(text="numpy"):
                assert library.find_text_loop("text_is_first_distinct", pa.array(items).cast(type)) is None
            asked.clear()
    for values in (pa.array([1]), pa.array(["a"], pa.string_view()), pa.array([b"a"], pa.binary(1))):
        assert library.find_text_loop("text_is_first_distinct", values) is None
    assert asked == []
    monkeypatch.setattr(library, "find_loop", lambda *_, often: None)
    assert library.find_text_loop("text_is_first_distinct", pa.array(["a"])) is None
