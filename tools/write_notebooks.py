"""Write the notebooks of examples/ from the scripts beside them, or check that they are in step.

A script with lines `# %%` is a notebook too: each such line begins a cell, `# %% [markdown]` one of text in comments, and the
docstring is the first one. `python tools/write_notebooks.py` runs every notebook and stores what it shows, which needs nbclient
and ipykernel (the extra `dev`); with `--check` it writes and runs nothing, and ends with 1 where a notebook's cells differ from
its script's. Torch should be installed when notebooks are written, so that the cells for it show something.
"""

from __future__ import annotations

import ast
import json
import pathlib
import re
import sys
from typing import Any

__all__ = ["EXAMPLES", "cells_of", "main", "notebook_of", "run", "scripts", "text_of"]

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
SECONDS = 120
_MARK = re.compile(r"^# %%(?P<kind>.*)$", re.MULTILINE)


def scripts() -> list[pathlib.Path]:
    """The scripts that are notebooks too."""
    return [path for path in sorted(EXAMPLES.glob("*.py")) if _MARK.search(path.read_text(encoding="utf-8"))]


def cells_of(script: pathlib.Path) -> list[tuple[str, str]]:
    """The cells of a script.

    Parameters
    ----------
    script : Path
        A script with marks.

    Returns
    -------
    list of (str, str)
        Of each cell `"markdown"` or `"code"`, and its text.
    """
    head, *rest = _MARK.split(script.read_text(encoding="utf-8"))
    title = script.stem.replace("_", " ").capitalize()
    cells = [("markdown", f"# {title}\n\n{ast.get_docstring(ast.parse(head))}")]
    for kind, text in zip(rest[::2], rest[1::2], strict=True):
        if kind.strip() == "[markdown]":
            cells.append(("markdown", re.sub(r"^# ?", "", text.strip(), flags=re.MULTILINE)))
        else:
            cells.append(("code", text.strip("\n")))
    return cells


def notebook_of(script: pathlib.Path) -> dict[str, Any]:
    """The notebook of a script, not run yet, in the format of Jupyter."""
    cells: list[dict[str, Any]] = []
    for number, (kind, text) in enumerate(cells_of(script)):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def run(notebook: dict[str, Any], folder: pathlib.Path) -> dict[str, Any]:
    """Run a notebook in a folder.

    Parameters
    ----------
    notebook : dict
        In the format of Jupyter.
    folder : Path
        The current folder of its code.

    Returns
    -------
    dict
        The notebook with what its cells show, and without what differs from run to run.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    import nbclient
    import nbformat

    node = nbformat.reads(json.dumps(notebook), as_version=4)
    client = nbclient.NotebookClient(node, timeout=SECONDS, record_timing=False, resources={"metadata": {"path": str(folder)}})
    client.execute()
    done: dict[str, Any] = json.loads(nbformat.writes(node))
    done["metadata"] = notebook["metadata"]  # without the version of Python
    return done


def text_of(notebook: dict[str, Any]) -> str:
    """The notebook as it is written to a file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _differs(script: pathlib.Path) -> bool:
    path = script.with_suffix(".ipynb")
    if not path.exists():
        return True
    stored = json.loads(path.read_text(encoding="utf-8"))
    return [(one["cell_type"], "".join(one["source"])) for one in stored["cells"]] != cells_of(script)


def main() -> int:
    """Write every notebook; with `--check` only tell which are old."""
    if "--check" in sys.argv[1:]:
        old = [script.stem for script in scripts() if _differs(script)]
        for name in old:
            print(f"examples/{name}.ipynb differs from {name}.py: run python tools/write_notebooks.py")
        return int(bool(old))
    for script in scripts():
        done = run(notebook_of(script), EXAMPLES)
        script.with_suffix(".ipynb").write_text(text_of(done), encoding="utf-8", newline="\n")
        print(script.with_suffix(".ipynb"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
