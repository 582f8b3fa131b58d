"""Figure types, QA verdicts and answers inside an annotation: the keys `kind`, `verdicts`, `answers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.items import NO_ITEMS, FigureKind, HumanAnswer, Items, QAItem, QAVerdict
from panelwise.files.jsonl import Fields
from panelwise.formats.content import Content
from panelwise.formats.shapes import Answer, FigureType, Judged, Judgement, QuestionAnswer, as_struct, shaped

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
    return items_of(as_struct(fields, Judged), fields, content)


def items_of(record: Judged, fields: Fields, content: Content) -> Items:
    """Return the items of a typed record; see `read_items`. fields: the record if it is not plainly written."""
    if record.kind is None and not record.verdicts and not record.answers:
        return NO_ITEMS
    kind = None
    try:
        kind = _kind_of(record.kind, fields)
    except AnnotatorError as error:
        content.refuse("figure type", error)
    return Items(
        kind=kind,
        verdicts=tuple(content.read_values(record.verdicts or (), "verdict", _once("verdicts", _verdict, fields))),
        answers=tuple(content.read_values(record.answers or (), "answer", _once("answers", _answer, fields))),
    )


def _once(key: str, read: Callable[[Any, int, Fields], OnPair], fields: Fields) -> Callable[[Any, int], OnPair]:
    """Let `read` refuse a second entry on one pair."""
    seen: set[str] = set()

    def once(value: Any, place: int) -> OnPair:
        made = read(value, place, fields)
        if made.item in seen:
            raise fields.error(f"{key}[{place}].instance_id", f'is "{made.item}", a pair that is judged before')
        seen.add(made.item)
        return made

    return once


def read_qa(fields: Fields, choices: tuple[str, ...]) -> QAItem:
    """Return a question-answer pair whose choices are not a plain list of texts.

    Raises FormatError for an unknown type.
    """
    return _pair_of(as_struct(fields.replaced("answer_options", list(choices)), QuestionAnswer))


def _kind_of(value: Any, fields: Fields) -> FigureKind | None:
    """Return the figure type; None without any value in it, as data set libraries fill a missing one."""
    if isinstance(value, FigureType):
        entry, empty = value, value == FigureType()
    else:
        entry, empty = as_struct(fields.inside("kind"), FigureType), not fields.has_content("kind")
    if empty:
        return None
    types = frozenset(name for name in entry.types or () if name.strip())
    return FigureKind(entry.compound, entry.count, types, entry.note or "")


def _verdict(value: Any, place: int, fields: Fields) -> QAVerdict:
    entry = shaped(value, Judgement, fields, "verdicts", place)
    pair: Any = entry.edited
    if pair is not None and not isinstance(pair, QuestionAnswer):
        written = fields.element("verdicts", place, value)
        pair = as_struct(written.inside("edited"), QuestionAnswer) if written.has_content("edited") else None
    return QAVerdict(entry.instance_id, entry.verdict, None if pair is None else _pair_of(pair), entry.note or "")


def _pair_of(pair: QuestionAnswer) -> QAItem:
    return QAItem(
        id=pair.instance_id,
        question=pair.question or "",
        kind=pair.qa_pair_type,
        choices=tuple(pair.answer_options or ()),
        answer=pair.answer or "",
        evidence=frozenset(pair.evidence or ()),
    )


def _answer(value: Any, place: int, fields: Fields) -> HumanAnswer:
    if isinstance(value, dict) and "answer" not in value:
        raise fields.error(f"answers[{place}].answer", 'is missing; give a text, or null for "I don\'t know"')
    entry = shaped(value, Answer, fields, "answers", place)
    return HumanAnswer(entry.instance_id, entry.answer, entry.note or "")
