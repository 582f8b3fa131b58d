"""Convert figure types, question-answer pairs and answers to Label Studio's JSON; back: `reading_items`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.label_studio.payload.figures import Region, task_data, work_payload
from label_config import ChoiceKeys, figure_types_config, human_eval_config, names, qa_config
from panelwise.domain import (
    ANSWERS,
    IMPOSSIBLE,
    PAIRS,
    TYPES,
    UNANSWERABLE,
    Annotation,
    Figure,
    FigureKind,
    HumanAnswer,
    InvalidAnnotation,
    Kind,
    Phase,
    QAItem,
    QAKind,
    QAVerdict,
    Status,
    type_name,
)
from panelwise.runtime import counted

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
        for name, part in kind.parts(items).items() if kind.on_pairs else ():
            result += screen.regions(*blocks[name], part)
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


@dataclass(frozen=True, slots=True)
class _Screen:
    """The labelling screen of a kind. config: of a phase. regions: of a part on the pair of a block."""

    config: Callable[[Phase], str]
    regions: Callable[[int, QAItem, Any], Iterator[Region]] = lambda _block, _pair, _part: iter(())


_SCREENS: Mapping[Kind, _Screen] = {
    TYPES: _Screen(_types_config),
    PAIRS: _Screen(_pairs_config, _verdict_regions),
    ANSWERS: _Screen(lambda _phase: human_eval_config(), _answer_regions),
}


def _choice(name: str, values: Sequence[str]) -> Region:
    return {**_region(name, "choices"), "value": {"choices": list(values)}}


def _text(name: str, *texts: str) -> Region:
    return {**_region(name, "textarea"), "value": {"text": list(texts)}}


def _region(name: str, kind: str) -> Region:
    return {"id": name, "from_name": name, "to_name": names.FIGURE, "type": kind}
