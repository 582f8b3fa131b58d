"""Upgrade a campaign's store to this version of the program."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotator.store.database.engine import open_database
from annotator.store.database.errors import explained
from annotator.store.database.schema import bring_up_to_date, check_revision, revision_of
from annotator.store.database.tables import HEAD
from annotator.store.maintenance.snapshot import save_before_upgrade, saved_copy


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The result of an upgrade. before, after: revisions of the tables. where: the store's name in messages.

    copy: the store as it was, or as it will be saved.
    """

    where: str
    before: str
    copy: Path | None
    after: str = HEAD

    @property
    def done(self) -> bool:
        """Return whether the upgrade changed the revision."""
        return self.before != self.after


def upgrade_store(location: str | Path, copies: Path, *, only_look: bool = False) -> Upgrade:
    """Upgrade the store at a URL or in a file, in one transaction. only_look: report only, change nothing.

    copies: the folder for the copy of a server's store, which is saved first; that of a file is beside it. Raises
    StoreError if there is no store, it can't be reached or copied, or it has a newer version.
    """
    with closing(open_database(location, create=False)) as database:
        with explained(database.where), database.engine.connect() as connection, connection.begin():
            before = revision_of(connection)
        if before is not None and only_look:
            check_revision(before, database.where)
        else:
            save = partial(save_before_upgrade, database, location, copies)
            bring_up_to_date(database, create=False, save=save)
            database.prepare_file()
        return Upgrade(database.where, before or HEAD, saved_copy(database, copies))
