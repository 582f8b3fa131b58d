from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.services.home import Home
from annotator.store.store import Store


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "campaign")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.open_store()
    yield store
    store.close()
