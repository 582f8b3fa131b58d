"""Tests that start Label Studio, a browser or services of their own; `make test` runs them beside all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from browsing import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window, one for all tests: Playwright's driver runs once a process."""
    with chromium() as opened:
        yield opened
