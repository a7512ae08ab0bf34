"""Between rows of values and padded dense arrays, and kernels on them."""

from arrowjag._kernels.dense.pad import combine, pad, unpad

__all__ = ["combine", "pad", "unpad"]
