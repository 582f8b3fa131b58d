"""Agreement of the annotations in a campaign's store or in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agreement.metrics.summary import DEFAULTS, Comparison, Report, Settings, comparison, report_on
from annotator.domain.annotation import Annotation, Status
from annotator.domain.campaign import Campaign
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.formats.annotations import PREDICTION_PHASE, read_annotations, read_predictions
from annotator.formats.campaign_toml import FILE_NAME
from annotator.formats.jsonl import Problems, read_lines
from annotator.formats.medicat import looks_like_medicat, read_medicat
from annotator.services.home import Home
from annotator.services.queue import score_disagreement

if TYPE_CHECKING:
    from annotator.store.store import Store

#: What the decisions of a home count as: one annotator's work in one phase.
GOLD = "gold"
#: Predictions do not say when they were made.
_UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)


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
) -> Report:
    """Agreement among the annotators of all sources together; of the campaign's home where none is given.

    A bad record is a problem, and the rest is measured. Raises AnnotatorError where a source cannot be read at
    all, and where several phases are there and none is chosen.
    """
    if not sources:
        sources = [Home.find(home).path]
    found = (each for source in sources for each in _read(source, problems, _annotations_at))
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
) -> Comparison:
    """Score `predicted` against `gold`. Of a home, gold means the reviewers' decisions.

    gold_annotator, annotator: whose work to take on each side, None for all (of gold there must be one).
    gold_phase, phase: likewise. Raises AnnotatorError where a source cannot be read at all, and where a choice is
    needed and not made.
    """
    ours = _chosen(_read(gold, problems, _decisions_at), gold_annotator, gold_phase)
    theirs = _chosen(_read(predicted, problems, _annotations_at), annotator, phase)
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


def _report(annotations: Iterable[Annotation], phase: str | None, settings: Settings, where: str) -> Report:
    chosen = _chosen(annotations, None, phase)
    return report_on(chosen, settings, phase=_one_phase(chosen, where, "--phase") if phase is None else phase)


def _chosen(annotations: Iterable[Annotation], annotator: str | None, phase: str | None) -> list[Annotation]:
    return [
        each
        for each in annotations
        if (annotator is None or each.annotator == annotator) and (phase is None or each.phase == phase)
    ]


def _one_phase(annotations: Iterable[Annotation], where: str, option: str) -> str | None:
    """The phase of all annotations; None of none. Across phases a person would be compared with themselves."""
    phases = sorted({each.phase for each in annotations})
    if len(phases) > 1:
        raise AnnotatorError(f"{where}: holds phases {_listed(phases)}; choose one with {option}")
    return phases[0] if phases else None


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _read(
    source: Path, problems: Problems, of_home: Callable[[Store], Iterator[Annotation]]
) -> Iterator[Annotation]:
    """The annotations of one source, whatever its kind; of a home what `of_home` takes from its store."""
    if source.is_dir():
        if not (source / FILE_NAME).is_file():
            raise FormatError(
                f"{source}: no campaign here ({FILE_NAME} is missing); name a file or a campaign's home"
            )
        store = Home.find(source).open_store()
        try:
            yield from of_home(store)
        finally:
            store.close()
        return
    # The first record tells the layout; its faults are told when the file is read in earnest.
    first = next(read_lines(source, Problems()), None)
    if first is not None and looks_like_medicat(first):
        # This layout does not say whose work it is; the file's name does, and tells two files apart.
        yield from read_medicat(source, problems, annotator=source.stem or GOLD)
    elif first is not None and _is_prediction(first.record):
        for each in read_predictions(source, problems):
            yield Annotation(
                each.figure, each.model_version, PREDICTION_PHASE, Status.ACCEPTED, each.subfigures, _UNKNOWN_TIME
            )
    else:
        yield from read_annotations(source, problems)


def _is_prediction(record: Mapping[str, Any]) -> bool:
    """Whether a record is a model's: not dated, and of no phase of the campaign or with scores."""
    if "saved_at" in record:
        return False
    parts = record.get("subfigures")
    scored = isinstance(parts, list) and any(isinstance(part, dict) and "score" in part for part in parts)
    return scored or record.get("phase") in (None, PREDICTION_PHASE)


def _annotations_at(store: Store) -> Iterator[Annotation]:
    with store.read() as tx:
        yield from tx.annotations()


def _decisions_at(store: Store) -> Iterator[Annotation]:
    with store.read() as tx:
        for each in tx.decisions():
            yield Annotation(each.figure, GOLD, GOLD, each.status, each.subfigures, each.decided_at, each.items)
