"""Which loops are ready to be called: loaded before, in the cache, or not yet; compiling them now, or all ahead of time."""

from __future__ import annotations

import ctypes
import fnmatch
import functools
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._kernels import strategy
from arrowjag._kernels.compiled import background, compiler, forks, objects, sources
from arrowjag._kernels.compiled.loop import SYMBOL, Nulls, Variant, item_type
from arrowjag._runtime.options import options
from arrowjag._versions import is_installed
from arrowjag.errors import JagValueError, MissingDependencyError

__all__ = [
    "Compiled",
    "Outcome",
    "can_compile",
    "compile_all",
    "compile_now",
    "find",
    "find_loop",
    "find_text_loop",
    "is_available",
    "key_of",
    "takes_loops",
    "variants",
]

_loaded: dict[Variant, Compiled | None] = {}
"""Functions by variant; None for one that this process can't have."""

_asked: dict[Variant, int] = {}
"""For how many values calls on few have asked for a function that isn't loaded."""

_missed: dict[Variant, int] = {}
"""The number of values, in all calls so far, for which a function was needed that has no code yet."""

_lock = threading.RLock()

for _held in (compiler._lock, _lock):  # registered here, because the source of the compiler decides what loops do
    forks.wait_for(_held)

_buffer, _Array = pa.py_buffer, np.ndarray
"""Looked up once: a loop takes ten arrays."""


class _Result(threading.local):
    """The memory to which the loops of a thread write their result and the kind of an exception."""

    def __init__(self) -> None:
        self.words = (ctypes.c_int64 * 2)()
        self.address = ctypes.addressof(self.words)


_result = _Result()


class Compiled:
    """A loop as machine code. It is called with numpy arrays, None for no array, and integers; it doesn't hold the GIL."""

    __slots__ = ("_function",)

    def __init__(self, code: bytes, arguments: tuple[str, ...]) -> None:
        self._function = compiler.as_function(compiler.load(code, SYMBOL), arguments)

    @property
    def function(self) -> Any:
        """The function itself, for code that numba compiles: it takes addresses of a result and of an exception first."""
        return self._function

    def __call__(self, *arguments: Any) -> int:
        """Run the loop and return its result; arrays must be contiguous and stay alive, which they do until it returns."""
        # numpy's own attributes take 1 microsecond per array, a buffer 0.2
        plain = [_buffer(a).address if isinstance(a, _Array) else a for a in arguments]
        words, address = _result.words, _result.address
        if self._function(address, address + 8, *plain):
            raise RuntimeError("a compiled loop reported an exception, which it has no code for")
        result: int = words[0]  # which every loop writes
        return result


@functools.cache
def is_available() -> bool:
    """Whether llvmlite, which loads code, is installed; it is asked without being imported."""
    return is_installed("llvmlite")


def takes_loops() -> bool:
    """Whether kernels take compiled loops as far as they are ready."""
    return options.compile != "never" and is_available()


_SETTINGS = ("BOUNDSCHECK", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")
"""Variables of the environment, each after ``NUMBA_``, that change the code which numba writes."""


@functools.cache
def _versions() -> str:
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for package in ("numba", "llvmlite"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} -")
    found += [f"{name}={value}" for name in _SETTINGS if (value := os.environ.get(f"NUMBA_{name}"))]
    return "\n".join(found)


def key_of(variant: Variant) -> objects.Key:
    """The cache key of a function: sources, compiler, processor, and the variant."""
    from arrowjag._kernels.compiled.loops import loop_named

    module = loop_named(variant.name).make.__module__
    return objects.Key(sources.source_of(module), _versions(), compiler.describe(), str(variant))


def find(name: str, dtype: np.dtype[Any], nulls: Nulls, n_values: int = 0) -> Compiled | None:
    """A loop for items of a type, if it is ready; None otherwise.

    Parameters
    ----------
    name : str
        One of the loops.
    dtype : numpy dtype
        That of the items.
    nulls : bool or "bits"
        Whether some items are null, and how the loop is told which.
    n_values : int
        Number of values to process. If there is no code yet, another process compiles it once the calls so far have had enough
        values in all. The answer is None until that is done.
    """
    if not takes_loops():
        return None
    variant = _variant_of(name, dtype, nulls)
    if variant is None:
        return None
    if variant in _loaded:
        return _loaded[variant]
    return _look_for(variant, options.compile == "always", n_values)


@functools.lru_cache(4096)
def _variant_of(name: str, dtype: np.dtype[Any], nulls: Nulls) -> Variant | None:
    """The variant for items of a type; None for a type that loops don't know. Kept, because few values ask as often as many."""
    type = item_type(dtype)
    return None if type is None else Variant(name, type, nulls)


def _look_for(variant: Variant, at_once: bool, n_values: int) -> Compiled | None:
    with _lock:
        if variant in _loaded:
            return _loaded[variant]
        if not at_once and background.is_pending(str(variant)):
            return None
        try:
            return _look_again(variant, at_once, n_values)
        except Exception:  # noqa: BLE001  # whatever numba, LLVM or the system raise: numpy answers
            _loaded[variant] = None
            return None


def _look_again(variant: Variant, at_once: bool, n_values: int) -> Compiled | None:
    from arrowjag._kernels.compiled.loops import loop_named

    loop = loop_named(variant.name)
    if variant.type not in loop.types or variant.nulls not in loop.nulls:
        _loaded[variant] = None
        return None
    key = key_of(variant)
    code = objects.read(key)
    if code is None and at_once and not objects.is_marked_failed(key):
        code = compile_now(variant)
    if code is None:
        total = _missed[variant] = _missed.get(variant, 0) + n_values
        is_worth_compiling = n_values > 0 and total >= strategy.sizes.COMPILING_VALUES
        failed = objects.is_marked_failed(key) or not background.can_start()
        if at_once or failed or (is_worth_compiling and not background.request(str(variant))):
            _loaded[variant] = None
        return None
    found = Compiled(code, loop.arguments)
    _loaded[variant] = found
    return found


@functools.cache
def can_compile() -> bool:
    """Whether numba, which compiles, is installed; it is asked without being imported."""
    return is_installed("numba")


def _obstacle() -> str | None:
    """Why numba compiles nothing in this process, or what stands in its place; None if it does."""
    try:
        import numba

        one = numba.types.int64
        if numba.config.DISABLE_JIT:
            return "NUMBA_DISABLE_JIT is set"
        numba.cfunc(one(one))(lambda item: item).inspect_llvm()
    except Exception as error:  # noqa: BLE001  # an ImportError for a version of numpy, or whatever else
        return f"{type(error).__name__}: {error}"
    return None


_PASSING = (ImportError, MemoryError, OSError, RecursionError, Warning)
"""Errors of the process or the system, of which no loop is the cause: a depth of calls, or a warning that is an error here."""

_interrupted = False
"""Whether an interrupt has ended a compilation of this process. It leaves modules of numba half loaded, and later ones may fail."""


def compile_now(variant: Variant, folder: Path | None = None) -> bytes | None:
    """Compile a function in this process and keep its code; None, and remembered, where numba can't compile it.

    Raises
    ------
    JagValueError
        If a folder is given and takes no file.
    """
    global _interrupted  # noqa: PLW0603  # a fact of the process
    from arrowjag._kernels.compiled.loops import loop_named

    key = key_of(variant)
    try:
        code = compiler.compile_loop(loop_named(variant.name), variant)
    except Exception as error:  # noqa: BLE001  # numba raises whatever it meets
        if not _interrupted and not isinstance(error, _PASSING) and _obstacle() is None:
            objects.mark_failed(key, f"{type(error).__name__}: {error}")
        return None
    except BaseException:
        _interrupted = True
        raise
    if not objects.write(key, code, folder) and folder is not None:
        raise JagValueError(f"compile: {folder} takes no more files; is the disk full?")
    return code


def find_loop(name: str, dtype: np.dtype[Any], nulls: Nulls, n_values: int, often: bool = False) -> Compiled | None:
    """A compiled loop for that many values, if it is ready; None otherwise.

    Another process compiles a missing loop once the calls so far have had enough values in all, for later calls. With `often` few
    values take a loop too that replaces many calls of numpy: one that is loaded, or that calls on few values have asked for, for
    LOADING_VALUES in all. Then it is also compiled, if it has no code yet.
    """
    if n_values < strategy.sizes.COMPILED_VALUES:
        return _loop_of_few(name, dtype, nulls, n_values) if often and n_values else None
    return find(name, dtype, nulls, n_values)


def _loop_of_few(name: str, dtype: np.dtype[Any], nulls: Nulls, n_values: int) -> Compiled | None:
    variant = _variant_of(name, dtype, nulls)
    if variant is None or options.compile == "never":
        return None
    if variant in _loaded:
        return _loaded[variant]
    asked = _asked.get(variant, 0) + max(n_values, strategy.sizes.COUNTED_VALUES)
    is_enough = asked >= strategy.sizes.LOADING_VALUES
    _asked[variant] = 0 if is_enough else asked
    return find(name, dtype, nulls, strategy.sizes.COMPILING_VALUES) if is_enough else None


class Outcome(NamedTuple):
    """The outcome of compiling one function."""

    variant: Variant
    state: str
    """One of "there", "compiled" and "failed"."""


def variants() -> list[Variant]:
    """Every function that can be compiled: of each loop for each item type and each way to tell nulls."""
    from arrowjag._kernels.compiled.loops import LOOPS

    return [Variant(loop.name, type, nulls) for loop in LOOPS.values() for type in loop.types for nulls in loop.nulls]


def compile_all(folder: Path | None = None, only: str = "*") -> Iterator[Outcome]:
    """Compile whatever is not in the cache yet, into a folder or else into the first one that can be written.

    `only` is a pattern of the shell, which names such as ``sum-f8-plain`` must match.

    Raises
    ------
    MissingDependencyError
        If numba is not installed.
    JagValueError
        If numba can't be imported or is turned off, the folder can't be written, or no function matches.
    """
    if not can_compile():
        raise MissingDependencyError.of("numba", "compiled", "arrowjag compile")
    if (reason := _obstacle()) is not None:
        raise JagValueError(f"compile: numba compiles nothing here: {reason}")
    target = folder or objects.writable_folder()
    if target is None or not objects.is_writable(target):
        raise JagValueError(f"compile: {target or 'the cache folder'} can't be written by this user alone; name one with --folder")
    wanted = [variant for variant in variants() if fnmatch.fnmatchcase(str(variant), only)]
    if not wanted:
        raise JagValueError(f"compile: no loop matches {only!r}; names are such as {variants()[0]}")
    for variant in wanted:
        yield Outcome(variant, _compile_missing(variant, target))


def _compile_missing(variant: Variant, folder: Path) -> str:
    key = key_of(variant)
    if objects.read(key, [folder]) is not None:
        return "there"
    code = compile_now(variant, folder)
    return "failed" if code is None else "compiled"


def find_text_loop(name: str, values: pa.Array[Any]) -> Compiled | None:
    """The compiled loop for text or binary values, if it is ready and values are of such a type."""
    type = values.type
    if not (pt.is_string(type) or pt.is_large_string(type) or pt.is_binary(type) or pt.is_large_binary(type)):
        return None
    return strategy.loop_of("text", find_loop(name, np.dtype(np.uint8), values.null_count > 0, len(values), often=True))
