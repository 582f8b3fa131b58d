"""The single numbers of a report: the IAA and other means, boxes, the four questions about panels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agreement.report.blocks import Col, Format, Table, estimate
from agreement.report.sections.course import part_estimate
from agreement.report.sections.people import NOTHING_COUNTS, why_no_boxes
from agreement.report.summary import Report
from agreement.resampling.estimate import Estimate
from agreement.score.detection import IOU_THRESHOLDS, Detection
from panelwise.runtime import counted


@dataclass(frozen=True, slots=True)
class Measure:
    """A number. head: its name in CSV and text; title: in LaTeX; note: what it is of, for text."""

    head: str
    title: str
    number: Estimate
    note: str = ""


MEASURES: Table[Measure] = Table(
    (
        Col("", "measure", lambda row: row.title, Format.NAME),
        estimate("value", "value", lambda row: row.number),
    ),
    by_row=True,
)


def means(report: Report) -> Iterator[Measure]:
    """Yield the IAA, and the other means of the scores."""
    nothing, ranges = report.reason or NOTHING_COUNTS, report.intervals
    iaa = Estimate(report.iaa, report.reason or ranges.reason, ranges.iaa, ranges.method)
    yield Measure("IAA", "IAA (mean over ordered pairs)", iaa)
    yield Measure("pooled", "Pooled (over gold subfigures)", Estimate.alone(report.pooled, nothing))
    yield Measure(
        "per figure", "Per figure (mean of the figures' own scores)", Estimate.alone(report.macro, nothing)
    )


def box_measures(boxes: Detection, thresholds: Sequence[float] = IOU_THRESHOLDS) -> Iterator[Measure]:
    """Yield the scores of the boxes alone, F1 at these thresholds."""
    why = why_no_boxes(boxes)
    for threshold in thresholds:
        f1 = Estimate.alone(boxes.f1(threshold), why)
        yield Measure(f"box F1 at {threshold:.2f}", f"Box F1 at IoU {threshold:.2f}", f1)
    yield Measure("box F1 mean", "Box F1, mean over IoU 0.50 to 0.95", Estimate.alone(boxes.mean_f1(), why))
    yield Measure("mean IoU", "Mean IoU of matched boxes", Estimate.alone(boxes.mean_iou(), why))


def panel_measures(report: Report) -> Iterator[Measure]:
    """Yield the agreement on panels and on their words, beyond chance."""
    panels, tokens = report.panels, report.tokens
    yield Measure(
        *("alpha on panels", "Alpha on panels", Estimate.alone(panels.detection, panels.detection_reason)),
        f'with "missing"; {counted(panels.panels, "panel")}, {panels.shared} by two or more',
    )
    yield Measure(
        *("alpha on labels", "Alpha on labels (of those who drew the panel)"),
        Estimate.alone(panels.label, panels.label_reason),
        "of those who drew the panel",
    )
    yield Measure(
        *(
            "localisation",
            "Localisation (on GIoU)",
            Estimate.alone(panels.localisation, panels.localisation_reason),
        ),
        "1 - distance within / between panels",
    )
    yield Measure(
        *("alpha on tokens", "Alpha on tokens", Estimate.alone(tokens.nominal, tokens.reason)),
        f"of {counted(tokens.tokens, 'token')} in {counted(tokens.figures, 'figure')}",
    )
    sets = Estimate.alone(tokens.masi, tokens.reason)
    yield Measure("alpha on tokens, sets by MASI", "Alpha on tokens, sets by MASI", sets)


def independence(report: Report) -> Iterator[Measure]:
    """Yield the IAA apart by who knew figures before, and with corrected work; what did not happen is left out."""
    if (seen := report.acquainted) is not None:
        before = Estimate.alone(seen.before.iaa, seen.before.reason)
        yield Measure("IAA where seen", "IAA where an annotator knew the figure", before)
        yield Measure("IAA elsewhere", "IAA elsewhere", part_estimate(seen.new))
    if report.corrected is not None and report.corrected.annotations:
        corrected = Estimate.alone(report.corrected.iaa, report.corrected.reason)
        yield Measure("IAA with corrections", "IAA with work corrected later", corrected)
