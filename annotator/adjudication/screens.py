"""The two screens of a figure: of its subfigures, and of its items. A draft is of one of them, by its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.draft import DecisionView, Draft, ItemsDraft, SubfiguresDraft
from annotator.adjudication.findings import subfigures_findings
from annotator.adjudication.items.opinions import collect_opinions as opinions_on_items
from annotator.adjudication.items.screen import items_content, items_decision, items_findings
from annotator.adjudication.proposals import collect_opinions
from annotator.adjudication.state import PanelFinding
from annotator.adjudication.subfigures import decision_view, subfigures_content
from annotator.campaign.home import Home
from annotator.store.queries.work import FigureWork
from annotator.store.store import Store
from panelwise.domain import Decision, Items, Subfigure


@dataclass(frozen=True, slots=True)
class FigureScreen:
    """A screen and its drafts. view: a decision as it shows it. content: what a draft makes of the figure.

    findings: of the checks, in a draft. start: fields of the draft that a figure without a decision starts from.
    """

    draft: type[Draft]
    view: Callable[[Decision, Keys], DecisionView]
    content: Callable[[FigureWork, Home, Any], tuple[tuple[Subfigure, ...], Items]]
    findings: Callable[[FigureWork, Home, Any], tuple[PanelFinding, ...]]
    start: Callable[[FigureWork, Home, Keys], dict[str, Any]]


SCREENS: Mapping[type[Draft], FigureScreen] = {
    screen.draft: screen
    for screen in (
        FigureScreen(
            SubfiguresDraft,
            decision_view,
            subfigures_content,
            subfigures_findings,
            lambda work, home, keys: {"subfigures": collect_opinions(work, home.campaign, keys).start()},
        ),
        FigureScreen(
            ItemsDraft,
            items_decision,
            items_content,
            items_findings,
            lambda work, home, keys: opinions_on_items(work, home.campaign, None, keys.of).start(),
        ),
    )
}


def draft_findings(store: Store, home: Home, figure_id: str, draft: Draft) -> tuple[PanelFinding, ...]:
    """Check an unsaved draft against the guidelines. Raises UnknownFigure; InvalidAnnotation as a save does."""
    with store.read() as tx:
        work = tx.work.of(figure_id)
    return SCREENS[type(draft)].findings(work, home, draft)
