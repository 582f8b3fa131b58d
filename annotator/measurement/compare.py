"""Annotators' or models' work against gold, from a campaign's store or from files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from agreement.columns.raw import Submitted
from agreement.models.comparison import MAX_CURVE_FIGURES, Comparison, comparison
from agreement.primitives.settings import DEFAULTS, Settings
from annotator.campaign.choices import check_among
from annotator.consensus.one_revision import on_one_revision
from annotator.consensus.outdated import listed, what_changed
from annotator.measurement.sources import (
    StoredFigures,
    check_spellings,
    chosen_work,
    decisions_at,
    listed_names,
    one_phase,
    read_source,
    work_at,
)
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import PREDICTION_PHASE
from panelwise.runtime.plurals import counted

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Source:
    """One PREDICTED: where it lies, what was chosen of it, and who and which phases it knows."""

    path: Path
    work: list[Submitted]
    known: StoredFigures

    @property
    def names(self) -> set[str]:
        return {each.annotator for each in self.work}


def compare_sources(
    gold: Path,
    predicted: Path | Sequence[Path],
    problems: Problems,
    *,
    gold_annotator: str | None = None,
    annotator: str | Sequence[str] | None = None,
    gold_phase: str | None = None,
    phase: str | None = None,
    settings: Settings = DEFAULTS,
    worst: int = 0,
    curves: bool | None = None,
    warn: Warn | None = None,
) -> Comparison:
    """Score what is `predicted` against `gold`. Of a home, gold means the reviewers' decisions.

    gold_annotator, annotator: whose work to take on each side, None for all (of gold there must be one); each of
    several annotators must be in one of `predicted`. gold_phase, phase: likewise; `phase` is taken from each of
    `predicted`, but of predictions, which belong to no phase, all where there are several sources. A name that is
    in two sources gets the file's name added in each. worst: how many of the worst figures to look into. curves:
    other thresholds and average precision; None leaves them out for gold of very many figures. warn: see
    `measure_sources`. Raises AnnotatorError where a source cannot be read at all or is given twice, where a choice
    is needed and not made, and for a person or phase that its side does not know.
    """
    paths = [predicted] if isinstance(predicted, Path) else list(predicted)
    chosen = [annotator] if isinstance(annotator, str) else list(annotator or ())
    _check_once(paths)
    of_gold = StoredFigures()
    settled = read_source(gold, problems, partial(decisions_at, stored=of_gold), settings.mode, warn)
    ours = chosen_work(settled, gold_annotator, gold_phase, str(gold), of_gold, prefix="--gold-")
    ours = on_one_revision(ours, {}, warn)
    sources = [_read(path, problems, ours, chosen, phase, settings, warn, alone=len(paths) == 1) for path in paths]
    ours, sources = _sized_alike(ours, sources, problems)
    _check_people(sources, chosen)
    one_phase(ours, str(gold), "--gold-phase")
    for source in sources:
        one_phase(source.work, str(source.path), "--phase")
    names = sorted({each.annotator for each in ours})
    if len(names) > 1:
        raise AnnotatorError(f"{gold}: gold by {listed_names(names)}; choose one with --gold-annotator")
    if curves is None:
        curves = len({each.figure.id for each in ours}) <= MAX_CURVE_FIGURES
    return comparison(ours, _under_one_roof(sources), settings, worst=worst, curves=curves)


def _check_once(paths: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in paths:
        place = path.resolve()
        if place in seen:
            raise AnnotatorError(f"{path}: given twice as PREDICTED; name each source once")
        seen.add(place)


def _read(
    path: Path,
    problems: Problems,
    gold: Sequence[Submitted],
    annotators: Collection[str],
    phase: str | None,
    settings: Settings,
    warn: Warn | None,
    *,
    alone: bool,
) -> _Source:
    """What was chosen of one source, on the revisions of the gold."""
    present: dict[str, int] = {}
    known = StoredFigures()
    into = partial(work_at, present=present, stored=known, warn=warn)
    work = list(read_source(path, problems, into, settings.mode, warn))
    check_spellings({each.annotator for each in work}, [path], warn)
    if not alone and {each.phase for each in work} == {PREDICTION_PHASE}:
        phase = None
    taken = chosen_work(work, None, phase, str(path), known)
    if annotators:
        taken = [each for each in taken if each.annotator in annotators]
    return _Source(path, _of_the_same(gold, on_one_revision(taken, present, warn), warn), known)


def _sized_alike(
    gold: Sequence[Submitted], sources: Sequence[_Source], problems: Problems
) -> tuple[list[Submitted], list[_Source]]:
    """Work whose records do not say the image's size, on the size that others say for the same caption.

    Work is compared on one caption and size only. A box that leaves the image of that size is a problem.
    """
    every = [*gold, *(each for source in sources for each in source.work)]
    sizes = {(each.figure.id, each.figure.caption): each.figure for each in every if each.figure.sized}

    def fitted(work: Iterable[Submitted]) -> Iterator[Submitted]:
        for each in work:
            there = None if each.figure.sized else sizes.get((each.figure.id, each.figure.caption))
            if there is None:
                yield each
                continue
            try:
                yield replace(each, figure=replace(each.figure, width=there.width, height=there.height))
            except AnnotatorError as error:
                problems.add(f'figure "{each.figure.id}" by "{each.annotator}": {error}')

    return list(fitted(gold)), [replace(source, work=list(fitted(source.work))) for source in sources]


def _check_people(sources: Sequence[_Source], annotators: Iterable[str]) -> None:
    """Each one chosen must be known to a source; where there is nothing at all, any choice passes."""
    known = {name for source in sources for name in source.known.people}
    where = ", ".join(str(source.path) for source in sources)
    for name in annotators if known else ():
        check_among(name, known, "annotator", where)


def _under_one_roof(sources: Sequence[_Source]) -> list[Submitted]:
    """The work of all sources, each name of one piece of work only."""
    met = Counter(name for source in sources for name in source.names)
    shared = {name for name, times in met.items() if times > 1}
    titles = _titles([source.path for source in sources])
    given = {
        (place, name): f"{name} ({title})" if name in shared else name
        for place, (source, title) in enumerate(zip(sources, titles, strict=True))
        for name in source.names
    }
    twice = [name for name, times in Counter(given.values()).items() if times > 1]
    if twice:
        raise AnnotatorError(f'"{twice[0]}" would name two pieces of work; rename the annotator or a file')
    return [
        replace(each, annotator=given[place, each.annotator]) if each.annotator in shared else each
        for place, source in enumerate(sources)
        for each in source.work
    ]


def _titles(paths: Sequence[Path]) -> list[str]:
    """What tells the sources apart: the name without its ending; where two share it, the whole path."""
    stems = [path.resolve().stem if path.is_dir() else path.stem for path in paths]
    return [str(path) if stems.count(stem) > 1 else stem for path, stem in zip(paths, stems, strict=True)]


def _of_the_same(gold: Iterable[Submitted], work: Sequence[Submitted], warn: Warn | None) -> list[Submitted]:
    """The work without what was made on another caption or size than the gold, on another revision."""
    figures = {each.figure.id: each.figure for each in gold}
    left = [
        each
        for each in work
        if each.figure.id in figures
        and figures[each.figure.id].revision != each.figure.revision
        and what_changed(figures[each.figure.id], each.figure) != (False, False)
    ]
    if left and warn is not None:
        warn(
            f"left out {counted(len(left), 'annotation')} on another caption or image than the gold's: "
            f"{listed(each.figure.id for each in left)}"
        )
    gone = {id(each) for each in left}
    return [each for each in work if id(each) not in gone]
