"""What the stores of all tests share: a migrated SQLite file, which costs 60 ms, and compiled statements."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.util import LRUCache

from annotator.store import store
from annotator.store.database.engine import Database
from annotator.store.database.schema import bring_up_to_date


def copy_template(template: Path, patch: pytest.MonkeyPatch) -> None:
    """Begin every SQLite store that this process makes as a copy of `template`, which the first one makes.

    The program then checks the copy as it checks any store; one that exists and PostgreSQL's are upgraded as ever.
    After that all stores share compiled statements: each test opens one, and would compile them anew. They are
    kept by dialect, so those of one kind count as equal.
    """
    compiled: dict[type, LRUCache[Any, Any]] = {}

    def copied_first(database: Database, *, create: bool, save: Callable[[], object]) -> None:
        if create and database.file is not None and not database.file.exists():
            if not template.exists():
                _make(template)
            shutil.copyfile(template, database.file)
        # Statements of migrations hold the connection that they reflected tables by: those are not shared.
        bring_up_to_date(database, create=create, save=save)
        kind = type(database.engine.dialect)
        if kind not in compiled:
            compiled[kind] = LRUCache(5_000)
            patch.setattr(kind, "__eq__", lambda one, other: type(one) is type(other))
            patch.setattr(kind, "__hash__", lambda one: hash(type(one)))
        database.engine._compiled_cache = compiled[kind]

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
