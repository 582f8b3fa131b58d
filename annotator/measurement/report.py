"""Agreement of the annotations in a campaign's store or in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agreement import full_report
from agreement.columns import Corpus
from agreement.primitives import DEFAULTS, Indices, Settings
from agreement.reading import articles_in_memory, at_hand, joined
from agreement.report import BY_WEEK, Course, Report
from agreement.trends import Grouping
from annotator.campaign.choices import check_among
from annotator.campaign.home import Home
from annotator.consensus.independent import Independence
from annotator.consensus.one_revision import rows_on_one_revision
from annotator.measurement.batches import articles_of_option, batch_of, batches_in, check_figures_file
from annotator.measurement.columns import attention_in, each_once_of, read_sources
from annotator.measurement.items import AnswerSources, gold_in_homes, gold_of, items_in
from annotator.measurement.sources import (
    StoredFigures,
    annotations_at,
    check_spellings,
    is_home,
    only_phase,
    work_at,
)
from panelwise.domain import AnnotatorError, Attention, Campaign
from panelwise.files import Problems
from panelwise.formats import PairsByKey

if TYPE_CHECKING:
    from annotator.store.store import Store


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Options of a report.

    phase: None if the work is of one phase only. against: another phase to be compared with `phase`. course,
    worst, articles: see `full_report`; those of the store's figures are known without.
    """

    phase: str | None = None
    against: str | None = None
    settings: Settings = DEFAULTS
    course: Course = BY_WEEK
    worst: int = 0
    articles: Mapping[str, str] = field(default_factory=dict)


def measure(store: Store, options: ReportOptions = ReportOptions(), *, campaign: Campaign | None = None) -> Report:
    """Agreement among the annotators of a campaign in one phase.

    campaign: tells which phases make gold, that people's answers are held against (else all do), and how many
    boxes an annotation may have.
    Raises AnnotatorError if the store holds several phases and none is requested, and for one that it has no
    work of.
    """
    present: dict[str, int] = {}
    campaign = campaign or Campaign("", (), ())
    independence = Independence()
    found = annotations_at(store, present, independence)
    whole = Corpus.of(each for each in found if len(each.subfigures) <= campaign.max_boxes)
    gold = partial(gold_of, store, campaign)
    with store.read() as tx:
        attention = tx.statistics.attention()
    known = StoredFigures()
    return _report(*(whole, options, store.where, present, known, attention), gold=gold, independence=independence)


def measure_sources(
    sources: Sequence[Path],
    problems: Problems,
    options: ReportOptions = ReportOptions(),
    *,
    home: Path | None = None,
    batches: Path | None = None,
    articles: Path | None = None,
    pairs: Sequence[Path] = (),
    warn: Callable[[str], None] | None = None,
) -> Report:
    """Return the agreement among the annotators of all sources together, by default of the campaign's home.

    In mode official-code files are scored by their raw values; a home has none, and `warn` says so.
    Annotators are compared on one revision of a figure only; `warn` gets what is on another.

    batches: a file of figures; by batch, these come from it, from the figures of a home and from the lines of a
    file, and those of `batches` hold. articles: a file of figures, whose articles intervals resample. pairs: files
    of question-answer pairs, for work that comes without; sources may be such files with people's answers, and
    tables of answers.

    A bad record is a problem, and the rest is measured. Raises AnnotatorError if a source cannot be read at
    all, where several phases are there and none is chosen, and for a phase that no source knows.
    """
    if not sources:
        sources = [Home.find(home).path]
    by_batch = options.course.by is Grouping.BATCH
    if batches is not None:
        check_figures_file(batches, "--batches", problems)
    if articles is not None:
        options = replace(options, articles=articles_of_option(articles, problems))
    present: dict[str, int] = {}
    known = StoredFigures()
    independence = Independence()
    work = partial(work_at, present=present, stored=known, warn=warn, independence=independence)
    answers = AnswerSources(sources, pairs, problems)
    parts = [Corpus.of(answers.work())] if len(answers.others) < len(sources) else []
    read = read_sources(answers.others, problems, work, options.settings.mode, warn)
    parts += read
    found = joined(parts) if len(parts) > 1 else parts[0]
    if len(sources) > 1:
        found = each_once_of(found, problems)
    if by_batch:
        told = [batches_in(file) for file in (*answers.others, *([] if batches is None else [batches]))]
        found_batches = {figure: name for each in told for figure, name in each.items()}
        options = replace(options, course=replace(options.course, batches=found_batches))
    where = ", ".join(str(source) for source in sources)
    check_spellings(people_in(found), sources, warn)
    homes = [source for source in sources if is_home(source)]
    gold = partial(gold_in_homes, homes) if homes else None
    # What is known of campaigns is not known of files.
    known_history = independence if len(homes) == len(sources) else None
    attention = attention_in(dict(zip(answers.others, read, strict=True)))
    return _report(
        *(found, options, where, present, known, attention, warn),
        pairs=answers.pairs,
        gold=gold,
        independence=known_history,
    )


def _report(
    whole: Corpus,
    asked: ReportOptions,
    where: str,
    present: Mapping[str, int],
    known: StoredFigures,
    attention: Mapping[tuple[str, str], Attention],
    warn: Callable[[str], None] | None = None,
    *,
    pairs: PairsByKey | None = None,
    gold: Callable[[], PairsByKey] | None = None,
    independence: Independence | None = None,
) -> Report:
    there = phases_in(whole)
    known.phases.update(there)
    known.people.update(people_in(whole))
    phase = only_phase(there, where, "--phase") if asked.phase is None else asked.phase
    for chosen, option in ((asked.phase, "--phase"), (asked.against, "--against")):
        # An empty source is reported first.
        if chosen is not None and known.phases:
            check_among(chosen, known.phases, "phase", where, option=option)
    if phase is not None and phase == asked.against:
        raise AnnotatorError(
            f'{where}: phase "{phase}" against itself differs by nothing; choose another --against'
        )
    told = np.isin(
        whole.phase, [place for place, name in enumerate(whole.phases) if name in (phase, asked.against)]
    )
    rows = [
        rows_on_one_revision(whole, np.flatnonzero(told), present, warn),
        rows_on_one_revision(whole, np.flatnonzero(~told), present),
    ]
    work = rows_of(whole, np.concatenate(rows))
    course = asked.course
    if course.by is Grouping.BATCH:
        own = {each.figure.id: name for each in at_hand(work.rows) if (name := batch_of(each.figure))}
        course = replace(course, batches={**own, **(course.batches or {})})
    found = full_report(
        work,
        asked.settings,
        phase=phase,
        against=asked.against,
        course=course,
        worst=asked.worst,
        articles={**articles_in_memory(work.rows), **asked.articles},
        history=None if independence is None else independence.history(phase),
        attention={name: own for (at, name), own in attention.items() if at == phase},
    )
    return replace(found, items=items_in(whole, work, found.phase, pairs or {}, gold))


def phases_in(corpus: Corpus) -> list[str]:
    """Return the phases with work, in order."""
    return [corpus.phases[place] for place in np.unique(corpus.phase).tolist()]


def people_in(corpus: Corpus) -> list[str]:
    """Return the annotators with work, in order."""
    return [corpus.annotators[place] for place in np.unique(corpus.annotator).tolist()]


def rows_of(corpus: Corpus, rows: Indices) -> Corpus:
    """These annotations; the corpus itself where that is all of them as they stand."""
    return corpus if np.array_equal(rows, np.arange(len(corpus))) else corpus.take(rows)
