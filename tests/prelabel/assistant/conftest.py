from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from assistant_cases import Answer, Scripted, serving


@pytest.fixture
def served() -> Iterator[Callable[..., tuple[Scripted, str]]]:
    with ExitStack() as servers:

        def serve(*script: Answer) -> tuple[Scripted, str]:
            return servers.enter_context(serving(*script))

        yield serve
