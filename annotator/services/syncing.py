"""To Label Studio and back. Both ways can be broken off and run again; what is there already is left alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from annotator.domain.annotation import Annotation, Prediction, Subfigure
from annotator.domain.campaign import Campaign, Phase
from annotator.domain.errors import AnnotatorError, SyncError
from annotator.domain.figure import Figure
from annotator.label_studio import payload, projects
from annotator.label_studio.embedded import images_folder
from annotator.label_studio.server import AnnotationServer, Project
from annotator.store.records import Link, ProjectLink
from label_config import names

if TYPE_CHECKING:
    from annotator.services.home import Home
    from annotator.store.store import Store

T = TypeVar("T")

#: Tasks of one import, and annotations of one transaction: a break loses at most so much work.
BATCH = 100


@dataclass(slots=True)
class Pushed:
    """What became of one annotator's tasks of one phase.

    added: tasks made. seeded: predictions put, with new tasks or into untouched ones. kept: tasks left as they
    were. problems: figures that could not be pushed, and what was left out of a prediction, a line each.
    """

    annotator: str
    phase: str
    project_id: int
    title: str
    url: str
    added: int = 0
    seeded: int = 0
    kept: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(slots=True)
class PulledProject:
    """What came back from one annotator's project of one phase.

    added: annotations that the store had not. known: those that it had. open: tasks that nobody has submitted.
    findings: odd but kept. problems: left out, a line each, figure, annotator and label named.
    """

    annotator: str
    phase: str
    project_id: int | None = None
    added: int = 0
    known: int = 0
    open: int = 0
    findings: list[str] = field(default_factory=list)
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
    on are never touched. Raises SyncError where the server cannot be reached, refuses, or no task is assigned.
    """
    server.check()
    campaign = home.campaign
    images = images or images_folder(home.path, server.url)
    for annotator, phase_name, figure_ids in assigned(store, phase, annotators):
        settings = campaign.phase(phase_name)
        with store.read() as tx:
            known = next((each.project_id for each in tx.projects(annotator=annotator, phase=phase_name)), None)
        project = projects.ensure(server, campaign, annotator, settings, known=known, images=images)
        with store.transaction() as tx:
            tx.put_project(ProjectLink(annotator, phase_name, project.id, server.url, project.title))
        pushed = Pushed(annotator, phase_name, project.id, project.title, f"{server.url}/projects/{project.id}")
        _push_project(store, server, campaign, settings, project, figure_ids, pushed, seeded and settings.seeded)
        yield pushed


def pull(
    home: Home,
    store: Store,
    server: AnnotationServer,
    *,
    phase: str | None = None,
    annotators: Sequence[str] | None = None,
) -> Iterator[PulledProject]:
    """Bring submitted annotations of `phase` (None: every phase) into the store; yields once a project.

    What does not fit is named in `problems` and the rest is kept. Run twice it changes nothing. Raises SyncError
    where the server cannot be reached or no task is assigned.
    """
    server.check()
    campaign = home.campaign
    accounts = {account.email.lower(): account.id for account in server.accounts()}
    for annotator, phase_name, figure_ids in assigned(store, phase, annotators):
        with store.read() as tx:
            link = next(iter(tx.projects(annotator=annotator, phase=phase_name)), None)
            person = tx.person(annotator)
        result = PulledProject(annotator, phase_name)
        project = projects.find(
            server, campaign, annotator, phase_name, known=link.project_id if link is not None else None
        )
        if project is None:
            gone = f"project {link.project_id} is gone" if link is not None else "no project"
            result.open = len(figure_ids)
            result.problems.append(
                f'{server.url}: {gone} for annotator "{annotator}", phase "{phase_name}"; run annotator push'
            )
            yield result
            continue
        result.project_id = project.id
        owner = accounts.get(person.email.lower()) if person is not None and person.email else None
        _pull_project(store, server, campaign, campaign.phase(phase_name), project, owner, result)
        yield result


def assigned(
    store: Store, phase: str | None, annotators: Sequence[str] | None
) -> list[tuple[str, str, tuple[str, ...]]]:
    """(annotator, phase, figure ids) of the assigned tasks, in order; None asks for every phase or annotator.

    Raises SyncError where nothing is assigned, or nothing to one of `annotators`.
    """
    with store.read() as tx:
        tasks = tx.tasks(phase=phase)
    groups: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        if annotators is None or task.annotator in annotators:
            groups.setdefault((task.annotator, task.phase), []).append(task.figure)
    which = f'phase "{phase}"' if phase is not None else "any phase"
    missing = [name for name in annotators or () if not any(name == annotator for annotator, _ in groups)]
    if missing:
        raise SyncError(f'no task of {which} is assigned to "{missing[0]}"; run annotator assign')
    if not groups:
        raise SyncError(f"no task of {which} is assigned to anybody; run annotator assign")
    return [(annotator, name, tuple(sorted(set(ids)))) for (annotator, name), ids in sorted(groups.items())]


# ---- push ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A task as it should be on the server."""

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
    for ids in _batches(figure_ids, BATCH):
        wanted = _wanted(store, campaign, phase, ids, seeded, pushed.problems)
        new = [wanted[each] for each in ids if each in wanted and each not in there]
        if new:
            made = server.import_tasks(project.id, [task.as_import() for task in new])
            if made != len(new):
                raise SyncError(
                    f'{server.url}: made {made} of {len(new)} tasks of project "{project.title}"; push again'
                )
            pushed.added += made
            pushed.seeded += sum(task.prediction is not None for task in new)
        for each in ids:
            if each in wanted and each in there:
                _refresh(server, there[each], wanted[each], pushed)
    after = _by_source(server.tasks(project.id), figure_ids, [])
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
                    data,
                    payload.prediction_payload(shown, single_span=phase.single_span)
                    if shown is not None
                    else None,
                )
            except AnnotatorError as error:
                problems.append(str(error))
    return wanted


def _shown(prediction: Prediction, campaign: Campaign, problems: list[str]) -> Prediction:
    """The prediction with the campaign's labels only: the server refuses others.

    A model reads "a" off a figure where the campaign says "A": such a label is written as the campaign's, unless
    the figure has that one as well.
    """
    taken = {each.label for each in prediction.subfigures}
    spelt = {label.casefold(): label for label in campaign.labels if label not in taken}
    kept: list[tuple[Subfigure, float]] = []
    for subfigure, score in zip(prediction.subfigures, prediction.scores, strict=True):
        label = subfigure.label if subfigure.label in campaign.labels else spelt.get(subfigure.label.casefold())
        if label is not None:
            kept.append((replace(subfigure, label=label), score))
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
    for ids in _batches(sorted(after), BATCH):
        wanted = _wanted(store, campaign, phase, ids, seeded, [])
        for figure_id, task in wanted.items():
            there = after[figure_id]
            if task.prediction is not None and not there["predictions"] and not there["annotations"]:
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
            for link in fresh:
                tx.put_link(link)


def _by_source(
    tasks: Iterable[dict[str, Any]], figure_ids: Iterable[str], problems: list[str]
) -> dict[str, dict[str, Any]]:
    """Figure id -> its task, of the given figures; of two the one with work in it, else the first."""
    asked = set(figure_ids)
    found: dict[str, dict[str, Any]] = {}
    for task in tasks:
        source = str(task["data"].get(names.DATA_SOURCE, ""))
        if source not in asked:
            continue
        if source in found:
            problems.append(f'figure "{source}" has more than one task ({found[source]["id"]}, {task["id"]})')
            if found[source]["annotations"] or not task["annotations"]:
                continue
        found[source] = task
    return found


# ---- pull ---------------------------------------------------------------------------------------


def _pull_project(
    store: Store,
    server: AnnotationServer,
    campaign: Campaign,
    phase: Phase,
    project: Project,
    owner: int | None,
    result: PulledProject,
) -> None:
    for tasks in _batches(server.tasks(project.id), BATCH):
        figures = _figures(store, tasks)
        ready: list[tuple[Annotation, str]] = []
        for task in tasks:
            try:
                record, others = payload.submitted(task, owner=owner)
                if record is None:
                    result.open += 1
                    continue
                source = str(task["data"].get(names.DATA_SOURCE, ""))
                if source not in figures:
                    raise SyncError(
                        f'{project.title}: task {task["id"]} is of figure "{source}", which is not in the store; '
                        "import it first"
                    )
                pulled = payload.pulled(
                    task,
                    record,
                    figures[source],
                    annotator=result.annotator,
                    phase=result.phase,
                    guideline=campaign.guideline,
                    single_span=phase.single_span,
                )
            except AnnotatorError as error:
                result.problems.append(str(error))
                continue
            if others:
                result.findings.append(
                    f'figure "{source}", annotator "{result.annotator}": {others} more annotation(s) of the task '
                    "are passed over"
                )
            result.findings += pulled.findings
            result.problems += pulled.left_out
            ready.append((pulled.annotation, f"label-studio:{project.id}:{task['id']}:{record.get('id')}"))
        _keep(store, ready, result)


def _figures(store: Store, tasks: Iterable[Mapping[str, Any]]) -> dict[str, Figure]:
    sources = {str(task["data"].get(names.DATA_SOURCE, "")) for task in tasks}
    with store.read() as tx:
        return {source: tx.figure(source) for source in sources if source and tx.has_figure(source)}


def _keep(store: Store, ready: Iterable[tuple[Annotation, str]], result: PulledProject) -> None:
    with store.transaction() as tx:
        for annotation, origin in ready:
            try:
                if tx.add_annotation(annotation, origin=origin):
                    result.added += 1
                else:
                    result.known += 1
            except AnnotatorError as error:
                result.problems.append(str(error))


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    batch: list[T] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
