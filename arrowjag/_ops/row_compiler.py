"""Compile a user's function of rows together with the loop that calls it, using numba.

Compiled loops are cached in the process. The key is the function's code and the values that it reads from its closure and from
globals, so that a lambda that is created anew for each call is compiled once.
"""

from __future__ import annotations

import functools
import reprlib
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import from_sizes, runs
from arrowjag._kernels.base.words import unless_all
from arrowjag._kernels.compiled import forks
from arrowjag._ops.checked_numbers import checked_function
from arrowjag._ops.function_keys import bytes_read, key_of
from arrowjag._ops.noted_rows import Noted, can_note, chunk_rows, noting_function, turn_of
from arrowjag._ops.unlike import unlike_operation
from arrowjag._runtime.identity import cells_of, names_read
from arrowjag._versions import is_installed
from arrowjag.errors import plural
from arrowjag.typing import BoolArray, IntArray

if TYPE_CHECKING:
    from arrowjag._ops.calls import Argument, Calls, Form
    from arrowjag._ops.unusual_rows import Sample, UnusualRows

__all__ = ["Driver", "UnlikeError", "compile_rows", "is_available", "numbers_of", "offsets_of"]

_MOST_FUNCTIONS, _MOST_BYTES = 1000, 1 << 28
"""The largest number of functions that are cached, and of bytes of the arrays that they read, which their code keeps alive."""

_drivers: dict[Any, Driver | str] = {}
_bytes_kept = [0]
"""The number of bytes of the arrays that the cached functions read."""

_lock = threading.RLock()
forks.wait_for(_lock)


@functools.cache
def is_available() -> bool:
    """Return whether numba is installed, without importing it."""
    return is_installed("numba")


class UnlikeError(Exception):
    """Compiled code can't give what the interpreter gives; the text says why."""


class Driver(NamedTuple):
    """A compiled loop over rows, and the type of the function's results."""

    loop: Callable[..., Any]
    one: Callable[..., Any]
    """The function of one row; with one result per item, it writes them to an array that is its last argument."""
    dtype: np.dtype[Any]
    is_row: bool
    is_optional: bool
    per_item: bool
    """Whether the function writes a result for each item of its rows, so that results need no sizes of their own."""
    guard: int | None
    """The place of the argument that flags the items to call the function for; see `Form`."""
    takes_bounds: bool
    """Whether `one` takes two positions after its arguments: those of the first item and behind the last one."""
    notes: bool
    """Whether the loop notes the rows of extreme numbers."""

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the results, which is a list type if results are rows."""
        found = pa.from_numpy_dtype(self.dtype)
        return pa.large_list(found) if self.is_row else found

    @property
    def description(self) -> str:
        """The type of the results, for messages."""
        return str(self.type)

    def matches(self, expected: pa.DataType | None) -> bool:
        """Return whether the result type equals the interpreter's; None, if the interpreter had no results, matches any type."""
        return expected is None or expected == self.type

    def check(self, samples: Sequence[Sample], expected: Sequence[Any], name: Callable[[int], str]) -> None:
        """Raise `UnlikeError` if results for some samples differ from the interpreter's by more than the rounding of sums.

        They differ if integers leave 64 bits, or if the function draws random numbers. `name` returns the name of a row for the
        message.
        """
        found = []
        with np.errstate(all="ignore"):
            for sample, result in zip(samples, expected, strict=True):
                try:
                    found.append(self._one(sample))
                except Exception:  # noqa: BLE001  # from the user's function, which the interpreter will decide
                    found.append(result)
        place = _first_difference(found, expected)
        if place is not None:
            theirs, own = (reprlib.repr(results[place]) for results in (found, expected))
            raise UnlikeError(f"numba's result is {theirs}, Python's {own} on {name(samples[place].row)}")

    def fails(self, sample: Sample) -> bool:
        """Return whether the compiled function raises an error on a sample."""
        try:
            with np.errstate(all="ignore"):
                self._one(sample)
        except Exception:  # noqa: BLE001  # from the user's function
            return True
        return False

    def _one(self, sample: Sample) -> Any:
        """Call the compiled function on a sample; the caller has turned off numpy's warnings."""
        given = sample.given()
        if not self.takes_bounds:
            return self.one(*given)
        place = next(place for place, argument in enumerate(sample.arguments) if hasattr(argument, "offsets"))
        items = given[place][0] if hasattr(sample.arguments[place], "fields") else given[place]
        if not self.per_item:
            return self.one(*given, 0, len(items))
        out = np.zeros(len(items), self.dtype)
        self.one(*given, 0, len(items), out)
        return out if self.guard is None else out[given[self.guard]]

    def run(self, calls: Calls, unusual: UnusualRows) -> pa.Array:
        """Call the function for all live rows, on all cores; other rows are null, or hold 0 where results are per item.

        `unusual` looks at the rows of each part and at their results.

        If the compiled function raises for a row, the interpreter calls the function for this row, and has an error or a result:
        a division by zero raises for numbers of Python, and gives an infinity for those of numpy, but compiled code does not tell
        the two apart.
        """
        # For functions of rows, the number of results equals the number of items.
        offsets = offsets_of(calls.arguments) if self.is_row else None
        valid = _flags(calls.live, calls.n_rows)
        sizes = zeros(calls.n_rows if self.grows else 0, np.int64)
        settled = self._settled(calls, valid)
        if offsets is None:
            is_full = calls.live is None and settled is None and not self.is_optional
            out = (empty if is_full else zeros)(calls.n_rows, self.dtype)  # 0 under nulls
        else:
            out = empty(int(offsets[-1]), self.dtype)
        run = _Run(self, calls, unusual, offsets, valid, sizes, out)
        found = blocks.map_tasks(lambda rows: run.part(*rows), _cut(calls.n_rows, offsets_of(calls.arguments)))
        unusual.look_at_noted()
        failures = [failure for _, failure in found if failure is not None]
        if failures:
            raise min(failures, key=lambda failure: failure.row).error
        if settled is not None:
            rows, result = settled
            valid[rows] = result is not None
            if not self.is_row and result is not None:
                out[rows] = result
        if not self.is_row:
            return _arrow.from_numpy(out, unless_all(valid))
        if self.per_item and offsets is not None:
            return _slots(out, offsets, unusual.idle)
        return _rows([results for results, _ in found], out, sizes, unless_all(valid))

    @property
    def grows(self) -> bool:
        """Whether results are rows of any size."""
        return self.is_row and not self.per_item

    def _settled(self, calls: Calls, valid: BoolArray) -> tuple[Any, Any] | None:
        """Call the function for one empty row, and clear the flags of all empty rows, which share its result.

        Compiled functions raise most often for empty rows, because they divide by the number of items. Returns None if there are
        no such rows, or the loop must call the function for them.
        """
        offsets = offsets_of(calls.arguments)
        if offsets is None or not all(hasattr(argument, "offsets") for argument in calls.arguments):
            return None
        rows = ((offsets[1:] == offsets[:-1]) & valid).nonzero()[0]
        if not len(rows):
            return None
        try:
            result = calls.call(int(rows[0]))
        except Exception:  # noqa: BLE001  # from the user's function; raised in its turn, after those of rows before it
            return None
        is_empty = isinstance(result, np.ndarray) and result.size == 0
        if not (is_empty if self.is_row else self._fits(result)):
            return None
        valid[rows] = False
        return rows, result

    def _fits(self, result: Any) -> bool:
        """Return whether the interpreter's result has the type of the compiled ones."""
        if result is None:
            return self.is_optional
        is_number = isinstance(result, (bool, int, float, np.generic))
        return is_number and np.result_type(self.dtype, np.asarray(result)) == self.dtype


class _Failure(NamedTuple):
    """An error of the user's function."""

    row: int
    error: Exception


class _Run(NamedTuple):
    """One run of a compiled loop: what its parts, which run on several threads, share."""

    driver: Driver
    calls: Calls
    unusual: UnusualRows
    offsets: IntArray | None
    """The offsets of the items of each row, if results are rows; None for one result per row."""
    valid: BoolArray
    sizes: IntArray
    out: npt.NDArray[Any]

    def part(self, first: int, last: int) -> tuple[npt.NDArray[Any], _Failure | None]:
        """Run the loop over some rows. Return the array that it has written results to, and the error of the first row with one."""
        results = self.out
        if self.driver.grows and self.offsets is not None:
            results = results[int(self.offsets[first]) : int(self.offsets[last])]
        begin, notes = first, self._notes(first, last)
        while first < last:
            results, failure = self._loop(first, last, results, notes)
            if failure is None:
                break
            try:
                self._settle(failure, results)
            except Exception as error:  # noqa: BLE001  # from the user's function
                if not isinstance(error, UnlikeError):
                    error.add_note(self.calls.failure(failure.row))
                self.unusual.look(begin, last)
                return results, _Failure(failure.row, error)
            first = failure.row + 1
        self.unusual.look(begin, last, notes[:-1] if self.driver.notes else ())
        # The loop has not noted the results of a chunk that has a row for which the function raises.
        is_noted = self.driver.notes and first == begin and can_note(results.dtype)
        self._look_at_results(begin, last, results, notes[-1] if is_noted else None)
        return results, None

    def _notes(self, first: int, last: int) -> list[Noted]:
        """Return the notes for each array that the loop reads and looks at, and for the results."""
        offsets = offsets_of(self.calls.arguments)
        n_items = 0 if offsets is None else int(offsets[last] - offsets[first])
        step = chunk_rows(last - first, n_items)
        types = [array.dtype for argument in self.calls.arguments for array in numbers_of(argument)]
        return [Noted.nothing(dtype, last, step) for dtype in (*types, self.driver.dtype)]

    def _loop(
        self, first: int, last: int, results: npt.NDArray[Any], notes: Sequence[Noted]
    ) -> tuple[npt.NDArray[Any], _Failure | None]:
        """Run the loop up to the first row for which the compiled function raises an error."""
        at = np.zeros(1, np.int64)
        flat = [array for argument in self.calls.arguments for array in arrays_of(argument)]
        noted = tuple(one.notes for one in notes)
        known = (at, self.valid, self.unusual.idle, self.sizes)
        try:
            with np.errstate(all="ignore"):
                return self.driver.loop(first, last, notes[-1].step, *known, results, noted, *flat), None
        except Exception as error:  # noqa: BLE001  # from the user's function; the interpreter decides
            return results, _Failure(int(at[0]), error)

    def _settle(self, failure: _Failure, results: npt.NDArray[Any]) -> None:
        """Store the interpreter's result of a row for which the compiled function raised an error, or raise the interpreter's."""
        result = self.calls.call(failure.row)
        if self.driver.is_row or not self.driver._fits(result):
            where = self.calls.name(failure.row)
            raise UnlikeError(f"the compiled function raises {failure.error!r} on {where}, Python doesn't")
        self.valid[failure.row] = result is not None
        if result is not None:
            results[failure.row] = result

    def _look_at_results(self, first: int, last: int, results: npt.NDArray[Any], noted: Noted | None) -> None:
        """Look for extreme results and NaN, in the chunks that the loop has noted, or in all results if it noted nothing."""
        if results.dtype.kind == "b":
            return
        if self.driver.grows:
            self.unusual.look_at_rows(first, last, from_sizes(self.sizes[first:last]), results, noted)
        elif self.driver.per_item:
            self.unusual.look_at_items(first, last, results, noted)
        else:
            self.unusual.look_at_results(first, last, self.valid, results, noted)


def _slots(out: npt.NDArray[Any], offsets: IntArray, idle: IntArray) -> pa.Array:
    """Return rows of one result per item, with 0 in idle rows, for which the loop has not called the function."""
    if len(idle):
        out[runs(offsets[idle], from_sizes(offsets[idle + 1] - offsets[idle]))] = 0
    return _arrow.wrap([_arrow.Level(offsets, None, None)], _arrow.from_numpy(out))


def _rows(parts: Sequence[npt.NDArray[Any]], out: npt.NDArray[Any], sizes: IntArray, valid: BoolArray | None) -> pa.Array:
    """Return rows of results; parts of the loop have written them to `out`, or to arrays of their own where they need more room."""
    if not (sum(map(len, parts)) == len(out) and all(np.shares_memory(one, out) for one in parts if len(one))):
        out = np.concatenate(parts)
    return _arrow.wrap([_arrow.Level(from_sizes(sizes), valid, None)], _arrow.from_numpy(out))


def _first_difference(found: Sequence[Any], expected: Sequence[Any]) -> int | None:
    """Return the place of the first result that differs; None if all agree.

    Floats may differ by 1e-6 of their value and, because digits may cancel, by 1e-9 of a typical result.
    """
    sizes = [_size(one) for one in found]
    wanted = [_size(one) for one in expected]
    if sizes != wanted:
        return next(place for place, pair in enumerate(zip(sizes, wanted, strict=True)) if pair[0] != pair[1])
    ours, theirs = _numbers(found), _numbers(expected)
    if theirs.dtype.kind == "f":
        with np.errstate(all="ignore"):
            usual = np.abs(theirs[np.isfinite(theirs) & (theirs != 0)])
            typical = float(np.median(usual)) if len(usual) else 1.0
            unlike = ~np.isclose(ours, theirs, rtol=1e-6, atol=1e-9 * typical, equal_nan=True)
    else:
        unlike = np.asarray(ours != theirs, bool)
    return int(np.searchsorted(np.cumsum([size or 0 for size in sizes]), unlike.argmax(), "right")) if unlike.any() else None


def _numbers(results: Sequence[Any]) -> npt.NDArray[Any]:
    """Return the numbers of all results, which are scalars or rows, in one array."""
    known = [one for one in results if one is not None]
    if known and not any(isinstance(one, np.ndarray) for one in known):
        return np.array(known)
    return np.concatenate([np.zeros(0, bool), *map(np.ravel, known)])


def _size(result: Any) -> int | None:
    if isinstance(result, np.ndarray):
        return result.size
    return None if result is None else 1


def _flags(live: BoolArray | None, n_rows: int) -> BoolArray:
    """Return a copy of the flags of live rows, which the loop may clear."""
    flags = empty(n_rows, np.bool_)
    flags[:] = True if live is None else live
    return flags


def offsets_of(arguments: Sequence[Argument]) -> IntArray | None:
    """Return the offsets of the first argument that has items; None if there is none."""
    return next((argument.offsets for argument in arguments if hasattr(argument, "offsets")), None)


def _cut(n_rows: int, offsets: IntArray | None) -> list[tuple[int, int]]:
    """Divide rows into a few parts per core, none of them too small."""
    n_items = 0 if offsets is None else int(offsets[-1])
    n_parts = max(1, min(4 * blocks.n_cores(), max(n_rows, n_items) // strategy.sizes.FUNCTION_PART))
    if offsets is not None and n_items > n_rows:
        return blocks.cut_rows(offsets, n_parts)
    bounds = [n_rows * place // n_parts for place in range(n_parts + 1)]
    return list(pairwise(bounds))


def compile_rows(function: Callable[..., Any], arguments: Sequence[Argument], form: Form) -> Driver | str:
    """Return the compiled loop for a function and its arguments of at least one row, or the reason why it can't be compiled."""
    kinds = tuple((type(argument).__name__, tuple(array.dtype.str for array in arrays_of(argument))) for argument in arguments)
    key = (
        key_of(function),
        form.name,
        kinds,
        tuple(_field_names(argument) for argument in arguments),
    )
    known = _drivers.get(key)
    if known is not None:  # without the lock, which a thread holds while it compiles another function
        return known
    with _lock:
        if key not in _drivers:
            n_bytes = bytes_read(function)
            if len(_drivers) >= _MOST_FUNCTIONS or _bytes_kept[0] + n_bytes > _MOST_BYTES:
                _drivers.clear()
                _bytes_kept[0] = 0
            _bytes_kept[0] += n_bytes
            try:
                _drivers[key] = _compile(function, arguments, form)
            except Exception as error:  # noqa: BLE001  # numba raises errors of any type; the interpreter is the fallback
                _drivers[key] = f"numba can't compile it: {_first_line(error)}"
        return _drivers[key]


def _field_names(argument: Any) -> tuple[str, ...]:
    return argument.type._fields if hasattr(argument, "fields") else ()


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reasons = [line for line in lines if not line.startswith(("Failed in", "During:", "File "))]
    return f"{type(error).__name__}: {(reasons or lines or [''])[0]}"


@contextmanager
def _wrapping_integers() -> Iterator[None]:
    """Compile code whose integers wrap around, as those of numpy do.

    numba tells LLVM that signed integers never overflow. LLVM concludes that x + 1 > x, and that a square is not negative, so that
    comparisons of integers beyond 64 bits differed from the interpreter's. numba's lock keeps other threads from compiling.
    """
    from numba.core.compiler_lock import global_compiler_lock
    from numba.cpython import numbers

    own = getattr(numbers, "_int_arith_flags", None)
    if own is None:
        yield
        return
    with global_compiler_lock:
        numbers._int_arith_flags = lambda _type: []
        try:
            yield
        finally:
            numbers._int_arith_flags = own


@contextmanager
def _checked_bounds() -> Iterator[None]:
    """Compile with checks of bounds also the functions that a function with such checks calls.

    numba compiles them without. Its `np.bincount`, for example, takes a negative first item for a position in its
    result, and writes outside of that memory. numba keeps code with checks apart from code without.
    """
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.cpu import CPUTargetOptions
    from numba.core.targetconfig import ConfigStack

    own = CPUTargetOptions.finalize

    def finalize(self: Any, flags: Any, options: Any) -> None:
        own(self, flags, options)
        caller = ConfigStack.top_or_none()
        if caller is not None and caller.boundscheck:
            flags.boundscheck = True

    with global_compiler_lock:
        CPUTargetOptions.finalize = finalize
        try:
            yield
        finally:
            CPUTargetOptions.finalize = own


def _compile(function: Callable[..., Any], arguments: Sequence[Argument], form: Form) -> Driver | str:
    """Compile a function; functions of `math` and others that it calls raise Python's errors, if numba compiles it with them."""
    import numba

    if numba.config.DISABLE_JIT:
        return "NUMBA_DISABLE_JIT is set"
    if any(array.dtype == np.uint64 for argument in arguments for array in arrays_of(argument)):
        return "numba and numpy differ in the type of uint64 with other integers; cast the column to int64"
    unlike = sorted(_UNLIKE & _names_called(function))
    if unlike:
        return f"numba's {unlike[0]} differs from numpy's for some rows"
    if _has_threads(function, set()):
        return "numba compiled a function that it calls with parallel=True, which must not be called from several threads"
    if hasattr(function, "overloads"):  # the interpreter calls the same code
        return _driver(function, arguments, form)
    plain = _as_function(function, form.arity or len(arguments))
    checked = checked_function(plain)
    if checked is not None:
        with suppress(Exception):  # `int` may be an argument of another function, as in row.astype(int)
            return _driver(checked, arguments, form)
    return _driver(plain, arguments, form)


def _driver(function: Any, arguments: Sequence[Argument], form: Form) -> Driver | str:
    """Compile a function of Python, unless numba has compiled it, and the loop that calls it."""
    import numba

    # Rows may be empty, and their numbers Python's own, for which a division by zero raises; items are numpy's.
    errors = "python" if offsets_of(arguments) is not None and not form.takes_bounds else "numpy"
    compile = numba.njit(nogil=True, boundscheck=True, error_model=errors)
    inner = function if hasattr(function, "overloads") else compile(function)
    # Loops over the items of a row need no checks of bounds; the user's function has its own.
    of_row = numba.njit(nogil=True, error_model="numpy")
    whole = form.compiled(inner)
    compiled = inner if whole is inner else of_row(whole)
    given = tuple(numba.typeof(argument.at(0)) for argument in arguments) + (numba.int64, numba.int64) * form.takes_bounds
    typed = compiled if form.item is None else of_row(form.item(inner))
    with _wrapping_integers(), _checked_bounds():
        result = _returned(typed, given)
    if inner is not function and (reason := unlike_operation(inner)) is not None:
        return reason
    optional = isinstance(result, numba.types.Optional)
    if optional and form.item is not None:
        return "it may return None"
    result = result.type if isinstance(result, numba.types.Optional) else result
    is_row = isinstance(result, numba.types.Array)
    if is_row and result.ndim != 1:
        return f"it returns arrays of {plural(result.ndim, 'dim')}"
    element = result.dtype if is_row else result
    if not isinstance(element, (numba.types.Number, numba.types.Boolean)) or isinstance(element, numba.types.Complex):
        return f"it returns {result}"
    dtype = np.dtype(numba.np.numpy_support.as_dtype(element))
    per_item = form.item is not None
    template = _SLOTS if per_item else _ROW if is_row else _SCALAR
    notes = _notes(arguments, template, dtype)
    loop = _loop(compiled, arguments, optional, form.takes_bounds, template, notes)
    return Driver(loop, compiled, dtype, is_row or per_item, optional, per_item, form.guard, form.takes_bounds, notes is not None)


_UNLIKE = frozenset({"argpartition", "argsort", "bincount", "flat", "fmod", "histogram", "partition"})
"""numpy functions whose compiled forms give other results.

numba's argsort puts equal items in another order, and its partition those on either side. Its bincount accepts a negative first
item, and its `flat` any position, its fmod gives integers the sign of the divisor, and its histogram counts no item of a row whose
items are equal.
"""


def _names_called(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names that a function looks up, or its own if it isn't written in Python; none if numba has compiled it."""
    if hasattr(function, "overloads"):  # the interpreter calls the same code
        return frozenset()
    code = getattr(function, "__code__", None)
    return frozenset({getattr(function, "__name__", "")}) if code is None else names_read(code)


def _has_threads(function: Any, seen: set[int]) -> bool:
    """Return whether a function, or one that it calls, runs on numba's threads, which may end the process beside other threads."""
    if getattr(function, "targetoptions", {}).get("parallel"):
        return True
    function = getattr(function, "py_func", function)
    if not isinstance(function, types.FunctionType) or id(function) in seen:
        return False
    seen.add(id(function))
    names = names_read(function.__code__)
    read = [*cells_of(function), *(function.__globals__.get(name) for name in names)]
    read += [vars(one).get(name) for one in read if isinstance(one, types.ModuleType) for name in names]
    return any(_has_threads(one, seen) for one in read if hasattr(one, "targetoptions"))


def _as_function(function: Callable[..., Any], n_arguments: int) -> types.FunctionType:
    """Wrap builtins and numpy functions in a Python function, which numba requires."""
    if isinstance(function, types.FunctionType):
        return function
    names = ", ".join(f"a{place}" for place in range(n_arguments))
    wrapped: types.FunctionType = eval(f"lambda {names}: function({names})", {"function": function})  # noqa: S307  # the source holds no user text
    return wrapped


def _returned(compiled: Any, given: tuple[Any, ...]) -> Any:
    """Return the result type of a compiled function for arguments of given types."""
    compiled.compile(given)
    return compiled.overloads[given].signature.return_type


def arrays_of(argument: Any) -> tuple[npt.NDArray[Any], ...]:
    """Return the arrays that hold an argument, in the order of the loop's parameters."""
    if hasattr(argument, "fields"):
        return (*argument.fields, argument.offsets)
    if hasattr(argument, "offsets"):
        return (argument.data, argument.offsets)
    if hasattr(argument, "data"):
        return (argument.data,)
    return ()


def numbers_of(argument: Any) -> tuple[npt.NDArray[Any], ...]:
    """Return those arrays of an argument that hold its numbers, all of 64 bits: neither offsets nor booleans."""
    found = arrays_of(argument)[: -1 if hasattr(argument, "offsets") else None]
    return tuple(array for array in found if array.dtype.kind != "b")


# --------------------------------------------------------------------------------------------------- the loop over rows

_HEAD = """
def loop(first, last, step, at, valid, idle, sizes, out, notes, {parameters}):
    used = 0
    for start in range(first, last, step):
        stop, begun = min(start + step, last), used
        {note_arguments}
        for i in range(np.uint64(start), np.uint64(stop)):  # unsigned: signed ones may count from the end
            if not valid[i]:
                continue
            at[0] = i
"""

_SCALAR = """            result = function({call})
            {check}
            out[i] = result
        {note_results}
    return out
"""

_SKIP_NONE = """if result is None:
                valid[i] = False
                continue
            """

_ROW = """            result = function({call})
            {check}
            n = len(result)
            if used + n > len(out):
                larger = np.empty(2 * (used + n), out.dtype)
                larger[:used] = out[:used]
                out = larger
            out[used : used + n] = result
            sizes[i] = n
            used += n
        {note_results}
    return out[:used]
"""

_SLOTS = """            function({call}, out)
        {note_results}
    return out
"""

_NOTED_ITEMS = "{offsets}.ctypes, start, stop, idle.ctypes, len(idle)"
_NOTED_SPAN = ("noted_rows", "idle.ctypes, begun, used, start")
"""The arguments between the numbers and the notes of a call that notes items of rows; for a span of numbers, with the function."""


class _Notes(NamedTuple):
    """The calls by which a loop over rows notes its arguments and its results, and the functions that they name."""

    arguments: str
    results: str
    functions: dict[str, Any]


def _notes(arguments: Sequence[Argument], template: str, dtype: np.dtype[Any]) -> _Notes | None:
    """Generate the calls that note numbers of 64 bits; None if one of their functions is not compiled yet."""
    offsets = next((f"a{place}_{len(arrays_of(one)) - 1}" for place, one in enumerate(arguments) if hasattr(one, "offsets")), "")
    rows, items = ("noted_rows", "valid.ctypes, start, stop, start"), ("noted_items", _NOTED_ITEMS.format(offsets=offsets))
    wanted = [
        (f"a{place}_{k}", array.dtype, *(items if hasattr(argument, "offsets") else rows))
        for place, argument in enumerate(arguments)
        for k, array in enumerate(arrays_of(argument)[: -1 if hasattr(argument, "offsets") else None])
        if array.dtype.kind != "b"
    ]
    calls: list[str] = []
    functions: dict[str, Any] = {}
    for name, of, function, bounds in (*wanted, ("out", dtype, *{_SCALAR: rows, _SLOTS: items, _ROW: _NOTED_SPAN}[template])):
        noted = f"notes[{len(calls)}]"
        found = noting_function(function, nulls=bounds.startswith("valid")) if can_note(of) else None
        if found is None and can_note(of):
            return None
        alias = f"{function}_{len(calls)}"
        functions[alias] = found
        call = f"{alias}({noted}[5:].ctypes, {noted}[6:].ctypes, {name}.ctypes, {bounds}, {turn_of(of)}, {noted}.ctypes)"
        calls.append("pass" if found is None else call)
    *before, after = calls
    return _Notes("\n        ".join(before) or "pass", after, functions)


def _loop(
    compiled: Any, arguments: Sequence[Argument], optional: bool, takes_bounds: bool, template: str, notes: _Notes | None
) -> Callable[..., Any]:
    """Generate and compile the loop over rows for the number and kinds of arguments."""
    import numba

    bounds: set[str] = set()
    parameters, calls = [], []
    scope: dict[str, Any] = {"function": compiled, "np": np, **(notes.functions if notes else {})}
    for place, argument in enumerate(arguments):
        names = [f"a{place}_{k}" for k in range(len(arrays_of(argument)))]
        parameters += names
        bounds.update(names[-1:] if hasattr(argument, "offsets") else ())
        part = "" if takes_bounds else f"[{names[-1]}[i] : {names[-1]}[i + np.uint64(1)]]"
        if hasattr(argument, "fields"):
            scope[f"Record{place}"] = argument.type  # type: ignore[attr-defined]  # only Records have `fields`
            calls.append(f"Record{place}({', '.join(name + part for name in names[:-1])})")
        elif hasattr(argument, "offsets"):
            calls.append(names[0] + part)
        else:
            calls.append(f"{names[0]}[i]")
    if takes_bounds:
        offsets = next(name for name in parameters if name in bounds)
        calls += [f"{offsets}[i]", f"{offsets}[i + np.uint64(1)]"]
    source = (_HEAD + template).format(
        parameters=", ".join(parameters),
        call=", ".join(calls),
        check=_SKIP_NONE if optional else "",
        note_arguments=notes.arguments if notes else "pass",
        note_results=notes.results if notes else "pass",
    )
    exec(source, scope)  # noqa: S102  # the source is from this module; numba compiles functions, not syntax trees
    loop: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy")(scope["loop"])
    return loop
