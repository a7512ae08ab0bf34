"""Print the lowest supported versions as pip constraints, read from pyproject.toml.

`python tools/lowest.py cli plot > constraints.txt` covers the package and two of its extras. Of several bounds on one
package, those whose marker holds on this Python count, and the highest of them wins, as in pip.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def requirements(extras: Iterable[str]) -> Iterator[Requirement]:
    """Requirements of the package and of some of its extras that apply to this Python.

    Parameters
    ----------
    extras : iterable of str
        Names of extras, besides what every installation needs.

    Yields
    ------
    Requirement
        One for each line whose marker holds.
    """
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    for requirement in map(Requirement, lines):
        if requirement.marker is None or requirement.marker.evaluate():
            yield requirement


def lowest(extras: Iterable[str]) -> dict[str, Version]:
    """Lowest version allowed of each required package.

    Parameters
    ----------
    extras : iterable of str
        Names of extras, besides what every installation needs.

    Returns
    -------
    dict of str to Version
        From the normalised name of a package to its bound.

    Raises
    ------
    SystemExit
        A requirement has no lower bound: a promise that no test could keep.
    """
    bounds: dict[str, Version] = {}
    for requirement in requirements(extras):
        name = canonicalize_name(requirement.name)
        if name == "arrowjag":
            continue
        versions = [Version(one.version) for one in requirement.specifier if one.operator in {">=", "=="}]
        if not versions:
            sys.exit(f"pyproject.toml: {requirement} has no lower bound. Write the lowest version that works.")
        bounds[name] = max([*versions, bounds[name]] if name in bounds else versions)
    return bounds


if __name__ == "__main__":
    for package, version in sorted(lowest(sys.argv[1:]).items()):
        print(f"{package}=={version}")
