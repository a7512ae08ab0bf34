"""Fingerprints: of functions by what they do, so that a job that is started again knows its own results.

The bytes of a pickle won't do: they differ from process to process for the same function (the order of sets, which equal strings
are one object, random ids of classes), and of a function that can be imported they hold the name only.
"""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Iterator
from typing import Any

__all__ = ["digest_of", "footer_digest"]

_PASSED_OVER = ("__doc__", "__module__", "__firstlineno__", "__static_attributes__")
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))


def digest_of(*facts: Any) -> str:
    """A digest of values and functions, the same in every process.

    Of a function count its code, its defaults, what it closes over and the functions and values of its module that it uses; not
    its file, its lines or its comments. What belongs to an installed package counts by name. Of objects counts what their
    pickle would hold.

    Parameters
    ----------
    *facts : object
        What to digest.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> digest_of({"a", "b"}, 1) == digest_of({"b", "a"}, 1)
    True
    >>> digest_of({"a", "b"}, 1) == digest_of({"b", "a"}, True)
    False
    """
    hasher = hashlib.sha256()
    for part in _Walk().parts(facts):
        hasher.update(len(part).to_bytes(8, "little"))
        hasher.update(part)
    return hasher.hexdigest()[:32]


def footer_digest(footer: bytes) -> str:
    """A digest of the footer of a file.

    Parameters
    ----------
    footer : bytes
        As it is stored.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    return hashlib.sha256(footer).hexdigest()[:32]


class _Walk:
    """One walk over objects. A function or class that was met before is told by its number: functions may call themselves."""

    def __init__(self) -> None:
        self._met: dict[Any, int] = {}
        self._around: list[Any] = []

    def parts(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, _PLAIN):
            yield f"{type(value).__name__}:{value!r}".encode(errors="surrogatepass")
        elif isinstance(value, (types.FunctionType, type)):
            yield from self._code_owner(value)
        elif any(value is one for one in self._around):
            yield b"(itself)"
        else:
            yield type(value).__qualname__.encode()
            self._around.append(value)
            yield from self._inside(value)
            self._around.pop()

    def _code_owner(self, value: Any) -> Iterator[bytes]:
        if value in self._met:
            yield f"met:{self._met[value]}".encode()
            return
        self._met[value] = len(self._met)
        yield f"{value.__module__}.{value.__qualname__}".encode()
        if not _is_installed(value.__module__):
            yield from self._class(value) if isinstance(value, type) else self._function(value)

    def _inside(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, (tuple, list)):
            for one in value:
                yield from self.parts(one)
        elif isinstance(value, dict):
            for key, one in value.items():
                yield from self.parts(key)
                yield from self.parts(one)
        elif isinstance(value, (set, frozenset)):
            yield from sorted(b"".join(_Walk().parts(one)) for one in value)
        elif isinstance(value, types.CodeType):
            yield from self._code(value)
        elif isinstance(value, types.ModuleType):
            yield value.__name__.encode()
        else:
            yield from self._object(value)

    def _code(self, code: types.CodeType) -> Iterator[bytes]:
        yield code.co_code
        counts = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
        for fact in (counts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, *code.co_consts):
            yield from self.parts(fact)

    def _function(self, function: types.FunctionType) -> Iterator[bytes]:
        yield from self.parts(function.__code__)
        yield from self.parts(function.__defaults__)
        yield from self.parts(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            yield from self.parts(_contents(cell))
        for name in sorted(_names_of(function.__code__)):
            if name in function.__globals__:
                yield name.encode()
                yield from self.parts(function.__globals__[name])

    def _class(self, value: type) -> Iterator[bytes]:
        for base in value.__bases__:
            yield from self.parts(base)
        for name, one in sorted(vars(value).items()):
            if isinstance(one, (types.FunctionType, property, classmethod, staticmethod, *_PLAIN)) and name not in _PASSED_OVER:
                yield name.encode()
                yield from self.parts(one.fget if isinstance(one, property) else getattr(one, "__func__", one))

    def _object(self, value: Any) -> Iterator[bytes]:
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:  # noqa: BLE001  (whatever can't tell its content is known by its type)
            yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
            return
        for one in (reduced,) if isinstance(reduced, str) else reduced:
            yield from self.parts(list(one) if isinstance(one, Iterator) else one)


def _is_installed(module: str | None) -> bool:
    """Whether code comes from the standard library, from a package or from arrowjag: there the name says enough."""
    root = (module or "").partition(".")[0]
    if root in sys.stdlib_module_names - {"__main__"} or root == "arrowjag":
        return True
    file = getattr(sys.modules.get(module or ""), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _names_of(code: types.CodeType) -> set[str]:
    """Names that a function may read of its module, those of the functions inside it included."""
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            names |= _names_of(one)
    return names
