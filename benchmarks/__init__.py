"""Measurements against rivals, in one process, after their answers were found equal."""
