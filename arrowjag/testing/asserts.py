"""Assertions on jagged arrays and nested lists that report the first difference."""

from __future__ import annotations

import math
from typing import Any

from arrowjag._array import JaggedArray

__all__ = ["assert_equal", "assert_lists_equal"]


def assert_equal(
    x: JaggedArray,
    y: JaggedArray,
    *,
    check_type: bool = True,
    check_extents: bool = False,
    rel_tol: float = 0.0,
    abs_tol: float = 0.0,
) -> None:
    """Assert that two arrays are equal: leaf type, ndim, shape, validity at every level, values.

    Parameters
    ----------
    x, y : JaggedArray
        The result and the expected array.
    check_type : bool
        Compare the leaf types too.
    check_extents : bool
        Compare the declared extents too: they belong to the type, not to the value.
    rel_tol, abs_tol : float
        Tolerance for floats, as in `math.isclose`; exact if both are 0. NaN equals NaN.

    Raises
    ------
    AssertionError
        With the first difference: the type, the ndim, or the path of an item.

    Examples
    --------
    >>> from arrowjag.testing import assert_equal
    >>> import arrowjag as aj
    >>> assert_equal(aj.array([[1], None]), aj.array([[1], []]))
    Traceback (most recent call last):
    AssertionError: at [1]: got None, expected []
    """
    __tracebackhide__ = True
    if x.ndim != y.ndim:
        raise AssertionError(f"got ndim {x.ndim}, expected {y.ndim}: {x.shape} and {y.shape}")
    if check_type and x.type != y.type:
        raise AssertionError(f"got leaf type {x.type}, expected {y.type}")
    if check_extents and x.shape.extents != y.shape.extents:
        raise AssertionError(f"got extents {x.shape.extents}, expected {y.shape.extents}")
    assert_lists_equal(x.to_list(), y.to_list(), rel_tol=rel_tol, abs_tol=abs_tol)
    if x.shape != y.shape:
        raise AssertionError(f"lists are equal and shapes are not: got {x.shape}, expected {y.shape}")


def assert_lists_equal(got: Any, expected: Any, *, rel_tol: float = 1e-9, abs_tol: float = 1e-12) -> None:
    """Assert that two nested Python values are equal, floats within a tolerance.

    Parameters
    ----------
    got, expected : nested lists, tuples, dicts and scalars
        None equals only None, a bool only a bool, an int any number of the same value, NaN equals NaN; tuples are
        lists.
    rel_tol, abs_tol : float
        Tolerance for floats, as in `math.isclose`; exact if both are 0.

    Raises
    ------
    AssertionError
        With the path of the first difference, e.g. `at [2][0]: got 3 items, expected 2`.

    Examples
    --------
    >>> from arrowjag.testing import assert_lists_equal
    >>> assert_lists_equal([[0.1 + 0.2], None], [[0.3], None])
    >>> assert_lists_equal([[1, 2], []], [[1, 3], []])
    Traceback (most recent call last):
    AssertionError: at [0][1]: got 2, expected 3
      got      [[1, 2], []]
      expected [[1, 3], []]
    """
    __tracebackhide__ = True
    difference = _first_difference(got, expected, "", rel_tol, abs_tol)
    if difference is not None:
        path, text = difference
        lines = [f"{f'at {path}' if path else 'at the top'}: {text}"]
        if path:
            lines += [f"  got      {_short(got)}", f"  expected {_short(expected)}"]
        raise AssertionError("\n".join(lines))


def _first_difference(got: Any, expected: Any, path: str, rel: float, absolute: float) -> tuple[str, str] | None:
    """Return the path and description of the first difference, or None."""
    if isinstance(got, (list, tuple)) and isinstance(expected, (list, tuple)):
        # The first differing item is more informative than two lengths, so items are compared first.
        for slot, (one, other) in enumerate(zip(got, expected, strict=False)):
            found = _first_difference(one, other, f"{path}[{slot}]", rel, absolute)
            if found is not None:
                return found
        return None if len(got) == len(expected) else (path, f"got {_count(got)}, expected {_count(expected)}")
    if isinstance(got, dict) and isinstance(expected, dict):
        if list(got) != list(expected):
            return path, f"got the fields {list(got)}, expected {list(expected)}"
        differences = (_first_difference(got[k], expected[k], f"{path}[{k!r}]", rel, absolute) for k in got)
        return next((found for found in differences if found is not None), None)
    if _same_scalar(got, expected, rel, absolute):
        return None
    hint = f" ({type(got).__name__}, {type(expected).__name__})" if repr(got) == repr(expected) else ""
    return path, f"got {_short(got)}, expected {_short(expected)}{hint}"


def _same_scalar(got: Any, expected: Any, rel: float, absolute: float) -> bool:
    if got is None or expected is None:
        return got is expected
    if isinstance(got, bool) != isinstance(expected, bool):
        return False
    if isinstance(got, float) or isinstance(expected, float):
        try:
            return (math.isnan(got) and math.isnan(expected)) or math.isclose(got, expected, rel_tol=rel, abs_tol=absolute)
        except TypeError:
            return False
    return bool(got == expected)


def _count(items: Any) -> str:
    return "1 item" if len(items) == 1 else f"{len(items)} items"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:120]} ... {text[-60:]}"
