"""Alpha on panels and annotators' influence on it equal KaLOS's, computed once with its package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.chance.panel_agreement import panel_agreement
from agreement.chance.token_panels import merge_panels

#: Made outside every environment of the project: a dependency of the package is under the GPL.
KNOWN = json.loads(Path(__file__).with_name("kalos_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", KNOWN["cases"], ids=lambda case: case["name"])
def test_alpha_after_correspondence_equals_kalos(case: dict[str, Any]) -> None:
    work = [
        an_annotation(
            a_figure(figure, width=2000, height=2000),
            annotator=name,
            subfigures=tuple(a_subfigure(label, box=box, tokens=()) for label, box in parts),
        )
        for name, figures in case["work"].items()
        for figure, parts in figures.items()
    ]
    found = panel_agreement(merge_panels(work))
    assert found.detection == pytest.approx(case["alpha"], abs=1e-6)
    for name, influence in case["vitality"].items():
        assert found.detection is not None
        without = found.without[name]
        assert without is not None
        assert found.detection - without == pytest.approx(influence, abs=1e-6)
    assert len(case["work"]) > 2 or set(found.without.values()) == {None}


def test_a_figure_that_all_left_empty_is_agreement_as_in_kalos() -> None:
    work = [
        an_annotation(a_figure(figure), annotator=name, subfigures=parts)
        for name, label in (("ann", "A"), ("ben", "B"))
        for figure, parts in (("f1", (a_subfigure(label, tokens=()),)), ("f2", ()))
    ]
    # Units A-B and two that are missing: 2 of 2 observed, 2 · (2 + 1 · 2) / 3 expected.
    assert panel_agreement(merge_panels(work)).detection == pytest.approx(1 - 2 / (2 * (1 + 2 + 2) / 3))
