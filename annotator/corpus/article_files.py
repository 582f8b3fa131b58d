"""The files of a folder of articles, and the images beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from panelwise.domain import FormatError
from panelwise.files import find_file

#: Endings of files that may hold articles.
ARTICLES = (".xml", ".nxml", ".json")


def article_names(articles: Path, after: str = "") -> Iterator[str]:
    """Yield the names of article files relative to the folder `articles`, sorted by their parts.

    after: only names after this one. Of a single file yields its name. Raises FormatError if the path is missing.
    """
    if articles.is_file():
        yield from (name for name in (articles.name,) if name != after)
    elif articles.is_dir():
        yield from _names(articles, (), tuple(after.split("/")) if after else ())
    else:
        raise FormatError(f"{articles}: no such file or folder; name a folder of JATS or S2ORC files")


def _names(folder: Path, parts: tuple[str, ...], after: tuple[str, ...]) -> Iterator[str]:
    with os.scandir(folder) as entries:
        found = sorted((each.name, each.is_dir(follow_symlinks=False)) for each in entries)
    for name, is_folder in found:
        place = (*parts, name)
        if is_folder and place >= after[: len(place)]:
            yield from _names(folder / name, place, after)
        elif not is_folder and name.lower().endswith(ARTICLES) and place > after:
            yield "/".join(place)


def find_image(folder: str, graphic: str, note: Callable[[str], None] | None = None) -> str | None:
    """Return the image of a graphic, relative to the article's folder; None if it is not there.

    graphic: as articles name it: an address, or a name in any spelling, with or without an ending. note: see
    `find_file`. Raises FormatError if several files may be it.
    """
    found = find_file(folder, _local(graphic.replace("\\", "/")), note=note)
    return None if found is None else os.path.relpath(found, folder)


def _local(graphic: str) -> str:
    """Return where the image of a path or an address would lie, relative to the article's folder."""
    name = PurePosixPath(graphic.rpartition("://")[2] if "://" in graphic else graphic)
    if ":" in graphic or ".." in name.parts:
        return name.name
    # Of a place on another machine the last folder may have been copied along.
    return "/".join(name.parts[-2:]) if name.is_absolute() else str(name)
