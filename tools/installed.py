"""Install a wheel into an environment of its own and test it from there: what users get, not the checkout.

`python tools/installed.py dist/arrowjag-0.1.0-py3-none-any.whl`
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MUST_HOLD = ("arrowjag/py.typed", "arrowjag/__init__.py")


def check_contents(wheel: Path) -> None:
    """Look into a wheel: the package whole, and nothing else.

    Parameters
    ----------
    wheel : Path
        The built file.

    Raises
    ------
    SystemExit
        A file is missing, or one is there that doesn't belong.
    """
    names = zipfile.ZipFile(wheel).namelist()
    wanted = {path.relative_to(ROOT).as_posix() for path in (ROOT / "arrowjag").rglob("*.py*") if path.suffix != ".pyc"}
    missing = (wanted | set(MUST_HOLD)) - set(names)
    strange = [name for name in names if not name.startswith("arrowjag")]
    if missing or strange:
        sys.exit(f"{wheel.name}: missing {sorted(missing)}, unexpected {strange}")


def main(wheel: Path) -> None:
    """Check, install and test one wheel.

    Parameters
    ----------
    wheel : Path
        The built file.

    Raises
    ------
    subprocess.CalledProcessError
        The installation or a test failed.
    """
    check_contents(wheel)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        scripts = Path(folder, "Scripts" if sys.platform == "win32" else "bin")
        python = scripts / "python"

        def run(*command: str | Path) -> None:
            subprocess.run([*map(str, command)], check=True, cwd=folder)

        quiet = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        # The library alone first: nothing of the extras may be needed to import it.
        run(python, *quiet, wheel.resolve())
        run(python, "-c", "import arrowjag; print(arrowjag.__version__, arrowjag.__file__)")
        run(python, *quiet, f"arrowjag[test] @ {wheel.resolve().as_uri()}")
        run(scripts / "arrowjag", "--version")
        run(python, "-m", "pytest", "-q", "-c", ROOT / "pyproject.toml", "--rootdir", folder, "--pyargs", "arrowjag")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
