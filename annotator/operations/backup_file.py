"""The file of a backup: a ZIP archive with a manifest of SHA-256 hashes."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from panelwise.domain import FormatError, is_guideline_name
from panelwise.files import DAMAGE

MANIFEST = "manifest.json"
#: The value of `format` in every manifest, and the version that this program writes.
FORMAT, FORMAT_VERSION = "panelwise-backup", 1

#: Allowed content: these files, and files in these folders. Label Studio reads settings from its folder (.env), so
#: only its data is allowed.
FILES = (
    *("campaign.toml", "store.sqlite", "secret.key"),
    *("label-studio/label_studio.sqlite3", "label-studio/credentials.json"),
)
FOLDERS = ("guidelines/", "images/", "releases/", "label-studio/media/")

#: Maximum size of the manifest in bytes: per file in addition to twice its name, and for the rest.
_MANIFEST_ENTRY, _MANIFEST_REST = 256, 4 << 20
#: Maximum number of problems in the manifest.
_MOST_PROBLEMS = 1000
#: Maximum size in bytes of files that are read as a whole after restoring.
_MOST_SETTINGS = 8 << 20
_SETTINGS = ("campaign.toml", "secret.key", "label-studio/credentials.json")

#: Files that are already compressed.
_COMPRESSED = (".png", ".jpg", ".jpeg", ".webp", ".gz", ".zip")
_CHUNK = 1 << 20
_MEND = "use an intact copy of the backup"


class BackupWriter:
    """Writes files to a backup, and finally the manifest."""

    def __init__(self, file: BinaryIO) -> None:
        self._archive = zipfile.ZipFile(file, "w")
        self._files: dict[str, dict[str, Any]] = {}
        self.bytes = 0

    def close(self) -> None:
        """Close the archive, complete or not."""
        self._archive.close()

    def add(self, name: str, source: BinaryIO) -> str:
        """Add a file under a name; returns the SHA-256 of its bytes."""
        info = _info(name)
        digest, size = hashlib.sha256(), 0
        with self._archive.open(info, "w", force_zip64=True) as out:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
                out.write(chunk)
        self._files[name] = {"sha256": digest.hexdigest(), "bytes": size}
        self.bytes += size
        return digest.hexdigest()

    def finish(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """Write the manifest with additional keys and close the archive; returns the manifest."""
        manifest = {"format": FORMAT, "format_version": FORMAT_VERSION, **about, "files": self._files}
        problems = manifest.get("problems", [])
        if len(problems) > _MOST_PROBLEMS:
            more = f"and {len(problems) - _MOST_PROBLEMS:,} more of these"
            manifest["problems"] = [*problems[:_MOST_PROBLEMS], more]
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        self._archive.writestr(_info(MANIFEST), text.encode())
        self._archive.close()
        return manifest


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
    info.compress_type = zipfile.ZIP_STORED if name.endswith(_COMPRESSED) else zipfile.ZIP_DEFLATED
    # It contains password hashes.
    info.external_attr = 0o600 << 16
    return info


@dataclass(frozen=True, slots=True)
class Backup:
    """An open backup: its manifest, and its files to read."""

    path: Path
    manifest: dict[str, Any]
    archive: zipfile.ZipFile

    @property
    def files(self) -> dict[str, int]:
        """Name -> bytes."""
        return {name: int(entry["bytes"]) for name, entry in self.manifest["files"].items()}

    def read(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a file; raises FormatError, at the latest at the end, if the hash differs."""
        entry = self.manifest["files"][name]
        digest, size = hashlib.sha256(), 0
        try:
            with self.archive.open(name) as file:
                while chunk := file.read(_CHUNK):
                    size += len(chunk)
                    if size > entry["bytes"]:
                        break
                    digest.update(chunk)
                    yield chunk
        except DAMAGE as error:
            raise FormatError(f"{self.path}: {name} is damaged ({error}); {_MEND}") from None
        if (size, digest.hexdigest()) != (entry["bytes"], entry["sha256"]):
            raise FormatError(f"{self.path}: {name} differs from the file that was backed up; {_MEND}")


@contextmanager
def open_backup(path: Path) -> Iterator[Backup]:
    """Open a backup for reading. Raises FormatError if it is not one, truncated, or has disallowed content."""
    archive, manifest = _opened(path)
    with archive:
        yield Backup(path, manifest, archive)


def _opened(path: Path) -> tuple[zipfile.ZipFile, dict[str, Any]]:
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; name a backup by `annotator backup`") from None
    except IsADirectoryError:
        raise FormatError(f"{path}: is a folder; name a backup by `annotator backup`") from None
    except DAMAGE as error:
        raise FormatError(f"{path}: not a backup, or truncated ({error}); {_MEND}") from None
    try:
        _check_packing(path, archive)
        manifest = _manifest(path, archive)
        names = [info.filename for info in archive.infolist()]
        if len(names) != len(set(names)) or set(names) != {MANIFEST, *manifest["files"]}:
            raise FormatError(f"{path}: files differ from the list in its manifest; {_MEND}")
    except BaseException:
        archive.close()
        raise
    return archive, manifest


def _check_packing(path: Path, archive: zipfile.ZipFile) -> None:
    """Raise FormatError for a ZIP bomb.

    bzip2 and LZMA unpack a few bytes to gigabytes, and overlapping entries use the same bytes repeatedly.
    """
    infos = archive.infolist()
    for info in infos:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            name = f"{info.filename[:80]!a}"
            raise FormatError(f"{path}: {name} has a compression that `annotator backup` never uses; {_MEND}")
    if sum(info.compress_size for info in infos) > path.stat().st_size:
        raise FormatError(f"{path}: its files overlap, which `annotator backup` never does; {_MEND}")


def _manifest(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    most = _MANIFEST_REST + sum(_MANIFEST_ENTRY + 2 * len(info.filename.encode()) for info in archive.infolist())
    try:
        with archive.open(MANIFEST) as file:
            text = file.read(most + 1)
    except KeyError:
        raise FormatError(f"{path}: not a backup (no {MANIFEST}); name a backup") from None
    except DAMAGE as error:
        raise FormatError(f"{path}: {MANIFEST} is damaged ({error}); {_MEND}") from None
    if len(text) > most:
        raise FormatError(
            f"{path}: {MANIFEST} is longer than the {most / 1e6:.1f} MB that its files can need; {_MEND}"
        )
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: {MANIFEST} is not valid JSON ({error}); {_MEND}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise FormatError(f"{path}: {MANIFEST} is not that of a backup; name a file that `annotator backup` made")
    version = found.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise FormatError(
            f"{path}: a newer Panelwise made this backup (its format is {version!r}, this program knows "
            f"{FORMAT_VERSION}); upgrade Panelwise"
        )
    files = found.get("files")
    if not isinstance(files, dict) or not {"campaign.toml", "store.sqlite"} <= files.keys():
        raise FormatError(f"{path}: {MANIFEST} has no campaign; {_MEND}")
    for name, entry in files.items():
        if not (_is_size(entry) and isinstance(entry.get("sha256"), str)):
            raise FormatError(f"{path}: {MANIFEST} has no size or hash for {name[:80]!a}; {_MEND}")
        if not _may_be_there(name):
            raise FormatError(f"{path}: contains {name[:80]!a}, which is not part of a campaign; {_MEND}")
        if (name in _SETTINGS or name.startswith("guidelines/")) and entry["bytes"] > _MOST_SETTINGS:
            raise FormatError(f"{path}: {name[:80]!a} has {entry['bytes']:,} bytes, too large; {_MEND}")
    return found


def _is_size(entry: object) -> bool:
    return isinstance(entry, dict) and type(entry.get("bytes")) is int and entry["bytes"] >= 0


def _may_be_there(name: str) -> bool:
    parts = PurePosixPath(name).parts
    plain = name == "/".join(parts) and ".." not in parts and "\\" not in name and name.isprintable()
    if name.startswith("guidelines/"):
        return plain and is_guideline_name(name)
    return plain and (name in FILES or name.startswith(FOLDERS))
