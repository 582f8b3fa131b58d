"""The subfigures of two decisions, one by one, merged against what both started from.

Of a subcaption each token is merged for itself: two who both change a token change it alike, so texts clash only
where it is not known what they started from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.adjudication.compare.fields import Choice, choice
from annotator.adjudication.decision_fields import Panel
from panelwise.domain import Corners, iou

#: Edges of boxes that are no further apart than this, in pixels, are the same.
SAME_EDGE = 1.0
#: What a subfigure of one side shares at least with that of the other: one label, or half of the box.
PARTNERS = 0.5


@dataclass(frozen=True, slots=True)
class Part:
    """A subfigure of two decisions; None on a side without it, and in `merged` if it is removed.

    differs: "only mine", "only theirs", or some of "label", "box", "tokens"; empty if both are alike.
    only_mine, only_theirs: tokens, where both have the subfigure. iou: of the boxes. line: what differs, in words.
    """

    id: str
    label: str
    mine: Panel | None
    theirs: Panel | None
    merged: Panel | None
    differs: tuple[str, ...]
    clash: bool
    only_mine: tuple[int, ...] = ()
    only_theirs: tuple[int, ...] = ()
    iou: float | None = None
    line: str = ""


def pairs(mine: Sequence[Panel], theirs: Sequence[Panel]) -> dict[int, int]:
    """Match subfigures: place in `mine` -> place in `theirs`, the best pairs first, each used once."""
    scores = []
    for here, one in enumerate(mine):
        for there, other in enumerate(theirs):
            score = (one.label == other.label) + iou(one.box, other.box)
            if score >= PARTNERS:
                scores.append((-score, here, there))
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, here, there in sorted(scores):
        if here not in found and there not in taken:
            found[here] = there
            taken.add(there)
    return found


def subfigure_parts(mine: Sequence[Panel], theirs: Sequence[Panel], base: Sequence[Panel]) -> Iterator[Part]:
    """Each subfigure of either decision, merged."""
    of_mine, of_theirs = pairs(mine, base), pairs(theirs, base)
    partners = _partners(mine, theirs, of_mine, of_theirs)
    found: list[tuple[Panel | None, Panel | None, Panel | None]] = []
    for here, own in enumerate(mine):
        there = partners.get(here)
        other = None if there is None else theirs[there]
        place = of_mine.get(here, None if there is None else of_theirs.get(there))
        found.append((own, other, None if place is None else base[place]))
    for there, other in enumerate(theirs):
        if there not in partners.values():
            place = of_theirs.get(there)
            found.append((None, other, None if place is None else base[place]))
    made = [_part(f"p{number}", *each) for number, each in enumerate(found)]
    labels = [part.merged.label for part in made if part.merged]
    for part in made:
        # A label that each gave to a subfigure of their own would come twice.
        twice = part.merged is not None and labels.count(part.merged.label) > 1
        yield replace(part, clash=True) if twice else part


def _partners(
    mine: Sequence[Panel], theirs: Sequence[Panel], of_mine: Mapping[int, int], of_theirs: Mapping[int, int]
) -> dict[int, int]:
    """As `pairs`; what came of one subfigure of the base belongs together, however far it was changed."""
    there_of = {place: there for there, place in of_theirs.items()}
    found = {here: there_of[place] for here, place in of_mine.items() if place in there_of}
    left = [here for here in range(len(mine)) if here not in found]
    free = [there for there in range(len(theirs)) if there not in found.values()]
    others = pairs([mine[here] for here in left], [theirs[there] for there in free])
    return found | {left[here]: free[there] for here, there in others.items()}


def _part(key: str, mine: Panel | None, theirs: Panel | None, base: Panel | None) -> Part:
    if mine is None or theirs is None:
        there = mine or theirs
        assert there is not None
        # It is in the base: a side without it removed it, and the other side may have changed it.
        untouched = base is not None and not differences(there, base)
        clash = base is not None and not untouched
        merged = there if base is None else None if untouched else mine
        which = "only mine" if theirs is None else "only theirs"
        line = f"{there.label}: {'only yours' if theirs is None else 'only theirs'}"
        return Part(key, there.label, mine, theirs, merged, (which,), clash, line=line)
    differs = differences(mine, theirs)
    label: Choice[str] = choice(mine.label, theirs.label, base.label if base else None)
    box = _box(mine, theirs, base)
    tokens = _tokens(mine, theirs, base)
    return Part(
        key,
        mine.label,
        mine,
        theirs,
        Panel(label.merged, box.merged, tokens.merged),
        differs,
        label.clash or box.clash or tokens.clash,
        only_mine=tuple(sorted({*mine.tokens} - {*theirs.tokens})),
        only_theirs=tuple(sorted({*theirs.tokens} - {*mine.tokens})),
        iou=iou(mine.box, theirs.box),
        line=_line(mine, theirs, differs),
    )


def _box(mine: Panel, theirs: Panel, base: Panel | None) -> Choice[Corners]:
    if base is not None and same_box(theirs, base) and not same_box(mine, base):
        return Choice(mine.box, theirs.box, mine.box, clash=False)
    if same_box(mine, theirs):
        return Choice(mine.box, theirs.box, theirs.box, clash=False)
    if base is not None and same_box(mine, base):
        return Choice(mine.box, theirs.box, theirs.box, clash=False)
    return Choice(mine.box, theirs.box, mine.box, clash=True)


def _tokens(mine: Panel, theirs: Panel, base: Panel | None) -> Choice[tuple[int, ...]]:
    if base is None:
        return Choice(mine.tokens, theirs.tokens, mine.tokens, clash=set(mine.tokens) != set(theirs.tokens))
    start, own, other = set(base.tokens), set(mine.tokens), set(theirs.tokens)
    merged = tuple(sorted(start ^ ((own ^ start) | (other ^ start))))
    return Choice(mine.tokens, theirs.tokens, merged, clash=False)


def differences(one: Panel, other: Panel) -> tuple[str, ...]:
    """Return which of "label", "box" and "tokens" differ between two subfigures."""
    return tuple(
        what
        for what, differs in (
            ("label", one.label != other.label),
            ("tokens", set(one.tokens) != set(other.tokens)),
            ("box", not same_box(one, other)),
        )
        if differs
    )


def same_box(one: Panel, other: Panel) -> bool:
    """Return whether no edge of two boxes is further from the other's than `SAME_EDGE`."""
    return all(abs(a - b) <= SAME_EDGE for a, b in zip(one.box, other.box, strict=True))


def _line(mine: Panel, theirs: Panel, differs: Iterable[str]) -> str:
    """Describe a difference for the screen: "B: 2 tokens more in theirs; box differs (overlap 83 %)"."""
    more, fewer = {*theirs.tokens} - {*mine.tokens}, {*mine.tokens} - {*theirs.tokens}
    said = []
    for what in differs:
        if what == "label":
            said.append(f"labelled {theirs.label} by them")
        elif what == "box":
            said.append(f"box differs (overlap {iou(mine.box, theirs.box):.0%})".replace("%", " %"))
        else:
            said += [
                f"{len(ids)} {'token' if len(ids) == 1 else 'tokens'} {word} in theirs"
                for ids, word in ((more, "more"), (fewer, "fewer"))
                if ids
            ]
    return f"{mine.label}: {'; '.join(said)}" if said else ""
