from __future__ import annotations

import pytest

from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict, type_name


def test_a_pair_is_judged_once() -> None:
    verdict = QAVerdict("q1", Verdict.CORRECT)
    with pytest.raises(InvalidAnnotation, match='"q1" is judged twice'):
        Items(verdicts=(verdict, verdict))
    with pytest.raises(InvalidAnnotation, match='"q1" is judged twice'):
        Items(answers=(HumanAnswer("q1", "yes"), HumanAnswer("q1", None)))


def test_a_pair_needs_an_id() -> None:
    with pytest.raises(InvalidAnnotation, match="instance_id"):
        QAItem("", "What?", QAKind.UNANSWERABLE, (), "")


def test_there_are_seven_kinds_of_pair() -> None:
    assert len(QAKind) == 7


def test_a_figure_has_no_negative_number_of_subfigures() -> None:
    assert FigureKind(compound=True, count=0).count == 0
    with pytest.raises(InvalidAnnotation, match="-1 subfigures"):
        FigureKind(count=-1)


def test_types_have_short_names_of_their_own() -> None:
    assert [kind.brief for kind in QAKind] == [
        "infinite visual",
        "infinite non-visual",
        "binary visual",
        "binary non-visual",
        "choice visual",
        "choice non-visual",
        "unanswerable",
    ]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Line  Chart", "line chart"),
        ("neural networks", "neural network"),
        ("axis", "axis"),
        ("Heat Maps", "heat maps"),
    ],
)
def test_a_figure_type_is_one_in_any_case_and_number(given: str, name: str) -> None:
    assert type_name(given) == name
