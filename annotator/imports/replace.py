"""Replace captions and images of a campaign's figures. Existing work stays with the revision it was made on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Unpack

from annotator.campaign.home import Home
from annotator.consensus.outdated import listed, what_changed
from annotator.imports.figures import (
    BATCH,
    NO_ORIGIN,
    ImageOptions,
    Origin,
    figure_of_record,
    image_source,
    keep_published,
    note_without_pairs,
    storable,
)
from annotator.imports.image_intake import form_to_store, store_image
from annotator.queue.ranking import leave_to_score, score_disagreement
from annotator.store.database.errors import check_text
from annotator.store.queries.figures import revision_like
from annotator.store.rows.records import Revisions
from annotator.store.store import Store, Transaction
from panelwise.domain import IMAGE_AS_WRITTEN, AnnotatorError, Caption, Figure, InvalidAnnotation, StoreError
from panelwise.files import Problems
from panelwise.formats import FigureRecord, check_figures, read_figures
from panelwise.runtime import batches, counted


@dataclass(slots=True)
class RevisionTally:
    """Counts of the records so far.

    added: new figures. revised: ids of figures with a new caption or image; captions, images: how many of each.
    back: those that returned to an earlier revision. updated: references, source or unknown keys changed in place.
    unchanged: stored as they are. left_behind: revised figures that have work on an earlier revision.
    """

    added: int = 0
    unchanged: int = 0
    updated: int = 0
    captions: int = 0
    images: int = 0
    revised: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Return the counts by outcome, as a report names them."""
        revised = len(self.revised) + self.updated
        return {"imported": self.added, "revised": revised, "unchanged": self.unchanged}

    def summary(self, what: str) -> str:
        """Return the tally in one line. what: "figures", or "figure" if one was added."""
        parts = [f"imported {self.added} {what}"] if self.added else []
        kinds = [counted(n, what) for n, what in ((self.captions, "caption"), (self.images, "image")) if n]
        kind = f" ({', '.join(kinds)})" if self.revised else ""
        parts += [
            f"revised {counted(len(self.revised), 'figure')}{kind}",
            f"updated {self.updated} in place",
            f"{self.unchanged} unchanged",
        ]
        line = ", ".join(parts)
        if self.back:
            line += f"; returned to an earlier revision: {listed(self.back)}"
        if self.left_behind:
            work = f"work on {counted(len(self.left_behind), 'figure')}"
            line += f"; {work} is now outdated: {listed(self.left_behind)}"
        return line


def revise_figures(
    home: Home,
    store: Store,
    path: Path,
    problems: Problems,
    *,
    qa: Path | None = None,
    origin: Origin = NO_ORIGIN,
    **options: Unpack[ImageOptions],
) -> Iterator[RevisionTally]:
    """Update the campaign's figures from the file and import new ones; yields the tally after each record.

    A changed caption, tokenization or image makes a new revision; other fields are updated in place. A repeated id
    is a problem, and the first record counts. The options are those of `import_figures`. Running again changes
    nothing; an interrupted run continues.
    """
    source = image_source(home, path, options)
    check_figures(path, images=not source.without)
    tally, without = RevisionTally(), 0
    records = read_figures(path, problems, images=not source.without, qa=qa)
    for batch in batches(origin.completed(records), BATCH):
        fit = storable(batch, problems)
        with store.read() as tx:
            there = tx.figures.by_id([record.figure_id for record in fit])
        made: list[tuple[FigureRecord, Figure]] = []
        for record in fit:
            known = there.get(record.figure_id)
            try:
                found = figure_of_record(home, record, source, note=problems.note, there=known)
            except AnnotatorError as error:
                problems.add(f"{record.where}: {error}")
                continue
            made.append((record, found if known is None else _as_to_images(found, known)))
        without += sum(not figure.imported.pairs for _, figure in made)
        before = len(tally.revised)
        with store.transaction() as tx:
            outcomes = tx.figures.add_many([figure for _, figure in made])
            for (record, figure), outcome in zip(made, outcomes, strict=True):
                try:
                    if isinstance(outcome, AnnotatorError):
                        if not tx.figures.has(figure.id):
                            raise outcome
                        _revise(tx, figure, tally)
                    elif outcome:
                        keep_published(tx, [figure])
                        tally.added += 1
                    else:
                        tally.unchanged += 1
                except AnnotatorError as error:
                    problems.add(f"{record.where}: {error}")
            # In one transaction with the revisions: after a break in between the next run scores them.
            leave_to_score(tx, tally.revised[before:])
        score_disagreement(store, home.campaign, tally.revised[before:])
        for _ in batch:
            yield tally
    note_without_pairs(home, problems, path, without)


def replace_caption(home: Home, store: Store, figure_id: str, text: str) -> Figure:
    """Replace a figure's caption; returns the figure, in its new revision.

    Raises InvalidAnnotation for a text that cannot be stored.
    """
    try:
        check_text(text)
    except StoreError as error:
        raise InvalidAnnotation(str(error)) from None
    return _replace(home, store, figure_id, lambda old: replace(old, caption=Caption.cut(text.strip())))


class NewSize(StrEnum):
    """Comparison of a new image's size to that of the present one."""

    SAME = "same"
    SAME_PROPORTIONS = "same proportions"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ImagePreview:
    """Effect of replacing a figure's image by a file, of which nothing is stored yet.

    data: the bytes that would be stored. width, height: in pixels. returns_to: the revision that becomes current,
    or stays so, with its work; None for an image that the figure never had. is_present: the figure has this image.
    annotations: present ones, which become outdated with another revision. decided: a decision does, too.
    """

    figure: Figure
    data: bytes = field(repr=False)
    suffix: str
    width: int
    height: int
    size: NewSize
    returns_to: int | None
    is_present: bool
    annotations: int
    decided: bool


def preview_image(home: Home, tx: Transaction, figure_id: str, file: Path) -> ImagePreview:
    """Compare a file, as `replace_image` would store it, to the figure's image. Raises FormatError."""
    from panelwise.images import read_bytes

    work, limits = tx.work.of(figure_id), home.settings.images.limits
    picture, data = form_to_store(read_bytes(file, limits), file.name, limits)
    figure, (width, height) = work.figure, picture.image.size
    digest = hashlib.sha256(data).hexdigest()
    wanted = replace(figure, width=width, height=height, image_sha256=digest)
    known = revision_like(wanted, figure, tx.figures.revisions(figure_id))
    return ImagePreview(
        *(figure, data, picture.suffix or ".png", width, height, _compared(figure, width, height)),
        *(None if known is None else known.revision, figure.image_sha256 == digest),
        *(len(work.annotations), work.decision is not None),
    )


def _compared(figure: Figure, width: int, height: int) -> NewSize:
    """Proportions are the same if the height differs by at most a pixel from that of the scaled image."""
    if (width, height) == (figure.width, figure.height):
        return NewSize.SAME
    scaled = figure.height * width / figure.width
    return NewSize.SAME_PROPORTIONS if figure.sized and abs(scaled - height) <= 1 else NewSize.OTHER


def replace_image(home: Home, store: Store, figure_id: str, file: Path) -> Figure:
    """Replace a figure's image by a file; see `replace_caption`. Raises FormatError if it is no image."""
    stored = store_image(file, home.path, figure_id, home.settings.images.limits)
    return _replace(
        home,
        store,
        figure_id,
        lambda old: replace(
            old, image=stored.path, width=stored.width, height=stored.height, image_sha256=stored.sha256
        ),
    )


def _replace(home: Home, store: Store, figure_id: str, change: Callable[[Figure], Figure]) -> Figure:
    with store.transaction() as tx:
        new = tx.figures.replace(change(tx.figures.existing(figure_id)))
        leave_to_score(tx, [figure_id])
    score_disagreement(store, home.campaign, [figure_id])
    return new


def _as_to_images(figure: Figure, there: Figure) -> Figure:
    """Return the figure without an image check, with the stored origin of its image."""
    if figure.image or not there.image:
        return figure
    extra = {key: value for key, value in figure.extra.items() if key != IMAGE_AS_WRITTEN}
    if IMAGE_AS_WRITTEN in there.extra:
        extra[IMAGE_AS_WRITTEN] = there.extra[IMAGE_AS_WRITTEN]
    return replace(figure, extra=extra)


def _revise(tx: Transaction, figure: Figure, tally: RevisionTally) -> None:
    old = tx.figures.get(figure.id)
    new = tx.figures.replace(figure)
    if new.revision == old.revision:
        if new == old:
            tally.unchanged += 1
        else:
            tally.updated += 1
        return
    keep_published(tx, [new])
    caption, image = what_changed(old, new)
    tally.captions += caption
    tally.images += image
    tally.revised.append(figure.id)
    if new.revision < old.revision:
        tally.back.append(figure.id)
    worked_on = any(True for _ in tx.annotations.all(figure=figure.id, revisions=Revisions.OTHER))
    if worked_on or (tx.decisions.last_version(figure.id) and tx.decisions.get(figure.id) is None):
        tally.left_behind.append(figure.id)
