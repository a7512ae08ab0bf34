"""Wrong values for every parameter of public calls: each is accepted, or refused by an error of arrowjag in one short text."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._methods import METHODS
from tests.hosts import pd, pl

X, TEXT, TIMES = aj.array([[1, 2], [3]]), aj.array([["a"], ["b"]]), aj.array([["2020-01-01"]]).cast("timestamp[us]")
DIM = aj.dims.Ragged([2, 1])


class Unprintable:
    """An object that no message can show."""

    def __repr__(self) -> str:
        raise ArithmeticError


def contains_itself() -> list[Any]:
    rows: list[Any] = []
    rows.append(rows)
    return rows


WRONG: dict[str, Callable[[], Any]] = {
    "object": Unprintable,
    "array without dims": lambda: np.array(3),
    "array of two dims": lambda: np.zeros((2, 2)),
    "ragged list": lambda: [[1], [2, 3]],
    "long text": lambda: "y" * 10_000,
    "bytes": lambda: b"",
    "set": lambda: {1, 2},
    "generator": lambda: (one for one in [1, 2]),
    "duration": lambda: np.timedelta64(1, "D"),
    "large number": lambda: 10**5000,
    "list of a large number": lambda: [10**5000],
    "list that contains itself": contains_itself,
}

KNOWN: dict[str, Any] = {
    **dict.fromkeys(("n", "k", "size", "step", "seed", "b", "width", "n_parents", "ndim", "last", "dim"), 1),
    **dict.fromkeys(("a", "axis", "start", "i", "key", "first"), 0),
    "f": lambda *items: items[0],
    "function": "abs",
    "fn": "abs",
    "sep": ",",
    "window": 2,
    "every": "1d",
    "format": "%Y",
    "q": 0.5,
    "bins": 2,
    "edges": [1, 2],
    "type": "int64",
    "values": [1, 2, 3],
    "parents": [0, 0, 1],
    "mask": [True, False],
    "dims": 2,
    "index": [0],
    "sizes": [2, 1],
    "shape": X.shape,
    "zone": "UTC",
    "unit": "us",
    "leaf": pa.int64(),
    "value": 1,
    "pattern": "a",
    "prefix": "a",
    "suffix": "a",
    "regex": "(a)",
    "s": "a",
    "old": "a",
    "new": "b",
    "strings": ["[1]"],
    "data": [[1]],
    "dense": np.ones((2, 2)),
    "shape_or_sizes": [2, 1],
    "boundaries": [1, 2],
    "frequencies": [1.0],
    "table": pa.table({"v": [[1]]}),
    **({} if pl is None else {"series": pl.Series([[1]])}),
}
"""Values for required parameters; all others take an array."""

CLASSES: dict[str, Callable[..., Any]] = {
    "JaggedArray": aj.JaggedArray,
    "JaggedShape": aj.JaggedShape,
    "JaggedShape.repeating": aj.JaggedShape.repeating,
    "JaggedShape.from_offsets": aj.JaggedShape.from_offsets,
    "JaggedShape.from_parents": aj.JaggedShape.from_parents,
    "JaggedShape.common": aj.JaggedShape.common,
    "JaggedType.of": aj.JaggedType.of,
    "Overlay": aj.Overlay,
    "options": aj.options,
    **{name: getattr(X.shape, name) for name in ("transpose", "transpose_will_shear", "flatten", "reshape", "nodes", "composed")},
    **{f"dims.{name}": getattr(aj.dims, name) for name in ("Affine", "Chain", "Ragged", "Repeat", "Runs", "Uniform", "concat")},
    **{f"dim.{name}": getattr(DIM, name) for name in ("index", "cat", "offset_of", "spread", "stretched", "with_extent")},
    **{f"x.{name}": getattr(X, name) for name in ("to_arrow", "to_dense", "to_pandas", "to_polars", "transpose_will_shear")},
    **{f"x.{name}": getattr(X, name) for name in ("rolling", "expanding", "ewm")},
}
if pd is not None:
    CLASSES |= {"JaggedDtype": aj.pandas.JaggedDtype, "JaggedExtensionArray": aj.pandas.JaggedExtensionArray}
if pl is not None:
    CLASSES |= {"Jagged": aj.polars.Jagged, "polars.jagged": aj.polars.jagged}


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, one in METHODS.items():
        if not one.is_property:
            owner: Any = TEXT if name.startswith("str.") else TIMES if name.startswith("dt.") else X
            for part in name.split("."):
                owner = getattr(owner, part)
            yield f"x.{name}", owner


MODULES = (
    *("arrowjag", "arrowjag.dense", "arrowjag.sequences", "arrowjag.shapes"),
    *(f"arrowjag.interop.{name}" for name in ("awkward", "numpy", "scipy", "tensorflow", "torch", "xarray")),
    *(f"arrowjag.{name}" for name, host in (("pandas", pd), ("polars", pl)) if host is not None),
)
"""Modules of functions; those for a library that is not installed say which one."""


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in MODULES:
        found = importlib.import_module(module)
        for name in found.__all__:
            if inspect.isfunction(getattr(found, name)) and not name.startswith(("read_", "scan_", "write_")):
                yield f"{module}.{name}", getattr(found, name)


def frames() -> Iterator[tuple[str, Callable[..., Any]]]:
    kept = {"k": ["a", "b"], "v": X, "w": X}
    for kind, frame in {
        "pandas": None if pd is None else pd.DataFrame(kept),
        "polars": None if pl is None else pl.DataFrame({"k": kept["k"]}).with_columns(v=X, w=X),
    }.items():
        jag = None if frame is None else frame.jag
        for name in () if jag is None else sorted(vars(type(jag))):
            if not name.startswith("_"):
                yield f"{kind} frame.{name}", getattr(jag, name)


CALLS = {**CLASSES, **dict(methods()), **dict(functions()), **dict(frames())}


def arguments(parameters: list[inspect.Parameter], name: str, wrong: Any) -> tuple[list[Any], dict[str, Any]]:
    """The wrong value for one parameter, and right ones for all others that are required."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for one in parameters:
        if one.name != name and (one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)):
            continue
        value = wrong if one.name == name else KNOWN.get(one.name, X)
        is_required = one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD and not named
        if is_required or one.kind in (one.POSITIONAL_ONLY, one.VAR_POSITIONAL):
            positional.append(value)
        else:
            named["extra" if one.kind is one.VAR_KEYWORD else one.name] = value
    return positional, named


def is_expected(error: Exception) -> bool:
    """Whether an error is one of arrowjag; those of functions of the caller pass."""
    if any("the function failed" in one for one in getattr(error, "__notes__", ())):
        return True
    return (
        isinstance(error, aj.JagError) and len(str(error)) < 1000 and not re.search(r"\b1 (dims|rows|places|levels)\b", str(error))
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_are_errors_of_arrowjag(name: str) -> None:
    call = CALLS[name]
    parameters = list(inspect.signature(call).parameters.values())
    found = []
    for one in parameters:
        for kind, make in WRONG.items():
            positional, named = arguments(parameters, one.name, make())
            try:
                call(*positional, **named)
            except Exception as error:  # noqa: BLE001 - that of any type is the finding
                if not is_expected(error):
                    found.append(f"{one.name}, {kind}: {type(error).__name__}: {str(error)[:200]}")
    assert not found


@pytest.mark.parametrize("call", [X.pad, X.topk, X.to_dense, aj.zeros, lambda n: aj.zeros(2, n), aj.dims.Uniform, X.unsqueeze])
def test_scalars_of_arrow_are_refused_with_the_way_to_a_python_value(call: Callable[[Any], Any]) -> None:
    with pytest.raises(aj.JagTypeError, match=r"must be an int.* got .*Int64Scalar; \.as_py\(\) converts it$"):
        call(X.lengths().max())


def test_calls_of_a_class_that_do_not_fit_name_the_class() -> None:
    with pytest.raises(aj.JagTypeError, match=r"^JaggedArray: missing .*'values'; the signature is JaggedArray\(shape, values\)$"):
        aj.JaggedArray(X.shape)  # type: ignore[call-arg]
    with pytest.raises(aj.JagTypeError, match=r"^JaggedShape: .*'a'; the signature is JaggedShape\(\*dims\)$"):
        aj.JaggedShape(a=1)  # type: ignore[call-arg]
