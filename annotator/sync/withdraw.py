"""Delete Label Studio tasks of figures that were reassigned, unless there is work in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.annotation_server import AnnotationServer
from annotator.campaign.home import Home
from annotator.consensus.outdated import listed
from annotator.store.rows.records import Link, ProjectLink
from annotator.store.store import Store
from annotator.sync import marked_projects
from annotator.sync.projects import CAMPAIGN_ID, linked, projects_of_others, stored_project
from panelwise.runtime import counted


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The tasks deleted from one project. tasks: their number. notes: a line about the tasks that stay."""

    project: ProjectLink
    tasks: int
    notes: tuple[str, ...]


def withdraw(
    home: Home,
    store: Store,
    server: AnnotationServer,
    *,
    phase: str | None = None,
    annotators: Sequence[str] | None = None,
) -> dict[tuple[str, str], Withdrawn]:
    """Delete tasks that are no longer their annotator's and that are not begun; by annotator and phase.

    phase, annotators: None for all. Tasks with a draft or an annotation stay and are reported. Raises SyncError.
    """
    with store.read() as tx:
        every, campaign_id = tx.links.projects(), tx.settings.get(CAMPAIGN_ID)
        mine = {(task.annotator, task.phase, task.figure) for task in tx.tasks.all(phase=phase)}
        links = [
            each for each in tx.links.projects(phase=phase) if annotators is None or each.annotator in annotators
        ]
    found: dict[tuple[str, str], Withdrawn] = {}
    for link in links:
        known = stored_project(home, server, link)
        stale = [
            each
            for page in (linked(store, link) if known is not None else ())
            for each in page
            if (each.annotator, each.phase, each.figure_id) not in mine
        ]
        if not stale:
            continue
        claimed = projects_of_others(home, server, every, link.annotator, link.phase)
        project = marked_projects.find(
            server, campaign_id, link.annotator, link.phase, stored=known, claimed=claimed
        )
        if project is not None and project.id == link.project_id:
            found[link.annotator, link.phase] = _delete_unstarted(store, server, link, stale)
    return found


def _delete_unstarted(
    store: Store, server: AnnotationServer, project: ProjectLink, links: Sequence[Link]
) -> Withdrawn:
    tasks = {task.id: task for task in server.read_tasks(project.project_id, [link.task_id for link in links])}
    begun_tasks = server.drafted(project.project_id) | {task.id for task in tasks.values() if task.submissions}
    begun = [link for link in links if link.task_id in begun_tasks]
    deleted = 0
    for link in links:
        if link in begun:
            continue
        if link.task_id in tasks:
            server.delete_task(link.task_id)
            deleted += 1
        # One by one: what a break leaves behind must not be forgotten.
        with store.transaction() as tx:
            tx.links.forget(project, [link.figure_id])
    notes = (
        f'annotator "{project.annotator}": {counted(len(begun), "figure")} no longer assigned, but started or '
        f"done, so the tasks are left: {listed(link.figure_id for link in begun)}",
    )
    return Withdrawn(project, deleted, notes if begun else ())
