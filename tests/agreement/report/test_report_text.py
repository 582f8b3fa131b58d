from __future__ import annotations

import re

from builders import a_figure, a_subfigure, an_annotation

from agreement.primitives.settings import Settings
from agreement.report.summary import report_on
from agreement.report.text.parts import WIDTH
from agreement.report.text.report import report_text
from agreement.resampling import bootstrap
from agreement.score.subfigure_f1 import Mode
from panelwise.domain.annotation import Annotation, Status

QUICK = Settings(resamples=20)
LONG = "an annotator with a name that is as long as a sentence, or longer"


def a_campaign() -> list[Annotation]:
    annotations = [
        an_annotation(a_figure(f"f{n}"), annotator=name) for n in range(3) for name in ("ann1", "ann2", LONG)
    ]
    annotations += [
        an_annotation(a_figure(f"rejected-{n}"), annotator="ann1", status=Status.REJECTED) for n in range(14)
    ]
    annotations += [an_annotation(a_figure(f"rejected-{n}"), annotator="ann2") for n in range(14)]
    annotations.append(an_annotation(a_figure("alone"), annotator="lonely"))
    annotations.append(an_annotation(a_figure("f0"), annotator="ann1", seeded_by="m", minutes=5))
    annotations.append(
        an_annotation(a_figure("f1"), annotator="ann2", subfigures=(a_subfigure(tokens=()),), minutes=5)
    )
    return annotations


def test_no_line_is_wider_than_80_columns() -> None:
    annotations = a_campaign()
    for text in (
        report_text(report_on(annotations, QUICK, phase="1")),
        report_text(report_on([an_annotation(annotator=LONG * 3)], QUICK)),
    ):
        assert max(map(len, text.splitlines())) <= WIDTH
        assert text.endswith("\n")


def test_a_report_says_which_metric_it_used() -> None:
    text = report_text(
        report_on(a_campaign(), Settings(mode=Mode.OFFICIAL, min_iou=0.75, resamples=20), phase="1")
    )
    assert "phase 1" in text
    assert "metric: official-code; common tokens: gold; box match threshold: IoU >= 0.75" in text


def test_a_report_tells_what_was_left_out_and_why() -> None:
    text = report_text(report_on(a_campaign(), QUICK))
    assert "no figure in common" in text
    assert "figures left out of a pair: rejected or left out by one: 14" in text
    assert "and 4 more (--format json names all)" in " ".join(text.split())
    assert "1 of" in text
    assert "IAA where seeded" in text
    assert "annotations that a later one replaces: 2" in text
    assert re.search(r"^gold left out      over all pairs: \d+ with no subcaption", text, re.MULTILINE)


def test_an_undefined_score_is_a_dash_with_its_reason_never_a_number() -> None:
    text = report_text(report_on([an_annotation()], QUICK))
    assert "IAA                   -       (one annotator only (ann1); agreement needs two)" in text
    assert "0.0" not in text
    assert "(no pair is defined)" in text


def test_a_linearised_interval_is_called_so(monkeypatch) -> None:
    monkeypatch.setattr(bootstrap, "MAX_BOOTSTRAP_FIGURES", 1)
    assert "linearised standard error" in report_text(report_on(a_campaign(), QUICK))


def test_a_report_on_nothing_says_so() -> None:
    assert "(no annotations)" in report_text(report_on([], QUICK))


def test_pairs_with_nothing_to_count_are_told_as_a_loss_where_there_are_any() -> None:
    silent = [an_annotation(a_figure(name), annotator=who, subfigures=()) for name in ("f1", "f2") for who in "AB"]
    text = report_text(report_on(silent, Settings(mode=Mode.OFFICIAL, resamples=20)))
    assert "nothing to count      1.000000  100%" in text
    assert "nothing to count" not in report_text(report_on(a_campaign(), Settings(resamples=20)))
