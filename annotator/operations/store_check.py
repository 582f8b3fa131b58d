"""Check a campaign: its store, the store's images, and its releases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from annotator.campaign.home import Home
from annotator.gold.releases import changes, releases
from annotator.queue.ranking import score_disagreement
from annotator.store.maintenance.check import Checked, check_store
from annotator.store.maintenance.faults import Fault, Kind, limited
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
