"""Composed figures by seed, in as many processes as wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from panelwise.domain import Box
from panelwise_simulator.composer.composing import compose_pictures
from panelwise_simulator.composer.pictures import Part, Picture, credits_of
from panelwise_simulator.figures import files_of_jobs, reported
from panelwise_simulator.simulated import FigureFiles, SimulatedFigure, TrueSubfigure

#: Figures of one made-up article.
_OF_ARTICLE = 4


#: The pictures that figures of this process show: sent to each process once, not with every figure.
_PICTURES: list[Picture] = []


@dataclass(frozen=True, slots=True)
class _Job:
    """One figure to compose; position from 0."""

    part: Part
    seed: int
    position: int


def composed_files(
    pictures: Sequence[Picture], count: int, *, seed: int = 0, part: Part = Part.ALL, processes: int | None = None
) -> Iterator[FigureFiles]:
    """The files of `count` figures composed of pictures (see `read_pictures`), in order.

    part: that of the pictures, named in the figures' article. processes: default one a core. The same bytes
    whatever their number. Raises AnnotatorError, one line, where a picture cannot be decoded.
    """
    jobs = (_Job(part, seed, position) for position in range(count))
    return files_of_jobs(_files, jobs, count, processes, partial(_begin, tuple(pictures)))


def _begin(pictures: Sequence[Picture]) -> None:
    _PICTURES[:] = pictures


def _files(job: _Job) -> FigureFiles:
    with reported(composed_id(job.position), f"seed {job.seed} (composed)"):
        return FigureFiles.of(composed_figure(_PICTURES, job.seed, job.position, job.part))


def composed_id(position: int) -> str:
    """The figure's id; position from 0."""
    return f"composed-{position + 1:06d}"


def composed_figure(
    pictures: Sequence[Picture], seed: int, position: int, part: Part = Part.ALL
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
        composed_id(position),
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
