from __future__ import annotations

from builders import a_figure, a_subfigure, an_annotation
from services.checks.examples import BELOW, BOXES, LEFT, RIGHT, A, B, C, boxes

from annotator.checks.run import findings_of
from panelwise.domain.campaign import Phase


def checks_of(work, phase=BOXES) -> list[tuple[str, str]]:
    return [(finding.check, finding.where) for finding in findings_of(work, phase)]


def test_a_few_pixels_of_overlap_are_nothing() -> None:
    drawn = boxes(("A", (0, 0, 410, 300), A), ("B", RIGHT, B), ("C", BELOW, C))
    assert checks_of(drawn) == []


def test_a_box_within_another_is_told_as_an_inset_may_be() -> None:
    work = boxes(("A", (0, 0, 800, 600), A), ("B", (500, 50, 700, 250), B))
    found = next(each for each in findings_of(work, BOXES) if each.check == "boxes-overlap")
    assert found.where == "B"
    assert "lies within that of" in found.message


def test_what_rounding_costs_at_the_edge_is_nothing() -> None:
    drawn = boxes(("A", (-0.05, 0, 400, 300), A), ("B", RIGHT, B), ("C", BELOW, C))
    assert checks_of(drawn) == []


def test_thin_boxes_of_small_images_are_no_slips() -> None:
    figure = a_figure(width=60, height=40, caption="A panel.")
    assert checks_of(an_annotation(figure, subfigures=(a_subfigure(box=(0, 0, 10, 40), tokens=(0, 1)),))) == []


def test_in_a_blind_phase_only_texts_are_looked_at() -> None:
    work = boxes(("A", (0, 0, 600, 600), A), ("B", (400, 0, 700, 300), ()), ("C", (790, 0, 798, 9), C))
    blind = Phase("2", blind=True, given="gold")
    assert ("text-missing", "B") in checks_of(work, blind)
    assert {"boxes-overlap", "box-tiny"}.isdisjoint(check for check, _ in checks_of(work, blind))
    assert {"boxes-overlap", "box-tiny"} <= {check for check, _ in checks_of(work)}


def test_a_caption_that_names_no_panels_has_no_text_to_miss() -> None:
    caption = "Lungs of two patients, seen from above."
    bare = boxes(("A", LEFT, ()), ("B", RIGHT, ()), caption=caption)
    half = boxes(("A", LEFT, (0,)), ("B", RIGHT, ()), caption=caption)
    assert checks_of(bare) == []
    assert checks_of(half) == [("text-missing", "B")]


def test_an_empty_caption_has_no_text_to_miss() -> None:
    assert checks_of(boxes(("A", LEFT, ()), ("B", RIGHT, ()), caption="")) == []


def test_labels_of_another_kind_than_the_captions_are_let_be() -> None:
    assert checks_of(boxes(("1", LEFT, A), ("2", RIGHT, B))) == []


def test_parts_of_a_panel_stand_for_it_and_case_does_not_matter() -> None:
    drawn = boxes(
        ("a", LEFT, A), ("Bi", (400, 0, 800, 300), B), ("Bii", (400, 300, 800, 600), B), ("(C)", (0, 0, 1, 1), C)
    )
    assert {check for check, _ in checks_of(drawn)} <= {"box-tiny"}


def test_texts_that_stand_apart_by_punctuation_only_are_one_span() -> None:
    drawn = boxes(("A", LEFT, (4, 6, 7)), ("B", RIGHT, B), ("C", BELOW, (16, 19, 20, 22)))
    assert checks_of(drawn, Phase("1", single_span=True)) == []
    assert checks_of(boxes(("A", LEFT, (4, 6, 13)), ("B", RIGHT, B), ("C", BELOW, C)), BOXES) == []


def test_words_that_two_subfigures_share_do_not_put_them_out_of_order() -> None:
    drawn = boxes(("A", LEFT, (*A, 13)), ("B", RIGHT, (6, *B)), ("C", BELOW, C))
    assert checks_of(drawn) == []
