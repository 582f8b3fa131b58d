"""Upgrade a campaign's store to this version of the program."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from annotator.store.database.engine import open_database
from annotator.store.database.errors import explained
from annotator.store.database.schema import bring_up_to_date, check_revision, revision_of
from annotator.store.database.tables import HEAD


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The result of an upgrade. before, after: revisions of the tables. where: the store's name in messages."""

    where: str
    before: str
    after: str = HEAD

    @property
    def done(self) -> bool:
        """Return whether the upgrade changed the revision."""
        return self.before != self.after


def upgrade_store(location: str | Path, *, only_look: bool = False) -> Upgrade:
    """Upgrade the store at a URL or in a file, in one transaction. only_look: report only, change nothing.

    Raises StoreError if there is no store, it can't be reached, or it has a newer version.
    """
    with closing(open_database(location, create=False)) as database:
        with explained(database.where), database.engine.connect() as connection, connection.begin():
            before = revision_of(connection)
        if before is not None and only_look:
            check_revision(before, database.where)
        else:
            bring_up_to_date(database, create=False)
            database.prepare_file()
        return Upgrade(database.where, before or HEAD)
