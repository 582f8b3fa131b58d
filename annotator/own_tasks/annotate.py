"""One task on the annotator's screen: opened, submitted, rejected, left out or skipped; the last save undone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from annotator.adjudication.draft import OwnItemsDraft, OwnItemsView, SubfiguresDraft, SubfiguresView
from annotator.adjudication.findings import panel_findings
from annotator.adjudication.items.state import ItemsState
from annotator.adjudication.proposals import panels
from annotator.adjudication.state import FigureState, PanelFinding
from annotator.adjudication.subfigures import drawn_in, figure_state
from annotator.campaign.home import Home
from annotator.campaign.palette import on_palette
from annotator.campaign.task_keys import TaskKeys
from annotator.consensus.differences import has_too_many_boxes
from annotator.own_tasks import items
from annotator.own_tasks.tasks import TO_DO, OwnWork, UnknownTask, find_task, own_phases
from annotator.queue.pages import Progress
from annotator.queue.ranking import leave_to_score, score_disagreement
from annotator.store.queries.work import FigureWork
from annotator.store.rows.records import SUBMITTED, UNDONE
from annotator.store.store import Store, Transaction
from panelwise.domain import (
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
class OpenTask:
    """A task for its screen. state: without any other person's work. place: in the phase, from 1.

    findings: of the guideline checks, in the subfigures that it starts from. shows_id: the annotator may see the
    figure's id.
    """

    state: FigureState | ItemsState
    figure: Figure
    place: int
    next_key: str | None
    visit: Visit
    findings: tuple[PanelFinding, ...]
    shows_id: bool


@dataclass(frozen=True, slots=True)
class Saved:
    """The result of a save. version: number of the annotator's saves on the figure."""

    version: int
    next_key: str | None


@dataclass(frozen=True, slots=True)
class _Own:
    """A task of an annotator with what they saved on the figure's present revision, oldest first.

    shown_figure: with its question-answer pairs as the phase shows them. prediction: what work starts from.
    """

    work: OwnWork
    place: int
    figure: Figure
    shown_figure: Figure
    history: tuple[Annotation, ...]
    prediction: Prediction | None

    @classmethod
    def of(cls, tx: Transaction, home: Home, key: str, annotator: str) -> _Own:
        work, place = find_task(tx, home, key, annotator)
        figure = tx.figures.get(work.tasks[place - 1].figure)
        saved = tx.annotations.history(figure.id, annotator, work.phase.name)
        history = tuple(each for each in saved if each.figure.revision == figure.revision)
        prediction = _shown_prediction(tx, home.campaign, work.phase, figure)
        # Work that was begun goes on from what it began from.
        if history and (prediction is None or history[-1].seeded_by != prediction.model_version):
            prediction = None
        shown = items.figure_of_phase(tx, home.campaign, work.phase, figure)
        return cls(work, place, figure, shown, history, prediction)

    @property
    def task(self) -> Task:
        """Return the task."""
        return self.work.tasks[self.place - 1]

    def next_key(self, home: Home) -> str | None:
        task = self.work.next_after(self.place)
        return None if task is None else TaskKeys(home.secret()).of(task)


def open_task(store: Store, home: Home, key: str, annotator: str) -> OpenTask:
    """A task as its screen shows it. Raises UnknownTask for a key that is none of the annotator's."""
    with store.read() as tx:
        own = _Own.of(tx, home, key, annotator)
    phase = own.work.phase
    progress = Progress(own.work.done, len(own.work.tasks))
    found: FigureState | ItemsState = (
        items.task_state(own.shown_figure, own.prediction, phase, home, annotator, progress)
        if asks_for_items(phase)
        else _subfigures_state(own.figure, own.prediction, home, annotator, progress)
    )
    reasons = own.work.reasons_on(own.figure.id)
    decision, undone = own_decision(own.history, phase), _draft_of_undone(own.history, phase)
    state = msgspec.structs.replace(
        found,
        version=len(own.history),
        # Work that was sent back must be submitted again, changed or not.
        decision=None if reasons else decision,
        starts_from=decision if reasons and decision is not None else undone,
        reasons=tuple(f"To correct: {reason}" for reason in reasons),
        phase=phase.name,
    )
    # Of what is on the screen at first: the annotator's own work, else the prediction, else nothing.
    start = own.prediction.subfigures if own.prediction is not None else ()
    drawn = own.history[-1].subfigures if own.history else start
    findings = () if asks_for_items(phase) or not drawn else _findings(own, (drawn, NO_ITEMS))
    return OpenTask(state, own.figure, own.place, own.next_key(home), phase.visit, findings, phase.show_ids)


def asks_for_items(phase: Phase) -> bool:
    """Return whether a phase's tasks are on figure types, pairs or answers, which have a screen of their own."""
    return not phase.kind.drawn


def phase_of(store: Store, home: Home, key: str, annotator: str) -> Phase:
    """The phase of the task behind a key. Raises UnknownTask."""
    with store.read() as tx:
        return find_task(tx, home, key, annotator)[0].phase


def figure_of(store: Store, home: Home, key: str, annotator: str) -> str:
    """The id of the figure behind a key, for its image. Raises UnknownTask."""
    with store.read() as tx:
        work, place = find_task(tx, home, key, annotator)
        return work.tasks[place - 1].figure


def own_history(store: Store, home: Home, key: str, annotator: str) -> tuple[Annotation, ...]:
    """All that the annotator saved on the task's figure as it is now, oldest first. Raises UnknownTask."""
    with store.read() as tx:
        return _Own.of(tx, home, key, annotator).history


def submit(
    store: Store,
    home: Home,
    key: str,
    annotator: str,
    draft: OwnDraft,
    *,
    revision: int,
    now: datetime | None = None,
) -> Saved:
    """Save a draft as the annotator's annotation of the phase: submitted, rejected or left out, by its status.

    The note of a draft that rejects the figure or leaves it out is the reason, and required.

    revision: of the figure that the annotator saw. Raises UnknownTask; InvalidAnnotation for what the figure
    refuses, without a reason, and where caption or image were replaced meanwhile; Conflict where the same
    annotator saved in another tab since the draft's version was loaded.
    """
    with store.transaction() as tx:
        own = _Own.of(tx, home, key, annotator)
        if revision != own.figure.revision:
            raise InvalidAnnotation("the caption or image was replaced after you opened it; reload the page")
        if draft.version != len(own.history):
            raise Conflict("you saved this figure in another tab or window meanwhile; compare, then save again")
        content = NOTHING
        if draft.status is Status.ACCEPTED:
            content = _content(own, draft, home.campaign)
            _check_visited(own.work.phase, content, draft.viewed or ())
        elif not draft.note.strip():
            raise InvalidAnnotation(
                "note: a figure is rejected or left out for a reason; write it, then save again"
            )
        saved = _add(tx, home, own, draft, content, now)
    score_disagreement(store, home.campaign, [own.figure.id])
    return saved


def draft_findings(
    store: Store, home: Home, key: str, annotator: str, draft: OwnDraft
) -> tuple[PanelFinding, ...]:
    """Check an unsaved draft against the guidelines; none while it is incomplete. Raises UnknownTask."""
    with store.read() as tx:
        own = _Own.of(tx, home, key, annotator)
    try:
        content = _content(own, draft, home.campaign)
    except InvalidAnnotation:
        # What is missing or wrong is refused when it is submitted, and said then.
        return ()
    return _findings(own, content)


def _findings(own: _Own, content: Content) -> tuple[PanelFinding, ...]:
    """Check content against the guidelines. Not answers of human evaluation."""
    phase = own.work.phase
    if phase.kind.answered:
        return ()
    work = Annotation(
        own.figure, own.task.annotator, phase.name, Status.ACCEPTED, content[0], datetime.now(UTC), content[1]
    )
    return panel_findings(work, phase)


def skip(store: Store, home: Home, key: str, annotator: str, *, now: datetime | None = None) -> Saved:
    """Put a task off: it stays open, and comes after all others. Submitted work stays. Raises UnknownTask."""
    with store.transaction() as tx:
        own = _Own.of(tx, home, key, annotator)
        if own.work.state_of(own.task) in TO_DO:
            tx.tasks.skip(own.task, now or datetime.now(UTC))
        return Saved(len(own.history), own.next_key(home))


def undo(store: Store, home: Home, annotator: str, *, now: datetime | None = None) -> str:
    """Take back the annotator's last submission, rejection or leaving out; returns the key of its task.

    What they had submitted before counts again; where there is nothing, the task is open with what was drawn as
    the start of new work. Nothing is deleted. Raises UnknownTask if there is nothing to undo.
    """
    with store.transaction() as tx:
        names = [phase.name for phase in own_phases(home.campaign)]
        figure_id, phase, origin = tx.annotations.last_saved(annotator, names) or ("", "", "")
        task = next(
            (each for each in tx.tasks.all(phase=phase, annotator=annotator) if each.figure == figure_id), None
        )
        if origin != SUBMITTED or task is None:
            raise UnknownTask("there is nothing to undo; open a figure of your list to change it")
        key = TaskKeys(home.secret()).of(task)
        history = _Own.of(tx, home, key, annotator).history
        if not history:
            raise UnknownTask("the caption or image was replaced since; open the figure from your list")
        earlier = [each for each in history[:-1] if not _is_undone(each)]
        restored = earlier[-1] if earlier else replace(history[-1], status=Status.IGNORED, reason="")
        moment = tx.work.time_after(figure_id, now or datetime.now(UTC))
        tx.annotations.add(replace(restored, saved_at=moment), origin=UNDONE)
        leave_to_score(tx, [figure_id])
    score_disagreement(store, home.campaign, [figure_id])
    return key


def own_decision(history: tuple[Annotation, ...], phase: Phase) -> OwnView | None:
    """The annotator's latest work as the screen shows a decision; None if the task is open."""
    return _view(history[-1], len(history), phase) if history and not _is_undone(history[-1]) else None


def _is_undone(last: Annotation) -> bool:
    """Return whether an annotation holds work that was taken back, as the start of new work."""
    return last.status is Status.IGNORED and not last.reason


def _draft_of_undone(history: tuple[Annotation, ...], phase: Phase) -> OwnView | None:
    if not history or not _is_undone(history[-1]):
        return None
    undone = history[-1].subfigures or history[-1].items != NO_ITEMS
    return _view(history[-1], len(history), phase) if undone else None


def _view(own: Annotation, version: int, phase: Phase) -> OwnView:
    basics: dict[str, Any] = {
        "version": version,
        "status": own.status,
        "note": own.reason,
        "reviewer": own.annotator,
        "decided_at": own.saved_at.replace(microsecond=0),
        "based_on": (),
        "seconds": own.seconds,
    }
    if asks_for_items(phase):
        return OwnItemsView(**basics, **items.shown_work(own))
    return SubfiguresView(**basics, subfigures=panels(own.subfigures))


def _content(own: _Own, draft: OwnDraft, campaign: Campaign) -> Content:
    if isinstance(draft, OwnItemsDraft):
        return (), items.judged_in(draft, own.shown_figure, own.work.phase, campaign)
    return drawn_in(draft, own.figure, campaign), NO_ITEMS


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


def _add(
    tx: Transaction,
    home: Home,
    own: _Own,
    draft: OwnDraft,
    content: Content,
    now: datetime | None,
) -> Saved:
    seeded_by = own.prediction.model_version if own.prediction is not None else None
    annotation = Annotation(
        figure=own.figure,
        annotator=own.task.annotator,
        phase=own.work.phase.name,
        status=draft.status,
        subfigures=content[0],
        items=content[1],
        saved_at=tx.work.time_after(own.figure.id, now or datetime.now(UTC)),
        seeded_by=own.history[-1].seeded_by if own.history else seeded_by,
        guideline=home.campaign.guideline,
        seconds=draft.seconds,
        viewed=_viewed(content, draft.viewed),
        unchanged=draft.status is Status.ACCEPTED and _is_prediction(content, own.prediction),
        reason="" if draft.status is Status.ACCEPTED else draft.note.strip(),
    )
    new = tx.annotations.add(annotation, origin=SUBMITTED)
    if own.task.skipped_at is not None:
        tx.tasks.skip(own.task, None)
    if not new or draft.status is Status.IGNORED:
        for each in own.work.to_correct(own.figure.id):
            tx.sent_back.end(each.id, annotation.annotator, annotation.saved_at)
    leave_to_score(tx, [own.figure.id])
    return Saved(len(own.history) + new, own.next_key(home))


def _shown_prediction(tx: Transaction, campaign: Campaign, phase: Phase, figure: Figure) -> Prediction | None:
    """The prediction that the task starts from, as `annotator push` chooses it; None to start from nothing."""
    if not phase.seeded:
        return None
    if (
        not phase.overlap_seeded
        and sum(each.phase == phase.name and not each.hidden for each in tx.tasks.on([figure.id])) > 1
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
    found = figure_state(FigureWork(figure, (), (), (), prediction), home, annotator, progress)
    candidates = tuple(replace(each, conflict=False, reasons=()) for each in found.candidates)
    return msgspec.structs.replace(found, candidates=candidates)
