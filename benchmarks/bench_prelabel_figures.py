"""Pre-labelling decoded images, splitter and caption parser, against decoding the same images.

The promise: at least 6 figures a second on one core (median), and no figure slower than twenty times its decoding.
Times are those of the processor; the ratio to decoding, in the same run, does not hang on the machine. Figures are
simulated, or real ones: `bench_prelabel_figures.py figures.jsonl`.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from panelwise.files.jsonl import Problems
from panelwise.formats.figures import read_figures
from panelwise_simulator.figures import drawn_files, write_figures
from prelabel.classic.prelabeller import CLASSIC
from prelabel.runs.predict import Job, figure_of, open_image

FIGURES, RUNS = 60, 3
#: Figures a second a core; how many times its decoding a figure may take.
PROMISED, SLOWEST = 6.0, 20.0


def jobs_of(path: Path) -> list[Job]:
    """The figures of a file that can be read."""
    return [figure_of(record, path.parent) for record in read_figures(path, Problems())]


def timed(job: Job) -> tuple[float, float]:
    """Seconds of decoding and of pre-labelling, the least of some runs."""
    figure, path = job
    decoding, predicting = [], []
    for _ in range(RUNS):
        began = time.process_time()
        image = open_image(path)
        image.load()
        decoded = time.process_time()
        CLASSIC.predict(figure, image)
        decoding.append(decoded - began)
        predicting.append(time.process_time() - decoded)
    return min(decoding), min(predicting)


def measure(jobs: list[Job]) -> None:
    """Print the figures; exit with a message where a promise is not kept."""
    timed(jobs[0])  # tables and letters that are kept are made here
    found = [(timed(job), job[0]) for job in jobs]
    decoding, predicting = ([times[side] for times, _ in found] for side in (0, 1))
    ratios = sorted(((predict / decode, figure.id) for (decode, predict), figure in found), reverse=True)
    pixels = statistics.median(figure.width * figure.height for _, figure in found) / 1e6
    rate = 1 / statistics.median(predicting)
    print(f"{len(jobs)} figures, {pixels:.2f} million pixels (median), one process, best of {RUNS} runs each")
    print(f"  decoding            {1000 * statistics.median(decoding):.0f} ms (median)")
    print(
        f"  pre-labelling       {1000 * statistics.median(predicting):.0f} ms (median), "
        f"{1000 * max(predicting):.0f} at most"
    )
    print(f"  figures a second    {rate:.1f} (median), {len(jobs) / sum(predicting):.1f} (mean)")
    print(
        f"  times the decoding  {statistics.median(ratio for ratio, _ in ratios):.1f} (median), over {SLOWEST:g} "
        f"in {sum(ratio > SLOWEST for ratio, _ in ratios)}; the slowest:"
    )
    for ratio, name in ratios[:5]:
        print(f"    {ratio:5.1f}  {name}")
    if rate < PROMISED:
        sys.exit(f"slower than promised: fewer than {PROMISED:g} figures a second a core")
    if ratios[0][0] > SLOWEST:
        sys.exit(f"slower than promised: {ratios[0][1]} takes more than {SLOWEST:g} times its decoding")


def main() -> None:
    if len(sys.argv) > 1:
        measure(jobs_of(Path(sys.argv[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_figures(drawn_files(FIGURES, processes=1), Path(folder))
        measure(jobs_of(Path(folder) / "figures.jsonl"))


if __name__ == "__main__":
    main()
