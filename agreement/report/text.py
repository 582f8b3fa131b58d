"""Reports as text, within 80 columns. Six decimals: enough to compare two reports by eye."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

from agreement.metrics.bootstrap import Interval, Intervals
from agreement.metrics.categories import CategoryScore, TokenAlpha
from agreement.metrics.detection import Detection
from agreement.metrics.figure_scores import FigureMean, worst_first
from agreement.metrics.losses import Loss
from agreement.metrics.pairwise import PairScore, Passed
from agreement.metrics.subfigure_f1 import LeftOut
from agreement.metrics.summary import Comparison, PersonScore, Report, Settings, StatusScore
from annotator.domain.counting import counted

WIDTH = 80
#: Characters of a name in a table; figures of one kind named in the text (JSON names all).
NAME = 16
NAMED = 10
#: Figures named as the worst.
WORST = 5


def report_text(report: Report) -> str:
    """A report for reading, ending in a newline."""
    counts, seeded = report.counts, report.seeded
    lines = [
        *_head("Agreement between annotators", report.settings, report.phase),
        "",
        f"IAA                {_score(report.iaa)}" + (f"   ({report.reason})" if report.reason else ""),
        f"  95% interval     {_interval_line(report.intervals.iaa, report.intervals, report.settings)}",
        f"  pooled           {_score(report.pooled)}   over all gold subfigures of all pairs",
        f"  per figure       {_score(report.macro)}   mean of the figures' means",
    ]
    lines += [*_loss_table(report.losses), *_boxes(report.boxes)]
    if report.pairs:
        lines += ["", *_pair_table(report.pairs, report.intervals)]
    if report.annotators:
        lines += ["", *_person_table(report.annotators)]
    if report.statuses:
        lines += ["", *_status_table(report.statuses)]
        lines += ["", *_category_table(report.categories), "", *_tokens(report.tokens)]
    lines += _worst_table(report.figures)
    lines += [
        "",
        f"annotations        {counts.annotations}, of {counted(counts.figures, 'figure')}: "
        f"{counts.shared} by two or more, {counts.scored} scored",
        f"subfigures drawn   {counts.subfigures}",
        f"gold left out      {_left_out(counts.left_out)}",
        *_passed(counts.passed),
        f"seeded             {seeded.annotations} of {counted(seeded.of, 'annotation')} began from a prediction",
    ]
    if seeded.annotations:
        lines += [
            f"  IAA where seeded {_score(seeded.iaa)}   {counted(seeded.figures, 'figure')}",
            f"  IAA elsewhere    {_score(seeded.unseeded_iaa)}   {counted(seeded.unseeded_figures, 'figure')}",
        ]
    lines += _superseded(counts.superseded)
    return _joined(lines)


def comparison_text(comparison: Comparison) -> str:
    """A comparison for reading, ending in a newline."""
    figures = {figure for pair in comparison.pairs for figure in pair.figures}
    passed: dict[Passed, tuple[str, ...]] = {}
    for pair in comparison.pairs:
        for why, names in pair.passed.items():
            passed[why] = tuple(sorted({*passed.get(why, ()), *names}))
    lines = [
        *_head("Comparison with gold", comparison.settings, None),
        "",
        f"score              {_score(comparison.score)}"
        + (f"   ({comparison.reason})" if comparison.reason else ""),
    ]
    if comparison.pairs:
        lines.append(f"  95% interval     {_comparison_interval(comparison)}")
    lines += [
        f"  per figure       {_score(comparison.macro)}   mean of the figures' means",
        f"counted            {counted(comparison.counted, 'gold subfigure')}, in {len(figures)} of "
        f"{counted(comparison.gold_figures, 'gold figure')}",
        f"gold left out      {_left_out(comparison.left_out)}",
        *_passed(passed),
        *_named("gold figures without a prediction, left out", comparison.missing),
        *_named("predicted figures without gold, left out", comparison.surplus),
        *_superseded(comparison.superseded),
    ]
    lines += [*_loss_table(comparison.losses), *_boxes(comparison.boxes)]
    if comparison.pairs:
        lines += ["", *_pair_table(comparison.pairs, comparison.intervals)]
    return _joined(lines)


def _head(title: str, settings: Settings, phase: str | None) -> list[str]:
    of_phase = f", phase {phase}" if phase is not None else ""
    return [
        f"{title}{of_phase}",
        f"metric: {settings.mode}; common tokens: {settings.common_used}; "
        f"boxes answer from IoU {settings.min_iou:g}",
    ]


def _score(score: float | None) -> str:
    return "   -    " if score is None else f"{score:.6f}"


def _interval(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}"


def _interval_line(interval: Interval | None, intervals: Intervals, settings: Settings) -> str:
    if interval is None:
        return f"{_score(None)}   ({intervals.reason})"
    if intervals.method == "linearised":
        return f"{_interval(interval)}   linearised standard error"
    return f"{_interval(interval)}   {settings.resamples} resamples of figures, seed {settings.seed}"


def _comparison_interval(comparison: Comparison) -> str:
    if comparison.interval is None:
        return f"{_score(None)}   ({comparison.interval_reason})"
    return _interval_line(comparison.interval, comparison.intervals, comparison.settings)


def _name(name: str) -> str:
    """The name in NAME columns, its middle left out where it is longer: names often differ at their ends."""
    if len(name) <= NAME:
        return f"{name:{NAME}}"
    return f"{name[: NAME // 2]}~{name[-(NAME - NAME // 2 - 1) :]}"


def _pair_table(pairs: Sequence[PairScore], intervals: Intervals) -> Iterable[str]:
    yield f"{'gold':{NAME}} {'predicted':{NAME}} {'score':>8}  {'95% interval':16} {'counted':>8} {'figures':>8}"
    for pair, interval in zip(pairs, intervals.pairs, strict=True):
        yield (
            f"{_name(pair.gold)} {_name(pair.predicted)} {_score(pair.score)}  {_interval(interval):16} "
            f"{pair.counted:8} {len(pair.figures):8}"
        )
        if pair.reason:
            yield from _indented(pair.reason)


def _loss_table(losses: Mapping[Loss, float] | None) -> Iterable[str]:
    """What is missing to 1 and why, the greatest first; causes that cost nothing are left out."""
    if not losses or not any(losses.values()):
        return
    whole = sum(losses.values())
    yield from ("", f"lost               {whole:.6f}   what is missing to 1:")
    for cause, share in sorted(losses.items(), key=lambda each: -each[1]):
        if share:
            bar = "#" * round(20 * share / whole)
            yield f"  {cause:21} {share:.6f}  {share / whole:4.0%}  {bar}"


def _boxes(boxes: Detection) -> Iterable[str]:
    """The boxes alone, matched one to one; nothing where nobody drew one."""
    if boxes.mean_f1() is None:
        return
    at = ", ".join(f"{boxes.f1(threshold):.4f} at IoU {threshold:.2f}" for threshold in (0.5, 0.75, 0.9))
    yield from ("", f"boxes              F1 {at}")
    mean, iou = boxes.mean_f1(), boxes.mean_iou()
    yield f"  .50:.05:.95      {_score(mean)}   mean F1; mean IoU of those matched {_score(iou)}"


def _person_table(people: Iterable[PersonScore]) -> Iterable[str]:
    yield (
        f"{'annotator':{NAME}} {'as gold':>8}  {'as predicted':>12}  {'IAA without':>11} "
        f"{'figures':>8} {'accepted':>9}"
    )
    for person in people:
        yield (
            f"{_name(person.name)} {_score(person.as_gold)}  {_score(person.as_predicted):>12}  "
            f"{_score(person.without):>11} {person.figures:8} {person.accepted:9}"
        )


def _status_table(statuses: Iterable[StatusScore]) -> Iterable[str]:
    yield f"{'accept or reject':{NAME}} {'':{NAME}} {'observed':>8}  {'kappa':>9} {'figures':>8}"
    for each in statuses:
        one, other = each.annotators
        yield f"{_name(one)} {_name(other)} {_score(each.observed)}  {_score(each.kappa):>9} {each.figures:8}"
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
        yield f"{name:{2 * NAME + 1}} {_score(each.score)} {each.counted:8}  {cause}"
    if len(worst) > WORST:
        yield f"  and {len(worst) - WORST} more below 1 (--format json names all)"


def _category_table(categories: Iterable[CategoryScore]) -> Iterable[str]:
    yield f"{'all annotators':24} {'observed':>8}  {'kappa':>8}  {'AC1':>8}  {'alpha':>8} {'units':>8}"
    for each in categories:
        numbers = "  ".join(map(_score, (each.observed, each.fleiss, each.ac1, each.alpha)))
        yield f"{each.name:24} {numbers} {each.units:8}"
        if each.reason:
            yield f"  -: {each.reason}"


def _tokens(tokens: TokenAlpha) -> Iterable[str]:
    """Alpha on tokens."""
    of = f"of {counted(tokens.tokens, 'token')} in {counted(tokens.figures, 'figure')}"
    yield f"alpha on tokens    {_score(tokens.nominal)}   " + (f"({tokens.reason})" if tokens.reason else of)
    if not tokens.reason:
        yield f"  sets by MASI     {_score(tokens.masi)}   to which panels each was given"


def _left_out(left_out: Mapping[LeftOut, int]) -> str:
    """A subfigure is gold in several pairs, so that these may be more than were drawn."""
    parts = ", ".join(f"{number} with {why}" for why, number in left_out.items())
    return f"over all pairs: {parts}" if parts else "0"


def _passed(passed: Mapping[Passed, Sequence[str]]) -> Iterable[str]:
    for why, figures in passed.items():
        yield from _named(f"figures left out of a pair: {why}", figures)


def _superseded(superseded: Sequence[tuple[str, str]]) -> Iterable[str]:
    return _named("annotations that a later one replaces", [f"{figure} by {name}" for figure, name in superseded])


def _named(what: str, names: Sequence[str]) -> Iterable[str]:
    if names:
        yield f"{what}: {len(names)}"
        more = f" and {len(names) - NAMED} more (--format json names all)" if len(names) > NAMED else ""
        yield from _indented(", ".join(names[:NAMED]) + more)


def _indented(text: str) -> Iterable[str]:
    return wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _joined(lines: Iterable[str]) -> str:
    """The lines, wrapped where a reason or a name makes one too long."""
    whole: list[str] = []
    for line in lines:
        short = len(line) <= WIDTH
        whole += [line] if short else wrap(line, WIDTH, subsequent_indent=" " * 19, break_on_hyphens=False)
    return "\n".join(line.rstrip() for line in whole) + "\n"
