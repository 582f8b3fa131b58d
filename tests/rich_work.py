"""Work in which everything that a report, a comparison or a consensus can tell happens at least once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from builders import a_figure, an_annotation

from panelwise.domain.annotation import Annotation, Prediction, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.figure import Figure
from panelwise.domain.items import FigureKind, Items, QAVerdict, Verdict

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
WORDS = " ".join(f"w{number}" for number in range(30))
LEFT, RIGHT = (10, 0, 90, 100), (110, 0, 190, 100)
BESIDE, APART = (150, 0, 260, 100), (220, 0, 300, 100)

Part = tuple[tuple[float, ...], Sequence[int]]


def rich_figure(name: str, caption: str = WORDS) -> Figure:
    return a_figure(name, caption=caption, width=300, height=100)


def drawn(who: str, figure: Figure, *parts: Part, day: int = 0, **more: Any) -> Annotation:
    subfigures = tuple(
        Subfigure("ABCD"[place], Box(*box), frozenset(tokens)) for place, (box, tokens) in enumerate(parts)
    )
    work = an_annotation(figure, annotator=who, subfigures=subfigures, **more)
    return replace(work, saved_at=MONDAY + timedelta(days=day))


def rich_work(phase: str = "1") -> list[Annotation]:
    """Three annotators' work on ten figures in four weeks: every cause of loss, verdicts, types, seeds."""
    a, b = range(2, 10), range(12, 20)
    plain: tuple[Part, ...] = ((LEFT, a), (RIGHT, b))
    others: tuple[tuple[Part, ...], ...] = (
        plain,
        ((LEFT, a),),
        ((LEFT, a), (BESIDE, b)),
        ((LEFT, range(2, 14)), (RIGHT, range(14, 20))),
        ((LEFT, range(2, 8)), (RIGHT, b)),
        ((LEFT, a), (RIGHT, range(12, 28))),
        ((LEFT, a), (RIGHT, range(16, 20))),
        ((LEFT, a), (RIGHT, b), (APART, ())),
    )
    work = []
    for number, parts in enumerate(others):
        figure = rich_figure(f"f{number}")
        for place, who in enumerate(("ann", "ben", "cho")):
            types = frozenset({"line chart"} if number % 3 else {"line chart", "bar chart"})
            items = Items(
                FigureKind(number % 4 > 0 or who == "ben", 2, types if place else frozenset({"line chart"}), ""),
                (QAVerdict("q1", Verdict.INCORRECT if (number + place) % 3 == 0 else Verdict.CORRECT, None, ""),),
            )
            more: dict[str, object] = {"items": items, "phase": phase, "day": 7 * (number // 2)}
            if number < 3:
                more["seeded_by"] = "classic-1"
            work.append(drawn(who, figure, *(parts if who == "ben" else plain), **more))
    rejected = rich_figure("f8")
    work.append(drawn("ann", rejected, *plain, phase=phase))
    work.append(drawn("ben", rejected, phase=phase, status=Status.REJECTED))
    work.append(drawn("cho", rejected, phase=phase, status=Status.REJECTED))
    work.append(drawn("ann", rich_figure("f9"), *plain, phase=phase))
    work.append(drawn("ben", rich_figure("f9", WORDS + " more"), *plain, phase=phase))
    work.append(drawn("cho", rich_figure("f9"), *plain, phase=phase, status=Status.IGNORED))
    work.append(drawn("ann", rich_figure("f0"), *plain, phase=phase, day=-1))
    return work


def rich_gold() -> list[Annotation]:
    """One annotator's work on the same figures, as gold."""
    gold = [replace(each, annotator="gold", phase="gold") for each in rich_work() if each.annotator == "ann"]
    return gold[:-1]


def rich_predictions(model: str) -> list[Prediction]:
    """What a model says of the figures that ben drew, with scores."""
    work = [each for each in rich_work() if each.annotator == "ben" and each.status is Status.ACCEPTED]
    return [
        Prediction(
            each.figure,
            model,
            each.subfigures,
            tuple(0.9 - 0.1 * place - 0.03 * number for place in range(len(each.subfigures))),
        )
        for number, each in enumerate(work)
    ]
