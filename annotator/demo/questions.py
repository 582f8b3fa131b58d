"""The other demo: charts with their question-answer pairs, validated by two simulated annotators.

As `demo` does it: everything goes the way of real work, and each step finds out for itself what is done.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.campaign.home import DEFAULT_LABELS, Home
from annotator.campaign.templates import TEMPLATES
from annotator.demo.figures import PHASE, SEED, Report, assign_demo, check_own
from annotator.imports.figures import import_figures
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.items import FigureKind, Items, QAVerdict, Verdict
from panelwise.files.jsonl import Problems

if TYPE_CHECKING:
    from annotator.store.store import Store
    from panelwise_simulator.demo.questions import DemoQuestions

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
    from panelwise_simulator.demo.questions import demo_questions, write_questions

    check_own(path, "drawn")
    template = TEMPLATES["figure-qa"]
    phase = Phase(PHASE, TaskType.FIGURE_QA, fine_types=True)
    campaign = Campaign("Panelwise demo: questions", (phase,), DEFAULT_LABELS, "1")
    home = Home.create(path, settings=replace(template, notes={}).text(campaign), guidelines=template.guidelines())
    folder = home.path / "drawn"
    if not (folder / "figures.jsonl").exists():
        report("drawing six charts")
        write_questions(demo_questions(SEED), folder)
    store = home.open_store()
    problems = Problems()
    try:
        for _ in import_figures(home, store, folder / "figures.jsonl", problems, qa=folder / "qa.jsonl"):
            pass
        assign_demo(store, SIMULATED, unanimous=UNANIMOUS)
    finally:
        store.close()
    if problems.count:
        raise AnnotatorError(f"{path}: {problems.lines[0]}; remove the folder and start the demo again")
    return home


def work(home: Home, store: Store) -> list[Annotation]:
    """What the simulated annotators make of the stored figures: the first errs in nothing, the second at times."""
    from panelwise_simulator.demo.questions import demo_questions

    found = []
    for place, each in enumerate(demo_questions(SEED)):
        with store.read() as tx:
            figure = tx.figure(each.figure_id)
        for number, name in enumerate(SIMULATED):
            items = _hasty(each) if number else each.truth
            saved_at = _BEGUN + timedelta(days=number, minutes=7 * place)
            found.append(
                Annotation(
                    figure, name, PHASE, Status.ACCEPTED, (), saved_at, items=items, seconds=150.0 + 20 * place
                )
            )
    return found


def _hasty(each: DemoQuestions) -> Items:
    """The verdicts of somebody who reads fast, and takes the types that a model gave for right."""
    verdicts = tuple(_hasty_verdict(verdict, each) for verdict in each.truth.verdicts)
    given = each.chart.given
    return Items(FigureKind(given.compound, given.count, given.types), verdicts)


def _hasty_verdict(verdict: QAVerdict, each: DemoQuestions) -> QAVerdict:
    if verdict.item in _OVERLOOKED:
        return QAVerdict(verdict.item, Verdict.CORRECT)
    if verdict.item == _ACCUSED:
        pair = next(item for item in each.pairs if item.id == verdict.item)
        return QAVerdict(verdict.item, Verdict.INCORRECT, replace(pair, answer="Two"), "write numbers out")
    return verdict
