"""Parts of the work: over time, beside another phase, repeated, seeded, seen before, and corrected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agreement.report.blocks import Col, Columns, Format, Row, Table, estimate
from agreement.resampling.estimate import Estimate
from agreement.resampling.part_scores import PartScore
from agreement.trends.acquainted import Acquainted, Person
from agreement.trends.corrected import Corrected
from agreement.trends.drift import Drift, Grouping, Period
from agreement.trends.phases import PhaseContrast, PhaseDifference, PhaseSide
from agreement.trends.repeats import SelfAgreement
from agreement.trends.seeding import Seeded, SeededPair


def part_estimate(part: PartScore) -> Estimate:
    """Return the agreement over a part of the work."""
    return Estimate(part.iaa, part.reason or part.interval_reason, part.interval)


def _part(
    value: Callable[[Row], PartScore],
    key: str,
    head: str,
    *,
    title: str = "",
    keys: tuple[str, str, str, str] = ("reason", "interval", "", "interval_reason"),
) -> tuple[Col[Row], ...]:
    """Return the columns of the agreement over a part of the work, whose CSV has no columns of reasons."""
    heads = (f"{head} low", f"{head} high", "", "")
    return estimate(key, head, lambda row: part_estimate(value(row)), title=title, keys=keys, heads=heads)


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


SIDE: Table[PhaseSide] = Table(
    (
        Col("phase", "", lambda row: row.phase),
        Col("annotators", "", lambda row: row.annotators),
        Col("figures", "", lambda row: row.figures),
        Col("counted", "", lambda row: row.counted),
        _part(lambda row: row, "iaa", "IAA"),
    )
)


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
        Col("phase", "", lambda row: SIDE.record(row.here), Format.DATA),
        Col("against", "", lambda row: SIDE.record(row.there), Format.DATA),
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


SEEDED: Table[Seeded] = Table(
    (
        Col("annotations", "annotations seeded", lambda row: row.annotations),
        Col("of", "", lambda row: row.of),
        Col("figures", "figures seeded", lambda row: row.seeded.figures),
        _part(lambda row: row.seeded, "iaa", "IAA seeded"),
        Col("figures_unseeded", "figures unseeded", lambda row: row.unseeded.figures),
        _part(
            lambda row: row.unseeded,
            *("iaa_unseeded", "IAA unseeded"),
            keys=("iaa_unseeded_reason", "interval_unseeded", "", "interval_unseeded_reason"),
        ),
        estimate(
            *("effect", "effect of pre-labels", lambda row: row.effect),
            keys=("effect_reason", "effect_interval", "", "effect_interval_reason"),
            heads=("effect of pre-labels low", "effect of pre-labels high", "", ""),
            title="Effect of pre-labels on IAA",
            signed=True,
        ),
        Col("figures_both", "figures seeded for both", lambda row: row.figures_both),
        Col("figures_one", "figures seeded for one", lambda row: row.figures_one),
        Col("pairs", "", lambda row: SEEDED_PAIRS.records(row.pairs)),
    ),
    json=("annotations", "of", "figures", "figures_unseeded"),
    latex=("effect",),
)

KNEW: Table[Person] = Table(
    (
        Col("annotator", "", lambda row: row.annotator),
        Col("figures", "", lambda row: row.figures),
        Col("of", "", lambda row: row.of),
    )
)
ACQUAINTED: Table[Acquainted] = Table(
    (
        Col("figures", "figures scored where seen", lambda row: row.before.figures),
        Col(
            *("iaa", "IAA where seen", lambda row: Estimate.alone(row.before.iaa, row.before.reason)),
            title="IAA where an annotator knew the figure",
        ),
        Col("reason", "", lambda row: row.before.reason),
        Col("new_figures", "figures scored elsewhere", lambda row: row.new.figures),
        _part(
            lambda row: row.new,
            *("new_iaa", "IAA elsewhere"),
            keys=("new_iaa_reason", "new_interval", "", "new_interval_reason"),
        ),
        Col("annotators", "", lambda row: KNEW.records(row.people)),
    ),
    latex=("iaa", "new_iaa"),
)
CORRECTED: Table[Corrected] = Table(
    (
        Col("annotations", "annotations corrected", lambda row: row.annotations),
        Col("sent_back", "annotations sent back", lambda row: row.sent_back),
        Col(
            *("iaa", "IAA with corrections", lambda row: Estimate.alone(row.iaa, row.reason)),
            title="IAA with work corrected later",
        ),
        Col("reason", "", lambda row: row.reason),
    ),
    latex=("iaa",),
)
PHASES: Table[PhaseDifference] = Table(
    (
        Col("phase", "", lambda row: row.here),
        Col("against", "against phase", lambda row: row.there),
        Col("figures_in_both", "figures scored in both phases", lambda row: row.shared),
        Col("figures_changed", "", lambda row: row.changed),
        Col("", "of these on another caption, tokens or size", lambda row: len(row.changed)),
        Col(
            *("annotators", ""),
            lambda row: {"both": row.annotators, "phase_only": row.only_here, "against_only": row.only_there},
        ),
        Col("comparisons", "", lambda row: CONTRASTS.records(row.contrasts)),
    )
)
DRIFT: Table[Drift] = Table(
    (
        Col("by", "drift by", lambda row: row.by),
        Col("reason", "", lambda row: row.reason),
        Col("interval_method", "", lambda row: row.method),
        estimate(
            *("", "trend", lambda row: Estimate(row.trend.slope, row.trend.reason, row.trend.interval)),
            keys=_NO_HEADS,
            heads=("trend low", "trend high", "", ""),
        ),
        Col("figures_without_period", "", lambda row: row.unplaced),
        Col("", "figures of no period", lambda row: len(row.unplaced)),
        Col("periods", "", lambda row: PERIODS.records(period_rows(row))),
        Col(
            *("trend", ""),
            lambda row: {"slope": row.trend.slope, "interval": row.trend.interval, "reason": row.trend.reason},
        ),
    )
)
