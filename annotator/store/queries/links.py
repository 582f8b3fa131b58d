"""Links to tasks and projects in Label Studio, with their state at the last pull and push."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Select, Table, bindparam, func, select

from annotator.store.database.tables import (
    annotation_table,
    figures,
    links,
    predictions,
    projects,
    revisions,
    tasks,
)
from annotator.store.database.values import Row
from annotator.store.queries.annotations import CURRENT
from annotator.store.rows.records import Link, ProjectLink
from annotator.store.rows.statements import PAGE, Queries, check_name, matching, these
from panelwise.domain import StoreError
from panelwise.runtime import batches

_KEY = ("annotator", "phase", "figure_id")
_OF_KEY = links.update().where(*(links.c[name] == bindparam(f"key_{name}") for name in _KEY))
_OF_PROJECT = tuple(links.c[name] == bindparam(name) for name in ("annotator", "phase", "project_id"))
_THESE_FIGURES = these(links)
_BY_FIGURE = select(links).where(*_OF_PROJECT, _THESE_FIGURES)
_BY_TASK = select(links).where(*_OF_PROJECT, links.c.task_id.in_(bindparam("task_ids", expanding=True)))
_KNOWN_KEYS = select(links.c.figure_id).where(
    links.c.annotator == bindparam("annotator"), links.c.phase == bindparam("phase"), _THESE_FIGURES
)
#: Tasks that could not be read: their errors are reported until they are corrected.
_UNREAD = select(links).where(*_OF_PROJECT, links.c.updated_at.is_not(None), links.c.annotation_ids.is_(None))
_FORGET = links.delete().where(*_OF_PROJECT, _THESE_FIGURES)
_LAST_PULLED = select(func.max(links.c.updated_at).label("last")).where(*_OF_PROJECT)
_PULLED_BETWEEN = select(func.count().label("pulled")).where(
    *_OF_PROJECT, links.c.updated_at > bindparam("after"), links.c.updated_at <= bindparam("until")
)
_GIVEN = (
    select(tasks.c.phase, tasks.c.annotator, tasks.c.released, func.count(), func.max(tasks.c.id))
    .group_by(tasks.c.phase, tasks.c.annotator, tasks.c.released)
    .order_by(tasks.c.phase, tasks.c.annotator, tasks.c.released)
)
_LATEST = select(
    select(func.max(predictions.c.id)).scalar_subquery().label("prediction"),
    select(func.count()).select_from(revisions).scalar_subquery().label("revisions"),
    select(func.sum(figures.c.revision)).scalar_subquery().label("present"),
)
_DONE = (
    select(annotation_table.c.figure_id)
    .join(figures, figures.c.figure_id == annotation_table.c.figure_id)
    .where(
        annotation_table.c.annotator == bindparam("annotator"),
        annotation_table.c.phase == bindparam("phase"),
        these(annotation_table),
        annotation_table.c.revision == figures.c.revision,
        annotation_table.c.id == CURRENT,
    )
)


class LinkQueries(Queries):
    """Links to Label Studio's projects and tasks; they describe a server, so they may be replaced or deleted."""

    def put(self, *many: Link) -> None:
        """Store the links of tasks; each replaces that of the same annotator, phase and figure.

        The last of several for one figure counts. Raises StoreError if a figure is not in the store.
        """
        groups: dict[tuple[str, str], dict[str, Link]] = {}
        for link in many:
            groups.setdefault((link.annotator, link.phase), {})[link.figure_id] = link
        for (annotator, phase), wanted in groups.items():
            check_name(annotator)
            check_name(phase)
            self._check_known(wanted)
            known = self._of_figures(_KNOWN_KEYS, wanted, annotator=annotator, phase=phase)
            there = {row["figure_id"] for row in known}
            new = [_link_row(link) for each, link in wanted.items() if each not in there]
            if new:
                self._write(links.insert(), new)
            rows = [_link_row(link) for each, link in wanted.items() if each in there]
            if rows:
                self._write(_OF_KEY, [{**row, **{f"key_{name}": row[name] for name in _KEY}} for row in rows])

    def all(self, *, annotator: str | None = None, phase: str | None = None) -> list[Link]:
        """Return the links by annotator, phase and figure; of one annotator and phase if given."""
        statement = _filtered(links, annotator, phase).order_by(
            links.c.annotator, links.c.phase, links.c.figure_id
        )
        return [link_from(row) for row in self._rows(statement)]

    def pages(self, project: ProjectLink) -> Iterator[list[Link]]:
        """Yield the links of a project's tasks by figure, in pages; the caller may write meanwhile."""
        for page in self._pages(select(links).where(*_OF_PROJECT).params(**_of(project)), links.c.figure_id):
            yield [link_from(row) for row in page]

    def of_figures(self, project: ProjectLink, figure_ids: Sequence[str]) -> dict[str, Link]:
        """Return figure id -> link, for figures with a task in the project."""
        rows = self._of_figures(_BY_FIGURE, figure_ids, **_of(project))
        return {row["figure_id"]: link_from(row) for row in rows}

    def of_tasks(self, project: ProjectLink, task_ids: Sequence[int]) -> dict[int, Link]:
        """Return task id -> link, for linked tasks of the project."""
        pages = (self._rows(_BY_TASK, **_of(project), task_ids=ids) for ids in batches(task_ids, PAGE))
        return {row["task_id"]: link_from(row) for rows in pages for row in rows}

    def unread(self, project: ProjectLink) -> list[Link]:
        """Return the links of tasks that the last pull could not read completely."""
        return [link_from(row) for row in self._rows(_UNREAD, **_of(project))]

    def last_pulled(self, project: ProjectLink) -> str | None:
        """Return the latest `updated_at` of the project's pulled tasks; None if none was pulled."""
        row = self._first(_LAST_PULLED, **_of(project))
        return None if row is None else row["last"]

    def push_mark(self) -> str:
        """Return a text that changes with the tasks, predictions or figures to push."""
        given = [tuple(row.values()) for row in self._rows(_GIVEN)]
        latest = self._first(_LATEST)
        return json.dumps([given, None if latest is None else tuple(latest.values())])

    def count_pulled(self, project: ProjectLink, after: str, until: str) -> int:
        """Count the project's pulled tasks that had changed after `after` and not after `until`."""
        row = self._first(_PULLED_BETWEEN, **_of(project), after=after, until=until)
        return 0 if row is None else int(row["pulled"])

    def done_figures(self, annotator: str, phase: str, figure_ids: Sequence[str]) -> set[str]:
        """Return the figures whose current revision the annotator did in the phase."""
        rows = self._of_figures(_DONE, figure_ids, annotator=annotator, phase=phase)
        return {row["figure_id"] for row in rows}

    def forget(self, project: ProjectLink, figure_ids: Iterable[str]) -> None:
        """Delete the links of tasks that no longer exist on the server."""
        for ids in batches(figure_ids, PAGE):
            self._write(_FORGET, {**_of(project), "figure_ids": ids})

    def put_project(self, project: ProjectLink) -> None:
        """Store the link of an annotator's project of one phase; replaces the earlier one."""
        self._put(
            projects,
            {"annotator": project.annotator, "phase": project.phase},
            {
                "project_id": int(project.project_id),
                "server_url": project.server_url,
                "title": project.title,
                "config_hash": project.config_hash,
            },
        )

    def projects(self, *, annotator: str | None = None, phase: str | None = None) -> list[ProjectLink]:
        """Return the projects by annotator and phase; of one annotator and phase if given."""
        statement = _filtered(projects, annotator, phase).order_by(projects.c.annotator, projects.c.phase)
        return [ProjectLink(**row) for row in self._rows(statement)]

    def delete(self, project: ProjectLink) -> int:
        """Delete the links of a project that no longer exists and of its tasks; returns the number of tasks."""
        gone, _ = (
            self._write(table.delete().where(*(table.c[name] == value for name, value in _of(project).items())))
            for table in (links, projects)
        )
        return gone


def _of(project: ProjectLink) -> dict[str, Any]:
    return {"annotator": project.annotator, "phase": project.phase, "project_id": int(project.project_id)}


def _link_row(link: Link) -> dict[str, Any]:
    return {
        "annotator": link.annotator,
        "phase": link.phase,
        "figure_id": link.figure_id,
        "project_id": int(link.project_id),
        "task_id": int(link.task_id),
        "pushed": link.pushed,
        "updated_at": link.updated_at,
        "annotation_ids": json.dumps([link.submitted, link.skipped]) if link.read else None,
    }


def link_from(row: Row) -> Link:
    """Return the link of a row of `links`."""
    kept = row["annotation_ids"]
    try:
        submitted, skipped = ((), ()) if kept is None else map(tuple, json.loads(kept))
    except (TypeError, ValueError) as error:
        raise StoreError(
            f'links: the annotations of figure "{row["figure_id"]}" by "{row["annotator"]}" are no lists: '
            f"{kept!r}; forget the link, and pull again"
        ) from error
    return Link(
        row["annotator"],
        row["phase"],
        row["project_id"],
        row["figure_id"],
        row["task_id"],
        row["pushed"],
        row["updated_at"],
        submitted,
        skipped,
        read=kept is not None,
    )


def _filtered(table: Table, annotator: str | None, phase: str | None) -> Select[Any]:
    return matching(select(table), (table.c.annotator, annotator), (table.c.phase, phase))
