"""Damage done to a store past everything that guards it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from sqlalchemy import text

from annotator.store.store import Store


def spoil(store: Store, *statements: str) -> None:
    """Run statements as somebody with the database's own tools might who switches off what is in the way."""
    file = store._database.file
    if file is None:
        with store.transaction() as tx:
            # No triggers and no foreign keys for this transaction.
            tx.figures._write(text("SET LOCAL session_replication_role = replica"))
            for statement in statements:
                tx.figures._write(text(statement))
        return
    with closing(sqlite3.connect(file)) as plain, plain:
        triggers = plain.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name NOT LIKE 'queue%'"
        ).fetchall()
        for name, _ in triggers:
            plain.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            plain.execute(statement)
        for _, sql in triggers:
            plain.execute(sql)
