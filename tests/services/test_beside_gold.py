"""One annotator's work beside the gold, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from annotator.dashboards.compared_to_gold import compare_to_gold, marked, passages
from panelwise.domain.annotation import Status
from panelwise.domain.caption import Caption

LEFT, RIGHT, FAR = (0, 0, 400, 600), (400, 0, 800, 600), (0, 0, 40, 60)
A, B = a_subfigure("A"), a_subfigure("B", box=RIGHT, tokens=(10, 12, 13))


def said(gold, own) -> list[tuple[str, str]]:
    found = compare_to_gold(a_decision(subfigures=tuple(gold)), an_annotation(subfigures=tuple(own)))
    return [("", line) for line in found.lines] + [
        (panel.label, line) for panel in found.panels for line in panel.lines
    ]


def test_the_same_work_differs_in_nothing() -> None:
    found = compare_to_gold(a_decision(subfigures=(A, B)), an_annotation(subfigures=(B, A)))
    assert not found.differs
    assert [panel.label for panel in found.panels] == ["A", "B"]
    assert all(panel.gold and panel.own for panel in found.panels)


def test_a_missed_panel_and_a_surplus_one_are_told() -> None:
    assert said((A, B), (A,)) == [("B", "Missing box: only the gold has one here.")]
    assert said((A,), (A, B)) == [("B", "Extra box: the gold has none here.")]


def test_a_label_of_the_same_box_is_told() -> None:
    assert said((A,), (a_subfigure("C"),)) == [("A", "Your label is C; the gold label is A.")]


def test_swapped_labels_are_told_of_both_panels() -> None:
    own = (a_subfigure("B"), a_subfigure("A", box=RIGHT, tokens=(10, 12, 13)))
    assert said((A, B), own) == [
        ("A", "Your label is B; the gold label is A."),
        ("B", "Your label is A; the gold label is B."),
    ]


def test_text_is_told_in_the_captions_words_passage_by_passage() -> None:
    assert said((A,), (a_subfigure(tokens=(4,)),)) == [("A", "Missing text: “left lung”.")]
    lines = said((a_subfigure(tokens=(4, 6, 7)),), (a_subfigure(tokens=(4, 6, 12, 13)),))
    assert lines == [
        ("A", "Missing text: “lung”."),
        ("A", "Extra text: “right lung”."),
    ]


def test_one_label_on_boxes_that_do_not_fit_is_one_panel_whose_box_differs() -> None:
    line = "Your box overlaps the gold box by only 1%: below the box match threshold."
    assert said((A,), (a_subfigure(box=FAR),)) == [("A", line)]


def test_a_looser_box_is_told_from_the_threshold_of_the_adjudication_screen_on() -> None:
    assert said((A,), (a_subfigure(box=(0, 0, 400, 460)),)) == []
    assert said((A,), (a_subfigure(box=(0, 0, 400, 400)),)) == [
        ("A", "Your box overlaps the gold box by only 66%.")
    ]


@pytest.mark.parametrize(
    ("gold", "own", "line"),
    [
        (Status.REJECTED, Status.ACCEPTED, "The gold rejected the figure; you accepted the figure."),
        (Status.ACCEPTED, Status.IGNORED, "The gold accepted the figure; you left out the figure."),
    ],
)
def test_another_verdict_is_told_and_nothing_else(gold: Status, own: Status, line: str) -> None:
    found = compare_to_gold(a_decision(status=gold, subfigures=(A,)), an_annotation(status=own, subfigures=(B,)))
    assert found.lines == (line,)
    assert not any(panel.lines for panel in found.panels)


def test_what_both_rejected_is_the_same_whatever_was_drawn() -> None:
    rejected = Status.REJECTED
    found = compare_to_gold(
        a_decision(status=rejected, subfigures=()), an_annotation(status=rejected, subfigures=(A,))
    )
    assert not found.differs


def test_nobody_is_named_whoever_they_are() -> None:
    decision = a_decision(subfigures=(A, B), reviewer="Rita-Q", based_on=("Zeb-Q",), note="Zeb-Q was right")
    found = compare_to_gold(decision, an_annotation(annotator="gold", subfigures=(A,)))
    assert found.differs
    assert "Rita-Q" not in str([found.lines, [panel.lines for panel in found.panels]])
    assert "Zeb-Q" not in str(found.panels)


tokens = st.frozensets(st.integers(0, 20), max_size=12)


@given(gold=tokens, own=tokens)
def test_marking_keeps_every_letter_and_says_who_has_each_token(gold, own) -> None:
    caption = a_figure().caption
    gold, own = (frozenset(each for each in side if each < len(caption.ranges)) for side in (gold, own))
    pieces = marked(caption, gold, own)
    assert "".join(text for text, _ in pieces) == caption.text
    at = 0
    kinds = {}
    for text, kind in pieces:
        kinds.update({place: kind for place in range(at, at + len(text))})
        at += len(text)
    for token, (start, end) in enumerate(caption.ranges):
        wanted = ("both" if token in own else "gold") if token in gold else ("own" if token in own else "")
        assert {kinds[place] for place in range(start, end)} == {wanted}


def test_an_empty_caption_has_no_pieces_and_no_passages() -> None:
    assert marked(Caption.cut(""), (), ()) == ()
    assert passages((), Caption.cut("a b")) == ""


def test_a_long_passage_is_cut() -> None:
    caption = Caption.cut("word " * 100)
    assert len(passages(range(100), caption)) <= 122


def test_who_lost_a_box_in_reading_is_not_said_to_have_missed_it_without_a_word_on_that() -> None:
    own = replace(an_annotation(subfigures=(A,)), partly_read=True)
    found = compare_to_gold(a_decision(subfigures=(A, B)), own)
    assert found.lines == (
        "Some of your work here could not be read: a missing box or text may be yours. It is not scored.",
    )
