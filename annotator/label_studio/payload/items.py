"""Convert figure types, question-answer pairs and answers to Label Studio's JSON and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.label_studio.answers import part
from annotator.label_studio.payload.figures import Region, task_data, work_payload
from label_config import ChoiceKeys, figure_types_config, human_eval_config, names, qa_config
from panelwise.domain import (
    ANSWERS,
    IMPOSSIBLE,
    NO_ITEMS,
    PAIRS,
    TYPES,
    UNANSWERABLE,
    Annotation,
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
    type_name,
    unlisted_types,
)
from panelwise.files import as_whole, or_none
from panelwise.formats import Content
from panelwise.runtime import counted

#: The kind of a pair that the annotator did not answer: there was nothing to read.
UNANSWERED = "pair"
_CHOOSE = "so it is left out; choose one and press Update"
_WITH_OPTIONS = frozenset({QAKind.CHOICE_VISUAL, QAKind.CHOICE_NON_VISUAL})
_KIND_CONTROLS = frozenset({names.COMPOUND, names.COUNT, names.TYPES, names.OTHER_TYPES, names.NOTES})
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OPTION_KEYS = 90


def items_config(phase: Phase) -> str:
    """Return the labelling config of a phase on items."""
    return _SCREENS[phase.kind].config(phase)


def _pairs_config(phase: Phase) -> str:
    types = phase.types if phase.asks_for_kind else ()
    pair_types = [kind.value for kind in QAKind]
    return qa_config(pair_types, types=types, fine=phase.fine_types, closed=phase.types_closed)


def _types_config(phase: Phase) -> str:
    return figure_types_config(phase.types, fine=phase.fine_types, closed=phase.types_closed)


def items_data(figure: Figure, phase: Phase, pairs: Sequence[QAItem], *, seed: str = "") -> dict[str, Any]:
    """Return the task's data. pairs: as the phase shows them; seed: the source of the prefilled types and count.

    In human evaluation the data contain neither answers nor the article's text: annotators can see a task's data.
    Raises InvalidAnnotation for a figure without an image or pairs, or with more pairs than blocks.
    """
    data: dict[str, Any] = {**task_data(figure, seed=seed)}
    if not phase.kind.on_pairs:
        return data
    _check_pairs(figure, pairs)
    answering = phase.kind.answered
    if answering:
        del data[names.DATA_REFERENCES]
    keys = ChoiceKeys().spare(_OPTION_KEYS)[2:]  # the config has two of them
    option = 0
    for block in range(1, names.BLOCKS + 1):
        pair = pairs[block - 1] if block <= len(pairs) else None
        data[names.numbered(names.DATA_PAIR, block)] = pair.id if pair else ""
        for name, text in shown_texts(pair).items():
            data[names.numbered(name, block)] = text
        if answering:
            data[names.numbered(names.KIND, block)] = pair.kind.value if pair else ""
            choices = lettered(pair.choices) if pair else ()
            data[names.numbered(names.OPTIONS, block)] = [
                {"value": f"{letter}. {text}", "alias": letter, "hotkey": keys[option + position]}
                for position, (letter, text) in enumerate(choices)
            ]
            option += len(choices)
            del data[names.numbered(names.ANSWER, block)]
    return data


def shown_texts(pair: QAItem | None) -> dict[str, str]:
    """Return the texts of a pair's block by name; all empty for a block without a pair."""
    if pair is None:
        return dict.fromkeys((names.KIND, names.QUESTION, names.OPTIONS, names.ANSWER), "")
    return {
        names.KIND: pair.kind.value,
        names.QUESTION: pair.question,
        names.OPTIONS: "\n".join(f"{letter}. {text}" for letter, text in lettered(pair.choices)),
        names.ANSWER: pair.answer,
    }


def items_prediction(phase: Phase, pairs: Sequence[QAItem], kind: FigureKind | None) -> dict[str, Any] | None:
    """Return the prefilled values: types and count if known, and each pair's text in its edit fields.

    None if the phase prefills nothing.
    """
    result: list[Region] = []
    if phase.kind.on_pairs and not phase.kind.answered:
        for block, pair in enumerate(pairs, start=1):
            result += _edit_fields(block, pair)
        for block in range(len(pairs) + 1, names.BLOCKS + 1):
            # The block does not show, and its verdict is requested all the same.
            result.append(_choice(names.numbered(names.VERDICT, block), [names.VERDICT_CORRECT]))
    if kind is not None and phase.asks_for_kind:
        result += _kind_regions(kind, phase)
    if not result:
        return None
    return {"model_version": names.SHOWN_VERSION, "score": 0.0, "result": result}


def items_result(annotation: Annotation, phase: Phase, pairs: Sequence[QAItem]) -> list[Region]:
    """Return an annotation's items as regions; parts that the screen hides are left out."""
    items = annotation.items
    result: list[Region] = []
    if items.kind is not None and phase.asks_for_kind:
        result += _kind_regions(items.kind, phase)
        if items.kind.note:
            result.append(_text(names.NOTES, items.kind.note))
    blocks = {pair.id: (block, pair) for block, pair in enumerate(pairs, start=1)}
    for kind, screen in _SCREENS.items():
        for name, judged in kind.parts(items).items() if kind.on_pairs else ():
            result += screen.regions(*blocks[name], judged)
    if annotation.status is not Status.IGNORED:
        rejected = annotation.status is Status.REJECTED
        result.append(_choice(names.STATUS, [names.STATUS_REJECT if rejected else names.STATUS_ACCEPT]))
    return result


def items_annotation(annotation: Annotation, phase: Phase, pairs: Sequence[QAItem]) -> dict[str, Any]:
    """Return the annotation as the server takes it: `result`, `lead_time`, `was_cancelled`."""
    return work_payload(annotation, items_result(annotation, phase, pairs))


def lettered(choices: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the options with their letters, from A on."""
    return tuple(zip(_LETTERS, choices, strict=False))


def shown_options(pair: QAItem) -> str:
    """Return a pair's options as the edit field shows them."""
    return "\n".join(pair.choices)


def _check_pairs(figure: Figure, pairs: Sequence[QAItem]) -> None:
    if not pairs:
        raise InvalidAnnotation(
            f'figure "{figure.id}": no question-answer pairs; import them with annotator import figures --qa'
        )
    if len(pairs) > names.BLOCKS:
        raise InvalidAnnotation(
            f'figure "{figure.id}": {counted(len(pairs), "question-answer pair")}, and the screen has '
            f"{names.BLOCKS} blocks; leave out the surplus ones"
        )
    most = min(len(_LETTERS), (_OPTION_KEYS - 2) // names.BLOCKS)
    for pair in pairs:
        if len(pair.choices) > most:
            raise InvalidAnnotation(
                f'figure "{figure.id}", pair "{pair.id}": {len(pair.choices)} options are more than the {most} '
                "that can be shown; shorten the list"
            )


def _edit_fields(block: int, pair: QAItem) -> Iterator[Region]:
    yield _choice(names.numbered(names.KIND, block), [pair.kind.value])
    for name, text in (
        (names.QUESTION, pair.question),
        (names.OPTIONS, shown_options(pair)),
        (names.ANSWER, pair.answer),
    ):
        if text:
            yield _text(names.numbered(name, block), text)


def _kind_regions(kind: FigureKind, phase: Phase) -> Iterator[Region]:
    if kind.compound is not None:
        yield _choice(names.COMPOUND, [names.COMPOUND_YES if kind.compound else names.COMPOUND_NO])
    if kind.count is not None and 1 <= kind.count <= 99:
        yield {**_region(names.COUNT, "number"), "value": {"number": kind.count}}
    known = {each: type_name(each, phase.types) for each in kind.types}
    listed = [each for each in phase.types if each in known.values()]
    if listed:
        yield _choice(names.TYPES, listed)
    others = sorted(each for each, name in known.items() if name not in phase.types)
    if others and not phase.types_closed:
        yield _text(names.OTHER_TYPES, *others)


def _verdict_regions(block: int, pair: QAItem, verdict: QAVerdict) -> Iterator[Region]:
    yield _choice(names.numbered(names.VERDICT, block), [verdict.verdict.value])
    if verdict.verdict.value == names.VERDICT_EDIT:
        edited = verdict.edited or pair
        if edited.question == edited.answer == IMPOSSIBLE:
            yield from _edit_fields(block, pair)
            yield _choice(names.numbered(names.KIND, block), [names.KIND_IMPOSSIBLE])
        else:
            yield from _edit_fields(block, edited)
    if verdict.note:
        yield _text(names.numbered(names.NOTE, block), verdict.note)


def _answer_regions(block: int, pair: QAItem, answer: HumanAnswer) -> Iterator[Region]:
    if answer.answer is None:
        yield _choice(names.numbered(names.INSTEAD, block), [names.INSTEAD_UNKNOWN])
    elif answer.answer == UNANSWERABLE:
        yield _choice(names.numbered(names.INSTEAD, block), [names.INSTEAD_UNANSWERABLE])
    elif pair.choices:
        letters = [each.strip() for each in answer.answer.split(",")]
        yield _choice(names.numbered(names.PICKED, block), letters)
    else:
        yield _text(names.numbered(names.WRITTEN, block), answer.answer)
    if answer.note:
        yield _text(names.numbered(names.NOTE, block), answer.note)


def _choice(name: str, values: Sequence[str]) -> Region:
    return {**_region(name, "choices"), "value": {"choices": list(values)}}


def _text(name: str, *texts: str) -> Region:
    return {**_region(name, "textarea"), "value": {"text": list(texts)}}


def _region(name: str, kind: str) -> Region:
    return {"id": name, "from_name": name, "to_name": names.FIGURE, "type": kind}


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
            *(names.numbered(name, block) for block in self._pairs for name in _SCREENS[phase.kind].controls),
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
            for part in _SCREENS[self._phase.kind].read(self, block, pair)
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


@dataclass(frozen=True, slots=True)
class _Screen:
    """The labelling screen of a kind, and its way back. config: of a phase.

    Of a kind on pairs: regions: of a part, on the pair of a block. controls: those of a block. read: the part that
    they hold, if any.
    """

    config: Callable[[Phase], str]
    regions: Callable[[int, QAItem, Any], Iterator[Region]] = lambda _block, _pair, _part: iter(())
    controls: tuple[str, ...] = ()
    read: Callable[[ItemsReading, int, QAItem], Iterator[Part]] = lambda _reading, _block, _pair: iter(())


_SCREENS: Mapping[Kind, _Screen] = {
    TYPES: _Screen(_types_config),
    PAIRS: _Screen(
        _pairs_config,
        _verdict_regions,
        (names.VERDICT, names.KIND, names.QUESTION, names.OPTIONS, names.ANSWER, names.NOTE),
        ItemsReading._verdict,
    ),
    ANSWERS: _Screen(
        lambda _phase: human_eval_config(),
        _answer_regions,
        (names.PICKED, names.WRITTEN, names.INSTEAD, names.NOTE),
        ItemsReading._answer,
    ),
}
