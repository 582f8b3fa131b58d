"""Tests that start Label Studio, a browser or services of their own; `make test` runs them beside all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from browsing import chromium
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from playwright.sync_api import Browser


#: Files whose tests share one Label Studio: they run in one process, so that it starts once.
SHARED = "tests/live/label_studio/"
OWN = "tests/live/label_studio/test_faults.py"


class ByServer(LoadScopeScheduling):
    """Gives all tests that share a server to one process: those of a file, or of files with one Label Studio."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return SHARED if file.startswith(SHARED) and file != OWN else file


# A name that pytest-xdist calls in the process that hands out the tests.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Hand out by server, where tests/live alone is run."""
    return ByServer(config, log)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window, one for all tests: Playwright's driver runs once a process."""
    with chromium() as opened:
        yield opened
