"""Checks on human answers to a figure's questions."""

from __future__ import annotations

from collections.abc import Iterator

from agreement.questions import normalised
from annotator.checks.rules import catalogue as checks
from annotator.checks.rules.pairs import (
    BINARY,
    CHOICE,
    LONG_ANSWER,
    is_none,
    is_unanswerable,
    option_letters,
    picked,
)
from annotator.checks.rules.words import says_unknown
from panelwise.domain import UNANSWERABLE, Annotation, Decision, Finding, HumanAnswer, Phase, QAItem


def human_answer_findings(work: Annotation | Decision, _phase: Phase) -> Iterator[Finding]:
    """Yield findings in the answers to a figure's questions, without revealing the gold."""
    came = {item.id: item for item in work.figure.imported.pairs if not is_none(item)}
    given = {answer.item: answer for answer in work.items.answers}
    for name, item in came.items():
        answer = given.get(name)
        if answer is None or (answer.answer is not None and not answer.answer.strip()):
            yield checks.HUMAN_MISSING.found('the question has no answer; give one, or tick "I don\'t know"', name)
        else:
            yield from _answer(item, answer)
    for name in given if came else ():
        if name not in came:
            yield checks.PAIR_UNKNOWN.found(
                "an answer to a question that the figure does not have; import it", name
            )


def _answer(item: QAItem, given: HumanAnswer) -> Iterator[Finding]:
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
