from __future__ import annotations

from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives.settings import Settings
from agreement.report.html.worst import MOST_PANELS, Card, Run, card
from agreement.report.summary import report_on
from panelwise.domain.annotation import Annotation, Subfigure

LEFT, RIGHT, AWAY = (0, 0, 400, 600), (400, 0, 800, 600), (0, 0, 40, 60)
#: Tokens:  0   1 2  3    4    5
CAPTION = "Fig: one, two three four"


def cards(gold: tuple[Subfigure, ...], other: tuple[Subfigure, ...], caption: str = CAPTION) -> Card:
    figure = a_figure(caption=caption)
    work = [
        an_annotation(figure, annotator="a", subfigures=gold),
        an_annotation(figure, annotator="b", subfigures=other),
    ]
    report = report_on(work, Settings(resamples=0), worst=1)
    (worst,) = report.worst
    return card(worst, lambda _figure: None)


def shown(made: Card) -> list[tuple[str, str, str, str]]:
    return [(run.text, run.state, run.gold, run.predicted) for run in made.runs if run.state]


def test_words_are_told_apart_by_who_marked_them_and_for_which_panel() -> None:
    gold = (a_subfigure("A", box=LEFT, tokens=(0, 2)), a_subfigure("B", box=RIGHT, tokens=(4,)))
    other = (a_subfigure("x", box=LEFT, tokens=(0, 4)), a_subfigure("y", box=RIGHT, tokens=(5,)))
    made = cards(gold, other)
    assert (made.worst.gold, made.worst.predicted) == ("a", "b")
    assert shown(made) == [
        ("Fig", "both", "A", "x"),
        ("one", "gold", "A", ""),
        ("two", "moved", "B", "x"),
        ("three", "predicted", "", "y"),
    ]


def test_neighbours_of_one_kind_are_one_run_with_what_stands_between_them() -> None:
    gold = (a_subfigure("A", box=LEFT, tokens=(0, 1, 2, 4)),)
    made = cards(gold, (a_subfigure("A", box=AWAY, tokens=()),))
    assert shown(made) == [("Fig: one, two", "gold", "A", "")]


def test_words_of_a_box_that_does_not_answer_are_compared_with_the_nearest_one() -> None:
    gold = (a_subfigure("A", box=LEFT, tokens=(0,)),)
    made = cards(gold, (a_subfigure("A", box=(0, 0, 100, 600), tokens=(0,)),))
    assert shown(made) == [("Fig", "both", "A", "A")]
    assert [box.unanswered for box in (*made.ours, *made.theirs)] == [True, True]
    assert made.unanswered == ("A",)


def test_a_word_of_many_panels_names_a_few() -> None:
    gold = tuple(
        a_subfigure(name, box=(100 * at, 0, 100 * at + 100, 600), tokens=(0,)) for at, name in enumerate("ABCDE")
    )
    made = cards(gold, (a_subfigure("A", box=(500, 0, 800, 600), tokens=(2,)),))
    assert shown(made) == [("Fig", "gold", "A B C +2", ""), ("one", "predicted", "", "A")]


def test_of_words_that_moved_only_the_panels_that_differ_are_named() -> None:
    gold = (a_subfigure("A", box=LEFT, tokens=(0, 2, 4)), a_subfigure("B", box=RIGHT, tokens=(0, 2)))
    other = (a_subfigure("A", box=LEFT, tokens=(0, 2)), a_subfigure("B", box=RIGHT, tokens=(0, 4)))
    assert shown(cards(gold, other)) == [
        ("Fig", "both", "A B", "A B"),
        ("one", "moved", "B", ""),
        ("two", "moved", "A", "B"),
    ]


def test_only_so_many_panels_are_listed_the_greatest_loss_first() -> None:
    gold = tuple(
        a_subfigure(f"P{at}", box=(50 * at, 0, 50 * at + 50, 600), tokens=(0, 2)) for at in range(MOST_PANELS + 3)
    )
    other = (a_subfigure("P0", box=(0, 0, 50, 600), tokens=(0,)),)
    made = cards(gold, other)
    assert made.worst.gold == "a"
    assert len(made.rows) == MOST_PANELS
    assert made.more == 3
    assert made.rows[0].name == "P1"
    assert [row.f1 for row in made.rows] == [0.0] * MOST_PANELS


def test_long_names_are_cut_on_boxes_only() -> None:
    long = a_subfigure("a very long name", box=LEFT, tokens=(0,))
    made = cards((long,), (a_subfigure("B", box=AWAY, tokens=(0,)),))
    assert made.ours[0].name == "a very …"
    assert made.rows[0].name == "a very long name"


tokens = st.frozensets(st.integers(0, 5), max_size=6)
panels = st.lists(st.tuples(st.sampled_from([LEFT, RIGHT, AWAY]), tokens), min_size=1, max_size=3)


def annotation(name: str, given: list[tuple[tuple[float, ...], frozenset[int]]]) -> Annotation:
    parts = tuple(a_subfigure("ABC"[at], box=box, tokens=words) for at, (box, words) in enumerate(given))
    return an_annotation(a_figure(caption=f" {CAPTION} "), annotator=name, subfigures=parts)


@given(panels, panels)
def test_the_runs_joined_are_the_caption_and_mark_the_counted_words_that_differ(
    one: list[tuple[tuple[float, ...], frozenset[int]]], two: list[tuple[tuple[float, ...], frozenset[int]]]
) -> None:
    report = report_on([annotation("a", one), annotation("b", two)], Settings(resamples=0), worst=1)
    for worst in report.worst:
        made = card(worst, lambda _figure: None)
        caption = worst.figure.caption
        assert "".join(run.text for run in made.runs) == caption.text
        ours = {token for panel in worst.drawn for token in panel.tokens}
        theirs = {token for panel in worst.answers for token in panel.tokens}
        at = 0
        state: dict[int, Run] = {}
        for run in made.runs:
            for token, (start, _) in enumerate(caption.ranges):
                if at <= start < at + len(run.text):
                    state[token] = run
            at += len(run.text)
        for token in caption.counted:
            found = state[token].state
            if token in ours and token in theirs:
                assert found in ("both", "moved")
            else:
                assert found == ("gold" if token in ours else "predicted" if token in theirs else "")
