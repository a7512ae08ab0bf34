"""The cases of this suite for asv, which runs them on one commit after another: `make history`."""

import sys
from pathlib import Path

# At the end of the path: the commit that asv installed is measured, not this checkout.
sys.path.append(str(Path(__file__).parents[2]))
