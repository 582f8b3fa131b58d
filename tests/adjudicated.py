"""The screens of a figure, and decisions on it, straight from a store."""

from __future__ import annotations

from typing import Any

from annotator.adjudication import decide as deciding
from annotator.adjudication import subfigures
from annotator.adjudication.draft import Draft
from annotator.adjudication.items import screen
from annotator.adjudication.items.state import ItemsState
from annotator.adjudication.state import FigureState
from annotator.campaign.home import Home
from annotator.queue.filter import EVERYTHING, QueueFilter
from annotator.queue.pages import next_figure, progress_in
from annotator.store.queries.work import FigureWork
from annotator.store.store import Store
from panelwise.domain.campaign import Campaign
from panelwise.domain.decision import Decision


def work_of(store: Store, figure_id: str) -> FigureWork:
    with store.read() as tx:
        return tx.work.of(figure_id)


def figure_state(store: Store, home: Home, figure_id: str, reviewer: str) -> FigureState:
    with store.read() as tx:
        return subfigures.figure_state(tx.work.of(figure_id), home, reviewer, progress_in(tx, home, reviewer))


def items_state(store: Store, home: Home, figure_id: str, reviewer: str) -> ItemsState:
    with store.read() as tx:
        return screen.items_state(tx.work.of(figure_id), home, reviewer, progress_in(tx, home, reviewer))


def screens_of(store: Store, campaign: Campaign, figure_id: str) -> tuple[bool, bool]:
    return screen.screens_of(work_of(store, figure_id), campaign)


def decide(store: Store, home: Home, figure_id: str, reviewer: str, draft: Draft, **more: Any) -> Decision:
    return deciding.decide(store, home, figure_id, reviewer, draft, **more).decision


decide_items = decide


def after_decision(
    store: Store, figure_id: str, *, reviewer: str = "", chosen: QueueFilter = EVERYTHING
) -> str | None:
    with store.read() as tx:
        return next_figure(tx, figure_id, reviewer, chosen)
