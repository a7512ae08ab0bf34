"""Call a Python function once per row, in the interpreter or in a loop that numba compiles together with the function.

Arguments are numpy arrays of a row's items, one scalar per row, records of arrays, or plain lists. Both loops infer the result type
from the results by the same rule, so that it never depends on the number of rows.
"""

from __future__ import annotations

import copy
import reprlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._kernels.strategy import sizes
from arrowjag._ops import elementwise, row_compiler
from arrowjag._options import options
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag._warnings import warn
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.typing import BoolArray, IntArray

__all__ = ["Argument", "Copies", "Form", "Lists", "Objects", "Records", "Rows", "Scalars", "call_each", "result_type", "unwrapped"]


class Argument(Protocol):
    """One argument of a function of rows."""

    def at(self, row: int) -> Any:
        """Return the argument for a row."""


class Rows(NamedTuple):
    """The items of each row, as a read-only view."""

    data: npt.NDArray[Any]
    offsets: IntArray

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        return self.data[self.offsets[row] : self.offsets[row + 1]]


class Records(NamedTuple):
    """The fields of each row's items, as a named tuple of read-only views."""

    type: Any
    fields: tuple[npt.NDArray[Any], ...]
    offsets: IntArray

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        begin, end = self.offsets[row], self.offsets[row + 1]
        return self.type(*(field[begin:end] for field in self.fields))


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
    """A Python object of which each row gets a copy, because the function may change it."""

    item: Any

    def at(self, row: int) -> Any:
        """Return the argument for a row."""
        del row
        return copy.deepcopy(self.item)


class Form(NamedTuple):
    """Wrappers that turn the user's function into a function of one row, for the interpreter and for numba."""

    name: str
    interpreted: Callable[[Callable[..., Any]], Callable[..., Any]]
    compiled: Callable[[Callable[..., Any]], Callable[..., Any]]

    item: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
    """A function that returns one result, where the compiled one takes one more array and writes a result for each item."""

    takes_bounds: bool = False
    """Whether compiled functions take whole columns and the bounds of a row: threads share the reference counts of views."""

    arity: int | None = None
    """The number of arguments that the user's function takes, if it isn't that of the function of one row."""


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
    n_live = n_rows if live is None else int(np.count_nonzero(live))
    fewest = {"always": 1, "auto": sizes.COMPILED_ROWS}.get(options.compile)
    wants_compiler = fewest is not None and n_live >= fewest
    called = form.interpreted(function)

    def failure(row: int) -> str:
        return f"{operation}: the function failed on {name(row)}"

    if not wants_compiler or not row_compiler.is_available():
        rows = _numbers_of(live, n_rows)
        return _array(_interpret(called, arguments, rows, failure), rows, n_rows, type, operation, name)
    first = _interpret(called, arguments, _first_of(live, n_rows, sizes.INTERPRETED_ROWS), failure)
    found = None
    if n_live > len(first) or options.compile == "always":
        found = _by_compiler(function, arguments, live, n_rows, first, operation, form, failure)
    if found is not None:
        return found if type is None else _cast(found, type, operation, name)
    rows = _numbers_of(live, n_rows)
    rest = _interpret(called, arguments, rows[sizes.INTERPRETED_ROWS :], failure)
    return _array(first + rest, rows, n_rows, type, operation, name)


def _numbers_of(live: BoolArray | None, n_rows: int) -> Sequence[int]:
    return range(n_rows) if live is None else live.nonzero()[0].tolist()


def _first_of(live: BoolArray | None, n_rows: int, n: int) -> Sequence[int]:
    """Return the numbers of the first n live rows, which are few of many."""
    few = range(0) if live is None else _numbers_of(live[: 4 * n], n_rows)
    return (few if len(few) >= n else _numbers_of(live, n_rows))[:n]


def _interpret(
    function: Callable[..., Any], arguments: Sequence[Argument], rows: Sequence[int], failure: Callable[[int], str]
) -> list[Any]:
    results = []
    getters = [argument.at for argument in arguments]
    row = 0
    try:
        for row in rows:  # the note of an error names the last row
            results.append(unwrapped(function(*(get(row) for get in getters))))
    except Exception as error:  # re-raised with a note that names the row
        error.add_note(failure(row))
        raise
    return results


def unwrapped(result: Any) -> Any:
    """Convert an array of numpy without dims, as `np.where` returns, to its scalar, and a masked array to a list with None."""
    if not isinstance(result, np.ndarray):
        return result
    if isinstance(result, np.ma.MaskedArray):
        if result.mask.any():
            return _plain_array(result)
        result = result.data
    return result if result.ndim else result[()]


def _by_compiler(
    function: Callable[..., Any],
    arguments: Sequence[Argument],
    live: BoolArray | None,
    n_rows: int,
    first: list[Any],
    operation: str,
    form: Form,
    failure: Callable[[int], str],
) -> pa.Array | None:
    """Run a compiled loop. Returns None if the function must be interpreted, with a warning if numba can't compile it."""
    if any(isinstance(argument, (Lists, Objects, Copies)) for argument in arguments):
        return None  # functions of lists and of Python objects are not compiled
    # numba's inference of types does not end for a dict of an integer and a float.
    other = next((result for result in first if isinstance(result, (dict, list, tuple))), None)
    outcome = row_compiler.compile_rows(function, arguments, form) if other is None else f"it returns {other.__class__.__name__}"
    reason = outcome
    if isinstance(outcome, row_compiler.Driver):
        called, getters = form.interpreted(function), [argument.at for argument in arguments]
        try:
            rows = _first_of(live, n_rows, sizes.INTERPRETED_ROWS)
            others, results = _unusual(outcome, called, arguments, live, n_rows)
            _compare(outcome, arguments, [*rows, *others], [*first, *results])
            found = outcome.run(arguments, live, n_rows, lambda row: called(*(get(row) for get in getters)), failure)
            if all(result is None for result in first):  # the results don't determine the type
                if found.null_count == n_rows:
                    return pa.nulls(n_rows)
                rows = _first_of(_arrow.valid_of(found), n_rows, sizes.INTERPRETED_ROWS)
                _compare(outcome, arguments, rows, _interpret(called, arguments, rows, failure))
        except row_compiler.UnlikeError as error:
            reason = str(error)
        else:
            return found
    warn(f"{operation}: the function runs in the interpreter, because {reason}")
    return None


def _unusual(
    outcome: row_compiler.Driver, function: Callable[..., Any], arguments: Sequence[Argument], live: BoolArray | None, n_rows: int
) -> tuple[list[int], list[Any]]:
    """Return the interpreter's results for rows that tell it from machine code; raise `UnlikeError` if it alone fails on one."""
    rows, results = [], []
    extremes = row_compiler.rows_of_extremes(arguments, live, n_rows, sizes.SPREAD_ROWS)
    for row in [*extremes, *row_compiler.rows_not_finite(arguments, live, sizes.INTERPRETED_ROWS)]:
        try:
            with np.errstate(all="ignore"):
                results.append(unwrapped(function(*(argument.at(row) for argument in arguments))))
        except Exception as error:  # noqa: BLE001  # from the user's function; raised in its turn
            if not outcome.fails(arguments, row):
                raise row_compiler.UnlikeError(f"Python raises {error!r} on row {row}, the compiled function doesn't") from None
        else:
            rows.append(row)
    return rows, results


def _compare(outcome: row_compiler.Driver, arguments: Sequence[Argument], rows: Sequence[int], results: list[Any]) -> None:
    """Raise `UnlikeError` if the type or the results of compiled code are not those of the interpreter."""
    expected = result_type(results)
    if not outcome.matches(expected):
        raise row_compiler.UnlikeError(f"its results have the type {outcome.description} in numba and {expected} in Python")
    outcome.check(arguments, rows, results)


# --------------------------------------------------------------------------------------------------- the type of results


def result_type(results: Sequence[Any]) -> pa.DataType | None:
    """Promote the types of numbers, or of rows of numbers, as numpy does; None for results of other kinds."""
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
    _arrow.item_classes(results)  # raises for lists that contain themselves
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
    """Raise for times beside numbers of numpy, which pyarrow would take for counts of days."""
    rows = [row for row, result in enumerate(results) if isinstance(result, (np.ndarray, np.generic))]
    found = {_is_time(results[row]): row for row in reversed(rows)}  # the first row of times, and that of numbers
    if len(found) > 1:
        told = f"times for some rows, such as {name(found[True])}, and numbers for others, such as {name(found[False])}"
        raise JagTypeError(f"{operation}: the function returns {told}; convert one of them")


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
    told = f"{operation}: the function's results can't be converted to {target}"
    return JagTypeError(f"{told}: {row} gives {reprlib.repr(result)}: {error}")


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
    """Whether results are converted to the type by a cast, as compiled ones are, and not by pyarrow.

    It cuts fractions to integers without a word, and refuses numpy's times where the type has a zone.
    """
    leaf = _arrow.level_types(type)[1]
    return inferred is not None or pt.is_integer(leaf) or (pt.is_timestamp(leaf) and leaf.tz is not None)


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
    if pt.is_large_list(found.type) and _arrow.is_list_type(type):
        leaves = elementwise.cast_values(found.values, _arrow.level_types(type)[1])
        found = pa.LargeListArray.from_arrays(found.offsets, leaves, mask=found.is_null() if found.null_count else None)
        return found.cast(type)
    return found.cast(type) if _arrow.is_level_type(type) else elementwise.cast_values(found, type)
