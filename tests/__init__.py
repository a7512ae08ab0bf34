"""Tests of arrowjag, one file an operation. Helpers are imported as `tests.reference` and so on."""
