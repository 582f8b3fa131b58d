"""Figure types, verdicts on pairs and human answers as table rows; no row for what was not judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agreement.questions.answer_texts import Overlap
from agreement.questions.items import ItemReport
from agreement.questions.judgements import CountScore, JudgementScore
from agreement.report.json.items import ALL, NO_ANSWERS
from panelwise.domain.items import QAKind

Rows = Iterable[Sequence[object]]
#: Why types have neither kappas nor AC1.
SETS = "kappas and AC1 are undefined for sets"

JUDGEMENT_COLUMNS = (
    *("judgement", "qa_pair_type", "annotator", "other annotator", "units", "observed"),
    *("Cohen's kappa", "Light's kappa", "Fleiss' kappa", "AC1", "alpha", "reason"),
)
COUNT_COLUMNS = (
    "annotator",
    "other annotator",
    "units",
    "mean difference",
    "same",
    "linear",
    "quadratic",
    "reason",
)
TYPE_COLUMNS = ("type", "given", "figures", "observed", "positive", "Fleiss' kappa", "AC1", "reason")
EDIT_COLUMNS = ("qa_pair_type", "judged", "incorrect", "rate", "edited", "question", "options", "answer", "type")
ANSWER_COLUMNS = (
    *("annotator", "qa_pair_type", "answers", "unknown", "exact match", "equal", "ROUGE-1", "ROUGE-1 precision"),
    *("ROUGE-1 recall", "ROUGE-L", "ROUGE-L precision", "ROUGE-L recall", "reason"),
)


def judgement_rows(items: ItemReport | None) -> Rows:
    """Yield rows for all annotators, then for each two; types of pairs are SciVQA's."""
    if items is None:
        return
    if items.compound is not None:
        yield from _judgement(items.compound.name, "", items.compound)
    if items.types is not None:
        yield from _judgement(items.types.name, "", items.types, SETS)
    for kind, score in items.verdicts:
        yield from _judgement("question-answer verdicts", _kind(kind), score)


def count_rows(items: ItemReport | None) -> Rows:
    """Yield a row for all annotators, then one for each two."""
    count: CountScore | None = None if items is None else items.count
    if count is None:
        return
    whole = (count.units, count.difference, count.same, count.linear, count.quadratic, count.reason)
    yield ("", "", *whole)
    for each in count.pairs:
        numbers = (each.units, each.difference, None, each.linear, each.quadratic, each.reason)
        yield (*each.annotators, *numbers)


def type_rows(items: ItemReport | None) -> Rows:
    """Yield a row per figure type."""
    for each in () if items is None else items.tags:
        yield each.tag, each.given, each.units, each.observed, each.positive, each.fleiss, each.ac1, each.reason


def edit_rows(items: ItemReport | None) -> Rows:
    """Yield a row per type of pair; the last one is for all."""
    for each in () if items is None else items.edits:
        parts = (each.edited, each.question, each.options, each.answer, each.type)
        yield (_kind(each.kind), each.judged, each.incorrect, each.rate, *parts)


def answer_rows(items: ItemReport | None) -> Rows:
    """Yield a row per annotator and type of pair; an empty annotator stands for all."""
    answers = None if items is None else items.answers
    for each in () if answers is None else answers.scores:
        scores = (each.exact, each.equal, *_parts(each.rouge_1), *_parts(each.rouge_l))
        who = each.annotator or ""
        yield (who, _kind(each.kind), each.answers, each.unknown, *scores, "" if each.answers else NO_ANSWERS)


def _parts(found: Overlap | None) -> Sequence[float | None]:
    return (None, None, None) if found is None else (found.f1, found.precision, found.recall)


def _judgement(name: str, kind: str, score: JudgementScore, reason: str = "") -> Iterator[Sequence[object]]:
    """reason: why some measures are undefined for such judgements at all."""
    whole = score.all
    numbers = (whole.observed, None, score.light, whole.fleiss, whole.ac1, whole.alpha)
    yield (name, kind, "", "", whole.units, *numbers, whole.reason or reason)
    for each in score.pairs:
        yield (name, kind, *each.annotators, each.units, each.observed, each.kappa, *[None] * 4, each.reason)


def _kind(kind: QAKind | None) -> str:
    return ALL if kind is None else kind.value
