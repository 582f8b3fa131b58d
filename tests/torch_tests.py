"""What the tests of models, training and scale have in common: their marker, and where torch is missing.

Their conftests take everything from here by name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pytest

#: Read by the hub's client when it is first imported, and handed on to processes: nothing is fetched in tests.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
MODELS = ("torch", "torchvision", "transformers", "safetensors")


def left_out(path: Path, config: pytest.Config) -> bool | None:
    """Whether a test file is not collected, for want of the models' packages; None says nothing about it.

    In CI they may be missing from the fast run only.
    """
    lacking = [name for name in MODELS if find_spec(name) is None]
    if not lacking or not path.name.startswith("test_"):
        return None
    if os.environ.get("CI") and not config.getoption("--quick"):
        raise pytest.UsageError(
            f"{path}: needs {', '.join(lacking)}; run it in the models' environment (make setup)"
        )
    return True


def mark(items: Iterable[pytest.Item], folder: Path) -> None:
    """Put the marker `torch` on the tests below a folder."""
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.torch)
