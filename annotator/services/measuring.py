"""Agreement of the annotations in a campaign's store or in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.metrics.raw import Submitted
from agreement.metrics.subfigure_f1 import Mode
from agreement.metrics.summary import DEFAULTS, Comparison, Report, Settings, comparison, report_on
from annotator.domain.annotation import Annotation, Status
from annotator.domain.campaign import Campaign
from annotator.domain.counting import counted
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.formats.annotations import PREDICTION_PHASE, UNKNOWN_TIME, read_annotations, read_predictions
from annotator.formats.campaign_toml import FILE_NAME
from annotator.formats.json_stream import read_array, starts_with
from annotator.formats.jsonl import Line, Problems, read_lines
from annotator.formats.label_studio_export import looks_like_export
from annotator.formats.medicat import looks_like_medicat, read_medicat
from annotator.formats.raw_panels import read_raw_annotations, read_raw_medicat, read_raw_predictions
from annotator.services.choices import check_among
from annotator.services.home import Home
from annotator.services.importing_exports import read_label_studio
from annotator.services.queue import score_disagreement
from annotator.services.revisions import listed, present_revisions, what_changed
from annotator.store.records import Revisions

if TYPE_CHECKING:
    from annotator.store.store import Store

#: What the decisions of a home count as: one annotator's work in one phase.
GOLD = "gold"


@dataclass(slots=True)
class _Known:
    """The phases and people of a source, so that a slip in a choice is told."""

    phases: set[str] = field(default_factory=set)
    people: set[str] = field(default_factory=set)


class _Layout(Enum):
    """What a file holds."""

    ANNOTATIONS = auto()
    PREDICTIONS = auto()
    MEDICAT = auto()
    LABEL_STUDIO = auto()


def measure(store: Store, *, phase: str | None = None, settings: Settings = DEFAULTS) -> Report:
    """Agreement among the annotators of a campaign in one phase.

    phase: None where the store holds one phase only; AnnotatorError where it holds several, and for one that it
    has no work of.
    """
    present: dict[str, int] = {}
    return _report(_annotations_at(store, present), phase, settings, store.where, present, _Known())


def measure_sources(
    sources: Sequence[Path],
    problems: Problems,
    *,
    home: Path | None = None,
    phase: str | None = None,
    settings: Settings = DEFAULTS,
    tell: Callable[[str], None] | None = None,
) -> Report:
    """Agreement among the annotators of all sources together; of the campaign's home where none is given.

    In mode official-code files are scored by their raw values; of a home there are none, which `tell` is told.
    Annotators are compared on one revision of a figure only; `tell` is told what is on another.

    A bad record is a problem, and the rest is measured. Raises AnnotatorError where a source cannot be read at
    all, where several phases are there and none is chosen, and for a phase that no source knows.
    """
    if not sources:
        sources = [Home.find(home).path]
    present: dict[str, int] = {}
    known = _Known()
    work = partial(_work_at, present=present, known=known)
    found = (each for source in sources for each in _read(source, problems, work, settings.mode, tell))
    return _report(found, phase, settings, ", ".join(str(source) for source in sources), present, known, tell)


def compare_sources(
    gold: Path,
    predicted: Path,
    problems: Problems,
    *,
    gold_annotator: str | None = None,
    annotator: str | None = None,
    gold_phase: str | None = None,
    phase: str | None = None,
    settings: Settings = DEFAULTS,
    tell: Callable[[str], None] | None = None,
) -> Comparison:
    """Score `predicted` against `gold`. Of a home, gold means the reviewers' decisions.

    gold_annotator, annotator: whose work to take on each side, None for all (of gold there must be one).
    gold_phase, phase: likewise. tell: see `measure_sources`. Raises AnnotatorError where a source cannot be read
    at all, where a choice is needed and not made, and for a person or phase that its side does not know.
    """
    present: dict[str, int] = {}
    of_gold, known = _Known(), _Known()
    work = partial(_work_at, present=present, known=known)
    settled = _read(gold, problems, partial(_decisions_at, known=of_gold), settings.mode, tell)
    ours = _chosen(settled, gold_annotator, gold_phase, str(gold), of_gold, prefix="--gold-")
    submitted = _read(predicted, problems, work, settings.mode, tell)
    theirs = _chosen(submitted, annotator, phase, str(predicted), known)
    ours = on_one_revision(ours, {}, tell)
    theirs = _of_the_same(ours, on_one_revision(theirs, present, tell), tell)
    _one_phase(ours, str(gold), "--gold-phase")
    _one_phase(theirs, str(predicted), "--phase")
    names = sorted({each.annotator for each in ours})
    if len(names) > 1:
        raise AnnotatorError(f"{gold}: gold by {_listed(names)}; choose one with --gold-annotator")
    return comparison(ours, theirs, settings)


def refresh_disagreement(store: Store, *, campaign: Campaign | None = None, phase: str | None = None) -> None:
    """Bring the queue's scores up to date for every figure annotated in `phase`, or in any.

    To be called when annotations have come in. campaign: tells which phases ask for subfigures, else all do.
    """
    figures = None
    if phase is not None:
        with store.read() as tx:
            figures = {each.figure.id for each in tx.annotations(phase=phase, revisions=Revisions.ALL)}
    score_disagreement(store, campaign or Campaign("", (), ()), figures)


def _report(
    annotations: Iterable[Submitted],
    phase: str | None,
    settings: Settings,
    where: str,
    present: Mapping[str, int],
    known: _Known,
    tell: Callable[[str], None] | None = None,
) -> Report:
    chosen = _chosen(annotations, None, phase, where, known)
    phase = _one_phase(chosen, where, "--phase") if phase is None else phase
    return report_on(on_one_revision(chosen, present, tell), settings, phase=phase)


def on_one_revision(
    annotations: Sequence[Submitted], present: Mapping[str, int], tell: Callable[[str], None] | None = None
) -> list[Submitted]:
    """The work on one revision of each figure and phase: boxes and token ids of two mean different things.

    That is the present one where somebody worked on it, else the last. present: the present revision, of figures
    with work on others; what a file holds is taken by its numbers.
    """
    there: dict[tuple[str, str], set[int]] = {}
    for each in annotations:
        there.setdefault((each.figure.id, each.phase), set()).add(each.figure.revision)
    taken = {key: present[key[0]] if present.get(key[0]) in found else max(found) for key, found in there.items()}
    kept: list[Submitted] = []
    left: list[Submitted] = []
    for each in annotations:
        right = each.figure.revision == taken[each.figure.id, each.phase]
        (kept if right else left).append(each)
    done = {(each.figure.id, each.phase, each.annotator) for each in kept}
    left = [each for each in left if (each.figure.id, each.phase, each.annotator) not in done]
    if left and tell is not None:
        figures = listed(each.figure.id for each in left)
        tell(
            f"left out {counted(len(left), 'annotation')} on another revision of their figures than the rest: "
            f"{figures}"
        )
    past = [figure for (figure, _), revision in taken.items() if present.get(figure, revision) != revision]
    if past and tell is not None:
        tell(
            f"compared {counted(len(past), 'figure')} on an earlier caption or image, as nobody has worked on the "
            f"new one: {listed(past)}"
        )
    return kept


def _of_the_same(
    gold: Iterable[Submitted], work: Sequence[Submitted], tell: Callable[[str], None] | None
) -> list[Submitted]:
    """The work without what was made on another caption or size than the gold, on another revision."""
    figures = {each.figure.id: each.figure for each in gold}
    left = [
        each
        for each in work
        if each.figure.id in figures
        and figures[each.figure.id].revision != each.figure.revision
        and what_changed(figures[each.figure.id], each.figure) != (False, False)
    ]
    if left and tell is not None:
        tell(
            f"left out {counted(len(left), 'annotation')} on another caption or image than the gold's: "
            f"{listed(each.figure.id for each in left)}"
        )
    gone = {id(each) for each in left}
    return [each for each in work if id(each) not in gone]


def _chosen(
    annotations: Iterable[Submitted],
    annotator: str | None,
    phase: str | None,
    where: str,
    known: _Known,
    *,
    prefix: str = "--",
) -> list[Submitted]:
    """What was chosen, None for all. `known` gets the names met; AnnotatorError for a choice not among them.

    Where there is nothing at all, any choice passes: that nothing is there is what must be told.
    """
    chosen: list[Submitted] = []
    for each in annotations:
        known.phases.add(each.phase)
        known.people.add(each.annotator)
        if (annotator is None or each.annotator == annotator) and (phase is None or each.phase == phase):
            chosen.append(each)
    if annotator is not None and known.people:
        check_among(annotator, known.people, "annotator", where, option=f"{prefix}annotator")
    if phase is not None and known.phases:
        check_among(phase, known.phases, "phase", where, option=f"{prefix}phase")
    return chosen


def _one_phase(annotations: Iterable[Submitted], where: str, option: str) -> str | None:
    """The phase of all annotations; None of none. Across phases a person would be compared with themselves."""
    phases = sorted({each.phase for each in annotations})
    if len(phases) > 1:
        raise AnnotatorError(f"{where}: holds phases {_listed(phases)}; choose one with {option}")
    return phases[0] if phases else None


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _read(
    source: Path,
    problems: Problems,
    of_home: Callable[[Home, Store], Iterator[Annotation]],
    mode: Mode,
    tell: Callable[[str], None] | None,
) -> Iterator[Submitted]:
    """The work in one source, whatever its kind; of a home what `of_home` takes from its store."""
    if source.is_dir():
        if not (source / FILE_NAME).is_file():
            raise FormatError(
                f"{source}: no campaign here ({FILE_NAME} is missing); name a file or a campaign's home"
            )
        if mode is Mode.OFFICIAL and tell is not None:
            tell(
                f"{source}: a campaign keeps no zero-area box and no repeated token id, so official-code was "
                "computed without them; name the files for exact values"
            )
        home = Home.find(source)
        store = home.open_store()
        try:
            yield from of_home(home, store)
        finally:
            store.close()
        return
    layout = _layout(source)
    # MedICaT's layout does not say whose work it is; the file's name does, and tells two files apart.
    name = source.stem or GOLD
    if layout is _Layout.LABEL_STUDIO:
        if mode is Mode.OFFICIAL and tell is not None:
            tell(
                f"{source}: an export is read without boxes that lack area and tokens marked twice, so "
                "official-code was computed without them"
            )
        yield from read_label_studio(source, problems)
    elif mode is Mode.OFFICIAL:
        yield from _read_raw(source, problems, layout, name)
    elif layout is _Layout.MEDICAT:
        yield from read_medicat(source, problems, annotator=name)
    elif layout is _Layout.PREDICTIONS:
        for each in read_predictions(source, problems):
            yield Annotation(
                each.figure, each.model_version, PREDICTION_PHASE, Status.ACCEPTED, each.subfigures, UNKNOWN_TIME
            )
    else:
        yield from read_annotations(source, problems)


def _read_raw(source: Path, problems: Problems, layout: _Layout, name: str) -> Iterator[Submitted]:
    if layout is _Layout.MEDICAT:
        return read_raw_medicat(source, problems, annotator=name)
    return (read_raw_predictions if layout is _Layout.PREDICTIONS else read_raw_annotations)(source, problems)


def _layout(source: Path) -> _Layout:
    """What the first record says that says it clearly: one with a fault must not decide for the rest.

    The faults themselves are told when the file is read in earnest.
    """
    if starts_with(source) == b"[":
        faults = Problems()
        first = next(read_array(source, faults), None)
        if looks_like_export(first) if first is not None else not faults.count:
            return _Layout.LABEL_STUDIO
        if first is not None:
            raise FormatError(
                f"{source}: a JSON array, but not of Label Studio's tasks; give its export, or one object a line"
            )
    unclear = _Layout.ANNOTATIONS
    records = fitting = 0
    for line in read_lines(source, Problems()):
        records += 1
        fitting += "subfigures" in line.record
        if looks_like_medicat(line):
            return _Layout.MEDICAT
        dated, predicted = line.record.get("saved_at") is not None, line.record.get("phase") == PREDICTION_PHASE
        if dated and not predicted:
            return _Layout.ANNOTATIONS
        if not dated and (predicted or _all_scored(line)):
            return _Layout.PREDICTIONS
        if predicted:
            unclear = _Layout.PREDICTIONS
    if records and not fitting:
        raise FormatError(
            f"{source}: no record has subfigures; give annotations, predictions, MedICaT's annotations or Label "
            "Studio's export"
        )
    return unclear


def _all_scored(line: Line) -> bool:
    """Whether there are subfigures, each with a score: people's have none."""
    parts = line.record.get("subfigures")
    return (
        isinstance(parts, list)
        and bool(parts)
        and all(isinstance(part, dict) and part.get("score") is not None for part in parts)
    )


def _annotations_at(store: Store, present: dict[str, int]) -> Iterator[Annotation]:
    """All work, on whatever revision; `present` gets the present revision of figures with work on others."""
    with store.read() as tx:
        present.update(present_revisions(tx))
        yield from tx.annotations(revisions=Revisions.ALL)


def _work_at(home: Home, store: Store, present: dict[str, int], known: _Known) -> Iterator[Annotation]:
    """As `_annotations_at`; `known` gets whom and which phases the campaign knows, whatever was done."""
    known.phases.update(each.name for each in home.campaign.phases)
    with store.read() as tx:
        known.people.update(tx.names())
    yield from _annotations_at(store, present)


def _decisions_at(_home: Home, store: Store, known: _Known) -> Iterator[Annotation]:
    known.people.add(GOLD)
    known.phases.add(GOLD)
    with store.read() as tx:
        for each in tx.decisions():
            yield Annotation(each.figure, GOLD, GOLD, each.status, each.subfigures, each.decided_at, each.items)
