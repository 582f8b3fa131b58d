"""Figure types, verdicts on pairs and human answers as plain values for JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from agreement.chance.categories import CategoryScore
from agreement.questions.human_answers import AnswerScore, AnswerScores
from agreement.questions.items import EditRate, ItemReport
from agreement.questions.judgements import ONE_VERDICT, CountScore, JudgementScore
from panelwise.domain.items import QAKind

#: What stands for all types of pair.
ALL = "all"
#: Why scores of answers, and parts of a report, are null.
NO_ANSWERS = "no answer to a question with a gold answer"
NO_JUDGE = "no annotator judged this"

Value = TypeVar("Value")


def items_record(items: ItemReport | None) -> dict[str, Any] | None:
    """Return the agreement on items; null without items."""
    if items is None:
        return None
    return {
        "annotations": items.annotations,
        **_part("compound", items.compound, _judgement),
        **_part("types", items.types, _sets),
        "tags": [{**asdict(each), "reason": each.reason or None} for each in items.tags],
        **_part("count", items.count, _count),
        "verdicts": [{"qa_pair_type": _kind(kind), **_judgement(score)} for kind, score in items.verdicts],
        "verdicts_of_no_known_type": items.unknown,
        "edits": [_edits(each) for each in items.edits],
        **_part("answers", items.answers, _answers),
    }


def category_record(each: CategoryScore) -> dict[str, Any]:
    """Return the agreement of all annotators on one kind of judgement."""
    return {
        "name": each.name,
        "units": each.units,
        "observed": each.observed,
        "fleiss_kappa": each.fleiss,
        "gwet_ac1": each.ac1,
        "alpha": each.alpha,
        "reason": each.reason or None,
    }


def _part(name: str, value: Value | None, record: Callable[[Value], dict[str, Any]]) -> dict[str, Any]:
    """Return a part under its name, and the reason if it is null."""
    return {
        name: None if value is None else record(value),
        f"{name}_reason": NO_JUDGE if value is None else None,
    }


def _kind(kind: QAKind | None) -> str:
    """Return SciVQA's name of a type of pair."""
    return ALL if kind is None else kind.value


def _judgement(score: JudgementScore) -> dict[str, Any]:
    return {
        **category_record(score.all),
        "light_kappa": score.light,
        "light_kappa_reason": None if score.light is not None else score.all.reason or ONE_VERDICT,
        "pairs": [
            {
                "annotators": list(each.annotators),
                "units": each.units,
                "observed": each.observed,
                "kappa": each.kappa,
                "reason": each.reason or None,
            }
            for each in score.pairs
        ],
    }


def _sets(score: JudgementScore) -> dict[str, Any]:
    """Return the values that are defined for sets."""
    record = category_record(score.all)
    return {key: record[key] for key in ("name", "units", "observed", "alpha", "reason")}


def _count(count: CountScore) -> dict[str, Any]:
    return {
        "units": count.units,
        "mean_difference": count.difference,
        "same": count.same,
        "linear_kappa": count.linear,
        "quadratic_kappa": count.quadratic,
        "reason": count.reason or None,
        "pairs": [
            {
                "annotators": list(each.annotators),
                "units": each.units,
                "mean_difference": each.difference,
                "linear_kappa": each.linear,
                "quadratic_kappa": each.quadratic,
                "reason": each.reason or None,
            }
            for each in count.pairs
        ],
    }


def _edits(each: EditRate) -> dict[str, Any]:
    return {
        "qa_pair_type": _kind(each.kind),
        "judged": each.judged,
        "incorrect": each.incorrect,
        "rate": each.rate,
        "edited": each.edited,
        "question": each.question,
        "options": each.options,
        "answer": each.answer,
        "type": each.type,
    }


def _answers(answers: AnswerScores) -> dict[str, Any]:
    people = dict.fromkeys(each.annotator for each in answers.scores if each.annotator is not None)
    return {
        "everybody": [
            {**_score(each), "reason": None if each.answers else NO_ANSWERS}
            for each in answers.scores
            if each.annotator is None
        ],
        "annotators": [
            {"annotator": name, "scores": [_score(each) for each in answers.scores if each.annotator == name]}
            for name in people
        ],
        "without_gold": answers.without_gold,
    }


def _score(each: AnswerScore) -> dict[str, Any]:
    return {
        "qa_pair_type": _kind(each.kind),
        "answers": each.answers,
        "unknown": each.unknown,
        "exact_match": each.exact,
        "equal": each.equal,
        "rouge_1": each.rouge_1,
        "rouge_l": each.rouge_l,
    }
