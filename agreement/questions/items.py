"""A phase's figure types, verdicts on question-answer pairs, and annotators' own answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from agreement.chance.coefficients import masi_distance
from agreement.questions.human_answers import AnswerScores, Pairs, answer_scores
from agreement.questions.judgements import (
    CountScore,
    JudgementScore,
    TagScore,
    count_score,
    judgement_score,
    tag_scores,
)
from panelwise.domain import NO_ITEMS, Annotation, QAItem, QAKind, QAVerdict, Status, Verdict, type_name


@dataclass(frozen=True, slots=True)
class EditRate:
    """Edits of pairs of one type, or of all (kind None); each person's verdict counts.

    incorrect: judged Incorrect.Edit. edited: with any change; question, options, answer and type: with a change of
    that part. Edits of pairs whose original is unknown count as edited but not by part.
    """

    kind: QAKind | None
    judged: int
    incorrect: int
    edited: int
    question: int
    options: int
    answer: int
    type: int

    @property
    def rate(self) -> float | None:
        """Share judged Incorrect.Edit; None without verdicts."""
        return self.incorrect / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class ItemReport:
    """Results on items; a part is empty, or None, if it was not judged.

    verdicts: by type of pair, those that occur, then all. edits: likewise. unknown: verdicts on pairs of unknown
    type, in no score by type.
    """

    annotations: int
    compound: JudgementScore | None
    types: JudgementScore | None
    tags: tuple[TagScore, ...]
    count: CountScore | None
    verdicts: tuple[tuple[QAKind | None, JudgementScore], ...]
    edits: tuple[EditRate, ...]
    answers: AnswerScores | None
    unknown: int


def item_report(work: Iterable[Annotation], came: Pairs, gold: Pairs | None = None) -> ItemReport | None:
    """Report on items; None if no annotation contains any.

    work: of one phase, at most one per annotator and figure; ignored figures are left out. came: the imported
    pairs. gold: the adjudicated pairs to compare answers to; None: the imported ones.
    """
    rows = [each for each in work if each.status is not Status.IGNORED and each.items != NO_ITEMS]
    if not rows:
        return None
    compound: dict[str, dict[str, Hashable]] = {}
    types: dict[str, dict[str, frozenset[str]]] = {}
    count: dict[str, dict[str, int]] = {}
    for each in rows:
        kind = each.items.kind
        if kind is not None and kind.compound is not None:
            compound.setdefault(each.figure.id, {})[each.annotator] = kind.compound
        if kind is not None and kind.types:
            types.setdefault(each.figure.id, {})[each.annotator] = frozenset(map(type_name, kind.types))
        if kind is not None and kind.count is not None:
            count.setdefault(each.figure.id, {})[each.annotator] = kind.count
    verdicts = [(each, verdict) for each in rows for verdict in each.items.verdicts]
    known = {(each.figure.id, verdict.item): _kind(each, verdict, came) for each, verdict in verdicts}
    return ItemReport(
        annotations=len(rows),
        compound=judgement_score("compound or not", compound, (True, False)) if compound else None,
        types=judgement_score("figure types", types, None, masi_distance) if types else None,
        tags=tag_scores(types),
        count=count_score(count) if count else None,
        verdicts=tuple(_verdicts(verdicts, known)),
        edits=tuple(_edits(verdicts, known, came)),
        answers=answer_scores(rows, came if gold is None else gold),
        unknown=sum(known[each.figure.id, verdict.item] is None for each, verdict in verdicts),
    )


#: Pairs by figure and id, with their types if known.
_Kinds = dict[tuple[str, str], QAKind | None]
_Verdicts = Sequence[tuple[Annotation, QAVerdict]]


def _kind(each: Annotation, verdict: QAVerdict, came: Pairs) -> QAKind | None:
    item = came.get((each.figure.id, verdict.item))
    return None if item is None else item.kind


def _verdicts(verdicts: _Verdicts, known: _Kinds) -> Iterator[tuple[QAKind | None, JudgementScore]]:
    judged: dict[tuple[str, str], dict[str, Hashable]] = {}
    for each, verdict in verdicts:
        judged.setdefault((each.figure.id, verdict.item), {})[each.annotator] = verdict.verdict
    by_kind = {kind: {unit: judged[unit] for unit in judged if known[unit] is kind} for kind in QAKind}
    for kind, own in by_kind.items():
        if own:
            yield kind, judgement_score(kind.brief, own, tuple(Verdict))
    if judged:
        yield None, judgement_score("question-answer verdicts", judged, tuple(Verdict))


def _edits(verdicts: _Verdicts, known: _Kinds, came: Pairs) -> Iterator[EditRate]:
    by_kind: dict[QAKind | None, list[tuple[QAVerdict, QAItem | None]]] = {}
    for each, verdict in verdicts:
        place = (each.figure.id, verdict.item)
        by_kind.setdefault(known[place], []).append((verdict, came.get(place)))
    for kind in QAKind:
        if kind in by_kind:
            yield _edit_rate(kind, by_kind[kind])
    if by_kind:
        yield _edit_rate(None, [each for own in by_kind.values() for each in own])


def _edit_rate(kind: QAKind | None, judged: Sequence[tuple[QAVerdict, QAItem | None]]) -> EditRate:
    parts = [_changed(verdict.edited, item) for verdict, item in judged if verdict.edited is not None]
    return EditRate(
        kind,
        len(judged),
        sum(verdict.verdict is Verdict.INCORRECT for verdict, _ in judged),
        sum(changed is None or any(changed) for changed in parts),
        *(sum(changed is not None and changed[place] for changed in parts) for place in range(4)),
    )


def _changed(edited: QAItem, item: QAItem | None) -> tuple[bool, bool, bool, bool] | None:
    """Return whether question, options, answer and type were changed; None if the original pair is unknown."""
    if item is None:
        return None
    return (
        edited.question.strip() != item.question.strip(),
        [each.strip() for each in edited.choices] != [each.strip() for each in item.choices],
        edited.answer.strip() != item.answer.strip(),
        edited.kind is not item.kind,
    )
