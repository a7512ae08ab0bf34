"""The `arrowjag` command: look at files of jagged columns, run jobs over them, and see the main job."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]

_NEEDED = ("typer", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the command's name; by default that of the process.

    Returns
    -------
    int
        0 where all went well, 1 where a job failed, 2 where the input is wrong or a package is missing, 130 where the user stopped
        it, 143 where SIGTERM did. A failure is one line on stderr that says what and where.

    Examples
    --------
    >>> from arrowjag.cli import main
    >>> main(["--version"])
    arrowjag ...
    0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:
        from arrowjag import __version__

        print(f"arrowjag {__version__}")
        return 0
    try:
        from arrowjag.cli import _commands
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _NEEDED:
            raise
        print(f"arrowjag: the command needs the package {package}: pip install 'arrowjag[cli]'", file=sys.stderr)
        return 2
    return _commands.run(words)
