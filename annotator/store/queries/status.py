"""Values for monitoring: totals, the tables' revision, the database's version and clock; and named settings."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, Table, func, not_, select, text

from annotator.store.database.tables import (
    HEAD,
    VERSION_TABLE,
    annotation_table,
    decisions,
    figures,
    leases,
    people,
    queue,
    settings,
    tasks,
)
from annotator.store.database.values import to_time
from annotator.store.queries.tasks import submitted
from annotator.store.rows.mapping import REOPENED
from annotator.store.rows.records import Totals
from annotator.store.rows.statements import Queries

_VERSION = select(text("version_num")).select_from(text(VERSION_TABLE))


class StatusQueries(Queries):
    """Counts over the whole campaign, without names, and facts about the database."""

    def totals(self, now: datetime) -> Totals:
        """Return the totals; `now` decides which leases are current. Reads every row of the larger tables."""
        by_status = self._rows(
            select(decisions.c.status, func.count().label("count"))
            .where(decisions.c.status != REOPENED)
            .group_by(decisions.c.status)
        )
        return Totals(
            figures=self._count(_rows_of(figures)),
            annotations=self._count(_rows_of(annotation_table)),
            decisions={row["status"]: int(row["count"]) for row in by_status},
            reopenings=self._count(select(func.count()).where(decisions.c.status == REOPENED)),
            queue=self._count(_rows_of(queue)),
            decided=self._count(_rows_of(queue).where(queue.c.decided)),
            tasks=self._count(_rows_of(tasks)),
            tasks_open=self._count(_rows_of(tasks).where(not_(submitted()))),
            people=self._count(_rows_of(people)),
            reviewers_at_work=self._count(
                select(func.count(leases.c.reviewer.distinct())).where(leases.c.until > to_time(now))
            ),
        )

    def schema_revision(self) -> str:
        """Return the tables' current revision; a newer program may have upgraded them meanwhile."""
        return str(self._scalar(_VERSION))

    def schema_is_current(self) -> bool:
        """Return True if the tables have the revision of this program."""
        return self.schema_revision() == HEAD

    def engine(self) -> tuple[str, tuple[int, ...]]:
        """Return the database's name and version: ("PostgreSQL", (17, 2))."""
        if self._session.connection.dialect.name == "sqlite":
            found, name = str(self._scalar(select(func.sqlite_version()))), "SQLite"
        else:
            found, name = str(self._scalar(select(func.current_setting("server_version")))), "PostgreSQL"
        return name, tuple(int(part) for part in found.split()[0].split(".") if part.isdigit())

    def clock(self) -> datetime:
        """Return the database's time; SQLite's is that of this machine."""
        if self._session.connection.dialect.name == "sqlite":
            return datetime.now(UTC)
        seconds = self._scalar(select(func.extract("epoch", func.clock_timestamp())))
        return datetime.fromtimestamp(float(seconds), UTC)

    def _count(self, statement: Select[Any]) -> int:
        return int(self._scalar(statement) or 0)


def _rows_of(table: Table) -> Select[Any]:
    return select(func.count()).select_from(table)


class SettingQueries(Queries):
    """Values by name."""

    def get(self, name: str) -> str | None:
        """Return the value with this name, None if there is none."""
        row = self._first(select(settings.c.value).where(settings.c.name == name))
        return None if row is None else row["value"]

    def put(self, name: str, value: str) -> None:
        """Store a value under a name."""
        self._put(settings, {"name": name}, {"value": value})
