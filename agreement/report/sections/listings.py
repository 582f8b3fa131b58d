"""Every table of a report with its rows, once for all files: CSV and LaTeX have one of each by its key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from agreement.report.blocks import Row, Table
from agreement.report.numbers import equal_runs
from agreement.report.sections import course, headline, judgements, people
from agreement.report.summary import ATTENTION_NOTE, Report
from agreement.score.detection import IOU_THRESHOLDS


@dataclass(frozen=True, slots=True)
class Listing(Generic[Row]):
    """A table with its rows. key: the name of its files. caption: in LaTeX, which has none without it.

    shown: whether its rows are for reading too, not for data files only. note: below it in LaTeX. stated: the
    reason for dashes that was given before.
    """

    key: str
    table: Table[Row]
    rows: Sequence[Row]
    caption: str = ""
    shown: bool = True
    note: str = ""
    stated: str = ""


def listings(report: Report) -> Iterator[Listing[Any]]:
    """Yield the tables of a report."""
    other, items = report.other_phase, report.items
    caption = "Agreement between annotators. Alpha is Krippendorff's."
    yield Listing("agreement", headline.MEASURES, headline.report_measures(report), caption)
    caption = "Agreement of each ordered pair of annotators."
    many = f"{len(report.pairs)} ordered pairs, too many to list: see the CSV or JSON of the report."
    stated, note = f"no interval: {report.intervals.reason}", "" if report.listed else many
    yield Listing("pairs", people.PAIRS, people.pair_rows(report), caption, report.listed, note, stated)
    caption = "Annotators: mean score as gold and as predicted, and IAA of the others."
    yield Listing("annotators", people.ANNOTATORS, report.annotators, caption)
    caption = "Consistency: spread (standard deviation) of the figures' scores, and alpha on panels of the others."
    yield Listing("consistency", people.CONSISTENCY, report.annotators, caption)
    caption = (
        "Habits by a model of what others drew: panels missed, boxes that are no panel, and box size against the "
        "mean of all (95 % CI)."
    )
    yield Listing("habits", people.HABITS, report.habits, caption)
    losses = people.loss_rows(report.losses)
    note = "" if losses else "Nothing is lost." if report.losses is not None else "IAA is undefined."
    caption = "Causes of disagreement: how much of the score each costs."
    yield Listing("losses", people.LOSSES, losses, caption, note=note)
    caption = "IAA, and F1 of boxes matched one to one, at other IoU thresholds."
    note = f"No other threshold: {report.sweep_reason}." if report.sweep_reason else ""
    yield Listing("sweep", headline.SWEEP, list(_swept(report)), caption, note=note)
    caption = "How often each annotator's judgement is right, by Dawid and Skene's model."
    yield Listing("reliability", judgements.RELIABILITY, list(judgements.judges(report)), caption)
    caption = f"Attention: {ATTENTION_NOTE}."
    yield Listing("attention", people.ATTENTION, report.attention, caption, report.attentive)
    yield Listing("figures", people.FIGURES, report.figures)
    yield Listing("drift", course.PERIODS, course.period_rows(report.drift))
    yield Listing("phases", course.CONTRASTS, () if other is None else other.contrasts)
    yield Listing("repeats", course.REPEATS, report.repeats)
    yield Listing("types", judgements.TAGS, () if items is None else items.tags)
    yield Listing("edits", judgements.EDITS, () if items is None else items.edits)
    answers = () if items is None or items.answers is None else items.answers.scores
    yield Listing("answers", judgements.ANSWERS, answers)


def _swept(report: Report) -> Iterator[headline.Swept]:
    """Yield the scores at each threshold, neighbouring thresholds with equal ones together."""
    thresholds = [point.min_iou for point in report.sweep]
    boxes = [report.boxes.f1(threshold) if threshold in IOU_THRESHOLDS else "" for threshold in thresholds]
    values = list(zip((point.score for point in report.sweep), boxes, strict=True))
    for name, place in equal_runs(thresholds, values):
        yield headline.Swept(name, *values[place])
