"""Systems that answer questions, scored against the gold answers and compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.primitives.iou import Matrix
from agreement.primitives.token_sets import Mask
from agreement.questions.answer_texts import Overlap
from agreement.questions.human_answers import Pairs, score_answer
from agreement.resampling.clusters import Ratio, ratios
from panelwise.domain import QAItem, QAKind

#: What is measured of each answer, in this order; `BERT` follows where a model is given.
MEASURES = (
    *("exact_match", "equal", "rouge_1", "rouge_1_precision", "rouge_1_recall"),
    *("rouge_l", "rouge_l_precision", "rouge_l_recall"),
)
BERT = ("bert_score", "bert_score_precision", "bert_score_recall")
#: Systems are ranked by this.
RANKED_BY = "rouge_1"

#: (figure, pair's id) -> a system's answer; None for "I don't know".
Answers = Mapping[tuple[str, str], str | None]
#: Similarity of (gold, answer) by a language model.
Similarity = Callable[[Sequence[tuple[str, str]]], Sequence[Overlap]]


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system on the questions of one type, or on all (kind None).

    missing: questions that it has no answer to, which count as wrong; unknown: those it does not know. measures:
    mean over the questions by name, with the interval from draws of `SystemComparison.unit`.
    """

    system: str
    kind: QAKind | None
    questions: int
    missing: int
    unknown: int
    measures: Mapping[str, Ratio]


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """scores: of each system by type, then on all; the best system first. behind: name -> the best system's lead
    over it by measure; the best has no entry. surplus: name -> answers to questions that the gold does not have.
    unit: what was resampled, "article" if figures share some, else "figure".
    """

    scores: tuple[SystemScore, ...]
    behind: Mapping[str, Mapping[str, Ratio]]
    surplus: Mapping[str, int]
    figures: int
    questions: int
    resamples: int
    seed: int
    unit: str

    @property
    def ranking(self) -> tuple[SystemScore, ...]:
        """Each system's scores on all questions, the best first."""
        return tuple(each for each in self.scores if each.kind is None)


def compare_answers(
    gold: Pairs,
    systems: Mapping[str, Answers],
    *,
    resamples: int,
    seed: int = 0,
    similarity: Similarity | None = None,
    articles: Mapping[str, str] | None = None,
) -> SystemComparison:
    """Score each system on all questions of the gold, of which there is one or more.

    Questions of an article are drawn together, the same draws for all systems. similarity: for BERTScore.
    articles: figure -> its article; a figure without one is an article of its own.
    """
    questions = sorted(gold)
    names = MEASURES if similarity is None else (*MEASURES, *BERT)
    rows = {name: _rows(gold, questions, own, similarity) for name, own in systems.items()}
    figures = [figure for figure, _ in questions]
    known = articles or {}
    # A figure may be named as another one's article.
    units = [f"article {known[figure]}" if figure in known else f"figure {figure}" for figure in figures]
    shared = len(set(units)) < len(set(figures))

    def means(table: Matrix, chosen: Mask, low: float = 0.0) -> dict[str, Ratio]:
        clusters = [unit for unit, wanted in zip(units if shared else figures, chosen, strict=True) if wanted]
        own = table[chosen]
        found = ratios(own, np.ones_like(own), clusters, resamples=resamples, seed=seed, low=low)
        return dict(zip(names, found, strict=True))

    everything = np.ones(len(questions), dtype=np.bool_)
    place = names.index(RANKED_BY)
    order = sorted(rows, key=lambda name: (-rows[name][:, place].mean(), name))
    scores = []
    for name in order:
        answers = systems[name]
        for kind in (*QAKind, None):
            chosen = everything if kind is None else np.array([gold[each].kind is kind for each in questions])
            own = [each for each, wanted in zip(questions, chosen, strict=True) if wanted]
            if own:
                missing = sum(each not in answers for each in own)
                unknown = sum(
                    score_answer("", gold[each], answers[each]).unknown for each in own if each in answers
                )
                scores.append(SystemScore(name, kind, len(own), missing, unknown, means(rows[name], chosen)))
    return SystemComparison(
        tuple(scores),
        {name: means(rows[order[0]] - rows[name], everything, low=-1.0) for name in order[1:]},
        {name: len(own.keys() - gold.keys()) for name, own in systems.items()},
        len(set(figures)),
        len(questions),
        resamples,
        seed,
        "article" if shared else "figure",
    )


def _rows(
    gold: Pairs, questions: Sequence[tuple[str, str]], answers: Answers, similarity: Similarity | None
) -> Matrix:
    """(questions, measures), each in [0, 1]."""
    table = np.array([_row(gold[each], answers.get(each)) for each in questions])
    if similarity is None:
        return table
    alike = similarity([(gold[each].answer, answers.get(each) or "") for each in questions])
    return np.hstack([table, [(each.f1, each.precision, each.recall) for each in alike]])


def _row(item: QAItem, answer: str | None) -> list[float]:
    found = score_answer("", item, answer)
    overlaps = (found.rouge_1, found.rouge_l)
    return [
        found.exact,
        found.equal,
        *(part for each in overlaps for part in (each.f1, each.precision, each.recall)),
    ]
