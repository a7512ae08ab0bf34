"""Raise the lower bounds of numpy, pandas, polars and pyarrow to the oldest release series of the last 24 months (docs/policy.md).

A series is a major and a minor version; its age is that of its first release. A bound is never lowered. The scheduled workflow
`bounds.yml` runs this tool and opens a pull request with what it changed; releases come from PyPI.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import sys
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from packaging.version import InvalidVersion, Version

__all__ = ["MONTHS", "PACKAGES", "main", "propose", "raised", "releases_of"]

ROOT = Path(__file__).parents[1]
PACKAGES = ("numpy", "pandas", "polars", "pyarrow")
MONTHS = 24


def releases_of(package: str) -> dict[str, dt.date]:
    """The day of each release of a package on PyPI.

    Parameters
    ----------
    package : str
        Its name.

    Returns
    -------
    dict of str to date
        By version; what was yanked or has no files is left out.
    """
    with urllib.request.urlopen(f"https://pypi.org/pypi/{package}/json", timeout=60) as answer:
        found = json.load(answer)["releases"]
    return {
        version: min(dt.date.fromisoformat(file["upload_time"][:10]) for file in files)
        for version, files in found.items()
        if files and not all(file["yanked"] for file in files)
    }


def propose(current: str, releases: Mapping[str, dt.date], today: dt.date) -> str | None:
    """The new lower bound of a package.

    Parameters
    ----------
    current : str
        The bound of today.
    releases : dict of str to date
        The day of each release.
    today : date
        The day of the proposal.

    Returns
    -------
    str or None
        The first version of the oldest series that is younger than 24 months; None if that is no newer than `current`.
    """
    year, month = divmod(today.year * 12 + today.month - 1 - MONTHS, 12)
    since = dt.date(year, month + 1, min(today.day, 28))
    series: dict[tuple[int, int], list[tuple[Version, dt.date]]] = {}
    for text, day in releases.items():
        try:
            version = Version(text)
        except InvalidVersion:
            continue
        if not version.is_prerelease:
            series.setdefault((version.major, version.minor), []).append((version, day))
    young = [min(found) for found in series.values() if min(day for _, day in found) >= since]
    best = min(young, default=None)
    return str(best[0]) if best is not None and best[0] > Version(current) else None


def raised(project: str, package: str, bound: str) -> str:
    """The text of pyproject.toml with another bound on a package.

    Parameters
    ----------
    project : str
        The text.
    package : str
        The package.
    bound : str
        The new bound; requirements with a marker stay, as they hold for newer versions of Python.

    Returns
    -------
    str
        The new text.
    """
    return re.sub(rf'"{package}>=[\w.]+"', f'"{package}>={bound}"', project)


def main(today: dt.date, fetch: Callable[[str], Mapping[str, dt.date]] = releases_of, root: Path = ROOT) -> list[str]:
    """Raise the bounds in pyproject.toml and in `arrowjag._versions`.

    Parameters
    ----------
    today : date
        The day of the proposal.
    fetch : callable
        Returns the releases of a package.
    root : Path
        The folder of the project.

    Returns
    -------
    list of str
        One line per bound that was raised.
    """
    project, module = root / "pyproject.toml", root / "arrowjag" / "_versions.py"
    changes = []
    for package in PACKAGES:
        text, code = project.read_text(encoding="utf-8"), module.read_text(encoding="utf-8")
        found = re.search(rf'"{package}>=([\w.]+)"', text)
        bound = None if found is None else propose(found[1], fetch(package), today)
        if found is None or bound is None:
            continue
        project.write_text(raised(text, package, bound), encoding="utf-8")
        module.write_text(re.sub(rf'"{package}": "[\d.]+"', f'"{package}": "{bound}"', code), encoding="utf-8")
        changes.append(f"{package} {found[1]} -> {bound}")
    return changes


if __name__ == "__main__":
    print("\n".join(main(dt.datetime.now(tz=dt.UTC).date())) or "no bound is older than 24 months")
    sys.exit(0)
