"""Create and upgrade a database's tables. Safe with several processes at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from annotator.store.database.engine import WRITING, Database
from annotator.store.database.errors import explained, quoted
from annotator.store.database.tables import HEAD, VERSION_TABLE, metadata
from panelwise.domain import StoreError, one_line

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent.parent / "migrations"


def bring_up_to_date(database: Database, *, create: bool, save: Callable[[], object]) -> None:
    """Create the tables (`create`) or upgrade older ones; nothing if they are up to date.

    save: saves a copy of an older store; called before anything is changed, while other writers wait. Raises
    StoreError if there are no tables and `create` is false, or if a newer program created them.
    """
    where = database.where
    with explained(where), database.engine.connect() as connection, connection.begin():
        if revision_of(connection) == HEAD:
            return
    with (
        explained(where),
        database.engine.connect().execution_options(**{WRITING: True}) as connection,
        connection.begin(),
    ):
        # Asked again: another process may have done it while this one waited for the lock.
        revision = revision_of(connection)
        if revision == HEAD:
            return
        if revision is None:
            check_vacant(connection, where, create=create)
        else:
            check_revision(revision, where)
            save()
        _upgrade(connection, where)


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the tables, None if there are none."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return None if found is None else str(found)


def check_revision(revision: str, where: str) -> None:
    """Raise StoreError for a revision that this program does not know: of a newer one."""
    if revision not in schema_revisions():
        raise StoreError(
            f"{where}: a newer Panelwise made this store (revision {quoted(revision)}, this program knows "
            f"up to {HEAD}); upgrade Panelwise"
        )


def check_vacant(connection: Connection, where: str, *, create: bool) -> None:
    """Raise StoreError unless a store may be created in this database, which has none."""
    if not create:
        raise StoreError(f'{where}: this database holds no Panelwise store; make one with "annotator init"')
    taken = sorted(set(inspect(connection).get_table_names()) & set(metadata.tables))
    if taken:
        raise StoreError(
            f"{where}: another program's table {quoted(taken[0])} is in this database; give a database of its own"
        )


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's configuration without a file; `env.py` works on the given connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def schema_revisions() -> set[str]:
    """Return the revisions that this program can upgrade from or is at."""
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()}


def make_tables(connection: Connection, where: str, revision: str) -> None:
    """Create the tables of a revision that this program knows."""
    check_revision(revision, where)
    _upgrade(connection, where, revision)


def _upgrade(connection: Connection, where: str, revision: str = "head") -> None:
    from alembic import command
    from alembic.util.exc import CommandError

    try:
        command.upgrade(alembic_config(connection), revision)
    except CommandError as error:
        raise StoreError(f"{where}: the upgrade failed ({one_line(error)}); reinstall Panelwise") from error
