"""The data that the demo ships is what the simulator draws; otherwise it is stale."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from annotator.demo.figures import FIGURES, QUESTIONS, write_sample
from panelwise_simulator.demo import data
from panelwise_simulator.demo.questions import demo_questions, write_questions
from panelwise_simulator.figures import write_figures
from panelwise_simulator.simulated import SimulatedFigure

STALE = "stale; run python -m panelwise_simulator.demo.data annotator/demo/data"
Pixels = tuple[str, tuple[int, int], bytes]


def contents(folder: Path) -> dict[str, Pixels | bytes]:
    """Decoded pixels of images, because compression differs between machines; bytes of the other files."""
    found: dict[str, Pixels | bytes] = {}
    for path in folder.iterdir():
        if path.suffix == ".png":
            with Image.open(path) as image:
                found[path.name] = image.mode, image.size, image.tobytes()
        else:
            found[path.name] = path.read_bytes()
    return found


def differing(sample: Path, drawn: Path, folder: Path) -> list[str]:
    """Names of the files that the demo writes otherwise than the simulator."""
    write_sample(sample, folder)
    shipped, fresh = contents(folder), contents(drawn)
    return sorted(name for name in shipped.keys() | fresh.keys() if shipped.get(name) != fresh.get(name))


@pytest.mark.slow
def test_the_demos_figures_are_what_the_simulator_draws(six: list[SimulatedFigure], tmp_path: Path) -> None:
    write_figures(six, tmp_path / "drawn")
    assert differing(FIGURES, tmp_path / "drawn", tmp_path / "written") == [], STALE


@pytest.mark.slow
def test_the_demos_charts_are_what_the_simulator_draws(tmp_path: Path) -> None:
    write_questions(demo_questions(), tmp_path / "drawn")
    assert differing(QUESTIONS, tmp_path / "drawn", tmp_path / "written") == [], STALE


def test_what_is_shipped_stays_small() -> None:
    sizes = [path.stat().st_size for folder in (FIGURES, QUESTIONS) for path in folder.iterdir()]
    assert 0 < sum(sizes) < 1 << 20


@pytest.mark.slow
def test_data_written_anew_holds_the_same_pixels(
    six: list[SimulatedFigure], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The smallest of the six: lossless compression of all takes a minute.
    smallest = six[5:]
    monkeypatch.setattr(data, "demo_figures", lambda _: smallest)
    monkeypatch.setattr(data, "demo_questions", lambda _: [])
    data.write_data(tmp_path / "data")
    write_figures(smallest, tmp_path / "drawn")
    assert {path.suffix for path in (tmp_path / "data" / "figures").iterdir()} == {".jsonl", ".webp"}
    assert differing(tmp_path / "data" / "figures", tmp_path / "drawn", tmp_path / "written") == []
