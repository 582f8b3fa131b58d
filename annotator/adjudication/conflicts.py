"""Two decisions on one figure compared, subfigure by subfigure, and merged against what both started from.

What only one of the two changed is taken from that one; what both changed alike is that; where they changed it
differently, `mine` stands and it is told as a clash. Of a subcaption each token is merged for itself: two who both
change a token change it alike, so texts clash only where it is not known what they started from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.proposals import heard
from annotator.adjudication.standing import standing
from annotator.adjudication.state import DecisionState, Draft, DraftSubfigure, Panel
from annotator.adjudication.subfigures import decision_state
from panelwise.domain.annotation import Status
from panelwise.domain.box import Corners, iou
from panelwise.domain.decision import Decision, ErrorKind, Reopening

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store

T = TypeVar("T")

#: Edges of boxes that are no further apart than this, in pixels, are the same.
SAME_EDGE = 1.0
#: What a subfigure of one side shares at least with that of the other: one label, or half of the box.
PARTNERS = 0.5


@dataclass(frozen=True, slots=True)
class Work:
    """What a decision says. base for merging: what both sides started from."""

    status: Status | None
    subfigures: tuple[Panel, ...]
    note: str = ""
    error_kind: ErrorKind | None = None
    guideline_flag: str = ""
    based_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One field of two decisions. clash: both changed it, each otherwise."""

    mine: T
    theirs: T
    merged: T
    clash: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A subfigure of two decisions; a side that lacks it has None, and so has `merged` where it goes.

    differs: "only mine", "only theirs", or some of "label", "box", "tokens"; empty where both are alike.
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two decisions side by side. base: the version that both started from, None for the candidates.

    merged: what is to be sent where the merge is taken.
    """

    base: int | None
    status: Choice[Status]
    note: Choice[str]
    error_kind: Choice[ErrorKind | None]
    guideline_flag: Choice[str]
    subfigures: tuple[Part, ...]
    merged: Draft

    @property
    def clashes(self) -> int:
        """How many subfigures and fields somebody must look at."""
        fields = (self.status, self.note, self.error_kind, self.guideline_flag)
        return sum(part.clash for part in self.subfigures) + sum(each.clash for each in fields)


@dataclass(frozen=True, slots=True)
class Collision:
    """What stands in the way of a draft. version: of the last entry of the history: what is to be sent next.

    current: the decision that holds, with the draft compared to it; None where none does.
    """

    version: int
    current: DecisionState | None
    comparison: Comparison | None


def collision(store: Store, home: Home, figure_id: str, draft: Draft) -> Collision:
    """What a draft that came too late is up against. Raises UnknownFigure."""
    keys = Keys(home.secret(), figure_id)
    with store.read() as tx:
        work = tx.work_of(figure_id)
    current = standing(work.history, work.figure.revision)
    if current is None:
        return Collision(work.version, None, None)
    loaded = loaded_decision(work.history, draft.version, work.figure.revision)
    start = () if loaded else heard(work, home.campaign, keys).start()
    theirs = decision_state(current, keys)
    base = work_of(decision_state(loaded, keys)) if loaded else Work(None, start)
    found = compare(draft, theirs, base, loaded=loaded.version if loaded else None, send=work.version)
    return Collision(work.version, theirs, found)


def loaded_decision(history: Sequence[Decision | Reopening], version: int, revision: int) -> Decision | None:
    """The decision that a draft of that version began from; None for none, or for one on another revision."""
    found = next((entry for entry in history if entry.version == version), None)
    if not isinstance(found, Decision) or found.figure.revision != revision:
        return None
    return standing([entry for entry in history if entry.version <= version], revision)


def work_of(found: DecisionState) -> Work:
    """What a decision says."""
    return Work(found.status, found.subfigures, found.note, found.error_kind, found.guideline_flag, found.based_on)


def compare(draft: Draft, current: DecisionState, base: Work, *, loaded: int | None, send: int) -> Comparison:
    """A draft beside the decision that came first.

    base: what both started from, of version `loaded`. send: the version that the merge is to be sent over.
    """
    theirs = work_of(current)
    flag = (draft.guideline_flag or "").strip()
    mine = Work(
        draft.status,
        tuple(Panel(one.label.strip(), one.box, tuple(sorted(set(one.tokens)))) for one in draft.subfigures),
        draft.note.strip(),
        draft.error_kind,
        flag,
        draft.based_on,
    )
    status = choice(draft.status, current.status, base.status)
    note = text_choice(mine.note, theirs.note, base.note)
    kind = choice(mine.error_kind, theirs.error_kind, base.error_kind)
    guideline = text_choice(mine.guideline_flag, theirs.guideline_flag, base.guideline_flag)
    parts = tuple(_parts(mine.subfigures, theirs.subfigures, base.subfigures))
    merged = Draft(
        version=send,
        status=status.merged,
        subfigures=tuple(
            DraftSubfigure(part.merged.label, part.merged.box, part.merged.tokens) for part in parts if part.merged
        ),
        based_on=tuple(dict.fromkeys((*theirs.based_on, *mine.based_on))),
        note=note.merged,
        seconds=draft.seconds,
        error_kind=kind.merged,
        guideline_flag=guideline.merged or None,
        second=draft.second,
    )
    return Comparison(loaded, status, note, kind, guideline, parts, merged)


# -- fields -------------------------------------------------------------------------------------------------------


def choice(mine: T, theirs: T, base: T | None) -> Choice[T]:
    """One field of two decisions, merged against what both started from."""
    if mine == theirs or theirs == base:
        return Choice(mine, theirs, mine, clash=False)
    if mine == base:
        return Choice(mine, theirs, theirs, clash=False)
    return Choice(mine, theirs, mine, clash=True)


def text_choice(mine: str, theirs: str, base: str) -> Choice[str]:
    """Two texts are one below the other where both were changed: neither is lost."""
    found = choice(mine, theirs, base)
    if not found.clash:
        return found
    if not mine or not theirs:
        return Choice(mine, theirs, mine or theirs, clash=True)
    return Choice(mine, theirs, f"{theirs}\n{mine}", clash=True)


# -- subfigures ---------------------------------------------------------------------------------------------------


def pairs(mine: Sequence[Panel], theirs: Sequence[Panel]) -> dict[int, int]:
    """Place in `mine` -> place in `theirs` of what is one subfigure: the best partners first, each once."""
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


def _parts(mine: Sequence[Panel], theirs: Sequence[Panel], base: Sequence[Panel]) -> Iterator[Part]:
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
        # In the base: whoever lacks it took it out, and the other may have changed it.
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
    """What of two subfigures differs: some of "label", "box" and "tokens"."""
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
    """Whether no edge of two boxes is further from the other's than `SAME_EDGE`."""
    return all(abs(a - b) <= SAME_EDGE for a, b in zip(one.box, other.box, strict=True))


def _line(mine: Panel, theirs: Panel, differs: Iterable[str]) -> str:
    """What differs in words, as the screen says it: "B: 2 tokens more in theirs; box differs (overlap 83 %)"."""
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
