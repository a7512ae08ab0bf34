"""Differences between pandas releases; no other module of this package depends on the version."""

from __future__ import annotations

from arrowjag._versions import Difference

__all__ = [
    "EMPTY_INDEXER_FAILS",
    "JSON_OF_OBJECTS",
    "LONG_ROWS",
    "NO_CAPSULES",
    "NO_MASKS_IN_ILOC",
    "NO_ROWS_IN_REPLACE",
    "NO_ROW_BUILDERS",
    "OBJECT_APPENDS",
    "OWN_FIXTURES",
    "SHARED_VIEWS",
    "STACK_DROPS_NULLS",
    "TEXT_OF_NULLS",
]

JSON_OF_OBJECTS = Difference("pandas", "3.1", "`Series.to_json` writes the attributes of row objects.", "arrowjag passes it lists.")
NO_ROWS_IN_REPLACE = Difference(
    "pandas", "3.1", "`replace` refuses a `Row`, and ignores it in a list.", "arrowjag replaces rows itself."
)
OBJECT_APPENDS = Difference(
    "pandas", "3.1", "`df.loc[new_label] = record` changes jagged columns to objects.", "arrowjag restores the dtype."
)
NO_ROW_BUILDERS = Difference(
    "pandas",
    "3.1",
    "`DataFrame.apply(axis=1)` collects each row of jagged columns in an array of objects.",
    "The results are equal; the call is slower.",
)
OWN_FIXTURES = Difference(
    "pandas",
    "3.1",
    "The fixtures for tests of extension arrays belong to pandas' own settings.",
    "Our tests make them.",
    public=False,
)
LONG_ROWS = Difference("pandas", "3.0", "The tests of extension arrays expect 100 rows.", "Our tests make as many.", public=False)
EMPTY_INDEXER_FAILS = Difference(
    "pandas", "3.1", "`get_indexer_non_unique` of an empty index of text raises.", "An empty index of rows doesn't.", public=False
)
NO_CAPSULES = Difference(
    "pandas",
    "3.0",
    "`Series` has no Arrow C interface; `from_arrow` of `Series` and `DataFrame` is missing.",
    "arrowjag reads Series; use `x.to_pandas()` and `table.to_pandas()`.",
)
SHARED_VIEWS = Difference(
    "pandas", "3.0", "Assignments change the columns and frames that share the rows.", "As in pandas, for jagged columns too."
)
STACK_DROPS_NULLS = Difference("pandas", "3.0", "`stack()` drops null rows.", "`stack(future_stack=True)` keeps them.")
TEXT_OF_NULLS = Difference(
    "pandas", "3.0", '`astype(str)` turns a null row into the text "<NA>".', 'As in pandas; `astype("string")` keeps it null.'
)
NO_MASKS_IN_ILOC = Difference("pandas", "3.0", "`iloc` refuses every boolean Series.", "As in pandas, which raises its own error.")
