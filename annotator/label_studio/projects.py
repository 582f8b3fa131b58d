"""The project of one annotator in one phase: how it is called, what it asks, and how to find it again."""

from __future__ import annotations

import hashlib

from annotator.domain.campaign import Campaign, Phase, TaskType
from annotator.domain.errors import SyncError
from annotator.label_studio.server import AnnotationServer, Project
from label_config.subfigures import subfigure_config

#: Longest title that the server takes.
TITLE_LIMIT = 50


def title(annotator: str, phase: str) -> str:
    """What annotators see in the list of projects; at most 50 characters, cut names told apart by a hash."""
    whole = f"{annotator} · phase {phase}"
    if len(whole) <= TITLE_LIMIT:
        return whole
    tail = hashlib.sha256(whole.encode()).hexdigest()[:6]
    return f"{whole[: TITLE_LIMIT - 7]}~{tail}"


def mark(campaign: Campaign, annotator: str, phase: str) -> str:
    """The project's description, by which it is found again: titles get edited, ids are given out twice."""
    return (
        f'Panelwise: campaign "{campaign.name}", annotator "{annotator}", phase "{phase}". Do not edit this line.'
    )


def config(campaign: Campaign, phase: Phase) -> str:
    """The labelling config of a phase. Raises SyncError for a task type that has none."""
    if phase.task_type is not TaskType.SUBFIGURES:
        raise SyncError(
            f'phase "{phase.name}": tasks of type "{phase.task_type}" cannot be pushed yet; '
            f'use "{TaskType.SUBFIGURES}"'
        )
    return subfigure_config(campaign.labels)


def find(
    server: AnnotationServer, campaign: Campaign, annotator: str, phase: str, *, known: int | None = None
) -> Project | None:
    """The annotator's project on the server, None if there is none. known: the id it had, taken first.

    Raises SyncError where several bear the mark and none of them is the known one.
    """
    wanted = mark(campaign, annotator, phase)
    found = [project for project in server.projects() if project.description.strip() == wanted]
    for project in found:
        if project.id == known:
            return project
    if len(found) > 1:
        ids = ", ".join(str(project.id) for project in found)
        raise SyncError(
            f'{server.url}: projects {ids} are all of annotator "{annotator}", phase "{phase}"; '
            "delete those that hold no work"
        )
    return found[0] if found else None


def ensure(
    server: AnnotationServer,
    campaign: Campaign,
    annotator: str,
    phase: Phase,
    *,
    known: int | None = None,
    images: str | None,
) -> Project:
    """The annotator's project, made now where it is missing, its config and storage as they should be.

    images: the folder of images as the server sees it; None where the server has its own way to them.
    """
    wanted = config(campaign, phase)
    project = find(server, campaign, annotator, phase.name, known=known)
    if project is None:
        project = server.create_project(
            title(annotator, phase.name), mark(campaign, annotator, phase.name), wanted
        )
    elif project.config.strip() != wanted.strip():
        server.set_config(project.id, wanted)
    if images is not None:
        server.ensure_image_storage(project.id, images)
    return project
