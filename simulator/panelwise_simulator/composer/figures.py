"""Composed figures by seed, in as many processes as wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from panelwise.domain.box import Box
from panelwise.files.jsonl import Problems
from panelwise_simulator.composer.composing import compose_pictures
from panelwise_simulator.composer.pictures import Part, Picture, credits_of, read_pictures
from panelwise_simulator.figures import files_of_jobs, reported
from panelwise_simulator.simulated import FigureFiles, SimulatedFigure, TrueSubfigure

#: Figures of one made-up article.
_OF_ARTICLE = 4


@dataclass(frozen=True, slots=True)
class _Job:
    """One figure to compose, the pictures it may show, and its position from 0."""

    folder: Path
    part: Part
    seed: int
    position: int

    @property
    def figure_id(self) -> str:
        return f"composed-{self.position + 1:06d}"


def composed_files(
    folder: Path, count: int, *, seed: int = 0, part: Part = Part.ALL, processes: int | None = None
) -> Iterator[FigureFiles]:
    """The files of `count` figures composed of a folder's pictures, in order.

    processes: default one a core.

    The same bytes whatever the number of processes. Raises AnnotatorError, one line, where a picture cannot be
    decoded, and FormatError where the folder has none; see `read_pictures`.
    """
    jobs = (_Job(folder, part, seed, position) for position in range(count))
    return files_of_jobs(_files, jobs, count, processes)


def _files(job: _Job) -> FigureFiles:
    with reported(job.figure_id, f"seed {job.seed} (composed)"):
        return FigureFiles.of(composed_figure(_pictures(job.folder, job.part), job.seed, job.position, job.part))


@lru_cache(maxsize=2)
def _pictures(folder: Path, part: Part) -> tuple[Picture, ...]:
    """The pictures of a folder, read once a process; its problems are reported by whoever reads it first."""
    return tuple(read_pictures(folder, Problems(), part))


def composed_figure(
    pictures: tuple[Picture, ...], seed: int, position: int, part: Part = Part.ALL
) -> SimulatedFigure:
    """The figure of that seed and position; it depends on them, the pictures and nothing else."""
    made = compose_pictures((seed, position), pictures)
    subfigures = tuple(
        TrueSubfigure(label, Box(*(float(side) for side in box)), made.spans.get(label, ()))
        for label, box in zip(made.labels, made.boxes, strict=True)
    )
    quality = int(np.random.default_rng([seed, position, 4]).integers(55, 96))
    credited = credits_of(made.pictures)
    return SimulatedFigure(
        f"composed-{position + 1:06d}",
        made.image,
        made.caption,
        (),
        subfigures,
        f"composed-article-{part}-{seed}-{position // _OF_ARTICLE + 1:06d}",
        quality if made.photographic or position % 2 else 0,
        {
            "licence": " AND ".join(sorted({each["licence"] for each in credited} or {"Apache-2.0"})),
            "composed": True,
            "compound": len(subfigures) > 1,
            "arrangement": made.arrangement,
            "lettering": made.lettering.value,
            "grouped": made.grouped,
            "kinds": sorted({each.kind for each in made.pictures}),
            "pictures": credited,
        },
    )
