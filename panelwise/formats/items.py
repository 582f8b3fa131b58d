"""The items of an annotation: the parts of each kind, under its key in a record: `kind`, `verdicts`, `answers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.items import (
    NO_ITEMS,
    FigureKind,
    HumanAnswer,
    Items,
    Part,
    QAItem,
    QAKind,
    QAVerdict,
    Verdict,
)
from panelwise.domain.kinds import ANSWERS, PAIRS, TYPES, Kind
from panelwise.files.jsonl import Fields
from panelwise.formats.content import Content
from panelwise.formats.typed_fields import Name, as_struct, shaped


class FigureType(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """The key `kind`: the type of a figure; see `panelwise.domain.items.FigureKind`."""

    compound: bool | None = None
    count: Annotated[int, Meta(ge=0)] | None = None
    types: list[str] | None = None
    note: str | None = None


_PairType = Annotated[QAKind, Meta(extra={"unknown": ", none of the seven types"})]


#: A text that libraries write as a number where it is one.
_Words = Annotated[str, Meta(extra={"words": True})]


class QuestionAnswer(msgspec.Struct, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A question-answer pair, with SciVQA's keys."""

    qa_pair_type: _PairType
    instance_id: Name
    question: str | None = None
    answer_options: list[str] | None = None
    answer: _Words | None = None
    evidence: list[str] | None = None


class Judgement(msgspec.Struct, gc=False, kw_only=True):
    """An entry of `verdicts`: a judgement of one question-answer pair. edited: the corrected pair."""

    verdict: Verdict
    edited: QuestionAnswer | None = None
    instance_id: Name
    note: str | None = None


class Answer(msgspec.Struct, gc=False, kw_only=True):
    """An entry of `answers`: a person's own answer. answer: None for "I don't know"."""

    answer: _Words | None
    instance_id: Name
    note: str | None = None


def items_record(items: Items) -> dict[str, Any]:
    """Return the keys to write, without missing ones."""
    record: dict[str, Any] = {}
    for kind, layout in _LAYOUTS.items():
        for name, part in kind.parts(items).items():
            if kind.on_pairs:
                record.setdefault(kind.field, []).append({"instance_id": name, **layout.write(part)})
            else:
                record[kind.field] = layout.write(part)
    return record


def kind_record(kind: FigureKind) -> dict[str, Any]:
    """Return a figure's type."""
    return {"compound": kind.compound, "count": kind.count, "types": sorted(kind.types), "note": kind.note}


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
    """Return the items of a record of ours. Raises FormatError for a broken one, and for a key of no kind."""
    if unknown := sorted(fields.record.keys() - Judged.__struct_fields__):
        raise fields.error(unknown[0], "is of no kind that this version knows; use the version that wrote it")
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
    if not is_judged(record):
        return NO_ITEMS
    parts: list[Part] = []
    for (kind, layout), value in zip(_LAYOUTS.items(), judged_values(record), strict=True):
        if kind.on_pairs:
            parts += content.read_values(value or (), layout.name, _once(kind.field, layout.read, fields))
        elif value is not None:
            try:
                part = layout.read(value, 0, fields)
            except AnnotatorError as error:
                content.refuse(layout.name, error)
            else:
                parts += [] if part is None else [part]
    return Items(parts=parts) if parts else NO_ITEMS


def _once(key: str, read: Callable[[Any, int, Fields], Any], fields: Fields) -> Callable[[Any, int], Part]:
    """Let `read` refuse a second entry on one pair."""
    seen: set[str] = set()

    def once(value: Any, place: int) -> Part:
        made: Part = read(value, place, fields)
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


def _kind_of(value: Any, _place: int, fields: Fields) -> FigureKind | None:
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


@dataclass(frozen=True, slots=True)
class _Layout:
    """Writer and reader of a kind's parts. name: of a part, in messages. shape: its keys.

    write: the keys but the pair's id. read: makes one of a value, its place in the list and the record; None if it
    is empty.
    """

    name: str
    shape: type[msgspec.Struct]
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Any, int, Fields], Any]


_LAYOUTS: Mapping[Kind, _Layout] = {
    TYPES: _Layout("figure type", FigureType, kind_record, _kind_of),
    PAIRS: _Layout("verdict", Judgement, verdict_record, _verdict),
    ANSWERS: _Layout("answer", Answer, lambda answer: {"answer": answer.answer, "note": answer.note}, _answer),
}
if TYPE_CHECKING:
    _Keys = msgspec.Struct
else:
    _Keys = msgspec.defstruct(
        "_Keys",
        [
            (kind.field, (list[layout.shape] if kind.on_pairs else layout.shape) | None, None)
            for kind, layout in _LAYOUTS.items()
        ],
        kw_only=True,
        gc=False,
    )


class Judged(_Keys, gc=False, kw_only=True):
    """The contents of a record besides its subfigures: a key for each kind."""


#: Returns the value of each kind's key; None of a kind that is not judged.
judged_values = attrgetter(*(kind.field for kind in _LAYOUTS))
_NO_VALUES = (None,) * len(_LAYOUTS)


def is_judged(record: Judged) -> bool:
    """Return whether a record has contents besides its subfigures."""
    return bool(judged_values(record) != _NO_VALUES)
