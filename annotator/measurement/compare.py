"""Annotators' or models' work against gold, from a campaign's store or from files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from agreement import comparison
from agreement.columns import Submitted
from agreement.models import MAX_CURVE_FIGURES, Comparison
from agreement.pairs import articles_of
from agreement.primitives import DEFAULTS, Settings
from annotator.campaign.choices import check_among
from annotator.consensus.one_revision import on_one_revision
from annotator.consensus.outdated import listed, what_changed
from annotator.measurement.batches import articles_of_option
from annotator.measurement.sources import (
    People,
    StoredFigures,
    check_spellings,
    chosen_work,
    decisions_at,
    one_phase,
    read_people,
    read_source,
    reading_for,
    work_at,
)
from panelwise.domain import AnnotatorError
from panelwise.files import Problems
from panelwise.formats import PLAINLY, PREDICTION_PHASE, Reading
from panelwise.runtime import counted, first_of

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Source:
    """The chosen work of one PREDICTED, and the annotators and phases that its source knows."""

    path: Path
    work: list[Submitted]
    known: StoredFigures

    @property
    def names(self) -> set[str]:
        return {each.annotator for each in self.work}


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """Options of a comparison: the work to compare, and the method.

    gold_annotator, gold_phase: whose gold, and of which phase, where the gold holds several. annotators: whose
    work is scored, by default everyone's; each must be in one of the sources. phase: which phase of every source;
    predictions belong to no phase, and are scored beside it where there are several sources. people:
    annotators whose agreement with each other stands beside each score. worst: number of worst
    figures to analyse. curves: whether to add other IoU thresholds and average precision; by default only
    for gold of up to `MAX_CURVE_FIGURES` figures. articles: a file of figures, whose articles intervals resample
    beside those that the work names. reading: how predictions are read.
    """

    gold_annotator: str | None = None
    gold_phase: str | None = None
    annotators: Sequence[str] = ()
    phase: str | None = None
    settings: Settings = DEFAULTS
    worst: int = 0
    curves: bool | None = None
    people: People | None = None
    articles: Path | None = None
    reading: Reading = PLAINLY


def compare_sources(
    gold: Path,
    predicted: Sequence[Path],
    problems: Problems,
    options: ComparisonOptions = ComparisonOptions(),
    *,
    warn: Warn | None = None,
) -> Comparison:
    """Score the work in `predicted` against `gold`; the gold of a campaign's home is its reviewers' decisions.

    A name that is in two sources gets the file's name added in each. warn: called with a line on work that is left
    out. Raises AnnotatorError for a source that cannot be read or is given twice, for a choice that is needed and
    not made, and for an annotator or phase that its source does not have.
    """
    _check_once(predicted)
    told = {} if options.articles is None else articles_of_option(options.articles, problems)
    in_gold = StoredFigures()
    found = read_source(gold, problems, partial(decisions_at, stored=in_gold), options.settings.mode, warn)
    ours = chosen_work(found, options.gold_annotator, options.gold_phase, str(gold), in_gold, prefix="--gold-")
    ours = on_one_revision(ours, {}, warn)
    # Predictions belong to no phase: beside other sources they pass whatever phase is chosen.
    alone = len(predicted) == 1
    sources = [_read(path, problems, ours, options, warn, alone=alone) for path in predicted]
    several = [] if options.people is None else [_people(options.people, problems, ours, options, warn)]
    ours, sized = _sized_alike(ours, [*sources, *several], problems)
    sources, several = sized[: len(sources)], sized[len(sources) :]
    _check_people(sources, options.annotators)
    one_phase(ours, str(gold), "--gold-phase")
    for source in sources:
        one_phase(source.work, str(source.path), "--phase")
    names = sorted({each.annotator for each in ours})
    if len(names) > 1:
        raise AnnotatorError(f"{gold}: gold by {first_of(names)}; choose one with --gold-annotator")
    curves = options.curves
    if curves is None:
        curves = len({each.figure.id for each in ours}) <= MAX_CURVE_FIGURES
    work = _uniquely_named(sources)
    return comparison(
        ours,
        work,
        options.settings,
        people=several[0].work if several else None,
        worst=options.worst,
        curves=curves,
        articles={**articles_of([*work, *ours]), **told},
    )


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
    options: ComparisonOptions,
    warn: Warn | None,
    *,
    alone: bool,
) -> _Source:
    """Read the chosen work of one source, on the revisions of the gold. alone: whether it is the only source."""
    present: dict[str, int] = {}
    known = StoredFigures()
    into = partial(work_at, present=present, stored=known, warn=warn)
    work = list(
        read_source(
            path,
            problems,
            into,
            options.settings.mode,
            warn,
            reading_for((each.figure for each in gold), options.reading),
        )
    )
    check_spellings({each.annotator for each in work}, [path], warn)
    unphased = not alone and {each.phase for each in work} == {PREDICTION_PHASE}
    chosen = chosen_work(work, None, None if unphased else options.phase, str(path), known)
    if options.annotators:
        chosen = [each for each in chosen if each.annotator in options.annotators]
    return _Source(path, _on_gold_revisions(gold, on_one_revision(chosen, present, warn), warn), known)


def _people(
    people: People,
    problems: Problems,
    gold: Sequence[Submitted],
    options: ComparisonOptions,
    warn: Warn | None,
) -> _Source:
    work = read_people(people, problems, options.settings.mode, warn)
    return _Source(people.path, _on_gold_revisions(gold, work, warn), StoredFigures())


def _sized_alike(
    gold: Sequence[Submitted], sources: Sequence[_Source], problems: Problems
) -> tuple[list[Submitted], list[_Source]]:
    """Give work without an image size the size that other work has on the same caption.

    Only work on one caption and size can be compared. A box outside an image of that size is a problem.
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
    """Raise AnnotatorError for an annotator that no source has; sources without any work accept every name."""
    known = {name for source in sources for name in source.known.people}
    where = ", ".join(str(source.path) for source in sources)
    for name in annotators if known else ():
        check_among(name, known, "annotator", where)


def _uniquely_named(sources: Sequence[_Source]) -> list[Submitted]:
    """Join the work of all sources; add the source's title to names that several have."""
    sources_of = Counter(name for source in sources for name in source.names)
    shared = {name for name, count in sources_of.items() if count > 1}
    titles = _titles([source.path for source in sources])
    new_names = {
        (place, name): f"{name} ({title})" if name in shared else name
        for place, (source, title) in enumerate(zip(sources, titles, strict=True))
        for name in source.names
    }
    twice = [name for name, times in Counter(new_names.values()).items() if times > 1]
    if twice:
        raise AnnotatorError(f'"{twice[0]}" would name two pieces of work; rename the annotator or a file')
    return [
        replace(each, annotator=new_names[place, each.annotator]) if each.annotator in shared else each
        for place, source in enumerate(sources)
        for each in source.work
    ]


def _titles(paths: Sequence[Path]) -> list[str]:
    """The sources' file names without ending; whole paths where two are equal."""
    stems = [path.resolve().stem if path.is_dir() else path.stem for path in paths]
    return [str(path) if stems.count(stem) > 1 else stem for path, stem in zip(paths, stems, strict=True)]


def _on_gold_revisions(gold: Iterable[Submitted], work: Sequence[Submitted], warn: Warn | None) -> list[Submitted]:
    """Leave out work on a revision whose caption or size differs from the gold's."""
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
