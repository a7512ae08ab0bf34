"""Every method of the table is on both surfaces, with the array's values, over chunks, slices and morsels."""

from __future__ import annotations

import inspect
import operator
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._methods import METHODS, Rows
from arrowjag.errors import JagError
from arrowjag.polars import JagNamespace, JagSeries, from_series
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests.polars.frames import chunked
from tests.surfaces import on_polars, plain, types_on

# Arguments for the methods that need some; `None` where an example would need more than one column.
ARGUMENTS: dict[str, Any] = {
    "cast": ("float64",),
    "clip": (0, 5),
    "fill_null": (0,),
    "pad": (3,),
    "slice": (0, 2),
    "take": (0, -1, "null"),
    "quantile": (0.5,),
    "rolling_sum": (2,),
    "rolling_mean": (2,),
    "rolling_min": (2,),
    "rolling_max": (2,),
    "rolling_count": (2,),
    "rolling_var": (2,),
    "rolling_std": (2,),
    "rolling_median": (2,),
    "rolling_quantile": (2, 0.5),
    "rolling_first": (2,),
    "rolling_last": (2,),
    "moment": (2,),
    "histogram": ([0, 1, 2],),
    "digitize": ([0, 1],),
    "cut": ([0, 1, 2],),
    "topk": (2,),
    "is_in": ([1, 2, 3],),
    "contains": (1,),
    "combinations": (2,),
    "unsqueeze": (1,),
    "repeat": (2,),
}
SEEDED = {name for name, method in METHODS.items() if method.seeded}


def callable_methods() -> list[str]:
    """Methods of integers that need no other column than their own; test_surfaces.py calls those of text and times."""
    names = []
    for name, method in METHODS.items():
        parameters = list(method.signature.parameters.values())[1:]
        needed = [one for one in parameters if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
        if (name in ARGUMENTS or not needed) and name not in SEEDED and not name.startswith(("dt.", "str.")):
            names.append(name)
    return names


def call(receiver: Any, name: str) -> Any:
    found = operator.attrgetter(name)(receiver)
    return found if METHODS[name].is_property else found(*ARGUMENTS.get(name, ()))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_its_signature_and_docstring(name):
    for surface in (JagNamespace, JagSeries):
        owner, _, short = name.rpartition(".")
        found = inspect.getattr_static(getattr(surface, owner) if owner else surface, short)
        found = found.fget if isinstance(found, property) else found
        if name != "rolling":
            assert inspect.signature(found) == METHODS[name].signature
        assert found.__doc__


@pytest.mark.parametrize("name", callable_methods())
@settings(max_examples=8)  # each is several queries, and there are many methods
@given(x=jagged_arrays(ndim=st.sampled_from([2, 3]), leaf=pa.int64()), with_lists=st.booleans())
def test_expressions_and_series_agree_with_the_array(name, x, with_lists):
    """Of each column one storage is cut into chunks, the extension type or plain lists."""
    expected: Any
    try:
        expected = call(x, name)
    except JagError as error:
        expected = error
    for extension in (True, False):
        series = x.to_polars("v", extension=extension)
        if isinstance(expected, JagError):
            with pytest.raises(type(expected)):
                call(series.jag, name)
            continue
        got = call(series.jag, name)
        assert_lists_equal(plain(got), plain(expected))
        if extension and 0 not in x.shape.extents:  # polars has no lists of declared size 0
            assert types_on(on_polars, got) == types_on(on_polars, expected)
        if isinstance(expected, aj.JaggedArray):
            frame = series.to_frame()
            is_cut = extension != with_lists and len(x) > 2
            check_expression(chunked(frame) if is_cut else frame, name, expected, x.ndim)


def assert_same(got: pl.Series, expected: aj.JaggedArray) -> None:
    assert_lists_equal(from_series(got).to_list(), expected.to_list())


def check_expression(frame: pl.DataFrame, name: str, expected: aj.JaggedArray, ndim: int) -> None:
    method = METHODS[name]
    if method.rows(ndim, method.bind(ARGUMENTS.get(name, ()), {})) in (Rows.MOVED, Rows.REDUCED):
        return
    lazy = frame.lazy().select(call(pl.col("v").jag, name))
    schema = lazy.collect_schema()
    for engine in ("in-memory", "streaming"):
        got = lazy.collect(engine=engine)
        assert got.schema == schema
        assert_same(got["v"], expected)
