"""The base of all kernels: offsets, blocks of rows, memory, masks, and values of fixed width."""
