"""Pre-labelling decoded images by the default, splitter, panel-net and caption parser together, one core.

    python benchmarks/bench_prelabel_figures.py [FIGURES.jsonl] [--detector NAME]

The promise: at least 6 figures a second on one core with decoding (median); with `--detector classic` no figure
slower than twenty times its decoding. Times are those of the processor. Figures are simulated, or of a file.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from panelwise.files.jsonl import Problems
from panelwise.formats.figures import read_figures
from panelwise_simulator.figures import drawn_files, write_figures
from prelabel.classic.prelabeller import ClassicPrelabeller
from prelabel.runs.opening import BOTH, CLASSIC_NAME, Recipe, open_splitter
from prelabel.runs.predict import Job, figure_of, open_image

FIGURES, RUNS = 60, 3
#: Figures a second a core; how many times its decoding a figure may take.
PROMISED, SLOWEST = 6.0, 20.0


def jobs_of(path: Path) -> list[Job]:
    """The figures of a file that can be read."""
    return [figure_of(record, path.parent) for record in read_figures(path, Problems())]


def timed(job: Job, model: ClassicPrelabeller) -> tuple[float, float]:
    """Seconds of decoding and of pre-labelling, the least of some runs."""
    figure, path = job
    decoding, predicting = [], []
    for _ in range(RUNS):
        began = time.process_time()
        image = open_image(path)
        image.load()
        decoded = time.process_time()
        model.predict(figure, image)
        decoding.append(decoded - began)
        predicting.append(time.process_time() - decoded)
    return min(decoding), min(predicting)


def measure(jobs: list[Job], detector: str) -> None:
    """Print the figures; exit with a message where a promise is not kept."""
    model = open_splitter(Recipe(detector))
    timed(jobs[0], model)  # tables and letters that are kept are made here
    found = [(timed(job, model), job[0]) for job in jobs]
    decoding, predicting = ([times[side] for times, _ in found] for side in (0, 1))
    ratios = sorted(((predict / decode, figure.id) for (decode, predict), figure in found), reverse=True)
    pixels = statistics.median(figure.width * figure.height for _, figure in found) / 1e6
    rate = 1 / statistics.median(map(sum, zip(decoding, predicting, strict=True)))
    print(f"{model.version}: {len(jobs)} figures, {pixels:.2f} million pixels (median), best of {RUNS} runs each")
    print(f"  decoding            {1000 * statistics.median(decoding):.0f} ms (median)")
    print(
        f"  pre-labelling       {1000 * statistics.median(predicting):.0f} ms (median), "
        f"{1000 * max(predicting):.0f} at most"
    )
    mean = len(jobs) / (sum(predicting) + sum(decoding))
    print(f"  figures a second    {rate:.1f} (median), {mean:.1f} (mean), with decoding")
    print(
        f"  times the decoding  {statistics.median(ratio for ratio, _ in ratios):.1f} (median), over {SLOWEST:g} "
        f"in {sum(ratio > SLOWEST for ratio, _ in ratios)}; the slowest:"
    )
    for ratio, name in ratios[:5]:
        print(f"    {ratio:5.1f}  {name}")
    if rate < PROMISED:
        sys.exit(f"slower than promised: fewer than {PROMISED:g} figures a second a core")
    if detector == CLASSIC_NAME and ratios[0][0] > SLOWEST:
        sys.exit(f"slower than promised: {ratios[0][1]} takes more than {SLOWEST:g} times its decoding")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="?", type=Path)
    parser.add_argument("--detector", choices=[CLASSIC_NAME, BOTH], default=BOTH)
    given = parser.parse_args()
    if given.figures is not None:
        measure(jobs_of(given.figures), given.detector)
        return
    with tempfile.TemporaryDirectory() as folder:
        write_figures(drawn_files(FIGURES, processes=1), Path(folder))
        measure(jobs_of(Path(folder) / "figures.jsonl"), given.detector)


if __name__ == "__main__":
    main()
