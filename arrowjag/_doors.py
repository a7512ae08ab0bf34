"""The few calls that go up: from an array to the surfaces built on it, and from a host library to our surface of it.

This is the only module that imports upward, and it does so by name at the moment of the call.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from arrowjag.errors import MissingDependencyError

__all__ = ["open_door", "register_hosts"]

_NEEDS = {"pandas": "pandas", "polars": "polars", "plot": "matplotlib"}
_HOSTS = ("pandas", "polars")


def open_door(name: str) -> Any:
    """Import one of the layers above by name.

    Parameters
    ----------
    name : str
        A module of arrowjag, for example ``"pandas"``.

    Returns
    -------
    module
        The module.

    Raises
    ------
    MissingDependencyError
        If the package that it is made for is not installed.
    """
    try:
        return importlib.import_module(f"arrowjag.{name}")
    except ModuleNotFoundError as error:
        package = _NEEDS.get(name)
        if package is None or error.name != package:
            raise
        raise MissingDependencyError.of(package, name, f"arrowjag.{name}") from None


def register_hosts() -> None:
    """Register our dtypes and `.jag` with pandas and polars: now where they are imported, otherwise the moment they are."""
    waiting = [host for host in _HOSTS if host not in sys.modules]
    for host in _HOSTS:
        if sys.modules.get(host) is not None:
            open_door(host)
    if waiting:
        sys.meta_path.insert(0, _AfterImport(waiting))


class _AfterImport:  # no base class: importlib.abc would load tempfile, shutil and more, 10 ms
    """Finds nothing by itself: it lets the others find a host and adds one step after its import."""

    def __init__(self, hosts: Sequence[str]) -> None:
        self._hosts = set(hosts)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self._hosts:
            return None
        self._hosts.discard(fullname)
        if not self._hosts and self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _RegisteringLoader(spec.loader, fullname)  # type: ignore[assignment]  # duck-typed: no import of importlib.abc
        return spec


class _RegisteringLoader:
    """Another loader, and our registration once it is done."""

    def __init__(self, loader: Any, host: str) -> None:
        self._loader = loader
        self._host = host

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]  # any loader

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        open_door(self._host)
