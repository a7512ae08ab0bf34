"""The libraries that other tests compare with can be imported and called: otherwise these tests would be skipped silently."""

from __future__ import annotations

import pytest


@pytest.mark.torch
def test_fbgemm_loads_with_this_torch() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("fbgemm_gpu")
    values = torch.tensor([[1.0], [2.0], [3.0]])
    padded = torch.ops.fbgemm.jagged_to_padded_dense(values, [torch.tensor([0, 2, 3])], [2])
    assert padded.squeeze(-1).tolist() == [[1.0, 2.0], [3.0, 0.0]]
