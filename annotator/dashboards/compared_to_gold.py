"""Describe the differences between one annotator's work on a figure and the gold, without names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from agreement.consensus import Candidate, merge_candidates
from agreement.primitives import MIN_IOU
from annotator.adjudication.history import item_title, pair_numbers
from annotator.adjudication.kinds.supports import ADJUDICATED
from panelwise.domain import CLOSE_IOU, Annotation, Caption, Decision, Status, Subfigure

#: Names of the two sides while they are merged.
_GOLD, _OWN = "gold", "own"
_PARTLY_READ = "Some of your work here could not be read: a missing box or text may be yours. It is not scored."
#: Maximum displayed length of a passage.
_PASSAGE = 120

_VERDICTS = {
    Status.ACCEPTED: "accepted the figure",
    **{status: f"{status.work_word} the figure" for status in (Status.REJECTED, Status.IGNORED)},
}


@dataclass(frozen=True, slots=True)
class ComparedPanel:
    """One panel of the gold and of the annotator; None if that side has no box there.

    lines: the differences, a sentence each; () if there are none.
    """

    label: str
    gold: Subfigure | None
    own: Subfigure | None
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedToGold:
    """One figure. lines: the differences of the figure as a whole and in its items. panels: by label.

    judged: the items that both sides judged; alike: those on which they say the same, whatever their notes.
    """

    lines: tuple[str, ...]
    panels: tuple[ComparedPanel, ...]
    judged: int = 0
    alike: int = 0

    @property
    def differs(self) -> bool:
        """Return whether there is any difference."""
        return bool(self.lines) or any(panel.lines for panel in self.panels)


def compare_to_gold(decision: Decision, own: Annotation, *, drawn: bool = True) -> ComparedToGold:
    """Compare the annotator's work with the decision on a figure. drawn: its subfigures, else its items."""
    if own.status is not decision.status:
        said = f"The gold {_VERDICTS[decision.status]}; you {_VERDICTS[own.status]}."
        gold_part, own_part = (decision.subfigures, own.subfigures) if drawn else ((), ())
        return ComparedToGold((said,), tuple(_alone(gold_part, gold=True)) + tuple(_alone(own_part, gold=False)))
    if own.status is not Status.ACCEPTED:
        return ComparedToGold((), ())
    if not drawn:
        return _compare_items(decision, own)
    gold = decision.as_annotation(_GOLD)
    pairs = [
        (_member(gold, candidate), _member(own, candidate, _OWN))
        for candidate in merge_candidates((gold, replace(own, annotator=_OWN)))
    ]
    panels = [_panel(one, other, decision.figure.caption) for one, other in _same_label_together(pairs)]
    panels.sort(key=lambda panel: (panel.gold is None, panel.label))
    return ComparedToGold((_PARTLY_READ,) if own.partly_read else (), tuple(panels))


def _compare_items(decision: Decision, own: Annotation) -> ComparedToGold:
    """Compare the items that both judged. Without notes: those of the gold may be other annotators'."""
    numbers, judged, lines = pair_numbers(own.figure), 0, [_PARTLY_READ] if own.partly_read else []
    differ = 0
    for support in ADJUDICATED:
        kind, originals = support.kind, support.originals(own.figure)
        gold, mine = kind.parts(decision.items), kind.parts(own.items)
        for name in sorted(gold.keys() & mine.keys(), key=lambda name: numbers.get(name, len(numbers) + 1)):
            judged += 1
            if kind.key(gold[name]) != kind.key(mine[name]):
                differ += 1
                theirs, yours = (
                    support.line(replace(part, note=""), originals.get(name)) for part in (gold[name], mine[name])
                )
                lines.append(f"{item_title(support, numbers, name)}: the gold says {theirs}; you said {yours}.")
    return ComparedToGold(tuple(lines), (), judged, judged - differ)


def _member(side: Annotation, candidate: Candidate, name: str = _GOLD) -> Subfigure | None:
    place = candidate.members.get(name)
    return None if place is None else side.subfigures[place]


def _same_label_together(
    pairs: Iterable[tuple[Subfigure | None, Subfigure | None]],
) -> Iterator[tuple[Subfigure | None, Subfigure | None]]:
    """Pair the panels of both sides; two boxes with one label are one panel even below the box match threshold."""
    pairs = list(pairs)
    strays = {own.label: own for gold, own in pairs if gold is None and own is not None}
    found: set[str] = set()
    for gold, own in pairs:
        if gold is not None and own is None and gold.label in strays:
            found.add(gold.label)
            yield gold, strays[gold.label]
        elif gold is not None:
            yield gold, own
    for gold, own in pairs:
        if gold is None and own is not None and not (own.label in found and strays[own.label] is own):
            yield None, own


def _alone(subfigures: Iterable[Subfigure], *, gold: bool) -> Iterator[ComparedPanel]:
    """Return the panels of one side, if the two can't be compared."""
    for subfigure in sorted(subfigures, key=lambda one: one.label):
        yield ComparedPanel(subfigure.label, subfigure if gold else None, None if gold else subfigure, ())


def _panel(gold: Subfigure | None, own: Subfigure | None, caption: Caption) -> ComparedPanel:
    if gold is None or own is None:
        only = gold or own
        assert only is not None
        said = "Missing box: only the gold has one here." if own is None else "Extra box: the gold has none here."
        return ComparedPanel(only.label, gold, own, (said,))
    return ComparedPanel(gold.label, gold, own, tuple(_differences(gold, own, caption)))


def _differences(gold: Subfigure, own: Subfigure, caption: Caption) -> Iterator[str]:
    if gold.label != own.label:
        yield f"Your label is {own.label}; the gold label is {gold.label}."
    closeness = gold.box.iou(own.box)
    if closeness < CLOSE_IOU:
        far = ": below the box match threshold" if closeness < MIN_IOU else ""
        yield f"Your box overlaps the gold box by only {_percent(closeness)}{far}."
    if lacking := passages(gold.subcaption - own.subcaption, caption):
        yield f"Missing text: {lacking}."
    if surplus := passages(own.subcaption - gold.subcaption, caption):
        yield f"Extra text: {surplus}."


def marked(caption: Caption, gold: Iterable[int], own: Iterable[int]) -> tuple[tuple[str, str], ...]:
    """Split the caption into pieces that "both", "gold", "own" or neither ("") marked.

    A space between two tokens of one kind is of that kind too.
    """
    theirs, mine = frozenset(gold), frozenset(own)
    pieces: list[tuple[str, str]] = []

    def add(text: str, kind: str) -> None:
        if pieces and pieces[-1][1] == kind:
            pieces[-1] = (pieces[-1][0] + text, kind)
        elif text:
            pieces.append((text, kind))

    at, before = 0, ""
    for token, (start, end) in enumerate(caption.ranges):
        kind = ("both" if token in mine else "gold") if token in theirs else ("own" if token in mine else "")
        add(caption.text[at:start], kind if kind == before else "")
        add(caption.text[start:end], kind)
        at, before = end, kind
    add(caption.text[at:], "")
    return tuple(pieces)


def _percent(share: float) -> str:
    """Format a share, rounded down so that a value below a threshold is not shown as the threshold."""
    return f"{int(share * 100)}%"


def passages(tokens: Iterable[int], caption: Caption) -> str:
    """Quote the passages of the caption that the tokens form; "" for no tokens."""
    shown = []
    for span in caption.spans_of(tokens):
        text = " ".join(caption.text[span.start : span.end].split())
        shown.append(f"“{text if len(text) <= _PASSAGE else text[: _PASSAGE - 1] + '…'}”")
    return ", ".join(shown)
