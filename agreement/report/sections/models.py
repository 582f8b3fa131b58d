"""Models or people compared to one gold: the ranking, differences, the human ceiling, and other thresholds."""

from __future__ import annotations

from typing import Any

from agreement.models.average_precision import AveragePrecision
from agreement.models.ceiling import Ceiling, Gap
from agreement.models.ranking import Difference, Ranked
from agreement.models.sweep import ConfidencePoint
from agreement.report.blocks import Col, Format, Table, estimate, plain
from agreement.resampling.estimate import Estimate

#: Keys and headings of an estimate whose interval has no reason of its own.
_KEYS, _HEADS = ("reason", "interval", "", ""), ("", "", "", "")


def _score(row: Ranked) -> Estimate:
    return Estimate(row.score, row.reason, row.interval)


RANKING: Table[Ranked] = Table(
    (
        Col("rank", "rank", lambda row: row.rank, width=4),
        Col("predicted", "name", lambda row: row.name, Format.NAME),
        estimate("score", "score", _score, keys=_KEYS, heads=_HEADS),
        Col("counted", "panels counted", lambda row: row.counted, brief="counted", width=8),
        Col("own_score", "own score", lambda row: Estimate(row.own_score, row.reason), Format.SCORE, width=10),
        Col("own_counted", "", lambda row: row.own_counted, Format.DATA),
        Col("figures", "", lambda row: row.figures, Format.DATA),
        Col("gold_figures", "", lambda row: row.of, Format.DATA),
        Col("", "own figures", lambda row: f"{row.figures}/{row.of}", brief="figures", width=11, filed=False),
    ),
    text=("rank", "predicted", "score", "95 % CI", "counted", "own figures", "own_score"),
    html=("rank", "predicted", "score", "95 % CI", "drawn", "counted", "own_score", "own figures"),
    title="rank",
    by_row=True,
)


def _certain(row: Difference) -> str | None:
    return None if row.joint is None else "yes" if row.certain else "no"


def _drawn(row: Difference, share: float | None) -> Estimate:
    """Return a share of the resamples, which is undefined where the interval is."""
    return Estimate(share, row.reason if row.difference is None else f"no interval: {row.reason}")


DIFFERENCES: Table[Difference] = Table(
    (
        Col("first", "first", lambda row: row.first, Format.NAME),
        Col("second", "second", lambda row: row.second, Format.NAME, brief=" "),
        estimate(
            *("difference", "difference", lambda row: Estimate(row.difference, row.reason, row.interval)),
            brief="score",
            width=10,
            keys=_KEYS,
            heads=_HEADS,
            signed=True,
        ),
        Col(
            *("joint_interval", "joint interval", lambda row: Estimate(row.difference, row.reason, row.joint)),
            Format.INTERVAL,
            signed=True,
        ),
        Col("", "certain", _certain, title="Certain?", filed=False),
        Col("flipped", "flips", lambda row: _drawn(row, row.flipped), Format.PERCENT, width=7),
        Col("tied", "ties", lambda row: _drawn(row, row.tied), Format.PERCENT),
        Col("figures", "figures", lambda row: row.figures, width=8),
        Col("counted", "", lambda row: row.counted, Format.DATA),
    ),
    text=("first", "second", "difference", "95 % CI", "flipped", "figures"),
    html=("first", "second", "difference", "95 % CI", "joint_interval", "certain", "flipped", "tied", "figures"),
    title="difference",
)

GAPS: Table[Gap] = Table(
    (
        Col("predicted", "name", lambda row: row.name, Format.NAME),
        Col("people", "annotators", lambda row: Estimate(row.people, row.reason), Format.SCORE, brief="people"),
        Col("score", "score", lambda row: Estimate(row.score, row.reason), Format.SCORE),
        estimate(
            *("gap", "gap", lambda row: Estimate(row.gap, row.reason, row.interval)),
            keys=_KEYS,
            heads=_HEADS,
            width=10,
            signed=True,
        ),
        Col("figures", "figures", lambda row: row.figures),
    ),
    json=("predicted", "figures", "people", "score", "gap", "interval"),
    text=("predicted", "people", "score", "gap", "95 % CI", "figures"),
    html=("predicted", "people", "score", "gap", "95 % CI", "figures"),
    title="predicted",
    by_row=True,
)


def ceiling_record(ceiling: Ceiling | None) -> dict[str, Any] | None:
    """Return the human ceiling as plain values for JSON; None without people."""
    if ceiling is None:
        return None
    gaps = GAPS.records(ceiling.gaps)
    return {"people": list(ceiling.people), "method": plain(ceiling.method), "unit": ceiling.unit, "gaps": gaps}


POINTS: Table[ConfidencePoint] = Table(
    (
        Col("threshold", "from", lambda row: row.threshold, Format.SCORE),
        Col("kept", "boxes", lambda row: row.boxes, width=7),
        Col(
            "precision", "precision", lambda row: Estimate(row.precision, "no box is kept"), Format.SCORE, width=11
        ),
        Col("recall", "recall", lambda row: Estimate(row.recall, "no gold box"), Format.SCORE),
        Col("f1", "F1", lambda row: Estimate(row.f1, "no box on either side"), Format.SCORE),
        Col("score", "score", lambda row: Estimate(row.score, "no gold subfigure counts"), Format.SCORE, width=10),
        Col("", "kept from", lambda row: f"{row.threshold:.4f}", Format.TEXT, width=16, filed=False),
    ),
    text=("kept from", "kept", "precision", "recall", "f1", "score"),
    html=("threshold", "kept", "score", "precision", "recall", "f1"),
    title="kept from score",
)


def best_record(best: ConfidencePoint | None) -> dict[str, Any] | None:
    """Return the threshold with the best score as plain values for JSON; None without any."""
    if best is None:
        return None
    return {"threshold": best.threshold, "kept": best.boxes, "f1": best.f1, "score": best.score}


def precision_record(found: AveragePrecision) -> dict[str, Any]:
    """Return COCO's average precision as plain values for JSON."""
    return {
        "ap": found.ap,
        "ap50": found.ap50,
        "ap75": found.ap75,
        "ar": found.ar,
        "reason": plain(found.reason),
        "figures": found.figures,
        "gold": found.gold,
        "predicted": found.predicted,
        "gold_without_area": found.without_area,
    }
