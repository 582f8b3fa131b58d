"""To Label Studio: a project per annotator and phase. Can be broken off and run again; what is there stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from annotator.domain.annotation import Prediction, Subfigure
from annotator.domain.campaign import Campaign, Phase
from annotator.domain.counting import counted
from annotator.domain.errors import AnnotatorError, SyncError
from annotator.label_studio import payload, projects
from annotator.label_studio.embedded import images_folder
from annotator.label_studio.server import AnnotationServer, Project
from annotator.services.batches import batches
from annotator.services.palette import on_palette
from annotator.services.syncing import BATCH, CAMPAIGN_ID, assigned, check_still_called, known_here, source_of
from annotator.store.records import Link, ProjectLink
from label_config import names

if TYPE_CHECKING:
    from annotator.services.home import Home
    from annotator.store.store import Store


@dataclass(slots=True)
class Pushed:
    """What became of one annotator's tasks of one phase.

    added: tasks made. seeded: predictions put, with new tasks or into untouched ones. kept: tasks left as they
    were. revised: of figures whose caption or image was replaced, tasks made beside one with work in it, and
    untouched ones brought up to date. problems: figures that could not be pushed, and what was left out of a
    prediction, a line each.
    """

    annotator: str
    phase: str
    project_id: int
    title: str
    url: str
    added: int = 0
    seeded: int = 0
    kept: int = 0
    revised: int = 0
    problems: list[str] = field(default_factory=list)


def push(
    home: Home,
    store: Store,
    server: AnnotationServer,
    *,
    phase: str | None = None,
    annotators: Sequence[str] | None = None,
    seeded: bool = True,
    images: str | None = None,
) -> Iterator[Pushed]:
    """Bring the assigned figures of `phase` (None: every phase) to Label Studio; yields once a project.

    annotators: whose, None for all. seeded: whether tasks start from the latest prediction (a phase may forbid
    it). images: the folder of the campaign's images as the server sees it; not needed for the home's own server,
    and None where the server reaches them otherwise. Run twice it changes nothing; tasks that someone has worked
    on are never touched. Links to a project that is gone are dropped, and it is made anew. Raises SyncError where
    the server cannot be reached, refuses, or no task is assigned.
    """
    server.check()
    campaign = home.campaign
    images = images or images_folder(home.path, server.url)
    campaign_id = _campaign_id(store)
    for annotator, phase_name, figure_ids in assigned(store, phase, annotators):
        settings = campaign.phase(phase_name)
        project = _project(home, store, server, campaign_id, annotator, settings, images)
        with store.transaction() as tx:
            check_still_called(tx, annotator, phase_name)
            tx.put_project(ProjectLink(annotator, phase_name, project.id, server.url, project.title))
        pushed = Pushed(annotator, phase_name, project.id, project.title, f"{server.url}/projects/{project.id}")
        _push_project(store, server, campaign, settings, project, figure_ids, pushed, seeded and settings.seeded)
        yield pushed


def _campaign_id(store: Store) -> str:
    """The id that marks the campaign's projects, made now where nothing was pushed before."""
    with store.transaction() as tx:
        found = tx.setting(CAMPAIGN_ID)
        if found is None:
            found = projects.new_campaign_id()
            tx.set_setting(CAMPAIGN_ID, found)
    return found


def _project(
    home: Home,
    store: Store,
    server: AnnotationServer,
    campaign_id: str,
    annotator: str,
    phase: Phase,
    images: str | None,
) -> Project:
    """The annotator's project, as it should be; links to another that it had before are dropped."""
    with store.read() as tx:
        link = next(iter(tx.projects(annotator=annotator, phase=phase.name)), None)
        everyone = tx.names()
    known = known_here(home, server, link)
    found = projects.find(server, campaign_id, annotator, phase.name, known=known, annotators=everyone)
    if link is not None and (known is None or found is None or found.id != link.project_id):
        with store.transaction() as tx:
            tx.delete_links(link)
    return projects.ensure(server, home.campaign, campaign_id, annotator, phase, found=found, images=images)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A task as it should be on the server. revision: of its figure."""

    revision: int
    data: Mapping[str, str]
    prediction: dict[str, Any] | None

    def as_import(self) -> dict[str, Any]:
        return {"data": dict(self.data), "predictions": [self.prediction] if self.prediction else []}


def _push_project(
    store: Store,
    server: AnnotationServer,
    campaign: Campaign,
    phase: Phase,
    project: Project,
    figure_ids: Sequence[str],
    pushed: Pushed,
    seeded: bool,
) -> None:
    there = _by_source(server.tasks(project.id), figure_ids, pushed.problems)
    for ids in batches(figure_ids, BATCH):
        wanted = _wanted(store, campaign, phase, ids, seeded, pushed.problems)
        new: list[_Wanted] = []
        for figure_id, task in wanted.items():
            found = _task_of(there.get(figure_id, {}), task.revision)
            if found is None:
                new.append(task)
                pushed.revised += figure_id in there
            else:
                pushed.revised += task.revision not in there[figure_id]
                _refresh(server, found, task, pushed)
        if new:
            made = server.import_tasks(project.id, [task.as_import() for task in new])
            if made != len(new):
                raise SyncError(
                    f'{server.url}: made {made} of {counted(len(new), "task")} of project "{project.title}"; '
                    "push again"
                )
            pushed.added += made
            pushed.seeded += sum(task.prediction is not None for task in new)
    after = _of_present(store, _by_source(server.tasks(project.id), figure_ids, []))
    _check_seeds(store, server, campaign, phase, project, after, seeded)
    if project.shown_version != names.SHOWN_VERSION and any(task["predictions"] for task in after.values()):
        server.show_predictions(project.id, names.SHOWN_VERSION)
    _keep_links(store, pushed, after)


def _wanted(
    store: Store, campaign: Campaign, phase: Phase, ids: Iterable[str], seeded: bool, problems: list[str]
) -> dict[str, _Wanted]:
    """Figure id -> its task; a figure that cannot be pushed is left out and named."""
    wanted: dict[str, _Wanted] = {}
    with store.read() as tx:
        for figure_id in ids:
            try:
                figure = tx.figure(figure_id)
                prediction = tx.latest_prediction(figure_id) if seeded else None
                shown = _shown(prediction, campaign, problems) if prediction is not None else None
                data = payload.task_data(figure, seed=shown.model_version if shown is not None else "")
                wanted[figure_id] = _Wanted(
                    figure.revision,
                    data,
                    payload.prediction_payload(shown, single_span=phase.single_span)
                    if shown is not None
                    else None,
                )
            except AnnotatorError as error:
                problems.append(str(error))
    return wanted


def _shown(prediction: Prediction, campaign: Campaign, problems: list[str]) -> Prediction:
    """The prediction with the campaign's labels only: the server refuses others."""
    prediction = on_palette(prediction, campaign.labels, spare=False)
    kept: list[tuple[Subfigure, float]] = []
    for subfigure, score in zip(prediction.subfigures, prediction.scores, strict=True):
        if subfigure.label in campaign.labels:
            kept.append((subfigure, score))
            continue
        problems.append(
            f'figure "{prediction.figure.id}": the prediction of {prediction.model_version} has label '
            f'"{subfigure.label}", which is not among the campaign\'s; it is left out '
            "(add it to labels in campaign.toml)"
        )
    return replace(
        prediction, subfigures=tuple(each for each, _ in kept), scores=tuple(score for _, score in kept)
    )


def _refresh(server: AnnotationServer, task: Mapping[str, Any], wanted: _Wanted, pushed: Pushed) -> None:
    """Bring a task that nobody has touched up to date; one with work in it stays as it is."""
    stale = dict(task["data"]) != dict(wanted.data)
    predictions = task["predictions"]
    right = (
        [each.get("result") for each in predictions] == [wanted.prediction["result"]]
        if wanted.prediction is not None
        else not predictions
    )
    if not stale and right:
        pushed.kept += 1
        return
    if task["annotations"] or task["drafts"]:
        pushed.kept += 1
        if (task["data"].get(names.DATA_CAPTION) or "") != wanted.data[names.DATA_CAPTION]:
            pushed.problems.append(
                f'figure "{wanted.data[names.DATA_SOURCE]}": "{pushed.annotator}" has worked on an older caption, '
                "so the task is left as it is"
            )
        return
    if stale:
        server.set_task_data(task["id"], wanted.data)
    if not right:
        for each in predictions:
            server.delete_prediction(each["id"])
        if wanted.prediction is not None:
            server.add_prediction(task["id"], wanted.prediction)
            pushed.seeded += 1


def _check_seeds(
    store: Store,
    server: AnnotationServer,
    campaign: Campaign,
    phase: Phase,
    project: Project,
    after: Mapping[str, Mapping[str, Any]],
    seeded: bool,
) -> None:
    """Count what is there now: the server drops what it does not like without a word."""
    for ids in batches(sorted(after), BATCH):
        wanted = _wanted(store, campaign, phase, ids, seeded, [])
        for figure_id, task in wanted.items():
            there = after[figure_id]
            worked_on = there["annotations"] or there["drafts"]  # `_refresh` leaves it as it is, bare or not
            if task.prediction is not None and not there["predictions"] and not worked_on:
                raise SyncError(
                    f'{server.url}: the prediction of figure "{figure_id}" is not in project '
                    f'"{project.title}"; push again'
                )


def _keep_links(store: Store, pushed: Pushed, after: Mapping[str, Mapping[str, Any]]) -> None:
    links = {
        Link(pushed.annotator, pushed.phase, pushed.project_id, figure_id, int(task["id"]))
        for figure_id, task in after.items()
    }
    with store.read() as tx:
        known = set(tx.links(annotator=pushed.annotator, phase=pushed.phase))
    fresh = sorted(links - known, key=lambda link: link.figure_id)
    if fresh:
        with store.transaction() as tx:
            check_still_called(tx, pushed.annotator, pushed.phase)
            for link in fresh:
                tx.put_link(link)


def _by_source(
    tasks: Iterable[dict[str, Any]], figure_ids: Iterable[str], problems: list[str]
) -> dict[str, dict[int, dict[str, Any]]]:
    """Figure id -> revision -> its task, of the given figures; of two the one with work in it, else the first."""
    asked = set(figure_ids)
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for task in tasks:
        source, revision = source_of(task, asked)
        if source not in asked:
            continue
        there = found.setdefault(source, {})
        if revision in there:
            other = there[revision]
            problems.append(f'figure "{source}" has more than one task ({other["id"]}, {task["id"]})')
            if other["annotations"] or not task["annotations"]:
                continue
        there[revision] = task
    return found


def _task_of(tasks: Mapping[int, dict[str, Any]], revision: int) -> dict[str, Any] | None:
    """The figure's task for that revision: its own, else an untouched one of another; None for neither."""
    if revision in tasks:
        return tasks[revision]
    return next((task for task in tasks.values() if not task["annotations"] and not task["drafts"]), None)


def _of_present(store: Store, tasks: Mapping[str, Mapping[int, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Figure id -> the task of its present revision, of the figures that have one."""
    with store.read() as tx:
        present = {figure_id: tx.figure(figure_id).revision for figure_id in tasks}
    return {each: tasks[each][revision] for each, revision in present.items() if revision in tasks[each]}
