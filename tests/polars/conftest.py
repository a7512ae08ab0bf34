"""Fixtures of this folder."""

from __future__ import annotations

import pytest

from arrowjag.polars import lowering


@pytest.fixture
def calls(monkeypatch):
    """How often Python is called with data."""
    made: list[int] = []
    evaluate = lowering._Evaluation._result

    def counted(self, series, *rest):
        made.append(len(series[0]))
        return evaluate(self, series, *rest)

    monkeypatch.setattr(lowering._Evaluation, "_result", counted)
    return made
