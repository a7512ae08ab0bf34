"""Tests of the kernels, against plain lists."""
