"""Settings of the whole suite: hypothesis profiles, and what is skipped where a library is absent."""

from __future__ import annotations

import importlib.util
import os

import pytest
from hypothesis import HealthCheck, settings

from tests.surfaces import SURFACES, Surface

# HYPOTHESIS_PROFILE picks a profile. No deadline: what comes first is slow, because threads start and libraries load.
# Other versions of libraries fail at once or not at all: few examples show it.
settings.register_profile("few", max_examples=15, deadline=None, derandomize=True)
settings.register_profile("quick", max_examples=50, deadline=None)
# The same examples in every run: a change must not fail for what another one did.
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "thorough", max_examples=2000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse names with an address, and skip what is marked `torch` where torch is absent, without importing it."""
    for item in items:
        if " at 0x" in item.nodeid.lower():
            raise pytest.UsageError(f"{item.nodeid} has another name in every process: give its parameters ids")
    if importlib.util.find_spec("torch") is not None:
        return
    for item in items:
        if item.get_closest_marker("torch"):
            item.add_marker(pytest.mark.skip(reason="torch is not installed: make torch"))


@pytest.fixture(params=SURFACES)
def surface(request: pytest.FixtureRequest) -> Surface:
    """Calls a method by its name on one surface after another: ``surface(x, "sum", axis=-1)``."""
    return SURFACES[request.param]
