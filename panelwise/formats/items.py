"""Figure types, QA verdicts and answers inside an annotation: the keys `kind`, `verdicts`, `answers`."""

from __future__ import annotations

from typing import Any

from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.files.jsonl import Fields


def items_record(items: Items) -> dict[str, Any]:
    """Return the keys to write, without missing ones."""
    record: dict[str, Any] = {}
    if items.kind is not None:
        kind = items.kind
        record["kind"] = {
            "compound": kind.compound,
            "count": kind.count,
            "types": sorted(kind.types),
            "note": kind.note,
        }
    if items.verdicts:
        record["verdicts"] = [
            {"instance_id": verdict.item, **verdict_record(verdict)} for verdict in items.verdicts
        ]
    if items.answers:
        record["answers"] = [
            {"instance_id": answer.item, "answer": answer.answer, "note": answer.note} for answer in items.answers
        ]
    return record


def verdict_record(verdict: QAVerdict) -> dict[str, Any]:
    """Return a verdict, without the pair's id."""
    return {
        "verdict": verdict.verdict.value,
        "edited": None if verdict.edited is None else qa_record(verdict.edited),
        "note": verdict.note,
    }


def qa_record(item: QAItem) -> dict[str, Any]:
    """Return a question-answer pair, with SciVQA's keys."""
    return {
        "instance_id": item.id,
        "question": item.question,
        "qa_pair_type": item.kind.value,
        "answer_options": list(item.choices),
        "answer": item.answer,
        "evidence": sorted(item.evidence),
    }


def read_items(fields: Fields) -> Items:
    """Return the items of a record. Raises FormatError, or InvalidAnnotation for a pair judged twice."""
    return Items(
        kind=_read_kind(fields),
        verdicts=tuple(_read_verdict(entry) for entry in fields.objects("verdicts")),
        answers=tuple(_read_answer(entry) for entry in fields.objects("answers")),
    )


def read_qa(fields: Fields, choices: tuple[str, ...] | None = None) -> QAItem:
    """Return a question-answer pair. choices: if they are not a plain list of texts.

    Raises FormatError for an unknown type.
    """
    text = fields.text("qa_pair_type")
    try:
        kind = QAKind(text)
    except ValueError:
        raise fields.error("qa_pair_type", f'is "{text}", none of the seven types') from None
    return QAItem(
        id=fields.text("instance_id"),
        question=fields.optional_text("question"),
        kind=kind,
        choices=fields.texts("answer_options") if choices is None else choices,
        answer=fields.optional_text("answer"),
        evidence=frozenset(fields.texts("evidence")),
    )


def _read_kind(fields: Fields) -> FigureKind | None:
    if not fields.mapping("kind"):
        return None
    entry = fields.inside("kind")
    compound = entry.record.get("compound")
    if compound is not None and not isinstance(compound, bool):
        raise entry.error("compound", "is neither true, false nor null")
    count = entry.optional_number("count")
    if count is not None and (count < 0 or count != int(count)):
        raise entry.error("count", f"holds {count}, not a whole number from 0 up")
    return FigureKind(
        compound=compound,
        count=None if count is None else int(count),
        types=frozenset(name for name in entry.texts("types") if name.strip()),
        note=entry.optional_text("note"),
    )


def _read_verdict(entry: Fields) -> QAVerdict:
    verdict = entry.choice("verdict", Verdict)
    edited = entry.mapping("edited")
    pair = read_qa(Fields(entry.where, edited, "edited.")) if edited else None
    return QAVerdict(entry.text("instance_id"), verdict, pair, entry.optional_text("note"))


def _read_answer(entry: Fields) -> HumanAnswer:
    answer = entry.record.get("answer")
    text = None if answer is None else entry.optional_text("answer")
    return HumanAnswer(entry.text("instance_id"), text, entry.optional_text("note"))
