"""Agreement of a release on figure types, question-answer pairs and people's answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agreement.columns import Submitted
from agreement.questions import ItemReport, item_report
from panelwise.domain import Annotation, QAItem


def items_agreement_of(
    works: Iterable[Submitted], gold: Mapping[tuple[str, str], QAItem]
) -> dict[str, list[dict[str, Any]]]:
    """Return the agreement of one phase's work on items: `judgements`, and `answers` compared to the gold.

    works: at most one per annotator and figure. gold: (figure, pair's id) -> the gold's pair where it changed one.
    A judgement's `units` are the figures or pairs that two or more judged; its values are None if undefined.
    """
    rows = [each for each in works if isinstance(each, Annotation)]
    came = {(each.figure.id, pair.id): pair for each in rows for pair in each.figure.imported.pairs}
    report = item_report(rows, came, {**came, **gold})
    return {"judgements": [], "answers": []} if report is None else _record(report)


def _record(report: ItemReport) -> dict[str, list[dict[str, Any]]]:
    scores = [report.compound, report.types, *(score for kind, score in report.verdicts if kind is None)]
    judgements = [
        {
            "name": score.name,
            "units": score.all.units,
            "observed": score.all.observed,
            "alpha": score.all.alpha,
        }
        for score in scores
        if score is not None
    ]
    count = report.count
    if count is not None:
        judgements.append(
            {"name": "number of subfigures", "units": count.units, "observed": count.same, "alpha": None}
        )
    answers = report.answers.scores if report.answers is not None else ()
    return {
        "judgements": judgements,
        "answers": [
            {"answers": each.answers, "equal": each.equal, "rouge_l": each.rouge_l}
            for each in answers
            if each.annotator is None and each.kind is None
        ],
    }
