"""The plain engine: images read ahead, batches of one canvas, chunks side by side, all told in order."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest
import torch
from PIL import Image
from scale_cases import CAPTION

from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from prelabel.models import devices
from prelabel.models.devices import predicting, predictors_of
from prelabel.models.protocols import Detections
from prelabel.models.sizing import Prepared, Shape, Sizing, prepare
from prelabel.runs.engines import AHEAD, PlainEngine
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import BATCHES, CHUNK, Recipe
from prelabel.runs.predict import Job

CPU = torch.device("cpu")


class Blueness:
    """Stands in for a network: one box over the image, its score from its colour. Remembers its batches."""

    version = "blue-1"

    def __init__(self, batch: int = 4, device: torch.device | None = CPU) -> None:
        self.batch = batch
        self.sizing = Sizing(64, 128, 32)
        self.batches: list[tuple[Shape, int]] = []
        self.threads: dict[int, int] = {}
        if device is not None:
            self.device = device

    def prepare(self, image: Image.Image, *, size: Shape | None = None) -> Prepared:
        return prepare(image, self.sizing, size=size)

    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        self.threads[threading.get_ident()] = torch.get_num_threads()
        assert len({item.canvas for item in items}) == 1
        self.batches.append((items[0].canvas, len(items)))
        for item in items:
            if (item.pixels == 0).all():
                raise ValueError("cannot see in the dark")
        return [Detections.of([[0, 0, *item.size]], [item.pixels[..., 2].mean() / 255], [1]) for item in items]

    def detect(self, images: Sequence[Image.Image]) -> list[Detections]:
        raise AssertionError("it works in two steps")


def blue(folder: Path, number: int, value: int, size: tuple[int, int] = (120, 90)) -> Job:
    path = folder / f"{number}.png"
    Image.new("RGB", size, (10, 10, value)).save(path)
    return Figure(f"f{number}", path.name, *size, Caption.cut(CAPTION.format(n=number))), path


def run(
    detector: Blueness, jobs: Sequence[Job], *, batch: int | None = None
) -> tuple[list[Prediction], list[str]]:
    problems = Problems()
    engine = PlainEngine(FigureModel(Recipe(batch=batch), detector=detector))
    return [each for together in engine.run(jobs, problems) for each in together], problems.lines


def values(found: Sequence[Prediction]) -> list[int]:
    """The blue that was seen, as the score of the largest box tells it."""
    return [round(100 * max(each.scores)) for each in found]


def test_figures_are_told_in_their_order_whatever_their_shape(tmp_path: Path) -> None:
    sizes = [(120, 90), (90, 120), (200, 90)]
    jobs = [blue(tmp_path, n, 5 * n + 5, sizes[n % 3]) for n in range(30)]
    detector = Blueness()
    found, told = run(detector, jobs, batch=2)
    assert told == []
    assert [each.figure.id for each in found] == [f"f{n}" for n in range(30)]
    assert values(found) == sorted(values(found))
    assert len(set(values(found))) > 20
    assert [each.subfigures[0].box.as_list() for each in found] == [[0, 0, *sizes[n % 3]] for n in range(30)]


def test_a_corrupt_image_in_a_batch_is_named_and_skipped_and_the_batch_goes_on(tmp_path: Path) -> None:
    jobs = [blue(tmp_path, n, 10 * n + 5) for n in range(6)]
    jobs[2][1].write_bytes(jobs[2][1].read_bytes()[:60])
    jobs[4][1].unlink()
    found, told = run(Blueness(), jobs)
    assert [each.figure.id for each in found] == ["f0", "f1", "f3", "f5"]
    assert [line.split(":")[0] for line in told] == ['figure "f2"', 'figure "f4"']
    assert "the image is damaged" in told[0]
    assert "no such image" in told[1]


def test_an_image_on_which_the_model_fails_costs_only_itself(tmp_path: Path) -> None:
    jobs = [blue(tmp_path, n, 10 * n + 5) for n in range(4)]
    Image.new("RGB", (120, 90)).save(jobs[1][1])
    found, told = run(Blueness(), jobs)
    assert [each.figure.id for each in found] == ["f0", "f2", "f3"]
    (line,) = told
    assert line.startswith('figure "f1": the model failed on it (ValueError: cannot see in the dark, at test_')


def test_a_user_error_of_the_model_is_told_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cramped(_items: Sequence[Prepared]) -> list[Detections]:
        raise AnnotatorError("out of memory with a batch of one")

    detector = Blueness()
    monkeypatch.setattr(detector, "predict", cramped)
    found, told = run(detector, [blue(tmp_path, 1, 5)])
    assert (found, told) == ([], ['figure "f1": the model failed on it (out of memory with a batch of one)'])


def test_figures_are_drawn_as_they_are_needed_and_the_rest_is_never_read(tmp_path: Path) -> None:
    job, drawn = blue(tmp_path, 1, 5), 0

    def endless() -> Iterator[Job]:
        nonlocal drawn
        while True:
            drawn += 1
            yield job

    engine = PlainEngine(FigureModel(Recipe(batch=1), detector=Blueness()))
    work = engine.run(endless(), Problems())
    assert [len(together) for together in islice(work, 3)] == [BATCHES] * 3
    work.close()
    assert drawn <= BATCHES * (3 + AHEAD + predictors_of(CPU))


def test_chunks_are_predicted_side_by_side_and_the_same_as_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [blue(tmp_path, n, 5 * n + 5) for n in range(24)]
    alone, together = Blueness(device=None), Blueness()
    monkeypatch.setattr(devices, "cores", lambda: 3)
    both = threading.Barrier(3, timeout=300)
    predict = together.predict

    def waiting(items: Sequence[Prepared]) -> list[Detections]:
        both.wait()
        return predict(items)

    monkeypatch.setattr(together, "predict", waiting)
    assert run(alone, jobs, batch=1) == run(together, jobs, batch=1)
    assert (len(alone.threads), len(together.threads)) == (1, 3)


def test_threads_that_predict_share_the_cores_and_leave_them_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    for there, count, each in [(1, 1, 1), (2, 2, 1), (16, 8, 2)]:
        monkeypatch.setattr(devices, "cores", lambda there=there: there)
        with predicting(CPU) as (pool, threads):
            assert (threads, pool.submit(torch.get_num_threads).result()) == (count, each)
        assert torch.get_num_threads() == before
        with pytest.raises(RuntimeError, match="shutdown"):
            pool.submit(torch.get_num_threads)


def test_a_chunk_holds_a_few_of_the_detectors_batches_and_stays_when_memory_runs_out() -> None:
    assert FigureModel(Recipe()).chunk == CHUNK
    assert FigureModel(Recipe(batch=3), detector=Blueness(batch=3)).chunk == BATCHES * 3
    detector = Blueness(batch=64)
    model = FigureModel(Recipe(), detector=detector)
    detector.batch = 8
    assert model.chunk == BATCHES * 64
