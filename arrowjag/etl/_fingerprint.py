"""Fingerprints of functions by their behaviour; a resumed job compares them to recognise its own results.

The bytes of a pickle don't serve as a fingerprint. For the same function they differ between processes (order of sets, identity
of equal strings, random ids of classes), and for an importable function they hold only its name.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import importlib
import importlib.util
import re
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from arrowjag._runtime.warnings import warn

__all__ = ["code_digest", "digest_of", "footer_digest"]

_PASSED_OVER = {
    "__doc__",
    "__module__",
    "__qualname__",
    "__dict__",
    "__weakref__",
    "__firstlineno__",
    "__static_attributes__",
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__abstractmethods__",
    "_abc_impl",
}
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType)
# Types without content, or whose content results from calls (locks, caches).
_WITHOUT_CONTENT = (
    type(threading.Lock()),
    type(threading.RLock()),
    weakref.WeakKeyDictionary,
    weakref.WeakValueDictionary,
    weakref.WeakSet,
)


def digest_of(*facts: Any) -> str:
    """Return a digest of values and functions that is the same in every process.

    The digest of a function covers its code, defaults and closure, and the functions and module values that it names, also as
    attributes (``helpers.clean``). File name, line numbers and comments are ignored. The digest of a class covers all members.
    Objects of an installed package are represented by name and version of the distribution; other objects by the state that
    pickle would store.

    Parameters
    ----------
    *facts : object
        The values and functions.

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
    return _digest(facts, lambda what: None)


def code_digest(function: Any, version: str | None = None) -> str:
    """Return the digest of the function of a job.

    Parameters
    ----------
    function : callable
        The function. If it uses objects without a digest (open connections, generators), `JagWarning` is issued.
    version : str, optional
        Digested in place of the code.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    if version is not None:
        return digest_of("version", version)
    unknown: list[str] = []
    digest = _digest((function,), unknown.append)
    if unknown:
        warn(
            f"the function uses {', '.join(sorted(set(unknown)))}, whose content can't be digested: resume would not see that it "
            'has changed. Give version="..." and change it whenever results change.'
        )
    return digest


def footer_digest(footer: bytes) -> str:
    """Return a digest of the footer of a file.

    Parameters
    ----------
    footer : bytes
        The serialized footer.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    return hashlib.sha256(footer).hexdigest()[:32]


def _digest(facts: tuple[Any, ...], warn: Callable[[str], None]) -> str:
    hasher = hashlib.sha256()
    plain: list[bytes] = []
    try:
        for part in plain if _gather_plain(facts, plain) else _Walk(warn).parts(facts):
            hasher.update(len(part).to_bytes(8, "little") + part)
    except RecursionError:
        warn("objects that are nested too deeply")
    return hasher.hexdigest()[:32]


def _gather_plain(value: Any, parts: list[bytes]) -> bool:
    """Gather the parts of lists and tuples of plain values, as `_Walk` does; return False if there are other values."""
    kind = type(value)
    if kind in _PLAIN:
        parts.append(f"{kind.__name__}:{value!r}".encode(errors="surrogatepass"))
        return True
    parts.append(kind.__qualname__.encode())
    return kind in (tuple, list) and all(_gather_plain(one, parts) for one in value)


class _Walk:
    """One traversal of an object graph. A repeated function, class or module yields its number, so that recursion terminates."""

    def __init__(self, warn: Callable[[str], None], met: dict[Any, int] | None = None, around: list[Any] | None = None) -> None:
        self._warn = warn
        self._met: dict[Any, int] = dict(met or {})
        self._around: list[Any] = list(around or [])
        self._names: set[str] = set()

    def _apart(self) -> _Walk:
        """Return a walk that goes on from here by itself: the items of a set have no order."""
        walk = _Walk(self._warn, self._met, self._around)
        walk._names = self._names
        return walk

    def parts(self, value: Any) -> Iterator[bytes]:
        if type(value) in _PLAIN:
            yield f"{type(value).__name__}:{value!r}".encode(errors="surrogatepass")
        elif isinstance(value, (types.FunctionType, type)):
            yield from self._code_owner(value)
        elif isinstance(value, types.ModuleType):
            yield from self._module(value)
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
        outer = self._names
        self._names = outer | _names_in(value)
        installed = _installed(value.__module__)
        if isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif installed is not None:
            yield installed
        else:
            yield from self._class(value)
        self._names = outer

    def _inside(self, value: Any) -> Iterator[bytes]:
        if type(value) in (tuple, list):
            for one in value:
                yield from self.parts(one)
        elif type(value) in (dict, types.MappingProxyType):
            for key, one in value.items():
                yield from self.parts(key)
                yield from self.parts(one)
        elif type(value) in (set, frozenset):
            yield from sorted(b"".join(self._apart().parts(one)) for one in value)
        elif isinstance(value, types.CodeType):
            yield from self._code(value)
        elif isinstance(value, types.CellType):
            yield from self.parts(_contents(value))
        elif not isinstance(value, _WITHOUT_CONTENT):
            yield from self._object(value)

    def _code(self, code: types.CodeType) -> Iterator[bytes]:
        yield code.co_code
        counts = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
        for fact in (counts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, *code.co_consts):
            yield from self.parts(fact)

    def _function(self, function: types.FunctionType) -> Iterator[bytes]:
        """Digest a function; a wrapper that an installed package defines (`functools.singledispatch`) by version and closure."""
        yield from self.parts(function.__defaults__)
        yield from self.parts(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            yield from self.parts(_contents(cell))
        yield from self.parts({name: one for name, one in sorted(vars(function).items()) if name not in _PASSED_OVER})
        installed = _installed(function.__globals__.get("__name__"))
        if installed is not None:
            yield installed
            return
        yield from self.parts(function.__code__)
        for name in sorted(_names_of(function.__code__) & function.__globals__.keys()):
            yield name.encode()
            yield from self.parts(function.__globals__[name])
        for module in sorted(_imports_of(function.__code__, function.__globals__)):
            yield from self.parts(_imported(module))

    def _module(self, module: types.ModuleType) -> Iterator[bytes]:
        """Digest those attributes of a module that the code around names."""
        installed = _installed(module.__name__)
        yield module.__name__.encode() if installed is None else installed
        if installed is not None or any(module is one for one in self._around):
            return
        self._around.append(module)
        for name in sorted((self._names | {"__getattr__"}) & vars(module).keys()):
            yield name.encode()
            yield from self.parts(vars(module)[name])
        self._around.pop()

    def _class(self, value: type) -> Iterator[bytes]:
        yield from self.parts(type(value))
        for base in value.__bases__:
            yield from self.parts(base)
        for name, one in sorted(vars(value).items()):
            if name not in _PASSED_OVER and not isinstance(one, _SLOTS):
                yield name.encode()
                yield from self.parts(one)

    def _object(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, property):
            yield from self.parts((value.fget, value.fset, value.fdel))
        elif isinstance(value, (classmethod, staticmethod)):
            yield from self.parts(value.__func__)
        elif isinstance(value, functools.cached_property):
            yield from self.parts(value.func)
        elif isinstance(value, types.BuiltinFunctionType) and not _is_bound(value):
            yield from self._compiled(value)
        else:
            wrapped = getattr(value, "__dict__", {}).get("__wrapped__")
            if wrapped is not None:
                yield from self.parts(wrapped)
            if wrapped is None or _installed(type(value).__module__) is None:
                yield from self._reduced(value)

    def _compiled(self, value: Any) -> Iterator[bytes]:
        """Digest a compiled function: its name, and the version of its package or the content of its file."""
        yield f"{value.__module__}.{value.__qualname__}".encode()
        installed = _installed(value.__module__)
        yield _file_digest(value.__module__) if installed is None else installed

    def _reduced(self, value: Any) -> Iterator[bytes]:
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
        except RecursionError:
            raise
        except Exception:  # noqa: BLE001  (any class may fail; the caller is warned)
            self._warn(f"an object of type {type(value).__module__}.{type(value).__qualname__}")
            yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
            return
        for one in (reduced,) if isinstance(reduced, str) else reduced:
            yield from self.parts(list(one) if isinstance(one, Iterator) else one)


def _is_bound(value: Any) -> bool:
    owner = getattr(value, "__self__", None)
    return owner is not None and not isinstance(owner, types.ModuleType)


def _installed(module: str | None) -> bytes | None:
    """Return name and version of the distribution of a module (or of Python, or arrowjag); None for the user's code."""
    root = (module or "").partition(".")[0]
    if root == "arrowjag":
        return f"arrowjag {sys.modules['arrowjag'].__version__}".encode()
    if root in sys.stdlib_module_names - {"__main__"}:
        return b"python"
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    return f"{root} {_version_of(root)}".encode() if _is_in_packages(file) else None


def _is_in_packages(file: str | None) -> bool:
    return file is not None and ("site-packages" in file or "dist-packages" in file)


@functools.lru_cache(maxsize=4096)
def _version_of(root: str) -> str:
    from importlib import metadata  # lazy, because workers don't need it

    try:
        return metadata.version(root)
    except metadata.PackageNotFoundError:
        found = metadata.packages_distributions().get(root, [])
        return " ".join(f"{name} {metadata.version(name)}" for name in sorted(set(found)))


def _file_digest(module: str | None) -> bytes:
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    try:
        return hashlib.sha256(Path(file).read_bytes()).digest() if file else b""
    except OSError:
        return b""


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _names_of(code: types.CodeType) -> set[str]:
    """Return the global and attribute names that a function may read, including those of nested functions and texts (`getattr`)."""
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            names |= _names_of(one)
        elif isinstance(one, str) and one.isidentifier():
            names.add(one)
    return names


def _names_in(value: types.FunctionType | type) -> set[str]:
    """Return the names that a function, or the functions of a class, may read."""
    if isinstance(value, types.FunctionType):
        return _names_of(value.__code__)
    return {name for one in vars(value).values() if isinstance(one, types.FunctionType) for name in _names_of(one.__code__)}


def _imports_of(code: types.CodeType, around: dict[str, Any]) -> set[str]:
    """Return the absolute names of the modules that a function imports when it runs."""
    found: set[str] = set()
    last: list[Any] = []
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            level = next((one for one in reversed(last[-2:-1]) if isinstance(one, int)), 0)
            name = _absolute(str(step.argval), level, around)
            found.add(name)
            found |= {f"{name}.{one}" for one in (last[-1] if last else None) or () if _is_module_of(name, one)}
        last = [*last[-3:], step.argval]
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            found |= _imports_of(one, around)
        elif "import_module" in code.co_names and isinstance(one, str) and _DOTTED.fullmatch(one):
            found.add(one)
    return found


def _is_module_of(package: str, name: str) -> bool:
    """Return whether ``from package import name`` imports a module of the user's code."""
    if package.partition(".")[0] in sys.stdlib_module_names:
        return False
    try:
        spec = importlib.util.find_spec(f"{package}.{name}")
    except Exception:  # noqa: BLE001  (the package itself has no modules, or fails where it is imported)
        return False
    return spec is not None and not _is_in_packages(spec.origin)


def _absolute(name: str, level: int, around: dict[str, Any]) -> str:
    package = around.get("__package__") or str(around.get("__name__", "")).rpartition(".")[0]
    return importlib.util.resolve_name("." * level + name, package) if level and package else name


def _imported(module: str) -> Any:
    """Import and return a module of the user's code; for an installed module, return name and version."""
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names:
        return module
    try:
        spec = importlib.util.find_spec(root)
        if spec is None or _is_in_packages(spec.origin):
            return f"{module} {_version_of(root)}"
        return importlib.import_module(module)
    except Exception:  # noqa: BLE001  (the function itself fails where it imports what fails)
        return module
