"""Reports as text, within 80 columns. Six decimals: enough to compare two reports by eye."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agreement.chance.categories import CategoryScore, TokenAlpha
from agreement.chance.panel_agreement import PanelAgreement
from agreement.pairs.figure_scores import FigureMean, worst_first
from agreement.report.summary import PersonScore, Report, StatusScore
from agreement.report.text.context import (
    PERIOD,
    PHASE,
    acquainted_lines,
    drift_lines,
    phases_lines,
    repeats_lines,
    seeded_lines,
)
from agreement.report.text.items import items_lines
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import (
    MEAN_OF_MEANS,
    NAME,
    NOTHING_COUNTS,
    boxes_lines,
    head,
    indented,
    interval_line,
    joined,
    left_out_text,
    legend_lines,
    loss_table,
    pair_table,
    passed_lines,
    score_text,
    superseded_lines,
)
from panelwise.runtime.plurals import counted

#: Figures named as the worst, and the columns of their ids.
WORST, FIGURE = 5, 2 * NAME + 1


def report_text(report: Report) -> str:
    """Return a report as text, with a final newline."""
    counts, names = report.counts, ShortNames(_names(report), NAME)
    worst = worst_first(report.figures)
    figures = ShortNames((each.figure for each in worst[:WORST]), FIGURE)
    phases = ShortNames(_phases(report), PHASE)
    periods = ShortNames((each.name for each in report.drift.periods) if report.drift else (), PERIOD)
    nothing = "" if report.pooled is not None else f"({NOTHING_COUNTS})"
    if report.items is not None and not counts.subfigures:
        return joined(_items_alone(report, names))
    lines = [
        *head("Agreement between annotators", report.settings, report.phase),
        "",
        f"IAA                {score_text(report.iaa)}" + (f"   ({report.reason})" if report.reason else ""),
        f"  95% interval     {interval_line(report.intervals.iaa, report.intervals, report.settings)}",
        f"  pooled           {score_text(report.pooled)}   {nothing or 'over all gold subfigures of all pairs'}",
        f"  per figure       {score_text(report.macro)}   {nothing or MEAN_OF_MEANS}",
    ]
    lines += [*loss_table(report.losses), *boxes_lines(report.boxes)]
    if report.pairs:
        lines += ["", *pair_table(report.pairs, report.intervals, names)]
    if report.annotators:
        lines += ["", *_person_table(report.annotators, names)]
    if report.statuses:
        lines += ["", *_status_table(report.statuses, names)]
        lines += ["", *_category_table(report.categories), "", *_panels(report.panels), *_tokens(report.tokens)]
    lines += items_lines(report.items, names)
    if report.drift is not None:
        lines += ["", *drift_lines(report.drift, periods)]
    if report.other_phase is not None:
        lines += ["", *phases_lines(report.other_phase, phases)]
    if report.repeats:
        lines += ["", *repeats_lines(report.repeats, names, phases)]
    lines += _worst_table(worst, figures)
    lines += [
        "",
        f"annotations        {counts.annotations}, of {counted(counts.figures, 'figure')}: "
        f"{counts.shared} by two or more, {counts.scored} scored",
        f"subfigures drawn   {counts.subfigures}",
        f"gold left out      {left_out_text(counts.left_out)}",
        *passed_lines(counts.passed),
        *seeded_lines(report.seeded, names),
        *acquainted_lines(report.acquainted, names),
    ]
    lines += superseded_lines(counts.superseded)
    lines += legend_lines((names, ""), (phases, " of phases"), (periods, " of batches"), (figures, " of figures"))
    return joined(lines)


def _items_alone(report: Report, names: ShortNames) -> list[str]:
    """Return the lines of a report without subfigures, in which boxes and captions play no part."""
    counts = report.counts
    of_phase = f", phase {report.phase}" if report.phase is not None else ""
    lines = [f"Agreement between annotators{of_phase}", *items_lines(report.items, names)]
    if report.statuses:
        lines += ["", *_status_table(report.statuses, names)]
    lines += [
        "",
        f"annotations        {counts.annotations}, of {counted(counts.figures, 'figure')}: "
        f"{counts.shared} by two or more",
        *superseded_lines(counts.superseded),
        # One annotator alone stands in no table.
        *(legend_lines((names, "")) if len(report.annotators) > 1 else ()),
    ]
    return lines


def _names(report: Report) -> Iterable[str]:
    """Yield all names in the tables."""
    yield from (each.name for each in report.annotators)
    yield from (each.annotator for each in report.repeats)


def _phases(report: Report) -> Iterable[str]:
    if report.other_phase is not None:
        yield from (report.other_phase.here, report.other_phase.there)
    yield from (phase for each in report.repeats for phase in each.phases)


def _person_table(people: Sequence[PersonScore], names: ShortNames) -> Iterable[str]:
    yield (
        f"{'annotator':{NAME}} {'as gold':>8}  {'as predicted':>12}  {'IAA without':>11} "
        f"{'figures':>8} {'accepted':>9}"
    )
    for person in people:
        yield (
            f"{names.cell(person.name)} {score_text(person.as_gold)}  {score_text(person.as_predicted):>12}  "
            f"{score_text(person.without):>11} {person.figures:8} {person.accepted:9}"
        )
    for reason in sorted({why for each in people for why in _reasons_of(each)}):
        yield from indented(f"-: {reason}")


def _reasons_of(person: PersonScore) -> Iterable[str]:
    return filter(None, (person.as_gold_reason, person.as_predicted_reason, person.without_reason))


def _status_table(statuses: Iterable[StatusScore], names: ShortNames) -> Iterable[str]:
    yield f"{'accept or reject':{NAME}} {'':{NAME}} {'observed':>8}  {'kappa':>9} {'figures':>8}"
    for each in statuses:
        one, other = each.annotators
        numbers = f"{score_text(each.observed)}  {score_text(each.kappa):>9} {each.figures:8}"
        yield f"{names.cell(one)} {names.cell(other)} {numbers}"
    for reason in sorted({each.reason for each in statuses if each.reason}):
        yield f"  -: {reason}"


def _worst_table(worst: Sequence[FigureMean], figures: ShortNames) -> Iterable[str]:
    """Yield the figures with the lowest agreement."""
    if not worst:
        return
    yield from ("", f"{'worst figures':{FIGURE}} {'score':>8} {'counted':>8}  lost most to")
    for each in worst[:WORST]:
        cause = "" if each.lost is None else each.lost.display
        yield f"{figures.cell(each.figure)} {score_text(each.score)} {each.counted:8}  {cause}"
    if len(worst) > WORST:
        yield f"  and {len(worst) - WORST} more below 1 (--format json names all)"


def _category_table(categories: Iterable[CategoryScore]) -> Iterable[str]:
    yield f"{'all annotators':24} {'observed':>8}  {'kappa':>8}  {'AC1':>8}  {'alpha':>8} {'units':>8}"
    for each in categories:
        numbers = "  ".join(map(score_text, (each.observed, each.fleiss, each.ac1, each.alpha)))
        yield f"{each.name:24} {numbers} {each.units:8}"
        if each.reason:
            yield f"  -: {each.reason}"


def _panels(panels: PanelAgreement) -> Iterable[str]:
    """Yield the agreement on panels, whatever their text."""
    of = f"{counted(panels.panels, 'panel')}, {panels.shared} by two or more"
    for name, value, note, reason in (
        ("alpha on panels", panels.detection, f'with "missing"; {of}', panels.detection_reason),
        ("alpha on labels", panels.label, "of those who drew the panel", panels.label_reason),
        ("localisation", panels.localisation, "1 - distance within / between panels", panels.localisation_reason),
    ):
        yield f"{name:18} {score_text(value)}   {f'({reason})' if reason else note}"


def _tokens(tokens: TokenAlpha) -> Iterable[str]:
    """Yield alpha on tokens."""
    of = f"of {counted(tokens.tokens, 'token')} in {counted(tokens.figures, 'figure')}"
    yield f"alpha on tokens    {score_text(tokens.nominal)}   " + (f"({tokens.reason})" if tokens.reason else of)
    if not tokens.reason:
        yield f"  sets by MASI     {score_text(tokens.masi)}   to which panels each was given"
