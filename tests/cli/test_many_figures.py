"""Imports of very many figures: all arrive, in memory that does not grow with their number."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from annotator.campaign.home import Home

FEW = 500
COMMAND = "from annotator.cli.campaign.main import main; main()"


def peak_of_import(folder: Path, figures: int) -> tuple[Home, int]:
    """Import figures that each have an image file; returns the home and the process's peak memory in KiB."""
    images = folder / "images"
    images.mkdir(parents=True)
    Image.new("L", (40, 30), "white").save(folder / "one.png")
    with (folder / "figures.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(figures):
            os.link(folder / "one.png", images / f"f{number:06}.png")
            record = {
                "figure_id": f"f{number:06}",
                "image": f"f{number:06}.png",
                "caption": "(A) Left. (B) Right.",
            }
            lines.write(json.dumps(record) + "\n")
    home = Home.create(folder / "campaign")
    words = ["import", "figures", str(folder / "figures.jsonl"), "--images", str(images), "--home", str(home.path)]
    process = subprocess.Popen([sys.executable, "-c", COMMAND, *words], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return home, usage.ru_maxrss


@pytest.mark.slow
@pytest.mark.parametrize("figures", [2_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_very_many_figures_are_imported_in_flat_memory(tmp_path: Path, figures: int) -> None:
    _, few = peak_of_import(tmp_path / "few", FEW)
    home, many = peak_of_import(tmp_path / "many", figures)
    with home.open_store() as store, store.read() as tx:
        assert tx.figures.count() == figures
    assert many < few + (150 << 10)
