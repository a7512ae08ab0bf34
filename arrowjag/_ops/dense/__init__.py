"""Conversion between columns and padded numpy arrays, and arithmetic between them, by FBGEMM's rules."""

from arrowjag._ops.dense.arithmetic import add, mul
from arrowjag._ops.dense.layout import inner_width, levels, max_sizes, pack
from arrowjag._ops.dense.matrices import bmm, matmul, softmax
from arrowjag._ops.dense.pad import to_dense
from arrowjag._ops.dense.unpad import from_dense

__all__ = ["add", "bmm", "from_dense", "inner_width", "levels", "matmul", "max_sizes", "mul", "pack", "softmax", "to_dense"]
