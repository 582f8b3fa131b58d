"""Read figure types, verdicts and answers from the regions of one Label Studio annotation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.label_studio.answers import part
from annotator.label_studio.payload.items import lettered, shown_options, shown_texts
from label_config import names
from panelwise.domain import (
    ANSWERS,
    IMPOSSIBLE,
    NO_ITEMS,
    PAIRS,
    UNANSWERABLE,
    Figure,
    FigureKind,
    HumanAnswer,
    InvalidAnnotation,
    Items,
    Kind,
    Part,
    Phase,
    QAItem,
    QAKind,
    QAVerdict,
    Status,
    Subfigure,
    Verdict,
    describe_unlisted,
    unlisted_types,
)
from panelwise.files import as_whole, or_none
from panelwise.formats import Content

#: The kind of a pair that the annotator did not answer: there was nothing to read.
UNANSWERED = "pair"
_CHOOSE = "so it is left out; choose one and press Update"
_WITH_OPTIONS = frozenset({QAKind.CHOICE_VISUAL, QAKind.CHOICE_NON_VISUAL})
_KIND_CONTROLS = frozenset({names.COMPOUND, names.COUNT, names.TYPES, names.OTHER_TYPES, names.NOTES})


class ItemsReading:
    """An annotator's items on a figure and its pairs. findings: unusual, but stored. read: what was, and what not.

    Raises InvalidAnnotation if the task shows other pairs than the figure has.
    """

    def __init__(self, figure: Figure, task: Mapping[str, Any], phase: Phase) -> None:
        self.findings: list[str] = []
        self.read = Content()
        self.status = Status.ACCEPTED
        self._phase = phase
        self._chosen: dict[str, tuple[str, ...]] = {}
        self._texts: dict[str, tuple[str, ...]] = {}
        self._number: int | None = None
        self._pairs = dict(_shown_pairs(figure, task, phase))
        self._known = {
            names.STATUS,
            *(_KIND_CONTROLS if phase.asks_for_kind else ()),
            *(names.numbered(name, block) for block in self._pairs for name in _OF_PAIR[phase.kind].controls),
        }

    def take(self, region: Mapping[str, Any]) -> None:
        """Add one region."""
        control, value = str(region.get("from_name")), region.get("value")
        if control.removesuffix(control[-1:]) == names.VERDICT and control not in self._known:
            return  # of a block without a pair, which does not show
        try:
            if not isinstance(value, Mapping) or control not in self._known:
                self.read.leave_out(
                    "region", f'a region of control "{control}" is left out; the campaign\'s config has no such'
                )
            elif control == names.STATUS:
                if names.STATUS_REJECT in listed(value, "choices"):
                    self.status = Status.REJECTED
            elif control == names.COUNT:
                self._take_count(value)
            elif "choices" in value:
                self._chosen[control] = listed(value, "choices")
            else:
                self._texts[control] = listed(value, "text")
        except InvalidAnnotation as error:
            self.read.leave_out("region", f'{error}; this region of control "{control}" is left out')

    def content(self, *, skipped: bool) -> tuple[tuple[Subfigure, ...], Items]:
        """Return the items; call once, after all regions were added."""
        if skipped:
            return (), NO_ITEMS
        parts = [
            part
            for block, pair in self._pairs.items()
            for part in _OF_PAIR[self._phase.kind].read(self, block, pair)
        ]
        return (), Items(self._kind(), parts=parts)

    def _take_count(self, value: Mapping[str, Any]) -> None:
        number = or_none(as_whole, value.get("number"))
        if number is not None and number >= 0:
            self._number = number
        else:
            self.read.leave_out(
                "number",
                f"the number of subfigures is {value.get('number')!r}, so it is left out; give a whole number",
            )

    def _kind(self) -> FigureKind | None:
        if not self._phase.asks_for_kind:
            return None
        compound = self._chosen.get(names.COMPOUND, ())
        others = (" ".join(each.split()) for each in self._texts.get(names.OTHER_TYPES, ()))
        types = frozenset({*self._chosen.get(names.TYPES, ()), *filter(None, others)})
        unlisted = unlisted_types(types, self._phase)
        if unlisted:
            self.read.leave_out("type", f"{describe_unlisted(unlisted, self._phase.types)}; it is left out")
        return FigureKind(
            compound=names.COMPOUND_YES in compound if compound else None,
            count=self._number,
            types=types - unlisted,
            note=self._written(names.NOTES),
        )

    def _verdict(self, block: int, pair: QAItem) -> Iterator[QAVerdict]:
        chosen = self._chosen.get(names.numbered(names.VERDICT, block), ())
        where = f'pair {block} ("{pair.id}")'
        try:
            verdict = Verdict(chosen[0])
        except (IndexError, ValueError):
            if chosen:
                self.read.refuse("verdict", f'{where} has an unknown verdict, "{chosen[0]}", {_CHOOSE}')
            else:
                self.read.leave_out(UNANSWERED, f"{where} has no verdict, {_CHOOSE}")
            return
        self.read.accept("verdict")
        edited = self._edited(block, pair, where)
        if verdict is Verdict.INCORRECT and edited is None:
            self.findings.append(
                f"{where} is Incorrect.Edit and nothing was edited; change what is wrong, or choose Correct"
            )
        elif verdict is Verdict.CORRECT and edited is not None:
            self.findings.append(f"{where} was edited under Correct; choose Incorrect.Edit, or take the edit back")
        yield QAVerdict(pair.id, verdict, edited, self._written(names.numbered(names.NOTE, block)))

    def _edited(self, block: int, pair: QAItem, where: str) -> QAItem | None:
        """Return the corrected pair, None if unchanged. An emptied field is treated as a slip."""
        kind = self._kind_of(block, pair, where)
        if kind is None:
            return replace(pair, question=IMPOSSIBLE, choices=(), answer=IMPOSSIBLE)
        question = self._field(names.QUESTION, block, pair.question, where)
        answer = self._field(names.ANSWER, block, pair.answer, where)
        edited = replace(
            pair, kind=kind, question=question, answer=answer, choices=self._options(block, pair, kind, where)
        )
        return edited if edited != pair else None

    def _kind_of(self, block: int, pair: QAItem, where: str) -> QAKind | None:
        """Return the corrected type of a pair; None for a type that the figure doesn't allow."""
        chosen = self._chosen.get(names.numbered(names.KIND, block), ())
        if names.KIND_IMPOSSIBLE in chosen:
            return None
        try:
            return QAKind(chosen[0]) if chosen else pair.kind
        except ValueError:
            self.read.leave_out("type", f'{where}: type "{chosen[0]}" is none of the seven, so it is left out')
            return pair.kind

    def _field(self, name: str, block: int, given: str, where: str) -> str:
        texts = self._texts.get(names.numbered(name, block))
        if texts is None:
            return given
        text = "\n".join(texts)
        if text == given:
            return given
        if not text.strip():
            if given:
                self.findings.append(f"{where}: the {name} was emptied, so it stays as it was; write it again")
            return given
        return text.strip()

    def _options(self, block: int, pair: QAItem, kind: QAKind, where: str) -> tuple[str, ...]:
        texts = self._texts.get(names.numbered(names.OPTIONS, block))
        if texts is None or "\n".join(texts) == shown_options(pair):
            return pair.choices
        found = tuple(filter(None, map(str.strip, "\n".join(texts).splitlines())))
        if not found and pair.choices and kind in _WITH_OPTIONS:
            self.findings.append(f"{where}: the options were emptied, so they stay; write them again")
            return pair.choices
        return found

    def _answer(self, block: int, pair: QAItem) -> Iterator[HumanAnswer]:
        where = f'pair {block} ("{pair.id}")'
        picked = self._chosen.get(names.numbered(names.PICKED, block), ())
        written = self._written(names.numbered(names.WRITTEN, block))
        instead = self._chosen.get(names.numbered(names.INSTEAD, block), ())
        note = self._written(names.numbered(names.NOTE, block))
        letters = [letter for letter, _ in lettered(pair.choices) if letter in picked]
        if len(letters) < len(set(picked)):
            line = f"{where}: an option that the pair has not, {list(picked)}, is left out"
            (self.read.leave_out if letters or written else self.read.refuse)("answer", line)
        said = [each for each in (",".join(letters), written) if each]
        if len(said) + bool(instead) > 1:
            self.findings.append(f"{where} is answered in more than one way; what was written or picked counts")
        if said:
            self.read.accept("answer")
            yield HumanAnswer(pair.id, said[0], note)
        elif names.INSTEAD_UNANSWERABLE in instead:
            yield HumanAnswer(pair.id, UNANSWERABLE, note)
        elif names.INSTEAD_UNKNOWN in instead:
            if not note:
                self.findings.append(f'{where}: "I don\'t know" without a reason; say in the note why')
            yield HumanAnswer(pair.id, None, note)
        else:
            self.read.leave_out(
                UNANSWERED, f"{where} is not answered, so it is left out; answer it and press Update"
            )

    def _written(self, control: str) -> str:
        return "\n".join(self._texts.get(control, ())).strip()


@dataclass(frozen=True, slots=True)
class _OfPair:
    """The controls of a pair's block in phases of a kind. read: the part that they hold, if any."""

    controls: tuple[str, ...]
    read: Callable[[ItemsReading, int, QAItem], Iterator[Part]]


_OF_PAIR: Mapping[Kind, _OfPair] = {
    PAIRS: _OfPair(
        (names.VERDICT, names.KIND, names.QUESTION, names.OPTIONS, names.ANSWER, names.NOTE),
        ItemsReading._verdict,
    ),
    ANSWERS: _OfPair((names.PICKED, names.WRITTEN, names.INSTEAD, names.NOTE), ItemsReading._answer),
}


def _shown_pairs(figure: Figure, task: Mapping[str, Any], phase: Phase) -> Iterator[tuple[int, QAItem]]:
    """Return block -> pair shown. In human evaluation pairs may differ from the import: gold corrects them."""
    if not phase.kind.on_pairs:
        return
    data = part(task, "data")
    known = figure.imported.by_id
    for block in range(1, names.BLOCKS + 1):
        name = str(data.get(names.numbered(names.DATA_PAIR, block)) or "")
        if not name:
            continue
        shown = str(data.get(names.numbered(names.QUESTION, block)) or "")
        if name not in known:
            raise InvalidAnnotation(f'pair "{name}" is none of the figure\'s; push the figure again')
        if phase.kind.answered:
            yield block, _as_shown(known[name], shown, data.get(names.numbered(names.OPTIONS, block)))
        elif any(data.get(names.numbered(key, block)) != text for key, text in shown_texts(known[name]).items()):
            raise InvalidAnnotation(f'pair "{name}" in Label Studio is not the stored one; push the figure again')
        else:
            yield block, known[name]


def _as_shown(pair: QAItem, question: str, options: Any) -> QAItem:
    """Return the pair with the question and as many options as the task shows; option texts don't matter."""
    count = len(options) if isinstance(options, Sequence) and not isinstance(options, str) else 0
    return replace(pair, question=question, choices=("",) * count)


def listed(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a region's list of texts; a text stands for a list of one. Raises InvalidAnnotation for others."""
    found = value.get(key) or ()
    if isinstance(found, str):
        return (found,)
    if not isinstance(found, Sequence):
        raise InvalidAnnotation(f'"{key}" of a region is no list: {found!r}')
    return tuple(str(each) for each in found)
