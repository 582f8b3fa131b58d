"""`prelabel run` on Ray Data against the plain engine in one process, over 1,000 simulated figures.

The promises: Ray costs less than 15 s (its start and its end included) more than the plain engine with one
process, and two workers do at least 1.5 times the figures a second of one, counted from the first predictions on,
when all have started. The model is the one without weights, which takes one core a figure: two workers need
two free cores. `bench_ray_engine.py 200` takes fewer figures.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from panelwise.domain.annotation import Prediction
from panelwise.files.jsonl import Problems
from panelwise.formats.figures import read_figures
from panelwise.runtime.parallel import cores
from panelwise_simulator.figures import drawn_files, write_figures
from prelabel.runs.engines import Engine, PlainEngine
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import Recipe
from prelabel.runs.predict import Job, figure_of
from prelabel.runs.ray_engine import RayEngine

FIGURES, DRAWN = 1000, 40
#: Seconds that Ray may cost more, and how many times as many figures a second two workers must do.
OVERHEAD, TWICE = 15.0, 1.5


def jobs_of(folder: Path, count: int) -> Iterator[Job]:
    """So many figures, the drawn ones over and over under their own names."""
    drawn = [figure_of(record, folder) for record in read_figures(folder / "figures.jsonl", Problems())]
    return (drawn[number % len(drawn)] for number in range(count))


@dataclass(frozen=True)
class Run:
    """seconds: of the whole. rate: figures a second from the first predictions on."""

    seconds: float
    rate: float
    found: list[Prediction]


def timed(engine: Engine, folder: Path, count: int) -> Run:
    began = time.perf_counter()
    found: list[Prediction] = []
    arrived: list[tuple[float, int]] = []
    for together in engine.run(jobs_of(folder, count), Problems()):
        found += together
        arrived.append((time.perf_counter(), len(found)))
    ended = time.perf_counter()
    (first, at_first), (last, in_all) = arrived[0], arrived[-1]
    return Run(ended - began, (in_all - at_first) / (last - first), found)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FIGURES
    recipe = Recipe()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_figures(drawn_files(DRAWN, difficulty="easy"), folder)
        plain = timed(PlainEngine(FigureModel(recipe), readers=1), folder, count)
        one = timed(RayEngine(recipe, 1), folder, count)
        two = timed(RayEngine(recipe, 2), folder, count)
    if not plain.found == one.found == two.found:
        sys.exit("the engines do not give the same predictions")
    more, times = one.seconds - plain.seconds, two.rate / one.rate
    print(f"{count} figures, {cores()} cores; the same predictions each time")
    print(f"  plain engine, one process  {plain.seconds:6.1f} s, {plain.rate:5.1f} figures/s")
    print(f"  Ray, one worker            {one.seconds:6.1f} s, {one.rate:5.1f} figures/s; {more:+.1f} s")
    print(f"  Ray, two workers           {two.seconds:6.1f} s, {two.rate:5.1f} figures/s; {times:.2f} times one's")
    if more > OVERHEAD:
        sys.exit(f"slower than promised: Ray costs more than {OVERHEAD:g} s")
    if cores() > 1 and times < TWICE:
        sys.exit(f"slower than promised: two workers do fewer than {TWICE:g} times the figures of one")


if __name__ == "__main__":
    main()
