"""Tests of arrowjag, one file per operation. Helpers are imported as `tests.reference` and so on."""
