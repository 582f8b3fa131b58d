"""Figures as labs have them: a folder of images with a text file beside each, or a table that names both.

They are read as records of figures.jsonl.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from panelwise.domain.errors import FormatError
from panelwise.files.file_names import (
    IMAGE_ENDINGS,
    can_be_written,
    find_file,
    id_of_image,
    largest,
    pixel_size,
)
from panelwise.files.jsonl import OFFICE_FILE, Fields, Line, Problems
from panelwise.files.other_layouts import check_columns, check_text
from panelwise.files.tables import MOST_OF_CELL, SHEET_ENDINGS, Row, is_table, read_table
from panelwise.files.values import is_unknown, whole_id
from panelwise.runtime.messages import counted

#: The column of a table for each key of a record: the first of these names that it has.
COLUMNS = {
    "figure_id": ("figure_id", "id", "figure", "name"),
    "image": ("image", "image_file", "file", "file_name", "filename", "path"),
    "caption": ("caption", "text"),
    "document": ("document", "article", "paper", "doi", "pmcid"),
}
#: Keys of ids.
_IDS = ("figure_id", "document")
#: Columns of whole numbers, and keys of a record that no cell can hold.
SIZES = ("width", "height")
STRUCTURED = ("tokens", "references", "source", "revision", "figure_extra")
#: Endings of images, or of files that hold them, that are not read.
UNREAD_ENDINGS = (
    *(".jp2", ".jpx", ".j2k", ".jxl", ".avif", ".heic", ".heif", ".svg", ".eps", ".ps", ".ai", ".pdf"),
    *(".psd", ".emf", ".wmf", ".dcm", ".ico", ".exr", ".hdr"),
)
#: Endings of files that may hold captions, and are not read.
_LISTING_ENDINGS = (".json", ".jsonl", ".ndjson", ".xml", ".parquet", ".caption")
#: A folder with such a file is read by it.
_LIST = "figures.jsonl"
#: Names of captions. Others that begin or end so say something about captions: caption_id, caption_source.
_CAPTION_NAME = re.compile(
    r"((article|clean(ed)?|fig|figure|full|gold|image|img|long|main|original|picture|raw|s2|s2orc|short)[ _.-]?)*"
    r"captions?([ _.-]?(body|clean(ed)?|content|en|english|full|original|plain|raw|str|string|text|txt))*"
    r"|(fig(ure)?[ _.-]?)?legend"
)


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
    """A record for each image in a folder and its subfolders, by name; the caption of a/b.png is in a/b.txt, or in
    a/b.png.txt.

    The figure's id is the image's path without its ending. Of images that differ in their ending the largest is
    the figure's, and a message names all. Without a text the caption is empty; texts of no image, and images of
    formats that are not read, are notes. Raises FormatError for a folder without images.
    """
    images: dict[str, list[Path]] = {}
    texts: set[Path] = set()
    unread: list[str] = []
    listings: list[str] = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts) or not path.is_file():
            continue
        ending = path.suffix.lower()
        if ending in IMAGE_ENDINGS:
            images.setdefault(_name(folder, path), []).append(path)
        elif ending == ".txt":
            texts.add(path)
        elif ending in UNREAD_ENDINGS:
            unread.append(inside.as_posix())
        elif ending in _LISTING_ENDINGS:
            listings.append(inside.as_posix())
    bare = False
    for name, files in images.items():
        image = files[0] if len(files) == 1 else _full_image(folder, name, files, problems)
        inner = image.relative_to(folder).as_posix()
        if not can_be_written(inner, folder, problems):
            continue
        text = _caption_file(folder, image, images)
        texts.discard(text)
        try:
            caption = _caption(text)
        except FormatError as error:
            problems.add(error)
            continue
        bare = bare or not caption
        yield Line(str(folder), {"figure_id": name, "image": inner, "caption": caption})
    if unread:
        problems.note(
            f"{folder}: left out {counted(len(unread), 'image')} of formats that are not read, the first "
            f"{unread[0]}; convert them to PNG"
        )
    if listings and bare:
        problems.note(
            f"{folder}: left out {counted(len(listings), 'file')} that may hold captions, the first "
            f"{listings[0]}; give captions in texts beside the images, or name the file that lists the figures"
        )
    if texts and images:
        first = min(texts).relative_to(folder).as_posix()
        problems.note(f"{folder}: left out {counted(len(texts), 'text')} without an image, the first {first}")
    if not images:
        raise FormatError(f"{folder}: holds no image ({', '.join(IMAGE_ENDINGS)}); name a folder of figures")


def _full_image(folder: Path, name: str, files: list[Path], problems: Problems) -> Path:
    """Return the largest image of a figure; the others are a note if smaller copies, else a problem."""
    image = largest(files)
    width, height = pixel_size(image)
    others = [each for each in files if each != image]
    said = (
        f'{folder}: figure "{name}" has {counted(len(files), "image")}; took {image.name}, the largest with '
        f"{width} x {height} pixels, not {', '.join(each.name for each in others)}"
    )
    if all(_is_copy(pixel_size(each), (width, height)) for each in others):
        problems.note(said)
    else:
        problems.add(f"{said}, of other proportions; give each figure a name of its own")
    return image


def _is_copy(size: tuple[int, int], full: tuple[int, int]) -> bool:
    """Return whether an image has the proportions of the full one, to a pixel of rounding."""
    return abs(size[0] * full[1] - size[1] * full[0]) <= max(full)


def _caption_file(folder: Path, image: Path, names: Container[str]) -> Path:
    """Return the text beside an image, or its usual place. names: all figures', which may have the text found."""
    usual, whole = image.with_suffix(".txt"), image.with_name(f"{image.name}.txt")
    if whole.is_file() and not usual.is_file():
        return whole
    found = find_file(folder, usual.relative_to(folder).as_posix(), (".txt",))
    if found is None or (_name(folder, found) != _name(folder, image) and _name(folder, found) in names):
        return usual
    return found


def _name(folder: Path, path: Path) -> str:
    """Return a file's path within the folder, without its ending, as the id of a figure."""
    return unicodedata.normalize("NFC", path.relative_to(folder).with_suffix("").as_posix())


def _caption(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_OF_CELL + 1)
        if len(raw) > MOST_OF_CELL:
            raise FormatError(
                f"{path}: has more than {MOST_OF_CELL} bytes, which is no caption; leave it out or shorten it"
            )
        text = raw.decode("utf-8-sig")
        check_text(path, text)
        return " ".join(text.split())
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None


def is_caption_name(name: str) -> bool:
    """Return True for a column or key such as "figure_caption" or "Legend", which is read by no other name."""
    return bool(_CAPTION_NAME.fullmatch(name.casefold()))


def table_lines(path: Path, problems: Problems) -> Iterator[Line]:
    """Yield a record for each row of a table; see `panelwise.files.tables`.

    Columns are those of COLUMNS, in any case; others become keys of their own. Without a column of ids, a figure's
    id is its image's name without the ending. A row that does not fit is a problem. Raises FormatError for a file
    that is no table, names no images, or has no column of captions but one of words without a name, or one whose
    name speaks of captions.
    """
    table = read_table(path, problems)
    check_columns(path, table.columns)
    names = [name.lower() if name.lower() in SIZES else name for name in table.columns]
    places = {key: table.choose(problems, key, *known) for key, known in COLUMNS.items()}
    if places["image"] is None:
        raise FormatError(
            f"{table.where}: no column names the images ({', '.join(name or 'empty' for name in names)}); "
            'name one "image", and the captions\' "caption"'
        )
    unnamed = [place for place, name in enumerate(names) if not name]
    if places["caption"] is None:
        for row in read_table(path, Problems()).rows if unnamed else ():
            for place in unnamed:
                if any(map(str.isalpha, row.cells[place])):
                    raise FormatError(
                        f"{row.where}: column {place + 1} has words, but no name, and no column names the "
                        'captions; name it "caption", or by what it holds'
                    )
        if named := [name for name in table.columns if is_caption_name(name)]:
            raise FormatError(
                f'{table.where}: no column is named "caption", but "{named[0]}" is; name it "caption"'
            )
        problems.note(f'{table.where}: no column is named "caption"; captions are empty')
    floats = [key for key in _IDS if _are_floats(path, places[key])]
    for key in floats:
        problems.note(f'{table.where}: each {key} is written as a float; 1.0 is read as "1"')
    used = {place for place in places.values() if place is not None}
    left_out = [name for name in names if name.lower() in STRUCTURED]
    if left_out:
        problems.note(
            f"{table.where}: left out {', '.join(left_out)}, which no cell can hold; give a figures.jsonl"
        )
    others = {place: name for place, name in enumerate(names) if place not in used and name not in ("", *left_out)}
    lost: Counter[str] = Counter()
    for row in table.rows:
        lost.update(f"in column {place + 1}, without a name" for place in unnamed if row.cells[place].strip())
        try:
            yield Line(row.where, _record(row, places, others, floats, lost))
        except FormatError as error:
            problems.add(error)
    for what, count in lost.items():
        problems.note(f"{table.where}: left out {counted(count, 'cell')} {what}")


def _are_floats(path: Path, place: int | None) -> bool:
    """Return whether all ids in a column are whole numbers that were written as floats, as by pandas."""
    if place is None:
        return False
    ids = [cell for row in read_table(path, Problems()).rows if not is_unknown(cell := row.cells[place].strip())]
    return bool(ids) and all(whole_id(cell) != cell for cell in ids)


def _several(cell: str) -> list[str]:
    """Return the images of a cell that names several, apart by semicolons, bars or line breaks."""
    names = [name.strip() for name in re.split(r"[;|\n]", cell) if name.strip()]
    return names if all(name.lower().endswith(IMAGE_ENDINGS) for name in names) else [cell]


def _record(
    row: Row,
    places: Mapping[str, int | None],
    others: Mapping[int, str],
    floats: Sequence[str],
    lost: Counter[str],
) -> dict[str, object]:
    """Return the record of a row. others: places of columns that become keys of their own -> these keys.

    floats: keys whose whole numbers are written as floats. lost: counts cells that stand for a missing value.
    """
    known: dict[str, str] = {}
    for key, place in places.items():
        cell = "" if place is None else row.cells[place].strip()
        missing = is_unknown(cell)
        lost.update([f'with "{cell}" for a missing {key}'] if cell and missing else [])
        known[key] = "" if missing else whole_id(cell) if key in floats else cell
    image = known["image"]
    record: dict[str, object] = {
        "figure_id": known["figure_id"] or (id_of_image(image) if image else ""),
        "image": image,
        "caption": " ".join(known["caption"].split()),
    }
    if len(several := _several(image)) > 1:
        record |= {"figure_id": known["figure_id"] or id_of_image(several[0]), "image": "", "images": several}
    if known["document"]:
        record["source"] = {"document": known["document"]}
    fields = Fields(row.where, {name: row.cells[place].strip() for place, name in others.items()})
    for name, cell in fields.record.items():
        if name in SIZES:
            record[name] = fields.size(name)
        elif cell and name not in record:
            record[name] = cell
    return record
