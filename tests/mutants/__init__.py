"""Mutation testing: mutmut's faults put into `_kernels` and `_ops` one at a time, each met by the tests that reach it.

mutmut makes the mutants; its own runner is not used, because it forks after it ran the tests, and a fork that finds a pool without
its threads waits forever. Here each mutant is a fork of a process that has imported the libraries and not yet arrowjag.
"""
