"""The project of one annotator in one phase: its title, its mark, and how it is found again."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from annotator.annotation_server import AnnotationServer, Project, TokenRefused
from panelwise.domain import Campaign, Phase, SyncError

#: Longest title: what Label Studio accepts.
TITLE_LIMIT = 50

_MARK = re.compile(
    r'Panelwise campaign (?P<campaign>[0-9a-f]{16}): annotator "(?P<annotator>.*)", phase "(?P<phase>.*)"\.'
    r" Do not edit this line\."
)
_ANY_MARK = re.compile(r"Panelwise campaign [0-9a-f]{16}: ")


@dataclass(frozen=True, slots=True)
class StoredProject:
    """The stored id and title of a project on this server.

    config_hash: of the config that was sent last, None if that is not known.
    """

    id: int
    title: str
    config_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Ensured:
    """A project as it should be. config_hash: of the config that was sent last.

    problem: why its config is not as it must be, "" where it is: nothing can be pushed to it. note: what was
    edited by hand and what became of that, "" for nothing.
    """

    project: Project
    config_hash: str
    problem: str = ""
    note: str = ""


def title(annotator: str, phase: str) -> str:
    """Return the title shown to annotators: at most 50 characters, cut names told apart by a hash."""
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
    """Return a campaign's random id: 16 hexadecimal digits, made once and stored."""
    return secrets.token_hex(8)


def find(
    server: AnnotationServer,
    campaign_id: str | None,
    annotator: str,
    phase: str,
    *,
    stored: StoredProject | None = None,
    claimed: Collection[int] = (),
    among: Sequence[Project] | None = None,
) -> Project | None:
    """The annotator's project on the server, None if there is none.

    among: all projects, where they were listed just now. campaign_id: None if nothing was pushed under an id yet.
    stored: what the campaign's store says, looked at first: it counts with its mark, and without one (an edited
    description, an older Panelwise) by its title.
    claimed: ids of projects that the store says are others'. The known project counts with any other mark of the
    phase unless it is one of these: the annotator was renamed since. A project with the mark that is one of these
    does not count: it is of somebody who had the name before.
    Raises SyncError if several projects have the mark and none of them is stored.
    """
    wanted = mark(campaign_id, annotator, phase) if campaign_id is not None else None
    everything = server.projects() if among is None else among
    marked = [project for project in everything if wanted is not None and wanted in project.description]
    if stored is not None:
        for project in everything:
            if project.id == stored.id and (
                project in marked
                or _is_unmarked(project, stored.title)
                or (project.id not in claimed and _is_of_phase(project, campaign_id, phase))
            ):
                return project
    marked = [project for project in marked if project.id not in claimed]
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
    sent_hash: str | None = None,
) -> Ensured:
    """The annotator's project, made now where none was `found`, its mark, config and storage as they should be.

    images: the folder of images as the server sees it; None if the server has its own way to them.
    sent_hash: of the config that was sent last; None if that is not known. An edit by hand that leaves all
    names is kept.
    """
    wanted, marked = server.labelling_config(campaign, phase), mark(campaign_id, annotator, phase.name)
    if found is None:
        project = server.create_project(title(annotator, phase.name), marked, wanted)
        ensured = Ensured(project, config_hash(wanted))
    else:
        if marked not in found.description:
            found = _remarked(server, found, campaign_id, annotator, phase.name)
        ensured = _with_config(server, found, wanted, sent_hash)
    if images is not None:
        server.ensure_image_storage(ensured.project.id, images)
    return ensured


def _with_config(server: AnnotationServer, project: Project, wanted: str, sent_hash: str | None) -> Ensured:
    """The project with the config that is wanted, unless the one there is an edited one that does as well."""
    there, now = config_hash(project.config), config_hash(wanted)
    if there == now:
        return Ensured(project, now)
    where = f'{server.url}: the labelling config of project "{project.title}"'
    edited = sent_hash is not None and there != sent_hash
    missing = server.missing_parts(project.config, wanted)
    if edited and not missing:
        return Ensured(project, sent_hash or now, note=f"{where} was edited by hand; it is left as it is")
    try:
        server.set_config(project.id, wanted)
    except TokenRefused:
        raise
    except SyncError as error:
        lost = f" ({', '.join(missing)})" if missing else ""
        return Ensured(
            project,
            sent_hash or now,
            problem=f"{where} is not the campaign's{lost} and cannot be put back, so nothing is pushed: {error}",
        )
    note = f"{where} was edited by hand ({', '.join(missing)}); the campaign's was put back" if edited else ""
    return Ensured(replace(project, config=wanted), now, note=note)


def rename(server: AnnotationServer, campaign_id: str, old: str, new: str) -> int:
    """Replace the annotator's name in marks and titles of the campaign's projects; returns how many those were.

    An edited title is left as it is. Raises SyncError if the server cannot be reached or refuses.
    """
    renamed = 0
    for project in server.projects():
        for match in _MARK.finditer(project.description):
            if (match["campaign"], match["annotator"]) == (campaign_id, old):
                _remarked(server, project, campaign_id, new, match["phase"])
                renamed += 1
                break
    return renamed


def _remarked(server: AnnotationServer, project: Project, campaign_id: str, annotator: str, phase: str) -> Project:
    """The project with the annotator's mark, and with their title where it had that of the mark's old name."""
    for match in _MARK.finditer(project.description):
        if match["campaign"] == campaign_id and project.title == title(match["annotator"], phase):
            project = replace(project, title=title(annotator, phase))
            server.set_title(project.id, project.title)
            break
    marked = mark(campaign_id, annotator, phase)
    project = replace(project, description=_with_mark(project.description, campaign_id, marked))
    server.set_description(project.id, project.description)
    return project


def _is_unmarked(project: Project, known_title: str) -> bool:
    """Return whether a project with a stored id has no campaign's mark, but its original title."""
    return _ANY_MARK.search(project.description) is None and project.title == known_title


def _is_of_phase(project: Project, campaign_id: str | None, phase: str) -> bool:
    """Return whether the project's mark is of the campaign and phase, whatever name it has."""
    match = _MARK.search(project.description)
    return match is not None and (match["campaign"], match["phase"]) == (campaign_id, phase)


def _with_mark(description: str, campaign_id: str, marked: str) -> str:
    """The description with the mark as its last line; the line of an older Panelwise or of an older name goes."""
    gone = ("Panelwise: campaign ", f"Panelwise campaign {campaign_id}: ")
    kept = [line for line in description.strip().splitlines() if not line.startswith(gone)]
    return "\n".join([*kept, marked])


def config_hash(config: str) -> str:
    """Return a hash of a config, without the blanks around it."""
    return hashlib.sha256(config.strip().encode()).hexdigest()
