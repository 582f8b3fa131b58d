from __future__ import annotations

import pytest

from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import (
    NO_IMPORTED_ITEMS,
    FigureKind,
    HumanAnswer,
    ImportedItems,
    Items,
    QAItem,
    QAKind,
    QAVerdict,
    Verdict,
    type_name,
)


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


def test_a_campaigns_own_types_are_compared_in_any_case_and_in_the_plural() -> None:
    listed = ("CT scan", "tissues")
    assert [type_name(text, listed) for text in ("ct  Scans", "Tissues", "Trees")] == [
        "CT scan",
        "tissues",
        "trees",
    ]


def test_imported_keys_are_joined_in_the_order_of_the_import() -> None:
    imported = ImportedItems(record={"qa": [], "compound": True}, order=("compound", "venue", "gone", "qa"))
    assert list(imported.joined({"venue": "acl", "added": 1})) == ["compound", "venue", "qa", "added"]
    extra = {"venue": "acl"}
    assert NO_IMPORTED_ITEMS.joined(extra) is extra


def test_imported_items_are_shared_without_secrets() -> None:
    secret, plain = "https://ann:pass@lab.example/a", "https://lab.example/a"
    pair = QAItem("q1", f"What shows {secret}?", QAKind.BINARY_VISUAL, (secret,), secret)
    imported = ImportedItems((pair,), FigureKind(types=frozenset({secret})), {"qa": [{"answer": secret}]})
    shared = imported.shareable()
    assert shared.pairs == (QAItem("q1", f"What shows {plain}?", QAKind.BINARY_VISUAL, (plain,), plain),)
    assert shared.kind == FigureKind(types=frozenset({plain}))
    assert shared.record == {"qa": [{"answer": plain}]}
    assert NO_IMPORTED_ITEMS.shareable() == NO_IMPORTED_ITEMS


def test_what_could_not_be_read_makes_no_other_figure() -> None:
    record = {"qa": ["odd"]}
    assert ImportedItems(record=record, unread=("a:1",)) == ImportedItems(record=record, unread=("b:2",))


def test_a_type_of_pair_is_read_with_commas() -> None:
    assert [kind.phrase for kind in (QAKind.INFINITE_VISUAL, QAKind.CHOICE_NON_VISUAL, QAKind.UNANSWERABLE)] == [
        "closed-ended, infinite answer set, visual",
        "closed-ended, finite answer set, non-binary non-visual",
        "unanswerable",
    ]
