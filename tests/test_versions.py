"""Supported versions: their bounds, hosts that are too old, and the table of differences."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pyarrow as pa
import pyarrow.types as pt
import pytest
from packaging.requirements import Requirement

import arrowjag as aj
from arrowjag import _versions
from arrowjag._pyarrow_versions import if_else
from arrowjag._versions import LOWEST, Difference, release

ROOT = Path(aj.__file__).parents[1]


def test_the_bounds_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["pandas"], *project["optional-dependencies"]["polars"]]
    bounds = {one.name: str(one.specifier).removeprefix(">=") for one in map(Requirement, lines) if one.marker is None}
    assert {name: release(bound)[: len(release(LOWEST[name]))] for name, bound in bounds.items()} == {
        name: release(bound) for name, bound in LOWEST.items()
    }


def test_releases_compare_as_numbers() -> None:
    assert release("10.2") > release("9.9.1") > release("9.9")
    assert release("3.2.0.dev0+55.gabcdef") == (3, 2, 0)
    assert release("3.1.0rc1") >= release("3.1")


def run(code: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(ROOT)!r}]\n{code}"
    return subprocess.run([sys.executable, *options, "-c", code], check=False, capture_output=True, text=True)


# pyarrow looks for classes in any module with the name pandas, and keeps pointers to them that own nothing.
OLDER = """
import functools

class Any(type):
    @functools.cache
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Any(name, (), {})

@functools.cache
def __getattr__(name):
    return getattr(Any("Module", (), {}), name)

__version__ = "VERSION"
"""


@pytest.mark.parametrize("first", ["arrowjag", "host"])
@pytest.mark.parametrize(("host", "version"), [("pandas", "2.2.3"), ("polars", "1.44.2")])
def test_the_core_works_with_an_older_host_installed(host: str, version: str, first: str, tmp_path: Path) -> None:
    (tmp_path / f"{host}.py").write_text(OLDER.replace("VERSION", version))
    imports = [f"import {host}", "import arrowjag as aj"]
    code = f"""
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    {"; ".join(imports if first == "host" else imports[::-1])}
    x = aj.array([[1.0, 2.0], None, []] * 50_000)
    assert x.sum().to_list()[:3] == [3.0, None, 0.0]
    assert x[x > 1].count().to_list()[:3] == [1, None, 0]
    assert len(x.sort(descending=True)) == len(x)
print(*[f"{{one.category.__name__}}: {{one.message}}" for one in seen], sep="\\n")
try:
    x.to_{host}()
except aj.MissingDependencyError as error:
    print(error)
"""
    done = run(code, tmp_path)
    lowest = LOWEST[host]
    needs = f"arrowjag.{host} needs {host} {lowest} or newer, this is {host} {version}: pip install '{host}>={lowest}'"
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert done.stdout.splitlines() == [f"JagWarning: {needs}. Arrays work without it", needs], done.stderr


def test_an_older_pyarrow_is_refused(tmp_path: Path) -> None:
    done = run("import pyarrow; pyarrow.__version__ = '18.1.0'; import arrowjag", tmp_path)
    needs = (
        f"arrowjag needs pyarrow {LOWEST['pyarrow']} or newer, this is pyarrow 18.1.0: pip install 'pyarrow>={LOWEST['pyarrow']}'"
    )
    assert done.stderr.splitlines()[-1].endswith(f"MissingDependencyError: {needs}")


def test_a_difference_ends_with_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Difference, "all", [])
    later = Difference("pyarrow", "9999", "It does.", "We do.")
    earlier = Difference("pyarrow", "1.0", "It does.", "We do.")
    assert (bool(later), bool(earlier)) == (True, False)
    earlier.refuse("a call")
    with pytest.raises(aj.JagTypeError, match="needs pyarrow 9999 or newer") as raised:
        later.refuse("Series.name_of_a_method")
    assert str(raised.value) == (
        f"Series.name_of_a_method needs pyarrow 9999 or newer, this is pyarrow {pa.__version__}: pip install 'pyarrow>=9999'"
    )


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.int64()], ids=str)
def test_if_else_with_nulls_reads_no_bytes_beyond_a_slice(type: pa.DataType) -> None:
    """Versions of pyarrow before 24 give bytes from beyond a slice of text."""
    items = (
        [b"aa", b"b", b"c"]
        if pt.is_binary(type) or pt.is_large_binary(type)
        else [1, 2, 3]
        if type == "int64"
        else ["aa", "b", "c"]
    )
    part, null, keep = pa.array(items, type).slice(1), pa.scalar(None, type), pa.array([True, False])
    assert if_else(keep, part, null).to_pylist() == [items[1], None]
    assert if_else(keep, null, part).to_pylist() == [None, items[2]]
    assert if_else(keep, part, pa.scalar(items[0], type)).to_pylist() == [items[1], items[0]]
    assert if_else(pa.scalar(True), part, null).to_pylist() == items[1:]
    assert aj.where(aj.from_arrow(keep), aj.from_arrow(part), None).to_list() == [items[1], None]
    x = aj.from_arrow(pa.array([[items[0]], items[1:]], pa.large_list(type)))[1:]
    assert aj.where(aj.array([[True, False]]), x, None).to_list() == [[items[1], None]]


@pytest.mark.skipif(not all(map(importlib.util.find_spec, ["mlflow", "gluonts"])), reason="needs mlflow and gluonts: make versions")
def test_mlflow_and_gluonts_read_jagged_columns(tmp_path: Path) -> None:
    code = """
import mlflow.models, pandas as pd
from gluonts.dataset.common import ListDataset
import arrowjag as aj
v = aj.array([[1.0, 2.0], [3.0]]).to_pandas()
print(mlflow.models.infer_signature(pd.DataFrame({"v": v})).inputs.to_dict())
print([one["target"].tolist() for one in ListDataset([{"start": "2026-11-22", "target": row} for row in v], freq="D")])
"""
    done = run(code, tmp_path)
    assert done.stdout.splitlines() == [
        "[{'type': 'array', 'items': {'type': 'double'}, 'name': 'v', 'required': True}]",
        "[[1.0, 2.0], [3.0]]",
    ], done.stderr


def test_the_table_of_differences_is_up_to_date() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    done = subprocess.run([sys.executable, "tools/write_versions.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run python tools/write_versions.py"


def test_loaded_hosts_are_found() -> None:
    assert _versions.loaded("pyarrow") is pa
    assert _versions.load("no_such_library") is None


def test_what_stands_in_for_a_package_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other programs put modules without a spec into `sys.modules`, and add finders of their own."""
    assert _versions.is_installed("numpy")
    assert not _versions.is_installed("no_such_package")
    for stand_in in (None, ModuleType("numba"), object()):
        monkeypatch.setitem(sys.modules, "numba", stand_in)
        assert not _versions.is_installed("numba")
    finder = SimpleNamespace(find_spec=lambda *_: 1 / 0)
    monkeypatch.setattr(sys, "meta_path", [finder])
    assert not _versions.is_installed("no_such_package")
