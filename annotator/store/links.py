"""Where things are in Label Studio."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, Table, select

from annotator.store.base import Queries
from annotator.store.records import Link, ProjectLink
from annotator.store.tables import links, projects


class LinkQueries(Queries):
    """Links to Label Studio's projects and tasks: facts about a server, so they may be put anew or deleted."""

    def put_link(self, link: Link) -> None:
        """Keep where a task is; it replaces what was known of the same annotator, phase and figure.

        Raises StoreError if the figure is not in the store.
        """
        self._check_known([link.figure_id])
        self._put(
            links,
            {"annotator": link.annotator, "phase": link.phase, "figure_id": link.figure_id},
            {"project_id": int(link.project_id), "task_id": int(link.task_id)},
        )

    def links(self, *, annotator: str | None = None, phase: str | None = None) -> list[Link]:
        """Links by annotator, phase and figure, of one annotator and phase where given."""
        statement = _filtered(links, annotator, phase).order_by(
            links.c.annotator, links.c.phase, links.c.figure_id
        )
        return [
            Link(row["annotator"], row["phase"], row["project_id"], row["figure_id"], row["task_id"])
            for row in self._rows(statement)
        ]

    def put_project(self, project: ProjectLink) -> None:
        """Keep where an annotator's project of one phase is; it replaces what was known of it."""
        self._put(
            projects,
            {"annotator": project.annotator, "phase": project.phase},
            {"project_id": int(project.project_id), "server_url": project.server_url, "title": project.title},
        )

    def projects(self, *, annotator: str | None = None, phase: str | None = None) -> list[ProjectLink]:
        """Projects by annotator and phase, of one annotator and phase where given."""
        statement = _filtered(projects, annotator, phase).order_by(projects.c.annotator, projects.c.phase)
        return [
            ProjectLink(row["annotator"], row["phase"], row["project_id"], row["server_url"], row["title"])
            for row in self._rows(statement)
        ]

    def delete_links(self, project: ProjectLink) -> int:
        """Forget a project that vanished on the server, and its tasks; returns how many tasks those were."""
        gone = self._write(
            links.delete().where(
                links.c.annotator == project.annotator,
                links.c.phase == project.phase,
                links.c.project_id == project.project_id,
            )
        )
        self._write(
            projects.delete().where(
                projects.c.annotator == project.annotator,
                projects.c.phase == project.phase,
                projects.c.project_id == project.project_id,
            )
        )
        return gone


def _filtered(table: Table, annotator: str | None, phase: str | None) -> Select[Any]:
    statement = select(table)
    if annotator is not None:
        statement = statement.where(table.c.annotator == annotator)
    if phase is not None:
        statement = statement.where(table.c.phase == phase)
    return statement
