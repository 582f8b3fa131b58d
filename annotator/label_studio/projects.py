"""The project of one annotator in one phase: how it is called, what it asks, and how to find it again."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass

from annotator.domain.campaign import Campaign, Phase, TaskType
from annotator.domain.errors import SyncError
from annotator.label_studio.server import AnnotationServer, Project
from label_config.subfigures import subfigure_config

#: Longest title that the server takes.
TITLE_LIMIT = 50

_MARK = re.compile(r"Panelwise campaign [0-9a-f]{16}: ")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a project on the server at hand: its id there, and the title that it was made with."""

    id: int
    title: str


def title(annotator: str, phase: str) -> str:
    """What annotators see in the list of projects; at most 50 characters, cut names told apart by a hash."""
    whole = f"{annotator} · phase {phase}"
    if len(whole) <= TITLE_LIMIT:
        return whole
    tail = hashlib.sha256(whole.encode()).hexdigest()[:6]
    return f"{whole[: TITLE_LIMIT - 7]}~{tail}"


def mark(campaign_id: str, annotator: str, phase: str) -> str:
    """The line of a project's description by which it is found again: titles get edited, ids are given out twice.

    campaign_id: see `new_campaign_id`; a campaign's name will not do, it changes, and two campaigns may share it.
    """
    return f'Panelwise campaign {campaign_id}: annotator "{annotator}", phase "{phase}". Do not edit this line.'


def new_campaign_id() -> str:
    """A random id for a campaign: 16 hexadecimal digits, made once and kept."""
    return secrets.token_hex(8)


def config(campaign: Campaign, phase: Phase) -> str:
    """The labelling config of a phase. Raises SyncError for a task type that has none."""
    if phase.task_type is not TaskType.SUBFIGURES:
        raise SyncError(
            f'phase "{phase.name}": tasks of type "{phase.task_type}" cannot be pushed yet; '
            f'use "{TaskType.SUBFIGURES}"'
        )
    try:
        return subfigure_config(campaign.labels)
    except ValueError as error:
        raise SyncError(f"labels in campaign.toml: {error}; correct them") from error


def find(
    server: AnnotationServer, campaign_id: str | None, annotator: str, phase: str, *, known: Known | None = None
) -> Project | None:
    """The annotator's project on the server, None if there is none.

    campaign_id: None where nothing was pushed under an id yet. known: what the campaign's store says, taken first:
    it counts with its mark, and without one (an edited description, an older Panelwise) by its title.
    Raises SyncError where several bear the mark and none of them is the known one.
    """
    wanted = mark(campaign_id, annotator, phase) if campaign_id is not None else None
    everything = server.projects()
    marked = [project for project in everything if wanted is not None and wanted in project.description]
    if known is not None:
        for project in everything:
            if project.id == known.id and (project in marked or _nobodys(project, known.title)):
                return project
    if len(marked) > 1:
        ids = ", ".join(str(project.id) for project in marked)
        raise SyncError(
            f'{server.url}: projects {ids} are all of annotator "{annotator}", phase "{phase}"; '
            "delete those that hold no work"
        )
    return marked[0] if marked else None


def ensure(
    server: AnnotationServer,
    campaign: Campaign,
    campaign_id: str,
    annotator: str,
    phase: Phase,
    *,
    found: Project | None,
    images: str | None,
) -> Project:
    """The annotator's project, made now where none was `found`, its mark, config and storage as they should be.

    images: the folder of images as the server sees it; None where the server has its own way to them.
    """
    wanted, marked = config(campaign, phase), mark(campaign_id, annotator, phase.name)
    project = found
    if project is None:
        project = server.create_project(title(annotator, phase.name), marked, wanted)
    else:
        if marked not in project.description:
            server.set_description(project.id, _with_mark(project.description, marked))
        if project.config.strip() != wanted.strip():
            server.set_config(project.id, wanted)
    if images is not None:
        server.ensure_image_storage(project.id, images)
    return project


def _nobodys(project: Project, known_title: str) -> bool:
    """Whether a project of a known id bears no campaign's mark, but the title that it was made with."""
    return _MARK.search(project.description) is None and project.title == known_title


def _with_mark(description: str, marked: str) -> str:
    """The description with the mark as its last line; the line of an older Panelwise goes."""
    kept = [line for line in description.strip().splitlines() if not line.startswith("Panelwise: campaign ")]
    return "\n".join([*kept, marked])
