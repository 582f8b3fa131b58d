"""Annotators' or models' work against gold, from a campaign's store or from files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.metrics.raw import Submitted
from agreement.metrics.summary import DEFAULTS, Comparison, Settings, comparison
from annotator.domain.counting import counted
from annotator.domain.errors import AnnotatorError
from annotator.formats.jsonl import Problems
from annotator.services.reading_work import (
    Known,
    chosen_work,
    decisions_at,
    listed_names,
    on_one_revision,
    one_phase,
    read_source,
    work_at,
)
from annotator.services.revisions import listed, what_changed

if TYPE_CHECKING:
    pass


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
    of_gold, known = Known(), Known()
    work = partial(work_at, present=present, known=known)
    settled = read_source(gold, problems, partial(decisions_at, known=of_gold), settings.mode, tell)
    ours = chosen_work(settled, gold_annotator, gold_phase, str(gold), of_gold, prefix="--gold-")
    submitted = read_source(predicted, problems, work, settings.mode, tell)
    theirs = chosen_work(submitted, annotator, phase, str(predicted), known)
    ours = on_one_revision(ours, {}, tell)
    theirs = _of_the_same(ours, on_one_revision(theirs, present, tell), tell)
    one_phase(ours, str(gold), "--gold-phase")
    one_phase(theirs, str(predicted), "--phase")
    names = sorted({each.annotator for each in ours})
    if len(names) > 1:
        raise AnnotatorError(f"{gold}: gold by {listed_names(names)}; choose one with --gold-annotator")
    return comparison(ours, theirs, settings)


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
