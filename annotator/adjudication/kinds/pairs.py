"""Verdicts on question-answer pairs, and answers of human evaluation, on the screen of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import msgspec

from annotator.adjudication.decision_fields import MOST_OPTIONS, Name, Note, Text
from annotator.adjudication.kinds.support import ItemOpinions, KindSupport, Voices, by_key, quoted, with_note
from panelwise.domain import ANSWERS, PAIRS, HumanAnswer, QAItem, QAKind, QAVerdict, Verdict, plain


class PairValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question-answer pair without its id. evidence: labels of subfigures, in order."""

    type: QAKind
    question: Text
    choices: Annotated[tuple[Text, ...], msgspec.Meta(max_length=MOST_OPTIONS)]
    answer: Text
    evidence: Annotated[tuple[Name, ...], msgspec.Meta(max_length=100)] = ()


class PairWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The decision on one pair. item: its id. edited: the corrected pair, None if it was not edited."""

    item: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    verdict: Verdict
    edited: PairValue | None = None
    note: Note = ""


class AnswerWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's own answer to a question. item: its pair's id. answer: None for "I don't know"."""

    item: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    answer: Text | None
    note: Note = ""


@dataclass(frozen=True, slots=True)
class PairReading:
    """One annotator's opinion on a pair."""

    annotator: str
    verdict: Verdict
    edited: PairValue | None
    note: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A person's own answer in human evaluation, None for "I don't know"; shown beside the pair."""

    annotator: str
    answer: str | None
    note: str


@dataclass(frozen=True, slots=True)
class PairItem:
    """A pair to be adjudicated; see `KindItem`. original: None for a pair that the figure no longer has."""

    id: str
    original: PairValue | None
    readings: tuple[PairReading, ...]
    proposal: PairWord
    supporters: tuple[str, ...]
    conflict: bool
    reasons: tuple[str, ...]
    preselected: bool
    answers: tuple[Answered, ...] = ()


def pair_value(pair: QAItem) -> PairValue:
    """A pair in plain values."""
    return PairValue(pair.kind, pair.question, pair.choices, pair.answer, tuple(sorted(pair.evidence)))


def pair_word(verdict: QAVerdict) -> PairWord:
    """A verdict in plain values."""
    edited = None if verdict.edited is None else pair_value(verdict.edited)
    return PairWord(verdict.item, verdict.verdict, edited, verdict.note)


def verdict_of(word: PairWord) -> QAVerdict:
    """The verdict that a reviewer sent."""
    edited = word.edited
    pair = None
    if edited is not None:
        pair = QAItem(
            id=word.item,
            question=edited.question.strip(),
            kind=edited.type,
            choices=tuple(choice.strip() for choice in edited.choices),
            answer=edited.answer.strip(),
            evidence=frozenset(name for name in edited.evidence if name),
        )
    return QAVerdict(word.item, word.verdict, pair, word.note.strip())


def answer_word(answer: HumanAnswer) -> AnswerWord:
    """A person's own answer in plain values."""
    return AnswerWord(answer.item, answer.answer, answer.note)


def answer_of(word: AnswerWord) -> HumanAnswer:
    """The answer that a person sent."""
    return HumanAnswer(word.item, word.answer if word.answer is None else word.answer.strip(), word.note.strip())


def _check(word: PairWord) -> str:
    if word.verdict is Verdict.CORRECT and word.edited is not None:
        return f"edited: a pair that is correct has no edit; choose {Verdict.INCORRECT}"
    return ""


def pair_item(voices: Voices, name: str, original: QAItem | None) -> PairItem:
    """One pair to adjudicate."""
    opinions = ItemOpinions(voices, PAIRS, name)
    differences = _differences(opinions.parts, original) if len(opinions.groups) > 1 else []
    missing = [] if original else ["the figure does not have this pair; it may have been imported since"]
    proposal = PairWord(name, Verdict.CORRECT)
    if opinions.majority:
        word = pair_word(opinions.majority[0])
        proposal = PairWord(name, word.verdict, word.edited, opinions.note)
    return PairItem(
        id=name,
        original=None if original is None else pair_value(original),
        readings=by_key(
            PairReading(voices.key(who), word.verdict, word.edited, word.note)
            for who, word in ((who, pair_word(verdict)) for who, verdict in opinions.parts.items())
        ),
        proposal=proposal,
        reasons=(*opinions.reasons, *differences, *missing),
        answers=by_key(
            Answered(voices.key(who), answer.answer, answer.note)
            for who, answer in voices.answers.get(name, {}).items()
        ),
        **opinions.fields,
    )


def _differences(given: Mapping[str, QAVerdict], original: QAItem | None) -> list[str]:
    """List the fields in which opinions on a pair differ: the verdict, or fields of the edited pair."""
    verdicts = Counter(each.verdict for each in given.values())
    if len(verdicts) > 1:
        wrong = verdicts[Verdict.INCORRECT]
        return [f"{wrong} of {len(given)} {'finds' if wrong == 1 else 'find'} it incorrect"]
    pairs = [each.edited or original for each in given.values()]
    known = [each for each in pairs if each is not None]
    if len(known) < len(pairs):
        return ["the edits differ"]
    parts = (
        ("type", {each.kind for each in known}),
        ("question", {plain(each.question) for each in known}),
        ("options", {tuple(map(plain, each.choices)) for each in known}),
        ("answer", {plain(each.answer) for each in known}),
    )
    names = [name for name, values in parts if len(values) > 1]
    if not names:
        return ["one edits it, another calls it incorrect without an edit"]
    return [f"the edits differ: {', '.join(names)}"]


def _line(verdict: QAVerdict, original: QAItem | None) -> str:
    return with_note(", ".join([verdict.verdict.value, *_edits(original, verdict.edited)]), verdict.note)


def _change(original: QAItem | None, old: QAVerdict | None, new: QAVerdict | None) -> str:
    return "not judged any more" if new is None else ", ".join(_changes(original, old, new))


def _changes(original: QAItem | None, old: QAVerdict | None, new: QAVerdict) -> Iterator[str]:
    if old is None:
        yield new.verdict.value
    elif old.verdict is not new.verdict:
        yield f"{new.verdict.value}, was {old.verdict.value}"
    yield from _edits((old.edited if old else None) or original, new.edited or original)
    if new.note != (old.note if old else ""):
        yield f"note {quoted(new.note)}"


def _edits(old: QAItem | None, new: QAItem | None) -> Iterator[str]:
    """Describe the changed fields of a pair: answer “B”, was “A”."""
    if new is None:
        return
    for name, now, was in (
        ("type", new.kind.phrase, old.kind.phrase if old else ""),
        ("question", new.question, old.question if old else ""),
        ("options", " / ".join(new.choices), " / ".join(old.choices) if old else ""),
        ("answer", new.answer, old.answer if old else ""),
    ):
        if now != was:
            yield f"{name} {quoted(now)}, was {quoted(was)}"


def _answer_line(answer: HumanAnswer, _original: QAItem | None) -> str:
    line = "no answer" if answer.answer is None else f"answered {quoted(answer.answer)}"
    return with_note(line, answer.note)


VERDICTS = KindSupport(
    PAIRS,
    sent=PairWord,
    value=pair_word,
    part=verdict_of,
    line=_line,
    shown="pairs",
    state=PairItem,
    originals=lambda figure: figure.imported.by_id,
    untouched=lambda figure: [QAVerdict(name, Verdict.CORRECT) for name in figure.imported.by_id],
    check=_check,
    item=pair_item,
    change=_change,
)
OWN_ANSWERS = KindSupport(ANSWERS, sent=AnswerWord, value=answer_word, part=answer_of, line=_answer_line)
