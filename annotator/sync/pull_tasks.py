"""Pull the tasks of one project from Label Studio.

Each link stores when its task last changed, by the server's clock, and which annotations it had then. A pull asks
for the changes since the latest of these times, in order, and stores work and time together: after an interruption
the next pull continues at the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from annotator.annotation_server import AnnotationServer, Project, ServerTask, Submission, Submitted, TaskMark
from annotator.consensus.outdated import listed
from annotator.store.rows.records import Link, ProjectLink
from annotator.store.store import Store
from annotator.sync.projects import check_still_called, linked, source_of, vanished
from label_config import names
from panelwise.domain import (
    MAX_BOXES,
    Annotation,
    AnnotatorError,
    Figure,
    InvalidAnnotation,
    Phase,
    SyncError,
    check_box_count,
    check_not_ahead,
)
from panelwise.runtime import batches, counted

_PUT_BACK = "nothing of it is kept until the config is put back"
#: Annotations of one transaction: a break loses at most so much work.
BATCH = 100
#: Before the latest moment it is counted whether all was seen: a server that writes several things at once may
#: finish them out of order, and a pull may break off among tasks that changed in one moment.
OVERLAP = timedelta(minutes=1)


@dataclass(slots=True)
class PulledProject:
    """The result of pulling one annotator's project of one phase.

    added: annotations new to the store. unchanged: annotations already stored. open: figures not yet submitted.
    gone: the project was deleted on the server. started: tasks with a draft of any account. read: tasks that
    were read, of all tasks. earlier: figures submitted only on an earlier caption or image. findings: unusual, but
    stored. problems: left out; each line names figure, annotator and label.
    """

    annotator: str
    phase: str
    project_id: int | None = None
    gone: bool = False
    added: int = 0
    unchanged: int = 0
    open: int = 0
    started: int = 0
    read: int = 0
    earlier: tuple[str, ...] = ()
    findings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an annotator's work.

    accounts: e-mails by id. owner: the annotator's account, if known. service: the account that Panelwise uses.
    lacking: the project's labelling config lacks names, so that work under other names would be incomplete and is
    not stored.
    """

    project: Project
    link: ProjectLink
    guideline: str
    phase: Phase
    accounts: Mapping[int, str]
    owner: int | None
    service: int | None = None
    lacking: bool = False

    def names(self, accounts: Iterable[int | None]) -> str:
        """Return the accounts' e-mails for messages to the lead."""
        return ", ".join(
            "an account that is gone" if account is None else self.accounts.get(account) or f"account {account}"
            for account in accounts
        )


class PulledTasks:
    """The tasks of one project, read in batches; only one batch is in memory."""

    def __init__(
        self,
        store: Store,
        server: AnnotationServer,
        origin: Origin,
        result: PulledProject,
        *,
        max_boxes: int = MAX_BOXES,
    ) -> None:
        self.store = store
        self._max_boxes = max_boxes
        self.server = server
        self.origin = origin
        self.result = result
        self._done: set[str] = set()
        self._earlier: dict[str, None] = {}
        self._seen: set[int] = set()
        # Up to this moment all changes were read.
        self._horizon = ""

    def run(self, *, whole: bool) -> None:
        """Pull the changed tasks; whole: all tasks."""
        with self.store.read() as tx:
            latest = tx.links.last_pulled(self.origin.link)
            self._horizon = latest or ""
            unread = [link.task_id for link in tx.links.unread(self.origin.link)]
        if whole or latest is None:
            for several in batches(self.server.read_changes(self.origin.project.id, None), BATCH):
                self._horizon = max(self._horizon, several[-1][0].updated_at)
                self._take([mark for mark, _ in several], [task for _, task in several])
        else:
            self._read_changes(latest)
            if not self._overlap_is_known(latest):
                self._read_changes(_before(latest))
        for ids in batches([each for each in unread if each not in self._seen], BATCH):
            self._read(self.server.marks(self.origin.project.id, ids))
        self._look_for_losses()
        earlier = [each for each in self._earlier if each not in self._done]
        self.result.earlier = tuple(earlier)
        if earlier:
            self.result.findings.append(
                f'annotator "{self.result.annotator}": what was submitted for {counted(len(earlier), "figure")} '
                f"is on an earlier caption or image, so it is kept and does not count: {listed(earlier)}; "
                "after annotator push they can be done again"
            )

    def _read_changes(self, since: str) -> None:
        for marks in batches(self.server.changes(self.origin.project.id, since), BATCH):
            self._horizon = max(self._horizon, marks[-1].updated_at)
            self._read(self._changed(marks))

    def _overlap_is_known(self, latest: str) -> bool:
        """Return True if as many tasks changed shortly before the last pull as the links say."""
        start = _before(latest)
        with self.store.read() as tx:
            linked = tx.links.count_pulled(self.origin.link, start, latest)
        return self.server.count_changed(self.origin.project.id, start, latest) == linked

    def _changed(self, marks: Sequence[TaskMark]) -> list[TaskMark]:
        """Return the marks of tasks that differ from their links."""
        with self.store.read() as tx:
            links = tx.links.of_tasks(self.origin.link, [mark.id for mark in marks])
        return [mark for mark in marks if mark.id not in links or links[mark.id].updated_at != mark.updated_at]

    def _look_for_losses(self) -> None:
        """Report deleted tasks, and read changes that their times hide because the server's clock was set back."""
        for links in linked(self.store, self.origin.link):
            gone = vanished(self.server, links)
            if gone:
                self._tell_gone(gone)
            known = [link for link in links if link.read and link not in gone]
            self.result.unchanged += sum(
                bool(link.annotations) for link in known if link.task_id not in self._seen
            )
            if not known:
                continue
            ids = [link.task_id for link in known]
            if self.server.count(self.origin.project.id, ids).submitted != sum(
                len(each.submitted) for each in known
            ):
                self._read(self._changed(self.server.marks(self.origin.project.id, ids)))

    def _tell_gone(self, links: Sequence[Link]) -> None:
        """Delete the links of deleted tasks, so that a push creates those without submitted work again."""
        figure_ids = [link.figure_id for link in links]
        with self.store.transaction() as tx:
            tx.links.forget(self.origin.link, figure_ids)
            done = tx.links.done_figures(self.result.annotator, self.result.phase, figure_ids)
        for figures, what in (
            ([each for each in figure_ids if each in done], "what was pulled of them is kept"),
            ([each for each in figure_ids if each not in done], "annotator push makes them again"),
        ):
            if figures:
                self.result.findings.append(
                    f'annotator "{self.result.annotator}": {counted(len(figures), "task")} deleted in Label '
                    f"Studio, {what}: {listed(figures)}"
                )

    def _read(self, marks: Sequence[TaskMark]) -> None:
        if marks:
            self._take(marks, self.server.read_tasks(self.origin.project.id, [mark.id for mark in marks]))

    def _take(self, marks: Sequence[TaskMark], tasks: Sequence[ServerTask]) -> None:
        """Store the tasks' work and times together. marks: from the list, which is not later than the tasks."""
        # What changed after that is read now, and again when the changes before it are.
        moments = {mark.id: min(mark.updated_at, self._horizon) for mark in marks}
        self._seen |= moments.keys()
        self.result.read += len(tasks)
        figures = _figures(self.store, tasks)
        with self.store.read() as tx:
            links = tx.links.of_tasks(self.origin.link, list(moments))
        ready: list[tuple[Annotation, str]] = []
        seen: list[Link] = []
        for task in tasks:
            source, revision = source_of(task.source, figures)
            link = links.get(task.id)
            good = True
            try:
                taken = self._work(task, figures, source, revision)
                if taken is not None:
                    ready.append(taken[:2])
                    good = taken[2]
            except AnnotatorError as error:
                self.result.problems.append(str(error))
                good = False
            if link is not None and link.figure_id == source:
                seen.append(self._seen_again(task, link, moments[task.id], good))
        self._keep(ready, seen)

    def _seen_again(self, task: ServerTask, link: Link, moment: str, good: bool) -> Link:
        """Return the updated link of a task that was just read.

        moment: from the list, which is not later than what was read: changes in between are read again.
        """
        now = tuple(record.id for record in task.submissions if not record.skipped)
        skips = tuple(record.id for record in task.submissions if record.skipped)
        lost = [annotation for annotation in link.annotations if annotation not in now + skips]
        if lost:
            self.result.findings.append(
                f'figure "{link.figure_id}", annotator "{self.result.annotator}": '
                f"{counted(len(lost), 'annotation')} deleted in Label Studio; what was pulled is kept"
            )
        # A push checks changed tasks again.
        pushed = link.pushed if self.server.sent_hash(task) in (link.pushed, None) else None
        return replace(link, pushed=pushed, updated_at=moment, submitted=now, skipped=skips, read=good)

    def _work(
        self,
        task: ServerTask,
        figures: Mapping[str, Mapping[int, tuple[Figure, bool]]],
        source: str,
        revision: int,
    ) -> tuple[Annotation, str, bool] | None:
        """Return the task's annotation, its origin, and whether it is complete; None if there is no annotation.

        Raises AnnotatorError if it can't be stored.
        """
        result, origin = self.result, self.origin
        found = self.server.submitted(task, owner=origin.owner)
        findings = [
            f'figure "{source}", annotator "{result.annotator}": {finding}' for finding in _strange(found, origin)
        ]
        record = found.record
        if record is None:
            result.findings += findings
            return None
        figure, present = _worked_on(task, figures.get(source, {}), source, revision, origin.project)
        if present:
            self._done.add(source)
        else:
            self._earlier[source] = None
        for change in self.server.changed_locks(task, record):
            raise InvalidAnnotation(
                f'figure "{figure.id}", annotator "{result.annotator}": {change}; put it back in Label Studio'
            )
        try:
            pulled = self.server.annotation_of(
                *(task, record, figure),
                annotator=result.annotator,
                phase=origin.phase,
                guideline=origin.guideline,
            )
        except InvalidAnnotation as error:
            if origin.lacking:
                raise SyncError(f"{error}; {_PUT_BACK}") from error
            raise
        try:
            check_not_ahead(pulled.annotation.saved_at)
        except InvalidAnnotation as error:
            raise InvalidAnnotation(f'figure "{figure.id}", annotator "{result.annotator}": {error}') from None
        result.findings += [*findings, *pulled.findings]
        if origin.lacking and pulled.left_out:
            raise SyncError(f"{pulled.left_out[0]}; {_PUT_BACK}")
        result.problems += pulled.left_out
        try:
            check_box_count(pulled.annotation, self._max_boxes)
        except InvalidAnnotation as error:
            raise InvalidAnnotation(f"task {task.id}: {error}") from error
        where = f"label-studio:{origin.project.id}:{task.id}:{record.id}"
        return pulled.annotation, where, not pulled.left_out

    def _keep(self, ready: Iterable[tuple[Annotation, str]], seen: Sequence[Link]) -> None:
        with self.store.transaction() as tx:
            check_still_called(tx, self.result.annotator, self.result.phase)
            refused = set()
            for annotation, origin in ready:
                try:
                    if tx.annotations.add(annotation, origin=origin):
                        self.result.added += 1
                    else:
                        self.result.unchanged += 1
                except AnnotatorError as error:
                    self.result.problems.append(str(error))
                    refused.add(annotation.figure.id)
            tx.links.put(*(replace(link, read=False) if link.figure_id in refused else link for link in seen))


def _before(moment: str) -> str:
    """Return a time slightly earlier than `moment`."""
    earlier = datetime.fromisoformat(moment).astimezone(UTC) - OVERLAP
    return earlier.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _worked_on(
    task: ServerTask,
    revisions: Mapping[int, tuple[Figure, bool]],
    source: str,
    revision: int,
    project: Project,
) -> tuple[Figure, bool]:
    """Return the figure in the task's revision, and whether that is the current one; SyncError if unknown."""
    if revision in revisions:
        return revisions[revision]
    what = f'revision {revision} of figure "{source}"' if revisions else f'figure "{source}"'
    raise SyncError(f"{project.title}: task {task.id} is of {what}, which is not in the store; import it first")


def _strange(found: Submitted[Submission], origin: Origin) -> Iterator[str]:
    """Yield what is unusual about the accounts that submitted a task."""
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
    changed = found.record.changed_by
    if changed not in (None, origin.service):
        yield (
            f"submitted by {origin.names([found.record.account])}, but last changed by "
            f"{origin.names([changed])}; if that is not the annotator's work, delete it in Label Studio and send "
            "the figure back"
        )
    if found.others:
        yield f"{found.others} more annotation(s) of the task are passed over"


def _figures(store: Store, tasks: Iterable[ServerTask]) -> dict[str, dict[int, tuple[Figure, bool]]]:
    """Return figure id -> revision -> (figure, whether it is the current revision) of the stored figures."""
    sources = {task.source for task in tasks}
    with store.read() as tx:
        found = tx.figures.all_revisions(
            sorted({*sources, *(names.figure_of_source(source)[0] for source in sources)})
        )
    return {
        figure_id: {each.revision: (each, each.revision == present) for each in every}
        for figure_id, (present, every) in found.items()
    }
