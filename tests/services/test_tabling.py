"""The table of a campaign's own gold, and what is told where something is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import a_decision, a_figure
from PIL import Image

from annotator.campaign.home import Home
from annotator.prelabels.results_table import Models, Scores, table_source
from annotator.prelabels.train import Material
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from prelabel.evaluation.paper_table.table import Column, Table


@pytest.fixture
def campaign(lungs: Home) -> Home:
    """Four figures of four articles, their gold settled, two grey panels on each."""
    with lungs.open_store() as store, store.transaction() as tx:
        for number in range(4):
            figure = a_figure(f"f{number}", document=f"d{number}")
            picture = Image.new("RGB", (800, 600), "white")
            picture.paste((70, 70, 70), (0, 0, 390, 600))
            picture.paste((70, 70, 70), (410, 0, 800, 600))
            picture.save(lungs.path / figure.image)
            tx.figures.add(figure)
            tx.decisions.add(a_decision(figure))
    return lungs


def table(home: Path, problems: Problems, **more: object) -> Table:
    return table_source(
        Material(home), problems, scores=Scores(columns=(Column.ALL,), resamples=0, processes=1), **more
    )


def test_a_campaign_s_home_is_gold_with_its_images(campaign: Home) -> None:
    problems = Problems()
    found = table(campaign.path, problems)
    assert problems.lines == []
    assert (found.counts[Column.ALL].figures, found.counts[Column.ALL].counted) == (4, 8)
    scores = {each.system.key: each.scores[Column.ALL].value for each in found.rows}
    assert scores["oracle_heuristic"] == 1.0
    assert scores["prelabeller"] is not None
    assert [each.found.version for each in found.boxes] == ["classic-8"]


def test_an_image_that_is_gone_takes_its_figure_out_of_every_row(campaign: Home) -> None:
    (campaign.images / "f1.png").write_bytes(b"no image")
    problems = Problems()
    found = table(campaign.path, problems)
    assert problems.count == 1
    assert 'figure "f1"' in problems.lines[0]
    assert found.counts[Column.ALL].figures == 3


def test_where_no_image_can_be_read_that_is_told(campaign: Home) -> None:
    for image in campaign.images.iterdir():
        image.write_bytes(b"no image")
    with pytest.raises(AnnotatorError, match="none of 4 images could be read"):
        table(campaign.path, Problems())


def test_models_without_their_packages_name_the_extra(campaign: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prelabel.runs.opening.find_spec", lambda name: None)
    for models in (Models(text_crf=(Path("x"),)), Models(detector="x"), Models(classifier=Path("x"))):
        with pytest.raises(AnnotatorError, match=r'pip install "panelwise\[models\]"'):
            table(campaign.path, Problems(), models=models)
