"""Bringing a campaign's store up to this program, and telling what became of it."""

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
    """The revision of the store's tables before and after, and the store as messages name it."""

    where: str
    before: str
    after: str = HEAD

    @property
    def done(self) -> bool:
        """Whether anything was to be done."""
        return self.before != self.after


def upgrade_store(location: str | Path, *, only_look: bool = False) -> Upgrade:
    """Upgrade the store at that URL or in that file, in one transaction; only_look: leave it as it is.

    Raises StoreError where there is no store, it cannot be reached, or a newer program made it.
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
