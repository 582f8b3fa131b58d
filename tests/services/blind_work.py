"""What reviewers write in the blind phase of `web.blind_campaign`, through the services."""

from __future__ import annotations

from web.blind_campaign import BLIND

from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.own_tasks.allowed_fields import BlindDraft
from annotator.own_tasks.annotate import Saved, open_blind_task, submit
from annotator.own_tasks.blind_boxes import NoBoxes, find_boxes
from annotator.store.rows.records import BlindBoxes
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Task

TEXTS = ((4, 6), (10, 12))


def key_of(home: Home, figure: str, reviewer: str = "rev1") -> str:
    return TaskKeys(home.secret()).of(Task(figure, reviewer, "2"))


def written(
    store: Store, home: Home, figure: str = "f1", reviewer: str = "rev1", *, version: int = 0, texts=TEXTS
) -> Saved:
    key = key_of(home, figure, reviewer)
    open_blind_task(store, home, key, reviewer)
    draft = BlindDraft(version, Status.ACCEPTED, texts, 9.5)
    return submit(store, home, key, reviewer, draft, revision=1)


def given_of(store: Store, home: Home, figures: tuple[str, ...] = BLIND) -> dict[str, BlindBoxes | NoBoxes]:
    with store.read() as tx:
        return find_boxes(tx, home.campaign, home.campaign.phase("2"), figures)
