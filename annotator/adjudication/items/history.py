"""A decision's figure type and pairs in lines for people, and what became of them since the one before."""

from __future__ import annotations

from collections.abc import Iterator

from panelwise.domain import Annotation, Decision, Figure, FigureKind, QAItem, QAVerdict

#: Characters of a text that a line carries at most.
_SHOWN = 120


def item_lines(work: Decision | Annotation) -> tuple[str, ...]:
    """Describe work on the figure's type, its pairs and their answers, pairs numbered as on the screen."""
    return tuple(_lines(work))


def item_changes(before: Decision, after: Decision) -> tuple[str, ...]:
    """Describe the changes between two decisions on the figure's type and its pairs."""
    return tuple(_changes(before, after))


def _lines(work: Decision | Annotation) -> Iterator[str]:
    items, numbers, pairs = work.items, _numbers(work.figure), work.figure.imported.by_id
    if items.kind is not None:
        yield f"Type: {_kind(items.kind)}"
    for verdict in sorted(items.verdicts, key=lambda each: numbers.get(each.item, len(numbers) + 1)):
        parts = list(_parts(pairs.get(verdict.item), verdict.edited))
        said = f"{_name(numbers, verdict.item)}: {verdict.verdict.value}{', ' if parts else ''}{', '.join(parts)}"
        yield f"{said} (note: {_short(verdict.note)})" if verdict.note else said
    for answer in items.answers:
        said = "no answer" if answer.answer is None else f"answered {_short(answer.answer)}"
        note = f" (note: {_short(answer.note)})" if answer.note else ""
        yield f"{_name(numbers, answer.item)}: {said}{note}"


def _changes(before: Decision, after: Decision) -> Iterator[str]:
    old, new, numbers = before.items, after.items, _numbers(after.figure)
    pairs = after.figure.imported.by_id
    if old.kind != new.kind:
        was = "not said" if old.kind is None else _kind(old.kind)
        yield f"Type: {'not said' if new.kind is None else _kind(new.kind)}, was {was}"
    earlier = {each.item: each for each in old.verdicts}
    later = {each.item: each for each in new.verdicts}
    for name in dict.fromkeys([*numbers, *later, *earlier]):
        one, other = earlier.get(name), later.get(name)
        if one != other:
            yield f"{_name(numbers, name)}: {', '.join(_change(pairs.get(name), one, other))}"


def _change(came: QAItem | None, old: QAVerdict | None, new: QAVerdict | None) -> Iterator[str]:
    if new is None:
        yield "not judged any more"
        return
    if old is None:
        yield new.verdict.value
    elif old.verdict is not new.verdict:
        yield f"{new.verdict.value}, was {old.verdict.value}"
    yield from _parts((old.edited if old else None) or came, new.edited or came)
    if new.note != (old.note if old else ""):
        yield f"note: {_short(new.note) or 'none'}"


def _parts(old: QAItem | None, new: QAItem | None) -> Iterator[str]:
    """Describe the changed fields of a pair: "answer: B, was A"."""
    if new is None:
        return
    for name, now, was in (
        ("type", new.kind.value, old.kind.value if old else ""),
        ("question", new.question, old.question if old else ""),
        ("options", " / ".join(new.choices), " / ".join(old.choices) if old else ""),
        ("answer", new.answer, old.answer if old else ""),
    ):
        if now != was:
            yield f"{name}: {_short(now) or 'none'}, was {_short(was) or 'none'}"


def _kind(kind: FigureKind) -> str:
    compound = {None: "not said whether compound", True: "compound", False: "not compound"}[kind.compound]
    count = "" if kind.count is None else f", {kind.count}"
    note = f" (note: {_short(kind.note)})" if kind.note else ""
    return f"{compound}{count}: {', '.join(sorted(kind.types)) or 'no type'}{note}"


def _numbers(figure: Figure) -> dict[str, int]:
    return {pair.id: number for number, pair in enumerate(figure.imported.pairs, start=1)}


def _name(numbers: dict[str, int], item: str) -> str:
    return f"Pair {numbers[item]}" if item in numbers else f'Pair "{_short(item)}"'


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
