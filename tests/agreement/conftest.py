from __future__ import annotations

import pytest
from builders import a_figure

from panelwise.domain.figure import Figure

WORDS_CAPTION = "Fig 1 : ( a ) left lung lesion ( b ) right lung"


@pytest.fixture
def worked_figure() -> Figure:
    """The figure of the metric's worked cases: words 0..13, room for Q, R and what lies beside them."""
    return a_figure("worked", caption=WORDS_CAPTION, width=700, height=600)
