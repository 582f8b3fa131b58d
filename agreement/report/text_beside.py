"""What a report's text tells beside the headline: its course over time, another phase, repeats, seeded work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor

from agreement.metrics.bootstrap import Interval
from agreement.metrics.drift import Drift, Grouping, Period
from agreement.metrics.phases import PhaseContrast, PhaseDifference, PhaseSide
from agreement.metrics.repeats import SelfAgreement
from agreement.metrics.seeding import Seeded, SeededPair
from agreement.report.text_parts import NAME, indented, interval_text, name_text, named_lines, score_text
from annotator.domain.counting import counted

#: Columns of the names of periods and phases, and of the strip that shows intervals side by side.
_WIDE = 20
_STRIP = 15

_TITLES = {Grouping.WEEK: "by week", Grouping.BATCH: "by batch", Grouping.PART: "in order of work"}
_STEPS = {Grouping.WEEK: "a week", Grouping.BATCH: "a batch", Grouping.PART: "a part"}


def drift_lines(drift: Drift) -> Iterable[str]:
    """A line for each period, with its interval drawn to scale, and the trend."""
    title = _TITLES[drift.by]
    if not drift.periods:
        yield f"{title:18} {score_text(None)}   ({drift.reason})"
        return
    if len(drift.periods) == 1 and not drift.unplaced:
        (only,) = drift.periods
        yield f"{title:18} all in {only.name}"
        return
    low, high = _range(drift.periods)
    scale = f"{low:<{_STRIP - 4}.2f}{high:4.2f}" if high > low else ""
    yield f"{title:{_WIDE}} {'figures':>7} {'counted':>7} {'IAA':>8}  {'95% interval':16}  {scale}"
    for period in drift.periods:
        strip = _strip(period, low, high) if high > low else ""
        yield (
            f"{_shortened('  ' + period.name)} {period.figures:7} {period.counted:7} {score_text(period.iaa)}  "
            f"{interval_text(period.interval):16}  {strip}"
        )
    yield from _reasons(period.reason or period.interval_reason for period in drift.periods)
    trend = drift.trend
    if trend.slope is not None:
        step = _STEPS[drift.by]
        yield f"  trend {trend.slope:+.4f} {step}, {_signed(trend.interval)}{_judged(trend.interval)}" + (
            f" ({trend.reason})" if trend.reason else ""
        )
    elif len(drift.periods) > 1:
        yield f"  trend - ({trend.reason})"
    yield from named_lines("scored figures of no period", drift.unplaced)


def phases_lines(found: PhaseDifference) -> Iterable[str]:
    """The three comparisons of two phases, and who and what is in both."""
    title = f"phase {found.here or '-'} beside {found.there}"
    yield f"{_shortened(title)} {'figures':>7} {'counted':>7} {'IAA':>8}  {'95% interval':16}"
    for contrast in found.contrasts:
        yield from _contrast(contrast, f"  {found.here} minus {found.there}")
    names = [
        f"{', '.join(people)} in {where}"
        for people, where in (
            (found.annotators, "both"),
            (found.only_here, f"{found.here} alone"),
            (found.only_there, f"{found.there} alone"),
        )
        if people
    ]
    yield from indented(f"annotators: {'; '.join(names) or 'none'}")
    yield from named_lines("figures whose caption, tokens or image size differ between the phases", found.changed)


def _contrast(contrast: PhaseContrast, title: str) -> Iterable[str]:
    yield f"{contrast.scope}:"
    for side in (contrast.here, contrast.there):
        yield from _side(side)
    if contrast.difference is None:
        return  # A side without an IAA has said why.
    yield (
        f"{_shortened(title):{_WIDE + 16}} {contrast.difference:+.6f}".ljust(_WIDE + 26)
        + f" {_signed(contrast.interval)}{_judged(contrast.interval)}"
    )
    if contrast.interval_reason:
        yield f"  -: {contrast.interval_reason}"


def _side(side: PhaseSide) -> Iterable[str]:
    people = f"  {side.phase or '-'} ({counted(len(side.annotators), 'annotator')})"
    yield (
        f"{_shortened(people)} {side.figures:7} {side.counted:7} {score_text(side.iaa)}  "
        f"{interval_text(side.interval)}"
    )
    if side.reason:
        yield from indented(f"-: {side.reason}")


def repeats_lines(repeats: Sequence[SelfAgreement]) -> Iterable[str]:
    """Each annotator against themselves; one line where nobody did anything twice."""
    reasons = {each.reason for each in repeats}
    if all(each.score is None for each in repeats) and len(reasons) == 1:
        yield f"self-agreement     {score_text(None)}   ({reasons.pop()})"
        return
    yield (
        f"{'self-agreement':{NAME}} {'phases':{NAME}} {'score':>8}  {'95% interval':16} "
        f"{'counted':>8} {'figures':>8}"
    )
    for each in repeats:
        phases = " and ".join(phase for phase in each.phases if phase)
        yield (
            f"{name_text(each.annotator)} {name_text(phases)} {score_text(each.score)}  "
            f"{interval_text(each.interval):16} {each.counted:8} {each.figures:8}"
        )
    yield from _reasons(each.reason or each.interval_reason for each in repeats)
    if seeded := sum(each.seeded for each in repeats):
        yield f"  on {counted(seeded, 'figure')} of these one of the two began from a prediction"


def seeded_lines(seeded: Seeded) -> Iterable[str]:
    """How many began from a prediction; agreement with and without, over all and of each pair, where some did."""
    yield f"seeded             {seeded.annotations} of {counted(seeded.of, 'annotation')} began from a prediction"
    if not seeded.annotations:
        return
    for name, iaa, interval, figures, reason in (
        ("IAA where seeded", seeded.iaa, seeded.interval, seeded.figures, seeded.reason),
        (
            "IAA elsewhere",
            seeded.unseeded_iaa,
            seeded.unseeded_interval,
            seeded.unseeded_figures,
            seeded.unseeded_reason,
        ),
    ):
        of = f"({reason})" if reason else f"{interval_text(interval):16}  {counted(figures, 'figure')}"
        yield f"  {name:16} {score_text(iaa)}   {of}"
    if seeded.figures and seeded.unseeded_figures:
        yield (
            f"  {'gold':{NAME}} {'predicted':{NAME}} {'seeded':>8} {'figures':>8} {'elsewhere':>10} {'figures':>8}"
        )
        yield from map(_seeded_pair, seeded.pairs)


def _seeded_pair(pair: SeededPair) -> str:
    return (
        f"  {name_text(pair.gold)} {name_text(pair.predicted)} {score_text(pair.score)} {pair.figures:8} "
        f"{score_text(pair.unseeded_score):>10} {pair.unseeded_figures:8}"
    )


def _shortened(name: str) -> str:
    """The name in `_WIDE` columns, its middle left out where it is longer."""
    if len(name) > _WIDE:
        name = f"{name[: _WIDE - 8]}~{name[-7:]}"
    return f"{name:{_WIDE}}"


def _range(periods: Sequence[Period]) -> Interval:
    """What the strips reach over: whole hundredths around all IAAs and intervals."""
    values = [value for each in periods for value in (each.iaa, *(each.interval or ())) if value is not None]
    if not values:
        return 0.0, 0.0
    return floor(100 * min(values)) / 100, ceil(100 * max(values)) / 100


def _strip(period: Period, low: float, high: float) -> str:
    """The interval to scale, "o" where the IAA is."""
    if period.iaa is None:
        return ""

    def place(value: float) -> int:
        return max(0, min(_STRIP - 1, round((value - low) / (high - low) * (_STRIP - 1))))

    cells = [" "] * _STRIP
    if period.interval is not None:
        start, end = map(place, period.interval)
        cells[start : end + 1] = "-" * (end + 1 - start)
    cells[place(period.iaa)] = "o"
    return "".join(cells)


def _signed(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval[0]:+.4f} to {interval[1]:+.4f}"


def _judged(interval: Interval | None) -> str:
    """In words, for who is no statistician."""
    if interval is None:
        return ""
    return "; could be 0" if interval[0] <= 0.0 <= interval[1] else "; not 0"


def _reasons(reasons: Iterable[str]) -> Iterable[str]:
    for reason in sorted({each for each in reasons if each}):
        yield from indented(f"-: {reason}")
