"""Shared by push and pull: the assigned tasks, and the Label Studio project of each annotator."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Container, Iterator, Sequence

from annotator.annotation_server import AnnotationServer
from annotator.campaign.connect import images_folder
from annotator.campaign.home import Home
from annotator.store.rows.records import Link, ProjectLink
from annotator.store.store import Store, Transaction
from annotator.sync.marked_projects import StoredProject
from label_config import names
from panelwise.domain import Campaign, SyncError
from panelwise.runtime import is_loopback

#: The store's setting that holds the campaign's random id, which its projects on a server are marked with.
CAMPAIGN_ID = "label_studio_campaign_id"


def assigned(
    store: Store, phase: str | None, annotators: Sequence[str] | None, campaign: Campaign | None = None
) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return (annotator, phase, figure ids) of the released assigned tasks, in order.

    phase, annotators: None for all. campaign: says which phases are annotated outside Label Studio. Raises
    SyncError if nothing is assigned or released, or nothing to one of `annotators`, or if the phase, or every
    phase with tasks, is annotated in Panelwise.
    """
    if phase is not None and campaign is not None and campaign.phase(phase).blind:
        raise SyncError(
            f'phase "{phase}" is blind: its tasks are done in the adjudication view, since Label Studio shows '
            "everybody's work; run annotator serve"
        )
    with store.read() as tx:
        every = tx.tasks.all(phase=phase)
    tasks = [task for task in every if campaign is None or campaign.phase(task.phase).in_label_studio]
    elsewhere = [] if campaign is None else done_in_panelwise(campaign, {task.phase for task in every})
    if elsewhere and not tasks:
        raise SyncError("; ".join(elsewhere))
    groups: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        if task.released and (annotators is None or task.annotator in annotators):
            groups.setdefault((task.annotator, task.phase), []).append(task.figure)
    which = f'phase "{phase}"' if phase is not None else "any phase"
    waiting = {task.annotator for task in tasks if not task.released}
    missing = [name for name in annotators or () if not any(name == annotator for annotator, _ in groups)]
    if (missing and missing[0] in waiting) or (not groups and waiting):
        whose = f'"{missing[0]}"' if missing else "anybody"
        raise SyncError(f"no batch of {which} is released for {whose} yet; run annotator status")
    if missing:
        raise SyncError(f'no task of {which} is assigned to "{missing[0]}"; run annotator status')
    if not groups:
        raise SyncError(f"no task of {which} is assigned to anybody; run {assign_command(campaign, phase)}")
    return [(annotator, name, tuple(sorted(set(ids)))) for (annotator, name), ids in sorted(groups.items())]


def done_in_panelwise(campaign: Campaign, phases: Collection[str] | None = None) -> list[str]:
    """Return a line for each of these phases (None: all) that is annotated on Panelwise's own screen."""
    return [
        f"phase {phase.name} is annotated in Panelwise, so nothing of it goes to Label Studio: annotator serve"
        for phase in campaign.phases
        if phase.own_screen and (phases is None or phase.name in phases)
    ]


def assign_command(campaign: Campaign | None, phase: str | None = None) -> str:
    """Return the command that assigns a phase (None: the first); placeholders stand for unknown names."""
    known: tuple[str, ...] = ()
    if campaign is not None:
        known = campaign.annotators_of(campaign.phases[0] if phase is None else campaign.phase(phase))
    which = "" if phase is None else f" --phase {shlex.quote(phase)}"
    return f"annotator assign{which}{'' if known else ' --annotators a,b,c'}"


def check_still_called(tx: Transaction, annotator: str, phase: str) -> None:
    """Raise SyncError if the annotator was renamed meanwhile: the old name must not be stored again."""
    if not tx.tasks.has(annotator, phase):
        raise SyncError(
            f'no annotator with tasks of phase "{phase}" is called "{annotator}" any more; do that again'
        )


def stored_project(home: Home, server: AnnotationServer, link: ProjectLink | None) -> StoredProject | None:
    """Return the project stored in `link` if it is on `server`, else None."""
    if link is None or not is_on(home, server.url, link):
        return None
    return StoredProject(link.project_id, link.title, link.config_hash)


def projects_of_others(
    home: Home, server: AnnotationServer, links: Sequence[ProjectLink], annotator: str, phase: str
) -> frozenset[int]:
    """Return the ids of the projects on a server that are linked to others than the annotator of this phase."""
    return frozenset(
        link.project_id
        for link in links
        if (link.annotator, link.phase) != (annotator, phase) and is_on(home, server.url, link)
    )


def is_on(home: Home, url: str, link: ProjectLink) -> bool:
    """Return whether a project is on the server at `url`.

    The home's own server has another port after each start: for it, any address of this machine matches.
    """
    own = images_folder(home, url) is not None
    return link.server_url == url or (own and is_loopback(link.server_url))


def source_of(source: str, figure_ids: Container[str]) -> tuple[str, int]:
    """Return (figure id, revision) of the source of a task on the server. figure_ids: of the stored figures.

    A task pushed by a version without revisions names the id alone, whatever that ends in.
    """
    figure_id, revision = names.figure_of_source(source)
    return (figure_id, revision) if figure_id in figure_ids or source not in figure_ids else (source, 1)


def linked(store: Store, project: ProjectLink) -> Iterator[list[Link]]:
    """Yield the links of a project in pages of some hundred; the store is free between them."""
    with store.read() as tx:
        pages = [[link.figure_id for link in page] for page in tx.links.pages(project)]
    for figure_ids in pages:
        with store.read() as tx:
            found = tx.links.of_figures(project, figure_ids)
        if found:
            yield list(found.values())


def vanished(server: AnnotationServer, links: Sequence[Link]) -> list[Link]:
    """Return the links of a project whose task no longer exists on the server; one request if none is missing."""
    if not links:
        return []
    project_id, ids = links[0].project_id, [link.task_id for link in links]
    if server.count(project_id, ids).tasks == len(set(ids)):
        return []
    there = {mark.id for mark in server.marks(project_id, ids)}
    return [link for link in links if link.task_id not in there]
