"""What `import arrowjag` loads. Who may import whom inside the package is told by import-linter (`make imports`)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LIST_MODULES = "import json, sys; import arrowjag; print(json.dumps(sorted(sys.modules)))"
OPTIONAL = ["awkward", "duckdb", "hypothesis", "matplotlib", "pandas", "polars", "ray", "rich", "torch", "typer"]


def modules_after(code: str) -> set[str]:
    """Top names of the modules that a fresh interpreter holds after some code."""
    child = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return {name.partition(".")[0] for name in json.loads(child.stdout)}


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
