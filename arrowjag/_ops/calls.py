"""Call a Python function once per row, in the interpreter or in a loop that numba compiles together with the function.

The function gets a numpy array, a record of arrays or a list of the items of each row, or one scalar per row. The result type is
inferred from the results by one rule in both cases, so that it never depends on the number of rows.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._kernels.strategy import sizes
from arrowjag._ops import elementwise, row_compiler
from arrowjag._ops.unusual_rows import Sample, UnusualRows, first_rows
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag._runtime.options import options
from arrowjag._runtime.warnings import warn
from arrowjag.errors import JagTypeError, JagValueError, brief, joined_lines
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "Argument",
    "Calls",
    "Copies",
    "Form",
    "Lists",
    "Objects",
    "Records",
    "Rows",
    "Scalars",
    "call_each",
    "result_type",
    "unwrapped",
]


class Argument(Protocol):
    """One argument of a function of rows."""

    def at(self, row: int) -> Any:
        """Return the argument for a row."""


class Rows(NamedTuple):
    """The items of each row, as a read-only view."""

    data: npt.NDArray[Any]
    offsets: IntArray
    begin: int = 0
    """The number of the first item that `at` returns."""
    most: int | None = None
    """The largest number of items that `at` returns."""

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        return self.data[self.offsets[row] + self.begin : self.offsets[row + 1]][: self.most]

    def cuts(self, row: int) -> bool:
        """Return whether a row has more items than `at` returns."""
        return self.most is not None and bool(self.offsets[row + 1] - self.offsets[row] > self.most)


class Records(NamedTuple):
    """The fields of each row's items, as a named tuple of read-only views."""

    type: Any
    fields: tuple[npt.NDArray[Any], ...]
    offsets: IntArray
    begin: int = 0
    """The number of the first item that `at` returns."""
    most: int | None = None
    """The largest number of items that `at` returns."""

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        begin, end = self.offsets[row] + self.begin, self.offsets[row + 1]
        return self.type(*(field[begin:end][: self.most] for field in self.fields))

    def cuts(self, row: int) -> bool:
        """Return whether a row has more items than `at` returns."""
        return self.most is not None and bool(self.offsets[row + 1] - self.offsets[row] > self.most)


class Scalars(NamedTuple):
    """One number per row."""

    data: npt.NDArray[Any]

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        return self.data[row]


class Lists(NamedTuple):
    """The items of each row, whose type numpy lacks, as a Python list."""

    rows: Sequence[Any]

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        return self.rows[row]


class Objects(NamedTuple):
    """One Python object per row, of a type that numpy lacks."""

    rows: Sequence[Any]

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        return self.rows[row]


class Copies(NamedTuple):
    """A Python object; the function gets a copy for each row, because it may change it."""

    item: Any

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        del row
        return copy.deepcopy(self.item)


class Form(NamedTuple):
    """How a function of one row is made of the user's function, for the interpreter and for numba."""

    name: str
    interpreted: Callable[[Callable[..., Any]], Callable[..., Any]]
    compiled: Callable[[Callable[..., Any]], Callable[..., Any]]

    item: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
    """Makes a function that returns one result, for its type; None unless the compiled function writes a result for each item."""

    guard: int | None = None
    """The place of the argument that flags the items to call the function for; None if it is called for all, or for rows."""

    takes_bounds: bool = False
    """Whether compiled functions take whole columns and the bounds of a row, not views, whose reference counts threads share."""

    arity: int | None = None
    """The number of arguments of the user's function; None if it is that of the function of one row."""


def _itself(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


WHOLE_ROW = Form("row", _itself, _itself)
"""The user's function is itself a function of one row."""


def call_each(
    function: Callable[..., Any],
    arguments: Sequence[Argument],
    live: BoolArray | None,
    n_rows: int,
    type: pa.DataType | None,
    operation: str,
    form: Form = WHOLE_ROW,
    *,
    name: Callable[[int], str],
) -> pa.Array:
    """Call a function for each live row; the results of other rows are null.

    Parameters
    ----------
    function : callable
        Takes one argument per entry of `arguments`.
    arguments : sequence of Argument
        The arguments.
    live : bool array, optional
        Flags the rows to call the function for; None for all.
    n_rows : int
        The number of rows.
    type : pa.DataType, optional
        The result type; by default inferred from the results.
    operation : str
        The public name, for errors.
    form : Form
        Wrappers of the function; by default the function is called as it is.
    name : callable
        From the number of a row to its name in the note of an error of the function.

    Returns
    -------
    pa.Array
        One entry per row: a scalar, or a list where the function returns arrays or lists.
    """
    if not callable(function):
        raise JagTypeError(f"{operation} takes a function, got {function.__class__.__name__}")
    calls = Calls(form.interpreted(function), arguments, live, n_rows, operation, name)
    tried = _Trial([], [])
    if _wants_compiler(calls, form):
        tried = _try(calls, form)
        found = _by_compiler(function, calls, tried, form)
        if found is not None:
            return found if type is None else _cast(found, type, operation, name)
    rows = calls.live_rows()
    known = tried.results if tried.is_whole else []
    results = known + calls.interpret(arguments, rows[len(known) :])
    return _array(results, rows, n_rows, type, operation, name)


class Calls(NamedTuple):
    """The calls of a function, one per live row."""

    function: Callable[..., Any]
    """A function of one row, for the interpreter."""
    arguments: Sequence[Argument]
    live: BoolArray | None
    n_rows: int
    operation: str
    name: Callable[[int], str]

    @property
    def n_live(self) -> int:
        """The number of live rows."""
        return self.n_rows if self.live is None else int(np.count_nonzero(self.live))

    def live_rows(self) -> Sequence[int]:
        """Return the numbers of the live rows."""
        return range(self.n_rows) if self.live is None else self.live.nonzero()[0].tolist()

    def call(self, row: int) -> Any:
        """Call the function for one row in the interpreter."""
        return self.function(*(argument.at(row) for argument in self.arguments))

    def interpret(self, arguments: Sequence[Argument], rows: Sequence[int]) -> list[Any]:
        """Return the results for some rows; an error of the function gets a note that names the row."""
        results = []
        getters = [argument.at for argument in arguments]
        row = 0
        try:
            for row in rows:  # the note of an error names the last row
                results.append(unwrapped(self.function(*(get(row) for get in getters))))
        except Exception as error:  # re-raised with a note that names the row
            error.add_note(self.failure(row))
            raise
        return results

    def failure(self, row: int) -> str:
        """Return the note that names the row for which the function failed."""
        return f"{self.operation}: the function failed on {self.name(row)}"


class _Trial(NamedTuple):
    """The interpreter's results for the first rows."""

    samples: list[Sample]
    """The rows that the function was tried on: for functions of single items, the first items of each row only."""
    results: list[Any]
    is_whole: bool = True
    """False if the last one of the rows is so long that the result is that of its first items."""


def _try(calls: Calls, form: Form) -> _Trial:
    """Call the function for the first rows, or for their first items, in the interpreter."""
    samples = [_head(calls, row, form) for row in first_rows(calls.arguments, calls.live, calls.n_rows)]
    is_whole = not any(isinstance(one, (Rows, Records)) and one.cuts(samples[-1].row) for one in samples[-1].arguments)
    return _Trial(samples, [one for sample in samples for one in calls.interpret(sample.arguments, [sample.row])], is_whole)


def _head(calls: Calls, row: int, of: Form | row_compiler.Driver) -> Sample:
    """Return a row as a sample; for functions of single items a few items of it, from the first one that they are called for."""
    if not of.takes_bounds:
        return Sample(calls.arguments, row)
    known = None if of.guard is None else calls.arguments[of.guard].at(row)
    begin = int(known.argmax()) if known is not None and len(known) > sizes.INTERPRETED_ITEMS else 0
    return Sample(_cut(calls.arguments, begin, sizes.INTERPRETED_ITEMS), row)


def _cut(arguments: Sequence[Argument], begin: int, most: int) -> list[Argument]:
    """Return arguments that are cut to a few items of each row, from one on."""
    return [one._replace(begin=begin, most=most) if isinstance(one, (Rows, Records)) else one for one in arguments]


def _wants_compiler(calls: Calls, form: Form) -> bool:
    """Return whether to compile the function: if it takes arrays and numbers, and is called often or for many items."""
    if options.compile == "never" or any(isinstance(one, (Lists, Objects, Copies)) for one in calls.arguments):
        return False
    offsets, n_live = row_compiler.offsets_of(calls.arguments), calls.n_live
    n_items = 0 if offsets is None else int(offsets[-1])
    n_calls = max(n_live, n_items) if form.takes_bounds else n_live
    is_much = options.compile == "always" or n_calls >= sizes.COMPILED_CALLS or n_items >= sizes.COMPILED_ITEMS
    return n_live > 0 and is_much and row_compiler.is_available()


def unwrapped(result: Any) -> Any:
    """Convert an array of numpy without dims, as `np.where` returns, to its scalar, and a masked array to a list with None."""
    if not isinstance(result, np.ndarray):
        return result
    if isinstance(result, np.ma.MaskedArray):
        if result.mask.any():
            return _plain_array(result)
        result = result.data
    if not result.dtype.isnative:  # pyarrow refuses the other byte order
        result = result.astype(result.dtype.newbyteorder("="))
    return result if result.ndim else result[()]


def _by_compiler(function: Callable[..., Any], calls: Calls, tried: _Trial, form: Form) -> pa.Array | None:
    """Return the results of a compiled loop; None, after a warning with the reason, if the interpreter must call the function."""
    first = tried.results
    if tried.is_whole and len(first) == calls.n_live and options.compile != "always":
        return None
    # numba's inference of types does not end for a dict of an integer and a float.
    other = next((result for result in first if isinstance(result, (dict, list, tuple))), None)
    reason: object = f"it returns {other.__class__.__name__}"
    outcome = row_compiler.compile_rows(function, calls.arguments, form) if other is None else reason
    if isinstance(outcome, row_compiler.Driver):
        try:
            _compare(outcome, tried.samples, first, calls.name)
            found = _run(outcome, calls)
            if all(result is None for result in first):  # the results don't determine the type
                if found.null_count == calls.n_rows:
                    return pa.nulls(calls.n_rows)
                rows = first_rows(calls.arguments, _arrow.valid_of(found), calls.n_rows)
                samples = [Sample(calls.arguments, row) for row in rows]
                _compare(outcome, samples, calls.interpret(calls.arguments, rows), calls.name)
        except row_compiler.UnlikeError as error:
            reason = error
        else:
            return found
    else:
        reason = outcome
    warn(f"{calls.operation}: the function runs in the interpreter, because {reason}")
    return None


def _run(outcome: row_compiler.Driver, calls: Calls) -> pa.Array:
    """Run a compiled loop, and compare its function with the interpreter's on rows for which their results are likely to differ.

    They are also compared if the loop raises an error: the interpreter may fail for an earlier row, for which compiled code has a
    result.
    """
    unusual = UnusualRows(calls.arguments, calls.live, calls.n_rows)
    failed: Exception | None = None
    try:
        found = outcome.run(calls, unusual)
    except Exception as error:  # noqa: BLE001  # from the user's function
        failed = error
    samples, results = [], []
    for sample in _samples(outcome, calls, unusual):
        try:
            with np.errstate(all="ignore"):
                results.append(unwrapped(calls.function(*sample.given())))
        except Exception as error:  # noqa: BLE001  # from the user's function; raised in its turn
            if not outcome.fails(sample):
                where = calls.name(sample.row)
                raise row_compiler.UnlikeError(f"Python raises {error!r} on {where}, the compiled function doesn't") from None
        else:
            samples.append(sample)
    _compare(outcome, samples, results, calls.name)
    if failed is not None:
        raise failed
    return found


def _samples(outcome: row_compiler.Driver, calls: Calls, unusual: UnusualRows) -> list[Sample]:
    """Return unusual rows as samples; for functions of single items their first items, and each later one that is unusual."""
    found = [_head(calls, row, outcome) for row in unusual.found()]
    if not outcome.takes_bounds:
        return found
    known = None if outcome.guard is None else calls.arguments[outcome.guard]
    items = [(row, item) for row, item in unusual.items(sizes.INTERPRETED_ITEMS) if known is None or known.at(row)[item]]
    # Each in a sample of its own: a later item may hide the difference.
    return found + [Sample(_cut(calls.arguments, item, 1), row) for row, item in items]


def _compare(outcome: row_compiler.Driver, samples: Sequence[Sample], results: list[Any], name: Callable[[int], str]) -> None:
    """Raise `UnlikeError` if the type or the results of compiled code are not those of the interpreter."""
    expected = result_type(results)
    if not outcome.matches(expected):
        raise row_compiler.UnlikeError(f"its results have the type {outcome.description} in numba and {expected} in Python")
    outcome.check(samples, results, name)


# --------------------------------------------------------------------------------------------------- the type of results


def result_type(results: Sequence[Any]) -> pa.DataType | None:
    """Return the common type of numbers, or of rows of numbers, by numpy's promotion; None for results of other kinds."""
    kinds = {_kind(result) for result in results if result is not None}
    if not kinds or None in kinds:
        return None
    is_row = {kind[0] for kind in kinds if kind}
    if len(is_row) != 1:
        return None
    try:
        dtype = np.result_type(*[kind[1] for kind in kinds if kind])
        found = pa.from_numpy_dtype(dtype)
    except (TypeError, pa.ArrowNotImplementedError):
        return None
    return pa.large_list(found) if is_row.pop() else found


def _kind(result: Any) -> tuple[bool, np.dtype[Any]] | None:
    """Return whether a result is a row, and the dtype of its numbers; None for other results."""
    if isinstance(result, np.ndarray):
        return (True, result.dtype) if result.ndim == 1 else None
    if isinstance(result, np.generic):
        return (False, result.dtype)
    plain = {bool: np.bool_, int: np.int64, float: np.float64}.get(type(result))
    return None if plain is None else (False, np.dtype(plain))


_MISFITS = (ValueError, TypeError, pa.ArrowNotImplementedError, OverflowError)
"""Errors of pyarrow, or of the objects, for results that have no common type or don't fit the one that is given."""


def _array(
    results: list[Any], rows: Sequence[int], n_rows: int, type: pa.DataType | None, operation: str, name: Callable[[int], str]
) -> pa.Array:
    """Convert the interpreter's results to an array of the given type, or of the inferred one."""
    if len(results) < n_rows:
        whole: list[Any] = [None] * n_rows
        for row, result in zip(rows, results, strict=True):
            whole[row] = result
        results = whole
    _arrow.check_times_of_day(results, _arrow.item_classes(results))  # the second raises for lists that contain themselves
    results = [_plain(result, operation) if isinstance(result, (tuple, list, dict)) else result for result in results]
    if any(isinstance(result, list) for result in results):  # pyarrow does not mix lists with arrays of times
        results = [_plain_array(result) if isinstance(result, np.ndarray) else result for result in results]
    inferred = result_type(results)
    if inferred is None:
        _check_times(results, operation, name)
    if type is not None and _is_cast(type, inferred) and (found := _inferred(results, inferred)) is not None:
        return _cast(found, type, operation, name)

    def convert(n: int) -> pa.Array:
        return _converted(results[:n], inferred, inferred if type is None else type)

    try:
        return convert(n_rows)
    except _MISFITS as error:
        target = "one type; give type=" if type is None else str(type)
        row = _first_misfit(convert, n_rows)
        raise _misfit(operation, target, name(row), results[row], error) from None


def _check_times(results: list[Any], operation: str, name: Callable[[int], str]) -> None:
    """Raise if some results are times and others numbers of numpy, which pyarrow would take for counts of days."""
    rows = [row for row, result in enumerate(results) if isinstance(result, (np.ndarray, np.generic))]
    found = {_is_time(results[row]): row for row in reversed(rows)}  # the first row of times, and that of numbers
    if len(found) > 1:
        mixed = f"times for some rows, such as {name(found[True])}, and numbers for others, such as {name(found[False])}"
        raise JagTypeError(f"{operation}: the function returns {mixed}; convert one of them")


def _first_misfit(convert: Callable[[int], Any], n_rows: int) -> int:
    """Return the number of the row whose result can't be converted together with those before it."""
    good, bad = 0, n_rows
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            convert(middle)
        except _MISFITS:
            bad = middle
        else:
            good = middle
    return bad - 1


def _misfit(operation: str, target: str, row: str, result: Any, error: Exception) -> JagTypeError:
    """Return the error for the result of a row that can't be converted."""
    failure = f"{operation}: the function's results can't be converted to {target}"
    if hasattr(result, "__array__") and not isinstance(result, (np.ndarray, np.generic)):  # a Series, or an array of Arrow or ours
        return JagTypeError(f"{failure}: {row} gives {type(result).__name__}; return a numpy array, as by numpy.asarray, or a list")
    return JagTypeError(f"{failure}: {row} gives {brief(result)}: {joined_lines(error)}")


def _promoted(results: list[Any], type: pa.DataType) -> list[Any]:
    """Convert numbers or times, or rows of them, to the type of all of them, as numpy does: integers are rounded to floats."""
    is_row = pt.is_large_list(type)
    leaf = type.value_type if is_row else type
    if pt.is_date32(leaf):  # pyarrow takes no days of numpy one by one
        return [None if result is None else result.tolist() for result in results]
    if pt.is_timestamp(leaf) or pt.is_duration(leaf):
        ticks = f"{'M' if pt.is_timestamp(leaf) else 'm'}8[{leaf.unit}]"
        return [None if result is None else result.astype(ticks) for result in results]
    if not _arrow.is_numeric(leaf) or len({_kind(result) for result in results if result is not None}) == 1:
        return results
    dtype = np.dtype(numpy_dtype(leaf))
    number = dtype.type if dtype.kind == "f" else int  # an int that doesn't fit is pyarrow's to refuse
    return [None if result is None else result.astype(dtype) if is_row else number(result) for result in results]


def _is_cast(type: pa.DataType, inferred: pa.DataType | None) -> bool:
    """Return whether results are converted to the type by a cast, as those of compiled loops are, and not by `pa.array`.

    `pa.array` truncates fractions to integers, and times to coarser units and dates, without an error, and refuses numpy's times
    for a type with a zone.
    """
    return inferred is not None or _arrow.may_truncate(_arrow.level_types(type)[1])


def _inferred(results: list[Any], inferred: pa.DataType | None) -> pa.Array | None:
    """Convert results to their common type, or to the one that Arrow infers; None if they don't fit it."""
    try:
        return _converted(results, inferred, inferred)
    except _MISFITS:
        return None


def _converted(results: list[Any], inferred: pa.DataType | None, type: pa.DataType | None) -> pa.Array:
    if inferred is not None:
        results = _promoted(results, inferred)
    if type is None:
        _arrow.check_dates(results)
    return _arrow.combine_chunks(pa.array(results, type=type))


def _is_time(result: Any) -> bool:
    return bool(result.dtype.kind in "mM")


def _plain_array(array: npt.NDArray[Any]) -> Any:
    """Convert an array of numpy to a list, or its only item; times of any unit stay times."""
    return pa.array(array).to_pylist() if array.ndim == 1 and array.dtype.kind in "mM" else array.tolist()


def _plain(result: Any, operation: str) -> Any:
    """Replace arrays inside of lists, tuples and dicts by lists, and a record of fields by a list of dicts."""
    if isinstance(result, np.ndarray):
        return _plain_array(result)
    if isinstance(result, dict):
        return {key: _plain(value, operation) for key, value in result.items()}
    if isinstance(result, tuple) and hasattr(result, "_fields") and all(isinstance(one, np.ndarray) for one in result):
        sizes = {name: len(one) for name, one in zip(result._fields, result, strict=True)}
        if len(set(sizes.values())) > 1:
            raise JagValueError(f"{operation}: the function returns a record whose fields differ in length: {sizes}")
        columns = [_plain(one, operation) for one in result]
        return [dict(zip(sizes, items, strict=True)) for items in zip(*columns, strict=True)]
    return [_plain(one, operation) for one in result] if isinstance(result, (tuple, list)) else result


def _cast(found: pa.Array, type: pa.DataType, operation: str, name: Callable[[int], str]) -> pa.Array:
    try:
        return _cast_rows(found, type)
    except _MISFITS as error:
        # Copied, because Arrow casts the items outside of a slice, too.
        row = _first_misfit(lambda n: _cast_rows(pa.concat_arrays([found.slice(0, n)]), type), len(found))
        raise _misfit(operation, str(type), name(row), found[row].as_py(), error) from None


def _cast_rows(found: pa.Array, type: pa.DataType) -> pa.Array:
    is_level = _arrow.is_level_type(type) and not _arrow.is_level_type(found.type)
    return found.cast(type) if is_level else elementwise.cast_values(found, type)
