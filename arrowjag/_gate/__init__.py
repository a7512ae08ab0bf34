"""Check Arrow data from files, buffers, other libraries and callers at every level, before any other code reads it.

Offsets of lists are checked level by level, down to the slots in use; flat arrays are checked by Arrow's own full
validation, once per buffer (`checked_buffers`). Two valid layouts are rewritten, because some libraries can't read them:
views under nulls become empty, and null values of a dictionary become null indices.
"""

from arrowjag._gate.buffers import read_offsets
from arrowjag._gate.checks import secure
from arrowjag._gate.layouts import canonical_layout
from arrowjag._gate.types import LISTS, check_type, has_ordered_categories, inside, list_like, storage_of

__all__ = [
    "LISTS",
    "canonical_layout",
    "check_type",
    "has_ordered_categories",
    "inside",
    "list_like",
    "read_offsets",
    "secure",
    "storage_of",
]
