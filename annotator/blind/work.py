"""Blind work: reviewers write the subcaptions of given subfigures without seeing anyone else's.

What is written is an ordinary annotation of the phase by the reviewer: agreement is measured as in any other. They
may change it until they hand it in; until then everybody's work on the figure is hidden from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from annotator.blind.allowed_fields import BlindDraft
from annotator.blind.boxes import NoBoxes, find_boxes, store_boxes
from annotator.blind.tasks import Before, UnknownBlindTask, Work, done_before, next_of, saved_of, written_in
from annotator.campaign.home import Home
from annotator.queue.ranking import leave_to_score, score_disagreement
from annotator.store.rows.records import BlindBoxes
from annotator.store.store import Store
from panelwise.domain import BOXES_FROM, Annotation, Conflict, Figure, InvalidAnnotation, Phase, Status, Subfigure


@dataclass(frozen=True, slots=True)
class BlindFigure:
    """One task opened. own: the reviewer's work on the present figure; version: how often they saved it."""

    key: str
    phase: Phase
    place: int
    total: int
    written: int
    figure: Figure
    boxes: BlindBoxes
    own: Annotation | None
    version: int
    before: Before
    next_key: str | None


def open_task(store: Store, home: Home, key: str, reviewer: str, *, now: datetime | None = None) -> BlindFigure:
    """Return a task for its screen, and store the boxes given with it.

    Raises UnknownBlindTask for a key that is none of the reviewer's, and where there is nothing to give yet.
    """
    with store.read() as tx:
        work = Work.of(tx, home, key, reviewer)
        given = tx.blind.boxes(work.phase.name, [work.task.figure]).get(work.task.figure)
    if given is None:
        found = store_boxes(store, home.campaign, work.phase, work.task.figure, now=now or datetime.now(UTC))
        if not isinstance(found, BlindBoxes):
            raise UnknownBlindTask(_no_boxes_message(found))
        given = found
    with store.read() as tx:
        history = saved_of(tx, work)
        return BlindFigure(
            key=key,
            phase=work.phase,
            place=work.place,
            total=len(work.tasks),
            written=len(work.written | work.handed_in),
            figure=tx.figures.get(work.task.figure),
            boxes=given,
            own=history[-1] if history else None,
            version=len(history),
            before=done_before(tx, reviewer, work.phase).get(work.task.figure, Before()),
            next_key=next_of(tx, home, work),
        )


def image_of(store: Store, home: Home, key: str, reviewer: str) -> str:
    """The id of the figure behind a key, for its image. Raises UnknownBlindTask."""
    with store.read() as tx:
        return Work.of(tx, home, key, reviewer, also_handed_in=True).task.figure


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a save."""

    version: int
    written: int
    total: int
    next_key: str | None


def write(
    store: Store,
    home: Home,
    key: str,
    reviewer: str,
    draft: BlindDraft,
    *,
    revision: int,
    now: datetime | None = None,
) -> Written:
    """Keep what the reviewer wrote as their annotation of the phase, on the given boxes.

    revision: of the figure that they saw. Raises UnknownBlindTask; InvalidAnnotation for texts that do not fit
    what is given, and where the figure was replaced meanwhile; Conflict where the same reviewer saved in another
    tab since the draft's version was loaded.
    """
    now = now or datetime.now(UTC)
    with store.transaction() as tx:
        work = Work.of(tx, home, key, reviewer)
        figure = tx.figures.get(work.task.figure)
        given = tx.blind.boxes(work.phase.name, [figure.id]).get(figure.id)
        if given is None or revision != figure.revision:
            raise InvalidAnnotation("the caption or image was replaced after you opened it; reload the page")
        history = saved_of(tx, work)
        if draft.version != len(history):
            raise Conflict("you saved this figure in another tab or window meanwhile; compare, then save again")
        tx.annotations.add(
            Annotation(
                figure=figure,
                annotator=reviewer,
                phase=work.phase.name,
                status=draft.status,
                subfigures=_subfigures(given, draft, len(figure.caption.tokens)),
                saved_at=tx.work.time_after(figure.id, now),
                seeded_by=f"{BOXES_FROM}{given.source}",
                guideline=home.campaign.guideline,
                seconds=draft.seconds,
                reason=draft.reason.strip() if draft.status is Status.REJECTED else "",
            ),
            origin=f"blind:{work.phase.name}",
        )
        leave_to_score(tx, [figure.id])
        version = len(saved_of(tx, work))
        written = len(work.written | work.handed_in | {figure.id})
        result = Written(version, written, len(work.tasks), next_of(tx, home, work))
    score_disagreement(store, home.campaign, [figure.id])
    return result


def own_work(store: Store, home: Home, key: str, reviewer: str) -> tuple[int, Annotation | None]:
    """Return the number of the reviewer's saves, and the last one. Raises UnknownBlindTask."""
    with store.read() as tx:
        history = saved_of(tx, Work.of(tx, home, key, reviewer))
        return len(history), history[-1] if history else None


def hand_in(store: Store, home: Home, phase: str, reviewer: str, *, now: datetime | None = None) -> int:
    """End the reviewer's blind work on all figures of the phase that they wrote; returns how many that were.

    From then on it stays as it is, and the figures are hidden from them no more; nor are those that are left out,
    on which there is nothing to write.
    """
    settings = home.campaign.phase(phase)
    with store.read() as tx:
        mine = {task.figure for task in tx.tasks.all(phase=phase, annotator=reviewer, released=True)}
        # What is given may first have to be merged, which would keep other writers waiting.
        given = find_boxes(tx, home.campaign, settings, sorted(mine - written_in(tx, phase, reviewer)))
    left_out = {name for name, found in given.items() if found is NoBoxes.LEFT_OUT}
    with store.transaction() as tx:
        mine = {task.figure for task in tx.tasks.all(phase=phase, annotator=reviewer, released=True)}
        if not settings.blind or not mine:
            raise UnknownBlindTask(f'you have nothing to hand in of phase "{phase}"; look at your list')
        work = list(tx.annotations.all(phase=phase, annotator=reviewer))
        wrote = {each.figure.id for each in work} & mine
        # Not before the work was saved, even if the clock was set back.
        now = max([now or datetime.now(UTC), *(each.saved_at for each in work)])
        tx.blind.hand_in(phase, reviewer, sorted(mine & left_out - wrote), now)
        return tx.blind.hand_in(phase, reviewer, wrote, now)


def _subfigures(given: BlindBoxes, draft: BlindDraft, tokens: int) -> tuple[Subfigure, ...]:
    """The given boxes with the reviewer's texts. Raises InvalidAnnotation if they do not fit."""
    if draft.status is Status.REJECTED and not draft.reason.strip():
        raise InvalidAnnotation("reason: a figure is rejected for a reason; write it, then save again")
    if draft.status is Status.REJECTED:
        return ()
    if draft.status is not Status.ACCEPTED:
        raise InvalidAnnotation("status: a figure is accepted or rejected here; leave it open to come back to it")
    if len(draft.texts) != len(given.subfigures):
        raise InvalidAnnotation(
            f"texts: {len(draft.texts)} for {len(given.subfigures)} given subfigures; reload the page"
        )
    for place, text in enumerate(draft.texts):
        for token in text:
            if not 0 <= token < tokens:
                raise InvalidAnnotation(
                    f"texts[{place}]: token {token} of {tokens} does not exist; reload the page"
                )
    return tuple(
        Subfigure(each.label, each.box, frozenset(text))
        for each, text in zip(given.subfigures, draft.texts, strict=True)
    )


def _no_boxes_message(why: NoBoxes) -> str:
    if why is NoBoxes.LEFT_OUT:
        return "this figure has no subfigures to describe; go on with another of your list"
    return "the subfigures of this figure are not adjudicated yet; go on with another of your list"
