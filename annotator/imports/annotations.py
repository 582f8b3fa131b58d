"""Import annotations and predictions. Safe to run again; valid records are imported despite errors in others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from agreement.consensus import CONSENSUS_PHASE
from annotator.consensus.outdated import listed, worked_on
from annotator.imports.figures import Tally, take_in
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    KINDS,
    MAX_BOXES,
    Annotation,
    AnnotatorError,
    Campaign,
    Figure,
    FormatError,
    InvalidAnnotation,
    Prediction,
    Spellings,
    check_box_count,
    check_not_ahead,
    describe_unlisted,
    unlisted_types,
    without_secrets,
)
from panelwise.files import Problems, SeenWork, read_lines, repeated_work
from panelwise.formats import (
    JSONL,
    MEDICAT,
    PLAINLY,
    PREDICTION_PHASE,
    PREDICTIONS,
    UNKNOWN_TIME,
    Contents,
    FigureLookup,
    ImageNames,
    Layout,
    Reading,
    Sight,
    author_of,
    check_layout,
    check_one_author,
    fitted,
    medicat_annotation_of,
    read_numbered,
    read_work,
    rebased,
    rebased_prediction,
    recognised,
    revisions_alike,
    sight_of,
)
from panelwise.runtime import counted, first_of


def import_annotations(
    store: Store,
    path: Path,
    problems: Problems,
    *,
    layout: Layout = JSONL,
    annotator: str = "",
    account: str = "",
    max_boxes: int = MAX_BOXES,
    campaign: Campaign | None = None,
) -> Iterator[Tally]:
    """Import annotations of the store's figures; yields the tally after each record.

    layout: annotations.jsonl or MedICaT's. annotator: whose work a file of MedICaT's layout is. account: the
    annotator that its records must name, where they name several. max_boxes: as in campaign.toml.
    campaign: whose figure types the records may have; None for any. Raises
    FormatError for a file that clearly has another layout, and for several annotators' work that would become one
    person's.
    """
    records: Iterator[tuple[Annotation, bool]]
    alike: dict[Sight, set[int]] = {}
    unknown: Counter[str] = Counter()
    check_layout(path, layout)
    if layout is MEDICAT:
        records = _of_medicat(path, problems, annotator, account, unknown)
    else:
        alike = revisions_alike(path)
        records = read_numbered(path, problems, unknown, _stored_figures(store))
    tally = Tally()
    intake = Intake(store, path, tally, problems, max_boxes=max_boxes, campaign=campaign)
    earlier: dict[str, None] = {}
    strange: dict[str, None] = {}
    merged = 0

    def take(tx: Transaction, found: tuple[Annotation, bool], where: str) -> None:
        nonlocal merged
        record, numbered = found
        if record.phase == CONSENSUS_PHASE and unknown["consensus"]:
            merged += 1
            return
        others = alike.get(sight_of(record.figure), ()) if alike else ()
        figure, present = worked_on(tx, record.figure, numbered=numbered, alike=others)
        annotation = rebased(fitted(record, figure, where, problems), figure)
        if not present:
            earlier[figure.id] = None
        if unknown_pairs(annotation):
            strange[figure.id] = None
        intake.keep(tx, annotation, where, again=layout is JSONL)

    yield from take_in(store, records, problems, tally, take)
    intake.tell()
    if merged:
        problems.add(
            f"{path}: left out {counted(merged, 'record')} of a consensus, which is not an annotator's work and "
            "would count as another annotator; import it as predictions (agreement consensus --format "
            "predictions, annotator import predictions)"
        )
        # Notes of a consensus beside its subfigures are reported with it.
        for key in [key for key in unknown if key == "consensus" or key.startswith("subfigures.")]:
            del unknown[key]
    if unknown:
        keys = [f'"{key}" ({counted(count, "record")})' for key, count in sorted(unknown.items())]
        problems.note(
            f"{path}: annotations can't represent {first_of(keys, 8)}; left out, keep the file if you need them"
        )
    if strange:
        problems.note(
            f"{path}: annotations of {counted(len(strange), 'figure')} have pairs that the figure doesn't have: "
            f"{listed(strange)}; import these with `annotator import figures --qa`"
        )
    if earlier:
        problems.note(
            f"{path}: annotations of {counted(len(earlier), 'figure')} are outdated (earlier caption or "
            f"image); they are "
            f'stored but not counted: {listed(earlier)} ("revision" in a record is the revision it was made on)'
        )


def unknown_pairs(annotation: Annotation) -> set[str]:
    """Return ids of pairs in an annotation that its figure doesn't have."""
    on_pairs = (kind.parts(annotation.items) for kind in KINDS.values() if kind.on_pairs)
    spoken = {name for parts in on_pairs for name in parts}
    return spoken - annotation.figure.imported.by_id.keys()


def _of_medicat(
    path: Path, problems: Problems, annotator: str, account: str, unknown: Counter[str]
) -> Iterator[tuple[Annotation, bool]]:
    """Yield the records of MedICaT's layout, each with whether it names the revision of its figure.

    unknown: counts the keys that an annotation can't represent: the reviewer, and whose work a decision is based
    on.
    """
    if (annotator or account) and path.is_file():
        names = Counter(author_of(line.record) for line in read_lines(path, Problems()))
        unnamed = names.pop("", 0)
        check_one_author(path, names, account, "" if account else ", or leave out --annotator")
        if names and unnamed and not account:
            problems.note(
                f"{path}: without an author: {counted(unnamed, 'record')}; came in as {annotator}'s, as the "
                "others did; --account leaves them out"
            )
    for line in read_lines(path, problems):
        if account and author_of(line.record) != account:
            continue
        try:
            found = medicat_annotation_of(line, "gold", problems)
            named = replace(found, annotator=annotator) if annotator else found
            yield named, line.record.get("revision") is not None
            if line.record.get("provenance"):
                unknown["provenance"] += 1
        except AnnotatorError as error:
            problems.add(error, line.where)


def import_predictions(
    store: Store,
    path: Path,
    problems: Problems,
    *,
    layout: Layout | None = None,
    reading: Reading = PLAINLY,
    max_boxes: int = MAX_BOXES,
) -> Iterator[Tally]:
    """Import predictions for the store's figures; a model version's newest replaces its older one.

    layout: by default as the file looks. reading: the model of a layout that names none, and the least score.
    Size and caption that a record lacks are those of the figure.
    """
    layout = layout or recognised(path, Contents.PREDICTIONS) or PREDICTIONS
    check_layout(path, layout)
    tally = Tally()
    seen = SeenWork()
    reading = replace(reading, lookup=_stored_figures(store), image=StoredImages(store, problems))

    def take(tx: Transaction, record: Annotation | Prediction, where: str) -> None:
        if isinstance(record, Annotation):
            raise InvalidAnnotation(
                f'figure "{record.figure.id}" has a box without a score, as work of people has; use '
                f"`{layout.command}`, or give such boxes a score with --score"
            )
        check_box_count(record, max_boxes)
        place = (record.figure.id, record.model_version, PREDICTION_PHASE)
        earlier = seen.earlier(*place, record.figure.revision, UNKNOWN_TIME, where)
        if earlier is not None:
            before = repeated_work(*place, earlier._replace(same_time=False))
            raise InvalidAnnotation(f"{before}; kept the first")
        figure = tx.figures.get(record.figure.id)
        tx.predictions.put(rebased_prediction(fitted(record, figure, where, problems), figure))
        tally.added += 1

    return take_in(store, read_work(layout, path, problems, reading), problems, tally, take)


class StoredImages:
    """Finds the campaign's figure of an image, for readers of layouts that name images.

    By the figure's id, else by the file's name: the stored path, the name at import, or the figure's id, with or
    without folder and extension. Raises FormatError if none or several fit.
    """

    def __init__(self, store: Store, problems: Problems) -> None:
        self._store, self._problems = store, problems
        self._latest: Figure | None = None
        with store.read() as tx:
            self._names = ImageNames(tx.figures.all())

    def __call__(self, figure_id: str, file_name: str) -> Figure:
        """Return the figure."""
        where = self._problems.where
        candidates = (figure_id,) if figure_id in self._names.ids else self._names.figures_of(file_name)
        if not candidates and figure_id:
            raise FormatError(f'{where}: figure "{figure_id}" is not in the store; import it first')
        if len(candidates) != 1:
            several = (
                f"may be of figures {', '.join(candidates[:5])}" if candidates else "matches no stored figure"
            )
            shown = without_secrets(file_name)
            raise FormatError(f'{where}: image "{shown}" {several}; add the figure\'s figure_id')
        (wanted,) = candidates
        if self._latest is None or self._latest.id != wanted:
            with self._store.read() as tx:
                self._latest = tx.figures.get(wanted)
        return self._latest


def _stored_figures(store: Store) -> FigureLookup:
    """Return the lookup of the campaign's figures, which raises StoreError for other ids and revisions."""

    def known(figure_id: str, revision: int | None) -> Figure:
        with store.read() as tx:
            figure = tx.figures.get(figure_id)
            # An only revision may be a later one elsewhere.
            if revision is None or figure.revision == 1:
                return figure
            return tx.figures.get(figure_id, revision=revision)

    return known


class Intake:
    """Stores the annotations of one file and counts them; those that can't be stored become problems.

    max_boxes: see `Campaign`. campaign: whose figure types the annotations may have; None for any.
    """

    def __init__(
        self,
        store: Store,
        path: Path,
        tally: Tally,
        problems: Problems,
        *,
        max_boxes: int = MAX_BOXES,
        campaign: Campaign | None = None,
    ) -> None:
        self._path, self._tally, self._problems = path, tally, problems
        self._max_boxes = max_boxes
        self._campaign = campaign
        self._seen = SeenWork()
        self._authors: dict[tuple[str, int, str, str], str] = {}
        with store.read() as tx:
            self._spellings = Spellings(tx.names.all())

    def keep(
        self, tx: Transaction, annotation: Annotation, where: str, *, by: str = "", again: bool = False
    ) -> None:
        """Store one annotation under the campaign's spelling of the annotator's name.

        by: the author that the file names. again: the layout may hold later work of an annotator on a figure too.
        """
        try:
            check_box_count(annotation, self._max_boxes)
            check_not_ahead(annotation.saved_at)
            self._check_types(annotation)
            name = self._spellings.stored_name(annotation.annotator)
            if name != annotation.annotator:
                annotation = replace(annotation, annotator=name)
            self._check_once(annotation, where, by, again=again)
            if tx.annotations.add(annotation, origin=f"file:{self._path.name}"):
                self._tally.added += 1
            else:
                self._tally.unchanged += 1
        except AnnotatorError as error:
            self._problems.add(error, where)

    def _check_types(self, annotation: Annotation) -> None:
        """Raise InvalidAnnotation for a figure's type that the campaign does not list."""
        kind = annotation.items.kind
        if self._campaign is None or kind is None:
            return
        unlisted = unlisted_types(kind.types, self._campaign.phase(annotation.phase))
        if unlisted:
            message = describe_unlisted(unlisted, self._campaign.figure_types)
            mend = "correct the record, or list the type in campaign.toml"
            raise InvalidAnnotation(f'figure "{annotation.figure.id}": {message}; {mend}')

    def _check_once(self, annotation: Annotation, where: str, by: str, *, again: bool) -> None:
        """Raise FormatError for work that is in the file before; note it if saved at another time, and allowed."""
        figure, annotator, phase = annotation.figure, annotation.annotator, annotation.phase
        first = self._authors.setdefault((figure.id, figure.revision, annotator, phase), by) if by else by
        earlier = self._seen.earlier(figure.id, annotator, phase, figure.revision, annotation.saved_at, where)
        if first != by:
            raise FormatError(
                f'{where}: figure "{figure.id}" by "{annotator}" in phase "{phase}" is work of "{first}" and of '
                f'"{by}"; kept the first, choose one with --account'
            )
        if earlier is None:
            return
        again = again and not earlier.same_time
        before = repeated_work(figure.id, annotator, phase, earlier)
        if not again:
            raise FormatError(f"{where}: {before}; kept the first")
        self._problems.note(f"{where}: {before}; the one saved last counts")

    def tell(self) -> None:
        """Report names that were imported under another spelling."""
        for line in self._spellings.notes():
            self._problems.note(f"{self._path}: {line}")
