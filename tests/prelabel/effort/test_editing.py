import pytest
from agreement_builders import subfigures
from builders import a_figure, a_subfigure
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.annotation import Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError
from prelabel.effort.editing import (
    ACTIONS,
    NOTHING,
    OPERATORS,
    Editing,
    Operators,
    drags_between,
    editing,
    read_operators,
    runs,
)
from prelabel.effort.measuring import Pair, effort

WORDS = Caption.cut("Fig 1 : ( a ) left lung lesion ( b ) right lung")


def panel(label: str, box: tuple[float, ...] = (0, 0, 100, 100), tokens: tuple[int, ...] = ()) -> Subfigure:
    return a_subfigure(label, box=box, tokens=tokens)


@given(subfigures)
def test_the_gold_itself_needs_nothing_but_a_look(gold: tuple[Subfigure, ...]) -> None:
    names = {each.label for each in gold}
    once = tuple(next(each for each in gold if each.label == name) for name in sorted(names))
    assert editing(once, once, WORDS) == Editing(kept=len(once), shown=len(once), figures=1)


@given(subfigures, subfigures)
def test_every_box_is_accounted_for_once(gold: tuple[Subfigure, ...], found: tuple[Subfigure, ...]) -> None:
    work = editing(gold, found, WORDS)
    assert work.kept + work.adjusted + work.added == len(gold)
    assert work.kept + work.adjusted + work.deleted == len(found)
    assert work.adjusted <= work.drags <= 2 * work.adjusted
    assert min(work.toggled, work.spans_added, work.spans_deleted, work.relabelled) >= 0


@given(subfigures, subfigures, st.randoms())
@pytest.mark.slow
def test_the_order_of_the_boxes_does_not_matter_to_adding_and_text(gold, found, random) -> None:
    # Where two matchings have one sum, either may be taken: what is added or deleted is the same.
    one, other = editing(gold, found, WORDS), editing(gold, random.sample(found, len(found)), WORDS)
    assert (one.toggled, one.spans_added, one.spans_deleted) == (
        other.toggled,
        other.spans_added,
        other.spans_deleted,
    )


@given(subfigures)
def test_nothing_predicted_is_work_from_nothing(gold: tuple[Subfigure, ...]) -> None:
    work = editing(gold, (), WORDS)
    texts: dict[str, set[int]] = {}
    for each in gold:
        texts.setdefault(each.label.casefold(), set()).update(each.subcaption & WORDS.counted)
    assert (work.added, work.toggled) == (len(gold), sum(map(len, texts.values())))


def test_boxes_are_kept_adjusted_added_deleted_and_relabelled() -> None:
    gold = (panel("A", tokens=(4, 6)), panel("B", (100, 0, 200, 100), (10, 12)), panel("C", (0, 200, 50, 250)))
    found = (
        panel("B", (0, 0, 100, 99), (10, 12)),  # kept, the wrong label
        panel("A", (100, 0, 150, 100), (4, 6)),  # adjusted, the wrong label
        panel("D", (300, 300, 400, 400)),  # surplus
    )
    work = editing(gold, found, WORDS)
    assert work == Editing(
        kept=1, added=1, adjusted=1, deleted=1, relabelled=2, drags=1, toggled=0, shown=3, figures=1
    )
    assert work.box_operations == 5


def test_a_box_is_left_alone_from_the_threshold_on() -> None:
    gold, found = (panel("A"),), (panel("A", (0, 0, 100, 80)),)
    assert editing(gold, found, WORDS, keep=0.8).adjusted == 0
    assert editing(gold, found, WORDS, keep=0.81).adjusted == 1


def test_boxes_that_hardly_overlap_are_not_moved_but_made_anew() -> None:
    work = editing((panel("A"),), (panel("A", (95, 95, 195, 195)),), WORDS)
    assert (work.added, work.deleted, work.adjusted) == (1, 1, 0)


def test_a_label_without_text_on_either_side_is_nobodys_concern() -> None:
    assert editing((panel("A"),), (panel("1"),), WORDS).relabelled == 0
    assert editing((panel("A", tokens=(4,)),), (panel("1"),), WORDS).relabelled == 1


def test_small_and_capital_letters_are_one_label_unless_both_are_there() -> None:
    assert editing((panel("A", tokens=(4,)),), (panel("a", tokens=(4,)),), WORDS).relabelled == 0
    both = (panel("A", tokens=(4,)), panel("a", (100, 0, 200, 100), (6,)))
    assert editing(both, both, WORDS).toggled == 0
    assert editing(both, (panel("a", tokens=(4,)),), WORDS).relabelled == 1


def test_spans_with_surplus_words_are_deleted_and_those_that_lack_some_are_marked_over() -> None:
    gold = (panel("A", tokens=(6, 7, 8)),)
    assert (editing(gold, (panel("A", tokens=(6, 7)),), WORDS)).spans_added == 1
    assert (editing(gold, (panel("A", tokens=(6, 7)),), WORDS)).spans_deleted == 0
    work = editing(gold, (panel("A", tokens=(6, 7, 8, 10)),), WORDS)
    assert (work.toggled, work.spans_added, work.spans_deleted) == (1, 1, 1)


def test_words_with_nothing_but_punctuation_between_are_one_span() -> None:
    order = sorted(WORDS.counted)
    assert runs(frozenset({1, 4, 6, 12}), order) == [frozenset({1, 4, 6}), frozenset({12})]


@pytest.mark.parametrize(
    ("end", "corners"), [((0, 0, 100, 50), 1), ((10, 10, 100, 100), 1), ((10, 0, 90, 100), 2), ((1, 1, 99, 99), 1)]
)
def test_one_corner_is_dragged_unless_opposite_edges_are_off(end: tuple[float, ...], corners: int) -> None:
    assert drags_between(Box(0, 0, 100, 100), Box(*end)) == corners


def test_seconds_are_those_of_the_keystroke_level_model_by_hand() -> None:
    # A box: M K P K P = 1.35 + .2 + 1.1 + .2 + 1.1; a span takes the same; a look 1.35, submitting .2.
    work = editing((panel("A", tokens=(4, 6)),), (), WORDS)
    assert work.seconds() == pytest.approx(3.95 + 3.95 + 1.35 + 0.2)
    assert Editing(figures=1, shown=2).seconds(each_box=True) == pytest.approx(3 * 1.35 + 0.2)
    assert Editing(adjusted=1, drags=2).seconds() == pytest.approx(1.35 + 1.1 + 0.2 + 2 * (1.1 + 0.2 + 1.1))
    assert Editing(deleted=1, relabelled=1, spans_deleted=1).seconds() == pytest.approx(3 * (1.35 + 1.1 + 0.4))
    assert NOTHING.seconds() == 0.0


def test_every_action_is_made_of_operators() -> None:
    for action in ACTIONS:
        assert set(action.operators) <= set("KPMH")
        assert action.seconds(Operators(0.0, 0.0, 0.0, 0.0)) == 0.0


def test_operators_are_read_from_options() -> None:
    assert read_operators(()) == OPERATORS
    assert read_operators(("K=0.28", "M=0")) == Operators(K=0.28, M=0.0)


@pytest.mark.parametrize("given", ["K", "X=1", "K=-1", "K=nan", "K=fast", "=1"])
def test_what_is_no_operator_is_refused(given: str) -> None:
    with pytest.raises(AnnotatorError, match="is no operator"):
        read_operators((given,))


def test_a_figure_without_a_prediction_saves_nothing_and_is_named() -> None:
    one, two = (a_figure(name, caption=WORDS.text) for name in ("f1", "f2"))
    gold = (panel("A", tokens=(4, 6)),)
    found = effort([Pair(one, gold, gold, "x"), Pair(two, gold, None, "y")], resamples=200)
    assert found.missing == ("f2",)
    saved = {saving.key: next(iter(saving.saved.values())) for saving in found.savings}
    assert saved["box_operations"].value == saved["tokens_toggled"].value == 0.5
    assert saved["box_operations"].interval == (0.0, 1.0)
    assert [each.figure_id for each in found.worst(1)] == ["f2"]
    assert found.at[0.5].value == 0.5


def test_savings_may_be_below_nothing() -> None:
    figure = a_figure("f1", caption=WORDS.text)
    surplus = tuple(panel(str(place), (0, 300 + 10 * place, 9, 309 + 10 * place)) for place in range(3))
    found = effort([Pair(figure, (panel("A"),), surplus, "x")])
    assert found.savings[0].saved["all"].value == -3.0
