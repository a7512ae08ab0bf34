"""`jit`: a function of jagged arrays that is traced once per types, and runs fused."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, overload

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._arrow.foreign import exports_arrow
from arrowjag._column import Column, empty
from arrowjag._expressions.evaluation import Program
from arrowjag._expressions.explaining import explained
from arrowjag._expressions.outside import facts_of
from arrowjag._expressions.tracing import Place, Trace, Traced
from arrowjag._expressions.tree import is_scalar, mapped_values
from arrowjag._methods import HOSTS, Host, of_hosts
from arrowjag._runtime.identity import Same
from arrowjag.dims import Uniform
from arrowjag.errors import JagError, JagTypeError
from arrowjag.shape import JaggedShape

__all__ = ["JitFunction", "jit"]

P = ParamSpec("P")
R = TypeVar("R")

_MOST_TYPES, _MOST_BYTES = 256, 1 << 28
"""Traces that a function keeps, and the bytes of the arrays from outside that they hold; the oldest are dropped."""

_CONSTANTS = (str, bytes, int, bool, type(None), pa.DataType)
"""Arguments that are compared by value; all others by identity."""


class JitFunction(Generic[P, R]):
    """A function of jagged arrays that is traced and fused; made by `arrowjag.jit`.

    Parameters
    ----------
    function : callable
        The function.

    Examples
    --------
    >>> import arrowjag as aj
    >>> centered = aj.jit(lambda x: x - x.mean())
    >>> centered(aj.array([[1.0, 3.0], [5.0]])).to_list()
    [[-1.0, 1.0], [0.0]]
    """

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._name = getattr(function, "__name__", type(function).__name__)
        self._traces: dict[Any, _Traced | None] = {}
        self._lock = threading.Lock()

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        host = _host_of(args, kwargs)
        if host is None:
            return self._on_arrays(*args, **kwargs)  # type: ignore[no-any-return]  # what the function returns
        if host.trace is not None:
            return host.trace(self._function, self._name, args, kwargs)  # type: ignore[no-any-return]  # of the host
        return host.call(self._on_arrays, self._name, args, kwargs)  # type: ignore[no-any-return]  # of the host

    def _on_arrays(self, /, *args: Any, **kwargs: Any) -> Any:
        given = tuple(map(_argument, args)), {name: _argument(one) for name, one in kwargs.items()}
        traced = self._trace(*given)
        if traced is None:
            return self._function(*given[0], **given[1])
        return traced.run(*given)

    def _trace(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Traced | None:
        """Return the trace for arguments of these types; None if the function raises an error of its own on placeholders."""
        values = (*args, *kwargs.values())
        found_types = tuple(map(_type_of, values))
        others = [value for value, type in zip(values, found_types, strict=True) if isinstance(type, Same)]
        key = (facts_of(self._function, others), found_types, tuple(kwargs))
        try:
            return self._traces[key]
        except TypeError:  # users' extension types may lack a hash
            return _traced(self._function, self._name, args, kwargs)
        except KeyError:
            found = _traced(self._function, self._name, args, kwargs)
        with self._lock:  # other threads drop traces too
            while self._traces and (len(self._traces) >= _MOST_TYPES or _bytes_held([*self._traces.values(), found]) > _MOST_BYTES):
                del self._traces[next(iter(self._traces))]
            self._traces[key] = found
        return found

    def explain(self, /, *args: P.args, **kwargs: P.kwargs) -> str:
        """Describe how the function runs on arguments.

        Parameters
        ----------
        *args, **kwargs
            Arguments as in a call: arrays, Series, or empty arrays of the same types.

        Returns
        -------
        str
            The calls in the order in which they run, with the types of their results. Calls of one stretch run together: in one
            loop that numba compiles, or block of rows by block of rows. All others run on whole columns.

        Raises
        ------
        JagTypeError
            If an argument is an expression of polars, whose type is unknown, or the function uses values.

        Examples
        --------
        >>> import arrowjag as aj
        >>> standard = aj.jit(lambda x: (x - x.mean()) / x.std())
        >>> print(standard.explain(aj.array([[1.0, 3.0], [5.0]])))
        <lambda>(x0: jagged[double, 2])
        in ...blocks of rows:
          a = x0.mean()    double
          b = x0 - a       jagged[double, 2]
          c = x0.std()     double
          d = b / c        jagged[double, 2]
        return d
        """
        host = _host_of(args, kwargs)
        if host is not None and host.trace is not None:
            raise JagTypeError(f"explain: {self._name} needs columns whose types are known: arrays or Series, not expressions")
        if host is not None:
            found: list[str] = []
            host.call(lambda *a, **k: found.append(self._explain(a, k)), self._name, args, kwargs)
            return found[0]
        return self._explain(args, kwargs)

    def _explain(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        given = tuple(map(_argument, args)), {name: _argument(one) for name, one in kwargs.items()}
        traced = self._trace(*given)
        if traced is None:
            return f"{self._name} raises an error on these types, and runs without tracing"
        return explained(self._name, traced.program, traced.trace, traced.inputs, traced.result)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else _Bound(self, instance)

    def __reduce__(self) -> Any:
        module = sys.modules.get(getattr(self._function, "__module__", None) or "")
        found: Any = module
        for name in getattr(self._function, "__qualname__", "").split("."):
            found = getattr(found, name, None)
        return self._function.__qualname__ if found is self else (jit, (self._function,))

    def __repr__(self) -> str:
        return f"arrowjag.jit({self._name})"


class _Bound(functools.partial[R]):
    """A traced method of an instance."""

    def explain(self, /, *args: Any, **kwargs: Any) -> str:
        """Describe how the method runs on arguments, with the instance as the first of them."""
        function: Any = self.func
        return str(function.explain(*self.args, *args, **kwargs))


@overload
def jit(function: Callable[P, R]) -> JitFunction[P, R]: ...
@overload
def jit(function: None = None) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...
def jit(function: Any = None) -> Any:
    """Fuse the calls of a function of jagged arrays; also a decorator.

    Parameters
    ----------
    function : callable
        Takes arrays, and returns arrays, or a tuple, list or dict of them. It runs once for each combination of argument types,
        with placeholders that record its calls; later calls only run the recorded calls. It can read types (``x.ndim``,
        ``x.type``), but no values: `if`, `for` and `len` of an array raise `JagTypeError`.

    Returns
    -------
    JitFunction
        A function of the same arguments, with the method `explain`. Arrays, lists and numpy arrays are traced as arrays; Series of
        pandas and polars give Series, expressions of polars give expressions. All other arguments, such as numbers, are constants:
        a new value is traced again.

    Raises
    ------
    JagTypeError
        If the function uses values while it is traced.

    Notes
    -----
    Results, types, nulls and errors are those of the function itself, bit for bit. Stretches of calls that compute each row alone
    (elementwise work, broadcasting, reductions and scans of the last axis) run together. With numba (the extra ``compiled``),
    stretches of arithmetic, squares, comparisons, logic, `where`, casts to wider types, sums, means, extremes, standard deviations,
    counts, running sums and extremes, differences and shifts by one of float64, float32, int64, int32 and booleans become one loop
    over rows, with nulls or without; `arrowjag.options` controls when it is compiled. Equal calls on the same columns are computed
    once. Without a loop, stretches of six operators and more on a million items run in blocks of rows on all cores, so that
    intermediate results stay in cache; all others run call by call, as without `jit`. Values that the function does not return or
    use are not computed. An array, list or number that the function reads from outside is read when it is traced; if the outer
    name is bound to another object, the next call traces again. A Series of pandas must be an argument: its rows have labels.

    Examples
    --------
    >>> import arrowjag as aj
    >>> @aj.jit
    ... def weighted_mean(x, w):
    ...     return (x * w).sum() / w.sum()
    >>> weighted_mean(aj.array([[1.0, 3.0], [5.0]]), aj.array([[1.0, 1.0], [2.0]])).to_list()
    [2.0, 5.0]
    """
    if function is None:
        return jit
    if isinstance(function, JitFunction):
        return function
    if not callable(function):
        raise JagTypeError(f"jit takes a function, got {type(function).__name__}")
    return JitFunction(function)


# --------------------------------------------------------------------------------------------------- arguments


def _host_of(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Host | None:
    """The surface of an argument; one that only traces comes first, because its columns have no values yet."""
    others = of_hosts([*args, *kwargs.values()])
    if not others:
        return None
    hosts = [host for host in HOSTS if any(map(host.owns, others))]
    return next((host for host in hosts if host.trace is not None), hosts[0] if hosts else None)


def _argument(value: Any) -> Any:
    """Convert arrays of other libraries and lists to jagged arrays; other arguments stay."""
    if isinstance(value, (JaggedArray, str, bytes)) or is_scalar(value):
        return value
    if isinstance(value, (list, np.ndarray)) or exports_arrow(value):
        return JaggedArray._of(as_column(value))
    return value


def _type_of(value: Any) -> Any:
    """The facts that a trace depends on: the type of an array, or a constant."""
    if isinstance(value, JaggedArray):
        return JaggedArray, value.type, value.ndim, value.shape.extents
    if isinstance(value, pa.Scalar):
        return pa.Scalar, value.type, _content(value)
    if isinstance(value, np.generic):
        return type(value), value.dtype, value.tobytes()  # distinguishes units of time, which numpy compares by value
    if isinstance(value, (float, complex)):
        return type(value), repr(value)  # distinguishes -0.0 from 0.0, and NaN equals NaN
    return (type(value), value) if isinstance(value, _CONSTANTS) else Same(value)


def _content(scalar: pa.Scalar) -> Any:
    """The value of an Arrow scalar; Python's own types lack nanoseconds and most years."""
    try:
        return scalar.value if pt.is_temporal(scalar.type) else repr(scalar)
    except (ValueError, OverflowError):
        return Same(scalar)


# --------------------------------------------------------------------------------------------------- traces


class _Traced:
    """The calls that one run of a function on placeholders recorded."""

    def __init__(self, trace: Trace, inputs: list[tuple[Any, Traced]], result: Any) -> None:
        self.trace = trace
        self.inputs = [(place, one._node) for place, one in inputs]
        self.result, roots = trace.nodes(result)
        self.program = Program(roots, trace.samples, trace.calls)
        self._captured = {id(node): node.source for node in trace.captured}

    def run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Compute the results for arguments of the same types."""
        values = dict(self._captured)
        for place, node in self.inputs:
            values[id(node)] = args[place] if isinstance(place, int) else kwargs[place]
        found = self.program.run(values)
        return mapped_values(self.result, lambda one: found[one] if isinstance(one, Place) else one)


def _bytes_held(traces: Iterable[_Traced | None]) -> int:
    """The bytes of the arrays from outside that traces hold."""
    arrays = {id(node.source): node.source for one in traces if one is not None for node in one.trace.captured}
    return sum(array.nbytes for array in arrays.values())


def _sample_of(array: JaggedArray) -> JaggedArray:
    """An empty array of the type of another one; a slice would keep the memory of all values as long as the trace."""
    if not array.ndim:
        return array
    column = empty(array.type, array.ndim, array.shape.extents)
    rows = Uniform(0, 1, declared=array.shape.extents[0] is not None)
    return JaggedArray._of(Column(JaggedShape._trusted([rows, *column.shape.dims[1:]]), column.values))


def _traced(function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Traced | None:
    """Run a function with placeholders; None if it raises an error that it may raise on arrays too."""
    trace = Trace(name)
    inputs: list[tuple[Any, Traced]] = []

    def placed(place: Any, value: Any) -> Any:
        if not isinstance(value, JaggedArray):
            return value
        inputs.append((place, trace.input(place, _sample_of(value))))
        return inputs[-1][1]

    try:
        found = function(
            *(placed(place, one) for place, one in enumerate(args)), **{key: placed(key, one) for key, one in kwargs.items()}
        )
    except Exception as error:  # also one of the function's own, raised after it used values
        trace.check()
        if isinstance(error, JagError):
            return None
        raise
    trace.check()
    return _Traced(trace, inputs, found)
