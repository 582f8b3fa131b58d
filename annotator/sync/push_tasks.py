"""Push the tasks of one project to Label Studio.

The hash of what was sent is stored with each task's link. A push therefore asks the server only about tasks whose
figure or prediction changed, and about all tasks if the server has unlinked ones, as after an interrupted push.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotator.annotation_server import AnnotationServer, Project, SentTask, ServerTask
from annotator.campaign.palette import on_palette
from annotator.consensus.adjudicated_pairs import adjudicated_edits, apply_edits
from annotator.consensus.differences import has_too_many_boxes
from annotator.consensus.outdated import listed
from annotator.store.rows.records import Link, ProjectLink
from annotator.store.store import Store
from annotator.sync.projects import check_still_called, linked, source_of, vanished
from label_config import names
from panelwise.domain import AnnotatorError, Campaign, Figure, Phase, SyncError, too_many_boxes
from panelwise.runtime import ahead, batches, counted, record_fault
from prelabel.captions import parse_caption

#: Tasks of one import: the more, the less the server has to do for each, and the more a break leaves to be found.
BATCH = 500


@dataclass(slots=True)
class Pushed:
    """The result of pushing one annotator's tasks of one phase.

    added: tasks created. seeded: predictions added to new or untouched tasks. unchanged: tasks that needed no
    change. revised: for figures with a new caption or image, tasks created beside one with work, and untouched
    tasks updated. withdrawn: untouched tasks deleted because their figure was reassigned. done: figures without a
    task whose work is in the store. notes: lines that need no action. problems: figures that could not be pushed,
    and parts left out of a prediction, a line each.
    """

    annotator: str
    phase: str
    project_id: int
    title: str
    url: str
    added: int = 0
    seeded: int = 0
    unchanged: int = 0
    revised: int = 0
    withdrawn: int = 0
    done: int = 0
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A task as it should be on the server. revision: of its figure."""

    revision: int
    sent: SentTask


class PushedTasks:
    """The tasks of one project, pushed in batches; only one batch is in memory.

    bare: figures shown without a prediction; None: all figures.
    """

    def __init__(
        self,
        store: Store,
        server: AnnotationServer,
        campaign: Campaign,
        phase: Phase,
        project: Project,
        link: ProjectLink,
        pushed: Pushed,
        bare: frozenset[str] | None,
    ) -> None:
        self.store = store
        self.server = server
        self.campaign = campaign
        self.phase = phase
        self.project = project
        self.link = link
        self.pushed = pushed
        self.bare = bare
        self.edits = adjudicated_edits(store, campaign) if phase.kind.answered else {}
        self._drafted: frozenset[int] | None = None
        self._predicted = False
        self._shown = project.shown_version

    def run(self, figure_ids: Sequence[str]) -> None:
        """Create and update the project's tasks."""
        # Tasks that are not linked: of an interrupted push, of earlier revisions, or added by hand.
        strangers = self.server.count(self.project.id).tasks != self._linked()
        # The server is another process: it takes one batch while the next is made.
        for ids, wanted, problems in ahead(map(self._wanted, batches(figure_ids, BATCH))):
            self.pushed.problems += problems
            with self.store.read() as tx:
                links = tx.links.of_figures(self.link, ids)
                done = tx.links.done_figures(self.pushed.annotator, self.pushed.phase, ids)
            there = self._there(
                {
                    each: task
                    for each, task in wanted.items()
                    if strangers or (each in links and links[each].pushed != task.sent.hash)
                }
            )
            self._bring(wanted, there, links, done)
            self._predicted |= any(task.sent.prediction is not None for task in wanted.values())
        if (
            self._predicted
            and self._shown != names.SHOWN_VERSION
            and self.server.count(self.project.id).predictions
        ):
            self.server.show_predictions(self.project.id, names.SHOWN_VERSION)

    def _linked(self) -> int:
        """Return the number of linked tasks, after reporting deleted tasks and deleting their links."""
        count = 0
        for links in linked(self.store, self.link):
            gone = vanished(self.server, links)
            if gone:
                with self.store.transaction() as tx:
                    tx.links.forget(self.link, [link.figure_id for link in gone])
                self.pushed.notes.append(
                    f'project "{self.project.title}": {counted(len(gone), "task")} deleted in Label Studio: '
                    f"{listed(link.figure_id for link in gone)}"
                )
            count += len(links) - len(gone)
        return count

    def _wanted(self, ids: list[str]) -> tuple[list[str], dict[str, _Wanted], list[str]]:
        """Return the figure ids, the tasks by figure id, and a line for each problem in making a task."""
        wanted: dict[str, _Wanted] = {}
        problems: list[str] = []
        with self.store.read() as tx:
            figures = tx.figures.by_id(ids)
            seeded = (
                {} if self.bare is None else {each: figures[each] for each in figures if each not in self.bare}
            )
            predictions = tx.predictions.latest_of(seeded)
        for figure_id in ids:
            prediction = predictions.get(figure_id)
            if prediction is not None and has_too_many_boxes(prediction, self.campaign):
                boxes = too_many_boxes(len(prediction.subfigures), self.campaign.max_boxes)
                problems.append(f"{figure_id}: its prediction is left out: it has {boxes}")
                prediction = None
            if prediction is not None:
                prediction = on_palette(prediction, self.campaign.labels, spare=False)
            try:
                phase = self.phase if figure_id in seeded else replace(self.phase, seeded=False)
                figure = apply_edits(figures[figure_id], self.edits)
                labels, fault = _named_labels(figure, phase, self.campaign)
                sent = self.server.task_of(figure, prediction, self.campaign, phase, labels=labels)
            except AnnotatorError as error:
                problems.append(str(error))
                continue
            problems += [*sent.left_out, *fault]
            wanted[figure_id] = _Wanted(figures[figure_id].revision, sent)
        return ids, wanted, problems

    def _bring(
        self,
        wanted: Mapping[str, _Wanted],
        there: Mapping[str, Mapping[int, ServerTask]],
        links: Mapping[str, Link],
        done: set[str],
    ) -> None:
        """Create the missing tasks and update the untouched ones. there: see `_there`."""
        new: dict[str, _Wanted] = {}
        kept: list[Link] = []
        for figure_id, task in wanted.items():
            found = _task_of(there.get(figure_id, {}), task.revision, self._untouched)
            if found is not None:
                self.pushed.revised += task.revision not in there[figure_id]
                kept.append(self._refreshed(found, task.sent, figure_id, links.get(figure_id)))
            elif figure_id in links and links[figure_id].pushed == task.sent.hash:
                self.pushed.unchanged += 1
            elif figure_id in done:
                self.pushed.done += 1
            else:
                new[figure_id] = task
                self.pushed.revised += figure_id in there
        self._keep(kept)
        if new:
            self._keep(self._imported(new))

    def _there(self, wanted: Mapping[str, _Wanted]) -> dict[str, dict[int, ServerTask]]:
        """Return figure id -> revision -> task on the server; of two tasks the one with work, else the first."""
        sources = [
            source
            for figure_id, task in wanted.items()
            for source in dict.fromkeys(
                (figure_id, *(names.task_source(figure_id, number + 1) for number in range(task.revision)))
            )
        ]
        found: dict[str, dict[int, ServerTask]] = {}
        for task in self.server.tasks_of_sources(self.project.id, sources):
            source, revision = source_of(task.source, wanted)
            if source not in wanted:
                continue
            there = found.setdefault(source, {})
            if revision in there:
                other = there[revision]
                self.pushed.problems.append(f'figure "{source}" has more than one task ({other.id}, {task.id})')
                if other.submissions or not task.submissions:
                    continue
            there[revision] = task
        return found

    def _untouched(self, task: ServerTask) -> bool:
        """Return True if no annotator has begun the task; drafts are requested once, if needed."""
        if task.submissions or task.drafted:
            return False
        if self._drafted is None:
            self._drafted = self.server.drafted(self.project.id)
        return task.id not in self._drafted

    def _refreshed(self, task: ServerTask, sent: SentTask, figure_id: str, link: Link | None) -> Link:
        """Update an untouched task; a task with work is left as it is."""
        stale, right = not self.server.same_data(task, sent), self.server.same_prediction(task, sent)
        pushed_hash: str | None = sent.hash
        if not stale and right:
            self.pushed.unchanged += 1
        elif not self._untouched(task):
            self.pushed.unchanged += 1
            if task.caption != sent.caption:
                self.pushed.problems.append(
                    f'figure "{figure_id}": "{self.pushed.annotator}" has worked on an older caption, '
                    "so the task is left as it is"
                )
            if not task.submissions:
                pushed_hash = None  # a draft may be thrown away: ask again next time
        else:
            if stale:
                self.server.replace_data(task, sent)
            if not right:
                self.server.replace_prediction(task, sent)
                self.pushed.seeded += sent.prediction is not None
        if link is None or link.task_id != task.id:
            return self._link(figure_id, task.id, pushed_hash)
        return replace(link, pushed=pushed_hash)

    def _imported(self, new: Mapping[str, _Wanted]) -> list[Link]:
        """Create tasks; SyncError if the server silently dropped some."""
        made = self.server.add_tasks(self.project.id, [task.sent for task in new.values()])
        where = f'project "{self.project.title}"; push again'
        if len(made.task_ids) != len(new):
            raise SyncError(
                f"{self.server.url}: made {len(made.task_ids)} of {counted(len(new), 'task')} of {where}"
            )
        seeded = sum(task.sent.prediction is not None for task in new.values())
        if made.predictions != seeded:
            raise SyncError(
                f"{self.server.url}: made {made.predictions} of {counted(seeded, 'prediction')} of {where}"
            )
        if seeded and not self._shown:
            self._shown = names.SHOWN_VERSION  # a project without one shows that of the first that come
        self.pushed.added += len(new)
        self.pushed.seeded += seeded
        return [
            self._link(figure_id, task_id, task.sent.hash)
            for (figure_id, task), task_id in zip(new.items(), made.task_ids, strict=True)
        ]

    def _link(self, figure_id: str, task_id: int, pushed: str | None) -> Link:
        return Link(self.link.annotator, self.link.phase, self.link.project_id, figure_id, task_id, pushed)

    def _keep(self, links: Sequence[Link]) -> None:
        if links:
            with self.store.transaction() as tx:
                check_still_called(tx, self.pushed.annotator, self.pushed.phase)
                tx.links.put(*links)


def _named_labels(figure: Figure, phase: Phase, campaign: Campaign) -> tuple[list[str] | None, list[str]]:
    """Return the labels that the figure's caption names, and a line if they could not be read.

    None where subfigures are not marked, and for an unreadable caption: all labels are offered.
    """
    if not phase.kind.drawn:
        return None, []
    offered = {label.casefold(): label for label in reversed(campaign.labels)}
    try:
        found = parse_caption(figure.caption).labels
    except Exception as error:
        fault = f'figure "{figure.id}": its labels are not read from the caption ({record_fault(error)})'
        return None, [f"{fault}; all labels are offered, report the caption"]
    named = (label if label in campaign.labels else offered.get(label.casefold()) for label in found)
    return list(dict.fromkeys(filter(None, named))), []


def _task_of(
    tasks: Mapping[int, ServerTask], revision: int, untouched: Callable[[ServerTask], bool]
) -> ServerTask | None:
    """Return the figure's task of that revision, else an untouched one of another revision, else None."""
    if revision in tasks:
        return tasks[revision]
    return next((task for task in tasks.values() if untouched(task)), None)
