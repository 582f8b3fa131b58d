"""Opinions on a figure's types and pairs before a decision: whose work counts, and the checks' findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from annotator.adjudication.findings import panel_findings
from annotator.adjudication.items.proposals import Voices, kind_item, pair_item
from annotator.adjudication.items.state import KindItem, PairItem, kind_of, verdict_of
from annotator.adjudication.state import PanelFinding
from annotator.consensus.differences import figure_differences
from annotator.consensus.items import Reading, agreed_items, readings_of
from panelwise.domain import (
    ITEM_KINDS,
    PAIRS,
    TYPES,
    Annotation,
    Campaign,
    Decision,
    Figure,
    Items,
    Kind,
    Phase,
    QAItem,
    QAVerdict,
    Status,
    Verdict,
)

#: The phase that a decision is checked as work of.
AS_DECISION = "decision"
#: The time of work that was never saved.
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Opinions:
    """The annotators whose opinions count on the items of a figure.

    annotations: all that annotators did on it. readings: of whomever the screen shows; key: what stands for each
    name. asked: whether figure types, and pairs, are to be adjudicated. fine_types: see `Phase`.
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
    def pairs(self) -> dict[str, QAItem]:
        """Id -> pair as it came, of those that the figure has."""
        return self.figure.imported.by_id

    @property
    def _counted(self) -> list[Annotation]:
        """The annotations that were neither skipped nor undone."""
        return [each for each in self.annotations if each.status is not Status.IGNORED]

    @property
    def answered(self) -> int:
        """Return the number of annotators who answered questions of human evaluation."""
        return len({each.annotator for each in self._counted if each.items.answers})

    @property
    def has_items(self) -> bool:
        """Return whether there is a type, a pair or an answer to decide on."""
        judged = any(each.verdicts for each in self.readings)
        pairs = PAIRS in self.asked and (judged or bool(self.pairs))
        return TYPES in self.asked or pairs or self.answered > 0

    @property
    def phase(self) -> Phase:
        """Return the phase by whose guidelines a decision on these items is checked."""
        kind = PAIRS if PAIRS in self.asked else TYPES
        return Phase(AS_DECISION, kind.task_type, fine_types=self.fine_types)

    def kind_item(self) -> KindItem | None:
        """The figure's type to adjudicate; None if it is not requested."""
        if TYPES not in self.asked:
            return None
        return kind_item(self._voices(TYPES), self.figure.imported.kind)

    def pair_items(self) -> tuple[PairItem, ...]:
        """The figure's pairs to adjudicate, in their order; those that only annotators name come last."""
        if PAIRS not in self.asked:
            return ()
        voices, pairs = self._voices(PAIRS), self.pairs
        judged = sorted({name for each in self.readings for name in each.verdicts})
        answers: dict[str, dict[str, tuple[str | None, str]]] = {}
        for annotation in self._counted:
            for answer in annotation.items.answers:
                answers.setdefault(answer.item, {})[annotation.annotator] = (answer.answer, answer.note)
        return tuple(
            pair_item(voices, name, pairs.get(name), answers.get(name, {}))
            for name in dict.fromkeys([*pairs, *judged])
        )

    def reasons(self) -> tuple[str, ...]:
        """List the reasons shown for the figure as a whole; none where only questions were answered."""
        if self.answered and not self.readings:
            return ()
        return figure_differences([_gravest(each.annotations) for each in self.readings])

    def findings(self) -> dict[str, tuple[PanelFinding, ...]]:
        """Key of a voice -> what the checks find in its work beyond what they find in the pairs as they came."""
        untouched = set(
            self._of(Annotation(self.figure, "-", AS_DECISION, Status.ACCEPTED, (), _NEVER, self._came()))
        )
        found = {}
        for reading in self.readings:
            own = [told for each in reading.annotations for told in self._of(each) if told not in untouched]
            found[self.key(reading.annotator)] = tuple(dict.fromkeys(own))
        return found

    def findings_in(self, work: Annotation | Decision) -> tuple[PanelFinding, ...]:
        """Check a decision, or a draft of one, against the guidelines."""
        return panel_findings(work, self.phase)

    def proposed(self) -> Annotation:
        """Return the screen's initial state, as if it had been saved."""
        kind = self.kind_item()
        items = Items(
            None if kind is None else kind_of(kind.proposal),
            tuple(verdict_of(each.proposal) for each in self.pair_items()),
        )
        return Annotation(self.figure, "-", AS_DECISION, Status.ACCEPTED, (), _NEVER, items)

    def _came(self) -> Items:
        return Items(self.figure.imported.kind, tuple(QAVerdict(name, Verdict.CORRECT) for name in self.pairs))

    def _of(self, work: Annotation) -> Iterable[PanelFinding]:
        phase = self.campaign.phase(work.phase)
        kind = phase.kind
        if kind not in ITEM_KINDS:
            kind = PAIRS if PAIRS.there(work) else TYPES
        return panel_findings(
            work, Phase(phase.name, kind.task_type, fine_types=phase.fine_types or self.fine_types)
        )

    def _voices(self, kind: Kind) -> Voices:
        heard = [each for each in self.readings if _is_relevant(each, kind, self.campaign)]
        return Voices(heard, self.key, self.quorum)


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
    figure: Figure,
    campaign: Campaign,
    annotations: Sequence[Annotation],
    decision: Decision | None,
    key: Callable[[str], str],
) -> Opinions:
    """Whose word counts on a figure's items: the annotators'."""
    readings = readings_of(annotations, campaign)
    fine = any(campaign.phase(each.phase).fine_types for each in annotations)
    return Opinions(
        figure=figure,
        campaign=campaign,
        annotations=tuple(annotations),
        readings=readings,
        key=key,
        quorum=max(1, min(campaign.quorum, len(readings))),
        asked=kinds_to_adjudicate(campaign, annotations, decision),
        fine_types=fine,
    )


def between(found: Opinions, tied: Mapping[str, Decision], key: Callable[[str], str]) -> Opinions:
    """The same with two reviewers' decisions, between whom a tie is to be broken, in the annotators' place."""
    readings = []
    for name in sorted(tied):
        said = tied[name]
        work = Annotation(said.figure, name, AS_DECISION, said.status, (), said.decided_at, said.items)
        readings.append(Reading(name, said.items, (work,)))
    return replace(found, readings=tuple(readings), key=key, quorum=min(found.campaign.quorum, len(readings)))


def agreed_answers(annotations: Iterable[Annotation]) -> Items:
    """Of the human answers those on which all agree who gave one; nothing else."""
    return Items(answers=agreed_items(annotations).answers)
