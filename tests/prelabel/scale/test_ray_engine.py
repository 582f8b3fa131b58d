"""The same run on Ray Data: the same predictions, in the same order, whatever the number of workers."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import missing
from running import run_command
from scale_cases import draw_figures, jobs_of, tiny_detector, tiny_tagger

from annotator.domain.errors import AnnotatorError
from annotator.formats.jsonl import Problems
from prelabel.cli import group
from prelabel.scale import ray_engine
from prelabel.scale.engines import PlainEngine, Slot
from prelabel.scale.ray_engine import RayEngine
from prelabel.scale.recipe import Recipe

#: Ray sets its own outdated settings as it starts.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")


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


@pytest.fixture(scope="module")
def ray() -> Iterator[None]:
    """One Ray for all tests: it takes seconds to start."""
    if importlib.util.find_spec("ray") is None:
        missing("no Ray", "pip install 'panelwise[ray]', or run the tests with `make test`")
    started = ray_engine.start(2)
    yield
    if started:
        ray_engine.stop()


def test_without_ray_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "find_spec", lambda name: None)
    with pytest.raises(AnnotatorError, match=r"panelwise\[ray\]"):
        RayEngine(Recipe())


def test_a_model_that_cannot_be_opened_is_told_before_ray_starts(tmp_path: Path) -> None:
    with pytest.raises(AnnotatorError, match="no such folder"):
        RayEngine(Recipe(tagger=tmp_path / "missing"))


def test_what_a_worker_does_is_what_the_plain_engine_does(recipe: Recipe, slots: list[Slot]) -> None:
    worker = ray_engine.Worker(recipe)
    problems, plain_problems = Problems(), Problems()
    found = [
        each
        for row in ray_engine.rows_of(slots, recipe.open().chunk)
        for together in ray_engine.read_row(worker({key: [value] for key, value in row.items()}), problems)
        for each in together
    ]
    plain = PlainEngine(recipe.open()).run(slots, plain_problems)
    assert found == [each for together in plain for each in together]
    assert problems.lines == plain_problems.lines
    assert len(found) == 12


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_give_what_the_plain_engine_gives_in_the_same_order(
    recipe: Recipe, slots: list[Slot], workers: int
) -> None:
    problems, plain_problems = Problems(), Problems()
    engine, plain = RayEngine(recipe, workers), PlainEngine(recipe.open())
    assert engine.version == plain.version
    assert list(engine.run(slots, problems)) == list(plain.run(slots, plain_problems))
    assert problems.lines == plain_problems.lines


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
def test_the_command_writes_the_same_file_on_either_engine(figures: Path, recipe: Recipe, tmp_path: Path) -> None:
    assert replace(recipe, batch=1) == recipe
    given = ["--detector", recipe.detector, "--threshold", "0.5", "--device", "cpu", "--batch", "1"]
    outs = {}
    for kind in ("plain", "ray"):
        out = tmp_path / f"{kind}.jsonl"
        done = run_command(group, "prelabel", "run", figures, "--out", out, *given, "--engine", kind)
        assert done.returncode == 1
        assert "f005" in done.stderr
        outs[kind] = out.read_bytes()
    assert outs["plain"] == outs["ray"]
    assert len(outs["ray"].splitlines()) == 13
