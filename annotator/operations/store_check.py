"""Whether a campaign is whole: its store, the images that the store speaks of, and its releases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from annotator.gold.releases import changes, releases
from annotator.queue.ranking import score_disagreement
from annotator.store.maintenance.check import Checked, check_store
from annotator.store.maintenance.faults import Fault, Kind, limited
from panelwise.domain.errors import AnnotatorError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store

_MEND = "put the image back, or restore a backup"


def check_campaign(home: Home, *, hashes: bool = False, checked: Checked | None = None) -> Iterator[Fault]:
    """Everything that is wrong with the campaign's store, its images and releases. Nothing is changed.

    Images are those of all revisions: a figure may go back to an earlier one. hashes: read every image, and
    compare it with the one that was imported or released. checked: is told what there was. Raises StoreError where
    there is no store, or it cannot be reached.
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
    """Make the reviewers' queue anew of the work; returns how many figures were scored."""
    with store.transaction() as tx:
        tx.forget_queue()
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
            return f'the image of figure "{figure_id}" is empty'
        if not sha256:
            return ""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except AnnotatorError as error:
        return str(error)
    except OSError as error:
        return f'the image of figure "{figure_id}": {error.strerror}'
    return "" if digest == sha256 else f'figure "{figure_id}" was imported with another image'
