from pathlib import Path

import pytest
from builders import a_figure, a_subfigure

from annotator.domain.annotation import Prediction
from annotator.formats.jsonl import Problems
from annotator.services.home import Home
from annotator.services.importing import import_figures
from annotator.services.prelabelling import on_palette, prelabel_home, to_prelabel
from prelabel.synth.figures import SimulatedFigure, write_figures


def prediction(*labels: str) -> Prediction:
    return Prediction(a_figure(), "m", tuple(a_subfigure(label) for label in labels), (0.5,) * len(labels))


def labels(found: Prediction) -> list[str]:
    return [subfigure.label for subfigure in found.subfigures]


@pytest.fixture
def home(tmp_path: Path, six: list[SimulatedFigure]) -> Home:
    write_figures(six, tmp_path / "drawn")
    home = Home.create(tmp_path / "home", name="c")
    with home.open_store() as store:
        assert sum(1 for _ in import_figures(home, store, tmp_path / "drawn" / "figures.jsonl", Problems())) == 6
    return home


def test_predictions_reach_the_store_and_a_second_run_has_nothing_to_do(home: Home) -> None:
    problems = Problems()
    with home.open_store() as store:
        assert len(list(prelabel_home(home, store, problems))) == 6
        assert list(prelabel_home(home, store, problems)) == []
        assert len(list(prelabel_home(home, store, problems, again=True))) == 6
        with store.read() as tx:
            stored = list(tx.predictions(model_version="classic-1"))
        assert len(stored) == 6
        assert all(set(labels(each)) <= set(home.campaign.labels) for each in stored)
    assert problems.count == 0


def test_a_missing_image_is_named_and_done_once_it_is_back(home: Home) -> None:
    with home.open_store() as store:
        with store.read() as tx:
            path = home.image_path(tx.figure("sim-003"))
        kept = path.read_bytes()
        path.unlink()
        problems = Problems()
        assert len(list(prelabel_home(home, store, problems))) == 5
        assert "sim-003" in problems.lines[0]
        assert to_prelabel(store, "classic-1") == ["sim-003"]
        path.write_bytes(kept)
        assert len(list(prelabel_home(home, store, Problems()))) == 1


def test_labels_become_those_of_the_palette() -> None:
    palette = ("A", "B", "C", "D")
    assert labels(on_palette(prediction("a", "b"), palette)) == ["A", "B"]
    assert labels(on_palette(prediction("1", "2"), palette)) == ["A", "B"]
    assert labels(on_palette(prediction("A", "C"), palette)) == ["A", "C"]
    assert labels(on_palette(prediction("a1", "a2", "b"), palette)) == ["A", "C", "B"]
    assert labels(on_palette(prediction("a", "b"), ("a", "b"))) == ["a", "b"]
    assert labels(on_palette(prediction("a", "b", "c"), ("A",))) == ["A", "b", "c"]
