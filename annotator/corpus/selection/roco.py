"""The lists of ROCO's release: captions, download links and licences of its images, told apart by content.

`captions.txt` has "ROCO_1<tab>caption", `dlinks.txt` "ROCO_1<tab>wget ... PMC123.tar.gz ...<tab>image.jpg"; tables
have `id,name,caption` (`radiologytraindata.csv`) or `ROCO_ID,PMC_ID,CC` (`licences.txt`), with images named
PMC123_image.jpg. Source: Pelka et al. 2018, and the release's `fetch.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from panelwise.domain import FormatError
from panelwise.files import Problems, is_table, open_input, read_table

_PACKAGE = re.compile(r"/(PMC\d+)\.tar\.gz\b")
_NAMED = re.compile(r"(PMC\d+)_(.+)")
_ENTRY = re.compile(r"[^\t]*\S[^\t]*\t")
#: Columns of ROCO's tables, in lower case.
_CAPTIONS_TABLE, _LICENCES_TABLE = {"id", "name", "caption"}, {"roco_id", "pmc_id", "cc"}
#: Endings of files that are looked into below a folder.
_ENDINGS = (".txt", ".csv")


@dataclass(frozen=True, slots=True)
class RocoEntry:
    """A line on an image. roco_id: its name in ROCO. pmcid, image, caption: "" where the list does not say."""

    roco_id: str
    pmcid: str = ""
    image: str = ""
    caption: str = ""


def roco_lists(path: Path) -> list[Path]:
    """Return a list itself, or those below a folder, in the order of their names.

    Raises FormatError for a folder without any.
    """
    if not path.is_dir():
        return [path]
    below = (each for each in sorted(path.rglob("*")) if each.suffix.lower() in _ENDINGS and each.is_file())
    lists = [each for each in below if is_roco(each)]
    if not lists:
        raise FormatError(f"{path}: holds no list of ROCO's (captions.txt, dlinks.txt); name a file")
    return lists


def is_roco(path: Path) -> bool:
    """Return whether a file is one of ROCO's lists, by its first line. Raises FormatError if it is no text."""
    first = _first_line(path)
    return bool(_ENTRY.match(first)) or _columns(first) in (_CAPTIONS_TABLE, _LICENCES_TABLE)


def read_roco(path: Path, problems: Problems) -> Iterator[RocoEntry]:
    """Yield the entries of a list; a line of another form is a problem. Raises FormatError if it is no text."""
    if is_table(path) or _columns(_first_line(path)) == _LICENCES_TABLE:
        yield from _rows(path, problems)
        return
    lines = _text(path).split("\n")
    for number, line in enumerate(lines, start=1):
        roco_id, tab, rest = line.rstrip("\r").partition("\t")
        if not tab:
            if line.strip():
                problems.add(f"{path}:{number}: has no tab between ROCO's id and the rest; write them in a line")
            continue
        package = _PACKAGE.search(rest)
        if package is None:
            yield RocoEntry(roco_id.strip(), caption=rest.strip())
        else:
            yield RocoEntry(roco_id.strip(), package[1], rest.rpartition("\t")[2].strip())


def _rows(path: Path, problems: Problems) -> Iterator[RocoEntry]:
    table = read_table(path, problems)
    ids, names = table.place("roco_id", "id"), table.place("pmc_id", "name")
    captions = table.place("caption")
    for row in table.rows:
        name = "" if names is None else row.cells[names].strip()
        named = _NAMED.match(name)
        yield RocoEntry(
            "" if ids is None else row.cells[ids].strip(),
            named[1] if named else "",
            named[2] if named else name,
            "" if captions is None else row.cells[captions].strip(),
        )


def _columns(line: str) -> set[str]:
    return {name.strip().strip('"').lower() for name in line.split(",")}


def _first_line(path: Path) -> str:
    with open_input(path) as file:
        return file.readline(1 << 16).decode("utf-8-sig", errors="replace").rstrip("\r\n")


def _text(path: Path) -> str:
    with open_input(path) as file:
        try:
            return file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
