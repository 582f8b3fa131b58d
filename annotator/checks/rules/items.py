"""Checks on items: figure types, verdicts on pairs, the pairs of a figure together, and human answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from agreement.questions import normalised
from annotator.checks.rules import catalogue as checks
from annotator.checks.rules.pairs import (
    BINARY,
    CHOICE,
    LONG_ANSWER,
    is_none,
    is_unanswerable,
    option_letters,
    pair_findings,
    picked,
    says_yes,
)
from annotator.checks.rules.words import likeness, say_the_same, says_unknown, shortened
from panelwise.domain import (
    TYPES,
    UNANSWERABLE,
    Annotation,
    Decision,
    FigureKind,
    Finding,
    HumanAnswer,
    Phase,
    QAItem,
    QAVerdict,
    Verdict,
    type_name,
)
from panelwise.runtime import counted

#: From this likeness on, in [0, 100], two questions are one another's near repeat.
NEAR_REPEAT = 90.0


def figure_type_findings(work: Annotation | Decision, phase: Phase) -> Iterator[Finding]:
    """Yield findings in a figure's type and number of subfigures."""
    kind = work.items.kind
    required = phase.kind is TYPES
    if kind is None:
        if required:
            yield checks.KIND_MISSING.found("neither types nor number of subfigures are given; fill them in")
        return
    if required:
        yield from _missing_in_type(kind)
    if not kind.types:
        yield checks.TYPE_MISSING.found("the figure has no type; tick the types of its subfigures")
    if not phase.fine_types:
        for name in sorted(kind.types):
            if type_name(name, phase.types) not in phase.types:
                yield checks.TYPE_UNKNOWN.found(
                    f'"{name}" is none of the guidelines\' types; choose one, or leave it if none fits'
                )
    yield from _count_findings(kind)


def _missing_in_type(kind: FigureKind) -> Iterator[Finding]:
    if kind.compound is None:
        yield checks.KIND_MISSING.found("compound or not is missing; choose one")
    if kind.count is None:
        yield checks.KIND_MISSING.found("the number of subfigures is missing; enter it")


def _count_findings(kind: FigureKind) -> Iterator[Finding]:
    if kind.count is None:
        return
    subfigures = counted(kind.count, "subfigure")
    if kind.compound is True and kind.count < 2:
        yield checks.COUNT_NOT_COMPOUND.found(
            f"the figure is compound and has {subfigures}; count again, or choose non-compound"
        )
    elif kind.compound is False and kind.count != 1:
        yield checks.COUNT_NOT_COMPOUND.found(
            f"the figure is not compound and has {subfigures}; count again, or choose compound"
        )
    elif len(kind.types) > max(kind.count, 1):
        yield checks.TYPES_NOT_COMPOUND.found(
            f"the figure has {len(kind.types)} types and {subfigures}; give each subfigure one type"
        )


def figure_pair_findings(work: Annotation | Decision, _phase: Phase) -> Iterator[Finding]:
    """Yield findings in the verdicts on a figure's pairs, and in the resulting pairs."""
    came = work.figure.imported.by_id
    verdicts = {each.item: each for each in work.items.verdicts}
    yield from _verdict_findings(came, verdicts)
    left = []
    for name, item in came.items():
        verdict = verdicts.get(name)
        now = item if verdict is None or verdict.edited is None else verdict.edited
        left.append(now)
        yield from pair_findings(now, work.figure.caption, "" if verdict is None else verdict.note)
    yield from _together([item for item in left if not is_none(item)])


def _verdict_findings(came: Mapping[str, QAItem], verdicts: Mapping[str, QAVerdict]) -> Iterator[Finding]:
    for name in came:
        if name not in verdicts:
            yield checks.VERDICT_MISSING.found("the pair is not judged; choose Correct or Incorrect.Edit", name)
    for name, verdict in verdicts.items():
        item = came.get(name)
        if item is None:
            if came:
                yield checks.PAIR_UNKNOWN.found(
                    "a verdict on a pair that the figure does not have; import it", name
                )
            continue
        edited = verdict.edited is not None and (_texts_of(item) != _texts_of(verdict.edited))
        if verdict.verdict is Verdict.INCORRECT and not edited:
            yield checks.EDIT_MISSING.found(
                "Incorrect.Edit was chosen and nothing edited; correct the pair, or choose Correct", name
            )
        if verdict.verdict is Verdict.CORRECT and edited:
            yield checks.EDIT_UNDER_CORRECT.found(
                "the pair was edited under Correct; choose Incorrect.Edit, or undo the edit", name
            )


def _texts_of(item: QAItem) -> tuple[object, ...]:
    return item.kind, item.question.strip(), tuple(each.strip() for each in item.choices), item.answer.strip()


def _together(items: Sequence[QAItem]) -> Iterator[Finding]:
    binary = [item for item in items if item.kind in BINARY]
    if len(binary) > 1 and all(says_yes(item) for item in binary):
        yield checks.ALL_YES.found(f"all {len(binary)} binary questions are answered yes; turn one of them round")
    for one, other in combinations(items, 2):
        if not one.question.strip() or not other.question.strip():
            continue
        same = say_the_same(one.question, other.question)
        if same or likeness(one.question, other.question, least=NEAR_REPEAT):
            yield checks.QUESTIONS_ALIKE.found(
                f'the question is {"the same as" if same else "nearly that of"} "{shortened(one.question)}"; '
                "ask something else",
                other.id,
            )


def human_answer_findings(work: Annotation | Decision, _phase: Phase) -> Iterator[Finding]:
    """Yield findings in the answers to a figure's questions, without revealing the gold."""
    came = {item.id: item for item in work.figure.imported.pairs if not is_none(item)}
    given = {answer.item: answer for answer in work.items.answers}
    for name, item in came.items():
        answer = given.get(name)
        if answer is None or (answer.answer is not None and not answer.answer.strip()):
            yield checks.HUMAN_MISSING.found('the question has no answer; give one, or tick "I don\'t know"', name)
        else:
            yield from _answer_findings(item, answer)
    for name in given if came else ():
        if name not in came:
            yield checks.PAIR_UNKNOWN.found(
                "an answer to a question that the figure does not have; import it", name
            )


def _answer_findings(item: QAItem, given: HumanAnswer) -> Iterator[Finding]:
    text = given.answer
    if text is None or says_unknown(text):
        if not given.note.strip():
            yield checks.REASON_MISSING.found(
                '"I don\'t know" without a reason; note whether the phrasing is unclear or no option is correct',
                item.id,
            )
        return
    if is_unanswerable(text):
        if text.strip() != UNANSWERABLE:
            yield checks.UNANSWERABLE_MISWORDED.found(
                f'who finds a question unanswerable writes "{UNANSWERABLE}"; write it so', item.id
            )
    elif item.kind in CHOICE:
        letters = option_letters(len(item.choices))
        if not all(len(each) == 1 and each.upper() in letters for each in picked(text)) or not picked(text):
            yield checks.HUMAN_NOT_OPTION.found(
                f'the answer "{text.strip()[:60]}" is none of the options; pick from them', item.id
            )
    elif item.kind in BINARY:
        if normalised(text).rstrip(".") not in {"yes", "no", "true", "false"}:
            yield checks.HUMAN_NOT_BINARY.found(
                f'the answer "{text.strip()[:60]}" is neither yes nor no; write one', item.id
            )
    elif (words := len(text.split())) > LONG_ANSWER:
        yield checks.ANSWER_LONG.found(f"the answer has {words} words; shorten it if it can be", item.id)
