"""Puts the notebooks of examples/ into the site, with their last picture as a thumbnail; results are the stored ones."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

EXAMPLES = Path(__file__).parents[1] / "examples"


def copy(app: Sphinx) -> None:
    """Copy each notebook to docs/notebooks, and its last picture beside it."""
    folder = Path(app.srcdir) / "notebooks"
    folder.mkdir(exist_ok=True)
    for source in sorted(EXAMPLES.glob("*.ipynb")):
        target = folder / source.name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)
            (folder / f"{source.stem}.png").write_bytes(last_picture(source))


def last_picture(path: Path) -> bytes:
    """Return the last PNG among the stored outputs of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in reversed(cells):
        for output in reversed(cell.get("outputs", ())):
            if "image/png" in output.get("data", {}):
                return base64.b64decode(output["data"]["image/png"])
    raise ValueError(f"{path} has no picture: a thumbnail needs one")


def setup(app: Sphinx) -> dict[str, Any]:
    """Copy before the pages are read."""
    app.connect("builder-inited", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
