"""`prelabel run` with trained models: broken off, in parts, into a file and into a campaign's store."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import run_command
from scale_cases import Halves, draw_figures, tiny_detector, tiny_tagger

from annotator.campaign.home import Home
from annotator.cli.prelabel import group
from annotator.imports.figures import import_figures
from annotator.prelabels.run import prelabel_home, to_prelabel
from panelwise.files.jsonl import Problems
from prelabel.runs.engines import PlainEngine
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.journal import Shard
from prelabel.runs.opening import Recipe

FIGURES = 40


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_figures(tmp_path_factory.mktemp("figures"), FIGURES, bad=[7])


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("models")
    detector, tagger = tiny_detector(folder / "detector"), tiny_tagger(folder / "tagger")
    settings = ["--threshold", "0.5", "--device", "cpu", "--batch", "1"]
    return ["--detector", str(detector), "--tagger", str(tagger), *settings]


@pytest.fixture(scope="module")
def whole(figures: Path, models: list[str], tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("whole") / "predictions.jsonl"
    done = run_command(group, "prelabel", "run", figures, "--out", out, *models)
    assert done.returncode == 1
    assert done.stdout == "pre-labelled 39 figures; see the 1 error above\n"
    assert "f007" in done.stderr
    return out.read_bytes()


@pytest.fixture
def home(tmp_path: Path, figures: Path) -> Home:
    home = Home.create(tmp_path / "home", name="c")
    with home.open_store() as store:
        assert sum(1 for _ in import_figures(home, store, figures, Problems())) == FIGURES
    return home


#: `prelabel run`, which predicts five chunks of figures and is stuck in the sixth.
STUCK = """
import time
from annotator.cli.prelabel import main
from prelabel.runs.figure_model import FigureModel

done = FigureModel.done

def stuck(model, opened):
    if any(each.figure.id >= "f020" for each in opened if not isinstance(each, str)):
        time.sleep(600)
    return done(model, opened)

FigureModel.done = stuck
main()
"""


def killed_when(ready: Callable[[], bool], *arguments: object) -> None:
    """Run the command in a process of its own, which cannot end by itself, and kill it once it is ready."""
    command = [sys.executable, "-c", STUCK, "run", *map(str, arguments)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        end = time.monotonic() + 300
        while not ready():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL


def predictions_of(home: Home) -> list[Any]:
    with home.open_store() as store, store.read() as tx:
        return sorted(tx.predictions.all(), key=lambda each: each.figure.id)


def test_a_run_into_a_file_that_is_killed_goes_on_and_ends_as_if_nothing_had_been(
    figures: Path, models: list[str], whole: bytes, tmp_path: Path
) -> None:
    out, partial = tmp_path / "p.jsonl", tmp_path / "p.jsonl.partial"

    def chunks_done() -> int:
        return max(0, partial.read_bytes().count(b"\n") - 1) if partial.exists() else 0

    killed_when(lambda: chunks_done() >= 2, figures, "--out", out, *models)
    assert not out.exists()
    before = chunks_done()
    assert 2 <= before < 10
    done = run_command(group, "prelabel", "run", figures, "--out", out, *models)
    assert "note: resuming after" in done.stderr
    assert int(done.stderr.split("resuming after ")[1].split()[0]) in (4 * before, 4 * before - 1)
    assert out.read_bytes() == whole
    assert not partial.exists()


@pytest.mark.soak
def test_a_run_into_the_store_that_is_killed_goes_on_and_ends_as_if_nothing_had_been(
    home: Home, models: list[str], tmp_path: Path, figures: Path
) -> None:
    killed_when(lambda: len(predictions_of(home)) >= 4, *models, "--home", home.path)
    before = predictions_of(home)
    assert 4 <= len(before) < FIGURES - 1
    done = run_command(group, "prelabel", "run", *models, "--home", home.path)
    assert done.stdout == f"pre-labelled {FIGURES - 1 - len(before)} figures\n"
    after = predictions_of(home)
    assert [each for each in after if each in before] == before
    other = Home.create(tmp_path / "other", name="c")
    with other.open_store() as store:
        assert sum(1 for _ in import_figures(other, store, figures, Problems())) == FIGURES
    assert run_command(group, "prelabel", "run", *models, "--home", other.path).returncode == 0
    assert after == predictions_of(other)


def test_parts_together_are_the_whole_and_share_nothing(
    figures: Path, models: list[str], whole: bytes, tmp_path: Path
) -> None:
    lines: list[bytes] = []
    for number in (1, 2, 3):
        out = tmp_path / f"{number}.jsonl"
        run_command(group, "prelabel", "run", figures, "--out", out, *models, "--shard", f"{number}/3")
        part = out.read_bytes().splitlines()
        assert 5 < len(part) < 25
        lines += part
    assert sorted(lines) == sorted(whole.splitlines())


def test_a_campaigns_parts_meet_in_its_store(home: Home) -> None:
    engine = PlainEngine(FigureModel(Recipe(batch=2), detector=Halves()))
    with home.open_store() as store:
        counts = []
        for number in (1, 2):
            shard = Shard(number, 2)
            wanted = to_prelabel(store, engine.version, shard=shard)
            found = prelabel_home(home, store, Problems(), engine=engine, shard=shard)
            assert [each.figure.id for each in found] == wanted
            counts.append(len(wanted))
        assert sum(counts) == FIGURES - 1
        assert to_prelabel(store, engine.version) == []


def test_what_was_done_before_is_not_done_again(home: Home) -> None:
    engine = PlainEngine(FigureModel(Recipe(batch=1), detector=Halves()))
    # The first engine's threads may still be in a chunk when its run is closed: the second counts its own.
    halves = Halves()
    again = PlainEngine(FigureModel(Recipe(batch=1), detector=halves))
    assert again.version == engine.version
    with home.open_store() as store:
        work = prelabel_home(home, store, Problems(), engine=engine)
        for _ in range(9):
            next(work)
        work.close()
        left = to_prelabel(store, engine.version)
        assert len(left) == FIGURES - 1 - 12
        assert len(list(prelabel_home(home, store, Problems(), engine=again))) == len(left)
    assert sum(halves.calls) == len(left)


def test_another_models_unfinished_run_is_left_alone(figures: Path, models: list[str], tmp_path: Path) -> None:
    out, partial = tmp_path / "p.jsonl", tmp_path / "p.jsonl.partial"
    head = {"partial": "p.jsonl", "model": "other-1", "shard": "1/1"}
    partial.write_text(json.dumps(head) + "\n")
    done = run_command(group, "prelabel", "run", figures, "--out", out, *models)
    assert done.returncode == 1
    assert "an unfinished run holds predictions of other-1, not tiny-" in done.stderr
    assert "--again" in done.stderr
    assert json.loads(partial.read_text()) == head
    assert run_command(group, "prelabel", "run", figures, "--out", out, *models, "--again").returncode == 1
    assert out.exists()
    assert not partial.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--workers", "2"], "--workers needs --engine ray"),
        (["--engine", "ray", "--debug", "d"], "--debug needs --engine plain"),
        (["--detector", "x", "--processes", "2"], "--processes needs --engine plain"),
        (["--shard", "3/2"], "there is no part 3/2 of a run"),
        (["--shard", "0/2"], "is no part of a run"),
        (["--detector", "missing/folder"], "missing/folder"),
        (["--tagger", "missing"], "missing: no such folder"),
        (["--classifier", "missing"], "missing"),
        (["--detector", "{detector}", "--device", "cuda"], "device cuda: "),
        (["--tagger", "{detector}"], 'holds a "detector"'),
    ],
)
def test_what_cannot_be_is_told_in_one_line(
    figures: Path, models: list[str], tmp_path: Path, arguments: list[str], told: str
) -> None:
    import torch

    if "cuda" in arguments and torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    given = [each.format(detector=models[1]) for each in arguments]
    done = run_command(group, "prelabel", "run", figures, "--out", tmp_path / "out.jsonl", *given)
    assert done.returncode in (1, 2)
    assert told in done.stderr.replace("\n", " ")
    assert not list(tmp_path.iterdir())


def test_pictures_of_a_trained_models_work_can_be_had(figures: Path, models: list[str], tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(figures.read_text().splitlines(keepends=True)[:2]))
    out, pictures = tmp_path / "out.jsonl", tmp_path / "pictures"
    done = run_command(
        group, "prelabel", "run", few, "--images", figures.parent, "--out", out, *models, "--debug", pictures
    )
    assert done.returncode == 0, done.stderr
    assert sorted(each.name for each in pictures.iterdir()) == ["f000.png", "f001.png"]
