"""Run the guideline checks on an annotation, or on a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotator.campaign.choices import check_chosen
from annotator.campaign.home import Home
from annotator.checks.rules.catalogue import CHECKS_FAILED
from annotator.checks.rules.items import figure_pair_findings, figure_type_findings, human_answer_findings
from annotator.checks.rules.subfigures import subfigure_findings
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    ANSWERS,
    KINDS,
    NO_ITEMS,
    PAIRS,
    SUBFIGURES,
    TYPES,
    Annotation,
    Campaign,
    Decision,
    Finding,
    Kind,
    Phase,
    Severity,
    Status,
)
from panelwise.runtime import record_fault

#: Annotator and phase name of the gold.
GOLD = "gold"
#: The checks on each kind of work.
_RULES: Mapping[Kind, Callable[[Annotation | Decision, Phase], Iterator[Finding]]] = {
    SUBFIGURES: subfigure_findings,
    TYPES: figure_type_findings,
    PAIRS: figure_pair_findings,
    ANSWERS: human_answer_findings,
}


@dataclass(frozen=True, slots=True)
class Checked:
    """One annotation and its findings, most severe first."""

    annotation: Annotation
    findings: tuple[Finding, ...]

    def about(self, finding: Finding) -> str:
        """Return the display name of a finding's place: "B", "pair 5", or "" for the figure."""
        position = self._position(finding)
        return finding.where if position is None else f"pair {position + 1}"

    def question(self, finding: Finding) -> str:
        """Return the imported question of the finding's pair; "" without a pair."""
        position = self._position(finding)
        return "" if position is None else self.annotation.figure.imported.pairs[position].question

    def _position(self, finding: Finding) -> int | None:
        ids = [item.id for item in self.annotation.figure.imported.pairs] if finding.where else []
        return ids.index(finding.where) if finding.where in ids else None


def findings_of(annotation: Annotation | Decision, phase: Phase) -> tuple[Finding, ...]:
    """Return the findings in an annotation of that phase, most severe first; none if it was not accepted.

    A figure that was read without its pairs has no findings on them.
    """
    if annotation.status is not Status.ACCEPTED:
        return ()
    return tuple(sorted(_without_faults(_found(annotation, phase)), key=lambda each: each.severity.rank))


def check_home(
    home: Home, store: Store, *, phase: str | None = None, annotator: str | None = None
) -> Iterator[Checked]:
    """Yield each current annotation with its findings, by figure, annotator and phase.

    Raises AnnotatorError for an unknown phase or annotator.
    """
    with store.read() as tx:
        check_chosen(tx, home, phase=phase, annotator=annotator)
        yield from check_work(tx, home.campaign, phase=phase, annotator=annotator)


def check_work(
    tx: Transaction, campaign: Campaign, *, phase: str | None = None, annotator: str | None = None
) -> Iterator[Checked]:
    """Yield as `check_home`, within an open transaction."""
    for annotation in tx.annotations.all(phase=phase, annotator=annotator):
        yield Checked(annotation, findings_of(annotation, campaign.phase(annotation.phase)))


def findings_on(tx: Transaction, campaign: Campaign, figure_ids: Sequence[str]) -> dict[str, tuple[Finding, ...]]:
    """Return id -> the errors and warnings in all annotators' work on these figures, each once; not notes."""
    found = {work.figure.id: grave_findings(work.annotations, campaign) for work in tx.work.on(figure_ids)}
    return {figure_id: findings for figure_id, findings in found.items() if findings}


def grave_findings(annotations: Iterable[Annotation], campaign: Campaign) -> tuple[Finding, ...]:
    """Return the errors and warnings in several annotators' work on a figure, each once; not notes."""
    every = [each for one in annotations for each in findings_of(one, campaign.phase(one.phase))]
    return tuple(dict.fromkeys(each for each in every if each.severity is not Severity.NOTE))


def check_gold(home: Home, store: Store) -> Iterator[Checked]:
    """Yield the campaign's gold with its findings, by figure, as work of `GOLD` in a phase of that name."""
    campaign = home.campaign
    fine = any(phase.fine_types for phase in campaign.phases)
    with store.read() as tx:
        for gold in gold_in(tx, campaign, GoldTally()):
            work = Annotation(
                gold.figure,
                GOLD,
                GOLD,
                gold.status,
                gold.subfigures,
                gold.provenance.decided_at,
                gold.items,
            )
            found = [
                finding
                for kind in _kinds_of(work, campaign)
                for finding in findings_of(
                    work, Phase(GOLD, kind.task_type, fine_types=fine, types=campaign.figure_types)
                )
            ]
            yield Checked(work, tuple(sorted(dict.fromkeys(found), key=lambda each: each.severity.rank)))


def _kinds_of(work: Annotation, campaign: Campaign) -> list[Kind]:
    """Return the kinds of work in the gold; for empty gold, subfigures if the campaign asks for them."""
    there = [kind for kind in reversed([*KINDS.values()]) if kind.adjudicated and kind.there(work)]
    empty = not work.subfigures and work.items == NO_ITEMS
    drawn = empty and any(phase.kind.drawn for phase in campaign.phases)
    return [*there, SUBFIGURES] if drawn else there


def counts(findings: Iterable[Finding]) -> dict[Severity, int]:
    """Count the findings by severity, most severe first, including 0."""
    found = Counter(each.severity for each in findings)
    return {severity: found[severity] for severity in Severity}


def _without_faults(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Yield findings up to a fault of the checks, and then one that names it: it costs no other figure its own."""
    try:
        yield from findings
    except Exception as error:
        yield CHECKS_FAILED.found(
            f"the checks failed on this figure ({record_fault(error)}); look at it yourself, report its caption"
        )


def _found(work: Annotation | Decision, phase: Phase) -> Iterator[Finding]:
    for kind in (*phase.kind.along_with, phase.kind):
        yield from _RULES[kind](work, phase)
