from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from annotator.campaign.home import Home
from annotator.demo.figures import FIGURES, write_sample
from annotator.imports.figures import import_figures
from annotator.prelabels.run import prelabel_home, to_prelabel
from panelwise.domain.annotation import Prediction
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from prelabel.classic.prelabeller import CLASSIC
from prelabel.runs.engines import ClassicEngine

# Figures are drawn or models run in processes of their own.
pytestmark = pytest.mark.slow


def labels(found: Prediction) -> list[str]:
    return [subfigure.label for subfigure in found.subfigures]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    write_sample(FIGURES, tmp_path / "drawn")
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
            stored = list(tx.predictions.all(model_version="classic-8"))
        assert len(stored) == 6
        assert all(set(labels(each)) <= set(home.campaign.labels) for each in stored)
    assert problems.count == 0


def test_a_missing_image_is_named_and_done_once_it_is_back(home: Home) -> None:
    with home.open_store() as store:
        with store.read() as tx:
            path = home.image_path(tx.figures.get("sim-003"))
        kept = path.read_bytes()
        path.unlink()
        problems = Problems()
        assert len(list(prelabel_home(home, store, problems))) == 5
        assert "sim-003" in problems.lines[0]
        assert to_prelabel(store, "classic-8") == ["sim-003"]
        path.write_bytes(kept)
        assert len(list(prelabel_home(home, store, Problems()))) == 1


def test_a_newer_version_of_the_model_does_every_figure_once_more(home: Home) -> None:
    class Newer:
        version = "newer"

        def predict(self, figure: Figure, image: Image.Image) -> Prediction:
            return replace(CLASSIC.predict(figure, image), model_version=self.version)

    with home.open_store() as store:
        assert len(list(prelabel_home(home, store, Problems(), engine=ClassicEngine(CLASSIC, 1)))) == 6
        assert len(to_prelabel(store, "newer")) == 6
        assert len(list(prelabel_home(home, store, Problems(), engine=ClassicEngine(Newer(), 1)))) == 6
        assert to_prelabel(store, "newer") == to_prelabel(store, CLASSIC.version) == []
        with store.read() as tx:
            latest = [tx.predictions.of([f"sim-{number:03d}"]).get(f"sim-{number:03d}") for number in range(1, 7)]
        assert {each.model_version for each in latest if each is not None} == {"newer"}
        assert None not in latest
