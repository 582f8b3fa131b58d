"""Further parts of a report's text: course over time, another phase, repeated work, seeded work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor

from agreement.report.sections.course import REPEATS, SEEDED_PAIRS
from agreement.report.summary import MOST_LISTED
from agreement.report.text.names import ShortNames, columns, padded
from agreement.report.text.parts import (
    NAME,
    indented,
    interval_text,
    named_lines,
    reasons_lines,
    score_text,
    table_lines,
)
from agreement.resampling.bootstrap import Interval
from agreement.resampling.part_scores import PartScore
from agreement.trends.acquainted import Acquainted
from agreement.trends.corrected import UNKNOWN_HISTORY, Corrected
from agreement.trends.drift import Drift, Grouping, Period
from agreement.trends.phases import PhaseContrast, PhaseDifference, PhaseSide, Scope
from agreement.trends.repeats import SelfAgreement
from agreement.trends.seeding import Seeded
from panelwise.runtime import counted

#: Columns of the names of periods and phases, and of the strip that shows intervals side by side.
_WIDE = 20
_STRIP = 15
#: Columns of the name of a period and of a phase; of two phases and what stands beside them there is more to tell.
PERIOD, PHASE = _WIDE - 2, 11

_TITLES = {Grouping.WEEK: "by week", Grouping.BATCH: "by batch", Grouping.PART: "in order of work"}
_STEPS = {Grouping.WEEK: "a week", Grouping.BATCH: "a batch", Grouping.PART: "a part"}


def drift_lines(drift: Drift, periods: ShortNames) -> Iterable[str]:
    """Yield a line per period, with its interval drawn to scale, and the trend."""
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
    yield f"{title:{_WIDE}} {'figures':>7} {'counted':>7} {'IAA':>8}  {'95 % CI':16}  {scale}"
    for period in drift.periods:
        strip = _strip(period, low, high) if high > low else ""
        yield (
            f"  {periods.cell(period.name)} {period.figures:7} {period.counted:7} {score_text(period.iaa)}  "
            f"{interval_text(period.interval):16}  {strip}"
        )
    yield from reasons_lines(period.reason or period.interval_reason for period in drift.periods)
    trend = drift.trend
    if trend.slope is not None:
        step = _STEPS[drift.by]
        yield f"  trend {trend.slope:+.4f} {step}, {_signed(trend.interval)}{_judged(trend.interval)}" + (
            f" ({trend.reason})" if trend.reason else ""
        )
    elif len(drift.periods) > 1:
        yield f"  trend - ({trend.reason})"
    yield from named_lines("scored figures of no period", drift.unplaced)


def phases_lines(found: PhaseDifference, phases: ShortNames) -> Iterable[str]:
    """Yield the three comparisons of two phases, and their common annotators and figures."""
    here, there = (phases.short(phase) or "-" for phase in (found.here, found.there))
    title = f"phase {here} beside {there}"
    sides = [_side_title(side, phases) for each in found.contrasts for side in (each.here, each.there)]
    wide = max(_WIDE, *map(columns, (title, *sides)))
    yield f"{padded(title, wide)} {'figures':>7} {'counted':>7} {'IAA':>8}  {'95 % CI':16}"
    for contrast in found.contrasts:
        yield from _contrast(contrast, f"  {here} minus {there}", phases, wide)
        if contrast.scope is Scope.ALL and found.shared:
            yield from indented(_in_both(found))
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
    yield from named_lines(
        "figures left out: scored in both phases, on another caption, tokens or size", found.changed
    )


def _in_both(found: PhaseDifference) -> str:
    """Return the figures on which the later comparisons are made."""
    said = f"{counted(found.shared, 'figure')} scored in both phases"
    if found.changed:
        said += f"; {len(found.changed)} of them on another caption, tokens or size, left out below"
    return said


def _contrast(contrast: PhaseContrast, title: str, phases: ShortNames, wide: int) -> Iterable[str]:
    yield f"{contrast.scope}:"
    for side in (contrast.here, contrast.there):
        yield from _side(side, phases, wide)
    if contrast.difference is None:
        return  # A side without an IAA has said why.
    yield (
        f"{padded(title, _WIDE + 16)} {contrast.difference:+.6f} {_signed(contrast.interval)}"
        f"{_judged(contrast.interval)}"
    )
    if contrast.interval_reason:
        yield f"  -: {contrast.interval_reason}"


def _side_title(side: PhaseSide, phases: ShortNames) -> str:
    return f"  {phases.short(side.phase) or '-'} ({counted(len(side.annotators), 'annotator')})"


def _side(side: PhaseSide, phases: ShortNames, wide: int) -> Iterable[str]:
    yield (
        f"{padded(_side_title(side, phases), wide)} {side.figures:7} {side.counted:7} {score_text(side.iaa)}  "
        f"{interval_text(side.interval)}"
    )
    if side.reason:
        yield from indented(f"-: {side.reason}")


def repeats_lines(repeats: Sequence[SelfAgreement], names: ShortNames, phases: ShortNames) -> Iterable[str]:
    """Yield each annotator's agreement with themselves; one line if there is no repeated work."""
    reasons = {each.reason for each in repeats}
    if all(each.score is None for each in repeats) and len(reasons) == 1:
        yield f"self-agreement     {score_text(None)}   ({reasons.pop()})"
        return
    yield from table_lines(REPEATS, repeats, names, cells={"phases": lambda each: _both_times(each, phases)})
    if seeded := sum(each.seeded for each in repeats):
        done = counted(sum(each.figures for each in repeats), "repeat")
        yield from indented(
            f"in {seeded} of these {done} (one annotator's two annotations of a figure) one of the two, or both, "
            "began from a prediction"
        )


def _both_times(each: SelfAgreement, phases: ShortNames) -> str:
    """Return the two phases; only the second if both are too long, as the title has the first."""
    one, other = map(phases.short, each.phases)
    both = " and ".join(filter(None, (one, other)))
    return both if columns(both) <= NAME else f"and {other}"


def seeded_lines(seeded: Seeded, names: ShortNames) -> Iterable[str]:
    """Yield the number of seeded annotations, and the agreement with and without seeding, overall and by pair."""
    began = seeded.annotations or "none"
    yield f"seeded             {began} of {counted(seeded.of, 'annotation')} began from a prediction"
    if not seeded.annotations:
        return
    yield _part("IAA where seeded", seeded.seeded)
    yield _part("IAA elsewhere", seeded.unseeded)
    effect = seeded.effect
    if effect.value is not None:
        ends = interval_text(effect.interval) if effect.interval else f"({effect.reason})"
        yield f"  {'effect':16} {effect.value:+.6f}  {ends}, both seeded less one seeded"
        yield f"  {'':16} of {counted(seeded.figures_both, 'figure')} and {seeded.figures_one}"
    if seeded.seeded.figures and seeded.unseeded.figures and len(seeded.pairs) <= MOST_LISTED:
        yield from (f"  {line}" for line in table_lines(SEEDED_PAIRS, seeded.pairs, names))


def _range(periods: Sequence[Period]) -> Interval:
    """Return the range of the strips: whole hundredths around all IAAs and intervals."""
    values = [value for each in periods for value in (each.iaa, *(each.interval or ())) if value is not None]
    if not values:
        return 0.0, 0.0
    return floor(100 * min(values)) / 100, ceil(100 * max(values)) / 100


def _strip(period: Period, low: float, high: float) -> str:
    """Return the interval to scale, with "o" at the IAA."""
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
    """Explain the interval in words."""
    if interval is None:
        return ""
    return "; could be 0" if interval[0] <= 0.0 <= interval[1] else "; not 0"


def acquainted_lines(found: Acquainted | None, names: ShortNames) -> Iterable[str]:
    """Yield who knew figures before, and the agreement on figures new to both."""
    if found is None:
        return
    for each in found.people:
        yield f"seen before        {names.short(each.annotator)}: {each.figures} of {counted(each.of, 'figure')}"
    yield _part("IAA where seen", found.before)
    yield _part("IAA elsewhere", found.new)


def corrected_lines(found: Corrected | None) -> Iterable[str]:
    """Yield how much work was corrected after others' work was seen, which is not what the IAA is of."""
    if found is None:
        yield f"corrected          unknown: {UNKNOWN_HISTORY}"
    elif found.annotations:
        changed = counted(found.annotations, "annotation")
        yield f"corrected          {changed} after a hint ({found.sent_back} sent back), not counted"
        yield f"  IAA corrected    {score_text(found.iaa)}{f'   ({found.reason})' if found.reason else ''}"


def _part(title: str, part: PartScore) -> str:
    said = f"{interval_text(part.interval):16}  {counted(part.figures, 'figure')}"
    return f"  {title:16} {score_text(part.iaa)}   {f'({part.reason})' if part.reason else said}"
