"""Supported versions of the host libraries, and the class that describes one difference between versions.

The differences are listed in one module per host: `arrowjag.pandas._versions`, `arrowjag.polars._versions` and
`arrowjag._pyarrow_versions`. No other module tests a version; `tests/test_versions.py` checks that.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import sys
import warnings
from types import ModuleType
from typing import ClassVar

from arrowjag.errors import JagTypeError, JagWarning, MissingDependencyError

__all__ = ["LOWEST", "Difference", "check", "is_installed", "is_old", "load", "loaded", "release", "warn_if_old"]

LOWEST = {"numpy": "2.0.2", "pandas": "2.3", "polars": "2.0", "pyarrow": "22.0"}
"""The oldest supported version of each library; `pyproject.toml` names the same ones."""


@functools.lru_cache
def release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version; a pre-release has the numbers of its release.

    Parameters
    ----------
    version : str
        Such as "3.1.0rc1".

    Returns
    -------
    tuple of int
        Such as (3, 1, 0), which compares with the numbers of other versions.

    Examples
    --------
    >>> release("3.1.0rc1"), release("24.0.0.dev12+gabc") < release("24.1")
    ((3, 1, 0), True)
    """
    numbers = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(one) for one in numbers[0].split(".")) if numbers else ()


def is_old(host: ModuleType) -> bool:
    """Return whether a loaded library is older than the oldest supported version."""
    return release(_version(host)) < release(LOWEST[host.__name__])


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it.

    False for a module without a spec, which a program put in its place, and where a finder of imports raises an error.
    """
    try:
        return importlib.util.find_spec(package) is not None
    except Exception:  # noqa: BLE001  # a ValueError for a module without a spec; other programs add finders of their own
        return False


def loaded(name: str) -> ModuleType | None:
    """The module of a host if it is loaded and new enough, else None."""
    host = sys.modules.get(name)
    return None if host is None or is_old(host) else host


def load(name: str) -> ModuleType | None:
    """Import a host that makes some kernels faster; None if it is absent or too old."""
    try:
        importlib.import_module(name)
    except ImportError:
        return None
    return loaded(name)


def check(host: ModuleType, needed_by: str) -> None:
    """Raise if a loaded library is older than the oldest supported version.

    Parameters
    ----------
    host : module
        A key of `LOWEST`.
    needed_by : str
        The name of the feature that needs it.

    Raises
    ------
    MissingDependencyError
        The library is older.
    """
    if is_old(host):
        raise MissingDependencyError(_needs(needed_by, host.__name__, LOWEST[host.__name__], _version(host)))


def warn_if_old(host: ModuleType) -> bool:
    """Warn if a loaded host is too old to be registered; return whether it is."""
    name = host.__name__
    if not is_old(host):
        return False
    message = _needs(f"arrowjag.{name}", name, LOWEST[name], _version(host))
    warnings.warn(f"{message}. Arrays work without it", JagWarning, stacklevel=3)
    return True


def _version(host: ModuleType) -> str:
    return str(getattr(host, "__version__", ""))


def _needs(what: str, host: str, lowest: str, installed: str) -> str:
    return f"{what} needs {host} {lowest} or newer, this is {host} {installed}: pip install '{host}>={lowest}'"


class Difference:
    """A difference of the versions of a host before `until`; true if the installed version is one of them.

    Parameters
    ----------
    host : str
        A key of `LOWEST`.
    until : str
        The first version without the difference.
    older : str
        The behaviour of older versions, as a sentence for the table in the docs.
    here : str
        The consequence in arrowjag, for the same table.
    public : bool
        False for a difference that affects only the tests: the table omits it.
    """

    __slots__ = ("here", "holds", "host", "older", "public", "until")

    all: ClassVar[list[Difference]] = []

    def __init__(self, host: str, until: str, older: str, here: str, public: bool = True) -> None:
        self.host = host
        self.until = until
        self.older = older
        self.here = here
        self.public = public
        self.holds = release(_version(sys.modules[host])) < release(until)
        Difference.all.append(self)

    def __bool__(self) -> bool:
        return self.holds

    def refuse(self, what: str) -> None:
        """Raise the error that names the version needed, if the installed version is older.

        Parameters
        ----------
        what : str
            The name of the requested feature.

        Raises
        ------
        JagTypeError
            The installed version is older than `until`.
        """
        if self.holds:
            raise JagTypeError(_needs(what, self.host, self.until, _version(sys.modules[self.host])))
