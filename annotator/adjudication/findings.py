"""Guideline checks on the screen of subfigures: of each annotator's work, and of unsaved work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime

from annotator.adjudication.draft import SubfiguresDraft
from annotator.adjudication.state import PanelFinding
from annotator.adjudication.subfigures import drawn_in
from annotator.campaign.home import Home
from annotator.checks.run import findings_of
from annotator.consensus.differences import newest_of_each
from annotator.store.queries.work import FigureWork
from panelwise.domain import DECISION_PHASE, Annotation, Campaign, Decision, Phase


def panel_findings(work: Annotation | Decision, phase: Phase) -> tuple[PanelFinding, ...]:
    """The findings in one piece of work, as the screen tells them."""
    return tuple(
        PanelFinding(each.where, each.check, each.severity, each.message) for each in findings_of(work, phase)
    )


def voice_findings(
    annotations: Iterable[Annotation], campaign: Campaign, key: Callable[[str], str]
) -> dict[str, tuple[PanelFinding, ...]]:
    """Key of an annotator -> what the checks find in what they drew. annotations: of one figure."""
    return {
        key(work.annotator): panel_findings(work, campaign.phase(work.phase))
        for work in newest_of_each(annotations, campaign)
    }


def subfigures_findings(on_it: FigureWork, home: Home, draft: SubfiguresDraft) -> tuple[PanelFinding, ...]:
    """Check an unsaved draft against the guidelines, by the rules of the phase that the annotators worked in.

    Raises InvalidAnnotation as a save does.
    """
    figure, done = on_it.figure, newest_of_each(on_it.annotations, home.campaign)
    phase = home.campaign.phase(done[-1].phase) if done else Phase(DECISION_PHASE)
    work = Annotation(
        figure,
        "-",
        DECISION_PHASE,
        draft.status,
        drawn_in(draft, figure, home.campaign),
        datetime.now(UTC),
    )
    return panel_findings(work, replace(phase, blind=False, given="") if phase.blind else phase)
