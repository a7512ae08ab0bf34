"""A browser for each module of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.driver import Browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    window = Browser(tmp_path_factory.mktemp("profile"))
    yield window
    window.close()
