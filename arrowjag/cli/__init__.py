"""The `arrowjag` command: show files of jagged columns, run jobs over them, and run the demo."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from arrowjag.cli._streams import failure_text, leave_pipe

__all__ = ["main"]

_NEEDED = ("typer", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after the command's name; by default those of the process.

    Returns
    -------
    int
        0 after success, 1 if a job failed, 2 if the input is wrong or a package is missing, 130 if the user stopped
        it, 143 after SIGTERM. A failure is one line on stderr that names the error and its location.

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

        try:
            print(f"arrowjag {__version__}", flush=True)
        except BrokenPipeError:
            return leave_pipe()
        except OSError as error:
            print(f"arrowjag: {failure_text(error)}", file=sys.stderr)
            return 2
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
