"""Imports of the surfaces by name when they are first needed: by a method such as `to_pandas`, or by the import of a host library.

This is the only module that imports upward, and it imports the modules of `SURFACES` only.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from arrowjag import _versions
from arrowjag.errors import JagValueError, MissingDependencyError

__all__ = ["SURFACES", "load", "register_hosts"]

SURFACES = {
    "pandas": "pandas",
    "polars": "polars",
    "plot": "matplotlib",
    "interop.numba": "numba",
    "interop.dask": "dask",
    "interop.torch": "torch",
}
"""The modules that lower layers may import by name, each with the package that it needs."""

_HOSTS = {"pandas": "pandas", "polars": "polars", "dask.dataframe": "interop.dask"}
"""Libraries whose import registers a surface, and the surface."""


def load(name: str) -> Any:
    """Import a surface by name.

    Parameters
    ----------
    name : str
        A key of `SURFACES`.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    MissingDependencyError
        If the package that the surface needs is not installed, or too old.
    JagValueError
        If the name is another one: other modules are imported by modules above them.
    """
    if name not in SURFACES:
        raise JagValueError(f"only {', '.join(SURFACES)} are imported by name from lower layers, got {name!r}")
    try:
        if name in _versions.LOWEST:
            _versions.check(importlib.import_module(name), f"arrowjag.{name}")
        return importlib.import_module(f"arrowjag.{name}")
    except ModuleNotFoundError as error:
        package = SURFACES[name]
        if error.name != package:
            raise
        raise MissingDependencyError.of(package, name, f"arrowjag.{name}") from None


def register_hosts() -> None:
    """Register the dtypes and `.jag` with pandas, polars and dask: at once if they are imported, otherwise after their import."""
    waiting = [host for host in _HOSTS if host not in sys.modules]
    for host in _HOSTS:
        if host in sys.modules:
            _register(host)
    if waiting:
        sys.meta_path.insert(0, _AfterImport(waiting))


def _register(host: str) -> None:
    """Import the surface of an imported library, unless the library, or the pandas that it stands on, is too old."""
    module = sys.modules.get(host.replace("dask.dataframe", "pandas"))
    if module is None or (_versions.is_old(module) if "." in host else _versions.warn_if_old(module)):
        return
    load(_HOSTS[host])


class _AfterImport:  # no base class: importlib.abc would load tempfile, shutil and more, 10 ms
    """Meta path finder that adds a registration step after the import of a host library; other finders locate the library.

    It stays installed until the import: `importlib.util.find_spec` calls finders too, without importing anything.
    """

    def __init__(self, hosts: Sequence[str]) -> None:
        self._hosts = set(hosts)
        self._asking: set[tuple[str, int]] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        question = (fullname, threading.get_ident())
        if fullname not in self._hosts or question in self._asking:
            return None
        self._asking.add(question)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._asking.discard(question)
        if spec is not None and spec.loader is not None:
            loader = _RegisteringLoader(spec.loader, fullname, self._imported)
            spec.loader = loader  # type: ignore[assignment]  # duck-typed: no import of importlib.abc
        return spec

    def _imported(self, host: str) -> None:
        self._hosts.discard(host)
        if not self._hosts and self in sys.meta_path:
            sys.meta_path.remove(self)
        _register(host)


class _RegisteringLoader:
    """Delegates to another loader, then calls the registration."""

    def __init__(self, loader: Any, host: str, imported: Callable[[str], None]) -> None:
        self._loader = loader
        self._host = host
        self._imported = imported

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]  # any loader

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._imported(self._host)
