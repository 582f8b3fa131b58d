"""Figures as labs have them: a folder of images with a text file beside each, or a table that names both.

They are read as records of figures.jsonl.
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from panelwise.domain.errors import FormatError
from panelwise.files.file_names import can_be_written
from panelwise.files.jsonl import OFFICE_FILE, Line, Problems
from panelwise.files.signatures import is_office_file

#: Endings of images, and of tables.
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".tif", ".tiff", ".bmp", ".ppm")
TABLE_ENDINGS = (".csv", ".tsv")
SHEET_ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")

#: The column of a table for each key of a record: the first of these names that it has.
COLUMNS = {
    "figure_id": ("figure_id", "id", "figure", "name"),
    "image": ("image", "image_file", "file", "file_name", "filename", "path"),
    "caption": ("caption", "text"),
    "document": ("document", "article", "paper", "doi", "pmcid"),
}
#: Columns of whole numbers, and keys of a record that no cell can hold.
SIZES = ("width", "height")
STRUCTURED = ("tokens", "references", "source", "revision", "figure_extra")
#: A larger cell, or caption file, in bytes or characters, is no caption.
_MOST = 1 << 20
#: A folder with such a file is read by it.
_LIST = "figures.jsonl"


def is_table(path: Path) -> bool:
    """Return whether a file is a table, by its ending."""
    return path.suffix.lower() in TABLE_ENDINGS and not path.is_dir()


def list_in(folder: Path) -> Path | None:
    """The file of a folder that lists its figures: figures.jsonl, or its only table; None for neither."""
    if (folder / _LIST).is_file():
        return folder / _LIST
    inside = [each for each in folder.iterdir() if not each.name.startswith(".")]
    tables = sorted(each for each in inside if is_table(each))
    sheets = sorted(each for each in inside if each.suffix.lower() in SHEET_ENDINGS)
    if sheets and not tables:
        # Its images would come in with empty captions.
        raise FormatError(f"{sheets[0]}: {OFFICE_FILE}")
    if len(tables) > 1:
        raise FormatError(
            f"{folder}: holds {len(tables)} tables ({tables[0].name}, {tables[1].name}); name the one to import"
        )
    return tables[0] if tables else None


def folder_lines(folder: Path, problems: Problems) -> Iterator[Line]:
    """A record for each image in a folder and its subfolders, by name; the caption of a/b.png is in a/b.txt.

    The figure's id is the image's path without its ending. A missing text is a note, and the caption empty. Raises
    FormatError for a folder without images.
    """
    found = False
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.suffix.lower() not in IMAGE_ENDINGS or any(part.startswith(".") for part in inside.parts):
            continue
        if not path.is_file():
            continue
        found = True
        if not can_be_written(inside.as_posix(), folder, problems):
            continue
        try:
            caption = _caption(path.with_suffix(".txt"), problems)
        except FormatError as error:
            problems.add(error)
            continue
        name = unicodedata.normalize("NFC", inside.with_suffix("").as_posix())
        yield Line(str(folder), {"figure_id": name, "image": inside.as_posix(), "caption": caption})
    if not found:
        raise FormatError(f"{folder}: holds no image ({', '.join(IMAGE_ENDINGS)}); name a folder of figures")


def _caption(path: Path, problems: Problems) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST + 1)
        if len(raw) > _MOST:
            raise FormatError(
                f"{path}: has more than {_MOST} bytes, which is no caption; leave it out or shorten it"
            )
        return " ".join(raw.decode("utf-8-sig").split())
    except FileNotFoundError:
        problems.note(f"{path}: is missing; the caption is empty")
        return ""
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None


def table_lines(path: Path, problems: Problems) -> Iterator[Line]:
    """A record for each row of a table with a header, cells apart by commas, semicolons or tabs.

    Columns are those of COLUMNS, in any case; others become keys of their own. Without a column of ids, a figure's
    id is its image's name without the ending. A row that does not fit the header is a problem. Raises FormatError
    for a file that is not UTF-8, or names no images.
    """
    try:
        with path.open("rb") as raw:
            if is_office_file(raw.read(200)):
                raise FormatError(f"{path}: {OFFICE_FILE}")
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            rows = csv.reader(file, delimiter=delimiter_of(head, path.suffix))
            yield from _rows(path, rows, problems)
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save the table as UTF-8") from None
    except csv.Error as error:
        raise FormatError(f"{path}: is no table ({error}); save it as CSV") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None


def _rows(path: Path, rows: Iterator[list[str]], problems: Problems) -> Iterator[Line]:
    names = [name.strip() for name in next(rows, [])]
    folded = [name.lower() for name in names]
    if any(one == other for one, other in pairwise(sorted(filter(None, folded)))):
        raise FormatError(f"{path}:1: two columns have one name; give each its own")
    places = {
        key: next((folded.index(name) for name in known if name in folded), None) for key, known in COLUMNS.items()
    }
    image = places["image"]
    if image is None:
        raise FormatError(
            f"{path}:1: no column names the images ({', '.join(name or 'empty' for name in names)}); "
            'name one "image", and the captions\' "caption"'
        )
    if places["caption"] is None:
        problems.note(f'{path}:1: no column is named "caption"; captions are empty')
    taken = {place for place in places.values() if place is not None}
    for row in rows:
        where = f"{path}:{rows.line_num}"  # type: ignore[attr-defined]
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            problems.add(
                f"{where}: has {len(row)} cells, the header {len(names)}; put texts with commas in quotes"
            )
            continue
        cells = {key: row[place].strip() for key, place in places.items() if place is not None}
        file = cells["image"]
        record: dict[str, object] = {
            "figure_id": cells.get("figure_id") or str(Path(file).with_suffix("")) if file else "",
            "image": file,
            "caption": " ".join(cells.get("caption", "").split()),
        }
        if cells.get("document"):
            record["source"] = {"document": cells["document"]}
        for place, name in enumerate(names):
            cell = row[place].strip()
            if name in SIZES and cell.isascii() and cell.isdigit():
                record[name] = int(cell)
            elif place not in taken and cell and name not in (*record, *STRUCTURED, *SIZES, ""):
                record[name] = cell
        yield Line(where, record)


def delimiter_of(head: str, ending: str) -> str:
    """Return the delimiter of a table: a tab in TSV; else the most frequent candidate in its head."""
    return "\t" if ending.lower() == ".tsv" else max((",", ";", "\t"), key=head.count)
