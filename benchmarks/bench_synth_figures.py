"""Drawing simulated figures, encoded and written with their truth, against packing the same pictures again.

The promise: `prelabel synth` draws at least 10 figures a second a core, of mixed difficulty. Times are those of
the processor, so that a busy machine shows less; the ratio to decoding and encoding the pictures with Pillow alone
does not hang on the machine.
"""

from __future__ import annotations

import io
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import Image

from panelwise_simulator.figures import drawn_files, simulated_figures, write_figures

FIGURES, RUNS = 80, 3
#: Figures a second a core.
PROMISED = 10.0


def drawn(seed: int, folder: Path) -> None:
    """Figures in files, by this process alone."""
    write_figures(drawn_files(FIGURES, seed=seed, processes=1), folder)


def packed_again(folder: Path) -> None:
    """Decode and encode each picture again: the baseline for any program that makes pictures."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".jsonl":
            continue
        with Image.open(path) as image:
            out = io.BytesIO()
            if image.format == "JPEG":
                image.save(out, "JPEG", quality=88)
            else:
                image.save(out, "PNG", compress_level=2)


def timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    for _ in simulated_figures(6, seed=1):
        pass  # letters and tables that are kept are made here
    drawing, packing = [], []
    pixels = panels = 0
    with tempfile.TemporaryDirectory() as folder:
        for run in range(RUNS):
            out = Path(folder) / str(run)
            drawing.append(timed(partial(drawn, run, out)))
            packing.append(timed(partial(packed_again, out)))
        for figure in simulated_figures(FIGURES, seed=0):
            pixels += figure.image.width * figure.image.height
            panels += len(figure.subfigures)
    rates = sorted(FIGURES / seconds for seconds in drawing)
    ratios = sorted(draw / pack for draw, pack in zip(drawing, packing, strict=True))
    print(
        f"{FIGURES} figures of mixed difficulty, {panels / FIGURES:.1f} panels and {pixels / FIGURES / 1e6:.2f} "
        f"million pixels each, one process, {RUNS} runs of other seeds (median, range; time of the processor)"
    )
    print(f"  drawn and written   {statistics.median(drawing):.2f} s  ({min(drawing):.2f} to {max(drawing):.2f})")
    print(f"  packed again        {statistics.median(packing):.2f} s  ({min(packing):.2f} to {max(packing):.2f})")
    print(f"  ratio               {statistics.median(ratios):.1f}  ({ratios[0]:.1f} to {ratios[-1]:.1f})")
    print(f"  figures a second    {statistics.median(rates):.1f}  ({rates[0]:.1f} to {rates[-1]:.1f})")
    if statistics.median(rates) < PROMISED:
        sys.exit(f"slower than promised: fewer than {PROMISED:g} figures a second a core")


if __name__ == "__main__":
    main()
