"""What somebody who watches the server asks of the store: totals, its revision, its engine and its clock."""

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
    tasks,
)
from annotator.store.database.values import to_time
from annotator.store.queries.tasks import submitted
from annotator.store.rows.mapping import REOPENED
from annotator.store.rows.records import Totals
from annotator.store.rows.statements import Queries

_VERSION = select(text("version_num")).select_from(text(VERSION_TABLE))


class StatusQueries(Queries):
    """Counts over the whole campaign that name nobody, and facts about the database."""

    def totals(self, now: datetime) -> Totals:
        """How much of everything there is; leases by the clock given. Reads every row of the larger tables."""
        adjudicated = self._rows(
            select(decisions.c.status, func.count().label("count"))
            .where(decisions.c.status != REOPENED)
            .group_by(decisions.c.status)
        )
        return Totals(
            figures=self._count(_rows_of(figures)),
            annotations=self._count(_rows_of(annotation_table)),
            decisions={row["status"]: int(row["count"]) for row in adjudicated},
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
        """The revision of the tables as they are now; a program upgraded meanwhile may have made it another."""
        return str(self._scalar(_VERSION))

    def schema_is_current(self) -> bool:
        """Whether the tables are those that this program knows."""
        return self.schema_revision() == HEAD

    def engine(self) -> tuple[str, tuple[int, ...]]:
        """The database's program and its version: ("PostgreSQL", (17, 2))."""
        if self._session.connection.dialect.name == "sqlite":
            found, name = str(self._scalar(select(func.sqlite_version()))), "SQLite"
        else:
            found, name = str(self._scalar(select(func.current_setting("server_version")))), "PostgreSQL"
        return name, tuple(int(part) for part in found.split()[0].split(".") if part.isdigit())

    def clock(self) -> datetime:
        """What the database's clock says; SQLite's is that of this machine."""
        if self._session.connection.dialect.name == "sqlite":
            return datetime.now(UTC)
        seconds = self._scalar(select(func.extract("epoch", func.clock_timestamp())))
        return datetime.fromtimestamp(float(seconds), UTC)

    def _count(self, statement: Select[Any]) -> int:
        return int(self._scalar(statement) or 0)


def _rows_of(table: Table) -> Select[Any]:
    return select(func.count()).select_from(table)
