"""Figure types, verdicts on pairs and human answers as text, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agreement.chance.dawid_skene import Reliability
from agreement.questions.human_answers import AnswerScores
from agreement.questions.items import ItemReport
from agreement.questions.judgements import CountScore, JudgementScore
from agreement.report.sections.judgements import (
    ANSWERS,
    COUNT_PAIRS,
    COUNTS,
    EDITS,
    JUDGEMENTS,
    KAPPAS,
    RELIABILITY,
    TAGS,
    Judged,
    judged,
    judges_of,
)
from agreement.report.summary import MOST_LISTED
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import indented, score_text, table_block, table_lines, unlisted
from panelwise.runtime import counted


def items_lines(items: ItemReport | None, names: ShortNames) -> Iterable[str]:
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
    yield from reliability_lines(score.reliability, names)


def reliability_lines(reliability: Sequence[Reliability], names: ShortNames) -> Iterable[str]:
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
