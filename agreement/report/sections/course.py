"""Parts of the work: over time, beside another phase, repeated, seeded, seen before, and corrected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agreement.report.blocks import Col, Columns, Format, Table, estimate, plain
from agreement.resampling.estimate import Estimate
from agreement.resampling.part_scores import PartScore
from agreement.trends.acquainted import Acquainted
from agreement.trends.corrected import Corrected
from agreement.trends.drift import Drift, Grouping, Period
from agreement.trends.phases import PhaseContrast, PhaseDifference, PhaseSide
from agreement.trends.repeats import SelfAgreement
from agreement.trends.seeding import Seeded, SeededPair


def part_estimate(part: PartScore) -> Estimate:
    """Return the agreement over a part of the work."""
    return Estimate(part.iaa, part.reason or part.interval_reason, part.interval)


def part_record(part: PartScore) -> dict[str, Any]:
    """Return the agreement over a part of the work as plain values for JSON."""
    return {
        "iaa": part.iaa,
        "reason": plain(part.reason),
        "interval": plain(part.interval),
        "interval_reason": plain(part.interval_reason),
    }


@dataclass(frozen=True, slots=True)
class PeriodRow:
    """A period. by: what periods are."""

    by: Grouping
    period: Period


def period_rows(drift: Drift | None) -> list[PeriodRow]:
    """Return the periods in their order; none if they were not requested."""
    return [] if drift is None else [PeriodRow(drift.by, period) for period in drift.periods]


PERIODS: Table[PeriodRow] = Table(
    (
        Col("", "by", lambda row: row.by, Format.DATA),
        Col("period", "period", lambda row: row.period.name, Format.NAME),
        Col("first", "first", lambda row: row.period.first, Format.DATA),
        Col("last", "last", lambda row: row.period.last, Format.DATA),
        Col("counted", "counted", lambda row: row.period.counted, Format.DATA),
        estimate("iaa", "IAA", lambda row: part_estimate(row.period), heads=("low", "high", "", "reason")),
        Col("figures", "figures", lambda row: row.period.figures),
        Col(
            *("", "time reason", lambda row: "" if row.period.first is not None else "no time is known"),
            Format.DATA,
        ),
    ),
    json=("period", "first", "last", "figures", "counted"),
    csv=("by", "period", "first", "last", "figures", "counted"),
    html=("period", "iaa", "95 % CI", "figures"),
)


def side_record(side: PhaseSide) -> dict[str, Any]:
    """Return one phase of a comparison as plain values for JSON."""
    people = list(side.annotators)
    counts = {"phase": side.phase, "annotators": people, "figures": side.figures, "counted": side.counted}
    return {**counts, **part_record(side)}


def _side(of: Callable[[PhaseContrast], PhaseSide], phase: str, suffix: str) -> Columns[PhaseContrast]:
    """Return a phase's columns of CSV. phase: the heading of its name; suffix: the end of all others."""
    return (
        Col("", phase, lambda row: of(row).phase, Format.DATA),
        Col("", f"annotators{suffix}", lambda row: " ".join(of(row).annotators), Format.DATA),
        Col("", f"figures{suffix}", lambda row: of(row).figures, Format.DATA),
        Col("", f"counted{suffix}", lambda row: of(row).counted, Format.DATA),
        estimate(
            *("", f"IAA{suffix}", lambda row: part_estimate(of(row))),
            keys=("", "", "", ""),
            heads=(f"low{suffix}", f"high{suffix}", f"IAA reason{suffix}", f"interval reason{suffix}"),
        ),
    )


CONTRASTS: Table[PhaseContrast] = Table(
    (
        Col("scope", "scope", lambda row: row.scope, Format.TEXT),
        *_side(lambda row: row.here, "phase", ""),
        *_side(lambda row: row.there, "against", " there"),
        estimate(
            *("difference", "difference"),
            lambda row: Estimate(row.difference, row.reason or row.interval_reason, row.interval, row.method),
            keys=("reason", "interval", "interval_method", "interval_reason"),
            heads=("difference low", "difference high", "", "reason"),
        ),
        Col("phase", "", lambda row: side_record(row.here), Format.DATA),
        Col("against", "", lambda row: side_record(row.there), Format.DATA),
    ),
    csv=(
        *("scope", "phase", "annotators", "figures", "counted", "IAA", "low", "high"),
        *("against", "annotators there", "figures there", "counted there", "IAA there", "low there", "high there"),
        *("difference", "difference low", "difference high", "reason", "IAA reason", "interval reason"),
    ),
)

REPEATS: Table[SelfAgreement] = Table(
    (
        Col("annotator", "annotator", lambda row: row.annotator, Format.NAME),
        estimate(
            *("score", "score"),
            lambda row: Estimate(row.score, row.reason or row.interval_reason, row.interval, row.method),
            keys=("reason", "interval", "interval_method", "interval_reason"),
            heads=("low", "high", "", "reason"),
        ),
        Col("counted", "counted", lambda row: row.counted),
        Col("figures", "figures", lambda row: row.figures),
        Col("figures_seeded", "seeded figures", lambda row: row.seeded, title="Seeded"),
        Col("phase", "phase", lambda row: row.phases[0], Format.DATA),
        Col("against", "against", lambda row: row.phases[1], Format.DATA),
        Col("", "phases", lambda row: row.phases, Format.NAME, filed=False),
    ),
    json=("annotator", "figures", "counted", "figures_seeded"),
    csv=("annotator", "phase", "against", "score", "low", "high", "counted", "figures", "seeded figures"),
    text=("annotator", "phases", "score", "95 % CI", "counted", "figures"),
    html=("annotator", "score", "95 % CI", "drawn", "figures", "figures_seeded"),
    title="self-agreement",
)

_UNSEEDED = ("score_unseeded_reason", "interval_unseeded", "", "interval_unseeded_reason")
_NO_HEADS = ("", "", "", "")
SEEDED_PAIRS: Table[SeededPair] = Table(
    (
        Col("gold", "gold", lambda row: row.gold, Format.NAME),
        Col("predicted", "predicted", lambda row: row.predicted, Format.NAME),
        estimate("score", "seeded", lambda row: part_estimate(row.seeded), heads=_NO_HEADS),
        Col("figures", "figures", lambda row: row.seeded.figures),
        Col("counted", "", lambda row: row.seeded.counted, Format.DATA),
        estimate(
            *("score_unseeded", "elsewhere", lambda row: part_estimate(row.unseeded)),
            keys=_UNSEEDED,
            heads=_NO_HEADS,
            width=11,
        ),
        Col("figures_unseeded", "figures", lambda row: row.unseeded.figures),
        Col("counted_unseeded", "", lambda row: row.unseeded.counted, Format.DATA),
    ),
    json=(
        *("gold", "predicted", "figures", "counted", "score", "reason", "interval", "interval_reason"),
        *("figures_unseeded", "counted_unseeded"),
    ),
    text=("gold", "predicted", "score", "figures", "score_unseeded", "figures_unseeded"),
    title="gold",
)


def seeded_record(seeded: Seeded) -> dict[str, Any]:
    """Return the agreement of work that began from a prediction, and of the rest, as plain values for JSON."""
    rest = seeded.unseeded
    return {
        "annotations": seeded.annotations,
        "of": seeded.of,
        "figures": seeded.seeded.figures,
        "figures_unseeded": rest.figures,
        **part_record(seeded.seeded),
        "iaa_unseeded": rest.iaa,
        "iaa_unseeded_reason": plain(rest.reason),
        "interval_unseeded": plain(rest.interval),
        "interval_unseeded_reason": plain(rest.interval_reason),
        "pairs": SEEDED_PAIRS.records(seeded.pairs),
    }


def acquainted_record(found: Acquainted) -> dict[str, Any]:
    """Return the agreement on figures that an annotator knew before as plain values for JSON."""
    return {
        "figures": found.before.figures,
        "iaa": found.before.iaa,
        "reason": plain(found.before.reason),
        "new_figures": found.new.figures,
        "new_iaa": found.new.iaa,
        "new_iaa_reason": plain(found.new.reason),
        "new_interval": plain(found.new.interval),
        "new_interval_reason": plain(found.new.interval_reason),
        "annotators": [
            {"annotator": person.annotator, "figures": person.figures, "of": person.of} for person in found.people
        ],
    }


def corrected_record(found: Corrected) -> dict[str, Any]:
    """Return the agreement with work that was corrected later as plain values for JSON."""
    counts = {"annotations": found.annotations, "sent_back": found.sent_back}
    return {**counts, "iaa": found.iaa, "reason": plain(found.reason)}


def phases_record(found: PhaseDifference) -> dict[str, Any]:
    """Return the comparison of two phases as plain values for JSON."""
    return {
        "phase": found.here,
        "against": found.there,
        "figures_in_both": found.shared,
        "figures_changed": list(found.changed),
        "annotators": {
            "both": list(found.annotators),
            "phase_only": list(found.only_here),
            "against_only": list(found.only_there),
        },
        "comparisons": CONTRASTS.records(found.contrasts),
    }


def drift_record(drift: Drift) -> dict[str, Any]:
    """Return the agreement over time as plain values for JSON."""
    trend = drift.trend
    return {
        "by": drift.by.value,
        "reason": plain(drift.reason),
        "interval_method": plain(drift.method),
        "figures_without_period": list(drift.unplaced),
        "periods": PERIODS.records(period_rows(drift)),
        "trend": {"slope": trend.slope, "interval": plain(trend.interval), "reason": plain(trend.reason)},
    }
