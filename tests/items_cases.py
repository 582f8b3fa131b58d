"""A figure of SciVQA's kind with its seven pairs, and what annotators say of it: for tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from builders import NOON, a_figure

from annotator.campaign.home import Home
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.figure import Figure
from panelwise.domain.items import UNANSWERABLE, FigureKind, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.formats.scivqa import pair_record

CAMPAIGN = Campaign(
    "SciVQA", (Phase("types", TaskType.FIGURE_TYPES), Phase("qa", TaskType.FIGURE_QA)), (), quorum=2
)
#: The same as a file, with a phase of subfigures and one of human evaluation beside.
TOML = """name = "SciVQA"
labels = ["A", "B"]
quorum = 2
[[phases]]
name = "1"
[[phases]]
name = "types"
task_type = "figure-types"
[[phases]]
name = "qa"
task_type = "figure-qa"
[[phases]]
name = "eval"
task_type = "human-eval"
"""
CAPTION = "Figure 3: Accuracy over training steps on two benchmarks. The dashed line is the baseline."
PAIRS = (
    QAItem("q1", "What is the value of the red line at step 400?", QAKind.INFINITE_VISUAL, (), "0.8"),
    QAItem("q2", "How many steps does the x-axis show?", QAKind.INFINITE_NON_VISUAL, (), "1000"),
    QAItem("q3", "Is the dashed line below the blue line at step 600?", QAKind.BINARY_VISUAL, (), "Yes"),
    QAItem("q4", "Does the legend name a baseline?", QAKind.BINARY_NON_VISUAL, (), "No"),
    QAItem(
        "q5",
        "Which line is highest on the left panel at the end?",
        QAKind.CHOICE_VISUAL,
        ("red line", "blue line", "green line", "dashed line"),
        "A",
    ),
    QAItem(
        "q6",
        "Which benchmarks are shown?",
        QAKind.CHOICE_NON_VISUAL,
        ("GLUE", "SQuAD", "MNLI", "RACE"),
        "A,B",
    ),
    QAItem("q7", "What was the learning rate?", QAKind.UNANSWERABLE, (), UNANSWERABLE),
)


def a_home(path: Path) -> Home:
    """A campaign's home with those phases."""
    home = Home.create(path)
    (home.path / "campaign.toml").write_text(TOML, encoding="utf-8")
    return Home.find(home.path)


def a_qa_figure(id: str = "f1", *, pairs: tuple[QAItem, ...] = PAIRS, **more: Any) -> Figure:
    """A figure with pairs, as `annotator import figures --qa` brings it in; pairs' ids begin with its own."""
    own = [replace(pair, id=f"{id}-{pair.id}") for pair in pairs]
    extra = {
        "figure_type": "line chart",
        "compound": True,
        "figs_numb": "2",
        "qa": [pair_record(pair) for pair in own],
        **more.pop("extra", {}),
    }
    return a_figure(id, caption=CAPTION, extra=extra, **more)


def pairs_in(figure: Figure) -> dict[str, QAItem]:
    """Short name ("q1") -> pair of the figure."""
    return {pair.id: replace(pair, id=f"{figure.id}-{pair.id}") for pair in PAIRS}


def edited(figure: Figure, name: str, note: str = "", **changes: Any) -> QAVerdict:
    """An edit of one pair."""
    pair = replace(pairs_in(figure)[name], **changes)
    return QAVerdict(pair.id, Verdict.INCORRECT, pair, note)


def verdicts(figure: Figure, *changed: QAVerdict) -> Items:
    """All pairs correct but for these."""
    by_id = {pair.id: QAVerdict(pair.id, Verdict.CORRECT) for pair in pairs_in(figure).values()}
    by_id.update({each.item: each for each in changed})
    return Items(verdicts=tuple(by_id.values()))


def kinds(compound: bool | None = True, count: int | None = 2, *types: str, note: str = "") -> Items:
    """A figure's type."""
    return Items(kind=FigureKind(compound, count, frozenset(types or ("line chart",)), note))


def judged(
    figure: Figure,
    items: Items,
    *,
    annotator: str = "ann1",
    phase: str = "qa",
    minutes: float = 0,
    status: Status = Status.ACCEPTED,
) -> Annotation:
    """One annotator's work on a figure's items."""
    return Annotation(figure, annotator, phase, status, (), NOON + timedelta(minutes=minutes), items)
