"""Folders in which commands prepare something, and what a killed command leaves of them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from panelwise.runtime.atomic_write import PARTIAL

#: Beginnings of the names of such folders: of an import, a backup and a release in the making.
UNPACKED, BACKUP, MAKING = ".unpacked-", ".backup-", ".making-"
_RESTORING = ".restoring-"


def restoring(folder: Path) -> str:
    """Return the beginning of the names of folders beside `folder` in which it is restored."""
    return f".{folder.name[:60]}{_RESTORING}"


def is_unfinished(name: str) -> bool:
    """Return whether a file or folder of this name is one that a command prepares, or left when it was killed."""
    restored = name.startswith(".") and _RESTORING in name
    return name.startswith((UNPACKED, BACKUP, MAKING)) or restored or PARTIAL.fullmatch(name) is not None


def folders_called(place: Path, beginning: str) -> list[Path]:
    """Return the folders in `place` whose names have this beginning, in order."""
    return sorted(each for each in place.iterdir() if each.name.startswith(beginning) and each.is_dir())


@contextmanager
def scratch_folder(place: Path, beginning: str) -> Iterator[Path]:
    """Make a private folder in `place`, removed at the end unless it was renamed.

    Removes those with the same beginning that killed commands left: nobody holds their locks.
    """
    for left in folders_called(place, beginning):
        _remove_left(left)
    folder = Path(tempfile.mkdtemp(dir=place, prefix=beginning))
    lock = os.open(folder, os.O_RDONLY)
    try:
        _lock(lock)
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left(folder: Path) -> None:
    with suppress(OSError):  # in use, gone meanwhile, or of another user
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            # Another command may have made it just now, and not locked it yet.
            if os.listdir(handle):
                _lock(handle)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)


def _lock(handle: int) -> None:
    """Lock an open folder. Raises BlockingIOError if another process has locked it."""
    import fcntl  # Windows has none

    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
