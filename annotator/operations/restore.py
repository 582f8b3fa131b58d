"""Restore a campaign home from a backup, completely or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.operations.backup_file import Backup, open_backup
from annotator.store.database.schema import check_revision
from annotator.store.maintenance.copy import copy_between
from annotator.store.maintenance.snapshot import look_into
from panelwise.domain import AnnotatorError, FormatError
from panelwise.runtime import put_folder, restoring, scratch_folder
from panelwise.settings import FILE_NAME, read_campaign, with_store_url

#: Files that only their owner may read, with any umask.
_PRIVATE = ("secret.key", "label-studio/credentials.json", "label-studio/label_studio.sqlite3", "store.sqlite")


@dataclass(slots=True)
class Restored:
    """The progress of restoring. manifest: of the backup."""

    manifest: dict[str, Any]
    total: int
    files: int = 0
    tables: int = 0


def check_backup(path: Path) -> Iterator[Restored]:
    """Compare every file of a backup with the manifest; yields after each file. Raises FormatError."""
    with open_backup(path) as backup:
        done = Restored(backup.manifest, len(backup.files))
        for name in backup.files:
            for _ in backup.read(name):
                pass
            done.files += 1
            yield done


def restore(path: Path, folder: Path, *, store_url: str = "") -> Iterator[Restored]:
    """Restore a campaign home to `folder`, which is empty or doesn't exist; yields after each file.

    store_url: an empty database for the store, entered in campaign.toml; "" for a file of the home. Everything is
    compared before the home is created. Raises FormatError for a damaged backup, StoreError for an unusable store,
    AnnotatorError if `folder` is not empty.
    """
    folder = folder.absolute()
    _check_vacant(folder)
    url = _chosen(store_url)
    with open_backup(path) as backup:
        done = Restored(backup.manifest, len(backup.files))
        _check_space(backup, folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with scratch_folder(folder.parent, restoring(folder)) as making:
            for name in backup.files:
                _unpack(backup, name, making)
                done.files += 1
                yield done
            store = making / "store.sqlite"
            check_revision(look_into(store, f"{path}: store.sqlite").revision, f"{path}: store.sqlite")
            _place_guidelines(making)
            settings = making / FILE_NAME
            text = with_store_url(settings.read_text(encoding="utf-8"), store_url or None, f"{path}: {FILE_NAME}")
            settings.write_text(text, encoding="utf-8")
            if url:
                for _ in copy_between(store, url):
                    done.tables += 1
                    yield done
                store.unlink()
            if folder.exists():
                folder.rmdir()
            put_folder(making, folder)
    yield done


def _chosen(store_url: str) -> str:
    """Return the URL of the restored campaign's store, "" for a file of its home."""
    set_here = os.environ.get("PANELWISE_STORE_URL", "")
    if store_url and set_here not in ("", store_url):
        raise AnnotatorError(
            "PANELWISE_STORE_URL names another store than --store and takes precedence; remove one of the two"
        )
    return store_url or set_here


def _check_vacant(folder: Path) -> None:
    if folder.is_dir():
        if any(folder.iterdir()):
            raise AnnotatorError(f"{folder}: is not empty; name a new folder")
    elif folder.exists() or folder.is_symlink():
        raise AnnotatorError(f"{folder}: exists and is not a folder; name a new folder")


def _check_space(backup: Backup, folder: Path) -> None:
    above = next(parent for parent in folder.parents if parent.is_dir())
    free, needed = shutil.disk_usage(above).free, sum(backup.files.values())
    if needed > free:
        raise AnnotatorError(
            f"{above}: {needed / 1e6:.0f} MB needed, {free / 1e6:.0f} MB free; free space, then try again"
        )


def _unpack(backup: Backup, name: str, making: Path) -> None:
    place = making / name
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o600 if name in _PRIVATE else 0o644
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        for part in backup.read(name):
            file.write(part)


def _place_guidelines(making: Path) -> None:
    """Move the guidelines to the path in campaign.toml; other files of their folder are not the campaign's."""
    packed = making / "guidelines"
    if not packed.exists():
        return
    name = read_campaign(making / FILE_NAME).campaign.guideline_file
    source, place = packed / name, making / name
    aside = making / ".guidelines"
    packed.rename(aside)
    source = aside / name
    if source.is_file():
        if place.exists():
            raise FormatError(
                f"{name}: the guidelines would overwrite another file; use an intact copy of the backup"
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        source.rename(place)
    shutil.rmtree(aside)
