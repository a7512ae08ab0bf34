"""What all kernels stand on: offsets, blocks of rows, memory, masks, and values of fixed width."""
