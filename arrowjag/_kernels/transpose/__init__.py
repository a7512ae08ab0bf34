"""Transposition of ragged levels on their offsets."""

from arrowjag._kernels.transpose.coordinates import rising
from arrowjag._kernels.transpose.permute import Permuted, permute, transpose, will_shear

__all__ = ["Permuted", "permute", "rising", "transpose", "will_shear"]
