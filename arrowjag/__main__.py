"""`python -m arrowjag` is the command `arrowjag`."""

from __future__ import annotations

import sys

from arrowjag.cli import main

if __name__ == "__main__":
    sys.exit(main())
