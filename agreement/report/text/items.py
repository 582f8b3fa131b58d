"""Figure types, verdicts on pairs and human answers as text, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agreement.chance.dawid_skene import Reliability
from agreement.questions.human_answers import AnswerScores
from agreement.questions.items import EditRate, ItemReport
from agreement.questions.judgements import CountScore, JudgementScore, TagScore
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
from agreement.report.text.parts import indented, score_text, table_lines, unlisted
from panelwise.runtime import counted


def items_lines(items: ItemReport | None, names: ShortNames) -> Iterable[str]:
    """Yield the tables on items, each below an empty line; nothing without items."""
    if items is None:
        return
    yield from _judgements(list(judged(items)), names)
    for score in (items.compound, *(score for kind, score in items.verdicts if kind is None)):
        yield from _two_by_two(score, names)
    yield from _tags(items.tags, names)
    yield from _count(items.count, names)
    yield from _edits(items.edits, names)
    yield from _answers(items.answers, names)
    if items.unknown:
        yield ""
        yield from indented(
            f"{counted(items.unknown, 'verdict')} on pairs of no known type: name their file with --pairs"
        )


def _judgements(rows: Sequence[Judged], names: ShortNames) -> Iterable[str]:
    shared = [row for row in rows if row.score.all.units]
    if shared:
        yield ""
        yield from table_lines(JUDGEMENTS, shared, names)
        yield "  Fleiss, Light: kappas (Light's: mean of two by two); alpha of types by MASI"
    elif rows:
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
        yield ""
        yield from table_lines(RELIABILITY, judges_of(reliability), names)


def _tags(tags: Sequence[TagScore], names: ShortNames) -> Iterable[str]:
    if not tags:
        return
    yield ""
    yield from table_lines(TAGS, tags, names)
    yield "  positive: of two, how often both give the type where either does"


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


def _edits(edits: Sequence[EditRate], names: ShortNames) -> Iterable[str]:
    if not edits:
        return
    yield ""
    yield from table_lines(EDITS, edits, names)
    yield "  question, options, answer, type: in how many that was changed"


def _answers(answers: AnswerScores | None, names: ShortNames) -> Iterable[str]:
    if answers is None:
        return
    yield ""
    everybody = [each for each in answers.scores if each.annotator is None]
    people = [each for each in answers.scores if each.annotator is not None and each.kind is None]
    yield from table_lines(ANSWERS, [*everybody, *people], names)
    yield "  exact: but for case and blanks; equal: also if written differently"
    yield "  unknown: I don't know, which counts as wrong"
    if answers.without_gold:
        yield f"  {counted(answers.without_gold, 'answer')} to questions of no known gold answer left out"
