"""Text that several panels share, to the real Label Studio and back to gold."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared_text import check_shared_text

from annotator.label_studio.client import LabelStudioServer

pytestmark = pytest.mark.live


@pytest.mark.parametrize("number", [12, pytest.param(1000, marks=pytest.mark.soak)])
def test_text_of_several_panels_is_neither_lost_nor_merged_in_label_studio(
    tmp_path: Path, real: LabelStudioServer, number: int
) -> None:
    check_shared_text(tmp_path, real, number, ("ann1", "ann2"))
