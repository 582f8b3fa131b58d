"""Every measure of a report under known mistakes of growing strength: it falls, or is blind as its page says."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from conftest import REPOSITORY

from agreement.primitives.settings import Settings
from agreement.report.summary import Report, report_on
from panelwise.domain.annotation import Annotation
from panelwise.domain.box import Box
from panelwise_simulator.captioned import captioned_figures
from panelwise_simulator.noise import STRENGTHS, Noise, noisy

PAGE = REPOSITORY / "docs" / "reference" / "agreement.md"
#: All measures that a report has of subfigures.
MEASURES: dict[str, Callable[[Report], float | None]] = {
    "IAA": lambda report: report.iaa,
    "pooled": lambda report: report.pooled,
    "per figure": lambda report: report.macro,
    "box F1 at .50": lambda report: report.boxes.f1(0.5),
    "box F1 mean": lambda report: report.boxes.mean_f1(),
    "mean IoU": lambda report: report.boxes.mean_iou(),
    "alpha on panels": lambda report: report.panels.detection,
    "alpha on labels": lambda report: report.panels.label,
    "localisation": lambda report: report.panels.localisation,
    "alpha on tokens": lambda report: report.tokens.nominal,
    "alpha on sets": lambda report: report.tokens.masi,
    "alpha on spans": lambda report: report.spans.alpha.value,
    "joint alpha": lambda report: report.joint.alpha.value,
    "joint alpha within figures": lambda report: report.joint.within.value,
    "separation": lambda report: report.joint.separation.value,
}
SETTINGS = Settings(resamples=50)


@lru_cache
def truth() -> list[Annotation]:
    return list(captioned_figures(120, seed=3))


@lru_cache
def report(noise: Noise, strength: float) -> Report:
    work = truth() + [noisy(each, noise, strength, annotator="ben") for each in truth()]
    return report_on(work, SETTINGS)


def rows_of_the_page() -> dict[str, list[str]]:
    """Return the table of the documentation's page: for each measure, its cell in each column (kind of noise)."""
    text = PAGE.read_text(encoding="utf-8")
    lines = text[text.index("| measure | missed |") :].splitlines()[2:]
    found = {}
    for line in lines:
        if not line.startswith("|"):
            break
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        found[name] = cells
    return found


def test_the_page_has_each_measure_and_each_kind_of_noise() -> None:
    assert rows_of_the_page().keys() == MEASURES.keys()
    heading = re.search(r"\| measure \|(.*)\|", PAGE.read_text(encoding="utf-8"))
    assert heading is not None
    assert [cell.strip() for cell in heading[1].split("|")] == [noise.value for noise in Noise]


@pytest.mark.parametrize("noise", Noise)
@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_falls_with_the_noise_or_is_blind_as_its_page_says(name: str, noise: Noise) -> None:
    said = rows_of_the_page()[name][list(Noise).index(noise)]
    values = [MEASURES[name](report(noise, strength)) for strength in (0.0, *STRENGTHS)]
    known = np.array([value for value in values if value is not None])
    assert values[0] == 1.0
    steps = np.diff(known)
    if said == "falls":
        assert len(known) == len(values)
        assert (steps < 0).all(), known
    elif said == "blind":
        assert (known == 1.0).all(), known
    else:
        # It falls on the whole, with steps that it does not see, or is undefined at the end.
        assert said == "in part"
        assert known.min() < 1.0
        assert (steps >= 0).any() or len(known) < len(values), known


@pytest.mark.parametrize("noise", Noise)
def test_the_joint_measures_fall_with_each_step_of_each_noise(noise: Noise) -> None:
    for name in ("joint alpha", "joint alpha within figures"):
        values = [MEASURES[name](report(noise, strength)) for strength in (0.0, *STRENGTHS)]
        assert all(
            later is not None and earlier is not None and later < earlier for earlier, later in pairwise(values)
        )


def with_texts_apart(work: Annotation) -> bool:
    texts = [panel.subcaption & work.figure.caption.counted for panel in work.subfigures]
    return all(texts) and not any(one & other for one, other in combinations(texts, 2))


def moved_instead(work: Annotation, swapped: Annotation) -> Annotation:
    """Move the box of each panel whose text was swapped just below the threshold, within its figure."""
    panels = []
    for panel, other in zip(work.subfigures, swapped.subfigures, strict=True):
        box, width = panel.box, work.figure.width
        if other.subcaption != panel.subcaption:
            by = 0.36 * (box.x1 - box.x0)
            by = by if box.x1 + by <= width else -by
            if box.x0 + by < 0:  # the only panel of its row
                box = Box(box.x0, box.y0, box.x0 + 0.49 * (box.x1 - box.x0), box.y1)
            else:
                box = Box(box.x0 + by, box.y0, box.x1 + by, box.y1)
        panels.append(type(panel)(panel.label, box, panel.subcaption))
    return type(work)(work.figure, swapped.annotator, work.phase, work.status, tuple(panels), work.saved_at)


@pytest.mark.parametrize("strength", STRENGTHS[1:])
def test_swapped_texts_cost_more_than_a_shift_of_equal_f1_by_two_standard_errors(strength: float) -> None:
    right = [each for each in captioned_figures(400, seed=4) if with_texts_apart(each)]
    assert len(right) > 100
    swapped = [noisy(each, Noise.SWAPPED, strength, annotator="ben") for each in right]
    moved = [moved_instead(*pair) for pair in zip(right, swapped, strict=True)]
    by_text, by_box = (report_on(right + work, SETTINGS) for work in (swapped, moved))
    # A text on the wrong panel and a box just below the threshold cost the same: all of it.
    assert by_text.iaa == pytest.approx(by_box.iaa)
    for name in ("alpha", "within"):
        texts, boxes = getattr(by_text.joint, name), getattr(by_box.joint, name)
        errors = [(each.interval[1] - each.interval[0]) / (2 * 1.96) for each in (texts, boxes)]
        assert boxes.value - texts.value > 2 * float(np.hypot(*errors))
