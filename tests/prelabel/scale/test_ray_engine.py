"""The same run on Ray Data: the same predictions, in the same order, whatever the number of workers."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from conftest import missing
from scale_cases import draw_figures, jobs_of, tiny_detector, tiny_tagger

from panelwise.domain.errors import AnnotatorError
from prelabel.runs import ray_engine
from prelabel.runs.engines import PlainEngine, Slot, chunks
from prelabel.runs.figure_model import FigureModel, Opened, Outcome
from prelabel.runs.opening import Recipe
from prelabel.runs.predict import Job
from prelabel.runs.ray_engine import RayEngine


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_figures(tmp_path_factory.mktemp("figures"), 14, bad=[5])


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    folder = tmp_path_factory.mktemp("models")
    tagger = tiny_tagger(folder / "tagger")
    return Recipe(str(tiny_detector(folder / "detector")), tagger, device="cpu", batch=1, threshold=0.5)


@pytest.fixture
def slots(tmp_path: Path) -> list[Slot]:
    """Figures of which one is no image, and one was done before."""
    found: list[Slot] = list(jobs_of(draw_figures(tmp_path, 14, bad=[5])))
    found[9] = None
    return found


def row(batch: list[Job]) -> dict[str, list[bytes]]:
    """A batch as Ray gives it to a worker: columns of one row."""
    return {"chunk": [pickle.dumps(batch)]}


@pytest.fixture(scope="module")
def ray() -> None:
    if importlib.util.find_spec("ray") is None:
        missing("no Ray", "pip install 'panelwise[ray]', or run the tests with `make test`")


def test_without_ray_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "find_spec", lambda name: None)
    with pytest.raises(AnnotatorError, match=r"panelwise\[ray\]"):
        RayEngine(Recipe())


def test_a_model_that_cannot_be_opened_is_told_before_ray_starts(tmp_path: Path) -> None:
    with pytest.raises(AnnotatorError, match="no such folder"):
        RayEngine(Recipe(tagger=tmp_path / "missing"))


def test_what_a_worker_does_is_what_the_plain_engine_does(recipe: Recipe, slots: list[Slot]) -> None:
    worker = ray_engine.Worker(recipe)
    batches = list(chunks(slots, FigureModel(recipe).chunk))
    found = [pickle.loads(worker(row(batch))["outcomes"][0]) for batch in batches]
    assert found == list(PlainEngine(FigureModel(recipe)).map_batches(batches))
    outcomes = [outcome for together in found for outcome in together]
    assert [isinstance(outcome, str) for outcome in outcomes].count(True) == 1
    assert len(outcomes) == 13


def test_a_worker_says_how_many_images_it_has_read_for_letters(
    recipe: Recipe, slots: list[Slot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FigureModel, "read", 3)
    one, other = ray_engine.Worker(recipe), ray_engine.Worker(recipe)
    batch = row(next(chunks(slots, 4)))
    assert one(batch)["read"] == [3]
    assert one(batch)["worker"] == one(batch)["worker"] != other(batch)["worker"]


def test_a_gpu_by_its_number_is_not_for_ray() -> None:
    with pytest.raises(AnnotatorError, match="give --device cuda, not cuda:1"):
        RayEngine(Recipe(device="cuda:1"))


def test_a_worker_reads_one_chunk_while_others_are_predicted(
    recipe: Recipe, slots: list[Slot], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU: chunk 3 is read though 1 and 2 are not through, and is predicted only when one of them is."""
    worker = ray_engine.Worker(recipe, readers=2)
    rows = [row(batch) for batch in islice(chunks(slots, 4), 3)]
    read, inside = threading.Semaphore(0), threading.Semaphore(0)
    at_once, most, go_on = 0, 0, threading.Event()
    opened, done, lock = FigureModel.opened, FigureModel.done, threading.Lock()

    def told(model: FigureModel, job: Job) -> Opened | str:
        found = opened(model, job)
        read.release()
        return found

    def held(model: FigureModel, ready: Sequence[Opened | str]) -> list[Outcome]:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        inside.release()
        assert go_on.wait(600)
        found = done(model, ready)
        with lock:
            at_once -= 1
        return found

    expected = [worker(batch) for batch in rows]
    monkeypatch.setattr(FigureModel, "opened", told)
    monkeypatch.setattr(FigureModel, "done", held)
    with ThreadPoolExecutor(ray_engine.IN_HAND) as calls:
        found = [calls.submit(worker, batch) for batch in rows]
        try:
            for _ in range(sum(len(pickle.loads(batch["chunk"][0])) for batch in rows)):
                assert read.acquire(timeout=600)
            for _ in range(ray_engine.SIDE_BY_SIDE):
                assert inside.acquire(timeout=600)
        finally:
            go_on.set()
        assert [each.result(600) for each in found] == expected
    assert most == ray_engine.SIDE_BY_SIDE


def command(figures: Path, models: Sequence[object], out: Path, *more: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "prelabel", "run", figures, "--out", out, *models, *more]
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize(
    ("trained", "workers"),
    [(False, 1), pytest.param(True, 1, marks=pytest.mark.soak), pytest.param(True, 2, marks=pytest.mark.soak)],
)
def test_the_command_writes_the_same_file_on_either_engine(
    figures: Path, request: pytest.FixtureRequest, tmp_path: Path, trained: bool, workers: int
) -> None:
    """In processes of their own: Ray's core, no Python, crashed once, and took the tests with it."""
    models: list[object] = []
    if trained:
        recipe = request.getfixturevalue("recipe")
        models = ["--detector", recipe.detector, "--tagger", recipe.tagger, "--threshold", "0.5"]
        models += ["--device", "cpu", "--batch", "1"]
    plain = command(figures, models, tmp_path / "plain.jsonl")
    found = command(figures, models, tmp_path / "ray.jsonl", "--engine", "ray", "--workers", workers)
    for done in (plain, found):
        assert done.returncode == 1, done.stderr
        assert "f005" in done.stderr
    assert (tmp_path / "ray.jsonl").read_bytes() == (tmp_path / "plain.jsonl").read_bytes()
    assert len((tmp_path / "ray.jsonl").read_bytes().splitlines()) == 13


@pytest.mark.soak
@pytest.mark.usefixtures("ray")
def test_a_run_on_ray_says_how_many_figures_were_read_for_letters(tmp_path: Path) -> None:
    if importlib.util.find_spec("rapidocr") is None:
        missing("no RapidOCR", "pip install 'panelwise[ocr]', or run the tests with `make test`")
    drawn = draw_figures(tmp_path / "drawn", 2)
    done = command(drawn, ["--ocr", "auto"], tmp_path / "ray.jsonl", "--engine", "ray", "--workers", 2)
    assert done.returncode == 0, done.stderr
    assert "OCR: read 2 figures" in done.stdout
