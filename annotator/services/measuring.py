"""Agreement of the annotations in a campaign's store or in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.metrics.raw import Submitted
from agreement.metrics.subfigure_f1 import Mode
from agreement.metrics.summary import DEFAULTS, Comparison, Report, Settings, comparison, report_on
from annotator.domain.annotation import Annotation, Status
from annotator.domain.campaign import Campaign
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.formats.annotations import PREDICTION_PHASE, UNKNOWN_TIME, read_annotations, read_predictions
from annotator.formats.campaign_toml import FILE_NAME
from annotator.formats.jsonl import Line, Problems, read_lines
from annotator.formats.medicat import looks_like_medicat, read_medicat
from annotator.formats.raw_panels import read_raw_annotations, read_raw_medicat, read_raw_predictions
from annotator.services.home import Home
from annotator.services.queue import score_disagreement

if TYPE_CHECKING:
    from annotator.store.store import Store

#: What the decisions of a home count as: one annotator's work in one phase.
GOLD = "gold"


class _Layout(Enum):
    """What a file holds."""

    ANNOTATIONS = auto()
    PREDICTIONS = auto()
    MEDICAT = auto()


def measure(store: Store, *, phase: str | None = None, settings: Settings = DEFAULTS) -> Report:
    """Agreement among the annotators of a campaign in one phase.

    phase: None where the store holds one phase only; AnnotatorError where it holds several.
    """
    with store.read() as tx:
        return _report(tx.annotations(phase=phase), phase, settings, store.where)


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

    A bad record is a problem, and the rest is measured. Raises AnnotatorError where a source cannot be read at
    all, and where several phases are there and none is chosen.
    """
    if not sources:
        sources = [Home.find(home).path]
    found = (each for source in sources for each in _read(source, problems, _annotations_at, settings.mode, tell))
    return _report(found, phase, settings, ", ".join(str(source) for source in sources))


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
    at all, and where a choice is needed and not made.
    """
    ours = _chosen(_read(gold, problems, _decisions_at, settings.mode, tell), gold_annotator, gold_phase)
    theirs = _chosen(_read(predicted, problems, _annotations_at, settings.mode, tell), annotator, phase)
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
            figures = {annotation.figure.id for annotation in tx.annotations(phase=phase)}
    score_disagreement(store, campaign or Campaign("", (), ()), figures)


def _report(annotations: Iterable[Submitted], phase: str | None, settings: Settings, where: str) -> Report:
    chosen = _chosen(annotations, None, phase)
    return report_on(chosen, settings, phase=_one_phase(chosen, where, "--phase") if phase is None else phase)


def _chosen(annotations: Iterable[Submitted], annotator: str | None, phase: str | None) -> list[Submitted]:
    return [
        each
        for each in annotations
        if (annotator is None or each.annotator == annotator) and (phase is None or each.phase == phase)
    ]


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
    of_home: Callable[[Store], Iterator[Annotation]],
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
        store = Home.find(source).open_store()
        try:
            yield from of_home(store)
        finally:
            store.close()
        return
    layout = _layout(source)
    # MedICaT's layout does not say whose work it is; the file's name does, and tells two files apart.
    name = source.stem or GOLD
    if mode is Mode.OFFICIAL:
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
    unclear = _Layout.ANNOTATIONS
    for line in read_lines(source, Problems()):
        if looks_like_medicat(line):
            return _Layout.MEDICAT
        dated, predicted = line.record.get("saved_at") is not None, line.record.get("phase") == PREDICTION_PHASE
        if dated and not predicted:
            return _Layout.ANNOTATIONS
        if not dated and (predicted or _all_scored(line)):
            return _Layout.PREDICTIONS
        if predicted:
            unclear = _Layout.PREDICTIONS
    return unclear


def _all_scored(line: Line) -> bool:
    """Whether there are subfigures, each with a score: people's have none."""
    parts = line.record.get("subfigures")
    return (
        isinstance(parts, list)
        and bool(parts)
        and all(isinstance(part, dict) and part.get("score") is not None for part in parts)
    )


def _annotations_at(store: Store) -> Iterator[Annotation]:
    with store.read() as tx:
        yield from tx.annotations()


def _decisions_at(store: Store) -> Iterator[Annotation]:
    with store.read() as tx:
        for each in tx.decisions():
            yield Annotation(each.figure, GOLD, GOLD, each.status, each.subfigures, each.decided_at, each.items)
