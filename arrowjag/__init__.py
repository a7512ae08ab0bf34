"""Jagged columns for pandas, polars and Arrow."""

__version__ = "0.1.0"
