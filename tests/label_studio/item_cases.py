"""Figures with question-answer pairs, and what annotators make of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from builders import a_figure, an_annotation, texts
from hypothesis import strategies as st

from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Phase, TaskType
from panelwise.domain.figure import Figure
from panelwise.domain.items import (
    FIGURE_TYPES,
    IMPOSSIBLE,
    UNANSWERABLE,
    FigureKind,
    HumanAnswer,
    Items,
    QAItem,
    QAKind,
    QAVerdict,
    Verdict,
)
from panelwise.formats.scivqa import pair_record

TYPES = Phase("types", TaskType.FIGURE_TYPES)
QA = Phase("qa", TaskType.FIGURE_QA)
QA_AND_TYPES = Phase("qa and types", TaskType.FIGURE_QA, fine_types=True)
QA_AND_TYPE = Phase("qa and type", TaskType.FIGURE_QA, figure_type=True)
HUMAN = Phase("human", TaskType.HUMAN_EVAL)
OPTIONS = ("nero", "ci", "sees", "vede")
SAVED = datetime(2026, 11, 21, 12, 0, 30, tzinfo=UTC)

_QUESTIONS = {
    QAKind.INFINITE_VISUAL: ("What colour are the edges?", "Black"),
    QAKind.INFINITE_NON_VISUAL: ("What is the root < of \u2264 all?", "PredVP"),
    QAKind.BINARY_VISUAL: ("Is there a thick red path?", "Yes"),
    QAKind.BINARY_NON_VISUAL: ("Does the tree hold an 'NP'?", "No"),
    QAKind.CHOICE_VISUAL: ("Which word is at the bottom?", "D"),
    QAKind.CHOICE_NON_VISUAL: ("Which are leaves, m\u00b2 \U0001f600 \u8449 \u05e2\u05dc\u05d4?", "B,C"),
    QAKind.UNANSWERABLE: ("How accurate is it?", UNANSWERABLE),
}


def seven_pairs() -> tuple[QAItem, ...]:
    """A pair of each type."""
    return tuple(
        QAItem(f"q{number}", question, kind, OPTIONS if "non-binary" in kind else (), answer)
        for number, (kind, (question, answer)) in enumerate(_QUESTIONS.items(), start=1)
    )


def with_pairs(pairs: tuple[QAItem, ...], **more: Any) -> Figure:
    """A figure that came with these pairs."""
    extra = {"qa": [pair_record(pair) for pair in pairs], **more.pop("extra", {})}
    return a_figure(extra=extra, **more)


def done(figure: Figure, phase: Phase, items: Items, **more: Any) -> Annotation:
    """An annotator's work of a phase."""
    fields = {"subfigures": (), "phase": phase.name, "items": items, "seconds": 12.5, **more}
    return replace(an_annotation(figure, **fields), saved_at=SAVED)


def record(result: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """What the server hands back of an annotation."""
    return {"id": 7, "result": result, "updated_at": SAVED.isoformat(), "lead_time": 12.5, **more}


_written = texts.map(lambda text: "\n".join(filter(None, map(str.strip, text.splitlines())))).filter(bool)
_lines = _written.map(lambda text: text.split("\n")[0]).filter(lambda text: text.splitlines() == [text])
_own_types = st.sampled_from(["heat map", "violin plot", "stacked bars"])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[QAItem, ...]:
    """One to seven pairs, options where their type has them."""
    kinds = draw(st.lists(st.sampled_from(QAKind), min_size=1, max_size=7))
    return tuple(
        QAItem(
            f"p{number}",
            draw(_written),
            kind,
            tuple(draw(st.lists(_lines, min_size=2, max_size=4))) if "non-binary" in kind else (),
            draw(_written),
        )
        for number, kind in enumerate(kinds)
    )


@st.composite
def kinds(draw: st.DrawFn) -> FigureKind:
    """What an annotator says of a figure's types."""
    return FigureKind(
        compound=draw(st.none() | st.booleans()),
        count=draw(st.none() | st.integers(1, 99)),
        types=frozenset(draw(st.lists(st.sampled_from(FIGURE_TYPES) | _own_types))),
        note=draw(st.just("") | _written),
    )


@st.composite
def verdicts(draw: st.DrawFn, pair: QAItem) -> QAVerdict:
    """Correct, or Incorrect.Edit with some of the pair changed."""
    note = draw(st.just("") | _written)
    if draw(st.booleans()):
        return QAVerdict(pair.id, Verdict.CORRECT, None, note)
    how = draw(st.sampled_from(["question", "answer", "choices", "unanswerable", "impossible", "nothing"]))
    edited = {
        "question": lambda: replace(pair, question=draw(_written)),
        "answer": lambda: replace(pair, answer=draw(_written)),
        "choices": lambda: replace(pair, choices=tuple(draw(st.lists(_lines, min_size=1, max_size=5)))),
        "unanswerable": lambda: replace(pair, kind=QAKind.UNANSWERABLE, answer=UNANSWERABLE),
        "impossible": lambda: replace(pair, question=IMPOSSIBLE, choices=(), answer=IMPOSSIBLE),
        "nothing": lambda: pair,
    }[how]()
    return QAVerdict(pair.id, Verdict.INCORRECT, edited if edited != pair else None, note)


@st.composite
def answers(draw: st.DrawFn, pair: QAItem) -> HumanAnswer:
    """An answer as the screen lets a person give it."""
    note = draw(st.just("") | _written)
    how = draw(st.sampled_from(["own", "unanswerable", "unknown"]))
    if how == "unknown":
        return HumanAnswer(pair.id, None, note)
    if how == "unanswerable":
        return HumanAnswer(pair.id, UNANSWERABLE, note)
    if not pair.choices:
        return HumanAnswer(pair.id, draw(_written), note)
    letters = draw(st.sets(st.sampled_from("ABCD"[: len(pair.choices)]), min_size=1))
    return HumanAnswer(pair.id, ",".join(sorted(letters)), note)


statuses = st.sampled_from([Status.ACCEPTED, Status.REJECTED])
