"""Push assigned figures to Label Studio, a project per annotator and phase. Safe to interrupt and to run again."""

from __future__ import annotations

import html
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotator.annotation_server import AnnotationServer, Models, Project
from annotator.campaign.connect import images_folder, server_folder
from annotator.campaign.guidelines import Element, guidelines
from annotator.campaign.home import Home
from annotator.campaign.visibility import hidden_from
from annotator.checks.qualification import admit
from annotator.consensus.outdated import listed
from annotator.store.rows.records import Link, ProjectLink
from annotator.store.store import Store
from annotator.sync import marked_projects
from annotator.sync.project_access import publish_access
from annotator.sync.projects import (
    CAMPAIGN_ID,
    assigned,
    check_still_called,
    linked,
    projects_of_others,
    stored_project,
)
from annotator.sync.push_tasks import Pushed, PushedTasks
from panelwise.domain import (
    FormatError,
    Phase,
    Role,
    SyncError,
)
from panelwise.runtime import counted, locked

#: What a push notes of annotators who are kept out.
NO_EMAIL = "has no e-mail, so only the lead can open the project"


def push(
    home: Home,
    store: Store,
    server: AnnotationServer,
    *,
    phase: str | None = None,
    annotators: Sequence[str] | None = None,
    seeded: bool = True,
    images: str | None = None,
    models: Models | None = None,
) -> Iterator[Pushed]:
    """Push the assigned figures of `phase` (None: every phase) to Label Studio; yields after each project.

    Pushes released batches only, and no blind phases: their tasks are done in the adjudication view. annotators:
    None for all. seeded: start tasks from the latest prediction (a phase may forbid it). images: the campaign's
    image folder as the server sees it; not needed for the home's own server, None if the server gets the images
    otherwise. models: what the projects ask when a task without pre-labels is opened; None changes nothing.
    Pushing twice changes nothing, and tasks that an annotator has worked on are never changed. A deleted project
    or task is created again, except for tasks whose work is in the store. A second push waits for the first.
    Raises SyncError if the server can't be reached or refuses, or if no task is assigned.
    """
    server.check()
    campaign = home.campaign
    admit(store, campaign)
    images = images or images_folder(home, server.url)
    with locked(server_folder(home) / "push.lock"):
        campaign_id = _campaign_id(store)
        work = assigned(store, phase, annotators, campaign)
        isolated = server.isolates_annotators()
        withdrawn = _withdraw_tasks(home, store, server, phase=phase, annotators=annotators)
        for annotator, phase_name, figure_ids in work:
            settings = campaign.phase(phase_name)
            ensured, link = _project(home, store, server, campaign_id, annotator, settings, images)
            project = ensured.project
            unknown = publish_access(home, store, server)
            pushed = Pushed(annotator, phase_name, project.id, project.title, _seen_at(home, server, project.id))
            if annotator in unknown and isolated:
                pushed.notes.append(
                    f'annotator "{annotator}" {NO_EMAIL}; '
                    f"run annotator user email {shlex.quote(annotator)} ADDRESS, then annotator push"
                )
            if ensured.note:
                pushed.notes.append(ensured.note)
            _add_withdrawn(withdrawn.pop((annotator, phase_name), None), pushed)
            if ensured.problem:
                pushed.problems.append(ensured.problem)
            else:
                _instruct(home, server, settings, project, pushed, _messages(store, home, link, pushed.url))
                bare = _bare(store, settings, annotator) if seeded and settings.seeded else None
                PushedTasks(store, server, campaign, settings, project, link, pushed, bare).run(figure_ids)
                if models is not None:
                    _connect(server, models, settings, pushed)
            yield pushed
        for (annotator, phase_name), taken in withdrawn.items():
            project_id, title = taken.project.project_id, taken.project.title
            pushed = Pushed(annotator, phase_name, project_id, title, _seen_at(home, server, project_id))
            _add_withdrawn(taken, pushed)
            yield pushed


def _seen_at(home: Home, server: AnnotationServer, project_id: int) -> str:
    """Return the project's address for people; behind a proxy it differs from the one used here."""
    known = home.label_studio
    public = known.public_url if server.url == known.url else ""
    return f"{public or server.url}/projects/{project_id}"


def _connect(server: AnnotationServer, models: Models, phase: Phase, pushed: Pushed) -> None:
    """Connect the project to the models; a failure is reported, and the tasks are pushed all the same."""
    try:
        warning = server.connect_models(pushed.project_id, models, phase)
    except SyncError as error:
        pushed.problems.append(str(error))
        return
    if warning:
        pushed.notes.append(f'project "{pushed.title}": {warning}')


def _instruct(
    home: Home,
    server: AnnotationServer,
    phase: Phase,
    project: Project,
    pushed: Pushed,
    messages: Messages,
) -> None:
    """Set the project's instructions to what reviewers wrote to its annotator and the current guidelines.

    Unreadable guidelines are reported.
    """
    try:
        wanted = instructions(home, phase, messages)
    except FormatError as error:
        pushed.problems.append(str(error))
        return
    if project.instructions != wanted:
        server.set_instructions(project.id, wanted)


def _messages(store: Store, home: Home, link: ProjectLink, address: str) -> Messages:
    """Collect reviewers' messages to the annotator of a project. address: of the project, for people.

    Comments are left out once the annotator has saved the figure after them, and on figures that hide work.
    """
    with store.read() as tx:
        sent_back = [each for each in tx.sent_back.open_for(link.annotator) if each.phase == link.phase]
        own = {
            annotation.figure.id: annotation.saved_at
            for annotation in tx.annotations.all(phase=link.phase, annotator=link.annotator)
        }
        figures = {task.figure for task in tx.tasks.all(phase=link.phase, annotator=link.annotator, released=True)}
        hidden = hidden_from(tx, home, link.annotator)
        figures -= set() if hidden is None else tx.blind.hidden_figures(hidden)
        shown = sorted(figures) if Role.ANNOTATOR in home.campaign.comments else []
        comments = [
            each
            for each in tx.comments.to_annotator(link.annotator, shown)
            if each.figure_id not in own or each.at > own[each.figure_id]
        ]
        texts = (
            [(each.figure_id, each.reason) for each in sent_back],
            [(comment.figure_id, comment.body) for comment in comments],
        )
        there = tx.links.of_figures(link, [figure for each in texts for figure, _ in each])
    tasks = [[(there[figure].task_id, text) for figure, text in each if figure in there] for each in texts]
    corrections, comments_there = (
        tuple(Message(task, f"{address}/data?task={task}", text) for task, text in each) for each in tasks
    )
    return Messages(corrections, comments_there)


def _add_withdrawn(withdrawn: _Withdrawn | None, pushed: Pushed) -> None:
    if withdrawn is not None:
        pushed.withdrawn = withdrawn.tasks
        pushed.notes += withdrawn.notes


def _bare(store: Store, phase: Phase, annotator: str) -> frozenset[str]:
    """Return the figures that an annotator is shown without pre-labels.

    Those drawn for it, and the overlap if the phase says so.
    """
    with store.read() as tx:
        tasks = [task for task in tx.tasks.all(phase=phase.name) if not task.hidden]
    drawn = {task.figure for task in tasks if task.unseeded and task.annotator == annotator}
    times = Counter() if phase.overlap_seeded else Counter(task.figure for task in tasks)
    return frozenset(drawn | {figure for figure, number in times.items() if number > 1})


def _campaign_id(store: Store) -> str:
    """Return the id that marks the campaign's projects, created on the first push."""
    with store.transaction() as tx:
        found = tx.settings.get(CAMPAIGN_ID)
        if found is None:
            found = marked_projects.new_campaign_id()
            tx.settings.put(CAMPAIGN_ID, found)
    return found


def _project(
    home: Home,
    store: Store,
    server: AnnotationServer,
    campaign_id: str,
    annotator: str,
    phase: Phase,
    images: str | None,
) -> tuple[marked_projects.Ensured, ProjectLink]:
    """Create or update the annotator's project; links to an earlier project are deleted."""
    with store.read() as tx:
        link = next(iter(tx.links.projects(annotator=annotator, phase=phase.name)), None)
        claimed = projects_of_others(home, server, tx.links.projects(), annotator, phase.name)
    known = stored_project(home, server, link)
    found = marked_projects.find(server, campaign_id, annotator, phase.name, stored=known, claimed=claimed)
    same = link is not None and known is not None and found is not None and found.id == link.project_id
    if link is not None and not same:
        with store.transaction() as tx:
            tx.links.delete(link)
    ensured = marked_projects.ensure(
        server,
        home.campaign,
        campaign_id,
        annotator,
        phase,
        found=found,
        images=images,
        sent_hash=link.config_hash if link is not None and same else None,
    )
    project = ensured.project
    renewed = ProjectLink(annotator, phase.name, project.id, server.url, project.title, ensured.config_hash)
    with store.transaction() as tx:
        check_still_called(tx, annotator, phase.name)
        if renewed != link:
            tx.links.put_project(renewed)
    return ensured, renewed


#: Comments that the instructions of a project list at most.
MOST_COMMENTS = 100


@dataclass(frozen=True, slots=True)
class Message:
    """A reviewer's message to the annotator of a task. address: of the task in Label Studio, for people."""

    task_id: int
    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Messages:
    """Messages of reviewers to a project's annotator. corrections: why tasks were sent back."""

    corrections: tuple[Message, ...] = ()
    comments: tuple[Message, ...] = ()


_NO_MESSAGES = Messages()


def instructions(home: Home, phase: Phase, messages: Messages = _NO_MESSAGES) -> str:
    """Return the instructions of an annotator's project as HTML, "" if there are none; messages come first.

    Only the markup that guidelines may use is written. Raises FormatError if the guidelines can't be read.
    """
    found = guidelines(home)
    rules = tuple(Element("li", (rule,)) for rule in phase.kind.instructions)
    head = (Element("h3", ("On this screen",)), Element("ul", rules)) if rules else ()
    to_correct = _listed(
        "To correct",
        "A reviewer sent these tasks back to you. Open each, correct it, and press Update.",
        messages.corrections,
    )
    newest = messages.comments[-MOST_COMMENTS:]
    only = "" if len(newest) == len(messages.comments) else f" The newest {MOST_COMMENTS} are listed."
    comments = _listed("Comments", f"Reviewers wrote to you on these tasks.{only}", newest)
    return _markup((*to_correct, *comments, *head, *(found.blocks if found is not None else ())))


def _listed(title: str, line: str, messages: Sequence[Message]) -> tuple[Element, ...]:
    if not messages:
        return ()
    rows = tuple(
        Element("li", (Element("a", (f"Task {message.task_id}",), href=message.address), f": {message.text}"))
        for message in messages
    )
    return (Element("h3", (title,)), Element("p", (line,)), Element("ul", rows))


def _markup(pieces: Iterable[Element | str]) -> str:
    return "".join(html.escape(piece) if isinstance(piece, str) else _element(piece) for piece in pieces)


def _element(piece: Element) -> str:
    if piece.tag in ("br", "hr"):
        return f"<{piece.tag}>"
    href = f' href="{html.escape(piece.href)}"' if piece.href else ""
    start = f' start="{piece.start}"' if piece.start is not None else ""
    return f"<{piece.tag}{href}{start}>{_markup(piece.children)}</{piece.tag}>"


@dataclass(frozen=True, slots=True)
class _Withdrawn:
    """The tasks deleted from one project. tasks: their number. notes: a line about the tasks that stay."""

    project: ProjectLink
    tasks: int
    notes: tuple[str, ...]


def _withdraw_tasks(
    home: Home,
    store: Store,
    server: AnnotationServer,
    *,
    phase: str | None = None,
    annotators: Sequence[str] | None = None,
) -> dict[tuple[str, str], _Withdrawn]:
    """Delete tasks that are no longer their annotator's and that are not begun; by annotator and phase.

    phase, annotators: None for all. Tasks with a draft or an annotation stay and are reported. Raises SyncError.
    """
    with store.read() as tx:
        every, campaign_id = tx.links.projects(), tx.settings.get(CAMPAIGN_ID)
        mine = {(task.annotator, task.phase, task.figure) for task in tx.tasks.all(phase=phase)}
        links = [
            each for each in tx.links.projects(phase=phase) if annotators is None or each.annotator in annotators
        ]
    found: dict[tuple[str, str], _Withdrawn] = {}
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
) -> _Withdrawn:
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
    return _Withdrawn(project, deleted, notes if begun else ())
