"""The manifest of a release: one shape for what is written and for what is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, cast

import msgspec

from panelwise.domain import FormatError
from panelwise.files import BOM, repeated_key
from prelabel.training import Split

MANIFEST = "manifest.json"
#: What `format` says in every manifest, and which version of it this program writes.
FORMAT, FORMAT_VERSION = "panelwise-release", 1


#: Both ends of an interval.
_Ends = Annotated[list[float], msgspec.Meta(min_length=2, max_length=2)]


class FileEntry(TypedDict):
    """A file of the release, images aside. lines: of JSON lines."""

    sha256: str
    bytes: NotRequired[int]
    lines: NotRequired[int]


class _Image(TypedDict):
    """The image of a figure. file: in the release; None if it is not part of it."""

    file: str | None
    image_sha256: str | None


class FigureEntry(_Image):
    """A figure of the release. revision, licence: not in releases of earlier versions."""

    revision: NotRequired[int]
    document: str
    licence: NotRequired[str]
    split: Split


class _Counts(TypedDict):
    figures: int
    subfigures: int


class SplitCounts(TypedDict):
    """The figures and articles of a split."""

    figures: int
    documents: int


class Counts(_Counts):
    """Counts of the release's content, beside these one of each kind of items (`dataset/kinds.py`).

    by_annotators: number of annotators -> figures.
    """

    documents: int
    without_document: NotRequired[int]
    tokens: int
    subcaption_tokens: int
    annotations: int
    predictions: int
    by_source: dict[str, int]
    unreviewed: NotRequired[int]
    by_split: dict[str, SplitCounts]
    by_annotators: NotRequired[dict[str, int]]


class LicenceCounts(TypedDict):
    """The figures of a licence, and how many of their images are in the release."""

    figures: int
    images: int


class PhaseEntry(TypedDict):
    """A phase of the campaign."""

    name: str
    task_type: str
    annotate_in: str


class CampaignEntry(TypedDict):
    """The campaign as it was released."""

    name: NotRequired[str]
    guideline: NotRequired[str]
    labels: NotRequired[list[str]]
    max_boxes: int
    quorum: NotRequired[int]
    second_reviewer: NotRequired[bool]
    phases: NotRequired[list[PhaseEntry]]


class Agreement(TypedDict):
    """The agreement over some figures of a phase. work: of which it is. corrected, acquainted: as in reports."""

    iaa: float | None
    reason: str | None
    interval: _Ends | None
    interval_unit: NotRequired[str]
    pooled: float | None
    macro: float | None
    annotators: int
    annotations: NotRequired[int]
    figures: int
    figures_shared: int
    figures_scored: NotRequired[int]
    seeded: int
    partly_read: NotRequired[int]
    pairs: NotRequired[list[dict[str, Any]]]
    work: NotRequired[str]
    corrected: NotRequired[dict[str, Any] | None]
    acquainted: NotRequired[dict[str, Any] | None]


class PhaseAgreement(TypedDict):
    """The agreement of a phase with subfigures, over all its figures and over those released."""

    phase: str
    campaign: Agreement
    released_independent: NotRequired[Agreement]
    released: Agreement


class ItemsAgreement(TypedDict):
    """The agreement on items: of judgements, and of people's answers with the gold's."""

    judgements: list[dict[str, Any]]
    answers: list[dict[str, Any]]


class PhaseItems(TypedDict):
    """The agreement of a phase with items."""

    phase: str
    campaign: ItemsAgreement
    released: ItemsAgreement


class AgreementRecord(TypedDict):
    """The settings of the metric, and the agreement of each phase."""

    mode: NotRequired[str]
    common: NotRequired[str]
    min_iou: NotRequired[float]
    bootstrap: NotRequired[int]
    seed: NotRequired[int]
    phases: list[PhaseAgreement]
    items: NotRequired[list[PhaseItems]]


class About(TypedDict):
    """Values of the table [release] of campaign.toml. statements: by the questions of the datasheet."""

    title: NotRequired[str]
    licence: str
    url: NotRequired[str]
    image_licences: list[str]
    figure_licence: NotRequired[str]
    authors: list[dict[str, Any]]
    statements: NotRequired[dict[str, str]]


class _Release(TypedDict):
    format: NotRequired[str]
    format_version: NotRequired[int]
    number: NotRequired[int]
    name: NotRequired[str]
    created_at: str
    note: NotRequired[str]
    names: str
    files: dict[str, FileEntry]


class _First(_Release):
    """The manifest of a release from before releases were datasets."""

    counts: _Counts
    figures: dict[str, _Image]


class Manifest(_Release):
    """The manifest of a release that is a dataset, known by its `about`.

    left_out: state -> ids of figures, or their number. Keys that are not required were added later.
    """

    panelwise: NotRequired[str]
    store_revision: NotRequired[str]
    campaign: CampaignEntry
    counts: Counts
    licences: dict[str, LicenceCounts]
    models: NotRequired[dict[str, int]]
    include: NotRequired[list[str]]
    status: NotRequired[dict[str, int]]
    left_out: NotRequired[dict[str, list[str] | int]]
    changed_since_settled: NotRequired[list[str]]
    guidelines: NotRequired[dict[str, int]]
    agreement: AgreementRecord
    about: NotRequired[About]
    figures: dict[str, FigureEntry]


def read_manifest(file: Path) -> Manifest:
    """Read a manifest, all its keys. Raises FormatError if it can't be read, or is not of a release's shape.

    That of a release from before releases were datasets has no `about`, and few of the other keys.
    """
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
        msgspec.convert(found, Manifest if "about" in found else _First)
    except msgspec.ValidationError as error:
        raise FormatError(f"{file}: is not the manifest of a release ({error}); restore an intact copy") from None
    return cast("Manifest", found)
