"""The question campaign of the demo: six charts with their seven pairs each, a few of them wrong on purpose.

What the questions ask holds of the charts whatever numbers chance gives them. Pairs and charts are in SciVQA's
layout; the truth says of each pair whether it is right, and how it should read where it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from panelwise.domain import (
    UNANSWERABLE,
    Annotation,
    Caption,
    Figure,
    FigureKind,
    Items,
    QAItem,
    QAKind,
    QAVerdict,
    Status,
    Verdict,
)
from panelwise.files import write_lines
from panelwise.formats import annotation_record, pair_record
from panelwise_simulator.composition.lettering import WHITE
from panelwise_simulator.demo import charts
from panelwise_simulator.kinds import Generator
from panelwise_simulator.simulated import TRUTH_TIME

_GUTTER = 24


@dataclass(frozen=True, slots=True)
class DemoPair:
    """A pair as it comes, and, where it is wrong, the question and answer that it should have."""

    kind: QAKind
    question: str
    answer: str
    choices: tuple[str, ...] = ()
    right: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure: what is drawn side by side, its caption, what a model says of it, what is so, and its pairs.

    size: width and height of each part in pixels.
    """

    draws: tuple[Callable[[Generator, int, int], Image.Image], ...]
    caption: str
    first_answer: FigureKind
    is_so: FigureKind
    pairs: tuple[DemoPair, ...]
    size: tuple[int, int] = (640, 440)


@dataclass(frozen=True, slots=True)
class DemoQuestions:
    """A drawn figure with its pairs as they come, and the items of somebody who makes no mistake."""

    figure_id: str
    image: Image.Image
    chart: Chart
    pairs: tuple[QAItem, ...]
    truth: Items

    def annotation(self) -> Annotation:
        """The truth as an annotation, whose annotator is "truth"."""
        width, height = self.image.size
        figure = Figure(self.figure_id, f"{self.figure_id}.png", width, height, Caption.cut(self.chart.caption))
        return Annotation(figure, "truth", "1", Status.ACCEPTED, (), TRUTH_TIME, items=self.truth)


def demo_questions(seed: int = 0) -> list[DemoQuestions]:
    """The six figures with their pairs, the same for the same seed on every machine."""
    return [_drawn(f"chart-{number:03d}", chart, (seed, number)) for number, chart in enumerate(CHARTS, start=1)]


def write_questions(figures: Sequence[DemoQuestions], folder: Path) -> None:
    """Write figures.jsonl and qa.jsonl in SciVQA's layout, the truth as annotations.jsonl, and the images."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in figures:
        each.image.save(folder / f"{each.figure_id}.png")
    write_lines(folder / "qa.jsonl", (_pair(each, item) for each in figures for item in each.pairs))
    write_lines(folder / "annotations.jsonl", (annotation_record(each.annotation()) for each in figures))
    # The figures last: a folder with them is whole.
    write_lines(folder / "figures.jsonl", map(_figure, figures))


def _drawn(figure_id: str, chart: Chart, seed: tuple[int, int]) -> DemoQuestions:
    width, height = chart.size
    across = len(chart.draws) * (width + _GUTTER) - _GUTTER
    canvas = Image.new("RGB", (across, height), WHITE)
    for place, draw in enumerate(chart.draws):
        rng = np.random.default_rng([*seed, place])
        canvas.paste(draw(rng, width, height), (place * (width + _GUTTER), 0))
    items = tuple(
        QAItem(f"{figure_id}-q{number}", each.question, each.kind, each.choices, each.answer)
        for number, each in enumerate(chart.pairs, start=1)
    )
    verdicts = tuple(_verdict(item, asked) for item, asked in zip(items, chart.pairs, strict=True))
    return DemoQuestions(figure_id, canvas, chart, items, Items(chart.is_so, verdicts))


def _verdict(item: QAItem, asked: DemoPair) -> QAVerdict:
    if asked.right is None:
        return QAVerdict(item.id, Verdict.CORRECT)
    question, answer = asked.right
    return QAVerdict(
        item.id, Verdict.INCORRECT, QAItem(item.id, question, item.kind, item.choices, answer, item.evidence)
    )


def _figure(each: DemoQuestions) -> dict[str, Any]:
    given = each.chart.first_answer
    return {
        "figure_id": each.figure_id,
        "image_file": f"{each.figure_id}.png",
        "caption": each.chart.caption,
        "figure_type": ",".join(sorted(given.types)),
        "compound": given.compound,
        "figs_numb": str(given.count),
        "paper_id": f"simulated-article-{each.figure_id}",
    }


def _pair(each: DemoQuestions, item: QAItem) -> dict[str, Any]:
    return {**pair_record(item), "figure_id": each.figure_id}


# ---- charts -----------------------------------------------------------------------------------------


def _one(kind: str) -> FigureKind:
    return FigureKind(compound=False, count=1, types=frozenset({kind}))


CHARTS = (
    Chart(
        (charts.time_course,),
        "Figure 1: Growth of the wild type, a mutant and its rescue over 24 h at 30 °C. Bars, standard deviation.",
        _one("line chart"),
        _one("line chart"),
        (
            DemoPair(QAKind.INFINITE_VISUAL, "What colour is the line of the mutant?", "Orange"),
            DemoPair(QAKind.INFINITE_NON_VISUAL, "Up to which time was growth measured?", "24 h"),
            DemoPair(
                QAKind.BINARY_VISUAL,
                "Is the green line above the blue line at 20 h?",
                "Yes",
                right=("Is the green line above the blue line at 20 h?", "No"),
            ),
            DemoPair(QAKind.BINARY_NON_VISUAL, "Does the wild type grow faster than the mutant?", "Yes"),
            DemoPair(
                QAKind.CHOICE_VISUAL,
                "Which line lies between the other two at 20 h?",
                "C",
                ("The blue line", "The orange line", "The green line", "The black line"),
            ),
            DemoPair(
                QAKind.CHOICE_NON_VISUAL,
                "Which strains were compared with the wild type?",
                "A,D",
                ("The mutant", "A second wild type", "A double mutant", "The rescue"),
            ),
            DemoPair(QAKind.UNANSWERABLE, "In which medium were the strains grown?", UNANSWERABLE),
        ),
    ),
    Chart(
        (charts.bars,),
        "Figure 2: Expression of the reporter in four dose groups (n = 5 each; ***, P < 0.001).",
        _one("bar chart"),
        _one("bar chart"),
        (
            DemoPair(QAKind.INFINITE_VISUAL, "What colour are the bars?", "Blue"),
            DemoPair(QAKind.INFINITE_NON_VISUAL, "How many dose groups are shown?", "4"),
            DemoPair(QAKind.BINARY_VISUAL, "Is the tallest bar that of the high dose?", "Yes"),
            DemoPair(
                QAKind.BINARY_NON_VISUAL,
                "Is this figure a bar chart?",
                "Yes",
                right=("Is expression in the control group lower than at the low dose?", "Yes"),
            ),
            DemoPair(
                QAKind.CHOICE_VISUAL,
                "Which bar is the second shortest?",
                "B",
                ("Ctrl", "Low", "Mid", "High"),
            ),
            DemoPair(
                QAKind.CHOICE_NON_VISUAL,
                "In which groups is relative expression above 2.5?",
                "D",
                ("Ctrl", "Low", "Mid", "High"),
            ),
            DemoPair(QAKind.UNANSWERABLE, "Which drug was given?", UNANSWERABLE),
        ),
    ),
    Chart(
        (charts.box_plot,),
        "Figure 3: Score of patients by stage of the disease.",
        _one("box plot"),
        _one("box plot"),
        (
            DemoPair(QAKind.INFINITE_VISUAL, "What colour is the box of stage III?", "Green"),
            DemoPair(QAKind.INFINITE_NON_VISUAL, "Which stage has the highest median?", "IV"),
            DemoPair(
                QAKind.BINARY_VISUAL,
                "Is the median of stage I higher than that of stage II?",
                "No",
                right=("Is the line in the blue box higher than the line in the orange box?", "No"),
            ),
            DemoPair(QAKind.BINARY_NON_VISUAL, "Does the median score rise from stage to stage?", "Yes"),
            DemoPair(
                QAKind.CHOICE_VISUAL,
                "Which colour has the box on the far right?",
                "D",
                ("Blue", "Orange", "Green", "Pink"),
            ),
            DemoPair(
                QAKind.CHOICE_NON_VISUAL,
                "Which stages have a median above 50 %?",
                "C,D",
                ("I", "II", "III", "IV"),
            ),
            DemoPair(
                QAKind.UNANSWERABLE,
                "How many patients were in stage II?",
                "It is not possible to answer.",
                right=("How many patients were in stage II?", UNANSWERABLE),
            ),
        ),
    ),
    Chart(
        (charts.scatter,),
        "Figure 4: Serum marker against the volume of the tumour, with the line of best fit.",
        _one("scatter plot"),
        _one("scatter plot"),
        (
            DemoPair(QAKind.INFINITE_VISUAL, "What colour is the line of best fit?", "Orange"),
            DemoPair(QAKind.INFINITE_NON_VISUAL, "In which unit is the volume of the tumour given?", "cm3"),
            DemoPair(QAKind.BINARY_VISUAL, "Does the orange line rise from left to right?", "Yes"),
            DemoPair(QAKind.BINARY_NON_VISUAL, "Is the correlation negative?", "No"),
            DemoPair(
                QAKind.CHOICE_VISUAL,
                "What shape are the single values drawn as?",
                "B",
                ("Squares", "Circles", "Round dots", "Triangles"),
                right=("What shape are the single values drawn as?", "B,C"),
            ),
            DemoPair(
                QAKind.CHOICE_NON_VISUAL,
                "About which value has the marker on the fitted line at a volume of 6 cm3?",
                "C",
                ("10 ng/ml", "20 ng/ml", "33 ng/ml", "55 ng/ml"),
            ),
            DemoPair(QAKind.UNANSWERABLE, "How old were the patients?", UNANSWERABLE),
        ),
    ),
    Chart(
        (charts.survival, charts.histogram),
        "Figure 5: (left) Survival of treated and untreated animals. (right) Diameters of 900 vesicles; the line "
        "marks the mean.",
        _one("line chart"),
        FigureKind(compound=True, count=2, types=frozenset({"line chart", "bar chart"})),
        (
            DemoPair(QAKind.INFINITE_VISUAL, "What colour is the curve of the untreated animals?", "Orange"),
            DemoPair(
                QAKind.INFINITE_NON_VISUAL,
                "How many vesicles were measured?",
                "900",
                right=("Up to which month was survival followed?", "60"),
            ),
            DemoPair(QAKind.BINARY_VISUAL, "Is the blue curve above the orange curve at 40 months?", "Yes"),
            DemoPair(QAKind.BINARY_NON_VISUAL, "Do fewer treated than untreated animals survive 60 months?", "No"),
            DemoPair(
                QAKind.CHOICE_VISUAL,
                "What does the vertical line in the right plot mark?",
                "A",
                ("The mean", "The median", "The largest diameter", "A threshold"),
            ),
            DemoPair(
                QAKind.CHOICE_NON_VISUAL,
                "In which unit are diameters given?",
                "B",
                ("mm", "nm", "cm", "pixels"),
            ),
            DemoPair(QAKind.UNANSWERABLE, "Which treatment did the animals get?", UNANSWERABLE),
        ),
    ),
    Chart(
        (charts.flow_chart,),
        "Figure 6: Flow of participants through the trial.",
        _one("tree"),
        _one("graph"),
        (
            DemoPair(QAKind.INFINITE_VISUAL, "How many boxes lie side by side in the lowest row?", "2"),
            DemoPair(
                QAKind.INFINITE_NON_VISUAL, "What is the first step of the trial?", "Assessed for eligibility"
            ),
            DemoPair(QAKind.BINARY_VISUAL, "Do arrows lead down to the box of those analysed?", "Yes"),
            DemoPair(QAKind.BINARY_NON_VISUAL, "Were participants excluded before randomisation?", "Yes"),
            DemoPair(
                QAKind.CHOICE_VISUAL,
                "Which box is on the right of the arrow that leaves the column in the middle?",
                "D",
                ("Randomised", "Analysed", "Lost to follow-up", "Excluded"),
            ),
            DemoPair(
                QAKind.CHOICE_NON_VISUAL,
                "To which arms were participants allocated?",
                "A,B",
                ("Intervention", "Usual care", "Placebo", "Sham"),
            ),
            DemoPair(QAKind.UNANSWERABLE, "How long did the trial last?", UNANSWERABLE),
        ),
        size=(820, 560),
    ),
)
