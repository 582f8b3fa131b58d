"""Reports as text, within 80 columns. Six decimals: enough to compare two reports by eye."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from agreement.chance.dawid_skene import Reliability
from agreement.pairs.figure_scores import FigureMean, worst_first
from agreement.questions.human_answers import AnswerScores
from agreement.questions.items import ItemReport
from agreement.questions.judgements import CountScore, JudgementScore, PairKappa
from agreement.report.explanations import chance_explained
from agreement.report.sections.headline import PANELS, TOKENS
from agreement.report.sections.judgements import (
    ANSWERS,
    CATEGORIES,
    COUNT_PAIRS,
    COUNTS,
    EDITS,
    JUDGEMENTS,
    KAPPAS,
    RELIABILITY,
    STATUSES,
    TAGS,
    Judged,
    judged,
    judges_of,
)
from agreement.report.sections.people import ANNOTATORS, ATTENTION, CONSISTENCY, FIGURES, HABITS
from agreement.report.summary import ATTENTION_NOTE, MOST_LISTED, NOT_RECORDED, Counts, Report
from agreement.report.text.comparison import sweep_table
from agreement.report.text.context import (
    PERIOD,
    PHASE,
    acquainted_lines,
    corrected_lines,
    drift_lines,
    phases_lines,
    repeats_lines,
    seeded_lines,
)
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import (
    MEAN_OF_MEANS,
    NAME,
    NOTHING_COUNTS,
    boxes_lines,
    head,
    indented,
    interval_line,
    interval_text,
    joined,
    left_out_text,
    legend_lines,
    loss_table,
    pair_table,
    passed_lines,
    score_text,
    superseded_lines,
    table_block,
    table_lines,
    unlisted,
)
from panelwise.runtime import counted

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
        f"  95 % CI          {interval_line(report.intervals.iaa, report.intervals, report.settings)}",
        f"  pooled           {score_text(report.pooled)}   {nothing or 'over all gold subfigures of all pairs'}",
        f"  per figure       {score_text(report.macro)}   {nothing or MEAN_OF_MEANS}",
    ]
    lines += [*loss_table(report.losses), *boxes_lines(report.boxes)]
    if report.iaa is not None and report.sweep:
        lines += ["", *sweep_table([("IAA", report.sweep)], ShortNames(["IAA"], NAME))]
    if report.pairs:
        lines += ["", *pair_table(report, names)] if report.listed else ["", unlisted(len(report.pairs))]
    if counts.unlisted:
        lines += [f"  without a figure in common: {counts.unlisted} more"]
    people = report.annotators
    lines += table_block(ANNOTATORS, people, names)
    lines += table_block(CONSISTENCY, people if len(people) > 1 else (), names)
    drawn = "of panels that two others drew; of the boxes drawn; against the mean of all: 95 % CI"
    lines += table_block(HABITS, report.habits, names, drawn)
    if report.statuses:
        lines += ["", *_status_table(report.statuses, names)]
        lines += _reliability_lines(report.reliability, names)
        lines += [
            *table_block(CATEGORIES, report.categories, names),
            "",
            *_panels(report),
            *_joint(report),
            *chain.from_iterable(map(indented, chance_explained(report))),
        ]
    lines += _items_lines(report.items, names)
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
        *corrected_lines(report.corrected),
        *_attention(report, names),
    ]
    lines += superseded_lines(counts.superseded)
    lines += _partly_read(counts)
    lines += legend_lines((names, ""), (phases, " of phases"), (periods, " of batches"), (figures, " of figures"))
    return joined(lines)


def _partly_read(counts: Counts) -> list[str]:
    if not counts.partly_read:
        return []
    return [f"left out           {counted(counts.partly_read, 'annotation')} of which a part could not be read"]


def _items_alone(report: Report, names: ShortNames) -> list[str]:
    """Return the lines of a report without subfigures, in which boxes and captions play no part."""
    counts = report.counts
    of_phase = f", phase {report.phase}" if report.phase is not None else ""
    lines = [f"Agreement between annotators{of_phase}", *_items_lines(report.items, names)]
    if report.statuses:
        lines += ["", *_status_table(report.statuses, names)]
        lines += _reliability_lines(report.reliability, names)
    lines += [
        "",
        f"annotations        {counts.annotations}, of {counted(counts.figures, 'figure')}: "
        f"{counts.shared} by two or more",
        *_attention(report, names),
        *superseded_lines(counts.superseded),
        # A single annotator has no table.
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


def _attention(report: Report, names: ShortNames) -> Iterable[str]:
    """Yield how each annotator worked; one line if it is recorded of none."""
    if not report.attentive:
        yield f"attention          unknown: {NOT_RECORDED}"
        return
    yield from table_block(ATTENTION, report.attention, names, ATTENTION_NOTE)


def _status_table(statuses: Sequence[PairKappa], names: ShortNames) -> Iterable[str]:
    if len(statuses) > MOST_LISTED:
        yield unlisted(len(statuses), "accept or reject")
        return
    yield from table_lines(STATUSES, statuses, names, title="accept or reject")


def _worst_table(worst: Sequence[FigureMean], names: ShortNames) -> Iterable[str]:
    """Yield the figures with the lowest agreement."""
    more = f"and {len(worst) - WORST} more below 1 (--format json names all)"
    return table_block(FIGURES, worst[:WORST], names, *([more] if len(worst) > WORST else []))


def _panels(report: Report) -> Iterable[str]:
    """Yield the agreement on panels, regardless of their text, and on tokens."""
    panels, tokens = report.panels, report.tokens
    notes = {
        "alpha on panels": f'with "missing"; {counted(panels.panels, "panel")}, {panels.shared} by two or more',
        "alpha on labels": "of those who drew the panel",
        "localisation": "1 - distance within / between panels",
        "alpha on tokens": f"of {counted(tokens.tokens, 'token')} in {counted(tokens.figures, 'figure')}",
    }
    *measures, (_, sets, _) = (*PANELS.facts(panels), *TOKENS.facts(tokens))
    for name, value, reason in measures:
        yield f"{name:18} {score_text(value)}   {f'({reason})' if reason else notes[name]}"
    if sets is not None:
        yield f"  sets by MASI     {score_text(sets)}   to which panels each was given"


def _joint(report: Report) -> Iterable[str]:
    """Yield the agreement on spans of labels, on boxes with their text, and the threshold that boxes suggest."""
    joint = report.joint
    rows = (
        ("alpha on spans", report.spans.alpha, "unitizing, by label"),
        ("joint alpha", joint.alpha, "boxes with text; chance: other figures"),
        ("  within figures", joint.within, "chance: the figure's own panels"),
        ("  separation", joint.separation, "of distances on one figure from others (KS)"),
        ("cleanest threshold", report.threshold.min_iou, "the IoU that parts matched boxes from others"),
    )
    for name, number, note in rows:
        ends = f"{interval_text(number.interval)}; " if number.interval else ""
        yield f"{name:18} {score_text(number.value)}   {ends}{f'({number.why})' if number.why else note}"


def _items_lines(items: ItemReport | None, names: ShortNames) -> Iterable[str]:
    """Yield the tables on items, each below an empty line; nothing without items."""
    if items is None:
        return
    yield from _judgements(list(judged(items)), names)
    for score in (items.compound, *(score for kind, score in items.verdicts if kind is None)):
        yield from _two_by_two(score, names)
    positive = "positive: of two, how often both give the type where either does"
    yield from table_block(TAGS, items.tags, names, positive)
    yield from _count(items.count, names)
    changed = "question, options, answer, type: in how many that was changed"
    yield from table_block(EDITS, items.edits, names, changed)
    yield from _answers(items.answers, names)
    if items.unknown:
        yield ""
        yield from indented(
            f"{counted(items.unknown, 'verdict')} on pairs of no known type: name their file with --pairs"
        )


def _judgements(rows: Sequence[Judged], names: ShortNames) -> Iterable[str]:
    shared = [row for row in rows if row.score.all.units]
    kappas = "Fleiss, Light: kappas (Light's: mean of two by two); alpha of types by MASI"
    yield from table_block(JUDGEMENTS, shared, names, kappas)
    if rows and not shared:
        yield from ("", "no figure or pair was judged by two annotators, so agreement is undefined")


def _two_by_two(score: JudgementScore | None, names: ShortNames) -> Iterable[str]:
    if score is None or not score.pairs:
        return
    yield ""
    if len(score.pairs) > MOST_LISTED:
        yield unlisted(len(score.pairs), score.name)
    else:
        yield from table_lines(KAPPAS, score.pairs, names, title=score.name)
    yield from _reliability_lines(score.reliability, names)


def _reliability_lines(reliability: Sequence[Reliability], names: ShortNames) -> Iterable[str]:
    """Yield how often each annotator is right by Dawid and Skene's model; nothing if that is undefined."""
    if any(each.accuracy is not None for each in reliability):
        yield from table_block(RELIABILITY, judges_of(reliability), names)


def _count(count: CountScore | None, names: ShortNames) -> Iterable[str]:
    if count is None:
        return
    yield ""
    if not count.units:
        yield f"number of subfigures: {count.reason}"
        return
    yield from table_lines(COUNTS, [count], names)
    if len(count.pairs) > MOST_LISTED:
        yield unlisted(len(count.pairs), "  two by two")
    else:
        yield from table_lines(COUNT_PAIRS, count.pairs, names, title="", stated=count.reason)
    yield f"  the same number: {score_text(count.same)}; linear, quadratic: weighted kappas"


def _answers(answers: AnswerScores | None, names: ShortNames) -> Iterable[str]:
    if answers is None:
        return
    everybody = [each for each in answers.scores if each.annotator is None]
    people = [each for each in answers.scores if each.annotator is not None and each.kind is None]
    exact = "exact: but for case and blanks; equal: also if written differently"
    unknown = "unknown: I don't know, which counts as wrong"
    yield from table_block(ANSWERS, [*everybody, *people], names, exact, unknown)
    if answers.without_gold:
        yield f"  {counted(answers.without_gold, 'answer')} to questions of no known gold answer left out"
