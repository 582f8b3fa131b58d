import json
import os
import signal
from dataclasses import replace
from multiprocessing import util
from pathlib import Path

import pytest
from PIL import Image

from annotator.demo.figures import FIGURES, write_sample
from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from panelwise.formats.figures import read_figures
from panelwise.settings.file_tables import ImageLimits
from prelabel.runs.predict import Job, figure_of, open_image, predict, predict_all

# Figures are drawn or models run in processes of their own.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    write_sample(FIGURES, folder)
    # Six figures under twelve names: processes are worth starting, drawing twelve is not.
    lines = (folder / "figures.jsonl").read_text("utf-8").splitlines()
    lines += [line.replace('"sim-0', '"again-0', 1) for line in lines]
    (folder / "figures.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def jobs_of(folder: Path) -> list[Job]:
    return [figure_of(record, folder) for record in read_figures(folder / "figures.jsonl", Problems())]


@pytest.mark.slow
def test_many_processes_give_what_one_gives_in_the_same_order(drawn: Path) -> None:
    jobs = jobs_of(drawn)
    problems = Problems()
    alone = list(predict_all(jobs, problems, processes=1))
    assert [prediction.figure.id for prediction in alone] == [figure.id for figure, _ in jobs]
    assert list(predict_all(jobs, problems, processes=2)) == alone
    assert problems.count == 0


@pytest.mark.parametrize("processes", [1, 2])
def test_a_bad_image_is_named_and_the_rest_goes_on(drawn: Path, tmp_path: Path, processes: int) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes((drawn / "sim-001.png").read_bytes()[:5000])
    text = tmp_path / "text.png"
    text.write_text("no image")
    jobs = jobs_of(drawn)
    jobs[3] = (jobs[3][0], bad)
    jobs[5] = (jobs[5][0], text)
    jobs[7] = (jobs[7][0], tmp_path / "missing.png")
    problems = Problems()
    found = list(predict_all(jobs, problems, processes=processes))
    assert len(found) == 9
    assert problems.count == 3
    for line, name, complaint in zip(
        problems.lines,
        ("sim-004", "sim-006", "again-002"),
        ("damaged", "no image that can be read", "no such image"),
        strict=True,
    ):
        assert name in line
        assert complaint in line


def test_jobs_are_drawn_as_they_are_needed(drawn: Path) -> None:
    jobs = jobs_of(drawn)
    handed = []

    def source():
        for number in range(1000):
            handed.append(number)
            yield jobs[5]

    work = predict_all(source(), Problems(), processes=2)
    next(work)
    assert len(handed) <= 20
    work.close()


class Deadly:
    """Its process is killed at some figures: at "always" each time, at "once" the first time."""

    version = "deadly-1"

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        if figure.id == "always" or (figure.id == "once" and not self.marker.exists()):
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Prediction(figure, self.version, (), ())


def test_a_figure_whose_process_is_killed_is_tried_alone_and_named(drawn: Path, tmp_path: Path) -> None:
    (figure, path), *_ = jobs_of(drawn)
    names = [f"f{number}" for number in range(12)]
    for place, name in ((3, "once"), (7, "always")):
        names[place] = name
    jobs = [(replace(figure, id=name), path) for name in names]
    problems = Problems()
    found = list(predict_all(jobs, problems, model=Deadly(tmp_path / "marker"), processes=2))
    assert [each.figure.id for each in found] == [name for name in names if name != "always"]
    (line,) = problems.lines
    assert line.startswith('figure "always"')
    assert "killed (SIGKILL), perhaps for want of memory; scale the image down" in line


def test_where_the_system_grants_no_process_this_one_does_it(drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    jobs = list(jobs_of(drawn))
    problems = Problems()
    expected = list(predict_all(jobs, problems, processes=1))
    monkeypatch.setattr(util, "spawnv_passfds", refuse)
    assert list(predict_all(jobs, problems, processes=2)) == expected
    assert not problems.lines


def test_any_model_with_a_version_will_do(drawn: Path) -> None:
    class Nothing:
        version = "nothing-1"

        def predict(self, figure: Figure, image: Image.Image) -> Prediction:
            return Prediction(figure, self.version, (), ())

    (figure, path), *_ = jobs_of(drawn)
    assert predict(figure, path, model=Nothing()).model_version == "nothing-1"


def test_images_are_read_upright(tmp_path: Path) -> None:
    path = tmp_path / "turned.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 20), "red").save(path, exif=exif)
    assert open_image(path).size == (20, 40)
    (tmp_path / "figures.jsonl").write_text(json.dumps({"figure_id": "f", "image": "turned.jpg", "caption": None}))
    (record,) = read_figures(tmp_path / "figures.jsonl", Problems())
    figure, _ = figure_of(record, tmp_path)
    assert (figure.width, figure.height) == (20, 40)


def test_boxes_are_in_pixels_of_the_figure_also_where_the_image_is_smaller(drawn: Path) -> None:
    (figure, path), *_ = jobs_of(drawn)
    double = Figure(figure.id, "", 2 * figure.width, 2 * figure.height, figure.caption)
    once, twice = predict(figure, path), predict(double, path)
    assert [[2 * value for value in each.box.as_list()] for each in once.subfigures] == [
        each.box.as_list() for each in twice.subfigures
    ]


def test_an_image_of_too_many_pixels_is_refused_in_one_line(tmp_path: Path) -> None:
    Image.new("L", (100, 100)).save(tmp_path / "large.png")
    with pytest.raises(FormatError, match="scale it down"):
        open_image(tmp_path / "large.png", ImageLimits(max_pixels=5000))


def test_a_figure_without_caption_and_an_odd_one_give_something(tmp_path: Path) -> None:
    Image.new("1", (3, 2)).save(tmp_path / "tiny.png")
    for caption in ("", "(a) x (b) y (c) z (d) w (e) v (f) u (g) t"):
        found = predict(Figure("f", "tiny.png", 3, 2, Caption.cut(caption)), tmp_path / "tiny.png")
        assert found.subfigures


@pytest.mark.slow
def test_every_real_figure_is_done_without_a_problem(shared_data: Path) -> None:
    problems = Problems()
    jobs = [figure_of(record, shared_data) for record in read_figures(shared_data / "figures.jsonl", problems)]
    assert len(list(predict_all(jobs, problems))) == len(jobs)
    assert problems.count == 0
