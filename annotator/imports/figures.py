"""Import figures. Safe to run again; valid records are imported despite errors in others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

import msgspec

from annotator.campaign.home import Home
from annotator.imports.image_intake import StoredImage, store_bytes, store_image
from annotator.imports.joined_images import store_joined
from annotator.store.database.values import check_texts
from annotator.store.store import Store, Transaction
from panelwise.domain import IMAGE_AS_WRITTEN, AnnotatorError, Figure, FormatError
from panelwise.files import Problems, image_path
from panelwise.formats import (
    IMAGES,
    LICENCE_KEYS,
    FigureRecord,
    check_figures,
    image_folder,
    published_panels,
    read_figures,
)
from panelwise.images import HEIGHT, PLACEHOLDER, WIDTH, Fetcher, is_url, placeholder, shown_address
from panelwise.runtime import batches, counted

T = TypeVar("T")

#: Records per transaction: a crash loses at most this many, and the next run imports them.
BATCH = 200
#: The same without images, where a transaction costs more than a record.
BULK = 2000


@dataclass(slots=True)
class Tally:
    """Counts of records so far: imported, unchanged, and left out (each reported as a problem)."""

    added: int = 0
    unchanged: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """Return the counts by outcome, as a report names them."""
        return {"imported": self.added, "unchanged": self.unchanged}

    def summary(self, what: str) -> str:
        """Return the tally in one line. what: noun of the records, such as "figures"."""
        known = f", {self.unchanged} unchanged" if self.unchanged else ""
        return f"imported {self.added} {what}{known}"


@dataclass(frozen=True, slots=True)
class ImageSource:
    """Sources of the records' images.

    folder: base of relative paths. fetcher: downloads images given by URL, None if that is not allowed. without:
    skip images; records give width and height. placeholders: replace missing images by placeholders.
    """

    folder: Path
    fetcher: Fetcher | None = None
    without: bool = False
    placeholders: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """The licence and the article of an import's figures, for records that state none; "" if unknown."""

    licence: str = ""
    document: str = ""

    def completed(self, records: Iterable[FigureRecord]) -> Iterator[FigureRecord]:
        """Yield the records, with a source where this one says more than they do."""
        for record in records:
            added = {}
            if self.licence and not any(
                holder.get(key) for holder in (record.source, record.extra) for key in LICENCE_KEYS
            ):
                added["licence"] = self.licence
            if self.document and not record.document:
                added["document"] = self.document
            yield msgspec.structs.replace(record, source={**record.source, **added}) if added else record


class ImageOptions(TypedDict, total=False):
    """Options for the images of an import.

    images: base folder of relative image paths, by default the folder of the file, or the file if it is a folder.
    allow_urls: download images given by URL even if campaign.toml doesn't allow it; stored ones are not downloaded
    again. without_images: skip images; records must give width and height. placeholders: draw a placeholder with
    the figure's id for an image that is missing and not stored.
    """

    images: Path | None
    allow_urls: bool
    without_images: bool
    placeholders: bool


#: Every record says itself where its figure comes from.
NO_ORIGIN = Origin()


def image_source(home: Home, file: Path, options: ImageOptions) -> ImageSource:
    """Return the image sources for the records in `file`, from the campaign's settings and the options."""
    settings = home.settings.images
    return ImageSource(
        options.get("images") or image_folder(file),
        Fetcher(settings) if options.get("allow_urls") or settings.allow_urls else None,
        options.get("without_images", False),
        options.get("placeholders", False),
    )


def import_figures(
    home: Home,
    store: Store,
    path: Path,
    problems: Problems,
    *,
    qa: Path | None = None,
    origin: Origin = NO_ORIGIN,
    **options: Unpack[ImageOptions],
) -> Iterator[Tally]:
    """Import figures with their images; yields the tally after each record.

    qa: a file of question-answer pairs (SciVQA's), stored with their figures. origin: of records that do not say.
    """
    source = image_source(home, path, options)
    check_figures(path, images=not source.without)
    tally, without = Tally(), 0
    records = read_figures(path, problems, images=not source.without, qa=qa)
    for batch in batches(origin.completed(records), BULK if source.without else BATCH):
        fit = storable(batch, problems)
        there = _there(store, fit, source)
        made: list[FigureRecord] = []
        figures: list[Figure] = []
        for record in fit:
            try:
                figures.append(
                    figure_of_record(home, record, source, note=problems.note, there=there.get(record.figure_id))
                )
                made.append(record)
            except AnnotatorError as error:
                problems.add(f"{record.where}: {error}")
        with store.transaction() as tx:
            outcomes = tx.figures.add_many(figures)
            keep_published(
                tx, [figure for figure, outcome in zip(figures, outcomes, strict=True) if outcome is True]
            )
        for record, outcome in zip(made, outcomes, strict=True):
            if isinstance(outcome, AnnotatorError):
                problems.add(f"{record.where}: {outcome}")
            elif outcome:
                tally.added += 1
            else:
                tally.unchanged += 1
        without += sum(
            not isinstance(outcome, AnnotatorError) and not figure.imported.pairs
            for figure, outcome in zip(figures, outcomes, strict=True)
        )
        for _ in batch:
            yield tally
    note_without_pairs(home, problems, path, without)


def keep_published(tx: Transaction, figures: Iterable[Figure]) -> None:
    """Store the panels that their publisher gave of these figures, as predictions."""
    for figure in figures:
        if (panels := published_panels(figure)) is not None:
            tx.predictions.put(panels)


def note_without_pairs(home: Home, problems: Problems, path: Path, count: int) -> None:
    """Note the figures that were imported without question-answer pairs, where a phase asks about pairs.

    count: number of such figures.
    """
    phases = [phase.name for phase in home.campaign.phases if phase.kind.on_pairs]
    if count and phases:
        problems.note(
            f"{path}: {counted(count, 'figure')} without question-answer pairs, which phase {phases[0]} asks "
            "about; import the pairs again with their figures (--qa FILE --revise)"
        )


def take_in(
    store: Store,
    records: Iterable[T],
    problems: Problems,
    tally: Tally,
    take: Callable[[Transaction, T, str], None],
) -> Iterator[Tally]:
    """Store the records of a file, a batch at a time; yields the tally after each record.

    take: stores one, from the place that it is given; what it raises is a problem there.
    """
    for batch in batches(((problems.where, record) for record in records), BATCH):
        with store.transaction() as tx:
            for where, record in batch:
                try:
                    take(tx, record, where)
                except AnnotatorError as error:
                    problems.add(f"{where}: {error}")
        for _ in batch:
            yield tally


def storable(records: Iterable[FigureRecord], problems: Problems) -> list[FigureRecord]:
    """Yield the records whose texts can all be stored; each of the others is a problem.

    To be called before anything is done for a record, such as copying its image.
    """
    found = []
    for record in records:
        texts = (
            record.figure_id,
            record.image,
            record.caption.text,
            record.references,
            record.source,
            record.record_keys,
        )
        try:
            check_texts(texts)
        except AnnotatorError as error:
            problems.add(f"{record.where}: {error}")
        else:
            found.append(record)
    return found


def figure_of_record(
    home: Home,
    record: FigureRecord,
    source: ImageSource,
    *,
    note: Callable[[str], None] | None = None,
    there: Figure | None = None,
) -> Figure:
    """Return the figure of a record, with its image copied into the home. Writes nothing to the store.

    note: called with each change to the image (first of several frames, reduced grey levels). there: the stored
    figure; its image is not downloaded again if the record gives the same address. Raises FormatError, without the
    record's place, if the image is unavailable or not of the size that the record states.
    """
    extra = record.extra
    notes: list[str] = []
    if source.without:
        stored, extra = _without_image(record)
    elif record.images:
        limits = home.settings.images.limits
        stored, images = store_joined(record, source.folder, home.path, limits, notes.append)
        extra = {**extra, IMAGES: images}
    elif is_url(record.image):
        extra = {**extra, IMAGE_AS_WRITTEN: record.image}
        if source.fetcher is None:
            Fetcher(home.settings.images).check(record.image)
            raise FormatError(
                f'figure "{record.figure_id}": its image is a URL, {shown_address(record.image)}; '
                "download it, or allow that with --allow-urls or allow_urls under [images] in campaign.toml"
            )
        stored = _fetched_before(home, record, there) or store_bytes(
            source.fetcher.fetch(record.image),
            record.image,
            home.path,
            record.figure_id,
            home.settings.images.limits,
        )
    else:
        file = image_path(source.folder, record.image, notes.append)
        if source.placeholders and not file.is_file():
            stored, extra = _stand_in(home, record, there)
        elif record.image:
            stored = store_image(file, home.path, record.figure_id, home.settings.images.limits)
        else:
            raise FormatError(
                f'figure "{record.figure_id}": "image" is missing; add it, or use --placeholders or --no-images'
            )
    if note is not None:
        for line in (*notes, *stored.notes):
            note(f"{record.where}: {line}")
    for name, given, true in (
        ("width", record.width, stored.width),
        ("height", record.height, stored.height),
    ):
        if given is not None and given != true:
            raise FormatError(
                f'figure "{record.figure_id}": {name} is {given}, but the upright image has {true} pixels; '
                "correct the record or the image"
            )
    figure = replace(record.figure, image=stored.path, extra=extra, image_sha256=stored.sha256)
    return replace(figure, width=stored.width, height=stored.height)


def _without_image(record: FigureRecord) -> tuple[StoredImage, Mapping[str, Any]]:
    if record.width is None or record.height is None:
        what = "width" if record.width is None else "height"
        raise FormatError(
            f'figure "{record.figure_id}": {what} is missing and unknown without the image; '
            "add width and height, or import with the image"
        )
    extra = {**record.extra, IMAGE_AS_WRITTEN: record.image} if record.image else record.extra
    return StoredImage("", record.width, record.height, ""), extra


def _stand_in(home: Home, record: FigureRecord, there: Figure | None) -> tuple[StoredImage, Mapping[str, Any]]:
    """Return the stored image of a record without an image file, else a placeholder, and its extra keys.

    An existing placeholder is reused, because another version of Pillow draws other bytes.
    """
    extra: Mapping[str, Any] = {**record.extra, PLACEHOLDER: True}
    if record.image:
        extra = {**extra, IMAGE_AS_WRITTEN: record.image}
    if there is not None and there.image and home.image_path(there).is_file():
        stored = StoredImage(there.image, there.width, there.height, there.image_sha256)
        return stored, extra if there.extra.get(PLACEHOLDER) else record.extra
    limits = home.settings.images.limits
    width, height = record.width or WIDTH, record.height or HEIGHT
    if width * height > limits.max_pixels or max(width, height) > limits.max_side:
        raise FormatError(
            f'figure "{record.figure_id}": {width} x {height} pixels exceed what [images] in campaign.toml '
            "allows; correct width and height"
        )
    drawn = placeholder(record.figure_id, width, height)
    return store_bytes(drawn, "placeholder", home.path, record.figure_id, limits), extra


def _there(store: Store, batch: list[FigureRecord], source: ImageSource) -> dict[str, Figure]:
    """Return the stored figures, by id, of records named by an address or that may need a placeholder."""
    asked = [
        record.figure_id
        for record in batch
        if source.placeholders or (source.fetcher is not None and is_url(record.image))
    ]
    if not asked:
        return {}
    with store.read() as tx:
        return tx.figures.by_id(asked)


def _fetched_before(home: Home, record: FigureRecord, there: Figure | None) -> StoredImage | None:
    """Return the stored image that was downloaded from this URL before, if it still exists."""
    if there is None or there.extra.get(IMAGE_AS_WRITTEN) != record.image or not there.image:
        return None
    if not home.image_path(there).is_file():
        return None
    return StoredImage(there.image, there.width, there.height, there.image_sha256)
