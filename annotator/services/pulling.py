"""From Label Studio: submitted work into the store. Can be broken off and run again; what is known stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from annotator.domain.annotation import Annotation
from annotator.domain.campaign import Person, Phase
from annotator.domain.counting import counted
from annotator.domain.errors import AnnotatorError, SyncError
from annotator.domain.figure import Figure
from annotator.label_studio import projects, reading
from annotator.label_studio.server import AnnotationServer, Project
from annotator.services.batches import batches
from annotator.services.revisions import listed
from annotator.services.syncing import BATCH, CAMPAIGN_ID, assigned, check_still_called, known_here, source_of
from label_config import names

if TYPE_CHECKING:
    from annotator.services.home import Home
    from annotator.store.store import Store


@dataclass(slots=True)
class PulledProject:
    """What came back from one annotator's project of one phase.

    added: annotations that the store had not. known: those that it had. open: figures that are to be submitted.
    earlier: figures submitted on an earlier caption or image only.
    findings: odd but kept. problems: left out, a line each, figure, annotator and label named.
    """

    annotator: str
    phase: str
    project_id: int | None = None
    added: int = 0
    known: int = 0
    open: int = 0
    earlier: tuple[str, ...] = ()
    findings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def pull(
    home: Home,
    store: Store,
    server: AnnotationServer,
    *,
    phase: str | None = None,
    annotators: Sequence[str] | None = None,
) -> Iterator[PulledProject]:
    """Bring submitted annotations of `phase` (None: every phase) into the store; yields once a project.

    Where the annotator is tied to an account by e-mail, only what that one submitted is theirs; else all in their
    project is. What does not fit is named in `problems` and the rest is kept. Run twice it changes nothing. Raises
    SyncError where the server cannot be reached or no task is assigned.
    """
    server.check()
    campaign = home.campaign
    accounts = {account.id: account.email for account in server.accounts()}
    with store.read() as tx:
        everyone = tx.names()
    for annotator, phase_name, figure_ids in assigned(store, phase, annotators):
        with store.read() as tx:
            link = next(iter(tx.projects(annotator=annotator, phase=phase_name)), None)
            person = tx.person(annotator)
            campaign_id = tx.setting(CAMPAIGN_ID)
        result = PulledProject(annotator, phase_name)
        known = known_here(home, server, link)
        project = projects.find(server, campaign_id, annotator, phase_name, known=known, annotators=everyone)
        if project is None:
            gone = f"project {known.id} is gone" if known is not None else "no project"
            result.open = len(figure_ids)
            result.problems.append(
                f'{server.url}: {gone} for annotator "{annotator}", phase "{phase_name}"; run annotator push'
            )
            yield result
            continue
        result.project_id = project.id
        origin = _Origin(
            project, campaign.guideline, campaign.phase(phase_name), accounts, _owner(person, accounts)
        )
        _pull_project(store, server, origin, result)
        yield result


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where an annotator's work comes from. accounts: e-mails by id. owner: the annotator's, if known."""

    project: Project
    guideline: str
    phase: Phase
    accounts: Mapping[int, str]
    owner: int | None

    def names(self, accounts: Iterable[int | None]) -> str:
        """The accounts as a lead knows them."""
        return ", ".join(
            "an account that is gone" if each is None else self.accounts.get(each) or f"account {each}"
            for each in accounts
        )


def _owner(person: Person | None, accounts: Mapping[int, str]) -> int | None:
    """The account tied to the annotator by e-mail; None for nobody, as of those who work through the lead's."""
    email = person.email.lower() if person is not None else ""
    return next((id for id, each in accounts.items() if email and each.lower() == email), None)


def _pull_project(store: Store, server: AnnotationServer, origin: _Origin, result: PulledProject) -> None:
    project = origin.project
    waiting: set[str] = set()
    done: set[str] = set()
    earlier: dict[str, None] = {}
    for tasks in batches(server.tasks(project.id), BATCH):
        figures = _figures(store, tasks)
        ready: list[tuple[Annotation, str]] = []
        for task in tasks:
            source, revision = source_of(task, figures)
            try:
                found = reading.submitted(task, owner=origin.owner)
                findings = [
                    f'figure "{source}", annotator "{result.annotator}": {finding}'
                    for finding in _strange(found, origin)
                ]
                record = found.record
                if record is None:
                    waiting.add(source)
                    result.findings += findings
                    continue
                figure, present = _worked_on(task, figures.get(source, {}), source, revision, project)
                if present:
                    done.add(source)
                else:
                    earlier[source] = None
                pulled = reading.pulled(
                    task,
                    record,
                    figure,
                    annotator=result.annotator,
                    phase=result.phase,
                    guideline=origin.guideline,
                    single_span=origin.phase.single_span,
                )
            except AnnotatorError as error:
                result.problems.append(str(error))
                continue
            result.findings += [*findings, *pulled.findings]
            result.problems += pulled.left_out
            ready.append((pulled.annotation, f"label-studio:{project.id}:{task['id']}:{record.get('id')}"))
        _keep(store, ready, result)
    result.open = len(waiting - done)
    result.earlier = tuple(each for each in earlier if each not in done)
    if result.earlier:
        result.findings.append(
            f'annotator "{result.annotator}": what was submitted for {counted(len(result.earlier), "figure")} is '
            f"on an earlier caption or image, so it is kept and does not count: {listed(result.earlier)}; "
            "after annotator push they can be done again"
        )


def _worked_on(
    task: Mapping[str, Any],
    revisions: Mapping[int, tuple[Figure, bool]],
    source: str,
    revision: int,
    project: Project,
) -> tuple[Figure, bool]:
    """The revision of the figure that a task shows, and whether it is the present one; SyncError for none."""
    if revision in revisions:
        return revisions[revision]
    what = f'revision {revision} of figure "{source}"' if revisions else f'figure "{source}"'
    raise SyncError(f"{project.title}: task {task['id']} is of {what}, which is not in the store; import it first")


def _strange(found: reading.Submitted, origin: _Origin) -> Iterator[str]:
    """What is odd about who submitted a task."""
    if found.record is None:
        if found.others:
            yield (
                f"submitted by {origin.names(found.accounts)} only, so it counts as open; "
                f"{origin.names([origin.owner])} is the annotator's account"
            )
        return
    if origin.owner is None and len(found.accounts) > 1:
        yield (
            f"submitted by several accounts ({origin.names(found.accounts)}), the latest counts; "
            "give the annotator the e-mail of their own"
        )
    if found.others:
        yield f"{found.others} more annotation(s) of the task are passed over"


def _figures(store: Store, tasks: Iterable[Mapping[str, Any]]) -> dict[str, dict[int, tuple[Figure, bool]]]:
    """Figure id -> revision -> (figure, whether that is the present revision), of the figures in the store."""
    sources = {str(task["data"].get(names.DATA_SOURCE, "")) for task in tasks}
    found = {}
    with store.read() as tx:
        for figure_id in sorted({*sources, *(names.figure_of_source(each)[0] for each in sources)}):
            every = tx.figure_revisions(figure_id)
            if every:
                present = every[0].revision if len(every) == 1 else tx.figure(figure_id).revision
                found[figure_id] = {each.revision: (each, each.revision == present) for each in every}
    return found


def _keep(store: Store, ready: Iterable[tuple[Annotation, str]], result: PulledProject) -> None:
    with store.transaction() as tx:
        check_still_called(tx, result.annotator, result.phase)
        for annotation, origin in ready:
            try:
                if tx.add_annotation(annotation, origin=origin):
                    result.added += 1
                else:
                    result.known += 1
            except AnnotatorError as error:
                result.problems.append(str(error))
