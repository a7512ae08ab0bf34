"""Arithmetic of flat values that numpy and pyarrow lack."""
