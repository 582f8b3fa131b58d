"""What the app asks of the database: transactions and statements, counted as SQLAlchemy runs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import event

from annotator.store.database.engine import WRITING
from annotator.store.store import Store


@dataclass
class Asked:
    """What was asked. reads, writes: transactions; statements: SQL without their BEGIN, in order."""

    reads: int = 0
    writes: int = 0
    statements: list[str] = field(default_factory=list)

    @property
    def selects(self) -> list[str]:
        return [each for each in self.statements if each.lstrip().upper().startswith(("SELECT", "WITH"))]


@contextmanager
def counted(store: Store) -> Iterator[Asked]:
    """Count what is asked of the store inside."""
    engine, found = store._database.engine, Asked()

    def begin(connection):
        if connection.get_execution_options().get(WRITING, False):
            found.writes += 1
        else:
            found.reads += 1

    def execute(_connection, _cursor, statement, _parameters, _context, _many):
        if not statement.startswith("BEGIN"):
            found.statements.append(statement)

    event.listen(engine, "begin", begin)
    event.listen(engine, "before_cursor_execute", execute)
    try:
        yield found
    finally:
        event.remove(engine, "begin", begin)
        event.remove(engine, "before_cursor_execute", execute)
