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

COMMAND = "from annotator.cli.campaign.main import main; main()"


def cost_of_import(folder: Path, figures: int) -> tuple[Home, int, float]:
    """Import figures that each have an image file.

    Returns the home, the process's peak memory in KiB and its processor time in seconds.
    """
    images = folder / "images"
    images.mkdir(parents=True)
    Image.new("L", (40, 30), "white").save(folder / "one.png")
    image = (folder / "one.png").read_bytes()
    with (folder / "figures.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(figures):
            (images / f"f{number:06}.png").write_bytes(image)
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
    return home, usage.ru_maxrss, usage.ru_utime + usage.ru_stime


@pytest.mark.slow
def test_very_many_figures_are_imported_in_flat_memory(tmp_path: Path) -> None:
    check_costs(tmp_path, few=500, many=2_000)


@pytest.mark.slow
@pytest.mark.soak
def test_100_000_figures_are_imported_in_flat_memory_and_time_in_proportion(tmp_path: Path) -> None:
    few_seconds, many_seconds = check_costs(tmp_path, few=10_000, many=100_000)
    # Ten times the figures; what grew with their square would take a hundred times.
    assert many_seconds < 20 * few_seconds


def check_costs(folder: Path, *, few: int, many: int) -> tuple[float, float]:
    """Check both imports' figures and memory; returns their processor time in seconds."""
    _, few_peak, few_seconds = cost_of_import(folder / "few", few)
    home, many_peak, many_seconds = cost_of_import(folder / "many", many)
    with home.open_store() as store, store.read() as tx:
        assert tx.figures.count() == many
    assert many_peak < few_peak + (150 << 10)
    return few_seconds, many_seconds
