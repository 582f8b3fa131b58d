"""Figure types, QA verdicts and answers inside an annotation: the keys `kind`, `verdicts`, `answers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.files.jsonl import Fields
from panelwise.formats.content import Content

OnPair = TypeVar("OnPair", QAVerdict, HumanAnswer)


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


def stored_items(fields: Fields) -> Items:
    """Return the items of a record of ours. Raises FormatError for a broken one."""
    content = Content()
    items = read_items(fields, content)
    for _, problem in content.lost:
        raise FormatError(problem)
    return items


def read_items(fields: Fields, content: Content) -> Items:
    """Return the items of a record. content: counts them; a broken one, or a second one on a pair, is left out."""
    kind = None
    try:
        kind = _read_kind(fields)
    except AnnotatorError as error:
        content.refuse("figure type", error)
    return Items(
        kind=kind,
        verdicts=tuple(content.read_list(fields, "verdicts", "verdict", _once(_read_verdict))),
        answers=tuple(content.read_list(fields, "answers", "answer", _once(_read_answer))),
    )


def _once(read: Callable[[Fields], OnPair]) -> Callable[[Fields, int], OnPair]:
    """Let `read` refuse a second entry on one pair."""
    seen: set[str] = set()

    def once(entry: Fields, _place: int) -> OnPair:
        made = read(entry)
        if made.item in seen:
            raise entry.error("instance_id", f'is "{made.item}", a pair that is judged before')
        seen.add(made.item)
        return made

    return once


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
    if not fields.has_content("kind"):
        return None
    entry = fields.inside("kind")
    count = entry.whole("count")
    if count is not None and count < 0:
        raise entry.error("count", f"holds {count}, not a whole number from 0 up")
    return FigureKind(
        compound=entry.optional_flag("compound"),
        count=count,
        types=frozenset(name for name in entry.texts("types") if name.strip()),
        note=entry.optional_text("note"),
    )


def _read_verdict(entry: Fields) -> QAVerdict:
    verdict = entry.choice("verdict", Verdict)
    pair = (
        read_qa(Fields(entry.where, entry.mapping("edited"), "edited.")) if entry.has_content("edited") else None
    )
    return QAVerdict(entry.text("instance_id"), verdict, pair, entry.optional_text("note"))


def _read_answer(entry: Fields) -> HumanAnswer:
    if "answer" not in entry.record:
        raise entry.error("answer", 'is missing; give a text, or null for "I don\'t know"')
    answer = entry.record["answer"]
    text = None if answer is None else entry.optional_text("answer")
    return HumanAnswer(entry.text("instance_id"), text, entry.optional_text("note"))
