"""Protect a campaign's own files from being overwritten by an output option."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from panelwise.domain import AnnotatorError
from panelwise.settings import FILE_NAME

if TYPE_CHECKING:
    from annotator.campaign.home import Home

_STORE = "store.sqlite"
#: Suffixes of SQLite's additional files.
_BESIDE_STORE = ("", "-wal", "-shm", "-journal")
_KEPT = (
    FILE_NAME,
    "secret.key",
    "up.json",
    "images",
    "thumbnails",
    "releases",
    "label-studio",
    *(_STORE + ending for ending in _BESIDE_STORE),
)


def refuse_protected(path: Path | None, home: Home | None = None) -> None:
    """Raise AnnotatorError if an output path is, or is inside, one of a campaign's own files. None is allowed.

    home: the current campaign, whose store may be elsewhere; any other home that contains `path` is checked too.
    Links and ".." are resolved. Other files in a home are allowed.
    """
    if path is None:
        return
    # As typed and resolved, because either may lead into a home.
    places = {Path(os.path.abspath(path)), Path(os.path.realpath(path))}
    above = {folder for place in places for folder in (place, *place.parents)}
    for kept in (*(_protected_in(home) if home is not None else ()), *_protected_around(above)):
        if any(_is_one(folder, kept) for folder in above):
            raise AnnotatorError(
                f"{path}: would overwrite the campaign's own files ({kept}); name another file or folder"
            )


def _protected_around(folders: set[Path]) -> Iterator[Path]:
    for folder in sorted(folders):
        if (folder / FILE_NAME).is_file():
            yield from (folder / name for name in _KEPT)


def _protected_in(home: Home) -> Iterator[Path]:
    yield from (home.path / name for name in _KEPT)
    location = str(home.store_location)
    if location.startswith("sqlite:///"):
        file = location.removeprefix("sqlite:///").partition("?")[0]
        yield from (Path(file + ending) for ending in _BESIDE_STORE if file)


def _is_one(path: Path, kept: Path) -> bool:
    """Return whether both paths are the same file, also by links, hard links or case-insensitive names."""
    if path == Path(os.path.realpath(kept)) or path == Path(os.path.abspath(kept)):
        return True
    try:
        return path.samefile(kept)
    except OSError:
        return False
