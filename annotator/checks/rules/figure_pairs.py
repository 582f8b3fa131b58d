"""Checks on verdicts, and on the pairs of a figure together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from annotator.checks.rules import catalogue as checks
from annotator.checks.rules.pairs import BINARY, is_none, pair_findings, says_yes
from annotator.checks.rules.words import likeness, say_the_same, shortened
from panelwise.domain import Annotation, Decision, Finding, Phase, QAItem, QAVerdict, Verdict

#: From this likeness on, in [0, 100], two questions are one another's near repeat.
NEAR_REPEAT = 90.0


def figure_pair_findings(work: Annotation | Decision, _phase: Phase) -> Iterator[Finding]:
    """Yield findings in the verdicts on a figure's pairs, and in the resulting pairs."""
    came = work.figure.imported.by_id
    verdicts = {each.item: each for each in work.items.verdicts}
    yield from _verdicts(came, verdicts)
    left = []
    for name, item in came.items():
        verdict = verdicts.get(name)
        now = item if verdict is None or verdict.edited is None else verdict.edited
        left.append(now)
        yield from pair_findings(now, work.figure.caption, "" if verdict is None else verdict.note)
    yield from _together([item for item in left if not is_none(item)])


def _verdicts(came: Mapping[str, QAItem], verdicts: Mapping[str, QAVerdict]) -> Iterator[Finding]:
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
        edited = verdict.edited is not None and (_content(item) != _content(verdict.edited))
        if verdict.verdict is Verdict.INCORRECT and not edited:
            yield checks.EDIT_MISSING.found(
                "Incorrect.Edit was chosen and nothing edited; correct the pair, or choose Correct", name
            )
        if verdict.verdict is Verdict.CORRECT and edited:
            yield checks.EDIT_UNDER_CORRECT.found(
                "the pair was edited under Correct; choose Incorrect.Edit, or undo the edit", name
            )


def _content(item: QAItem) -> tuple[object, ...]:
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
