"""Reports as CSV tables for spreadsheets: unrounded numbers; an undefined one is an empty cell with a reason."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from agreement.pairs.pairwise import detailed, mean_losses
from agreement.report.csv import items
from agreement.report.csv.summary import summary_rows
from agreement.report.json.parts import NOTHING_COUNTS, pair_record
from agreement.report.summary import Report
from agreement.resampling.bootstrap import Interval
from agreement.score.detection import IOU_THRESHOLDS
from agreement.score.losses import Loss
from agreement.trends.phases import PhaseSide
from panelwise.files.csv_safe import as_text
from panelwise.formats.annotations import time_text

#: What `report_tables` gives, always all: a table of an earlier report left beside others would mislead.
TABLES = (
    *("summary.csv", "pairs.csv", "annotators.csv", "figures.csv", "drift.csv", "phases.csv", "repeats.csv"),
    *("judgements.csv", "counts.csv", "types.csv", "edits.csv", "answers.csv"),
)


def report_tables(report: Report) -> dict[str, str]:
    """Return file name -> CSV text of a report, for all of `TABLES`; lines end in CRLF (RFC 4180).

    A table that was not requested has only its header.
    """
    return {
        "summary.csv": _table(_SUMMARY_COLUMNS, summary_rows(report)),
        "pairs.csv": _table(_PAIR_COLUMNS, _pairs(report)),
        "annotators.csv": _table(_ANNOTATOR_COLUMNS, _annotators(report)),
        "figures.csv": _table(_FIGURE_COLUMNS, _figures(report)),
        "drift.csv": _table(_DRIFT_COLUMNS, _drift(report)),
        "phases.csv": _table(_PHASE_COLUMNS, _phases(report)),
        "repeats.csv": _table(_REPEAT_COLUMNS, _repeats(report)),
        "judgements.csv": _table(items.JUDGEMENT_COLUMNS, items.judgement_rows(report.items)),
        "counts.csv": _table(items.COUNT_COLUMNS, items.count_rows(report.items)),
        "types.csv": _table(items.TYPE_COLUMNS, items.type_rows(report.items)),
        "edits.csv": _table(items.EDIT_COLUMNS, items.edit_rows(report.items)),
        "answers.csv": _table(items.ANSWER_COLUMNS, items.answer_rows(report.items)),
    }


_LOSS_COLUMNS = tuple(f"lost: {cause}" for cause in Loss)
_BOX_COLUMNS = tuple(f"box F1 at {threshold:.2f}" for threshold in IOU_THRESHOLDS)
_SUMMARY_COLUMNS = ("name", "value", "reason")
_PAIR_COLUMNS = (
    *("gold", "predicted", "score", "low", "high", "reason", "counted", "figures"),
    *_LOSS_COLUMNS,
    *_BOX_COLUMNS,
    "mean IoU",
    *("seeded score", "seeded figures", "unseeded score", "unseeded figures"),
    *("interval reason", "lost reason", "box reason", "seeded reason", "unseeded reason"),
)
_ANNOTATOR_COLUMNS = (
    *("annotator", "figures", "accepted", "subfigures", "as gold", "as predicted", "IAA without"),
    *("as gold reason", "as predicted reason", "IAA without reason"),
)
_FIGURE_COLUMNS = ("figure_id", "score", "counted", "lost most to", "reason")
_DRIFT_COLUMNS = (
    "by",
    "period",
    "first",
    "last",
    "figures",
    "counted",
    "IAA",
    "low",
    "high",
    "reason",
    "time reason",
)
_PHASE_COLUMNS = (
    *("scope", "phase", "annotators", "figures", "counted", "IAA", "low", "high"),
    *("against", "annotators there", "figures there", "counted there", "IAA there", "low there", "high there"),
    *("difference", "difference low", "difference high", "reason"),
    *("IAA reason", "interval reason", "IAA reason there", "interval reason there"),
)
_REPEAT_COLUMNS = (
    *("annotator", "phase", "against", "score", "low", "high", "counted", "figures", "seeded figures", "reason"),
)


def _pairs(report: Report) -> Iterable[Sequence[object]]:
    ranges = report.intervals
    every = zip(report.pairs, ranges.pairs, ranges.reasons, report.seeded.pairs, strict=True)
    for pair, interval, why_not, apart in every:
        low, high = _ends(interval)
        losses = mean_losses([pair])
        boxes = detailed(pair).detection
        plain = pair_record(pair, interval, why_not)
        yield (
            *(pair.gold, pair.predicted, pair.score, low, high, pair.reason, pair.counted, len(pair.figures)),
            *(None if losses is None else losses.get(cause, 0.0) for cause in Loss),
            *(boxes.f1(threshold) for threshold in IOU_THRESHOLDS),
            boxes.mean_iou(),
            *(apart.score, apart.figures, apart.unseeded_score, apart.unseeded_figures),
            *(plain["interval_reason"], plain["losses_reason"], plain["boxes"]["reason"]),
            *(apart.reason, apart.unseeded_reason),
        )


def _annotators(report: Report) -> Iterable[Sequence[object]]:
    for each in report.annotators:
        yield (
            *(each.name, each.figures, each.accepted, each.subfigures),
            *(each.as_gold, each.as_predicted, each.without),
            *(each.as_gold_reason, each.as_predicted_reason, each.without_reason),
        )


def _figures(report: Report) -> Iterable[Sequence[object]]:
    for each in report.figures:
        reason = NOTHING_COUNTS if each.score is None else "" if each.lost is not None else "nothing is lost"
        yield each.figure, each.score, each.counted, each.lost, reason


def _drift(report: Report) -> Iterable[Sequence[object]]:
    if report.drift is not None:
        for each in report.drift.periods:
            times = (None if moment is None else time_text(moment) for moment in (each.first, each.last))
            yield (
                *(report.drift.by.value, each.name, *times, each.figures, each.counted, each.iaa),
                *(*_ends(each.interval), each.reason or each.interval_reason),
                "" if each.first is not None else "no time is known",
            )


def _phases(report: Report) -> Iterable[Sequence[object]]:
    if report.other_phase is not None:
        for each in report.other_phase.contrasts:
            yield (
                *(each.scope.value, *_side(each.here), *_side(each.there)),
                *(each.difference, *_ends(each.interval), each.reason or each.interval_reason),
                *(why for side in (each.here, each.there) for why in (side.reason, side.interval_reason)),
            )


def _side(side: PhaseSide) -> Sequence[object]:
    names = " ".join(side.annotators)
    return (side.phase, names, side.figures, side.counted, side.iaa, *_ends(side.interval))


def _repeats(report: Report) -> Iterable[Sequence[object]]:
    for each in report.repeats:
        yield (
            *(each.annotator, *each.phases, each.score, *_ends(each.interval)),
            *(each.counted, each.figures, each.seeded, each.reason or each.interval_reason),
        )


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else interval


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return repr(value)
    return as_text(value) if isinstance(value, str) else value
