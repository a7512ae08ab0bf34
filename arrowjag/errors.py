"""Exceptions of arrowjag: each is also the builtin exception that a caller expects.

A message says what failed, where (dim and row), what was expected and what was found, and what to do instead.
"""

from __future__ import annotations

import difflib
import numbers
import re
import reprlib
from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, NoReturn

__all__ = [
    "OVERFLOW_HINT",
    "JagAttributeError",
    "JagError",
    "JagFileError",
    "JagIndexError",
    "JagMemoryError",
    "JagOverflowError",
    "JagRangeError",
    "JagTypeError",
    "JagValueError",
    "JagWarning",
    "MissingDependencyError",
    "OffsetsError",
    "ShapeError",
]


OVERFLOW_HINT = 'cast("float64", safe=False) first gives an approximate result.'
"""The hint for a sum or product that is too large; a safe cast raises for integers that float64 must round."""


_ADVICE = {
    "string": 'Cast text to numbers first, such as x.cast("float64"); text has min, max, count, mode, join.',
    "large_string": 'Cast text to numbers first, such as x.cast("float64"); text has min, max, count, mode, join.',
    "dictionary": 'Cast categories to text or numbers first, such as x.cast("string").',
    "timestamp": 'Times have min, max, mean, quantiles and diff; cast to "int64" first for others.',
    "duration": "Convert durations to numbers first, such as x.dt.total_seconds().",
    "date": 'Dates have min, max, mean, quantiles and diff; cast to "int64" first for others.',
    "time": 'Times of day have min, max, mean, quantiles and diff; cast to "int64" first for others.',
    "binary": "Bytes have min, max, count, mode.",
    "large_binary": "Bytes have min, max, count, mode.",
}
"""The hint for a type without a kernel, by the beginning of the type's name."""

_KINDS = (*_ADVICE, "struct")
_TIMES = ("timestamp", "date", "time")
_TEXTS = ("string", "large_string")


def _number(name: str) -> str:
    return "number" if name.startswith(("int", "uint", "halffloat", "float", "double", "decimal")) else name


def _field_of(struct: object) -> str:
    """Return the hint for a struct, with the name of its first field."""
    fields = struct if isinstance(struct, Iterable) and not isinstance(struct, str) else ()
    first = next((field.name for field in fields), "name")
    return f"Pick a field first, such as x[{first!r}]; x.fields lists the names."


def _advice(types: Sequence[object]) -> str:
    """Return the hint for the types of the operands."""
    names = [str(one) for one in types]
    kinds = [next((start for start in _KINDS if name.startswith(start)), _number(name)) for name in names]
    if "struct" in kinds:
        return _field_of(types[kinds.index("struct")])
    if any(kind.startswith("month") for kind in kinds) and not set(kinds).isdisjoint(_TIMES):  # a DateOffset of pandas
        return "Months differ in length: use a duration, such as datetime.timedelta(hours=1), or x.dt.floor('1mo') or x.dt.ceil."
    others = {kind for kind in kinds if kind not in _TIMES}
    if len(others) < len(set(kinds)) and others:
        if not others.isdisjoint(_TEXTS):
            return "Convert text to times first, such as x.str.to_datetime()."
        if others == {"number"}:
            return 'Pass a time or a duration in place of the number, such as datetime.timedelta(days=1), or cast to "int64" first.'
    if (known := next((_ADVICE[kind] for kind in kinds if kind in _ADVICE), None)) is not None:
        return known
    if any(name.startswith("decimal") for name in names):
        return 'Cast decimals to floats first, such as x.cast("float64").'
    return 'Cast booleans to integers first, such as x.cast("int8").' if set(kinds) == {"bool"} else ""


class Brief(reprlib.Repr):
    """`reprlib.Repr`, but an int of more than 4300 digits is no error: Python refuses to convert it to text, also in a list."""

    def repr_int(self, x: int, level: int) -> str:
        return super().repr_int(x, level) if x.bit_length() < 2000 else f"an int of {x.bit_length()} bits"

    def repr_instance(self, x: object, level: int) -> str:
        return str(x) if isinstance(x, numbers.Real) else super().repr_instance(x, level)  # numpy's are np.int64(1)


_BRIEF = Brief()
_BRIEF.maxother = _BRIEF.maxstring = _BRIEF.maxlong = 80


def brief(value: object) -> str:
    """Return one line of at most about 80 characters per item for an argument of any size, in place of its `repr`.

    Parameters
    ----------
    value : object
        The argument; of lists, tuples, sets and dicts the first items are shown.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> from arrowjag.errors import brief
    >>> brief(list(range(1_000_000)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    return " ".join(_BRIEF.repr(value).split())


def plural(n: int, noun: str) -> str:
    """Return a number with its noun.

    Parameters
    ----------
    n : int
        The number.
    noun : str
        The noun in the singular; its plural is regular.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> from arrowjag.errors import plural
    >>> plural(1, "dim"), plural(2, "dim")
    ('1 dim', '2 dims')
    """
    if n == 1:
        return f"1 {noun}"
    return f"{n} {noun[:-1]}ies" if noun.endswith("ry") else f"{n} {noun}s"


def are(n: int) -> str:
    """Return the verb that agrees with a number: there *is* 1 value, there *are* 2 values."""
    return "is" if n == 1 else "are"


_COLOUR = re.compile("\x1b\\[[0-9;]*m")


def joined_lines(message: object) -> str:
    """Return the message of an exception of another library in one line, without colours for terminals."""
    return " ".join(_COLOUR.sub("", str(message)).split())


def type_name(value: object) -> str:
    """Return the name of a value's type for a message; for an Arrow scalar or an array also what to pass in its place.

    Parameters
    ----------
    value : object
        The argument.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag.errors import type_name
    >>> type_name(1.5), type_name(pa.scalar(2))
    ('float', 'Int64Scalar; .as_py() converts it')
    """
    name = type(value).__name__
    if hasattr(value, "as_py"):
        return f"{name}; .as_py() converts it"
    return f"{name}; give one value for all rows" if hasattr(value, "__arrow_c_array__") else name


_REPETITIONS = ("has no kernel matching input types", "not supported for the input types", "contain a loop with signature")
"""Messages of pyarrow and numpy about types without a kernel, which repeat the types beside names of their own functions."""


class JagError(Exception):
    """Base class of the exceptions of arrowjag.

    Parameters
    ----------
    *message : str
        The message.
    row : int, optional
        The row that the message names, counted over the whole dim; passed by code that does not know the dims above it.
    """

    given: int | None = None
    """The `id` of the argument that the message calls "the data" or "a value"; see `name_argument`."""

    _place_first: ClassVar[bool] = False
    """Whether messages begin with a file, which the name of the operation would hide."""

    is_of_earlier_call: bool = False
    """Whether the call that failed is an earlier one, such as a step of a lazy frame: the message then keeps its name."""

    def __init__(self, *message: object, row: int | None = None) -> None:
        super().__init__(*message)
        self.row = row

    def in_row(self, name: str) -> JagError:
        """Return the error with another name for its row, such as the path to it from the outermost row.

        Parameters
        ----------
        name : str
            The name, such as ``"row [1][0]"``.

        Returns
        -------
        JagError
            Of the same type, to be raised by the caller; the error itself if it names no row.

        Examples
        --------
        >>> from arrowjag.errors import JagOverflowError
        >>> JagOverflowError("sum: the result of row 3 is too large", row=3).in_row("row [1][0]")
        JagOverflowError('sum: the result of row [1][0] is too large')
        """
        return self if self.row is None else type(self)(str(self).replace(f"row {self.row}", name, 1))

    def renamed(self, operation: str, *parts: str) -> JagError:
        """Return the error with the name of an operation in place of that of its part, with which the message begins.

        Parameters
        ----------
        operation : str
            The public name of the operation.
        *parts : str
            The names of operations that it is made of.

        Returns
        -------
        JagError
            Of the same type, to be raised by the caller; the error itself if the message begins with no name of a part.

        Examples
        --------
        >>> from arrowjag.errors import JagIndexError
        >>> JagIndexError("take: index 2 is out of range").renamed("set", "take")
        JagIndexError('set: index 2 is out of range')
        """
        text = str(self)
        part = next((one for one in parts if text.startswith((f"{one}:", f"{one} "))), None)
        if part is None:
            return self
        found = type(self)(operation + text[len(part) :])
        found.row = self.row
        return found

    def name_argument(self, name: str) -> None:
        """Name the argument in place of "the data" or "a value"; the error stays the same object.

        Parameters
        ----------
        name : str
            The name of the parameter.

        Examples
        --------
        >>> from arrowjag.errors import JagTypeError
        >>> error = JagTypeError("sort: a value of type object is neither an array nor an Arrow scalar")
        >>> error.name_argument("by")
        >>> error
        JagTypeError('sort: by of type object is neither an array nor an Arrow scalar')
        """
        text = str(self)
        if self.args == (text,):
            self.args = (_UNNAMED.sub(lambda _: name, text, count=1),)

    def begin_with(self, operation: str, others: Container[str]) -> None:
        """Begin the message with the operation that was called, unless it does; replace the name of another one.

        The error stays the same object, so its traceback still leads to its cause. Two kinds of errors stay as they are: those
        with notes, which come from a function of the caller, and those whose message is not their only argument.

        Parameters
        ----------
        operation : str
            The public name of the operation.
        others : container of str
            The names of operations that it may be made of.

        Examples
        --------
        >>> from arrowjag.errors import JagTypeError
        >>> error = JagTypeError("array: function is neither an array nor an Arrow scalar")
        >>> error.begin_with("sort", {"array"})
        >>> error
        JagTypeError('sort: function is neither an array nor an Arrow scalar')
        """
        text = str(self)
        if self._place_first or self.is_of_earlier_call or self.args != (text,) or hasattr(self, "__notes__"):
            return
        if _begins_with(text, operation) or f": {operation}: " in text:  # after the name of a column
            return
        first = _OPERATION.match(text)
        if first is not None and first[1] in others:
            self.args = (operation + text[first.end(1) :],)
        else:
            self.args = (f"{operation}: {text}",)


_UNNAMED = re.compile(r"\b(the data|a value)\b")
"""The words for an argument in messages of functions that don't know its name."""

_OPERATION = re.compile(r"(\w+(?:\.\w+)*)(?=:| has no kernel for | takes | needs )")
"""The operation at the start of a message."""


def _begins_with(text: str, operation: str) -> bool:
    """Return whether a message begins with an operation, also as ``rolling sum`` and ``rolling`` for ``rolling_sum``."""
    names = (operation, operation.rpartition(".")[2], operation.replace("_", " "))
    family = operation.partition("_")[0]
    if text.startswith((f"{family}: ", f"{family} takes ")):
        return True
    return any(re.match(rf"{re.escape(one)}(?![\w.])", text) for one in names)


class ShapeError(JagError, ValueError):
    """Shapes, sizes or dims do not fit together."""


class OffsetsError(ShapeError):
    """Offsets don't divide their values into rows: they decrease, or start or end at a wrong position."""


class JagIndexError(JagError, IndexError):
    """A position or an axis lies outside of the array."""


class JagTypeError(JagError, TypeError):
    """An operation does not support a type, or an argument is of the wrong kind."""

    @classmethod
    def no_kernel(cls, operation: str, *types: object, hint: str = "") -> JagTypeError:
        """Return the error of an operation that a leaf type has no kernel for.

        Parameters
        ----------
        operation : str
            The public name of the operation.
        *types : object
            The Arrow types of the operands.
        hint : str
            The alternative, a full sentence, or the message of pyarrow or numpy, which is left out if it repeats the types only.

        Returns
        -------
        JagTypeError
            The exception, to be raised by the caller.

        Examples
        --------
        >>> from arrowjag import JagTypeError
        >>> print(JagTypeError.no_kernel("sum", "string"))
        sum has no kernel for string. Cast text to numbers first...
        """
        names = " and ".join(str(one) for one in types)
        hint = "" if any(one in hint for one in _REPETITIONS) else hint
        hint = hint or _advice(types)
        return cls(f"{operation} has no kernel for {names}.{' ' + hint if hint else ''}")

    @classmethod
    def no_cast(cls, operation: str, source: object, target: object) -> JagTypeError:
        """Return the error of a cast between two types that nothing converts.

        Parameters
        ----------
        operation : str
            The public name of the operation.
        source, target : object
            The Arrow types.

        Returns
        -------
        JagTypeError
            The exception, to be raised by the caller.

        Examples
        --------
        >>> from arrowjag import JagTypeError
        >>> print(JagTypeError.no_cast("cast", "time64[us]", "duration[us]"))
        cast: time64[us] can't be cast to duration[us]
        """
        hint = f". {_field_of(source)}" if str(source).startswith("struct") else ""
        return cls(f"{operation}: {source} can't be cast to {target}{hint}")


class JagAttributeError(JagTypeError, AttributeError):
    """An attribute does not exist; `hasattr` returns False for it.

    Parameters
    ----------
    message : str
        The text before the hint.
    name : str
        The name.
    hint : callable, optional
        Returns the end of the message. It is called when the message is read, so that `hasattr` doesn't pay for it.
    """

    def __init__(self, message: str, name: str | None = None, hint: Callable[[], str] | None = None) -> None:
        super().__init__(message)
        self.name = name
        self._hint = hint

    def __str__(self) -> str:
        return super().__str__() + (self._hint() if self._hint is not None else "")

    def __reduce__(self) -> tuple[type[JagAttributeError], tuple[str, str | None]]:
        return type(self), (str(self), self.name)


class Suggesting:
    """A base of objects with few methods, such as windows and indexers, whose errors about an unknown name say which they have.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.array([[1, 2]]).rolling(2).avg
    Traceback (most recent call last):
        ...
    arrowjag.errors.JagAttributeError: a Rolling has no 'avg'; it has count, first, last, max, mean, median, min, quantile...
    """

    __slots__ = ()

    _called: ClassVar[str] = ""
    """The name in messages, if it is not that of the class."""

    if not TYPE_CHECKING:  # for type checkers

        def __getattr__(self, name: str) -> NoReturn:
            """Raise for an unknown name, and suggest one of the class."""
            kind = type(self).__name__
            if name.startswith("_"):
                raise AttributeError(f"{kind} has no {name!r}", name=name, obj=self)
            names = [one for one in dir(self) if not one.startswith("_")]
            near = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(names)}" if names else "index it, as in x.S[0]"
            called = self._called or f"{'an' if kind[0] in 'AEIO' else 'a'} {kind}"
            raise JagAttributeError(f"{called} has no {name!r}; {hint}", name)


class JagValueError(JagError, ValueError):
    """An argument has the right type, but an invalid value."""

    @classmethod
    def unknown(cls, what: str, options: Iterable[str | None], value: object) -> JagValueError:
        """Return the error of a parameter that takes one of several words.

        Parameters
        ----------
        what : str
            The public name of the operation and the parameter, such as ``"rank: method"``.
        options : iterable of str or None
            The words, and None where the parameter may be None.
        value : object
            The argument.

        Returns
        -------
        JagValueError
            The exception, to be raised by the caller; it suggests the most similar word.

        Examples
        --------
        >>> from arrowjag import JagValueError
        >>> print(JagValueError.unknown("distance: metric", ["l2", "cosine"], "cosin"))
        distance: metric must be 'l2' or 'cosine', got 'cosin'; did you mean 'cosine'?
        """
        words = list(options)
        *most, last = map(repr, words)
        listed = f"{', '.join(most)} or {last}" if most else last
        near = difflib.get_close_matches(value, [one for one in words if one is not None], 1) if isinstance(value, str) else []
        return cls(f"{what} must be {listed}, got {brief(value)}{f'; did you mean {near[0]!r}?' if near else ''}")


class JagOverflowError(JagError, OverflowError):
    """A result does not fit its 64-bit type."""


class JagRangeError(JagValueError, JagOverflowError):
    """A number does not fit the type that it is combined with; numpy raises `OverflowError` here, pyarrow `ValueError`."""


class JagFileError(JagValueError, OSError):
    """A file is damaged or can't be read; pyarrow raises `OSError` or `ValueError` here."""

    _place_first = True


class JagMemoryError(JagError, MemoryError):
    """A file or a result requires more memory than is available."""

    @classmethod
    def of(cls, what: str, error: MemoryError) -> JagMemoryError:
        """Return the error for a failed allocation.

        Parameters
        ----------
        what : str
            The beginning of the message, which ends with "needs" or "requires".
        error : MemoryError
            The error of the allocation; its text may be empty.

        Returns
        -------
        JagMemoryError
            The error, to be raised.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.errors.JagMemoryError.of("pad: the result needs", MemoryError())
        JagMemoryError('pad: the result needs more memory than is available')
        """
        reason = joined_lines(error)
        return cls(f"{what} more memory than is available{f': {reason}' if reason else ''}")


class JagWarning(UserWarning):
    """A call is valid, but probably not what its author intended."""


class MissingDependencyError(JagError, ImportError):
    """An optional package is needed, but not installed."""

    @classmethod
    def of(cls, package: str, extra: str, purpose: str) -> MissingDependencyError:
        """Return the error for a missing optional package.

        Parameters
        ----------
        package : str
            Name of the package to install.
        extra : str
            Name of arrowjag's extra that installs it.
        purpose : str
            The feature that needs it.

        Returns
        -------
        MissingDependencyError
            The exception, to be raised by the caller.

        Examples
        --------
        >>> from arrowjag import MissingDependencyError
        >>> print(MissingDependencyError.of("matplotlib", "plot", "a picture"))
        a picture needs the package matplotlib: pip install 'arrowjag[plot]'
        """
        return cls(f"{purpose} needs the package {package}: pip install 'arrowjag[{extra}]'")
