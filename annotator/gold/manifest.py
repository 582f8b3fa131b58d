"""The manifest of a release: what its readers need of it, checked once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NotRequired, TypedDict

import msgspec

from panelwise.domain import FormatError
from panelwise.files import BOM, repeated_key
from prelabel.training import Split

MANIFEST = "manifest.json"
#: What `format` says in every manifest, and which version of it this program writes.
FORMAT, FORMAT_VERSION = "panelwise-release", 1


class _File(TypedDict):
    sha256: str


class _Figure(TypedDict):
    file: str | None
    image_sha256: str | None


class _DatasetFigure(_Figure):
    document: str
    split: Split


class _Counts(TypedDict):
    figures: int
    subfigures: int


class _Release(TypedDict):
    created_at: str
    names: str
    files: dict[str, _File]


class _Manifest(_Release):
    """The manifest of a release from before releases were datasets."""

    counts: _Counts
    figures: dict[str, _Figure]


class _Part(TypedDict):
    figures: int
    documents: int


class _DatasetCounts(_Counts):
    documents: int
    tokens: int
    subcaption_tokens: int
    annotations: int
    predictions: int
    by_source: dict[str, int]
    by_split: dict[str, _Part]


class _Licence(TypedDict):
    figures: int
    images: int


class _About(TypedDict):
    licence: str
    authors: list[dict[str, Any]]
    image_licences: list[str]


class _Campaign(TypedDict):
    max_boxes: int


class _Agreement(TypedDict):
    iaa: float | None
    reason: str | None
    interval: tuple[float, float] | None
    pooled: float | None
    macro: float | None
    annotators: int
    figures: int
    figures_shared: int
    seeded: int
    partly_read: NotRequired[int]


class _Phase(TypedDict):
    phase: str
    campaign: _Agreement
    # Releases of earlier versions do not have it.
    released_independent: NotRequired[_Agreement]
    released: _Agreement


class _Phases(TypedDict):
    phases: list[_Phase]


class _Dataset(_Release):
    """The manifest of a release that is a dataset, known by its `about`."""

    counts: _DatasetCounts
    figures: dict[str, _DatasetFigure]
    about: _About
    campaign: _Campaign
    licences: dict[str, _Licence]
    agreement: _Phases


def read_manifest(file: Path) -> dict[str, Any]:
    """Read a manifest, all its keys. Raises FormatError if it can't be read, or is not of a release's shape."""
    try:
        raw = file.read_bytes().removeprefix(BOM)
        found = msgspec.json.decode(raw)
    except OSError as error:
        raise FormatError(f"{file}: {error.strerror}; restore an intact copy") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{file}: is not valid JSON ({error}); restore an intact copy") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise FormatError(f"{file}: is not the manifest of a release; restore an intact copy")
    repeated = repeated_key(raw, found)
    if repeated is not None:
        raise FormatError(f'{file}: "{repeated}" occurs twice in one object; restore an intact copy')
    try:
        msgspec.convert(found, _Dataset if "about" in found else _Manifest)
    except msgspec.ValidationError as error:
        raise FormatError(f"{file}: is not the manifest of a release ({error}); restore an intact copy") from None
    return found
