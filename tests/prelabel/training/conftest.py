from __future__ import annotations

from pathlib import Path

import pytest
from torch_tests import left_out, mark


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return left_out(collection_path, config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark(items, Path(__file__).parent)
