"""New SQLite stores of the tests are copies of one that was migrated once: migrating each costs 60 ms."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from annotator.store import store
from annotator.store.database.engine import Database
from annotator.store.database.schema import bring_up_to_date


def copy_template(template: Path, patch: pytest.MonkeyPatch) -> None:
    """Begin every SQLite store that this process makes as a copy of `template`, which the first one makes.

    The program then checks the copy as it checks any store; one that exists and PostgreSQL's are upgraded as ever.
    """

    def copied_first(database: Database, *, create: bool) -> None:
        if create and database.file is not None and not database.file.exists():
            if not template.exists():
                _make(template)
            shutil.copyfile(template, database.file)
        bring_up_to_date(database, create=create)

    patch.setattr(store, "bring_up_to_date", copied_first)


def run_migrations(patch: pytest.MonkeyPatch) -> None:
    """Make stores as the program does."""
    patch.setattr(store, "bring_up_to_date", bring_up_to_date)


def _make(template: Path) -> None:
    """An empty store made by the program's own migrations, whole in one file."""
    with pytest.MonkeyPatch.context() as patch:
        run_migrations(patch)
        store.Store.open(template, create=True).close()
    assert not template.with_name(f"{template.name}-wal").exists(), "part of the template is still in its log"
