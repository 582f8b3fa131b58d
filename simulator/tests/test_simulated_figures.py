import io
import itertools
import json
from collections import Counter
from multiprocessing import util
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise.formats.figures import read_figures
from panelwise_simulator import figures as module
from panelwise_simulator.figures import clear_folder, drawn_files, simulated_figures, write_figures
from panelwise_simulator.simulated import SimulatedFigure

# Figures are drawn, and drawn again in processes of their own.
pytestmark = pytest.mark.slow

DIFFICULTIES = ("easy", "medium", "hard")


@pytest.fixture(scope="module")
def drawn() -> dict[str, list[SimulatedFigure]]:
    """Figures of each difficulty; drawing them takes seconds, so that the tests share them."""
    return {difficulty: list(simulated_figures(30, seed=7, difficulty=difficulty)) for difficulty in DIFFICULTIES}


@pytest.fixture(scope="module")
def every(drawn: dict[str, list[SimulatedFigure]]) -> list[SimulatedFigure]:
    return [figure for figures in drawn.values() for figure in figures]


def test_boxes_lie_in_the_image_and_hold_something(every: list[SimulatedFigure]) -> None:
    for figure in every:
        pixels = np.asarray(figure.image.convert("L")).astype(int)
        for panel in figure.subfigures:
            x0, y0, x1, y1 = (int(side) for side in panel.box.as_list())
            assert 0 <= x0 < x1 <= figure.image.width, figure.figure_id
            assert 0 <= y0 < y1 <= figure.image.height, figure.figure_id
            inside = pixels[y0:y1, x0:x1]
            assert inside.max() - inside.min() > 40, (figure.figure_id, panel.label)


def test_boxes_overlap_by_nothing(every: list[SimulatedFigure]) -> None:
    for figure in every:
        for one, other in itertools.combinations(figure.subfigures, 2):
            width = min(one.box.x1, other.box.x1) - max(one.box.x0, other.box.x0)
            height = min(one.box.y1, other.box.y1) - max(one.box.y0, other.box.y0)
            assert width <= 0 or height <= 0, (figure.figure_id, one.label, other.label)


def test_labels_are_there_once_each(every: list[SimulatedFigure]) -> None:
    for figure in every:
        labels = [panel.label for panel in figure.subfigures]
        assert labels
        assert len(set(labels)) == len(labels)


def test_spans_of_the_truth_lie_on_borders_of_tokens(every: list[SimulatedFigure]) -> None:
    for figure in every:
        tokens = figure.figure().caption.tokens
        starts, ends = {token.start for token in tokens}, {token.end for token in tokens}
        for panel in figure.subfigures:
            for span in panel.spans:
                assert span.start in starts, (figure.figure_id, figure.caption, span)
                assert span.end in ends, (figure.figure_id, figure.caption, span)


def test_most_panels_of_compound_figures_are_described(every: list[SimulatedFigure]) -> None:
    panels = [panel for figure in every if len(figure.subfigures) > 1 for panel in figure.subfigures]
    assert sum(bool(panel.spans) for panel in panels) > 0.75 * len(panels)


def test_a_single_panel_is_one_box_over_the_whole_image(every: list[SimulatedFigure]) -> None:
    single = [figure for figure in every if len(figure.subfigures) == 1]
    assert single
    for figure in single:
        assert figure.subfigures[0].box.as_list() == [0, 0, *figure.image.size]


def test_the_harder_the_figures_the_fewer_gutters_and_letters(drawn: dict[str, list[SimulatedFigure]]) -> None:
    easy, hard = (
        Counter(figure.made["lettering"] for figure in drawn[name] if len(figure.subfigures) > 1)
        for name in ("easy", "hard")
    )
    assert easy["none"] == 0 < hard["none"]
    assert {figure.made["difficulty"] for figure in drawn["hard"]} == {"hard"}


def test_mixed_figures_are_of_all_difficulties_and_hang_on_their_place_only() -> None:
    few = list(simulated_figures(4, seed=3))
    more = list(simulated_figures(9, seed=3))
    assert [figure.encoded() for figure in few] == [figure.encoded() for figure in more[:4]]
    assert [figure.truth() for figure in few] == [figure.truth() for figure in more[:4]]
    assert {figure.made["difficulty"] for figure in more} == set(DIFFICULTIES)
    assert next(simulated_figures(1, seed=4)).encoded() != few[0].encoded()


def test_an_article_has_one_to_four_figures(every: list[SimulatedFigure]) -> None:
    counts = Counter(figure.document for figure in simulated_figures(30, seed=7, difficulty="easy"))
    assert set(counts.values()) <= {1, 2, 3, 4}
    assert len(counts) > 8
    assert every[0].figure().source["licence"] == "Apache-2.0"


def test_a_process_that_is_lost_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(util, "spawnv_passfds", refuse)
    with pytest.raises(AnnotatorError, match=r"temporarily unavailable.*; try again with --processes 1"):
        write_figures(drawn_files(10, seed=2, processes=2), tmp_path / "two")


def test_processes_change_nothing_and_all_reads_back(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert write_figures(drawn_files(10, seed=2, processes=1), one) == 10
    assert write_figures(drawn_files(10, seed=2, processes=2), two) == 10
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in two.iterdir())
    assert len(names) == 12
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in names)
    problems = Problems()
    truths = list(read_annotations(one / "annotations.jsonl", problems))
    records = list(read_figures(one / "figures.jsonl", problems))
    assert not problems.count
    assert len(truths) == len(records) == 10
    for record, truth in zip(records, truths, strict=True):
        assert truth.figure.id == record.figure_id
        with Image.open(one / record.image) as image:
            assert image.size == (record.width, record.height)
            assert image.format == ("JPEG" if record.image.endswith(".jpg") else "PNG")


def test_an_unknown_difficulty_is_refused() -> None:
    with pytest.raises(AnnotatorError, match='no difficulty "worse"; give one of easy, medium, hard, mixed'):
        simulated_figures(1, difficulty="worse")


def test_a_figure_that_cannot_be_drawn_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("two\nlines")

    monkeypatch.setattr(module, "compose", broken)
    with pytest.raises(
        AnnotatorError, match=r'figure "sim-000001" of seed 5 \(mixed\).*two lines.*report'
    ) as caught:
        list(drawn_files(2, seed=5))
    assert "\n" not in str(caught.value)


def test_nothing_is_taken_for_whole_where_drawing_broke_off(tmp_path: Path, six: list[SimulatedFigure]) -> None:
    def breaking() -> itertools.chain[SimulatedFigure]:
        return itertools.chain(six[:2], (figure for figure in [six[2]] if 1 // 0))

    with pytest.raises(ZeroDivisionError):
        write_figures(breaking(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sim-001.png", "sim-002.png"]
    clear_folder(tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_earlier_run_is_replaced_and_anything_else_refused(tmp_path: Path, six: list[SimulatedFigure]) -> None:
    clear_folder(tmp_path / "new")
    write_figures(six[:1], tmp_path)
    clear_folder(tmp_path)
    assert not list(tmp_path.iterdir())
    write_figures(six[:1], tmp_path)
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(AnnotatorError, match=r"holds thesis\.tex, which is not from simulated figures"):
        clear_folder(tmp_path)
    assert (tmp_path / "sim-001.png").exists()
    (tmp_path / "thesis.tex").unlink()
    (tmp_path / "figures.jsonl").write_text(json.dumps({"figure_id": "real", "source": {"document": "x"}}) + "\n")
    with pytest.raises(AnnotatorError, match=r"holds figures\.jsonl, which is not"):
        clear_folder(tmp_path)
    with pytest.raises(AnnotatorError, match="is a file"):
        clear_folder(tmp_path / "figures.jsonl")


def test_photographs_are_jpeg_and_drawings_png(every: list[SimulatedFigure]) -> None:
    kinds = set()
    for figure in every[:20]:
        with Image.open(io.BytesIO(figure.encoded())) as image:
            kinds.add(image.format)
            assert (image.format == "JPEG") == (figure.quality > 0) == figure.image_name.endswith(".jpg")
    assert kinds == {"JPEG", "PNG"}
