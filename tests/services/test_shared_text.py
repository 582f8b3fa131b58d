"""Text that several panels share stays theirs on the whole way, from the pre-label to the gold record."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared_text import check_shared_text

from tests.label_studio.fake import FakeServer

#: Many: the stand-in server goes through a project's tasks for each of them.
ANNOTATORS = tuple(f"ann{number:02}" for number in range(40))


@pytest.mark.parametrize("number", [150, pytest.param(1000, marks=pytest.mark.soak)])
@pytest.mark.slow
def test_text_of_several_panels_is_neither_lost_nor_merged_on_its_way_to_gold(
    tmp_path: Path, server: FakeServer, number: int
) -> None:
    check_shared_text(tmp_path, server, number, ANNOTATORS)
