"""Names of polars under `.jag`: some are aliases of arrowjag's methods, all others raise an error.

`.jag` of an expression is an expression and would inherit polars' methods, which take each list as one value, while those of `.jag`
operate on its items: ``arg_sort`` would sort rows and ``argsort`` items. So directly after `.jag`, a method either operates on
items or raises an error. On a result (``pl.col("v").jag.sum()``) polars' own methods are available again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from arrowjag._array import JaggedArray
from arrowjag._methods import METHODS
from arrowjag._vocabulary.spellings import SPELLINGS, suggestion
from arrowjag.errors import JagAttributeError, JagTypeError

__all__ = ["ALIASES", "Foreign", "add_aliases", "check_keywords", "own_names", "refuse", "refuse_foreign"]

ALIASES = {
    "len": "lengths",
    "arg_max": "argmax",
    "arg_min": "argmin",
    "arg_sort": "argsort",
    "gather": "take",
    "top_k": "topk",
    "cum_sum": "cumsum",
    "cum_count": "cumcount",
    "cum_max": "cummax",
    "cum_min": "cummin",
    "cum_prod": "cumprod",
}
"""polars' names of methods that arrowjag has under another name; the parameters are those of arrowjag."""

_KEYWORDS: dict[str, dict[str, str]] = {
    "null_on_oob": {"out_of_bounds": "use out_of_bounds='null'", "default": "not needed: out of range gives default"},
    "indices": {"index": "use index"},
    "fill_value": {"fill": "use fill"},
    "strategy": {"": "use x.ffill() or x.bfill()"},
    "nulls_last": {"": "not needed: nulls are last in every order"},
    "ignore_nulls": {"skip_nulls": "use skip_nulls"},
    "maintain_order": {"": "not needed: the order is that of first appearance"},
    "window_size": {"window": "use window"},
    "min_samples": {"min_periods": "use min_periods"},
    "lower_bound": {"lower": "use lower"},
    "upper_bound": {"upper": "use upper"},
    "offset": {"start": "use start"},
    "normalize": {"": "divide by x.count()"},
    "dtype": {"type": "use type"},
    "strict": {"safe": "use safe"},
    "with_replacement": {
        "": "not available: items are drawn without replacement; means of draws with it are x.bootstrap(n, seed)",
    },
}
"""The advice for each keyword of polars that arrowjag lacks, by the parameter of arrowjag that it names ("" for none)."""


def own_names(surface: type) -> set[str]:
    """Return the public names that a surface defines, without the names of polars that it refuses."""
    return {
        name
        for cls in surface.__mro__
        if cls.__module__.startswith("arrowjag.")
        for name, value in vars(cls).items()
        if not name.startswith("_") and not isinstance(value, Foreign)
    }


class Foreign:
    """A name of polars that raises `AttributeError` on an instance, so that `__getattr__` composes the message."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        raise AttributeError(self.name)


def refuse_foreign(surface: type, host: type, passing: frozenset[str]) -> None:
    """Make each public name of polars' class raise if the surface does not define it.

    Parameters
    ----------
    surface : type
        The class behind `.jag`, after its own methods were added.
    host : type
        The polars class that the surface inherits from.
    passing : frozenset of str
        Names that the surface inherits from polars.
    """
    for name in set(dir(host)) - own_names(surface) - passing:
        if not name.startswith("_"):
            setattr(surface, name, Foreign(name))


def refuse(surface: type, host: type, column: str, name: str, fields: Iterable[str] = ()) -> NoReturn:
    """Raise for a name that the surface lacks, and suggest the equivalent and the polars call without `.jag`.

    Parameters
    ----------
    surface : type
        The class behind `.jag`.
    host : type
        The polars class that the surface inherits from.
    column : str
        The code of the column without `.jag`.
    name : str
        The name.
    fields : iterable of str
        The fields of struct leaves, where they are known.
    """
    if not hasattr(host, name):
        ours = suggestion(name, own_names(surface), where=f"{column}.jag", fields=fields)
        if "write" not in ours and hasattr(JaggedArray, name):  # an expression has no values before its query runs
            ours = f"; arrays have it: aj.array(frame[...]).{name}"
        raise JagAttributeError(f".jag has no {name!r}{ours}", name=name)
    calls = SPELLINGS[""]
    ours = f"for items write {calls[name]}, where x is {column}.jag; " if name in calls else ""
    raise JagAttributeError(
        f".jag has no {name!r}: {ours}polars' own, which takes each list as one value, is {column}.{name} without .jag", name=name
    )


def add_aliases(surface: type) -> None:
    """Add the aliases to a class, and `is_not_null`."""
    for name, ours in ALIASES.items():
        setattr(surface, name, vars(surface)[ours])
    surface.is_not_null = _is_not_null  # type: ignore[attr-defined]


def _is_not_null(self: Any, axis: int = -1) -> Any:
    """Whether each item is valid: the negation of `is_null`.

    Parameters
    ----------
    axis : int
        The dim whose items are tested.

    Returns
    -------
    JaggedArray
        Booleans; null rows above the axis stay null.

    Examples
    --------
    >>> import arrowjag as aj
    >>> aj.array([[1, None], []]).to_polars("v").jag.is_not_null().to_list()
    [[True, False], []]
    """
    return ~self.is_null(axis).jag


def check_keywords(name: str, keywords: Mapping[str, Any]) -> None:
    """Raise for keywords that a method lacks, and suggest the equivalent.

    Parameters
    ----------
    name : str
        The method.
    keywords : mapping
        The keyword arguments of the call.

    Raises
    ------
    JagTypeError
        If a keyword is not a parameter of the method.
    """
    parameters = METHODS[name].signature.parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return
    for keyword in keywords:
        if keyword not in parameters:
            advice = _KEYWORDS.get(keyword, {}).items()
            ours = next((f" ({text})" for parameter, text in advice if not parameter or parameter in parameters), "")
            known = ", ".join(list(parameters)[1:]) or "none"
            raise JagTypeError(f"{name}: got an unexpected keyword argument {keyword!r}{ours}; the parameters are {known}")
