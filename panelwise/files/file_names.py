"""Names of files: found under any equivalent spelling, and as ids and paths in records.

Spellings differ in separators, a leading "./", Unicode composition, escapes, queries and fragments of addresses,
upper and lower case, and the ending of an image.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Generic, TypeVar
from urllib.parse import unquote

from panelwise.domain.errors import FormatError
from panelwise.files.image_bytes import IMAGE_FORMATS
from panelwise.files.jsonl import Problems

T = TypeVar("T")

#: Endings of images, in the order in which they are preferred where sizes don't differ.
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".webp", ".bmp", ".ppm")
#: Endings of images that a browser does not show, which a file of another ending may stand for.
_OTHER_IMAGES = (".eps", ".ps", ".pdf", ".svg", ".ai", ".emf", ".wmf", ".jp2", ".heic", ".avif")
#: An ending of some file: not the ".1" of "fig.1".
_QUERY = re.compile(r"[?#].*", re.DOTALL)
_ENDING = re.compile(r"(?<=[^/])\.[A-Za-z]\w{1,4}\Z")


def can_be_written(name: str, folder: Path, problems: Problems) -> bool:
    """Return whether a file's name is UTF-8 text, as records are; any other is a problem."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode("ascii", "backslashreplace").decode()
        problems.add(f"{folder}: the name of {shown} is not UTF-8; rename the file")
        return False
    return True


def plain_path(name: str) -> str:
    """Return a path with slashes, without "./", in composed Unicode: one name for one file on any system."""
    return PurePosixPath(unicodedata.normalize("NFC", name.replace("\\", "/"))).as_posix()


def without_ending(name: str) -> str:
    """Return an image's name, or path, without its ending, if it has one."""
    return _ENDING.sub("", name)


def id_of_image(image: str) -> str:
    """Return the id of a figure without one: its image's path, with slashes and without the ending."""
    return without_ending(PurePosixPath(image.replace("\\", "/")).as_posix())


def without_query(name: str) -> str:
    """Return a name or an address without query and fragment."""
    return _QUERY.sub("", name)


class NameIndex(Generic[T]):
    """Values by names of files, found under other spellings of them."""

    def __init__(self) -> None:
        self._values: dict[str, list[tuple[str, T]]] = {}

    def add(self, name: str, value: T) -> None:
        """Add a value under a name."""
        self._values.setdefault(folded_path(name), []).append((plain_path(name), value))

    def every(self, name: str) -> Sequence[T]:
        """Return the values under all spellings of a name."""
        return [value for _, value in self._values.get(folded_path(name), ())]

    def find(self, name: str) -> tuple[T, ...]:
        """Return the values of a name: those under this spelling, else those under others; each once."""
        there, plain = self._values.get(folded_path(name), ()), plain_path(name)
        same = [value for spelling, value in there if spelling == plain]
        return tuple(dict.fromkeys(same or self.every(name)))


def folded_path(name: str) -> str:
    """Return what all spellings of a path have in common."""
    return plain_path(unquote(name).replace("+", " ")).casefold()


def find_file(
    folder: Path | str,
    name: str,
    endings: Sequence[str] = IMAGE_ENDINGS,
    *,
    note: Callable[[str], None] | None = None,
) -> Path | None:
    """Return the file of a folder or its subfolders that has a name under any spelling; None without one.

    name: a relative path, with an ending, another one or none. endings: those that may take the place of another
    or a missing one. Of images that differ in their endings the largest is returned; note is called with a line
    that names them. Raises FormatError if several files fit otherwise. Leaves the folder by its links only.
    """
    found = _find(Path(folder), name, endings, note)
    bare = without_query(name)
    return _find(Path(folder), bare, endings, note) if found is None and bare != name else found


def _find(path: Path, name: str, endings: Sequence[str], note: Callable[[str], None] | None) -> Path | None:
    *inner, last = plain_path(name).split("/")
    if not last.strip(".") or ".." in inner or "" in inner:
        return None
    if os.path.isfile(os.path.join(path, name)):
        return path / name
    for part in inner:
        folders = [
            each for each in _entries(path).find(without_ending(part)) if folded_path(each) == folded_path(part)
        ]
        if not folders:
            return None
        path /= _only(folders, name, path)
    there = _entries(path)
    bases = dict.fromkeys((last, without_ending(last)))
    files = [each for base in bases for each in there.every(base) if os.path.isfile(path / each)]
    for spelled in (plain_path, folded_path):
        same = [file for file in files if spelled(file) == spelled(last)]
        if same:
            return path / _only(same, name, path)
    if PurePosixPath(last).suffix.lower() not in (*endings, *_OTHER_IMAGES):
        bases = {last: None}
    for base in bases:
        images = [each for each in there.every(base) if each in files and each.lower().endswith(tuple(endings))]
        images = [image for image in images if plain_path(without_ending(image)) == base] or images
        if len({without_ending(image) for image in images}) > 1:
            _only(images, name, path)
        if images:
            chosen = largest([path / image for image in images])
            if len(images) > 1 and note is not None:
                these = " or ".join(sorted(images))
                note(f'"{name}" may be {these} in {path}; took {chosen.name}, the larger image')
            return chosen
    return None


def image_path(folder: Path, name: str, note: Callable[[str], None] | None = None) -> Path:
    """Return the image of a folder that a record names, as `find_file` does; else the place where it should be."""
    return find_file(folder, name, note=note) or folder / name


def largest(images: Sequence[Path]) -> Path:
    """Return the image with the most pixels; of equal ones, the first by IMAGE_ENDINGS."""
    if len(images) == 1:
        return images[0]
    return max(images, key=lambda image: (_pixels(image), -_rank(image)))


def pixel_size(image: Path) -> tuple[int, int]:
    """Return width and height by an image's header; 0, 0 if it can't be read."""
    from PIL import Image

    try:
        with Image.open(image, formats=IMAGE_FORMATS) as opened:
            return opened.size
    except Exception:  # Pillow's readers of damaged files raise anything
        return 0, 0


def _pixels(image: Path) -> int:
    width, height = pixel_size(image)
    return width * height


def _rank(image: Path) -> int:
    ending = image.suffix.lower()
    return IMAGE_ENDINGS.index(ending) if ending in IMAGE_ENDINGS else len(IMAGE_ENDINGS)


def _only(names: Sequence[str], name: str, folder: Path) -> str:
    if len(names) > 1:
        raise FormatError(
            f'"{name}" may be any of {", ".join(sorted(names))} in {folder}; name one exactly, or remove others'
        )
    return names[0]


def _entries(folder: Path) -> NameIndex[str]:
    """Return the names in a folder by their names without ending, none if it can't be read."""
    try:
        return _listed(folder, os.stat(folder).st_mtime_ns)
    except OSError:
        return NameIndex()


@lru_cache(maxsize=8)
def _listed(folder: Path, _changed: int) -> NameIndex[str]:
    names = NameIndex[str]()
    with os.scandir(folder) as entries:
        for entry in entries:
            names.add(without_ending(entry.name), entry.name)
    return names
