"""Whoever had done a figure in another phase before is told apart."""

from __future__ import annotations

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.primitives.settings import Settings
from agreement.report.full_report import full_report
from agreement.report.json.report import report_record
from agreement.report.summary import Report
from agreement.report.text.report import report_text
from agreement.trends.acquainted import Person
from panelwise.domain.annotation import Annotation

ALIKE, OTHER = (4, 6, 7), (4,)


def did(
    who: str, figure: str, *, phase: str = "2", tokens: tuple[int, ...] = ALIKE, minutes: float = 60
) -> Annotation:
    drawn = (a_subfigure(tokens=tokens),)
    return an_annotation(a_figure(figure), annotator=who, phase=phase, subfigures=drawn, minutes=minutes)


def report(*more: Annotation) -> Report:
    """Phase 2: rev1 and rev2 agree on f1, and differ on f2 and f3."""
    work = [did("rev1", figure) for figure in ("f1", "f2", "f3")]
    work += [did("rev2", "f1"), did("rev2", "f2", tokens=OTHER), did("rev2", "f3", tokens=OTHER)]
    return full_report([*work, *more], Settings(resamples=100), phase="2")


def test_where_nobody_had_nothing_is_told() -> None:
    found = report(did("rev1", "f9", phase="1", minutes=0), did("ann1", "f1", phase="1", minutes=0))
    assert found.acquainted is None
    assert report_record(found)["acquainted"] is None
    assert "seen before" not in report_text(found)


def test_agreement_is_measured_with_and_without_the_figures_seen_before() -> None:
    found = report(did("rev2", "f1", phase="1", minutes=0), did("ann1", "f2", phase="1", minutes=0))
    assert found.acquainted is not None
    assert found.acquainted.people == (Person("rev2", 1, 3),)
    assert (found.acquainted.before.figures, found.acquainted.before.iaa) == (1, 1.0)
    assert found.acquainted.new.figures == 2
    assert found.acquainted.new.iaa == pytest.approx(0.5)
    assert found.acquainted.new.interval is not None
    whole = found.iaa
    assert whole == pytest.approx((1.0 * 1 + 0.5 * 2) / 3)


def test_what_was_done_later_elsewhere_was_not_seen_before() -> None:
    assert report(did("rev2", "f1", phase="3", minutes=120)).acquainted is None


def test_with_every_figure_seen_there_is_nothing_elsewhere() -> None:
    found = report(*(did("rev1", figure, phase="1", minutes=0) for figure in ("f1", "f2", "f3"))).acquainted
    assert found is not None
    assert (found.before.figures, found.new.figures, found.new.iaa, found.new.interval) == (3, 0, None, None)
    assert (found.new.reason, found.new.interval_reason) == ("no figure was scored", "no figure was scored")


def test_json_and_text_tell_it() -> None:
    found = report(did("rev2", "f1", phase="1", minutes=0))
    record = report_record(found)["acquainted"]
    assert record["annotators"] == [{"annotator": "rev2", "figures": 1, "of": 3}]
    assert (record["figures"], record["iaa"], record["new_figures"]) == (1, 1.0, 2)
    text = report_text(found)
    assert "seen before        rev2: 1 of 3 figures" in text
    assert "IAA where seen   1.000000" in text
    assert "IAA elsewhere    0.500000" in text
