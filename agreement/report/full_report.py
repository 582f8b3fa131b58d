"""A phase's report with its course over time, a comparison to another phase, and repeated work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from agreement.columns.corpus import ACCEPTED, Corpus, split_partly_read, split_superseded
from agreement.columns.raw import Submitted
from agreement.pairs.pairwise import mean_of_pairs, pair_scores
from agreement.pairs.parts import by_article
from agreement.primitives.matching import Indices
from agreement.primitives.settings import DEFAULTS, Settings
from agreement.report.summary import Report, report_on, why_no_iaa
from agreement.resampling.bootstrap import intervals
from agreement.trends.acquainted import acquainted
from agreement.trends.corrected import Corrected, History, latest_work
from agreement.trends.drift import UNKNOWN, Drift, Finished, Grouping, drift
from agreement.trends.phase_contents import contents_of
from agreement.trends.phases import PhaseDifference, PhaseWork, phase_difference
from agreement.trends.repeats import SelfAgreement, nothing_twice, self_agreement
from panelwise.domain import Attention


@dataclass(frozen=True, slots=True)
class Course:
    """Options of grouping a report over time. by: None for no grouping. parts: see `Grouping.PART`.

    batches: figure -> its batch, for `Grouping.BATCH`.
    """

    by: Grouping | None = Grouping.WEEK
    parts: int = 4
    batches: Mapping[str, str] | None = None


#: By week, which follows from every annotation's time.
BY_WEEK = Course()


def full_report(
    annotations: Iterable[Submitted],
    settings: Settings = DEFAULTS,
    *,
    phase: str | None = None,
    against: str | None = None,
    course: Course = BY_WEEK,
    worst: int = 0,
    articles: Mapping[str, str] = MappingProxyType({}),
    history: History | None = None,
    attention: Mapping[str, Attention] = MappingProxyType({}),
) -> Report:
    """Return `report_on` for one phase of the annotations, with the comparison to other phases.

    phase: None if there is only one (ValueError for several). against: a phase to compare it to; None: no
    comparison, and all other phases are searched for repeated work. articles: see `report_on`. history: of the
    work of `phase`; None if it is unknown. attention: annotator -> how they worked in `phase`, where recorded.
    """
    whole = Corpus.of(annotations)
    there = sorted({whole.phases[place] for place in np.unique(whole.phase).tolist()})
    if phase is None and len(there) > 1:
        raise ValueError(f"annotations of phases {', '.join(there)}; choose one")
    name = phase if phase is not None else "".join(there)
    here = _of_phase(whole, name)
    report = report_on(
        here,
        settings,
        phase=phase if phase is not None else next(iter(there), None),
        worst=worst,
        articles=articles,
    )
    holding = _measured(here)
    others = [each for each in there if each != name] if against is None else [against]
    works = {each: _measured(_of_phase(whole, each)) for each in others}
    return replace(
        report,
        drift=None if course.by is None else _drift(report, holding, course, course.by),
        other_phase=None if against is None else _beside(report, name, holding, against, works[against], articles),
        repeats=tuple(_repeats(holding, name, works, settings, against, articles)),
        acquainted=acquainted(
            *(report.pairs, holding, works.values()),
            knew={} if history is None else history.knew,
            resamples=settings.resamples,
            seed=settings.seed,
        ),
        corrected=None if history is None else _corrected(report, holding, history),
        attention=tuple(replace(each, counts=attention.get(each.annotator)) for each in report.attention),
    )


def _corrected(report: Report, measured: Corpus, history: History) -> Corrected:
    latest, settings = latest_work(measured, history), report.settings
    if not latest.corrected:
        return Corrected(0, 0, report.iaa, report.reason)
    pairs = pair_scores(latest.work, min_iou=settings.min_iou, mode=settings.mode, common=settings.common)
    iaa = mean_of_pairs(pairs)
    reason = "" if iaa is not None else why_no_iaa(_names(latest.work), pairs)
    return Corrected(latest.corrected, latest.sent_back, iaa, reason)


def _measured(work: Corpus) -> Corpus:
    return split_partly_read(split_superseded(work)[0])[0]


def _of_phase(whole: Corpus, phase: str) -> Corpus:
    if phase not in whole.phases:
        return whole.take(np.empty(0, dtype=np.int64))
    own = whole.phase == whole.phases.index(phase)
    return whole if own.all() else whole.take(np.flatnonzero(own))


def finished(holding: Iterable[Submitted]) -> Finished:
    """Return the time of the last accepted annotation of each figure; unknown for a figure without one."""
    work = Corpus.of(holding)
    accepted = work.status == ACCEPTED
    last = np.full(len(work.figures), np.iinfo(np.int64).min)
    np.maximum.at(last, work.figure[accepted], work.saved_at[accepted])
    last[last == np.iinfo(np.int64).min] = UNKNOWN
    return Finished(work.figures, last)


def _drift(report: Report, holding: Corpus, course: Course, by: Grouping) -> Drift:
    return drift(
        report.pairs,
        finished(holding),
        by,
        parts=course.parts,
        batches=course.batches,
        whole=report.intervals,
        resamples=report.settings.resamples,
        seed=report.settings.seed,
    )


def _beside(
    report: Report, phase: str, here: Corpus, against: str, there: Corpus, articles: Mapping[str, str]
) -> PhaseDifference:
    settings = report.settings
    pairs = by_article(
        pair_scores(there, min_iou=settings.min_iou, mode=settings.mode, common=settings.common), articles
    )
    names = _names(there)
    ours, theirs = contents_of(here, there)
    return phase_difference(
        PhaseWork(
            phase,
            tuple(each.name for each in report.annotators),
            report.pairs,
            report.intervals,
            report.reason,
            ours,
        ),
        PhaseWork(
            against,
            tuple(names),
            pairs,
            intervals(pairs, resamples=settings.resamples, seed=settings.seed),
            why_no_iaa(names, pairs),
            theirs,
        ),
        resamples=settings.resamples,
        seed=settings.seed,
    )


def _names(work: Corpus) -> list[str]:
    return [work.annotators[place] for place in np.unique(work.annotator).tolist()]


def _repeats(
    holding: Corpus,
    phase: str,
    works: Mapping[str, Corpus],
    settings: Settings,
    against: str | None,
    articles: Mapping[str, str],
) -> Iterator[SelfAgreement]:
    """Yield each annotator's entries: one per other phase with a figure of theirs, or one with a reason.

    A phase without any box had another task than one with boxes: neither repeats the other.
    """
    alike = {name: work for name, work in works.items() if bool(len(work.boxes)) == bool(len(holding.boxes))}
    for annotator in _names(holding):
        own = _rows_of(holding, annotator)
        figures = holding.figure[own]
        found = False
        elsewhere = []
        for name, work in sorted(works.items()):
            theirs = _rows_of(work, annotator)
            if not np.isin(figures, work.figure[theirs]).any():
                continue
            if name not in alike:
                elsewhere.append(name)
                continue
            found = True
            yield self_agreement(
                holding.take(own),
                work.take(theirs),
                (phase, name),
                min_iou=settings.min_iou,
                mode=settings.mode,
                common=settings.common,
                resamples=settings.resamples,
                seed=settings.seed,
                articles=articles,
            )
        if not found:
            empty = elsewhere if len(holding.boxes) or not elsewhere else [phase]
            yield nothing_twice(annotator, (phase, against or ""), _why_nothing(works, against, empty))


def _why_nothing(others: Collection[str], against: str | None, empty: Sequence[str]) -> str:
    """empty: phases without a box, if that is why an annotator's work is no repeat."""
    if empty:
        return f"no second try: no annotator drew a box in phase {', '.join(empty)}"
    if against is not None:
        return f"no figure of theirs in phase {against} too"
    return (
        "no figure of theirs in another phase too" if others else "no other phase to have done a figure twice in"
    )


def _rows_of(work: Corpus, annotator: str) -> Indices:
    """Return the rows of one annotator; all phases come from one corpus, whose names they share."""
    rows: Indices = np.flatnonzero(work.annotator == work.annotators.index(annotator))
    return rows
