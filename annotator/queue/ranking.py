"""The stored scores and causes of disagreement by which the queue is ordered and filtered."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from agreement.pairs import figure_agreement, figure_means, pair_scores
from agreement.score import CAUSES, Loss
from annotator.checks.run import grave_findings
from annotator.consensus.differences import (
    common_work,
    needs_reviewer,
    newest_of_each,
    nothing_differs,
    partly_read,
    unchanged_by_all,
)
from annotator.consensus.gold_rule import figures_to_correct, is_waiting, state_of_work, tasks_due
from annotator.consensus.items import (
    Reading,
    accepted_and_rejected,
    common_status,
    items_agreement,
    items_differ,
    readings_of,
)
from annotator.consensus.outdated import left_behind
from annotator.store.queries.work import PresentWork
from annotator.store.rows.records import Facet, QueuePlace
from annotator.store.store import Store, Transaction
from panelwise.domain import Annotation, Campaign, Figure, Status, Task

#: Score of a figure by one annotator only: it comes after all that were compared.
ALONE = 1.0
#: Figures scored at a time: others can write in between.
BATCH = 100
#: How often figures are scored again because work on them came in meanwhile. Who adds work scores it too.
MOST_ROUNDS = 5
#: The setting that says what the stored scores were measured on.
SCORED = "queue_scored"
#: The setting that lists figures whose stored score does not hold.
UNSCORED = "queue_unscored"
#: A new number makes every store measure again.
_WAY = 7


class Further(StrEnum):
    """Differences between annotators that cost no part of the score; see `Loss` for those that do.

    STATUS: some accepted the figure, others rejected it. DRAWN: labels, or boxes that answer each
    other but lie apart. ITEMS: figure type, verdicts or answers. PUNCTUATION: tokens that do not count. PARTLY:
    some of the work could not be read, so that what differs is not known.
    """

    STATUS = "figure kept or not"
    DRAWN = "labels or boxes"
    ITEMS = "figure type or answers"
    PUNCTUATION = "punctuation"
    PARTLY = "read in part"


#: What the queue can be filtered by, in the order in which it is offered: stored value -> name that people read.
KINDS: Mapping[str, str] = MappingProxyType(
    {cause.value: cause.display for cause in CAUSES if cause is not Loss.REPEATED}
    | {further.value: further.value for further in Further}
    | {Further.STATUS.value: "accepted or rejected"}
)


def queue_agreement(annotations: Sequence[Annotation]) -> float | None:
    """Return the agreement of one figure's annotators, in [0, 1], by which the queue is ordered.

    1 where the metric has nothing to count (no text anywhere) but nothing differs either; None for fewer than two
    annotators, and where they differ in what the metric does not count.
    """
    agreement = figure_agreement(annotations)
    if agreement is None and len(annotations) > 1 and nothing_differs(annotations):
        return 1.0
    return agreement


def score_disagreement(store: Store, campaign: Campaign, figure_ids: Iterable[str] | None = None) -> int:
    """Put figures into the queue, or bring their places up to date: those named, or all that were annotated.

    To be called after annotations were imported or pulled, or figures replaced. Figures that nobody annotated
    or decided on stay out of the queue; one whose annotations are all on another revision waits where nothing
    differs. Returns how many were scored.
    """
    mark = ""
    if figure_ids is None:
        with store.read() as tx:
            mark = _mark(tx, campaign)
            figure_ids = tx.annotations.figures() | tx.decisions.figures()
    with store.read() as tx:
        wanted = sorted({*figure_ids, *_unscored(tx)})
    scored = sum(_score(store, campaign, wanted[at : at + BATCH]) for at in range(0, len(wanted), BATCH))
    if mark:
        with store.transaction() as tx:
            tx.settings.put(SCORED, mark)
    return scored


def refresh_disagreement(store: Store, *, campaign: Campaign | None = None, phase: str | None = None) -> None:
    """Bring the queue's scores up to date for every figure annotated in `phase`, or in any.

    To be called when annotations have come in. campaign: tells which phases ask for subfigures, else all do.
    """
    figures = None
    if phase is not None:
        with store.read() as tx:
            figures = tx.annotations.figures(phase=phase)
    score_disagreement(store, campaign or Campaign("", (), ()), figures)


def refresh_waiting(tx: Transaction, campaign: Campaign, tasks: Iterable[Task]) -> None:
    """Let the queue know for which figures work is missing, where these tasks were added or taken back."""
    figures = sorted(tx.annotations.figures().intersection(task.figure for task in tasks))
    due, sent_back = tasks_due(tx, campaign, figures), figures_to_correct(tx, campaign, figures)
    tx.queue.put_waiting(
        {
            work.figure.id: work.figure.id in sent_back
            or is_waiting(work.annotations, campaign, due.get(work.figure.id, set()))
            for work in tx.work.on(figures)
        }
    )


def count_partly_read(tx: Transaction) -> int:
    """Count figures without a decision on which some of the work was read in part, as the queue has them."""
    counts = tx.queue.counts(Facet.LOSS, Further.PARTLY)
    return counts.total - counts.decided


def score_where_needed(store: Store, campaign: Campaign) -> int:
    """Score every figure, unless nothing was submitted or replaced since that was done; returns how many."""
    with store.read() as tx:
        if tx.settings.get(SCORED) == _mark(tx, campaign):
            return 0
    return score_disagreement(store, campaign)


def _mark(tx: Transaction, campaign: Campaign) -> str:
    """Hash the inputs of the scores: work, rules and campaign."""
    kinds = ",".join(
        f"{phase.name}={phase.task_type.value}{' measures' * phase.measures_gold}" for phase in campaign.phases
    )
    return f"{_WAY} {tx.annotations.mark()} {campaign.quorum} {campaign.max_boxes} {kinds}"


def leave_to_score(tx: Transaction, figure_ids: Iterable[str]) -> None:
    """Have the next `score_disagreement` score these figures too.

    Call it in a transaction that makes a stored score outdated: the program may be killed before it scores again.
    """
    wanted = {*figure_ids, *_unscored(tx)}
    if wanted:
        tx.settings.put(UNSCORED, json.dumps(sorted(wanted)))


def _unscored(tx: Transaction) -> set[str]:
    return set(json.loads(tx.settings.get(UNSCORED) or "[]"))


def _score(store: Store, campaign: Campaign, figure_ids: Sequence[str]) -> int:
    """Score some figures and store the result; returns how many were scored.

    Scored from a snapshot: only storing the result keeps other writers waiting. A figure on which work comes in
    meanwhile is scored again.
    """
    scored, left = 0, list(figure_ids)
    for _ in range(MOST_ROUNDS):
        if not left:
            break
        with store.read() as tx:
            before = _states(tx, campaign, left)
            places = _places(tx, campaign, left)
        with store.transaction() as tx:
            after = _states(tx, campaign, left)
            same = {name for name in left if before[name] == after[name]}
            tx.queue.put_places([place for place in places if place.figure_id in same])
            unscored = _unscored(tx)
            if unscored & same:
                tx.settings.put(UNSCORED, json.dumps(sorted(unscored - same)))
        scored += sum(place.figure_id in same for place in places)
        left = [name for name in left if name not in same]
    return scored


def _states(tx: Transaction, campaign: Campaign, figure_ids: Sequence[str]) -> dict[str, tuple[object, ...]]:
    """By id, a value that differs once there is other work on a figure or others have to do it."""
    states, due = tx.work.states(figure_ids), tasks_due(tx, campaign, figure_ids)
    sent_back = figures_to_correct(tx, campaign, figure_ids)
    return {name: (states.get(name), due.get(name), name in sent_back) for name in figure_ids}


@dataclass(frozen=True, slots=True)
class _Work:
    """A figure's current annotations. drawn: the newest of each annotator that counts; readings: of its items."""

    figure: Figure
    annotations: tuple[Annotation, ...]
    drawn: tuple[Annotation, ...]
    readings: tuple[Reading, ...]
    decided: bool

    @classmethod
    def of(cls, work: PresentWork, campaign: Campaign) -> _Work:
        annotations = work.annotations
        return cls(
            work.figure,
            annotations,
            newest_of_each(annotations, campaign),
            readings_of(annotations, campaign),
            work.decision is not None,
        )


def _places(tx: Transaction, campaign: Campaign, wanted: Sequence[str]) -> list[QueuePlace]:
    """The places in the queue of those of the figures that belong there."""
    works = {work.figure.id: _Work.of(work, campaign) for work in tx.work.on(wanted)}
    bare = [name for name, work in works.items() if not work.drawn and not work.readings]
    before = tx.work.worked_on_before(bare)
    before = {name for name in bare if name in before and _left_to_adjudicate(tx, campaign, name)}
    before |= tx.decisions.on_another_revision(bare)
    due = tasks_due(tx, campaign, list(works))
    sent_back = figures_to_correct(tx, campaign, list(works))
    drawn = {name: work.drawn for name, work in works.items()}
    judged = {name: (agreement, loss) for name, agreement, loss in _judged(drawn)}
    certainties = tx.predictions.certainties(works)
    places: list[QueuePlace] = []
    for name, work in works.items():
        done, readings = work.drawn, work.readings
        crowded = needs_reviewer(work.annotations, campaign)
        if not (done or readings or name in before or work.decided or crowded):
            continue
        agreement, loss = judged.get(name, (ALONE, None))
        alike = len(done) > 1 and common_work(done) is not None
        judges = _judges(done)
        if loss is None and len(judges) > 1 and not alike:
            loss = _further(judges)
        if readings:
            agreement, loss = _with_items(readings, agreement, loss, alone=len(judges) < 2)
            alike = (alike or not done) and items_alike(readings)
        if partly_read(work.annotations, campaign):
            loss = Further.PARTLY
        state, _ = state_of_work(work.annotations, campaign, worked_before=name in before)
        names = tuple(voice.annotator for voice in done or readings)
        judged_by = judges if done else [reading for reading in readings if _judges(reading.annotations)]
        places.append(
            QueuePlace(
                name,
                agreement,
                len(judged_by),
                names=names,
                phases=tuple(sorted({annotation.phase for annotation in work.annotations})),
                loss=loss,
                agreed=alike and len(names) >= campaign.least_unanimous and not crowded,
                words=words_of(work.figure),
                certainty=certainties.get(name),
                work=state,
                waits=name in sent_back or is_waiting(work.annotations, campaign, due.get(name, set())),
                sent_back=name in sent_back,
                findings=bool(grave_findings(work.annotations, campaign)),
                unchanged=unchanged_by_all(done),
            )
        )
    return places


def _left_to_adjudicate(tx: Transaction, campaign: Campaign, figure_id: str) -> bool:
    """Return whether work on another revision of a figure is of a kind that reviewers adjudicate."""
    behind = left_behind(tx, figure_id)
    return bool(newest_of_each(behind, campaign) or readings_of(behind, campaign))


def _with_items(
    readings: Sequence[Reading], agreement: float | None, loss: str | None, *, alone: bool
) -> tuple[float | None, str | None]:
    """Agreement and greatest loss, where a figure's types and pairs were judged too: the worse of the two counts.

    alone: whether fewer than two marked its subfigures, so that `agreement` compares no pair.
    """
    on_items, differ = items_agreement(readings), items_differ(readings)
    if on_items is None:
        return agreement, loss
    cause = Further.STATUS if accepted_and_rejected(readings) else Further.ITEMS
    if alone:
        return on_items, cause if differ else loss
    worse = agreement is None or on_items < agreement
    return (on_items if worse else agreement), cause if differ and (worse or loss is None) else loss


def items_alike(readings: Sequence[Reading]) -> bool:
    """Return whether two or more judged every item that anyone judged, and all of them alike, notes left aside."""
    judged = [{(type(part), part.item) for part in reading.items.parts} for reading in readings]
    complete = all(own == judged[0] for own in judged)
    return len(readings) > 1 and complete and common_status(readings) is not None and not items_differ(readings)


def _judged(works: dict[str, tuple[Annotation, ...]]) -> Iterable[tuple[str, float | None, str | None]]:
    """Of figures that more than one did: id, agreement, and the cause that cost most of the score.

    All are measured together: that is many times as fast as one by one.
    """
    plain: list[Annotation] = []
    for name, work in works.items():
        done = _judges(work)
        statuses = {annotation.status for annotation in done}
        if len(done) > 1 and statuses == {Status.ACCEPTED}:
            plain += done
        elif len(done) > 1:
            yield name, queue_agreement(done), Further.STATUS if len(statuses) > 1 else None
    means = {mean.figure: mean for mean in figure_means(pair_scores(plain, details=True))} if plain else {}
    for name in dict.fromkeys(annotation.figure.id for annotation in plain):
        mean = means.get(name)
        if mean is not None and mean.score is not None:
            yield name, mean.score, mean.lost
        else:
            yield name, 1.0 if nothing_differs(_judges(works[name])) else None, None


def _judges(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Return the work of those who judged the figure: a figure that somebody left out is no disagreement."""
    return [work for work in annotations if work.status is not Status.IGNORED]


def _further(annotations: Sequence[Annotation]) -> str | None:
    """Return the differences of annotators who judged the figure, at a full score."""
    if annotations[0].status is Status.ACCEPTED and not nothing_differs(annotations):
        return Further.DRAWN
    if len({work.items for work in annotations}) > 1:
        return Further.ITEMS
    return Further.PUNCTUATION


def cut_words(text: str) -> tuple[str, ...]:
    """The words of a text for looking it up: of letters and digits only, in small letters, each once."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return tuple(dict.fromkeys(re.findall(r"[^\W_]+", plain)))


def words_of(figure: Figure) -> str:
    """The words that a figure is found by: of its id and caption."""
    return " ".join(cut_words(f"{figure.id} {figure.caption.text}"))
