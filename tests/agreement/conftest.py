from __future__ import annotations

from typing import Any

import pytest
from agreement_commands import record
from builders import a_figure

from annotator.measurement import columns as reading_columns
from panelwise.domain.figure import Figure

WORDS_CAPTION = "Fig 1 : ( a ) left lung lesion ( b ) right lung"


@pytest.fixture
def worked_figure() -> Figure:
    """The figure of the metric's worked cases: words 0..13, room for Q, R and what lies beside them."""
    return a_figure("worked", caption=WORDS_CAPTION, width=700, height=600)


@pytest.fixture(params=["line by line", "as columns"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Large files are read as columns, which must tell the same."""
    if request.param == "as columns":
        monkeypatch.setattr(reading_columns, "COLUMNS_FROM", 1)
    return str(request.param)


@pytest.fixture
def good() -> list[dict[str, Any]]:
    """Two figures on which two annotators agree fully."""
    return [record(figure, name) for figure in ("f2", "f3") for name in ("ann1", "ann2")]
