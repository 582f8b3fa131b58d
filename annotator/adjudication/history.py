"""The decisions on a figure in order; restoring one of them, and reopening the figure.

Nothing is ever taken away: what is brought back is a new decision that says from which version it comes, and a
reopening is an entry of its own, after which no decision holds until the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.compare.subfigures import differences, pairs, same_box
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.kinds.support import KindSupport, short
from annotator.adjudication.kinds.supports import ADJUDICATED, SUPPORTS
from annotator.adjudication.proposals import collect_opinions, panels
from annotator.adjudication.standing import awaiting, refuse_withdrawn, standing
from annotator.adjudication.state import voices
from annotator.campaign.home import Home
from annotator.consensus.items import readings_of
from annotator.consensus.outdated import what_changed
from annotator.store.queries.work import FigureWork
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    Annotation,
    Caption,
    Conflict,
    Corners,
    Decision,
    Figure,
    InvalidAnnotation,
    Reopening,
    Subfigure,
    iou,
)

#: The name of an annotator whose work a decision adopted, and whom the screen does not show.
UNSHOWN = "somebody no longer shown"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A subfigure as a decision or other work has it. texts: its subcaption, a text for each run of tokens."""

    label: str
    box: Corners
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one subfigure. what: "new", "gone" or "changed". label_before: "" if the label is unchanged.

    added, removed: texts that came and went, one for each run of tokens. iou: of the box with that before, None
    where the box stayed.
    """

    label: str
    what: str
    label_before: str = ""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    iou: float | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A box in the picture of a decision. what: "same", "new", "gone" or "moved"; "from" where a moved one was."""

    label: str
    box: Corners
    what: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision or a reopening. adopted: the voices whose work it took, as the screen calls them.

    marks: boxes of its picture, with those that it removed or moved. pictured: it was made on the present image.
    items, item_changes: figure type and pairs, and what became of them, a line each. before: the decision that
    changes start from, None for the first on its revision. current: this one holds.
    restorable: it can be brought back.
    """

    made: Decision | Reopening
    adopted: tuple[str, ...] = ()
    subfigures: tuple[Drawn, ...] = ()
    marks: tuple[Mark, ...] = ()
    pictured: bool = True
    before: Decision | None = None
    changes: tuple[Change, ...] = ()
    items: tuple[str, ...] = ()
    item_changes: tuple[str, ...] = ()
    current: bool = False
    restorable: bool = False


@dataclass(frozen=True, slots=True)
class FigureHistory:
    """Everything that was decided on a figure, newest first. version: of the newest entry, 0 if there is none.

    adjudicated: a decision holds, so that the figure can be reopened.
    """

    figure: Figure
    entries: tuple[Entry, ...]
    version: int
    adjudicated: bool


def figure_history(store: Store, home: Home, figure_id: str) -> FigureHistory:
    """The history of a figure, annotators as its screen calls them. Raises UnknownFigure."""
    keys = Keys(home.secret(), figure_id)
    with store.read() as tx:
        work = tx.work.of(figure_id)
    figure, history = work.figure, work.history
    called = annotators_called(work, home, keys)
    holds = standing(history, figure.revision)
    entries = []
    last: dict[int, Decision] = {}
    for each in history:
        if isinstance(each, Reopening):
            entries.append(Entry(each))
            continue
        entry = _entry(each, last.get(each.figure.revision), keys, called)
        present = each.figure.revision == figure.revision
        _, other_image = what_changed(each.figure, figure)
        restorable = present and each is not holds
        entries.append(replace(entry, pictured=not other_image, current=each is holds, restorable=restorable))
        last[each.figure.revision] = each
    return FigureHistory(figure, tuple(reversed(entries)), work.version, holds is not None)


def annotators_called(work: FigureWork, home: Home, keys: Keys) -> dict[str, str]:
    """Return key -> the annotator's name on the figure's screens."""
    on_items = voices(keys.of(each.annotator) for each in readings_of(work.annotations, home.campaign))
    on_subfigures = collect_opinions(work, home.campaign, keys).voices
    which = " (types and pairs)" if on_subfigures else ""
    return {voice.key: voice.name + which for voice in on_items} | {
        voice.key: voice.name for voice in on_subfigures
    }


def restore(
    store: Store,
    home: Home,
    figure_id: str,
    reviewer: str,
    version: int,
    *,
    loaded: int,
    now: datetime | None = None,
) -> Decision:
    """Bring an earlier decision back, as a new one by `reviewer`.

    loaded: the version of the newest entry that the reviewer saw. Raises Conflict if there is a newer one,
    InvalidAnnotation for one that cannot be brought back, UnknownFigure.
    """
    with store.transaction() as tx:
        work = _seen(tx, figure_id, loaded)
        figure, history = work.figure, work.history
        earlier = next((each for each in history if each.version == version), None)
        if not isinstance(earlier, Decision):
            raise InvalidAnnotation(
                f'figure "{figure_id}" has no decision {version} to bring back; reload the page'
            )
        if earlier.figure.revision != figure.revision:
            raise InvalidAnnotation(
                f'decision {version} on figure "{figure_id}" was made on another caption or image; it cannot be '
                "brought back to this one"
            )
        decision = replace(
            earlier,
            reviewer=reviewer,
            version=work.version + 1,
            decided_at=tx.work.time_after(figure_id, now or datetime.now(UTC)),
            seconds=None,
            restored_from=version,
            awaits=None,
        )
        decision = awaiting(home.campaign, decision, history, work.annotations)
        tx.decisions.add(decision)
    return decision


def reopen(
    store: Store, figure_id: str, reviewer: str, *, loaded: int, note: str = "", now: datetime | None = None
) -> Reopening:
    """Reopen a figure; see `reopen_in`. loaded: as in `restore`. Raises Conflict, too."""
    with store.transaction() as tx:
        _seen(tx, figure_id, loaded)
        return reopen_in(tx, figure_id, reviewer, note=note, now=now)


def reopen_in(
    tx: Transaction, figure_id: str, reviewer: str, *, note: str = "", now: datetime | None = None
) -> Reopening:
    """Reopen a figure in an open transaction: no decision holds from here on, and the queue lists it as open.

    Raises InvalidAnnotation if no decision holds; UnknownFigure.
    """
    figure = tx.figures.existing(figure_id)
    if tx.decisions.get(figure_id) is None:
        raise InvalidAnnotation(f'figure "{figure_id}" is open already; adjudicate it')
    moment = tx.work.time_after(figure_id, now or datetime.now(UTC))
    entry = Reopening(figure, reviewer, tx.decisions.last_version(figure_id) + 1, moment, note.strip())
    tx.decisions.add(entry)
    return entry


def _seen(tx: Transaction, figure_id: str, loaded: int) -> FigureWork:
    """Everything about the figure, where its history is what the reviewer saw."""
    work = tx.work.of(figure_id)
    refuse_withdrawn(tx, work)
    if loaded != work.version:
        raise Conflict(f'figure "{figure_id}" was decided on after you opened its history; load the page again')
    return work


# -- what a decision changed --------------------------------------------------------------------------------------


def _entry(each: Decision, before: Decision | None, keys: Keys, called: Mapping[str, str]) -> Entry:
    caption = each.figure.caption
    return Entry(
        each,
        adopted=tuple(dict.fromkeys(called.get(keys.of(name), UNSHOWN) for name in each.based_on)),
        subfigures=drawn(each.subfigures, caption),
        marks=tuple(_marks(before, each)),
        before=before,
        changes=() if before is None else tuple(changes(before, each)),
        items=item_lines(each),
        item_changes=() if before is None else item_changes(before, each),
    )


def changes(before: Decision, after: Decision) -> Iterator[Change]:
    """List the changes between two decisions on one revision, subfigure by subfigure."""
    caption = after.figure.caption
    for old, new in _matched(before, after):
        if old and new:
            if change := _change(old, new, caption):
                yield change
        elif new:
            yield Change(new.label, "new", added=texts_of(new.tokens, caption))
        elif old:
            yield Change(old.label, "gone", removed=texts_of(old.tokens, caption))


def _matched(before: Decision, after: Decision) -> Iterator[tuple[Panel | None, Panel | None]]:
    """Yield the subfigures of two decisions in pairs, those that only the earlier has last."""
    old, new = panels(before.subfigures), panels(after.subfigures)
    partners = pairs(new, old)
    for place, panel in enumerate(new):
        yield old[partners[place]] if place in partners else None, panel
    for place, panel in enumerate(old):
        if place not in partners.values():
            yield panel, None


def _marks(before: Decision | None, after: Decision) -> Iterator[Mark]:
    """Yield the boxes for the picture of a decision."""
    for old, new in _matched(before or after, after):
        if old and new and not same_box(old, new):
            yield Mark(old.label, old.box, "from")
            yield Mark(new.label, new.box, "moved")
        elif new:
            yield Mark(new.label, new.box, "same" if old else "new")
        elif old:
            yield Mark(old.label, old.box, "gone")


def _change(old: Panel, new: Panel, caption: Caption) -> Change | None:
    differs = differences(old, new)
    if not differs:
        return None
    return Change(
        new.label,
        "changed",
        label_before=old.label if "label" in differs else "",
        added=texts_of({*new.tokens} - {*old.tokens}, caption),
        removed=texts_of({*old.tokens} - {*new.tokens}, caption),
        iou=iou(old.box, new.box) if "box" in differs else None,
    )


def drawn(subfigures: Iterable[Subfigure], caption: Caption) -> tuple[Drawn, ...]:
    """Return subfigures with the words of their subcaptions."""
    return tuple(Drawn(each.label, each.box.corners, texts_of(each.subcaption, caption)) for each in subfigures)


def texts_of(tokens: Iterable[int], caption: Caption) -> tuple[str, ...]:
    """The caption's text under some tokens, one for each run of neighbours."""
    return tuple(caption.text[span.start : span.end] for span in caption.spans_of(tokens))


# -- figure type and pairs ----------------------------------------------------------------------------------------


def item_lines(work: Decision | Annotation) -> tuple[str, ...]:
    """Describe work on the figure's type, its pairs and their answers, pairs numbered as on the screen."""
    numbers, lines = pair_numbers(work.figure), []
    for support in SUPPORTS.values():
        parts, originals = support.kind.parts(work.items), support.originals(work.figure)
        for name in sorted(parts, key=lambda name: numbers.get(name, len(numbers) + 1)):
            line = support.line(parts[name], originals.get(name))
            lines.append(f"{item_title(support, numbers, name)}: {line}")
    return tuple(lines)


def item_changes(before: Decision, after: Decision) -> tuple[str, ...]:
    """Describe the changes between two decisions on the figure's type and its pairs."""
    numbers, lines = pair_numbers(after.figure), []
    for support in ADJUDICATED:
        earlier, later = support.kind.parts(before.items), support.kind.parts(after.items)
        originals = support.originals(after.figure)
        for name in dict.fromkeys([*originals, *later, *earlier]):
            old, new = earlier.get(name), later.get(name)
            if old != new:
                change = support.change(originals.get(name), old, new)
                lines.append(f"{item_title(support, numbers, name)}: {change}")
    return tuple(lines)


def pair_numbers(figure: Figure) -> dict[str, int]:
    """Return pair's id -> its number on the screen, from 1."""
    return {pair.id: number for number, pair in enumerate(figure.imported.pairs, start=1)}


def item_title(support: KindSupport, numbers: Mapping[str, int], name: str) -> str:
    """Return how lines call an item: "Type", "Pair 2", or a pair that the figure does not have by its id."""
    return support.title or (f"Pair {numbers[name]}" if name in numbers else f'Pair "{short(name)}"')
