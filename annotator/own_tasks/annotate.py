"""One task on its person's screen: opened, submitted, rejected, left out or skipped; undone, or handed in.

What is submitted is an ordinary annotation of the phase: agreement is measured as in any other. On a blind task
the boxes are given, and everybody's work on the figure is hidden from the reviewer until they hand theirs in.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from annotator.adjudication.draft import OwnItemsDraft, OwnItemsView, SubfiguresDraft, SubfiguresView
from annotator.adjudication.findings import panel_findings
from annotator.adjudication.items.state import ItemsState
from annotator.adjudication.kinds.supports import SUPPORTS, item_values
from annotator.adjudication.proposals import panels
from annotator.adjudication.state import FigureState, PanelFinding
from annotator.adjudication.subfigures import drawn_in, figure_state
from annotator.campaign.home import Home
from annotator.campaign.palette import on_palette
from annotator.campaign.task_keys import TaskKeys
from annotator.consensus.differences import has_too_many_boxes
from annotator.own_tasks import items
from annotator.own_tasks.allowed_fields import BlindDraft
from annotator.own_tasks.blind_boxes import NoBoxes, describe_boxes, find_boxes, store_boxes
from annotator.own_tasks.tasks import (
    Before,
    PhaseWork,
    UnknownTask,
    done_before,
    find_task,
    own_phases,
)
from annotator.queue.pages import Progress
from annotator.queue.ranking import leave_to_score, score_disagreement
from annotator.store.queries.work import FigureWork
from annotator.store.rows.records import SUBMITTED, UNDONE, BlindBoxes
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    BOXES_FROM,
    NO_ITEMS,
    Annotation,
    Campaign,
    Conflict,
    Figure,
    InvalidAnnotation,
    Items,
    Phase,
    Prediction,
    Status,
    Subfigure,
    Task,
    Visit,
    part_names,
)
from panelwise.formats import predicted_kind

#: Edges that differ by less, in pixels, are the same: a screen rounds to a tenth of a pixel.
SAME_EDGE = 0.1

#: An annotator's own work, as it is sent and as it is shown.
OwnDraft = SubfiguresDraft | OwnItemsDraft
OwnView = SubfiguresView | OwnItemsView

#: What an annotation holds: subfigures, or items.
Content = tuple[tuple[Subfigure, ...], Items]
NOTHING: Content = ((), NO_ITEMS)


@dataclass(frozen=True, slots=True)
class OwnTask:
    """A task of a person with what they saved on the figure's present revision, oldest first.

    place: in the phase, from 1. next_key: of the task to go on with. shown_figure: with its question-answer pairs
    as the phase shows them. prediction: what work starts from. boxes: given on a blind task, None before it was
    first opened; before: what its reviewer did on the figure before. undone: the person took back what they
    submitted last.
    """

    key: str
    work: PhaseWork
    place: int
    next_key: str | None
    figure: Figure
    shown_figure: Figure
    history: tuple[Annotation, ...]
    prediction: Prediction | None
    boxes: BlindBoxes | None
    before: Before
    undone: bool

    @classmethod
    def find(cls, tx: Transaction, home: Home, key: str, person: str, *, blind: bool = False) -> OwnTask:
        """Return the task of a key. Raises UnknownTask, also for one that is handed in."""
        phase, tasks, place = find_task(tx, home, key, person, blind=blind)
        work, figure = PhaseWork.of(tx, phase, person, tasks), tx.figures.get(tasks[place - 1].figure)
        if figure.id in work.handed_in:
            raise UnknownTask("you handed this figure in, and it stays as it is; look at your list")
        saved = tx.annotations.history(figure.id, person, phase.name)
        history = tuple(annotation for annotation in saved if annotation.figure.revision == figure.revision)
        prediction = _shown_prediction(tx, home.campaign, phase, figure, tasks[place - 1])
        # Work that was begun goes on from what it began from.
        if history and (prediction is None or history[-1].seeded_by != prediction.model_version):
            prediction = None
        return cls(
            key=key,
            work=work,
            place=place,
            next_key=work.next_key(tx, home, place),
            figure=figure,
            shown_figure=items.figure_of_phase(tx, home.campaign, phase, figure),
            history=history,
            prediction=prediction,
            boxes=tx.blind.boxes(phase.name, [figure.id]).get(figure.id) if blind else None,
            before=done_before(tx, person, phase).get(figure.id, Before()) if blind else Before(),
            undone=tx.annotations.is_undone(figure.id, person, phase.name),
        )

    @property
    def phase(self) -> Phase:
        """Return the task's phase."""
        return self.work.phase

    @property
    def task(self) -> Task:
        """Return the task."""
        return self.work.tasks[self.place - 1]

    @property
    def total(self) -> int:
        """Return the number of the person's tasks in the phase."""
        return len(self.work.tasks)

    @property
    def version(self) -> int:
        """Return how often the person saved the figure."""
        return len(self.history)

    @property
    def own(self) -> Annotation | None:
        """Return the person's latest work on the figure."""
        return self.history[-1] if self.history else None

    @property
    def work_to_resume(self) -> Annotation | None:
        """Return the work that the person goes on from: the latest, or what they took back of a correction."""
        restored = self.undone and self.own is not None and not _is_undone(self.own) and len(self.history) > 1
        return self.history[-2] if restored else self.own


@dataclass(frozen=True, slots=True)
class OpenTask:
    """An annotator's task for its screen. state: without any other person's work.

    findings: of the guideline checks, in the subfigures that it starts from.
    """

    own: OwnTask
    state: FigureState | ItemsState
    findings: tuple[PanelFinding, ...]


@dataclass(frozen=True, slots=True)
class Saved:
    """The result of a save. version: number of the person's saves on the figure. done, total: of the phase."""

    version: int
    done: int
    total: int
    next_key: str | None


def open_task(store: Store, home: Home, key: str, annotator: str) -> OpenTask:
    """A task as its screen shows it. Raises UnknownTask for a key that is none of the annotator's."""
    own = own_task(store, home, key, annotator)
    phase, decision = own.phase, own_decision(own)
    progress = Progress(own.work.done, own.total)
    start: FigureState | ItemsState = (
        items.task_state(own.shown_figure, own.prediction, phase, home, annotator, progress)
        if asks_for_items(phase)
        else _subfigures_state(own.figure, own.prediction, home, annotator, progress)
    )
    reasons = own.work.reasons_on(own.figure.id)
    is_open = decision is None or bool(reasons)
    shown = own.work_to_resume if is_open else own.own
    starts_from = None
    if is_open and shown is not None and (shown.subfigures or shown.items != NO_ITEMS or decision is not None):
        starts_from = _view(own, shown)
    state = msgspec.structs.replace(
        start,
        version=own.version,
        # Work that was sent back must be submitted again, changed or not.
        decision=None if reasons else decision,
        starts_from=starts_from,
        reasons=tuple(f"To correct: {reason}" for reason in reasons),
        phase=phase.name,
    )
    # Of what is on the screen at first: the annotator's own work, else the prediction, else nothing.
    start_work = shown or own.prediction
    drawn = () if start_work is None or asks_for_items(phase) else start_work.subfigures
    return OpenTask(own, state, _findings(own, (drawn, NO_ITEMS)) if drawn else ())


def open_blind_task(
    store: Store, home: Home, key: str, reviewer: str, *, now: datetime | None = None
) -> tuple[OwnTask, BlindBoxes]:
    """Return a blind task with its boxes, and store these.

    Raises UnknownTask for a key that is none of the reviewer's, and where there is nothing to give yet.
    """
    own = own_task(store, home, key, reviewer, blind=True)
    boxes = own.boxes or store_boxes(store, home.campaign, own.phase, own.figure.id, now=now or datetime.now(UTC))
    if boxes is NoBoxes.LEFT_OUT:
        raise UnknownTask("this figure has no subfigures to describe; go on with another of your list")
    if boxes is NoBoxes.WAITING:
        raise UnknownTask("the subfigures of this figure are not adjudicated yet; go on with another of your list")
    return own, boxes


def asks_for_items(phase: Phase) -> bool:
    """Return whether a phase's tasks are on figure types, pairs or answers, which have a screen of their own."""
    return not phase.kind.drawn


def own_task(store: Store, home: Home, key: str, person: str, *, blind: bool = False) -> OwnTask:
    """Return the task of a key. Raises UnknownTask."""
    with store.read() as tx:
        return OwnTask.find(tx, home, key, person, blind=blind)


def task_of(store: Store, home: Home, key: str, person: str, *, blind: bool = False) -> Task:
    """Return the task of a key without work on it, even if it is handed in. Raises UnknownTask."""
    with store.read() as tx:
        _, tasks, place = find_task(tx, home, key, person, blind=blind)
        return tasks[place - 1]


def submit(
    store: Store,
    home: Home,
    key: str,
    person: str,
    draft: OwnDraft | BlindDraft,
    *,
    revision: int,
    now: datetime | None = None,
) -> Saved:
    """Save a draft as the person's annotation of the phase: submitted, rejected or left out, by its status.

    The note of a draft that rejects the figure or leaves it out is the reason, and required.

    revision: of the figure that the person saw. Raises UnknownTask; InvalidAnnotation for what the figure or the
    given boxes refuse, without a reason, and where caption or image were replaced meanwhile; Conflict where the
    same person saved in another tab since the draft's version was loaded.
    """
    blind = isinstance(draft, BlindDraft)
    with store.transaction() as tx:
        own = OwnTask.find(tx, home, key, person, blind=blind)
        if revision != own.figure.revision or (blind and own.boxes is None):
            raise InvalidAnnotation("the caption or image was replaced after you opened it; reload the page")
        if draft.version != own.version:
            raise Conflict("you saved this figure in another tab or window meanwhile; compare, then save again")
        saved = _add(tx, home, own, draft, now)
    score_disagreement(store, home.campaign, [own.figure.id])
    return saved


def draft_findings(
    store: Store, home: Home, key: str, annotator: str, draft: OwnDraft
) -> tuple[PanelFinding, ...]:
    """Check an unsaved draft against the guidelines; none while it is incomplete. Raises UnknownTask."""
    own = own_task(store, home, key, annotator)
    try:
        content = _content(own, draft, home.campaign)
    except InvalidAnnotation:
        # What is missing or wrong is refused when it is submitted, and said then.
        return ()
    return _findings(own, content)


def _findings(own: OwnTask, content: Content) -> tuple[PanelFinding, ...]:
    """Check content against the guidelines. Not answers of human evaluation."""
    phase = own.phase
    if phase.kind.answered:
        return ()
    work = Annotation(
        own.figure, own.task.annotator, phase.name, Status.ACCEPTED, content[0], datetime.now(UTC), content[1]
    )
    return panel_findings(work, phase)


def skip(store: Store, home: Home, key: str, annotator: str, *, now: datetime | None = None) -> str | None:
    """Put a task off, and return the key of the next: it stays open, and comes after all others.

    Submitted work stays. Raises UnknownTask.
    """
    with store.transaction() as tx:
        own = OwnTask.find(tx, home, key, annotator)
        if own.work.is_open(own.task):
            tx.tasks.skip(own.task, now or datetime.now(UTC))
        return own.next_key


def undo(store: Store, home: Home, annotator: str, *, now: datetime | None = None) -> str:
    """Take back the annotator's last submission, rejection or leaving out; returns the key of its task.

    What they had submitted before counts again; where there is nothing, the task is open with what was drawn as
    the start of new work. Nothing is deleted. Raises UnknownTask if there is nothing to undo.
    """
    with store.transaction() as tx:
        names = [phase.name for phase in own_phases(home.campaign)]
        figure_id, phase, origin = tx.annotations.last_saved(annotator, names) or ("", "", "")
        tasks = tx.tasks.all(phase=phase, annotator=annotator)
        task = next((task for task in tasks if task.figure == figure_id), None)
        if origin != SUBMITTED or task is None:
            raise UnknownTask("there is nothing to undo; open a figure of your list to change it")
        key = TaskKeys(home.secret()).of(task)
        history = OwnTask.find(tx, home, key, annotator).history
        if not history:
            raise UnknownTask("the caption or image was replaced since; open the figure from your list")
        earlier = [annotation for annotation in history[:-1] if not _is_undone(annotation)]
        restored = earlier[-1] if earlier else replace(history[-1], status=Status.IGNORED, reason="")
        moment = tx.work.time_after(figure_id, now or datetime.now(UTC))
        tx.annotations.add(replace(restored, saved_at=moment), origin=UNDONE)
        leave_to_score(tx, [figure_id])
    score_disagreement(store, home.campaign, [figure_id])
    return key


def hand_in(store: Store, home: Home, phase: str, reviewer: str, *, now: datetime | None = None) -> int:
    """End the reviewer's blind work on all figures of the phase that they wrote; returns how many that were.

    From then on it stays as it is, and the figures are hidden from them no more; nor are those that are left out,
    on which there is nothing to write.
    """
    settings = home.campaign.phase(phase)
    with store.read() as tx:
        # What is given may first have to be merged, which would keep other writers waiting.
        work = PhaseWork.of(tx, settings, reviewer)
        unwritten = [task.figure for task in work.tasks if task.figure not in work.current]
        given = find_boxes(tx, home.campaign, settings, unwritten)
    left_out = {figure_id for figure_id, boxes in given.items() if boxes is NoBoxes.LEFT_OUT}
    with store.transaction() as tx:
        work = PhaseWork.of(tx, settings, reviewer)
        if not settings.blind or not work.tasks:
            raise UnknownTask(f'you have nothing to hand in of phase "{phase}"; look at your list')
        # Not before the work was saved, even if the clock was set back.
        now = max([now or datetime.now(UTC), *(annotation.saved_at for annotation in work.current.values())])
        tx.blind.hand_in(
            phase, reviewer, left_out & {task.figure for task in work.tasks} - work.current.keys(), now
        )
        return tx.blind.hand_in(phase, reviewer, work.current, now)


def own_decision(own: OwnTask) -> OwnView | None:
    """The annotator's latest work as the screen shows a decision; None if the task is open."""
    return None if own.own is None or _is_undone(own.own) else _view(own, own.own)


def _is_undone(last: Annotation) -> bool:
    """Return whether an annotation holds work that was taken back, as the start of new work."""
    return last.status is Status.IGNORED and not last.reason


def _view(own: OwnTask, work: Annotation) -> OwnView:
    basics: dict[str, Any] = {
        "version": own.version,
        "status": work.status,
        "note": work.reason,
        "reviewer": work.annotator,
        "decided_at": work.saved_at.replace(microsecond=0),
        "based_on": (),
        "seconds": work.seconds,
    }
    if asks_for_items(own.phase):
        return OwnItemsView(**basics, **item_values(work.items, SUPPORTS.values()))
    return SubfiguresView(**basics, subfigures=panels(work.subfigures))


def _content(own: OwnTask, draft: OwnDraft | BlindDraft, campaign: Campaign) -> Content:
    """Return what a draft holds. Raises InvalidAnnotation for what the figure or the given boxes refuse."""
    if isinstance(draft, OwnItemsDraft):
        return (), items.judged_in(draft, own.shown_figure, own.phase, campaign)
    if isinstance(draft, SubfiguresDraft):
        return drawn_in(draft, own.figure, campaign), NO_ITEMS
    given = own.boxes.subfigures if own.boxes is not None else ()
    return describe_boxes(given, draft.texts, own.figure.caption), NO_ITEMS


def _reason(draft: OwnDraft | BlindDraft) -> str:
    """Return why a draft rejects its figure, or leaves it out. Raises InvalidAnnotation if it does not say."""
    blind = isinstance(draft, BlindDraft)
    if blind and draft.status is Status.IGNORED:
        raise InvalidAnnotation("status: a figure is accepted or rejected here; leave it open to come back to it")
    reason = (draft.reason if isinstance(draft, BlindDraft) else draft.note).strip()
    if not reason:
        what = "reason: a figure is rejected" if blind else "note: a figure is rejected or left out"
        raise InvalidAnnotation(f"{what} for a reason; write it, then save again")
    return reason


def _viewed(content: Content, viewed: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return what was viewed of what is submitted."""
    return None if viewed is None else tuple(name for name in part_names(*content) if name in viewed)


def _check_visited(phase: Phase, content: Content, viewed: Collection[str]) -> None:
    """Raise InvalidAnnotation if the phase asks annotators to look at everything, and something was not."""
    missing = [name or "the figure's type" for name in part_names(*content) if name not in viewed]
    if phase.visit is Visit.ALL and missing:
        raise InvalidAnnotation(f"viewed: not looked at {', '.join(missing[:8])}; look at each, then submit again")


def _is_prediction(content: Content, prediction: Prediction | None) -> bool:
    """Return whether the content is what the prediction showed; boxes as far as a screen tells them apart."""
    if prediction is None:
        return False
    subfigures, judged = content
    if judged != NO_ITEMS:
        return judged.kind is not None and judged.kind == prediction.items.kind
    return len(subfigures) == len(prediction.subfigures) and all(
        (one.label, one.subcaption) == (other.label, other.subcaption)
        and all(abs(a - b) < SAME_EDGE for a, b in zip(one.box.as_list(), other.box.as_list(), strict=True))
        for one, other in zip(subfigures, prediction.subfigures, strict=True)
    )


def _seeded_by(own: OwnTask) -> str | None:
    if own.boxes is not None:
        return f"{BOXES_FROM}{own.boxes.source}"
    if own.own is not None:
        return own.own.seeded_by
    return None if own.prediction is None else own.prediction.model_version


def _add(tx: Transaction, home: Home, own: OwnTask, draft: OwnDraft | BlindDraft, now: datetime | None) -> Saved:
    """Add a draft to the store. Raises InvalidAnnotation."""
    accepted, content, reason = draft.status is Status.ACCEPTED, NOTHING, ""
    viewed = None if isinstance(draft, BlindDraft) else draft.viewed
    if accepted:
        content = _content(own, draft, home.campaign)
        _check_visited(own.phase, content, viewed or ())
    else:
        reason = _reason(draft)
    annotation = Annotation(
        figure=own.figure,
        annotator=own.task.annotator,
        phase=own.phase.name,
        status=draft.status,
        subfigures=content[0],
        items=content[1],
        saved_at=tx.work.time_after(own.figure.id, now or datetime.now(UTC)),
        seeded_by=_seeded_by(own),
        guideline=home.campaign.guideline,
        seconds=draft.seconds,
        viewed=_viewed(content, viewed),
        unchanged=accepted and _is_prediction(content, own.prediction),
        reason=reason,
    )
    new = tx.annotations.add(annotation, origin=f"blind:{own.phase.name}" if own.phase.blind else SUBMITTED)
    if own.task.skipped_at is not None:
        tx.tasks.skip(own.task, None)
    if not new or draft.status is Status.IGNORED:
        for entry in own.work.to_correct(own.figure.id):
            tx.sent_back.end(entry.id, annotation.annotator, annotation.saved_at)
    leave_to_score(tx, [own.figure.id])
    done = own.work.done + own.work.is_open(own.task)
    return Saved(own.version + new, done, own.total, own.next_key)


def _shown_prediction(
    tx: Transaction, campaign: Campaign, phase: Phase, figure: Figure, task: Task
) -> Prediction | None:
    """The prediction that the task starts from, as `annotator push` chooses it; None to start from nothing."""
    if not phase.seeded or phase.blind or task.unseeded:
        return None
    if (
        not phase.overlap_seeded
        and sum(task.phase == phase.name and not task.hidden for task in tx.tasks.on([figure.id])) > 1
    ):
        return None
    prediction = tx.predictions.latest_of({figure.id: figure}).get(figure.id)
    if asks_for_items(phase):
        return predicted_kind(figure, prediction) if phase.asks_for_kind else None
    if prediction is None or has_too_many_boxes(prediction, campaign):
        return None
    shown = on_palette(prediction, campaign.labels, spare=False)
    return shown.with_single_spans() if phase.single_span else shown


def _subfigures_state(
    figure: Figure, prediction: Prediction | None, home: Home, annotator: str, progress: Progress
) -> FigureState:
    """Build the adjudication screen of a figure with at most a prediction."""
    state = figure_state(FigureWork(figure, (), (), (), prediction), home, annotator, progress)
    candidates = tuple(replace(candidate, conflict=False, reasons=()) for candidate in state.candidates)
    return msgspec.structs.replace(state, candidates=candidates)
