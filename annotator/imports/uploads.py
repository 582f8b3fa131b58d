"""Files that a lead sends in pieces from the browser, until they are imported: `uploads/ID/` in the home."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from annotator.campaign.home import Home
from panelwise.domain import AnnotatorError, FormatError, InvalidAnnotation, one_line
from panelwise.files import (
    COLUMNS,
    DAMAGE,
    DAMAGED_ENTRY,
    IMAGE_ENDINGS,
    SHEET_ENDINGS,
    TABLE_ENDINGS,
    Problems,
    Table,
    is_table,
    list_in,
    read_table,
)
from panelwise.runtime import UNPACKED, scratch_folder

UPLOADS = "uploads"
#: Endings of files that an import may need, or refuses with what to do instead, and of archives of them.
CONTENT_ENDINGS = (*IMAGE_ENDINGS, *TABLE_ENDINGS, *SHEET_ENDINGS, ".txt", ".jsonl", ".json")
ARCHIVE = ".zip"
#: Bytes of a file at most: of an archive, of a table or a list; an image has the campaign's own limit.
MOST_OF_ARCHIVE, MOST_OF_LIST = 64 << 30, 4 << 30
#: Files of an archive at most, and bytes that stay free on the disk.
MOST_FILES, LEAST_FREE = 1_000_000, 1 << 30
#: Folders of an archive at most.
MOST_FOLDERS = 20_000
#: Characters of a path within an upload, folders in one another, and bytes of each name, as file systems have it.
LONGEST, DEEPEST, LONGEST_PART = 400, 20, 255
#: Seconds after which an upload that nothing was added to is removed; the same once its page was closed.
EXPIRES, EXPIRES_LEFT = 24 * 3600, 15 * 60
#: File of an upload with the names that were refused while it was sent, and why; and its size at most.
_LEFT_OUT, _MOST_LEFT_OUT = ".left-out.txt", 1 << 20
#: Name of a table while its header is rewritten.
_NEW_TABLE = ".new-table"
_CHUNK = 1 << 20
#: Rows of a table that are shown beside its columns.
_SHOWN_ROWS = 5


class UnknownUpload(AnnotatorError):
    """There is no upload of that id."""


class DiskFull(AnnotatorError):
    """The disk of the campaign has no room for more."""


def begin_upload(home: Home) -> str:
    """Make the folder of a new upload; returns its id. Removes those that were given up."""
    remove_old(home)
    name = secrets.token_hex(8)
    (home.path / UPLOADS / name).mkdir(mode=0o700, parents=True)
    return name


def upload_folder(home: Home, upload: str) -> Path:
    """The folder of an upload. Raises UnknownUpload."""
    folder = home.path / UPLOADS / upload
    if not (upload.isalnum() and upload.isascii() and len(upload) <= LONGEST_PART and folder.is_dir()):
        raise UnknownUpload("this upload is unknown or was removed; start again")
    return folder


def add_piece(home: Home, upload: str, name: str, offset: int, data: bytes) -> int:
    """Append a piece to a file of an upload; returns the size of the file, from which the next piece goes on.

    A piece that begins elsewhere than at the file's end changes nothing: the size says where to go on after a
    break. Raises UnknownUpload, DiskFull, and InvalidAnnotation for a name or a size that an import cannot use,
    which the report of the import names too.
    """
    folder = upload_folder(home, upload)
    try:
        return _add_piece(home, folder, name, offset, data)
    except InvalidAnnotation as error:
        leave_out(home, upload, str(error))
        raise


def _add_piece(home: Home, folder: Path, name: str, offset: int, data: bytes) -> int:
    path = folder / checked_name(name)
    most = _most_bytes(home, path)
    _make_folder_of(path, name)
    if shutil.disk_usage(path.parent).free < LEAST_FREE + len(data):
        raise DiskFull("the disk of the campaign is nearly full; make room, then go on")
    with path.open("ab") as file:
        size = file.tell()
        if size != offset or not data:
            return size
        if size + len(data) > most:
            raise InvalidAnnotation(f'"{name}" has more than {most} bytes, the limit for such a file')
        file.write(data)
        return size + len(data)


def _make_folder_of(path: Path, name: str) -> None:
    """Make the folder of a file. Raises InvalidAnnotation if a file has its name, or a folder the file's."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidAnnotation(f'"{name[:80]}" is within what came as a file before; leave it out') from None
    if path.is_dir():
        raise InvalidAnnotation(f'"{name[:80]}" came as a folder before; leave it out')


def sizes_of(home: Home, upload: str) -> dict[str, int]:
    """The files of an upload that goes on after a break -> bytes of each that are here. Raises UnknownUpload."""
    folder = upload_folder(home, upload)
    os.utime(folder)
    names = (each for each in folder.rglob("*") if each.is_file() and each.name != _LEFT_OUT)
    return {each.relative_to(folder).as_posix(): each.stat().st_size for each in names}


def leave_upload(home: Home, upload: str) -> None:
    """Let an upload whose page was closed expire soon, unless its page is opened again and goes on."""
    folder = upload_folder(home, upload)
    then = time.time() - EXPIRES + EXPIRES_LEFT
    for each in (*folder.rglob("*"), folder):
        os.utime(each, (then, then))


def leave_out(home: Home, upload: str, why: str) -> None:
    """Record that a file was refused while it was sent, for the report of the import. why: one line."""
    path = upload_folder(home, upload) / _LEFT_OUT
    if not path.exists() or path.stat().st_size < _MOST_LEFT_OUT:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{one_line(why)}\n")


def files_left_out(home: Home, source: Path) -> list[str]:
    """Return the reasons for files refused while the upload `source` was sent; empty for any other source."""
    place = home.path / UPLOADS
    if not source.is_relative_to(place):
        return []
    path = place / source.relative_to(place).parts[0] / _LEFT_OUT
    return list(dict.fromkeys(path.read_text("utf-8").splitlines())) if path.is_file() else []


def checked_name(name: str) -> PurePosixPath:
    """The path of a file within an upload or an archive. Raises InvalidAnnotation for any but a plain one."""
    path = PurePosixPath(name.replace("\\", "/"))
    parts = path.parts
    if (
        not parts
        or path.is_absolute()
        or len(name) > LONGEST
        or len(parts) > DEEPEST
        or any(part == ".." or ":" in part or not part.isprintable() for part in parts)
        or any(len(part.encode()) > LONGEST_PART for part in parts)
    ):
        raise InvalidAnnotation(f'"{name[:80]}" is no name of a file within the upload')
    if path.suffix.lower() not in (*CONTENT_ENDINGS, ARCHIVE):
        raise InvalidAnnotation(f'"{name[:80]}" is no image, text, table, list or ZIP archive; leave it out')
    return path


def _most_bytes(home: Home, path: Path) -> int:
    ending = path.suffix.lower()
    if ending == ARCHIVE:
        return MOST_OF_ARCHIVE
    return home.settings.images.limits.max_bytes if ending in IMAGE_ENDINGS else MOST_OF_LIST


def upload_source(folder: Path) -> Path:
    """Return the source of an upload's import: its only list of figures or file of work, else its folder."""
    folder = only_folder(folder)
    lists = [each for each in folder.iterdir() if each.suffix.lower() in (".json", ".jsonl") and each.is_file()]
    return lists[0] if len(lists) == 1 and list_in(folder) is None else folder


@dataclass(frozen=True, slots=True)
class TableHead:
    """The beginning of a table. rows: the cells of the first ones. guesses: key -> its column, or ""."""

    path: Path
    table: Table
    rows: tuple[tuple[str, ...], ...]
    guesses: Mapping[str, str]


def unclear_table(source: Path) -> TableHead | None:
    """The beginning of a folder's table, if its columns do not say which are the image and the caption."""
    path = list_in(source) if source.is_dir() else None
    if path is None or not is_table(path):
        return None
    table = read_table(path, Problems())
    places = {key: table.place(*names) for key, names in COLUMNS.items()}
    if places["image"] is not None and places["caption"] is not None:
        return None
    guesses = {key: "" if place is None else table.columns[place] for key, place in places.items()}
    return TableHead(path, table, tuple(row.cells for row in islice(table.rows, _SHOWN_ROWS)), guesses)


def name_columns(head: TableHead, chosen: Mapping[str, str]) -> None:
    """Rename the columns of an uploaded table. chosen: key of COLUMNS -> the column that has it, "" for none.

    Raises InvalidAnnotation for a column that is not in the table, or one chosen twice.
    """
    table, given = head.table, [name for name in chosen.values() if name]
    if not chosen.get("image") or set(given) - set(table.columns) or len(set(given)) < len(given):
        raise InvalidAnnotation("choose a column of its own for each, and one for the images at least")
    keys = {name: key for key, name in chosen.items() if name}
    spoken_for = {name for names in COLUMNS.values() for name in names}
    names = [keys.get(name, f"{name}_" if name.lower() in spoken_for else name) for name in table.columns]
    quoted = ('"{}"'.format(name.replace('"', '""')) for name in names)
    aside = head.path.with_name(_NEW_TABLE)  # a name after the table's may be too long for the file system
    begin, end = table.header
    with head.path.open("rb") as old, aside.open("wb") as new:
        new.write(old.read(begin) + f"{table.delimiter.join(quoted)}\n".encode())
        old.seek(end)
        shutil.copyfileobj(old, new)
    aside.replace(head.path)


def remove_upload(home: Home, upload: str) -> None:
    """Remove an upload that was imported, or is given up."""
    shutil.rmtree(upload_folder(home, upload), ignore_errors=True)


def remove_old(home: Home) -> None:
    """Remove the uploads that nothing was added to for a day."""
    place = home.path / UPLOADS
    for folder in place.iterdir() if place.is_dir() else ():
        newest = max((each.lstat().st_mtime for each in (folder, *folder.rglob("*"))), default=0.0)
        if newest < time.time() - EXPIRES:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def unpacked(path: Path, home: Home, problems: Problems) -> Iterator[Path]:
    """Return the path to import: `path` itself, or a folder with the content of a ZIP archive or of archives.

    Entries that are links, lead elsewhere or are of no use are problems, and are left out. Raises FormatError for
    a damaged archive, and for one that holds more than the disk or the limits take.
    """
    archives = sorted(path.glob("*.zip")) if path.is_dir() else [path] if path.suffix.lower() == ARCHIVE else []
    if not archives:
        yield path
        return
    with scratch_folder(home.path, UNPACKED) as folder:
        if path.is_dir():
            shutil.copytree(path, folder, copy_function=_linked, ignore=_archives, dirs_exist_ok=True)
        for archive in archives:
            _unpack(archive, folder, home, problems)
        yield only_folder(folder)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copyfile(source, target)


def _archives(_folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.lower().endswith(ARCHIVE)]


def only_folder(folder: Path) -> Path:
    """The folder itself, or the one that all its content is in."""
    inside = [each for each in folder.iterdir() if not each.name.startswith(".")]
    return only_folder(inside[0]) if len(inside) == 1 and inside[0].is_dir() else folder


def _unpack(archive: Path, folder: Path, home: Home, problems: Problems) -> None:
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [each for each in opened.infolist() if not each.is_dir()]
            if len(entries) > MOST_FILES:
                raise FormatError(f"{archive.name}: holds {len(entries)} files, more than {MOST_FILES}; split it")
            _check_folders(archive, entries)
            for entry in entries:
                if _is_hidden(entry.filename):
                    continue
                try:
                    name = checked_name(entry.filename)
                    if stat.S_ISLNK(entry.external_attr >> 16) or name.suffix.lower() == ARCHIVE:
                        raise InvalidAnnotation(f'"{entry.filename[:80]}" is a link or an archive; leave it out')
                    _write_entry(opened, entry, folder / name, home)
                except InvalidAnnotation as error:
                    problems.add(f"{archive.name}: {error}")
                except RuntimeError:  # zipfile's, with NotImplementedError
                    why = "is encrypted" if entry.flag_bits & 1 else "is compressed by an unknown method"
                    problems.add(f'{archive.name}: "{entry.filename[:80]}" {why}; make a plain archive of it')
                except DAMAGED_ENTRY as error:
                    if len(entries) == 1:
                        raise
                    problems.add(
                        f'{archive.name}: "{entry.filename[:80]}" is damaged ({error}); make the archive again'
                    )
    except DAMAGE as error:
        raise FormatError(f"{archive.name}: cannot be unpacked ({error}); make the archive again") from None


def _check_folders(archive: Path, entries: Iterable[zipfile.ZipInfo]) -> None:
    """Raise FormatError for more folders than can be made in good time: an entry may bring twenty of its own."""
    folders: set[PurePosixPath] = set()
    for entry in entries:
        for folder in PurePosixPath(entry.filename.replace("\\", "/")).parents:
            if folder in folders:
                break
            folders.add(folder)
        if len(folders) > MOST_FOLDERS:
            raise FormatError(
                f"{archive.name}: holds more than {MOST_FOLDERS:,} folders; put its files into fewer"
            )


def _is_hidden(name: str) -> bool:
    """Return whether a file is none of the lab's: macOS adds a double of each file in folders of its own."""
    return any(part != ".." and part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _write_entry(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, home: Home) -> None:
    """Write one file; what the entry says of its size is not relied on."""
    most, size, made = _most_bytes(home, path), 0, False
    _make_folder_of(path, entry.filename)
    try:
        with opened.open(entry) as source, path.open("xb") as file:
            made = True
            while piece := source.read(_CHUNK):
                size += len(piece)
                if size > most:
                    raise InvalidAnnotation(f'"{entry.filename[:80]}" has more than {most} bytes when unpacked')
                if shutil.disk_usage(path.parent).free < LEAST_FREE:
                    raise FormatError("the disk of the campaign is nearly full; make room, and import again")
                file.write(piece)
    except FileExistsError:
        raise InvalidAnnotation(f'"{entry.filename[:80]}" comes twice; the first is taken') from None
    except BaseException:
        if made:
            path.unlink()
        raise
