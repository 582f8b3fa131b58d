"""Opinions on a figure's types and pairs before a decision: whose work counts, and the checks' findings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from annotator.adjudication.findings import panel_findings
from annotator.adjudication.kinds.support import KindSupport, Voices
from annotator.adjudication.kinds.supports import ADJUDICATED
from annotator.adjudication.state import PanelFinding
from annotator.consensus.differences import figure_differences
from annotator.consensus.items import Reading, agreed_items, readings_of
from annotator.store.queries.work import FigureWork
from panelwise.domain import (
    DECISION_PHASE,
    ITEM_KINDS,
    KINDS,
    TYPES,
    Annotation,
    Campaign,
    Decision,
    Figure,
    HumanAnswer,
    Items,
    Kind,
    Part,
    Phase,
    Status,
)

#: The time of work that was never saved.
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Opinions:
    """The annotators whose opinions count on the items of a figure.

    annotations: all that annotators did on it. readings: of whomever the screen shows; key: what stands for each
    name. asked: the kinds to be adjudicated. fine_types: see `Phase`.
    """

    figure: Figure
    campaign: Campaign
    annotations: tuple[Annotation, ...]
    readings: tuple[Reading, ...]
    key: Callable[[str], str]
    quorum: int
    asked: frozenset[Kind]
    fine_types: bool = False

    @property
    def has_items(self) -> bool:
        """Return whether there is a type, a pair or an answer to decide on."""
        return self._has_adjudicated or self.answered > 0

    @property
    def adjudicated(self) -> bool:
        """Return whether reviewers decide on items of the figure: not where people only answer its questions."""
        answering = self.answered > 0 or all(phase.kind.answered for phase in self.campaign.phases)
        return self._has_adjudicated or not answering

    @property
    def _has_adjudicated(self) -> bool:
        return any(self.names(support) for support in ADJUDICATED if support.kind in self.asked)

    @property
    def answered(self) -> int:
        """Return the number of annotators who answered questions of human evaluation."""
        return len({name for by_annotator in self._answers().values() for name in by_annotator})

    def names(self, support: KindSupport) -> list[str]:
        """Return the names of the items of a kind; those that only annotators name come last."""
        judged = sorted({name for each in self.readings for name in support.kind.parts(each.items)})
        return list(dict.fromkeys([*support.originals(self.figure), *judged]))

    def items(self, support: KindSupport) -> list[Any]:
        """Return the items of a kind to adjudicate; none if it is not requested."""
        kind, originals = support.kind, support.originals(self.figure)
        if kind not in self.asked:
            return []
        relevant = [each for each in self.readings if _is_relevant(each, kind, self.campaign)]
        voices = Voices(relevant, self.key, self.quorum, self._answers())
        return [support.item(voices, name, originals.get(name)) for name in self.names(support)]

    def _answers(self) -> dict[str, dict[str, HumanAnswer]]:
        """Pair's id -> annotator -> their own answer in human evaluation, undone and skipped work left out."""
        answers: dict[str, dict[str, HumanAnswer]] = {}
        for annotation in self.annotations:
            for answer in annotation.items.answers if annotation.status is not Status.IGNORED else ():
                answers.setdefault(answer.item, {})[annotation.annotator] = answer
        return answers

    def reasons(self) -> tuple[str, ...]:
        """List the reasons shown for the figure as a whole; none where only questions were answered."""
        if self.answered and not self.readings:
            return ()
        return figure_differences([_gravest(each.annotations) for each in self.readings])

    def findings(self) -> dict[str, tuple[PanelFinding, ...]]:
        """Key of a voice -> what the checks find in its work beyond what they find in the pairs as they came."""
        untouched = set(self._of(self._untouched()))
        found = {}
        for reading in self.readings:
            own = [told for each in reading.annotations for told in self._of(each) if told not in untouched]
            found[self.key(reading.annotator)] = tuple(dict.fromkeys(own))
        return found

    def findings_in(self, work: Annotation | Decision) -> tuple[PanelFinding, ...]:
        """Check a decision, or a draft of one, against the guidelines."""
        return self._check(work, DECISION_PHASE, self.asked, fine_types=self.fine_types)

    def start(self) -> dict[str, Any]:
        """Return the fields of the draft that the screen starts from."""
        return {each.kind.field: each.as_field(item.proposal for item in self.items(each)) for each in ADJUDICATED}

    def initial_work(self, decision: Decision | None) -> Annotation:
        """Return the screen's initial state as work: a decision's items, and proposals for those that it lacks."""
        proposed = [each.part(item.proposal) for each in ADJUDICATED for item in self.items(each)]
        if decision is None:
            return self._as_work(proposed)
        decided = [part for each in ADJUDICATED for part in each.kind.parts(decision.items).values()]
        parts = {(type(part), part.item): part for part in (*proposed, *decided)}
        return replace(self._as_work(parts.values()), status=decision.status)

    def _untouched(self) -> Annotation:
        return self._as_work(part for each in ADJUDICATED for part in each.untouched(self.figure))

    def _as_work(self, parts: Iterable[Part]) -> Annotation:
        return Annotation(self.figure, "-", DECISION_PHASE, Status.ACCEPTED, (), _NEVER, Items(parts=parts))

    def _of(self, work: Annotation) -> Iterable[PanelFinding]:
        phase = self.campaign.phase(work.phase)
        kinds = {*phase.kinds} & ITEM_KINDS or {kind for kind in ITEM_KINDS if kind.there(work)}
        return self._check(work, phase.name, kinds, fine_types=phase.fine_types or self.fine_types)

    def _check(
        self, work: Annotation | Decision, phase: str, kinds: Collection[Kind], *, fine_types: bool
    ) -> tuple[PanelFinding, ...]:
        """Check work as that of a phase of each of the kinds, but for those that another's phases ask for too."""
        beside = {other for kind in kinds for other in kind.along_with}
        leading = [kind for kind in KINDS.values() if kind in kinds and kind not in beside] or [TYPES]
        usual = Phase(phase, fine_types=fine_types, figure_type=TYPES in kinds, types=self.campaign.figure_types)
        phases = (replace(usual, task_type=kind.task_type) for kind in leading)
        return tuple(finding for each in phases for finding in panel_findings(work, each))


def _gravest(annotations: Sequence[Annotation]) -> Annotation:
    """Merge one person's work: any part that was not accepted decides for all of it."""
    return next((each for each in annotations if each.status is not Status.ACCEPTED), annotations[0])


def _is_relevant(reading: Reading, kind: Kind, campaign: Campaign) -> bool:
    """Return whether the phase asks for this item, or an annotator judged it anyway."""
    return bool(kind.parts(reading.items)) or any(
        campaign.phase(each.phase).kind is kind for each in reading.annotations
    )


def kinds_to_adjudicate(
    campaign: Campaign, annotations: Iterable[Annotation], decision: Decision | None
) -> frozenset[Kind]:
    """Return which of figure types and pairs need adjudication on a figure.

    Those with work or a decision; if there are none, those requested by the campaign's phases.
    """
    readings = readings_of(annotations, campaign)
    found = {
        kind
        for kind in ITEM_KINDS
        if any(_is_relevant(each, kind, campaign) for each in readings)
        or (decision is not None and kind.there(decision))
    }
    return frozenset(found or ITEM_KINDS & {phase.kind for phase in campaign.phases})


def collect_opinions(
    work: FigureWork, campaign: Campaign, decision: Decision | None, key: Callable[[str], str]
) -> Opinions:
    """Return the annotators' opinions on a figure's items."""
    annotations = work.annotations
    readings = readings_of(annotations, campaign)
    fine = any(campaign.phase(each.phase).fine_types for each in annotations)
    return Opinions(
        figure=work.figure,
        campaign=campaign,
        annotations=annotations,
        readings=readings,
        key=key,
        quorum=max(1, min(campaign.quorum, len(readings))),
        asked=kinds_to_adjudicate(campaign, annotations, decision),
        fine_types=fine,
    )


def between(found: Opinions, tied: Mapping[str, Decision], key: Callable[[str], str]) -> Opinions:
    """The same with two reviewers' decisions, between whom a tie is to be broken, in the annotators' place."""
    readings = tuple(Reading(name, tied[name].items, (tied[name].as_annotation(),)) for name in sorted(tied))
    return replace(found, readings=readings, key=key, quorum=min(found.campaign.quorum, len(readings)))


def agreed_answers(annotations: Iterable[Annotation]) -> Items:
    """Of the human answers those on which all agree who gave one; nothing else."""
    return Items(answers=agreed_items(annotations).answers)
