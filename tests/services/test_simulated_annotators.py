import statistics
from pathlib import Path

import numpy as np
import pytest

from agreement.pairs.pairwise import mean_of_pairs, pair_scores
from annotator.demo.annotators import EDGE_JITTER, RATES, Habits, Mistake, err, simulate, simulate_demo
from panelwise.domain.annotation import Annotation, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption, Span
from panelwise.domain.errors import InvalidAnnotation
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise_simulator.figures import SimulatedFigure

# Drawing the six figures takes seconds.
pytestmark = pytest.mark.slow

NAMES = ("ann1", "ann2", "ann3")


@pytest.fixture(scope="module")
def truths(six: list[SimulatedFigure]) -> list[Annotation]:
    return [figure.truth() for figure in six]


def texts(annotation: Annotation) -> list[frozenset[int]]:
    counted = annotation.figure.caption.counted
    return [subfigure.subcaption & counted for subfigure in annotation.subfigures]


def test_the_same_seed_and_annotator_give_the_same_annotation(truths: list[Annotation]) -> None:
    for truth in truths:
        assert simulate(truth, annotator="x", seed=3) == simulate(truth, annotator="x", seed=3)
        assert simulate(truth, annotator="x").subfigures != simulate(truth, annotator="y").subfigures
        assert simulate(truth, annotator="x").subfigures != simulate(truth, annotator="x", seed=1).subfigures


def test_without_mistakes_only_the_hand_shakes(truths: list[Annotation]) -> None:
    for truth in truths:
        careful = simulate(truth, annotator="x", habits=Habits(mistakes=()))
        assert texts(careful) == texts(truth)
        for drawn, true in zip(careful.subfigures, truth.subfigures, strict=True):
            assert abs(drawn.box.x0 - true.box.x0) <= EDGE_JITTER * true.box.width + 0.1
            assert abs(drawn.box.y1 - true.box.y1) <= EDGE_JITTER * true.box.height + 0.1


def test_each_mistake_is_made_when_asked_for(truths: list[Annotation]) -> None:
    charts = truths[2]
    for mistake in Mistake:
        erring = simulate(charts, annotator="x", habits=Habits(mistakes=(mistake,)))
        assert [each.subcaption for each in erring.subfigures] != [each.subcaption for each in charts.subfigures]
        # A full stop is no word: the metric does not see it.
        assert (texts(erring) == texts(charts)) == (mistake is Mistake.FULL_STOP), mistake
    assert len(simulate(charts, annotator="x", habits=Habits(mistakes=(Mistake.MISSED,))).subfigures) == 5
    swapped = simulate(charts, annotator="x", habits=Habits(mistakes=(Mistake.SWAPPED,)))
    assert sorted(map(sorted, texts(swapped))) == sorted(map(sorted, texts(charts)))


CAPTION = Caption.cut(
    "Title. (A) Growth. Error bars, s.d. (B, C) Yield of two lines. (D) Site. n = 3; P values: t-test."
)


def marked(*pieces: tuple[str, ...]) -> list[Subfigure]:
    """Subfigures A, B, ... whose subcaptions are the pieces of CAPTION."""
    return [
        Subfigure(
            chr(ord("A") + place),
            Box(0.0, 100.0 * place, 90.0, 100.0 * place + 90.0),
            CAPTION.tokens_in(
                Span(CAPTION.text.index(piece), CAPTION.text.index(piece) + len(piece)) for piece in texts_
            ),
        )
        for place, texts_ in enumerate(pieces)
    ]


SHARED = "(B, C) Yield of two lines."


@pytest.mark.parametrize(
    ("mistake", "before", "after"),
    [
        (
            Mistake.FULL_STOP,
            [("(A) Growth.",), (SHARED,), (SHARED,), ("(D) Site.",)],
            ["( A ) Growth", "( B , C ) Yield of two lines", "( B , C ) Yield of two lines", "( D ) Site"],
        ),
        (
            Mistake.STATISTICS,
            [("(A) Growth.",)],
            ["( A ) Growth . Error bars , s . d ."],
        ),
        (
            Mistake.STATISTICS,
            [("(A) Growth. Error bars, s.d.",), (SHARED,)],
            ["( A ) Growth .", "( B , C ) Yield of two lines ."],
        ),
        (
            Mistake.CLOSING,
            [("(A) Growth.",), (SHARED,), (SHARED,), ("(D) Site.",)],
            [
                "( A ) Growth .",
                *["( B , C ) Yield of two lines ."] * 2,
                "( D ) Site . n = 3 ; P values : t - test .",
            ],
        ),
        (
            Mistake.RANGE,
            [("(A) Growth.",), (SHARED,), (SHARED,)],
            ["( A ) Growth .", "( B , C ) Yield of two lines .", ""],
        ),
        (
            Mistake.SPREAD,
            [("(A) Growth.",), (SHARED,), (SHARED,), ("(D) Site.",)],
            [
                "( A ) Growth .",
                *["( B , C ) Yield of two lines ."] * 2,
                "( B , C ) Yield of two lines . ( D ) Site .",
            ],
        ),
        (
            Mistake.PREAMBLE,
            [("(A) Growth.",), (SHARED,)],
            ["Title . ( A ) Growth .", "( B , C ) Yield of two lines ."],
        ),
    ],
)
def test_a_mistake_changes_the_text_in_its_own_way(
    mistake: Mistake, before: list[tuple[str, ...]], after: list[str]
) -> None:
    rng = np.random.default_rng(0)
    subfigures = marked(*before)
    wrong = [
        " ".join(CAPTION.words[token] for token in sorted(each.subcaption))
        for each in err(mistake, subfigures, CAPTION, rng)
    ]
    assert wrong == after


def test_habits_differ_from_annotator_to_annotator(truths: list[Annotation]) -> None:
    def stops(name: str) -> float:
        made = [simulate(truth, annotator=name, seed=0) for truth in truths]
        kept = [
            truth.figure.caption.words[max(each.subcaption)] == "."
            for annotation, truth in zip(made, truths, strict=True)
            for each in annotation.subfigures
            if each.subcaption
        ]
        return statistics.mean(kept)

    shares = [stops(f"person {number}") for number in range(12)]
    assert max(shares) - min(shares) > 0.4


def test_rates_say_which_mistakes_are_made(truths: list[Annotation]) -> None:
    never = dict.fromkeys(Mistake, 0.0)
    for truth in truths:
        assert texts(simulate(truth, annotator="x", habits=Habits(rates=never))) == texts(truth)
        assert texts(simulate(truth, annotator="x", habits=Habits(rates={}))) == texts(truth)
    with pytest.raises(InvalidAnnotation, match='for the mistake "missed"'):
        simulate(truths[0], annotator="x", habits=Habits(rates={**RATES, Mistake.MISSED: 1.5}))
    with pytest.raises(InvalidAnnotation, match="edge jitter"):
        simulate(truths[0], annotator="x", habits=Habits(edge_jitter=0.5))


def test_simulated_annotators_agree_as_far_as_people_did(shared_data: Path) -> None:
    """On the truth of the 19 figures that three people annotated; their IAA is .945."""
    problems = Problems()
    people = list(read_annotations(shared_data / "annotations.jsonl", problems))
    done = {each.figure.id for each in people}
    truths = [
        each
        for each in read_annotations(shared_data / "gold_annotations.jsonl", problems)
        if each.figure.id in done
    ]
    simulated = [
        mean_of_pairs(
            pair_scores([simulate(truth, annotator=name, seed=seed) for truth in truths for name in NAMES])
        )
        for seed in range(12)
    ]
    real = mean_of_pairs(pair_scores(people))
    assert real is not None
    assert abs(statistics.mean(each for each in simulated if each is not None) - real) < 0.02


def test_mistakes_without_occasion_are_passed_over(truths: list[Annotation]) -> None:
    single = truths[5]
    assert texts(simulate(single, annotator="x", habits=Habits(mistakes=tuple(Mistake)))) == texts(single)


def test_the_careless_err_more_than_the_careful(truths: list[Annotation]) -> None:
    def errors(carelessness: float) -> int:
        return sum(
            texts(simulate(truth, annotator="x", seed=seed, habits=Habits(carelessness=carelessness)))
            != texts(truth)
            for truth in truths
            for seed in range(20)
        )

    assert errors(0.0) == 0
    assert 0 < errors(0.3) < errors(1.0) < errors(3.0)


def test_a_carelessness_out_of_range_is_refused(truths: list[Annotation]) -> None:
    with pytest.raises(InvalidAnnotation, match="give 0 to 3"):
        simulate(truths[0], annotator="x", habits=Habits(carelessness=3.5))


def test_the_demo_shows_agreement_conflict_a_missed_panel_and_swapped_text(truths: list[Annotation]) -> None:
    made = simulate_demo(truths, NAMES)
    by_figure = [[each for each in made if each.figure.id == truth.figure.id] for truth in truths]
    assert all(len(each) == 3 for each in by_figure)
    compound = [each for each in by_figure if len(each[0].subfigures) > 1]
    agreed = [each for each in compound if texts(each[0]) == texts(each[1]) == texts(each[2])]
    assert len(agreed) >= 2
    assert any(len({len(one.subfigures) for one in each}) > 1 for each in by_figure)
    assert any(
        sorted(map(sorted, texts(one))) == sorted(map(sorted, texts(truth))) and texts(one) != texts(truth)
        for one, truth in ((one, truths[place]) for place, each in enumerate(by_figure) for one in each)
    )
