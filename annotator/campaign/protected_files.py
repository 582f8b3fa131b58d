"""What a campaign keeps in its home, and that no command may write over when it is told where to write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from panelwise.domain.errors import AnnotatorError
from panelwise.settings.campaign_toml import FILE_NAME

if TYPE_CHECKING:
    from annotator.campaign.home import Home

_STORE = "store.sqlite"
#: What SQLite puts beside its file.
_BESIDE_STORE = ("", "-wal", "-shm", "-journal")
_KEPT = (
    FILE_NAME,
    "secret.key",
    "images",
    "thumbnails",
    "releases",
    "label-studio",
    *(_STORE + ending for ending in _BESIDE_STORE),
)


def refuse_protected(path: Path | None, home: Home | None = None) -> None:
    """Refuse a file or folder to write to that is, or lies in, what a campaign keeps. None is let pass.

    home: the campaign at hand, whose store may lie elsewhere; every other home that `path` lies in is looked at
    too. Links and ".." are followed. Other files in a home are let pass. Raises AnnotatorError, one line.
    """
    if path is None:
        return
    # As it is typed and as it is: either may be what leads into a home.
    places = {Path(os.path.abspath(path)), Path(os.path.realpath(path))}
    above = {folder for place in places for folder in (place, *place.parents)}
    for kept in (*(_kept_by(home) if home is not None else ()), *_kept_around(above)):
        if any(_is_one(folder, kept) for folder in above):
            raise AnnotatorError(
                f"{path}: would overwrite what the campaign keeps ({kept}); name a file or folder outside of that"
            )


def _kept_around(folders: set[Path]) -> Iterator[Path]:
    for folder in sorted(folders):
        if (folder / FILE_NAME).is_file():
            yield from (folder / name for name in _KEPT)


def _kept_by(home: Home) -> Iterator[Path]:
    yield from (home.path / name for name in _KEPT)
    location = str(home.store_location)
    if location.startswith("sqlite:///"):
        file = location.removeprefix("sqlite:///").partition("?")[0]
        yield from (Path(file + ending) for ending in _BESIDE_STORE if file)


def _is_one(path: Path, kept: Path) -> bool:
    """Whether both are one place, be it by another name: a link, a hard link, capitals that do not count."""
    if path == Path(os.path.realpath(kept)) or path == Path(os.path.abspath(kept)):
        return True
    try:
        return path.samefile(kept)
    except OSError:
        return False
