"""nan_to_null."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.testing import jagged_arrays
from tests import reference as ref


@pytest.mark.parametrize("leaf", [pa.float64(), pa.float32(), pa.float16(), pa.int8()], ids=str)
def test_nan_to_null_agrees_with_the_oracle(leaf: pa.DataType) -> None:
    @given(jagged_arrays(leaf=leaf))
    def check(x: aj.JaggedArray) -> None:
        expected = ref.nan_to_null(x.to_list(), x.ndim)
        assert x.nan_to_null().to_list() == aj.nan_to_null(x).to_list() == expected
        assert x.nan_to_null().type == leaf

    check()


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_flat_arrays_of_numpy_are_converted_as_they_are_read(dtype: str) -> None:
    data = np.array([1, np.nan, 2], dtype)
    assert aj.array(data, nan_to_null=True).to_list() == [1.0, None, 2.0]
    assert aj.array(data, nan_to_null=False).null_count == aj.array(data).null_count == 0
    assert aj.array(data, nan_to_null=True).type == aj.array(data).type
