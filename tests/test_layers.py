"""The modules that `import arrowjag` loads. import-linter (`make imports`) checks imports inside the package."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowjag
from arrowjag import _lazy_imports
from arrowjag.errors import JagValueError
from tests.hosts import ABSENT

LIST_MODULES = "import json, sys; import arrowjag; print(json.dumps(sorted(sys.modules)))"
OPTIONAL = ["awkward", "duckdb", "hypothesis", "matplotlib", "pandas", "polars", "ray", "rich", "torch", "typer"]


def modules_after(code: str) -> set[str]:
    """Top names of the modules that a fresh interpreter holds after some code."""
    child = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return {name.partition(".")[0] for name in json.loads(child.stdout)}


@pytest.mark.everyday
def test_import_loads_numpy_and_pyarrow_only() -> None:
    ours = modules_after(LIST_MODULES)
    needed = modules_after(LIST_MODULES.replace("arrowjag", "numpy, pyarrow, pyarrow.compute"))
    foreign = ours - needed - set(sys.stdlib_module_names) - {"arrowjag"}
    assert {"numpy", "pyarrow"} <= ours
    assert not [name for name in foreign if not name.startswith("_")]


@pytest.mark.parametrize("library", OPTIONAL)
def test_import_works_without(library: str) -> None:
    child = f"import sys; sys.modules[{library!r}] = None; import arrowjag"
    subprocess.run([sys.executable, "-c", child], check=True, capture_output=True, text=True)


def test_workers_of_jobs_load_nothing_that_only_drivers_need() -> None:
    code = "import json, sys; import arrowjag.etl._process; print(json.dumps(sorted(sys.modules)))"
    child = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    drivers = {"arrowjag.etl._job", "arrowjag.etl._scheduler", "arrowjag.etl._uploads", "importlib.metadata", "xml.etree"}
    assert not drivers & set(json.loads(child.stdout))


READ_A_FOLDER = """
import json, sys
import pyarrow.parquet as pq
from pathlib import Path
import arrowjag as aj
from arrowjag.etl._process import Worker
folder = Path(sys.argv[1])
table = aj.read_parquet(folder, columns=["v"])
assert "pyarrow.dataset" not in sys.modules
aj.write_parquet(table, folder / "b.parquet")
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.everyday
def test_reading_and_writing_files_loads_no_host(tmp_path: Path) -> None:
    """`pyarrow.dataset` imports pandas, which costs more than all the rest; so does `pa.array`, which made the file here."""
    pq.write_table(pa.table({"v": [[1], []]}), tmp_path / "a.parquet")
    child = subprocess.run([sys.executable, "-c", READ_A_FOLDER, str(tmp_path)], check=True, capture_output=True, text=True)
    assert not {"pandas", "polars"} & set(json.loads(child.stdout))


def test_a_star_import_holds_every_public_name() -> None:
    names: dict[str, object] = {}
    exec("from arrowjag import *", names)
    lazy = {*arrowjag._LAZY_NAMES} - ({"Row"} if "pandas" in ABSENT else set())
    functions = {name for name, one in vars(arrowjag).items() if inspect.isfunction(one) and not name.startswith("_")}
    missing = sorted((functions | lazy) - names.keys())
    assert not missing, f"add {missing} to __all__ in arrowjag/__init__.py"


@pytest.mark.skipif("pandas" in ABSENT, reason="pandas is not installed")
def test_the_first_array_may_import_pandas() -> None:
    """pyarrow imports pandas inside of `pa.array`, and with it ours, which must not make another array: that one would wait."""
    code = "import sys, arrowjag as aj; assert 'pandas' not in sys.modules; aj.zeros(2, 3); assert 'pandas' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_star_import_works_without_pandas() -> None:
    child = "import sys; sys.modules['pandas'] = None; from arrowjag import *; print('Row' in globals(), read_parquet.__name__)"
    ran = subprocess.run([sys.executable, "-c", child], check=False, capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "read_parquet"], ran.stderr


@pytest.mark.parametrize("host", ["pandas", "polars"])
def test_a_host_that_was_only_searched_is_registered_at_its_import(host: str) -> None:
    found = f"importlib.util.find_spec({host!r}) is not None"
    child = f"import arrowjag, importlib.util; print({found}); import {host}; print(hasattr({host}.Series([1]), 'jag'))"
    ran = subprocess.run([sys.executable, "-c", child], check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["True", "True"]


@pytest.mark.parametrize("name", ["etl", "io", "interop", "testing"])
def test_lower_layers_import_surfaces_only(name: str) -> None:
    names = ", ".join(_lazy_imports.SURFACES)
    with pytest.raises(JagValueError, match=f"only {names} are imported by name from lower layers, got '{name}'"):
        _lazy_imports.load(name)
    assert getattr(arrowjag, name).__name__ == f"arrowjag.{name}"


# ---------------------------------------------------------------------------------------------------- versions

ROOT = Path(arrowjag.__file__).parents[1]
HOSTS = {"pandas", "polars", "pyarrow"}
PLACES = {"_pyarrow_versions.py", "pandas/_versions.py", "polars/_versions.py"}
"""The modules that list differences. `_versions.py` holds the class and the bounds."""


def checks(source: str) -> Iterator[int]:
    """Lines that compare a version, or ask a module of a host whether it has a name."""
    tree = ast.parse(source)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {one.asname or one.name for one in node.names if one.name.partition(".")[0] in HOSTS}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in HOSTS:
            names |= {one.asname or one.name for one in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            parts = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
            if any(isinstance(part, ast.Attribute) and part.attr == "__version__" for part in parts):
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"hasattr", "getattr"}:
            asked = node.args[0]
            while isinstance(asked, ast.Attribute):
                asked = asked.value
            label = node.args[1].value if isinstance(node.args[1], ast.Constant) else "arrowjag"  # a name that a user gives
            optional = node.func.id == "hasattr" or len(node.args) == 3
            ours = label == "jag" or "arrowjag" in label
            if optional and isinstance(asked, ast.Name) and asked.id in names and not ours:
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in {"Version", "parse_version"} or (isinstance(node.func, ast.Name) and name == "release"):
                yield node.lineno


MAY_CHECK = re.compile(r"__version__|(has|get)attr\(|Version|_version\(|\brelease\(")
"""The text that `checks` looks for: only sources that match are parsed."""


def test_versions_are_tested_in_one_module_per_host() -> None:
    package = ROOT / "arrowjag"
    found = [
        f"{path.relative_to(ROOT)}, line {line}"
        for path in sorted(package.rglob("*.py"))
        if path.relative_to(package).as_posix() not in PLACES | {"_versions.py"}
        if MAY_CHECK.search(source := path.read_text(encoding="utf-8"))
        for line in checks(source)
    ]
    assert not found, f"put a Difference into the _versions module of the host: {found}"


@pytest.mark.parametrize(
    "line",
    [
        "import pandas as pd\nif pd.__version__ < '3':\n    pass",
        "import polars as pl\nhasattr(pl.Series, 'new')",
        "from pandas.core.apply import FrameApply\ngetattr(FrameApply, 'new', None)",
        "from packaging.version import Version\nVersion('3')",
    ],
)
def test_a_version_test_is_seen(line: str) -> None:
    assert list(checks(line)) == [2]
    assert MAY_CHECK.search(line)


IMPORT_OF_A_HOST = re.compile(r"^(from|import) .*\b(pandas|polars)\b", re.MULTILINE)
"""Also in the text of a script: the tree of a file that matches tells."""


def test_hosts_are_imported_where_they_may_be_absent() -> None:
    """Tests of the core run where pandas or polars is absent."""
    tests = Path(__file__).parent
    found = [
        str(path.relative_to(tests))
        for path in sorted(tests.rglob("*.py"))
        if (own := path.relative_to(tests).parts[0]) != "typing" and path.name != "hosts.py"
        if IMPORT_OF_A_HOST.search(source := path.read_text(encoding="utf-8"))
        for node in ast.parse(source).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
        for host in {"pandas", "polars"} - {own}
        if re.match(rf"(arrowjag\.)?{host}\b", name)
    ]
    assert not found, f"write `from tests.hosts import pd, pl`: {found}"


KERNELS = Path(arrowjag.__file__).parent / "_kernels"
LONGEST_KERNEL = 350


def test_kernel_files_stay_short() -> None:
    """A kernel file that outgrows the limit has more than one duty: split it, and name both files in CONTRIBUTING.md."""
    lengths = {path.relative_to(KERNELS).as_posix(): path.read_text("utf-8").count("\n") for path in KERNELS.glob("*/**/*.py")}
    assert {name: n for name, n in lengths.items() if n > LONGEST_KERNEL} == {}


def test_extremes_are_taken_by_functions_that_copy_nothing() -> None:
    """numpy's argmin copies many items of a read-only array, such as a buffer of polars or of a file."""
    package = KERNELS.parent
    allowed = {KERNELS / "base" / name for name in ("extremes.py", "words.py")}
    texts = {
        path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.glob("**/*.py") if path not in allowed
    }
    found = [name for name, text in texts.items() if re.search(r"\b(\w+)\[\1\.arg(?:min|max)\(\)\]", text)]
    assert not found, f"take `least` or `greatest` of arrowjag._kernels.base.extremes: {found}"


def test_the_contributing_page_lists_every_kernel_file() -> None:
    text = (KERNELS.parents[1] / "CONTRIBUTING.md").read_text("utf-8").split("### The kernels")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)/` \| (.*) \|$", text, re.MULTILINE))
    listed = {folder: set(re.findall(r"`(\w+)`", row)) for folder, row in rows.items()}
    files: dict[str, set[str]] = {}
    for path in KERNELS.glob("*/*.py"):
        if not path.name.startswith("__"):
            files.setdefault(path.parent.name, set()).add(path.stem)
    assert listed == files, "name the files of _kernels in the section `The kernels` of CONTRIBUTING.md"


@pytest.mark.parametrize(("contract", "heading"), [("layers", "## Layers"), ("ops", "### The operations")])
def test_the_contributing_page_lists_the_layers_of_the_contracts(contract: str, heading: str) -> None:
    """Row by row: a module that moves to another layer moves on the page, too."""
    root = KERNELS.parents[1]
    text = (root / "CONTRIBUTING.md").read_text("utf-8").split(f"\n{heading}\n")[1].split("\n##")[0]
    listed = [set(re.findall(r"`(\w+)/?`", row)) for row in re.findall(r"^\| (`.*?) \| .* \|$", text, re.MULTILINE)]
    contracts = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["id"] == contract)
    assert listed == [set(re.findall(r"\w+", row)) for row in reversed(layers)], (
        f"write the layers into {heading} of CONTRIBUTING.md"
    )


@pytest.mark.parametrize("package", ["_arrow", "_gate", "_runtime", "_vocabulary"])
def test_the_contributing_page_lists_the_files_of_small_packages(package: str) -> None:
    text = (KERNELS.parents[1] / "CONTRIBUTING.md").read_text("utf-8").split("\n## Layers\n")[1].split("\n##")[0]
    (row,) = (line for line in text.splitlines() if line.startswith("|") and f"`{package}/`" in line.split("|")[1])
    files = {path.stem for path in (KERNELS.parent / package).glob("*.py") if not path.name.startswith("__")}
    assert files <= set(re.findall(r"`(\w+)`", row)), f"name the files of {package} in the section `Layers` of CONTRIBUTING.md"
