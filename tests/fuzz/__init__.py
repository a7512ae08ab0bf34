"""Fuzzers: campaigns that draw fresh cases for as long as they are given. `python -m tests.fuzz --help`, tests/README.md."""
