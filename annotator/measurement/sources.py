"""The annotations in a campaign's store or in files of any layout, and what is chosen from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.columns import ScoredAnnotation, Submitted
from agreement.primitives import Mode
from agreement.reading import read_raw_annotations, read_raw_medicat, read_raw_predictions
from annotator.campaign.choices import check_among
from annotator.campaign.home import Home
from annotator.consensus.independent import Independence, independent_work
from annotator.consensus.one_revision import on_one_revision
from annotator.consensus.outdated import listed, present_revisions
from annotator.store.rows.records import Revisions
from panelwise.domain import (
    Annotation,
    AnnotatorError,
    Figure,
    FormatError,
    Status,
    describe_spellings,
    same_names,
)
from panelwise.files import Problems
from panelwise.formats import (
    PREDICTION_PHASE,
    UNKNOWN_TIME,
    FigureLookup,
    Form,
    Layout,
    each_once,
    looks_of,
    read_annotations,
    read_medicat,
    read_predictions,
)
from panelwise.settings import FILE_NAME

if TYPE_CHECKING:
    from annotator.store.store import Store

#: What the decisions of a home count as: one annotator's work in one phase.
GOLD = "gold"


@dataclass(slots=True)
class StoredFigures:
    """The phases and people of a source, to report a misspelt choice."""

    phases: set[str] = field(default_factory=set)
    people: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class People:
    """Annotators whose agreement with each other is the human ceiling. phase: needed if the source has several."""

    path: Path
    phase: str | None = None


def read_people(
    people: People, problems: Problems, mode: Mode, warn: Callable[[str], None] | None = None
) -> list[Submitted]:
    """Read their work of one phase. Raises AnnotatorError if the source can't be read, or to choose a phase."""
    present: dict[str, int] = {}
    known = StoredFigures()
    where = str(people.path)
    into = partial(work_at, present=present, stored=known, warn=warn, independence=Independence())
    found = list(read_source(people.path, problems, into, mode, warn))
    check_spellings({each.annotator for each in found}, [people.path], warn)
    chosen = on_one_revision(
        chosen_work(found, None, people.phase, where, known, prefix="--people-"), present, warn
    )
    one_phase(chosen, where, "--people-phase")
    return chosen


def chosen_work(
    annotations: Iterable[Submitted],
    annotator: str | None,
    phase: str | None,
    where: str,
    stored: StoredFigures,
    *,
    prefix: str = "--",
) -> list[Submitted]:
    """Return the selected work, None for all. `stored` gets the names found.

    Raises AnnotatorError for other names. If there is no work at all, any choice passes, since the missing work is
    the error to report.
    """
    chosen: list[Submitted] = []
    for each in annotations:
        stored.phases.add(each.phase)
        stored.people.add(each.annotator)
        if (annotator is None or each.annotator == annotator) and (phase is None or each.phase == phase):
            chosen.append(each)
    if annotator is not None and stored.people:
        check_among(annotator, stored.people, "annotator", where, option=f"{prefix}annotator")
    if phase is not None and stored.phases:
        check_among(phase, stored.phases, "phase", where, option=f"{prefix}phase")
    return chosen


def check_spellings(
    names: Iterable[str], sources: Sequence[Path], warn: Callable[[str], None] | None = None
) -> None:
    """Refuse work of one person under several spellings of the name: agreement would be with oneself.

    Of campaigns alone `warn` gets how to join them. Raises FormatError if a file is among the sources.
    """
    where = ", ".join(str(source) for source in sources)
    for spellings in same_names(names):
        told, joins = describe_spellings(spellings)
        if any(not source.is_dir() for source in sources):
            raise FormatError(f"{where}: {told}; give each person one name in the files")
        if warn is not None:
            warn(f"{where}: {told}; run {joins}")


def one_phase(annotations: Iterable[Submitted], where: str, option: str) -> str | None:
    """The phase of all annotations; None of none. Across phases a person would be compared with themselves."""
    return only_phase(sorted({each.phase for each in annotations}), where, option)


def only_phase(phases: Sequence[str], where: str, option: str) -> str | None:
    """The one phase there is; None of none. Raises AnnotatorError of several, in order."""
    if len(phases) > 1:
        raise AnnotatorError(f"{where}: holds phases {listed_names(phases)}; choose one with {option}")
    return phases[0] if phases else None


def listed_names(names: Sequence[str], most: int = 8) -> str:
    """The first `most` names in a row, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def read_source(
    source: Path,
    problems: Problems,
    of_home: Callable[[Home, Store], Iterator[Annotation]],
    mode: Mode,
    warn: Callable[[str], None] | None,
    lookup: FigureLookup | None = None,
) -> Iterator[Submitted]:
    """Return the work in one source of any kind; from a home's store by `of_home`.

    lookup: gives sizes and captions that records of annotations and predictions lack.
    """
    if source.is_dir():
        if not (source / FILE_NAME).is_file():
            raise FormatError(
                f"{source}: no campaign here ({FILE_NAME} is missing); name a file or a campaign's home"
            )
        if mode is Mode.OFFICIAL and warn is not None:
            warn(
                f"{source}: a campaign keeps no zero-area box and no repeated token id, so official-code was "
                "computed without them; name the files for exact values"
            )
        home = Home.find(source)
        with home.open_store() as store:
            yield from of_home(home, store)
        return
    yield from each_once(_work_in_file(source, problems, mode, warn, lookup), problems)


def _work_in_file(
    source: Path,
    problems: Problems,
    mode: Mode,
    warn: Callable[[str], None] | None,
    lookup: FigureLookup | None,
) -> Iterator[Submitted]:
    layout = layout_of(source)
    # MedICaT's layout does not say whose work it is; the file's name does, and tells two files apart.
    name = source.stem or GOLD
    if layout is Layout.LABEL_STUDIO:
        if mode is Mode.OFFICIAL and warn is not None:
            warn(
                f"{source}: an export is read without boxes that lack area and tokens marked twice, so "
                "official-code was computed without them"
            )
        from annotator.imports.exports_of_others import read_label_studio

        yield from read_label_studio(source, problems)
    elif mode is Mode.OFFICIAL:
        yield from _read_raw(source, problems, layout, name, lookup)
    elif layout is Layout.MEDICAT:
        yield from read_medicat(source, problems, annotator=name)
    elif layout is Layout.PREDICTIONS:
        for each in read_predictions(source, problems, lookup):
            yield ScoredAnnotation(
                each.figure,
                each.model_version,
                PREDICTION_PHASE,
                Status.ACCEPTED,
                each.subfigures,
                UNKNOWN_TIME,
                scores=each.scores,
            )
    else:
        yield from read_annotations(source, problems, lookup=lookup)


def _read_raw(
    source: Path, problems: Problems, layout: Layout, name: str, lookup: FigureLookup | None
) -> Iterator[Submitted]:
    if layout is Layout.MEDICAT:
        return read_raw_medicat(source, problems, annotator=name)
    read = read_raw_predictions if layout is Layout.PREDICTIONS else read_raw_annotations
    return read(source, problems, lookup)


def figures_of(gold: Iterable[Submitted]) -> FigureLookup:
    """Return the lookup of the gold's figures for work that is compared with it; other figures have no gold."""
    figures = {each.figure.id: each.figure for each in gold}

    def known(figure_id: str, revision: int | None) -> Figure | None:
        figure = figures.get(figure_id)
        return figure if figure is not None and revision in (None, figure.revision) else None

    return known


def each_once_of(work: Iterable[Submitted], problems: Problems) -> Iterator[Submitted]:
    """Yield the work of several sources; what an earlier one has, saved at the same time, is left out.

    It is a problem if its content is not the earlier one's.
    """
    seen: dict[tuple[object, ...], Submitted] = {}
    for each in work:
        first = seen.setdefault(
            (each.figure.id, each.annotator, each.phase, each.figure.revision, each.saved_at), each
        )
        if first is each:
            yield each
        elif difference := difference_of(first, each):
            problems.add(difference)


def difference_of(first: Submitted, second: Submitted) -> str:
    """Return the message for one annotator's work, saved at one time, that differs in two sources; "" if alike."""
    contents = [
        (each.status, each.subfigures, each.items if isinstance(each, Annotation) else None)
        for each in (first, second)
    ]
    if contents[0] == contents[1]:
        return ""
    return (
        f'figure "{second.figure.id}" by "{second.annotator}" in phase "{second.phase}" differs between the '
        "sources, saved at the same time; kept the first, give each person a name, or later work its own time"
    )


def layout_of(source: Path) -> Layout:
    """Recognise a file's layout from its first records; `Layout.JSONL` where they do not show it.

    Raises FormatError for a pipe, and for a file whose records hold no subfigures.
    """
    if source.exists() and not source.is_file():
        # A pipe gives its content once, so it cannot be looked at before it is read.
        raise FormatError(f"{source}: no plain file; write what it gives into one, and name that")
    looks = looks_of(source)
    if looks.form is Form.ARRAY:
        if looks.layouts - {Layout.LABEL_STUDIO} or looks.unclear:
            raise FormatError(
                f"{source}: a JSON array, but not of Label Studio's tasks; give its export, or one object a line"
            )
        return Layout.LABEL_STUDIO
    for layout in (Layout.MEDICAT, Layout.JSONL, Layout.PREDICTIONS):
        if layout in looks.layouts:
            return layout
    if looks.layouts or (looks.unclear and not looks.subfigures):
        raise FormatError(
            f"{source}: no record has subfigures; give annotations, predictions, MedICaT's annotations or Label "
            "Studio's export"
        )
    return Layout.JSONL


def annotations_at(
    store: Store, present: dict[str, int], independence: Independence | None = None
) -> Iterator[Annotation]:
    """All work, on whatever revision; `present` gets the present revision of figures with work on others.

    independence: gets what is known of the work's history, and the work is the first, independent one; None for
    the latest work.
    """
    with store.read() as tx:
        present.update(present_revisions(tx))
        every = tx.annotations.all(revisions=Revisions.ALL)
        yield from every if independence is None else independent_work(tx, every, independence)


def work_at(
    home: Home,
    store: Store,
    present: dict[str, int],
    stored: StoredFigures,
    warn: Callable[[str], None] | None = None,
    independence: Independence | None = None,
) -> Iterator[Annotation]:
    """As `annotations_at`; `stored` gets the campaign's people and phases, with or without work.

    Work with more boxes than the campaign allows is left out, and `warn` is called with a line on it.
    """
    stored.phases.update(each.name for each in home.campaign.phases)
    with store.read() as tx:
        stored.people.update(tx.names.all())
    crowded: dict[str, None] = {}
    for each in annotations_at(store, present, independence):
        if len(each.subfigures) <= home.campaign.max_boxes:
            yield each
        else:
            crowded[each.figure.id] = None
    if crowded and warn is not None:
        warn(
            f"{home.path}: left out work with more than {home.campaign.max_boxes} boxes (max_boxes in "
            f"campaign.toml): {listed(crowded)}"
        )


def decisions_at(_home: Home, store: Store, stored: StoredFigures) -> Iterator[Annotation]:
    """The reviewers' decisions as one annotator's work in one phase, both called `GOLD`."""
    stored.people.add(GOLD)
    stored.phases.add(GOLD)
    with store.read() as tx:
        for each in tx.decisions.all(final=True):
            yield Annotation(each.figure, GOLD, GOLD, each.status, each.subfigures, each.decided_at, each.items)
