import pytest

from panelwise_simulator.composition.mosaics import LOWEST, mosaic
from panelwise_simulator.figures import MOSAIC, SimulatedFigure, simulated_figures
from prelabel.captions.parser import parse_caption

# Figures are drawn.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def drawn() -> list[SimulatedFigure]:
    return list(simulated_figures(12, seed=7, difficulty=MOSAIC))


def test_panels_lie_apart_in_the_picture_and_fill_nearly_all_of_it(drawn: list[SimulatedFigure]) -> None:
    for figure in drawn:
        boxes = [panel.box for panel in figure.subfigures]
        for place, one in enumerate(boxes):
            assert 0 <= one.x0 < one.x1 <= figure.image.width
            assert 0 <= one.y0 < one.y1 <= figure.image.height
            assert one.y1 - one.y0 >= LOWEST
            for other in boxes[:place]:
                apart = one.x0 >= other.x1 or other.x0 >= one.x1 or one.y0 >= other.y1 or other.y0 >= one.y1
                assert apart
        covered = sum((box.x1 - box.x0) * (box.y1 - box.y0) for box in boxes)
        assert covered > 0.8 * figure.image.width * figure.image.height


def test_there_are_as_many_panels_as_the_layout_says_and_one_fills_the_picture(drawn) -> None:
    for figure in drawn:
        rows, columns = map(int, figure.made["layout"].split(" x "))
        assert len(figure.subfigures) == rows * columns
        assert figure.made["compound"] is (len(figure.subfigures) > 1)
    assert len({len(figure.subfigures) for figure in drawn}) > 3


def test_neither_letters_nor_caption_tell_of_panels(drawn: list[SimulatedFigure]) -> None:
    for figure in drawn:
        assert figure.made["lettering"] == "none"
        assert parse_caption(figure.caption).labels == ()
        assert all(not panel.spans for panel in figure.subfigures)
        assert figure.truth().subfigures


def test_the_same_seed_gives_the_same_mosaic_and_another_another() -> None:
    one, again, other = mosaic((7, 3)), mosaic((7, 3)), mosaic((7, 4))
    assert one.image.tobytes() == again.image.tobytes()
    assert one.boxes == again.boxes
    assert one.image.tobytes() != other.image.tobytes()
