"""Check a campaign's store, images and releases; repair its queue, and upgrade its store to this version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotator.campaign.home import Home
from annotator.gold.releases import changes, releases
from annotator.queue.ranking import score_disagreement
from annotator.store.database.engine import open_database
from annotator.store.database.errors import explained
from annotator.store.database.schema import bring_up_to_date, check_revision, revision_of
from annotator.store.database.tables import HEAD
from annotator.store.maintenance.check import Checked, Fault, Kind, check_store, limited
from annotator.store.maintenance.snapshot import save_before_upgrade, saved_copy
from annotator.store.store import Store
from panelwise.domain import AnnotatorError

_MEND = "restore the image, or a backup"


def check_campaign(home: Home, *, hashes: bool = False, checked: Checked | None = None) -> Iterator[Fault]:
    """Yield all faults of the campaign's store, images and releases. Nothing is changed.

    Images of all revisions are checked, because a figure may return to an earlier one. hashes: whether to compare
    every image with the hash of the imported or released one. checked: filled with what was checked. Raises
    StoreError if there is no store or it can't be reached.
    """
    checked = checked or Checked()
    yield from check_store(home.store_location, checked)
    yield from limited(_of_images(home, checked.images, hashes))
    yield from limited(_of_releases(home, hashes))


def _of_releases(home: Home, hashes: bool) -> Iterator[Fault]:
    for release in releases(home):
        for line in changes(release, images=hashes):
            yield Fault(Kind.FILE, f"releases {release.path.name}", line)


def repair_queue(home: Home, store: Store) -> int:
    """Rebuild the reviewers' queue from the work; returns the number of scored figures."""
    with store.transaction() as tx:
        tx.queue.clear()
    return score_disagreement(store, home.campaign)


def _of_images(home: Home, images: dict[str, tuple[str, str]], hashes: bool) -> Iterator[Fault]:
    for image, (figure_id, sha256) in images.items():
        message = _wrong_with(home, image, figure_id, sha256 if hashes else "")
        if message:
            # Faults of one folder are limited together.
            yield Fault(Kind.IMAGE, f"images {image.removeprefix('images/')}", f"{message}; {_MEND}")


def _wrong_with(home: Home, image: str, figure_id: str, sha256: str) -> str:
    try:
        path = home.image_file(image, figure_id)
        if not path.stat().st_size:
            return f'image of figure "{figure_id}" is empty'
        if not sha256:
            return ""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except AnnotatorError as error:
        return str(error)
    except OSError as error:
        return f'image of figure "{figure_id}": {error.strerror}'
    return "" if digest == sha256 else f'image of figure "{figure_id}" differs from the imported one'


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
