"""A change in anything that a function uses changes its fingerprint; a change in nothing it uses does not."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arrowjag as aj
from arrowjag.etl import _fingerprint
from arrowjag.etl._fingerprint import code_digest, digest_of

HELPERS = "helpers_of_a_job"
# Code that is reached in another way in each, and what is changed in it.
CHANGES = {
    "attribute of a module": ("import {m}\ndef f(x): return {m}.clean(x)", "1", "2"),
    "constant of a module": ("import {m}\ndef f(x): return x + {m}.LIMIT", "LIMIT = 3", "LIMIT = 4"),
    "attribute of a module of a package": ("import {m} as h\nclass P:\n  inner = h\ndef f(x): return h.clean(x)", "1", "2"),
    "import inside the function": ("def f(x):\n  import {m}\n  return {m}.clean(x)", "1", "2"),
    "from-import inside the function": ("def f(x):\n  from {m} import clean\n  return clean(x)", "1", "2"),
    "module in a dict": ("import {m}\nD = {{'h': {m}}}\ndef f(x): return D['h'].clean(x)", "1", "2"),
    "module in a closure": ("import {m}\ndef g(h): return lambda x: h.clean(x)\nf = g({m})", "1", "2"),
    "module as a default": ("import {m}\ndef f(x, h={m}): return h.clean(x)", "1", "2"),
    "module of a class": (
        "import {m}\nclass C:\n  h = {m}\n  def p(s, x): return s.h.clean(x)\ndef f(x): return C().p(x)",
        "1",
        "2",
    ),
    "getattr": ("import {m}\ndef f(x): return getattr({m}, 'clean')(x)", "1", "2"),
    "import_module": ("import importlib\ndef f(x): return importlib.import_module('{m}').clean(x)", "1", "2"),
    "globals()": ("def g(x): return x + 5\ndef f(x): return globals()['g'](x)", "5", "6"),
    "transitive": ("import {m}\ndef g(x): return {m}.clean(x)\ndef f(x): return g(x)", "1", "2"),
    "pattern": ("import re\nP = re.compile('a+')\ndef f(x): return P.sub('', x)", "a+", "a*"),
    "flags of a pattern": ("import re\nP = re.compile('a', re.I)\ndef f(x): return P.sub('', x)", "re.I", "re.M"),
    "dict of a class": ("class C:\n  d = {{'a': 1}}\ndef f(x): return C.d[x]", "1", "2"),
    "list of a class": ("class C:\n  d = [1, 5]\ndef f(x): return C.d[x]", "5", "6"),
    "tuple of a class": ("class C:\n  d = (1, 5)\ndef f(x): return C.d[x]", "5", "6"),
    "nested class": ("class C:\n  class D:\n    d = 5\ndef f(x): return C.D.d", "5", "6"),
    "value of an enum": ("import enum\nclass C(enum.Enum):\n  A = 5\ndef f(x): return C.A.value", "5", "6"),
    "value of a text enum": ("import enum\nclass C(enum.StrEnum):\n  A = 'p'\nV = C.A\ndef f(x): return V", "'p'", "'q'"),
    "cached": ("import functools\n@functools.cache\ndef g(x): return x + 5\ndef f(x): return g(x)", "5", "6"),
    "lru_cache": ("import functools\n@functools.lru_cache(9)\ndef f(x): return x + 5", "5", "6"),
    "wraps": (
        "import functools\ndef d(g):\n  @functools.wraps(g)\n  def h(*a): return g(*a)\n  return h\n@d\ndef f(x): return x + 5",
        "5",
        "6",
    ),
    "singledispatch": (
        "import functools\n@functools.singledispatch\ndef f(x): return 1\n@f.register\ndef g(x: int): return x + 5",
        "5",
        "6",
    ),
    "cached property": (
        "import functools\nclass C:\n  @functools.cached_property\n  def p(s): return 5\ndef f(x): return C().p",
        "5",
        "6",
    ),
    "setter": (
        "class C:\n  @property\n  def p(s): return 1\n  @p.setter\n  def p(s, v): s.q = v + 5\ndef f(x): C().p = x",
        "5",
        "6",
    ),
    "classmethod": ("class C:\n  @classmethod\n  def p(c): return 5\ndef f(x): return C.p()", "5", "6"),
    "base class": ("class B:\n  def p(s): return 5\nclass C(B): pass\ndef f(x): return C().p()", "5", "6"),
    "dataclass": ("import dataclasses\n@dataclasses.dataclass\nclass C:\n  p: int = 5\ndef f(x): return C().p", "5", "6"),
    "default": ("def f(x, y=5): return y", "5", "6"),
    "named tuple": ("import typing\nclass C(typing.NamedTuple):\n  p: int = 5\nV = C()\ndef f(x): return V", "5", "6"),
    "default of a dict": ("import collections\nV = collections.defaultdict(lambda: 5)\ndef f(x): return V[x]", "5", "6"),
    "expression": ("import polars as pl\nE = pl.col('a') + 5\ndef f(x): return x.select(E)", "5", "6"),
    "array": ("import numpy as np\nE = np.array([5.0])\ndef f(x): return x + E", "5.0", "6.0"),
}
HELPER_CODE = "LIMIT = 3\ndef clean(x): return x + 1\ndef other(x): return 0\n"


@pytest.fixture
def helpers() -> Iterator[types.ModuleType]:
    module = types.ModuleType(HELPERS)
    module.__spec__ = importlib.machinery.ModuleSpec(HELPERS, None)
    sys.modules[HELPERS] = module
    yield module
    del sys.modules[HELPERS]


def function_of(code: str) -> Any:
    module = types.ModuleType("a_job")
    sys.modules["a_job"] = module
    exec(code, module.__dict__)
    return module.__dict__["f"]


def digest_after(code: str, helper: str, helpers: types.ModuleType) -> str:
    exec(helper, helpers.__dict__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return code_digest(function_of(code.format(m=HELPERS)))


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_seen(kind: str, helpers: types.ModuleType) -> None:
    code, before, after = CHANGES[kind]
    if "polars" in code:
        pytest.importorskip("polars")
    if "{m}" in code:
        first, second = (digest_after(code, one, helpers) for one in (HELPER_CODE, HELPER_CODE.replace(before, after)))
        unused = digest_after(code, HELPER_CODE.replace("return 0", "return 9"), helpers)
        assert unused == first
    else:
        assert before in code
        first, second = (digest_after(one, HELPER_CODE, helpers) for one in (code, code.replace(before, after)))
    assert first != second
    assert digest_after(code, HELPER_CODE, helpers) == first


def test_calls_change_no_fingerprint(helpers: types.ModuleType) -> None:
    code = CHANGES["singledispatch"][0] + "\n@functools.cache\ndef c(x): return f(x)"
    function = function_of(code)
    before = code_digest(function)
    function(1), function("a")
    assert code_digest(function) == before


def test_versions_of_installed_packages_count(monkeypatch: pytest.MonkeyPatch, helpers: types.ModuleType) -> None:
    code = "import numpy as np\ndef f(x): return np.sort(x)"
    first = digest_after(code, "", helpers)
    version = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.0.1" if name == "numpy" else version(name))
    _fingerprint._version_of.cache_clear()
    assert digest_after(code, "", helpers) != first
    _fingerprint._version_of.cache_clear()


def test_an_explicit_version_replaces_the_digest_of_the_code() -> None:
    assert code_digest(len, "1") == code_digest(sum, "1") != code_digest(sum, "2")


def test_objects_without_a_fingerprint_warn() -> None:
    stream = (one for one in [1])
    with pytest.warns(aj.JagWarning, match=r"an object of type builtins\.generator, whose content .* Give version="):
        code_digest(lambda x: next(stream))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code_digest(lambda x: next(stream), version="3")


def test_sets_of_functions_that_name_the_set() -> None:
    code = "ALL = set()\ndef f(x): return [g(x) for g in ALL]\nALL.add(f)"
    assert digest_of(function_of(code)) == digest_of(function_of(code))


@pytest.mark.parametrize("value", [(), (1, "a"), [None, [2.5, b"x"]], ((1, (2,)), "\udc80"), True])
def test_plain_values_have_the_digest_of_the_walk_over_all_objects(value: Any) -> None:
    parts: list[bytes] = []
    assert _fingerprint._gather_plain((value, 3), parts)
    assert parts == list(_fingerprint._Walk(lambda what: None).parts((value, 3)))
    assert not _fingerprint._gather_plain((value, {3}), [])


@pytest.mark.parametrize(
    "code",
    ["def f(x):\n  from {p} import inner\n  return inner.g(x)", "def f(x):\n  from {p}.outer import h\n  return h(x)"],
    ids=["module of a package", "relative"],
)
def test_a_module_that_a_function_imports_from_its_package(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    package = tmp_path / "package_of_a_job"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "outer.py").write_text("def h(x):\n  from . import inner\n  return inner.g(x)")
    digests = []
    for number in (1, 1, 2):
        (package / "inner.py").write_text(f"def g(x): return {number}")
        for name in [name for name in sys.modules if name.startswith(package.name)]:  # as in a new process
            monkeypatch.delitem(sys.modules, name)
        digests.append(code_digest(function_of(code.format(p=package.name))))
    assert digests[0] == digests[1] != digests[2]
