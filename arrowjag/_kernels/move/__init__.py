"""Values that move unchanged: gather, runs of values, whole rows, merging, scatter, permutations."""
