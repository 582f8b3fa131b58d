"""The single values of a report as table rows: settings, scores, counts, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from agreement.models.sweep import SWEPT_IOUS
from agreement.pairs.pairwise import Passed
from agreement.report.sections import headline
from agreement.report.sections.judgements import why_undefined
from agreement.report.sections.people import NOTHING_COUNTS
from agreement.report.summary import Report
from agreement.resampling.bootstrap import Interval
from agreement.score.losses import Loss
from agreement.score.subfigure_f1 import LeftOut
from agreement.trends.corrected import UNKNOWN_HISTORY

#: Name, value (None if undefined) and why it is not defined ("" where it is).
Row = tuple[str, object, str]


def summary_rows(report: Report) -> Iterable[Row]:
    """Yield the rows, the same in each report and in one order, except for kinds of verdict that were not used."""
    settings = report.settings
    yield "mode", settings.mode.value, ""
    yield "tokens", settings.mode.tokens, ""
    yield "common", settings.common_used.value, ""
    yield "min IoU", settings.min_iou, ""
    yield "resamples", settings.resamples, ""
    yield "seed", settings.seed, ""
    yield "phase", report.phase, "" if report.phase is not None else "the work is of no phase"
    iaa, *means = headline.means(report)
    yield from _number(iaa)
    yield from _ends("IAA", report.intervals.iaa, report.intervals.reason)
    yield "interval method", report.intervals.method or None, report.intervals.reason
    yield "interval unit", report.intervals.unit, ""
    yield from chain.from_iterable(map(_number, means))
    nothing = report.reason or NOTHING_COUNTS
    for cause in Loss:
        lost = None if report.losses is None else report.losses.get(cause, 0.0)
        yield f"lost: {cause}", lost, nothing if lost is None else ""
    yield from chain.from_iterable(map(_number, headline.box_measures(report.boxes)))
    at = {point.min_iou: point.score for point in report.sweep}
    for threshold in SWEPT_IOUS:
        value = at.get(threshold)
        yield f"IAA at IoU {threshold:.2f}", value, "" if value is not None else report.sweep_reason or nothing
    yield from _counts(report)
    yield from _seeded(report)
    yield from _independence(report)
    yield from _categories(report)
    yield from _over_time(report)


def _ends(name: str, interval: Interval | None, reason: str) -> Iterable[Row]:
    low, high = (None, None) if interval is None else interval
    yield f"{name} low", low, reason if interval is None else ""
    yield f"{name} high", high, reason if interval is None else ""


def _number(measure: headline.Measure) -> Iterable[Row]:
    yield measure.head, measure.number.value, measure.number.why


def _counts(report: Report) -> Iterable[Row]:
    counts = report.counts
    yield "annotations", counts.annotations, ""
    yield "figures", counts.figures, ""
    yield "figures by two or more", counts.shared, ""
    yield "figures scored", counts.scored, ""
    yield "subfigures", counts.subfigures, ""
    for why in LeftOut:
        yield f"gold left out: {why}", counts.left_out.get(why, 0), ""
    for passed in Passed:
        yield f"figures left out of a pair: {passed}", len(counts.passed.get(passed, ())), ""
    yield "annotations replaced", len(counts.superseded), ""
    yield "annotations read in part", counts.partly_read, ""


def _seeded(report: Report) -> Iterable[Row]:
    seeded = report.seeded
    yield "annotations seeded", seeded.annotations, ""
    for name, part in (("seeded", seeded.seeded), ("unseeded", seeded.unseeded)):
        yield f"figures {name}", part.figures, ""
        yield f"IAA {name}", part.iaa, part.reason
        yield from _ends(f"IAA {name}", part.interval, part.interval_reason)


def _independence(report: Report) -> Iterable[Row]:
    seen, corrected = report.acquainted, report.corrected
    no_one = "no annotator knew a figure before"
    for name, part in (
        ("where seen", None if seen is None else seen.before),
        ("elsewhere", None if seen is None else seen.new),
    ):
        yield f"figures scored {name}", None if part is None else part.figures, no_one if part is None else ""
        yield f"IAA {name}", None if part is None else part.iaa, no_one if part is None else part.reason
    known = None if seen is None else seen.new.interval
    yield from _ends("IAA elsewhere", known, no_one if seen is None else seen.new.interval_reason)
    values = (
        (None, None, None) if corrected is None else (corrected.annotations, corrected.sent_back, corrected.iaa)
    )
    unknown = UNKNOWN_HISTORY if corrected is None else ""
    reasons = (unknown, unknown, unknown if corrected is None else corrected.reason)
    yield from zip(
        ("annotations corrected", "annotations sent back", "IAA with corrections"), values, reasons, strict=True
    )


def _categories(report: Report) -> Iterable[Row]:
    for each in report.categories:
        yield f"{each.name}: units", each.units, ""
        for name, value in (
            ("observed", each.observed),
            ("kappa", each.fleiss),
            ("AC1", each.ac1),
            ("alpha", each.alpha),
        ):
            yield f"{each.name}: {name}", value, why_undefined(each) if value is None else ""
    yield from chain.from_iterable(map(_number, headline.panel_measures(report)))


def _over_time(report: Report) -> Iterable[Row]:
    drift, other = report.drift, report.other_phase
    reason = "not asked for (--drift none)"
    yield "drift by", None if drift is None else drift.by.value, reason if drift is None else ""
    slope = None if drift is None else drift.trend.slope
    why_not = reason if drift is None else drift.trend.reason
    yield "trend", slope, why_not if slope is None else ""
    yield from _ends("trend", None if drift is None else drift.trend.interval, why_not)
    unplaced = None if drift is None else len(drift.unplaced)
    yield "figures of no period", unplaced, reason if drift is None else ""
    reason = "no other phase was asked for" if other is None else ""
    yield "against phase", None if other is None else other.there, reason
    yield "figures scored in both phases", None if other is None else other.shared, reason
    changed = None if other is None else len(other.changed)
    yield "of these on another caption, tokens or size", changed, reason
