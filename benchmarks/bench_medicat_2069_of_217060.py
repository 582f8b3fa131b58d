"""MedICaT at its scale: from 217,060 simulated records to tasks of 2,069 drawn figures with pre-labels.

Each step is the command that a user runs, in a process of its own: its processor time against that of decoding the
lines of the release once, and its peak memory. Images are small drawings of two panels, for the drawn figures
only, as steps but the import and the pre-labels read none.

    python benchmarks/bench_medicat_2069_of_217060.py [--figures 217060] [--drawn 2069] [--keep FOLDER]

The promise: filter, join and sample need less than 400 MB each. Their times are printed, not promised.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from PIL import Image, ImageDraw

from panelwise.files.jsonl import encode_line, write_lines

#: Peak memory of the steps that read the whole release, at most.
MEGABYTES = 400
TEXT = "MRI of the left lung (A) shows 3.5% more (B) than control; scale bar, 20 µm. Data are means ± s.d. n = 5"
WORDS = TEXT.split()
PEOPLE = ("ann", "ben", "cleo", "dan", "eve")


def release(figures: int) -> Iterator[dict[str, Any]]:
    """Yield records of MedICaT's release, 1.7 to a paper, nine in ten with a keyword."""
    chance = random.Random(0)
    for number in range(figures):
        paper = int(number / 1.7)
        keyword = "MRI" if chance.random() < 0.9 else "Sketch"
        words = " ".join(chance.choices(WORDS[1:], k=chance.randint(20, 120)))
        reference = f"As Figure {number} shows, {' '.join(chance.choices(WORDS[1:], k=20))}."
        yield {
            "pdf_hash": f"{paper:040x}",
            "fig_uri": f"{number}-Figure{number}-1.png",
            "fig_key": f"Figure{number}",
            "s2_caption": f"Figure {number}: {keyword} of (A) one lung and (B) the other. {words}",
            "s2orc_references": [reference] if chance.random() < 0.74 else [],
            "radiology": True,
            "oa_info": {"doi": f"10.1/{paper}", "license": "CC-BY"},
        }


def draw_images(sample: Path, folder: Path) -> None:
    """Draw the images of the sampled figures: two panels, apart."""
    folder.mkdir()
    for line in sample.open("rb"):
        record = msgspec.json.decode(line)
        image = Image.new("RGB", (240, 120), "white")
        pen = ImageDraw.Draw(image)
        pen.rectangle((6, 6, 108, 112), fill="gray")
        pen.rectangle((132, 6, 232, 112), fill="black")
        image.save(folder / f"{record['pdf_hash']}_{record['fig_uri']}")


def decoding_seconds(path: Path) -> float:
    """Return the processor time of decoding a file's lines, the better of two runs."""
    times = []
    for _ in range(2):
        start = time.process_time()
        for line in path.open("rb"):
            msgspec.json.decode(line)
        times.append(time.process_time() - start)
    return min(times)


def run(*command: str | Path) -> tuple[float, float]:
    """Run a command of the same environment; return its processor time in seconds and peak memory in MB."""
    program = Path(sys.executable).parent / command[0]
    child = subprocess.Popen([program, *command[1:]], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Run all steps and print a line each; exit with 1 if a promise is broken."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--figures", type=int, default=217_060)
    arguments.add_argument("--drawn", type=int, default=2_069)
    arguments.add_argument("--keep", type=Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        broken = steps(folder, given.figures, given.drawn)
    if broken:
        raise SystemExit("promise broken: " + ", ".join(broken))


def steps(folder: Path, figures: int, drawn: int) -> list[str]:
    """Run the steps in a folder; return those that break a promise."""
    whole, others = folder / "release.jsonl", folder / "others.jsonl"
    medical, joined, sample = (folder / f"{name}.jsonl" for name in ("medical", "joined", "sample"))
    images, home = folder / "images", folder / "home"
    write_lines(whole, release(figures))
    with others.open("wb") as file:
        for record in release(figures):
            file.write(encode_line({**record, "s2orc_references": [f"{record['fig_key']} is cited once more."]}))
    decoding = decoding_seconds(whole)
    print(f"{figures:,} records, {whole.stat().st_size / 1e6:,.0f} MB; decoding {decoding:.2f} s")
    corpus = ("annotator", "corpus")
    broken = []
    for name, command in (
        ("filter", (*corpus, "filter", whole, "--out", medical)),
        ("join", (*corpus, "join", medical, others, "--out", joined)),
        ("sample", (*corpus, "sample", joined, "--out", sample, "--figures", str(drawn), "--seed", "1")),
        ("init", ("annotator", "init", home, "--template", "subfigures", "--annotators", ",".join(PEOPLE))),
        ("import", ("annotator", "import", "figures", sample, "--images", images, "--home", home)),
        ("pre-labels", ("prelabel", "run", "--home", home)),
        ("assign", ("annotator", "assign", "--phase", "1", "--home", home)),
    ):
        if name == "import":
            draw_images(sample, images)
        seconds, megabytes = run(*command)
        print(
            f"{name:10} {seconds:7.1f} s, {seconds / decoding:6.1f} times decoding, {megabytes:5.0f} MB",
            flush=True,
        )
        if name in ("filter", "join", "sample") and megabytes > MEGABYTES:
            broken.append(name)
    return broken


if __name__ == "__main__":
    main()
