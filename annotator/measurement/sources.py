"""The annotations in a campaign's store or in files of any layout, and what is chosen from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    Prediction,
    Status,
    describe_spellings,
    same_names,
)
from panelwise.files import Problems
from panelwise.formats import (
    JSONL,
    LABEL_STUDIO,
    LAYOUTS,
    MEDICAT,
    PLAINLY,
    PREDICTION_PHASE,
    PREDICTIONS,
    UNKNOWN_TIME,
    Form,
    ImageNames,
    Layout,
    Reading,
    each_once,
    looks_of,
    read_work,
)
from panelwise.runtime import first_of
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
        if not all(is_home(source) for source in sources):
            raise FormatError(f"{where}: {told}; give each person one name in the files")
        if warn is not None:
            warn(f"{where}: {told}; run {joins}")


def one_phase(annotations: Iterable[Submitted], where: str, option: str) -> str | None:
    """The phase of all annotations; None of none. Across phases a person would be compared with themselves."""
    return only_phase(sorted({each.phase for each in annotations}), where, option)


def only_phase(phases: Sequence[str], where: str, option: str) -> str | None:
    """The one phase there is; None of none. Raises AnnotatorError of several, in order."""
    if len(phases) > 1:
        raise AnnotatorError(f"{where}: holds phases {first_of(phases)}; choose one with {option}")
    return phases[0] if phases else None


def read_source(
    source: Path,
    problems: Problems,
    of_home: Callable[[Home, Store], Iterator[Annotation]],
    mode: Mode,
    warn: Callable[[str], None] | None,
    reading: Reading = PLAINLY,
) -> Iterator[Submitted]:
    """Return the work in one source of any kind; from a home's store by `of_home`.

    reading: gives sizes and captions that records lack, and the figures of images.
    """
    if is_home(source):
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
    yield from each_once(_work_in_file(source, problems, mode, warn, reading), problems)


#: Readers that keep boxes without area and repeated tokens, for official-code.
_RAW: Mapping[Layout, Callable[[Path, Problems, Reading], Iterator[Submitted]]] = {
    JSONL: lambda path, problems, reading: read_raw_annotations(path, problems, reading.lookup),
    MEDICAT: lambda path, problems, reading: read_raw_medicat(path, problems, annotator=reading.annotator),
    PREDICTIONS: lambda path, problems, reading: read_raw_predictions(path, problems, reading.lookup),
}


def _work_in_file(
    source: Path,
    problems: Problems,
    mode: Mode,
    warn: Callable[[str], None] | None,
    reading: Reading,
) -> Iterator[Submitted]:
    layout = layout_of(source)
    # Some layouts do not say whose work it is; the file's name does, and tells two files apart.
    reading = replace(reading, annotator=source.stem or GOLD)
    if mode is Mode.OFFICIAL and layout in _RAW and not reading.least_score:
        yield from _RAW[layout](source, problems, reading)
        return
    if mode is Mode.OFFICIAL and warn is not None:
        warn(
            f"{source}: {layout.title} is read without boxes that lack area and tokens marked twice, so "
            "official-code was computed without them"
        )
    for work in _work(layout, source, problems, reading):
        yield _as_annotation(work) if isinstance(work, Prediction) else work


def _work(layout: Layout, source: Path, problems: Problems, reading: Reading) -> Iterator[Annotation | Prediction]:
    if layout is not LABEL_STUDIO:
        return read_work(layout, source, problems, reading)
    # This reader loads the database, which commands on other files do not need.
    from annotator.imports.exports_of_others import read_label_studio

    return read_label_studio(source, problems)


def _as_annotation(prediction: Prediction) -> ScoredAnnotation:
    return ScoredAnnotation(
        prediction.figure,
        prediction.model_version,
        PREDICTION_PHASE,
        Status.ACCEPTED,
        prediction.subfigures,
        UNKNOWN_TIME,
        scores=prediction.scores,
    )


def reading_for(gold: Iterable[Figure], reading: Reading = PLAINLY) -> Reading:
    """Return how work is read that is compared with gold: its figures are the gold's; others have no gold."""
    figures = {figure.id: figure for figure in gold}
    names = ImageNames(figures.values())

    def known(figure_id: str, revision: int | None) -> Figure | None:
        figure = figures.get(figure_id)
        return figure if figure is not None and revision in (None, figure.revision) else None

    def shown(figure_id: str, file_name: str) -> Figure | None:
        several = (figure_id,) if figure_id in figures else names.figures_of(file_name)
        return figures[several[0]] if len(several) == 1 else None

    return replace(reading, lookup=known, image=shown)


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


def is_home(source: Path) -> bool:
    """Return True for a folder, but for one of a layout of annotations or predictions."""
    if not source.is_dir() or (source / FILE_NAME).is_file():
        return source.is_dir()
    return not any(layout.recognise is not None and layout.recognise(source, b"") for layout in LAYOUTS)


def layout_of(source: Path) -> Layout:
    """Recognise the layout of annotations or predictions from the first records; JSONL where they do not show it.

    Raises FormatError for a pipe, and for a file that clearly holds no work.
    """
    if source.exists() and not (source.is_file() or source.is_dir()):
        # A pipe gives its content once, so it cannot be looked at before it is read.
        raise FormatError(f"{source}: no plain file; write what it gives into one, and name that")
    looks = looks_of(source)
    layout = next((each for each in LAYOUTS if each.has_work and each in looks.layouts), None)
    if looks.form is Form.ARRAY and (layout is None or layout.form is not Form.ARRAY):
        raise FormatError(
            f"{source}: a JSON array, but not of Label Studio's tasks; give its export, or one object a line"
        )
    if layout is None and (looks.layouts or (looks.unclear and not looks.subfigures)):
        titles = [each.title for each in LAYOUTS if each.has_work]
        raise FormatError(f"{source}: no record has subfigures; give {', '.join(titles[:-1])} or {titles[-1]}")
    return layout or JSONL


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
            yield each.as_annotation(GOLD, GOLD)
