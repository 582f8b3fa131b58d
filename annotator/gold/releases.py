"""Existing releases: folders, manifests, and checks of their files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotator.campaign.home import Home
from annotator.gold.manifest import MANIFEST, Manifest, read_manifest
from panelwise.domain import AnnotatorError, FormatError, has_secrets

#: Hashes of all files including the manifest, for `sha256sum --check`.
SUMS = "SHA256SUMS"

#: Endings of the files of a release, an export or a job in which addresses may stand.
_TEXTS = {".jsonl", ".json", ".md", ".txt", ".csv", ".bib", ".cff", ".html", ".tex", ".log"}
_FOLDER = re.compile(r"(\d{3,})-(.+)")
_SUM = re.compile(r"([0-9a-f]{64}) [ *](.+)")


@dataclass(frozen=True, slots=True)
class Release:
    """One release: folder, number and name."""

    path: Path
    number: int
    name: str

    def manifest(self) -> Manifest:
        """Read the manifest. Raises FormatError if it can't be read."""
        return read_manifest(self.path / MANIFEST)


def releases_folder(home: Home) -> Path:
    """Return the folder of a home's releases."""
    return home.path / "releases"


def releases(home: Home) -> list[Release]:
    """Return a home's releases by number."""
    folder = releases_folder(home)
    if not folder.is_dir():
        return []
    found = ((path, _FOLDER.fullmatch(path.name)) for path in folder.iterdir() if path.is_dir())
    return sorted((Release(path, int(m[1]), m[2]) for path, m in found if m), key=lambda each: each.number)


def release_called(home: Home, name: str) -> Release:
    """Return the release of that name, number or folder. Raises AnnotatorError if there is none."""
    for each in releases(home):
        if name in (each.name, each.path.name, str(each.number), each.path.name.partition("-")[0]):
            return each
    raise AnnotatorError(f'{releases_folder(home)}: no release "{name}"; see `annotator release --list`')


def changes(
    release: Release, *, images: bool = True, digest_of: Callable[[Path], str] | None = None
) -> Iterator[str]:
    """Yield one line for each changed or missing file of a release.

    images: whether to read images too, not only check that they exist. digest_of: returns the SHA-256 of a file,
    or raises OSError, for callers that have already read the files.
    """
    digest_of = digest_of or sha256_of
    try:
        listed = _listed(release)
    except FormatError as error:
        yield str(error)
        return
    sums = _sums(release.path / SUMS)
    if sums is None:
        yield f"{release.path / SUMS}: is missing or unreadable; restore an intact copy"
    elif sums.get(MANIFEST) != digest_of(release.path / MANIFEST):
        yield f"{release.path / MANIFEST}: has changed since the release was made; restore an intact copy"
    elif {name: digest for name, digest in sums.items() if name != MANIFEST} != listed:
        yield f"{release.path / SUMS}: does not list the files of the manifest; restore an intact copy"
    for name, digest in listed.items():
        file = release.path / name
        try:
            if not images and name.startswith("images/"):
                file.stat()
            elif digest_of(file) != digest:
                yield f"{file}: has changed since the release was made; restore an intact copy"
        except OSError as error:
            yield f"{file}: {error.strerror}; restore an intact copy"
    expected = {*listed, MANIFEST, SUMS}
    for file in sorted(release.path.rglob("*")):
        name = file.relative_to(release.path).as_posix()
        if not file.is_dir() and name not in expected:
            yield f"{file}: is not part of the release; move it elsewhere"


def exposures(folder: Path) -> Iterator[str]:
    """Yield a line for each text file below a folder in which an address carries a login, a key or a signature.

    Only the first such line of a file is named, without the secret.
    """
    for file in sorted(folder.rglob("*")):
        if file.suffix not in _TEXTS or not file.is_file():
            continue
        with file.open(encoding="utf-8", errors="replace") as lines:
            number = next((number for number, line in enumerate(lines, start=1) if has_secrets(line)), None)
        if number is not None:
            yield (
                f"{file}:{number}: an address carries a login, a key or a signature; "
                "have it changed where it is valid, withdraw the file and make it again"
            )


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal digits. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def sums_text(digests: Mapping[str, str]) -> str:
    """Format names and hashes for `sha256sum --check`."""
    return "".join(f"{digest}  {name}\n" for name, digest in digests.items())


def _listed(release: Release) -> dict[str, str]:
    """Return file name -> SHA-256 from the manifest. Raises FormatError."""
    manifest = release.manifest()
    listed = {name: entry["sha256"] for name, entry in manifest["files"].items()}
    for entry in manifest["figures"].values():
        if entry["file"] is not None:
            listed[entry["file"]] = str(entry["image_sha256"])
    for name in listed:
        if "\0" in name or not (release.path / name).resolve().is_relative_to(release.path.resolve()):
            raise FormatError(f'{release.path / MANIFEST}: file "{name}" lies outside of the release')
    return listed


def _sums(file: Path) -> dict[str, str] | None:
    try:
        found = [_SUM.fullmatch(line) for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return None
    return {match[2]: match[1] for match in found if match}
