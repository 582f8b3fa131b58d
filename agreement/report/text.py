"""Reports as text, within 80 columns. Six decimals: enough to compare two reports by eye."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agreement.metrics.categories import CategoryScore, TokenAlpha
from agreement.metrics.figure_scores import FigureMean, worst_first
from agreement.metrics.losses import Loss
from agreement.metrics.summary import PersonScore, Report, StatusScore
from agreement.report.text_beside import drift_lines, phases_lines, repeats_lines, seeded_lines
from agreement.report.text_parts import (
    NAME,
    boxes_lines,
    head,
    indented,
    interval_line,
    joined,
    left_out_text,
    loss_table,
    name_text,
    pair_table,
    passed_lines,
    score_text,
    superseded_lines,
)
from annotator.domain.counting import counted

MEAN_OF_MEANS = "mean of the figures' means"
#: Figures named as the worst.
WORST = 5


def report_text(report: Report) -> str:
    """A report for reading, ending in a newline."""
    counts = report.counts
    nothing = "" if report.pooled is not None else "(no gold subfigure counts)"
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
        lines += ["", *pair_table(report.pairs, report.intervals)]
    if report.annotators:
        lines += ["", *_person_table(report.annotators)]
    if report.statuses:
        lines += ["", *_status_table(report.statuses)]
        lines += ["", *_category_table(report.categories), "", *_tokens(report.tokens)]
    if report.drift is not None:
        lines += ["", *drift_lines(report.drift)]
    if report.other_phase is not None:
        lines += ["", *phases_lines(report.other_phase)]
    if report.repeats:
        lines += ["", *repeats_lines(report.repeats)]
    lines += _worst_table(report.figures)
    lines += [
        "",
        f"annotations        {counts.annotations}, of {counted(counts.figures, 'figure')}: "
        f"{counts.shared} by two or more, {counts.scored} scored",
        f"subfigures drawn   {counts.subfigures}",
        f"gold left out      {left_out_text(counts.left_out)}",
        *passed_lines(counts.passed),
        *seeded_lines(report.seeded),
    ]
    lines += superseded_lines(counts.superseded)
    return joined(lines)


def _person_table(people: Sequence[PersonScore]) -> Iterable[str]:
    yield (
        f"{'annotator':{NAME}} {'as gold':>8}  {'as predicted':>12}  {'IAA without':>11} "
        f"{'figures':>8} {'accepted':>9}"
    )
    for person in people:
        yield (
            f"{name_text(person.name)} {score_text(person.as_gold)}  {score_text(person.as_predicted):>12}  "
            f"{score_text(person.without):>11} {person.figures:8} {person.accepted:9}"
        )
    for reason in sorted({why for each in people for why in _reasons_of(each)}):
        yield from indented(f"-: {reason}")


def _reasons_of(person: PersonScore) -> Iterable[str]:
    return filter(None, (person.as_gold_reason, person.as_predicted_reason, person.without_reason))


def _status_table(statuses: Iterable[StatusScore]) -> Iterable[str]:
    yield f"{'accept or reject':{NAME}} {'':{NAME}} {'observed':>8}  {'kappa':>9} {'figures':>8}"
    for each in statuses:
        one, other = each.annotators
        numbers = f"{score_text(each.observed)}  {score_text(each.kappa):>9} {each.figures:8}"
        yield f"{name_text(one)} {name_text(other)} {numbers}"
    for reason in sorted({each.reason for each in statuses if each.reason}):
        yield f"  -: {reason}"


def _worst_table(figures: Iterable[FigureMean]) -> Iterable[str]:
    """The figures on which annotators agree least."""
    worst = worst_first(figures)
    if not worst:
        return
    yield from ("", f"{'worst figures':{2 * NAME + 1}} {'score':>8} {'counted':>8}  lost most to")
    for each in worst[:WORST]:
        name = each.figure if len(each.figure) <= 2 * NAME + 1 else f"{each.figure[:NAME]}~{each.figure[-NAME:]}"
        # What one lacks is the other's surplus, as each is gold once.
        cause = "text that one lacks" if each.lost in (Loss.MISSING, Loss.SURPLUS) else each.lost
        yield f"{name:{2 * NAME + 1}} {score_text(each.score)} {each.counted:8}  {cause}"
    if len(worst) > WORST:
        yield f"  and {len(worst) - WORST} more below 1 (--format json names all)"


def _category_table(categories: Iterable[CategoryScore]) -> Iterable[str]:
    yield f"{'all annotators':24} {'observed':>8}  {'kappa':>8}  {'AC1':>8}  {'alpha':>8} {'units':>8}"
    for each in categories:
        numbers = "  ".join(map(score_text, (each.observed, each.fleiss, each.ac1, each.alpha)))
        yield f"{each.name:24} {numbers} {each.units:8}"
        if each.reason:
            yield f"  -: {each.reason}"


def _tokens(tokens: TokenAlpha) -> Iterable[str]:
    """Alpha on tokens."""
    of = f"of {counted(tokens.tokens, 'token')} in {counted(tokens.figures, 'figure')}"
    yield f"alpha on tokens    {score_text(tokens.nominal)}   " + (f"({tokens.reason})" if tokens.reason else of)
    if not tokens.reason:
        yield f"  sets by MASI     {score_text(tokens.masi)}   to which panels each was given"
