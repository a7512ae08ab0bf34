"""`tests/typing/consumer.py`, a project that uses arrowjag, runs; `make types` has mypy and pyright read it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("pandas")
pytest.importorskip("polars")
from tests.typing import consumer


@pytest.mark.parametrize("sample", consumer.ALL, ids=lambda sample: sample.__name__)
def test_the_sample_runs(sample: Callable[[], None]) -> None:
    sample()
