"""Trace a function: call it with placeholders for arrays, which record its calls."""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, ValuesView
from typing import Any, NoReturn, TypeAlias

import numpy as np
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._array import JaggedArray, numpy_functions
from arrowjag._array.base import as_column
from arrowjag._array.windows import WindowMethods
from arrowjag._arrow.foreign import exports_arrow
from arrowjag._expressions.tree import (
    Call,
    Calls,
    Input,
    Node,
    is_scalar,
    like,
    mapped_values,
    operator_call,
    record_arguments,
    record_operands,
    recorded_key,
    recorded_positions,
    rows_of,
    sample_of,
    ufunc_call,
)
from arrowjag._methods import HOSTS, METHODS, Host, Rows, add_namespaces
from arrowjag._methods import Method as MethodEntry
from arrowjag._ops.elementwise import PYTHON_COMPARISONS, PYTHON_OPERATORS, PYTHON_UNARY
from arrowjag._ops.elementwise.ufuncs import check_ufunc
from arrowjag._runtime.identity import cells_of, parts_of
from arrowjag._versions import loaded
from arrowjag.errors import JagAttributeError, JagError, JagTypeError

__all__ = ["Trace", "Traced", "is_plain"]

MakeInput: TypeAlias = "Callable[[Any], Input]"
"""Makes an input of an array that the traced function reads from outside."""


class Trace:
    """The calls of one run of a function, and a sample of the type of each result.

    Parameters
    ----------
    name : str
        The name of the function, for errors.
    make_input : callable, optional
        Makes an input of an array that the function reads from outside, such as a global.

    Attributes
    ----------
    calls : list of Call
        In the order in which they were recorded.
    samples : dict
        By the id of a node, an empty array of its type, or a scalar.
    captured : list of Input
        The arrays that the function reads from outside.
    values_error : JagTypeError or None
        The error of the first call that needs values, such as `len`; None if there is none.
    """

    def __init__(self, name: str, make_input: MakeInput | None = None) -> None:
        self.name = name
        self.calls: list[Call] = []
        self.samples: dict[int, Any] = {}
        self.captured: list[Input] = []
        self.values_error: JagTypeError | None = None
        self._make_input = make_input or self._captured
        self._made = Calls()
        self._recorded: set[int] = set()

    def input(self, source: Any, sample: Any = None) -> Traced:
        """Return a placeholder for an argument; its sample is an empty array of its type."""
        node = Input(source)
        if sample is not None:
            self.samples[id(node)] = sample
        return Traced(self, node)

    def call(self, kind: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Traced:
        """Record a call; an equal one on the same operands is the same node."""
        node = self._made.make(kind, name, args, kwargs or {})
        if id(node) in self._recorded:
            return Traced(self, node)
        self._recorded.add(id(node))
        self.calls.append(node)
        found = self._sample(node)
        if found is not None:
            self.samples[id(node)] = found
        return Traced(self, node)

    def _sample(self, node: Call) -> Any:
        """Call on empty arrays, which raises errors of types; None if positions or values are missing.

        A null row comes as a scalar, where other values give an array: its type is unknown.
        """

        def sample(child: Call | Input) -> Any:
            return self.samples[id(child)]

        try:
            if node.kind == "method" and METHODS[node.name].result_type is not None and rows_of(node, sample) is Rows.REDUCED:
                return None  # in an aggregate the result has rows, and the rule gives its type
            found = sample_of(node, sample)
        except JagTypeError:
            raise
        except (KeyError, JagError):
            return None
        return None if isinstance(found, pa.Scalar) and _arrow.is_level_type(found.type) else found

    def check(self) -> None:
        """Raise if the function used values, also if it caught the error, as `np.iterable` and `np.array_equal` do."""
        if self.values_error is not None:
            raise self.values_error

    def record(self, value: Any, *, rowwise: bool = False) -> Any:
        """Convert an argument to a part of the tree: arrays with one item per row become inputs."""
        if isinstance(value, Traced):
            return value._node
        if isinstance(value, (list, tuple)) and any(isinstance(one, Traced) for one in value):
            return like(value, [self.record(one, rowwise=rowwise) for one in value])
        if isinstance(value, dict) and any(isinstance(one, Traced) for one in value.values()):
            return {key: self.record(one, rowwise=rowwise) for key, one in value.items()}
        if isinstance(value, slice):
            return slice(*(self.record(one) for one in (value.start, value.stop, value.step)))
        is_column = not is_scalar(value) or hasattr(value, "_series")  # the `.jag` of a Series
        if rowwise and is_column and not (isinstance(value, JaggedArray) and value.ndim == 0):
            return self._make_input(value)
        return value

    def _captured(self, value: Any) -> Input:
        series = getattr(value, "_series", value)  # also its `.jag`
        if isinstance(series, getattr(loaded("pandas"), "Series", ())):
            error = JagTypeError(
                f"jit: {self.name} reads a Series from outside, whose rows are aligned by labels that arrays lack: make it an "
                "argument of the function"
            )
            self.values_error = self.values_error or error
            raise error
        array = value if isinstance(value, JaggedArray) else JaggedArray._of(as_column(value))
        node = Input(array)
        self.samples[id(node)] = array[:0]
        self.captured.append(node)
        return node

    def nodes(self, result: Any) -> tuple[Any, list[Node]]:
        """Replace the placeholders of a result by their numbers among its distinct nodes, which are returned too."""
        found: list[Node] = []

        def number(one: Any) -> Any:
            if not isinstance(one, Traced):
                return self.checked(one)
            place = next((place for place, known in enumerate(found) if known is one._node), len(found))
            if place == len(found):
                found.append(one._node)
            return Place(place)

        return mapped_values(result, number), found

    def checked(self, result: Any) -> Any:
        """Return an object of a result; raise if it would hand out placeholders, which only this trace understands."""
        if isinstance(result, Iterator) or any(isinstance(one, Traced) for one in _held(result)):
            raise JagTypeError(
                f"jit: {self.name} returns an object of type {type(result).__name__}, in which arrays can't be found: return "
                "arrays, or a tuple, list or dict of them"
            )
        return result


def _held(value: Any) -> list[Any]:
    """Return the attributes of an object, items of a container, arguments of a partial function, and variables of a closure."""
    if isinstance(value, functools.partial):
        return [*value.args, *value.keywords.values()]
    items: Iterable[Any] = ()
    if isinstance(value, np.ndarray):
        items = value.ravel().tolist() if value.dtype.kind == "O" else ()
    elif isinstance(value, (Mapping, deque, ValuesView)):
        items = value.values() if isinstance(value, Mapping) else value
    return [*items, *parts_of(value), *cells_of(value), getattr(value, "__self__", None)]


def _valid(sample: Any) -> Any:
    """Return a scalar that is not null in place of a null one: Python's and numpy's functions of None raise errors of their own."""
    if not isinstance(sample, pa.Scalar) or sample.is_valid:
        return sample
    try:
        return pa.array([1], pa.int8()).cast(sample.type)[0]
    except pa.ArrowException:  # a type without numbers
        return sample


def is_plain(value: Any, columns: type | tuple[type, ...]) -> bool:
    """Whether an argument of a traced function is data that becomes an array: of numpy or Arrow, or a list without columns."""
    if isinstance(value, columns) or is_scalar(value):
        return False
    if isinstance(value, list):
        return not any(isinstance(one, columns) for one in value)
    return _is_column(value)


class Place(int):
    """The number of a result."""

    __slots__ = ()


_BOTH_ARRAYS = (
    "if it is an argument of another array's method, as in a.dot(x), pass that array too, as in "
    "aj.jit(lambda x, a: a.dot(x))(x, a), or write x.dot(a); otherwise "
)


class Traced:
    """A placeholder for an array in a function that `arrowjag.jit` traces.

    It has the methods, operators and ufuncs of `JaggedArray`, and `ndim`, `type` and `fields`, but no values.
    """

    __slots__ = ("_node", "_trace")
    __hash__ = None  # type: ignore[assignment]  # == is elementwise
    __array_priority__ = 2000
    __pandas_priority__ = 5000  # Series and arrays leave operators to the placeholder

    def __init__(self, trace: Trace, node: Node) -> None:
        self._trace = trace
        self._node = node

    # ------------------------------------------------------------------------------------------- facts

    @property  # type: ignore[misc]  # read-only
    def __class__(self) -> Any:
        """The class of arrays, so that `isinstance` has the same answer in a traced function."""
        return JaggedArray

    def _needs_values(self) -> NoReturn:
        raise self._unknown("an array", _BOTH_ARRAYS)

    _shape = _values = property(_needs_values)

    def _sample(self, fact: str) -> Any:
        found = self._trace.samples.get(id(self._node))
        if found is None:
            raise self._unknown(f"`{fact}`")
        return found

    @property
    def ndim(self) -> int:
        """Number of dims; known from types."""
        found = self._sample("ndim")
        return found.ndim if isinstance(found, JaggedArray) else int(isinstance(found, pa.Array))

    @property
    def type(self) -> pa.DataType:
        """The Arrow type of the leaf values."""
        return self._sample("type").type

    @property
    def fields(self) -> list[str]:
        """The field names of structs."""
        return self._sample("fields").fields  # type: ignore[no-any-return]  # of an array

    @property
    def jag(self) -> Traced:
        """The placeholder itself, so that functions written for Series run too."""
        return self

    # ------------------------------------------------------------------------------------------- calls

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Traced:
        self._check_rows(name)
        recorded, named = record_arguments(name, args, kwargs, self._trace.record)
        return self._trace.call("method", name, (self._node, *recorded), named)

    def _check_rows(self, name: str) -> None:
        """Raise the error of an Arrow scalar or flat array, which some calls return in place of a jagged array."""
        found = self._trace.samples.get(id(self._node))
        if isinstance(found, (pa.Scalar, pa.Array)):
            operator.getitem(found, 0) if name == "x[...]" else getattr(found, name.partition(".")[0])
            raise self._unknown(f"`{name}` of {type(found).__name__}")

    def _check_operands(self, function: Callable[..., Any], operands: Sequence[Any]) -> None:
        """Raise the error of an operation without a jagged operand."""
        samples = [self._trace.samples.get(id(one._node)) if isinstance(one, Traced) else one for one in operands]
        if any(isinstance(one, pa.Scalar) for one in samples) and all(map(is_scalar, samples)) and None not in samples:
            try:
                found = function(*map(_valid, samples))
            except pa.ArrowInvalid:  # raised because of the values of samples
                return
            if not isinstance(found, pa.Scalar):
                raise self._unknown("an operation of Arrow scalars")

    def _operate(self, name: str, *operands: Any) -> Any:
        self._check_operands(getattr(operator, name), operands)
        return self._trace.call(*operator_call(name, tuple(self._trace.record(one, rowwise=True) for one in operands)))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        check_ufunc(ufunc, method, options)
        self._check_operands(ufunc, inputs)
        operands = tuple(self._trace.record(one, rowwise=True) for one in inputs)
        made = self._trace.call(*ufunc_call(ufunc, operands))
        if ufunc.nout == 1:
            return made
        return tuple(self._trace.call("part", ufunc.__name__, (made._node, place)) for place in range(ufunc.nout))

    def __array_function__(self, function: Any, _types: Any, arguments: Any, options: Any) -> Any:
        if function in (np.array_equal, np.array_equiv):
            raise self._unknown(f"`np.{function.__name__}`")
        before = self._trace.values_error
        try:
            return numpy_functions.call(function, arguments, options)
        except JagTypeError as error:
            if self._trace.values_error is before or function is np.dot:  # also called by the method of numpy arrays
                raise
            self._trace.values_error = None  # raised for an array; the error below names the function
            raise self._unknown(f"`np.{function.__name__}`", f"use {numpy_functions.instead(function)}", or_else=False) from error

    def __getitem__(self, key: Any) -> Traced:
        self._check_rows("x[...]")
        return self._trace.call("getitem", "x[...]", (self._node, recorded_key(key, self._trace.record)))

    @property
    def S(self) -> _Slots:  # noqa: N802 - Koda's name
        """Indexing from the innermost dims; positions out of range give null."""
        return _Slots(self)

    rolling, expanding, ewm = WindowMethods.rolling, WindowMethods.expanding, WindowMethods.ewm

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._check_rows(name)
        method = METHODS.get(name)
        if method is not None:
            return self._call(name) if method.is_property else _Method(self, name)
        if hasattr(JaggedArray, name):
            raise self._unknown(f"`{name}`", _BOTH_ARRAYS if name in ("shape", "values") else "")
        raise JagAttributeError(f"a jagged array has no {name!r}", name=name)

    # ------------------------------------------------------------------------------------------- what needs values

    def _unknown(self, what: str, do: str = "", *, or_else: bool = True) -> JagTypeError:
        """The error of a function that uses values; it says what to do, or else in general."""
        name = self._trace.name
        general = (
            f"write aj.where(c, x, y) for `if`, reductions and scans for loops, or call {name} without jit (aj.map_rows runs any "
            "function on each row)"
        )
        error = JagTypeError(
            f"jit: {name} needs {what}, which depends on the values, but a traced function sees types only: "
            f"{do}{general if or_else else ''}"
        )
        self._trace.values_error = self._trace.values_error or error
        return error

    def __repr__(self) -> str:
        found = self._trace.samples.get(id(self._node))
        return f"Traced({found.extension_type})" if isinstance(found, JaggedArray) else "Traced"

    def __bool__(self) -> NoReturn:
        raise self._unknown("the truth of an array (`if`, `and`, `or`, `not`, `while`)")

    def __len__(self) -> int:
        found = self._trace.samples.get(id(self._node))
        if isinstance(found, tuple):  # several results, such as those of `image`
            return len(found)
        raise self._unknown("`len`")

    def __iter__(self) -> Iterator[Traced]:
        found = self._trace.samples.get(id(self._node))
        if isinstance(found, tuple):
            return iter([self._trace.call("part", "x[...]", (self._node, place)) for place in range(len(found))])
        raise self._unknown("the rows (`for`, `*`, `in`)")

    def __contains__(self, item: object) -> NoReturn:
        raise self._unknown("`in`")

    def __float__(self) -> NoReturn:
        raise self._unknown("a number (`float`, `math`)")

    def __int__(self) -> NoReturn:
        raise self._unknown("a number (`int`)")

    def __index__(self) -> NoReturn:
        raise self._unknown("a number (`range`, an index)")

    def __copy__(self) -> Traced:
        return self

    def __deepcopy__(self, memo: object) -> Traced:
        return self

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise self._unknown("a numpy array", _BOTH_ARRAYS)

    def __arrow_c_array__(self, requested_schema: object = None) -> NoReturn:
        raise self._unknown("an Arrow array", _BOTH_ARRAYS)


class _Method:
    """A method of a placeholder."""

    __slots__ = ("_name", "_owner")

    def __init__(self, owner: Traced, name: str) -> None:
        self._owner = owner
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Traced:
        return self._owner._call(self._name, *args, **kwargs)


class _Slots:
    """`x.S` of a placeholder."""

    __slots__ = ("_owner",)
    __iter__ = None  # positions out of range give null, so a loop would not end

    def __init__(self, owner: Traced) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Traced:
        owner = self._owner
        return owner._trace.call("slots", "x.S[...]", (owner._node, recorded_positions(key, owner._trace.record)))


# --------------------------------------------------------------------------------------------------- operators


def _add_operators() -> None:
    for name, function in PYTHON_OPERATORS.items():

        def forward(self: Traced, other: Any, function: str = function.__name__) -> Any:
            return self._operate(function, self, other)

        def backward(self: Traced, other: Any, function: str = function.__name__) -> Any:
            return self._operate(function, other, self)

        setattr(Traced, f"__{name}__", forward)
        if name not in PYTHON_COMPARISONS:
            setattr(Traced, f"__r{name}__", backward)
    for name in PYTHON_UNARY:

        def alone(self: Traced, function: str = name) -> Any:
            return self._operate(function, self)

        setattr(Traced, f"__{name}__", alone)
    others: dict[str, Any] = {
        "__round__": lambda self, ndigits=0: self._call("round", ndigits),
        "__divmod__": lambda self, other: (self // other, self % other),
        "__rdivmod__": lambda self, other: (other // self, other % self),
    }
    for name, other in others.items():
        setattr(Traced, name, other)


def _caller(method: MethodEntry) -> Callable[..., Any]:
    """A method of a namespace, such as ``x.str.lower``."""

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._call(method.name, *args, **kwargs)

    return called


_add_operators()
add_namespaces(Traced, _caller)


# --------------------------------------------------------------------------------------------------- free functions


def _traced(values: Sequence[Any]) -> Traced:
    """The first placeholder among arguments and lists of arguments."""
    for one in values:
        if isinstance(one, Traced):
            return one
        if isinstance(one, (list, tuple)) and any(isinstance(each, Traced) for each in one):
            return _traced(one)
    raise AssertionError("a placeholder was among the arguments")


def _call_function(_function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = _traced([*args, *kwargs.values()])._trace
    recorded, named = record_operands(name, args, kwargs, trace.record, Traced, _is_column)
    made = trace.call("function", name, recorded, named)
    if name == "align":
        return tuple(trace.call("part", name, (made._node, place)) for place in range(len(args)))
    return made


def _is_column(value: Any) -> bool:
    """Return whether an argument of a free function has one item per row."""
    return isinstance(value, np.ndarray) or exports_arrow(value)


def _inlined(function: Callable[..., Any], _name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a traced function within the trace of another one; its lists and arrays become arrays as in a call of its own."""

    def converted(value: Any) -> Any:
        return JaggedArray._of(as_column(value)) if is_plain(value, Traced) else value

    return function(*map(converted, args), **{key: converted(one) for key, one in kwargs.items()})


HOSTS.insert(0, Host(lambda value: isinstance(value, Traced), _call_function, trace=_inlined))
