import pytest

from annotator.domain.annotation import Annotation
from annotator.domain.errors import InvalidAnnotation
from prelabel.synth.annotators import EDGE_JITTER, Mistake, simulate, simulate_demo
from prelabel.synth.figures import SimulatedFigure

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
        careful = simulate(truth, annotator="x", mistakes=())
        assert texts(careful) == texts(truth)
        for drawn, true in zip(careful.subfigures, truth.subfigures, strict=True):
            assert abs(drawn.box.x0 - true.box.x0) <= EDGE_JITTER * true.box.width + 0.1
            assert abs(drawn.box.y1 - true.box.y1) <= EDGE_JITTER * true.box.height + 0.1


def test_each_mistake_is_made_when_asked_for(truths: list[Annotation]) -> None:
    charts = truths[2]
    for mistake in Mistake:
        erring = simulate(charts, annotator="x", mistakes=(mistake,))
        assert texts(erring) != texts(charts), mistake
    assert len(simulate(charts, annotator="x", mistakes=(Mistake.MISSED,)).subfigures) == 5
    swapped = simulate(charts, annotator="x", mistakes=(Mistake.SWAPPED,))
    assert sorted(map(sorted, texts(swapped))) == sorted(map(sorted, texts(charts)))


def test_mistakes_without_occasion_are_passed_over(truths: list[Annotation]) -> None:
    single = truths[5]
    assert texts(simulate(single, annotator="x", mistakes=tuple(Mistake))) == texts(single)


def test_the_careless_err_more_than_the_careful(truths: list[Annotation]) -> None:
    def errors(carelessness: float) -> int:
        return sum(
            texts(simulate(truth, annotator="x", seed=seed, carelessness=carelessness)) != texts(truth)
            for truth in truths
            for seed in range(20)
        )

    assert errors(0.0) == 0
    assert 0 < errors(0.2) < errors(1.0)


def test_a_carelessness_out_of_range_is_refused(truths: list[Annotation]) -> None:
    with pytest.raises(InvalidAnnotation, match="give 0 to 1"):
        simulate(truths[0], annotator="x", carelessness=1.5)


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
