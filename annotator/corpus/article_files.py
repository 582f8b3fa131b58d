"""The files of a folder of articles, and the images beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath

from panelwise.domain.errors import FormatError

#: Endings of files that may hold articles.
ARTICLES = (".xml", ".nxml", ".json")
#: Endings of images that `annotator import figures` reads, in the order in which they are preferred.
IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".webp", ".bmp")

#: Names of a folder in memory at most; larger folders are asked for each image.
_MOST_LISTED = 10_000


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


class Images:
    """The images beside the articles of a folder, whose names are listed once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names: dict[str, frozenset[str] | None] = {}

    def find(self, graphic: str) -> str | None:
        """Return the image of a graphic, relative to the folder; None if it is not there.

        graphic: as articles name it: an address, or a name with or without an ending, which another format's may
        replace.
        """
        local = graphic if "/" not in graphic and ":" not in graphic else _local(graphic)
        inner, slash, name = local.rpartition("/")
        if inner not in self._names:
            self._names[inner] = _listed(os.path.join(self._folder, inner))
        there = self._names[inner]
        if there is not None and not there:
            return None
        stem, _, ending = name.rpartition(".")
        known = f".{ending.lower()}" in IMAGES
        stems = [name, stem] if known else [name]
        candidates = [name] * known + [each + image for each in stems for image in IMAGES]
        for each in candidates:
            found = inner + slash + each
            if (there is None or each in there) and os.path.isfile(os.path.join(self._folder, found)):
                return found
        return None


def _local(graphic: str) -> str:
    """Return where the image of a path or an address would lie, relative to the article's folder."""
    name = PurePosixPath(graphic.rpartition("://")[2] if "://" in graphic else graphic)
    if ":" in graphic or ".." in name.parts:
        return name.name
    # Of a place on another machine the last folder may have been copied along.
    return "/".join(name.parts[-2:]) if name.is_absolute() else str(name)


def _listed(folder: str) -> frozenset[str] | None:
    """Return the names in a folder, which is quicker than asking for each; None if there are too many to keep."""
    try:
        return _names_of(folder, os.stat(folder).st_mtime_ns)
    except OSError:
        return frozenset()


@lru_cache(maxsize=8)
def _names_of(folder: str, _changed: int) -> frozenset[str] | None:
    with os.scandir(folder) as entries:
        names = frozenset(each.name for each in islice(entries, _MOST_LISTED + 1))
    return names if len(names) <= _MOST_LISTED else None
