from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from picture_server import Site

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


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    thread = threading.Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield site
    site.server.shutdown()
    site.server.server_close()
    thread.join()
