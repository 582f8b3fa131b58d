"""Agreement of the annotations in a campaign's store or in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.metrics.raw import Submitted
from agreement.metrics.summary import DEFAULTS, Report, Settings, report_on
from annotator.domain.campaign import Campaign
from annotator.formats.jsonl import Problems
from annotator.services.home import Home
from annotator.services.queue import score_disagreement
from annotator.services.reading_work import (
    Known,
    annotations_at,
    chosen_work,
    on_one_revision,
    one_phase,
    read_source,
    work_at,
)
from annotator.store.records import Revisions

if TYPE_CHECKING:
    from annotator.store.store import Store


def measure(store: Store, *, phase: str | None = None, settings: Settings = DEFAULTS) -> Report:
    """Agreement among the annotators of a campaign in one phase.

    phase: None where the store holds one phase only; AnnotatorError where it holds several, and for one that it
    has no work of.
    """
    present: dict[str, int] = {}
    return _report(annotations_at(store, present), phase, settings, store.where, present, Known())


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
    known = Known()
    work = partial(work_at, present=present, known=known)
    found = (each for source in sources for each in read_source(source, problems, work, settings.mode, tell))
    return _report(found, phase, settings, ", ".join(str(source) for source in sources), present, known, tell)


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
    known: Known,
    tell: Callable[[str], None] | None = None,
) -> Report:
    chosen = chosen_work(annotations, None, phase, where, known)
    phase = one_phase(chosen, where, "--phase") if phase is None else phase
    return report_on(on_one_revision(chosen, present, tell), settings, phase=phase)
