"""Pure functions on offsets and flat arrays: one duty per file, no classes, no I/O, no Python loop over rows.

Everywhere `offsets` is an int64 array of n_rows + 1 entries that starts at 0, never decreases and ends at the number of
values; `valid` is None or a boolean array that is True where an item counts. Inputs are never written to.
"""
