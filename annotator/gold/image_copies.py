"""Copy images out of a campaign under MedICaT's file names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, MutableMapping
from pathlib import Path, PurePosixPath
from typing import Any

from annotator.campaign.home import Home
from panelwise.domain import AnnotatorError, Figure, FormatError
from panelwise.runtime import write_whole

#: Longest file name in bytes on common file systems.
_NAME_BYTES = 255


def reader_name(record: Mapping[str, Any]) -> str:
    """Return the image's file name for a gold record: "<pdf_hash>_<fig_uri>"."""
    return f"{record['pdf_hash']}_{record['fig_uri']}"


class ImageCopies:
    """Copies stored images into one folder, which is created if needed."""

    def __init__(self, home: Home, folder: Path) -> None:
        self._home = home
        self._folder = folder
        self._given: dict[str, str] = {}
        self.count = 0
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, figure: Figure, record: MutableMapping[str, Any]) -> tuple[str, str]:
        """Copy the image of a figure with its gold record; returns its name and the SHA-256 of its bytes.

        The record's `image` becomes that name, so that both can be imported together again.

        Raises AnnotatorError, and copies nothing, where the image is missing or not the one that was imported, and
        where its name is taken by another figure or is no name of a file.
        """
        name = reader_name(record)
        if not _names_a_file(name):
            raise FormatError(
                f'figure "{figure.id}": {name[:80]!a} cannot name a file; correct pdf_hash and fig_uri in its '
                "source"
            )
        # Upper and lower case are one on some file systems.
        other = self._given.setdefault(name.casefold(), figure.id)
        if other != figure.id:
            raise FormatError(
                f'figures "{other}" and "{figure.id}" have one pdf_hash and fig_uri, "{name}" together; '
                "give one of them another figure_id, or another fig_uri in its source"
            )
        data = _bytes(self._home, figure)
        digest = hashlib.sha256(data).hexdigest()
        if figure.image_sha256 and digest != figure.image_sha256:
            raise AnnotatorError(
                f'figure "{figure.id}": {figure.image} differs from the imported image; restore that one'
            )
        path = self._folder / name
        if not path.is_file() or path.read_bytes() != data:
            write_whole(path, data)
        self.count += 1
        record["image"] = name
        return name, digest


def _names_a_file(name: str) -> bool:
    plain = name == PurePosixPath(name).name and "\\" not in name and name.isprintable()
    return plain and len(name.encode()) <= _NAME_BYTES


def _bytes(home: Home, figure: Figure) -> bytes:
    if not figure.image:
        raise AnnotatorError(f'figure "{figure.id}": has no image to copy; import it with its image')
    try:
        return home.image_path(figure).read_bytes()
    except OSError as error:
        raise AnnotatorError(
            f'figure "{figure.id}": {figure.image}: {error.strerror}; restore the image'
        ) from None
