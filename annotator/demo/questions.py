"""The other demo: charts with their question-answer pairs, validated by two simulated annotators.

As `demo` does it: everything goes the way of real work, and each step finds out for itself what is done.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from annotator.campaign.home import DEFAULT_LABELS, Home
from annotator.campaign.templates import TEMPLATES
from annotator.demo.figures import PHASE, QUESTIONS, Report, assign_demo, check_own, read_truth, write_sample
from annotator.imports.figures import import_figures
from annotator.store.store import Store
from panelwise.domain import (
    Annotation,
    AnnotatorError,
    Campaign,
    Items,
    Phase,
    QAItem,
    QAVerdict,
    Status,
    TaskType,
    Verdict,
)
from panelwise.files import Problems

SIMULATED = ("ann1", "ann2")
#: Charts on which they agree and which the newcomer does not get: gold from the beginning.
UNANIMOUS = ("chart-001", "chart-004")
#: Wrong pairs that the second annotator takes for right, and a right one that they find fault with.
_OVERLOOKED = ("chart-002-q4", "chart-003-q7", "chart-005-q2")
_ACCUSED = "chart-006-q1"
#: When the simulated work is dated.
_BEGUN = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)


def prepare(path: Path, report: Report) -> Home:
    """The demo's home with six charts and their pairs imported and assigned. Raises AnnotatorError."""
    check_own(path, "drawn")
    template = TEMPLATES["figure-qa"]
    phase = Phase(PHASE, TaskType.FIGURE_QA, fine_types=True)
    campaign = Campaign("Panelwise demo: questions", (phase,), DEFAULT_LABELS, "1")
    home = Home.create(path, settings=replace(template, notes={}).text(campaign), guidelines=template.guidelines())
    folder = home.path / "drawn"
    if not (folder / "figures.jsonl").exists():
        report("writing six charts")
        write_sample(QUESTIONS, folder)
    problems = Problems()
    with home.open_store() as store:
        for _ in import_figures(home, store, folder / "figures.jsonl", problems, qa=folder / "qa.jsonl"):
            pass
        assign_demo(store, SIMULATED, unanimous=UNANIMOUS)
    if problems.count:
        raise AnnotatorError(f"{path}: {problems.lines[0]}; remove the folder and start the demo again")
    return home


def work(home: Home, store: Store) -> list[Annotation]:
    """Simulate the annotators' work on the stored figures: the first makes no mistakes, the second some."""
    found = []
    for place, truth in enumerate(read_truth(home.path / "drawn", store)):
        for number, name in enumerate(SIMULATED):
            items = _hasty(truth) if number else truth.items
            saved_at = _BEGUN + timedelta(days=number, minutes=7 * place)
            seconds = 150.0 + 20 * place
            found.append(
                Annotation(truth.figure, name, PHASE, Status.ACCEPTED, (), saved_at, items=items, seconds=seconds)
            )
    return found


def _hasty(truth: Annotation) -> Items:
    """Return the verdicts of an annotator who reads fast and accepts a model's types."""
    pairs = truth.figure.imported.by_id
    verdicts = tuple(_hasty_verdict(verdict, pairs[verdict.item]) for verdict in truth.items.verdicts)
    return Items(truth.figure.imported.kind, verdicts)


def _hasty_verdict(verdict: QAVerdict, pair: QAItem) -> QAVerdict:
    if pair.id in _OVERLOOKED:
        return QAVerdict(pair.id, Verdict.CORRECT)
    if pair.id == _ACCUSED:
        return QAVerdict(pair.id, Verdict.INCORRECT, replace(pair, answer="Two"), "write numbers out")
    return verdict
