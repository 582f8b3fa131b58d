"""The file of a backup: a ZIP archive with a manifest of the SHA-256 of all that is in it."""

from __future__ import annotations

import hashlib
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from annotator.domain.errors import FormatError

MANIFEST = "manifest.json"
#: What `format` says in every manifest, and which version of it this program writes.
FORMAT, FORMAT_VERSION = "panelwise-backup", 1

#: What may be in a backup: these files, and files in these folders.
FILES = ("campaign.toml", "store.sqlite", "secret.key")
FOLDERS = ("guidelines", "images", "releases", "label-studio")

#: Files of this kind are compressed already.
_COMPRESSED = (".png", ".jpg", ".jpeg", ".webp", ".gz", ".zip")
_CHUNK = 1 << 20
#: What reading a damaged archive raises: flags, sizes and places in it may say anything.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError),
)
_MEND = "get a whole copy of the backup"


class BackupWriter:
    """Adds files to a backup, and the manifest last."""

    def __init__(self, file: BinaryIO) -> None:
        self._archive = zipfile.ZipFile(file, "w")
        self._files: dict[str, dict[str, Any]] = {}
        self.bytes = 0

    def close(self) -> None:
        """End the archive, whole or not."""
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
        """Write the manifest with what else is to be said, and end the archive; returns the manifest."""
        manifest = {"format": FORMAT, "format_version": FORMAT_VERSION, **about, "files": self._files}
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        self._archive.writestr(_info(MANIFEST), text.encode())
        self._archive.close()
        return manifest


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
    info.compress_type = zipfile.ZIP_STORED if name.endswith(_COMPRESSED) else zipfile.ZIP_DEFLATED
    # Password hashes lie in it.
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
        """The bytes of a file in parts; raises FormatError, at the end at the latest, where they are not those."""
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
        except _DAMAGE as error:
            raise FormatError(f"{self.path}: {name} is damaged ({error}); {_MEND}") from None
        if (size, digest.hexdigest()) != (entry["bytes"], entry["sha256"]):
            raise FormatError(f"{self.path}: {name} is not what was backed up; {_MEND}")


@contextmanager
def open_backup(path: Path) -> Iterator[Backup]:
    """A backup to read from. Raises FormatError where it is none, is cut off, or holds what it should not."""
    archive, manifest = _opened(path)
    with archive:
        yield Backup(path, manifest, archive)


def _opened(path: Path) -> tuple[zipfile.ZipFile, dict[str, Any]]:
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; name a file that `annotator backup` made") from None
    except IsADirectoryError:
        raise FormatError(f"{path}: is a folder; name a file that `annotator backup` made") from None
    except _DAMAGE as error:
        raise FormatError(f"{path}: is no backup, or cut off ({error}); {_MEND}") from None
    try:
        manifest = _manifest(path, archive)
        names = [info.filename for info in archive.infolist()]
        if len(names) != len(set(names)) or set(names) != {MANIFEST, *manifest["files"]}:
            raise FormatError(f"{path}: does not hold the files that its manifest lists; {_MEND}")
    except BaseException:
        archive.close()
        raise
    return archive, manifest


def _manifest(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        text = archive.read(MANIFEST)
    except KeyError:
        raise FormatError(f"{path}: has no {MANIFEST}, so it is no backup; name one") from None
    except _DAMAGE as error:
        raise FormatError(f"{path}: {MANIFEST} is damaged ({error}); {_MEND}") from None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: {MANIFEST} is no JSON ({error}); {_MEND}") from None
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
        raise FormatError(f"{path}: {MANIFEST} lists no campaign; {_MEND}")
    for name, entry in files.items():
        if not (
            isinstance(entry, dict) and type(entry.get("bytes")) is int and isinstance(entry.get("sha256"), str)
        ):
            raise FormatError(f"{path}: {MANIFEST} lacks size or hash of {name!a}; {_MEND}")
        if not _may_be_there(name):
            raise FormatError(f"{path}: holds {name[:80]!a}, which is no part of a campaign; {_MEND}")
    return found


def _may_be_there(name: str) -> bool:
    parts = PurePosixPath(name).parts
    plain = name == "/".join(parts) and ".." not in parts and "\\" not in name and name.isprintable()
    return plain and (name in FILES or (len(parts) > 1 and parts[0] in FOLDERS))
