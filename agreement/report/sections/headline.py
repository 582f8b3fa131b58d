"""The single numbers of a report: settings, the IAA and other means, boxes, panels, words, counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agreement.chance.box_threshold import BoxThreshold
from agreement.chance.categories import TokenAlpha
from agreement.chance.joint_panels import JointAgreement
from agreement.chance.panel_agreement import PanelAgreement
from agreement.chance.spans_alpha import SpanAlpha
from agreement.pairs.pairwise import Passed
from agreement.primitives.settings import Settings
from agreement.report.blocks import Col, Format, Row, Table, estimate, score
from agreement.report.sections.course import ACQUAINTED, CORRECTED, SEEDED
from agreement.report.sections.people import NOTHING_COUNTS, why_no_boxes
from agreement.report.summary import Counts, Report
from agreement.resampling.estimate import Estimate
from agreement.score.detection import IOU_THRESHOLDS, Detection
from agreement.score.losses import Loss
from agreement.score.subfigure_f1 import LeftOut

SETTINGS: Table[Settings] = Table(
    (
        Col("mode", "mode", lambda row: row.mode),
        Col("tokens", "tokens", lambda row: row.mode.tokens),
        Col("common", "common", lambda row: row.common_used),
        Col("min_iou", "min IoU", lambda row: row.min_iou),
        Col("bootstrap", "resamples", lambda row: row.resamples),
        Col("seed", "seed", lambda row: row.seed),
    )
)


def _iaa(report: Report) -> Estimate:
    ranges = report.intervals
    return Estimate(report.iaa, report.reason or ranges.reason, ranges.iaa, ranges.method)


def _of_interval(key: str, head: str, value: Callable[[Report], object]) -> Col[Report]:
    return Col(key, head, value, why=lambda row: row.intervals.reason)


def _mean(report: Report, value: float | None) -> Estimate:
    return Estimate.alone(value, report.reason or NOTHING_COUNTS)


def _why_no_losses(report: Report) -> str:
    return "" if report.losses is not None else report.reason or NOTHING_COUNTS


def _lost(cause: Loss) -> Col[Report]:
    def lost(report: Report) -> Estimate:
        return _mean(report, None if report.losses is None else report.losses.get(cause, 0.0))

    return Col("", f"lost: {cause}", lost)


MEANS: Table[Report] = Table(
    (
        Col("iaa", "IAA", _iaa, title="IAA (mean over ordered pairs)"),
        Col("reason", "", lambda row: row.reason),
        Col("interval", "", lambda row: row.intervals.iaa),
        _of_interval("", "IAA low", lambda row: row.intervals.iaa and row.intervals.iaa[0]),
        _of_interval("", "IAA high", lambda row: row.intervals.iaa and row.intervals.iaa[1]),
        _of_interval("interval_method", "interval method", lambda row: row.intervals.method),
        Col("interval_reason", "", lambda row: row.intervals.reason),
        Col("interval_unit", "interval unit", lambda row: row.intervals.unit, Format.DATA),
        score(
            *("pooled", "pooled", lambda row: _mean(row, row.pooled)),
            title="Pooled (over gold subfigures)",
            reason="",
        ),
        score(
            *("macro", "per figure", lambda row: _mean(row, row.macro)),
            title="Per figure (mean of the figures' own scores)",
            reason="",
        ),
        Col("losses", "", lambda row: row.losses, Format.DATA),
        Col("losses_reason", "", _why_no_losses, Format.DATA),
        *map(_lost, Loss),
    ),
    latex=("iaa", "pooled", "macro"),
)


def _box_f1(threshold: float) -> Col[Detection]:
    return Col(
        *("", f"box F1 at {threshold:.2f}"),
        lambda row: Estimate.alone(row.f1(threshold), why_no_boxes(row)),
        title=f"Box F1 at IoU {threshold:.2f}",
    )


BOXES: Table[Detection] = Table(
    (
        *map(_box_f1, IOU_THRESHOLDS),
        Col(
            *("", "box F1 mean", lambda row: Estimate.alone(row.mean_f1(), why_no_boxes(row))),
            title="Box F1, mean over IoU 0.50 to 0.95",
        ),
        Col(
            *("", "mean IoU", lambda row: Estimate.alone(row.mean_iou(), why_no_boxes(row))),
            title="Mean IoU of matched boxes",
        ),
    ),
    latex=("box F1 at 0.50", "box F1 at 0.75", "box F1 at 0.90", "box F1 mean", "mean IoU"),
)
PANELS: Table[PanelAgreement] = Table(
    (
        score(
            *("detection", "alpha on panels", lambda row: Estimate.alone(row.detection, row.detection_reason)),
            title="Alpha on panels",
            reason="",
        ),
        score(
            *("label", "alpha on labels", lambda row: Estimate.alone(row.label, row.label_reason)),
            title="Alpha on labels (of those who drew the panel)",
            reason="",
        ),
        score(
            *("localisation", "localisation"),
            lambda row: Estimate.alone(row.localisation, row.localisation_reason),
            title="Localisation (on GIoU)",
            reason="",
        ),
        Col("panels", "", lambda row: row.panels),
        Col("shared", "", lambda row: row.shared),
    ),
    latex=("detection", "label", "localisation"),
)
JOINT: Table[JointAgreement] = Table(
    (
        estimate(
            *("alpha", "joint alpha", lambda row: row.alpha),
            keys=("reason", "interval", "interval_method", "interval_reason"),
            heads=("joint alpha low", "joint alpha high", "", ""),
            title="Joint alpha on boxes and text",
        ),
        estimate(
            *("within", "joint alpha within figures", lambda row: row.within),
            keys=("within_reason", "within_interval", "", "within_interval_reason"),
            heads=("joint alpha within figures low", "joint alpha within figures high", "", ""),
            title="Joint alpha, by chance within figures",
        ),
        score(
            *("separation", "joint separation", lambda row: row.separation),
            title="Separation of figures (Kolmogorov-Smirnov)",
            reason="",
        ),
        Col("observed", "", lambda row: row.observed),
        Col("expected", "", lambda row: row.expected),
        Col("figures", "", lambda row: row.figures),
        Col("pairs", "", lambda row: row.pairs),
    ),
    latex=("alpha", "within", "separation"),
)
SPANS: Table[SpanAlpha] = Table(
    (
        estimate(
            *("alpha", "alpha on spans", lambda row: row.alpha),
            keys=("reason", "interval", "interval_method", "interval_reason"),
            heads=("alpha on spans low", "alpha on spans high", "", ""),
            title="Alpha on spans of labels (unitizing)",
        ),
        Col("labels", "", lambda row: row.labels),
        Col("spans", "", lambda row: row.spans),
    ),
    latex=("alpha",),
)
THRESHOLD: Table[BoxThreshold] = Table(
    (
        Col(
            *("min_iou", "cleanest box threshold", lambda row: row.min_iou),
            title="IoU that parts matched boxes cleanest",
        ),
        Col("reason", "", lambda row: row.min_iou.why),
        Col("low", "", lambda row: row.low),
        Col("high", "", lambda row: row.high),
        Col("clean", "", lambda row: row.clean),
        Col("matched", "", lambda row: row.matched),
        Col("others", "", lambda row: row.others),
    ),
    latex=("min_iou",),
)
TOKENS: Table[TokenAlpha] = Table(
    (
        Col("nominal", "alpha on tokens", lambda row: Estimate.alone(row.nominal, row.reason)),
        Col("masi", "alpha on tokens, sets by MASI", lambda row: Estimate.alone(row.masi, row.reason)),
        Col("figures", "", lambda row: row.figures),
        Col("tokens", "", lambda row: row.tokens),
        Col("reason", "", lambda row: row.reason),
    ),
    latex=("nominal", "masi"),
)


def _left_out(why: LeftOut) -> Col[Counts]:
    return Col("", f"gold left out: {why}", lambda row: row.left_out.get(why, 0))


def _passed(why: Passed) -> Col[Counts]:
    return Col("", f"figures left out of a pair: {why}", lambda row: len(row.passed.get(why, ())))


def superseded_records(superseded: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Return superseded annotations as plain values for JSON."""
    return [{"figure_id": figure, "annotator": name} for figure, name in superseded]


COUNTS: Table[Counts] = Table(
    (
        Col("annotations", "annotations", lambda row: row.annotations),
        Col("figures", "figures", lambda row: row.figures),
        Col("figures_shared", "figures by two or more", lambda row: row.shared),
        Col("figures_scored", "figures scored", lambda row: row.scored),
        Col("subfigures", "subfigures", lambda row: row.subfigures),
        *map(_left_out, LeftOut),
        *map(_passed, Passed),
        Col("left_out", "", lambda row: row.left_out),
        Col("figures_left_out", "", lambda row: row.passed),
        Col("pairs_unlisted", "", lambda row: row.unlisted),
        Col("", "annotations replaced", lambda row: len(row.superseded)),
        Col("partly_read", "annotations read in part", lambda row: row.partly_read),
        Col("superseded", "", lambda row: superseded_records(row.superseded)),
    )
)


class Swept(NamedTuple):
    """Scores from an IoU on. iou: one threshold or several; boxes: F1 of boxes, "" where it is not computed."""

    iou: str
    iaa: float | None
    boxes: float | str | None


SWEEP: Table[Swept] = Table(
    (
        Col("", "IoU", lambda row: row.iou),
        Col("", "IAA", lambda row: row.iaa, Format.SCORE),
        Col("", "box F1", lambda row: row.boxes, Format.SCORE),
    )
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number beside its title, for LaTeX."""

    title: str
    number: Estimate


MEASURES: Table[Measure] = Table(
    (Col("", "measure", lambda row: row.title, Format.NAME), estimate("value", "value", lambda row: row.number)),
    by_row=True,
)


def report_measures(report: Report) -> list[Measure]:
    """Return the single numbers of a report that LaTeX shows; what did not happen is left out."""
    seen, corrected = report.acquainted, report.corrected
    return [
        *measures(MEANS, report),
        *measures(BOXES, report.boxes),
        *measures(PANELS, report.panels),
        *measures(TOKENS, report.tokens),
        *measures(JOINT, report.joint),
        *measures(SPANS, report.spans),
        *measures(THRESHOLD, report.threshold),
        *(measures(SEEDED, report.seeded) if report.seeded.effect.value is not None else ()),
        *(() if seen is None else measures(ACQUAINTED, seen)),
        *(measures(CORRECTED, corrected) if corrected and corrected.annotations else ()),
    ]


def measures(table: Table[Row], row: Row) -> Iterator[Measure]:
    """Yield the numbers of a row that LaTeX shows, each as a row."""
    for col in table.shown(table.latex):
        number = col.value(row)
        if isinstance(number, Estimate):
            yield Measure(col.heading, number)
