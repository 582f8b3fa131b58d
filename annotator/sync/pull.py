"""Pull submitted annotations from Label Studio into the store. Safe to interrupt and to run again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from annotator.annotation_server import AnnotationServer, Project
from annotator.campaign.home import Home
from annotator.store.rows.records import ProjectLink
from annotator.store.store import Store
from annotator.sync import marked_projects
from annotator.sync.project_access import publish_access
from annotator.sync.projects import CAMPAIGN_ID, assigned, projects_of_others, stored_project
from annotator.sync.pull_tasks import Origin, PulledProject, PulledTasks
from panelwise.domain import Person


def pull(
    home: Home,
    store: Store,
    server: AnnotationServer,
    *,
    phase: str | None = None,
    annotators: Sequence[str] | None = None,
    whole: bool = False,
    only: Collection[int] | None = None,
) -> Iterator[PulledProject]:
    """Pull submitted annotations of `phase` (None: every phase) into the store; yields after each project.

    Reads only the tasks that changed on the server since the last pull, and those that could not be read then;
    whole: reads all tasks. only: ids of projects, None for all. If the annotator has an account with their e-mail,
    only that account's annotations are theirs; otherwise all annotations in their project are. Annotations that
    can't be stored are listed in `problems`. Pulling twice changes nothing. Raises SyncError if the server can't
    be reached or no task is assigned.
    """
    service = server.check().id
    publish_access(home, store, server)
    campaign = home.campaign
    accounts = {account.id: account.email for account in server.accounts()}
    listed = server.projects()
    for annotator, phase_name, figure_ids in assigned(store, phase, annotators, campaign):
        with store.read() as tx:
            link = next(iter(tx.links.projects(annotator=annotator, phase=phase_name)), None)
            person = tx.people.get(annotator)
            campaign_id = tx.settings.get(CAMPAIGN_ID)
            claimed = projects_of_others(home, server, tx.links.projects(), annotator, phase_name)
        if only is not None and (link is None or link.project_id not in only):
            continue
        result = PulledProject(annotator, phase_name)
        known = stored_project(home, server, link)
        project = marked_projects.find(
            server,
            campaign_id,
            annotator,
            phase_name,
            stored=known,
            among=listed,
            claimed=claimed,
        )
        if project is None:
            result.gone = known is not None
            gone = f"project {known.id} is gone" if known is not None else "no project"
            result.problems.append(
                f'{server.url}: {gone} for annotator "{annotator}", phase "{phase_name}"; run annotator push'
            )
        else:
            result.project_id = project.id
            settings = campaign.phase(phase_name)
            lacking = server.missing_parts(project.config, server.labelling_config(campaign, settings))
            if lacking:
                result.problems.append(_edited(server, project, lacking))
            origin = Origin(
                project,
                ProjectLink(annotator, phase_name, project.id, server.url, project.title),
                campaign.guideline,
                settings,
                accounts,
                _owner(person, accounts),
                service,
                lacking=bool(lacking),
            )
            PulledTasks(store, server, origin, result, max_boxes=campaign.max_boxes).run(whole=whole)
        with store.read() as tx:
            result.open = len(figure_ids) - len(tx.links.done_figures(annotator, phase_name, figure_ids))
        if project is not None and result.open:
            result.started = len(server.drafted(project.id))
        yield result


def _edited(server: AnnotationServer, project: Project, lacking: Sequence[str]) -> str:
    return (
        f'{server.url}: the labelling config of project "{project.title}" was edited by hand and lacks '
        f"{', '.join(lacking)}; what was done with it since cannot be read: run annotator push, which puts it back"
    )


def _owner(person: Person | None, accounts: Mapping[int, str]) -> int | None:
    """Return the account with the annotator's e-mail; None if there is no such account."""
    email = person.email.lower() if person is not None else ""
    return next((id for id, each in accounts.items() if email and each.lower() == email), None)
