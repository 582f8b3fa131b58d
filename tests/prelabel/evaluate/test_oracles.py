from __future__ import annotations

from table_cases import panels

from panelwise.domain.annotation import Subfigure
from prelabel.evaluation.paper_table.systems import (
    by_heuristic,
    captioned,
    single_spans,
    single_spans_by_heuristic,
)


def words(subfigures: tuple[Subfigure, ...]) -> dict[str, list[int]]:
    return {each.label: sorted(each.subcaption) for each in subfigures}


def test_captions_in_reading_order_are_given_back_whole() -> None:
    gold = panels(A=(2, 3, 4, 11), B=(6, 7, 11), C=(9, 10))
    assert by_heuristic(gold) == gold


def test_a_caption_out_of_reading_order_costs_the_heuristic_what_it_gives_to_the_wrong_boxes() -> None:
    gold = panels(A=(6, 7), B=(2, 3, 4))
    assert words(by_heuristic(gold)) == {"A": [2, 3, 4], "B": [6, 7]}


def test_a_single_span_is_the_longest_run_that_no_earlier_subfigure_has_taken() -> None:
    gold = panels(A=(2, 3, 4, 11), B=(3, 4, 6, 7), C=(2,))
    assert words(single_spans(gold)) == {"A": [2, 3, 4], "B": [6, 7], "C": []}


def test_spans_by_heuristic_go_to_the_boxes_in_reading_order_and_the_last_to_those_left_over() -> None:
    gold = panels(A=(2, 3, 4), B=(2, 3), C=(9, 10))
    # B's words are taken: two spans for three boxes.
    assert words(single_spans_by_heuristic(gold)) == {"A": [2, 3, 4], "B": [9, 10], "C": [9, 10]}


def test_boxes_without_a_subcaption_take_no_part() -> None:
    assert [each.label for each in captioned(panels(A=(2,), B=(), C=(9,)))] == ["A", "C"]
    assert by_heuristic(()) == single_spans(()) == single_spans_by_heuristic(()) == ()
