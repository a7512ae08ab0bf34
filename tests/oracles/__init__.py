"""Beside other libraries that do the same, on random input; skipped where the library is absent."""
