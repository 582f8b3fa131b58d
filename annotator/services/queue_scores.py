"""What the queue is ordered and filtered by, measured and stored: agreement, and what it is lost to."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from agreement.metrics.consensus import figure_agreement, merge_candidates
from agreement.metrics.losses import CAUSES, Loss
from agreement.metrics.pairwise import pair_scores
from annotator.domain.annotation import Annotation, Status, Subfigure
from annotator.domain.campaign import TaskType
from annotator.services.differences import candidate_differences, nothing_differs
from annotator.services.items_consensus import (
    Reading,
    common_status,
    items_agreement,
    items_differ,
    only_items,
    readings_of,
)
from annotator.services.revisions import left_behind
from annotator.store.records import QueuePlace

if TYPE_CHECKING:
    from annotator.domain.campaign import Campaign
    from annotator.domain.figure import Figure
    from annotator.store.store import Store, Transaction

#: Score of a figure that only one annotator did: nobody differs there, so it waits behind all that were compared.
ALONE = 1.0
#: Figures scored at a time: others can write in between.
BATCH = 100
#: How often figures are scored again because work on them came in meanwhile. Who adds work scores it too.
MOST_ROUNDS = 5
#: The setting that says what the stored scores were measured on.
SCORED = "queue_scored"
#: The setting that lists figures whose stored score does not hold.
UNSCORED = "queue_unscored"
#: Another number makes every store measure anew.
_WAY = 3


class Further(StrEnum):
    """What annotators may differ in beside what costs part of the score; see `Loss` for that.

    STATUS: some kept the figure, others rejected it or passed it over. DRAWN: labels, or boxes that answer each
    other but lie apart. ITEMS: figure type, verdicts or answers. PUNCTUATION: tokens that do not count.
    """

    STATUS = "figure kept or not"
    DRAWN = "labels or boxes"
    ITEMS = "figure type or answers"
    PUNCTUATION = "punctuation"


#: What the queue can be filtered by, in the order in which it is offered.
KINDS: tuple[str, ...] = (*(cause.value for cause in CAUSES if cause is not Loss.REPEATED), *Further)


def newest_of_each(annotations: Iterable[Annotation], campaign: Campaign) -> tuple[Annotation, ...]:
    """Of one figure's current annotations, each annotator's newest in a phase that asks for subfigures, by name.

    Work that only measures the gold is none of them, nor is work on items alone in a phase that is not listed, nor
    work with more boxes than the campaign allows. Of two saved at one moment, that of the phase later in order of
    names: as the metrics have it.
    """
    newest: dict[str, Annotation] = {}
    for annotation in sorted(annotations, key=lambda each: (each.saved_at, each.phase)):
        phase = campaign.phase(annotation.phase)
        asked = phase.task_type is TaskType.SUBFIGURES and not phase.measures_gold
        if asked and len(annotation.subfigures) <= campaign.max_boxes and not only_items(annotation, campaign):
            newest[annotation.annotator] = annotation
    return tuple(newest[name] for name in sorted(newest))


def queue_agreement(annotations: Sequence[Annotation]) -> float | None:
    """How far the annotators of one figure agree, in [0, 1]: what the queue goes by.

    1 where the metric has nothing to count (no text anywhere) but nothing differs either; None for fewer than two
    annotators, and where they differ in what the metric does not count.
    """
    agreement = figure_agreement(annotations)
    if agreement is None and len(annotations) > 1 and nothing_differs(annotations):
        return 1.0
    return agreement


def score_disagreement(store: Store, campaign: Campaign, figure_ids: Iterable[str] | None = None) -> int:
    """Put figures into the queue, or bring their places up to date: those named, or all that were annotated.

    To be called after annotations were imported or pulled, or figures replaced. Figures that nobody annotated stay
    out of the queue; one whose annotations are all on another revision waits where nothing differs. Returns how
    many were scored.
    """
    mark = ""
    if figure_ids is None:
        with store.read() as tx:
            mark = _mark(tx, campaign)
            figure_ids = tx.annotated_figures()
    with store.read() as tx:
        wanted = sorted({*figure_ids, *_unscored(tx)})
    scored = sum(_score(store, campaign, wanted[at : at + BATCH]) for at in range(0, len(wanted), BATCH))
    if mark:
        with store.transaction() as tx:
            tx.set_setting(SCORED, mark)
    return scored


def score_where_needed(store: Store, campaign: Campaign) -> int:
    """Score every figure, unless nothing was submitted or replaced since that was done; returns how many."""
    with store.read() as tx:
        if tx.setting(SCORED) == _mark(tx, campaign):
            return 0
    return score_disagreement(store, campaign)


def _mark(tx: Transaction, campaign: Campaign) -> str:
    """What the scores depend on: work, rules and campaign."""
    kinds = ",".join(
        f"{phase.name}={phase.task_type.value}{' measures' * phase.measures_gold}" for phase in campaign.phases
    )
    return f"{_WAY} {tx.work_mark()} {campaign.quorum} {campaign.max_boxes} {kinds}"


def leave_to_score(tx: Transaction, figure_ids: Iterable[str]) -> None:
    """Have the next `score_disagreement` score these figures too, whichever it is asked for.

    For a transaction after which a figure's stored score does not hold, should the program stop right after it.
    """
    wanted = {*figure_ids, *_unscored(tx)}
    if wanted:
        tx.set_setting(UNSCORED, json.dumps(sorted(wanted)))


def _unscored(tx: Transaction) -> set[str]:
    return set(json.loads(tx.setting(UNSCORED) or "[]"))


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
            before = tx.work_states(left)
            places = _places(tx, campaign, left)
        with store.transaction() as tx:
            after = tx.work_states(left)
            same = {name for name in left if before.get(name) == after.get(name)}
            tx.put_places([place for place in places if place.figure_id in same])
            unscored = _unscored(tx)
            if unscored & same:
                tx.set_setting(UNSCORED, json.dumps(sorted(unscored - same)))
        scored += sum(place.figure_id in same for place in places)
        left = [name for name in left if name not in same]
    return scored


def _places(tx: Transaction, campaign: Campaign, wanted: Sequence[str]) -> list[QueuePlace]:
    """The places in the queue of those of the figures that belong there."""
    works = {}
    readings: dict[str, tuple[Reading, ...]] = {}
    phases: dict[str, tuple[str, ...]] = {}
    figures: dict[str, Figure] = {}
    crowded: set[str] = set()
    for work in tx.work_on(wanted):
        every = work.annotations
        figures[work.figure.id] = work.figure
        phases[work.figure.id] = tuple(sorted({each.phase for each in every}))
        works[work.figure.id] = newest_of_each(every, campaign)
        readings[work.figure.id] = readings_of(every, campaign)
        if any(len(each.subfigures) > campaign.max_boxes for each in every):
            crowded.add(work.figure.id)
    before = tx.worked_on_before([name for name, done in works.items() if not done and not readings[name]])
    judged = {name: (agreement, loss) for name, agreement, loss in _judged(works)}
    certainties = tx.certainties(works)
    places: list[QueuePlace] = []
    for name, done in works.items():
        read = readings[name]
        if not (done or read or name in crowded) and not (name in before and _left_to_settle(tx, campaign, name)):
            continue
        agreement, loss = judged.get(name, (ALONE, None))
        alike = len(done) > 1 and common_work(done) is not None
        if loss is None and len(done) > 1 and not alike:
            loss = _further(done)
        if read:
            agreement, loss = _with_items(read, agreement, loss, alone=len(done) < 2)
            alike = (alike or not done) and items_alike(read)
        names = tuple(each.annotator for each in done) or tuple(each.annotator for each in read)
        places.append(
            QueuePlace(
                name,
                agreement,
                len(names),
                names=names,
                phases=phases[name],
                loss=loss,
                agreed=alike and len(names) >= campaign.quorum,
                words=words_of(figures[name]),
                certainty=certainties.get(name),
            )
        )
    return places


def _left_to_settle(tx: Transaction, campaign: Campaign, figure_id: str) -> bool:
    """Whether work on another revision of a figure is of a kind that reviewers settle."""
    behind = left_behind(tx, figure_id)
    return bool(newest_of_each(behind, campaign) or readings_of(behind, campaign))


def _with_items(
    read: Sequence[Reading], agreement: float | None, loss: str | None, *, alone: bool
) -> tuple[float | None, str | None]:
    """Agreement and greatest loss, where a figure's types and pairs were judged too: the worse of the two counts.

    alone: whether fewer than two marked its subfigures, so that `agreement` compares nobody.
    """
    found = items_agreement(read)
    differ = items_differ(read)
    if found is None and len({each.status for one in read for each in one.annotations}) > 1:
        return agreement if not alone else None, loss or Further.STATUS
    if found is None:
        return agreement, loss
    if alone:
        return found, Further.ITEMS if differ else loss
    worse = agreement is None or found < agreement
    return (found if worse else agreement), Further.ITEMS if differ and (worse or loss is None) else loss


def items_alike(read: Sequence[Reading]) -> bool:
    """Whether two or more judged every item that anyone judged, and all of them alike, notes left aside."""
    judged = {item for each in read for item in each.verdicts}
    typed = any(each.kind is not None for each in read)
    whole = all(each.verdicts.keys() == judged and (each.kind is not None) == typed for each in read)
    return len(read) > 1 and whole and common_status(read) is not None and not items_differ(read)


def _judged(works: dict[str, tuple[Annotation, ...]]) -> Iterable[tuple[str, float | None, str | None]]:
    """Of figures that more than one did: id, agreement, and the cause that cost most of the score.

    All are measured together: that is many times as fast as one by one.
    """
    plain: list[Annotation] = []
    for name, done in works.items():
        if len(done) > 1 and {each.status for each in done} == {Status.ACCEPTED}:
            plain += done
        elif len(done) > 1:
            yield name, queue_agreement(done), Further.STATUS if len({each.status for each in done}) > 1 else None
    scores: dict[str, list[float]] = defaultdict(list)
    lost: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(CAUSES))
    for pair in pair_scores(plain, details=True) if plain else ():
        assert pair.details is not None
        rows = zip(
            pair.figures, pair.totals.tolist(), pair.counts.tolist(), pair.details.losses.tolist(), strict=True
        )
        for name, total, count, losses in rows:
            if count:
                scores[name].append(total / count)
                lost[name] = [
                    sum(both) for both in zip(lost[name], (each / count for each in losses), strict=True)
                ]
    for name in dict.fromkeys(each.figure.id for each in plain):
        costs = lost[name]
        greatest = max(costs)
        loss = CAUSES[costs.index(greatest)].value if greatest > 0 else None
        if scores[name]:
            yield name, sum(scores[name]) / len(scores[name]), loss
        else:
            yield name, 1.0 if nothing_differs(works[name]) else None, loss


def _further(annotations: Sequence[Annotation]) -> str | None:
    """What they differ in where nothing is missing to the score; None where all passed the figure over."""
    if annotations[0].status is Status.IGNORED:
        return None
    if annotations[0].status is Status.ACCEPTED and not nothing_differs(annotations):
        return Further.DRAWN
    if len({each.items for each in annotations}) > 1:
        return Further.ITEMS
    return Further.PUNCTUATION


def common_work(annotations: Sequence[Annotation]) -> tuple[Status, tuple[Subfigure, ...]] | None:
    """What several annotators of one figure did alike, to the last punctuation mark; None where they did not.

    They must agree on status and items, nothing may differ by the rule of the adjudication screen, and token sets
    must be equal; the median box is taken. Nothing is alike where anyone passed the figure over.
    """
    if len({each.status for each in annotations}) != 1 or len({each.items for each in annotations}) != 1:
        return None
    status = annotations[0].status
    if status is Status.IGNORED:
        return None
    subfigures = () if status is Status.REJECTED else common_subfigures(annotations)
    return None if subfigures is None else (status, subfigures)


def common_subfigures(annotations: Sequence[Annotation]) -> tuple[Subfigure, ...] | None:
    """What all drew, each subfigure under the label and with the tokens that each of them gave; else None."""
    by_name = {each.annotator: each for each in annotations}
    subfigures = []
    for candidate in merge_candidates(annotations, quorum=len(annotations)):
        if candidate_differences(candidate, annotations):
            return None
        members = [by_name[name].subfigures[place] for name, place in candidate.members.items()]
        if {(each.label, each.subcaption) for each in members} != {(candidate.label, candidate.subcaption)}:
            return None
        subfigures.append(Subfigure(candidate.label, candidate.box, candidate.subcaption))
    return tuple(subfigures)


def cut_words(text: str) -> tuple[str, ...]:
    """The words of a text for looking it up: of letters and digits only, in small letters, each once."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return tuple(dict.fromkeys(re.findall(r"[^\W_]+", plain)))


def words_of(figure: Figure) -> str:
    """The words that a figure is found by: of its id and caption."""
    return " ".join(cut_words(f"{figure.id} {figure.caption.text}"))
