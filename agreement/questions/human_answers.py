"""Annotators' own answers compared to the gold answers, by type of question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from agreement.questions.answer_texts import NO_OVERLAP, Overlap, equal_answers, exact_match, normalised, rouge
from panelwise.domain import Annotation, QAItem, QAKind

#: (figure, pair's id) -> the pair.
Pairs = Mapping[tuple[str, str], QAItem]
_UNKNOWN = re.compile(r"i (?:do not|don['’]?t) know\.?")


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Answers to questions of one type, or of all. annotator: None for all annotators; kind: None for all types.

    answers: those with a gold answer. unknown: of these, "I don't know", which counts as wrong. exact: share equal
    to the gold up to case and blanks. equal: share equal up to notation (`equal_answers`). rouge_1, rouge_l: mean
    F1, with mean precision and recall. Each None without answers.
    """

    annotator: str | None
    kind: QAKind | None
    answers: int
    unknown: int
    exact: float | None
    equal: float | None
    rouge_1: float | None
    rouge_1_precision: float | None
    rouge_1_recall: float | None
    rouge_l: float | None
    rouge_l_precision: float | None
    rouge_l_recall: float | None


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """Scores of all annotators by type, then of all types; then of each annotator if there are two or more.

    without_gold: answers to questions without a gold answer, which are in no score.
    """

    scores: tuple[AnswerScore, ...]
    without_gold: int


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer to a question. See `AnswerScore`."""

    annotator: str
    kind: QAKind
    unknown: bool
    exact: bool
    equal: bool
    rouge_1: Overlap
    rouge_l: Overlap


def answer_scores(work: Iterable[Annotation], gold: Pairs) -> AnswerScores | None:
    """Return the scores of all answers; None without answers. work: at most one per annotator and figure."""
    scored: list[ScoredAnswer] = []
    without = 0
    for each in work:
        for answer in each.items.answers:
            item = gold.get((each.figure.id, answer.item))
            if item is None:
                without += 1
            else:
                scored.append(score_answer(each.annotator, item, answer.answer))
    if not scored and not without:
        return None
    people = sorted({each.annotator for each in scored})
    scores = list(_by_kind(None, scored))
    if len(people) > 1:
        for name in people:
            scores += _by_kind(name, [each for each in scored if each.annotator == name])
    return AnswerScores(tuple(scores), without)


def score_answer(annotator: str, item: QAItem, answer: str | None) -> ScoredAnswer:
    """Score one answer; None for "I don't know" ticked, which shares no word with the gold answer.

    Written out it shares what it does, as in the shared task's script, which scores the sentence for unanswerable
    questions like any other text. It is not equal to the gold in either case.
    """
    unknown = answer is None or _UNKNOWN.fullmatch(normalised(answer)) is not None
    one, longest = (NO_OVERLAP, NO_OVERLAP) if answer is None else rouge(item.answer, answer)
    known = "" if answer is None or unknown else answer
    return ScoredAnswer(
        annotator,
        item.kind,
        unknown,
        not unknown and exact_match(item.answer, known),
        not unknown and equal_answers(item.answer, known, item.kind),
        one,
        longest,
    )


def _by_kind(annotator: str | None, scored: Sequence[ScoredAnswer]) -> Iterator[AnswerScore]:
    for kind in QAKind:
        own = [each for each in scored if each.kind is kind]
        if own:
            yield _mean(annotator, kind, own)
    yield _mean(annotator, None, scored)


def _mean(annotator: str | None, kind: QAKind | None, scored: Sequence[ScoredAnswer]) -> AnswerScore:
    number = len(scored)
    if not number:
        return AnswerScore(annotator, kind, 0, 0, *(None,) * 8)
    return AnswerScore(
        annotator,
        kind,
        number,
        sum(each.unknown for each in scored),
        sum(each.exact for each in scored) / number,
        sum(each.equal for each in scored) / number,
        *_means([each.rouge_1 for each in scored]),
        *_means([each.rouge_l for each in scored]),
    )


def _means(found: Sequence[Overlap]) -> Iterator[float]:
    """Yield the mean F1, precision and recall of one overlap or more."""
    for part in zip(*((each.f1, each.precision, each.recall) for each in found), strict=True):
        yield fsum(part) / len(found)
