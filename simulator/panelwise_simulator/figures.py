"""Simulated compound figures by seed, in as many processes as wanted, and the folder they are written to."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from panelwise.domain import AnnotatorError, Box, one_line
from panelwise.files import encode_line, write_lines
from panelwise.runtime import Processes, ProcessLost, cores, whole_file
from panelwise_simulator.composition.composing import compose
from panelwise_simulator.composition.lettering import Position
from panelwise_simulator.composition.mosaics import mosaic
from panelwise_simulator.composition.planning import DIFFICULTIES
from panelwise_simulator.simulated import FigureFiles, SimulatedFigure, TrueSubfigure

__all__ = [
    "MIXED",
    "MOSAIC",
    "SimulatedFigure",
    "TrueSubfigure",
    "clear_folder",
    "drawn_files",
    "simulated_figures",
    "write_figures",
]

#: The difficulty that stands for all three, and the share of each.
MIXED = "mixed"
#: The kind of figure that is no part of it: stitched pictures without letters, of unknown number.
MOSAIC = "mosaic"
_MIX = (0.25, 0.5, 0.25)

#: Fewer figures than this are drawn without starting processes.
FEW = 8

#: Figures under way for each process.
AHEAD = 4

#: Generators that do not belong to one figure: [seed, _ARTICLES] for sizes, [seed, _HOUSE, article] for styles.
_ARTICLES, _HOUSE = 2_000_000_011, 2_000_000_033

Job = TypeVar("Job")

_FIGURES, _TRUTH = "figures.jsonl", "annotations.jsonl"
_OURS = re.compile(r"(sim|composed)-\d{3,}\.(png|jpg)|\.?(figures|annotations|annotators)\.jsonl(\..*)?")


@dataclass(frozen=True, slots=True)
class _Job:
    """One figure to draw. position: from 0; article and number in it, from 1."""

    seed: int
    position: int
    article: int
    number: int
    difficulty: str

    @property
    def figure_id(self) -> str:
        return f"sim-{self.position + 1:06d}"


def simulated_figures(count: int, *, seed: int = 0, difficulty: str = MIXED) -> Iterator[SimulatedFigure]:
    """`count` figures, one at a time; each hangs on the seed, the difficulty and its place only.

    difficulty: "easy", "medium", "hard", "mixed" or "mosaic". Raises AnnotatorError for another.
    """
    return map(_drawn, islice(_jobs(seed, difficulty), count))


def drawn_files(
    count: int, *, seed: int = 0, difficulty: str = MIXED, processes: int | None = None
) -> Iterator[FigureFiles]:
    """The files of `count` figures, in order, drawn and encoded in `processes` processes (default one a core).

    The same bytes whatever the number of processes. Raises AnnotatorError, one line, where a process dies or a
    figure cannot be drawn.
    """
    jobs = islice(_jobs(seed, difficulty), count)
    return files_of_jobs(_files, jobs, count, processes)


def files_of_jobs(
    draw: Callable[[Job], FigureFiles],
    jobs: Iterator[Job],
    count: int,
    processes: int | None,
    begin: Callable[[], None] | None = None,
) -> Iterator[FigureFiles]:
    """Draw `count` jobs, in order, in `processes` processes (default one a core). draw: a function of a module.

    begin: called first in each process. Raises AnnotatorError, one line, where a process dies.
    """
    processes = processes or cores()
    if processes == 1 or count < FEW:
        if begin is not None:
            begin()
        return map(draw, jobs)
    return _in_processes(draw, jobs, min(processes, count), begin)


def write_figures(figures: Iterable[SimulatedFigure | FigureFiles], out_dir: Path) -> int:
    """Write figures.jsonl, the pictures, and the truth as annotations.jsonl (annotator "truth"); returns how many.

    Everything is written as the figures come, so memory does not grow with their number; the two files with the
    records appear whole, at the end, or not at all.
    """
    with whole_file(out_dir / _TRUTH) as truth:
        return write_lines(out_dir / _FIGURES, _written(figures, out_dir, truth))


def _written(
    figures: Iterable[SimulatedFigure | FigureFiles], out_dir: Path, truth: Any
) -> Iterator[dict[str, Any]]:
    for each in figures:
        files = FigureFiles.of(each) if isinstance(each, SimulatedFigure) else each
        (out_dir / files.image_name).write_bytes(files.image)
        truth.write(encode_line(files.truth))
        yield dict(files.record)


def clear_folder(out_dir: Path) -> None:
    """Make way in a folder for new figures: what an earlier run has written there, whole or not, is removed.

    Raises AnnotatorError if the folder holds anything else.
    """
    if not out_dir.exists():
        return
    if not out_dir.is_dir():
        raise AnnotatorError(f"{out_dir}: is a file; name a folder for the figures")
    found = sorted(out_dir.iterdir())
    others = [path.name for path in found if not _OURS.fullmatch(path.name) or path.is_dir()]
    if not others and not _is_simulated(out_dir / _FIGURES):
        others = [_FIGURES]
    if others:
        raise AnnotatorError(
            f"{out_dir}: holds {others[0]}, which is not from simulated figures; give an empty or a new folder"
        )
    # The records first: a folder without them is never taken for whole.
    for path in sorted(found, key=lambda path: path.suffix != ".jsonl"):
        path.unlink()


def _is_simulated(path: Path) -> bool:
    """Return whether the first record says so; a missing or empty file counts as one that was broken off."""
    if not path.exists():
        return True
    with path.open("rb") as file:
        line = file.readline()
    if not line:
        return True
    try:
        record = msgspec.json.decode(line)
        return bool(record["source"]["simulated"])
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError):
        return False


# ---- jobs -----------------------------------------------------------------------------------------


def _jobs(seed: int, difficulty: str) -> Iterator[_Job]:
    """One to four figures an article, without end."""
    known = (*DIFFICULTIES, MIXED, MOSAIC)
    if difficulty not in known:
        raise AnnotatorError(f'no difficulty "{difficulty}"; give one of {", ".join(known)}')
    return _endless(seed, difficulty)


def _endless(seed: int, difficulty: str) -> Iterator[_Job]:
    sizes = np.random.default_rng([seed, _ARTICLES])
    position = article = 0
    while True:
        article += 1
        for number in range(1, int(sizes.integers(1, 5)) + 1):
            yield _Job(seed, position, article, number, difficulty)
            position += 1


def _drawn(job: _Job) -> SimulatedFigure:
    rng = np.random.default_rng([job.seed, job.position])
    difficulty = job.difficulty
    mixed = DIFFICULTIES[int(rng.choice(len(_MIX), p=_MIX))]
    if difficulty == MIXED:
        difficulty = mixed
    quality = int(rng.integers(80, 96))
    if difficulty == MOSAIC:
        return _mosaic(job, quality)
    house = np.random.default_rng([job.seed, _HOUSE, job.article])
    made = compose((job.seed, job.position), house, difficulty, job.number)
    # Of a single panel nothing sets its text apart from that on the whole figure.
    spans = made.caption.spans if len(made.labels) > 1 else {}
    subfigures = tuple(
        TrueSubfigure(label, Box(*(float(side) for side in box)), spans.get(label, ()))
        for label, box in zip(made.labels, made.boxes, strict=True)
    )
    return SimulatedFigure(
        job.figure_id,
        made.image,
        made.caption.text,
        made.caption.references,
        subfigures,
        f"simulated-article-{job.article:06d}",
        quality if made.photographic else 0,
        {
            "difficulty": difficulty,
            "compound": len(subfigures) > 1,
            "theme": made.theme,
            "layout": made.layout,
            "lettering": made.position.value,
            "markers": made.caption.style,
        },
    )


def _mosaic(job: _Job, quality: int) -> SimulatedFigure:
    made = mosaic((job.seed, job.position))
    subfigures = tuple(
        TrueSubfigure(label, Box(*(float(side) for side in box)), ())
        for label, box in zip(made.labels, made.boxes, strict=True)
    )
    kept = {"difficulty": MOSAIC, "compound": len(subfigures) > 1, "theme": MOSAIC, "layout": made.layout}
    kept |= {"lettering": Position.NONE.value, "markers": "none"}
    document = f"simulated-article-{job.article:06d}"
    return SimulatedFigure(job.figure_id, made.image, made.caption, (), subfigures, document, quality, kept)


def _files(job: _Job) -> FigureFiles:
    """The files of one figure; runs in a process of its own where there are many. Raises AnnotatorError."""
    with reported(job.figure_id, f"seed {job.seed} ({job.difficulty})"):
        return FigureFiles.of(_drawn(job))


@contextmanager
def reported(figure_id: str, origin: str) -> Iterator[None]:
    """Raise AnnotatorError, one line with the figure and its origin, for whatever fails while it is drawn."""
    try:
        yield
    except AnnotatorError:
        raise
    except Exception as error:
        raise AnnotatorError(
            f'figure "{figure_id}" of {origin} could not be drawn '
            f"({type(error).__name__}: {one_line(error)}); please report this line"
        ) from error


# ---- processes ------------------------------------------------------------------------------------


def _in_processes(
    draw: Callable[[Job], FigureFiles], jobs: Iterator[Job], processes: int, begin: Callable[[], None] | None
) -> Iterator[FigureFiles]:
    waiting: deque[Future[FigureFiles]] = deque()
    try:
        with Processes(processes, begin) as others:
            for job in jobs:
                waiting.append(others.submit(draw, job))
                if len(waiting) >= AHEAD * processes:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    except ProcessLost as error:
        raise AnnotatorError(f"drawing: {error}; try again with --processes 1") from None
